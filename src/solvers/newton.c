/* The loop of the semi-smooth Newton method: evaluation, line search, weight, anchor. See newton.h. */
#include "solvers/newton.h"

#include "contact/quad.h"

#define NEWTON_EPS_MIN      SLIP_TOL(1e-8, 1e-5)    /* of diag G: enough to make a singular G factorisable      */
#define NEWTON_EPS_PROX     SLIP_R(1e-2)            /* least eps of a proximal problem                          */
#define NEWTON_INNER_RATIO  SLIP_R(0.1)             /* a proximal problem is solved when |F| is below this times
                                                     * eps |lambda - anchor|: the anchor's move is then known
                                                     * to about 10 %                                            */
#define NEWTON_INNER_STEPS  15                      /* that a proximal problem may take, else eps grows         */
#define NEWTON_HALVINGS     10                      /* of a step by the line search: down to 1/512              */
#define NEWTON_FAILURES     6                       /* retreats in a row; each has 10 eps, so 1e-2 to 1e3       */
#define NEWTON_ARMIJO       SLIP_R(1e-4)            /* share of the linear decrease that the merit has to fall by */
#define NEWTON_RATE         SLIP_R(10.0)            /* fall of the residual in a step that is not known yet: see
                                                     * newton_pays()                                            */

/* `count` arrays of n reals each in one piece. */
static int newton_take_each(slip_arena *arena, size_t n, slip_real **const *arrays, size_t count)
{
    slip_real *piece = slip_arena_reals(arena, count*(size_t)SLIP_PADDED(n));
    size_t i;

    for (i = 0; piece && i < count; ++i) *arrays[i] = piece + i*(size_t)SLIP_PADDED(n);
    return piece != NULL;
}

static int newton_carve_arrays(slip_newton *w, slip_arena *arena)
{
    slip_real **const by_row[] = { &w->weight, &w->lambda, &w->sigma, &w->anchor, &w->trial, &w->trial_sigma,
                                   &w->anchored, &w->best, &w->best_sigma, &w->x, &w->F, &w->direction, &w->image };
    slip_real **const by_block[] = { &w->r, &w->inv_r, &w->inv_1mu2, &w->curve };
    const size_t n = (size_t)w->n, m = (size_t)w->m;

    newton_take_each(arena, n, by_row, sizeof by_row/sizeof *by_row);
    newton_take_each(arena, m, by_block, sizeof by_block/sizeof *by_block);
    w->u = slip_arena_reals(arena, 3*m);
    w->rank = slip_arena_ints(arena, 4*m);
    w->basis = slip_arena_reals(arena, 9*m);
    w->test = slip_arena_reals(arena, 9*m);
    w->inverse = slip_arena_reals(arena, 4*m);
    w->work = slip_arena_reals(arena, 4*n);
    if (arena->failed) return 0;
    w->at = w->rank + m;
    w->was = w->at + m;
    w->listed = w->was + m;
    return 1;
}

slip_status slip_newton_carve_over(slip_newton *w, slip_operator *op, const slip_solver_options *opt,
                                   slip_arena *arena)
{
    const size_t mark = slip_arena_mark(arena);

    arena->failed = 0;
    w->op = op;
    w->p = &op->p;
    w->opt = opt;
    w->n = op->p.n;
    w->m = slip_block_count(&op->p);
    if (newton_carve_arrays(w, arena)) return SLIP_OK;
    slip_arena_release(arena, mark);
    return SLIP_ERR_WORKSPACE;
}

slip_status slip_newton_carve(slip_newton *w, const slip_problem *p, const slip_solver_options *opt, slip_arena *arena)
{
    const size_t mark = slip_arena_mark(arena);
    slip_status status = slip_operator_carve(&w->own, p, arena);

    if (status >= 0) status = slip_newton_carve_over(w, &w->own, opt, arena);
    if (status < 0) slip_arena_release(arena, mark);
    return status;
}

/* sigma = (G + R) x + g: by the judge's own product, or over the joints when the operator has that route. */
static void newton_sigma(slip_newton *w, const slip_real *x, slip_real *sigma)
{
    const slip_problem *p = w->p;
    int i;

    if (w->op->route != SLIP_OPERATOR_JOINT) { slip_problem_sigma(p, x, sigma);  return; }
    slip_operator_apply(w->op, x, sigma);
    for (i = 0; i < w->n; ++i) sigma[i] += p->g[i] + (p->R ? p->R[i]*x[i] : 0);
}

