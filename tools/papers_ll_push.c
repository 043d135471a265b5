/* LL Fig. 11: a horizontal force that grows on a cube, and the internal forces of each solver. */
#include "papers_ll.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "solve_probe.h"

enum { PUSH_SOLVERS = 8, PUSH_STEPS = 500, PUSH_SWEEPS = 4, PUSH_GLOBAL = 3, PUSH_CORNERS = 4 };

/* First those that take one contact at a time, then those that see all of them, then ours. */
static const ll_solver push_solvers[PUSH_SOLVERS] = {
    { "LCP, lcp-pgs", &slip_solver_lcp_pgs }, { "CCP, ccp-pgs", &slip_solver_ccp_pgs },
    { "RaiSim, raisim-bisection", &slip_solver_raisim_bisection }, { "NCP, ncp-pgs", &slip_solver_ncp_pgs },
    { "CCP, ccp-admm", &slip_solver_ccp_admm }, { "NCP, ncp-admm", &slip_solver_ncp_admm },
    { "NCP, ncp-staggered", &slip_solver_ncp_staggered }, { "NCP, default (ours)", &slip_solver_default } };
enum { PUSH_CCP = 1, PUSH_RAISIM = 2, PUSH_NCP = 3, PUSH_CCP_ADMM = 4 };

/* The scene models/cube_push.xml with numbers to vary: 1 kg, friction mu, 16 N/s at a height of the cube's frame. */
static const double push_dt = 0.001, push_weight = 9.81;
static const double push_stick = 0.24, push_slide = 0.3;     /* sticks before [s], slides after, in every model */
static const double push_seen = 0.01;                        /* a share of the weight that shows in the figure  */
static const char push_scene[] =
    "<scene name=\"push\"><simulation dt=\"0.001\" duration=\"0.5\"/>"
    "<surface name=\"default\" friction=\"%g\"/><ground/>"
    "<body name=\"cube\" mass=\"1\"><origin xyz=\"0 0 0.1\"/><geometry><box size=\"0.2 0.2 0.2\"/></geometry></body>"
    "<events><push link=\"cube\" from=\"0\" rate=\"16 0 0\" at=\"0 0 %g\"/></events></scene>";

typedef struct {
    slip_real time[PUSH_STEPS], speed[PUSH_STEPS], height[PUSH_STEPS], internal[PUSH_STEPS];    /* [s, m/s, m, N] */
    slip_real ahead[PUSH_STEPS];                     /* speed less that of the closed form for friction 0.4 [m/s] */
    slip_real aside[PUSH_CORNERS][PUSH_STEPS];       /* force across the push at each corner [N] */
    slip_real now;                                   /* internal force of the step's solve [N]   */
    int n;
} push_run;

/* The 2-norm of the part of lambda that moves nothing, as a force. */
static void push_solved(void *context, const slip_problem *p, const slip_solver_options *opt, const slip_solution *sol,
                        slip_arena *scratch)
{
    push_run *run = (push_run *)context;
    slip_real x[96], sum = 0;
    int i;

    (void)opt;
    if (p->n > 96 || slip_internal_forces(p, sol->lambda, x, scratch) < 0) return;
    for (i = 0; i < p->n; ++i) sum += x[i]*x[i];
    run->now = slip_sqrt(sum)/(slip_real)push_dt;
}

static int push_step(void *context, sim_session *s, long k)
{
    push_run *run = (push_run *)context;
    const slip_real *q = slip_world_q(s->world);
    int i;

    if (run->n == PUSH_STEPS) return 0;
    run->time[run->n] = (slip_real)(push_dt*(double)k);
    run->speed[run->n] = slip_world_v(s->world)[0];
    run->ahead[run->n] = run->speed[run->n] - (slip_real)(8*pow(fmax(0, push_dt*(double)k - 0.4*push_weight/16), 2));
    run->height[run->n] = q[2] - SLIP_R(0.1);
    run->internal[run->n] = run->now;
    for (i = 0; i < PUSH_CORNERS; ++i) run->aside[i][run->n] = SLIP_R(NAN);
    for (i = 0; i < slip_contact_count(s->world); ++i) {
        const slip_contact_info c = slip_contact_get(s->world, i);

        run->aside[2*(c.point[0] > q[0]) + (c.point[1] > q[1])][run->n] = c.force[1];
    }
    run->now = 0;
    ++run->n;
    return 1;
}

static int push_do(papers_run *r, const slip_solver *solver, double mu, double at, const char *tol, push_run *run)
{
    const char *options[] = { "tol", NULL, NULL };
    sim_observer observer = { push_step, 1, NULL };
    sim_result result;
    sim_session s;
    char text[1024];

    options[1] = tol;
    run->n = 0;
    run->now = 0;
    observer.context = run;
    snprintf(text, sizeof text, push_scene, mu, at);
    if (!papers_open(r, "push", text, solve_probe(solver, 65536, push_solved, run), 0, 0, options, &s)) return 0;
    sim_run(&s, &observer, &result);
    sim_close(&s);
    return result.status >= 0;
}

