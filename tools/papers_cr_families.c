/* CR Fig. 7 and Tab. II, performance profiles on families of problems; Tab. III and IV, rules for rho on the same. */
#include "papers_cr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "papers_problems.h"

/* ---- the families ----------------------------------------------------------------------------------------------- */

enum { FAM_STACKS, FAM_CHAIN, FAM_CAPSULES, FAM_PINNED, FAM_KAPLA, FAM_ROVER, FAM_OTHERS, FAMILIES,
       FAM_CR = 3, FAM_LIMIT = 20000, FAM_SMALL = 60 };

/* Generated ones: about so many contacts, evenly spaced; friction 0: the kind's own. The first three have the sizes and
 * frictions of CR's Tab. II, and are about half as many. Quick runs end at FAM_SMALL contacts. */
static const struct { const char *name, *kind, *paper; int least, most, full, quick; double friction; } fam_list[] = {
    { "stacks", "stack", "255, 0 to 200; 0.7", 8, 200, 118, 4, 0.7 },
    { "chains", "links", "242, 8 to 28; 0.3", 8, 28, 120, 6, 0.3 },
    { "capsules", "capsules", "249, 0 to 200; 0.7", 8, 200, 115, 4, 0.7 },
    { "pinned", "chain", "-", 8, 28, 20, 2, 0 },
    { "kapla", "kapla", "-", 50, 160, 12, 2, 0 },
    { "rover", "rover", "-", 8, 8, 30, 4, 0 },
    { "others", "", "-", 0, 0, 0, 0, 0 } };          /* FCLIB's other files at hand, where they are             */

/* The FCLIB collection at hand. */
static const struct { const char *name; int family; } fam_files[] = {
    { "Box_Stacks-i0122-82-5", FAM_STACKS }, { "BoxesStack1-i100000-32", FAM_STACKS },
    { "Capsules-i100-1090", FAM_CAPSULES }, { "Capsules-i100-889", FAM_CAPSULES },
    { "Capsules-i101-404", FAM_CAPSULES }, { "Capsules-i125-1213", FAM_CAPSULES },
    { "Capsules-i97-269", FAM_CAPSULES }, { "KaplasTower-i1061-4", FAM_KAPLA },
    { "Rover1039", FAM_ROVER }, { "Rover1041", FAM_ROVER }, { "Rover11211", FAM_ROVER }, { "Rover3865", FAM_ROVER },
    { "Rover4144", FAM_ROVER }, { "Rover4396", FAM_ROVER }, { "Rover4516", FAM_ROVER }, { "Rover4609", FAM_ROVER },
    { "Rover4622", FAM_ROVER }, { "Rover9770", FAM_ROVER },
    { "Confeti-ex03-Fc3D-SBM", FAM_OTHERS }, { "Confeti-ex13-4contact-Fc3D-SBM", FAM_OTHERS },
    { "FC3D_Example1", FAM_OTHERS }, { "FrictionContact3D_1c", FAM_OTHERS }, { "GFC3D_Example0", FAM_OTHERS },
    { "GFC3D_Example00", FAM_OTHERS }, { "GFC3D_Example00_badly_scaled", FAM_OTHERS },
    { "GFC3D_OneContact", FAM_OTHERS }, { "LMGC_100_PR_PerioBox-i00361-60-03000", FAM_OTHERS },
    { "LMGC_GFC3D-i00001-1-00000", FAM_OTHERS }, { "LMGC_GFC3D-i00501-4-00000", FAM_OTHERS },
    { "LMGC_GFC3D_CubeH8", FAM_OTHERS }, { "NESpheres_30_1", FAM_OTHERS }, { "OneObject-i100000-499", FAM_OTHERS },
    { "OneObject-i1028-138", FAM_OTHERS }, { "sliding_cube", FAM_OTHERS },
    { "spheres-in-a-box-98-i10000-256-10", FAM_OTHERS } };
enum { FAM_FILES = (int)(sizeof fam_files/sizeof *fam_files) };

/* The files that are there, a name that is not is no error; how many were found. */
static int fam_read_files(const papers_run *r, papers_problems *set)
{
    int i, found = 0;

    for (i = 0; i < FAM_FILES; ++i) {
        char path[1024];
        FILE *f;

        snprintf(path, sizeof path, "%s/problems/fclib/%s.txt", papers_inputs(r), fam_files[i].name);
        f = fopen(path, "r");
        if (!f) continue;
        fclose(f);
        found += papers_problems_file(set, fam_files[i].family, path);
    }
    return found;
}

