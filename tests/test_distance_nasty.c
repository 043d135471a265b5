/* Scenes made to break a distance query: cores that coincide, twins, gaps near rounding, grains against mountains, tilts that
 * are all but none, needles, plates and polygons. Each aligned and moved, either way round, judged by brute force. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hull_check.h"
#include "unity.h"
#include "geom/distance.h"
#include "geom/hull.h"
#include "truth.h"

static slip_random rng;
static unsigned char block[8][1 << 15];
static slip_hull hulls[8];
static int judged;
static long double worst[3];

void setUp(void) { rng = slip_random_seed(91);  judged = 0;  worst[0] = worst[1] = worst[2] = 0; }
void tearDown(void) { printf("%d pairs, worst distance %.2Lg, normal %.2Lg, point %.2Lg\n", judged, worst[0], worst[1], worst[2]); }

/* Relative to the sizes: the distance, how much worse the normal separates than it should, points off the surfaces. */
static const long double limits[3] = { (long double)SLIP_TOL(1e-10, 4e-5), (long double)SLIP_TOL(5e-8, 1e-3), (long double)SLIP_TOL(5e-8, 2e-3) };

static void judge_one(const char *what, const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb)
{
    slip_distance_result r;
    truth_set ta, tb;
    long double d, scale, e[3], fit;
    char text[160];
    int i, status;

    truth_place(a, xa, &ta);
    truth_place(b, xb, &tb);
    d = truth_distance(&ta, &tb, NULL);
    scale = ta.size + tb.size + (d > 0 ? d : 0) + (long double)SLIP_TOL(0, 1)*(long double)(slip_norm3(xa->p) + slip_norm3(xb->p));
    status = (int)slip_distance(a, xa, b, xb, NULL, &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, status, what);
    e[0] = fabsl((long double)r.distance - d)/scale;
    e[1] = (d - truth_separation(&ta, &tb, r.normal))/scale;
    for (e[2] = 0, i = 0; i < 3; ++i)
        e[2] = fmaxl(e[2], fabsl((long double)r.a[i] + (long double)r.distance*(long double)r.normal[i] - (long double)r.b[i])/scale);
    fit = e[2];
    e[2] = fmaxl(e[2], fmaxl(truth_off_surface(&ta, r.a), truth_off_surface(&tb, r.b))/scale);
    sprintf(text, "%s #%d %s-%s: D %.12Lg error %.2Lg normal %.2Lg point %.2Lg", what, judged, slip_shape_kind_name(a->kind),
            slip_shape_kind_name(b->kind), d, e[0], e[1], e[2]);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(16*(double)SLIP_REAL_EPS, 1, (double)slip_norm3(r.normal), text);
    TEST_ASSERT_MESSAGE(fit <= (long double)SLIP_TOL(1e-14, 2e-6), text);           /* b = a + d n, always */
    for (i = 0; i < 3; ++i) {
        TEST_ASSERT_MESSAGE(e[i] <= limits[i], text);
        worst[i] = fmaxl(worst[i], e[i]);
    }
    ++judged;
}

/* As it stands and under three rigid motions, either way round. */
static void judge(const char *what, const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb)
{
    slip_pose M, ya, yb;
    slip_real q[4];
    int k;

    slip_pose_identity(&M);
    for (k = 0; k < 4; ++k) {
        slip_pose_mul(&M, xa, &ya);
        slip_pose_mul(&M, xb, &yb);
        judge_one(what, a, &ya, b, &yb);
        judge_one(what, b, &yb, a, &ya);
        slip_random_quat(&rng, q);
        slip_quat_to_mat3(q, M.R);
        slip_random_unit3(&rng, M.p);
    }
}

static slip_pose at(double x, double y, double z)
{
    slip_pose X;

    slip_pose_identity(&X);
    slip_set3((slip_real)x, (slip_real)y, (slip_real)z, X.p);
    return X;
}

