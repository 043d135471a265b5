/* What a step tells whose contact problem was not solved well, or not at all: which contact, limit or loop, and by how
 * much. */
#include "sim/world_private.h"

/* Whether a row between two bodies is one of an island's, as impulses.c tells. */
static int missed_is_in(slip_world *w, int body_a, int body_b, int island)
{
    return !w->opt.islands || slip_sim_group(w, w->body_tree[body_a] ? body_a : body_b) == island;
}

/* The loop that bilateral row k of an island belongs to. */
static const char *missed_loop(slip_world *w, int k, int island)
{
    int i;

    for (i = 0; i < w->nloops; ++i) {
        const sim_loop *l = &w->loops[i];

        if (!w->loop_state[i].on || !missed_is_in(w, l->body_a, l->body_b, island)) continue;
        k -= (int)l->def.kind;
        if (k < 0) return l->def.name ? l->def.name : "";
    }
    return "";
}

/* The joint of limit row k of an island: a limit, a drive's or a friction's row. */
static const char *missed_joint(slip_world *w, int k, int island)
{
    int i;

    for (i = 0; i < w->nlimits; ++i)
        if (missed_is_in(w, w->iv_body[w->limit_iv[i]], 0, island) && k-- == 0)
            return slip_sim_joint_name(w, w->limit_iv[i]);
    return "";
}

void slip_sim_tell_missed(slip_world *w, slip_status s, int from, int island, const slip_residual *r, slip_real excess)
{
    const slip_assembly *a = &w->assembly;
    const int block = r->worst;
    const double eps = (double)r->eps_abs, times = (double)excess;

    if (w->error.status == SLIP_DROPPED || !(excess > w->missed)) return;
    w->missed = excess;
    if (block >= 0 && block < a->nc) {
        const sim_contact *c = &w->contacts[w->order[from + block]];

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

void slip_sim_tell_failed(slip_world *w, slip_status s, int island)
{
    const slip_model *m = w->model;

    slip_fail(&w->error, s, 0, 0, "the contact solver '%s' failed at what touches '%s': %s",
              w->opt.solver ? w->opt.solver : "default", island > 0 ? m->link_name[m->body_link[island]] : "world",
              slip_status_text(s));
}

void slip_sim_tell_again(slip_world *w)
{
    w->missed = 0;
    if (w->error.status != SLIP_OK && w->error.status != SLIP_DROPPED) slip_error_clear(&w->error);
}
