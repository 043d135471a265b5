/* Islands: groups of trees that contacts and loop closures join. Each is a contact problem of its own. */
#include "sim/world_private.h"

/* The root body that stands for the group of root body b. */
static int islands_find(int *group, int b)
{
    while (group[b] != b) {
        group[b] = group[group[b]];
        b = group[b];
    }
    return b;
}

static void islands_join(slip_world *w, int body_a, int body_b)
{
    int a = w->fixed.body_tree[body_a], b = w->fixed.body_tree[body_b];

    if (a == 0 || b == 0) return;
    a = islands_find(w->step.group, a);
    b = islands_find(w->step.group, b);
    if (a < b) w->step.group[b] = a;
    else w->step.group[a] = b;
}

int slip_sim_group(slip_world *w, int body) { return islands_find(w->step.group, w->fixed.body_tree[body]); }

/* The island of a row between two bodies: the smallest root body of its group. */
static int islands_root(slip_world *w, int body_a, int body_b)
{
    return slip_sim_group(w, w->fixed.body_tree[body_a] ? body_a : body_b);
}

int slip_sim_island_has(slip_world *w, const slip_island *island, int body_a, int body_b)
{
    return island->root < 0 || islands_root(w, body_a, body_b) == island->root;
}

/* Labels contacts by island and lists them island by island in w->step.order: a stable insertion sort, since contacts
 * come nearly sorted. With islands off all trees are one. */
void slip_sim_label_islands(slip_world *w)
{
    const int n = w->step.ncontacts, one = w->fixed.only_tree || !w->opt.islands;
    int *order = w->step.order, i, k;

    for (i = 0; i < w->model->nbodies; ++i) w->step.group[i] = one && i > 0 ? 1 : i;
    for (i = 0; !one && i < n; ++i)
        islands_join(w, w->step.contacts[i].site.body_a, w->step.contacts[i].site.body_b);
    for (i = 0; !one && i < slip_sim_loop_count(w); ++i)
        if (w->state.loop_state[i].on) islands_join(w, w->fixed.loops[i].body_a, w->fixed.loops[i].body_b);
    for (i = 0; i < n; ++i) {
        sim_contact *c = &w->step.contacts[i];

        c->island = islands_root(w, c->site.body_a, c->site.body_b);
        for (k = i; k > 0 && w->step.contacts[order[k - 1]].island > c->island; --k) order[k] = order[k - 1];
        order[k] = i;
    }
}

void slip_phase_islands(slip_world *w, const slip_step_input *in, const slip_real *v_free)
{
    int i;

    slip_sim_label_islands(w);
    slip_sim_find_limits(w, in, v_free, SIM_LIMIT_REACH);
    for (i = 0; i < w->model->nv; ++i) w->step.dv_contact[i] = 0;
    for (i = 0; slip_sim_sums_jt_lambda(w) && i < w->model->nv; ++i) w->step.jt_lambda[i] = 0;
    w->step.dv_done = 1;
    slip_assembly_begin(&w->step.assembly, w->model, w->data);
    w->step.assembly.mass_is_diagonal = w->cache.mass_is_diagonal;
}

/* Whether some contact, limit or loop row belongs to the group of root body b. */
static int islands_has_contact(const slip_world *w, int b)
{
    int i = 0;

    while (i < w->step.ncontacts && w->step.contacts[i].island != b) ++i;
    return i < w->step.ncontacts;
}

static int islands_has_other_rows(slip_world *w, const slip_island *island)
{
    int i, rows = 0;

    for (i = 0; i < w->step.nlimits; ++i)
        rows |= slip_sim_island_has(w, island, w->fixed.iv_body[w->step.limit_iv[i]], 0);
    for (i = 0; i < slip_sim_loop_count(w); ++i)
        rows |= w->state.loop_state[i].on
             && slip_sim_island_has(w, island, w->fixed.loops[i].body_a, w->fixed.loops[i].body_b);
    return rows;
}

/* Islands with contacts come first, in the order of w->step.order; then those with limits or loops alone. */
int slip_island_next(slip_world *w, slip_island *island)
{
    const int n = w->step.ncontacts;

    island->from = island->to;
    if (island->from < n) {
        island->root = w->step.contacts[w->step.order[island->from]].island;
        while (island->to < n && w->step.contacts[w->step.order[island->to]].island == island->root) island->to += 1;
        return 1;
    }
    if (w->step.nlimits == 0 && slip_sim_loop_count(w) == 0) return 0;
    while (++island->next < w->model->nbodies) {
        island->root = island->next;
        if (w->step.group[island->root] == island->root && !islands_has_contact(w, island->root)
            && islands_has_other_rows(w, island))
            return 1;
    }
    return 0;
}
