/* See papers_mpc.h. Each solver simulates the same walk; the controller sees the motion that comes of it, not the
 * solver.
 *
 * A walk over bumps is chaotic: two solvers of the same model part as well, only later. So one walk says nothing.
 * Models are compared on an ensemble of grounds and starts, each walked by all solvers; how far a model's speed is off
 * that of the NCP's solvers there is set against how far these are off each other, ground by ground, with intervals by
 * bootstrap over grounds. And a walk is judged only where the robot walks. */
#include "papers_mpc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "mpc.h"
#include "papers_problems.h"
#include "solve_probe.h"
#include "trot.h"

enum { MPC_SOLVERS = 7, MPC_REFERENCE = 0, MPC_ADMM = 0, MPC_PGS, MPC_OURS, MPC_RAISIM, MPC_CCP, MPC_CCP_ADMM, MPC_LCP,
       MPC_NCP = MPC_RAISIM,        /* so many of the first are the NCP's */
       MPC_POINTS = 64,
       MPC_STRETCH = 200,           /* steps: about a stride and a half   */
       MPC_BELIEFS = 4, MPC_WORLDS = 8 };

static const struct { const char *name; const slip_solver *solver; } mpc_solvers[MPC_SOLVERS] = {
    { "NCP, ncp-admm", &slip_solver_ncp_admm }, { "NCP, ncp-pgs", &slip_solver_ncp_pgs },
    { "NCP, default (ours)", &slip_solver_default }, { "RaiSim, raisim-bisection", &slip_solver_raisim_bisection },
    { "CCP, ccp-pgs", &slip_solver_ccp_pgs }, { "CCP, ccp-admm", &slip_solver_ccp_admm },
    { "LCP, lcp-pgs", &slip_solver_lcp_pgs } };

static const double mpc_speed = 0.3;         /* asked for [m/s] */

/* What is walked. belief: the friction that the controller plans with; seed: of the bumps, 0 for those of the scene;
 * aside: where the robot starts, from where the scene has it [m]; stride: of the gait's period, 1 for its own. */
typedef struct { const char *scene; double speed, belief, stride, time, aside[2]; int seed, repeats; } mpc_task;

/* One walk: at the end of each of n equal stretches of time, */
typedef struct {
    slip_real time[MPC_POINTS];
    slip_real speed[MPC_POINTS];     /* mean speed ahead in the stretch [m/s]                                  */
    slip_real error[MPC_POINTS];     /* of the base's velocity against the command, root mean square in it     */
    slip_real broken[MPC_POINTS];    /* largest complementarity of the NCP in it, by the judge                 */
    slip_real solve[MPC_POINTS];     /* median time of a step's solves in it [us]                              */
    slip_real step[MPC_STRETCH];     /* time of each step's solves, of the stretch that goes on [us]           */
    solve_cost cost;                 /* of all solves so far                                                   */
    double seconds;                  /* of those before the step that goes on                                  */
    int n;
    double x, y, way, squares;       /* last place of the base; of the stretch so far: way ahead, errors       */
    double command, worst;           /* asked for [m/s]; complementarity of the stretch so far                 */
    double mean;                     /* speed of all of it                                                     */
    double microseconds;             /* of a step's solves, mean of `solve`                                    */
    long missed, steps;
} mpc_walk;

/* Velocities are taken in the robot's own axes, as they are asked for. */
static int mpc_step(void *context, sim_session *s, long k)
{
    mpc_walk *w = (mpc_walk *)context;
    const slip_real *q = slip_world_q(s->world), z = q[5], c = q[6];
    const double dt = (double)s->scene.world.options.dt, dx = k > 1 ? (double)q[0] - w->x : 0;
    const double dy = k > 1 ? (double)q[1] - w->y : 0;
    const double heading = atan2((double)(2*(c*z + q[3]*q[4])), (double)(1 - 2*(q[4]*q[4] + z*z)));
    const double ahead = cos(heading)*dx + sin(heading)*dy, left = cos(heading)*dy - sin(heading)*dx;

    w->x = (double)q[0];
    w->y = (double)q[1];
    w->way += ahead;
    w->squares += (ahead/dt - w->command)*(ahead/dt - w->command) + left/dt*(left/dt);
    w->worst = fmax(w->worst, (double)slip_world_stats(s->world)->residual.eps_comp);
    w->step[(k - 1) % MPC_STRETCH] = (slip_real)(1e6*(w->cost.seconds - w->seconds));
    w->seconds = w->cost.seconds;
    if (k % MPC_STRETCH != 0 || w->n == MPC_POINTS) return 1;
    w->solve[w->n] = (slip_real)papers_median(w->step, MPC_STRETCH);
    w->time[w->n] = (slip_real)((double)k*dt);
    w->speed[w->n] = (slip_real)(w->way/(MPC_STRETCH*dt));
    w->error[w->n] = (slip_real)sqrt(w->squares/MPC_STRETCH);
    w->broken[w->n] = (slip_real)w->worst;
    w->mean = (w->mean*w->n + (double)w->speed[w->n])/(w->n + 1);
    ++w->n;
    w->way = w->squares = w->worst = 0;
    return 1;
}

