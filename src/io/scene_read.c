/* The elements of a scene, into lists as written. Names are looked up later: order does not matter. */
#include "io/scene_private.h"

#include <assert.h>
#include <string.h>

static const slip_urdf_ref scene_no_ref = { NULL, 0, 0 };

/* An optional name; ref->name stays NULL without one. */
static slip_status scene_ref(slip_urdf_reader *r, const char *attribute, slip_urdf_ref *ref)
{
    *ref = scene_no_ref;
    return slip_xml_find(r->xml, attribute) ? slip_urdf_need_text(r, attribute, &r->kept, ref) : SLIP_OK;
}

static slip_status scene_negative(slip_urdf_reader *r, const char *what, slip_real x)
{
    const slip_xml_attribute *a = slip_xml_find(r->xml, what);

    return slip_urdf_fail(r, SLIP_ERR_MODEL, a->value_line, a->value_column, "%s %g is negative", what, (double)x);
}

/* The next element of a list, zeroed. The pass that counted has made room for it. */
static void *scene_next(void *list, size_t size, int room, int *n)
{
    void *e = (unsigned char *)list + (size_t)*n*size;

    assert(*n < room);
    (void)room;
    ++*n;
    return memset(e, 0, size);
}

#define SCENE_NEXT(scene, list) \
    scene_next((scene)->list, sizeof *(scene)->list, (scene)->room.list, &(scene)->n.list)

/* ---- surfaces, excludes ------------------------------------------------------------------------- */

