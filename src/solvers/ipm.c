/* The interior point's point, linear algebra, step lengths and loop. See ipm.h and, for the equations, ncp_ipm.c. */
#include "solvers/ipm.h"

#include <string.h>
#include "contact/lu.h"

#define IPM_SPARSE_ROWS 60                /* dense below: pivoting is worth more than sparsity         */
#define IPM_JOINT_SHARE SLIP_TOL(0.8, 0)  /* of the rows: so few columns make the joints' space worth it; in float
                                           * its large numbers cancel to no better than 1e-3, so never         */
#define IPM_PROX SLIP_TOL(1e-9, 1e-5)     /* of rows without complementarity: G may be singular there */

static void ipm_carve_arrays(slip_ipm *w, slip_arena *a)
{
    const size_t n = (size_t)w->p->n, nc = (size_t)w->p->nc, m = (size_t)slip_block_count(w->p);

    w->scale.D = slip_arena_reals(a, n);
    w->b = slip_arena_reals(a, n);
    w->x = slip_arena_reals(a, n);
    w->y = slip_arena_reals(a, n);
    w->rho = slip_arena_reals(a, n);
    w->dx = slip_arena_reals(a, n);
    w->dy = slip_arena_reals(a, n);
    w->ax = slip_arena_reals(a, n);
    w->ay = slip_arena_reals(a, n);
    w->psi = slip_arena_reals(a, nc);
    w->dpsi = slip_arena_reals(a, nc);
    w->apsi = slip_arena_reals(a, nc);
    w->r0 = slip_arena_reals(a, nc);
    w->lambda = slip_arena_reals(a, n);
    w->sigma = slip_arena_reals(a, n);
    w->best = slip_arena_reals(a, n);
    w->W = slip_arena_reals(a, 9*m);
    w->Z = slip_arena_reals(a, 9*m);
}

static slip_status ipm_carve_matrix(slip_ipm *w, slip_arena *a)
{
    const size_t n = (size_t)w->p->n, m = (size_t)slip_block_count(w->p);

    w->A = w->F = w->padded = w->K = NULL;
    if (w->route == SLIP_IPM_JOINT) {
        const size_t columns = (size_t)w->columns;

        w->K = slip_arena_reals(a, columns*columns);
        w->v = slip_arena_reals(a, columns);
        w->pivot = slip_arena_ints(a, columns);
        w->H = slip_arena_reals(a, 9*m);
        w->S = slip_arena_reals(a, 9*m);
        return SLIP_OK;
    }
    if (w->route == SLIP_IPM_SPARSE) {
        w->padded = slip_arena_reals(a, 3*m);
        return slip_sparse_analyse(&w->sparse, (int)m, w->p->G.start, w->p->G.col, 1, a);
    }
    w->A = slip_arena_reals(a, n*n);
    w->F = slip_arena_reals(a, n*n);
    w->pivot = slip_arena_ints(a, n);
    return SLIP_OK;
}

/* Numbers the coordinates that the problem touches, in w->place; their count, or -1 without a factor. */
static int ipm_columns(slip_ipm *w, slip_arena *arena)
{
    const slip_delassus *G = &w->p->G;
    const int entries = G->nv > 0 ? G->ystart[slip_block_count(w->p)] : 0;
    int e, count = 0;

    if (G->nv <= 0) return -1;
    w->place = slip_arena_ints(arena, (size_t)G->nv);
    if (!w->place) return -1;
    for (e = 0; e < G->nv; ++e) w->place[e] = -1;
    for (e = 0; e < entries; ++e) if (w->place[G->ycol[e]] < 0) w->place[G->ycol[e]] = count++;
    return count;
}

/* The route, and for JOINT w->place. A counting arena is charged for the others, which take more: n^2 numbers and up
 * against less than 0.8 n^2 here, as long as the world is not too large for a list of its coordinates. */
static slip_ipm_route ipm_choose(slip_ipm *w, slip_arena *arena)
{
    const slip_problem *p = w->p;
    const size_t mark = slip_arena_mark(arena);
    const double m = (double)slip_block_count(p);

    if (!slip_arena_is_counting(arena) && (double)p->G.nv <= 0.25*p->n*p->n) {
        w->columns = ipm_columns(w, arena);
        if (w->columns >= 0 && (slip_real)w->columns < IPM_JOINT_SHARE*(slip_real)p->n) return SLIP_IPM_JOINT;
        slip_arena_release(arena, mark);
        arena->failed = 0;
    }
    if (p->G.form == SLIP_G_BLOCKS && p->n >= IPM_SPARSE_ROWS && (double)p->G.start[slip_block_count(p)] < 0.35*m*m)
        return SLIP_IPM_SPARSE;
    return SLIP_IPM_DENSE;
}

