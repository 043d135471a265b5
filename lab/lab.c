/* The library as a module of WebAssembly for the laboratory (docs/lab.md): one world an instance, driven by the page's
 * script through the functions below. Files are given to it in memory; numbers are read from arrays whose addresses the
 * functions return. Every change of the solver, the masses or the gravity makes the world anew and goes on from a
 * snapshot; all else is changed between two steps. Nothing is freed but by dropping the instance. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "geom/ray.h"
#include "geom/trimesh.h"
#include "io/mesh.h"
#include "io/mjcf.h"
#include "io/replay_private.h"
#include "io/solver_options.h"
#include "slipstick_parts.h"
#include "trot.h"
#include "run_log.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

/* ---- memory --------------------------------------------------------------------------------------- */

enum { PAGE = 65536 };
extern unsigned char __heap_base;
static size_t heap_at;

static size_t heap_room(void) { return (size_t)__builtin_wasm_memory_size(0)*PAGE; }

/* n bytes at an address that is a multiple of 16; NULL when the browser has no more. */
void *EXPORT(lab_alloc)(size_t n)
{
    size_t at;

    if (heap_at == 0) heap_at = (size_t)&__heap_base;
    at = (heap_at + 15) & ~(size_t)15;
    if (n > (size_t)3 << 30 || at > ((size_t)4 << 30) - 1 - n - PAGE) return NULL;
    if (at + n > heap_room() && __builtin_wasm_memory_grow(0, (at + n - heap_room() + PAGE - 1)/PAGE) == (size_t)-1)
        return NULL;
    heap_at = at + n;
    return (void *)at;
}

/* ---- files ---------------------------------------------------------------------------------------- */

enum { FILES = 1000, STREAMS = 16 };
typedef struct { const char *path; const unsigned char *bytes; size_t n; } lab_file_entry;
struct lab_stream { const lab_file_entry *file; size_t at; int open; };
static lab_file_entry files[FILES];
static int nfiles;
static struct lab_stream streams[STREAMS];

/* Makes bytes known as a file; path and bytes stay where they are. 0: there are too many. A path that is known already
 * gets the new bytes. */
int EXPORT(lab_file)(const char *path, const unsigned char *bytes, size_t n)
{
    int i = 0;

    while (i < nfiles && strcmp(files[i].path, path) != 0) ++i;
    if (i == FILES) return 0;
    if (i == nfiles) ++nfiles;
    files[i].path = path;
    files[i].bytes = bytes;
    files[i].n = n;
    return 1;
}

/* "a/b/../c" and "./c" as the page names them: one name "..", "." at a time. */
static void simple_path(const char *path, char out[512])
{
    size_t n = 0, k;

    for (; *path && n + 1 < 512; path += k + (path[k] == '/')) {
        for (k = 0; path[k] && path[k] != '/'; ++k) { }
        if (k == 0 || (k == 1 && path[0] == '.')) continue;
        if (k == 2 && path[0] == '.' && path[1] == '.') {
            while (n > 0 && out[n - 1] != '/') --n;
            n -= n > 0;
            continue;
        }
        if (n > 0) out[n++] = '/';
        if (n + k + 1 >= 512) break;
        memcpy(out + n, path, k);
        n += k;
    }
    out[n] = '\0';
}

/* The file of this path or, of files that were dropped without their folders, the one of this name. */
static const lab_file_entry *find_file(const char *path)
{
    char simple[512];
    const char *last;
    int i;

    simple_path(path, simple);
    for (i = 0; i < nfiles; ++i) if (strcmp(files[i].path, simple) == 0) return &files[i];
    last = strrchr(simple, '/');
    for (i = 0; last && i < nfiles; ++i) if (strcmp(files[i].path, last + 1) == 0) return &files[i];
    return NULL;
}

FILE *fopen(const char *path, const char *mode)
{
    const lab_file_entry *file = mode[0] == 'r' ? find_file(path) : NULL;
    int i;

    errno = ENOENT;
    for (i = 0; file && i < STREAMS; ++i) {
        if (streams[i].open) continue;
        streams[i].file = file;
        streams[i].at = 0;
        streams[i].open = 1;
        return &streams[i];
    }
    return NULL;
}

int fclose(FILE *f) { return f->open = 0; }
int ferror(FILE *f) { return !f->open; }
int fgetc(FILE *f) { return f->at < f->file->n ? f->file->bytes[f->at++] : EOF; }

size_t fread(void *to, size_t size, size_t count, FILE *f)
{
    const size_t left = f->file->n - f->at, n = size*count < left ? size*count : left;

    memcpy(to, f->file->bytes + f->at, n);
    f->at += n;
    return size ? n/size : 0;
}

/* ---- the state of an instance ---------------------------------------------------------------------- */

/* What the page can change; NaN: as the scene has it. */
enum { SET_DT, SET_MU, SET_RESTITUTION, SET_COMPLIANCE, SET_TOL, SET_ITERATIONS, SET_MASS, SET_GRAVITY, SET_ERP,
       SET_WARM, SETTINGS };

/* A pull or a push at a point of a link. */
typedef struct {
    int link;                            /* -1: none                                                    */
    slip_real local[3];                  /* the point, link axes [m]                                    */
    slip_real target[3];                 /* pull: where it is drawn to [m]; push: the force [N]         */
    slip_real until;                     /* push: when it ends [s]                                      */
    slip_real stiffness, damping, most;  /* pull: [N/m], [N s/m], [N]                                   */
    slip_real force[3], point[3];        /* as applied last, world axes [N], [m]                        */
} lab_pull;

enum { HISTORY_MOST = 4000, MESSAGE = 1200, WARNINGS = 6000, STATS = 40, CONTACT_NUMBERS = 26 };

