/* See problem_file.h. */
#include "problem_file.h"

#include <stdlib.h>
#include <string.h>

static char *tool_base_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path, *dot = strrchr(from, '.');
    const size_t length = dot && dot > from ? (size_t)(dot - from) : strlen(from);
    char *name = (char *)cli_alloc(length + 1);

    memcpy(name, from, length);
    name[length] = '\0';
    return name;
}

int tool_problem_load(const char *command, const char *path, tool_problem *t)
{
    size_t length, room;
    char *text = cli_read_file(command, path, &length);
    slip_error err;
    slip_arena mem;
    slip_status s;

    if (!text) return 0;
    room = slip_problem_text_room(length);
    t->memory = cli_alloc(room);
    mem = slip_arena_over(t->memory, room);
    slip_error_clear(&err);
    slip_error_set_file(&err, strcmp(path, "-") == 0 ? "<stdin>" : path);
    s = slip_problem_read(text, length, &mem, &t->p, &err);
    free(text);
    if (s < 0) {
        cli_error(&err);
        free(t->memory);
        return 0;
    }
    t->name = tool_base_name(strcmp(path, "-") == 0 ? "stdin" : path);
    return 1;
}

void tool_problem_free(tool_problem *t)
{
    free((void *)(size_t)t->name);
    free(t->memory);
}

void tool_solve_begin(const slip_problem *p, const char *chain, const slip_solver_options *opt, tool_solve *s)
{
    const size_t n = (size_t)p->n, bytes = slip_solve_bytes(chain, p, opt) + 3*(n*sizeof(slip_real) + SLIP_ALIGN) + 64;
    slip_real *lambda, *sigma, *dual;

    s->memory = cli_alloc(bytes);
    s->arena = slip_arena_over(s->memory, bytes);
    lambda = (slip_real *)slip_arena_take_zero(&s->arena, n, sizeof *lambda);
    sigma = (slip_real *)slip_arena_take_zero(&s->arena, n, sizeof *sigma);
    dual = (slip_real *)slip_arena_take_zero(&s->arena, n, sizeof *dual);
    s->sol = slip_solution_over(lambda, sigma, dual);
}

void tool_solve_end(tool_solve *s)
{
    free(s->memory);
}

double tool_clock(void *context)
{
    (void)context;
    return cli_cpu_seconds();
}
