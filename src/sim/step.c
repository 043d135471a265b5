/* One step of a world, from left to right. */
#include "sim/world_private.h"

#include <string.h>

const char *slip_phase_name(int phase)
{
    static const char *const name[SLIP_PHASES] = { "kinematics", "collision", "dynamics", "assembly", "solve",
                                                   "integrate" };

    return phase >= 0 && phase < SLIP_PHASES ? name[phase] : "";
}

static slip_status step_bad_result(slip_world *w, const char *joint, const char *what, slip_real x, slip_real most)
{
    return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "the step would end with joint '%s' at a %s of %.6g (at most "
                     "%.3g): forces or gains are too large for the time step", joint, what, (double)x, (double)most);
}

/* Refuses a velocity that is not finite or too large. */
static slip_status step_check_velocity(slip_world *w, const slip_real *v)
{
    const slip_real fastest = SLIP_MOST_SPEED;
    int i = 0;

    if (slip_all_within(v, w->model->nv, fastest)) return SLIP_OK;
    while (slip_abs(v[i]) <= fastest) ++i;
    return step_bad_result(w, slip_sim_joint_name(w, i), "velocity", v[i], fastest);
}

/* The same for q_next and v_next. */
static slip_status step_check_result(slip_world *w)
{
    const slip_real farthest = SLIP_MOST_LENGTH;
    int i = 0;

    if (slip_all_within(w->step.q_next, w->model->nq, farthest)) return step_check_velocity(w, w->step.v_next);
    while (slip_abs(w->step.q_next[i]) <= farthest) ++i;
    return step_bad_result(w, slip_sim_joint_at(w, i), "position", w->step.q_next[i], farthest);
}

/* Acceleration and mean velocity of the coordinates over the step, for slip_sim_sense(). */
static void step_accelerations(slip_world *w, const slip_step_input *in)
{
    int i;

    for (i = 0; i < w->model->nv; ++i) {
        w->step.accel[i] = (w->step.v_next[i] - in->v[i])/w->opt.dt;
        w->step.v_sensed[i] = (w->step.v_next[i] + in->v[i])/2;
    }
    w->step.unsensed = 1;
}

/* time = since + (steps - from)*dt: a product does not drift as a sum would. dt has changed last at `since`, `from`. */
static void step_tick(sim_progress *c, slip_real dt)
{
    if (c->dt != dt) {
        c->dt = dt;
        c->since = c->time;
        c->from = c->steps;
    }
    c->steps += 1;
    c->time = c->since + (slip_real)(c->steps - c->from)*dt;
}

/* Stores the changes of velocity from which the next step predicts its mean velocity (free_velocity.c): by smooth
 * forces that of this step, by constraints the smaller one of the last two steps, 0 where their signs differ, so that
 * an impact is not taken for a force that lasts. */
static void step_remember_changes(slip_world *w, const slip_step_input *in)
{
    int i;

    for (i = 0; i < w->model->nv; ++i) {
        const slip_real last = w->step.dv_contact[i], before = w->state.dv_last[i];

        w->state.dv_smooth[i] = w->step.v_free[i] - in->v[i] - (w->step.any_impact ? w->step.dv_impact[i] : 0);
        w->state.dv_expected[i] = last*before <= 0 ? 0 : slip_abs(last) < slip_abs(before) ? last : before;
        w->state.dv_last[i] = last;
    }
}

/* Writes the new state: q, v, time, impulses for the next warm start, sleep timers. */
static void step_commit(slip_world *w)
{
    slip_sim_update_sleep_timers(w);
    memcpy(w->state.q, w->step.q_next, (size_t)w->model->nq*sizeof *w->state.q);
    memcpy(w->state.v, w->step.v_next, (size_t)w->model->nv*sizeof *w->state.v);
    if (w->step.nprescribed > 0) slip_sim_prescribe_commit(w);
    step_tick(w->state.progress, w->opt.dt);
    slip_sim_remember_impulses(w);
}

/* ---- the budget -------------------------------------------------------------------------------------------------- */

static int step_is_bounded(const slip_world *w)
{
    return SLIP_HAS_BUDGETS && (w->opt.step_iterations > 0 || w->opt.step_seconds > 0);
}

/* Every loop of the step takes from w->step.budget, solvers from the share of it that they are given. */
static void step_begin_budget(slip_world *w)
{
    slip_budget *b = &w->step.budget;

    if (!step_is_bounded(w)) return;
    b->left = w->opt.step_iterations > 0 ? w->opt.step_iterations : -1;
    if (w->opt.step_seconds > 0) {
        b->clock = w->opt.clock;
        b->clock_context = w->opt.clock_context;
        w->step.due = b->clock(b->clock_context) + w->opt.step_seconds;
        b->until = w->step.due - w->cache.seconds_after;
        b->pace = w->cache.pace;
    }
    w->opt.solve.budget = &w->step.share;
}

