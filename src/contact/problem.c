/* The contact problem: products with G in its three forms, checks, conversions, sweeps. See problem.h. */
#include "contact/problem.h"

#include <string.h>
#include "contact/delassus.h"
#include "contact/quad.h"

/* ---- making one --------------------------------------------------------------------------------- */

slip_problem slip_problem_dense_rows(int nc, int nl, int nb, const slip_real *mu, const slip_real *g,
                                     const slip_real *R, const slip_real *G, int ld)
{
    slip_problem p;

    memset(&p, 0, sizeof p);
    p.nc = nc;
    p.nl = nl;
    p.nb = nb;
    p.n = 3*nc + nl + nb;
    p.mu = mu;
    p.g = g;
    p.R = R;
    p.G.form = SLIP_G_DENSE;
    p.G.dense = G;
    p.G.ld = ld;
    return p;
}

slip_problem slip_problem_dense(int nc, const slip_real *mu, const slip_real *g, const slip_real *G, int ld)
{
    return slip_problem_dense_rows(nc, 0, 0, mu, g, NULL, G, ld);
}

/* ---- one block row times a vector ---------------------------------------------------------------- */

/* c[dim_i] += sum_j G_ij x_j over the stored blocks. */
static void problem_blocks_dot(const slip_problem *p, int i, const slip_real *x, slip_real *c)
{
    const slip_delassus *G = &p->G;
    const int dim = slip_block_dim(p, i);
    int k, r;

    for (k = G->start[i]; k < G->start[i + 1]; ++k) {
        const slip_real *B = G->val + G->at[k];
        const int j = G->col[k];

        if (dim == 3 && j < p->nc) {
            const slip_real *v = x + 3*j;

            c[0] += B[0]*v[0] + B[1]*v[1] + B[2]*v[2];
            c[1] += B[3]*v[0] + B[4]*v[1] + B[5]*v[2];
            c[2] += B[6]*v[0] + B[7]*v[1] + B[8]*v[2];
        } else {
            const int width = slip_block_dim(p, j);
            const slip_real *v = x + slip_block_row(p, j);

            for (r = 0; r < dim; ++r) c[r] += slip_row_dot(width, B + r*width, v);
        }
    }
}

/* c[dim_i] += Y_i v */
static void problem_factor_dot(const slip_problem *p, int i, const slip_real *v, slip_real *c)
{
    const slip_delassus *G = &p->G;
    const int width = G->ystart[i + 1] - G->ystart[i], *col = G->ycol + G->ystart[i];
    const slip_real *y = G->y + G->yat[i], *z = y + width, *t = z + width;
    slip_real s0 = 0, s1 = 0, s2 = 0;
    int k;

    if (i >= p->nc) {
        for (k = 0; k < width; ++k) s0 += y[k]*v[col[k]];
        c[0] += s0;
        return;
    }
    for (k = 0; k < width; ++k) {
        const slip_real vk = v[col[k]];

        s0 += y[k]*vk;
        s1 += z[k]*vk;
        s2 += t[k]*vk;
    }
    c[0] += s0;
    c[1] += s1;
    c[2] += s2;
}

/* v += Y_i' x_i; most contacts of a heap do not push. */
static void problem_factor_add(const slip_problem *p, int i, const slip_real *x, slip_real *SLIP_RESTRICT v)
{
    const slip_delassus *G = &p->G;
    const int width = G->ystart[i + 1] - G->ystart[i], *col = G->ycol + G->ystart[i];
    const slip_real *y = G->y + G->yat[i], *z = y + width, *t = z + width;
    int k;

    if (i >= p->nc) for (k = 0; k < width; ++k) v[col[k]] += y[k]*x[0];
    else if (x[0] != 0 || x[1] != 0 || x[2] != 0)
        for (k = 0; k < width; ++k) v[col[k]] = v[col[k]] + y[k]*x[0] + z[k]*x[1] + t[k]*x[2];
}

/* v = Y' x in the problem's own scratch. */
static void problem_factor_gather(const slip_problem *p, const slip_real *x)
{
    const int m = slip_block_count(p);
    int i;

    for (i = 0; i < p->G.nv; ++i) p->G.work[i] = 0;
    for (i = 0; i < m; ++i) problem_factor_add(p, i, x + slip_block_row(p, i), p->G.work);
}