/* r_i = scale/mean diag(G_ii + R_ii); a block whose diagonal is zero takes the mean of the others. */
static void newton_set_r(slip_newton *w)
{
    const slip_problem *p = w->p;
    slip_real sum = 0, mean;
    int i, k, count = 0;

    slip_problem_diagonal(p, w->image);
    for (i = 0; i < w->m; ++i) {
        const int row = slip_block_row(p, i), dim = slip_block_dim(p, i);
        slip_real d = 0;

        for (k = 0; k < dim; ++k) d += w->image[row + k] + (p->R ? p->R[row + k] : 0);
        w->r[i] = d/(slip_real)dim;
        if (d > 0) { sum += w->r[i]; ++count; }
    }
    mean = count ? sum/(slip_real)count : 1;
    w->some_infinite = 0;
    for (i = 0; i < w->m; ++i) {
        const int row = slip_block_row(p, i);

        w->inv_r[i] = (w->r[i] > 0 ? w->r[i] : mean)/w->scale;
        w->r[i] = 1/w->inv_r[i];
        for (k = row; k < row + slip_block_dim(p, i); ++k) w->weight[k] = w->inv_r[i];
        if (i >= p->nc) continue;
        w->inv_1mu2[i] = 1/(1 + p->mu[i]*p->mu[i]);
        if (p->mu[i] >= SLIP_MU_INFINITE) w->some_infinite = 1;
    }
}

/* x and F of contact i by slip_cone_project(), which takes infinite mu too. */
static void newton_evaluate_contact(slip_newton *w, int i, const slip_real *lambda, const slip_real *sigma)
{
    slip_real s[3];

    slip_desaxce(w->p->mu[i], sigma + 3*i, s);
    slip_axpy3(-w->r[i], s, lambda + 3*i, w->x + 3*i);
    slip_cone_project(w->p->mu[i], w->x + 3*i, s);
    slip_sub3(lambda + 3*i, s, w->F + 3*i);
}

/* The same for all contacts, in a loop that a compiler can vectorise; the caller corrects those of infinite mu. */
static void newton_evaluate_contacts(const slip_newton *w, const slip_real *SLIP_RESTRICT lambda,
                                     const slip_real *SLIP_RESTRICT sigma, slip_real *SLIP_RESTRICT x,
                                     slip_real *SLIP_RESTRICT F)
{
    const slip_real *SLIP_RESTRICT mu = w->p->mu, *SLIP_RESTRICT inv_1mu2 = w->inv_1mu2, *SLIP_RESTRICT r = w->r;
    const int nc = w->p->nc;
    int i;

    for (i = 0; i < nc; ++i) {
        const slip_real m = mu[i], s0 = sigma[3*i], s1 = sigma[3*i + 1], s2 = sigma[3*i + 2];
        const slip_real l0 = lambda[3*i], l1 = lambda[3*i + 1], l2 = lambda[3*i + 2];
        const slip_real x0 = l0 - r[i]*s0, x1 = l1 - r[i]*s1, x2 = l2 - r[i]*(s2 + m*slip_sqrt(s0*s0 + s1*s1));
        slip_real yn;
        const slip_real c = slip_cone_shrink(m, inv_1mu2[i], slip_sqrt(x0*x0 + x1*x1), x2, &yn);

        x[3*i] = x0;  x[3*i + 1] = x1;  x[3*i + 2] = x2;
        F[3*i] = l0 - c*x0;  F[3*i + 1] = l1 - c*x1;  F[3*i + 2] = l2 - yn;
    }
}

/* sum weight_k x_k^2 */
static slip_real newton_square(int n, const slip_real *weight, const slip_real *x)
{
    slip_lanes s[SLIP_QUAD_PARTS] = { 0 };
    slip_real t = 0;
    int j, k;

    for (j = 0; j + 4 <= n; j += 4)
        for (k = 0; k < SLIP_QUAD_PARTS; ++k)
            s[k] += slip_quad_load(weight + j, k)*slip_quad_load(x + j, k)*slip_quad_load(x + j, k);
    for (; j < n; ++j) t += weight[j]*x[j]*x[j];
    return SLIP_QUAD_SUM(s) + t;
}

