/* Studies of recorded tosses: fit on one half, score on the other, plots and pages. See real.h. */
#include "movie.h"
#include "real.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- halves ------------------------------------------------------------------------------------------------------ */

void real_split(const real_set *set, int most_scored, real_halves *h)
{
    int i, all;

    memset(h, 0, sizeof *h);
    h->fit = (int *)cli_alloc((size_t)set->ntosses*sizeof *h->fit);
    h->score = (int *)cli_alloc((size_t)set->ntosses*sizeof *h->score);
    for (all = 0; all < 2 && !(h->nfit > 0 && h->nscore > 0); ++all) {
        h->is_split = !all;
        h->nfit = h->nscore = 0;
        for (i = 0; i < set->ntosses; ++i) {
            if (all || set->tosses[i].number%2 == 0) h->fit[h->nfit++] = i;
            if (all || set->tosses[i].number%2 != 0) h->score[h->nscore++] = i;
        }
    }
    if (most_scored <= 0 || h->nscore <= most_scored) return;
    for (i = 0; i < most_scored; ++i) h->score[i] = h->score[(long)i*h->nscore/most_scored];   /* evenly spread */
    h->nscore = most_scored;
}

void real_free_halves(real_halves *h)
{
    free(h->fit);
    free(h->score);
    memset(h, 0, sizeof *h);
}

/* ---- a study ----------------------------------------------------------------------------------------------------- */

int real_study(const char *command, const real_set *set, const real_halves *h, const real_model *model,
               const real_terms *terms, const real_search *search, const real_law *from, real_result *result)
{
    const double before = cli_cpu_seconds();
    real_stage stage;
    int i;

    memset(result, 0, sizeof *result);
    result->model = model;
    if (!real_open(command, model, terms, 0, &stage)) return 0;
    real_fit_model(&stage, set, h->fit, h->nfit, search, from, &result->fit);
    result->scores = (real_score *)cli_alloc((size_t)h->nscore*sizeof *result->scores);
    for (i = 0; i < h->nscore; ++i) {
        result->scores[i] = real_simulate(&stage, set, &set->tosses[h->score[i]], &result->fit.law, 0, NULL);
        result->missed += result->scores[i].missed;
    }
    real_close(&stage);
    result->summary = real_summarise(result->scores, h->nscore, 1);
    result->seconds = cli_cpu_seconds() - before;
    return 1;
}

void real_free_result(real_result *result)
{
    free(result->scores);
    memset(result, 0, sizeof *result);
}

int real_best(const real_result *results, int n)
{
    int i, best = 0;

    for (i = 1; i < n; ++i)
        if (results[i].fit.objective < results[best].fit.objective) best = i;
    return best;
}

void real_law_text(const real_model *model, const real_law *law, char *text, size_t size)
{
    size_t used = 0;
    int k;

    text[0] = '\0';
    for (k = 0; k < REAL_PARAMETERS && used < size; ++k)
        if (model->parameters & 1U << k)
            used += (size_t)snprintf(text + used, size - used, "%s%s %.3g", used ? ", " : "", real_parameter_names[k],
                                     law->x[k]);
}

/* ---- plots ------------------------------------------------------------------------------------------------------- */

static int real_ascending(const void *a, const void *b)
{
    const slip_real x = *(const slip_real *)a, y = *(const slip_real *)b;

    return x < y ? -1 : x > y;
}

void real_distribution(const real_result *results, int n, int nscore, int is_rotation, slip_real *store,
                       slip_plot_series *series, slip_plot *plot)
{
    const double degrees = 180/acos(-1.0);
    int i, k;

    memset(series, 0, (size_t)n*sizeof *series);
    memset(plot, 0, sizeof *plot);
    for (i = 0; i < n; ++i) {
        slip_real *x = store + (size_t)2*(size_t)i*(size_t)nscore, *y = x + nscore;

        for (k = 0; k < nscore; ++k) {
            const real_score *s = &results[i].scores[k];

            x[k] = (slip_real)(is_rotation ? degrees*s->rotation : s->position);
            y[k] = (slip_real)((k + 1.0)/nscore);
        }
        qsort(x, (size_t)nscore, sizeof *x, real_ascending);
        series[i].name = results[i].model->name;
        series[i].x = x;
        series[i].y = y;
        series[i].n = nscore;
    }
    plot->title = is_rotation ? "Rotation error of a toss" : "Position error of a toss";
    plot->x_label = is_rotation ? "mean over the toss [degrees]" : "mean over the toss [cube widths]";
    plot->y_label = "share of tosses below";
    plot->log_x = 1;
    plot->width = 760;
    plot->y_hi = 1;
    plot->nseries = n;
    plot->series = series;
}

