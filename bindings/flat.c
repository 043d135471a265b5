/* See flat.h. The only part of the library that allocates: by malloc, when a handle is opened. */
#include "flat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slip_flat {
    void *scene_block, *world_block, *data_block, *batch_block, *jacobian_block;
    slip_scene scene;
    slip_world *world;
    slip_data *data;                     /* for states of the caller's */
    slip_batch *batch;                   /* for many of them; NULL until one is asked for */
    slip_step_jacobian jacobian;         /* of the last slip_flat_step_derivatives() */
    slip_error error;
    char text[sizeof(slip_error) + 64];
};

typedef struct { char *text; size_t size; } flat_warnings;

const char *slip_flat_version(void) { return SLIP_VERSION; }
int slip_flat_real_bytes(void) { return (int)sizeof(slip_real); }

/* ---- opening ------------------------------------------------------------------------------------- */

static void flat_warn(void *context, const slip_error *warning)
{
    flat_warnings *w = (flat_warnings *)context;
    const size_t used = strlen(w->text);

    if (w->size < used + 2) return;
    slip_error_text(warning, w->text + used, (int)(w->size - used - 1));
    strcat(w->text, "\n");
}

static char *flat_file(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL, *more;
    size_t n = 0, room = 0, got = 1;

    while (f && got > 0) {
        if (n + 1 >= room) {
            room = 2*room + 65536;
            more = (char *)realloc(text, room);
            if (!more) break;
            text = more;
        }
        got = fread(text + n, 1, room - n - 1, f);
        n += got;
    }
    if (f) fclose(f);
    if (text) text[n] = '\0';
    *length = n;
    return text;
}

/* Reads the scene in growing blocks without warnings, then once more for them. */
static slip_status flat_read(slip_flat *h, const char *text, size_t length, const char *name,
                             const slip_scene_options *opt, slip_report *report)
{
    slip_status s = SLIP_ERR_WORKSPACE;
    size_t bytes = ((size_t)1 << 20) + 64*length;
    slip_arena mem;

    for (; s == SLIP_ERR_WORKSPACE && bytes >> 33 == 0; bytes *= 2) {
        free(h->scene_block);
        h->scene_block = malloc(bytes);
        if (!h->scene_block) return SLIP_ERR_WORKSPACE;
        mem = slip_arena_over(h->scene_block, bytes);
        s = slip_scene_read(text, length, name, opt, &mem, &h->scene, NULL, &h->error);
    }
    if (s < 0) return s;
    mem = slip_arena_over(h->scene_block, bytes/2);
    return slip_scene_read(text, length, name, opt, &mem, &h->scene, report, &h->error);
}

static slip_status flat_start(slip_flat *h, slip_report *report)
{
    slip_status s;
    slip_arena mem;
    size_t bytes;

    do {
        bytes = slip_world_bytes(&h->scene.world);
        free(h->world_block);
        h->world_block = malloc(bytes);
        if (!h->world_block)
            return slip_fail(&h->error, SLIP_ERR_WORKSPACE, 0, 0, "no memory for a world of %z bytes", bytes);
        mem = slip_arena_over(h->world_block, bytes);
        s = slip_scene_start(&h->scene, &mem, &h->world, NULL, &h->error);
    } while (s >= 0 && slip_scene_make_room(&h->scene, h->world));
    if (s < 0) return s;
    mem = slip_arena_over(h->world_block, bytes);
    s = slip_scene_start(&h->scene, &mem, &h->world, report, &h->error);
    if (s < 0) return s;
    bytes = slip_data_bytes(h->scene.model);
    h->data_block = malloc(bytes);
    if (!h->data_block) return slip_fail(&h->error, SLIP_ERR_WORKSPACE, 0, 0, "no memory for the model's data");
    mem = slip_arena_over(h->data_block, bytes);
    return slip_data_create(h->scene.model, &mem, &h->data);
}

static void flat_control(void *context, slip_world *world)
{
    slip_scene_apply((const slip_scene *)context, world);
}