static struct {
    sim_session s;                       /* scene, world, controller                                    */
    slip_world_options own;              /* the scene's                                                 */
    slip_material *materials;            /* ... of it, [nmaterials]                                     */
    slip_material_pair *pairs;           /* [nmaterial_pairs]                                           */
    slip_link_def *links;                /* [nlinks], as the scene has them                             */
    slip_real gravity[3];
    double set[SETTINGS];
    char solver[64];                     /* "": the scene's                                             */
    slip_real *body_factor;              /* [nlinks] on mass and inertia, 1                             */
    size_t scene_end, world_from;        /* where the heap was before all that is made anew, and the world */
    int has_own_model;                   /* of other masses or gravity than the scene's: made anew as well */
    double offset;                       /* of the scene's time [s]: a world made anew starts at 0      */
    lab_pull pull, push;
    int has_pulled;
    trot *walk;
    trot_command command;
    slip_replay_summary sum;
    uint64_t hash;
    double *poses, *contacts;
    int contacts_room;
    double stats[STATS];
    double eps[HISTORY_MOST], call[HISTORY_MOST];
    int nhistory, records, is_new_step, ncalls, last_iteration;
    char message[MESSAGE], warnings[WARNINGS];
    size_t nwarnings;
    slip_stream_memory text;
} lab;

const char *EXPORT(lab_message)(void) { return lab.message; }
const char *EXPORT(lab_warnings)(void) { return lab.warnings; }

static int fail(const slip_error *err)
{
    slip_error_text(err, lab.message, MESSAGE);
    return (int)err->status < 0 ? (int)err->status : -1;
}

static int fail_text(const char *text)
{
    slip_format(lab.message, MESSAGE, "%s", text);
    return -1;
}

static void warn(void *context, const slip_error *warning)
{
    (void)context;
    if (lab.nwarnings > WARNINGS - MESSAGE) return;
    slip_error_text(warning, lab.warnings + lab.nwarnings, MESSAGE);
    lab.nwarnings += strlen(lab.warnings + lab.nwarnings);
    lab.warnings[lab.nwarnings++] = '\n';
    lab.warnings[lab.nwarnings] = '\0';
}

/* What the trot of tools/ asks of its surroundings. */
int cli_fail(const char *command, const char *format, ...)
{
    va_list args;

    (void)command;
    va_start(args, format);
    slip_format_list(lab.message, MESSAGE, format, args);
    va_end(args);
    return 1;
}

void *cli_alloc(size_t bytes)
{
    void *p = lab_alloc(bytes);

    if (!p) __builtin_trap();            /* the page says that memory ran out */
    return p;
}

/* ---- forces of the pointer --------------------------------------------------------------------------- */

/* Adds a force on a link's point, from the poses that are in the world's data. */
static void add_force(slip_world *world, lab_pull *f, const slip_real force[3])
{
    slip_copy3(force, f->force);
    slip_wrench_add(slip_world_model(world), slip_world_data(world), f->link, f->point, force, NULL,
                    slip_world_wrench(world));
}

static void pull_point(slip_world *world, lab_pull *f, slip_real velocity[3])
{
    const slip_model *m = slip_world_model(world);
    slip_data *data = slip_world_data(world);
    slip_real v[6], arm[3], turned[3];
    slip_pose X;

    slip_link_pose(m, data, f->link, &X);
    slip_mat3_vec(X.R, f->local, arm);
    slip_add3(X.p, arm, f->point);
    slip_link_velocity(m, data, f->link, v);
    slip_cross3(v + 3, arm, turned);
    slip_add3(v, turned, velocity);
}

static void apply_forces(slip_world *world)
{
    const slip_model *m = slip_world_model(world);
    slip_real velocity[3], force[3], n;
    int k;

    if (lab.pull.link < 0 && lab.push.link < 0) return;
    if (slip_kinematics(m, slip_world_data(world), slip_world_q(world)) < 0
        || slip_velocities(m, slip_world_data(world), slip_world_v(world)) < 0) return;
    if (lab.pull.link >= 0) {
        lab_pull *f = &lab.pull;

        pull_point(world, f, velocity);
        for (k = 0; k < 3; ++k) force[k] = f->stiffness*(f->target[k] - f->point[k]) - f->damping*velocity[k];
        n = slip_norm3(force);
        if (n > f->most) slip_scale3(f->most/n, force, force);
        add_force(world, f, force);
    }
    if (lab.push.link >= 0 && slip_world_time(world) >= lab.push.until) lab.push.link = -1;
    if (lab.push.link >= 0) {
        pull_point(world, &lab.push, velocity);
        add_force(world, &lab.push, lab.push.target);
    }
}

static void control(void *context, slip_world *world)
{
    (void)context;
    if (lab.has_pulled) memset(slip_world_wrench(world), 0, (size_t)(6*lab.s.scene.model->nbodies)*sizeof(slip_real));
    slip_scene_apply_at(&lab.s.scene, world, slip_world_time(world) + (slip_real)lab.offset);
    if (lab.s.controller.update) lab.s.controller.update(lab.s.controller.context, world);
    apply_forces(world);
}

/* ---- opening ------------------------------------------------------------------------------------------ */

static void note_history(void *context, const slip_iteration *it)
{
    slip_real eps = slip_max(slip_max(it->eps_primal, it->eps_dual), it->eps_comp);

    (void)context;
    if (lab.is_new_step) {                               /* a step without iterations leaves those of the one before */
        lab.nhistory = lab.ncalls = lab.last_iteration = 0;
        lab.is_new_step = 0;
    }
    if (it->iteration <= lab.last_iteration) ++lab.ncalls;
    lab.last_iteration = it->iteration;
    if (lab.nhistory == HISTORY_MOST) return;
    lab.eps[lab.nhistory] = (double)eps;
    lab.call[lab.nhistory++] = lab.ncalls;
}

