/* The experiments of TO. See papers.h. */
#include "papers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "bench_inverse.h"
#include "solvers/barrier.h"

/* ---- the barrier and its elastic form: TO Fig. 1 ----------------------------------------------------------------- */

enum { TO_WEIGHTS = 4, TO_POINTS = 401 };

static const double to_slope = 7, to_weights[TO_WEIGHTS] = { 0.1, 0.5, 1, 2 };
static const char *const to_weight_names[TO_WEIGHTS] = { "t = 0.1", "t = 0.5", "t = 1", "t = 2" };
static const char *const to_elastic_names[TO_WEIGHTS] = {
    "elastic, t = 0.1", "elastic, t = 0.5", "elastic, t = 1", "elastic, t = 2" };

typedef struct { slip_real x[TO_POINTS], log[TO_WEIGHTS][TO_POINTS], elastic[TO_WEIGHTS][TO_POINTS]; } to_curves;

static void to_draw_curves(to_curves *c)
{
    slip_real d1, d2;
    int i, k;

    for (k = 0; k < TO_POINTS; ++k) {
        c->x[k] = (slip_real)(-1 + 0.01*k);
        for (i = 0; i < TO_WEIGHTS; ++i) {
            c->log[i][k] = slip_barrier_scalar((slip_real)to_weights[i], 0, c->x[k], &d1, &d2);
            c->elastic[i][k] = slip_barrier_scalar((slip_real)to_weights[i], (slip_real)to_slope, c->x[k], &d1, &d2);
        }
    }
}

/* How far the elastic form is from -t log x where it should be the same, from x0 on. */
static double to_curves_apart(const to_curves *c, int i)
{
    double most = 0;
    int k;

    for (k = 0; k < TO_POINTS; ++k)
        if ((double)c->x[k] >= to_weights[i]/to_slope)
            most = fmax(most, fabs((double)(c->elastic[i][k] - c->log[i][k])));
    return most;
}

/* The jumps of value, slope and curvature of the elastic form across x0, relative to t, s and s^2/t: from the values
 * and derivatives on both sides. */
static double to_curve_jump(int i)
{
    const double t = to_weights[i], x0 = t/to_slope, h = (double)SLIP_TOL(1e-9, 1e-4)*x0;
    slip_real value[2], d1[2], d2[2];
    int k;

    for (k = 0; k < 2; ++k)
        value[k] = slip_barrier_scalar((slip_real)t, (slip_real)to_slope, (slip_real)(x0 + (k ? h : -h)), &d1[k],
                                       &d2[k]);
    return fmax(fabs((double)(value[1] - value[0]))/t,
                fmax(fabs((double)(d1[1] - d1[0]))/to_slope, fabs((double)(d2[1] - d2[0]))*t/(to_slope*to_slope)));
}

/* Whether second differences of the drawn values are positive: the function is convex. */
static int to_curve_is_convex(const to_curves *c, int i)
{
    int k, ok = 1;

    for (k = 1; k + 1 < TO_POINTS; ++k)
        ok &= (double)(c->elastic[i][k + 1] - 2*c->elastic[i][k] + c->elastic[i][k - 1]) > 0;
    return ok;
}

static void to_fig1_write(FILE *csv, const to_curves *c)
{
    int i, k;

    fprintf(csv, "x");
    for (i = 0; i < TO_WEIGHTS; ++i) fprintf(csv, ",-t log x (t = %g),elastic (t = %g)", to_weights[i], to_weights[i]);
    fputc('\n', csv);
    for (k = 0; k < TO_POINTS; ++k) {
        fprintf(csv, "%.9g", (double)c->x[k]);
        for (i = 0; i < TO_WEIGHTS; ++i) fprintf(csv, ",%.9g,%.9g", (double)c->log[i][k], (double)c->elastic[i][k]);
        fputc('\n', csv);
    }
}

