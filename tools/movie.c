/* Recording of runs; pages and plots of them. See movie.h. */
#include "movie.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

/* ---- recording ---------------------------------------------------------------------------------- */

/* Reads the meshes that are only drawn; one that cannot be read is left out, and its link shows its collider. */
static void movie_read_meshes(const slip_scene *scene, movie *m)
{
    const size_t most = (size_t)1 << 28;
    slip_arena mem;
    int i;

    for (i = 0; i < scene->nvisuals; ++i)
        if (scene->visuals[i].mesh_path && !scene->visuals[i].shape.hull) break;
    if (i == scene->nvisuals) return;
    m->mesh_block = cli_alloc(most);
    mem = slip_arena_over(m->mesh_block, most);
    for (; i < scene->nvisuals; ++i) {
        const slip_visual *v = &scene->visuals[i];

        if (!v->mesh_path || v->shape.hull) continue;
        if (slip_mesh_load(v->mesh_path, v->mesh_scale, &mem, &m->meshes[i], NULL, NULL, NULL) >= 0)
            m->visuals[i].mesh = &m->meshes[i];
    }
}

/* The scene's visuals as the recorder takes them; returns how many can be drawn. */
static int movie_visuals(const slip_scene *scene, movie *m)
{
    int i, n = 0;

    m->visuals = (slip_replay_visual *)cli_alloc((size_t)(scene->nvisuals + 1)*sizeof *m->visuals);
    m->meshes = (slip_trimesh *)cli_alloc((size_t)(scene->nvisuals + 1)*sizeof *m->meshes);
    memset(m->visuals, 0, (size_t)(scene->nvisuals + 1)*sizeof *m->visuals);
    for (i = 0; i < scene->nvisuals; ++i) {
        const slip_visual *v = &scene->visuals[i];

        m->visuals[i].link = v->link;
        m->visuals[i].shape = v->shape;
        m->visuals[i].pose = v->pose;
        memcpy(m->visuals[i].colour, v->colour, sizeof v->colour);
    }
    movie_read_meshes(scene, m);
    for (i = 0; i < scene->nvisuals; ++i) {
        const slip_replay_visual *v = &m->visuals[i];

        if (v->shape.kind == SLIP_SHAPE_MESH && !v->mesh && !v->shape.hull) continue;
        m->visuals[n++] = *v;
    }
    return n;
}

int movie_begin(const char *command, sim_session *s, const char *label, movie *m)
{
    const slip_world_options *o = &s->scene.world.options;
    slip_replay_def def = slip_replay_defaults(&s->scene.world);
    double frames = (double)s->steps*(double)o->dt*(double)def.fps + 3, bytes;
    slip_error err;
    slip_arena mem;
    size_t size;

    memset(m, 0, sizeof *m);
    def.label = label;
    def.nvisuals = movie_visuals(&s->scene, m);
    def.visuals = m->visuals;
    if (o->max_contacts < def.max_contacts) def.max_contacts = o->max_contacts;
    if (frames > (double)s->steps + 3) frames = (double)s->steps + 3;
    bytes = (double)s->scene.model->nbodies*28 + (double)def.max_contacts*sizeof(slip_replay_contact) + 128;
    bytes = frames*bytes + 1e6;
    def.room = bytes < 5e8 ? (size_t)bytes : (size_t)5e8;
    size = slip_replay_bytes(&def);
    m->block = cli_alloc(size);
    mem = slip_arena_over(m->block, size);
    if (slip_replay_create(&def, &mem, &m->rec, &err) < 0) {
        cli_fail(command, "%s", err.what);
        movie_free(m);
        return 0;
    }
    slip_replay_step(m->rec, s->world);
    return 1;
}

void movie_step(movie *m, sim_session *s) { slip_replay_step(m->rec, s->world); }

void movie_end(movie *m, sim_session *s, const sim_result *result)
{
    slip_replay_end(m->rec, s->world);
    slip_replay_clocked(m->rec, result->cpu_seconds, result->steps);
}

void movie_free(movie *m)
{
    free(m->block);
    free(m->mesh_block);
    free(m->visuals);
    free(m->meshes);
    memset(m, 0, sizeof *m);
}

/* ---- comparing ---------------------------------------------------------------------------------- */

double movie_distance(const movie *run, const movie *reference, int frame)
{
    const slip_model *m = slip_replay_def_of(run->rec)->world->model;
    const int last = slip_replay_frames(reference->rec) - 1, at = frame < last ? frame : last;
    double sum = 0;
    int b, n = 0;

    for (b = 1; b < m->nbodies; ++b) {
        slip_pose A, B;

        if (m->parent[b] != 0) continue;
        slip_replay_pose(run->rec, frame, b, &A);
        slip_replay_pose(reference->rec, at, b, &B);
        sum += (double)slip_distance3(A.p, B.p);
        ++n;
    }
    return n ? sum/n : 0;
}

