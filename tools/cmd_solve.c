/* slipstick solve: contact problems from files, by any solver, judged independently. */
#include "problem_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char solve_help[] =
    "usage: slipstick solve PROBLEM... [--solver ID[,ID...]|all] [OPTIONS]\n\n"
    "Solves contact problems (files in the contact-problem format, - for standard input) and prints one row\n"
    "for each problem and solver: status, iterations, factorisations, residuals of the NCP and of the solver's\n"
    "own model, seconds, violations of Signorini, Coulomb and maximum dissipation, internal forces.\n\n"
    "  --solver ID[,ID...]  a solver, or a chain: the next is tried when one fails; `all`: each of them.\n"
    "                       May be repeated. Without it the default runs. See `slipstick solvers`.\n"
    "  --like ENGINE        instead of --solver: ode bullet physx dart mujoco drake raisim dojo simple chrono\n"
    "  --tol X              absolute tolerance (1e-6); relative where impulses are unusually small or large\n"
    "  --abs-tol X          the same, strictly absolute           --rel-tol X    relative on all criteria\n"
    "  --max-iter N         iteration limit of each solver        --facets K     of the pyramid (4)\n"
    "  --warm FILE          start from the impulses in FILE (3 nc numbers)\n"
    "  --lambda FILE        write the impulses of the last row, one number per line (- : standard output)\n"
    "  --history FILE.csv   write residuals per iteration\n"
    "  --json               an array of objects instead of the table\n"
    "  --step contact|block|max|min   of the Gauss-Seidel solvers: the contact as a whole, or the papers' steps\n"
    "  --barrier T[,S[,F]]  ccp-barrier's weight t (0.1) and elastic slope s (10), ncp-ipm's target F (0: from tol)\n"
    "  --relaxation X, --regularization X, --rho X, --rho-rule spectral|linear|fixed, --rho-every N,\n"
    "  --over-relaxation X (of warm-started ADMM, 1.8)\n\n"
    "Exit status 1 when a problem was not solved to the tolerance.\n\n"
    "example: slipstick solve problems/pinocchio/solo12_push.txt --solver ncp-admm --tol 1e-9\n";

enum { SOLVE_MOST = 64 };

typedef struct {
    cli_args args;
    slip_solver_options opt;
    const char *files[4096], *chains[SOLVE_MOST];
    int nfiles, nchains;
    const char *warm, *lambda, *history, *like;
    int json, rows, unsolved;
    FILE *history_file;
    const char *history_problem, *history_solver;
} solve_run;

/* ---- arguments ------------------------------------------------------------------------------------ */

static int solve_add_chain(solve_run *r, const char *chain)
{
    if (r->nchains == SOLVE_MOST) return cli_usage(&r->args, "too many solvers");
    r->chains[r->nchains++] = chain;
    return CLI_OK;
}

static int solve_solver_option(solve_run *r)
{
    const char *value = cli_value(&r->args);
    int i, rc = CLI_OK;

    if (!value) return CLI_USAGE;
    if (strcmp(value, "all") == 0) {
        for (i = 0; i < slip_solver_count() - 1 && rc == CLI_OK; ++i) rc = solve_add_chain(r, slip_solver_get(i)->id);
        return rc;
    }
    {
        const char *s = value;

        while (*s) {
            const size_t length = strcspn(s, ",");
            char id[64];

            memcpy(id, s, length < 63 ? length : 63);
            id[length < 63 ? length : 63] = '\0';
            if (!slip_solver_find(id)) return cli_usage(&r->args, "unknown solver '%s'; see 'slipstick solvers'", id);
            s += length;
            if (*s == ',') ++s;
        }
        if (!*value || value[strlen(value) - 1] == ',') return cli_usage(&r->args, "a solver's name is missing");
    }
    return solve_add_chain(r, value);
}

