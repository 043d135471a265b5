/* The interior point's matrix in the joints' space, see ipm.h and joint_space.h. */
#include "solvers/ipm.h"

#define IPM_JOINT_PROX (4*SLIP_REAL_EPS)  /* of the scaled A's diagonal, which is not known better: keeps H, which grows
                                           * like 1/kappa, in bounds                                              */

static void ipm_joint_carve_tops(slip_ipm_tops *t, size_t nc, slip_arena *arena)
{
    t->m00 = slip_arena_reals(arena, nc);
    t->m01 = slip_arena_reals(arena, nc);
    t->m02 = slip_arena_reals(arena, nc);
    t->m10 = slip_arena_reals(arena, nc);
    t->m11 = slip_arena_reals(arena, nc);
    t->m12 = slip_arena_reals(arena, nc);
    t->m22 = slip_arena_reals(arena, nc);
}

void slip_ipm_joint_carve(slip_ipm *w, slip_arena *arena)
{
    const size_t n = (size_t)w->p->n, nc = (size_t)w->p->nc;

    ipm_joint_carve_tops(&w->S, nc, arena);
    ipm_joint_carve_tops(&w->H, nc, arena);
    w->single = slip_arena_reals(arena, 2*(n - 3*nc));
}

/* ---- factorisation --------------------------------------------------------------------------------------------- */

/* With B = Z + W D R D = [ B2 b; 0 z ] and W = [ W2 0; 0 gamma ]
 *     S = B^-1 = [ B2^-1  -B2^-1 b/z ; 0  1/z ],      H = S W = [ B2^-1 W2  -B2^-1 b gamma/z ; 0  gamma/z ]
 * of all contacts, and the determinants of B. */
static void ipm_joint_contacts(const slip_ipm *w, slip_real *det)
{
    const slip_ipm_blocks *b = &w->blocks;
    const slip_real *gamma = w->at.x + 2*w->p->nc, *s = w->at.y + 2*w->p->nc, *soft = w->soft;
    const slip_real *w00 = b->w00, *w01 = b->w01, *w11 = b->w11, *z00 = b->z00, *z01 = b->z01, *z10 = b->z10;
    const slip_real *z11 = b->z11, *z02 = b->z02, *z12 = b->z12;
    slip_real *s00 = w->S.m00, *s01 = w->S.m01, *s02 = w->S.m02, *s10 = w->S.m10, *s11 = w->S.m11, *s12 = w->S.m12;
    slip_real *h00 = w->H.m00, *h01 = w->H.m01, *h02 = w->H.m02, *h10 = w->H.m10, *h11 = w->H.m11, *h12 = w->H.m12;
    slip_real *s22 = w->S.m22, *h22 = w->H.m22;
    const int nc = w->p->nc;
    int i;

    SLIP_APART for (i = 0; i < nc; ++i) {
        const slip_real r0 = soft[i] + IPM_JOINT_PROX, r1 = soft[nc + i] + IPM_JOINT_PROX;
        const slip_real r2 = soft[2*nc + i] + IPM_JOINT_PROX;
        const slip_real b00 = z00[i] + w00[i]*r0, b01 = z01[i] + w01[i]*r1, b10 = z10[i] + w01[i]*r0;
        const slip_real b11 = z11[i] + w11[i]*r1, z = s[i] + gamma[i]*r2, d = b00*b11 - b01*b10;
        const slip_real inv_det = 1/d, up = 1/z;
        const slip_real i00 = inv_det*b11, i01 = -inv_det*b01, i10 = -inv_det*b10, i11 = inv_det*b00;
        const slip_real t0 = -up*(i00*z02[i] + i01*z12[i]), t1 = -up*(i10*z02[i] + i11*z12[i]);

        det[i] = d*z;
        s00[i] = i00;
        s01[i] = i01;
        s02[i] = t0;
        s10[i] = i10;
        s11[i] = i11;
        s12[i] = t1;
        s22[i] = up;
        h00[i] = i00*w00[i] + i01*w01[i];
        h01[i] = i00*w01[i] + i01*w11[i];
        h02[i] = t0*gamma[i];
        h10[i] = i10*w00[i] + i11*w01[i];
        h11[i] = i10*w01[i] + i11*w11[i];
        h12[i] = t1*gamma[i];
        h22[i] = up*gamma[i];
    }
}

/* The solution is a difference of vectors of the size of H: where H is large, rounding takes as many of its digits.
 * Half of them are left without refinement. */
static int ipm_joint_is_coarse(const slip_ipm *w)
{
    const slip_ipm_tops *H = &w->H;
    slip_real most = 0;
    int i;

    for (i = 0; i < w->p->nc; ++i) most = slip_max(most, slip_max(H->m22[i], slip_max(H->m00[i], H->m11[i])));
    return most*slip_sqrt(SLIP_REAL_EPS) > 1;
}

/* S and H of all blocks, H also in the layout of joint.h; the sign of the determinant of Z + W D R D, 0 when that is
 * singular. */
