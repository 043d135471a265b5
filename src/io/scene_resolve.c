/* Names to indices: surfaces, the starting state, drives, loops, events, camera; then the world's description. */
#include "io/scene_private.h"

#include <string.h>

static int resolve_is_pattern(const char *name) { return strchr(name, '*') != NULL || strchr(name, '?') != NULL; }

/* A name without a robot's prefix; NULL when it has another. */
static const char *resolve_local(const scene_reader *r, int robot, const char *name)
{
    const char *prefix = robot < 0 ? "" : r->robots[robot].prefix;
    const size_t n = strlen(prefix);

    return strncmp(name, prefix, n) == 0 ? name + n : NULL;
}

int slip_scene_find_link(const scene_reader *r, int robot, const char *name)
{
    const slip_model_def *def = &r->out.def;
    const int first = robot < 0 ? 0 : r->robots[robot].place.first_link;
    const int last = robot < 0 ? def->nlinks : first + r->robots[robot].place.nlinks;
    int i;

    for (i = first; i < last; ++i) {
        const char *local = resolve_local(r, robot, def->links[i].name);

        if (local && slip_text_equal(local, name)) return i;
    }
    return -1;
}

/* The link a reference means; "world" is -1. */
slip_status slip_scene_link(scene_reader *r, int robot, const slip_urdf_ref *ref, int *link)
{
    *link = slip_scene_find_link(r, robot, ref->name);
    if (*link >= 0 || slip_text_equal(ref->name, "world")) return SLIP_OK;
    return slip_fail(r->u.err, SLIP_ERR_MODEL, ref->line, ref->column, "there is no link or body '%s'%s%s", ref->name,
                     robot >= 0 ? " in " : "", robot >= 0 ? r->robots[robot].place.file : "");
}

/* ---- surfaces ----------------------------------------------------------------------------------- */

static int resolve_surface_index(const scene_reader *r, const char *name)
{
    int i;

    for (i = 0; i < r->out.world.nmaterials; ++i)
        if (slip_text_equal(r->out.surfaces[i], name)) return i;
    return -1;
}

/* Whether a link of a robot says how its surface is. */
static int resolve_has_contact(const slip_urdf_contact *c)
{
    return c->friction >= 0 || c->restitution >= 0 || c->rolling >= 0 || c->torsion >= 0;
}

static int resolve_contact_count(const scene_reader *r)
{
    int i, k, n = 0;

    for (i = 0; i < r->n.robots; ++i)
        for (k = 0; k < r->robots[i].urdf.def.nlinks; ++k) n += resolve_has_contact(&r->robots[i].urdf.contacts[k]);
    return n;
}

/* A surface for each way in which links of robots differ from the default one, named after the first such link. */
static void resolve_contacts(scene_reader *r, slip_material *m)
{
    int i, k, j;

    for (i = 0; i < r->n.robots; ++i)
        for (k = 0; k < r->robots[i].urdf.def.nlinks; ++k) {
            const slip_urdf_contact *c = &r->robots[i].urdf.contacts[k];
            slip_material own = m[0];

            if (!resolve_has_contact(c)) continue;
            if (c->friction >= 0) own.friction = c->friction;
            if (c->restitution >= 0) own.restitution = c->restitution;
            if (c->rolling >= 0) own.rolling = c->rolling;
            if (c->torsion >= 0) own.torsion = c->torsion;
            for (j = 0; j < r->out.world.nmaterials; ++j) if (memcmp(&m[j], &own, sizeof own) == 0) break;
            if (j == r->out.world.nmaterials) {
                m[j] = own;
                r->out.surfaces[j] = r->out.def.links[r->robots[i].place.first_link + k].name;
                ++r->out.world.nmaterials;
            }
            r->robots[i].surface_of[k] = j + 1;
        }
}

