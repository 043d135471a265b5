/* G = Y Y' of an assembly, full, in blocks or as Y, and the problem over it. See assemble.h. */
#include "contact/assemble_private.h"

#include <string.h>
#include "contact/operator.h"

/* S[r][0..3] += x[r] y[0..3], r < 3: one shared coordinate's part of a block. */
static inline void assemble_outer(const slip_real *x, const slip_real *y, assemble_quad S[3])
{
    assemble_axpy(x[0], y, &S[0]);
    assemble_axpy(x[1], y, &S[1]);
    assemble_axpy(x[2], y, &S[2]);
}

/* Block (i, j) of Y Y': a sum over the coordinates both touch. */
static inline void assemble_block_product(const slip_assembly *a, int i, int j, assemble_quad S[3])
{
    const int same = a->leaf[2*i] == a->leaf[2*j] && a->leaf[2*i + 1] == a->leaf[2*j + 1];
    const assemble_quad none = { 0 };
    int e = a->ystart[i], f = a->ystart[j];
    const int e_end = a->ystart[i + 1], f_end = a->ystart[j + 1];

    S[0] = S[1] = S[2] = none;
    if (same) {                                          /* the same bodies: the same columns */
        for (; e < e_end; ++e, ++f) assemble_outer(a->y + LANES*e, a->y + LANES*f, S);
        return;
    }
    if (assemble_is_path(a, i) && assemble_is_path(a, j)) {              /* once two paths part they never meet again */
        for (; e < e_end && f < f_end && a->ycol[e] == a->ycol[f]; ++e, ++f)
            assemble_outer(a->y + LANES*e, a->y + LANES*f, S);
        return;
    }
    while (e < e_end && f < f_end) {
        const int c = a->ycol[e], d = a->ycol[f];

        if (c == d) assemble_outer(a->y + LANES*e++, a->y + LANES*f++, S);
        else if (c < d) ++e;
        else ++f;
    }
}

/* Y' as a table, a->transpose: a row of n numbers for each coordinate that some block touches. at[e]: where the row of
 * the coordinate of entry e begins. */
static void assemble_transpose_y(const slip_assembly *a, int *at)
{
    const int m = assemble_count(a), stride = (a->n + 3)/4*4;
    int i, e, used = 0;

    for (e = 0; e < a->entries; ++e) a->slot[a->ycol[e]] = -1;
    for (e = 0; e < a->entries; ++e) {
        int *slot = &a->slot[a->ycol[e]];

        if (*slot < 0) { *slot = used;  used += stride; }
        at[e] = *slot;
    }
    memset(a->transpose, 0, (size_t)used*sizeof *a->transpose);
    for (i = 0; i < m; ++i)
        for (e = a->ystart[i]; e < a->ystart[i + 1]; ++e) {
            const slip_real *y = a->y + LANES*e;
            slip_real *t = a->transpose + at[e] + assemble_row(a, i);

            if (i < a->nc) slip_copy3(y, t);
            else t[0] = y[0];
        }
}

/* out (rows ld apart) = block i of Y times four columns of Y', from column j on, of which `width` are written. */
static inline void assemble_four(const slip_assembly *a, int i, int j, const int *at, int width, slip_real *out, int ld)
{
    slip_lanes s0[SLIP_QUAD_PARTS] = { 0 }, s1[SLIP_QUAD_PARTS] = { 0 }, s2[SLIP_QUAD_PARTS] = { 0 };
    int e, k;

    for (e = a->ystart[i]; e < a->ystart[i + 1]; ++e) {
        const slip_real *x = a->y + LANES*e, *t = a->transpose + at[e] + j;

        for (k = 0; k < SLIP_QUAD_PARTS; ++k) {
            const slip_lanes q = slip_quad_load(t, k);

            s0[k] += x[0]*q;
            s1[k] += x[1]*q;
            s2[k] += x[2]*q;
        }
    }
    if (width == 4 && i < a->nc) {
        for (k = 0; k < SLIP_QUAD_PARTS; ++k) {
            slip_quad_store(out, k, s0[k]);
            slip_quad_store(out + ld, k, s1[k]);
            slip_quad_store(out + 2*ld, k, s2[k]);
        }
        return;
    }
    for (k = 0; k < width; ++k) {
        out[k] = SLIP_QUAD_GET(s0, k);
        if (i >= a->nc) continue;
        out[ld + k] = SLIP_QUAD_GET(s1, k);
        out[2*ld + k] = SLIP_QUAD_GET(s2, k);
    }
}

