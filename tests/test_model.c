/* The model builder: what it refuses and in which words, what it lumps, sorts and aligns, and the reduction
 * over mimic joints against dense matrices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "unity.h"
#include "slipstick_parts.h"
#include "random_tree.h"

enum { LINKS = 16, NMAX = 6*TREE_MAX_LINKS };

static slip_link_def links[LINKS];
static slip_joint_def joints[LINKS];
static slip_model_def def;
static unsigned char memory[1 << 20];
static slip_arena mem;
static const slip_model *model;
static slip_error err;

static slip_error warnings[8];
static slip_report report;

static void keep_warning(void *context, const slip_error *warning)
{
    slip_error *kept = (slip_error *)context;

    if (report.count <= 8) kept[report.count - 1] = *warning;
}

void setUp(void)
{
    memset(&def, 0, sizeof def);
    memset(links, 0, sizeof links);
    def.name = "test";
    def.links = links;
    def.joints = joints;
    slip_set3(0, 0, SLIP_R(-9.81), def.gravity);
    memset(&report, 0, sizeof report);
    report.warn = keep_warning;
    report.context = warnings;
    mem = slip_arena_over(memory, sizeof memory);
    model = NULL;
}

void tearDown(void) { }

/* A link with the inertia of a solid ball of radius 0.1 m. Returns its index. */
static int add_link(const char *name, slip_real mass)
{
    slip_link_def *l = &links[def.nlinks];

    memset(l, 0, sizeof *l);
    l->name = name;
    l->mass = mass;
    l->inertia[0] = l->inertia[3] = l->inertia[5] = SLIP_R(0.4)*mass*SLIP_R(0.01);
    l->line = 10 + def.nlinks;
    return def.nlinks++;
}

static slip_joint_def *add_joint(const char *name, slip_joint_type type, int parent, int child)
{
    slip_joint_def *j = &joints[def.njoints++];

    *j = slip_joint_defaults();
    j->name = name;
    j->type = type;
    j->parent = parent;
    j->child = child;
    j->line = 100 + def.njoints - 1;
    return j;
}

static slip_status build_it(void)
{
    slip_error_clear(&err);
    return slip_model_build(&def, &mem, &model, &report, &err);
}

/* Builds and expects a failure whose message contains all of the words given (up to three). */
static void assert_refused(slip_status status, int line, const char *a, const char *b, const char *c)
{
    const size_t low = mem.low, high = mem.high;

    TEST_ASSERT_EQUAL_INT_MESSAGE(status, build_it(), err.what);
    TEST_ASSERT_EQUAL_INT_MESSAGE(status, err.status, err.what);
    TEST_ASSERT_EQUAL_INT_MESSAGE(line, err.line, err.what);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, a), err.what);
    if (b) TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, b), err.what);
    if (c) TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, c), err.what);
    TEST_ASSERT_NULL_MESSAGE(model, "the model is untouched");
    TEST_ASSERT_TRUE_MESSAGE(mem.low == low && mem.high == high, "the arena is as before");
}

/* Two links on two hinges, a good start for breaking one thing at a time. */
static void two_links(void)
{
    const int a = add_link("upper", 1), b = add_link("lower", 2);

    add_joint("shoulder", SLIP_JOINT_REVOLUTE, -1, a);
    add_joint("elbow", SLIP_JOINT_REVOLUTE, a, b);
    links[a].com[2] = links[b].com[2] = SLIP_R(-0.25);
    joints[1].origin.p[2] = SLIP_R(-0.5);
}

/* ---- what comes out ------------------------------------------------------------------------------------- */

static void test_fixed_links_are_lumped_into_the_body_that_carries_them(void)
{
    const slip_real *I;

    two_links();
    /* A point mass of 3 kg, turned a quarter about z, at (0.2, 0, 0.1) of the lower link, and on it a rod of
     * 1 kg with Ixx = 0.06 about its centre 0.1 along its x: in the lower link's axes that is Iyy, at y + 0.1. */
    add_link("point", 3);
    memset(links[2].inertia, 0, sizeof links[2].inertia);
    add_joint("to_point", SLIP_JOINT_FIXED, 1, 2);
    slip_set3(SLIP_R(0.2), 0, SLIP_R(0.1), joints[2].origin.p);
    slip_mat3_from_rpy((const slip_real[3]){ 0, 0, SLIP_PI/2 }, joints[2].origin.R);
    add_link("rod", 1);
    memset(links[3].inertia, 0, sizeof links[3].inertia);
    links[3].inertia[0] = SLIP_R(0.06);
    links[3].com[0] = SLIP_R(0.1);
    add_joint("to_rod", SLIP_JOINT_FIXED, 2, 3);
    slip_set3(0, 0, 1, joints[1].axis);                  /* the body frame is the link frame */
    links[1].com[2] = 0;
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, build_it(), err.what);
    TEST_ASSERT_EQUAL_INT(3, model->nbodies);
    I = model->inertia + 10*2;
    /* mass 2 + 3 + 1; first moment 3 (0.2, 0, 0.1) + 1 (0.2, 0.1, 0.1) */
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-15, 1e-6), 6, (double)I[0]);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-15, 1e-6), 0.8, (double)I[1]);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-15, 1e-6), 0.1, (double)I[2]);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-15, 1e-6), 0.4, (double)I[3]);
    /* xx: 0.008 + 3 0.01 + (0.01 + 0.01);  yy: 0.008 + 3 0.05 + 0.06 + 0.05;  zz: 0.008 + 3 0.04 + 0.05 */
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-15, 1e-6), 0.058, (double)I[4]);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-15, 1e-6), 0.268, (double)I[7]);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-15, 1e-6), 0.178, (double)I[9]);
    /* xy: -1 0.2 0.1;  xz: -3 0.2 0.1 - 0.2 0.1;  yz: -0.1 0.1 */
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-15, 1e-6), -0.02, (double)I[5]);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-15, 1e-6), -0.08, (double)I[6]);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-15, 1e-6), -0.01, (double)I[8]);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-15, 1e-6), 6, (double)model->body_mass[2]);
    TEST_ASSERT_EQUAL_INT(2, model->link_body[3]);
    TEST_ASSERT_EQUAL_INT(-1, model->joint_body[3]);
}