/* c[dim_i] += (G x)_i; in the FACTOR form the scratch holds Y' x. */
static void problem_row(const slip_problem *p, int i, const slip_real *x, slip_real *c)
{
    const slip_delassus *G = &p->G;

    switch (G->form) {
    case SLIP_G_DENSE:
        if (i < p->nc) slip_rows_dot3(p->n, G->dense + 3*(size_t)i*(size_t)G->ld, G->ld, x, c);
        else c[0] += slip_row_dot(p->n, G->dense + (size_t)slip_block_row(p, i)*(size_t)G->ld, x);
        break;
    case SLIP_G_BLOCKS: problem_blocks_dot(p, i, x, c); break;
    case SLIP_G_FACTOR: problem_factor_dot(p, i, G->work, c); break;
    }
}

/* ---- using one ---------------------------------------------------------------------------------- */

/* y += f_0 a_0 + f_1 a_1 + … over three rows from a on and three from b on, with factors f and g. */
static void problem_add_rows(int n, int ld, const slip_real *a, const slip_real *f, const slip_real *b,
                             const slip_real *g, slip_real *SLIP_RESTRICT y)
{
    const slip_real *a1 = a + ld, *a2 = a1 + ld, *b1 = b + ld, *b2 = b1 + ld;
    const slip_real f0 = f[0], f1 = f[1], f2 = f[2], g0 = g[0], g1 = g[1], g2 = g[2];
    int j, k;

    for (j = 0; j + 4 <= n; j += 4)
        for (k = 0; k < SLIP_QUAD_PARTS; ++k) {
            const slip_lanes sum = f0*slip_quad_load(a + j, k) + f1*slip_quad_load(a1 + j, k)
                                 + f2*slip_quad_load(a2 + j, k) + g0*slip_quad_load(b + j, k)
                                 + g1*slip_quad_load(b1 + j, k) + g2*slip_quad_load(b2 + j, k);

            slip_quad_store(y + j, k, slip_quad_load(y + j, k) + sum);
        }
    for (; j < n; ++j) y[j] += f0*a[j] + f1*a1[j] + f2*a2[j] + g0*b[j] + g1*b1[j] + g2*b2[j];
}

/* The first contact from i on that x has an impulse for; nc when there is none. */
static int problem_next(const slip_problem *p, int i, const slip_real *x)
{
    while (i < p->nc && x[3*i + 2] == 0 && x[3*i] == 0 && x[3*i + 1] == 0) ++i;
    return i;
}

/* y += G x, G symmetric: rows instead of columns, and only those that x has: open contacts cost nothing. */
static void problem_symmetric_add(const slip_problem *p, const slip_real *x, slip_real *y)
{
    static const slip_real none[3] = { 0, 0, 0 };
    const slip_real *G = p->G.dense;
    const size_t ld = (size_t)p->G.ld;
    int i, j, k;

    for (i = problem_next(p, 0, x); i < p->nc; i = problem_next(p, j + 1, x)) {
        const slip_real *a = G + 3*(size_t)i*ld;

        j = problem_next(p, i + 1, x);
        if (j < p->nc) problem_add_rows(p->n, p->G.ld, a, x + 3*i, G + 3*(size_t)j*ld, x + 3*j, y);
        else           problem_add_rows(p->n, p->G.ld, a, x + 3*i, a, none, y);
    }
    for (i = 3*p->nc; i < p->n; ++i) {
        if (x[i] == 0) continue;
        for (k = 0; k < p->n; ++k) y[k] += x[i]*G[(size_t)i*ld + (size_t)k];
    }
}

/* y += G x */
static void problem_apply_add(const slip_problem *p, const slip_real *x, slip_real *y)
{
    const int m = slip_block_count(p);
    int i;

    if (p->G.form == SLIP_G_DENSE && p->G.symmetric) { problem_symmetric_add(p, x, y);  return; }
    if (p->G.form == SLIP_G_FACTOR) problem_factor_gather(p, x);
    for (i = 0; i < m; ++i) problem_row(p, i, x, y + slip_block_row(p, i));
}

static int problem_is_zero(int n, const slip_real *x)
{
    int i;

    for (i = 0; i < n; ++i) if (x[i] != 0) return 0;
    return 1;
}

void slip_problem_apply(const slip_problem *p, const slip_real *x, slip_real *y)
{
    int i;

    for (i = 0; i < p->n; ++i) y[i] = 0;
    problem_apply_add(p, x, y);
}

