/* Drives at their effort limit and joints with dry friction: the part of their law that holds at the end of the step.
 *
 * Both are torques that fall with the velocity v at the end of the step, contacts included:
 *   drive      clamp(L(v), -effort, effort),   L(v) = kp (q_ref - q - dt v) + kd (v_ref - v) + feed
 *   friction   clamp(-K v, -limit, limit),     K = 1e9 times the joint's inertia over dt: it stands, or slides
 * A mark holds it: 0 the slope, which is part of the diagonal of M, or 1, -1 an end, a constant torque (friction's mark
 * is the sign of the motion). A step begins with the marks that the last one ended with, which are mostly right. Where
 * the velocity contradicts some they change, all at once, and the step is solved again: block principal pivoting.
 * Without contacts this is a linear complementarity problem of a P-matrix, with one solution; contacts with friction
 * are not monotone, and a stuck joint leaves their impulses undetermined, so this may cycle. Then the marks that are
 * still wrong become rows of the contact problem, which is solved for them and the contacts together: starting at the
 * end beyond which it was seen, the law may come back by c,
 *   drive      torque s (effort - c),   0 <= c  _|_  (s L(v) - effort + c)/(kd + dt kp) >= 0
 *   friction   torque -s (limit - c),   0 <= c  _|_  s v + 1e-6 c dt/inertia >= 0
 * and c > 2 limit sends it to the other end. Rounds are bounded by SIM_SETTLE_ROUNDS; laws that are violated after the
 * last one are counted in stats.unsettled. Where a budget ends them, the marks change for the step to come, which would
 * otherwise begin with the same ones: drives would stay beyond their limits for as long as budgets are short. */
#include "sim/world_private.h"

#include <string.h>

typedef enum { SETTLE_COUNT, SETTLE_FLIP, SETTLE_HOLD } settle_action;

/* Changes a wrong mark, or makes it a row. beyond: the end at which the law is, +-1. Returns 1: one mark was wrong. */
static int settle_act(slip_world *w, int i, int kind, int *mark, int beyond, settle_action action)
{
    if (action == SETTLE_HOLD && w->step.nheld < w->fixed.max_held) {
        if (*mark == 0) *mark = beyond;
        w->step.held[i] |= kind;
        w->step.nheld += 1;
    } else if (action != SETTLE_COUNT) {
        *mark = *mark ? 0 : beyond;
    }
    return 1;
}

/* A row with c above twice the limit is saturated at the other end: its mark becomes that end, from which c is below 0,
 * so the next solve starts at 0. */
static int settle_check_row(slip_world *w, int i, int kind, slip_real limit, int *mark, settle_action action)
{
    if (*slip_sim_held_impulse(w, i, kind) <= 2*(1 + SIM_EXACT)*limit*w->opt.dt) return 0;
    if (action != SETTLE_COUNT) {
        *mark = -*mark;
        *slip_sim_held_impulse(w, i, kind) = 0;
    }
    return 1;
}

static int settle_drive(slip_world *w, const slip_step_input *in, int i, slip_real v, settle_action action)
{
    const slip_drive *d = &in->drives[i];
    const slip_real slack = SIM_EXACT*d->effort;
    const int mark = in->saturated[i];
    slip_real torque;

    if (!slip_sim_has_drive(d) || !d->implicit || !slip_is_finite(d->effort)) return 0;
    if (w->step.held[i] & SIM_HELD_DRIVE)
        return settle_check_row(w, i, SIM_HELD_DRIVE, d->effort, &in->saturated[i], action);
    torque = slip_sim_drive_torque(w, in, i, v);
    if (mark ? (slip_real)mark*torque >= d->effort - slack : slip_abs(torque) <= d->effort + slack) return 0;
    return settle_act(w, i, SIM_HELD_DRIVE, &in->saturated[i], torque > 0 ? 1 : -1, action);
}

/* A joint keeps sliding unless its velocity reverses by more than a millionth of the friction explains, or, `pushed` by
 * contacts, limits or loops, by more than their tolerance explains: at rest the torque is anything up to the limit, and
 * the sign of v nothing but rounding, or what the solver left. A velocity of tol [m/s] of the link's mass m has the
 * energy of a joint at the rate tol/lever, lever = sqrt(inertia/m) the radius of gyration about the joint. */
