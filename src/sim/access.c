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

slip_material slip_sim_mix(const slip_world *w, int a, int b)
{
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
    return m;
}

/* ---- materials ---------------------------------------------------------------------------------------------- */

slip_material slip_material_defaults(void)
{
    slip_material m;

    m.friction = SLIP_R(0.7);
    m.restitution = m.stiffness = m.damping = m.tangent_stiffness = m.tangent_damping = 0;
    m.torsion = m.rolling = 0;
    return m;
}

slip_status slip_sim_check_material(const slip_material *m, int i, slip_error *err)
{
    const slip_real soft[4] = { m->stiffness, m->damping, m->tangent_stiffness, m->tangent_damping };
    const slip_real infinite = (slip_real)INFINITY;
    int k;

    if (!(m->friction >= 0) || (m->friction > SLIP_MOST_FRICTION && m->friction < infinite))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "material %d: its friction is %g, expected 0 to %g or infinity",
                         i, (double)m->friction, (double)SLIP_MOST_FRICTION);
    if (!(m->restitution >= 0 && m->restitution <= 1))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "material %d: its restitution is %g, expected 0 to 1", i,
                         (double)m->restitution);
    for (k = 0; k < 4; ++k)
        if (!(soft[k] >= 0 && soft[k] <= SLIP_MOST_STIFFNESS))
            return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "material %d: stiffness or damping is %g, expected 0 to %g",
                             i, (double)soft[k], (double)SLIP_MOST_STIFFNESS);
    for (k = 0; k < 2; ++k) {
        const slip_real x = k ? m->rolling : m->torsion;

        if (!(x >= 0 && x <= SLIP_MOST_ROLLING))
            return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "material %d: its %s is %g, expected 0 to %g m", i,
                             k ? "rolling" : "torsion", (double)x, (double)SLIP_MOST_ROLLING);
    }
    return SLIP_OK;
}
