/* Convex hulls against brute force, on the inputs that break hull codes: grids, duplicates, coplanar and
 * collinear points, all scales, far offsets, flat sets. */
#include "unity.h"
#include "hull_check.h"

#include <stdlib.h>
#include <string.h>

static slip_random rng;
static unsigned char *block;
static size_t block_size;
static slip_arena arena;

void setUp(void) { rng = slip_random_seed(11); }
void tearDown(void) { free(block);  block = NULL; }

static slip_status build(const slip_real *x, int n, slip_real tolerance, slip_hull *hull)
{
    free(block);
    block_size = slip_hull_bytes(n);
    block = (unsigned char *)malloc(block_size);
    arena = slip_arena_over(block, block_size);
    return slip_hull_build(x, n, tolerance, &arena, hull, NULL);
}

/* What the hull of these points may be off by: the documented default tolerance, with rounding of planes. */
static double slack(const slip_real *x, int n)
{
    double most[3] = { 0, 0, 0 };
    int i, j;

    for (i = 0; i < n; ++i) for (j = 0; j < 3; ++j) most[j] = fmax(most[j], fabs((double)x[3*i + j]));
    return 12*(double)SLIP_REAL_EPS*(most[0] + most[1] + most[2]);
}

static int is_input(const slip_real *x, int n, const slip_real v[3])
{
    int i;

    for (i = 0; i < n; ++i) if (memcmp(x + 3*i, v, 3*sizeof *v) == 0) return 1;
    return 0;
}

static void check_geometry(const slip_real *x, int n, const slip_hull *h, double tol)
{
    int f, i, k;

    for (i = 0; i < h->nv; ++i) TEST_ASSERT_MESSAGE(is_input(x, n, h->vertex + 3*i), "a vertex not from the input");
    for (i = h->nv; i < h->stride; ++i) TEST_ASSERT(h->soa[i] == h->vertex[0]);
    for (f = 0; f < h->nf; ++f) {
        const slip_real *p = h->plane + 4*f;
        const int m = h->loop_start[f + 1] - h->loop_start[f], *loop = h->loop + h->loop_start[f];

        TEST_ASSERT_DOUBLE_WITHIN(4*(double)SLIP_REAL_EPS, 1, slip_norm3(p));
        for (i = 0; i < n; ++i)
            TEST_ASSERT_MESSAGE((double)(slip_dot3(p, x + 3*i) - p[3]) <= tol, "a point outside a face");
        for (k = 0; k < m; ++k) {
            const slip_real *a = h->vertex + 3*loop[k], *b = h->vertex + 3*loop[(k + 1) % m],
                            *c = h->vertex + 3*loop[(k + 2) % m];
            slip_real u[3], v[3], r[3];

            TEST_ASSERT_MESSAGE(fabs((double)(slip_dot3(p, a) - p[3])) <= 2*tol, "a corner off its face");
            slip_sub3(b, a, u);
            slip_sub3(c, b, v);
            slip_cross3(u, v, r);
            TEST_ASSERT_MESSAGE((double)slip_dot3(r, p) >= -4*tol*(double)slip_distance3(a, c), "a dent in a face");
        }
    }
}

static void check(const slip_real *x, int n, const slip_hull *h)
{
    hull_check_topology(h);
    hull_check_fans(h);
    check_geometry(x, n, h, slack(x, n));
}

/* Every plane through three points with all others on one side is a face of the hull, and no other is.
 * The points are small whole numbers or well apart, so plain arithmetic tells sides safely by `eps`. */
static void check_against_brute_force(const slip_real *x, int n, const slip_hull *h, double eps)
{
    unsigned char *found = (unsigned char *)calloc((size_t)h->nf + 1, 1);
    int i, j, k, l, f;

    for (i = 0; i < n; ++i) for (j = 0; j < n; ++j) for (k = i + 1; k < n; ++k) {
        slip_real u[3], v[3], r[3];
        int outside = 0;

        if (j <= i || k == j) continue;
        slip_sub3(x + 3*j, x + 3*i, u);
        slip_sub3(x + 3*k, x + 3*i, v);
        slip_cross3(u, v, r);
        if (!((double)slip_norm3(r) > eps)) continue;
        slip_normalize3(r, r);
        for (l = 0; l < n && !outside; ++l) {
            slip_sub3(x + 3*l, x + 3*i, u);
            outside = (double)slip_dot3(r, u) > eps;
        }
        if (outside) continue;
        for (f = 0; f < h->nf; ++f)
            if ((double)slip_dot3(r, h->plane + 4*f) > 1 - eps
                && fabs((double)(slip_dot3(r, x + 3*i) - h->plane[4*f + 3])) < 10*eps) break;
        TEST_ASSERT_MESSAGE(f < h->nf, "a supporting plane that is no face");
        found[f] = 1;
    }
    for (f = 0; f < h->nf; ++f) TEST_ASSERT_MESSAGE(found[f], "a face that supports nothing");
    free(found);
}

