/* The experiments of HW: one contact, and the four tasks of a quadruped. See papers.h. */
#include "papers_hw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "hw_contact.h"
#include "papers_problems.h"
#include "problem_file.h"

/* ---- one sliding contact: HW Tab. I ------------------------------------------------------------------------------ */

enum { HW_GAMMAS = 6, HW_SETS = 2, HW_CONTACTS = 20000, HW_BETAS = 6 };

/* Sliding contacts of a set of problems. */
typedef struct { hw_contact *contacts; int n, room; tool_solve solve; int ready; } hw_collector;

/* Solves the problem of a step by bisection and keeps its sliding contacts. */
static void hw_collect(void *context, const slip_problem *p, const slip_solution *warm)
{
    hw_collector *c = (hw_collector *)context;
    slip_solver_options o = slip_solver_defaults();
    tool_solve s;

    if (p->nc == 0 || c->n == c->room) return;
    o.tol_rule = SLIP_TOL_ABSOLUTE;
    tool_solve_begin(p, &slip_solver_raisim_bisection, &o, &s);
    if (slip_solve(&slip_solver_raisim_bisection, p, &o, &s.sol, &s.arena) == SLIP_OK)
        c->n += hw_contacts_of(p, s.sol.lambda, s.sol.sigma, warm && warm->warm == p->n ? warm->lambda : NULL,
                               c->contacts + c->n, c->room - c->n);
    tool_solve_end(&s);
}

/* Contacts of the four tasks, a quarter of the room each; how many, 0 after a message. */
static int hw_collect_tasks(papers_run *r, hw_contact *contacts, int room)
{
    hw_collector c;
    int i;

    memset(&c, 0, sizeof c);
    c.contacts = contacts;
    for (i = 0; i < HW_TASKS; ++i) {
        const double time = papers_is_quick(r) ? 1 : 0;
        sim_result result;
        hw_world w;

        c.room = (i + 1)*room/HW_TASKS;
        if (!hw_open("HW-tab1", i, &slip_solver_raisim_bisection, hw_ways[HW_BISECTION].options, 0, time, &w)) return 0;
        slip_world_options_of(w.s.world)->on_problem = hw_collect;
        slip_world_options_of(w.s.world)->problem_context = &c;
        sim_run(&w.s, NULL, &result);
        hw_close(&w);
        papers_progress(r, 0.1*(i + 1));
    }
    return c.n;
}

/* Times of all methods for all thresholds [ns]. */
typedef struct { double ns[HW_METHODS][HW_GAMMAS], evaluations[HW_GAMMAS]; int n; } hw_times;

static const double hw_gammas[HW_GAMMAS] = { 1e-1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10 };
enum { HW_GAMMA = 3 };                               /* HW's own, 1e-6 N s */

static void hw_time_all(papers_run *r, const hw_contact *contacts, int n, hw_times *t)
{
    int i, k;

    t->n = n;
    for (k = 0; k < HW_GAMMAS; ++k) {
        t->evaluations[k] = hw_search_points(contacts, n, &hw_usual_search, hw_gammas[k]).mean;
        for (i = 0; i < HW_METHODS; ++i)
            t->ns[i][k] = hw_contact_time(contacts, n, hw_methods[i].method, hw_gammas[k], papers_is_quick(r) ? 5 : 10);
    }
}

static void hw_tab1_plot(papers_run *r, const hw_times *t)
{
    slip_real gamma[HW_GAMMAS], ns[HW_METHODS][HW_GAMMAS];
    slip_plot_series series[HW_METHODS];
    slip_plot plot;
    int i, k;

    for (k = 0; k < HW_GAMMAS; ++k) gamma[k] = (slip_real)hw_gammas[k];
    for (i = 0; i < HW_METHODS; ++i) {
        for (k = 0; k < HW_GAMMAS; ++k) ns[i][k] = (slip_real)t->ns[i][k];
        series[i] = papers_line(hw_methods[i].name, gamma, ns[i], HW_GAMMAS);
    }
    plot = papers_axes("One sliding contact of the four tasks", "threshold gamma [N s]; the paper's is 1e-6",
                       "time [ns]", 1, series, HW_METHODS);
    plot.y_lo = 0;
    plot.y_hi = (slip_real)(1.1*fmax(t->ns[0][HW_GAMMAS - 1], t->ns[1][HW_GAMMAS - 1]));
    papers_plot(r, NULL, "A search takes one evaluation for each halving of the interval; the closed form does not "
                "depend on the threshold.", &plot);
}