static void test_links_fixed_to_the_world_do_not_count(void)
{
    two_links();
    add_link("floor", 1000);                             /* no joint above it: part of the world */
    TEST_ASSERT_EQUAL_INT(SLIP_OK, build_it());
    TEST_ASSERT_EQUAL_INT(0, model->link_body[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 3, (double)slip_total_mass(model));
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 1000, (double)model->body_mass[0]);
}

static void test_bodies_come_parents_first_whatever_the_order_of_the_description(void)
{
    static const char *const names[5] = { "d", "b", "a", "e", "c" };     /* a - b - c, a - d - e */
    static const char *const sorted[5] = { "a", "b", "c", "d", "e" };
    int at[5];

    for (int i = 0; i < 5; ++i) add_link(names[i], 1);
    add_joint("e", SLIP_JOINT_REVOLUTE, 0, 3);
    add_joint("c", SLIP_JOINT_PRISMATIC, 1, 4);
    add_joint("b", SLIP_JOINT_PLANAR, 2, 1);
    add_joint("d", SLIP_JOINT_BALL, 2, 0);
    add_joint("a", SLIP_JOINT_FLOATING, -1, 2);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, build_it());
    TEST_ASSERT_EQUAL_INT(6, model->nbodies);
    TEST_ASSERT_EQUAL_INT(7 + 3 + 1 + 4 + 1, model->nq);
    TEST_ASSERT_EQUAL_INT(6 + 3 + 1 + 3 + 1, model->nv);
    for (int b = 1; b < 6; ++b) {
        TEST_ASSERT_TRUE(model->parent[b] < b);
        at[b - 1] = model->body_link[b];
    }
    /* depth first, children in the order of their joints: a, b, c, d, e */
    for (int b = 0; b < 5; ++b) TEST_ASSERT_EQUAL_STRING(sorted[b], model->link_name[at[b]]);
    for (int j = 0; j < 5; ++j) TEST_ASSERT_EQUAL_INT(j, model->body_joint[model->joint_body[j]]);
    TEST_ASSERT_EQUAL_INT(3, slip_model_find_joint(model, "d"));
    TEST_ASSERT_EQUAL_INT(2, slip_model_find_link(model, "a"));
    TEST_ASSERT_EQUAL_INT(-1, slip_model_find_link(model, "z"));
}

static void test_axes_are_turned_onto_z_and_link_frames_survive(void)
{
    slip_real q[2] = { SLIP_R(0.7), SLIP_R(-0.4) }, axis[3], expected[9], R[9], z[3];
    slip_data *data;
    slip_pose X;

    two_links();
    slip_set3(0, 3, 0, joints[0].axis);                  /* any length */
    slip_set3(1, 1, -1, joints[1].axis);
    add_link("tool", 0);
    memset(links[2].inertia, 0, sizeof links[2].inertia);
    add_joint("mount", SLIP_JOINT_FIXED, 1, 2);
    slip_set3(0, 0, SLIP_R(-0.5), joints[2].origin.p);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, build_it());
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_data_create(model, &mem, &data));
    slip_kinematics(model, data, q);
    slip_link_pose(model, data, 0, &X);
    slip_mat3_from_axis_angle((const slip_real[3]){ 0, 1, 0 }, q[0], R);
    for (int i = 0; i < 9; ++i) TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-14, 1e-5), (double)R[i], (double)X.R[i]);
    slip_normalize3(joints[1].axis, axis);
    slip_mat3_from_axis_angle(axis, q[1], expected);
    slip_mat3_mul(R, expected, expected);
    slip_link_pose(model, data, 1, &X);
    for (int i = 0; i < 9; ++i)
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-14, 1e-5), (double)expected[i], (double)X.R[i]);
    slip_link_pose(model, data, 2, &X);                  /* p = R1 (0, 0, -0.5) + R1 R2 (0, 0, -0.5) */
    for (int i = 0; i < 3; ++i)
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-14, 1e-5), -0.5*(double)(R[3*i + 2] + expected[3*i + 2]),
                                  (double)X.p[i]);
    slip_set3(data->pose[2].R[2], data->pose[2].R[5], data->pose[2].R[8], z);
    slip_mat3_vec(R, axis, axis);
    for (int i = 0; i < 3; ++i) TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-14, 1e-5), (double)axis[i], (double)z[i]);
}

