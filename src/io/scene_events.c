/* Events in time, applied to a world before each step: pushes, loops, drive targets, velocities. */
#include "io/scene.h"

#include <string.h>

/* Whether t0 falls into the step that begins at `now`: at or before its beginning, but after the step before. */
static int event_begins(slip_real t0, slip_real now, slip_real dt)
{
    const slip_real late = SLIP_TOL(1e-6, 1e-2)*dt;            /* time is a rounded product */

    return now + late >= t0 && now - dt + late < t0;
}

static int event_lasts(const slip_event *e, slip_real now, slip_real dt)
{
    const slip_real late = SLIP_TOL(1e-6, 1e-2)*dt;

    return now + late >= e->t0 && now + late < e->t1;
}

/* Clears the wrenches of all pushed bodies, so that a push that has ended leaves none. */
static void event_clear_pushes(const slip_scene *scene, slip_world *world)
{
    int i;

    for (i = 0; i < scene->nevents; ++i) {
        const slip_event *e = &scene->events[i];

        if (e->kind != SLIP_EVENT_PUSH) continue;
        memset(slip_world_wrench(world) + 6*scene->model->link_body[e->link], 0, 6*sizeof(slip_real));
    }
}

static void event_push(const slip_scene *scene, const slip_event *e, slip_world *world, slip_real now)
{
    slip_data *data = slip_world_data(world);
    slip_real force[3], point[3];
    slip_pose X;

    slip_axpy3(now - e->t0, e->rate, e->force, force);
    slip_link_pose(scene->model, data, e->link, &X);
    slip_pose_point(&X, e->at, point);
    slip_wrench_add(scene->model, data, e->link, point, force, e->torque, slip_world_wrench(world));
}

static void event_target(const slip_event *e, slip_world *world, slip_real now, slip_real dt)
{
    slip_drive *d = slip_world_drive(world, e->iv);
    const slip_real span = e->t1 - e->t0;

    if (event_begins(e->t0, now, dt)) {
        if (e->kp >= 0) d->kp = e->kp;
        if (e->kd >= 0) d->kd = e->kd;
    }
    if (e->moves && event_lasts(e, now, dt)) {
        d->q_ref = e->from + (e->to - e->from)*slip_clamp((now - e->t0)/span, 0, 1);
        d->v_ref = (e->to - e->from)/span;
    }
    if (event_begins(e->t1, now, dt)) {
        if (e->moves) d->q_ref = e->to;
        if (e->moves || e->turns) d->v_ref = e->v_ref;
    }
}

/* World axes to the body's own. */
static void event_velocity(const slip_scene *scene, const slip_event *e, slip_world *world)
{
    const slip_model *m = scene->model;
    const int body = m->link_body[e->link];
    const slip_real *q = slip_world_q(world) + m->iq[body];
    slip_real *v = slip_world_v(world) + m->dof_iv[m->idof[body]], R[9];

    slip_quat_to_mat3(q + 3, R);
    slip_mat3_tvec(R, e->velocity, v);
    slip_mat3_tvec(R, e->velocity + 3, v + 3);
}

/* The motion of move i's joint, at the first move of that joint. */
static void event_move(const slip_scene *scene, int i, slip_world *world, slip_real end, slip_real dt)
{
    slip_real q[7], v[6];
    int k;

    for (k = 0; k < i; ++k) if (scene->moves[k].joint == scene->moves[i].joint) return;
    slip_scene_motion(scene, scene->moves[i].joint, end, dt, q, v);
    slip_world_prescribe(world, scene->moves[i].joint, q, v);      /* it goes on as it was where they are too large */
}

void slip_scene_apply(const slip_scene *scene, slip_world *world)
{
    slip_scene_apply_at(scene, world, slip_world_time(world));
}

void slip_scene_apply_at(const slip_scene *scene, slip_world *world, slip_real now)
{
    const slip_real dt = slip_world_options_of(world)->dt;
    int i, has_poses = 0;

    for (i = 0; i < scene->nmoves; ++i) event_move(scene, i, world, now + dt, dt);
    if (scene->nevents == 0) return;
    event_clear_pushes(scene, world);
    for (i = 0; i < scene->nevents; ++i) {
        const slip_event *e = &scene->events[i];

        switch (e->kind) {
        case SLIP_EVENT_PUSH:
            if (!event_lasts(e, now, dt)) break;
            if (!has_poses) slip_kinematics(scene->model, slip_world_data(world), slip_world_q(world));
            has_poses = 1;                                     /* a q that is no good is the step's to complain of */
            event_push(scene, e, world, now);
            break;
        case SLIP_EVENT_TARGET: event_target(e, world, now, dt); break;
        case SLIP_EVENT_LOOP: if (event_begins(e->t0, now, dt)) slip_world_set_loop(world, e->loop, e->on); break;
        default: if (event_begins(e->t0, now, dt)) event_velocity(scene, e, world); break;
        }
    }
}

void slip_scene_control(void *scene, slip_world *world)
{
    slip_scene_apply((const slip_scene *)scene, world);
}
