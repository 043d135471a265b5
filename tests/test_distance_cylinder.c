/* Cylinders against everything, judged by a sweep of directions with a search round the best: no direction may part the
 * shapes better than the answer's, and its points must lie on both surfaces. Support functions here are written anew. */
#include <math.h>
#include <stdio.h>

#include "unity.h"
#include "geom/distance.h"
#include "geom/hull.h"

static slip_random rng;
static unsigned char block[1 << 18];
static slip_arena arena;
static slip_hull hull;

void setUp(void) { rng = slip_random_seed(20240917); }
void tearDown(void) { }

static double uniform(double lo, double hi) { return (double)slip_random_uniform(&rng, (slip_real)lo, (slip_real)hi); }
static int pick(int n) { return slip_random_int(&rng, 0, n - 1); }

typedef struct { slip_shape s; slip_pose X; } placed;

/* ---- truth ----------------------------------------------------------------------------------------- */

static double reach_along(const slip_shape *s, const double d[3])
{
    const double flat = sqrt(d[0]*d[0] + d[1]*d[1]), up = fabs(d[2])*(double)s->half[2];
    double best = -1e300;
    int i;

    switch (s->kind) {
    case SLIP_SHAPE_SPHERE:   return (double)s->radius*sqrt(flat*flat + d[2]*d[2]);
    case SLIP_SHAPE_BOX:      return fabs(d[0])*(double)s->half[0] + fabs(d[1])*(double)s->half[1] + up;
    case SLIP_SHAPE_CAPSULE:  return (double)s->radius*sqrt(flat*flat + d[2]*d[2]) + up;
    case SLIP_SHAPE_CYLINDER: return (double)s->radius*flat + up;
    default:
        for (i = 0; i < s->hull->nv; ++i) {
            const slip_real *v = s->hull->vertex + 3*i;

            best = fmax(best, d[0]*(double)v[0] + d[1]*(double)v[1] + d[2]*(double)v[2]);
        }
        return best;
    }
}

static double support(const placed *p, const double n[3], double sign)
{
    double m[3], at = 0;
    int i;

    for (i = 0; i < 3; ++i) {
        m[i] = sign*((double)p->X.R[i]*n[0] + (double)p->X.R[3 + i]*n[1] + (double)p->X.R[6 + i]*n[2]);
        at += n[i]*(double)p->X.p[i];
    }
    return reach_along(&p->s, m) + sign*at;
}

static double separation(const placed *a, const placed *b, const double n[3]) { return -support(b, n, -1) - support(a, n, 1); }

/* Climbs from n by random steps that shrink: also over creases, where slopes mislead. */
static double climb(const placed *a, const placed *b, double n[3])
{
    double best = separation(a, b, n), h;
    int i, k;

    for (h = 0.08; h > (double)SLIP_TOL(1e-11, 1e-6); h *= 0.72)
        for (i = 0; i < 14; ++i) {
            slip_real u[3];
            double m[3], l = 0, s;

            slip_random_unit3(&rng, u);
            for (k = 0; k < 3; ++k) { m[k] = n[k] + h*(double)u[k];  l += m[k]*m[k]; }
            for (k = 0; k < 3; ++k) m[k] /= sqrt(l);
            s = separation(a, b, m);
            if (s <= best) continue;
            best = s;
            for (k = 0; k < 3; ++k) n[k] = m[k];
        }
    return best;
}

