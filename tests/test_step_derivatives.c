/* The derivative of a step with contact against extrapolated differences of slip_step() itself, at random states of
 * each class: free, sticking, sliding, limits, soft, bouncing, drives; balls, boxes and capsules on the ground and on
 * each other. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "unity.h"
#include "slipstick_parts.h"
#include "world_aid.h"

enum { NMAX = 64, ROWS = 2*NMAX + 64, COLUMNS = 5*NMAX + 200, TRIALS = 60 };

/* Differences of a step that is solved to 1e-15, over 1e-3 and less. */
#define TOL 1e-7

static aid_world w;
static slip_world *world;
static slip_random rng;
static unsigned char memory[1 << 24], model_memory[1 << 22], before[1 << 20];
static slip_arena mem;
static slip_step_jacobian J;
static slip_real result[2][ROWS], column[4][ROWS], q0[NMAX], q1[NMAX], v1[NMAX];
static slip_integrator integrator;
static int kinks, columns;                                   /* columns whose differences cross a kink, all */
static int refused;                                          /* states that have no derivative */
static int features_changed;                                  /* another face came lowest in a move */
static int compared[4];                                      /* open, sticking, sliding contacts; closed limits */

void setUp(void)
{
    rng = slip_random_seed(77);
    memset(compared, 0, sizeof compared);
    kinks = columns = refused = 0;
}
void tearDown(void)
{
    TEST_ASSERT_TRUE_MESSAGE(kinks <= columns/100, "too many columns cross a kink");
}

static slip_real uniform(double a, double b) { return slip_random_uniform(&rng, (slip_real)a, (slip_real)b); }

static void exact_options(slip_world_options *o)
{
    *o = slip_world_defaults();
    o->integrator = integrator;
    o->exact_mean = 1;
    o->solve.tol = SLIP_TOL(1e-15, 1e-6);
    o->reuse = 0;
    o->warm_start = 0;                            /* else directions of sliding are known to sqrt(tol) alone */
    o->dt = SLIP_R(0.005);
}

/* ---- differences ------------------------------------------------------------------------------------------------- */

/* Moves input k of the Jacobian's columns by h. */
static void move_input(int k, slip_real h)
{
    const slip_model *m = slip_world_model(world);
    const int nv = m->nv, i = k % nv;

    if (k < nv) {
        slip_real e[NMAX] = { 0 };

        e[i] = 1;
        slip_integrate(m, slip_world_q(world), e, h, slip_world_q(world));
    } else if (k < 2*nv) slip_world_v(world)[i] += h;
    else if (k < 3*nv) slip_world_tau(world)[i] += h;
    else if (k < 4*nv) slip_world_drive(world, i)->q_ref += h;
    else if (k < 5*nv) slip_world_drive(world, i)->v_ref += h;
    else if (k < J.friction) slip_world_wrench(world)[k - 5*nv] += h;
    else {
        slip_material m0 = *slip_world_material(world, 0);
        slip_real *const of[4] = { &m0.friction, &m0.restitution, &m0.stiffness, &m0.damping };

        *of[k - J.friction] += h;
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_world_set_material(world, 0, &m0));
    }
}

/* The size of the move of an input: what keeps the modes, and is not lost in rounding. */
static slip_real move_size(int k)
{
    const int nv = J.nv;

    if (k < nv) return SLIP_R(2e-5);
    if (k >= J.friction) return k - J.friction < 2 ? SLIP_R(1e-4) : k - J.friction == 2 ? 10 : SLIP_R(0.1);
    return (k >= 2*nv && k < 3*nv) || k >= J.wrench ? SLIP_R(1e-2) : SLIP_R(1e-4);
}

/* Whether a material's number k matters, so that it may be moved both ways. */
static int has_material(int k)
{
    const slip_material *m0 = slip_world_material(world, 0);

    return J.nc > 0 && (k == 0 ? m0->friction > 0 : k == 1 ? m0->restitution > 0 : m0->stiffness > 0);
}

/* The step's result with input k moved by h; q+ as a tangent vector at q1. */
static void moved(int k, slip_real h, slip_real *out)
{
    const slip_model *m = slip_world_model(world);
    const slip_material material = *slip_world_material(world, 0);

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_snapshot_restore(world, before, slip_snapshot_bytes(world)));
    move_input(k, h);
    TEST_ASSERT_TRUE(slip_step(world) >= 0);
    slip_difference(m, q1, slip_world_q(world), out);
    memcpy(out + m->nv, slip_world_v(world), (size_t)m->nv*sizeof *out);
    features_changed |= J.nc != slip_contact_count(world);
    for (int i = 0; i < J.nc; ++i) {
        const slip_contact_info c = slip_contact_get(world, i);

        slip_copy3(c.impulse, out + 2*m->nv + 3*i);
    }
    slip_world_set_material(world, 0, &material);
}

static double largest(int n, const slip_real *x)
{
    double most = 0;

    for (int i = 0; i < n; ++i) most = fmax(most, fabs((double)x[i]));
    return most;
}

