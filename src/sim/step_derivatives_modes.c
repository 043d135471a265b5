/* The modes of contacts and limits for step_derivatives.c, and the linear system that they make of all columns. */
#include "sim/step_derivatives_private.h"

#include "base/dense.h"
#include "contact/lu.h"

#include <string.h>

/* Of the largest mobility: sqrt(eps), so that what a pivot of that size has lost to rounding is as much as what
 * compliance changes, and one step of sd_take_compliance_out() leaves rounding alone. */
#define SD_COMPLIANCE SLIP_TOL(1e-8, 1e-3)
/* A pivot below a hundred times the compliance is that of rows that say the same: without compliance only rounding is
 * left of it, 1e-16, and mechanisms whose mobilities differ by 1e6 are still told from these. */
#define SD_RANK 100
enum { SD_OPEN, SD_STICKS, SD_SLIDES };

/* Whether the solver's contacts separate by mu times what they slide: convex models have no De Saxce term. */
static int sd_is_convex(const sim_derivative *d) { return d->w->opt.solver->model == SLIP_MODEL_CCP; }

/* A, B and a of a sliding contact; `row`: of its first row among the closed ones. */
static void sd_slide(sim_derivative *d, const sim_contact *c, const slip_real lambda[3], const slip_real sigma[3],
                     int row)
{
    const slip_real speed = slip_norm2(sigma), e[2] = { sigma[0]/speed, sigma[1]/speed };
    const slip_real mu = slip_sim_row_friction(d->w, c), turn = mu*lambda[2]/speed;
    int i, k;

    for (i = 0; i < 2; ++i) {
        for (k = 0; k < 2; ++k) d->B[3*(row + i) + k] = turn*((i == k) - e[i]*e[k]);
        d->B[3*(row + i) + 2] = 0;
        d->A[(row + i)*d->active + row + i] += 1;
        d->A[(row + i)*d->active + row + 2] += mu*e[i];
        d->a[row + i] = mu < c->mu ? 0 : lambda[2]*e[i];
    }
    for (k = 0; k < 2; ++k) d->B[3*row + 6 + k] = sd_is_convex(d) ? -mu*e[k] : 0;
    d->B[3*row + 8] = 1;
    d->a[row + 2] = sd_is_convex(d) && !(mu < c->mu) ? -speed : 0;
}

/* The velocity at which a contact separates: 0 where it is closed. */
static slip_real sd_separation(const sim_derivative *d, int k)
{
    const slip_real *sigma = d->t + 3*k;
    const slip_real mu = sd_is_convex(d) ? slip_sim_row_friction(d->w, &d->w->step.contacts[k]) : 0;

    return sigma[2] - mu*slip_norm2(sigma);
}

/* Modes of all contacts and limits, by lambda_of and t; how many rows are closed. */
void slip_sim_d_modes(sim_derivative *d, slip_real eps)
{
    const slip_world *w = d->w;
    slip_real lambda = 0, speed = 0;
    int k, i;

    for (k = 0; k < d->nc; ++k) lambda = slip_max(lambda, slip_norm3(d->lambda_of + 3*k));
    for (k = 0; k < d->nl; ++k) lambda = slip_max(lambda, d->lambda_of[3*d->nc + k]);
    for (k = 0; k < d->nc; ++k) {
        slip_real u[3];

        slip_sim_d_relative(&w->step.contacts[k], d->before, u);
        speed = slip_max(speed, slip_max(slip_norm3(u), slip_norm3(d->t + 3*k)));
    }
    for (k = 0; k < d->nv; ++k) speed = slip_max(speed, d->nl > 0 ? slip_abs(d->vs[k]) : 0);
    lambda *= eps;
    speed = eps*slip_max(speed, w->opt.dt*slip_norm3(w->model->gravity));
    d->active = 0;
    for (k = 0; k < d->nc; ++k) {
        const slip_real *x = d->lambda_of + 3*k, *sigma = d->t + 3*k;
        const slip_real slip = slip_norm2(sigma), mu = slip_sim_row_friction(w, &w->step.contacts[k]);
        const slip_real room = mu*x[2] - slip_norm2(x);

        d->mode[k] = SD_OPEN;
        if (!d->stage->part[k]) continue;
        d->mode[k] = x[2] <= lambda ? SD_OPEN : mu > 0 && (room > lambda || slip <= speed) ? SD_STICKS : SD_SLIDES;
        if (d->mode[k] == SD_OPEN && sd_separation(d, k) <= speed) slip_sim_d_add_border(d, k);
        if (d->mode[k] == SD_STICKS && room <= lambda) slip_sim_d_add_border(d, k);
        for (i = 0; d->mode[k] != SD_OPEN && i < 3; ++i) d->row_of[d->active++] = 3*k + i;
    }
    for (k = 0; k < d->nl; ++k) {
        const int closed = d->lambda_of[3*d->nc + k] > lambda;

        d->mode[d->nc + k] = closed ? SD_STICKS : SD_OPEN;
        if (!closed && d->t[3*d->nc + k] <= speed && d->stage->limit_part[k]) slip_sim_d_add_limit_border(d, k);
        if (closed) d->row_of[d->active++] = 3*d->nc + k;
    }
    d->wide = SLIP_PADDED(d->active);
}

