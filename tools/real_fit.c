/* Fits contact models to recorded tosses, and says how sure a score is. See real.h. */
#include "real.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The bounds of each parameter, how many points of the coarse grid lie between them, and whether they lie evenly in the
 * logarithm. Stiffness: from a static sag of 1 cm under the cube's weight on four points to an impact of a tenth of a
 * millisecond; damping: from none that matters in a toss to one that stops a corner at once. Time constants below two
 * steps count as two steps (docs/engines.md). */
typedef struct { double lo, hi; int grid, is_log; } real_bound;
enum { REAL_EVERYWHERE = 8 };    /* spacings of the grid: more than any of them has */
static const real_bound real_bounds[REAL_PARAMETERS] = {
    { 0.02, 0.6, 6, 1 }, { 0, 0.6, 4, 0 }, { 1e2, 1e6, 4, 1 }, { 0.3, 300, 3, 1 }, { 1e-2, 30, 5, 1 },
    { 2e-3, 0.1, 4, 1 }, { 0.3, 10, 3, 1 } };

double real_objective(const real_score *scores, int n)
{
    double sum = 0;
    int i;

    for (i = 0; i < n; ++i) sum += scores[i].position + scores[i].rotation/2;
    return sum/n;
}

real_search real_search_defaults(int is_quick)
{
    const real_search full = { 0, 32, 2, 6, 1 }, quick = { 24, 8, 1, 5, 1 };

    return is_quick ? quick : full;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

typedef struct {
    real_stage *stage;
    const real_set *set;
    int *list, n;                /* tosses, shuffled: the first ones are a sample of all                            */
    real_score *scores;
    real_law law;                /* in the search's coordinates: logarithms where bounds say so                     */
    int evaluations;
} real_task;

static double real_to(int k, double x) { return real_bounds[k].is_log ? log(x) : x; }
static double real_from(int k, double y) { return real_bounds[k].is_log ? exp(y) : y; }

/* The objective on the first n tosses. */
static double real_value(real_task *t, const real_law *law, int n)
{
    real_law plain;
    int i;

    for (i = 0; i < REAL_PARAMETERS; ++i) plain.x[i] = real_from(i, law->x[i]);
    for (i = 0; i < n; ++i) t->scores[i] = real_simulate(t->stage, t->set, &t->set->tosses[t->list[i]], &plain, 0,
                                                         NULL);
    ++t->evaluations;
    return real_objective(t->scores, n);
}

static double real_spacing(int k)
{
    return (real_to(k, real_bounds[k].hi) - real_to(k, real_bounds[k].lo))/(real_bounds[k].grid - 1);
}

/* The best point of the grid, counted through like digits. */
static void real_grid(real_task *t, int n)
{
    int digit[REAL_PARAMETERS] = { 0 }, k;
    double best = HUGE_VAL;
    const real_law start = t->law;

    for (;;) {
        real_law law = start;
        double value;

        for (k = 0; k < REAL_PARAMETERS; ++k)
            if (t->stage->model->parameters & 1U << k)
                law.x[k] = real_to(k, real_bounds[k].lo) + digit[k]*real_spacing(k);
        value = real_value(t, &law, n);
        if (value < best) { best = value;  t->law = law; }
        for (k = 0; k < REAL_PARAMETERS; ++k) {
            if (!(t->stage->model->parameters & 1U << k)) continue;
            if (++digit[k] < real_bounds[k].grid) break;
            digit[k] = 0;
        }
        if (k == REAL_PARAMETERS) return;
    }
}

/* Golden-section search of parameter k within +-reach of where it is; keeps the best point met, t->law among them,
whose
 * value is *best. */
static void real_golden(real_task *t, int k, double reach, int evaluations, double *best)
{
    const double ratio = (sqrt(5.0) - 1)/2, lo = real_to(k, real_bounds[k].lo), hi = real_to(k, real_bounds[k].hi);
    double a = fmax(lo, t->law.x[k] - reach), b = fmin(hi, t->law.x[k] + reach), x[2], f[2];
    real_law law = t->law;
    int i, next = -1;            /* the point that is to be evaluated: 0, 1; -1: both */

    for (i = 0; i < evaluations; ++i) {
        const int side = next < 0 ? i : next;

        x[side] = side ? a + ratio*(b - a) : b - ratio*(b - a);
        law.x[k] = x[side];
        f[side] = real_value(t, &law, t->n);
        if (f[side] < *best) { *best = f[side];  t->law = law; }
        if (i == 0) continue;
        if (f[0] < f[1]) { b = x[1];  x[1] = x[0];  f[1] = f[0];  next = 0; }
        else { a = x[0];  x[0] = x[1];  f[0] = f[1];  next = 1; }
    }
}

/* The tosses in an order that depends on the seed alone. */
static void real_shuffle(int *list, int n, uint64_t seed)
{
    slip_random rng = slip_random_seed(seed);
    int i;

    for (i = n - 1; i > 0; --i) {
        const int j = slip_random_int(&rng, 0, i), keep = list[i];

        list[i] = list[j];
        list[j] = keep;
    }
}

void real_fit_model(real_stage *stage, const real_set *set, const int *list, int n, const real_search *search,
                    const real_law *from, real_fit *fit)
{
    real_task t;
    const int has_grid = !from && search->grid_tosses > 0;
    double reach = 1;
    int k, round;

    memset(&t, 0, sizeof t);
    t.stage = stage;
    t.set = set;
    t.list = (int *)cli_alloc((size_t)n*sizeof *t.list);
    t.scores = (real_score *)cli_alloc((size_t)n*sizeof *t.scores);
    memcpy(t.list, list, (size_t)n*sizeof *t.list);
    real_shuffle(t.list, n, search->seed);
    t.n = search->tosses > 0 && search->tosses < n ? search->tosses : n;
    for (k = 0; k < REAL_PARAMETERS; ++k)
        t.law.x[k] = from ? real_to(k, from->x[k]) : (real_to(k, real_bounds[k].lo) + real_to(k, real_bounds[k].hi))/2;
    if (has_grid) real_grid(&t, search->grid_tosses < t.n ? search->grid_tosses : t.n);
    else if (!from) reach = REAL_EVERYWHERE;
    fit->objective = real_value(&t, &t.law, t.n);
    for (round = 0; round < search->rounds; ++round, reach = fmin(1, reach)/2)
        for (k = 0; k < REAL_PARAMETERS; ++k)
            if (stage->model->parameters & 1U << k)
                real_golden(&t, k, reach*real_spacing(k), search->golden, &fit->objective);
    if (t.n < n) fit->objective = real_value(&t, &t.law, n);
    for (k = 0; k < REAL_PARAMETERS; ++k)            /* what the model does not have is 0 */
        fit->law.x[k] = stage->model->parameters & 1U << k ? real_from(k, t.law.x[k]) : 0;
    fit->evaluations = t.evaluations;
    free(t.list);
    free(t.scores);
}

/* ---- statistics -------------------------------------------------------------------------------------------------- */

enum { REAL_RESAMPLES = 1000, REAL_MEASURES = 4 };

void real_quartiles(double *x, int n, double quartiles[3])
{
    int i;

    real_sort(x, n);
    for (i = 0; i < 3; ++i) quartiles[i] = x[(long)(i + 1)*(n - 1)/4];
}

/* The four measures of the tosses that `pick` names (NULL: all of them once); scratch: n doubles. */
static void real_measures(const real_score *s, const int *pick, int n, double *scratch, double out[REAL_MEASURES])
{
    const double degrees = 180/acos(-1.0);
    int i;

    out[0] = out[1] = out[3] = 0;
    for (i = 0; i < n; ++i) {
        const real_score *x = &s[pick ? pick[i] : i];

        out[0] += x->position/n;
        out[1] += degrees*x->rotation/n;
        scratch[i] = degrees*x->rotation;
        out[3] += 100.0*x->face/n;
    }
    out[2] = real_median(scratch, n);
}

/* Measures of a, or with b of a less those of b on the same tosses, with the central 95 % of resampled tosses. */
static real_summary real_bootstrap(const real_score *a, const real_score *b, int n, uint64_t seed)
{
    slip_random rng = slip_random_seed(seed);
    double *all = (double *)cli_alloc(REAL_MEASURES*REAL_RESAMPLES*sizeof *all);
    double *scratch = (double *)cli_alloc((size_t)n*sizeof *scratch), x[REAL_MEASURES], y[REAL_MEASURES] = { 0 };
    int *pick = (int *)cli_alloc((size_t)n*sizeof *pick), i, k;
    real_interval out[REAL_MEASURES];
    real_summary summary;

    real_measures(a, NULL, n, scratch, x);
    if (b) real_measures(b, NULL, n, scratch, y);
    for (k = 0; k < REAL_MEASURES; ++k) out[k].value = x[k] - y[k];
    for (i = 0; i < REAL_RESAMPLES; ++i) {
        for (k = 0; k < n; ++k) pick[k] = slip_random_int(&rng, 0, n - 1);
        real_measures(a, pick, n, scratch, x);
        if (b) real_measures(b, pick, n, scratch, y);
        for (k = 0; k < REAL_MEASURES; ++k) all[k*REAL_RESAMPLES + i] = x[k] - y[k];
    }
    for (k = 0; k < REAL_MEASURES; ++k) {
        real_sort(all + k*REAL_RESAMPLES, REAL_RESAMPLES);
        out[k].lo = all[k*REAL_RESAMPLES + REAL_RESAMPLES/40];
        out[k].hi = all[k*REAL_RESAMPLES + REAL_RESAMPLES - 1 - REAL_RESAMPLES/40];
    }
    summary.position = out[0];
    summary.rotation = out[1];
    summary.median = out[2];
    summary.face = out[3];
    free(all);
    free(scratch);
    free(pick);
    return summary;
}

real_summary real_summarise(const real_score *scores, int n, uint64_t seed) { return real_bootstrap(scores, NULL, n,
                                                                                                    seed); }

real_summary real_difference(const real_score *a, const real_score *b, int n, uint64_t seed)
{
    return real_bootstrap(a, b, n, seed);
}
