/* Products of a step's derivative with vectors, forward and adjoint: step_derivatives.c has the equations. Inputs x
 * in the step's middle; F its right sides, U or M + D its factor; the rows' A^-1:
 *
 *   dv_free = U^-1 F x,   t = (M + D)^-1 c x,   z = s x + P du + J (dv_free + t),   du = (dv + dv_free)/2
 *   dlambda = A^-1 (-B z - a dmu),   dv* = dv_free + t + X dlambda
 *
 * and backwards with each matrix transposed. */
#include "sim/step_derivatives_private.h"

#include "base/dense.h"

#include <string.h>

void slip_sim_d_keep_factor(sim_derivative *d)
{
    const slip_branches *br = &d->w->model->branches;
    const slip_model *m = d->w->model;
    int b;

    memcpy(d->L, d->w->data->L, (size_t)br->size*sizeof *d->L);
    memcpy(d->D_inv, d->w->data->D_inv, (size_t)br->n*sizeof *d->L);
    for (b = 1; b < m->nbodies; ++b) {
        if (m->mimics[b]) continue;
        slip_sim_drift_derivatives(d->w, b, slip_sim_last_part(d->w), d->vs + m->dof_iv[m->idof[b]], &d->last[b]);
        if (d->halves)
            slip_sim_drift_derivatives(d->w, b, d->w->opt.dt/2, d->v0 + m->dof_iv[m->idof[b]], &d->blocks[b]);
    }
}

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

/* y += s A x and y += s A' x for rows of `stride` numbers, of which n count. */
static void sd_times(int rows, int n, slip_real s, const slip_real *A, size_t stride, const slip_real *x, slip_real *y)
{
    int i;

    for (i = 0; i < rows; ++i) y[i] += s*slip_dot(n, A + (size_t)i*stride, x);
}

static void sd_times_transposed(int rows, int n, slip_real s, const slip_real *A, size_t stride, const slip_real *x,
                                slip_real *y)
{
    int i;

    for (i = 0; i < rows; ++i) if (slip_abs(x[i]) > 0) slip_subtract_row(n, -s*x[i], A + (size_t)i*stride, y);
}

/* x <- U^-1 x, or U^-T x, with the factor of sd_factor() (step_derivatives_momentum.c). */
static void sd_solve_mean(const sim_derivative *d, int transposed, slip_real *x)
{
    const slip_branches *br = &d->w->model->branches;
    const slip_real *U = d->U;
    const int n = br->n;
    int k, i;

    for (k = n - 1; k >= 0 && !transposed; --k)
        for (i = 0; i < br->depth[k]; ++i) x[br->path[br->row[k] + i]] -= U[br->path[br->row[k] + i]*n + k]*x[k];
    for (k = 0; k < n && !transposed; ++k) {
        for (i = 0; i < br->depth[k]; ++i) x[k] -= U[k*n + br->path[br->row[k] + i]]*x[br->path[br->row[k] + i]];
        x[k] /= U[k*n + k];
    }
    for (k = n - 1; k >= 0 && transposed; --k) {
        x[k] /= U[k*n + k];
        for (i = 0; i < br->depth[k]; ++i) x[br->path[br->row[k] + i]] -= U[k*n + br->path[br->row[k] + i]]*x[k];
    }
    for (k = 0; k < n && transposed; ++k)
        for (i = 0; i < br->depth[k]; ++i) x[k] -= U[br->path[br->row[k] + i]*n + k]*x[br->path[br->row[k] + i]];
}

static void sd_solve_free(const sim_derivative *d, int transposed, slip_real *x)
{
    if (d->mean) sd_solve_mean(d, transposed, x);
    else slip_ltl_solve(&d->w->model->branches, d->L, d->D_inv, x);
}

/* Blocks of joints: out += block x, or block' x. */
static void sd_times_block(int n, const slip_real *block, int transposed, const slip_real *x, slip_real *out)
{
    int i, j;

    for (i = 0; i < n; ++i)
        for (j = 0; j < n; ++j) {
            if (transposed) out[j] += block[i*n + j]*x[i];
            else out[i] += block[i*n + j]*x[j];
        }
}

/* From q, v at a part's start to its end, or back: q <- qq q + qv v, v <- vv v. kept: 1: q stays, v is another
 * vector's. */
