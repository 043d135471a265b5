/* Y = J L^-1 D^-1/2 of an assembly, and products with J and Y. See assemble.h. */
#include "contact/assemble_private.h"

/* ---- Y = J L^-1 D^-1/2 ------------------------------------------------------------------------------- */

/* Computes D^-1/2 on the first call after slip_assembly_begin(): only Y needs it. */
static void assemble_need_inv_sqrt_D(slip_assembly *a)
{
    int i;

    if (a->has_inv_sqrt_D) return;
    for (i = 0; i < a->model->nv; ++i) a->inv_sqrt_D[i] = slip_sqrt(a->data->D_inv[i]);
    a->has_inv_sqrt_D = 1;
}

/* X <- X L^-1 D^-1/2 of a block along one path: from the leaf to the root, each entry updates those above it. The inner
 * loop runs downwards so that compilers vectorise over the lanes, not over the entries. */
static void assemble_transform_path(const slip_assembly *a, int n, const int *path, slip_real *SLIP_RESTRICT X)
{
    int d, e;

    for (d = n - 1; d >= 0; --d) {
        const slip_real *row = a->data->L + a->model->branches.row[path[d]], s = a->inv_sqrt_D[path[d]];
        slip_real *x = X + LANES*d;
        const slip_real f0 = x[0], f1 = x[1], f2 = x[2], f3 = x[3];

        for (e = d - 1; e >= 0; --e) {
            slip_real *y = X + LANES*e;
            const slip_real r = row[e];

            y[0] -= r*f0;  y[1] -= r*f1;  y[2] -= r*f2;  y[3] -= r*f3;
        }
        x[0] = s*f0;  x[1] = s*f1;  x[2] = s*f2;  x[3] = s*f3;
    }
}

/* The same over two merged paths: `slot` gives the position of each coordinate above an entry. */
static void assemble_transform_pair(const slip_assembly *a, int n, const int *cols, slip_real *SLIP_RESTRICT X)
{
    const slip_branches *b = &a->model->branches;
    const int *slot = assemble_slots(a, n, cols);
    int k, e;

    for (k = n - 1; k >= 0; --k) {
        const int c = cols[k], *path = b->path + b->row[c];
        const slip_real *row = a->data->L + b->row[c], s = a->inv_sqrt_D[c];
        slip_real *x = X + LANES*k;
        const slip_real f0 = x[0], f1 = x[1], f2 = x[2], f3 = x[3];

        for (e = b->depth[c] - 1; e >= 0; --e) {
            slip_real *y = X + LANES*slot[path[e]];
            const slip_real r = row[e];

            y[0] -= r*f0;  y[1] -= r*f1;  y[2] -= r*f2;  y[3] -= r*f3;
        }
        x[0] = s*f0;  x[1] = s*f1;  x[2] = s*f2;  x[3] = s*f3;
    }
}

void slip_assembly_need_y(slip_assembly *a)
{
    const int first = a->ystart[a->ny], m = a->nc + a->nl + a->nb;
    int e, k;

    assemble_need_inv_sqrt_D(a);
    if (a->mass_is_diagonal) {
        for (e = first; e < a->entries; ++e) {
            const slip_real s = a->inv_sqrt_D[a->ycol[e]], *j = a->j + LANES*e;

            for (k = 0; k < SLIP_QUAD_PARTS; ++k) slip_quad_store(a->y + LANES*e, k, s*slip_quad_load(j, k));
        }
        a->ny = m;
        return;
    }
    for (k = LANES*first; k < LANES*a->entries; ++k) a->y[k] = a->j[k];
    for (; a->ny < m; ++a->ny) {
        const int at = a->ystart[a->ny], n = a->ystart[a->ny + 1] - at;

        if (assemble_is_path(a, a->ny)) assemble_transform_path(a, n, a->ycol + at, a->y + LANES*at);
        else assemble_transform_pair(a, n, a->ycol + at, a->y + LANES*at);
    }
}