/* The scene around a robot that comes without one. */
static int robot_scene(const char *path, const char **text, size_t *length, const char **name)
{
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    const size_t room = 6*strlen(path) + 400;
    char *scene = (char *)cli_alloc(room), *called = (char *)cli_alloc(room);

    *length = slip_scene_around(last, SLIP_BASE_AUTO, scene, room);
    if (*length == 0) return fail_text("the robot's name is too long");
    slip_format(called, (int)room, "%.*s(%s on the ground)", (int)(last - path), path, last);
    *text = scene;
    *name = called;
    lab.s.is_robot = 1;
    return 0;
}

static int read_scene(const char *text, size_t length, const char *name)
{
    const size_t from = heap_at;
    slip_scene_options opt = slip_scene_defaults();
    slip_status status = SLIP_ERR_WORKSPACE;
    slip_report report;
    slip_error err;
    slip_arena mem;
    size_t bytes;
    void *block;

    memset(&report, 0, sizeof report);
    for (bytes = ((size_t)1 << 20) + 64*length; status == SLIP_ERR_WORKSPACE && bytes <= (size_t)1 << 30; bytes *= 2) {
        heap_at = from;
        block = lab_alloc(bytes);
        if (!block) return fail_text("the browser has no more memory for this scene");
        slip_error_clear(&err);
        mem = slip_arena_over(block, bytes);
        report.warn = warn;
        lab.nwarnings = 0;
        lab.warnings[0] = '\0';
        status = slip_scene_read(text, length, name, &opt, &mem, &lab.s.scene, &report, &err);
    }
    if (status < 0) return fail(&err);
    heap_at = (size_t)mem.base + mem.low;                /* what it did not use */
    return 0;
}

static void *keep(const void *from, size_t n)
{
    void *to = cli_alloc(n ? n : 1);

    if (n) memcpy(to, from, n);
    return to;
}

/* Reads a scene, or a robot that is put into one. Negative: lab_message() says file, line, column and fault. */
int EXPORT(lab_open)(const char *path)
{
    const lab_file_entry *file = find_file(path);
    slip_scene *scene = &lab.s.scene;
    const char *text, *name = path;
    size_t length;
    int i;

    if (!file) return fail_text("there is no such file");
    text = (const char *)file->bytes;
    length = file->n;
    if (slip_robot_format(text, length) != 0 && robot_scene(path, &text, &length, &name) < 0) return -1;
    if (read_scene(text, length, name) < 0) return -1;
    lab.own = scene->world.options;
    lab.materials = (slip_material *)keep(scene->world.materials, (size_t)scene->world.nmaterials*sizeof *lab.materials);
    lab.pairs = (slip_material_pair *)keep(scene->world.material_pairs,
                                           (size_t)scene->world.nmaterial_pairs*sizeof *lab.pairs);
    lab.links = (slip_link_def *)keep(scene->def.links, (size_t)scene->def.nlinks*sizeof *lab.links);
    lab.body_factor = (slip_real *)cli_alloc((size_t)(scene->def.nlinks + 1)*sizeof(slip_real));
    for (i = 0; i < scene->def.nlinks; ++i) lab.body_factor[i] = 1;
    slip_copy3(scene->def.gravity, lab.gravity);
    for (i = 0; i < SETTINGS; ++i) lab.set[i] = (double)NAN;
    lab.pull.link = lab.push.link = -1;
    lab.poses = (double *)cli_alloc((size_t)(7*scene->model->nbodies)*sizeof(double));
    return 0;
}

/* ---- settings ------------------------------------------------------------------------------------------ */

static int is_set(int what) { return lab.set[what] == lab.set[what]; }
static slip_real setting(int what, slip_real own) { return is_set(what) ? (slip_real)lab.set[what] : own; }

/* The mass of the lightest tree: it sets the damping of surfaces that yield. */
static slip_real lightest(const slip_model *m)
{
    slip_real least = 0, sum;
    int b, c;

    for (b = 1; b < m->nbodies; ++b) {
        if (m->parent[b] != 0) continue;
        sum = m->inertia[10*b];
        for (c = b + 1; c < m->nbodies && m->parent[c] >= b; ++c) sum += m->inertia[10*c];
        if (sum > 0 && (least == 0 || sum < least)) least = sum;
    }
    return least;
}

/* A surface with what the page has set. A compliance alone would bounce for ever: half of critical damping for the
 * lightest tree on one point, d = sqrt(k m), goes with it. */
static slip_material changed(const slip_material *own)
{
    slip_material m = *own;

    m.friction = setting(SET_MU, m.friction);
    m.restitution = setting(SET_RESTITUTION, m.restitution);
    if (is_set(SET_COMPLIANCE)) {
        const slip_real c = (slip_real)lab.set[SET_COMPLIANCE];

        m.stiffness = c > 0 ? slip_min(1/c, SLIP_MOST_STIFFNESS) : 0;
        m.damping = c > 0 ? slip_sqrt(m.stiffness*lightest(lab.s.scene.model)) : 0;
    }
    return m;
}

static void change_options(slip_world_options *o)
{
    o->dt = setting(SET_DT, o->dt);
    o->solve.tol = setting(SET_TOL, o->solve.tol);
    o->erp = setting(SET_ERP, o->erp);
    if (is_set(SET_WARM)) o->warm_start = lab.set[SET_WARM] > 0;
    if (is_set(SET_ITERATIONS)) o->solve.max_iterations = (int)lab.set[SET_ITERATIONS];
    o->solve.history = lab.records ? note_history : NULL;
}

