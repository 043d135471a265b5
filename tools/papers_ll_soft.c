/* LL Fig. 13: Solo-12 on ground of varying compliance. */
#include "papers_ll.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "solve_probe.h"

enum { SOFT_FEET = 4, SOFT_STEPS = 1500 };

static const double soft_dt = 0.001, soft_from = 0.5;            /* the push begins then [s] */

/* Solo-12 of models/solo12_soft.xml on ground of given softness, pushed from 0.5 s on. lock: its joints do not move. */
typedef struct {
    double stiffness, damping, tangent_stiffness, tangent_damping;   /* of each foot's contact; 0: rigid */
    double force, rate;                                              /* of the push along x [N, N/s]     */
    int lock;
} soft_case;

static const char soft_scene[] =
    "<scene name=\"soft\"><simulation dt=\"0.001\" self=\"false\"/><surface name=\"default\" friction=\"0.6\"/>"
    "<surface name=\"soft\" friction=\"0.6\" stiffness=\"%g\" damping=\"%g\" "
    "tangent_stiffness=\"%g\" tangent_damping=\"%g\"/><ground surface=\"soft\"/>"
    "<robot file=\"solo12.urdf\"><origin xyz=\"0 0 0.239\"/>"
    "<joint joint=\"?f_hfe\" position=\"0.8\"/><joint joint=\"?f_kfe\" position=\"-1.6\"/>"
    "<joint joint=\"?h_hfe\" position=\"-0.8\"/><joint joint=\"?h_kfe\" position=\"1.6\"/>"
    "<drive joint=\"*\" kp=\"20\" kd=\"0.3\"/>%s</robot>"
    "<events><push link=\"base\" from=\"0.5\" force=\"%g 0 0\" rate=\"%g 0 0\"/></events></scene>";

typedef struct {
    slip_real time[SOFT_STEPS], speed[SOFT_STEPS], internal[SOFT_STEPS];     /* [s], [m/s] of the base along x, [N] */
    slip_real force[SOFT_FEET*SOFT_STEPS], overlap[SOFT_FEET*SOFT_STEPS];    /* normal [N]; [m]                     */
    int n, nfeet;
    slip_real now;
} soft_run;

static void soft_solved(void *context, const slip_problem *p, const slip_solver_options *opt, const slip_solution *sol,
                        slip_arena *scratch)
{
    soft_run *run = (soft_run *)context;
    slip_problem rigid = *p;
    slip_real x[96], sum = 0;
    int i;

    (void)opt;
    rigid.R = NULL;                                  /* the null space is that of G alone */
    if (p->n > 96 || slip_internal_forces(&rigid, sol->lambda, x, scratch) < 0) return;
    for (i = 0; i < p->n; ++i) sum += x[i]*x[i];
    run->now = slip_sqrt(sum)/(slip_real)soft_dt;
}

static int soft_step(void *context, sim_session *s, long k)
{
    soft_run *run = (soft_run *)context;
    const int n = slip_contact_count(s->world);
    int i;

    if (run->n == SOFT_STEPS) return 0;
    run->time[run->n] = (slip_real)(soft_dt*(double)k);
    run->internal[run->n] = run->now;
    run->now = 0;
    run->speed[run->n] = slip_world_v(s->world)[0];
    for (i = 0; i < n; ++i) {
        const slip_contact_info c = slip_contact_get(s->world, i);

        if (run->nfeet == SOFT_FEET*SOFT_STEPS || (double)k*soft_dt < soft_from || k % 10 > 0) continue;
        run->force[run->nfeet] = c.force_n;
        run->overlap[run->nfeet++] = -c.gap;
    }
    ++run->n;
    return 1;
}

