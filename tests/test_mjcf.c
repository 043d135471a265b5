/* MJCF: the same robot as a URDF gives the same model; classes, units, inertias of geoms, what refers to bodies; and
 * that no text does harm. MuJoCo itself judges whole collections in tests/mujoco. */
#include "unity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "slipstick_parts.h"

enum { MEMORY = 1 << 22 };
static char memory[MEMORY];
static slip_arena mem;
static slip_urdf robot;
static slip_error err;
static slip_report report;
static char said[1000];

static void keep(void *context, const slip_error *warning)
{
    (void)context;
    if (strlen(said) + strlen(warning->what) + 2 < sizeof said) strcat(strcat(said, warning->what), "\n");
}

void setUp(void)
{
    mem = slip_arena_over(memory, sizeof memory);
    memset(&report, 0, sizeof report);
    report.warn = keep;
    said[0] = '\0';
    slip_error_clear(&err);
}
void tearDown(void) { }

static slip_status read_text(const char *text)
{
    return slip_robot_read(text, strlen(text), "models/x.xml", NULL, &mem, &robot, &report, &err);
}

static const slip_model *build(const char *text)
{
    const slip_model *m = NULL;

    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, read_text(text), err.what);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, slip_model_build(&robot.def, &mem, &m, &report, &err), err.what);
    return m;
}

static void near_real(double expected, slip_real actual, const char *what)
{
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)SLIP_TOL(1e-13, 1e-5)*(1 + fabs(expected)), expected, (double)actual,
                                      what);
}

#define MJCF(inside) "<mujoco model='m'>" inside "</mujoco>"
#define INERTIAL "<inertial pos='0.1 0.2 0.3' mass='2' fullinertia='3 4 5 0.1 0.2 0.3'/>"

/* An arm of three joints, one of them away from its body's origin, two in one body, with classes and degrees. */
static const char arm_mjcf[] = MJCF(
    "<compiler angle='degree' eulerseq='XYZ'/><option gravity='0 1 -2'/>"
    "<default><joint damping='0.5' axis='0 1 0'/><default class='slow'><joint armature='0.25'/></default></default>"
    "<worldbody><body name='a' pos='0 0 1' euler='0 90 0'><joint name='j1' pos='0.1 0 0.2' range='-90 45'/>" INERTIAL
    "<body name='b' pos='0.5 0 0' quat='1 0 0 0' childclass='slow'><joint name='j2' type='slide' range='0 1'/>"
    "<joint name='j3' axis='1 1 0' class='slow'/>" INERTIAL "</body></body></worldbody>");
#define URDF_INERTIAL "<inertial><origin xyz='0.1 0.2 0.3'/><mass value='2'/><inertia ixx='3' iyy='4' izz='5' " \
    "ixy='0.1' ixz='0.2' iyz='0.3'/></inertial>"
static const char arm_urdf[] =
    "<robot name='m'><link name='w'/><link name='a1'/><link name='a'>" URDF_INERTIAL "</link><link name='b1'/>"
    "<link name='b'>" URDF_INERTIAL "</link>"
    "<joint name='p' type='fixed'><parent link='w'/><child link='a0'/>"
    "<origin xyz='0 0 1' rpy='0 1.5707963267948966 0'/></joint><link name='a0'/>"
    "<joint name='j1' type='revolute'><parent link='a0'/><child link='a1'/><origin xyz='0.1 0 0.2'/><axis xyz='0 1 0'/>"
    "<limit lower='-1.5707963267948966' upper='0.78539816339744831' effort='1' velocity='1'/><dynamics damping='0.5'/>"
    "</joint><joint name='f' type='fixed'><parent link='a1'/><child link='a'/><origin xyz='-0.1 0 -0.2'/></joint>"
    "<joint name='j2' type='prismatic'><parent link='a'/><child link='b1'/><origin xyz='0.5 0 0'/><axis xyz='0 1 0'/>"
    "<limit lower='0' upper='1' effort='1' velocity='1'/><dynamics damping='0.5' armature='0.25'/></joint>"
    "<joint name='j3' type='continuous'><parent link='b1'/><child link='b'/><axis xyz='1 1 0'/>"
    "<dynamics damping='0.5' armature='0.25'/></joint></robot>";

static void test_a_model_equals_its_urdf(void)
{
    const slip_real q[3] = { SLIP_R(0.3), SLIP_R(0.4), SLIP_R(-0.7) }, v[3] = { 1, -2, 3 };
    slip_real M[2][9], nle[2][3];
    slip_pose X[2];
    int k, i;

    for (k = 0; k < 2; ++k) {
        const slip_model *m;
        slip_data *d;
        slip_urdf *u = &robot;

        TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, read_text(k ? arm_urdf : arm_mjcf), err.what);
        if (k) slip_set3(0, 1, -2, u->def.gravity);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_model_build(&u->def, &mem, &m, NULL, &err));
        TEST_ASSERT_EQUAL_INT(3, m->nv);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_data_create(m, &mem, &d));
        slip_crba(m, d, q);
        slip_mass_matrix(m, d, M[k]);
        slip_bias(m, d, q, v, nle[k]);
        slip_link_pose(m, d, slip_model_find_link(m, "b"), &X[k]);
        near_real(-SLIP_PI/2, m->lower[0], "lower");
        near_real(SLIP_PI/4, m->upper[0], "upper");
        near_real(0.5, m->damping[2], "damping");
    }
    for (i = 0; i < 9; ++i) near_real((double)M[1][i], M[0][i], "M");
    for (i = 0; i < 3; ++i) near_real((double)nle[1][i], nle[0][i], "bias");
    for (i = 0; i < 3; ++i) near_real((double)X[1].p[i], X[0].p[i], "pose");
    TEST_ASSERT_EQUAL_STRING("", said);
}

