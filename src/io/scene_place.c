/* Where a robot stands before its scene begins: on its lowest point, on a base that is free or fixed, with drives that
 * hold it; and which of its links overlap there, which never collide then. */
#include "io/scene_private.h"

#include <string.h>
#include "geom/distance.h"
#include "geom/shape_query.h"

/* ---- the robot alone ------------------------------------------------------------------------------ */

/* A robot by itself at its start, from the reader's arena for as long as it is looked at. */
typedef struct {
    const slip_model *model;
    slip_data *data;
    slip_real *q;
} place_robot;

/* The start of joint j of a robot: its position nearest to 0, unless the scene says one. */
static slip_real place_start(const scene_reader *r, const scene_robot *robot, int j)
{
    const slip_joint_def *d = &robot->urdf.def.joints[j];
    const size_t n = strlen(robot->prefix);
    const slip_real home = robot->urdf.extras.start ? robot->urdf.extras.start[j] : 0;
    slip_real x = robot->on_ground ? slip_clamp(home, d->lower, d->upper) : home;
    int i;

    for (i = 0; i < r->n.joints; ++i) {
        const scene_joint *u = &r->joints[i];
        const char *pattern = u->joint.name;

        if (!u->has_position || (u->robot >= 0 && &r->robots[u->robot] != robot)) continue;
        if (u->robot < 0 && n > 0 && strncmp(pattern, robot->prefix, n) == 0) pattern += n;
        if (slip_text_matches(pattern, d->name)) x = u->position;
    }
    return x;
}

static slip_status place_begin(scene_reader *r, scene_robot *robot, place_robot *p)
{
    slip_status s = slip_model_build(&robot->urdf.def, r->mem, &p->model, NULL, r->u.err);
    int j;

    if (s < 0) return s;
    s = slip_data_create(p->model, r->mem, &p->data);
    p->q = slip_arena_reals(r->mem, (size_t)p->model->nq);
    if (s < 0 || !p->q) return slip_scene_full(r->u.err);
    slip_neutral(p->model, p->q);
    for (j = 0; j < p->model->njoints; ++j) {
        const int body = p->model->joint_body[j];

        if (body < 0 || p->model->mimics[body]) continue;
        if (p->model->type[body] == SLIP_JOINT_FLOATING && robot->urdf.extras.home) {
            slip_copy3(robot->urdf.extras.home[j].p, p->q + p->model->iq[body]);
            slip_mat3_to_quat(robot->urdf.extras.home[j].R, p->q + p->model->iq[body] + 3);
        }
        if (slip_joint_nv((slip_joint_type)p->model->type[body]) == 1)
            p->q[p->model->iq[body]] = place_start(r, robot, j);
    }
    return slip_kinematics(p->model, p->data, p->q);
}

/* The farthest point along d of a shape on its link, with both at their places in the robot's frame. */
static void place_farthest(const place_robot *p, const slip_urdf_shape *u, const slip_shape *shape, const slip_pose *at,
                           const slip_real d[3], slip_real point[3])
{
    slip_pose link, X, Y;
    slip_real turned[3], x[3];

    slip_link_pose(p->model, p->data, u->link, &link);
    slip_pose_mul(&link, &u->pose, &X);
    slip_pose_mul(at, &X, &Y);
    slip_mat3_tvec(Y.R, d, turned);
    slip_shape_support(shape, turned, x);
    slip_pose_point(&Y, x, point);
}

static int place_is_solid(const slip_urdf_shape *u, const slip_shape *shape)
{
    return u->link >= 0 && u->role == SLIP_URDF_COLLISION && (u->kind != SLIP_SHAPE_MESH || shape->hull);
}

typedef struct {
    slip_real lo[3], hi[3];              /* the box around colliders, and around the frames of links          */
    slip_real root_low, others_low;      /* lowest points of the body at the root and of the others; INFINITY */
    int colliders;
} place_box;

/* Whether a link is part of the ground that the robot stands on, not of the robot. */
static int place_is_ground(const scene_robot *robot, int link)
{
    return robot->place.stands_on_own && link >= 0 && robot->is_ground[link];
}

