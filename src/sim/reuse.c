/* Reuse: a world at rest, or sliding steadily, has the same impulses in every step. Those of the last step are
 * taken over without a solve where they meet the criterion of the solver's own model within the share
 * slip_world_options.reuse of its tolerance. It means the same for every solver; TO's barrier model has no criterion
 * that impulses alone could meet, so ccp-barrier always solves.
 *
 * A new answer also cancels the last step's velocity error, so it fits the next step less well: reused, it would add
 * that error to the velocities in each step. It is reused only if its error is below REUSE_FRESH of the allowed one: it
 * then lasts for 1/REUSE_FRESH steps. Otherwise the step solves again, from a velocity without that error. */
#include "sim/world_private.h"

#define REUSE_FRESH SLIP_TOL(0.01, 0.3)      /* 100 steps, in float 3 */

slip_real slip_sim_excess(const slip_world *w, const slip_residual *r)
{
    return slip_residual_excess(r, w->opt.solve.tol, w->opt.solve.tol_rule);
}

slip_world_terms slip_world_terms_of(const slip_world *w)
{
    const int barrier = w->opt.solver->model == SLIP_MODEL_BARRIER;
    slip_world_terms t;

    t.warm_start = w->opt.warm_start;
    t.warm_share = t.warm_start ? w->opt.warm_share : 0;
    t.reuse = t.warm_start && !barrier ? w->opt.reuse : 0;
    t.soften = w->opt.soften;
    t.correct = w->opt.correct && w->opt.integrator != SLIP_EULER && slip_sim_law(w) == SLIP_LAW_RIGID && !barrier;
    return t;
}

int slip_sim_was_reused(const slip_world *w, const slip_island *island)
{
    int i = island->from;

    while (i < island->to && w->step.contacts[w->step.order[i]].reused) ++i;
    return i == island->to && island->to > island->from;
}

/* Whether w->rows.lambda, with its velocities w->rows.sigma, is an answer to p within `share` of the tolerance;
 * *residual is that of the NCP. Only RaiSim's criterion needs G, the contacts' own blocks of it. */
static int reuse_is_answer(const slip_world *w, const slip_problem *p, slip_real share, slip_residual *residual)
{
    const slip_contact_model model = w->opt.solver->model;

    slip_residual_at(p, model, w->opt.solve.facets, w->rows.lambda, w->rows.sigma, residual);
    if (!(slip_sim_excess(w, residual) <= share)) return 0;
    if (model != SLIP_MODEL_NCP) slip_residual_at(p, SLIP_MODEL_NCP, 0, w->rows.lambda, w->rows.sigma, residual);
    return 1;
}

/* The problem of w->rows without G. */
static slip_problem reuse_problem(const slip_world *w, const slip_real *R)
{
    const slip_assembly *a = &w->step.assembly;

    return slip_problem_dense_rows(a->nc, a->nl, a->nb, w->rows.mu, w->rows.g, R, NULL, a->n);
}

/* Impulses that were reused in the step before are judged in the cheapest way, by J alone: dv = M^-1 J' lambda, sigma
 * = J dv + g. Only where the island has all rows of the world, since dv is over all coordinates, and no loops, whose
 * compliance takes Y; not for RaiSim's criterion, which takes blocks of G. On success w->step.dv_contact is their
 * change of velocity, else it stays zero. */
int slip_sim_reused_impulses_hold(slip_world *w, const slip_island *island, slip_residual *residual)
{
    const slip_assembly *a = &w->step.assembly;
    const slip_real *R = w->rows.compliant ? w->rows.R : NULL, share = slip_world_terms_of(w).reuse;
    slip_problem p;
    int i;

    if (!(share > 0) || w->opt.solver->model == SLIP_MODEL_RAISIM || slip_sim_loop_count(w) > 0
        || island->to - island->from != w->step.ncontacts || a->nl != w->step.nlimits
        || !slip_sim_was_reused(w, island))
        return 0;
    slip_assembly_sigma_of(a, w->rows.lambda, w->rows.g, R, slip_sim_sums_jt_lambda(w) ? w->step.jt_lambda : NULL,
                           w->step.dv_contact, w->rows.sigma);
    p = reuse_problem(w, R);
    if (reuse_is_answer(w, &p, share, residual)) return 1;
    for (i = 0; i < w->model->nv; ++i) w->step.dv_contact[i] = w->step.jt_lambda[i] = 0;
    return 0;
}

int slip_sim_last_impulses_hold(slip_world *w, const slip_island *island, const slip_problem *with_G,
                                 slip_residual *residual)
{
    const slip_real *R = w->rows.compliant ? w->rows.R : NULL, reuse = slip_world_terms_of(w).reuse;
    const slip_problem p = with_G ? *with_G : reuse_problem(w, R);

    if (!(reuse > 0)) return 0;
    if (with_G) slip_problem_sigma(with_G, w->rows.lambda, w->rows.sigma);
    else slip_assembly_sigma(&w->step.assembly, w->rows.lambda, w->rows.g, R, w->rows.sigma);
    return reuse_is_answer(w, &p, slip_sim_was_reused(w, island) ? reuse : REUSE_FRESH*reuse, residual);
}
