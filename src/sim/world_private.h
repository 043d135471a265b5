/* Functions that the files of sim share; the data they work on are in world_data.h. */
#ifndef SLIP_SIM_WORLD_PRIVATE_H
#define SLIP_SIM_WORLD_PRIVATE_H

#include "sim/world_data.h"

/* ---- inputs.c: checks of options and inputs ---------------------------------------------------------------- */

/* The joint that a coordinate of v or q belongs to. */
const char *slip_sim_joint_name(const slip_world *w, int iv);
const char *slip_sim_joint_at(const slip_world *w, int iq);

/* Each reports an error by name and value. */
slip_status slip_sim_check_options(const slip_world_options *o, slip_error *err);
slip_status slip_sim_check_state(slip_world *w);
slip_status slip_sim_check_inputs(slip_world *w);        /* options, state and forces, before a step          */
slip_status slip_sim_check_drives(slip_world *w);
slip_status slip_sim_check_quaternions(slip_world *w, const slip_real *q);   /* none has length zero        */
slip_status slip_sim_no_inertia(slip_world *w, int iv, slip_real inertia);

/* ---- collide.c, seams.c, arc.c ------------------------------------------------------------------------------- */

/* Name of a collider: its own where it is fixed to the world, else that of its link. */
const char *slip_sim_collider_name(const slip_world *w, int i);

/* Contacts of colliders a and b, placed at xa and xb, with gaps up to the margin; of a height field, that is a.
 * SLIP_DEADLINE: the budget, which may be NULL, ended the search; the contacts are those known by then. */
slip_status slip_sim_touch(const slip_world *w, int a, int b, const slip_pose *xa, const slip_pose *xb,
                           slip_real margin, slip_budget *budget, sim_touch *touch);

/* Corrects the normal of a pair that would be held apart along the wrong axis, or drops contacts of two edges that just
 * meet, see seams.c. touch->n > 0. */
void slip_sim_choose_axis(const slip_world *w, int a, int b, slip_real margin, slip_budget *budget, sim_touch *touch);

/* The material of a pair. */
slip_material slip_sim_mix(const slip_world *w, int material_a, int material_b);

/* Whether a material's numbers are in range; reported as those of material i. */
slip_status slip_sim_check_material(const slip_material *m, int i, slip_error *err);

/* arc.c. Both need the accelerations that slip_bias_pass() leaves. */
void slip_sim_arcs(slip_world *w);                       /* c->arc of all contacts                                    */
slip_real slip_sim_loop_arc(const slip_world *w, const slip_row_site *row);      /* dt/2 (dJ/dt) v of a loop's row    */

/* belt.c. The velocity of the bodies is that in w->data. */
void slip_sim_belts(slip_world *w);                      /* c->belt of all contacts                                   */
slip_real slip_sim_belt_work(const slip_world *w);       /* work that moving surfaces did in the step             [J] */

/* warm_start.c: the impulses of this step are remembered; those of the last step are found for w->step.contacts. */
void slip_sim_remember_impulses(slip_world *w);

/* The memory of contacts of colliders a and b: the first, and how many there are. */
const sim_memory *slip_sim_memory_of(const slip_world *w, int a, int b, int *n);
void slip_sim_recall_impulses(slip_world *w);

/* lift.c: c->lift of the contacts that overlap; the work of a contact's impulse, which took its velocity from `before`
 * to `after` (contact frame), is counted. */
void slip_sim_find_lifts(slip_world *w);
void slip_sim_count_lost(slip_world *w, const sim_contact *c, const slip_real impulse[3], const slip_real before[3],
                         const slip_real after[3]);

/* ---- free_velocity.c, settle.c --------------------------------------------------------------------------------- */

/* v_free once more, with other marks of drives and joint friction. */
slip_status slip_sim_v_free_with_marks(slip_world *w, const slip_step_input *in, slip_real *v_free);

/* Before the impulses of a step; and after them: whether v_next contradicts the marks in->saturated, in->slides. Then
 * they are changed, M's factor and v_free are new, and the contacts have to be solved again: at most SIM_SETTLE_ROUNDS
 * times a step, whether the solver met its tolerance or not: a step does the same for every solver. may_hold: wrong
 * marks may become rows. */
enum { SIM_SETTLE_FLIPS = 5, SIM_SETTLE_ROUNDS = 16 };
void slip_sim_settle_begin(slip_world *w);
int slip_sim_settle(slip_world *w, const slip_step_input *in, slip_real *v_free, const slip_real *v_next, int may_hold);

