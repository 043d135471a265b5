/* Reality: contact models on recorded tosses of a real cube. See papers.h, real.h. */
#include "movie.h"
#include "papers.h"
#include "papers_run.h"
#include "real.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers to beat, of a first soft NCP and of MuJoCo 2.2.2, both well fitted, on other tosses of the same recording. */
static const double toss_position = 0.128, toss_rotation = 17.7, toss_median = 8.6;

/* A gain below this share of an error counts as none. */
static const double toss_same = 0.1;

/* The recording, what it says about the cube on the half that is fitted, and terms with its centre of mass; 0 when it
 * is not there, which the report says, and -1 when it cannot be read. */
static int toss_read(papers_run *r, real_set *set, real_terms *terms, real_measured *m)
{
    real_halves h;
    char path[1024];
    const int there = papers_input(r, "real/cube-toss.csv", path, sizeof path);

    memset(terms, 0, sizeof *terms);
    terms->body = real_body_defaults();
    if (there < 0)
        papers_say(r, "Not run: the recording, %s, is not there. --data DIR takes it from DIR/real/cube-toss.csv; "
                   "'slipstick real FILE.csv' takes any other one.", path);
    if (there <= 0) return there < 0 ? 0 : -1;
    if (!real_read(r->e->id, path, set)) return -1;
    real_find_touches(set, &terms->body);
    terms->dt = set->dt;
    real_split(set, 0, &h);
    *m = real_measure(set, h.fit, h.nfit, &terms->body);
    real_free_halves(&h);
    if (!real_check(r->e->id, path, set, m, &terms->body)) { real_free(set);  return -1; }
    real_take_com(m, &terms->body);
    return 1;
}

/* ---- models ------------------------------------------------------------------------------------------------------ */

enum { TOSS_SOFT_NCP = 7, TOSS_NCP = 5, TOSS_LCP = 0, TOSS_FACETS = 1, TOSS_MUJOCO = 9 };   /* in real_models */

/* Results of one row, in the order of real_models; quick runs leave slow ones out. */
typedef struct { real_result list[REAL_MODELS]; int n; } toss_results;

static const real_result *toss_of(const toss_results *t, int model)
{
    int i;

    for (i = 0; i < t->n - 1 && t->list[i].model != &real_models[model]; ++i) { }
    return &t->list[i];
}

static void toss_number(papers_run *r, const char *name, const char *paper, const real_summary *s)
{
    papers_number(r, name, paper, "%.3f [%.3f, %.3f] widths; %.1f [%.1f, %.1f], median %.1f [%.1f, %.1f] degrees; face "
                  "%.0f [%.0f, %.0f] %%", s->position.value, s->position.lo, s->position.hi, s->rotation.value,
                  s->rotation.lo, s->rotation.hi, s->median.value, s->median.lo, s->median.hi, s->face.value,
                  s->face.lo, s->face.hi);
}

static void toss_difference(papers_run *r, const char *name, const real_summary *d)
{
    papers_number(r, name, "-", "%+.3f [%+.3f, %+.3f] widths; %+.1f [%+.1f, %+.1f], median %+.1f [%+.1f, %+.1f] "
                  "degrees", d->position.value, d->position.lo, d->position.hi, d->rotation.value, d->rotation.lo,
                  d->rotation.hi, d->median.value, d->median.lo, d->median.hi);
}

/* The models' scores, their differences from the best one, the data. */
static int toss_tables(papers_run *r, const real_set *set, const real_halves *h, const toss_results *t)
{
    const double degrees = 180/acos(-1.0);
    const real_result *results = t->list;
    const int best = real_best(results, t->n);
    FILE *csv = papers_csv(r, NULL);
    char text[256], law[128];
    int i, k;

    if (!csv) return 0;
    fprintf(csv, "model,toss,position [widths],rotation [degrees],face right\n");
    for (i = 0; i < t->n; ++i) {
        real_law_text(results[i].model, &results[i].fit.law, law, sizeof law);
        snprintf(text, sizeof text, "%s (%s)", results[i].model->name, law);
        toss_number(r, text, "-", &results[i].summary);
        for (k = 0; k < h->nscore; ++k)
            fprintf(csv, "\"%s\",%d,%.6g,%.6g,%d\n", results[i].model->name, set->tosses[h->score[k]].number,
                    results[i].scores[k].position, degrees*results[i].scores[k].rotation, results[i].scores[k].face);
    }
    for (i = 0; i < t->n; ++i) {
        const real_summary d = real_difference(results[i].scores, results[best].scores, h->nscore, 2);

        if (i == best) continue;
        snprintf(text, sizeof text, "%s less %s", results[i].model->name, results[best].model->name);
        toss_difference(r, text, &d);
    }
    return 1;
}

static void toss_plots(papers_run *r, const toss_results *t, int nscore)
{
    slip_real *store = (slip_real *)cli_alloc((size_t)2*REAL_MODELS*(size_t)nscore*sizeof *store);
    slip_plot_series series[REAL_MODELS];
    slip_plot plot;

    real_distribution(t->list, t->n, nscore, 0, store, series, &plot);
    papers_plot(r, "position", "How many of the scored tosses stay below an error.", &plot);
    real_distribution(t->list, t->n, nscore, 1, store, series, &plot);
    papers_plot(r, "rotation", "The right tail, from about 60 degrees, are tosses that end on another face.", &plot);
    free(store);
}