static int to_fig1(papers_run *r)
{
    to_curves *c = (to_curves *)cli_alloc(sizeof *c);
    FILE *csv = papers_csv(r, NULL);
    slip_plot_series series[2*TO_WEIGHTS];
    slip_plot plot;
    double apart = 0, jump = 0;
    int i, convex = 1;

    if (!csv) { free(c);  return 0; }
    to_draw_curves(c);
    to_fig1_write(csv, c);
    for (i = 0; i < TO_WEIGHTS; ++i) {
        series[i] = papers_line(to_weight_names[i], c->x, c->log[i], TO_POINTS);
        series[TO_WEIGHTS + i] = papers_line(to_elastic_names[i], c->x, c->elastic[i], TO_POINTS);
        series[TO_WEIGHTS + i].colour = series[i].colour = i + 1;
        apart = fmax(apart, to_curves_apart(c, i));
        jump = fmax(jump, to_curve_jump(i));
        convex &= to_curve_is_convex(c, i);
    }
    papers_check(r, PAPERS_CLAIM, apart < (double)SLIP_TOL(1e-12, 1e-5), "from x0 = t/s on the elastic form is the "
                 "barrier: apart by %.1e J", apart);
    papers_check(r, PAPERS_CLAIM, jump < (double)SLIP_TOL(1e-7, 1e-2), "value, slope and curvature are continuous at "
                 "x0: relative jumps of at most %.1e", jump);
    papers_check(r, PAPERS_CLAIM, convex, "it is finite and convex for every x drawn");
    plot = papers_axes("Barrier and elastic barrier, s = 7", "x", "barrier [J]", 0, series, 2*TO_WEIGHTS);
    plot.x_lo = -1;
    plot.x_hi = 3;
    plot.y_lo = -2;
    plot.y_hi = 10;
    papers_plot(r, NULL, "-t log x, and the elastic form that goes on below x0 = t/s as a parabola.", &plot);
    free(c);
    return 1;
}

/* ---- a ball drops: TO Fig. 3 ------------------------------------------------------------------------------------- */

enum { TO_DROP_STEPS = 600, TO_DROPS = 5 };

/* A ball whose lowest point is 0.3 m above the ground; the margin is TO's d_max. */
static const double to_drop_dt = 0.001, to_drop_height = 0.3, to_gravity = 9.81;
static const char to_ball[] =
    "<scene name=\"ball\"><simulation dt=\"0.001\" duration=\"0.6\" margin=\"0.1\"/>"
    "<surface name=\"default\" friction=\"0.5\"/><ground/>"
    "<body name=\"ball\" mass=\"%g\"><origin xyz=\"0 0 0.4\"/><geometry><sphere "
    "radius=\"0.1\"/></geometry></body></scene>";

/* The last one is rigid. */
static const struct { const char *name; double weight, mass; } to_drops[TO_DROPS + 1] = {
    { "1 kg, t = 0.0001 J", 1e-4, 1 }, { "1 kg, t = 0.001 J", 1e-3, 1 }, { "1 kg, t = 0.01 J", 1e-2, 1 },
    { "1 kg, t = 0.1 J", 0.1, 1 }, { "10 kg, t = 0.1 J", 0.1, 10 }, { "1 kg, rigid, default (ours)", 0, 1 } };

typedef struct {
    slip_real time[TO_DROP_STEPS], gap[TO_DROP_STEPS];           /* [s, m]     */
    slip_real velocity[TO_DROP_STEPS], impulse[TO_DROP_STEPS];   /* [m/s, N s] */
    int n;
} to_drop;

static void to_drop_note(to_drop *d, slip_world *world, double impulse)
{
    d->time[d->n] = (slip_real)(to_drop_dt*(d->n + 1));
    d->gap[d->n] = slip_world_q(world)[2] - SLIP_R(0.1);
    d->velocity[d->n] = slip_world_v(world)[2];
    d->impulse[d->n] = (slip_real)impulse;
    ++d->n;
}

static int to_drop_open(papers_run *r, int i, const slip_solver *solver, sim_session *s)
{
    char text[512];

    snprintf(text, sizeof text, to_ball, to_drops[i].mass);
    return papers_open(r, "ball", text, solver, 0, 0, NULL, s);
}