static void test_an_empty_model_and_one_that_cannot_move_are_fine(void)
{
    slip_data *data;
    slip_real nothing[1] = { 0 }, com[3];

    TEST_ASSERT_EQUAL_INT(SLIP_OK, build_it());
    TEST_ASSERT_EQUAL_INT(0, model->nv);
    TEST_ASSERT_EQUAL_INT(1, model->nbodies);
    add_link("a", 1);
    add_link("b", 0);
    add_joint("weld", SLIP_JOINT_FIXED, 0, 1);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, build_it());
    TEST_ASSERT_EQUAL_INT(0, model->nq);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_data_create(model, &mem, &data));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_aba(model, data, nothing, nothing, nothing, NULL, nothing));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_rnea(model, data, nothing, nothing, nothing, NULL, nothing));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_crba(model, data, nothing));
    TEST_ASSERT_DOUBLE_WITHIN(0, 0, (double)slip_center_of_mass(model, data, com));
}

static void test_names_are_copied(void)
{
    char name[] = "upper";

    two_links();
    links[0].name = name;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, build_it());
    strcpy(name, "xxxxx");
    TEST_ASSERT_EQUAL_STRING("upper", model->link_name[0]);
}

static void test_limits_and_losses_land_on_their_coordinates(void)
{
    two_links();
    joints[1].lower = -1;
    joints[1].upper = SLIP_R(0.5);
    joints[1].damping = SLIP_R(0.1);
    joints[1].friction = SLIP_R(0.2);
    joints[1].velocity = 3;
    joints[1].effort = 4;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, build_it());
    TEST_ASSERT_TRUE(isinf(model->lower[0]) && isinf(model->upper[0]) && model->limit_iq[0] == 0);
    TEST_ASSERT_TRUE(model->lower[1] == -1 && model->upper[1] == SLIP_R(0.5) && model->limit_iq[1] == 1);
    TEST_ASSERT_TRUE(model->damping[1] == SLIP_R(0.1) && model->friction[1] == SLIP_R(0.2));
    TEST_ASSERT_TRUE(model->velocity_limit[1] == 3 && model->effort_limit[1] == 4);
}

/* ---- what is refused ------------------------------------------------------------------------------------ */

static void test_two_links_or_joints_of_one_name_are_refused(void)
{
    two_links();
    links[1].name = "upper";
    assert_refused(SLIP_ERR_MODEL, 11, "'upper'", "twice", "line 10");
    links[1].name = "lower";
    joints[1].name = "shoulder";
    assert_refused(SLIP_ERR_MODEL, 101, "'shoulder'", "twice", "line 100");
}

static void test_missing_names_and_descriptions_are_refused(void)
{
    two_links();
    links[1].name = NULL;
    assert_refused(SLIP_ERR_ARGUMENT, 11, "name", NULL, NULL);
    links[1].name = "lower";
    joints[0].name = NULL;
    assert_refused(SLIP_ERR_ARGUMENT, 100, "name", NULL, NULL);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_model_build(NULL, &mem, &model, NULL, NULL));
    def.links = NULL;
    assert_refused(SLIP_ERR_ARGUMENT, 0, "description", NULL, NULL);
    def.links = links;
    def.nlinks = -1;
    assert_refused(SLIP_ERR_ARGUMENT, 0, "description", NULL, NULL);
    def.nlinks = 2000000;
    assert_refused(SLIP_ERR_LIMIT, 0, "more than", NULL, NULL);
}

static void test_two_joints_above_a_link_are_refused(void)
{
    two_links();
    add_joint("other", SLIP_JOINT_REVOLUTE, -1, 1);
    assert_refused(SLIP_ERR_MODEL, 101, "'lower'", "'elbow'", "'other'");
}

static void test_a_loop_of_joints_is_refused(void)
{
    two_links();
    add_link("c", 1);
    add_joint("j", SLIP_JOINT_REVOLUTE, 1, 2);
    joints[1].parent = 2;                                /* lower on c, c on lower */
    assert_refused(SLIP_ERR_MODEL, 101, "'lower'", "loop", NULL);
    joints[2].parent = 2;                                /* c on itself */
    joints[1].parent = 0;
    assert_refused(SLIP_ERR_MODEL, 102, "'c'", "loop", NULL);
}

static void test_numbers_that_are_not_finite_are_refused_by_name(void)
{
    two_links();
    for (int k = 0; k < 10; ++k) {
        slip_real *at[10];
        slip_real keep;

        at[0] = &links[1].mass;  at[1] = &links[1].com[2];  at[2] = &links[1].inertia[4];
        at[3] = &joints[1].origin.R[5];  at[4] = &joints[1].origin.p[0];  at[5] = &joints[1].axis[1];
        at[6] = &joints[1].mimic_scale;  at[7] = &joints[1].mimic_offset;
        at[8] = &joints[1].damping;  at[9] = &joints[1].armature;
        keep = *at[k];
        *at[k] = (slip_real)(k % 2 ? INFINITY : NAN);
        assert_refused(k < 8 ? SLIP_ERR_ARGUMENT : SLIP_ERR_MODEL, k < 3 ? 11 : 101, k < 3 ? "'lower'" : "'elbow'",
                       "finite", NULL);
        *at[k] = keep;
    }
    def.gravity[1] = (slip_real)NAN;
    assert_refused(SLIP_ERR_ARGUMENT, 0, "gravity", NULL, NULL);
}

