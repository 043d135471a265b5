/* Newton's linear system on the active set: classification of the blocks, assembly, factorisation. See newton.h. */
#include "solvers/newton.h"

#include <string.h>
#include "contact/lu.h"

/* A slip direction whose curvature is below this is dropped: the projection does not move across. */
#define NEWTON_FLAT SLIP_TOL(1e-12, 1e-6)

/* ---- classification ------------------------------------------------------------------------------ */

static void newton_identity(slip_newton *w, int i)
{
    w->rank[i] = 3;
    slip_mat3_identity(w->basis + 9*i);
    slip_mat3_identity(w->test + 9*i);
    slip_zero3(w->fixed + 3*i);
}

/* On the surface: the generator q1 = (mu t, 1)/c and, where it curves, q2 = t turned by a quarter. */
static void newton_slip(slip_newton *w, int i, slip_real mu, const slip_real x[3], slip_real xt)
{
    const slip_real *s = w->moved + 3*i, *F = w->F + 3*i, st = slip_norm2(s);
    const slip_real c = 1/slip_sqrt(1 + mu*mu), t1 = x[0]/xt, t2 = x[1]/xt;
    const slip_real u1 = st > 0 ? s[0]/st : 0, u2 = st > 0 ? s[1]/st : 0;
    slip_real *q = w->basis + 9*i, *v = w->test + 9*i, along, across;

    w->curve[i] = mu*(x[2] + mu*xt)*c*c/xt;
    w->rank[i] = w->curve[i] > NEWTON_FLAT ? 2 : 1;
    ++w->slips;
    slip_set3(mu*t1*c, mu*t2*c, c, q);
    slip_set3(-t2, t1, 0, q + 3);
    slip_set3(mu*(t1 + u1)*c, mu*(t2 + u2)*c, c, v);       /* q1' (I + dGamma), dGamma = e_n mu sigma_T'/|sigma_T| */
    slip_copy3(q + 3, v + 3);
    along = slip_dot3(q, F);
    across = w->rank[i] == 2 ? slip_dot3(q + 3, F) : 0;
    slip_set3(along*q[0] + across*q[3] - F[0], along*q[1] + across*q[4] - F[1], along*q[2] - F[2], w->fixed + 3*i);
    w->crossing = 1;
}

/* mu infinite and x_n <= 0: the tangent still sticks. */
static void newton_tangent(slip_newton *w, int i)
{
    newton_identity(w, i);
    w->rank[i] = 2;
    w->curve[i] = 1;
    w->fixed[3*i + 2] = -w->F[3*i + 2];
    w->crossing = 1;
}

static void newton_classify_contact(slip_newton *w, int i)
{
    const slip_real *x = w->x + 3*i, mu = w->p->mu[i], xt = slip_norm2(x);

    if (!slip_is_finite(mu)) {
        if (x[2] > 0) newton_identity(w, i); else newton_tangent(w, i);
    } else if (xt <= mu*x[2] && x[2] >= 0) {
        newton_identity(w, i);
    } else if (mu*xt <= -x[2]) {
        w->rank[i] = 0;
        slip_neg3(w->F + 3*i, w->fixed + 3*i);
        if (w->F[3*i] != 0 || w->F[3*i + 1] != 0 || w->F[3*i + 2] != 0) w->crossing = 1;
    } else {
        newton_slip(w, i, mu, x, xt);
    }
}

void slip_newton_linearise(slip_newton *w)
{
    const slip_problem *p = w->p;
    int i;

    w->unknowns = w->slips = w->crossing = 0;
    for (i = 0; i < w->m; ++i) {
        if (i < p->nc) {
            newton_classify_contact(w, i);
        } else {
            const int row = slip_block_row(p, i);

            w->rank[i] = slip_block_is_bilateral(p, i) || w->x[row] > 0;
            w->basis[9*i] = w->test[9*i] = 1;
            w->fixed[row] = w->rank[i] ? 0 : -w->F[row];
            if (w->fixed[row] != 0) w->crossing = 1;
        }
        w->at[i] = w->unknowns;
        w->unknowns += w->rank[i];
    }
    w->sparse_now = w->sparse_route && w->unknowns > SLIP_NEWTON_DENSE_SET;
    w->joint_now = w->joint_route && (w->unknowns > w->joint.order || p->G.form == SLIP_G_FACTOR);
    if (w->sparse_now || w->joint_now) for (i = 0; i < w->m; ++i) w->at[i] = 3*i;
}

