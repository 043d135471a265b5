/* Sparse 3x3-block L D U: minimum-degree order, pattern, left-looking numeric phase, solves. See sparse.h. */
#include "contact/sparse.h"

#include <string.h>

/* ---- order and pattern --------------------------------------------------------------------------- */

/* The quotient graph. Elements are named by the node whose elimination made them; their boundaries are the
 * columns of L, so s->start and s->row are filled as elimination goes (in node numbers first). */
typedef struct {
    const int *start, *col;  /* the pattern of A                                         */
    int *done;               /* per node: 1 eliminated                                   */
    int *dead;               /* per element: 1 absorbed                                  */
    int *degree;             /* per node: bound of its external degree                   */
    int *stamp;              /* per node: mark of the boundary being built               */
    int *seen, *outside;     /* per element: round of last visit, |boundary \ pivot's|   */
    int *head;               /* per node: its first element link, -1                     */
    int *link, *element;     /* links: next, element                                     */
    int links;
} sparse_graph;

/* Collects the boundary of `pivot`: live neighbours through A and through its live elements. */
static int sparse_boundary(const sparse_graph *q, int pivot, const slip_sparse *s, int *out)
{
    int k, l, count = 0;

    q->stamp[pivot] = pivot + 1;
    for (k = q->start[pivot]; k < q->start[pivot + 1]; ++k) {
        const int j = q->col[k];

        if (!q->done[j] && q->stamp[j] != pivot + 1) { q->stamp[j] = pivot + 1; out[count++] = j; }
    }
    for (l = q->head[pivot]; l >= 0; l = q->link[l]) {
        const int e = q->element[l];

        if (q->dead[e]) continue;
        for (k = s->start[s->place[e]]; k < s->start[s->place[e] + 1]; ++k) {
            const int j = s->row[k];

            if (!q->done[j] && q->stamp[j] != pivot + 1) { q->stamp[j] = pivot + 1; out[count++] = j; }
        }
        q->dead[e] = 1;                                   /* absorbed by the new element */
    }
    return count;
}

/* For every live element that touches the new boundary: how much of it lies outside. */
static void sparse_count_outside(const sparse_graph *q, const slip_sparse *s, const int *list, int count, int round)
{
    int i, l;

    for (i = 0; i < count; ++i) {
        for (l = q->head[list[i]]; l >= 0; l = q->link[l]) {
            const int e = q->element[l];

            if (q->dead[e]) continue;
            if (q->seen[e] != round) {
                q->seen[e] = round;
                q->outside[e] = s->start[s->place[e] + 1] - s->start[s->place[e]];
            }
            --q->outside[e];
        }
    }
}

/* New degree bounds of the boundary: neighbours in A, the new element, the outside parts of the others.
 * An element with nothing outside is absorbed. Links to dead elements are dropped on the way. */
static void sparse_update_degrees(sparse_graph *q, const int *list, int count, int pivot)
{
    int i, k;

    for (i = 0; i < count; ++i) {
        const int v = list[i];
        int degree = count - 1, *from = &q->head[v];

        while (*from >= 0) {
            const int e = q->element[*from];

            if (!q->dead[e] && q->outside[e] == 0) q->dead[e] = 1;
            if (q->dead[e]) { *from = q->link[*from]; continue; }
            degree += q->outside[e];
            from = &q->link[*from];
        }
        for (k = q->start[v]; k < q->start[v + 1]; ++k) {
            const int j = q->col[k];

            if (j != v && !q->done[j] && q->stamp[j] != pivot + 1) ++degree;
        }
        q->degree[v] = degree;
        q->element[q->links] = pivot;                     /* v now touches the new element */
        q->link[q->links] = q->head[v];
        q->head[v] = q->links++;
    }
}

static int sparse_pick(const sparse_graph *q, int m)
{
    int i, best = -1;

    for (i = 0; i < m; ++i)
        if (!q->done[i] && (best < 0 || q->degree[i] < q->degree[best])) best = i;
    return best;
}

/* Sorts the rows of one column by a heap: no recursion, no worst case. */
static void sparse_sift(int *a, int from, int count)
{
    for (;;) {
        int child = 2*from + 1, t;

        if (child >= count) return;
        if (child + 1 < count && a[child + 1] > a[child]) ++child;
        if (a[child] <= a[from]) return;
        t = a[from];  a[from] = a[child];  a[child] = t;
        from = child;
    }
}

static void sparse_sort(int *a, int count)
{
    int i;

    for (i = count/2 - 1; i >= 0; --i) sparse_sift(a, i, count);
    for (i = count - 1; i > 0; --i) {
        const int t = a[0];

        a[0] = a[i];
        a[i] = t;
        sparse_sift(a, 0, i);
    }
}