/* x, F and the merit sum |F_i|^2/r_i at lambda, for a given (anchored) sigma. */
static slip_real newton_evaluate(slip_newton *w, const slip_real *lambda, const slip_real *sigma)
{
    const slip_problem *p = w->p;
    int i;

    newton_evaluate_contacts(w, lambda, sigma, w->x, w->F);
    for (i = 0; w->some_infinite && i < p->nc; ++i)
        if (p->mu[i] >= SLIP_MU_INFINITE) newton_evaluate_contact(w, i, lambda, sigma);
    for (i = p->nc; i < w->m; ++i) {
        const int row = slip_block_row(p, i);
        const slip_real x = lambda[row] - w->r[i]*sigma[row];

        w->x[row] = x;
        w->F[row] = lambda[row] - (slip_block_is_bilateral(p, i) ? x : slip_max(x, 0));
    }
    return newton_square(w->n, w->weight, w->F);
}

/* w->used_sigma <- sigma + (eps/r)(lambda - anchor). While the anchor follows lambda the second term is 0. */
static void newton_anchor_sigma(slip_newton *w, const slip_real *lambda, const slip_real *sigma)
{
    const slip_real *SLIP_RESTRICT anchor = w->anchor, *SLIP_RESTRICT weight = w->weight;
    slip_real *SLIP_RESTRICT out = w->anchored;
    int i;

    w->used_sigma = w->follow ? sigma : out;
    for (i = 0; !w->follow && i < w->n; ++i) out[i] = sigma[i] + w->eps*weight[i]*(lambda[i] - anchor[i]);
}

/* x, F and the merit at w->lambda. */
static void newton_evaluate_iterate(slip_newton *w)
{
    newton_anchor_sigma(w, w->lambda, w->sigma);
    w->merit = newton_evaluate(w, w->lambda, w->used_sigma);
}

static void newton_copy(int n, const slip_real *from, slip_real *to)
{
    int i;

    for (i = 0; i < n; ++i) to[i] = from[i];
}

/* Measures the iterate by the true criterion, keeps the best and reports a new iterate to the history callback. Returns
 * its excess. */
static slip_real newton_judge(slip_newton *w, int is_new)
{
    slip_residual r;
    slip_real excess;

    slip_residual_at(w->p, SLIP_MODEL_NCP, 4, w->lambda, w->sigma, &r);
    excess = slip_residual_excess(&r, w->opt->tol, w->opt->tol_rule);
    if (excess < w->best_excess) {
        w->best_excess = excess;
        w->best_residual = r;
        newton_copy(w->n, w->lambda, w->best);
        newton_copy(w->n, w->sigma, w->best_sigma);
    }
    if (is_new)
        slip_solver_report(w->opt, w->iterations_before + w->iterations, &r, w->eps*w->inv_r[0], w->factorizations,
                           w->lambda, "newton");
    return excess;
}

void slip_newton_start(slip_newton *w, const slip_real *lambda0, slip_real scale)
{
    int i;

    w->scale = scale;
    slip_operator_open(w->op, NULL);
    newton_set_r(w);
    for (i = 0; i < w->n; ++i) w->lambda[i] = lambda0 ? lambda0[i] : 0;
    slip_problem_project(w->p, w->lambda, w->lambda);
    newton_sigma(w, w->lambda, w->sigma);
    w->eps = NEWTON_EPS_MIN;
    w->follow = 1;
    w->outer = w->iterations_before = 0;
    w->max_steps_left = 0;
    w->patience = 1;
    w->inner = w->failures = w->remembered = w->factored = 0;
    w->iterations = w->factorizations = 0;
    w->best_excess = (slip_real)INFINITY;
    newton_copy(w->n, w->lambda, w->best);
    newton_copy(w->n, w->sigma, w->best_sigma);
    newton_copy(w->n, w->lambda, w->anchor);
    newton_evaluate_iterate(w);
}

/* Another weight makes the last factorisation useless. */
static void newton_set_eps(slip_newton *w, slip_real eps)
{
    eps = slip_max(eps, NEWTON_EPS_MIN);
    if (eps != w->eps) w->factored = 0;
    w->eps = eps;
}

/* Back to the anchor, which is then kept, with ten times the weight. Every retreat from following lambda doubles the
 * proximal problems that are solved before lambda is followed again. 0: too many retreats in a row. */