/* Torque of a drive at the end of a step with velocity v_end, as if it had no limit. */
static inline slip_real slip_sim_drive_torque(const slip_world *w, const slip_step_input *in, int iv, slip_real v_end)
{
    const slip_drive *d = &in->drives[iv];
    const int iq = w->model->limit_iq[iv];
    const slip_real q = iq < 0 ? 0 : in->q[iq];

    if (!d->implicit) return d->kp*(d->q_ref - q) + d->kd*(d->v_ref - in->v[iv]) + d->feed;
    return d->kp*(d->q_ref - q - w->opt.dt*v_end) + d->kd*(d->v_ref - v_end) + d->feed;
}

static inline int slip_sim_has_drive(const slip_drive *d) { return d->kp != 0 || d->kd != 0 || d->feed != 0; }

/* Torques of the drives in a step that ends with v_next. */
void slip_sim_drive_forces(slip_world *w, const slip_step_input *in, const slip_real *v_next);

/* ---- prescribe.c ---------------------------------------------------------------------------------------------- */

/* Marks of this step, from in->prescribed (NULL: none). */
void slip_sim_prescribe_marks(slip_world *w, const slip_step_input *in);

/* q and v of prescribed joints in the middle of the step, and at its end. */
void slip_sim_prescribe_begin(slip_world *w, const slip_step_input *start, slip_real *q, slip_real *v);

/* Before and after M is factored: prescribed coordinates get infinite inertia. */
void slip_sim_prescribe_inertia(slip_world *w);
void slip_sim_prescribe_factor(slip_world *w);

/* Adds the change of velocity of prescribed joints, and what it does to the others, to a solution x with that factor,
 * in the joints' own turning axes. */
void slip_sim_prescribe_change(slip_world *w, const slip_step_input *in, slip_real *x);

/* Forces behind the motions, after v_next is known in the axes of the middle. */
void slip_sim_prescribe_forces(slip_world *w, const slip_step_input *in);

/* q_next and v_next of prescribed joints, at the end of the step; and what of it is kept with the state. */
void slip_sim_prescribe_end(const slip_world *w, slip_real *v_next, slip_real *q_next);
void slip_sim_prescribe_commit(slip_world *w);

/* Takes the part of a change of velocity that comes from keeping the axes of the step's middle out. */
void slip_sim_turning_axes(const slip_world *w, slip_real *dv);

/* Whether the step moves coordinate iv by a prescribed motion. */
static inline int slip_sim_is_given(const slip_world *w, int iv)
{
    return w->step.nprescribed > 0 && w->step.given[iv];
}

/* Whether all joints of a body up to the world are prescribed: it does not give way to anything. */
static inline int slip_sim_is_driven(const slip_world *w, int body)
{
    return w->step.nprescribed > 0 && w->step.driven[body];
}

/* Whether J' lambda of the step is summed: for work, and for the forces behind prescribed motions. */
static inline int slip_sim_sums_jt_lambda(const slip_world *w) { return w->opt.work || w->step.nprescribed > 0; }

/* ---- islands.c, rows.c, tangent.c ------------------------------------------------------------------------------ */

void slip_sim_label_islands(slip_world *w);
int slip_sim_group(slip_world *w, int body);             /* the root body that stands for the group of a body */
int slip_sim_island_has(slip_world *w, const slip_island *island, int body_a, int body_b);

/* The velocity that closes a gap, or removes an overlap, which g gets: >= 0 apart, <= 0 overlapping [m/s]. Below the
 * slop it is 0: the rounding of one solution (a gap of some picometres, divided by dt) would change the problem in
 * each step. */
slip_real slip_sim_gap_velocity(const slip_world *w, slip_real gap);

/* Reach of a step's limits besides two steps at v_free: contacts may move a joint that v_free leaves at rest. Without
 * it the row comes a step late. */
#define SIM_LIMIT_REACH SLIP_R(1e-3)     /* [m, rad] */

/* Joint limits that a coordinate is beyond, or could reach in two steps at v and within `reach` [m, rad] more; rows of
 * settle.c. */
void slip_sim_find_limits(slip_world *w, const slip_step_input *in, const slip_real *v, slip_real reach);

/* The gap of limit k [m, rad]. */
slip_real slip_sim_limit_gap(const slip_world *w, const slip_step_input *in, int k);

/* The row of settle.c that limit row k is, SIM_HELD_...; 0: none, it is a limit. */
int slip_sim_held(const slip_world *w, int k);

static inline slip_real *slip_sim_held_impulse(const slip_world *w, int iv, int kind)
{
    return w->step.held_impulse + 2*iv + (kind == SIM_HELD_FRICTION);
}

