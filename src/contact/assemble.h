/* The contact problem of a model: from sites (two bodies, a point, a frame) to Y, G and g.
 *
 * With the mass matrix M = L' D L over branches, G = J M^-1 J' = Y Y' for Y = J L^-1 D^-1/2. A row of J
 * touches only the freedoms above its two bodies, and so does the row of Y: both are packed along paths.
 * Common ancestors of the two bodies do not move a site, so they drop out of J exactly.
 *
 *     slip_assembly_begin(a, model, data);       after slip_crba() and slip_ltl_factor() for the same q
 *     slip_assembly_contact(a, &site); …         contacts first, then limits, then bilateral rows
 *     slip_assembly_finish(a, mu, g, R, &p);     the problem, G in the form that suits it
 *     …solve…
 *     slip_assembly_impulse(a, lambda, dv);      dv = M^-1 J' lambda  */
#ifndef SLIP_CONTACT_ASSEMBLE_H
#define SLIP_CONTACT_ASSEMBLE_H

#include "contact/problem.h"
#include "rbd/rbd.h"

typedef struct {
    int body_a, body_b;          /* bodies of the model, 0 the world; n points from a to b                  */
    slip_real point[3];          /* where they touch, world                                             [m] */
    slip_real frame[9];          /* rows t1, t2, n, world axes                                              */
} slip_contact_site;

/* A row of relative motion of two bodies: along, or about, an axis at a point that each body carries. */
typedef struct {
    int body_a, body_b;
    slip_real point_a[3], point_b[3];   /* world; equal when the constraint holds                     [m] */
    slip_real axis[3];           /* unit, world axes                                                        */
    int angular;                 /* 1: about the axis, 0: along it                                          */
} slip_row_site;

/* Rows of a block are kept interleaved: the entries of t1, t2, n (and one zero) of a coordinate stand side by
 * side, so that one vector operation serves a whole contact. */
enum { SLIP_ASSEMBLY_LANES = 4 };

typedef struct {
    const slip_model *model;
    const slip_data *data;
    int max_contacts, max_rows;  /* capacities: contacts; limits and bilateral rows together               */
    int nc, nl, nb, n;           /* so far                                                                  */
    int entries;                 /* of ycol                                                                 */
    int *ystart, *ycol;          /* columns of each block, as in slip_delassus                              */
    slip_real *j, *y;            /* J and Y: SLIP_ASSEMBLY_LANES per entry of ycol                          */
    int *leaf;                   /* [2*blocks] the coordinates at the ends of a block's paths, -1: none     */
    slip_real *inv_sqrt_D;       /* [nv] D^-1/2, when has_inv_sqrt_D                                        */
    int has_inv_sqrt_D;
    int mass_is_diagonal;        /* L = 1: the caller may set it after slip_assembly_begin()                */
    slip_real *axis;             /* [6*ndofs] motion per unit of a freedom, as far as it is not zero        */
    int *part;                   /* [ndofs] which half of `axis` is not zero                                */
    int *body_leaf;              /* [nbodies] the coordinate at the end of a body's path, -1: the world     */
    int *top;                    /* [nbodies] the first body of a body's tree                               */
    int *slot;                   /* [nv] scratch: where a block keeps a coordinate                          */
    int ny;                      /* blocks whose Y is there                                                 */
    slip_real *x;                /* [nv] scratch for the FACTOR form                                        */
    int *yat;                    /* FACTOR form                                                             */
    slip_real *packed;
    int *start, *col, *at, *diag;/* BLOCKS form                                                             */
    slip_real *G;                /* DENSE or BLOCKS values                                                  */
    slip_real *transpose;        /* DENSE: Y' by coordinates                                                */
    int max_blocks, max_G;       /* capacities of col and G                                                 */
    int *head, *next, *owner, *mark;  /* blocks by the coordinates they touch; blocks already seen          */
} slip_assembly;

/* Takes memory for max_contacts contacts and max_rows other rows from the low end of the arena; with a counting arena
 * the bytes are counted. max_pairs bounds the blocks of G: contacts (and rows) that share a tree, counted in both
 * orders with themselves; 0 for all of them; negative: -max_pairs, or none where systems over the coordinates of free
 * bodies take their place: large problems stay in the FACTOR form then. */
