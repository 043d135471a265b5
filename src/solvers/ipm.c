/* The interior point's point, right-hand sides, step lengths and quick run. See ipm.h and, for the equations,
 * ncp_path.c.
 *
 * Loops over contacts treat every contact as having a cone, so that they have no branch and compilers vectorise them.
 * Those without a cone have psi = 0 and beta = 0 (mu = 0) or eta = 0 (mu infinite), with which most formulas are right
 * for them; the others are corrected after the loop, one by one. */
#include "solvers/ipm.h"

#include <string.h>
#include "contact/quad.h"

#define IPM_SHORTS 3                        /* short steps in a row that a quick run survives         */
#define IPM_SHORT  SLIP_R(0.1)              /* a step is short below this share of the whole direction */
#define IPM_NEAR   SLIP_R(1e6)              /* excess below which every step is judged                */

/* ---- memory ------------------------------------------------------------------------------------------------- */

static void ipm_carve_point(slip_ipm_point *d, const slip_problem *p, slip_arena *a)
{
    d->x = slip_arena_reals(a, (size_t)p->n);
    d->y = slip_arena_reals(a, (size_t)p->n);
    d->psi = slip_arena_reals(a, (size_t)p->nc);
}

static void ipm_carve_points(slip_ipm *w, slip_arena *arena)
{
    int k;

    ipm_carve_point(&w->at, w->p, arena);
    ipm_carve_point(&w->step, w->p, arena);
    ipm_carve_point(&w->affine, w->p, arena);
    ipm_carve_point(&w->tangent, w->p, arena);
    ipm_carve_point(&w->centre, w->p, arena);
    for (k = 1; k <= SLIP_IPM_ORDER; ++k) ipm_carve_point(&w->curve[k], w->p, arena);
}

static void ipm_carve_blocks(slip_ipm_blocks *b, size_t nc, slip_arena *arena)
{
    b->w00 = slip_arena_reals(arena, nc);
    b->w01 = slip_arena_reals(arena, nc);
    b->w11 = slip_arena_reals(arena, nc);
    b->z00 = slip_arena_reals(arena, nc);
    b->z01 = slip_arena_reals(arena, nc);
    b->z10 = slip_arena_reals(arena, nc);
    b->z11 = slip_arena_reals(arena, nc);
    b->z02 = slip_arena_reals(arena, nc);
    b->z12 = slip_arena_reals(arena, nc);
    b->inv_mu_gamma = slip_arena_reals(arena, nc);
}

slip_status slip_ipm_carve(slip_ipm *w, const slip_problem *p, const slip_solver_options *opt, slip_arena *arena)
{
    const size_t mark = slip_arena_mark(arena);
    slip_status status = slip_operator_carve(&w->own, p, arena);

    if (status >= 0) status = slip_ipm_carve_over(w, &w->own, opt, arena);
    if (status < 0) slip_arena_release(arena, mark);
    return status;
}

slip_status slip_ipm_carve_over(slip_ipm *w, slip_operator *op, const slip_solver_options *opt, slip_arena *arena)
{
    const slip_problem *p = &op->p;
    const size_t mark = slip_arena_mark(arena), n = (size_t)p->n, nc = (size_t)p->nc;
    slip_status status;

    arena->failed = 0;
    w->op = op;
    w->p = p;
    w->opt = opt;
    w->plain = slip_arena_ints(arena, nc);
    w->mu = slip_arena_reals(arena, nc);
    w->scale.D = slip_arena_reals(arena, n);
    w->b = slip_arena_reals(arena, n);
    w->soft = slip_arena_reals(arena, n);
    ipm_carve_points(w, arena);
    w->r = slip_arena_reals(arena, n);
    w->r_start = slip_arena_reals(arena, n);
    w->target = slip_arena_reals(arena, n);
    w->head = slip_arena_reals(arena, nc);
    ipm_carve_blocks(&w->blocks, nc, arena);
    w->low = slip_arena_reals(arena, nc);
    w->high = slip_arena_reals(arena, nc);
    w->rows = slip_arena_reals(arena, n);
    w->lambda = slip_arena_reals(arena, n);
    w->sigma = slip_arena_reals(arena, n);
    w->best = slip_arena_reals(arena, n);
    status = arena->failed ? SLIP_ERR_WORKSPACE : slip_ipm_carve_matrix(w, arena);
    if (status >= 0 && arena->failed) status = SLIP_ERR_WORKSPACE;
    if (status < 0) slip_arena_release(arena, mark);
    return status;
}

