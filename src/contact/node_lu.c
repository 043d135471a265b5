/* LU by nodes: order, right-looking elimination, solves. See node_lu.h. */
#include "contact/node_lu.h"

#include <string.h>

#define NODE_GROWTH SLIP_R(1e5)              /* largest multiplier between nodes: jammed walls rarely reach 1e6;
                                              * 1e3 would send one in fifteen to a full LU, without a gain        */

enum { NODE_BLOCK = SLIP_NODE*SLIP_NODE_LANES };

/* ---- order and pattern ------------------------------------------------------------------------------------------- */

static inline int node_bits(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int)(x*UINT64_C(0x0101010101010101) >> 56);
}

static inline uint64_t *node_meets(uint64_t *meets, int nodes, int i)
{
    return meets + (size_t)i*slip_node_words(nodes);
}

static inline int node_has(const uint64_t *row, int i) { return (int)(row[i/64] >> i % 64 & 1); }

/* The node left with the fewest neighbours; `left` marks those that are. */
static int node_pick(int nodes, const int *degree, const uint64_t *left)
{
    int i, best = -1;

    for (i = 0; i < nodes; ++i) if ((best < 0 || degree[i] < degree[best]) && node_has(left, i)) best = i;
    return best;
}

/* Fill-in: eliminating `pivot`, which is not left any more, couples all of its neighbours that are. */
static void node_eliminate(int nodes, uint64_t *meets, int *degree, const uint64_t *left, int pivot)
{
    const uint64_t *own = node_meets(meets, nodes, pivot);
    const int words = (int)slip_node_words(nodes);
    int i, k;

    for (i = 0; i < nodes; ++i) {
        uint64_t *m = node_meets(meets, nodes, i);

        if ((own[i/64] & left[i/64]) == 0) { i |= 63;  continue; }       /* none of these 64 */
        if (!node_has(own, i) || !node_has(left, i)) continue;
        --degree[i];
        for (k = 0; k < words; ++k) {
            const uint64_t added = own[k] & left[k] & ~m[k] & ~((uint64_t)(k == i/64) << i % 64);

            if (!added) continue;
            m[k] |= added;
            degree[i] += node_bits(added);
        }
    }
}

/* s->order, place and start. Neighbours of a node when it was eliminated are those that come later. */
static void node_order(slip_node_lu *s, uint64_t *meets, int *degree)
{
    const int nodes = s->nodes, words = (int)slip_node_words(nodes);
    uint64_t *left = node_meets(meets, nodes, nodes);
    int i, k, pivot;

    memset(left, 0, (size_t)words*sizeof *left);
    for (i = 0; i < nodes; ++i) {
        uint64_t *m = node_meets(meets, nodes, i);

        m[i/64] &= ~((uint64_t)1 << i % 64);
        left[i/64] |= (uint64_t)1 << i % 64;
        for (degree[i] = k = 0; k < words; ++k) degree[i] += node_bits(m[k]);
    }
    for (s->start[0] = k = 0; k < nodes; ++k) {
        pivot = node_pick(nodes, degree, left);
        left[pivot/64] &= ~((uint64_t)1 << pivot % 64);
        node_eliminate(nodes, meets, degree, left, pivot);
        s->order[k] = pivot;
        s->place[pivot] = k;
        s->start[k + 1] = s->start[k] + degree[pivot];
    }
}

/* s->row: j is a later neighbour of those that meet it and come before it. end: scratch, one per node. */
static void node_rows(slip_node_lu *s, uint64_t *meets, int *end)
{
    const int nodes = s->nodes;
    int i, j;

    for (j = 0; j < nodes; ++j) end[j] = s->start[j];
    for (j = 0; j < nodes; ++j) {
        const uint64_t *m = node_meets(meets, nodes, s->order[j]);

        for (i = 0; i < nodes; ++i) {
            if (m[i/64] == 0) { i |= 63;  continue; }
            if (node_has(m, i) && s->place[i] < j) s->row[end[s->place[i]]++] = j;
        }
    }
}

/* Where neighbour i is in the list of node k; -1 when it is not. */
static int node_slot(const slip_node_lu *s, int k, int i)
{
    int from = s->start[k], to = s->start[k + 1];

    while (from < to) {
        const int mid = (from + to)/2;

        if (s->row[mid] < i) from = mid + 1;
        else to = mid;
    }
    return from < s->start[k + 1] && s->row[from] == i ? from : -1;
}

/* Rows of U and L of node k are as far apart as this. */
static int node_width(const slip_node_lu *s, int k) { return SLIP_NODE_LANES*(s->start[k + 1] - s->start[k]); }

/* First number of slot e of node k in U or L. */
static int node_at(const slip_node_lu *s, int k, int e)
{
    return NODE_BLOCK*s->start[k] + SLIP_NODE_LANES*(e - s->start[k]);
}