static slip_pose tilted(slip_pose X, double angle, int axis)
{
    slip_real u[3] = { 0, 0, 0 }, T[9];

    u[axis] = 1;
    slip_mat3_from_axis_angle(u, (slip_real)angle, T);
    slip_mat3_mul(X.R, T, X.R);
    return X;
}

/* The hull of the points of a grid -1, 0, 1 whose sum of squares is in [lo, hi], scaled by s. */
static slip_shape lattice(int slot, int lo, int hi, double sx, double sy, double sz)
{
    slip_arena arena = slip_arena_over(block[slot], sizeof block[slot]);
    slip_real x[81];
    int i, n = 0;

    for (i = 0; i < 27; ++i) {
        const int u = i%3 - 1, v = i/3%3 - 1, w = i/9 - 1, d = u*u + v*v + w*w;

        if (d < lo || d > hi) continue;
        slip_set3((slip_real)(u*sx), (slip_real)(v*sy), (slip_real)(w*sz), x + 3*n++);
    }
    TEST_ASSERT(slip_hull_build(x, n, 0, &arena, &hulls[slot], NULL) >= 0);
    return slip_shape_mesh(&hulls[slot]);
}

enum { KINDS = 7 };

/* sphere, box, capsule, cube, octahedron, cuboctahedron, square without thickness; all of half width s */
static void all_kinds(double s, int slot, slip_shape shape[KINDS])
{
    shape[0] = slip_shape_sphere((slip_real)s);
    shape[1] = slip_shape_box((slip_real)s, (slip_real)s, (slip_real)s);
    shape[2] = slip_shape_capsule((slip_real)(s/4), (slip_real)s);
    shape[3] = lattice(slot, 3, 3, s, s, s);
    shape[4] = lattice(slot + 1, 1, 1, s, s, s);
    shape[5] = lattice(slot + 2, 2, 2, s, s, s);
    shape[6] = lattice(slot + 3, 3, 3, s, s, 0);
}

static const double hairs[] = { 0, 1e-16, -1e-16, 1e-15, -1e-15, 1e-13, -1e-12, 1e-11, 1e-10, -1e-9, 1e-8, 1e-7, -1e-7 };
enum { HAIRS = (int)(sizeof hairs/sizeof *hairs) };

static void test_twins_and_concentric_shapes(void)
{
    static const double tilts[] = { 0, 1e-15, 1e-9, 1e-7, 1e-4, 0.78539816339744831 };
    slip_shape s[KINDS];
    int i, j, k, axis;

    all_kinds(1, 0, s);
    for (i = 0; i < KINDS; ++i)
        for (j = 0; j < KINDS; ++j)
            for (k = 0; k < 6; ++k)
                for (axis = 0; axis < 3; axis += 2) {
                    const slip_pose X = at(0, 0, 0), Y = tilted(at(0, 0, 0), tilts[k], axis), Z = at(tilts[k], 0, 0);

                    judge("concentric", &s[i], &X, &s[j], &Y);
                    judge("all but concentric", &s[i], &X, &s[j], &Z);
                }
}

/* One shape beside the other, above a face, an edge or a corner of its box, all but touching. */
static void test_gaps_of_a_hair_over_faces_edges_and_corners(void)
{
    slip_shape s[KINDS];
    int i, j, k, way;

    all_kinds(1, 0, s);
    for (i = 0; i < KINDS; ++i)
        for (j = 0; j < KINDS; ++j)
            for (k = 0; k < HAIRS; ++k)
                for (way = 0; way < 4; ++way) {
                    const slip_pose X = at(0, 0, 0), Y = at(2 + hairs[k], way > 0 ? 2 + (way > 1 ? hairs[k] : 0) : 0.25, way > 2 ? 2 : 0);

                    judge("hair", &s[i], &X, &s[j], &Y);
                }
}