/* Column k of the derivative by three central differences. Moves are so small that modes stay. */
static void difference(int k, slip_real h, slip_real *out)
{
    const int n = 2*J.nv + 3*J.nc;

    for (int l = 0; l < 3; ++l, h /= 2) {
        moved(k, h, result[0]);
        moved(k, -h, result[1]);
        for (int i = 0; i < n; ++i) column[l][i] = (result[0][i] - result[1][i])/(2*h);
    }
    for (int level = 1; level < 3; ++level)
        for (int l = 2; l >= level; --l)
            for (int i = 0; i < n; ++i)
                column[l][i] += (column[l][i] - column[l - 1][i])/(slip_real)((1 << (2*level)) - 1);
    memcpy(out, column[2], sizeof column[2]);
}

/* Whether all contacts and limits are far enough from a border for differences. */
static int is_smooth(void)
{
    for (int i = 0; i < J.nc; ++i) {
        const slip_contact_info c = slip_contact_get(world, i);
        const slip_real room = c.mu*c.impulse[2] - slip_norm2(c.impulse);

        /* corners of the velocity that works an overlap off: no gap, and max_push */
        if (slip_abs(c.gap) < SLIP_R(5e-5) || slip_abs(c.gap + SLIP_R(1e-3)) < SLIP_R(5e-5)) return 0;
        if (c.impulse[2] > 0) {
            if (slip_norm2(c.velocity) < SLIP_R(0.05) && room < SLIP_R(0.05)*c.mu*c.impulse[2]) return 0;
            if (c.impulse[2] < SLIP_R(0.02)) return 0;
            ++compared[room > SLIP_R(0.05)*c.mu*c.impulse[2] ? 1 : 2];
        } else {
            if (c.velocity[2] < SLIP_R(0.02)) return 0;
            ++compared[0];
        }
    }
    return 1;
}

/* Products with random vectors, against D of the same step: forward, adjoint, and one against the other. */
static void compare_products(const char *what)
{
    static unsigned char block[1 << 24];
    static slip_real x[COLUMNS], y[ROWS], out[ROWS], back[COLUMNS], plain[ROWS + COLUMNS];
    slip_arena own = slip_arena_over(block, sizeof block);
    slip_step_linear linear;
    slip_real forward = 0, adjoint = 0, most = 0, most_y = 0;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_snapshot_restore(world, before, slip_snapshot_bytes(world)));
    TEST_ASSERT_TRUE(slip_step_linear_bytes(world) <= sizeof block);
    TEST_ASSERT_TRUE_MESSAGE(slip_step_linearize(world, SLIP_BY_ALL, SLIP_R(0.01), &own, &linear) >= 0, what);
    TEST_ASSERT_EQUAL_INT(J.columns, linear.at.columns);
    TEST_ASSERT_EQUAL_INT(J.rows, linear.at.rows);
    for (int i = 0; i < J.columns; ++i) x[i] = uniform(-1, 1);
    for (int i = 0; i < J.rows; ++i) y[i] = uniform(-1, 1)*(slip_real)(J.unique || i < 2*J.nv);
    slip_step(world);                                        /* products do not depend on what the world does next */
    slip_step_forward(&linear, x, out);
    slip_step_adjoint(&linear, y, back);
    for (int i = 0; i < J.rows; ++i) {
        plain[i] = 0;
        for (int k = 0; k < J.columns; ++k) plain[i] += J.D[i*J.columns + k]*x[k];
        if (i < 2*J.nv || J.unique) most = fmax(most, fabs(plain[i]));
        forward += y[i]*out[i];
    }
    for (int i = 0; i < 2*J.nv + (J.unique ? 3*J.nc : 0); ++i)
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-12*(double)most, (double)plain[i], (double)out[i], what);
    for (int k = 0; k < J.columns; ++k) {
        plain[k] = 0;
        for (int i = 0; i < J.rows; ++i) plain[k] += J.D[i*J.columns + k]*y[i];
        most_y = fmax(most_y, fabs(plain[k]));
        adjoint += x[k]*back[k];
    }
    for (int k = 0; k < J.columns; ++k)
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-12*(double)most_y, (double)plain[k], (double)back[k], what);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-13*(double)(most*J.rows + most_y), (double)forward, (double)adjoint, what);
}

