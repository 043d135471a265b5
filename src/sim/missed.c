/* The message of a step whose contact problem missed its tolerance or failed: the worst contact, limit or loop, and its
 * residual. */
#include "sim/world_private.h"

/* Name of the loop that bilateral row k of an island belongs to. */
static const char *missed_loop(slip_world *w, int k, const slip_island *island)
{
    int i;

    for (i = 0; i < slip_sim_loop_count(w); ++i) {
        const sim_loop *l = &w->fixed.loops[i];

        if (!w->state.loop_state[i].on || !slip_sim_island_has(w, island, l->body_a, l->body_b)) continue;
        k -= (int)l->def.kind;
        if (k < 0) return l->def.name ? l->def.name : "";
    }
    return "";
}

/* The joint of limit row k of an island: a limit, a drive's or a friction's row. */
static const char *missed_joint(slip_world *w, int k, const slip_island *island)
{
    int i;

    for (i = 0; i < w->step.nlimits; ++i)
        if (slip_sim_island_has(w, island, w->fixed.iv_body[w->step.limit_iv[i]], 0) && k-- == 0)
            return slip_sim_joint_name(w, w->step.limit_iv[i]);
    return "";
}

void slip_sim_report_missed(slip_world *w, slip_status s, const slip_island *island, const slip_residual *r,
                          slip_real excess)
{
    const slip_assembly *a = &w->step.assembly;
    const int contacts = island->to - island->from;
    const int block = r->worst >= contacts && r->worst < a->nc ? slip_sim_rolling_owner(w, island, r->worst) : r->worst;
    const double eps = (double)r->eps_abs, times = (double)excess;

    if (w->error.status == SLIP_DROPPED || !(excess > w->step.missed)) return;
    w->step.missed = excess;
    if (block >= 0 && block < a->nc) {
        const sim_contact *c = &w->step.contacts[w->step.order[island->from + block]];

        slip_fail(&w->error, s, 0, 0, "the contact problem is solved to %.3g only, %.3g times the tolerance, worst "
                  "where '%s' and '%s' touch", eps, times, slip_sim_collider_name(w, c->a),
                  slip_sim_collider_name(w, c->b));
    } else if (block < a->nc + a->nl) {
        slip_fail(&w->error, s, 0, 0, "the contact problem is solved to %.3g only, %.3g times the tolerance, worst at "
                  "joint '%s'", eps, times, missed_joint(w, block - a->nc, island));
    } else {
        slip_fail(&w->error, s, 0, 0, "the contact problem is solved to %.3g only, %.3g times the tolerance, worst at "
                  "loop '%s'", eps, times, missed_loop(w, block - a->nc - a->nl, island));
    }
}

void slip_sim_report_failed(slip_world *w, slip_status s, const slip_island *island)
{
    const slip_model *m = w->model;

    slip_fail(&w->error, s, 0, 0, "the contact solver '%s' failed at what touches '%s': %s",
              w->opt.solver->id, m->link_name[m->body_link[island->root]],
              slip_status_text(s));
}

void slip_sim_forget_missed(slip_world *w)
{
    w->step.missed = 0;
    if (w->error.status != SLIP_OK && w->error.status != SLIP_DROPPED) slip_error_clear(&w->error);
}