static int newton_retreat(slip_newton *w)
{
    if (++w->failures > NEWTON_FAILURES) return 0;
    newton_copy(w->n, w->anchor, w->lambda);
    newton_sigma(w, w->lambda, w->sigma);
    newton_set_eps(w, slip_max(10*w->eps, NEWTON_EPS_PROX));
    if (w->follow) {
        w->patience *= 2;
        w->outer = 0;
    }
    w->follow = 0;
    w->inner = w->remembered = 0;
    newton_evaluate_iterate(w);
    return 1;
}

/* Whether the proximal problem is solved well enough for the anchor to move. */
static int newton_inner_solved(const slip_newton *w)
{
    const slip_real bound = NEWTON_INNER_RATIO*w->eps;
    slip_real move = 0;
    int i;

    for (i = 0; i < w->n; ++i) move += (w->lambda[i] - w->anchor[i])*(w->lambda[i] - w->anchor[i])*w->weight[i];
    return w->inner > 0 && w->merit <= bound*bound*move;
}

/* trial = P_K(lambda + t d) of the contacts; the caller corrects those of infinite mu. */
static void newton_try_contacts(const slip_newton *w, slip_real t, const slip_real *SLIP_RESTRICT lambda,
                                const slip_real *SLIP_RESTRICT d, slip_real *SLIP_RESTRICT trial)
{
    const slip_real *SLIP_RESTRICT mu = w->p->mu, *SLIP_RESTRICT inv_1mu2 = w->inv_1mu2;
    const int nc = w->p->nc;
    int i;

    for (i = 0; i < nc; ++i) {
        const slip_real x0 = lambda[3*i] + t*d[3*i], x1 = lambda[3*i + 1] + t*d[3*i + 1];
        const slip_real x2 = lambda[3*i + 2] + t*d[3*i + 2];
        slip_real yn;
        const slip_real c = slip_cone_shrink(mu[i], inv_1mu2[i], slip_sqrt(x0*x0 + x1*x1), x2, &yn);

        trial[3*i] = c*x0;  trial[3*i + 1] = c*x1;  trial[3*i + 2] = yn;
    }
}

/* trial = P_K(lambda + t d), d in w->direction */
static void newton_try(slip_newton *w, slip_real t)
{
    const slip_problem *p = w->p;
    const int limits = 3*p->nc + p->nl;
    int i;

    newton_try_contacts(w, t, w->lambda, w->direction, w->trial);
    for (i = 0; w->some_infinite && i < p->nc; ++i) {
        if (p->mu[i] < SLIP_MU_INFINITE) continue;
        slip_axpy3(t, w->direction + 3*i, w->lambda + 3*i, w->trial + 3*i);
        slip_cone_project(p->mu[i], w->trial + 3*i, w->trial + 3*i);
    }
    for (i = 3*p->nc; i < w->n; ++i) {
        w->trial[i] = w->lambda[i] + t*w->direction[i];
        if (i < limits) w->trial[i] = slip_max(w->trial[i], 0);
    }
}

/* The largest of the last SLIP_NEWTON_MEMORY merits, the present one included. */
static slip_real newton_merit_bound(slip_newton *w)
{
    slip_real bound = w->merit;
    int i;

    w->history[w->remembered++ % SLIP_NEWTON_MEMORY] = w->merit;
    for (i = 0; i < SLIP_NEWTON_MEMORY && i < w->remembered; ++i) bound = slip_max(bound, w->history[i]);
    return bound;
}

/* Non-monotone backtracking on the merit (Grippo, Lampariello, Lucidi). Returns the step, 0 when none is found. */
static slip_real newton_line_search(slip_newton *w)
{
    const slip_real bound = newton_merit_bound(w);
    slip_real t = 1;
    int k;

    for (k = 0; k < NEWTON_HALVINGS; ++k, t /= 2) {
        slip_real merit;

        newton_try(w, t);
        newton_sigma(w, w->trial, w->trial_sigma);
        newton_anchor_sigma(w, w->trial, w->trial_sigma);
        merit = newton_evaluate(w, w->trial, w->used_sigma);
        if (merit <= bound*(1 - NEWTON_ARMIJO*t)) {
            slip_real *swap = w->lambda;

            w->lambda = w->trial;
            w->trial = swap;
            swap = w->sigma;
            w->sigma = w->trial_sigma;
            w->trial_sigma = swap;
            w->merit = merit;
            return t;
        }
    }
    return 0;
}

