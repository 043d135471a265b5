/* id-barrier: inverse dynamics of Todorov's model (TO eq. 18-23).
 *
 *     f = argmin 1/2 f'R f + B1(f) + f'y,      y = v + G B2'(v)        B1, B2: barrier.h
 *
 * G comes in because B2 is a function of v = G f + g: its gradient by f is G B2'(v) (TO eq. 21; without that factor the
 * round trip does not close). The paper factors one Hessian for all contacts; but R is diagonal, y is known, and so
 * contacts are coupled by one product with G only: the rest is one problem per contact. And where both
 * tangents have the same R, f_T points against y_T, which leaves two unknowns. In p = mu f_n + |f_T| and
 * m = mu f_n - |f_T| the cone is the quadrant and its barrier two logarithms:
 *
 *     phi(p, m) = rn (p + m)^2/2 + rt (p - m)^2/2 + a p + b m - t log p - t log m - t log(p + m)
 *     rn = R_n/(4 mu^2),   rt = R_T/4,      a, b = (y_n/mu -+ |y_T|)/2
 *
 * Newton's method; a step stays inside the quadrant, and is halved where it overshoots the minimum along its line. */
#include "solvers/id_barrier.h"

#include <string.h>
#include "solvers/barrier.h"
#include "solvers/solvers.h"

#define IDB_WAY SLIP_R(0.9)              /* of the way to the surface that a step may go; changes the cost alone */

slip_id_barrier_options slip_id_barrier_defaults(void)
{
    const slip_solver_options forward = slip_solver_defaults();
    slip_id_barrier_options o;

    o.barrier = forward.barrier;
    o.elastic = forward.elastic;
    o.law.r_min = forward.r_min;
    o.law.r_max = forward.r_max;
    o.law.d_max = forward.d_max;
    o.tol = SLIP_TOL(1e-9, 1e-5);
    o.max_iterations = 100;
    return o;
}

static int idb_is_valid(const slip_problem *p, const slip_id_barrier_options *o)
{
    int i;

    if (p->nc < 0 || p->nl < 0 || p->nb < 0 || p->n != 3*p->nc + p->nl + p->nb) return 0;
    if (!(o->barrier > 0) || !(o->elastic > 0) || !(o->tol > 0)) return 0;
    if (!slip_all_finite(p->g, p->n) || (p->R && !slip_all_finite(p->R, p->n))) return 0;
    if (p->vmin && !slip_all_finite(p->vmin, p->nc + p->nl)) return 0;
    if (p->distance && !slip_all_finite(p->distance, p->nc + p->nl)) return 0;
    for (i = 0; i < p->nc; ++i) if (!(p->mu[i] >= 0)) return 0;
    for (i = 0; p->R && i < p->n; ++i) if (!(p->R[i] >= 0)) return 0;
    return 1;
}

/* The slope of B2's elastic form: 0, for the plain one, when every velocity is inside. As the judge of barrier.c. */
static slip_real idb_slope(const slip_problem *p, const slip_id_barrier_options *o)
{
    int i, row;

    for (i = 0; i < p->nc + p->nl; ++i) if (!(slip_barrier_margin(p, p->g, i, &row) > 0)) return o->elastic;
    return 0;
}

/* ---- one unknown --------------------------------------------------------------------------------------- */

/* The x > 0 with R x + y - t/x = 0, without cancellation; infinity when there is none. */
static slip_real idb_scalar(slip_real R, slip_real y, slip_real t)
{
    const slip_real root = slip_sqrt(y*y + 4*R*t);

    if (y > 0) return 2*t/(y + root);
    return R > 0 ? (root - y)/(2*R) : (slip_real)INFINITY;
}

/* ---- two unknowns -------------------------------------------------------------------------------------- */

typedef struct { slip_real rn, rt, a, b, t; } idb_plane;

/* Gradient of phi, with the reciprocals that the Hessian shares. */
static inline void idb_gradient(const idb_plane *P, slip_real p, slip_real m, slip_real g[2], slip_real inv[3])
{
    const slip_real sum = P->rn*(p + m), difference = P->rt*(p - m);

    inv[0] = 1/p;
    inv[1] = 1/m;
    inv[2] = 1/(p + m);
    g[0] = sum + difference + P->a - P->t*(inv[0] + inv[2]);
    g[1] = sum - difference + P->b - P->t*(inv[1] + inv[2]);
}

