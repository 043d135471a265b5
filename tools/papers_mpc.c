/* See papers_mpc.h. Each solver simulates the same walk; the controller sees the motion that comes of it, not the
 * solver.
 *
 * A walk over bumps is chaotic: two solvers of the same model part as well, only later. How far models differ is thus
 * measured against how far the NCP's solvers do. */
#include "papers_mpc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "solve_probe.h"
#include "trot.h"

enum { MPC_SOLVERS = 7, MPC_REFERENCE = 0, MPC_ADMM = 0, MPC_PGS, MPC_OURS, MPC_RAISIM, MPC_CCP, MPC_POINTS = 500,
       MPC_STRETCH = 200 };         /* steps: about a stride and a half */

/* The NCP's solvers first: the first of them is what the others are compared with. */
static const struct { const char *name; const slip_solver *solver; } mpc_solvers[MPC_SOLVERS] = {
    { "NCP, ncp-admm", &slip_solver_ncp_admm }, { "NCP, ncp-pgs", &slip_solver_ncp_pgs },
    { "NCP, default (ours)", &slip_solver_default }, { "RaiSim, raisim-bisection", &slip_solver_raisim_bisection },
    { "CCP, ccp-pgs", &slip_solver_ccp_pgs }, { "CCP, ccp-admm", &slip_solver_ccp_admm },
    { "LCP, lcp-pgs", &slip_solver_lcp_pgs } };

static const double mpc_speed = 0.3;         /* asked for [m/s] */

/* One walk: at the end of each of n equal stretches of time, */
typedef struct {
    slip_real time[MPC_POINTS];
    slip_real speed[MPC_POINTS];     /* mean speed along x in the stretch [m/s]                                */
    slip_real broken[MPC_POINTS];    /* largest complementarity of the NCP in it, by the judge                 */
    slip_real solve[MPC_POINTS];     /* median time of a step's solves in it [us]                              */
    slip_real step[MPC_STRETCH];     /* time of each step's solves, of the stretch that goes on [us]           */
    solve_cost cost;                 /* of all solves so far                                                   */
    double seconds;                  /* of those before the step that goes on                                  */
    int n;
    double x, x0, worst;             /* place where the stretch began, where the walk began; worst so far      */
    double mean;                     /* speed of all of it                                                     */
    double microseconds;             /* of a step's solves, mean of `solve`                                    */
    long missed, steps;
} mpc_walk;

static int mpc_step(void *context, sim_session *s, long k)
{
    mpc_walk *w = (mpc_walk *)context;
    const double x = (double)slip_world_q(s->world)[0], dt = (double)s->scene.world.options.dt;

    if (k == 1) w->x = w->x0 = x;
    w->worst = fmax(w->worst, (double)slip_world_stats(s->world)->residual.eps_comp);
    w->step[(k - 1) % MPC_STRETCH] = (slip_real)(1e6*(w->cost.seconds - w->seconds));
    w->seconds = w->cost.seconds;
    if (k % MPC_STRETCH != 0 || w->n == MPC_POINTS) return 1;
    w->solve[w->n] = (slip_real)papers_median(w->step, MPC_STRETCH);
    w->time[w->n] = (slip_real)((double)k*dt);
    w->speed[w->n] = (slip_real)((x - w->x)/(MPC_STRETCH*dt));
    w->broken[w->n] = (slip_real)w->worst;
    ++w->n;
    w->x = x;
    w->worst = 0;
    w->mean = (x - w->x0)/((double)k*dt);
    return 1;
}

/* One solver's walk; 0 after a message. */
static int mpc_one(papers_run *r, const char *scene, double friction, int solver, double time, mpc_walk *w)
{
    static const char *const options[] = { "tol", "1e-6", "tol_rule", "absolute", NULL };
    const trot_command command = { (slip_real)mpc_speed, 0, 0, 1, (slip_real)friction };
    sim_observer observer = { mpc_step, 1, NULL };
    sim_session s;
    sim_result result;
    trot *walker;
    int k;

    memset(w, 0, sizeof *w);
    w->cost.repeats = 3;
    observer.context = w;
    if (!papers_open(r, scene, NULL, solve_timed(mpc_solvers[solver].solver, &w->cost), 0, time, options, &s))
        return 0;
    walker = trot_new(&s, &command);
    if (walker) sim_run(&s, &observer, &result);
    trot_free(walker);
    sim_close(&s);
    if (!walker || result.status < 0) return cli_fail("papers", "%s ended early", mpc_solvers[solver].name), 0;
    for (k = 0; k < w->n; ++k) w->microseconds += (double)w->solve[k]/w->n;
    w->missed = result.missed;
    w->steps = result.steps;
    return 1;
}

