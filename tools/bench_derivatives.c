/* slipstick bench derivatives: the derivative of a step against extrapolated differences of the step itself, at random
 * states of many kinds; and its time. Worlds are made here, so that the command needs no files. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "sim_run.h"

static const char derivatives_help[] =
    "usage: slipstick bench derivatives [NAME...] [--points N] [--euler] [--seed S] [--json] [--list]\n"
    "       slipstick bench derivatives --time SCENE [--at T] [--euler]\n\n"
    "Random states of each kind, one step of each differentiated (slip_step_derivatives()) and compared with\n"
    "differences of slip_step(), central and extrapolated, by q, v and joint forces. Columns:\n\n"
    "  points   states tried\n"
    "  smooth   derivatives that exist, by their status, and were compared\n"
    "  kinks    of these, states whose differences cross a kink next to the state: they say nothing\n"
    "  border   the status says that a contact, limit or drive is at the border of two modes\n"
    "  refused  the status says that there is no derivative of such a step\n"
    "  worst    largest difference of a number, relative to the largest of its column\n"
    "  wrong    states whose derivative is wrong by more than 1e-6 and whose status does not say so\n\n"
    "With --time SCENE nothing is compared: microseconds of the step of a scene at a time, and of the step with its\n"
    "derivative by q and v, best of many batches of the same step.\n\n"
    "  --time SCENE --at T   the scene, and seconds from its start (default 0)\n"
    "  --points N   states of each kind (default 200)\n"
    "  --euler      steps of integrator euler instead of midpoint\n"
    "  --seed S     of the random states (default 1)\n"
    "  --json       one object a kind\n"
    "  --list       a line on standard error for each state that is wrong: its number, column, contacts\n\n"
    "Exit code: 0 nothing is wrong, 1 something is, 2 usage.\n\n"
    "example: slipstick bench derivatives sliding-ball bounce --points 100\n";

enum { DER_NV = 24, DER_CONTACTS = 64, DER_ROWS = 2*DER_NV + 3*DER_CONTACTS, DER_LEVELS = 4, DER_TRIES = 3 };
enum { DER_MEMORY = 1 << 24, DER_SAVED = 1 << 20 };

/* What the bodies are and what they do. */
typedef struct {
    const char *name, *about;
    slip_shape_kind shape, other;    /* of the body; of a second one under it, or HALFSPACE, HEIGHTFIELD             */
    double mu, stiffness, restitution;
    double speed, spin;              /* most; down and across [m/s], [rad/s]                                       */
    int leg;                         /* instead: a leg on a ball joint, with limits and drives; 2: on a planar joint,
                                        3: with dry friction                                                   */
    double height;                   /* start above the ground [m]; 0: touching                                     */
} der_kind;

