/* The frame around every solve, for solver files: checks at its start; statistics and the judge at its end.
 * sol->seconds counts from slip_solver_open() to slip_solver_close(). */
#ifndef SLIP_SOLVERS_FRAME_H
#define SLIP_SOLVERS_FRAME_H

#include "solvers/solver.h"

/* Opens a solve: checks p, opt, sol and the kinds of blocks; solves at once when there are no rows or when lambda = 0
 * solves the model exactly (free flight). Returns 1 to continue; 0 when `*status` is to be returned. *opt is replaced
 * by the defaults when NULL. `takes` as in slip_solver. `storage` holds the defaults. */
int slip_solver_open(const slip_problem *p, slip_contact_model model, unsigned takes,
                     const slip_solver_options **opt, slip_solver_options *storage,
                     slip_solution *sol, slip_status *status);

/* Closes it: copies `lambda` (n), the solver's best iterate, into sol, computes sigma (n: room of the solver's own, not
 * NULL) and the NCP residual, and returns sol->status: `reached` when >= 0 is what the solver says, but SLIP_OK is only
 * passed on when the residual of its model (`model`, by slip_residual_at()) meets the tolerance. The solver sets
 * sol->iterations, and factorizations and rho if it has them, itself, and releases what it took of the arena. A warm
 * start may lie outside of the cones, as mu may have changed: project it. */
slip_status slip_solver_close(const slip_problem *p, const slip_solver_options *opt, const slip_real *lambda,
                              slip_real *sigma, const slip_residual *model, slip_status reached,
                              slip_solution *sol);

/* The same for a sigma that the solver has just computed by slip_problem_sigma for this very lambda, with `ncp` the
 * judge's residual at it (NULL: judged here): saves a product with G, a notable part of the time on small problems. */
slip_status slip_solver_close_at(const slip_problem *p, const slip_solver_options *opt, const slip_real *lambda,
                                 const slip_real *sigma, const slip_residual *model, const slip_residual *ncp,
                                 slip_status reached, slip_solution *sol);

/* For budgets, of `flops` on p: how many sweeps have as many, at least 1; the time, by the budget's pace. */
long slip_budget_units(const slip_problem *p, double flops);
double slip_budget_seconds(const slip_budget *b, double flops);

/* Work of solvers that factor in each iteration, in the form that takes the fewest flops; the same with full matrices;
 * that factor once and then take products. */
slip_work_function slip_work_of_factorisations, slip_work_of_full_factorisations, slip_work_of_products;

/* Calls the history callback, if there is one. */
void slip_solver_report(const slip_solver_options *opt, int iteration, const slip_residual *model, slip_real rho,
                      int factorizations, const slip_real *lambda, const char *phase);

/* Whether a solver can run with these options. SLIP_ERR_ARGUMENT: no solver, or an option out of its range.
 * SLIP_ERR_UNSUPPORTED: more facets than the solver's pyramid has, or the printed stop of a solver for which no paper
 * prints one. */
slip_status slip_solver_check(const slip_solver *solver, const slip_solver_options *opt, slip_error *err);

/* The solver called `id`, NULL when there is none. registry NULL: slip_registry_all(). */
const slip_solver *slip_registry_find(const slip_registry *registry, const char *id);

/* `--like ENGINE`: the solver with the algorithm of an engine, and the engine's parameters set in *opt.
 * ode bullet physx dart mujoco drake raisim dojo simple chrono scs; NULL when unknown. */
const slip_solver *slip_solver_like(const char *engine, slip_solver_options *opt);

#endif