/* Root of the mean square of the difference of two walks' speeds, the start left out [m/s]. */
static double mpc_apart(const mpc_walk *a, const mpc_walk *b)
{
    const int from = 5, n = a->n < b->n ? a->n : b->n;
    double sum = 0;
    int i;

    for (i = from; i < n; ++i) {
        const double d = (double)(a->speed[i] - b->speed[i]);

        sum += d*d;
    }
    return n > from ? sqrt(sum/(n - from)) : 0;
}

/* The median over the walk of what is broken in a stretch. */
static double mpc_median_broken(const mpc_walk *w)
{
    slip_real sorted[MPC_POINTS];

    memcpy(sorted, w->broken, (size_t)w->n*sizeof *sorted);
    return papers_median(sorted, w->n);
}

/* ---- figures ---------------------------------------------------------------------------------------------------- */

static void mpc_data(FILE *csv, const mpc_walk *walks)
{
    int i, k;

    fprintf(csv, "solver,time [s],speed [m/s],complementarity [J],solves of a step [us]\n");
    for (i = 0; i < MPC_SOLVERS; ++i)
        for (k = 0; k < walks[i].n; ++k)
            fprintf(csv, "%s,%.6g,%.6g,%.6g,%.4g\n", mpc_solvers[i].solver->id, (double)walks[i].time[k],
                    (double)walks[i].speed[k], (double)walks[i].broken[k], (double)walks[i].solve[k]);
}

static void mpc_plots(papers_run *r, const mpc_walk *walks)
{
    slip_plot_series series[MPC_SOLVERS];
    slip_plot plot;
    int i;

    memset(&plot, 0, sizeof plot);
    plot.x_label = "time [s]";
    plot.nseries = MPC_SOLVERS;
    plot.series = series;
    for (i = 0; i < MPC_SOLVERS; ++i) {
        series[i] = papers_line(mpc_solvers[i].name, walks[i].time, walks[i].speed, walks[i].n);
    }
    plot.title = "Speed of the base";
    plot.y_label = "over 0.2 s [m/s]";
    papers_plot(r, "speed", "Speed along the commanded direction, mean of each 0.2 s.", &plot);
    for (i = 0; i < MPC_SOLVERS; ++i) series[i].y = walks[i].broken;
    plot.log_y = 1;
    plot.title = "Complementarity of the NCP that is violated";
    plot.y_label = "largest in 0.2 s";
    papers_plot(r, "complementarity", "By the judge, whatever the solver's own model asks for.", &plot);
    for (i = 0; i < MPC_SOLVERS; ++i) series[i].y = walks[i].solve;
    plot.title = "Time of a step's solves";
    plot.y_label = "median of 0.2 s [us]";
    papers_plot(r, "time", "Along the walk, from warm starts; processor time, the best of three solves of each "
                "problem.", &plot);
}

/* Mean speed in the second half of the walk, when it has got going [m/s]. */
static double mpc_cruise(const mpc_walk *w)
{
    double sum = 0;
    int i;

    for (i = w->n/2; i < w->n; ++i) sum += (double)w->speed[i]/(w->n - w->n/2);
    return sum;
}

/* The numbers of each solver. */
static void mpc_numbers(papers_run *r, const mpc_walk *walks)
{
    int i;

    for (i = 0; i < MPC_SOLVERS; ++i)
        papers_number(r, mpc_solvers[i].name, "-",
                      "%.3f m/s, %.3f m/s in the second half; %.3f m/s off %s, complementarity %.1e, %.1f us and "
                      "%.1f iterations of solving a step, %ld of %ld steps missed", walks[i].mean,
                      mpc_cruise(&walks[i]), mpc_apart(&walks[i], &walks[MPC_REFERENCE]),
                      mpc_solvers[MPC_REFERENCE].name, mpc_median_broken(&walks[i]), walks[i].microseconds,
                      walks[i].cost.iterations/(double)walks[i].steps, walks[i].missed, walks[i].steps);
}

