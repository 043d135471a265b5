/* Reads contact problems, and solves them within a time limit. See problem_file.h. */
#define _XOPEN_SOURCE 700         /* setitimer, sigsetjmp */

#include "problem_file.h"

#include <stdlib.h>
#include <string.h>
#if !defined(_WIN32) && !defined(__wasm__)
#define TOOL_HAS_TIMER
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#endif

static char *tool_base_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path, *dot = strrchr(from, '.');
    const size_t length = dot && dot > from ? (size_t)(dot - from) : strlen(from);
    char *name = (char *)cli_alloc(length + 1);

    memcpy(name, from, length);
    name[length] = '\0';
    return name;
}

int tool_problem_load(const char *command, const char *path, tool_problem *t)
{
    size_t length, room;
    char *text = cli_read_file(command, path, &length);
    slip_error err;
    slip_arena mem;
    slip_status s;

    if (!text) return 0;
    room = slip_problem_bytes(length);
    t->memory = cli_alloc(room);
    mem = slip_arena_over(t->memory, room);
    slip_error_clear(&err);
    slip_error_set_file(&err, strcmp(path, "-") == 0 ? "<stdin>" : path);
    s = slip_problem_read(text, length, &mem, &t->p, &err);
    free(text);
    if (s < 0) {
        cli_error(&err);
        free(t->memory);
        return 0;
    }
    t->name = tool_base_name(strcmp(path, "-") == 0 ? "stdin" : path);
    return 1;
}

void tool_problem_free(tool_problem *t)
{
    free((void *)(size_t)t->name);
    free(t->memory);
}

void tool_solve_begin(const slip_problem *p, const slip_solver *solver, const slip_solver_options *opt, tool_solve *s)
{
    const size_t n = (size_t)p->n, bytes = slip_solve_bytes(solver, p, opt) + 3*(n*sizeof(slip_real) + SLIP_ALIGN) + 64;
    slip_real *lambda, *sigma, *dual;

    s->memory = cli_alloc(bytes);
    s->arena = slip_arena_over(s->memory, bytes);
    lambda = (slip_real *)slip_arena_take_zero(&s->arena, n, sizeof *lambda);
    sigma = (slip_real *)slip_arena_take_zero(&s->arena, n, sizeof *sigma);
    dual = (slip_real *)slip_arena_take_zero(&s->arena, n, sizeof *dual);
    s->sol = slip_solution_over(lambda, sigma, dual);
}

void tool_solve_end(tool_solve *s)
{
    free(s->memory);
}

double tool_clock(void *context)
{
    (void)context;
    return cli_cpu_seconds();
}

/* ---- a solve that ends ------------------------------------------------------------------------------------ */

static const char *tool_status_word(const slip_solution *s, const slip_solver_options *opt)
{
    if (s->status < 0) return "error";
    if (slip_residual_excess(&s->residual, opt->tol, opt->tol_rule) <= SLIP_R(1.001)) return "ok";
    return s->status == SLIP_STALLED ? "stalled" : s->status == SLIP_DIVERGED ? "diverged" : "not converged";
}

#ifdef TOOL_HAS_TIMER
static sigjmp_buf tool_late;

static void tool_on_timer(int number)
{
    (void)number;
    siglongjmp(tool_late, 1);
}

static void tool_timer(double seconds)
{
    struct itimerval t;

    memset(&t, 0, sizeof t);
    t.it_value.tv_sec = (long)seconds;
    t.it_value.tv_usec = (long)(1e6*(seconds - (double)(long)seconds));
    setitimer(ITIMER_REAL, &t, NULL);
}

/* 0 when the time was over before its end. A solver uses only the memory it was given and no other resource, so that
 * it can be interrupted anywhere. */
static int tool_solve_timed(const slip_solver *solver, const slip_problem *p, const slip_solver_options *opt,
                            tool_solve *s, double limit)
{
    volatile int ended = 0;          /* it is read after a longjmp */

    signal(SIGALRM, tool_on_timer);
    if (sigsetjmp(tool_late, 1) == 0) {
        tool_timer(limit);
        slip_solve(solver, p, opt, &s->sol, &s->arena);
        tool_timer(0);
        ended = 1;
    }
    signal(SIGALRM, SIG_DFL);
    return ended;
}
#else                                /* without a timer a solve goes on to its end, however late that is */
static int tool_solve_timed(const slip_solver *solver, const slip_problem *p, const slip_solver_options *opt,
                            tool_solve *s, double limit)
{
    const double start = cli_cpu_seconds();

    slip_solve(solver, p, opt, &s->sol, &s->arena);
    return cli_cpu_seconds() - start <= limit;
}
#endif

double tool_solve_within(const slip_solver *solver, const slip_problem *p, const slip_solver_options *opt,
                         tool_solve *s, double limit, const char **status)
{
    const size_t low = slip_arena_mark(&s->arena), high = slip_arena_mark_scratch(&s->arena);
    const double start = cli_cpu_seconds();

    if (tool_solve_timed(solver, p, opt, s, limit)) {
        *status = tool_status_word(&s->sol, opt);
        s->sol.seconds = cli_cpu_seconds() - start;
    } else {
        slip_arena_release(&s->arena, low);
        slip_arena_release_scratch(&s->arena, high);
        s->sol.iterations = 0;
        s->sol.status = SLIP_MAX_ITERS;
        *status = "out of time";
    }
    return cli_cpu_seconds() - start;
}
