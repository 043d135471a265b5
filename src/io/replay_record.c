/* The recorder: frames of variable size in one pool. When the pool is full, every second frame is dropped, so that a
 * run of any length fits. See replay.h. */
#include "io/replay_private.h"

#include <string.h>

const char *slip_curve_name(slip_curve curve)
{
    static const char *const name[SLIP_CURVES] = { "kinetic energy", "potential energy", "normal force",
        "friction force", "residual", "penetration", "contacts", "iterations" };

    return (unsigned)curve < SLIP_CURVES ? name[curve] : "";
}

const char *slip_curve_unit(slip_curve curve)
{
    static const char *const unit[SLIP_CURVES] = { "J", "J", "N", "N", "", "m", "", "" };

    return (unsigned)curve < SLIP_CURVES ? unit[curve] : "";
}

slip_replay_def slip_replay_defaults(const slip_world_def *world)
{
    slip_replay_def def;

    memset(&def, 0, sizeof def);
    def.world = world;
    def.fps = 60;
    def.max_contacts = 256;
    def.room = (size_t)64 << 20;
    return def;
}

/* ---- memory ------------------------------------------------------------------------------------- */

static size_t replay_frame_bytes(const slip_replay *rec, int contacts)
{
    return sizeof(replay_frame) + (size_t)rec->nb*7*sizeof(float) + (size_t)contacts*sizeof(slip_replay_contact);
}

static slip_replay *replay_carve(const slip_replay_def *def, slip_arena *mem)
{
    slip_replay *rec = (slip_replay *)slip_arena_take(mem, 1, sizeof *rec);
    int *heap = slip_arena_ints(mem, (size_t)def->max_contacts + 1);
    slip_real *strength = slip_arena_reals(mem, (size_t)def->max_contacts + 1);
    replay_shape *shapes = (replay_shape *)slip_arena_take(mem, (size_t)def->nvisuals + (size_t)def->world->ncolliders,
                                                           sizeof *shapes);
    unsigned char *pool = (unsigned char *)slip_arena_take(mem, def->room, 1);

    if (!rec || !heap || !strength || !shapes || !pool) return NULL;
    if (slip_arena_is_counting(mem)) return rec;
    memset(rec, 0, sizeof *rec);
    rec->heap = heap;
    rec->strength = strength;
    rec->shapes = shapes;
    rec->pool = pool;
    rec->size = def->room/sizeof(size_t)*sizeof(size_t);
    return rec;
}

size_t slip_replay_bytes(const slip_replay_def *def)
{
    slip_arena count = slip_arena_counting();

    return replay_carve(def, &count) ? slip_arena_needed(&count) : 0;
}

/* The pointer that identifies a shape's triangles, NULL for shapes without their own. */
static const void *replay_triangles(const slip_replay_visual *v)
{
    if (v->mesh) return v->mesh;
    if (v->shape.kind == SLIP_SHAPE_MESH) return v->shape.hull;
    return v->shape.kind == SLIP_SHAPE_HEIGHTFIELD ? (const void *)v->shape.field : NULL;
}

static void replay_add_shape(slip_replay *rec, const slip_replay_visual *v)
{
    const slip_model *m = rec->model;
    const void *triangles = replay_triangles(v);
    replay_shape *s = &rec->shapes[rec->nshapes];
    int i;

    if (v->shape.kind == SLIP_SHAPE_MESH && !triangles) return;
    s->visual = *v;
    s->body = v->link < 0 ? 0 : m->link_body[v->link];
    s->in_body = v->pose;
    if (v->link >= 0) slip_pose_mul(&m->link_pose[v->link], &v->pose, &s->in_body);
    s->mesh = -1;
    for (i = 0; triangles && s->mesh < 0; ++i)
        if (i == rec->nshapes || replay_triangles(&rec->shapes[i].visual) == triangles) s->mesh = i;
    rec->nshapes += 1;
}