/* TO's forward model: slip_forward_dynamics(), which calls ccp-barrier with the gap as v_min (TO eq. 11). */
static int to_drop_smooth(papers_run *r, int i, to_drop *d)
{
    slip_inverse_options o = slip_inverse_defaults();
    sim_session s;
    size_t bytes;
    void *block;
    slip_arena scratch;
    int k, ok = 1;

    d->n = 0;
    o.method = SLIP_ID_BARRIER;
    o.barrier.barrier = (slip_real)to_drops[i].weight;
    if (!to_drop_open(r, i, &slip_solver_ccp_barrier, &s)) return 0;
    bytes = slip_inverse_bytes(s.world, &o);
    block = cli_alloc(bytes);
    scratch = slip_arena_over(block, bytes);
    for (k = 0; k < TO_DROP_STEPS && ok; ++k) {
        slip_real q[7], v[6], tau[6] = { 0 };
        slip_inverse_result result;

        ok = slip_forward_dynamics(s.world, slip_world_q(s.world), slip_world_v(s.world), tau, &o, &scratch, q, v,
                                   &result) >= 0;
        memcpy(slip_world_q(s.world), q, sizeof q);
        memcpy(slip_world_v(s.world), v, sizeof v);
        to_drop_note(d, s.world, result.contacts > 0 ? (double)slip_contact_get(s.world, 0).impulse[2] : 0);
    }
    if (!ok) cli_fail("TO-fig3", "%s", slip_world_error(s.world)->what);
    free(block);
    sim_close(&s);
    return ok;
}

static int to_drop_step(void *context, sim_session *s, long k)
{
    to_drop *d = (to_drop *)context;

    (void)k;
    to_drop_note(d, s->world, slip_contact_count(s->world) > 0 ? (double)slip_contact_get(s->world, 0).impulse[2] : 0);
    return d->n < TO_DROP_STEPS;
}

/* A rigid impact, by a solver of ours. */
static int to_drop_rigid(papers_run *r, to_drop *d)
{
    sim_observer observer = { to_drop_step, 1, NULL };
    sim_result result;
    sim_session s;

    d->n = 0;
    observer.context = d;
    if (!to_drop_open(r, TO_DROPS, &slip_solver_default, &s)) return 0;
    sim_run(&s, &observer, &result);
    sim_close(&s);
    return result.status >= 0;
}

/* What a drop comes to: the impulse of the first step inside the margin, the largest one, its largest change from step
 * to step, the lowest gap, the speed at the end. */
typedef struct { double first, peak, jump, lowest, last_speed; } to_drop_facts;

static to_drop_facts to_drop_look(const to_drop *d)
{
    to_drop_facts f = { 0, 0, 0, 1, 0 };
    int k;

    for (k = 0; k < d->n; ++k) {
        const double now = (double)d->impulse[k], before = k > 0 ? (double)d->impulse[k - 1] : 0;

        f.peak = fmax(f.peak, now);
        f.lowest = fmin(f.lowest, (double)d->gap[k]);
        if (f.first <= 0) f.first = now;
        else if (before > 0 && now > 0) f.jump = fmax(f.jump, fabs(now - before));
    }
    f.last_speed = fabs((double)d->velocity[d->n - 1]);
    return f;
}

static void to_fig3_write(FILE *csv, const to_drop *drops)
{
    int i, k;

    fprintf(csv, "model,time [s],gap [m],velocity [m/s],impulse [N s]\n");
    for (i = 0; i <= TO_DROPS; ++i)
        for (k = 0; k < drops[i].n; ++k)
            fprintf(csv, "\"%s\",%.9g,%.9g,%.9g,%.9g\n", to_drops[i].name, (double)drops[i].time[k],
                    (double)drops[i].gap[k], (double)drops[i].velocity[k], (double)drops[i].impulse[k]);
}

static void to_fig3_plots(papers_run *r, const to_drop *d)
{
    slip_plot_series series[TO_DROPS + 1];
    int i, what;

    for (what = 0; what < 3; ++what) {
        static const struct { const char *name, *title, *axis, *caption; } texts[3] = {
            { "impulse", "Impulse of the ground in a step", "impulse [N s]", "It sets in at the margin and is spread "
              "over many steps; rigid contact takes all of it in one." },
            { "velocity", "Velocity of the ball", "velocity [m/s]", "The ball is slowed down inside the margin, and "
                                                                    "stops." },
            { "gap", "Gap below the ball", "gap [m]", "None of them enters the ground." } };

        for (i = 0; i <= TO_DROPS; ++i)
            series[i] = papers_line(to_drops[i].name, d[i].time,
                                what == 0 ? d[i].impulse : what == 1 ? d[i].velocity : d[i].gap, d[i].n);
        papers_draw(r, texts[what].name, texts[what].caption, texts[what].title, "time [s]", texts[what].axis,
                    what == 0 ? 2 : 0, series, TO_DROPS + 1);
    }
}