/* ---- a page ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const real_row *rows;
    int n;
    movie *film;
} real_show;

/* Moves the ghost to the row that the step leads to. The steps are as long as the rows are apart. */
static void real_lead_ghost(void *context, slip_world *world)
{
    const real_show *show = (const real_show *)context;
    const long step = slip_world_steps(world) + 1;
    const real_row *row = &show->rows[step < show->n ? step : show->n - 1];
    slip_real q[7], v[6], conj[4], u[3];
    int k;

    for (k = 0; k < 3; ++k) { q[k] = (slip_real)row->p[k];  u[k] = (slip_real)row->v[k]; }
    for (k = 0; k < 4; ++k) q[3 + k] = (slip_real)row->q[k];
    slip_quat_conj(q + 3, conj);
    slip_quat_rotate(conj, u, v);
    for (k = 0; k < 3; ++k) v[3 + k] = (slip_real)row->w[k];
    slip_world_prescribe(world, slip_world_model(world)->body_joint[2], q, v);
}

static int real_film_step(void *context, sim_session *s, long k)
{
    const real_show *show = (const real_show *)context;

    (void)k;
    movie_step(show->film, s);
    return 1;
}

/* One model's toss; 0 after a message. */
static int real_film(const char *command, const real_set *set, const real_toss *toss, const real_terms *terms,
                     const real_result *result, real_stage *stage, movie *film)
{
    sim_observer observer = { real_film_step, 1, NULL };
    slip_real *q;
    real_show show;
    sim_result r;
    real_row start;
    int at, k;

    if (!real_open(command, result->model, terms, 1, stage)) return 0;
    at = real_start_of(set, toss, terms, 0, &start);
    real_set_law(stage, &result->fit.law);
    real_begin(stage, &start);
    show.rows = &set->rows[toss->first + at];
    show.n = toss->count - at;
    show.film = film;
    q = slip_world_q(stage->session.world) + 7;              /* the ghost's, behind the cube's */
    for (k = 0; k < 3; ++k) q[k] = (slip_real)show.rows[0].p[k];
    for (k = 0; k < 4; ++k) q[3 + k] = (slip_real)show.rows[0].q[k];
    slip_snapshot_save(stage->session.world, stage->session.snapshot);
    stage->session.steps = show.n - 1;
    stage->session.controller.update = real_lead_ghost;
    stage->session.controller.context = &show;
    observer.context = &show;
    if (!movie_begin(command, &stage->session, result->model->name, film)) return 0;
    sim_run(&stage->session, &observer, &r);
    movie_end(film, &stage->session, &r);
    return 1;
}

int real_page(const char *command, const char *path, const real_set *set, const real_toss *toss,
              const real_terms *terms,
              const real_result *results, int n, const char *how)
{
    enum { MOST = REAL_MODELS };
    real_stage stages[MOST];
    movie films[MOST];
    real_terms t = *terms;
    int i, ok = 1;

    memset(stages, 0, sizeof stages);
    memset(films, 0, sizeof films);
    if (n > MOST) n = MOST;
    t.dt = set->dt;
    for (i = 0; ok && i < n; ++i) ok = real_film(command, set, toss, &t, &results[i], &stages[i], &films[i]);
    ok = ok && movie_write_html(command, path, &stages[0].session.scene, films, n, -1, how);
    for (i = 0; i < n; ++i) {
        movie_free(&films[i]);
        real_close(&stages[i]);
    }
    return ok;
}