static void hw_tab1_check(papers_run *r, const hw_times *t, const hw_times *random)
{
    const double bisection = t->ns[0][HW_GAMMA], golden = t->ns[1][HW_GAMMA], quartic = t->ns[2][HW_GAMMA];
    const double each = (t->ns[0][HW_GAMMAS - 1] - t->ns[0][HW_GAMMA])
                      /(t->evaluations[HW_GAMMAS - 1] - t->evaluations[HW_GAMMA]);
    int i;

    for (i = 0; i < HW_METHODS; ++i) {
        char what[96], paper[32];

        snprintf(what, sizeof what, "%s: time of a contact (over that of bisection)", hw_methods[i].name);
        snprintf(paper, sizeof paper, "%.2g us (%.1f)", 1e-3*hw_methods[i].printed_ns, hw_methods[i].printed_ns/580);
        papers_number(r, what, hw_methods[i].printed_ns > 0 ? paper : "-", "%.2f us (%.2f); random contacts: %.2f us "
                      "(%.2f)",
                      1e-3*t->ns[i][HW_GAMMA], t->ns[i][HW_GAMMA]/bisection, 1e-3*random->ns[i][HW_GAMMA],
                      random->ns[i][HW_GAMMA]/random->ns[0][HW_GAMMA]);
    }
    papers_check_timed(r, PAPERS_CLAIM, golden > bisection, "bisection is faster than golden section: 1 : %.2f",
                 golden/bisection);
    papers_check_timed(r, PAPERS_CLAIM, quartic > bisection, "bisection is faster than the roots of the quartic: 1 : "
                       "%.2f",
                 quartic/bisection);
    papers_check_timed(r, PAPERS_FIGURE, golden > 1.5*bisection, "golden section takes about twice as long (paper 1 : "
                 "2.1): 1 : %.2f", golden/bisection);
    papers_say(r, "Why the quartic wins here: HW Alg. 1 computes the gradient at %.1f points until the interval is "
               "below 1e-6 N s, each with a sine, a cosine, a division and the square root of line 33, %.0f ns a "
               "point. The closed form takes, for all of it, some 300 additions and multiplications, 20 divisions, 4 "
               "square roots and a cube root or an arc cosine and a cosine: the time of %.1f such points. A search "
               "that ends in 'just two steps', as the paper reports of most cases, would be about as fast. It has to "
               "begin with an interval of some 4e-6 N s: 0.1 rad of a foot that carries 80 N for 1 ms are 6e-3 N s.",
               t->evaluations[HW_GAMMA], each, quartic/each);
    papers_say(r, "The paper took the fastest of four free quartic solvers and found coefficients and checks as "
               "expensive as the solver. Here the quartic is in tan(theta/2) of angles counted from the zero-velocity "
               "impulse: the minimum is the first root on a known side, no complex arithmetic is done, and two Newton "
               "steps repair rounding.");
    papers_say(r, "Golden section compares energies by their difference in closed form, without sine and cosine (a "
               "rational boundary in tan(theta/2)), so that its points are cheaper than those of bisection; it takes "
               "1.44 times as many for the same shrinkage and starts from the whole visible arc.");
}