/* Which models are told apart from the best one, in words. */
static void toss_say_apart(papers_run *r, const toss_results *t, int nscore)
{
    const real_result *results = t->list;
    const int best = real_best(results, t->n);
    char same[512] = "", apart[512] = "";
    int i;

    for (i = 0; i < t->n; ++i) {
        const real_summary d = real_difference(results[i].scores, results[best].scores, nscore, 2);
        const int is_apart = d.position.lo > 0 || d.rotation.lo > 0;
        char *list = is_apart ? apart : same;
        const size_t used = strlen(list);

        if (i != best) snprintf(list + used, sizeof same - used, "%s%s", used ? "; " : "", results[i].model->name);
    }
    papers_say(r, "Best fit: %s. Told apart from it, in position or rotation, toss by toss: %s. Not told apart: %s.",
               results[best].model->name, apart[0] ? apart : "none", same[0] ? same : "none");
}

/* The models under the terms; the caller frees the results. few: only the two of ours. 0 after a message. */
static int toss_study(papers_run *r, const real_set *set, const real_halves *h, const real_terms *terms,
                      const real_search *search, int few, toss_results *t)
{
    const real_search more = { 96, 16, 1, 5, 1 };        /* quick runs: of the two of ours, which take least */
    real_search less = *search;
    int i;

    t->n = 0;
    if (less.tosses == 0 || less.tosses > 64) less.tosses = 64;          /* for models of many milliseconds a toss */
    for (i = 0; i < REAL_MODELS; ++i) {
        const int is_ours = i == TOSS_NCP || i == TOSS_SOFT_NCP;
        const int has_more = papers_is_quick(r) && !few && is_ours;
        const real_search *mine = real_models[i].is_slow ? &less : has_more ? &more : search;

        if (few ? !is_ours : papers_is_quick(r) && real_models[i].is_slow) continue;
        if (!real_study(r->e->id, set, h, &real_models[i], terms, mine, NULL, &t->list[t->n])) return 0;
        ++t->n;
        papers_progress(r, (i + 1.0)/REAL_MODELS);
    }
    if (papers_is_quick(r))
        papers_say(r, "A quick run: fewer tosses, and without the models whose solvers take longest.");
    return 1;
}

static void toss_beat(papers_run *r, const real_summary *s)
{
    papers_check(r, PAPERS_FIGURE, s->position.hi < toss_position, "soft NCP: position error %.3f [%.3f, %.3f] "
                 "widths, all of the interval below %.3f", s->position.value, s->position.lo, s->position.hi,
                 toss_position);
    papers_check(r, PAPERS_FIGURE, s->rotation.hi < toss_rotation, "soft NCP: rotation error %.1f [%.1f, %.1f] "
                 "degrees, all below %.1f", s->rotation.value, s->rotation.lo, s->rotation.hi, toss_rotation);
    papers_check(r, PAPERS_FIGURE, s->median.hi < toss_median, "soft NCP: median rotation error %.1f [%.1f, %.1f] "
                 "degrees, all below %.1f", s->median.value, s->median.lo, s->median.hi, toss_median);
    papers_say(r, "The numbers to beat come from other tosses of the recording; a difference that is inside the "
               "intervals is none.");
}

/* MuJoCo's contact law, fitted as the others are, on the same tosses. */
static void toss_mujoco(papers_run *r, const toss_results *t, int nscore)
{
    const real_result *mujoco = toss_of(t, TOSS_MUJOCO), *soft = toss_of(t, TOSS_SOFT_NCP);
    const real_summary d = real_difference(soft->scores, mujoco->scores, nscore, 9);

    toss_difference(r, "soft NCP less MuJoCo's law", &d);
    papers_check(r, PAPERS_FIGURE, d.position.hi < toss_same*mujoco->summary.position.value
                 && d.rotation.hi < toss_same*mujoco->summary.rotation.value, "the soft NCP is not a tenth worse than "
                 "MuJoCo's law, fitted alike, on these tosses: %+.3f [%+.3f, %+.3f] of %.3f widths, %+.1f [%+.1f, "
                 "%+.1f] of %.1f degrees", d.position.value, d.position.lo, d.position.hi,
                 mujoco->summary.position.value, d.rotation.value, d.rotation.lo, d.rotation.hi,
                 mujoco->summary.rotation.value);
    papers_say(r, "MuJoCo's law (docs/engines.md, reference) has friction, solref's time constant and damping ratio "
               "fitted, solimp as it is by default, and our midpoint step, so that flights are as exact as the "
               "others'. A time constant is at least two steps. What was recorded of MuJoCo 2.2.2 itself is a fit on "
               "other tosses.");
}

/* The page with a ghost: the best model and the toss whose error is the median one. */
static int toss_page(papers_run *r, const real_set *set, const real_halves *h, const real_terms *terms,
                     const toss_results *t)
{
    const real_score *s = toss_of(t, TOSS_SOFT_NCP)->scores;
    char path[1024];
    const real_toss *toss = &set->tosses[h->score[0]];
    int i, k, rank;

    for (i = 0; i < h->nscore; ++i) {
        for (rank = k = 0; k < h->nscore; ++k) rank += s[k].position < s[i].position;
        if (rank == h->nscore/2) toss = &set->tosses[h->score[i]];
    }
    snprintf(path, sizeof path, "%s/%s-toss.html", r->directory, r->e->id);
    papers_say(r, "%s-toss.html beside this report shows toss %d, of median position error, under all models, with the "
               "recorded cube as a see-through ghost.", r->e->id, toss->number);
    return real_page(r->e->id, path, set, toss, terms, t->list, t->n, "slipstick papers real");
}

static void toss_free(real_set *set, real_halves *h, real_result *results, int n)
{
    int i;

    for (i = 0; i < n; ++i) real_free_result(&results[i]);
    real_free_halves(h);
    real_free(set);
}

