/* Paths of a body and how far they are apart. See slide_path.h. */
#include "slide_path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct { slide_path *path; slip_real ground; } path_context;

static int path_step(void *context, sim_session *s, long k)
{
    path_context *c = (path_context *)context;
    slide_path *p = c->path;
    slip_real kinetic, potential;

    slip_world_energy(s->world, &kinetic, &potential);
    p->time[p->n] = (slip_real)(p->dt*(double)k);
    p->energy[p->n] = kinetic + potential - c->ground;
    memcpy(p->x + 3*p->n, slip_world_q(s->world), 3*sizeof(slip_real));
    ++p->n;
    return 1;
}

int slide_path_run(sim_session *s, slide_path *path)
{
    sim_observer observer = { path_step, 1, NULL };
    path_context c;
    sim_result result;
    slip_real unused;

    memset(path, 0, sizeof *path);
    path->time = (slip_real *)cli_alloc((size_t)(s->steps + 1)*sizeof *path->time);
    path->energy = (slip_real *)cli_alloc((size_t)(s->steps + 1)*sizeof *path->energy);
    path->x = (slip_real *)cli_alloc(3*(size_t)(s->steps + 1)*sizeof *path->x);
    path->dt = (double)slip_world_options_of(s->world)->dt;
    c.path = path;
    slip_world_energy(s->world, &unused, &c.ground);
    observer.context = &c;
    sim_run(s, &observer, &result);
    path->missed = result.missed;
    path->iterations = result.iterations_mean;
    if (result.status >= 0) return 1;
    cli_error(slip_world_error(s->world));
    slide_path_free(path);
    return 0;
}

void slide_path_free(slide_path *path)
{
    free(path->time);
    free(path->energy);
    free(path->x);
    memset(path, 0, sizeof *path);
}

/* The step of b at the time of step k of a, or -1 when b has none. */
static long path_match(const slide_path *a, const slide_path *b, long k)
{
    const long ratio = lround(a->dt/b->dt), at = ratio*(k + 1) - 1;

    return at < b->n ? at : -1;
}

double slide_path_apart(const slide_path *a, const slide_path *b)
{
    double sum = 0;
    long k, at;

    for (k = 0; k < a->n && (at = path_match(a, b, k)) >= 0; ++k) {
        slip_real d[3];

        slip_sub3(a->x + 3*k, b->x + 3*at, d);
        sum += (double)slip_norm3(d)*a->dt;
    }
    return sum;
}

double slide_path_energy_apart(const slide_path *a, const slide_path *b)
{
    double most = 0;
    long k, at;

    for (k = 0; k < a->n && (at = path_match(a, b, k)) >= 0; ++k)
        most = fmax(most, fabs((double)(a->energy[k] - b->energy[at])));
    return most;
}
