/* CR Fig. 2, one solver from rigid to soft contacts; and the time of CR's forward dynamics, ABA. */
#include "papers_cr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "model_file.h"

/* ---- Fig. 2: from rigid to soft --------------------------------------------------------------------------------- */

enum { SOFT_MOST = 16, SOFT_WAYS = 3 };

/* Three slabs of 1 kg on each other slide ahead and come to rest on four points each. The lowest presses its spring
 * with the weight of three. Dampers are k times 20 ms: with one time constant for all, R = 1/(k dt (dt + 20 ms)) a
 * point, and the depth at rest, m g/(4 k), is R m g dt (dt + 20 ms)/4. */
static const double soft_mass = 3, soft_gravity = 9.81, soft_dt = 0.001, soft_constant = 0.02;
static const char soft_scene[] =
    "<scene name=\"slabs\"><simulation dt=\"0.001\" duration=\"2\"/>"
    "<surface name=\"default\" friction=\"0.5\"/><surface name=\"soft\" friction=\"0.5\"%s/><ground/>"
    "<body name=\"slab\" mass=\"1\" surface=\"soft\" velocity=\"1 0 0\"><origin xyz=\"0 0 0.05\"/>"
    "<geometry><box size=\"0.4 0.4 0.1\"/></geometry><copies count=\"1 1 3\" step=\"0 0 0.1\"/></body></scene>";

static const struct { const char *name; const slip_solver *solver; } soft_ways[SOFT_WAYS] = {
    { "ncp-admm", &slip_solver_ncp_admm }, { "ncp-pgs", &slip_solver_ncp_pgs }, { "default (ours)",
      &slip_solver_default } };

typedef struct {
    slip_real R[SOFT_MOST];                  /* of a contact on the ground [1/kg], the rigid one left out  */
    slip_real depth[SOFT_MOST], theory[SOFT_MOST], apart[SOFT_MOST], iterations[SOFT_MOST];  /* [m, m, m, 1] */
    double rigid_depth, rigid_iterations, rigid_x[3];
    long missed;
    int n;
} soft_sweep;

/* Runs the scene with springs of so many N/m a point, 0: rigid. x: where the slabs are in the end. */
static int soft_run(papers_run *r, const slip_solver *solver, double stiffness, double x[3], double *depth,
                    double *iterations, long *missed)
{
    static const char *const options[] = { "tol", "1e-6", NULL };
    char surface[96] = "", text[1024];
    sim_result result;
    sim_session s;
    int i;

    if (stiffness > 0) snprintf(surface, sizeof surface, " stiffness=\"%.9g\" damping=\"%.9g\"", stiffness,
                                soft_constant*stiffness);
    snprintf(text, sizeof text, soft_scene, surface);
    if (!papers_open(r, "slabs", text, solver, 0, papers_is_quick(r) ? 1.2 : 2, options, &s)) return 0;
    sim_run(&s, NULL, &result);
    for (i = 0; i < 3; ++i) x[i] = (double)slip_world_q(s.world)[7*i];
    *depth = 0.05 - (double)slip_world_q(s.world)[2];
    *iterations = result.iterations_mean;
    *missed += result.missed;
    sim_close(&s);
    return result.status >= 0;
}

