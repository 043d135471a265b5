/* The experiments of LL. See papers.h. */
#include "papers_ll.h"
#include "papers_mpc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a sliding cube: LL Fig. 9 and 10 -------------------------------------------------------------------------- */

enum { LL_SOLVERS = 5, LL_STEPS = 400 };

/* One of each model, and ours. */
static const struct { const char *name; const slip_solver *solver; } ll_slide_solvers[LL_SOLVERS] = {
    { "LCP, lcp-pgs", &slip_solver_lcp_pgs }, { "CCP, ccp-pgs", &slip_solver_ccp_pgs },
    { "RaiSim, raisim-bisection", &slip_solver_raisim_bisection }, { "NCP, ncp-pgs", &slip_solver_ncp_pgs },
    { "NCP, default (ours)", &slip_solver_default } };

/* A cube of 1 kg and 0.2 m that slides ahead, turned against the x axis. The first one stops after v/(mu g) = 0.51 s
 * and v^2/(2 mu g) = 1.02 m; the others vary what the paper leaves open, and stop within LL_STEPS, too. */
typedef struct { double speed, angle, friction; } ll_case;       /* [m/s], [rad] */
enum { LL_CASES = 4 };
static const ll_case ll_cases[LL_CASES] = { { 4, 0.25, 0.8 }, { 2, 0.5, 0.3 }, { 1, 0.1, 0.5 }, { 3, 0.6, 0.6 } };
static const double ll_gravity = 9.81, ll_dt = 0.002;
static const char ll_cube[] =
    "<scene name=\"cube\"><simulation dt=\"0.002\" duration=\"0.8\"/>"
    "<surface name=\"default\" friction=\"%.9g\"/><ground/>"
    "<body name=\"cube\" mass=\"1\" velocity=\"%.9g %.9g 0\"><origin xyz=\"0 0 0.1\" rpy=\"0 0 %.9g\"/>"
    "<geometry><box size=\"0.2 0.2 0.2\"/></geometry></body></scene>";

/* Motion and energy of one cube, step by step. */
typedef struct {
    double angle;
    slip_real time[LL_STEPS], along[LL_STEPS], aside[LL_STEPS], height[LL_STEPS];  /* [s], [m] */
    slip_real energy[LL_STEPS];                                                        /* [J]      */
    int n;
} ll_slide;

static int ll_slide_step(void *context, sim_session *s, long k)
{
    ll_slide *p = (ll_slide *)context;
    const slip_real *q = slip_world_q(s->world), c = (slip_real)cos(p->angle), d = (slip_real)sin(p->angle);
    slip_real kinetic, potential;

    if (p->n == LL_STEPS) return 0;
    slip_world_energy(s->world, &kinetic, &potential);
    p->time[p->n] = (slip_real)(ll_dt*(double)k);
    p->along[p->n] = c*q[0] + d*q[1];
    p->aside[p->n] = c*q[1] - d*q[0];
    p->height[p->n] = q[2] - SLIP_R(0.1);
    p->energy[p->n] = kinetic + (slip_real)ll_gravity*p->height[p->n];
    ++p->n;
    return 1;
}

/* The cubes of one case; 0 after a message. */
static int ll_slides(papers_run *r, const ll_case *c, ll_slide *slides)
{
    static const char *const options[] = { "tol", "1e-9", NULL };
    char scene[sizeof ll_cube + 100];
    int i;

    snprintf(scene, sizeof scene, ll_cube, c->friction, c->speed*cos(c->angle), c->speed*sin(c->angle), c->angle);
    for (i = 0; i < LL_SOLVERS; ++i) {
        sim_observer observer = { ll_slide_step, 1, NULL };
        sim_result result;
        sim_session s;

        slides[i].n = 0;
        slides[i].angle = c->angle;
        observer.context = &slides[i];
        if (!papers_open(r, "cube", scene, ll_slide_solvers[i].solver, 0, 0, options, &s)) return 0;
        sim_run(&s, &observer, &result);
        sim_close(&s);
        if (result.status < 0) return 0;
        papers_progress(r, (i + 1)/(double)LL_SOLVERS);
    }
    return 1;
}

/* The largest |x|, or with `high` the largest x. */
static double ll_most(const slip_real *x, int n, int high)
{
    double most = 0;
    int i;

    for (i = 0; i < n; ++i) most = fmax(most, high ? (double)x[i] : fabs((double)x[i]));
    return most;
}