/* ---- the point ------------------------------------------------------------------------------------------- */

void slip_ipm_slack(slip_ipm *w)
{
    int i;

    slip_ipm_product(w, w->at.x, w->r);
    for (i = 0; i < w->p->n; ++i) w->r[i] += w->b[i] - w->at.y[i];
}

void slip_ipm_start(slip_ipm *w, slip_real inside)
{
    const int n = w->p->n, nc = w->p->nc, nl = w->p->nl;
    int i;

    memset(w->at.x, 0, (size_t)n*sizeof(slip_real));
    memset(w->at.y, 0, (size_t)n*sizeof(slip_real));
    for (i = 2*nc; i < 3*nc + nl; ++i) w->at.x[i] = w->at.y[i] = inside;
    for (i = 0; i < nc; ++i) w->at.psi[i] = inside/w->mu[i];
    for (i = 0; i < w->plains; ++i) w->at.psi[w->plain[i]] = 0;
}

/* A point inside all cones at distance `inside` from their surfaces, near `from` (rows). */
static void ipm_start_near(slip_ipm *w, const slip_real *from, slip_real inside)
{
    const slip_problem *p = w->p;
    const int nc = p->nc;
    slip_real *x = w->at.x, *y = w->at.y;
    int i;

    slip_scaling_in(p, &w->scale, from, w->rows);
    slip_ipm_to_parts(w, w->rows, x);
    memset(y, 0, (size_t)p->n*sizeof(slip_real));
    slip_ipm_slack(w);
    memcpy(y, w->r, (size_t)p->n*sizeof(slip_real));
    for (i = 2*nc; i < 3*nc + p->nl; ++i) {
        x[i] = slip_max(x[i], inside);
        y[i] = slip_max(y[i], inside);
    }
    for (; i < p->n; ++i) y[i] = 0;
    for (i = 0; i < nc; ++i) {
        const slip_real limit = p->mu[i]*slip_max(x[2*nc + i] - inside/2, 0);
        const slip_real norm = slip_sqrt(x[i]*x[i] + x[nc + i]*x[nc + i]);

        if (norm > limit) { x[i] *= limit/norm;  x[nc + i] *= limit/norm; }
        w->at.psi[i] = slip_sqrt(y[i]*y[i] + y[nc + i]*y[nc + i]) + inside;
        if (slip_ipm_has_cone(w, i)) continue;
        y[i] = y[nc + i] = w->at.psi[i] = 0;
        if (p->mu[i] == 0) x[i] = x[nc + i] = 0;
    }
}

void slip_ipm_ahead(const slip_ipm *w, slip_real a, const slip_ipm_point *d, slip_ipm_point *out)
{
    int i;

    for (i = 0; i < w->p->n; ++i) { out->x[i] = w->at.x[i] + a*d->x[i];  out->y[i] = w->at.y[i] + a*d->y[i]; }
    for (i = 0; i < w->p->nc; ++i) out->psi[i] = w->at.psi[i] + a*d->psi[i];
}

/* Mean complementarity of a point. */
static slip_real ipm_gap(const slip_ipm *w, const slip_ipm_point *z)
{
    const int nc = w->p->nc, nl = w->p->nl, count = 2*nc - w->plains + nl;
    slip_real *mu_gamma = w->low;
    int i;

    for (i = 0; i < nc; ++i) mu_gamma[i] = w->mu[i]*z->x[2*nc + i];
    return count == 0 ? 0 : (slip_row_dot(3*nc + nl, z->x, z->y) + slip_row_dot(nc, mu_gamma, z->psi))/(slip_real)count;
}

