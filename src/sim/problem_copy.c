/* Copies a contact problem of the next step: takes the step, copies the problem, and restores the state. */
#include "sim/world_private.h"

#include <string.h>

typedef struct {
    int k, seen;                     /* the call to copy; calls so far                                      */
    slip_arena *mem;
    slip_problem *problem;
    slip_solution *warm;
    slip_status status;
} copy_request;

/* n reals or ints from `from` (NULL: none) in memory of the copy. */
static const slip_real *copy_reals(copy_request *c, const slip_real *from, int n)
{
    slip_real *to = from ? slip_arena_reals(c->mem, (size_t)n) : NULL;

    if (to) memcpy(to, from, (size_t)n*sizeof *to);
    else if (from) c->status = SLIP_ERR_WORKSPACE;
    return to;
}

static const int *copy_ints(copy_request *c, const int *from, int n)
{
    int *to = slip_arena_ints(c->mem, (size_t)n);

    if (to) memcpy(to, from, (size_t)n*sizeof *to);
    else c->status = SLIP_ERR_WORKSPACE;
    return to;
}

/* The values of BLOCKS and of the factor end where their last block ends. */
static void copy_operator(copy_request *c, const slip_problem *p, slip_delassus *G)
{
    const int m = slip_block_count(p), n = p->n, last = m - 1;

    if (G->form == SLIP_G_DENSE) G->dense = copy_reals(c, G->dense, n*G->ld);
    if (G->form == SLIP_G_BLOCKS) {
        const int blocks = G->start[m], end = blocks - 1;
        const int size = G->at[end] + slip_block_dim(p, last)*slip_block_dim(p, G->col[end]);

        G->start = copy_ints(c, G->start, m + 1);
        G->col = copy_ints(c, G->col, blocks);
        G->at = copy_ints(c, G->at, blocks);
        G->diag = copy_ints(c, G->diag, m);
        G->val = copy_reals(c, G->val, size);
    }
    if (G->nv > 0) {
        const int entries = G->ystart[m];
        const int size = G->yat[last] + slip_block_dim(p, last)*(entries - G->ystart[last]);

        G->ystart = copy_ints(c, G->ystart, m + 1);
        G->ycol = copy_ints(c, G->ycol, entries);
        G->yat = copy_ints(c, G->yat, m);
        G->y = copy_reals(c, G->y, size);
        G->work = slip_arena_reals(c->mem, (size_t)G->nv);
        if (!G->work) c->status = SLIP_ERR_WORKSPACE;
    }
}

static void copy_take(void *context, const slip_problem *p, const slip_solution *warm)
{
    copy_request *c = (copy_request *)context;
    slip_problem copy = *p;

    if (c->seen++ != c->k || c->status != SLIP_OK) return;
    copy.mu = copy_reals(c, p->mu, p->nc);
    copy.g = copy_reals(c, p->g, p->n);
    copy.R = copy_reals(c, p->R, p->n);
    copy.distance = copy_reals(c, p->distance, p->nc + p->nl);
    copy_operator(c, p, &copy.G);
    *c->warm = *warm;
    c->warm->lambda = (slip_real *)copy_reals(c, warm->lambda, p->n);
    c->warm->sigma = NULL;
    c->warm->dual = (slip_real *)copy_reals(c, warm->dual, p->n);
    *c->problem = copy;
}

slip_status slip_world_problem(slip_world *w, int k, slip_arena *mem, slip_problem *problem, slip_solution *warm)
{
    const slip_world_options own = w->opt;
    copy_request c = { k, 0, mem, problem, warm, SLIP_OK };
    void *before = slip_arena_take(mem, slip_snapshot_bytes(w), 1);
    slip_status s;

    if (!before) return SLIP_ERR_WORKSPACE;
    slip_snapshot_save(w, before);
    w->opt.on_problem = copy_take;
    w->opt.problem_context = &c;
    s = slip_step(w);
    w->opt = own;
    slip_snapshot_restore(w, before, slip_snapshot_bytes(w));
    if (s < 0) return s;
    if (c.status != SLIP_OK) return c.status;
    return k < 0 || c.seen <= k ? SLIP_ERR_ARGUMENT : SLIP_OK;
}