static void to_fig3_check(papers_run *r, int i, const to_drop_facts *f)
{
    const double rigid = to_drops[i].mass*sqrt(2*to_gravity*to_drop_height);
    char what[96];

    snprintf(what, sizeof what, "%s: impulse at the margin; at most; rigid impact; lowest gap", to_drops[i].name);
    papers_number(r, what, "-", "%.2g; %.2g; %.2f N s; %.2g m", f->first, f->peak, rigid, f->lowest);
    if (i == TO_DROPS) return;
    papers_check(r, PAPERS_CLAIM, f->lowest > 0, "%s: no penetration, the gap is at least %.2g m", to_drops[i].name,
                 f->lowest);
    papers_check(r, PAPERS_CLAIM, f->peak < 0.05*rigid, "%s: the impulse is distributed over time, no step takes more "
                 "than %.1f %% of a rigid impact", to_drops[i].name, 100*f->peak/rigid);
    papers_check(r, PAPERS_CLAIM, f->jump < 0.1*f->peak, "%s: inside the margin it is smooth, from step to step it "
                 "changes by at most %.1f %% of its peak", to_drops[i].name, 100*f->jump/f->peak);
}

static void to_fig3_say(papers_run *r, const to_drop_facts *f)
{
    const double v = sqrt(2*to_gravity*to_drop_height);

    papers_say(r, "The paper names neither the ball nor t for this figure. Its t = 0.1 J goes with steps of 10 ms; at "
               "1 ms it keeps a ball of 1 kg from coming nearer than %.0f mm. For this ball, smoothness does not "
               "depend on t.",
               1e3*f[3].lowest);
    papers_say(r, "It does depend on the mass: the ball of 10 kg is not stopped within the margin, and the barrier at "
               "the ground takes %.0f %% of a rigid impact in one step. A step takes the share A/(A + R) of the "
               "velocity, A = 1/m, and the ball is in the margin for 0.1 m/(v dt) = %.0f steps: with R from 100 to "
               "0.01 that is enough for A = 1 and not for A = 0.1. No ball penetrates, as v_min forbids it.",
               100*f[4].peak/(10*v), 0.1/(v*to_drop_dt));
    papers_say(r, "The impulse does not start at zero: at the margin R is R_max, so that a contact that appears with "
               "speed v is met by about v/R_max, %.3f N s here, and by the barrier's own share, which grows with t. "
               "Against a rigid impact that is %.1f %%.", f[0].first, 100*f[0].first/v);
}

static int to_fig3(papers_run *r)
{
    to_drop *drops = (to_drop *)cli_alloc((TO_DROPS + 1)*sizeof *drops);
    FILE *csv = papers_csv(r, NULL);
    to_drop_facts f[TO_DROPS + 1];
    int i, ok = csv != NULL;

    for (i = 0; ok && i < TO_DROPS; ++i) ok = to_drop_smooth(r, i, &drops[i]);
    ok = ok && to_drop_rigid(r, &drops[TO_DROPS]);
    for (i = 0; ok && i <= TO_DROPS; ++i) {
        f[i] = to_drop_look(&drops[i]);
        to_fig3_check(r, i, &f[i]);
    }
    if (ok) {
        papers_check(r, PAPERS_CLAIM, f[0].last_speed < 0.05, "%s: the ball comes to a stop, %.1e m/s at the end",
                     to_drops[0].name, f[0].last_speed);
        to_fig3_say(r, f);
        to_fig3_write(csv, drops);
        to_fig3_plots(r, drops);
    }
    free(drops);
    return ok;
}

/* ---- inverse evaluations: TO Fig. 4, Tab. 1 ---------------------------------------------------------------------- */

enum { TO_COUNTS = 8 };

static const int to_counts[TO_COUNTS] = { 1, 2, 3, 5, 7, 10, 14, 20 };

/* The paper's number of evaluations per second for a count of contacts; 0: not in its table. */
static double to_printed(int contacts)
{
    int i;

    for (i = 0; i < BENCH_INVERSE_TABLE; ++i)
        if (bench_inverse_table[i].contacts == contacts) return bench_inverse_table[i].per_second;
    return 0;
}