double movie_distance_max(const movie *run, const movie *reference)
{
    double most = 0;
    int f;

    for (f = 0; f < slip_replay_frames(run->rec); ++f) {
        const double d = movie_distance(run, reference, f);

        if (!(d <= most)) most = d;
    }
    return most;
}

/* ---- writing ------------------------------------------------------------------------------------ */

static const char *movie_label(const movie *m)
{
    const slip_replay_def *d = slip_replay_def_of(m->rec);

    return d->label ? d->label : d->solver->id;
}

int movie_write_html(const char *command, const char *path, const slip_scene *scene, const movie *runs, int n,
                     int reference, const char *how)
{
    const slip_replay **list = (const slip_replay **)cli_alloc((size_t)n*sizeof *list);
    FILE *f = output_open(command, path);
    slip_replay_page page;
    slip_stream out;
    int i;

    for (i = 0; i < n; ++i) list[i] = runs[i].rec;
    memset(&page, 0, sizeof page);
    page.title = scene->name && scene->name[0] ? scene->name : scene->file;
    page.about = scene->about;
    page.command = how;
    if (scene->camera.given) {
        slip_copy3(scene->camera.eye, page.camera.eye);
        slip_copy3(scene->camera.target, page.camera.target);
    }
    page.camera.fov = scene->camera.fov;
    page.camera.follow = scene->camera.follow;
    page.nruns = n;
    page.runs = list;
    page.reference = reference;
    if (f) slip_stream_file(f, &out);
    if (f) slip_replay_write(&page, &out);
    free(list);
    return f && output_close(command, path, f);
}

/* A colour of the plots' palette for each model, as on the page; the reference is black. Dashes tell relatives
 * apart. */
static int movie_colour(const movie *m)
{
    const slip_solver *s = slip_replay_def_of(m->rec)->solver;

    if (slip_replay_def_of(m->rec)->label) return 7;
    switch (s->model) {
    case SLIP_MODEL_LCP: return 2;
    case SLIP_MODEL_CCP: return 1;
    case SLIP_MODEL_RAISIM: return 3;
    case SLIP_MODEL_BARRIER: return 6;
    default: return 4;
    }
}

/* Series of all runs for one plot. */
typedef struct { slip_plot_series *series; slip_real *values; int n; } movie_plot;

static movie_plot movie_plot_of(const movie *runs, int n, int per_run)
{
    movie_plot p;
    size_t total = 0;
    slip_real *at;
    int i, k;

    for (i = 0; i < n; ++i) total += (size_t)slip_replay_frames(runs[i].rec)*(size_t)(per_run + 1);
    p.n = n*per_run;
    p.series = (slip_plot_series *)cli_alloc((size_t)p.n*sizeof *p.series);
    p.values = at = (slip_real *)cli_alloc(total*sizeof *at);
    memset(p.series, 0, (size_t)p.n*sizeof *p.series);
    for (i = 0; i < n; ++i) {
        const int frames = slip_replay_frames(runs[i].rec);
        slip_real *x = at;
        int f;

        for (f = 0; f < frames; ++f) x[f] = slip_replay_time(runs[i].rec, f);
        at += frames;
        for (k = 0; k < per_run; ++k, at += frames) {
            slip_plot_series *s = &p.series[i*per_run + k];

            s->name = movie_label(&runs[i]);
            s->colour = n > 1 ? movie_colour(&runs[i]) : 0;
            s->x = x;
            s->y = at;
            s->n = frames;
        }
    }
    return p;
}

static slip_real *movie_values(movie_plot *p, int series)
{
    return p->values + (p->series[series].y - p->values);
}

static int movie_write_plot(const char *command, const char *directory, const char *name, const slip_plot *plot)
{
    char path[1024];

    if (slip_format(path, (int)sizeof path, "%s/%s.svg", directory, name) >= (int)sizeof path)
        return cli_fail(command, "the directory's name is too long"), 0;
    return output_plot(command, path, plot);
}

/* One curve a run. */
static int movie_plot_curve(const char *command, const char *directory, const char *name, const movie *runs, int n,
                            slip_curve curve, const char *title, const char *label, int log_y)
{
    movie_plot p = movie_plot_of(runs, n, 1);
    slip_plot plot;
    int i, f, ok;

    for (i = 0; i < n; ++i)
        for (f = 0; f < p.series[i].n; ++f) movie_values(&p, i)[f] = slip_replay_value(runs[i].rec, f, curve);
    memset(&plot, 0, sizeof plot);
    plot.title = title;
    plot.x_label = "time [s]";
    plot.y_label = label;
    plot.log_y = log_y;
    plot.nseries = p.n;
    plot.series = p.series;
    ok = movie_write_plot(command, directory, name, &plot);
    free(p.series);
    free(p.values);
    return ok;
}