static int soft_do(papers_run *r, const slip_solver *solver, const soft_case *c, double time, soft_run *run)
{
    static const char *const options[] = { "tol", "1e-9", NULL };
    sim_observer observer = { soft_step, 1, NULL };
    sim_result result;
    sim_session s;
    char text[2048];

    run->n = run->nfeet = 0;
    run->now = 0;
    observer.context = run;
    snprintf(text, sizeof text, soft_scene, c->stiffness, c->damping, c->tangent_stiffness, c->tangent_damping,
             c->lock ? "<move joint=\"*\" velocity=\"0\"/>" : "", c->force, c->rate);
    solver = solve_probe(solver, 65536, soft_solved, run);
    if (!papers_open(r, "models/LL-fig13", text, solver, 0, time, options, &s)) return 0;
    sim_run(&s, &observer, &result);
    if (result.status < 0) cli_error(slip_world_error(s.world));
    sim_close(&s);
    return result.status >= 0;
}

/* ---- across the surface: left ---------------------------------------------------------------------------------- */

enum { SOFT_NORMALS = 3 };
static const double soft_stiffness[SOFT_NORMALS] = { 2000, 5000, 10000 };

/* Slope of the normal force over the overlap, and how far the points are from that line [N]. */
static double soft_slope(const soft_run *run, double *off)
{
    double xy = 0, xx = 0;
    int i;

    for (i = 0; i < run->nfeet; ++i) {
        xy += (double)(run->force[i]*run->overlap[i]);
        xx += (double)(run->overlap[i]*run->overlap[i]);
    }
    *off = 0;
    for (i = 0; i < run->nfeet; ++i) *off = fmax(*off, fabs((double)run->force[i] - xy/xx*(double)run->overlap[i]));
    return xy/xx;
}

static int soft_across(papers_run *r, FILE *csv, soft_run *runs)
{
    static const char *const names[] = { "2 kN/m, R = 45 /kg", "5 kN/m, R = 40 /kg", "10 kN/m, R = 33 /kg", "rigid" };
    slip_plot_series series[SOFT_NORMALS + 1];
    soft_case c;
    double off, slope;
    int i, k;

    memset(&c, 0, sizeof c);
    c.rate = 6;
    for (i = 0; i <= SOFT_NORMALS; ++i) {
        c.stiffness = i < SOFT_NORMALS ? soft_stiffness[i] : 0;
        c.damping = i < SOFT_NORMALS ? 20 : 0;                  /* R = 1/(dt (dt k + d)) */
        if (!soft_do(r, &slip_solver_ncp_admm, &c, 1.5, &runs[i])) return 0;
        series[i] = papers_line(names[i], runs[i].overlap, runs[i].force, runs[i].nfeet);
        series[i].style = SLIP_PLOT_POINTS;
        for (k = 0; k < runs[i].nfeet; ++k)
            fprintf(csv, "%s,%.9g,%.9g\n", names[i], (double)runs[i].overlap[k], (double)runs[i].force[k]);
        if (i == SOFT_NORMALS) continue;
        slope = soft_slope(&runs[i], &off);
        papers_check(r, PAPERS_CLAIM, fabs(slope/soft_stiffness[i] - 1) < 0.01 && off < 0.08, "across, %g N/m: the "
                     "feet's normal forces are linear in the overlap, %.1f N/m, within %.3f "
                     "N", soft_stiffness[i], slope, off);
    }
    for (off = 0, k = 0; k < runs[SOFT_NORMALS].nfeet; ++k)
        off = fmax(off, fabs((double)runs[SOFT_NORMALS].overlap[k]));
    papers_check(r, PAPERS_CLAIM, off < 1e-6, "on rigid ground they are not a function of it: overlaps are below %.1e "
                 "m", off);
    papers_draw(r, "normal", "Normal force of each foot over its overlap while the robot is pushed by 6 N/s. "
            "Compliance makes a slope of Signorini's corner.", "Compliance across the surface (left)", "overlap [m]",
            "normal force [N]", 0, series,
            SOFT_NORMALS + 1);
    return 1;
}

/* ---- along it: centre ------------------------------------------------------------------------------------------ */

static int soft_reversals(const soft_run *run)
{
    int k, count = 0;

    for (k = 1; k < run->n; ++k)
        count += (double)run->time[k] > soft_from + 0.01 && (run->speed[k] > 0) != (run->speed[k - 1] > 0);
    return count;
}

