/* The matrix W A + Z of an interior point's iteration: the choice of three ways to factor it, and two of them; the
 * third is in ipm_joint.c. See ipm.h. */
#include "solvers/ipm.h"

#include "contact/lu.h"
#include "contact/quad.h"

#define IPM_SPARSE_ROWS 60                /* dense below: pivoting is worth more than sparsity         */

/* ---- route and memory ---------------------------------------------------------------------------------------- */

slip_status slip_ipm_carve_matrix(slip_ipm *w, slip_arena *arena)
{
    const slip_problem *p = w->p;
    const size_t n = (size_t)p->n, m = (size_t)slip_block_count(p);

    if (slip_ipm_joint_carve(w, arena)) {
        w->route = SLIP_IPM_JOINT;
        return SLIP_OK;
    }
    if (slip_arena_is_counting(arena) && p->G.nv > 0) slip_arena_take(arena, slip_joint_allowance(p), 1);
    w->W = slip_arena_reals(arena, 9*m);
    w->Z = slip_arena_reals(arena, 9*m);
    if (p->G.form == SLIP_G_BLOCKS && p->n >= IPM_SPARSE_ROWS
        && (double)p->G.start[m] < 0.35*(double)m*(double)m) {
        w->route = SLIP_IPM_SPARSE;
        w->padded = slip_arena_reals(arena, 3*m);
        return slip_sparse_analyse(&w->sparse, (int)m, p->G.start, p->G.col, 1, arena);
    }
    w->route = SLIP_IPM_DENSE;
    w->A = slip_arena_reals(arena, n*n);
    w->F = slip_arena_reals(arena, n*n);
    w->pivot = slip_arena_ints(arena, n);
    return SLIP_OK;
}

void slip_ipm_open_matrix(slip_ipm *w)
{
    if (w->route == SLIP_IPM_DENSE) slip_scaling_matrix(w->p, &w->scale, 0, w->A);
    if (w->route == SLIP_IPM_JOINT) slip_joint_open(&w->joint, w->scale.D);
}

/* ---- products -------------------------------------------------------------------------------------------------- */

void slip_ipm_to_rows(const slip_ipm *w, const slip_real *parts, slip_real *SLIP_RESTRICT rows)
{
    const int nc = w->p->nc;
    int i;

    for (i = 0; i < nc; ++i) {
        rows[3*i] = parts[i];
        rows[3*i + 1] = parts[nc + i];
        rows[3*i + 2] = parts[2*nc + i];
    }
    for (i = 3*nc; i < w->p->n; ++i) rows[i] = parts[i];
}

void slip_ipm_to_parts(const slip_ipm *w, const slip_real *rows, slip_real *SLIP_RESTRICT parts)
{
    const int nc = w->p->nc;
    int i;

    for (i = 0; i < nc; ++i) {
        parts[i] = rows[3*i];
        parts[nc + i] = rows[3*i + 1];
        parts[2*nc + i] = rows[3*i + 2];
    }
    for (i = 3*nc; i < w->p->n; ++i) parts[i] = rows[i];
}

/* out += D R D x */
static void ipm_add_compliance(const slip_ipm *w, const slip_real *x, slip_real *SLIP_RESTRICT out)
{
    int i;

    if (w->p->R) for (i = 0; i < w->p->n; ++i) out[i] += w->soft[i]*x[i];
}

/* out = A x without R in `rows`, which hold x before; w->lambda is lost. */
static void ipm_product_rows(slip_ipm *w, slip_real *rows)
{
    const slip_problem *p = w->p;
    const slip_real *D = w->scale.D;
    const int n = p->n;
    int i;

    for (i = 0; i < n; ++i) w->lambda[i] = w->route == SLIP_IPM_DENSE ? rows[i] : D[i]*rows[i];
    if (w->route == SLIP_IPM_DENSE) {
        for (i = 0; i < n; ++i) rows[i] = slip_row_dot(n, w->A + (size_t)i*(size_t)n, w->lambda);
    } else {
        slip_problem_apply(p, w->lambda, rows);
        for (i = 0; i < n; ++i) rows[i] *= D[i];
    }
}

void slip_ipm_product(slip_ipm *w, const slip_real *x, slip_real *out)
{
    if (w->route == SLIP_IPM_JOINT) {
        slip_ipm_joint_product(w, x, out);
    } else {
        slip_ipm_to_rows(w, x, w->rows);
        ipm_product_rows(w, w->rows);
        slip_ipm_to_parts(w, w->rows, out);
    }
    ipm_add_compliance(w, x, out);
}

/* ---- factorisation ------------------------------------------------------------------------------------------- */

/* w->W and w->Z, 9 per block, with what R adds: W A + Z = W (A - D R D) + (Z + W D R D). */
static void ipm_write_blocks(slip_ipm *w)
{
    const slip_problem *p = w->p;
    const slip_ipm_blocks *b = &w->blocks;
    const int nc = p->nc;
    int i, r, c;

    for (i = 0; i < nc; ++i) {
        slip_real *W = w->W + 9*i, *Z = w->Z + 9*i;

        W[0] = b->w00[i];  W[1] = b->w01[i];  W[2] = 0;
        W[3] = b->w01[i];  W[4] = b->w11[i];  W[5] = 0;
        W[6] = 0;          W[7] = 0;          W[8] = w->at.x[2*nc + i];
        Z[0] = b->z00[i];  Z[1] = b->z01[i];  Z[2] = b->z02[i];
        Z[3] = b->z10[i];  Z[4] = b->z11[i];  Z[5] = b->z12[i];
        Z[6] = 0;          Z[7] = 0;          Z[8] = w->at.y[2*nc + i];
        for (r = 0; r < 3; ++r) for (c = 0; c < 3; ++c) Z[3*r + c] += W[3*r + c]*w->soft[c*nc + i];
    }
    for (; i < slip_block_count(p); ++i) {
        const int row = slip_block_row(p, i);

        w->W[9*i] = slip_ipm_row_w(w, row);
        w->Z[9*i] = slip_ipm_row_z(w, row) + w->W[9*i]*w->soft[row];
    }
}

