/* Slipstick without structs: handles, numbers and arrays of numbers, for languages that load libslipstick.so
 * (slipstick.py is written on it). Part of the shared library only; C programs use slipstick.h.
 *
 * A handle owns its memory. Arrays are of slip_flat_real_bytes() bytes a number, SI units, laid out as slipstick.h has
 * them.
 * Functions that return int give a slip_status: negative is an error, whose text slip_flat_error() has. */
#ifndef SLIPSTICK_FLAT_H
#define SLIPSTICK_FLAT_H

#include "slipstick_parts.h"

typedef struct slip_flat slip_flat;

const char *slip_flat_version(void);
int slip_flat_real_bytes(void);

/* A scene or a robot (URDF, MJCF), which stands on level ground: a file, or text[0..length) with `path` for its name
 * and directory. base 0: as it seems fit, 1 free, 2 fixed; of a robot only. repair: armature of joints that move
 * nothing that has inertia, 0: none. packages: directories of package://, separated by line breaks; NULL: none.
 * warnings and why, of `size` bytes each, get the warnings, one a line, and the reason of NULL. */
slip_flat *slip_flat_open(const char *path, const char *text, size_t length, int base, double repair,
                          const char *packages, char *warnings, char *why, size_t size);
void slip_flat_close(slip_flat *h);
const char *slip_flat_error(const slip_flat *h);

enum { SLIP_FLAT_NQ, SLIP_FLAT_NV, SLIP_FLAT_BODIES, SLIP_FLAT_LINKS, SLIP_FLAT_JOINTS, SLIP_FLAT_CONTACTS,
       SLIP_FLAT_COLLIDERS, SLIP_FLAT_ITERATIONS, SLIP_FLAT_SNAPSHOT };
long slip_flat_count(const slip_flat *h, int what);
const char *slip_flat_name(const slip_flat *h, int what, int i);     /* of SLIP_FLAT_LINKS, SLIP_FLAT_JOINTS; NULL */
int slip_flat_link(const slip_flat *h, const char *name);            /* -1: none */
int slip_flat_joint(const slip_flat *h, const char *name, int place[4]);  /* iq, nq, iv, nv; the index, -1: none */

/* The world's own arrays, valid as long as the handle; q, v, tau and wrenches may be written between steps. */
enum { SLIP_FLAT_Q, SLIP_FLAT_V, SLIP_FLAT_TAU, SLIP_FLAT_WRENCH, SLIP_FLAT_LOWER, SLIP_FLAT_UPPER, SLIP_FLAT_EFFORT };
slip_real *slip_flat_array(slip_flat *h, int what, int *n);

enum { SLIP_FLAT_TIME, SLIP_FLAT_DT, SLIP_FLAT_MASS, SLIP_FLAT_KINETIC, SLIP_FLAT_POTENTIAL, SLIP_FLAT_RESIDUAL,
       SLIP_FLAT_PENETRATION, SLIP_FLAT_IS_FREE };
double slip_flat_get(slip_flat *h, int what);
int slip_flat_set_dt(slip_flat *h, double dt);
int slip_flat_set_solver(slip_flat *h, const char *id);              /* SLIP_ERR_ARGUMENT: unknown */
int slip_flat_set_integrator(slip_flat *h, const char *name);        /* midpoint, euler or fourth  */

int slip_flat_step(slip_flat *h, int n);                             /* the worst status; ends at an error */
int slip_flat_update(slip_flat *h);                                  /* poses and contacts of the present state */
void slip_flat_reset(slip_flat *h);                                  /* the scene's start */
void slip_flat_save(slip_flat *h, void *to);
int slip_flat_restore(slip_flat *h, const void *from, size_t bytes);

/* Drives: [kp, kd, q_ref, v_ref, feed, effort] of one, and q_ref of all [nv]. */
int slip_flat_drive(slip_flat *h, int iv, slip_real d[6], int write);
void slip_flat_targets(slip_flat *h, const slip_real *q_ref);

/* n worlds, each `steps` steps, in turn; targets [n*nv of the first] or NULL. Returns the worst status. */
int slip_flat_run(slip_flat *const *h, int n, int steps, const slip_real *targets);

/* The same for environments: of each world, nact numbers of `actions` are clamped to -1..1, and drive iv[k] gets the
 * target home[k] + reach action; after the steps a row of `observed` gets q without the two numbers from `skip` on (-1:
 * all of it), v and the clamped actions. actions NULL: no step, the row alone, with zeros for actions. */