/* The extent of a robot whose root stands at the pose `at`. */
static void place_measure(const scene_robot *robot, const place_robot *p, const slip_pose *at, place_box *box)
{
    int i, k;

    for (k = 0; k < 3; ++k) {
        box->lo[k] = (slip_real)INFINITY;
        box->hi[k] = -(slip_real)INFINITY;
    }
    box->root_low = box->others_low = (slip_real)INFINITY;
    box->colliders = 0;
    for (i = 0; i < robot->urdf.nshapes; ++i) {
        const slip_urdf_shape *u = &robot->urdf.shapes[i];

        if (!place_is_solid(u, &robot->shapes[i]) || place_is_ground(robot, u->link)) continue;
        ++box->colliders;
        for (k = 0; k < 6; ++k) {
            slip_real d[3] = { 0, 0, 0 }, x[3];

            d[k/2] = k % 2 ? 1 : -1;
            place_farthest(p, u, &robot->shapes[i], at, d, x);
            box->lo[k/2] = slip_min(box->lo[k/2], x[k/2]);
            box->hi[k/2] = slip_max(box->hi[k/2], x[k/2]);
            if (k != 4) continue;
            if (p->model->link_body[u->link] == p->model->link_body[robot->urdf.root])
                box->root_low = slip_min(box->root_low, x[2]);
            else
                box->others_low = slip_min(box->others_low, x[2]);
        }
    }
    for (i = 0; i < p->model->nlinks; ++i) {
        slip_pose link, X;

        if (place_is_ground(robot, i)) continue;
        slip_link_pose(p->model, p->data, i, &link);
        slip_pose_mul(at, &link, &X);
        for (k = 0; k < 3 && box->colliders == 0; ++k) box->lo[k] = slip_min(box->lo[k], X.p[k]);
        for (k = 0; k < 3; ++k) box->hi[k] = slip_max(box->hi[k], X.p[k]);
    }
}

/* ---- its base ------------------------------------------------------------------------------------- */

/* Why a robot's base is fixed where the scene does not say; NULL: it is free. A root called world is the world. What
 * has no mass cannot float. Of a robot that stands free, legs or wheels touch the ground, more than one of them; where
 * one joint carries all that moves on the root, or only the body at the root touches the ground, it is an arm, bolted
 * down. */
static const char *place_why_fixed(const scene_robot *robot, const place_robot *p, const place_box *box)
{
    const slip_model *m = p->model;
    const slip_real near = SLIP_R(0.01)*(box->hi[2] - box->lo[2]);
    int i, children = 0;

    if (slip_text_equal(robot->urdf.def.links[robot->urdf.root].name, "world")) return "its root link is the world";
    if (!(m->body_mass[0] > 0) && !(slip_total_mass(m) > 0)) return "it has no mass";
    if (m->nbodies == 1) return NULL;
    if (!(m->body_mass[0] > 0)) return "its root has no mass";
    for (i = 1; i < m->nbodies; ++i) children += m->parent[i] == 0;
    if (children == 1) return "one joint carries all of it";
    if (box->root_low < box->others_low - near) return "only its root touches the ground";
    return NULL;
}

slip_status slip_scene_place(scene_reader *r, scene_robot *robot)
{
    const size_t mark = slip_arena_mark(r->mem);
    slip_scene_robot *place = &robot->place;
    slip_real *z = &robot->at.origin.p[2];
    place_robot p;
    place_box box;
    slip_status s;
    int j;

    if (robot->urdf.def.nlinks == 0) return SLIP_OK;
    s = place_begin(r, robot, &p);
    if (s < 0) return s;
    place_measure(robot, &p, &robot->at.origin, &box);
    place->base_why = "";
    if (!robot->has_base) {
        place->base_why = place_why_fixed(robot, &p, &box);
        robot->is_free = place->base_why == NULL;
        if (robot->is_free) place->base_why = "";
    }
    if (robot->on_ground && !place->stands_on_own) *z += *z - box.lo[2];       /* the lowest point at that height */
    place->size = slip_distance3(box.lo, box.hi);
    place->mass = slip_total_mass(p.model) + p.model->body_mass[0];
    for (j = 0; j < p.model->nlinks; ++j)
        if (place_is_ground(robot, j)) place->mass -= robot->urdf.def.links[j].mass;
    place->joints = 0;
    for (j = 0; j < p.model->njoints; ++j) {
        const int body = p.model->joint_body[j];

        robot->start[j] = place_start(r, robot, j);
        place->joints += body > 0 && !p.model->mimics[body] && slip_joint_nv((slip_joint_type)p.model->type[body]) == 1;
    }
    slip_arena_release(r->mem, mark);
    return SLIP_OK;
}

