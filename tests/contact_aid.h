/* What the solver tests share: problems from files and from random numbers, a brute-force judge of single contacts,
 * and a solve with memory of its own. */
#ifndef CONTACT_AID_H
#define CONTACT_AID_H

#include "contact/residual.h"
#include "solvers/solver.h"

/* A problem with its arrays, all from one malloc. */
typedef struct {
    slip_problem p;
    slip_real *mu, *g, *R, *G;      /* nc, n, n, n x n (R is used when p.R is set) */
} aid_problem;

/* Room for nc contacts, nl limits, nb bilateral rows; zeros. */
aid_problem *aid_new(int nc, int nl, int nb);
void         aid_free(aid_problem *a);

/* Reads a file of ../shared/problems; NULL when it is not there. */
aid_problem *aid_load(const char *path);

/* G = Y Y' with Y of n x rank standard normal numbers, divided by rank; g normal, normals of g shifted by `press`. */
void aid_random(slip_random *rng, int rank, slip_real press, aid_problem *a);

/* G (3x3) symmetric with eigenvalues lo ... hi (log-uniform) in a random frame. */
void aid_random_block(slip_random *rng, slip_real lo, slip_real hi, slip_real G[9]);

/* G and g times factors: masses 1/m, lengths l. */
void aid_scale(slip_real m, slip_real l, aid_problem *a);

/* A box of mass m on an incline: four contacts, tilt angle [rad], dt [s]. t1 points downhill, n away from the plane. */
aid_problem *aid_incline(slip_real mass, slip_real angle, slip_real mu, slip_real dt);

/* Two unit cubes on the ground at rest, the lower of 1 kg, the upper of `top` kg; dt = 1 ms, mu = 0.5, 8 contacts. */
aid_problem *aid_two_cubes(slip_real top);

/* Solves with memory of exactly the size asked for. Answers in lambda, sigma (n each, may be NULL). */
slip_status aid_solve(slip_solve_function *solve, slip_bytes_function *bytes, const slip_problem *p,
                      const slip_solver_options *opt, int warm, slip_real *lambda, slip_real *sigma,
                      slip_solution *sol);

/* All solutions of one contact's NCP, CCP, RaiSim's model (found by scanning directions) or LCP of the square pyramid
 * (by trying its nine cases): up to 12 impulses; returns how many. `grid` directions are looked at. */
int aid_brute(const double G[9], const double b[3], double mu, slip_contact_model model, int grid, double x[12][3]);

/* Distance of x to the nearest of them, over |x|; looks finer when the first scan does not explain x. */
double aid_brute_distance(const slip_real G[9], const slip_real b[3], slip_real mu, slip_contact_model model,
                          const slip_real x[3]);

/* Energy 1/2 l'(G + R) l + g'l: the CCP's objective. */
double aid_energy(const slip_problem *p, const slip_real *lambda);

#endif