/* The centre of a ball or the end of a capsule on a face, an edge, a corner, and a hair off. */
static void test_centres_on_faces_edges_and_corners(void)
{
    const slip_shape ball = slip_shape_sphere(SLIP_R(0.5)), rod = slip_shape_capsule(SLIP_R(0.25), 1);
    slip_shape s[KINDS];
    int j, k, way;

    all_kinds(1, 0, s);
    for (j = 1; j < KINDS; ++j)
        for (k = 0; k < HAIRS; ++k)
            for (way = 0; way < 3; ++way) {
                const double x = 1 + hairs[k], y = way > 0 ? 1 : 0.125, z = way > 1 ? 1 : 0.25;
                const slip_pose X = at(0, 0, 0), Y = at(x, y, z), Z = at(x, y, z + 1), W = tilted(at(x, y, z), 1.5707963267948966, 0);

                judge("centre", &s[j], &X, &ball, &Y);
                judge("end", &s[j], &X, &rod, &Z);
                judge("axis", &s[j], &X, &rod, &Y);
                judge("axis across", &s[j], &X, &rod, &W);
            }
}

static void test_capsules_parallel_collinear_crossing_and_all_but(void)
{
    static const double tilts[] = { 0, 1e-16, 1e-14, 1e-12, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5 };
    static const double apart[] = { 0, 1e-15, 1e-9, 0.5, 1 };
    const slip_shape a = slip_shape_capsule(SLIP_R(0.25), 1), b = slip_shape_capsule(SLIP_R(0.25), SLIP_R(0.5)), c = slip_shape_capsule(0, 1);
    const slip_shape box = slip_shape_box(SLIP_R(0.25), SLIP_R(0.25), 1);
    int i, j, k;

    for (i = 0; i < 9; ++i)
        for (j = 0; j < 5; ++j)
            for (k = 0; k < 4; ++k) {
                const slip_pose X = at(0, 0, 0), Y = tilted(at(apart[j], 0, 0.5*k), tilts[i], k%2), Z = tilted(at(0, apart[j], 2 + apart[j]), tilts[i], 0);

                judge("beside", &a, &X, &b, &Y);
                judge("twins", &a, &X, &a, &Y);
                judge("lines", &c, &X, &c, &Y);
                judge("in line", &a, &X, &a, &Z);
                judge("along a box", &box, &X, &a, &Y);
            }
}

static void test_grains_against_mountains(void)
{
    static const double inside[] = { 0, 0.5, 0.999, 1, 1.0001 };
    slip_shape s[KINDS], g[KINDS];
    int i, j, k, way;

    all_kinds(100, 0, s);
    all_kinds(1e-3, 4, g);
    for (i = 0; i < KINDS; ++i)
        for (j = 0; j < KINDS; ++j)
            for (k = 0; k < 5; ++k)
                for (way = 0; way < 2; ++way) {
                    const slip_pose X = at(0, 0, 0), Y = at(100*inside[k] + (k == 3 ? 1e-3 + 1e-6 : 0), way ? 100*inside[k] : 30, 5);

                    judge("grain", &s[i], &X, &g[j], &Y);
                }
}

static void test_needles_plates_and_polygons(void)
{
    const slip_shape s[7] = { slip_shape_box(SLIP_R(1e-3), SLIP_R(1e-3), 1), slip_shape_box(1, 1, SLIP_R(1e-3)), slip_shape_box(1, 1, 0), slip_shape_box(1, 0, 0),
                              lattice(0, 2, 3, 1, 1, 1e-3), lattice(1, 1, 3, 1e-3, 1e-3, 1), lattice(2, 1, 2, 1, 1, 0) };
    static const double tilts[] = { 0, 1e-9, 1e-3, 0.3, 1.5707963267948966 };
    static const double places[] = { 0, 1e-3, 2e-3, 0.5, 0.999, 1, 1.001 };
    int i, j, k, t;

    for (i = 0; i < 7; ++i)
        for (j = 0; j < 7; ++j)
            for (k = 0; k < 7; ++k)
                for (t = 0; t < 5; ++t) {
                    const slip_pose X = at(0, 0, 0), Y = tilted(at(places[k], 0.1, 0), tilts[t], k%3), Z = tilted(at(0.1, 0, places[k]), tilts[t], k%2);

                    judge("thin", &s[i], &X, &s[j], &Y);
                    judge("thin above", &s[i], &X, &s[j], &Z);
                }
}