static void test_geoms_give_mass_where_there_is_no_inertial(void)
{
    const slip_link_def *l;

    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, read_text(MJCF(
        "<worldbody><geom type='plane' size='1 1 1'/><body name='a'><freejoint/>"
        "<geom type='box' size='0.1 0.2 0.3' pos='1 0 0' mass='3'/>"
        "<geom type='capsule' fromto='0 0 0 0 0 1' size='0.1' density='0'/>"
        "<geom size='0.1' contype='0' conaffinity='0' mass='0' rgba='1 0 0 1'/></body></worldbody>")), err.what);
    l = &robot.def.links[0];
    near_real(3, l->mass, "mass");
    near_real(1, l->com[0], "centre");
    near_real(3.0/3*(0.04 + 0.09), l->inertia[0], "xx of a box of half extents");
    TEST_ASSERT_EQUAL_INT(4, robot.nshapes);
    TEST_ASSERT(robot.shapes[0].kind == SLIP_SHAPE_HALFSPACE && robot.shapes[0].link == -1);
    TEST_ASSERT(robot.shapes[2].kind == SLIP_SHAPE_CAPSULE && robot.shapes[3].role == SLIP_URDF_VISUAL);
    near_real(0.5, robot.shapes[2].pose.p[2], "the middle of fromto");
    near_real(0.5, robot.shapes[2].size[1], "half its length");
}

static void test_geoms_from_two_points_have_their_third_size(void)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, read_text(MJCF(
        "<worldbody><body><geom type='box' size='0.1' fromto='0 0 0 0 0 2' mass='3'/></body>"
        "<body><geom type='ellipsoid' size='0.1 0.2' fromto='0 0 0 0 0 2'/></body></worldbody>")), err.what);
    near_real(3.0/3*(0.01 + 1), robot.def.links[0].inertia[0], "xx of a bar of 2 m");
    near_real(3.0/3*(0.01 + 0.01), robot.def.links[0].inertia[5], "zz, one size for both");
    near_real(1, robot.def.links[0].com[2], "its middle");
    near_real(0.2, robot.shapes[1].size[1], "the second size is kept");
    near_real(1, robot.shapes[1].size[2], "half the length");
    setUp();
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_MODEL, read_text(MJCF(
        "<worldbody><body><geom type='capsule' size='0.1' fromto='1 2 3 1 2 3'/></body></worldbody>")));
    TEST_ASSERT_EQUAL_STRING("fromto has length 0", err.what);
}

/* A mesh without a given mass has that of its solid, mirrored or not; one that cannot be read is warned of. */
static void test_a_mesh_has_the_mass_of_its_solid(void)
{
#define BODY(scale, file) MJCF("<asset><mesh name='foot' file='" file "' scale='" scale "'/></asset><worldbody><body>" \
                               "<geom mesh='foot' density='500'/></body></worldbody>")
    const slip_real scale[3] = { SLIP_R(0.001), SLIP_R(0.001), SLIP_R(0.001) };
    slip_trimesh mesh;
    slip_mass mass;
    double whole;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_mesh_load("models/foot.obj", scale, &mem, &mesh, NULL, NULL, &err));
    TEST_ASSERT_TRUE(slip_trimesh_mass(&mesh, 500, &mass) >= 0);
    whole = (double)mass.mass;
    setUp();
    TEST_ASSERT_TRUE_MESSAGE(read_text(BODY("0.001 0.001 0.001", "foot.obj")) >= 0, err.what);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4*whole, whole, (double)robot.def.links[0].mass);
    TEST_ASSERT_TRUE(robot.def.links[0].inertia[0] > 0);
    setUp();
    TEST_ASSERT_TRUE_MESSAGE(read_text(BODY("-0.001 0.001 0.001", "foot.obj")) >= 0, err.what);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4*whole, whole, (double)robot.def.links[0].mass);
    TEST_ASSERT_TRUE(robot.def.links[0].inertia[0] > 0);
    setUp();
    (void)read_text(BODY("1 1 1", "nowhere.obj"));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "mesh 'foot' gives no mass"), said);
#undef BODY
}

/* What a robot's file joins is joined in a scene, beside the scene's own loops: b is held at its anchor while it
 * swings. */
