/* The URDF reader: what it understands, what it warns about, what it refuses and where; real robots; and
 * that neither a hostile file nor a small arena can hurt it. */
#include "unity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "slipstick_parts.h"

enum { MEMORY_SIZE = 1 << 20, MAX_WARNINGS = 64 };

static unsigned char memory[MEMORY_SIZE];
static slip_arena mem;
static slip_urdf robot;
static slip_urdf_options options;
static slip_error err;
static slip_error warnings[MAX_WARNINGS];
static slip_report report;

static void keep_warning(void *context, const slip_error *warning)
{
    (void)context;
    if (report.count <= MAX_WARNINGS) warnings[report.count - 1] = *warning;
}

void setUp(void)
{
    mem = slip_arena_over(memory, sizeof memory);
    options = slip_urdf_defaults();
    memset(&robot, 0x5A, sizeof robot);
    memset(&report, 0, sizeof report);
    report.warn = keep_warning;
    slip_error_clear(&err);
}
void tearDown(void) { }

/* Reads from a block of just the text's size, so that a sanitizer sees a byte read beyond it. */
static slip_status read_bytes(const char *text, size_t length)
{
    char *copy = (char *)malloc(length ? length : 1);
    slip_status s;

    memcpy(copy, text, length);
    s = slip_urdf_read(copy, length, "robots/test.urdf", &options, &mem, &robot, &report, &err);
    memset(copy, '#', length);                                 /* nothing may point into it afterwards */
    free(copy);
    return s;
}

static void read_well(const char *text)
{
    const slip_status s = read_bytes(text, strlen(text));

    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, s, err.what);
}

static int is_untouched(void)
{
    const unsigned char *p = (const unsigned char *)&robot;
    size_t i;

    for (i = 0; i < sizeof robot; ++i)
        if (p[i] != 0x5A) return 0;
    return mem.low == 0 && mem.high == mem.size;
}

static void near_real(double expected, slip_real actual, const char *what)
{
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)SLIP_TOL(1e-14, 1e-6)*(1 + fabs(expected)), expected, (double)actual,
                                      what);
}

static void near_reals(int n, const double *expected, const slip_real *actual, const char *what)
{
    int i;

    for (i = 0; i < n; ++i) near_real(expected[i], actual[i], what);
}

/* ---- what is understood ---------------------------------------------------------------------------- */

#define TWO_LINKS "<link name='a'/><link name='b'/>"
#define JOINT(type, inside) "<joint name='j' type='" type "'><parent link='a'/><child link='b'/>" inside "</joint>"
#define ROBOT(inside) "<robot name='r'>" inside "</robot>"
#define LIMIT "<limit lower='-1' upper='2' effort='3' velocity='4'/>"

static void test_a_joint_is_read_with_all_it_says(void)
{
    static const double p[3] = { 1, 2, 3 }, axis[3] = { 0, -2, 0 };
    static const double R[9] = { 0, -1, 0, 1, 0, 0, 0, 0, 1 };
    const slip_joint_def *j;

    read_well(ROBOT(TWO_LINKS JOINT("revolute",
                    "<origin xyz=' 1 2\t3\n' rpy='0 0 1.5707963267948966'/><axis xyz='0 -2 0'/>" LIMIT
                    "<dynamics damping='0.5' friction='0.25' armature='0.125'/>"
                    "<safety_controller soft_lower_limit='-0.5' soft_upper_limit='1.5' k_position='7' k_velocity='8'/>"
                    "<calibration rising='0.75' falling='0.875'/>")));
    TEST_ASSERT_EQUAL_INT(0, report.count);
    TEST_ASSERT_EQUAL_STRING("r", robot.def.name);
    TEST_ASSERT(robot.def.nlinks == 2 && robot.def.njoints == 1 && robot.root == 0);
    near_real(-9.81, robot.def.gravity[2], "gravity");
    j = &robot.def.joints[0];
    TEST_ASSERT_EQUAL_STRING("j", j->name);
    TEST_ASSERT(j->type == SLIP_JOINT_REVOLUTE && j->parent == 0 && j->child == 1 && j->mimic == -1 && j->line == 1);
    near_reals(3, p, j->origin.p, "xyz");
    near_reals(9, R, j->origin.R, "rpy");
    near_reals(3, axis, j->axis, "axis");
    TEST_ASSERT(j->lower == -1 && j->upper == 2 && j->effort == 3 && j->velocity == 4);
    TEST_ASSERT(j->damping == SLIP_R(0.5) && j->friction == SLIP_R(0.25) && j->armature == SLIP_R(0.125));
    TEST_ASSERT(robot.joints[0].has_safety && robot.joints[0].soft_upper == SLIP_R(1.5) &&
                robot.joints[0].k_velocity == 8);
    TEST_ASSERT(robot.joints[0].has_calibration && robot.joints[0].rising == SLIP_R(0.75) &&
                robot.joints[0].falling == SLIP_R(0.875));
}

/* Mistakes of real files whose meaning is clear: each is taken as it is meant, with one warning that says so. */
static void test_mistakes_whose_meaning_is_clear_are_taken_with_a_warning(void)
{
    static const struct { const char *text, *says; } cases[] = {
        { JOINT("fixed", "<origin xyz='0, 0,1'/>"), "commas in xyz=\"0, 0,1\" taken as blanks" },
        { JOINT("fixed", "<origin xyz='0 0 1' rpy='0 0 0 7'/>"), "holds 4 numbers, expected 3: the rest is ignored" },
        { JOINT("Fixed", "<origin xyz='0 0 1'/>"), "joint type 'Fixed' taken as 'fixed'" },
        { JOINT("screw", "<origin xyz='0 0 1'/>"), "joint type 'screw' is unknown" },
        { JOINT("continuous", "<origin xyz='0 0 1'/><axis/>"), "<axis> has no xyz; taken as \"1 0 0\"" },
        { JOINT("continuous", "<origin xyz='0 0 1'/><mimic joint='x'/>"), "moves by itself" },
        { JOINT("revolute", "<origin xyz='0 0 1'/><limit lower='1' upper='-1' effort='1' velocity='1'/>"),
          "lower limit 1 is above upper limit -1: position not limited" } };
    size_t i;

    for (i = 0; i < sizeof cases/sizeof *cases; ++i) {
        char text[600];

        setUp();
        slip_format(text, (int)sizeof text, "<robot name='r'>" TWO_LINKS "%s</robot>", cases[i].text);
        read_well(text);
        TEST_ASSERT_EQUAL_INT_MESSAGE(1, report.count, cases[i].text);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(warnings[0].what, cases[i].says), warnings[0].what);
        near_real(1, robot.def.joints[0].origin.p[2], cases[i].text);
        TEST_ASSERT_MESSAGE(robot.def.joints[0].type <= SLIP_JOINT_CONTINUOUS && robot.def.joints[0].mimic == -1
                            && robot.def.joints[0].axis[0] == 1, cases[i].text);
        TEST_ASSERT_MESSAGE(robot.def.joints[0].lower == -(slip_real)INFINITY, cases[i].text);
    }
}

static void test_a_colour_with_commas_and_a_scale_of_one_number_are_read(void)
{
    read_well(ROBOT("<link name='Gr\xC3\xBC\xC3\x9F e'><visual><geometry><mesh filename='x.stl' scale='0.5'/>"
                    "</geometry><material name='m'><color rgba='1, 0.5, 0, 1'/></material></visual></link>"));
    near_real(0.5, robot.shapes[0].colour[1], "green");
    near_real(0.5, robot.shapes[0].size[2], "scale");
    TEST_ASSERT_EQUAL_STRING("Gr\xC3\xBC\xC3\x9F e", robot.def.links[0].name);
}