/* The scene's text with bumps of another seed, in memory of its own; NULL after a message. */
static char *mpc_text(const mpc_task *t)
{
    static const char seed[] = "seed=\"7\"";
    size_t length;
    char *text = cli_read_file("papers", t->scene, &length), *out, *at;

    if (!text || t->seed == 0) return text;
    at = strstr(text, seed);
    if (!at) { free(text);  return cli_fail("papers", "no bumps of seed 7 in '%s'", t->scene), NULL; }
    out = (char *)cli_alloc(length + 16);
    slip_format(out, (int)length + 16, "%.*sseed=\"%d\"%s", (int)(at - text), text, t->seed, at + sizeof seed - 1);
    free(text);
    return out;
}

/* mpc.h's planner with another stride. */
typedef struct { mpc *planner; double stride; } mpc_strider;

static void mpc_stride_begin(void *context, const trot_state *state)
{
    mpc_strider *p = (mpc_strider *)context;

    mpc_begin(p->planner, state);
    p->planner->gait.period *= (slip_real)p->stride;
    p->planner->step *= (slip_real)p->stride;
    p->planner->every *= (slip_real)p->stride;
}

static void mpc_stride_plan(void *context, const trot_state *s, const trot_command *c, trot_plan *plan)
{
    mpc_plan(((mpc_strider *)context)->planner, s, c, plan);
}

/* One solver's walk; 0 after a message. */
static int mpc_one(papers_run *r, const mpc_task *t, int solver, mpc_walk *w)
{
    static const char *const options[] = { "tol", "1e-6", "tol_rule", "absolute", NULL };
    const trot_command command = { (slip_real)t->speed, 0, 0, 0, (slip_real)t->belief };
    sim_observer observer = { mpc_step, 1, NULL };
    mpc_strider planner;
    sim_session s;
    sim_result result;
    trot *walker;
    char *text = mpc_text(t);
    int k, ok;

    memset(w, 0, sizeof *w);
    w->cost.repeats = t->repeats;
    w->command = t->speed;
    observer.context = w;
    ok = text && papers_open(r, t->scene, text, solve_timed(mpc_solvers[solver].solver, &w->cost), 0, t->time, options,
                             &s);
    free(text);
    if (!ok) return 0;
    for (k = 0; k < 2; ++k) slip_world_q(s.world)[k] += (slip_real)t->aside[k];
    slip_snapshot_save(s.world, s.snapshot);
    planner.planner = mpc_new();
    planner.stride = t->stride;
    walker = trot_new(&s, &command);
    if (walker) {
        trot_set_planner(walker, mpc_stride_begin, mpc_stride_plan, &planner);
        sim_run(&s, &observer, &result);
    }
    trot_free(walker);
    mpc_free(planner.planner);
    sim_close(&s);
    if (!walker || result.status < 0) return cli_fail("papers", "%s ended early", mpc_solvers[solver].name), 0;
    for (k = 0; k < w->n; ++k) w->microseconds += (double)w->solve[k]/w->n;
    w->missed = result.missed;
    w->steps = result.steps;
    return 1;
}

/* Stretches of a walk that are left out of what is compared: the robot gets going in the first second. */
enum { MPC_FROM = 5 };

/* Root of the mean square of the difference of two walks' speeds [m/s]. */
static double mpc_apart(const mpc_walk *a, const mpc_walk *b)
{
    const int n = a->n < b->n ? a->n : b->n;
    double sum = 0;
    int i;

    for (i = MPC_FROM; i < n; ++i) {
        const double d = (double)(a->speed[i] - b->speed[i]);

        sum += d*d;
    }
    return n > MPC_FROM ? sqrt(sum/(n - MPC_FROM)) : 0;
}