/* Newton's direction. The Hessian is S [1 1; 1 1] + rt [1 -1; -1 1] + diag(A, B), all parts positive; written out so
 * that nothing cancels in its determinant. */
static inline void idb_direction(const idb_plane *P, const slip_real g[2], const slip_real inv[3], slip_real d[2])
{
    const slip_real A = P->t*inv[0]*inv[0], B = P->t*inv[1]*inv[1], S = P->rn + P->t*inv[2]*inv[2], rt = P->rt;
    const slip_real det = 1/(4*S*rt + (S + rt)*(A + B) + A*B), difference = S*(g[1] - g[0]), sum = rt*(g[0] + g[1]);

    d[0] = (difference - sum - B*g[0])*det;
    d[1] = (-difference - sum - A*g[1])*det;
}

/* Most of the way to the bounds p = 0, m = 0, at most the whole step. */
static slip_real idb_step_length(slip_real p, slip_real m, slip_real dp, slip_real dm)
{
    slip_real s = 1;

    if (IDB_WAY*p + s*dp < 0) s = -IDB_WAY*p/dp;
    if (IDB_WAY*m + s*dm < 0) s = -IDB_WAY*m/dm;
    return s;
}

/* Minimises phi from (p, m). Stops when the gradient by |f_T| and f_n is below eps. Returns the iterations, more than
 * `most` when they did not suffice. */
static int idb_newton(const idb_plane *P, slip_real mu, slip_real eps, int most, slip_real *p_, slip_real *m_)
{
    slip_real p = *p_, m = *m_, g[2], d[2], inv[3];
    int k, halvings;

    idb_gradient(P, p, m, g, inv);
    for (k = 0; k <= most; ++k) {
        const slip_real p0 = p, m0 = m;
        const slip_real enough = slip_max(eps, 8*SLIP_REAL_EPS*(P->rn + P->rt)*(p + m)*slip_max(1, mu)); /* rounding */
        slip_real s, slope;

        if (slip_abs(g[0] - g[1]) <= enough && mu*slip_abs(g[0] + g[1]) <= enough) break;
        idb_direction(P, g, inv, d);
        slope = g[0]*d[0] + g[1]*d[1];
        s = idb_step_length(p, m, d[0], d[1]);
        for (halvings = 0; halvings < 60; ++halvings, s /= 2) {
            p = p0 + s*d[0];
            m = m0 + s*d[1];
            idb_gradient(P, p, m, g, inv);
            if (g[0]*d[0] + g[1]*d[1] <= -slope/2) break;              /* convex: not far beyond the line's minimum */
        }
        if (p == p0 && m == m0) break;                                  /* rounding is reached   */
    }
    *p_ = p;
    *m_ = m;
    return k;
}

/* A contact with the same R for both tangents, 0 < mu < infinity. f on success. Returns the iterations, -1 without a
 * minimum. The start solves for p with m small, then for m: close where the contact slides. */
static int idb_isotropic(const slip_id_barrier_options *o, slip_real mu, slip_real Rt, slip_real Rn,
                         const slip_real y[3], slip_real f[3])
{
    const slip_real yt = slip_norm2(y), half = SLIP_R(0.5), t = o->barrier;
    const slip_real eps = o->tol*slip_max(1, slip_max(yt, slip_abs(y[2])));
    idb_plane P;
    slip_real p, m, scale;
    int k;

    P.rn = Rn/(4*mu*mu);
    P.rt = Rt/4;
    P.a = half*(y[2]/mu - yt);
    P.b = half*(y[2]/mu + yt);
    P.t = t;
    if (Rn == 0 && !(Rt > 0 ? y[2] > 0 : P.a > 0)) return -1;
    if (yt == 0) { slip_set3(0, 0, idb_scalar(Rn, y[2], 3*t), f);  return 1; }
    p = Rn == 0 && P.a < 0 ? idb_scalar(0, P.a + P.b, 3*t) : idb_scalar(P.rn + P.rt, P.a, 2*t);
    m = slip_min(p, idb_scalar(P.rn + P.rt, P.b + (P.rn - P.rt)*p - t/p, t));
    k = idb_newton(&P, mu, eps, o->max_iterations, &p, &m);
    scale = half*(m - p)/yt;
    slip_set3(scale*y[0], scale*y[1], half*(p + m)/mu, f);
    return k;
}