slip_status slip_ipm_carve(slip_ipm *w, const slip_problem *p, const slip_solver_options *opt, slip_arena *arena)
{
    const size_t mark = slip_arena_mark(arena);
    slip_status status;

    arena->failed = 0;
    w->p = p;
    w->opt = opt;
    w->route = ipm_choose(w, arena);
    ipm_carve_arrays(w, arena);
    status = ipm_carve_matrix(w, arena);
    if (status >= 0 && arena->failed) status = SLIP_ERR_WORKSPACE;
    if (status < 0) slip_arena_release(arena, mark);
    return status;
}

/* A contact has a cone of its own when 0 < mu < infinity; else its tangent is held (beta = 0) or glued (eta = 0). */
static int ipm_has_cone(const slip_ipm *w, int i) { return w->p->mu[i] > 0 && slip_is_finite(w->p->mu[i]); }

/* ---- the point ------------------------------------------------------------------------------------------- */

/* v = Y' x over the columns of K, and out = Y v. */
static void ipm_gather(const slip_ipm *w, const slip_real *x, slip_real *v)
{
    const slip_problem *p = w->p;
    const slip_delassus *G = &p->G;
    int i, e, k;

    memset(v, 0, (size_t)w->columns*sizeof(slip_real));
    for (i = 0; i < slip_block_count(p); ++i) {
        const int n = G->ystart[i + 1] - G->ystart[i], *col = G->ycol + G->ystart[i];
        const slip_real *y = G->y + G->yat[i];

        for (k = 0; k < slip_block_dim(p, i); ++k, y += n)
            for (e = 0; e < n; ++e) v[w->place[col[e]]] += y[e]*x[slip_block_row(p, i) + k];
    }
}

static void ipm_spread(const slip_ipm *w, const slip_real *v, slip_real *out)
{
    const slip_problem *p = w->p;
    const slip_delassus *G = &p->G;
    int i, e, k;

    for (i = 0; i < slip_block_count(p); ++i) {
        const int n = G->ystart[i + 1] - G->ystart[i], *col = G->ycol + G->ystart[i];
        const slip_real *y = G->y + G->yat[i];

        for (k = 0; k < slip_block_dim(p, i); ++k, y += n) {
            slip_real sum = 0;

            for (e = 0; e < n; ++e) sum += y[e]*v[w->place[col[e]]];
            out[slip_block_row(p, i) + k] = sum;
        }
    }
}

static void ipm_apply_factor(slip_ipm *w, const slip_real *x, slip_real *out)
{
    ipm_gather(w, x, w->v);
    ipm_spread(w, w->v, out);
}

/* out = A x in scaled units; `out` and w->lambda are written. */
static void ipm_product(slip_ipm *w, const slip_real *x, slip_real *out)
{
    const slip_problem *p = w->p;
    const slip_real *D = w->scale.D;
    const int n = p->n;
    int i;

    if (w->route == SLIP_IPM_DENSE) {
        for (i = 0; i < n; ++i) out[i] = slip_dot(n, w->A + (size_t)i*(size_t)n, x);
        return;
    }
    for (i = 0; i < n; ++i) w->lambda[i] = D[i]*x[i];
    if (w->route == SLIP_IPM_JOINT) ipm_apply_factor(w, w->lambda, out);
    else slip_problem_apply(p, w->lambda, out);
    for (i = 0; i < n; ++i) out[i] = D[i]*(out[i] + (p->R ? p->R[i]*w->lambda[i] : 0));
}

static void ipm_slack_error(slip_ipm *w)
{
    int i;

    ipm_product(w, w->x, w->rho);
    for (i = 0; i < w->p->n; ++i) w->rho[i] += w->b[i] - w->y[i];
}