/* Directories separated by line breaks: a list, with their text behind it; NULL without memory. */
static const char **flat_paths(const char *text, int *n)
{
    const size_t length = strlen(text) + 1;
    size_t room = 1, i;
    const char **list;
    char *copy;

    for (i = 0; i < length; ++i) room += text[i] == '\n';
    list = (const char **)malloc(room*sizeof *list + length);
    if (!list) return NULL;
    copy = (char *)memcpy(list + room, text, length);
    for (copy = strtok(copy, "\n"); copy; copy = strtok(NULL, "\n")) list[(*n)++] = copy;
    return list;
}

static slip_status flat_open(slip_flat *h, const char *path, const char *text, size_t length, int base, double repair,
                             const char *packages, slip_report *report)
{
    slip_scene_options opt = slip_scene_defaults();
    const char **list = NULL;
    char *own = NULL, *around = NULL;
    slip_status s;

    slip_error_clear(&h->error);
    slip_error_set_file(&h->error, path);
    opt.repair_armature = (slip_real)repair;
    if (packages) {
        opt.package_paths = list = flat_paths(packages, &opt.npackage_paths);
        if (!list) return slip_fail(&h->error, SLIP_ERR_WORKSPACE, 0, 0, "no memory for package paths");
    }
    if (!text) text = own = flat_file(path, &length);
    if (!text || (own && length == 0)) {
        s = slip_fail(&h->error, SLIP_ERR_FILE, 0, 0, "cannot be read");
    } else if (slip_robot_format(text, length) == 0) {
        s = flat_read(h, text, length, path, &opt, report);
    } else {
        const size_t room = 6*strlen(path) + 400;
        const int kind = base < 0 || base > 2 ? 0 : base;

        around = (char *)malloc(room);
        opt.robot_text = text;
        opt.robot_length = length;
        length = around ? slip_scene_around(path, (slip_scene_base)kind, around, room) : 0;
        s = flat_read(h, around, length, path, &opt, report);
    }
    if (s >= 0) s = flat_start(h, report);
    free(own);
    free(around);
    free(list);
    if (s >= 0) slip_world_set_control(h->world, flat_control, &h->scene);
    return s;
}

slip_flat *slip_flat_open(const char *path, const char *text, size_t length, int base, double repair,
                          const char *packages, char *warnings, char *why, size_t size)
{
    slip_flat *h = (slip_flat *)calloc(1, sizeof *h);
    slip_report report;
    flat_warnings w;

    memset(&report, 0, sizeof report);
    w.text = warnings;
    w.size = size;
    report.warn = flat_warn;
    report.context = &w;
    if (size > 0) warnings[0] = why[0] = '\0';
    if (!h) return NULL;
    if (flat_open(h, path, text, length, base, repair, packages, size > 0 ? &report : NULL) >= 0) return h;
    if (size > 0) slip_error_text(&h->error, why, (int)size);
    slip_flat_close(h);
    return NULL;
}

void slip_flat_close(slip_flat *h)
{
    if (!h) return;
    free(h->jacobian_block);
    free(h->batch_block);
    free(h->data_block);
    free(h->world_block);
    free(h->scene_block);
    free(h);
}

const char *slip_flat_error(const slip_flat *h)
{
    slip_flat *own = (slip_flat *)h;     /* the text is the handle's */
    const slip_error *e = slip_world_error(h->world);

    slip_error_text(h->error.status < 0 || !e ? &h->error : e, own->text, (int)sizeof own->text);
    return h->text;
}

/* ---- looking ------------------------------------------------------------------------------------- */

long slip_flat_count(const slip_flat *h, int what)
{
    const slip_model *m = h->scene.model;

    switch (what) {
    case SLIP_FLAT_NQ:         return m->nq;
    case SLIP_FLAT_NV:         return m->nv;
    case SLIP_FLAT_BODIES:     return m->nbodies;
    case SLIP_FLAT_LINKS:      return m->nlinks;
    case SLIP_FLAT_JOINTS:     return m->njoints;
    case SLIP_FLAT_CONTACTS:   return slip_contact_count(h->world);
    case SLIP_FLAT_COLLIDERS:  return h->scene.world.ncolliders;
    case SLIP_FLAT_ITERATIONS: return slip_world_stats(h->world)->iterations;
    case SLIP_FLAT_SNAPSHOT:   return (long)slip_snapshot_bytes(h->world);
    default:                   return -1;
    }
}

