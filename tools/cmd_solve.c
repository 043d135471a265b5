/* slipstick solve: contact problems from files, by any solver, judged independently. */
#include "problem_file.h"
#include "solver_args.h"
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void solve_help(void)
{
    fputs("usage: slipstick solve PROBLEM... [--solver ID|all] [OPTIONS]\n\n"
          "Solves contact problems (files in the contact-problem format, - for standard input) and prints one row\n"
          "for each problem and solver: status, iterations, factorisations, residuals of the NCP and of the solver's\n"
          "own model, seconds, violations of Signorini, Coulomb and maximum dissipation, internal forces.\n\n", stdout);
    fputs(solver_args_help_solver, stdout);
    fputs("                    Both may be repeated; --solver all: every solver. Without them the default runs\n"
                "  --warm FILE       start from FILE: an impulse for each row; dual variables and rho may follow\n"
          "  --lambda FILE     write the impulses of the last row, one number per line (- : standard output)\n"
          "  --history FILE.csv   write residuals per iteration; does not change the iterations\n"
          "  --json            an array of objects, with the options in effect, instead of the table\n", stdout);
    fputs(solver_args_help_options, stdout);
    fputs("\nExit code: 0 solved, 1 a problem was not solved to the tolerance or cannot be read, 2 usage.\n"
          "`slipstick sim --dump-problems` writes such files; some are in models/problems.\n\n"
          "example: slipstick solve models/problems/solo12_push.txt --solver ncp-admm --rho-rule linear\n", stdout);
}

/* A solver and, for --like, the engine's name. */
typedef struct {
    const slip_solver *solver;
    slip_solver_options opt;
} solve_way;

typedef struct {
    cli_args args;
    solver_args solve;
    solve_way ways[2*SOLVER_ARGS_MOST];
    int nways;
    const char *files[4096];
    int nfiles;
    const char *warm, *lambda, *history;
    slip_real *last;                             /* impulses of the last row, for --lambda, and how many */
    int nlast;
    int json, rows, unsolved;
    FILE *history_file;
    const char *history_problem, *history_solver;
} solve_run;

/* ---- arguments ------------------------------------------------------------------------------------ */

static int solve_text_option(solve_run *r, const char **text)
{
    *text = cli_value(&r->args);
    return *text ? CLI_OK : CLI_USAGE;
}

static int solve_option(solve_run *r)
{
    cli_args *a = &r->args;
    int taken;

    if (cli_is(a, "--warm"))     return solve_text_option(r, &r->warm);
    if (cli_is(a, "--lambda"))   return solve_text_option(r, &r->lambda);
    if (cli_is(a, "--history"))  return solve_text_option(r, &r->history);
    if (cli_is(a, "--json"))     { r->json = 1; return CLI_OK; }
    taken = solver_args_take(a, &r->solve);
    if (taken == 0) return cli_unknown(a);
    return taken > 0 ? CLI_OK : CLI_USAGE;
}

/* ---- history, impulses ----------------------------------------------------------------------------- */

static void solve_print_number(FILE *out, double x, int digits)
{
    char text[SLIP_NUMBER_SIZE];

    slip_print_double(x, digits, text);
    fputs(text, out);
}

/* A field of a CSV line: in quotes when it needs them. */
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

static void solve_keep_lambda(solve_run *r, const slip_problem *p, const slip_real *lambda)
{
    free(r->last);
    r->last = (slip_real *)cli_alloc(((size_t)p->n + 1)*sizeof *lambda);
    memcpy(r->last, lambda, (size_t)p->n*sizeof *lambda);
    r->nlast = p->n;
}

static int solve_write_lambda(const solve_run *r)
{
    FILE *f = output_open("solve", r->lambda);
    int i;

    if (!f) return CLI_FAILED;
    for (i = 0; i < r->nlast; ++i) {
        solve_print_number(f, (double)r->last[i], 17);
        fputc('\n', f);
    }
    return output_close("solve", r->lambda, f) ? CLI_OK : CLI_FAILED;
}