/* A series of each cube. */
static void ll_series(const ll_slide *slides, const slip_real *(*x)(const ll_slide *),
                      const slip_real *(*y)(const ll_slide *), slip_plot_series *series)
{
    int i;

    memset(series, 0, LL_SOLVERS*sizeof *series);
    for (i = 0; i < LL_SOLVERS; ++i) {
        series[i] = papers_line(ll_slide_solvers[i].name, x(&slides[i]), y(&slides[i]), slides[i].n);
    }
}

static const slip_real *ll_time(const ll_slide *s) { return s->time; }
static const slip_real *ll_along(const ll_slide *s) { return s->along; }
static const slip_real *ll_aside(const ll_slide *s) { return s->aside; }
static const slip_real *ll_height(const ll_slide *s) { return s->height; }
static const slip_real *ll_energy(const ll_slide *s) { return s->energy; }

static void ll_slide_data(FILE *csv, const ll_slide *slides)
{
    int i, k;

    fprintf(csv, "solver,time [s],along [m],aside [m],height [m],energy [J]\n");
    for (i = 0; i < LL_SOLVERS; ++i)
        for (k = 0; k < slides[i].n; ++k)
            fprintf(csv, "%s,%.9g,%.9g,%.9g,%.9g,%.9g\n", ll_slide_solvers[i].solver->id, (double)slides[i].time[k],
                    (double)slides[i].along[k], (double)slides[i].aside[k], (double)slides[i].height[k],
                    (double)slides[i].energy[k]);
}

/* Fig. 9 with other speeds, angles and frictions. */
static int ll_fig9_varied(papers_run *r, ll_slide *slides)
{
    int k, i, ok = 1;

    for (k = 1; k < LL_CASES && ok; ++k) {
        const ll_case *c = &ll_cases[k];
        const double way = c->speed*c->speed/(2*c->friction*ll_gravity);
        double cones = 0, pyramid;

        ok = ll_slides(r, c, slides);
        if (!ok) break;
        pyramid = ll_most(slides[0].aside, slides[0].n, 0);
        for (i = 1; i < LL_SOLVERS; ++i) cones = fmax(cones, ll_most(slides[i].aside, slides[i].n, 0));
        papers_check(r, PAPERS_CLAIM, pyramid > 0.01*way && pyramid > 100*cones, "the same with %g m/s, friction %g "
                                                                                 "and "
                     "%g rad, a way of %.2f m: the pyramid turns the cube aside by %.1f mm, cones by at most %.1e mm",
                     c->speed, c->friction, c->angle, way, 1e3*pyramid, 1e3*cones);
    }
    if (ok) papers_say(r, "The sign and the size of the deviation hang on the angle between motion and pyramid: along "
                       "an axis and along a diagonal symmetry keeps the cube on its line, in between the pyramid "
                       "pulls it towards one of them.");
    return ok;
}

static int ll_fig9(papers_run *r)
{
    ll_slide *slides = (ll_slide *)cli_alloc(LL_SOLVERS*sizeof *slides);
    slip_plot_series series[LL_SOLVERS];
    slip_plot plot;
    FILE *csv = papers_csv(r, NULL);
    int i, ok = csv && ll_slides(r, &ll_cases[0], slides);

    for (i = 0; ok && i < LL_SOLVERS; ++i) {
        const double aside = ll_most(slides[i].aside, slides[i].n, 0);
        char what[96];

        snprintf(what, sizeof what, "%s: farthest from the straight line", ll_slide_solvers[i].name);
        papers_number(r, what, "-", "%.2e m", aside);
        if (i == 0) papers_check(r, PAPERS_CLAIM, aside > 0.01, "%s leaves the line by more than 10 mm: %.1f mm",
                                 ll_slide_solvers[i].name, 1e3*aside);
        else papers_check(r, PAPERS_CLAIM, aside < 1e-4, "%s stays within 0.1 mm of it: %.1e mm",
                          ll_slide_solvers[i].name, 1e3*aside);
    }
    if (ok) {
        ll_slide_data(csv, slides);
        ll_series(slides, ll_along, ll_aside, series);
        plot = papers_axes("A cube slides across the pyramid's axes", "along the first velocity [m]", "aside [m]", 0,
                           series, LL_SOLVERS);
        papers_plot(r, NULL, "Paths from above. Cones let the cube go straight; the pyramid turns it aside.", &plot);
        ok = ll_fig9_varied(r, slides);
    }
    free(slides);
    return ok;
}

