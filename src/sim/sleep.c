/* Sleeping, off unless asked for: groups of trees that have not moved for a while stand still until something changes.
 *
 * A tree (all bodies above one root) is tired when its coordinates have been slower than `sleep` for `sleep_time` and
 * are not about to move: their acceleration would take a hundred such times to `sleep`. What is pushed, however gently,
 * and held by nothing does not sleep. A group that touches or is joined by loops sleeps when all its trees are tired:
 * its impulses stay as they are, its velocity is zero, and it is not solved. A tree is awake again at once when it is
 * moved or given a velocity from outside, when the forces on it are no longer those of the step before it fell asleep
 * (seen by the velocity that they would give it in a step), or when it touches more or less than before; and with it
 * its group. All wake when a loop is switched or a material changed. */
#include "sim/world_private.h"

#include <string.h>

#define SLEEP_CHANGE SLIP_R(1e-2)         /* of `sleep`: change of a step's free velocity that tires a tree anew */
#define SLEEP_GENTLE SLIP_TOL(1e-2, 0.5)  /* of `sleep` in `sleep_time`: acceleration of what rests */

static int sleep_is_on(const slip_world *w) { return w->opt.sleep > 0; }

static int sleep_is_tired(const slip_world *w, int tree) { return w->still[tree] >= w->opt.sleep_time; }

/* Change of velocity in a step that counts as none. */
static slip_real sleep_gentle(const slip_world *w)
{
    return SLEEP_GENTLE*w->opt.sleep*w->opt.dt/slip_max(w->opt.sleep_time, w->opt.dt);
}

/* A tree does not sleep now, but may in the next step. */
static void sleep_put_off(slip_world *w, int tree)
{
    w->still[tree] = slip_min(w->still[tree], w->opt.sleep_time - w->opt.dt/2);
}

/* The group of a tree, as islands are told: 0 for everything when they are off. */
static int sleep_group(slip_world *w, int tree) { return w->opt.islands ? slip_sim_group(w, tree) : 0; }

/* Contacts of each tree into w->touching. */
static void sleep_count(slip_world *w)
{
    int i;

    memset(w->touching, 0, (size_t)w->model->nbodies*sizeof *w->touching);
    for (i = 0; i < w->ncontacts; ++i) {
        ++w->touching[w->body_tree[w->contacts[i].site.body_a]];
        ++w->touching[w->body_tree[w->contacts[i].site.body_b]];
    }
}

void slip_sim_wake(slip_world *w)
{
    const slip_model *m = w->model;
    int i, b;

    if (!sleep_is_on(w)) return;
    sleep_count(w);
    for (b = 1; b < m->nbodies; ++b) {
        const int tree = w->body_tree[b], iq = m->iq[b], nq = slip_joint_nq((slip_joint_type)m->type[b]);

        if (m->mimics[b]) continue;
        if (memcmp(w->q + iq, w->q_rest + iq, (size_t)nq*sizeof *w->q) != 0
            || w->touching[tree] != w->touching_rest[tree])
            w->still[tree] = 0;
    }
    for (i = 0; i < m->nv; ++i) {
        const slip_real change = slip_abs(w->v_free[i] - w->v[i] - w->push_rest[i]);
        const int tree = w->body_tree[w->iv_body[i]];

        if (!(change <= SLEEP_CHANGE*w->opt.sleep) || !(slip_abs(w->v[i]) <= w->opt.sleep) || w->v[i] != w->v_rest[i])
            w->still[tree] = 0;
        else if (change > sleep_gentle(w)) sleep_put_off(w, tree);
    }
}

void slip_sim_sleep_groups(slip_world *w)
{
    int b;

    if (!sleep_is_on(w)) return;
    for (b = 0; b < w->model->nbodies; ++b) w->sleeps[b] = 1;
    for (b = 1; b < w->model->nbodies; ++b)
        if (w->body_tree[b] == b && !sleep_is_tired(w, b)) w->sleeps[sleep_group(w, b)] = 0;
}

int slip_sim_group_sleeps(const slip_world *w, int group) { return sleep_is_on(w) && w->sleeps[group]; }

void slip_sim_hold_sleepers(slip_world *w)
{
    int i, b;

    if (!sleep_is_on(w)) return;
    for (b = 1; b < w->model->nbodies; ++b)
        if (w->body_tree[b] == b && w->sleeps[sleep_group(w, b)]) ++w->stats.asleep;
    if (w->stats.asleep == 0) return;
    for (i = 0; i < w->model->nv; ++i) {
        const int tree = w->body_tree[w->iv_body[i]];

        if (!w->sleeps[sleep_group(w, tree)]) continue;
        w->v_next[i] = 0;
        w->dv_contact[i] = -w->v_free[i];                /* what holds it takes all that it would move */
    }
}

void slip_sim_grow_tired(slip_world *w)
{
    const slip_model *m = w->model;
    int i, b;

    if (!sleep_is_on(w)) return;
    for (b = 1; b < m->nbodies; ++b) if (w->body_tree[b] == b) w->still[b] += w->opt.dt;
    for (i = 0; i < m->nv; ++i) {
        const int tree = w->body_tree[w->iv_body[i]];

        if (w->sleeps[sleep_group(w, tree)]) continue;   /* the push is compared with that of the last step awake */
        w->push_rest[i] = w->v_free[i] - w->v[i];
        if (!(slip_abs(w->v_next[i]) <= w->opt.sleep)) w->still[tree] = 0;
        else if (slip_abs(w->v_next[i] - w->v[i]) > sleep_gentle(w)) sleep_put_off(w, tree);
    }
    memcpy(w->touching_rest, w->touching, (size_t)m->nbodies*sizeof *w->touching_rest);
    memcpy(w->q_rest, w->q_next, (size_t)m->nq*sizeof *w->q_rest);
    memcpy(w->v_rest, w->v_next, (size_t)m->nv*sizeof *w->v_rest);
}
