/* Target: worlds that the bytes describe, and what a caller may do to them between steps. Checked: a step or a restore
 * that fails leaves the state bit for bit as it was; after a step the state and its contacts are numbers; an arena that
 * is too small by one piece is refused. */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "slipstick_parts.h"

enum { BODIES = 5, STEPS = 8, ROOM = 1 << 23 };

/* The bytes, taken one by one; zeros behind their end. */
typedef struct { const unsigned char *at, *end; } world_bytes;

static int take(world_bytes *in, int n)                          /* 0 .. n - 1 */
{
    return in->at < in->end ? *in->at++ % n : 0;
}

static slip_real take_unit(world_bytes *in) { return (slip_real)take(in, 256)/127 - 1; }

/* 10^lo .. 10^hi; 256 steps of equal ratio. */
static slip_real take_power(world_bytes *in, double lo, double hi)
{
    return (slip_real)pow(10, lo + (hi - lo)*take(in, 256)/255);
}

/* Mostly a number of use, now and then one that is none. */
static slip_real take_number(world_bytes *in, double most)
{
    static const double odd[] = { 0, -1, 1e300, -1e300, 1e-300, 1e9 };
    const int kind = take(in, 16);

    if (kind == 15) return (slip_real)NAN;
    if (kind == 14) return take(in, 2) ? (slip_real)INFINITY : -(slip_real)INFINITY;
    if (kind == 13) return (slip_real)odd[take(in, 6)];
    return (slip_real)most*take_unit(in);
}

static struct {
    slip_link_def links[BODIES];
    slip_joint_def joints[BODIES];
    slip_collider_def colliders[BODIES + 1];
    slip_material materials[2];
    slip_loop_def loop;
    slip_model_def def;
    slip_world_def world;
} world;

static slip_shape take_shape(world_bytes *in)
{
    const slip_real a = take_power(in, -3, 1), b = take_power(in, -3, 1), c = take_power(in, -3, 1);

    switch (take(in, 5)) {
    case 0: return slip_shape_sphere(a);
    case 1: return slip_shape_box(a, b, c);
    case 2: return slip_shape_capsule(a, b);
    case 3: return slip_shape_cylinder(a, b);
    default: return slip_shape_ellipsoid(a, b, c);
    }
}

static void take_pose(world_bytes *in, slip_real reach, slip_pose *X)
{
    slip_real q[4];
    int i;

    for (i = 0; i < 4; ++i) q[i] = take_unit(in);
    slip_quat_normalize(q, q);
    slip_pose_identity(X);
    slip_quat_to_mat3(q, X->R);
    for (i = 0; i < 3; ++i) X->p[i] = reach*take_unit(in);
}

static void take_body(world_bytes *in, int i)
{
    static const char *const link_names[BODIES] = { "a", "b", "c", "d", "e" };
    static const char *const joint_names[BODIES] = { "ja", "jb", "jc", "jd", "je" };
    slip_link_def *l = &world.links[i];
    slip_joint_def *j = &world.joints[i];
    slip_collider_def *c = &world.colliders[i + 1];
    const slip_real size = take_power(in, -3, 1);
    int k;

    l->name = link_names[i];
    l->mass = take_power(in, -9, 9);
    for (k = 0; k < 3; ++k) l->com[k] = take(in, 3) == 0 ? size*take_unit(in) : 0;
    l->inertia[0] = l->inertia[3] = l->inertia[5] = l->mass*size*size;
    *j = slip_joint_defaults();
    j->name = joint_names[i];
    j->type = (slip_joint_type)(SLIP_JOINT_FIXED + take(in, SLIP_JOINT_FLOATING + 1));
    j->child = i;
    j->parent = take(in, i + 1) - 1;
    take_pose(in, 1, &j->origin);
    for (k = 0; k < 3; ++k) j->axis[k] = take_unit(in);
    if (slip_norm3(j->axis) < SLIP_R(0.1)) j->axis[2] = 1;
    if (take(in, 4) == 0) { j->lower = -slip_abs(take_unit(in));  j->upper = slip_abs(take_unit(in)); }
    if (take(in, 4) == 0) j->damping = take_power(in, -6, 6);
    if (take(in, 4) == 0) j->friction = take_power(in, -6, 6);
    if (take(in, 2) == 0) j->armature = take_power(in, -6, 3);
    memset(c, 0, sizeof *c);
    c->link = i;
    c->shape = take_shape(in);
    take_pose(in, SLIP_R(0.1), &c->pose);
    c->material = take(in, 2);
    c->group = 1;
    c->mask = ~0u;
}