static int solve_rho_rule(solve_run *r)
{
    const char *value = cli_value(&r->args);

    if (!value) return CLI_USAGE;
    if (strcmp(value, "spectral") == 0) r->opt.rho_rule = SLIP_RHO_SPECTRAL;
    else if (strcmp(value, "linear") == 0) r->opt.rho_rule = SLIP_RHO_LINEAR;
    else if (strcmp(value, "fixed") == 0) r->opt.rho_rule = SLIP_RHO_FIXED;
    else return cli_usage(&r->args, "--rho-rule is spectral, linear or fixed");
    return CLI_OK;
}

static int solve_step(solve_run *r)
{
    static const char *const names[] = { "block", "max", "min", "contact" };      /* in the order of slip_step_rule */
    const char *value = cli_value(&r->args);
    int i;

    if (!value) return CLI_USAGE;
    for (i = 0; i < 4; ++i) if (strcmp(value, names[i]) == 0) { r->opt.step = (slip_step_rule)i;  return CLI_OK; }
    return cli_usage(&r->args, "--step is contact, block, max or min");
}

/* T[,S[,F]] */
static int solve_barrier(solve_run *r)
{
    slip_real *const to[] = { &r->opt.barrier, &r->opt.elastic, &r->opt.barrier_final };
    const char *value = cli_value(&r->args);
    int i, used;

    if (!value) return CLI_USAGE;
    for (i = 0; i < 3; ++i) {
        double x;

        used = slip_read_double(value, (int)strlen(value), &x);
        if (used <= 0 || !(x >= (i < 2 ? 1e-30 : 0)) || !(x <= 1e30)) break;
        *to[i] = (slip_real)x;
        value += used;
        if (*value == '\0') return CLI_OK;
        if (*value++ != ',') break;
    }
    return cli_usage(&r->args, "--barrier is T, T,S or T,S,F: positive numbers, F may be 0");
}

static int solve_text_option(solve_run *r, const char **text)
{
    *text = cli_value(&r->args);
    return *text ? CLI_OK : CLI_USAGE;
}

static int solve_real_option(solve_run *r, double lo, double hi, slip_real *x)
{
    double y;

    if (!cli_value_real(&r->args, lo, hi, &y)) return CLI_USAGE;
    *x = (slip_real)y;
    return CLI_OK;
}

static int solve_int_option(solve_run *r, int lo, int hi, int *x)
{
    return cli_value_int(&r->args, lo, hi, x) ? CLI_OK : CLI_USAGE;
}

static int solve_tolerance(solve_run *r, slip_tol_rule rule)
{
    r->opt.tol_rule = rule;
    return solve_real_option(r, 1e-300, 1e3, &r->opt.tol);
}

static int solve_option(solve_run *r)
{
    cli_args *a = &r->args;

    if (cli_is(a, "--solver"))   return solve_solver_option(r);
    if (cli_is(a, "--like"))     return solve_text_option(r, &r->like);
    if (cli_is(a, "--warm"))     return solve_text_option(r, &r->warm);
    if (cli_is(a, "--lambda"))   return solve_text_option(r, &r->lambda);
    if (cli_is(a, "--history"))  return solve_text_option(r, &r->history);
    if (cli_is(a, "--max-iter")) return solve_int_option(r, 1, 1000000000, &r->opt.max_iterations);
    if (cli_is(a, "--facets"))   return solve_int_option(r, 4, 64, &r->opt.facets);
    if (cli_is(a, "--rho-every")) return solve_int_option(r, 1, 1000000, &r->opt.rho_every);
    if (cli_is(a, "--rho-rule")) return solve_rho_rule(r);
    if (cli_is(a, "--rho"))      return solve_real_option(r, 1e-300, 1e300, &r->opt.rho);
    if (cli_is(a, "--step"))     return solve_step(r);
    if (cli_is(a, "--barrier"))  return solve_barrier(r);
    if (cli_is(a, "--over-relaxation")) return solve_real_option(r, 1e-3, 1.999, &r->opt.over_relaxation);
    if (cli_is(a, "--relaxation"))     return solve_real_option(r, 1e-3, 1.999, &r->opt.relaxation);
    if (cli_is(a, "--regularization")) return solve_real_option(r, 0, 1e6, &r->opt.regularization);
    if (cli_is(a, "--json"))     { r->json = 1; return CLI_OK; }
    if (cli_is(a, "--tol"))      return solve_tolerance(r, SLIP_TOL_AUTO);
    if (cli_is(a, "--abs-tol"))  return solve_tolerance(r, SLIP_TOL_ABSOLUTE);
    if (cli_is(a, "--rel-tol"))  return solve_tolerance(r, SLIP_TOL_RELATIVE);
    return cli_unknown(a);
}

