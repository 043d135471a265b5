/* Assembling a contact problem from a model. See assemble.h. */
#include "contact/assemble.h"

#include <string.h>

/* The arrays of the problem, and what is needed while they are filled. */
typedef struct {
    const slip_model *model;
    const slip_data *data;
    slip_real *mu, *g, *R, *y, *work;
    int *ystart, *ycol, *yat;
    slip_real *columns;          /* 6 ndofs: slip_dof_columns()                         */
    slip_real *x;                /* 3 nv: a contact's rows, three numbers per dof       */
    int *list, *mark;            /* nv each: dofs touched, and whether they are         */
    int touched, cols, used;
} assemble_work;

/* Most dofs that one body's chain can touch. */
static size_t assemble_longest(const slip_model *model)
{
    int i, most = 0;

    for (i = 0; i < model->nv; ++i) if (model->branches.depth[i] + 1 > most) most = model->branches.depth[i] + 1;
    return (size_t)most;
}

static int assemble_carve(assemble_work *w, const slip_model *model, int nc, int nl, int nb, slip_arena *mem)
{
    const size_t m = (size_t)(nc + nl + nb), n = (size_t)(3*nc + nl + nb), nv = (size_t)model->nv;
    const size_t longest = assemble_longest(model), pair = 2*longest < nv ? 2*longest : nv;
    const size_t cols = (size_t)nc*pair + (size_t)(nl + nb)*longest;

    w->mu = slip_arena_reals(mem, (size_t)nc);
    w->g = slip_arena_reals(mem, n);
    w->R = slip_arena_reals(mem, n);
    w->ystart = slip_arena_ints(mem, m + 1);
    w->yat = slip_arena_ints(mem, m);
    w->ycol = slip_arena_ints(mem, cols);
    w->y = slip_arena_reals(mem, 3*(size_t)nc*pair + (size_t)(nl + nb)*longest);
    w->work = slip_arena_reals(mem, nv);
    w->columns = (slip_real *)slip_arena_scratch(mem, 6*(size_t)model->ndofs, sizeof(slip_real));
    w->x = (slip_real *)slip_arena_scratch(mem, 3*nv, sizeof(slip_real));
    w->list = (int *)slip_arena_scratch(mem, nv, sizeof(int));
    w->mark = (int *)slip_arena_scratch(mem, nv, sizeof(int));
    return w->mu && w->g && w->R && w->ystart && w->yat && w->ycol && w->y && w->work && w->columns && w->x
        && w->list && w->mark;
}

size_t slip_contacts_bytes(const slip_model *model, int nc, int nl, int nb)
{
    slip_arena count = slip_arena_counting();
    assemble_work w;

    assemble_carve(&w, model, nc, nl, nb, &count);
    return slip_arena_needed(&count);
}

/* Puts dof i and its ancestors on the list, their numbers set to 0. */
static void assemble_touch(assemble_work *w, int i)
{
    for (; i >= 0 && !w->mark[i]; i = w->model->branches.parent[i]) {
        w->mark[i] = 1;
        w->list[w->touched++] = i;
        slip_zero3(w->x + 3*i);
    }
}

/* Adds sign times the velocity of the body's point, per unit of each dof above it, seen along t1, t2, n. */
static void assemble_add_body(assemble_work *w, int link, slip_real sign, const slip_contact_point *c)
{
    const slip_model *m = w->model;
    const int body = link < 0 ? 0 : m->link_body[link];
    int d;

    if (body == 0) return;
    for (d = m->idof[body] + slip_joint_nv((slip_joint_type)m->type[body]) - 1; d >= 0; d = m->dofs.parent[d]) {
        const slip_real *col = w->columns + 6*d, s = sign*m->dof_scale[d];
        const int iv = m->dof_iv[d];
        slip_real v[3], *x;

        slip_copy3(col, v);
        slip_cross3_add(col + 3, c->point, v);            /* velocity at the origin, carried to the point */
        assemble_touch(w, iv);
        x = w->x + 3*iv;
        x[0] += s*slip_dot3(c->t1, v);
        x[1] += s*slip_dot3(c->t2, v);
        x[2] += s*slip_dot3(c->n, v);
    }
}