/* Eliminates all nodes; `room` is the capacity of s->row and of the links. 0 when it does not fit. */
static int sparse_eliminate(sparse_graph *q, slip_sparse *s, size_t room)
{
    int i, k, used = 0;

    for (k = 0; k < s->m; ++k) {
        const int pivot = sparse_pick(q, s->m);
        int count;

        if (room - (size_t)used < (size_t)s->m) return 0;
        s->start[k] = used;
        count = sparse_boundary(q, pivot, s, s->row + used);
        s->order[k] = pivot;
        s->place[pivot] = k;
        s->start[k + 1] = used + count;
        q->done[pivot] = 1;
        sparse_count_outside(q, s, s->row + used, count, k + 1);
        sparse_update_degrees(q, s->row + used, count, pivot);
        used += count;
    }
    for (i = 0; i < used; ++i) s->row[i] = s->place[s->row[i]];
    for (k = 0; k < s->m; ++k) sparse_sort(s->row + s->start[k], s->start[k + 1] - s->start[k]);
    return 1;
}

/* Bound of the blocks below the diagonal, plus one column that elimination writes before its length is known. */
static size_t sparse_room(int m)
{
    return (size_t)m*((size_t)m + 1)/2 + (size_t)m;
}

/* The numeric arrays, for `blocks` blocks in L. */
static int sparse_carve_numeric(slip_sparse *s, size_t blocks, int general, slip_arena *arena)
{
    const size_t m = (size_t)s->m;

    s->L = slip_arena_reals(arena, 9*blocks);
    s->U = general ? slip_arena_reals(arena, 9*blocks) : NULL;
    s->D = slip_arena_reals(arena, 9*m);
    s->workL = slip_arena_reals(arena, 9*m + 1);
    s->workU = general ? slip_arena_reals(arena, 9*m + 1) : NULL;
    s->head = slip_arena_ints(arena, m);
    s->next = slip_arena_ints(arena, m);
    s->at = slip_arena_ints(arena, m);
    s->x = slip_arena_reals(arena, 3*m);
    return s->L && s->D && s->workL && s->head && s->next && s->at && s->x && (!general || (s->U && s->workU));
}

/* Scratch for the graph at the high end, released by the caller. */
static int sparse_carve_graph(sparse_graph *q, int nodes, size_t room, slip_arena *arena)
{
    const size_t m = (size_t)nodes;
    int *block = (int *)slip_arena_scratch(arena, 7*m + 2*room, sizeof(int));

    if (!block) return 0;
    q->done = block;
    q->dead = block + m;
    q->degree = block + 2*m;
    q->stamp = block + 3*m;
    q->seen = block + 4*m;
    q->outside = block + 5*m;
    q->head = block + 6*m;
    q->link = block + 7*m;
    q->element = q->link + room;
    q->links = 0;
    return 1;
}

static void sparse_graph_fill(sparse_graph *q, int m, const int *start, const int *col)
{
    int i, k;

    q->start = start;
    q->col = col;
    memset(q->done, 0, 6*(size_t)m*sizeof(int));           /* done, dead, degree, stamp, seen, outside */
    for (i = 0; i < m; ++i) {
        q->head[i] = -1;
        for (k = start[i]; k < start[i + 1]; ++k) q->degree[i] += col[k] != i;
    }
}

slip_status slip_sparse_analyse(slip_sparse *s, int m, const int *start, const int *col, int general,
                                slip_arena *arena)
{
    const size_t mark = slip_arena_mark(arena), high = slip_arena_mark_scratch(arena);
    const size_t bound = sparse_room(m);
    size_t room = bound, free_ints;
    sparse_graph q;
    int ok;

    s->m = m;
    s->order = slip_arena_ints(arena, (size_t)m);
    s->place = slip_arena_ints(arena, (size_t)m);
    s->start = slip_arena_ints(arena, (size_t)m + 1);
    /* Row numbers come last, so that the part of the bound that is not used can be released. */
    free_ints = slip_arena_left(arena)/sizeof(int);
    if (!slip_arena_is_counting(arena) && free_ints < 3*bound + 8*(size_t)m + 64)
        room = free_ints > 8*(size_t)m + 64 ? (free_ints - 8*(size_t)m - 64)/3 : 0;
    ok = s->order && s->place && s->start && sparse_carve_graph(&q, m, room, arena);
    if (ok) s->row = slip_arena_ints(arena, room);
    ok = ok && s->row != NULL;
    if (ok && !slip_arena_is_counting(arena)) {
        const size_t at_rows = (size_t)((unsigned char *)s->row - arena->base);

        sparse_graph_fill(&q, m, start, col);
        s->start[0] = 0;
        ok = sparse_eliminate(&q, s, room);
        if (ok) {
            slip_arena_release(arena, at_rows);
            s->row = slip_arena_ints(arena, (size_t)s->start[m]);
            room = (size_t)s->start[m];
        }
    }
    slip_arena_release_scratch(arena, high);
    ok = ok && sparse_carve_numeric(s, room, general, arena);
    if (!ok) slip_arena_release(arena, mark);
    return ok ? SLIP_OK : SLIP_ERR_WORKSPACE;
}

