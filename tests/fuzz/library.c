/* Targets: the readers of the library. All have one shape: text to a result in an arena. What is checked of each:
 * a failure has a reason and leaves result and arena as they were; a result needs no more memory than the arena says;
 * with less it is refused. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include "slipstick_parts.h"
#include "../../tools/pairs.h"
#ifdef SLIP_FUZZ_MJCF
#include "io/mjcf.h"
#endif

/* Enough for what fits into inputs of a few kilobytes; a reader that wants more says so. */
enum { ROOM = 1 << 24, RESULT = 1 << 14 };

typedef slip_status fuzz_reader(const char *text, size_t size, slip_arena *mem, void *out, slip_error *err);

static unsigned char *library_room(void)
{
    static unsigned char *room;

    if (!room) room = (unsigned char *)malloc(ROOM);
    return room;
}

/* Reads into `bytes` of room from its end on, so that a sanitizer sees a step beyond. Returns the status. */
static slip_status library_attempt(fuzz_reader *read, const char *text, size_t size, size_t bytes, void *out,
                                   slip_arena *mem)
{
    static unsigned char before[RESULT];
    slip_error err;
    slip_status s;

    memset(out, 0x5a, RESULT);
    memcpy(before, out, RESULT);
    memset(&err, 0, sizeof err);
    *mem = slip_arena_over(library_room() + (ROOM - bytes), bytes);
    s = read(text, size, mem, out, &err);
    FUZZ_CHECK(mem->high == mem->size);                          /* scratch is given back */
    if (s >= 0) return s;
    FUZZ_CHECK(err.what[0] != '\0');
    FUZZ_CHECK(mem->low == 0);
    FUZZ_CHECK(memcmp(before, out, RESULT) == 0);
    return s;
}

/* Reads; 1 when there is a result, which stays in `mem` until the next call. */
static int library_read(fuzz_reader *read, const unsigned char *bytes, size_t size, void *out, slip_arena *mem)
{
    char *text = (char *)malloc(size > 0 ? size : 1);            /* of exactly this size, for sanitizers */
    slip_status s;

    if (size > 0) memcpy(text, bytes, size);
    s = library_attempt(read, text, size, ROOM, out, mem);
    if (s >= 0) {
        const size_t needed = slip_arena_needed(mem), less = mem->peak > SLIP_ALIGN ? mem->peak - SLIP_ALIGN : 0;

        if (mem->peak > 0) {
            slip_arena_release(mem, 0);
            FUZZ_CHECK(library_attempt(read, text, size, less & ~(size_t)(SLIP_ALIGN - 1), out, mem) < 0);
        }
        FUZZ_CHECK(library_attempt(read, text, size, needed < ROOM ? needed : ROOM, out, mem) == s);
    }
    free(text);
    return s >= 0;
}

/* ---- robots ------------------------------------------------------------------------------------------------------ */

/* A model of what was read, and its poses at rest. */
static void library_build(const slip_model_def *def)
{
    unsigned char *block = (unsigned char *)malloc(ROOM);
    const slip_model *model;
    slip_arena all = slip_arena_over(block, ROOM);
    slip_data *data;
    slip_error err;
    slip_real *q;

    memset(&err, 0, sizeof err);
    if (slip_model_build(def, &all, &model, NULL, &err) < 0) FUZZ_CHECK(err.what[0] != '\0' && all.low == 0);
    else if (slip_data_create(model, &all, &data) >= 0 && (q = slip_arena_reals(&all, (size_t)model->nq)) != NULL) {
        slip_neutral(model, q);
        FUZZ_CHECK(slip_all_finite(q, model->nq));
        FUZZ_CHECK(slip_kinematics(model, data, q) == SLIP_OK);
    }
    free(block);
}

static slip_status urdf_reader(const char *text, size_t size, slip_arena *mem, void *out, slip_error *err)
{
    slip_urdf_options opt = slip_urdf_defaults();

    opt.find_meshes = 0;
    opt.free_base = size > 0 && text[size - 1] == '\n';
    return slip_urdf_read(text, size, "fuzz.urdf", &opt, mem, (slip_urdf *)out, NULL, err);
}

static union { slip_urdf urdf; slip_srdf srdf; slip_trimesh mesh; slip_heightfield field; slip_problem problem;
               slip_pairs pairs; unsigned char bytes[RESULT]; } result;