/* m/2 (v - mu g t)^2 after each step, and how far off it each cube is: at all, too high; and how far up it goes. */
typedef struct {
    double off[LL_SOLVERS], over[LL_SOLVERS], lift[LL_SOLVERS], start;
    slip_real exact[LL_STEPS];
} ll_energies;

static void ll_compare(const ll_case *c, const ll_slide *slides, ll_energies *e)
{
    const double stop = c->speed/(c->friction*ll_gravity);
    int i, k;

    e->start = c->speed*c->speed/2;
    for (k = 0; k < LL_STEPS; ++k) {
        const double v = c->speed*fmax(0, 1 - ll_dt*(k + 1)/stop);

        e->exact[k] = (slip_real)(v*v/2);
    }
    for (i = 0; i < LL_SOLVERS; ++i) {
        e->off[i] = e->over[i] = 0;
        for (k = 0; k < slides[i].n; ++k) {
            e->off[i] = fmax(e->off[i], fabs((double)(slides[i].energy[k] - e->exact[k])));
            e->over[i] = fmax(e->over[i], (double)(slides[i].energy[k] - e->exact[k]));
        }
        e->lift[i] = ll_most(slides[i].height, slides[i].n, 1);
    }
}

/* Fig. 10 with other speeds, angles and frictions. */
static int ll_fig10_varied(papers_run *r, ll_slide *slides, ll_energies *e)
{
    int k;

    for (k = 1; k < LL_CASES; ++k) {
        const ll_case *c = &ll_cases[k];

        if (!ll_slides(r, c, slides)) return 0;
        ll_compare(c, slides, e);
        papers_check(r, PAPERS_CLAIM, e->lift[1] > 10*e->lift[3] && e->off[1] > 0.05*e->start
                     && e->over[2] > 10*e->off[3] && e->off[2] < e->off[1] && e->off[3] < 0.01*e->start, "the same "
                                                                                                         "with %g "
                                                                                                         "m/s, "
                                                                                                         "friction %g "
                                                                                                         "and %g "
                     "rad: the CCP lifts the cube by %.2f mm and is off by %.2g J of %.2g, RaiSim's model keeps %.1e J "
                     "too much, the NCP is off by %.0e J", c->speed, c->friction, c->angle, 1e3*e->lift[1], e->off[1],
                     e->start, e->over[2], e->off[3]);
    }
    return 1;
}

static int ll_fig10(papers_run *r)
{
    ll_slide *slides = (ll_slide *)cli_alloc(LL_SOLVERS*sizeof *slides);
    slip_plot_series series[LL_SOLVERS + 1];
    ll_energies e;
    slip_plot plot;
    FILE *csv = papers_csv(r, NULL);
    int i, ok = csv && ll_slides(r, &ll_cases[0], slides);

    if (ok) ll_compare(&ll_cases[0], slides, &e);
    for (i = 0; ok && i < LL_SOLVERS; ++i) {
        char what[96];

        snprintf(what, sizeof what, "%s: off the analytic energy, at most; height reached", ll_slide_solvers[i].name);
        papers_number(r, what, "-", "%.3g J of 8; %.3g mm", e.off[i], 1e3*e.lift[i]);
    }
    if (ok) {
        papers_check(r, PAPERS_CLAIM, e.lift[1] > 10*e.lift[3] && e.lift[1] > 1e-3, "the CCP lifts the cube, by %.2f "
                                                                                    "mm; "
                     "the NCP by %.1e mm", 1e3*e.lift[1], 1e3*e.lift[3]);
        papers_check(r, PAPERS_CLAIM, e.off[1] > 0.05*8,
                     "the CCP departs from the analytic energy: by %.2f J of 8", e.off[1]);
        papers_check(r, PAPERS_CLAIM, e.over[2] > 10*e.off[3] && e.off[2] < e.off[1], "RaiSim's model is nearer to it "
                                                                                      "and "
                     "dissipates too little: %.2f J too much are left", e.over[2]);
        papers_check(r, PAPERS_CLAIM, e.off[3] < 0.01*8,
                     "the NCP matches it: within %.3f J, the step's own error", e.off[3]);
        ll_slide_data(csv, slides);
        memset(&plot, 0, sizeof plot);
        plot.x_label = "time [s]";
        plot.series = series;
        ll_series(slides, ll_time, ll_height, series);
        plot.nseries = LL_SOLVERS;
        plot.title = "Height of the sliding cube";
        plot.y_label = "above the plane [m]";
        papers_plot(r, "height", "Only the CCP lifts the cube: Signorini's law is relaxed while it slides.", &plot);
        ll_series(slides, ll_time, ll_energy, series);
        memset(&series[LL_SOLVERS], 0, sizeof *series);
        series[LL_SOLVERS] = papers_line("analytic", slides[0].time, e.exact, LL_STEPS);
        series[LL_SOLVERS].style = SLIP_PLOT_POINTS;
        plot.nseries = LL_SOLVERS + 1;
        plot.title = "Energy of the sliding cube";
        plot.y_label = "energy [J]";
        papers_plot(r, "energy", "Kinetic and potential energy against what maximum dissipation gives.", &plot);
        ok = ll_fig10_varied(r, slides, &e);
    }
    free(slides);
    return ok;
}