static void test_loops_of_a_model_are_loops_of_its_scene(void)
{
    static const char path[] = SLIP_TEST_BIN ".loop.xml";
    const char *base = strrchr(path, '/');
    char text[600];
    slip_scene scene;
    slip_world *w = NULL;
    slip_pose X;
    slip_real tip[3];
    FILE *f = fopen(path, "w");
    int i;

    TEST_ASSERT_NOT_NULL(f);
    fputs(MJCF("<equality><connect body1='b' anchor='0 0.5 0'/></equality><worldbody><body name='b' pos='0 1 3'>"
               "<freejoint/><geom size='0.1'/></body></worldbody>"), f);
    fclose(f);
    slip_format(text, (int)sizeof text, "<scene><robot file='%s'/><body name='c' mass='1'><origin xyz='5 0 3'/>"
                "<geometry><sphere radius='0.1'/></geometry></body><loop name='own' kind='ball' a='c' b='world'>"
                "<frame_b xyz='5 0 3'/></loop></scene>", base ? base + 1 : path);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, slip_scene_read(text, strlen(text), path, NULL, &mem, &scene, &report, &err),
                                  err.what);
    TEST_ASSERT_EQUAL_INT(2, scene.world.nloops);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, slip_scene_start(&scene, &mem, &w, &report, &err), err.what);
    for (i = 0; i < 300; ++i) TEST_ASSERT_TRUE(slip_step(w) >= 0);
    slip_world_update(w);
    for (i = 0; i < scene.model->nlinks; ++i) if (strcmp(scene.model->link_name[i], "b") == 0) break;
    slip_link_pose(scene.model, slip_world_data(w), i, &X);
    slip_set3(0, SLIP_R(0.5), 0, tip);
    slip_pose_point(&X, tip, tip);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 1.5, (double)tip[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 3, (double)tip[2]);
    TEST_ASSERT_TRUE_MESSAGE(X.p[2] < SLIP_R(2.9), "it swings");
    remove(path);
}

/* A world of its own ground and a free ball in a scene: the ball comes to rest on it. */
static void test_a_model_with_a_floor_is_a_robot_of_a_scene(void)
{
    static const char path[] = SLIP_TEST_BIN ".floor.xml";
    const char *base = strrchr(path, '/');
    char text[400];
    slip_scene scene;
    slip_world *w = NULL;
    FILE *f = fopen(path, "w");
    int i;

    TEST_ASSERT_NOT_NULL(f);
    fputs(MJCF("<worldbody><geom type='plane' size='0 0 1' pos='0 0 -1'/><body name='ball' pos='0 0 0.2'><freejoint/>"
               "<geom size='0.1'/></body></worldbody>"), f);
    fclose(f);
    slip_format(text, (int)sizeof text, "<scene><robot file='%s'/></scene>", base ? base + 1 : path);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, slip_scene_read(text, strlen(text), path, NULL, &mem, &scene, &report, &err),
                                  err.what);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, slip_scene_start(&scene, &mem, &w, &report, &err), err.what);
    near_real(0.2, slip_world_q(w)[2], "home");
    for (i = 0; i < 1500; ++i) TEST_ASSERT_TRUE(slip_step(w) >= 0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, -0.9, (double)slip_world_q(w)[2]);
    remove(path);
}

static void test_what_refers_to_bodies_is_resolved(void)
{
    const slip_robot_extras *e = &robot.extras;

    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, read_text(MJCF(
        "<compiler angle='radian'/><default><position kp='5'/></default>"
        "<actuator><position joint='k' kv='2' gear='2' forcerange='-3 3'/><motor joint='j' gear='10'/>"
        "<motor tendon='t'/></actuator>"
        "<equality><joint joint1='k' joint2='j' polycoef='0.1 -2 0 0 0'/><connect body1='a' body2='b' anchor='1 2 3'/>"
        "<weld body1='b'/></equality><contact><exclude body1='a' body2='c'/></contact><sensor/>"
        "<keyframe><key qpos='1 2 3 0 0 0 1 0.5 0.25'/></keyframe>"
        "<worldbody><body name='a'><freejoint name='f'/>" INERTIAL "<site name='tip' pos='0 0 1'/>"
        "<body name='b'><joint name='j' ref='0.125'/>" INERTIAL "</body>"
        "<body name='c'><joint name='k' solreflimit='1 1'/>" INERTIAL "</body></body></worldbody>")), err.what);
    TEST_ASSERT_EQUAL_INT(2, e->ndrives);
    near_real(20, e->drives[0].kp, "kp gear^2");
    near_real(8, e->drives[0].kd, "kd");
    near_real(6, e->drives[0].effort, "effort");
    TEST_ASSERT_EQUAL_INT(2, e->nloops);
    TEST_ASSERT(!e->loops[0].is_weld && e->loops[0].frame_a.p[2] == 3 && e->loops[1].is_weld && e->loops[1].b == -1);
    TEST_ASSERT_EQUAL_INT(1, e->nexcludes);
    TEST_ASSERT_EQUAL_STRING("c", robot.def.links[e->excludes[0][1]].name);
    TEST_ASSERT_EQUAL_STRING("k", robot.def.joints[e->drives[0].joint].name);
    near_real(-2, robot.def.joints[e->drives[0].joint].mimic_scale, "polycoef");
    TEST_ASSERT_EQUAL_STRING("j", robot.def.joints[robot.def.joints[e->drives[0].joint].mimic].name);
    near_real(0.375, e->start[e->drives[1].joint], "the key less the reference");
    near_real(3, e->home[robot.def.joints[0].type == SLIP_JOINT_FLOATING ? 0 : 1].p[2], "the free body's place");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "solreflimit of <joint>"), said);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "<motor>"), said);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "<sensor>"), said);
}

