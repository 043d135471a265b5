/* The algorithms on a model: kinematics, RNEA, CRBA, LTL, ABA, Jacobians, energies, the manifold of q.
 *
 * Sizes: q [nq], v, a, tau [nv], with joints in the model's order. All functions are pure in (model,
 * inputs); slip_data is scratch and result, one per thread. Outputs may alias inputs of the same size.
 * SI units, world axes where nothing else is said. Functions with a status check their inputs: NaN or infinity gives
 * SLIP_ERR_ARGUMENT, outputs untouched; the others read what those left and cannot fail. Links are indices below
 * model->nlinks, not checked.
 *
 * External wrenches, where asked for, are [6*nbodies]: (force, moment about the body's origin) on each
 * body, world axes; NULL for none. slip_wrench_add() fills them. */
#ifndef SLIP_RBD_DYNAMICS_H
#define SLIP_RBD_DYNAMICS_H

#include "rbd/model.h"
#include "rbd/spatial.h"

/* Results and scratch of the algorithms. Per body, index 0 the world; world axes throughout. */
typedef struct {
    slip_pose *pose;         /* [nbodies]    body frame in the world          slip_kinematics          */
    slip_real *arm;          /* [3*nbodies]  origin minus parent's origin [m] slip_kinematics          */
    slip_real *velocity;     /* [6*nbodies]  of the origin; angular           slip_velocities          */
    slip_real *accel;        /* [6*nbodies]  classical; meaning by function   slip_accelerations, slip_rnea */
    slip_real *inertia;      /* [10*nbodies] composite inertia of the subtree slip_crba                */
    slip_real *force;        /* [6*nbodies]  through the joint above          slip_rnea                */
    slip_real *M;            /* [branches.size] mass matrix, packed           slip_crba                */
    slip_real *L;            /* [branches.size] its L'DL factor, packed       slip_ltl_factor          */
    slip_real *D_inv;        /* [nv]         1/D of that factor               slip_ltl_factor          */

    /* private scratch */
    slip_real *own;          /* [10*nbodies] inertia of each body alone, world axes                    */
    int has_own;             /* whether `own` is that of the poses                                     */
    slip_real *angle, *trig; /* [nbodies], [2*nbodies], padded: angles; cosines, then sines            */
    slip_real *bias;         /* [9*nbodies]  d(acceleration)/d(position) of each body, RNEA            */
    slip_real *articulated;  /* [21*nbodies] ABA                                                       */
    slip_real *U;            /* [6*ndofs]    ABA                                                       */
    slip_real *u;            /* [4*ndofs]    vectors over the freedoms                                 */
    slip_real *M_dofs;       /* [dofs.size]  mass matrix over the freedoms; M itself without mimic     */
    slip_real *x;            /* [nv]                                                                   */
} slip_data;

/* Bytes slip_data_create() takes from an arena, room for alignment included. */
size_t slip_data_bytes(const slip_model *model);

/* Data for a model, from the low end of mem. SLIP_ERR_WORKSPACE when it does not fit: *data and mem are as before. */
slip_status slip_data_create(const slip_model *model, slip_arena *mem, slip_data **data);

/* ---- kinematics ----------------------------------------------------------------------------------- */

/* Poses of all bodies from q. Quaternions need not be unit to the last bit; zero ones are an error. */
slip_status slip_kinematics(const slip_model *model, slip_data *data, const slip_real *q);

/* Velocities of all bodies; needs slip_kinematics(). */
slip_status slip_velocities(const slip_model *model, slip_data *data, const slip_real *v);

/* Classical accelerations of all bodies (without gravity); needs slip_velocities() with the same v. */
slip_status slip_accelerations(const slip_model *model, slip_data *data, const slip_real *v, const slip_real *a);

/* A link's frame, and the velocity (linear of its origin, angular; world axes), from what the above left. */
void slip_link_pose(const slip_model *model, const slip_data *data, int link, slip_pose *X);
void slip_link_velocity(const slip_model *model, const slip_data *data, int link, slip_real v[6]);

/* ---- dynamics ------------------------------------------------------------------------------------- */

/* tau = M a + nle(q, v) - J' wrench: inverse dynamics by the recursive Newton-Euler algorithm. */
slip_status slip_rnea(const slip_model *model, slip_data *data, const slip_real *q, const slip_real *v,
                      const slip_real *a, const slip_real *wrench, slip_real *tau);

