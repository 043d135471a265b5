/* ncp-ipm: a primal-dual interior point on the NCP, as in Dojo (CR Tab. I, CR ref. 25).
 *
 * Not the CCP: Signorini and maximum dissipation are complementarities of their own, coupled by the normal impulse.
 * Per contact, lambda = (beta, gamma) with slacks s, eta for sigma and psi for the sliding speed:
 *
 *     s = sigma_N,  eta = sigma_T
 *     s gamma = kappa                                              s, gamma >= 0
 *     (mu gamma, beta) o (psi, eta) = kappa (1, 0)                 both in the second-order cone Q
 *
 * where x o y = (x.y, x0 y1 + y0 x1) is the cone's product. For kappa = 0 it says beta = -mu gamma eta/|eta| or eta =
 * 0: Coulomb with maximum dissipation. Limits have the first complementarity only, bilateral rows sigma = 0.
 *
 *     repeat
 *         linearise; eliminate s, eta, psi:   (W G + Z) d lambda = rhs        W, Z: 3x3 per contact
 *         affine step (kappa = 0), its length a;   centring (kappa_aff/kappa)^3, corrector d x o d y   [Mehrotra]
 *         step to 0.99 of the way to the cones' surfaces
 *     until the judge is content with lambda
 *
 * W G + Z is not symmetric (friction is not a potential), so it is an LU of size n every iteration. There is no
 * proof of convergence as the NCP is not monotone: when steps get short, a centring step follows, and when a run gets
 * stuck another one starts elsewhere, with small steps along the central path instead of the predictor. Warm starts
 * have to be pushed off the boundary and so help little (CR Sec. II). Works on G/diag, g/max (scaled.h). */
#include "contact/lu.h"
#include "solvers/scaled.h"
#include "solvers/solvers.h"

#include <string.h>

enum { IPM_STEPS = 120, IPM_TRIES = 8 };
#define IPM_PROX SLIP_TOL(1e-9, 1e-5)     /* of rows without complementarity: G may be singular there */

typedef struct {
    const slip_problem *p;
    const slip_solver_options *opt;
    slip_scaling scale;
    slip_real *A, *b;            /* scaled G + R, scaled g                                             */
    slip_real *F;                /* n x n: W A + Z, factored                                           */
    int *pivot;
    slip_real *x, *y;            /* n: impulses and their slacks (eta, s); a bilateral row's y is 0    */
    slip_real *psi;              /* nc                                                                 */
    slip_real *rho;              /* n: A x + b - y                                                     */
    slip_real *dx, *dy, *dpsi;   /* a step                                                             */
    slip_real *ax, *ay, *apsi;   /* the affine step                                                    */
    slip_real *r0;               /* nc: right-hand side of the cone's first row                        */
    slip_real *lambda, *sigma, *best;
    slip_residual residual;
    slip_real excess;
    int steps;
} ipm_work;

static int ipm_carve(ipm_work *w, const slip_problem *p, slip_arena *a)
{
    const size_t n = (size_t)p->n, nc = (size_t)p->nc;

    w->scale.D = slip_arena_reals(a, n);
    w->A = slip_arena_reals(a, n*n);
    w->F = slip_arena_reals(a, n*n);
    w->pivot = slip_arena_ints(a, n);
    w->b = slip_arena_reals(a, n);
    w->x = slip_arena_reals(a, n);
    w->y = slip_arena_reals(a, n);
    w->rho = slip_arena_reals(a, n);
    w->dx = slip_arena_reals(a, n);
    w->dy = slip_arena_reals(a, n);
    w->ax = slip_arena_reals(a, n);
    w->ay = slip_arena_reals(a, n);
    w->psi = slip_arena_reals(a, nc);
    w->dpsi = slip_arena_reals(a, nc);
    w->apsi = slip_arena_reals(a, nc);
    w->r0 = slip_arena_reals(a, nc);
    w->lambda = slip_arena_reals(a, n);
    w->sigma = slip_arena_reals(a, n);
    w->best = slip_arena_reals(a, n);
    return w->scale.D && w->A && w->F && w->pivot && w->b && w->x && w->y && w->rho && w->dx && w->dy && w->ax &&
           w->ay && w->psi && w->dpsi && w->apsi && w->r0 && w->lambda && w->sigma && w->best;
}