/* ---- frames, bits, tendons, assets --------------------------------------------------------------- */

static void test_a_frame_moves_what_is_within_it(void)
{
    const char *const texts[2] = {
        MJCF("<default><default class='x'><geom size='0.3'/></default></default><worldbody>"
             "<frame pos='0 0 1' euler='0 0 90'><body name='a' pos='1 0 0'><joint pos='0 0.5 0' axis='1 0 0'/>"
             "<frame pos='2 0 0' axisangle='0 0 1 90' childclass='x'><geom type='box' size='1 2 3' pos='1 0 0'/>"
             "<geom/><geom type='capsule' fromto='0 0 0 1 0 0' size='0.1'/><site name='s' pos='0 1 0'/></frame></body>"
             "</frame></worldbody>"),
        MJCF("<worldbody><body name='a' pos='0 1 1' euler='0 0 90'><joint pos='0 0.5 0' axis='1 0 0'/>"
             "<geom type='box' size='1 2 3' pos='2 1 0' euler='0 0 90'/><geom size='0.3' pos='2 0 0' euler='0 0 90'/>"
             "<geom type='capsule' fromto='2 0 0 2 1 0' size='0.1'/><site name='s' pos='1 0 0' euler='0 0 90'/>"
             "</body></worldbody>") };
    slip_real M[2], nle[2];
    const slip_real q = SLIP_R(0.4), v = 2;
    slip_pose X[2];
    int k, i;

    for (k = 0; k < 2; ++k) {
        const slip_model *m = build(texts[k]);
        slip_data *d;

        TEST_ASSERT_EQUAL_INT(1, m->nv);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_data_create(m, &mem, &d));
        slip_crba(m, d, &q);
        slip_mass_matrix(m, d, &M[k]);
        slip_bias(m, d, &q, &v, &nle[k]);
        slip_link_pose(m, d, slip_model_find_link(m, "site:s"), &X[k]);
        TEST_ASSERT_EQUAL_INT(3, robot.nshapes);
    }
    near_real((double)M[1], M[0], "M");
    near_real((double)nle[1], nle[0], "bias");
    for (i = 0; i < 3; ++i) near_real((double)X[1].p[i], X[0].p[i], "the site's place");
    for (i = 0; i < 9; ++i) near_real((double)X[1].R[i], X[0].R[i], "the site's axes");
    TEST_ASSERT_EQUAL_STRING("", said);
}

/* Whether two shapes meet, as colliders of a world. */
static int meet(int i, int k)
{
    const slip_urdf_shape *a = &robot.shapes[i], *b = &robot.shapes[k];

    return a->role == SLIP_URDF_COLLISION && b->role == SLIP_URDF_COLLISION && (a->group & b->mask)
           && (b->group & a->mask);
}

static void test_bits_and_pairs_tell_which_geoms_meet(void)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, read_text(MJCF(
        "<worldbody><body><geom name='leg' size='1' conaffinity='0'/><geom name='arm' size='1' conaffinity='0'/>"
        "<geom name='floor' size='1'/><geom name='high' size='1' contype='2' conaffinity='2'/>"
        "<geom name='ghost' size='1' contype='0' conaffinity='0'/><geom name='drawn' size='1' contype='0' "
        "conaffinity='0'/><geom type='plane' size='1 1 1' contype='0' conaffinity='0'/></body></worldbody>"
        "<contact><pair geom1='high' geom2='ghost' friction='0.25'/></contact>")), err.what);
    TEST_ASSERT_EQUAL_INT(6, robot.nshapes);                   /* without the plane that is only drawn */
    TEST_ASSERT(!meet(0, 1) && meet(0, 2) && meet(1, 2) && !meet(0, 3) && !meet(2, 3) && !meet(2, 4));
    TEST_ASSERT(meet(3, 4) && !meet(0, 4));
    TEST_ASSERT(robot.shapes[5].role == SLIP_URDF_VISUAL);
    TEST_ASSERT((robot.shapes[0].mask & 1) && !(robot.shapes[3].mask & 1) && !(robot.shapes[4].mask & 1));
    near_real(0.25, robot.contacts[0].friction, "the pair's friction");
    TEST_ASSERT_EQUAL_STRING("", said);
}