static int soft_sweep_all(papers_run *r, int way, FILE *csv, soft_sweep *w)
{
    const int per_decade = papers_is_quick(r) ? 1 : 2;
    int k;

    memset(w, 0, sizeof *w);
    if (!soft_run(r, soft_ways[way].solver, 0, w->rigid_x, &w->rigid_depth, &w->rigid_iterations, &w->missed)) return 0;
    fprintf(csv, "%s,0,%.9g,0,0,%.3f\n", soft_ways[way].name, w->rigid_depth, w->rigid_iterations);
    for (k = 0; k <= 5*per_decade; ++k) {
        const double stiffness = 1e3*pow(10, (double)k/per_decade);
        double x[3], depth, iterations;

        if (!soft_run(r, soft_ways[way].solver, stiffness, x, &depth, &iterations, &w->missed)) return 0;
        w->R[w->n] = (slip_real)(1/(stiffness*soft_dt*(soft_dt + soft_constant)));
        w->depth[w->n] = (slip_real)depth;
        w->theory[w->n] = (slip_real)(soft_mass*soft_gravity/(4*stiffness));
        w->apart[w->n] = (slip_real)fmax(fabs(x[0] - w->rigid_x[0]), 1e-12);
        w->iterations[w->n] = (slip_real)iterations;
        fprintf(csv, "%s,%.9g,%.9g,%.9g,%.9g,%.3f\n", soft_ways[way].name, (double)w->R[w->n], depth,
                (double)w->theory[w->n], (double)w->apart[w->n], iterations);
        ++w->n;
        papers_progress(r, (way + (k + 1)/(5.0*per_decade + 1))/SOFT_WAYS);
    }
    return 1;
}

/* Slope of log y over log x by least squares. */
static double soft_slope(const slip_real *x, const slip_real *y, int n)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    int i;

    for (i = 0; i < n; ++i) {
        const double a = log((double)x[i]), b = log((double)y[i]);

        sx += a;
        sy += b;
        sxx += a*a;
        sxy += a*b;
    }
    return (n*sxy - sx*sy)/(n*sxx - sx*sx);
}

static void soft_series(const soft_sweep *w, int i, const slip_real *y, slip_plot_series *series)
{
    memset(series, 0, sizeof *series);
    series->name = soft_ways[i].name;
    series->x = w[i].R;
    series->y = y;
    series->n = w[i].n;
}

static void soft_draw(papers_run *r, const soft_sweep *w)
{
    slip_plot_series series[SOFT_WAYS + 1];
    slip_plot plot;
    int i;

    memset(&plot, 0, sizeof plot);
    plot.series = series;
    plot.x_label = "compliance R of a contact [1/kg]";
    plot.log_x = plot.log_y = 1;
    for (i = 0; i < SOFT_WAYS; ++i) soft_series(w, i, w[i].depth, &series[i]);
    soft_series(w, 0, w[0].theory, &series[SOFT_WAYS]);
    series[SOFT_WAYS].name = "m g/(4 k)";
    series[SOFT_WAYS].style = SLIP_PLOT_POINTS;
    plot.nseries = SOFT_WAYS + 1;
    plot.title = "Depth at rest";
    plot.y_label = "depth of the lowest slab [m]";
    papers_plot(r, "depth", "Penetration at rest is proportional to the compliance. The solvers' lines lie on each "
                "other.",
                &plot);
    for (i = 0; i < SOFT_WAYS; ++i) soft_series(w, i, w[i].apart, &series[i]);
    plot.nseries = SOFT_WAYS;
    plot.title = "Distance from the rigid run";
    plot.y_label = "final position against R = 0 [m]";
    papers_plot(r, "rigid", "Where the lowest slab comes to rest, against the run with rigid contacts: the limit is "
                "reached continuously.", &plot);
    for (i = 0; i < SOFT_WAYS; ++i) soft_series(w, i, w[i].iterations, &series[i]);
    plot.title = "Iterations a step";
    plot.y_label = "iterations, mean over the run";
    papers_plot(r, "iterations", "Rigid contacts are no special case for ADMM: the iterations do not grow towards R = "
                "0.",
                &plot);
}

