/* Contact problems for the tools: read into memory of their own, and solved in memory of their own. */
#ifndef SLIP_TOOLS_PROBLEM_FILE_H
#define SLIP_TOOLS_PROBLEM_FILE_H

#include "cli.h"

typedef struct {
    slip_problem p;
    void *memory;
    const char *name;        /* the file's name without folder and ending, from cli_alloc */
} tool_problem;

/* Reads a problem (`-`: standard input); 0, with a message, when it cannot. */
int  tool_problem_load(const char *command, const char *path, tool_problem *t);
void tool_problem_free(tool_problem *t);

/* A solver's scratch, lambda, sigma and dual in one piece of memory. */
typedef struct {
    slip_arena arena;
    void *memory;
    slip_solution sol;
} tool_solve;

void tool_solve_begin(const slip_problem *p, const slip_solver *solver, const slip_solver_options *opt, tool_solve *s);
void tool_solve_end(tool_solve *s);

/* Solves, but not longer than `limit` seconds. *status: "ok" when the judge finds the NCP solved to
 * the tolerance, else why not. Returns the seconds it took. */
double tool_solve_within(const slip_solver *solver, const slip_problem *p, const slip_solver_options *opt,
                         tool_solve *s, double limit, const char **status);

/* The clock that a solve's `seconds` are measured by: processor time. */
double tool_clock(void *context);

#endif
