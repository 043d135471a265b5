/* The distance query: golden pairs, cylinders, memory between queries, early ends, refusals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unity.h"
#include "geom/distance.h"
#include "geom/hull.h"
#include "../tools/pairs.h"

void setUp(void) { }
void tearDown(void) { }

#define PAIRS "../shared/golden/collision/pairs.txt"

static void random_pose(slip_random *rng, double reach, slip_pose *X)
{
    slip_real q[4];
    int i;

    slip_random_quat(rng, q);
    slip_quat_to_mat3(q, X->R);
    for (i = 0; i < 3; ++i) X->p[i] = slip_random_uniform(rng, (slip_real)-reach, (slip_real)reach);
}

static slip_shape ball_mesh(slip_random *rng, int n, slip_hull *hull, void **block)
{
    const size_t size = slip_hull_bytes(n);
    slip_arena arena;
    slip_real *x = (slip_real *)malloc((size_t)n*3*sizeof *x);
    int i;

    *block = malloc(size);
    arena = slip_arena_over(*block, size);
    for (i = 0; i < n; ++i) slip_random_unit3(rng, x + 3*i);
    TEST_ASSERT_EQUAL_INT(0, slip_hull_build(x, n, 0, &arena, hull, NULL));
    free(x);
    return slip_shape_mesh(hull);
}

/* Separation along n by the public support map: min over B minus max over A. */
static double separation(const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb, const slip_real n[3])
{
    slip_real m[3], x[3], y[3];

    slip_mat3_tvec(xa->R, n, m);
    slip_shape_support(a, m, x);
    slip_pose_point(xa, x, x);
    slip_mat3_tvec(xb->R, n, m);
    slip_neg3(m, m);
    slip_shape_support(b, m, y);
    slip_pose_point(xb, y, y);
    return (double)(slip_dot3(n, y) - slip_dot3(n, x));
}

/* ---- golden ---------------------------------------------------------------------------------------------- */

static char *read_all(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    char *text;
    long n;

    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    n = ftell(f);
    rewind(f);
    text = (char *)malloc((size_t)n + 1);
    *length = fread(text, 1, (size_t)n, f);
    fclose(f);
    return text;
}

static void judge_golden(const slip_shape_pair *p, const slip_distance_result *r)
{
    const double size = 1 + fmax((double)slip_shape_reach(&p->a), (double)slip_shape_reach(&p->b));
    const double far = (double)(slip_norm3(p->pose_a.p) + slip_norm3(p->pose_b.p));
    const double tol = (double)SLIP_TOL(1e-9, 2e-5)*(size + (double)SLIP_TOL(0, 1)*far);
    char text[96];
    int k;

    sprintf(text, "pair %d (%s)", p->id, p->tag);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(tol, p->truth.distance, r->distance, text);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(16*(double)SLIP_REAL_EPS, 1, slip_norm3(r->normal), text);
    for (k = 0; k < 3; ++k) {
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(tol, r->a[k] + r->distance*r->normal[k], r->b[k], text);
        /* In float the inputs themselves are rounded; a normal is then only comparable in double. */
        if (p->normal_unique && sizeof(slip_real) == sizeof(double))
            TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-6, p->truth.normal[k], r->normal[k], text);
    }
}

static void test_all_golden_pairs_either_way_round(void)
{
    size_t length = 0, size = (size_t)1 << 24;
    char *text = read_all(PAIRS, &length);
    void *block;
    slip_arena arena;
    slip_pairs pairs;
    slip_error err;
    int i, k;

    if (!text) TEST_IGNORE_MESSAGE("skipped: " PAIRS " not present");
    block = malloc(size);
    arena = slip_arena_over(block, size);
    slip_error_clear(&err);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, slip_pairs_read(text, length, &arena, &pairs, &err), err.what);
    TEST_ASSERT_EQUAL_INT(561, pairs.n);
    for (i = 0; i < pairs.n; ++i) {
        const slip_shape_pair *p = &pairs.pair[i];
        slip_distance_result r, s;

        TEST_ASSERT_EQUAL_INT(0, slip_distance(&p->a, &p->pose_a, &p->b, &p->pose_b, NULL, &r));
        judge_golden(p, &r);
        TEST_ASSERT_EQUAL_INT(0, slip_distance(&p->b, &p->pose_b, &p->a, &p->pose_a, NULL, &s));
        for (k = 0; k < 3; ++k) { r.normal[k] = -s.normal[k];  r.a[k] = s.b[k];  r.b[k] = s.a[k]; }
        r.distance = s.distance;
        judge_golden(p, &r);
    }
    free(block);
    free(text);
}