/* ---- three unknowns: tangents of different compliance -------------------------------------------------- */

/* x <- H^-1 x for a symmetric positive definite 3 x 3. */
static int idb_solve3(const slip_real H[9], slip_real x[3])
{
    slip_real L[9];

    slip_mat3_copy(H, L);
    if (slip_chol_factor(3, L, 3, NULL) != SLIP_OK) return 0;
    slip_chol_solve(3, L, 3, x);
    return 1;
}

static void idb_gradient3(slip_real mu, slip_real t, const slip_real R[3], const slip_real y[3], const slip_real f[3],
                          slip_real g[3], slip_real H[9])
{
    int k;

    slip_barrier_contact(mu, t, f, g, H);
    for (k = 0; k < 3; ++k) { g[k] += R[k]*f[k] + y[k];  H[4*k] += R[k]; }
}

/* Newton at weight t until its decrement is below `enough`, or the gradient below eps; the iterations so far are k. */
static int idb_newton3(slip_real mu, slip_real t, const slip_real R[3], const slip_real y[3], slip_real enough,
                       slip_real eps, int k, int most, slip_real f[3])
{
    slip_real g[3], H[9], d[3], x[3], s, slope;
    int halvings;

    idb_gradient3(mu, t, R, y, f, g, H);
    for (; k <= most; ++k) {
        /* rounding of mu f_n - |f_T| blurs the gradient; in units of the barrier, squared: */
        const slip_real blur = 16*SLIP_REAL_EPS*mu*f[2]*(slip_abs(y[2]) + slip_norm2(y))/t;

        if (slip_norm2(g) <= eps && slip_abs(g[2]) <= eps) break;
        slip_neg3(g, d);
        if (!idb_solve3(H, d)) break;
        slope = slip_dot3(g, d);
        if (-slope <= blur*blur*t) break;
        s = slip_min(1, IDB_WAY*slip_barrier_contact_step(mu, f, d));
        for (halvings = 0; halvings < 60; ++halvings, s /= 2) {
            slip_axpy3(s, d, f, x);
            idb_gradient3(mu, t, R, y, x, g, H);
            if (slip_dot3(g, d) <= -slope/2) break;
        }
        if (!(slip_distance3(x, f) > 0)) break;
        slip_copy3(x, f);
        if (-slope < enough) break;
    }
    return k;
}

/* From the middle of the cone at a large weight, a tenth at a time: the curvature of the surface then does not slow
 * Newton's method. */
static int idb_anisotropic(const slip_id_barrier_options *o, slip_real mu, const slip_real R[3], const slip_real y[3],
                           slip_real f[3])
{
    const slip_real size = slip_max(slip_norm2(y), slip_abs(y[2])), eps = o->tol*slip_max(1, size);
    const slip_real stiff = slip_max(SLIP_R(1e-6), slip_min(R[0], slip_min(R[1], R[2])));
    slip_real t = slip_max(o->barrier, size*size/stiff);
    int k = 0;

    if (idb_isotropic(o, mu, slip_min(R[0], R[1]), R[2], y, f) < 0) return -1;
    slip_set3(0, 0, f[2], f);
    for (; t > o->barrier && k <= o->max_iterations; t = slip_max(o->barrier, t/10))
        k = idb_newton3(mu, t, R, y, SLIP_R(0.1)*t, eps, k, o->max_iterations, f);
    return idb_newton3(mu, o->barrier, R, y, 0, eps, k, o->max_iterations, f);
}

/* ---- blocks -------------------------------------------------------------------------------------------- */

/* f of a contact; -1 without a minimum, more than max_iterations when they did not suffice. */
static int idb_contact(const slip_id_barrier_options *o, slip_real mu, const slip_real R[3], const slip_real y[3],
                       slip_real f[3])
{
    if (mu > 0 && mu < SLIP_MU_INFINITE)
        return R[0] == R[1] ? idb_isotropic(o, mu, R[0], R[2], y, f) : idb_anisotropic(o, mu, R, y, f);
    f[2] = idb_scalar(R[2], y[2], o->barrier);
    f[0] = mu > 0 ? -y[0]/R[0] : 0;                            /* infinite mu: tangents are like bilateral rows */
    f[1] = mu > 0 ? -y[1]/R[1] : 0;
    return slip_all_finite(f, 3) ? 1 : -1;
}