static void fuzz_urdf(const unsigned char *bytes, size_t size)
{
    slip_arena mem;

    if (library_read(urdf_reader, bytes, size, &result, &mem)) library_build(&result.urdf.def);
}

#ifdef SLIP_FUZZ_MJCF
static slip_status mjcf_reader(const char *text, size_t size, slip_arena *mem, void *out, slip_error *err)
{
    slip_urdf_options opt = slip_urdf_defaults();

    opt.find_meshes = 0;
    return slip_mjcf_read(text, size, "fuzz.xml", &opt, mem, (slip_urdf *)out, NULL, err);
}

static void fuzz_mjcf(const unsigned char *bytes, size_t size)
{
    slip_arena mem;

    if (library_read(mjcf_reader, bytes, size, &result, &mem)) library_build(&result.urdf.def);
}
#endif

static slip_status srdf_reader(const char *text, size_t size, slip_arena *mem, void *out, slip_error *err)
{
    return slip_srdf_read(text, size, "fuzz.srdf", mem, (slip_srdf *)out, NULL, err);
}

static void fuzz_srdf(const unsigned char *bytes, size_t size)
{
    slip_arena mem;

    library_read(srdf_reader, bytes, size, &result, &mem);
}

/* ---- meshes, height maps, problems, pairs ---------------------------------------------------------------------- */

static const char *mesh_name;

static slip_status mesh_reader(const char *text, size_t size, slip_arena *mem, void *out, slip_error *err)
{
    return slip_mesh_read(mesh_name, text, size, NULL, mem, (slip_trimesh *)out, NULL, NULL, err);
}

static void library_mesh(const char *name, const unsigned char *bytes, size_t size)
{
    slip_arena mem;
    int i;

    mesh_name = name;
    if (!library_read(mesh_reader, bytes, size, &result, &mem)) return;
    FUZZ_CHECK(slip_all_finite(result.mesh.vertex, 3*result.mesh.nv));
    for (i = 0; i < 3*result.mesh.nt; ++i)
        FUZZ_CHECK(result.mesh.triangle[i] >= 0 && result.mesh.triangle[i] < result.mesh.nv);
}

static void fuzz_obj(const unsigned char *bytes, size_t size) { library_mesh("fuzz.obj", bytes, size); }
static void fuzz_stl(const unsigned char *bytes, size_t size) { library_mesh("fuzz.stl", bytes, size); }
static void fuzz_dae(const unsigned char *bytes, size_t size) { library_mesh("fuzz.dae", bytes, size); }

static slip_status heightmap_reader(const char *text, size_t size, slip_arena *mem, void *out, slip_error *err)
{
    return slip_heightmap_read("fuzz.map", text, size, NULL, mem, (slip_heightfield *)out, err);
}

static void fuzz_heightmap(const unsigned char *bytes, size_t size)
{
    slip_arena mem;

    if (library_read(heightmap_reader, bytes, size, &result, &mem))
        FUZZ_CHECK(slip_all_finite(result.field.height, result.field.nx*result.field.ny));
}

static slip_status problem_reader(const char *text, size_t size, slip_arena *mem, void *out, slip_error *err)
{
    return slip_problem_read(text, size, mem, (slip_problem *)out, err);
}

/* A problem that was read, given to every solver: impulses are numbers, whatever becomes of it. */
static void library_solve(const slip_problem *p)
{
    const size_t n = (size_t)p->n;
    slip_real *lambda = (slip_real *)malloc((n + 1)*sizeof *lambda);
    unsigned char *block = (unsigned char *)malloc(ROOM);
    int i;

    for (i = 0; i < slip_solver_count(); ++i) {
        slip_solver_options opt = slip_solver_defaults();
        slip_solution sol = slip_solution_over(lambda, NULL, NULL);
        slip_arena mem = slip_arena_over(block, ROOM);
        slip_status s;

        opt.max_iterations = 20;
        memset(lambda, 0, n*sizeof *lambda);
        s = slip_solve(slip_solver_get(i), p, &opt, &sol, &mem);
        FUZZ_CHECK(slip_all_finite(lambda, p->n));
        FUZZ_CHECK(s >= 0 || mem.low == 0);
    }
    free(block);
    free(lambda);
}

