/* See sweeps.h. */
#include "solvers/sweeps.h"

#include "contact/quad.h"

enum { SWEEPS_WIDTH = 12 };                  /* coordinates of two free bodies, the usual row of a heap */

void slip_sweeps_carve(slip_sweeps *s, const slip_problem *p, slip_arena *arena)
{
    s->p = *p;
    s->contact = (slip_local *)slip_arena_take(arena, (size_t)p->nc, sizeof(slip_local));
    s->scalar = slip_arena_reals(arena, (size_t)p->nl + (size_t)p->nb);
    if (p->G.nv <= 0 || slip_block_count(p) == 1) return;        /* of a single block G is what its sweep reads */
    s->p.G.form = SLIP_G_FACTOR;
    s->p.G.work = slip_arena_reals(arena, (size_t)p->G.nv);      /* the judge writes p->G.work */
}

void slip_sweeps_begin(slip_sweeps *s, slip_real *lambda)
{
    const slip_problem *p = &s->p;
    int i;

    for (i = 0; i < p->nc; ++i) slip_local_prepare(p, i, &s->contact[i]);
    for (; i < slip_block_count(p); ++i) {
        slip_real d;

        slip_problem_block(p, i, i, &d);
        if (p->R) d += p->R[slip_block_row(p, i)];
        s->scalar[i - p->nc] = d > 0 ? 1/d : 0;
    }
    s->sweep = slip_sweep_begin(p, lambda);
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

/* x: the impulse of contact i that solves it, for its velocity `sigma` at the impulse `old`. Returns the size of the
 * change as a velocity. */
static inline slip_real sweeps_solve(slip_sweeps *s, const slip_local *k, slip_real sigma[3], const slip_real old[3],
                                     slip_real x[3])
{
    slip_real b[3];

    slip_mat3_vec(k->A, old, b);
    slip_sub3(sigma, b, b);
    slip_local_ncp(k, b, old, x);
    slip_sub3(x, old, b);
    s->closed += x[2] > 0;
    s->turned += (x[2] > 0) != (old[2] > 0);
    return k->size*slip_norm3(b);
}

/* Contact i in any form of G. */
static slip_real sweeps_contact(slip_sweeps *s, int i)
{
    const slip_problem *p = &s->p;
    slip_real *old = s->sweep.lambda + 3*i, sigma[3], x[3], change;
    int r;

    slip_sweep_row(&s->sweep, i, sigma);
    for (r = 0; p->R && r < 3; ++r) sigma[r] += p->R[3*i + r]*old[r];
    change = sweeps_solve(s, &s->contact[i], sigma, old, x);
    slip_sweep_set(&s->sweep, i, x);
    return change;
}

/* The same for a contact of two free bodies over v, its numbers of v gathered once. Most contacts of a heap are open and
 * stay so: their normal row tells that. */
static slip_real sweeps_pair(slip_sweeps *s, int i)
{
    const slip_problem *p = &s->p;
    const int *col = p->G.ycol + p->G.ystart[i];
    const slip_real *y = p->G.y + p->G.yat[i];
    slip_real *v = p->G.work, *old = s->sweep.lambda + 3*i, near[SWEEPS_WIDTH], sigma[3], x[3], d[3], change;
    int e, r;

    for (e = 0; e < SWEEPS_WIDTH; ++e) near[e] = v[col[e]];
    if (old[2] == 0 && old[0] == 0 && old[1] == 0 && p->mu[i] < SLIP_MU_INFINITE
        && p->g[3*i + 2] + slip_row_dot(SWEEPS_WIDTH, y + 2*SWEEPS_WIDTH, near) >= 0)
        return 0;
    slip_copy3(p->g + 3*i, sigma);
    slip_rows_dot3(SWEEPS_WIDTH, y, SWEEPS_WIDTH, near, sigma);
    for (r = 0; p->R && r < 3; ++r) sigma[r] += p->R[3*i + r]*old[r];
    change = sweeps_solve(s, &s->contact[i], sigma, old, x);
    slip_sub3(x, old, d);
    for (e = 0; e < SWEEPS_WIDTH; ++e)
        v[col[e]] = near[e] + y[e]*d[0] + y[SWEEPS_WIDTH + e]*d[1] + y[2*SWEEPS_WIDTH + e]*d[2];
    slip_copy3(x, old);
    return change;
}

/* ---- limits and bilateral rows ----------------------------------------------------------------------------------- */

static slip_real sweeps_scalar(slip_sweeps *s, int i)
{
    const slip_problem *p = &s->p;
    const int row = slip_block_row(p, i);
    const slip_real inverse = s->scalar[i - p->nc], old = s->sweep.lambda[row];
    slip_real sigma, x;

    slip_sweep_row(&s->sweep, i, &sigma);
    if (p->R) sigma += p->R[row]*old;
    x = old - inverse*sigma;
    if (slip_block_is_limit(p, i)) x = slip_max(x, 0);
    slip_sweep_set(&s->sweep, i, &x);
    return x != old ? slip_abs(x - old)/inverse : 0;
}

slip_real slip_sweeps_once(slip_sweeps *s)
{
    const slip_problem *p = &s->p;
    const slip_delassus *G = &p->G;
    slip_real change = 0;
    int i;

    s->closed = s->turned = 0;
    for (i = 0; i < p->nc; ++i) {
        const int is_pair = G->form == SLIP_G_FACTOR && G->ystart[i + 1] - G->ystart[i] == SWEEPS_WIDTH;

        change = slip_max(change, is_pair ? sweeps_pair(s, i) : sweeps_contact(s, i));
    }
    for (; i < slip_block_count(p); ++i) change = slip_max(change, sweeps_scalar(s, i));
    return change;
}