/* A tendon of nine joints is listed, and what follows it is read as if it were not there. */
static void test_a_tendon_of_many_joints_ends_where_it_ends(void)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, read_text(MJCF(
        "<worldbody><body><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><joint name='j'/><joint name='k' "
        "axis='1 0 0'/></body></worldbody><tendon><fixed name='many'><joint joint='j' coef='1'/><joint joint='j' "
        "coef='1'/><joint joint='j' coef='1'/><joint joint='j' coef='1'/><joint joint='j' coef='1'/><joint joint='j' "
        "coef='1'/><joint joint='j' coef='1'/><joint joint='j' coef='1'/><joint joint='j' coef='1'/><joint joint='j' "
        "coef='1'/></fixed><fixed name='one'><joint joint='k' coef='2'/></fixed></tendon>"
        "<actuator><motor tendon='one'/><position tendon='one' kp='3'/></actuator>")), err.what);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "a tendon of many joints of <fixed>"), said);
    TEST_ASSERT_NULL_MESSAGE(strstr(said, "<tendon>"), said);
    TEST_ASSERT_EQUAL_INT(1, robot.extras.ndrives);
    near_real(12, robot.extras.drives[0].kp, "2^2 of 3: the tendon behind it");
}

static void test_fixed_tendons_are_mimics_and_drives_where_one_joint_moves_them(void)
{
    const slip_robot_extras *e = &robot.extras;
    const char text[] = MJCF(
        "<worldbody><body name='a'><joint name='j'/>" INERTIAL "</body>"
        "<body name='b'><joint name='k'/>" INERTIAL "</body>"
        "<body name='c'><joint name='l' ref='30'/>" INERTIAL "</body></worldbody>"
        "<tendon><fixed name='grip'><joint joint='j' coef='0.5'/><joint joint='k' coef='0.25'/></fixed>"
        "<fixed name='pull'><joint joint='l' coef='2'/><joint joint='j' coef='4'/></fixed><spatial name='s'/>"
        "<fixed name='both'><joint joint='j' coef='1'/><joint joint='l' coef='1'/></fixed></tendon>"
        "<actuator><position tendon='grip' kp='8'/><motor tendon='both'/></actuator>"
        "<equality><joint joint1='k' joint2='j' polycoef='0 -3'/><tendon tendon1='pull' polycoef='1'/></equality>");

    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, read_text(text), err.what);
    TEST_ASSERT_EQUAL_INT(1, e->ndrives);                      /* of one joint both: l follows j, 1 - 2 = -1 */
    TEST_ASSERT_EQUAL_STRING("j", robot.def.joints[e->drives[0].joint].name);
    near_real(8*0.0625, e->drives[0].kp, "kp of the sum 0.5 j - 0.75 j");
    TEST_ASSERT_NULL_MESSAGE(strstr(said, "<motor>"), said);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "<spatial>"), said);
    {
        const slip_joint_def *l = &robot.def.joints[5];

        TEST_ASSERT_EQUAL_STRING("l", l->name);
        TEST_ASSERT_EQUAL_STRING("j", robot.def.joints[l->mimic].name);
        near_real(-2, l->mimic_scale, "2 l + 4 j = 1");
        near_real(0.5, l->mimic_offset, "2 l + 4 j = 1");
    }
    setUp();
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, read_text(MJCF(
        "<worldbody><body name='a'><joint name='j'/>" INERTIAL "</body>"
        "<body name='b'><joint name='k'/>" INERTIAL "</body>"
        "</worldbody><tendon><fixed name='t' stiffness='1'><joint joint='j' coef='1'/><joint joint='k' coef='1'/>"
        "</fixed></tendon><actuator><motor tendon='t'/></actuator>")), err.what);
    TEST_ASSERT_EQUAL_INT(0, e->ndrives);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "tendon of several joints of <motor>"), said);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "stiffness of <fixed>"), said);
}

/* Only a tendon of one joint can follow another of one: none of two joints follows one of none. */
static void test_a_tendon_of_no_joint_leads_nothing(void)
{
    int i;

    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, read_text(MJCF(
        "<worldbody><body name='z'><joint name='i'/>" INERTIAL "</body><body name='a'><joint name='j'/>" INERTIAL
        "</body><body name='b'><joint name='k'/>" INERTIAL "</body></worldbody>"
        "<tendon><fixed name='two'><joint joint='j' coef='1'/><joint joint='k' coef='1'/></fixed><fixed name='no'/>"
        "</tendon><equality><tendon tendon1='two' tendon2='no'/></equality>")), err.what);
    for (i = 0; i < robot.def.njoints; ++i) TEST_ASSERT_LESS_THAN_INT(0, robot.def.joints[i].mimic);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "tendon not of two joints of <equality>"), said);
}