/* A gripper's file whose parent is a link of the arm it goes on. */
static void test_a_part_that_hangs_on_a_link_of_another_robot_hangs_on_the_world(void)
{
    read_well(ROBOT("<link name='b'/><joint name='j' type='fixed'><parent link='hand'/><child link='b'/></joint>"));
    TEST_ASSERT(robot.root == 0 && robot.def.joints[0].parent == -1 && report.count == 1);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(warnings[0].what, "'hand' does not exist; taken as the world"),
                                 warnings[0].what);
}

static void test_a_robot_without_links_is_empty_with_a_warning(void)
{
    const slip_model *model = NULL;

    read_well(ROBOT("<deformable name='d'/>"));
    TEST_ASSERT(robot.def.nlinks == 0 && robot.root == -1 && report.count == 2);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(warnings[1].what, "no links"), warnings[1].what);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_model_build(&robot.def, &mem, &model, &report, &err));
    TEST_ASSERT_EQUAL_INT(0, model->nv);
}

static void test_the_contact_element_of_bullet_is_read(void)
{
    read_well(ROBOT("<link name='a'><contact><lateral_friction value='1.5'/><restitution value='2'/>"
                    "<rolling_friction value='0.01'/><stiffness value='3'/></contact></link>"));
    near_real(1.5, robot.contacts[0].friction, "friction");
    near_real(1, robot.contacts[0].restitution, "clamped");
    near_real(0.01, robot.contacts[0].rolling, "rolling");
    TEST_ASSERT(robot.contacts[0].torsion < 0 && report.count == 2);
}

/* Either edge of a calibration may be left out: NaN says so. */
static void test_a_calibration_edge_that_is_left_out_is_NaN(void)
{
    read_well(ROBOT(TWO_LINKS JOINT("revolute", LIMIT "<calibration rising='0.75'/>")));
    TEST_ASSERT(robot.joints[0].rising == SLIP_R(0.75) && robot.joints[0].falling != robot.joints[0].falling);
    read_well(ROBOT(TWO_LINKS JOINT("revolute", LIMIT "<calibration falling='0.875'/>")));
    TEST_ASSERT(robot.joints[0].falling == SLIP_R(0.875) && robot.joints[0].rising != robot.joints[0].rising);
}

static void test_every_joint_type_is_known(void)
{
    static const struct { const char *name; slip_joint_type type; } types[] = {
        { "fixed", SLIP_JOINT_FIXED }, { "revolute", SLIP_JOINT_REVOLUTE }, { "continuous", SLIP_JOINT_CONTINUOUS },
        { "prismatic", SLIP_JOINT_PRISMATIC }, { "planar", SLIP_JOINT_PLANAR }, { "floating", SLIP_JOINT_FLOATING },
        { "ball", SLIP_JOINT_BALL }, { "spherical", SLIP_JOINT_BALL } };
    char text[300];
    int i;

    for (i = 0; i < (int)(sizeof types/sizeof *types); ++i) {
        setUp();
        slip_format(text, (int)sizeof text, ROBOT(TWO_LINKS JOINT("%s", "%s")),
                    types[i].name, i == 1 || i == 3 ? LIMIT : "");
        read_well(text);
        TEST_ASSERT_EQUAL_INT(types[i].type, robot.def.joints[0].type);
        TEST_ASSERT_EQUAL_INT(0, report.count);
    }
}

static void test_defaults_are_those_of_urdf(void)
{
    static const double axis[3] = { 1, 0, 0 }, I[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    const slip_joint_def *j;

    read_well(ROBOT(TWO_LINKS JOINT("continuous", "")));
    j = &robot.def.joints[0];
    near_reals(3, axis, j->axis, "axis");
    near_reals(9, I, j->origin.R, "rotation");
    TEST_ASSERT(j->lower < -SLIP_REAL_MAX && j->upper > SLIP_REAL_MAX);
    TEST_ASSERT(j->effort > SLIP_REAL_MAX && j->velocity > SLIP_REAL_MAX);
    TEST_ASSERT(robot.def.links[0].mass == 0 && robot.nshapes == 0);
    setUp();
    read_well(ROBOT(TWO_LINKS JOINT("prismatic", "<limit upper='0.04' effort='1' velocity='1'/>")));
    TEST_ASSERT(robot.def.joints[0].lower == 0);
    near_real(0.04, robot.def.joints[0].upper, "upper");
    TEST_ASSERT_EQUAL_INT(0, report.count);
}

static void test_inertia_is_turned_into_link_axes(void)
{
    /* a quarter turn about z swaps x and y, and ixy changes sign: R I R' by hand */
    static const double turned[6] = { 2, -0.1, -0.3, 1, 0.2, 3 }, com[3] = { 0.1, 0.2, 0.3 };

    read_well(ROBOT("<link name='a'><inertial><origin xyz='.1 .2 .3' rpy='0 0 1.5707963267948966'/><mass value='4'/>"
                    "<inertia ixx='1' ixy='0.1' ixz='0.2' iyy='2' iyz='0.3' izz='3'/></inertial></link>"));
    TEST_ASSERT(robot.def.links[0].mass == 4);
    near_reals(3, com, robot.def.links[0].com, "com");
    near_reals(6, turned, robot.def.links[0].inertia, "inertia");
}

static void test_quat_xyzw_turns_like_rpy(void)
{
    char text[400];
    slip_real q[4];
    double R[9];
    int i;

    read_well(ROBOT(TWO_LINKS JOINT("fixed", "<origin rpy='0.3 -0.7 1.1'/>")));
    for (i = 0; i < 9; ++i) R[i] = (double)robot.def.joints[0].origin.R[i];
    slip_mat3_to_quat(robot.def.joints[0].origin.R, q);
    setUp();
    slip_format(text, (int)sizeof text, ROBOT(TWO_LINKS JOINT("fixed", "<origin quat_xyzw='%g %g %g %g'/>")),
                (double)q[0], (double)q[1], (double)q[2], (double)q[3]);
    read_well(text);
    near_reals(9, R, robot.def.joints[0].origin.R, "rotation");
    TEST_ASSERT_EQUAL_INT(0, report.count);
}

static void test_shapes_keep_place_size_and_colour(void)
{
    static const double half[3] = { 0.5, 1, 1.5 }, p[3] = { 1, 2, 3 };
    const slip_urdf_shape *s;

    options.find_meshes = 0;
    read_well(ROBOT("<link name='a'>"
                    "<collision name='c'><origin xyz='1 2 3'/><geometry><box size='1 2 3'/></geometry></collision>"
                    "<collision><geometry><sphere radius='0.5'/></geometry></collision>"
                    "<visual><geometry><cylinder radius='0.25' length='3'/></geometry><material name='m'/></visual>"
                    "<visual><geometry><capsule radius='0.5' length='4'/></geometry>"
                    "<material name='n'><color rgba='0 0.25 0.5 1'/></material></visual>"
                    "<collision><geometry><ellipsoid radii='1 2 3'/></geometry></collision>"
                    "<visual><geometry><mesh filename='a/b.stl' scale='1 -1 2'/></geometry><material name='n'/>"
                    "</visual>"
                    "</link><material name='m'><color rgba='1 0.5 0.25 0.125'/></material>"));
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, report.count, warnings[0].what);
    TEST_ASSERT_EQUAL_INT(6, robot.nshapes);
    s = robot.shapes;
    TEST_ASSERT(s[0].kind == SLIP_SHAPE_BOX && s[0].role == SLIP_URDF_COLLISION && s[0].link == 0);
    TEST_ASSERT_EQUAL_STRING("c", s[0].name);
    near_reals(3, half, s[0].size, "box");
    near_reals(3, p, s[0].pose.p, "xyz");
    TEST_ASSERT(s[1].kind == SLIP_SHAPE_SPHERE && s[1].size[0] == SLIP_R(0.5) && s[1].pose.R[0] == 1);
    TEST_ASSERT_EQUAL_STRING("", s[1].name);
    TEST_ASSERT(s[2].kind == SLIP_SHAPE_CYLINDER && s[2].role == SLIP_URDF_VISUAL);
    TEST_ASSERT(s[2].size[0] == SLIP_R(0.25) && s[2].size[1] == SLIP_R(1.5));
    TEST_ASSERT(s[2].colour[0] == 1 && s[2].colour[3] == SLIP_R(0.125));   /* by the name of a later global material */
    TEST_ASSERT(s[3].kind == SLIP_SHAPE_CAPSULE && s[3].size[0] == SLIP_R(0.5) && s[3].size[1] == 2);
    TEST_ASSERT(s[3].colour[1] == SLIP_R(0.25));
    TEST_ASSERT(s[4].kind == SLIP_SHAPE_ELLIPSOID && s[4].size[0] == 1 && s[4].size[1] == 2 && s[4].size[2] == 3);
    TEST_ASSERT(s[5].kind == SLIP_SHAPE_MESH && s[5].size[1] == -1 && s[5].size[2] == 2 && !s[5].mesh_found);
    TEST_ASSERT_EQUAL_STRING("a/b.stl", s[5].mesh_uri);
    TEST_ASSERT_EQUAL_STRING("robots/a/b.stl", s[5].mesh_path);
    TEST_ASSERT(s[5].colour[2] == SLIP_R(0.5));                /* by the name another shape gave */
}