/* The warm start: n impulses; after them, as `sim --dump-problems` writes them, n dual variables and rho. */
static int solve_read_warm(const solve_run *r, const slip_problem *p, slip_solution *sol)
{
    const size_t bytes = (size_t)p->n*sizeof(slip_real);
    const int all = 2*p->n + 1;
    size_t length;
    char *text = cli_read_file("solve", r->warm, &length);
    slip_real *x;
    int count, rc = CLI_OK;

    if (!text) return CLI_FAILED;
    x = (slip_real *)cli_alloc(2*bytes + sizeof *x);
    count = slip_read_reals(text, (int)length, x, all, NULL);
    if (count < 0) rc = cli_fail("solve", "%s: value %d is not a finite number", r->warm, -count);
    else if (count != p->n && count != all)
        rc = cli_fail("solve", "%s: %d values, the problem has %d (or %d with dual variables and rho)", r->warm, count,
                      p->n, all);
    else {
        memcpy(sol->lambda, x, bytes);
        if (count == all) memcpy(sol->dual, x + p->n, bytes);
        else sol->dual = NULL;               /* the solver's own guess is better than zeros */
        sol->rho = count == all ? x[all - 1] : 0;
        sol->warm = p->n;
    }
    free(x);
    free(text);
    return rc;
}

/* ---- one row ---------------------------------------------------------------------------------------- */

static const char *solve_status(slip_status s)
{
    switch (s) {
    case SLIP_OK:        return "ok";
    case SLIP_MAX_ITERS: return "not converged";
    case SLIP_STALLED:   return "stalled";
    case SLIP_DIVERGED:  return "diverged";
    case SLIP_DEADLINE:  return "out of time";
    case SLIP_ERR_UNSUPPORTED: return "unsupported";
    default:             return s < 0 ? "error" : "not converged";
    }
}

static void solve_json_number(const char *key, double x)
{
    printf(", \"%s\": ", key);
    if (x - x == 0) solve_print_number(stdout, x, 17); else fputs("null", stdout);
}

