/* Rays and points: closed forms, the distance function as judge, and brute force over a world. */
#include "unity.h"
#include "geom/distance.h"
#include "geom/heightfield_contact.h"
#include "geom/hull.h"
#include "geom/ray_world.h"

#include <stdlib.h>
#include <string.h>

enum { WORLD = 300 };

static slip_random rng;
static unsigned char block[1 << 22];
static slip_arena arena;

void setUp(void) { rng = slip_random_seed(41);  arena = slip_arena_over(block, sizeof block); }
void tearDown(void) { }

#define EPS ((double)SLIP_REAL_EPS)

static slip_pose random_pose(slip_real reach)
{
    slip_real q[4], p[3];
    slip_pose X;
    int k;

    slip_random_quat(&rng, q);
    for (k = 0; k < 3; ++k) p[k] = slip_random_uniform(&rng, -reach, reach);
    slip_pose_from(p, q, &X);
    return X;
}

static slip_ray ray_from_to(const slip_real a[3], const slip_real b[3])
{
    slip_ray r;

    slip_copy3(a, r.origin);
    slip_sub3(b, a, r.dir);
    r.tmax = (slip_real)INFINITY;
    return r;
}

static const slip_hull *random_hull(int n)
{
    slip_real x[3*40];
    slip_hull *h = (slip_hull *)slip_arena_take(&arena, 1, sizeof *h);
    int i;

    for (i = 0; i < 3*n; ++i) x[i] = slip_random_uniform(&rng, -1, 1);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_hull_build(x, n, 0, &arena, h, NULL));
    return h;
}

static slip_shape random_shape(int kind, const slip_hull *hull)
{
    const slip_real a = slip_random_uniform(&rng, SLIP_R(0.2), 1), b = slip_random_uniform(&rng, SLIP_R(0.2), 1);

    switch (kind) {
    case 0: return slip_shape_sphere(a);
    case 1: return slip_shape_box(a, b, SLIP_R(0.5));
    case 2: return slip_shape_capsule(a, b);
    case 3: return slip_shape_cylinder(a, b);
    case 4: return slip_shape_mesh(hull);
    default: return slip_shape_halfspace();
    }
}

static double point_distance(const slip_shape *s, const slip_pose *X, const slip_real x[3])
{
    const slip_shape dot = slip_shape_sphere(0);
    slip_distance_result d;
    slip_pose at;

    slip_mat3_identity(at.R);
    slip_copy3(x, at.p);
    TEST_ASSERT(slip_distance(s, X, &dot, &at, NULL, &d) >= 0);
    return (double)d.distance;
}

static void test_simple_hits_are_exact(void)
{
    slip_shape s = slip_shape_sphere(1);
    slip_pose X;
    slip_ray r = { { -5, 0, 0 }, { 2, 0, 0 }, (slip_real)INFINITY };
    slip_ray_hit h;

    slip_pose_identity(&X);
    TEST_ASSERT_EQUAL_INT(1, slip_ray_shape(&r, &s, &X, &h));
    TEST_ASSERT(h.t == 2 && h.point[0] == -1 && h.normal[0] == -1 && h.id == -1);
    r.tmax = SLIP_R(1.99);
    TEST_ASSERT_EQUAL_INT(0, slip_ray_shape(&r, &s, &X, &h));
    r.tmax = 2;
    TEST_ASSERT_EQUAL_INT(1, slip_ray_shape(&r, &s, &X, &h));
    r.dir[0] = -1;
    TEST_ASSERT_EQUAL_INT(0, slip_ray_shape(&r, &s, &X, &h));
    slip_set3(0, 0, SLIP_R(0.5), r.origin);
    TEST_ASSERT_EQUAL_INT(1, slip_ray_shape(&r, &s, &X, &h));            /* a start inside */
    TEST_ASSERT(h.t == 0 && h.normal[0] == 1);
    s = slip_shape_box(1, 2, 3);
    slip_set3(0, 0, 10, r.origin);
    slip_set3(0, 0, -1, r.dir);
    r.tmax = 100;
    TEST_ASSERT_EQUAL_INT(1, slip_ray_shape(&r, &s, &X, &h));
    TEST_ASSERT(h.t == 7 && h.normal[2] == 1);
    r.origin[0] = 1;                                                     /* along a face */
    TEST_ASSERT_EQUAL_INT(1, slip_ray_shape(&r, &s, &X, &h));
    r.origin[0] = SLIP_R(1.001);
    TEST_ASSERT_EQUAL_INT(0, slip_ray_shape(&r, &s, &X, &h));
    s = slip_shape_halfspace();
    TEST_ASSERT_EQUAL_INT(1, slip_ray_shape(&r, &s, &X, &h));
    TEST_ASSERT(h.t == 10 && h.normal[2] == 1);
    r.dir[0] = (slip_real)NAN;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_ray_shape(&r, &s, &X, &h));
    slip_zero3(r.dir);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_ray_shape(&r, &s, &X, &h));
}

