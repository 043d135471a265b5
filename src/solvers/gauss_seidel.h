/* The frame of every Gauss-Seidel solver: start, sweeps, block velocities, scalar rows, judging, stalls, end. A solver
 * file keeps the update of one contact, lines 3 and on of its pseudo-code; lines 1 and 2 are
 *
 *     if (!slip_gs_begin(&w, ...)) return w.status;
 *     while (slip_gs_next(&w)) slip_gs_sweep(&w, update);
 *     return slip_gs_end(&w);
 *
 * which is slip_gs_solve, for solvers that have nothing to do between sweeps.
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

    slip_real alpha;             /* RaiSim's own relaxation and its method; free for others               */
    int method;
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

/* One contact: its old impulse and sigma = ((G + R) lambda + g)_i in, the new impulse out. */
typedef void slip_gs_update(const slip_gs *w, const slip_local *k, const slip_real sigma[3], const slip_real old[3],
                            slip_real x[3]);

/* One sweep: every contact by `update`, then limits (a frictionless contact: clipped at 0) and bilateral rows. */
void slip_gs_sweep(slip_gs *w, slip_gs_update *update);

/* Its parts, inline as a sweep does little else: sigma_i = ((G + R) lambda + g)_i at the current impulses;
 * lambda_i <- x of a contact, and book-keeping; the limits and bilateral rows. */
static inline void slip_gs_velocity(const slip_gs *w, int i, slip_real *sigma)
{
    const slip_problem *p = w->p;
    const int row = slip_block_row(p, i), dim = slip_block_dim(p, i);
    int r;

    slip_sweep_row(&w->sweep, i, sigma);
    if (p->R) for (r = 0; r < dim; ++r) sigma[r] += p->R[row + r]*w->lambda[row + r];
}

static inline void slip_gs_set(slip_gs *w, int i, const slip_real *x)
{
    slip_real *l = w->lambda + 3*i, *last = w->last + 3*i;
    const slip_real d0 = x[0] - l[0], d1 = x[1] - l[1], d2 = x[2] - l[2];
    const slip_real size = w->contact[i].size, moved = d0*d0 + d1*d1 + d2*d2;

    w->along += size*(d0*last[0] + d1*last[1] + d2*last[2]);
    w->moved += size*moved;
    w->change = slip_max(w->change, size*size*moved);       /* squared until the sweep ends */
    last[0] = d0;  last[1] = d1;  last[2] = d2;
    if (w->p->G.form == SLIP_G_FACTOR) slip_sweep_set(&w->sweep, i, x);
    else slip_copy3(x, l);
}

void slip_gs_scalars(slip_gs *w);

/* b = sigma - A old: the velocity that contact k would have without its impulse. */
static inline void slip_gs_without(const slip_local *k, const slip_real sigma[3], const slip_real old[3],
                                   slip_real b[3])
{
    slip_mat3_vec(k->A, old, b);
    slip_sub3(sigma, b, b);
}

/* x <- old + relax (x - old) */
void slip_gs_relax(const slip_gs *w, const slip_real old[3], slip_real x[3]);

/* Hands the best iterate over and the arena back. */
slip_status slip_gs_end(slip_gs *w);

/* All of it. */
slip_status slip_gs_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                          slip_arena *scratch, slip_model_kind model, int facets, slip_gs_update *update);

size_t slip_gs_bytes(const slip_problem *p);

#endif
