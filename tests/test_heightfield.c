/* Height fields: look-up, prisms, and contacts: flat ground is flat everywhere, ridges and valleys are felt
 * where they are, nothing falls through and nothing stumbles. */
#include "unity.h"
#include "hull_check.h"
#include "geom/distance.h"
#include "geom/heightfield_contact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static slip_random rng;
static unsigned char block[1 << 21];
static slip_arena arena;
static slip_heightfield field;
static slip_pose at_origin;
static slip_field_contact c[SLIP_FIELD_CONTACTS];

#define EPS ((double)SLIP_REAL_EPS)
#define FLOATS (sizeof(slip_real) == 4)

void setUp(void)
{
    rng = slip_random_seed(31);
    arena = slip_arena_over(block, sizeof block);
    slip_pose_identity(&at_origin);
}
void tearDown(void) { }

static slip_real flat(void *context, slip_real x, slip_real y) { (void)x;  (void)y;  return *(slip_real *)context; }
static slip_real slope(void *context, slip_real x, slip_real y)
{
    const slip_real *k = (const slip_real *)context;

    return k[0]*x + k[1]*y;
}
static slip_real roof(void *context, slip_real x, slip_real y) { (void)y;  return -*(slip_real *)context*slip_abs(x); }
static slip_real waves(void *context, slip_real x, slip_real y)
{
    (void)context;
    return SLIP_R(0.2)*slip_sin(3*x) + SLIP_R(0.15)*slip_cos(4*y + x);
}

static void make(int n, slip_real step, slip_height_function f, void *context)
{
    slip_error err;

    arena = slip_arena_over(block, sizeof block);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_heightfield_from(n, n, step, step, f, context, &arena, &field, &err));
}

static slip_pose pose_at(slip_real x, slip_real y, slip_real z)
{
    slip_pose X;

    slip_pose_identity(&X);
    slip_set3(x, y, z, X.p);
    return X;
}

/* Anywhere over the square of +-far, at height z. */
static slip_pose pose_over(slip_real far, slip_real z)
{
    const slip_real x = slip_random_uniform(&rng, -far, far);

    return pose_at(x, slip_random_uniform(&rng, -far, far), z);
}

static int contacts(const slip_shape *s, const slip_pose *X, slip_real margin)
{
    const int n = slip_heightfield_contacts(&field, &at_origin, s, X, margin, NULL, c);

    TEST_ASSERT(n >= 0 && n <= SLIP_FIELD_CONTACTS);
    return n;
}

static void test_heights_and_normals_are_those_of_the_triangles(void)
{
    const slip_real h[6] = { 0, 1, 3, 2, 5, 4 };
    slip_real z, n[3];
    slip_error err;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_heightfield_build(3, 2, 1, 2, h, &arena, &field, &err));
    TEST_ASSERT(field.x0 == -1 && field.y0 == -1 && field.lo == 0 && field.hi == 5);
    TEST_ASSERT_EQUAL_INT(1, slip_heightfield_at(&field, -1, -1, &z, n));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, z);
    TEST_ASSERT_EQUAL_INT(1, slip_heightfield_at(&field, 1, 1, &z, n));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 4, z);
    TEST_ASSERT_EQUAL_INT(1, slip_heightfield_at(&field, SLIP_R(-0.5), 0, &z, NULL));      /* on a diagonal */
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 2.5, z);
    TEST_ASSERT_EQUAL_INT(1, slip_heightfield_at(&field, SLIP_R(-0.25), SLIP_R(-0.5), &z, n));   /* lower right */
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0 + 0.75*1 + 0.25*4, z);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, slip_dot3(n, (const slip_real[3]){ 1, 0, 1 }));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, slip_dot3(n, (const slip_real[3]){ 0, 2, 4 }));
    TEST_ASSERT_EQUAL_INT(0, slip_heightfield_at(&field, SLIP_R(1.01), 0, &z, n));
    TEST_ASSERT_EQUAL_INT(0, slip_heightfield_at(&field, (slip_real)NAN, 0, &z, n));
}