/* The path of a mesh written so. */
static const char *path_of(const char *uri)
{
    char text[300];

    mem = slip_arena_over(memory, sizeof memory);
    slip_format(text, (int)sizeof text, ROBOT("<link name='a'><visual><geometry><mesh filename='%s'/></geometry>"
                                              "</visual></link>"), uri);
    read_well(text);
    return robot.shapes[0].mesh_path;
}

static void test_mesh_paths_are_resolved(void)
{
    static const char *const paths[] = { "nowhere/", "models", "." };

    TEST_ASSERT_EQUAL_STRING("/x/y.stl", path_of("/x/y.stl"));
    TEST_ASSERT_EQUAL_STRING("/x/y.stl", path_of("file:///x/y.stl"));
    TEST_ASSERT_EQUAL_STRING("robots/../y.obj", path_of("../y.obj"));
    TEST_ASSERT_EQUAL_STRING("p/y.stl", path_of("package://p/y.stl"));
    TEST_ASSERT_EQUAL_INT(4, report.count);
    TEST_ASSERT_NOT_NULL(strstr(warnings[3].what, "package path"));
    options.package_paths = paths;
    options.npackage_paths = 3;
    report.count = 0;
    TEST_ASSERT_EQUAL_STRING("models/gripper.urdf", path_of("package://models/gripper.urdf"));  /* in the package */
    TEST_ASSERT_EQUAL_INT(1, robot.shapes[0].mesh_found);
    TEST_ASSERT_EQUAL_STRING("./tests/run.sh", path_of("model://tests/run.sh"));                /* above it       */
    TEST_ASSERT_EQUAL_INT(0, report.count);
    TEST_ASSERT_EQUAL_STRING("nowhere/p/y.stl", path_of("package://p/y.stl"));
    TEST_ASSERT_EQUAL_STRING("nowhere/p", path_of("package://p"));
    TEST_ASSERT_EQUAL_INT(2, report.count);
    options.find_meshes = 0;
    TEST_ASSERT_EQUAL_STRING("nowhere/models/gripper.urdf", path_of("package://models/gripper.urdf"));
    TEST_ASSERT_EQUAL_INT(2, report.count);
}

static void test_a_free_base_hangs_the_root_on_the_world(void)
{
    options.free_base = 1;
    read_well(ROBOT(TWO_LINKS JOINT("fixed", "")));
    TEST_ASSERT_EQUAL_INT(2, robot.def.njoints);
    TEST_ASSERT_EQUAL_STRING("root_joint", robot.def.joints[1].name);
    TEST_ASSERT(robot.def.joints[1].type == SLIP_JOINT_FLOATING && robot.def.joints[1].parent == -1);
    TEST_ASSERT(robot.def.joints[1].child == 0 && robot.root == 0);
    setUp();
    options.free_base = 1;
    read_well(ROBOT(TWO_LINKS "<joint name='root_joint' type='fixed'><parent link='b'/><child link='a'/></joint>"));
    TEST_ASSERT_EQUAL_STRING("free_root_joint", robot.def.joints[1].name);
    TEST_ASSERT(robot.def.joints[1].child == 1 && robot.root == 1);
}

static void test_the_world_may_be_a_parent_without_being_a_link(void)
{
    static const char text[] = ROBOT("<link name='b'/><joint name='j' type='floating'><parent link='world'/>"
                                     "<child link='b'/></joint>");

    read_well(text);
    TEST_ASSERT(robot.def.nlinks == 1 && robot.def.joints[0].parent == -1 && robot.root == 0);
    setUp();
    options.free_base = 1;
    read_well(text);
    TEST_ASSERT(robot.def.njoints == 1 && report.count == 1);
    TEST_ASSERT_NOT_NULL(strstr(warnings[0].what, "free base ignored"));
}

#define LINKS5 "<link name='l0'/><link name='l1'/><link name='l2'/><link name='l3'/><link name='l4'/>"
#define STEP(n, from, to, mimic) \
    "<joint name='j" n "' type='continuous'><parent link='" from "'/><child link='" to "'/>" mimic "</joint>"

static void test_chains_of_mimics_lead_to_the_independent_joint(void)
{
    /* q1 = 2 q3 + 1, q2 = 3 q1 - 1 = 6 q3 + 2, q4 = -q2 = -6 q3 - 2 */
    static const char text[] = ROBOT(LINKS5
        STEP("1", "l0", "l1", "<mimic joint='j3' multiplier='2' offset='1'/>")
        STEP("2", "l1", "l2", "<mimic joint='j1' multiplier='3' offset='-1'/>")
        STEP("3", "l2", "l3", "") STEP("4", "l3", "l4", "<mimic joint='j2' multiplier='-1'/>"));
    const slip_joint_def *j;

    read_well(text);
    j = robot.def.joints;
    TEST_ASSERT(j[0].mimic == 2 && j[0].mimic_scale == 2 && j[0].mimic_offset == 1);
    TEST_ASSERT(j[1].mimic == 2 && j[1].mimic_scale == 6 && j[1].mimic_offset == 2);
    TEST_ASSERT(j[2].mimic == -1);
    TEST_ASSERT(j[3].mimic == 2 && j[3].mimic_scale == -6 && j[3].mimic_offset == -2);
    setUp();
    options.independent_mimics = 1;
    read_well(text);
    j = robot.def.joints;
    TEST_ASSERT(j[0].mimic == -1 && j[1].mimic == -1 && j[1].mimic_scale == 1 && j[3].mimic_offset == 0);
}

static void test_names_are_decoded_and_order_does_not_matter(void)
{
    read_well("\xEF\xBB\xBF<?xml version='1.0'?><!-- x --><u:robot xmlns:u='urn:x' name='A&amp;B'>"
              "<u:joint name='j' type='fixed'><child link='l&#65;'/><parent link='\xC3\xA9'/></u:joint>"
              "<link name='&#x6C;A'/><link name='\xC3\xA9'/></u:robot>");
    TEST_ASSERT_EQUAL_INT(0, report.count);
    TEST_ASSERT_EQUAL_STRING("A&B", robot.def.name);
    TEST_ASSERT_EQUAL_STRING("lA", robot.def.links[0].name);
    TEST_ASSERT(robot.def.joints[0].child == 0 && robot.def.joints[0].parent == 1 && robot.root == 1);
}

/* ---- what is warned about -------------------------------------------------------------------------- */

/* Reads with exactly one warning, in this line, that holds the word; and fails when strict. */
static void warns(const char *text, int line, const char *word)
{
    char message[700];

    setUp();
    read_well(text);
    slip_format(message, (int)sizeof message, "%.*s: %s", 300, text, warnings[0].what);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, report.count, message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(line, warnings[0].line, message);
    TEST_ASSERT_MESSAGE(strstr(warnings[0].what, word) != NULL, message);
    TEST_ASSERT_EQUAL_STRING("robots/test.urdf", warnings[0].file);
    setUp();
    report.strict = 1;
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_ERR_MODEL, read_bytes(text, strlen(text)), message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(line, err.line, message);
    TEST_ASSERT_MESSAGE(is_untouched(), message);
}

