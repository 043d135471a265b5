/* The velocity a world would have without contacts, limits and loops: v_free = v + dt M^-1 (tau - nle).
 *
 * Drives and viscous damping act on the velocity at the end of the step, which only changes the diagonal:
 *   (M + dt (kd + damping) + dt^2 kp) dv = dt (tau - nle + kp (q_ref - q - dt v) + kd (v_ref - v) + feed - damping v)
 * A drive beyond its effort limit is a constant torque. Dry friction is a damper so strong that its joint stands still,
 * until that takes more than the limit: then it is a constant torque against the motion. Which of these holds depends
 * on the velocity at the end of the step; settle.c checks it, and computes v_free again where marks have changed.
 *
 * The velocity of a floating joint is given in the body's axes, which turn. The kick happens at the step's middle (at
 * its start in Euler's scheme) and keeps the axes that the body has there: the linear part then changes by the
 * classical acceleration, a + w x v, and free flight follows its parabola exactly. A body that floats alone keeps its
 * momentum exactly as well, that about its centre of mass: no gyroscopic and no centripetal term here, the momenta are
 * turned into the new axes in integrate.c. */
#include "sim/world_private.h"

#include <string.h>

/* Adds drives and dry friction to the force and to the diagonal of coordinate i. */
static void fv_actuate(const slip_world *w, const slip_step_input *in, int i, slip_real *force, slip_real *stiff)
{
    const slip_real dt = w->opt.dt, most = w->model->friction[i];
    const slip_drive *d = &in->drives[i];

    if (slip_sim_has_drive(d)) {
        if (in->saturated[i]) *force += (slip_real)in->saturated[i]*d->effort;
        else if (!d->implicit) *force += slip_clamp(slip_sim_drive_torque(w, in, i, in->v[i]), -d->effort, d->effort);
        else {
            *force += slip_sim_drive_torque(w, in, i, in->v[i]);
            *stiff += dt*d->kd + dt*dt*d->kp;
        }
    }
    if (in->slides[i]) *force -= (slip_real)in->slides[i]*most;
    else if (most > 0) {
        *force -= SIM_STICK*w->step.inertia[i]*in->v[i]/dt;
        *stiff += SIM_STICK*w->step.inertia[i];
    }
}

/* The diagonal of M with its implicit terms, and x = dt times the forces. Returns whether the diagonal has changed. */
static int fv_system(slip_world *w, const slip_step_input *in)
{
    const slip_model *m = w->model;
    const slip_real dt = w->opt.dt;
    const int actuated = w->step.actuated, some = w->step.nprescribed > 0;
    int i, changed = 0;

    for (i = 0; i < m->nv; ++i) {
        slip_real force = in->tau[i] - w->step.nle[i] - m->damping[i]*in->v[i], stiff = dt*m->damping[i];

        if (actuated && !(some && w->step.given[i])) fv_actuate(w, in, i, &force, &stiff);
        stiff += w->step.inertia[i];
        changed |= w->step.diagonal[i] != stiff;
        w->step.diagonal[i] = stiff;
        w->step.smooth_force[i] = force + w->step.nle[i];
        w->step.x[i] = dt*force;
    }
    return changed;
}

/* Whether any coordinate is actuated. Clears the drive's mark where there is no implicit drive with an effort limit;
 * all others stay those of the last step. */
static void fv_marks(slip_world *w, const slip_step_input *in)
{
    const int some = w->step.nprescribed > 0;
    int i;

    w->step.actuated = 0;
    memset(w->step.tree_driven, 0, (size_t)w->model->nbodies*sizeof *w->step.tree_driven);
    for (i = 0; i < w->model->nv; ++i) {
        const slip_drive *d = &in->drives[i];
        const int given = some && w->step.given[i];
        const int drive = !given && slip_sim_has_drive(d), friction = !given && w->model->friction[i] > 0;

        w->step.actuated |= drive | friction;
        if (drive) w->step.tree_driven[w->fixed.body_tree[w->fixed.iv_body[i]]] = 1;
        if (!drive || !d->implicit || !slip_is_finite(d->effort)) in->saturated[i] = 0;
    }
}