static void test_bad_fields_are_refused(void)
{
    slip_real h[4] = { 0, 0, 0, 0 };
    slip_error err;

    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_heightfield_build(1, 4, 1, 1, h, &arena, &field, &err));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_heightfield_build(2, 2, 0, 1, h, &arena, &field, &err));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_heightfield_build(2, 1 << 20, 1, 1, h, &arena, &field, &err));
    h[3] = (slip_real)NAN;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_heightfield_build(2, 2, 1, 1, h, &arena, &field, &err));
    TEST_ASSERT_MESSAGE(strstr(err.what, "height 2 of row 2") != NULL, err.what);
    TEST_ASSERT_EQUAL_INT(0, (int)slip_arena_mark(&arena));
    h[3] = 0;
    arena = slip_arena_over(block, 16);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, slip_heightfield_build(2, 2, 1, 1, h, &arena, &field, &err));
}

static void test_bounds_enclose_the_surface(void)
{
    slip_real lo[3], hi[3], q[4], x[9];
    slip_pose X = pose_at(1, 2, 3);
    int t, k;

    make(20, SLIP_R(0.1), waves, NULL);
    slip_random_quat(&rng, q);
    slip_quat_to_mat3(q, X.R);
    slip_heightfield_bounds(&field, &X, 0, lo, hi);
    for (t = 0; t < 2*19*19; ++t) {
        slip_heightfield_triangle(&field, t, x);
        for (k = 0; k < 9; ++k) {
            slip_pose_point(&X, x + k/3*3, x + k/3*3);
            if (k % 3 == 2) TEST_ASSERT((double)lo[0] <= (double)x[k - 2] + 1e-5
                    && (double)x[k] <= (double)hi[2] + 1e-5);
            k += 2;
        }
    }
}

/* A ball anywhere over flat ground, on grid lines and diagonals too: one contact, the flat normal to the last
 * bit, the right gap. */
static void test_a_ball_on_flat_ground_sees_exactly_one_flat_contact(void)
{
    slip_real level = SLIP_R(0.25);
    const slip_shape ball = slip_shape_sphere(SLIP_R(0.3));
    int i;

    make(41, SLIP_R(0.1), flat, &level);
    for (i = 0; i < 3000; ++i) {
        slip_real x = slip_random_uniform(&rng, SLIP_R(-1.5), SLIP_R(1.5));
        slip_real y = slip_random_uniform(&rng, SLIP_R(-1.5), SLIP_R(1.5));
        const slip_real gap = slip_random_uniform(&rng, SLIP_R(-0.2), SLIP_R(0.04));
        slip_pose X;

        if (i % 3 == 0) x = SLIP_R(0.1)*slip_floor(10*x);
        if (i % 4 == 0) y = x;
        X = pose_at(x, y, level + SLIP_R(0.3) + gap);
        TEST_ASSERT_EQUAL_INT(1, contacts(&ball, &X, SLIP_R(0.05)));
        TEST_ASSERT(c[0].normal[0] == 0 && c[0].normal[1] == 0 && c[0].normal[2] == 1);
        TEST_ASSERT_DOUBLE_WITHIN(8*EPS, gap, c[0].gap);
        TEST_ASSERT_EQUAL_INT(0, (int)c[0].feature);
        TEST_ASSERT_DOUBLE_WITHIN(8*EPS, x, c[0].point[0]);
    }
}

static void test_a_box_on_flat_ground_has_its_four_corners_whatever_its_yaw(void)
{
    slip_real level = 0;
    const slip_shape box = slip_shape_box(SLIP_R(0.3), SLIP_R(0.2), SLIP_R(0.1));
    int i, k;

    make(41, SLIP_R(0.1), flat, &level);
    for (i = 0; i < 500; ++i) {
        const slip_real a[3] = { 0, 0, 1 };
        slip_pose X = pose_over(1, SLIP_R(0.0999));

        slip_mat3_from_axis_angle(a, slip_random_uniform(&rng, -3, 3), X.R);
        TEST_ASSERT_EQUAL_INT(4, contacts(&box, &X, SLIP_R(0.01)));
        for (k = 0; k < 4; ++k) {
            TEST_ASSERT(c[k].normal[2] == 1);
            TEST_ASSERT_DOUBLE_WITHIN(8*EPS, -0.0001, c[k].gap);
            TEST_ASSERT(c[k].feature < 4);
        }
    }
}