/* ---- the linear system ---------------------------------------------------------------------------------------- */

/* W and Z of the tangential rows after eliminating psi. */
static void ipm_cones(int nc, const slip_real *x, const slip_real *y, const slip_real *psi, const slip_real *mu,
                      const slip_ipm_blocks *b)
{
    slip_real *w00 = b->w00, *w01 = b->w01, *w11 = b->w11, *z00 = b->z00, *z01 = b->z01, *z10 = b->z10, *z11 = b->z11;
    slip_real *z02 = b->z02, *z12 = b->z12, *inv_mu_gamma = b->inv_mu_gamma;
    int i;

    SLIP_APART for (i = 0; i < nc; ++i) {
        const slip_real mu_gamma = mu[i]*x[2*nc + i], q = 1/mu_gamma, s0 = q*x[i], s1 = q*x[nc + i];

        inv_mu_gamma[i] = q;
        w00[i] = mu_gamma - s0*x[i];
        w01[i] = -s0*x[nc + i];
        w11[i] = mu_gamma - s1*x[nc + i];
        z00[i] = psi[i] - s0*y[i];
        z01[i] = -s0*y[nc + i];
        z10[i] = -s1*y[i];
        z11[i] = psi[i] - s1*y[nc + i];
        z02[i] = mu[i]*(y[i] - s0*psi[i]);
        z12[i] = mu[i]*(y[nc + i] - s1*psi[i]);
    }
}

/* Without a cone: d beta = 0, or sigma_T = 0. */
static void ipm_no_cone(slip_ipm *w, int i)
{
    const slip_ipm_blocks *b = &w->blocks;
    const int glued = w->p->mu[i] > 0;

    b->w00[i] = b->w11[i] = glued ? 1 : 0;
    b->z00[i] = b->z11[i] = glued ? SLIP_IPM_PROX : 1;
    b->w01[i] = b->z01[i] = b->z10[i] = b->z02[i] = b->z12[i] = b->inv_mu_gamma[i] = 0;
}

int slip_ipm_linearise(slip_ipm *w)
{
    int i;

    ipm_cones(w->p->nc, w->at.x, w->at.y, w->at.psi, w->mu, &w->blocks);
    for (i = 0; i < w->plains; ++i) ipm_no_cone(w, w->plain[i]);
    return slip_ipm_factor(w);
}

void slip_ipm_aim(slip_ipm *w, slip_real kappa)
{
    const int n = w->p->n, nc = w->p->nc, limits = n - w->p->nb;
    int i;

    for (i = 0; i < nc; ++i) w->head[i] = kappa;
    for (i = 0; i < 2*nc; ++i) w->target[i] = 0;
    for (; i < limits; ++i) w->target[i] = kappa;
    for (; i < n; ++i) w->target[i] = 0;
}

/* target, head -= the products (mu gamma, beta) o (psi, eta) and gamma s of the contacts. */
static void ipm_less(int nc, const slip_real *mu, const slip_real *x, const slip_real *y, const slip_real *psi,
                     slip_real *SLIP_RESTRICT target, slip_real *SLIP_RESTRICT head)
{
    int i;

    for (i = 0; i < nc; ++i) {
        const slip_real mu_gamma = mu[i]*x[2*nc + i];

        target[i] -= mu_gamma*y[i] + psi[i]*x[i];
        target[nc + i] -= mu_gamma*y[nc + i] + psi[i]*x[nc + i];
        target[2*nc + i] -= x[2*nc + i]*y[2*nc + i];
        head[i] -= mu_gamma*psi[i] + x[i]*y[i] + x[nc + i]*y[nc + i];
    }
}