/* The scene's options with the chosen solver, or as the chosen engine has them, and the settings. 0: no such solver. */
static int choose_options(slip_world_options *o)
{
    *o = lab.own;
    if (strncmp(lab.solver, "like:", 5) == 0) {
        if (!slip_world_like(lab.solver + 5, o)) return 0;
    } else if (lab.solver[0]) {
        const slip_solver *s = slip_solver_find(lab.solver);

        if (!s) return 0;
        if (s != o->solver) o->solve.max_iterations = 0;
        o->solver = s;
    }
    change_options(o);
    return 1;
}

/* The model with masses and gravity as they are set. */
static int build_model(void)
{
    slip_scene *scene = &lab.s.scene;
    const slip_real all = setting(SET_MASS, 1), g = setting(SET_GRAVITY, 1);
    slip_status status = SLIP_ERR_WORKSPACE;
    const slip_model *model;
    slip_error err;
    slip_arena mem;
    size_t bytes, from;
    int i, k;

    for (i = 0; i < scene->def.nlinks; ++i) {
        slip_link_def *l = &scene->def.links[i];
        const slip_real f = all*lab.body_factor[i];

        l->mass = f*lab.links[i].mass;
        for (k = 0; k < 6; ++k) l->inertia[k] = f*lab.links[i].inertia[k];
    }
    slip_scale3(g, lab.gravity, scene->def.gravity);
    from = heap_at;
    for (bytes = 1 << 16; status == SLIP_ERR_WORKSPACE && bytes <= (size_t)1 << 28; bytes *= 2) {
        heap_at = from;
        slip_error_clear(&err);
        mem = slip_arena_over(cli_alloc(bytes), bytes);
        status = slip_model_build(&scene->def, &mem, &model, NULL, &err);
    }
    if (status < 0) return fail(&err);
    scene->model = scene->world.model = model;
    lab.has_own_model = 1;
    heap_at = (size_t)mem.base + mem.low;
    return 0;
}

static int make_world(void)
{
    slip_scene *scene = &lab.s.scene;
    slip_arena mem;
    slip_error err;
    slip_status status;
    size_t bytes;
    void *block;

    slip_error_clear(&err);
    bytes = slip_world_bytes(&scene->world);
    heap_at = lab.world_from;
    block = bytes ? lab_alloc(bytes) : NULL;
    if (bytes && !block) return fail_text("the browser has no more memory for this world");
    mem = slip_arena_over(block, bytes);
    status = slip_scene_start(scene, &mem, &lab.s.world, NULL, &err);
    return status < 0 ? fail(&err) : 0;
}

static void begin_walk(void)
{
    lab.s.controller.update = NULL;
    if (lab.command.forward == 0 && lab.command.sideways == 0 && lab.command.turn == 0) return;
    lab.message[0] = '\0';
    lab.walk = trot_new(&lab.s, &lab.command);
    if (lab.walk) lab.s.controller.begin(lab.s.controller.context, lab.s.world);
}

/* Makes the world, or makes it anew with its state kept (`again`). Negative: lab_message(). */
static int start(int again)
{
    slip_scene *scene = &lab.s.scene;
    slip_world_options o;
    size_t n = 0;
    void *saved = NULL;
    slip_material *m;
    slip_material_pair *p;
    int i, status;

    if (!choose_options(&o)) return fail_text("there is no such solver");
    if (again) {                                         /* kept above the world, then moved below the new one */
        n = slip_snapshot_bytes(lab.s.world);
        saved = lab_alloc(n);
        if (!saved) return fail_text("the browser has no more memory");
        slip_snapshot_save(lab.s.world, saved);
        memmove((void *)lab.scene_end, saved, n);
        saved = (void *)lab.scene_end;
        heap_at = lab.scene_end + n;
        lab.contacts_room = 0;                           /* they were above as well */
    } else lab.scene_end = (heap_at + 15) & ~(size_t)15;
    m = (slip_material *)cli_alloc((size_t)(scene->world.nmaterials + 1)*sizeof *m);
    p = (slip_material_pair *)cli_alloc((size_t)(scene->world.nmaterial_pairs + 1)*sizeof *p);
    for (i = 0; i < scene->world.nmaterials; ++i) m[i] = changed(&lab.materials[i]);
    for (i = 0; i < scene->world.nmaterial_pairs; ++i) {
        p[i] = lab.pairs[i];
        p[i].material = changed(&lab.pairs[i].material);
    }
    scene->world.materials = m;
    scene->world.material_pairs = p;
    if ((is_set(SET_MASS) || is_set(SET_GRAVITY) || again > 1 || lab.has_own_model) && build_model() < 0) return -1;
    scene->world.options = o;
    lab.world_from = heap_at;
    do status = make_world();
    while (status >= 0 && !again && slip_scene_make_room(scene, lab.s.world));
    if (status < 0) return status;
    lab.own.max_contacts = scene->world.options.max_contacts;
    lab.own.max_pairs = scene->world.options.max_pairs;
    slip_world_set_control(lab.s.world, control, NULL);
    if (again && slip_snapshot_restore(lab.s.world, saved, n) < 0) return fail(slip_world_error(lab.s.world));
    begin_walk();
    return 0;
}

int EXPORT(lab_start)(void) { return start(0); }

/* The solver's id, "like:" and an engine, or "" for the scene's. */
void EXPORT(lab_solver)(const char *id) { slip_format(lab.solver, (int)sizeof lab.solver, "%s", id); }
const char *EXPORT(lab_solver_id)(void) { return lab.s.world ? slip_world_options_of(lab.s.world)->solver->id : ""; }

/* A setting for the next lab_start(), lab_again() or lab_apply(). */
void EXPORT(lab_set)(int what, double value) { if (what >= 0 && what < SETTINGS) lab.set[what] = value; }
void EXPORT(lab_factor)(int link, double f) { if (link >= 0 && link < lab.s.scene.def.nlinks) lab.body_factor[link] = (slip_real)f; }

