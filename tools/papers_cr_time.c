/* CR Fig. 5: the time of a solve along the trajectories of four scenes. */
#include "papers_cr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "papers_problems.h"
#include "trot.h"

enum { TIME_SCENES = 4, TIME_WAYS = 5, TIME_ADMM = 0, TIME_NCP_PGS, TIME_CCP_PGS, TIME_SCS, TIME_OURS };

static const struct { const char *name, *path; double time; int trots; } time_scenes[TIME_SCENES] = {
    { "wall", "models/bench/wall.xml", 0.5, 0 }, { "humanoid", "models/humanoid_fall.xml", 2.5, 0 },
    { "hand", "models/hand_cubes.xml", 2, 0 }, { "quadruped", "models/quad_steep.xml", 4, 1 } };

static const struct { const char *name; const slip_solver *solver; } time_ways[TIME_WAYS] = {
    { "ncp-admm", &slip_solver_ncp_admm }, { "ncp-pgs", &slip_solver_ncp_pgs }, { "ccp-pgs", &slip_solver_ccp_pgs },
    { "ccp-scs", &slip_solver_ccp_scs }, { "default (ours)", &slip_solver_default } };

/* From zero to an absolute tolerance as in the paper; from the last step's impulses; from zero to a relative one. */
enum { TIME_COLD, TIME_WARM, TIME_RELATIVE, TIME_MODES };
static const char *const time_modes[TIME_MODES] = { "cold", "warm", "relative" };

typedef struct {
    double mean[TIME_MODES], deviation[TIME_MODES];      /* seconds a solve   */
    double iterations[TIME_MODES], solved[TIME_MODES];   /* mean; share       */
} time_cell;

/* The problems of a scene, evenly spaced along its trajectory. */
static int time_take(papers_run *r, int scene, papers_problems *set)
{
    const trot_command ahead = { SLIP_R(0.3), 0, 0, 1, SLIP_R(0.7) };        /* of the slope's 0.8 */
    const int count = papers_is_quick(r) ? 12 : 100;
    trot *walker = NULL;
    sim_session s;
    int ok = 1;

    if (!papers_open(r, time_scenes[scene].path, NULL, &slip_solver_default, 0, time_scenes[scene].time, NULL, &s))
        return 0;
    if (time_scenes[scene].trots) ok = (walker = trot_new(&s, &ahead)) != NULL;
    if (ok) ok = papers_problems_run(set, scene, &s, s.steps/count - 1, s.steps/count, s.steps - 1);
    trot_free(walker);
    sim_close(&s);
    return ok;
}

/* Best of `repeats` runs of each solve, so that other programs of the machine do not count. */
static papers_solve_result time_solve(const papers_problem *q, int way, int mode, int repeats)
{
    slip_solver_options opt = papers_absolute(1e-4, 1000);
    papers_solve_result best;
    int i;

    if (mode == TIME_RELATIVE) opt.tol_rule = SLIP_TOL_RELATIVE;
    best = papers_solve(q, time_ways[way].solver, &opt, mode == TIME_WARM, 0);
    for (i = 1; i < repeats && best.seconds < 0.02; ++i)
        best.seconds = fmin(best.seconds, papers_solve(q, time_ways[way].solver, &opt, mode == TIME_WARM, 0).seconds);
    return best;
}

static void time_cell_of(const papers_problems *set, int way, int mode, int repeats, FILE *csv, time_cell *cell)
{
    double *seconds = (double *)cli_alloc((size_t)(set->n + 1)*sizeof *seconds);
    int i;

    for (i = 0; i < set->n; ++i) {
        const papers_solve_result s = time_solve(&set->list[i], way, mode, repeats);

        seconds[i] = s.seconds;
        cell->iterations[mode] += s.iterations/(double)set->n;
        cell->solved[mode] += s.solved/(double)set->n;
        fprintf(csv, "%s,%d,%s,%s,%d,%d,%d,%.3f\n", set->list[i].name, set->list[i].p.nc, time_ways[way].name,
                time_modes[mode], s.solved, s.iterations, s.factorizations, 1e6*s.seconds);
    }
    papers_mean(seconds, set->n, &cell->mean[mode], &cell->deviation[mode]);
    free(seconds);
}