static int soft_along(papers_run *r, FILE *csv, soft_run *runs)
{
    static const struct { const char *name; double damping, stiffness; } kinds[] = {
        { "rigid", 0, 0 }, { "25 N s/m, R = 40 /kg", 25, 0 }, { "50 N s/m, R = 20 /kg", 50, 0 },
        { "100 N s/m, R = 10 /kg", 100, 0 }, { "spring of 2 kN/m", 0, 2000 } };
    enum { KINDS = (int)(sizeof kinds/sizeof *kinds) };
    slip_plot_series series[KINDS];
    soft_case c;
    int i, k;

    memset(&c, 0, sizeof c);
    c.force = 3;
    c.lock = 1;
    for (i = 0; i < KINDS; ++i) {
        c.tangent_damping = kinds[i].damping;
        c.tangent_stiffness = kinds[i].stiffness;
        if (!soft_do(r, &slip_solver_ncp_admm, &c, 0.8, &runs[i])) return 0;
        series[i] = papers_line(kinds[i].name, runs[i].time, runs[i].speed, runs[i].n);
        for (k = 0; k < runs[i].n; k += 5)
            fprintf(csv, "%s,%.9g,%.9g\n", kinds[i].name, (double)runs[i].time[k], (double)runs[i].speed[k]);
        if (kinds[i].damping > 0) {
            const double creep = c.force/(4*kinds[i].damping), v = (double)runs[i].speed[runs[i].n - 1];

            papers_check(r, PAPERS_CLAIM, fabs(v/creep - 1) < 0.02, "along, %s: dry friction is gone, the robot "
                         "creeps at %.2f mm/s (F/4d is %.2f)", kinds[i].name, 1e3*v, 1e3*creep);
        }
    }
    papers_check(r, PAPERS_CLAIM, slip_abs(runs[0].speed[runs[0].n - 1]) < SLIP_R(1e-6), "on rigid ground it stands: "
                 "%.1e m/s",
                 (double)runs[0].speed[runs[0].n - 1]);
    papers_check(r, PAPERS_CLAIM, soft_reversals(&runs[KINDS - 1]) >= 3, "along, %s: it swings, its speed changes "
                 "sign %d times",
                 kinds[KINDS - 1].name, soft_reversals(&runs[KINDS - 1]));
    papers_draw(r, "tangent", "Speed of Solo-12 with locked joints, pushed by 3 N from 0.5 s on, a fifth of what "
            "friction holds.",
            "Compliance along the surface (centre)", "time [s]", "speed [m/s]", 0, series, KINDS);
    return 1;
}

/* ---- internal forces: right ------------------------------------------------------------------------------------ */

enum { SOFT_SOLVERS = 6, SOFT_SWEEPS = 4 };
static const ll_solver soft_solvers[SOFT_SOLVERS] = {
    { "LCP, lcp-pgs", &slip_solver_lcp_pgs }, { "CCP, ccp-pgs", &slip_solver_ccp_pgs },
    { "RaiSim, raisim-bisection", &slip_solver_raisim_bisection }, { "NCP, ncp-pgs", &slip_solver_ncp_pgs },
    { "NCP, ncp-admm", &slip_solver_ncp_admm }, { "NCP, default (ours)", &slip_solver_default } };

/* The largest internal force after the push has begun [N]. */
static double soft_internal(const soft_run *run)
{
    double most = 0;
    int k;

    for (k = 0; k < run->n; ++k)
        if ((double)run->time[k] > soft_from + 0.1) most = fmax(most, (double)run->internal[k]);
    return most;
}

