/* iLQR over the steps of a world. With x = (q, v) and e = x (-) x_ref, tangents for differences of q,
 *
 *     cost   sum_k (e_k'Q e_k + (u_k - u_ref)'R (u_k - u_ref))/2  +  e_N'Q_end e_N/2
 *     back   V = Q_end, p = Q_end e_N;  for k = N-1 .. 0
 *                q_u = R (u - u_ref) + B'p,   Q_uu = R + B'V B + mu,   Q_ux = B'V A
 *                d = -Q_uu^-1 q_u,   K = -Q_uu^-1 Q_ux
 *                p = Q e + A'p + K'q_u,   V = Q + A'V A + K'Q_ux
 *     out    u <- u + s d + K (x (-) x_k),  s = 1, 1/2, 1/4, ... until the cost falls
 *
 * mu grows when no s helps and falls when one does (Tassa, Erez, Todorov 2012 have the method and its history). */
#include "sim/ilqr.h"

#include <string.h>
#include "base/dense.h"
#include "sim/step_derivatives.h"

struct slip_ilqr {
    slip_world *world;
    slip_ilqr_options o;
    const slip_model *m;
    int nv, n;                               /* n: 2 nv                                                              */
    slip_real mu;
    long analytic, differenced;
    slip_real *q, *v, *u;                    /* [N + 1][nq], [N + 1][nv], [N][nu]                                    */
    slip_real *q_new, *v_new, *u_new;
    slip_real *A, *B, *K, *d;                /* [N] [n*n], [n*nu], [nu*n], [nu]                                      */
    slip_real *V, *VA, *VB, *Quu, *Qux, *p, *next, *e, *room;
    void *start, *before;                    /* snapshots                                                            */
    size_t bytes;
    slip_arena scratch;                      /* of slip_step_derivatives()                                           */
};

slip_ilqr_options slip_ilqr_defaults(void)
{
    slip_ilqr_options o;

    memset(&o, 0, sizeof o);
    o.horizon = 20;
    o.steps = 1;
    o.eps = SLIP_TOL(1e-6, 1e-4);
    o.tries = 6;
    return o;
}

/* ---- memory --------------------------------------------------------------------------------------------------- */

static int ilqr_carve(slip_ilqr *l, slip_arena *mem)
{
    const size_t N = (size_t)l->o.horizon, nq = (size_t)l->m->nq, nv = (size_t)l->nv, n = 2*nv, nu = (size_t)l->o.nu;
    size_t scratch = slip_step_jacobian_bytes(l->world);
    void *block;

    l->q = slip_arena_reals(mem, (N + 1)*nq);
    l->v = slip_arena_reals(mem, (N + 1)*nv);
    l->u = slip_arena_reals(mem, N*nu);
    l->q_new = slip_arena_reals(mem, (N + 1)*nq);
    l->v_new = slip_arena_reals(mem, (N + 1)*nv);
    l->u_new = slip_arena_reals(mem, N*nu);
    l->A = slip_arena_reals(mem, N*n*n);
    l->B = slip_arena_reals(mem, N*n*nu);
    l->K = slip_arena_reals(mem, N*nu*n);
    l->d = slip_arena_reals(mem, N*nu);
    l->V = slip_arena_reals(mem, n*n);
    l->VA = slip_arena_reals(mem, n*n);
    l->VB = slip_arena_reals(mem, n*nu);
    l->Quu = slip_arena_reals(mem, nu*nu);
    l->Qux = slip_arena_reals(mem, nu*n);
    l->p = slip_arena_reals(mem, n);
    l->next = slip_arena_reals(mem, n*n + nu);
    l->e = slip_arena_reals(mem, n);
    l->room = slip_arena_reals(mem, 2*nq + 3*n);
    l->bytes = slip_snapshot_bytes(l->world);
    l->start = slip_arena_take(mem, l->bytes, 1);
    l->before = slip_arena_take(mem, l->bytes, 1);
    block = slip_arena_take(mem, scratch, 1);
    l->scratch = slip_arena_over(block, scratch);
    return block != NULL && l->start && l->before && l->room;
}

static void ilqr_begin(slip_world *world, const slip_ilqr_options *opt, slip_ilqr *l)
{
    memset(l, 0, sizeof *l);
    l->world = world;
    l->o = *opt;
    l->m = slip_world_model(world);
    l->nv = l->m->nv;
    l->n = 2*l->nv;
    l->mu = SLIP_R(1e-6);
}