/* The friction of a contact's rows, its mu where that is not too large. */
slip_real slip_sim_row_friction(const slip_world *w, const sim_contact *c);

/* Rows of an island at the velocity v into w->step.assembly and w->rows; G is not needed. */
void slip_sim_rows(slip_world *w, const slip_step_input *in, const slip_real *v, const slip_island *island);

/* The same for an impact at the velocity v: g = J v, with only those contacts of the island that its range has. */
void slip_sim_impact_rows(slip_world *w, const slip_step_input *in, const slip_real *v, const slip_island *island);

/* Adds the impacts' change of velocity to v_free; nothing in steps without one. */
void slip_sim_add_impact(const slip_world *w, slip_real *v_free);

/* v_free of a step with impacts, with bias forces of before and after them. */
void slip_sim_v_free_after_impacts(slip_world *w, const slip_step_input *in, slip_real *v_free);

/* Where w->step.dv_contact is a hit of trees, or one was expected that did not come: v_free with bias forces of before
 * and after it, and 1: impulses have to be found again. */
int slip_sim_v_free_with_hit(slip_world *w, const slip_step_input *in, slip_real *v_free);

/* Where the answer in w->rows lets contacts create energy, changes the rows that do so that they cannot; whether any
 * was changed: then the island has to be solved again. A row is changed once, so that this comes to an end. */
int slip_sim_bound_work(slip_world *w, const slip_island *island);

/* The answer in w->rows back to contacts, limits and loops. */
void slip_sim_store_impulses(slip_world *w, const slip_island *island, int reused);

/* law.c: whether a law makes the rows of contacts without a stiffness of their own; SLIP_LAW_CFM only adds to R. */
static inline int slip_sim_law_replaces_rows(slip_law_kind kind)
{
    return kind == SLIP_LAW_REFERENCE || kind == SLIP_LAW_RELAXATION;
}

slip_status slip_sim_law_begin(slip_world *w, slip_error *err);          /* facts of a new world that laws need       */
void slip_sim_law_cfm(slip_world *w, int k);     /* R of contact k, after its rows as a rigid one, by SLIP_LAW_CFM    */
/* R and g of contact k by a law that replaces its rows. before [3]: its velocity before the step. */
void slip_sim_law_rows(slip_world *w, sim_contact *c, int k, const slip_real before[3]);
slip_status slip_sim_check_law(const slip_contact_law *law, slip_error *err);

/* tangent.c: R and g of the tangents of contact k, which yields along the surface. */
void slip_sim_tangent_rows(slip_world *w, const sim_contact *c, int k);

/* Where that is by a spring: its stretch at the end of the step, world axes; back into the contact, a step later. */
void slip_sim_tangent_keep(const slip_world *w, const sim_contact *c, slip_real stretch[3]);
void slip_sim_tangent_recall(const slip_world *w, sim_contact *c, const slip_real stretch[3]);

/* ---- loops.c ----------------------------------------------------------------------------------------------------- */

/* Mobility of a body if it were free, of its points [1/kg] or about its axes [1/(kg m^2)]; 0 without mass. */
slip_real slip_sim_free_mobility(const slip_world *w, int body, int angular);

/* Whether an island has a loop. */
int slip_sim_has_loop(slip_world *w, const slip_island *island, int loop);

/* Rows r ... of a loop in w->rows, u: their J v at w->step.v_bias. Returns the row after them. */
int slip_sim_loop_rows(slip_world *w, int loop, const slip_real *u, int r);

/* After the solve, row r ... of a loop: what its error will be. Then, with v_next: what the arcs of all loops have
 * missed; returns whether that changes the step. */
void slip_sim_loop_predict(slip_world *w, int loop, int r);
int slip_sim_loops_missed(slip_world *w, const slip_step_input *in);

/* After slip_sim_rows(): R of the loops' rows; the second also reduces their pull in g, so that it puts no more than a
 * bounded energy into the links. Both need Y. */
void slip_sim_soften_loops(slip_world *w, const slip_island *island);
void slip_sim_bound_pulls(slip_world *w, const slip_island *island);

/* J v of a loop's row at the bodies' velocities in w->data: those of the body that both hang on do not count. */
slip_real slip_sim_loop_velocity(const slip_world *w, int loop, const slip_row_site *row);

/* Row k of a loop. */
void slip_sim_loop_row(const slip_world *w, int loop, int k, slip_row_site *row);

/* ---- spring.c ---------------------------------------------------------------------------------------------------- */

int slip_sim_is_spring(const slip_world *w, int loop);