/* A hit lies on the surface, faces the ray, and no point before it is inside; a miss meets no inside point. The
 * judge is the distance function, walked along the ray in steps it proves empty. */
static void test_hits_and_misses_agree_with_the_distance_function(void)
{
    const slip_hull *hull = random_hull(40);
    int trial, hits = 0;

    for (trial = 0; trial < 3000; ++trial) {
        const slip_shape s = random_shape(trial % 6, hull);
        const slip_pose X = random_pose(1);
        slip_real a[3], b[3], t;
        double d = 1, tolerance;
        slip_ray r;
        slip_ray_hit h;
        int k, got;

        for (k = 0; k < 3; ++k) { a[k] = slip_random_uniform(&rng, -4, 4);  b[k] = slip_random_uniform(&rng, -2, 2); }
        r = ray_from_to(a, b);
        r.tmax = 3;
        tolerance = 200*EPS*10;
        got = slip_ray_shape(&r, &s, &X, &h);
        for (t = 0, k = 0; k < 2000 && t < (got ? h.t : r.tmax); ++k) {  /* sphere tracing */
            slip_real x[3];

            slip_axpy3(t, r.dir, r.origin, x);
            d = point_distance(&s, &X, x);
            TEST_ASSERT_MESSAGE(d > -1e3*tolerance || (k == 0 && got), "inside before the hit");
            if (d < tolerance) break;
            t += (slip_real)(d/(double)slip_norm3(r.dir));
        }
        if (!got) { TEST_ASSERT_MESSAGE(t >= r.tmax || d > -tolerance, "a miss that goes inside");  continue; }
        ++hits;
        TEST_ASSERT((double)slip_dot3(h.normal, r.dir) <= 0);
        TEST_ASSERT_DOUBLE_WITHIN(100*EPS, 1, slip_norm3(h.normal));
        if (h.t > 0) TEST_ASSERT_DOUBLE_WITHIN(tolerance, 0, point_distance(&s, &X, h.point));
        else         TEST_ASSERT(point_distance(&s, &X, h.point) <= tolerance);
    }
    TEST_ASSERT(hits > 600);
}

static slip_real bumps(void *context, slip_real x, slip_real y)
{
    (void)context;
    return SLIP_R(0.3)*slip_sin(5*x)*slip_cos(4*y);
}