/* Adds the outcome of one block, k iterations, to the result. */
static void idb_note(const slip_id_barrier_options *o, int block, int k, slip_id_result *r)
{
    if (k < 0) {
        r->status = SLIP_DIVERGED;
        r->diverged += 1;
        r->worst = block;
    } else if (k > o->max_iterations && r->status == SLIP_OK) {
        r->status = SLIP_MAX_ITERS;
        r->worst = block;
    }
    if (k > r->iterations) r->iterations = k;
}

/* y = v + G B2'(v); d1 (n) is scratch. */
static void idb_pull(const slip_problem *p, const slip_id_barrier_options *o, slip_real slope, slip_real *d1,
                     slip_real *y)
{
    slip_real d2;
    int i, row;

    memset(d1, 0, (size_t)p->n*sizeof *d1);
    for (i = 0; i < p->nc + p->nl; ++i) {
        const slip_real x = slip_barrier_margin(p, p->g, i, &row);

        slip_barrier_slopes(o->barrier, slope, x, &d1[row], &d2);
    }
    slip_problem_apply(p, d1, y);
    for (i = 0; i < p->n; ++i) y[i] += p->g[i];
}

/* lambda of all blocks from y. */
static void idb_sweep(const slip_problem *p, const slip_id_barrier_options *o, const slip_real *y, slip_real *lambda,
                      slip_id_result *r)
{
    slip_real R[3];
    int i, k;

    for (i = 0; i < slip_block_count(p); ++i) {
        const int row = slip_block_row(p, i);
        slip_real *f = lambda + row;

        slip_barrier_block_compliance(p, &o->law, i, R);
        if (i < p->nc) {
            k = idb_contact(o, p->mu[i], R, y + row, f);
            if (k < 0) slip_zero3(f);
        } else {
            *f = slip_block_is_limit(p, i) ? idb_scalar(*R, y[row], o->barrier) : -y[row] / *R;
            k = slip_is_finite(*f) ? 1 : -1;
            if (k < 0) *f = 0;
        }
        idb_note(o, i, k, r);
    }
}

/* Largest entry of the gradient of TO eq. 23 [m/s]. */
static void idb_judge(const slip_problem *p, const slip_id_barrier_options *o, const slip_real *y,
                      const slip_real *lambda, slip_id_result *r)
{
    slip_real g[3], R[3], d2;
    int i, k;

    for (i = 0; i < p->nc + p->nl; ++i) {
        const int row = slip_block_row(p, i), dim = slip_block_dim(p, i);
        const slip_real *f = lambda + row;

        slip_barrier_block_compliance(p, &o->law, i, R);
        if (!(f[dim - 1] > 0)) continue;                       /* diverged */
        if (dim == 3) slip_barrier_contact(p->mu[i], o->barrier, f, g, NULL);
        else slip_barrier_slopes(o->barrier, 0, f[0], &g[0], &d2);
        for (k = dim == 3 && p->mu[i] == 0 ? 2 : 0; k < dim; ++k) {
            const slip_real e = slip_abs(g[k] + R[k]*f[k] + y[row + k]);

            if (e > r->residual.eps_dual) { r->residual.eps_dual = e;  r->residual.worst = i; }
        }
    }
    r->residual.eps_abs = r->residual.eps_dual;
    r->residual.lambda_max = slip_max_abs(p->n, lambda);
    if (r->worst < 0) r->worst = r->residual.worst;
}

slip_status slip_id_barrier(const slip_problem *p, const slip_id_barrier_options *opt, slip_real *lambda,
                            slip_real *work, slip_id_result *result)
{
    const slip_id_barrier_options defaults = slip_id_barrier_defaults(), *o = opt ? opt : &defaults;
    slip_real *y = work + p->n;
    slip_id_result r;
    slip_real slope;

    memset(&r, 0, sizeof r);
    r.worst = r.residual.worst = -1;
    if (!idb_is_valid(p, o)) return SLIP_ERR_ARGUMENT;
    slope = idb_slope(p, o);
    r.elastic = slope > 0;
    idb_pull(p, o, slope, work, y);
    idb_sweep(p, o, y, lambda, &r);
    if (result) {
        idb_judge(p, o, y, lambda, &r);
        *result = r;
    }
    return r.status;
}