/* Ascending; lists are a few dozen long, nearly sorted in two runs. */
static void assemble_sort(int n, int *a)
{
    int i, j;

    for (i = 1; i < n; ++i) {
        const int x = a[i];

        for (j = i; j > 0 && a[j - 1] > x; --j) a[j] = a[j - 1];
        a[j] = x;
    }
}

/* x <- L^-T x on the touched dofs, leaves first, `dim` numbers per dof. */
static void assemble_solve(assemble_work *w, int dim)
{
    const slip_branches *b = &w->model->branches;
    int k, e, r;

    for (k = w->touched - 1; k >= 0; --k) {
        const int i = w->list[k], *path = b->path + b->row[i];
        const slip_real *L = w->data->L + b->row[i], *x = w->x + 3*i;

        for (e = 0; e < b->depth[i]; ++e)
            for (r = 0; r < dim; ++r) w->x[3*path[e] + r] -= L[e]*x[r];
    }
}

/* Stores the rows of block i: g from J, then Y = J L^-1 D^-1/2. */
static void assemble_store(assemble_work *w, int i, int row, int dim, const slip_real *v_free)
{
    int k, r;

    assemble_sort(w->touched, w->list);
    for (k = 0; k < w->touched; ++k)
        for (r = 0; r < dim; ++r) w->g[row + r] += w->x[3*w->list[k] + r]*v_free[w->list[k]];
    assemble_solve(w, dim);
    w->ystart[i] = w->cols;
    w->yat[i] = w->used;
    for (k = 0; k < w->touched; ++k) {
        const slip_real s = slip_sqrt(w->data->D_inv[w->list[k]]);

        w->ycol[w->cols + k] = w->list[k];
        for (r = 0; r < dim; ++r) w->y[w->used + r*w->touched + k] = s*w->x[3*w->list[k] + r];
    }
    for (k = 0; k < w->touched; ++k) w->mark[w->list[k]] = 0;
    w->cols += w->touched;
    w->used += dim*w->touched;
    w->touched = 0;
}

static void assemble_contact(assemble_work *w, int i, const slip_contact_point *c, const slip_real *v_free)
{
    w->mu[i] = c->mu;
    slip_copy3(c->bias, w->g + 3*i);
    slip_copy3(c->R, w->R + 3*i);
    assemble_add_body(w, c->link_a, -1, c);
    assemble_add_body(w, c->link_b, 1, c);
    assemble_store(w, i, 3*i, 3, v_free);
}

static void assemble_row(assemble_work *w, int i, int row, const slip_scalar_row *s, const slip_real *v_free)
{
    w->g[row] = s->bias;
    w->R[row] = s->R;
    assemble_touch(w, s->iv);
    w->x[3*s->iv] = s->sign;
    assemble_store(w, i, row, 1, v_free);
}

static int assemble_link_is_known(const slip_model *model, int link)
{
    return link >= -1 && link < model->nlinks;
}

static slip_status assemble_check(const slip_model *model, const slip_contact_point *c, int nc,
                                  const slip_scalar_row *s, int rows, const slip_real *v_free)
{
    int i;

    if (!slip_all_finite(v_free, model->nv)) return SLIP_ERR_ARGUMENT;
    for (i = 0; i < nc; ++i)
        if (!assemble_link_is_known(model, c[i].link_a) || !assemble_link_is_known(model, c[i].link_b)
            || !(c[i].mu >= 0) || !slip_all_finite(c[i].point, 3) || !slip_all_finite(c[i].t1, 3)
            || !slip_all_finite(c[i].t2, 3) || !slip_all_finite(c[i].n, 3) || !slip_all_finite(c[i].bias, 3)
            || !slip_all_finite(c[i].R, 3) || !(c[i].R[0] >= 0 && c[i].R[1] >= 0 && c[i].R[2] >= 0))
            return SLIP_ERR_ARGUMENT;
    for (i = 0; i < rows; ++i)
        if (s[i].iv < 0 || s[i].iv >= model->nv || !slip_is_finite(s[i].sign) || !slip_is_finite(s[i].bias)
            || !(s[i].R >= 0 && slip_is_finite(s[i].R))) return SLIP_ERR_ARGUMENT;
    return SLIP_OK;
}