static void test_rays_over_rough_ground_match_all_triangles(void)
{
    slip_heightfield f;
    slip_shape s;
    slip_pose X = random_pose(1);
    int trial, hits = 0;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_heightfield_from(31, 21, SLIP_R(0.1), SLIP_R(0.13), bumps, NULL, &arena, &f,
            NULL));
    s = slip_shape_heightfield(&f);
    for (trial = 0; trial < 1500; ++trial) {
        slip_real a[3], b[3], n[3] = { 0, 0, 1 }, best = 2;
        slip_ray r;
        slip_ray_hit h;
        int got, t;

        for (int k = 0; k < 3; ++k) a[k] = slip_random_uniform(&rng, k < 2 ? -3 : SLIP_R(0.31), 3);
        for (int k = 0; k < 3; ++k) b[k] = slip_random_uniform(&rng, -1, k < 2 ? 1 : SLIP_R(0.5));
        if (trial % 5 == 0) a[0] = b[0] = SLIP_R(0.1)*(slip_real)slip_random_int(&rng, -14, 14);   /* along lines */
        if (trial % 7 == 0) { a[0] = b[0];  a[1] = b[1]; }                                         /* straight down */
        for (t = 0; t < 2*30*20; ++t) {                  /* Moeller and Trumbore on every triangle */
            slip_real x[9], e1[3], e2[3], d[3], p[3], q[3], o[3], det, u, v, w;

            slip_heightfield_triangle(&f, t, x);
            slip_sub3(x + 3, x, e1);
            slip_sub3(x + 6, x, e2);
            slip_sub3(b, a, d);
            slip_cross3(d, e2, p);
            det = slip_dot3(e1, p);
            if (!(det > 0)) continue;
            slip_sub3(a, x, o);
            u = slip_dot3(o, p)/det;
            slip_cross3(o, e1, q);
            v = slip_dot3(d, q)/det;
            w = slip_dot3(e2, q)/det;
            if ((double)u >= -100*EPS && (double)v >= -100*EPS && (double)(u + v) <= 1 + 100*EPS && w >= 0
                    && w < best) best = w;
        }
        slip_pose_point(&X, a, a);
        slip_pose_point(&X, b, b);
        r = ray_from_to(a, b);
        r.tmax = 2;
        got = slip_ray_shape(&r, &s, &X, &h);
        if (got == 1) slip_mat3_tvec(X.R, h.normal, n);
        if (got == 1 && fabs((double)n[2]) < 100*EPS) {  /* a wall, from beside: before the ground, below its border */
            slip_real ground, x[3];

            slip_pose_inv_point(&X, h.point, x);
            x[0] = slip_clamp(x[0], SLIP_R(-1.5), SLIP_R(1.5));
            x[1] = slip_clamp(x[1], SLIP_R(-1.3), SLIP_R(1.3));
            TEST_ASSERT(slip_abs(x[0]) > SLIP_R(1.4999) || slip_abs(x[1]) > SLIP_R(1.2999));
            TEST_ASSERT(slip_heightfield_at(&f, x[0], x[1], &ground, NULL) && x[2] < ground + SLIP_R(1e-4) && h.t <= best);
        } else if (best < SLIP_R(1.999)) {
            TEST_ASSERT_MESSAGE(got == 1, "a ray went through the ground");
            TEST_ASSERT_DOUBLE_WITHIN(1e4*EPS, best, h.t);
            ++hits;
        } else if (best == 2) {
            TEST_ASSERT_EQUAL_INT(0, got);
        }
    }
    TEST_ASSERT(hits > 500);
}

static void test_a_flat_mesh_is_hit_from_both_sides(void)
{
    const slip_real square[12] = { -1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0 };
    slip_hull hull;
    slip_shape s;
    slip_pose X;
    slip_ray r = { { SLIP_R(0.5), SLIP_R(0.2), 3 }, { 0, 0, -1 }, 10 };
    slip_ray_hit h;

    TEST_ASSERT_EQUAL_INT(SLIP_DEGENERATE, slip_hull_build(square, 4, 0, &arena, &hull, NULL));
    s = slip_shape_mesh(&hull);
    slip_pose_identity(&X);
    TEST_ASSERT_EQUAL_INT(1, slip_ray_shape(&r, &s, &X, &h));
    TEST_ASSERT(h.t == 3 && h.normal[2] == 1);
    r.origin[2] = -3;
    r.dir[2] = 1;
    TEST_ASSERT_EQUAL_INT(1, slip_ray_shape(&r, &s, &X, &h));
    TEST_ASSERT(h.t == 3 && h.normal[2] == -1);
    r.origin[0] = 2;
    TEST_ASSERT_EQUAL_INT(0, slip_ray_shape(&r, &s, &X, &h));
}