static void soft_judge(papers_run *r, const soft_sweep *w)
{
    const int n = w->n;
    double off = 0;
    int i;

    for (i = 0; i < n; ++i) off = fmax(off, fabs((double)(w->depth[i]/w->theory[i]) - 1));
    papers_number(r, "exponent of the depth over R", "1 (linear)", "%.5f", soft_slope(w->R, w->depth, n));
    papers_number(r, "depth against m g/(4 k), farthest off", "-", "%.1e relative, R from %.2g to %.2g 1/kg", off,
                  (double)w->R[n - 1], (double)w->R[0]);
    papers_number(r, "depth of the rigid slab", "0", "%.1e m", w->rigid_depth);
    for (i = 0; i < SOFT_WAYS; ++i)
        papers_number(r, i == 0 ? "ncp-admm: iterations a step, softest, hardest, rigid" : i == 1
                      ? "ncp-pgs: the same" : "default (ours): the same", "-", "%.1f, %.1f, %.1f; %ld steps missed "
                        "the tolerance",
                      (double)w[i].iterations[0], (double)w[i].iterations[n - 1], w[i].rigid_iterations, w[i].missed);
    papers_check(r, PAPERS_CLAIM, off < 0.01 && fabs(soft_slope(w->R, w->depth, n) - 1) < 0.01,
                 "the depth at rest is proportional to R over five decades: exponent %.4f, within %.1e of m g/(4 k)",
                 soft_slope(w->R, w->depth, n), off);
    papers_check(r, PAPERS_CLAIM, fabs(w->rigid_depth) < 1e-6, "R = 0 is solved as well and leaves no depth: %.1e m",
                 w->rigid_depth);
    papers_check(r, PAPERS_CLAIM, soft_slope(w->R, w->apart, n) > 0.5 && w->apart[n - 1] < SLIP_R(1e-3)*w->apart[0],
                 "the rigid limit is reached continuously: the final position differs by %.1e m at the softest and "
                 "%.1e m at the hardest contact", (double)w->apart[0], (double)w->apart[n - 1]);
    papers_check(r, PAPERS_CLAIM, w->missed == 0, "ncp-admm meets its tolerance in every step, rigid or soft: %ld "
                 "missed", w->missed);
}

int cr_fig2(papers_run *r)
{
    soft_sweep *w = (soft_sweep *)cli_alloc(SOFT_WAYS*sizeof *w);
    FILE *csv = papers_csv(r, NULL);
    int i, ok = csv != NULL;

    if (sizeof(slip_real) < 8) papers_say(r, "Single precision does not resolve the depths of hard contacts: nothing "
        "is measured.");
    if (ok) fprintf(csv, "solver,R [1/kg],depth [m],m g/(4 k) [m],from the rigid run [m],iterations\n");
    for (i = 0; ok && sizeof(slip_real) >= 8 && i < SOFT_WAYS; ++i) ok = soft_sweep_all(r, i, csv, &w[i]);
    if (ok && sizeof(slip_real) >= 8) {
        soft_judge(r, w);
        soft_draw(r, w);
    }
    free(w);
    return ok;
}

/* ---- ABA -------------------------------------------------------------------------------------------------------- */

enum { ABA_STATES = 64, ABA_MODELS = 5, ABA_HUMANOID = 4 };

static const struct { const char *name, *path; int is_free; } aba_models[ABA_MODELS] = {
    { "arm", "models/arm.urdf", 0 }, { "quadruped", "models/quadruped.urdf", 1 },
    { "simple humanoid", "models/humanoid.urdf", 1 }, { "Cassie, an open tree", "models/cassie.urdf", 1 },
    { "humanoid", "models/humanoid37.urdf", 1 } };

typedef struct { const slip_model *m; slip_data *d; slip_real *q, *v, *tau, *a; } aba_case;

static void aba_call(void *context)
{
    const aba_case *c = (const aba_case *)context;
    const int n = c->m->nv;
    int k;

    for (k = 0; k < ABA_STATES; ++k) slip_aba(c->m, c->d, c->q + k*c->m->nq, c->v + k*n, c->tau + k*n, NULL, c->a);
}

/* Makes the last joint of one freedom fixed: the humanoid of 37 freedoms becomes one of 36, as many as Talos has. */
static void aba_weld_last(slip_model_def *def, void *unused)
{
    int i;

    (void)unused;
    for (i = def->njoints - 1; i >= 0; --i)
        if (slip_joint_nv(def->joints[i].type) == 1) { def->joints[i].type = SLIP_JOINT_FIXED;  return; }
}

