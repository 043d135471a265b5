/* The operator of a contact problem: G in its three forms, products, blocks, projections, and sweeps over its rows. */
#ifndef SLIP_CONTACT_PROBLEM_OPS_H
#define SLIP_CONTACT_PROBLEM_OPS_H

#include "contact/cone.h"
#include "contact/problem.h"

/* ---- blocks: how many, where block i begins, its rows, its kind -------------------------------------- */

static inline int slip_block_count(const slip_problem *p) { return p->nc + p->nl + p->nb; }
static inline int slip_block_row(const slip_problem *p, int i) { return i < p->nc ? 3*i : 2*p->nc + i; }
static inline int slip_block_dim(const slip_problem *p, int i) { return i < p->nc ? 3 : 1; }
static inline int slip_block_is_contact(const slip_problem *p, int i) { return i < p->nc; }
static inline int slip_block_is_limit(const slip_problem *p, int i) { return i >= p->nc && i < p->nc + p->nl; }
static inline int slip_block_is_bilateral(const slip_problem *p, int i) { return i >= p->nc + p->nl; }

/* ---- forms --------------------------------------------------------------------------------------- */

/* Rewrites p->G in the DENSE form (from any form), in the BLOCKS form (from DENSE: blocks that are all zero
 * are left out; from FACTOR: blocks whose rows share no dof), with memory from the low end of the arena.
 * slip_problem_tidy makes BLOCKS DENSE where operator.h expects fewer flops of that.
 * SLIP_ERR_WORKSPACE leaves p as it was. */
slip_status slip_problem_to_dense(slip_problem *p, slip_arena *arena);
slip_status slip_problem_to_blocks(slip_problem *p, slip_arena *arena);
slip_status slip_problem_tidy(slip_problem *p, slip_arena *arena);

/* The cheap half of slip_problem_check(), O(n) plus one pass over G, without a message: every solver calls it. */
slip_status slip_problem_check_quick(const slip_problem *p);

/* ---- products and blocks -------------------------------------------------------------------------- */

/* y = G x; y has n rows and must not be x. */
void slip_problem_apply(const slip_problem *p, const slip_real *x, slip_real *y);

/* c = G lambda + g;  sigma = (G + R) lambda + g. Outputs have n rows and must not be the input. */
void slip_problem_velocity(const slip_problem *p, const slip_real *lambda, slip_real *c);
void slip_problem_sigma(const slip_problem *p, const slip_real *lambda, slip_real *sigma);

/* B = block (i, j) of G, dim_i x dim_j row-major (at most 9 numbers); zeros when it does not exist. */
void slip_problem_block(const slip_problem *p, int i, int j, slip_real *B);

/* The same for the symmetric part: y = (G + G')x/2; B = block (i, j) of it, padded with zeros to 3x3. The product is
 * for the BLOCKS and FACTOR forms, and for DENSE ones. */
void slip_problem_apply_symmetric(const slip_problem *p, const slip_real *x, slip_real *y);
void slip_problem_block_symmetric(const slip_problem *p, int i, int j, slip_real B[9]);

/* d[n] = the diagonal of G, and A (n x n, leading dimension lda) = G as a full matrix. */
void slip_problem_diagonal(const slip_problem *p, slip_real *d);
void slip_problem_full(const slip_problem *p, slip_real *A, int lda);

/* Largest |G - G'| over largest |G|; 0 for the FACTOR form. */
slip_real slip_problem_asymmetry(const slip_problem *p);

/* y = the projection of x on the product of all blocks' sets (K_mu, >= 0, everything). y may be x. */
void slip_problem_project(const slip_problem *p, const slip_real *x, slip_real *y);

/* s = sigma + Gamma(sigma) for all contacts, s = sigma elsewhere. s may be sigma. */
void slip_problem_desaxce(const slip_problem *p, const slip_real *sigma, slip_real *s);

/* ---- sweeping, for per-contact solvers ------------------------------------------------------------ */

/* For Gauss-Seidel sweeps: c_i = (G lambda + g)_i of one block at the current lambda, which the solver changes block by
 * block. In the DENSE and BLOCKS forms row i is gathered from lambda; in the FACTOR form v = Y' lambda is kept, so each
 * change of lambda_i is passed to slip_sweep_set(): O(row) each way.
 *
 *     slip_sweep s = slip_sweep_begin(p, lambda);
 *     for each block i: slip_sweep_row(&s, i, c);  …new lambda_i…;  slip_sweep_set(&s, i, lambda_i);  */
typedef struct {
    const slip_problem *p;
    slip_real *lambda;       /* n, the solver's own array                     */
} slip_sweep;

slip_sweep slip_sweep_begin(const slip_problem *p, slip_real *lambda);
void       slip_sweep_row(const slip_sweep *s, int i, slip_real *c);
void       slip_sweep_set(slip_sweep *s, int i, const slip_real *lambda_i);

#endif
