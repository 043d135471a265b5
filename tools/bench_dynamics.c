/* slipstick bench dynamics: time per call of each algorithm, over many random states of each model. */
#include "bench.h"
#include "model_file.h"

#include <string.h>
#include <stdlib.h>

static const char dynamics_help[] =
    "usage: slipstick bench dynamics [MODEL...] [--free | --fixed] [--batch] [--json] [--batches N]\n\n"
    "Nanoseconds per call, best and median over many batches, each over the same 64 random states:\n"
    "  fk         poses of all bodies                 jacobians  poses and all columns of the Jacobian\n"
    "  rnea       inverse dynamics                    crba       mass matrix\n"
    "  ltl        sparse factorisation of M           solve      M^-1 x from the factor\n"
    "  aba        forward dynamics                    minv       M^-1 in full, from q\n"
    "  drnea      rnea by q, v and a, all three       daba       aba by q, v and tau, all three\n"
    "All take q and compute what they need from it, but for ltl and solve, which start from M and L.\n\n"
    "  --batch      fk, rnea, crba and aba alone: one state at a time, then all 64 at once (slip_batch), per state\n"
    "  --free       the root floats; the default, but for one called `world` or without mass\n"
    "  --fixed      the root does not float\n"
    "  --json       one object per model and function\n"
    "  --batches N  batches per function (default 200)\n"
    "  MODEL may be - for standard input, with --free or --fixed\n\n"
    "example: slipstick bench dynamics models/double_pendulum.urdf --json\n";

enum { DYN_STATES = 64 };
enum { DYN_EITHER, DYN_FREE, DYN_FIXED };               /* the root floats when it can, always, never */

typedef struct {
    const slip_model *m;
    slip_data *d;
    slip_batch *batch;
    slip_pose *pose;
    void *memory;                                        /* of the batch */
    slip_real *q, *v, *a, *tau, *out, *M;                /* DYN_STATES of each; M packed per state */
    slip_arena ws;                                       /* scratch of the derivatives */
} dyn_case;

/* ---- timed: one sweep over all states -------------------------------------------------------------------- */

static void dyn_fk(void *context)
{
    const dyn_case *c = (const dyn_case *)context;
    int k;

    for (k = 0; k < DYN_STATES; ++k) slip_kinematics(c->m, c->d, c->q + k*c->m->nq);
}

static void dyn_jacobians(void *context)
{
    const dyn_case *c = (const dyn_case *)context;
    int k;

    for (k = 0; k < DYN_STATES; ++k) {
        slip_kinematics(c->m, c->d, c->q + k*c->m->nq);
        slip_dof_columns(c->m, c->d, c->out);
    }
}

static void dyn_rnea(void *context)
{
    const dyn_case *c = (const dyn_case *)context;
    const int n = c->m->nv;
    int k;

    for (k = 0; k < DYN_STATES; ++k) slip_rnea(c->m, c->d, c->q + k*c->m->nq, c->v + k*n, c->a + k*n, NULL, c->out);
}

static void dyn_crba(void *context)
{
    const dyn_case *c = (const dyn_case *)context;
    int k;

    for (k = 0; k < DYN_STATES; ++k) slip_crba(c->m, c->d, c->q + k*c->m->nq);
}

static void dyn_ltl(void *context)
{
    const dyn_case *c = (const dyn_case *)context;
    const slip_branches *b = &c->m->branches;
    int k;

    for (k = 0; k < DYN_STATES; ++k) slip_ltl_factor(b, c->M + k*b->size, c->d->L, c->d->D_inv, NULL);
}

static void dyn_solve(void *context)
{
    const dyn_case *c = (const dyn_case *)context;
    const int n = c->m->nv;
    int k;

    for (k = 0; k < DYN_STATES; ++k) {
        memcpy(c->out, c->tau + k*n, (size_t)n*sizeof *c->out);
        slip_ltl_solve(&c->m->branches, c->d->L, c->d->D_inv, c->out);
    }
}

static void dyn_aba(void *context)
{
    const dyn_case *c = (const dyn_case *)context;
    const int n = c->m->nv;
    int k;

    for (k = 0; k < DYN_STATES; ++k) slip_aba(c->m, c->d, c->q + k*c->m->nq, c->v + k*n, c->tau + k*n, NULL, c->out);
}

static void dyn_minv(void *context)
{
    const dyn_case *c = (const dyn_case *)context;
    int k;

    for (k = 0; k < DYN_STATES; ++k) slip_mass_matrix_inverse(c->m, c->d, c->q + k*c->m->nq, c->out);
}