const char *slip_flat_name(const slip_flat *h, int what, int i)
{
    const slip_model *m = h->scene.model;

    if (what == SLIP_FLAT_LINKS && i >= 0 && i < m->nlinks) return m->link_name[i];
    return what == SLIP_FLAT_JOINTS && i >= 0 && i < m->njoints ? m->joint_name[i] : NULL;
}

int slip_flat_link(const slip_flat *h, const char *name) { return slip_model_find_link(h->scene.model, name); }

int slip_flat_joint(const slip_flat *h, const char *name, int place[4])
{
    slip_joint_place p = { -1, 0, -1, 0 };
    const int joint = slip_model_find_place(h->scene.model, name, &p);

    place[0] = p.iq;
    place[1] = p.nq;
    place[2] = p.iv;
    place[3] = p.nv;
    return joint;
}

slip_real *slip_flat_array(slip_flat *h, int what, int *n)
{
    const slip_model *m = h->scene.model;

    *n = what == SLIP_FLAT_Q ? m->nq : what == SLIP_FLAT_WRENCH ? 6*m->nbodies : m->nv;
    switch (what) {
    case SLIP_FLAT_Q:      return slip_world_q(h->world);
    case SLIP_FLAT_V:      return slip_world_v(h->world);
    case SLIP_FLAT_TAU:    return slip_world_tau(h->world);
    case SLIP_FLAT_WRENCH: return slip_world_wrench(h->world);
    case SLIP_FLAT_LOWER:  return (slip_real *)m->lower;         /* to be read */
    case SLIP_FLAT_UPPER:  return (slip_real *)m->upper;
    case SLIP_FLAT_EFFORT: return (slip_real *)m->effort_limit;
    default: *n = 0;       return NULL;
    }
}

double slip_flat_get(slip_flat *h, int what)
{
    slip_real kinetic = 0, potential = 0;

    if (what == SLIP_FLAT_KINETIC || what == SLIP_FLAT_POTENTIAL) slip_world_energy(h->world, &kinetic, &potential);
    switch (what) {
    case SLIP_FLAT_TIME:        return (double)slip_world_time(h->world);
    case SLIP_FLAT_DT:          return (double)slip_world_options_of(h->world)->dt;
    case SLIP_FLAT_MASS:        return (double)slip_total_mass(h->scene.model);
    case SLIP_FLAT_KINETIC:     return (double)kinetic;
    case SLIP_FLAT_POTENTIAL:   return (double)potential;
    case SLIP_FLAT_RESIDUAL:    return (double)slip_world_stats(h->world)->residual.eps_abs;
    case SLIP_FLAT_PENETRATION: return (double)slip_world_stats(h->world)->penetration;
    case SLIP_FLAT_IS_FREE:     return h->scene.nrobots > 0 && h->scene.robots[0].is_free;
    default:                    return (double)NAN;
    }
}

int slip_flat_set_dt(slip_flat *h, double dt)
{
    if (!(dt > 0 && dt <= 10)) return slip_fail(&h->error, SLIP_ERR_ARGUMENT, 0, 0, "dt %g, expected 0 to 10 s", dt);
    slip_world_options_of(h->world)->dt = (slip_real)dt;
    return SLIP_OK;
}

int slip_flat_set_solver(slip_flat *h, const char *id)
{
    const slip_solver *solver = slip_solver_find(id);

    if (!solver) return slip_fail(&h->error, SLIP_ERR_ARGUMENT, 0, 0, "there is no solver '%s'", id);
    slip_world_options_of(h->world)->solver = solver;
    return SLIP_OK;
}

