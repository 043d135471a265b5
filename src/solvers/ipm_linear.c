/* The matrix W A + Z of an interior point's iteration: three ways to factor it. See ipm.h. */
#include "solvers/ipm.h"

#include <string.h>
#include "contact/lu.h"

#define IPM_SPARSE_ROWS 60                /* dense below: pivoting is worth more than sparsity         */
#define IPM_JOINT_SHARE SLIP_TOL(0.8, 0)  /* of the rows: so few columns make the joints' space worth it; in float
                                           * its large numbers cancel to no better than 1e-3, so never         */

/* ---- route and memory ---------------------------------------------------------------------------------------- */

/* Numbers the coordinates that the problem touches, in w->place; their count, or -1 without memory. */
static int ipm_columns(slip_ipm *w, slip_arena *arena)
{
    const slip_delassus *G = &w->p->G;
    const int entries = G->ystart[slip_block_count(w->p)];
    int e, count = 0;

    w->place = slip_arena_ints(arena, (size_t)G->nv);
    if (!w->place) return -1;
    for (e = 0; e < G->nv; ++e) w->place[e] = -1;
    for (e = 0; e < entries; ++e) w->place[G->ycol[e]] = 0;
    for (e = 0; e < G->nv; ++e) if (w->place[e] == 0) w->place[e] = count++;
    return count;
}

/* Memory for JOINT; 0 when it does not pay or does not fit. A counting arena is charged for the other routes, which
 * take as much or more where this one pays. */
static int ipm_carve_joint(slip_ipm *w, slip_arena *arena)
{
    const slip_problem *p = w->p;
    const size_t mark = slip_arena_mark(arena), m = (size_t)slip_block_count(p);
    int e;

    if (slip_arena_is_counting(arena) || p->G.nv <= 0 || (double)p->G.nv > 0.25*p->n*p->n) return 0;
    w->columns = ipm_columns(w, arena);
    if (w->columns >= 0 && (slip_real)w->columns < IPM_JOINT_SHARE*(slip_real)p->n) {
        const size_t columns = (size_t)w->columns, last = m - 1, entries = (size_t)p->G.ystart[m];
        const size_t packed = (size_t)p->G.yat[last]
                            + (size_t)(slip_block_dim(p, (int)last)*(p->G.ystart[m] - p->G.ystart[last]));

        w->K = slip_arena_reals(arena, columns*columns);
        w->v = slip_arena_reals(arena, columns);
        w->pivot = slip_arena_ints(arena, columns);
        w->column = slip_arena_ints(arena, entries);
        w->V = slip_arena_reals(arena, packed);
        w->H = slip_arena_reals(arena, 9*m);
        w->S = slip_arena_reals(arena, 9*m);
        if (!arena->failed) {
            for (e = 0; e < p->G.ystart[m]; ++e) w->column[e] = w->place[p->G.ycol[e]];
            return 1;
        }
    }
    slip_arena_release(arena, mark);
    arena->failed = 0;
    return 0;
}

slip_status slip_ipm_carve_matrix(slip_ipm *w, slip_arena *arena)
{
    const slip_problem *p = w->p;
    const size_t n = (size_t)p->n, m = (size_t)slip_block_count(p);

    if (ipm_carve_joint(w, arena)) {
        w->route = SLIP_IPM_JOINT;
        return SLIP_OK;
    }
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
    const slip_problem *p = w->p;
    const slip_real *D = w->scale.D;
    int i, k;

    if (w->route == SLIP_IPM_DENSE) {
        slip_scaling_matrix(p, &w->scale, 0, w->A);
        if (p->R) for (i = 0; i < p->n; ++i) w->A[(size_t)i*(size_t)p->n + (size_t)i] += D[i]*D[i]*p->R[i];
    }
    if (w->route == SLIP_IPM_JOINT)
        for (i = 0; i < slip_block_count(p); ++i) {
            const int entries = slip_block_dim(p, i)*(p->G.ystart[i + 1] - p->G.ystart[i]);
            const slip_real *y = p->G.y + p->G.yat[i], d = D[slip_block_row(p, i)];
            slip_real *V = w->V + p->G.yat[i];

            for (k = 0; k < entries; ++k) V[k] = d*y[k];
        }
}

/* ---- JOINT: products with V ---------------------------------------------------------------------------------- */

