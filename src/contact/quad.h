/* Dot products of rows with four partial sums, whatever the machine's vectors are: the same bits everywhere.
 * Private to contact and solvers. */
#ifndef SLIP_CONTACT_QUAD_H
#define SLIP_CONTACT_QUAD_H

#include "base/real.h"

/* A few reals side by side: a compiler's vector where it has them, else a single one. Four of them are an array of
 * these, initialised by SLIP_QUAD_OF and read by SLIP_QUAD_GET. */
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
#define SLIP_QUAD_PARTS (4/SLIP_QUAD_LANES)                       /* vectors that make four reals */
#define SLIP_QUAD_AT(p, k) (*(const slip_lanes *)((p) + (k)*SLIP_QUAD_LANES))
#define SLIP_QUAD_TO(p, k) (*(slip_lanes *)((p) + (k)*SLIP_QUAD_LANES))
#define SLIP_QUAD_SUM(v) ((SLIP_QUAD_GET(v, 0) + SLIP_QUAD_GET(v, 1)) + (SLIP_QUAD_GET(v, 2) + SLIP_QUAD_GET(v, 3)))

/* c[k] += a_k . x for the three rows a_k of A, n entries each. */
static inline void slip_rows_dot3(int n, const slip_real *A, int ld, const slip_real *x, slip_real c[3])
{
    const slip_real *a0 = A, *a1 = A + ld, *a2 = A + 2*(size_t)ld;
    slip_lanes s0[SLIP_QUAD_PARTS] = { 0 }, s1[SLIP_QUAD_PARTS] = { 0 }, s2[SLIP_QUAD_PARTS] = { 0 };
    slip_real t0 = 0, t1 = 0, t2 = 0;
    int j, k;

    for (j = 0; j + 4 <= n; j += 4) {
        for (k = 0; k < SLIP_QUAD_PARTS; ++k) {
            const slip_lanes q = SLIP_QUAD_AT(x + j, k);

            s0[k] += SLIP_QUAD_AT(a0 + j, k)*q;
            s1[k] += SLIP_QUAD_AT(a1 + j, k)*q;
            s2[k] += SLIP_QUAD_AT(a2 + j, k)*q;
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
        for (k = 0; k < SLIP_QUAD_PARTS; ++k) s[k] += SLIP_QUAD_AT(a + j, k)*SLIP_QUAD_AT(x + j, k);
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
        for (k = 0; k < SLIP_QUAD_PARTS; ++k) s[k] += SLIP_QUAD_AT(x + j, k) - SLIP_QUAD_AT(x + j, k);
    for (; j < n; ++j) t += x[j] - x[j];
    return SLIP_QUAD_SUM(s) + t;
}

#endif
