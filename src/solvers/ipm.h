/* The interior point of ncp-path and default; private to src/solvers. See ncp_path.c for the equations.
 *
 *     ipm.c          the point, the right-hand sides, step lengths, and the quick run (predictor and corrector)
 *     ipm_path.c     the careful run: the central path followed by its arc length, around its folds
 *     ipm_linear.c   the matrix W A + Z of each iteration, A = D (G + R) D the scaled operator, W and Z 3x3 per contact
 *     ipm_joint.c    the same in the joints' space
 *
 * The matrix is factored in the space that operator.h chooses. In the joints' space, with H = (Z + W D R D)^-1 W and
 * V = D Y, it is (Z + W D R D)(I + H V V'), an LU of V's columns. */
#ifndef SLIP_SOLVERS_IPM_H
#define SLIP_SOLVERS_IPM_H

#include "contact/operator.h"
#include "solvers/scaled.h"
#include "solvers/solver.h"

#define SLIP_IPM_TRIES 4             /* first points of slip_ipm_follow         */

#define SLIP_IPM_ORDER 7             /* derivatives of the path, each 8 % of an iteration; walls after an impact take
                                      * 1.08 times the iterations with 5, 0.98 times with 9                       */

/* A direction, or the point itself: impulses, their slacks (eta, s), and the sliding speed psi of each contact. Vectors
 * of n numbers stand in parts here: all contacts' first tangents, all second ones, all normals, then the single rows,
 * so that a compiler can vectorise over contacts. "Rows" are in the problem's own order. */
typedef struct {
    slip_real *x, *y;            /* n, parts; a bilateral row's y is 0                                     */
    slip_real *psi;              /* nc; 0 where there is no cone                                           */
} slip_ipm_point;

/* W and Z of the contacts, nc numbers each: W = [ w00 w01 0; w01 w11 0; 0 0 gamma ], Z = [ z00 z01 z02; z10 z11 z12;
 * 0 0 s ]. Of single rows: the impulse and the slack of a limit; 1 and a prox of a bilateral row. */
typedef struct {
    slip_real *w00, *w01, *w11, *z00, *z01, *z10, *z11, *z02, *z12;
    slip_real *inv_mu_gamma;     /* 1/(mu gamma); 0 where there is no cone                                 */
} slip_ipm_blocks;

/* JOINT: S = (Z + W D R D)^-1 and H = S W of the contacts, both with a last row (0 0 a); nc numbers each. */
typedef struct { slip_real *m00, *m01, *m02, *m10, *m11, *m12, *m22; } slip_ipm_tops;

typedef struct {
    const slip_problem *p;
    const slip_solver_options *opt;
    slip_scaling scale;
    int *plain, plains;          /* contacts without a cone of their own: mu 0 or infinite                 */
    slip_real *mu;               /* nc; 1 without a cone                                                   */
    slip_real *b, *soft;         /* n, parts: scaled g; D R D                                              */
    slip_ipm_point at, step;     /* the point; the step from it; in ipm_path.c the next point, or scratch  */
    slip_ipm_point affine;       /* the step towards complementarity 0, or a correction by refinement      */
    slip_ipm_point curve[SLIP_IPM_ORDER + 1];    /* ipm_path.c: the path's derivatives, from 1 on          */
    slip_ipm_point tangent, centre;      /* ipm_path.c: along the path, and to its middle                  */
    slip_real *r, *r_start;      /* n, parts: the slack error A x + b - y, and that of the first point     */
    slip_real *target, *head;    /* n, nc: right-hand sides of the complementarities: of tangents, normals and
                                  * single rows; of the cones' first rows, which determine psi             */
    slip_ipm_blocks blocks;      /* of the last linearisation                                              */
    slip_real *low, *high;       /* nc each, scratch                                                       */
    slip_real *rows;             /* n                                                                      */
    slip_real *lambda, *sigma, *best;    /* n, rows, in the problem's units; in ipm_path.c sigma is also scratch, in
                                  * parts, while a step is computed                                        */
    slip_residual best_residual;
    slip_real best_excess;
    int judged;                  /* whether there is a best                                                */
    slip_real judge_below;       /* complementarity above which iterates are not judged                    */
    int careful;                 /* ipm_path.c: directions are refined once where rounding is coarse       */
    int refine;                  /* JOINT: they are, with the present matrix                               */
    int iterations_before;       /* iterations before this run, added in the history                       */
    int iterations;              /* of this run, one factorisation each                                    */

    slip_operator *op, own;      /* the matrix; its own unless slip_ipm_carve_over() was given one         */
    slip_real *W, *Z;            /* DENSE, SPARSE: 9 per block                                             */
    slip_ipm_tops S, H;          /* JOINT                                                                  */
    slip_real *single;           /* JOINT: S and H of the single rows, two numbers each                    */
} slip_ipm;

/* Carves the workspace; a counting arena counts. The second form works with an operator that the caller has carved and
 * may lend to others between two runs. */
slip_status slip_ipm_carve(slip_ipm *w, const slip_problem *p, const slip_solver_options *opt, slip_arena *arena);
slip_status slip_ipm_carve_over(slip_ipm *w, slip_operator *op, const slip_solver_options *opt, slip_arena *arena);

