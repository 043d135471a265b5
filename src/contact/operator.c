/* The choice between full, sparse and joint-space factorisations, and what they have in common. See operator.h. */
#include "contact/operator.h"

#include <string.h>
#include "contact/lu.h"

/* ---- estimates --------------------------------------------------------------------------------------------------- */

#define OPERATOR_BLOCK 54.0                              /* a product of two 3x3 blocks, added to a third    */
#define OPERATOR_LOCAL 200.0                             /* a contact's own problem in a sweep               */
#define OPERATOR_NODE  (2.0*SLIP_NODE*SLIP_NODE_LANES)   /* a row's outer product over two nodes of coordinates */

double slip_operator_dense_flops(int n) { return 2.0/3*n*n*n; }

/* A pivot with c blocks below it takes (c + 1)^2 products of blocks (slip_sparse_flops). Before the order is known,
 * c + 1 is taken for all blocks of an average row, on both sides of the diagonal: twice what lies below it, to leave
 * room for fill-in. With all m^2 blocks this is three times a full LU, so that blocks are preferred where less
 * than 1/sqrt(3) of them exist. */
double slip_operator_sparse_flops(int m, int blocks) { return m > 0 ? OPERATOR_BLOCK*blocks/m*blocks : 0; }

/* As slip_joint_space_flops() counts it, with all nodes coupled: each row adds an outer product over the nodes it
 * touches, six coordinates each, and the c-th last node to be eliminated takes c^2 products of nodes: N^3/3 in all. */
double slip_operator_joint_flops(int n, int columns, double width)
{
    const int whole = (columns + SLIP_NODE - 1)/SLIP_NODE;
    const double parts = (int)((width + SLIP_NODE - 1)/SLIP_NODE), nodes = whole;

    return OPERATOR_NODE*(parts*parts*n + SLIP_NODE*nodes*nodes*nodes/3);
}

int slip_operator_prefers_blocks(int n, int m, int blocks)
{
    return slip_operator_sparse_flops(m, blocks) < slip_operator_dense_flops(n);
}

/* The product Y Y' itself is left out: it is made once, and a solver factors several times. */
int slip_operator_prefers_factor(int n, int columns, double width)
{
    return slip_operator_joint_flops(n, columns, width) < slip_operator_dense_flops(n);
}

slip_operator_route slip_operator_choose(const slip_problem *p)
{
    const slip_delassus *G = &p->G;
    const int m = slip_block_count(p);

    if (G->form == SLIP_G_FACTOR && m > 0 && slip_operator_prefers_factor(p->n, G->nv, (double)G->ystart[m]/m))
        return SLIP_OPERATOR_JOINT;
    if (G->form == SLIP_G_BLOCKS && slip_operator_prefers_blocks(p->n, m, G->start[m])) return SLIP_OPERATOR_SPARSE;
    return SLIP_OPERATOR_DENSE;
}

double slip_operator_sweep_flops(const slip_problem *p)
{
    const slip_delassus *G = &p->G;
    const int m = slip_block_count(p);
    const double product = G->form == SLIP_G_DENSE ? 2.0*p->n*p->n : G->form == SLIP_G_BLOCKS ? 18.0*G->start[m]
                         : 12.0*G->ystart[m];

    return product + OPERATOR_LOCAL*m;
}