/* v = V' x over the columns of K. */
static void ipm_gather(const slip_ipm *w, const slip_real *x, slip_real *SLIP_RESTRICT v)
{
    const slip_problem *p = w->p;
    const slip_delassus *G = &p->G;
    int i, e;

    memset(v, 0, (size_t)w->columns*sizeof(slip_real));
    for (i = 0; i < slip_block_count(p); ++i) {
        const int n = G->ystart[i + 1] - G->ystart[i], *column = w->column + G->ystart[i];
        const slip_real *y = w->V + G->yat[i], *a = x + slip_block_row(p, i);

        if (i < p->nc) for (e = 0; e < n; ++e) v[column[e]] += y[e]*a[0] + y[n + e]*a[1] + y[2*n + e]*a[2];
        else for (e = 0; e < n; ++e) v[column[e]] += y[e]*a[0];
    }
}

/* out = V v */
static void ipm_spread(const slip_ipm *w, const slip_real *SLIP_RESTRICT v, slip_real *SLIP_RESTRICT out)
{
    const slip_problem *p = w->p;
    const slip_delassus *G = &p->G;
    int i, e;

    for (i = 0; i < slip_block_count(p); ++i) {
        const int n = G->ystart[i + 1] - G->ystart[i], *column = w->column + G->ystart[i];
        const slip_real *y = w->V + G->yat[i];
        slip_real s0 = 0, s1 = 0, s2 = 0, *o = out + slip_block_row(p, i);

        if (i < p->nc) {
            for (e = 0; e < n; ++e) {
                const slip_real a = v[column[e]];

                s0 += y[e]*a;
                s1 += y[n + e]*a;
                s2 += y[2*n + e]*a;
            }
            o[1] = s1;
            o[2] = s2;
        } else {
            for (e = 0; e < n; ++e) s0 += y[e]*v[column[e]];
        }
        o[0] = s0;
    }
}

/* out += D R D x */
static void ipm_add_compliance(const slip_ipm *w, const slip_real *x, slip_real *out)
{
    const slip_real *D = w->scale.D, *R = w->p->R;
    int i;

    if (R) for (i = 0; i < w->p->n; ++i) out[i] += D[i]*D[i]*R[i]*x[i];
}

void slip_ipm_product(slip_ipm *w, const slip_real *x, slip_real *out)
{
    const slip_problem *p = w->p;
    const slip_real *D = w->scale.D;
    const int n = p->n;
    int i;

    if (w->route == SLIP_IPM_DENSE) {
        for (i = 0; i < n; ++i) out[i] = slip_dot(n, w->A + (size_t)i*(size_t)n, x);
        return;
    }
    if (w->route == SLIP_IPM_JOINT) {
        ipm_gather(w, x, w->v);
        ipm_spread(w, w->v, out);
    } else {
        for (i = 0; i < n; ++i) w->lambda[i] = D[i]*x[i];
        slip_problem_apply(p, w->lambda, out);
        for (i = 0; i < n; ++i) out[i] *= D[i];
    }
    ipm_add_compliance(w, x, out);
}

/* ---- factorisation ------------------------------------------------------------------------------------------- */

/* Sign of the determinant from the factors of slip_lu_factor. */
static int ipm_lu_sign(int n, const slip_real *A, const int *pivot)
{
    int i, sign = 1;

    for (i = 0; i < n; ++i) if ((A[(size_t)i*(size_t)n + (size_t)i] < 0) != (pivot[i] != i)) sign = -sign;
    return sign;
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
    w->sign = ipm_lu_sign(p->n, w->F, w->pivot);
    return 1;
}