/* dv of the floating joints from the body's turning axes to the axes of the step's middle. */
static void fv_freeze_axes(slip_world *w)
{
    const slip_model *m = w->model;
    int b;

    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]];
        slip_real *dv = w->step.x + iv, t[3];
        const slip_real *v = w->step.v_bias + iv;        /* as the bias has it: straight flight stays straight */

        if (m->type[b] == SLIP_JOINT_FLOATING) {
            slip_cross3(v + 3, v, t);
            slip_axpy3(w->opt.dt, t, dv, dv);
        } else if (m->type[b] == SLIP_JOINT_PLANAR) {
            dv[0] -= w->opt.dt*v[2]*v[1];
            dv[1] += w->opt.dt*v[2]*v[0];
        }
    }
}

/* Removes the gyroscopic and centripetal terms from the bias of bodies that float alone. */
static void fv_drop_gyroscopic(slip_world *w)
{
    const slip_model *m = w->model;
    int b;

    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]];
        slip_real bias[6];

        if (!w->fixed.free_single[b] && !w->fixed.plane_single[b]) continue;
        slip_sim_turn_bias(w, b, w->step.v_bias + iv, bias);
        slip_sub3(w->step.nle + iv, bias, w->step.nle + iv);
        if (w->fixed.free_single[b]) slip_sub3(w->step.nle + iv + 3, bias + 3, w->step.nle + iv + 3);
    }
}

/* M without implicit terms, and its diagonal. Where all bodies float alone it is made once; it is copied for each
 * step, since w->data is open to users. */
static void fv_mass(slip_world *w)
{
    const slip_model *m = w->model;
    const slip_branches *b = &m->branches;
    int i;

    if (w->fixed.constant_mass && w->cache.factored) return;
    if (w->fixed.constant_mass) slip_crba_constant(m, w->data);
    else slip_crba_pass(m, w->data);
    for (i = 0; i < m->nv; ++i) w->step.inertia[i] = w->data->M[b->row[i] + b->depth[i]];
    if (w->fixed.constant_mass) memcpy(w->cache.M, w->data->M, (size_t)b->size*sizeof *w->cache.M);
}

/* Whether a factor L is 1. */
static int fv_L_is_identity(const slip_branches *b, const slip_real *L)
{
    int i, e;

    for (i = 0; i < b->n; ++i)
        for (e = 0; e < b->depth[i]; ++e) if (L[b->row[i] + e] != 0) return 0;
    return 1;
}

/* The factor of the last step. Only with constant_mass. */
static void fv_restore_factor(slip_world *w)
{
    const slip_branches *b = &w->model->branches;

    memcpy(w->data->L, w->cache.L, (size_t)b->size*sizeof(slip_real));
    memcpy(w->data->D_inv, w->cache.D_inv, (size_t)b->n*sizeof(slip_real));
}

/* Keeps M and its factor for the next step. */
static void fv_keep_factor(slip_world *w)
{
    const slip_branches *b = &w->model->branches;
    const slip_data *d = w->data;

    memcpy(w->cache.M, d->M, (size_t)b->size*sizeof(slip_real));
    memcpy(w->cache.L, d->L, (size_t)b->size*sizeof(slip_real));
    memcpy(w->cache.D_inv, d->D_inv, (size_t)b->n*sizeof(slip_real));
    w->cache.factored = 1;
    w->cache.mass_is_diagonal = fv_L_is_identity(b, d->L);
}

/* Adds the share `ring` of its link's inertia to coordinate i. */
static void fv_raise_ring(slip_world *w, int i)
{
    const slip_branches *b = &w->model->branches;

    w->step.inertia[i] += w->opt.ring*w->fixed.ring[i];
    w->step.diagonal[i] += w->opt.ring*w->fixed.ring[i];
    w->data->M[b->row[i] + b->depth[i]] = w->step.diagonal[i];
}

/* Factors M, and raises rings where a D is 0 to rounding: see fv_rings(). The zero pivot may appear at a joint below
 * the ring; which ring is unknown then, so all are raised. */