/* Mean speed when it has got going; root mean square of the error against the command then [m/s]. */
static double mpc_going(const mpc_walk *w)
{
    double sum = 0;
    int i;

    for (i = MPC_FROM; i < w->n; ++i) sum += (double)w->speed[i]/(w->n - MPC_FROM);
    return sum;
}

static double mpc_error(const mpc_walk *w)
{
    double sum = 0;
    int i;

    for (i = MPC_FROM; i < w->n; ++i) sum += (double)(w->error[i]*w->error[i])/(w->n - MPC_FROM);
    return sqrt(sum);
}

/* The median over the walk of what is broken in a stretch. */
static double mpc_median_broken(const mpc_walk *w)
{
    slip_real sorted[MPC_POINTS];

    memcpy(sorted, w->broken, (size_t)w->n*sizeof *sorted);
    return papers_median(sorted, w->n);
}

/* ---- figures ---------------------------------------------------------------------------------------------------- */

/* Rows of all solvers' walks. */
static void mpc_data(FILE *csv, const mpc_task *t, const mpc_walk *walks)
{
    int i, k;

    for (i = 0; i < MPC_SOLVERS; ++i)
        for (k = 0; k < walks[i].n; ++k)
            fprintf(csv, "%s,%g,%d,%g,%g,%.6g,%.6g,%.6g,%.6g,%.4g\n", mpc_solvers[i].solver->id, t->belief, t->seed,
                    t->speed, t->stride, (double)walks[i].time[k], (double)walks[i].speed[k],
                    (double)walks[i].error[k], (double)walks[i].broken[k], (double)walks[i].solve[k]);
}

static FILE *mpc_csv(papers_run *r)
{
    FILE *csv = papers_csv(r, NULL);

    if (csv)
        fprintf(csv, "solver,friction planned with,seed of the bumps,commanded speed [m/s],stride,time [s],speed ahead "
                "[m/s],tracking error (rms) [m/s],complementarity [J],solves of a step [us]\n");
    return csv;
}

static void mpc_plots(papers_run *r, const mpc_walk *walks)
{
    const slip_real command[2] = { (slip_real)mpc_speed, (slip_real)mpc_speed };
    slip_real ends[2];
    slip_plot_series series[MPC_SOLVERS + 1];
    slip_plot plot;
    int i;

    ends[0] = walks[0].time[0];
    ends[1] = walks[0].time[walks[0].n - 1];
    for (i = 0; i < MPC_SOLVERS; ++i)
        series[i] = papers_line(mpc_solvers[i].name, walks[i].time, walks[i].speed, walks[i].n);
    series[MPC_SOLVERS] = papers_line("commanded", ends, command, 2);
    plot = papers_axes("Speed of the base", "time [s]", "over 0.2 s [m/s]", 0, series, MPC_SOLVERS + 1);
    papers_plot(r, "speed", "Speed ahead, mean of each 0.2 s.", &plot);
    plot.nseries = MPC_SOLVERS;
    for (i = 0; i < MPC_SOLVERS; ++i) series[i].y = walks[i].error;
    plot.title = "Tracking error";
    plot.y_label = "root mean square over 0.2 s [m/s]";
    papers_plot(r, "error", "Difference of the base's horizontal velocity from the commanded one.", &plot);
    for (i = 0; i < MPC_SOLVERS; ++i) series[i].y = walks[i].broken;
    plot.log_y = 1;
    plot.title = "Complementarity of the NCP that is violated";
    plot.y_label = "largest in 0.2 s";
    papers_plot(r, "complementarity", "By the judge, whatever the solver's own model asks for.", &plot);
    for (i = 0; i < MPC_SOLVERS; ++i) series[i].y = walks[i].solve;
    plot.title = "Time of a step's solves";
    plot.y_label = "median of 0.2 s [\302\265s]";
    papers_plot(r, "time", "Along the walk, from warm starts; processor time, the best of repeated solves of each "
                "problem.", &plot);
}

/* The numbers of each solver. */
static void mpc_numbers(papers_run *r, const mpc_walk *walks)
{
    int i;

    for (i = 0; i < MPC_SOLVERS; ++i)
        papers_number(r, mpc_solvers[i].name, "-",
                      "%.3f m/s, tracking error %.3f m/s (rms); %.3f m/s off %s, complementarity %.1e, %.1f us "
                      "and %.1f iterations of solving a step, %ld of %ld steps missed", mpc_going(&walks[i]),
                      mpc_error(&walks[i]), mpc_apart(&walks[i], &walks[MPC_REFERENCE]),
                      mpc_solvers[MPC_REFERENCE].name, mpc_median_broken(&walks[i]), walks[i].microseconds,
                      walks[i].cost.iterations/(double)walks[i].steps, walks[i].missed, walks[i].steps);
}