/* Whether a collider is drawn already: by a visual of its link or, on the world, by one of the same shape and place. */
static int replay_has_visual(const slip_replay_def *def, const slip_collider_def *c)
{
    int i;

    for (i = 0; i < def->nvisuals; ++i) {
        const slip_replay_visual *v = &def->visuals[i];

        if (v->link != c->link) continue;
        if (c->link >= 0 || (v->shape.kind == c->shape.kind && slip_distance3(v->pose.p, c->pose.p) == 0)) return 1;
    }
    return 0;
}

static void replay_add_shapes(slip_replay *rec)
{
    const slip_replay_def *def = &rec->def;
    int i;

    for (i = 0; i < def->nvisuals; ++i) replay_add_shape(rec, &def->visuals[i]);
    for (i = 0; i < def->world->ncolliders; ++i) {
        const slip_collider_def *c = &def->world->colliders[i];
        slip_replay_visual v;

        if (replay_has_visual(def, c)) continue;
        memset(&v, 0, sizeof v);
        v.link = c->link;
        v.shape = c->shape;
        v.pose = c->pose;
        replay_add_shape(rec, &v);
    }
}

slip_status slip_replay_create(const slip_replay_def *def, slip_arena *mem, slip_replay **rec, slip_error *err)
{
    const size_t mark = slip_arena_mark(mem);
    slip_replay *r;
    slip_real every;

    if (!def->world || !def->world->model || !(def->fps > 0) || !slip_is_finite(def->fps) || def->max_contacts < 0)
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0,
                         "a replay needs a world, a positive frame rate and a number of contacts");
    r = replay_carve(def, mem);
    if (r) {
        r->def = *def;
        r->model = def->world->model;
        r->nb = r->model->nbodies - 1;
        if (!r->def.solver) r->def.solver = def->world->options.solver;
        every = 1/(def->fps*def->world->options.dt);
        r->interval = every < 1 ? 1 : every > SLIP_R(1e6) ? 1000000 : (int)(every + SLIP_R(0.5));
        r->world_steps = -1;
        replay_add_shapes(r);
    }
    if (!r || r->size < 2*(replay_frame_bytes(r, def->max_contacts) + sizeof(size_t))) {
        slip_arena_release(mem, mark);
        return slip_fail(err, SLIP_ERR_WORKSPACE, 0, 0, "%z bytes are too few for the frames of a replay", def->room);
    }
    *rec = r;
    return SLIP_OK;
}

/* The place of a frame's offset. */
static size_t *replay_offset(const slip_replay *rec, int frame)
{
    return (size_t *)(void *)(rec->pool + rec->size) - 1 - frame;
}

static replay_frame *replay_at(const slip_replay *rec, int frame)
{
    return (replay_frame *)(void *)(rec->pool + *replay_offset(rec, frame));
}

/* Keeps the frames 0, 2, 4… */
static void replay_thin(slip_replay *rec)
{
    size_t to = 0;
    int i;

    for (i = 0; 2*i < rec->nframes; ++i) {
        const size_t from = *replay_offset(rec, 2*i), n = replay_frame_bytes(rec, replay_at(rec, 2*i)->kept);

        memmove(rec->pool + to, rec->pool + from, n);
        *replay_offset(rec, i) = to;
        to += n;
    }
    rec->nframes = i;
    rec->used = to;
    rec->interval *= 2;
}

/* Memory for a frame, after dropping every second one if the pool is full; NULL when the frame is not due at the new
 * rate. */
static replay_frame *replay_new(slip_replay *rec, int contacts, int due)
{
    const size_t n = replay_frame_bytes(rec, contacts);

    while (rec->size - rec->used < n + ((size_t)rec->nframes + 1)*sizeof(size_t)) {
        replay_thin(rec);
        if (due && rec->steps%rec->interval != 0) return NULL;
    }
    *replay_offset(rec, rec->nframes) = rec->used;
    rec->used += n;
    return replay_at(rec, rec->nframes++);
}

