/* Predictions, plots and pages of a fit. See fit.h. */
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "motion_file.h"
#include "movie.h"
#include "output.h"

static long fit_report_steps(const fit_log *log, double dt, int first, int row)
{
    return (long)floor((log->time[row] - log->time[first])/dt + 0.5);
}

/* ---- predictions ------------------------------------------------------------------------------------------------ */

/* A run on an open stage. */
static int fit_predict_on(fit_stage *st, const fit_log *log, int run, slip_real *q)
{
    const slip_model *m = st->scene->model;
    const fit_run *r = &log->runs[run];
    const double dt = (double)st->scene->world.options.dt;
    long step = 0;
    int k;

    fit_stage_put(st, log->time[r->first], log->q + (size_t)r->first*(size_t)m->nq,
                  log->v + (size_t)r->first*(size_t)m->nv);
    memcpy(q, slip_world_q(st->base.world), (size_t)m->nq*sizeof *q);
    for (k = 1; k < r->count; ++k) {
        const long to = fit_report_steps(log, dt, r->first, r->first + k);
        const size_t row = (size_t)(r->first + k - 1);

        for (; step < to; ++step)
            if (!fit_stage_step(st, log->time[r->first] + (double)step*dt,
                                log->has_tau ? log->tau + row*(size_t)m->nv : NULL, NULL, NULL)) return 0;
        memcpy(q + k*m->nq, slip_world_q(st->base.world), (size_t)m->nq*sizeof *q);
    }
    return 1;
}

int fit_predict(const char *command, const slip_scene *scene, const fit_log *log, int run, const fit_set *set,
                const double *x, slip_real *q)
{
    fit_counts counts;
    fit_stage st;
    int ok;

    memset(&counts, 0, sizeof counts);
    ok = fit_stage_open(command, scene, set, x, 0, &counts, &st) && fit_predict_on(&st, log, run, q);
    fit_stage_close(&st);
    return ok;
}

/* Which velocity coordinates turn. */
static void fit_turning(const slip_model *m, int *turns)
{
    int d;

    for (d = 0; d < m->ndofs; ++d)
        if (!m->mimics[m->dof_body[d]]) turns[m->dof_iv[d]] = m->dof_angular[d];
}

int fit_score(const char *command, const slip_scene *scene, const fit_log *log, const unsigned char *chosen,
              const fit_set *set, const double *x, double rms[2])
{
    const slip_model *m = scene->model;
    slip_real *q = (slip_real *)cli_alloc((size_t)log->n*(size_t)m->nq*sizeof *q);
    slip_real *e = (slip_real *)cli_alloc((size_t)(m->nv + 1)*sizeof *e);
    int *turns = (int *)cli_alloc((size_t)(m->nv + 1)*sizeof *turns), i, k, iv, ok;
    double sum[2] = { 0, 0 };
    long rows = 0;
    fit_counts counts;
    fit_stage st;

    memset(&counts, 0, sizeof counts);
    fit_turning(m, turns);
    ok = fit_stage_open(command, scene, set, x, 0, &counts, &st);
    for (i = 0; ok && i < log->nruns; ++i) {
        if (!chosen[i]) continue;
        ok = fit_predict_on(&st, log, i, q);
        for (k = 1; ok && k < log->runs[i].count; ++k, ++rows) {
            slip_difference(m, q + k*m->nq, log->q + (size_t)(log->runs[i].first + k)*(size_t)m->nq, e);
            for (iv = 0; iv < m->nv; ++iv) sum[turns[iv]] += (double)(e[iv]*e[iv]);
        }
    }
    fit_stage_close(&st);
    for (i = 0; i < 2; ++i) rms[i] = rows > 0 ? sqrt(sum[i]/(double)rows) : 0;
    free(q);
    free(e);
    free(turns);
    return ok;
}

/* ---- plots ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const slip_model *m;
    const fit_log *log;
    const fit_run *run;
    slip_real *q[2];             /* [count][nq] before and after */
    slip_real *time, *y[3];      /* [count]                      */
} fit_picture;

