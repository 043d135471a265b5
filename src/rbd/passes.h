/* Single passes of the algorithms in dynamics.h, and the packed factorisation of the mass matrix.
 *
 * The passes do not check their inputs: a step of a world checks once and then calls several of them. */
#ifndef SLIP_RBD_PASSES_H
#define SLIP_RBD_PASSES_H

#include "base/random.h"
#include "rbd/dynamics.h"

/* ---- passes --------------------------------------------------------------------------------------- */

/* slip_kinematics() and slip_velocities() for a q and a v that are known to be finite. SLIP_ERR_ARGUMENT: a quaternion
 * of zero length. */
slip_status slip_motion_pass(const slip_model *model, slip_data *data, const slip_real *q, const slip_real *v);

/* slip_crba() from the poses that slip_kinematics() left. */
void slip_crba_pass(const slip_model *model, slip_data *data);

/* Whether all bodies float alone, so that M does not depend on q; and that M, without poses. */
int  slip_mass_is_constant(const slip_model *model);
void slip_crba_constant(const slip_model *model, slip_data *data);

/* nle [nv] less the wrench's share, from poses and velocities; v and wrench (or NULL) finite. */
void slip_bias_pass(const slip_model *model, slip_data *data, const slip_real *v, const slip_real *wrench,
                    slip_real *nle);

/* slip_accelerations() of one body, accel [6] in world axes [m/s^2, rad/s^2], without writing to data. */
void slip_body_acceleration(const slip_model *model, const slip_data *data, int body, const slip_real *a,
                            slip_real accel[6]);

/* ---- L'DL over branches (Featherstone 2005) --------------------------------------------------------- */

/* L and D_inv from a packed M (may be the same array as L): M = L' D L with unit lower L. O(sum of
 * depth^2). SLIP_ERR_NOT_SPD, *bad_pivot (may be NULL) telling where, at a pivot that is not positive. */
slip_status slip_ltl_factor(const slip_branches *b, const slip_real *M, slip_real *L, slip_real *D_inv, int *bad_pivot);

/* x <- M^-1 x; the same for X [n*columns], row-major, columns a multiple of SLIP_LANES;  x <- L^-1 x (root to leaves);
 * y = M x with a packed M. */
void slip_ltl_solve(const slip_branches *b, const slip_real *L, const slip_real *D_inv, slip_real *x);
void slip_ltl_solve_rows(const slip_branches *b, const slip_real *L, const slip_real *D_inv, int columns, slip_real *X);
void slip_ltl_solve_l(const slip_branches *b, const slip_real *L, slip_real *x);
void slip_branches_vec(const slip_branches *b, const slip_real *M, const slip_real *x, slip_real *y);

/* M^-1 in full, row-major [n*n], from the factor. O(n sum of depth). */
void slip_ltl_inverse(const slip_branches *b, const slip_real *L, const slip_real *D_inv, slip_real *M_inv);

/* ---- other ---------------------------------------------------------------------------------------- */

/* Columns of all freedoms, [6*ndofs], one after the other: (moment at the world's origin or direction,
 * direction or 0), so that a chain's columns sum to its SLIP_FRAME_WORLD velocity. Needs slip_kinematics(). */
void slip_dof_columns(const slip_model *model, const slip_data *data, slip_real *columns);

/* exp(w + dw) = exp(w) exp(J dw) to first order, for rotation vectors. */
void slip_so3_right_jacobian(const slip_real w[3], slip_real J[9]);

/* Uniform within limits; without: angles in [-pi, pi), displacements in [-1, 1) m, uniform rotations. */
void slip_random_q(const slip_model *model, slip_random *rng, slip_real *q);

/* Place of a joint by its index, 0 <= joint < njoints; slip_model_find_place() finds it by name. */
slip_joint_place slip_model_place(const slip_model *model, int joint);

#endif