/* For each k, each pair of neighbours i < j in order: where U_i and L_i hold j. Later neighbours of k than i are
 * neighbours of i. */
static void node_targets(slip_node_lu *s)
{
    int k, e, f, count = 0;

    for (k = 0; k < s->nodes; ++k)
        for (e = s->start[k]; e < s->start[k + 1]; ++e) {
            const int i = s->row[e];
            int slot = s->start[i];

            for (f = e + 1; f < s->start[k + 1]; ++f) {
                while (s->row[slot] < s->row[f]) ++slot;
                s->target[count++] = node_at(s, i, slot);
            }
        }
}

int slip_node_lu_analyse(slip_node_lu *s, int nodes, uint64_t *meets, slip_arena *arena)
{
    const size_t m = (size_t)nodes;
    size_t slots, pairs = 0, widest = 0, k;

    s->nodes = nodes;
    s->order = slip_arena_ints(arena, m);
    s->place = slip_arena_ints(arena, m);
    s->start = slip_arena_ints(arena, m + 1);
    s->rank = slip_arena_ints(arena, SLIP_NODE*m);
    if (arena->failed) return 0;
    node_order(s, meets, s->rank);
    slots = (size_t)s->start[nodes];
    s->row = slip_arena_ints(arena, slots);
    if (arena->failed) return 0;
    node_rows(s, meets, s->rank);
    for (k = 0; k < m; ++k) {
        const size_t count = (size_t)(s->start[k + 1] - s->start[k]);

        if (count > 1) pairs += count*(count - 1)/2;
        widest = count > widest ? count : widest;
    }
    s->target = slip_arena_ints(arena, pairs);
    s->inverse = slip_arena_reals(arena, SLIP_NODE*m);
    s->minus = slip_arena_reals(arena, NODE_BLOCK*widest);
    s->entries = NODE_BLOCK*(m + 2*slots);
    s->D = slip_arena_reals(arena, s->entries);
    if (arena->failed) return 0;
    s->U = s->D + NODE_BLOCK*m;
    s->L = s->U + NODE_BLOCK*slots;
    node_targets(s);
    return 1;
}

int slip_node_lu_block(const slip_node_lu *s, int a, int b, int *ld, int *transposed)
{
    const int k = a < b ? a : b, i = a < b ? b : a, slot = node_slot(s, k, i);

    *transposed = a > b;
    *ld = a == b ? SLIP_NODE_LANES : node_width(s, k);
    if (a == b) return NODE_BLOCK*a;
    return slot < 0 ? -1 : (int)((a < b ? s->U : s->L) - s->D) + node_at(s, k, slot);
}

slip_real slip_node_lu_entry(const slip_node_lu *s, int r, int c)
{
    const int a = r/SLIP_NODE_LANES, b = c/SLIP_NODE_LANES;
    int ld, transposed, at = slip_node_lu_block(s, a, b, &ld, &transposed);

    r %= SLIP_NODE_LANES;
    c %= SLIP_NODE_LANES;
    return at < 0 ? 0 : transposed ? s->D[at + c*ld + r] : s->D[at + r*ld + c];
}

void slip_node_lu_clear(slip_node_lu *s) { memset(s->D, 0, s->entries*sizeof(slip_real)); }

/* ---- elimination ------------------------------------------------------------------------------------------------- */

static void node_swap_rows(slip_real *a, slip_real *b)
{
    int k;

    for (k = 0; k < SLIP_NODE_PARTS; ++k) {
        const slip_lanes t = slip_quad_load(a, k);

        slip_quad_store(a, k, slip_quad_load(b, k));
        slip_quad_store(b, k, t);
    }
}

/* LU of a pivot block, rows of eight, which end up in the order rank[]; the sign of its determinant, 0 when it is
 * singular. */
static int node_pivot(slip_real *D, int *rank, slip_real *inverse)
{
    slip_real rest[SLIP_NODE_LANES];                     /* the pivot row behind the pivot, zeros before */
    int c, r, k, sign = 1;

    for (r = 0; r < SLIP_NODE; ++r) rank[r] = r;
    for (c = 0; c < SLIP_NODE; ++c) {
        slip_real *row = D + SLIP_NODE_LANES*c, most = slip_abs(row[c]);
        int best = c;

        for (r = c + 1; r < SLIP_NODE; ++r) {
            const slip_real a = slip_abs(D[SLIP_NODE_LANES*r + c]);

            if (a > most) { most = a;  best = r; }
        }
        if (!(most > 0)) return 0;
        if (best != c) {
            const int t = rank[c];

            node_swap_rows(row, D + SLIP_NODE_LANES*best);
            rank[c] = rank[best];
            rank[best] = t;
        }
        if ((row[c] < 0) != (best != c)) sign = -sign;
        inverse[c] = 1/row[c];
        for (k = 0; k < SLIP_NODE_LANES; ++k) rest[k] = row[k];
        for (k = 0; k <= c; ++k) rest[k] = 0;
        for (r = c + 1; r < SLIP_NODE; ++r) {
            slip_real *other = D + SLIP_NODE_LANES*r;
            const slip_real f = other[c]*inverse[c];

            for (k = 0; k < SLIP_NODE_PARTS; ++k)
                slip_quad_store(other, k, slip_quad_load(other, k) - f*slip_quad_load(rest, k));
            other[c] = f;
        }
    }
    return sign;
}