static int ipm_joint_blocks(slip_ipm *w)
{
    const slip_problem *p = w->p;
    const int nc = p->nc;
    slip_real *H = w->op->joint.H;
    int i, sign = 1;

    ipm_joint_contacts(w, w->low);
    for (i = 0; i < nc; ++i, H += 9) {
        H[0] = w->H.m00[i];  H[1] = w->H.m01[i];  H[2] = w->H.m02[i];
        H[3] = w->H.m10[i];  H[4] = w->H.m11[i];  H[5] = w->H.m12[i];
        H[6] = 0;            H[7] = 0;            H[8] = w->H.m22[i];
        sign *= (w->low[i] > 0) - (w->low[i] < 0);
    }
    for (i = 3*nc; i < p->n; ++i, H += 9) {
        slip_real *m = w->single + 2*(i - 3*nc), W = slip_ipm_row_w(w, i);
        const slip_real det = slip_ipm_row_z(w, i) + W*(w->soft[i] + IPM_JOINT_PROX);

        m[0] = 1/det;
        m[1] = H[0] = W/det;
        sign *= (det > 0) - (det < 0);
    }
    return sign;
}

int slip_ipm_joint_factor(slip_ipm *w)
{
    const int sign = ipm_joint_blocks(w);

    if (sign == 0 || !slip_joint_space_factor(&w->op->joint)) return 0;
    w->op->sign = sign*slip_joint_space_sign(&w->op->joint);
    w->refine = w->careful && ipm_joint_is_coarse(w);
    return 1;
}

/* ---- solution -------------------------------------------------------------------------------------------------- */

/* x <- S x */
static void ipm_joint_scale(const slip_ipm_tops *S, int nc, slip_real *SLIP_RESTRICT x)
{
    const slip_real *m00 = S->m00, *m01 = S->m01, *m02 = S->m02, *m10 = S->m10, *m11 = S->m11, *m12 = S->m12;
    const slip_real *m22 = S->m22;
    int i;

    for (i = 0; i < nc; ++i) {
        const slip_real a = x[i], b = x[nc + i], c = x[2*nc + i];

        x[i] = m00[i]*a + m01[i]*b + m02[i]*c;
        x[nc + i] = m10[i]*a + m11[i]*b + m12[i]*c;
        x[2*nc + i] = m22[i]*c;
    }
}

/* x -= H y */
static void ipm_joint_take(const slip_ipm_tops *H, int nc, const slip_real *y, slip_real *SLIP_RESTRICT x)
{
    const slip_real *m00 = H->m00, *m01 = H->m01, *m02 = H->m02, *m10 = H->m10, *m11 = H->m11, *m12 = H->m12;
    const slip_real *m22 = H->m22;
    int i;

    for (i = 0; i < nc; ++i) {
        const slip_real a = y[i], b = y[nc + i], c = y[2*nc + i];

        x[i] -= m00[i]*a + m01[i]*b + m02[i]*c;
        x[nc + i] -= m10[i]*a + m11[i]*b + m12[i]*c;
        x[2*nc + i] -= m22[i]*c;
    }
}

/* x (parts) <- S x, and the same into `rows` */
static void ipm_joint_begin(const slip_ipm *w, slip_real *x, slip_real *rows)
{
    const int n = w->p->n, nc = w->p->nc;
    int i;

    ipm_joint_scale(&w->S, nc, x);
    for (i = 3*nc; i < n; ++i) x[i] *= w->single[2*(i - 3*nc)];
    slip_ipm_to_rows(w, x, rows);
}

/* The image needs no other product: A x = V V' x + D R D x, and v is V' x. */
static void ipm_joint_end(const slip_ipm *w, const slip_real *rows, slip_real *x, slip_real *image)
{
    const int n = w->p->n, nc = w->p->nc;
    int i;

    slip_ipm_to_parts(w, rows, image);
    ipm_joint_take(&w->H, nc, image, x);
    for (i = 3*nc; i < n; ++i) x[i] -= w->single[2*(i - 3*nc) + 1]*image[i];
}

void slip_ipm_joint_solve(slip_ipm *w, slip_real *x, slip_real *image)
{
    slip_joint_space *j = &w->op->joint;

    ipm_joint_begin(w, x, w->rows);
    slip_joint_space_gather(j, w->rows, j->v);
    slip_joint_space_solve(j, j->v);
    slip_joint_space_spread(j, j->v, w->rows);
    ipm_joint_end(w, w->rows, x, image);
}

void slip_ipm_joint_solve_two(slip_ipm *w, slip_real *const x[2], slip_real *const image[2])
{
    ipm_joint_begin(w, x[0], w->rows);
    ipm_joint_begin(w, x[1], w->lambda);
    slip_joint_space_image_two(&w->op->joint, w->rows, w->lambda);
    ipm_joint_end(w, w->rows, x[0], image[0]);
    ipm_joint_end(w, w->lambda, x[1], image[1]);
}
