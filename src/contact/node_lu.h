/* LU of a matrix whose rows and columns come in nodes of up to six, the freedoms of a body, of which each meets few
 * others.
 *
 * Nodes are eliminated in an order of minimum degree; pivots are sought within a node only. Of a node k, with its later
 * neighbours i side by side, are stored
 *
 *     D_k     the pivot block, 6 x 8          U_k   A_ki, 6 rows of 8 per neighbour          L_k   A_ik', the same
 *
 * with unused rows and columns those of the identity and of zero. So every operation is on rows of eight numbers, and
 * the inner ones, C += X' Y over six rows, hold C in registers.
 *
 * Without pivots from other nodes an elimination can go wrong where the full one would not: slip_node_lu_factor()
 * reports growth, and the caller uses slip_lu_factor() instead. */
#ifndef SLIP_CONTACT_NODE_LU_H
#define SLIP_CONTACT_NODE_LU_H

#include "base/base.h"
#include "contact/quad.h"

enum { SLIP_NODE = 6, SLIP_NODE_LANES = 8, SLIP_NODE_PARTS = SLIP_NODE_LANES/SLIP_QUAD_LANES };

typedef struct {
    int nodes;
    int *order, *place;      /* order[k] is the node eliminated as k-th; place its inverse                   */
    int *start, *row;        /* nodes + 1: later neighbours of k: row[start[k]] .., elimination numbers, ascending */
    int *target;             /* where the pairs of neighbours of k meet: see node_targets()                  */
    int *rank;               /* 6 per node: which of its rows came where                                     */
    int sign;                /* of the determinant, once it is factored; 0 when it cannot be                 */
    slip_real *D, *U, *L;    /* 48 per node; 48 per neighbour; 48 per neighbour                              */
    slip_real *inverse;      /* 6 per node: of the pivots                                                    */
    slip_real *minus;        /* of one node: its L, negated                                                  */
    size_t entries;          /* numbers in D, U and L together, in this order                                */
} slip_node_lu;

/* Which nodes share an entry: a row of bits for each node, and one more for slip_node_lu_analyse(); words of 64 bits in
 * a row, and of all rows. */
static inline size_t slip_node_words(int nodes) { return ((size_t)nodes + 63)/64; }
static inline size_t slip_node_meets_words(int nodes) { return ((size_t)nodes + 1)*slip_node_words(nodes); }
static inline void slip_node_meet(uint64_t *meets, int nodes, int a, int b)
{
    meets[(size_t)a*slip_node_words(nodes) + (size_t)b/64] |= (uint64_t)1 << b % 64;
}

/* Order, pattern and memory. meets (symmetric; its diagonal does not matter) is overwritten with the pattern after
 * elimination. 0 when there is no room. */
int slip_node_lu_analyse(slip_node_lu *s, int nodes, uint64_t *meets, slip_arena *arena);

/* Where in s->D the block of rows of node a and columns of node b begins, with rows *ld apart; *transposed: it is
 * kept as its transpose. a and b are elimination numbers; -1 when they do not meet. */
int slip_node_lu_block(const slip_node_lu *s, int a, int b, int *ld, int *transposed);

/* Entry (r, c) by lanes: 8 times the node's elimination number plus the place in it. Before it is factored. */
slip_real slip_node_lu_entry(const slip_node_lu *s, int r, int c);

/* Zeros all blocks. */
void slip_node_lu_clear(slip_node_lu *s);

/* A = the blocks as filled, overwritten; unused diagonal entries must be 1. SLIP_ERR_NOT_SPD when a node's pivot is
 * singular or far smaller than the entries it has to eliminate. */
slip_status slip_node_lu_factor(slip_node_lu *s);

/* x <- A^-1 x; 8 numbers per node, in the order of elimination, unused ones zero. The same of two vectors at once, bit
 * by bit. */
void slip_node_lu_solve(const slip_node_lu *s, slip_real *x);
void slip_node_lu_solve_two(const slip_node_lu *s, slip_real *x, slip_real *y);

/* C += X' Y over `rows` rows, of which each has six numbers X and eight Y: C stays in registers. */
static inline void slip_node_add(const slip_real *X, const slip_real *Y, int rows, int ld, slip_real *C, int ldc)
{
    slip_lanes sum[SLIP_NODE][SLIP_NODE_PARTS];
    int i, k, r;

    for (i = 0; i < SLIP_NODE; ++i) for (k = 0; k < SLIP_NODE_PARTS; ++k) sum[i][k] = slip_quad_load(C + i*ldc, k);
    for (r = 0; r < rows; ++r, X += ld, Y += ld)
        for (k = 0; k < SLIP_NODE_PARTS; ++k) {
            const slip_lanes y = slip_quad_load(Y, k);

            for (i = 0; i < SLIP_NODE; ++i) sum[i][k] += X[i]*y;
        }
    for (i = 0; i < SLIP_NODE; ++i) for (k = 0; k < SLIP_NODE_PARTS; ++k) slip_quad_store(C + i*ldc, k, sum[i][k]);
}

#endif