static void test_values_out_of_range_are_refused_by_name(void)
{
    two_links();
    links[0].mass = -1;
    assert_refused(SLIP_ERR_MODEL, 10, "'upper'", "-1", "negative");
    links[0].mass = 1;
    joints[1].lower = 1;
    joints[1].upper = -1;
    assert_refused(SLIP_ERR_MODEL, 101, "'elbow'", "lower limit 1", "upper limit -1");
    joints[1].lower = (slip_real)NAN;
    assert_refused(SLIP_ERR_MODEL, 101, "'elbow'", "limit", NULL);
    joints[1].lower = -1;
    joints[1].upper = 1;
    joints[1].friction = -1;
    assert_refused(SLIP_ERR_MODEL, 101, "'elbow'", "friction", "negative");
    joints[1].friction = 0;
    joints[1].effort = -2;
    assert_refused(SLIP_ERR_MODEL, 101, "'elbow'", "effort", "negative");
    joints[1].effort = 1;
    slip_zero3(joints[1].axis);
    assert_refused(SLIP_ERR_MODEL, 101, "'elbow'", "axis has zero length", NULL);
    slip_set3(1, 0, 0, joints[1].axis);
    joints[1].parent = 7;
    assert_refused(SLIP_ERR_ARGUMENT, 101, "'elbow'", "no link", NULL);
    joints[1].parent = 0;
    joints[1].type = (slip_joint_type)12;
    assert_refused(SLIP_ERR_ARGUMENT, 101, "'elbow'", "type 12", NULL);
    joints[1].type = SLIP_JOINT_REVOLUTE;
    joints[1].mimic = 2;
    assert_refused(SLIP_ERR_ARGUMENT, 101, "'elbow'", "mimics no joint", NULL);
    joints[1].mimic = -1;
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, build_it(), "and with all of that mended it builds");
}

/* ---- inertia -------------------------------------------------------------------------------------------- */

static void test_unphysical_inertias_are_warnings_by_link_name(void)
{
    two_links();
    links[0].inertia[0] = links[0].inertia[3] = SLIP_R(0.001);           /* 0.001 + 0.001 < 0.004 */
    links[1].inertia[0] = SLIP_R(-0.01);                              /* with 2 kg at 0.25 m the hinge still turns */
    TEST_ASSERT_EQUAL_INT(SLIP_OK, build_it());
    TEST_ASSERT_EQUAL_INT(2, report.count);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(warnings[0].what, "'upper'"), warnings[0].what);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(warnings[0].what, "triangle"), warnings[0].what);
    TEST_ASSERT_EQUAL_INT(10, warnings[0].line);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(warnings[1].what, "'lower'"), warnings[1].what);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(warnings[1].what, "negative"), warnings[1].what);
    report.strict = 1;
    model = NULL;
    assert_refused(SLIP_ERR_MODEL, 10, "'upper'", "triangle", NULL);
}

static void test_inertia_without_mass_is_a_warning(void)
{
    two_links();
    links[1].mass = 0;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, build_it());
    TEST_ASSERT_EQUAL_INT(1, report.count);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(warnings[0].what, "no mass"), warnings[0].what);
}

static void test_only_the_lumped_body_is_judged(void)
{
    two_links();
    add_link("flat", 0);                                 /* impossible alone, fine as part of the lower link */
    memset(links[2].inertia, 0, sizeof links[2].inertia);
    links[2].inertia[5] = SLIP_R(0.001);
    add_joint("weld", SLIP_JOINT_FIXED, 1, 2);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, build_it());
    TEST_ASSERT_EQUAL_INT(0, report.count);
}

/* Builds; one warning, which names joint and link and the cure, and a model without forward dynamics. */
static void assert_idle(const char *joint, const char *link)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, build_it(), err.what);
    TEST_ASSERT_EQUAL_INT(1, report.count);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(warnings[0].what, joint), warnings[0].what);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(warnings[0].what, link), warnings[0].what);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(warnings[0].what, "--repair armature"), warnings[0].what);
    TEST_ASSERT_EQUAL_INT(model->nv, model->idle);       /* the last joint is the one */
}

static void massless_leaf(void)
{
    two_links();
    add_link("massless", 0);
    memset(links[2].inertia, 0, sizeof links[2].inertia);
    add_joint("wrist", SLIP_JOINT_REVOLUTE, 1, 2);
}

static void test_a_leaf_without_inertia_has_kinematics_and_a_warning_that_names_the_cure(void)
{
    slip_real q[3] = { SLIP_R(0.1), SLIP_R(0.2), SLIP_R(0.3) }, zero[3] = { 0, 0, 0 }, a[3];
    slip_data *data;
    slip_world_def world;
    slip_world *w = NULL;

    massless_leaf();
    assert_idle("'wrist'", "'massless'");
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_data_create(model, &mem, &data));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_kinematics(model, data, q));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_rnea(model, data, q, zero, zero, NULL, a));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_NOT_SPD, slip_aba(model, data, q, zero, zero, NULL, a));
    memset(&world, 0, sizeof world);
    world.model = model;
    world.options = slip_world_defaults();
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_MODEL, slip_world_create(&world, &mem, &w, NULL, &err));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, "'wrist'"), err.what);
    joints[2].armature = SLIP_R(0.001);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, build_it());
    TEST_ASSERT_EQUAL_INT(0, model->idle);
}

/* A floating rod without inertia about its length: the turn of a random pose makes a rounding error of the nothing. */
static void test_a_rod_that_floats_is_found(void)
{
    const int a = add_link("rod", 1);
    int i;

    for (i = 0; i < 6; ++i) links[a].inertia[i] = i == 0 || i == 3 ? 1 : 0;
    slip_set3(0, 0, 0, links[a].com);
    add_joint("free", SLIP_JOINT_FLOATING, -1, a);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, build_it(), err.what);
    TEST_ASSERT_EQUAL_INT(6, model->idle);
}