static const der_kind der_kinds[] = {
    { "flight", "a box that tumbles", SLIP_SHAPE_BOX, SLIP_SHAPE_HALFSPACE, 0.5, 0, 0, 1, 4, 0, 5 },
    { "sticking-ball", "a ball on rough ground", SLIP_SHAPE_SPHERE, SLIP_SHAPE_HALFSPACE, 2, 0, 0, 0.3, 2, 0, 0 },
    { "sliding-ball", "a ball on smooth ground", SLIP_SHAPE_SPHERE, SLIP_SHAPE_HALFSPACE, 0.1, 0, 0, 1, 4, 0, 0 },
    { "box", "a box on corners that stick, slide and open",
      SLIP_SHAPE_BOX, SLIP_SHAPE_HALFSPACE, 0.5, 0, 0, 1, 1, 0, 0 },
    { "capsule", "a capsule on one or both ends", SLIP_SHAPE_CAPSULE, SLIP_SHAPE_HALFSPACE, 0.4, 0, 0, 1, 2, 0, 0 },
    { "mesh", "a hull of twelve corners", SLIP_SHAPE_MESH, SLIP_SHAPE_HALFSPACE, 0.5, 0, 0, 1, 2, 0, 0 },
    { "cylinder", "a cylinder on its rim or face", SLIP_SHAPE_CYLINDER, SLIP_SHAPE_HALFSPACE, 0.5, 0, 0, 1, 2, 0, 0 },
    { "ellipsoid", "an ellipsoid", SLIP_SHAPE_ELLIPSOID, SLIP_SHAPE_HALFSPACE, 0.5, 0, 0, 1, 2, 0, 0 },
    { "soft-box", "a box on soft ground", SLIP_SHAPE_BOX, SLIP_SHAPE_HALFSPACE, 0.5, 2000, 0, 1, 2, 0, 0 },
    { "bounce", "a box that hits the ground, restitution 0.6",
      SLIP_SHAPE_BOX, SLIP_SHAPE_HALFSPACE, 0.3, 0, 0.6, 2, 4, 0, 0 },
    { "field", "a ball on a height field", SLIP_SHAPE_SPHERE, SLIP_SHAPE_HEIGHTFIELD, 0.4, 0, 0, 1, 2, 0, 0 },
    { "field-box", "a box on a height field", SLIP_SHAPE_BOX, SLIP_SHAPE_HEIGHTFIELD, 0.4, 0, 0, 1, 2, 0, 0 },
    { "ball-on-ball", "two balls", SLIP_SHAPE_SPHERE, SLIP_SHAPE_SPHERE, 0.4, 0, 0, 1, 3, 0, 0 },
    { "ball-on-box", "a ball on a box", SLIP_SHAPE_SPHERE, SLIP_SHAPE_BOX, 0.4, 0, 0, 1, 3, 0, 0 },
    { "box-on-box", "a box on a box", SLIP_SHAPE_BOX, SLIP_SHAPE_BOX, 0.4, 0, 0, 1, 1, 0, 0 },
    { "leg", "a leg with limits and drives, on a ball joint",
      SLIP_SHAPE_SPHERE, SLIP_SHAPE_HALFSPACE, 0.6, 0, 0, 1, 1, 1, 0 },
    { "leg-friction", "the same with dry friction in its joints",
      SLIP_SHAPE_SPHERE, SLIP_SHAPE_HALFSPACE, 0.6, 0, 0, 1, 1, 3, 0 },
    { "leg-plane", "the leg on a planar joint", SLIP_SHAPE_SPHERE, SLIP_SHAPE_HALFSPACE, 0.6, 0, 0, 1, 1, 2, 0 },
};
enum { DER_KINDS = (int)(sizeof der_kinds/sizeof *der_kinds) };

/* A world of a kind, and what is compared there. */
typedef struct {
    const der_kind *kind;
    int list;
    slip_world *world;
    slip_random rng;
    slip_heightfield field;
    slip_hull hull;
    unsigned char *block, *scratch, *saved;
    slip_step_jacobian J;
    slip_real q1[DER_NV + 8], side[2][DER_ROWS], table[DER_LEVELS][DER_ROWS], estimate[DER_TRIES][DER_ROWS];
} der_case;

typedef struct { long points, smooth, kinks, border, refused, wrong, contacts; double worst; } der_result;

static slip_real der_uniform(der_case *c, double a, double b)
{
    return slip_random_uniform(&c->rng, (slip_real)a, (slip_real)b);
}

/* ---- worlds ------------------------------------------------------------------------------------------------------ */

static slip_shape der_shape(der_case *c, slip_shape_kind kind)
{
    switch (kind) {
    case SLIP_SHAPE_SPHERE: return slip_shape_sphere(SLIP_R(0.1));
    case SLIP_SHAPE_CAPSULE: return slip_shape_capsule(SLIP_R(0.1), SLIP_R(0.2));
    case SLIP_SHAPE_CYLINDER: return slip_shape_cylinder(SLIP_R(0.1), SLIP_R(0.15));
    case SLIP_SHAPE_ELLIPSOID: return slip_shape_ellipsoid(SLIP_R(0.1), SLIP_R(0.15), SLIP_R(0.2));
    case SLIP_SHAPE_MESH: return slip_shape_mesh(&c->hull);
    case SLIP_SHAPE_HEIGHTFIELD: return slip_shape_heightfield(&c->field);
    case SLIP_SHAPE_HALFSPACE: return slip_shape_halfspace();
    default: return slip_shape_box(SLIP_R(0.1), SLIP_R(0.15), SLIP_R(0.2));
    }
}

static slip_real der_hills(void *context, slip_real x, slip_real y)
{
    (void)context;
    return SLIP_R(0.1)*slip_sin(3*x)*slip_cos(2*y);
}

