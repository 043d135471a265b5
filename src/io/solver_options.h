/* Options of solvers by name: the attributes of <solver> in scenes, and `--name value` of the command. One table holds
 * the names, the values allowed and which solvers read them. */
#ifndef SLIP_IO_SOLVER_OPTIONS_H
#define SLIP_IO_SOLVER_OPTIONS_H

#include "solvers/solver.h"

/* The names, 0 <= i < slip_solver_option_count(); NULL outside. */
int slip_solver_option_count(void);
const char *slip_solver_option_name(int i);

/* SLIP_READS_... of option i: solvers without it ignore the option. 0: all solvers read it. */
unsigned slip_solver_option_reads(int i);

/* Sets the option called `name` from text[0..length). SLIP_ERR_ARGUMENT when there is no such option (err: which ones
 * there are) or the value is not allowed (err->what: "expected ..."); o is then as before. */
slip_status slip_solver_option_set(slip_solver_options *o, const char *name, const char *text, int length,
                                   slip_error *err);

/* The value of option i as text, which slip_solver_option_set() reads back to the same bits. */
enum { SLIP_SOLVER_OPTION_TEXT = 40 };
void slip_solver_option_text(const slip_solver_options *o, int i, char text[SLIP_SOLVER_OPTION_TEXT]);

/* Whether option i is 0 and the solver takes a value of its own for that. */
int slip_solver_option_is_own(const slip_solver_options *o, int i);

/* Whether option i is a word (a rule) rather than a number. */
int slip_solver_option_is_word(int i);

/* Engines that slip_solver_like() knows, separated by blanks. */
const char *slip_solver_engines(void);

#endif