/* A point inside all cones at distance `inside` from their surfaces, near the warm start when there is one. */
static void ipm_start(slip_ipm *w, const slip_real *from, slip_real inside)
{
    const slip_problem *p = w->p;
    int i, k;

    memset(w->x, 0, (size_t)p->n*sizeof(slip_real));
    memset(w->y, 0, (size_t)p->n*sizeof(slip_real));
    if (from) slip_scaling_in(p, &w->scale, from, w->x);
    if (from) { ipm_slack_error(w);  memcpy(w->y, w->rho, (size_t)p->n*sizeof(slip_real)); }
    for (i = 0; i < p->nc; ++i) {
        slip_real *x = w->x + 3*i, *y = w->y + 3*i, limit, norm;

        x[2] = slip_max(x[2], inside);
        y[2] = slip_max(y[2], inside);
        limit = p->mu[i]*slip_max(x[2] - inside/2, 0);
        norm = slip_norm2(x);
        for (k = 0; k < 2; ++k) if (norm > limit || !ipm_has_cone(w, i)) x[k] *= norm > limit ? limit/norm : 1;
        if (!ipm_has_cone(w, i)) { y[0] = 0;  y[1] = 0; }
        if (p->mu[i] == 0) { x[0] = 0;  x[1] = 0; }
        w->psi[i] = slip_norm2(y) + inside;
    }
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i) {
        w->x[i] = slip_max(w->x[i], inside);
        w->y[i] = slip_max(w->y[i], inside);
    }
    for (; i < p->n; ++i) w->y[i] = 0;
}

/* Mean complementarity at (x + a dx, ...); a = 0 for the point itself. */
static slip_real ipm_gap(const slip_ipm *w, slip_real a, const slip_real *dx, const slip_real *dy,
                         const slip_real *dpsi)
{
    const slip_problem *p = w->p;
    slip_real sum = 0, count = 0;
    int i, k;

    for (i = 0; i < p->nc; ++i) {
        const slip_real *x = w->x + 3*i, *y = w->y + 3*i, *u = dx + 3*i, *v = dy + 3*i;
        const slip_real gamma = x[2] + a*u[2];

        sum += gamma*(y[2] + a*v[2]);
        count += 1;
        if (!ipm_has_cone(w, i)) continue;
        sum += p->mu[i]*gamma*(w->psi[i] + a*dpsi[i]);
        for (k = 0; k < 2; ++k) sum += (x[k] + a*u[k])*(y[k] + a*v[k]);
        count += 1;
    }
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i, count += 1) sum += (w->x[i] + a*dx[i])*(w->y[i] + a*dy[i]);
    return count > 0 ? sum/count : 0;
}

/* ---- linear algebra ---------------------------------------------------------------------------------------- */

/* Row `row` of F = sum over k < dim of W_k A_(first + k) + Z on columns first... */
static void ipm_row(slip_ipm *w, int row, int first, int dim, const slip_real *W, const slip_real *Z)
{
    const size_t n = (size_t)w->p->n;
    slip_real *F = w->F + (size_t)row*n;
    size_t j;
    int k;

    for (j = 0; j < n; ++j) F[j] = W[0]*w->A[(size_t)first*n + j];
    for (k = 1; k < dim; ++k) for (j = 0; j < n; ++j) F[j] += W[k]*w->A[(size_t)(first + k)*n + j];
    for (k = 0; k < dim; ++k) F[first + k] += Z[k];
}

/* W and Z (3x3) of a contact: of the tangential rows after eliminating psi, of the normal row Signorini's. */
static void ipm_contact_matrices(const slip_ipm *w, int i, slip_real W[9], slip_real Z[9])
{
    const slip_real *x = w->x + 3*i, *y = w->y + 3*i, mu = w->p->mu[i];
    int r, c;

    memset(W, 0, 9*sizeof(slip_real));
    memset(Z, 0, 9*sizeof(slip_real));
    W[8] = x[2];
    Z[8] = y[2];
    for (r = 0; r < 2; ++r) {
        if (mu == 0) { Z[4*r] = 1;  continue; }                              /* d beta = 0            */
        if (!slip_is_finite(mu)) { W[4*r] = 1;  Z[4*r] = IPM_PROX;  continue; }   /* sigma_T = 0      */
        for (c = 0; c < 2; ++c) {
            W[3*r + c] = (r == c ? mu*x[2] : 0) - x[r]*x[c]/(mu*x[2]);
            Z[3*r + c] = (r == c ? w->psi[i] : 0) - x[r]*y[c]/(mu*x[2]);
        }
        Z[3*r + 2] = mu*(y[r] - x[r]*w->psi[i]/(mu*x[2]));
    }
}