/* ---- the sets ----------------------------------------------------------------------------------- */

static void box_corners(slip_real *x, slip_real hx, slip_real hy, slip_real hz)
{
    int i;

    for (i = 0; i < 8; ++i) slip_set3(i & 1 ? hx : -hx, i & 2 ? hy : -hy, i & 4 ? hz : -hz, x + 3*i);
}

static void turn_and_move(slip_real *x, int n, slip_real far_away)
{
    slip_real q[4], p[3];
    slip_pose pose;
    int i;

    slip_random_quat(&rng, q);
    for (i = 0; i < 3; ++i) p[i] = slip_random_uniform(&rng, -far_away, far_away);
    slip_pose_from(p, q, &pose);
    for (i = 0; i < n; ++i) slip_pose_point(&pose, x + 3*i, x + 3*i);
}

static void test_a_box_has_eight_vertices_twelve_edges_and_six_square_faces(void)
{
    slip_real x[24];
    slip_hull h;
    int f;

    box_corners(x, 1, 2, 3);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, build(x, 8, 0, &h));
    check(x, 8, &h);
    TEST_ASSERT_EQUAL_INT(8, h.nv);
    TEST_ASSERT_EQUAL_INT(12, h.ne);
    TEST_ASSERT_EQUAL_INT(6, h.nf);
    for (f = 0; f < 6; ++f) TEST_ASSERT_EQUAL_INT(4, h.loop_start[f + 1] - h.loop_start[f]);
    for (f = 0; f < 6; ++f) {                            /* normals and offsets to the last bit */
        const slip_real *p = h.plane + 4*f;

        TEST_ASSERT(slip_abs(p[0]) + slip_abs(p[1]) + slip_abs(p[2]) == 1);
        TEST_ASSERT(p[3] == slip_abs(p[0]) + 2*slip_abs(p[1]) + 3*slip_abs(p[2]));
    }
    TEST_ASSERT(h.lo[1] == -2 && h.hi[2] == 3 && slip_norm3(h.centre) == 0);
}

static void test_a_turned_box_anywhere_at_any_scale_still_has_six_faces(void)
{
    slip_real x[24];
    slip_hull h;
    int trial;

    for (trial = 0; trial < 600; ++trial) {
        const slip_real size = slip_pow(10, slip_random_uniform(&rng, -6, 3));
        const slip_real away = trial % 3 == 0 ? 0 : trial % 3 == 1 ? 10*size : 1000*size;
        const slip_real depth = size*slip_random_uniform(&rng, SLIP_R(0.1), 1);

        box_corners(x, size, depth, size*slip_random_uniform(&rng, SLIP_R(0.1), 1));
        turn_and_move(x, 8, away);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, build(x, 8, 0, &h));
        check(x, 8, &h);
        TEST_ASSERT_EQUAL_INT(8, h.nv);
        TEST_ASSERT_EQUAL_INT(6, h.nf);
    }
}

static void test_needles_and_plates_keep_their_shape(void)
{
    slip_real x[24];
    slip_hull h;
    int trial;

    for (trial = 0; trial < 200; ++trial) {
        const slip_real thin = slip_pow(10, slip_random_uniform(&rng, SLIP_TOL(-7, -4), -1));

        if (trial & 1) box_corners(x, thin, thin, 1);
        else           box_corners(x, thin, 1, 1);
        turn_and_move(x, 8, 0);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, build(x, 8, 0, &h));
        check(x, 8, &h);
        TEST_ASSERT_EQUAL_INT(8, h.nv);
        TEST_ASSERT_EQUAL_INT(6, h.nf);
    }
}

static void test_points_on_a_turned_box_leave_only_its_corners(void)
{
    enum { N = 3000 };
    static slip_real x[3*N];
    slip_hull h;
    int trial, i;

    for (trial = 0; trial < 30; ++trial) {
        const slip_real size = slip_pow(10, slip_random_uniform(&rng, -6, 3));

        box_corners(x, size, size, size);
        for (i = 8; i < N; ++i) {                        /* anywhere on a face; every fourth on an edge */
            const int axis = slip_random_int(&rng, 0, 2);

            for (int k = 0; k < 3; ++k) x[3*i + k] = slip_random_uniform(&rng, -size, size);
            x[3*i + axis] = i & 1 ? size : -size;
            if (i % 4 < 2) x[3*i + (axis + 1) % 3] = i % 4 ? size : -size;
        }
        turn_and_move(x, N, trial & 1 ? 100*size : 0);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, build(x, N, 0, &h));
        check(x, N, &h);
        TEST_ASSERT_EQUAL_INT(6, h.nf);
        TEST_ASSERT_EQUAL_INT(8, h.nv);
    }
}