/* All solvers, with one belief of the controller in friction. `done` and `all`: walks before, and in the experiment. */
static int mpc_walks(papers_run *r, const char *scene, double friction, double time, int done, int all, mpc_walk *walks)
{
    int i;

    for (i = 0; i < MPC_SOLVERS; ++i) {
        if (!mpc_one(r, scene, friction, i, time, &walks[i])) return 0;
        papers_progress(r, (done + i + 1)/(double)all);
    }
    return 1;
}

/* The largest distance from the reference of solvers `from` to `to`. */
static double mpc_most_apart(const mpc_walk *walks, int from, int to)
{
    double most = 0;
    int i;

    for (i = from; i < to; ++i) most = fmax(most, mpc_apart(&walks[i], &walks[MPC_REFERENCE]));
    return most;
}

/* ---- the experiments ------------------------------------------------------------------------------------------- */

int papers_mpc_flat(papers_run *r)
{
    mpc_walk *walks = (mpc_walk *)cli_alloc(MPC_SOLVERS*sizeof *walks);
    FILE *csv = papers_csv(r, NULL);
    const double time = papers_is_quick(r) ? 1 : 10;
    int i, ok = csv && mpc_walks(r, "models/solo12_trot.xml", 0.2, time, 0, MPC_SOLVERS, walks);

    if (ok) {
        double low = 10, high = -10, slow = 10, fast = -10;

        for (i = 0; i < MPC_SOLVERS; ++i) {
            low = fmin(low, walks[i].mean);
            high = fmax(high, walks[i].mean);
            slow = fmin(slow, mpc_cruise(&walks[i]));
            fast = fmax(fast, mpc_cruise(&walks[i]));
        }
        mpc_data(csv, walks);
        mpc_plots(r, walks);
        mpc_numbers(r, walks);
        papers_check(r, PAPERS_CLAIM, slow > 0.85*mpc_speed && fast < 1.15*mpc_speed, "the commanded speed, %g m/s, "
                     "is reached within 15 %%: from %.3f to %.3f m/s in the second half of the walk", mpc_speed, slow,
                     fast);
        papers_check(r, PAPERS_CLAIM, high - low < 0.1*mpc_speed, "all models walk alike: mean speeds from %.3f to "
                     "%.3f m/s", low, high);
        papers_check(r, PAPERS_CLAIM, mpc_median_broken(&walks[MPC_CCP]) > 10*mpc_median_broken(&walks[MPC_REFERENCE]),
                     "models do not respect complementarity alike: ccp-pgs violates it by %.1e, ncp-admm by %.1e",
                     mpc_median_broken(&walks[MPC_CCP]), mpc_median_broken(&walks[MPC_REFERENCE]));
        papers_check_timed(r, PAPERS_CLAIM, walks[0].microseconds > walks[1].microseconds,
                     "per-contact solvers are faster: ncp-pgs %.1f us a step, ncp-admm %.1f us", walks[1].microseconds,
                     walks[0].microseconds);
    }
    free(walks);
    return ok;
}

/* The largest differences from the reference, in one case: of other solvers of the NCP, RaiSim's model, the CCP. */
typedef struct { double ncp, raisim, ccp; } mpc_case;

/* Whether a model walks at another speed: by more than a tenth of what is asked for, and by more than 1.5 times what
 * solvers of one and the same model differ by. */
static int mpc_deviates(double model, double ncp) { return model > 0.1*mpc_speed && model > 1.5*ncp; }

static void mpc_bumpy_claims(papers_run *r, const double *beliefs, const mpc_case *c, int cases, const double broken[2])
{
    const mpc_case *last = &c[cases - 1];        /* without a margin */
    int k;

    for (k = 0; k < cases; ++k) {
        char what[96];

        snprintf(what, sizeof what, "controller that plans with friction %.1f: off ncp-admm's speed", beliefs[k]);
        papers_number(r, what, "-", "%.4f m/s other solvers of the NCP, %.4f RaiSim's model, %.4f CCP", c[k].ncp,
                      c[k].raisim, c[k].ccp);
    }
    papers_check(r, PAPERS_CLAIM, mpc_deviates(last->ccp, last->ncp), "the CCP walks at another speed than the NCP "
                                                                      "where the "
                 "controller leaves no margin of friction: %.3f m/s off, other solvers of the NCP "
                 "%.3f", last->ccp, last->ncp);
    papers_check(r, PAPERS_CLAIM, mpc_deviates(last->raisim, last->ncp), "so does RaiSim's model: %.3f "
                                                                         "m/s", last->raisim);
    papers_check(r, PAPERS_CLAIM, broken[1] > 10*broken[0], "both violate complementarity: %.1e, ncp-admm "
                                                            "%.1e", broken[1],
                 broken[0]);
    papers_say(r, "A controller that plans with two thirds of the ground's friction keeps its feet from sliding, and "
                  "then all "
                  "models walk alike here too. One that plans with all of it slides on the slopes of the bumps, and "
                  "its walk "
                  "is chaotic: solvers of the same model, to the same tolerance, part within a second or two as well. "
                  "So a "
                  "model is said to deviate when it is a tenth of the speed off, and 1.5 times as far as they are.");
}