/* HW names no first step, and starts at the zero-velocity impulse; in a simulation the last step's is at hand too. */
static void hw_tab1_searches(papers_run *r, const hw_contact *contacts, int n, double quartic)
{
    static const double betas[HW_BETAS] = { 1e-3, 1e-2, 3e-2, 0.1, 0.3, 1 };
    double fastest = HUGE_VAL, most = 0, at[2] = { 0, 0 }, golden = hw_golden_points(contacts, n, hw_gammas[HW_GAMMA]);
    char text[2][256];
    hw_points p;
    int i, k, used[2] = { 0, 0 };

    for (k = 0; k < 2; ++k) for (i = 0; i < HW_BETAS; ++i) {
        const hw_search s = { betas[i], k };
        const double ns = hw_search_time(contacts, n, &s, hw_gammas[HW_GAMMA], papers_is_quick(r) ? 3 : 10);

        p = hw_search_points(contacts, n, &s, hw_gammas[HW_GAMMA]);
        used[k] += snprintf(text[k] + used[k], sizeof text[k] - (size_t)used[k], "%s%g: %.1f, %.2f us",
                            i > 0 ? "; " : "", betas[i], p.mean, 1e-3*ns);
        most = fmax(most, p.few);
        if (ns >= fastest) continue;
        fastest = ns;
        at[0] = betas[i];
        at[1] = k;
    }
    papers_number(r, "bisection by its first step beta1 [rad]: points, time", "-", "%s", text[0]);
    papers_number(r, "the same from the angle of the last step's impulse", "-", "%s", text[1]);
    p = hw_search_points(contacts, n, &hw_usual_search, hw_gammas[HW_GAMMA]);
    papers_check(r, PAPERS_CLAIM, p.mean < golden, "bisection takes fewer points than golden section of the arc that "
                 "is seen: %.1f and %.1f", p.mean, golden);
    papers_check(r, PAPERS_FIGURE, most > 0.5, "most searches converge in just two steps, at 4 points: at best %.0f %% "
                 "of the contacts do, of all first steps and starts tried", 100*most);
    papers_check_timed(r, PAPERS_CLAIM, fastest < quartic, "with the best first step and start (beta1 %g, %s) "
                       "bisection is faster than the quartic: 1 : %.2f", at[0], at[1] > 0 ? "the last impulse's angle"
                       : "the zero-velocity angle", quartic/fastest);
}

static double hw_median_coupling(const hw_contact *contacts, int n)
{
    double *x = (double *)cli_alloc((size_t)n*sizeof *x), median;
    int i;

    for (i = 0; i < n; ++i) {
        const slip_local *k = &contacts[i].k;

        x[i] = hypot((double)k->A[2], (double)k->A[5])*(double)(k->mu*k->inv_nn);
    }
    median = n > 0 ? papers_quantile(x, n, 0.5) : 0;
    free(x);
    return median;
}

static int hw_tab1(papers_run *r)
{
    const int room = papers_is_quick(r) ? HW_CONTACTS/10 : HW_CONTACTS;
    hw_contact *contacts = (hw_contact *)cli_alloc((size_t)room*sizeof *contacts);
    hw_contact *searched;
    hw_times times[HW_SETS];
    double coupling;
    FILE *csv = papers_csv(r, NULL);
    int i, k, s, n = csv ? hw_collect_tasks(r, contacts, room) : 0;

    if (n == 0) { free(contacts);  return 0; }
    hw_time_all(r, contacts, n, &times[0]);
    coupling = hw_median_coupling(contacts, n);
    searched = (hw_contact *)cli_alloc((size_t)n*sizeof *searched);
    memcpy(searched, contacts, (size_t)n*sizeof *searched);
    papers_progress(r, 0.7);
    hw_contacts_draw(room, contacts);
    hw_time_all(r, contacts, room, &times[1]);
    fprintf(csv, "contacts,method,gamma [N s],time [ns],points of bisection\n");
    for (s = 0; s < HW_SETS; ++s) for (i = 0; i < HW_METHODS; ++i) for (k = 0; k < HW_GAMMAS; ++k)
        fprintf(csv, "%s,%s,%g,%.1f,%.2f\n", s == 0 ? "tasks" : "random", hw_methods[i].name, hw_gammas[k],
                times[s].ns[i][k], times[s].evaluations[k]);
    hw_tab1_check(r, &times[0], &times[1]);
    hw_tab1_searches(r, searched, n, times[0].ns[2][HW_GAMMA]);
    free(searched);
    papers_say(r, "%d sliding contacts of the four tasks, with mu |G_NT|/G_NN = %.2f in the median; as a variation %d "
               "drawn at random (G = Y Y' + 0.1 with normal Y, friction 0.3 to 1).", n, coupling, room);
    hw_tab1_plot(r, &times[0]);
    free(contacts);
    return 1;
}

/* ---- four tasks: HW Tab. II, Fig. 4, 5 --------------------------------------------------------------------------- */

enum { HW_BINS = 20, HW_ROOM = 10000, HW_STARTS = 4 };

/* A task by one solver: sums over all steps of all starts. */
typedef struct {
    double steps, whole, solve, iterations;          /* [-, s, s, -]                                */
    double solved_steps, solved_whole, solved_solve, solved_iterations;      /* of steps that met the tolerance */
    double bins[HW_BINS];                            /* shares of the steps with contacts [%]       */
    double touching;                                 /* how many those are                          */
    int most;                                        /* iterations                                  */
} hw_sums;