/* Some inputs alone have the columns that they have among all, as D and as products. */
static void compare_groups(const char *what)
{
    static unsigned char block[1 << 24];
    static const unsigned groups[3] = { SLIP_BY_TAU, SLIP_BY_MATERIAL | SLIP_BY_DENSITY, SLIP_BY_STATE };

    for (int g = 0; g < 3; ++g) {
        static slip_real weight[ROWS], gradient[COLUMNS];
        slip_arena own = slip_arena_over(block, sizeof block);
        slip_step_jacobian part;
        slip_step_linear linear;
        int first[2], all[2], n[2];

        slip_snapshot_restore(world, before, slip_snapshot_bytes(world));
        TEST_ASSERT_TRUE_MESSAGE(slip_step_derivatives(world, groups[g], SLIP_R(0.01), &own, &part) >= 0, what);
        TEST_ASSERT_EQUAL_INT(g == 2 ? 0 : -1, part.q);
        first[0] = g == 0 ? part.tau : g == 1 ? part.friction : part.q;
        all[0] = g == 0 ? J.tau : g == 1 ? J.friction : J.q;
        n[0] = g == 0 ? J.nv : g == 1 ? 4*J.nc : 2*J.nv;
        first[1] = part.density;
        all[1] = J.density;
        n[1] = g == 1 ? slip_world_model(world)->nbodies : 0;
        TEST_ASSERT_EQUAL_INT(n[0] + n[1], part.columns);
        for (int i = 0; i < 2*J.nv; ++i)
            for (int k = 0; k < 2; ++k)
                for (int c = 0; c < n[k]; ++c)
                    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-12*(1 + fabs((double)J.D[i*J.columns + all[k] + c])),
                                                      (double)J.D[i*J.columns + all[k] + c],
                                                      (double)part.D[i*part.columns + first[k] + c], what);
        slip_snapshot_restore(world, before, slip_snapshot_bytes(world));
        TEST_ASSERT_TRUE(slip_step_linearize(world, groups[g], SLIP_R(0.01), &own, &linear) >= 0);
        memset(weight, 0, sizeof weight);
        weight[J.nv] = 1;                                    /* the gradient of one number is a row of D */
        slip_step_adjoint(&linear, weight, gradient);
        for (int c = 0; c < part.columns; ++c)
            TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-11*(1 + fabs((double)part.D[J.nv*part.columns + c])),
                                              (double)part.D[J.nv*part.columns + c], (double)gradient[c], what);
    }
}

/* One step from the present state, differentiated and compared. Returns whether it was smooth: differences need more
 * distance from the borders of modes than derivatives. */
static int compare(const char *what)
{
    static slip_real D[ROWS], near[ROWS];
    const slip_model *m = slip_world_model(world);
    slip_status s;
    int rows;

    TEST_ASSERT_TRUE(slip_snapshot_bytes(world) <= sizeof before);
    slip_snapshot_save(world, before);
    memcpy(q0, slip_world_q(world), (size_t)m->nq*sizeof *q0);
    mem = slip_arena_over(memory, sizeof memory);
    s = slip_step_derivatives(world, SLIP_BY_ALL, SLIP_R(0.01), &mem, &J);
    if (s == SLIP_ERR_UNSUPPORTED) {
        ++refused;
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_snapshot_restore(world, before, slip_snapshot_bytes(world)));
        return 0;
    }
    if (s != SLIP_OK && s != SLIP_DEGENERATE)
        TEST_FAIL_MESSAGE(s < 0 ? slip_world_error(world)->what : slip_status_text(s));
    memcpy(q1, slip_world_q(world), (size_t)m->nq*sizeof *q1);
    memcpy(v1, slip_world_v(world), (size_t)m->nv*sizeof *v1);
    if (s == SLIP_DEGENERATE || !is_smooth()) return 0;
    compare_products(what);
    compare_groups(what);
    rows = 2*m->nv + (J.unique ? 3*J.nc : 0);
    for (int k = 0; k < J.friction + 4; ++k) {               /* the last four: one material for all contacts */
        const int of = k - J.friction, at = of < 0 ? k : J.friction + of*J.nc;
        double scale;
        int kinked = 0;

        if (of >= 0 && !has_material(of)) continue;
        features_changed = 0;
        difference(k, move_size(k), D);
        if (features_changed) return 0;
        scale = 2e-2 + largest(rows, D);
        for (int i = 0; i < rows; ++i) {
            slip_real ours = J.D[i*J.columns + at];
            char where[128];

            for (int c = 1; of >= 0 && c < J.nc; ++c) ours += J.D[i*J.columns + at + c];
            if (of == 2) ours /= 2;                          /* two equal springs in series */
            if (fabs((double)D[i] - (double)ours) <= TOL*scale) continue;
            if (!kinked) difference(k, move_size(k)/16, near);   /* a kink of the step within the differences? */
            kinked = 1;
            if (fabs((double)near[i] - (double)ours) <= 16*TOL*scale) continue;
            snprintf(where, sizeof where, "%s: row %d (nv %d, nc %d), column %d of %d, mu from %d", what, i, J.nv, J.nc,
                     k, J.columns, J.friction);
            TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(TOL*scale, (double)D[i], (double)ours, where);
        }
        kinks += kinked;
        columns += 1;
    }
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_snapshot_restore(world, before, slip_snapshot_bytes(world)));
    return 1;
}

/* ---- bodies on the ground ---------------------------------------------------------------------------------------- */

static void random_state(int body, double height)
{
    slip_real *q = aid_q(&w, body), *v = aid_v(&w, body);

    slip_set3(uniform(-1, 1), uniform(-1, 1), (slip_real)height, q);
    slip_random_quat(&rng, q + 3);
    for (int i = 0; i < 3; ++i) { v[i] = uniform(-1, 1);  v[3 + i] = uniform(-4, 4); }
}

