/* See assemble.h. */
#include "contact/assemble.h"

/* From how many rows on G is kept as blocks instead of as a full matrix. */
enum { ASSEMBLE_DENSE_ROWS = 96 };

slip_status slip_assembly_create(const slip_model *model, int max_contacts, int max_rows, int max_pairs,
                                 slip_arena *mem, slip_assembly *a)
{
    const size_t mark = slip_arena_mark(mem);
    const size_t m = (size_t)max_contacts + (size_t)max_rows, nv = (size_t)model->nv;
    size_t deepest = 0, n = 3*(size_t)max_contacts + (size_t)max_rows;
    int i, failed_before = mem->failed;

    for (i = 0; i < model->nv; ++i)
        if ((size_t)model->branches.depth[i] + 1 > deepest) deepest = (size_t)model->branches.depth[i] + 1;
    mem->failed = 0;
    a->model = model;
    a->data = NULL;
    a->max_contacts = max_contacts;
    a->max_rows = max_rows;
    a->width = (int)SLIP_PADDED(deepest);
    a->max_blocks = max_pairs > 0 ? max_pairs : (int)(m*m);
    a->max_G = n <= ASSEMBLE_DENSE_ROWS ? (int)(n*n) : 9*a->max_blocks;
    if (a->max_G < ASSEMBLE_DENSE_ROWS*ASSEMBLE_DENSE_ROWS && n > ASSEMBLE_DENSE_ROWS)
        a->max_G = ASSEMBLE_DENSE_ROWS*ASSEMBLE_DENSE_ROWS;
    a->ystart = slip_arena_ints(mem, m + 1);
    a->ycol = slip_arena_ints(mem, 2*deepest*m);
    a->yat = slip_arena_ints(mem, m);
    a->j = slip_arena_reals(mem, 2*deepest*n);
    a->y = slip_arena_reals(mem, 2*deepest*n);
    a->root = slip_arena_reals(mem, nv);
    a->chain = (slip_real *)slip_arena_take_zero(mem, 6*(size_t)a->width, sizeof(slip_real));
    a->x = slip_arena_reals(mem, 3*nv);
    a->start = slip_arena_ints(mem, m + 1);
    a->col = slip_arena_ints(mem, (size_t)a->max_blocks);
    a->at = slip_arena_ints(mem, (size_t)a->max_blocks);
    a->diag = slip_arena_ints(mem, m);
    a->G = slip_arena_reals(mem, (size_t)a->max_G);
    a->head = slip_arena_ints(mem, nv);
    a->next = slip_arena_ints(mem, 2*deepest*m);
    a->mark = slip_arena_ints(mem, m);
    if (mem->failed) {
        slip_arena_release(mem, mark);
        return SLIP_ERR_WORKSPACE;
    }
    mem->failed = failed_before;
    return SLIP_OK;
}

void slip_assembly_begin(slip_assembly *a, const slip_model *model, const slip_data *data)
{
    int i;

    a->model = model;
    a->data = data;
    for (i = 0; i < model->nv; ++i) a->root[i] = slip_sqrt(data->D_inv[i]);
    slip_assembly_restart(a);
}

void slip_assembly_restart(slip_assembly *a)
{
    a->nc = a->nl = a->nb = a->n = a->entries = a->values = 0;
    a->ystart[0] = 0;
}

/* ---- rows ------------------------------------------------------------------------------------------- */

/* The last velocity coordinate above a body, -1 for the world. With mimic joints it is the deepest in the
 * elimination tree of all coordinates above the body, whose path covers them all. */
static int assemble_leaf(const slip_model *m, int body)
{
    int dof, best;

    if (body == 0) return -1;
    dof = m->idof[body] + slip_joint_nv((slip_joint_type)m->type[body]) - 1;
    best = m->dof_iv[dof];
    if (m->ndofs == m->nv) return best;
    for (; dof >= 0; dof = m->dofs.parent[dof])
        if (m->branches.depth[m->dof_iv[dof]] > m->branches.depth[best]) best = m->dof_iv[dof];
    return best;
}