/* The problem that points into the filled arrays. */
static void assemble_finish(const assemble_work *w, int nc, int nl, int nb, slip_problem *p)
{
    int i, compliant = 0;

    memset(p, 0, sizeof *p);
    p->nc = nc;
    p->nl = nl;
    p->nb = nb;
    p->n = 3*nc + nl + nb;
    p->mu = w->mu;
    p->g = w->g;
    for (i = 0; i < p->n; ++i) compliant |= w->R[i] > 0;
    p->R = compliant ? w->R : NULL;
    p->G.form = SLIP_G_FACTOR;
    p->G.nv = w->model->nv;
    p->G.ystart = w->ystart;
    p->G.ycol = w->ycol;
    p->G.yat = w->yat;
    p->G.y = w->y;
    p->G.work = w->work;
    p->G.symmetric = 1;
}

slip_status slip_contacts_assemble(const slip_model *model, const slip_data *data, const slip_contact_point *contacts,
                                   int nc, const slip_scalar_row *rows, int nl, int nb, const slip_real *v_free,
                                   slip_arena *mem, slip_problem *p)
{
    const size_t low = slip_arena_mark(mem), high = slip_arena_mark_scratch(mem);
    slip_status status = assemble_check(model, contacts, nc, rows, nl + nb, v_free);
    assemble_work w;
    int i;

    if (status < 0) return status;
    if (!assemble_carve(&w, model, nc, nl, nb, mem)) {
        slip_arena_release(mem, low);
        slip_arena_release_scratch(mem, high);
        return SLIP_ERR_WORKSPACE;
    }
    w.model = model;
    w.data = data;
    w.touched = w.cols = w.used = 0;
    for (i = 0; i < model->nv; ++i) w.mark[i] = 0;
    slip_dof_columns(model, data, w.columns);
    for (i = 0; i < nc; ++i) assemble_contact(&w, i, &contacts[i], v_free);
    for (i = 0; i < nl + nb; ++i) assemble_row(&w, nc + i, 3*nc + i, &rows[i], v_free);
    w.ystart[nc + nl + nb] = w.cols;
    assemble_finish(&w, nc, nl, nb, p);
    slip_arena_release_scratch(mem, high);
    return SLIP_OK;
}

void slip_contacts_push(const slip_model *model, const slip_data *data, const slip_problem *p, const slip_real *lambda,
                        slip_real *v)
{
    const slip_delassus *G = &p->G;
    const int m = slip_block_count(p);
    int i, r, k;

    for (i = 0; i < model->nv; ++i) G->work[i] = 0;
    for (i = 0; i < m; ++i) {                              /* Y' lambda */
        const int width = G->ystart[i + 1] - G->ystart[i], *col = G->ycol + G->ystart[i];
        const slip_real *y = G->y + G->yat[i];

        for (r = 0; r < slip_block_dim(p, i); ++r, y += width)
            for (k = 0; k < width; ++k) G->work[col[k]] += y[k]*lambda[slip_block_row(p, i) + r];
    }
    for (i = 0; i < model->nv; ++i) G->work[i] *= slip_sqrt(data->D_inv[i]);
    slip_ltl_solve_l(&model->branches, data->L, G->work);  /* M^-1 J' = L^-1 D^-1/2 Y' */
    for (i = 0; i < model->nv; ++i) v[i] += G->work[i];
}