/* ---- what bumps cost ------------------------------------------------------------------------------------------- */

/* The cost of a step's solves in three measures: medians of time, which leave rare hard steps out, means of time, which
 * do not, and operations, which no other program disturbs. A claim about time counts where all three say so. */
enum { MPC_MEDIAN, MPC_MEAN, MPC_OPERATIONS, MPC_MEASURES };
typedef struct {
    double of[MPC_SOLVERS][MPC_MEASURES];
    double contacts, pgs, admm;      /* of ncp-pgs: contacts of a solve; its iterations, and ncp-admm's           */
} mpc_costs;

static void mpc_take_costs(const mpc_walk *walks, mpc_costs *c)
{
    int i;

    for (i = 0; i < MPC_SOLVERS; ++i) {
        const double steps = walks[i].steps > 0 ? (double)walks[i].steps : 1;

        c->of[i][MPC_MEDIAN] = walks[i].microseconds;
        c->of[i][MPC_MEAN] = 1e6*walks[i].cost.seconds/steps;
        c->of[i][MPC_OPERATIONS] = walks[i].cost.operations/steps;
    }
    c->contacts = walks[MPC_PGS].cost.contacts/walks[MPC_PGS].cost.solves;
    c->pgs = walks[MPC_PGS].cost.iterations/walks[MPC_PGS].cost.solves;
    c->admm = walks[MPC_ADMM].cost.iterations/walks[MPC_ADMM].cost.solves;
}

/* ADMM's cost over that of sweeps, geometric mean of the NCP's and the CCP's two solvers. */
static double mpc_gap(const mpc_costs *c, int measure)
{
    return sqrt(c->of[MPC_ADMM][measure]/c->of[MPC_PGS][measure]*c->of[MPC_CCP + 1][measure]/c->of[MPC_CCP][measure]);
}

/* The cost on bumps over that on flat ground, a row a solver: with a margin of friction, and without. */
static void mpc_cost_rows(papers_run *r, const mpc_costs *flat, const mpc_costs bumpy[2])
{
    double g[2][MPC_MEASURES];
    char what[96];
    int i, k;

    for (i = 0; i < MPC_SOLVERS; ++i) {
        for (k = 0; k < 2*MPC_MEASURES; ++k)
            g[k/MPC_MEASURES][k%MPC_MEASURES]
                = bumpy[k/MPC_MEASURES].of[i][k%MPC_MEASURES]/flat->of[i][k%MPC_MEASURES];
        snprintf(what, sizeof what, "cost on bumps over flat ground: %s", mpc_solvers[i].name);
        papers_number(r, what, i == MPC_RAISIM ? "most of all" : "> 1", "%.2f and %.2f in medians of time, %.2f and "
                      "%.2f in means, %.2f and %.2f in operations (with a margin of friction, and without)", g[0][0],
                      g[1][0], g[0][1], g[1][1], g[0][2], g[1][2]);
    }
}