/* Faces of equal size over each other, tilted by so little that the square of the tilt is lost in rounding while the tilt is
 * not: a search that looks only at squares stops 1e-8 too far. */
static void test_faces_all_but_parallel(void)
{
    static const double tilts[] = { 1e-6, 1e-7, 3e-8, 1e-8, 3e-9, 1e-9, 1e-10, 1e-12 };
    static const double gaps[] = { -1e-3, 0, 0.2, 0.6, 1 };
    slip_shape s[KINDS];
    int i, j, k, t, axis;

    all_kinds(1, 0, s);
    for (i = 1; i < KINDS; ++i)
        for (j = 1; j < KINDS; ++j)
            for (t = 0; t < 8; ++t)
                for (k = 0; k < 5; ++k)
                    for (axis = 0; axis < 2; ++axis) {
                        const slip_pose X = at(0, 0, 0), Y = tilted(at(0, 0, 2 + gaps[k]), tilts[t], axis);

                        judge("all but parallel", &s[i], &X, &s[j], &Y);
                    }
}

/* The axis of a shape without thickness is its surface: a wire (a cylinder of radius 0), a point made of three equal vertices,
 * a capsule through a plate without thickness. */
static void test_wires_points_and_pierced_plates(void)
{
    const double tol = (double)SLIP_TOL(1e-14, 1e-6);
    const slip_shape wire = slip_shape_cylinder(0, SLIP_R(0.5)), tin = slip_shape_cylinder(SLIP_R(0.25), 1), box = slip_shape_box(2, 2, SLIP_R(0.25));
    const slip_shape rod = slip_shape_capsule(SLIP_R(0.25), SLIP_R(0.5)), plate = slip_shape_box(1, SLIP_R(0.5), 0), grain = lattice(0, 1, 1, 0, 0, 0);
    slip_distance_result r;
    int k;

    for (k = 0; k < 200; ++k) {
        const slip_pose X = at(0, 0, 0);
        slip_pose Y = at(0.1, 0.2, 0), Z;
        slip_real q[4];

        slip_random_quat(&rng, q);
        slip_quat_to_mat3(q, Y.R);
        TEST_ASSERT_EQUAL_INT(0, slip_distance(&box, &X, &wire, &Y, NULL, &r));
        TEST_ASSERT_DOUBLE_WITHIN(tol, -0.25 - 0.5*fabs((double)Y.R[8]), r.distance);
        slip_pose_inv_point(&Y, r.b, q);
        TEST_ASSERT(slip_abs(q[0]) + slip_abs(q[1]) <= (slip_real)tol && slip_abs(q[2]) <= SLIP_R(0.5) + (slip_real)tol);
        Z = Y;
        Z.p[2] = slip_random_uniform(&rng, SLIP_R(-0.4), SLIP_R(0.4));                /* crosses it off its middle */
        judge_one("pierced plate", &plate, &X, &rod, &Z);
        slip_copy3(X.p, Z.p);
        TEST_ASSERT_EQUAL_INT(0, slip_distance(&tin, &X, &grain, &Z, NULL, &r));
        TEST_ASSERT_DOUBLE_WITHIN(tol, -0.25, r.distance);
        TEST_ASSERT_EQUAL_INT(0, slip_distance(&grain, &Z, &tin, &Z, NULL, &r));
        TEST_ASSERT_DOUBLE_WITHIN(tol, -0.25, r.distance);
    }
    {   /* a wire lying in the plane of a face: its middle or its ends are nearest, not a point off it */
        const slip_pose X = at(0, 0, 0), Y = tilted(at(0, 0, 0.75), 1.5707963267948966, 0);

        TEST_ASSERT_EQUAL_INT(0, slip_distance(&box, &X, &wire, &Y, NULL, &r));
        TEST_ASSERT_DOUBLE_WITHIN(tol, 0.5, r.distance);
        TEST_ASSERT(slip_abs(r.b[0]) <= (slip_real)tol && slip_abs(r.b[1]) <= SLIP_R(0.5) + (slip_real)tol);
    }
    {   /* a wire longer than the box it runs through: the point of the box is on the box */
        const slip_shape brick = slip_shape_box(SLIP_R(0.5), SLIP_R(0.3), SLIP_R(0.4));
        const slip_pose X = at(0, 0, 0);

        TEST_ASSERT_EQUAL_INT(0, slip_distance(&brick, &X, &wire, &X, NULL, &r));
        TEST_ASSERT_DOUBLE_WITHIN(tol, -0.3, r.distance);
        TEST_ASSERT(slip_abs(r.a[2]) <= SLIP_R(0.4) + (slip_real)tol && slip_abs(r.b[2]) <= SLIP_R(0.5) + (slip_real)tol);
    }
}

