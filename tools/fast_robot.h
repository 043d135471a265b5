/* The recursions of src/rbd over terms instead of numbers, for one robot: what `export --fast` prints.
 *
 * The library computes in world axes, because that is cheapest when nothing is known of a robot. Here its constants are
 * known, and most of them are zeros and quarter turns, so that every body has its own axes, as in Featherstone's book:
 * going from body to body then costs a turn about z, and inertias stay constants.
 *
 * Inertias are regrouped first (Gautier and Khalil 1990): what a joint cannot tell from a part of its parent, such as a
 * mass on a hinge's axis, becomes a part of the parent. Motions and joint forces stay the same, and more numbers are
 * zero. */
#ifndef SLIP_TOOLS_FAST_ROBOT_H
#define SLIP_TOOLS_FAST_ROBOT_H

#include "cli.h"
#include "terms.h"

typedef struct { term x[3]; } term3;     /* a vector                 */
typedef struct { term x[9]; } term9;     /* a 3x3 matrix, row-major  */

/* A model's constants without their rounding errors. Tables are cli_alloc'd. */
typedef struct {
    const slip_model *m;
    double *inertia;                     /* [10*nbodies] as slip_model has it, regrouped                   */
    double *tree;                        /* [12*nbodies] rotation and place of each joint in its parent    */
    int *last;                           /* [nbodies] the last body of the subtree                         */
} fast_robot;

void fast_robot_make(const slip_model *m, fast_robot *r);
void fast_robot_free(fast_robot *r);

/* The pose of a body in its parent's frame, as terms of q: x_parent = R x + p. A joint that turns about z is kept as
 * R = T Rz(angle), two cheap steps. */
typedef struct {
    int about_z;
    term9 R, T;                          /* T is constant; R only where it is not about z                  */
    term c, s;
    term3 p;
} fast_joint;

/* One function in the making: the graph, its array q, and the joints of all bodies. */
typedef struct {
    term_graph *g;
    const fast_robot *r;
    fast_joint *joint;                   /* [nbodies] */
} fast_code;

void fast_code_begin(fast_code *f, const fast_robot *r, term_graph *g, int q);
void fast_code_end(fast_code *f);

/* A section named after a body. */
void fast_section(const fast_code *f, const char *what, int body);

/* A rotation's entry without the rounding errors of right angles. */
double fast_rounded(double x);

/* Axes of the child to those of the parent and back. */
term3 fast_to_parent(const fast_code *f, int body, term3 x);
term3 fast_to_child(const fast_code *f, int body, term3 x);

/* B turned from the child's axes to the parent's, R B R'. */
term9 fast_turn_matrix(const fast_code *f, int body, term9 B);

/* The axes of a joint's freedoms: 0 to 2 move along x, y, z of the body, 3 to 5 turn about them. */
void fast_axes(int joint_type, int axis[6]);

/* ---- vectors of terms -------------------------------------------------------------------------------------- */

term3 fast_constant3(term_graph *g, const double x[3]);
term3 fast_zero3(term_graph *g);
term3 fast_add3(term_graph *g, term3 a, term3 b);
term3 fast_sub3(term_graph *g, term3 a, term3 b);
term3 fast_scale3(term_graph *g, term s, term3 a);
term3 fast_cross(term_graph *g, term3 a, term3 b);
term  fast_dot(term_graph *g, term3 a, term3 b);
term3 fast_mat_vec(term_graph *g, const term9 *A, term3 x);
term3 fast_tmat_vec(term_graph *g, const term9 *A, term3 x);
term9 fast_mat_mul(term_graph *g, const term9 *A, const term9 *B);
term9 fast_transpose(const term9 *A);

/* ---- the quantities ---------------------------------------------------------------------------------------- */

/* World poses [nbodies] in the model's own frames. */
void fast_poses(const fast_code *f, term9 *R, term3 *p);

/* Forces of the freedoms for velocities x and accelerations y of the freedoms, [ndofs] each. */
void fast_rnea(const fast_code *f, const term *x, const term *y, term *tau);

/* The mass matrix of the velocity coordinates, [nv*nv], both triangles. */
void fast_crba(const fast_code *f, term *M);

/* Accelerations by articulated bodies; for models without mimic joints. */
void fast_aba(const fast_code *f, const term *x, const term *tau, term *a);

/* M = L' D L over [nv*nv]: M becomes L below its diagonal, whose inverse goes to D_inv. */
void fast_ltl(term_graph *g, int n, term *M, term *D_inv);
void fast_ltl_solve(term_graph *g, int n, const term *L, const term *D_inv, term *x);
void fast_ltl_inverse(term_graph *g, int n, const term *L, const term *D_inv, term *M_inv);

/* Coordinates to freedoms, x = E v, and forces back, tau = E' y. */
void fast_expand(const fast_code *f, const term *v, term *x);
void fast_gather(const fast_code *f, const term *y, term *tau);

#endif
