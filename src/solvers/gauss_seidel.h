/* The frame of every Gauss-Seidel solver: start, block velocities, scalar rows, judging, stalls, end. A solver file
 * keeps the loop and the update of one contact, and so reads like its pseudo-code:
 *
 *     if (!slip_gs_begin(&w, ...)) return w.status;
 *     while (slip_gs_next(&w)) {
 *         for (i = 0; i < p->nc; ++i) {
 *             slip_gs_velocity(&w, i, sigma);
 *             ...new impulse x of contact i...
 *             slip_gs_set(&w, i, x);
 *         }
 *         slip_gs_scalars(&w);
 *     }
 *     return slip_gs_end(&w);
 *
 * Private to src/solvers. */
#ifndef SLIP_SOLVERS_GAUSS_SEIDEL_H
#define SLIP_SOLVERS_GAUSS_SEIDEL_H

#include "solvers/local.h"
#include "solvers/solver.h"

typedef struct slip_gs slip_gs;

/* The criterion of a model that residual.h does not know; sigma = (G + R) lambda + g. */
typedef void slip_gs_judge(const slip_gs *w, const slip_real *lambda, const slip_real *sigma, slip_residual *r);

struct slip_gs {
    const slip_problem *p;
    const slip_solver_options *opt;
    slip_solver_options storage;
    slip_solution *sol;
    slip_arena *arena;
    size_t mark;
    slip_model_kind model;
    int facets;
    slip_gs_judge *judge;        /* NULL: slip_residual_at                                                */

    slip_sweep sweep;
    slip_local *contact;         /* nc                                                                    */
    slip_real *scalar;           /* nl + nb: 1/(G + R)_ii                                                 */
    slip_real *lambda, *best;    /* n                                                                     */
    slip_real *sigma;            /* n, scratch of the judge                                               */
    slip_real *last;             /* n, the change of each block in its last update                        */

    slip_real relax;             /* current relaxation: the option's, less where the sweep circles        */
    slip_real change, before;    /* largest change of this sweep and of the last, as a velocity [m/s]     */
    slip_real along, moved;      /* sums of d.d_last and d.d over the sweep: circling shows as along < 0  */
    slip_real target;            /* judge when the change is below                                        */
    slip_real best_excess;
    slip_real mark_excess, mark_comp;   /* residuals when there was progress last                         */
    slip_residual now, best_residual;
    int sweeps, limit;
    int next_check, mark_sweep, circling, dampings, judged, last_is_best;
    slip_status status;
};

/* Opens the solve. Returns 0 when w->status is to be returned at once. */
int slip_gs_begin(slip_gs *w, const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                  slip_arena *scratch, slip_model_kind model, int facets, slip_gs_judge *judge);

/* Judges when it is time to; 0 when the loop is over. */
int slip_gs_next(slip_gs *w);

/* sigma_i = ((G + R) lambda + g)_i at the current impulses. */
void slip_gs_velocity(const slip_gs *w, int i, slip_real *sigma);

/* lambda_i <- x, and book-keeping. */
void slip_gs_set(slip_gs *w, int i, const slip_real *x);

/* One sweep over limits (a frictionless contact: clipped at 0) and bilateral rows (not clipped). */
void slip_gs_scalars(slip_gs *w);

/* Hands the best iterate over and the arena back. */
slip_status slip_gs_end(slip_gs *w);

size_t slip_gs_bytes(const slip_problem *p);

#endif