/* The world anew, with its state: after changes of the solver (0), of masses or gravity (1). */
int EXPORT(lab_again)(int masses) { return start(1 + (masses != 0)); }

/* The settings that can change between steps. */
int EXPORT(lab_apply)(void)
{
    slip_world *w = lab.s.world;
    slip_world_options *o = slip_world_options_of(w), chosen;
    int i;

    if (!choose_options(&chosen)) return fail_text("there is no such solver");
    o->dt = chosen.dt;
    o->erp = chosen.erp;
    o->warm_start = chosen.warm_start;
    o->solve.tol = chosen.solve.tol;
    o->solve.max_iterations = chosen.solve.max_iterations;
    for (i = 0; i < lab.s.scene.world.nmaterials; ++i) {
        const slip_material m = changed(&lab.materials[i]);

        if (slip_world_set_material(w, i, &m) < 0) return fail(slip_world_error(w));
    }
    for (i = 0; i < lab.s.scene.world.nmaterial_pairs; ++i) {
        const slip_material m = changed(&lab.pairs[i].material);

        if (slip_world_set_material_pair(w, i, &m) < 0) return fail(slip_world_error(w));
    }
    return 0;
}

/* What a setting is in the running world; of surfaces the first one. */
double EXPORT(lab_get)(int what)
{
    const slip_world_options *o = slip_world_options_of(lab.s.world);
    const slip_material *m = slip_world_material(lab.s.world, 0);

    switch (what) {
    case SET_DT: return (double)o->dt;
    case SET_MU: return m ? (double)m->friction : 0;
    case SET_RESTITUTION: return m ? (double)m->restitution : 0;
    case SET_COMPLIANCE: return m && m->stiffness > 0 ? 1/(double)m->stiffness : 0;
    case SET_TOL: return (double)o->solve.tol;
    case SET_ITERATIONS: return o->solve.max_iterations;
    case SET_MASS: return (double)setting(SET_MASS, 1);
    case SET_GRAVITY: return (double)setting(SET_GRAVITY, 1);
    case SET_ERP: return (double)o->erp;
    case SET_WARM: return o->warm_start;
    default: return (double)NAN;
    }
}

/* A walk for a quadruped [m/s, rad/s]; three zeros: none. Negative: lab_message(). */
int EXPORT(lab_walk)(double forward, double sideways, double turn)
{
    memset(&lab.command, 0, sizeof lab.command);
    lab.command.forward = (slip_real)forward;
    lab.command.sideways = (slip_real)sideways;
    lab.command.turn = (slip_real)turn;
    if (!lab.s.world) return 0;
    begin_walk();
    return (forward != 0 || sideways != 0 || turn != 0) && !lab.walk ? -1 : 0;
}

/* ---- steps ----------------------------------------------------------------------------------------------- */

static void count(void)
{
    const slip_step_stats *t = slip_world_stats(lab.s.world);
    const slip_real trace = slip_replay_least_impulse(lab.s.world);
    slip_replay_summary *sum = &lab.sum;
    slip_replay_contact c;
    int i, k;

    sum->steps += 1;
    sum->missed += t->status == SLIP_MAX_ITERS || t->status == SLIP_STALLED || t->status == SLIP_DIVERGED
                || t->status == SLIP_DEADLINE;
    sum->residual = slip_max(sum->residual, t->residual.eps_abs);
    sum->penetration = slip_max(sum->penetration, t->penetration);
    sum->iterations += t->iterations;
    for (i = 0; i < slip_contact_count(lab.s.world); ++i) {
        const slip_contact_info info = slip_contact_get(lab.s.world, i);

        slip_replay_contact_of(&info, trace, &c);
        sum->contacts += c.state != SLIP_CONTACT_OPEN;
        for (k = 0; k < 3; ++k) sum->broken[k] += c.broken >> k & 1;
    }
}

/* One step. The status: negative, and lab_message(), when it could not be taken. */
int EXPORT(lab_step)(void)
{
    slip_status status;

    lab.is_new_step = 1;
    status = slip_step(lab.s.world);
    if (status < 0) return fail(slip_world_error(lab.s.world));
    count();
    return (int)status;
}

/* The same without counting, for a hash of all steps as `slipstick sim --hash` has it. */
int EXPORT(lab_hash_step)(void)
{
    const slip_status status = slip_step(lab.s.world);

    if (status < 0) return fail(slip_world_error(lab.s.world));
    lab.hash = log_hash_step(lab.hash, lab.s.world);
    return (int)status;
}

uint32_t EXPORT(lab_hash)(int high) { return (uint32_t)(high ? lab.hash >> 32 : lab.hash & 0xffffffffu); }

/* Whether the residuals of each iteration are kept. */
void EXPORT(lab_record)(int on)
{
    lab.records = on;
    if (lab.s.world) slip_world_options_of(lab.s.world)->solve.history = on ? note_history : NULL;
}

int EXPORT(lab_history)(void) { return lab.nhistory; }
const double *EXPORT(lab_history_eps)(void) { return lab.eps; }
const double *EXPORT(lab_history_call)(void) { return lab.call; }

void EXPORT(lab_count_anew)(void) { memset(&lab.sum, 0, sizeof lab.sum); }

/* ---- reading --------------------------------------------------------------------------------------------- */

/* Numbers of a contact: colliders a, b, feature, point (3), rows t1 t2 n (9), impulse (3), velocity (3), mu, gap,
 * state, broken laws, links a, b. Returns how many there are, at most `most`. */
