/* See broadphase.h. Candidates are kept as one sorted array of keys (a << 32 | b); a frame takes out those of
 * boxes that left their fat box, finds them anew, merges, and tests all of them with the true boxes. */
#include "geom/broadphase_private.h"

#include <string.h>

/* Growth of a fat box on each side, as a share of the box's longest side. */
#define BP_GROW SLIP_R(0.1)

/* The tree is built anew when its area has grown by this factor. */
#define BP_WORN 1.4f

/* Extents beyond this go to the list of large boxes. [m] */
#define BP_LARGE_SIZE SLIP_R(1e18)

slip_proxy slip_proxy_defaults(void)
{
    slip_proxy p;

    p.body = p.parent = p.link = -1;
    p.group = 1;
    p.mask = 0xffffffffu;
    p.is_static = 0;
    return p;
}

/* ---- memory ----------------------------------------------------------------------------------------- */

static slip_broadphase *bp_take(int max_boxes, int max_pairs, int max_excludes, slip_arena *arena)
{
    const int small = max_boxes <= SLIP_BROADPHASE_SMALL;        /* neither tree nor lists of candidates */
    const size_t n = (size_t)max_boxes, in_tree = small ? 0 : n, m = (size_t)max_pairs, listed = small ? 0 : m;
    const size_t wide = small ? (n + 7)/8*8 : SLIP_BROADPHASE_SMALL;
    slip_broadphase *at = (slip_broadphase *)slip_arena_take(arena, 1, sizeof *at), b;

    memset(&b, 0, sizeof b);
    b.max_boxes = max_boxes;
    b.max_pairs = max_pairs;
    b.max_excludes = max_excludes;
    b.box = slip_arena_reals(arena, 6*n);
    b.fat = (bp_fat *)slip_arena_take(arena, n, sizeof(bp_fat));
    b.proxy = (slip_proxy *)slip_arena_take(arena, n, sizeof(slip_proxy));
    b.state = (unsigned char *)slip_arena_take_zero(arena, n, 1);
    b.moved = slip_arena_ints(arena, n);
    b.large = slip_arena_ints(arena, n);
    b.node = (bp_node *)slip_arena_take(arena, 2*in_tree, sizeof(bp_node));
    b.leaf = slip_arena_ints(arena, in_tree);
    b.order = slip_arena_ints(arena, in_tree);
    b.cand = (uint64_t *)slip_arena_take(arena, listed, sizeof(uint64_t));
    b.fresh = (uint64_t *)slip_arena_take(arena, listed, sizeof(uint64_t));
    b.pair = (slip_box_pair *)slip_arena_take(arena, m, sizeof(slip_box_pair));
    b.exclude = (uint64_t *)slip_arena_take(arena, (size_t)max_excludes, sizeof(uint64_t));
    b.count = slip_arena_ints(arena, small ? 0 : BP_RADIX);
    b.wide = (int)wide;
    b.soa = slip_arena_reals(arena, 6*wide);
    b.may = (unsigned char *)slip_arena_take(arena, wide*wide, 1);
    b.stale_small = 1;
    if (!at || !b.box || !b.fat || !b.proxy || !b.state || !b.moved || !b.large || !b.node || !b.leaf || !b.order
        || !b.cand || !b.fresh || !b.pair || !b.exclude || !b.count || !b.soa || !b.may) return NULL;
    if (!slip_arena_is_counting(arena)) *at = b;
    return at;
}

slip_status slip_broadphase_create(int max_boxes, int max_pairs, int max_excludes, slip_arena *arena,
                                   slip_broadphase **out)
{
    const size_t mark = slip_arena_mark(arena);
    slip_broadphase *bp;

    if (max_boxes < 0 || max_pairs < 0 || max_excludes < 0) return SLIP_ERR_ARGUMENT;
    bp = bp_take(max_boxes, max_pairs, max_excludes, arena);
    if (!bp) {
        slip_arena_release(arena, mark);
        return SLIP_ERR_WORKSPACE;
    }
    *out = bp;
    return SLIP_OK;
}

