/* Rows J and Y of contacts, limits and loops, and G = Y Y', packed along the branches of a model. See assemble.h. */
#include "contact/assemble.h"

#include <string.h>
#include "contact/operator.h"
#include "contact/quad.h"

/* Rows of the largest full G that there is room for, 72 kB of doubles. Up to there the products of zeros are cheaper
 * than the search for the blocks that exist, which visits as many pairs of entries. */
enum { ASSEMBLE_DENSE_ROWS = 96, LANES = SLIP_ASSEMBLY_LANES };

/* Kinds of freedoms: motion at the tree's reference point is linear, angular (about that point), or both. */
enum { ASSEMBLE_MOVES, ASSEMBLE_TURNS, ASSEMBLE_BOTH };

/* The lanes of one coordinate, or of one sum over coordinates. */
typedef struct { slip_lanes q[SLIP_QUAD_PARTS]; } assemble_quad;

/* y += s x */
static inline void assemble_axpy(slip_real s, const slip_real *x, assemble_quad *y)
{
    int k;

    for (k = 0; k < SLIP_QUAD_PARTS; ++k) y->q[k] += s*slip_quad_load(x, k);
}

/* The last velocity coordinate above a body, -1 for the world. With mimic joints it is the deepest in the
 * elimination tree of all coordinates above the body, whose path covers them all: they form a clique. */
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

/* The most coordinates that the paths of two bodies touch together; a bound of it for large models. */
static size_t assemble_widest(const slip_model *model)
{
    enum { FEW = 64 };                                   /* coordinates: pairs of them are counted in microseconds */
    const slip_branches *b = &model->branches;
    int i, j, k, deepest = 0, most = 0;

    for (i = 0; i < b->n; ++i) if (b->depth[i] + 1 > deepest) deepest = b->depth[i] + 1;
    if (b->n > FEW) return (size_t)(2*deepest < b->n ? 2*deepest : b->n);
    for (i = 0; i < b->n; ++i)
        for (j = 0; j <= i; ++j) {
            int at = i, width = b->depth[i] + 1;

            for (k = j; k >= 0; k = b->parent[k]) {      /* parents have smaller numbers */
                while (at > k) at = b->parent[at];
                if (at == k) break;
                ++width;
            }
            if (width > most) most = width;
        }
    return (size_t)most;
}

/* Room for G: a full matrix where it stays small, else its blocks; none for these where finish() always prefers the
 * factor: its flops grow less than a full matrix's from where they are fewer. */
static void assemble_capacities(slip_assembly *a, size_t m, size_t n, size_t widest, int max_pairs)
{
    const int dense = ASSEMBLE_DENSE_ROWS*ASSEMBLE_DENSE_ROWS, small = n <= ASSEMBLE_DENSE_ROWS;
    const int factor = slip_operator_allows_joint()
        && slip_operator_prefers_factor(ASSEMBLE_DENSE_ROWS + 1, a->model->nv, (double)widest);

    a->max_blocks = small || factor ? 0 : max_pairs > 0 ? max_pairs : (int)(m*m);
    a->max_G = small ? (int)(n*n) : 9*a->max_blocks > dense ? 9*a->max_blocks : dense;
}

/* Room for Y' as a table, of a G small enough to be full. */
static size_t assemble_transpose_size(size_t rows, size_t blocks, size_t nv, size_t widest)
{
    const size_t n = rows < ASSEMBLE_DENSE_ROWS ? rows : ASSEMBLE_DENSE_ROWS, m = blocks < n ? blocks : n;

    return (n + 3)/4*4*(nv < widest*m ? nv : widest*m);
}

/* For the BLOCKS form. */
static void assemble_take_blocks(slip_assembly *a, size_t m, size_t entries, slip_arena *mem)
{
    a->start = slip_arena_ints(mem, m + 1);
    a->col = slip_arena_ints(mem, (size_t)a->max_blocks);
    a->at = slip_arena_ints(mem, (size_t)a->max_blocks);
    a->diag = slip_arena_ints(mem, m);
    a->head = slip_arena_ints(mem, m > 0 ? (size_t)a->model->nv : 0);
    a->next = slip_arena_ints(mem, entries);
    a->mark = slip_arena_ints(mem, m);
}

