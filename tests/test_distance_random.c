/* The distance query against brute force: random shapes, and shapes placed to be as awkward as can be. */
#include <math.h>
#include <stdio.h>

#include "unity.h"
#include "geom/distance.h"
#include "geom/hull.h"
#include "truth.h"

static slip_random rng;
static unsigned char block[1 << 17];
static slip_arena arena;
static slip_hull hulls[2];

void setUp(void) { rng = slip_random_seed(20240601); }
void tearDown(void) { }

static double uniform(double lo, double hi) { return (double)slip_random_uniform(&rng, (slip_real)lo, (slip_real)hi); }
static int pick(int n) { return slip_random_int(&rng, 0, n - 1); }

/* ---- shapes --------------------------------------------------------------------------------------- */

static void scale_points(slip_real *x, int n, double sx, double sy, double sz)
{
    int i;

    for (i = 0; i < n; ++i) {
        x[3*i] *= (slip_real)sx;  x[3*i + 1] *= (slip_real)sy;  x[3*i + 2] *= (slip_real)sz;
    }
}

/* A hull of few points: balls, grids (many coplanar and collinear points), prisms, cubes, needles, plates. */
static slip_shape random_mesh(int slot, double size)
{
    slip_real x[3*12];
    int n = 4 + pick(7), kind = pick(6), i, k;

    for (i = 0; i < n; ++i) {
        if (kind < 2) slip_random_unit3(&rng, x + 3*i);
        else for (k = 0; k < 3; ++k) x[3*i + k] = (slip_real)(pick(5) - 2)/4;
    }
    if (kind == 4) {
        n = 8;
        for (i = 0; i < 8; ++i)
            for (k = 0; k < 3; ++k) x[3*i + k] = i >> k & 1 ? SLIP_R(0.5) : SLIP_R(-0.5);
    }
    if (kind == 5) {
        n = 10;
        for (i = 0; i < 10; ++i)
            slip_set3((slip_real)cos(0.4*3.14159265358979*(i%5)), (slip_real)sin(0.4*3.14159265358979*(i%5)),
                      i < 5 ? SLIP_R(0.5) : SLIP_R(-0.5), x + 3*i);
    }
    scale_points(x, n, size, size, size);
    if (pick(5) == 0) scale_points(x, n, 1, pick(2) ? 1e-3 : 1, 1e-3);
    TEST_ASSERT(slip_hull_build(x, n, 0, &arena, &hulls[slot], NULL) >= 0);
    return slip_shape_mesh(&hulls[slot]);
}

static slip_shape random_shape(int slot, int kind, double size)
{
    const double s = size*uniform(0.2, 1);

    switch (kind) {
    case 0:  return slip_shape_sphere((slip_real)s);
    case 1:  return slip_shape_box((slip_real)s, (slip_real)(size*0.25*(1 + pick(4))), (slip_real)(pick(6) ? s : 1e-3*s));
    case 2:  return slip_shape_capsule((slip_real)(s*(pick(3) ? 0.3 : 1e-3)), (slip_real)(size*0.25*(1 + pick(4))));
    default: return random_mesh(slot, size);
    }
}

/* Identity, quarter turns, tiny turns, anything. */
static void random_rotation(slip_real R[9])
{
    slip_real q[4], axis[3], T[9];
    int i;

    slip_mat3_identity(R);
    for (i = 0; i < 3; ++i) {
        slip_zero3(axis);
        axis[i] = 1;
        if (pick(2)) continue;
        slip_mat3_identity(T);
        {   /* an exact quarter turn */
            const int j = (i + 1)%3, k = (i + 2)%3;

            T[4*j] = 0;  T[4*k] = 0;  T[3*j + k] = -1;  T[3*k + j] = 1;
        }
        slip_mat3_mul(R, T, R);
    }
    switch (pick(4)) {
    case 0:
        break;
    case 1:
        slip_random_unit3(&rng, axis);
        slip_mat3_from_axis_angle(axis, (slip_real)pow(10, -uniform(3, 17)), T);
        slip_mat3_mul(R, T, R);
        break;
    default:
        slip_random_quat(&rng, q);
        slip_quat_to_mat3(q, R);
        break;
    }
}

/* ---- the judgement -------------------------------------------------------------------------------- */

static double worst_distance, worst_normal, worst_point;
static int judged;

/* Limits relative to the sizes: distance, certificate of the normal, witness points. In general the distance is good to
 * rounding; where corners all but meet, two cores 1e-9 of their size apart can not be told from touching ones. */
#define LIMIT_DISTANCE (long double)(what[0] == 's' ? SLIP_TOL(4e-9, 1e-3) : SLIP_TOL(1e-12, 4e-5))
#define LIMIT_NORMAL   (long double)SLIP_TOL(1e-6, 4e-3)
#define LIMIT_POINT    (long double)SLIP_TOL(1e-8, 1e-3)