static slip_status resolve_surfaces(scene_reader *r)
{
    const size_t n = (size_t)r->n.surfaces + 1 + (size_t)resolve_contact_count(r);
    slip_material *m = (slip_material *)slip_arena_take_zero(r->mem, n, sizeof *m);
    int i, k;

    r->out.surfaces = (const char **)slip_arena_take(r->mem, n, sizeof *r->out.surfaces);
    if (!m || !r->out.surfaces) return slip_scene_full(r->u.err);
    r->out.world.materials = m;
    m[0] = slip_material_defaults();
    r->out.surfaces[0] = "default";
    r->out.world.nmaterials = 1;
    for (i = 0; i < r->n.surfaces; ++i) {
        const scene_surface *u = &r->surfaces[i];

        k = resolve_surface_index(r, u->name.name);
        if (k > 0)
            return slip_fail(r->u.err, SLIP_ERR_MODEL, u->name.line, u->name.column, "surface '%s' is defined twice",
                             u->name.name);
        if (k < 0) k = r->out.world.nmaterials++;
        m[k] = u->m;
        r->out.surfaces[k] = u->name.name;
    }
    resolve_contacts(r, m);
    return SLIP_OK;
}

static slip_status resolve_pairs(scene_reader *r)
{
    slip_material_pair *p = (slip_material_pair *)slip_arena_take(r->mem, (size_t)r->n.pairs, sizeof *p);
    int i, k;

    if (!p) return slip_scene_full(r->u.err);
    for (i = 0; i < r->n.pairs; ++i) {
        const scene_pair *u = &r->pairs[i];
        const slip_urdf_ref *bad = NULL;

        p[i].a = resolve_surface_index(r, u->a.name);
        p[i].b = resolve_surface_index(r, u->b.name);
        p[i].material = u->m;
        if (p[i].b < 0) bad = &u->b;
        if (p[i].a < 0) bad = &u->a;
        if (bad)
            return slip_fail(r->u.err, SLIP_ERR_MODEL, bad->line, bad->column,
                             "unknown surface '%s', expected the name of a "
                             "<surface>", bad->name);
        for (k = 0; k < i; ++k)
            if ((p[k].a == p[i].a && p[k].b == p[i].b) || (p[k].a == p[i].b && p[k].b == p[i].a))
                return slip_fail(r->u.err, SLIP_ERR_MODEL, u->a.line, u->a.column,
                                 "the pair of surfaces '%s' and '%s' is defined twice, first on line %d", u->a.name,
                                 u->b.name, r->pairs[k].a.line);
    }
    r->out.world.material_pairs = p;
    r->out.world.nmaterial_pairs = r->n.pairs;
    return SLIP_OK;
}

/* ---- the starting state ------------------------------------------------------------------------- */

/* The joint from the world above a link, and its place in q and v; 0 when it is not a free one. */
static int resolve_free(const scene_reader *r, int link, int *iq, int *iv)
{
    const slip_model *m = r->out.model;
    const int body = m->link_body[link];

    if (body == 0 || m->type[body] != SLIP_JOINT_FLOATING || m->parent[body] != 0
        || m->body_link[body] != link) return 0;
    *iq = m->iq[body];
    *iv = m->dof_iv[m->idof[body]];
    return 1;
}

/* Pose and velocity of a free link: q is the link's frame in the world, v is in its own axes. */
static void resolve_place(scene_reader *r, int link, const slip_pose *X, const scene_placed *at)
{
    int iq, iv;

    if (!resolve_free(r, link, &iq, &iv)) return;
    slip_copy3(X->p, r->out.q + iq);
    slip_mat3_to_quat(X->R, r->out.q + iq + 3);
    slip_mat3_tvec(X->R, at->velocity, r->out.v + iv);
    slip_mat3_tvec(X->R, at->angular, r->out.v + iv + 3);
}

static void resolve_places(scene_reader *r)
{
    int i, k;

    for (i = 0; i < r->n.robots; ++i) {
        const scene_robot *o = &r->robots[i];

        if (o->place.root >= 0) resolve_place(r, o->place.root, &o->at.origin, &o->at);
        for (k = 0; k < o->urdf.def.njoints; ++k) {            /* what floats by itself starts at its home */
            const slip_joint_def *j = &o->urdf.def.joints[k];
            slip_pose X = j->origin;

            if (j->parent >= 0 || j->type != SLIP_JOINT_FLOATING) continue;
            if (o->urdf.extras.home) X = o->urdf.extras.home[k];
            slip_pose_mul(&o->at.origin, &X, &X);
            resolve_place(r, o->place.first_link + j->child, &X, &o->at);
        }
    }
    for (i = 0; i < r->n.bodies; ++i) {
        const scene_body *b = &r->bodies[i];
        const int copies = b->count[0]*b->count[1]*b->count[2];

        for (k = 0; k < copies; ++k) {
            slip_pose X;

            slip_scene_copy_pose(b, k, &X);
            resolve_place(r, b->first_link + k, &X, &b->at);
        }
    }
}