static int fit_plot_error(const char *command, const char *prefix, const fit_picture *p)
{
    slip_real *e = (slip_real *)cli_alloc((size_t)(p->m->nv + 1)*sizeof *e);
    slip_plot_series series[2];
    char path[512];
    slip_plot plot;
    int i, k, iv, ok;

    memset(series, 0, sizeof series);
    memset(&plot, 0, sizeof plot);
    for (i = 0; i < 2; ++i) {
        for (k = 0; k < p->run->count; ++k) {
            double sum = 0;

            slip_difference(p->m, p->q[i] + k*p->m->nq,
                            p->log->q + (size_t)(p->run->first + k)*(size_t)p->m->nq, e);
            for (iv = 0; iv < p->m->nv; ++iv) sum += (double)(e[iv]*e[iv]);
            p->y[i][k] = (slip_real)sqrt(sum);
        }
        series[i].name = i ? "after the fit" : "before the fit";
        series[i].x = p->time;
        series[i].y = p->y[i];
        series[i].n = p->run->count;
    }
    plot.title = "Error of the prediction from the first row";
    plot.x_label = "time [s]";
    plot.y_label = "norm over all coordinates [m, rad]";
    plot.nseries = 2;
    plot.series = series;
    slip_format(path, (int)sizeof path, "%s-error.svg", prefix);
    ok = output_plot(command, path, &plot);
    free(e);
    return ok;
}

/* The coordinate that is farthest off before the fit. */
static int fit_worst(const fit_picture *p)
{
    double most = -1;
    int i, k, worst = 0;

    for (i = 0; i < p->m->nq; ++i)
        for (k = 0; k < p->run->count; ++k) {
            const double d = fabs((double)(p->q[0][k*p->m->nq + i]
                                           - p->log->q[(size_t)(p->run->first + k)*(size_t)p->m->nq + (size_t)i]));

            if (d > most) { most = d;  worst = i; }
        }
    return worst;
}

static int fit_plot_motion(const char *command, const char *prefix, const fit_picture *p)
{
    static const char *const names[] = { "recorded", "before the fit", "after the fit" };
    enum { DOTS = 60 };                              /* more of them hide the lines */
    const int i = fit_worst(p), n = p->run->count, every = 1 + n/DOTS;
    slip_plot_series series[3];
    char path[512], name[256];
    slip_plot plot;
    int k, s;

    memset(series, 0, sizeof series);
    memset(&plot, 0, sizeof plot);
    for (s = 0; s < 3; ++s) {
        for (k = 0; k < n; ++k)
            p->y[s][k] = s ? p->q[s - 1][k*p->m->nq + i]
                : p->log->q[(size_t)(p->run->first + k)*(size_t)p->m->nq + (size_t)i];
        series[s].name = names[s];
        series[s].x = p->time;
        series[s].y = p->y[s];
        series[s].n = n;
        series[s].style = s ? SLIP_PLOT_LINE : SLIP_PLOT_POINTS;
    }
    for (k = 0; k < n; ++k) if (k%every) p->y[0][k] = (slip_real)NAN;
    motion_name(p->m, 1, "", i, name, sizeof name);
    plot.title = "The coordinate that was farthest off";
    plot.x_label = "time [s]";
    plot.y_label = name;
    plot.nseries = 3;
    plot.series = series;
    slip_format(path, (int)sizeof path, "%s-motion.svg", prefix);
    return output_plot(command, path, &plot);
}

int fit_plot(const char *command, const char *prefix, const slip_scene *scene, const fit_log *log, int run,
             const fit_set *set, const double *before, const double *after)
{
    const size_t n = (size_t)log->runs[run].count;
    fit_picture p;
    size_t k;
    int i, ok;

    p.m = scene->model;
    p.log = log;
    p.run = &log->runs[run];
    p.time = (slip_real *)cli_alloc(n*sizeof(slip_real));
    for (i = 0; i < 2; ++i) p.q[i] = (slip_real *)cli_alloc(n*(size_t)p.m->nq*sizeof(slip_real));
    for (i = 0; i < 3; ++i) p.y[i] = (slip_real *)cli_alloc(n*sizeof(slip_real));
    for (k = 0; k < n; ++k) p.time[k] = (slip_real)(log->time[p.run->first + (int)k] - log->time[p.run->first]);
    ok = fit_predict(command, scene, log, run, set, before, p.q[0])
      && fit_predict(command, scene, log, run, set, after, p.q[1])
      && fit_plot_error(command, prefix, &p) && fit_plot_motion(command, prefix, &p);
    free(p.time);
    for (i = 0; i < 2; ++i) free(p.q[i]);
    for (i = 0; i < 3; ++i) free(p.y[i]);
    return ok;
}

/* ---- a page with a ghost ---------------------------------------------------------------------------------------- */

#define FIT_GHOST_OPACITY SLIP_R(0.35)

typedef struct {
    sim_session session;
    slip_link_def *links;
    slip_joint_def *joints;
    char *names;
    slip_visual *visuals;
    slip_real *q, *v;
    slip_drive *drives;
    void *model_block;
    const fit_log *log;
    const fit_run *run;
    const slip_model *single;    /* without the ghost */
    movie film;
} fit_show;

