/* Parts of the derivative of a step. */
#ifndef SLIP_SIM_STEP_DERIVATIVES_PRIVATE_H
#define SLIP_SIM_STEP_DERIVATIVES_PRIVATE_H

#include "sim/step_products.h"
#include "sim/world_private.h"

/* How slip_sim_drift() moves one joint by the time h, from the velocity v of the coordinates: tangents at q+ by those
 * at q and by v, and v+ by v; n x n each, n the joint's freedoms. v+ does not depend on q. */
typedef struct { int n; slip_real qq[36], qv[36], vv[36]; } sim_drift_blocks;
void slip_sim_drift_derivatives(const slip_world *w, int body, slip_real h, const slip_real *v, sim_drift_blocks *out);

/* What moves a contact's point x and normal: a feature of one body on a plane that the other one carries, two balls, or
 * any other pair of shapes. `plane`: 0 when a has the plane, 1 when b has it. radius of the feature. by: of other pairs
 * the changes of x, n and gap by b's motion against a, linear at x and angular. kinked: these are
 * one-sided, since a small motion makes another feature touch. SLIP_ERR_UNSUPPORTED: the contact has the normal of
 * another place (seams.c), or none after a small motion; nothing is known of its motion (SIM_UNKNOWN). */
typedef enum { SIM_ON_PLANE, SIM_BALLS, SIM_OTHER, SIM_UNKNOWN } sim_contact_form;
typedef struct { sim_contact_form form; int plane, kinked; slip_real radius[2], by[6][7]; } sim_contact_kind;
slip_status slip_sim_contact_kind(const slip_world *w, const sim_contact *c, sim_contact_kind *kind);

/* Changes of point, frame and gap when the bodies of a and b move by the motions at the world's origin da, db [6]. */
void slip_sim_contact_motion(const sim_contact *c, const sim_contact_kind *kind, const slip_real da[6],
                             const slip_real db[6], slip_real dx[3], slip_real dframe[9], slip_real *dgap);

/* Velocity of the point x that a motion at the world's origin gives. */
static inline void slip_sim_motion_at(const slip_real m[6], const slip_real x[3], slip_real u[3])
{
    slip_copy3(m, u);
    slip_cross3_add(m + 3, x, u);
}

/* One contact problem of a step, with its answer: of a round of impacts, or of the step's own rows. base: the velocity
 * without its impulses, change: what these add. part: 0 of contacts and limits that the problem does not have, 2 of
 * contacts that were struck. */
typedef struct {
    int impact, nl;
    slip_real *base, *change;                            /* [nv]                                                */
    slip_real *impulse, *sigma, *row_b;                  /* [3*nc]                                              */
    slip_real *limit_impulse, *limit_sign;               /* [nl]                                                */
    int *limit_iv, *part, *limit_part;                   /* [nl], [nc], [nl]                                    */
} sim_stage;

/* Rounds of impacts that are kept: a body that lands on a corner is struck at others in turn. */
enum { SD_ROUNDS = 4 };

/* What a step did on its way (step_derivatives_watch.c). vf: v_free before impacts and hits; bounded: an impact has
 * less than Newton's restitution. */
typedef struct {
    sim_watch watch;
    int rounds, hits, bounded;
    slip_real *vf;
    sim_stage impact[SD_ROUNDS], before_hit, last;
} sim_notes;

/* Takes memory for notes from the high end of mem; 0: there is too little. The step's own rows, after they are
 * solved. */
int slip_sim_d_notes(const slip_world *w, slip_arena *mem, sim_notes *notes);
void slip_sim_d_note_rows(const slip_world *w, const slip_real *v_free, sim_stage *stage);