static int toss_models(papers_run *r)
{
    const real_search search = real_search_defaults(papers_is_quick(r));
    toss_results t;
    real_summary d;
    const real_summary *s;
    real_measured measured;
    real_terms terms;
    real_halves h;
    real_set set;
    const int there = toss_read(r, &set, &terms, &measured);
    int ok;

    if (there <= 0) return there == 0;
    memset(&t, 0, sizeof t);
    real_split(&set, 0, &h);
    if (papers_is_quick(r) && h.nfit > 96) h.nfit = 96;
    ok = toss_study(r, &set, &h, &terms, &search, 0, &t) && toss_tables(r, &set, &h, &t);
    if (ok) {
        s = &toss_of(&t, TOSS_SOFT_NCP)->summary;
        d = real_difference(toss_of(&t, TOSS_LCP)->scores, toss_of(&t, TOSS_NCP)->scores, h.nscore, 3);
        papers_check(r, PAPERS_CLAIM, d.position.lo > 0, "the pyramid of the LCP costs position on the real table, "
                     "too: %+.3f [%+.3f, %+.3f] widths against the cone of the NCP", d.position.value, d.position.lo,
                     d.position.hi);
        toss_beat(r, s);
        papers_number(r, "first soft NCP on other tosses", "0.128 widths; 17.7, median 8.6 degrees", "see soft NCP");
        papers_number(r, "MuJoCo 2.2.2 on other tosses", "0.127 widths; 19.7, median 10.2 degrees", "see MuJoCo's law");
        toss_mujoco(r, &t, h.nscore);
        if (toss_of(&t, TOSS_FACETS)->model == &real_models[TOSS_FACETS])
            papers_say(r, "With sixteen facets instead of four the LCP's position error is %.3f instead of %.3f "
                       "widths.", toss_of(&t, TOSS_FACETS)->summary.position.value,
                       toss_of(&t, TOSS_LCP)->summary.position.value);
        toss_plots(r, &t, h.nscore);
        toss_say_apart(r, &t, h.nscore);
        papers_say(r, "The cube's centre of mass is taken to be where flights of the fitted tosses have it, %.1f mm "
                   "from its centre; real-missing says how, and has scores without it.", 1e3*measured.com[2]);
        papers_say(r, "Each model is fitted to tosses with even numbers (%d of %d; the slow solvers 64 at most) and "
                   "scored on odd ones (%d): a grid "
                   "over its bounds, then golden sections of each parameter; the objective is the mean of position "
                   "[widths] + rotation [rad]/2. In brackets: 95 %% intervals by bootstrap over the scored tosses. "
                   "They do not contain what other tosses for the fit would change, so that small differences mean "
                   "even less than they say.", search.tosses > 0 ? search.tosses
                   : h.nfit, h.nfit, h.nscore);
        ok = toss_page(r, &set, &h, &terms, &t);
    }
    toss_free(&set, &h, t.list, t.n);
    return ok;
}

/* ---- a finer step ------------------------------------------------------------------------------------------------ */

/* The soft NCP at the recording's step and at a tenth of it, fitted alike. */
static int toss_compare_steps(papers_run *r, const real_set *set, const real_terms *terms)
{
    const int is_quick = papers_is_quick(r);
    const real_search search = { is_quick ? 8 : 64, is_quick ? 2 : 16, 1, 5, 1 };
    real_terms fine = *terms;
    real_result a, b;
    real_halves h;
    real_summary d;
    int ok;

    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    fine.dt /= 10;
    real_split(set, is_quick ? 24 : 0, &h);
    if (h.nfit > search.tosses) h.nfit = search.tosses;
    ok = real_study(r->e->id, set, &h, &real_models[TOSS_SOFT_NCP], terms, &search, NULL, &a)
      && real_study(r->e->id, set, &h, &real_models[TOSS_SOFT_NCP], &fine, &search, NULL, &b);
    if (ok) {
        d = real_difference(b.scores, a.scores, h.nscore, 3);
        toss_number(r, "soft NCP (ours) at 1/148 s, fitted as the next", "-", &a.summary);
        toss_number(r, "soft NCP (ours) at 1/1480 s", "-", &b.summary);
        papers_check(r, PAPERS_CLAIM, d.position.lo > -toss_same*a.summary.position.value, "a tenth of the step does "
                     "not bring the soft NCP nearer by a tenth of its position error, %.3f widths, surely: %+.3f "
                     "[%+.3f, %+.3f] on %d tosses", a.summary.position.value, d.position.value, d.position.lo,
                     d.position.hi, h.nscore);
        papers_check(r, PAPERS_CLAIM, d.rotation.lo > -toss_same*a.summary.rotation.value, "nor by a tenth of its "
                     "rotation error, %.1f degrees: %+.1f [%+.1f, %+.1f]", a.summary.rotation.value, d.rotation.value,
                     d.rotation.lo, d.rotation.hi);
        papers_say(r, "An interval that contains 0 would show no difference on few tosses, whatever it is; what is "
                   "tested is that all of the interval is above a gain of a tenth.");
    }
    real_free_result(&a);
    real_free_result(&b);
    real_free_halves(&h);
    return ok;
}

static int toss_fine(papers_run *r)
{
    const int is_quick = papers_is_quick(r);
    const real_search search = { is_quick ? 8 : 24, is_quick ? 2 : 8, 1, 5, 1 };
    toss_results t;
    real_measured measured;
    real_terms terms;
    real_halves h;
    real_set set;
    const int there = toss_read(r, &set, &terms, &measured);
    int ok;

    if (there <= 0) return there == 0;
    memset(&t, 0, sizeof t);
    real_split(&set, is_quick ? 24 : 95, &h);
    if (h.nfit > search.tosses) h.nfit = search.tosses;
    ok = toss_compare_steps(r, &set, &terms);
    terms.dt = set.dt/10;
    ok = ok && toss_study(r, &set, &h, &terms, &search, is_quick, &t) && toss_tables(r, &set, &h, &t);
    if (ok) {
        toss_plots(r, &t, h.nscore);
        toss_say_apart(r, &t, h.nscore);
        if (!is_quick)
            papers_say(r, "TO's barrier has its compliance per step and feels contacts at a distance: ten times as "
                       "many steps make another model of it, which no r_min between the bounds mends.");
        papers_say(r, "All models: fitted on %d tosses, the grid on %d of them, scored on %d, as a tenth of the step "
                   "costs ten times as much. The soft NCP for the statement above is fitted and scored on more of "
                   "them.", search.tosses, search.grid_tosses, h.nscore);
    }
    toss_free(&set, &h, t.list, t.n);
    return ok;
}

