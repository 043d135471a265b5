/* The tree of the broad phase: split at the median along the widest axis of the centres, stored in preorder,
 * so always balanced; refitted from its end to its beginning when boxes move. */
#include "geom/broadphase_private.h"

/* The nearest float not above, not below. */
static float bp_down(slip_real x)
{
    const float f = (float)x;

    return (slip_real)f <= x ? f : nextafterf(f, -FLT_MAX);
}

static float bp_up(slip_real x)
{
    const float f = (float)x;

    return (slip_real)f >= x ? f : nextafterf(f, FLT_MAX);
}

bp_fat slip_bp_fatten(const slip_real lo[3], const slip_real hi[3], slip_real grow)
{
    const slip_real far_out = SLIP_R(1e38);              /* within float */
    bp_fat f;
    int i;

    for (i = 0; i < 3; ++i) {
        f.lo[i] = bp_down(slip_clamp(lo[i] - grow, -far_out, far_out));
        f.hi[i] = bp_up(slip_clamp(hi[i] + grow, -far_out, far_out));
    }
    return f;
}

/* ---- building --------------------------------------------------------------------------------------- */

static float bp_centre(const bp_fat *f, int axis) { return f->lo[axis]/2 + f->hi[axis]/2; }

/* The axis along which the centres of order[lo..hi) spread most. */
static int bp_widest(const slip_broadphase *bp, int lo, int hi)
{
    float least[3] = { FLT_MAX, FLT_MAX, FLT_MAX }, most[3] = { -FLT_MAX, -FLT_MAX, -FLT_MAX };
    int i, k, best = 0;

    for (i = lo; i < hi; ++i)
        for (k = 0; k < 3; ++k) {
            const float c = bp_centre(&bp->fat[bp->order[i]], k);

            if (c < least[k]) least[k] = c;
            if (c > most[k]) most[k] = c;
        }
    for (k = 1; k < 3; ++k) if (most[k] - least[k] > most[best] - least[best]) best = k;
    return best;
}

/* Arranges order[lo..hi) so that order[lo..mid) lies below order[mid..hi) along the axis (Hoare's select,
 * pivot from three). Gives up after some rounds: the order only matters for speed. */
static void bp_select(slip_broadphase *bp, int lo, int hi, int mid, int axis)
{
    int rounds;

    for (rounds = 0; rounds < 64 && hi - lo > 1; ++rounds) {
        const float a = bp_centre(&bp->fat[bp->order[lo]], axis);
        const float b = bp_centre(&bp->fat[bp->order[lo + (hi - lo)/2]], axis);
        const float c = bp_centre(&bp->fat[bp->order[hi - 1]], axis);
        const float pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        int i = lo, j = hi - 1;

        while (i <= j) {
            while (bp_centre(&bp->fat[bp->order[i]], axis) < pivot) ++i;
            while (bp_centre(&bp->fat[bp->order[j]], axis) > pivot) --j;
            if (i <= j) {
                const int t = bp->order[i];

                bp->order[i++] = bp->order[j];
                bp->order[j--] = t;
            }
        }
        if (mid <= j) hi = j + 1;
        else if (mid >= i) lo = i;
        else return;
    }
}

void slip_bp_tree_build(slip_broadphase *bp)
{
    struct { int lo, hi, node; } stack[64];
    int depth = 0, n = 0, id;

    for (id = 0; id < bp->end; ++id)
        if ((bp->state[id] & (BP_LIVE | BP_LARGE)) == BP_LIVE) bp->order[n++] = id;
    bp->nnodes = n > 0 ? 2*n - 1 : 0;
    bp->stale_tree = 0;
    if (n == 0) return;
    stack[depth].lo = 0;  stack[depth].hi = n;  stack[depth++].node = 0;
    while (depth > 0) {                                  /* one range waits per level, and levels are log2 n */
        const int lo = stack[--depth].lo, hi = stack[depth].hi, at = stack[depth].node, mid = lo + (hi - lo)/2;
        bp_node *node = &bp->node[at];

        node->skip = 2*(hi - lo) - 1;
        node->id = hi - lo == 1 ? bp->order[lo] : -1;
        if (hi - lo == 1) { bp->leaf[bp->order[lo]] = at;  continue; }
        bp_select(bp, lo, hi, mid, bp_widest(bp, lo, hi));
        stack[depth].lo = mid;  stack[depth].hi = hi;   stack[depth++].node = at + 2*(mid - lo);
        stack[depth].lo = lo;   stack[depth].hi = mid;  stack[depth++].node = at + 1;
    }
    slip_bp_tree_refit(bp);
    bp->built_area = bp->area;
}

static float bp_half_area(const bp_fat *f)
{
    const float x = f->hi[0] - f->lo[0], y = f->hi[1] - f->lo[1], z = f->hi[2] - f->lo[2];

    return x*y + y*z + z*x;
}

void slip_bp_tree_refit(slip_broadphase *bp)
{
    float area = 0;
    int i, k;

    for (i = bp->nnodes - 1; i >= 0; --i) {
        bp_node *node = &bp->node[i];

        if (node->id >= 0) {
            node->box = bp->fat[node->id];
        } else {
            const bp_fat *l = &bp->node[i + 1].box, *r = &bp->node[i + 1 + bp->node[i + 1].skip].box;

            for (k = 0; k < 3; ++k) {
                node->box.lo[k] = l->lo[k] < r->lo[k] ? l->lo[k] : r->lo[k];
                node->box.hi[k] = l->hi[k] > r->hi[k] ? l->hi[k] : r->hi[k];
            }
            area += bp_half_area(&node->box);
        }
    }
    bp->area = area;
}
