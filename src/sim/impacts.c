/* Impacts with restitution, at an instant in the middle of a step.
 *
 * Half of the step's smooth forces act before, half after, so v = v_mid + (dv_smooth + dv_expected)/2 is the velocity
 * of the impact. dv_expected, the change of velocity by supports in the last step (free_velocity.c), keeps resting
 * bodies at rest in it. A contact is struck when its approach c_n would close its gap within the step and is faster
 * than the change of c_n in a step by smooth forces and by its arc (a slower one would bounce for less than two steps:
 * it rests). One impact problem has the struck contacts and those that touch, with friction, limits and loops:
 *
 *     c+ = G lambda + c,      struck: c_n+ >= -s e c_n,      touching: c_n+ >= 0,      e the restitution
 *
 * s = 1 is Newton's law. With friction it may create energy (Kane's paradox), since c_t reverses while lambda_n was
 * found for the whole c_n. The work of the impulses is exactly E(s) = lambda . (c + c+)/2, and E(0) <= 0: without
 * restitution lambda . c+ <= 0 and lambda . (c - c+) = -lambda . G lambda. Where E(1) > 0 a bisection, with a solve
 * each, finds an s with E(s) <= max(0, E(0)) such that a slightly larger s gives more: Newton's law scaled down until
 * it creates no energy. While no contact changes between open, sticking and sliding one way, lambda is linear in s and
 * the work lambda . c + lambda . G lambda/2 a convex quadratic in s: it crosses 0 once, and s is the largest. Where
 * contacts change, E is made of several pieces and may cross 0 more than once; then s is one of the crossings. Without
 * friction, if contacts that touch do not part, and for a single contact on central bodies, s = 1.
 *
 * The impulses may let others be struck: as long as there are such, another impact problem follows from the new
 * velocity, at most IMPACTS_ROUNDS times, and while these are solved. Balls that touch share an impulse, as one
 * problem; those with a gap pass it on. SLIP_IMPACT_SEQUENTIAL leaves out contacts that touch and have restitution
 * until they are struck themselves: then balls that touch pass it on as well. Contacts that are still approaching
 * after the last round are stopped by the step's own rows, which have no restitution; stats.unbounced counts them. */
#include "sim/world_private.h"

#include <string.h>

/* A light ball between the ground and one r times as heavy is struck pi sqrt(r)/2 times: enough for r up to 2e4. */
enum { IMPACTS_ROUNDS = 256 };

/* Of the work |lambda . c|: energy that counts as none; the tolerance of impact problems, whose error is energy; and
 * how much of the largest s may be missed. Balls in a row keep their energy to 1e-9 with it. */
#define IMPACTS_EXACT SLIP_TOL(1e-10, 1e-5)

/* Velocity of a contact along its normal, by the velocities in w->data. */
static slip_real impacts_approach(const slip_world *w, const sim_contact *c)
{
    const slip_contact_site *s = &c->site;
    slip_real sum = 0;
    int side;

    for (side = 0; side < 2; ++side) {
        const int body = side ? s->body_b : s->body_a;
        const slip_real *v = w->data->velocity + 6*body;
        slip_real r[3], at[3];

        if (body == 0) continue;
        slip_sub3(s->point, w->data->pose[body].p, r);
        slip_cross3(v + 3, r, at);
        slip_add3(at, v, at);
        sum += (side ? 1 : -1)*slip_dot3(s->frame + 6, at);
    }
    return sum;
}

/* Whether a contact yields: its surfaces, or its links that are jammed. No rigid impulses need exist that stop it. */
static int impacts_yields(const slip_world *w, const sim_contact *c)
{
    return c->stiffness > 0 || slip_sim_jam(w, c) > 0;
}

static int impacts_bounces(const slip_world *w, const sim_contact *c)
{
    return c->restitution > 0 && !impacts_yields(w, c);
}

/* c->bounce_above, the slowest approach that bounces: what c_n falls by in a step, -J dv - dt (dJ/dt) v with dv that of
 * smooth forces and dt (dJ/dt) v = 2 arc, and at least rest_speed and the slop's rounding. The arc counts for contacts
 * that rested, or lost energy in an impact, in the last step: these may roll. One that arrives is hit however fast its
 * body spins. c->ahead: what both add to the approach from the middle of the step to its end, so that no contact is
 * stopped by its row, without restitution, that was not struck. */
static void impacts_thresholds(slip_world *w, const slip_step_input *in, const slip_real *v_free)
{
    const slip_real least = slip_max(w->opt.rest_speed, w->opt.slop/w->opt.dt);
    slip_real *dv = w->step.nv_scratch;
    int i;

    for (i = 0; i < w->model->nv; ++i) dv[i] = v_free[i] - in->v[i];
    slip_velocities(w->model, w->data, dv);
    for (i = 0; i < w->step.ncontacts; ++i) {
        sim_contact *c = &w->step.contacts[i];
        const slip_real change = impacts_approach(w, c);

        c->bounce_above = slip_max(least, -change - (c->rested ? 2*c->arc[2] : 0));
        c->ahead = slip_min(0, change/2) + slip_min(0, c->arc[2]);
    }
}