/* One slot of U: X <- L^-1 P X, L the unit lower triangle of D. */
static void node_lower(const slip_real *D, const int *rank, slip_real *X, int ld)
{
    slip_lanes T[SLIP_NODE][SLIP_NODE_PARTS];
    int r, c, k;

    for (r = 0; r < SLIP_NODE; ++r) for (k = 0; k < SLIP_NODE_PARTS; ++k) T[r][k] = slip_quad_load(X + rank[r]*ld, k);
    for (k = 0; k < SLIP_NODE_PARTS; ++k)
        for (c = 0; c < SLIP_NODE; ++c) {
            for (r = c + 1; r < SLIP_NODE; ++r) T[r][k] -= D[SLIP_NODE_LANES*r + c]*T[c][k];
            slip_quad_store(X + c*ld, k, T[c][k]);
        }
}

/* One slot of L: X <- U^-T X, U the upper triangle of D, and the same negated into `minus`. 0 when numbers grow. */
static int node_upper(const slip_real *D, const slip_real *inverse, slip_real *X, int ld, slip_real *minus)
{
    slip_lanes T[SLIP_NODE], most[SLIP_NODE_PARTS] = { 0 };
    int r, c, k;

    for (k = 0; k < SLIP_NODE_PARTS; ++k) {
        for (r = 0; r < SLIP_NODE; ++r) T[r] = slip_quad_load(X + r*ld, k);
        for (c = 0; c < SLIP_NODE; ++c) {
            T[c] *= inverse[c];
            most[k] += T[c]*T[c];
            slip_quad_store(X + c*ld, k, T[c]);
            slip_quad_store(minus + c*ld, k, -T[c]);
            for (r = c + 1; r < SLIP_NODE; ++r) T[r] -= D[SLIP_NODE_LANES*c + r]*T[c];
        }
    }
    return SLIP_QUAD_SUM(most) + SLIP_QUAD_SUM(most + SLIP_QUAD_PARTS) <= NODE_GROWTH*NODE_GROWTH;
}

/* Eliminates node k, whose pairs begin at `target`; 0 when its pivot does not do. */
static int node_step(slip_node_lu *s, int k, const int *target)
{
    const int count = s->start[k + 1] - s->start[k], ld = node_width(s, k);
    slip_real *D = s->D + NODE_BLOCK*k, *U = s->U + NODE_BLOCK*s->start[k], *L = s->L + NODE_BLOCK*s->start[k];
    int e, f;

    s->sign *= node_pivot(D, s->rank + SLIP_NODE*k, s->inverse + SLIP_NODE*k);
    if (s->sign == 0) return 0;
    for (e = 0; e < count; ++e) {
        node_lower(D, s->rank + SLIP_NODE*k, U + SLIP_NODE_LANES*e, ld);
        if (!node_upper(D, s->inverse + SLIP_NODE*k, L + SLIP_NODE_LANES*e, ld, s->minus + SLIP_NODE_LANES*e)) return 0;
    }
    for (e = 0; e < count; ++e) {
        const int i = s->row[s->start[k] + e], wide = node_width(s, i);
        const slip_real *Li = s->minus + SLIP_NODE_LANES*e, *Ui = U + SLIP_NODE_LANES*e;

        slip_node_add(Li, Ui, SLIP_NODE, ld, s->D + NODE_BLOCK*i, SLIP_NODE_LANES);
        for (f = e + 1; f < count; ++f, ++target) {
            slip_node_add(Li, U + SLIP_NODE_LANES*f, SLIP_NODE, ld, s->U + *target, wide);      /* A_ij -= L_ik U_kj */
            slip_node_add(Ui, s->minus + SLIP_NODE_LANES*f, SLIP_NODE, ld, s->L + *target, wide);        /* A_ji' */
        }
    }
    return 1;
}

slip_status slip_node_lu_factor(slip_node_lu *s)
{
    const int *target = s->target;
    int k;

    s->sign = 1;
    for (k = 0; k < s->nodes; ++k) {
        const int count = s->start[k + 1] - s->start[k];

        if (!node_step(s, k, target)) return SLIP_ERR_NOT_SPD;
        target += count*(count - 1)/2;
    }
    return SLIP_OK;
}