/* The first time at which the cube moves: faster than 0.1 mm/s, which it reaches 3.5 ms after it comes loose. */
static double push_onset(const push_run *run)
{
    int k;

    for (k = 0; k < run->n; ++k) if (run->speed[k] > SLIP_R(1e-4)) return (double)run->time[k];
    return (double)INFINITY;
}

/* From one time to another, as shares of the weight: the largest internal force, and the largest force across the push
 * at a corner. Nothing pushes that way, so that all of the latter is spurious. */
static void push_shares(const push_run *run, double from, double to, double *internal, double *across)
{
    int i, k;

    *internal = *across = 0;
    for (k = 0; k < run->n; ++k) {
        if ((double)run->time[k] <= from || (double)run->time[k] > to) continue;
        *internal = fmax(*internal, (double)run->internal[k]/push_weight);
        for (i = 0; i < PUSH_CORNERS; ++i)
            if (slip_is_finite(run->aside[i][k])) *across = fmax(*across, fabs((double)run->aside[i][k])/push_weight);
    }
}

static void push_data(FILE *csv, const push_run *runs)
{
    int i, k;

    fprintf(csv, "solver,time [s],speed [m/s],height [m],internal [N],across1 [N],across2 [N],across3 [N],"
            "across4 [N]\n");
    for (i = 0; i < PUSH_SOLVERS; ++i)
        for (k = 0; k < runs[i].n; ++k)
            fprintf(csv, "%s,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", push_solvers[i].solver->id,
                    (double)runs[i].time[k], (double)runs[i].speed[k], (double)runs[i].height[k],
                    (double)runs[i].internal[k], (double)runs[i].aside[0][k], (double)runs[i].aside[1][k],
                    (double)runs[i].aside[2][k], (double)runs[i].aside[3][k]);
}
/* Results of each solver, as numbers and statements. */
static void push_judge(papers_run *r, const push_run *runs)
{
    double internal[PUSH_SOLVERS], stick[PUSH_SOLVERS], slide[PUSH_SOLVERS], unused, from = 1, to = 0;
    int i;

    for (i = 0; i < PUSH_SOLVERS; ++i) {
        push_shares(&runs[i], 0, push_stick, &internal[i], &stick[i]);
        push_shares(&runs[i], push_slide, 1, &unused, &slide[i]);
        from = fmin(from, push_onset(&runs[i]));
        to = fmax(to, push_onset(&runs[i]));
        papers_number(r, push_solvers[i].name, "moves from 0.25 s", "moves from %.3f s; force across the push %.2g %% "
                      "of the weight while it sticks, %.2g %% while it slides; null space %.2g "
                      "%%", push_onset(&runs[i]),
                      100*stick[i], 100*slide[i], 100*internal[i]);
    }
    papers_check(r, PAPERS_FIGURE, fabs(from - 0.25) < 0.005 && fabs(to - 0.25) < 0.005, "the cube sticks until about "
                 "0.25 s in every model: %.3f to %.3f s", from, to);
    for (i = 0; i < PUSH_SWEEPS; ++i)
        papers_check(r, PAPERS_CLAIM, stick[i] > push_seen, "%s, contact by contact, stretches the cube while it "
                     "sticks: by %.1f %% of the weight at one corner", push_solvers[i].name, 100*stick[i]);
    for (i = PUSH_SWEEPS; i < PUSH_SOLVERS; ++i)
        papers_check(r, PAPERS_CLAIM, stick[i] < push_seen && internal[i] < push_seen, "%s does not: %.1e %%",
                     push_solvers[i].name, 100*fmax(stick[i], internal[i]));
    papers_check(r, PAPERS_CLAIM, slide[PUSH_CCP] < 0.01*push_seen, "the stretching of ccp-pgs ends when the cube "
                 "slides: %.1e of the weight", slide[PUSH_CCP]);
    papers_check(r, PAPERS_CLAIM, slide[PUSH_RAISIM] > push_seen, "that of RaiSim's model goes on: %.1f %% of the "
                 "weight",
                 100*slide[PUSH_RAISIM]);
    papers_check(r, PAPERS_CLAIM,
                 runs[PUSH_RAISIM].speed[PUSH_STEPS - 1] > SLIP_R(1.005)*runs[PUSH_NCP].speed[PUSH_STEPS - 1],
                 "RaiSim's model slides faster: %.4f m/s at 0.5 s, the NCP %.4f m/s",
                 (double)runs[PUSH_RAISIM].speed[PUSH_STEPS - 1], (double)runs[PUSH_NCP].speed[PUSH_STEPS - 1]);
    papers_check(r, PAPERS_CLAIM, runs[PUSH_CCP].speed[PUSH_STEPS - 1] < runs[PUSH_NCP].speed[PUSH_STEPS - 1]
                 && runs[PUSH_CCP].height[PUSH_STEPS - 1] > SLIP_R(1e-4), "the CCP lifts the cube, by %.2f mm, and is "
                 "slower: %.4f m/s", 1e3*(double)runs[PUSH_CCP].height[PUSH_STEPS - 1],
                 (double)runs[PUSH_CCP].speed[PUSH_STEPS - 1]);
}