#define WEDGE "0 0 0  2 0 0  0 1 0  0 0 1"
static void test_meshes_may_be_numbers(void)
{
    const slip_link_def *l = robot.def.links;

    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, read_text(MJCF(
        "<asset><mesh name='wedge' vertex='" WEDGE "' scale='1 1 3'/>"
        "<mesh name='faces' vertex='" WEDGE " 9 9 9' face='0 2 1 0 1 3 0 3 2 1 2 3'/></asset>"
        "<worldbody><body><freejoint/><geom type='mesh' mesh='wedge' density='10'/></body>"
        "<body><freejoint/><geom type='mesh' mesh='faces' density='6' contype='0' conaffinity='0'/></body>"
        "</worldbody>")), err.what);
    near_real(10, l[0].mass, "2 x 1 x 3 / 6 of 10 kg/m^3");
    near_real(0.5, l[0].com[0], "centre");
    TEST_ASSERT_EQUAL_INT(4, robot.shapes[0].npoints);
    near_real(2, l[2].mass, "its triangles, not its hull");
}

/* Seen from above: the first row of numbers has the largest y. */
static void test_height_fields_are_terrain(void)
{
    static const char path[] = SLIP_TEST_BIN ".field.xml";
    const char *base = strrchr(path, '/');
    char text[900];
    slip_scene scene;
    slip_world *w = NULL;
    slip_real z;
    FILE *f = fopen(path, "w");
    int i;

    TEST_ASSERT_NOT_NULL(f);
    fputs(MJCF("<asset><hfield name='h' nrow='3' ncol='2' size='1 2 0.5 1' elevation='4 4  2 2  2 2'/></asset>"
               "<worldbody><geom type='hfield' hfield='h' pos='0 0 1'/><body name='ball' pos='0 1.9 1.7'><freejoint/>"
               "<geom size='0.1'/></body></worldbody>"), f);
    fclose(f);
    slip_format(text, (int)sizeof text, "<scene><robot file='%s'/></scene>", base ? base + 1 : path);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, slip_scene_read(text, strlen(text), path, NULL, &mem, &scene, &report, &err),
                                  err.what);
    TEST_ASSERT_EQUAL_STRING("", said);
    TEST_ASSERT_EQUAL_INT(2, robot.nshapes == 2 ? 2 : scene.world.ncolliders);
    TEST_ASSERT(slip_heightfield_at(scene.world.colliders[0].shape.field, 0, SLIP_R(1.999), &z, NULL));
    near_real(0.5*(1 - 0.001/2), z, "the ridge at the largest y");
    TEST_ASSERT(slip_heightfield_at(scene.world.colliders[0].shape.field, SLIP_R(-0.999), -1, &z, NULL));
    near_real(0, z, "the plain");
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, slip_scene_start(&scene, &mem, &w, &report, &err), err.what);
    for (i = 0; i < 1900; ++i) TEST_ASSERT_TRUE(slip_step(w) >= 0);
    TEST_ASSERT_DOUBLE_WITHIN(0.9, -1, (double)slip_world_q(w)[1]);    /* it rolled off the slope, on to the plain */
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 1.1, (double)slip_world_q(w)[2]);
    remove(path);
}

static void test_the_compiler_and_options_are_obeyed(void)
{
    const slip_link_def *l = robot.def.links;

    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, read_text(MJCF(
        "<compiler settotalmass='12' inertiagrouprange='0 1' balanceinertia='true'/>"
        "<option gravity='0 0 -3'><flag gravity='disable'/></option>"
        "<worldbody><body><freejoint/><geom size='1' mass='1' group='1'/><geom size='1' mass='5' group='2'/></body>"
        "<body><freejoint/><inertial pos='0 0 0' mass='3' diaginertia='1 1 4'/></body></worldbody>")), err.what);
    near_real(3, l[0].mass, "one of four parts of 12 kg");
    near_real(3*0.4, l[0].inertia[0], "its inertia");
    near_real(9, l[2].mass, "the other");
    near_real(3*2, l[2].inertia[0], "balanced: the mean of 1, 1, 4");
    near_real(3*2, l[2].inertia[5], "balanced: the mean of 1, 1, 4");
    near_real(0, robot.def.gravity[2], "no gravity");
    TEST_ASSERT_EQUAL_STRING("", said);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, read_text(MJCF(
        "<compiler strippath='true' meshdir='m'/><option timestep='0.002'><flag contact='disable'/></option>"
        "<asset><mesh name='x' file='C:\\else/where\\x.stl'/></asset><worldbody><body>" INERTIAL
        "<geom type='mesh' mesh='x'/></body></worldbody>")), err.what);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "timestep of <option>, contact of <flag>"), said);
    TEST_ASSERT_EQUAL_STRING("m/x.stl", robot.shapes[0].mesh_path + strlen(robot.shapes[0].mesh_path) - 7);
}

/* What is made of bodies that are not understood may be named: it is listed. */
static void test_what_a_composite_makes_may_be_named(void)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, read_text(MJCF(
        "<worldbody><body name='a'><composite type='cable'/>" INERTIAL "</body></worldbody>"
        "<equality><weld body1='B_last' body2='a'/></equality><contact><exclude body1='B_0' body2='a'/>"
        "<pair geom1='G0' geom2='G1'/></contact><actuator><motor joint='J_0'/></actuator>")), err.what);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "<composite>"), said);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "of <weld>"), said);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "of <pair>"), said);
}