/* Fills A and B of the closed rows; those of open ones have none. */
void slip_sim_d_blocks(sim_derivative *d)
{
    const int n = d->active;
    int i, k;

    memset(d->A, 0, (size_t)n*(size_t)n*sizeof *d->A);
    for (i = 0; i < n; ++i) d->a[i] = 0;
    for (i = 0; i < n; ++i) {
        const int row = d->row_of[i], contact = row/3;

        if (row >= 3*d->nc) { d->B[3*i] = 1;  continue; }
        if (row % 3 != 0) continue;
        if (d->mode[contact] == SD_SLIDES && slip_norm2(d->t + 3*contact) > 0) {
            sd_slide(d, &d->w->step.contacts[contact], d->lambda_of + 3*contact, d->t + 3*contact, i);
            continue;
        }
        for (k = 0; k < 9; ++k) d->B[3*i + k] = k % 4 == 0;
        if (d->mode[contact] == SD_STICKS) continue;
        for (k = 0; k < 2; ++k) {                            /* without friction or sliding: lambda_t = 0 */
            d->B[3*(i + k) + k] = 0;
            d->A[(i + k)*n + i + k] = 1;
        }
    }
}

/* y_i = sum over the block of row i of B z. */
static slip_real sd_times_B(const sim_derivative *d, int i, const slip_real *z, int stride)
{
    const int row = d->row_of[i], first = row >= 3*d->nc ? i : i - row % 3, n = row >= 3*d->nc ? 1 : 3;
    slip_real sum = 0;
    int k;

    for (k = 0; k < n; ++k) sum += d->B[3*i + k]*z[(first + k)*stride];
    return sum;
}

/* A <- A + B (G + R), K the same with compliance, factored. */
slip_status slip_sim_d_matrix(sim_derivative *d)
{
    const slip_data *data = d->w->data;
    const int n = d->active, nv = d->nv;
    slip_real *G = d->K2, most = 0, soft;
    int i, j, k;

    memset(d->X, 0, (size_t)nv*(size_t)d->wide*sizeof *d->X);
    for (k = 0; k < nv; ++k) for (i = 0; i < n; ++i) d->X[k*d->wide + i] = d->J[d->row_of[i]*nv + k];
    slip_ltl_solve_rows(&d->w->model->branches, data->L, data->D_inv, d->wide, d->X);
    memset(G, 0, (size_t)n*(size_t)n*sizeof *G);
    for (i = 0; i < n; ++i) {
        G[i*n + i] = d->R[d->row_of[i]];
        for (k = 0; k < nv; ++k) {
            const slip_real f = d->J[d->row_of[i]*nv + k], *x = d->X + k*d->wide;

            for (j = 0; slip_abs(f) > 0 && j < n; ++j) G[i*n + j] += f*x[j];
        }
    }
    for (i = 0; i < n; ++i) most = slip_max(most, G[i*n + i]);
    soft = SD_COMPLIANCE*most;
    for (j = 0; j < n; ++j)
        for (i = 0; i < n; ++i) d->A[i*n + j] += sd_times_B(d, i, G + j, n);
    for (i = 0; i < n; ++i) {
        const int row = d->row_of[i], first = row >= 3*d->nc ? i : i - row % 3, m = row >= 3*d->nc ? 1 : 3;

        for (j = 0; j < n; ++j) G[i*n + j] = d->A[i*n + j];
        for (k = 0; k < m; ++k) G[i*n + first + k] += soft*d->B[3*i + k];
    }
    d->out->unique = 1;
    if (n > 0 && slip_lu_factor(n, d->K2, n, d->pivot) != SLIP_OK) return SLIP_ERR_NOT_SPD;
    for (i = 0; i < n; ++i) if (slip_abs(d->K2[i*n + i]) <= SD_RANK*soft) d->out->unique = 0;
    return SLIP_OK;
}