/* 64 random states, and the time of a call. */
static bench_time aba_measure(const tool_model *t, int batches)
{
    const size_t S = ABA_STATES, nq = (size_t)t->model->nq, nv = (size_t)t->model->nv;
    slip_real *block = (slip_real *)cli_alloc((S*(nq + 2*nv) + nv)*sizeof *block);
    slip_random rng = slip_random_seed(7);
    bench_time time;
    aba_case c;
    size_t i;

    c.m = t->model;
    c.d = t->data;
    c.q = block;
    c.v = c.q + S*nq;
    c.tau = c.v + S*nv;
    c.a = c.tau + S*nv;
    for (i = 0; i < S; ++i) slip_random_q(c.m, &rng, c.q + i*nq);
    for (i = 0; i < S*nv; ++i) c.v[i] = slip_random_uniform(&rng, -1, 1);
    for (i = 0; i < S*nv; ++i) c.tau[i] = slip_random_uniform(&rng, -10, 10);
    time = bench_run(aba_call, &c, ABA_STATES, batches);
    free(block);
    return time;
}

static int aba_all(papers_run *r, FILE *csv, slip_real *freedoms, slip_real *best)
{
    int i;

    for (i = 0; i < ABA_MODELS; ++i) {
        tool_model_options o;
        tool_model t;
        bench_time time;

        memset(&o, 0, sizeof o);
        o.urdf = slip_urdf_defaults();
        o.urdf.find_meshes = 0;
        o.urdf.free_base = aba_models[i].is_free;
        o.quiet = 1;
        if (i == ABA_HUMANOID) o.adjust = aba_weld_last;
        if (!tool_model_load("papers", aba_models[i].path, &o, &t)) return 0;
        time = aba_measure(&t, papers_is_quick(r) ? 400 : 1500);
        freedoms[i] = (slip_real)t.model->nv;
        best[i] = (slip_real)(1e-3*time.best_ns);
        fprintf(csv, "%s,%d,%.4f,%.4f\n", aba_models[i].name, t.model->nv, 1e-3*time.best_ns, 1e-3*time.median_ns);
        tool_model_free(&t);
        papers_progress(r, (i + 1.0)/ABA_MODELS);
    }
    return 1;
}

int cr_aba(papers_run *r)
{
    slip_real freedoms[ABA_MODELS], best[ABA_MODELS];
    slip_plot_series series[1];
    slip_plot plot;
    FILE *csv = papers_csv(r, NULL);
    int i;

    if (!csv) return 0;
    fprintf(csv, "model,freedoms,best [us],median [us]\n");
    if (!aba_all(r, csv, freedoms, best)) return 0;
    for (i = 0; i < ABA_MODELS; ++i) {
        char what[96];

        snprintf(what, sizeof what, "%s, %d freedoms", aba_models[i].name, (int)freedoms[i]);
        papers_number(r, what, i == ABA_HUMANOID ? "< 4 us" : "-", "%.2f us", (double)best[i]);
    }
    papers_check_timed(r, PAPERS_FIGURE, best[ABA_HUMANOID] < 4, "36 freedoms take less than 4 us: %.2f us",
                 (double)best[ABA_HUMANOID]);
    papers_check_timed(r, PAPERS_CLAIM, soft_slope(freedoms, best, ABA_MODELS) < 1.3, "the time grows with the "
                 "freedoms, not with their cube: exponent %.2f", soft_slope(freedoms, best, ABA_MODELS));
    papers_say(r, "The number is of a MacBook Pro with an M1 Max, and this one of the machine that ran the report: "
               "best of many batches over 64 random states, the compiler's default instruction set. make NATIVE=1 "
               "gains about a tenth.");
    memset(series, 0, sizeof series);
    series[0] = papers_line("slip_aba()", freedoms, best, ABA_MODELS);
    series[0].style = SLIP_PLOT_POINTS;
    plot = papers_axes("Forward dynamics by ABA", "freedoms", "time of a call [\302\265s]", 0, series, 1);
    plot.x_hi = 40;
    plot.y_hi = slip_max(5, SLIP_R(1.2)*best[ABA_HUMANOID]);
    papers_plot(r, NULL, "Time of one call of ABA by the number of freedoms; CR's bound is 4 us at 36.", &plot);
    return 1;
}