static slip_status fv_factor_raising_rings(slip_world *w)
{
    const slip_branches *b = &w->model->branches;
    slip_data *d = w->data;
    int i, bad, raised = 0;

    while (slip_ltl_factor(b, d->M, d->L, d->D_inv, &bad) != SLIP_OK) {
        const int all = !(w->fixed.ring[bad] > 0);

        if (raised++ == b->n || !w->fixed.has_rings || !(w->opt.ring > 0))
            return slip_sim_no_inertia(w, bad, w->step.diagonal[bad]);
        for (i = all ? 0 : bad; i <= (all ? b->n - 1 : bad); ++i) fv_raise_ring(w, i);
    }
    return SLIP_OK;
}

/* M = L'DL; the last factor is kept when nothing has changed. */
static slip_status fv_factor(slip_world *w, int changed)
{
    const slip_branches *b = &w->model->branches;
    slip_data *d = w->data;
    slip_status s;
    int i;

    if (w->fixed.constant_mass) memcpy(d->M, w->cache.M, (size_t)b->size*sizeof(slip_real));
    if (w->fixed.constant_mass && w->cache.factored && !changed && w->step.nprescribed == 0) {
        fv_restore_factor(w);
        return SLIP_OK;
    }
    w->cache.factored = w->cache.mass_is_diagonal = 0;
    for (i = 0; i < b->n; ++i) d->M[b->row[i] + b->depth[i]] = w->step.diagonal[i];
    if (w->step.nprescribed > 0) slip_sim_prescribe_inertia(w);
    s = fv_factor_raising_rings(w);
    if (s != SLIP_OK) return s;
    if (w->step.nprescribed > 0) slip_sim_prescribe_factor(w);
    else if (w->fixed.constant_mass) fv_keep_factor(w);
    return SLIP_OK;
}

/* dt M^-1 forces into x, with drives and friction as they are marked. */
static slip_status fv_solve(slip_world *w, const slip_step_input *in)
{
    const slip_status s = fv_factor(w, fv_system(w, in));
    int i;

    if (s != SLIP_OK) return s;
    if (w->cache.mass_is_diagonal) for (i = 0; i < w->model->nv; ++i) w->step.x[i] *= w->data->D_inv[i];
    else slip_ltl_solve(&w->model->branches, w->data->L, w->data->D_inv, w->step.x);
    if (w->step.nprescribed > 0) slip_sim_prescribe_change(w, in, w->step.x);
    return s;
}

/* Gives rings some inertia. A ring is the massless link between two hinges, as in a gimbal. Three hinges are a ball
 * joint until the first and the last line up; there the first turns nothing but the ring, its D goes to zero and its
 * rate to thousands of rad/s, radians a step, and energy appears without end. So where D falls below a share `ring` of
 * the carried link's inertia (1 %: some six degrees around that place) it is kept there. Returns whether M has
 * changed. */
static int fv_rings(slip_world *w)
{
    int i, changed = 0;

    for (i = 0; i < w->model->nv; ++i) {
        const slip_real ring = w->opt.ring*w->fixed.ring[i];

        if (!(ring*w->data->D_inv[i] > 1)) continue;
        w->step.inertia[i] += ring - 1/w->data->D_inv[i];
        changed = 1;
    }
    return changed;
}

/* ---- the mean velocity ------------------------------------------------------------------------------------------- */

/* Forces that are quadratic in v belong to the mean velocity of the step, v_mean = v + (dv_smooth + dv_expected)/2:
 * then they do the same forwards and backwards in time, errors are of second order, and energy does not drift.
 * dv_smooth is the change of v by all smooth forces in this step, which depend on v_mean again; dv_expected, by
 * contacts, limits and loops, is taken from the last steps (0 after an impact; where it was wrong, see
 * slip_sim_v_free_with_hit()). So v_mean is found by iteration, beginning with the last step's dv_smooth. Each round
 * shrinks the error by a factor dt |v|, the turn of a link in a step: slow robots need one evaluation of the forces, a
 * top that turns by 0.1 rad a step five. If FV_ROUNDS rounds do not converge, the error has shrunk by less than
 * (1e-9)^(1/12) = 0.18 in each: the step does not resolve that motion (bound_energy.c). */