/* A step that has used its budget up says so, whatever it has missed besides. Phases that are called by themselves have
 * no bound. */
static slip_status step_end_budget(slip_world *w, slip_status s)
{
    slip_budget *b = &w->step.budget;

    if (!SLIP_HAS_BUDGETS) return s;
    if (s >= 0 && b->refused) s = SLIP_DEADLINE;
    if (s == SLIP_DEADLINE && w->error.status == SLIP_OK)    /* every island met its tolerance all the same */
        slip_fail(&w->error, s, 0, 0, "the step's budget was used up after %d iterations", (int)b->taken);
    if (b->pace > 0) w->cache.pace = b->pace;
    w->stats.budget_taken = step_is_bounded(w) ? b->taken : 0;
    memset(b, 0, sizeof *b);
    b->left = -1;
    return s;
}

void slip_sim_share(slip_world *w, int part, int whole, int islands, int contacts)
{
    slip_budget b = w->step.budget;

    if (!step_is_bounded(w)) return;
    if (b.left > 0) b.left = b.left > islands ? b.left - islands : 0;
    if (b.clock) b.until -= contacts*w->cache.seconds_row;
    w->step.share = slip_budget_share(&b, part, whole);
    if (w->step.share.left == 0 && w->step.budget.left > 0) w->step.share.left = 1;
}

int slip_sim_allows_round(const slip_world *w)
{
    const slip_budget *b = &w->step.budget;

    return !SLIP_HAS_BUDGETS || (!slip_budget_is_empty(b) && (b->left < 0 || b->left > w->stats.islands));
}

/* What the next step keeps in reserve: the time for the rows of a contact, as this step needed it, and the time for all
 * else that is not refused. The latter grows by what a step was late, but at most to twice as much, since another
 * program may have interrupted that step. It falls by a hundredth in steps that end in time, but not below the time
 * from the impulses to the end. */
static void step_learn_times(slip_world *w)
{
    const int rows = w->stats.contacts + w->stats.limits + 1;
    const double late = w->step.lap - w->step.due, least = w->stats.seconds[SLIP_PHASE_INTEGRATE];
    double *after = &w->cache.seconds_after, most = *after > 0 ? 2**after : w->opt.step_seconds;

    if (!SLIP_HAS_BUDGETS || !(w->opt.step_seconds > 0)) return;
    w->cache.seconds_row = w->stats.seconds[SLIP_PHASE_ASSEMBLY]/rows;
    *after = late > 0 ? *after + late : *after - *after/100;
    if (*after < least) *after = least;
    if (*after > most) *after = most;
    if (*after > w->opt.step_seconds) *after = w->opt.step_seconds;
}

void slip_sim_share_end(slip_world *w)
{
    if (step_is_bounded(w)) slip_budget_give_back(&w->step.budget, &w->step.share);
}

/* ---- impulses ---------------------------------------------------------------------------------------------------- */

/* Impulses and v_next once more, after v_free has changed: the statistics of the first round are dropped. */
static slip_status step_impulses_again(slip_world *w, const slip_step_input *in)
{
    memset(&w->stats.residual, 0, sizeof w->stats.residual);
    w->stats.islands = w->stats.softened = w->stats.loops = w->stats.solves = w->stats.unbounded = 0;
    slip_sim_forget_missed(w);
    return slip_sim_impulses(w, in, w->step.v_free, w->step.v_next);
}

/* Impulses and v_next. Computed again after an impact on a tree, whose bias forces differ before and after it
 * (slip_sim_v_free_with_hit()); where the arcs of loops missed more than LOOPS_EXACT (slip_sim_loops_missed()), once;
 * and while v_next contradicts the marks of drives and joint friction (slip_sim_settle()), at
 * most SIM_SETTLE_ROUNDS times. */
static slip_status step_impulses(slip_world *w, const slip_step_input *in)
{
    slip_real *v_free = w->step.v_free, *v_next = w->step.v_next;
    slip_status s = slip_sim_impulses(w, in, v_free, v_next);

    if (s >= 0 && slip_sim_allows_round(w) && slip_sim_v_free_with_hit(w, in, v_free))
        s = step_impulses_again(w, in);
    if (s >= 0 && slip_sim_loops_missed(w, in) && w->opt.correct && slip_sim_allows_round(w)) {
        s = step_impulses_again(w, in);
        if (s >= 0) slip_sim_loops_missed(w, in);        /* what is missing now begins the next step */
    }
    while (s >= 0 && slip_sim_settle(w, in, v_free, v_next, 1)) s = step_impulses_again(w, in);
    return s == SLIP_OK && w->stats.unsettled + w->stats.unbounded > 0 ? SLIP_MAX_ITERS : s;
}