/* Scales the problem and judges `lambda` (n; NULL: zero) as the first candidate. Returns 1 when it already solves. */
int slip_ipm_open(slip_ipm *w, const slip_real *lambda);

/* A quick run of at most `steps` iterations from near `from` (n), `inside` away from all surfaces (scaled: the largest
 * free velocity is 1), or, when that is NULL, from the middle of the cones.
 * SLIP_OK: w->best meets the tolerance; SLIP_MAX_ITERS; SLIP_STALLED: steps have become too short. */
slip_status slip_ipm_run(slip_ipm *w, const slip_real *from, slip_real inside, int steps);

/* The careful run, from first point `attempt` (0 .. SLIP_IPM_TRIES-1). SLIP_MAX_ITERS also when it has arrived but
 * rounding is too coarse for the tolerance; SLIP_STALLED: its steps are too short; another first point may help. */
slip_status slip_ipm_follow(slip_ipm *w, int attempt, int steps);

/* A quick run from `warm` (n), or, when that is NULL, from the middle of the cones, then the path from one first point
 * after another, at most `limit` iterations in all. SLIP_MAX_ITERS at the limit, SLIP_STALLED when all runs failed. */
slip_status slip_ipm_solve_from(slip_ipm *w, const slip_real *warm, int limit);

/* ---- between the files ------------------------------------------------------------------------------------- */

#define SLIP_IPM_PROX SLIP_TOL(1e-9, 1e-5)   /* Z of rows without complementarity: G may be singular there */

/* A contact has a cone of its own when 0 < mu < infinity; else its tangent is held (beta = 0) or glued (eta = 0). */
static inline int slip_ipm_has_cone(const slip_ipm *w, int i)
{
    return w->p->mu[i] > 0 && w->p->mu[i] < SLIP_MU_INFINITE;
}

/* W and Z of single row i, an index of parts and rows alike. */
static inline slip_real slip_ipm_row_w(const slip_ipm *w, int i) { return i < w->p->n - w->p->nb ? w->at.x[i] : 1; }
static inline slip_real slip_ipm_row_z(const slip_ipm *w, int i)
{
    return i < w->p->n - w->p->nb ? w->at.y[i] : SLIP_IPM_PROX;
}

/* ipm_linear.c: from parts to rows and back. */
void slip_ipm_to_rows(const slip_ipm *w, const slip_real *parts, slip_real *rows);
void slip_ipm_to_parts(const slip_ipm *w, const slip_real *rows, slip_real *parts);

/* ipm_linear.c: memory; the matrix of w->blocks (0 when it is singular); x <- (W A + Z)^-1 x and image = A x, of one
 * vector or two at once; out = A x. All vectors in parts. w->rows and w->lambda are lost. */
slip_status slip_ipm_carve_matrix(slip_ipm *w, slip_arena *arena);
int slip_ipm_factor(slip_ipm *w);
void slip_ipm_solve(slip_ipm *w, slip_real *x, slip_real *image);
void slip_ipm_solve_two(slip_ipm *w, slip_real *const x[2], slip_real *const image[2]);
void slip_ipm_product(slip_ipm *w, const slip_real *x, slip_real *out);

/* ipm_joint.c: the same for the route JOINT, without R. */
void slip_ipm_joint_carve(slip_ipm *w, slip_arena *arena);
int slip_ipm_joint_factor(slip_ipm *w);
void slip_ipm_joint_solve(slip_ipm *w, slip_real *x, slip_real *image);
void slip_ipm_joint_solve_two(slip_ipm *w, slip_real *const x[2], slip_real *const image[2]);

/* ipm.c. All of these work on the point w->at.
 *
 * The point <- one at distance `inside` from all surfaces, on the central path of complementarity inside^2 but for its
 * slack error. */
void slip_ipm_start(slip_ipm *w, slip_real inside);

/* w->r <- A x + b - y. */
void slip_ipm_slack(slip_ipm *w);

/* W and Z at the point, and the factored matrix W A + Z. 0 when it is singular. */
int slip_ipm_linearise(slip_ipm *w);

/* w->target, w->head <- kappa e; then, minus the cones' product of a's x with b's y and psi. */
void slip_ipm_aim(slip_ipm *w, slip_real kappa);
void slip_ipm_aim_less(slip_ipm *w, const slip_ipm_point *a, const slip_ipm_point *b);

/* The direction d that changes the products by w->target and w->head to first order and removes the slack error `r`
 * (n). */
void slip_ipm_direction(slip_ipm *w, const slip_real *r, slip_ipm_point *d);

/* Two such directions by one pass over the factors: d[i] from the point's own products to kappa[i] e, slack r[i]. */
void slip_ipm_two_directions(slip_ipm *w, const slip_real kappa[2], const slip_real *const r[2],
                             slip_ipm_point *const d[2]);

/* out = the point + a d. */
void slip_ipm_ahead(const slip_ipm *w, slip_real a, const slip_ipm_point *d, slip_ipm_point *out);

/* Excess of the point over the tolerance; the best point is kept and w->r computed anew. Infinity, without any of
 * this, where the complementarity `gap` is above w->judge_below. */
slip_real slip_ipm_judge(slip_ipm *w, slip_real gap);

/* Calls the history callback with the point. */
void slip_ipm_report(slip_ipm *w);

#endif
