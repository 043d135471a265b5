/* Reading a world: contacts, forces on links, sensors, energies, snapshots. */
#include "sim/world_private.h"

#include <string.h>

static const char *read_link_name(const slip_world *w, int link)
{
    return link < 0 ? "world" : w->model->link_name[link];
}

static int read_is_link(const slip_world *w, int link) { return link >= 0 && link < w->model->nlinks; }

int slip_contact_count(const slip_world *w) { return w->step.ncontacts; }

/* Open, sticking or slipping, by the size of the impulses and velocities around. */
static slip_contact_state read_state(const slip_world *w, const sim_contact *c)
{
    const slip_real small = SLIP_TOL(1e-9, 1e-6), slow = SLIP_TOL(1e-6, 1e-4);

    if (c->impulse[2] <= small*slip_max(w->stats.residual.lambda_max, SLIP_R(1e-6))) return SLIP_CONTACT_OPEN;
    return slip_norm2(c->sigma) > slow ? SLIP_CONTACT_SLIP : SLIP_CONTACT_STICK;
}

/* Impulse of a contact in the step, with its impacts, contact frame. */
static void read_impulse(const slip_world *w, const sim_contact *c, slip_real impulse[3])
{
    slip_copy3(c->impulse, impulse);
    if (w->step.any_impact) slip_add3(impulse, c->impact, impulse);
}

/* Torque of torsional and rolling friction of contact i on its second collider, world axes. */
static void read_torque(const slip_world *w, int i, slip_real torque[3])
{
    slip_zero3(torque);
    if (!w->step.rolls) return;
    slip_mat3_tvec(w->step.contacts[i].site.frame, w->step.rolling[i].impulse, torque);
    slip_scale3(1/w->opt.dt, torque, torque);
}

slip_contact_info slip_contact_get(const slip_world *w, int i)
{
    const sim_contact *c;
    slip_contact_info o;
    slip_real all[3];
    int k;

    memset(&o, 0, sizeof o);
    o.collider_a = o.collider_b = o.link_a = o.link_b = -1;
    o.name_a = o.name_b = read_link_name(w, -1);
    if (i < 0 || i >= w->step.ncontacts) return o;
    c = &w->step.contacts[i];
    o.collider_a = c->a;
    o.collider_b = c->b;
    o.link_a = w->fixed.colliders[c->a].link;
    o.link_b = w->fixed.colliders[c->b].link;
    o.name_a = read_link_name(w, o.link_a);
    o.name_b = read_link_name(w, o.link_b);
    slip_copy3(c->site.point, o.point);
    slip_mat3_copy(c->site.frame, o.frame);
    o.gap = c->gap;
    o.mu = c->mu;
    slip_copy3(c->impulse, o.impulse);
    slip_copy3(c->sigma, o.velocity);
    read_impulse(w, c, all);
    o.force_n = all[2]/w->opt.dt;
    o.force_t = slip_norm2(all)/w->opt.dt;
    slip_mat3_tvec(c->site.frame, all, o.force);
    for (k = 0; k < 3; ++k) o.force[k] /= w->opt.dt;
    read_torque(w, i, o.torque);
    o.state = read_state(w, c);
    o.feature = c->feature;
    return o;
}

/* Force of a contact on its second collider, world axes. */
static void read_force(const slip_world *w, const sim_contact *c, slip_real f[3])
{
    slip_real impulse[3];

    read_impulse(w, c, impulse);
    slip_mat3_tvec(c->site.frame, impulse, f);
    slip_scale3(1/w->opt.dt, f, f);
}

int slip_link_contact_wrench(const slip_world *w, int link, const slip_real point[3], slip_real wrench[6])
{
    slip_real at[3] = { 0, 0, 0 };
    slip_pose X;
    int i, n = 0;

    if (point) slip_copy3(point, at);
    else if (read_is_link(w, link)) {
        slip_link_pose(w->model, w->data, link, &X);
        slip_copy3(X.p, at);
    }
    for (i = 0; i < 6; ++i) wrench[i] = 0;
    for (i = 0; i < w->step.ncontacts; ++i) {
        const sim_contact *c = &w->step.contacts[i];
        const int on_a = w->fixed.colliders[c->a].link == link, on_b = w->fixed.colliders[c->b].link == link;
        slip_real f[3], r[3], torque[3];

        if (!on_a && !on_b) continue;
        read_force(w, c, f);
        read_torque(w, i, torque);
        if (on_a) slip_neg3(f, f);
        slip_axpy3(on_a ? SLIP_R(-1) : SLIP_R(1), torque, wrench + 3, wrench + 3);
        slip_sub3(c->site.point, at, r);
        slip_add3(wrench, f, wrench);
        slip_cross3_add(r, f, wrench + 3);
        ++n;
    }
    return n;
}

