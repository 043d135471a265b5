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

/* The result is one to go on with, or nothing changes. */
static slip_status step_check_velocity(slip_world *w, const slip_real *v)
{
    const slip_real fastest = SLIP_MOST_SPEED;
    int i = 0;

    if (slip_all_within(v, w->model->nv, fastest)) return SLIP_OK;
    while (slip_abs(v[i]) <= fastest) ++i;
    return step_bad_result(w, slip_sim_joint_name(w, i), "velocity", v[i], fastest);
}

static slip_status step_check_result(slip_world *w)
{
    const slip_real farthest = SLIP_MOST_LENGTH;
    int i = 0;

    if (slip_all_within(w->q_next, w->model->nq, farthest)) return step_check_velocity(w, w->v_next);
    while (slip_abs(w->q_next[i]) <= farthest) ++i;
    return step_bad_result(w, slip_sim_joint_at(w, i), "position", w->q_next[i], farthest);
}

/* Whether a memory comes after a contact: by pair, then feature. */
static int step_is_after(const sim_memory *m, const sim_contact *c)
{
    return m->a != c->a ? m->a > c->a : m->b != c->b ? m->b > c->b : m->feature > c->feature;
}

static void step_write(const slip_world *w, const sim_contact *c, sim_memory *m)
{
    m->a = c->a;
    m->b = c->b;
    m->feature = c->feature;
    m->kept = c->kept;
    m->locked = c->locked;
    m->yields = c->yields;
    slip_copy3(c->site.point, m->point);
    slip_mat3_tvec(c->site.frame, c->impulse, m->impulse);
    slip_mat3_tvec(c->site.frame, c->dual, m->dual);
    m->slide = c->dual[2] - c->sigma[2];
    slip_zero3(m->stretch);
    if (c->tangent_stiffness > 0) slip_sim_tangent_keep(w, c, m->stretch);
}

/* Sorts what to remember of the contacts by pair, then feature: they come nearly so. */
static void step_remember(slip_world *w)
{
    int i, k;

    for (i = 0; i < w->ncontacts; ++i) {
        for (k = i; k > 0 && step_is_after(&w->memory[k - 1], &w->contacts[i]); --k) w->memory[k] = w->memory[k - 1];
        step_write(w, &w->contacts[i], &w->memory[k]);
    }
    w->clock->nmemory = w->ncontacts;
}

/* Memory of the pair (a, b) begins here or after. */
static int step_memory_at(const slip_world *w, int a, int b)
{
    int lo = 0, hi = w->clock->nmemory;

    while (lo < hi) {
        const int mid = (lo + hi)/2;
        const sim_memory *m = &w->memory[mid];

        if (m->a < a || (m->a == a && m->b < b)) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

/* What is remembered of a contact: of the same features or, when they were renamed, of the nearest point of the same
 * pair within a centimetre; NULL for a new one. *at is where the memory of some pair begins, in and out: contacts of
 * one pair come one after the other. */
static const sim_memory *step_find(const slip_world *w, const sim_contact *c, int *at)
{
    const int n = w->clock->nmemory;
    const sim_memory *nearest = NULL;
    slip_real within = SLIP_R(0.01);
    int k, end;

    if (*at >= n || w->memory[*at].a != c->a || w->memory[*at].b != c->b) *at = step_memory_at(w, c->a, c->b);
    for (end = *at; end < n && w->memory[end].a == c->a && w->memory[end].b == c->b; ++end)
        if (w->memory[end].feature == c->feature) return &w->memory[end];
    for (k = *at; k < end; ++k) {
        const slip_real d = slip_distance3(w->memory[k].point, c->site.point);

        if (d < within) { within = d; nearest = &w->memory[k]; }
    }
    return nearest;
}

/* Impulses and velocities of the step before, for contacts that persist; zero for new ones. */
static void step_recall(slip_world *w)
{
    int i, at = 0;

    for (i = 0; i < w->ncontacts; ++i) {
        sim_contact *c = &w->contacts[i];
        const sim_memory *m = step_find(w, c, &at);

        c->kept = m ? m->kept : 0;
        c->locked = m ? m->locked : 0;
        c->yields = m ? m->yields : 0;
        if (m) {
            slip_mat3_vec(c->site.frame, m->impulse, c->impulse);
            slip_mat3_vec(c->site.frame, m->dual, c->dual);
            slip_copy3(c->dual, c->sigma);
            c->sigma[2] -= m->slide;
            if (c->tangent_stiffness > 0) slip_sim_tangent_recall(w, c, m->stretch);
        } else {
            slip_zero3(c->impulse);
            slip_zero3(c->sigma);
            slip_zero3(c->dual);
        }
    }
}

/* Acceleration of the coordinates over the step, for sensors: floating and planar joints' in their own
 * turning axes. What momenta add when they turn with a body, integrate.c adds. */
static void step_accelerations(slip_world *w)
{
    const slip_model *m = w->model;
    int i, b;

    for (i = 0; i < m->nv; ++i) w->accel[i] = (w->v_next[i] - w->v[i])/w->opt.dt;
    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]];
        slip_real t[3];

        if (m->type[b] == SLIP_JOINT_FLOATING) {
            slip_cross3(w->v + iv + 3, w->v + iv, t);
            slip_sub3(w->accel + iv, t, w->accel + iv);
        } else if (m->type[b] == SLIP_JOINT_PLANAR) {
            w->accel[iv] += w->v[iv + 2]*w->v[iv + 1];
            w->accel[iv + 1] -= w->v[iv + 2]*w->v[iv];
        }
    }
    memcpy(w->v_start, w->v, (size_t)m->nv*sizeof *w->v);
}