/* A contact has a cone of its own when 0 < mu < infinity; else its tangent is held (beta = 0) or glued (eta = 0). */
static int ipm_has_cone(const ipm_work *w, int i) { return w->p->mu[i] > 0 && slip_is_finite(w->p->mu[i]); }

/* ---- the point ------------------------------------------------------------------------------------------- */

static void ipm_slack_error(ipm_work *w)
{
    const int n = w->p->n;
    int i;

    for (i = 0; i < n; ++i) w->rho[i] = slip_dot(n, w->A + (size_t)i*(size_t)n, w->x) + w->b[i] - w->y[i];
}

/* A point inside all cones at distance `inside` from their surfaces, near the warm start when there is one. */
static void ipm_start(ipm_work *w, const slip_solution *sol, int warm, slip_real inside)
{
    const slip_problem *p = w->p;
    int i, k;

    memset(w->x, 0, (size_t)p->n*sizeof(slip_real));
    memset(w->y, 0, (size_t)p->n*sizeof(slip_real));
    if (warm) slip_scaling_in(p, &w->scale, sol->lambda, w->x);
    if (warm) { ipm_slack_error(w);  memcpy(w->y, w->rho, (size_t)p->n*sizeof(slip_real)); }
    for (i = 0; i < p->nc; ++i) {
        slip_real *x = w->x + 3*i, *y = w->y + 3*i, limit, norm;

        x[2] = slip_max(x[2], inside);
        y[2] = slip_max(y[2], inside);
        limit = p->mu[i]*slip_max(x[2] - inside/2, 0);
        norm = slip_norm2(x);
        for (k = 0; k < 2; ++k) if (norm > limit || !ipm_has_cone(w, i)) x[k] *= norm > limit ? limit/norm : 1;
        if (!ipm_has_cone(w, i)) { y[0] = 0;  y[1] = 0; }
        if (p->mu[i] == 0) { x[0] = 0;  x[1] = 0; }
        w->psi[i] = slip_norm2(y) + inside;
    }
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i) {
        w->x[i] = slip_max(w->x[i], inside);
        w->y[i] = slip_max(w->y[i], inside);
    }
    for (; i < p->n; ++i) w->y[i] = 0;
}

/* Mean complementarity at (x + a dx, ...); a = 0 for the point itself. */
static slip_real ipm_gap(const ipm_work *w, slip_real a, const slip_real *dx, const slip_real *dy,
                         const slip_real *dpsi)
{
    const slip_problem *p = w->p;
    slip_real sum = 0, count = 0;
    int i, k;

    for (i = 0; i < p->nc; ++i) {
        const slip_real *x = w->x + 3*i, *y = w->y + 3*i, *u = dx + 3*i, *v = dy + 3*i;
        const slip_real gamma = x[2] + a*u[2];

        sum += gamma*(y[2] + a*v[2]);
        count += 1;
        if (!ipm_has_cone(w, i)) continue;
        sum += p->mu[i]*gamma*(w->psi[i] + a*dpsi[i]);
        for (k = 0; k < 2; ++k) sum += (x[k] + a*u[k])*(y[k] + a*v[k]);
        count += 1;
    }
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i, count += 1) sum += (w->x[i] + a*dx[i])*(w->y[i] + a*dy[i]);
    return count > 0 ? sum/count : 0;
}

/* ---- linear algebra ---------------------------------------------------------------------------------------- */

/* Row `row` of F = sum over k < dim of W_k A_(first + k) + Z on columns first... */
static void ipm_row(ipm_work *w, int row, int first, int dim, const slip_real *W, const slip_real *Z)
{
    const size_t n = (size_t)w->p->n;
    slip_real *F = w->F + (size_t)row*n;
    size_t j;
    int k;

    for (j = 0; j < n; ++j) F[j] = W[0]*w->A[(size_t)first*n + j];
    for (k = 1; k < dim; ++k) for (j = 0; j < n; ++j) F[j] += W[k]*w->A[(size_t)(first + k)*n + j];
    for (k = 0; k < dim; ++k) F[first + k] += Z[k];
}