/* The same with a = 0 (Coriolis, centrifugal and gravity terms), and with v = a = 0. */
slip_status slip_bias(const slip_model *model, slip_data *data, const slip_real *q, const slip_real *v, slip_real *nle);
slip_status slip_gravity(const slip_model *model, slip_data *data, const slip_real *q, slip_real *g);

/* data->M: the mass matrix by the composite-rigid-body algorithm, packed over model->branches. */
slip_status slip_crba(const slip_model *model, slip_data *data, const slip_real *q);

/* The packed matrix as a full symmetric one, row-major [nv*nv]. */
void slip_mass_matrix(const slip_model *model, const slip_data *data, slip_real *M);

/* a = M^-1 (tau - nle + J' wrench): forward dynamics by the articulated-body algorithm (a model with
 * mimic joints goes through CRBA and LTL, which is exact there too). SLIP_ERR_NOT_SPD when a joint has
 * nothing to move. Leaves nothing in data->M or data->L unless the model has mimic joints. */
slip_status slip_aba(const slip_model *model, slip_data *data, const slip_real *q, const slip_real *v,
                     const slip_real *tau, const slip_real *wrench, slip_real *a);

/* M^-1 in full, row-major [nv*nv], from q: CRBA, LTL and the sparse inverse. */
slip_status slip_mass_matrix_inverse(const slip_model *model, slip_data *data, const slip_real *q, slip_real *M_inv);

/* Adds to wrench[6*nbodies] a force and a moment [N, N m; world axes] acting on a link at a point of the
 * world; moment may be NULL. Needs slip_kinematics(). Wrenches on links fixed to the world are dropped. */
void slip_wrench_add(const slip_model *model, const slip_data *data, int link, const slip_real point[3],
                     const slip_real force[3], const slip_real moment[3], slip_real *wrench);

/* ---- Jacobians ------------------------------------------------------------------------------------ */

typedef enum {
    SLIP_FRAME_WORLD,        /* velocity of the point of the link at the world's origin, world axes */
    SLIP_FRAME_LOCAL,        /* velocity of the link frame's origin, link axes                      */
    SLIP_FRAME_ALIGNED       /* velocity of the link frame's origin, world axes                     */
} slip_frame;

/* J [6*nv], row-major: rows 0-2 linear, 3-5 angular velocity of a link per unit v. Needs slip_kinematics(). */
void slip_link_jacobian(const slip_model *model, const slip_data *data, int link, slip_frame frame, slip_real *J);

/* (dJ/dt) v, [6]. Needs slip_accelerations() with a = 0. */
void slip_link_jacobian_dot_v(const slip_model *model, const slip_data *data, int link, slip_frame frame,
                              slip_real dJv[6]);

/* ---- sums over the whole model ---------------------------------------------------------------------- */

/* Mass of everything that moves [kg]; energies [J]; centre of mass [m]; linear momentum and angular
 * momentum about the centre of mass, world axes [kg m/s, kg m^2/s]. Bodies fixed to the world are left
 * out. Armature counts in the kinetic energy. The first two need slip_kinematics(), the others slip_velocities(). */
slip_real slip_total_mass(const slip_model *model);
slip_real slip_potential_energy(const slip_model *model, const slip_data *data);
slip_real slip_center_of_mass(const slip_model *model, const slip_data *data, slip_real com[3]);  /* returns the mass */
slip_real slip_kinetic_energy(const slip_model *model, const slip_data *data, const slip_real *v);
void      slip_momentum(const slip_model *model, const slip_data *data, slip_real momentum[6]);

/* ---- the manifold of q ------------------------------------------------------------------------------ */

/* q of rest: zeros, identity quaternions. */
void slip_neutral(const slip_model *model, slip_real *q);

/* out = q [+] dt v: follows the constant twist v for dt (exact on SO3, SE2, SE3); quaternions come out
 * unit. out may be q. */
void slip_integrate(const slip_model *model, const slip_real *q, const slip_real *v, slip_real dt, slip_real *out);

/* v with q1 = q0 [+] v; the shorter way round for rotations (continuous joints: the plain difference). */
void slip_difference(const slip_model *model, const slip_real *q0, const slip_real *q1, slip_real *v);

/* Makes every quaternion of q unit; SLIP_ERR_ARGUMENT when one is zero or an entry is not finite. */
slip_status slip_normalize(const slip_model *model, slip_real *q);

#endif