/* ---- products ---------------------------------------------------------------------------------------- */

/* The product of block i of J or Y (rows: a->j or a->y) with x [nv], a sum over the block's coordinates. */
static inline assemble_quad assemble_times(const slip_assembly *a, const slip_real *rows, int i, const slip_real *x)
{
    const int *col = a->ycol, end = a->ystart[i + 1];
    assemble_quad sum = { 0 };
    int e;

    for (e = a->ystart[i]; e < end; ++e) assemble_axpy(x[col[e]], rows + LANES*e, &sum);
    return sum;
}

void slip_assembly_row_velocity(const slip_assembly *a, int first, const slip_real *v, slip_real *c)
{
    const int m = assemble_count(a);
    int i;

    for (i = first; i < m; ++i) {
        const assemble_quad sum = assemble_times(a, a->j, i, v);

        *c++ = SLIP_QUAD_GET(sum.q, 0);
    }
}

void slip_assembly_velocity(const slip_assembly *a, const slip_real *v, slip_real *c)
{
    int i;

    for (i = 0; i < a->nc; ++i, c += 3) {
        const assemble_quad sum = assemble_times(a, a->j, i, v);

        c[0] = SLIP_QUAD_GET(sum.q, 0);
        c[1] = SLIP_QUAD_GET(sum.q, 1);
        c[2] = SLIP_QUAD_GET(sum.q, 2);
    }
    slip_assembly_row_velocity(a, a->nc, v, c);
}

/* x [nv] += J' lambda or Y' lambda (rows: a->j or a->y). */
static void assemble_add_transposed(const slip_assembly *a, const slip_real *rows, const slip_real *lambda,
                                    slip_real *x)
{
    const int m = assemble_count(a), *col = a->ycol;
    int i, e;

    for (i = 0; i < a->nc; ++i) {
        const slip_real l0 = lambda[3*i], l1 = lambda[3*i + 1], l2 = lambda[3*i + 2], *row;

        if (l0 == 0 && l1 == 0 && l2 == 0) continue;     /* most contacts of a heap do not push */
        for (e = a->ystart[i]; e < a->ystart[i + 1]; ++e) {
            row = rows + LANES*e;
            x[col[e]] += row[0]*l0 + row[1]*l1 + row[2]*l2;
        }
    }
    for (; i < m; ++i)
        for (e = a->ystart[i]; e < a->ystart[i + 1]; ++e) x[col[e]] += rows[LANES*e]*lambda[assemble_row(a, i)];
}

void slip_assembly_add_impulse(slip_assembly *a, const slip_real *lambda, slip_real *x)
{
    slip_assembly_need_y(a);
    assemble_add_transposed(a, a->y, lambda, x);
}

void slip_assembly_diagonal(slip_assembly *a, int i, slip_real *d)
{
    slip_real sum[LANES] = { 0 };
    int e, l;

    slip_assembly_need_y(a);
    for (e = a->ystart[i]; e < a->ystart[i + 1]; ++e)
        for (l = 0; l < LANES; ++l) sum[l] += a->y[LANES*e + l]*a->y[LANES*e + l];
    for (l = 0; l < assemble_dim(a, i); ++l) d[l] = sum[l];
}

void slip_assembly_block(slip_assembly *a, int i, slip_real B[9])
{
    int e, k, l;

    slip_assembly_need_y(a);
    for (k = 0; k < 9; ++k) B[k] = 0;
    for (e = a->ystart[i]; e < a->ystart[i + 1]; ++e)
        for (k = 0; k < 3; ++k)
            for (l = 0; l < 3; ++l) B[3*k + l] += a->y[LANES*e + k]*a->y[LANES*e + l];
}