/* ---- numbers ------------------------------------------------------------------------------------- */

/* Four lanes for three columns: the fourth multiplies by zero, so that the number behind a row, which it reads and
 * writes as well, keeps its value. */
enum { SPARSE_LANES = 4 };

/* T = B' by rows of four lanes */
static void sparse_lanes(const slip_real B[9], slip_real T[3*SPARSE_LANES])
{
    int r, c;

    for (r = 0; r < 3; ++r) {
        for (c = 0; c < 3; ++c) T[SPARSE_LANES*r + c] = B[3*c + r];
        T[SPARSE_LANES*r + 3] = 0;
    }
}

/* C -= A T; C has a tenth number, which keeps its value. Rows are stored in order: each overwrites the fourth lane of
 * the row before. */
static inline void sparse_sub(const slip_real *SLIP_RESTRICT A, const slip_real *SLIP_RESTRICT T,
                              slip_real *SLIP_RESTRICT C)
{
    slip_real row[3][SPARSE_LANES];
    int r, c;

    for (r = 0; r < 3; ++r)
        for (c = 0; c < SPARSE_LANES; ++c)
            row[r][c] = C[3*r + c] - (A[3*r]*T[c] + A[3*r + 1]*T[SPARSE_LANES + c] + A[3*r + 2]*T[2*SPARSE_LANES + c]);
    for (r = 0; r < 3; ++r) for (c = 0; c < SPARSE_LANES; ++c) C[3*r + c] = row[r][c];
}

/* Positive definite by its leading minors (of the symmetric part's lower triangle). */
static int sparse_is_definite(const slip_real A[9])
{
    const slip_real two = A[0]*A[4] - A[3]*A[3];

    return A[0] > 0 && two > 0 && slip_mat3_det(A) > 0;
}

/* Column k of A into the work blocks: (i, k) below and, transposed, (k, i) to the right. */
static void sparse_load(slip_sparse *s, int k, const int *start, const int *col, slip_sparse_block *block,
                        const void *context)
{
    const int node = s->order[k];
    int e;

    for (e = s->start[k]; e < s->start[k + 1]; ++e) {
        memset(s->workL + 9*s->row[e], 0, 9*sizeof(slip_real));
        if (s->U) memset(s->workU + 9*s->row[e], 0, 9*sizeof(slip_real));
    }
    block(context, node, node, s->workL + 9*k);
    for (e = start[node]; e < start[node + 1]; ++e) {
        const int i = s->place[col[e]];
        slip_real B[9];

        if (i <= k) continue;
        block(context, col[e], node, s->workL + 9*i);
        if (!s->U) continue;
        block(context, node, col[e], B);
        slip_mat3_transpose(B, s->workU + 9*i);
    }
}

/* Subtracts the contribution of column j (j < k, L_kj stored at s->at[j]) from column k. In the
 * symmetric case U is not stored; the factor L_kj of the pair (k, j) is formed once, from the stored L_kj D_j. */
static void sparse_update(slip_sparse *s, int k, int j)
{
    const int first = s->at[j], last = s->start[j + 1];
    const slip_real *L_kj = s->L + 9*first;
    int e;

    if (s->U) {
        slip_real U_jk[3*SPARSE_LANES], L_kj_t[3*SPARSE_LANES];

        sparse_lanes(s->U + 9*first, U_jk);               /* stored transposed: block (k, j) of U' */
        sparse_lanes(L_kj, L_kj_t);
        sparse_sub(L_kj, U_jk, s->workL + 9*k);
        for (e = first + 1; e < last; ++e) {
            const int i = s->row[e];

            sparse_sub(s->L + 9*e, U_jk, s->workL + 9*i);         /* A_ik -= L_ij U_jk     */
            sparse_sub(s->U + 9*e, L_kj_t, s->workU + 9*i);       /* A_ki' -= U_ji' L_kj'  */
        }
        return;
    }
    /* symmetric: L holds W_ij = L_ij D_j, so A_ik -= W_ij (W_kj D_j^-1)' */
    {
        slip_real V[9], V_t[3*SPARSE_LANES];

        slip_mat3_mul(L_kj, s->D + 9*j, V);
        sparse_lanes(V, V_t);
        sparse_sub(L_kj, V_t, s->workL + 9*k);
        for (e = first + 1; e < last; ++e) sparse_sub(s->L + 9*e, V_t, s->workL + 9*s->row[e]);
    }
}