/* All solvers. `done` and `all`: walks before, and in the experiment. */
static int mpc_walks(papers_run *r, const mpc_task *t, int done, int all, mpc_walk *walks)
{
    int i;

    for (i = 0; i < MPC_SOLVERS; ++i) {
        if (!mpc_one(r, t, i, &walks[i])) return 0;
        papers_progress(r, (done + i + 1)/(double)all);
    }
    return 1;
}

static mpc_task mpc_flat_task(double time)
{
    mpc_task t;

    memset(&t, 0, sizeof t);
    t.scene = "models/solo12_trot.xml";
    t.speed = mpc_speed;
    t.belief = 0.2;
    t.stride = 1;
    t.time = time;
    t.repeats = 3;
    return t;
}

/* ---- flat ground: LL Fig. 17 ----------------------------------------------------------------------------------- */

/* The lowest and the highest speed of all solvers. */
static void mpc_range(const mpc_walk *walks, double *slow, double *fast)
{
    int i;

    *slow = 10;
    *fast = -10;
    for (i = 0; i < MPC_SOLVERS; ++i) {
        *slow = fmin(*slow, mpc_going(&walks[i]));
        *fast = fmax(*fast, mpc_going(&walks[i]));
    }
}

static void mpc_flat_claims(papers_run *r, const mpc_walk *walks)
{
    const double most = fmax(mpc_error(&walks[MPC_RAISIM]), fmax(mpc_error(&walks[MPC_CCP]),
                                                                 mpc_error(&walks[MPC_LCP])));
    const double ccp = mpc_median_broken(&walks[MPC_CCP]), ncp = mpc_median_broken(&walks[MPC_REFERENCE]);
    double slow, fast;

    mpc_range(walks, &slow, &fast);
    papers_check(r, PAPERS_CLAIM, slow > 0.85*mpc_speed && fast < 1.15*mpc_speed, "the commanded speed, %g m/s, is "
                 "reached within 15 %%: from %.3f to %.3f m/s", mpc_speed, slow, fast);
    papers_check(r, PAPERS_CLAIM, fast - slow < 0.1*mpc_speed, "all models walk alike: from %.3f to %.3f m/s", slow,
                 fast);
    papers_check(r, PAPERS_CLAIM, fabs(most - mpc_error(&walks[MPC_REFERENCE])) < 0.1*mpc_speed, "and track alike: "
                 "error at most %.3f m/s (rms), ncp-admm %.3f", most, mpc_error(&walks[MPC_REFERENCE]));
    papers_check(r, PAPERS_CLAIM, ccp > 10*ncp, "models do not respect complementarity alike: ccp-pgs violates it by "
                 "%.1e, ncp-admm by %.1e", ccp, ncp);
    papers_check(r, PAPERS_CLAIM, walks[MPC_ADMM].cost.operations > walks[MPC_PGS].cost.operations, "per-contact "
                 "solvers are cheaper: ncp-pgs %.1f iterations a step and %.1f thousand operations, ncp-admm %.1f and "
                 "%.1f thousand", walks[MPC_PGS].cost.iterations/(double)walks[MPC_PGS].steps,
                 1e-3*walks[MPC_PGS].cost.operations/(double)walks[MPC_PGS].steps,
                 walks[MPC_ADMM].cost.iterations/(double)walks[MPC_ADMM].steps,
                 1e-3*walks[MPC_ADMM].cost.operations/(double)walks[MPC_ADMM].steps);
    papers_check_timed(r, PAPERS_CLAIM, walks[MPC_ADMM].microseconds > walks[MPC_PGS].microseconds, "and faster: "
                       "ncp-pgs %.1f us a step, ncp-admm %.1f", walks[MPC_PGS].microseconds,
                       walks[MPC_ADMM].microseconds);
}