/* Bin of a count: 0, 1, 2-3, 4-7, ... */
static int hw_bin(int iterations)
{
    int b = 0;

    while (iterations > 0 && b < HW_BINS - 1) { iterations /= 2;  ++b; }
    return b;
}

static void hw_sum_steps(const hw_step *steps, int n, hw_sums *s)
{
    int k;

    for (k = 0; k < n; ++k) {
        s->steps += 1;
        s->whole += steps[k].whole;
        s->solve += steps[k].solve;
        s->iterations += steps[k].iterations;
        if (steps[k].iterations > s->most) s->most = steps[k].iterations;
        if (steps[k].contacts > 0) { s->bins[hw_bin(steps[k].iterations)] += 1;  s->touching += 1; }
        if (steps[k].missed) continue;
        s->solved_steps += 1;
        s->solved_whole += steps[k].whole;
        s->solved_solve += steps[k].solve;
        s->solved_iterations += steps[k].iterations;
    }
}

/* Correction of positions, and where sweeps stop. */
typedef struct { double erp; slip_stop_rule stop; } hw_terms;

static const hw_terms hw_usual = { 0, SLIP_STOP_TRUE }, hw_corrects = { 0.5, SLIP_STOP_TRUE };
static const hw_terms hw_prints = { 0, SLIP_STOP_PRINTED };

/* One start of a task by all solvers, in turns, so that a disturbance of the machine meets all of them; 0 after a
 * message. */
static int hw_run_start(papers_run *r, int task, int start, const hw_terms *terms, int repeats, hw_step *steps,
                        hw_sums sums[HW_WAYS])
{
    const double time = papers_is_quick(r) ? hw_tasks[task].time/2 : 0;
    hw_world w[HW_WAYS];
    int i, k, open = 0, n[HW_WAYS], ok = 1;

    for (; open < HW_WAYS && ok; open += ok) {
        ok = hw_open("HW-tab2", task, hw_ways[open].solver, hw_ways[open].options, 0, time, &w[open]);
        if (ok) slip_world_options_of(w[open].s.world)->erp = (slip_real)terms->erp;
        if (ok && open != HW_OURS) slip_world_options_of(w[open].s.world)->solve.stop = terms->stop;
        if (ok && task != HW_TROT) hw_tilt(&w[open], start);
    }
    for (i = 0; i < repeats && ok; ++i) for (k = 0; k < HW_WAYS && ok; ++k)
        ok = (n[k] = hw_measure(&w[k], i == 0, steps + k*HW_ROOM, HW_ROOM)) > 0;
    for (k = 0; k < HW_WAYS && ok; ++k) hw_sum_steps(steps + k*HW_ROOM, n[k], &sums[k]);
    while (open > 0) hw_close(&w[--open]);
    return ok;
}

/* Mean iterations of the trot by PGS without relaxation, 0 after a message. */
static double hw_plain_pgs(hw_step *steps)
{
    double sum = 0;
    hw_world w;
    int k, n;

    if (!hw_open("HW-tab2", HW_TROT, &slip_solver_ncp_pgs, hw_ways[HW_BISECTION].options, 0, 2, &w)) return 0;
    n = hw_measure(&w, 1, steps, HW_ROOM);
    hw_close(&w);
    for (k = 0; k < n; ++k) sum += steps[k].iterations;
    return n > 0 ? sum/n : 0;
}

/* All starts of a task; 0 after a message. */
static int hw_run_task(papers_run *r, int task, const hw_terms *terms, int repeats, hw_step *steps,
                       hw_sums sums[HW_WAYS])
{
    const int starts = task == HW_TROT ? 1 : papers_is_quick(r) ? 2 : HW_STARTS;
    int k, b, ok = 1;

    memset(sums, 0, HW_WAYS*sizeof *sums);
    for (k = 0; k < starts && ok; ++k) ok = hw_run_start(r, task, k, terms, repeats, steps, sums);
    for (k = 0; k < HW_WAYS && ok; ++k)
        for (b = 0; b < HW_BINS; ++b) sums[k].bins[b] *= 100/sums[k].touching;
    return ok;
}

