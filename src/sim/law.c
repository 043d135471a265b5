/* Contact laws: how contacts yield under slip_world_options.law. Each is a pair of R and g of the contact's rows, with
 * the velocities sigma = G lambda + R lambda + g of the problem, gap r <= 0 where shapes overlap, dt the step:
 *
 *   cfm          R += cfm/dt + cfm_share G_ii, all three rows; g as of a rigid contact
 *   reference    J v+ - J v + R lambda = dt a_ref where the contact acts, a_ref = -b J v - k r (tangents: r = 0),
 *                  R_n = (1 - d)/d w,  R_t = R_n/friction_ratio,  w the sum of the bodies' inverse weights
 *                  d = d(|r|) from d_min to d_max,  b = 2/(d_max T),  k = d/(d_max T zeta)^2,  T = max(T, 2 dt)
 *                  so that g = J v_free - J v - dt a_ref; T, zeta, d_min, d_max and the width are the means of what
 *                  both surfaces have, or of the law's own
 *   relaxation   R_n = max(near_rigid^2 m/(2 pi)^2, 1/(dt k (dt + tau))),  R_t = stiction m,  m = |G_cc|_F/3,
 *                  g_n = J v_free + r/(dt + tau), apart r/dt;  k the stiffness, or the heaviest body's weight over
 *                  the allowance
 *
 * The inverse weight of a body is the mean mobility of its centre of mass along the three axes in the model's neutral
 * configuration, with all its joints: 1/mass for a body that floats alone. The mobility of a contact's own row differs
 * from it, by a factor of 4 at the corner of a cube; the engine that this law comes from does without G, and so its
 * depths come out only with these weights. docs/engines.md has the sources. */
#include "sim/world_private.h"

slip_contact_law slip_contact_law_defaults(void)
{
    slip_contact_law l;

    l.kind = SLIP_LAW_RIGID;
    l.overlap = 0;
    l.cfm = l.cfm_share = 0;
    l.time_constant = SLIP_R(0.02);
    l.damping_ratio = 1;
    l.d_min = SLIP_R(0.9);
    l.d_max = SLIP_R(0.95);
    l.width = SLIP_R(0.001);
    l.midpoint = SLIP_R(0.5);
    l.power = 2;
    l.friction_ratio = 1;
    l.stiffness = 0;
    l.allowance = SLIP_R(0.001);
    l.relaxation_time = SLIP_R(0.2);
    l.near_rigid = 1;
    l.stiction = SLIP_R(0.001);
    return l;
}

slip_status slip_sim_check_law(const slip_contact_law *l, slip_error *err)
{
    const slip_real most = SLIP_R(1e12), least = SLIP_R(1e-4), close = 1 - least;
    const struct { const char *name; slip_real value, lo, hi; } field[] = {
        { "cfm", l->cfm, 0, most },                             { "cfm_share", l->cfm_share, 0, most },
        { "time_constant", l->time_constant, 0, most },         { "damping_ratio", l->damping_ratio, least, most },
        { "d_min", l->d_min, least, close },                    { "d_max", l->d_max, least, close },
        { "width", l->width, 0, most },                         { "midpoint", l->midpoint, least, close },
        { "power", l->power, 1, 100 },                          { "friction_ratio", l->friction_ratio, least, most },
        { "stiffness", l->stiffness, 0, most },                 { "allowance", l->allowance, SLIP_R(1e-12), most },
        { "relaxation_time", l->relaxation_time, 0, most },     { "near_rigid", l->near_rigid, 0, most },
        { "stiction", l->stiction, 0, most } };
    size_t i;

    if ((unsigned)l->kind > (unsigned)SLIP_LAW_RELAXATION)
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "there is no contact law %d", (int)l->kind);
    for (i = 0; i < sizeof field/sizeof *field; ++i)
        if (!(field[i].value >= field[i].lo && field[i].value <= field[i].hi))
            return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "the contact law's %s is %g, expected %g to %g",
                             field[i].name, (double)field[i].value, (double)field[i].lo, (double)field[i].hi);
    return SLIP_OK;
}

/* ---- facts of a world ---------------------------------------------------------------------------------------- */

