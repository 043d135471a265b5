/* Sleeping, off by default: groups of trees that have not moved for a while stand still until something changes.
 *
 * A tree (all bodies above one root) is due to sleep when its coordinates have been slower than `sleep` for
 * `sleep_time` and their acceleration would take a hundred such times to reach `sleep`. A body that is pushed gently
 * and held by nothing therefore does not sleep. A group joined by contacts or loops sleeps when all its trees are due:
 * its impulses stay as they are, its velocity is zero, and it is not solved. A tree wakes, and with it its group, when
 * it is moved or given a velocity from outside, when the free velocity of a step changes from that of the last step
 * awake, or when its number of contacts changes. All wake when a loop is switched or a material changed. */
#include "sim/world_private.h"

#include <string.h>

#define SLEEP_CHANGE SLIP_R(1e-2)           /* of `sleep`: change of a step's free velocity that wakes a tree */
#define SLEEP_REST   SLIP_TOL(1e-2, 0.5)    /* of `sleep` per `sleep_time`: acceleration at rest */

static int sleep_is_on(const slip_world *w) { return w->opt.sleep > 0; }

static int sleep_is_due(const slip_world *w, int tree) { return w->state.still[tree] >= w->opt.sleep_time; }

/* Change of velocity in a step that counts as none. */
static slip_real sleep_small_change(const slip_world *w)
{
    return SLEEP_REST*w->opt.sleep*w->opt.dt/slip_max(w->opt.sleep_time, w->opt.dt);
}

/* A tree does not sleep now, but may in the next step. */
static void sleep_delay(slip_world *w, int tree)
{
    w->state.still[tree] = slip_min(w->state.still[tree], w->opt.sleep_time - w->opt.dt/2);
}

/* Contacts of each tree into w->step.touching. */
static void sleep_count(slip_world *w)
{
    int i;

    memset(w->step.touching, 0, (size_t)w->model->nbodies*sizeof *w->step.touching);
    for (i = 0; i < w->step.ncontacts; ++i) {
        ++w->step.touching[w->fixed.body_tree[w->step.contacts[i].site.body_a]];
        ++w->step.touching[w->fixed.body_tree[w->step.contacts[i].site.body_b]];
    }
}

void slip_sim_wake(slip_world *w)
{
    const slip_model *m = w->model;
    int i, b;

    if (!sleep_is_on(w)) return;
    for (i = 0; w->step.nprescribed > 0 && i < m->nv; ++i)       /* however slow: its motion goes on */
        if (w->step.given[i] && (w->step.v_end[i] != 0 || w->step.v_free[i] != 0))
            w->state.still[w->fixed.body_tree[w->fixed.iv_body[i]]] = 0;
    sleep_count(w);
    for (b = 1; b < m->nbodies; ++b) {
        const int tree = w->fixed.body_tree[b], iq = m->iq[b], nq = slip_joint_nq((slip_joint_type)m->type[b]);

        if (m->mimics[b]) continue;
        if (memcmp(w->state.q + iq, w->state.q_rest + iq, (size_t)nq*sizeof *w->state.q) != 0
            || w->step.touching[tree] != w->state.touching_rest[tree])
            w->state.still[tree] = 0;
    }
    for (i = 0; i < m->nv; ++i) {
        const slip_real change = slip_abs(w->step.v_free[i] - w->state.v[i] - w->state.dv_free_rest[i]);
        const int tree = w->fixed.body_tree[w->fixed.iv_body[i]];

        if (!(change <= SLEEP_CHANGE*w->opt.sleep) || !(slip_abs(w->state.v[i]) <= w->opt.sleep)
            || w->state.v[i] != w->state.v_rest[i])
            w->state.still[tree] = 0;
        else if (change > sleep_small_change(w)) sleep_delay(w, tree);
    }
}

void slip_sim_sleep_groups(slip_world *w)
{
    int b;

    if (!sleep_is_on(w)) return;
    for (b = 0; b < w->model->nbodies; ++b) w->step.sleeps[b] = 1;
    for (b = 1; b < w->model->nbodies; ++b)
        if (w->fixed.body_tree[b] == b && !sleep_is_due(w, b)) w->step.sleeps[slip_sim_group(w, b)] = 0;
}

int slip_sim_island_sleeps(const slip_world *w, const slip_island *island)
{
    return sleep_is_on(w) && w->step.sleeps[island->root];
}

void slip_sim_hold_sleepers(slip_world *w)
{
    int i, b;

    if (!sleep_is_on(w)) return;
    for (b = 1; b < w->model->nbodies; ++b)
        if (w->fixed.body_tree[b] == b && w->step.sleeps[slip_sim_group(w, b)]) ++w->stats.asleep;
    if (w->stats.asleep == 0) return;
    for (i = 0; i < w->model->nv; ++i) {
        const int tree = w->fixed.body_tree[w->fixed.iv_body[i]];

        if (!w->step.sleeps[slip_sim_group(w, tree)]) continue;
        w->step.v_next[i] = 0;
        w->step.dv_contact[i] = -w->step.v_free[i];                /* the constraints cancel the free velocity */
    }
}

void slip_sim_update_sleep_timers(slip_world *w)
{
    const slip_model *m = w->model;
    int i, b;

    if (!sleep_is_on(w)) return;
    for (b = 1; b < m->nbodies; ++b) if (w->fixed.body_tree[b] == b) w->state.still[b] += w->opt.dt;
    for (i = 0; i < m->nv; ++i) {
        const int tree = w->fixed.body_tree[w->fixed.iv_body[i]];

        if (w->step.sleeps[slip_sim_group(w, tree)]) continue;  /* dv_free_rest stays that of the last step awake */
        w->state.dv_free_rest[i] = w->step.v_free[i] - w->state.v[i];
        if (!(slip_abs(w->step.v_next[i]) <= w->opt.sleep)) w->state.still[tree] = 0;
        else if (slip_abs(w->step.v_next[i] - w->state.v[i]) > sleep_small_change(w)) sleep_delay(w, tree);
    }
    memcpy(w->state.touching_rest, w->step.touching, (size_t)m->nbodies*sizeof *w->state.touching_rest);
    memcpy(w->state.q_rest, w->step.q_next, (size_t)m->nq*sizeof *w->state.q_rest);
    memcpy(w->state.v_rest, w->step.v_next, (size_t)m->nv*sizeof *w->state.v_rest);
}