/* ---- what all of them share -------------------------------------------------------------------------------------- */

int ll_needs_double(papers_run *r)
{
    if (sizeof(slip_real) > 4) return 1;
    papers_say(r, "Tolerances and mass ratios of this experiment need double; this is a build with float.");
    return 0;
}

/* ---- */

static const papers_experiment ll_list[] = {
    { "LL-tab2", "the table of properties",
      "Which solver keeps Signorini's condition, Coulomb's cone and maximum dissipation, neither shifts the solution "
      "nor adds internal forces, is robust against ill-conditioning, and is guaranteed to converge.",
      "Each of the seven properties is decided by a measurement on problems that are the same for all solvers: those "
      "of LL-fig9, LL-fig11 and LL-fig12, and 1000 random ones. A letter is a tick: S Signorini, C Coulomb, M maximum "
      "dissipation, N no shift, I no internal forces, R robust, G convergence guaranteed. 'slipstick solvers' shows "
      "these ticks for every solver, and with --measure it measures them again.",
      "lcp-pgs lcp-staggered ccp-pgs ccp-newton ccp-admm raisim-bisection ncp-pgs ncp-staggered ncp-admm "
      "default", 2, 2, ll_tab2 },
    { "LL-fig9", "a cube slides across the pyramid's axes",
      "A cube launched along a plane: linearised friction cones turn it aside, all cone models go straight.",
      "A cube of 1 kg and 0.2 m slides ahead at 4 m/s, turned by 0.25 rad against the pyramid's axes, on a plane with "
      "friction 0.8, for 0.8 s at 2 ms. The paper leaves speed, friction and angle open; three other choices are run "
      "as well. The tolerance is 1e-9.",
      "lcp-pgs ccp-pgs raisim-bisection ncp-pgs default", 1, 1, ll_fig9 },
    { "LL-fig10", "bouncing and dissipation of a sliding cube",
      "The CCP makes the cube bounce and departs from the analytic energy; RaiSim's model is closer but dissipates too "
      "little; the NCP matches the analytic curve.",
      "The cube of LL-fig9. Its analytic energy is m/2 (v - mu g t)^2 until it stops.",
      "lcp-pgs ccp-pgs raisim-bisection ncp-pgs default", 1, 1, ll_fig10 },
    { "LL-fig11", "a force that grows, and internal forces",
      "A cube pushed by a force that grows sticks until about 0.25 s, then slides, faster in RaiSim's model. Solvers "
      "that take one contact at a time stretch it while it sticks; ADMM and staggered projections do not.",
      "A cube of 1 kg and 0.2 m on a plane with friction 0.4 is pushed at its foot by 16 N/s: it comes loose at 0.245 "
      "s. The step is 1 ms, the tolerance 1e-9; internal forces are those in the null space of J', of which forces "
      "across the push are spurious in any case.",
      "lcp-pgs ccp-pgs raisim-bisection ncp-pgs ccp-admm ncp-admm ncp-staggered default", 1, 1, ll_fig11 },
    { "LL-fig12", "a heavy cube on a light one",
      "A cube of 10^3 kg on one of 10^-3 kg is beyond solvers that take one contact at a time; ADMM converges. "
      "Accuracy improves as the ratio of the masses nears one, and ADMM's is better throughout.",
      "Two cubes of 0.2 m, the light one below, masses from 1 and 1 kg to 10^-3 and 10^3 kg, friction 0.6, for 0.2 s "
      "at 1 ms. Each solve has 1000 iterations for a tolerance of 1e-6; shown is the worst residual of the NCP, by "
      "the judge.",
      "lcp-pgs ccp-pgs raisim-bisection ncp-pgs ccp-admm ncp-admm ncp-staggered default", 7, 1, ll_fig12 },
    { "LL-fig13", "Solo-12 on compliant ground",
      "Compliance makes the normal force linear; along the surface it makes dry friction vanish; and it removes "
      "internal forces.",
      "Solo-12 stands on its drives on ground of 2, 5 and 10 kN/m a foot and is pushed by 6 N/s (left); with locked "
      "joints on ground that is soft along the surface (centre) or all around (right) it is pushed by 3 N. The step "
      "is 1 ms, the tolerance 1e-9; R = 1/(dt (dt k + d)).",
      "ncp-admm lcp-pgs ccp-pgs raisim-bisection ncp-pgs default", 1, 1, ll_fig13 },
    { "LL-tab3", "a sliding cube and the time step (Tab. III, Fig. 14)",
      "The error of a longer time step is alike for all models; the energy depends on the step in the CCP only.",
      "A cube of 1 kg slides from 3 m/s to rest on a plane with friction 0.3, 1.5 s in all, to a tolerance of 1e-9. "
      "Shown is the integral over time of the distance to the path with steps of 0.1 ms.",
      "ccp-pgs raisim-bisection ncp-pgs default", 1, 1, ll_tab3 },
    { "LL-tab4", "a sliding cube and the tolerance (Tab. IV, Fig. 15)",
      "A looser tolerance moves the paths of the CCP and of RaiSim's model and spoils their energy; the NCP's hardly.",
      "The cube of LL-tab3 with steps of 1 ms. Shown is the integral over time of the distance to the path with "
      "tolerance 1e-9; sweeps go over the contacts at least once a step.",
      "ccp-pgs raisim-bisection ncp-pgs default", 1, 1, ll_tab4 },
    { "LL-fig16", "time of a solve, cold and warm",
      "From cold starts sweeps are faster than ADMM and staggered projections; warm starts narrow the gap.",
      "Solo-12 and a humanoid of 37 freedoms are pushed, a ball drops into a hand of 16 joints. Each step's problem "
      "is solved from the world's warm start and again from zero, to 1e-6 with at most 5000 iterations; times are "
      "means along the motion, over the solves that reach it.",
      "lcp-pgs ccp-pgs raisim-bisection ncp-pgs ccp-admm ncp-admm ncp-staggered default", 10, 3, ll_fig16 },
    { "LL-fig17", "Solo-12 under model-predictive control, flat ground",
      "With friction 0.9 on flat ground all models track the commanded speed alike; per-contact solvers are faster.",
      "Solo-12 trots at 0.3 m/s for 10 s at 1 ms. Forces of the feet are planned 16 steps ahead, a stride, for one "
      "rigid body "
      "in friction cones (a CCP that ccp-newton solves), and mapped to torques by the legs' Jacobians; the paper's "
      "controller "
      "is not public, speed and gait are chosen, and varied once.",
      "ncp-admm ncp-pgs default raisim-bisection ccp-pgs ccp-admm lcp-pgs", 16, 5, papers_mpc_flat },
    { "LL-fig18", "Solo-12 under model-predictive control, slippery bumps",
      "On bumps of 0.1 m with friction 0.3 the speeds of RaiSim's model and of the CCP deviate from the NCP's, and "
      "their "
      "contacts violate complementarity. Solves take longer than on flat ground, RaiSim's most of all, and the gap "
      "between per-contact solvers and ADMM is narrower.",
      "The same controller at 0.3 m/s over eight seeded height fields and starts, planning with less friction than the "
      "ground has, with as much and with more, and on flat ground as in LL-fig17. Models are compared with how far "
      "solvers of the NCP part from each other, ground by ground, and the cost of solves with that on flat ground.",
      "ncp-admm ncp-pgs default raisim-bisection ccp-pgs ccp-admm lcp-pgs", 420, 8, papers_mpc_bumpy },
};

const papers_family papers_ll = {
    "LL", "Q. Le Lidec, W. Jallet, L. Montaut, I. Laptev, C. Schmid, J. Carpentier: Contact Models in Robotics: a "
    "Comparative Analysis. IEEE Transactions on Robotics 40, 2024", ll_list, (int)(sizeof ll_list/sizeof *ll_list), "paper"
};
