/* The papers' algorithms once more, written from their text alone: dense, plain and slow. The tests compare the
 * solvers' iterates with these; nothing here calls a solver of the library.
 *
 * All arithmetic is in double, whatever slip_real is, so that in float the comparison sees only the solvers' rounding.
 * Where the print leaves a choice (starting values, order, a misprint), the comment of the function says which reading
 * was taken: a solver that differs there is to be discussed, not to be changed at once. */
#ifndef NAIVE_H
#define NAIVE_H

#include "solvers/solver.h"

enum { NAIVE_CONTACTS = 4, NAIVE_ROWS = 3*NAIVE_CONTACTS };

/* nc <= NAIVE_CONTACTS contacts, rows t1, t2, n each; A = G + R. */
typedef struct {
    int nc, n;
    double A[NAIVE_ROWS][NAIVE_ROWS], g[NAIVE_ROWS], mu[NAIVE_CONTACTS];
} naive_problem;

void naive_read(const slip_problem *p, naive_problem *q);

/* ---- small parts ---------------------------------------------------------------------------------- */

/* Row k of A x + g. */
double naive_velocity(const naive_problem *q, const double *x, int k);

/* Nearest point of the cone |x_T| <= mu x_n. */
void naive_project_cone(double mu, const double x[3], double y[3]);
void naive_project_cones(const naive_problem *q, const double *x, double *y);

/* Solves A x = b (n x n, row-major) by elimination with row pivoting; b becomes x, A is destroyed. 0: singular. */
int naive_linear_solve(int n, double *A, double *b);

/* Smallest and largest eigenvalue of the symmetric A + shift I, by bisection on the signs of elimination. */
void naive_eigenvalues(const naive_problem *q, double shift, double *least, double *largest);

/* The units in which the solvers with full matrices start: one number per contact, D = 1/sqrt of the mean diagonal of
 * its block of A, and the largest |D g|. Impulses are in unit D, velocities in unit/D. */
typedef struct { double D[NAIVE_ROWS], unit; } naive_units;
naive_units naive_units_of(const naive_problem *q);

/* ---- sweeps: naive_sweeps.c ------------------------------------------------------------------------ */

/* How a sweep steps: the tangential rule; HW eq. 18's alpha, a weight of the step; LL eq. 22's alpha, a weight of the
 * update against the iterate before it. 1 and 1: neither. alpha is not for SLIP_STEP_BLOCK. */
typedef struct { slip_step_rule step; double alpha, mix; } naive_rules;

/* One sweep over all contacts, x changed in place. */
void naive_lcp_pgs_sweep(const naive_problem *q, const naive_rules *r, double *x);
void naive_ccp_pgs_sweep(const naive_problem *q, const naive_rules *r, double *x);
void naive_ncp_pgs_sweep(const naive_problem *q, const naive_rules *r, double *x);

/* The slipping impulse of one contact in RaiSim's model, least energy on the conic section; this one by a fine scan. */
typedef void naive_slide(double M[3][3], const double c[3], double mu, double x[3]);
void naive_raisim_slide(double M[3][3], const double c[3], double mu, double x[3]);

/* HW Alg. 2 with `slide` in line 8. */
void naive_raisim_sweep(const naive_problem *q, naive_slide *slide, double alpha, double *x);

/* HW Alg. 1, naive_bisection.c. stick: the zero-velocity impulse. Returns how many steps were taken back (line 14). */
int naive_raisim_bisect(double M[3][3], const double c[3], double mu, const double stick[3], double gamma, double x[3]);

/* ---- splitting methods: naive_split.c --------------------------------------------------------------- */

typedef struct {
    double f[NAIVE_ROWS], y[NAIVE_ROWS], z[NAIVE_ROWS];   /* LL Alg. 3 calls them lambda, z, gamma */
    double primal, dual, comp;                            /* CR eqs. 40-42, infinity norms         */
} naive_admm;

void naive_ccp_admm_step(const naive_problem *q, double rho, naive_admm *a);
void naive_ncp_admm_step(const naive_problem *q, double eta, double rho, naive_admm *a);

/* One pass of staggered projections; box: LL's pyramid in place of the disc. */
void naive_staggered_pass(const naive_problem *q, int box, double *x);

/* ---- solutions: naive_solutions.c -------------------------------------------------------------------- */

/* The CCP's minimiser of 1/2 x'Ax + g'x over the cones, by projected gradients. */
void naive_ccp_solution(const naive_problem *q, double *x);

