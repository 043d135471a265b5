/* ncp-ipm: the primal-dual interior-point method of Dojo (Howell et al., "Dojo: A Differentiable Physics Engine for
 * Robotics", arXiv 2203.00806v5, Sec. IV-B; CR Tab. I, LL Tab. I). Numbers in brackets are that paper's equations.
 *
 * Signorini's condition and maximum dissipation are two complementarities, coupled by the normal impulse. Per contact,
 * with lambda = (xi(2:3), gamma) and slacks s, eta,
 *
 *     E:  s = sigma_N,   eta(2:3) = sigma_T (20),   xi(1) = mu gamma (21)
 *     gamma s = kappa,   xi o eta = kappa e (22)            gamma, s >= 0;  xi, eta in the second-order cone (23)
 *
 * where xi o eta = (xi.eta, xi(1) eta(2:3) + eta(1) xi(2:3)) (24). Limits have gamma s = kappa alone; bilateral rows
 * are constraints sigma = 0 in E. b = (gamma, xi) and c = (s, eta) make w = (b, c); r(w; kappa) = (E, b o c - kappa e)
 * (28); R is its Jacobian (29).
 *
 *     Alg. 2   parameters: tau_min = 0.95, tau_soc_max = 0.99, beta = 0.5, r_tol, kappa_tol
 *      4    b, c <- e
 *      5    r_vio <- |E|, kappa_vio <- |b o c|, largest entries                     (49, 50)
 *      6    until r_vio < r_tol and kappa_vio < kappa_tol do
 *      7        D_aff <- -R^-1 r(w; 0)
 *      8        a_aff <- ConeSearch(w, D_aff, 1, 1)                                 (Alg. 1)
 *      9        mu <- mean of b.c,  mu_aff <- that at w + a_aff D_aff,
 *               sigma <- min(1, max(0, mu_aff/mu))^3                                (51-54)
 *     10        kappa <- max(sigma mu, kappa_tol/5)
 *     11        D <- -R^-1 (r(w; kappa) + (0, D_aff,b o D_aff,c))
 *     12        tau_ort <- max(tau_min, 1 - max(r_vio, kappa_vio)^2)
 *     13        tau_soc <- min(tau_soc_max, tau_ort)
 *     14        a <- ConeSearch(w, D, tau_ort, tau_soc)
 *     15-22     until r_vio or kappa_vio of w + a D is no larger than of w: a <- beta a
 *     23        w <- w + a D
 *
 * Differences between this file and the paper:
 *   - The paper's E holds the dynamics of all bodies too, and its unknowns their next poses. Here the dynamics are in
 *     sigma = (G + R) lambda + g: the Newton step is the Schur complement of theirs, as long as they are linear. Then E
 *     is affine and a step of length a <= 1 leaves (1 - a) of it: lines 15-22 cannot shorten a step, and are left out.
 *   - Its s is the gap at the step's end; ours is the normal velocity sigma_N. kappa is an energy here, not N s m.
 *   - Line 11 prints r(w; kappa) alone. The correction, which Sec. IV-B calls the method's primary advantage, is the
 *     product of the affine direction; Dojo's program adds it.
 *   - The first point is e in the units of scaled.h (|g| at most 1, diagonal of G about 1), so that the units of mass
 *     and length do not matter. r_vio and kappa_vio are measured there; kappa_tol is given in J.
 *   - mu and sigma of lines 9 and 10 are Dojo's letters for the mean complementarity and the centring parameter; mu
 *     of E is friction, sigma_N and sigma_T are velocities.
 *   - Contacts without friction have no xi, eta; infinite friction makes their tangential rows bilateral.
 * Each iteration factors one dense matrix of n rows: n^3/3 multiply-adds. */
#include "solvers/ncp_ipm.h"

#include <string.h>
#include "solvers/solvers.h"

#define NCP_IPM_TAU_MIN     SLIP_R(0.95)     /* Alg. 2 line 2 */
#define NCP_IPM_TAU_SOC_MAX SLIP_R(0.99)
#define NCP_IPM_UNDERCUT    5                /* line 10 */

enum { NCP_IPM_LIMIT = 50 };                 /* max_iter of Dojo's documentation */

/* Judges the impulses x, keeps them if they are the best so far, and returns their excess over the tolerance. The
 * history callback is not called for iteration 0. */
