/* slipstick export: a robot or a scene as C source for firmware. */
#include "export.h"
#include "export_fast.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "hostile.h"
#include "sim_run.h"
#include "output.h"

static const char export_help[] =
    "usage: slipstick export MODEL|SCENE --c FILE [OPTIONS]\n\n"
    "Writes a robot (URDF) or a scene as C source, FILE, and a header beside it: the compiled model, colliders,\n"
    "materials, loops, drives and the start as constant data, sizes of memory, places of the joints in q and v.\n"
    "A program that links it needs neither files nor readers, and computes the same bits as one that reads them.\n"
    "All names begin with FILE's own. Events and prescribed motions of a scene are not exported.\n\n"
    "  --c FILE            the source, FILE.c; the header is FILE.h\n"
    "  --fast              FILE_fast.c as well: FK, Jacobians, RNEA, CRBA, ABA, M^-1 and gravity as straight lines of\n"
    "                      C for this robot, for one state or (FILE_fast_x4.c, _x8.c) for 4 or 8 states at a time\n"
    "  --float             asks for single precision, which is that of the program: make REAL=float\n"
    "  --solvers A,B...    solvers that are linked; the first is the world's. Default: the scene's\n"
    "  --colliders A,B...  only colliders with one of these names, in which * and ? stand for any text, any letter\n"
    "  --max-contacts N    room for so many contacts; default: the scene's\n"
    "  --max-pairs N       room for so many candidate pairs; default: the scene's\n"
    "  --fixed             the root link of a MODEL is fixed to the world instead of floating\n"
    "  --steps N           steps in which stack and iterations are measured, and as many with random states and\n"
    "                      kicks: 1000\n"
    "  --package-path DIR  where the packages of package:// meshes are; may be repeated\n"
    "  --quiet             no warnings, nothing on stdout\n\n"
    "Exit code: 0 done, 1 a file cannot be read or written, or a step failed, 2 usage.\n\n"
    "example: slipstick export models/solo12_stand.xml --c build/solo.c --solvers ncp-pgs --max-contacts 4\n";

typedef struct {
    const char *input, *c, *colliders;
    const slip_solver *solvers[SOLVER_ARGS_MOST];
    int nsolvers, max_contacts, max_pairs, steps, fixed, quiet, fast;
    sim_changes changes;
} export_arguments;

/* ---- arguments --------------------------------------------------------------------------------------------- */

/* A list of solvers, separated by commas; 0 after a message. */
static int export_solvers(cli_args *args, export_arguments *a)
{
    const char *at = cli_value(args);
    char id[64];

    if (at && !*at) return cli_usage(args, "--solvers: expected ids of solvers; 'slipstick solvers' lists them"), 0;
    while (at && *at) {
        const size_t n = strcspn(at, ",");

        if (n >= sizeof id || a->nsolvers == SOLVER_ARGS_MOST)
            return cli_usage(args, "too many solvers, or no solver: %s", at), 0;
        memcpy(id, at, n);
        id[n] = '\0';
        a->solvers[a->nsolvers] = slip_solver_find(id);
        if (!a->solvers[a->nsolvers++])
            return cli_usage(args, "unknown solver '%s'; 'slipstick solvers' lists them", id), 0;
        at += n + (at[n] == ',');
    }
    return at != NULL && a->nsolvers > 0;
}

/* One option; 1 when it was understood. */
static int export_option(cli_args *args, export_arguments *a)
{
    if (cli_is(args, "--c")) return (a->c = cli_value(args)) != NULL;
    if (cli_is(args, "--float")) {
        if (sizeof(slip_real) == sizeof(float)) return 1;
        return cli_usage(args, "--float: this program computes in double; 'make REAL=float' builds one in float"), 0;
    }
    if (cli_is(args, "--solvers")) return export_solvers(args, a);
    if (cli_is(args, "--colliders")) return (a->colliders = cli_value(args)) != NULL;
    if (cli_is(args, "--max-contacts")) return cli_value_int(args, 1, 100000, &a->max_contacts);
    if (cli_is(args, "--max-pairs")) return cli_value_int(args, 1, 10000000, &a->max_pairs);
    if (cli_is(args, "--steps")) return cli_value_int(args, 1, 100000000, &a->steps);
    if (cli_is(args, "--fast")) return a->fast = 1;
    if (cli_is(args, "--fixed")) return a->fixed = 1;
    if (cli_is(args, "--package-path")) return cli_value_path(args, &a->changes.packages);
    if (cli_is(args, "--quiet")) return a->quiet = a->changes.quiet = 1;
    return cli_unknown(args), 0;
}