void slip_problem_velocity(const slip_problem *p, const slip_real *lambda, slip_real *c)
{
    int i;

    for (i = 0; i < p->n; ++i) c[i] = p->g[i];
    problem_apply_add(p, lambda, c);
}

void slip_problem_sigma(const slip_problem *p, const slip_real *lambda, slip_real *sigma)
{
    int i;

    for (i = 0; i < p->n; ++i) sigma[i] = p->R ? p->g[i] + p->R[i]*lambda[i] : p->g[i];
    if (!problem_is_zero(p->n, lambda)) problem_apply_add(p, lambda, sigma);
}

/* B (di x dj, which are constants where this is called) = Y_i Y_j', columns of both ascending. Contacts of the same two
 * bodies have the same columns. */
static inline void problem_factor_product(const slip_delassus *G, int i, int j, int di, int dj, slip_real *B)
{
    const int wi = G->ystart[i + 1] - G->ystart[i], wj = G->ystart[j + 1] - G->ystart[j];
    const int *ci = G->ycol + G->ystart[i], *cj = G->ycol + G->ystart[j];
    const slip_real *a = G->y + G->yat[i], *b = G->y + G->yat[j];
    int r, c, k = 0, l = 0;

    if (wi == wj && memcmp(ci, cj, (size_t)wi*sizeof *ci) == 0) {
        for (r = 0; r < di; ++r) for (c = 0; c < dj; ++c) B[r*dj + c] = slip_row_dot(wi, a + r*wi, b + c*wj);
        return;
    }
    for (r = 0; r < di*dj; ++r) B[r] = 0;
    while (k < wi && l < wj) {
        if (ci[k] < cj[l]) {
            ++k;
        } else if (ci[k] > cj[l]) {
            ++l;
        } else {
            for (r = 0; r < di; ++r) for (c = 0; c < dj; ++c) B[r*dj + c] += a[r*wi + k]*b[c*wj + l];
            ++k;
            ++l;
        }
    }
}

static void problem_factor_block(const slip_problem *p, int i, int j, slip_real *B)
{
    if (i < p->nc && j < p->nc) problem_factor_product(&p->G, i, j, 3, 3, B);
    else if (i < p->nc)         problem_factor_product(&p->G, i, j, 3, 1, B);
    else if (j < p->nc)         problem_factor_product(&p->G, i, j, 1, 3, B);
    else                        problem_factor_product(&p->G, i, j, 1, 1, B);
}

/* The k of block (i, j), -1 when it does not exist: bisection in the row. */
static int problem_find_block(const slip_delassus *G, int i, int j)
{
    int lo = G->start[i], hi = G->start[i + 1];

    while (lo < hi) {
        const int mid = (lo + hi)/2;

        if (G->col[mid] < j) lo = mid + 1; else hi = mid;
    }
    return lo < G->start[i + 1] && G->col[lo] == j ? lo : -1;
}

void slip_problem_block(const slip_problem *p, int i, int j, slip_real *B)
{
    const slip_delassus *G = &p->G;
    const int di = slip_block_dim(p, i), dj = slip_block_dim(p, j);
    const size_t row = (size_t)slip_block_row(p, i), column = (size_t)slip_block_row(p, j);
    const int k = G->form != SLIP_G_BLOCKS ? 0 : i == j ? G->diag[i] : problem_find_block(G, i, j);
    int r, c;

    if (G->form == SLIP_G_BLOCKS && k >= 0) {
        memcpy(B, G->val + G->at[k], (size_t)(di*dj)*sizeof *B);
        return;
    }
    if (G->form == SLIP_G_FACTOR) { problem_factor_block(p, i, j, B);  return; }
    if (G->form == SLIP_G_DENSE && di == 3 && dj == 3) {                 /* the judge reads these most often */
        const slip_real *A = G->dense + row*(size_t)G->ld + column;

        for (r = 0; r < 3; ++r, A += G->ld) slip_copy3(A, B + 3*r);
        return;
    }
    for (r = 0; r < di; ++r) {
        for (c = 0; c < dj; ++c) {
            const size_t at = (row + (size_t)r)*(size_t)G->ld + column + (size_t)c;

            B[r*dj + c] = G->form == SLIP_G_DENSE ? G->dense[at] : 0;
        }
    }
}