/* ---- joints by pattern -------------------------------------------------------------------------- */

/* Why a joint cannot be set or driven; NULL when it can. */
static const char *resolve_refusal(const scene_reader *r, int joint)
{
    const slip_model *m = r->out.model;
    const int body = m->joint_body[joint];

    if (body < 0) return "is fixed";
    if (m->mimics[body]) return "follows another joint";
    if (slip_joint_nv((slip_joint_type)m->type[body]) != 1) return "has more than one freedom";
    return NULL;
}

slip_status slip_scene_next_joint(scene_reader *r, const slip_urdf_ref *pattern, int robot, int *joint)
{
    const slip_model_def *def = &r->out.def;
    const int first = robot < 0 ? 0 : r->robots[robot].place.first_joint;
    const int last = robot < 0 ? def->njoints : first + r->robots[robot].place.njoints;
    int j;

    for (j = *joint < first ? first : *joint + 1; j < last; ++j) {
        const char *local = resolve_local(r, robot, def->joints[j].name), *why;

        if (!local || !slip_text_matches(pattern->name, local)) continue;
        why = resolve_refusal(r, j);
        if (!why) {
            *joint = j;
            return SLIP_OK;
        }
        if (!resolve_is_pattern(pattern->name))
            return slip_fail(r->u.err, SLIP_ERR_MODEL, pattern->line, pattern->column,
                             "joint '%s' %s, so it cannot be set", pattern->name, why);
    }
    if (*joint < 0)
        return slip_fail(r->u.err, SLIP_ERR_MODEL, pattern->line, pattern->column,
                         "no joint with one freedom matches '%s'", pattern->name);
    *joint = -1;
    return SLIP_OK;
}

static int resolve_iq(const scene_reader *r, int joint) { return r->out.model->iq[r->out.model->joint_body[joint]]; }
static int resolve_iv(const scene_reader *r, int joint)
{
    const slip_model *m = r->out.model;

    return m->dof_iv[m->idof[m->joint_body[joint]]];
}

/* A warning when a value is beyond a joint's limits. */
static slip_status resolve_check_limit(scene_reader *r, const slip_urdf_ref *at, int joint, slip_real x,
                                       const char *what)
{
    const slip_joint_def *j = &r->out.def.joints[joint];
    const slip_real tiny = SLIP_TOL(1e-9, 1e-5);

    if (x >= j->lower - tiny && x <= j->upper + tiny) return SLIP_OK;
    return slip_warn(r->u.report, r->u.err, at->line, at->column, "%s %g of joint '%s' is outside its limits %g to %g",
                     what, (double)x, j->name, (double)j->lower, (double)j->upper);
}

/* Turn and angular velocity of all ball joints that match. */
static slip_status resolve_balls(scene_reader *r, const scene_joint *u)
{
    const slip_model *m = r->out.model;
    const int first = u->robot < 0 ? 0 : r->robots[u->robot].place.first_joint;
    const int last = u->robot < 0 ? m->njoints : first + r->robots[u->robot].place.njoints;
    slip_real R[9];
    int j, n = 0;

    slip_mat3_from_rpy(u->rpy, R);
    for (j = first; j < last; ++j) {
        const char *local = resolve_local(r, u->robot, r->out.def.joints[j].name);

        if (m->joint_type[j] != SLIP_JOINT_BALL || !local || !slip_text_matches(u->joint.name, local)) continue;
        if (u->has_rpy) slip_mat3_to_quat(R, r->out.q + resolve_iq(r, j));
        if (u->has_angular) slip_copy3(u->angular, r->out.v + resolve_iv(r, j));
        ++n;
    }
    return n > 0 ? SLIP_OK : slip_fail(r->u.err, SLIP_ERR_MODEL, u->joint.line, u->joint.column,
                                       "no ball joint matches '%s'", u->joint.name);
}