/* One step being differentiated: step_derivatives.c has the equations and their letters. */
typedef struct {
    slip_world *w;
    slip_step_jacobian *out;
    int nv, nb, nc, nl;                      /* coordinates, bodies, contacts, limits                               */
    int N, NQ, active, wide;                 /* columns of the result, padded; nv padded; rows of closed contacts and
                                                limits, the same padded                                             */
    int products;                            /* 1: of products alone: r stays as it is before it is solved for      */
    slip_real *L, *D_inv;                    /* then the factor of M + D                                            */
    slip_real *one[6], *one_rows, *one_v;    /* [N] or [rows], [rows], [nv] scratch of products                     */
    int halves, with_arcs;                   /* the step begins with half a drift; contacts have arcs               */
    slip_step_jacobian all;                  /* where columns begin, with those of the state                        */
    sim_drift_blocks *last;                  /* [nbodies] of the last part of the step                              */
    int mean, falls;                         /* bias forces at u = (v + v_free + expected)/2; bodies alone, u = 0   */
    slip_real *q0, *v0, *expected;           /* before the step; what contacts were expected to do                  */
    const slip_real *q, *v;                  /* where forces act                                                    */
    sim_notes *notes;
    const sim_stage *stage;                  /* the contact problem at hand                                         */
    slip_real *vf, *vs, *u;                  /* [nv] v_free before impacts and hits; v*; u                          */
    slip_real *push;                         /* [nv] force of drives and damping, and from outside                  */
    slip_real *D;                            /* the result with the columns of the state                            */
    sim_drift_blocks *blocks;                /* [nbodies] of the first half of the step                             */
    slip_real *columns;                      /* [6*ndofs] motions of the freedoms at the world's origin             */
    slip_real *before, *after, *free;        /* [6*nbodies] the bodies' motions there at v, v* and v_free, ...      */
    slip_real *struck;                       /* ... of contacts that had an impact: at the mean of both sides, ...  */
    slip_real *turning, *accel;              /* ... and at the velocity that arcs have, with their accelerations    */
    slip_real *force;                        /* [6*nbodies] contact forces                                          */
    slip_real *y, *stiff, *slope_q, *slope_v;    /* [nv] D, and d(force)/dq and by v of drives                      */
    int *saturated;                          /* [nv] 1: a constant torque                                           */
    slip_real *Fq, *K, *M, *U;               /* [nv*nv] of inverse dynamics                                         */
    slip_real *r, *extra, *s;                /* [nv*N] of v_free, then of v*; scratch for densities; [rows*N]       */
    slip_real *first;                        /* [nv*N] of v_free before impacts and hits: r itself without them     */
    slip_real *jump;                         /* [nv*N] of the change by impacts, NULL: none                         */
    slip_real *half[2];                      /* [nv*N] of the changes before and after a hit, times 2               */
    slip_real *x[2];                         /* [nv] these changes                                                  */
    slip_real *c;                            /* [nv*NQ] of the momentum of impulses by q                            */
    slip_real *J, *P;                        /* [rows*nv], P: of b by u                                             */
    slip_real *keep;                         /* [nv*N] scratch of hits and impacts                                  */
    slip_real *work, *lambda_row;            /* scratch of step_derivatives_energy.c; [N]                           */
    sim_contact_kind *kinds;                 /* [nc]                                                                */
    int *list, *moved;                       /* [ndofs] freedoms of a contact, bits 1 and 2 for those of a and b    */
    slip_real *Sa, *Sb;                      /* [6*ndofs] their motions of a and b                                  */
    slip_real *X, *K2, *A, *B, *a;           /* [nv*wide], [active^2] with compliance, as it is, ...                */
    slip_real *t, *lambda_of;                /* [rows] sigma and lambda                                             */
    slip_real *inverse;                      /* [active^2] K2^-1                                                    */
    slip_real *zr, *right, *lambda;          /* [active*N] changes of sigma at fixed lambda; of modes; dlambda      */
    slip_real *R;                            /* [rows]                                                              */
    int *pivot, *mode, *row_of;              /* [active], [nc + nl], [active] row of each                           */
} sim_derivative;

/* step_derivatives.c: an error that says why; adds to the list of what is at a border of two modes. */
slip_status slip_sim_d_refuse(slip_world *w, const char *what);
void slip_sim_d_add_border(sim_derivative *d, int k);
void slip_sim_d_add_limit_border(sim_derivative *d, int k);      /* k: of the stage's limits */