/* W and Z of all blocks at the current point. */
static void ipm_linearise(slip_ipm *w)
{
    const slip_problem *p = w->p;
    const int m = slip_block_count(p);
    int i;

    for (i = 0; i < p->nc; ++i) ipm_contact_matrices(w, i, w->W + 9*i, w->Z + 9*i);
    for (; i < m; ++i) {
        const int row = slip_block_row(p, i), limit = slip_block_is_limit(p, i);

        w->W[9*i] = limit ? w->x[row] : 1;
        w->Z[9*i] = limit ? w->y[row] : IPM_PROX;
    }
}

/* Block (i, j) of W A + Z for the sparse route, padded to 3x3 with the identity. */
static void ipm_sparse_block(const void *context, int i, int j, slip_real B[9])
{
    const slip_ipm *w = (const slip_ipm *)context;
    const slip_problem *p = w->p;
    const int di = slip_block_dim(p, i), dj = slip_block_dim(p, j), ri = slip_block_row(p, i), rj = slip_block_row(p, j);
    const slip_real scale = w->scale.D[ri]*w->scale.D[rj];           /* one number per block */
    slip_real G[9];
    int r, c, k;

    slip_problem_block(p, i, j, G);
    if (i == j && p->R) for (r = 0; r < di; ++r) G[r*dj + r] += p->R[ri + r];
    for (k = 0; k < 9; ++k) B[k] = 0;
    for (r = 0; r < di; ++r)
        for (c = 0; c < dj; ++c) {
            for (k = 0; k < di; ++k) B[3*r + c] += w->W[9*i + 3*r + k]*G[k*dj + c];
            B[3*r + c] = scale*B[3*r + c] + (i == j ? w->Z[9*i + 3*r + c] : 0);
        }
    if (i == j) for (k = di; k < 3; ++k) B[4*k] = 1;
}

/* H and S of block i. 0 when Z + W D R D is singular. */
static int ipm_joint_block(slip_ipm *w, int i)
{
    const slip_problem *p = w->p;
    const int row = slip_block_row(p, i), dim = slip_block_dim(p, i);
    const slip_real *W = w->W + 9*i, *Z = w->Z + 9*i, d2 = w->scale.D[row]*w->scale.D[row];
    slip_real B[9], *S = w->S + 9*i;
    int r, c;

    if (dim == 1) {
        const slip_real b = Z[0] + (p->R ? W[0]*d2*p->R[row] : 0);

        S[0] = 1/b;
        w->H[9*i] = W[0]/b;
        return b != 0;
    }
    for (r = 0; r < 3; ++r)
        for (c = 0; c < 3; ++c) B[3*r + c] = Z[3*r + c] + (p->R ? W[3*r + c]*d2*p->R[row + c] : 0);
    if (slip_mat3_inverse(B, S) == 0) return 0;
    slip_mat3_mul(S, W, w->H + 9*i);
    return 1;
}

/* K += V_i' H_i V_i, V_i = D Y_i */
static void ipm_joint_add(slip_ipm *w, int i)
{
    const slip_problem *p = w->p;
    const slip_delassus *G = &p->G;
    const int n = G->ystart[i + 1] - G->ystart[i], *col = G->ycol + G->ystart[i], dim = slip_block_dim(p, i);
    const slip_real *y = G->y + G->yat[i], *H = w->H + 9*i, D = w->scale.D[slip_block_row(p, i)];
    int a, b, c, r;

    for (a = 0; a < n; ++a) {
        slip_real *K = w->K + (size_t)w->place[col[a]]*(size_t)w->columns, h[3] = { 0, 0, 0 };

        for (c = 0; c < dim; ++c)
            for (r = 0; r < dim; ++r) h[c] += D*D*y[r*n + a]*H[r*dim + c];
        if (dim == 1) for (b = 0; b < n; ++b) K[w->place[col[b]]] += h[0]*y[b];
        else for (b = 0; b < n; ++b) K[w->place[col[b]]] += h[0]*y[b] + h[1]*y[n + b] + h[2]*y[2*n + b];
    }
}

static int ipm_joint_factor(slip_ipm *w)
{
    const size_t columns = (size_t)w->columns;
    size_t k;
    int i;

    memset(w->K, 0, columns*columns*sizeof(slip_real));
    for (k = 0; k < columns; ++k) w->K[k*columns + k] = 1;
    for (i = 0; i < slip_block_count(w->p); ++i) {
        if (!ipm_joint_block(w, i)) return 0;
        ipm_joint_add(w, i);
    }
    return slip_lu_factor(w->columns, w->K, w->columns, w->pivot) == SLIP_OK;
}