/* The best of a sweep, climbed from its best places, which are kept 18 degrees apart. */
static double swept(const placed *a, const placed *b, double n[3])
{
    enum { DIRECTIONS = 1200, STARTS = 3 };
    static double dir[DIRECTIONS][3], value[DIRECTIONS];
    double best = -1e300;
    int i, k, start;

    for (i = 0; i < DIRECTIONS; ++i) {
        const double z = 1 - 2*(i + 0.5)/DIRECTIONS, r = sqrt(1 - z*z), t = i*2.399963229728653;

        dir[i][0] = r*cos(t);  dir[i][1] = r*sin(t);  dir[i][2] = z;
        value[i] = separation(a, b, dir[i]);
    }
    for (start = 0; start < STARTS; ++start) {
        double m[3], from[3], s;
        int at = 0;

        for (i = 1; i < DIRECTIONS; ++i) if (value[i] > value[at]) at = i;
        for (k = 0; k < 3; ++k) m[k] = from[k] = dir[at][k];
        for (i = 0; i < DIRECTIONS; ++i)
            if (dir[i][0]*from[0] + dir[i][1]*from[1] + dir[i][2]*from[2] > 0.95) value[i] = -1e300;
        s = climb(a, b, m);
        if (s <= best) continue;
        best = s;
        for (k = 0; k < 3; ++k) n[k] = m[k];
    }
    return best;
}

/* How far x is outside the shape, at least. */
static double outside(const placed *p, const slip_real x[3])
{
    const slip_shape *s = &p->s;
    slip_real y[3];
    double d = -1e300;
    int i;

    slip_pose_inv_point(&p->X, x, y);
    switch (s->kind) {
    case SLIP_SHAPE_SPHERE:   return (double)(slip_norm3(y) - s->radius);
    case SLIP_SHAPE_BOX:
        for (i = 0; i < 3; ++i) d = fmax(d, (double)(slip_abs(y[i]) - s->half[i]));
        return d;
    case SLIP_SHAPE_CAPSULE:
        y[2] -= slip_clamp(y[2], -s->half[2], s->half[2]);
        return (double)(slip_norm3(y) - s->radius);
    case SLIP_SHAPE_CYLINDER: return fmax((double)(slip_norm2(y) - s->radius), (double)(slip_abs(y[2]) - s->half[2]));
    default:
        for (i = 0; i < s->hull->nf; ++i)
            d = fmax(d, (double)(slip_dot3(s->hull->plane + 4*i, y) - s->hull->plane[4*i + 3]));
        return d;
    }
}

/* ---- shapes and poses ---------------------------------------------------------------------------------- */

static slip_shape random_mesh(double size)
{
    slip_real x[3*40];
    const int kind = pick(6), n = kind == 3 ? 8 : kind == 4 ? 24 : kind == 5 ? 40 : 4 + pick(12);
    const double flat = pick(5) ? 1 : pick(2) ? 1e-3 : 0, thin = flat < 1 && pick(2) ? 1e-3 : 1;
    int i, k;

    for (i = 0; i < n; ++i) {
        if (kind == 0 || kind == 5) slip_random_unit3(&rng, x + 3*i);
        else if (kind == 3) for (k = 0; k < 3; ++k) x[3*i + k] = i >> k & 1 ? SLIP_R(0.5) : SLIP_R(-0.5);
        else if (kind == 4) slip_set3((slip_real)cos(3.14159265358979/6*(i%12)), (slip_real)sin(3.14159265358979/6*(i%12)),
                                      i < 12 ? SLIP_R(0.5) : SLIP_R(-0.5), x + 3*i);
        else for (k = 0; k < 3; ++k) x[3*i + k] = (slip_real)(pick(5) - 2)/4;
        x[3*i] *= (slip_real)size;  x[3*i + 1] *= (slip_real)(size*thin);  x[3*i + 2] *= (slip_real)(size*flat);
    }
    TEST_ASSERT(slip_hull_build(x, n, 0, &arena, &hull, NULL) >= 0);
    return slip_shape_mesh(&hull);
}

/* Round numbers as often as not; coins and wires. */
static slip_shape random_cylinder(double size)
{
    double r = pick(2) ? size*uniform(0.2, 1) : size*0.25*(1 + pick(4)), h = pick(2) ? size*uniform(0.1, 1) : size*0.25*(1 + pick(4));

    if (pick(6) == 0) h *= 1e-3;
    else if (pick(6) == 0) r *= 1e-3;
    return slip_shape_cylinder((slip_real)r, (slip_real)h);
}