static void ground(slip_shape shape, double mu, double stiffness, double restitution)
{
    aid_begin(&w, (slip_real)mu);
    w.materials[0].stiffness = (slip_real)stiffness;
    w.materials[0].damping = stiffness > 0 ? 30 : 0;
    w.materials[0].restitution = (slip_real)restitution;
    exact_options(&w.world_def.options);
    aid_add(&w, shape, 2);
    for (int i = 0; shape.kind == SLIP_SHAPE_MESH && i < 6; i += i ? 2 : 3) w.links[0].inertia[i] = SLIP_R(0.02);
    slip_set3(SLIP_R(0.02), SLIP_R(-0.01), SLIP_R(0.015), w.links[0].com);
    aid_build(&w);
    world = w.world;
}

/* Height at which the lowest point has a gap. */
static void put_on_ground(int body, double gap)
{
    slip_real *q = aid_q(&w, body), low = (slip_real)INFINITY;

    TEST_ASSERT_TRUE(slip_world_update(world) >= 0);
    for (int i = 0; i < slip_contact_count(world); ++i) low = slip_min(low, slip_contact_get(world, i).gap);
    if (low < 1) q[2] += (slip_real)gap - low;
}

static void many_states(const char *what, slip_shape shape, double mu, double stiffness, double restitution, int least)
{
    int smooth = 0;

    ground(shape, mu, stiffness, restitution);
    for (int k = 0; k < TRIALS; ++k) {
        random_state(0, 0.05);
        put_on_ground(0, k % 3 == 0 ? uniform(1e-4, 2e-3) : uniform(-2e-3, -1e-4));
        aid_v(&w, 0)[2] = uniform(-1, 0.1);
        if (k % 2) slip_scale3(SLIP_R(0.02), aid_v(&w, 0) + 3, aid_v(&w, 0) + 3);
        for (int i = 0; i < 6; ++i) slip_world_wrench(world)[6 + i] = uniform(-3, 3);
        smooth += compare(what);
    }
    TEST_ASSERT_GREATER_THAN_INT_MESSAGE(least, smooth, what);
}

static void test_free_flight_of_a_body_that_tumbles(void)
{
    ground(slip_shape_box(SLIP_R(0.1), SLIP_R(0.2), SLIP_R(0.3)), 0.5, 0, 0);
    for (int k = 0; k < TRIALS; ++k) {
        random_state(0, 5);
        for (int i = 0; i < 6; ++i) slip_world_wrench(world)[6 + i] = uniform(-3, 3);
        TEST_ASSERT_TRUE(compare("flight"));
    }
}

static void test_balls_that_stick(void) { many_states("ball, mu 2", slip_shape_sphere(SLIP_R(0.1)), 2, 0, 0, 20); }
static void test_balls_that_slide(void)
{
    many_states("ball, mu 0.1", slip_shape_sphere(SLIP_R(0.1)), 0.1, 0, 0, 20);
    TEST_ASSERT_GREATER_THAN_INT(10, compared[2]);
    many_states("ball, mu 0", slip_shape_sphere(SLIP_R(0.1)), 0, 0, 0, 20);
}
static void test_boxes_on_corners(void)
{
    many_states("box, mu 0.5", slip_shape_box(SLIP_R(0.1), SLIP_R(0.15), SLIP_R(0.2)), 0.5, 0, 0, 15);
    TEST_ASSERT_GREATER_THAN_INT(2, compared[0]);
    TEST_ASSERT_GREATER_THAN_INT(2, compared[1]);
    TEST_ASSERT_GREATER_THAN_INT(2, compared[2]);
}
static void test_capsules(void) { many_states("capsule", slip_shape_capsule(SLIP_R(0.1), SLIP_R(0.2)), 0.4, 0, 0, 15); }
static void test_meshes(void)
{
    static unsigned char block[1 << 16];
    slip_arena hull_mem = slip_arena_over(block, sizeof block);
    slip_real points[3*12];
    slip_hull hull;

    for (int i = 0; i < 12; ++i) {
        slip_random_unit3(&rng, points + 3*i);
        slip_scale3(SLIP_R(0.15), points + 3*i, points + 3*i);
    }
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_hull_build(points, 12, 0, &hull_mem, &hull, NULL));
    many_states("mesh", slip_shape_mesh(&hull), 0.5, 0, 0, 15);
}
static void test_soft_ground(void)
{
    many_states("soft box", slip_shape_box(SLIP_R(0.1), SLIP_R(0.15), SLIP_R(0.2)), 0.5, 2000, 0, 15);
    many_states("soft ball", slip_shape_sphere(SLIP_R(0.1)), 0.3, 2000, 0, 15);
}
static void test_bouncing(void) { many_states("bouncing ball", slip_shape_sphere(SLIP_R(0.1)), 0.3, 0, 0.6, 15); }