static void test_random_points_match_brute_force(void)
{
    slip_real x[3*24];
    slip_hull h;
    int trial, i;

    for (trial = 0; trial < 300; ++trial) {
        const int n = slip_random_int(&rng, 4, 24);

        for (i = 0; i < 3*n; ++i) x[i] = slip_random_uniform(&rng, -1, 1);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, build(x, n, 0, &h));
        check(x, n, &h);
        check_against_brute_force(x, n, &h, (double)SLIP_TOL(1e-11, 3e-6));
    }
}

/* Whole numbers 0..3: duplicates, collinear and coplanar points in plenty, and exact arithmetic. */
static void test_grid_points_with_duplicates_match_brute_force(void)
{
    slip_real x[3*30];
    slip_hull h;
    int trial, i, solids = 0, flats = 0;

    for (trial = 0; trial < 1500; ++trial) {
        const int n = slip_random_int(&rng, 1, 30), top = slip_random_int(&rng, 1, 3);
        slip_status s;

        for (i = 0; i < 3*n; ++i) x[i] = (slip_real)slip_random_int(&rng, 0, top);
        if (trial % 5 == 0) for (i = 0; i < n; ++i) x[3*i + 2] = x[3*i] + 1;          /* a slanted plane */
        s = build(x, n, 0, &h);
        TEST_ASSERT(s == SLIP_OK || s == SLIP_DEGENERATE);
        TEST_ASSERT_EQUAL_INT(s == SLIP_OK, slip_hull_dimension(&h) == 3);
        check(x, n, &h);
        if (s == SLIP_OK) check_against_brute_force(x, n, &h, 1e-4);
        solids += s == SLIP_OK;
        flats += slip_hull_dimension(&h) == 2;
    }
    TEST_ASSERT(solids > 500 && flats > 200);
}

static void test_points_on_a_sphere_are_all_vertices(void)
{
    enum { N = 2000 };
    static slip_real x[3*N];
    slip_hull h;
    int i;

    for (i = 0; i < N; ++i) slip_random_unit3(&rng, x + 3*i);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, build(x, N, 0, &h));
    check(x, N, &h);
    TEST_ASSERT_EQUAL_INT(N, h.nv);
    TEST_ASSERT(h.nf <= 2*N - 4 && h.nf >= 2*N - (int)SLIP_TOL(4, 20));      /* a few merge in float */
}

static void test_prisms_have_two_large_faces_and_one_square_per_side(void)
{
    static slip_real x[3*2*600];
    slip_hull h;
    int n, i;

    for (n = 3; n < 600; n += n/3 + 1) {
        for (i = 0; i < n; ++i) {
            const slip_real a = 2*SLIP_PI*(slip_real)i/(slip_real)n;

            slip_set3(slip_cos(a), slip_sin(a), -1, x + 6*i);
            slip_set3(slip_cos(a), slip_sin(a), 1, x + 6*i + 3);
        }
        turn_and_move(x, 2*n, 1);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, build(x, 2*n, 0, &h));
        check(x, 2*n, &h);
        TEST_ASSERT_EQUAL_INT(2*n, h.nv);
        TEST_ASSERT_EQUAL_INT(n + 2, h.nf);
    }
}

static void test_flat_input_becomes_a_polygon_with_two_sides(void)
{
    enum { N = 400 };
    static slip_real x[3*N];
    slip_hull h;
    int trial, i;

    for (trial = 0; trial < 50; ++trial) {
        for (i = 0; i < N; ++i)
            for (int k = 0; k < 3; ++k) x[3*i + k] = k < 2 ? slip_random_uniform(&rng, -1, 1) : 0;
        for (i = 0; i < 4; ++i) slip_set3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, 0, x + 3*i);
        turn_and_move(x, N, trial & 1 ? 10 : 0);
        TEST_ASSERT_EQUAL_INT(SLIP_DEGENERATE, build(x, N, 0, &h));
        check(x, N, &h);
        TEST_ASSERT_EQUAL_INT(2, slip_hull_dimension(&h));
        TEST_ASSERT_EQUAL_INT(4, h.nv);
        TEST_ASSERT_DOUBLE_WITHIN(100*(double)SLIP_REAL_EPS, -1, slip_dot3(h.plane, h.plane + 4));
    }
}