/* LL Fig. 18, bottom right, and what its text says of it. A twentieth is what such times are reproduced to here. */
static void mpc_time_claims(papers_run *r, const char *where, const mpc_costs *flat, const mpc_costs *bumpy)
{
    double growth[MPC_SOLVERS][MPC_MEASURES], gap[2][MPC_MEASURES];
    int i, k, least = 0, raisim = 1, narrower = 1;
    double lowest = HUGE_VAL;

    for (k = 0; k < MPC_MEASURES; ++k) {
        for (i = 0; i < MPC_SOLVERS; ++i) {
            growth[i][k] = bumpy->of[i][k]/flat->of[i][k];
            if (i == MPC_OURS || growth[i][k] >= lowest) continue;
            lowest = growth[i][k];
            least = i;
        }
        for (i = 0; i < MPC_SOLVERS; ++i)
            if (i != MPC_RAISIM && i != MPC_OURS) raisim &= growth[MPC_RAISIM][k] > 1.05*growth[i][k];
        gap[0][k] = mpc_gap(flat, k);
        gap[1][k] = mpc_gap(bumpy, k);
        narrower &= gap[1][k] < 0.95*gap[0][k];
    }
    papers_check_timed(r, PAPERS_CLAIM, lowest > 1.05, "%s all solvers take more than on flat ground: ncp-admm %.2f, "
                 "%.2f and %.2f times in medians, means and operations; least %s, %.2f, %.2f and %.2f", where,
                 growth[MPC_ADMM][0], growth[MPC_ADMM][1], growth[MPC_ADMM][2], mpc_solvers[least].solver->id,
                 growth[least][0], growth[least][1], growth[least][2]);
    papers_check_timed(r, PAPERS_CLAIM, raisim, "%s RaiSim's model does so most: %.2f, %.2f and %.2f times", where,
                 growth[MPC_RAISIM][0], growth[MPC_RAISIM][1], growth[MPC_RAISIM][2]);
    papers_check_timed(r, PAPERS_CLAIM, narrower, "%s the gap between ADMM and sweeps is narrower: %.2f, %.2f and %.2f "
                 "times in medians, means and operations; on flat ground %.2f, %.2f and %.2f", where, gap[1][0],
                 gap[1][1], gap[1][2], gap[0][0], gap[0][1], gap[0][2]);
}

int papers_mpc_bumpy(papers_run *r)
{
    static const double beliefs[2] = { 0.2, 0.3 };
    static const char *const names[2] = { "on bumps, with a margin of friction,", "on bumps, without a margin," };
    mpc_walk *walks = (mpc_walk *)cli_alloc(MPC_SOLVERS*sizeof *walks);
    mpc_costs flat, bumpy[2];
    FILE *csv = papers_csv(r, NULL);
    const double time = papers_is_quick(r) ? 1 : 10;
    double broken[2] = { 0, 0 };
    mpc_case c[2];
    int k, ok = csv != NULL;

    ok = ok && mpc_walks(r, "models/solo12_trot.xml", 0.2, time, 0, 3*MPC_SOLVERS, walks);
    if (ok) mpc_take_costs(walks, &flat);
    for (k = 0; ok && k < 2; ++k) {
        ok = mpc_walks(r, "models/solo12_rough.xml", beliefs[k], time, (k + 1)*MPC_SOLVERS, 3*MPC_SOLVERS, walks);
        if (!ok) break;
        mpc_take_costs(walks, &bumpy[k]);
        c[k].ncp = mpc_most_apart(walks, 1, MPC_RAISIM);
        c[k].raisim = mpc_most_apart(walks, MPC_RAISIM, MPC_RAISIM + 1);
        c[k].ccp = mpc_most_apart(walks, MPC_RAISIM + 1, MPC_RAISIM + 3);
    }
    if (ok) {
        broken[0] = mpc_median_broken(&walks[MPC_REFERENCE]);
        broken[1] = fmin(mpc_median_broken(&walks[3]), mpc_median_broken(&walks[4]));
        mpc_data(csv, walks);
        mpc_plots(r, walks);
        mpc_numbers(r, walks);
        mpc_bumpy_claims(r, beliefs, c, 2, broken);
        mpc_cost_rows(r, &flat, bumpy);
        for (k = 0; k < 2; ++k) mpc_time_claims(r, names[k], &flat, &bumpy[k]);
        papers_say(r, "Times are measured as processor time, each problem solved three times from the step's warm "
                   "start and the best of them taken. Operations are counted: 2 n^2 an iteration and n^3/3 a "
                   "factorisation of n rows. A statement about times counts where medians, means and operations "
                   "agree.");
        papers_say(r, "A solve has %.2f contacts on flat ground, %.2f and %.2f on bumps; ncp-pgs takes %.1f sweeps, "
                   "%.1f and %.1f, ncp-admm %.1f iterations, %.1f and %.1f.",
                   flat.contacts, bumpy[0].contacts, bumpy[1].contacts, flat.pgs, bumpy[0].pgs, bumpy[1].pgs,
                   flat.admm, bumpy[0].admm, bumpy[1].admm);
    }
    free(walks);
    return ok;
}
