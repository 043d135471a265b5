/* Four reals side by side, a quad; dot products with four partial sums. The same bits whatever the machine's vectors
 * are. Private to contact and solvers.
 *
 * A quad is SLIP_QUAD_PARTS vectors of the type slip_lanes, of SLIP_QUAD_LANES reals each: a compiler's vectors where
 * it has them, else single reals. In memory it is four reals, part by part read by slip_quad_load() and written by
 * slip_quad_store(). As an array slip_lanes[SLIP_QUAD_PARTS] it is initialised by SLIP_QUAD_OF; SLIP_QUAD_GET is one of
 * its reals. */
#ifndef SLIP_CONTACT_QUAD_H
#define SLIP_CONTACT_QUAD_H

#include "base/real.h"

#if defined(__GNUC__) && (defined(__AVX__) || defined(__SSE2__) || defined(__ARM_NEON))
#if defined(__AVX__) && !defined(SLIP_REAL_FLOAT)
#define SLIP_QUAD_BYTES 32
#else
#define SLIP_QUAD_BYTES 16
#endif
typedef slip_real slip_lanes __attribute__((vector_size(SLIP_QUAD_BYTES), aligned(sizeof(slip_real)), may_alias));
#define SLIP_QUAD_GET(v, k) ((v)[(k)/SLIP_QUAD_LANES][(k)%SLIP_QUAD_LANES])
#if SLIP_QUAD_BYTES == 32 || defined(SLIP_REAL_FLOAT)
#define SLIP_QUAD_OF(a, b, c, d) { { a, b, c, d } }
#else
#define SLIP_QUAD_OF(a, b, c, d) { { a, b }, { c, d } }
#endif
#else
typedef slip_real slip_lanes;
#define SLIP_QUAD_GET(v, k) ((v)[k])
#define SLIP_QUAD_OF(a, b, c, d) { a, b, c, d }
#endif

#define SLIP_QUAD_LANES ((int)(sizeof(slip_lanes)/sizeof(slip_real)))
#define SLIP_QUAD_PARTS (4/SLIP_QUAD_LANES)
#define SLIP_QUAD_SUM(v) ((SLIP_QUAD_GET(v, 0) + SLIP_QUAD_GET(v, 1)) + (SLIP_QUAD_GET(v, 2) + SLIP_QUAD_GET(v, 3)))

/* Part k of the reals from p on; k may go beyond the first quad. */
static inline slip_lanes slip_quad_load(const slip_real *p, int k)
{
    return *(const slip_lanes *)(p + k*SLIP_QUAD_LANES);
}

static inline void slip_quad_store(slip_real *p, int k, slip_lanes v)
{
    *(slip_lanes *)(p + k*SLIP_QUAD_LANES) = v;
}

/* c[k] += a_k . x for the three rows a_k of A, n entries each. */
static inline void slip_rows_dot3(int n, const slip_real *A, int ld, const slip_real *x, slip_real c[3])
{
    const slip_real *a0 = A, *a1 = A + ld, *a2 = A + 2*(size_t)ld;
    slip_lanes s0[SLIP_QUAD_PARTS] = { 0 }, s1[SLIP_QUAD_PARTS] = { 0 }, s2[SLIP_QUAD_PARTS] = { 0 };
    slip_real t0 = 0, t1 = 0, t2 = 0;
    int j, k;

    for (j = 0; j + 4 <= n; j += 4) {
        for (k = 0; k < SLIP_QUAD_PARTS; ++k) {
            const slip_lanes q = slip_quad_load(x + j, k);

            s0[k] += slip_quad_load(a0 + j, k)*q;
            s1[k] += slip_quad_load(a1 + j, k)*q;
            s2[k] += slip_quad_load(a2 + j, k)*q;
        }
    }
    for (; j < n; ++j) {
        t0 += a0[j]*x[j];
        t1 += a1[j]*x[j];
        t2 += a2[j]*x[j];
    }
    c[0] += SLIP_QUAD_SUM(s0) + t0;
    c[1] += SLIP_QUAD_SUM(s1) + t1;
    c[2] += SLIP_QUAD_SUM(s2) + t2;
}

/* a . x */
static inline slip_real slip_row_dot(int n, const slip_real *a, const slip_real *x)
{
    slip_lanes s[SLIP_QUAD_PARTS] = { 0 };
    slip_real t = 0;
    int j, k;

    for (j = 0; j + 4 <= n; j += 4)
        for (k = 0; k < SLIP_QUAD_PARTS; ++k) s[k] += slip_quad_load(a + j, k)*slip_quad_load(x + j, k);
    for (; j < n; ++j) t += a[j]*x[j];
    return SLIP_QUAD_SUM(s) + t;
}

/* Sum of x_j - x_j: 0, or NaN when an entry is NaN or infinite. */
static inline slip_real slip_row_defect(int n, const slip_real *x)
{
    slip_lanes s[SLIP_QUAD_PARTS] = { 0 };
    slip_real t = 0;
    int j, k;

    for (j = 0; j + 4 <= n; j += 4)
        for (k = 0; k < SLIP_QUAD_PARTS; ++k) s[k] += slip_quad_load(x + j, k) - slip_quad_load(x + j, k);
    for (; j < n; ++j) t += x[j] - x[j];
    return SLIP_QUAD_SUM(s) + t;
}

#endif
