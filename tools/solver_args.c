/* Options of contact solvers on the command line. See solver_args.h. */
#include "solver_args.h"

#include <string.h>

const char solver_args_help_solver[] =
    "  --solver ID       contact solver; 'slipstick solvers' lists them\n"
    "  --like ENGINE     solver, contact law and step of an engine (docs/engines.md): ode bullet physx dart mujoco\n"
    "                    drake raisim dojo simple chrono scs\n";

const char solver_args_help_options[] =
    "Options of solvers; one that does not read an option ignores it, with a warning:\n"
    "  --tol X           tolerance; --abs-tol X, --rel-tol X: strictly absolute, relative in all criteria\n"
    "  --max-iter N      iteration limit            --stop true|printed|count   criterion: true, the paper's, N sweeps\n"
    "  --step max|min|block   step of the Gauss-Seidel solvers           --relaxation X   their over-relaxation\n"
    "  --alpha X, --alpha-decay X, --alpha-min X    relaxation of the raisim solvers (HW Alg. 2)\n"
    "  --rho X, --rho-rule spectral|linear|fixed, --rho-tube X, --rho-power X, --rho-factor X, --rho-every N,\n"
    "  --over-relaxation X, --eta X                 ADMM (CR Alg. 1)     --sweeps N   at most, of default: real time\n"
    "  --facets K        of the pyramid (lcp-lemke) --regularization X    of ccp-newton\n"
    "  --barrier T[,S[,F]]   weight and elastic slope of ccp-barrier, target of ncp-ipm and ncp-path\n"
    "  --r-min X, --r-max X, --d-max X              R of ccp-barrier by distance (TO eq. 24)\n"
    "  --cold            every solve starts from zero                    --patience N   sweeps until a stall\n";

/* ---- taking ------------------------------------------------------------------------------------------ */

/* "rho_rule" for "--rho-rule"; 0 when that does not fit. */
static int sargs_scene_name(const char *option, char *name, size_t size)
{
    size_t i;

    if (strncmp(option, "--", 2) != 0 || strlen(option + 2) >= size) return 0;
    for (i = 0; option[i + 2]; ++i) name[i] = (char)(option[i + 2] == '-' ? '_' : option[i + 2]);
    name[i] = '\0';
    return 1;
}

/* The name in the library's table, which outlives the arguments; NULL when there is none. */
static const char *sargs_known(const char *name)
{
    int i;

    for (i = 0; i < slip_solver_option_count(); ++i)
        if (strcmp(slip_solver_option_name(i), name) == 0) return slip_solver_option_name(i);
    return NULL;
}

/* Adds an option; 0 when its value is not allowed, *err then says what is expected. */
static int sargs_add(solver_args *a, const char *name, const char *value, int length, slip_error *err)
{
    slip_solver_options trial = slip_solver_defaults();

    slip_error_clear(err);
    if (slip_solver_option_set(&trial, name, value, length, err) < 0) return 0;
    if (a->options == SOLVER_ARGS_MOST || length >= SOLVER_ARGS_VALUE)
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "too many options, or a value too long"), 0;
    a->name[a->options] = sargs_known(name);
    memcpy(a->value[a->options], value, (size_t)length);
    a->value[a->options++][length] = '\0';
    return 1;
}

int solver_args_set(const char *command, solver_args *a, const char *name, const char *value)
{
    slip_error err;

    if (sargs_add(a, name, value, (int)strlen(value), &err)) return 1;
    return cli_fail(command, "%s: '%s', %s", name, value, err.what), 0;
}

/* The option's value as that of option `name`; 1, or -1 after a message. */
static int sargs_value(cli_args *args, solver_args *a, const char *name)
{
    const char *value = cli_value(args);
    slip_error err;

    if (!value) return -1;
    if (sargs_add(a, name, value, (int)strlen(value), &err)) return 1;
    return cli_usage(args, "%s: '%s', %s", args->option, value, err.what), -1;
}

static int sargs_tolerance(cli_args *args, solver_args *a, const char *rule)
{
    slip_error err;
    const int taken = sargs_value(args, a, "tol");

    return taken == 1 && sargs_add(a, "tol_rule", rule, (int)strlen(rule), &err) ? 1 : -1;
}

/* T[,S[,F]] */
static int sargs_barrier(cli_args *args, solver_args *a)
{
    static const char *const names[] = { "barrier", "elastic", "barrier_final" };
    const char *value = cli_value(args), *at = value;
    slip_error err;
    int i;

    if (!value) return -1;
    for (i = 0; i < 3; ++i) {
        const int length = (int)strcspn(at, ",");

        if (!sargs_add(a, names[i], at, length, &err))
            return cli_usage(args, "--barrier: '%s', %s for its %s", value, err.what, names[i]), -1;
        at += length;
        if (*at == '\0') return 1;
        ++at;
    }
    return cli_usage(args, "--barrier: '%s', expected T, T,S or T,S,F", value), -1;
}

static int sargs_add_solver(cli_args *args, solver_args *a, const slip_solver *solver)
{
    if (a->count == SOLVER_ARGS_MOST) return cli_usage(args, "too many solvers"), -1;
    a->list[a->count++] = solver;
    return 1;
}

/* "unknown solver 'x'" with all there are; returns -1. */
static int sargs_no_solver(const cli_args *args, const char *id, int length)
{
    char known[1024];
    int i, n = 0;

    for (i = 0; i < slip_solver_count(); ++i)
        n += slip_format(known + n, (int)sizeof known - n, "%s%s", i ? " " : "", slip_solver_get(i)->id);
    return cli_usage(args, "unknown solver '%.*s', expected one of: %s", length, id, known), -1;
}

