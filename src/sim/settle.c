/* Drives at their effort limit and joints with dry friction: which part of their law holds at the end of the step.
 *
 * Both are torques that fall with the velocity v at the end of the step, contacts included:
 *   drive      clamp(L(v), -effort, effort),   L(v) = kp (q_ref - q - dt v) + kd (v_ref - v) + feed
 *   friction   clamp(-K v, -limit, limit),     K = 1e9 times the joint's inertia over dt: it stands, or slides
 * A mark says which: 0 the slope, which is part of the diagonal of M, or 1, -1 an end, a constant torque (friction's
 * mark is the sign of the motion). A step begins with the marks that the last one ended with, which are mostly right.
 * Where the velocity contradicts some they change, all at once, and the step is solved again: block principal pivoting.
 * For what is free that is a problem of a P-matrix with one solution; contacts with friction are not monotone, and a
 * stuck joint leaves their impulses undetermined, so this may go in circles. Then what is still in doubt becomes rows
 * of the contact problem, in which it finds its place together with the contacts: from the end that it was seen beyond,
 * it may come back,
 *   drive      torque s (effort - c),   0 <= c  _|_  (s L(v) - effort + c)/(kd + dt kp) >= 0
 *   friction   torque -s (limit - c),   0 <= c  _|_  s v + 1e-6 c dt/inertia >= 0
 * and c > 2 limit sends it to the other end. Rounds are counted; what is left in doubt is told (stats.unsettled). */
#include "sim/world_private.h"

#include <string.h>

typedef enum { SETTLE_LOOK, SETTLE_FLIP, SETTLE_HOLD } settle_action;

/* A mark that is wrong: what sign it should have beyond the slope, and what is done about it. */
static int settle_act(slip_world *w, int i, int kind, int *mark, int beyond, settle_action action)
{
    if (action == SETTLE_HOLD && w->nheld < w->max_held) {
        if (*mark == 0) *mark = beyond;
        w->held[i] |= kind;
        w->nheld += 1;
    } else if (action != SETTLE_LOOK) {
        *mark = *mark ? 0 : beyond;
    }
    return 1;
}

/* A row that takes more than twice the limit has come out at the other end: it is held there. */
static int settle_check_row(slip_world *w, int i, int kind, slip_real limit, int *mark, settle_action action)
{
    if (*slip_sim_held_impulse(w, i, kind) <= 2*(1 + SIM_EXACT)*limit*w->opt.dt) return 0;
    if (action != SETTLE_LOOK) *mark = -*mark;
    return 1;
}

static int settle_drive(slip_world *w, int i, slip_real v, settle_action action)
{
    const slip_drive *d = &w->drives[i];
    const slip_real slack = SIM_EXACT*d->effort;
    const int mark = w->saturated[i];
    slip_real torque;

    if (!slip_sim_has_drive(d) || !d->implicit || !slip_is_finite(d->effort)) return 0;
    if (w->held[i] & SIM_HELD_DRIVE) return settle_check_row(w, i, SIM_HELD_DRIVE, d->effort, &w->saturated[i], action);
    torque = slip_sim_drive_torque(w, i, v);
    if (mark ? (slip_real)mark*torque >= d->effort - slack : slip_abs(torque) <= d->effort + slack) return 0;
    return settle_act(w, i, SIM_HELD_DRIVE, &w->saturated[i], torque > 0 ? 1 : -1, action);
}

/* A joint slides on as long as it does not turn back by more than what a millionth of the friction explains: at rest
 * the torque is anything up to the limit, and the sign of v nothing but rounding. */
static int settle_friction(slip_world *w, int i, slip_real v, settle_action action)
{
    const slip_real limit = w->model->friction[i];
    const int mark = w->slides[i];
    slip_real fast;                                      /* what friction alone does to the joint in a step */

    if (!(limit > 0)) return 0;
    if (w->held[i] & SIM_HELD_FRICTION) return settle_check_row(w, i, SIM_HELD_FRICTION, limit, &w->slides[i], action);
    fast = limit*w->opt.dt/w->inertia[i];
    if (mark ? (slip_real)mark*v >= -SIM_EXACT*fast : SIM_STICK*slip_abs(v) <= (1 + SIM_EXACT)*fast) return 0;
    return settle_act(w, i, SIM_HELD_FRICTION, &w->slides[i], v > 0 ? 1 : -1, action);
}

/* How many marks v_next contradicts, and the first coordinate of these; what is to be done with them is. */
static int settle_all(slip_world *w, settle_action action, int *first)
{
    int i, wrong = 0;

    for (i = 0; i < w->model->nv; ++i) {
        const int here = settle_drive(w, i, w->v_next[i], action) + settle_friction(w, i, w->v_next[i], action);

        if (here > 0 && wrong == 0) *first = i;
        wrong += here;
    }
    return wrong;
}

void slip_sim_settle_begin(slip_world *w)
{
    w->rounds = 0;
    if (w->nheld == 0) return;
    w->nheld = 0;
    memset(w->held, 0, (size_t)w->model->nv*sizeof *w->held);
    memset(w->held_impulse, 0, 2*(size_t)w->model->nv*sizeof *w->held_impulse);
    memset(w->held_force, 0, (size_t)w->model->nv*sizeof *w->held_force);
}

/* Rows become marks again, for the next step to begin with, and their impulses are told from those of the contacts. */
static void settle_end(slip_world *w)
{
    int i;

    for (i = 0; w->nheld > 0 && i < w->model->nv; ++i) {
        const slip_real *c = w->held_impulse + 2*i;

        if (!w->held[i]) continue;
        w->held_force[i] = ((slip_real)w->slides[i]*c[1] - (slip_real)w->saturated[i]*c[0])/w->opt.dt;
        if (c[0] > 0) w->saturated[i] = 0;
        if (c[1] > 0) w->slides[i] = 0;
    }
}

/* Names the first joint that is in doubt. */
static void settle_tell(slip_world *w, int wrong, int i)
{
    slip_fail(&w->error, SLIP_MAX_ITERS, 0, 0, "drives and joint frictions that do not fit the end of the step: %d, "
              "the first of joint '%s' at a velocity of %.6g", wrong, slip_sim_joint_name(w, i), (double)w->v_next[i]);
}

int slip_sim_settle(slip_world *w, int may_hold, int solved)
{
    enum { FLIPS = 5, ROUNDS = 16, UNSOLVED = 3 };
    const settle_action action = may_hold && w->rounds >= FLIPS ? SETTLE_HOLD : SETTLE_FLIP;
    const int last = w->rounds >= (solved ? ROUNDS : UNSOLVED);
    int first = 0;
    const int wrong = w->actuated ? settle_all(w, last ? SETTLE_LOOK : action, &first) : 0;

    if (wrong == 0 || last || slip_sim_free_again(w) != SLIP_OK) {
        w->stats.held = w->nheld;
        w->stats.unsettled = wrong;
        if (wrong > 0 && w->error.status == SLIP_OK) settle_tell(w, wrong, first);
        settle_end(w);
        return 0;
    }
    w->rounds += 1;
    return 1;
}

void slip_sim_drive_forces(slip_world *w)
{
    int i;

    for (i = 0; i < w->model->nv; ++i) {
        const slip_drive *d = &w->drives[i];

        if (!w->actuated || !slip_sim_has_drive(d)) w->drive_force[i] = 0;
        else if (w->saturated[i]) w->drive_force[i] = (slip_real)w->saturated[i]*d->effort;
        else w->drive_force[i] = slip_clamp(slip_sim_drive_torque(w, i, w->v_next[i]), -d->effort, d->effort);
    }
}
