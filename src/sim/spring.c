/* Springs with dampers between points of two links: one bilateral row each, along the line between the points.
 *
 * With the length l of the line in the middle of the step, its rate u before the step and u+ after it, the force that
 * pulls the points together is
 *
 *   k (l + dt/2 (gamma u+ - (1 - gamma) u) - l0) + d (theta u+ + (1 - theta) u)
 *
 * gamma = 1/2 is the mean of the lengths at both ends of the step. The spring's work, the force times dt (u + u+)/2, then
 * is exactly the change of k (l - l0)^2/2 along a straight line: no energy is lost (the trapezoidal rule; Newmark's with
 * 1/4 and 1/2). theta = 1/2 makes the damper one of second order. With f the mobility of the points if the links were
 * free, y = dt^2 k f and x = dt d f, steps cannot resolve the motion beyond y = 4, where a step is a third of the period,
 * nor beyond x = 2: there 1/2 would make u change its sign in each step, for ever in the limit. So
 *
 *   gamma = max(1/2, 1 - 2/y),    theta = max(1/2, 1 - 1/x)
 *
 * and what is not resolved dies out; x >= 2 stops free links within the step. Beyond y = 4 a spring is put right like a
 * loop (loops.c): its stretch counts with what a speed of max_pull/(1 - 4/y) and u make of it in a step at most, so that
 * springs that start far from their length do not throw their links about. Any k and d are stable. Euler's step takes
 * l and u at its end.
 *
 * As a row: (J v+ + bias) + R lambda = 0, R = 1/s, s = gamma dt^2 k/2 + theta dt d, of which bias has what is known. R may be
 * many times the mobility, and bias then many times all velocities of the scene, which would spoil the tolerance of the
 * solver's answer. So the row is multiplied by c = sqrt(f/(f + R)).
 *
 * Steps in which the line or a link turns by a fifth of a radian, and springs too stiff to be resolved, move the points to
 * another length than u+ tells, and the spring then stores what its impulse has not given: from there energy could grow
 * without end. There the lengths at both ends of the step are measured, and what has been created is taken from the
 * velocities of both trees; what they do not have is owed.
 *
 * An impact gives a spring no time: there R is so large that its impulse is sqrt(eps) of what a rod's would be. */
#include "sim/world_private.h"

int slip_sim_is_spring(const slip_world *w, int loop) { return w->fixed.loops[loop].def.kind == SLIP_LOOP_SPRING; }

/* Mobility of the frame's point on a body that were free, as a mean of all directions at most. */
static slip_real spring_mobility_at(const slip_world *w, int body, const slip_real point[3])
{
    const slip_real *I = w->model->inertia + 10*body;
    slip_real arm[3];

    if (body == 0 || !(I[0] > 0)) return 0;
    slip_axpy3(-1/I[0], I + 1, point, arm);
    return slip_sim_free_mobility(w, body, 0) + slip_dot3(arm, arm)*slip_sim_free_mobility(w, body, 1);
}

/* s, the shares of dt^2 k and dt d in it and in bias, and the scale c of the row. */
typedef struct { slip_real end_k, start_k, end_d, start_d, s, scale, free; } spring_row;

static spring_row spring_terms(const slip_world *w, int loop)
{
    const sim_loop *l = &w->fixed.loops[loop];
    const slip_real dt = slip_abs(w->opt.dt), k = l->def.stiffness, d = l->def.damping;
    const int euler = w->opt.integrator == SLIP_EULER;
    spring_row t;

    t.free = spring_mobility_at(w, l->body_a, l->local_a.p) + spring_mobility_at(w, l->body_b, l->local_b.p);
    t.end_k = 1 - slip_min(SLIP_R(0.5), 2/(dt*dt*k*t.free));
    t.end_d = 1 - slip_min(SLIP_R(0.5), 1/(dt*d*t.free));
    if (euler) t.end_k = t.end_d = 1;
    t.start_k = euler ? 0 : (1 - t.end_k)/2;
    t.start_d = 1 - t.end_d;
    if (!euler) t.end_k /= 2;
    t.s = t.end_k*dt*dt*k + t.end_d*dt*d;
    t.scale = t.free > 0 ? slip_sqrt(t.free*t.s/(t.free*t.s + 1)) : 1;
    return t;
}

/* The direction from a to b, z where they are in one place. Returns their distance. */
static slip_real spring_line(const slip_real a[3], const slip_real b[3], slip_real n[3])
{
    slip_real l;

    slip_sub3(b, a, n);
    l = slip_norm3(n);
    if (l > 0) slip_scale3(1/l, n, n);
    else slip_set3(0, 0, 1, n);
    return l;
}

void slip_sim_spring_axis(const slip_world *w, int loop, slip_row_site *row)
{
    slip_real n[3];

    spring_line(row->point_a, row->point_b, n);
    slip_scale3(spring_terms(w, loop).scale, n, row->axis);
}

/* Turn of the line or of a link in a step from which on it is not resolved [rad]. Boxes that spin by up to 0.3 rad a
 * step gain 2.9 % with 0.2, 1.5 % with 0.1 and 0.07 % with this; with 0 the governor's error goes with dt
 * (tests/test_springs.c). */
#define SPRING_TURN SLIP_R(0.05)

/* The fastest rate at which the line between the points or one of the links turns. */
static slip_real spring_turn(const slip_world *w, const slip_row_site *row)
{
    const slip_real *a = w->data->velocity + 6*row->body_a, *b = w->data->velocity + 6*row->body_b;
    slip_real line[3], arm[3], t[3], v[3], length;
    const slip_real spin = slip_max(slip_norm3(a + 3), slip_norm3(b + 3));

    slip_sub3(row->point_b, w->data->pose[row->body_b].p, arm);
    slip_cross3(b + 3, arm, v);
    slip_add3(v, b, v);
    slip_sub3(row->point_a, w->data->pose[row->body_a].p, arm);
    slip_cross3(a + 3, arm, t);
    slip_add3(t, a, t);
    slip_sub3(v, t, v);
    length = spring_line(row->point_a, row->point_b, line);
    slip_cross3(line, v, t);
    return length > 0 ? slip_max(spin, slip_norm3(t)/length) : (slip_real)INFINITY;
}