void slip_ipm_aim_less(slip_ipm *w, const slip_ipm_point *a, const slip_ipm_point *b)
{
    const int nc = w->p->nc;
    int i;

    ipm_less(nc, w->mu, a->x, b->y, b->psi, w->target, w->head);
    for (i = 3*nc; i < 3*nc + w->p->nl; ++i) w->target[i] -= a->x[i]*b->y[i];
}

/* The right-hand side of the system in dx alone: target - W r, psi eliminated. */
static void ipm_right_side(const slip_ipm *w, const slip_real *r, slip_real *SLIP_RESTRICT dx)
{
    const slip_real *x = w->at.x, *t = w->target, *head = w->head, *inv_mu_gamma = w->blocks.inv_mu_gamma;
    const slip_real *w00 = w->blocks.w00, *w01 = w->blocks.w01, *w11 = w->blocks.w11;
    const int n = w->p->n, nc = w->p->nc;
    int i;

    for (i = 0; i < nc; ++i) {
        const slip_real h = head[i]*inv_mu_gamma[i], e0 = r[i], e1 = r[nc + i];

        dx[i] = t[i] - h*x[i] - w00[i]*e0 - w01[i]*e1;
        dx[nc + i] = t[nc + i] - h*x[nc + i] - w01[i]*e0 - w11[i]*e1;
        dx[2*nc + i] = t[2*nc + i] - x[2*nc + i]*r[2*nc + i];
    }
    for (i = 3*nc; i < n; ++i) dx[i] = t[i] - slip_ipm_row_w(w, i)*r[i];
}

/* d psi from the first row of the linearised cone product, for directions u of x and v of y. */
static void ipm_speed(const slip_ipm *w, const slip_real *u, const slip_real *v, slip_real *SLIP_RESTRICT dpsi)
{
    const slip_real *x = w->at.x, *y = w->at.y, *psi = w->at.psi, *mu = w->mu, *head = w->head;
    const slip_real *inv_mu_gamma = w->blocks.inv_mu_gamma;
    const int nc = w->p->nc;
    int i;

    for (i = 0; i < nc; ++i)
        dpsi[i] = inv_mu_gamma[i]*(head[i] - x[i]*v[i] - x[nc + i]*v[nc + i] - psi[i]*mu[i]*u[2*nc + i] - y[i]*u[i]
                           - y[nc + i]*u[nc + i]);
}

/* r -= W y + Z x */
static void ipm_take_product(const slip_ipm *w, const slip_real *x, const slip_real *y, slip_real *SLIP_RESTRICT r)
{
    const slip_ipm_blocks *b = &w->blocks;
    const int n = w->p->n, nc = w->p->nc;
    int i;

    for (i = 0; i < nc; ++i) {
        const slip_real x0 = x[i], x1 = x[nc + i], x2 = x[2*nc + i], y0 = y[i], y1 = y[nc + i];

        r[i] -= b->w00[i]*y0 + b->w01[i]*y1 + b->z00[i]*x0 + b->z01[i]*x1 + b->z02[i]*x2;
        r[nc + i] -= b->w01[i]*y0 + b->w11[i]*y1 + b->z10[i]*x0 + b->z11[i]*x1 + b->z12[i]*x2;
        r[2*nc + i] -= w->at.x[2*nc + i]*y[2*nc + i] + w->at.y[2*nc + i]*x2;
    }
    for (i = 3*nc; i < n; ++i) r[i] -= slip_ipm_row_w(w, i)*y[i] + slip_ipm_row_z(w, i)*x[i];
}

/* One step of iterative refinement of d->x and its image d->y. */
static void ipm_refine(slip_ipm *w, const slip_real *r, slip_ipm_point *d)
{
    slip_real *left = w->affine.x, *image = w->affine.y;
    int i;

    slip_ipm_product(w, d->x, d->y);
    ipm_right_side(w, r, left);
    ipm_take_product(w, d->x, d->y, left);
    slip_ipm_solve(w, left, image);
    for (i = 0; i < w->p->n; ++i) { d->x[i] += left[i];  d->y[i] += image[i]; }
}