slip_status slip_assembly_create(const slip_model *model, int max_contacts, int max_rows, int max_pairs,
                                 slip_arena *mem, slip_assembly *a)
{
    const size_t mark = slip_arena_mark(mem);
    const size_t m = (size_t)max_contacts + (size_t)max_rows, nv = (size_t)model->nv;
    const size_t n = 3*(size_t)max_contacts + (size_t)max_rows;
    const size_t widest = assemble_widest(model), entries = widest*m;
    const size_t packed = slip_operator_allows_joint() || n > ASSEMBLE_DENSE_ROWS ? widest*n : 0;
    int i, failed_before = mem->failed;

    mem->failed = 0;
    a->model = model;
    a->data = NULL;
    a->max_contacts = max_contacts;
    a->max_rows = max_rows;
    assemble_capacities(a, m, n, widest, max_pairs);
    a->ystart = slip_arena_ints(mem, m + 1);
    a->ycol = slip_arena_ints(mem, entries);
    a->leaf = slip_arena_ints(mem, 2*m);
    a->j = slip_arena_reals(mem, LANES*entries);
    a->y = slip_arena_reals(mem, LANES*entries);
    a->root = slip_arena_reals(mem, nv);
    a->axis = slip_arena_reals(mem, 6*(size_t)model->ndofs);
    a->top = slip_arena_ints(mem, (size_t)model->nbodies);
    a->body_leaf = slip_arena_ints(mem, (size_t)model->nbodies);
    a->place = slip_arena_ints(mem, nv);
    a->part = slip_arena_ints(mem, (size_t)model->ndofs);
    a->x = slip_arena_reals(mem, nv);
    a->yat = slip_arena_ints(mem, m);
    a->packed = slip_arena_reals(mem, packed);
    a->G = slip_arena_reals(mem, (size_t)a->max_G);
    a->transpose = slip_arena_reals(mem, assemble_transpose_size(n, m, nv, widest));
    a->owner = slip_arena_ints(mem, entries);
    assemble_take_blocks(a, a->max_blocks > 0 ? m : 0, a->max_blocks > 0 ? entries : 0, mem);
    if (mem->failed) {
        slip_arena_release(mem, mark);
        return SLIP_ERR_WORKSPACE;
    }
    mem->failed = failed_before;
    if (slip_arena_is_counting(mem)) return SLIP_OK;
    for (i = 0; i < model->nbodies; ++i) {
        a->top[i] = i == 0 || model->parent[i] == 0 ? i : a->top[model->parent[i]];
        a->body_leaf[i] = assemble_leaf(model, i);
    }
    for (i = 0; i < model->ndofs; ++i)
        a->part[i] = !model->dof_angular[i] ? ASSEMBLE_MOVES
                   : model->parent[model->dof_body[i]] == 0 ? ASSEMBLE_TURNS : ASSEMBLE_BOTH;
    return SLIP_OK;
}

/* Motion per unit of a freedom, world axes: linear at the position of the tree's first body, then angular, of these the
 * halves that are not zero. A point of the tree itself as reference keeps lever arms exact far from the world's
 * origin. */
static inline void assemble_axis(const slip_assembly *a, int body, int dof)
{
    const slip_model *m = a->model;
    const int k = m->dof_axis[dof], part = a->part[dof];
    const slip_pose *B = &a->data->pose[body];
    const slip_real s = m->dof_scale[dof], z[3] = { s*B->R[k], s*B->R[k + 3], s*B->R[k + 6] };
    slip_real *out = a->axis + 6*dof, r[3];

    slip_copy3(z, part == ASSEMBLE_MOVES ? out : out + 3);
    if (part != ASSEMBLE_BOTH) return;
    slip_sub3(a->data->pose[a->top[body]].p, B->p, r);
    slip_cross3(z, r, out);
}

/* Motion per unit of all freedoms into a->axis. */
static void assemble_axes(const slip_assembly *a)
{
    const slip_model *m = a->model;
    int k, dof = 0;

    while (dof < m->ndofs) {
        const int body = m->dof_body[dof];
        const slip_real *R = a->data->pose[body].R;
        slip_real *out = a->axis + 6*dof;

        if (m->type[body] != SLIP_JOINT_FLOATING || m->parent[body] != 0) {
            assemble_axis(a, body, dof++);
            continue;
        }
        for (k = 0; k < 3; ++k, out += 6) {              /* a floating root: along its axes, then about them */
            slip_set3(R[k], R[k + 3], R[k + 6], out);
            slip_set3(R[k], R[k + 3], R[k + 6], out + 18 + 3);
        }
        dof += 6;
    }
}

