/* slipstick info: the contents of a model, as a tree and tables or as JSON. A model that can be read but not
 * simulated is shown all the same, with the reason. */
#include "info.h"
#include "sim_run.h"

#include <stdlib.h>
#include <string.h>

static const char info_help[] =
    "usage: slipstick info MODEL [--free] [--strict] [--repair X] [--package-path DIR]... [--json] [--ascii]\n\n"
    "Shows a robot, URDF or MJCF: its tree of links with masses, joints, freedoms (places in v), limits, friction and\n"
    "mimics; its shapes; what 'slipstick sim MODEL' would do with it; and everything in the file that was ignored,\n"
    "taken otherwise or looks wrong.\n\n"
    "  --free               the root link floats on a joint called root_joint\n"
    "  --strict             the first warning is an error\n"
    "  --repair armature=X  gives joints that move nothing that has inertia a rotor's, X kg m^2 (kg where they slide)\n"
    "  --package-path DIR   where the packages of package:// meshes are; may be repeated\n"
    "  --json               one JSON object instead: every number of the model, SI units\n"
    "  --ascii              draw the tree with - and | (the default where the locale is not UTF-8)\n"
    "  MODEL may be - for standard input\n\n"
    "Exit status: 0 the model can be read, 1 it cannot, 2 wrong usage.\n\n"
    "example: slipstick info models/gripper.urdf\n";

/* ---- loading ------------------------------------------------------------------------------------- */

static void info_keep_warning(void *context, const slip_error *warning)
{
    info_model *m = (info_model *)context;

    if (m->nwarnings == m->warning_room) {
        const int room = m->warning_room ? 2*m->warning_room : 16;
        slip_error *more = (slip_error *)cli_alloc((size_t)room*sizeof *more);

        if (m->nwarnings) memcpy(more, m->warnings, (size_t)m->nwarnings*sizeof *more);
        free(m->warnings);
        m->warnings = more;
        m->warning_room = room;
    }
    m->warnings[m->nwarnings++] = *warning;
}

/* Reads in growing blocks without messages, then once more for the warnings. */
static slip_status info_read(info_model *m, const char *text, size_t length, const slip_urdf_options *opt,
                             slip_report *report)
{
    size_t bytes = ((size_t)1 << 20) + 64*length;
    slip_status s = SLIP_ERR_WORKSPACE;
    slip_arena mem;

    for (; s == SLIP_ERR_WORKSPACE && bytes <= CLI_MOST_BYTES; bytes *= 4) {
        free(m->blocks[0]);
        m->blocks[0] = cli_alloc(bytes);
        mem = slip_arena_over(m->blocks[0], bytes);
        s = slip_robot_read(text, length, m->file, opt, &mem, &m->urdf, NULL, &m->error);
    }
    if (s < 0) return s;
    mem = slip_arena_over(m->blocks[0], bytes/4);
    return slip_robot_read(text, length, m->file, opt, &mem, &m->urdf, report, &m->error);
}

/* Builds in growing blocks without messages, then once more for the warnings. */
static slip_status info_build(info_model *m, slip_report *report)
{
    size_t bytes = (size_t)1 << 18;
    slip_status s = SLIP_ERR_WORKSPACE;
    slip_arena mem;

    for (; s == SLIP_ERR_WORKSPACE && bytes <= CLI_MOST_BYTES; bytes *= 4) {
        free(m->blocks[1]);
        m->blocks[1] = cli_alloc(bytes);
        mem = slip_arena_over(m->blocks[1], bytes);
        slip_error_clear(&m->error);
        slip_error_set_file(&m->error, m->file);
        s = slip_model_build(&m->urdf.def, &mem, &m->model, NULL, &m->error);
    }
    if (s < 0) return s;
    mem = slip_arena_over(m->blocks[1], bytes/4);
    return slip_model_build(&m->urdf.def, &mem, &m->model, report, &m->error);
}

/* Children in the file's order of joints, and the order of drawing: depth first, without recursion. */
static void info_arrange(info_model *m)
{
    const slip_model_def *def = &m->urdf.def;
    const size_t n = (size_t)def->nlinks;
    int *block = (int *)cli_alloc(6*n*sizeof(int)), *stack = block + 5*n;
    int i, top = 0, count = 0;

    m->above = block;
    m->child = block + n;
    m->sibling = block + 2*n;
    m->order = block + 3*n;
    m->depth = block + 4*n;
    for (i = 0; i < def->nlinks; ++i) m->above[i] = m->child[i] = m->sibling[i] = -1;
    for (i = def->njoints - 1; i >= 0; --i) {
        const slip_joint_def *j = &def->joints[i];

        m->above[j->child] = i;
        if (j->parent < 0) continue;
        m->sibling[j->child] = m->child[j->parent];
        m->child[j->parent] = j->child;
    }
    for (i = def->nlinks - 1; i >= 0; --i) {
        if (info_parent(m, i) >= 0) continue;
        m->depth[i] = 0;
        stack[top++] = i;
    }
    while (top > 0) {
        const int link = stack[--top];

        m->order[count++] = link;
        if (m->sibling[link] >= 0) {                           /* waits until the subtree is drawn */
            m->depth[m->sibling[link]] = m->depth[link];
            stack[top++] = m->sibling[link];
        }
        if (m->child[link] >= 0) {
            m->depth[m->child[link]] = m->depth[link] + 1;
            stack[top++] = m->child[link];
        }
    }
}