static void test_pair_files_with_faults_are_refused_with_a_line(void)
{
    static const char *const bad[] = {
        "pair 1\na sphere 1 pose 0 0 0 1 0 0 0\n", "pair 1\na cube 1 pose 0 0 0 1 0 0 0\n", "a sphere 1 pose 0 0 0 1 0 0 0\n",
        "pair 1\na sphere -1 pose 0 0 0 1 0 0 0\n", "pair 1\na sphere nan pose 0 0 0 1 0 0 0\n", "mesh 0 1000000\n0 0 0\n",
        "mesh 0 2\n0 0 0\n", "pair 1\na mesh 3 pose 0 0 0 1 0 0 0\n", "pair 1\na sphere 1 pose 0 0 0 0 0 0 0\n",
        "pair x\n", "mesh 0 -1\n", "pair 1\na box 1 1 pose 0 0 0 1 0 0 0\n", "mesh 0 1\n0 0\n" };
    static unsigned char block[1 << 16];
    size_t i;

    for (i = 0; i < sizeof bad/sizeof *bad; ++i) {
        slip_arena arena = slip_arena_over(block, sizeof block);
        slip_pairs pairs;
        slip_error err;

        slip_error_clear(&err);
        TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_ERR_PARSE, slip_pairs_read(bad[i], strlen(bad[i]), &arena, &pairs, &err), bad[i]);
        TEST_ASSERT(err.line >= 1 && err.what[0] != '\0');
    }
}

/* ---- cylinders ------------------------------------------------------------------------------------------- */

/* The best separation of a sweep over the sphere and a search round its best: a lower bound of the distance. */
static double swept_separation(const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb)
{
    enum { DIRECTIONS = 4000 };
    slip_random rng = slip_random_seed(3);
    slip_real best_n[3] = { 0, 0, 1 }, n[3];
    double best = -1e300, h, s;
    int i;

    for (i = 0; i < DIRECTIONS; ++i) {
        const double z = 1 - 2*(i + 0.5)/DIRECTIONS, r = sqrt(1 - z*z), t = i*2.399963229728653;

        slip_set3((slip_real)(r*cos(t)), (slip_real)(r*sin(t)), (slip_real)z, n);
        slip_normalize3(n, n);
        s = separation(a, xa, b, xb, n);
        if (s > best) { best = s;  slip_copy3(n, best_n); }
    }
    for (h = 0.05; h > (double)SLIP_TOL(1e-10, 1e-5); h *= 0.7)
        for (i = 0; i < 24; ++i) {
            slip_real u[3];

            slip_random_unit3(&rng, u);
            slip_axpy3((slip_real)h, u, best_n, n);
            slip_normalize3(n, n);
            s = separation(a, xa, b, xb, n);
            if (s > best) { best = s;  slip_copy3(n, best_n); }
        }
    return best;
}

static slip_shape random_solid(slip_random *rng)
{
    const slip_real r = slip_random_uniform(rng, SLIP_R(0.1), 1), h = slip_random_uniform(rng, SLIP_R(0.1), 1);

    switch (slip_random_int(rng, 0, 3)) {
    case 0:  return slip_shape_box(r, h, SLIP_R(0.5));
    case 1:  return slip_shape_capsule(r/2, h);
    case 2:  return slip_shape_sphere(r);
    default: return slip_shape_cylinder(r, h);
    }
}

/* The answer's own normal certifies it from below; the sweep must not find anything better. Where the points are apart
 * they also bound it from above. */
static void test_cylinders_against_a_sweep_of_directions(void)
{
    slip_random rng = slip_random_seed(31);
    int i;

    for (i = 0; i < 400; ++i) {
        const slip_real radius = slip_random_uniform(&rng, SLIP_R(0.1), 1);
        const slip_shape a = slip_shape_cylinder(radius, slip_random_uniform(&rng, SLIP_R(0.1), 1));
        const slip_shape b = random_solid(&rng);
        slip_distance_result r;
        slip_pose xa, xb;
        slip_real x[3];

        random_pose(&rng, 0.5, &xa);
        random_pose(&rng, 1.5, &xb);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_distance(&a, &xa, &b, &xb, NULL, &r));
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-14, 1e-5), r.distance, separation(&a, &xa, &b, &xb, r.normal));
        TEST_ASSERT(swept_separation(&a, &xa, &b, &xb) <= (double)r.distance + (double)SLIP_TOL(1e-13, 1e-4));
        slip_axpy3(r.distance, r.normal, r.a, x);
        TEST_ASSERT(slip_distance3(x, r.b) < SLIP_TOL(1e-14, 1e-5));
    }
}