/* ---- history, impulses ----------------------------------------------------------------------------- */

static void solve_print_number(FILE *out, double x, int digits)
{
    char text[SLIP_NUMBER_SIZE];

    slip_print_double(x, digits, text);
    fputs(text, out);
}

/* A field of a CSV line: in quotes when it needs them, as a chain's name does. */
static void solve_csv_text(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) { fputs(text, out); return; }
    fputc('"', out);
    for (; *text; ++text) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void solve_record(void *context, const slip_iteration *it)
{
    solve_run *r = (solve_run *)context;

    solve_csv_text(r->history_file, r->history_problem);
    fputc(',', r->history_file);
    solve_csv_text(r->history_file, r->history_solver);
    fprintf(r->history_file, ",%d,%s,", it->iteration, it->phase);
    solve_print_number(r->history_file, (double)it->eps_primal, 6);
    fputc(',', r->history_file);
    solve_print_number(r->history_file, (double)it->eps_dual, 6);
    fputc(',', r->history_file);
    solve_print_number(r->history_file, (double)it->eps_comp, 6);
    fputc(',', r->history_file);
    solve_print_number(r->history_file, (double)it->rho, 6);
    fprintf(r->history_file, ",%d\n", it->factorizations);
}

static FILE *solve_create(const char *path)
{
    FILE *f = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");

    if (!f) cli_fail("solve", "%s: %s", path, strerror(errno));
    return f;
}

static int solve_write_lambda(const solve_run *r, const slip_problem *p, const slip_real *lambda)
{
    FILE *f = solve_create(r->lambda);
    int i, bad;

    if (!f) return CLI_FAILED;
    for (i = 0; i < p->n; ++i) {
        solve_print_number(f, (double)lambda[i], 17);
        fputc('\n', f);
    }
    bad = ferror(f);
    if (f != stdout) bad = fclose(f) != 0 || bad;
    return bad ? cli_fail("solve", "%s: cannot be written", r->lambda) : CLI_OK;
}

/* The warm start: exactly n numbers. */
static int solve_read_warm(const solve_run *r, const slip_problem *p, slip_solution *sol)
{
    size_t length;
    char *text = cli_read_file("solve", r->warm, &length);
    int count, at = 0;

    if (!text) return CLI_FAILED;
    count = slip_read_reals(text, (int)length, sol->lambda, p->n, &at);
    free(text);
    if (count < 0) return cli_fail("solve", "%s: value %d is not a finite number", r->warm, -count);
    if (count != p->n) return cli_fail("solve", "%s: %d values, the problem has %d", r->warm, count, p->n);
    sol->warm = p->n;
    sol->dual = NULL;                        /* the file has none, and zeros are a guess worse than the solver's own */
    return CLI_OK;
}

/* ---- one row ---------------------------------------------------------------------------------------- */

static const char *solve_status(slip_status s)
{
    switch (s) {
    case SLIP_OK:        return "ok";
    case SLIP_MAX_ITERS: return "not converged";
    case SLIP_STALLED:   return "stalled";
    case SLIP_DIVERGED:  return "diverged";
    case SLIP_ERR_UNSUPPORTED: return "unsupported";
    default:             return s < 0 ? "error" : "not converged";
    }
}

static void solve_json_number(const char *key, double x)
{
    printf(", \"%s\": ", key);
    if (x - x == 0) solve_print_number(stdout, x, 17); else fputs("null", stdout);
}