/* The rest of d once its impulses, and their image in d->y, are known. */
static void ipm_complete(slip_ipm *w, const slip_real *r, slip_ipm_point *d)
{
    const int n = w->p->n, nc = w->p->nc, limits = n - w->p->nb;
    int i;

    if (w->refine) ipm_refine(w, r, d);
    for (i = 0; i < limits; ++i) d->y[i] += r[i];
    for (; i < n; ++i) d->y[i] = 0;
    for (i = 0; i < w->plains; ++i) d->y[w->plain[i]] = d->y[nc + w->plain[i]] = 0;
    ipm_speed(w, d->x, d->y, d->psi);
}

void slip_ipm_direction(slip_ipm *w, const slip_real *r, slip_ipm_point *d)
{
    ipm_right_side(w, r, d->x);
    slip_ipm_solve(w, d->x, d->y);
    ipm_complete(w, r, d);
}

void slip_ipm_two_directions(slip_ipm *w, const slip_real kappa[2], const slip_real *const r[2],
                             slip_ipm_point *const d[2])
{
    slip_real *const x[2] = { d[0]->x, d[1]->x }, *const y[2] = { d[0]->y, d[1]->y };
    int i;

    for (i = 0; i < 2; ++i) {
        slip_ipm_aim(w, kappa[i]);
        slip_ipm_aim_less(w, &w->at, &w->at);
        ipm_right_side(w, r[i], d[i]->x);
    }
    slip_ipm_solve_two(w, x, y);
    ipm_complete(w, r[1], d[1]);
    slip_ipm_aim(w, kappa[0]);
    slip_ipm_aim_less(w, &w->at, &w->at);
    ipm_complete(w, r[0], d[0]);
}

/* ---- step lengths ---------------------------------------------------------------------------------------------- */

static inline slip_real ipm_to_zero(slip_real z, slip_real d) { return d < 0 ? -z/d : (slip_real)INFINITY; }

/* Largest a with z0 + a d0 >= |z + a d|, of cones whose tails are `nc` apart; infinity where the ray stays inside. */
static void ipm_to_cones(int nc, const slip_real *z0, const slip_real *z, const slip_real *d0, const slip_real *d,
                         slip_real *SLIP_RESTRICT out)
{
    int i;

    for (i = 0; i < nc; ++i) {
        const slip_real c = z0[i]*z0[i] - z[i]*z[i] - z[nc + i]*z[nc + i];
        const slip_real b = z0[i]*d0[i] - z[i]*d[i] - z[nc + i]*d[nc + i];
        const slip_real a = d0[i]*d0[i] - d[i]*d[i] - d[nc + i]*d[nc + i];
        const slip_real disc = b*b - a*c, side = slip_sqrt(slip_max(disc, 0));
        const slip_real root = (b < 0 ? c : b + side)/(b < 0 ? side - b : -a);
        const slip_real apex = ipm_to_zero(z0[i], d0[i]);

        out[i] = disc > 0 && root > 0 && root < apex ? root : apex;    /* negative or infinite: it stays inside */
    }
}

/* The largest step along d that stays inside. */
static slip_real ipm_length(const slip_ipm *w, const slip_ipm_point *d)
{
    const int nc = w->p->nc;
    slip_real *mu_gamma = w->low, *mu_dgamma = w->high, *length = w->rows, a = (slip_real)INFINITY;
    int i;

    for (i = 0; i < nc; ++i) { mu_gamma[i] = w->mu[i]*w->at.x[2*nc + i];  mu_dgamma[i] = w->mu[i]*d->x[2*nc + i]; }
    ipm_to_cones(nc, mu_gamma, w->at.x, mu_dgamma, d->x, length);
    ipm_to_cones(nc, w->at.psi, w->at.y, d->psi, d->y, length + nc);
    for (i = 0; i < w->plains; ++i) length[w->plain[i]] = length[nc + w->plain[i]] = (slip_real)INFINITY;
    for (i = 0; i < 2*nc; ++i) a = slip_min(a, length[i]);
    for (i = 2*nc; i < 3*nc + w->p->nl; ++i)
        a = slip_min(a, slip_min(ipm_to_zero(w->at.x[i], d->x[i]), ipm_to_zero(w->at.y[i], d->y[i])));
    return a;
}