/* 100 000 steps [s]. */
static double hw_100k(double seconds, double steps) { return steps > 0 ? 1e5*seconds/steps : 0; }

static void hw_tab2_numbers(papers_run *r, hw_sums s[HW_TASKS][HW_WAYS], FILE *csv)
{
    int i, k, b;

    fprintf(csv, "task,solver,steps,missed,whole 100k steps [s],solves of 100k [s],whole without missed "
                 "[s],iterations mean,iterations max");
    for (b = 0; b < HW_BINS; ++b) fprintf(csv, ",share from %d iterations [%%]", b > 0 ? 1 << (b - 1) : 0);
    fputc('\n', csv);
    for (i = 0; i < HW_TASKS; ++i) for (k = 0; k < HW_WAYS; ++k) {
        const hw_sums *x = &s[i][k];
        char what[96], paper[16];

        snprintf(what, sizeof what, "%s, %s: 100 000 steps", hw_tasks[i].name, hw_ways[k].name);
        snprintf(paper, sizeof paper, "%.2f s", k == HW_PGS ? hw_tasks[i].pgs : hw_tasks[i].bisection);
        papers_number(r, what, k == HW_OURS ? "-" : paper, "%.2f s, solver %.2f s, %.1f iterations, at most %d, %.0f "
                      "of %.0f steps missed", hw_100k(x->whole, x->steps), hw_100k(x->solve, x->steps),
                      x->iterations/x->steps, x->most, x->steps - x->solved_steps, x->steps);
        fprintf(csv, "%s,%s,%.0f,%.0f,%.4f,%.4f,%.4f,%.3f,%d", hw_tasks[i].name, hw_ways[k].solver->id, x->steps,
                x->steps - x->solved_steps, hw_100k(x->whole, x->steps), hw_100k(x->solve, x->steps),
                hw_100k(x->solved_whole, x->solved_steps), x->iterations/x->steps, x->most);
        for (b = 0; b < HW_BINS; ++b) fprintf(csv, ",%.3f", x->bins[b]);
        fputc('\n', csv);
    }
}

static void hw_tab2_check(papers_run *r, hw_sums s[HW_TASKS][HW_WAYS])
{
    int i;

    for (i = 0; i < HW_TASKS; ++i) {
        const hw_sums *b = &s[i][HW_BISECTION], *p = &s[i][HW_PGS];
        const double ratio = p->whole/p->steps/(b->whole/b->steps), paper = hw_tasks[i].pgs/hw_tasks[i].bisection;
        const double few = p->iterations/p->steps/(b->iterations/b->steps);
        const double solved = p->solved_whole/p->solved_steps/(b->solved_whole/b->solved_steps);

        if (i == HW_TROT)
            papers_check_timed(r, PAPERS_CLAIM, ratio > 0.75 && ratio < 1.33, "%s: whole steps take about the same "
                               "time, PGS over bisection %.2f (paper %.2f)", hw_tasks[i].name, ratio, paper);
        else
            papers_check_timed(r, PAPERS_CLAIM, ratio > 1 && solved > 1, "%s: bisection is faster, PGS over bisection "
                               "%.2f (paper %.2f), with missed steps and without: %.2f", hw_tasks[i].name, ratio, paper,
                               solved);
        papers_check_timed(r, PAPERS_FIGURE, fabs(log(ratio/paper)) < log(1.5), "%s: that ratio is met within a factor "
                           "of 1.5", hw_tasks[i].name);
        papers_check(r, PAPERS_CLAIM, few > 3, "%s: PGS takes several times as many iterations, %.1f : %.1f",
                     hw_tasks[i].name, p->iterations/p->steps, b->iterations/b->steps);
    }
}