static void sd_through_drift(const sim_derivative *d, const sim_drift_blocks *all, int transposed, slip_real *q,
                             slip_real *v)
{
    const slip_model *m = d->w->model;
    int b, i;

    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]], n = all[b].n;
        slip_real x[6] = { 0 }, y[6] = { 0 };

        if (m->mimics[b]) continue;
        sd_times_block(n, all[b].qq, transposed, q + iv, x);
        sd_times_block(n, all[b].qv, transposed, transposed ? q + iv : v + iv, transposed ? y : x);
        sd_times_block(n, all[b].vv, transposed, v + iv, y);
        for (i = 0; i < n; ++i) { q[iv + i] = x[i];  v[iv + i] = y[i]; }
    }
}

/* lambda <- A^-1 right, or its transpose; where contacts share their load twice, as for columns. */
static void sd_solve_rows_of(const sim_derivative *d, int transposed, slip_real *right, slip_real *lambda)
{
    const int n = d->active;
    int k, rounds = d->all.unique ? 1 : 2;

    memset(lambda, 0, (size_t)n*sizeof *lambda);
    for (k = 0; k < rounds; ++k) {
        slip_real *rest = k ? d->one[4] : right;

        if (k > 0) {
            memcpy(rest, right, (size_t)n*sizeof *rest);
            if (transposed) sd_times_transposed(n, n, -1, d->A, (size_t)n, lambda, rest);
            else sd_times(n, n, -1, d->A, (size_t)n, lambda, rest);
        }
        if (transposed) sd_times_transposed(n, n, 1, d->inverse, (size_t)n, rest, lambda);
        else sd_times(n, n, 1, d->inverse, (size_t)n, rest, lambda);
    }
}

/* The block of row i of B: its first row, and how many. */
static int sd_block(const sim_derivative *d, int i, int *first)
{
    const int limit = d->row_of[i] >= 3*d->nc;

    *first = limit ? i : i - d->row_of[i] % 3;
    return limit ? 1 : 3;
}

/* ---- forward ----------------------------------------------------------------------------------------------------- */

/* The result's impulses and dv*, from changes x [columns, from `q` on] in the middle. */
static void sd_forward(const sim_derivative *d, const slip_real *x, slip_real *vs, slip_real *lambda)
{
    const slip_step_jacobian *o = &d->all;
    const slip_real share = d->mean ? SLIP_R(0.5) : 1;
    slip_real *t = d->one[1], *z = d->one[2], *right = d->one[3], *du = d->one[5];
    int i, k, first;

    memset(vs, 0, (size_t)d->nv*sizeof *vs);
    sd_times(d->nv, o->columns, 1, d->r, (size_t)d->N, x, vs);
    sd_solve_free(d, 0, vs);
    if (d->active == 0) return;
    for (i = 0; i < d->nv; ++i) du[i] = share*(x[o->v + i] + (d->mean ? vs[i] : 0));
    memset(t, 0, (size_t)d->nv*sizeof *t);
    sd_times(d->nv, d->nv, 1, d->c, (size_t)d->NQ, x + o->q, t);
    if (o->density >= 0) sd_times(d->nv, o->columns, 1, d->extra, (size_t)d->N, x, t);
    slip_ltl_solve(&d->w->model->branches, d->L, d->D_inv, t);
    for (i = 0; i < d->nv; ++i) vs[i] += t[i];
    for (i = 0; i < d->active; ++i) {
        const int row = d->row_of[i];

        z[i] = slip_dot(o->columns, d->s + (size_t)row*(size_t)d->N, x) + slip_dot(d->nv, d->J + row*d->nv, vs);
        if (d->with_arcs && row < 3*d->nc) z[i] += slip_dot(d->nv, d->P + row*d->nv, du);
    }
    for (i = 0; i < d->active; ++i) {
        const int n = sd_block(d, i, &first), row = d->row_of[i];

        right[i] = o->friction >= 0 && n == 3 ? -d->a[i]*x[o->friction + row/3] : 0;
        for (k = 0; k < n; ++k) right[i] -= d->B[3*i + k]*z[first + k];
    }
    sd_solve_rows_of(d, 0, right, lambda);
    sd_times(d->nv, d->active, 1, d->X, (size_t)d->wide, lambda, vs);
}

