/* Factorisations of sym(G) + diag(shift) by the dense, the sparse or the joint-space route. See delassus.h. */
#include "contact/delassus.h"

/* Up to here the factor of the dense route is inverted: products have no chain of divisions, which is what a solve of
 * a dozen rows spends its time on. */
enum { GFACTOR_INVERT = 24 };

slip_status slip_gfactor_prepare(slip_gfactor *f, const slip_problem *p, slip_arena *arena)
{
    return slip_gfactor_prepare_route(f, p, slip_operator_choose(p), arena);
}

slip_status slip_gfactor_prepare_route(slip_gfactor *f, const slip_problem *p, slip_operator_route route,
                                       slip_arena *arena)
{
    const size_t mark = slip_arena_mark(arena);

    f->route = route;
    f->n = p->n;
    f->ld = route == SLIP_OPERATOR_JOINT ? p->G.nv : p->n;
    f->L = f->S = f->v = NULL;
    f->p = p;
    if (route == SLIP_OPERATOR_SPARSE)
        return slip_sparse_analyse(&f->sparse, slip_block_count(p), p->G.start, p->G.col, 0, arena);
    f->L = slip_arena_reals(arena, (size_t)f->ld*(size_t)f->ld);
    if (route == SLIP_OPERATOR_JOINT) {
        f->S = slip_arena_reals(arena, (size_t)p->n);
        f->v = slip_arena_reals(arena, (size_t)p->G.nv);
    }
    if (f->L && (route != SLIP_OPERATOR_JOINT || (f->S && f->v))) return SLIP_OK;
    slip_arena_release(arena, mark);
    return SLIP_ERR_WORKSPACE;
}

/* ---- dense --------------------------------------------------------------------------------------- */

/* Lower triangle of sym(G) into L. */
static void gfactor_load_dense(const slip_gfactor *f, const slip_problem *p)
{
    const slip_real *G = p->G.dense;
    const size_t ld = (size_t)p->G.ld, n = (size_t)p->n;
    size_t i, j;

    if (p->G.form != SLIP_G_DENSE) {
        slip_problem_full(p, f->L, f->ld);
        G = f->L;                                          /* symmetrised in place, lower triangle only */
    }
    for (i = 0; i < n; ++i) {
        const slip_real *row = G + i*(G == f->L ? n : ld);
        slip_real *out = f->L + i*n;

        if (p->G.symmetric) {
            for (j = 0; j <= i; ++j) out[j] = row[j];
        } else {
            for (j = 0; j <= i; ++j) out[j] = (row[j] + G[j*(G == f->L ? n : ld) + i])/2;
        }
    }
}

/* L <- L^-1, lower triangles, row by row: row i of the inverse is -(L_i . rows above)/L_ii. */
static void gfactor_invert(int n, slip_real *L)
{
    slip_real row[GFACTOR_INVERT];
    int i, j, k;

    for (i = 0; i < n; ++i) {
        slip_real *Li = L + i*n;
        const slip_real d = 1/Li[i];

        for (k = 0; k < i; ++k) row[k] = -d*Li[k];
        for (j = 0; j < i; ++j) Li[j] = 0;
        for (k = 0; k < i; ++k) for (j = 0; j <= k; ++j) Li[j] += row[k]*L[k*n + j];
        Li[i] = d;
    }
}

/* x <- L^-T L^-1 x for the inverse M = L^-1. */
static void gfactor_solve_inverted(int n, const slip_real *M, slip_real *x)
{
    slip_real y[GFACTOR_INVERT];
    int i, j;

    for (i = 0; i < n; ++i) {
        const slip_real *Mi = M + i*n;
        slip_real even = 0, odd = 0;

        for (j = 0; j < i; j += 2) { even += Mi[j]*x[j];  odd += Mi[j + 1]*x[j + 1]; }
        y[i] = even + (j == i ? odd + Mi[i]*x[i] : odd);
    }
    for (i = 0; i < n; ++i) x[i] = 0;
    for (i = 0; i < n; ++i) for (j = 0; j <= i; ++j) x[j] += y[i]*M[i*n + j];
}

static slip_status gfactor_shift_dense(slip_gfactor *f, const slip_problem *p, const slip_real *shift)
{
    slip_status status;
    int i;

    gfactor_load_dense(f, p);
    for (i = 0; i < f->n; ++i) f->L[(size_t)i*(size_t)f->n + (size_t)i] += shift[i];
    status = slip_chol_factor(f->n, f->L, f->ld, NULL);
    if (status >= 0 && f->n <= GFACTOR_INVERT) gfactor_invert(f->n, f->L);
    return status;
}

static void gfactor_solve_dense(const slip_gfactor *f, slip_real *x)
{
    if (f->n <= GFACTOR_INVERT) gfactor_solve_inverted(f->n, f->L, x);
    else slip_chol_solve(f->n, f->L, f->ld, x);
}