/* ---- the judge --------------------------------------------------------------------------------------------------- */

/* Judges w->lambda with the velocities in w->sigma. */
static slip_real ipm_excess(const slip_ipm *w, slip_residual *r)
{
    slip_residual_at(w->p, SLIP_MODEL_NCP, 0, w->lambda, w->sigma, r);
    return slip_residual_excess(r, w->opt->tol, w->opt->tol_rule);
}

/* The point's excess. Its sigma is r + y, without another product with G. Below IPM_NEAR it is judged again with the
 * problem's own G, whose sums round differently. */
static slip_real ipm_excess_here(slip_ipm *w, slip_residual *r)
{
    const slip_real *D = w->scale.D, unit = w->scale.unit;
    slip_real excess;
    int i;

    slip_ipm_slack(w);
    slip_ipm_to_rows(w, w->at.x, w->lambda);
    slip_ipm_to_rows(w, w->r, w->sigma);
    slip_ipm_to_rows(w, w->at.y, w->rows);
    for (i = 0; i < w->p->n; ++i) {
        w->lambda[i] *= unit*D[i];
        w->sigma[i] = unit*(w->sigma[i] + w->rows[i])/D[i];
    }
    excess = ipm_excess(w, r);
    if (!(excess < IPM_NEAR)) return excess;
    slip_problem_sigma(w->p, w->lambda, w->sigma);
    return ipm_excess(w, r);
}

/* Judging costs as much as a solve. While the gap is large the excess falls at most like its square: an excess
 * above IPM_NEAR cannot come down to 1 before the gap has fallen by the root of IPM_NEAR, and no point is judged until
 * then. Below IPM_NEAR every point is judged, because the excess may fall in one step and rise again in the next. */
slip_real slip_ipm_judge(slip_ipm *w, slip_real gap)
{
    slip_residual r;
    slip_real excess;

    if (gap > w->judge_below) return (slip_real)INFINITY;
    excess = ipm_excess_here(w, &r);
    w->judge_below = excess < IPM_NEAR ? (slip_real)INFINITY : gap/slip_sqrt(IPM_NEAR);
    if (excess < w->best_excess || !w->judged) {
        w->judged = 1;
        w->best_excess = excess;
        w->best_residual = r;
        memcpy(w->best, w->lambda, (size_t)w->p->n*sizeof(slip_real));
    }
    return excess;
}

/* The residual is computed for the callback alone, so that watching a run does not change it. */
void slip_ipm_report(slip_ipm *w)
{
    slip_residual r;

    if (!w->opt->history) return;
    slip_ipm_to_rows(w, w->at.x, w->lambda);
    slip_scaling_out(w->p, &w->scale, w->lambda, w->lambda);
    slip_residual_of(w->p, w->lambda, w->sigma, &r);
    slip_solver_report(w->opt, w->iterations_before + w->iterations, &r, 0, w->iterations, w->lambda, "ipm");
}

/* ---- the quick run ----------------------------------------------------------------------------------------------- */

/* One step of the quick run: to the middle with the same gap (`centre`), else predictor and corrector. Returns its
 * length as a share of the direction; 0 when there is none. */