double slip_operator_least_flops(const slip_problem *p)
{
    const slip_delassus *G = &p->G;
    const int m = slip_block_count(p);
    double least = slip_operator_dense_flops(p->n), other = least;

    if (G->nv > 0 && m > 0) other = slip_operator_joint_flops(p->n, G->nv, (double)G->ystart[m]/m);
    if (other < least) least = other;
    if (G->form == SLIP_G_BLOCKS) other = slip_operator_sparse_flops(m, G->start[m]);
    return other < least ? other : least;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* The joint-space route gets its allowance and no more, or all that is left of a smaller arena: whether it fits does
 * not depend on how much larger the arena is, and so neither do the results. The analysis of the pattern takes time
 * itself. Each row adds at least an outer product over a node, 6 x 8 numbers: where this lower bound exceeds the flops
 * of a full matrix, nothing is analysed. */
static int operator_try_joint(slip_operator *o, slip_arena *arena)
{
    const size_t mark = slip_arena_mark(arena), left = slip_arena_left(arena)/SLIP_ALIGN*SLIP_ALIGN;
    const size_t allowed = slip_joint_space_allowance(&o->p), room = allowed < left ? allowed : left;
    const double least = OPERATOR_NODE*o->p.n;
    void *block;
    slip_arena part;
    int fits;

    if (!slip_operator_allows_joint() || o->p.G.nv <= 0 || least > o->flops) return 0;
    block = slip_arena_take(arena, room, 1);
    part = slip_arena_over(block, block ? room : 0);
    fits = slip_joint_space_carve(&o->joint, &o->p, &part) && slip_joint_space_flops(&o->joint) < o->flops;
    slip_arena_release(arena, mark);
    arena->failed = 0;
    if (!fits) return 0;
    slip_arena_take(arena, slip_arena_mark(&part), 1);       /* of the block, the part that is used */
    o->flops = slip_joint_space_flops(&o->joint);
    o->solve_flops = slip_joint_space_solve_flops(&o->joint);
    o->route = SLIP_OPERATOR_JOINT;
    return 1;
}

/* Takes the sparse route when it has fewer flops; not analysed when one pass over the blocks, 54 flops each, has
 * more. */
static int operator_try_sparse(slip_operator *o, slip_arena *arena)
{
    const size_t mark = slip_arena_mark(arena);
    const slip_delassus *G = &o->p.G;
    const int m = slip_block_count(&o->p);

    if (G->form != SLIP_G_BLOCKS || OPERATOR_BLOCK*G->start[m] > o->flops) return 0;
    if (slip_sparse_analyse(&o->sparse, m, G->start, G->col, 1, arena) >= 0
        && slip_sparse_flops(&o->sparse) < o->flops) {
        o->flops = slip_sparse_flops(&o->sparse);
        o->solve_flops = 36.0*o->sparse.start[m] + 18.0*m;
        o->route = SLIP_OPERATOR_SPARSE;
        return 1;
    }
    slip_arena_release(arena, mark);
    arena->failed = 0;
    return 0;
}

/* The dense route: G as a full matrix and room for its LU. */
static slip_status operator_carve_dense(slip_operator *o, slip_arena *arena)
{
    const size_t n = (size_t)o->p.n;
    slip_status status = SLIP_OK;

    if (o->p.G.form != SLIP_G_DENSE) {
        if (o->p.G.form == SLIP_G_FACTOR) o->p.G.symmetric = 1;
        status = slip_problem_to_dense(&o->p, arena);
        o->p.G.form = SLIP_G_DENSE;
    }
    o->route = SLIP_OPERATOR_DENSE;
    o->F = slip_arena_reals(arena, n*SLIP_OPERATOR_WIDTH(n));
    o->pivot = slip_arena_ints(arena, n);
    return status < 0 || arena->failed ? SLIP_ERR_WORKSPACE : SLIP_OK;
}

static void operator_carve_vectors(slip_operator *o, slip_arena *arena)
{
    const size_t m = (size_t)slip_block_count(&o->p);

    o->inverse = slip_arena_reals(arena, 9*m);
    o->padded = slip_arena_reals(arena, 3*m);
    o->rows = o->p.G.symmetric ? NULL : slip_arena_reals(arena, 3*(size_t)o->p.n);
}

/* The largest of the three. */
static slip_status operator_count(slip_operator *o, const slip_problem *p, slip_arena *arena)
{
    slip_arena dense = slip_arena_counting(), sparse = slip_arena_counting();
    size_t most;

    if (o->p.G.form == SLIP_G_DENSE && o->p.G.nv == 0) return operator_carve_dense(o, arena);
    operator_carve_dense(o, &dense);
    most = slip_arena_needed(&dense);
    if (p->G.form == SLIP_G_BLOCKS) {
        slip_sparse_analyse(&o->sparse, slip_block_count(&o->p), o->p.G.start, o->p.G.col, 1, &sparse);
        if (slip_arena_needed(&sparse) > most) most = slip_arena_needed(&sparse);
    }
    if (o->p.G.nv > 0 && slip_joint_space_allowance(&o->p) > most) most = slip_joint_space_allowance(&o->p);
    slip_arena_take(arena, most, 1);
    return SLIP_OK;
}

slip_status slip_operator_carve(slip_operator *o, const slip_problem *p, slip_arena *arena)
{
    const size_t mark = slip_arena_mark(arena);
    slip_status status;

    o->p = *p;
    o->flops = slip_operator_dense_flops(p->n);
    o->solve_flops = 2.0*p->n*p->n;
    o->D = o->W = o->Z = NULL;
    o->symmetrise = o->sign = 0;
    operator_carve_vectors(o, arena);
    if (slip_arena_is_counting(arena)) return operator_count(o, p, arena);
    if (arena->failed) status = SLIP_ERR_WORKSPACE;
    else if (operator_try_joint(o, arena) || operator_try_sparse(o, arena)) return SLIP_OK;
    else status = operator_carve_dense(o, arena);
    if (status < 0) slip_arena_release(arena, mark);
    return status;
}

/* ---- DENSE ------------------------------------------------------------------------------------------------------- */

/* The rows of block i of G, *ld numbers apart. */
static const slip_real *operator_dense_rows(slip_operator *o, int row, int dim, size_t *ld)
{
    const slip_delassus *G = &o->p.G;
    const slip_real *own = G->dense + (size_t)row*(size_t)G->ld;
    const size_t n = (size_t)o->p.n;
    size_t r, j;

    *ld = (size_t)G->ld;
    if (!o->symmetrise || G->symmetric) return own;
    for (r = 0; r < (size_t)dim; ++r)
        for (j = 0; j < n; ++j) o->rows[r*n + j] = (own[r**ld + j] + G->dense[j**ld + (size_t)row + r])/2;
    *ld = n;
    return o->rows;
}

/* Row block i of W A + Z, A = D G D. */
static void operator_dense_block(slip_operator *o, int i)
{
    const int row = slip_block_row(&o->p, i), dim = slip_block_dim(&o->p, i);
    const size_t n = (size_t)o->p.n;
    const slip_real *W = o->W + 9*i, *Z = o->Z + 9*i, *D = o->D, *G;
    size_t ld, j;
    int r, k;

    G = operator_dense_rows(o, row, dim, &ld);
    for (r = 0; r < dim; ++r, W += 3, Z += 3) {
        slip_real *SLIP_RESTRICT F = o->F + (size_t)(row + r)*n;
        const slip_real s = D ? D[row] : 1, w0 = s*W[0], w1 = s*W[1], w2 = s*W[2];

        if (dim == 3) for (j = 0; j < n; ++j) F[j] = w0*G[j] + w1*G[ld + j] + w2*G[2*ld + j];
        else for (j = 0; j < n; ++j) F[j] = w0*G[j];
        if (D) for (j = 0; j < n; ++j) F[j] *= D[j];
        for (k = 0; k < dim; ++k) F[row + k] += Z[k];
    }
}

static int operator_factor_dense(slip_operator *o)
{
    const int n = o->p.n;
    int i;

    for (i = 0; i < slip_block_count(&o->p); ++i) operator_dense_block(o, i);
    if (slip_lu_factor(n, o->F, n, o->pivot) != SLIP_OK) return 0;
    o->sign = slip_lu_sign(n, o->F, n, o->pivot);
    return 1;
}

/* ---- SPARSE ------------------------------------------------------------------------------------------------------ */

/* Block (i, j) of W A + Z, padded to 3x3 with the identity. */
static void operator_sparse_block(const void *context, int i, int j, slip_real B[9])
{
    const slip_operator *o = (const slip_operator *)context;
    const slip_problem *p = &o->p;
    const int di = slip_block_dim(p, i), dj = slip_block_dim(p, j), symmetric = o->symmetrise && !p->G.symmetric;
    const int ld = symmetric ? 3 : dj;
    const slip_real scale = o->D ? o->D[slip_block_row(p, i)]*o->D[slip_block_row(p, j)] : 1;
    slip_real G[9];
    int r, c, k;

    if (symmetric) slip_problem_block_symmetric(p, i, j, G);
    else slip_problem_block(p, i, j, G);
    for (k = 0; k < 9; ++k) B[k] = 0;
    for (r = 0; r < di; ++r)
        for (c = 0; c < dj; ++c) {
            for (k = 0; k < di; ++k) B[3*r + c] += o->W[9*i + 3*r + k]*G[k*ld + c];
            B[3*r + c] = scale*B[3*r + c] + (i == j ? o->Z[9*i + 3*r + c] : 0);
        }
    if (i == j) for (k = di; k < 3; ++k) B[4*k] = 1;
}

static int operator_factor_sparse(slip_operator *o)
{
    int i;

    if (slip_sparse_factor(&o->sparse, o->p.G.start, o->p.G.col, operator_sparse_block, o) < 0) return 0;
    o->sign = 1;
    for (i = 0; i < o->sparse.m; ++i) if (slip_mat3_det(o->sparse.D + 9*i) < 0) o->sign = -o->sign;
    return 1;
}

void slip_operator_solve_padded(const slip_sparse *s, const slip_problem *p, slip_real *padded, slip_real *x)
{
    const int scalars = p->nl + p->nb;
    int i;

    if (scalars == 0) { slip_sparse_solve(s, x);  return; }
    memcpy(padded, x, (size_t)(3*p->nc)*sizeof *x);
    for (i = 0; i < scalars; ++i) slip_set3(x[3*p->nc + i], 0, 0, padded + 3*(p->nc + i));
    slip_sparse_solve(s, padded);
    memcpy(x, padded, (size_t)(3*p->nc)*sizeof *x);
    for (i = 0; i < scalars; ++i) x[3*p->nc + i] = padded[3*(p->nc + i)];
}

/* ---- JOINT ------------------------------------------------------------------------------------------------------- */

/* Z^-1 and H = Z^-1 W of all blocks; the sign of the determinant of Z, 0 when that is singular. */
static int operator_joint_blocks(slip_operator *o)
{
    int i, sign = 1;

    for (i = 0; i < slip_block_count(&o->p); ++i) {
        const slip_real *W = o->W + 9*i, *Z = o->Z + 9*i;
        slip_real *S = o->inverse + 9*i, *H = o->joint.H + 9*i, det = Z[0];

        if (i < o->p.nc) {
            det = slip_mat3_inverse(Z, S);
            slip_mat3_mul(S, W, H);
        } else {
            S[0] = 1/det;
            H[0] = S[0]*W[0];
        }
        sign *= (det > 0) - (det < 0);
    }
    return sign;
}

static int operator_factor_joint(slip_operator *o)
{
    o->sign = operator_joint_blocks(o);
    if (o->sign == 0 || !slip_joint_space_factor(&o->joint)) return 0;
    o->sign *= slip_joint_space_sign(&o->joint);
    return 1;
}

/* s = Z^-1 x;  x = s - H V K^-1 V' s */
static void operator_solve_joint(slip_operator *o, slip_real *x)
{
    const slip_problem *p = &o->p;
    slip_joint_space *j = &o->joint;
    int i, k;

    for (i = 0; i < p->nc; ++i) slip_mat3_vec(o->inverse + 9*i, x + 3*i, x + 3*i);
    for (; i < slip_block_count(p); ++i) x[slip_block_row(p, i)] *= o->inverse[9*i];
    slip_joint_space_gather(j, x, j->v);
    slip_joint_space_solve(j, j->v);
    slip_joint_space_spread(j, j->v, o->padded);
    for (i = 0; i < p->nc; ++i) for (k = 0; k < 3; ++k) x[3*i + k] -= slip_dot3(j->H + 9*i + 3*k, o->padded + 3*i);
    for (; i < slip_block_count(p); ++i) x[slip_block_row(p, i)] -= j->H[9*i]*o->padded[slip_block_row(p, i)];
}

/* ---- all three --------------------------------------------------------------------------------------------------- */

void slip_operator_open(slip_operator *o, const slip_real *D)
{
    o->D = D;
    if (o->route == SLIP_OPERATOR_JOINT) slip_joint_space_open(&o->joint, D);
}

void slip_operator_apply(slip_operator *o, const slip_real *x, slip_real *y)
{
    const slip_real *D = o->D;
    int i;

    if (o->route == SLIP_OPERATOR_JOINT) {             /* twelve numbers a row instead of all its neighbours' blocks */
        slip_joint_space_gather(&o->joint, x, o->joint.v);
        slip_joint_space_spread(&o->joint, o->joint.v, y);
        return;
    }
    for (i = 0; D && i < o->p.n; ++i) o->padded[i] = D[i]*x[i];
    if (o->symmetrise) slip_problem_apply_symmetric(&o->p, D ? o->padded : x, y);
    else slip_problem_apply(&o->p, D ? o->padded : x, y);
    for (i = 0; D && i < o->p.n; ++i) y[i] *= D[i];
}

int slip_operator_factor(slip_operator *o, const slip_real *W, const slip_real *Z)
{
    o->W = W;
    o->Z = Z;
    return o->route == SLIP_OPERATOR_JOINT ? operator_factor_joint(o)
         : o->route == SLIP_OPERATOR_SPARSE ? operator_factor_sparse(o) : operator_factor_dense(o);
}

void slip_operator_solve(slip_operator *o, slip_real *x)
{
    if (o->route == SLIP_OPERATOR_JOINT)       operator_solve_joint(o, x);
    else if (o->route == SLIP_OPERATOR_SPARSE) slip_operator_solve_padded(&o->sparse, &o->p, o->padded, x);
    else                                       slip_lu_solve(o->p.n, o->F, o->p.n, o->pivot, x);
}