/* ---- solution ---------------------------------------------------------------------------------------------------- */

/* x of node k <- L^-1 P x, then subtracts its part from its later neighbours. One vector x[0], or two at once, which
 * take little longer than one: a solve is a chain of small steps of which each waits for the last. `count` is a
 * constant where this is called. */
static inline void node_forward(const slip_node_lu *s, int k, int count, slip_real *const x[2])
{
    const slip_real *D = s->D + NODE_BLOCK*k, *L = s->L + NODE_BLOCK*s->start[k];
    const int *rank = s->rank + SLIP_NODE*k, slots = s->start[k + 1] - s->start[k], ld = node_width(s, k);
    slip_real y[2][SLIP_NODE];
    int i, r, c, j, e;

    for (i = 0; i < count; ++i) for (r = 0; r < SLIP_NODE; ++r) y[i][r] = x[i][SLIP_NODE_LANES*k + rank[r]];
    for (c = 0; c < SLIP_NODE; ++c)
        for (r = c + 1; r < SLIP_NODE; ++r)
            for (i = 0; i < count; ++i) y[i][r] -= D[SLIP_NODE_LANES*r + c]*y[i][c];
    for (i = 0; i < count; ++i) for (r = 0; r < SLIP_NODE; ++r) x[i][SLIP_NODE_LANES*k + r] = y[i][r];
    for (e = 0; e < slots; ++e, L += SLIP_NODE_LANES) {
        const int at = SLIP_NODE_LANES*s->row[s->start[k] + e];

        for (j = 0; j < SLIP_NODE_PARTS; ++j) {
            slip_lanes sum[2];

            for (i = 0; i < count; ++i) sum[i] = slip_quad_load(x[i] + at, j);
            for (r = 0; r < SLIP_NODE; ++r) for (i = 0; i < count; ++i) sum[i] -= y[i][r]*slip_quad_load(L + r*ld, j);
            for (i = 0; i < count; ++i) slip_quad_store(x[i] + at, j, sum[i]);
        }
    }
}

/* x of node k <- U^-1 (x less the parts of its later neighbours). As above. */
static inline void node_backward(const slip_node_lu *s, int k, int count, slip_real *const x[2])
{
    const slip_real *D = s->D + NODE_BLOCK*k, *U = s->U + NODE_BLOCK*s->start[k], *inverse = s->inverse + SLIP_NODE*k;
    const int slots = s->start[k + 1] - s->start[k], ld = node_width(s, k);
    slip_lanes sum[2][SLIP_NODE][SLIP_QUAD_PARTS];
    slip_real y[2][SLIP_NODE];
    int i, r, c, j, e;

    memset(sum, 0, (size_t)count*sizeof sum[0]);
    for (e = 0; e < slots; ++e, U += SLIP_NODE_LANES) {
        const int at = SLIP_NODE_LANES*s->row[s->start[k] + e];

        for (j = 0; j < SLIP_NODE_PARTS; ++j)
            for (r = 0; r < SLIP_NODE; ++r)
                for (i = 0; i < count; ++i)
                    sum[i][r][j % SLIP_QUAD_PARTS] += slip_quad_load(U + r*ld, j)*slip_quad_load(x[i] + at, j);
    }
    for (i = 0; i < count; ++i)
        for (r = 0; r < SLIP_NODE; ++r)
            y[i][r] = x[i][SLIP_NODE_LANES*k + r] - (slots > 0 ? SLIP_QUAD_SUM(sum[i][r]) : 0);
    for (c = SLIP_NODE - 1; c >= 0; --c) {
        for (i = 0; i < count; ++i) y[i][c] *= inverse[c];
        for (r = 0; r < c; ++r) for (i = 0; i < count; ++i) y[i][r] -= D[SLIP_NODE_LANES*r + c]*y[i][c];
    }
    for (i = 0; i < count; ++i) for (r = 0; r < SLIP_NODE; ++r) x[i][SLIP_NODE_LANES*k + r] = y[i][r];
}

void slip_node_lu_solve(const slip_node_lu *s, slip_real *x)
{
    slip_real *const vectors[2] = { x, NULL };
    int k;

    for (k = 0; k < s->nodes; ++k) node_forward(s, k, 1, vectors);
    for (k = s->nodes - 1; k >= 0; --k) node_backward(s, k, 1, vectors);
}

void slip_node_lu_solve_two(const slip_node_lu *s, slip_real *x, slip_real *y)
{
    slip_real *const vectors[2] = { x, y };
    int k;

    for (k = 0; k < s->nodes; ++k) node_forward(s, k, 2, vectors);
    for (k = s->nodes - 1; k >= 0; --k) node_backward(s, k, 2, vectors);
}