/* A ball of thousands of vertices: no brute force there, but the points prove the distance from above and the supports along
 * the normal from below; for overlaps no direction of many may part them better. */
static void test_hulls_of_thousands_of_vertices(void)
{
    enum { N = 4000 };
    const size_t size = slip_hull_bytes(N);
    void *memory = malloc(size);
    slip_arena arena = slip_arena_over(memory, size);
    slip_real *x = (slip_real *)malloc(3*N*sizeof *x);
    slip_shape ball, s[KINDS];
    slip_hull hull;
    int i, k;

    for (i = 0; i < N; ++i) slip_random_unit3(&rng, x + 3*i);
    TEST_ASSERT_EQUAL_INT(0, slip_hull_build(x, N, 0, &arena, &hull, NULL));
    ball = slip_shape_mesh(&hull);
    all_kinds(0.5, 0, s);
    for (i = 0; i < 40*KINDS; ++i) {
        const slip_shape *b = i%40 == 39 ? &ball : &s[i%KINDS];
        const slip_pose X = at(0, 0, 0);
        slip_pose Y = at(0, 0, 0);
        slip_distance_result r;
        slip_real q[4], u[3];

        slip_random_quat(&rng, q);
        slip_quat_to_mat3(q, Y.R);
        slip_random_unit3(&rng, u);
        slip_scale3(slip_random_uniform(&rng, 0, 2), u, Y.p);
        TEST_ASSERT_EQUAL_INT(0, slip_distance(&ball, &X, b, &Y, NULL, &r));
        for (k = -1; k < 3000; ++k) {
            slip_real n[3], m[3], a[3], c[3], d;

            slip_random_unit3(&rng, n);
            if (k%2) { slip_axpy3(SLIP_R(0.05), n, r.normal, n);  slip_normalize3(n, n); }
            if (k < 0) slip_copy3(r.normal, n);
            slip_shape_support(&ball, n, a);
            slip_mat3_tvec(Y.R, n, m);
            slip_neg3(m, m);
            slip_shape_support(b, m, c);
            slip_pose_point(&Y, c, c);
            d = slip_dot3(n, c) - slip_dot3(n, a);
            TEST_ASSERT(d <= r.distance + SLIP_TOL(1e-14, 4e-6));
            if (k < 0) TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-14, 4e-6), d, r.distance);
        }
        slip_axpy3(r.distance, r.normal, r.a, u);
        TEST_ASSERT(slip_distance3(u, r.b) < SLIP_TOL(1e-14, 4e-6));
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-14, 4e-6), 0, hull_depth(&hull, r.a, NULL));
    }
    free(x);
    free(memory);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_twins_and_concentric_shapes);
    RUN_TEST(test_gaps_of_a_hair_over_faces_edges_and_corners);
    RUN_TEST(test_centres_on_faces_edges_and_corners);
    RUN_TEST(test_capsules_parallel_collinear_crossing_and_all_but);
    RUN_TEST(test_grains_against_mountains);
    RUN_TEST(test_needles_plates_and_polygons);
    RUN_TEST(test_faces_all_but_parallel);
    RUN_TEST(test_wires_points_and_pierced_plates);
    RUN_TEST(test_hulls_of_thousands_of_vertices);
    return UNITY_END();
}