/* Motion of a body's point per unit of a freedom: v (of the point) and w. */
static inline void assemble_column(const slip_model *m, const slip_data *d, int dof, const slip_real point[3],
                                   slip_real v[3], slip_real w[3])
{
    const slip_pose *X = &d->pose[m->dof_body[dof]];
    const int k = m->dof_axis[dof];
    const slip_real z[3] = { X->R[k], X->R[k + 3], X->R[k + 6] };
    slip_real r[3];

    if (m->dof_angular[dof]) {
        slip_sub3(point, X->p, r);
        slip_cross3(z, r, v);
        slip_copy3(z, w);
    } else {
        slip_copy3(z, v);
        slip_zero3(w);
    }
}

/* The body where the chains of two bodies meet, 0 when only at the world. Parents have smaller indices. */
static int assemble_meet(const slip_model *m, int body_a, int body_b)
{
    while (body_a != body_b) {
        if (body_a > body_b) body_a = m->parent[body_a];
        else body_b = m->parent[body_b];
    }
    return body_a;
}

/* A block's rows along one of its paths: entry (k, depth) = sign * frame row k . motion of the point, for the
 * freedoms between the body and the body `stop` above it, zero for those above. */
static void assemble_fill(const slip_assembly *a, int body, int stop, const slip_real point[3], const slip_real *frame,
                          int dim, int angular, slip_real sign, slip_real *X)
{
    const slip_model *m = a->model;
    int b, dof, k;

    for (k = 0; k < dim*a->width; ++k) X[k] = 0;
    for (b = body; b != stop; b = m->parent[b])
        for (dof = m->idof[b] + slip_joint_nv((slip_joint_type)m->type[b]) - 1; dof >= m->idof[b]; --dof) {
            const slip_real s = sign*m->dof_scale[dof];
            slip_real v[3], w[3], *to = X + m->branches.depth[m->dof_iv[dof]];

            assemble_column(m, a->data, dof, point, v, w);
            for (k = 0; k < dim; ++k) to[k*a->width] += s*slip_dot3(frame + 3*k, angular ? w : v);
        }
}

/* X <- X L^-1 D^-1/2 along the path to `leaf`: from the leaf to the root, each entry updates those above it. */
static void assemble_transform(const slip_assembly *a, int leaf, int dim, slip_real *X)
{
    const slip_branches *b = &a->model->branches;
    const int length = b->depth[leaf] + 1, *path = b->path + b->row[leaf];
    int d, e, k, l;

    for (d = length - 1; d > 0; --d) {
        const slip_real *row = a->data->L + b->row[path[d]];

        for (k = 0; k < dim; ++k) {
            slip_real *SLIP_RESTRICT x = X + k*a->width;
            const slip_real f = x[d];

            for (e = 0; e + SLIP_LANES <= d; e += SLIP_LANES)
                for (l = 0; l < SLIP_LANES; ++l) x[e + l] -= f*row[e + l];
            for (; e < d; ++e) x[e] -= f*row[e];
        }
    }
    for (k = 0; k < dim; ++k)
        for (d = 0; d < length; ++d) X[k*a->width + d] *= a->root[path[d]];
}

/* Columns of a block: both paths merged, ascending. Returns their number. */
static int assemble_columns(const slip_assembly *a, int leaf_a, int leaf_b, int *cols)
{
    const slip_branches *b = &a->model->branches;
    const int na = leaf_a < 0 ? 0 : b->depth[leaf_a] + 1, nb = leaf_b < 0 ? 0 : b->depth[leaf_b] + 1;
    const int *pa = leaf_a < 0 ? NULL : b->path + b->row[leaf_a], *pb = leaf_b < 0 ? NULL : b->path + b->row[leaf_b];
    int i = 0, j = 0, n = 0;

    while (i < na || j < nb) {
        if (j == nb || (i < na && pa[i] < pb[j])) cols[n++] = pa[i++];
        else if (i == na || pb[j] < pa[i]) cols[n++] = pb[j++];
        else { cols[n++] = pa[i++]; ++j; }
    }
    return n;
}

/* Writes the rows of both paths, summed where they share a coordinate, to out[dim][width of the block]. */
static void assemble_merge(const slip_assembly *a, int leaf, const slip_real *X, int dim, const int *cols, int n,
                           slip_real *out)
{
    const slip_branches *b = &a->model->branches;
    const int length = leaf < 0 ? 0 : b->depth[leaf] + 1, *path = leaf < 0 ? NULL : b->path + b->row[leaf];
    int i, at = 0, k;

    for (i = 0; i < length; ++i) {
        while (cols[at] != path[i]) ++at;
        for (k = 0; k < dim; ++k) out[k*n + at] += X[k*a->width + i];
    }
}