void slip_problem_block_symmetric(const slip_problem *p, int i, int j, slip_real B[9])
{
    const int di = slip_block_dim(p, i), dj = slip_block_dim(p, j);
    slip_real A[9], T[9];
    int r, c;

    if (p->G.symmetric && di == 3 && dj == 3) { slip_problem_block(p, i, j, B);  return; }
    slip_problem_block(p, i, j, A);
    slip_problem_block(p, j, i, T);
    for (r = 0; r < 3; ++r) for (c = 0; c < 3; ++c)
        B[3*r + c] = r < di && c < dj ? (A[r*dj + c] + T[c*di + r])/2 : 0;
}

/* y += G'x, row by row. */
static void problem_apply_transposed(const slip_problem *p, const slip_real *x, slip_real *y)
{
    const slip_delassus *G = &p->G;
    int i, j, k;

    if (G->form == SLIP_G_DENSE) {
        for (i = 0; i < p->n; ++i) {
            const slip_real *row = G->dense + (size_t)i*(size_t)G->ld;

            for (j = 0; j < p->n; ++j) y[j] += row[j]*x[i];
        }
        return;
    }
    for (i = 0; i < slip_block_count(p); ++i) for (k = G->start[i]; k < G->start[i + 1]; ++k) {
        const int ri = slip_block_row(p, i), rj = slip_block_row(p, G->col[k]), dj = slip_block_dim(p, G->col[k]);
        const slip_real *B = G->val + G->at[k];
        int r, c;

        for (r = 0; r < slip_block_dim(p, i); ++r) for (c = 0; c < dj; ++c) y[rj + c] += B[r*dj + c]*x[ri + r];
    }
}

void slip_problem_apply_symmetric(const slip_problem *p, const slip_real *x, slip_real *y)
{
    int i;

    slip_problem_apply(p, x, y);
    if (p->G.symmetric || p->G.form == SLIP_G_FACTOR) return;
    problem_apply_transposed(p, x, y);
    for (i = 0; i < p->n; ++i) y[i] /= 2;
}

void slip_problem_diagonal(const slip_problem *p, slip_real *d)
{
    const int m = slip_block_count(p);
    int i, r;

    if (p->G.form == SLIP_G_DENSE) {
        for (i = 0; i < p->n; ++i) d[i] = p->G.dense[(size_t)i*(size_t)p->G.ld + (size_t)i];
        return;
    }
    for (i = 0; i < m; ++i) {
        const int dim = slip_block_dim(p, i), n = p->G.form == SLIP_G_FACTOR ? p->G.ystart[i + 1] - p->G.ystart[i] : 0;
        const slip_real *y = p->G.form == SLIP_G_FACTOR ? p->G.y + p->G.yat[i] : NULL;
        slip_real B[9], *own = d + slip_block_row(p, i);

        if (!y) slip_problem_block(p, i, i, B);
        for (r = 0; r < dim; ++r) own[r] = y ? slip_row_dot(n, y + r*n, y + r*n) : B[r*dim + r];
    }
}

/* Writes block (i, j) into a full matrix. */
static void problem_put_block(const slip_problem *p, int i, int j, const slip_real *B, slip_real *A, int lda)
{
    const int di = slip_block_dim(p, i), dj = slip_block_dim(p, j);
    int r, c;

    for (r = 0; r < di; ++r)
        for (c = 0; c < dj; ++c)
            A[(size_t)(slip_block_row(p, i) + r)*(size_t)lda + (size_t)(slip_block_row(p, j) + c)] = B[r*dj + c];
}

/* A = Y Y': the lower triangle of blocks, the upper one by symmetry. */
static void problem_factor_full(const slip_problem *p, slip_real *A, int lda)
{
    int i, j, r, c;

    for (i = 0; i < slip_block_count(p); ++i)
        for (j = 0; j <= i; ++j) {
            const int di = slip_block_dim(p, i), dj = slip_block_dim(p, j);
            slip_real B[9], *mirror = A + (size_t)slip_block_row(p, j)*(size_t)lda + (size_t)slip_block_row(p, i);

            problem_factor_block(p, i, j, B);
            problem_put_block(p, i, j, B, A, lda);
            for (c = 0; c < dj; ++c) for (r = 0; r < di; ++r) mirror[(size_t)c*(size_t)lda + (size_t)r] = B[r*dj + c];
        }
}