static void judge(const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb, const char *what)
{
    slip_distance_result r;
    truth_set ta, tb;
    long double d, scale, e, s, w = 0;
    char text[160];
    int i;

    truth_place(a, xa, &ta);
    truth_place(b, xb, &tb);
    d = truth_distance(&ta, &tb, NULL);
    scale = ta.size + tb.size + (d > 0 ? d : 0);
    i = slip_distance(a, xa, b, xb, NULL, &r);
    e = fabsl((long double)r.distance - d)/scale;
    s = (d - truth_separation(&ta, &tb, r.normal))/scale;
    sprintf(text, "%s %s-%s #%d: D %.9Lg error %.3Lg normal %.3Lg status %d", what, slip_shape_kind_name(a->kind),
            slip_shape_kind_name(b->kind), judged, d, e, s, i);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, i, text);
    TEST_ASSERT_MESSAGE(e <= LIMIT_DISTANCE, text);
    TEST_ASSERT_MESSAGE(fabs((double)slip_norm3(r.normal) - 1) < 16*(double)SLIP_REAL_EPS, text);
    TEST_ASSERT_MESSAGE(s <= LIMIT_NORMAL, text);
    for (i = 0; i < 3; ++i) w = fmaxl(w, fabsl((long double)r.a[i] + (long double)r.distance*(long double)r.normal[i] - (long double)r.b[i])/scale);
    w = fmaxl(w, fmaxl(truth_off_surface(&ta, r.a), truth_off_surface(&tb, r.b))/scale);
    sprintf(text, "%s %s-%s #%d: D %.9Lg points %.3Lg", what, slip_shape_kind_name(a->kind),
            slip_shape_kind_name(b->kind), judged, d, w);
    TEST_ASSERT_MESSAGE(w <= LIMIT_POINT, text);
    worst_distance = fmax(worst_distance, (double)e);
    worst_normal = fmax(worst_normal, (double)s);
    worst_point = fmax(worst_point, (double)w);
    ++judged;
}

static void report(const char *what)
{
    printf("%s: %d pairs, worst distance %.2g, normal %.2g, point %.2g\n", what, judged, worst_distance, worst_normal, worst_point);
    judged = 0;
    worst_distance = worst_normal = worst_point = 0;
}

/* Two shapes and poses; b is then moved along the direction of least overlap to the wanted gap. */
static void place_at_gap(const slip_shape *a, const slip_pose *xa, const slip_shape *b, slip_pose *xb, double gap)
{
    truth_set ta, tb;
    long double d, n[3];
    int i;

    truth_place(a, xa, &ta);
    truth_place(b, xb, &tb);
    d = truth_distance(&ta, &tb, n);
    for (i = 0; i < 3; ++i) xb->p[i] = (slip_real)((long double)xb->p[i] + ((long double)gap - d)*n[i]);
}

static void random_position(slip_real p[3], double size)
{
    int k, snapped = pick(2);

    for (k = 0; k < 3; ++k) p[k] = (slip_real)(snapped ? size*(pick(9) - 4)/4 : size*uniform(-1, 1));
}

/* A point of the core: a vertex, the middle of two, or of three or four. */
static void some_point(const truth_set *t, long double x[3])
{
    const int n = 1 + pick(4);
    int i, k;

    x[0] = x[1] = x[2] = 0;
    for (i = 0; i < n; ++i) {
        const int v = pick(t->n);

        for (k = 0; k < 3; ++k) x[k] += t->x[v][k]/n;
    }
}

/* Moves b so that a point of its core falls on one of a's, give or take a hair: vertex on vertex, on edge, on face. */
static void place_on_point(const slip_shape *a, const slip_pose *xa, const slip_shape *b, slip_pose *xb, double gap)
{
    truth_set ta, tb;
    long double x[3], y[3];
    slip_real u[3];
    int i;

    truth_place(a, xa, &ta);
    truth_place(b, xb, &tb);
    some_point(&ta, x);
    some_point(&tb, y);
    slip_random_unit3(&rng, u);
    for (i = 0; i < 3; ++i) xb->p[i] = (slip_real)((long double)xb->p[i] + x[i] - y[i] + (long double)gap*(long double)u[i]);
}

static void random_pairs(int count, const char *what, int close)
{
    static const double gaps[] = { 0, 1e-16, -1e-16, 1e-13, -1e-13, 1e-11, 1e-10, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3, -1e-3 };
    static const double sizes[] = { 1, 1, 1, 1, 1e-3, 100 };
    int i;

    for (i = 0; i < count; ++i) {
        const double sa = sizes[pick(6)], sb = pick(3) ? sa : sizes[pick(6)];
        slip_shape a, b;
        slip_pose xa, xb;

        arena = slip_arena_over(block, sizeof block);
        a = random_shape(0, pick(4), sa);
        b = random_shape(1, pick(4), sb);
        random_rotation(xa.R);
        if (pick(3)) random_rotation(xb.R); else slip_mat3_copy(xa.R, xb.R);
        random_position(xa.p, pick(2) ? 0 : sa);
        random_position(xb.p, (sa > sb ? sa : sb)*(close ? 0.5 : 1.5));
        slip_add3(xb.p, xa.p, xb.p);
        if (close == 2) place_on_point(&a, &xa, &b, &xb, gaps[pick(13)]*sb);
        if (close == 1) place_at_gap(&a, &xa, &b, &xb, gaps[pick(13)]*(pick(2) ? 1 : sb));
        judge(&a, &xa, &b, &xb, what);
    }
    report(what);
}

static void test_random_pairs_have_the_distance_of_brute_force(void) { random_pairs(6000, "anywhere", 0); }
static void test_pairs_at_tiny_gaps_have_the_distance_of_brute_force(void) { random_pairs(6000, "close", 1); }
static void test_pairs_that_share_a_point_have_the_distance_of_brute_force(void) { random_pairs(6000, "shared", 2); }

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_random_pairs_have_the_distance_of_brute_force);
    RUN_TEST(test_pairs_at_tiny_gaps_have_the_distance_of_brute_force);
    RUN_TEST(test_pairs_that_share_a_point_have_the_distance_of_brute_force);
    return UNITY_END();
}