/* A number for a page: clamped so that it and differences of two are finite even if the run diverged. */
static float replay_float(slip_real x)
{
    const slip_real most = SLIP_R(1e30);

    return x > most ? 1e30f : x < -most ? -1e30f : x == x ? (float)x : 0.0f;
}

/* ---- contacts ----------------------------------------------------------------------------------- */

/* By the judge, from a contact alone. */
static void replay_judge(const slip_contact_info *c, slip_contact_criteria *out)
{
    slip_problem p;

    memset(&p, 0, sizeof p);
    p.mu = &c->mu;
    slip_contact_judge(&p, 0, c->impulse, c->velocity, SLIP_TOL(1e-6, 1e-4), SLIP_REAL_MIN, out);
    out->state = c->state;
}

/* The impulse below which a contact counts as open: interior-point methods leave a small impulse on every contact. */
slip_real slip_replay_least_impulse(const slip_world *world)
{
    slip_real most = 0;
    int i;

    for (i = 0; i < slip_contact_count(world); ++i) most = slip_max(most, slip_contact_get(world, i).impulse[2]);
    return SLIP_TOL(0.01, 0.03)*most;
}

/* The laws a contact breaks; the thresholds are those of replay.h. */
static int replay_broken(const slip_contact_info *c, const slip_contact_criteria *j, slip_real trace)
{
    const slip_real still = SLIP_TOL(1e-4, 1e-3), *l = c->impulse, *s = c->velocity;
    const slip_real speed = slip_norm3(s), slide = slip_norm2(s), reach = c->mu*slip_max(l[2], 0);
    int broken = 0;

    if (s[2] < -still || (c->state != SLIP_CONTACT_OPEN && l[2] > trace
                          && s[2] > slip_max(still, speed/1000)))
        broken |= SLIP_SIGNORINI;
    if (slip_norm2(l) > reach*SLIP_R(1.001) + SLIP_REAL_MIN && j->coulomb > 0) broken |= SLIP_COULOMB;
    if (c->state == SLIP_CONTACT_SLIP && slide > still && reach > 0 && l[2] > trace
        && (j->mdp_angle > SLIP_PI/180 || slip_norm2(l) < SLIP_R(0.99)*reach)) broken |= SLIP_DISSIPATION;
    return broken;
}

void slip_replay_contact_of(const slip_contact_info *c, slip_real trace, slip_replay_contact *k)
{
    slip_contact_criteria j;
    slip_real q[4];
    int i;

    replay_judge(c, &j);
    slip_mat3_to_quat(c->frame, q);
    k->collider_a = c->collider_a;
    k->collider_b = c->collider_b;
    k->feature = c->feature;
    k->gap = replay_float(c->gap);
    k->mu = replay_float(c->mu);
    for (i = 0; i < 4; ++i) k->quat[i] = replay_float(q[i]);
    for (i = 0; i < 3; ++i) {
        k->point[i] = replay_float(c->point[i]);
        k->impulse[i] = replay_float(c->impulse[i]);
        k->velocity[i] = replay_float(c->velocity[i]);
    }
    k->eps[0] = replay_float(j.eps_primal);
    k->eps[1] = replay_float(j.eps_dual);
    k->eps[2] = replay_float(j.eps_comp);
    k->state = (int)c->state;
    k->broken = replay_broken(c, &j, trace);
}

/* Restores the order of the heap, weakest on top, below place i. */
static void replay_sink(slip_replay *rec, int n, int i)
{
    for (;;) {
        int k = 2*i + 1, index;
        slip_real s;

        if (k >= n) return;
        if (k + 1 < n && rec->strength[k + 1] < rec->strength[k]) ++k;
        if (rec->strength[i] <= rec->strength[k]) return;
        index = rec->heap[i];  rec->heap[i] = rec->heap[k];  rec->heap[k] = index;
        s = rec->strength[i];  rec->strength[i] = rec->strength[k];  rec->strength[k] = s;
        i = k;
    }
}