static void to_tab1_plots(papers_run *r, const bench_inverse_row *rows)
{
    slip_real count[TO_COUNTS], newton[TO_COUNTS], forward[TO_COUNTS], ours[TO_COUNTS], ahead[TO_COUNTS];
    slip_real printed_at[TO_COUNTS], printed[TO_COUNTS];
    slip_plot_series series[3];
    slip_plot plot;
    int i, n = 0;

    for (i = 0; i < TO_COUNTS; ++i) {
        count[i] = (slip_real)rows[i].contacts;
        newton[i] = (slip_real)rows[i].iterations;
        forward[i] = (slip_real)rows[i].forward_iterations;
        ours[i] = (slip_real)(1e-3*rows[i].barrier_ns);
        ahead[i] = (slip_real)(1e-3*rows[i].forward_ns);
        if (to_printed(rows[i].contacts) <= 0) continue;
        printed_at[n] = count[i];
        printed[n++] = (slip_real)(1e6/to_printed(rows[i].contacts));
    }
    series[0] = papers_line("id-barrier (inverse)", count, newton, TO_COUNTS);
    series[1] = papers_line("ccp-barrier (forward)", count, forward, TO_COUNTS);
    papers_draw(r, "iterations", "Mean over 64 problems; for the inverse, of the slowest contact.",
                "Newton iterations, from cold", "contacts", "iterations", 0, series, 2);
    series[0] = papers_line("id-barrier (inverse)", count, ours, TO_COUNTS);
    series[1] = papers_line("ccp-barrier (forward)", count, ahead, TO_COUNTS);
    series[2] = papers_line("TO Tab. 1 (inverse, 2008)", printed_at, printed, n);
    series[2].style = SLIP_PLOT_POINTS;
    plot = papers_axes("Time of one evaluation", "contacts", "time [\302\265s]", 3, series, 3);
    papers_plot(r, "time", "The inverse is linear in the number of contacts here; one Hessian for all, as in the "
                "paper and in our forward solver, goes towards the cube.", &plot);
}

static int to_tab1(papers_run *r)
{
    bench_inverse_row rows[TO_COUNTS];
    FILE *csv = papers_csv(r, NULL);
    double least = (double)INFINITY;
    int i;

    if (!csv) return 0;
    fprintf(csv, "contacts,inverse iterations,forward iterations,inverse [ns],forward [ns],TO [ns]\n");
    for (i = 0; i < TO_COUNTS; ++i) {
        const double printed = to_printed(to_counts[i]);
        char what[64], paper[32];

        bench_inverse_measure(to_counts[i], papers_is_quick(r) ? 40 : 400, &rows[i]);
        fprintf(csv, "%d,%.2f,%.2f,%.1f,%.1f,%.1f\n", to_counts[i], rows[i].iterations, rows[i].forward_iterations,
                rows[i].barrier_ns, rows[i].forward_ns, printed > 0 ? 1e9/printed : 0.0);
        papers_progress(r, (i + 1)/(double)TO_COUNTS);
        if (printed <= 0) continue;
        snprintf(what, sizeof what, "%d contacts: inverse evaluations per second", to_counts[i]);
        snprintf(paper, sizeof paper, "%.0f", printed);
        papers_number(r, what, paper, "%.0f (%.1f Newton iterations)", 1e9/rows[i].barrier_ns, rows[i].iterations);
        least = fmin(least, 1e9/rows[i].barrier_ns/printed);
    }
    papers_number(r, "time with 20 contacts over time with 2", "102", "%.1f (forward, ccp-barrier: %.0f)",
                  rows[TO_COUNTS - 1].barrier_ns/rows[1].barrier_ns, rows[TO_COUNTS - 1].forward_ns/rows[1].forward_ns);
    papers_check(r, PAPERS_CLAIM, rows[TO_COUNTS - 1].iterations < 20, "few Newton iterations: %.1f with 20 contacts",
                 rows[TO_COUNTS - 1].iterations);
    papers_check(r, PAPERS_CLAIM, rows[TO_COUNTS - 1].iterations < 2*rows[1].iterations, "their number grows "
                 "modestly: %.1f with 2 contacts, %.1f with 20", rows[1].iterations, rows[TO_COUNTS - 1].iterations);
    papers_check_timed(r, PAPERS_FIGURE, least > 1, "as fast as in the paper for each count: at least %.1f times",
                       least);
    papers_say(r, "The paper's curve is well fit by a cubic, because it factors one Hessian for all contacts. That "
               "cost is not inherent: in eq. 23 v is known, R is diagonal and the barriers of the cones are per "
               "contact, so that the Hessian is block-diagonal. id-barrier forms one product with A and then solves "
               "each contact apart; its time grows with the power %.2f of the count, that of the forward solver, "
               "which does need the full Hessian, with the power %.2f.",
               log(rows[TO_COUNTS - 1].barrier_ns/rows[1].barrier_ns)/log(10.0),
               log(rows[TO_COUNTS - 1].forward_ns/rows[1].forward_ns)/log(10.0));
    to_tab1_plots(r, rows);
    return 1;
}

