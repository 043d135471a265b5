/* Contacts of the present poses: boxes, candidate pairs, patches, sites. */
#include "sim/world_private.h"

#include <string.h>

/* Poses of all colliders in the world, and the distance each may move in two steps: contacts of fast pairs are made
 * before they overlap. */
static void collide_move_colliders(slip_world *w)
{
    int i;

    for (i = 0; i < w->fixed.ncolliders; ++i) {
        const sim_collider *c = &w->fixed.colliders[i];
        const slip_real *v = w->data->velocity + 6*c->body;

        if (c->body == 0 && w->cache.fixed_boxes_ready) continue;
        slip_pose_mul(&w->data->pose[c->body], &c->local, &w->step.collider_pose[i]);
        w->step.collider_way[i] = c->body == 0 ? 0 : 2*w->opt.dt*(slip_norm3(v) + slip_norm3(v + 3)*c->span);
    }
}

/* The box of a collider, with half a margin and its way on each side. */
static void collide_bounds(slip_world *w, int i, slip_real lo[3], slip_real hi[3])
{
    const slip_shape *s = &w->fixed.colliders[i].shape;
    const slip_real wide = w->opt.margin/2 + w->step.collider_way[i];
    int k;

    if (!SLIP_HAS_SHAPE(MESH) || s->kind != SLIP_SHAPE_MESH) {
        slip_shape_bounds_with(s, &w->step.collider_pose[i], wide, lo, hi);
        return;
    }
    slip_hull_bounds(s->hull, &w->step.collider_pose[i], w->cache.extreme[i], lo, hi);
    for (k = 0; k < 3; ++k) {
        lo[k] -= wide;
        hi[k] += wide;
    }
}

/* Bounding boxes, with half a margin and the way on each side; those of fixed colliders are computed once. */
static void collide_boxes(slip_world *w)
{
    slip_real lo[3], hi[3];
    int i;

    for (i = 0; i < w->fixed.ncolliders; ++i) {
        if (w->fixed.colliders[i].body == 0 && w->cache.fixed_boxes_ready
            && w->cache.fixed_boxes_margin == w->opt.margin) continue;
        collide_bounds(w, i, lo, hi);
        slip_broadphase_move(w->cache.broad, i, lo, hi);
    }
    w->cache.fixed_boxes_ready = 1;
    w->cache.fixed_boxes_margin = w->opt.margin;
}

const char *slip_sim_collider_name(const slip_world *w, int i)
{
    const sim_collider *c = &w->fixed.colliders[i];

    return c->link < 0 ? c->name : w->model->link_name[c->link];
}

/* When contacts are too many, they form a heap in w->step.order, which islands.c needs only later, with the shallowest
 * on top; of equal ones the first. */
static int collide_is_shallower(const slip_world *w, int i, int j)
{
    const slip_real a = w->step.contacts[i].gap, b = w->step.contacts[j].gap;

    return a > b || (a >= b && i < j);
}

static void collide_sift(slip_world *w, int at)
{
    const int n = w->step.ncontacts, moved = w->step.order[at];
    int child;

    for (; (child = 2*at + 1) < n; at = child) {
        if (child + 1 < n && collide_is_shallower(w, w->step.order[child + 1], w->step.order[child])) ++child;
        if (!collide_is_shallower(w, w->step.order[child], moved)) break;
        w->step.order[at] = w->step.order[child];
    }
    w->step.order[at] = moved;
}

/* Makes room for a contact of a and b: the next free place, or that of the shallowest one if it is shallower still. */
static sim_contact *collide_slot(slip_world *w, int a, int b, slip_real gap)
{
    sim_contact *worst;
    int i;

    if (w->step.ncontacts < w->opt.max_contacts) return &w->step.contacts[w->step.ncontacts++];
    if (w->stats.dropped == 0)
        slip_fail(&w->error, SLIP_DROPPED, 0, 0, "no room for all contacts, the first one too many between '%s' and "
                  "'%s': max_contacts is %d", slip_sim_collider_name(w, a), slip_sim_collider_name(w, b),
                  w->opt.max_contacts);
    w->stats.dropped += 1;
    if (w->step.ncontacts == 0) return NULL;
    for (i = 0; !w->step.heaped && i < w->step.ncontacts; ++i) w->step.order[i] = i;
    for (i = w->step.ncontacts/2 - 1; !w->step.heaped && i >= 0; --i) collide_sift(w, i);
    w->step.heaped = 1;
    worst = &w->step.contacts[w->step.order[0]];
    if (!(worst->gap > gap)) return NULL;
    worst->gap = gap;
    collide_sift(w, 0);
    return worst;
}