enum { FV_ROUNDS = 12 };

static int fv_by_mean(const slip_world *w) { return w->opt.integrator != SLIP_EULER && !w->fixed.constant_mass; }

/* v_mean of a guess `smooth` (nv; NULL: 0). */
static void fv_guess(slip_world *w, const slip_step_input *in, const slip_real *smooth)
{
    int i;

    for (i = 0; i < w->model->nv; ++i)
        w->step.v_mean[i] = in->v[i] + ((smooth ? smooth[i] : 0) + (in->dv_expected ? in->dv_expected[i] : 0))/2;
}

/* v_mean from the change x. Returns the relative error of v+ that its change may have made: forces are quadratic in
 * v_mean, so it is dt times the change times v_mean, relative to v and its change in the step. */
static slip_real fv_mean(slip_world *w, const slip_step_input *in)
{
    slip_real change = 0, most = 0, speed = 0;
    int i;

    for (i = 0; i < w->model->nv; ++i) {
        const slip_real half = (w->step.x[i] + (in->dv_expected ? in->dv_expected[i] : 0))/2;
        const slip_real mean = in->v[i] + half;

        change = slip_max(change, slip_abs(mean - w->step.v_mean[i]));
        most = slip_max(most, slip_max(slip_abs(in->v[i]), slip_abs(half)));
        speed = slip_max(speed, slip_abs(mean));
        w->step.v_mean[i] = mean;
    }
    return most > 0 ? slip_abs(w->opt.dt)*(speed + change)*change/most : 0;
}

/* The change x of the velocity by bias forces at v_mean. */
static void fv_by_bias(slip_world *w, const slip_step_input *in)
{
    slip_bias_pass(w->model, w->data, w->step.v_mean, in->wrench, w->step.nle);
    fv_drop_gyroscopic(w);
    fv_system(w, in);
    slip_ltl_solve(&w->model->branches, w->data->L, w->data->D_inv, w->step.x);
    if (w->step.nprescribed > 0) slip_sim_prescribe_change(w, in, w->step.x);
    fv_freeze_axes(w);
}

/* Bias forces at v_mean and the velocity's change x by them, until v_mean agrees with x. Where links turn by a radian
 * in a step it diverges: then they are taken at v. */
static void fv_iterate(slip_world *w, const slip_step_input *in)
{
    /* What is left adds up over 1/dt steps. With dt^4 the sum falls like dt^3, faster than the step's own errors do;
     * with dt^3 it falls only as they do, and a ball joint's energy drifts (test_order.c). */
    const slip_real ms = slip_min(1, slip_abs(w->opt.dt)/SLIP_R(1e-3));
    const slip_real exact = SIM_MEAN_EXACT*ms*ms*ms*ms;
    const int rounding = w->opt.integrator == SLIP_FOURTH || w->opt.exact_mean;
    const slip_real enough = rounding ? SLIP_REAL_EPS : slip_max(exact, SLIP_REAL_EPS);
    slip_real before = (slip_real)INFINITY, error = fv_mean(w, in);
    int k;

    for (k = 1; k < FV_ROUNDS && error > enough && error < before && slip_budget_take(&w->step.budget); ++k) {
        fv_by_bias(w, in);
        before = error;
        error = fv_mean(w, in);
    }
    w->step.unresolved = error > SIM_MEAN_EXACT && w->opt.integrator == SLIP_MIDPOINT;
    if (error > SIM_MEAN_EXACT && error >= before) {
        memcpy(w->step.v_mean, in->v, (size_t)w->model->nv*sizeof *in->v);
        fv_by_bias(w, in);
    }
}

/* Whether all bodies float alone, and no motion is prescribed. Their velocities then change by weight and wrench alone:
 * momenta turn in integrate.c, and terms of turning axes would be added here and taken away again. */
static int fv_only_falls(const slip_world *w) { return w->fixed.constant_mass && w->step.nprescribed == 0; }