/* ---- forward and inverse undo each other: TO Sec. IV ---------------------------------------------------------- */

enum { TO_STATES = 2000, TO_TOLS = 4, TO_MOST = 128 };

static const double to_tols[TO_TOLS] = { 1e-4, 1e-6, 1e-8, 1e-10 };
static const char *const to_tol_names[TO_TOLS] = {
    "tolerance 1e-4 m/s", "tolerance 1e-6 m/s", "tolerance 1e-8 m/s", "tolerance 1e-10 m/s" };
static const char to_humanoid[] =
    "<scene name=\"h\"><simulation dt=\"0.01\" self=\"false\" margin=\"0.1\"/><surface name=\"default\" "
    "friction=\"0.6\"/><ground/><robot file=\"humanoid37.urdf\"><origin xyz=\"0 0 1\"/></robot></scene>";

typedef struct { slip_real q[TO_MOST], v[TO_MOST], tau[TO_MOST]; } to_state;

/* What came back of one state: differences and how many contacts there were. */
typedef struct { double impulse, velocity; int contacts, limits, is_solved; } to_round;

/* A pose at random, lowered until its lowest point is from 5 mm below the ground to 16 cm above it. */
static void to_draw_state(slip_random *rng, slip_world *world, to_state *x)
{
    const slip_model *m = slip_world_model(world);
    const slip_real margin = slip_world_options_of(world)->margin;
    slip_real low = 100;
    int i;

    memset(x, 0, sizeof *x);
    slip_random_q(m, rng, x->q);
    for (i = 0; i < m->nv; ++i) {
        x->v[i] = SLIP_R(0.3)*slip_random_normal(rng);
        x->tau[i] = i < 6 ? 0 : slip_random_normal(rng);
    }
    x->q[2] = 2;
    memcpy(slip_world_q(world), x->q, (size_t)m->nq*sizeof *x->q);
    slip_world_options_of(world)->margin = 4;                    /* all of it is near, so every gap is known */
    slip_world_update(world);
    slip_world_options_of(world)->margin = margin;
    for (i = 0; i < slip_contact_count(world); ++i) low = slip_min(low, slip_contact_get(world, i).gap);
    x->q[2] -= low - slip_random_uniform(rng, SLIP_R(-0.005), SLIP_R(1.6)*margin);
}

/* Impulses of the contacts after a forward or inverse call. */
static int to_impulses(const slip_world *world, slip_real *f)
{
    const int n = slip_contact_count(world) < TO_MOST ? slip_contact_count(world) : TO_MOST;
    int i;

    for (i = 0; i < n; ++i) slip_copy3(slip_contact_get(world, i).impulse, f + 3*i);
    return n;
}

static double to_apart(const slip_real *a, const slip_real *b, int n)
{
    double most = 0;
    int i;

    for (i = 0; i < n; ++i) most = fmax(most, fabs((double)(a[i] - b[i])));
    return most;
}

/* Forward under tau, inverse of what came out, and forward again under the torques of the inverse. */
static int to_round_trip(slip_world *world, const slip_inverse_options *o, slip_arena *scratch, to_state *x,
                         to_round *out)
{
    const int nv = slip_world_model(world)->nv;
    slip_real v[TO_MOST], again[TO_MOST], tau[TO_MOST], f[3*TO_MOST], back[3*TO_MOST];
    slip_inverse_result there, here, twice;

    if (slip_forward_dynamics(world, x->q, x->v, x->tau, o, scratch, NULL, v, &there) < 0) return 0;
    out->contacts = to_impulses(world, f);
    if (slip_inverse_dynamics(world, x->q, x->v, v, o, scratch, tau, &here) < 0) return 0;
    if (to_impulses(world, back) != out->contacts) return 0;
    if (slip_forward_dynamics(world, x->q, x->v, tau, o, scratch, NULL, again, &twice) < 0) return 0;
    out->limits = there.limits;
    out->is_solved = !here.elastic && there.residual <= 2*slip_world_options_of(world)->solve.tol;
    out->impulse = to_apart(f, back, 3*out->contacts);
    out->velocity = to_apart(v, again, nv);
    return 1;
}