static void info_free(info_model *m)
{
    free(m->above);
    free(m->warnings);
    free(m->blocks[0]);
    free(m->blocks[1]);
}

/* ---- questions ----------------------------------------------------------------------------------- */

int info_parent(const info_model *m, int link)
{
    return m->above[link] < 0 ? -1 : m->urdf.def.joints[m->above[link]].parent;
}

int info_v(const info_model *m, int joint, int *first)
{
    const slip_joint_def *j = &m->urdf.def.joints[joint];

    if (!m->model || j->mimic >= 0 || m->model->joint_body[joint] < 0) return 0;
    *first = m->model->dof_iv[m->model->idof[m->model->joint_body[joint]]];
    return slip_joint_nv(j->type);
}

int info_q(const info_model *m, int joint, int *first)
{
    const slip_joint_def *j = &m->urdf.def.joints[joint];

    if (!m->model || j->mimic >= 0 || m->model->joint_body[joint] < 0) return 0;
    *first = m->model->iq[m->model->joint_body[joint]];
    return slip_joint_nq(j->type);
}

double info_mass(const info_model *m)
{
    double sum = 0;
    int i;

    for (i = 0; i < m->urdf.def.nlinks; ++i) sum += (double)m->urdf.def.links[i].mass;
    return sum;
}

const char *info_shape_name(slip_shape_kind kind) { return slip_shape_kind_name(kind); }

/* ---- the command --------------------------------------------------------------------------------- */

/* Whether the environment promises a terminal that shows UTF-8. */
static int info_has_utf8(void)
{
    static const char *const names[3] = { "LC_ALL", "LC_CTYPE", "LANG" };
    const char *value = NULL;
    int i;

    for (i = 0; i < 3 && !(value && *value); ++i) value = getenv(names[i]);
    if (!value) return 0;
    return strstr(value, "UTF-8") || strstr(value, "utf-8") || strstr(value, "UTF8") || strstr(value, "utf8");
}

/* What sim would do with the robot. */
static void info_foretell(info_model *m, const char *text, size_t length, const slip_urdf_options *opt, double repair)
{
    sim_changes changes;

    memset(&changes, 0, sizeof changes);
    changes.quiet = 1;
    changes.repair = repair;
    changes.base = opt->free_base;
    for (; changes.packages.n < opt->npackage_paths; ++changes.packages.n)
        changes.packages.dir[changes.packages.n] = opt->package_paths[changes.packages.n];
    sim_describe_text(text, length, m->file, &changes, m->sim, &m->sim_free);
}

static int info_run(const char *path, const slip_urdf_options *opt, double repair, int strict, int json, int ascii)
{
    info_model m;
    slip_report report;
    size_t length;
    char *text = cli_read_file("info", path, &length);
    slip_status s;

    if (!text) return CLI_FAILED;
    memset(&m, 0, sizeof m);
    m.file = strcmp(path, "-") == 0 ? "(standard input)" : path;
    memset(&report, 0, sizeof report);
    report.warn = info_keep_warning;
    report.context = &m;
    report.strict = strict;
    s = info_read(&m, text, length, opt, &report);
    if (s == SLIP_OK) {
        if (repair > 0) m.urdf.def.repair_armature = (slip_real)repair;
        s = info_build(&m, &report);
        if (s < 0) m.model = NULL;
        info_arrange(&m);
        if (s >= 0 && m.urdf.root >= 0) info_foretell(&m, text, length, opt, repair);
        if (json) info_print_json(stdout, &m);
        else      info_print_text(stdout, &m, ascii);
    }
    if (s < 0) cli_error(&m.error);
    free(text);
    info_free(&m);
    return s < 0 ? CLI_FAILED : CLI_OK;
}

int slip_cmd_info(int argc, char **argv)
{
    const char *path = NULL;
    cli_paths paths = { { NULL }, 0 };
    slip_urdf_options opt = slip_urdf_defaults();
    int kind, strict = 0, json = 0, ascii = !info_has_utf8();
    double repair = 0;
    cli_args args;

    cli_begin(&args, argc, argv);
    while ((kind = cli_next(&args)) != 0) {
        if (kind == 2) {
            if (path) return cli_usage(&args, "too many arguments: '%s'", args.value);
            path = args.value;
        } else if (cli_is(&args, "--help") || cli_is(&args, "-h")) {
            fputs(info_help, stdout);
            return CLI_OK;
        } else if (cli_is(&args, "--free"))   opt.free_base = 1;
        else if (cli_is(&args, "--strict")) strict = 1;
        else if (cli_is(&args, "--json"))   json = 1;
        else if (cli_is(&args, "--ascii"))  ascii = 1;
        else if (cli_is(&args, "--repair")) {
            if (!cli_value_repair(&args, &repair)) return CLI_USAGE;
        } else if (cli_is(&args, "--package-path")) {
            if (!cli_value_path(&args, &paths)) return CLI_USAGE;
        } else return cli_unknown(&args);
    }
    opt.package_paths = paths.dir;
    opt.npackage_paths = paths.n;
    if (!path) return cli_usage(&args, "a MODEL is needed");
    return info_run(path, &opt, repair, strict, json, ascii);
}