/* The bias forces of such bodies. */
static void fv_fall(slip_world *w, const slip_real *wrench)
{
    const slip_model *m = w->model;
    slip_real *up = w->data->accel;                      /* the world's, for arcs */
    int b, i;

    slip_neg3(m->gravity, up);
    for (b = 1; b < m->nbodies; ++b) {
        const slip_real *I = m->inertia + 10*b, *R = w->data->pose[b].R;
        slip_real *f = w->step.nle + m->dof_iv[m->idof[b]], a[3], t[3];

        slip_zero3(w->data->accel + 6*b + 3);            /* for arcs of loops */
        slip_mat3_tvec(R, up, a);
        slip_scale3(I[0], a, f);
        slip_cross3(I + 1, a, f + 3);
        for (i = 0; wrench && i < 6; i += 3) {
            slip_mat3_tvec(R, wrench + 6*b + i, t);
            slip_sub3(f + i, t, f + i);
        }
    }
}

/* Bias forces at v, or at the mean velocity with the change `smooth` (nv; NULL: 0) by smooth forces. */
static void fv_bias(slip_world *w, const slip_step_input *in, const slip_real *smooth)
{
    w->step.v_bias = in->v;
    if (fv_only_falls(w)) { fv_fall(w, in->wrench);  return; }
    if (fv_by_mean(w)) {
        fv_guess(w, in, smooth);
        w->step.v_bias = w->step.v_mean;
    }
    slip_bias_pass(w->model, w->data, w->step.v_bias, in->wrench, w->step.nle);
    fv_drop_gyroscopic(w);
}

/* After the solution with bias forces of a guess: the mean velocity's iteration, and v_free. */
static void fv_finish(slip_world *w, const slip_step_input *in, slip_real *v_free)
{
    int i;

    if (!fv_only_falls(w)) fv_freeze_axes(w);
    if (fv_by_mean(w)) fv_iterate(w, in);
    for (i = 0; i < w->model->nv; ++i) v_free[i] = in->v[i] + w->step.x[i];
}

slip_status slip_phase_free_velocity(slip_world *w, const slip_step_input *in, slip_real *v_free)
{
    slip_status s;

    w->step.unresolved = w->step.hit = 0;
    memset(w->step.tree_hit, 0, (size_t)w->model->nbodies*sizeof *w->step.tree_hit);
    fv_mass(w);                                        /* first: its inertias serve the bias too */
    fv_bias(w, in, in->dv_smooth);
    fv_marks(w, in);
    s = fv_solve(w, in);
    if (s == SLIP_OK && w->fixed.has_rings && w->opt.ring > 0 && fv_rings(w)) s = fv_solve(w, in);
    if (s == SLIP_OK) fv_finish(w, in, v_free);
    slip_sim_arcs(w);                                    /* from the accelerations of the bias pass */
    return s;
}

void slip_sim_add_impact(const slip_world *w, slip_real *v_free)
{
    int i;

    for (i = 0; w->step.any_impact && i < w->model->nv; ++i) v_free[i] += w->step.dv_impact[i];
}

/* Half of the bias forces act before the middle of the step, at v_mean, and half after it, at a velocity that differs
 * by `change` there: each half with its own turning axes, since all of it is quadratic in the velocity. nle and v_free,
 * without impacts, are those of v_mean alone. Arcs of loops are those of the mean. */
static void fv_halves(slip_world *w, const slip_step_input *in, const slip_real *change, slip_real *v_free)
{
    slip_real *before = w->step.nv_scratch;              /* nle of the half before the middle */
    int i;

    memcpy(before, w->step.nle, (size_t)w->model->nv*sizeof *before);
    for (i = 0; i < w->model->nv; ++i) {
        w->step.half[i] = (v_free[i] - in->v[i])/2;
        w->step.v_mean[i] += change[i];
    }
    w->step.hit = 1;
    fv_by_bias(w, in);
    for (i = 0; i < w->model->nv; ++i) {
        w->step.nle[i] = (w->step.nle[i] + before[i])/2;
        w->step.v_mean[i] -= change[i]/2;
        v_free[i] = (v_free[i] + in->v[i] + w->step.x[i])/2;
    }
    if (slip_sim_loop_count(w) > 0) slip_bias_pass(w->model, w->data, w->step.v_mean, in->wrench, before);
}

