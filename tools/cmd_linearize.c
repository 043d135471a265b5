/* slipstick linearize: the derivative of one step of a scene, as JSON or CSV. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include "output.h"
#include "sim_run.h"

static void lin_help(void)
{
    fputs("usage: slipstick linearize SCENE [--time T] [--csv FILE] [OPTIONS]\n\n"
          "Runs a scene to the time T and differentiates its next step there: x+ = A x + B u for small changes, x\n"
          "tangent vectors of q and then v, u joint forces and the targets of drives. JSON on standard output: A, B,\n"
          "B_q_ref, B_v_ref, names of the coordinates, contacts, and whether the derivative exists\n"
          "(docs/derivatives.md).\n\n"
          "  --time T             seconds from the start; default 0\n"
          "  --csv FILE           a table instead: a row for each number of x+, a column for each of x and u\n"
          "  --param LIST         columns of parameters as well: any of friction, restitution, stiffness, damping (of\n"
          "                       each contact), density (of each body's mass and inertia together), wrench (on each)\n"
          "  --euler              steps by integrator euler, whatever the scene says\n"
          "  --eps E              contacts within E (relative) of another mode are listed; default 1e-6\n"
          "  --tol T              tolerance of the step's contact problem; default 1e-10 (float: 1e-6)\n"
          "  --package-path DIR   where package:// meshes are; may be repeated\n"
          "  --quiet              no warnings\n\n"
          "Exit code: 0 the derivative exists, 1 it does not or the scene cannot be used, 2 usage.\n\n"
          "example: slipstick linearize models/ball_drop.xml --time 0.2\n", stdout);
}

/* Groups of columns that --param names, and how many each contact or body has. */
enum { LIN_FRICTION, LIN_RESTITUTION, LIN_STIFFNESS, LIN_DAMPING, LIN_DENSITY, LIN_WRENCH, LIN_PARAMS };
static const char *const lin_params[LIN_PARAMS] = { "friction", "restitution", "stiffness", "damping", "density",
                                                    "wrench" };

typedef struct {
    const slip_model *m;
    const int *params;           /* [LIN_PARAMS] 1: wanted */
    const slip_world *world;
    const slip_step_jacobian *J;
    slip_status status;
} lin_result;

/* The name of coordinate iv: its joint's, with a number behind it where that has several. */
static void lin_name(const slip_model *m, int iv, char *name, int size)
{
    int d = 0, b, n;

    while (m->dof_iv[d] != iv || m->mimics[m->dof_body[d]]) ++d;
    b = m->dof_body[d];
    n = slip_joint_nv((slip_joint_type)m->type[b]);
    slip_format(name, size, n > 1 ? "%s.%d" : "%s", m->joint_name[m->body_joint[b]], d - m->idof[b]);
}

static void lin_number(FILE *out, slip_real x)
{
    char number[SLIP_NUMBER_SIZE];

    slip_print_real(x, SLIP_REAL_DIGITS, number);
    fputs(number, out);
}

/* First column of a group, and how many it has. */
static int lin_first(const lin_result *r, int param, int *columns)
{
    const slip_step_jacobian *J = r->J;
    const int first[LIN_PARAMS] = { J->friction, J->restitution, J->stiffness, J->damping, J->density, J->wrench };

    *columns = param < LIN_DENSITY ? J->nc : param == LIN_DENSITY ? r->m->nbodies : 6*r->m->nbodies;
    return first[param];
}

/* The first rows of D, columns from `first` on. */
static void lin_matrix(const lin_result *r, const char *name, int first, int columns)
{
    int i, k;

    printf("  \"%s\": [\n", name);
    for (i = 0; i < 2*r->m->nv; ++i) {
        fputs("    [", stdout);
        for (k = 0; k < columns; ++k) {
            if (k > 0) fputs(", ", stdout);
            lin_number(stdout, r->J->D[i*r->J->columns + first + k]);
        }
        puts(i + 1 < 2*r->m->nv ? "]," : "]");
    }
    fputs("  ]", stdout);
}