/* A repair says so; whatever it gives, all other joints move as they would. */
static void test_a_repaired_leaf_moves_and_changes_no_other_joint(void)
{
    const slip_real q[3] = { SLIP_R(0.1), SLIP_R(0.2), SLIP_R(0.3) }, v[3] = { 1, 2, 0 }, tau[3] = { 0, 0, 1 };
    slip_real a[2][3];
    int k;

    massless_leaf();
    for (k = 0; k < 2; ++k) {
        slip_data *data;

        def.repair_armature = k ? SLIP_R(4.0) : SLIP_R(0.01);
        TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, build_it(), err.what);
        TEST_ASSERT_EQUAL_INT(0, model->idle);
        TEST_ASSERT_EQUAL_INT(k + 1, report.count);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(warnings[k].what, k ? "armature=4" : "armature=0.01"), warnings[k].what);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_data_create(model, &mem, &data));
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_aba(model, data, q, v, tau, NULL, a[k]));
    }
    TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-12, 1e-4), (double)a[0][0], (double)a[1][0]);
    TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-12, 1e-4), (double)a[0][1], (double)a[1][1]);
    TEST_ASSERT((double)a[0][2] > (double)a[1][2] + 90);       /* 1/0.01 - 1/4 */
}

/* A chain of three without any mass: all of it is repaired, and said once. */
static void test_a_robot_without_any_mass_is_repaired_whole(void)
{
    int i;

    massless_leaf();
    for (i = 0; i < 2; ++i) {
        links[i].mass = 0;
        memset(links[i].inertia, 0, sizeof links[i].inertia);
    }
    def.repair_armature = SLIP_R(0.5);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, build_it(), err.what);
    TEST_ASSERT_EQUAL_INT(1, report.count);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(warnings[0].what, "'shoulder' (and 2 more)"), warnings[0].what);
    for (i = 0; i < 3; ++i) TEST_ASSERT_EQUAL_DOUBLE(0.5, (double)model->armature[i]);
}

static void test_a_point_mass_on_the_axis_cannot_turn_but_can_slide(void)
{
    two_links();
    add_link("bead", 1);
    memset(links[2].inertia, 0, sizeof links[2].inertia);
    add_joint("spin", SLIP_JOINT_CONTINUOUS, 1, 2);
    assert_idle("'spin'", "'bead'");
    joints[2].type = SLIP_JOINT_PRISMATIC;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, build_it());
    TEST_ASSERT_EQUAL_INT(0, model->idle);
}

static void test_a_massless_link_between_two_bodies_is_fine(void)
{
    two_links();
    links[0].mass = 0;                                   /* as between the two axes of a universal joint */
    memset(links[0].inertia, 0, sizeof links[0].inertia);
    slip_set3(0, 1, 0, joints[0].axis);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, build_it(), err.what);
}

/* ---- mimic ---------------------------------------------------------------------------------------------- */

static void test_mimic_chains_multiply_and_add_up(void)
{
    int b;

    two_links();
    add_link("c", 1);
    add_joint("third", SLIP_JOINT_PRISMATIC, 1, 2);
    joints[1].mimic = 0;  joints[1].mimic_scale = 2;  joints[1].mimic_offset = SLIP_R(0.5);
    joints[2].mimic = 1;  joints[2].mimic_scale = -3; joints[2].mimic_offset = SLIP_R(0.25);
    joints[2].damping = 1;
    joints[2].friction = 1;
    joints[2].armature = SLIP_R(0.5);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, build_it());
    TEST_ASSERT_EQUAL_INT(1, model->nv);
    TEST_ASSERT_EQUAL_INT(3, model->ndofs);
    b = model->joint_body[2];                            /* -3 (2 q + 0.5) + 0.25 */
    TEST_ASSERT_TRUE(model->scale[b] == -6 && model->offset[b] == SLIP_R(-1.25) && model->mimics[b] == 1);
    TEST_ASSERT_TRUE_MESSAGE(model->damping[0] == 36, "losses seen from the leader: scale^2 d");
    TEST_ASSERT_TRUE_MESSAGE(model->friction[0] == 6, "|scale| f");
    TEST_ASSERT_TRUE_MESSAGE(model->armature[0] == 18, "scale^2 armature");
}

static void test_limits_of_a_follower_narrow_those_of_its_leader_unless_nothing_is_left(void)
{
    for (int later = 0; later < 2; ++later) {
        const int leader = later, follower = 1 - later;

        setUp();
        two_links();
        joints[leader].lower = -1;
        joints[leader].upper = 2;
        joints[follower].mimic = leader;
        joints[follower].mimic_scale = -2;
        joints[follower].mimic_offset = SLIP_R(0.5);
        joints[follower].lower = SLIP_R(-1.5);           /* q <= 1 */
        joints[follower].upper = 6;                      /* q >= -2.75 */
        TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, build_it(), err.what);
        TEST_ASSERT_TRUE(model->lower[0] == -1 && model->upper[0] == 1);
        TEST_ASSERT_EQUAL_INT(0, report.count);
    }
    joints[0].lower = SLIP_R(-9.5);                      /* 3 <= q <= 5: never where the leader may be */
    joints[0].upper = SLIP_R(-5.5);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, build_it());
    TEST_ASSERT_TRUE(model->lower[0] == -1 && model->upper[0] == 2);
    TEST_ASSERT_EQUAL_INT(1, report.count);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(warnings[0].what, "limits are left out"), warnings[0].what);
}