static void test_capsules_cylinders_and_meshes_rest_on_flat_ground(void)
{
    slip_real level = 0, x[24];
    const slip_shape capsule = slip_shape_capsule(SLIP_R(0.1), SLIP_R(0.4));
    const slip_shape can = slip_shape_cylinder(SLIP_R(0.2), SLIP_R(0.3));
    const slip_real a[3] = { 1, 0, 0 };
    slip_shape mesh;
    slip_hull hull;
    slip_pose X;
    int i, n, k;

    make(41, SLIP_R(0.1), flat, &level);
    X = pose_at(SLIP_R(0.03), SLIP_R(0.02), SLIP_R(0.1));
    slip_mat3_from_axis_angle(a, SLIP_PI/2, X.R);
    TEST_ASSERT_EQUAL_INT(2, contacts(&capsule, &X, SLIP_R(0.01)));
    for (k = 0; k < 2; ++k) TEST_ASSERT(c[k].normal[2] == 1 && (double)slip_abs(c[k].gap) < 1e-6);
    n = contacts(&can, &X, SLIP_R(0.01));                /* lying: both ends of its lowest line */
    TEST_ASSERT(n >= 2);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, -0.1, c[0].gap);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, -0.1, c[1].gap);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.6, slip_distance3(c[0].point, c[1].point));
    X = pose_at(0, 0, SLIP_R(0.3));
    TEST_ASSERT_EQUAL_INT(4, contacts(&can, &X, SLIP_R(0.01)));
    for (k = 0; k < 4; ++k) TEST_ASSERT(c[k].normal[2] == 1 && (double)slip_abs(c[k].gap) < 1e-6);
    for (i = 0; i < 8; ++i)
        slip_set3(i & 1 ? 1 : -1, i & 2 ? SLIP_R(0.5) : SLIP_R(-0.5), i & 4 ? SLIP_R(0.2) : SLIP_R(-0.2), x + 3*i);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_hull_build(x, 8, 0, &arena, &hull, NULL));
    mesh = slip_shape_mesh(&hull);
    X = pose_at(0, 0, SLIP_R(0.199));
    TEST_ASSERT_EQUAL_INT(4, contacts(&mesh, &X, SLIP_R(0.01)));
    for (k = 0; k < 4; ++k) TEST_ASSERT_DOUBLE_WITHIN(1e-6, -0.001, c[k].gap);
}

/* A tilted plane made of many triangles is one plane: gap and normal as against a half-space. */
static void test_a_slope_is_one_plane_for_every_shape(void)
{
    slip_real k[2] = { SLIP_R(0.4), SLIP_R(-0.7) };
    const slip_shape shape[4] = { slip_shape_sphere(SLIP_R(0.2)),
                                  slip_shape_box(SLIP_R(0.2), SLIP_R(0.1), SLIP_R(0.15)),
                                  slip_shape_capsule(SLIP_R(0.1), SLIP_R(0.2)),
                                  slip_shape_cylinder(SLIP_R(0.1), SLIP_R(0.2)) };
    slip_shape ground = slip_shape_halfspace();
    slip_real n[3];
    slip_pose plane;
    int i, m, j;

    make(61, SLIP_R(0.1), slope, k);
    slip_set3(-k[0], -k[1], 1, n);
    slip_normalize3(n, n);
    slip_pose_identity(&plane);
    slip_mat3_z_to(n, plane.R);
    for (i = 0; i < 800; ++i) {
        const slip_shape *s = &shape[i % 4];
        slip_distance_result d;
        slip_real q[4];
        slip_pose X = pose_over(1, 0);

        slip_random_quat(&rng, q);
        slip_quat_to_mat3(q, X.R);
        X.p[2] = k[0]*X.p[0] + k[1]*X.p[1] + slip_random_uniform(&rng, SLIP_R(0.05), SLIP_R(0.35));
        TEST_ASSERT(slip_distance(&ground, &plane, s, &X, NULL, &d) >= 0);
        m = contacts(s, &X, SLIP_R(0.05));
        if ((double)d.distance < 0.049) TEST_ASSERT_MESSAGE(m > 0, "a contact was missed");
        if ((double)d.distance > 0.051) TEST_ASSERT_EQUAL_INT(0, m);
        /* A cylinder that leans less than 6 degrees stands on fixed points, 22.5 degrees apart: a tenth of 2 %
         * of the radius at most. */
        if (m > 0) TEST_ASSERT_DOUBLE_WITHIN(i % 4 == 3 ? 2e-4 : 2e-6, d.distance, c[0].gap);
        for (j = 0; j < m; ++j) TEST_ASSERT_DOUBLE_WITHIN(100*EPS, 1, slip_dot3(c[j].normal, n));
    }
}