/* Two balls and a ball on a box: both bodies move, the normal turns. */
static void test_bodies_on_each_other(void)
{
    for (int kind = 0; kind < 2; ++kind) {
        int smooth = 0;

        aid_begin(&w, SLIP_R(0.4));
        exact_options(&w.world_def.options);
        aid_add(&w, kind ? slip_shape_box(SLIP_R(0.3), SLIP_R(0.25), SLIP_R(0.2)) : slip_shape_sphere(SLIP_R(0.2)), 2);
        aid_add(&w, slip_shape_sphere(SLIP_R(0.1)), 1);
        aid_build(&w);
        world = w.world;
        for (int k = 0; k < TRIALS; ++k) {
            slip_real at[3], turned[3];

            random_state(0, 5);
            random_state(1, 5);
            if (kind) slip_set3(uniform(-0.2, 0.2), uniform(-0.2, 0.2), SLIP_R(0.3) + uniform(-1e-3, 1e-3), at);
            else {
                slip_random_unit3(&rng, at);
                slip_scale3(SLIP_R(0.3) + uniform(-1e-3, 1e-3), at, at);
            }
            slip_quat_rotate(aid_q(&w, 0) + 3, at, turned);
            slip_add3(aid_q(&w, 0), turned, aid_q(&w, 1));
            smooth += compare(kind ? "ball on box" : "ball on ball");
        }
        TEST_ASSERT_GREATER_THAN_INT(20, smooth);
    }
    TEST_ASSERT_GREATER_THAN_INT(10, compared[1]);
    TEST_ASSERT_GREATER_THAN_INT(10, compared[2]);
}

/* ---- a leg: hinges, a slider, limits, drives --------------------------------------------------------------------- */

static slip_real density[4] = { 1, 1, 1, 1 };                /* factors of masses and inertias */
static slip_link_def links[4];
static slip_joint_def joints[4];
static slip_collider_def colliders[2];
static slip_material material;

/* A trunk on a ball joint, a hip, a knee and a telescope, with a ball for a foot; or on a planar joint (1), or on that
 * with a knee that follows the hip (2). */
static void leg(int planar, double mu)
{
    const int mimic = planar == 2;
    static const char *const names[] = { "trunk", "thigh", "shank", "foot" };
    slip_arena mem_model = slip_arena_over(model_memory, sizeof model_memory);
    slip_model_def def;
    slip_world_def world_def;
    const slip_model *m;
    slip_error err;

    memset(&def, 0, sizeof def);
    memset(&world_def, 0, sizeof world_def);
    memset(links, 0, sizeof links);
    for (int i = 0; i < 4; ++i) {
        links[i].name = names[i];
        links[i].mass = (slip_real)(2 - 0.4*i)*density[i];
        slip_set3(SLIP_R(0.02), SLIP_R(0.01), SLIP_R(-0.1), links[i].com);
        links[i].inertia[0] = links[i].inertia[3] = SLIP_R(0.02)*density[i];
        links[i].inertia[5] = SLIP_R(0.01)*density[i];
        joints[i] = slip_joint_defaults();
        joints[i].name = names[i];
        joints[i].parent = i - 1;
        joints[i].child = i;
        joints[i].type = i == 0 ? planar ? SLIP_JOINT_PLANAR : SLIP_JOINT_BALL : i == 3 ? SLIP_JOINT_PRISMATIC
            : SLIP_JOINT_REVOLUTE;
        slip_set3(0, 1, 0, joints[i].axis);
        if (i == 3) slip_set3(0, 0, 1, joints[i].axis);
        slip_set3(0, 0, i ? SLIP_R(-0.3) : 1, joints[i].origin.p);
        slip_mat3_identity(joints[i].origin.R);
        joints[i].damping = SLIP_R(0.1)*(slip_real)(i == 2);
        if (mimic && i == 2) {                               /* the knee follows the hip */
            joints[i].mimic = 1;
            joints[i].mimic_scale = SLIP_R(-0.7);
            continue;
        }
        if (i == 0) continue;
        joints[i].lower = i == 3 ? SLIP_R(-0.05) : -2;
        joints[i].upper = i == 3 ? SLIP_R(0.05) : 2;
    }
    def.name = "leg";
    def.nlinks = def.njoints = 4;
    def.links = links;
    def.joints = joints;
    slip_set3(0, 0, SLIP_R(-9.81), def.gravity);
    slip_error_clear(&err);
    if (slip_model_build(&def, &mem_model, &m, NULL, &err) < 0) TEST_FAIL_MESSAGE(err.what);
    memset(colliders, 0, sizeof colliders);
    for (int i = 0; i < 2; ++i) {
        colliders[i].name = i ? "ball" : "plane";
        colliders[i].link = i ? 3 : -1;
        colliders[i].shape = i ? slip_shape_sphere(SLIP_R(0.05)) : slip_shape_halfspace();
        slip_pose_identity(&colliders[i].pose);
        if (i) colliders[i].pose.p[2] = SLIP_R(-0.2);
        colliders[i].group = 1;
        colliders[i].mask = ~0u;
    }
    material = slip_material_defaults();
    material.friction = (slip_real)mu;
    world_def.model = m;
    world_def.ncolliders = 2;
    world_def.colliders = colliders;
    world_def.nmaterials = 1;
    world_def.materials = &material;
    exact_options(&world_def.options);
    world_def.options.soften = 0;
    if (slip_world_create(&world_def, &mem_model, &world, NULL, &err) < 0) TEST_FAIL_MESSAGE(err.what);
}