static void dyn_batch_fk(void *context)
{
    const dyn_case *c = (const dyn_case *)context;

    slip_batch_kinematics(c->batch, DYN_STATES, c->q, c->pose);
}

static void dyn_batch_rnea(void *context)
{
    const dyn_case *c = (const dyn_case *)context;

    slip_batch_rnea(c->batch, DYN_STATES, c->q, c->v, c->a, c->out);
}

static void dyn_batch_crba(void *context)
{
    const dyn_case *c = (const dyn_case *)context;

    slip_batch_crba(c->batch, DYN_STATES, c->q, c->out);
}

static void dyn_batch_aba(void *context)
{
    const dyn_case *c = (const dyn_case *)context;

    slip_batch_aba(c->batch, DYN_STATES, c->q, c->v, c->tau, c->out);
}

static void dyn_drnea(void *context)
{
    dyn_case *c = (dyn_case *)context;
    const int n = c->m->nv;
    int k;

    for (k = 0; k < DYN_STATES; ++k)
        slip_rnea_derivatives(c->m, c->d, c->q + k*c->m->nq, c->v + k*n, c->a + k*n, NULL, c->out, c->out + n*n,
                              &c->ws);
}

static void dyn_daba(void *context)
{
    dyn_case *c = (dyn_case *)context;
    const int n = c->m->nv;
    int k;

    for (k = 0; k < DYN_STATES; ++k)
        slip_aba_derivatives(c->m, c->d, c->q + k*c->m->nq, c->v + k*n, c->tau + k*n, NULL, NULL, c->out, c->out + n*n,
                             c->out + 2*n*n, &c->ws);
}

typedef struct { const char *name; void (*run)(void *context); } dyn_function;

static const dyn_function dyn_functions[] = {
    { "fk", dyn_fk }, { "jacobians", dyn_jacobians }, { "rnea", dyn_rnea }, { "crba", dyn_crba },
    { "ltl", dyn_ltl }, { "solve", dyn_solve }, { "aba", dyn_aba }, { "minv", dyn_minv },
    { "drnea", dyn_drnea }, { "daba", dyn_daba },
};
enum { DYN_FUNCTIONS = (int)(sizeof dyn_functions/sizeof *dyn_functions) };

/* With --batch: pairs, the single function before the one for many states. */
static const dyn_function dyn_pairs[] = {
    { "fk", dyn_fk }, { "fk batch", dyn_batch_fk }, { "rnea", dyn_rnea }, { "rnea batch", dyn_batch_rnea },
    { "crba", dyn_crba }, { "crba batch", dyn_batch_crba }, { "aba", dyn_aba }, { "aba batch", dyn_batch_aba },
};
enum { DYN_PAIRS = (int)(sizeof dyn_pairs/sizeof *dyn_pairs) };

/* ---- states --------------------------------------------------------------------------------------------- */

static slip_real *dyn_reals(size_t n) { return (slip_real *)cli_alloc(n*sizeof(slip_real)); }

static void dyn_fill(slip_random *rng, slip_real *x, int n, slip_real scale)
{
    int i;

    for (i = 0; i < n; ++i) x[i] = slip_random_uniform(rng, -scale, scale);
}

static void dyn_prepare(dyn_case *c, const slip_model *m, slip_data *d)
{
    const size_t S = DYN_STATES, nv = (size_t)m->nv;
    slip_random rng = slip_random_seed(7);
    slip_arena mem;
    int k;

    c->m = m;
    c->d = d;
    c->q = dyn_reals(S*(size_t)m->nq);
    c->v = dyn_reals(S*nv);
    c->a = dyn_reals(S*nv);
    c->tau = dyn_reals(S*nv);
    c->out = dyn_reals(3*nv*nv + 6*(size_t)m->ndofs + 6 + S*(nv + (size_t)m->branches.size));
    c->pose = (slip_pose *)cli_alloc(S*(size_t)m->nbodies*sizeof *c->pose);
    c->memory = cli_alloc(slip_batch_bytes(m));
    mem = slip_arena_over(c->memory, slip_batch_bytes(m));
    slip_batch_create(m, &mem, &c->batch);
    c->ws = slip_arena_over(cli_alloc(slip_derivatives_bytes(m)), slip_derivatives_bytes(m));
    c->M = dyn_reals(S*(size_t)m->branches.size);
    for (k = 0; k < DYN_STATES; ++k) {
        slip_random_q(m, &rng, c->q + k*m->nq);
        dyn_fill(&rng, c->v + k*m->nv, m->nv, 1);
        dyn_fill(&rng, c->a + k*m->nv, m->nv, 5);
        dyn_fill(&rng, c->tau + k*m->nv, m->nv, 10);
        slip_crba(m, d, c->q + k*m->nq);
        memcpy(c->M + k*m->branches.size, d->M, (size_t)m->branches.size*sizeof *c->M);
    }
}