/* y += s a X for one row a of `inner` numbers, in `groups` groups of columns that stay in registers. */
static inline void sd_add_groups(int groups, int inner, slip_real s, const slip_real *a, const slip_real *X, size_t N,
                                 slip_real *y)
{
    slip_real sum[4*SLIP_LANES];
    int k, l;

    for (l = 0; l < groups*SLIP_LANES; ++l) sum[l] = y[l];
    for (k = 0; k < inner; ++k) {
        const slip_real f = s*a[k], *x = X + (size_t)k*N;

        for (l = 0; l < groups*SLIP_LANES; ++l) sum[l] += f*x[l];
    }
    for (l = 0; l < groups*SLIP_LANES; ++l) y[l] = sum[l];
}

/* y += s a X for one row a of `inner` numbers and rows X of N, a multiple of SLIP_LANES. */
static void sd_add_columns(int N, int inner, slip_real s, const slip_real *a, const slip_real *X, size_t stride,
                           slip_real *y)
{
    int e;

    for (e = 0; e + 4*SLIP_LANES <= N; e += 4*SLIP_LANES) sd_add_groups(4, inner, s, a, X + e, stride, y + e);
    for (; e < N; e += SLIP_LANES) sd_add_groups(1, inner, s, a, X + e, stride, y + e);
}

/* Y += s A X for X of `inner` rows and Y of `rows` rows of N numbers. */
void slip_sim_d_add_product(const sim_derivative *d, int rows, int inner, slip_real s, const slip_real *A, int lda,
                            const slip_real *X, slip_real *Y)
{
    int i;

    for (i = 0; i < rows; ++i)
        sd_add_columns(d->N, inner, s, A + (size_t)i*(size_t)lda, X, (size_t)d->N, Y + (size_t)i*(size_t)d->N);
}

/* right = -B z - a dmu, all columns. */
static void sd_modes_right(const sim_derivative *d)
{
    const size_t N = (size_t)d->N;
    int i, k;

    memset(d->right, 0, (size_t)d->active*N*sizeof *d->right);
    for (i = 0; i < d->active; ++i) {
        const int row = d->row_of[i], limit = row >= 3*d->nc, first = limit ? i : i - row % 3;

        for (k = 0; k < (limit ? 1 : 3); ++k)
            if (slip_abs(d->B[3*i + k]) > 0)
                slip_subtract_row(d->N, d->B[3*i + k], d->zr + (size_t)(first + k)*N, d->right + (size_t)i*N);
        if (!limit && d->out->friction >= 0) d->right[(size_t)i*N + (size_t)(d->out->friction + row/3)] -= d->a[i];
    }
}

/* The largest number of `rest` over that of `right`, column by column. */
static slip_real sd_left(const sim_derivative *d, const slip_real *rest, const slip_real *most)
{
    slip_real left = 0;
    int i, k;

    for (i = 0; i < d->active; ++i)
        for (k = 0; k < d->out->columns; ++k) {
            const slip_real x = slip_abs(rest[(size_t)i*(size_t)d->N + (size_t)k]);

            if (x > left*most[k]) left = x/most[k];
        }
    return left;
}

/* inverse += inverse (1 - A inverse): the relative change by compliance is squared. */
static void sd_take_compliance_out(sim_derivative *d)
{
    const int n = d->active;
    slip_real *rest = d->K2, *column = d->R;                 /* the factor is not needed any more */
    int i, j, k;

    for (i = 0; i < n; ++i) {
        for (j = 0; j < n; ++j) rest[i*n + j] = i == j;
        for (k = 0; k < n; ++k) slip_subtract_row(n, d->A[i*n + k], d->inverse + k*n, rest + i*n);
    }
    for (i = 0; i < n; ++i) {
        memcpy(column, d->inverse + i*n, (size_t)n*sizeof *column);
        for (k = 0; k < n; ++k) slip_subtract_row(n, -column[k], rest + k*n, d->inverse + i*n);
    }
}

/* A^-1, from K^-1; where contacts share their load an inverse of what they do not. */
void slip_sim_d_invert(sim_derivative *d)
{
    const int n = d->active;
    int i, k;

    for (i = 0; i < n; ++i) {
        slip_real *column = d->R;                            /* R is in A by now */

        for (k = 0; k < n; ++k) column[k] = k == i;
        slip_lu_solve(n, d->K2, n, d->pivot, column);
        for (k = 0; k < n; ++k) d->inverse[k*n + i] = column[k];
    }
    sd_take_compliance_out(d);
}