/* ---- right-hand side ------------------------------------------------------------------------------ */

/* R_k + eps/r_i, what is added to the diagonal of G. */
static slip_real newton_extra(const slip_newton *w, int i, int row)
{
    return w->eps*w->d[i] + (w->p->R ? w->p->R[row] : 0);
}

/* b = -q'F/(r c) - v'(image + extra fixed), one row of a slipping contact. */
static slip_real newton_slip_side(const slip_newton *w, int i, const slip_real *q, const slip_real *v,
                                  slip_real over_curve)
{
    const slip_real *F = w->F + 3*i, *u = w->image + 3*i, *f = w->fixed + 3*i, *R = w->p->R ? w->p->R + 3*i : NULL;
    const slip_real e = w->eps*w->d[i];
    slip_real b = -slip_dot3(q, F)*w->d[i]*over_curve - slip_dot3(v, u) - e*slip_dot3(v, f);

    if (R) b -= v[0]*R[0]*f[0] + v[1]*R[1]*f[1] + v[2]*R[2]*f[2];
    return b;
}

static void newton_right_side(slip_newton *w)
{
    const slip_problem *p = w->p;
    int i, k;

    if (w->crossing) slip_newton_apply(w, w->fixed, w->image, NULL);
    else for (i = 0; i < w->n; ++i) w->image[i] = 0;
    for (i = 0; i < w->m; ++i) {
        const int row = slip_block_row(p, i);
        const slip_real *q = w->basis + 9*i, *v = w->test + 9*i;
        slip_real *b = w->step + w->at[i];

        if (w->sparse_now || w->joint_now) slip_zero3(b);
        if (i >= p->nc || w->rank[i] == 3) {               /* stick, active limit, bilateral */
            for (k = 0; k < w->rank[i]; ++k) b[k] = -w->moved[row + k] - w->image[row + k];
        } else if (w->rank[i] > 0) {
            b[0] = newton_slip_side(w, i, q, v, 1);
            if (w->rank[i] == 2) b[1] = newton_slip_side(w, i, q + 3, v + 3, 1/w->curve[i]);
        }
    }
}

/* ---- matrix -------------------------------------------------------------------------------------- */

/* B (rank_i x rank_j, leading dimension ld) = test_i G_ij basis_j', G_ij with dim_j columns. */
static void newton_reduce(const slip_newton *w, int i, int j, const slip_real *G, slip_real *B, int ld)
{
    const int di = slip_block_dim(w->p, i), dj = slip_block_dim(w->p, j);
    const slip_real *v = w->test + 9*i, *q = w->basis + 9*j;
    int a, b, k;

    for (a = 0; a < w->rank[i]; ++a) {
        slip_real t[3];

        for (k = 0; k < dj; ++k) {
            t[k] = v[3*a]*G[k];
            if (di == 3) t[k] += v[3*a + 1]*G[dj + k] + v[3*a + 2]*G[2*dj + k];
        }
        for (b = 0; b < w->rank[j]; ++b) {
            B[a*ld + b] = q[3*b]*t[0];
            if (dj == 3) B[a*ld + b] += q[3*b + 1]*t[1] + q[3*b + 2]*t[2];
        }
    }
}

/* The diagonal block's share of R, eps and the curvature. */
static void newton_add_diagonal(const slip_newton *w, int i, slip_real *B, int ld)
{
    const int row = slip_block_row(w->p, i), dim = slip_block_dim(w->p, i);
    const slip_real *v = w->test + 9*i, *q = w->basis + 9*i;
    int a, b, k;

    if (w->rank[i] == 3) {
        for (k = 0; k < 3; ++k) B[k*ld + k] += newton_extra(w, i, row + k);
        return;
    }
    for (k = 0; k < dim; ++k) {
        const slip_real e = newton_extra(w, i, row + k);

        for (a = 0; a < w->rank[i]; ++a)
            for (b = 0; b < w->rank[i]; ++b) B[a*ld + b] += v[3*a + k]*e*q[3*b + k];
    }
    if (i < w->p->nc && w->rank[i] == 2) B[ld + 1] += (1/w->curve[i] - 1)*w->d[i];
}