/* ---- what is missing --------------------------------------------------------------------------------------------- */

/* Ways to know more about start, scale and shape than the recording's README says. Each one is fitted anew. */
typedef struct {
    const char *name;
    real_start start;
    int is_measured;             /* 1: the centre of mass from the flights; 2: gravity and half width, too         */
    double corner, inertia;      /* radius of corners [m]; inertia over the given one                              */
    int horizon;                 /* rows after the first touch; 0: all                                             */
} toss_variant;

enum { TOSS_VARIANTS = 10, TOSS_GIVEN = 0, TOSS_BASE = 1, TOSS_FLIGHT = 3, TOSS_ROUND = 6, TOSS_SHORT = 7,
       TOSS_SHAPED = 9 };
static const toss_variant toss_variants[TOSS_VARIANTS] = {
    { "first row and cube as given", REAL_START_FIRST, 0, 0, 1, 0 },
    { "centre of mass as measured", REAL_START_FIRST, 1, 0, 1, 0 },
    { "the same, from two rows before the touch", REAL_START_TOUCH, 1, 0, 1, 0 },
    { "the same, from a state fitted to the flight", REAL_START_FLIGHT, 1, 0, 1, 0 },
    { "the same, gravity and width as measured", REAL_START_FLIGHT, 2, 0, 1, 0 },
    { "all this, inertia 1.2 times as large", REAL_START_FLIGHT, 2, 0, 1.2, 0 },
    { "all this, corners rounded by 6 mm", REAL_START_FLIGHT, 2, 0.006, 1, 0 },
    { "sharp, 16 rows (0.11 s) after the touch", REAL_START_FLIGHT, 2, 0, 1, 16 },
    { "corners rounded by 6 mm, 16 rows after the touch", REAL_START_FLIGHT, 2, 0.006, 1, 16 },
    { "all this, corners and inertia fitted", REAL_START_FLIGHT, 2, 0, 1, 0 } };      /* toss_shape() */
static const int toss_shown[3] = { TOSS_GIVEN, TOSS_BASE, TOSS_ROUND };              /* in plots */

/* Scores of one simulation against another one that starts a frame later: what the recorded start leaves open. */
static int toss_floor(papers_run *r, const real_set *set, const real_halves *h, const real_terms *terms,
                      const real_result *fitted, int offset, real_summary *floor)
{
    real_score *scores = (real_score *)cli_alloc((size_t)h->nscore*sizeof *scores);
    real_row *a = (real_row *)cli_alloc((size_t)set->nrows*sizeof *a),
    *b = (real_row *)cli_alloc((size_t)set->nrows*sizeof *b);
    real_stage stage;
    real_row start;
    int i, k, from, n, ok = real_open(r->e->id, fitted->model, terms, 0, &stage);

    for (i = 0; ok && i < h->nscore; ++i) {
        const real_toss *toss = &set->tosses[h->score[i]];

        scores[i] = real_simulate(&stage, set, toss, &fitted->fit.law, offset, b);
        from = real_start_of(set, toss, terms, offset, &start);
        real_simulate(&stage, set, toss, &fitted->fit.law, 0, a);
        from -= real_start_of(set, toss, terms, 0, &start);
        n = toss->count - from - 1;
        scores[i].position = scores[i].rotation = 0;
        for (k = 1; k <= n; ++k) {
            double position, rotation;

            if (real_start_of(set, toss, terms, 0, &start) + from + k >= toss->count) break;
            real_compare(&a[from + k], &b[k], terms->body.half_width, &position, &rotation);
            scores[i].position += position;
            scores[i].rotation += rotation;
        }
        scores[i].position /= k > 1 ? k - 1 : 1;
        scores[i].rotation /= k > 1 ? k - 1 : 1;
    }
    if (ok) { *floor = real_summarise(scores, h->nscore, 4);  real_close(&stage); }
    free(scores);
    free(a);
    free(b);
    return ok;
}

/* Each toss with the friction that suits it best: how much one number for all costs. */
static int toss_own_friction(papers_run *r, const real_set *set, const real_halves *h, const real_terms *terms,
                             const real_result *fitted, real_summary *own, double spread[3])
{
    enum { STEPS = 11 };                         /* from 0.75 to 1.33 of the fitted friction */
    real_score *scores = (real_score *)cli_alloc((size_t)h->nscore*sizeof *scores);
    double *mu = (double *)cli_alloc((size_t)h->nscore*sizeof *mu);
    real_stage stage;
    int i, k, ok = real_open(r->e->id, fitted->model, terms, 0, &stage);

    for (i = 0; ok && i < h->nscore; ++i) {
        double least = HUGE_VAL;

        for (k = 0; k < STEPS; ++k) {
            real_law law = fitted->fit.law;
            real_score s;

            law.x[REAL_MU] *= pow(0.75, 1 - 2.0*k/(STEPS - 1));
            s = real_simulate(&stage, set, &set->tosses[h->score[i]], &law, 0, NULL);
            if (real_objective(&s, 1) >= least) continue;
            least = real_objective(&s, 1);
            scores[i] = s;
            mu[i] = law.x[REAL_MU];
        }
    }
    if (ok) {
        *own = real_summarise(scores, h->nscore, 5);
        real_quartiles(mu, h->nscore, spread);
        real_close(&stage);
    }
    free(scores);
    free(mu);
    return ok;
}