/* W and Z (3x3) of a contact: of the tangential rows after eliminating psi, of the normal row Signorini's. */
static void ipm_contact_matrices(const ipm_work *w, int i, slip_real W[9], slip_real Z[9])
{
    const slip_real *x = w->x + 3*i, *y = w->y + 3*i, mu = w->p->mu[i];
    int r, c;

    memset(W, 0, 9*sizeof(slip_real));
    memset(Z, 0, 9*sizeof(slip_real));
    W[8] = x[2];
    Z[8] = y[2];
    for (r = 0; r < 2; ++r) {
        if (mu == 0) { Z[4*r] = 1;  continue; }                              /* d beta = 0            */
        if (!slip_is_finite(mu)) { W[4*r] = 1;  Z[4*r] = IPM_PROX;  continue; }   /* sigma_T = 0      */
        for (c = 0; c < 2; ++c) {
            W[3*r + c] = (r == c ? mu*x[2] : 0) - x[r]*x[c]/(mu*x[2]);
            Z[3*r + c] = (r == c ? w->psi[i] : 0) - x[r]*y[c]/(mu*x[2]);
        }
        Z[3*r + 2] = mu*(y[r] - x[r]*w->psi[i]/(mu*x[2]));
    }
}

static int ipm_factor(ipm_work *w)
{
    const slip_problem *p = w->p;
    const slip_real one = 1, prox = IPM_PROX;
    slip_real W[9], Z[9];
    int i, r;

    for (i = 0; i < p->nc; ++i) {
        ipm_contact_matrices(w, i, W, Z);
        for (r = 0; r < 3; ++r) ipm_row(w, 3*i + r, 3*i, 3, W + 3*r, Z + 3*r);
    }
    for (i = 3*p->nc; i < p->n; ++i) {
        if (i < 3*p->nc + p->nl) ipm_row(w, i, i, 1, &w->x[i], &w->y[i]);
        else ipm_row(w, i, i, 1, &one, &prox);
    }
    return slip_lu_factor(p->n, w->F, p->n, w->pivot) == SLIP_OK;
}

/* Right-hand side of one contact for target kappa and, when `second`, the affine step's product: rhs - W rho into d. */
static void ipm_contact_rhs(ipm_work *w, int i, slip_real kappa, int second, slip_real d[3])
{
    const slip_real *x = w->x + 3*i, *y = w->y + 3*i, mu = w->p->mu[i], *u = w->ax + 3*i, *v = w->ay + 3*i;
    const slip_real x0 = mu*x[2], psi = w->psi[i];
    slip_real W[9], Z[9], r1;
    int r;

    ipm_contact_matrices(w, i, W, Z);
    d[2] = kappa - x[2]*y[2] - (second ? u[2]*v[2] : 0) - x[2]*w->rho[3*i + 2];
    if (!ipm_has_cone(w, i)) {
        for (r = 0; r < 2; ++r) d[r] = mu == 0 ? -x[r] : -(w->rho[3*i + r] + y[r]);
        return;
    }
    w->r0[i] = kappa - x0*psi - x[0]*y[0] - x[1]*y[1];
    if (second) w->r0[i] -= mu*u[2]*w->apsi[i] + u[0]*v[0] + u[1]*v[1];
    for (r = 0; r < 2; ++r) {
        r1 = -(x0*y[r] + psi*x[r]);
        if (second) r1 -= mu*u[2]*v[r] + w->apsi[i]*u[r];
        d[r] = r1 - x[r]*w->r0[i]/x0 - W[3*r]*w->rho[3*i] - W[3*r + 1]*w->rho[3*i + 1];
    }
}

/* dx, dy, dpsi towards complementarity kappa. */
static void ipm_step(ipm_work *w, slip_real kappa, int second)
{
    const slip_problem *p = w->p;
    int i;

    for (i = 0; i < p->nc; ++i) ipm_contact_rhs(w, i, kappa, second, w->dx + 3*i);
    for (i = 3*p->nc; i < p->n; ++i)
        w->dx[i] = i < 3*p->nc + p->nl
                 ? kappa - w->x[i]*w->y[i] - (second ? w->ax[i]*w->ay[i] : 0) - w->x[i]*w->rho[i] : -w->rho[i];
    slip_lu_solve(p->n, w->F, p->n, w->pivot, w->dx);
    for (i = 0; i < p->n; ++i) w->dy[i] = slip_dot(p->n, w->A + (size_t)i*(size_t)p->n, w->dx) + w->rho[i];
    for (i = 3*p->nc + p->nl; i < p->n; ++i) w->dy[i] = 0;
    for (i = 0; i < p->nc; ++i) {
        const slip_real *x = w->x + 3*i, *y = w->y + 3*i, *u = w->dx + 3*i, *v = w->dy + 3*i, mu = p->mu[i];

        w->dpsi[i] = 0;
        if (!ipm_has_cone(w, i)) { w->dy[3*i] = w->dy[3*i + 1] = 0;  continue; }
        w->dpsi[i] = (w->r0[i] - x[0]*v[0] - x[1]*v[1] - w->psi[i]*mu*u[2] - y[0]*u[0] - y[1]*u[1])/(mu*x[2]);
    }
}