/* The coordinate at the end of a block's one path; the other side is the world, -1. */
static inline int assemble_path_leaf(const slip_assembly *a, int i)
{
    return a->leaf[2*i] < 0 ? a->leaf[2*i + 1] : a->leaf[2*i];
}

/* How many coordinates two blocks of paths share: once paths part they never meet again. */
static inline int assemble_shared(const slip_assembly *a, int i, int j)
{
    const int *p = a->ycol + a->ystart[i], *q = a->ycol + a->ystart[j];
    const int np = a->ystart[i + 1] - a->ystart[i], nq = a->ystart[j + 1] - a->ystart[j], n = np < nq ? np : nq;
    int k = 0;

    if (assemble_path_leaf(a, i) == assemble_path_leaf(a, j)) return n;
    while (k < n && p[k] == q[k]) ++k;
    return k;
}

/* A block (di rows of dj) and its mirror image into a full matrix of n columns. */
static inline void assemble_put(const assemble_quad S[3], int di, int dj, int n, slip_real *block, slip_real *mirror)
{
    int r, c;

    for (r = 0; r < di; ++r)
        for (c = 0; c < dj; ++c) block[r*n + c] = mirror[c*n + r] = SLIP_QUAD_GET(S[r].q, c);
}

/* G as a full matrix where all blocks are of paths: two paths share their coordinates from the root up to the first
 * that differs. Both triangles, block by block. */
static void assemble_dense_paths(const slip_assembly *a)
{
    const int m = assemble_count(a), n = a->n;
    int i, j;

    for (i = 0; i < m; ++i) {
        const int row = assemble_row(a, i);

        for (j = 0; j <= i; ++j) {
            const int col = assemble_row(a, j);
            slip_real *block = a->G + row*n + col, *mirror = a->G + col*n + row;
            const int shared = assemble_shared(a, i, j);
            const slip_real *x = a->y + LANES*a->ystart[i], *y = a->y + LANES*a->ystart[j];
            assemble_quad S[3] = { 0 };
            int k;

            for (k = 0; k < shared; ++k, x += LANES, y += LANES) assemble_outer(x, y, S);
            if (i < a->nc) assemble_put(S, 3, 3, n, block, mirror);
            else assemble_put(S, 1, assemble_dim(a, j), n, block, mirror);
        }
    }
}

/* Whether all blocks are between a body and the world. */
static int assemble_are_paths(const slip_assembly *a)
{
    const int m = assemble_count(a);
    int i = 0;

    while (i < m && assemble_is_path(a, i)) ++i;
    return i == m;
}

/* G as a full matrix, lower triangle by products, upper by reflection. Zeros of Y' are multiplied too: that is cheaper
 * than to search for the coordinates that two blocks share. */
static void assemble_dense(const slip_assembly *a)
{
    const int m = assemble_count(a), n = a->n;
    int *at = a->owner, i, j;                            /* owner is free until assemble_index() */

    assemble_transpose_y(a, at);
    for (i = 0; i < m; ++i) {
        const int row = assemble_row(a, i), end = row + assemble_dim(a, i);
        slip_real *out = a->G + row*n;

        for (j = 0; j + 4 <= end; j += 4) assemble_four(a, i, j, at, 4, out + j, n);
        if (j < end) assemble_four(a, i, j, at, end - j, out + j, n);
    }
    for (i = 1; i < n; ++i)
        for (j = 0; j < i; ++j) a->G[j*n + i] = a->G[i*n + j];
}

/* Blocks that share a coordinate with block i, ascending, into a->col from `at` on. Returns their number, 0 when
 * they do not fit. */
static int assemble_neighbours(slip_assembly *a, int i, int at)
{
    int e, k, n = 0;

    for (e = a->ystart[i]; e < a->ystart[i + 1]; ++e)
        for (k = a->head[a->ycol[e]]; k >= 0; k = a->next[k]) {
            const int other = a->owner[k];

            if (a->mark[other] == i + 1) continue;
            a->mark[other] = i + 1;
            if (at + n == a->max_blocks) return 0;
            a->col[at + n++] = other;
        }
    for (e = 1; e < n; ++e) {                            /* insertion sort: rows are short */
        const int c = a->col[at + e];

        for (k = e; k > 0 && a->col[at + k - 1] > c; --k) a->col[at + k] = a->col[at + k - 1];
        a->col[at + k] = c;
    }
    return n;
}