static void toss_vary(const toss_variant *v, const real_measured *measured, real_terms *terms)
{
    terms->start = v->start;
    terms->horizon = v->horizon;
    terms->body = real_body_defaults();
    terms->body.inertia *= v->inertia;
    if (v->is_measured == 1) real_take_com(measured, &terms->body);
    if (v->is_measured == 2) real_take_measured(measured, &terms->body);
    terms->body.corner = v->corner;
}

/* The corners and the inertia that suit a model best on the tosses that are fitted, the law fitted anew for each. */
static int toss_shape(papers_run *r, const real_set *set, const real_halves *h, const real_measured *m,
                      const real_model *model, const real_law *from, toss_variant *v)
{
    static const double corners[] = { 0, 0.003, 0.006, 0.009, 0.012 }, inertias[] = { 1, 1.1, 1.2 };
    const int is_quick = papers_is_quick(r), step = is_quick ? 2 : 1;
    const real_search search = { is_quick ? 8 : 64, 0, 1, is_quick ? 2 : 5, 1 };
    double best = HUGE_VAL;
    int i, k;

    *v = toss_variants[TOSS_SHAPED];
    for (i = 0; i < 5; i += step)
        for (k = 0; k < 3; k += step) {
            toss_variant now = *v;
            real_terms terms;
            real_stage stage;
            real_fit fit;

            memset(&terms, 0, sizeof terms);
            terms.dt = set->dt;
            now.corner = corners[i];
            now.inertia = inertias[k];
            toss_vary(&now, m, &terms);
            if (!real_open(r->e->id, model, &terms, 0, &stage)) return 0;
            real_fit_model(&stage, set, h->fit, h->nfit, &search, from, &fit);
            real_close(&stage);
            if (fit.objective >= best) continue;
            best = fit.objective;
            v->corner = now.corner;
            v->inertia = now.inertia;
        }
    return 1;
}

/* The error against time since the first touch: mean over tosses, in rows. */
enum { TOSS_ROWS = 60 };
typedef struct { slip_real time[TOSS_ROWS], position[TOSS_ROWS], rotation[TOSS_ROWS]; int n; } toss_growth;

static int toss_grow(papers_run *r, const real_set *set, const real_halves *h, const real_terms *terms,
                     const real_result *fitted, toss_growth *g)
{
    const double degrees = 180/acos(-1.0);
    real_row *poses = (real_row *)cli_alloc((size_t)set->nrows*sizeof *poses), start;
    real_stage stage;
    double count[TOSS_ROWS] = { 0 };
    int i, k, ok = real_open(r->e->id, fitted->model, terms, 0, &stage);

    memset(g, 0, sizeof *g);
    for (i = 0; ok && i < h->nscore; ++i) {
        const real_toss *toss = &set->tosses[h->score[i]];
        const int from = real_start_of(set, toss, terms, 0, &start);

        real_simulate(&stage, set, toss, &fitted->fit.law, 0, poses);
        for (k = 0; k < TOSS_ROWS && toss->touch + k < toss->count; ++k) {
            double position, rotation;

            if (toss->touch + k < from) continue;
            real_compare(&poses[toss->touch + k - from], &set->rows[toss->first + toss->touch + k],
                         terms->body.half_width, &position, &rotation);
            g->position[k] += (slip_real)position;
            g->rotation[k] += (slip_real)(degrees*rotation);
            count[k] += 1;
        }
    }
    if (ok) real_close(&stage);
    for (k = 0; k < TOSS_ROWS && 2*count[k] >= h->nscore; ++k) {
        g->time[k] = (slip_real)(k*set->dt);
        g->position[k] /= (slip_real)count[k];
        g->rotation[k] /= (slip_real)count[k];
        g->n = k + 1;
    }
    free(poses);
    return ok;
}

static void toss_plot_growth(papers_run *r, const toss_growth *growths)
{
    slip_plot_series series[3];
    slip_plot plot;
    int i, k;

    for (k = 0; k < 2; ++k) {
        memset(&plot, 0, sizeof plot);
        for (i = 0; i < 3; ++i) {
            series[i] = papers_line(toss_variants[toss_shown[i]].name, growths[i].time,
                                    k ? growths[i].rotation : growths[i].position, growths[i].n);
        }
        plot.title = k ? "Rotation error of the soft NCP after the first touch" : "Position error of the soft NCP "
        "after the first touch";
        plot.x_label = "time since the first touch [s]";
        plot.y_label = k ? "mean over tosses [degrees]" : "mean over tosses [cube widths]";
        plot.width = 860;
        plot.nseries = 3;
        plot.series = series;
        papers_plot(r, k ? "rotation" : "position", k ? "The same for the rotation."
                    : "How the error grows from the first touch on, where the flight ends.", &plot);
    }
}