/* The contact frame of a normal: rows t1, t2, n. */
static void collide_frame(const slip_real normal[3], slip_real frame[9])
{
    slip_tangents(normal, frame, frame + 3);
    slip_copy3(normal, frame + 6);
}

/* Adds a contact of colliders a and b at a point of the patch. */
static void collide_add(slip_world *w, int a, int b, const slip_real frame[9], const slip_patch_point *p,
                        const slip_material *m)
{
    sim_contact *c = collide_slot(w, a, b, p->gap);

    if (!c) return;
    c->a = a;
    c->b = b;
    c->feature = p->id;
    c->gap = p->gap;
    c->mu = m->friction;
    c->restitution = m->restitution;
    c->stiffness = m->stiffness;
    c->damping = m->damping;
    c->tangent_stiffness = m->tangent_stiffness;
    c->tangent_damping = m->tangent_damping;
    c->stretch[0] = c->stretch[1] = 0;
    slip_zero3(c->arc);
    c->covered = 0;
    w->step.bounces |= m->restitution > 0;
    c->site.body_a = w->fixed.colliders[a].body;
    c->site.body_b = w->fixed.colliders[b].body;
    memcpy(c->site.point, p->point, sizeof c->site.point);
    memcpy(c->site.frame, frame, sizeof c->site.frame);
    w->stats.penetration = slip_max(w->stats.penetration, -p->gap);
}

static slip_real collide_margin(const slip_world *w, int a, int b)
{
    if (w->opt.law.overlap) return 0;
    return w->opt.margin + w->step.collider_way[a] + w->step.collider_way[b];
}

/* Contacts with a height field, whose normals differ from point to point. */
static slip_status collide_field(const slip_shape *field, const slip_pose *xf, const slip_shape *s, const slip_pose *xs,
                                 slip_real margin, slip_budget *budget, sim_touch *touch)
{
    slip_field_contact found[SLIP_FIELD_CONTACTS];
    const int n = slip_heightfield_contacts(field->field, xf, s, xs, margin, budget, found);
    int k;

    if (n < 0) return (slip_status)n;
    touch->n = n;
    touch->flat = 0;
    for (k = 0; k < n; ++k) {
        slip_copy3(found[k].normal, touch->normal[k]);
        slip_copy3(found[k].point, touch->point[k].point);
        touch->point[k].gap = found[k].gap;
        touch->point[k].id = found[k].feature;
    }
    return slip_budget_is_over(budget) ? SLIP_DEADLINE : SLIP_OK;
}

slip_status slip_sim_touch(const slip_world *w, int a, int b, const slip_pose *xa, const slip_pose *xb,
                           slip_real margin, slip_budget *budget, sim_touch *touch)
{
    const slip_shape *A = &w->fixed.colliders[a].shape, *B = &w->fixed.colliders[b].shape;
    slip_distance_cache cache = { { 0, 0, 0 }, 0, 0, NULL };
    slip_patch patch;
    slip_status s;
    int k;

    if (SLIP_HAS_SHAPE(HEIGHTFIELD) && A->kind == SLIP_SHAPE_HEIGHTFIELD)
        return collide_field(A, xa, B, xb, margin, budget, touch);
    cache.budget = budget;
    s = slip_patch_find(A, xa, B, xb, margin, &cache, &patch);
    if (s < 0) return s;
    touch->n = patch.n;
    touch->flat = 1;
    for (k = 0; k < patch.n; ++k) {
        slip_copy3(patch.normal, touch->normal[k]);
        touch->point[k] = patch.point[k];
    }
    return s;
}

/* Whether a closed loop joins two colliders' links, as a joint does parent and child. What is fixed to the world counts
 * by its link, since a loop to the world joins no shape. */
static int collide_is_joined(const slip_world *w, const sim_collider *A, const sim_collider *B)
{
    const sim_collider *from = A->body ? A : B, *to = A->body ? B : A;
    int k = w->fixed.first_loop[from->body];

    while (k > 0) {
        const sim_loop *l = &w->fixed.loops[k - 1];
        const int at_a = l->body_a == from->body, other = at_a ? l->body_b : l->body_a;
        const int link = at_a ? l->def.link_b : l->def.link_a;

        if (other == to->body && w->state.loop_state[k - 1].on && !slip_sim_is_spring(w, k - 1)
            && (other > 0 || (link >= 0 && link == to->link)))
            return 1;
        k = at_a ? l->next_at_a : l->next_at_b;
    }
    return 0;
}