/* Row `row` of F = sum over k < dim of W_k A_(first + k) + Z on columns first... */
static void ipm_row(slip_ipm *w, int row, int first, int dim, const slip_real *W, const slip_real *Z)
{
    const size_t n = (size_t)w->p->n;
    slip_real *F = w->F + (size_t)row*n;
    size_t j;
    int k;

    for (j = 0; j < n; ++j) F[j] = W[0]*w->A[(size_t)first*n + j];
    for (k = 1; k < dim; ++k) for (j = 0; j < n; ++j) F[j] += W[k]*w->A[(size_t)(first + k)*n + j];
    for (k = 0; k < dim; ++k) F[first + k] += Z[k];
}

static int ipm_factor_dense(slip_ipm *w)
{
    const slip_problem *p = w->p;
    int i, r;

    for (i = 0; i < slip_block_count(p); ++i) {
        const int row = slip_block_row(p, i), dim = slip_block_dim(p, i);

        for (r = 0; r < dim; ++r) ipm_row(w, row + r, row, dim, w->W + 9*i + 3*r, w->Z + 9*i + 3*r);
    }
    if (slip_lu_factor(p->n, w->F, p->n, w->pivot) != SLIP_OK) return 0;
    w->sign = slip_lu_sign(p->n, w->F, p->n, w->pivot);
    return 1;
}

/* Block (i, j) of W A + Z for the sparse route, padded to 3x3 with the identity. */
static void ipm_sparse_block(const void *context, int i, int j, slip_real B[9])
{
    const slip_ipm *w = (const slip_ipm *)context;
    const slip_problem *p = w->p;
    const int di = slip_block_dim(p, i), dj = slip_block_dim(p, j), ri = slip_block_row(p, i);
    const int rj = slip_block_row(p, j);
    const slip_real scale = w->scale.D[ri]*w->scale.D[rj];           /* one number per block */
    slip_real G[9];
    int r, c, k;

    slip_problem_block(p, i, j, G);
    for (k = 0; k < 9; ++k) B[k] = 0;
    for (r = 0; r < di; ++r)
        for (c = 0; c < dj; ++c) {
            for (k = 0; k < di; ++k) B[3*r + c] += w->W[9*i + 3*r + k]*G[k*dj + c];
            B[3*r + c] = scale*B[3*r + c] + (i == j ? w->Z[9*i + 3*r + c] : 0);
        }
    if (i == j) for (k = di; k < 3; ++k) B[4*k] = 1;
}

static int ipm_factor_sparse(slip_ipm *w)
{
    const slip_delassus *G = &w->p->G;
    int i;

    if (slip_sparse_factor(&w->sparse, G->start, G->col, ipm_sparse_block, w) < 0) return 0;
    w->sign = 1;
    for (i = 0; i < w->sparse.m; ++i) if (slip_mat3_det(w->sparse.D + 9*i) < 0) w->sign = -w->sign;
    return 1;
}

int slip_ipm_factor(slip_ipm *w)
{
    if (w->route == SLIP_IPM_JOINT) return slip_ipm_joint_factor(w);
    ipm_write_blocks(w);
    return w->route == SLIP_IPM_SPARSE ? ipm_factor_sparse(w) : ipm_factor_dense(w);
}

/* ---- solution ------------------------------------------------------------------------------------------------ */

static void ipm_solve_sparse(slip_ipm *w, slip_real *x)
{
    const slip_problem *p = w->p;
    int i, k;

    for (i = 0; i < slip_block_count(p); ++i)
        for (k = 0; k < 3; ++k) w->padded[3*i + k] = k < slip_block_dim(p, i) ? x[slip_block_row(p, i) + k] : 0;
    slip_sparse_solve(&w->sparse, w->padded);
    for (i = 0; i < slip_block_count(p); ++i)
        for (k = 0; k < slip_block_dim(p, i); ++k) x[slip_block_row(p, i) + k] = w->padded[3*i + k];
}

void slip_ipm_solve(slip_ipm *w, slip_real *x, slip_real *image)
{
    if (w->route == SLIP_IPM_JOINT) {
        slip_ipm_joint_solve(w, x, image);
    } else {
        slip_ipm_to_rows(w, x, w->rows);
        if (w->route == SLIP_IPM_DENSE) slip_lu_solve(w->p->n, w->F, w->p->n, w->pivot, w->rows);
        else ipm_solve_sparse(w, w->rows);
        slip_ipm_to_parts(w, w->rows, x);
        ipm_product_rows(w, w->rows);
        slip_ipm_to_parts(w, w->rows, image);
    }
    ipm_add_compliance(w, x, image);
}

void slip_ipm_solve_two(slip_ipm *w, slip_real *const x[2], slip_real *const image[2])
{
    int i;

    if (w->route == SLIP_IPM_JOINT) slip_ipm_joint_solve_two(w, x, image);
    for (i = 0; i < 2; ++i)
        if (w->route == SLIP_IPM_JOINT) ipm_add_compliance(w, x[i], image[i]);
        else slip_ipm_solve(w, x[i], image[i]);
}