/* ---- worlds --------------------------------------------------------------------------------------------- */

static slip_shape shapes[WORLD];
static slip_pose poses[WORLD];

static slip_ray_world make_world(int n)
{
    const slip_hull *hull = random_hull(20);
    slip_ray_world w;
    slip_broadphase *bp = NULL;
    int i;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_broadphase_create(WORLD, 20000, 0, &arena, &bp));
    for (i = 0; i < n; ++i) {
        slip_proxy p = slip_proxy_defaults();
        slip_real lo[3], hi[3];

        shapes[i] = random_shape(i == 5 ? 5 : i % 5, hull);
        poses[i] = random_pose(6);
        if (i == 5) { slip_pose_identity(&poses[i]);  poses[i].p[2] = -5; }
        p.group = i % 3 == 0 ? 2 : 1;
        slip_shape_bounds_with(&shapes[i], &poses[i], 0, lo, hi);
        TEST_ASSERT_EQUAL_INT(i, slip_broadphase_add(bp, &p, lo, hi));
    }
    slip_broadphase_update(bp);
    w.boxes = bp;
    w.shape = shapes;
    w.pose = poses;
    return w;
}

static void world_rays(int n)
{
    const slip_ray_world w = make_world(n);
    int trial, i, hits = 0;

    for (trial = 0; trial < 1500; ++trial) {
        const uint32_t mask = trial % 4 == 0 ? 2u : 0xffffffffu;
        slip_real a[3], b[3];
        slip_ray r;
        slip_ray_hit h, best, one;
        int k, got, want = 0;

        for (k = 0; k < 3; ++k) { a[k] = slip_random_uniform(&rng, -9, 9);  b[k] = slip_random_uniform(&rng, -6, 6); }
        if (trial % 6 == 1) { b[0] = a[0];  b[1] = a[1]; }
        r = ray_from_to(a, b);
        if (trial % 2) r.tmax = 1;
        best.t = (slip_real)INFINITY;
        best.id = -1;
        for (i = 0; i < n; ++i)
            if ((i % 3 == 0 ? 2u : 1u) & mask && slip_ray_shape(&r, &shapes[i], &poses[i], &one) == 1
                    && one.t < best.t) {
                best = one;
                best.id = i;
                want = 1;
            }
        got = slip_ray_cast(&w, &r, mask, &h);
        TEST_ASSERT_EQUAL_INT(want, got);
        if (!got) continue;
        TEST_ASSERT_EQUAL_INT(best.id, h.id);
        TEST_ASSERT(best.t == h.t);
        ++hits;
    }
    TEST_ASSERT(hits > 300);
}

static void test_the_closest_hit_in_a_world_is_the_brute_force_one(void)
{
    world_rays(40);
    arena = slip_arena_over(block, sizeof block);
    world_rays(WORLD);
}

static void test_points_find_the_nearest_and_the_containing_shapes(void)
{
    const slip_ray_world w = make_world(WORLD);
    int trial, i, inside = 0;

    for (trial = 0; trial < 500; ++trial) {
        slip_real x[3];
        slip_point_hit h, one;
        double best = 1e9;
        int k, ids[WORLD], n, m = 0, at = -1;

        for (k = 0; k < 3; ++k) x[k] = slip_random_uniform(&rng, -6, 6);
        n = slip_point_inside(&w, x, 0xffffffffu, ids, WORLD);
        for (i = 0; i < WORLD; ++i) {
            TEST_ASSERT_EQUAL_INT(1, slip_point_shape(x, &shapes[i], &poses[i], 100, &one));
            if ((double)one.distance < best) { best = (double)one.distance;  at = i; }
            if (one.distance <= 0) TEST_ASSERT_EQUAL_INT(i, ids[m++]);
        }
        TEST_ASSERT_EQUAL_INT(n, m);
        inside += n > 0;
        TEST_ASSERT_EQUAL_INT(1, slip_point_nearest(&w, x, 100, 0xffffffffu, &h));
        TEST_ASSERT_EQUAL_INT(at, h.id);
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, best, h.distance);
        TEST_ASSERT_EQUAL_INT(best <= 0.1, slip_point_nearest(&w, x, SLIP_R(0.1), 0xffffffffu, &h));
    }
    TEST_ASSERT(inside > 50);
}