/* The same with the stopping rules that HW Sec. V-C prints. */
static void hw_tab2_printed(papers_run *r, hw_sums s[HW_TASKS][HW_WAYS])
{
    double few[HW_TASKS], ratio[HW_TASKS], late[HW_TASKS][2], fewest = HUGE_VAL;
    int i, k, stricter = 1;

    for (i = 0; i < HW_TASKS; ++i) {
        const hw_sums *b = &s[i][HW_BISECTION], *p = &s[i][HW_PGS];
        char what[96];

        few[i] = p->iterations/p->steps/(b->iterations/b->steps);
        fewest = fmin(fewest, few[i]);
        ratio[i] = p->whole/p->steps/(b->whole/b->steps);
        for (k = 0; k < 2; ++k) late[i][k] = 100*(1 - s[i][k].solved_steps/s[i][k].steps);
        stricter &= late[i][HW_BISECTION] <= late[i][HW_PGS];
        snprintf(what, sizeof what, "%s, printed stop: PGS over bisection, whole steps", hw_tasks[i].name);
        papers_number(r, what, "-", "%.2f; %.1f and %.1f iterations; above 1e-6 of the true criterion in %.1f and %.1f "
                      "%% of the steps", ratio[i], p->iterations/p->steps, b->iterations/b->steps, late[i][HW_PGS],
                      late[i][HW_BISECTION]);
    }
    papers_check(r, PAPERS_CLAIM, fewest > 3, "with the printed stopping rules PGS takes several times as many "
                 "iterations, too: %.1f, %.1f, %.1f and %.1f times", few[0], few[1], few[2], few[3]);
    papers_check(r, PAPERS_CLAIM, stricter, "the printed rule of bisection is the stricter one: it leaves %.1f, %.1f, "
                 "%.1f and %.1f %% of the steps above 1e-6 of the true criterion, that of PGS %.1f, %.1f, %.1f and "
                 "%.1f %%", late[0][0], late[1][0], late[2][0], late[3][0], late[0][1], late[1][1], late[2][1],
                 late[3][1]);
    papers_check_timed(r, PAPERS_CLAIM, ratio[HW_HANG] > 1 && ratio[HW_DROP] > 1 && ratio[HW_RANDOM] > 1, "with them "
                       "bisection is faster in hang, drop and random motion: PGS over bisection %.2f, %.2f and %.2f "
                       "(trot: %.2f)", ratio[HW_HANG], ratio[HW_DROP], ratio[HW_RANDOM], ratio[HW_TROT]);
    papers_say(r, "Printed stopping rules: PGS adds the norms of its impulses' changes and the penetration velocities "
               "that a sweep meets, bisection the violations of the constraints by its impulses; a sum over all "
               "contacts, below 1e-6. Elsewhere both stop at the true criterion of their models.");
}

/* HW Fig. 4: one histogram a task. */
static void hw_fig4_plots(papers_run *r, hw_sums s[HW_TASKS][HW_WAYS])
{
    static const char *const names[HW_TASKS] = { "trot", "hang", "drop", "random" };
    slip_real edge[HW_BINS], share[HW_WAYS][HW_BINS];
    slip_plot_series series[HW_WAYS];
    int i, k, b;

    for (b = 0; b < HW_BINS; ++b) edge[b] = b > 0 ? (slip_real)(1 << (b - 1)) : SLIP_R(0.5);
    for (i = 0; i < HW_TASKS; ++i) {
        char title[64];
        slip_plot plot;
        int used = 1;                                /* bins up to the last that is not empty */

        for (k = 0; k < HW_WAYS; ++k)
            for (b = 0; b < HW_BINS; ++b) {
                share[k][b] = (slip_real)s[i][k].bins[b];
                if (share[k][b] > 0 && b >= used) used = b + 1;
            }
        for (k = 0; k < HW_WAYS; ++k) {
            series[k] = papers_line(hw_ways[k].name, edge, share[k], used < HW_BINS ? used + 1 : used);
            series[k].style = SLIP_PLOT_STEPS;
        }
        snprintf(title, sizeof title, "%s: iterations of a solve", hw_tasks[i].name);
        plot = papers_axes(title, "iterations, bins that double; 0.5 stands for none",
                           "share of the steps with contacts [%]", 1, series, HW_WAYS);
        papers_plot(r, names[i], "HW Fig. 4: iterations of sweeps; of ours, of its own methods.", &plot);
    }
}