static int ilqr_is_valid(const slip_world *world, const slip_ilqr_options *o)
{
    const slip_model *m = slip_world_model(world);
    int i;

    if (o->horizon < 1 || o->steps < 1 || o->nu < 1 || o->tries < 1 || !(o->eps > 0)) return 0;
    if (!o->iv || !o->q_ref || !o->Q || !o->Q_end || !o->R) return 0;
    for (i = 0; i < o->nu; ++i)
        if (o->iv[i] < 0 || o->iv[i] >= m->nv || !(o->R[i] > 0) || (o->effort && !(o->effort[i] > 0))) return 0;
    return slip_all_finite(o->Q, 2*m->nv) && slip_all_finite(o->Q_end, 2*m->nv);
}

size_t slip_ilqr_bytes(const slip_world *world, const slip_ilqr_options *opt)
{
    slip_arena count = slip_arena_counting();
    slip_ilqr l;

    ilqr_begin((slip_world *)world, opt, &l);
    slip_arena_take(&count, 1, sizeof l);
    ilqr_carve(&l, &count);
    return slip_arena_needed(&count);
}

slip_status slip_ilqr_create(slip_world *world, const slip_ilqr_options *opt, slip_arena *mem, slip_ilqr **loop)
{
    const size_t mark = slip_arena_mark(mem);
    slip_ilqr *l;

    if (!ilqr_is_valid(world, opt)) return SLIP_ERR_ARGUMENT;
    l = (slip_ilqr *)slip_arena_take(mem, 1, sizeof *l);
    if (l) ilqr_begin(world, opt, l);
    if (!l || !ilqr_carve(l, mem)) {
        slip_arena_release(mem, mark);
        return SLIP_ERR_WORKSPACE;
    }
    memset(l->u, 0, (size_t)(opt->horizon*opt->nu)*sizeof *l->u);
    memset(l->K, 0, (size_t)(opt->horizon*opt->nu*l->n)*sizeof *l->K);
    slip_snapshot_save(world, l->start);
    *loop = l;
    return SLIP_OK;
}

/* ---- the world ------------------------------------------------------------------------------------------------ */

static void ilqr_put(slip_ilqr *l, const slip_real *q, const slip_real *v)
{
    memcpy(slip_world_q(l->world), q, (size_t)l->m->nq*sizeof *q);
    memcpy(slip_world_v(l->world), v, (size_t)l->nv*sizeof *v);
}

static void ilqr_get(slip_ilqr *l, slip_real *q, slip_real *v)
{
    memcpy(q, slip_world_q(l->world), (size_t)l->m->nq*sizeof *q);
    memcpy(v, slip_world_v(l->world), (size_t)l->nv*sizeof *v);
}

static void ilqr_set_torque(slip_ilqr *l, const slip_real *u)
{
    int i;

    for (i = 0; i < l->o.nu; ++i) slip_world_tau(l->world)[l->o.iv[i]] = u[i];
}

/* e [n]: x (-) reference. */
static void ilqr_error(const slip_ilqr *l, const slip_real *q, const slip_real *v, slip_real *e)
{
    int i;

    slip_difference(l->m, l->o.q_ref, q, e);
    for (i = 0; i < l->nv; ++i) e[l->nv + i] = v[i] - (l->o.v_ref ? l->o.v_ref[i] : 0);
}

static slip_real ilqr_torque_cost(const slip_ilqr *l, const slip_real *u)
{
    slip_real sum = 0;
    int i;

    for (i = 0; i < l->o.nu; ++i) {
        const slip_real x = u[i] - (l->o.u_ref ? l->o.u_ref[i] : 0);

        sum += l->o.R[i]*x*x/2;
    }
    return sum;
}

static slip_real ilqr_state_cost(slip_ilqr *l, const slip_real *q, const slip_real *v, const slip_real *weight)
{
    slip_real sum = 0;
    int i;

    ilqr_error(l, q, v, l->e);
    for (i = 0; i < l->n; ++i) sum += weight[i]*l->e[i]*l->e[i]/2;
    return sum;
}

static slip_status ilqr_steps(slip_ilqr *l)
{
    slip_status s = SLIP_OK;
    int i;

    for (i = 0; i < l->o.steps && s >= 0; ++i) s = slip_step(l->world);
    return s;
}

/* ---- derivatives ---------------------------------------------------------------------------------------------- */

