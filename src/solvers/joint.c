/* See joint.h. */
#include "solvers/joint.h"

#include <string.h>
#include "contact/lu.h"

#define JOINT_MOST  300               /* columns: a full matrix of more is slower than a sparse one of the contacts */
#define JOINT_GROUP 4                 /* most contacts of a group                                                   */
#define JOINT_PAIR  12                /* columns of two free bodies: groups of so many, and of half, are spelled out
                                       * for the compiler                                                            */

/* ---- memory ---------------------------------------------------------------------------------------------------- */

/* Numbers the coordinates that the problem touches, in j->place; their count, or -1 without memory. */
static int joint_columns(slip_joint *j, slip_arena *arena)
{
    const slip_delassus *G = &j->p->G;
    const int entries = G->ystart[slip_block_count(j->p)];
    int e, count = 0;

    j->place = slip_arena_ints(arena, (size_t)G->nv);
    if (!j->place) return -1;
    for (e = 0; e < G->nv; ++e) j->place[e] = -1;
    for (e = 0; e < entries; ++e) j->place[G->ycol[e]] = 0;
    for (e = 0; e < G->nv; ++e) if (j->place[e] == 0) j->place[e] = count++;
    return count;
}

/* j->column, and j->run: how many entries from this one on stand side by side in K. The six of a free body do. */
static void joint_runs(slip_joint *j)
{
    const int *ystart = j->p->G.ystart, *ycol = j->p->G.ycol;
    int i, e;

    for (i = 0; i < slip_block_count(j->p); ++i)
        for (e = ystart[i + 1] - 1; e >= ystart[i]; --e) {
            int joined;

            j->column[e] = j->place[ycol[e]];
            joined = e + 1 < ystart[i + 1] && j->column[e + 1] == j->column[e] + 1;
            j->run[e] = joined ? j->run[e + 1] + 1 : 1;
        }
}

/* Whether blocks i - 1 and i, contacts both, can be in one group. */
static int joint_alike(const slip_joint *j, int i)
{
    const slip_delassus *G = &j->p->G;
    const int *a = G->ycol + G->ystart[i - 1], *b = G->ycol + G->ystart[i], n = G->ystart[i + 1] - G->ystart[i];

    return i < j->p->nc && G->ystart[i] - G->ystart[i - 1] == n && G->yat[i] == G->yat[i - 1] + 3*n
        && memcmp(a, b, (size_t)n*sizeof(int)) == 0;
}

static void joint_groups(slip_joint *j)
{
    int i;

    j->groups = 0;
    for (i = 0; i < slip_block_count(j->p); ++i)
        if (i == 0 || i - j->group[j->groups - 1] == JOINT_GROUP || !joint_alike(j, i)) j->group[j->groups++] = i;
    j->group[j->groups] = i;
}

int slip_joint_carve(slip_joint *j, const slip_problem *p, slip_real share, slip_arena *arena)
{
    const size_t mark = slip_arena_mark(arena), m = (size_t)slip_block_count(p);

    j->p = p;
    if (slip_arena_is_counting(arena) || p->n == 0 || p->G.nv <= 0 || (double)p->G.nv > 0.25*p->n*p->n) return 0;
    j->columns = joint_columns(j, arena);
    if (j->columns >= 0 && j->columns <= JOINT_MOST && (slip_real)j->columns < share*(slip_real)p->n) {
        const size_t columns = (size_t)j->columns, last = m - 1, entries = (size_t)p->G.ystart[m];
        const size_t packed = (size_t)p->G.yat[last]
                            + (size_t)(slip_block_dim(p, (int)last)*(p->G.ystart[m] - p->G.ystart[last]));

        j->K = slip_arena_reals(arena, columns*columns);
        j->v = slip_arena_reals(arena, columns);
        j->pivot = slip_arena_ints(arena, columns);
        j->column = slip_arena_ints(arena, entries);
        j->run = slip_arena_ints(arena, entries);
        j->group = slip_arena_ints(arena, m + 1);
        j->V = slip_arena_reals(arena, packed);
        j->H = slip_arena_reals(arena, 9*m);
        if (!arena->failed) {
            joint_runs(j);
            joint_groups(j);
            return 1;
        }
    }
    slip_arena_release(arena, mark);
    arena->failed = 0;
    return 0;
}

