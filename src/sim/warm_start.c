/* The warm start of contacts: impulses are remembered by pair and feature at the end of a step, in world axes, and
 * found again for the contacts of the next. */
#include "sim/world_private.h"

/* Whether a memory comes after a contact: by pair, then feature. */
static int warm_is_after(const sim_memory *m, const sim_contact *c)
{
    return m->a != c->a ? m->a > c->a : m->b != c->b ? m->b > c->b : m->feature > c->feature;
}

static void warm_write(const slip_world *w, const sim_contact *c, sim_memory *m)
{
    m->a = c->a;
    m->b = c->b;
    m->feature = c->feature;
    m->reused = c->reused;
    m->jammed = c->jammed;
    m->preset_overlap = c->preset_overlap;
    m->rested = c->impulse[2] > 0
                || (w->step.any_impact && c->impact[2] > 0 && (c->rested || c->restitution < 1));
    m->gap = c->gap;
    slip_copy3(c->site.point, m->point);
    slip_copy3(c->site.frame + 6, m->normal);
    slip_mat3_tvec(c->site.frame, c->impulse, m->impulse);
    slip_mat3_tvec(c->site.frame, c->dual, m->dual);
    m->slide = c->dual[2] - c->sigma[2];
    slip_zero3(m->stretch);
    if (c->tangent_stiffness > 0) slip_sim_tangent_keep(w, c, m->stretch);
}

/* Memory of the pair (a, b) begins here or after. */
static int warm_memory_at(const slip_world *w, int a, int b)
{
    int lo = 0, hi = w->state.progress->nmemory;

    while (lo < hi) {
        const int mid = (lo + hi)/2;
        const sim_memory *m = &w->state.memory[mid];

        if (m->a < a || (m->a == a && m->b < b)) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

const sim_memory *slip_sim_memory_of(const slip_world *w, int a, int b, int *n)
{
    const int at = warm_memory_at(w, a, b);
    int end = at;

    while (end < w->state.progress->nmemory && w->state.memory[end].a == a && w->state.memory[end].b == b) ++end;
    *n = end - at;
    return w->state.memory + at;
}

/* The memory of a contact: of the same features or, when they were renamed, of the nearest point of the same
 * pair within a centimetre; NULL for a new one. *at is where the memory of some pair begins, in and out: contacts of
 * one pair come one after the other. */
static inline const sim_memory *warm_find(const slip_world *w, const sim_contact *c, int *at)
{
    const int n = w->state.progress->nmemory;
    const sim_memory *memory = w->state.memory, *nearest = NULL;
    slip_real within = SLIP_R(0.01);
    int k, end;

    if (*at >= n || memory[*at].a != c->a || memory[*at].b != c->b) *at = warm_memory_at(w, c->a, c->b);
    for (end = *at; end < n && memory[end].a == c->a && memory[end].b == c->b; ++end)
        if (memory[end].feature == c->feature) return &memory[end];
    for (k = *at; k < end; ++k) {
        const slip_real d = slip_distance3(memory[k].point, c->site.point);

        if (d < within) { within = d; nearest = &memory[k]; }
    }
    return nearest;
}

/* The same for torsional and rolling friction: remembered beside the contacts' memory, or recalled from there. */
static void warm_rolling(slip_world *w, int remember)
{
    int i, at = 0;

    for (i = 0; i < w->step.ncontacts; ++i) {
        const sim_memory *m = warm_find(w, &w->step.contacts[i], &at);
        sim_rolling_memory *own = m ? &w->state.rolling[m - w->state.memory] : NULL;

        if (!remember) slip_sim_rolling_recall(w, i, own);
        else if (own) slip_sim_rolling_keep(w, i, own);
    }
}

/* Stores the contacts' impulses sorted by pair, then feature: an insertion sort, since they come nearly sorted. */
void slip_sim_remember_impulses(slip_world *w)
{
    sim_memory *memory = w->state.memory;
    int i, k;

    for (i = 0; i < w->step.ncontacts; ++i) {
        for (k = i; k > 0 && warm_is_after(&memory[k - 1], &w->step.contacts[i]); --k) memory[k] = memory[k - 1];
        warm_write(w, &w->step.contacts[i], &memory[k]);
    }
    w->state.progress->nmemory = w->step.ncontacts;
    if (w->fixed.rolling_kinds) warm_rolling(w, 1);
}

/* Whether the overlap of a contact was put there, and not made by steps: a pair that comes closer has contacts before
 * it overlaps, unless its bodies move that far in a step, and no step makes the overlap of a pair deeper by more than
 * the margin and the ways of its bodies; but steps that are cut short let bodies sink. at: where the memory of its pair
 * would begin. */
static int warm_is_preset(const slip_world *w, const sim_contact *c, int at)
{
    const sim_memory *m = &w->state.memory[at], *end = w->state.memory + w->state.progress->nmemory;
    const int known = m < end && m->a == c->a && m->b == c->b;
    const slip_real way = w->step.collider_way[c->a] + w->step.collider_way[c->b];     /* of two steps */
    slip_real before = 0;

    if (!known) return -c->gap > way/2;
    for (; !w->state.progress->late && m < end && m->a == c->a && m->b == c->b; ++m) before = slip_max(before, -m->gap);
    return -c->gap > before + w->opt.margin + way;
}

/* Impulses and velocities of the step before, for contacts that persist; zero for new ones. */
void slip_sim_recall_impulses(slip_world *w)
{
    int i, at = 0;

    for (i = 0; i < w->step.ncontacts; ++i) {
        sim_contact *c = &w->step.contacts[i];
        const sim_memory *m = warm_find(w, c, &at);

        c->reused = m ? m->reused : 0;
        c->jammed = m ? m->jammed : 0;
        c->rested = m ? m->rested : 0;
        c->preset_overlap = c->gap < -w->opt.slop && ((m && m->preset_overlap) || warm_is_preset(w, c, at));
        if (m) {
            slip_mat3_vec(c->site.frame, m->impulse, c->impulse);
            slip_mat3_vec(c->site.frame, m->dual, c->dual);
            slip_copy3(c->dual, c->sigma);
            c->sigma[2] -= m->slide;
            if (c->tangent_stiffness > 0) slip_sim_tangent_recall(w, c, m->stretch);
        } else {
            slip_zero3(c->impulse);
            slip_zero3(c->sigma);
            slip_zero3(c->dual);
        }
    }
    if (w->fixed.rolling_kinds) warm_rolling(w, 0);
    slip_sim_find_lifts(w);
}
