/* The interior point's matrix in the joints' space: K = I + V' H V with V = D Y, see ipm.h.
 *
 * Contacts between the same two bodies touch the same columns and stand side by side in V: such a group of blocks is one
 * small full matrix, and what it adds to K or to V' x is summed up before it is spread over the columns. */
#include "solvers/ipm.h"

#include <string.h>
#include "contact/lu.h"

#define JOINT_SHARE SLIP_TOL(0.8, 0)  /* of the rows: so few columns make the joints' space worth it; in float its
                                       * large numbers cancel to no better than 1e-3, so never                      */
#define JOINT_GROUP 4                 /* most contacts of a group                                                   */
#define JOINT_PAIR  12                /* columns of two free bodies: groups of so many, and of half, are spelled out
                                       * for the compiler                                                            */

/* ---- memory ---------------------------------------------------------------------------------------------------- */

/* Numbers the coordinates that the problem touches, in w->place; their count, or -1 without memory. */
static int joint_columns(slip_ipm *w, slip_arena *arena)
{
    const slip_delassus *G = &w->p->G;
    const int entries = G->ystart[slip_block_count(w->p)];
    int e, count = 0;

    w->place = slip_arena_ints(arena, (size_t)G->nv);
    if (!w->place) return -1;
    for (e = 0; e < G->nv; ++e) w->place[e] = -1;
    for (e = 0; e < entries; ++e) w->place[G->ycol[e]] = 0;
    for (e = 0; e < G->nv; ++e) if (w->place[e] == 0) w->place[e] = count++;
    return count;
}

/* w->column, and w->run: how many entries from this one on stand side by side in K. The six of a free body do. */
static void joint_runs(slip_ipm *w)
{
    const int *ystart = w->p->G.ystart, *ycol = w->p->G.ycol;
    int i, e;

    for (i = 0; i < slip_block_count(w->p); ++i)
        for (e = ystart[i + 1] - 1; e >= ystart[i]; --e) {
            int joined;

            w->column[e] = w->place[ycol[e]];
            joined = e + 1 < ystart[i + 1] && w->column[e + 1] == w->column[e] + 1;
            w->run[e] = joined ? w->run[e + 1] + 1 : 1;
        }
}

/* Whether blocks i - 1 and i, contacts both, can be in one group. */
static int joint_alike(const slip_ipm *w, int i)
{
    const slip_delassus *G = &w->p->G;
    const int *a = G->ycol + G->ystart[i - 1], *b = G->ycol + G->ystart[i], n = G->ystart[i + 1] - G->ystart[i];

    return i < w->p->nc && G->ystart[i] - G->ystart[i - 1] == n && G->yat[i] == G->yat[i - 1] + 3*n
        && memcmp(a, b, (size_t)n*sizeof(int)) == 0;
}

static void joint_groups(slip_ipm *w)
{
    int i;

    w->groups = 0;
    for (i = 0; i < slip_block_count(w->p); ++i)
        if (i == 0 || i - w->group[w->groups - 1] == JOINT_GROUP || !joint_alike(w, i)) w->group[w->groups++] = i;
    w->group[w->groups] = i;
}

/* A counting arena is charged for the other routes, which take as much or more where this one pays. */
int slip_ipm_joint_carve(slip_ipm *w, slip_arena *arena)
{
    const slip_problem *p = w->p;
    const size_t mark = slip_arena_mark(arena), m = (size_t)slip_block_count(p);

    if (slip_arena_is_counting(arena) || p->G.nv <= 0 || (double)p->G.nv > 0.25*p->n*p->n) return 0;
    w->columns = joint_columns(w, arena);
    if (w->columns >= 0 && (slip_real)w->columns < JOINT_SHARE*(slip_real)p->n) {
        const size_t columns = (size_t)w->columns, last = m - 1, entries = (size_t)p->G.ystart[m];
        const size_t packed = (size_t)p->G.yat[last]
                            + (size_t)(slip_block_dim(p, (int)last)*(p->G.ystart[m] - p->G.ystart[last]));

        w->K = slip_arena_reals(arena, columns*columns);
        w->v = slip_arena_reals(arena, columns);
        w->pivot = slip_arena_ints(arena, columns);
        w->column = slip_arena_ints(arena, entries);
        w->run = slip_arena_ints(arena, entries);
        w->group = slip_arena_ints(arena, m + 1);
        w->V = slip_arena_reals(arena, packed);
        w->H = slip_arena_reals(arena, 9*m);
        w->S = slip_arena_reals(arena, 9*m);
        if (!arena->failed) {
            joint_runs(w);
            joint_groups(w);
            return 1;
        }
    }
    slip_arena_release(arena, mark);
    arena->failed = 0;
    return 0;
}