/* Before the first round: no impacts yet. w->step.nv_scratch <- the velocity of the impacts, which rounds change. */
static void impacts_begin(slip_world *w, const slip_step_input *in, const slip_real *v_free)
{
    int i;

    impacts_thresholds(w, in, v_free);
    for (i = 0; i < w->step.ncontacts; ++i) slip_zero3(w->step.contacts[i].impact);
    for (i = 0; i < w->model->nv; ++i) {
        w->step.nv_scratch[i] = (in->v[i] + v_free[i] + (in->dv_expected ? in->dv_expected[i] : 0))/2;
        w->step.dv_impact[i] = w->step.jt_lambda_impact[i] = 0;
    }
}

/* Marks the contacts that are struck at w->step.nv_scratch. Returns how many. */
static int impacts_mark(slip_world *w)
{
    int i, n = 0;

    slip_velocities(w->model, w->data, w->step.nv_scratch);
    for (i = 0; i < w->step.ncontacts; ++i) {
        sim_contact *c = &w->step.contacts[i];
        const slip_real speed = impacts_bounces(w, c) ? impacts_approach(w, c) : 0;

        c->struck = speed < -c->bounce_above && c->gap + w->opt.dt*(speed + c->ahead) <= 0;
        n += c->struck;
    }
    return n;
}

/* Moves the island's contacts that take part in its impact problem (struck or touching) to the beginning of its range;
 * returns where they end. */
static int impacts_select(slip_world *w, const slip_island *island)
{
    int *order = w->step.order, i, to = island->from;

    for (i = island->from; i < island->to; ++i) {
        const int k = order[i];
        const sim_contact *c = &w->step.contacts[k];
        const int waits = w->opt.impact == SLIP_IMPACT_SEQUENTIAL && impacts_bounces(w, c);

        if (!c->struck && (waits || impacts_yields(w, c) || c->gap > w->opt.slop)) continue;
        order[i] = order[to];
        order[to++] = k;
    }
    return to;
}

/* w->step.problem <- the impact problem whose rows are in w->rows, with restitution times `scale`, s of the head;
 * `before` [n]: c. */
static void impacts_problem(slip_world *w, const slip_island *island, const slip_real *before, slip_real scale)
{
    const int n = w->step.assembly.n;
    int i;

    memcpy(w->rows.g, before, (size_t)n*sizeof *before);
    memset(w->rows.lambda, 0, (size_t)n*sizeof *before);
    memset(w->rows.dual, 0, (size_t)n*sizeof *before);
    for (i = island->from; i < island->to; ++i) {
        const sim_contact *c = &w->step.contacts[w->step.order[i]];
        const int row = 3*(i - island->from) + 2;

        if (c->struck) w->rows.g[row] += scale*c->restitution*before[row];
    }
    slip_assembly_finish(&w->step.assembly, w->rows.mu, w->rows.g, w->rows.compliant ? w->rows.R : NULL,
                         &w->step.problem);
    w->step.problem.distance = w->rows.distance;
}

/* *work <- that of the impulses in w->rows, E(scale). *size <- the sum of |lambda_i c_i|, by which rounding of *work is
 * measured. */
static void impacts_work(const slip_world *w, const slip_real *before, slip_real *work, slip_real *size)
{
    int i;

    *work = *size = 0;
    for (i = 0; i < w->step.assembly.n; ++i) {
        const slip_real R = w->rows.compliant ? w->rows.R[i] : 0, lambda = w->rows.lambda[i];
        const slip_real after = w->rows.sigma[i] - R*lambda - w->rows.g[i] + before[i];

        *work += lambda*(before[i] + after)/2;
        *size += slip_abs(lambda*before[i]);
    }
}

/* Solves the impact problem, see impacts_problem() and impacts_work(). */
static slip_status impacts_solve(slip_world *w, const slip_island *island, const slip_real *before, slip_real scale,
                                 slip_real *work, slip_real *size)
{
    const size_t mark = slip_arena_mark(&w->step.scratch);
    slip_solver_options inner = w->opt.solve;
    slip_solution sol = slip_solution_over(w->rows.lambda, w->rows.sigma, w->rows.dual);
    slip_status status;

    impacts_problem(w, island, before, scale);
    inner.tol = slip_min(inner.tol, IMPACTS_EXACT);
    if (w->opt.on_problem) w->opt.on_problem(w->opt.problem_context, &w->step.problem, &sol);
    status = slip_solve(w->opt.solver, &w->step.problem, &inner, &sol, &w->step.scratch);
    slip_arena_release(&w->step.scratch, mark);
    if (status < 0) {
        slip_sim_report_failed(w, status, island);
        return status;
    }
    w->stats.calls += 1;
    w->stats.iterations += sol.iterations;
    w->stats.factorizations += sol.factorizations;
    w->stats.impacts += 1;
    w->stats.replaced += sol.replaced;
    impacts_work(w, before, work, size);
    if (status > SLIP_OK && slip_sim_excess(w, &sol.model) <= 1) status = SLIP_OK;
    return status;
}