void slip_problem_full(const slip_problem *p, slip_real *A, int lda)
{
    const slip_delassus *G = &p->G;
    const int m = slip_block_count(p);
    int i, k;

    if (G->form == SLIP_G_FACTOR) { problem_factor_full(p, A, lda);  return; }

    if (G->form == SLIP_G_DENSE) {
        for (i = 0; i < p->n; ++i)
            memcpy(A + (size_t)i*(size_t)lda, G->dense + (size_t)i*(size_t)G->ld, (size_t)p->n*sizeof *A);
        return;
    }
    for (i = 0; i < p->n; ++i) memset(A + (size_t)i*(size_t)lda, 0, (size_t)p->n*sizeof *A);
    for (i = 0; i < m; ++i)
        for (k = G->start[i]; k < G->start[i + 1]; ++k)
            problem_put_block(p, i, G->col[k], G->val + G->at[k], A, lda);
}

void slip_problem_project(const slip_problem *p, const slip_real *x, slip_real *y)
{
    const int limits = 3*p->nc + p->nl;
    int i;

    for (i = 0; i < p->nc; ++i) slip_cone_project(p->mu[i], x + 3*i, y + 3*i);
    for (i = 3*p->nc; i < limits; ++i) y[i] = slip_max(x[i], 0);
    for (i = limits; i < p->n; ++i) y[i] = x[i];
}

void slip_problem_desaxce(const slip_problem *p, const slip_real *sigma, slip_real *s)
{
    int i;

    for (i = 0; i < p->nc; ++i) slip_desaxce(p->mu[i], sigma + 3*i, s + 3*i);
    for (i = 3*p->nc; i < p->n; ++i) s[i] = sigma[i];
}

/* ---- sweeping ------------------------------------------------------------------------------------ */

slip_sweep slip_sweep_begin(const slip_problem *p, slip_real *lambda)
{
    slip_sweep s;

    s.p = p;
    s.lambda = lambda;
    if (p->G.form == SLIP_G_FACTOR) problem_factor_gather(p, lambda);
    return s;
}

void slip_sweep_row(const slip_sweep *s, int i, slip_real *c)
{
    const int row = slip_block_row(s->p, i);
    int r;

    if (s->p->G.form == SLIP_G_DENSE && i < s->p->nc) {    /* the common case of a small robot, without detours */
        const slip_delassus *G = &s->p->G;

        slip_copy3(s->p->g + row, c);
        slip_rows_dot3(s->p->n, G->dense + (size_t)row*(size_t)G->ld, G->ld, s->lambda, c);
        return;
    }
    for (r = 0; r < slip_block_dim(s->p, i); ++r) c[r] = s->p->g[row + r];
    problem_row(s->p, i, s->lambda, c);
}

void slip_sweep_set(slip_sweep *s, int i, const slip_real *lambda_i)
{
    const int row = slip_block_row(s->p, i), dim = slip_block_dim(s->p, i);
    slip_real change[3];
    int r;

    if (dim == 3 && s->p->G.form != SLIP_G_FACTOR) { slip_copy3(lambda_i, s->lambda + row); return; }
    for (r = 0; r < dim; ++r) {
        change[r] = lambda_i[r] - s->lambda[row + r];
        s->lambda[row + r] = lambda_i[r];
    }
    if (s->p->G.form == SLIP_G_FACTOR) problem_factor_add(s->p, i, change, s->p->G.work);
}

/* ---- conversions --------------------------------------------------------------------------------- */

slip_status slip_problem_to_dense(slip_problem *p, slip_arena *arena)
{
    const size_t n = (size_t)p->n;
    slip_real *A;

    if (p->G.form == SLIP_G_DENSE) return SLIP_OK;
    A = slip_arena_reals(arena, n*n);
    if (!A) return SLIP_ERR_WORKSPACE;
    if (slip_arena_is_counting(arena)) return SLIP_OK;
    slip_problem_full(p, A, p->n);
    p->G.form = SLIP_G_DENSE;
    p->G.dense = A;
    p->G.ld = p->n;
    return SLIP_OK;
}

/* Whether block (i, j) or its mirror must be stored. */
static int problem_has_block(const slip_problem *p, int i, int j)
{
    slip_real B[9];
    int k, size = slip_block_dim(p, i)*slip_block_dim(p, j);

    if (i == j) return 1;
    slip_problem_block(p, i, j, B);
    for (k = 0; k < size; ++k) if (B[k] != 0) return 1;
    slip_problem_block(p, j, i, B);
    for (k = 0; k < size; ++k) if (B[k] != 0) return 1;
    return 0;
}