slip_status slip_assembly_create(const slip_model *model, int max_contacts, int max_rows, int max_pairs,
                                 slip_arena *mem, slip_assembly *a);

void slip_assembly_begin(slip_assembly *a, const slip_model *model, const slip_data *data);

/* Empties it for another group of sites of the same model, state and factor. */
void slip_assembly_restart(slip_assembly *a);

/* Each adds one block and returns SLIP_OK, or SLIP_DROPPED when a capacity is reached, the block then being
 * left out. The order contacts, limits, bilateral rows is the caller's duty. An angular contact counts as a contact;
 * its rows are the relative angular velocity along the rows of the frame, which may have any length. A limit row is
 * sign times a velocity coordinate. */
slip_status slip_assembly_contact(slip_assembly *a, const slip_contact_site *site);
slip_status slip_assembly_angular_contact(slip_assembly *a, const slip_contact_site *site);
slip_status slip_assembly_limit(slip_assembly *a, int iv, slip_real sign);
slip_status slip_assembly_bilateral(slip_assembly *a, const slip_row_site *site);

/* c = J v over all rows so far, [n]; over the single rows (limits, bilateral rows) from block `first` to the last. */
void slip_assembly_velocity(const slip_assembly *a, const slip_real *v, slip_real *c);
void slip_assembly_row_velocity(const slip_assembly *a, int first, const slip_real *v, slip_real *c);

/* d [3 or 1] = the diagonal of G at block i: the velocity per unit impulse [1/kg]. */
void slip_assembly_diagonal(slip_assembly *a, int i, slip_real *d);

/* B [9] = the whole block of G of contact i. */
void slip_assembly_block(slip_assembly *a, int i, slip_real B[9]);

/* As slip_assembly_diagonal(), with M replaced by the diagonal `inertia` [nv]: each coordinate moves on its own. */
void slip_assembly_loose_diagonal(const slip_assembly *a, int i, const slip_real *inertia, slip_real *d);

/* c = G lambda among the single rows from block `first` to the last, one number each. */
void slip_assembly_mobility(slip_assembly *a, int first, const slip_real *lambda, slip_real *c);

/* sigma [n] = (Y Y' + R) lambda + g, without G: this suffices to judge the impulses of the last step. R may be NULL. */
void slip_assembly_sigma(slip_assembly *a, const slip_real *lambda, const slip_real *g, const slip_real *R,
                         slip_real *sigma);

/* The same by way of force [nv] (or NULL) = J' lambda, dv [nv] = M^-1 force, sigma = J dv + R lambda + g: without Y,
 * which is cheaper when the impulses are reused, but over all coordinates of the model. */
void slip_assembly_sigma_of(const slip_assembly *a, const slip_real *lambda, const slip_real *g, const slip_real *R,
                            slip_real *force, slip_real *dv, slip_real *sigma);

/* The problem over the caller's mu [nc], g [n] and R [n] or NULL. G is multiplied out, full or in blocks, unless
 * systems over the model's coordinates take fewer flops than over the rows (operator.h). SLIP_DROPPED when
 * G has more blocks than there is room for: then the problem stays in the FACTOR form, which every solver takes. */
slip_status slip_assembly_finish(slip_assembly *a, const slip_real *mu, const slip_real *g, const slip_real *R,
                                 slip_problem *p);

void slip_assembly_impulse(slip_assembly *a, const slip_real *lambda, slip_real *dv);    /* dv [nv] = M^-1 J' lambda */
void slip_assembly_force(const slip_assembly *a, const slip_real *lambda, slip_real *tau);   /* tau [nv] = J' lambda */

/* The same for several groups of sites in one world, one after another. tau [nv] += J' lambda of each group. x [nv] +=
 * Y' lambda of each group, and after the last of them once x <- L^-1 D^-1/2 x, which makes it dv. */
void slip_assembly_add_force(const slip_assembly *a, const slip_real *lambda, slip_real *tau);
void slip_assembly_add_impulse(slip_assembly *a, const slip_real *lambda, slip_real *x);
void slip_assembly_spread(slip_assembly *a, slip_real *x);

#endif