slip_step_input slip_world_input(slip_world *w)
{
    slip_step_input in;

    in.q = w->state.q;
    in.v = w->state.v;
    in.tau = w->input.tau;
    in.wrench = w->input.wrench;
    in.drives = w->input.drives;
    in.prescribed = w->state.progress->nprescribed > 0 ? w->input.prescribed : NULL;
    in.dv_smooth = w->state.dv_smooth;
    in.dv_expected = w->state.dv_expected;
    in.saturated = w->state.saturated;
    in.slides = w->state.slides;
    return in;
}

slip_status slip_phase_begin(slip_world *w, slip_step_input *in)
{
    const slip_status s = slip_sim_check_quaternions(w, in->q);

    if (s != SLIP_OK) return s;
    slip_sim_prescribe_marks(w, in);
    if (w->opt.integrator == SLIP_EULER && w->step.nprescribed == 0) return s;
    memcpy(w->step.v_mid, in->v, (size_t)w->model->nv*sizeof *in->v);
    if (w->opt.integrator == SLIP_EULER) memcpy(w->step.q_mid, in->q, (size_t)w->model->nq*sizeof *in->q);
    else slip_sim_drift(w, in->q, w->opt.dt/2, w->step.v_mid, w->step.q_mid);
    if (w->step.nprescribed > 0) slip_sim_prescribe_begin(w, in, w->step.q_mid, w->step.v_mid);
    in->q = w->step.q_mid;
    in->v = w->step.v_mid;
    return SLIP_OK;
}

slip_status slip_phase_kinematics(slip_world *w, const slip_step_input *in)
{
    const slip_status s = slip_motion_pass(w->model, w->data, in->q, in->v);

    return s == SLIP_OK ? s : slip_sim_check_quaternions(w, in->q);
}

/* A velocity that is not finite usually comes from a drive that is not finite: report that instead. */
static slip_status step_name_cause(slip_world *w, slip_status s)
{
    const slip_status drive = slip_sim_check_drives(w);

    return drive != SLIP_OK ? drive : s;
}

/* Everything up to the new velocity; q and v are not touched. */
static slip_status step_compute(slip_world *w, const slip_step_input *in)
{
    slip_status collided, impacted, solved, s = slip_phase_kinematics(w, in);

    if (s != SLIP_OK) return s;
    slip_sim_lap(w, SLIP_PHASE_KINEMATICS);
    collided = slip_phase_collide(w);
    if (collided < 0) return collided;
    slip_sim_lap(w, SLIP_PHASE_COLLISION);
    s = slip_phase_free_velocity(w, in, w->step.v_free);
    if (s == SLIP_OK) s = step_check_velocity(w, w->step.v_free);    /* names the joint: a solver could not */
    if (s != SLIP_OK) return step_name_cause(w, s);
    if (w->step.actuated && slip_sim_check_drives(w) != SLIP_OK) return w->error.status;
    slip_sim_wake(w);
    slip_sim_lap(w, SLIP_PHASE_DYNAMICS);
    slip_sim_settle_begin(w);
    w->step.missed = 0;
    impacted = slip_phase_impacts(w, in, w->step.v_free);
    if (impacted < 0) return impacted;
    solved = step_impulses(w, in);
    if (solved < 0) return solved;
    slip_sim_lap(w, SLIP_PHASE_SOLVE);
    return solved > SLIP_OK ? solved : impacted > SLIP_OK ? impacted : collided;
}

/* Whether nothing but smooth forces acts in the step: no contact, limit, loop, drive, joint loss or prescribed motion.
 * A pair counts as a contact when it could meet within two steps. */
static int step_flies(slip_world *w, const slip_step_input *in)
{
    int i;

    for (i = 0; i < slip_sim_loop_count(w); ++i) if (w->state.loop_state[i].on) return 0;
    for (i = 0; i < w->model->nv; ++i)
        if (slip_sim_has_drive(&in->drives[i]) || w->model->friction[i] > 0 || w->model->damping[i] > 0) return 0;
    slip_sim_prescribe_marks(w, in);
    if (w->step.nprescribed > 0 || slip_phase_kinematics(w, in) != SLIP_OK) return 0;
    if (slip_phase_collide(w) != SLIP_OK || w->step.ncontacts > 0) return 0;
    slip_sim_settle_begin(w);
    slip_sim_find_limits(w, in, in->v, 0);
    return w->step.nlimits == 0;
}