/* x_i <- M_i x_i for all blocks */
static void ipm_blockwise(const slip_ipm *w, const slip_real *M, slip_real *x)
{
    const slip_problem *p = w->p;
    int i;

    for (i = 0; i < p->nc; ++i) slip_mat3_vec(M + 9*i, x + 3*i, x + 3*i);
    for (; i < slip_block_count(p); ++i) x[slip_block_row(p, i)] *= M[9*i];
}

static void ipm_joint_solve(slip_ipm *w, slip_real *x)
{
    const slip_real *D = w->scale.D;
    const int n = w->p->n;
    int i;

    ipm_blockwise(w, w->S, x);
    for (i = 0; i < n; ++i) w->lambda[i] = D[i]*x[i];
    ipm_gather(w, w->lambda, w->v);
    slip_lu_solve(w->columns, w->K, w->columns, w->pivot, w->v);
    ipm_spread(w, w->v, w->lambda);
    for (i = 0; i < n; ++i) w->lambda[i] *= D[i];
    ipm_blockwise(w, w->H, w->lambda);
    for (i = 0; i < n; ++i) x[i] -= w->lambda[i];
}

static int ipm_factor(slip_ipm *w)
{
    const slip_problem *p = w->p;
    const int m = slip_block_count(p);
    int i, r;

    ipm_linearise(w);
    if (w->route == SLIP_IPM_JOINT) return ipm_joint_factor(w);
    if (w->route == SLIP_IPM_SPARSE)
        return slip_sparse_factor(&w->sparse, p->G.start, p->G.col, ipm_sparse_block, w) >= 0;
    for (i = 0; i < m; ++i) {
        const int row = slip_block_row(p, i), dim = slip_block_dim(p, i);

        for (r = 0; r < dim; ++r) ipm_row(w, row + r, row, dim, w->W + 9*i + 3*r, w->Z + 9*i + 3*r);
    }
    return slip_lu_factor(p->n, w->F, p->n, w->pivot) == SLIP_OK;
}

/* x <- (W A + Z)^-1 x */
static void ipm_solve(slip_ipm *w, slip_real *x)
{
    const slip_problem *p = w->p;
    int i, k;

    if (w->route == SLIP_IPM_JOINT) {
        ipm_joint_solve(w, x);
        return;
    }
    if (w->route == SLIP_IPM_DENSE) {
        slip_lu_solve(p->n, w->F, p->n, w->pivot, x);
        return;
    }
    for (i = 0; i < slip_block_count(p); ++i)
        for (k = 0; k < 3; ++k) w->padded[3*i + k] = k < slip_block_dim(p, i) ? x[slip_block_row(p, i) + k] : 0;
    slip_sparse_solve(&w->sparse, w->padded);
    for (i = 0; i < slip_block_count(p); ++i)
        for (k = 0; k < slip_block_dim(p, i); ++k) x[slip_block_row(p, i) + k] = w->padded[3*i + k];
}

/* Right-hand side of one contact for target kappa and, when `second`, the affine step's product: rhs - W rho into d. */
static void ipm_contact_rhs(slip_ipm *w, int i, slip_real kappa, int second, slip_real d[3])
{
    const slip_real *x = w->x + 3*i, *y = w->y + 3*i, mu = w->p->mu[i], *u = w->ax + 3*i, *v = w->ay + 3*i;
    const slip_real x0 = mu*x[2], psi = w->psi[i];
    const slip_real *W = w->W + 9*i;
    slip_real r1;
    int r;

    d[2] = kappa - x[2]*y[2] - (second ? u[2]*v[2] : 0) - x[2]*w->rho[3*i + 2];
    if (!ipm_has_cone(w, i)) {
        for (r = 0; r < 2; ++r) d[r] = mu == 0 ? -x[r] : -(w->rho[3*i + r] + y[r]);
        return;
    }
    w->r0[i] = kappa - x0*psi - x[0]*y[0] - x[1]*y[1];
    if (second) w->r0[i] -= mu*u[2]*w->apsi[i] + u[0]*v[0] + u[1]*v[1];
    for (r = 0; r < 2; ++r) {
        r1 = -(x0*y[r] + psi*x[r]);
        if (second) r1 -= mu*u[2]*v[r] + w->apsi[i]*u[r];
        d[r] = r1 - x[r]*w->r0[i]/x0 - W[3*r]*w->rho[3*i] - W[3*r + 1]*w->rho[3*i + 1];
    }
}

