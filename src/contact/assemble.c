/* Rows J of contacts, limits and loops, packed along the branches of a model, and the memory of an assembly. See
 * assemble.h. */
#include "contact/assemble_private.h"

#include "contact/operator.h"

/* Kinds of freedoms: motion at the tree's reference point is linear, angular (about that point), or both. */
enum { ASSEMBLE_MOVES, ASSEMBLE_TURNS, ASSEMBLE_BOTH };

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
 * factor: once that takes fewer flops than a full matrix, it does so for more rows as well. */
static void assemble_capacities(slip_assembly *a, size_t m, size_t n, size_t widest, int max_pairs)
{
    const int dense = ASSEMBLE_DENSE_ROWS*ASSEMBLE_DENSE_ROWS, small = n <= ASSEMBLE_DENSE_ROWS;
    const int free_bodies = max_pairs < 0 && widest <= 2*SLIP_NODE;
    const int factor = slip_operator_allows_joint()
        && (free_bodies || slip_operator_prefers_factor(ASSEMBLE_DENSE_ROWS + 1, a->model->nv, (double)widest));

    a->max_blocks = small || factor ? 0 : max_pairs > 0 ? max_pairs : max_pairs < 0 ? -max_pairs : (int)(m*m);
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

/* All arrays for m blocks with n rows. */
static void assemble_take(slip_assembly *a, size_t m, size_t n, size_t widest, slip_arena *mem)
{
    const slip_model *model = a->model;
    const size_t nv = (size_t)model->nv, ndofs = (size_t)model->ndofs, nbodies = (size_t)model->nbodies;
    const size_t entries = widest*m;
    const size_t packed = slip_operator_allows_joint() || n > ASSEMBLE_DENSE_ROWS ? widest*n : 0;

    a->ystart = slip_arena_ints(mem, m + 1);
    a->ycol = slip_arena_ints(mem, entries);
    a->leaf = slip_arena_ints(mem, 2*m);
    a->j = slip_arena_reals(mem, LANES*entries);
    a->y = slip_arena_reals(mem, LANES*entries);
    a->inv_sqrt_D = slip_arena_reals(mem, nv);
    a->axis = slip_arena_reals(mem, 6*ndofs);
    a->top = slip_arena_ints(mem, nbodies);
    a->body_leaf = slip_arena_ints(mem, nbodies);
    a->slot = slip_arena_ints(mem, nv);
    a->part = slip_arena_ints(mem, ndofs);
    a->x = slip_arena_reals(mem, nv);
    a->yat = slip_arena_ints(mem, m);
    a->packed = slip_arena_reals(mem, packed);
    a->G = slip_arena_reals(mem, (size_t)a->max_G);
    a->transpose = slip_arena_reals(mem, assemble_transpose_size(n, m, nv, widest));
    a->owner = slip_arena_ints(mem, entries);
    assemble_take_blocks(a, a->max_blocks > 0 ? m : 0, a->max_blocks > 0 ? entries : 0, mem);
}

/* What depends on the model alone: top, body_leaf, part. */
static void assemble_tables(slip_assembly *a)
{
    const slip_model *m = a->model;
    int i;

    for (i = 0; i < m->nbodies; ++i) {
        a->top[i] = i == 0 || m->parent[i] == 0 ? i : a->top[m->parent[i]];
        a->body_leaf[i] = assemble_leaf(m, i);
    }
    for (i = 0; i < m->ndofs; ++i)
        a->part[i] = !m->dof_angular[i] ? ASSEMBLE_MOVES
                   : m->parent[m->dof_body[i]] == 0 ? ASSEMBLE_TURNS : ASSEMBLE_BOTH;
}

slip_status slip_assembly_create(const slip_model *model, int max_contacts, int max_rows, int max_pairs,
                                 slip_arena *mem, slip_assembly *a)
{
    const size_t mark = slip_arena_mark(mem), widest = assemble_widest(model);
    const size_t m = (size_t)max_contacts + (size_t)max_rows, n = 3*(size_t)max_contacts + (size_t)max_rows;
    const int failed_before = mem->failed;

    mem->failed = 0;
    a->model = model;
    a->data = NULL;
    a->max_contacts = max_contacts;
    a->max_rows = max_rows;
    assemble_capacities(a, m, n, widest, max_pairs);
    assemble_take(a, m, n, widest, mem);
    if (mem->failed) {
        slip_arena_release(mem, mark);
        return SLIP_ERR_WORKSPACE;
    }
    mem->failed = failed_before;
    if (!slip_arena_is_counting(mem)) assemble_tables(a);
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
    a->has_inv_sqrt_D = a->mass_is_diagonal = 0;
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

/* J for the freedoms between a body and the body `stop` above it, into the entries of J that `slot` (by coordinate)
 * names. Without mimic joints each has an entry of its own. */
static void assemble_fill(const slip_assembly *a, int body, int stop, const assemble_lanes *w, const int *slot,
                          slip_real *J)
{
    const slip_model *m = a->model;
    int b, dof, k;

    for (b = body; b != stop; b = m->parent[b]) {
        const int first = m->idof[b];

        for (dof = first + slip_joint_nv((slip_joint_type)m->type[b]) - 1; dof >= first; --dof) {
            slip_real *to = J + LANES*slot[m->dof_iv[dof]];
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
    const int *slot = assemble_slots(a, n, cols);
    assemble_lanes w;
    int k;

    for (k = 0; k < LANES*n; ++k) J[k] = 0;
    for (k = 0; k < 2; ++k) {
        assemble_lanes_at(point[k], a->data->pose[a->top[body[k]]].p, rows, k ? 1 : -1, &w);
        assemble_fill(a, body[k], meet, &w, slot, J);
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

/* The three rows of a site: of the point's velocity, or of the spin. */
static slip_status assemble_site(slip_assembly *a, const slip_contact_site *s, int angular)
{
    assemble_rows rows;

    if (a->nc == a->max_contacts) return SLIP_DROPPED;
    rows.frame = s->frame;
    rows.dim = 3;
    rows.angular = angular;
    assemble_block(a, s->body_a, s->body_b, s->point, s->point, &rows);
    ++a->nc;
    return SLIP_OK;
}

slip_status slip_assembly_contact(slip_assembly *a, const slip_contact_site *s) { return assemble_site(a, s, 0); }

slip_status slip_assembly_angular_contact(slip_assembly *a, const slip_contact_site *s)
{
    return assemble_site(a, s, 1);
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