static void solve_json(solve_run *r, const tool_problem *t, const solve_way *way, const slip_solution *s,
                       const slip_physics *f)
{
    fputs(r->rows++ ? ",\n  {\"problem\": " : "\n  {\"problem\": ", stdout);
    cli_json_text(stdout, t->name);
    fputs(", \"solver\": ", stdout);
    cli_json_text(stdout, way->solver->id);
    fputs(", ", stdout);
    solver_args_json(stdout, way->solver, &way->opt);
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

static void solve_row(solve_run *r, const tool_problem *t, const slip_solver *solver, const slip_solution *s,
                      const slip_physics *f)
{
    if (r->rows++ == 0)
        printf("%-36s %-17s %-13s %6s %5s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", "problem", "solver", "status", "iter",
               "fact", "eps_p", "eps_d", "eps_c", "model", "seconds", "signorini", "coulomb", "mdp", "internal");
    printf("%-36s %-17s %-13s %6d %5d %9.2e %9.2e %9.2e %9.2e %9.2e %9.2e %9.2e %9.2e %9.2e\n", t->name, solver->id,
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

static int solve_one(solve_run *r, const tool_problem *t, const solve_way *way)
{
    const slip_solver *solver = way->solver;
    tool_solve s;
    slip_physics f;
    slip_status status;
    int rc = CLI_OK;

    tool_solve_begin(&t->p, solver, &way->opt, &s);
    if (r->warm) rc = solve_read_warm(r, &t->p, &s.sol);
    if (rc != CLI_OK) { tool_solve_end(&s); return rc; }
    r->history_problem = t->name;
    r->history_solver = solver->id;
    status = slip_solve(solver, &t->p, &way->opt, &s.sol, &s.arena);
    if (status < 0) {
        tool_solve_end(&s);
        if (status == SLIP_ERR_UNSUPPORTED)
            return cli_fail("solve", "%s: %s does not take %s", t->name, solver->id,
                            way->opt.facets > 4 && !(solver->reads & SLIP_READS_FACETS) ? "more than four facets" :
                            t->p.nl > 0 && !(solver->takes & SLIP_TAKES_LIMITS) ? "limits" : "bilateral rows");
        return cli_fail("solve", "%s: %s: %s", t->name, solver->id, slip_status_text(status));
    }
    solve_judge(&t->p, &s.sol, &f);
    if (r->json) solve_json(r, t, way, &s.sol, &f); else solve_row(r, t, solver, &s.sol, &f);
    fflush(stdout);
    if (status != SLIP_OK) ++r->unsolved;
    if (r->lambda) solve_keep_lambda(r, &t->p, s.sol.lambda);
    tool_solve_end(&s);
    return rc;
}

static int solve_file(solve_run *r, const char *path)
{
    tool_problem t;
    int i, rc, worst = CLI_OK;

    if (!tool_problem_load("solve", path, &t)) return CLI_FAILED;
    for (i = 0; i < r->nways; ++i) {
        rc = solve_one(r, &t, &r->ways[i]);
        if (rc > worst) worst = rc;
    }
    tool_problem_free(&t);
    return worst;
}

static int solve_is_stdout(const char *path) { return path && strcmp(path, "-") == 0; }

/* Adds a solver to the run; CLI_USAGE, after a message, when its options do not fit the solver. */
static int solve_add(solve_run *r, const slip_solver *solver, const char *engine)
{
    solve_way *way = &r->ways[r->nways++];
    const int alone = r->solve.count + r->solve.likes <= 1;

    if (alone && !solver_args_check(&r->args, &r->solve, solver, engine)) return CLI_USAGE;
    way->opt = slip_solver_defaults();
    solver_args_apply(&r->solve, engine, &way->opt);
    way->solver = solver;
    way->opt.clock = tool_clock;
    if (r->history) {
        way->opt.history = solve_record;
        way->opt.history_context = r;
    }
    return CLI_OK;
}

static int solve_ways(solve_run *r)
{
    const slip_solver *solvers[2*SOLVER_ARGS_MOST];
    slip_solver_options unused = slip_solver_defaults();
    int i, rc = CLI_OK;

    for (i = 0; i < r->solve.count && rc == CLI_OK; ++i) rc = solve_add(r, r->solve.list[i], NULL);
    for (i = 0; i < r->solve.likes && rc == CLI_OK; ++i)
        rc = solve_add(r, slip_solver_like(r->solve.like[i], &unused), r->solve.like[i]);
    if (rc == CLI_OK && r->nways == 0) rc = solve_add(r, &slip_solver_default, NULL);
    for (i = 0; i < r->nways; ++i) solvers[i] = r->ways[i].solver;
    if (rc == CLI_OK) solver_args_warn("solve", &r->solve, solvers, r->nways, 0);
    return rc;
}

static int solve_prepare(solve_run *r)
{
    int rc;

    if (r->nfiles == 0) return cli_usage(&r->args, "no problem file given");
    if (r->json && (solve_is_stdout(r->lambda) || solve_is_stdout(r->history)))
        return cli_usage(&r->args, "--json needs standard output for itself; give --lambda, --history a file");
    if (r->solve.cold && r->warm) return cli_usage(&r->args, "--cold and --warm exclude each other");
    rc = solve_ways(r);
    if (rc == CLI_OK && r->lambda && !output_can_open("solve", r->lambda)) rc = CLI_FAILED;
    if (rc != CLI_OK || !r->history) return rc;
    r->history_file = output_open("solve", r->history);
    if (!r->history_file) return CLI_FAILED;
    fputs("problem,solver,iteration,phase,eps_primal,eps_dual,eps_comp,rho,factorizations\n", r->history_file);
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
    if (r->history && !output_close("solve", r->history, r->history_file)) worst = CLI_FAILED;
    if (r->last && solve_write_lambda(r) != CLI_OK) worst = CLI_FAILED;
    free(r->last);
    return worst == CLI_OK && r->unsolved ? CLI_FAILED : worst;
}

int slip_cmd_solve(int argc, char **argv)
{
    solve_run *r = (solve_run *)cli_alloc(sizeof *r);
    int kind, rc = CLI_OK;

    memset(r, 0, sizeof *r);
    cli_begin(&r->args, argc, argv);
    while (rc == CLI_OK && (kind = cli_next(&r->args)) != 0) {
        if (kind == 1 && (cli_is(&r->args, "--help") || cli_is(&r->args, "-h"))) {
            solve_help();
            free(r);
            return CLI_OK;
        }
        if (kind == 1) rc = solve_option(r);
        else if (r->nfiles == (int)(sizeof r->files/sizeof *r->files)) rc = cli_usage(&r->args, "too many files");
        else r->files[r->nfiles++] = r->args.value;
    }
    if (rc == CLI_OK) rc = solve_prepare(r);
    if (rc == CLI_OK) rc = solve_files(r);
    free(r);
    return rc;
}