#define LINK(inside) ROBOT("<link name='a'>\n" inside "</link>")
#define VISUAL(inside) LINK("<visual>" inside "</visual>")

static void test_nothing_is_dropped_silently(void)
{
    warns(ROBOT("\n<gazebo reference='a'><x y='1'/><x/></gazebo><link name='a'/>"), 2, "<gazebo> in <robot> ignored");
    warns(ROBOT("<link name='a'/>\n\n<transmission name='t'/>"), 3, "<transmission>");
    warns(ROBOT("<link name='a'/>\n<ros2_control/>"), 2, "<ros2_control>");
    warns(ROBOT("<link name='a'/>\n<frobnicate/>"), 2, "unknown element <frobnicate>");
    warns(ROBOT("<link name='a'/>\nhello"), 1, "text");
    warns(LINK("<sensor/>"), 2, "link 'a'");
    warns(LINK("<collision_checking/>"), 2, "unknown element <collision_checking> in <link>");
    warns(ROBOT("<link name='a'\n type='x'/>"), 2, "attribute type of <link>");
    warns(ROBOT(TWO_LINKS JOINT("continuous", "\n<dynamics damping='1' D='2' K='3'/>")), 2,
          "attributes D, K of <dynamics>");
    warns(ROBOT(TWO_LINKS JOINT("continuous", "<limit lower='1' upper='-1' effort='2' velocity='3'/>")), 1,
          "lower, upper");
    warns(ROBOT(TWO_LINKS JOINT("fixed", "\n<origin/><origin xyz='1 2 3'/>")), 2, "repeated <origin>");
    warns(ROBOT(TWO_LINKS JOINT("fixed", "\n<mimic joint='j'/>")), 2, "<mimic> in a fixed joint");
    warns(ROBOT(TWO_LINKS JOINT("fixed", "<axis xyz='0 0 0'>\n<x/></axis>")), 2, "<x> in <axis>");
    warns("<robot><link name='a'/></robot>", 1, "no name");
    warns("<robot name='r' version='2.0'><link name='a'/></robot>", 1, "version");
}

static void test_what_real_files_leave_out_is_warned_about(void)
{
    warns(ROBOT(TWO_LINKS JOINT("revolute", "")), 1, "no <limit>");
    warns(ROBOT(TWO_LINKS JOINT("prismatic", "\n<limit effort='1' velocity='2'/>")), 2, "neither lower nor upper");
    warns(ROBOT(TWO_LINKS JOINT("revolute", "\n<limit lower='0' upper='1' effort='1'/>")), 2, "lacks velocity");
    warns(ROBOT(TWO_LINKS JOINT("revolute", "\n<limit lower='1' upper='1' effort='1' velocity='1'/>")), 2,
          "cannot move");
    warns(ROBOT(TWO_LINKS JOINT("revolute", "\n<limit lower='0' upper='1' effort='-1' velocity='1'/>")), 2,
          "effort -1");
    warns(ROBOT(TWO_LINKS JOINT("continuous", "\n<dynamics damping='-1'/>")), 2, "damping -1");
    warns(LINK("<inertial><mass value='1'/></inertial>"), 2, "no <inertia>");
    warns(LINK("<inertial><inertia ixx='1' iyy='1' izz='1'/></inertial>"), 2, "no <mass>");
    warns(LINK("<inertial><mass value='1'/><inertia ixx='1' iyy='1'/></inertial>"), 2, "lacks ixx, iyy or izz");
    warns(ROBOT(TWO_LINKS JOINT("fixed", "\n<origin quat_xyzw='0 0 0 2'/>")), 2, "length 2");
}

static void test_doubtful_shapes_and_materials_are_warned_about(void)
{
    warns(VISUAL(""), 2, "no <geometry>");
    warns(VISUAL("<geometry/>"), 2, "no shape");
    warns(VISUAL("<geometry><sphere radius='0'/></geometry>"), 2, "no volume");
    warns(VISUAL("<geometry><sphere radius='1'/><sphere radius='2'/></geometry>"), 2, "second shape");
    warns(VISUAL("<geometry><sphere radius='1'/></geometry>\n<material name='x'/>"), 3, "no colour");
    warns(VISUAL("<geometry><sphere radius='1'/></geometry>\n<material><color rgba='2 0 0 1'/></material>"), 3, "0..1");
    warns(VISUAL("<geometry><sphere radius='1'/></geometry>"
                 "<material><texture filename='x'/><color rgba='1 0 0 1'/></material>"),
          2, "<texture>");
    warns(LINK("<collision><geometry><sphere radius='1'/></geometry><material name='x'/></collision>"), 2,
          "<material> in <collision>");
    warns(ROBOT("<link name='a'/>\n<material name='m'/>"), 2, "no colour");
    warns(ROBOT("<link name='a'/><material name='m'><color rgba='1 0 0 1'/></material>\n"
                "<material name='m'><color rgba='0 1 0 1'/></material>"), 2, "defined again");
    warns(VISUAL("<geometry><mesh filename='nothing.stl'/></geometry>"), 2, "1 mesh file not found");
}

static void test_a_slide_may_mimic_a_hinge_with_a_warning(void)
{
    warns(ROBOT(LINKS5 STEP("1", "l0", "l1", "") STEP("3", "l1", "l3", "") STEP("4", "l1", "l4", "")
                "<joint name='j2' type='prismatic'><parent link='l1'/>"
                "<child link='l2'/>" LIMIT "\n<mimic joint='j1'/></joint>"),
          2, "m/rad");
}

static void test_many_unknown_attributes_are_all_named(void)
{
    char text[2000] = "<robot name='r'><link name='a'";
    int i, k, n = (int)strlen(text), named = 0;

    for (i = 0; i < 31; ++i) n += slip_format(text + n, (int)sizeof text - n, " unknown_attribute_%d=''", i);
    slip_format(text + n, (int)sizeof text - n, "/></robot>");
    read_well(text);
    TEST_ASSERT(report.count > 1 && report.count <= MAX_WARNINGS);
    for (i = 0; i < 31; ++i) {
        char name[40];

        slip_format(name, (int)sizeof name, "unknown_attribute_%d", i);
        for (k = 0; k < report.count; ++k)
            if (strstr(warnings[k].what, name)) { ++named; break; }
    }
    TEST_ASSERT_EQUAL_INT(31, named);
}

/* ---- what is refused ------------------------------------------------------------------------------- */

