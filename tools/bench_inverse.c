/* slipstick bench inverse: evaluations per second of the inverse contact models, against TO Tab. 1. */
#include "bench_inverse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "solvers/barrier.h"
#include "solvers/id_prox.h"

static const char invbench_help[] =
    "usage: slipstick bench inverse [--json] [--batches N]\n\n"
    "Evaluations per second of the inverse models in contact space, best of many batches over 64 problems each:\n"
    "velocities that ccp-barrier gave for random contacts of a floating tree (gaps of -1 to 10 cm, R(d) and\n"
    "t = 0.1 J as in TO). One evaluation is v -> f, from cold; `ratio` is to TO Tab. 1 (one thread, 3 GHz, 2008).\n\n"
    "  --json       one object per contact count\n"
    "  --batches N  batches per count (default 200)\n\n"
    "example: slipstick bench inverse\n";

enum { INVBENCH_CASES = 64, INVBENCH_ROWS = 3*BENCH_INVERSE_CONTACTS, INVBENCH_DOFS = 30 };

typedef struct {
    int nc;
    slip_problem p[INVBENCH_CASES];          /* inverse: p.g is the velocity v                              */
    slip_real *G, *v, *mu, *R, *vmin, *lambda, *work;
    slip_real *free;                         /* forward: the velocity without impulses                      */
    slip_arena scratch;                      /* of the forward solver                                       */
    void *block;
    double forward_iterations;               /* mean of the last forward pass                               */
} invbench_set;

/* ---- problems ------------------------------------------------------------------------------------------ */

/* Rows of J as random as a tree's: each contact sees the six freedoms of the root and eight of its branch. */
static void invbench_delassus(slip_random *rng, int n, slip_real *G)
{
    static slip_real Y[INVBENCH_ROWS][INVBENCH_DOFS];
    int i, j, k;

    memset(Y, 0, sizeof Y);
    for (i = 0; i < n; ++i) {
        const int branch = 6 + 8*((i/3) % 3);

        for (k = 0; k < 6; ++k) Y[i][k] = SLIP_R(0.2)*slip_random_normal(rng);
        for (k = branch; k < branch + 8; ++k) Y[i][k] = SLIP_R(0.4)*slip_random_normal(rng);
    }
    for (i = 0; i < n; ++i) for (j = 0; j < n; ++j) {
        slip_real s = 0;

        for (k = 0; k < INVBENCH_DOFS; ++k) s += Y[i][k]*Y[j][k];
        G[i*n + j] = s;
    }
}

/* One problem: contacts at random gaps, free velocities, and the forward model's solution. */
static void invbench_problem(slip_random *rng, invbench_set *s, int k)
{
    const int nc = s->nc, n = 3*nc;
    slip_real *G = s->G + k*n*n, *v = s->v + k*n, *mu = s->mu + k*nc, *R = s->R + k*n, *vmin = s->vmin + k*nc;
    const slip_solver_options o = slip_solver_defaults();
    slip_solution sol = slip_solution_over(s->lambda, NULL, NULL);
    slip_problem p;
    int i;

    invbench_delassus(rng, n, G);
    for (i = 0; i < n; ++i) v[i] = SLIP_R(0.5)*slip_random_normal(rng);
    memcpy(s->free + k*n, v, (size_t)n*sizeof *v);
    for (i = 0; i < nc; ++i) {
        const slip_real gap = slip_random_uniform(rng, SLIP_R(-0.01), SLIP_R(0.1));

        mu[i] = SLIP_R(0.8);
        vmin[i] = -gap/SLIP_R(0.01);
        R[3*i] = R[3*i + 1] = R[3*i + 2] = slip_barrier_compliance(gap, SLIP_R(0.01), 100, SLIP_R(0.1));
    }
    p = slip_problem_dense_rows(nc, 0, 0, mu, v, R, G, n);
    p.vmin = vmin;
    if (k == 0) {
        const size_t bytes = slip_ccp_barrier_bytes(&p, &o);

        s->block = cli_alloc(bytes);
        s->scratch = slip_arena_over(s->block, bytes);
    }
    slip_ccp_barrier(&p, &o, &sol, &s->scratch);
    slip_problem_velocity(&p, s->lambda, s->work);
    memcpy(v, s->work, (size_t)n*sizeof *v);               /* p.g is now the desired velocity */
    s->p[k] = p;
}

static slip_real *invbench_reals(int n) { return (slip_real *)cli_alloc((size_t)n*sizeof(slip_real)); }

static void invbench_prepare(invbench_set *s, int nc)
{
    const int n = 3*nc, K = INVBENCH_CASES;
    slip_random rng = slip_random_seed(11);
    int k;

    s->nc = nc;
    s->G = invbench_reals(K*n*n);
    s->v = invbench_reals(K*n);
    s->free = invbench_reals(K*n);
    s->mu = invbench_reals(K*nc);
    s->R = invbench_reals(K*n);
    s->vmin = invbench_reals(K*nc);
    s->lambda = invbench_reals(n);
    s->work = invbench_reals(2*n);
    for (k = 0; k < K; ++k) invbench_problem(&rng, s, k);
}

static void invbench_release(invbench_set *s)
{
    free(s->G); free(s->v); free(s->free); free(s->mu); free(s->R); free(s->vmin); free(s->lambda); free(s->work);
    free(s->block);
}

