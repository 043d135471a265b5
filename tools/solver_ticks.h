/* The properties of LL Tab. II, measured for a solver; and the table of the last measurement, which `slipstick solvers`
 * shows and `slipstick solvers --measure` checks. */
#ifndef SLIP_TOOLS_SOLVER_TICKS_H
#define SLIP_TOOLS_SOLVER_TICKS_H

#include "cli.h"

enum {
    TICK_SIGNORINI,          /* a cube slides: |lambda_n sigma_n| over |lambda| |g|                                */
    TICK_COULOMB,            /* the same: |lambda_T| - mu lambda_n over |lambda|                                   */
    TICK_DISSIPATION,        /* the same: angle between lambda_T and -sigma_T [rad], or share of the power left    */
    TICK_NO_SHIFT,           /* a cube sticks: |G lambda + g| over |g|                                             */
    TICK_NO_INTERNAL,        /* it sticks while a push grows: |lambda in the null space of G| over |lambda|        */
    TICK_ROBUST,             /* 10^3 kg on 10^-3 kg: residual over the tolerance 1e-6, 1000 iterations             */
    TICK_CONVERGES,          /* random problems: how many of them are not solved to 1e-6                           */
    TICKS
};

/* Names as in JSON, and the seven letters. */
extern const char *const solver_tick_names[TICKS];
extern const char solver_tick_letters[];

typedef struct { double value[TICKS]; unsigned ticks; } solver_ticks;        /* bit k: property k is kept */

/* The largest value that keeps a property. */
double solver_tick_limit(int k);

typedef struct solver_ticks_bench solver_ticks_bench;

/* Makes the problems; NULL after a message. */
solver_ticks_bench *solver_ticks_new(const char *command);
void solver_ticks_free(solver_ticks_bench *b);

/* Measures a solver with given options, of which those of stopping are replaced. */
void solver_ticks_measure(solver_ticks_bench *b, const slip_solver *solver, const slip_solver_options *opt,
                          solver_ticks *t);

/* Ticks as seven letters, a dot for a property that is not kept. */
void solver_ticks_text(unsigned ticks, char text[TICKS + 1]);

/* The letters of a solver in the committed table (solver_ticks_table.h), NULL when it is not there. */
const char *solver_ticks_known(const char *id);

#endif