/* The indices of at most max_contacts contacts, the strongest, into rec->heap; all, in order, when there is room. */
static int replay_choose(slip_replay *rec, const slip_world *world)
{
    const int met = slip_contact_count(world), most = rec->def.max_contacts, n = met < most ? met : most;
    int i;

    for (i = 0; i < met; ++i) {
        const slip_contact_info c = slip_contact_get(world, i);
        const slip_real s = slip_norm3(c.impulse);
        const int at = i < n ? i : 0;

        if (n == 0 || (i >= n && s <= rec->strength[0])) continue;
        rec->heap[at] = i;
        rec->strength[at] = s;
        if (i >= n) replay_sink(rec, n, 0);
        else if (i == n - 1 && met > n) for (int k = n/2 - 1; k >= 0; --k) replay_sink(rec, n, k);
    }
    return n;
}

/* ---- steps -------------------------------------------------------------------------------------- */

/* Every step counts, kept as a frame or not. */
static void replay_count(slip_replay *rec, const slip_world *world)
{
    const slip_step_stats *stats = slip_world_stats(world);
    slip_replay_summary *sum = &rec->sum;
    double seconds = 0;
    int i;

    rec->residual = slip_max(rec->residual, stats->residual.eps_abs);
    rec->penetration = slip_max(rec->penetration, stats->penetration);
    if (stats->iterations > rec->iterations) rec->iterations = stats->iterations;
    sum->steps += 1;
    sum->missed += stats->status == SLIP_MAX_ITERS || stats->status == SLIP_STALLED || stats->status == SLIP_DIVERGED
                || stats->status == SLIP_DEADLINE;
    sum->residual = slip_max(sum->residual, stats->residual.eps_abs);
    sum->penetration = slip_max(sum->penetration, stats->penetration);
    sum->iterations += stats->iterations;
    for (i = 0; i < SLIP_PHASES; ++i) seconds += stats->seconds[i];
    if (sum->timed > 8 && seconds > 20*sum->seconds/(double)sum->timed) return;    /* something else ran meanwhile */
    sum->seconds += seconds;
    sum->timed += seconds > 0;
}

static void replay_count_contacts(slip_replay *rec, const slip_world *world, slip_real dt)
{
    const slip_real trace = slip_replay_least_impulse(world);
    slip_replay_summary *sum = &rec->sum;
    int i, k;

    for (i = 0; i < slip_contact_count(world); ++i) {
        const slip_contact_info c = slip_contact_get(world, i);
        slip_contact_criteria j;
        int broken;

        replay_judge(&c, &j);
        broken = replay_broken(&c, &j, trace);
        sum->contacts += c.state != SLIP_CONTACT_OPEN;
        for (k = 0; k < 3; ++k) sum->broken[k] += broken >> k & 1;
        sum->signorini = slip_max(sum->signorini, j.signorini_power/dt);
        sum->coulomb = slip_max(sum->coulomb, j.coulomb/dt);
        sum->dissipation = slip_max(sum->dissipation, j.mdp_power/dt);
    }
}

static void replay_curves(slip_replay *rec, slip_world *world, replay_frame *f)
{
    slip_real kinetic = 0, potential = 0, normal = 0, tangent = 0;
    int i;

    slip_world_energy(world, &kinetic, &potential);
    for (i = 0; i < slip_contact_count(world); ++i) {
        const slip_contact_info c = slip_contact_get(world, i);

        normal += c.force_n;
        tangent += c.force_t;
    }
    f->curve[SLIP_CURVE_KINETIC] = replay_float(kinetic);
    f->curve[SLIP_CURVE_POTENTIAL] = replay_float(potential);
    f->curve[SLIP_CURVE_NORMAL] = replay_float(normal);
    f->curve[SLIP_CURVE_TANGENT] = replay_float(tangent);
    f->curve[SLIP_CURVE_RESIDUAL] = replay_float(rec->residual);
    f->curve[SLIP_CURVE_PENETRATION] = replay_float(rec->penetration);
    f->curve[SLIP_CURVE_CONTACTS] = (float)f->met;
    f->curve[SLIP_CURVE_ITERATIONS] = (float)rec->iterations;
    rec->residual = rec->penetration = 0;
    rec->iterations = 0;
}

