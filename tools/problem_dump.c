/* Writes the contact problems of a run to files. See problem_dump.h. */
#include "problem_dump.h"

#include <errno.h>
#include <string.h>

static void dump_path(const problem_dump *d, const char *end, char *path, int size)
{
    char which[16] = "";

    if (d->solve > 1) slip_format(which, (int)sizeof which, "-%d", d->solve);
    snprintf(path, (size_t)size, "%s/step%06ld%s%s", d->folder, d->step, which, end);
}

static void dump_failed(problem_dump *d, const char *path)
{
    if (!d->failed) cli_fail("sim", "cannot write '%s': %s", path, strerror(errno));
    d->failed = 1;
}

static void dump_numbers(FILE *f, int n, const slip_real *x)
{
    char text[SLIP_NUMBER_SIZE];
    int i;

    for (i = 0; i < n; ++i) {
        slip_print_real(x[i], 0, text);
        fprintf(f, "%s\n", text);
    }
}

/* What the solve starts from, a number a line: n impulses, n dual variables, rho. */
static void dump_start(problem_dump *d, int n, const slip_solution *start)
{
    char path[1024];
    FILE *f;

    dump_path(d, ".warm", path, (int)sizeof path);
    f = fopen(path, "w");
    if (!f) { dump_failed(d, path); return; }
    dump_numbers(f, n, start->lambda);
    dump_numbers(f, n, start->dual);
    dump_numbers(f, 1, &start->rho);
    if (fclose(f) != 0) dump_failed(d, path);
}

static void dump_problem(void *context, const slip_problem *p, const slip_solution *start)
{
    problem_dump *d = (problem_dump *)context;
    const long step = slip_world_steps(d->world);
    char path[1024], name[256];
    slip_stream out;
    FILE *f;
    int bad;

    if (step % d->every != 0 || d->failed) return;
    d->solve = d->written > 0 && step == d->step ? d->solve + 1 : 1;
    d->step = step;
    dump_path(d, ".txt", path, (int)sizeof path);
    f = fopen(path, "w");
    if (!f) { dump_failed(d, path); return; }
    slip_stream_file(f, &out);
    slip_format(name, (int)sizeof name, "%s, step %d", d->scene, (int)step);
    bad = slip_problem_write(p, name, d->source, &out) < 0;
    if (fclose(f) != 0 || bad) { dump_failed(d, path); return; }
    if (start->warm) dump_start(d, p->n, start);
    ++d->written;
}

int problem_dump_begin(const char *command, const char *folder, long every, const char *source, sim_session *s,
                       problem_dump *d)
{
    slip_world_options *o = slip_world_options_of(s->world);

    memset(d, 0, sizeof *d);
    d->folder = folder;
    d->source = source;
    d->every = every;
    d->world = s->world;
    d->scene = s->scene.name[0] ? s->scene.name : s->scene.file;
    if (!cli_make_directory(command, folder)) return 0;
    o->on_problem = dump_problem;
    o->problem_context = d;
    return 1;
}