void slip_sim_spring_row(slip_world *w, int loop, int r)
{
    const slip_loop_def *def = &w->fixed.loops[loop].def;
    const sim_loop_state *state = &w->state.loop_state[loop];
    const spring_row t = spring_terms(w, loop);
    const slip_real dt = w->opt.dt;
    sim_loop_step *now = &w->step.loops[loop];
    const slip_real y = dt*dt*def->stiffness*t.free, most = dt*w->opt.max_pull/(1 - 4/slip_max(y, 4));
    slip_real n[3], stretch, u, bias;
    slip_row_site row;

    slip_sim_loop_row(w, loop, 0, &row);
    u = slip_sim_loop_velocity(w, loop, &row)/t.scale;
    stretch = spring_line(row.point_a, row.point_b, n) - def->length;
    if (y > 4) stretch = slip_clamp(stretch, -most - dt*slip_abs(u), most + dt*slip_abs(u));
    bias = dt*def->stiffness*(stretch - t.start_k*dt*u) + t.start_d*dt*def->damping*u;
    now->bias = t.scale*bias/t.s;
    now->compliance = t.scale*t.scale/t.s;
    now->creates = y > 4 || dt*spring_turn(w, &row) > SPRING_TURN;
    w->rows.g[r] += now->bias;
    w->rows.R[r] = now->compliance;
    w->rows.compliant = 1;
    w->rows.dual[r] = state->dual[0];
    w->rows.lambda[r] = state->impulse[0];
}

slip_real slip_sim_spring_impact(const slip_world *w, int loop)
{
    const spring_row t = spring_terms(w, loop);

    return t.scale*t.scale*(t.free > 0 ? t.free : 1/t.s)/slip_sqrt(SLIP_REAL_EPS);
}

/* ---- energy that geometry creates ------------------------------------------------------------------------------------ */

/* k (l - l0)^2/2 at the poses in w->data. */
static slip_real spring_energy(const slip_world *w, int loop)
{
    const slip_loop_def *def = &w->fixed.loops[loop].def;
    slip_row_site row;
    slip_real n[3], stretch;

    slip_sim_loop_row(w, loop, 0, &row);
    stretch = spring_line(row.point_a, row.point_b, n) - def->length;
    return def->stiffness*stretch*stretch/2;
}

/* Work of the row's impulse: J v+ follows from the row's equation. */
static slip_real spring_work(const slip_world *w, int loop)
{
    const sim_loop_step *now = &w->step.loops[loop];
    const slip_real lambda = w->state.loop_state[loop].impulse[0];
    slip_row_site row;

    slip_sim_loop_row(w, loop, 0, &row);
    return lambda*(slip_sim_loop_velocity(w, loop, &row) - now->bias - now->compliance*lambda)/2;
}

/* Multiplies the velocities of a tree by `factor`, but for prescribed ones. */
static void spring_slow(slip_world *w, int root, slip_real factor, slip_real *kinetic)
{
    int i;

    for (i = 0; i < w->model->nv; ++i)
        if (w->fixed.body_tree[w->fixed.iv_body[i]] == root && !slip_sim_is_given(w, i)) w->step.v_next[i] *= factor;
    kinetic[root] *= factor*factor;
}

/* Takes what spring i owes from the trees of its links, in proportion to what they have. */
static void spring_pay(slip_world *w, int i, slip_real *kinetic)
{
    const int a = w->fixed.body_tree[w->fixed.loops[i].body_a], b = w->fixed.body_tree[w->fixed.loops[i].body_b];
    slip_real *owed = w->state.loop_state[i].missed, both = 0, paid;

    if (a > 0) both += kinetic[a];
    if (b > 0 && b != a) both += kinetic[b];
    paid = slip_min(*owed, both);
    if (!(paid > 0)) return;
    *owed -= paid;
    if (a > 0) spring_slow(w, a, slip_sqrt(1 - paid/both), kinetic);
    if (b > 0 && b != a) spring_slow(w, b, slip_sqrt(1 - paid/both), kinetic);
}

static int spring_creates(const slip_world *w, int loop)
{
    return w->state.loop_state[loop].on && slip_sim_is_spring(w, loop) && w->step.loops[loop].creates;
}

void slip_sim_bound_springs(slip_world *w, const slip_step_input *in)
{
    slip_real *kinetic = w->step.tree_scratch;
    int i, any = 0;

    for (i = 0; i < slip_sim_loop_count(w); ++i) {
        if (!spring_creates(w, i)) continue;
        any = 1;
        w->step.loops[i].created = spring_work(w, i);
    }
    if (!any) return;
    slip_motion_pass(w->model, w->data, w->state.q, w->state.v);
    for (i = 0; i < slip_sim_loop_count(w); ++i) if (spring_creates(w, i)) w->step.loops[i].created -= spring_energy(w, i);
    slip_sim_tree_energies(w, w->step.q_next, w->step.v_next, kinetic);
    for (i = 0; i < slip_sim_loop_count(w); ++i) {
        slip_real *owed = w->state.loop_state[i].missed;

        if (!spring_creates(w, i)) continue;
        *owed = slip_max(0, *owed + w->step.loops[i].created + spring_energy(w, i));
        spring_pay(w, i, kinetic);
    }
    slip_motion_pass(w->model, w->data, in->q, in->v);
}
