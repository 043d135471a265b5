/* The velocity a world would have without contacts, limits and loops: v_free = v + dt M^-1 (tau - nle).
 *
 * Drives and viscous damping act on the velocity at the end of the step, which only changes the diagonal:
 *   (M + dt (kd + c) + dt^2 kp) dv = dt (tau - nle + kp (q_ref - q - dt v) + kd (v_ref - v) - c v)
 * A drive beyond its effort limit becomes a constant torque and the step is taken again.
 *
 * The velocity of a floating joint is given in the body's axes, which turn. The step keeps the axes of its
 * start: the linear part then changes by the classical acceleration, a + w x v, and free flight follows
 * its parabola exactly. A body that floats alone keeps its angular momentum exactly as well: no gyroscopic
 * term here, the momentum is turned into the new axes in integrate.c. */
#include "sim/world_private.h"

static int free_has_drive(const slip_drive *d) { return d->kp != 0 || d->kd != 0 || d->feed != 0; }

/* Torque of a drive at the end of a step with velocity v_end. */
static slip_real free_drive_torque(const slip_world *w, int iv, slip_real v_end)
{
    const slip_drive *d = &w->drives[iv];
    const int iq = w->model->limit_iq[iv];
    const slip_real q = iq < 0 ? 0 : w->q[iq];

    if (!d->implicit) return d->kp*(d->q_ref - q) + d->kd*(d->v_ref - w->v[iv]) + d->feed;
    return d->kp*(d->q_ref - q - w->opt.dt*v_end) + d->kd*(d->v_ref - v_end) + d->feed;
}

static slip_real free_clamped(slip_real x, slip_real limit) { return slip_clamp(x, -limit, limit); }

/* Adds what is implicit to the diagonal of M and fills x with dt times the forces. */
static void free_system(slip_world *w)
{
    const slip_model *m = w->model;
    const slip_real dt = w->opt.dt;
    int i;

    for (i = 0; i < m->nv; ++i) {
        const slip_drive *d = &w->drives[i];
        slip_real *diagonal = &w->data->M[m->branches.row[i] + m->branches.depth[i]];
        slip_real force = w->tau[i] - w->nle[i] - m->damping[i]*w->v[i];

        *diagonal += dt*m->damping[i];
        if (free_has_drive(d)) {
            if (w->saturated[i]) force += (slip_real)w->saturated[i]*d->effort;
            else force += free_clamped(free_drive_torque(w, i, w->v[i]), d->implicit ? (slip_real)INFINITY : d->effort);
            if (d->implicit && !w->saturated[i]) *diagonal += dt*d->kd + dt*dt*d->kp;
        }
        w->x[i] = dt*force;
    }
}

/* Marks drives whose torque exceeds the limit; returns whether any mark changed. */
static int free_saturate(slip_world *w)
{
    int i, changed = 0;

    for (i = 0; i < w->model->nv; ++i) {
        const slip_drive *d = &w->drives[i];
        slip_real torque;

        if (!free_has_drive(d) || !d->implicit || w->saturated[i] || !slip_is_finite(d->effort)) continue;
        torque = free_drive_torque(w, i, w->v[i] + w->x[i]);
        if (slip_abs(torque) <= d->effort) continue;
        w->saturated[i] = torque > 0 ? 1 : -1;
        changed = 1;
    }
    return changed;
}

/* Dry friction in joints: an impulse of at most dt times its limit against the motion, joint after joint, each
 * through its own inertia 1/(M^-1)_ii, a few sweeps until they agree. */