static void toss_say_missing(papers_run *r, const real_measured *m, const real_result *rigid, const real_result *soft,
                             int nscore)
{
    const real_summary scale = real_difference(soft[TOSS_FLIGHT + 1].scores, soft[TOSS_FLIGHT].scores, nscore, 6);
    const double whole = rigid[TOSS_FLIGHT + 1].fit.law.x[REAL_RESTITUTION];
    const double first = rigid[TOSS_SHORT].fit.law.x[REAL_RESTITUTION];

    papers_say(r, "Scale: the flights fall with %.3f +- %.3f m/s^2 and the cube rests at %.2f +- %.2f mm, %.1f and "
               "%.1f %% less than the 9.81 and 52.4 that belong to the recording. Lengths that are too short by one "
               "factor would do both. With the measured numbers the soft NCP's position error changes by %+.3f [%+.3f, "
               "%+.3f] widths; the smaller width alone makes %+.3f of it.", m->gravity, m->gravity_error,
               1e3*m->half_width, 1e3*m->half_width_error, 100*(1 - m->gravity/9.81),
               100*(1 - m->half_width/0.0524), scale.position.value, scale.position.lo, scale.position.hi,
               (0.0524/m->half_width - 1)*soft[TOSS_FLIGHT].summary.position.value);
    papers_say(r, "Restitution: with sharp corners the rigid NCP is fitted best by %.2f over whole tosses, by %.2f "
               "over the first 0.11 s after the touch, as if later impacts bounced less; with corners of 6 mm by %.2f "
               "and %.2f, with corners and inertia fitted by %.2f over whole tosses.", whole, first,
               rigid[TOSS_ROUND].fit.law.x[REAL_RESTITUTION], rigid[TOSS_SHORT + 1].fit.law.x[REAL_RESTITUTION],
               rigid[TOSS_SHAPED].fit.law.x[REAL_RESTITUTION]);
    papers_say(r, "The radius of 6 mm and the factor 1.2 of the rows above come from a coarse scan (0, 3, 6, 10 mm; "
               "0.84, 1, 1.16) over all tosses, the scored ones among them, with the centre of mass as given; what "
               "they gain is an upper estimate.");
    papers_say(r, "Shape: within 0.11 s after the touch the position error of the rigid NCP is %.4f widths with sharp "
               "corners and %.4f with rounded ones; of the soft NCP %.4f and %.4f.",
               rigid[TOSS_SHORT].summary.position.value, rigid[TOSS_SHORT + 1].summary.position.value,
               soft[TOSS_SHORT].summary.position.value, soft[TOSS_SHORT + 1].summary.position.value);
}

/* The two models under all variants, the floor, and friction toss by toss. */
typedef struct {
    real_result soft[TOSS_VARIANTS], rigid[TOSS_VARIANTS];
    toss_growth growth[3];
    toss_variant shape[2];       /* fitted: of the soft and of the rigid model */
    real_summary floor[2], own;  /* floor: one and two frames later */
    double friction[3];
} toss_findings;

static int toss_find(papers_run *r, const real_set *set, const real_halves *h, const real_measured *m,
                     real_terms *terms, toss_findings *f)
{
    const int is_quick = papers_is_quick(r);             /* variants then start from the law of the first one */
    real_search search = real_search_defaults(is_quick);
    int i, g = 0, ok = 1;

    for (i = 0; ok && i < TOSS_SHAPED; ++i) {
        toss_vary(&toss_variants[i], m, terms);
        if (is_quick && i == 1) search.tosses /= 2;
        ok = real_study(r->e->id, set, h, &real_models[TOSS_SOFT_NCP], terms, &search,
                        is_quick && i > 0 ? &f->soft[0].fit.law : NULL, &f->soft[i])
          && real_study(r->e->id, set, h, &real_models[TOSS_NCP], terms, &search,
                        is_quick && i > 0 ? &f->rigid[0].fit.law : NULL, &f->rigid[i]);
        if (g < 3 && i == toss_shown[g])
            ok = ok && toss_grow(r, set, h, terms, &f->soft[i], &f->growth[g++]);
        if (i == TOSS_BASE)
            ok = ok && toss_floor(r, set, h, terms, &f->soft[i], 1, &f->floor[0])
              && toss_floor(r, set, h, terms, &f->soft[i], 2, &f->floor[1])
              && toss_own_friction(r, set, h, terms, &f->soft[i], &f->own, f->friction);
        papers_progress(r, (i + 1.0)/(TOSS_VARIANTS + 4));
    }
    for (i = 0; ok && i < 2; ++i) {
        const real_model *model = &real_models[i ? TOSS_NCP : TOSS_SOFT_NCP];
        real_result *all = i ? f->rigid : f->soft;

        ok = toss_shape(r, set, h, m, model, &all[TOSS_ROUND].fit.law, &f->shape[i]);
        toss_vary(&f->shape[i], m, terms);
        ok = ok && real_study(r->e->id, set, h, model, terms, &search, is_quick ? &all[TOSS_ROUND].fit.law : NULL,
                              &all[TOSS_SHAPED]);
        papers_progress(r, (TOSS_VARIANTS + 2.0*(i + 1))/(TOSS_VARIANTS + 4));
    }
    return ok;
}

static void toss_tell(papers_run *r, const real_halves *h, const toss_findings *f)
{
    const real_summary *s = &f->soft[TOSS_BASE].summary;
    char text[256], law[128];
    int i;

    for (i = 0; i < TOSS_VARIANTS; ++i) {
        const real_result *both[2];
        int k;

        both[0] = &f->soft[i];
        both[1] = &f->rigid[i];
        for (k = 0; k < 2; ++k) {
            real_law_text(both[k]->model, &both[k]->fit.law, law, sizeof law);
            snprintf(text, sizeof text, "%s: %s (%s)", toss_variants[i].name, k ? "NCP (ours)" : "soft NCP (ours)",
                     law);
            toss_number(r, text, "-", &both[k]->summary);
        }
    }
    toss_number(r, "floor: soft NCP from the first row against the same from the second", "-", &f->floor[0]);
    toss_number(r, "... against the same from the third row", "-", &f->floor[1]);
    snprintf(text, sizeof text, "soft NCP, each toss with its own friction (quartiles %.3f, %.3f, %.3f)",
             f->friction[0], f->friction[1], f->friction[2]);
    toss_number(r, text, "-", &f->own);
    papers_check(r, PAPERS_CLAIM, s->position.lo > 2*f->floor[0].position.hi && s->median.lo > 2*f->floor[0].median.hi,
                 "models are far from the floor of the data: soft NCP %.3f widths, median %.1f degrees; the same from "
                 "the next frame differs by %.3f widths, median %.1f degrees", s->position.value, s->median.value,
                 f->floor[0].position.value, f->floor[0].median.value);
    papers_say(r, "Floor: the same toss simulated from neighbouring frames of the recording differs by %.3f widths and "
               "%.1f degrees (median %.1f), %.0f %% of the soft NCP's position error and %.0f %% of its rotation "
               "error. Errors that neighbouring frames have in common, from smoothing, are not in that number; the "
               "start that is fitted to the whole flight has less of them. Scored on %d tosses.",
               f->floor[0].position.value, f->floor[0].rotation.value, f->floor[0].median.value,
               100*f->floor[0].position.value/s->position.value, 100*f->floor[0].rotation.value/s->rotation.value,
               h->nscore);
    papers_say(r, "Friction: if each toss had the friction that suits it best, afterwards, the errors would still be "
               "%.0f %% of those in position and %.0f %% in rotation. Friction that varies from toss to toss cannot "
               "explain more than the rest.", 100*f->own.position.value/s->position.value,
               100*f->own.rotation.value/s->rotation.value);
}