static void dyn_release(dyn_case *c)
{
    free(c->q); free(c->v); free(c->a); free(c->tau); free(c->out); free(c->M); free(c->pose); free(c->memory);
    free(c->ws.base);
}

/* ---- output ---------------------------------------------------------------------------------------------- */

static void dyn_report(const char *model, const tool_model *t, int batches, int pairs, int json, int *first)
{
    const dyn_function *f = pairs ? dyn_pairs : dyn_functions;
    dyn_case c;
    int i;

    dyn_prepare(&c, t->model, t->data);
    if (!json) printf("%s: %d dof, %d bodies\n", model, t->model->nv, t->model->nbodies - 1);
    for (i = 0; i < (pairs ? DYN_PAIRS : DYN_FUNCTIONS); ++i) {
        const bench_time time = bench_run(f[i].run, &c, DYN_STATES, batches);

        if (!json) {
            printf("  %-10s best %8.1f ns   median %8.1f ns\n", f[i].name, time.best_ns, time.median_ns);
            continue;
        }
        printf("%s{\"model\": ", *first ? "[\n" : ",\n");
        cli_json_text(stdout, model);
        printf(", \"function\": \"%s\", \"nv\": %d, \"best_ns\": %.1f, \"median_ns\": %.1f}", f[i].name,
               t->model->nv, time.best_ns, time.median_ns);
        *first = 0;
    }
    dyn_release(&c);
}

/* Whether a robot on a fixed base could float: not when its root is called `world` or has no mass. */
static int dyn_can_float(const tool_model *t)
{
    return strcmp(t->urdf.def.links[t->urdf.root].name, "world") != 0 && t->model->body_mass[0] > 0;
}

/* base: DYN_FREE, DYN_FIXED, or DYN_EITHER: free where the model can float. */
static int dyn_model(const char *path, int base, int batches, int pairs, int json, int *first)
{
    tool_model_options o;
    tool_model t;

    memset(&o, 0, sizeof o);
    o.urdf = slip_urdf_defaults();
    o.urdf.find_meshes = 0;
    o.urdf.free_base = base == DYN_FREE;
    o.quiet = 1;
    if (!tool_model_load("bench dynamics", path, &o, &t)) return CLI_FAILED;
    if (base == DYN_EITHER && dyn_can_float(&t)) {
        tool_model_free(&t);
        o.urdf.free_base = 1;
        if (!tool_model_load("bench dynamics", path, &o, &t)) return CLI_FAILED;
    }
    dyn_report(path, &t, batches, pairs, json, first);
    tool_model_free(&t);
    return CLI_OK;
}

int slip_bench_dynamics(int argc, char **argv)
{
    static const char *const defaults[] = { "models/double_pendulum.urdf", "models/gripper.urdf" };
    const char *paths[64];
    int n = 0, base = DYN_EITHER, json = 0, pairs = 0, batches = 200, first = 1, kind, i, rc = CLI_OK;
    cli_args args;

    cli_begin(&args, argc, argv);
    args.command = "bench dynamics";
    while ((kind = cli_next(&args)) != 0) {
        if (kind == 2) {
            if (n == 64) return cli_usage(&args, "more than 64 models");
            paths[n++] = args.value;
        } else if (cli_is(&args, "--help") || cli_is(&args, "-h")) {
            fputs(dynamics_help, stdout);
            return CLI_OK;
        } else if (cli_is(&args, "--free")) base = DYN_FREE;
        else if (cli_is(&args, "--fixed")) base = DYN_FIXED;
        else if (cli_is(&args, "--json")) json = 1;
        else if (cli_is(&args, "--batch")) pairs = 1;
        else if (cli_is(&args, "--batches")) {
            if (!cli_value_int(&args, 1, 1000000, &batches)) return CLI_USAGE;
        } else return cli_unknown(&args);
    }
    for (i = 0; n == 0 && i < (int)(sizeof defaults/sizeof *defaults); ++i) paths[i] = defaults[i];
    if (n == 0) n = i;
    for (i = 0; i < n; ++i)                              /* finding out whether a root can float reads the file twice */
        if (base == DYN_EITHER && strcmp(paths[i], "-") == 0)
            return cli_usage(&args, "standard input needs --free or --fixed");
    for (i = 0; i < n && rc == CLI_OK; ++i) rc = dyn_model(paths[i], base, batches, pairs, json, &first);
    if (json) puts(first ? "[]" : "\n]");
    return rc;
}
