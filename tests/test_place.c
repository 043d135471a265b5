/* Robots on the ground: their base, their height, drives that hold them; links that overlap; surfaces from their own
 * files. Robots are written to files, as scenes name them. */
#include "unity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "scene_aid.h"
#include "slipstick_parts.h"

#define FILE_OF(name) SLIP_TEST_BIN "." name
static slip_report report;
static char said[2000];

static void keep(void *context, const slip_error *warning)
{
    (void)context;
    if (strlen(said) + strlen(warning->what) + 2 < sizeof said) strcat(strcat(said, warning->what), "\n");
}

void setUp(void)
{
    aid_forget();
    memset(&report, 0, sizeof report);
    report.warn = keep;
    said[0] = '\0';
}
void tearDown(void) { }

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    TEST_ASSERT_NOT_NULL(f);
    fputs(text, f);
    fclose(f);
}

#define BODY(name, mass, shape) "<link name='" name "'><inertial><mass value='" mass "'/><inertia ixx='0.01' " \
    "iyy='0.01' izz='0.01'/></inertial><collision><geometry>" shape "</geometry></collision></link>"
#define HINGE(name, a, b, xyz) "<joint name='" name "' type='revolute'><parent link='" a "'/><child link='" b "'/>" \
    "<origin xyz='" xyz "'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='0' velocity='1'/></joint>"
#define CUBE "<box size='0.2 0.2 0.2'/>"

/* A scene of one robot, read. */
static slip_scene *scene_of(const char *robot, const char *attributes, const char *inside)
{
    static slip_scene scene;
    char text[1000];
    slip_error err;
    slip_status s;

    write_file(FILE_OF("place.urdf"), robot);
    slip_format(text, (int)sizeof text, "<scene><ground/><robot file='place.urdf' %s>%s</robot></scene>", attributes,
                inside);
    slip_error_clear(&err);
    /* the file's directory is the scene's; its name begins with that of the command */
    write_file(FILE_OF("scene.xml"), text);
    {
        char *at = strstr(text, "place.urdf"), fixed[1200];
        const char *base = strrchr(SLIP_TEST_BIN, '/');

        slip_format(fixed, (int)sizeof fixed, "%.*s%s.%s", (int)(at - text), text, base ? base + 1 : SLIP_TEST_BIN, at);
        s = slip_scene_read(fixed, strlen(fixed), FILE_OF("scene.xml"), NULL, aid_memory(), &scene, &report, &err);
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, s, err.what);
    return &scene;
}

#define LEGS "<robot name='r'>" BODY("body", "3", CUBE) BODY("l", "1", CUBE) BODY("r", "1", CUBE) \
    HINGE("a", "body", "l", "0 0.5 -0.4") HINGE("b", "body", "r", "0 -0.5 -0.4") "</robot>"
#define ARM "<robot name='r'>" BODY("base", "3", CUBE) BODY("upper", "1", CUBE) \
    HINGE("a", "base", "upper", "0 0 0.5") "</robot>"

static void test_legs_are_free_and_stand_on_their_lowest_point(void)
{
    slip_scene *s = scene_of(LEGS, "place='ground'", "<drive joint='*' hold='0.01'/>");
    const slip_scene_robot *r = &s->robots[0];
    slip_world *w = aid_start(s);

    TEST_ASSERT(r->is_free && r->base_why[0] == '\0' && r->joints == 2);
    TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-12, 1e-6), 0.5, (double)slip_world_q(w)[2]);   /* 0.4 + half a cube */
    aid_steps(w, 1000);
    TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-6, 1e-4), 0.5, (double)slip_world_q(w)[2]);
    TEST_ASSERT_DOUBLE_WITHIN(0.01, 0, (double)slip_world_q(w)[7]);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "'a' (and 1 more) has an effort limit of 0: taken as none"), said);
}