/* Block (i, j) of W A + Z for the sparse route, padded to 3x3 with the identity. */
static void ipm_sparse_block(const void *context, int i, int j, slip_real B[9])
{
    const slip_ipm *w = (const slip_ipm *)context;
    const slip_problem *p = w->p;
    const int di = slip_block_dim(p, i), dj = slip_block_dim(p, j), ri = slip_block_row(p, i), rj = slip_block_row(p, j);
    const slip_real scale = w->scale.D[ri]*w->scale.D[rj];           /* one number per block */
    slip_real G[9];
    int r, c, k;

    slip_problem_block(p, i, j, G);
    if (i == j && p->R) for (r = 0; r < di; ++r) G[r*dj + r] += p->R[ri + r];
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

/* H and S of block i, and the sign of the determinant of Z + W D R D; 0 when that is singular. */
static int ipm_joint_block(slip_ipm *w, int i)
{
    const slip_problem *p = w->p;
    const int row = slip_block_row(p, i), dim = slip_block_dim(p, i);
    const slip_real *W = w->W + 9*i, *Z = w->Z + 9*i, d2 = w->scale.D[row]*w->scale.D[row];
    slip_real B[9], det, *S = w->S + 9*i;
    int r, c;

    if (dim == 1) {
        det = Z[0] + (p->R ? W[0]*d2*p->R[row] : 0);
        S[0] = 1/det;
        w->H[9*i] = W[0]/det;
    } else {
        for (r = 0; r < 3; ++r)
            for (c = 0; c < 3; ++c) B[3*r + c] = Z[3*r + c] + (p->R ? W[3*r + c]*d2*p->R[row + c] : 0);
        det = slip_mat3_inverse(B, S);
        if (det != 0) slip_mat3_mul(S, W, w->H + 9*i);
    }
    return (det > 0) - (det < 0);
}

/* K += V_i' H_i V_i */
static void ipm_joint_add(slip_ipm *w, int i)
{
    const slip_problem *p = w->p;
    const slip_delassus *G = &p->G;
    const int n = G->ystart[i + 1] - G->ystart[i], *column = w->column + G->ystart[i];
    const slip_real *y = w->V + G->yat[i], *H = w->H + 9*i;
    int a, b;

    for (a = 0; a < n; ++a) {
        slip_real *K = w->K + (size_t)column[a]*(size_t)w->columns;

        if (i < p->nc) {
            const slip_real u = y[a], v = y[n + a], s = y[2*n + a];
            const slip_real h0 = u*H[0] + v*H[3] + s*H[6], h1 = u*H[1] + v*H[4] + s*H[7], h2 = u*H[2] + v*H[5] + s*H[8];

            for (b = 0; b < n; ++b) K[column[b]] += h0*y[b] + h1*y[n + b] + h2*y[2*n + b];
        } else {
            for (b = 0; b < n; ++b) K[column[b]] += y[a]*H[0]*y[b];
        }
    }
}

static int ipm_factor_joint(slip_ipm *w)
{
    const size_t columns = (size_t)w->columns;
    int i, sign = 1;

    memset(w->K, 0, columns*columns*sizeof(slip_real));
    for (i = 0; i < w->columns; ++i) w->K[(size_t)i*columns + (size_t)i] = 1;
    for (i = 0; i < slip_block_count(w->p); ++i) {
        sign *= ipm_joint_block(w, i);
        if (sign == 0) return 0;
        ipm_joint_add(w, i);
    }
    if (slip_lu_factor(w->columns, w->K, w->columns, w->pivot) != SLIP_OK) return 0;
    w->sign = sign*ipm_lu_sign(w->columns, w->K, w->pivot);
    return 1;
}

int slip_ipm_factor(slip_ipm *w)
{
    switch (w->route) {
    case SLIP_IPM_JOINT:  return ipm_factor_joint(w);
    case SLIP_IPM_SPARSE: return ipm_factor_sparse(w);
    default:              return ipm_factor_dense(w);
    }
}

/* ---- solution ------------------------------------------------------------------------------------------------ */

/* x_i <- M_i x_i for all blocks */
static void ipm_blockwise(const slip_ipm *w, const slip_real *M, slip_real *x)
{
    const slip_problem *p = w->p;
    int i;

    for (i = 0; i < p->nc; ++i) slip_mat3_vec(M + 9*i, x + 3*i, x + 3*i);
    for (; i < slip_block_count(p); ++i) x[slip_block_row(p, i)] *= M[9*i];
}

/* The image comes for nothing: t = (I + V' H V)^-1 V' s says V' x = V' s - V' H V t = t, hence A x = V t + D R D x. */
static void ipm_solve_joint(slip_ipm *w, slip_real *x, slip_real *image)
{
    const int n = w->p->n;
    int i;

    ipm_blockwise(w, w->S, x);
    ipm_gather(w, x, w->v);
    slip_lu_solve(w->columns, w->K, w->columns, w->pivot, w->v);
    ipm_spread(w, w->v, image);
    memcpy(w->lambda, image, (size_t)n*sizeof(slip_real));
    ipm_blockwise(w, w->H, w->lambda);
    for (i = 0; i < n; ++i) x[i] -= w->lambda[i];
    ipm_add_compliance(w, x, image);
}

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
        ipm_solve_joint(w, x, image);
        return;
    }
    if (w->route == SLIP_IPM_DENSE) slip_lu_solve(w->p->n, w->F, w->p->n, w->pivot, x);
    else ipm_solve_sparse(w, x);
    slip_ipm_product(w, x, image);
}