int slip_flat_set_integrator(slip_flat *h, const char *name)
{
    static const char *const names[] = { "midpoint", "euler", "fourth" };
    int i;

    for (i = 0; i < 3 && strcmp(name, names[i]) != 0; ++i) { }
    if (i == 3)
        return slip_fail(&h->error, SLIP_ERR_ARGUMENT, 0, 0, "integrator '%s', expected midpoint, euler or fourth",
                         name);
    slip_world_options_of(h->world)->integrator = (slip_integrator)i;
    return SLIP_OK;
}

/* ---- steps --------------------------------------------------------------------------------------- */

int slip_flat_step(slip_flat *h, int n)
{
    slip_status worst = SLIP_OK;
    int i;

    slip_error_clear(&h->error);
    for (i = 0; i < n; ++i) {
        const slip_status s = slip_step(h->world);

        if (s < 0) return s;
        if (s > worst) worst = s;
    }
    return worst;
}

int slip_flat_update(slip_flat *h) { return slip_world_update(h->world); }
void slip_flat_reset(slip_flat *h) { slip_scene_reset(&h->scene, h->world); }
void slip_flat_save(slip_flat *h, void *to) { slip_snapshot_save(h->world, to); }
int slip_flat_restore(slip_flat *h, const void *from, size_t bytes)
{
    return slip_snapshot_restore(h->world, from, bytes);
}

int slip_flat_drive(slip_flat *h, int iv, slip_real x[6], int write)
{
    slip_drive *d = slip_world_drive(h->world, iv);
    slip_real *field[6];
    int i;

    if (!d)
        return slip_fail(&h->error, SLIP_ERR_ARGUMENT, 0, 0, "drive %d, expected 0 to %d", iv, h->scene.model->nv - 1);
    field[0] = &d->kp;
    field[1] = &d->kd;
    field[2] = &d->q_ref;
    field[3] = &d->v_ref;
    field[4] = &d->feed;
    field[5] = &d->effort;
    for (i = 0; i < 6; ++i) {
        if (write) *field[i] = x[i];
        else x[i] = *field[i];
    }
    return SLIP_OK;
}

void slip_flat_targets(slip_flat *h, const slip_real *q_ref)
{
    int i;

    for (i = 0; i < h->scene.model->nv; ++i) slip_world_drive(h->world, i)->q_ref = q_ref[i];
}

int slip_flat_run(slip_flat *const *h, int n, int steps, const slip_real *targets)
{
    int i, s, worst = SLIP_OK;

    for (i = 0; i < n; ++i) {
        if (targets) slip_flat_targets(h[i], targets + (size_t)i*(size_t)h[0]->scene.model->nv);
        s = slip_flat_step(h[i], steps);
        if (s < 0 ? worst >= 0 || s < worst : worst >= 0 && s > worst) worst = s;
    }
    return worst;
}

/* One row of observations; returns its end. */
static slip_real *flat_observe(const slip_flat *h, const slip_flat_frame *f, const slip_real *actions, slip_real *row)
{
    const slip_model *m = h->scene.model;
    const slip_real *q = slip_world_q(h->world);
    int i;

    for (i = 0; i < m->nq; ++i) if (f->skip < 0 || i < f->skip || i > f->skip + 1) *row++ = q[i];
    memcpy(row, slip_world_v(h->world), (size_t)m->nv*sizeof *row);
    row += m->nv;
    for (i = 0; i < f->nact; ++i) *row++ = actions ? slip_clamp(actions[i], -1, 1) : 0;
    return row;
}

int slip_flat_act(slip_flat *const *h, int n, int steps, const slip_flat_frame *f, const slip_real *actions,
                  slip_real *observed)
{
    int i, k, s, worst = SLIP_OK;

    for (i = 0; i < n; ++i) {
        const slip_real *a = actions ? actions + (size_t)i*(size_t)f->nact : NULL;

        for (k = 0; a && k < f->nact; ++k)
            slip_world_drive(h[i]->world, f->iv[k])->q_ref = f->home[k] + (slip_real)f->reach*slip_clamp(a[k], -1, 1);
        s = a ? slip_flat_step(h[i], steps) : SLIP_OK;
        if (s < 0 ? worst >= 0 || s < worst : worst >= 0 && s > worst) worst = s;
        observed = flat_observe(h[i], f, a, observed);
    }
    return worst;
}