int EXPORT(lab_contacts)(int most)
{
    const int met = slip_contact_count(lab.s.world), n = met < most ? met : most;
    const slip_real trace = slip_replay_least_impulse(lab.s.world);
    slip_replay_contact c;
    int i, k;

    if (n > lab.contacts_room) {
        double *room = (double *)lab_alloc((size_t)(2*n*CONTACT_NUMBERS)*sizeof(double));

        if (!room) return 0;
        lab.contacts = room;
        lab.contacts_room = 2*n;
    }
    for (i = 0; i < n; ++i) {
        const slip_contact_info info = slip_contact_get(lab.s.world, i);
        double *to = lab.contacts + (size_t)i*CONTACT_NUMBERS;

        slip_replay_contact_of(&info, trace, &c);
        to[0] = info.collider_a;  to[1] = info.collider_b;  to[2] = info.feature;
        for (k = 0; k < 3; ++k) to[3 + k] = (double)info.point[k];
        for (k = 0; k < 9; ++k) to[6 + k] = (double)info.frame[k];
        for (k = 0; k < 3; ++k) to[15 + k] = (double)info.impulse[k];
        for (k = 0; k < 3; ++k) to[18 + k] = (double)info.velocity[k];
        to[21] = (double)info.mu;  to[22] = (double)info.gap;
        to[23] = (double)info.state;  to[24] = c.broken;  to[25] = info.link_a*65536.0 + info.link_b;
    }
    return n;
}

const double *EXPORT(lab_contact_numbers)(void) { return lab.contacts; }

/* Poses [7 a body: position, quaternion x y z w] of all bodies but the world; brings the world's data up to now. */
const double *EXPORT(lab_poses)(void)
{
    const slip_model *m = slip_world_model(lab.s.world);
    const slip_data *data = slip_world_data(lab.s.world);
    slip_real kinetic, potential, q[4];
    double *to = lab.poses;
    int b, i;

    slip_world_energy(lab.s.world, &kinetic, &potential);
    lab.stats[0] = (double)kinetic;
    lab.stats[1] = (double)potential;
    for (b = 1; b < m->nbodies; ++b, to += 7) {
        slip_mat3_to_quat(data->pose[b].R, q);
        for (i = 0; i < 3; ++i) to[i] = (double)data->pose[b].p[i];
        for (i = 0; i < 4; ++i) to[3 + i] = (double)q[i];
    }
    return lab.poses;
}

/* Of the last step and of all; call it after lab_poses(), which has the energies. */
const double *EXPORT(lab_stats)(void)
{
    const slip_step_stats *t = slip_world_stats(lab.s.world);
    const slip_replay_summary *s = &lab.sum;
    double *to = lab.stats + 2;
    int k;

    *to++ = (double)slip_world_time(lab.s.world) + lab.offset;
    *to++ = (double)s->steps;
    *to++ = t->status;
    *to++ = t->contacts;
    *to++ = t->iterations;
    *to++ = t->calls;
    *to++ = (double)t->residual.eps_abs;
    *to++ = (double)t->residual.eps_primal;
    *to++ = (double)t->residual.eps_dual;
    *to++ = (double)t->residual.eps_comp;
    *to++ = (double)t->penetration;
    *to++ = (double)s->missed;
    *to++ = (double)s->residual;
    *to++ = (double)s->penetration;
    *to++ = (double)s->iterations;
    *to++ = (double)s->contacts;
    for (k = 0; k < 3; ++k) *to++ = (double)s->broken[k];
    *to++ = t->islands;
    *to++ = t->dropped;
    for (k = 0; k < 3; ++k) *to++ = lab.pull.link >= 0 ? (double)lab.pull.force[k] : 0;
    for (k = 0; k < 3; ++k) *to++ = lab.pull.link >= 0 ? (double)lab.pull.point[k] : 0;
    *to++ = lab.push.link >= 0;
    *to++ = (double)slip_world_time(lab.s.world);
    return lab.stats;
}

slip_real *EXPORT(lab_q)(void) { return slip_world_q(lab.s.world); }
slip_real *EXPORT(lab_v)(void) { return slip_world_v(lab.s.world); }
int EXPORT(lab_nq)(void) { return lab.s.scene.model->nq; }
int EXPORT(lab_nv)(void) { return lab.s.scene.model->nv; }
void EXPORT(lab_offset)(double t) { lab.offset = t; }

size_t EXPORT(lab_snapshot_bytes)(void) { return slip_snapshot_bytes(lab.s.world); }
void EXPORT(lab_snapshot)(void *to) { slip_snapshot_save(lab.s.world, to); }
int EXPORT(lab_restore)(const void *from, size_t n)
{
    return slip_snapshot_restore(lab.s.world, from, n) < 0 ? fail(slip_world_error(lab.s.world)) : 0;
}

/* ---- picking, pulling, pushing ----------------------------------------------------------------------------- */

/* The first collider on a ray; -1: none. out: point (3), link, mass of the link's body, mass of its tree. */
int EXPORT(lab_pick)(const double ray[6], double out[6])
{
    const slip_world_def *w = &lab.s.scene.world;
    const slip_model *m = lab.s.scene.model;
    slip_ray r;
    slip_ray_hit hit, best;
    int i, k, found = -1;

    for (k = 0; k < 3; ++k) {
        r.origin[k] = (slip_real)ray[k];
        r.dir[k] = (slip_real)ray[3 + k];
    }
    r.tmax = (slip_real)INFINITY;
    slip_kinematics(m, slip_world_data(lab.s.world), slip_world_q(lab.s.world));
    for (i = 0; i < w->ncolliders; ++i) {
        const slip_collider_def *c = &w->colliders[i];
        slip_pose X = c->pose, L;

        if (c->link >= 0) {
            slip_link_pose(m, slip_world_data(lab.s.world), c->link, &L);
            slip_pose_mul(&L, &c->pose, &X);
        }
        if (slip_ray_shape(&r, &c->shape, &X, &hit) != 1) continue;
        found = i;
        best = hit;
        r.tmax = hit.t;
    }
    if (found < 0) return -1;
    for (k = 0; k < 3; ++k) out[k] = (double)best.point[k];
    out[3] = w->colliders[found].link;
    out[4] = out[5] = 0;
    if (out[3] >= 0 && (i = m->link_body[w->colliders[found].link]) > 0) {
        out[4] = (double)m->inertia[10*i];
        while (m->parent[i] > 0) i = m->parent[i];
        out[5] = (double)m->inertia[10*i];
        for (k = i + 1; k < m->nbodies && m->parent[k] >= i; ++k) out[5] += (double)m->inertia[10*k];
    } else out[3] = -1;
    return found;
}