/* ---- memory and bounds ------------------------------------------------------------------------------------ */

static void test_a_remembered_direction_never_changes_the_distance(void)
{
    slip_random rng = slip_random_seed(41);
    slip_hull hull[2];
    void *block[2];
    const slip_shape a = ball_mesh(&rng, 40, &hull[0], &block[0]), b = ball_mesh(&rng, 500, &hull[1], &block[1]);
    slip_distance_cache cache = { { 0, 0, 0 }, 0, 0, NULL };
    int i;

    for (i = 0; i < 3000; ++i) {
        slip_distance_result cold, warm;
        slip_pose xa, xb;

        random_pose(&rng, 1, &xa);
        random_pose(&rng, 1.5, &xb);
        TEST_ASSERT_EQUAL_INT(0, slip_distance(&a, &xa, &b, &xb, NULL, &cold));
        TEST_ASSERT_EQUAL_INT(0, slip_distance(&a, &xa, &b, &xb, &cache, &warm));
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-5), cold.distance, warm.distance);
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-5), cold.distance, separation(&a, &xa, &b, &xb, cold.normal));
    }
    free(block[0]);
    free(block[1]);
}

/* Depth of hulls deep in each other is decided by the arcs of normals; no sampled direction may beat it. */
static void test_no_direction_beats_the_depth_of_concentric_hulls(void)
{
    slip_random rng = slip_random_seed(43);
    slip_hull hull[2];
    void *block[2];
    const slip_shape a = ball_mesh(&rng, 200, &hull[0], &block[0]), b = ball_mesh(&rng, 120, &hull[1], &block[1]);
    int i, k;

    for (i = 0; i < 40; ++i) {
        slip_distance_result r;
        slip_pose xa, xb;

        random_pose(&rng, 0, &xa);
        random_pose(&rng, i < 20 ? 0 : 0.05, &xb);
        TEST_ASSERT_EQUAL_INT(0, slip_distance(&a, &xa, &b, &xb, NULL, &r));
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-5), r.distance, separation(&a, &xa, &b, &xb, r.normal));
        for (k = 0; k < 20000; ++k) {
            slip_real n[3], u[3];

            slip_random_unit3(&rng, u);
            if (k%2) slip_copy3(u, n);
            else slip_axpy3(SLIP_R(0.1), u, r.normal, n);
            slip_normalize3(n, n);
            TEST_ASSERT(separation(&a, &xa, &b, &xb, n) <= (double)r.distance + (double)SLIP_TOL(1e-12, 1e-5));
        }
    }
    free(block[0]);
    free(block[1]);
}

static void test_a_query_within_a_bound_tells_the_truth_about_it(void)
{
    slip_random rng = slip_random_seed(47);
    slip_hull hull;
    void *block;
    const slip_shape shapes[3] = { ball_mesh(&rng, 30, &hull, &block), slip_shape_box(1, SLIP_R(0.5), SLIP_R(0.3)), slip_shape_cylinder(SLIP_R(0.5), 1) };
    int i;

    for (i = 0; i < 3000; ++i) {
        const slip_shape *a = &shapes[i%3], *b = &shapes[i/3%3];
        const slip_real bound = slip_random_uniform(&rng, 0, 1);
        slip_distance_result full, part;
        slip_pose xa, xb;

        random_pose(&rng, 1, &xa);
        random_pose(&rng, 3, &xb);
        TEST_ASSERT(slip_distance(a, &xa, b, &xb, NULL, &full) >= 0);
        TEST_ASSERT(slip_distance_within(a, &xa, b, &xb, bound, NULL, &part) >= 0);
        TEST_ASSERT((full.distance > bound) == (part.distance > bound));
        TEST_ASSERT(part.distance <= full.distance + SLIP_TOL(1e-9, 1e-4));
        if (full.distance <= bound) TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 1e-4), full.distance, part.distance);
    }
    free(block);
}