static slip_shape random_other(double size)
{
    const double s = size*uniform(0.2, 1);

    switch (pick(5)) {
    case 0:  return slip_shape_box((slip_real)s, (slip_real)(size*0.25*(1 + pick(4))), (slip_real)(pick(6) ? s : 1e-3*s));
    case 1:  return slip_shape_capsule((slip_real)(s*(pick(3) ? 0.3 : 0)), (slip_real)(size*0.25*(1 + pick(4))));
    case 2:  return slip_shape_sphere((slip_real)s);
    case 3:  return random_mesh(size);
    default: return random_cylinder(size);
    }
}

static void turn_a_little(double least, double most, slip_real R[9])
{
    slip_real axis[3], T[9];

    slip_random_unit3(&rng, axis);
    slip_mat3_from_axis_angle(axis, (slip_real)pow(10, -uniform(least, most)), T);
    slip_mat3_mul(R, T, R);
}

/* Quarter turns, those a hair off, or anything. */
static void random_rotation(slip_real R[9])
{
    slip_real q[4], T[9];
    int i;

    slip_mat3_identity(R);
    for (i = 0; i < 3; ++i) {
        const int j = (i + 1)%3, k = (i + 2)%3;

        if (pick(2)) continue;
        slip_mat3_identity(T);
        T[4*j] = 0;  T[4*k] = 0;  T[3*j + k] = -1;  T[3*k + j] = 1;
        slip_mat3_mul(R, T, R);
    }
    i = pick(4);
    if (i == 1) turn_a_little(3, 17, R);
    if (i < 2) return;
    slip_random_quat(&rng, q);
    slip_quat_to_mat3(q, R);
}

/* ---- the judgement ---------------------------------------------------------------------------------------- */

static double worst[4];
static int judged;

static void judge(const placed *a, const placed *b)
{
    const double size = (double)(slip_shape_reach(&a->s) + slip_shape_reach(&b->s));
    const double far = (double)SLIP_TOL(0, 1)*(double)(slip_norm3(a->X.p) + slip_norm3(b->X.p));
    slip_distance_result r;
    double n[3], m[3], e[4], l;
    char text[200];
    int k, status;

    status = (int)slip_distance(&a->s, &a->X, &b->s, &b->X, NULL, &r);
    for (l = 0, k = 0; k < 3; ++k) { n[k] = (double)r.normal[k];  l += n[k]*n[k]; }
    for (e[2] = 0, k = 0; k < 3; ++k) {
        e[2] = fmax(e[2], fabs((double)r.a[k] + (double)r.distance*n[k] - (double)r.b[k])/(size + far));
        n[k] /= sqrt(l);
    }
    e[0] = fabs(separation(a, b, n) - (double)r.distance)/(size + far);
    e[1] = (double)r.distance < 1e-6*size ? (swept(a, b, m) - (double)r.distance)/(size + far) : 0;
    e[3] = fmax(outside(a, r.a), outside(b, r.b))/(size + far);
    for (l = 0, k = 0; k < 3; ++k) l += n[k]*((double)r.a[k]);
    e[3] = fmax(e[3], (support(a, n, 1) - l)/(size + far));
    sprintf(text, "#%d %s-%s: distance %.9g: normal's %.2g, swept %.2g, b - a %.2g, surface %.2g; status %d", judged,
            slip_shape_kind_name(a->s.kind), slip_shape_kind_name(b->s.kind), (double)r.distance, e[0], e[1], e[2], e[3], status);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, status, text);
    TEST_ASSERT_MESSAGE(e[0] <= (double)SLIP_TOL(2e-13, 4e-5) && e[1] <= (double)SLIP_TOL(2e-13, 4e-5), text);
    TEST_ASSERT_MESSAGE(e[2] <= (double)SLIP_TOL(1e-14, 4e-6), text);
    TEST_ASSERT_MESSAGE(e[3] <= (double)SLIP_TOL(1e-7, 4e-3), text);
    for (k = 0; k < 4; ++k) worst[k] = fmax(worst[k], e[k]);
    ++judged;
}