void slip_assembly_loose_diagonal(const slip_assembly *a, int i, const slip_real *inertia, slip_real *d)
{
    slip_real sum[LANES] = { 0 };
    int e, l;

    for (e = a->ystart[i]; e < a->ystart[i + 1]; ++e)
        for (l = 0; l < LANES; ++l) sum[l] += a->j[LANES*e + l]*a->j[LANES*e + l]/inertia[a->ycol[e]];
    for (l = 0; l < assemble_dim(a, i); ++l) d[l] = sum[l];
}

void slip_assembly_mobility(slip_assembly *a, int first, const slip_real *lambda, slip_real *c)
{
    const int m = assemble_count(a), *col = a->ycol;
    int i, e;

    slip_assembly_need_y(a);
    for (e = a->ystart[first]; e < a->entries; ++e) a->x[col[e]] = 0;
    for (i = first; i < m; ++i)
        for (e = a->ystart[i]; e < a->ystart[i + 1]; ++e) a->x[col[e]] += a->y[LANES*e]*lambda[i - first];
    for (i = first; i < m; ++i) {
        slip_real sum = 0;

        for (e = a->ystart[i]; e < a->ystart[i + 1]; ++e) sum += a->y[LANES*e]*a->x[col[e]];
        c[i - first] = sum;
    }
}

void slip_assembly_sigma(slip_assembly *a, const slip_real *lambda, const slip_real *g, const slip_real *R,
                         slip_real *sigma)
{
    const int m = assemble_count(a);
    int i, e, l;

    slip_assembly_need_y(a);
    for (e = 0; e < a->entries; ++e) a->x[a->ycol[e]] = 0;
    assemble_add_transposed(a, a->y, lambda, a->x);
    for (i = 0; i < m; ++i) {
        const int row = assemble_row(a, i);
        const assemble_quad sum = assemble_times(a, a->y, i, a->x);

        for (l = 0; l < assemble_dim(a, i); ++l)
            sigma[row + l] = SLIP_QUAD_GET(sum.q, l) + g[row + l] + (R ? R[row + l]*lambda[row + l] : 0);
    }
}

void slip_assembly_sigma_of(const slip_assembly *a, const slip_real *lambda, const slip_real *g, const slip_real *R,
                            slip_real *force, slip_real *dv, slip_real *sigma)
{
    int i;

    slip_assembly_force(a, lambda, dv);
    for (i = 0; force && i < a->model->nv; ++i) force[i] = dv[i];
    if (a->mass_is_diagonal) for (i = 0; i < a->model->nv; ++i) dv[i] *= a->data->D_inv[i];
    else slip_ltl_solve(&a->model->branches, a->data->L, a->data->D_inv, dv);
    slip_assembly_velocity(a, dv, sigma);
    for (i = 0; i < a->n; ++i) sigma[i] += R ? g[i] + R[i]*lambda[i] : g[i];
}

void slip_assembly_spread(slip_assembly *a, slip_real *x)
{
    int i;

    assemble_need_inv_sqrt_D(a);
    for (i = 0; i < a->model->nv; ++i) x[i] *= a->inv_sqrt_D[i];
    if (!a->mass_is_diagonal) slip_ltl_solve_l(&a->model->branches, a->data->L, x);
}

void slip_assembly_impulse(slip_assembly *a, const slip_real *lambda, slip_real *dv)
{
    int i;

    /* M^-1 J' = L^-1 D^-1 L^-T J' = L^-1 D^-1/2 Y' */
    for (i = 0; i < a->model->nv; ++i) dv[i] = 0;
    slip_assembly_add_impulse(a, lambda, dv);
    slip_assembly_spread(a, dv);
}

void slip_assembly_force(const slip_assembly *a, const slip_real *lambda, slip_real *tau)
{
    int i;

    for (i = 0; i < a->model->nv; ++i) tau[i] = 0;
    slip_assembly_add_force(a, lambda, tau);
}

void slip_assembly_add_force(const slip_assembly *a, const slip_real *lambda, slip_real *tau)
{
    assemble_add_transposed(a, a->j, lambda, tau);
}
