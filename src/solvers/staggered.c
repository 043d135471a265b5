/* The frame around the staggered solvers. See staggered.h. */
#include "solvers/staggered.h"

#include <string.h>

#define STAGGERED_ROUNDS    1000
#define STAGGERED_PATIENCE  50                      /* rounds in which the residual must fall by a tenth        */
#define STAGGERED_WORK      SLIP_R(2e9)             /* [flops] about one second: the bound on all Newton steps  */
#define STAGGERED_INNER     SLIP_TOL(1e-14, 1e-6)   /* of the convex problems, natural residual, scaled: rounding */

static int staggered_carve(slip_staggered *w, const slip_problem *p, slip_arena *a)
{
    slip_real **const arrays[] = { &w->scale.D, &w->x, &w->base, &w->sub, &w->lambda, &w->sigma, &w->best };
    const int nN = p->nc + p->nl + p->nb, nT = 2*p->nc;
    size_t k;
    int ok = 1;

    for (k = 0; k < sizeof arrays/sizeof *arrays; ++k)
        ok = (*arrays[k] = slip_arena_reals(a, (size_t)p->n)) != NULL && ok;
    w->N.rows = slip_arena_ints(a, (size_t)nN);
    w->T.rows = slip_arena_ints(a, (size_t)nT);
    return slip_prox_newton_carve(&w->N.q, nN, nN, a) && slip_prox_newton_carve(&w->T.q, nT, p->nc, a) && ok &&
           w->N.rows && w->T.rows;
}

size_t slip_staggered_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    slip_arena a = slip_arena_counting();
    slip_staggered w;

    (void)opt;
    staggered_carve(&w, p, &a);
    return slip_arena_needed(&a);
}

/* Both matrices, entry by entry from padded blocks; a Newton step of the larger problem, that of the tangents. */
slip_work_estimate slip_staggered_work(const slip_problem *p, const slip_solver_options *opt)
{
    const double normals = p->nc + p->nl + p->nb, tangents = 2.0*p->nc, most = normals > tangents ? normals : tangents;
    slip_work_estimate w;

    (void)opt;
    w.setup = 50*(normals*normals + tangents*tangents);
    w.iteration = 2.0/3*most*most*most + 4*most*most;
    return w;
}

/* ---- setting up ----------------------------------------------------------------------------------------- */

/* Rows and sets of the two convex problems: normals, limits and bilateral rows; tangents on discs or squares. */
static void staggered_rows(slip_staggered *w, slip_set_kind section)
{
    const slip_problem *p = w->p;
    int i;

    for (i = 0; i < slip_block_count(p); ++i) {
        slip_set *s = &w->N.q.sets[i];

        w->N.rows[i] = slip_block_row(p, i) + slip_block_dim(p, i) - 1;
        s->kind = slip_block_is_bilateral(p, i) ? SLIP_SET_FREE : SLIP_SET_PLUS;
        s->row = i;
        s->size = 0;
    }
    for (i = 0; i < p->nc; ++i) {
        slip_set *s = &w->T.q.sets[i];

        w->T.rows[2*i] = 3*i;
        w->T.rows[2*i + 1] = 3*i + 1;
        s->kind = section;
        s->row = 2*i;
        s->size = 0;
    }
}

/* A of a problem: scaled symmetric part of G, and R, on its rows. */
static void staggered_matrix(const slip_staggered *w, slip_stagger *h)
{
    const slip_problem *p = w->p;
    const slip_real *D = w->scale.D;
    const size_t n = (size_t)h->q.n;
    slip_real B[9];
    int i, j;

    for (i = 0; i < h->q.n; ++i) for (j = 0; j <= i; ++j) {
        const int a = h->rows[i], b = h->rows[j];
        const int ba = a < 3*p->nc ? a/3 : a - 2*p->nc, bb = b < 3*p->nc ? b/3 : b - 2*p->nc;
        slip_real v;

        slip_problem_block_symmetric(p, ba, bb, B);                              /* padded to 3x3 */
        v = D[a]*D[b]*B[3*(a - slip_block_row(p, ba)) + b - slip_block_row(p, bb)];
        if (a == b && p->R) v += D[a]*D[a]*p->R[a];
        h->q.A[(size_t)i*n + (size_t)j] = h->q.A[(size_t)j*n + (size_t)i] = v;
    }
}

/* ---- a round ---------------------------------------------------------------------------------------------- */

