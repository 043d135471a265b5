/* The code around the loops of the Gauss-Seidel solvers: start, block velocities, limits and bilateral rows, judging,
 * stalls, end. A solver file holds the loop itself:
 *
 *     if (!slip_gs_begin(&w, ...)) return w.status;
 *     while (slip_gs_next(&w)) {                                 one sweep each
 *         for (i = 0; i < p->nc; ++i) {
 *             slip_gs_velocity(&w, i, sigma);
 *             ...the solver's update of contact i from sigma and w.lambda + 3*i to x...
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

/* The stopping rules that HW Sec. V-C prints, for SLIP_STOP_PRINTED; both are below `tol`, as sums over all contacts:
 * UPDATES: norms of the impulses' changes in the sweep, and penetration velocities as the sweep met them (PGS);
 * VIOLATIONS: by how much the impulses break the physical constraints (bisection). */
typedef enum { SLIP_GS_NO_RULE, SLIP_GS_UPDATES, SLIP_GS_VIOLATIONS } slip_gs_rule;

typedef struct {
    const slip_problem *p;
    const slip_solver_options *opt;
    slip_solver_options storage;
    slip_solution *sol;
    slip_arena *arena;
    size_t mark;
    slip_contact_model model;
    int facets;

    slip_sweep sweep;
    slip_local *contact;         /* nc                                                                    */
    slip_real *scalar;           /* nl + nb: 1/(G + R)_ii                                                 */
    slip_real *lambda, *best;    /* n                                                                     */
    slip_real *sigma;            /* n, scratch of the judge                                               */
    slip_real *L, *step;         /* nb x nb: Cholesky factor of G + R of the bilateral rows; nb           */
    int together;                /* 1: L is there                                                         */
    slip_real *aside;            /* nv, the sweep's Y'lambda while an iterate is reported                 */

    slip_real relax;             /* factor of every step: the option's, halved by a damped stall          */
    slip_real change, before;    /* largest change of this sweep and of the last, as a velocity [m/s]     */
    slip_real target;            /* judge when the change is below                                        */
    slip_real best_excess, mark_excess;   /* of the best iterate; when it last fell by a per cent         */
    slip_residual best_residual;
    int sweeps, limit, next_check, mark_sweep;
    int may_damp;                /* 0; 1: the first stall halves `relax` instead of ending the solve      */
    int judged, sigma_is_best;   /* an iterate was judged; w->sigma belongs to the best one               */
    slip_gs_rule rule;           /* by which the solve ends; NO_RULE: at the true criterion               */
    slip_real error, mark_error; /* UPDATES: of this sweep; when it last fell by a per cent               */
    slip_status status;
} slip_gs;

/* Opens the solve. Returns 0 when w->status is to be returned at once. */
int slip_gs_begin(slip_gs *w, const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                  slip_arena *scratch, slip_contact_model model, int facets);

/* After slip_gs_begin(): the solver's paper prints this rule; it counts when the options ask for the printed one. */
static inline void slip_gs_print_rule(slip_gs *w, slip_gs_rule rule)
{
    if (w->opt->stop == SLIP_STOP_PRINTED) w->rule = rule;
}

/* Adds the change of a contact from `old` to x, and its penetration velocity -v_n, to the sum of UPDATES. */
static inline void slip_gs_add_update(slip_gs *w, const slip_real *old, const slip_real *x, slip_real v_n)
{
    if (w->rule == SLIP_GS_UPDATES) w->error += slip_distance3(old, x) + slip_max(0, -v_n);
}

/* Between sweeps: judges when due, calls the history callback; 0 when the loop is over. */
int slip_gs_next(slip_gs *w);

/* sigma_i = ((G + R) lambda + g)_i at the current impulses. Inline, since a sweep spends most of its time here. */
static inline void slip_gs_velocity(const slip_gs *w, int i, slip_real *sigma)
{
    const slip_problem *p = w->p;
    const int row = slip_block_row(p, i), dim = slip_block_dim(p, i);
    int r;

    slip_sweep_row(&w->sweep, i, sigma);
    if (p->R) for (r = 0; r < dim; ++r) sigma[r] += p->R[row + r]*w->lambda[row + r];
}

/* lambda_i <- x of contact i; notes the size of the change. */
static inline void slip_gs_set(slip_gs *w, int i, const slip_real *x)
{
    const slip_real *l = w->lambda + 3*i;
    const slip_real d0 = x[0] - l[0], d1 = x[1] - l[1], d2 = x[2] - l[2], size = w->contact[i].size;

    w->change = slip_max(w->change, size*size*(d0*d0 + d1*d1 + d2*d2));     /* squared until the sweep ends */
    if (w->p->G.form == SLIP_G_FACTOR) slip_sweep_set(&w->sweep, i, x);
    else slip_copy3(x, w->lambda + 3*i);
}

/* Limits (frictionless contacts: clipped at 0) one after the other, then bilateral rows (not clipped) as one block. */
void slip_gs_scalars(slip_gs *w);

/* b = sigma - A old: the velocity that contact k would have without its impulse. */
static inline void slip_gs_without(const slip_local *k, const slip_real sigma[3], const slip_real old[3],
                                   slip_real b[3])
{
    slip_mat3_vec(k->A, old, b);
    slip_sub3(sigma, b, b);
}

/* x <- old + factor (x - old) */
static inline void slip_gs_blend(slip_real factor, const slip_real old[3], slip_real x[3])
{
    slip_sub3(x, old, x);
    slip_axpy3(factor, x, old, x);
}

/* Line 5 of lcp-pgs and ncp-pgs: x from old, with v = (G lambda + g)_T; `minimise` over the section of radius r is
 * slip_local_box or slip_local_disc. */
static inline void slip_gs_tangents(const slip_gs *w, const slip_local *k, const slip_real v[2], slip_real r,
                                    const slip_real old[2], slip_local_section *minimise, slip_real x[2])
{
    const slip_real most = slip_max(k->diag[0], k->diag[1]), least = slip_min(k->diag[0], k->diag[1]);
    const slip_real d = w->opt->step == SLIP_STEP_MAX ? most : least, step = d > 0 ? w->relax/d : 0;
    slip_real b[2];

    if (w->opt->step == SLIP_STEP_BLOCK) {
        b[0] = v[0] - k->A[0]*old[0] - k->A[1]*old[1];
        b[1] = v[1] - k->A[1]*old[0] - k->A[4]*old[1];
        minimise(k, b, r, x);
        x[0] = old[0] + w->relax*(x[0] - old[0]);
        x[1] = old[1] + w->relax*(x[1] - old[1]);
    } else {
        x[0] = old[0] - step*v[0];
        x[1] = old[1] - step*v[1];
    }
}

/* Returns the best iterate in sol and releases the arena. */
slip_status slip_gs_end(slip_gs *w);

slip_bytes_function slip_gs_bytes;

#endif