/* All states at one tolerance; 0 after a message. */
static int to_rounds(papers_run *r, double tol, int states, to_round *rounds)
{
    slip_inverse_options o = slip_inverse_defaults();
    slip_random rng = slip_random_seed(74);
    slip_arena scratch;
    sim_session s;
    size_t bytes;
    void *block;
    int i, ok = 1;

    o.method = SLIP_ID_BARRIER;
    if (!papers_open(r, "models/humanoid.xml", to_humanoid, &slip_solver_ccp_barrier, 0, 0, NULL, &s)) return 0;
    slip_world_options_of(s.world)->solve.tol = (slip_real)tol;
    slip_world_options_of(s.world)->solve.tol_rule = SLIP_TOL_ABSOLUTE;
    bytes = slip_inverse_bytes(s.world, &o);
    block = cli_alloc(bytes);
    scratch = slip_arena_over(block, bytes);
    for (i = 0; i < states && ok; ++i) {
        to_state x;

        to_draw_state(&rng, s.world, &x);
        ok = to_round_trip(s.world, &o, &scratch, &x, &rounds[i]);
    }
    if (!ok) cli_fail("TO-inv", "state %d: %s", i, slip_world_error(s.world)->what);
    free(block);
    sim_close(&s);
    return ok;
}

/* The solved states' differences in ascending order: how many. */
static int to_sorted(const to_round *rounds, int states, int velocity, slip_real *x)
{
    int i, n = 0;

    for (i = 0; i < states; ++i)
        if (rounds[i].is_solved && rounds[i].contacts > 0)
            x[n++] = (slip_real)(velocity ? rounds[i].velocity : rounds[i].impulse);
    papers_sort(x, n);
    return n;
}

typedef struct {
    to_round rounds[TO_TOLS][TO_STATES];
    slip_real velocity[TO_TOLS][TO_STATES], impulse[TO_TOLS][TO_STATES], share[TO_STATES];
    int n[TO_TOLS];
} to_inverse;

static void to_inv_report(papers_run *r, to_inverse *t, int i, FILE *csv, int states)
{
    char what[96];
    int k, n = t->n[i];

    for (k = 0; k < states; ++k)
        fprintf(csv, "%g,%d,%d,%d,%.3e,%.3e\n", to_tols[i], t->rounds[i][k].contacts, t->rounds[i][k].limits,
                t->rounds[i][k].is_solved, t->rounds[i][k].impulse, t->rounds[i][k].velocity);
    if (n == 0) return;
    snprintf(what, sizeof what, "%s: velocity apart, median and worst", to_tol_names[i]);
    papers_number(r, what, "order of the tolerance", "%.1e, %.1e m/s", (double)t->velocity[i][n/2],
                  (double)t->velocity[i][n - 1]);
    snprintf(what, sizeof what, "%s: impulses apart, median and worst", to_tol_names[i]);
    papers_number(r, what, "-", "%.1e, %.1e N s", (double)t->impulse[i][n/2], (double)t->impulse[i][n - 1]);
}