/* What the centre of mass is worth to the rigid NCP, on all tosses that are not fitted, also in quick runs. */
static int toss_com_gain(papers_run *r, const real_set *set, const real_measured *m, const toss_findings *f,
                         real_summary *gain)
{
    const real_search none = { 0, 0, 0, 0, 1 };      /* the fitted law as it is */
    real_result both[2];
    real_halves h;
    int i, ok = 1;

    memset(both, 0, sizeof both);
    real_split(set, 0, &h);
    h.nfit = 1;
    for (i = 0; ok && i < 2; ++i) {
        const int variant = i ? TOSS_BASE : TOSS_GIVEN;
        real_terms terms;

        memset(&terms, 0, sizeof terms);
        terms.dt = set->dt;
        toss_vary(&toss_variants[variant], m, &terms);
        ok = real_study(r->e->id, set, &h, &real_models[TOSS_NCP], &terms, &none, &f->rigid[variant].fit.law, &both[i]);
    }
    if (ok) *gain = real_difference(both[1].scores, both[0].scores, h.nscore, 8);
    for (i = 0; i < 2; ++i) real_free_result(&both[i]);
    real_free_halves(&h);
    return ok;
}

/* Where the centre of mass is, on both halves, and what it is worth. */
static int toss_say_com(papers_run *r, const real_set *set, const real_measured *m, const real_measured *other,
                        const toss_findings *f, int nscore)
{
    const real_summary soft = real_difference(f->soft[TOSS_BASE].scores, f->soft[TOSS_GIVEN].scores, nscore, 8);
    const real_summary *given = &f->soft[TOSS_GIVEN].summary;
    const double *a = m->com, *ea = m->com_error, *b = other->com, *eb = other->com_error;
    int i, k, agree = 1, down[4] = { 0 }, up[4] = { 0 };         /* how often each axis of the body ends so */
    real_summary d;

    if (!toss_com_gain(r, set, m, f, &d)) return 0;
    for (k = 0; k < 3; ++k) agree = agree && fabs(a[k] - b[k]) < 1.96*(ea[k] + eb[k]);
    for (i = 0; i < set->ntosses; ++i) {
        const int face = real_face(&set->rows[set->tosses[i].first + set->tosses[i].count - 1]);

        if (face < 0) ++down[-face];
        else ++up[face];
    }
    toss_difference(r, "soft NCP, centre of mass as measured, less that with the cube as given", &soft);
    toss_difference(r, "NCP, the same, on all tosses that are not fitted", &d);
    papers_check(r, PAPERS_CLAIM, agree, "fitted and scored tosses agree on the centre of mass: in flight it is %.2f, "
                 "%.2f, %.2f (+- %.2f, %.2f, %.2f) mm from the cube's centre, in body axes, and %.2f, %.2f, %.2f (+- "
                 "%.2f, %.2f, %.2f) mm", 1e3*a[0], 1e3*a[1], 1e3*a[2], 1e3*ea[0], 1e3*ea[1], 1e3*ea[2], 1e3*b[0],
                 1e3*b[1], 1e3*b[2], 1e3*eb[0], 1e3*eb[1], 1e3*eb[2]);
    papers_check(r, PAPERS_CLAIM, d.position.hi < 0 && d.rotation.hi < 0, "with the centre of mass of the fitted "
                 "tosses the rigid NCP comes nearer to the scored ones: %+.3f [%+.3f, %+.3f] widths, %+.1f [%+.1f, "
                 "%+.1f] degrees",
                 d.position.value, d.position.lo, d.position.hi, d.rotation.value, d.rotation.lo, d.rotation.hi);
    papers_check(r, PAPERS_FIGURE, given->position.hi < toss_position && given->rotation.hi < toss_rotation
                 && given->median.hi < toss_median, "with the cube as given, its mass in the middle, all intervals of "
                 "the soft NCP are below the numbers to beat, too: %.3f [%.3f, %.3f] of %.3f widths, %.1f [%.1f, %.1f] of "
                 "%.1f degrees, median %.1f [%.1f, %.1f] of %.1f", given->position.value, given->position.lo,
                 given->position.hi, toss_position, given->rotation.value, given->rotation.lo, given->rotation.hi,
                 toss_rotation, given->median.value, given->median.lo, given->median.hi, toss_median);
    papers_say(r, "Centre of mass: a body in flight turns about it, and it falls on a parabola. The recorded centre "
               "does not: it circles, once a turn. Least squares over all flights, a straight line for each toss and "
               "axis, one gravity and one offset for all, weighted by each flight's scatter, give the offset. No "
               "contact model takes part. The tosses end accordingly: +z, the heavy side, is down in %d and up in %d "
               "of them, +x in %d and %d, +y in %d and %d.", down[3], up[3], down[1], up[1], down[2], up[2]);
    return 1;
}