static void fails_at(const char *text, slip_status status, int line, int column, const char *word)
{
    char message[700];
    slip_status s;

    setUp();
    s = read_bytes(text, strlen(text));
    slip_format(message, (int)sizeof message, "%.*s: %s", 300, text, err.what);
    TEST_ASSERT_EQUAL_INT_MESSAGE(status, s, message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(line, err.line, message);
    if (column > 0) TEST_ASSERT_EQUAL_INT_MESSAGE(column, err.column, message);
    TEST_ASSERT_MESSAGE(strstr(err.what, word) != NULL, message);
    TEST_ASSERT_EQUAL_STRING("robots/test.urdf", err.file);
    TEST_ASSERT_MESSAGE(is_untouched(), message);
}

static void test_only_robots_are_read(void)
{
    fails_at("", SLIP_ERR_PARSE, 1, 1, "no root");
    fails_at("<sdf version='1.7'/>", SLIP_ERR_PARSE, 1, 1, "an SDF file");
    fails_at("\n<mujoco/>", SLIP_ERR_PARSE, 2, 1, "expected <robot>");
    fails_at("<robot name='r'><link name='a'></robot>", SLIP_ERR_PARSE, 1, 32, "expected </link>");
    fails_at("<!DOCTYPE robot>" ROBOT("<link name='a'/>"), SLIP_ERR_UNSUPPORTED, 1, 1, "refused");
}

static void test_unexpanded_xacro_is_named_as_such(void)
{
    fails_at(ROBOT("\n<xacro:include filename='x'/>"), SLIP_ERR_UNSUPPORTED, 2, 1, "xacro FILE > NEW.urdf");
    fails_at(ROBOT("<link name='${p}a'/>"), SLIP_ERR_UNSUPPORTED, 1, 29, "xacro FILE");
    fails_at(LINK("<inertial><mass value='${m}'/></inertial>"), SLIP_ERR_UNSUPPORTED, 2, 24, "xacro FILE");
    fails_at(VISUAL("<geometry><mesh filename='$(find x)/y.stl'/></geometry>"), SLIP_ERR_UNSUPPORTED, 2, 35,
             "xacro FILE");
}

static void test_names_must_be_there_and_unique(void)
{
    fails_at(ROBOT("<link/>"), SLIP_ERR_PARSE, 1, 17, "needs the attribute 'name'");
    fails_at(ROBOT("<link name=''/>"), SLIP_ERR_PARSE, 1, 29, "empty");
    fails_at(ROBOT("<link name='a'/>\n<link name='a'/>"), SLIP_ERR_MODEL, 2, 13,
             "link name 'a' is used twice, first in line 1");
    fails_at(ROBOT("<link name='c'/><link name='b'/>\n<link name='c'/>\n<link name='b'/>"), SLIP_ERR_MODEL, 2, 13,
             "'c'");
    fails_at(ROBOT("<link name='a'/><link name='b'/><link name='c'/>" JOINT("fixed", "") "\n"
                   "<joint name='j' type='fixed'><parent link='a'/><child link='c'/></joint>"), SLIP_ERR_MODEL, 2, 14,
                   "joint name 'j'");
}

static void test_joints_must_be_whole(void)
{
    fails_at(ROBOT(TWO_LINKS "\n<joint name='j'/>"), SLIP_ERR_PARSE, 2, 1, "needs the attribute 'type'");
    fails_at(ROBOT(TWO_LINKS "\n<joint type='fixed'/>"), SLIP_ERR_PARSE, 2, 1, "needs the attribute 'name'");
    fails_at(ROBOT(TWO_LINKS "\n<joint name='j' type='fixed'><child link='b'/></joint>"), SLIP_ERR_PARSE, 2, 1,
             "no <parent");
    fails_at(ROBOT(TWO_LINKS "\n<joint name='j' type='fixed'><parent link='a'/></joint>"), SLIP_ERR_PARSE, 2, 1,
             "no <child");
    fails_at(ROBOT(TWO_LINKS "\n<joint name='j' type='fixed'><parent/></joint>"), SLIP_ERR_PARSE, 2, 30,
             "needs the attribute 'link'");
    fails_at(ROBOT(TWO_LINKS JOINT("revolute", "\n<axis xyz='0 0 0'/>" LIMIT)), SLIP_ERR_MODEL, 2, 1, "no direction");
    fails_at(ROBOT(TWO_LINKS JOINT("planar", "\n<axis xyz='0 0 -0'/>")), SLIP_ERR_MODEL, 2, 1, "no direction");
    fails_at(ROBOT(TWO_LINKS JOINT("fixed", "\n<origin rpy='0 0 0' quat_xyzw='0 0 0 1'/>")), SLIP_ERR_MODEL, 2, 1,
             "both");
    fails_at(ROBOT(TWO_LINKS JOINT("fixed", "\n<origin quat_xyzw='0 0 0 0'/>")), SLIP_ERR_MODEL, 2, 1, "no rotation");
}

static void test_numbers_must_be_numbers_and_as_many_as_expected(void)
{
    fails_at(LINK("<inertial><mass value='abc'/></inertial>"), SLIP_ERR_PARSE, 2, 24, "'abc'");
    fails_at(LINK("<inertial><mass value='1,5'/></inertial>"), SLIP_ERR_PARSE, 2, 24, "'1,5'");
    fails_at(LINK("<inertial><mass value='nan'/></inertial>"), SLIP_ERR_PARSE, 2, 24, "not a finite number");
    fails_at(ROBOT(TWO_LINKS JOINT("fixed", "\n<origin xyz='0,5 0,5 1'/>")), SLIP_ERR_PARSE, 2, 14,
             "holds 5 numbers, expected 3");
    fails_at(LINK("<inertial><mass value=''/></inertial>"), SLIP_ERR_PARSE, 2, 24, "holds 0 numbers");
    fails_at(LINK("<inertial><mass/></inertial>"), SLIP_ERR_PARSE, 2, 11, "needs the attribute 'value'");
    fails_at(LINK("<inertial><mass value='-1'/></inertial>"), SLIP_ERR_MODEL, 2, 11, "mass -1 is negative");
    fails_at(LINK("<inertial><inertia ixx='1e999'/></inertial>"), SLIP_ERR_PARSE, 2, 25, "1e999");
    fails_at(ROBOT(TWO_LINKS JOINT("fixed", "\n<origin xyz='1\n 2 inf'/>")), SLIP_ERR_PARSE, 3, 4, "'inf'");
    fails_at(ROBOT(TWO_LINKS JOINT("fixed", "\n<origin xyz='1 2'/>")), SLIP_ERR_PARSE, 2, 14,
             "holds 2 numbers, expected 3");
    fails_at(VISUAL("<geometry><box size='1 1 -1'/></geometry>"), SLIP_ERR_MODEL, 2, 19, "negative");
    fails_at(VISUAL("<geometry><ellipsoid radii='1 0 1'/></geometry>"), SLIP_ERR_MODEL, 2, 19,
             "three positive numbers");
    fails_at(VISUAL("<geometry><sphere/></geometry>"), SLIP_ERR_PARSE, 2, 19, "needs the attribute 'radius'");
    fails_at(VISUAL("<geometry><mesh filename='x' scale='1 0 1'/></geometry>"), SLIP_ERR_MODEL, 2, 19, "flattens");
}

static void test_joints_must_make_one_tree(void)
{
#define FIX(name, from, to) \
    "<joint name='" name "' type='fixed'><parent link='" from "'/><child link='" to "'/></joint>\n"
    fails_at(ROBOT(TWO_LINKS "\n" FIX("j", "a", "z")), SLIP_ERR_MODEL, 2, 61, "child link 'z' does not exist");
    fails_at(ROBOT(TWO_LINKS "\n" FIX("j", "z", "b")), SLIP_ERR_MODEL, 1, 45, "two root links");
    fails_at(ROBOT(TWO_LINKS), SLIP_ERR_MODEL, 1, 45, "two root links, 'a' (line 1) and 'b'");
    fails_at(ROBOT("<link name='a'/>\n" FIX("j", "a", "a")), SLIP_ERR_MODEL, 2, 61, "kinematic loop: a < a");
    fails_at(ROBOT(TWO_LINKS "\n" FIX("j", "a", "b") FIX("k", "b", "a")), SLIP_ERR_MODEL, 3, 61,
             "kinematic loop: a < b < a");
    fails_at(ROBOT(LINKS5 "\n" FIX("j", "l0", "l1") FIX("k", "l2", "l3") FIX("l", "l3", "l4") FIX("m", "l4", "l2")),
             SLIP_ERR_MODEL, 5, 62, "l2 < l4 < l3 < l2");
    fails_at(ROBOT(LINKS5 "\n" FIX("j", "l0", "l1") FIX("k", "l1", "l2") FIX("l", "l0", "l2") FIX("m", "l2", "l3")),
             SLIP_ERR_MODEL, 4, 62, "two parents, by joint 'k' (line 3) and by joint 'l'");
}

static void test_mimics_must_lead_somewhere(void)
{
    fails_at(ROBOT(TWO_LINKS JOINT("continuous", "\n<mimic joint='j'/>")), SLIP_ERR_MODEL, 2, 15, "mimics itself");
    fails_at(ROBOT(TWO_LINKS JOINT("continuous", "\n<mimic/>")), SLIP_ERR_PARSE, 2, 1, "needs the attribute 'joint'");
    fails_at(ROBOT(TWO_LINKS JOINT("floating", "\n<mimic joint='j'/>")), SLIP_ERR_MODEL, 2, 15,
             "<mimic> in a floating joint");
    fails_at(ROBOT("<link name='l0'/><link name='l1'/><link name='l2'/>" STEP("1", "l0", "l1", "\n<mimic joint='j2'/>")
                   STEP("2", "l1", "l2", "<mimic joint='j1'/>")), SLIP_ERR_MODEL, 2, 15, "cycle");
    fails_at(ROBOT("<link name='l0'/>" TWO_LINKS JOINT("fixed", "") STEP("1", "a", "l0", "\n<mimic joint='j'/>")),
             SLIP_ERR_MODEL, 2, 15, "which is fixed");
}

static void test_multipliers_along_a_chain_must_not_overflow(void)
{
    /* the product of two multipliers that are finite in either precision */
    const char *big = sizeof(slip_real) == 8 ? "1e300" : "1e30";
    char text[600];

    slip_format(text, (int)sizeof text, ROBOT("<link name='l0'/><link name='l1'/><link name='l2'/><link name='l3'/>"
                STEP("1", "l0", "l1", "<mimic joint='j2' multiplier='%s'/>")
                STEP("2", "l1", "l2", "<mimic joint='j3' multiplier='%s'/>") STEP("3", "l2", "l3", "")), big, big);
    fails_at(text, SLIP_ERR_MODEL, 1, 0, "overflow");
}

static void test_a_counting_arena_and_missing_files_are_refused(void)
{
    slip_arena counting = slip_arena_counting();

    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_urdf_read("<robot/>", 8, NULL, NULL, &counting, &robot, NULL, &err));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_FILE, slip_urdf_load("models/none.urdf", NULL, &mem, &robot, NULL, &err));
    TEST_ASSERT_EQUAL_STRING("models/none.urdf", err.file);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_FILE, slip_urdf_load("models", NULL, &mem, &robot, NULL, &err));
    TEST_ASSERT(is_untouched());
}