static void der_options(const der_case *c, int euler, slip_world_options *o)
{
    (void)c;
    *o = slip_world_defaults();
    o->integrator = euler ? SLIP_EULER : SLIP_MIDPOINT;
    o->exact_mean = 1;
    o->solve.tol = SLIP_TOL(1e-15, 1e-6);
    o->reuse = 0;
    o->warm_start = o->soften = 0;               /* each step is solved from the beginning, to rounding */
    o->dt = SLIP_R(0.005);
}

static void der_collider(slip_collider_def *d, const char *name, int link, slip_shape shape)
{
    memset(d, 0, sizeof *d);
    d->name = name;
    d->link = link;
    d->shape = shape;
    slip_pose_identity(&d->pose);
    d->group = 1;
    d->mask = ~0u;
}

/* Free bodies on the ground, or a body on another one. */
static int der_bodies(der_case *c, slip_link_def *links, slip_joint_def *joints, slip_collider_def *colliders)
{
    static const char *const names[2] = { "body", "under" };
    const int pair = c->kind->other != SLIP_SHAPE_HALFSPACE && c->kind->other != SLIP_SHAPE_HEIGHTFIELD;
    const int n = 1 + pair;
    int i;

    for (i = 0; i < n; ++i) {
        links[i].name = names[i];
        links[i].mass = (slip_real)(i ? 3 : 2);
        slip_set3(SLIP_R(0.02), SLIP_R(-0.01), SLIP_R(0.015), links[i].com);
        links[i].inertia[0] = SLIP_R(0.02);
        links[i].inertia[3] = SLIP_R(0.025);
        links[i].inertia[5] = SLIP_R(0.03);
        joints[i] = slip_joint_defaults();
        joints[i].name = names[i];
        joints[i].type = SLIP_JOINT_FLOATING;
        joints[i].child = i;
        der_collider(&colliders[i + 1], names[i], i, der_shape(c, i ? c->kind->other : c->kind->shape));
    }
    der_collider(&colliders[0], "ground", -1, der_shape(c, pair ? SLIP_SHAPE_HALFSPACE : c->kind->other));
    return n;
}

/* A trunk, a hip, a knee, a telescope, and a ball for a foot. */
static int der_leg(der_case *c, slip_link_def *links, slip_joint_def *joints, slip_collider_def *colliders)
{
    static const char *const names[] = { "trunk", "thigh", "shank", "foot" };
    int i;

    for (i = 0; i < 4; ++i) {
        links[i].name = names[i];
        links[i].mass = (slip_real)(2 - 0.4*i);
        slip_set3(SLIP_R(0.02), SLIP_R(0.01), SLIP_R(-0.1), links[i].com);
        links[i].inertia[0] = links[i].inertia[3] = SLIP_R(0.02);
        links[i].inertia[5] = SLIP_R(0.01);
        joints[i] = slip_joint_defaults();
        joints[i].name = names[i];
        joints[i].parent = i - 1;
        joints[i].child = i;
        joints[i].type = i == 0 ? c->kind->leg == 2 ? SLIP_JOINT_PLANAR : SLIP_JOINT_BALL
            : i == 3 ? SLIP_JOINT_PRISMATIC : SLIP_JOINT_REVOLUTE;
        slip_set3(0, i < 3, i == 3, joints[i].axis);
        slip_set3(0, 0, i ? SLIP_R(-0.3) : 1, joints[i].origin.p);
        slip_mat3_identity(joints[i].origin.R);
        joints[i].damping = SLIP_R(0.1)*(slip_real)(i == 2);
        joints[i].friction = SLIP_R(0.3)*(slip_real)(c->kind->leg == 3 && i > 0);
        if (i == 0) continue;
        joints[i].lower = i == 3 ? SLIP_R(-0.05) : -2;
        joints[i].upper = i == 3 ? SLIP_R(0.05) : 2;
    }
    der_collider(&colliders[0], "ground", -1, slip_shape_halfspace());
    der_collider(&colliders[1], "foot", 3, slip_shape_sphere(SLIP_R(0.05)));
    colliders[1].pose.p[2] = SLIP_R(-0.2);
    return 4;
}