static int to_inv(papers_run *r)
{
    const int states = papers_is_quick(r) ? 200 : TO_STATES;
    const double rounding = 1e-7;            /* of velocities that are differences of far larger numbers [m/s] */
    to_inverse *t;
    FILE *csv = papers_csv(r, NULL);
    slip_plot_series series[TO_TOLS];
    int i, k, ok = csv != NULL, most = 0;

    if (sizeof(slip_real) == 4) return papers_say(r, "Tolerances below 1e-4 m/s need double precision."), 1;
    t = (to_inverse *)cli_alloc(sizeof *t);
    if (ok) fprintf(csv, "tolerance [m/s],contacts,limits,solved,impulse apart [N s],velocity apart [m/s]\n");
    for (i = 0; i < TO_TOLS && ok; ++i) {
        ok = to_rounds(r, to_tols[i], states, t->rounds[i]);
        if (!ok) break;
        t->n[i] = to_sorted(t->rounds[i], states, 1, t->velocity[i]);
        to_sorted(t->rounds[i], states, 0, t->impulse[i]);
        to_inv_report(r, t, i, csv, states);
        for (k = 0; k < states; ++k) most = t->rounds[i][k].contacts > most ? t->rounds[i][k].contacts : most;
        papers_progress(r, (i + 1)/(double)TO_TOLS);
    }
    if (ok) {
        for (k = 0; k < states; ++k) t->share[k] = (slip_real)(100.0*(k + 1)/t->n[TO_TOLS - 1]);
        for (i = 0; i < TO_TOLS; ++i) {
            const double median = (double)t->velocity[i][t->n[i]/2], worst = (double)t->velocity[i][t->n[i] - 1];

            papers_check(r, PAPERS_CLAIM, worst <= 10*to_tols[i] + rounding, "%s: forward and inverse agree to its "
                         "order: median %.1e m/s, worst %.1e m/s of %d states with contacts", to_tol_names[i],
                         median, worst, t->n[i]);
            series[i] = papers_line(to_tol_names[i], t->share, t->velocity[i], t->n[i]);
        }
        papers_draw(r, NULL, "States in ascending order of the difference, one curve for each tolerance of Newton's "
                    "method.", "Humanoid: forward of the inverse of forward", "share of the states [%]",
                    "velocity apart, at most [m/s]", 2, series, TO_TOLS);
        papers_say(r, "Random poses of models/humanoid37.urdf with up to %d contacts and all joint limits; t = 0.1 J, "
                   "s = 10, R from 0.01 to 100 within 0.1 m, steps of 10 ms, as in the paper.", most);
    }
    free(t);
    return ok;
}

/* ---- */

static const papers_experiment to_list[] = {
    { "TO-fig1", "the barrier and its elastic form",
      "Where a velocity starts infeasible, -t log x is replaced below x0 = t/s by a parabola with the same value and "
      "two derivatives at x0: finite everywhere, and the barrier itself again in the feasible region.",
      "slip_barrier_scalar() of src/solvers/barrier.h, which ccp-barrier and id-barrier minimise with, for s = 7 and "
      "the paper's four t.", "ccp-barrier", 1, 1, to_fig1 },
    { "TO-fig3", "a ball drops on the smooth contact model",
      "The contact impulse starts to grow at the margin and is distributed over time, and yet penetration does not "
      "occur.",
      "A ball of 1 kg falls 0.3 m, steps of 1 ms; R from 0.01 to 100 1/kg within the margin of 0.1 m, s = 10 as in "
      "the paper. The paper leaves mass, height and t open: five choices are run.", "ccp-barrier default", 1, 1,
      to_fig3 },
    { "TO-fig4+tab1", "Newton iterations and inverse evaluations per second",
      "The inverse takes few Newton iterations, growing modestly with the number of contacts; 241 774, 54 190, 12 991 "
      "and 2 361 evaluations per second for 2, 5, 10 and 20 contacts (3 GHz, 2008).",
      "Velocities that ccp-barrier gave for random contacts of a floating tree of 30 freedoms, gaps of -1 to 10 cm, t "
      "= 0.1 J, 64 problems for each count; one evaluation is v to f, from cold. The paper plays with a humanoid "
      "instead.",
      "ccp-barrier", 1, 1, to_tab1 },
    { "TO-inv", "forward and inverse undo each other",
      "The differences between forward and inverse solutions are very small, on the order of the convergence "
      "tolerance of the interior-point method.",
      "Random poses, velocities and torques of a humanoid of 37 freedoms near the ground: forward by ccp-barrier, "
      "inverse by id-barrier, forward again under the torques found. Newton's tolerance goes from 1e-4 to 1e-10 m/s.",
      "ccp-barrier", 1, 1, to_inv },
    { "TO-gait", "trajectory optimisation of a walking gait by inverse dynamics",
      "A full Newton step for a 3-D walking gait takes 160 ms on 12 cores.", "Comes with the derivatives of the step.",
      "ccp-barrier", 0, 0, NULL },
    { "TO-hand", "real-time interaction",
      "A humanoid that is pulled at by hand at 10 ms stays stable and looks right.", "Comes with the laboratory.",
      "ccp-barrier", 0, 0, NULL },
};

const papers_family papers_to = {
    "TO", "E. Todorov: A convex, smooth and invertible contact model for trajectory optimization. ICRA 2011", to_list,
    (int)(sizeof to_list/sizeof *to_list), "paper"
};