static void test_a_joint_may_mimic_one_that_comes_later(void)
{
    two_links();
    joints[0].mimic = 1;
    joints[0].mimic_scale = SLIP_R(0.5);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, build_it());
    TEST_ASSERT_EQUAL_INT(1, model->nv);
    TEST_ASSERT_EQUAL_INT(0, model->iq[1]);
    TEST_ASSERT_EQUAL_INT(0, model->iq[2]);
}

static void test_mimic_cycles_and_kinds_that_cannot_follow_are_refused(void)
{
    two_links();
    joints[0].mimic = 1;
    joints[1].mimic = 0;
    assert_refused(SLIP_ERR_MODEL, 100, "'shoulder'", "mimics itself", NULL);
    joints[0].mimic = 0;
    joints[1].mimic = -1;
    assert_refused(SLIP_ERR_MODEL, 100, "'shoulder'", "mimics itself", NULL);
    joints[0].mimic = -1;
    joints[1].mimic = 0;
    joints[0].type = SLIP_JOINT_BALL;
    assert_refused(SLIP_ERR_MODEL, 101, "'elbow' (revolute)", "'shoulder' (ball)", "one freedom");
    joints[0].type = SLIP_JOINT_FIXED;
    assert_refused(SLIP_ERR_MODEL, 101, "'elbow'", "(fixed)", NULL);
    joints[0].type = SLIP_JOINT_REVOLUTE;
    joints[1].type = SLIP_JOINT_PLANAR;
    assert_refused(SLIP_ERR_MODEL, 101, "'elbow' (planar)", "'shoulder' (revolute)", NULL);
}

static tree t, u;
static slip_real q[NMAX], full_q[NMAX], v[NMAX], full_v[NMAX], a[NMAX], full_a[NMAX], x[NMAX], y[NMAX];
static slip_real M[NMAX*NMAX], full_M[NMAX*NMAX];

/* u: t's description with every joint independent; full_q, full_v: t's state in u's coordinates. */
static void independent_twin(void)
{
    slip_arena room;

    memcpy(u.links, t.links, sizeof u.links);
    memcpy(u.joints, t.joints, sizeof u.joints);
    u.def = t.def;
    u.def.links = u.links;
    u.def.joints = u.joints;
    for (int j = 0; j < u.def.njoints; ++j) u.joints[j].mimic = -1;
    room = slip_arena_over(u.memory, sizeof u.memory);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_model_build(&u.def, &room, &u.model, NULL, &err));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_data_create(u.model, &room, &u.data));
}

/* Row of E for each freedom of the twin: which coordinate of t it follows and how fast. */
static void expand(const slip_real *from, slip_real *to)
{
    for (int d = 0; d < u.model->nv; ++d) to[d] = t.model->dof_scale[d]*from[t.model->dof_iv[d]];
}

static void expand_q(void)
{
    for (int b = 1; b < t.model->nbodies; ++b) {
        const int n = slip_joint_nq((slip_joint_type)t.model->type[b]);

        for (int i = 0; i < n; ++i)
            full_q[u.model->iq[b] + i] = t.model->mimics[b] ? t.model->scale[b]*q[t.model->iq[b]] + t.model->offset[b]
                                                             : q[t.model->iq[b] + i];
    }
}

static void assert_near(double scale, double expected, double actual, const char *what)
{
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)SLIP_TOL(1e-12, 1e-4)*(1 + scale), expected, actual, what);
}

static void test_mimic_reduction_is_E_transpose_M_E_of_the_independent_model(void)
{
    slip_random rng = slip_random_seed(99);
    int seen = 0;

    for (int k = 0; k < 60; ++k) {
        tree_options o = { 0 };
        double big = 0;

        o.links = 2 + k % 16;
        o.mimic = 1;
        o.armature = k % 2;
        o.only_simple = k % 3 != 0;
        o.floating_root = k % 4 == 0;
        tree_make(&t, &o, &rng);
        seen += t.model->nv < t.model->ndofs;
        independent_twin();
        const int n = t.model->nv, N = u.model->nv;

        TEST_ASSERT_EQUAL_INT(t.model->ndofs, N);
        slip_random_q(t.model, &rng, q);
        tree_random_vector(&rng, n, v);
        tree_random_vector(&rng, n, a);
        expand_q();
        expand(v, full_v);
        expand(a, full_a);
        slip_crba(t.model, t.data, q);
        slip_mass_matrix(t.model, t.data, M);
        slip_crba(u.model, u.data, full_q);
        slip_mass_matrix(u.model, u.data, full_M);
        for (int i = 0; i < N*N; ++i) big = fmax(big, fabs((double)full_M[i]));
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                double sum = 0;

                for (int d = 0; d < N; ++d)
                    for (int e = 0; e < N; ++e)
                        if (t.model->dof_iv[d] == i && t.model->dof_iv[e] == j)
                            sum += (double)(t.model->dof_scale[d]*full_M[d*N + e]*t.model->dof_scale[e]);
                assert_near(20*big, sum, (double)M[i*n + j], "E' M E");
            }
        slip_rnea(t.model, t.data, q, v, a, NULL, x);
        slip_rnea(u.model, u.data, full_q, full_v, full_a, NULL, y);
        for (int i = 0; i < n; ++i) {
            double sum = 0;

            for (int d = 0; d < N; ++d) if (t.model->dof_iv[d] == i) sum += (double)(t.model->dof_scale[d]*y[d]);
            assert_near(200*big, sum, (double)x[i], "E' tau");
        }
    }
    TEST_ASSERT_TRUE_MESSAGE(seen >= 20, "many of these trees do have mimic joints");
}