slip_status slip_problem_to_blocks(slip_problem *p, slip_arena *arena)
{
    const int m = slip_block_count(p);
    const size_t mark = slip_arena_mark(arena);
    int i, j, count = 0, used = 0, *start, *col, *at, *diag;
    slip_real *val;

    if (p->G.form == SLIP_G_BLOCKS) return SLIP_OK;
    for (i = 0; i < m; ++i)
        for (j = 0; j < m; ++j)
            if (problem_has_block(p, i, j)) { ++count; used += slip_block_dim(p, i)*slip_block_dim(p, j); }
    start = slip_arena_ints(arena, (size_t)m + 1);
    col = slip_arena_ints(arena, (size_t)count);
    at = slip_arena_ints(arena, (size_t)count);
    diag = slip_arena_ints(arena, (size_t)m);
    val = slip_arena_reals(arena, (size_t)used);
    if (!start || !col || !at || !diag || !val) { slip_arena_release(arena, mark); return SLIP_ERR_WORKSPACE; }
    if (slip_arena_is_counting(arena)) return SLIP_OK;
    count = used = 0;
    for (i = 0; i < m; ++i) {
        start[i] = count;
        for (j = 0; j < m; ++j) {
            if (!problem_has_block(p, i, j)) continue;
            if (i == j) diag[i] = count;
            col[count] = j;
            at[count++] = used;
            slip_problem_block(p, i, j, val + used);
            used += slip_block_dim(p, i)*slip_block_dim(p, j);
        }
    }
    start[m] = count;
    p->G.form = SLIP_G_BLOCKS;
    p->G.start = start;
    p->G.col = col;
    p->G.at = at;
    p->G.diag = diag;
    p->G.val = val;
    return SLIP_OK;
}

slip_status slip_problem_tidy(slip_problem *p, slip_arena *arena)
{
    const int m = slip_block_count(p);

    if (p->G.form != SLIP_G_BLOCKS || slip_operator_prefers_blocks(p->n, m, p->G.start[m])) return SLIP_OK;
    return slip_problem_to_dense(p, arena);
}

/* ---- checks -------------------------------------------------------------------------------------- */

/* Numbers of G in storage order, for the checks that look at all of them. */
static int problem_storage_finite(const slip_problem *p)
{
    const slip_delassus *G = &p->G;
    const int m = slip_block_count(p);
    int i, j;

    if (G->form == SLIP_G_DENSE && G->ld == p->n) return slip_row_defect(p->n*p->n, G->dense) == 0;
    if (G->form == SLIP_G_DENSE) {
        for (i = 0; i < p->n; ++i)
            if (!(slip_row_defect(p->n, G->dense + (size_t)i*(size_t)G->ld) == 0)) return 0;
    } else if (G->form == SLIP_G_BLOCKS) {
        for (i = 0; i < m; ++i)
            for (j = G->start[i]; j < G->start[i + 1]; ++j)
                if (!slip_all_finite(G->val + G->at[j], slip_block_dim(p, i)*slip_block_dim(p, G->col[j]))) return 0;
    } else {
        for (i = 0; i < m; ++i) {
            const int width = G->ystart[i + 1] - G->ystart[i];

            if (!slip_all_finite(G->y + G->yat[i], width*slip_block_dim(p, i))) return 0;
        }
    }
    return 1;
}

slip_real slip_problem_asymmetry(const slip_problem *p)
{
    const slip_delassus *G = &p->G;
    const int m = slip_block_count(p);
    slip_real top = 0, off = 0;
    int i, j, k, r, c;

    if (G->form == SLIP_G_FACTOR) return 0;
    if (G->form == SLIP_G_DENSE) {
        for (i = 0; i < p->n; ++i) {
            for (j = 0; j <= i; ++j) {
                const slip_real a = G->dense[(size_t)i*(size_t)G->ld + (size_t)j];
                const slip_real b = G->dense[(size_t)j*(size_t)G->ld + (size_t)i];

                top = slip_max(top, slip_max(slip_abs(a), slip_abs(b)));
                off = slip_max(off, slip_abs(a - b));
            }
        }
        return top > 0 ? off/top : 0;
    }
    for (i = 0; i < m; ++i) {
        for (k = G->start[i]; k < G->start[i + 1]; ++k) {
            const int di = slip_block_dim(p, i), dj = slip_block_dim(p, G->col[k]);
            const slip_real *B = G->val + G->at[k];
            slip_real T[9];

            slip_problem_block(p, G->col[k], i, T);
            for (r = 0; r < di; ++r) {
                for (c = 0; c < dj; ++c) {
                    top = slip_max(top, slip_abs(B[r*dj + c]));
                    off = slip_max(off, slip_abs(B[r*dj + c] - T[c*di + r]));
                }
            }
        }
    }
    return top > 0 ? off/top : 0;
}