static void test_what_is_wrong_is_named(void)
{
    static const struct { const char *text, *says; } cases[] = {
        { MJCF("<worldbody><body childclass='x'/></worldbody>"), "no class 'x'" },
        { MJCF("<worldbody><geom class='y'/></worldbody>"), "no class 'y'" },
        { MJCF("<worldbody><body><joint type='screw'/></body></worldbody>"), "'screw', expected hinge" },
        { MJCF("<worldbody><body pos='1 2'/></worldbody>"), "" },
        { MJCF("<worldbody><body><geom type='mesh' mesh='m'/></body></worldbody>"), "no asset" },
        { MJCF("<worldbody><joint/></worldbody>"), "outside a body" },
        { MJCF("<worldbody><body pos='1 x 2'/></worldbody>"), "pos=\"1 x 2\" of <body>" },
        { MJCF("<actuator><motor joint='z'/></actuator>"), "no joint 'z'" },
        { MJCF("<equality><weld body1='z'/></equality>"), "no body 'z'" },
        { MJCF("<contact><pair geom1='x' geom2='y'/></contact>"), "no geom 'x'" },
        { MJCF("<compiler coordinate='global'/>"), "coordinate=\"global\"" },
        { MJCF("<asset><mesh name='m' vertex='1 2 3'/></asset>"), "at least four" },
        { MJCF("<asset><mesh name='m' vertex='1 2 x'/></asset>"), "word 3" },
        { MJCF("<asset><mesh name='m' vertex='" WEDGE "' face='0 1 4'/></asset>"), "from 0 to 3" },
        { MJCF("<asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1' elevation='1 2 3'/></asset>"), "3 heights" },
        { MJCF("<asset><hfield name='h' nrow='1e9' ncol='2' size='1 1 1 1'/></asset>"), "2 to 16384" },
        { MJCF("<asset><hfield name='h' nrow='1e30' ncol='-1e30' size='1 1 1 1'/></asset>"), "2 to 16384" },
        { MJCF("<worldbody><geom type='hfield' hfield='h'/></worldbody>"), "height field that is no asset" },
        { MJCF("<worldbody><frame><joint/></frame></worldbody>"), "outside a body" },
        { MJCF("<tendon><fixed name='t'><joint joint='z' coef='1'/></fixed></tendon>"), "no joint 'z'" },
        { MJCF("<include file='nowhere.xml'/>"), "cannot be read" },
        { MJCF("<include/>"), "names no file" },
        { MJCF("<compiler eulerseq='xyw'/>"), "eulerseq=\"xyw\" of <compiler>, expected three" },
        { MJCF("<compiler eulerseq='xy'/>"), "expected three of x, y, z" } };
    size_t i;

    for (i = 0; i < sizeof cases/sizeof *cases; ++i) {
        setUp();
        if (cases[i].says[0] == '\0') continue;
        TEST_ASSERT_LESS_THAN_INT_MESSAGE(0, read_text(cases[i].text), cases[i].text);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, cases[i].says), err.what);
        TEST_ASSERT_TRUE(mem.low == 0 && mem.high == mem.size);
    }
    TEST_ASSERT_EQUAL_INT(0, build("<mujoco/>")->nv);
    TEST_ASSERT_NOT_NULL(strstr(said, "no bodies"));
}

static void put_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    TEST_ASSERT_NOT_NULL(f);
    fputs(text, f);
    fclose(f);
}

/* An included file's children stand in its place; one that includes itself is refused. */
static void test_included_files_are_part_of_the_model(void)
{
    static const char main_file[] = SLIP_TEST_BIN ".mjcf.xml", other[] = SLIP_TEST_BIN ".mjcf2.xml";
    const char *base = strrchr(other, '/');
    char text[600];

    base = base ? base + 1 : other;
    put_file(other, "<!-- <mujoco> --><mujoco><default><joint armature='0.5'/></default><worldbody><body name='in'>"
             "<joint name='j'/>" INERTIAL "</body></worldbody></mujoco>");
    slip_format(text, (int)sizeof text, "<mujoco model='m'><!-- <include file='no'/> --><include file='%s'/>"
                "<actuator><motor joint='j'/></actuator></mujoco>", base);
    put_file(main_file, text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, slip_robot_load(main_file, NULL, &mem, &robot, NULL, &err), err.what);
    TEST_ASSERT_EQUAL_INT(1, robot.extras.ndrives);
    near_real(0.5, robot.def.joints[robot.extras.drives[0].joint].armature, "armature");
    put_file(other, "<mujoco>\n<worldbody>\n<body name='in'>\n<joint type='screw'/></body></worldbody></mujoco>");
    TEST_ASSERT_LESS_THAN_INT(0, slip_robot_load(main_file, NULL, &mem, &robot, NULL, &err));
    TEST_ASSERT_EQUAL_INT(4, err.line);                        /* of the file that is wrong */
    TEST_ASSERT_EQUAL_INT(1, err.column);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.file, base), err.file);
    put_file(other, "<mujoco>\n<worldbody>\n<body name='in'>\n<joint name='j'/>" INERTIAL "</body></worldbody>"
             "</mujoco>");
    slip_format(text, (int)sizeof text, "<mujoco>\n<include file='%s'/>\n<actuator>\n<motor joint='z'/></actuator>"
                "</mujoco>", base);
    put_file(main_file, text);
    TEST_ASSERT_LESS_THAN_INT(0, slip_robot_load(main_file, NULL, &mem, &robot, NULL, &err));
    TEST_ASSERT_EQUAL_INT(4, err.line);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.file, "mjcf.xml"), err.file);
    slip_format(text, (int)sizeof text, "<mujoco><include file='%s'/></mujoco>", base);
    put_file(other, text);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_LIMIT, slip_robot_load(other, NULL, &mem, &robot, NULL, &err));
    remove(main_file);
    remove(other);
}