/* Whether contacts of two colliders are wanted: one of them gives way, no loop joins them, and they are not of one tree
 * that does not touch itself. */
static int collide_is_wanted(const slip_world *w, const sim_collider *A, const sim_collider *B)
{
    if (slip_sim_is_driven(w, A->body) && slip_sim_is_driven(w, B->body)) return 0;
    if (!w->opt.parent_child && collide_is_joined(w, A, B)) return 0;
    return w->opt.self || w->fixed.body_tree[A->body] != w->fixed.body_tree[B->body];
}

/* Adds the velocity of body's point x, in the world, times s to u. */
static void collide_add_velocity(const slip_world *w, int body, const slip_real x[3], slip_real s, slip_real u[3])
{
    const slip_real *v = w->data->velocity + 6*body;
    slip_real r[3], t[3];

    if (body == 0) return;
    slip_sub3(x, w->data->pose[body].p, r);
    slip_cross3(v + 3, r, t);
    slip_add3(t, v, t);
    slip_axpy3(s, t, u, u);
}

/* The contacts that a pair had in the last step, moved on with its bodies: their points by the mean of both velocities,
 * their gaps by the difference along the normal. Its error is of second order in the time since the pair was tested.
 * What the search found by then stands beside them on a height field, where each contact is one of its own; of two
 * solids it is a first bound, often a poor one, and counts where nothing was known before. */
static void collide_keep(slip_world *w, int a, int b, slip_real margin, sim_touch *found)
{
    const sim_collider *A = &w->fixed.colliders[a], *B = &w->fixed.colliders[b];
    slip_material material;
    int i, k, n;
    const sim_memory *m = slip_sim_memory_of(w, a, b, &n);

    w->stats.untested += 1;
    if (n == 0) return;
    if (found->n > 0 && found->flat) found->n = 0;
    material = slip_sim_mix(w, A->material, B->material);
    for (k = 0; k < n; ++k) {
        slip_real frame[9], mean[3] = { 0, 0, 0 }, apart[3] = { 0, 0, 0 };
        slip_patch_point p;

        for (i = 0; i < found->n && found->point[i].id != m[k].feature; ++i) { }
        if (i < found->n) continue;
        collide_add_velocity(w, A->body, m[k].point, SLIP_R(0.5), mean);
        collide_add_velocity(w, B->body, m[k].point, SLIP_R(0.5), mean);
        collide_add_velocity(w, A->body, m[k].point, SLIP_R(-1.0), apart);
        collide_add_velocity(w, B->body, m[k].point, 1, apart);
        p.gap = m[k].gap + w->opt.dt*slip_dot3(m[k].normal, apart);
        p.id = m[k].feature;
        slip_axpy3(w->opt.dt, mean, m[k].point, p.point);
        if (p.gap > margin || (w->opt.law.overlap && !(p.gap < 0))) continue;
        collide_frame(m[k].normal, frame);
        collide_add(w, a, b, frame, &p, &material);
    }
}

/* All contacts of a pair of colliders. The pair takes an iteration from the budget, which may be NULL, and each support
 * evaluation and each cell of a height field one more. When one is refused the pair keeps contacts that it had. */