/* ---- the stack --------------------------------------------------------------------------------------------- */

/* Paints the stack below the caller, or returns how much of it has changed since. The array is reached through a
 * volatile pointer, so that compilers do not mind that it is read as the calls in between have left it. */
static size_t export_paint(int paint)
{
    enum { BYTES = 1 << 18, COLOUR = 0xA5 };
    unsigned char block[BYTES], *volatile hidden = block, *at = hidden;
    size_t i;

    if (paint) for (i = 0; i < BYTES; ++i) at[i] = COLOUR;
    for (i = 0; i < BYTES && at[i] == COLOUR; ++i) {}
    return BYTES - i;
}

static size_t (*volatile const export_stack)(int paint) = export_paint;      /* not inlined */

/* Steps of the hostile set (hostile.h), kicks of 3 m/s and rad/s every 20 steps. A step that is refused begins anew. */
static void export_hostile(const export_robot *r, slip_world *w, int steps, export_worst *worst)
{
    hostile h = hostile_begin(r->q, r->v, 3, 20);
    int k, bin;

    slip_world_options_of(w)->step_iterations = 1000000000;      /* counts, and suffices */
    for (k = 0; k < steps; ++k) {
        const slip_step_stats *t = slip_world_stats(w);

        hostile_before(&h, w);
        if (slip_step(w) < 0) { hostile_restart(&h, w);  continue; }
        if (t->budget_taken > worst->iterations) worst->iterations = t->budget_taken;
        if (t->contacts > worst->contacts) worst->contacts = t->contacts;
        for (bin = 0; bin < EXPORT_BINS - 1 && 1 << bin <= 2*t->contacts - 1; ++bin) { }
        if (t->budget_taken > worst->by[bin]) worst->by[bin] = t->budget_taken;
    }
}

static void export_say_worst(const export_worst *worst, int steps)
{
    int bin;

    printf("worst of %d hostile steps: %ld iterations of a budget, %d contacts; by contacts:", steps, worst->iterations,
           worst->contacts);
    for (bin = 0; bin < EXPORT_BINS; ++bin)
        if (worst->by[bin] > 0)
            printf(" %s%d: %ld", bin > 1 ? "to " : "", bin > 0 ? 1 << (bin - 1) : 0, worst->by[bin]);
    puts("\nworst instructions on two microcontrollers: sh tools/embedded.sh DIST DOUBLE FLOAT OUT SCENE "
         "(docs/embedded.md)");
}

/* Makes the world, steps it, and then through the hostile set; the deepest stack, or 0 after a message. */
static size_t export_run(const slip_scene *scene, const slip_world_def *def, int steps, export_robot *r)
{
    slip_scene copy = *scene;
    slip_arena mem;
    slip_world *w;
    slip_error err;
    slip_status s;
    void *block;
    size_t bytes;
    int k;

    copy.world = *def;
    copy.has_barrier = 1;                                /* the options have it */
    bytes = slip_world_bytes(def);
    block = cli_alloc(bytes);
    mem = slip_arena_over(block, bytes);
    slip_error_clear(&err);
    export_stack(1);
    s = slip_scene_start(&copy, &mem, &w, NULL, &err);
    for (k = 0; k < steps && s >= 0; ++k) s = slip_step(w);
    if (s >= 0) export_hostile(r, w, steps, &r->worst);
    bytes = export_stack(0);
    if (s < 0) {
        cli_error(k > 0 ? slip_world_error(w) : &err);
        bytes = 0;
    }
    free(block);
    return bytes;
}

/* ---- writing ----------------------------------------------------------------------------------------------- */