int papers_mpc_flat(papers_run *r)
{
    mpc_walk *walks = (mpc_walk *)cli_alloc(2*MPC_SOLVERS*sizeof *walks), *other = walks + MPC_SOLVERS;
    mpc_task t = mpc_flat_task(papers_is_quick(r) ? 2 : 10), faster = t;
    FILE *csv = mpc_csv(r);
    double slow, fast;
    int ok = csv && mpc_walks(r, &t, 0, 2*MPC_SOLVERS, walks);

    faster.speed = 0.4;                              /* a third more, in shorter steps */
    faster.stride = 0.75;
    faster.time = papers_is_quick(r) ? 2 : 5;
    faster.repeats = 1;
    ok = ok && mpc_walks(r, &faster, MPC_SOLVERS, 2*MPC_SOLVERS, other);
    if (ok) {
        mpc_data(csv, &t, walks);
        mpc_data(csv, &faster, other);
        mpc_plots(r, walks);
        mpc_numbers(r, walks);
        mpc_flat_claims(r, walks);
        mpc_range(other, &slow, &fast);
        papers_check(r, PAPERS_CLAIM, fast - slow < 0.1*faster.speed, "so do they at %g m/s with strides %g times as "
                     "long: from %.3f to %.3f m/s", faster.speed, faster.stride, slow, fast);
    }
    free(walks);
    return ok;
}

/* ---- bumps: LL Fig. 18 ----------------------------------------------------------------------------------------- */

/* Grounds and starts. The first is the scene's. */
static mpc_task mpc_bumpy_task(int world, double belief, double time)
{
    slip_random rng = slip_random_seed((unsigned)world);
    mpc_task t = mpc_flat_task(time);
    int k;

    t.scene = "models/solo12_rough.xml";
    t.belief = belief;
    t.seed = world > 0 ? 100 + world : 0;
    t.repeats = 2;
    for (k = 0; k < 2 && world > 0; ++k) t.aside[k] = (double)slip_random_uniform(&rng, SLIP_R(-0.08), SLIP_R(0.08));
    return t;
}

/* What is measured in one world with one belief. apart[i]: how far solver i's speed is off those of the NCP's solvers,
 * the mean over these; of one of them, off the others. */
typedef struct { double apart[MPC_SOLVERS], mean[MPC_SOLVERS], error[MPC_SOLVERS], broken[MPC_SOLVERS]; } mpc_world;

static void mpc_take_world(const mpc_walk *walks, mpc_world *w)
{
    int i, k;

    for (i = 0; i < MPC_SOLVERS; ++i) {
        w->apart[i] = 0;
        for (k = 0; k < MPC_NCP; ++k)
            if (k != i) w->apart[i] += mpc_apart(&walks[i], &walks[k])/(i < MPC_NCP ? MPC_NCP - 1 : MPC_NCP);
        w->mean[i] = mpc_going(&walks[i]);
        w->error[i] = mpc_error(&walks[i]);
        w->broken[i] = mpc_median_broken(&walks[i]);
    }
}

/* Solvers `from` to `to` - 1 in one case, with intervals over worlds: how far their speed is off the NCP's; that less
 * how far the NCP's are off each other; their mean speed less the NCP's. */
typedef struct { papers_interval apart, more, slower; } mpc_model;

static mpc_model mpc_compare(const mpc_world *w, int worlds, int from, int to)
{
    double apart[MPC_WORLDS], more[MPC_WORLDS], slower[MPC_WORLDS];
    mpc_model m;
    int i, k;

    for (k = 0; k < worlds; ++k) {
        apart[k] = more[k] = slower[k] = 0;
        for (i = from; i < to; ++i) {
            apart[k] += w[k].apart[i]/(to - from);
            slower[k] += w[k].mean[i]/(to - from);
        }
        more[k] = apart[k];
        for (i = 0; i < MPC_NCP; ++i) {
            more[k] -= w[k].apart[i]/MPC_NCP;
            slower[k] -= w[k].mean[i]/MPC_NCP;
        }
    }
    m.apart = papers_bootstrap(apart, worlds, 1);
    m.more = papers_bootstrap(more, worlds, 2);
    m.slower = papers_bootstrap(slower, worlds, 3);
    return m;
}

/* One belief: the models, the NCP's mean speed and error, the medians over worlds of what is broken. */
typedef struct {
    double belief, broken[MPC_SOLVERS];
    papers_interval speed, error;
    mpc_model ncp, raisim, ccp, lcp;
} mpc_case;