static void test_a_ridge_is_felt_only_on_the_ridge(void)
{
    slip_real steep = 1;
    const slip_shape ball = slip_shape_sphere(SLIP_R(0.2)), box = slip_shape_box(SLIP_R(0.3), SLIP_R(0.3), SLIP_R(0.1));
    slip_pose X = pose_at(0, SLIP_R(0.05), SLIP_R(0.19));
    int n, i;

    make(41, SLIP_R(0.1), roof, &steep);
    TEST_ASSERT_EQUAL_INT(1, contacts(&ball, &X, SLIP_R(0.01)));        /* on top: the edge, straight up */
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 1, c[0].normal[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, -0.01, c[0].gap);
    X = pose_at(SLIP_R(0.05), 0, SLIP_R(0.2));                          /* a little aside: leaning, still the edge */
    TEST_ASSERT_EQUAL_INT(1, contacts(&ball, &X, SLIP_R(0.02)));
    TEST_ASSERT((double)c[0].normal[0] > 0.2 && (double)c[0].normal[0] < 0.3);
    X = pose_at(SLIP_R(0.5), 0, SLIP_R(-0.5) + SLIP_R(0.2)*slip_sqrt(2));   /* on the flank: its plane */
    TEST_ASSERT_EQUAL_INT(1, contacts(&ball, &X, SLIP_R(0.02)));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, sqrt(0.5), c[0].normal[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, c[0].gap);
    X = pose_at(0, 0, SLIP_R(0.099));                                   /* a box across the ridge */
    n = contacts(&box, &X, SLIP_R(0.01));
    TEST_ASSERT(n >= 1);
    for (i = 0; i < n; ++i) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, 1, c[i].normal[2]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, -0.001, c[i].gap);
    }
}

static void test_a_valley_gives_a_contact_on_each_side(void)
{
    slip_real steep = -1;
    const slip_shape ball = slip_shape_sphere(SLIP_R(0.2));
    slip_pose X = pose_at(0, SLIP_R(0.05), SLIP_R(0.2)*slip_sqrt(2) - SLIP_R(0.001));

    make(41, SLIP_R(0.1), roof, &steep);
    TEST_ASSERT_EQUAL_INT(2, contacts(&ball, &X, SLIP_R(0.01)));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, c[0].normal[0] + c[1].normal[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, sqrt(0.5), c[0].normal[2]);
    TEST_ASSERT(c[0].feature != c[1].feature);
}

static double triangle_distance(const slip_real x[9], const slip_real p[3])
{
    slip_real n[3], u[3], v[3], d[3];
    double best = 1e9;
    int k, inside = 1;

    slip_sub3(x + 3, x, u);
    slip_sub3(x + 6, x, v);
    slip_cross3(u, v, n);
    slip_normalize3(n, n);
    for (k = 0; k < 3; ++k) {
        const slip_real *a = x + 3*k, *b = x + 3*((k + 1) % 3);
        slip_real e[3], s;

        slip_sub3(b, a, e);
        slip_sub3(p, a, d);
        slip_cross3(e, d, v);
        if (slip_dot3(v, n) < 0) inside = 0;
        s = slip_clamp(slip_dot3(e, d)/slip_dot3(e, e), 0, 1);
        slip_axpy3(-s, e, d, d);
        if ((double)slip_norm3(d) < best) best = (double)slip_norm3(d);
    }
    slip_sub3(p, x, d);
    return inside ? fabs((double)slip_dot3(n, d)) : best;
}