/* ---- files ----------------------------------------------------------------------------------------- */

static void test_a_file_is_read_whole_or_not_at_all(void)
{
    char *text = NULL;
    size_t length = 0, room;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_file_read("models/gripper.urdf", 100000, &mem, &text, &length, &err));
    TEST_ASSERT(length > 1000 && strlen(text) == length && strncmp(text, "<?xml", 5) == 0);
    TEST_ASSERT(mem.low == 0 && (unsigned char *)text == mem.base + mem.high);
    mem = slip_arena_over(memory, sizeof memory);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_file_read("models/gripper.urdf", length, &mem, &text, &length, &err));
    mem = slip_arena_over(memory, sizeof memory);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_LIMIT, slip_file_read("models/gripper.urdf", length - 1, &mem, &text, &length,
                                                         &err));
    TEST_ASSERT_NOT_NULL(strstr(err.what, "limit"));
    for (room = 0; room < length + 48; room += 1 + room/8) {
        mem = slip_arena_over(memory, room);
        if (slip_file_read("models/gripper.urdf", 100000, &mem, &text, &length, &err) == SLIP_OK) break;
        TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, err.status);
    }
    TEST_ASSERT(room > length);
    TEST_ASSERT(slip_file_exists("models/gripper.urdf") && !slip_file_exists("models") &&
                !slip_file_exists("models/none"));
}

/* Loads a file and compiles its model; skips the test when the file is missing. */
static const slip_model *load_file(const char *path, int free_base)
{
    const slip_model *model = NULL;

    setUp();
    if (!slip_file_exists(path)) return NULL;
    options.free_base = free_base;
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, slip_urdf_load(path, &options, &mem, &robot, &report, &err), err.what);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, slip_model_build(&robot.def, &mem, &model, &report, &err), err.what);
    return model;
}

static double total_mass(void)
{
    double m = 0;
    int i;

    for (i = 0; i < robot.def.nlinks; ++i) m += (double)robot.def.links[i].mass;
    return m;
}

static void test_own_models_load_without_a_warning(void)
{
    static const struct { const char *path; int nv, shapes; double mass; } own[] = {
        { "models/double_pendulum.urdf", 2, 5, 1.6 }, { "models/gripper.urdf", 3, 8, 2.02 },
        { "models/rover.urdf", 6, 6, 11.2 } };
    int i;

    for (i = 0; i < 3; ++i) {
        const slip_model *m = load_file(own[i].path, 0);

        TEST_ASSERT_NOT_NULL_MESSAGE(m, own[i].path);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, report.count, own[i].path);
        TEST_ASSERT_EQUAL_INT_MESSAGE(own[i].nv, m->nv, own[i].path);
        TEST_ASSERT_EQUAL_INT_MESSAGE(own[i].shapes, robot.nshapes, own[i].path);
        near_real(own[i].mass, (slip_real)total_mass(), own[i].path);
    }
}

/* Counts of ../shared/robots/README.md: freedoms with a fixed base, mass, root, joints of each kind. */
static const struct {
    const char *name;
    int nv;
    double mass;
    const char *root;
    int revolute, prismatic, continuous, fixed;
} known[] = {
    { "solo12",   12, 2.50000279,   "base_link",   12, 0, 0,  4 },
    { "allegro",  16, 0.9549,       "palm_link",   16, 0, 0,  4 },
    { "ur5",       6, 20.9939,      "world",        6, 0, 0,  4 },
    { "anymal",   12, 30.475397462, "base",        12, 0, 0, 10 },
    { "humanoid", 29, 130.8,        "base_link",   29, 0, 0,  1 },
    { "cassie",   22, 32.94,        "pelvis",      22, 0, 0,  0 },
    { "panda",     9, 17.451901,    "panda_link0",  7, 2, 0,  3 },
    { "iiwa14",    7, 22.5,         "world",        7, 0, 0,  3 },
    { "kinova",    6, 4.83784,      "base",         3, 0, 3,  6 },
    { "bolt",      6, 1.25387789,   "base_link",    6, 0, 0,  2 },
    { "hyq",      12, 86.774005,    "base_link",   12, 0, 0,  6 },
    { "romeo",    31, 40.52937,     "base_link",   31, 0, 0, 26 } };

static int count_type(slip_joint_type type)
{
    int i, n = 0;

    for (i = 0; i < robot.def.njoints; ++i) n += robot.def.joints[i].type == type;
    return n;
}

static void test_public_robots_load_with_the_known_counts(void)
{
    char path[100];
    int i;

    for (i = 0; i < (int)(sizeof known/sizeof *known); ++i) {
        const slip_model *m;

        slip_format(path, (int)sizeof path, "../shared/robots/%s.urdf", known[i].name);
        m = load_file(path, 0);
        if (!m) TEST_IGNORE_MESSAGE("skipped: ../shared/robots not present");
        TEST_ASSERT_EQUAL_INT_MESSAGE(known[i].nv, m->nv, path);
        near_real(known[i].mass, (slip_real)total_mass(), path);
        TEST_ASSERT_EQUAL_STRING(known[i].root, robot.def.links[robot.root].name);
        TEST_ASSERT_EQUAL_INT_MESSAGE(known[i].revolute, count_type(SLIP_JOINT_REVOLUTE), path);
        TEST_ASSERT_EQUAL_INT_MESSAGE(known[i].prismatic, count_type(SLIP_JOINT_PRISMATIC), path);
        TEST_ASSERT_EQUAL_INT_MESSAGE(known[i].continuous, count_type(SLIP_JOINT_CONTINUOUS), path);
        TEST_ASSERT_EQUAL_INT_MESSAGE(known[i].fixed, count_type(SLIP_JOINT_FIXED), path);
        TEST_ASSERT_EQUAL_INT_MESSAGE(known[i].nv + 6, load_file(path, 1)->nv, path);
    }
}