static void test_collinear_and_coincident_points_become_a_segment_and_a_point(void)
{
    enum { N = 50 };
    slip_real x[3*N];
    slip_hull h;
    int i;

    for (i = 0; i < N; ++i) slip_set3((slip_real)i, 2*(slip_real)i, -(slip_real)i, x + 3*i);
    TEST_ASSERT_EQUAL_INT(SLIP_DEGENERATE, build(x, N, 0, &h));
    check(x, N, &h);
    TEST_ASSERT_EQUAL_INT(2, h.nv);
    TEST_ASSERT_EQUAL_INT(1, h.ne);
    TEST_ASSERT_EQUAL_INT(1, slip_hull_dimension(&h));
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, sqrt(5.0/6.0), hull_depth(&h, (const slip_real[3]){ 3, 6, -2 }, NULL));
    for (i = 0; i < N; ++i) slip_set3(3, SLIP_R(1e-5), 7, x + 3*i);
    TEST_ASSERT_EQUAL_INT(SLIP_DEGENERATE, build(x, N, 0, &h));
    check(x, N, &h);
    TEST_ASSERT_EQUAL_INT(1, h.nv);
    TEST_ASSERT_EQUAL_INT(0, slip_hull_dimension(&h));
}

static void test_a_coarse_tolerance_joins_what_was_printed_with_few_digits(void)
{
    slip_real x[24];
    slip_hull h;
    int trial, i;

    for (trial = 0; trial < 200; ++trial) {
        box_corners(x, 1, SLIP_R(0.5), SLIP_R(0.3));
        turn_and_move(x, 8, 1);
        for (i = 0; i < 24; ++i) x[i] = slip_floor(x[i]*1000 + SLIP_R(0.5))/1000;
        TEST_ASSERT_EQUAL_INT(SLIP_OK, build(x, 8, SLIP_R(0.004), &h));
        hull_check_topology(&h);
        check_geometry(x, 8, &h, 0.0041);
        TEST_ASSERT_EQUAL_INT(6, h.nf);
        TEST_ASSERT_EQUAL_INT(8, h.nv);
    }
}

/* A sphere much finer than the tolerance: faces are patches, still convex, and cover what they should. */
static void test_a_tolerance_coarser_than_the_mesh_keeps_faces_convex(void)
{
    enum { N = 3000 };
    static slip_real x[3*N];
    const slip_real tolerance[4] = { SLIP_R(1e-4), SLIP_R(1e-3), SLIP_R(1e-2), SLIP_R(0.1) };
    slip_hull h;
    int i, k;

    for (i = 0; i < N; ++i) slip_random_unit3(&rng, x + 3*i);
    for (k = 0; k < 4; ++k) {
        TEST_ASSERT_EQUAL_INT(SLIP_OK, build(x, N, tolerance[k], &h));
        hull_check_topology(&h);
        check_geometry(x, N, &h, 4*(double)tolerance[k]);
        TEST_ASSERT(h.nv < N);
    }
}

static void test_noise_below_and_about_the_tolerance_never_breaks_the_surface(void)
{
    enum { N = 300 };
    static slip_real x[3*N];
    slip_hull h;
    int trial, i, k;

    for (trial = 0; trial < 400; ++trial) {
        const slip_real noise = SLIP_REAL_EPS*slip_pow(10, slip_random_uniform(&rng, -1, 5));
        const int n = slip_random_int(&rng, 4, N);

        for (i = 0; i < n; ++i)
            for (k = 0; k < 3; ++k)
                x[3*i + k] = (slip_real)slip_random_int(&rng, 0, 4)/4 + noise*slip_random_uniform(&rng, -1, 1);
        TEST_ASSERT(build(x, n, 0, &h) >= 0);
        check(x, n, &h);
    }
}

static void test_the_same_points_give_the_same_hull(void)
{
    enum { N = 500 };
    static slip_real x[3*N], first[3*N];
    slip_hull h;
    int i, nv, nf;

    for (i = 0; i < 3*N; ++i) x[i] = slip_random_normal(&rng);
    build(x, N, 0, &h);
    nv = h.nv;
    nf = h.nf;
    memcpy(first, h.vertex, (size_t)(3*nv)*sizeof *first);
    build(x, N, 0, &h);
    TEST_ASSERT(h.nv == nv && h.nf == nf && memcmp(first, h.vertex, (size_t)(3*nv)*sizeof *first) == 0);
}

