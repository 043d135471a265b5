/* Contacts of the present poses: boxes, candidate pairs, patches, sites. */
#include "sim/world_private.h"

/* Poses of all colliders in the world, and how far each may come in two steps: what closes in faster than a
 * step is met before it overlaps. */
void slip_sim_place_colliders(slip_world *w)
{
    int i;

    for (i = 0; i < w->ncolliders; ++i) {
        const sim_collider *c = &w->colliders[i];
        const slip_real *v = w->data->velocity + 6*c->body;
        slip_real r[3];

        if (c->body == 0 && w->placed) continue;
        slip_pose_mul(&w->data->pose[c->body], &c->local, &w->collider_pose[i]);
        slip_sub3(w->collider_pose[i].p, w->data->pose[c->body].p, r);
        w->collider_way[i] = c->body == 0 ? 0
                           : 2*w->opt.dt*(slip_norm3(v) + slip_norm3(v + 3)*(slip_norm3(r) + c->reach));
    }
}

/* Bounding boxes, with half a margin and the way on each side; fixed colliders are placed once. */
static void collide_boxes(slip_world *w)
{
    slip_real lo[3], hi[3];
    int i;

    for (i = 0; i < w->ncolliders; ++i) {
        if (w->colliders[i].body == 0 && w->placed) continue;
        slip_shape_bounds_with(&w->colliders[i].shape, &w->collider_pose[i], w->opt.margin/2 + w->collider_way[i], lo, hi);
        slip_broadphase_move(w->broad, i, lo, hi);
    }
    w->placed = 1;
}

/* What a pair of colliders is called: the world's own by their names, others by their links'. */
static const char *collide_name(const slip_world *w, int i)
{
    const sim_collider *c = &w->colliders[i];

    return c->link < 0 ? c->name : w->model->link_name[c->link];
}

/* Makes room for a contact of a and b: the next free place, or that of the shallowest one if it is shallower still. */
static sim_contact *collide_place(slip_world *w, int a, int b, slip_real gap)
{
    int i, worst = 0;

    if (w->ncontacts < w->opt.max_contacts) return &w->contacts[w->ncontacts++];
    if (w->stats.dropped == 0)
        slip_fail(&w->error, SLIP_DROPPED, 0, 0, "no room for all contacts, the first one too many between '%s' and "
                  "'%s': max_contacts is %d", collide_name(w, a), collide_name(w, b), w->opt.max_contacts);
    w->stats.dropped += 1;
    for (i = 1; i < w->ncontacts; ++i)
        if (w->contacts[i].gap > w->contacts[worst].gap) worst = i;
    return w->ncontacts > 0 && w->contacts[worst].gap > gap ? &w->contacts[worst] : NULL;
}

/* The contact frame of a normal: rows t1, t2, n. */
static void collide_frame(const slip_real normal[3], slip_real frame[9])
{
    slip_tangents(normal, frame, frame + 3);
    slip_copy3(normal, frame + 6);
}

static void collide_add(slip_world *w, int a, int b, const slip_real frame[9], const slip_patch_point *p,
                        const slip_material *m)
{
    sim_contact *c = collide_place(w, a, b, p->gap);

    if (!c) return;
    c->a = a;
    c->b = b;
    c->feature = p->id;
    c->gap = p->gap;
    c->mu = m->friction;
    c->restitution = m->restitution;
    c->stiffness = m->stiffness;
    c->damping = m->damping;
    c->site.body_a = w->colliders[a].body;
    c->site.body_b = w->colliders[b].body;
    slip_copy3(p->point, c->site.point);
    slip_mat3_copy(frame, c->site.frame);
    w->stats.penetration = slip_max(w->stats.penetration, -p->gap);
}

static slip_real collide_margin(const slip_world *w, int a, int b)
{
    return w->opt.margin + w->collider_way[a] + w->collider_way[b];
}

/* Contacts with a height field, whose normals differ from point to point. */
static slip_status collide_field(slip_world *w, int field, int other)
{
    const sim_collider *F = &w->colliders[field], *S = &w->colliders[other];
    slip_field_contact found[SLIP_FIELD_CONTACTS];
    const slip_material m = slip_sim_mix(w, F->material, S->material);
    const int n = slip_heightfield_contacts(F->shape.field, &w->collider_pose[field], &S->shape, &w->collider_pose[other],
                                            collide_margin(w, field, other), found);
    int k;

    if (n < 0) return slip_fail(&w->error, (slip_status)n, 0, 0, "colliders '%s' and '%s': %s", F->name, S->name,
                                slip_status_text((slip_status)n));
    for (k = 0; k < n; ++k) {
        slip_patch_point p;
        slip_real frame[9];

        slip_copy3(found[k].point, p.point);
        p.gap = found[k].gap;
        p.id = found[k].feature;
        collide_frame(found[k].normal, frame);
        collide_add(w, field, other, frame, &p, &m);
    }
    return SLIP_OK;
}

/* All contacts of a pair of colliders. */
static slip_status collide_pair(slip_world *w, int a, int b)
{
    const sim_collider *A = &w->colliders[a], *B = &w->colliders[b];
    const slip_real margin = collide_margin(w, a, b);
    slip_patch patch;
    slip_material m;
    slip_real frame[9];
    slip_status s;
    int k;

    if (!w->opt.self && w->body_tree[A->body] == w->body_tree[B->body]) return SLIP_OK;
    if (A->shape.kind == SLIP_SHAPE_HEIGHTFIELD) return collide_field(w, a, b);
    if (B->shape.kind == SLIP_SHAPE_HEIGHTFIELD) return collide_field(w, b, a);
    s = slip_patch_find(&A->shape, &w->collider_pose[a], &B->shape, &w->collider_pose[b], margin, NULL, &patch);
    if (s < 0)
        return slip_fail(&w->error, s, 0, 0, "colliders '%s' and '%s': %s", A->name, B->name, slip_status_text(s));
    if (patch.n == 0) return SLIP_OK;
    slip_sim_foresee(w, a, b, margin, &patch);
    m = slip_sim_mix(w, A->material, B->material);
    collide_frame(patch.normal, frame);
    for (k = 0; k < patch.n; ++k) collide_add(w, a, b, frame, &patch.point[k], &m);
    return SLIP_OK;
}

slip_status slip_sim_collide(slip_world *w)
{
    const slip_box_pair *pairs;
    slip_status s;
    int i, n;

    w->ncontacts = 0;
    slip_sim_place_colliders(w);
    collide_boxes(w);
    s = slip_broadphase_update(w->broad);
    if (s < 0) return slip_fail(&w->error, s, 0, 0, "the broad phase failed: %s", slip_status_text(s));
    w->stats.dropped = w->stats.dropped_pairs = slip_broadphase_dropped(w->broad);
    pairs = slip_broadphase_pairs(w->broad, &n);
    if (w->stats.dropped > 0)
        slip_fail(&w->error, SLIP_DROPPED, 0, 0, "no room for all pairs of shapes that may touch: max_pairs is %d, and "
                  "there are %d more", n, w->stats.dropped);
    w->stats.pairs = n;
    for (i = 0; i < n; ++i) {
        s = collide_pair(w, pairs[i].a, pairs[i].b);
        if (s < 0) return s;
    }
    w->stats.contacts = w->ncontacts;
    return w->stats.dropped > 0 ? SLIP_DROPPED : SLIP_OK;
}