/* One column by differences of a step from the snapshot `before`: coordinate i of (q, v, u). */
static slip_status ilqr_difference(slip_ilqr *l, int i, slip_real *column)
{
    const slip_real s = SLIP_TOL(1e-6, 1e-3);
    slip_real *q = l->room, *v = q + l->m->nq, *e = v + l->nv;
    int side, k;

    for (side = 0; side < 2; ++side) {
        const slip_real shift = side ? s : -s;
        slip_status status;

        slip_snapshot_restore(l->world, l->before, l->bytes);
        if (i < l->nv) {
            memset(e, 0, (size_t)l->nv*sizeof *e);
            e[i] = shift;
            slip_integrate(l->m, slip_world_q(l->world), e, 1, slip_world_q(l->world));
        } else if (i < l->n) slip_world_v(l->world)[i - l->nv] += shift;
        else slip_world_tau(l->world)[l->o.iv[i - l->n]] += shift;
        status = slip_step(l->world);
        if (status < 0) return status;
        if (!side) { ilqr_get(l, q, v);  continue; }
        slip_difference(l->m, q, slip_world_q(l->world), column);
        for (k = 0; k < l->nv; ++k) column[l->nv + k] = slip_world_v(l->world)[k] - v[k];
        for (k = 0; k < l->n; ++k) column[k] /= 2*s;
    }
    return SLIP_OK;
}

/* Takes a step with a [n*n] and b [n*nu], its derivatives. */
static slip_status ilqr_differentiate(slip_ilqr *l, slip_real *a, slip_real *b)
{
    slip_step_jacobian J;
    slip_status status;
    int i, k;

    slip_snapshot_save(l->world, l->before);
    slip_arena_release(&l->scratch, 0);
    status = slip_step_derivatives(l->world, SLIP_BY_STATE | SLIP_BY_TAU, l->o.eps, &l->scratch, &J);
    if (status >= 0) {
        for (i = 0; i < l->n; ++i) {
            for (k = 0; k < l->nv; ++k) {
                a[i*l->n + k] = J.D[i*J.columns + J.q + k];
                a[i*l->n + l->nv + k] = J.D[i*J.columns + J.v + k];
            }
            for (k = 0; k < l->o.nu; ++k) b[i*l->o.nu + k] = J.D[i*J.columns + J.tau + l->o.iv[k]];
        }
        ++l->analytic;
        return status;
    }
    if (status != SLIP_ERR_UNSUPPORTED) return status;
    ++l->differenced;
    for (i = 0; i < l->n + l->o.nu; ++i) {
        slip_real *column = l->room + l->m->nq + 2*l->nv;

        status = ilqr_difference(l, i, column);
        if (status < 0) return status;
        for (k = 0; k < l->n; ++k) {
            if (i < l->n) a[k*l->n + i] = column[k];
            else b[k*l->o.nu + i - l->n] = column[k];
        }
    }
    slip_snapshot_restore(l->world, l->before, l->bytes);
    return slip_step(l->world);
}

/* C [n*columns] = A [n*n] B. */
static void ilqr_multiply(int n, int columns, const slip_real *A, const slip_real *B, slip_real *C)
{
    int i, k;

    memset(C, 0, (size_t)(n*columns)*sizeof *C);
    for (i = 0; i < n; ++i)
        for (k = 0; k < n; ++k) slip_subtract_row(columns, -A[i*n + k], B + k*columns, C + i*columns);
}

/* The periods from (q, v): states, A and B, and the cost. */
static slip_status ilqr_roll(slip_ilqr *l, const slip_real *q, const slip_real *v, slip_real *cost)
{
    const int n = l->n, nu = l->o.nu;
    slip_status s = SLIP_OK;
    int k, i;

    *cost = 0;
    slip_snapshot_restore(l->world, l->start, l->bytes);
    ilqr_put(l, q, v);
    for (k = 0; k < l->o.horizon && s >= 0; ++k) {
        slip_real *A = l->A + k*n*n, *B = l->B + k*n*nu;

        ilqr_get(l, l->q + k*l->m->nq, l->v + k*l->nv);
        *cost += ilqr_state_cost(l, l->q + k*l->m->nq, l->v + k*l->nv, l->o.Q) + ilqr_torque_cost(l, l->u + k*nu);
        ilqr_set_torque(l, l->u + k*nu);
        s = ilqr_differentiate(l, A, B);
        for (i = 1; i < l->o.steps && s >= 0; ++i) {         /* A <- a A, B <- a B + b */
            s = ilqr_differentiate(l, l->V, l->VB);
            ilqr_multiply(n, n, l->V, A, l->VA);
            memcpy(A, l->VA, (size_t)(n*n)*sizeof *A);
            ilqr_multiply(n, nu, l->V, B, l->VA);
            slip_subtract_row(n*nu, -1, l->VB, l->VA);
            memcpy(B, l->VA, (size_t)(n*nu)*sizeof *B);
        }
    }
    if (s < 0) return s;
    ilqr_get(l, l->q + k*l->m->nq, l->v + k*l->nv);
    *cost += ilqr_state_cost(l, l->q + k*l->m->nq, l->v + k*l->nv, l->o.Q_end);
    return *cost - *cost == 0 ? SLIP_OK : SLIP_ERR_ARGUMENT;
}