static slip_status collide_pair(slip_world *w, int a, int b, slip_budget *budget)
{
    const int field = w->fixed.colliders[b].shape.kind == SLIP_SHAPE_HEIGHTFIELD;
    const int first = field ? b : a, second = field ? a : b;
    const sim_collider *A = &w->fixed.colliders[first], *B = &w->fixed.colliders[second];
    const slip_real margin = collide_margin(w, a, b);
    slip_real frame[9] = { 0 };
    slip_status s = SLIP_DEADLINE;
    sim_touch touch;
    slip_material m;
    int k;

    if (!collide_is_wanted(w, A, B)) return SLIP_OK;
    touch.n = 0;
    if (slip_budget_take(budget))
        s = slip_sim_touch(w, first, second, &w->step.collider_pose[first], &w->step.collider_pose[second], margin,
                           budget, &touch);
    if (s < 0)
        return slip_fail(&w->error, s, 0, 0, "colliders '%s' and '%s': %s", A->name, B->name, slip_status_text(s));
    if (SLIP_HAS_BUDGETS && s == SLIP_DEADLINE) collide_keep(w, first, second, margin, &touch);
    if (touch.n == 0) return SLIP_OK;
    if (!w->opt.law.overlap && s == SLIP_OK) {
        slip_sim_choose_axis(w, first, second, margin, budget, &touch);
        w->stats.untested += slip_budget_is_over(budget);
    }
    m = slip_sim_mix(w, A->material, B->material);
    for (k = 0; k < touch.n; ++k) {
        if (k == 0 || (!touch.flat && memcmp(touch.normal[k], touch.normal[k - 1], sizeof touch.normal[k]) != 0))
            collide_frame(touch.normal[k], frame);
        if (w->opt.law.overlap && !(touch.point[k].gap < 0)) continue;
        collide_add(w, first, second, frame, &touch.point[k], &m);
    }
    return SLIP_OK;
}

/* Tests pairs, beginning where the last step's budget ended, until half of what is left is used up; the others keep the
 * contacts that they had. The next step begins with the first of these, or with the one after it if it had the whole
 * half and that did not suffice. Contacts come in the order of the pairs, whichever were tested. */
static slip_status collide_bounded(slip_world *w, const slip_box_pair *pairs, int n)
{
    sim_progress *at = w->state.progress;
    slip_budget half = slip_budget_share(&w->step.budget, 1, 2);
    slip_status s = SLIP_OK;
    int first = 0, over, i;

    if (half.left >= 0) half.left = (w->step.budget.left + at->steps % 2)/2;       /* an odd one every other step */
    while (first < n && (pairs[first].a < at->next_a || (pairs[first].a == at->next_a && pairs[first].b < at->next_b)))
        ++first;
    if (first == n) first = 0;
    for (i = 0; i < n && s >= 0; ++i) {
        over = half.refused;
        s = collide_pair(w, pairs[(first + i) % n].a, pairs[(first + i) % n].b, &half);
        if (over || !half.refused) continue;
        at->next_a = pairs[(first + i + (i == 0)) % n].a;
        at->next_b = pairs[(first + i + (i == 0)) % n].b;
    }
    if (half.refused && w->error.status == SLIP_OK)
        slip_fail(&w->error, SLIP_DEADLINE, 0, 0, "the budget left %d of %d pairs of shapes untested; they keep the "
                  "contacts that they had", w->stats.untested, n);
    slip_budget_give_back(&w->step.budget, &half);
    return s;
}

slip_status slip_phase_collide(slip_world *w)
{
    const slip_box_pair *pairs;
    slip_status s;
    int i, n;

    if (w->opt.max_contacts < 0 || w->opt.max_contacts > w->fixed.most_contacts)
        return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "max_contacts is %d, and the world was made for %d",
                         w->opt.max_contacts, w->fixed.most_contacts);
    w->step.ncontacts = w->step.bounces = w->step.heaped = w->step.rolls = 0;
    w->stats.penetration = 0;
    collide_move_colliders(w);
    collide_boxes(w);
    s = slip_broadphase_update(w->cache.broad);
    if (s < 0) return slip_fail(&w->error, s, 0, 0, "the broad phase failed: %s", slip_status_text(s));
    w->stats.dropped = w->stats.dropped_pairs = slip_broadphase_dropped(w->cache.broad);
    pairs = slip_broadphase_pairs(w->cache.broad, &n);
    if (w->stats.dropped > 0)
        slip_fail(&w->error, SLIP_DROPPED, 0, 0, "no room for all pairs of shapes that may touch: max_pairs is %d, and "
                  "there are %d more", n, w->stats.dropped);
    w->stats.pairs = n;
    w->stats.untested = 0;
    if (SLIP_HAS_BUDGETS && (w->step.budget.left >= 0 || w->step.budget.clock)) s = collide_bounded(w, pairs, n);
    else for (i = 0; i < n && s >= 0; ++i) s = collide_pair(w, pairs[i].a, pairs[i].b, NULL);
    if (s < 0) return s;
    w->stats.contacts = w->step.ncontacts;
    slip_sim_belts(w);
    if (w->fixed.rolling_kinds) slip_sim_rolling_find(w);
    slip_sim_recall_impulses(w);
    return w->stats.dropped > 0 ? SLIP_DROPPED : SLIP_OK;
}