/* Families with problems: all, but for the last where no file is. */
static int fam_count(const papers_problems *set)
{
    int i, others = 0;

    for (i = 0; i < set->n; ++i) others |= set->list[i].family == FAM_OTHERS;
    return FAMILIES - !others;
}

/* How many a family has, of how many contacts, and with which friction. */
static void fam_tell(papers_run *r, const papers_problems *set, int family)
{
    int i, n = 0, lo = 1000000, hi = 0;
    double mu = (double)INFINITY, rough = 0;
    char what[64];

    for (i = 0; i < set->n; ++i) {
        const slip_problem *p = &set->list[i].p;

        if (set->list[i].family != family) continue;
        ++n;
        lo = p->nc < lo ? p->nc : lo;
        hi = p->nc > hi ? p->nc : hi;
        mu = fmin(mu, (double)p->mu[0]);
        rough = fmax(rough, (double)p->mu[0]);
    }
    snprintf(what, sizeof what, "%s: problems, contacts; friction", fam_list[family].name);
    if (rough > mu) papers_number(r, what, fam_list[family].paper, "%d, %d to %d; %.2g to %.2g", n, lo, hi, mu, rough);
    else papers_number(r, what, fam_list[family].paper, "%d, %d to %d; %.2g", n, lo, hi, mu);
}

/* All of them; says what the set is. */
static int fam_take(papers_run *r, papers_problems *set)
{
    int f, i, files = fam_read_files(r, set);

    for (f = 0; f < fam_count(set); ++f) {
        const int n = papers_is_quick(r) ? fam_list[f].quick : fam_list[f].full, lo = fam_list[f].least;
        const int hi = papers_is_quick(r) && fam_list[f].most > FAM_SMALL ? FAM_SMALL : fam_list[f].most;

        for (i = 0; i < n; ++i) {
            const int contacts = lo + (hi - lo)*i/(n > 1 ? n - 1 : 1);

            if (!papers_problems_generate(set, f, fam_list[f].kind, contacts, i, fam_list[f].friction)) return 0;
        }
        fam_tell(r, set, f);
    }
    papers_say(r, "%d of the %d problems are FCLIB's own, of its test files; CR's selection is not at hand. The others "
               "are generated by simulation, for CR's three families of the sizes and frictions of its Tab. II: "
               "layers of beams whose masses differ by up to 1000, chains of 8 to 10 loose links that "
               "swing, capsules in a tray. Besides: pinned chains, whose ball joints are bilateral rows, towers "
               "of planks, a vehicle on bumps, and FCLIB's test files of no family.", files, set->n);
    return 1;
}

/* ---- Fig. 7 ----------------------------------------------------------------------------------------------------- */

enum { PROF_WAYS = 5, PROF_ADMM = 0, PROF_PGS, PROF_PGS_MIN, PROF_OUR_GS, PROF_OURS, PROF_POINTS = 91 };

static const struct { const char *name; const slip_solver *solver; slip_step_rule step; } prof_ways[PROF_WAYS] = {
    { "ncp-admm", &slip_solver_ncp_admm, SLIP_STEP_MAX }, { "ncp-pgs", &slip_solver_ncp_pgs, SLIP_STEP_MAX },
    { "ncp-pgs, LL's step 1/min", &slip_solver_ncp_pgs, SLIP_STEP_MIN },
    { "ncp-gs (ours)", &slip_solver_ncp_gs, SLIP_STEP_MAX },
    { "default (ours)", &slip_solver_default, SLIP_STEP_MAX } };