/* Over rough ground a ball's deepest contact is its true distance to the surface. */
static void test_a_ball_over_rough_ground_has_the_true_distance(void)
{
    const slip_shape ball = slip_shape_sphere(SLIP_R(0.15));
    int i, t, n;

    make(41, SLIP_R(0.1), waves, NULL);
    for (i = 0; i < 400; ++i) {
        slip_real ground, x[9];
        slip_pose X = pose_over(SLIP_R(1.5), 0);
        double best = 1e9;

        slip_heightfield_at(&field, X.p[0], X.p[1], &ground, NULL);
        X.p[2] = ground + slip_random_uniform(&rng, SLIP_R(0.02), SLIP_R(0.3));
        for (t = 0; t < 2*40*40; ++t) {
            slip_heightfield_triangle(&field, t, x);
            best = fmin(best, triangle_distance(x, X.p));
        }
        n = contacts(&ball, &X, SLIP_R(0.02));
        if (best - 0.15 < 0.0199) TEST_ASSERT_MESSAGE(n > 0, "a contact was missed");
        if (best - 0.15 > 0.0201) TEST_ASSERT_EQUAL_INT(0, n);
        if (n > 0) TEST_ASSERT_DOUBLE_WITHIN(2e-6, best - 0.15, c[0].gap);
    }
}

/* A ball's deepest normal turns smoothly as it moves over rough ground, and never points down. */
static void test_normals_on_rough_ground_never_jump(void)
{
    const slip_shape ball = slip_shape_sphere(SLIP_R(0.5));
    slip_real last[3] = { 0, 0, 1 };
    slip_pose X;
    int i, n;

    make(41, SLIP_R(0.1), waves, NULL);
    for (i = 0; i < 2000; ++i) {
        slip_real ground;

        X = pose_at(SLIP_R(-1) + SLIP_R(0.001)*(slip_real)i, SLIP_R(0.3), 0);
        slip_heightfield_at(&field, X.p[0], X.p[1], &ground, NULL);
        X.p[2] = ground + SLIP_R(0.45);
        n = contacts(&ball, &X, SLIP_R(0.05));
        TEST_ASSERT(n > 0);
        TEST_ASSERT((double)c[0].normal[2] > 0.3);
        if (i > 0 && n == 1) TEST_ASSERT_MESSAGE((double)slip_dot3(c[0].normal, last) > 0.7, "a jump");
        slip_copy3(c[0].normal, last);
    }
}

static void test_a_shape_under_the_surface_is_pushed_up(void)
{
    const slip_shape ball = slip_shape_sphere(SLIP_R(0.1)), box = slip_shape_box(SLIP_R(0.1), SLIP_R(0.1), SLIP_R(0.1));
    slip_pose X = pose_at(SLIP_R(0.31), SLIP_R(0.17), SLIP_R(-1.2));
    int n;

    make(41, SLIP_R(0.1), waves, NULL);
    n = contacts(&ball, &X, 0);
    TEST_ASSERT(n > 0 && (double)c[0].gap < -1 && (double)c[0].normal[2] > 0);
    n = contacts(&box, &X, 0);
    TEST_ASSERT(n > 0 && (double)c[0].gap < -1 && (double)c[0].normal[2] > 0);
    X.p[0] = 100;                                        /* beside the field there is nothing */
    TEST_ASSERT_EQUAL_INT(0, contacts(&ball, &X, 0));
}

/* The same scene turned and moved as a whole gives the same contacts turned and moved. */
static void test_contacts_move_with_the_world(void)
{
    const slip_shape box = slip_shape_box(SLIP_R(0.2), SLIP_R(0.3), SLIP_R(0.1));
    slip_field_contact turned[SLIP_FIELD_CONTACTS];
    int i, k;

    make(41, SLIP_R(0.1), waves, NULL);
    for (i = 0; i < 200; ++i) {
        slip_pose X = pose_over(1, 0), W, WX;
        slip_real q[4], p[3] = { 3, -2, 1 }, ground;
        int n;

        slip_random_quat(&rng, q);
        slip_quat_to_mat3(q, X.R);
        slip_heightfield_at(&field, X.p[0], X.p[1], &ground, NULL);
        X.p[2] = ground + slip_random_uniform(&rng, 0, SLIP_R(0.3));
        slip_random_quat(&rng, q);
        slip_pose_from(p, q, &W);
        slip_pose_mul(&W, &X, &WX);
        n = contacts(&box, &X, SLIP_R(0.01));
        TEST_ASSERT_EQUAL_INT(n, slip_heightfield_contacts(&field, &W, &box, &WX, SLIP_R(0.01), NULL, turned));
        for (k = 0; k < n && k < 1; ++k) {
            slip_real m[3];

            TEST_ASSERT_DOUBLE_WITHIN(1e-4, c[k].gap, turned[k].gap);
            slip_mat3_vec(W.R, c[k].normal, m);
            TEST_ASSERT_DOUBLE_WITHIN(1e-3, 1, slip_dot3(m, turned[k].normal));
        }
    }
}