/* ---- reading ------------------------------------------------------------------------------------- */

int slip_flat_contact(const slip_flat *h, int i, int links[2], slip_real x[10])
{
    const slip_contact_info c = slip_contact_get(h->world, i);
    int k;

    links[0] = c.link_a;
    links[1] = c.link_b;
    for (k = 0; k < 3; ++k) {
        x[k] = c.point[k];
        x[3 + k] = c.frame[6 + k];
        x[6 + k] = c.force[k];
    }
    x[9] = c.gap;
    return i >= 0 && i < slip_contact_count(h->world) ? SLIP_OK : SLIP_ERR_ARGUMENT;
}

static int flat_is_link(const slip_flat *h, int link) { return link >= 0 && link < h->scene.model->nlinks; }

static void flat_put_pose(const slip_pose *X, slip_real pose[12])
{
    memcpy(pose, X->R, 9*sizeof *pose);
    memcpy(pose + 9, X->p, 3*sizeof *pose);
}

int slip_flat_link_state(const slip_flat *h, int link, slip_real pose[12], slip_real velocity[6], slip_real wrench[6])
{
    const slip_data *d = slip_world_data(h->world);
    slip_pose X;

    if (!flat_is_link(h, link)) return SLIP_ERR_ARGUMENT;
    slip_link_pose(h->scene.model, d, link, &X);
    flat_put_pose(&X, pose);
    slip_link_velocity(h->scene.model, d, link, velocity);
    slip_link_contact_wrench(h->world, link, NULL, wrench);
    return SLIP_OK;
}

int slip_flat_imu(slip_flat *h, int link, slip_real accel[3], slip_real gyro[3])
{
    if (!flat_is_link(h, link)) return SLIP_ERR_ARGUMENT;
    slip_link_imu(h->world, link, accel, gyro);
    return SLIP_OK;
}

/* ---- dynamics ------------------------------------------------------------------------------------ */

int slip_flat_dynamics(slip_flat *h, int what, const slip_real *q, const slip_real *v, const slip_real *x,
                       slip_real *out)
{
    const slip_model *m = h->scene.model;
    slip_status s = SLIP_OK;

    slip_error_clear(&h->error);
    switch (what) {
    case SLIP_FLAT_MASS_MATRIX:
        s = slip_crba(m, h->data, q);
        if (s >= 0) slip_mass_matrix(m, h->data, out);
        break;
    case SLIP_FLAT_MASS_INVERSE: s = slip_mass_matrix_inverse(m, h->data, q, out); break;
    case SLIP_FLAT_BIAS:         s = slip_bias(m, h->data, q, v, out); break;
    case SLIP_FLAT_GRAVITY:      s = slip_gravity(m, h->data, q, out); break;
    case SLIP_FLAT_RNEA:         s = slip_rnea(m, h->data, q, v, x, NULL, out); break;
    case SLIP_FLAT_ABA:          s = slip_aba(m, h->data, q, v, x, NULL, out); break;
    case SLIP_FLAT_INTEGRATE:    slip_integrate(m, q, x, 1, out); break;
    case SLIP_FLAT_DIFFERENCE:   slip_difference(m, q, x, out); break;
    case SLIP_FLAT_CENTRE:
        s = slip_kinematics(m, h->data, q);
        if (s >= 0) slip_center_of_mass(m, h->data, out);
        break;
    case SLIP_FLAT_NEUTRAL:      slip_neutral(m, out); break;
    default:                     s = SLIP_ERR_ARGUMENT;
    }
    return s < 0 ? slip_fail(&h->error, s, 0, 0, "%s", slip_status_text(s)) : s;
}