/* ---- timed functions ----------------------------------------------------------------------------------- */

static void invbench_barrier(void *context)
{
    invbench_set *s = (invbench_set *)context;
    int k;

    for (k = 0; k < INVBENCH_CASES; ++k) slip_id_barrier(&s->p[k], NULL, s->lambda, s->work, NULL);
}

static void invbench_prox(void *context)
{
    invbench_set *s = (invbench_set *)context;
    int k;

    for (k = 0; k < INVBENCH_CASES; ++k) slip_id_prox(&s->p[k], NULL, 0, s->lambda, NULL, NULL);
}

/* Forward, from cold: one Newton method for all contacts together. */
static void invbench_forward(void *context)
{
    invbench_set *s = (invbench_set *)context;
    const slip_solver_options o = slip_solver_defaults();
    double sum = 0;
    int k;

    for (k = 0; k < INVBENCH_CASES; ++k) {
        slip_solution sol = slip_solution_over(s->lambda, NULL, NULL);
        slip_problem p = s->p[k];

        p.g = s->free + k*p.n;
        slip_ccp_barrier(&p, &o, &sol, &s->scratch);
        sum += sol.iterations;
    }
    s->forward_iterations = sum/INVBENCH_CASES;
}

/* Newton iterations of the slowest contact, averaged over the problems (TO Fig. 4, left). */
static double invbench_iterations(invbench_set *s)
{
    slip_id_result r;
    double sum = 0;
    int k;

    for (k = 0; k < INVBENCH_CASES; ++k) {
        slip_id_barrier(&s->p[k], NULL, s->lambda, s->work, &r);
        sum += r.iterations;
    }
    return sum/INVBENCH_CASES;
}

void bench_inverse_measure(int contacts, int batches, bench_inverse_row *row)
{
    invbench_set *s = (invbench_set *)cli_alloc(sizeof *s);

    invbench_prepare(s, contacts);
    row->contacts = contacts;
    row->barrier_ns = bench_run(invbench_barrier, s, INVBENCH_CASES, batches).best_ns;
    row->prox_ns = bench_run(invbench_prox, s, INVBENCH_CASES, batches).best_ns;
    row->forward_ns = bench_run(invbench_forward, s, INVBENCH_CASES, batches < 20 ? 1 : batches/20).best_ns;
    row->iterations = invbench_iterations(s);
    row->forward_iterations = s->forward_iterations;
    invbench_release(s);
    free(s);
}

/* ---- output -------------------------------------------------------------------------------------------- */

const bench_inverse_printed bench_inverse_table[BENCH_INVERSE_TABLE] = {
    { 2, 241774 }, { 5, 54190 }, { 10, 12991 }, { 20, 2361 } };

static void invbench_print(const bench_inverse_row *row, double paper, int json, int first)
{
    const double barrier = 1e9/row->barrier_ns, prox = 1e9/row->prox_ns;

    if (!json) {
        printf("%9d %14.0f %12.0f %9.1f %14.0f %12.1f\n", row->contacts, barrier, paper, barrier/paper, prox,
               row->iterations);
        return;
    }
    printf("%s{\"contacts\": %d, \"id_barrier_per_s\": %.0f, \"paper_per_s\": %.0f, \"ratio\": %.2f, "
           "\"id_prox_per_s\": %.0f, "
           "\"newton_iterations\": %.2f}", first ? "[\n" : ",\n", row->contacts, barrier, paper, barrier/paper, prox,
           row->iterations);
}

/* All rows. */
static void invbench_run(int batches, int json)
{
    double worst = 1e300, first = 0, last = 0;
    int i;

    if (!json)
        printf("%9s %14s %12s %9s %14s %12s\n", "contacts", "id-barrier/s", "TO Tab. 1/s", "ratio", "id-prox/s",
               "Newton steps");
    for (i = 0; i < BENCH_INVERSE_TABLE; ++i) {
        const double paper = bench_inverse_table[i].per_second;
        bench_inverse_row row;

        bench_inverse_measure(bench_inverse_table[i].contacts, batches, &row);
        invbench_print(&row, paper, json, i == 0);
        worst = fmin(worst, 1e9/row.barrier_ns/paper);
        if (i == 0) first = row.barrier_ns;
        last = row.barrier_ns;
    }
    if (json) puts("\n]");
    else
        printf("time grows with the number of contacts to the power %.2f; smallest ratio %.1f\n",
               log(last/first)/log(10.0), worst);
}

int slip_bench_inverse(int argc, char **argv)
{
    int json = 0, batches = 200, kind;
    cli_args args;

    cli_begin(&args, argc, argv);
    args.command = "bench inverse";
    while ((kind = cli_next(&args)) != 0) {
        if (kind == 2) return cli_usage(&args, "unexpected argument '%s'", args.value);
        if (cli_is(&args, "--help") || cli_is(&args, "-h")) {
            fputs(invbench_help, stdout);
            return CLI_OK;
        } else if (cli_is(&args, "--json")) json = 1;
        else if (cli_is(&args, "--batches")) {
            if (!cli_value_int(&args, 1, 1000000, &batches)) return CLI_USAGE;
        } else return cli_unknown(&args);
    }
    invbench_run(batches, json);
    return CLI_OK;
}