/* HW Fig. 5: bars in groups; rows of NaN make them thin enough to stand beside each other. */
static void hw_fig5_plot(papers_run *r, hw_sums s[HW_TASKS][HW_WAYS])
{
    enum { THIN = 20 };
    static const char *const names[2*HW_WAYS] = { "bisection, whole steps", "bisection, solver", "PGS, whole steps",
                                                  "PGS, solver", "default (ours), whole steps",
                                                  "default (ours), solver" };
    static const char *const tasks[HW_TASKS] = { "trot", "hang", "drop", "random" };
    slip_real x[2*HW_WAYS][THIN], y[2*HW_WAYS][THIN];
    slip_plot_series series[2*HW_WAYS];
    slip_plot plot;
    int i, k;

    for (k = 0; k < 2*HW_WAYS; ++k) {
        for (i = 0; i < THIN; ++i) x[k][i] = y[k][i] = (slip_real)NAN;
        for (i = 0; i < HW_TASKS; ++i) {
            const hw_sums *one = &s[i][k/2];

            x[k][i] = (slip_real)(i + 1 + 0.13*(k - 2.5));
            y[k][i] = (slip_real)hw_100k(k % 2 ? one->solve : one->whole, one->steps);
        }
        series[k] = papers_line(names[k], x[k], y[k], THIN);
        series[k].style = SLIP_PLOT_BARS;
    }
    plot = papers_categories("Time of 100 000 steps", tasks, HW_TASKS, "time [s]", 0, series, 2*HW_WAYS);
    papers_plot(r, "time", "HW Fig. 5 and Tab. II: whole steps and the share of the solver.", &plot);
}

static void hw_tab2_say(papers_run *r, hw_sums s[HW_TASKS][HW_WAYS], hw_sums corrected[HW_WAYS], double plain)
{
    const hw_sums *b = &s[HW_DROP][HW_BISECTION], *p = &s[HW_DROP][HW_PGS];

    papers_say(r, "The quadruped is models/quadruped.urdf, 18 freedoms, spheres as feet and a box as trunk, friction "
               "0.8 (the paper names none). The trot goes at 1.5 m/s by a Raibert planner; its controller is part of "
               "whole steps. Drop, hang and random motion start level and from trunks tilted at random. Times are of "
               "this machine.");
    papers_say(r, "Trot: the paper finds the solver time of PGS half that of bisection; here it is %.1f times as long. "
               "A step of PGS relaxed by 0.6 leaves 0.4 of the error of even a single uncoupled contact, and feet "
               "couple normal and tangents: %.0f sweeps, %.0f without relaxation, against %.1f of bisection, whose "
               "sticking contacts cost a 3x3 product.", s[HW_TROT][HW_PGS].solve/s[HW_TROT][HW_BISECTION].solve,
               s[HW_TROT][HW_PGS].iterations/s[HW_TROT][HW_PGS].steps, plain,
               s[HW_TROT][HW_BISECTION].iterations/s[HW_TROT][HW_BISECTION].steps);
    papers_say(r, "Drop: four corners of the trunk and four feet are 24 rows on 18 freedoms. Where the trunk lands "
               "flat or rests, both methods need thousands of sweeps or stall short of 1e-6 (bisection in %.0f steps, "
               "PGS in %.0f of %.0f), and one sweep of bisection, whose sliding contacts are searched for, costs "
               "several of PGS. The missed steps are %.0f %% of bisection's solver time and %.0f %% of PGS's; without "
               "them PGS over bisection is %.2f in whole steps and %.2f in the solver.", b->steps - b->solved_steps,
               p->steps - p->solved_steps,
               p->steps, 100*(1 - b->solved_solve/b->solve), 100*(1 - p->solved_solve/p->solve),
               p->solved_whole/p->solved_steps/(b->solved_whole/b->solved_steps),
               p->solved_solve/p->solved_steps/(b->solved_solve/b->solved_steps));
    papers_say(r, "Variation: with the correction of positions that the paper does without (erp 0.5), the drop takes "
               "%.2f s by bisection and %.2f s by PGS.", hw_100k(corrected[HW_BISECTION].whole,
               corrected[HW_BISECTION].steps), hw_100k(corrected[HW_PGS].whole, corrected[HW_PGS].steps));
}