/* Whether a fit that knows more meets the number to beat. */
static void toss_say_shape(papers_run *r, const toss_findings *f, int nscore)
{
    const real_result *soft = &f->soft[TOSS_SHAPED], *rigid = &f->rigid[TOSS_SHAPED];
    const real_summary d = real_difference(soft->scores, f->soft[TOSS_BASE].scores, nscore, 7);

    toss_difference(r, "soft NCP, all this, corners and inertia fitted, less that with the centre of mass alone", &d);
    papers_check(r, PAPERS_FIGURE, soft->summary.position.hi < toss_position, "with the start, the scale, corners and "
                 "inertia known better, too, all of the interval of the soft NCP's position error is below %.3f "
                 "widths: %.3f [%.3f, %.3f]", toss_position, soft->summary.position.value, soft->summary.position.lo,
                 soft->summary.position.hi);
    papers_say(r, "Corners of 0, 3, 6, 9 and 12 mm and an inertia of 1, 1.1 and 1.2 times the given one are chosen "
               "with the law, on the half that is fitted: %.0f mm and %.1f times for the soft NCP, %.0f mm and %.1f "
               "times for the rigid one. There the sums of both errors fall from %.3f and %.3f with sharp corners to "
               "%.3f and %.3f; on the scored half they go from %.3f and %.3f to %.3f and %.3f.",
               1e3*f->shape[0].corner, f->shape[0].inertia, 1e3*f->shape[1].corner, f->shape[1].inertia,
               f->soft[TOSS_FLIGHT + 1].fit.objective, f->rigid[TOSS_FLIGHT + 1].fit.objective, soft->fit.objective,
               rigid->fit.objective, real_objective(f->soft[TOSS_FLIGHT + 1].scores, nscore),
               real_objective(f->rigid[TOSS_FLIGHT + 1].scores, nscore), real_objective(soft->scores, nscore),
               real_objective(rigid->scores, nscore));
    papers_say(r, "Tried on the fitted half besides, without a gain in the sum of both errors: restitution only above "
               "an approach of 0.05 to 1 m/s, other laws of impacts, springs and dampers along the surface of 0.1 to "
               "10 times the normal ones.");
}

static int toss_missing_data(papers_run *r, const toss_findings *f)
{
    FILE *csv = papers_csv(r, NULL);
    int i, k;

    if (!csv) return 0;
    fprintf(csv, "variant,time since the first touch [s],position [widths],rotation [degrees]\n");
    for (i = 0; i < 3; ++i)
        for (k = 0; k < f->growth[i].n; ++k)
            fprintf(csv, "\"%s\",%.6g,%.6g,%.6g\n", toss_variants[toss_shown[i]].name, (double)f->growth[i].time[k],
                    (double)f->growth[i].position[k], (double)f->growth[i].rotation[k]);
    return 1;
}

static int toss_missing(papers_run *r)
{
    toss_findings *f;
    real_measured measured, other;
    real_terms terms;
    real_halves h;
    real_set set;
    const int there = toss_read(r, &set, &terms, &measured);
    int i, ok;

    if (there <= 0) return there == 0;
    f = (toss_findings *)cli_alloc(sizeof *f);
    memset(f, 0, sizeof *f);
    real_split(&set, papers_is_quick(r) ? 48 : 0, &h);
    if (papers_is_quick(r) && h.nfit > 48) h.nfit = 48;
    ok = toss_find(r, &set, &h, &measured, &terms, f) && toss_missing_data(r, f);
    if (ok) {
        other = real_measure(&set, h.score, h.nscore, &terms.body);
        toss_tell(r, &h, f);
        ok = toss_say_com(r, &set, &measured, &other, f, h.nscore);
        toss_say_missing(r, &measured, f->rigid, f->soft, h.nscore);
        toss_say_shape(r, f, h.nscore);
        toss_plot_growth(r, f->growth);
    }
    for (i = 0; i < TOSS_VARIANTS; ++i) real_free_result(&f->rigid[i]);
    toss_free(&set, &h, f->soft, TOSS_VARIANTS);
    free(f);
    return ok;
}

/* ---- */

static const papers_experiment real_list[] = {
    { "real-tosses", "contact models on recorded tosses of a cube",
      "Which contact model predicts a real cube best, when each is fitted as well as it can be? To beat: 0.128 widths, "
      "17.7 degrees, median 8.6 of a first soft NCP; 0.127, 19.7, 10.2 of MuJoCo 2.2.2.",
      "380 recorded tosses of an acrylic cube (ContactNets, CoRL 2020), simulated from their first row to the end at "
      "1/148 s with the midpoint rule and the centre of mass that its flights have. Errors are means over a toss, of "
      "position in cube widths and of the angle between the orientations.",
      "lcp-pgs lcp-lemke ccp-pgs raisim-bisection ncp-pgs default ccp-newton ccp-barrier", 90, 5, toss_models },
    { "real-fine", "the same tosses at a tenth of the step",
      "A finer step does not bring the models nearer to the recording.",
      "As real-tosses, at 1/1480 s and with fewer tosses.",
      "lcp-pgs lcp-lemke ccp-pgs raisim-bisection ncp-pgs default ccp-newton ccp-barrier", 60, 2, toss_fine },
    { "real-missing", "what is missing between the best model and the recording",
      "How far off would a perfect model be, and what would bring ours nearer?",
      "The soft and the rigid NCP with the centre of mass that the flights have, better starts, the measured scale, a "
      "larger inertia, rounded corners and shorter horizons, each fitted anew; the floor of the data is the same toss "
      "from neighbouring frames.",
      "default", 51, 3, toss_missing },
};

const papers_family papers_real = {
    "real", "Recordings of S. Pfrommer, M. Halm, M. Posa: ContactNets. CoRL 2020; in the spirit of B. Acosta, W. Yang, "
    "M. Posa: Validating Robotics Simulators on Real-World Impacts. IEEE RA-L, 2022", real_list,
    (int)(sizeof real_list/sizeof *real_list), "recorded"
};