/* One block of dim rows between two bodies. */
static void assemble_block(slip_assembly *a, int body_a, int body_b, const slip_real point_a[3], const slip_real point_b[3],
                           const slip_real *frame, int dim, int angular)
{
    const int i = a->nc + a->nl + a->nb, meet = assemble_meet(a->model, body_a, body_b);
    const int leaf_a = assemble_leaf(a->model, body_a), leaf_b = assemble_leaf(a->model, body_b);
    int *cols = a->ycol + a->entries;
    const int n = assemble_columns(a, leaf_a, leaf_b, cols);
    slip_real *X_a = a->chain, *X_b = a->chain + 3*a->width, *J = a->j + a->values, *Y = a->y + a->values;
    int k;

    for (k = 0; k < dim*n; ++k) J[k] = Y[k] = 0;
    if (leaf_a >= 0) {
        assemble_fill(a, body_a, meet, point_a, frame, dim, angular, -1, X_a);
        assemble_merge(a, leaf_a, X_a, dim, cols, n, J);
        assemble_transform(a, leaf_a, dim, X_a);
        assemble_merge(a, leaf_a, X_a, dim, cols, n, Y);
    }
    if (leaf_b >= 0) {
        assemble_fill(a, body_b, meet, point_b, frame, dim, angular, 1, X_b);
        assemble_merge(a, leaf_b, X_b, dim, cols, n, J);
        assemble_transform(a, leaf_b, dim, X_b);
        assemble_merge(a, leaf_b, X_b, dim, cols, n, Y);
    }
    a->yat[i] = a->values;
    a->entries += n;
    a->values += dim*n;
    a->n += dim;
    a->ystart[i + 1] = a->entries;
}

slip_status slip_assembly_contact(slip_assembly *a, const slip_contact_site *s)
{
    if (a->nc == a->max_contacts) return SLIP_DROPPED;
    assemble_block(a, s->body_a, s->body_b, s->point, s->point, s->frame, 3, 0);
    ++a->nc;
    return SLIP_OK;
}

slip_status slip_assembly_limit(slip_assembly *a, int iv, slip_real sign)
{
    const slip_branches *b = &a->model->branches;
    const int i = a->nc + a->nl, n = b->depth[iv] + 1;
    slip_real *X = a->chain;
    int k;

    if (a->nl + a->nb == a->max_rows) return SLIP_DROPPED;
    for (k = 0; k < a->width; ++k) X[k] = 0;
    X[n - 1] = sign;
    for (k = 0; k < n; ++k) {
        a->ycol[a->entries + k] = b->path[b->row[iv] + k];
        a->j[a->values + k] = X[k];
    }
    assemble_transform(a, iv, 1, X);
    for (k = 0; k < n; ++k) a->y[a->values + k] = X[k];
    a->yat[i] = a->values;
    a->entries += n;
    a->values += n;
    a->n += 1;
    a->ystart[i + 1] = a->entries;
    ++a->nl;
    return SLIP_OK;
}

slip_status slip_assembly_bilateral(slip_assembly *a, const slip_row_site *s)
{
    if (a->nl + a->nb == a->max_rows) return SLIP_DROPPED;
    assemble_block(a, s->body_a, s->body_b, s->point_a, s->point_b, s->axis, 1, s->angular);
    ++a->nb;
    return SLIP_OK;
}

/* ---- products ---------------------------------------------------------------------------------------- */

static int assemble_dim(const slip_assembly *a, int i) { return i < a->nc ? 3 : 1; }
static int assemble_row(const slip_assembly *a, int i) { return i < a->nc ? 3*i : 2*a->nc + i; }