static void test_formats_are_told_apart(void)
{
    TEST_ASSERT_EQUAL_INT(1, slip_robot_format("<?xml?><!-- <mujoco> --><robot>", 31));
    TEST_ASSERT_EQUAL_INT(2, slip_robot_format("  <mujoco model='x'>", 20));
    TEST_ASSERT_EQUAL_INT(0, slip_robot_format("<scene/>", 8));
    TEST_ASSERT_EQUAL_INT(0, slip_robot_format("", 0));
}

static const char rich_mjcf[] = MJCF(
    "<compiler settotalmass='3' balanceinertia='true'/><option><flag gravity='disable'/></option>"
    "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 3'/>"
    "<hfield name='h' nrow='2' ncol='2' size='1 1 1 1' elevation='1 2 3 4'/></asset>"
    "<worldbody><geom name='g' type='hfield' hfield='h'/><frame pos='1 2 3'><body name='a'><joint name='j'/>"
    "<geom name='b' type='mesh' mesh='m' contype='2'/><body name='c'><joint name='k'/>" INERTIAL "</body></body>"
    "</frame></worldbody><contact><pair geom1='g' geom2='b'/></contact>"
    "<tendon><fixed name='t'><joint joint='j' coef='1'/><joint joint='k' coef='2'/></fixed></tendon>"
    "<equality><tendon tendon1='t'/></equality>"
    "<actuator><position tendon='t'/></actuator>");

/* Any cut, any byte changed, any arena: a robot or an error. */
static void damage(const char *text, size_t n)
{
    char *copy = (char *)malloc(n);
    slip_random rng = slip_random_seed(5);
    size_t i;

    for (i = 0; i < n; i += 3) {
        setUp();
        memcpy(copy, text, i);
        slip_robot_read(copy, i, NULL, NULL, &mem, &robot, NULL, &err);
        setUp();
        memcpy(copy, text, n);
        copy[i] = "<>/'=\" 9-x"[(int)slip_random_uniform(&rng, 0, 10) % 10];
        if (slip_mjcf_read(copy, n, NULL, NULL, &mem, &robot, NULL, &err) >= 0) {
            const slip_model *m;

            slip_model_build(&robot.def, &mem, &m, NULL, &err);
        }
    }
    for (i = 0; i < 40000; i += 501) {
        setUp();
        mem = slip_arena_over(memory, i);
        slip_mjcf_read(text, n, NULL, NULL, &mem, &robot, NULL, &err);
    }
    free(copy);
}

static void test_damaged_texts_do_no_harm(void)
{
    damage(arm_mjcf, sizeof arm_mjcf - 1);
    damage(rich_mjcf, sizeof rich_mjcf - 1);
    setUp();
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, read_text(rich_mjcf), err.what);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_model_equals_its_urdf);
    RUN_TEST(test_geoms_give_mass_where_there_is_no_inertial);
    RUN_TEST(test_a_model_with_a_floor_is_a_robot_of_a_scene);
    RUN_TEST(test_what_refers_to_bodies_is_resolved);
    RUN_TEST(test_a_frame_moves_what_is_within_it);
    RUN_TEST(test_bits_and_pairs_tell_which_geoms_meet);
    RUN_TEST(test_fixed_tendons_are_mimics_and_drives_where_one_joint_moves_them);
    RUN_TEST(test_a_tendon_of_no_joint_leads_nothing);
    RUN_TEST(test_meshes_may_be_numbers);
    RUN_TEST(test_height_fields_are_terrain);
    RUN_TEST(test_the_compiler_and_options_are_obeyed);
    RUN_TEST(test_what_a_composite_makes_may_be_named);
    RUN_TEST(test_what_is_wrong_is_named);
    RUN_TEST(test_included_files_are_part_of_the_model);
    RUN_TEST(test_formats_are_told_apart);
    RUN_TEST(test_damaged_texts_do_no_harm);
    RUN_TEST(test_geoms_from_two_points_have_their_third_size);
    RUN_TEST(test_a_mesh_has_the_mass_of_its_solid);
    RUN_TEST(test_a_tendon_of_many_joints_ends_where_it_ends);
    RUN_TEST(test_loops_of_a_model_are_loops_of_its_scene);
    return UNITY_END();
}