/* seconds[problem][way]; infinite: not solved. */
static double *prof_measure(papers_run *r, const papers_problems *set, FILE *csv)
{
    slip_solver_options opt = papers_absolute(1e-6, FAM_LIMIT);
    double *seconds = (double *)cli_alloc((size_t)(set->n*PROF_WAYS + 1)*sizeof *seconds);
    int i, k;

    for (i = 0; i < set->n; ++i) {
        const papers_problem *q = &set->list[i];

        for (k = 0; k < PROF_WAYS; ++k) {
            const slip_solver *solver = prof_ways[k].solver;
            papers_solve_result s;

            opt.step = prof_ways[k].step;
            s = papers_solve(q, solver, &opt, 0, 0);
            if (s.seconds < 0.01) s.seconds = fmin(s.seconds, papers_solve(q, solver, &opt, 0, 2*s.seconds).seconds);
            seconds[i*PROF_WAYS + k] = s.solved ? s.seconds : (double)INFINITY;
            fprintf(csv, "%s,%s,%d,%d,\"%s\",%d,%d,%d,%.3f\n", fam_list[q->family].name, q->name, q->p.nc, q->p.n,
                    prof_ways[k].name, s.solved, s.iterations, s.factorizations, 1e6*s.seconds);
        }
        papers_progress(r, (i + 1)/(double)set->n);
    }
    return seconds;
}

/* Share of a family's problems that a way solves within tau times the fastest of the first `ways`. */
static double prof_share(const papers_problems *set, const double *seconds, int family, int way, int ways, double tau)
{
    int i, k, n = 0, within = 0;

    for (i = 0; i < set->n; ++i) {
        double best = (double)INFINITY;

        if (set->list[i].family != family) continue;
        ++n;
        for (k = 0; k < ways; ++k) best = fmin(best, seconds[i*PROF_WAYS + k]);
        within += seconds[i*PROF_WAYS + way] <= tau*best && best < (double)INFINITY
               && seconds[i*PROF_WAYS + way] < (double)INFINITY;
    }
    return n > 0 ? within/(double)n : 0;
}

static void prof_draw(papers_run *r, const papers_problems *set, const double *seconds, int family)
{
    slip_real tau[PROF_POINTS], share[PROF_WAYS][PROF_POINTS];
    slip_plot_series series[PROF_WAYS];
    slip_plot plot;
    char title[64];
    int i, k;

    for (k = 0; k < PROF_WAYS; ++k) {
        for (i = 0; i < PROF_POINTS; ++i) {
            tau[i] = (slip_real)pow(10, i/30.0);
            share[k][i] = (slip_real)prof_share(set, seconds, family, k, PROF_WAYS, pow(10, i/30.0));
        }
        series[k] = papers_line(prof_ways[k].name, tau, share[k], PROF_POINTS);
        series[k].style = SLIP_PLOT_STEPS;
    }
    snprintf(title, sizeof title, "Performance profile: %s", fam_list[family].name);
    plot = papers_axes(title, "time over the fastest solver's", "share of problems solved", 1, series, PROF_WAYS);
    plot.y_hi = SLIP_R(1.02);
    papers_plot(r, fam_list[family].name, "Share of the problems solved to an absolute 1e-6 within so many times the "
                "time of the fastest.", &plot);
}

/* A family's line of the table, and for CR's families what CR says of them. */
static void prof_judge(papers_run *r, const papers_problems *set, const double *seconds, int f)
{
    static const char *const said[FAM_CR] = { "all, none", "ADMM ahead", "all, none" };
    const double never = 1e300;
    const double admm = prof_share(set, seconds, f, PROF_ADMM, 2, never);
    const double pgs = prof_share(set, seconds, f, PROF_PGS, 2, never);
    const double fast = prof_share(set, seconds, f, PROF_ADMM, 2, 1);
    const double slow = prof_share(set, seconds, f, PROF_PGS, 2, 1);
    char what[64];

    snprintf(what, sizeof what, "%s: solved by ncp-admm, ncp-pgs; variation and ours", fam_list[f].name);
    papers_number(r, what, f < FAM_CR ? said[f] : "-", "%.0f %%, %.0f %% (the faster of the two in %.0f and %.0f %%); "
                  "ncp-pgs with LL's step %.0f %%, ncp-gs %.0f %%, default %.0f %%", 100*admm, 100*pgs, 100*fast,
                  100*slow,
                  100*prof_share(set, seconds, f, PROF_PGS_MIN, PROF_WAYS, never),
                  100*prof_share(set, seconds, f, PROF_OUR_GS, PROF_WAYS, never),
                  100*prof_share(set, seconds, f, PROF_OURS, PROF_WAYS, never));
    if (f >= FAM_CR) return;
    papers_check_timed(r, PAPERS_CLAIM, admm >= pgs && fast > slow, "%s: ADMM outperforms PGS, it solves %.0f against "
                       "%.0f %% and is the faster one in %.0f against %.0f %%",
                       fam_list[f].name, 100*admm, 100*pgs, 100*fast, 100*slow);
    if (f == FAM_CHAIN) return;
    papers_check(r, PAPERS_CLAIM, admm >= 1, "%s: ADMM solves all problems: %.1f %%", fam_list[f].name, 100*admm);
    papers_check(r, PAPERS_CLAIM, pgs <= 0, "%s: PGS converges within 20 000 iterations on none: on %.1f %%",
                 fam_list[f].name, 100*pgs);
}