/* The description twice: links and joints of the ghost behind the others. */
static void fit_double_def(const slip_scene *s, fit_show *show, slip_model_def *def)
{
    enum { NAME = 160 };
    const int nl = s->def.nlinks, nj = s->def.njoints;
    int i;

    *def = s->def;
    def->nlinks = 2*nl;
    def->njoints = 2*nj;
    def->links = show->links = (slip_link_def *)cli_alloc((size_t)(2*nl + 1)*sizeof *show->links);
    def->joints = show->joints = (slip_joint_def *)cli_alloc((size_t)(2*nj + 1)*sizeof *show->joints);
    show->names = (char *)cli_alloc((size_t)(nl + nj + 1)*NAME);
    memcpy(show->links, s->def.links, (size_t)nl*sizeof *show->links);
    memcpy(show->links + nl, s->def.links, (size_t)nl*sizeof *show->links);
    memcpy(show->joints, s->def.joints, (size_t)nj*sizeof *show->joints);
    memcpy(show->joints + nj, s->def.joints, (size_t)nj*sizeof *show->joints);
    for (i = 0; i < nl; ++i) {
        show->links[nl + i].name = show->names + i*NAME;
        slip_format(show->names + i*NAME, NAME, "recorded %s", s->def.links[i].name);
    }
    for (i = 0; i < nj; ++i) {
        slip_joint_def *j = &show->joints[nj + i];

        j->name = show->names + (nl + i)*NAME;
        slip_format(show->names + (nl + i)*NAME, NAME, "recorded %s", s->def.joints[i].name);
        if (j->parent >= 0) j->parent += nl;
        j->child += nl;
        if (j->mimic >= 0) j->mimic += nj;
    }
}

static int fit_is_drawn(const slip_scene *s, int link)
{
    int i;

    for (i = 0; i < s->nvisuals; ++i) if (s->visuals[i].link == link) return 1;
    return 0;
}

/* The scene's visuals, and see-through ones of the ghost: those of the link, or its colliders. */
static void fit_double_visuals(const slip_scene *s, fit_show *show)
{
    static const slip_real orange[4] = { SLIP_R(0.95), SLIP_R(0.5), SLIP_R(0.1), FIT_GHOST_OPACITY };
    const int nl = s->def.nlinks;
    slip_scene *out = &show->session.scene;
    int i, n = s->nvisuals;

    show->visuals = (slip_visual *)cli_alloc((size_t)(2*s->nvisuals + s->world.ncolliders + 1)*sizeof *show->visuals);
    memcpy(show->visuals, s->visuals, (size_t)n*sizeof *show->visuals);
    for (i = 0; i < s->nvisuals; ++i) {
        if (s->visuals[i].link < 0 || s->model->link_body[s->visuals[i].link] == 0) continue;
        show->visuals[n] = s->visuals[i];
        show->visuals[n].link += nl;
        memcpy(show->visuals[n++].colour, orange, sizeof orange);
    }
    for (i = 0; i < s->world.ncolliders; ++i) {
        const slip_collider_def *c = &s->world.colliders[i];

        if (c->link < 0 || s->model->link_body[c->link] == 0 || fit_is_drawn(s, c->link)) continue;
        memset(&show->visuals[n], 0, sizeof *show->visuals);
        show->visuals[n].link = c->link + nl;
        show->visuals[n].shape = c->shape;
        show->visuals[n].pose = c->pose;
        memcpy(show->visuals[n++].colour, orange, sizeof orange);
    }
    out->visuals = show->visuals;
    out->nvisuals = n;
}

/* The ghost's joints to row k. */
static void fit_lead(const fit_show *show, slip_world *w, long k, int is_start)
{
    const slip_model *m = show->single, *both = slip_world_model(w);
    const slip_real *q = show->log->q + (size_t)(show->run->first + k)*(size_t)m->nq;
    const slip_real *v = show->log->v + (size_t)(show->run->first + k)*(size_t)m->nv;
    int b;

    for (b = 1; b < m->nbodies; ++b) {
        const int joint = m->body_joint[b], there = joint + m->njoints;
        const int body = both->joint_body[there];

        if (m->mimics[b]) continue;
        if (!is_start) slip_world_prescribe(w, there, q + m->iq[b], v + m->dof_iv[m->idof[b]]);
        else memcpy(slip_world_q(w) + both->iq[body], q + m->iq[b],
                    (size_t)slip_joint_nq((slip_joint_type)m->type[b])*sizeof *q);
    }
}