/* Mean mobility of the centre of mass of body b, with M's factor in w->data [1/kg]. */
static slip_real law_inverse_weight(slip_world *w, int b)
{
    const slip_real *in = w->model->inertia + 10*b;
    slip_contact_site site = { 0, 0, { 0, 0, 0 }, { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
    slip_real centre[3] = { 0, 0, 0 }, d[3] = { 0, 0, 0 };

    if (w->fixed.free_single[b] && in[0] > 0) return 1/in[0];
    if (in[0] > 0) slip_scale3(1/in[0], in + 1, centre);
    slip_pose_point(&w->data->pose[b], centre, site.point);
    site.body_b = b;
    slip_assembly_restart(&w->step.assembly);
    if (slip_assembly_contact(&w->step.assembly, &site) == SLIP_OK)
        slip_assembly_diagonal(&w->step.assembly, 0, d);
    return (d[0] + d[1] + d[2])/3;
}

slip_status slip_sim_law_begin(slip_world *w, slip_error *err)
{
    const slip_model *m = w->model;
    slip_status s = SLIP_OK;
    int b, bad = 0;

    for (b = 1; b < m->nbodies; ++b)
        w->fixed.heaviest = slip_max(w->fixed.heaviest, m->inertia[10*b]*slip_norm3(m->gravity));
    if (w->opt.law.kind != SLIP_LAW_REFERENCE) return SLIP_OK;
    if (!w->fixed.constant_mass) {
        s = slip_kinematics(m, w->data, w->state.q);
        if (s == SLIP_OK) s = slip_crba(m, w->data, w->state.q);
        if (s == SLIP_OK) s = slip_ltl_factor(&m->branches, w->data->M, w->data->L, w->data->D_inv, &bad);
        if (s != SLIP_OK)
            return slip_fail(err, s, 0, 0, "the contact law 'reference' needs the inertia of joint '%s' in the neutral "
                             "configuration: %s", slip_sim_joint_name(w, bad), slip_status_text(s));
        slip_assembly_begin(&w->step.assembly, m, w->data);
    }
    for (b = 1; b < m->nbodies; ++b) w->fixed.inv_weight[b] = law_inverse_weight(w, b);
    w->fixed.has_weights = 1;
    return SLIP_OK;
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

void slip_sim_law_cfm(slip_world *w, int k)
{
    const slip_contact_law *l = &w->opt.law;
    slip_real d[3] = { 0, 0, 0 };
    int i;

    if (!(l->cfm + l->cfm_share > 0)) return;
    if (l->cfm_share > 0) slip_assembly_diagonal(&w->step.assembly, k, d);
    for (i = 0; i < 3; ++i) w->rows.R[3*k + i] += l->cfm/w->opt.dt + l->cfm_share*d[i];
    w->rows.compliant = 1;
}

/* The law of one contact: with what its two surfaces have of their own. */
static slip_contact_law law_of(const slip_world *w, const sim_contact *c)
{
    const sim_collider *colliders = w->fixed.colliders;
    const slip_material m = slip_sim_mix(w, colliders[c->a].material, colliders[c->b].material);
    slip_contact_law l = w->opt.law;

    if (m.time_constant > 0) l.time_constant = m.time_constant;
    if (m.damping_ratio > 0) l.damping_ratio = m.damping_ratio;
    if (m.d_min > 0) l.d_min = m.d_min;
    if (m.d_max > 0) l.d_max = m.d_max;
    if (m.width > 0) l.width = m.width;
    return l;
}

/* d of an overlap: from d_min to d_max on two arcs of the given power that meet at the midpoint; without a width their
 * mean, as in MuJoCo. */
static slip_real law_impedance(const slip_contact_law *l, slip_real overlap)
{
    const slip_real x = l->width > 0 ? slip_abs(overlap)/l->width : 0, p = l->power, c = l->midpoint;
    slip_real y;

    if (!(l->width > 0)) return (l->d_min + l->d_max)/2;
    if (x >= 1) return l->d_max;
    y = x <= c ? slip_pow(x, p)/slip_pow(c, p - 1) : 1 - slip_pow(1 - x, p)/slip_pow(1 - c, p - 1);
    return l->d_min + y*(l->d_max - l->d_min);
}

/* w: the sum of the bodies' inverse weights; a prescribed body does not give way and counts as 0. */
static slip_real law_weight(const slip_world *w, const slip_contact_site *site)
{
    const int a = site->body_a, b = site->body_b;

    return (slip_sim_is_driven(w, a) ? 0 : w->fixed.inv_weight[a])
         + (slip_sim_is_driven(w, b) ? 0 : w->fixed.inv_weight[b]);
}

/* Rows of contact k under `reference`; g holds J v_free with the surfaces' own velocities, `before` is J v without. */
static void law_reference(slip_world *w, sim_contact *c, int k, const slip_real before[3])
{
    const slip_contact_law l = law_of(w, c);
    const slip_real dt = w->opt.dt, T = slip_max(l.time_constant, 2*dt), d = law_impedance(&l, c->gap);
    const slip_real b = 2/(l.d_max*T), lag = l.d_max*T*l.damping_ratio, stiff = d/(lag*lag);
    const slip_real R = (1 - d)/d*law_weight(w, &c->site);
    int i;

    for (i = 0; i < 3; ++i) {
        const slip_real v = before[i] + (i < 2 && w->step.belts ? c->belt[i] : 0);

        w->rows.g[3*k + i] += dt*b*v - v;
        w->rows.R[3*k + i] = i < 2 ? R/l.friction_ratio : R;
    }
    w->rows.g[3*k + 2] += dt*stiff*c->gap;
}

/* Rows of contact k under `relaxation`. */
static void law_relaxation(slip_world *w, sim_contact *c, int k)
{
    const slip_contact_law *l = &w->opt.law;
    const slip_real dt = w->opt.dt, damp = dt + l->relaxation_time, period = l->near_rigid/(2*SLIP_PI);
    const slip_real stiff = l->stiffness > 0 ? l->stiffness : w->fixed.heaviest/l->allowance;
    slip_real B[9], m;

    slip_assembly_block(&w->step.assembly, k, B);
    m = slip_sqrt(slip_dot3(B, B) + slip_dot3(B + 3, B + 3) + slip_dot3(B + 6, B + 6))/3;
    w->rows.R[3*k] = w->rows.R[3*k + 1] = l->stiction*m;
    w->rows.R[3*k + 2] = slip_max(period*period*m, stiff > 0 ? 1/(dt*stiff*damp) : 0);
    w->rows.g[3*k + 2] += c->gap/(c->gap > 0 ? dt : damp);
}

void slip_sim_law_rows(slip_world *w, sim_contact *c, int k, const slip_real before[3])
{
    slip_zero3(c->row_b);
    if (w->opt.law.kind == SLIP_LAW_REFERENCE) law_reference(w, c, k, before);
    else law_relaxation(w, c, k);
    w->rows.compliant = 1;
}