static void mpc_take_case(double belief, const mpc_world *w, int worlds, mpc_case *c)
{
    double speed[MPC_WORLDS], error[MPC_WORLDS], broken[MPC_WORLDS];
    int i, k;

    c->belief = belief;
    for (k = 0; k < worlds; ++k) {
        speed[k] = error[k] = 0;
        for (i = 0; i < MPC_NCP; ++i) {
            speed[k] += w[k].mean[i]/MPC_NCP;
            error[k] += w[k].error[i]/MPC_NCP;
        }
    }
    c->speed = papers_bootstrap(speed, worlds, 4);
    c->error = papers_bootstrap(error, worlds, 5);
    for (i = 0; i < MPC_SOLVERS; ++i) {
        for (k = 0; k < worlds; ++k) broken[k] = w[k].broken[i];
        c->broken[i] = papers_quantile(broken, worlds, 0.5);
    }
    c->ncp = mpc_compare(w, worlds, 0, MPC_NCP);
    c->raisim = mpc_compare(w, worlds, MPC_RAISIM, MPC_CCP);
    c->ccp = mpc_compare(w, worlds, MPC_CCP, MPC_LCP);
    c->lcp = mpc_compare(w, worlds, MPC_LCP, MPC_SOLVERS);
}

/* It walks: surely at half the speed asked for. */
static int mpc_walks_there(const mpc_case *c) { return c->speed.lo > 0.5*mpc_speed; }

/* A model deviates: its speed is off the NCP's by more than a tenth of what is asked for, and surely by more than the
 * NCP's solvers are off each other. */
static int mpc_deviates(const mpc_model *m) { return m->apart.value > 0.1*mpc_speed && m->more.lo > 0; }

static void mpc_case_rows(papers_run *r, const mpc_case *c)
{
    const struct { const char *name; const mpc_model *m; } models[4] = {
        { "solvers of the NCP", &c->ncp }, { "RaiSim's model", &c->raisim }, { "CCP", &c->ccp }, { "LCP", &c->lcp } };
    char what[96];
    int i;

    snprintf(what, sizeof what, "planned with friction %.2f: complementarity violated", c->belief);
    papers_number(r, what, "-", "%.1e ncp-admm, %.1e RaiSim's model, %.1e ccp-pgs; median of a stretch",
                  c->broken[MPC_REFERENCE], c->broken[MPC_RAISIM], c->broken[MPC_CCP]);
    snprintf(what, sizeof what, "planned with friction %.2f: speed", c->belief);
    papers_number(r, what, "0.3 m/s commanded", "%.3f m/s [%.3f, %.3f], tracking error %.3f m/s (rms) [%.3f, %.3f]%s",
                  c->speed.value, c->speed.lo, c->speed.hi, c->error.value, c->error.lo, c->error.hi,
                  mpc_walks_there(c) ? "" : ": it does not walk, and is not judged");
    for (i = 0; i < 4; ++i) {
        snprintf(what, sizeof what, "planned with friction %.2f: %s", c->belief, models[i].name);
        if (i == 0)
            papers_number(r, what, "-", "%.4f m/s off each other [%.4f, %.4f]", models[i].m->apart.value,
                          models[i].m->apart.lo, models[i].m->apart.hi);
        else
            papers_number(r, what, i < 3 ? "deviates" : "-", "%.4f m/s off the NCP, which is %+.4f [%+.4f, %+.4f] "
                          "farther than its solvers off each other; on average %+.4f m/s [%+.4f, %+.4f] faster",
                          models[i].m->apart.value, models[i].m->more.value, models[i].m->more.lo,
                          models[i].m->more.hi, models[i].m->slower.value, models[i].m->slower.lo,
                          models[i].m->slower.hi);
    }
}

/* Cases that are judged; those of them in which a model deviates. */
static int mpc_count(const mpc_case *c, int cases, int which)
{
    int k, n = 0;

    for (k = 0; k < cases; ++k)
        n += mpc_walks_there(&c[k]) && (which == 0 || mpc_deviates(which == MPC_CCP ? &c[k].ccp : &c[k].raisim));
    return n;
}