/* A world with the ghost in it, at the start of the run. 0 after a message. */
static int fit_show_open(const char *command, const slip_scene *s, fit_show *show)
{
    slip_scene *out = &show->session.scene;
    slip_model_def def;
    slip_error err;
    slip_arena mem;
    slip_status status;
    const size_t room = (size_t)1 << 24;
    int nv, nq;

    *out = *s;
    fit_double_def(s, show, &def);
    slip_error_clear(&err);
    show->model_block = cli_alloc(room);
    mem = slip_arena_over(show->model_block, room);
    status = slip_model_build(&def, &mem, &out->model, NULL, &err);
    if (status < 0) return cli_fail(command, "%s", err.what), 0;
    nq = out->model->nq;
    nv = out->model->nv;
    out->def = def;
    out->world.model = out->model;
    fit_double_visuals(s, show);
    show->q = out->q = (slip_real *)cli_alloc((size_t)nq*sizeof *out->q);
    show->v = out->v = (slip_real *)cli_alloc((size_t)nv*sizeof *out->v);
    show->drives = out->drives = (slip_drive *)cli_alloc((size_t)nv*sizeof *out->drives);
    slip_neutral(out->model, out->q);
    memset(out->v, 0, (size_t)nv*sizeof *out->v);
    memset(out->drives, 0, (size_t)nv*sizeof *out->drives);
    memcpy(out->q, show->log->q + (size_t)show->run->first*(size_t)s->model->nq,
           (size_t)s->model->nq*sizeof *out->q);
    memcpy(out->v, show->log->v + (size_t)show->run->first*(size_t)s->model->nv,
           (size_t)s->model->nv*sizeof *out->v);
    memcpy(out->drives, s->drives, (size_t)s->model->nv*sizeof *out->drives);
    show->session.world_bytes = slip_world_bytes(&out->world);
    show->session.world_block = cli_alloc(show->session.world_bytes);
    mem = slip_arena_over(show->session.world_block, show->session.world_bytes);
    status = slip_scene_start(out, &mem, &show->session.world, NULL, &err);
    if (status < 0) return cli_fail(command, "%s", err.what), 0;
    fit_lead(show, show->session.world, 0, 1);
    return 1;
}

/* Steps to the end of the run; the ghost reaches the recording's rows with the steps that end there. */
static int fit_show_run(fit_show *show)
{
    slip_world *w = show->session.world;
    const double dt = (double)show->session.scene.world.options.dt;
    const int first = show->run->first;
    long step = 0;
    int k;

    for (k = 1; k < show->run->count; ++k) {
        const long to = fit_report_steps(show->log, dt, first, first + k);

        for (; step < to; ++step) {
            slip_scene_apply_at(&show->session.scene, w, (slip_real)(show->log->time[first] + (double)step*dt));
            if (show->log->has_tau)
                memcpy(slip_world_tau(w), show->log->tau + (size_t)(first + k - 1)*(size_t)show->single->nv,
                       (size_t)show->single->nv*sizeof(slip_real));
            fit_lead(show, w, step + 1 == to ? k : k - 1, 0);
            if (slip_step(w) < 0) return 0;
            slip_replay_step(show->film.rec, w);
        }
    }
    return 1;
}

int fit_page(const char *command, const char *path, const slip_scene *scene, const fit_log *log, int run,
             const fit_set *set, const double *x, const char *how)
{
    fit_plant plant;
    fit_show show;
    int ok;

    memset(&show, 0, sizeof show);
    if (!fit_plant_open(command, scene, set, x, &plant)) return 0;
    show.log = log;
    show.run = &log->runs[run];
    show.single = plant.scene.model;
    ok = fit_show_open(command, &plant.scene, &show);
    if (ok) {
        show.session.steps = fit_report_steps(log, (double)scene->world.options.dt, show.run->first,
                                              show.run->first + show.run->count - 1);
        ok = movie_begin(command, &show.session, "fitted; the ghost is the recording", &show.film)
          && (fit_show_run(&show) || (cli_fail(command, "%s", slip_world_error(show.session.world)->what), 0));
    }
    if (ok) {
        slip_replay_end(show.film.rec, show.session.world);
        ok = movie_write_html(command, path, &show.session.scene, &show.film, 1, -1, how);
    }
    movie_free(&show.film);
    free(show.links); free(show.joints); free(show.names); free(show.visuals); free(show.q); free(show.v);
    free(show.drives); free(show.model_block); free(show.session.world_block);
    fit_plant_close(&plant);
    return ok;
}