void slip_step_forward(const slip_step_linear *linear, const slip_real *change, slip_real *out)
{
    const sim_derivative *d = (const sim_derivative *)linear->inside;
    const slip_step_jacobian *at = &linear->at;
    slip_real *x = d->one[0], *lambda = d->one_rows;
    const int skip = at->q < 0 ? 2*d->nv : 0, n = d->nv;
    int i;

    if (at->D) {
        for (i = 0; i < at->rows; ++i) out[i] = slip_dot(at->columns, at->D + (size_t)i*(size_t)at->columns, change);
        return;
    }
    memset(x, 0, (size_t)d->N*sizeof *x);
    memcpy(x + skip, change, (size_t)at->columns*sizeof *x);
    if (d->halves) sd_through_drift(d, d->blocks, 0, x + d->all.q, x + d->all.v);
    memset(out, 0, (size_t)at->rows*sizeof *out);
    sd_forward(d, x, out + n, lambda);
    memcpy(out, x + d->all.q, (size_t)n*sizeof *out);
    sd_through_drift(d, d->last, 0, out, out + n);
    for (i = 0; i < d->active; ++i) out[2*n + d->row_of[i]] = lambda[i];
}

/* ---- adjoint ----------------------------------------------------------------------------------------------------- */

/* x [columns] += what weights vs of dv* and `weight` of the impulses say of inputs in the middle. vs is overwritten. */
static void sd_adjoint(const sim_derivative *d, slip_real *vs, const slip_real *weight, slip_real *x)
{
    const slip_step_jacobian *o = &d->all;
    const slip_real share = d->mean ? SLIP_R(0.5) : 1;
    slip_real *t = d->one[1], *z = d->one[2], *right = d->one[3], *load = d->one_rows;
    int i, k, first;

    if (d->active > 0) {
        for (i = 0; i < d->active; ++i) load[i] = weight[d->row_of[i]];
        sd_times_transposed(d->nv, d->active, 1, d->X, (size_t)d->wide, vs, load);
        sd_solve_rows_of(d, 1, load, right);
        memset(z, 0, (size_t)d->active*sizeof *z);
        for (i = 0; i < d->active; ++i) {
            const int n = sd_block(d, i, &first), row = d->row_of[i];

            if (o->friction >= 0 && n == 3) x[o->friction + row/3] -= d->a[i]*right[i];
            for (k = 0; k < n; ++k) z[first + k] -= d->B[3*i + k]*right[i];
        }
        for (i = 0; i < d->active; ++i) {
            slip_subtract_row(o->columns, -z[i], d->s + (size_t)d->row_of[i]*(size_t)d->N, x);
            slip_subtract_row(d->nv, -z[i], d->J + d->row_of[i]*d->nv, vs);
        }
        memcpy(t, vs, (size_t)d->nv*sizeof *t);
        slip_ltl_solve(&d->w->model->branches, d->L, d->D_inv, t);
        sd_times_transposed(d->nv, d->nv, 1, d->c, (size_t)d->NQ, t, x + o->q);
        if (o->density >= 0) sd_times_transposed(d->nv, o->columns, 1, d->extra, (size_t)d->N, t, x);
        for (i = 0; d->with_arcs && i < d->active; ++i) {
            if (d->row_of[i] >= 3*d->nc) continue;
            slip_subtract_row(d->nv, -share*z[i], d->P + d->row_of[i]*d->nv, x + o->v);
            if (d->mean) slip_subtract_row(d->nv, -share*z[i], d->P + d->row_of[i]*d->nv, vs);
        }
    }
    sd_solve_free(d, 1, vs);
    sd_times_transposed(d->nv, o->columns, 1, d->r, (size_t)d->N, vs, x);
}

void slip_step_adjoint(const slip_step_linear *linear, const slip_real *weight, slip_real *out)
{
    const sim_derivative *d = (const sim_derivative *)linear->inside;
    const slip_step_jacobian *at = &linear->at;
    slip_real *x = d->one[0], *q = d->one[5], *vs = d->one_v;
    const int skip = at->q < 0 ? 2*d->nv : 0, n = d->nv;
    int i;

    if (at->D) {
        memset(out, 0, (size_t)at->columns*sizeof *out);
        sd_times_transposed(at->rows, at->columns, 1, at->D, (size_t)at->columns, weight, out);
        return;
    }
    memset(x, 0, (size_t)d->N*sizeof *x);
    memcpy(q, weight, (size_t)n*sizeof *q);
    memcpy(vs, weight + n, (size_t)n*sizeof *vs);
    sd_through_drift(d, d->last, 1, q, vs);
    sd_adjoint(d, vs, weight + 2*n, x);
    for (i = 0; i < n; ++i) x[d->all.q + i] += q[i];
    if (d->halves) sd_through_drift(d, d->blocks, 1, x + d->all.q, x + d->all.v);
    memcpy(out, x + skip, (size_t)at->columns*sizeof *out);
}
