/* The one contact problem: blocks of rows over one Delassus operator (PAPERS.md Sec. 1).
 *
 *     sigma = (G + R) lambda + g        lambda [N s], sigma, g [m/s], G [1/kg], R >= 0 diagonal [1/kg]
 *
 *     contact    rows t1, t2, n   K_mu  lambda in K_mu,  sigma + Gamma(sigma) in K*_mu,  orthogonal
 *     limit      1 row            lambda >= 0,  sigma >= 0,  orthogonal
 *     bilateral  1 row            lambda free,  sigma = 0
 *
 * Rows are sorted by kind: first nc contacts with three rows each, then nl limits, then nb bilateral rows;
 * a bilateral constraint of several rows is several bilateral blocks. Block i of the m = nc + nl + nb blocks
 * begins at row slip_block_row(p, i) and has slip_block_dim(p, i) rows: 3 or 1.
 *
 * A problem owns nothing: it points into arrays of the caller, which must outlive it. */
#ifndef SLIP_CONTACT_PROBLEM_H
#define SLIP_CONTACT_PROBLEM_H

#include "base/base.h"
#include "contact/cone.h"

/* ---- G ------------------------------------------------------------------------------------------ */

typedef enum {
    SLIP_G_DENSE,    /* n x n, row-major with leading dimension ld, all entries                          */
    SLIP_G_BLOCKS,   /* only the blocks that exist, both triangles                                       */
    SLIP_G_FACTOR    /* G = Y Y', Y = J L^-1 with M = L' L (or J L^-T with M = L L'), rows packed        */
} slip_delassus_form;

/* G in one of three forms; the fields of the others are not looked at, with one exception below.
 *
 * BLOCKS: block row i holds the blocks k = start[i] .. start[i+1]-1 with ascending block columns col[k];
 * block k is slip_block_dim(i) x slip_block_dim(col[k]), row-major, at val + at[k]. diag[i] is the k of
 * block (i, i), which must exist. In a problem of contacts only, at[k] = 9 k.
 *
 * FACTOR: row block i touches the dofs ycol[ystart[i] .. ystart[i+1]-1] (ascending) of nv; its values are
 * slip_block_dim(i) rows of that many numbers, row after row, at y + yat[i]. This is what a tree gives: the
 * dofs on the paths from the two bodies to their roots. `work` is scratch of nv reals that applying G
 * writes, so such a problem must not be used by two threads at once.
 *
 * A problem in another form may carry its factor as well: then nv > 0. Solvers that would rather factor in the joints'
 * space than in the contacts' look for it.
 *
 * G may be slightly asymmetric in the DENSE and BLOCKS forms (data of others are): every criterion counts
 * for G as given. */
typedef struct {
    slip_delassus_form form;
    int ld;                  /* DENSE                                              */
    const slip_real *dense;
    const int *start;        /* BLOCKS: m + 1                                      */
    const int *col, *at;     /*         start[m] each                              */
    const int *diag;         /*         m                                          */
    const slip_real *val;
    int nv;                  /* FACTOR; 0: not known                               */
    const int *ystart;       /*         m + 1                                      */
    const int *ycol;         /*         ystart[m]                                  */
    const int *yat;          /*         m                                          */
    const slip_real *y;
    slip_real *work;         /*         nv                                         */
    int symmetric;           /* 1 when known to be symmetric to rounding, else 0   */
} slip_delassus;

typedef struct {
    int nc, nl, nb;          /* contacts, limits, bilateral rows                                          */
    int n;                   /* rows: 3 nc + nl + nb                                                      */
    const slip_real *mu;     /* nc, >= 0, infinity allowed                                                */
    const slip_real *g;      /* n, free velocity with all corrections [m/s]                               */
    const slip_real *R;      /* n, >= 0, compliance [1/kg]; NULL: rigid                                   */
    const slip_real *vmin;   /* nc + nl, lowest velocity of contact normals and limits (TO Sec. III); only
                                ccp-barrier looks at it; NULL: 0                                          */
    slip_delassus G;
    const char *name;        /* for messages, may be NULL                                                 */
} slip_problem;

static inline int slip_block_count(const slip_problem *p) { return p->nc + p->nl + p->nb; }
static inline int slip_block_row(const slip_problem *p, int i) { return i < p->nc ? 3*i : 2*p->nc + i; }
static inline int slip_block_dim(const slip_problem *p, int i) { return i < p->nc ? 3 : 1; }
static inline int slip_block_is_contact(const slip_problem *p, int i) { return i < p->nc; }
static inline int slip_block_is_limit(const slip_problem *p, int i) { return i >= p->nc && i < p->nc + p->nl; }
static inline int slip_block_is_bilateral(const slip_problem *p, int i) { return i >= p->nc + p->nl; }

/* ---- making one --------------------------------------------------------------------------------- */

/* A problem of nc contacts over a full matrix of 3 nc rows; the arrays are pointed to, not copied. */
slip_problem slip_problem_dense(int nc, const slip_real *mu, const slip_real *g, const slip_real *G, int ld);

/* The same for any mix of blocks: n = 3 nc + nl + nb. R may be NULL. */
slip_problem slip_problem_dense_rows(int nc, int nl, int nb, const slip_real *mu, const slip_real *g,
                                     const slip_real *R, const slip_real *G, int ld);

/* Rewrites p->G in the DENSE form (from any form), in the BLOCKS form (from DENSE: blocks that are all zero
 * are left out; from FACTOR: blocks whose rows share no dof), with memory from the low end of the arena.
 * slip_problem_tidy picks: DENSE when n is small or most blocks exist, BLOCKS otherwise.
 * SLIP_ERR_WORKSPACE leaves p as it was. */
slip_status slip_problem_to_dense(slip_problem *p, slip_arena *arena);
slip_status slip_problem_to_blocks(slip_problem *p, slip_arena *arena);
slip_status slip_problem_tidy(slip_problem *p, slip_arena *arena);

/* The door: counts, finite numbers, mu and R not negative, G with non-negative diagonal, symmetric within 1 %
 * of its largest entry and not clearly indefinite (a symmetric factorisation of G plus 1e-4 of its largest
 * diagonal entry succeeds; this part needs scratch from the arena and is left out when arena is NULL).
 * Fills err with contact and value. */
slip_status slip_problem_check(const slip_problem *p, slip_arena *arena, slip_error *err);

/* The cheap half of the above, O(n) plus one pass over G, without a message: what every solver calls. */
slip_status slip_problem_check_quick(const slip_problem *p);

/* ---- using one ---------------------------------------------------------------------------------- */

/* y = G x;  c = G lambda + g;  sigma = (G + R) lambda + g. Outputs have n rows and must not be the input. */
void slip_problem_apply(const slip_problem *p, const slip_real *x, slip_real *y);
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

/* Largest eigenvalue of the symmetric G + R by power iteration from a fixed start, at most `iterations`
 * products (20 is plenty for a scale); a, b are scratch of n. A lower bound, in practice within some %. */
slip_real slip_problem_largest_eigenvalue(const slip_problem *p, int iterations, slip_real *a, slip_real *b);

/* ---- sweeping: what per-contact solvers do -------------------------------------------------------- */

/* Gauss-Seidel's view: c_i = (G lambda + g)_i of one block at the current lambda, which the solver changes
 * block by block. In the DENSE and BLOCKS forms row i is gathered from lambda; in the FACTOR form v = Y' lambda is
 * kept, so a change must be announced: O(row) each way.
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