/* step_derivatives_momentum.c. Motions of all bodies at the world's origin, at velocities v; whether a freedom moves a
 * body; the motion of a body by a freedom, its column or 0. */
void slip_sim_d_motions(const sim_derivative *d, const slip_real *v, slip_real *motion);
int slip_sim_d_moves(const slip_model *m, int dof, int body);
void slip_sim_d_column(const sim_derivative *d, int dof, int body, slip_real S[6]);

/* f of floating and planar joints, and its derivative by v, n x n, for body b; returns n or 0. */
int slip_sim_d_freeze(const slip_model *m, int b, const slip_real *v, slip_real f[3], slip_real df[36]);

/* r <- derivative of the free velocity by all inputs; drives at their limit; columns of densities. */
slip_status slip_sim_d_free(sim_derivative *d, const slip_step_input *in, slip_arena *mem);
slip_status slip_sim_d_half(sim_derivative *d, const slip_step_input *in, const slip_real *u, const slip_real *dU,
                            slip_real *x, slip_real *R, slip_arena *mem);
void slip_sim_d_find_drives_at_limits(sim_derivative *d, const slip_step_input *in, slip_real eps);
void slip_sim_d_right_sides(sim_derivative *d, const slip_step_input *in, slip_real *R);
void slip_sim_d_by_density(sim_derivative *d, const slip_real *u, const slip_real *y, const slip_real *gravity,
                           slip_real *R);

/* step_derivatives_arc.c: accelerations of all bodies at the motions d->turning by velocities u; whether a contact has
 * an arc, and by how much ours differs from it; its derivative by freedom j [m/s]. */
void slip_sim_d_accelerations(sim_derivative *d, const slip_real *u);
int slip_sim_d_has_arc(const sim_contact *c);
slip_real slip_sim_d_arc_error(const sim_derivative *d, const sim_contact *c);
void slip_sim_d_arc(const sim_derivative *d, const sim_contact *c, int j, const slip_real Sa[6], const slip_real Sb[6],
                    int moved, const slip_real *u, const slip_real dx[3], const slip_real dframe[9], slip_real by_q[3],
                    slip_real by_u[3]);

/* step_derivatives_rows.c: relative velocity of a contact in its frame; sigma of all rows into t, J, s, P and c;
 * checked against the step's own sigma. */
void slip_sim_d_relative(const sim_contact *c, const slip_real *motion, slip_real u[3]);
slip_status slip_sim_d_rows(sim_derivative *d, const slip_step_input *in, slip_real eps);

/* step_derivatives_energy.c: the scaling of trees that were hit (bound_energy.c), applied to D, whose state columns are
 * those of the step's start. */
slip_status slip_sim_d_scale(sim_derivative *d, const slip_step_input *in);

/* step_derivatives_modes.c. Y += s A X for rows of N numbers; a row of D in columns of the middle into one of the
 * start. */
void slip_sim_d_add_product(const sim_derivative *d, int rows, int inner, slip_real s, const slip_real *A, int lda,
                            const slip_real *X, slip_real *Y);
void slip_sim_d_from_start(const sim_derivative *d, slip_real *row);

/* step_derivatives_products.c: keeps what products need beyond the step. */
void slip_sim_d_keep_factor(sim_derivative *d);

/* In this order: modes; their blocks; the matrix, factored; dlambda and r <- dv*; the result,
 * in columns of the step's start. */
void slip_sim_d_modes(sim_derivative *d, slip_real eps);
void slip_sim_d_blocks(sim_derivative *d);
slip_status slip_sim_d_matrix(sim_derivative *d);
void slip_sim_d_invert(sim_derivative *d);
slip_status slip_sim_d_carry(sim_derivative *d, slip_arena *mem);
slip_status slip_sim_d_impulses(sim_derivative *d, slip_arena *mem);
void slip_sim_d_result(sim_derivative *d);

#endif