/* w->rows.lambda <- the impulses of one island's impact by the law of the options. The bisection raises low where
 * E(s) <= most and lowers high where E(s) > most. It ends where E is 0, or where high - low <= IMPACTS_EXACT. */
static slip_status impacts_of_island(slip_world *w, const slip_step_input *in, const slip_island *island)
{
    slip_real *before = w->step.impact_before, work, size, most, low = 0, high = 1, scale = 0;
    slip_status status;

    slip_sim_impact_rows(w, in, w->step.nv_scratch, island);
    memcpy(before, w->rows.g, (size_t)w->step.assembly.n*sizeof *before);
    status = impacts_solve(w, island, before, 1, &work, &size);
    if (status < 0 || w->opt.impact == SLIP_IMPACT_NEWTON || work <= IMPACTS_EXACT*size) return status;
    status = impacts_solve(w, island, before, 0, &work, &size);
    if (status < 0) return status;
    most = slip_max(work, 0) + IMPACTS_EXACT*size;
    while (high - low > IMPACTS_EXACT && !slip_budget_is_empty(w->opt.solve.budget)) {
        scale = (low + high)/2;
        status = impacts_solve(w, island, before, scale, &work, &size);
        if (status < 0) return status;
        if (work > most) high = scale;
        else low = scale;
        if (slip_abs(work) <= most) break;
    }
    return low == scale ? status : impacts_solve(w, island, before, low, &work, &size);
}

/* Adds the impulses of an island's impact to the velocity and to its contacts. */
static void impacts_add(slip_world *w, const slip_island *island)
{
    int i;

    if (w->step.watch) w->step.watch->impact(w->step.watch, w, island);
    slip_assembly_impulse(&w->step.assembly, w->rows.lambda, w->step.x);
    if (slip_sim_sums_jt_lambda(w))
        slip_assembly_add_force(&w->step.assembly, w->rows.lambda, w->step.jt_lambda_impact);
    for (i = 0; i < w->model->nv; ++i) {
        w->step.nv_scratch[i] += w->step.x[i];
        w->step.dv_impact[i] += w->step.x[i];
    }
    for (i = island->from; i < island->to; ++i) {
        sim_contact *c = &w->step.contacts[w->step.order[i]];
        const int row = 3*(i - island->from);
        const slip_real *before = w->step.impact_before + row;
        slip_real after[3];

        slip_add3(c->impact, w->rows.lambda + row, c->impact);
        slip_sub3(w->rows.sigma + row, w->rows.g + row, after);
        slip_add3(after, before, after);
        slip_sim_count_lost(w, c, w->rows.lambda + row, before, after);
    }
}

/* One round: every island with a struck contact. */
static slip_status impacts_round(slip_world *w, const slip_step_input *in)
{
    slip_island island = { 0, 0, 0, 0 };
    slip_status worst = SLIP_OK;

    while (slip_island_next(w, &island) && island.to > island.from) {
        slip_island part = island;
        slip_status s;
        int i = island.from;

        while (i < island.to && !w->step.contacts[w->step.order[i]].struck) ++i;
        if (i == island.to) continue;
        part.to = impacts_select(w, &island);
        s = impacts_of_island(w, in, &part);
        if (s < 0) return s;
        if (s > worst) worst = s;
        impacts_add(w, &part);
    }
    return worst;
}

slip_status slip_phase_impacts(slip_world *w, const slip_step_input *in, slip_real *v_free)
{
    slip_status worst = SLIP_OK;
    int k, n = 0;

    w->step.any_impact = 0;
    if (!w->step.bounces || w->opt.integrator == SLIP_EULER) return SLIP_OK;
    impacts_begin(w, in, v_free);
    for (k = 0; k < IMPACTS_ROUNDS && (n = impacts_mark(w)) > 0; ++k) {
        slip_status s;

        if (k > 0 && !slip_budget_take(&w->step.budget)) break;

        if (k == 0) slip_phase_islands(w, in, v_free);
        if (w->step.watch) w->step.watch->round(w->step.watch, w, v_free, k);
        slip_sim_share(w, 1, 2, 0, w->step.ncontacts);   /* the rest is for the impulses that end the step */
        s = impacts_round(w, in);
        slip_sim_share_end(w);
        if (s < 0) return s;
        w->step.any_impact = 1;
        if (s > worst) worst = s;
        if (s > SLIP_OK) break;                          /* further rounds would begin from a wrong velocity */
    }
    w->stats.unbounced = n > 0 ? impacts_mark(w) : 0;
    if (w->step.any_impact) slip_sim_v_free_after_impacts(w, in, v_free);
    slip_sim_lap(w, SLIP_PHASE_SOLVE);
    if (w->stats.unbounced > 0 && worst == SLIP_OK) {
        worst = SLIP_MAX_ITERS;
        slip_fail(&w->error, worst, 0, 0, "%d contacts are still struck after %d rounds of impacts and end without "
                  "restitution", w->stats.unbounced, k);
    }
    return worst;
}
