/* From a model's state and a list of contacts to a contact problem.
 *
 * With M = L' D L over the tree's branches (slip_ltl_factor), G = J M^-1 J' = Y Y', Y = J L^-1 D^-1/2. A contact's
 * three rows of Y live on the dofs between its two bodies and their roots, and nowhere else (Featherstone 2005), so
 * the factored form costs O(depth^2) per contact and G's blocks exist only where two contacts share a tree. */
#ifndef SLIP_CONTACT_ASSEMBLE_H
#define SLIP_CONTACT_ASSEMBLE_H

#include "contact/problem.h"
#include "rbd/rbd.h"

/* A point contact. The impulse lambda acts on link b, -lambda on link a; its velocity is that of b against a. */
typedef struct {
    int link_a, link_b;          /* -1: the world                                                      */
    slip_real point[3];          /* world                                                        [m]   */
    slip_real t1[3], t2[3], n[3];/* orthonormal, world axes; n points from a to b                      */
    slip_real mu;
    slip_real bias[3];           /* added to the free velocity: restitution, stabilisation, gap  [m/s] */
    slip_real R[3];              /* compliance, >= 0                                            [1/kg] */
} slip_contact_point;

/* A scalar row: sign times one velocity coordinate (a joint limit: +1 at the lower end, -1 at the upper). */
typedef struct {
    int iv;                      /* index in v                                                         */
    slip_real sign;
    slip_real bias;              /* added to the free velocity                            [m/s, rad/s] */
    slip_real R;                 /* compliance, >= 0                                                   */
} slip_scalar_row;

/* The problem of nc contacts, nl limits and nb bilateral rows (limits first in `rows`), in the factored form, with
 * memory from the low end of mem. Needs slip_kinematics(), slip_crba() and slip_ltl_factor() on data;
 * v_free [nv] is the velocity without contact. p->R is NULL when all compliances are 0.
 * SLIP_ERR_ARGUMENT for an index out of range or a number that is not finite, SLIP_ERR_WORKSPACE; mem and p are then
 * as they were. slip_contacts_bytes() bytes always suffice. */
slip_status slip_contacts_assemble(const slip_model *model, const slip_data *data, const slip_contact_point *contacts,
                                   int nc, const slip_scalar_row *rows, int nl, int nb, const slip_real *v_free,
                                   slip_arena *mem, slip_problem *p);
size_t      slip_contacts_bytes(const slip_model *model, int nc, int nl, int nb);

/* v [nv] += M^-1 J' lambda for a problem made above, with the same data; the problem's scratch is used. */
void slip_contacts_push(const slip_model *model, const slip_data *data, const slip_problem *p, const slip_real *lambda,
                        slip_real *v);

#endif