static int hw_tab2(papers_run *r)
{
    hw_step *steps = (hw_step *)cli_alloc(HW_WAYS*HW_ROOM*sizeof *steps);
    hw_sums sums[HW_TASKS][HW_WAYS], printed[HW_TASKS][HW_WAYS], corrected[HW_WAYS];
    FILE *csv = papers_csv(r, NULL);
    int i, ok = csv != NULL;

    for (i = 0; i < HW_TASKS && ok; ++i) {
        ok = hw_run_task(r, i, &hw_usual, papers_is_quick(r) ? 3 : 5, steps, sums[i]);
        papers_progress(r, 0.7*(i + 1)/(double)HW_TASKS);
    }
    for (i = 0; i < HW_TASKS && ok; ++i) {
        ok = hw_run_task(r, i, &hw_prints, papers_is_quick(r) ? 1 : 2, steps, printed[i]);
        papers_progress(r, 0.7 + 0.25*(i + 1)/(double)HW_TASKS);
    }
    ok = ok && hw_run_task(r, HW_DROP, &hw_corrects, 1, steps, corrected);
    if (ok) {
        hw_tab2_numbers(r, sums, csv);
        hw_tab2_check(r, sums);
        hw_tab2_printed(r, printed);
        hw_tab2_say(r, sums, corrected, hw_plain_pgs(steps));
        hw_fig5_plot(r, sums);
        hw_fig4_plots(r, sums);
    }
    free(steps);
    return ok;
}

/* ---- */

static const papers_experiment hw_list[] = {
    { "HW-tab1", "one sliding contact by three methods",
      "Bisection 0.58 us, golden section 1.2 us, analytical 1.6 us: bisection is about twice as fast as the existing "
      "methods.",
      "Sliding contacts met in the four tasks, solved one by one until the interval is below 1e-6 N s, best of many "
      "rounds; the paper's samples come from the same tasks.", "raisim-bisection raisim-golden raisim-quartic "
      "raisim-newton", 6, 1, hw_tab1 },
    { "HW-tab2+fig4+fig5", "a quadruped trots, hangs, is dropped, moves at random",
      "Seconds per 100 000 steps, bisection 1.98, 2.57, 2.62, 1.90, PGS 1.81, 5.92, 4.35, 2.88: PGS is as fast when "
      "trotting and falls behind elsewhere, with about ten times the iterations.",
      "Steps of 1 ms to 1e-6, the options of HW Sec. V-C (alpha 1, decay 0.99, alpha_min 0.7; PGS relaxed by 0.6), no "
      "correction of positions. Each run is repeated and the least time of each step counts.", "raisim-bisection "
      "ncp-pgs default", 100, 5,
      hw_tab2 },
    { "HW-fig6", "Coulomb's law against the maximum dissipation of a contact",
      "The difference |lb - lp|/|lp| between bisection (maximum dissipation) and PGS (Coulomb) is below 1 % in more "
      "than 99.6 % of the solves.",
      "The four tasks run by bisection; the same problems are solved by PGS, from the same warm start, to 1e-12. The "
      "paper runs the same with a threshold of 1e-20 and does not say of which tasks its histogram is.",
      "raisim-bisection ncp-pgs", 3, 1, hw_fig6 },
    { "HW-fig7", "feet of a hanging quadruped",
      "In 200 s the feet sink into the ground by some 0.1 m with PGS at 1e-6, less with PGS at 1e-8 and least with "
      "bisection at 1e-6: bisection is much more accurate at the same threshold.",
      "The limp quadruped falls from 1 m; the ground stops its feet only, and it swings from them for 200 s at 1 ms. "
      "No correction of positions, friction 0.8.", "raisim-bisection ncp-pgs default", 30, 2, hw_fig7 },
    { "HW-impact", "iterations at impacts",
      "In the hang and drop tasks PGS takes more than 20 000 iterations at the impact, and about ten times as many as "
      "bisection in general.",
      "The first two seconds of both tasks from the level start and from tilted ones, tolerance 1e-6, as many sweeps "
      "as it takes.",
      "raisim-bisection ncp-pgs default", 23, 2, hw_impact },
    { "HW-50hz", "steps of 20 ms, and steps in less than 20 us",
      "The simulation of the tasks without actuation is stable at 50 Hz; a step of the quadruped of 18 freedoms with "
      "several contacts takes less than 20 us.",
      "Hang and drop by bisection at 20 ms, their energy against that at 1 ms; and the time of steps of 1 ms with two "
      "contacts and more.", "raisim-bisection ncp-pgs default", 3, 1, hw_50hz },
};

const papers_family papers_hw = {
    "HW", "J. Hwangbo, J. Lee, M. Hutter: Per-Contact Iteration Method for Solving Contact Dynamics. IEEE RA-L "
    "3(2), 2018", hw_list, (int)(sizeof hw_list/sizeof *hw_list), "paper"
};