static void mpc_bumpy_claims(papers_run *r, const mpc_case *c, int cases, int worlds, double time)
{
    const int judged = mpc_count(c, cases, 0), ccp = mpc_count(c, cases, MPC_CCP);
    const int raisim = mpc_count(c, cases, MPC_RAISIM);
    double ncp = 0, least = HUGE_VAL;
    int k;

    for (k = 0; k < cases; ++k) {
        mpc_case_rows(r, &c[k]);
        if (!mpc_walks_there(&c[k])) continue;
        ncp = fmax(ncp, c[k].broken[MPC_REFERENCE]);
        least = fmin(least, fmin(c[k].broken[MPC_RAISIM], c[k].broken[MPC_CCP]));
    }
    papers_check(r, PAPERS_CLAIM, judged > 0, "the robot walks: with %d of %d frictions planned with", judged, cases);
    papers_check(r, PAPERS_CLAIM, judged > 0 && ccp == judged, "the CCP walks at another speed than the NCP wherever "
                 "the robot walks: in %d of %d", ccp, judged);
    papers_check(r, PAPERS_CLAIM, judged > 0 && raisim == judged, "so does RaiSim's model: in %d of %d", raisim,
                 judged);
    papers_check(r, PAPERS_CLAIM, judged > 0 && least > 10*ncp, "both violate complementarity wherever the robot "
                 "walks: %.1e and more, ncp-admm %.1e", least, ncp);
    papers_say(r, "%d grounds and starts, walked for %.0f s by all solvers, with each friction that the controller "
               "plans with; the ground has 0.3. In brackets: 95 %% intervals by bootstrap over grounds. The first "
               "second is left out. A case is judged where the interval of the NCP's speed is above half of what is "
               "commanded. A model deviates when its speed, in the root mean square over the walk, is off that of the "
               "NCP's solvers by a tenth of the command, and when the interval of that less the same among the NCP's "
               "three solvers is above 0. Plots and costs by solver are of the first ground and of the last "
               "friction.", worlds, time);
    papers_say(r, "The cones that the controller plans within stand on the ground's normal below each foot. Up to the "
                  "ground's own friction feet then slide seldom, solvers of one model agree to a tenth of a millimetre "
                  "a second, and RaiSim's model and the CCP differ from them surely, by a hundredth of the command "
                  "at most. A controller that trusts in more friction than there is slides; its walk is chaotic, two "
                  "solvers of one model, to the same tolerance, part within a second or two, and no model is farther "
                  "off than they are off each other: a single walk of each model, as the paper shows it, cannot tell models apart there.");
}

/* ---- what bumps cost ------------------------------------------------------------------------------------------- */

/* The cost of a step's solves in three measures: medians of time, which leave rare hard steps out, means of time, which
 * do not, and operations, which no other program disturbs. A claim about time counts where all three say so. */
enum { MPC_MEDIAN, MPC_MEAN, MPC_OPERATIONS, MPC_MEASURES };
typedef struct {
    double of[MPC_SOLVERS][MPC_MEASURES];
    double contacts, pgs, admm;      /* of ncp-pgs: contacts of a solve; its iterations, and ncp-admm's           */
} mpc_costs;

/* Adds a share of a world's. */
static void mpc_add_costs(const mpc_walk *walks, double share, mpc_costs *c)
{
    int i;

    for (i = 0; i < MPC_SOLVERS; ++i) {
        const double steps = walks[i].steps > 0 ? (double)walks[i].steps : 1;

        c->of[i][MPC_MEDIAN] += share*walks[i].microseconds;
        c->of[i][MPC_MEAN] += share*1e6*walks[i].cost.seconds/steps;
        c->of[i][MPC_OPERATIONS] += share*walks[i].cost.operations/steps;
    }
    c->contacts += share*walks[MPC_PGS].cost.contacts/walks[MPC_PGS].cost.solves;
    c->pgs += share*walks[MPC_PGS].cost.iterations/walks[MPC_PGS].cost.solves;
    c->admm += share*walks[MPC_ADMM].cost.iterations/walks[MPC_ADMM].cost.solves;
}

/* ADMM's cost over that of sweeps, geometric mean of the NCP's and the CCP's two solvers. */
static double mpc_gap(const mpc_costs *c, int measure)
{
    return sqrt(c->of[MPC_ADMM][measure]/c->of[MPC_PGS][measure]*c->of[MPC_CCP + 1][measure]/c->of[MPC_CCP][measure]);
}

/* The cost on bumps over that on flat ground, a row a solver. */
static void mpc_cost_rows(papers_run *r, const mpc_costs *flat, const mpc_costs *bumpy, const mpc_case *c, int cases)
{
    char what[192], ours[512];
    int i, k, n;

    for (i = 0; i < MPC_SOLVERS; ++i) {
        n = 0;
        for (k = 0; k < cases; ++k)
            n += snprintf(ours + n, sizeof ours - (size_t)n, "%s%.2f, %.2f, %.2f (friction %.2f)", k > 0 ? "; " : "",
                          bumpy[k].of[i][0]/flat->of[i][0], bumpy[k].of[i][1]/flat->of[i][1],
                          bumpy[k].of[i][2]/flat->of[i][2], c[k].belief);
        snprintf(what, sizeof what, "cost on bumps over flat ground, in medians and means of time and in operations: "
                 "%s", mpc_solvers[i].name);
        papers_number(r, what, i == MPC_RAISIM ? "most of all" : "> 1", "%s", ours);
    }
}