/* Counts, mu, g, R, vmin, distance: O(n). Fills err with the fault. */
static slip_status problem_check_vectors(const slip_problem *p, slip_error *err)
{
    int i;

    if (p->nc < 0 || p->nl < 0 || p->nb < 0 || p->n != 3*p->nc + p->nl + p->nb)
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "%d contacts, %d limits, %d bilateral rows do not make %d rows",
                         p->nc, p->nl, p->nb, p->n);
    for (i = 0; i < p->nc; ++i)
        if (!(p->mu[i] >= 0))
            return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "contact %d: friction coefficient %g is not a number >= 0",
                             i, (double)p->mu[i]);
    for (i = 0; i < p->n; ++i) {
        if (!(slip_abs(p->g[i]) <= SLIP_MOST_FREE_VELOCITY))
            return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "row %d: free velocity %g is not a finite number of at most "
                             "%g", i, (double)p->g[i], (double)SLIP_MOST_FREE_VELOCITY);
        if (p->R && !(p->R[i] >= 0 && slip_is_finite(p->R[i])))
            return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "row %d: compliance %g is not a finite number >= 0",
                             i, (double)p->R[i]);
    }
    for (i = 0; p->vmin && i < p->nc + p->nl; ++i)
        if (!slip_is_finite(p->vmin[i]))
            return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "block %d: lowest velocity is not finite", i);
    for (i = 0; p->distance && i < p->nc + p->nl; ++i)
        if (!slip_is_finite(p->distance[i]))
            return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "block %d: distance is not finite", i);
    return SLIP_OK;
}

static slip_status problem_check_matrix(const slip_problem *p, slip_error *err)
{
    const slip_real asymmetry = p->G.symmetric ? 0 : slip_problem_asymmetry(p);

    if (!problem_storage_finite(p))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "the Delassus matrix has an entry that is not finite");
    if (!(asymmetry <= SLIP_R(0.01)))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "the Delassus matrix is not symmetric: it differs from its "
                         "transpose by %.2g of its largest entry, 0.01 is allowed", (double)asymmetry);
    return SLIP_OK;
}

slip_status slip_problem_check_quick(const slip_problem *p)
{
    slip_status status = problem_check_vectors(p, NULL);

    return status < 0 ? status : problem_check_matrix(p, NULL);
}

slip_status slip_problem_check(const slip_problem *p, slip_arena *arena, slip_error *err)
{
    slip_status status = problem_check_vectors(p, err);
    size_t mark;
    slip_real top = 0, *shift;
    slip_gfactor f;
    int i;

    if (status >= 0) status = problem_check_matrix(p, err);
    if (status < 0 || !arena || p->n == 0) return status;
    mark = slip_arena_mark(arena);
    shift = slip_arena_reals(arena, (size_t)p->n);
    if (!shift || slip_gfactor_prepare(&f, p, arena) < 0) {
        slip_arena_release(arena, mark);
        return slip_fail(err, SLIP_ERR_WORKSPACE, 0, 0, "not enough memory to check the Delassus matrix");
    }
    slip_problem_diagonal(p, shift);
    for (i = 0; i < p->n; ++i) {
        if (shift[i] < 0) {
            slip_arena_release(arena, mark);
            return slip_fail(err, SLIP_ERR_NOT_SPD, 0, 0, "row %d: negative diagonal entry in the Delassus matrix", i);
        }
        top = slip_max(top, shift[i]);
    }
    /* The computed pivots are those of a matrix within (n + 1) eps of its diagonal (Higham 2002, Thm 10.3). */
    for (i = 0; i < p->n; ++i) shift[i] = top > 0 ? (SLIP_R(1e-4) + (slip_real)(p->n + 1)*SLIP_REAL_EPS)*top : 1;
    status = slip_gfactor_shift(&f, p, shift);
    slip_arena_release(arena, mark);
    return status < 0 ? slip_fail(err, SLIP_ERR_NOT_SPD, 0, 0, "the Delassus matrix is clearly indefinite") : SLIP_OK;
}