static int time_all(papers_run *r, FILE *csv, time_cell cells[TIME_SCENES][TIME_WAYS], double contacts[TIME_SCENES])
{
    const int repeats = papers_is_quick(r) ? 2 : 5;
    int i, k, mode;

    for (i = 0; i < TIME_SCENES; ++i) {
        papers_problems set = { NULL, 0, 0 };
        const int ok = time_take(r, i, &set) && set.n > 0;

        contacts[i] = 0;
        for (k = 0; ok && k < set.n; ++k) contacts[i] += set.list[k].p.nc/(double)set.n;
        for (k = 0; ok && k < TIME_WAYS; ++k)
            for (mode = 0; mode < TIME_MODES; ++mode) {
                time_cell_of(&set, k, mode, repeats, csv, &cells[i][k]);
                papers_progress(r, (i + (TIME_MODES*k + mode + 1)/(1.0*TIME_MODES*TIME_WAYS))/TIME_SCENES);
            }
        papers_problems_free(&set);
        if (!ok) return 0;
    }
    return 1;
}

/* ---- what is said about it -------------------------------------------------------------------------------------- */

/* Mean time over the fastest of the four printed ways, at its worst over the scenes. */
static double time_worst(time_cell cells[TIME_SCENES][TIME_WAYS], int way, int mode)
{
    double worst = 0;
    int i, k;

    for (i = 0; i < TIME_SCENES; ++i) {
        double best = (double)INFINITY;

        for (k = 0; k < TIME_OURS; ++k) best = fmin(best, cells[i][k].mean[mode]);
        worst = fmax(worst, cells[i][way].mean[mode]/best);
    }
    return worst;
}

static void time_draw(papers_run *r, time_cell cells[TIME_SCENES][TIME_WAYS], int mode)
{
    static const char *const titles[] = { "Time of a solve from zero", "Time of a solve from the last step's impulses",
                                          "Time of a solve, relative tolerance" };
    static const char *const scenes[TIME_SCENES] = { "wall", "humanoid", "hand", "quadruped" };
    slip_real x[TIME_WAYS][TIME_SCENES], y[TIME_WAYS][TIME_SCENES];
    slip_plot_series series[TIME_WAYS];
    slip_plot plot;
    int i, k;

    for (k = 0; k < TIME_WAYS; ++k) {
        for (i = 0; i < TIME_SCENES; ++i) {
            x[k][i] = (slip_real)(i + 1 + 0.08*(k - 2));
            y[k][i] = (slip_real)(1e3*cells[i][k].mean[mode]);
        }
        series[k] = papers_line(time_ways[k].name, x[k], y[k], TIME_SCENES);
        series[k].style = SLIP_PLOT_POINTS;
    }
    plot = papers_categories(titles[mode], scenes, TIME_SCENES, "time [ms]", 1, series, TIME_WAYS);
    plot.width = 760;
    papers_plot(r, time_modes[mode], mode == TIME_RELATIVE ? "The same to 1e-4 relative to the impulses and velocities "
                "of the problem." : "Mean over problems along the trajectory, to an absolute 1e-4 of each solver's own "
                "model or until 1000 iterations.", &plot);
}

static void time_numbers(papers_run *r, time_cell cells[TIME_SCENES][TIME_WAYS], const double *contacts)
{
    int i, k;

    for (i = 0; i < TIME_SCENES; ++i)
        for (k = 0; k < TIME_WAYS; ++k) {
            const time_cell *c = &cells[i][k];
            char what[96];

            snprintf(what, sizeof what, "%s (%.0f contacts), %s", time_scenes[i].name, contacts[i], time_ways[k].name);
            papers_number(r, what, "-", "%.0f +- %.0f us, %.0f iterations, %.0f %% solved; warm %.0f us, %.0f, %.0f "
                    "%%; relative %.0f us, %.0f, %.0f %%", 1e6*c->mean[0], 1e6*c->deviation[0], c->iterations[0],
                          100*c->solved[0], 1e6*c->mean[1], c->iterations[1], 100*c->solved[1], 1e6*c->mean[2],
                          c->iterations[2], 100*c->solved[2]);
        }
}