static void test_bad_arguments_are_refused(void)
{
    const slip_shape ground = slip_shape_halfspace(), ball = slip_shape_sphere(1), bad = slip_shape_sphere(-1);
    slip_real level = 0;
    slip_pose X = pose_at(0, 0, (slip_real)NAN);

    make(5, 1, flat, &level);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_UNSUPPORTED, slip_heightfield_contacts(&field, &at_origin, &ground, &at_origin, 0,
            NULL, c));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_heightfield_contacts(&field, &at_origin, &ball, &X, 0, NULL, c));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_heightfield_contacts(&field, &at_origin, &bad, &at_origin, 0, NULL,
            c));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_heightfield_contacts(&field, &at_origin, &ball, &at_origin, -1, NULL,
            c));
}

/* ---- the border ------------------------------------------------------------------------------------------- */

enum { BORDER_SHAPES = 7 };

static slip_shape border_shape(int k)
{
    static slip_hull hull;
    static const slip_real corner[18] = { SLIP_R(0.09), 0, 0, SLIP_R(-0.09), 0, 0, 0, SLIP_R(0.08), 0, 0, SLIP_R(-0.08), 0,
                                          0, 0, SLIP_R(0.1), 0, 0, SLIP_R(-0.1) };

    switch (k) {
    case 0: return slip_shape_sphere(SLIP_R(0.08));
    case 1: return slip_shape_capsule(SLIP_R(0.05), SLIP_R(0.1));
    case 2: return slip_shape_box(SLIP_R(0.1), SLIP_R(0.06), SLIP_R(0.08));
    case 3: return slip_shape_box(SLIP_R(0.3), SLIP_R(0.3), SLIP_R(0.05));       /* larger than a cell */
    case 4: return slip_shape_cylinder(SLIP_R(0.07), SLIP_R(0.06));
    case 5: return slip_shape_cylinder(SLIP_R(0.12), SLIP_R(0.02));
    default:
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_hull_build(corner, 6, 0, &arena, &hull, NULL));
        return slip_shape_mesh(&hull);
    }
}

static char where[160];                                  /* what is being swept, for messages */

/* Least gap of a shape, or the margin when there is none. */
static double least_gap(const slip_shape *s, const slip_pose *X, slip_real margin)
{
    return contacts(s, X, margin) > 0 ? (double)c[0].gap : (double)margin;
}

/* Along a straight way a flat field of 2 m is the block that it looks like: apart, the gap is the block's to rounding;
 * overlapping by less than `deep`, the depth is the block's up to a factor (it takes several contacts to get a
 * corner out). The block's depth changes by no more than the way gone, so the field's jumps by a share of it at most. */
static void sweep_border(const slip_shape *s, slip_pose X, const slip_real way[3], double deep)
{
    const slip_shape solid = slip_shape_box(1, 1, 1);
    const slip_pose below = pose_at(0, 0, -1);
    const double close = FLOATS ? 5e-4 : 1e-9;           /* FIELD_RIDGE is 1e-4 in float, which decides who owns a corner */
    slip_distance_result d;
    slip_real from[3];
    char text[256];
    int i;

    slip_copy3(X.p, from);
    for (i = 0; i <= 200; ++i) {
        double gap, truth;

        slip_axpy3((slip_real)i/200, way, from, X.p);
        gap = least_gap(s, &X, SLIP_R(0.02));
        slip_distance(&solid, &below, s, &X, NULL, &d);
        truth = fmin((double)d.distance, 0.02);
        if (truth < -deep || X.p[2] < SLIP_R(-1)) continue;
        snprintf(text, sizeof text, "%s: gap %g, of the block %g, at %g %g %g", where, gap, truth, (double)X.p[0],
                 (double)X.p[1], (double)X.p[2]);
        if (truth > 0 ? fabs(gap - truth) > close : gap > truth*0.15 + close || gap < truth*1.6 - close) {
            TEST_FAIL_MESSAGE(text);
        }
    }
}

/* Over every border and corner, at heights from above the surface to below it, out and in and along, upright, lying and
 * turned at random. */