/* One id, `all`, or several with commas between them. */
static int sargs_solvers(cli_args *args, solver_args *a)
{
    const char *value = cli_value(args);
    int i, taken = 1;

    if (!value) return -1;
    if (strcmp(value, "all") == 0) {
        for (i = 0; i < slip_solver_count() && taken == 1; ++i) taken = sargs_add_solver(args, a, slip_solver_get(i));
        return taken;
    }
    do {
        const int length = (int)strcspn(value, ",");

        for (i = 0; i < slip_solver_count(); ++i)
            if (slip_text_equal_n(value, length, slip_solver_get(i)->id)) break;
        if (i == slip_solver_count()) return sargs_no_solver(args, value, length);
        taken = sargs_add_solver(args, a, slip_solver_get(i));
        value += length;
    } while (taken == 1 && *value++ == ',');
    return taken;
}

static int sargs_like(cli_args *args, solver_args *a)
{
    slip_solver_options unused = slip_solver_defaults();
    const char *engine = cli_value(args);

    if (!engine) return -1;
    if (!slip_solver_like(engine, &unused))
        return cli_usage(args, "unknown engine '%s', expected one of: %s", engine, slip_solver_engines()), -1;
    if (a->likes == SOLVER_ARGS_MOST) return cli_usage(args, "too many engines"), -1;
    a->like[a->likes++] = engine;
    return 1;
}

int solver_args_take(cli_args *args, solver_args *a)
{
    char name[32];

    if (cli_is(args, "--solver") || cli_is(args, "--solvers")) return sargs_solvers(args, a);
    if (cli_is(args, "--like"))     return sargs_like(args, a);
    if (cli_is(args, "--abs-tol"))  return sargs_tolerance(args, a, "absolute");
    if (cli_is(args, "--rel-tol"))  return sargs_tolerance(args, a, "relative");
    if (cli_is(args, "--max-iter")) return sargs_value(args, a, "max_iterations");
    if (cli_is(args, "--barrier"))  return sargs_barrier(args, a);
    if (cli_is(args, "--cold"))     return a->cold = 1;
    if (!sargs_scene_name(args->option, name, sizeof name) || !sargs_known(name)) return 0;
    return sargs_value(args, a, name);
}

int solver_args_check(const cli_args *args, const solver_args *a, const slip_solver *solver, const char *engine)
{
    slip_solver_options o = slip_solver_defaults();
    slip_error err;

    slip_error_clear(&err);
    solver_args_apply(a, engine, &o);
    if (!solver || slip_solver_check(solver, &o, &err) >= 0) return 1;
    return cli_usage(args, "%s", err.what), 0;
}

int solver_args_one(const cli_args *args, const solver_args *a)
{
    if (a->count > 0 && a->likes > 0) return cli_usage(args, "--solver and --like exclude each other"), 0;
    if (a->count > 1 || a->likes > 1) return cli_usage(args, "one solver at a time, but there are more"), 0;
    return solver_args_check(args, a, solver_args_solver(a), a->likes > 0 ? a->like[0] : NULL);
}

/* ---- using ------------------------------------------------------------------------------------------- */

const slip_solver *solver_args_solver(const solver_args *a)
{
    slip_solver_options unused = slip_solver_defaults();

    if (a->likes > 0) return slip_solver_like(a->like[0], &unused);
    return a->count > 0 ? a->list[0] : NULL;
}

void solver_args_apply(const solver_args *a, const char *engine, slip_solver_options *o)
{
    int i;

    if (engine) slip_solver_like(engine, o);
    for (i = 0; i < a->options; ++i)
        slip_solver_option_set(o, a->name[i], a->value[i], (int)strlen(a->value[i]), NULL);
}

int solver_args_has(const solver_args *a, const char *name)
{
    int i;

    for (i = 0; i < a->options; ++i) if (strcmp(a->name[i], name) == 0) return 1;
    return 0;
}

int solver_args_warn(const char *command, const solver_args *a, const slip_solver *const *solvers, int count, int quiet)
{
    int i, k, warned = 0;

    for (i = 0; i < slip_solver_option_count(); ++i) {
        const unsigned reads = slip_solver_option_reads(i);

        if (reads == 0 || !solver_args_has(a, slip_solver_option_name(i))) continue;
        for (k = 0; k < count && !(solvers[k]->reads & reads); ++k) {}
        if (k < count) continue;
        ++warned;
        if (quiet) continue;
        fprintf(stderr, "slipstick %s: warning: option %s has no effect on %s%s%s\n", command,
                slip_solver_option_name(i), count == 1 ? "'" : "any of the solvers", count == 1 ? solvers[0]->id : "",
                count == 1 ? "'" : "");
    }
    return warned;
}

void solver_args_json(FILE *out, const slip_solver *solver, const slip_solver_options *o)
{
    int i, n = 0;

    fputs("\"options\": {", out);
    for (i = 0; i < slip_solver_option_count(); ++i) {
        const unsigned reads = slip_solver_option_reads(i);
        const char *quote = slip_solver_option_is_word(i) ? "\"" : "";
        char text[SLIP_SOLVER_OPTION_TEXT];

        if (reads && !(solver->reads & reads)) continue;
        slip_solver_option_text(o, i, text);
        if (slip_solver_option_is_own(o, i)) strcpy(text, "null");
        fprintf(out, "%s\"%s\": %s%s%s", n++ ? ", " : "", slip_solver_option_name(i), quote, text, quote);
    }
    fputs("}", out);
}