static void prof_explain(papers_run *r, const papers_problems *set, const double *seconds)
{
    const double never = 1e300;
    double max[FAM_CR], min[FAM_CR];
    int f;

    for (f = 0; f < FAM_CR; ++f) {
        max[f] = 100*prof_share(set, seconds, f, PROF_PGS, PROF_WAYS, never);
        min[f] = 100*prof_share(set, seconds, f, PROF_PGS_MIN, PROF_WAYS, never);
    }
    papers_say(r, "PGS solves %.0f and %.0f %% of stacks and capsules, where CR has it fail on all. Its tangential "
               "step here is HW's 1/max(G_t1, G_t2), which contracts. With the step 1/min that LL prints it solves "
               "%.0f, %.0f and %.0f %% of stacks, chains and capsules: PGS with that step would show on stacks about "
               "what CR's figure shows. It may use all 20 000 sweeps; some of the solved problems need most of them.",
               max[FAM_STACKS], max[FAM_CAPSULES], min[0], min[1], min[2]);
    papers_say(r, "Pinned chains are hard for ADMM: their ball joints are bilateral rows beside the contacts, and its "
               "one rho has to suit both kinds of rows. CR's chains are contacts alone, as the chains here.");
}

int cr_fig7(papers_run *r)
{
    papers_problems set = { NULL, 0, 0 };
    FILE *csv = papers_csv(r, NULL);
    double *seconds;
    int f, ok = csv != NULL;

    if (sizeof(slip_real) < 8) papers_say(r, "Single precision does not resolve 1e-6: nothing is measured.");
    if (ok && sizeof(slip_real) >= 8 && (ok = fam_take(r, &set)) != 0) {
        fprintf(csv, "family,problem,contacts,rows,solver,solved,iterations,factorisations,time [us]\n");
        seconds = prof_measure(r, &set, csv);
        for (f = 0; f < fam_count(&set); ++f) prof_judge(r, &set, seconds, f);
        for (f = 0; f < fam_count(&set); ++f) prof_draw(r, &set, seconds, f);
        prof_explain(r, &set, seconds);
        free(seconds);
    }
    papers_problems_free(&set);
    return ok;
}

/* ---- Tab. III and IV -------------------------------------------------------------------------------------------- */

enum { RULES = 7, RULE_LINEAR = 4, RULE_P05 = 5 };           /* four linear ones, then three spectral ones */

static const struct { const char *name; slip_rho_rule rule; double value; } rule_list[RULES] = {
    { "linear, tau = 2", SLIP_RHO_LINEAR, 2 }, { "linear, tau = 4", SLIP_RHO_LINEAR, 4 },
    { "linear, tau = 8", SLIP_RHO_LINEAR, 8 }, { "linear, tau = 16", SLIP_RHO_LINEAR, 16 },
    { "spectral, p = 0.01", SLIP_RHO_SPECTRAL, 0.01 }, { "spectral, p = 0.05", SLIP_RHO_SPECTRAL, 0.05 },
    { "spectral, p = 0.08", SLIP_RHO_SPECTRAL, 0.08 } };

static const char *const rule_updates[3][RULES] = {
    { "9.20 +- 2.48", "6.12 +- 1.75", "5.85 +- 2.47", "6.12 +- 2.40", "11.26 +- 4.99", "5.02 +- 2.40", "3.97 +- 1.76" },
    { "5.74 +- 1.53", "8.76 +- 69.9", "33.7 +- 213", "25.5 +- 155", "7.87 +- 6.55", "2.76 +- 1.65", "3.61 +- 20.5" },
    { "4.58 +- 1.71", "3.09 +- 2.01", "3.60 +- 2.94", "4.6 +- 2.06", "5.57 +- 4.85", "2.30 +- 1.50", "2.12 +- 1.01" } };