static void solve_json(solve_run *r, const tool_problem *t, const char *chain, const slip_solution *s,
                       const slip_physics *f)
{
    fputs(r->rows++ ? ",\n  {\"problem\": " : "\n  {\"problem\": ", stdout);
    cli_json_text(stdout, t->name);
    fputs(", \"solver\": ", stdout);
    cli_json_text(stdout, chain);
    fputs(", \"status\": ", stdout);
    cli_json_text(stdout, solve_status(s->status));
    printf(", \"iterations\": %d, \"factorizations\": %d", s->iterations, s->factorizations);
    solve_json_number("eps_primal", (double)f->ncp.eps_primal);
    solve_json_number("eps_dual", (double)f->ncp.eps_dual);
    solve_json_number("eps_comp", (double)f->ncp.eps_comp);
    solve_json_number("model_residual", (double)s->model.eps_abs);
    solve_json_number("seconds", s->seconds);
    solve_json_number("signorini", (double)slip_max(f->signorini_power, f->signorini_approach));
    solve_json_number("signorini_power", (double)f->signorini_power);
    solve_json_number("signorini_approach", (double)f->signorini_approach);
    solve_json_number("coulomb", (double)f->coulomb);
    solve_json_number("mdp_power", (double)f->mdp_power);
    solve_json_number("mdp_angle", (double)f->mdp_angle);
    solve_json_number("internal", (double)f->internal);
    solve_json_number("lambda_max", (double)f->ncp.lambda_max);
    printf(", \"nc\": %d, \"open\": %d, \"stick\": %d, \"slip\": %d}", t->p.nc, f->open, f->stick, f->slip);
}

static void solve_row(solve_run *r, const tool_problem *t, const char *chain, const slip_solution *s,
                      const slip_physics *f)
{
    if (r->rows++ == 0)
        printf("%-36s %-17s %-13s %6s %5s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", "problem", "solver", "status", "iter",
               "fact", "eps_p", "eps_d", "eps_c", "model", "seconds", "signorini", "coulomb", "mdp", "internal");
    printf("%-36s %-17s %-13s %6d %5d %9.2e %9.2e %9.2e %9.2e %9.2e %9.2e %9.2e %9.2e %9.2e\n", t->name, chain,
           solve_status(s->status), s->iterations, s->factorizations, (double)f->ncp.eps_primal,
           (double)f->ncp.eps_dual, (double)f->ncp.eps_comp, (double)s->model.eps_abs, s->seconds,
           (double)slip_max(f->signorini_power, f->signorini_approach), (double)f->coulomb, (double)f->mdp_power,
           (double)f->internal);
}

/* Physics with scratch of its own; `sigma` is overwritten. */
static void solve_judge(const slip_problem *p, const slip_solution *s, slip_physics *f)
{
    slip_arena count = slip_arena_counting();
    slip_gfactor g;
    slip_arena mem;
    void *block;
    size_t bytes;

    slip_arena_reals(&count, 2*(size_t)p->n);
    slip_gfactor_prepare(&g, p, &count);
    bytes = slip_arena_needed(&count) + 4*SLIP_ALIGN;
    block = cli_alloc(bytes);
    mem = slip_arena_over(block, bytes);
    slip_physics_of(p, s->lambda, s->sigma, &mem, f);
    free(block);
}

static int solve_one(solve_run *r, const tool_problem *t, const char *chain)
{
    tool_solve s;
    slip_physics f;
    slip_status status;
    int rc = CLI_OK;

    tool_solve_begin(&t->p, chain, &r->opt, &s);
    if (r->warm) rc = solve_read_warm(r, &t->p, &s.sol);
    if (rc != CLI_OK) { tool_solve_end(&s); return rc; }
    r->history_problem = t->name;
    r->history_solver = chain;
    status = slip_solve(chain, &t->p, &r->opt, &s.sol, &s.arena, NULL);
    if (status == SLIP_ERR_UNSUPPORTED && r->opt.facets > 4) {
        tool_solve_end(&s);
        return cli_fail("solve", "%s: %s: its pyramid has four facets, for %d there is lcp-lemke", t->name, chain,
                        r->opt.facets);
    }
    if (status < 0) {
        tool_solve_end(&s);
        return cli_fail("solve", "%s: %s: %s", t->name, chain, slip_status_text(status));
    }
    solve_judge(&t->p, &s.sol, &f);
    if (r->json) solve_json(r, t, chain, &s.sol, &f); else solve_row(r, t, chain, &s.sol, &f);
    fflush(stdout);
    if (status != SLIP_OK) ++r->unsolved;
    if (r->lambda) rc = solve_write_lambda(r, &t->p, s.sol.lambda);
    tool_solve_end(&s);
    return rc;
}