/* lambda with A lambda = right; `left`: what contacts that share their load leave. */
static void sd_solve(sim_derivative *d)
{
    const int n = d->active;
    const size_t size = (size_t)n*(size_t)d->N;
    slip_real *rest = d->zr, *most = d->s;                   /* z and s are not needed any more */
    int i, k;

    slip_sim_d_invert(d);
    memset(d->lambda, 0, size*sizeof *d->lambda);
    slip_sim_d_add_product(d, n, n, 1, d->inverse, n, d->right, d->lambda);
    if (d->out->unique) return;
    for (k = 0; k < d->N; ++k) most[k] = SLIP_REAL_MIN;
    for (i = 0; i < n; ++i)
        for (k = 0; k < d->N; ++k)
            most[k] = slip_max(most[k], slip_abs(d->right[(size_t)i*(size_t)d->N + (size_t)k]));
    memcpy(rest, d->right, size*sizeof *rest);
    slip_sim_d_add_product(d, n, n, -1, d->A, n, d->lambda, rest);
    d->out->left = slip_max(d->out->left, sd_left(d, rest, most));
    slip_sim_d_add_product(d, n, n, 1, d->inverse, n, rest, d->lambda);  /* large shares have lost digits */
}

/* zr: what inputs change in sigma of the closed rows at fixed impulses, what these carry along aside: s + P du + J
 * r. */
static void sd_at_fixed_impulses(const sim_derivative *d)
{
    const size_t N = (size_t)d->N;
    const slip_real share = d->mean ? SLIP_R(0.5) : 1;       /* du = (dv + dv_free)/2, or dv where u = v */
    int i, k;

    for (i = 0; i < d->active; ++i) {
        const slip_real *P = d->P + d->row_of[i]*d->nv;
        slip_real *zr = d->zr + (size_t)i*N;

        memcpy(zr, d->s + (size_t)d->row_of[i]*N, N*sizeof *zr);
        if (!d->w->step.arcs || d->stage->impact || d->row_of[i] >= 3*d->nc) continue;
        for (k = 0; k < d->nv; ++k) zr[d->out->v + k] += share*P[k];
        if (d->mean && d->first != d->r) slip_sim_d_add_product(d, 1, d->nv, share, P, d->nv, d->first, zr);
    }
    for (i = 0; i < d->active; ++i) {                        /* J r; with P du where r is dv_free */
        const slip_real *J = d->J + d->row_of[i]*d->nv, *P = d->P + d->row_of[i]*d->nv;
        const int both = d->w->step.arcs && d->mean && d->first == d->r && d->row_of[i] < 3*d->nc;
        slip_real *sum = d->w->step.nv_scratch;

        for (k = 0; both && k < d->nv; ++k) sum[k] = J[k] + share*P[k];
        slip_sim_d_add_product(d, 1, d->nv, 1, both ? sum : J, d->nv, d->r, d->zr + (size_t)i*N);
    }
}

/* Impulses that stay as numbers change the momentum otherwise when bodies move, c - d(M z - J' lambda)/dq into c, and
 * when inertias do, into extra. */
slip_status slip_sim_d_carry(sim_derivative *d, slip_arena *mem)
{
    slip_world *w = d->w;
    slip_model still = *w->model;
    const slip_real dt = w->opt.dt;
    slip_real *zero = d->y, *acceleration = w->step.x;
    slip_status s;
    int i, j;

    slip_zero3(still.gravity);
    for (i = 0; i < d->nv; ++i) {
        zero[i] = 0;
        acceleration[i] = d->stage->change[i]/dt;
    }
    s = slip_rnea_derivatives(&still, w->data, d->q, zero, acceleration, d->force, d->Fq, NULL, mem);
    if (s != SLIP_OK) return s;
    for (i = 0; i < d->nv; ++i) for (j = 0; j < d->nv; ++j) d->c[i*d->NQ + j] -= dt*d->Fq[i*d->nv + j];
    if (d->out->density < 0) return SLIP_OK;
    memset(d->extra, 0, (size_t)d->nv*(size_t)d->N*sizeof *d->extra);
    slip_sim_d_by_density(d, zero, acceleration, still.gravity, d->extra);
    return SLIP_OK;
}

/* r += (M + D)^-1 of both, zr += J times that. */
static void sd_add_carried(sim_derivative *d)
{
    const slip_data *data = d->w->data;
    const slip_branches *br = &d->w->model->branches;
    int i, j;

    slip_ltl_solve_rows(br, data->L, data->D_inv, d->NQ, d->c);
    for (i = 0; i < d->active; ++i)                          /* q comes first among the columns */
        sd_add_columns(d->NQ, d->nv, 1, d->J + d->row_of[i]*d->nv, d->c, (size_t)d->NQ, d->zr + (size_t)i*(size_t)d->N);
    for (i = 0; i < d->nv; ++i)
        for (j = 0; j < d->nv; ++j) d->r[(size_t)i*(size_t)d->N + (size_t)(d->out->q + j)] += d->c[i*d->NQ + j];
    if (d->out->density < 0) return;
    slip_ltl_solve_rows(br, data->L, data->D_inv, d->N, d->extra);
    for (i = 0; i < d->nv*d->N; ++i) d->r[i] += d->extra[i];
    for (i = 0; i < d->active; ++i)
        slip_sim_d_add_product(d, 1, d->nv, 1, d->J + d->row_of[i]*d->nv, d->nv, d->extra,
                               d->zr + (size_t)i*(size_t)d->N);
}