/* "dir/robot.c" into the names of the header's file, its own name, and the prefix "robot"; 0 after a message. */
static int export_names(const cli_args *args, const char *path, char *header, char *name, size_t room)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const size_t n = strlen(path), stem = strlen(base);
    size_t i;

    if (stem < 3 || strcmp(base + stem - 2, ".c") != 0 || n >= room)
        return cli_usage(args, "--c %s: expected the name of a file that ends in .c", path), 0;
    strcpy(header, path);
    header[n - 1] = 'h';
    for (i = 0; i + 2 < stem; ++i) name[i] = isalnum((unsigned char)base[i]) ? base[i] : '_';
    name[stem - 2] = '\0';
    if (isdigit((unsigned char)name[0]))
        return cli_usage(args, "--c %s: names in C do not begin with a digit", path), 0;
    if (strcmp(name, "slip") != 0 && strncmp(name, "slip_", 5) != 0 && strcmp(name, "slipstick") != 0
        && strcmp(name, "slipstick_parts") != 0) return 1;
    return cli_usage(args, "--c %s: names that begin with '%s' are the library's own", path, name), 0;
}

static int export_write(const char *path, const export_robot *r, void (*put)(FILE *, const export_robot *))
{
    FILE *f = output_open("export", path);

    if (!f) return 0;
    put(f, r);
    return output_close("export", path, f);
}

/* Whether one of a list of patterns, separated by commas, matches a name. */
static int export_matches(const char *list, const char *name)
{
    char pattern[256];

    for (;;) {
        const size_t n = strcspn(list, ",");

        if (n < sizeof pattern) {
            memcpy(pattern, list, n);
            pattern[n] = '\0';
            if (slip_text_matches(pattern, name)) return 1;
        }
        if (list[n] == '\0') return 0;
        list += n + 1;
    }
}

/* The colliders that were asked for, in memory for the caller to free; 0 after a message. */
static slip_collider_def *export_choose(const export_arguments *a, slip_world_def *def)
{
    slip_collider_def *chosen = (slip_collider_def *)cli_alloc(((size_t)def->ncolliders + 1)*sizeof *chosen);
    int i, n = 0;

    for (i = 0; i < def->ncolliders; ++i)
        if (!a->colliders || export_matches(a->colliders, def->colliders[i].name ? def->colliders[i].name : ""))
            chosen[n++] = def->colliders[i];
    def->colliders = chosen;
    def->ncolliders = n;
    if (n > 0 || !a->colliders) return chosen;
    cli_fail("export", "--colliders %s: no collider has such a name", a->colliders);
    free(chosen);
    return NULL;
}

/* Fills in the sizes; 0 after a message. */
static int export_measure(const slip_scene *scene, slip_world_def *def, const export_arguments *a, export_robot *r)
{
    int i;

    for (i = r->nsolvers - 1; i >= 0; --i) {             /* the first one last: it stays in def */
        size_t bytes, stack;

        def->options.solver = r->solvers[i];
        bytes = slip_world_bytes(def);
        if (bytes == 0) return cli_fail("export", "a world with %s cannot be made", r->solvers[i]->id), 0;
        stack = export_run(scene, def, a->steps, r);
        if (stack == 0) return 0;
        if (bytes > r->arena_bytes) r->arena_bytes = bytes;
        if (stack > r->stack_bytes) r->stack_bytes = stack;
    }
    r->data_bytes = slip_data_bytes(r->model);
    return 1;
}