/* Lists, for every coordinate, the entries of ycol that name it. */
static void assemble_index(slip_assembly *a)
{
    const int m = assemble_count(a);
    int i, k;

    for (i = 0; i < a->model->nv; ++i) a->head[i] = -1;
    for (i = 0; i < m; ++i) {
        a->mark[i] = 0;
        for (k = a->ystart[i]; k < a->ystart[i + 1]; ++k) {
            a->owner[k] = i;
            a->next[k] = a->head[a->ycol[k]];
            a->head[a->ycol[k]] = k;
        }
    }
}

/* G as the blocks that are not zero: those of blocks of rows that share a coordinate. SLIP_DROPPED when there are more
 * than fit. */
static slip_status assemble_blocks(slip_assembly *a)
{
    const int m = assemble_count(a);
    int i, k, r, c, count = 0, used = 0;

    assemble_index(a);
    for (i = 0; i < m; ++i) {
        const int n = assemble_neighbours(a, i, count), di = assemble_dim(a, i);

        if (n == 0) return SLIP_DROPPED;
        a->start[i] = count;
        for (k = count; k < count + n; ++k) {
            const int dj = assemble_dim(a, a->col[k]);
            assemble_quad S[3];

            if (used + di*dj > a->max_G) return SLIP_DROPPED;
            if (a->col[k] == i) a->diag[i] = k;
            a->at[k] = used;
            assemble_block_product(a, i, a->col[k], S);
            for (r = 0; r < di; ++r)
                for (c = 0; c < dj; ++c) a->G[used++] = SLIP_QUAD_GET(S[r].q, c);
        }
        count += n;
    }
    a->start[m] = count;
    return SLIP_OK;
}

/* Y as rows one after the other, for the FACTOR form and as an extra to the others. */
static void assemble_pack(slip_assembly *a, slip_delassus *G)
{
    const int m = assemble_count(a);
    int i, e, l, used = 0;

    for (i = 0; i < m; ++i) {
        const int n = a->ystart[i + 1] - a->ystart[i];

        a->yat[i] = used;
        for (l = 0; l < assemble_dim(a, i); ++l)
            for (e = 0; e < n; ++e) a->packed[used++] = a->y[LANES*(a->ystart[i] + e) + l];
    }
    G->nv = a->model->nv;
    G->ystart = a->ystart;
    G->ycol = a->ycol;
    G->yat = a->yat;
    G->y = a->packed;
    G->work = a->x;
}

/* Whether systems over the coordinates that Y touches, `width` by each block, are cheaper than over the rows. There are
 * at least `width` coordinates, which often decides without a count. */
static int assemble_prefers_factor(const slip_assembly *a, double width)
{
    int e, count = 0;

    if (!slip_operator_allows_joint() || !slip_operator_prefers_factor(a->n, (int)width, width)) return 0;
    for (e = 0; e < a->entries; ++e) a->slot[a->ycol[e]] = 0;
    for (e = 0; e < a->entries; ++e) if (!a->slot[a->ycol[e]]++) ++count;
    return slip_operator_prefers_factor(a->n, count, width);
}

/* FACTOR, Y alone, where systems over all coordinates of the model are cheaper than over the rows: products with G and
 * delassus.h visit them all. Else DENSE or BLOCKS by the number of rows; Y comes along as well where systems over the
 * coordinates that it touches are cheaper, for solvers that work in the joints' space. */
slip_status slip_assembly_finish(slip_assembly *a, const slip_real *mu, const slip_real *g, const slip_real *R,
                                 slip_problem *p)
{
    const double width = (double)a->entries/(assemble_count(a) + !assemble_count(a));
    slip_status s;

    slip_assembly_need_y(a);
    *p = slip_problem_dense_rows(a->nc, a->nl, a->nb, mu, g, R, a->G, a->n);
    p->G.symmetric = 1;
    if (assemble_prefers_factor(a, width)) {
        assemble_pack(a, &p->G);
        if (slip_operator_prefers_factor(a->n, a->model->nv, width)) p->G.form = SLIP_G_FACTOR;
        if (p->G.form == SLIP_G_FACTOR) return SLIP_OK;
    }
    if (a->n <= ASSEMBLE_DENSE_ROWS) {
        if (assemble_are_paths(a)) assemble_dense_paths(a);
        else assemble_dense(a);
        return SLIP_OK;
    }
    s = a->max_blocks > 0 ? assemble_blocks(a) : SLIP_DROPPED;
    if (s != SLIP_OK) {
        assemble_pack(a, &p->G);
        p->G.form = SLIP_G_FACTOR;
        return s;
    }
    p->G.form = SLIP_G_BLOCKS;
    p->G.start = a->start;
    p->G.col = a->col;
    p->G.at = a->at;
    p->G.diag = a->diag;
    p->G.val = a->G;
    return SLIP_OK;
}