static void leg_state(int k)
{
    const slip_model *m = slip_world_model(world);
    slip_real *q = slip_world_q(world), *v = slip_world_v(world);

    slip_random_q(m, &rng, q);
    for (int i = 0; i < m->nv; ++i) v[i] = uniform(-1, 1);
    for (int i = 0; i < m->nq; ++i) if (i < m->nq - 3) q[i] *= m->nq == 6 ? SLIP_R(0.2) : 1;
    q[m->nq - 3] = uniform(-0.4, 0.4);
    q[m->nq - 2] = uniform(-0.4, 0.4);
    q[m->nq - 1] = k % 3 ? uniform(-0.04, 0.04) : SLIP_R(-0.05) + (k % 2 ? uniform(-8e-4, -1e-4) : uniform(1e-4, 1e-3));
    if (k % 3 == 0) v[m->nv - 1] = uniform(-1, -0.2);
    for (int i = m->nv - (m->ndofs > m->nv ? 2 : 3); i < m->nv; ++i) {
        slip_drive *d = slip_world_drive(world, i);

        d->kp = k % 2 ? 40 : 0;
        d->kd = k % 2 ? 2 : 0;
        d->q_ref = uniform(-0.3, 0.3);
        d->v_ref = uniform(-0.3, 0.3);
        d->effort = k % 5 == 1 ? SLIP_R(1.5) : (slip_real)INFINITY;
        d->implicit = k % 4 != 3;
    }
    for (int i = 0; i < m->nv; ++i) slip_world_tau(world)[i] = uniform(-2, 2);
}

static void test_legs_with_limits_and_drives(void)
{
    int smooth = 0, limits = 0, without = 0;

    for (int planar = 0; planar < 3; ++planar) {
        leg(planar, 0.6);
        for (int k = 0; k < 2*TRIALS; ++k) {
            leg_state(k);
            slip_snapshot_save(world, before);
            mem = slip_arena_over(memory, sizeof memory);
            if (slip_step_derivatives(world, SLIP_BY_ALL, SLIP_R(1e-6), &mem, &J) != SLIP_OK) {
                ++without;
                continue;
            }
            for (int i = 0; i < J.nl; ++i) limits += largest(J.columns, J.D + (2*J.nv + 3*J.nc + i)*J.columns) > 0;
            TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_snapshot_restore(world, before, slip_snapshot_bytes(world)));
            smooth += compare(planar ? "leg on a planar joint" : "leg on a ball joint");
        }
    }
    TEST_ASSERT_GREATER_THAN_INT(2*TRIALS, smooth);
    TEST_ASSERT_GREATER_THAN_INT(20, limits);
    TEST_ASSERT_LESS_THAN_INT(TRIALS, without);
}

/* Worlds of other masses, from the same snapshot: a leg, and a box that tumbles. */
static void test_densities(void)
{
    static slip_real D[ROWS], numbers[ROWS];
    const slip_real h = SLIP_R(1e-3);
    int compared_states = 0;

    for (int k = 0; k < 24; ++k) {
        const int box = k % 4 == 3;

        if (box) { ground(slip_shape_box(SLIP_R(0.1), SLIP_R(0.15), SLIP_R(0.2)), 0.5, 0, 0);  random_state(0, 3); }
        else { leg(k % 2, 0.6);  leg_state(3*k + 1); }
        slip_snapshot_save(world, before);
        mem = slip_arena_over(memory, sizeof memory);
        if (slip_step_derivatives(world, SLIP_BY_ALL, SLIP_R(0.01), &mem, &J) != SLIP_OK || !is_smooth()) continue;
        memcpy(q1, slip_world_q(world), (size_t)slip_world_model(world)->nq*sizeof *q1);
        ++compared_states;
        for (int body = 1; body < slip_world_model(world)->nbodies; ++body) {
            const int n = 2*J.nv;

            for (int side = 0; side < 4; ++side) {           /* h, -h, h/2, -h/2 */
                const slip_real move = (side % 2 ? -h : h)/(side < 2 ? 1 : 2), factor = 1 + move;

                if (box) {
                    aid_begin(&w, SLIP_R(0.5));
                    exact_options(&w.world_def.options);
                    aid_add(&w, slip_shape_box(SLIP_R(0.1), SLIP_R(0.15), SLIP_R(0.2)), 2*factor);
                    slip_set3(SLIP_R(0.02), SLIP_R(-0.01), SLIP_R(0.015), w.links[0].com);
                    aid_build(&w);
                    world = w.world;
                } else {
                    density[body - 1] = factor;
                    leg(k % 2, 0.6);
                    density[body - 1] = 1;
                }
                TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_snapshot_restore(world, before, slip_snapshot_bytes(world)));
                TEST_ASSERT_TRUE(slip_step(world) >= 0);
                slip_difference(slip_world_model(world), q1, slip_world_q(world), numbers);
                memcpy(numbers + J.nv, slip_world_v(world), (size_t)J.nv*sizeof *numbers);
                for (int i = 0; i < n; ++i) {
                    const slip_real slope = numbers[i]/(2*move), third = SLIP_R(1.0)/3;

                    D[i] = (side == 0 ? 0 : D[i]) + (side < 2 ? -third : 4*third)*slope;
                }
            }
            for (int i = 0; i < n; ++i)
                TEST_ASSERT_DOUBLE_WITHIN(TOL*(1 + largest(n, D)), (double)D[i],
                                          (double)J.D[i*J.columns + J.density + body]);
        }
    }
    TEST_ASSERT_GREATER_THAN_INT(10, compared_states);
}