/* ---- step lengths ---------------------------------------------------------------------------------------------- */

/* Largest a with z0 + a d0 >= |z1 + a d1|; infinity when the ray stays inside. */
static slip_real ipm_to_cone(slip_real z0, const slip_real z1[2], slip_real d0, const slip_real d1[2])
{
    const slip_real c = z0*z0 - z1[0]*z1[0] - z1[1]*z1[1];
    const slip_real b = z0*d0 - z1[0]*d1[0] - z1[1]*d1[1];
    const slip_real a = d0*d0 - d1[0]*d1[0] - d1[1]*d1[1];
    const slip_real disc = b*b - a*c;
    slip_real step = d0 < 0 ? -z0/d0 : (slip_real)INFINITY, root;

    if (disc <= 0) return step;
    root = b < 0 ? c/(slip_sqrt(disc) - b) : a < 0 ? (b + slip_sqrt(disc))/-a : (slip_real)INFINITY;
    return root > 0 ? slip_min(step, root) : step;
}

static slip_real ipm_to_zero(slip_real z, slip_real d) { return d < 0 ? -z/d : (slip_real)INFINITY; }

static slip_real ipm_length(const ipm_work *w)
{
    const slip_problem *p = w->p;
    slip_real a = (slip_real)INFINITY;
    int i;

    for (i = 0; i < p->nc; ++i) {
        const slip_real *x = w->x + 3*i, *y = w->y + 3*i, *u = w->dx + 3*i, *v = w->dy + 3*i, mu = p->mu[i];

        a = slip_min(a, slip_min(ipm_to_zero(x[2], u[2]), ipm_to_zero(y[2], v[2])));
        if (!ipm_has_cone(w, i)) continue;
        a = slip_min(a, ipm_to_cone(mu*x[2], x, mu*u[2], u));
        a = slip_min(a, ipm_to_cone(w->psi[i], y, w->dpsi[i], v));
    }
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i)
        a = slip_min(a, slip_min(ipm_to_zero(w->x[i], w->dx[i]), ipm_to_zero(w->y[i], w->dy[i])));
    return a;
}

/* ---- the loop ------------------------------------------------------------------------------------------------- */

static slip_real ipm_judge(ipm_work *w)
{
    slip_residual r;
    slip_real excess;

    slip_scaling_out(w->p, &w->scale, w->x, w->lambda);
    slip_problem_sigma(w->p, w->lambda, w->sigma);
    slip_residual_at(w->p, SLIP_MODEL_NCP, 0, w->lambda, w->sigma, &r);
    slip_solver_tell(w->opt, w->steps, &r, 0, w->steps, "ipm");
    excess = slip_residual_excess(&r, w->opt->tol, w->opt->tol_rule);
    if (r.g_max > 0) excess *= slip_max(1, r.sigma_max/(10*r.g_max));      /* a light body pushed off at a great speed */
    if (excess < w->excess || w->steps == 0) {                             /* would widen a relative criterion         */
        w->excess = excess;
        w->residual = r;
        memcpy(w->best, w->lambda, (size_t)w->p->n*sizeof(slip_real));
    }
    return excess;
}

static void ipm_advance(ipm_work *w, slip_real a)
{
    int i;

    for (i = 0; i < w->p->n; ++i) { w->x[i] += a*w->dx[i];  w->y[i] += a*w->dy[i]; }
    for (i = 0; i < w->p->nc; ++i) w->psi[i] += a*w->dpsi[i];
}

