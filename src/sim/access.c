/* Access to a world: state, inputs, options, loops, materials. */
#include "sim/world_private.h"

#include <string.h>

const slip_error *slip_world_error(const slip_world *w) { return &w->error; }
const slip_step_stats *slip_world_stats(const slip_world *w) { return &w->stats; }
const slip_model *slip_world_model(const slip_world *w) { return w->model; }
slip_data *slip_world_data(slip_world *w) { return w->data; }
slip_real *slip_world_q(slip_world *w) { return w->state.q; }
slip_real *slip_world_v(slip_world *w) { return w->state.v; }
slip_real *slip_world_tau(slip_world *w) { return w->input.tau; }
slip_real *slip_world_wrench(slip_world *w) { return w->input.wrench; }

slip_drive *slip_world_drive(slip_world *w, int iv)
{
    return iv >= 0 && iv < w->model->nv ? &w->input.drives[iv] : NULL;
}

slip_real slip_world_time(const slip_world *w) { return w->state.progress->time; }
long slip_world_steps(const slip_world *w) { return w->state.progress->steps; }
slip_world_options *slip_world_options_of(slip_world *w) { return &w->opt; }

void slip_world_set_control(slip_world *w, void (*control)(void *context, slip_world *world), void *context)
{
    w->input.control = control;
    w->input.control_context = context;
}

/* All sleep timers from zero. */
static void access_wake_all(slip_world *w)
{
    memset(w->state.still, 0, (size_t)w->model->nbodies*sizeof *w->state.still);
}

void slip_world_set_loop(slip_world *w, int loop, int on)
{
    if (loop < 0 || loop >= slip_sim_loop_count(w) || w->state.loop_state[loop].on == (on != 0)) return;
    w->state.loop_state[loop].on = on != 0;
    access_wake_all(w);                                   /* bodies that the loop held may move now */
}

const slip_material *slip_world_material(const slip_world *w, int i)
{
    return i >= 0 && i < w->fixed.nmaterials ? &w->fixed.materials[i] : NULL;
}

const slip_material_pair *slip_world_material_pair(const slip_world *w, int i)
{
    return i >= 0 && i < w->fixed.nmaterial_pairs ? &w->fixed.material_pairs[i] : NULL;
}

/* Puts a material in the place of another one, *target; none (NULL) is an error. */
static slip_status access_change_material(slip_world *w, int i, slip_material *target, const slip_material *m)
{
    slip_status s;

    slip_error_clear(&w->error);
    if (!target || !m)
        return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "there is no material or material pair %d", i);
    s = slip_sim_check_material(m, i, &w->error);
    if (s != SLIP_OK) return s;
    if (slip_sim_rolling_kinds(m) & ~w->fixed.rolling_kinds)
        return slip_fail(&w->error, SLIP_ERR_UNSUPPORTED, 0, 0, "material %d: torsion %g, rolling %g, and the world "
                         "was made without materials that have it", i, (double)m->torsion, (double)m->rolling);
    *target = *m;
    access_wake_all(w);                                   /* bodies that stuck may slide now    */
    return SLIP_OK;
}

slip_status slip_world_set_material(slip_world *w, int i, const slip_material *m)
{
    return access_change_material(w, i, i >= 0 && i < w->fixed.nmaterials ? &w->fixed.materials[i] : NULL, m);
}

slip_status slip_world_set_material_pair(slip_world *w, int i, const slip_material *m)
{
    slip_material_pair *pair = i >= 0 && i < w->fixed.nmaterial_pairs ? &w->fixed.material_pairs[i] : NULL;

    return access_change_material(w, i, pair ? &pair->material : NULL, m);
}

/* Two springs in series; a rigid one (0) adds nothing. */
static slip_real access_in_series(slip_real a, slip_real b) { return a > 0 && b > 0 ? a*b/(a + b) : slip_max(a, b); }

/* Friction of two materials. Infinite friction of one of them holds against any finite one but 0: without friction on
 * one side (ice) nothing grips, so 0 times infinity is 0. */