/* Whether the packed pattern has room for entry (i, j). */
static int in_pattern(const slip_branches *b, int i, int j)
{
    const int deep = i > j ? i : j, shallow = i > j ? j : i;

    for (int k = 0; k <= b->depth[deep]; ++k)
        if (b->path[b->row[deep] + k] == shallow) return 1;
    return 0;
}

static void test_a_mimic_across_branches_gets_the_elimination_tree_of_the_reduced_matrix(void)
{
    static const char *const names[5] = { "palm", "l1", "l2", "r1", "r2" };
    slip_data *data;
    int bad;

    /* two fingers of two links each on one palm; the right base follows the left tip */
    for (int i = 0; i < 5; ++i) add_link(names[i], 1);
    add_joint("slide", SLIP_JOINT_PRISMATIC, -1, 0);
    add_joint("l1", SLIP_JOINT_REVOLUTE, 0, 1);
    add_joint("l2", SLIP_JOINT_REVOLUTE, 1, 2);
    add_joint("r1", SLIP_JOINT_REVOLUTE, 0, 3);
    add_joint("r2", SLIP_JOINT_REVOLUTE, 3, 4);
    for (int i = 1; i < 5; ++i) {
        slip_set3(0, 1, 0, joints[i].axis);
        joints[i].origin.p[2] = SLIP_R(0.1)*(slip_real)i;
    }
    joints[3].mimic = 2;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, build_it());
    TEST_ASSERT_EQUAL_INT(4, model->nv);                 /* slide, l1, l2 = r1, r2 */
    for (int i = 0; i < 4; ++i) {
        TEST_ASSERT_TRUE(model->branches.parent[i] < i);
        TEST_ASSERT_EQUAL_INT(model->branches.parent[i] < 0 ? 0 : model->branches.depth[model->branches.parent[i]] + 1,
                              model->branches.depth[i]);
    }
    TEST_ASSERT_TRUE_MESSAGE(in_pattern(&model->branches, 3, 2), "r2 now depends on l2, which moves r1");
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_data_create(model, &mem, &data));
    q[0] = SLIP_R(0.1);  q[1] = SLIP_R(0.4);  q[2] = SLIP_R(-0.7);  q[3] = SLIP_R(1.1);
    slip_crba(model, data, q);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_ltl_factor(&model->branches, data->M, data->L, data->D_inv, &bad));
    slip_mass_matrix(model, data, M);
    for (int i = 0; i < 4; ++i) x[i] = v[i] = (slip_real)(i + 1);
    slip_ltl_solve(&model->branches, data->L, data->D_inv, x);
    for (int i = 0; i < 4; ++i) assert_near(10, (double)v[i], (double)slip_dot(4, M + 4*i, x), "M (M^-1 v) = v");
}

/* ---- memory --------------------------------------------------------------------------------------------- */

static void test_an_arena_of_any_smaller_size_is_an_error_and_left_as_it_was(void)
{
    unsigned char *block;
    size_t needed, bytes;

    two_links();
    add_link("c", 1);
    add_joint("c", SLIP_JOINT_BALL, 0, 2);
    add_link("d", 1);
    add_joint("d", SLIP_JOINT_PRISMATIC, 2, 3)->mimic = 0;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, build_it());
    needed = mem.peak + SLIP_ALIGN - 1;
    for (bytes = 0; bytes <= needed; ++bytes) {          /* malloc, so that a sanitizer sees every byte past the end */
        slip_arena small;
        const slip_model *m = NULL;
        slip_status s;

        block = (unsigned char *)malloc(bytes ? bytes : 1);
        TEST_ASSERT_NOT_NULL(block);
        small = slip_arena_over(block, bytes);
        slip_error_clear(&err);
        s = slip_model_build(&def, &small, &m, NULL, &err);
        if (s != SLIP_OK) {
            free(block);
            TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, s);
            TEST_ASSERT_NULL(m);
            TEST_ASSERT_TRUE(small.low == 0 && small.high == small.size);
            TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, "memory"), err.what);
            TEST_ASSERT_TRUE_MESSAGE(bytes < needed, "what the peak says is enough");
        } else free(block);
    }
}

static void test_data_fits_in_what_it_asks_for_and_in_nothing_less(void)
{
    size_t bytes;
    unsigned char *block;
    slip_arena small;
    slip_data *data;

    two_links();
    TEST_ASSERT_EQUAL_INT(SLIP_OK, build_it());
    bytes = slip_data_bytes(model);
    block = (unsigned char *)malloc(bytes + SLIP_ALIGN);
    TEST_ASSERT_NOT_NULL(block);
    for (size_t less = 0; less < bytes; less += 7) {
        small = slip_arena_over(block, less);
        if (slip_data_create(model, &small, &data) == SLIP_OK) break;
        TEST_ASSERT_EQUAL_INT(0, (int)small.low);
        TEST_ASSERT_TRUE(less + SLIP_ALIGN <= bytes + SLIP_ALIGN);
    }
    for (int off = 0; off < SLIP_ALIGN; ++off) {         /* however the block is aligned */
        small = slip_arena_over(block + off, bytes);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_data_create(model, &small, &data));
    }
    free(block);
}

/* ---- size ----------------------------------------------------------------------------------------------- */

enum { MANY = 10000 };