/* Row block i over a dense G: the test rows are combined first, over whole rows, then the columns are. */
static void newton_assemble_dense_row(const slip_newton *w, int i)
{
    const slip_problem *p = w->p;
    const size_t ld = (size_t)p->G.ld, n = (size_t)w->n;
    const slip_real *G = p->G.dense + (size_t)slip_block_row(p, i)*ld;
    const int size = w->unknowns;
    int a, j;
    size_t k;

    for (a = 0; a < w->rank[i]; ++a) {
        const slip_real *v = w->test + 9*i + 3*a, *t = G + (size_t)a*ld;
        slip_real *out = w->A + (size_t)(w->at[i] + a)*(size_t)size;

        if (i < p->nc && w->rank[i] < 3) {
            slip_real *mix = w->rows;

            for (k = 0; k < n; ++k) mix[k] = v[0]*G[k] + v[1]*G[ld + k] + v[2]*G[2*ld + k];
            t = mix;
        }
        for (j = 0; j < p->nc; ++j, t += 3) {
            const slip_real *q = w->basis + 9*j;
            slip_real *o = out + w->at[j];

            switch (w->rank[j]) {
            case 3: o[0] = t[0];  o[1] = t[1];  o[2] = t[2];  break;
            case 2: o[1] = q[3]*t[0] + q[4]*t[1] + q[5]*t[2];  /* fall through */
            case 1: o[0] = q[0]*t[0] + q[1]*t[1] + q[2]*t[2];  break;
            default: break;
            }
        }
        for (; j < w->m; ++j, ++t) if (w->rank[j]) out[w->at[j]] = *t;
    }
}

static void newton_assemble_blocks_row(const slip_newton *w, int i)
{
    const slip_delassus *G = &w->p->G;
    const size_t size = (size_t)w->unknowns;
    slip_real *out = w->A + (size_t)w->at[i]*size;
    int k;

    memset(out, 0, (size_t)w->rank[i]*size*sizeof *out);
    for (k = G->start[i]; k < G->start[i + 1]; ++k)
        newton_reduce(w, i, G->col[k], G->val + G->at[k], out + w->at[G->col[k]], w->unknowns);
}

static slip_status newton_factor_dense(slip_newton *w)
{
    const int size = w->unknowns;
    int i;

    for (i = 0; i < w->m; ++i) {
        if (w->rank[i] == 0) continue;
        if (w->p->G.form == SLIP_G_DENSE) newton_assemble_dense_row(w, i);
        else newton_assemble_blocks_row(w, i);
        newton_add_diagonal(w, i, w->A + (size_t)w->at[i]*(size_t)size + w->at[i], size);
    }
    w->cholesky = w->slips == 0 && w->p->G.symmetric;
    if (w->cholesky) return slip_chol_factor(size, w->A, size, NULL);
    return slip_lu_factor(size, w->A, size, w->pivot);
}

/* Block (i, j) padded to 3x3; what is not an unknown gets the identity. */
static void newton_sparse_block(const void *context, int i, int j, slip_real B[9])
{
    const slip_newton *w = (const slip_newton *)context;
    slip_real G[9];
    int k;

    for (k = 0; k < 9; ++k) B[k] = 0;
    if (w->rank[i] && w->rank[j]) {
        slip_problem_block(w->p, i, j, G);
        newton_reduce(w, i, j, G, B, 3);
    }
    if (i != j) return;
    newton_add_diagonal(w, i, B, 3);
    for (k = w->rank[i]; k < 3; ++k) B[4*k] = 1;
}

/* ---- in the joints' space ------------------------------------------------------------------------- */

