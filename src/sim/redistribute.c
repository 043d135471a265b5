/* Chooses among the impulses that explain a motion. A rigid contact at rest may push with any impulse of its cone, a
 * sliding one with any along a ray; the motion does not determine more. The choice minimises the force that is left on
 * unactuated coordinates, above all the base of a robot:
 *
 *     min over x of  1/2 |W (S (tau dt + J' lambda) - S J' lambda(x))|^2       S picks those coordinates, W = M_ii^-1/2
 *
 * over cones (sticking), half-lines (sliding; limits) and all reals (loops): a CCP with G = B B', B = E J S' W, solved
 * by ccp-newton, whose proximal steps from 0 pick a small x where many are as good. */
#include "sim/inverse_private.h"

#include <string.h>
#include "solvers/solvers.h"

typedef struct {
    int n, nu;                       /* unknowns, unactuated coordinates                                    */
    int nc, nl, nb;
    int *block;                      /* [blocks of the problem] row of the first unknown, -1: decided       */
    int *iv;                         /* [nu]                                                                */
    slip_real *weight, *need;        /* [nu] W; W S (tau dt + J' of undecided impulses)                     */
    slip_real *B;                    /* [n][nu]                                                             */
    slip_real *G, *g, *mu, *x;
    slip_real *lambda, *force;       /* [rows], [nv]                                                        */
} spread_work;

static int spread_carve(spread_work *s, int blocks, int rows, int contacts, int nv, int nu, slip_arena *mem)
{
    const size_t n = (size_t)rows;

    s->block = slip_arena_ints(mem, (size_t)blocks);
    s->iv = slip_arena_ints(mem, (size_t)nv);
    s->weight = slip_arena_reals(mem, (size_t)nv);
    s->need = slip_arena_reals(mem, (size_t)nv);
    s->B = slip_arena_reals(mem, n*(size_t)nu);
    s->G = slip_arena_reals(mem, n*n);
    s->g = slip_arena_reals(mem, n);
    s->mu = slip_arena_reals(mem, (size_t)contacts);
    s->x = slip_arena_reals(mem, n);
    s->lambda = slip_arena_reals(mem, n);
    s->force = slip_arena_reals(mem, (size_t)nv);
    return s->block && s->iv && s->weight && s->need && s->B && s->G && s->g && s->mu && s->x && s->lambda && s->force;
}

size_t slip_inverse_redistribute_bytes(const slip_world *w)
{
    const slip_problem p = slip_problem_dense_rows(w->opt.max_contacts, w->fixed.max_limits, 6*slip_sim_loop_count(w),
                                                   NULL, NULL, NULL, NULL, w->fixed.max_rows);
    slip_arena a = slip_arena_counting();
    spread_work s;

    spread_carve(&s, slip_block_count(&p), w->fixed.max_rows, w->opt.max_contacts, w->model->nv, w->model->nv, &a);
    return slip_arena_needed(&a) + slip_ccp_newton_bytes(&p, &w->opt.solve);
}

/* ---- unknowns ------------------------------------------------------------------------------------------ */

/* Whether a limit or loop row is open to choice: rigid, and its velocity is 0. */
static int spread_row_is_free(const slip_problem *p, int row)
{
    return p->g[row] == 0 && !(p->R && p->R[row] > 0);
}

/* Numbers the unknowns in the order of a contact problem: cones, half-lines, free. */
static void spread_number(const inverse_work *k, spread_work *s)
{
    const slip_problem *p = &k->p;
    const int blocks = slip_block_count(p);
    int i;

    s->n = s->nc = s->nl = s->nb = 0;
    for (i = 0; i < blocks; ++i) s->block[i] = -1;
    for (i = 0; i < p->nc; ++i) {
        if (k->mode[i] != INVERSE_STICK) continue;
        s->mu[s->nc++] = p->mu[i];
        s->block[i] = s->n;
        s->n += 3;
    }
    for (i = 0; i < p->nc; ++i) if (k->mode[i] == INVERSE_SLIP) { s->block[i] = s->n++;  s->nl++; }
    for (i = p->nc; i < p->nc + p->nl; ++i) if (spread_row_is_free(p, 2*p->nc + i)) { s->block[i] = s->n++;  s->nl++; }
    for (; i < blocks; ++i) if (spread_row_is_free(p, 2*p->nc + i)) { s->block[i] = s->n++;  s->nb++; }
}

/* Unactuated coordinates. M_ii is the inertia that their force would move. */
static void spread_coordinates(const inverse_work *k, spread_work *s)
{
    const slip_branches *b = &k->w->model->branches;
    int i;

    s->nu = 0;
    for (i = 0; i < k->w->model->nv; ++i) {
        if (inverse_is_driven(k, i)) continue;
        s->iv[s->nu] = i;
        s->weight[s->nu++] = 1/slip_sqrt(k->w->data->M[b->row[i] + b->depth[i]]);
    }
}