static slip_status scene_read_surface(slip_urdf_reader *r, void *unused)
{
    scene_reader *scene = scene_of(r);
    scene_surface *u = (scene_surface *)SCENE_NEXT(scene, surfaces);
    slip_status s;

    (void)unused;
    u->m = slip_material_defaults();
    s = slip_urdf_need_text(r, "name", &r->kept, &u->name);
    if (s == SLIP_OK) s = slip_scene_material_fields(r, &u->m);
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

static slip_status scene_read_pair(slip_urdf_reader *r, void *unused)
{
    scene_reader *scene = scene_of(r);
    scene_pair *p = (scene_pair *)SCENE_NEXT(scene, pairs);
    slip_status s;

    (void)unused;
    p->m = slip_material_defaults();
    s = slip_urdf_need_text(r, "a", &r->kept, &p->a);
    if (s == SLIP_OK) s = slip_urdf_need_text(r, "b", &r->kept, &p->b);
    if (s == SLIP_OK) s = slip_scene_material_fields(r, &p->m);
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

static slip_status scene_read_exclude(slip_urdf_reader *r, void *unused)
{
    scene_reader *scene = scene_of(r);
    scene_exclude *e = (scene_exclude *)SCENE_NEXT(scene, excludes);
    slip_status s;

    (void)unused;
    s = slip_urdf_need_text(r, "a", &r->kept, &e->a);
    if (s == SLIP_OK) s = slip_urdf_need_text(r, "b", &r->kept, &e->b);
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

/* ---- loops -------------------------------------------------------------------------------------- */

static slip_status scene_read_frame_a(slip_urdf_reader *r, void *target)
{
    ((scene_loop *)target)->has_a = 1;
    return slip_urdf_read_origin(r, &((scene_loop *)target)->frame_a);
}

static slip_status scene_read_frame_b(slip_urdf_reader *r, void *target)
{
    ((scene_loop *)target)->has_b = 1;
    return slip_urdf_read_origin(r, &((scene_loop *)target)->frame_b);
}

/* The axis of a hinge, in frame_a and in frame_b; z without one. */
static slip_status scene_read_loop_axis(slip_urdf_reader *r, scene_loop *l)
{
    const slip_xml_attribute *a = slip_xml_find(r->xml, "axis");
    int found = 0;
    slip_status s = slip_urdf_reals_within(r, "axis", 3, SLIP_MOST_LENGTH, "", l->axis, &found);

    if (s < 0) return s;
    if (!found) slip_set3(0, 0, 1, l->axis);
    else if (l->kind != SLIP_LOOP_HINGE)
        s = slip_urdf_fail(r, SLIP_ERR_MODEL, a->line, a->column,
                           "loop '%s' has an axis, which only kind=\"hinge\" has", l->name.name);
    else if (!(slip_norm3(l->axis) > 0))
        s = slip_urdf_fail(r, SLIP_ERR_MODEL, a->value_line, a->value_column, "axis of loop '%s' has length 0",
                           l->name.name);
    slip_normalize3(l->axis, l->axis);
    return s;
}

static slip_status scene_read_loop(slip_urdf_reader *r, void *unused)
{
    static const slip_urdf_tag tags[] = { { "frame_a", 0, scene_read_frame_a }, { "frame_b", 0, scene_read_frame_b } };
    static const slip_loop_kind kinds[] = { SLIP_LOOP_BALL, SLIP_LOOP_HINGE, SLIP_LOOP_WELD };
    scene_reader *scene = scene_of(r);
    scene_loop *l = (scene_loop *)SCENE_NEXT(scene, loops);
    int kind = 0;
    slip_status s;

    (void)unused;
    slip_pose_identity(&l->frame_a);
    slip_pose_identity(&l->frame_b);
    l->robot = scene->robot;
    s = slip_urdf_need_text(r, "name", &r->kept, &l->name);
    if (s == SLIP_OK) s = slip_urdf_need_text(r, "a", &r->kept, &l->a);
    if (s == SLIP_OK) s = slip_urdf_need_text(r, "b", &r->kept, &l->b);
    if (s == SLIP_OK) s = slip_scene_word(r, "kind", "ball hinge weld", &kind, NULL);
    l->kind = kinds[kind];
    if (s == SLIP_OK) s = slip_scene_word(r, "redundant", "false true", &l->redundant, NULL);
    if (s == SLIP_OK) s = scene_read_loop_axis(r, l);
    return s < 0 ? s : slip_urdf_children(r, tags, 2, l);
}

/* A spring is kept with the loops. */
static slip_status scene_read_spring(slip_urdf_reader *r, void *unused)
{
    static const slip_urdf_tag tags[] = { { "frame_a", 0, scene_read_frame_a }, { "frame_b", 0, scene_read_frame_b } };
    static const scene_field fields[] = {
        { "stiffness", SCENE_REAL, offsetof(scene_loop, stiffness), 0, (double)SLIP_MOST_STIFFNESS, NULL,
          "a number that is not negative, at most 1e12 N/m" },
        { "damping", SCENE_REAL, offsetof(scene_loop, damping), 0, (double)SLIP_MOST_STIFFNESS, NULL,
          "a number that is not negative, at most 1e12 N s/m" },
        { "length", SCENE_REAL, offsetof(scene_loop, length), 0, (double)SLIP_MOST_LENGTH, NULL,
          "a number that is not negative, at most 1e9 m" } };
    scene_reader *scene = scene_of(r);
    scene_loop *l = (scene_loop *)SCENE_NEXT(scene, loops);
    slip_status s;

    (void)unused;
    slip_pose_identity(&l->frame_a);
    slip_pose_identity(&l->frame_b);
    slip_set3(0, 0, 1, l->axis);
    l->robot = scene->robot;
    l->kind = SLIP_LOOP_SPRING;
    l->has_b = 1;
    l->redundant = 1;
    l->length = -1;
    s = slip_urdf_need_text(r, "name", &r->kept, &l->name);
    if (s == SLIP_OK) s = slip_urdf_need_text(r, "a", &r->kept, &l->a);
    if (s == SLIP_OK) s = slip_urdf_need_text(r, "b", &r->kept, &l->b);
    if (s == SLIP_OK) s = slip_scene_fields(r, fields, (int)(sizeof fields/sizeof *fields), l);
    if (s == SLIP_OK && l->stiffness < SLIP_R(1e-9) && l->damping < SLIP_R(1e-9))
        s = slip_urdf_fail(r, SLIP_ERR_MODEL, l->name.line, l->name.column, "spring '%s' has neither a stiffness nor a "
                           "damping of 1e-9 or more", l->name.name);
    return s < 0 ? s : slip_urdf_children(r, tags, 2, l);
}

/* ---- joints and drives -------------------------------------------------------------------------- */

static slip_status scene_joint_values(slip_urdf_reader *r, scene_joint *j)
{
    slip_status s = slip_urdf_need_text(r, "joint", &r->kept, &j->joint);

    if (s == SLIP_OK)
        s = slip_urdf_reals_within(r, "position", 1, SLIP_MOST_LENGTH, "rad or m", &j->position, &j->has_position);
    if (s == SLIP_OK)
        s = slip_urdf_reals_within(r, "velocity", 1, SLIP_MOST_SPEED, "rad/s or m/s", &j->velocity, &j->has_velocity);
    return s;
}

static slip_status scene_read_joint(slip_urdf_reader *r, void *unused)
{
    scene_reader *scene = scene_of(r);
    scene_joint *j = (scene_joint *)SCENE_NEXT(scene, joints);
    slip_status s;

    (void)unused;
    j->robot = scene->robot;
    s = scene_joint_values(r, j);
    if (s == SLIP_OK) s = slip_urdf_reals(r, "rpy", 3, j->rpy, &j->has_rpy);
    if (s == SLIP_OK)
        s = slip_urdf_reals_within(r, "angular", 3, SLIP_MOST_SPEED, "rad/s", j->angular, &j->has_angular);
    if (s == SLIP_OK && (j->has_rpy || j->has_angular) && (j->has_position || j->has_velocity))
        s = slip_urdf_fail(r, SLIP_ERR_MODEL, r->xml->line, r->xml->column, "<joint> has %s, which is for ball joints, "
                           "beside a position or velocity, which is for others", j->has_rpy ? "rpy" : "angular");
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

static slip_status scene_read_drive(slip_urdf_reader *r, void *unused)
{
    scene_reader *scene = scene_of(r);
    scene_joint *j = (scene_joint *)SCENE_NEXT(scene, drives);
    int is_explicit = 0, found, has_kp = 0, has_kd = 0, holds = 0;
    slip_status s;

    (void)unused;
    j->robot = scene->robot;
    s = scene_joint_values(r, j);
    if (s == SLIP_OK) s = slip_urdf_reals(r, "kp", 1, &j->drive.kp, &has_kp);
    if (s == SLIP_OK) s = slip_urdf_reals(r, "kd", 1, &j->drive.kd, &has_kd);
    if (s == SLIP_OK) s = slip_urdf_reals(r, "hold", 1, &j->hold, &holds);
    if (s == SLIP_OK && holds && (has_kp || has_kd || !(j->hold > 0) || scene->robot < 0))
        s = slip_urdf_fail(r, SLIP_ERR_MODEL, r->xml->line, r->xml->column, "<drive> with hold=\"%g\", expected a "
                           "positive number in a <robot>, without kp and kd", (double)j->hold);
    if (s == SLIP_OK) s = slip_urdf_reals(r, "feed", 1, &j->drive.feed, &found);
    if (s == SLIP_OK) s = slip_urdf_reals(r, "effort", 1, &j->drive.effort, &j->has_effort);
    if (s == SLIP_OK) s = slip_scene_word(r, "mode", "implicit explicit", &is_explicit, NULL);
    if (s == SLIP_OK && j->drive.kp < 0) s = scene_negative(r, "kp", j->drive.kp);
    if (s == SLIP_OK && j->drive.kd < 0) s = scene_negative(r, "kd", j->drive.kd);
    if (s == SLIP_OK && j->drive.effort < 0) s = scene_negative(r, "effort", j->drive.effort);
    j->drive.implicit = !is_explicit;
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

/* ---- robots and bodies -------------------------------------------------------------------------- */

static slip_status scene_read_robot(slip_urdf_reader *r, void *unused)
{
    static const slip_urdf_tag tags[] = {
        { "origin", 0, slip_urdf_read_origin }, { "joint", 1, scene_read_joint }, { "drive", 1, scene_read_drive },
        { "loop", 1, scene_read_loop }, { "spring", 1, scene_read_spring }, { "move", 1, slip_scene_read_move } };
    scene_reader *scene = scene_of(r);
    scene_robot *robot;
    static const slip_scene_robot unknown = { NULL, NULL, 0, 0, 0, 0, -1, 0, "", 0, 0, 0, 0, 0 };
    int base = 0, has_armature = 0;
    slip_status s;

    (void)unused;
    assert(scene->n.robots < scene->room.robots);
    robot = &scene->robots[scene->n.robots];
    memset(robot, 0, sizeof *robot);
    s = slip_scene_read_placed(r, &robot->at, 1);
    if (scene->robot_text) robot->at.line = robot->at.column = 0;
    if (s == SLIP_OK) s = slip_urdf_need_text(r, "file", &r->kept, &robot->file);
    if (scene->robot_text) robot->file.line = robot->file.column = 0;
    if (s == SLIP_OK) s = slip_urdf_text(r, "prefix", &r->kept, &robot->prefix);
    if (s == SLIP_OK) s = slip_scene_word(r, "base", "free fixed auto", &base, &robot->has_base);
    if (s == SLIP_OK) s = slip_scene_word(r, "place", "origin ground auto", &robot->on_ground, NULL);
    robot->unless_own = robot->on_ground == 2;
    if (s == SLIP_OK) s = slip_scene_word(r, "overlaps", "exclude collide", &robot->keep_overlaps, NULL);
    if (s == SLIP_OK) s = scene_ref(r, "srdf", &robot->srdf_file);
    robot->has_base &= base < 2;
    robot->place = unknown;
    robot->armature = -1;
    if (s == SLIP_OK) s = slip_urdf_reals(r, "armature", 1, &robot->armature, &has_armature);
    if (s == SLIP_OK && has_armature && robot->armature < 0) s = scene_negative(r, "armature", robot->armature);
    if (s < 0) return s;
    robot->is_free = base != 1;
    scene->robot = scene->n.robots++;
    s = slip_urdf_children(r, tags, (int)(sizeof tags/sizeof *tags), &robot->at);
    scene->robot = -1;
    return s;
}

static slip_status scene_read_copies(slip_urdf_reader *r, void *target)
{
    scene_body *b = (scene_body *)target;
    slip_real count[3] = { 1, 1, 1 };
    int i, found;
    slip_status s = slip_urdf_reals(r, "count", 3, count, NULL);

    for (i = 0; i < 3 && s == SLIP_OK; ++i) {
        if (!(count[i] >= 1 && count[i] <= 1000) || slip_floor(count[i]) < count[i])
            s = slip_urdf_fail(r, SLIP_ERR_MODEL, r->xml->line, r->xml->column,
                               "count %g of <copies>, expected three whole numbers from 1 to 1000", (double)count[i]);
        else
            b->count[i] = (int)count[i];
    }
    if (s == SLIP_OK && count[0]*count[1]*count[2] > 10000)
        s = slip_urdf_fail(r, SLIP_ERR_LIMIT, r->xml->line, r->xml->column, "%g copies, expected at most 10000",
                           (double)(count[0]*count[1]*count[2]));
    if (s == SLIP_OK) s = slip_urdf_reals_within(r, "step", 3, SLIP_MOST_LENGTH, "m", b->step, &found);
    if (s == SLIP_OK) s = slip_urdf_reals_within(r, "jitter", 3, SLIP_MOST_LENGTH, "m", b->jitter, &found);
    if (s == SLIP_OK) s = slip_scene_word(r, "turn", "none random", &b->random_turn, NULL);
    if (s == SLIP_OK) s = slip_scene_int(r, "seed", 0, 1000000000, &b->seed, NULL);
    b->seed += scene_of(r)->seed;
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

/* The link that a body's shapes and inertia are written to. */
static slip_link_def *scene_link_of(slip_urdf_reader *r, void *body)
{
    return &r->out.def.links[((scene_body *)body)->link];
}

static slip_status scene_read_body_inertial(slip_urdf_reader *r, void *target)
{
    ((scene_body *)target)->has_inertial = 1;
    return slip_urdf_read_inertial(r, scene_link_of(r, target));
}

static slip_status scene_read_body_geometry(slip_urdf_reader *r, void *target)
{
    return slip_urdf_read_geometry(r, scene_link_of(r, target));
}

static slip_status scene_read_body_collision(slip_urdf_reader *r, void *target)
{
    return slip_urdf_read_collision(r, scene_link_of(r, target));
}

static slip_status scene_read_body_visual(slip_urdf_reader *r, void *target)
{
    return slip_urdf_read_visual(r, scene_link_of(r, target));
}

static slip_status scene_body_attributes(slip_urdf_reader *r, scene_body *b)
{
    int has_mass = 0, has_density = 0;
    slip_status s = slip_scene_read_placed(r, &b->at, 1);

    b->mass = b->density = -1;
    if (s == SLIP_OK) s = slip_scene_read_belt(r, &b->at);
    if (s == SLIP_OK) s = slip_urdf_reals_within(r, "mass", 1, SLIP_MOST_MASS, "kg", &b->mass, &has_mass);
    if (s == SLIP_OK)
        s = slip_urdf_reals_within(r, "density", 1, SLIP_MOST_MASS, "kg/m^3", &b->density, &has_density);
    if (s == SLIP_OK) s = slip_scene_word(r, "fixed", "false true", &b->is_fixed, NULL);
    if (s < 0) return s;
    if (has_mass && !(b->mass > 0))
        return b->mass < 0 ? scene_negative(r, "mass", b->mass)
                           : slip_urdf_fail(r, SLIP_ERR_MODEL, b->at.line, b->at.column,
                                            "mass is 0, expected a positive number");
    if (has_density && !(b->density > 0))
        return b->density < 0 ? scene_negative(r, "density", b->density)
                              : slip_urdf_fail(r, SLIP_ERR_MODEL, b->at.line, b->at.column,
                                               "density is 0, expected a positive number");
    if (has_mass && has_density)
        return slip_urdf_fail(r, SLIP_ERR_MODEL, b->at.line, b->at.column,
                              "has both mass and density, expected one of them");
    return SLIP_OK;
}

static slip_status scene_read_body(slip_urdf_reader *r, void *unused)
{
    static const slip_urdf_tag tags[] = {
        { "origin", 0, slip_urdf_read_origin }, { "inertial", 0, scene_read_body_inertial },
        { "geometry", 0, scene_read_body_geometry }, { "collision", 1, scene_read_body_collision },
        { "visual", 1, scene_read_body_visual }, { "copies", 0, scene_read_copies } };
    scene_reader *scene = scene_of(r);
    scene_body *b = (scene_body *)SCENE_NEXT(scene, bodies);
    slip_link_def *link;
    slip_status s;

    (void)unused;
    b->link = r->out.def.nlinks++;
    b->first_shape = r->out.nshapes;
    b->count[0] = b->count[1] = b->count[2] = 1;
    link = &r->out.def.links[b->link];
    link->line = r->xml->line;
    link->column = r->xml->column;
    s = slip_urdf_need_text(r, "name", &r->kept, &r->links[b->link]);
    if (s < 0) return s;
    link->name = r->owner = r->links[b->link].name;
    r->kind = "body";
    s = scene_body_attributes(r, b);
    if (s == SLIP_OK) s = slip_urdf_children(r, tags, (int)(sizeof tags/sizeof *tags), b);
    b->nshapes = r->out.nshapes - b->first_shape;
    if (s == SLIP_OK && b->nshapes == 0 && !b->has_inertial)
        s = slip_urdf_fail(r, SLIP_ERR_MODEL, b->at.line, b->at.column, "has neither a shape nor an <inertial>");
    r->kind = NULL;
    return s;
}

/* ---- events ------------------------------------------------------------------------------------- */

/* A new event about the link, loop or joint that an attribute names, with its times. */
static slip_status scene_begin_event(slip_urdf_reader *r, slip_event_kind kind, const char *what, scene_event **out)
{
    scene_reader *scene = scene_of(r);
    scene_event *e = (scene_event *)SCENE_NEXT(scene, events);
    slip_status s;

    e->event.kind = kind;
    e->event.link = e->event.loop = e->event.iv = -1;
    *out = e;
    s = slip_urdf_need_text(r, what, &r->kept, &e->what);
    if (s == SLIP_OK) s = slip_urdf_reals(r, kind == SLIP_EVENT_PUSH ? "from" : "time", 1, &e->event.t0, NULL);
    if (s == SLIP_OK && kind != SLIP_EVENT_PUSH && e->event.t0 < 0) s = scene_negative(r, "time", e->event.t0);
    e->event.t1 = e->event.t0;
    return s;
}

static slip_status scene_read_push(slip_urdf_reader *r, void *unused)
{
    scene_event *e;
    int has_force = 0, has_rate = 0, has_torque = 0, has_end = 0;
    slip_status s = scene_begin_event(r, SLIP_EVENT_PUSH, "link", &e);

    (void)unused;
    e->event.t1 = SLIP_REAL_MAX;
    if (s == SLIP_OK) s = slip_urdf_reals(r, "to", 1, &e->event.t1, &has_end);
    if (s == SLIP_OK) s = slip_urdf_reals(r, "force", 3, e->event.force, &has_force);
    if (s == SLIP_OK) s = slip_urdf_reals(r, "rate", 3, e->event.rate, &has_rate);
    if (s == SLIP_OK) s = slip_urdf_reals(r, "torque", 3, e->event.torque, &has_torque);
    if (s == SLIP_OK) s = slip_urdf_reals_within(r, "at", 3, SLIP_MOST_LENGTH, "m", e->event.at, &e->has_at);
    if (s == SLIP_OK && has_end && e->event.t1 <= e->event.t0)
        s = slip_urdf_warn(r, r->xml->line, r->xml->column, "push from %g to %g s never acts", (double)e->event.t0,
                           (double)e->event.t1);
    else if (s == SLIP_OK && !has_force && !has_rate && !has_torque)
        s = slip_urdf_warn(r, r->xml->line, r->xml->column, "<push> has no force, rate or torque, so it does nothing");
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

static slip_status scene_read_loop_event(slip_urdf_reader *r, void *unused)
{
    const int closes = slip_xml_is(r->xml, "close");
    scene_event *e;
    const slip_status s = scene_begin_event(r, SLIP_EVENT_LOOP, "loop", &e);

    (void)unused;
    e->event.on = closes;
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

static slip_status scene_read_target(slip_urdf_reader *r, void *unused)
{
    scene_event *e;
    slip_real over = 0;
    int found = 0;
    slip_status s = scene_begin_event(r, SLIP_EVENT_TARGET, "joint", &e);

    (void)unused;
    if (s == SLIP_OK)
        s = slip_urdf_reals_within(r, "position", 1, SLIP_MOST_LENGTH, "rad or m", &e->event.to, &e->event.moves);
    if (s == SLIP_OK)
        s = slip_urdf_reals_within(r, "velocity", 1, SLIP_MOST_SPEED, "rad/s or m/s", &e->event.v_ref,
                                   &e->event.turns);
    e->event.kp = e->event.kd = -1;
    if (s == SLIP_OK) s = slip_urdf_reals(r, "kp", 1, &e->event.kp, &found);
    if (s == SLIP_OK && found && e->event.kp < 0) s = scene_negative(r, "kp", e->event.kp);
    if (s == SLIP_OK) s = slip_urdf_reals(r, "kd", 1, &e->event.kd, &found);
    if (s == SLIP_OK && found && e->event.kd < 0) s = scene_negative(r, "kd", e->event.kd);
    if (s == SLIP_OK) s = slip_urdf_reals(r, "over", 1, &over, &found);
    if (s == SLIP_OK && over < 0) s = scene_negative(r, "over", over);
    e->event.t1 = e->event.t0 + over;
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

static slip_status scene_read_velocity(slip_urdf_reader *r, void *unused)
{
    scene_event *e;
    int found = 0;
    slip_status s = scene_begin_event(r, SLIP_EVENT_VELOCITY, "link", &e);

    (void)unused;
    if (s == SLIP_OK) s = slip_urdf_reals_within(r, "linear", 3, SLIP_MOST_SPEED, "m/s", e->event.velocity, &found);
    if (s == SLIP_OK)
        s = slip_urdf_reals_within(r, "angular", 3, SLIP_MOST_SPEED, "rad/s", e->event.velocity + 3, &found);
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

static slip_status scene_read_events(slip_urdf_reader *r, void *unused)
{
    static const slip_urdf_tag tags[] = {
        { "push", 1, scene_read_push }, { "release", 1, scene_read_loop_event }, { "close", 1, scene_read_loop_event },
        { "target", 1, scene_read_target }, { "set_velocity", 1, scene_read_velocity } };

    (void)unused;
    return slip_urdf_children(r, tags, (int)(sizeof tags/sizeof *tags), NULL);
}

/* ---- camera, root ------------------------------------------------------------------------------- */

static slip_status scene_read_camera(slip_urdf_reader *r, void *unused)
{
    scene_reader *scene = scene_of(r);
    slip_camera *c = &scene->out.camera;
    int found = 0;
    slip_status s = slip_urdf_reals_within(r, "eye", 3, SLIP_MOST_LENGTH, "m", c->eye, &found);

    (void)unused;
    c->given = found;
    if (s == SLIP_OK) s = slip_urdf_reals_within(r, "target", 3, SLIP_MOST_LENGTH, "m", c->target, &found);
    if (s == SLIP_OK && !(slip_distance3(c->eye, c->target) > 0))
        s = slip_urdf_fail(r, SLIP_ERR_MODEL, r->xml->line, r->xml->column,
                           "eye and target of <camera> are the same point \"%g %g %g\"", (double)c->eye[0],
                           (double)c->eye[1], (double)c->eye[2]);
    if (s == SLIP_OK) s = slip_urdf_reals(r, "fov", 1, &c->fov, &found);
    if (s == SLIP_OK) s = scene_ref(r, "follow", &scene->follow);
    if (s == SLIP_OK && !(c->fov > 0 && c->fov < 180))
        s = slip_urdf_fail(r, SLIP_ERR_MODEL, r->xml->line, r->xml->column, "fov %g of <camera>, expected degrees "
                           "between 0 and 180", (double)c->fov);
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

slip_status slip_scene_read_root(scene_reader *r)
{
    static const slip_urdf_tag tags[] = {
        { "simulation", 0, slip_scene_read_simulation }, { "solver", 0, slip_scene_read_solver },
        { "contact", 0, slip_scene_read_contact },
        { "surface", 1, scene_read_surface }, { "surface_pair", 1, scene_read_pair },
        { "ground", 1, slip_scene_read_ground }, { "terrain", 1, slip_scene_read_terrain },
        { "robot", 1, scene_read_robot }, { "body", 1, scene_read_body }, { "loop", 1, scene_read_loop },
        { "joint", 1, scene_read_joint }, { "drive", 1, scene_read_drive }, { "exclude", 1, scene_read_exclude },
        { "spring", 1, scene_read_spring }, { "move", 1, slip_scene_read_move },
        { "events", 1, scene_read_events }, { "camera", 0, scene_read_camera } };
    slip_status s = slip_urdf_text(&r->u, "name", &r->u.kept, &r->out.name);

    r->out.line = r->robot_text ? 0 : r->u.xml->line;
    r->out.column = r->robot_text ? 0 : r->u.xml->column;
    if (s == SLIP_OK) s = slip_urdf_text(&r->u, "about", &r->u.kept, &r->out.about);
    return s < 0 ? s : slip_urdf_children(&r->u, tags, (int)(sizeof tags/sizeof *tags), NULL);
}