static void push_figures(papers_run *r, const push_run *runs)
{
    static const int shown[] = { PUSH_CCP, PUSH_RAISIM, PUSH_CCP_ADMM };
    slip_plot_series series[3*PUSH_CORNERS];
    int i, k;

    for (i = 0; i < PUSH_SOLVERS; ++i)
        series[i] = papers_line(push_solvers[i].name, runs[i].time, runs[i].speed, runs[i].n);
    papers_draw(r, "speed", "The cube sticks until the push has grown to its friction.",
            "Speed of the pushed cube", "time [s]",
            "speed [m/s]", 0, series, PUSH_SOLVERS);
    for (i = 0; i < PUSH_SOLVERS; ++i) series[i].y = runs[i].ahead;
    papers_draw(r, "ahead", "Speed less that of the closed form, 8 (t - 0.245)^2. RaiSim's model runs ahead; the "
            "others keep the error of the time step.", "Ahead of the closed form", "time [s]",
            "speed less the closed form [m/s]", 0, series,
            PUSH_SOLVERS);
    for (i = 0; i < 3; ++i)
        for (k = 0; k < PUSH_CORNERS; ++k) {
            slip_plot_series *s = &series[PUSH_CORNERS*i + k];

            *s = papers_line(k == 0 ? push_solvers[shown[i]].name : NULL, runs[shown[i]].time, runs[shown[i]].aside[k],
                         runs[shown[i]].n);
            s->colour = i + 1;
        }
    papers_draw(r, "across", "Force across the push at each of the four corners. All of it is spurious: nothing pushes "
            "that way.",
            "Forces that stretch the cube", "time [s]", "force across the push [N]", 0, series, 3*PUSH_CORNERS);
    for (i = 0; i < PUSH_SOLVERS; ++i)
        series[i] = papers_line(push_solvers[i].name, runs[i].time, runs[i].internal, runs[i].n);
    papers_draw(r, "internal", "The part of the contact forces in the null space of J'. While the cube slides the "
            "cones demand a part of it: friction presses the front corners down and is larger there.",
            "Internal forces", "time [s]",
            "internal force, 2-norm [N]", 2, series, PUSH_SOLVERS);
}

/* The same with a push at the centre of mass, another friction and a looser tolerance. */
static int push_vary(papers_run *r, push_run *run)
{
    const double mu = 0.8, at = 0;
    double least = 1, most = 0, internal, stick, from = 1, to = 0;
    int i;

    for (i = 0; i < PUSH_SOLVERS; ++i) {
        if (!push_do(r, push_solvers[i].solver, mu, at, "1e-6", run)) return 0;
        push_shares(run, 0, push_stick, &internal, &stick);
        if (i < PUSH_SWEEPS) least = fmin(least, stick); else most = fmax(most, stick);
        from = fmin(from, push_onset(run));
        to = fmax(to, push_onset(run));
    }
    papers_check(r, PAPERS_CLAIM, least > push_seen && most < push_seen, "the same with friction %g, the push at the "
                 "centre of mass and a tolerance of 1e-6: sweeps stretch the cube by at least %.1f %%, the others by "
                 "at most %.1e %%", mu, 100*least, 100*most);
    papers_say(r, "The paper leaves mass, friction, rate and place of the push open. With friction %g, the push at "
               "the centre of mass and a tolerance of 1e-6 the cube sticks until %.3f to %.3f s (mu m g over the rate "
               "is 0.49 s), sweeps stretch it by at least %.1f %% of its weight at a corner, the others by at most "
               "%.1e %%.", mu, from, to,
               100*least, 100*most);
    return 1;
}

int ll_fig11(papers_run *r)
{
    push_run *runs = (push_run *)cli_alloc(PUSH_SOLVERS*sizeof *runs), *other = (push_run *)cli_alloc(sizeof *other);
    FILE *csv = papers_csv(r, NULL);
    int i, ok = csv != NULL;

    if (!ll_needs_double(r)) return free(runs), free(other), 1;
    for (i = 0; ok && i < PUSH_SOLVERS; ++i) {
        ok = push_do(r, push_solvers[i].solver, 0.4, -0.1, "1e-9", &runs[i]);
        papers_progress(r, (i + 1.0)/(2*PUSH_SOLVERS));
    }
    if (ok) {
        push_data(csv, runs);
        push_judge(r, runs);
        push_figures(r, runs);
        ok = push_vary(r, other);
    }
    free(runs);
    free(other);
    return ok;
}