void slip_ipm_joint_open(slip_ipm *w)
{
    const slip_delassus *G = &w->p->G;
    int i, k;

    for (i = 0; i < slip_block_count(w->p); ++i) {
        const int entries = slip_block_dim(w->p, i)*(G->ystart[i + 1] - G->ystart[i]);
        const slip_real *y = G->y + G->yat[i], d = w->scale.D[slip_block_row(w->p, i)];
        slip_real *V = w->V + G->yat[i];

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

static joint_group joint_group_of(const slip_ipm *w, int k)
{
    const slip_delassus *G = &w->p->G;
    const int i = w->group[k], next = w->group[k + 1];
    joint_group g;

    g.V = w->V + G->yat[i];
    g.column = w->column + G->ystart[i];
    g.run = w->run + G->ystart[i];
    g.n = G->ystart[i + 1] - G->ystart[i];
    g.rows = (next - i)*slip_block_dim(w->p, i);
    g.row = slip_block_row(w->p, i);
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

/* v = V' x over the columns of K. */
static void joint_gather(const slip_ipm *w, const slip_real *x, slip_real *SLIP_RESTRICT v)
{
    int k, r, e;

    memset(v, 0, (size_t)w->columns*sizeof(slip_real));
    for (k = 0; k < w->groups; ++k) {
        const joint_group g = joint_group_of(w, k);
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

/* out = V v */
static void joint_spread(const slip_ipm *w, const slip_real *SLIP_RESTRICT v, slip_real *SLIP_RESTRICT out)
{
    int k, r, e;

    for (k = 0; k < w->groups; ++k) {
        const joint_group g = joint_group_of(w, k);
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

void slip_ipm_joint_product(slip_ipm *w, const slip_real *x, slip_real *out)
{
    joint_gather(w, x, w->v);
    joint_spread(w, w->v, out);
}

/* ---- factorisation ----------------------------------------------------------------------------------------------- */

/* H and S of block i, and the sign of the determinant of Z + W D R D; 0 when that is singular. */
static int joint_block(slip_ipm *w, int i)
{
    const slip_problem *p = w->p;
    const int row = slip_block_row(p, i), dim = slip_block_dim(p, i);
    const slip_real *W = w->W + 9*i, *Z = w->Z + 9*i, d2 = w->scale.D[row]*w->scale.D[row];
    slip_real B[9], det, *S = w->S + 9*i;
    int r, c;

    if (dim == 1) {
        det = Z[0] + (p->R ? W[0]*d2*p->R[row] : 0);
        S[0] = 1/det;
        w->H[9*i] = W[0]/det;
    } else {
        for (r = 0; r < 3; ++r)
            for (c = 0; c < 3; ++c) B[3*r + c] = Z[3*r + c] + (p->R ? W[3*r + c]*d2*p->R[row + c] : 0);
        det = slip_mat3_inverse(B, S);
        if (det != 0) slip_mat3_mul(S, W, w->H + 9*i);
    }
    return (det > 0) - (det < 0);
}

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
static inline void joint_add_group(slip_ipm *w, const joint_group *g, const slip_real *H, int n)
{
    slip_real T[3*JOINT_GROUP*JOINT_PAIR], sum[JOINT_PAIR];
    int a, r, e, k;

    joint_weigh(g, H, n, T);
    for (a = 0; a < n; ++a) {
        slip_real *K = w->K + (size_t)g->column[a]*(size_t)w->columns;

        for (e = 0; e < n; ++e) sum[e] = 0;
        for (r = 0; r < g->rows; ++r) for (e = 0; e < n; ++e) sum[e] += g->V[r*n + a]*T[r*n + e];
        for (e = 0; e < n; e += g->run[e]) for (k = 0; k < g->run[e]; ++k) K[g->column[e] + k] += sum[e + k];
    }
}

/* K += V_i' H_i V_i for one block over any columns. */
static void joint_add_block(slip_ipm *w, const joint_group *g, const slip_real *V, const slip_real *H, int dim)
{
    const int n = g->n;
    int a, b, r, c;

    for (a = 0; a < n; ++a) {
        slip_real *K = w->K + (size_t)g->column[a]*(size_t)w->columns, h[3] = { 0, 0, 0 };

        for (c = 0; c < dim; ++c) for (r = 0; r < dim; ++r) h[c] += V[r*n + a]*H[r*dim + c];
        if (dim == 1) for (b = 0; b < n; ++b) K[g->column[b]] += h[0]*V[b];
        else for (b = 0; b < n; ++b) K[g->column[b]] += h[0]*V[b] + h[1]*V[n + b] + h[2]*V[2*n + b];
    }
}

static void joint_add(slip_ipm *w, int k)
{
    const joint_group g = joint_group_of(w, k);
    const int i = w->group[k], dim = slip_block_dim(w->p, i);
    const slip_real *H = w->H + 9*i;
    int r;

    if (dim == 3 && g.n == JOINT_PAIR) joint_add_group(w, &g, H, JOINT_PAIR);
    else if (dim == 3 && g.n == JOINT_PAIR/2) joint_add_group(w, &g, H, JOINT_PAIR/2);
    else for (r = 0; r < g.rows; r += dim, H += 9) joint_add_block(w, &g, g.V + r*g.n, H, dim);
}

int slip_ipm_joint_factor(slip_ipm *w)
{
    const size_t columns = (size_t)w->columns;
    int i, sign = 1;

    memset(w->K, 0, columns*columns*sizeof(slip_real));
    for (i = 0; i < w->columns; ++i) w->K[(size_t)i*columns + (size_t)i] = 1;
    for (i = 0; i < slip_block_count(w->p); ++i) sign *= joint_block(w, i);
    if (sign == 0) return 0;
    for (i = 0; i < w->groups; ++i) joint_add(w, i);
    if (slip_lu_factor(w->columns, w->K, w->columns, w->pivot) != SLIP_OK) return 0;
    w->sign = sign*slip_ipm_lu_sign(w->columns, w->K, w->pivot);
    return 1;
}

/* x_i <- M_i x_i for all blocks */
static void joint_blockwise(const slip_ipm *w, const slip_real *M, slip_real *x)
{
    const slip_problem *p = w->p;
    int i;

    for (i = 0; i < p->nc; ++i) slip_mat3_vec(M + 9*i, x + 3*i, x + 3*i);
    for (; i < slip_block_count(p); ++i) x[slip_block_row(p, i)] *= M[9*i];
}

/* The image comes for nothing: t = (I + V' H V)^-1 V' s says V' x = V' s - V' H V t = t, hence A x = V t + D R D x. */
void slip_ipm_joint_solve(slip_ipm *w, slip_real *x, slip_real *image)
{
    const int n = w->p->n;
    int i;

    joint_blockwise(w, w->S, x);
    joint_gather(w, x, w->v);
    slip_lu_solve(w->columns, w->K, w->columns, w->pivot, w->v);
    joint_spread(w, w->v, image);
    memcpy(w->lambda, image, (size_t)n*sizeof(slip_real));
    joint_blockwise(w, w->H, w->lambda);
    for (i = 0; i < n; ++i) x[i] -= w->lambda[i];
    slip_ipm_add_compliance(w, x, image);
}
