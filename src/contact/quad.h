/* Dot products of rows with four partial sums, whatever the machine's vectors are: the same bits everywhere.
 * Private to contact and solvers. */
#ifndef SLIP_CONTACT_QUAD_H
#define SLIP_CONTACT_QUAD_H

#include "base/real.h"

#if defined(__GNUC__)
/* Four reals that the compiler maps to one, two or four registers. */
typedef slip_real slip_quad __attribute__((vector_size(4*sizeof(slip_real)), aligned(sizeof(slip_real)), may_alias));
#define SLIP_QUAD(p) (*(const slip_quad *)(p))
#endif

/* c[k] += a_k . x for the three rows a_k of A, n entries each. */
static inline void slip_rows_dot3(int n, const slip_real *A, int ld, const slip_real *x, slip_real c[3])
{
    const slip_real *a0 = A, *a1 = A + ld, *a2 = A + 2*(size_t)ld;
    slip_real t0 = 0, t1 = 0, t2 = 0;
    int j = 0;

#if defined(__GNUC__)
    slip_quad s0 = { 0, 0, 0, 0 }, s1 = s0, s2 = s0;

    for (; j + 4 <= n; j += 4) {
        const slip_quad q = SLIP_QUAD(x + j);

        s0 += SLIP_QUAD(a0 + j)*q;
        s1 += SLIP_QUAD(a1 + j)*q;
        s2 += SLIP_QUAD(a2 + j)*q;
    }
#else
    slip_real s0[4] = { 0, 0, 0, 0 }, s1[4] = { 0, 0, 0, 0 }, s2[4] = { 0, 0, 0, 0 };

    for (; j + 4 <= n; j += 4) {
        int k;

        for (k = 0; k < 4; ++k) {
            s0[k] += a0[j + k]*x[j + k];
            s1[k] += a1[j + k]*x[j + k];
            s2[k] += a2[j + k]*x[j + k];
        }
    }
#endif
    for (; j < n; ++j) {
        t0 += a0[j]*x[j];
        t1 += a1[j]*x[j];
        t2 += a2[j]*x[j];
    }
    c[0] += ((s0[0] + s0[1]) + (s0[2] + s0[3])) + t0;
    c[1] += ((s1[0] + s1[1]) + (s1[2] + s1[3])) + t1;
    c[2] += ((s2[0] + s2[1]) + (s2[2] + s2[3])) + t2;
}

/* a . x */
static inline slip_real slip_row_dot(int n, const slip_real *a, const slip_real *x)
{
    slip_real t = 0;
    int j = 0;

#if defined(__GNUC__)
    slip_quad s = { 0, 0, 0, 0 };

    for (; j + 4 <= n; j += 4) s += SLIP_QUAD(a + j)*SLIP_QUAD(x + j);
#else
    slip_real s[4] = { 0, 0, 0, 0 };

    for (; j + 4 <= n; j += 4) {
        int k;

        for (k = 0; k < 4; ++k) s[k] += a[j + k]*x[j + k];
    }
#endif
    for (; j < n; ++j) t += a[j]*x[j];
    return ((s[0] + s[1]) + (s[2] + s[3])) + t;
}

#endif