/* ---- drives that hold ----------------------------------------------------------------------------- */

/* A drive that holds a joint of a robot: its whole weight, pulling at an arm as long as the robot is large, moves a
 * hinge by `yield` radians, a slide by that share of the size; damped critically for all of the mass there. */
void slip_scene_hold(const slip_scene_robot *robot, slip_real yield, int turns, slip_real gravity, slip_drive *d)
{
    const slip_real weight = robot->mass*gravity, arm = turns ? robot->size : 1;

    d->kp = turns ? weight*arm/yield : weight/(yield*robot->size);
    d->kd = 2*arm*slip_sqrt(d->kp*robot->mass);
}

/* ---- links that overlap --------------------------------------------------------------------------- */

typedef struct { int a, b; slip_real depth; } place_overlap;

/* Whether two links of a robot could collide at all, whatever their places. */
static int place_may_collide(const scene_reader *r, int a, int b, const int (*pairs)[2], int npairs)
{
    const slip_model *m = r->out.model;
    const int x = m->link_body[a], y = m->link_body[b];
    int i;

    if (x == y) return 0;
    if (!r->out.world.options.parent_child && x > 0 && y > 0 && (m->parent[x] == y || m->parent[y] == x)) return 0;
    for (i = 0; i < npairs; ++i)
        if ((pairs[i][0] == a && pairs[i][1] == b) || (pairs[i][0] == b && pairs[i][1] == a)) return 0;
    return 1;
}

/* A collider with its pose and its box in the world. */
typedef struct {
    const slip_shape *shape;
    slip_pose X;
    slip_real lo[3], hi[3];
    int link;
    unsigned group, mask;
} place_solid;

static int place_solids(const scene_reader *r, const slip_data *data, const scene_robot *robot, place_solid *list)
{
    int i, k, n = 0;

    for (i = 0; i < robot->urdf.nshapes; ++i) {
        const slip_urdf_shape *u = &robot->urdf.shapes[i];
        place_solid *o = &list[n];
        slip_pose link;

        if (!place_is_solid(u, &robot->shapes[i])) continue;
        o->shape = &robot->shapes[i];
        o->link = robot->place.first_link + u->link;
        o->group = u->group ? u->group : (unsigned)robot->at.group;
        o->mask = u->group ? u->mask : (unsigned)robot->at.mask;
        slip_link_pose(r->out.model, data, o->link, &link);
        slip_pose_mul(&link, &u->pose, &o->X);
        for (k = 0; k < 6; ++k) {
            slip_real d[3] = { 0, 0, 0 }, turned[3], x[3], y[3];

            d[k/2] = k % 2 ? 1 : -1;
            slip_mat3_tvec(o->X.R, d, turned);
            slip_shape_support(o->shape, turned, y);
            slip_pose_point(&o->X, y, x);
            *(k % 2 ? &o->hi[k/2] : &o->lo[k/2]) = x[k/2];
        }
        ++n;
    }
    return n;
}

/* Notes that two links overlap, or more deeply than was known; the list ends at `room`. */
static void place_note(place_overlap *list, int *n, int room, int a, int b, slip_real depth)
{
    int i;

    for (i = 0; i < *n; ++i)
        if (list[i].a == a && list[i].b == b) {
            list[i].depth = slip_max(list[i].depth, depth);
            return;
        }
    if (*n == room) return;
    list[*n].a = a;
    list[*n].b = b;
    list[(*n)++].depth = depth;
}