int slip_pair_contact_force(const slip_world *w, int link_a, int link_b, slip_real force[3])
{
    int i, n = 0;

    slip_zero3(force);
    for (i = 0; i < w->step.ncontacts; ++i) {
        const sim_contact *c = &w->step.contacts[i];
        const int la = w->fixed.colliders[c->a].link, lb = w->fixed.colliders[c->b].link;
        slip_real f[3];

        if (!((la == link_a && lb == link_b) || (la == link_b && lb == link_a))) continue;
        read_force(w, c, f);
        slip_axpy3(lb == link_b ? SLIP_R(1) : SLIP_R(-1), f, force, force);
        ++n;
    }
    return n;
}

void slip_world_constraint_force(const slip_world *w, slip_real *tau)
{
    int i;

    slip_branches_vec(&w->model->branches, w->data->M, w->step.dv_contact, tau);
    for (i = 0; i < w->model->nv; ++i)
        tau[i] = (slip_sim_is_given(w, i) ? w->step.jt_lambda[i] : tau[i])/w->opt.dt - w->step.held_force[i];
}

void slip_loop_force(const slip_world *w, int loop, slip_real wrench[6])
{
    slip_row_site row;
    int k;

    for (k = 0; k < 6; ++k) wrench[k] = 0;
    if (loop < 0 || loop >= slip_sim_loop_count(w) || !w->state.loop_state[loop].on) return;
    for (k = 0; k < (int)w->fixed.loops[loop].def.kind; ++k) {
        slip_real *part = wrench + (k < 3 ? 0 : 3);

        slip_sim_loop_row(w, loop, k, &row);
        slip_axpy3(w->state.loop_state[loop].impulse[k]/w->opt.dt, row.axis, part, part);
    }
}

void slip_world_drive_force(const slip_world *w, slip_real *tau)
{
    memcpy(tau, w->step.drive_force, (size_t)w->model->nv*sizeof *tau);
}

/* Floating and planar joints' accelerations are in their own turning axes. Of bodies that float alone, the forces have
 * only changed their momenta; these turn against the body as well. */
void slip_sim_sense(slip_world *w)
{
    const slip_model *m = w->model;
    int b;

    if (!w->step.unsensed) return;
    w->step.unsensed = 0;
    slip_velocities(m, w->data, w->step.v_sensed);
    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]];
        const slip_real *v = w->step.v_sensed + iv;
        slip_real t[3], *a = w->step.accel + iv;

        if (m->type[b] == SLIP_JOINT_FLOATING) {
            slip_cross3(v + 3, v, t);
            slip_sub3(a, t, a);
            if (w->fixed.free_single[b]) slip_sim_turn_accel(w, b, v + 3, a);
        } else if (m->type[b] == SLIP_JOINT_PLANAR) {
            a[0] += v[2]*(v[1] + v[2]*w->fixed.centre[3*b]);
            a[1] -= v[2]*(v[0] - v[2]*w->fixed.centre[3*b + 1]);
        }
    }
}

/* Acceleration of a link's origin and angular acceleration in the last step, world axes. */
static void read_acceleration(const slip_world *w, int link, const slip_pose *X, const slip_real v[6], slip_real a[6])
{
    const slip_model *m = w->model;
    const int b = m->link_body[link];
    slip_real r[3], t[3];

    slip_body_acceleration(m, w->data, b, w->step.accel, a);
    slip_sub3(X->p, w->data->pose[b].p, r);
    slip_cross3_add(a + 3, r, a);                        /* alpha x r + w x (w x r) */
    slip_cross3(v + 3, r, t);
    slip_cross3_add(v + 3, t, a);
}

void slip_link_acceleration(slip_world *w, int link, slip_real accel[6])
{
    slip_pose X;
    slip_real v[6];
    int i;

    for (i = 0; i < 6; ++i) accel[i] = 0;
    if (!read_is_link(w, link)) return;
    slip_sim_sense(w);
    slip_link_pose(w->model, w->data, link, &X);
    slip_link_velocity(w->model, w->data, link, v);
    read_acceleration(w, link, &X, v, accel);
}

void slip_link_imu(slip_world *w, int link, slip_real accel[3], slip_real gyro[3])
{
    slip_pose X;
    slip_real v[6], a[6];

    slip_neg3(w->model->gravity, accel);
    slip_zero3(gyro);
    if (!read_is_link(w, link)) return;
    slip_sim_sense(w);
    slip_link_pose(w->model, w->data, link, &X);
    slip_link_velocity(w->model, w->data, link, v);
    read_acceleration(w, link, &X, v, a);
    slip_sub3(a, w->model->gravity, a);
    slip_mat3_tvec(X.R, a, accel);
    slip_mat3_tvec(X.R, v + 3, gyro);
}

void slip_world_energy(slip_world *w, slip_real *kinetic, slip_real *potential)
{
    slip_sim_sense(w);
    slip_kinematics(w->model, w->data, w->state.q);
    slip_velocities(w->model, w->data, w->state.v);
    *kinetic = slip_kinetic_energy(w->model, w->data, w->state.v);
    *potential = slip_potential_energy(w->model, w->data);
}