static slip_status resolve_joint(scene_reader *r, const scene_joint *u)
{
    int joint = -1;
    slip_status s;

    if (u->has_rpy || u->has_angular) return resolve_balls(r, u);
    s = slip_scene_next_joint(r, &u->joint, u->robot, &joint);
    while (s == SLIP_OK && joint >= 0) {
        if (u->has_position) r->out.q[resolve_iq(r, joint)] = u->position;
        if (u->has_velocity) r->out.v[resolve_iv(r, joint)] = u->velocity;
        if (s == SLIP_OK) s = slip_scene_next_joint(r, &u->joint, u->robot, &joint);
    }
    return s;
}

/* One warning for all joints that a drive holds in spite of their effort limits of 0, which nobody means. */
static slip_status resolve_warn_efforts(scene_reader *r, const scene_joint *u, const char *first, int n)
{
    char more[40] = "";

    if (n > 1) slip_format(more, (int)sizeof more, " (and %d more)", n - 1);
    return slip_warn(r->u.report, r->u.err, u->joint.line, u->joint.column, "joint '%s'%s has an effort limit of 0: "
                     "taken as none", first, more);
}

static slip_status resolve_drive(scene_reader *r, const scene_joint *u)
{
    const char *first = NULL;
    int joint = -1, unlimited = 0;
    slip_status s = SLIP_OK;

    if (u->hold > 0 && r->robots[u->robot].place.joints == 0) return SLIP_OK;   /* nothing to hold */
    s = slip_scene_next_joint(r, &u->joint, u->robot, &joint);
    while (s == SLIP_OK && joint >= 0) {
        slip_drive *d = &r->out.drives[resolve_iv(r, joint)];
        const slip_real limit = d->effort;

        *d = u->drive;
        if (u->hold > 0)
            slip_scene_hold(&r->robots[u->robot].place, u->hold,
                            r->out.model->joint_type[joint] != SLIP_JOINT_PRISMATIC, slip_norm3(r->out.def.gravity), d);
        d->q_ref = u->has_position ? u->position : r->out.q[resolve_iq(r, joint)];
        d->v_ref = u->velocity;
        if (!u->has_effort) d->effort = limit;
        if (u->has_position && u->drive.kp > 0)
            s = resolve_check_limit(r, &u->joint, joint, u->position, "the drive's target");
        if (s == SLIP_OK && !(d->effort > 0) && u->hold > 0) {
            d->effort = (slip_real)INFINITY;
            if (unlimited++ == 0) first = r->out.def.joints[joint].name;
        } else if (s == SLIP_OK && !(d->effort > 0)) {
            s = slip_warn(r->u.report, r->u.err, u->joint.line, u->joint.column,
                          "joint '%s' has an effort limit of 0, so its drive does nothing",
                          r->out.def.joints[joint].name);
        }
        if (s == SLIP_OK) s = slip_scene_next_joint(r, &u->joint, u->robot, &joint);
    }
    return s == SLIP_OK && unlimited > 0 ? resolve_warn_efforts(r, u, first, unlimited) : s;
}

/* Joints that start outside their limits, whether or not the scene set them. */
static slip_status resolve_check_start(scene_reader *r)
{
    slip_status s = SLIP_OK;
    int j;

    for (j = 0; j < r->out.def.njoints && s == SLIP_OK; ++j) {
        const slip_joint_def *d = &r->out.def.joints[j];
        const slip_urdf_ref at = { d->name, d->line, d->column };

        if (!resolve_refusal(r, j))
            s = resolve_check_limit(r, &at, j, r->out.q[resolve_iq(r, j)], "the initial position");
    }
    return s;
}