static void local_point(int link, const double point[3], slip_real local[3])
{
    slip_real p[3];
    slip_pose X;
    int k;

    slip_kinematics(lab.s.scene.model, slip_world_data(lab.s.world), slip_world_q(lab.s.world));
    slip_link_pose(lab.s.scene.model, slip_world_data(lab.s.world), link, &X);
    for (k = 0; k < 3; ++k) p[k] = (slip_real)point[k] - X.p[k];
    slip_mat3_tvec(X.R, p, local);
}

/* Takes hold of a link at a point by a spring, or lets go (link -1). The point is one of the world, or of the link's
 * frame (is_local), as lab_local() has it. `body` and `tree` are masses as lab_pick() has them. The spring moves the
 * whole tree with a period of 0.7 s, critically damped. It acts as an external force, explicitly, on what may be a light
 * link. On a mass m such a step is stable while c dt + k dt^2/2 < 2 m. Pulled at a point, a homogeneous box yields like
 * a seventh of its mass or more: 1/7 at the corner of a thin plate, where 1/m + r^2/I = (1 + 3 + 3)/m. So c dt stays
 * below a quarter of the link's own mass and k dt^2 below a twentieth: 1/4 + 1/40 < 2/7. It never pulls harder than 15
 * times the tree's weight on earth. */
void EXPORT(lab_grab)(int link, const double point[3], int is_local, double body, double tree)
{
    const double omega = 2*3.14159265358979/0.7, dt = (double)slip_world_options_of(lab.s.world)->dt;
    lab_pull *f = &lab.pull;
    slip_pose X;
    int k;

    f->link = link;
    if (link < 0) return;
    lab.has_pulled = 1;
    if (!is_local) local_point(link, point, f->local);
    else for (k = 0; k < 3; ++k) f->local[k] = (slip_real)point[k];
    slip_kinematics(lab.s.scene.model, slip_world_data(lab.s.world), slip_world_q(lab.s.world));
    slip_link_pose(lab.s.scene.model, slip_world_data(lab.s.world), link, &X);
    slip_mat3_vec(X.R, f->local, f->target);
    slip_add3(X.p, f->target, f->target);
    slip_copy3(f->target, f->point);
    slip_zero3(f->force);
    f->stiffness = (slip_real)fmin(tree*omega*omega, 0.05*body/(dt*dt));
    f->damping = (slip_real)fmin(2*tree*omega, 0.25*body/dt);
    f->most = (slip_real)(15*9.81*tree);
}

/* The point that is held, in its link's frame. */
void EXPORT(lab_local)(double local[3])
{
    int k;

    for (k = 0; k < 3; ++k) local[k] = (double)lab.pull.local[k];
}

void EXPORT(lab_pull_to)(const double to[3])
{
    int k;

    for (k = 0; k < 3; ++k) lab.pull.target[k] = (slip_real)to[k];
}

/* A force [N] at a point of a link for so many seconds. */
void EXPORT(lab_push)(int link, const double point[3], const double force[3], double seconds)
{
    int k;

    lab.has_pulled = 1;
    lab.push.link = link;
    local_point(link, point, lab.push.local);
    for (k = 0; k < 3; ++k) lab.push.target[k] = (slip_real)force[k];
    lab.push.until = slip_world_time(lab.s.world) + (slip_real)seconds;
}

/* ---- descriptions, as text ------------------------------------------------------------------------------------ */

static int grow_text(void *context, const void *bytes, size_t n)
{
    slip_stream_memory *m = (slip_stream_memory *)context;

    if (m->used + n + 1 > m->size) {                      /* the text is the last thing on the heap while it is written */
        const size_t more = m->size + n + 65536;

        if (!lab_alloc(more)) return 1;
        m->size += more;
    }
    memcpy(m->text + m->used, bytes, n);
    m->used += n;
    m->text[m->used] = '\0';
    return 0;
}

static void text_begin(slip_stream *out)
{
    lab.text.text = (char *)cli_alloc(65536);
    lab.text.size = 65536;
    lab.text.used = 0;
    slip_stream_open(grow_text, &lab.text, out);
}

/* The meshes that are only drawn; one that cannot be read is left out, and its link shows its collider. */
static int visuals(slip_replay_visual *to, slip_trimesh *meshes)
{
    const slip_scene *scene = &lab.s.scene;
    const size_t most = (size_t)1 << 26;
    slip_arena mem;
    int i, n = 0;

    memset(&mem, 0, sizeof mem);
    for (i = 0; i < scene->nvisuals; ++i) {
        const slip_visual *v = &scene->visuals[i];
        slip_replay_visual *r = &to[n];

        memset(r, 0, sizeof *r);
        r->link = v->link;
        r->shape = v->shape;
        r->pose = v->pose;
        memcpy(r->colour, v->colour, sizeof v->colour);
        if (v->mesh_path && !v->shape.hull) {
            if (!mem.base) mem = slip_arena_over(cli_alloc(most), most);
            if (slip_mesh_load(v->mesh_path, v->mesh_scale, &mem, &meshes[i], NULL, NULL, NULL) >= 0)
                r->mesh = &meshes[i];
        }
        if (r->shape.kind != SLIP_SHAPE_MESH || r->mesh || r->shape.hull) ++n;
    }
    return n;
}