/* ---- memory ---------------------------------------------------------------------------------------- */

static const char full[] =
    "<?xml version='1.0'?>\n<robot name='full'>\n"
    "<material name='m'><color rgba='1 0 0 1'/></material>\n"
    "<link name='base'><inertial><origin xyz='0 0 0.1' rpy='0.1 0 0'/><mass value='2.5'/>"
    "<inertia ixx='.1' ixy='0' ixz='0' iyy='.1' iyz='0' izz='.1'/></inertial>\n"
    "<visual><geometry><mesh filename='package://p/m.stl' scale='1 1 1'/></geometry><material name='m'/></visual>"
    "<collision name='c'><geometry><capsule radius='0.1' length='0.3'/></geometry></collision></link>\n"
    "<link name='arm'/><link name='tool'/><!-- joints -->"
    "<joint name='j1' type='revolute'><origin quat_xyzw='0 0 0 1'/><parent link='base'/><child link='arm'/>"
    "<axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='10' velocity='2'/><dynamics damping='.1'/></joint>\n"
    "<joint name='j2' type='continuous'><parent link='arm'/><child link='tool'/><mimic joint='j1' multiplier='2'/>"
    "</joint><gazebo><plugin name='x' filename='y'/></gazebo></robot>\n";

static void test_the_size_that_is_asked_for_is_enough_and_no_byte_too_many(void)
{
    size_t bytes = 0;
    unsigned char *block;

    options.free_base = 1;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_urdf_bytes(full, sizeof full - 1, "robots/test.urdf", &options, &bytes, &err));
    TEST_ASSERT(bytes > 1000 && bytes < 20000);
    block = (unsigned char *)malloc(bytes);
    mem = slip_arena_over(block, bytes);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, read_bytes(full, sizeof full - 1), err.what);
    TEST_ASSERT_EQUAL_INT(mem.high == mem.size, 1);
    memset(&robot, 0x5A, sizeof robot);
    mem = slip_arena_over(block, bytes - SLIP_ALIGN);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, read_bytes(full, sizeof full - 1));
    TEST_ASSERT(is_untouched());
    free(block);
}

static void test_no_arena_is_too_small_to_fail_well(void)
{
    size_t size;
    slip_status s = SLIP_ERR_WORKSPACE;

    for (size = 0; s < 0; ++size) {
        unsigned char *block = (unsigned char *)malloc(size ? size : 1);

        memset(&robot, 0x5A, sizeof robot);
        mem = slip_arena_over(block, size);
        s = read_bytes(full, sizeof full - 1);
        if (s < 0) {
            TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, s);
            TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, err.status);
            TEST_ASSERT(is_untouched());
        }
        free(block);
    }
    TEST_ASSERT(size < 20000);
}

static void test_results_and_messages_may_be_left_out(void)
{
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_urdf_read(full, sizeof full - 1, NULL, NULL, &mem, &robot, NULL, NULL));
    TEST_ASSERT_EQUAL_STRING("p/m.stl", robot.shapes[0].mesh_path);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_PARSE, slip_urdf_read("<robot>", 7, NULL, NULL, &mem, &robot, NULL, NULL));
}

/* ---- hostility ------------------------------------------------------------------------------------- */

static void test_every_truncation_is_an_error(void)
{
    size_t i;

    options.find_meshes = 0;
    for (i = 0; i < sizeof full - 2; ++i) {
        memset(&robot, 0x5A, sizeof robot);
        mem = slip_arena_over(memory, sizeof memory);
        TEST_ASSERT(read_bytes(full, i) < 0);
        TEST_ASSERT(err.what[0] != '\0' && is_untouched());
    }
}

/* Writes over some bytes, cuts out or doubles a piece. */
static size_t mutate(slip_random *rng, char *text, size_t n)
{
    static const char spice[] = "<>/='\"&;!?-[] 0.e+-naif{$";
    int k, from, count;

    for (k = slip_random_int(rng, 0, 3); k > 0; --k)
        text[slip_random_int(rng, 0, (int)n - 1)] =
            slip_random_int(rng, 0, 3) ? spice[slip_random_int(rng, 0,
                                                               (int)sizeof spice - 2)] : (char)slip_random_bits(rng);
    from = slip_random_int(rng, 0, (int)n - 1);
    count = slip_random_int(rng, 0, 40);
    if ((size_t)(from + count) > n) count = (int)n - from;
    if (slip_random_int(rng, 0, 2) == 0) {                     /* cut */
        memmove(text + from, text + from + count, n - (size_t)(from + count));
        n -= (size_t)count;
    } else if (slip_random_int(rng, 0, 2) == 0) {              /* double */
        memmove(text + from + count, text + from, n - (size_t)from);
        n += (size_t)count;
    }
    return n;
}

static void test_mutated_files_give_a_robot_or_an_error(void)
{
    slip_random rng = slip_random_seed(11);
    char text[sizeof full + 64];
    int round, read = 0;
    double sum = 0;

    options.find_meshes = 0;
    for (round = 0; round < 20000; ++round) {
        const slip_model *model;

        memset(&robot, 0x5A, sizeof robot);
        memset(&report, 0, sizeof report);
        mem = slip_arena_over(memory, sizeof memory);
        memcpy(text, full, sizeof full);
        if (read_bytes(text, mutate(&rng, text, sizeof full - 1)) < 0) {
            TEST_ASSERT(err.what[0] != '\0' && is_untouched());
            continue;
        }
        ++read;
        sum += total_mass() + (double)strlen(robot.def.links[robot.root].name);
        slip_model_build(&robot.def, &mem, &model, NULL, NULL);   /* must not crash on what was read */
    }
    TEST_ASSERT(read > 500 && read < 19500 && sum > 0);
}

/* A file of n repeated pieces, each with its number in place of every '#', between a head and a tail. */
static slip_status read_numbered(const char *head, const char *piece, int n, const char *tail)
{
    const size_t room = strlen(head) + strlen(tail) + (size_t)n*(strlen(piece) + 40) + 1;
    char *text = (char *)malloc(room);
    size_t at = 0, bytes = 0;
    unsigned char *block = NULL;
    slip_status s;
    int i;

    at = (size_t)slip_format(text, (int)room, "%s", head);
    for (i = 1; i <= n; ++i) {
        const char *p;

        for (p = piece; *p; ++p) {
            if (*p == '#')      at += (size_t)slip_format(text + at, 16, "%d", i);
            else if (*p == '@') at += (size_t)slip_format(text + at, 16, "%d", i - 1);
            else text[at++] = *p;
        }
    }
    at += (size_t)slip_format(text + at, (int)(room - at), "%s", tail);
    s = slip_urdf_bytes(text, at, NULL, &options, &bytes, &err);
    if (s == SLIP_OK) {
        block = (unsigned char *)malloc(bytes);
        mem = slip_arena_over(block, bytes);
        s = slip_urdf_read(text, at, "big.urdf", &options, &mem, &robot, &report, &err);
    }
    free(block);
    free(text);
    return s;
}

static void test_a_hundred_thousand_links_are_read_in_reasonable_time(void)
{
    const slip_status s = read_numbered("<robot name='r'><link name='0'/><link name='m0'/>"
        "<joint name='m0' type='continuous'><parent link='0'/><child link='m0'/></joint>",
        "<link name='#'/><joint name='#' type='continuous'><parent link='@'/><child link='#'/></joint>"
        "<link name='m#'/><joint name='m#' type='continuous'><parent link='m@'/><child link='m#'/>"
        "<mimic joint='m@'/></joint>",
        50000, "</robot>");

    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, s, err.what);
    TEST_ASSERT_EQUAL_INT(100002, robot.def.nlinks);
}