/* Several curves of one run under their own names; `zero`: the second from its lowest value, and their sum third. */
static int movie_plot_run(const char *command, const char *directory, const char *name, const movie *run,
                          const slip_curve curve[2], int sum, const char *title, const char *label)
{
    movie_plot p = movie_plot_of(run, 1, sum ? 3 : 2);
    slip_plot plot;
    slip_real low = 0;
    int f, k, ok;

    for (f = 0; f < p.series[0].n; ++f)
        for (k = 0; k < 2; ++k) {
            const slip_real y = slip_replay_value(run->rec, f, curve[k]);

            movie_values(&p, k)[f] = y;
            if (sum && k == 1) low = f ? slip_min(low, y) : y;
        }
    for (f = 0; sum && f < p.series[0].n; ++f) {
        movie_values(&p, 1)[f] -= low;
        movie_values(&p, 2)[f] = p.series[0].y[f] + p.series[1].y[f];
    }
    for (k = 0; k < 2; ++k) p.series[k].name = slip_curve_name(curve[k]);
    if (sum) p.series[2].name = "sum";
    memset(&plot, 0, sizeof plot);
    plot.title = title;
    plot.x_label = "time [s]";
    plot.y_label = label;
    plot.nseries = p.n;
    plot.series = p.series;
    ok = movie_write_plot(command, directory, name, &plot);
    free(p.series);
    free(p.values);
    return ok;
}

/* Distance from the reference over time, and the first body's path seen from above. */
static int movie_plot_against(const char *command, const char *directory, const movie *runs, int n, int reference)
{
    movie_plot p = movie_plot_of(runs, n, 1), path = movie_plot_of(runs, n, 2);
    slip_plot plot;
    int i, f, ok;

    for (i = 0; i < n; ++i)
        for (f = 0; f < p.series[i].n; ++f) {
            slip_pose X;

            slip_replay_pose(runs[i].rec, f, 1, &X);
            movie_values(&p, i)[f] = (slip_real)movie_distance(&runs[i], &runs[reference], f);
            movie_values(&path, 2*i)[f] = X.p[0];
            movie_values(&path, 2*i + 1)[f] = X.p[1];
        }
    for (i = 0; i < n; ++i) {
        const slip_real *x = path.series[2*i].y, *y = path.series[2*i + 1].y;

        path.series[i] = path.series[2*i];
        path.series[i].x = x;
        path.series[i].y = y;
    }
    memset(&plot, 0, sizeof plot);
    plot.title = "Distance from the reference";
    plot.x_label = "time [s]";
    plot.y_label = "distance [m]";
    plot.nseries = n;
    plot.series = p.series;
    ok = movie_write_plot(command, directory, "distance", &plot);
    plot.title = "Path of the first body, from above";
    plot.x_label = "x [m]";
    plot.y_label = "y [m]";
    plot.equal = 1;
    plot.series = path.series;
    ok = ok && movie_write_plot(command, directory, "path", &plot);
    free(p.series);
    free(p.values);
    free(path.series);
    free(path.values);
    return ok;
}

int movie_can_write_svg(const char *command, const char *directory)
{
    char path[1024];

    if (!cli_make_directory(command, directory)) return 0;
    if (slip_format(path, (int)sizeof path, "%s/energy.svg", directory) >= (int)sizeof path)
        return cli_fail(command, "the directory's name is too long"), 0;
    return output_can_open(command, path);
}

int movie_write_svg(const char *command, const char *directory, const movie *runs, int n, int reference)
{
    static const slip_curve energy[2] = { SLIP_CURVE_KINETIC, SLIP_CURVE_POTENTIAL };
    static const slip_curve force[2] = { SLIP_CURVE_NORMAL, SLIP_CURVE_TANGENT };
    int ok;

    if (n == 1)
        ok = movie_plot_run(command, directory, "energy", runs, energy, 1, "Energy", "energy [J]")
          && movie_plot_run(command, directory, "forces", runs, force, 0, "Contact forces, summed", "force [N]");
    else
        ok = movie_plot_curve(command, directory, "energy", runs, n, SLIP_CURVE_KINETIC, "Kinetic energy",
                              "energy [J]", 0)
          && movie_plot_curve(command, directory, "forces", runs, n, SLIP_CURVE_NORMAL, "Normal forces, summed",
                              "force [N]", 0);
    ok = ok && movie_plot_curve(command, directory, "residual", runs, n, SLIP_CURVE_RESIDUAL, "Residual of the NCP",
                                "largest \xce\xb5 of a step", 1)
            && movie_plot_curve(command, directory, "penetration", runs, n, SLIP_CURVE_PENETRATION, "Penetration",
                                "deepest overlap [m]", 0);
    return ok && (reference < 0 || slip_replay_def_of(runs[0].rec)->world->model->nbodies < 2
                  || movie_plot_against(command, directory, runs, n, reference));
}

char *movie_command_line(int argc, char **argv)
{
    size_t n = 16;
    char *text;
    int i;

    for (i = 0; i < argc; ++i) n += strlen(argv[i]) + 1;
    text = (char *)cli_alloc(n);
    strcpy(text, "slipstick");
    for (i = 0; i < argc; ++i) {
        strcat(text, " ");
        strcat(text, argv[i]);
    }
    return text;
}