/* Joints of a robot on the ground that cannot start at 0 start at the limit next to it. */
static void resolve_starts(scene_reader *r, const scene_robot *robot)
{
    int j;

    const slip_robot_extras *e = &robot->urdf.extras;
    int i;

    for (j = 0; j < robot->urdf.def.njoints && (robot->on_ground || e->start); ++j)
        if (!resolve_refusal(r, robot->place.first_joint + j))
            r->out.q[resolve_iq(r, robot->place.first_joint + j)] = robot->on_ground ? robot->start[j] : e->start[j];
    for (i = 0; i < e->ndrives; ++i) {                         /* its own actuators hold where it starts */
        const int joint = robot->place.first_joint + e->drives[i].joint;
        slip_drive *d;

        if (resolve_refusal(r, joint)) continue;
        d = &r->out.drives[resolve_iv(r, joint)];
        d->kp = e->drives[i].kp;
        d->kd = e->drives[i].kd;
        d->effort = slip_min(d->effort, e->drives[i].effort);
        d->q_ref = r->out.q[resolve_iq(r, joint)];
    }
}

static slip_status resolve_state(scene_reader *r)
{
    const slip_model *m = r->out.model;
    slip_status s = SLIP_OK;
    int i;

    r->out.q = slip_arena_reals(r->mem, (size_t)m->nq);
    r->out.v = (slip_real *)slip_arena_take_zero(r->mem, (size_t)m->nv, sizeof(slip_real));
    r->out.drives = (slip_drive *)slip_arena_take_zero(r->mem, (size_t)m->nv, sizeof(slip_drive));
    if (!r->out.q || !r->out.v || !r->out.drives) return slip_scene_full(r->u.err);
    slip_neutral(m, r->out.q);
    resolve_places(r);
    for (i = 0; i < r->n.robots; ++i) resolve_starts(r, &r->robots[i]);
    for (i = 0; i < m->nv; ++i) {
        r->out.drives[i].effort = m->effort_limit[i];
        r->out.drives[i].implicit = 1;
    }
    for (i = 0; i < r->n.joints && s == SLIP_OK; ++i) s = resolve_joint(r, &r->joints[i]);
    if (s == SLIP_OK) s = slip_scene_loops(r);
    if (s == SLIP_OK) s = resolve_check_start(r);
    for (i = 0; i < r->n.drives && s == SLIP_OK; ++i) s = resolve_drive(r, &r->drives[i]);
    return s;
}

/* ---- events ------------------------------------------------------------------------------------- */

/* Adds to the list, or counts when there is none yet. */
static void resolve_add_event(scene_reader *r, const slip_event *e)
{
    if (r->out.events) r->out.events[r->out.nevents] = *e;
    ++r->out.nevents;
}

/* Events in the order of their times; those of one time as they are written. */
static void resolve_sort_events(scene_reader *r)
{
    int i, k;

    for (i = 1; i < r->n.events; ++i) {
        const scene_event e = r->events[i];

        for (k = i; k > 0 && r->events[k - 1].event.t0 > e.event.t0; --k) r->events[k] = r->events[k - 1];
        r->events[k] = e;
    }
}

/* The target of a drive when the next event begins at t0: where the previous event, which ends then, leaves it. */
static slip_real resolve_target_before(scene_reader *r, int iv, slip_real t0)
{
    slip_event *e = r->out.events;
    int i;

    for (i = e ? r->out.nevents - 1 : -1; i >= 0; --i)
        if (e[i].kind == SLIP_EVENT_TARGET && e[i].iv == iv && e[i].moves) break;
    if (i < 0) return r->out.drives[iv].q_ref;
    if (e[i].t1 > t0) {
        e[i].to = e[i].from + (e[i].to - e[i].from)*((t0 - e[i].t0)/(e[i].t1 - e[i].t0));
        e[i].t1 = t0;
    }
    return e[i].to;
}

static slip_status resolve_target(scene_reader *r, const scene_event *u)
{
    int joint = -1;
    slip_status s = slip_scene_next_joint(r, &u->what, -1, &joint);

    while (s == SLIP_OK && joint >= 0) {
        slip_event e = u->event;
        const slip_drive *d;

        e.iv = resolve_iv(r, joint);
        if (e.moves) e.from = resolve_target_before(r, e.iv, e.t0);
        d = &r->out.drives[e.iv];
        if (!r->out.events && !(d->kp > 0) && !(d->kd > 0) && !(e.kp > 0) && !(e.kd > 0))
            s = slip_warn(r->u.report, r->u.err, u->what.line, u->what.column,
                          "joint '%s' has no <drive>, so its target has no "
                          "effect", r->out.def.joints[joint].name);
        if (!r->out.events && s == SLIP_OK && e.moves)
            s = resolve_check_limit(r, &u->what, joint, e.to, "the drive's target");
        resolve_add_event(r, &e);
        if (s == SLIP_OK) s = slip_scene_next_joint(r, &u->what, -1, &joint);
    }
    return s;
}