static void report(const char *what)
{
    int k;

    printf("%s: %d pairs, worst distance %.2g below, %.2g above, b - a %.2g, surface %.2g\n", what, judged, worst[0], worst[1],
           worst[2], worst[3]);
    judged = 0;
    for (k = 0; k < 4; ++k) worst[k] = 0;
}

typedef enum { CONCENTRIC, ANYWHERE, CLOSE } where;

static void random_pairs(int count, where w, const char *what)
{
    static const double gaps[] = { 0, 1e-15, -1e-15, 1e-12, -1e-12, 1e-10, 1e-9, -1e-9, 1e-7, -1e-7, 1e-6, 1e-3, -1e-3 };
    static const double sizes[] = { 1, 1, 1, 1, 1e-3, 100 };
    int i, k;

    for (i = 0; i < count; ++i) {
        const double sa = sizes[pick(6)], sb = pick(3) ? sa : sizes[pick(6)], most = sa > sb ? sa : sb;
        const int snapped = pick(2);
        placed a, b;

        arena = slip_arena_over(block, sizeof block);
        a.s = random_cylinder(sa);
        b.s = random_other(sb);
        random_rotation(a.X.R);
        if (pick(3)) random_rotation(b.X.R);
        else slip_mat3_copy(a.X.R, b.X.R);
        if (pick(8) == 0) { slip_mat3_copy(a.X.R, b.X.R);  turn_a_little(5, 9, b.X.R); }
        for (k = 0; k < 3; ++k) {
            a.X.p[k] = (slip_real)(pick(2) ? 0 : uniform(-sa, sa));
            b.X.p[k] = a.X.p[k] + (slip_real)(w == CONCENTRIC ? 0 : snapped ? most*(pick(9) - 4)/8 : most*uniform(-1, 1));
        }
        if (w == CLOSE) {
            double n[3], d = swept(&a, &b, n), gap = gaps[pick(13)]*(pick(2) ? 1 : sb);

            for (k = 0; k < 3; ++k) b.X.p[k] = (slip_real)((double)b.X.p[k] + (gap - d)*n[k]);
        }
        if (pick(2)) judge(&a, &b);
        else judge(&b, &a);
    }
    report(what);
}

static void test_concentric_cylinders_are_as_deep_as_a_sweep_says(void) { random_pairs(2000, CONCENTRIC, "concentric"); }
static void test_cylinders_anywhere_are_as_far_or_deep_as_a_sweep_says(void) { random_pairs(4000, ANYWHERE, "anywhere"); }
static void test_cylinders_at_tiny_gaps_are_as_near_as_a_sweep_says(void) { random_pairs(2000, CLOSE, "close"); }

/* Two coins whose rims cross twice within a hundredth of their radius: the tilt decides for one crossing. */
static void test_rims_that_all_but_touch_have_both_their_crossings_tried(void)
{
    int i;

    for (i = 0; i < 300; ++i) {
        placed a, b;

        a.s = slip_shape_cylinder(SLIP_R(0.21), SLIP_R(0.0005));
        b.s = slip_shape_cylinder(SLIP_R(0.27), SLIP_R(0.45));
        slip_mat3_identity(a.X.R);
        slip_mat3_identity(b.X.R);
        turn_a_little(4, 6, b.X.R);
        slip_zero3(a.X.p);
        slip_set3((slip_real)(0.48 - pow(10, -uniform(2, 6))), 0, 0, b.X.p);
        b.X.p[2] = (slip_real)(0.4505 - uniform(0, 2e-4));
        judge(&a, &b);
    }
    report("rims");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_concentric_cylinders_are_as_deep_as_a_sweep_says);
    RUN_TEST(test_cylinders_anywhere_are_as_far_or_deep_as_a_sweep_says);
    RUN_TEST(test_cylinders_at_tiny_gaps_are_as_near_as_a_sweep_says);
    RUN_TEST(test_rims_that_all_but_touch_have_both_their_crossings_tried);
    return UNITY_END();
}