static void test_large_wrong_files_fail_in_reasonable_time(void)
{
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_MODEL, read_numbered("<robot name='r'>", "<link name='a'/>", 100000, "</robot>"));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_MODEL, read_numbered("<robot name='r'><link name='0'/>",     /* one loop */
        "<link name='#'/><joint name='#' type='fixed'><parent link='@'/><child link='#'/></joint>", 50000,
        "<joint name='x' type='fixed'><parent link='50000'/><child link='0'/></joint></robot>"));
    TEST_ASSERT_NOT_NULL(strstr(err.what, "kinematic loop"));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_LIMIT, read_numbered("<robot name='r'>", "<link>", 100000, ""));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_LIMIT, read_numbered("<robot name='r'><link name='", "0123456789", 100000,
                                                        "'/></robot>"));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_LIMIT, read_numbered("<robot name='r'><link", " a#='1'", 1000000, "/></robot>"));
}

static void test_a_chain_too_long_to_simulate_is_refused_by_the_model(void)
{
    enum { LONG = 70000 };                                     /* its mass matrix has more than 2^31 entries */
    const size_t room = (size_t)LONG*120, bytes = (size_t)1 << 27;
    char *text = (char *)malloc(room);
    unsigned char *block = (unsigned char *)malloc(bytes);
    const slip_model *model = NULL;
    int i, n;

    n = slip_format(text, (int)room, "<robot name='r'><link name='0'/>");
    for (i = 1; i <= LONG; ++i)
        n += slip_format(text + n, (int)room - n, "<link name='%d'/><joint name='%d' type='continuous'><parent "
                                                  "link='%d'/>"
                         "<child link='%d'/></joint>", i, i, i - 1, i);
    n += slip_format(text + n, (int)room - n, "</robot>");
    mem = slip_arena_over(block, bytes);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_urdf_read(text, (size_t)n, NULL, NULL, &mem, &robot, NULL, &err));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_LIMIT, slip_model_build(&robot.def, &mem, &model, NULL, &err));
    TEST_ASSERT_NOT_NULL(strstr(err.what, "too deep"));
    TEST_ASSERT_NULL(model);
    free(block);
    free(text);
}

static void test_nul_bytes_are_refused_anywhere(void)
{
    char text[sizeof full];
    size_t i;

    for (i = 0; i < sizeof full - 1; i += 7) {
        memcpy(text, full, sizeof full);
        text[i] = '\0';
        TEST_ASSERT_EQUAL_INT(SLIP_ERR_PARSE, read_bytes(text, sizeof full - 1));
    }
}

static void test_collision_shapes_become_colliders(void)
{
    const slip_collider_def *c = NULL;
    size_t mark;
    int n = -1;

    read_well("<robot name=\"r\"><link name=\"a\"><collision name=\"ball\"><origin xyz=\"1 2 3\"/><geometry>"
              "<sphere radius=\"0.5\"/></geometry></collision><visual><geometry><box size=\"1 1 1\"/></geometry>"
              "</visual><collision><geometry><mesh filename=\"nowhere.stl\"/></geometry></collision></link>"
              "<link name=\"b\"><collision><geometry><box size=\"2 4 6\"/></geometry></collision></link>"
              "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>");
    memset(&report, 0, sizeof report);
    report.warn = keep_warning;
    mark = slip_arena_mark(&mem);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_urdf_colliders(&robot, &mem, &c, &n, &report, &err));
    TEST_ASSERT_EQUAL_INT(2, n);
    TEST_ASSERT_EQUAL_INT(1, report.count);
    TEST_ASSERT_NOT_NULL(strstr(warnings[0].what, "link 'a': mesh 'robots/nowhere.stl' not found"));
    TEST_ASSERT_EQUAL_STRING("ball", c[0].name);
    TEST_ASSERT_EQUAL_STRING("b", c[1].name);
    TEST_ASSERT_EQUAL_INT(0, c[0].link);
    TEST_ASSERT_EQUAL_INT(1, c[1].link);
    TEST_ASSERT(c[0].shape.kind == SLIP_SHAPE_SPHERE && c[0].shape.radius == SLIP_R(0.5) && c[0].pose.p[2] == 3);
    TEST_ASSERT(c[1].shape.kind == SLIP_SHAPE_BOX && c[1].shape.half[1] == 2);
    TEST_ASSERT(c[1].group == 1 && c[1].mask == ~0u && c[1].material == 0);
    slip_arena_release(&mem, mark);
    mem.size = mem.low + 16;                             /* no room for two */
    mem.high = mem.size;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, slip_urdf_colliders(&robot, &mem, &c, &n, NULL, &err));
    TEST_ASSERT_EQUAL_INT((int)mark, (int)slip_arena_mark(&mem));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_joint_is_read_with_all_it_says);
    RUN_TEST(test_a_calibration_edge_that_is_left_out_is_NaN);
    RUN_TEST(test_every_joint_type_is_known);
    RUN_TEST(test_defaults_are_those_of_urdf);
    RUN_TEST(test_inertia_is_turned_into_link_axes);
    RUN_TEST(test_quat_xyzw_turns_like_rpy);
    RUN_TEST(test_shapes_keep_place_size_and_colour);
    RUN_TEST(test_mesh_paths_are_resolved);
    RUN_TEST(test_a_free_base_hangs_the_root_on_the_world);
    RUN_TEST(test_the_world_may_be_a_parent_without_being_a_link);
    RUN_TEST(test_chains_of_mimics_lead_to_the_independent_joint);
    RUN_TEST(test_names_are_decoded_and_order_does_not_matter);
    RUN_TEST(test_nothing_is_dropped_silently);
    RUN_TEST(test_what_real_files_leave_out_is_warned_about);
    RUN_TEST(test_doubtful_shapes_and_materials_are_warned_about);
    RUN_TEST(test_a_slide_may_mimic_a_hinge_with_a_warning);
    RUN_TEST(test_many_unknown_attributes_are_all_named);
    RUN_TEST(test_only_robots_are_read);
    RUN_TEST(test_unexpanded_xacro_is_named_as_such);
    RUN_TEST(test_names_must_be_there_and_unique);
    RUN_TEST(test_joints_must_be_whole);
    RUN_TEST(test_numbers_must_be_numbers_and_as_many_as_expected);
    RUN_TEST(test_joints_must_make_one_tree);
    RUN_TEST(test_mimics_must_lead_somewhere);
    RUN_TEST(test_multipliers_along_a_chain_must_not_overflow);
    RUN_TEST(test_a_counting_arena_and_missing_files_are_refused);
    RUN_TEST(test_a_file_is_read_whole_or_not_at_all);
    RUN_TEST(test_own_models_load_without_a_warning);
    RUN_TEST(test_public_robots_load_with_the_known_counts);
    RUN_TEST(test_the_size_that_is_asked_for_is_enough_and_no_byte_too_many);
    RUN_TEST(test_collision_shapes_become_colliders);
    RUN_TEST(test_no_arena_is_too_small_to_fail_well);
    RUN_TEST(test_results_and_messages_may_be_left_out);
    RUN_TEST(test_every_truncation_is_an_error);
    RUN_TEST(test_mutated_files_give_a_robot_or_an_error);
    RUN_TEST(test_a_hundred_thousand_links_are_read_in_reasonable_time);
    RUN_TEST(test_large_wrong_files_fail_in_reasonable_time);
    RUN_TEST(test_a_chain_too_long_to_simulate_is_refused_by_the_model);
    RUN_TEST(test_mistakes_whose_meaning_is_clear_are_taken_with_a_warning);
    RUN_TEST(test_a_colour_with_commas_and_a_scale_of_one_number_are_read);
    RUN_TEST(test_a_part_that_hangs_on_a_link_of_another_robot_hangs_on_the_world);
    RUN_TEST(test_a_robot_without_links_is_empty_with_a_warning);
    RUN_TEST(test_the_contact_element_of_bullet_is_read);
    RUN_TEST(test_nul_bytes_are_refused_anywhere);
    return UNITY_END();
}