/* The drive of hold: the weight at an arm of the robot's size turns it by that angle. */
static void test_the_gains_that_hold_follow_from_weight_and_size(void)
{
    slip_scene *s = scene_of(LEGS, "", "<drive joint='a' hold='0.02'/>");
    const slip_scene_robot *r = &s->robots[0];
    const slip_drive *d = &s->drives[6];
    const double size = sqrt(0.2*0.2 + 1.2*1.2 + 0.6*0.6), kp = 5*9.81*size/0.02;

    TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-9, 1e-4), size, (double)r->size);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5*kp, kp, (double)d->kp);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4*kp, 2*sqrt(kp*5*size*size), (double)d->kd);
    TEST_ASSERT_EQUAL_DOUBLE(0, (double)s->drives[7].kp);
}

static void test_an_arm_is_fixed_and_says_why(void)
{
    slip_scene *s = scene_of(ARM, "place='ground'", "");

    TEST_ASSERT(!s->robots[0].is_free);
    TEST_ASSERT_EQUAL_STRING("one joint carries all of it", s->robots[0].base_why);
    TEST_ASSERT_EQUAL_INT(1, s->model->nv);
    TEST_ASSERT(scene_of(ARM, "base='free'", "")->robots[0].is_free);
    TEST_ASSERT(!scene_of(LEGS, "base='fixed'", "")->robots[0].is_free);
    s = scene_of("<robot name='r'>" BODY("body", "3", CUBE) BODY("l", "1", CUBE) BODY("r", "1", CUBE)
                 HINGE("a", "body", "l", "0 0.5 0.4") HINGE("b", "body", "r", "0 -0.5 0.4") "</robot>", "", "");
    TEST_ASSERT_EQUAL_STRING("only its root touches the ground", s->robots[0].base_why);
    s = scene_of("<robot name='r'><link name='body'/>" BODY("l", "1", CUBE) BODY("r", "1", CUBE)
                 HINGE("a", "body", "l", "0 0.5 0.4") HINGE("b", "body", "r", "0 -0.5 0.4") "</robot>", "", "");
    TEST_ASSERT_EQUAL_STRING("its root has no mass", s->robots[0].base_why);
}

/* The ground that a file brings has no part in the gains that hold: weight and size are the robot's. */
static void test_ground_of_a_file_weighs_nothing(void)
{
#define FLOOR "<body pos='0 0 -1'><geom type='box' size='5 5 0.1'/></body>"
#define LIMBS "<body pos='0 0 0.5'><freejoint/><geom type='box' size='0.1 0.1 0.1'/><body><joint name='j'/>" \
    "<geom type='box' size='0.2 0.1 0.1'/></body></body>"
    const slip_scene alone = *scene_of("<mujoco><worldbody>" LIMBS "</worldbody></mujoco>", "place='auto'", "");
    const slip_scene_robot without = alone.robots[0], *with;

    with = &scene_of("<mujoco><worldbody>" FLOOR LIMBS "</worldbody></mujoco>", "place='auto'", "")->robots[0];
    TEST_ASSERT(with->stands_on_own && with->brings_ground && !without.stands_on_own && !without.brings_ground);
    TEST_ASSERT_DOUBLE_WITHIN(0.01, (double)without.mass, (double)with->mass);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, (double)without.size, (double)with->size);
    with = &scene_of("<mujoco><worldbody>" FLOOR LIMBS "</worldbody></mujoco>", "place='ground'", "")->robots[0];
    TEST_ASSERT(with->brings_ground && !with->stands_on_own);
}

/* A joint that cannot be at 0 starts at the limit next to it, and the robot stands with it there. */
static void test_joints_start_within_their_limits(void)
{
    slip_scene *s = scene_of("<robot name='r'>" BODY("base", "3", CUBE) BODY("tip", "1", "<sphere radius='0.1'/>")
                             "<joint name='a' type='prismatic'><parent link='base'/><child link='tip'/>"
                             "<axis xyz='0 0 -1'/><limit lower='0.5' upper='1' effort='1' velocity='1'/></joint>"
                             "</robot>",
                             "place='ground' base='free'", "");

    TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-12, 1e-6), 0.5, (double)s->q[7]);
    TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-12, 1e-6), 0.6, (double)s->q[2]);
}