static const char *const rule_times[3][RULES] = {
    { "2.16 +- 1.80", "1.73 +- 1.55", "1.76 +- 1.80", "1.95 +- 1.87", "2.56 +- 2.03", "1.55 +- 1.60", "1.51 +- 1.76" },
    { "0.527 +- 0.417", "0.637 +- 0.373", "1.61 +- 7.84", "1.34 +- 6.82", "0.445 +- 0.53", "0.321 +- 0.304",
      "0.494 +- 0.301" },
    { "2.86 +- 1.90", "2.50 +- 1.92", "1.95 +- 1.35", "1.69 +- 1.20", "2.17 +- 1.38", "1.72 +- 1.09", "1.63 +- 1.10" }
};

typedef struct { double updates, updates_deviation, ms, ms_deviation, iterations; int solved, all, n; } rule_cell;

/* One rule on all problems, or on every so-many-th of CR's families: results[problem*RULES + rule]. start: the first
 * rho, 0 for sqrt(eta L); tube: alpha of (44) and (46). */
static void rule_measure(const papers_problems *set, int every, int rule, double start, double tube, FILE *csv,
                         papers_solve_result *results)
{
    slip_solver_options opt = papers_absolute(1e-6, FAM_LIMIT);
    const slip_solver *admm = &slip_solver_ncp_admm;
    int i;

    opt.rho_rule = rule_list[rule].rule;
    if (opt.rho_rule == SLIP_RHO_LINEAR) opt.rho_factor = (slip_real)rule_list[rule].value;
    else opt.rho_power = (slip_real)rule_list[rule].value;
    opt.rho = (slip_real)start;
    opt.rho_tube = (slip_real)tube;
    for (i = 0; i < set->n; i += every) {
        const papers_problem *q = &set->list[i];
        papers_solve_result *s = &results[i*RULES + rule];

        if (every > 1 && q->family >= FAM_CR) continue;
        *s = papers_solve(q, admm, &opt, 0, 0);
        if (s->seconds < 0.005) s->seconds = fmin(s->seconds, papers_solve(q, admm, &opt, 0, 0).seconds);
        fprintf(csv, "%s,%s,\"%s\",%g,%g,%d,%d,%d,%.3f\n", fam_list[q->family].name, q->name, rule_list[rule].name,
                start, tube, s->solved, s->iterations, s->factorizations - 1, 1e6*s->seconds);
    }
}

static int rule_all_solve(const papers_solve_result *row)
{
    int k;

    for (k = 0; k < RULES; ++k) if (!row[k].solved) return 0;
    return 1;
}

/* Statistics of a rule over the problems of a family that every rule solves: a run that ends at the limit says nothing
 * about the cost of a solution. */
static void rule_sum(const papers_problems *set, const papers_solve_result *results, int family, int rule,
                     rule_cell *cell)
{
    double *updates = (double *)cli_alloc((size_t)(2*set->n + 1)*sizeof *updates), *ms = updates + set->n;
    int i;

    memset(cell, 0, sizeof *cell);
    for (i = 0; i < set->n; ++i) {
        const papers_solve_result *s = &results[i*RULES + rule];

        if (set->list[i].family != family) continue;
        ++cell->all;
        cell->solved += s->solved;
        if (!rule_all_solve(results + i*RULES)) continue;
        updates[cell->n] = s->factorizations - 1;            /* the first one is no update */
        ms[cell->n++] = 1e3*s->seconds;
        cell->iterations += s->iterations;
    }
    if (cell->n > 0) {
        papers_mean(updates, cell->n, &cell->updates, &cell->updates_deviation);
        papers_mean(ms, cell->n, &cell->ms, &cell->ms_deviation);
        cell->iterations /= cell->n;
    }
    free(updates);
}

static void rule_draw(papers_run *r, rule_cell cells[FAMILIES][RULES], int time)
{
    static const char *const rules[RULES] = { "tau 2", "tau 4", "tau 8", "tau 16", "p 0.01", "p 0.05", "p 0.08" };
    slip_real x[FAMILIES][RULES], y[FAMILIES][RULES];
    slip_plot_series series[FAMILIES];
    slip_plot plot;
    int f, k, n = FAMILIES;

    while (cells[n - 1][0].all == 0) --n;
    for (f = 0; f < n; ++f) {
        for (k = 0; k < RULES; ++k) {
            x[f][k] = (slip_real)(k + 1);
            y[f][k] = (slip_real)(time ? cells[f][k].ms : cells[f][k].updates);
        }
        series[f] = papers_line(fam_list[f].name, x[f], y[f], RULES);
    }
    plot = papers_categories(time ? "Mean time of a solve" : "Updates of the factorisation", rules, RULES,
                             time ? "time [ms]" : "updates, mean", 1, series, n);
    plot.x_label = "linear rule with factor tau, spectral rule with power p";
    papers_plot(r, time ? "time" : "updates", time ? "Mean time to an absolute 1e-6, by rule and family." : "Mean "
                "number of factorisations after the first, by rule and family.", &plot);
}