static void test_depth_is_continuous_over_every_border_and_corner(void)
{
    static const slip_real place[8][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 },
                                           { 1, 1 }, { -1, 1 }, { -1, -1 }, { 1, -1 } };
    static const double deep[BORDER_SHAPES] = { 0.08, 0.05, 0.03, 0.03, 0.03, 0.01, 0.02 };
    const slip_real across[3] = { 0, 1, 0 };
    slip_real level = 0;
    int k, p, turn, i;

    for (k = 0; k < BORDER_SHAPES; ++k)
        for (p = 0; p < 8; ++p)
            for (turn = 0; turn < 6; ++turn) {
                slip_shape s;
                slip_pose X;
                slip_real way[3], lo[3], hi[3];

                make(11, SLIP_R(0.2), flat, &level);
                s = border_shape(k);
                X = pose_at(0, 0, 0);
                if (turn == 1) slip_mat3_from_axis_angle(across, SLIP_PI/2, X.R);
                if (turn > 1) {
                    slip_real e[4];

                    slip_random_quat(&rng, e);
                    slip_quat_to_mat3(e, X.R);
                }
                slip_shape_bounds(&s, &X, lo, hi);
                for (i = 0; i < 3; ++i) {                /* the lowest point 0.05 above to 0.03 below the surface */
                    const slip_real z = SLIP_R(0.05) - SLIP_R(0.04)*(slip_real)i - lo[2];

                    slip_set3(place[p][0] - SLIP_R(0.5)*place[p][0], place[p][1] - SLIP_R(0.5)*place[p][1], z, X.p);
                    slip_set3(place[p][0], place[p][1], 0, way);
                    snprintf(where, sizeof where, "shape %d place %d turn %d height %d", k, p, turn, i);
                    sweep_border(&s, X, way, deep[k]);
                    slip_set3(place[p][0]*SLIP_R(1.02) - place[p][1]*SLIP_R(0.4),
                              place[p][1]*SLIP_R(1.02) + place[p][0]*SLIP_R(0.4), z, X.p);      /* along the border */
                    slip_set3(place[p][1]*SLIP_R(0.9), -place[p][0]*SLIP_R(0.9), SLIP_R(0.01), way);
                    snprintf(where, sizeof where, "shape %d place %d turn %d height %d", k, p, turn, i);
                    sweep_border(&s, X, way, deep[k]);
                    slip_set3(place[p][0]*(1 + SLIP_R(0.02)*(slip_real)i), place[p][1]*(1 + SLIP_R(0.02)*(slip_real)i),
                              hi[2] + SLIP_R(0.05), X.p);                       /* down past the edge */
                    X.p[0] += place[p][0]*(place[p][0] > 0 ? -lo[0] : hi[0]) - SLIP_R(0.01)*place[p][0];
                    X.p[1] += place[p][1]*(place[p][1] > 0 ? -lo[1] : hi[1]) - SLIP_R(0.01)*place[p][1];
                    slip_set3(0, 0, SLIP_R(-0.5), way);
                    snprintf(where, sizeof where, "shape %d place %d turn %d height %d", k, p, turn, i);
                    sweep_border(&s, X, way, deep[k]);
                }
            }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_heights_and_normals_are_those_of_the_triangles);
    RUN_TEST(test_bad_fields_are_refused);
    RUN_TEST(test_bounds_enclose_the_surface);
    RUN_TEST(test_a_ball_on_flat_ground_sees_exactly_one_flat_contact);
    RUN_TEST(test_a_box_on_flat_ground_has_its_four_corners_whatever_its_yaw);
    RUN_TEST(test_capsules_cylinders_and_meshes_rest_on_flat_ground);
    RUN_TEST(test_a_slope_is_one_plane_for_every_shape);
    RUN_TEST(test_a_ridge_is_felt_only_on_the_ridge);
    RUN_TEST(test_a_valley_gives_a_contact_on_each_side);
    RUN_TEST(test_a_ball_over_rough_ground_has_the_true_distance);
    RUN_TEST(test_normals_on_rough_ground_never_jump);
    RUN_TEST(test_a_shape_under_the_surface_is_pushed_up);
    RUN_TEST(test_contacts_move_with_the_world);
    RUN_TEST(test_bad_arguments_are_refused);
    RUN_TEST(test_depth_is_continuous_over_every_border_and_corner);
    return UNITY_END();
}