/* ---- derivative ---------------------------------------------------------------------------------------- */

/* H = R + B1'' of a block, factored; 0 when lambda is outside. A frictionless tangent does not move: infinite. */
static int idb_block_hessian(const slip_problem *p, const slip_id_barrier_options *o, int i, const slip_real *f,
                             slip_real H[9])
{
    const slip_real t = o->barrier;
    slip_real R[3], d1, d2 = 0;
    int k;

    slip_barrier_block_compliance(p, &o->law, i, R);
    if (i >= p->nc) {
        if (slip_block_is_limit(p, i)) slip_barrier_slopes(t, 0, *f, &d1, &d2);
        *H = slip_sqrt(*R + d2);
        return slip_is_finite(*H) && *H > 0;
    }
    if (!slip_is_finite(slip_barrier_contact(p->mu[i], t, f, NULL, H))) return 0;
    for (k = 0; k < 3; ++k) H[4*k] += R[k];
    if (p->mu[i] == 0) { H[0] = H[4] = 1;  H[1] = H[2] = H[3] = H[5] = H[6] = H[7] = 0; }
    return slip_chol_factor(3, H, 3, NULL) == SLIP_OK;
}

/* x <- -(R + B1'')^-1 x, block by block. */
static void idb_apply_hessian(const slip_problem *p, const slip_id_barrier_options *o, const slip_real *lambda,
                              slip_real *x)
{
    slip_real H[9];
    int i, k;

    for (i = 0; i < slip_block_count(p); ++i) {
        const int row = slip_block_row(p, i), dim = slip_block_dim(p, i);
        const int ok = idb_block_hessian(p, o, i, lambda + row, H);

        if (ok) slip_chol_solve(dim, H, dim, x + row);
        for (k = 0; k < dim; ++k) x[row + k] = ok && !(dim == 3 && k < 2 && p->mu[i] == 0) ? -x[row + k] : 0;
    }
}

void slip_id_barrier_jacobian(const slip_problem *p, const slip_id_barrier_options *opt, const slip_real *lambda,
                              slip_real *work, slip_real *D)
{
    const slip_id_barrier_options defaults = slip_id_barrier_defaults(), *o = opt ? opt : &defaults;
    const slip_real slope = idb_slope(p, o);
    slip_real *e = work, *x = work + p->n, d1;
    int i, j;

    for (j = 0; j < p->n; ++j) {                               /* column by column */
        const int block = j < 3*p->nc ? j/3 : j - 2*p->nc, may_touch = block < p->nc + p->nl;
        int normal = -1;
        const slip_real x_n = may_touch ? slip_barrier_margin(p, p->g, block, &normal) : 0;

        memset(e, 0, (size_t)p->n*sizeof *e);
        if (j == normal) slip_barrier_slopes(o->barrier, slope, x_n, &d1, &e[j]);
        slip_problem_apply(p, e, x);
        x[j] += 1;
        idb_apply_hessian(p, o, lambda, x);
        for (i = 0; i < p->n; ++i) D[(size_t)i*(size_t)p->n + (size_t)j] = x[i];
    }
}

/* ---- from soft to hard --------------------------------------------------------------------------------- */

slip_status slip_barrier_continuation(const slip_problem *p, const slip_solver_options *opt, slip_real t_soft,
                                      slip_real t_hard, int steps, slip_solution *sol, slip_arena *scratch,
                                      int (*visit)(void *context, slip_real t, const slip_solution *sol), void *context)
{
    slip_solver_options o = opt ? *opt : slip_solver_defaults();
    slip_status status = SLIP_OK;
    int k, iterations = 0;

    if (!(t_hard > 0) || !(t_soft >= t_hard) || !slip_is_finite(t_soft) || steps < 1) return SLIP_ERR_ARGUMENT;
    for (k = 0; k < steps; ++k) {
        o.barrier = steps == 1 ? t_hard : t_soft*slip_pow(t_hard/t_soft, (slip_real)k/(slip_real)(steps - 1));
        if (k > 0) sol->warm = p->n;
        status = slip_solve(&slip_solver_ccp_barrier, p, &o, sol, scratch);
        if (status < 0) return status;
        iterations += sol->iterations;
        sol->iterations = iterations;
        if (visit && visit(context, o.barrier, sol)) break;
    }
    return status;
}