void slip_assembly_begin(slip_assembly *a, const slip_model *model, const slip_data *data)
{
    a->model = model;
    a->data = data;
    a->has_root = a->plain_mass = 0;
    assemble_axes(a);
    slip_assembly_restart(a);
}

void slip_assembly_restart(slip_assembly *a)
{
    a->nc = a->nl = a->nb = a->n = a->entries = a->ny = 0;
    a->ystart[0] = 0;
}

/* ---- rows ------------------------------------------------------------------------------------------- */

static int assemble_length(const slip_assembly *a, int leaf)
{
    return leaf < 0 ? 0 : a->model->branches.depth[leaf] + 1;
}

static const int *assemble_path(const slip_assembly *a, int leaf)
{
    return leaf < 0 ? NULL : a->model->branches.path + a->model->branches.row[leaf];
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

/* Up to three rows applied to a motion (angular z, linear v at the tree's reference): F.v + C.z, lane by lane.
 * Along directions f at a point: F = f, C = (point - reference) x f. About directions f: F = 0, C = f. */
typedef struct { assemble_quad F[3], C[3]; } assemble_lanes;

typedef struct {
    const slip_real *frame;      /* three rows of 3, of which the first dim count and the others are zero */
    int dim, angular;
} assemble_rows;

/* F and C of the rows at a point, times sign. */
static inline void assemble_lanes_at(const slip_real point[3], const slip_real reference[3], const assemble_rows *rows,
                                     slip_real sign, assemble_lanes *w)
{
    const slip_real r0 = point[0] - reference[0], r1 = point[1] - reference[1], r2 = point[2] - reference[2];
    const assemble_quad none = { 0 };
    const slip_real *f = rows->frame;
    const slip_lanes X[SLIP_QUAD_PARTS] = SLIP_QUAD_OF(f[0], f[3], f[6], 0);
    const slip_lanes Y[SLIP_QUAD_PARTS] = SLIP_QUAD_OF(f[1], f[4], f[7], 0);
    const slip_lanes Z[SLIP_QUAD_PARTS] = SLIP_QUAD_OF(f[2], f[5], f[8], 0);
    int i, k;

    for (k = 0; k < SLIP_QUAD_PARTS; ++k) {
        const slip_lanes x = w->F[0].q[k] = sign*X[k], y = w->F[1].q[k] = sign*Y[k], z = w->F[2].q[k] = sign*Z[k];

        w->C[0].q[k] = r1*z - r2*y;
        w->C[1].q[k] = r2*x - r0*z;
        w->C[2].q[k] = r0*y - r1*x;
    }
    for (i = 0; rows->angular && i < 3; ++i) {
        w->C[i] = w->F[i];
        w->F[i] = none;
    }
}

/* F.s_linear + C.s_angular: J of the rows w for a freedom that moves by s. */
static inline assemble_quad assemble_entry(const slip_real *s, int part, const assemble_lanes *w)
{
    assemble_quad x;
    int k;

    for (k = 0; k < SLIP_QUAD_PARTS; ++k) {
        if (part == ASSEMBLE_TURNS) {
            x.q[k] = s[3]*w->C[0].q[k] + s[4]*w->C[1].q[k] + s[5]*w->C[2].q[k];
            continue;
        }
        x.q[k] = s[0]*w->F[0].q[k] + s[1]*w->F[1].q[k] + s[2]*w->F[2].q[k];
        if (part == ASSEMBLE_BOTH) x.q[k] += s[3]*w->C[0].q[k] + s[4]*w->C[1].q[k] + s[5]*w->C[2].q[k];
    }
    return x;
}

/* J for the freedoms between a body and the body `stop` above it, into the entries of J that `place` (by coordinate)
 * names. Without mimic joints each has an entry of its own. */
static void assemble_fill(const slip_assembly *a, int body, int stop, const assemble_lanes *w, const int *place,
                          slip_real *J)
{
    const slip_model *m = a->model;
    int b, dof, k;

    for (b = body; b != stop; b = m->parent[b]) {
        const int first = m->idof[b];

        for (dof = first + slip_joint_nv((slip_joint_type)m->type[b]) - 1; dof >= first; --dof) {
            slip_real *to = J + LANES*place[m->dof_iv[dof]];
            const assemble_quad x = assemble_entry(a->axis + 6*dof, a->part[dof], w);

            for (k = 0; k < SLIP_QUAD_PARTS; ++k) slip_quad_store(to, k, slip_quad_load(to, k) + x.q[k]);
        }
    }
}

/* Columns of a block: both paths merged, ascending. Returns their number. */
static int assemble_columns(const slip_assembly *a, int leaf_a, int leaf_b, int *cols)
{
    const int na = assemble_length(a, leaf_a), nb = assemble_length(a, leaf_b);
    const int *pa = assemble_path(a, leaf_a), *pb = assemble_path(a, leaf_b);
    int i = 0, j = 0, n = 0;

    while (i < na || j < nb) {
        if (j == nb || (i < na && pa[i] < pb[j])) cols[n++] = pa[i++];
        else if (i == na || pb[j] < pa[i]) cols[n++] = pb[j++];
        else { cols[n++] = pa[i++]; ++j; }
    }
    return n;
}

/* Where each of n columns stands. */
static const int *assemble_places(const slip_assembly *a, int n, const int *cols)
{
    int k;

    for (k = 0; k < n; ++k) a->place[cols[k]] = k;
    return a->place;
}

/* Columns and J of a block between a body and the world, without mimic joints: the path itself. Returns how many. */
static inline int assemble_along(const slip_assembly *a, int leaf, const assemble_lanes *w, int *cols, slip_real *J)
{
    const int n = assemble_length(a, leaf), *path = assemble_path(a, leaf), *part = a->part;
    const slip_real *axis = a->axis;
    int i, k;

    for (i = 0; i < n; ++i, J += LANES) {
        const int dof = path[i];
        const assemble_quad x = assemble_entry(axis + 6*dof, part[dof], w);

        cols[i] = dof;
        for (k = 0; k < SLIP_QUAD_PARTS; ++k) slip_quad_store(J, k, x.q[k]);
    }
    return n;
}

/* The same between two bodies, at a point of each. */
static int assemble_between(const slip_assembly *a, const int body[2], const slip_real *const point[2],
                            const assemble_rows *rows, int *cols, slip_real *J)
{
    const int meet = assemble_meet(a->model, body[0], body[1]);
    const int n = assemble_columns(a, a->body_leaf[body[0]], a->body_leaf[body[1]], cols);
    const int *place = assemble_places(a, n, cols);
    assemble_lanes w;
    int k;

    for (k = 0; k < LANES*n; ++k) J[k] = 0;
    for (k = 0; k < 2; ++k) {
        assemble_lanes_at(point[k], a->data->pose[a->top[body[k]]].p, rows, k ? 1 : -1, &w);
        assemble_fill(a, body[k], meet, &w, place, J);
    }
    return n;
}

/* One block: its columns and J. */
static inline void assemble_block(slip_assembly *a, int body_a, int body_b, const slip_real point_a[3],
                                  const slip_real point_b[3], const assemble_rows *rows)
{
    const int i = a->nc + a->nl + a->nb, leaf_a = a->body_leaf[body_a], leaf_b = a->body_leaf[body_b];
    int *cols = a->ycol + a->entries;
    slip_real *J = a->j + LANES*a->entries;

    if ((leaf_a < 0 || leaf_b < 0) && a->model->ndofs == a->model->nv) {
        const slip_real *reference = a->data->pose[a->top[body_a ? body_a : body_b]].p;
        assemble_lanes w;

        assemble_lanes_at(body_a ? point_a : point_b, reference, rows, body_a ? -1 : 1, &w);
        a->entries += assemble_along(a, leaf_a < 0 ? leaf_b : leaf_a, &w, cols, J);
    } else {
        const int body[2] = { body_a, body_b };
        const slip_real *point[2];

        point[0] = point_a;
        point[1] = point_b;
        a->entries += assemble_between(a, body, point, rows, cols, J);
    }
    a->leaf[2*i] = leaf_a;
    a->leaf[2*i + 1] = leaf_b;
    a->n += rows->dim;
    a->ystart[i + 1] = a->entries;
}

slip_status slip_assembly_contact(slip_assembly *a, const slip_contact_site *s)
{
    assemble_rows rows;

    if (a->nc == a->max_contacts) return SLIP_DROPPED;
    rows.frame = s->frame;
    rows.dim = 3;
    rows.angular = 0;
    assemble_block(a, s->body_a, s->body_b, s->point, s->point, &rows);
    ++a->nc;
    return SLIP_OK;
}

slip_status slip_assembly_turn(slip_assembly *a, const slip_contact_site *s)
{
    assemble_rows rows;

    if (a->nc == a->max_contacts) return SLIP_DROPPED;
    rows.frame = s->frame;
    rows.dim = 3;
    rows.angular = 1;
    assemble_block(a, s->body_a, s->body_b, s->point, s->point, &rows);
    ++a->nc;
    return SLIP_OK;
}

slip_status slip_assembly_limit(slip_assembly *a, int iv, slip_real sign)
{
    const int i = a->nc + a->nl, n = assemble_length(a, iv), *path = assemble_path(a, iv);
    slip_real *J = a->j + LANES*a->entries;
    int k;

    if (a->nl + a->nb == a->max_rows) return SLIP_DROPPED;
    for (k = 0; k < LANES*n; ++k) J[k] = 0;
    for (k = 0; k < n; ++k) a->ycol[a->entries + k] = path[k];
    J[LANES*(n - 1)] = sign;
    a->leaf[2*i] = -1;
    a->leaf[2*i + 1] = iv;
    a->entries += n;
    a->n += 1;
    a->ystart[i + 1] = a->entries;
    ++a->nl;
    return SLIP_OK;
}

slip_status slip_assembly_bilateral(slip_assembly *a, const slip_row_site *s)
{
    const slip_real frame[9] = { s->axis[0], s->axis[1], s->axis[2], 0, 0, 0, 0, 0, 0 };
    assemble_rows rows;

    if (a->nl + a->nb == a->max_rows) return SLIP_DROPPED;
    rows.frame = frame;
    rows.dim = 1;
    rows.angular = s->angular;
    assemble_block(a, s->body_a, s->body_b, s->point_a, s->point_b, &rows);
    ++a->nb;
    return SLIP_OK;
}

/* ---- Y = J L^-1 D^-1/2 ------------------------------------------------------------------------------- */

/* Computes D^-1/2 on the first call after slip_assembly_begin(): only Y needs it. */
static void assemble_need_root(slip_assembly *a)
{
    int i;

    if (a->has_root) return;
    for (i = 0; i < a->model->nv; ++i) a->root[i] = slip_sqrt(a->data->D_inv[i]);
    a->has_root = 1;
}

/* X <- X L^-1 D^-1/2 of a block along one path: from the leaf to the root, each entry updates those above it. The inner
 * loop runs downwards so that compilers vectorise over the lanes, not over the entries. */
static void assemble_transform_path(const slip_assembly *a, int n, const int *path, slip_real *SLIP_RESTRICT X)
{
    int d, e;

    for (d = n - 1; d >= 0; --d) {
        const slip_real *row = a->data->L + a->model->branches.row[path[d]], s = a->root[path[d]];
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

/* The same over two merged paths: `place` gives the position of each coordinate above an entry. */
static void assemble_transform_pair(const slip_assembly *a, int n, const int *cols, slip_real *SLIP_RESTRICT X)
{
    const slip_branches *b = &a->model->branches;
    const int *place = assemble_places(a, n, cols);
    int k, e;

    for (k = n - 1; k >= 0; --k) {
        const int c = cols[k], *path = b->path + b->row[c];
        const slip_real *row = a->data->L + b->row[c], s = a->root[c];
        slip_real *x = X + LANES*k;
        const slip_real f0 = x[0], f1 = x[1], f2 = x[2], f3 = x[3];

        for (e = b->depth[c] - 1; e >= 0; --e) {
            slip_real *y = X + LANES*place[path[e]];
            const slip_real r = row[e];

            y[0] -= r*f0;  y[1] -= r*f1;  y[2] -= r*f2;  y[3] -= r*f3;
        }
        x[0] = s*f0;  x[1] = s*f1;  x[2] = s*f2;  x[3] = s*f3;
    }
}

/* Whether a block has one side only, the other one being the world. */
static int assemble_is_path(const slip_assembly *a, int i) { return a->leaf[2*i] < 0 || a->leaf[2*i + 1] < 0; }

/* Computes Y of the blocks added since the last call. Impulses that are reused need J alone, so Y is not computed
 * before. */
static void assemble_need_y(slip_assembly *a)
{
    const int first = a->ystart[a->ny], m = a->nc + a->nl + a->nb;
    int e, k;

    assemble_need_root(a);
    if (a->plain_mass) {
        for (e = first; e < a->entries; ++e) {
            const slip_real root = a->root[a->ycol[e]], *j = a->j + LANES*e;

            for (k = 0; k < SLIP_QUAD_PARTS; ++k) slip_quad_store(a->y + LANES*e, k, root*slip_quad_load(j, k));
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

static int assemble_count(const slip_assembly *a) { return a->nc + a->nl + a->nb; }
static int assemble_dim(const slip_assembly *a, int i) { return i < a->nc ? 3 : 1; }
static int assemble_row(const slip_assembly *a, int i) { return i < a->nc ? 3*i : 2*a->nc + i; }

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
    assemble_need_y(a);
    assemble_add_transposed(a, a->y, lambda, x);
}

void slip_assembly_diagonal(slip_assembly *a, int i, slip_real *d)
{
    slip_real sum[LANES] = { 0 };
    int e, l;

    assemble_need_y(a);
    for (e = a->ystart[i]; e < a->ystart[i + 1]; ++e)
        for (l = 0; l < LANES; ++l) sum[l] += a->y[LANES*e + l]*a->y[LANES*e + l];
    for (l = 0; l < assemble_dim(a, i); ++l) d[l] = sum[l];
}

void slip_assembly_block(slip_assembly *a, int i, slip_real B[9])
{
    int e, k, l;

    assemble_need_y(a);
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

    assemble_need_y(a);
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

    assemble_need_y(a);
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
    if (a->plain_mass) for (i = 0; i < a->model->nv; ++i) dv[i] *= a->data->D_inv[i];
    else slip_ltl_solve(&a->model->branches, a->data->L, a->data->D_inv, dv);
    slip_assembly_velocity(a, dv, sigma);
    for (i = 0; i < a->n; ++i) sigma[i] += R ? g[i] + R[i]*lambda[i] : g[i];
}

void slip_assembly_spread(slip_assembly *a, slip_real *x)
{
    int i;

    assemble_need_root(a);
    for (i = 0; i < a->model->nv; ++i) x[i] *= a->root[i];
    if (!a->plain_mass) slip_ltl_solve_l(&a->model->branches, a->data->L, x);
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

/* ---- G ------------------------------------------------------------------------------------------------ */

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

    for (e = 0; e < a->entries; ++e) a->place[a->ycol[e]] = -1;
    for (e = 0; e < a->entries; ++e) {
        int *place = &a->place[a->ycol[e]];

        if (*place < 0) { *place = used;  used += stride; }
        at[e] = *place;
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

/* How many coordinates two blocks of paths share: once paths part they never meet again. */
static inline int assemble_shared(const slip_assembly *a, int i, int j)
{
    const int *p = a->ycol + a->ystart[i], *q = a->ycol + a->ystart[j];
    const int np = a->ystart[i + 1] - a->ystart[i], nq = a->ystart[j + 1] - a->ystart[j], n = np < nq ? np : nq;
    int k = 0;

    if (a->leaf[2*i] + a->leaf[2*i + 1] == a->leaf[2*j] + a->leaf[2*j + 1]) return n;    /* one is -1, the world */
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
    int *at = a->owner, i, j;

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
    for (e = 0; e < a->entries; ++e) a->place[a->ycol[e]] = 0;
    for (e = 0; e < a->entries; ++e) if (!a->place[a->ycol[e]]++) ++count;
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

    assemble_need_y(a);
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