static void test_bad_input_is_refused_and_a_short_arena_is_reported(void)
{
    slip_real x[24];
    slip_hull h, before;
    slip_error err;
    size_t bytes;

    memset(&h, 7, sizeof h);
    before = h;
    box_corners(x, 1, 1, 1);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_hull_build(x, 0, 0, &arena, &h, &err));
    x[5] = (slip_real)NAN;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, build(x, 8, 0, &h));
    x[5] = (slip_real)INFINITY;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, build(x, 8, 0, &h));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_hull_build(x, 8, (slip_real)NAN, &arena, &h, NULL));
    box_corners(x, 1, 1, 1);
    build(x, 8, 0, &h);
    for (bytes = 0; bytes < slip_arena_mark(&arena) + 64; bytes += 16) {
        slip_arena small = slip_arena_over(block, bytes);

        h = before;
        TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, slip_hull_build(x, 8, 0, &small, &h, &err));
        TEST_ASSERT(memcmp(&h, &before, sizeof h) == 0 && slip_arena_mark(&small) == 0);
    }
}

static void test_depth_is_negative_inside_and_a_distance_bound_outside(void)
{
    slip_real x[24], p[3] = { 0, 0, SLIP_R(0.5) };
    slip_hull h;
    int face;

    box_corners(x, 1, 2, 3);
    build(x, 8, 0, &h);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, -1, hull_depth(&h, p, &face));
    TEST_ASSERT(slip_abs(h.plane[4*face]) == 1);
    p[2] = 5;
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 2, hull_depth(&h, p, &face));
}

/* The box found from the last one's vertices is that of a search from the first, whatever the steps in between. */
static void test_the_box_of_a_hull_does_not_depend_on_where_its_search_begins(void)
{
    static slip_real points[3*400];
    static unsigned char room[1 << 20];
    slip_arena mem = slip_arena_over(room, sizeof room);
    slip_random r = slip_random_seed(11);
    slip_hull hull;
    int hint[6] = { 0, 0, 0, 0, 0, 0 }, i, k;

    for (i = 0; i < 400; ++i) {
        slip_real u[3];

        for (k = 0; k < 3; ++k) u[k] = slip_random_normal(&r);
        slip_normalize3(u, points + 3*i);
    }
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_hull_build(points, 400, 0, &mem, &hull, NULL));
    for (i = 0; i < 300; ++i) {
        slip_real lo[3], hi[3], lo2[3], hi2[3], q[4];
        slip_shape shape = slip_shape_mesh(&hull);
        slip_pose X;

        slip_random_quat(&r, q);
        slip_set3(1, 2, 3, X.p);
        slip_quat_to_mat3(q, X.R);
        slip_hull_bounds(&hull, &X, hint, lo, hi);
        slip_shape_bounds(&shape, &X, lo2, hi2);
        for (k = 0; k < 3; ++k) {
            TEST_ASSERT_DOUBLE_WITHIN(4*SLIP_REAL_EPS, (double)lo2[k], (double)lo[k]);
            TEST_ASSERT_DOUBLE_WITHIN(4*SLIP_REAL_EPS, (double)hi2[k], (double)hi[k]);
        }
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_box_has_eight_vertices_twelve_edges_and_six_square_faces);
    RUN_TEST(test_a_turned_box_anywhere_at_any_scale_still_has_six_faces);
    RUN_TEST(test_needles_and_plates_keep_their_shape);
    RUN_TEST(test_points_on_a_turned_box_leave_only_its_corners);
    RUN_TEST(test_random_points_match_brute_force);
    RUN_TEST(test_grid_points_with_duplicates_match_brute_force);
    RUN_TEST(test_points_on_a_sphere_are_all_vertices);
    RUN_TEST(test_prisms_have_two_large_faces_and_one_square_per_side);
    RUN_TEST(test_flat_input_becomes_a_polygon_with_two_sides);
    RUN_TEST(test_collinear_and_coincident_points_become_a_segment_and_a_point);
    RUN_TEST(test_a_coarse_tolerance_joins_what_was_printed_with_few_digits);
    RUN_TEST(test_a_tolerance_coarser_than_the_mesh_keeps_faces_convex);
    RUN_TEST(test_noise_below_and_about_the_tolerance_never_breaks_the_surface);
    RUN_TEST(test_the_same_points_give_the_same_hull);
    RUN_TEST(test_bad_input_is_refused_and_a_short_arena_is_reported);
    RUN_TEST(test_depth_is_negative_inside_and_a_distance_bound_outside);
    RUN_TEST(test_the_box_of_a_hull_does_not_depend_on_where_its_search_begins);
    return UNITY_END();
}
