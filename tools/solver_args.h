/* Options of contact solvers on the command line: the same for solve, sim, compare and bench. The names are those of
 * the attributes of <solver> in scenes (docs/scenes.md), with dashes: rho_rule is --rho-rule. */
#ifndef SLIP_TOOLS_SOLVER_ARGS_H
#define SLIP_TOOLS_SOLVER_ARGS_H

#include "cli.h"

enum { SOLVER_ARGS_MOST = 64, SOLVER_ARGS_VALUE = 48 };

typedef struct {
    const slip_solver *list[SOLVER_ARGS_MOST];      /* --solver, in the order given; `all` gives all of them      */
    int count;
    const char *like[SOLVER_ARGS_MOST];             /* --like, engines                                            */
    int likes;
    const char *name[SOLVER_ARGS_MOST];             /* options given: name as in scenes, and value                */
    char value[SOLVER_ARGS_MOST][SOLVER_ARGS_VALUE];
    int options;
    int cold;                                       /* --cold: no warm starts                                     */
} solver_args;

/* Help texts of these options: the first on the choice of the solver, the second on its options. */
extern const char solver_args_help_solver[];
extern const char solver_args_help_options[];

/* Takes the option that was met. 1: taken; 0: it is not one of these; -1: refused, after a message. */
int solver_args_take(cli_args *args, solver_args *a);

/* Adds an option by its name in scenes; 0, after a message, when name or value are not allowed. */
int solver_args_set(const char *command, solver_args *a, const char *name, const char *value);

/* At most one solver may have been given: 0, after a message, when there are more. */
int solver_args_one(const cli_args *args, const solver_args *a);

/* Whether a solver (NULL: not known yet) can run with the options given: 0, after a message, when it cannot. */
int solver_args_check(const cli_args *args, const solver_args *a, const slip_solver *solver, const char *engine);

/* The one solver given by --solver or --like; NULL: none. */
const slip_solver *solver_args_solver(const solver_args *a);

/* Puts an engine's parameters (NULL: none) and then the options given into *o. */
void solver_args_apply(const solver_args *a, const char *engine, slip_solver_options *o);

/* Whether a tolerance, or another option by its name in scenes, was given. */
int solver_args_has(const solver_args *a, const char *name);

/* Warns on stderr of options given that none of the solvers reads; returns how many those are. */
int solver_args_warn(const char *command, const solver_args *a, const slip_solver *const *solvers, int count,
                     int quiet);

/* `"options": {...}` of JSON: those that the solver reads, and those of stopping. */
void solver_args_json(FILE *out, const slip_solver *solver, const slip_solver_options *o);

#endif