static slip_real ipm_iterate(slip_ipm *w, int centre, slip_real gap)
{
    slip_real a, after, s;

    if (!slip_ipm_linearise(w)) return 0;
    w->iterations++;
    if (centre) {
        slip_ipm_aim(w, gap);
        slip_ipm_aim_less(w, &w->at, &w->at);
    } else {
        slip_ipm_aim(w, 0);
        slip_ipm_aim_less(w, &w->at, &w->at);
        slip_ipm_direction(w, w->r, &w->affine);
        a = slip_min(1, ipm_length(w, &w->affine));
        slip_ipm_ahead(w, a, &w->affine, &w->step);
        after = slip_max(0, ipm_gap(w, &w->step));
        s = gap > 0 ? slip_min(1, after/gap) : 0;
        slip_ipm_aim(w, s*s*s*gap);
        slip_ipm_aim_less(w, &w->at, &w->at);
        if (a > IPM_SHORT) slip_ipm_aim_less(w, &w->affine, &w->affine);
    }
    slip_ipm_direction(w, w->r, &w->step);
    a = slip_min(1, SLIP_R(0.99)*ipm_length(w, &w->step));
    if (!slip_all_finite(w->step.x, w->p->n) || !(a > 0)) return 0;
    slip_ipm_ahead(w, a, &w->step, &w->at);
    return a;
}

/* Copies the problem's vectors into parts. */
static void ipm_open_parts(slip_ipm *w)
{
    const slip_problem *p = w->p;
    int i;

    w->plains = 0;
    for (i = 0; i < p->nc; ++i) {
        const int cone = slip_ipm_has_cone(w, i);

        w->mu[i] = cone ? p->mu[i] : 1;
        if (!cone) w->plain[w->plains++] = i;
    }
    slip_scaling_vector(p, &w->scale, p->g, w->rows);
    slip_ipm_to_parts(w, w->rows, w->b);
    slip_scaling_compliance(p, &w->scale, w->rows);
    slip_ipm_to_parts(w, w->rows, w->soft);
}

int slip_ipm_open(slip_ipm *w, const slip_real *lambda)
{
    const slip_problem *p = w->p;

    w->iterations_before = w->iterations = w->judged = w->refine = 0;
    w->best_excess = (slip_real)INFINITY;
    slip_scaling_make(p, &w->scale);
    ipm_open_parts(w);
    slip_operator_open(w->op, w->scale.D);
    memset(w->at.x, 0, (size_t)p->n*sizeof(slip_real));
    memset(w->at.y, 0, (size_t)p->n*sizeof(slip_real));
    if (lambda) {
        slip_scaling_in(p, &w->scale, lambda, w->rows);
        slip_ipm_to_parts(w, w->rows, w->at.x);
    }
    w->judge_below = (slip_real)INFINITY;
    return slip_ipm_judge(w, 0) <= 1;
}

slip_status slip_ipm_run(slip_ipm *w, const slip_real *from, slip_real inside, int steps)
{
    slip_real gap, excess;
    int i, k, centre = 0, shorts = 0;

    if (from) ipm_start_near(w, from, inside);
    else slip_ipm_start(w, 1);
    slip_ipm_slack(w);
    w->careful = 0;
    w->judge_below = (slip_real)INFINITY;
    gap = ipm_gap(w, &w->at);
    for (k = 0; k < steps && slip_budget_take(w->opt->budget); ++k) {
        const int made = w->iterations;
        const slip_real a = ipm_iterate(w, centre, gap);

        if (a == 0 && w->iterations > made) slip_ipm_report(w);
        if (a == 0) break;
        for (i = 0; i < w->p->n; ++i) w->r[i] *= 1 - a;    /* exact but for rounding; the judge computes it anew */
        gap = ipm_gap(w, &w->at);
        excess = slip_ipm_judge(w, gap);
        slip_ipm_report(w);
        if (excess <= 1) return SLIP_OK;
        centre = !centre && a < IPM_SHORT;
        shorts = a < IPM_SHORT ? shorts + 1 : 0;
        if (shorts > IPM_SHORTS) break;
    }
    w->judge_below = (slip_real)INFINITY;
    if (slip_ipm_judge(w, gap) <= 1) return SLIP_OK;
    return k < steps ? SLIP_STALLED : SLIP_MAX_ITERS;
}
