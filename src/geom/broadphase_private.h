/* The broad phase from inside: boxes, the tree's nodes in preorder, pair keys. */
#ifndef SLIP_GEOM_BROADPHASE_PRIVATE_H
#define SLIP_GEOM_BROADPHASE_PRIVATE_H

#include "geom/broadphase.h"

/* Boxes of the tree are floats in both precisions, rounded outwards: half the memory to walk through. */
typedef struct { float lo[3], hi[3]; } bp_fat;

/* Nodes stand in preorder: the left child of node i is i + 1, the right one follows the left one's subtree,
 * and `skip` is the number of nodes of the subtree. Walking needs no stack: on overlap go to the next node,
 * else skip. */
typedef struct {
    bp_fat box;
    int skip;
    int id;                  /* of a leaf; -1 for inner nodes */
} bp_node;

enum { BP_LIVE = 1, BP_MOVED = 2, BP_LARGE = 4 };

struct slip_broadphase {
    int max_boxes, max_pairs, max_excludes;
    int live, end;           /* boxes in use, highest id in use + 1                          */
    slip_real *box;          /* 6 per box: lo, hi as given                                   */
    bp_fat *fat;             /* per box                                                      */
    slip_proxy *proxy;
    unsigned char *state;    /* per box: BP_ bits                                            */
    int *moved, nmoved;      /* boxes that left their fat box, or are new                    */
    int *large, nlarge;      /* boxes too large for the tree: half-spaces                    */
    bp_node *node;
    int nnodes;
    int *leaf;               /* per box: its node                                            */
    int *order;              /* scratch of the builder                                       */
    float area, built_area;  /* of all inner nodes, now and when built                       */
    int stale_tree;          /* boxes came or went: build anew                               */
    int stale_pairs;         /* filters changed or candidates were dropped: find all anew    */
    uint64_t *cand, *fresh;  /* candidate pairs as sorted keys; new ones; max_pairs each     */
    int ncand, nfresh, ndropped;
    slip_box_pair *pair;
    int npairs;
    size_t tests;            /* of two boxes in the last update                              */
    uint64_t *exclude;       /* sorted keys of links                                         */
    int nexcludes;
    int *count;              /* BP_RADIX counters of the sort                                */
    int wide;                /* few boxes: the most there may be, a multiple of 8            */
    slip_real *soa;          /* few boxes: lo x, y, z, hi x, y, z of all                     */
    unsigned char *may;      /* few boxes: 1 at [a][b], a < b, when the filters let them meet */
    int stale_small;         /* boxes came or went, or filters changed: both are made anew   */
};

enum { BP_RADIX_BITS = 11, BP_RADIX = 1 << BP_RADIX_BITS };

static inline uint64_t bp_key(int a, int b)
{
    return a < b ? (uint64_t)(uint32_t)a << 32 | (uint32_t)b : (uint64_t)(uint32_t)b << 32 | (uint32_t)a;
}

static inline int bp_fat_overlap(const bp_fat *a, const bp_fat *b)
{
    return (a->lo[0] <= b->hi[0]) & (b->lo[0] <= a->hi[0]) & (a->lo[1] <= b->hi[1]) & (b->lo[1] <= a->hi[1])
         & (a->lo[2] <= b->hi[2]) & (b->lo[2] <= a->hi[2]);
}

static inline int bp_overlap(const slip_real a[6], const slip_real b[6])
{
    return (a[0] <= b[3]) & (b[0] <= a[3]) & (a[1] <= b[4]) & (b[1] <= a[4]) & (a[2] <= b[5]) & (b[2] <= a[5]);
}

/* The tree (broadphase_tree.c). */
void slip_bp_tree_build(slip_broadphase *bp);
void slip_bp_tree_refit(slip_broadphase *bp);

/* The fat box of lo..hi, grown by `grow` on all sides and rounded outwards. */
bp_fat slip_bp_fatten(const slip_real lo[3], const slip_real hi[3], slip_real grow);

#endif
