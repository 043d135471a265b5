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
 * and what is not resolved dies out; x >= 2 stops free links within the step. Any k and d are stable. Euler's step takes
 * l and u at its end.
 *
 * As a row: (J v+ + bias) + R lambda = 0, R = 1/s, s = gamma dt^2 k/2 + theta dt d, of which bias has what is known. R may be
 * many times the mobility, and bias then many times all velocities of the scene, which would spoil the tolerance of the
 * solver's answer. So the row is multiplied by c = sqrt(f/(f + R)).
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

void slip_sim_spring_row(slip_world *w, int loop, int r)
{
    const slip_loop_def *def = &w->fixed.loops[loop].def;
    const sim_loop_state *state = &w->state.loop_state[loop];
    const spring_row t = spring_terms(w, loop);
    const slip_real dt = w->opt.dt;
    slip_real n[3], stretch, u, bias;
    slip_row_site row;

    slip_sim_loop_row(w, loop, 0, &row);
    stretch = spring_line(row.point_a, row.point_b, n) - def->length;
    u = slip_sim_loop_velocity(w, loop, &row)/t.scale;
    bias = dt*def->stiffness*(stretch - t.start_k*dt*u) + t.start_d*dt*def->damping*u;
    w->rows.g[r] += t.scale*bias/t.s;
    w->rows.R[r] = t.scale*t.scale/t.s;
    w->rows.compliant = 1;
    w->rows.dual[r] = state->dual[0];
    w->rows.lambda[r] = state->impulse[0];
}

slip_real slip_sim_spring_impact(const slip_world *w, int loop)
{
    const spring_row t = spring_terms(w, loop);

    return t.scale*t.scale*(t.free > 0 ? t.free : 1/t.s)/slip_sqrt(SLIP_REAL_EPS);
}