static void free_dry_friction(slip_world *w)
{
    enum { SWEEPS = 20 };
    const slip_model *m = w->model;
    int sweep, i, k;

    for (i = 0; i < m->nv; ++i) w->accel[i] = 0;         /* impulses so far */
    for (sweep = 0; sweep < SWEEPS; ++sweep) {
        slip_real change = 0, largest = 0;

        for (i = 0; i < m->nv; ++i) {
            const slip_real most = w->opt.dt*m->friction[i];
            slip_real impulse;

            if (most == 0) continue;
            for (k = 0; k < m->nv; ++k) w->drive_force[k] = k == i;
            slip_ltl_solve(&m->branches, w->data->L, w->data->D_inv, w->drive_force);
            impulse = free_clamped(w->accel[i] - (w->v[i] + w->x[i])/w->drive_force[i], most);
            for (k = 0; k < m->nv; ++k) w->x[k] += (impulse - w->accel[i])*w->drive_force[k];
            change = slip_max(change, slip_abs(impulse - w->accel[i]));
            largest = slip_max(largest, slip_abs(impulse));
            w->accel[i] = impulse;
        }
        if (change <= SLIP_TOL(1e-10, 1e-5)*largest) break;
    }
}

/* dv of the floating joints from the body's turning axes to the axes of the step's start. */
static void free_freeze_axes(slip_world *w)
{
    const slip_model *m = w->model;
    int b;

    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]];
        slip_real *dv = w->x + iv, t[3];
        const slip_real *v = w->v + iv;

        if (m->type[b] == SLIP_JOINT_FLOATING) {
            slip_cross3(v + 3, v, t);
            slip_axpy3(w->opt.dt, t, dv, dv);
        } else if (m->type[b] == SLIP_JOINT_PLANAR) {
            dv[0] -= w->opt.dt*v[2]*v[1];
            dv[1] += w->opt.dt*v[2]*v[0];
        }
    }
}

/* Takes the gyroscopic moment w x I w out of the bias of bodies that float alone. */
static void free_drop_gyroscopic(slip_world *w)
{
    const slip_model *m = w->model;
    int b;

    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]];
        slip_real L[3], t[3];

        if (!w->free_single[b]) continue;
        slip_sym3_vec(m->inertia + 10*b + 4, w->v + iv + 3, L);
        slip_cross3(w->v + iv + 3, L, t);
        slip_sub3(w->nle + iv + 3, t, w->nle + iv + 3);
    }
}

/* M, its factor and dt M^-1 forces into x; again while drives saturate. */
static slip_status free_solve(slip_world *w)
{
    enum { PASSES = 4 };
    const slip_model *m = w->model;
    slip_status s;
    int pass, i;

    for (i = 0; i < m->nv; ++i) w->saturated[i] = 0;
    for (pass = 0; pass < PASSES; ++pass) {
        int bad;

        slip_crba_pass(m, w->data);
        free_system(w);
        s = slip_ltl_factor(&m->branches, w->data->M, w->data->L, w->data->D_inv, &bad);
        if (s != SLIP_OK)
            return slip_fail(&w->error, SLIP_ERR_NOT_SPD, 0, 0, "the mass matrix has no inertia on coordinate %d", bad);
        slip_ltl_solve(&m->branches, w->data->L, w->data->D_inv, w->x);
        if (pass == PASSES - 1 || !free_saturate(w)) break;
    }
    return SLIP_OK;
}

slip_status slip_sim_free_velocity(slip_world *w)
{
    const slip_model *m = w->model;
    slip_status s;
    int i;

    slip_bias_pass(m, w->data, w->v, w->wrench, w->nle);
    free_drop_gyroscopic(w);
    s = free_solve(w);
    if (s != SLIP_OK) return s;
    if (w->has_friction) free_dry_friction(w);
    for (i = 0; i < m->nv; ++i)
        w->drive_force[i] = w->saturated[i] ? (slip_real)w->saturated[i]*w->drives[i].effort
                          : free_has_drive(&w->drives[i]) ? free_drive_torque(w, i, w->v[i] + w->x[i]) : 0;
    free_freeze_axes(w);
    for (i = 0; i < m->nv; ++i) w->v_free[i] = w->v[i] + w->x[i];
    return SLIP_OK;
}