/* lambda += x for unknown `part` of block i being x. A sliding contact's impulse is (-mu t, 1) times its unknown. */
static void spread_add(const slip_problem *p, const inverse_work *k, int i, int part, slip_real x, slip_real *lambda)
{
    const int row = slip_block_row(p, i);

    if (i < p->nc && k->mode[i] == INVERSE_SLIP) {
        const slip_real *c = p->g + row, scale = -p->mu[i]*x/slip_norm2(c);

        lambda[row] += scale*c[0];
        lambda[row + 1] += scale*c[1];
        lambda[row + 2] += x;
    } else lambda[row + part] += x;
}

/* ---- the problem --------------------------------------------------------------------------------------- */

/* Rows of B: the weighted force that each unknown puts on the coordinates. */
static void spread_matrix(const inverse_work *k, spread_work *s)
{
    const slip_problem *p = &k->p;
    int i, part, j;

    for (i = 0; i < slip_block_count(p); ++i) {
        const int parts = s->block[i] < 0 ? 0 : i < p->nc && k->mode[i] == INVERSE_STICK ? 3 : 1;

        for (part = 0; part < parts; ++part) {
            slip_real *B = s->B + (size_t)(s->block[i] + part)*(size_t)s->nu;

            memset(s->lambda, 0, (size_t)p->n*sizeof *s->lambda);
            spread_add(p, k, i, part, 1, s->lambda);
            slip_assembly_force(&k->w->step.assembly, s->lambda, s->force);
            for (j = 0; j < s->nu; ++j) B[j] = s->weight[j]*s->force[s->iv[j]];
        }
    }
}

/* need = W S (tau dt + J' of the undecided part of lambda): the impulse that the unknowns have to supply. */
static void spread_need(const inverse_work *k, const slip_real *tau, spread_work *s)
{
    const slip_problem *p = &k->p;
    int i, j;

    memset(s->lambda, 0, (size_t)p->n*sizeof *s->lambda);
    for (i = 0; i < slip_block_count(p); ++i)
        for (j = 0; s->block[i] >= 0 && j < slip_block_dim(p, i); ++j)
            s->lambda[slip_block_row(p, i) + j] = k->w->rows.lambda[slip_block_row(p, i) + j];
    slip_assembly_force(&k->w->step.assembly, s->lambda, s->force);
    for (j = 0; j < s->nu; ++j) s->need[j] = s->weight[j]*(tau[s->iv[j]]*k->w->opt.dt + s->force[s->iv[j]]);
}

static void spread_normal_equations(spread_work *s)
{
    const size_t n = (size_t)s->n, nu = (size_t)s->nu;
    size_t i, j;

    for (i = 0; i < n; ++i) {
        s->g[i] = -slip_dot(s->nu, s->B + i*nu, s->need);
        for (j = 0; j <= i; ++j) s->G[i*n + j] = s->G[j*n + i] = slip_dot(s->nu, s->B + i*nu, s->B + j*nu);
    }
}

/* lambda's undecided part becomes x. */
static void spread_store(const inverse_work *k, const spread_work *s, slip_real *lambda)
{
    const slip_problem *p = &k->p;
    int i, part;

    for (i = 0; i < slip_block_count(p); ++i) {
        const int dim = slip_block_dim(p, i), row = slip_block_row(p, i);
        const int parts = i < p->nc && k->mode[i] == INVERSE_STICK ? 3 : 1;

        if (s->block[i] < 0) continue;
        for (part = 0; part < dim; ++part) lambda[row + part] = 0;
        for (part = 0; part < parts; ++part) spread_add(p, k, i, part, s->x[s->block[i] + part], lambda);
    }
}

slip_status slip_inverse_redistribute(inverse_work *k, const slip_real *tau, int *changed)
{
    const size_t mark = slip_arena_mark(k->mem);
    slip_solver_options o = slip_solver_defaults();
    slip_solution sol;
    slip_problem p;
    spread_work s;
    slip_status status = SLIP_OK;

    *changed = 0;
    if (!spread_carve(&s, slip_block_count(&k->p), k->p.n, k->p.nc, k->w->model->nv, k->w->model->nv, k->mem))
        status = slip_fail(&k->w->error, SLIP_ERR_WORKSPACE, 0, 0, "not enough scratch to redistribute forces");
    if (status == SLIP_OK) {
        spread_number(k, &s);
        spread_coordinates(k, &s);
    }
    if (status == SLIP_OK && s.n > 0 && s.nu > 0) {
        spread_matrix(k, &s);
        spread_need(k, tau, &s);
        spread_normal_equations(&s);
        p = slip_problem_dense_rows(s.nc, s.nl, s.nb, s.mu, s.g, NULL, s.G, s.n);
        p.G.symmetric = 1;
        sol = slip_solution_over(s.x, NULL, NULL);
        o.tol = SLIP_TOL(1e-10, 1e-5);
        o.tol_rule = SLIP_TOL_RELATIVE;
        status = slip_ccp_newton(&p, &o, &sol, k->mem);
        if (status >= 0) {
            spread_store(k, &s, k->w->rows.lambda);
            *changed = 1;
        }
    }
    slip_arena_release(k->mem, mark);
    return status < 0 ? status : SLIP_OK;
}
