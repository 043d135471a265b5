/* Contacts' systems solved in the joints' space; private to contact and solvers.
 *
 * With G = Y Y' known and fewer coordinates than rows, a system over all contacts with one small matrix per block,
 *
 *     (I + H V V') x = s,      V = D Y,   H 3x3 for a contact, a number for a limit or bilateral row,
 *
 * is solved by one of the size of V's columns:   x = s - H V t,   t = V' x = K^-1 V' s,   K = I + V' H V.
 *
 * Coordinates of which each block touches all or none, as the six of a free body, make a node. K is factored by nodes
 * (node_lu.h), since bodies touch few others. Contacts between the same two bodies touch the same nodes: such a
 * group of blocks is one small full matrix over the nodes' lanes, and what it adds to K or to V' x is summed up
 * before it is spread. */
#ifndef SLIP_CONTACT_JOINT_SPACE_H
#define SLIP_CONTACT_JOINT_SPACE_H

#include "contact/node_lu.h"
#include "contact/problem.h"

typedef struct {
    const slip_problem *p;
    int columns;             /* coordinates that the problem touches                                      */
    int lanes;               /* eight per node: the length of v                                           */
    int *lane;               /* nv: where a coordinate stands in v, -1                                    */
    int *group, groups;      /* groups + 1: first blocks of the groups                                    */
    int *part;               /* groups + 1: first of their parts, one for each node they touch            */
    int *node;               /* per part: its node, in the order of elimination                           */
    int *pair;               /* groups + 1: first of their places, one for each pair of parts             */
    struct slip_joint_space_place { int at, ld, transposed; } *place;      /* in lu.D, of the pair's block of K  */
    uint32_t *vat, *wat;     /* per group: first number in V and W; as long on every machine, since the memory decides
                              * whether this route is taken                                               */
    slip_real *V;            /* D Y: the rows of a group, eight numbers per part                          */
    slip_real *W;            /* its transpose: six rows per part, each of the group's rows, padded to 4   */
    size_t numbers, turned;  /* in V and W                                                                */
    slip_real *T;            /* the rows of the largest group                                             */
    slip_real *H;            /* 9 per block, for the caller to fill; a single row uses the first          */
    slip_real *v;            /* 2 lanes                                                                   */
    slip_node_lu lu;
    int order;               /* columns, 300 at most                                                      */
    slip_real *K;            /* order x order: a full matrix, where lu fails on its pivots                  */
    int *pivot;              /* order                                                                     */
    slip_real *packed;       /* order                                                                     */
    int full;                /* whether the last factorisation is in K                                    */
} slip_joint_space;

/* Upper bound of its memory [bytes], before the pattern is known: a full matrix and its factors, or twice that where it
 * is small. */
static inline size_t slip_joint_space_allowance(const slip_problem *p)
{
    const size_t n = (size_t)p->n, full = n*(n + 1)*sizeof(slip_real);

    return n <= 200 ? 9*full/4 : full;
}

/* Memory, and the order of the nodes. 0 when there is no factor, when it does not fit, or in a counting arena (what it
 * takes depends on the pattern). Whether it pays is decided in operator.h. */
int slip_joint_space_carve(slip_joint_space *j, const slip_problem *p, slip_arena *arena);

/* Flops of a factorisation: what the groups add to K, and its elimination. */
double slip_joint_space_flops(const slip_joint_space *j);

/* Flops of V' x, K^-1 and V v, one after another. */
double slip_joint_space_solve_flops(const slip_joint_space *j);

/* V = D Y; D (n, one number per block) may be NULL for 1. */
void slip_joint_space_open(slip_joint_space *j, const slip_real *D);

/* K from j->H, factored. 0 when it is singular, or too large for pivots that it needs. */
int slip_joint_space_factor(slip_joint_space *j);

/* Sign of the determinant of K. */
int slip_joint_space_sign(const slip_joint_space *j);

/* v (lanes) = V' x; out (n) = V v; v <- K^-1 v. */
void slip_joint_space_gather(const slip_joint_space *j, const slip_real *x, slip_real *v);
void slip_joint_space_spread(const slip_joint_space *j, const slip_real *v, slip_real *out);
void slip_joint_space_solve(slip_joint_space *j, slip_real *v);

/* x (n) <- V K^-1 V' x and y (n) likewise, at once: little dearer than one of them. */
void slip_joint_space_image_two(slip_joint_space *j, slip_real *x, slip_real *y);

#endif