void slip_assembly_velocity(const slip_assembly *a, const slip_real *v, slip_real *c)
{
    const int m = a->nc + a->nl + a->nb;
    int i, k, e;

    for (i = 0; i < m; ++i) {
        const int *cols = a->ycol + a->ystart[i], n = a->ystart[i + 1] - a->ystart[i];

        for (k = 0; k < assemble_dim(a, i); ++k) {
            const slip_real *row = a->j + a->yat[i] + k*n;
            slip_real sum = 0;

            for (e = 0; e < n; ++e) sum += row[e]*v[cols[e]];
            c[assemble_row(a, i) + k] = sum;
        }
    }
}

/* x += rows' lambda, for packed rows j or y */
static void assemble_transposed(const slip_assembly *a, const slip_real *rows, const slip_real *lambda, slip_real *x)
{
    const int m = a->nc + a->nl + a->nb;
    int i, k, e;

    for (i = 0; i < m; ++i) {
        const int *cols = a->ycol + a->ystart[i], n = a->ystart[i + 1] - a->ystart[i];

        for (k = 0; k < assemble_dim(a, i); ++k) {
            const slip_real *row = rows + a->yat[i] + k*n, l = lambda[assemble_row(a, i) + k];

            for (e = 0; e < n; ++e) x[cols[e]] += row[e]*l;
        }
    }
}

void slip_assembly_add_impulse(const slip_assembly *a, const slip_real *lambda, slip_real *x)
{
    assemble_transposed(a, a->y, lambda, x);
}

void slip_assembly_spread(const slip_assembly *a, slip_real *x)
{
    int i;

    for (i = 0; i < a->model->nv; ++i) x[i] *= a->root[i];
    slip_ltl_solve_l(&a->model->branches, a->data->L, x);
}

void slip_assembly_impulse(const slip_assembly *a, const slip_real *lambda, slip_real *dv)
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
    assemble_transposed(a, a->j, lambda, tau);
}

/* ---- G ------------------------------------------------------------------------------------------------ */

/* Scatters the rows of block i into x[3][nv], or clears them again. */
static void assemble_scatter(const slip_assembly *a, int i, int clear)
{
    const int *cols = a->ycol + a->ystart[i], n = a->ystart[i + 1] - a->ystart[i], nv = a->model->nv;
    const slip_real *Y = a->y + a->yat[i];
    int k, e;

    for (k = 0; k < assemble_dim(a, i); ++k)
        for (e = 0; e < n; ++e) a->x[k*nv + cols[e]] = clear ? 0 : Y[k*n + e];
}

/* B (dim_i x dim_j, leading dimension ld) = Y_i Y_j', block i being scattered; rows shorter than 3 by dim. */
static void assemble_block_product(const slip_assembly *a, int i, int j, slip_real *B, int ld)
{
    const int *cols = a->ycol + a->ystart[j], n = a->ystart[j + 1] - a->ystart[j], nv = a->model->nv;
    const slip_real *Y = a->y + a->yat[j];
    int r, c, e;

    if (assemble_dim(a, i) == 3 && assemble_dim(a, j) == 3) {
        slip_real s[9] = { 0 };

        for (e = 0; e < n; ++e) {
            const slip_real *x = a->x + cols[e];
            const slip_real x0 = x[0], x1 = x[nv], x2 = x[2*nv], y0 = Y[e], y1 = Y[n + e], y2 = Y[2*n + e];

            s[0] += x0*y0;  s[1] += x0*y1;  s[2] += x0*y2;
            s[3] += x1*y0;  s[4] += x1*y1;  s[5] += x1*y2;
            s[6] += x2*y0;  s[7] += x2*y1;  s[8] += x2*y2;
        }
        for (r = 0; r < 3; ++r)
            for (c = 0; c < 3; ++c) B[r*ld + c] = s[3*r + c];
        return;
    }
    for (r = 0; r < assemble_dim(a, i); ++r)
        for (c = 0; c < assemble_dim(a, j); ++c) {
            slip_real sum = 0;

            for (e = 0; e < n; ++e) sum += a->x[r*nv + cols[e]]*Y[c*n + e];
            B[r*ld + c] = sum;
        }
}