/* ---- sweeping back -------------------------------------------------------------------------------------------- */

/* Gains of period k from V and p of the next one; 0 when Q_uu is not positive definite. */
static int ilqr_gains(slip_ilqr *l, int k)
{
    const int n = l->n, nu = l->o.nu;
    const slip_real *A = l->A + k*n*n, *B = l->B + k*n*nu, *u = l->u + k*nu;
    slip_real *K = l->K + k*nu*n, *d = l->d + k*nu, *column = l->next + n*n;
    int i, j;

    ilqr_multiply(n, n, l->V, A, l->VA);
    ilqr_multiply(n, nu, l->V, B, l->VB);
    memset(l->Quu, 0, (size_t)(nu*nu)*sizeof *l->Quu);
    memset(l->Qux, 0, (size_t)(nu*n)*sizeof *l->Qux);
    for (i = 0; i < nu; ++i) d[i] = l->o.R[i]*(u[i] - (l->o.u_ref ? l->o.u_ref[i] : 0));
    for (j = 0; j < n; ++j)
        for (i = 0; i < nu; ++i) {
            d[i] += B[j*nu + i]*l->p[j];
            slip_subtract_row(nu, -B[j*nu + i], l->VB + j*nu, l->Quu + i*nu);
            slip_subtract_row(n, -B[j*nu + i], l->VA + j*n, l->Qux + i*n);
        }
    memcpy(l->e, d, (size_t)(nu < n ? nu : n)*sizeof *d);   /* q_u */
    for (i = 0; i < nu; ++i) l->Quu[i*nu + i] += l->o.R[i] + l->mu*l->o.R[i];
    if (slip_chol_factor(nu, l->Quu, nu, NULL) != SLIP_OK) return 0;
    slip_chol_solve(nu, l->Quu, nu, d);
    for (i = 0; i < nu; ++i) d[i] = -d[i];
    for (j = 0; j < n; ++j) {
        for (i = 0; i < nu; ++i) column[i] = -l->Qux[i*n + j];
        slip_chol_solve(nu, l->Quu, nu, column);
        for (i = 0; i < nu; ++i) K[i*n + j] = column[i];
    }
    return 1;
}

/* V and p of period k, from its gains. */
static void ilqr_value(slip_ilqr *l, int k)
{
    const int n = l->n, nu = l->o.nu;
    const slip_real *A = l->A + k*n*n, *K = l->K + k*nu*n, *q_u = l->e;
    slip_real *p = l->room;
    int i, j;

    memset(l->next, 0, (size_t)(n*n)*sizeof *l->next);
    memset(p, 0, (size_t)n*sizeof *p);
    for (j = 0; j < n; ++j) {
        slip_subtract_row(n, -l->p[j], A + j*n, p);
        for (i = 0; i < n; ++i) slip_subtract_row(n, -A[j*n + i], l->VA + j*n, l->next + i*n);
    }
    for (j = 0; j < nu; ++j) {
        slip_subtract_row(n, -q_u[j], K + j*n, p);
        for (i = 0; i < n; ++i) slip_subtract_row(n, -K[j*n + i], l->Qux + j*n, l->next + i*n);
    }
    for (i = 0; i < n; ++i)
        for (j = 0; j <= i; ++j)
            l->V[i*n + j] = l->V[j*n + i] = (l->next[i*n + j] + l->next[j*n + i])/2;
    ilqr_error(l, l->q + k*l->m->nq, l->v + k*l->nv, l->e);
    for (i = 0; i < n; ++i) {
        l->p[i] = p[i] + l->o.Q[i]*l->e[i];
        l->V[i*n + i] += l->o.Q[i];
    }
}