/* dx, dy, dpsi towards complementarity kappa. */
static void ipm_step(slip_ipm *w, slip_real kappa, int second)
{
    const slip_problem *p = w->p;
    int i;

    for (i = 0; i < p->nc; ++i) ipm_contact_rhs(w, i, kappa, second, w->dx + 3*i);
    for (i = 3*p->nc; i < p->n; ++i)
        w->dx[i] = i < 3*p->nc + p->nl
                 ? kappa - w->x[i]*w->y[i] - (second ? w->ax[i]*w->ay[i] : 0) - w->x[i]*w->rho[i] : -w->rho[i];
    ipm_solve(w, w->dx);
    ipm_product(w, w->dx, w->dy);
    for (i = 0; i < p->n; ++i) w->dy[i] += w->rho[i];
    for (i = 3*p->nc + p->nl; i < p->n; ++i) w->dy[i] = 0;
    for (i = 0; i < p->nc; ++i) {
        const slip_real *x = w->x + 3*i, *y = w->y + 3*i, *u = w->dx + 3*i, *v = w->dy + 3*i, mu = p->mu[i];

        w->dpsi[i] = 0;
        if (!ipm_has_cone(w, i)) { w->dy[3*i] = w->dy[3*i + 1] = 0;  continue; }
        w->dpsi[i] = (w->r0[i] - x[0]*v[0] - x[1]*v[1] - w->psi[i]*mu*u[2] - y[0]*u[0] - y[1]*u[1])/(mu*x[2]);
    }
}

/* ---- step lengths ---------------------------------------------------------------------------------------------- */

/* Largest a with z0 + a d0 >= |z1 + a d1|; infinity when the ray stays inside. */
static slip_real ipm_to_cone(slip_real z0, const slip_real z1[2], slip_real d0, const slip_real d1[2])
{
    const slip_real c = z0*z0 - z1[0]*z1[0] - z1[1]*z1[1];
    const slip_real b = z0*d0 - z1[0]*d1[0] - z1[1]*d1[1];
    const slip_real a = d0*d0 - d1[0]*d1[0] - d1[1]*d1[1];
    const slip_real disc = b*b - a*c;
    slip_real step = d0 < 0 ? -z0/d0 : (slip_real)INFINITY, root;

    if (disc <= 0) return step;
    root = b < 0 ? c/(slip_sqrt(disc) - b) : a < 0 ? (b + slip_sqrt(disc))/-a : (slip_real)INFINITY;
    return root > 0 ? slip_min(step, root) : step;
}

static slip_real ipm_to_zero(slip_real z, slip_real d) { return d < 0 ? -z/d : (slip_real)INFINITY; }

static slip_real ipm_length(const slip_ipm *w)
{
    const slip_problem *p = w->p;
    slip_real a = (slip_real)INFINITY;
    int i;

    for (i = 0; i < p->nc; ++i) {
        const slip_real *x = w->x + 3*i, *y = w->y + 3*i, *u = w->dx + 3*i, *v = w->dy + 3*i, mu = p->mu[i];

        a = slip_min(a, slip_min(ipm_to_zero(x[2], u[2]), ipm_to_zero(y[2], v[2])));
        if (!ipm_has_cone(w, i)) continue;
        a = slip_min(a, ipm_to_cone(mu*x[2], x, mu*u[2], u));
        a = slip_min(a, ipm_to_cone(w->psi[i], y, w->dpsi[i], v));
    }
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i)
        a = slip_min(a, slip_min(ipm_to_zero(w->x[i], w->dx[i]), ipm_to_zero(w->y[i], w->dy[i])));
    return a;
}

/* ---- the loop ------------------------------------------------------------------------------------------------- */