static int solve_file(solve_run *r, const char *path)
{
    tool_problem t;
    int i, rc, worst = CLI_OK;

    if (!tool_problem_load("solve", path, &t)) return CLI_FAILED;
    for (i = 0; i < r->nchains; ++i) {
        rc = solve_one(r, &t, r->chains[i]);
        if (rc > worst) worst = rc;
    }
    tool_problem_free(&t);
    return worst;
}

static int solve_is_stdout(const char *path) { return path && strcmp(path, "-") == 0; }

static int solve_prepare(solve_run *r)
{
    if (r->nfiles == 0) return cli_usage(&r->args, "no problem file given");
    if (r->json && (solve_is_stdout(r->lambda) || solve_is_stdout(r->history)))
        return cli_usage(&r->args, "--json needs standard output for itself; give --lambda, --history a file");
    if (r->like && r->nchains > 0) return cli_usage(&r->args, "--solver and --like exclude each other");
    if (r->like) {
        slip_solver_options preset = r->opt;
        const slip_solver *solver = slip_solver_like(r->like, &preset);

        if (!solver) return cli_usage(&r->args, "unknown engine '%s'", r->like);
        if (r->opt.max_iterations > 0) preset.max_iterations = r->opt.max_iterations;
        r->opt = preset;
        r->chains[r->nchains++] = solver->id;
    }
    if (r->nchains == 0) r->chains[r->nchains++] = "default";
    r->opt.clock = tool_clock;
    if (!r->history) return CLI_OK;
    r->history_file = solve_create(r->history);
    if (!r->history_file) return CLI_FAILED;
    fputs("problem,solver,iteration,phase,eps_primal,eps_dual,eps_comp,rho,factorizations\n", r->history_file);
    r->opt.history = solve_record;
    r->opt.history_context = r;
    return CLI_OK;
}

static int solve_files(solve_run *r)
{
    int i, rc, worst = CLI_OK;

    if (r->json) fputs("[", stdout);
    for (i = 0; i < r->nfiles; ++i) {
        rc = solve_file(r, r->files[i]);
        if (rc > worst) worst = rc;
    }
    if (r->json) fputs("\n]\n", stdout);
    if (r->history_file && r->history_file != stdout && fclose(r->history_file) != 0)
        worst = cli_fail("solve", "%s: cannot be written", r->history);
    return worst == CLI_OK && r->unsolved ? CLI_FAILED : worst;
}

int slip_cmd_solve(int argc, char **argv)
{
    solve_run *r = (solve_run *)cli_alloc(sizeof *r);
    int kind, rc = CLI_OK;

    memset(r, 0, sizeof *r);
    r->opt = slip_solver_defaults();
    cli_begin(&r->args, argc, argv);
    while (rc == CLI_OK && (kind = cli_next(&r->args)) != 0) {
        if (kind == 1 && cli_is(&r->args, "--help")) { fputs(solve_help, stdout); free(r); return CLI_OK; }
        if (kind == 1) rc = solve_option(r);
        else if (r->nfiles == (int)(sizeof r->files/sizeof *r->files)) rc = cli_usage(&r->args, "too many files");
        else r->files[r->nfiles++] = r->args.value;
    }
    if (rc == CLI_OK) rc = solve_prepare(r);
    if (rc == CLI_OK) rc = solve_files(r);
    free(r);
    return rc;
}