/* ---- what cannot be differentiated ------------------------------------------------------------------------------- */

static slip_status derivatives(void)
{
    mem = slip_arena_over(memory, sizeof memory);
    return slip_step_derivatives(world, SLIP_BY_ALL, SLIP_R(1e-6), &mem, &J);
}

/* Four corners share the load in many ways, but velocities do not depend on how. */
static void test_a_box_at_rest_on_four_corners_says_that_impulses_are_not_unique(void)
{
    ground(slip_shape_box(SLIP_R(0.1), SLIP_R(0.1), SLIP_R(0.1)), 0.5, 0, 0);
    slip_set3(0, 0, SLIP_R(0.1), aid_q(&w, 0));
    for (int k = 0; k < 5; ++k) slip_step(world);
    TEST_ASSERT_EQUAL_INT(SLIP_DEGENERATE, derivatives());
    TEST_ASSERT_EQUAL_INT(4, J.nc);
    TEST_ASSERT_FALSE(J.unique);
    TEST_ASSERT_EQUAL_INT(4, J.nborder);                     /* their gaps are 0 */
    aid_q(&w, 0)[2] -= SLIP_R(2e-4);
    if (integrator == SLIP_MIDPOINT) aid_v(&w, 0)[2] = SLIP_R(-0.05);    /* at rest its energy's bound has a corner */
    TEST_ASSERT_TRUE(compare("box at rest"));
    TEST_ASSERT_EQUAL_INT(4, J.nc);
    TEST_ASSERT_FALSE(J.unique);
}

/* A ball that is pushed along the ground: below mu m g it sticks, above it slides, and at it both derivatives differ.
 * */
static void test_a_contact_between_sticking_and_sliding_is_listed(void)
{
    const slip_real weight = 2*(SLIP_R(9.81) + SLIP_R(0.01)/SLIP_R(0.005)), push[3] = { SLIP_R(0.9), 1, SLIP_R(1.1) };

    for (int k = 0; k < 3; ++k) {
        aid_begin(&w, SLIP_R(0.5));
        exact_options(&w.world_def.options);
        aid_add(&w, slip_shape_sphere(SLIP_R(0.1)), 2);
        aid_build(&w);
        world = w.world;
        slip_set3(0, 0, SLIP_R(0.0999), aid_q(&w, 0));       /* 0.01 m/s to work the overlap off */
        slip_world_wrench(world)[6] = SLIP_R(0.5)*weight*push[k];
        slip_world_wrench(world)[10] = SLIP_R(0.5)*weight*push[k]*SLIP_R(-0.09995);  /* amid the overlap */
        TEST_ASSERT_EQUAL_INT(k == 1 ? SLIP_DEGENERATE : SLIP_OK, derivatives());
        TEST_ASSERT_EQUAL_INT(k == 1, J.nborder);
        TEST_ASSERT_EQUAL_INT(1, J.nc);
        if (k == 1) TEST_ASSERT_EQUAL_INT(0, J.border[0]);
    }
}

/* A ball without weight that closes its gap in just one step. */
static void test_a_contact_between_open_and_closed_is_listed(void)
{
    aid_begin(&w, SLIP_R(0.5));
    exact_options(&w.world_def.options);
    aid_add(&w, slip_shape_sphere(SLIP_R(0.1)), 2);
    aid_build(&w);
    world = w.world;
    slip_set3(0, 0, SLIP_R(0.1), aid_q(&w, 0));
    aid_q(&w, 0)[2] += integrator == SLIP_EULER ? SLIP_R(1e-4) : SLIP_R(1.5e-4);   /* 1e-4 where forces act */
    slip_set3(SLIP_R(0.3), 0, SLIP_R(-0.02), aid_v(&w, 0));
    slip_world_wrench(world)[8] = 2*SLIP_R(9.81);
    TEST_ASSERT_EQUAL_INT(SLIP_DEGENERATE, derivatives());
    TEST_ASSERT_EQUAL_INT(1, J.nborder);
}

/* The same ball, smoothed: without a change the mean is D itself; with one, half of the samples close the gap, and v+
 * along it depends on the height by -1/dt in these and not at all in the others. */