/* G as a full matrix, lower triangle by products, upper by reflection. */
static void assemble_dense(const slip_assembly *a)
{
    const int m = a->nc + a->nl + a->nb, n = a->n;
    int i, j, r, c;

    for (i = 0; i < 3*a->model->nv; ++i) a->x[i] = 0;
    for (i = 0; i < m; ++i) {
        const int ri = assemble_row(a, i), di = assemble_dim(a, i);

        assemble_scatter(a, i, 0);
        for (j = 0; j <= i; ++j) {
            const int rj = assemble_row(a, j), dj = assemble_dim(a, j);

            assemble_block_product(a, i, j, a->G + ri*n + rj, n);
            for (r = 0; r < di; ++r)
                for (c = 0; c < dj; ++c) a->G[(rj + c)*n + ri + r] = a->G[(ri + r)*n + rj + c];
        }
        assemble_scatter(a, i, 1);
    }
}

/* Blocks that share a coordinate with block i, ascending, into a->col from `at` on; 0 when they do not fit.
 * Lists of blocks by coordinate are built so that walking them gives descending blocks. */
static int assemble_neighbours(slip_assembly *a, int i, int at)
{
    const int m = a->nc + a->nl + a->nb;
    int e, k, n = 0;

    for (e = a->ystart[i]; e < a->ystart[i + 1]; ++e)
        for (k = a->head[a->ycol[e]]; k >= 0; k = a->next[k]) {
            int lo = 0, hi = m;                          /* the block that entry k belongs to */

            while (hi - lo > 1) {
                const int mid = (lo + hi)/2;

                if (a->ystart[mid] <= k) lo = mid;
                else hi = mid;
            }
            if (a->mark[lo] == i + 1) continue;
            a->mark[lo] = i + 1;
            if (at + n == a->max_blocks) return 0;
            a->col[at + n++] = lo;
        }
    for (e = 1; e < n; ++e) {                            /* insertion sort: rows are short */
        const int c = a->col[at + e];

        for (k = e; k > 0 && a->col[at + k - 1] > c; --k) a->col[at + k] = a->col[at + k - 1];
        a->col[at + k] = c;
    }
    return n;
}

/* Only the blocks that exist. SLIP_DROPPED when there are more than fit. */
static slip_status assemble_blocks(slip_assembly *a)
{
    const int m = a->nc + a->nl + a->nb;
    int i, k, count = 0, used = 0;

    for (i = 0; i < a->model->nv; ++i) a->head[i] = -1;
    for (i = 0; i < m; ++i) a->mark[i] = 0;
    for (k = 0; k < a->entries; ++k) {
        a->next[k] = a->head[a->ycol[k]];
        a->head[a->ycol[k]] = k;
    }
    for (i = 0; i < 3*a->model->nv; ++i) a->x[i] = 0;
    for (i = 0; i < m; ++i) {
        const int n = assemble_neighbours(a, i, count);

        if (n == 0) return SLIP_DROPPED;
        a->start[i] = count;
        assemble_scatter(a, i, 0);
        for (k = count; k < count + n; ++k) {
            const int dj = assemble_dim(a, a->col[k]), size = assemble_dim(a, i)*dj;

            if (used + size > a->max_G) return SLIP_DROPPED;
            if (a->col[k] == i) a->diag[i] = k;
            a->at[k] = used;
            assemble_block_product(a, i, a->col[k], a->G + used, dj);
            used += size;
        }
        assemble_scatter(a, i, 1);
        count += n;
    }
    a->start[m] = count;
    return SLIP_OK;
}

slip_status slip_assembly_finish(slip_assembly *a, const slip_real *mu, const slip_real *g, const slip_real *R,
                                 slip_problem *p)
{
    slip_status s = SLIP_OK;

    *p = slip_problem_dense_rows(a->nc, a->nl, a->nb, mu, g, R, a->G, a->n);
    p->G.symmetric = 1;
    p->G.nv = a->model->nv;
    p->G.ystart = a->ystart;
    p->G.ycol = a->ycol;
    p->G.yat = a->yat;
    p->G.y = a->y;
    p->G.work = a->x;
    if (a->n <= ASSEMBLE_DENSE_ROWS) {
        assemble_dense(a);
        return SLIP_OK;
    }
    s = assemble_blocks(a);
    p->G.form = s == SLIP_OK ? SLIP_G_BLOCKS : SLIP_G_FACTOR;
    p->G.start = a->start;
    p->G.col = a->col;
    p->G.at = a->at;
    p->G.diag = a->diag;
    p->G.val = a->G;
    return s;
}