/* E^-1 of block i into w->inverse and H = B E^-1 T into the joint's, both 3x3 (1x1 for a single row). */
static int newton_joint_block(slip_newton *w, int i)
{
    const slip_real *v = w->test + 9*i, *q = w->basis + 9*i;
    slip_real E[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, *inverse = w->inverse + 9*i, *H = w->joint.H + 9*i;
    int a, b, r, c;

    memset(inverse, 0, 9*sizeof *inverse);
    memset(H, 0, 9*sizeof *H);
    if (w->rank[i] == 0) return 1;
    for (a = 0; a < w->rank[i]; ++a) E[4*a] = 0;
    newton_add_diagonal(w, i, E, 3);
    if (slip_mat3_inverse(E, inverse) == 0 || !slip_all_finite(inverse, 9)) return 0;
    if (i >= w->p->nc) {
        H[0] = inverse[0];
        return 1;
    }
    for (a = 0; a < w->rank[i]; ++a)
        for (b = 0; b < w->rank[i]; ++b)
            for (r = 0; r < 3; ++r)
                for (c = 0; c < 3; ++c) H[3*r + c] += q[3*a + r]*inverse[3*a + b]*v[3*b + c];
    return 1;
}

static slip_status newton_factor_joint(slip_newton *w)
{
    int i;

    for (i = 0; i < w->m; ++i) if (!newton_joint_block(w, i)) return SLIP_ERR_NOT_SPD;
    return slip_joint_factor(&w->joint) ? SLIP_OK : SLIP_ERR_NOT_SPD;
}

/* out (n) += B E^-1 of the right-hand side in w->step: where the blocks would go on their own. */
static void newton_joint_alone(slip_newton *w, slip_real *out)
{
    int i, a, k;

    for (i = 0; i < w->m; ++i) {
        const int row = slip_block_row(w->p, i), dim = slip_block_dim(w->p, i);
        slip_real u[3];

        slip_mat3_vec(w->inverse + 9*i, w->step + w->at[i], u);
        for (k = 0; k < dim; ++k)
            for (out[row + k] = 0, a = 0; a < w->rank[i]; ++a) out[row + k] += w->basis[9*i + 3*a + k]*u[a];
    }
}

/* u = E^-1 (b - T Y t),  K t = Y' B E^-1 b. The image is free: it has served the right-hand side. */
static void newton_solve_joint(slip_newton *w)
{
    slip_joint *j = &w->joint;
    int i, a, k;

    newton_joint_alone(w, w->image);
    slip_joint_gather(j, w->image, j->v);
    slip_joint_solve(j, j->v);
    slip_joint_spread(j, j->v, w->image);
    for (i = 0; i < w->m; ++i) {
        const int row = slip_block_row(w->p, i), dim = slip_block_dim(w->p, i);
        slip_real *b = w->step + w->at[i];

        for (a = 0; a < w->rank[i]; ++a) for (k = 0; k < dim; ++k) b[a] -= w->test[9*i + 3*a + k]*w->image[row + k];
        slip_mat3_vec(w->inverse + 9*i, b, b);
    }
}

/* ---- all of it ------------------------------------------------------------------------------------ */

/* An all-stick system stays the same as long as the set and eps do: then the factors are used again. */
static int newton_can_reuse(const slip_newton *w)
{
    return w->factored && w->slips == 0 && memcmp(w->rank, w->was, (size_t)w->m*sizeof(int)) == 0;
}

slip_status slip_newton_solve_system(slip_newton *w)
{
    newton_right_side(w);
    if (w->unknowns == 0) return SLIP_OK;
    if (!newton_can_reuse(w)) {
        slip_status status;

        ++w->factorizations;
        status = w->joint_now ? newton_factor_joint(w)
               : w->sparse_now ? slip_sparse_factor(&w->sparse, w->p->G.start, w->p->G.col, newton_sparse_block, w)
               : newton_factor_dense(w);
        w->factored = status >= 0 && w->slips == 0;
        if (status < 0) return status;
        memcpy(w->was, w->rank, (size_t)w->m*sizeof(int));
    }
    if (w->joint_now)       newton_solve_joint(w);
    else if (w->sparse_now) slip_sparse_solve(&w->sparse, w->step);
    else if (w->cholesky) slip_chol_solve(w->unknowns, w->A, w->unknowns, w->step);
    else                  slip_lu_solve(w->unknowns, w->A, w->unknowns, w->pivot, w->step);
    return SLIP_OK;
}