int slip_flat_pose(slip_flat *h, const slip_real *q, int link, slip_real pose[12])
{
    slip_pose X;
    slip_status s = flat_is_link(h, link) ? slip_kinematics(h->scene.model, h->data, q) : SLIP_ERR_ARGUMENT;

    if (s < 0) return slip_fail(&h->error, s, 0, 0, "link %d or q: %s", link, slip_status_text(s));
    slip_link_pose(h->scene.model, h->data, link, &X);
    flat_put_pose(&X, pose);
    return SLIP_OK;
}

int slip_flat_jacobian(slip_flat *h, const slip_real *q, int link, int frame, slip_real *J)
{
    slip_status s = flat_is_link(h, link) && frame >= 0 && frame <= 2 ? slip_kinematics(h->scene.model, h->data, q)
                                                                      : SLIP_ERR_ARGUMENT;

    if (s < 0) return slip_fail(&h->error, s, 0, 0, "link %d, frame %d or q: %s", link, frame, slip_status_text(s));
    slip_link_jacobian(h->scene.model, h->data, link, (slip_frame)frame, J);
    return SLIP_OK;
}

/* ---- many states --------------------------------------------------------------------------------- */

static slip_status flat_need_batch(slip_flat *h)
{
    const size_t bytes = slip_batch_bytes(h->scene.model);
    slip_arena mem;

    slip_error_clear(&h->error);
    if (h->batch) return SLIP_OK;
    h->batch_block = malloc(bytes);
    if (!h->batch_block) return slip_fail(&h->error, SLIP_ERR_WORKSPACE, 0, 0, "no memory for a batch");
    mem = slip_arena_over(h->batch_block, bytes);
    return slip_batch_create(h->scene.model, &mem, &h->batch);
}

static int flat_batch_fail(slip_flat *h, slip_status s)
{
    return slip_fail(&h->error, s, 0, 0, "%s in one of the states", slip_status_text(s));
}

/* Mass matrices as they are, [n*nv*nv], of packed ones. */
static slip_status flat_batch_mass(slip_flat *h, int n, const slip_real *q, slip_real *out)
{
    const slip_model *m = h->scene.model;
    const size_t size = (size_t)m->branches.size, entries = (size_t)m->nv*(size_t)m->nv;
    slip_real *packed = (slip_real *)malloc((size_t)n*size*sizeof *packed + 1);
    slip_status s = packed ? slip_batch_crba(h->batch, n, q, packed) : SLIP_ERR_WORKSPACE;
    int i;

    for (i = 0; s >= 0 && i < n; ++i) {
        memcpy(h->data->M, packed + (size_t)i*size, size*sizeof *packed);
        slip_mass_matrix(m, h->data, out + (size_t)i*entries);
    }
    free(packed);
    return s;
}

int slip_flat_batch(slip_flat *h, int what, int n, const slip_real *q, const slip_real *v, const slip_real *x,
                    slip_real *out)
{
    slip_status s = flat_need_batch(h);

    if (s < 0) return s;
    switch (what) {
    case SLIP_FLAT_RNEA:        s = slip_batch_rnea(h->batch, n, q, v, x, out); break;
    case SLIP_FLAT_ABA:         s = slip_batch_aba(h->batch, n, q, v, x, out); break;
    case SLIP_FLAT_MASS_MATRIX: s = flat_batch_mass(h, n, q, out); break;
    default:                    s = SLIP_ERR_ARGUMENT;
    }
    return s < 0 ? flat_batch_fail(h, s) : s;
}

int slip_flat_batch_pose(slip_flat *h, int n, const slip_real *q, int link, slip_real *poses)
{
    const slip_model *m = h->scene.model;
    slip_status s = flat_need_batch(h);
    slip_pose *bodies, X;
    int i;

    if (s < 0) return s;
    if (!flat_is_link(h, link) || n < 0) return flat_batch_fail(h, SLIP_ERR_ARGUMENT);
    bodies = (slip_pose *)malloc((size_t)n*(size_t)m->nbodies*sizeof *bodies + 1);
    s = bodies ? slip_batch_kinematics(h->batch, n, q, bodies) : SLIP_ERR_WORKSPACE;
    for (i = 0; s >= 0 && i < n; ++i) {
        slip_pose_mul(&bodies[i*m->nbodies + m->link_body[link]], &m->link_pose[link], &X);
        flat_put_pose(&X, poses + 12*(size_t)i);
    }
    free(bodies);
    return s < 0 ? flat_batch_fail(h, s) : s;
}