static void test_bad_shapes_and_poses_are_refused_and_leave_the_result_alone(void)
{
    const slip_shape good[6] = { slip_shape_sphere(1), slip_shape_box(1, 1, 1), slip_shape_capsule(1, 1), slip_shape_cylinder(1, 1),
                                 slip_shape_halfspace(), slip_shape_box(1, 2, 3) };
    slip_shape bad[4] = { slip_shape_sphere(-1), slip_shape_box(1, (slip_real)NAN, 1), slip_shape_mesh(NULL), slip_shape_sphere((slip_real)INFINITY) };
    slip_distance_result r, before;
    slip_pose X, Y;
    int i, j, k;

    memset(&r, 9, sizeof r);
    before = r;
    slip_pose_identity(&X);
    for (i = 0; i < 4; ++i)
        for (j = 0; j < 5; ++j) TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_distance(&good[j], &X, &bad[i], &X, NULL, &r));
    for (i = 0; i < 6; ++i)
        for (j = 0; j < 6; ++j)
            for (k = 0; k < 3; ++k) {
                Y = X;
                Y.p[k] = k ? (slip_real)NAN : (slip_real)INFINITY;
                if (i == 4 && j == 4) TEST_ASSERT_EQUAL_INT(SLIP_ERR_UNSUPPORTED, slip_distance(&good[i], &X, &good[j], &Y, NULL, &r));
                else TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_distance(&good[i], &X, &good[j], &Y, NULL, &r));
            }
    TEST_ASSERT(memcmp(&r, &before, sizeof r) == 0);
}

static void test_bounds_hold_every_support_point(void)
{
    slip_random rng = slip_random_seed(53);
    slip_hull hull;
    void *block;
    const slip_shape shapes[5] = { slip_shape_sphere(1), slip_shape_box(1, 2, 3), slip_shape_capsule(1, 2), slip_shape_cylinder(1, 2),
                                   ball_mesh(&rng, 300, &hull, &block) };
    const slip_real eps = SLIP_TOL(1e-12, 1e-5);
    int i, k;

    for (i = 0; i < 5000; ++i) {
        slip_real lo[3], hi[3], u[3], x[3];
        slip_pose X;

        random_pose(&rng, 2, &X);
        slip_shape_bounds(&shapes[i%5], &X, lo, hi);
        slip_random_unit3(&rng, u);
        slip_shape_support(&shapes[i%5], u, x);
        slip_pose_point(&X, x, x);
        for (k = 0; k < 3; ++k) {
            const slip_real d[3] = { X.R[3*k], X.R[3*k + 1], X.R[3*k + 2] };
            slip_real top[3];

            TEST_ASSERT(x[k] >= lo[k] - eps && x[k] <= hi[k] + eps);
            slip_shape_support(&shapes[i%5], d, top);
            slip_pose_point(&X, top, top);
            TEST_ASSERT_DOUBLE_WITHIN((double)eps, hi[k], top[k]);                    /* tight */
        }
    }
    free(block);
}

/* A cube of half side `half` as a hull. */
static slip_shape cube_mesh(slip_real half, slip_hull *hull, void **block)
{
    const size_t size = slip_hull_bytes(8);
    slip_arena arena;
    slip_real x[24];
    int i;

    *block = malloc(size);
    arena = slip_arena_over(*block, size);
    for (i = 0; i < 24; ++i) x[i] = i/3 >> i%3 & 1 ? half : -half;
    TEST_ASSERT_EQUAL_INT(0, slip_hull_build(x, 8, 0, &arena, hull, NULL));
    return slip_shape_mesh(hull);
}

/* Distance, points and normal fit each other, and the normal certifies the distance. */
static void judge_consistent(const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb, double tol)
{
    slip_distance_result r;
    int k;

    TEST_ASSERT_EQUAL_INT(0, slip_distance(a, xa, b, xb, NULL, &r));
    TEST_ASSERT_DOUBLE_WITHIN(tol, separation(a, xa, b, xb, r.normal), r.distance);
    for (k = 0; k < 3; ++k) TEST_ASSERT_DOUBLE_WITHIN(tol, r.a[k] + r.distance*r.normal[k], r.b[k]);
}

