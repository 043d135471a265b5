/* Exact products of integer differences for the hull: no rounding decides a side.
 *
 * A difference of grid coordinates is an integer of at most 2^53. Split into three digits of 18 bits, the
 * digits of a triple product stay below 2^60 and are summed in int64 without loss. */
#include "geom/hull_private.h"

#define HULL_DIGIT (INT64_C(1) << 18)

static void hull_digits(double x, int64_t d[3])
{
    const int64_t sign = x < 0 ? -1 : 1, i = (int64_t)(x < 0 ? -x : x);

    d[0] = sign*(i % HULL_DIGIT);
    d[1] = sign*(i/HULL_DIGIT % HULL_DIGIT);
    d[2] = sign*(i/HULL_DIGIT/HULL_DIGIT);
}

/* m = a b - c d, five digits of at most 2^39. */
static void hull_minor(const int64_t a[3], const int64_t b[3], const int64_t c[3], const int64_t d[3], int64_t m[5])
{
    m[0] = a[0]*b[0] - c[0]*d[0];
    m[1] = a[0]*b[1] + a[1]*b[0] - c[0]*d[1] - c[1]*d[0];
    m[2] = a[0]*b[2] + a[1]*b[1] + a[2]*b[0] - c[0]*d[2] - c[1]*d[1] - c[2]*d[0];
    m[3] = a[1]*b[2] + a[2]*b[1] - c[1]*d[2] - c[2]*d[1];
    m[4] = a[2]*b[2] - c[2]*d[2];
}

/* Carries upwards until every digit but the top one is in [0, 2^18). */
static void hull_carry(int64_t *m, int n)
{
    int i;

    for (i = 0; i < n - 1; ++i) {
        int64_t up = m[i]/HULL_DIGIT, rest = m[i] - up*HULL_DIGIT;

        if (rest < 0) { rest += HULL_DIGIT; --up; }
        m[i] = rest;
        m[i + 1] += up;
    }
}

static int hull_digits_sign(int64_t *m, int n)
{
    int i;

    hull_carry(m, n);
    if (m[n - 1] != 0) return m[n - 1] < 0 ? -1 : 1;
    for (i = n - 2; i >= 0; --i) if (m[i] != 0) return 1;
    return 0;
}

/* The value, to about one unit in the last place: a negative number is negated first, so that the digits
 * added up have one sign. */
static double hull_digits_value(int64_t m[5])
{
    const int sign = hull_digits_sign(m, 5);
    double x = 0;
    int i;

    if (sign < 0) {
        for (i = 0; i < 5; ++i) m[i] = -m[i];
        hull_carry(m, 5);
    }
    for (i = 4; i >= 0; --i) x = x*(double)HULL_DIGIT + (double)m[i];
    return sign < 0 ? -x : x;
}

void slip_hull_cross(const double u[3], const double v[3], double r[3])
{
    int64_t a[3][3], b[3][3], m[5];
    int i;

    for (i = 0; i < 3; ++i) { hull_digits(u[i], a[i]);  hull_digits(v[i], b[i]); }
    for (i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;

        hull_minor(a[j], b[k], a[k], b[j], m);
        r[i] = hull_digits_value(m);
    }
}

static int hull_side_exact(const double u[3], const double v[3], const double w[3])
{
    int64_t a[3][3], b[3][3], c[3], m[5], sum[7] = { 0, 0, 0, 0, 0, 0, 0 };
    int i, p, q;

    for (i = 0; i < 3; ++i) { hull_digits(u[i], a[i]);  hull_digits(v[i], b[i]); }
    for (i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;

        hull_minor(a[j], b[k], a[k], b[j], m);
        hull_digits(w[i], c);
        for (p = 0; p < 5; ++p)
            for (q = 0; q < 3; ++q) sum[p + q] += m[p]*c[q];
    }
    return hull_digits_sign(sum, 7);
}

int slip_hull_side(const double u[3], const double v[3], const double w[3])
{
    double det = 0, most = 0;
    int i;

    /* Each of the six triple products is rounded twice and added at most four times: 8 eps bounds it. */
    for (i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double s = u[j]*v[k], t = u[k]*v[j];

        det += (s - t)*w[i];
        most += (fabs(s) + fabs(t))*fabs(w[i]);
    }
    if (det > 8*DBL_EPSILON*most) return 1;
    if (det < -8*DBL_EPSILON*most) return -1;
    return hull_side_exact(u, v, w);
}

double slip_hull_normal(const double a[3], const double b[3], const double c[3], double n[3])
{
    double u[3], v[3], size;
    int i;

    hull_diff(b, a, u);
    hull_diff(c, a, v);
    slip_hull_cross(u, v, n);
    size = sqrt(hull_dot(n, n));
    if (size > 0) for (i = 0; i < 3; ++i) n[i] /= size;
    return size;
}