static int ilqr_back(slip_ilqr *l)
{
    const int n = l->n, N = l->o.horizon;
    int i, k;

    memset(l->V, 0, (size_t)(n*n)*sizeof *l->V);
    ilqr_error(l, l->q + N*l->m->nq, l->v + N*l->nv, l->e);
    for (i = 0; i < n; ++i) {
        l->V[i*n + i] = l->o.Q_end[i];
        l->p[i] = l->o.Q_end[i]*l->e[i];
    }
    for (k = N - 1; k >= 0; --k) {
        if (!ilqr_gains(l, k)) return 0;
        ilqr_value(l, k);
    }
    return 1;
}

/* ---- out again ------------------------------------------------------------------------------------------------ */

/* Rolls out with the gains and s times their offsets; the cost. */
static slip_status ilqr_try(slip_ilqr *l, slip_real s, slip_real *cost)
{
    const int n = l->n, nu = l->o.nu;
    slip_real *e = l->room;
    slip_status status = SLIP_OK;
    int k, i;

    *cost = 0;
    slip_snapshot_restore(l->world, l->start, l->bytes);
    ilqr_put(l, l->q, l->v);
    for (k = 0; k < l->o.horizon && status >= 0; ++k) {
        slip_real *q = l->q_new + k*l->m->nq, *v = l->v_new + k*l->nv, *u = l->u_new + k*nu;

        ilqr_get(l, q, v);
        slip_difference(l->m, l->q + k*l->m->nq, q, e);
        for (i = 0; i < l->nv; ++i) e[l->nv + i] = v[i] - l->v[k*l->nv + i];
        for (i = 0; i < nu; ++i) {
            u[i] = l->u[k*nu + i] + s*l->d[k*nu + i] + slip_dot(n, l->K + (k*nu + i)*n, e);
            if (l->o.effort) u[i] = slip_clamp(u[i], -l->o.effort[i], l->o.effort[i]);
        }
        *cost += ilqr_state_cost(l, q, v, l->o.Q) + ilqr_torque_cost(l, u);
        ilqr_set_torque(l, u);
        status = ilqr_steps(l);
    }
    if (status < 0) return status;
    ilqr_get(l, l->q_new + k*l->m->nq, l->v_new + k*l->nv);
    *cost += ilqr_state_cost(l, l->q_new + k*l->m->nq, l->v_new + k*l->nv, l->o.Q_end);
    return SLIP_OK;
}

slip_status slip_ilqr_iterate(slip_ilqr *l, const slip_real *q, const slip_real *v, slip_real *cost)
{
    const size_t N = (size_t)l->o.horizon;
    slip_real before, now = 0, s = 1;
    slip_status status = ilqr_roll(l, q, v, &before);
    int k;

    if (cost && status >= 0) *cost = before;
    if (status < 0) return status;
    for (k = 0; k < l->o.tries && !ilqr_back(l); ++k) l->mu = slip_max(10*l->mu, SLIP_R(1e-6));
    for (k = 0; k < l->o.tries; ++k, s /= 2) {
        if (ilqr_try(l, s, &now) < 0 || !(now < before)) continue;
        memcpy(l->q, l->q_new, (N + 1)*(size_t)l->m->nq*sizeof *l->q);
        memcpy(l->v, l->v_new, (N + 1)*(size_t)l->nv*sizeof *l->v);
        memcpy(l->u, l->u_new, N*(size_t)l->o.nu*sizeof *l->u);
        l->mu = k == 0 ? l->mu/10 : l->mu;
        if (cost) *cost = now;
        return SLIP_OK;
    }
    l->mu = slip_min(slip_max(10*l->mu, SLIP_R(1e-6)), SLIP_R(1e6));
    return SLIP_STALLED;
}

/* ---- access --------------------------------------------------------------------------------------------------- */

slip_real *slip_ilqr_torque(slip_ilqr *l, int k) { return l->u + k*l->o.nu; }
const slip_real *slip_ilqr_gain(const slip_ilqr *l, int k) { return l->K + k*l->o.nu*l->n; }
const slip_real *slip_ilqr_position(const slip_ilqr *l, int k) { return l->q + k*l->m->nq; }

void slip_ilqr_shift(slip_ilqr *l)
{
    const size_t nu = (size_t)l->o.nu, rest = (size_t)(l->o.horizon - 1);

    memmove(l->u, l->u + nu, rest*nu*sizeof *l->u);
}

void slip_ilqr_counts(const slip_ilqr *l, long *analytic, long *differenced)
{
    *analytic = l->analytic;
    *differenced = l->differenced;
}