void slip_joint_open(slip_joint *j, const slip_real *D)
{
    const slip_problem *p = j->p;
    const slip_delassus *G = &p->G;
    int i, k;

    for (i = 0; i < slip_block_count(p); ++i) {
        const int entries = slip_block_dim(p, i)*(G->ystart[i + 1] - G->ystart[i]);
        const slip_real *y = G->y + G->yat[i], d = D ? D[slip_block_row(p, i)] : 1;
        slip_real *V = j->V + G->yat[i];

        for (k = 0; k < entries; ++k) V[k] = d*y[k];
    }
}

/* ---- a group's part in products with V ------------------------------------------------------------------------- */

/* One group: `rows` rows of V over n columns. */
typedef struct {
    const slip_real *V;
    const int *column, *run;
    int n, rows, row;            /* row: the first one */
} joint_group;

static joint_group joint_group_of(const slip_joint *j, int k)
{
    const slip_delassus *G = &j->p->G;
    const int i = j->group[k], next = j->group[k + 1];
    joint_group g;

    g.V = j->V + G->yat[i];
    g.column = j->column + G->ystart[i];
    g.run = j->run + G->ystart[i];
    g.n = G->ystart[i + 1] - G->ystart[i];
    g.rows = (next - i)*slip_block_dim(j->p, i);
    g.row = slip_block_row(j->p, i);
    return g;
}

/* sum (n) = V' x of a group; n is a constant where this is called. */
static inline void joint_sum(const joint_group *g, const slip_real *x, int n, slip_real *SLIP_RESTRICT sum)
{
    int r, e;

    for (e = 0; e < n; ++e) sum[e] = 0;
    for (r = 0; r < g->rows; ++r) for (e = 0; e < n; ++e) sum[e] += x[r]*g->V[r*n + e];
}

/* out (rows) = V v of a group, v (n) already picked out. */
static inline void joint_rows(const joint_group *g, const slip_real *v, int n, slip_real *SLIP_RESTRICT out)
{
    int r, e;

    for (r = 0; r < g->rows; ++r) {
        slip_real s[2] = { 0, 0 };

        for (e = 0; e < n; e += 2) {                     /* two sums: the compiler may not reorder one */
            s[0] += g->V[r*n + e]*v[e];
            s[1] += g->V[r*n + e + 1]*v[e + 1];
        }
        out[r] = s[0] + s[1];
    }
}

void slip_joint_gather(const slip_joint *j, const slip_real *x, slip_real *v)
{
    int k, r, e;

    memset(v, 0, (size_t)j->columns*sizeof(slip_real));
    for (k = 0; k < j->groups; ++k) {
        const joint_group g = joint_group_of(j, k);
        slip_real sum[JOINT_PAIR];

        if (g.n == JOINT_PAIR || g.n == JOINT_PAIR/2) {
            if (g.n == JOINT_PAIR) joint_sum(&g, x + g.row, JOINT_PAIR, sum);
            else joint_sum(&g, x + g.row, JOINT_PAIR/2, sum);
            for (e = 0; e < g.n; ++e) v[g.column[e]] += sum[e];
        } else {
            for (r = 0; r < g.rows; ++r) for (e = 0; e < g.n; ++e) v[g.column[e]] += x[g.row + r]*g.V[r*g.n + e];
        }
    }
}

void slip_joint_spread(const slip_joint *j, const slip_real *v, slip_real *out)
{
    int k, r, e;

    for (k = 0; k < j->groups; ++k) {
        const joint_group g = joint_group_of(j, k);
        slip_real part[JOINT_PAIR];

        if (g.n == JOINT_PAIR || g.n == JOINT_PAIR/2) {
            for (e = 0; e < g.n; ++e) part[e] = v[g.column[e]];
            if (g.n == JOINT_PAIR) joint_rows(&g, part, JOINT_PAIR, out + g.row);
            else joint_rows(&g, part, JOINT_PAIR/2, out + g.row);
        } else {
            for (r = 0; r < g.rows; ++r) {
                slip_real s = 0;

                for (e = 0; e < g.n; ++e) s += g.V[r*g.n + e]*v[g.column[e]];
                out[g.row + r] = s;
            }
        }
    }
}