static void test_the_randomised_derivative_is_a_mean_over_both_sides(void)
{
    slip_step_smoothed mean;
    slip_real between;
    slip_status s;

    aid_begin(&w, SLIP_R(0.5));
    exact_options(&w.world_def.options);
    aid_add(&w, slip_shape_sphere(SLIP_R(0.1)), 2);
    aid_build(&w);
    world = w.world;
    slip_set3(0, 0, SLIP_R(0.1), aid_q(&w, 0));
    aid_q(&w, 0)[2] += integrator == SLIP_EULER ? SLIP_R(1e-4) : SLIP_R(1.5e-4);
    slip_set3(SLIP_R(0.3), 0, SLIP_R(-0.02), aid_v(&w, 0));
    slip_world_wrench(world)[8] = 2*SLIP_R(9.81);
    slip_snapshot_save(world, before);
    TEST_ASSERT_TRUE(slip_step_smoothed_bytes(world) <= sizeof memory);
    TEST_ASSERT_EQUAL_INT(SLIP_DEGENERATE, derivatives());
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_snapshot_restore(world, before, slip_snapshot_bytes(world)));
    mem = slip_arena_over(memory, slip_step_smoothed_bytes(world));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_step_derivatives_randomised(world, SLIP_BY_STATE | SLIP_BY_TAU, SLIP_R(2e-5), 0,
                                                                    400, 5, &mem, &mean));
    TEST_ASSERT_EQUAL_INT(400, mean.samples + mean.without);
    TEST_ASSERT_EQUAL_INT(12 + 6, mean.columns);
    between = mean.D[8*mean.columns + mean.q + 2]*SLIP_R(-0.005);
    TEST_ASSERT_DOUBLE_WITHIN(0.1, 0.5, (double)between);    /* 400 coins: a deviation of 0.025 */
    TEST_ASSERT_EQUAL_INT(1, slip_world_stats(world)->contacts);
    s = slip_step_derivatives_randomised(world, SLIP_BY_ALL, 0, 0, 1, 5, &mem, &mean);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, s);
    s = slip_step_derivatives_randomised(world, SLIP_BY_TAU, 0, 0, 0, 5, &mem, &mean);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, s);
    mem = slip_arena_over(memory, 100);
    s = slip_step_derivatives_randomised(world, SLIP_BY_TAU, 0, 0, 1, 5, &mem, &mean);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, s);
}

static void assert_refused(const char *word)
{
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_UNSUPPORTED, derivatives());
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(slip_world_error(world)->what, word), slip_world_error(world)->what);
    TEST_ASSERT_EQUAL_UINT64(0, slip_arena_mark(&mem));
}

static void test_what_is_not_supported_is_refused_with_its_name(void)
{
    ground(slip_shape_cylinder(SLIP_R(0.1), SLIP_R(0.1)), 0.5, 0, 0);
    slip_set3(0, 0, SLIP_R(0.1), aid_q(&w, 0));
    slip_world_options_of(world)->integrator = SLIP_FOURTH;
    aid_q(&w, 0)[2] = 5;
    assert_refused("fourth");
    slip_world_options_of(world)->sleep = SLIP_R(0.01);
    assert_refused("sleep");
    slip_world_options_of(world)->sleep = 0;
    slip_world_options_of(world)->law.kind = SLIP_LAW_CFM;
    assert_refused("law");
    slip_world_options_of(world)->law.kind = SLIP_LAW_RIGID;
    slip_world_options_of(world)->solver = slip_solver_find("lcp-pgs");
    assert_refused("NCP");
}

static void test_too_little_memory_is_an_error(void)
{
    size_t bytes;

    ground(slip_shape_sphere(SLIP_R(0.1)), 0.5, 0, 0);
    slip_set3(0, 0, SLIP_R(0.1), aid_q(&w, 0));
    bytes = slip_step_jacobian_bytes(world);
    TEST_ASSERT_TRUE(bytes <= sizeof memory);
    mem = slip_arena_over(memory, bytes);
    TEST_ASSERT_EQUAL_INT(SLIP_DEGENERATE, slip_step_derivatives(world, SLIP_BY_ALL, SLIP_R(1e-9), &mem, &J));
    for (size_t size = 0; size < 4096; size += 512) {
        mem = slip_arena_over(memory, size);
        TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, slip_step_derivatives(world, SLIP_BY_ALL, SLIP_R(1e-6), &mem, &J));
        TEST_ASSERT_EQUAL_UINT64(0, slip_arena_mark(&mem));
    }
    mem = slip_arena_over(memory, bytes);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_step_derivatives(world, SLIP_BY_ALL, 0, &mem, &J));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_step_derivatives(world, 0, SLIP_R(1e-6), &mem, &J));
}

int main(void)
{
    UNITY_BEGIN();
    for (integrator = SLIP_MIDPOINT; sizeof(slip_real) == sizeof(double) && integrator <= SLIP_EULER; ++integrator) {
        /* differences of float steps say little */
        RUN_TEST(test_free_flight_of_a_body_that_tumbles);
        RUN_TEST(test_balls_that_stick);
        RUN_TEST(test_balls_that_slide);
        RUN_TEST(test_boxes_on_corners);
        RUN_TEST(test_capsules);
        RUN_TEST(test_meshes);
        RUN_TEST(test_soft_ground);
        RUN_TEST(test_bouncing);
        RUN_TEST(test_bodies_on_each_other);
        RUN_TEST(test_legs_with_limits_and_drives);
        RUN_TEST(test_densities);
        RUN_TEST(test_a_box_at_rest_on_four_corners_says_that_impulses_are_not_unique);
        RUN_TEST(test_a_contact_between_sticking_and_sliding_is_listed);
        RUN_TEST(test_a_contact_between_open_and_closed_is_listed);
        RUN_TEST(test_the_randomised_derivative_is_a_mean_over_both_sides);
    }
    RUN_TEST(test_what_is_not_supported_is_refused_with_its_name);
    RUN_TEST(test_too_little_memory_is_an_error);
    return UNITY_END();
}