void slip_staggered_free_velocity(slip_staggered *w, const slip_stagger *s)
{
    const size_t n = (size_t)s->q.n;
    int i;

    slip_scaling_out(w->p, &w->scale, w->x, w->lambda);
    slip_problem_sigma(w->p, w->lambda, w->sigma);
    for (i = 0; i < s->q.n; ++i) w->sub[i] = w->x[s->rows[i]];
    for (i = 0; i < s->q.n; ++i)
        w->base[i] = w->scale.D[s->rows[i]]*w->sigma[s->rows[i]]/w->scale.unit
                   - slip_dot(s->q.n, s->q.A + (size_t)i*n, w->sub);
}

void slip_staggered_minimise(slip_staggered *w, slip_stagger *s)
{
    int i;

    slip_prox_newton_solve(&s->q, w->base, STAGGERED_INNER, w->sub);
    for (i = 0; i < s->q.n; ++i) w->x[s->rows[i]] = w->sub[i];
}

void slip_staggered_set_radii(slip_staggered *w)
{
    const slip_problem *p = w->p;
    int i;

    for (i = 0; i < p->nc; ++i)
        w->T.q.sets[i].size = p->mu[i] < SLIP_MU_INFINITE ? p->mu[i]*w->x[3*i + 2] : p->mu[i];
}

int slip_staggered_end_round(slip_staggered *w)
{
    const int spent = w->N.q.flops + w->T.q.flops > STAGGERED_WORK || slip_budget_is_over(w->opt->budget);
    slip_residual r;
    slip_real excess;

    ++w->rounds;
    slip_scaling_out(w->p, &w->scale, w->x, w->lambda);
    slip_problem_sigma(w->p, w->lambda, w->sigma);
    slip_residual_at(w->p, w->model, 4, w->lambda, w->sigma, &r);
    slip_solver_report(w->opt, w->rounds, &r, 0, w->N.q.factorizations + w->T.q.factorizations, w->lambda, "staggered");
    excess = slip_residual_excess(&r, w->opt->tol, w->opt->tol_rule);
    if (excess < w->excess || w->rounds == 1) {
        w->excess = excess;
        w->residual = r;
        memcpy(w->best, w->lambda, (size_t)w->p->n*sizeof(slip_real));
    }
    if (w->excess < SLIP_R(0.9)*w->mark) { w->mark = w->excess;  w->since = w->rounds; }
    w->status = excess <= 1 ? SLIP_OK : spent ? SLIP_MAX_ITERS : SLIP_STALLED;
    return excess > 1 && !spent && w->rounds - w->since <= STAGGERED_PATIENCE;
}

/* ---- a whole solve ----------------------------------------------------------------------------------------- */

slip_status slip_staggered_solve(const slip_problem *p, const slip_solver_options *opt, slip_contact_model model,
                                 slip_set_kind section, slip_staggered_loop *loop, slip_solution *sol,
                                 slip_arena *scratch)
{
    slip_solver_options storage;
    slip_staggered w;
    slip_status status;
    size_t mark;

    if (!slip_solver_open(p, model, SLIP_TAKES_ALL, &opt, &storage, sol, &status)) return status;
    mark = slip_arena_mark(scratch);
    if (!staggered_carve(&w, p, scratch)) {
        slip_arena_release(scratch, mark);
        return sol->status = SLIP_ERR_WORKSPACE;
    }
    w.p = p;
    w.opt = opt;
    w.model = model;
    w.rounds = w.since = 0;
    w.excess = w.mark = (slip_real)INFINITY;
    w.N.q.budget = w.T.q.budget = opt->budget;
    slip_scaling_make(p, &w.scale);
    staggered_rows(&w, section);
    staggered_matrix(&w, &w.N);
    staggered_matrix(&w, &w.T);
    memset(w.x, 0, (size_t)p->n*sizeof(slip_real));
    if (sol->warm) slip_scaling_in(p, &w.scale, sol->lambda, w.x);
    status = loop(&w, opt->max_iterations > 0 ? opt->max_iterations : STAGGERED_ROUNDS);
    sol->iterations = w.rounds;
    sol->factorizations = w.N.q.factorizations + w.T.q.factorizations;
    status = slip_solver_close(p, opt, w.best, w.sigma, &w.residual, status, sol);
    slip_arena_release(scratch, mark);
    return status;
}
