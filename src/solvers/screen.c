/* Leaves out contacts that will stay open, and splits the others into parts. See screen.h. */
#include "solvers/screen.h"

#define SCREEN_AWAY  SLIP_R(2)               /* times the error: contacts that separate faster stay open    */
#define SCREEN_PUSH  SLIP_TOL(1e-6, 1e-4)    /* of the largest free velocity: less is no push               */
#define SCREEN_RESTS SLIP_R(10)              /* times that: a smaller error counts as solved                 */

int slip_screen_carve(slip_screen *s, const slip_problem *p, slip_arena *arena)
{
    const size_t mark = slip_arena_mark(arena), m = (size_t)slip_block_count(p), n = (size_t)p->n;

    if (p->G.nv <= 0 || slip_arena_is_counting(arena)) return 0;
    s->p = p;
    s->group = slip_arena_ints(arena, m);
    s->lambda = slip_arena_reals(arena, n);
    s->mu = slip_arena_reals(arena, (size_t)p->nc);
    s->g = slip_arena_reals(arena, n);
    s->R = p->R ? slip_arena_reals(arena, n) : NULL;
    s->ystart = slip_arena_ints(arena, m + 1);
    s->ycol = slip_arena_ints(arena, (size_t)p->G.ystart[m]);
    s->yat = slip_arena_ints(arena, m);
    s->root = slip_arena_ints(arena, (size_t)p->G.nv);
    if (!arena->failed) return 1;
    slip_arena_release(arena, mark);
    arena->failed = 0;
    return 0;
}

/* ---- which contacts --------------------------------------------------------------------------------------------- */

int slip_screen_pick(slip_screen *s, const slip_real *lambda, const slip_real *sigma, slip_real *scratch)
{
    const slip_problem *p = s->p;
    const slip_real least = SCREEN_PUSH*slip_max_abs(p->n, p->g);
    slip_real off = 0;                       /* speed of the worst row that is pushed, or that would overlap */
    int i, out = 0;

    slip_problem_diagonal(p, scratch);
    for (i = 0; i < slip_block_count(p); ++i) s->group[i] = 0;
    for (i = 0; i < p->nc; ++i) {
        const slip_real v = sigma[3*i + 2];
        const int pushed = scratch[3*i + 2]*lambda[3*i + 2] > least;

        off = slip_max(off, pushed ? slip_abs(v) : -v);
        if (!pushed && p->mu[i] < SLIP_MU_INFINITE) s->group[i] = -1;    /* else its tangent sticks, open or not */
    }
    for (i = 3*p->nc; i < p->n; ++i)
        off = slip_max(off, i >= p->n - p->nb || scratch[i]*lambda[i] > least ? slip_abs(sigma[i]) : -sigma[i]);
    for (i = 0; i < p->nc; ++i) {
        if (off > SCREEN_RESTS*least && !(sigma[3*i + 2] > SCREEN_AWAY*off)) s->group[i] = 0;
        out += s->group[i] < 0;
    }
    return out;
}

int slip_screen_add(slip_screen *s, const slip_real *sigma)
{
    int i, added = 0;

    for (i = 0; i < s->p->nc; ++i) {
        if (s->group[i] >= 0 || !(sigma[3*i + 2] < 0)) continue;
        s->group[i] = 0;
        ++added;
    }
    return added;
}

/* ---- parts ------------------------------------------------------------------------------------------------------ */

static int screen_root(int *root, int c)
{
    while (root[c] != c) {
        root[c] = root[root[c]];
        c = root[c];
    }
    return c;
}

/* Coordinates that a row moves belong together. */
static void screen_join(slip_screen *s)
{
    const slip_delassus *G = &s->p->G;
    int i, e;

    for (i = 0; i < G->nv; ++i) s->root[i] = i;
    for (i = 0; i < slip_block_count(s->p); ++i) {
        if (s->group[i] < 0) continue;
        for (e = G->ystart[i] + 1; e < G->ystart[i + 1]; ++e) {
            const int a = screen_root(s->root, G->ycol[e - 1]), b = screen_root(s->root, G->ycol[e]);

            if (a < b) s->root[b] = a;       /* the least one stands for all */
            else s->root[a] = b;
        }
    }
}

/* The first block of a part numbers it: in s->root[c] of the coordinate that stands for it, as -1 - number. */
void slip_screen_split(slip_screen *s)
{
    const slip_delassus *G = &s->p->G;
    int i;

    screen_join(s);
    for (i = 0; i < G->nv; ++i) s->root[i] = screen_root(s->root, i);
    s->groups = 0;
    for (i = 0; i < slip_block_count(s->p); ++i) {
        int c;

        if (s->group[i] < 0) continue;
        if (G->ystart[i] == G->ystart[i + 1]) { s->group[i] = s->groups++;  continue; }      /* moves nothing */
        c = s->root[G->ycol[G->ystart[i]]];
        if (c >= 0 && s->root[c] >= 0) s->root[c] = -1 - s->groups++;
        s->group[i] = -1 - (c >= 0 ? s->root[c] : c);
    }
}

void slip_screen_make(slip_screen *s, int part, const slip_real *lambda)
{
    const slip_problem *p = s->p;
    const slip_delassus *G = &p->G;
    int i, e, r, k = 0, n = 0, at = 0, kinds[3] = { 0, 0, 0 };

    for (i = 0; i < slip_block_count(p); ++i) {
        const int row = slip_block_row(p, i), dim = slip_block_dim(p, i);

        if (s->group[i] != part) continue;
        ++kinds[i < p->nc ? 0 : i < p->nc + p->nl ? 1 : 2];
        if (i < p->nc) s->mu[k] = p->mu[i];
        s->ystart[k] = at;
        s->yat[k++] = G->yat[i];
        for (e = G->ystart[i]; e < G->ystart[i + 1]; ++e) s->ycol[at++] = G->ycol[e];
        for (r = 0; r < dim; ++r, ++n) {
            s->g[n] = p->g[row + r];
            s->lambda[n] = lambda[row + r];
            if (p->R) s->R[n] = p->R[row + r];
        }
    }
    s->ystart[k] = at;
    s->part = *p;
    s->part.nc = kinds[0];
    s->part.nl = kinds[1];
    s->part.nb = kinds[2];
    s->part.n = n;
    s->part.mu = s->mu;
    s->part.g = s->g;
    s->part.R = s->R;
    s->part.vmin = s->part.distance = NULL;
    s->part.G.form = SLIP_G_FACTOR;
    s->part.G.ystart = s->ystart;
    s->part.G.ycol = s->ycol;
    s->part.G.yat = s->yat;
    s->part.G.symmetric = 1;
}

void slip_screen_spread(const slip_screen *s, int part, const slip_real *from, slip_real *lambda)
{
    int i, r;

    for (i = 0; i < slip_block_count(s->p); ++i)
        for (r = 0; s->group[i] == part && r < slip_block_dim(s->p, i); ++r)
            lambda[slip_block_row(s->p, i) + r] = *from++;
}