/* The pairs of a robot that overlap by more than the overlaps that are warned of between others. */
static int place_find(const scene_reader *r, const place_solid *o, int n, const int (*pairs)[2], int npairs,
                      place_overlap *list, int room)
{
    int a, b, found = 0;

    for (a = 0; a < n; ++a)
        for (b = a + 1; b < n; ++b) {
            const place_solid *p = &o[a], *q = &o[b];
            slip_distance_result d;

            if (p->lo[0] > q->hi[0] || q->lo[0] > p->hi[0] || p->lo[1] > q->hi[1] || q->lo[1] > p->hi[1]
                || p->lo[2] > q->hi[2] || q->lo[2] > p->hi[2] || p->link == q->link
                || !(p->group & q->mask) || !(q->group & p->mask)) continue;
            if (slip_distance_within(p->shape, &p->X, q->shape, &q->X, 0, NULL, &d) < 0) continue;
            if (d.distance < -SCENE_OVERLAP && place_may_collide(r, p->link, q->link, pairs, npairs))
                place_note(list, &found, room, p->link, q->link, -d.distance);
        }
    return found;
}

static slip_status place_warn(scene_reader *r, const scene_robot *robot, const place_overlap *list, int n)
{
    enum { SHOWN = 4 };
    char text[200];
    int i, at = 0;

    for (i = 0; i < n && i < SHOWN && at < (int)sizeof text - 90; ++i) {
        const char *a = r->out.def.links[list[i].a].name, *b = r->out.def.links[list[i].b].name;

        at += slip_format(text + at, (int)sizeof text - at, "%s'%.*s' and '%.*s' (%.3g mm)", i ? ", " : "",
                          slip_urdf_shown(a), a, slip_urdf_shown(b), b, 1000*(double)list[i].depth);
    }
    return slip_warn(r->u.report, r->u.err, robot->at.line, robot->at.column, "%d pair%s of links overlap%s at the "
                     "start and never collide%s (overlaps=\"collide\" keeps them): %s%s", n, n == 1 ? "" : "s",
                     n == 1 ? "s" : "", n == 1 ? "s" : "", text, i < n ? ", ..." : "");
}

slip_status slip_scene_overlaps(scene_reader *r, const int (*pairs)[2], int npairs, int (**more)[2], int *nmore)
{
    const size_t mark = slip_arena_mark(r->mem);
    slip_status s = SLIP_OK;
    slip_data *data;
    int i, k, room = 0;

    *nmore = 0;
    for (i = 0; i < r->n.robots && r->out.world.options.self; ++i)
        if (!r->robots[i].keep_overlaps) room += r->robots[i].urdf.nshapes;
    if (room == 0) return SLIP_OK;
    room *= 4;                                                 /* more are not the exception any more */
    *more = (int (*)[2])slip_arena_scratch(r->mem, (size_t)room, sizeof **more);
    if (!*more || slip_data_create(r->out.model, r->mem, &data) < 0) return slip_scene_full(r->u.err);
    s = slip_kinematics(r->out.model, data, r->out.q);
    for (i = 0; i < r->n.robots && s >= 0; ++i) {
        const scene_robot *robot = &r->robots[i];
        place_solid *o = (place_solid *)slip_arena_take(r->mem, (size_t)robot->urdf.nshapes, sizeof *o);
        place_overlap *list = (place_overlap *)slip_arena_take(r->mem, (size_t)room, sizeof *list);
        int n;

        if (!o || !list) return slip_scene_full(r->u.err);
        if (robot->keep_overlaps || !(robot->at.group & robot->at.mask)) continue;
        n = place_find(r, o, place_solids(r, data, robot, o), pairs, npairs, list, room - *nmore);
        for (k = 0; k < n; ++k) {
            (*more)[*nmore][0] = list[k].a;
            (*more)[(*nmore)++][1] = list[k].b;
        }
        if (n > 0) s = place_warn(r, robot, list, n);
    }
    slip_arena_release(r->mem, mark);
    return s;
}