/* One Newton step; 0 when it fails and only a return to the anchor remains. */
static int newton_step(slip_newton *w)
{
    slip_real t;

    slip_newton_linearise(w);
    if (slip_newton_solve_system(w) < 0) return 0;
    t = newton_line_search(w);
    if (!(t > 0)) return 0;
    ++w->inner;
    if (w->follow) {
        newton_copy(w->n, w->lambda, w->anchor);
        w->failures = 0;
        if (t >= 1) newton_set_eps(w, w->eps/10);
        else if (t < SLIP_R(0.1)) newton_set_eps(w, 4*w->eps);
    }
    return 1;
}

/* Counts the contacts that are about to change between open, slipping and sticking: the natural map, at x, gives them
 * another state than lambda has. An impulse counts as on the surface of its cone when it is so near that the difference
 * makes a velocity below the tolerance, since an interior point ends inside the cones. */
static int newton_changes(const slip_newton *w)
{
    const slip_problem *p = w->p;
    const slip_real speed = w->opt->tol*(w->opt->tol_rule == SLIP_TOL_RELATIVE ? slip_max_abs(p->n, p->g) : 1);
    int i, changes = 0;

    for (i = 0; i < p->nc; ++i) {
        const slip_real *l = w->lambda + 3*i, *x = w->x + 3*i, mu = p->mu[i], near = w->r[i]*speed, xt = slip_norm2(x);
        const int is_open = l[2] <= near, sticks = !is_open && slip_norm2(l) < mu*l[2] - near;
        const int will_stick = xt <= mu*x[2] && x[2] >= 0, will_open = !will_stick && mu*xt <= -x[2];

        changes += is_open != will_open || sticks != will_stick;
    }
    return changes;
}

/* Whether to continue after k steps: whether no more than w->max_steps_left seem to be left. Before the first step,
 * every contact that is about to change counts as one step. Later, with e the best excess now and e_2 that of two steps
 * ago, a step multiplies the excess by sqrt(e/e_2), so that 2 log(e)/log(e_2/e) steps remain to an excess of 1. After
 * the first step e_2 is not known. That step often only finds out which contacts change, without a smaller residual, so
 * e_2 is taken for NEWTON_RATE times the excess at the start. */
static int newton_pays(slip_newton *w, int k)
{
    slip_real *earlier = w->earlier_excess;
    const slip_real before = k == 1 ? NEWTON_RATE*earlier[0] : earlier[k % 2];

    if (!(w->max_steps_left > 0)) return 1;
    if (k == 0) earlier[1] = (slip_real)INFINITY;
    earlier[k % 2] = w->best_excess;
    if (k == 0) return (slip_real)newton_changes(w) <= w->max_steps_left;
    return 2*slip_log(w->best_excess) <= w->max_steps_left*slip_log(before/w->best_excess);
}

/* An excess of 1 meets the tolerance; the run goes on to SLIP_NEWTON_EXACT while each step divides it by ten. */
slip_status slip_newton_run(slip_newton *w, int steps)
{
    slip_real last = (slip_real)INFINITY;
    int k;

    for (k = 0; k <= steps; ++k) {
        const slip_real excess = newton_judge(w, k > 0);

        if (w->best_excess <= 1 && !(w->best_excess > SLIP_NEWTON_EXACT && excess <= last/10)) return SLIP_OK;
        if (k == steps || !slip_budget_take(w->opt->budget)) break;
        if (w->best_excess > 1 && !newton_pays(w, k)) return SLIP_STALLED;
        last = excess;
        ++w->iterations;
        if (!w->follow && newton_inner_solved(w)) {          /* the anchor moves, and may follow again */
            newton_copy(w->n, w->lambda, w->anchor);
            newton_set_eps(w, w->eps/10);
            w->follow = 2*++w->outer >= w->patience;
            w->failures = w->remembered = w->inner = 0;
            newton_evaluate_iterate(w);
        }
        if (((!w->follow && w->inner >= NEWTON_INNER_STEPS) || !newton_step(w)) && !newton_retreat(w)) {
            newton_judge(w, 1);
            return w->best_excess <= 1 ? SLIP_OK : SLIP_STALLED;
        }
    }
    return w->best_excess <= 1 ? SLIP_OK : SLIP_MAX_ITERS;
}