static void take_material(world_bytes *in, slip_material *m)
{
    *m = slip_material_defaults();
    m->friction = take(in, 8) == 0 ? (slip_real)INFINITY : take(in, 4) == 0 ? 0 : take_power(in, -3, 3);
    if (take(in, 3) == 0) m->restitution = slip_abs(take_unit(in));
    if (take(in, 3) == 0) { m->stiffness = take_power(in, 0, 9);  m->damping = take_power(in, -3, 6); }
    if (take(in, 5) == 0) m->torsion = take_power(in, -6, 0);
    if (take(in, 5) == 0) m->rolling = take_power(in, -6, 0);
    if (take(in, 8) == 0) m->friction = take_number(in, 10);
}

static void take_options(world_bytes *in, slip_world_options *o)
{
    *o = slip_world_defaults();
    o->solver = slip_solver_get(take(in, slip_solver_count()));
    o->dt = take_power(in, -6, -1);
    o->solve.max_iterations = 1 + take(in, 20);
    o->integrator = (slip_integrator)take(in, 3);
    o->impact = (slip_impact_law)take(in, 3);
    o->law.kind = (slip_law_kind)take(in, 4);
    o->max_contacts = take(in, 4) == 0 ? 1 : 0;
    o->max_pairs = take(in, 4) == 0 ? 1 : 0;
    o->scratch_rows = take(in, 8) == 0 ? 1 : 400;
    o->sleep = take(in, 4) == 0 ? SLIP_R(0.01) : 0;
    o->islands = take(in, 4) != 0;
    o->reuse = take(in, 4) == 0 ? 0 : o->reuse;
    o->work = take(in, 2);
    if (take(in, 16) == 0) o->margin = take_number(in, 1);
    if (take(in, 16) == 0) o->erp = take_number(in, 1);
    if (take(in, 4) == 0 || strstr(o->solver->id, "staggered"))  /* 2e9 flops a call without a budget: a second */
        o->step_iterations = 1 + take(in, 100);
}

static void take_world(world_bytes *in)
{
    const int n = 1 + take(in, BODIES);
    int i;

    memset(&world, 0, sizeof world);
    for (i = 0; i < n; ++i) take_body(in, i);
    for (i = 0; i < 2; ++i) take_material(in, &world.materials[i]);
    world.colliders[0] = world.colliders[1];
    world.colliders[0].link = -1;
    world.colliders[0].shape = take(in, 4) == 0 ? take_shape(in) : slip_shape_halfspace();
    slip_pose_identity(&world.colliders[0].pose);
    world.def.name = "fuzz";
    world.def.nlinks = world.def.njoints = n;
    world.def.links = world.links;
    world.def.joints = world.joints;
    world.def.gravity[2] = SLIP_R(-9.81);
    world.world.ncolliders = n + 1;
    world.world.colliders = world.colliders;
    world.world.nmaterials = 2;
    world.world.materials = world.materials;
    take_options(in, &world.world.options);
    if (n > 1 && take(in, 4) == 0) {
        world.loop.name = "loop";
        world.loop.kind = take(in, 3) == 0 ? SLIP_LOOP_WELD : take(in, 2) ? SLIP_LOOP_BALL : SLIP_LOOP_HINGE;
        world.loop.link_b = 1 + take(in, n - 1);
        take_pose(in, 1, &world.loop.frame_a);
        take_pose(in, 1, &world.loop.frame_b);
        world.world.loops = &world.loop;
        world.world.nloops = 1;
    }
}

/* ---- what a caller does --------------------------------------------------------------------------- */

typedef struct {
    slip_world *w;
    const slip_model *m;
    unsigned char *now, *kept;           /* snapshots */
    size_t bytes;
    int has_kept;
} world_run;

static void world_same(world_run *r)
{
    unsigned char *again = (unsigned char *)malloc(r->bytes);

    slip_snapshot_save(r->w, again);
    FUZZ_CHECK(memcmp(again, r->now, r->bytes) == 0);            /* a failure changes nothing */
    free(again);
}

static void world_step(world_run *r)
{
    slip_status s;
    int i;

    slip_snapshot_save(r->w, r->now);
    s = slip_step(r->w);
    if (s < 0) {
        FUZZ_CHECK(slip_world_error(r->w)->what[0] != '\0');
        world_same(r);
        return;
    }
    FUZZ_CHECK(slip_all_finite(slip_world_q(r->w), r->m->nq) && slip_all_finite(slip_world_v(r->w), r->m->nv));
    for (i = 0; i < slip_contact_count(r->w); ++i) {
        const slip_contact_info c = slip_contact_get(r->w, i);

        FUZZ_CHECK(slip_all_finite(c.point, 3) && slip_all_finite(c.frame, 9));
        FUZZ_CHECK(slip_all_finite(c.impulse, 3) && slip_is_finite(c.gap));
    }
}