/* Stores column k: the inverse pivot, L (times D when symmetric) and U'. */
static slip_status sparse_store(slip_sparse *s, int k)
{
    const slip_real *pivot = s->workL + 9*k;
    int e;

    if (!s->U && !sparse_is_definite(pivot)) return SLIP_ERR_NOT_SPD;
    memset(s->D + 9*k, 0, 9*sizeof(slip_real));
    if (!(slip_abs(slip_mat3_inverse(pivot, s->D + 9*k)) > 0) || !slip_all_finite(s->D + 9*k, 9))
        return SLIP_ERR_NOT_SPD;
    for (e = s->start[k]; e < s->start[k + 1]; ++e) {
        const slip_real *W = s->workL + 9*s->row[e];

        if (s->U) {
            slip_mat3_mul(W, s->D + 9*k, s->L + 9*e);
            slip_mat3_copy(s->workU + 9*s->row[e], s->U + 9*e);
        } else {
            slip_mat3_copy(W, s->L + 9*e);
        }
    }
    return SLIP_OK;
}

/* Puts column j on the list of the column that its next row names. */
static void sparse_enlist(slip_sparse *s, int j)
{
    if (s->at[j] < s->start[j + 1]) {
        const int k = s->row[s->at[j]];

        s->next[j] = s->head[k];
        s->head[k] = j;
    }
}

slip_status slip_sparse_factor(slip_sparse *s, const int *start, const int *col, slip_sparse_block *block,
                               const void *context)
{
    int k;

    for (k = 0; k < s->m; ++k) s->head[k] = -1;
    for (k = 0; k < s->m; ++k) {
        int j = s->head[k];

        sparse_load(s, k, start, col, block, context);
        while (j >= 0) {
            const int follower = s->next[j];

            sparse_update(s, k, j);
            ++s->at[j];
            sparse_enlist(s, j);
            j = follower;
        }
        if (sparse_store(s, k) < 0) return SLIP_ERR_NOT_SPD;
        s->at[k] = s->start[k];
        sparse_enlist(s, k);
    }
    return SLIP_OK;
}

/* y -= A x, and y -= A' x, for one block. */
static void sparse_sub_vec(const slip_real A[9], const slip_real x[3], slip_real y[3])
{
    y[0] -= A[0]*x[0] + A[1]*x[1] + A[2]*x[2];
    y[1] -= A[3]*x[0] + A[4]*x[1] + A[5]*x[2];
    y[2] -= A[6]*x[0] + A[7]*x[1] + A[8]*x[2];
}

static void sparse_sub_tvec(const slip_real A[9], const slip_real x[3], slip_real y[3])
{
    y[0] -= A[0]*x[0] + A[3]*x[1] + A[6]*x[2];
    y[1] -= A[1]*x[0] + A[4]*x[1] + A[7]*x[2];
    y[2] -= A[2]*x[0] + A[5]*x[1] + A[8]*x[2];
}

void slip_sparse_solve(const slip_sparse *s, slip_real *x)
{
    slip_real *y = s->x;
    int k, e;

    for (k = 0; k < s->m; ++k) slip_copy3(x + 3*s->order[k], y + 3*k);
    for (k = 0; k < s->m; ++k) {
        slip_real t[3];

        if (s->U) slip_copy3(y + 3*k, t);
        else {                                             /* L_ik = W_ik D_k^-1 */
            slip_mat3_vec(s->D + 9*k, y + 3*k, t);
            slip_copy3(t, y + 3*k);
        }
        for (e = s->start[k]; e < s->start[k + 1]; ++e) sparse_sub_vec(s->L + 9*e, t, y + 3*s->row[e]);
    }
    for (k = s->m - 1; k >= 0; --k) {
        if (s->U) {
            for (e = s->start[k]; e < s->start[k + 1]; ++e)
                sparse_sub_tvec(s->U + 9*e, y + 3*s->row[e], y + 3*k);
            slip_mat3_vec(s->D + 9*k, y + 3*k, y + 3*k);
        } else {                                           /* y_k holds D^-1 times the forward result */
            slip_real t[3] = { 0, 0, 0 };

            for (e = s->start[k]; e < s->start[k + 1]; ++e) sparse_sub_tvec(s->L + 9*e, y + 3*s->row[e], t);
            slip_mat3_vec(s->D + 9*k, t, t);
            slip_add3(y + 3*k, t, y + 3*k);
        }
    }
    for (k = 0; k < s->m; ++k) slip_copy3(y + 3*k, x + 3*s->order[k]);
}

/* Each pair of the c blocks below a pivot block meets once in L and once in U: c^2 products of 3x3, 54 flops each. */
double slip_sparse_flops(const slip_sparse *s)
{
    double flops = 0;
    int k;

    for (k = 0; k < s->m; ++k) {
        const double c = s->start[k + 1] - s->start[k];

        flops += 54*(c + 1)*(c + 1);
    }
    return flops;
}