static void put_names(slip_stream *out)
{
    const slip_scene *scene = &lab.s.scene;
    const slip_model *m = scene->model;
    int i;

    slip_put_text(out, "\"joints\":[");
    for (i = 0; i < m->njoints; ++i) {
        slip_joint_place p;

        if (slip_model_find_place(m, m->joint_name[i], &p) < 0) p.iq = p.nq = p.iv = p.nv = 0;
        slip_put_text(out, i ? ",[" : "[");
        slip_put_json(out, m->joint_name[i]);
        slip_put_format(out, ",%d,%d,%d,%d]", p.iq, p.nq, p.iv, p.nv);
    }
    slip_put_text(out, "],\"links\":[");
    for (i = 0; i < m->nlinks; ++i) {
        slip_put_text(out, i ? ",[" : "[");
        slip_put_json(out, m->link_name[i]);
        slip_put_format(out, ",%d]", m->link_body[i]);
    }
    slip_put_text(out, "],\"robots\":[");
    for (i = 0; i < scene->nrobots; ++i) {
        slip_put_text(out, i ? "," : "");
        slip_put_json(out, scene->robots[i].file);
    }
    slip_put_text(out, "]");
}

/* "<script ...>JSON</script>" as in a replay's page, a script a mesh, then <script id="lab">: names, sizes. The text's
 * address; its length is lab_text_length(). NULL: lab_message(). */
const char *EXPORT(lab_describe)(void)
{
    const slip_scene *scene = &lab.s.scene;
    const size_t n = (size_t)(scene->nvisuals + 1);
    slip_replay_def def = slip_replay_defaults(&scene->world);
    const slip_replay *runs[1];
    slip_replay *rec;
    slip_replay_page page;
    slip_stream out;
    slip_error err;
    slip_arena mem;
    slip_replay_visual *v = (slip_replay_visual *)cli_alloc(n*sizeof *v);
    size_t bytes;

    def.nvisuals = visuals(v, (slip_trimesh *)cli_alloc(n*sizeof(slip_trimesh)));
    def.visuals = v;
    def.max_contacts = 0;
    def.room = 4096 + (size_t)scene->model->nbodies*100;
    bytes = slip_replay_bytes(&def);
    mem = slip_arena_over(cli_alloc(bytes), bytes);
    if (slip_replay_create(&def, &mem, &rec, &err) < 0) return fail(&err), NULL;
    slip_replay_step(rec, lab.s.world);
    memset(&page, 0, sizeof page);
    page.title = scene->name && scene->name[0] ? scene->name : scene->file;
    page.about = scene->about;
    if (scene->camera.given) {
        slip_copy3(scene->camera.eye, page.camera.eye);
        slip_copy3(scene->camera.target, page.camera.target);
    }
    page.camera.fov = scene->camera.fov;
    page.camera.follow = scene->camera.follow;
    page.nruns = 1;
    page.runs = runs;
    runs[0] = rec;
    text_begin(&out);
    slip_replay_describe(&page, &out);
    slip_put_text(&out, "<script type=\"application/json\" id=\"lab\">{");
    put_names(&out);
    slip_put_format(&out, ",\"nq\":%d,\"nv\":%d,\"robot\":%d,\"duration\":", scene->model->nq, scene->model->nv,
                    lab.s.is_robot);
    slip_put_json_real(&out, (double)scene->duration, 17);
    slip_put_text(&out, ",\"solver\":");
    slip_put_json(&out, lab.own.solver->id);
    slip_put_text(&out, "}</script>\n");
    slip_stream_flush(&out);
    return lab.text.text;
}

/* The text of the scene that a robot without one is put into; NULL: the file is no robot. */
const char *EXPORT(lab_around)(const char *path)
{
    const lab_file_entry *file = find_file(path);
    const char *text, *name;
    size_t length;

    if (!file || slip_robot_format((const char *)file->bytes, file->n) == 0) return NULL;
    return robot_scene(path, &text, &length, &name) < 0 ? NULL : text;
}

/* The largest number of v [m/s or rad/s], infinite when one is none. */
double EXPORT(lab_fastest)(void)
{
    const slip_real *v = slip_world_v(lab.s.world);
    double most = 0;
    int i;

    for (i = 0; i < lab.s.scene.model->nv; ++i) {
        if (!slip_is_finite(v[i])) return (double)INFINITY;
        most = fmax(most, (double)slip_abs(v[i]));
    }
    return most;
}

/* The solvers and the engines that can be imitated, as JSON. */
const char *EXPORT(lab_registry)(void)
{
    slip_stream out;
    int i;

    text_begin(&out);
    slip_put_text(&out, "{\"version\":");
    slip_put_json(&out, SLIP_VERSION);
    slip_put_text(&out, ",\"engines\":");
    slip_put_json(&out, slip_solver_engines());
    slip_put_text(&out, ",\"solvers\":[");
    for (i = 0; i < slip_solver_count(); ++i) {
        const slip_solver *s = slip_solver_get(i);

        slip_put_text(&out, i ? ",\n{\"id\":" : "\n{\"id\":");
        slip_put_json(&out, s->id);
        slip_put_text(&out, ",\"model\":");
        slip_put_json(&out, slip_contact_model_name(s->model));
        slip_put_text(&out, ",\"about\":");
        slip_put_json(&out, s->about);
        slip_put_text(&out, ",\"paper\":");
        slip_put_json(&out, s->paper);
        slip_put_text(&out, ",\"engines\":");
        slip_put_json(&out, s->engines);
        slip_put_format(&out, ",\"laws\":%d}", (int)slip_contact_model_laws(s->model));
    }
    slip_put_text(&out, "]}");
    slip_stream_flush(&out);
    return lab.text.text;
}

size_t EXPORT(lab_text_length)(void) { return lab.text.used; }