static slip_real ncp_ipm_judge(slip_ncp_ipm_work *m, const slip_real *x)
{
    slip_residual r;
    slip_real excess;

    slip_scaling_out(m->p, &m->scale, x, m->lambda);
    slip_residual_of(m->p, m->lambda, m->sigma, &r);
    excess = slip_residual_excess(&r, m->opt->tol, m->opt->tol_rule);
    if (m->iterations > 0) slip_solver_report(m->opt, m->iterations, &r, 0, m->iterations, m->lambda, "ipm");
    if (m->iterations == 0 || excess < m->best_excess) {
        m->best_excess = excess;
        m->best_residual = r;
        memcpy(m->best, m->lambda, (size_t)m->p->n*sizeof(slip_real));
    }
    return excess;
}

/* Alg. 2. SLIP_OK: the stopping rule of the options holds; SLIP_MAX_ITERS; SLIP_STALLED: R is singular. */
static slip_status ncp_ipm_optimize(slip_ncp_ipm_work *m)
{
    const slip_solver_options *opt = m->opt;
    const int printed = opt->stop == SLIP_STOP_PRINTED;
    const int limit = opt->max_iterations > 0 ? opt->max_iterations : NCP_IPM_LIMIT;
    const slip_real joule = 1/(m->scale.unit*m->scale.unit);        /* 1 J, scaled */
    const slip_real kappa_tol = opt->barrier_final > 0 ? opt->barrier_final*joule
                              : printed ? opt->tol*joule : 0;       /* 0: the judge decides about kappa             */
    slip_real r_vio, kappa_vio, kappa, mean, ratio, tau_ort, tau_soc, a;

    slip_ncp_ipm_start(m);                                                                                 /*  4 */
    r_vio = slip_ncp_ipm_constraints(m);                                                                   /*  5 */
    kappa_vio = slip_ncp_ipm_products(m);
    while (!(printed && r_vio < opt->tol && kappa_vio < kappa_tol)) {                                      /*  6 */
        if (m->iterations == limit || !slip_budget_take(opt->budget)) return SLIP_MAX_ITERS;
        if (!slip_ncp_ipm_factor(m)) return SLIP_STALLED;
        slip_ncp_ipm_direction(m, 0, NULL, &m->affine);                                                    /*  7 */
        a = slip_ncp_ipm_search(m, &m->affine, 1, 1);                                                      /*  8 */
        slip_ncp_ipm_update(m, a, &m->affine, &m->trial);                                                  /*  9 */
        mean = slip_ncp_ipm_mean(m, &m->at);
        ratio = mean > 0 ? slip_clamp(slip_ncp_ipm_mean(m, &m->trial)/mean, 0, 1) : 0;
        kappa = slip_max(ratio*ratio*ratio*mean, kappa_tol/NCP_IPM_UNDERCUT);                              /* 10 */
        slip_ncp_ipm_direction(m, kappa, &m->affine, &m->step);                                            /* 11 */
        tau_ort = slip_max(NCP_IPM_TAU_MIN, 1 - slip_max(r_vio, kappa_vio)*slip_max(r_vio, kappa_vio));    /* 12 */
        tau_soc = slip_min(NCP_IPM_TAU_SOC_MAX, tau_ort);                                                  /* 13 */
        a = slip_ncp_ipm_search(m, &m->step, tau_ort, tau_soc);                                            /* 14 */
        if (!slip_is_finite(a) || !slip_all_finite(m->step.x, m->p->n)) return SLIP_STALLED;
        slip_ncp_ipm_update(m, a, &m->step, &m->at);                                                       /* 23 */
        r_vio = slip_ncp_ipm_constraints(m);
        kappa_vio = slip_ncp_ipm_products(m);
        m->iterations++;
        if (ncp_ipm_judge(m, m->at.x) <= 1 && !printed) return SLIP_OK;
    }
    return SLIP_OK;
}

/* ---- around it ------------------------------------------------------------------------------------------------- */

static void ncp_ipm_carve_point(slip_ncp_ipm_point *z, const slip_problem *p, slip_arena *arena)
{
    z->x = slip_arena_reals(arena, (size_t)p->n);
    z->y = slip_arena_reals(arena, (size_t)p->n);
    z->xi = slip_arena_reals(arena, (size_t)p->nc);
    z->eta = slip_arena_reals(arena, (size_t)p->nc);
}