static void world_restore(world_run *r, world_bytes *in)
{
    unsigned char *bad = (unsigned char *)malloc(r->bytes);

    slip_snapshot_save(r->w, r->now);
    memcpy(bad, r->now, r->bytes);
    bad[(size_t)(take(in, 256) << 8 | take(in, 256)) % r->bytes] ^= (unsigned char)(1 + take(in, 255));
    if (slip_snapshot_restore(r->w, bad, r->bytes) < 0) world_same(r);
    slip_snapshot_save(r->w, r->now);
    FUZZ_CHECK(slip_snapshot_restore(r->w, bad, (size_t)take(in, 256) % r->bytes) < 0);      /* cut short */
    world_same(r);
    free(bad);
}

static void world_act(world_run *r, world_bytes *in)
{
    const int iv = r->m->nv > 0 ? take(in, r->m->nv) : 0;
    slip_material material;
    slip_drive *d;
    slip_real belt[6];
    int i;

    switch (take(in, 12)) {
    case 0: if (r->m->nv > 0) slip_world_tau(r->w)[iv] = take_number(in, 1e3);  break;
    case 1: slip_world_wrench(r->w)[take(in, 6*r->m->nbodies)] = take_number(in, 1e3);  break;
    case 2:
        if ((d = slip_world_drive(r->w, iv)) == NULL) break;
        d->kp = take_number(in, 1e4);  d->kd = take_number(in, 1e3);  d->q_ref = take_number(in, 1);
        d->implicit = take(in, 2);
        break;
    case 3: if (r->m->nq > 0) slip_world_q(r->w)[take(in, r->m->nq)] = take_number(in, 2);  break;
    case 4: if (r->m->nv > 0) slip_world_v(r->w)[iv] = take_number(in, 100);  break;
    case 5:
        slip_snapshot_save(r->w, r->kept);
        r->has_kept = 1;
        break;
    case 6: if (r->has_kept) (void)slip_snapshot_restore(r->w, r->kept, r->bytes);  break;
    case 7: world_restore(r, in);  break;
    case 8:
        take_material(in, &material);
        slip_world_set_material(r->w, take(in, 3), &material);
        break;
    case 9:
        for (i = 0; i < 6; ++i) belt[i] = take_number(in, 10);
        slip_world_set_surface_velocity(r->w, take(in, BODIES + 2), belt);
        break;
    case 10:
        for (i = 0; i < 6; ++i) belt[i] = take_number(in, 10);
        slip_world_prescribe(r->w, take(in, BODIES + 1), NULL, belt);
        break;
    default: slip_world_update(r->w);
    }
}

/* Steps and acts in turn until the bytes are used up; inputs that are refused are taken back. */
static void world_go(world_run *r, world_bytes *in)
{
    int k;

    for (k = 0; k < STEPS && (k < 2 || in->at < in->end); ++k) {
        world_act(r, in);
        world_step(r);
        if (slip_world_stats(r->w)->status >= 0) continue;
        memset(slip_world_tau(r->w), 0, (size_t)r->m->nv*sizeof(slip_real));
        memset(slip_world_wrench(r->w), 0, 6*(size_t)r->m->nbodies*sizeof(slip_real));
        memset(slip_world_v(r->w), 0, (size_t)r->m->nv*sizeof(slip_real));
        slip_neutral(r->m, slip_world_q(r->w));
        if (r->m->nv > 0) slip_world_drive(r->w, take(in, r->m->nv))->kp = 0;
    }
}

static void fuzz_world(const unsigned char *bytes, size_t size)
{
    static unsigned char *room;
    world_bytes in = { bytes, bytes + size };
    slip_world *none = NULL;
    slip_arena mem, small;
    unsigned char *block;
    world_run r;
    slip_error err;
    size_t needed;

    if (!room) room = (unsigned char *)malloc(ROOM);
    take_world(&in);
    memset(&err, 0, sizeof err);
    memset(&r, 0, sizeof r);
    mem = slip_arena_over(room, ROOM);
    if (slip_model_build(&world.def, &mem, &r.m, NULL, &err) < 0) {
        FUZZ_CHECK(err.what[0] != '\0' && mem.low == 0);
        return;
    }
    world.world.model = r.m;
    needed = slip_world_bytes(&world.world);
    if (needed == 0 || needed > ROOM) return;
    block = (unsigned char *)malloc(needed);
    small = slip_arena_over(block, needed - SLIP_ALIGN);
    FUZZ_CHECK(slip_world_create(&world.world, &small, &none, NULL, &err) < 0 && !none && small.low == 0);
    small = slip_arena_over(block, needed);
    if (slip_world_create(&world.world, &small, &r.w, NULL, &err) >= 0) {
        r.bytes = slip_snapshot_bytes(r.w);
        r.now = (unsigned char *)malloc(r.bytes);
        r.kept = (unsigned char *)malloc(r.bytes);
        world_go(&r, &in);
        free(r.now);
        free(r.kept);
    }
    free(block);
}

const fuzz_target fuzz_worlds[] = { { "world", fuzz_world }, { NULL, NULL } };