static int settle_friction(slip_world *w, const slip_step_input *in, int i, slip_real v, int pushed,
                           settle_action action)
{
    const slip_real limit = w->model->friction[i], mass = w->model->inertia[10*w->fixed.iv_body[i]];
    const int mark = in->slides[i];
    slip_real fast, slack;                               /* change of v by friction alone in a step; error of v */

    if (!(limit > 0)) return 0;
    if (w->step.held[i] & SIM_HELD_FRICTION)
        return settle_check_row(w, i, SIM_HELD_FRICTION, limit, &in->slides[i], action);
    fast = limit*w->opt.dt/w->step.inertia[i];
    slack = SIM_EXACT*fast;
    if (pushed) slack = slip_max(slack, w->opt.solve.tol*slip_sqrt(mass/w->step.inertia[i]));
    if (mark ? (slip_real)mark*v >= -slack : SIM_STICK*slip_abs(v) <= (1 + SIM_EXACT)*fast) return 0;
    return settle_act(w, i, SIM_HELD_FRICTION, &in->slides[i], v > 0 ? 1 : -1, action);
}

/* How many marks v_next contradicts, and the first coordinate of these; `action` is applied to each. */
static int settle_all(slip_world *w, const slip_step_input *in, const slip_real *v_free, const slip_real *v_next,
                      settle_action action, int *first)
{
    const int some = w->step.nprescribed > 0;
    int i, wrong = 0;

    for (i = 0; i < w->model->nv; ++i) {
        const int pushed = v_next[i] != v_free[i];
        const int here = some && w->step.given[i] ? 0 : settle_drive(w, in, i, v_next[i], action)
                                                       + settle_friction(w, in, i, v_next[i], pushed, action);

        if (here > 0 && wrong == 0) *first = i;
        wrong += here;
    }
    return wrong;
}

void slip_sim_settle_begin(slip_world *w)
{
    w->step.rounds = 0;
    if (w->step.nheld == 0) return;
    w->step.nheld = 0;
    memset(w->step.held, 0, (size_t)w->model->nv*sizeof *w->step.held);
    memset(w->step.held_impulse, 0, 2*(size_t)w->model->nv*sizeof *w->step.held_impulse);
    memset(w->step.held_force, 0, (size_t)w->model->nv*sizeof *w->step.held_force);
}

/* Rows become marks again, with which the next step begins; their forces are kept apart from those of the contacts. */
static void settle_end(slip_world *w, const slip_step_input *in)
{
    int i;

    for (i = 0; w->step.nheld > 0 && i < w->model->nv; ++i) {
        const slip_real *c = w->step.held_impulse + 2*i;

        if (!w->step.held[i]) continue;
        w->step.held_force[i] = ((slip_real)in->slides[i]*c[1] - (slip_real)in->saturated[i]*c[0])/w->opt.dt;
        if (c[0] > 0) in->saturated[i] = 0;
        if (c[1] > 0) in->slides[i] = 0;
    }
}

/* Reports the first joint whose law is violated. */
static void settle_report(slip_world *w, int wrong, int i, slip_real v)
{
    slip_fail(&w->error, SLIP_MAX_ITERS, 0, 0, "drives and joint frictions that do not fit the end of the step: %d, "
              "the first of joint '%s' at a velocity of %.6g", wrong, slip_sim_joint_name(w, i), (double)v);
}

int slip_sim_settle(slip_world *w, const slip_step_input *in, slip_real *v_free, const slip_real *v_next, int may_hold)
{
    const settle_action action = may_hold && w->step.rounds >= SIM_SETTLE_FLIPS ? SETTLE_HOLD : SETTLE_FLIP;
    const int over = !slip_sim_allows_round(w), last = w->step.rounds >= SIM_SETTLE_ROUNDS || over;
    int first = 0;
    const int wrong = !w->step.actuated ? 0
                    : settle_all(w, in, v_free, v_next, over ? SETTLE_FLIP : last ? SETTLE_COUNT : action, &first);

    if (wrong > 0 && over) w->step.budget.refused = 1;
    if (wrong == 0 || last || slip_sim_v_free_with_marks(w, in, v_free) != SLIP_OK) {
        w->stats.held = w->step.nheld;
        w->stats.unsettled = wrong;
        if (wrong > 0 && w->error.status == SLIP_OK) settle_report(w, wrong, first, v_next[first]);
        settle_end(w, in);
        return 0;
    }
    w->step.rounds += 1;
    slip_budget_count(&w->step.budget, 1);
    return 1;
}

void slip_sim_drive_forces(slip_world *w, const slip_step_input *in, const slip_real *v_next)
{
    int i;

    for (i = 0; i < w->model->nv; ++i) {
        const slip_drive *d = &in->drives[i];

        if (!w->step.actuated || !slip_sim_has_drive(d) || slip_sim_is_given(w, i)) w->step.drive_force[i] = 0;
        else if (in->saturated[i]) w->step.drive_force[i] = (slip_real)in->saturated[i]*d->effort;
        else w->step.drive_force[i] = slip_clamp(slip_sim_drive_torque(w, in, i, v_next[i]), -d->effort, d->effort);
    }
}