/* ---- derivatives --------------------------------------------------------------------------------- */

int slip_flat_derivatives(slip_flat *h, int what, const slip_real *q, const slip_real *v, const slip_real *x,
                          slip_real *by_q, slip_real *by_v, slip_real *by_x)
{
    const slip_model *m = h->scene.model;
    const size_t bytes = slip_derivatives_bytes(m);
    void *block = malloc(bytes + 1);
    slip_status s = SLIP_ERR_ARGUMENT;
    slip_arena ws;

    slip_error_clear(&h->error);
    if (!block) return slip_fail(&h->error, SLIP_ERR_WORKSPACE, 0, 0, "no memory for derivatives");
    ws = slip_arena_over(block, bytes);
    if (what == SLIP_FLAT_ABA) {
        s = slip_aba_derivatives(m, h->data, q, v, x, NULL, NULL, by_q, by_v, by_x, &ws);
    } else if (what == SLIP_FLAT_RNEA) {
        s = slip_rnea_derivatives(m, h->data, q, v, x, NULL, by_q, by_v, &ws);
        if (s >= 0) slip_mass_matrix(m, h->data, by_x);
    }
    free(block);
    return s < 0 ? slip_fail(&h->error, s, 0, 0, "%s", slip_status_text(s)) : s;
}

/* One step and its derivative into h->jacobian. */
static slip_status flat_differentiate(slip_flat *h, unsigned inputs, double eps)
{
    const size_t bytes = slip_step_jacobian_bytes(h->world);
    slip_status s;
    slip_arena mem;

    slip_error_clear(&h->error);
    memset(&h->jacobian, 0, sizeof h->jacobian);
    free(h->jacobian_block);
    h->jacobian_block = malloc(bytes);
    if (!h->jacobian_block) return slip_fail(&h->error, SLIP_ERR_WORKSPACE, 0, 0, "no memory for derivatives");
    if (!(eps > 0)) return slip_fail(&h->error, SLIP_ERR_ARGUMENT, 0, 0, "eps %g, expected a positive number", eps);
    mem = slip_arena_over(h->jacobian_block, bytes);
    s = slip_step_derivatives(h->world, inputs, (slip_real)eps, &mem, &h->jacobian);
    if (s == SLIP_ERR_WORKSPACE) return slip_fail(&h->error, s, 0, 0, "%s", slip_status_text(s));
    return s;
}

int slip_flat_step_derivatives(slip_flat *h, int inputs, double eps, int shape[SLIP_FLAT_SHAPE])
{
    const slip_step_jacobian *J = &h->jacobian;
    const slip_status s = flat_differentiate(h, (unsigned)inputs & SLIP_BY_ALL, eps);

    if (s < 0) return s;
    shape[0] = J->rows;
    shape[1] = J->columns;
    shape[2] = J->nc;
    shape[3] = J->nl;
    shape[4] = J->nborder;
    shape[5] = J->unique;
    shape[6] = J->q;
    shape[7] = J->v;
    shape[8] = J->tau;
    shape[9] = J->q_ref;
    shape[10] = J->v_ref;
    shape[11] = J->wrench;
    shape[12] = J->friction;
    shape[13] = J->restitution;
    shape[14] = J->stiffness;
    shape[15] = J->damping;
    shape[16] = J->density;
    return s;
}

void slip_flat_step_matrix(const slip_flat *h, slip_real *D, int *border, int *limits)
{
    const slip_step_jacobian *J = &h->jacobian;

    if (!J->D) return;
    memcpy(D, J->D, (size_t)J->rows*(size_t)J->columns*sizeof *D);
    if (J->nborder > 0) memcpy(border, J->border, (size_t)J->nborder*sizeof *border);
    if (J->nl > 0) memcpy(limits, J->limit_iv, (size_t)J->nl*sizeof *limits);
}