void slip_sim_v_free_after_impacts(slip_world *w, const slip_step_input *in, slip_real *v_free)
{
    int i;

    if (fv_by_mean(w)) fv_halves(w, in, w->step.dv_impact, v_free);
    for (i = 0; i < w->model->nv; ++i)
        if (w->step.dv_impact[i] != 0) w->step.tree_hit[w->fixed.body_tree[w->fixed.iv_body[i]]] = SIM_STRUCK;
    slip_sim_add_impact(w, v_free);
}

/* Relative error of v+, by bias forces at a mean velocity without the step's hit, from which on they are computed
 * again. Measured: with 1e-5 half of a trotting quadruped's steps are solved twice, with 1e-4 one in fourteen; with
 * 1e-3 a falling quadruped's energy changes by twice as much that no force explains (test_work.c fails). */
#define FV_HIT SLIP_TOL(1e-4, 1e-3)

/* Contacts, limits and loops have changed v by dv_contact instead of dv_expected. If that makes a difference for a tree
 * it was hit, or this is the end of a hit: w->step.tree_hit. Returns whether there is such a tree. */
static int fv_find_hits(slip_world *w, const slip_step_input *in)
{
    const int n = w->model->nv, one = w->fixed.only_tree;
    int i = 0, any = 0;

    while (i < n) {                                      /* the coordinates of a tree are contiguous */
        const int root = w->fixed.body_tree[w->fixed.iv_body[i]];
        slip_real off = 0, most = 0, speed = 0;

        for (; i < n && (one || w->fixed.body_tree[w->fixed.iv_body[i]] == root); ++i) {
            off = slip_max(off, slip_abs(w->step.dv_contact[i] - (in->dv_expected ? in->dv_expected[i] : 0)));
            most = slip_max(most, slip_max(slip_abs(in->v[i]), slip_abs(w->step.dv_contact[i])));
            speed = slip_max(speed, slip_abs(w->step.v_mean[i]));
        }
        if (!(w->opt.dt*(speed + off)*off > FV_HIT*most)) continue;
        any = 1;
        if (w->step.tree_hit[root] == SIM_NOT_HIT) w->step.tree_hit[root] = SIM_HIT;
    }
    return any;
}

/* The halves of a hit by dv_contact and impacts, from v_mean with half of dv_expected in it; counts_impact: and half of
 * the impacts. */
static void fv_hit_halves(slip_world *w, const slip_step_input *in, slip_real *v_free, int counts_impact)
{
    slip_real *change = w->step.dv_contact;
    int i;

    for (i = 0; i < w->model->nv; ++i) {
        const slip_real impact = w->step.any_impact ? w->step.dv_impact[i] : 0;

        w->step.v_mean[i] -= ((in->dv_expected ? in->dv_expected[i] : 0) + (counts_impact ? impact : 0))/2;
        change[i] += impact;
    }
    fv_by_bias(w, in);
    for (i = 0; i < w->model->nv; ++i) v_free[i] = in->v[i] + w->step.x[i];
    fv_halves(w, in, change, v_free);
    slip_sim_add_impact(w, v_free);
}

int slip_sim_v_free_with_hit(slip_world *w, const slip_step_input *in, slip_real *v_free)
{
    if (!fv_by_mean(w) || !w->opt.correct) return 0;
    if (!fv_find_hits(w, in)) return 0;
    if (w->step.watch) w->step.watch->hit(w->step.watch, w, v_free);
    fv_hit_halves(w, in, v_free, 1);
    return 1;
}

/* Other marks are other forces, and another mean velocity: the bias begins anew, from no change of the velocity, since
 * those of the last step and of the wrong marks may be far off. A hit stays one. */
slip_status slip_sim_v_free_with_marks(slip_world *w, const slip_step_input *in, slip_real *v_free)
{
    const int hit = w->step.hit;
    slip_status s;

    w->step.hit = 0;
    if (fv_by_mean(w)) fv_bias(w, in, NULL);
    s = fv_solve(w, in);
    if (s != SLIP_OK) return s;
    fv_finish(w, in, v_free);
    if (hit) fv_hit_halves(w, in, v_free, 0);
    else slip_sim_add_impact(w, v_free);
    return s;
}