static slip_real access_mix_friction(slip_mix_rule rule, slip_real a, slip_real b)
{
    switch (rule) {
    case SLIP_MIX_MEAN:    return (a + b)/2;
    case SLIP_MIX_MIN:     return slip_min(a, b);
    case SLIP_MIX_MAX:     return slip_max(a, b);
    case SLIP_MIX_PRODUCT: return a > 0 && b > 0 ? a*b : 0;
    default:               return a > 0 && b > 0 ? slip_sqrt(a*b) : 0;
    }
}

/* Mean of what two surfaces have; of the law where a surface has nothing of its own (0). */
static slip_real access_mean(slip_real a, slip_real b, slip_real law)
{
    return ((a > 0 ? a : law) + (b > 0 ? b : law))/2;
}

slip_material slip_sim_mix(const slip_world *w, int a, int b)
{
    const slip_contact_law *l = &w->opt.law;
    const slip_material *A = &w->fixed.materials[a], *B = &w->fixed.materials[b];
    slip_material m = *A;
    int i;

    for (i = 0; i < w->fixed.nmaterial_pairs; ++i) {
        const slip_material_pair *p = &w->fixed.material_pairs[i];

        if ((p->a == a && p->b == b) || (p->a == b && p->b == a)) return p->material;
    }
    if (A != B || w->opt.mix == SLIP_MIX_PRODUCT)
        m.friction = access_mix_friction(w->opt.mix, A->friction, B->friction);
    m.restitution = slip_max(A->restitution, B->restitution);
    m.stiffness = access_in_series(A->stiffness, B->stiffness);
    m.damping = slip_max(A->damping, B->damping);
    m.tangent_stiffness = access_in_series(A->tangent_stiffness, B->tangent_stiffness);
    m.tangent_damping = slip_max(A->tangent_damping, B->tangent_damping);
    m.torsion = slip_max(A->torsion, B->torsion);
    m.rolling = slip_max(A->rolling, B->rolling);
    m.time_constant = access_mean(A->time_constant, B->time_constant, l->time_constant);
    m.damping_ratio = access_mean(A->damping_ratio, B->damping_ratio, l->damping_ratio);
    m.d_min = access_mean(A->d_min, B->d_min, l->d_min);
    m.d_max = access_mean(A->d_max, B->d_max, l->d_max);
    m.width = access_mean(A->width, B->width, l->width);
    return m;
}

/* ---- materials ---------------------------------------------------------------------------------------------- */

slip_material slip_material_defaults(void)
{
    slip_material m;

    m.friction = SLIP_R(0.7);
    m.restitution = m.stiffness = m.damping = m.tangent_stiffness = m.tangent_damping = 0;
    m.torsion = m.rolling = 0;
    m.time_constant = m.damping_ratio = m.d_min = m.d_max = m.width = 0;
    return m;
}

slip_status slip_sim_check_material(const slip_material *m, int i, slip_error *err)
{
    const slip_real most = SLIP_MOST_STIFFNESS, least = SLIP_R(1e-4), close = 1 - least;
    const struct { const char *name; slip_real value, least, most; } field[] = {    /* 0, or from least to most */
        { "restitution", m->restitution, 0, 1 },                { "stiffness", m->stiffness, 0, most },
        { "damping", m->damping, 0, most },                     { "tangent_stiffness", m->tangent_stiffness, 0, most },
        { "tangent_damping", m->tangent_damping, 0, most },     { "torsion", m->torsion, 0, SLIP_MOST_ROLLING },
        { "rolling", m->rolling, 0, SLIP_MOST_ROLLING },        { "time_constant", m->time_constant, 0, most },
        { "damping_ratio", m->damping_ratio, least, most },     { "d_min", m->d_min, least, close },
        { "d_max", m->d_max, least, close },                    { "width", m->width, 0, most } };
    size_t k;

    if (!(m->friction >= 0) || (m->friction > SLIP_MOST_FRICTION && m->friction < (slip_real)INFINITY))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "material %d: its friction is %g, expected 0 to %g or infinity",
                         i, (double)m->friction, (double)SLIP_MOST_FRICTION);
    for (k = 0; k < sizeof field/sizeof *field; ++k)
        if (!(field[k].value >= field[k].least && field[k].value <= field[k].most) && field[k].value != 0)
            return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "material %d: its %s is %g, expected %g to %g", i,
                             field[k].name, (double)field[k].value, (double)field[k].least, (double)field[k].most);
    return SLIP_OK;
}