/* ---- sparse -------------------------------------------------------------------------------------- */

typedef struct { const slip_problem *p; const slip_real *shift; } gfactor_source;

/* Block (i, j) of sym(G) + shift, a scalar block padded to 3x3 by the identity. */
static void gfactor_sparse_block(const void *context, int i, int j, slip_real B[9])
{
    const gfactor_source *source = (const gfactor_source *)context;
    const slip_problem *p = source->p;
    const int dim = slip_block_dim(p, i);
    int r;

    slip_problem_block_symmetric(p, i, j, B);
    for (r = 0; i == j && r < 3; ++r) B[4*r] += r < dim ? source->shift[slip_block_row(p, i) + r] : 1;
}

/* ---- joint space --------------------------------------------------------------------------------- */

/* A += Y_i' diag(S) Y_i, lower triangle. */
static void gfactor_add_outer(const slip_problem *p, int i, const slip_real *S, slip_real *A)
{
    const slip_delassus *G = &p->G;
    const int width = G->ystart[i + 1] - G->ystart[i], *col = G->ycol + G->ystart[i];
    const slip_real *y = G->y + G->yat[i];
    int r, k, l;

    for (r = 0; r < slip_block_dim(p, i); ++r, y += width) {
        for (k = 0; k < width; ++k) {
            slip_real *a = A + (size_t)col[k]*(size_t)G->nv;
            const slip_real s = S[slip_block_row(p, i) + r]*y[k];

            for (l = 0; l <= k; ++l) a[col[l]] += s*y[l];
        }
    }
}

/* Factors I + Y' S^-1 Y with S = diag(shift). */
static slip_status gfactor_shift_joint(slip_gfactor *f, const slip_problem *p, const slip_real *shift)
{
    const int nv = p->G.nv, m = slip_block_count(p);
    int i;

    for (i = 0; i < f->n; ++i) {
        if (!(shift[i] > 0)) return SLIP_ERR_NOT_SPD;
        f->S[i] = 1/shift[i];
    }
    for (i = 0; i < nv*nv; ++i) f->L[i] = 0;
    for (i = 0; i < nv; ++i) f->L[(size_t)i*(size_t)nv + (size_t)i] = 1;
    for (i = 0; i < m; ++i) gfactor_add_outer(p, i, f->S, f->L);
    return slip_chol_factor(nv, f->L, nv, NULL);
}

/* One application of the identity of delassus.h. With a shift far below the eigenvalues of G it cancels, to about
 * eps |G|/shift; ADMM and Newton correct such errors in their next iterations. */
static void gfactor_solve_joint(const slip_gfactor *f, slip_real *x)
{
    const slip_problem *p = f->p;
    const slip_delassus *G = &p->G;
    const int m = slip_block_count(p);
    int i, r, k;

    for (i = 0; i < G->nv; ++i) f->v[i] = 0;
    for (i = 0; i < f->n; ++i) x[i] *= f->S[i];
    for (i = 0; i < m; ++i) {
        const int width = G->ystart[i + 1] - G->ystart[i], *col = G->ycol + G->ystart[i];
        const slip_real *y = G->y + G->yat[i];

        for (r = 0; r < slip_block_dim(p, i); ++r, y += width)
            for (k = 0; k < width; ++k) f->v[col[k]] += y[k]*x[slip_block_row(p, i) + r];
    }
    slip_chol_solve(G->nv, f->L, G->nv, f->v);
    for (i = 0; i < m; ++i) {
        const int width = G->ystart[i + 1] - G->ystart[i], *col = G->ycol + G->ystart[i];
        const slip_real *y = G->y + G->yat[i];

        for (r = 0; r < slip_block_dim(p, i); ++r, y += width) {
            const int row = slip_block_row(p, i) + r;
            slip_real s = 0;

            for (k = 0; k < width; ++k) s += y[k]*f->v[col[k]];
            x[row] -= f->S[row]*s;
        }
    }
}

/* ---- all three ----------------------------------------------------------------------------------- */

slip_status slip_gfactor_shift(slip_gfactor *f, const slip_problem *p, const slip_real *shift)
{
    gfactor_source source;

    f->p = p;
    if (f->route == SLIP_OPERATOR_DENSE) return gfactor_shift_dense(f, p, shift);
    if (f->route == SLIP_OPERATOR_JOINT) return gfactor_shift_joint(f, p, shift);
    source.p = p;
    source.shift = shift;
    return slip_sparse_factor(&f->sparse, p->G.start, p->G.col, gfactor_sparse_block, &source);
}

void slip_gfactor_solve(const slip_gfactor *f, slip_real *x)
{
    if (f->route == SLIP_OPERATOR_DENSE)      gfactor_solve_dense(f, x);
    else if (f->route == SLIP_OPERATOR_JOINT) gfactor_solve_joint(f, x);
    else                                   slip_operator_solve_padded(&f->sparse, f->p, f->sparse.workL, x);
}