static void test_a_forest_of_ten_thousand_bodies_builds(void)
{
    static slip_link_def many_links[MANY];
    static slip_joint_def many_joints[MANY];
    static char names[MANY][12];
    const size_t bytes = (size_t)128 << 20;
    unsigned char *block = (unsigned char *)malloc(bytes);
    slip_status s;
    slip_data *data = NULL;
    slip_arena big;

    TEST_ASSERT_NOT_NULL(block);
    for (int i = 0; i < MANY; ++i) {                     /* a thousand trees of ten */
        slip_format(names[i], 12, "n%d", i);
        memset(&many_links[i], 0, sizeof many_links[i]);
        many_links[i].name = names[i];
        many_links[i].mass = 1;
        many_links[i].inertia[0] = many_links[i].inertia[3] = many_links[i].inertia[5] = 1;
        many_joints[i] = slip_joint_defaults();
        many_joints[i].name = names[i];
        many_joints[i].type = i % 10 ? SLIP_JOINT_REVOLUTE : SLIP_JOINT_FLOATING;
        many_joints[i].child = i;
        many_joints[i].parent = i % 10 ? i - 1 - (i % 10 > 4 ? 2 : 0) : -1;
        many_joints[i].origin.p[0] = SLIP_R(0.3);
    }
    def.links = many_links;
    def.joints = many_joints;
    def.nlinks = def.njoints = MANY;
    big = slip_arena_over(block, bytes);
    s = slip_model_build(&def, &big, &model, NULL, &err);
    if (s == SLIP_OK && slip_data_create(model, &big, &data) == SLIP_OK) {
        slip_real *state = slip_arena_reals(&big, (size_t)(model->nq + 3*model->nv));

        if (state) {
            memset(state, 0, (size_t)(model->nq + 3*model->nv)*sizeof *state);
            slip_neutral(model, state);
            s = slip_aba(model, data, state, state + model->nq, state + model->nq + model->nv, NULL,
                         state + model->nq + 2*model->nv);
            x[0] = state[model->nq + 2*model->nv + 2];   /* free fall */
        } else s = SLIP_ERR_WORKSPACE;
    }
    free(block);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, s, err.what);
    TEST_ASSERT_NOT_NULL(data);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, -9.81, (double)x[0]);
}

/* The stack below is full of something before a default is asked for; by pointers that a compiler cannot see through. */
static void fill_stack(void)
{
    volatile unsigned char mess[4096];
    int i;

    for (i = 0; i < (int)sizeof mess; ++i) mess[i] = 0x5a;
}

static void ask_default(void)
{
    const slip_joint_def j = slip_joint_defaults();

    TEST_ASSERT_EQUAL_INT(0, j.line);
    TEST_ASSERT_EQUAL_INT(0, j.column);
}

static void test_a_default_joint_has_no_place_in_a_file(void)
{
    void (*volatile fill)(void) = fill_stack, (*volatile ask)(void) = ask_default;

    fill();
    ask();
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_fixed_links_are_lumped_into_the_body_that_carries_them);
    RUN_TEST(test_links_fixed_to_the_world_do_not_count);
    RUN_TEST(test_bodies_come_parents_first_whatever_the_order_of_the_description);
    RUN_TEST(test_axes_are_turned_onto_z_and_link_frames_survive);
    RUN_TEST(test_an_empty_model_and_one_that_cannot_move_are_fine);
    RUN_TEST(test_names_are_copied);
    RUN_TEST(test_limits_and_losses_land_on_their_coordinates);
    RUN_TEST(test_two_links_or_joints_of_one_name_are_refused);
    RUN_TEST(test_missing_names_and_descriptions_are_refused);
    RUN_TEST(test_two_joints_above_a_link_are_refused);
    RUN_TEST(test_a_loop_of_joints_is_refused);
    RUN_TEST(test_numbers_that_are_not_finite_are_refused_by_name);
    RUN_TEST(test_values_out_of_range_are_refused_by_name);
    RUN_TEST(test_unphysical_inertias_are_warnings_by_link_name);
    RUN_TEST(test_inertia_without_mass_is_a_warning);
    RUN_TEST(test_only_the_lumped_body_is_judged);
    RUN_TEST(test_a_leaf_without_inertia_has_kinematics_and_a_warning_that_names_the_cure);
    RUN_TEST(test_a_rod_that_floats_is_found);
    RUN_TEST(test_a_repaired_leaf_moves_and_changes_no_other_joint);
    RUN_TEST(test_a_robot_without_any_mass_is_repaired_whole);
    RUN_TEST(test_a_point_mass_on_the_axis_cannot_turn_but_can_slide);
    RUN_TEST(test_a_massless_link_between_two_bodies_is_fine);
    RUN_TEST(test_mimic_chains_multiply_and_add_up);
    RUN_TEST(test_limits_of_a_follower_narrow_those_of_its_leader_unless_nothing_is_left);
    RUN_TEST(test_a_joint_may_mimic_one_that_comes_later);
    RUN_TEST(test_mimic_cycles_and_kinds_that_cannot_follow_are_refused);
    RUN_TEST(test_mimic_reduction_is_E_transpose_M_E_of_the_independent_model);
    RUN_TEST(test_a_mimic_across_branches_gets_the_elimination_tree_of_the_reduced_matrix);
    RUN_TEST(test_an_arena_of_any_smaller_size_is_an_error_and_left_as_it_was);
    RUN_TEST(test_data_fits_in_what_it_asks_for_and_in_nothing_less);
    RUN_TEST(test_a_default_joint_has_no_place_in_a_file);
    RUN_TEST(test_a_forest_of_ten_thousand_bodies_builds);
    return UNITY_END();
}