static void replay_poses(const slip_replay *rec, const slip_data *data, float *to)
{
    int b, i;

    for (b = 1; b <= rec->nb; ++b, to += 7) {
        slip_real q[4];

        slip_mat3_to_quat(data->pose[b].R, q);
        for (i = 0; i < 3; ++i) to[i] = replay_float(data->pose[b].p[i]);
        for (i = 0; i < 4; ++i) to[3 + i] = replay_float(q[i]);
    }
}

static void replay_keep(slip_replay *rec, slip_world *world, int due)
{
    const int kept = replay_choose(rec, world);
    const slip_real trace = slip_replay_least_impulse(world);
    replay_frame *f = replay_new(rec, kept, due);
    float *poses;
    int i;

    if (!f) return;
    f->time = (float)slip_world_time(world);
    f->kept = kept;
    f->met = slip_contact_count(world);
    replay_curves(rec, world, f);
    poses = (float *)(void *)(f + 1);
    replay_poses(rec, slip_world_data(world), poses);
    for (i = 0; i < kept; ++i) {
        const slip_contact_info c = slip_contact_get(world, rec->heap[i]);

        slip_replay_contact_of(&c, trace, (slip_replay_contact *)(void *)(poses + 7*rec->nb) + i);
    }
}

void slip_replay_step(slip_replay *rec, slip_world *world)
{
    const long at = slip_world_steps(world);

    if (at > 0 && at != rec->world_steps) {
        replay_count(rec, world);
        replay_count_contacts(rec, world, slip_world_options_of(world)->dt);
    }
    rec->world_steps = at;
    if (rec->steps%rec->interval == 0) replay_keep(rec, world, 1);
    rec->steps += 1;
}

void slip_replay_end(slip_replay *rec, slip_world *world)
{
    if (rec->nframes == 0 || replay_at(rec, rec->nframes - 1)->time < (float)slip_world_time(world))
        replay_keep(rec, world, 0);
}

void slip_replay_clocked(slip_replay *rec, double seconds, long steps)
{
    rec->sum.seconds = seconds;
    rec->sum.timed = steps;
}

/* ---- reading back ------------------------------------------------------------------------------- */

const replay_frame *slip_replay_frame_at(const slip_replay *rec, int frame) { return replay_at(rec, frame); }

const float *slip_replay_poses_at(const slip_replay *rec, int frame)
{
    return (const float *)(const void *)(replay_at(rec, frame) + 1);
}

int slip_replay_frames(const slip_replay *rec) { return rec->nframes; }
slip_real slip_replay_time(const slip_replay *rec, int frame) { return (slip_real)replay_at(rec, frame)->time; }
slip_real slip_replay_value(const slip_replay *rec, int frame, slip_curve curve)
{
    return (slip_real)replay_at(rec, frame)->curve[curve];
}
int slip_replay_contacts(const slip_replay *rec, int frame) { return replay_at(rec, frame)->kept; }
int slip_replay_contacts_met(const slip_replay *rec, int frame) { return replay_at(rec, frame)->met; }

void slip_replay_pose(const slip_replay *rec, int frame, int body, slip_pose *pose)
{
    const float *f = slip_replay_poses_at(rec, frame) + 7*(body - 1);
    slip_real p[3], q[4];
    int i;

    for (i = 0; i < 3; ++i) p[i] = (slip_real)f[i];
    for (i = 0; i < 4; ++i) q[i] = (slip_real)f[3 + i];
    slip_pose_from(p, q, pose);
}

const slip_replay_contact *slip_replay_contact_at(const slip_replay *rec, int frame, int i)
{
    return (const slip_replay_contact *)(const void *)(slip_replay_poses_at(rec, frame) + 7*rec->nb) + i;
}

const slip_replay_summary *slip_replay_summary_of(const slip_replay *rec) { return &rec->sum; }
const slip_replay_def *slip_replay_def_of(const slip_replay *rec) { return &rec->def; }
