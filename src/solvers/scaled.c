/* Scaling of a problem by one number per block. See scaled.h. */
#include "solvers/scaled.h"

/* 1/sqrt of the mean of the block's diagonal of G + R; blocks without mass on any side, of which some ten roundings of
 * the largest may be left, take the largest mean. */
void slip_scaling_make(const slip_problem *p, slip_scaling *s)
{
    const int m = slip_block_count(p);
    slip_real most = 0, mean;
    int i, k;

    slip_problem_diagonal(p, s->D);
    if (p->R) for (i = 0; i < p->n; ++i) s->D[i] += p->R[i];
    for (i = 0; i < p->n; ++i) most = slip_max(most, s->D[i]);
    if (!(most > 0)) most = 1;
    for (i = 0; i < m; ++i) {
        const int row = slip_block_row(p, i), dim = slip_block_dim(p, i);

        for (mean = 0, k = 0; k < dim; ++k) mean += s->D[row + k]/(slip_real)dim;
        if (!(mean > SLIP_TOL(1e-14, 1e-6)*most)) mean = most;
        for (k = 0; k < dim; ++k) s->D[row + k] = 1/slip_sqrt(mean);
    }
    s->unit = 0;
    for (i = 0; i < p->n; ++i) s->unit = slip_max(s->unit, slip_abs(s->D[i]*p->g[i]));
    if (!(s->unit > 0)) s->unit = 1;
}

void slip_scaling_matrix(const slip_problem *p, const slip_scaling *s, int symmetric, slip_real *A)
{
    const size_t n = (size_t)p->n;
    size_t i, j;

    slip_problem_full(p, A, p->n);
    for (i = 0; i < n; ++i) for (j = 0; j < n; ++j) A[i*n + j] *= s->D[i]*s->D[j];
    if (!symmetric) return;
    for (i = 0; i < n; ++i) for (j = 0; j < i; ++j) A[i*n + j] = A[j*n + i] = (A[i*n + j] + A[j*n + i])/2;
}

void slip_scaling_vector(const slip_problem *p, const slip_scaling *s, const slip_real *g, slip_real *b)
{
    int i;

    for (i = 0; i < p->n; ++i) b[i] = s->D[i]*g[i]/s->unit;
}

void slip_scaling_compliance(const slip_problem *p, const slip_scaling *s, slip_real *r)
{
    int i;

    for (i = 0; i < p->n; ++i) r[i] = p->R ? s->D[i]*s->D[i]*p->R[i] : 0;
}

void slip_scaling_in(const slip_problem *p, const slip_scaling *s, const slip_real *lambda, slip_real *x)
{
    int i;

    for (i = 0; i < p->n; ++i) x[i] = lambda[i]/(s->unit*s->D[i]);
}

void slip_scaling_out(const slip_problem *p, const slip_scaling *s, const slip_real *x, slip_real *lambda)
{
    int i;

    for (i = 0; i < p->n; ++i) lambda[i] = s->unit*s->D[i]*x[i];
}