/* q_next and v_next by three midpoint steps of g dt, (1 - 2 g) dt and g dt, g = 1/(2 - 2^(1/3)), from `in`. The
 * midpoint step is symmetric in time, so that its errors of third order cancel and those of fourth vanish (Yoshida
 * 1990). */
static slip_status step_fourth(slip_world *w, const slip_step_input *in)
{
    const slip_real dt = w->opt.dt, g = SLIP_R(1.3512071919596578), part[3] = { g, 1 - 2*g, g };
    slip_real *q = w->step.q_next, *v = w->step.v_next;
    slip_status s = SLIP_OK;
    int i, k;

    memcpy(q, in->q, (size_t)w->model->nq*sizeof *q);
    memcpy(v, in->v, (size_t)w->model->nv*sizeof *v);
    for (k = 0; k < 3 && s == SLIP_OK; ++k) {
        slip_step_input now = *in;

        now.q = q;
        now.v = v;
        now.dv_smooth = now.dv_expected = NULL;              /* they belong to the whole dt */
        w->opt.dt = part[k]*dt;
        s = slip_phase_begin(w, &now);
        if (s == SLIP_OK) s = slip_phase_kinematics(w, &now);
        if (s == SLIP_OK) s = slip_phase_free_velocity(w, &now, v);
        if (s == SLIP_OK) slip_phase_integrate(w, &now, v, q);
    }
    w->opt.dt = dt;
    for (i = 0; i < w->model->nv; ++i) w->step.v_free[i] = v[i];
    for (i = 0; i < w->model->nv; ++i) w->step.dv_contact[i] = w->step.jt_lambda[i] = 0;
    w->step.any_impact = 0;
    return s;
}

/* A step that failed: the state is restored, the error is kept. */
static slip_status step_undo(slip_world *w, slip_status s)
{
    memcpy(w->state.block, w->state.before, w->state.first_bytes);
    return w->stats.status = s;
}

slip_status slip_step(slip_world *w)
{
    slip_step_input in;
    slip_budget *budget;
    slip_status s;
    int flies, bound;

    w->step.lap = w->opt.clock ? w->opt.clock(w->opt.clock_context) : 0;
    if (w->error.status != SLIP_OK) slip_error_clear(&w->error);
    memset(&w->stats, 0, sizeof w->stats);
    if (w->input.control) w->input.control(w->input.control_context, w);
    memcpy(w->state.before, w->state.block, w->state.first_bytes);
    in = slip_world_input(w);
    s = slip_sim_check_inputs(w);
    budget = w->opt.solve.budget;
    if (s == SLIP_OK) step_begin_budget(w);
    flies = s == SLIP_OK && w->opt.integrator == SLIP_FOURTH && step_flies(w, &in);
    if (s == SLIP_OK && !flies) s = slip_phase_begin(w, &in);
    if (s == SLIP_OK) s = flies ? step_fourth(w, &in) : step_compute(w, &in);
    w->opt.solve.budget = budget;
    s = w->stats.status = step_end_budget(w, s);
    if (s < 0) return step_undo(w, s);
    step_accelerations(w, &in);
    slip_sim_drive_forces(w, &in, w->step.v_next);
    if (w->step.nprescribed > 0) slip_sim_prescribe_forces(w, &in);
    if (w->opt.work) slip_sim_work(w, &in);
    bound = w->step.unresolved || w->step.hit;
    if (bound) slip_sim_bound_energy_begin(w, &in);
    if (!flies) slip_phase_integrate(w, &in, w->step.v_next, w->step.q_next);
    if (bound) slip_sim_bound_energy_end(w, &in);
    if (slip_sim_loop_count(w) > 0) slip_sim_bound_springs(w, &in);
    if (step_check_result(w) < 0) return step_undo(w, w->error.status);
    if (!w->fixed.constant_mass || w->step.bounces) step_remember_changes(w, &in);
    w->state.progress->late = s == SLIP_DEADLINE;
    step_commit(w);
    slip_sim_lap(w, SLIP_PHASE_INTEGRATE);
    step_learn_times(w);
    return s;
}

slip_status slip_world_update(slip_world *w)
{
    const slip_step_input in = slip_world_input(w);
    slip_status s;

    slip_error_clear(&w->error);
    slip_sim_sense(w);
    s = slip_sim_check_state(w);
    if (s == SLIP_OK) s = slip_phase_kinematics(w, &in);
    slip_sim_prescribe_marks(w, &in);
    if (s == SLIP_OK) s = slip_phase_collide(w);
    return s;
}