size_t slip_broadphase_bytes(int max_boxes, int max_pairs, int max_excludes)
{
    slip_arena count = slip_arena_counting();

    if (max_boxes < 0 || max_pairs < 0 || max_excludes < 0) return 0;
    bp_take(max_boxes, max_pairs, max_excludes, &count);
    return slip_arena_needed(&count);
}

/* ---- boxes ------------------------------------------------------------------------------------------ */

static int bp_is_box(const slip_real lo[3], const slip_real hi[3])
{
    return slip_all_finite(lo, 3) && slip_all_finite(hi, 3) && lo[0] <= hi[0] && lo[1] <= hi[1] && lo[2] <= hi[2];
}

static int bp_is_live(const slip_broadphase *bp, int id)
{
    return id >= 0 && id < bp->end && bp->state[id] & BP_LIVE;
}

static void bp_mark_moved(slip_broadphase *bp, int id)
{
    if (bp->state[id] & BP_MOVED) return;
    bp->state[id] |= BP_MOVED;
    bp->moved[bp->nmoved++] = id;
}

static void bp_forget_large(slip_broadphase *bp, int id)
{
    int i;

    for (i = 0; bp->large[i] != id; ++i) { }
    for (--bp->nlarge; i < bp->nlarge; ++i) bp->large[i] = bp->large[i + 1];
}

/* A fresh fat box round the true one; notes when the box changes between tree and list. */
static void bp_fatten(slip_broadphase *bp, int id)
{
    const slip_real *b = bp->box + 6*id;
    slip_real side = 0, reach = 0;
    int i, was_large = bp->state[id] & BP_LARGE, is_large;

    for (i = 0; i < 3; ++i) {
        side = slip_max(side, b[3 + i]/2 - b[i]/2);      /* halves: no overflow */
        reach = slip_max(reach, slip_max(slip_abs(b[i]), slip_abs(b[3 + i])));
    }
    is_large = reach > BP_LARGE_SIZE ? BP_LARGE : 0;
    bp->fat[id] = slip_bp_fatten(b, b + 3, is_large ? 0 : 2*BP_GROW*side);
    if (was_large == is_large) return;
    bp->state[id] ^= BP_LARGE;
    bp->stale_tree = 1;
    if (is_large) bp->large[bp->nlarge++] = id;
    else          bp_forget_large(bp, id);
}

int slip_broadphase_add(slip_broadphase *bp, const slip_proxy *proxy, const slip_real lo[3], const slip_real hi[3])
{
    int id = 0;

    if (bp->live >= bp->max_boxes || !bp_is_box(lo, hi)) return -1;
    if (bp->live == bp->end) id = bp->end;               /* no gaps: no search */
    else while (bp->state[id] & BP_LIVE) ++id;
    bp->state[id] = BP_LIVE;
    bp->proxy[id] = *proxy;
    slip_copy3(lo, bp->box + 6*id);
    slip_copy3(hi, bp->box + 6*id + 3);
    ++bp->live;
    if (id >= bp->end) bp->end = id + 1;
    bp->stale_tree = bp->stale_small = 1;
    if (bp->nnodes > 0) {
        bp_fatten(bp, id);
        bp_mark_moved(bp, id);
    }
    return id;
}

void slip_broadphase_remove(slip_broadphase *bp, int id)
{
    int i;

    if (!bp_is_live(bp, id)) return;
    if (bp->state[id] & BP_LARGE) bp_forget_large(bp, id);
    if (bp->state[id] & BP_MOVED) {
        for (i = 0; bp->moved[i] != id; ++i) { }
        bp->moved[i] = bp->moved[--bp->nmoved];
    }
    bp->state[id] = 0;
    --bp->live;
    while (bp->end > 0 && !(bp->state[bp->end - 1] & BP_LIVE)) --bp->end;
    bp->stale_tree = bp->stale_pairs = bp->stale_small = 1;
}