/* The axis of a spring's row, between its points. */
void slip_sim_spring_axis(const slip_world *w, int loop, slip_row_site *row);

/* Row r of a spring in w->rows. */
void slip_sim_spring_row(slip_world *w, int loop, int r);

/* R of its row in an impact. */
slip_real slip_sim_spring_impact(const slip_world *w, int loop);

/* After slip_phase_integrate(): v_next without the energy that springs have created. */
void slip_sim_bound_springs(slip_world *w, const slip_step_input *in);

/* Displacement of frame b from frame a along all rows of a loop [m, rad]. */
void slip_sim_loop_error(const slip_world *w, int loop, slip_real error[6]);

/* ---- rolling.c: in a world without such materials none of these is called ---------------------------------------- */

/* All contacts get the friction of their materials. */
void slip_sim_rolling_find(slip_world *w);

/* Impulses of contact i from memory m (NULL: none); and back. */
void slip_sim_rolling_recall(slip_world *w, int i, const sim_rolling_memory *m);
void slip_sim_rolling_keep(const slip_world *w, int i, sim_rolling_memory *m);

/* The island's blocks against turning. */
void slip_sim_rolling_sites(slip_world *w, const slip_island *island);       /* after the sites of its contacts       */
void slip_sim_rolling_rows(slip_world *w, const slip_island *island);        /* after the rows of its contacts        */
void slip_sim_rolling_store(slip_world *w, const slip_island *island);       /* the answer, back to the contacts      */

/* Whether bounds contradict the normal impulses in w->rows.lambda. Then all bounds are set anew and the island has to
 * be solved again; in round SIM_ROLLING_ROUNDS they are counted in stats.unbounded instead, and 0 is returned. */
enum { SIM_ROLLING_ROUNDS = 16 };
int slip_sim_rolling_check(slip_world *w, const slip_island *island, int round);

/* The contact, by its place in the island, that block i >= the island's contacts belongs to. */
int slip_sim_rolling_owner(const slip_world *w, const slip_island *island, int i);

/* Bits SIM_ROLLS_... of a material. */
int slip_sim_rolling_kinds(const slip_material *m);

/* Whether a solver takes friction against turning of these kinds. */
slip_status slip_sim_rolling_solver(const slip_solver *solver, int kinds, slip_error *err);

/* ---- soften.c, reuse.c, impulses.c, missed.c ------------------------------------------------------------------- */

/* Softens contacts of the island in w->rows. Returns how many yield. */
int slip_sim_soften(slip_world *w, const slip_island *island);

/* How deep in a jam a contact's links are, 0 to 1: where it is above 0 the contact yields and does not bounce. */
slip_real slip_sim_jam(const slip_world *w, const sim_contact *c);

/* Sets the jam mark of overlapping contacts when the island missed its tolerance; it lasts while they overlap. */
void slip_sim_mark_jams(slip_world *w, const slip_island *island, int missed);

/* Whether the last step reused the impulses of all contacts of an island. */
int slip_sim_was_reused(const slip_world *w, const slip_island *island);

/* Whether the warm start in w->rows, the last step's impulses, meets the criterion: of impulses that the last step had
 * reused itself, judged by J alone; of any. with_G: the problem with its G; NULL: it is not made yet, and velocities
 * come from Y. */
int slip_sim_reused_impulses_hold(slip_world *w, const slip_island *island, slip_residual *residual);
int slip_sim_last_impulses_hold(slip_world *w, const slip_island *island, const slip_problem *with_G,
                                 slip_residual *residual);

/* How many times a residual exceeds the world's tolerance. */
slip_real slip_sim_excess(const slip_world *w, const slip_residual *r);

/* All islands solved, and v_next. */
slip_status slip_sim_impulses(slip_world *w, const slip_step_input *in, const slip_real *v_free, slip_real *v_next);

/* w->error for an island whose answer exceeds the tolerance, unless another one's exceeded it more or contacts were
 * dropped. */
void slip_sim_report_missed(slip_world *w, slip_status s, const slip_island *island, const slip_residual *r,
                            slip_real excess);

/* w->error for an island whose solver failed. */
void slip_sim_report_failed(slip_world *w, slip_status s, const slip_island *island);

/* Clears it, before all islands are solved again. */
void slip_sim_forget_missed(slip_world *w);

/* ---- sleep.c ----------------------------------------------------------------------------------------------------- */