/* Whether the best of the spectral rules beats the best of the linear ones. */
static double rule_best(const rule_cell *cells, int from, int to, int time)
{
    double best = (double)INFINITY;
    int k;

    for (k = from; k < to; ++k) best = fmin(best, time ? cells[k].ms : cells[k].updates);
    return best;
}

/* CR: the linear rule tends to higher deviations, the spectral one has the most consistent statistics. */
static void rule_judge_spread(papers_run *r, const rule_cell *cells, const char *family)
{
    const rule_cell *spectral = &cells[RULE_P05];
    double worst = 0;
    int k, solved = cells[0].all;

    for (k = 0; k < RULE_LINEAR; ++k) {
        worst = fmax(worst, cells[k].updates_deviation);
        solved = cells[k].solved < solved ? cells[k].solved : solved;
    }
    papers_check(r, PAPERS_CLAIM, spectral->updates_deviation < worst && spectral->solved >= solved, "%s: p = 0.05 is "
                 "more consistent than linear rules at their worst, %.1f against %.1f in standard deviation, %d "
                 "against %d problems solved", family, spectral->updates_deviation, worst, spectral->solved, solved);
}

static void rule_judge(papers_run *r, rule_cell cells[FAMILIES][RULES])
{
    double mean = 0;
    int f, k, n = 0;

    for (f = 0; f < FAMILIES && cells[f][0].all > 0; ++f) {
        const double linear = rule_best(cells[f], 0, RULE_LINEAR, 0), spectral = cells[f][RULE_P05].updates;
        const double linear_ms = rule_best(cells[f], 0, RULE_LINEAR, 1);
        const double spectral_ms = rule_best(cells[f], RULE_LINEAR, RULES, 1);

        for (k = 0; k < RULES; ++k) {
            const rule_cell *c = &cells[f][k];
            char what[64], paper[64] = "-";

            snprintf(what, sizeof what, "%s, %s: updates; ms", fam_list[f].name, rule_list[k].name);
            if (f < FAM_CR) snprintf(paper, sizeof paper, "%s; %s", rule_updates[f][k], rule_times[f][k]);
            papers_number(r, what, paper, "%.2f +- %.2f; %.3f +- %.3f (%.0f iterations, %d of %d solved)", c->updates,
                          c->updates_deviation, c->ms, c->ms_deviation, c->iterations, c->solved, c->all);
        }
        mean += cells[f][RULE_P05].updates*cells[f][RULE_P05].n;
        n += cells[f][RULE_P05].n;
        if (f >= FAM_CR) continue;
        papers_check(r, PAPERS_CLAIM, spectral < linear, "%s: with p = 0.05 updates are rarer than with any linear "
                    "rule, %.1f against %.1f at least", fam_list[f].name, spectral, linear);
        papers_check_timed(r, PAPERS_CLAIM, spectral_ms < 1.02*linear_ms, "%s: the best spectral rule is not slower "
                           "than the best linear one, %.3f against %.3f ms", fam_list[f].name, spectral_ms, linear_ms);
    }
    for (f = 0; f < FAM_CR; ++f) rule_judge_spread(r, cells[f], fam_list[f].name);
    papers_check(r, PAPERS_FIGURE, mean/n <= 15, "a dozen updates on average with p = 0.05: %.1f", mean/n);
}

/* Mean updates of a rule over every so-many-th problem of a family. */
static double rule_updates_of(const papers_problems *set, int every, const papers_solve_result *results, int family,
                              int rule)
{
    double sum = 0;
    int i, n = 0;

    for (i = 0; i < set->n; i += every) {
        if (set->list[i].family != family) continue;
        sum += results[i*RULES + rule].factorizations - 1;
        ++n;
    }
    return n > 0 ? sum/n : 0;
}

