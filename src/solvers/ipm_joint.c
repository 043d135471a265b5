/* The interior point's matrix in the joints' space, see ipm.h and joint.h. */
#include "solvers/ipm.h"

#include <string.h>

#define IPM_JOINT_PROX  SLIP_R(1e-12)     /* of the scaled A's diagonal: keeps H, which grows like 1/kappa, in bounds;
                                           * the step is off by as much of itself                               */
#define IPM_JOINT_SHARE SLIP_TOL(0.8, 0)  /* of the rows: so few columns make the joints' space worth it; in float
                                           * its large numbers cancel to no better than 1e-3, so never         */

/* Not where it takes more than the routes that memory is counted for: two full matrices, or blocks bounded by one. */
int slip_ipm_joint_carve(slip_ipm *w, slip_arena *arena)
{
    const size_t mark = slip_arena_mark(arena), n = (size_t)w->p->n;
    const size_t most = (w->p->G.form == SLIP_G_BLOCKS ? 1 : 2)*n*n*sizeof(slip_real);

    if (!slip_joint_carve(&w->joint, w->p, IPM_JOINT_SHARE, arena)) return 0;
    w->S = slip_arena_reals(arena, 9*(size_t)slip_block_count(w->p));
    if (w->S && slip_arena_mark(arena) - mark <= most) return 1;
    slip_arena_release(arena, mark);
    arena->failed = 0;
    return 0;
}

void slip_ipm_joint_product(slip_ipm *w, const slip_real *x, slip_real *out)
{
    slip_joint_gather(&w->joint, x, w->joint.v);
    slip_joint_spread(&w->joint, w->joint.v, out);
}

/* A contact: B = Z + W D R D = [ B2 b ; 0 z ] and W = [ W2 0 ; 0 w ], so that
 *     S = B^-1 = [ B2^-1  -B2^-1 b/z ; 0  1/z ],      H = S W = [ B2^-1 W2  -B2^-1 b w/z ; 0  w/z ] */
static slip_real ipm_joint_contact(const slip_real *W, const slip_real *Z, const slip_real soft[3], slip_real *S,
                                   slip_real *H)
{
    const slip_real b0 = Z[0] + W[0]*soft[0], b1 = Z[1] + W[1]*soft[1], b2 = Z[3] + W[3]*soft[0];
    const slip_real b3 = Z[4] + W[4]*soft[1], z = Z[8] + W[8]*soft[2], det = b0*b3 - b1*b2;
    const slip_real over = 1/det, above = 1/z, i0 = over*b3, i1 = -over*b1, i2 = -over*b2, i3 = over*b0;

    S[0] = i0;  S[1] = i1;  S[2] = -(i0*Z[2] + i1*Z[5])*above;
    S[3] = i2;  S[4] = i3;  S[5] = -(i2*Z[2] + i3*Z[5])*above;
    S[6] = 0;   S[7] = 0;   S[8] = above;
    H[0] = i0*W[0] + i1*W[3];  H[1] = i0*W[1] + i1*W[4];  H[2] = S[2]*W[8];
    H[3] = i2*W[0] + i3*W[3];  H[4] = i2*W[1] + i3*W[4];  H[5] = S[5]*W[8];
    H[6] = 0;                  H[7] = 0;                  H[8] = above*W[8];
    return det*z;
}

/* H and S of block i, and the sign of the determinant of Z + W D R D; 0 when that is singular. */
static int ipm_joint_block(slip_ipm *w, int i)
{
    const slip_problem *p = w->p;
    const int row = slip_block_row(p, i), dim = slip_block_dim(p, i);
    const slip_real *W = w->W + 9*i, *Z = w->Z + 9*i, d2 = w->scale.D[row]*w->scale.D[row];
    slip_real soft[3], det;
    int k;

    for (k = 0; k < dim; ++k) soft[k] = IPM_JOINT_PROX + (p->R ? d2*p->R[row + k] : 0);
    if (dim == 1) {
        det = Z[0] + W[0]*soft[0];
        w->S[9*i] = 1/det;
        w->joint.H[9*i] = W[0]/det;
    } else {
        det = ipm_joint_contact(W, Z, soft, w->S + 9*i, w->joint.H + 9*i);
    }
    return (det > 0) - (det < 0);
}

int slip_ipm_joint_factor(slip_ipm *w)
{
    int i, sign = 1;

    for (i = 0; i < slip_block_count(w->p); ++i) sign *= ipm_joint_block(w, i);
    if (sign == 0 || !slip_joint_factor(&w->joint)) return 0;
    w->sign = sign*slip_joint_sign(&w->joint);
    return 1;
}

/* x_i <- M_i x_i for all blocks */
static void ipm_joint_blockwise(const slip_ipm *w, const slip_real *M, slip_real *x)
{
    const slip_problem *p = w->p;
    int i;

    for (i = 0; i < p->nc; ++i) slip_mat3_vec(M + 9*i, x + 3*i, x + 3*i);
    for (; i < slip_block_count(p); ++i) x[slip_block_row(p, i)] *= M[9*i];
}

/* The image comes for nothing: A x = V V' x + D R D x, and t is V' x. */
void slip_ipm_joint_solve(slip_ipm *w, slip_real *x, slip_real *image)
{
    slip_joint *j = &w->joint;
    const int n = w->p->n;
    int i;

    ipm_joint_blockwise(w, w->S, x);
    slip_joint_gather(j, x, j->v);
    slip_joint_solve(j, j->v);
    slip_joint_spread(j, j->v, image);
    memcpy(w->lambda, image, (size_t)n*sizeof(slip_real));
    ipm_joint_blockwise(w, j->H, w->lambda);
    for (i = 0; i < n; ++i) x[i] -= w->lambda[i];
    slip_ipm_add_compliance(w, x, image);
}