/* Link c overlaps a, which is its parent's parent. */
#define HEAP "<robot name='r'>" BODY("a", "1", CUBE) BODY("b", "1", "<sphere radius='0.01'/>") BODY("c", "1", CUBE) \
    HINGE("j", "a", "b", "0.2 0 0") HINGE("k", "b", "c", "-0.1 0 0") "</robot>"

static void test_links_that_overlap_at_the_start_never_collide_and_are_named(void)
{
    slip_scene *s = scene_of(HEAP, "base='fixed'", "");
    slip_world *w = aid_start(s);

    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "1 pair of links overlaps at the start and never collides"), said);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "'a' and 'c' (100 mm)"), said);
    TEST_ASSERT_EQUAL_INT(5, slip_contact_count(w));           /* cube c and ball b, half in the ground */
    setUp();
    s = scene_of(HEAP, "base='fixed' overlaps='collide'", "");
    w = aid_start(s);
    TEST_ASSERT_NULL(strstr(said, "never collide"));
    TEST_ASSERT_TRUE(slip_contact_count(w) > 5);
}

static void test_pairs_of_an_srdf_never_collide(void)
{
    char attributes[300];
    const char *base = strrchr(SLIP_TEST_BIN, '/');

    write_file(FILE_OF("place.srdf"), "<robot name='r'><disable_collisions link1='c' link2='a' reason='Never'/>"
               "<disable_collisions link1='c' link2='z'/></robot>");
    slip_format(attributes, (int)sizeof attributes, "base='fixed' srdf='%s.place.srdf'",
                base ? base + 1 : SLIP_TEST_BIN);
    TEST_ASSERT_EQUAL_INT(2, scene_of(HEAP, attributes, "")->world.nexcludes);     /* and a with b: the fixed base */
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "srdf, line 1: there is no link 'z'"), said);
    TEST_ASSERT_NULL_MESSAGE(strstr(said, "overlap"), said);
}

static void test_contact_elements_of_links_become_surfaces(void)
{
    static const char robot[] = "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
        "izz='1'/></inertial><contact><lateral_friction value='0.25'/><rolling_friction value='0.003'/></contact>"
        "<collision><geometry>" CUBE "</geometry></collision></link></robot>";
    slip_scene *s = scene_of(robot, "base='free'", "");
    int i;

    TEST_ASSERT_EQUAL_INT(2, s->world.nmaterials);
    TEST_ASSERT_EQUAL_STRING("a", s->surfaces[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.25, (double)s->world.materials[1].friction);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.003, (double)s->world.materials[1].rolling);
    for (i = 0; i < 2; ++i) TEST_ASSERT_EQUAL_INT(s->world.colliders[i].link == 0, s->world.colliders[i].material);
    s = scene_of(robot, "base='free' surface='default'", "");
    TEST_ASSERT_EQUAL_INT(0, s->world.colliders[0].material + s->world.colliders[1].material);
}

/* A finger without inertia: repaired by default, an error that says how where that is not wanted. */
static void test_a_joint_without_inertia_is_repaired_in_a_scene(void)
{
    slip_world *w;
    slip_scene *s = scene_of("<robot name='r'>" BODY("base", "3", CUBE) "<link name='tip'/>"
                             HINGE("a", "base", "tip", "0 0 0.5") "</robot>", "base='fixed'", "");

    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "repaired by armature=0.01"), said);
    w = aid_start(s);
    TEST_ASSERT(aid_steps(w, 100) >= 0);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_legs_are_free_and_stand_on_their_lowest_point);
    RUN_TEST(test_the_gains_that_hold_follow_from_weight_and_size);
    RUN_TEST(test_an_arm_is_fixed_and_says_why);
    RUN_TEST(test_ground_of_a_file_weighs_nothing);
    RUN_TEST(test_joints_start_within_their_limits);
    RUN_TEST(test_links_that_overlap_at_the_start_never_collide_and_are_named);
    RUN_TEST(test_pairs_of_an_srdf_never_collide);
    RUN_TEST(test_contact_elements_of_links_become_surfaces);
    RUN_TEST(test_a_joint_without_inertia_is_repaired_in_a_scene);
    return UNITY_END();
}