/* The world of c->kind in c->block; 0 after a message. */
static int der_build(der_case *c, int euler)
{
    slip_arena mem = slip_arena_over(c->block, DER_MEMORY), spare;
    slip_link_def links[4];
    slip_joint_def joints[4];
    slip_collider_def colliders[3];
    slip_material material = slip_material_defaults();
    slip_model_def def;
    slip_world_def world;
    slip_error err;
    const slip_model *model;
    slip_real points[3*12];
    int i;

    memset(links, 0, sizeof links);
    memset(&def, 0, sizeof def);
    memset(&world, 0, sizeof world);
    slip_error_clear(&err);
    for (i = 0; i < 12; ++i) {
        slip_random_unit3(&c->rng, points + 3*i);
        slip_scale3(SLIP_R(0.15), points + 3*i, points + 3*i);
    }
    spare = mem;
    if (slip_hull_build(points, 12, 0, &spare, &c->hull, NULL) < 0) return 0;
    mem = spare;
    if (slip_heightfield_from(21, 21, SLIP_R(0.2), SLIP_R(0.2), der_hills, NULL, &mem, &c->field, &err) < 0) return 0;
    def.name = c->kind->name;
    def.nlinks = c->kind->leg ? der_leg(c, links, joints, colliders) : der_bodies(c, links, joints, colliders);
    def.njoints = def.nlinks;
    def.links = links;
    def.joints = joints;
    slip_set3(0, 0, SLIP_R(-9.81), def.gravity);
    material.friction = (slip_real)c->kind->mu;
    material.stiffness = (slip_real)c->kind->stiffness;
    material.damping = (slip_real)(c->kind->stiffness > 0 ? 30 : 0);
    material.restitution = (slip_real)c->kind->restitution;
    if (slip_model_build(&def, &mem, &model, NULL, &err) < 0) return 0;
    world.model = model;
    world.ncolliders = c->kind->leg ? 2 : def.nlinks + 1;
    world.colliders = colliders;
    world.nmaterials = 1;
    world.materials = &material;
    der_options(c, euler, &world.options);
    return slip_world_create(&world, &mem, &c->world, NULL, &err) == SLIP_OK;
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

/* Brings the lowest contact to a gap, by moving the first body up. */
static void der_touch(der_case *c, slip_real gap)
{
    slip_real low = (slip_real)INFINITY;
    int i, k;

    for (k = 0; k < 4; ++k) {
        slip_real *q = slip_world_q(c->world);

        if (slip_world_update(c->world) < 0) return;
        low = (slip_real)INFINITY;
        for (i = 0; i < slip_contact_count(c->world); ++i) low = slip_min(low, slip_contact_get(c->world, i).gap);
        if (low < 1) { q[2] += gap - low;  return; }
        q[2] -= SLIP_R(0.02);
    }
}

/* x, y in [-most, most], drawn one after the other: the order in which a call's arguments are computed is the compiler's. */
static void der_uniform2(der_case *c, double most, slip_real x[2])
{
    x[0] = der_uniform(c, -most, most);
    x[1] = der_uniform(c, -most, most);
}

static void der_body_state(der_case *c, long k)
{
    const der_kind *kind = c->kind;
    slip_real *q = slip_world_q(c->world), *v = slip_world_v(c->world);
    int i;

    der_uniform2(c, 1, q);
    q[2] = (slip_real)(kind->height > 0 ? kind->height : 0.15);
    slip_random_quat(&c->rng, q + 3);
    for (i = 0; i < 6; ++i) v[i] = der_uniform(c, -1, 1)*(slip_real)(i < 3 ? kind->speed : kind->spin);
    if (k % 2) slip_scale3(SLIP_R(0.02), v + 3, v + 3);
    for (i = 0; i < 6; ++i) slip_world_wrench(c->world)[6 + i] = der_uniform(c, -3, 3);
    if (kind->height > 0) return;
    der_touch(c, k % 3 == 0 ? der_uniform(c, 1e-4, 2e-3) : der_uniform(c, -2e-3, -1e-4));
    if (kind->restitution > 0) {                             /* it falls by a good speed in the world's axes */
        slip_real down[3] = { 0, 0, 0 }, inverse[4];

        down[2] = der_uniform(c, -kind->speed, -0.3);
        slip_quat_conj(q + 3, inverse);
        slip_quat_rotate(inverse, down, down);
        slip_add3(v, down, v);
    }
}

/* The first body on the second one, both somewhere in the air. */
static void der_pair_state(der_case *c)
{
    slip_real *q = slip_world_q(c->world), *v = slip_world_v(c->world), at[3], turned[3];
    int i;

    for (i = 0; i < 12; ++i)
        v[i] = der_uniform(c, -1, 1)*(slip_real)(i % 6 < 3 ? c->kind->speed : c->kind->spin);
    der_uniform2(c, 1, q + 7);
    q[9] = 5;
    slip_random_quat(&c->rng, q + 10);
    if (c->kind->other == SLIP_SHAPE_SPHERE) {
        slip_random_unit3(&c->rng, at);
        slip_scale3(SLIP_R(0.2) + der_uniform(c, -1e-3, 1e-3), at, at);
    } else {
        der_uniform2(c, 0.05, at);
        at[2] = SLIP_R(0.2) + (c->kind->shape == SLIP_SHAPE_BOX ? SLIP_R(0.2) : SLIP_R(0.1)) + der_uniform(c, -1e-3, 1e-3);
    }
    slip_quat_rotate(q + 10, at, turned);
    slip_add3(q + 7, turned, q);
    if (c->kind->shape == SLIP_SHAPE_BOX) {                  /* turned a little about the other's axis and off it */
        slip_real turn[3], e[4];

        der_uniform2(c, 1e-3, turn);
        turn[2] = der_uniform(c, -1, 1);
        slip_quat_exp(turn, e);
        slip_quat_mul(q + 10, e, q + 3);
    } else slip_random_quat(&c->rng, q + 3);
}

static void der_leg_state(der_case *c, long k)
{
    const slip_model *m = slip_world_model(c->world);
    slip_real *q = slip_world_q(c->world), *v = slip_world_v(c->world);
    int i;

    slip_random_q(m, &c->rng, q);
    for (i = 0; i < m->nv; ++i) v[i] = der_uniform(c, -1, 1);
    for (i = 0; i < m->nq - 3; ++i) q[i] *= m->nq == 6 ? SLIP_R(0.2) : 1;
    q[m->nq - 3] = der_uniform(c, -0.4, 0.4);
    q[m->nq - 2] = der_uniform(c, -0.4, 0.4);
    q[m->nq - 1] = k % 3 ? der_uniform(c, -0.04, 0.04) : SLIP_R(-0.05) + der_uniform(c, 1e-4, 4e-3);
    if (k % 3 == 0) v[m->nv - 1] = der_uniform(c, -1, -0.2);
    for (i = m->nv - 3; i < m->nv; ++i) {
        slip_drive *d = slip_world_drive(c->world, i);

        d->kp = (slip_real)(k % 2 ? 40 : 0);
        d->kd = (slip_real)(k % 2 ? 2 : 0);
        d->q_ref = der_uniform(c, -0.3, 0.3);
        d->v_ref = der_uniform(c, -0.3, 0.3);
        d->effort = k % 5 == 1 ? SLIP_R(1.5) : (slip_real)INFINITY;
        d->implicit = k % 4 != 3;
    }
    for (i = 0; i < m->nv; ++i) slip_world_tau(c->world)[i] = der_uniform(c, -2, 2);
}

/* ---- differences ------------------------------------------------------------------------------------------------- */

/* The step's result with column k of q, v, tau moved by h; 0: another number of contacts, or the step fails. */
static int der_moved(der_case *c, int k, slip_real h, slip_real *out)
{
    const slip_model *m = slip_world_model(c->world);
    const int i = k % m->nv;
    int n;

    slip_snapshot_restore(c->world, c->saved, slip_snapshot_bytes(c->world));
    if (k < m->nv) {
        slip_real e[DER_NV] = { 0 };

        e[i] = 1;
        slip_integrate(m, slip_world_q(c->world), e, h, slip_world_q(c->world));
    } else if (k < 2*m->nv) slip_world_v(c->world)[i] += h;
    else slip_world_tau(c->world)[i] += h;
    if (slip_step(c->world) < 0 || slip_contact_count(c->world) != c->J.nc) return 0;
    slip_difference(m, c->q1, slip_world_q(c->world), out);
    memcpy(out + m->nv, slip_world_v(c->world), (size_t)m->nv*sizeof *out);
    for (n = 0; n < c->J.nc; ++n) {
        const slip_contact_info info = slip_contact_get(c->world, n);

        slip_copy3(info.impulse, out + 2*m->nv + 3*n);
    }
    return 1;
}

/* out <- column k by central differences over h, h/2, ..., extrapolated. */
static int der_difference(der_case *c, int k, slip_real h, int rows, slip_real *out)
{
    int l, level, i;

    for (l = 0; l < DER_LEVELS; ++l, h /= 2) {
        if (!der_moved(c, k, h, c->side[0]) || !der_moved(c, k, -h, c->side[1])) return 0;
        for (i = 0; i < rows; ++i) c->table[l][i] = (c->side[0][i] - c->side[1][i])/(2*h);
    }
    for (level = 1; level < DER_LEVELS; ++level)
        for (l = DER_LEVELS - 1; l >= level; --l)
            for (i = 0; i < rows; ++i)
                c->table[l][i] += (c->table[l][i] - c->table[l - 1][i])/(slip_real)((1 << (2*level)) - 1);
    memcpy(out, c->table[DER_LEVELS - 1], (size_t)rows*sizeof *out);
    return 1;
}

static double der_distance(int rows, const slip_real *a, const slip_real *b)
{
    double most = 0;
    int i;

    for (i = 0; i < rows; ++i) most = fmax(most, fabs((double)a[i] - (double)b[i]));
    return most;
}

#define DER_EXACT SLIP_TOL(1e-8, 1e-3)   /* of the largest number of a column: what differences are asked for */
#define DER_WRONG SLIP_TOL(1e-6, 1e-2)

/* Column k of the derivative against differences: -1: these cross a kink, over every distance that was tried; else the
 * error. Moves are so large that rounding of a step is small over them, and smaller ones are tried where that fails. */
static double der_column(der_case *c, int k, int rows)
{
    static const double size[DER_TRIES] = { 1, 0.05, 0.0025 };
    slip_real ours[DER_ROWS];
    double scale = 0, best = (double)INFINITY;
    int have[DER_TRIES] = { 0 }, t, i;

    for (i = 0; i < rows; ++i) {
        ours[i] = c->J.D[i*c->J.columns + k];
        scale = fmax(scale, fabs((double)ours[i]));
    }
    scale = fmax(scale, 1e-3);
    for (t = 0; t < DER_TRIES; ++t) {
        const double move = k < c->J.nv ? 1e-4 : k < 2*c->J.nv ? 1e-3 : 0.05;

        have[t] = der_difference(c, k, (slip_real)(move*size[t]), rows, c->estimate[t]);
        if (!have[t]) continue;
        best = fmin(best, der_distance(rows, c->estimate[t], ours)/scale);
        if (best <= (double)DER_EXACT) return best;
    }
    for (t = 1; t < DER_TRIES; ++t)                          /* differences that agree with each other */
        if (have[t] && have[t - 1]
            && der_distance(rows, c->estimate[t], c->estimate[t - 1])/scale <= (double)DER_WRONG/4) return best;
    return best <= (double)DER_WRONG ? best : -1;
}

/* State k, once more: its contacts. */
static void der_list(der_case *c, long k, int column, double error)
{
    int i;

    fprintf(stderr, "%s state %ld column %d error %.2e\n", c->kind->name, k, column, error);
    slip_snapshot_restore(c->world, c->saved, slip_snapshot_bytes(c->world));
    slip_step(c->world);
    for (i = 0; i < slip_contact_count(c->world); ++i) {
        const slip_contact_info info = slip_contact_get(c->world, i);

        fprintf(stderr, "  %s with %s: normal %.6f %.6f %.6f gap %.3e impulse %.3e %.3e %.3e slip %.3e %.3e\n",
                info.name_a, info.name_b, (double)info.frame[6], (double)info.frame[7], (double)info.frame[8],
                (double)info.gap, (double)info.impulse[0], (double)info.impulse[1], (double)info.impulse[2],
                (double)info.velocity[0], (double)info.velocity[1]);
    }
}

/* One state: its step differentiated and compared. */
static void der_point(der_case *c, long k, der_result *r)
{
    slip_arena mem = slip_arena_over(c->scratch, DER_MEMORY);
    const slip_model *m = slip_world_model(c->world);
    slip_status s;
    double error, worst = 0;
    int column, rows, at = 0;

    slip_snapshot_restore(c->world, c->saved + DER_SAVED/2, slip_snapshot_bytes(c->world));
    if (c->kind->leg) der_leg_state(c, k);
    else if (m->nbodies > 2) der_pair_state(c);
    else der_body_state(c, k);
    slip_snapshot_save(c->world, c->saved);
    ++r->points;
    s = slip_step_derivatives(c->world, SLIP_BY_STATE | SLIP_BY_TAU, SLIP_R(1e-3), &mem, &c->J);
    if (s == SLIP_ERR_UNSUPPORTED) { ++r->refused;  return; }
    if (s != SLIP_OK || 2*m->nv + 3*c->J.nc > DER_ROWS) { ++r->border;  return; }
    memcpy(c->q1, slip_world_q(c->world), (size_t)m->nq*sizeof *c->q1);
    rows = 2*m->nv + (c->J.unique ? 3*c->J.nc : 0);
    r->contacts += c->J.nc;
    for (column = 0; column < 3*m->nv; ++column) {
        error = der_column(c, column, rows);
        if (error < 0) { ++r->kinks;  return; }
        if (error > worst) { worst = error;  at = column; }
    }
    ++r->smooth;
    if (c->list && worst > (double)DER_WRONG) der_list(c, k, at, worst);
    if (worst > (double)DER_WRONG) ++r->wrong;
    else r->worst = fmax(r->worst, worst);
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

typedef struct {
    slip_world *world;
    unsigned char *saved, *block;
    size_t saved_bytes, bytes;
    unsigned inputs;             /* 0: the step alone; 1: nothing but the restored state */
    int contacts, products;
    slip_status status;
} der_timed;

enum { DER_CALLS = 20, DER_BATCHES = 100 };

static void der_timed_calls(void *context)
{
    der_timed *t = (der_timed *)context;
    slip_step_jacobian J;
    slip_step_linear linear;
    int i;

    for (i = 0; i < DER_CALLS; ++i) {
        slip_arena mem = slip_arena_over(t->block, t->bytes);

        slip_snapshot_restore(t->world, t->saved, t->saved_bytes);
        if (t->inputs == 0) t->status = slip_step(t->world);
        else if (t->products) t->status = slip_step_linearize(t->world, t->inputs, SLIP_R(1e-6), &mem, &linear);
        else t->status = slip_step_derivatives(t->world, t->inputs, SLIP_R(1e-6), &mem, &J);
        t->contacts = slip_contact_count(t->world);
    }
}

static int der_time(const char *path, double at, int euler)
{
    double us[3];
    sim_session session;
    sim_changes changes;
    der_timed t;
    int k;

    memset(&changes, 0, sizeof changes);
    memset(&t, 0, sizeof t);
    changes.quiet = 1;
    if (!sim_open("bench derivatives", path, &changes, &session)) return CLI_FAILED;
    t.world = session.world;
    if (euler) slip_world_options_of(t.world)->integrator = SLIP_EULER;
    while ((double)slip_world_time(t.world) < at)
        if (slip_step(t.world) < 0) return cli_fail("bench derivatives", "%s", slip_world_error(t.world)->what);
    t.saved_bytes = slip_snapshot_bytes(t.world);
    t.saved = (unsigned char *)cli_alloc(t.saved_bytes);
    t.bytes = slip_step_linear_bytes(t.world);
    t.block = (unsigned char *)cli_alloc(t.bytes);
    slip_snapshot_save(t.world, t.saved);
    for (k = 0; k < 3; ++k) {
        t.inputs = k ? SLIP_BY_STATE : 0;
        t.products = k == 2;
        us[k] = bench_run(der_timed_calls, &t, DER_CALLS, DER_BATCHES).best_ns/1000;
        if (t.status < 0) return cli_fail("bench derivatives", "%s", slip_world_error(t.world)->what);
    }
    printf("nv %d contacts %d step_us %.2f with_derivative_us %.2f ratio %.2f for_products_us %.2f\n",
           slip_world_model(t.world)->nv, t.contacts, us[0], us[1], us[1]/us[0], us[2]);
    free(t.block);
    free(t.saved);
    sim_close(&session);
    return CLI_OK;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int der_run(const der_kind *kind, long points, int euler, int seed, int json, int list, long *wrong)
{
    der_case *c = (der_case *)cli_alloc(sizeof *c);
    der_result r;
    long k;
    int ok;

    memset(&r, 0, sizeof r);
    memset(c, 0, sizeof *c);
    c->kind = kind;
    c->list = list;
    c->rng = slip_random_seed((uint64_t)seed);
    c->block = (unsigned char *)cli_alloc(DER_MEMORY);
    c->scratch = (unsigned char *)cli_alloc(DER_MEMORY);
    c->saved = (unsigned char *)cli_alloc(DER_SAVED);
    ok = der_build(c, euler) && slip_snapshot_bytes(c->world) <= DER_SAVED/2
        && slip_step_jacobian_bytes(c->world) <= DER_MEMORY;
    if (ok) slip_snapshot_save(c->world, c->saved + DER_SAVED/2);
    for (k = 0; ok && k < points; ++k) der_point(c, k, &r);
    if (ok && json)
        printf("{\"kind\": \"%s\", \"integrator\": \"%s\", \"points\": %ld, \"smooth\": %ld, \"kinks\": %ld, "
               "\"border\": %ld, \"refused\": %ld, \"worst\": %.2e, \"wrong\": %ld}\n", kind->name,
               euler ? "euler" : "midpoint", r.points, r.smooth, r.kinks, r.border, r.refused, r.worst, r.wrong);
    else if (ok)
        printf("%-14s %7ld %7ld %6ld %7ld %8ld %9.1e %6ld   %s\n", kind->name, r.points, r.smooth, r.kinks, r.border,
               r.refused, r.worst, r.wrong, kind->about);
    *wrong += r.wrong;
    free(c->saved);
    free(c->scratch);
    free(c->block);
    free(c);
    return ok;
}

int slip_bench_derivatives(int argc, char **argv)
{
    int chosen[DER_KINDS] = { 0 }, any = 0, kind, i, points = 200, euler = 0, seed = 1, json = 0, list = 0;
    const char *scene = NULL;
    double at = 0;
    long wrong = 0;
    cli_args args;

    cli_begin(&args, argc, argv);
    while ((kind = cli_next(&args)) != 0) {
        if (kind == 2) {
            for (i = 0; i < DER_KINDS && strcmp(args.value, der_kinds[i].name) != 0; ++i) {}
            if (i == DER_KINDS) return cli_usage(&args, "there is no kind '%s'", args.value);
            chosen[i] = any = 1;
        } else if (cli_is(&args, "--help") || cli_is(&args, "-h")) {
            fputs(derivatives_help, stdout);
            return CLI_OK;
        } else if (cli_is(&args, "--time")) {
            if (!(scene = cli_value(&args))) return CLI_USAGE;
        } else if (cli_is(&args, "--at")) {
            if (!cli_value_real(&args, 0, 1e6, &at)) return CLI_USAGE;
        } else if (cli_is(&args, "--points")) {
            if (!cli_value_int(&args, 1, 10000000, &points)) return CLI_USAGE;
        } else if (cli_is(&args, "--seed")) {
            if (!cli_value_int(&args, 0, 1000000000, &seed)) return CLI_USAGE;
        } else if (cli_is(&args, "--euler")) euler = 1;
        else if (cli_is(&args, "--json")) json = 1;
        else if (cli_is(&args, "--list")) list = 1;
        else return cli_unknown(&args);
    }
    if (scene) return der_time(scene, at, euler);
    if (!json) printf("%-14s %7s %7s %6s %7s %8s %9s %6s\n", euler ? "euler" : "midpoint", "points", "smooth", "kinks",
                      "border", "refused", "worst", "wrong");
    for (i = 0; i < DER_KINDS; ++i)
        if ((!any || chosen[i]) && !der_run(&der_kinds[i], points, euler, seed, json, list, &wrong))
            return cli_fail("bench derivatives", "the world of '%s' cannot be made", der_kinds[i].name);
    return wrong > 0 ? CLI_FAILED : CLI_OK;
}