/* LL Fig. 18, bottom right, and what its text says of it. A twentieth is what such times are reproduced to here. */
static void mpc_time_claims(papers_run *r, double belief, const mpc_costs *flat, const mpc_costs *bumpy)
{
    double growth[MPC_SOLVERS][MPC_MEASURES], gap[2][MPC_MEASURES];
    int i, k, least = 0, raisim = 1, narrower = 1;
    double lowest = HUGE_VAL;
    char where[64];

    snprintf(where, sizeof where, "planned with friction %.2f,", belief);
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

/* All worlds with one belief. `walks`: of the first of them. */
static int mpc_ensemble(papers_run *r, double belief, int worlds, double time, int done, int all, FILE *csv,
                        mpc_walk *walks, mpc_case *c, mpc_costs *costs)
{
    mpc_walk *others = (mpc_walk *)cli_alloc(MPC_SOLVERS*sizeof *others);
    mpc_world w[MPC_WORLDS];
    int k, ok = 1;

    memset(costs, 0, sizeof *costs);
    for (k = 0; k < worlds && ok; ++k) {
        const mpc_task t = mpc_bumpy_task(k, belief, time);
        mpc_walk *here = k == 0 ? walks : others;

        ok = mpc_walks(r, &t, done + k*MPC_SOLVERS, all, here);
        if (!ok) break;
        mpc_data(csv, &t, here);
        mpc_take_world(here, &w[k]);
        mpc_add_costs(here, 1.0/worlds, costs);
    }
    if (ok) mpc_take_case(belief, w, worlds, c);
    free(others);
    return ok;
}

int papers_mpc_bumpy(papers_run *r)
{
    static const double beliefs[MPC_BELIEFS] = { 0.2, 0.25, 0.3, 0.4 };      /* the ground has 0.3 */
    mpc_walk *walks = (mpc_walk *)cli_alloc(MPC_SOLVERS*sizeof *walks);
    const int first = papers_is_quick(r) ? 1 : 0, cases = papers_is_quick(r) ? 1 : MPC_BELIEFS;
    const int worlds = papers_is_quick(r) ? 3 : MPC_WORLDS, all = (1 + cases*worlds)*MPC_SOLVERS;
    const double time = papers_is_quick(r) ? 2 : 10;
    const mpc_task on_flat = mpc_flat_task(time);
    mpc_costs flat, bumpy[MPC_BELIEFS];
    mpc_case c[MPC_BELIEFS];
    FILE *csv = mpc_csv(r);
    int k, ok = csv != NULL;

    memset(&flat, 0, sizeof flat);
    ok = ok && mpc_walks(r, &on_flat, 0, all, walks);
    if (ok) mpc_add_costs(walks, 1, &flat);
    for (k = 0; ok && k < cases; ++k)
        ok = mpc_ensemble(r, beliefs[first + k], worlds, time, (1 + k*worlds)*MPC_SOLVERS, all, csv, walks, &c[k],
                          &bumpy[k]);
    if (ok) {
        mpc_plots(r, walks);
        mpc_numbers(r, walks);
        mpc_bumpy_claims(r, c, cases, worlds, time);
        mpc_cost_rows(r, &flat, bumpy, c, cases);
        for (k = 0; k < cases; ++k) mpc_time_claims(r, c[k].belief, &flat, &bumpy[k]);
        papers_say(r, "Times are measured as processor time, each problem solved twice from the step's warm start and "
                   "the better time taken. Operations are counted: 2 n^2 an iteration and n^3/3 a factorisation of n "
                   "rows. A statement about times counts where medians, means and operations agree.");
        papers_say(r, "A solve has %.2f contacts on flat ground, %.2f on bumps; ncp-pgs takes %.1f sweeps and %.1f, "
                   "ncp-admm %.1f iterations and %.1f (friction %.2f).", flat.contacts, bumpy[cases - 1].contacts,
                   flat.pgs, bumpy[cases - 1].pgs, flat.admm, bumpy[cases - 1].admm, c[cases - 1].belief);
    }
    free(walks);
    return ok;
}