/* The axis of a long capsule runs through a grain, next to its middle: simplices 1e5 times longer than wide. */
static void test_a_grain_on_the_axis_of_a_huge_capsule_is_inside(void)
{
    const slip_real offset[4] = { 0, SLIP_R(1e-7), SLIP_R(1e-10), SLIP_R(1e-13) };
    const slip_shape b = slip_shape_capsule(30, 100);
    slip_pose xa = { { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, { 0, 0, 0 } }, xb = xa;
    const double tol = (double)SLIP_TOL(1e-10, 1e-4);       /* a few units of 130 m's last place */
    slip_hull hull;
    void *block;
    const slip_shape a = cube_mesh(SLIP_R(1e-3), &hull, &block);
    int i, k;

    for (i = 0; i < 4; ++i)
        for (k = 0; k < 6; ++k) {
            slip_distance_result r;

            slip_zero3(xb.p);
            xb.p[k%3] = k < 3 ? offset[i] : -offset[i];
            TEST_ASSERT_EQUAL_INT(0, slip_distance(&a, &xa, &b, &xb, NULL, &r));
            TEST_ASSERT_DOUBLE_WITHIN(tol, -30.001 + (k%3 < 2 ? (double)offset[i] : 0), r.distance);
            judge_consistent(&a, &xa, &b, &xb, tol);
        }
    free(block);
}

/* A capsule along an edge of a box, a hair off it either way: nothing to cross, yet a unit normal. */
static void test_a_capsule_along_an_edge_has_a_unit_normal(void)
{
    const slip_shape a = slip_shape_box(1, 1, 1), b = slip_shape_capsule(SLIP_R(0.1), SLIP_R(0.5));
    slip_pose xa = { { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, { 0, 0, 0 } }, xb = xa;
    int i;

    for (i = 0; i < 60; ++i) {
        const slip_real off = (slip_real)pow(10, -i/4.0), tilt = (slip_real)pow(10, -(i%20));
        slip_distance_result r;

        slip_set3(1 + off, 1 + off, 0, xb.p);
        xb.R[2] = i%3 ? tilt*SLIP_R(1e-9) : 0;             /* still a rotation to rounding */
        TEST_ASSERT_EQUAL_INT(0, slip_distance(&a, &xa, &b, &xb, NULL, &r));
        TEST_ASSERT_DOUBLE_WITHIN(16*(double)SLIP_REAL_EPS, 1, slip_norm3(r.normal));
        /* where the cores all but meet any normal will do that holds to 1e-9 */
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 1e-4), separation(&a, &xa, &b, &xb, r.normal), r.distance);
    }
}

/* Edge beside edge, corner beside corner, by next to nothing: any normal in between would do, a face's it is, so that
 * rounding does not turn it. */
static void test_boxes_that_all_but_touch_at_an_edge_have_the_normal_of_a_face(void)
{
    const slip_shape a = slip_shape_box(SLIP_R(0.1), SLIP_R(0.1), SLIP_R(0.1));
    slip_random rng = slip_random_seed(9);
    int i, k;

    for (i = 0; i < 400; ++i) {
        const slip_real off = SLIP_TOL(pow(10, -10 - i%6), 1e-8);
        slip_pose xa, xb;
        slip_distance_result r;
        slip_real p[3], n[3];

        random_pose(&rng, 0, &xa);
        xb = xa;
        for (k = 0; k < 3; ++k) p[k] = SLIP_R(0.2) + off*slip_random_uniform(&rng, -1, 1);
        if (i%2) p[i%3] = SLIP_R(0.05);
        slip_pose_point(&xa, p, xb.p);
        TEST_ASSERT_EQUAL_INT(0, slip_distance(&a, &xa, &a, &xb, NULL, &r));
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 1e-6), 0, r.distance);
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 1e-6), separation(&a, &xa, &a, &xb, r.normal), r.distance);
        slip_mat3_tvec(xa.R, r.normal, n);
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-6), 1, slip_max(slip_max(n[0], n[1]), n[2]));
    }
}

static void test_identical_cubes_in_any_pose_have_points_across(void)
{
    slip_random rng = slip_random_seed(44);
    slip_hull hull;
    void *block;
    const slip_shape a = cube_mesh(100, &hull, &block);
    int i;

    for (i = 0; i < 3000; ++i) {
        slip_pose X;

        random_pose(&rng, 3, &X);
        judge_consistent(&a, &X, &a, &X, (double)SLIP_TOL(1e-10, 1e-2));
    }
    free(block);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_all_golden_pairs_either_way_round);
    RUN_TEST(test_pair_files_with_faults_are_refused_with_a_line);
    RUN_TEST(test_cylinders_against_a_sweep_of_directions);
    RUN_TEST(test_a_remembered_direction_never_changes_the_distance);
    RUN_TEST(test_no_direction_beats_the_depth_of_concentric_hulls);
    RUN_TEST(test_a_query_within_a_bound_tells_the_truth_about_it);
    RUN_TEST(test_bad_shapes_and_poses_are_refused_and_leave_the_result_alone);
    RUN_TEST(test_a_grain_on_the_axis_of_a_huge_capsule_is_inside);
    RUN_TEST(test_a_capsule_along_an_edge_has_a_unit_normal);
    RUN_TEST(test_boxes_that_all_but_touch_at_an_edge_have_the_normal_of_a_face);
    RUN_TEST(test_identical_cubes_in_any_pose_have_points_across);
    RUN_TEST(test_bounds_hold_every_support_point);
    return UNITY_END();
}