/* In this order in a step. */
void slip_sim_wake(slip_world *w);                       /* wakes trees, after the free velocity                      */
void slip_sim_sleep_groups(slip_world *w);               /* finds the groups that sleep                               */
int slip_sim_island_sleeps(const slip_world *w, const slip_island *island);
void slip_sim_hold_sleepers(slip_world *w);              /* v_next = 0 for sleeping groups                            */
void slip_sim_update_sleep_timers(slip_world *w);        /* at the end of the step                                    */

/* ---- bound_energy.c: around slip_phase_integrate() of a step that is unresolved or hit -------------------------- */

/* Before it: sums the energy that there should be. After it: scales v_next. */
void slip_sim_bound_energy_begin(slip_world *w, const slip_step_input *in);
void slip_sim_bound_energy_end(slip_world *w, const slip_step_input *in);

/* kinetic [nbodies] by root bodies; w->data is then at q, v. */
void slip_sim_tree_energies(slip_world *w, const slip_real *q, const slip_real *v, slip_real *kinetic);

/* ---- work.c, integrate.c, read.c ----------------------------------------------------------------------------- */

/* Coordinate i of the velocity before (0) or after (1) the impulses in the middle of the step. */
slip_real slip_sim_middle(const slip_world *w, const slip_step_input *in, int i, int after);

/* Adds the work of a step that ends with v_next, in the axes of its start; after slip_sim_drive_forces(). */
void slip_sim_work(slip_world *w, const slip_step_input *in);

/* q at length 1, in e where it is not: users may write quaternions of any length. */
const slip_real *slip_sim_unit(const slip_real q[4], slip_real e[4]);

/* How floating body b turns in the time h, without forces: e, and v in the new axes. -h undoes it. */
void slip_sim_turn(const slip_world *w, int b, slip_real h, slip_real v[6], slip_real e[4]);

/* q_next [nq] = q [+] h v: all bodies move for the time h without forces; v into the new axes. */
void slip_sim_drift(const slip_world *w, const slip_real *q, slip_real h, slip_real *v, slip_real *q_next);

/* Time from the state in the middle of a step, where its forces act, to its end. */
static inline slip_real slip_sim_last_part(const slip_world *w)
{
    return w->opt.integrator == SLIP_EULER ? w->opt.dt : w->opt.dt/2;
}

/* For body b alone on a floating or planar joint: the part of its bias forces, in the axes of the step's start, that
 * integrate.c treats by turning momenta: w x (w x m c), w x I w of the velocity v [6 or 3]. */
void slip_sim_turn_bias(const slip_world *w, int b, const slip_real *v, slip_real *bias);

/* rate = dw/dt = -I^-1 (w x I w) of a body that floats alone, with spin w, body axes. */
void slip_sim_spin_rate(const slip_world *w, int b, const slip_real spin[3], slip_real rate[3]);

/* Velocities of links in w->data and w->step.accel as sensors read them, of the middle of the last step: most steps are
 * followed by none. Called before poses move on. */
void slip_sim_sense(slip_world *w);

/* Adds to accel [6] of a body that floats alone the acceleration by turning momenta, with spin w: dw/dt = -I^-1 (w x I
 * w) about its centre of mass, and that of its origin about the centre [m/s^2, rad/s^2]. */
void slip_sim_turn_accel(const slip_world *w, int b, const slip_real spin[3], slip_real accel[6]);

/* r = (E - 1) x for the rotation E of a quaternion, without loss when that is small. */
static inline void slip_sim_turned(const slip_real e[4], const slip_real x[3], slip_real r[3])
{
    slip_real t[3];

    slip_cross3(e, x, t);
    slip_scale3(2, t, t);
    slip_scale3(e[3], t, r);
    slip_cross3_add(e, t, r);
}

/* A hash of the world a snapshot belongs to: counts, names and kinds of links, joints, colliders and loops, and how
 * they hang together; no masses, poses or sizes. */
uint64_t slip_sim_fingerprint(const slip_world *w);

/* step.c: solvers get part/whole of what is left of the step's budget, until the end of it. Not shared: an iteration
 * for each of `islands` that come later, and the time for the rows of so many contacts. */
void slip_sim_share(slip_world *w, int part, int whole, int islands, int contacts);
void slip_sim_share_end(slip_world *w);

/* Whether the budget allows all islands to be solved once more. */
int slip_sim_allows_round(const slip_world *w);

/* Charges the time since the last lap to a phase. */
static inline void slip_sim_lap(slip_world *w, int phase)
{
    double now;

    if (!w->opt.clock) return;
    now = w->opt.clock(w->opt.clock_context);
    w->stats.seconds[phase] += now - w->step.lap;
    w->step.lap = now;
}

#endif