static slip_real ipm_judge(slip_ipm *w)
{
    slip_residual r;
    slip_real excess;

    slip_scaling_out(w->p, &w->scale, w->x, w->lambda);
    slip_problem_sigma(w->p, w->lambda, w->sigma);
    slip_residual_at(w->p, SLIP_MODEL_NCP, 0, w->lambda, w->sigma, &r);
    slip_solver_tell(w->opt, w->told + w->iterations, &r, 0, w->iterations, "ipm");
    excess = slip_residual_excess(&r, w->opt->tol, w->opt->tol_rule);
    if (excess < w->best_excess || w->iterations == 0) {
        w->best_excess = excess;
        w->best_residual = r;
        memcpy(w->best, w->lambda, (size_t)w->p->n*sizeof(slip_real));
    }
    return excess;
}

static void ipm_advance(slip_ipm *w, slip_real a)
{
    int i;

    for (i = 0; i < w->p->n; ++i) { w->x[i] += a*w->dx[i];  w->y[i] += a*w->dy[i]; }
    for (i = 0; i < w->p->nc; ++i) w->psi[i] += a*w->dpsi[i];
}

/* A step to `centre` times the gap, or, for 0, predictor and corrector; returns the length of the step taken. */
static slip_real ipm_iterate(slip_ipm *w, slip_real centre, slip_real target)
{
    const size_t bytes = (size_t)w->p->n*sizeof(slip_real);
    const slip_real gap = ipm_gap(w, 0, w->x, w->y, w->psi);
    slip_real a, after, s;

    ipm_slack_error(w);
    if (!ipm_factor(w)) return 0;
    w->iterations++;
    if (centre > 0) {
        ipm_step(w, centre*gap, 0);
    } else {
        ipm_step(w, 0, 0);
        a = slip_min(1, ipm_length(w));
        after = slip_max(0, ipm_gap(w, a, w->dx, w->dy, w->dpsi));
        s = gap > 0 ? slip_min(1, after/gap) : 0;
        memcpy(w->ax, w->dx, bytes);
        memcpy(w->ay, w->dy, bytes);
        memcpy(w->apsi, w->dpsi, (size_t)w->p->nc*sizeof(slip_real));
        ipm_step(w, slip_max(target, s*s*s*gap), a > SLIP_R(0.1));
    }
    a = slip_min(1, SLIP_R(0.99)*ipm_length(w));
    if (!slip_all_finite(w->dx, w->p->n) || !(a > 0)) return 0;
    ipm_advance(w, a);
    return a;
}

int slip_ipm_open(slip_ipm *w, const slip_real *lambda)
{
    const slip_problem *p = w->p;
    int i;

    w->told = w->iterations = 0;
    w->best_excess = (slip_real)INFINITY;
    slip_scaling_make(p, &w->scale);
    slip_scaling_vector(p, &w->scale, p->g, w->b);
    if (w->route == SLIP_IPM_DENSE) {
        slip_scaling_matrix(p, &w->scale, 0, w->A);
        if (p->R)
            for (i = 0; i < p->n; ++i) w->A[(size_t)i*(size_t)p->n + (size_t)i] += w->scale.D[i]*w->scale.D[i]*p->R[i];
    }
    memset(w->x, 0, (size_t)p->n*sizeof(slip_real));
    if (lambda) slip_scaling_in(p, &w->scale, lambda, w->x);
    return ipm_judge(w) <= 1;
}

/* Starting points: distance from the cones' surfaces; careful: without the predictor, the gap shrinks step by step. */
slip_status slip_ipm_run(slip_ipm *w, const slip_real *from, int attempt, int steps)
{
    static const struct { float inside; int careful; } tries[SLIP_IPM_TRIES] =
        { { 1, 0 }, { 1, 1 }, { 10, 1 }, { 0.125f, 0 }, { 100, 1 }, { 0.125f, 1 }, { 0.015625f, 1 }, { 1000, 1 } };
    const slip_real target = w->opt->barrier_final/(w->scale.unit*w->scale.unit);
    const int careful = !from && tries[attempt].careful;
    int k, centre = 0, shorts = 0;

    ipm_start(w, from, from ? SLIP_R(1e-2) : (slip_real)tries[attempt].inside);
    for (k = 0; k < steps; ++k) {
        const slip_real a = ipm_iterate(w, centre ? 1 : careful ? SLIP_R(0.4) : 0, target);

        if (a == 0) return SLIP_STALLED;
        if (ipm_judge(w) <= 1) return SLIP_OK;
        centre = !centre && a < SLIP_R(0.1);
        shorts = a < SLIP_R(1e-3) ? shorts + 1 : 0;
        if (shorts > 10) return SLIP_STALLED;
    }
    return SLIP_MAX_ITERS;
}