/* 0 when the arena is too small; a counting arena counts. */
static int ncp_ipm_carve(slip_ncp_ipm_work *m, const slip_problem *p, const slip_solver_options *opt, slip_arena *arena)
{
    const size_t n = (size_t)p->n, nc = (size_t)p->nc, mark = slip_arena_mark(arena);

    arena->failed = 0;
    m->p = p;
    m->opt = opt;
    m->scale.D = slip_arena_reals(arena, n);
    m->A = slip_arena_reals(arena, n*n);
    m->F = slip_arena_reals(arena, n*n);
    m->g = slip_arena_reals(arena, n);
    m->W = slip_arena_reals(arena, 9*nc);
    m->Z = slip_arena_reals(arena, 9*nc);
    m->pivot = slip_arena_ints(arena, n);
    ncp_ipm_carve_point(&m->at, p, arena);
    ncp_ipm_carve_point(&m->trial, p, arena);
    ncp_ipm_carve_point(&m->affine, p, arena);
    ncp_ipm_carve_point(&m->step, p, arena);
    m->E = slip_arena_reals(arena, n);
    m->E_xi = slip_arena_reals(arena, nc);
    m->lambda = slip_arena_reals(arena, n);
    m->sigma = slip_arena_reals(arena, n);
    m->best = slip_arena_reals(arena, n);
    if (arena->failed) slip_arena_release(arena, mark);
    return !arena->failed;
}

/* Scales the problem and judges the warm start, or no impulse. Dojo starts every step from e, so a warm start only
 * helps where it already solves the problem: returns 1. Otherwise any iterate replaces it. */
static int ncp_ipm_open(slip_ncp_ipm_work *m, const slip_real *warm)
{
    const slip_problem *p = m->p;
    const size_t n = (size_t)p->n;
    int solved;
    size_t i;

    slip_scaling_make(p, &m->scale);
    slip_scaling_matrix(p, &m->scale, 0, m->A);
    slip_scaling_vector(p, &m->scale, p->g, m->g);
    slip_scaling_compliance(p, &m->scale, m->E);
    for (i = 0; i < n; ++i) m->A[i*n + i] += m->E[i];
    for (i = 0; i < n; ++i) m->E[i] = 0;
    if (warm) slip_scaling_in(p, &m->scale, warm, m->E);
    m->iterations = 0;
    solved = ncp_ipm_judge(m, m->E) <= 1 && m->opt->stop != SLIP_STOP_PRINTED;
    m->best_excess = (slip_real)INFINITY;
    return solved;
}

slip_status slip_ncp_ipm(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                         slip_arena *scratch)
{
    const size_t mark = slip_arena_mark(scratch);
    slip_solver_options storage;
    slip_status status;
    slip_ncp_ipm_work m;

    if (!slip_solver_open(p, SLIP_MODEL_NCP, SLIP_TAKES_ALL, &opt, &storage, sol, &status)) return status;
    if (!ncp_ipm_carve(&m, p, opt, scratch)) return sol->status = SLIP_ERR_WORKSPACE;
    status = ncp_ipm_open(&m, sol->warm ? sol->lambda : NULL) ? SLIP_OK : ncp_ipm_optimize(&m);
    sol->iterations = sol->factorizations = m.iterations;
    status = slip_solver_close(p, opt, m.best, m.sigma, &m.best_residual, status, sol);
    slip_arena_release(scratch, mark);
    return status;
}

size_t slip_ncp_ipm_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    slip_arena a = slip_arena_counting();
    slip_ncp_ipm_work m;

    ncp_ipm_carve(&m, p, opt, &a);
    return slip_arena_needed(&a);
}

const slip_solver slip_solver_ncp_ipm = {
    .id = "ncp-ipm", .model = SLIP_MODEL_NCP,
    .about = "primal-dual interior point",
    .paper = "Dojo Alg. 2", .engines = "Dojo",
    .takes = SLIP_TAKES_ALL, .reads = SLIP_READS_BARRIER_FINAL | SLIP_READS_STOP,
    .solve = slip_ncp_ipm, .bytes = slip_ncp_ipm_bytes,
    .work = slip_work_of_full_factorisations, .sweeps = &slip_solver_ncp_gs
};