/* Columns `first` on of the rows of q and v. */
static void flat_columns(const slip_step_jacobian *J, int first, int n, slip_real *out)
{
    int i;

    for (i = 0; i < 2*J->nv; ++i)
        memcpy(out + (size_t)i*(size_t)n, J->D + (size_t)i*(size_t)J->columns + first, (size_t)n*sizeof *out);
}

int slip_flat_linearize(slip_flat *h, double eps, double tol, slip_real *A, slip_real *B, slip_real *B_q_ref)
{
    slip_world_options *o = slip_world_options_of(h->world);
    const slip_world_options before = *o;
    const size_t bytes = slip_snapshot_bytes(h->world);
    void *state = malloc(bytes);
    slip_status s;

    if (!state) return slip_fail(&h->error, SLIP_ERR_WORKSPACE, 0, 0, "no memory for a snapshot");
    slip_snapshot_save(h->world, state);
    o->integrator = SLIP_EULER;
    o->solve.tol = (slip_real)tol;
    o->reuse = 0;
    s = flat_differentiate(h, SLIP_BY_STATE | SLIP_BY_TAU | SLIP_BY_DRIVES, eps);
    if (s >= 0) {
        flat_columns(&h->jacobian, h->jacobian.q, 2*h->jacobian.nv, A);
        flat_columns(&h->jacobian, h->jacobian.tau, h->jacobian.nv, B);
        flat_columns(&h->jacobian, h->jacobian.q_ref, h->jacobian.nv, B_q_ref);
    } else if (h->error.status >= 0 && slip_world_error(h->world)) {
        h->error = *slip_world_error(h->world);            /* before the world forgets it */
    }
    *o = before;
    slip_snapshot_restore(h->world, state, bytes);
    free(state);
    return s;
}

/* ---- problems ------------------------------------------------------------------------------------ */

const char *slip_flat_solver(int i)
{
    const slip_solver *solver = slip_solver_get(i);

    return solver ? solver->id : NULL;
}

static slip_status flat_solve(const char *text, size_t length, const char *id, double tol, slip_arena *mem,
                              slip_real *lambda, int most, int *n, double stats[3], slip_error *err)
{
    const slip_solver *solver = slip_solver_find(id);
    slip_solver_options opt = slip_solver_defaults();
    slip_solution sol;
    slip_problem p;
    slip_status s;

    if (!solver) return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "there is no solver '%s'", id);
    s = slip_problem_read(text, length, mem, &p, err);
    if (s < 0) return s;
    *n = p.n;
    if (p.n > most) return slip_fail(err, SLIP_ERR_LIMIT, 0, 0, "%d rows, room for %d", p.n, most);
    if (tol > 0) opt.tol = (slip_real)tol;
    sol = slip_solution_over(lambda, slip_arena_reals(mem, (size_t)p.n), slip_arena_reals(mem, (size_t)p.n));
    s = slip_solve(solver, &p, &opt, &sol, mem);
    if (s < 0) return slip_fail(err, s, 0, 0, "%s: %s", id, slip_status_text(s));
    stats[0] = sol.iterations;
    stats[1] = (double)sol.residual.eps_abs;
    stats[2] = (double)sol.model.eps_abs;
    return s;
}

int slip_flat_solve(const char *text, size_t length, const char *solver, double tol, slip_real *lambda, int most,
                    int *n, double stats[3], char *why, size_t size)
{
    size_t bytes = 2*slip_problem_bytes(length) + ((size_t)1 << 20);
    slip_status s = SLIP_ERR_WORKSPACE;
    slip_error err;

    slip_error_clear(&err);
    for (; s == SLIP_ERR_WORKSPACE && bytes >> 34 == 0; bytes *= 4) {
        void *block = malloc(bytes);
        slip_arena mem;

        if (!block) break;
        mem = slip_arena_over(block, bytes);
        s = flat_solve(text, length, solver, tol, &mem, lambda, most, n, stats, &err);
        free(block);
    }
    if (s < 0 && size > 0) slip_error_text(&err, why, (int)size);
    return s;
}