typedef struct { int nact, skip; const int *iv; const slip_real *home; double reach; } slip_flat_frame;
int slip_flat_act(slip_flat *const *h, int n, int steps, const slip_flat_frame *frame, const slip_real *actions,
                  slip_real *observed);

/* Contact i of the last step: links (-1: the world); point, normal from a to b, force on b, gap. */
int slip_flat_contact(const slip_flat *h, int i, int links[2], slip_real numbers[10]);

/* As of the last step or update: R row by row and p; velocity (linear, angular; world axes); contact wrench. */
int slip_flat_link_state(const slip_flat *h, int link, slip_real pose[12], slip_real velocity[6], slip_real wrench[6]);
int slip_flat_imu(slip_flat *h, int link, slip_real accel[3], slip_real gyro[3]);

/* Dynamics at a state of the caller's, apart from the world's. x: a for SLIP_FLAT_RNEA, tau for SLIP_FLAT_ABA, v for
 * SLIP_FLAT_INTEGRATE (for one second), the other q for SLIP_FLAT_DIFFERENCE; unused else. out: [nv*nv] or [nv], [nq],
 * or [3] for the centre of mass. */
enum { SLIP_FLAT_MASS_MATRIX, SLIP_FLAT_MASS_INVERSE, SLIP_FLAT_BIAS, SLIP_FLAT_GRAVITY, SLIP_FLAT_RNEA, SLIP_FLAT_ABA,
       SLIP_FLAT_INTEGRATE, SLIP_FLAT_DIFFERENCE, SLIP_FLAT_CENTRE, SLIP_FLAT_NEUTRAL };
int slip_flat_dynamics(slip_flat *h, int what, const slip_real *q, const slip_real *v, const slip_real *x,
                       slip_real *out);
int slip_flat_pose(slip_flat *h, const slip_real *q, int link, slip_real pose[12]);
int slip_flat_jacobian(slip_flat *h, const slip_real *q, int link, int frame, slip_real *J);   /* slip_frame; [6*nv] */

/* The same at n states, a lane of a vector register each (slip_batch): q [n*nq], v and x [n*nv]. out: [n*nv] of
 * SLIP_FLAT_RNEA and SLIP_FLAT_ABA, [n*nv*nv] of SLIP_FLAT_MASS_MATRIX; poses: [n*12] of a link. */
int slip_flat_batch(slip_flat *h, int what, int n, const slip_real *q, const slip_real *v, const slip_real *x,
                    slip_real *out);
int slip_flat_batch_pose(slip_flat *h, int n, const slip_real *q, int link, slip_real *poses);

/* Derivatives of SLIP_FLAT_RNEA or SLIP_FLAT_ABA by tangent vectors of q, by v and by x, [nv*nv] each; of the first the
 * last is the mass matrix, of the second its inverse. */
int slip_flat_derivatives(slip_flat *h, int what, const slip_real *q, const slip_real *v, const slip_real *x,
                          slip_real *by_q, slip_real *by_v, slip_real *by_x);

/* Takes one step and differentiates it: slip_step_derivatives(), whose positive status says that there is no
 * derivative or only one to one side. inputs: a sum of SLIP_BY_.... What it found is kept until the next call: shape
 * gets its rows, columns, contacts, limits, entries at a border, whether it is unique, and the first columns of q, v,
 * tau, q_ref, v_ref, wrench, friction, restitution, stiffness, damping, density, -1 for none. */
enum { SLIP_FLAT_SHAPE = 17 };
int slip_flat_step_derivatives(slip_flat *h, int inputs, double eps, int shape[SLIP_FLAT_SHAPE]);
void slip_flat_step_matrix(const slip_flat *h, slip_real *D, int *border, int *limits);    /* the kept one, copied */

/* x+ = A x + B u of the next step, x tangent vectors of q and then v: columns by q and v, by tau, and by the targets of
 * drives [2*nv*2*nv], [2*nv*nv] twice. The step is one of the integrator euler with the contact problem solved to
 * tol, and the world is put back to where it was. Returns as slip_flat_step_derivatives(). */
int slip_flat_linearize(slip_flat *h, double eps, double tol, slip_real *A, slip_real *B, slip_real *B_q_ref);

/* Solves a contact problem (docs/contact.md) given as text. lambda [n] with room for `most`. stats: iterations,
 * residual of the NCP by the judge, that of the solver's own model. *n: rows. why: the reason of an error. */
int slip_flat_solve(const char *text, size_t length, const char *solver, double tol, slip_real *lambda, int most,
                    int *n, double stats[3], char *why, size_t size);
const char *slip_flat_solver(int i);                                 /* identifiers; NULL after the last */

#endif