static void test_rays_hit_the_walls_of_a_height_field_from_outside(void)
{
    slip_heightfield f;
    slip_shape s;
    slip_pose X;
    slip_ray_hit h;
    slip_ray ray = { { 3, SLIP_R(0.1), SLIP_R(0.5) }, { -1, 0, 0 }, 10 };
    slip_real flat[4] = { 1, 1, 1, 1 };

    slip_pose_identity(&X);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_heightfield_build(2, 2, 1, 1, flat, &arena, &f, NULL));
    s = slip_shape_heightfield(&f);
    TEST_ASSERT_EQUAL_INT(1, slip_ray_shape(&ray, &s, &X, &h));
    TEST_ASSERT(h.t == SLIP_R(2.5) && h.normal[0] == 1 && h.normal[1] == 0 && h.normal[2] == 0);
    ray.origin[2] = SLIP_R(1.5);                                         /* above it */
    TEST_ASSERT_EQUAL_INT(0, slip_ray_shape(&ray, &s, &X, &h));
    ray.dir[2] = SLIP_R(-0.18);                                          /* over the border, down on the surface */
    TEST_ASSERT_EQUAL_INT(1, slip_ray_shape(&ray, &s, &X, &h));
    TEST_ASSERT(h.normal[2] == 1 && slip_abs(h.point[2] - 1) < SLIP_R(1e-6));
    ray.origin[2] = SLIP_R(0.5);
    ray.origin[1] = 2;                                                   /* past a corner */
    ray.dir[2] = 0;
    TEST_ASSERT_EQUAL_INT(0, slip_ray_shape(&ray, &s, &X, &h));
}

static void test_a_point_over_a_height_field_has_its_distance(void)
{
    slip_heightfield f;
    slip_shape s;
    slip_pose X;
    slip_point_hit h;
    slip_real x[3] = { SLIP_R(0.05), SLIP_R(0.02), 2 }, flat[4] = { 1, 1, 1, 1 };

    slip_pose_identity(&X);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_heightfield_build(2, 2, 1, 1, flat, &arena, &f, NULL));
    s = slip_shape_heightfield(&f);
    TEST_ASSERT_EQUAL_INT(1, slip_point_shape(x, &s, &X, 5, &h));
    TEST_ASSERT(h.distance == 1 && h.normal[2] == 1 && h.point[2] == 1);
    TEST_ASSERT_EQUAL_INT(0, slip_point_shape(x, &s, &X, SLIP_R(0.5), &h));
    x[2] = SLIP_R(0.75);
    TEST_ASSERT_EQUAL_INT(1, slip_point_shape(x, &s, &X, 0, &h));
    TEST_ASSERT(h.distance == SLIP_R(-0.25));
    x[0] = SLIP_R(0.75);                                 /* beside the field, which ends in walls */
    x[2] = SLIP_R(0.5);
    TEST_ASSERT_EQUAL_INT(1, slip_point_shape(x, &s, &X, 1, &h));
    TEST_ASSERT(h.distance == SLIP_R(0.25) && h.normal[0] == 1);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_simple_hits_are_exact);
    RUN_TEST(test_hits_and_misses_agree_with_the_distance_function);
    RUN_TEST(test_rays_over_rough_ground_match_all_triangles);
    RUN_TEST(test_a_flat_mesh_is_hit_from_both_sides);
    RUN_TEST(test_the_closest_hit_in_a_world_is_the_brute_force_one);
    RUN_TEST(test_points_find_the_nearest_and_the_containing_shapes);
    RUN_TEST(test_rays_hit_the_walls_of_a_height_field_from_outside);
    RUN_TEST(test_a_point_over_a_height_field_has_its_distance);
    return UNITY_END();
}