static void lin_contacts(const lin_result *r)
{
    int i;

    fputs("  \"contacts\": [", stdout);
    for (i = 0; i < r->J->nc; ++i) {
        const slip_contact_info c = slip_contact_get(r->world, i);

        fputs(i > 0 ? ",\n    {\"a\": " : "\n    {\"a\": ", stdout);
        cli_json_text(stdout, c.name_a);
        fputs(", \"b\": ", stdout);
        cli_json_text(stdout, c.name_b);
        fputs(", \"gap\": ", stdout);
        lin_number(stdout, c.gap);
        printf(", \"state\": \"%s\"}", slip_contact_state_name(c.state));
    }
    fputs(r->J->nc > 0 ? "\n  ],\n  \"border\": [" : "],\n  \"border\": [", stdout);
    for (i = 0; i < r->J->nborder; ++i) printf(i > 0 ? ", %d" : "%d", r->J->border[i]);
    puts("],");
}

static void lin_json(const lin_result *r, double time, double dt)
{
    const int nv = r->m->nv;
    char name[300];
    int i;

    printf("{\n  \"time\": %.17g, \"dt\": %.17g, \"nv\": %d,\n", time, dt, nv);
    printf("  \"exists\": %s, \"unique\": %s, \"left\": ", r->status == SLIP_OK ? "true" : "false",
           r->J->unique ? "true" : "false");
    lin_number(stdout, r->J->left);
    fputs(",\n  \"coordinates\": [", stdout);
    for (i = 0; i < nv; ++i) {
        lin_name(r->m, i, name, (int)sizeof name);
        if (i > 0) fputs(", ", stdout);
        cli_json_text(stdout, name);
    }
    puts("],");
    lin_contacts(r);
    lin_matrix(r, "A", r->J->q, 2*nv);
    puts(",");
    lin_matrix(r, "B", r->J->tau, nv);
    puts(",");
    lin_matrix(r, "B_q_ref", r->J->q_ref, nv);
    puts(",");
    lin_matrix(r, "B_v_ref", r->J->v_ref, nv);
    for (i = 0; i < LIN_PARAMS; ++i) {
        int columns, first = lin_first(r, i, &columns);

        if (!r->params[i]) continue;
        puts(",");
        slip_format(name, (int)sizeof name, "by_%s", lin_params[i]);
        lin_matrix(r, name, first, columns);
    }
    puts("\n}");
}

static int lin_csv(const lin_result *r, const char *path)
{
    static const char *const group[5] = { "q", "v", "tau", "q_ref", "v_ref" };
    const int nv = r->m->nv;
    FILE *out = output_open("linearize", path);
    char name[300];
    int i, k, p, columns;

    if (!out) return CLI_FAILED;
    fputs("row", out);
    for (k = 0; k < 5*nv; ++k) {
        lin_name(r->m, k % nv, name, (int)sizeof name);
        fprintf(out, ",%s_%s", group[k/nv], name);
    }
    for (p = 0; p < LIN_PARAMS; ++p) {
        lin_first(r, p, &columns);
        for (k = 0; r->params[p] && k < columns; ++k) fprintf(out, ",%s_%d", lin_params[p], k);
    }
    for (i = 0; i < 2*nv; ++i) {
        lin_name(r->m, i % nv, name, (int)sizeof name);
        fprintf(out, "\n%s_%s", group[i/nv], name);
        for (k = 0; k < 5*nv; ++k) {
            fputc(',', out);
            lin_number(out, r->J->D[i*r->J->columns + k]);
        }
        for (p = 0; p < LIN_PARAMS; ++p) {
            const int first = lin_first(r, p, &columns);

            for (k = 0; r->params[p] && k < columns; ++k) {
                fputc(',', out);
                lin_number(out, r->J->D[i*r->J->columns + first + k]);
            }
        }
    }
    fputc('\n', out);
    return output_close("linearize", path, out) ? CLI_OK : CLI_FAILED;
}