/* The box of a few, by coordinates. */
static void bp_put_small(slip_broadphase *bp, int id)
{
    int k;

    for (k = 0; k < 6; ++k) bp->soa[k*bp->wide + id] = bp->box[6*id + k];
}

slip_status slip_broadphase_move(slip_broadphase *bp, int id, const slip_real lo[3], const slip_real hi[3])
{
    const bp_fat *f;
    int i, inside = 1;

    if (!bp_is_live(bp, id) || !bp_is_box(lo, hi)) return SLIP_ERR_ARGUMENT;
    slip_copy3(lo, bp->box + 6*id);
    slip_copy3(hi, bp->box + 6*id + 3);
    if (!bp->stale_small) bp_put_small(bp, id);
    if (bp->nnodes == 0) return SLIP_OK;                 /* no tree, no fat boxes */
    f = &bp->fat[id];
    for (i = 0; i < 3; ++i) inside &= ((slip_real)f->lo[i] <= lo[i]) & (hi[i] <= (slip_real)f->hi[i]);
    if (!inside) {
        bp_fatten(bp, id);
        bp_mark_moved(bp, id);
    }
    return SLIP_OK;
}

/* ---- filters ---------------------------------------------------------------------------------------- */

/* The index at which a key is, or would be inserted, in the sorted exclude list. */
static int bp_exclude_find(const slip_broadphase *bp, uint64_t key)
{
    int lo = 0, hi = bp->nexcludes;

    while (lo < hi) {
        const int mid = (lo + hi)/2;

        if (bp->exclude[mid] < key) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

slip_status slip_broadphase_exclude(slip_broadphase *bp, int link_a, int link_b)
{
    const uint64_t key = bp_key(link_a, link_b);
    const int at = bp_exclude_find(bp, key);

    if (at < bp->nexcludes && bp->exclude[at] == key) return SLIP_OK;
    if (bp->nexcludes >= bp->max_excludes) return SLIP_ERR_LIMIT;
    memmove(bp->exclude + at + 1, bp->exclude + at, (size_t)(bp->nexcludes - at)*sizeof *bp->exclude);
    bp->exclude[at] = key;
    ++bp->nexcludes;
    bp->stale_pairs = bp->stale_small = 1;
    return SLIP_OK;
}

static int bp_allowed(const slip_broadphase *bp, int a, int b)
{
    const slip_proxy *p = &bp->proxy[a], *q = &bp->proxy[b];

    if (p->is_static && q->is_static) return 0;
    if (!(p->group & q->mask) || !(q->group & p->mask)) return 0;
    if (p->body >= 0 && (p->body == q->body || p->body == q->parent)) return 0;
    if (q->body >= 0 && q->body == p->parent) return 0;
    if (bp->nexcludes > 0 && p->link >= 0 && q->link >= 0) {
        const uint64_t key = bp_key(p->link, q->link);
        const int at = bp_exclude_find(bp, key);

        if (at < bp->nexcludes && bp->exclude[at] == key) return 0;
    }
    return 1;
}

int slip_broadphase_allows(const slip_broadphase *bp, int a, int b)
{
    return a != b && bp_is_live(bp, a) && bp_is_live(bp, b) && bp_allowed(bp, a, b);
}

/* ---- candidates ------------------------------------------------------------------------------------- */

/* Pairs without room are counted up to this many; then the search ends, so that a heap of boxes all in one place
 * does not cost their number squared. */
enum { BP_COUNT_DROPPED = 1 << 20 };

/* Adds a pair to the fresh candidates. `room` is what the array may hold. */
static void bp_push(slip_broadphase *bp, int a, int b, int room)
{
    if (bp->nfresh < room) bp->fresh[bp->nfresh++] = bp_key(a, b);
    else ++bp->ndropped;
}

static void bp_sort_few(uint64_t *key, int n)
{
    int i, j;

    for (i = 1; i < n; ++i) {
        const uint64_t k = key[i];

        for (j = i; j > 0 && key[j - 1] > k; --j) key[j] = key[j - 1];
        key[j] = k;
    }
}

/* Sorts keys by their significant bits, 11 at a time; few of them by insertion. The result may end in the other array.
 * O(n) */
static uint64_t *bp_sort(slip_broadphase *bp, uint64_t *key, uint64_t *other, int n)
{
    int bits = 0, shift, i;

    if (n < 64) { bp_sort_few(key, n);  return key; }
    while (bits < 31 && bp->end >> bits) ++bits;
    for (shift = 0; shift < 64; shift = shift + BP_RADIX_BITS >= bits && shift < 32 ? 32 : shift + BP_RADIX_BITS) {
        int sum = 0;

        if (shift >= 32 + bits) break;
        memset(bp->count, 0, BP_RADIX*sizeof *bp->count);
        for (i = 0; i < n; ++i) ++bp->count[key[i] >> shift & (BP_RADIX - 1)];
        for (i = 0; i < BP_RADIX; ++i) {
            const int c = bp->count[i];

            bp->count[i] = sum;
            sum += c;
        }
        for (i = 0; i < n; ++i) other[bp->count[key[i] >> shift & (BP_RADIX - 1)]++] = key[i];
        { uint64_t *t = key;  key = other;  other = t; }
    }
    return key;
}

/* One leaf against all that follow it in the tree, each pair of leaves thus once. */
static void bp_find_after(slip_broadphase *bp, int leaf, int tight)
{
    const bp_fat *f = &bp->node[leaf].box;
    const int a = bp->node[leaf].id;
    size_t tests = 0;
    int i = leaf + 1;

    while (i < bp->nnodes && bp->ndropped < (tight ? BP_COUNT_DROPPED : 1)) {
        const bp_node *node = &bp->node[i];

        ++tests;
        if (!bp_fat_overlap(f, &node->box)) { i += node->skip;  continue; }
        ++i;
        if (node->id >= 0 && bp_allowed(bp, a, node->id)
            && (!tight || bp_overlap(bp->box + 6*a, bp->box + 6*node->id))) bp_push(bp, a, node->id, bp->max_pairs);
    }
    bp->tests += tests;
}

/* All candidates from nothing. */
static void bp_find_all(slip_broadphase *bp, int tight)
{
    int i, k, b;

    bp->nfresh = 0;
    for (i = 0; i < bp->nnodes; ++i) if (bp->node[i].id >= 0) bp_find_after(bp, i, tight);
    for (k = 0; k < bp->nlarge; ++k) {
        const int a = bp->large[k];

        bp->tests += (size_t)bp->end;
        for (b = 0; b < bp->end; ++b)
            if (bp->state[b] & BP_LIVE && b != a && !(bp->state[b] & BP_LARGE && b < a)
                && bp_fat_overlap(&bp->fat[a], &bp->fat[b]) && bp_allowed(bp, a, b)
                && (!tight || bp_overlap(bp->box + 6*a, bp->box + 6*b))) bp_push(bp, a, b, bp->max_pairs);
    }
}

/* One moved box against the rest. Two boxes that both moved meet in the query of the lower id. */
static void bp_find_pairs_of(slip_broadphase *bp, int a, int room)
{
    const bp_fat *f = &bp->fat[a];
    int i = 0, k, b;

    if (bp->state[a] & BP_LARGE) {
        bp->tests += (size_t)bp->end;
        for (b = 0; b < bp->end; ++b)
            if (bp->state[b] & BP_LIVE && b != a && !(bp->state[b] & BP_MOVED && b < a)
                && bp_fat_overlap(f, &bp->fat[b]) && bp_allowed(bp, a, b)) bp_push(bp, a, b, room);
        return;
    }
    while (i < bp->nnodes && bp->ndropped == 0) {        /* once one is dropped all are found anew */
        const bp_node *node = &bp->node[i];

        ++bp->tests;
        if (!bp_fat_overlap(f, &node->box)) { i += node->skip;  continue; }
        ++i;
        b = node->id;
        if (b >= 0 && b != a && !(bp->state[b] & BP_MOVED && b < a) && bp_allowed(bp, a, b)) bp_push(bp, a, b, room);
    }
    bp->tests += (size_t)bp->nlarge;
    for (k = 0; k < bp->nlarge; ++k) {
        b = bp->large[k];
        if (!(bp->state[b] & BP_MOVED && b < a) && bp_fat_overlap(f, &bp->fat[b]) && bp_allowed(bp, a, b))
            bp_push(bp, a, b, room);
    }
}

/* Merges the sorted fresh keys into the sorted candidates, from the back. */
static void bp_merge(slip_broadphase *bp, const uint64_t *fresh, int n)
{
    int i = bp->ncand - 1, j = n - 1, at = bp->ncand + n - 1;

    while (j >= 0) bp->cand[at--] = i >= 0 && bp->cand[i] > fresh[j] ? bp->cand[i--] : fresh[j--];
    bp->ncand += n;
}

/* Replaces the candidates of the moved boxes. */
static void bp_find_moved(slip_broadphase *bp)
{
    int i, kept = 0;

    for (i = 0; i < bp->ncand; ++i) {
        const uint64_t k = bp->cand[i];

        if ((bp->state[k >> 32] | bp->state[k & 0xffffffffu]) & BP_MOVED) continue;
        bp->cand[kept++] = k;
    }
    bp->ncand = kept;
    bp->nfresh = 0;
    for (i = 0; i < bp->nmoved; ++i) bp_find_pairs_of(bp, bp->moved[i], bp->max_pairs - kept);
    /* The tail of the pair array is free: it is rewritten last. */
    bp_merge(bp, bp_sort(bp, bp->fresh, (uint64_t *)(void *)bp->pair, bp->nfresh), bp->nfresh);
}

/* Makes the fresh keys, sorted, the candidates. */
static void bp_adopt(slip_broadphase *bp)
{
    const uint64_t *sorted = bp_sort(bp, bp->fresh, bp->cand, bp->nfresh);

    bp->ncand = bp->nfresh;
    if (sorted == bp->fresh) {
        uint64_t *t = bp->cand;

        bp->cand = bp->fresh;
        bp->fresh = t;
    }
}

/* ---- the frame -------------------------------------------------------------------------------------- */

static void bp_emit(slip_broadphase *bp, int a, int b)
{
    if (bp->npairs >= bp->max_pairs) { ++bp->ndropped;  return; }
    bp->pair[bp->npairs].a = a;
    bp->pair[bp->npairs++].b = b;
}

/* apart[b] <= 0 where box a overlaps box b, for eight b: the largest gap of the three axes. The length is fixed and
 * there are no branches, so compilers vectorise it. */
static inline void bp_eight(const slip_real *SLIP_RESTRICT soa, int N, const slip_real a[6],
                            slip_real *SLIP_RESTRICT apart)
{
    int b;

    for (b = 0; b < 8; ++b) {
        const slip_real x = slip_max(soa[b] - a[3], a[0] - soa[3*N + b]);
        const slip_real y = slip_max(soa[N + b] - a[4], a[1] - soa[4*N + b]);
        const slip_real z = slip_max(soa[2*N + b] - a[5], a[2] - soa[5*N + b]);

        apart[b] = slip_max(slip_max(x, y), z);
    }
}

/* Fills the arrays that bp_small() reads: boxes by coordinates, and which pairs the filters allow. Later moves update
 * the boxes in place. */
static void bp_small_begin(slip_broadphase *bp, int wide)
{
    const int N = bp->wide;
    int a, b, k;

    for (a = 0; a < wide; ++a) {
        for (b = 0; b < wide; ++b)
            bp->may[a*N + b] = (unsigned char)(a < b && bp_is_live(bp, a) && bp_is_live(bp, b) && bp_allowed(bp, a, b));
        if (bp_is_live(bp, a)) bp_put_small(bp, a);
        else for (k = 0; k < 6; ++k) bp->soa[k*N + a] = 0;               /* overlaps no box */
    }
    bp->stale_small = 0;
}

/* All pairs of few boxes, row by row, eight at a time: overlaps are rare. */
static void bp_small(slip_broadphase *bp)
{
    const int N = bp->wide, wide = (bp->end + 7)/8*8;
    int a, b, k;

    if (bp->stale_small) bp_small_begin(bp, wide);
    bp->npairs = bp->ndropped = 0;
    for (a = 0; a + 1 < bp->end; ++a) {
        const int from = (a + 1)/8*8;

        if (!(bp->state[a] & BP_LIVE)) continue;
        bp->tests += (size_t)(wide - from);
        for (k = from; k < wide; k += 8) {
            slip_real apart[8];

            bp_eight(bp->soa + k, N, bp->box + 6*a, apart);
            for (b = 0; b < 8; ++b) if (apart[b] <= 0 && bp->may[a*N + k + b]) bp_emit(bp, a, k + b);
        }
    }
}

/* Candidates of the tree, all anew or those of the moved boxes. */
static void bp_find(slip_broadphase *bp, int all)
{
    bp->ndropped = 0;
    if (all) {
        bp_find_all(bp, 0);
        bp_adopt(bp);
    } else {
        bp_find_moved(bp);
    }
    bp->stale_pairs = bp->ndropped > 0;
    if (!bp->ndropped) return;
    bp->ndropped = 0;                                    /* the fat candidates do not fit; the true overlaps may */
    bp_find_all(bp, 1);
    bp_adopt(bp);
}

static void bp_many(slip_broadphase *bp)
{
    int i, all = bp->stale_pairs || bp->nmoved > bp->live/4;

    bp->stale_small = 1;
    for (i = 0; bp->nnodes == 0 && i < bp->end; ++i) if (bp->state[i] & BP_LIVE) bp_fatten(bp, i);
    if (bp->stale_tree || bp->nnodes == 0) {
        slip_bp_tree_build(bp);
        all = 1;
    } else if (bp->nmoved > 0) {
        slip_bp_tree_refit(bp);
        if (bp->area > BP_WORN*bp->built_area) slip_bp_tree_build(bp);
    }
    bp_find(bp, all);
    bp->npairs = 0;
    bp->tests += (size_t)bp->ncand;
    for (i = 0; i < bp->ncand; ++i) {
        const int a = (int)(bp->cand[i] >> 32), b = (int)(bp->cand[i] & 0xffffffffu);

        bp->pair[bp->npairs].a = a;
        bp->pair[bp->npairs].b = b;
        bp->npairs += bp_overlap(bp->box + 6*a, bp->box + 6*b);
    }
}

slip_status slip_broadphase_update(slip_broadphase *bp)
{
    int i;

    bp->tests = 0;
    if (bp->end <= SLIP_BROADPHASE_SMALL) {
        bp->nnodes = 0;                                  /* the tree is built when it is needed again */
        bp_small(bp);
    } else {
        bp_many(bp);
    }
    for (i = 0; i < bp->nmoved; ++i) bp->state[bp->moved[i]] &= (unsigned char)~BP_MOVED;
    bp->nmoved = 0;
    return bp->ndropped > 0 ? SLIP_DROPPED : SLIP_OK;
}

const slip_box_pair *slip_broadphase_pairs(const slip_broadphase *bp, int *count)
{
    *count = bp->npairs;
    return bp->pair;
}

int slip_broadphase_dropped(const slip_broadphase *bp) { return bp->ndropped; }

size_t slip_broadphase_tests(const slip_broadphase *bp) { return bp->tests; }

const slip_proxy *slip_broadphase_proxy(const slip_broadphase *bp, int id)
{
    return bp_is_live(bp, id) ? &bp->proxy[id] : NULL;
}

int slip_broadphase_end(const slip_broadphase *bp) { return bp->end; }

/* ---- walks ------------------------------------------------------------------------------------------ */

slip_broadphase_walk slip_broadphase_all(const slip_broadphase *bp)
{
    slip_broadphase_walk w;

    w.bp = bp;
    w.node = w.large = w.id = 0;
    return w;
}

/* The next box that is not in the tree: all of them when there is no tree, else the large ones; -1 at the end. */
static int bp_next_loose(slip_broadphase_walk *w)
{
    const slip_broadphase *bp = w->bp;

    if (bp->nnodes == 0) {
        while (w->id < bp->end && !(bp->state[w->id] & BP_LIVE)) ++w->id;
        return w->id < bp->end ? w->id++ : -1;
    }
    return w->large < bp->nlarge ? bp->large[w->large++] : -1;
}

int slip_broadphase_next(slip_broadphase_walk *w, const slip_real lo[3], const slip_real hi[3])
{
    const slip_broadphase *bp = w->bp;
    const bp_fat want = slip_bp_fatten(lo, hi, 0);
    int id;

    while (w->node < bp->nnodes) {
        const bp_node *node = &bp->node[w->node];

        if (!bp_fat_overlap(&want, &node->box)) { w->node += node->skip;  continue; }
        ++w->node;
        if (node->id >= 0) return node->id;
    }
    while ((id = bp_next_loose(w)) >= 0) {
        const bp_fat true_box = slip_bp_fatten(bp->box + 6*id, bp->box + 6*id + 3, 0);

        if (bp_fat_overlap(&want, &true_box)) return id;
    }
    return -1;
}

/* Whether a ray's part 0..tmax meets a box; conservative by some roundings of the entry and exit. */
static int bp_ray_meets(const bp_fat *f, const slip_real o[3], const slip_real inv[3], slip_real tmax)
{
    slip_real enter = 0, leave = tmax;
    int i;

    for (i = 0; i < 3; ++i) {
        const slip_real a = ((slip_real)f->lo[i] - o[i])*inv[i], b = ((slip_real)f->hi[i] - o[i])*inv[i];

        if (inv[i] == 0) {                               /* parallel: inside the slab or never */
            if (o[i] < (slip_real)f->lo[i] || o[i] > (slip_real)f->hi[i]) return 0;
            continue;
        }
        enter = slip_max(enter, slip_min(a, b));
        leave = slip_min(leave, slip_max(a, b));
    }
    return enter <= leave + 8*SLIP_REAL_EPS*(slip_abs(leave) + enter);
}

int slip_broadphase_next_on_ray(slip_broadphase_walk *w, const slip_real origin[3], const slip_real dir[3],
                                slip_real tmax)
{
    const slip_broadphase *bp = w->bp;
    slip_real inv[3];
    int i, id;

    for (i = 0; i < 3; ++i) {
        inv[i] = dir[i] != 0 ? 1/dir[i] : 0;
        if (!slip_is_finite(inv[i])) inv[i] = slip_copysign(SLIP_REAL_MAX, dir[i]);
    }
    while (w->node < bp->nnodes) {
        const bp_node *node = &bp->node[w->node];

        if (!bp_ray_meets(&node->box, origin, inv, tmax)) { w->node += node->skip;  continue; }
        ++w->node;
        if (node->id >= 0) return node->id;
    }
    while ((id = bp_next_loose(w)) >= 0) {
        const bp_fat true_box = slip_bp_fatten(bp->box + 6*id, bp->box + 6*id + 3, 0);

        if (bp_ray_meets(&true_box, origin, inv, tmax)) return id;
    }
    return -1;
}

void slip_shape_bounds_with(const slip_shape *shape, const slip_pose *pose, slip_real margin, slip_real lo[3],
                            slip_real hi[3])
{
    int i;

    slip_shape_bounds(shape, pose, lo, hi);
    for (i = 0; i < 3; ++i) {
        if (lo[i] > -SLIP_REAL_MAX) lo[i] -= margin;
        if (hi[i] < SLIP_REAL_MAX) hi[i] += margin;
    }
}