/* ---- factorisation ----------------------------------------------------------------------------------------------- */

/* T (rows x n) = H V of a group of contacts, H one 3x3 block per contact. */
static inline void joint_weigh(const joint_group *g, const slip_real *H, int n, slip_real *SLIP_RESTRICT T)
{
    int r, c, e;

    for (c = 0; c < g->rows; c += 3, H += 9) {
        const slip_real *a = g->V + c*n, *b = a + n, *d = b + n;

        for (r = 0; r < 3; ++r)
            for (e = 0; e < n; ++e) T[(c + r)*n + e] = H[3*r]*a[e] + H[3*r + 1]*b[e] + H[3*r + 2]*d[e];
    }
}

/* K += V' T of a group of contacts. */
static inline void joint_add_group(slip_joint *j, const joint_group *g, const slip_real *H, int n)
{
    slip_real T[3*JOINT_GROUP*JOINT_PAIR], sum[JOINT_PAIR];
    int a, r, e, k;

    joint_weigh(g, H, n, T);
    for (a = 0; a < n; ++a) {
        slip_real *K = j->K + (size_t)g->column[a]*(size_t)j->columns;

        for (e = 0; e < n; ++e) sum[e] = 0;
        for (r = 0; r < g->rows; ++r) for (e = 0; e < n; ++e) sum[e] += g->V[r*n + a]*T[r*n + e];
        for (e = 0; e < n; e += g->run[e]) for (k = 0; k < g->run[e]; ++k) K[g->column[e] + k] += sum[e + k];
    }
}

/* K += V_i' H_i V_i for one block over any columns. */
static void joint_add_block(slip_joint *j, const joint_group *g, const slip_real *V, const slip_real *H, int dim)
{
    const int n = g->n;
    int a, b, r, c;

    for (a = 0; a < n; ++a) {
        slip_real *K = j->K + (size_t)g->column[a]*(size_t)j->columns, h[3] = { 0, 0, 0 };

        for (c = 0; c < dim; ++c) for (r = 0; r < dim; ++r) h[c] += V[r*n + a]*H[r*dim + c];
        if (dim == 1) for (b = 0; b < n; ++b) K[g->column[b]] += h[0]*V[b];
        else for (b = 0; b < n; ++b) K[g->column[b]] += h[0]*V[b] + h[1]*V[n + b] + h[2]*V[2*n + b];
    }
}

static void joint_add(slip_joint *j, int k)
{
    const joint_group g = joint_group_of(j, k);
    const int i = j->group[k], dim = slip_block_dim(j->p, i);
    const slip_real *H = j->H + 9*i;
    int r;

    if (dim == 3 && g.n == JOINT_PAIR) joint_add_group(j, &g, H, JOINT_PAIR);
    else if (dim == 3 && g.n == JOINT_PAIR/2) joint_add_group(j, &g, H, JOINT_PAIR/2);
    else for (r = 0; r < g.rows; r += dim, H += 9) joint_add_block(j, &g, g.V + r*g.n, H, dim);
}

int slip_joint_factor(slip_joint *j)
{
    const size_t columns = (size_t)j->columns;
    int i;

    memset(j->K, 0, columns*columns*sizeof(slip_real));
    for (i = 0; i < j->columns; ++i) j->K[(size_t)i*columns + (size_t)i] = 1;
    for (i = 0; i < j->groups; ++i) joint_add(j, i);
    return slip_lu_factor(j->columns, j->K, j->columns, j->pivot) == SLIP_OK;
}

int slip_joint_sign(const slip_joint *j) { return slip_lu_sign(j->columns, j->K, j->columns, j->pivot); }

void slip_joint_solve(const slip_joint *j, slip_real *v) { slip_lu_solve(j->columns, j->K, j->columns, j->pivot, v); }