static slip_status resolve_loop_event(scene_reader *r, const scene_event *u)
{
    slip_event e = u->event;

    for (e.loop = 0; e.loop < r->n.loops; ++e.loop)
        if (slip_text_equal(r->loops[e.loop].name.name, u->what.name)) break;
    if (e.loop == r->n.loops)
        return slip_fail(r->u.err, SLIP_ERR_MODEL, u->what.line, u->what.column, "there is no loop '%s'", u->what.name);
    resolve_add_event(r, &e);
    return SLIP_OK;
}

static slip_status resolve_event(scene_reader *r, const scene_event *u)
{
    slip_event e = u->event;
    slip_status s;
    int iq, iv;

    if (e.kind == SLIP_EVENT_TARGET) return resolve_target(r, u);
    if (e.kind == SLIP_EVENT_LOOP) return resolve_loop_event(r, u);
    s = slip_scene_link(r, -1, &u->what, &e.link);
    if (s < 0) return s;
    if (e.link < 0 || r->out.model->link_body[e.link] == 0)
        return slip_fail(r->u.err, SLIP_ERR_MODEL, u->what.line, u->what.column,
                         "'%s' is fixed to the world, so it cannot be "
                         "pushed", u->what.name);
    if (e.kind == SLIP_EVENT_VELOCITY && !resolve_free(r, e.link, &iq, &iv))
        return slip_fail(r->u.err, SLIP_ERR_MODEL, u->what.line, u->what.column,
                         "'%s' is not a free body or base, so its velocity "
                         "cannot be set", u->what.name);
    if (e.kind == SLIP_EVENT_PUSH && !u->has_at) slip_copy3(r->out.def.links[e.link].com, e.at);
    resolve_add_event(r, &e);
    return SLIP_OK;
}

static slip_status resolve_events(scene_reader *r)
{
    slip_event *events;
    slip_status s = SLIP_OK;
    int i;

    resolve_sort_events(r);
    for (i = 0; i < r->n.events && s == SLIP_OK; ++i) s = resolve_event(r, &r->events[i]);
    if (s < 0) return s;
    events = (slip_event *)slip_arena_take_zero(r->mem, (size_t)r->out.nevents, sizeof *events);
    if (!events) return slip_scene_full(r->u.err);
    r->out.events = events;
    r->out.nevents = 0;
    for (i = 0; i < r->n.events && s == SLIP_OK; ++i) s = resolve_event(r, &r->events[i]);
    return s;
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static slip_status resolve_robots(scene_reader *r)
{
    int i;

    r->out.robots = (slip_scene_robot *)slip_arena_take(r->mem, (size_t)r->n.robots, sizeof *r->out.robots);
    if (!r->out.robots) return slip_scene_full(r->u.err);
    for (i = 0; i < r->n.robots; ++i) r->out.robots[i] = r->robots[i].place;
    r->out.nrobots = r->n.robots;
    return SLIP_OK;
}

slip_status slip_scene_resolve(scene_reader *r)
{
    slip_status s;

    r->out.world.model = r->out.model;
    s = resolve_surfaces(r);
    if (s == SLIP_OK) s = resolve_pairs(r);
    if (s == SLIP_OK) s = resolve_state(r);
    if (s == SLIP_OK) s = slip_scene_moves(r);
    if (s == SLIP_OK) s = resolve_events(r);
    if (s == SLIP_OK) s = resolve_robots(r);
    if (s == SLIP_OK) s = slip_scene_colliders(r);
    if (s == SLIP_OK && r->follow.name) s = slip_scene_link(r, -1, &r->follow, &r->out.camera.follow);
    return s;
}