static void time_judge(papers_run *r, time_cell cells[TIME_SCENES][TIME_WAYS])
{
    const double admm = time_worst(cells, TIME_ADMM, 0), scs = time_worst(cells, TIME_SCS, 0);
    const double ncp = time_worst(cells, TIME_NCP_PGS, 0), ccp = time_worst(cells, TIME_CCP_PGS, 0);
    int i;

    papers_check_timed(r, PAPERS_CLAIM, admm < ncp && admm < ccp && admm < scs, "ADMM is consistent: at its worst "
                 "%.1f times the fastest of the four, ncp-pgs %.1f, ccp-pgs %.1f, ccp-scs %.1f", admm, ncp, ccp, scs);
    for (i = 0; i < 3; ++i) {
        const time_cell *c = cells[i];

        papers_check_timed(r, PAPERS_CLAIM, c[TIME_ADMM].mean[0] < c[TIME_NCP_PGS].mean[0], "%s: ADMM is faster than "
                    "PGS on the NCP, by a factor of %.2f", time_scenes[i].name,
                    c[TIME_NCP_PGS].mean[0]/c[TIME_ADMM].mean[0]);
        papers_check_timed(r, PAPERS_CLAIM, c[TIME_ADMM].mean[0] < c[TIME_CCP_PGS].mean[0], "%s: ADMM is faster than "
                    "PGS on the CCP, by a factor of %.2f", time_scenes[i].name,
                    c[TIME_CCP_PGS].mean[0]/c[TIME_ADMM].mean[0]);
    }
    for (i = 0; i < TIME_SCENES; ++i)
        papers_check(r, PAPERS_CLAIM, cells[i][TIME_ADMM].solved[0] >= cells[i][TIME_NCP_PGS].solved[0],
                     "%s: ADMM meets 1e-4 within 1000 iterations at least as often as PGS, %.0f against %.0f %%",
                     time_scenes[i].name, 100*cells[i][TIME_ADMM].solved[0], 100*cells[i][TIME_NCP_PGS].solved[0]);
}

static void time_explain(papers_run *r, time_cell cells[TIME_SCENES][TIME_WAYS])
{
    const time_cell *humanoid = cells[1], *hand = cells[2];

    papers_say(r, "Only on the wall, where PGS runs into its 1000 iterations, is ADMM the faster one. On the humanoid "
               "and the hand ncp-pgs needs %.0f and %.0f sweeps on average, ADMM %.0f and %.0f iterations: contacts "
               "that are coupled through a tree slow PGS down less than CR says, as long as the tangential step "
               "contracts (see CR-fig4). ADMM's spectral start, rho = sqrt(eta L), is far from the rho it ends with, "
               "so that its first iterations go into moving it.",
               humanoid[TIME_NCP_PGS].iterations[0], hand[TIME_NCP_PGS].iterations[0],
               humanoid[TIME_ADMM].iterations[0], hand[TIME_ADMM].iterations[0]);
    papers_say(r, "This does not hang on the tolerance, which is loose for a hand that holds 90 g, nor on the start. "
               "To a relative 1e-4 ncp-pgs needs %.0f sweeps on the hand and ADMM %.0f iterations; ADMM's time is then "
               "%.1f times PGS's on the hand and %.1f times on the humanoid; from the last step's impulses %.1f and "
               "%.1f times.",
               hand[TIME_NCP_PGS].iterations[2], hand[TIME_ADMM].iterations[2],
               hand[TIME_ADMM].mean[2]/hand[TIME_NCP_PGS].mean[2],
               humanoid[TIME_ADMM].mean[2]/humanoid[TIME_NCP_PGS].mean[2],
               hand[TIME_ADMM].mean[1]/hand[TIME_NCP_PGS].mean[1],
               humanoid[TIME_ADMM].mean[1]/humanoid[TIME_NCP_PGS].mean[1]);
}

int cr_fig5(papers_run *r)
{
    time_cell cells[TIME_SCENES][TIME_WAYS];
    double contacts[TIME_SCENES];
    FILE *csv = papers_csv(r, NULL);
    int mode;

    if (!csv) return 0;
    if (sizeof(slip_real) < 8) {
        papers_say(r, "Single precision does not resolve 1e-4 of the wall's impulses: nothing is measured.");
        return 1;
    }
    memset(cells, 0, sizeof cells);
    fprintf(csv, "problem,contacts,solver,start,solved,iterations,factorisations,time [us]\n");
    if (!time_all(r, csv, cells, contacts)) return 0;
    time_judge(r, cells);
    time_numbers(r, cells, contacts);
    time_explain(r, cells);
    for (mode = 0; mode < TIME_MODES; ++mode) time_draw(r, cells, mode);
    return 1;
}