static int export_all(const cli_args *args, const export_arguments *a, const sim_session *s)
{
    const slip_scene *scene = &s->scene;
    slip_world_def def = scene->world;
    char header[1024], name[1024];
    slip_collider_def *chosen;
    export_robot r;
    const char *slash;
    int ok;

    memset(&r, 0, sizeof r);
    if (!export_names(args, a->c, header, name, sizeof header)) return CLI_USAGE;
    chosen = export_choose(a, &def);
    if (!chosen) return CLI_FAILED;
    def.options = *slip_world_options_of(s->world);
    if (a->max_contacts > 0) def.options.max_contacts = a->max_contacts;
    if (a->max_pairs > 0) def.options.max_pairs = a->max_pairs;
    r.solvers = a->nsolvers > 0 ? a->solvers : (const slip_solver *const *)&scene->world.options.solver;
    r.nsolvers = a->nsolvers > 0 ? a->nsolvers : 1;
    slash = strrchr(header, '/');
    r.header = slash ? slash + 1 : header;
    slash = strrchr(a->input, '/');
    r.source = slash ? slash + 1 : a->input;
    r.name = name;
    r.model = scene->model;
    r.world = &def;
    r.q = scene->q;
    r.v = scene->v;
    r.drives = scene->drives;
    if (scene->nevents + scene->nmoves > 0 && !a->quiet)
        fprintf(stderr, "slipstick export: %d events and prescribed motions are left out\n",
                scene->nevents + scene->nmoves);
    ok = export_measure(scene, &def, a, &r) && export_write(a->c, &r, export_source)
        && export_write(header, &r, export_header);
    if (ok && !a->quiet) {
        printf("%s, %s: %d bodies, nq %d, nv %d, %d colliders\ndata %zu B, arena %zu B, stack %zu B\n", a->c, header,
               r.model->nbodies - 1, r.model->nq, r.model->nv, def.ncolliders, r.data_bytes, r.arena_bytes,
               r.stack_bytes);
        export_say_worst(&r.worst, a->steps);
    }
    if (ok && a->fast) {
        char prefix[1024];

        strcpy(prefix, a->c);
        prefix[strlen(prefix) - 2] = '\0';
        ok = export_fast(prefix, &r, a->quiet);
    }
    free(chosen);
    return ok ? CLI_OK : CLI_FAILED;
}

/* ---- reading ----------------------------------------------------------------------------------------------- */

/* A robot is exported as the scene that has nothing else. 0 after a message. */
static int export_open(const export_arguments *a, sim_session *s)
{
    sim_changes changes = a->changes;
    size_t length;
    char *text = cli_read_file("export", a->input, &length), *scene, scratch[1400];
    int ok;

    if (!text) return 0;
    scene = strstr(text, "<scene");
    if (scene && (!strstr(text, "<robot") || scene < strstr(text, "<robot"))) {
        if (a->fixed) cli_fail("export", "%s: --fixed is for a MODEL; in a scene a robot has base=\"fixed\"", a->input);
        ok = !a->fixed && sim_open_text("export", text, length, a->input, &a->changes, s);
    } else if (strcmp(a->input, "-") == 0) {
        ok = 0;
        cli_fail("export", "-: only a scene can come from standard input; a robot must be a file");
    } else if (strpbrk(a->input, "\"<>&") || strlen(a->input) > 1000) {
        ok = 0;
        cli_fail("export", "%s: a robot must be a file whose name has none of \" < > &", a->input);
    } else {
        const char *slash = strrchr(a->input, '/');

        sprintf(scratch, "<scene><robot file=\"%s\"%s/></scene>", slash ? slash + 1 : a->input,
                a->fixed ? " base=\"fixed\"" : " base=\"free\"");
        changes.repair = -1;                                   /* firmware gets no inertia that nobody has measured */
        ok = sim_open_text("export", scratch, strlen(scratch), a->input, &changes, s);
        if (!ok && !a->fixed) cli_fail("export", "is the root link fixed to the world? Then --fixed");
    }
    free(text);
    return ok;
}

int slip_cmd_export(int argc, char **argv)
{
    export_arguments a;
    sim_session s;
    cli_args args;
    int kind, code;

    memset(&a, 0, sizeof a);
    a.steps = 1000;
    cli_begin(&args, argc, argv);
    while ((kind = cli_next(&args)) != 0) {
        if (kind == 1 && (cli_is(&args, "--help") || cli_is(&args, "-h"))) return fputs(export_help, stdout), CLI_OK;
        if (kind == 1 && !export_option(&args, &a)) return CLI_USAGE;
        if (kind == 2 && a.input) return cli_usage(&args, "one model or scene at a time");
        if (kind == 2) a.input = args.value;
    }
    if (!a.input || !a.c) return cli_usage(&args, "expected a MODEL or SCENE, and --c FILE");
    if (a.nsolvers > 0) {
        a.changes.solve.list[0] = a.solvers[0];
        a.changes.solve.count = 1;
    }
    if (!export_open(&a, &s)) return CLI_FAILED;
    code = export_all(&args, &a, &s);
    sim_close(&s);
    return code;
}