static int soft_inside(papers_run *r, FILE *csv, soft_run *run)
{
    static const double stiffness[] = { 1e8, 1e7, 1e6, 1e5, 1e4 };
    enum { KINDS = (int)(sizeof stiffness/sizeof *stiffness) };
    slip_real R[KINDS], internal[SOFT_SOLVERS][KINDS], rigid[SOFT_SOLVERS][KINDS];
    slip_plot_series series[2*SOFT_SOLVERS];
    static char names[SOFT_SOLVERS][64];
    soft_case c;
    int i, k;

    memset(&c, 0, sizeof c);
    c.force = 3;
    c.lock = 1;
    for (i = 0; i < SOFT_SOLVERS; ++i) {
        double most;

        for (k = -1; k < KINDS; ++k) {                       /* rigid first; then R the same on all rows */
            c.stiffness = k < 0 ? 0 : stiffness[k];
            c.damping = c.stiffness*soft_dt;
            c.tangent_damping = 2*c.stiffness*soft_dt;
            if (!soft_do(r, soft_solvers[i].solver, &c, 0.7, run)) return 0;
            most = soft_internal(run);
            if (k < 0) rigid[i][0] = (slip_real)most;
            else internal[i][k] = (slip_real)most;
            if (k >= 0) R[k] = (slip_real)(1/(2*soft_dt*soft_dt*stiffness[k]));
            fprintf(csv, "%s,%.6g,%.6g\n", soft_solvers[i].solver->id, k < 0 ? 0 : (double)R[k], most);
        }
        for (most = 0, k = 0; k < KINDS; ++k) most = fmax(most, (double)internal[i][k]);
        for (k = 1; k < KINDS; ++k) rigid[i][k] = rigid[i][0];
        papers_number(r, soft_solvers[i].name, "-", "internal force %.2g N on rigid ground, %.1e N at most on soft "
                      "ground",
                      (double)rigid[i][0], most);
        if (i < SOFT_SWEEPS)
            papers_check(r, PAPERS_CLAIM, (double)rigid[i][0] > 0.1 && most < 0.01*(double)rigid[i][0], "%s: "
                         "compliance removes the internal forces, %.2f N to %.1e "
                         "N", soft_solvers[i].name, (double)rigid[i][0], most);
        snprintf(names[i], sizeof names[i], "%s, rigid", soft_solvers[i].solver->id);
        series[i] = papers_line(soft_solvers[i].name, R, internal[i], KINDS);
        series[SOFT_SOLVERS + i] = papers_line(names[i], R, rigid[i], KINDS);
        series[SOFT_SOLVERS + i].colour = i + 1;
    }
    papers_draw(r, "internal", "Forces in the null space of J' while Solo-12 with locked joints is pushed; levels: the "
            "same on rigid ground. Any compliance makes the solution unique.",
            "Compliance and internal forces (right)", "compliance R [1/kg]",
            "internal force, 2-norm [N]", 3, series, 2*SOFT_SOLVERS);
    return 1;
}

int ll_fig13(papers_run *r)
{
    soft_run *runs = (soft_run *)cli_alloc(5*sizeof *runs);
    FILE *normal = papers_csv(r, "normal"), *tangent = papers_csv(r, "tangent"), *internal = papers_csv(r, "internal");
    int ok = normal && tangent && internal;

    if (!ll_needs_double(r)) return free(runs), 1;
    if (ok) {
        fprintf(normal, "ground,overlap [m],normal force [N]\n");
        fprintf(tangent, "ground,time [s],speed [m/s]\n");
        fprintf(internal, "solver,R [1/kg],internal force [N]\n");
    }
    ok = ok && soft_across(r, normal, runs);
    papers_progress(r, 0.3);
    ok = ok && soft_along(r, tangent, runs);
    papers_progress(r, 0.5);
    ok = ok && soft_inside(r, internal, runs);
    if (ok)
        papers_say(r, "Solo-12 on four point feet with free joints has no null space: its contact forces are "
                   "determined. The paper does not say what makes its case under-determined; here joints are locked "
                   "for the two last figures, which leaves 6 freedoms under 12 contact rows. A damper alone is R "
                   "without memory and creeps; the oscillations that the paper mentions are those of a spring, which "
                   "remembers.");
    free(runs);
    return ok;
}