/* Whether x is, to `tol`, one of the LCP's solutions found by trying all complementary cases. */
int naive_lcp_has_solution(const naive_problem *q, const double *x, double tol);
int naive_lcp_solution_count(const naive_problem *q, double first[NAIVE_ROWS]);

/* ---- Lemke's pivoting: naive_lemke.c ---------------------------------------------------------------------- */

enum { NAIVE_FACETS = 8, NAIVE_LCP = NAIVE_CONTACTS*(NAIVE_FACETS + 2) };

/* The tableau [w | z | z0 | q]: w_i is variable i, z_i is N + i, z0 is 2 N. `margin` after a pivot: how near (relative)
 * the nearest values were by which the pivot was chosen; when it is at rounding another choice is as good. */
typedef struct {
    int N, facets, pivots, enters, basic[NAIVE_LCP];
    double margin, T[NAIVE_LCP][2*NAIVE_LCP + 2];
} naive_lemke;

void naive_lemke_start(const naive_problem *q, const naive_units *u, int facets, naive_lemke *w);
int  naive_lemke_pivot(naive_lemke *w);                  /* 1: solved; 0: goes on; -1: a ray */
void naive_lemke_impulses(const naive_lemke *w, double *x);

/* ---- Newton's method in the primal: naive_newton.c -------------------------------------------------------- */

typedef struct {
    int n;
    double J[NAIVE_ROWS][NAIVE_ROWS], R[NAIVE_ROWS], mu[NAIVE_CONTACTS];
    double v_free[NAIVE_ROWS], v[NAIVE_ROWS], d[NAIVE_ROWS];
} naive_newton;

/* q->A is G, without R; R > 0. v is v_free. */
void   naive_newton_start(const naive_problem *q, const double *R, naive_newton *w);
void   naive_newton_direction(naive_newton *w);                         /* d from v                         */
double naive_newton_slope(const naive_newton *w, double a);             /* derivative of the cost by a at v + a d */
double naive_newton_minimum(const naive_newton *w);                     /* its root                         */
void   naive_newton_impulses(const naive_newton *w, double a, double *lambda);         /* at v + a d        */
void   naive_newton_advance(naive_newton *w, double a);                 /* v <- v + a d                     */

/* ---- barrier: naive_barrier.c -------------------------------------------------------------------------- */

/* TO's E(f) + B(f), INFINITY outside. elastic: eq. 25 in place of the logarithm for the normal velocities. G without R
 * makes the velocities, so it is passed apart. */
typedef struct { naive_problem G; double R[NAIVE_ROWS], t, s; } naive_barrier;
int    naive_barrier_feasible(const naive_barrier *b, const double *f);
double naive_barrier_value(const naive_barrier *b, int elastic, const double *f);
void   naive_barrier_gradient(const naive_barrier *b, int elastic, const double *f, double *grad);
void   naive_barrier_solution(const naive_barrier *b, double *f);

/* One step of TO Sec. III-D from f: elastic when a normal velocity is not positive, Newton's direction, 0.99 of the way
 * to the nearest surface or 1. `shift` (n) is added to the Hessian's diagonal. */
typedef struct {
    int elastic, halvings;             /* the mode; how often the step was halved until the energy fell      */
    double length;                     /* of the step; before halving, min(1, 0.99 of the way to the surface) */
    double decrement;                  /* grad' H^-1 grad                                                    */
} naive_barrier_step;
naive_barrier_step naive_barrier_advance(const naive_barrier *b, double shift, const naive_units *u, double *f);

/* ---- interior point: naive_ipm.c ------------------------------------------------------------------------ */

typedef struct {
    double gamma[NAIVE_CONTACTS][4], s[NAIVE_CONTACTS][4];
    double residual, products;                            /* violations after the last step, infinity norms */
} naive_ipm;

/* The multiple of the cones' neutral elements at which both variables start; the share of the way to the boundary for
 * the affine direction; the largest share for the second-order cones, the normals taking max(0.95, 1 - violation^2).
 * The authors' repository has 1.5, 0.95, 0.95. */
typedef struct { double start, affine, cone; } naive_ipm_rules;

void naive_ipm_start(const naive_problem *q, const naive_ipm_rules *rules, naive_ipm *w);
void naive_ipm_step(const naive_problem *q, const naive_ipm_rules *rules, naive_ipm *w);
void naive_ipm_impulses(const naive_problem *q, const naive_ipm *w, double *x);

#endif