/* A step to `centre` times the gap, or, for 0, predictor and corrector; returns the length of the step taken. */
static slip_real ipm_iterate(ipm_work *w, slip_real centre, slip_real target)
{
    const size_t bytes = (size_t)w->p->n*sizeof(slip_real);
    const slip_real gap = ipm_gap(w, 0, w->x, w->y, w->psi);
    slip_real a, after, s;

    ipm_slack_error(w);
    if (!ipm_factor(w)) return 0;
    w->steps++;
    if (centre > 0) {
        ipm_step(w, centre*gap, 0);
    } else {
        ipm_step(w, 0, 0);
        a = slip_min(1, ipm_length(w));
        after = slip_max(0, ipm_gap(w, a, w->dx, w->dy, w->dpsi));
        s = gap > 0 ? slip_min(1, after/gap) : 0;
        memcpy(w->ax, w->dx, bytes);
        memcpy(w->ay, w->dy, bytes);
        memcpy(w->apsi, w->dpsi, (size_t)w->p->nc*sizeof(slip_real));
        ipm_step(w, slip_max(target, s*s*s*gap), a > SLIP_R(0.1));
    }
    a = slip_min(1, SLIP_R(0.99)*ipm_length(w));
    if (!slip_all_finite(w->dx, w->p->n) || !(a > 0)) return 0;
    ipm_advance(w, a);
    return a;
}

/* One run from a point `inside` the cones; careful: short of the predictor, the gap is halved step by step. */
static slip_status ipm_run(ipm_work *w, const slip_solution *sol, int warm, slip_real inside, int careful, int limit)
{
    const slip_real target = w->opt->barrier_final/(w->scale.unit*w->scale.unit);
    int k, centre = 0, shorts = 0;

    ipm_start(w, sol, warm, inside);
    for (k = 0; k < IPM_STEPS; ++k) {
        slip_real a;

        if (w->steps >= limit) return SLIP_MAX_ITERS;
        a = ipm_iterate(w, centre ? 1 : careful ? SLIP_R(0.4) : 0, target);
        if (a == 0) break;
        if (ipm_judge(w) <= 1) return SLIP_OK;
        centre = !centre && a < SLIP_R(0.1);
        shorts = a < SLIP_R(1e-3) ? shorts + 1 : 0;
        if (shorts > 10) break;
    }
    return SLIP_STALLED;
}

static slip_status ipm_loop(ipm_work *w, const slip_solution *sol)
{
    static const struct { float inside; int careful; } tries[IPM_TRIES] =
        { { 1, 0 }, { 1, 1 }, { 10, 1 }, { 0.125f, 0 }, { 100, 1 }, { 0.125f, 1 }, { 0.015625f, 1 }, { 1000, 1 } };
    const int limit = w->opt->max_iterations > 0 ? w->opt->max_iterations : IPM_TRIES*IPM_STEPS;
    slip_status status = SLIP_STALLED;
    int t;

    if (sol->warm) status = ipm_run(w, sol, 1, SLIP_R(1e-2), 0, limit);
    for (t = 0; t < IPM_TRIES && status == SLIP_STALLED; ++t)
        status = ipm_run(w, sol, 0, (slip_real)tries[t].inside, tries[t].careful, limit);
    return status;
}

slip_status slip_ncp_ipm(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                         slip_arena *scratch)
{
    slip_solver_options storage;
    slip_status status;
    ipm_work w;
    size_t mark;
    int i;

    if (!slip_solver_open(p, SLIP_MODEL_NCP, SLIP_TAKES_LIMITS | SLIP_TAKES_BILATERAL | SLIP_TAKES_COMPLIANCE, &opt,
                          &storage, sol, &status)) return status;
    mark = slip_arena_mark(scratch);
    if (!ipm_carve(&w, p, scratch)) {
        slip_arena_release(scratch, mark);
        return sol->status = SLIP_ERR_WORKSPACE;
    }
    w.p = p;
    w.opt = opt;
    w.steps = 0;
    w.excess = (slip_real)INFINITY;
    slip_scaling_make(p, &w.scale);
    slip_scaling_matrix(p, &w.scale, 0, w.A);
    slip_scaling_vector(p, &w.scale, p->g, w.b);
    if (p->R) for (i = 0; i < p->n; ++i) w.A[(size_t)i*(size_t)p->n + (size_t)i] += w.scale.D[i]*w.scale.D[i]*p->R[i];
    memset(w.x, 0, (size_t)p->n*sizeof(slip_real));
    if (sol->warm) slip_scaling_in(p, &w.scale, sol->lambda, w.x);
    status = ipm_judge(&w) <= 1 ? SLIP_OK : ipm_loop(&w, sol);
    sol->iterations = sol->factorizations = w.steps;
    status = slip_solver_close(p, opt, w.best, w.sigma, &w.residual, status, sol);
    slip_arena_release(scratch, mark);
    return status;
}

size_t slip_ncp_ipm_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    slip_arena a = slip_arena_counting();
    ipm_work w;

    (void)opt;
    ipm_carve(&w, p, &a);
    return slip_arena_needed(&a);
}