/* Time as a product, which does not drift as a sum would; a new dt counts from where it came. */
static void step_tick(struct sim_clock *c, slip_real dt)
{
    if (c->dt != dt) {
        c->dt = dt;
        c->since = c->time;
        c->from = c->steps;
    }
    c->steps += 1;
    c->time = c->since + (slip_real)(c->steps - c->from)*dt;
}

static void step_commit(slip_world *w)
{
    slip_sim_grow_tired(w);
    memcpy(w->q, w->q_next, (size_t)w->model->nq*sizeof *w->q);
    memcpy(w->v, w->v_next, (size_t)w->model->nv*sizeof *w->v);
    step_tick(w->clock, w->opt.dt);
    step_remember(w);
}

/* Impulses and v_next; again while they overrule a drive's limit or a joint's friction. */
static slip_status step_impulses(slip_world *w)
{
    slip_status s;

    slip_sim_settle_begin(w);
    w->missed = 0;
    s = slip_sim_contact_impulses(w);
    while (s >= 0 && slip_sim_settle(w, 1, s == SLIP_OK)) {
        memset(&w->stats.residual, 0, sizeof w->stats.residual);
        w->stats.islands = w->stats.softened = w->stats.loops = 0;
        slip_sim_tell_again(w);
        s = slip_sim_contact_impulses(w);
    }
    return s == SLIP_OK && w->stats.unsettled > 0 ? SLIP_MAX_ITERS : s;
}

/* Of a state that slip_sim_check_state() has seen. */
static slip_status step_kinematics(slip_world *w)
{
    const slip_status s = slip_motion_pass(w->model, w->data, w->q, w->v);

    return s == SLIP_OK ? s : slip_sim_bad_quaternion(w, s);
}

/* What makes no velocity is mostly a force that is no number: then that is told instead. */
static slip_status step_blame(slip_world *w, slip_status s)
{
    const slip_status force = slip_sim_check_forces(w);

    return force != SLIP_OK ? force : s;
}

/* Everything up to the new velocity; the state is not touched. */
static slip_status step_compute(slip_world *w)
{
    slip_status s = step_kinematics(w), t;

    if (s != SLIP_OK) return s;
    slip_sim_lap(w, SLIP_PHASE_KINEMATICS);
    s = slip_sim_collide(w);
    if (s < 0) return s;
    slip_sim_lap(w, SLIP_PHASE_COLLISION);
    t = slip_sim_free_velocity(w);
    if (t == SLIP_OK) t = step_check_velocity(w, w->v_free);     /* a solver could not tell whose it is */
    if (t != SLIP_OK) return step_blame(w, t);
    if (w->actuated && slip_sim_check_drives(w) != SLIP_OK) return w->error.status;
    slip_sim_arcs(w);
    slip_sim_wake(w);
    slip_sim_lap(w, SLIP_PHASE_DYNAMICS);
    step_recall(w);
    t = step_impulses(w);
    if (t < 0) return t;
    slip_sim_lap(w, SLIP_PHASE_SOLVE);
    return t > SLIP_OK ? t : s;
}

/* The warm start of limits and loops, marks of drives and friction, who is tired and the solver's rho change on the
 * way: kept, and put back when a step fails. */
static void step_keep(slip_world *w)
{
    w->clock_before = *w->clock;
    memcpy(w->limit_before, w->limit_impulse, 2*(size_t)w->model->nv*sizeof *w->limit_before);
    memcpy(w->marks_before, w->saturated, (size_t)w->model->nv*sizeof *w->saturated);
    memcpy(w->marks_before + w->model->nv, w->slides, (size_t)w->model->nv*sizeof *w->slides);
    memcpy(w->still_before, w->still, (size_t)w->model->nbodies*sizeof *w->still_before);
    memcpy(w->loop_before, w->loop_state, (size_t)w->nloops*sizeof *w->loop_before);
}

static slip_status step_undo(slip_world *w, slip_status s)
{
    *w->clock = w->clock_before;
    memcpy(w->limit_impulse, w->limit_before, 2*(size_t)w->model->nv*sizeof *w->limit_before);
    memcpy(w->saturated, w->marks_before, (size_t)w->model->nv*sizeof *w->saturated);
    memcpy(w->slides, w->marks_before + w->model->nv, (size_t)w->model->nv*sizeof *w->slides);
    memcpy(w->still, w->still_before, (size_t)w->model->nbodies*sizeof *w->still_before);
    memcpy(w->loop_state, w->loop_before, (size_t)w->nloops*sizeof *w->loop_before);
    return w->stats.status = s;
}

slip_status slip_step(slip_world *w)
{
    slip_status s;

    w->lap = w->opt.clock ? w->opt.clock(w->opt.clock_context) : 0;
    if (w->error.status != SLIP_OK) slip_error_clear(&w->error);
    memset(&w->stats, 0, sizeof w->stats);
    if (w->control) w->control(w->control_context, w);
    step_keep(w);
    s = slip_sim_check_inputs(w);
    if (s == SLIP_OK) s = step_compute(w);
    w->stats.status = s;
    if (s < 0) return step_undo(w, s);
    step_accelerations(w);
    slip_sim_drive_forces(w);
    if (w->opt.work) slip_sim_work(w);
    slip_sim_integrate(w, w->accel);
    if (step_check_result(w) < 0) return step_undo(w, w->error.status);
    step_commit(w);
    slip_sim_lap(w, SLIP_PHASE_INTEGRATE);
    return s;
}

slip_status slip_world_update(slip_world *w)
{
    slip_status s;

    slip_error_clear(&w->error);
    s = slip_sim_check_state(w);
    if (s == SLIP_OK) s = step_kinematics(w);
    if (s == SLIP_OK) s = slip_sim_collide(w);
    if (s >= 0) step_recall(w);
    return s;
}