static void fuzz_problem(const unsigned char *bytes, size_t size)
{
    slip_arena mem;

    if (library_read(problem_reader, bytes, size, &result, &mem) && result.problem.n <= 60)
        library_solve(&result.problem);
}

static slip_status pairs_reader(const char *text, size_t size, slip_arena *mem, void *out, slip_error *err)
{
    const slip_status s = slip_pairs_read(text, size, mem, (slip_pairs *)out, err);

    if (s == SLIP_ERR_WORKSPACE) err->what[0] = '-';             /* it says no more than that */
    return s;
}

/* Pairs that were read, and their distances and contact points. */
static void fuzz_pairs(const unsigned char *bytes, size_t size)
{
    slip_arena mem;
    int i, k;

    if (!library_read(pairs_reader, bytes, size, &result, &mem)) return;
    for (i = 0; i < result.pairs.n; ++i) {
        const slip_shape_pair *p = &result.pairs.pair[i];
        slip_distance_result d;
        slip_patch patch;

        if (slip_distance(&p->a, &p->pose_a, &p->b, &p->pose_b, NULL, &d) >= 0)
            FUZZ_CHECK(slip_is_finite(d.distance) && slip_all_finite(d.normal, 3));
        if (slip_patch_find(&p->a, &p->pose_a, &p->b, &p->pose_b, SLIP_R(0.01), NULL, &patch) >= 0)
            for (k = 0; k < patch.n; ++k) FUZZ_CHECK(slip_all_finite(patch.point[k].point, 3));
    }
}

/* ---- XML by itself, scenes -------------------------------------------------------------------------- */

static void fuzz_xml(const unsigned char *bytes, size_t size)
{
    char *text = (char *)malloc(size > 0 ? size : 1);
    slip_xml *xml = (slip_xml *)malloc(sizeof *xml);
    slip_error err;
    size_t events = 0;

    memset(&err, 0, sizeof err);
    if (size > 0) memcpy(text, bytes, size);
    if (slip_xml_begin(xml, text, size, &err) == SLIP_OK)
        while (slip_xml_next(xml, &err) == SLIP_OK && xml->event != SLIP_XML_DONE)
            FUZZ_CHECK(++events <= 2*size + 2);                  /* it moves on */
    free(xml);
    free(text);
}

/* A scene, and the first steps of its world. Files that it names are looked for beside the seeds. */
static void fuzz_scene(const unsigned char *bytes, size_t size)
{
    static slip_scene scene;
    char *text = (char *)malloc(size > 0 ? size : 1);
    slip_arena mem = slip_arena_over(library_room(), ROOM);
    slip_world *world = NULL;
    slip_error err;
    slip_status s;
    int k;

    if (size > 0) memcpy(text, bytes, size);
    memset(&err, 0, sizeof err);
    s = slip_scene_read(text, size, "tests/fuzz/corpus/scene/fuzz.xml", NULL, &mem, &scene, NULL, &err);
    free(text);
    FUZZ_CHECK(mem.high == mem.size);
    FUZZ_CHECK(s >= 0 || (err.what[0] != '\0' && mem.low == 0));
    if (s < 0) return;
    scene.world.options.solve.max_iterations = 20;               /* the time of a step is bounded by these */
    s = slip_scene_start(&scene, &mem, &world, NULL, &err);
    FUZZ_CHECK(s >= 0 || err.what[0] != '\0');
    for (k = 0; s >= 0 && k < 3; ++k) {
        slip_scene_apply(&scene, world);
        s = slip_step(world);
        FUZZ_CHECK(slip_all_finite(slip_world_q(world), scene.model->nq));
        FUZZ_CHECK(slip_all_finite(slip_world_v(world), scene.model->nv));
    }
}

const fuzz_target fuzz_library[] = {
    { "xml", fuzz_xml },         { "urdf", fuzz_urdf },           { "srdf", fuzz_srdf },       { "obj", fuzz_obj },
    { "stl", fuzz_stl },         { "dae", fuzz_dae },             { "heightmap", fuzz_heightmap },
    { "problem", fuzz_problem }, { "pairs", fuzz_pairs },       { "scene", fuzz_scene },
#ifdef SLIP_FUZZ_MJCF
    { "mjcf", fuzz_mjcf },
#endif
    { NULL, NULL }
};