/* dlambda of all columns, and r <- dv*. r is dv_free. */
slip_status slip_sim_d_impulses(sim_derivative *d, slip_arena *mem)
{
    slip_status s;

    if (d->active == 0) return SLIP_OK;
    sd_at_fixed_impulses(d);
    s = slip_sim_d_carry(d, mem);
    if (s != SLIP_OK) return s;
    sd_add_carried(d);
    sd_modes_right(d);
    sd_solve(d);
    slip_sim_d_add_product(d, d->nv, d->active, 1, d->X, d->wide, d->lambda, d->r);
    return SLIP_OK;
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

/* Rows q+ and v+ from dv*, which is in r. */
static void sd_drift(const sim_derivative *d)
{
    const slip_model *m = d->w->model;
    const slip_step_jacobian *o = d->out;
    const int columns = o->columns;
    int b, i, j;

    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]];
        sim_drift_blocks blocks;

        if (m->mimics[b]) continue;
        slip_sim_drift_derivatives(d->w, b, slip_sim_last_part(d->w), d->vs + iv, &blocks);
        for (i = 0; i < blocks.n; ++i) {
            slip_real *q = d->D + (size_t)(iv + i)*(size_t)columns, *v = q + (size_t)d->nv*(size_t)columns;

            for (j = 0; j < blocks.n; ++j) {
                const slip_real *dv = d->r + (size_t)(iv + j)*(size_t)d->N;
                const slip_real by_q = -blocks.qv[i*blocks.n + j], by_v = -blocks.vv[i*blocks.n + j];

                q[o->q + iv + j] += blocks.qq[i*blocks.n + j];
                if (slip_abs(by_q) > 0) slip_subtract_row(columns, by_q, dv, q);
                if (slip_abs(by_v) > 0) slip_subtract_row(columns, by_v, dv, v);
            }
        }
    }
}

/* Columns of q and v in the middle of the step become those of its start, in one row. */
void slip_sim_d_from_start(const sim_derivative *d, slip_real *row)
{
    const slip_model *m = d->w->model;
    int b, i, j;

    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]];
        const sim_drift_blocks *blocks = &d->blocks[b];
        slip_real *q = row + d->out->q + iv, *v = row + d->out->v + iv, dq[6], dv[6];
        const int n = blocks->n;

        if (m->mimics[b]) continue;
        if (n == 1) {                                        /* q moves by h v */
            *v += blocks->qv[0]**q;
            continue;
        }
        for (j = 0; j < n; ++j) {
            dq[j] = dv[j] = 0;
            for (i = 0; i < n; ++i) {
                dq[j] += q[i]*blocks->qq[i*n + j];
                dv[j] += q[i]*blocks->qv[i*n + j] + v[i]*blocks->vv[i*n + j];
            }
        }
        for (j = 0; j < n; ++j) { q[j] = dq[j];  v[j] = dv[j]; }
    }
}

static void sd_first_half(const sim_derivative *d)
{
    const slip_model *m = d->w->model;
    int b, k;

    for (b = 1; b < m->nbodies; ++b)
        if (!m->mimics[b])
            slip_sim_drift_derivatives(d->w, b, d->w->opt.dt/2, d->v0 + m->dof_iv[m->idof[b]], &d->blocks[b]);
    for (k = 0; k < d->out->rows; ++k) slip_sim_d_from_start(d, d->D + (size_t)k*(size_t)d->out->columns);
}

/* D from dv* and dlambda, with all columns. */
void slip_sim_d_result(sim_derivative *d)
{
    const slip_step_jacobian *o = d->out;
    int i;

    memset(d->D, 0, (size_t)o->rows*(size_t)o->columns*sizeof *d->D);
    for (i = 0; i < d->active; ++i)
        memcpy(d->D + (size_t)(2*d->nv + d->row_of[i])*(size_t)o->columns, d->lambda + (size_t)i*(size_t)d->N,
               (size_t)o->columns*sizeof *d->D);
    sd_drift(d);
    if (d->w->opt.integrator != SLIP_EULER) sd_first_half(d);
}