/* Steps until the time, then the derivative; the session is open. */
static int lin_run(sim_session *session, double time, double eps, double tol, const int *params, const char *csv)
{
    slip_world_options *o = slip_world_options_of(session->world);
    const size_t bytes = slip_step_jacobian_bytes(session->world);
    const double dt = (double)o->dt;
    unsigned inputs = SLIP_BY_STATE | SLIP_BY_TAU | SLIP_BY_DRIVES;
    slip_arena mem;
    slip_step_jacobian J;
    lin_result r;
    void *block;
    int code;

    while ((double)slip_world_time(session->world) < time - dt/2)
        if (slip_step(session->world) < 0) return cli_fail("linearize", "%s", slip_world_error(session->world)->what);
    time = (double)slip_world_time(session->world);
    o->solve.tol = (slip_real)tol;
    o->reuse = 0;
    block = cli_alloc(bytes);
    mem = slip_arena_over(block, bytes);
    for (code = 0; code < LIN_DENSITY; ++code) if (params[code]) inputs |= SLIP_BY_MATERIAL;
    if (params[LIN_DENSITY]) inputs |= SLIP_BY_DENSITY;
    if (params[LIN_WRENCH]) inputs |= SLIP_BY_WRENCH;
    r.status = slip_step_derivatives(session->world, inputs, (slip_real)eps, &mem, &J);
    if (r.status < 0) {
        cli_fail("linearize", "%s", r.status == SLIP_ERR_WORKSPACE ? slip_status_text(r.status)
                 : slip_world_error(session->world)->what);
        free(block);
        return CLI_FAILED;
    }
    if (r.status > 0)
        fprintf(stderr, "slipstick linearize: %s\n", r.status == SLIP_DEGENERATE
                ? "contacts are at the border of two modes: the derivative is one-sided" : slip_status_text(r.status));
    r.m = slip_world_model(session->world);
    r.world = session->world;
    r.J = &J;
    r.params = params;
    code = csv ? lin_csv(&r, csv) : CLI_OK;
    if (!csv) lin_json(&r, time, dt);
    free(block);
    return code == CLI_OK && r.status != SLIP_OK ? CLI_FAILED : code;
}

/* Marks the groups in a list such as "friction,density"; 0 after a message. */
static int lin_read_params(cli_args *args, int *params)
{
    const char *at = cli_value(args), *end;
    int i;

    if (!at) return 0;
    for (;; at = end + 1) {
        end = strchr(at, ',');
        if (!end) end = at + strlen(at);
        for (i = 0; i < LIN_PARAMS; ++i)
            if (strlen(lin_params[i]) == (size_t)(end - at) && memcmp(at, lin_params[i], (size_t)(end - at)) == 0)
                break;
        if (i == LIN_PARAMS) {
            cli_usage(args, "--param: '%.*s' is none of friction, restitution, stiffness, damping, density, wrench",
                      (int)(end - at), at);
            return 0;
        }
        params[i] = 1;
        if (!*end) return 1;
    }
}

int slip_cmd_linearize(int argc, char **argv)
{
    const char *path = NULL, *csv = NULL;
    double time = 0, eps = 1e-6, tol = (double)SLIP_TOL(1e-10, 1e-6);
    int kind, euler = 0, code, params[LIN_PARAMS] = { 0 };
    sim_session session;
    sim_changes changes;
    cli_args args;

    memset(&changes, 0, sizeof changes);
    cli_begin(&args, argc, argv);
    while ((kind = cli_next(&args)) != 0) {
        if (kind == 2) {
            if (path) return cli_usage(&args, "too many arguments: '%s'", args.value);
            path = args.value;
        } else if (cli_is(&args, "--help") || cli_is(&args, "-h")) {
            lin_help();
            return CLI_OK;
        } else if (cli_is(&args, "--time")) {
            if (!cli_value_real(&args, 0, 1e6, &time)) return CLI_USAGE;
        } else if (cli_is(&args, "--eps")) {
            if (!cli_value_real(&args, 1e-15, 1, &eps)) return CLI_USAGE;
        } else if (cli_is(&args, "--tol")) {
            if (!cli_value_real(&args, 1e-15, 1, &tol)) return CLI_USAGE;
        } else if (cli_is(&args, "--csv")) {
            if (!(csv = cli_value(&args))) return CLI_USAGE;
        } else if (cli_is(&args, "--param")) {
            if (!lin_read_params(&args, params)) return CLI_USAGE;
        } else if (cli_is(&args, "--euler")) euler = 1;
        else if (cli_is(&args, "--quiet")) changes.quiet = 1;
        else if (cli_is(&args, "--package-path")) {
            if (!cli_value_path(&args, &changes.packages)) return CLI_USAGE;
        } else return cli_unknown(&args);
    }
    if (!path) return cli_usage(&args, "SCENE is needed");
    if (!sim_open("linearize", path, &changes, &session)) return CLI_FAILED;
    if (euler) slip_world_options_of(session.world)->integrator = SLIP_EULER;
    code = lin_run(&session, time, eps, tol, params, csv);
    sim_close(&session);
    return code;
}