/* Whether p = 0.05 needs fewer updates than each linear rule when the tube, which CR does not print, is another one. */
static void rule_vary_tube(papers_run *r, const papers_problems *set, int every, double tube, FILE *csv,
                           papers_solve_result *results)
{
    double linear[FAM_CR], spectral[FAM_CR];
    int f, k;

    for (k = 0; k < RULE_LINEAR; ++k) rule_measure(set, every, k, 0, tube, csv, results);
    rule_measure(set, every, RULE_P05, 0, tube, csv, results);
    for (f = 0; f < FAM_CR; ++f) {
        spectral[f] = rule_updates_of(set, every, results, f, RULE_P05);
        linear[f] = (double)INFINITY;
        for (k = 0; k < RULE_LINEAR; ++k) linear[f] = fmin(linear[f], rule_updates_of(set, every, results, f, k));
    }
    papers_say(r, "With a tube of alpha = %g instead of 10, which CR does not print: p = 0.05 updates %.1f, %.1f and "
               "%.1f times on stacks, chains and capsules, the best linear rule %.1f, %.1f and %.1f times (every %dth "
               "problem).", tube, spectral[0], spectral[1], spectral[2], linear[0], linear[1], linear[2], every);
}

/* results: those of the first rho sqrt(eta L). */
static void rule_explain(papers_run *r, const papers_problems *set, FILE *csv, papers_solve_result *results)
{
    const int every = papers_is_quick(r) ? 3 : 16;
    double own[FAM_CR], other[FAM_CR], spectral[FAM_CR];
    int f;

    papers_say(r, "Updates, iterations and times are means over the problems that every rule solves. CR eq. 45 with m "
               "= eta makes a spectral step a multiplication of rho by (L/eta)^p: with L/eta = 1e7, by 1.2, 2.2 and "
               "3.6 for p = 0.01, 0.05 and 0.08. So p = 0.05 is the linear rule with tau about 2.2, p = 0.08 one with "
               "tau just below 4, and from the same first rho their counts differ by little.");
    for (f = 0; f < FAM_CR; ++f) {
        own[f] = rule_updates_of(set, 1, results, f, 0);
        spectral[f] = rule_updates_of(set, 1, results, f, RULE_P05);
    }
    rule_measure(set, 1, 0, 1e-6, 10, csv, results);
    for (f = 0; f < FAM_CR; ++f) other[f] = rule_updates_of(set, 1, results, f, 0);
    papers_say(r, "The first rho decides how far there is to go, and CR does not say which one its linear rule has. "
               "From rho = 1e-6 instead of sqrt(eta L) the linear rule with tau = 2 updates %.1f times instead of %.1f "
               "on stacks, %.1f instead of %.1f on chains, %.1f instead of %.1f on capsules (p = 0.05: %.1f, %.1f and "
               "%.1f, all problems).", other[0], own[0], other[1], own[1], other[2], own[2], spectral[0], spectral[1],
               spectral[2]);
    rule_vary_tube(r, set, every, 4, csv, results);
    rule_vary_tube(r, set, every, 100, csv, results);
}

int cr_tab3(papers_run *r)
{
    papers_problems set = { NULL, 0, 0 };
    rule_cell cells[FAMILIES][RULES];
    papers_solve_result *results = NULL;
    FILE *csv = papers_csv(r, NULL);
    int f, k, ok = csv != NULL;

    if (sizeof(slip_real) < 8) papers_say(r, "Single precision does not resolve 1e-6: nothing is measured.");
    if (ok && sizeof(slip_real) >= 8 && (ok = fam_take(r, &set)) != 0) {
        fprintf(csv, "family,problem,rule,first rho [1/kg],tube,solved,iterations,updates,time [us]\n");
        results = (papers_solve_result *)cli_alloc((size_t)(set.n*RULES)*sizeof *results);
        for (k = 0; k < RULES; ++k) {
            rule_measure(&set, 1, k, 0, 10, csv, results);
            papers_progress(r, (k + 1)/(RULES + 2.5));
        }
        for (f = 0; f < FAMILIES; ++f) for (k = 0; k < RULES; ++k) rule_sum(&set, results, f, k, &cells[f][k]);
        rule_judge(r, cells);
        rule_draw(r, cells, 0);
        rule_draw(r, cells, 1);
        rule_explain(r, &set, csv, results);
    }
    free(results);
    papers_problems_free(&set);
    return ok;
}
