/* Newton's linear system on the active set: classification of the blocks, assembly, factorisation. See newton.h. */
#include "solvers/newton.h"

#include <string.h>
#include "contact/lu.h"
#include "contact/quad.h"

/* A slip direction whose curvature is below this is dropped: the projection does not move across. */
#define NEWTON_FLAT SLIP_TOL(1e-12, 1e-6)

/* ---- classification ------------------------------------------------------------------------------ */

/* A contact that sticks: all three directions, which need no basis. */
static void newton_stick(slip_newton *w, int i)
{
    w->rank[i] = 3;
    slip_zero3(w->direction + 3*i);
}

/* On the surface: the generator q1 = h (mu t, 1), h = 1/sqrt(1 + mu^2), and, where it curves, q2 = t turned by a
 * quarter. */
static void newton_slip(slip_newton *w, int i, slip_real mu, const slip_real x[3], slip_real xt)
{
    const slip_real *s = w->used_sigma + 3*i, *F = w->F + 3*i, st = slip_norm2(s), inv_1mu2 = w->inv_1mu2[i];
    const slip_real h = slip_sqrt(inv_1mu2);
    const slip_real ox = 1/xt, os = st > 0 ? 1/st : 0, t1 = ox*x[0], t2 = ox*x[1], mu_h = mu*h;
    slip_real *q = w->basis + 9*i, *v = w->test + 9*i, along, across;

    w->curve[i] = mu*(x[2] + mu*xt)*inv_1mu2*ox;
    w->rank[i] = w->curve[i] > NEWTON_FLAT ? 2 : 1;
    ++w->slips;
    slip_set3(mu_h*t1, mu_h*t2, h, q);
    slip_set3(-t2, t1, 0, q + 3);
    /* q1' (I + dGamma), dGamma = e_n mu sigma_T'/|sigma_T| */
    slip_set3(mu_h*(t1 + os*s[0]), mu_h*(t2 + os*s[1]), h, v);
    slip_copy3(q + 3, v + 3);
    along = slip_dot3(q, F);
    across = w->rank[i] == 2 ? slip_dot3(q + 3, F) : 0;
    slip_set3(along*q[0] + across*q[3] - F[0], along*q[1] + across*q[4] - F[1], along*q[2] - F[2], w->direction + 3*i);
    w->crossing = 1;
}

/* mu infinite and x_n <= 0: the tangent still sticks. */
static void newton_tangent(slip_newton *w, int i)
{
    w->rank[i] = 2;
    w->curve[i] = 1;
    slip_mat3_identity(w->basis + 9*i);
    slip_mat3_identity(w->test + 9*i);
    slip_set3(0, 0, -w->F[3*i + 2], w->direction + 3*i);
    w->crossing = 1;
}

/* Stick, open or slip by the position of x: inside K, in the polar cone, else. See newton.h. */
static void newton_classify_contact(slip_newton *w, int i)
{
    const slip_real *x = w->x + 3*i, mu = w->p->mu[i], xt = slip_norm2(x);

    if (mu >= SLIP_MU_INFINITE) {
        if (x[2] > 0) newton_stick(w, i); else newton_tangent(w, i);
    } else if (xt <= mu*x[2] && x[2] >= 0) {
        newton_stick(w, i);
    } else if (mu*xt <= -x[2]) {
        w->rank[i] = 0;
        slip_neg3(w->F + 3*i, w->direction + 3*i);
        if (w->F[3*i] != 0 || w->F[3*i + 1] != 0 || w->F[3*i + 2] != 0) w->crossing = 1;
    } else {
        newton_slip(w, i, mu, x, xt);
    }
}

/* Blocks with unknowns: those that are eliminated first; of the others contacts that stick, contacts that slip in two
 * directions, the rest; and blocks without unknowns. */
enum { NEWTON_ELIMINATED, NEWTON_STICK, NEWTON_SLIP, NEWTON_REST, NEWTON_OPEN };

static int newton_group(const slip_newton *w, int i)
{
    if (w->rank[i] == 0) return NEWTON_OPEN;
    if (i < w->p->nc && w->rank[i] < 3) return w->rank[i] == 2 ? NEWTON_SLIP : NEWTON_REST;
    return w->p->G.symmetric ? NEWTON_ELIMINATED : i < w->p->nc ? NEWTON_STICK : NEWTON_REST;
}

/* w->listed: blocks with unknowns, group after group; their unknowns stand in the same order. */
static void newton_list(slip_newton *w)
{
    int place[NEWTON_OPEN + 1] = { 0 }, i, k, at = 0;

    for (i = 0; i < w->m; ++i) ++place[newton_group(w, i)];
    for (k = NEWTON_ELIMINATED; k < NEWTON_OPEN; ++k) w->listed_end[k] = place[k] += k > 0 ? place[k - 1] : 0;
    for (i = w->m - 1; i >= 0; --i) {
        const int group = newton_group(w, i);

        if (group != NEWTON_OPEN) w->listed[--place[group]] = i;
    }
    for (i = 0; i < w->listed_end[NEWTON_REST]; ++i) {
        w->at[w->listed[i]] = at;
        at += w->rank[w->listed[i]];
        if (i < w->listed_end[NEWTON_ELIMINATED]) w->eliminated = at;
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
            w->direction[row] = w->rank[i] ? 0 : -w->F[row];
            if (w->direction[row] != 0) w->crossing = 1;
        }
        w->at[i] = 3*i;
        w->unknowns += w->rank[i];
    }
    w->eliminated = 0;
    if (w->op->route == SLIP_OPERATOR_DENSE) newton_list(w);
}

/* ---- right-hand side ------------------------------------------------------------------------------ */

/* R_k + eps/r_i, the addition to the diagonal of G. */
static slip_real newton_extra(const slip_newton *w, int row)
{
    return w->eps*w->weight[row] + (w->p->R ? w->p->R[row] : 0);
}

/* b of a slipping contact, with s = image + extra direction:  b1 = -q1'F/r - v1's,  b2 = -q2'F/(r c) - v2's. */
static void newton_slip_side(const slip_newton *w, int i, slip_real *b)
{
    const slip_real *F = w->F + 3*i, *d = w->direction + 3*i, *q = w->basis + 9*i, *v = w->test + 9*i;
    const slip_real inv_r = w->inv_r[i];
    slip_real s[3];
    int k;

    for (k = 0; k < 3; ++k) s[k] = w->image[3*i + k] + newton_extra(w, 3*i + k)*d[k];
    b[0] = -slip_dot3(q, F)*inv_r - slip_dot3(v, s);
    if (w->rank[i] == 2) b[1] = -(q[3]*F[0] + q[4]*F[1])*inv_r/w->curve[i] - (v[3]*s[0] + v[4]*s[1]);
}

/* Right-hand side of Newton's equation: the plain -sigma of stick rows, newton_slip_side() of slip rows. */
static void newton_right_side(slip_newton *w)
{
    const slip_problem *p = w->p;
    int i, k;

    if (w->crossing) slip_operator_apply(w->op, w->direction, w->image);
    else for (i = 0; i < w->n; ++i) w->image[i] = 0;
    for (i = 0; i < w->m; ++i) {
        const int row = slip_block_row(p, i);
        slip_real *b = w->u + w->at[i];

        if (w->op->route == SLIP_OPERATOR_SPARSE) slip_zero3(b);
        if (i >= p->nc || w->rank[i] == 3)                 /* stick, active limit, bilateral */
            for (k = 0; k < w->rank[i]; ++k) b[k] = -w->used_sigma[row + k] - w->image[row + k];
        else if (w->rank[i] > 0)
            newton_slip_side(w, i, b);
    }
}

/* ---- matrix -------------------------------------------------------------------------------------- */

/* B (rank_i x rank_j, leading dimension ld) = test_i G_ij basis_j', G_ij with dim_j columns. Second directions have no
 * normal part. */
static void newton_reduce(const slip_newton *w, int i, int j, const slip_real *G, slip_real *SLIP_RESTRICT B, int ld)
{
    const int rows = w->rank[i], dj = slip_block_dim(w->p, j);
    const slip_real *v = w->test + 9*i, *q = w->basis + 9*j;
    slip_real t[6];
    int a, k;

    if (i < w->p->nc && rows < 3) {
        for (k = 0; k < dj; ++k) {
            t[k] = v[0]*G[k] + v[1]*G[dj + k] + v[2]*G[2*dj + k];
            if (rows == 2) t[dj + k] = v[3]*G[k] + v[4]*G[dj + k];
        }
        G = t;
    }
    for (a = 0; a < rows; ++a, G += dj, B += ld) {
        if (j >= w->p->nc) { if (w->rank[j]) B[0] = G[0];  continue; }
        switch (w->rank[j]) {
        case 3:  slip_copy3(G, B);  break;
        case 2:  B[1] = q[3]*G[0] + q[4]*G[1];  /* fall through */
        case 1:  B[0] = q[0]*G[0] + q[1]*G[1] + q[2]*G[2];  break;
        default: break;
        }
    }
}

/* The diagonal block's share of R, eps and the curvature. */
static void newton_add_diagonal(const slip_newton *w, int i, slip_real *SLIP_RESTRICT B, int ld)
{
    const slip_real *v = w->test + 9*i, *q = w->basis + 9*i;
    slip_real e[3], t[3];
    int k;

    if (i >= w->p->nc) { B[0] += newton_extra(w, slip_block_row(w->p, i));  return; }
    for (k = 0; k < 3; ++k) e[k] = newton_extra(w, 3*i + k);
    if (w->rank[i] == 3) {
        for (k = 0; k < 3; ++k) B[k*ld + k] += e[k];
        return;
    }
    for (k = 0; k < 3; ++k) t[k] = v[k]*e[k];
    B[0] += slip_dot3(t, q);
    if (w->rank[i] == 1) return;
    B[1] += t[0]*q[3] + t[1]*q[4];
    B[ld] += v[3]*e[0]*q[0] + v[4]*e[1]*q[1];
    B[ld + 1] += v[3]*e[0]*q[3] + v[4]*e[1]*q[4] + (1/w->curve[i] - 1)*w->inv_r[i];
}

/* `mix` (2 rows, n apart) = T x, x three rows of n columns, ld apart. The second test has no normal part. */
static void newton_mix_rows(const slip_real T[6], int n, const slip_real *x, size_t ld, slip_real *SLIP_RESTRICT mix)
{
    const slip_real v0 = T[0], v1 = T[1], v2 = T[2], v3 = T[3], v4 = T[4], *y = x + ld, *z = y + ld;
    int k, e;

    for (k = 0; k + 4 <= n; k += 4)
        for (e = 0; e < SLIP_QUAD_PARTS; ++e) {
            const slip_lanes a = slip_quad_load(x + k, e), b = slip_quad_load(y + k, e);

            slip_quad_store(mix + k, e, v0*a + v1*b + v2*slip_quad_load(z + k, e));
            slip_quad_store(mix + n + k, e, v3*a + v4*b);
        }
    for (; k < n; ++k) {
        mix[k] = v0*x[k] + v1*y[k] + v2*z[k];
        mix[n + k] = v3*x[k] + v4*y[k];
    }
}

/* out (rows ld apart) = t B', t (rows lt apart) of n columns: contacts that stick, that slip, the rest. */
static void newton_mix_columns(const slip_newton *w, int rows, const slip_real *SLIP_RESTRICT t, int lt,
                               slip_real *SLIP_RESTRICT out, int ld)
{
    const int *j = w->listed + w->listed_end[NEWTON_ELIMINATED], *sticking = w->listed + w->listed_end[NEWTON_STICK];
    const int *slipping = w->listed + w->listed_end[NEWTON_SLIP], *all = w->listed + w->listed_end[NEWTON_REST];
    int r;

    out -= w->eliminated;
    for (; j < sticking; ++j) {
        const slip_real *x = t + 3**j;
        slip_real *o = out + w->at[*j];

        for (r = 0; r < rows; ++r, x += lt, o += ld) slip_copy3(x, o);
    }
    for (; j < slipping; ++j) {
        const slip_real *q = w->basis + 9**j, q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3], q4 = q[4], *x = t + 3**j;
        slip_real *o = out + w->at[*j];

        for (r = 0; r < rows; ++r, x += lt, o += ld) {
            o[0] = q0*x[0] + q1*x[1] + q2*x[2];
            o[1] = q3*x[0] + q4*x[1];
        }
    }
    for (; j < all; ++j) {
        const slip_real *q = w->basis + 9**j, *x = t + slip_block_row(w->p, *j);

        for (r = 0; r < rows; ++r, x += lt)
            out[r*ld + w->at[*j]] = *j < w->p->nc ? q[0]*x[0] + q[1]*x[1] + q[2]*x[2] : x[0];
    }
}

/* ---- a full matrix --------------------------------------------------------------------------------- */

/* op->F holds L and C, w->eliminated columns, then the matrix that is left and its right-hand side. Without eliminated
 * rows there is no C. With h of them and t slipping contacts, h + 3 t <= n, C takes 3 t rows and the matrix 2 t of at
 * most 2 t + 4 numbers: less than the 3 t + 1 columns of n rows that L does not take. */
static slip_real *newton_C(const slip_newton *w) { return w->op->F + (size_t)w->eliminated*(size_t)w->eliminated; }

static slip_real *newton_left(const slip_newton *w)
{
    const int t = w->listed_end[NEWTON_REST] - w->listed_end[NEWTON_ELIMINATED];

    return w->eliminated > 0 ? newton_C(w) + 3*(size_t)t*(size_t)w->eliminated : w->op->F;
}

/* out = columns of a row of G: of the listed blocks up to `end`. */
static void newton_eliminated_columns(const slip_newton *w, const slip_real *row, const int *end, slip_real *out)
{
    const int *j = w->listed, nc = w->p->nc;

    for (; j < end && *j < nc; ++j, out += 3) slip_copy3(row + 3**j, out);
    for (; j < end; ++j) *out++ = row[slip_block_row(w->p, *j)];
}

/* L and C. */
static slip_status newton_eliminate(slip_newton *w)
{
    const int *j = w->listed, *eliminated = j + w->listed_end[NEWTON_ELIMINATED], *end = j + w->listed_end[NEWTON_REST];
    const size_t h = (size_t)w->eliminated;
    slip_real *out = w->op->F;
    int r, rows = 0;

    for (; j < end; ++j) {
        const int row = slip_block_row(w->p, *j), dim = slip_block_dim(w->p, *j);

        for (r = 0; r < dim; ++r, ++rows, out += h) {
            newton_eliminated_columns(w, w->p->G.dense + (size_t)(row + r)*(size_t)w->p->G.ld,
                                      j < eliminated ? j + 1 : eliminated, out);
            if (j < eliminated) out[rows] += newton_extra(w, row + r);
        }
    }
    return slip_chol_factor_tall(w->eliminated, rows, w->op->F, w->eliminated, NULL);
}

/* t (two rows, n apart) = T_i (G_ij - C_i C_j') of all contacts j that slip; b -= T_i C_i y. Takes 2 n of w->work. */
static void newton_schur_rows(const slip_newton *w, int i, const slip_real *Ci, slip_real *t, slip_real *b)
{
    const int h = w->eliminated, n = w->n, *j = w->listed + w->listed_end[NEWTON_ELIMINATED];
    const int *end = w->listed + w->listed_end[NEWTON_REST];
    const slip_real *v = w->test + 9*i, *C = newton_C(w);
    slip_real *P = w->work + 2*n;
    int k;

    newton_mix_rows(v, h, Ci, (size_t)h, P);
    for (k = 0; k < w->rank[i]; ++k) b[k] -= slip_row_dot(h, P + k*h, w->u);
    for (; j < end; ++j, C += 3*h) {
        const slip_real *g = w->p->G.dense + 3*(size_t)i*(size_t)w->p->G.ld + 3**j;
        slip_real c[6] = { 0 };

        slip_rows_dot3(h, C, h, P, c);
        slip_rows_dot3(h, C, h, P + h, c + 3);
        newton_mix_rows(v, 3, g, (size_t)w->p->G.ld, P + 2*h);
        slip_sub3(P + 2*h, c, t + 3**j);
        slip_sub3(P + 2*h + 3, c + 3, t + n + 3**j);
    }
}

/* Row block i of the matrix that is left: the test rows are combined first, over whole rows, then the columns are. */
static void newton_assemble_dense_row(const slip_newton *w, int i, const slip_real *Ci, slip_real *out, int ld)
{
    const slip_delassus *G = &w->p->G;
    const int mixed = i < w->p->nc && w->rank[i] < 3;
    const slip_real *rows = G->dense + (size_t)slip_block_row(w->p, i)*(size_t)G->ld;

    if (w->eliminated > 0) newton_schur_rows(w, i, Ci, w->work, w->u + w->at[i]);
    else if (mixed) newton_mix_rows(w->test + 9*i, w->n, rows, (size_t)G->ld, w->work);
    newton_mix_columns(w, w->rank[i], mixed ? w->work : rows, mixed ? w->n : G->ld, out, ld);
    newton_add_diagonal(w, i, out + w->at[i] - w->eliminated, ld);
}

/* LU of what is left. The right-hand side stands behind the matrix: LU's row operations are its forward
 * substitution. */
static slip_status newton_factor_left(slip_newton *w)
{
    const int size = w->unknowns - w->eliminated, ld = SLIP_OPERATOR_WIDTH(size);
    const slip_real *C = newton_C(w);
    slip_real *F = newton_left(w), *b = w->u + w->eliminated;
    slip_status status;
    int i, k;

    for (i = 1; i <= size; ++i)                          /* clears the end of each row: right-hand side and padding */
        memset(F + (size_t)i*(size_t)ld - SLIP_LANES, 0, SLIP_LANES*sizeof(slip_real));
    for (k = w->listed_end[NEWTON_ELIMINATED]; k < w->listed_end[NEWTON_REST]; ++k, C += 3*(size_t)w->eliminated) {
        i = w->listed[k];
        newton_assemble_dense_row(w, i, C, F + (size_t)(w->at[i] - w->eliminated)*(size_t)ld, ld);
    }
    for (i = 0; i < size; ++i) F[(size_t)i*(size_t)ld + (size_t)size] = b[i];
    status = slip_lu_factor_wide(size, ld, F, ld, w->op->pivot);
    for (i = 0; i < size; ++i) b[i] = F[(size_t)i*(size_t)ld + (size_t)size];
    return status;
}

/* step -= C' B u of the contacts that slip. */
static void newton_subtract_slips(slip_newton *w)
{
    const int h = w->eliminated, *j = w->listed + w->listed_end[NEWTON_ELIMINATED];
    const int *end = w->listed + w->listed_end[NEWTON_REST];
    const slip_real *C = newton_C(w);
    int k;

    for (; j < end; ++j) {
        const slip_real *q = w->basis + 9**j, *u = w->u + w->at[*j], second = w->rank[*j] == 2 ? u[1] : 0;

        for (k = 0; k < 3; ++k, C += h) slip_subtract_row(h, q[k]*u[0] + q[3 + k]*second, C, w->u);
    }
}

/* w->u <- the unknowns; fresh: with a new matrix. */
static slip_status newton_solve_dense(slip_newton *w, int fresh)
{
    const int h = w->eliminated, size = w->unknowns - h, ld = SLIP_OPERATOR_WIDTH(size);
    slip_real *b = w->u + h;
    slip_status status = SLIP_OK;

    if (h > 0 && fresh) status = newton_eliminate(w);
    if (status < 0) return status;
    if (h > 0) slip_chol_lower(h, w->op->F, h, w->u);
    if (size > 0 && (fresh || h > 0)) {
        status = newton_factor_left(w);
        if (status < 0) return status;
        slip_lu_solve_upper(size, newton_left(w), ld, w->op->pivot, b);
    } else if (size > 0) {
        slip_lu_solve(size, newton_left(w), ld, w->op->pivot, b);
    }
    if (h == 0) return status;
    newton_subtract_slips(w);
    slip_chol_upper(h, w->op->F, h, w->u);
    return status;
}

/* Block (i, j) padded to 3x3 by the identity where there is no unknown. */
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
    if (w->rank[i]) newton_add_diagonal(w, i, B, 3);
    for (k = w->rank[i]; k < 3; ++k) B[4*k] = 1;
}

/* ---- in the joints' space ------------------------------------------------------------------------- */

/* A slipping contact: E^-1, 2x2, and H = B E^-1 T. 0 when E is singular. */
static int newton_joint_slip(slip_newton *w, int i, slip_real *inverse, slip_real *H)
{
    const slip_real *v = w->test + 9*i, *q = w->basis + 9*i;
    slip_real E[4] = { 0, 0, 0, 1 }, inv_det, s[6];
    int r, c;

    newton_add_diagonal(w, i, E, 2);
    if (w->rank[i] == 2) E[3] -= 1;
    inv_det = 1/(E[0]*E[3] - E[1]*E[2]);
    if (!slip_is_finite(inv_det)) return 0;
    inverse[0] = inv_det*E[3];
    inverse[1] = -inv_det*E[1];
    inverse[2] = -inv_det*E[2];
    inverse[3] = w->rank[i] == 2 ? inv_det*E[0] : 0;
    if (!slip_all_finite(inverse, 4)) return 0;
    for (c = 0; c < 3; ++c) {                              /* E^-1 T */
        const slip_real second = w->rank[i] == 2 ? v[3 + c] : 0;

        s[c] = inverse[0]*v[c] + inverse[1]*second;
        s[3 + c] = inverse[2]*v[c] + inverse[3]*second;
    }
    for (r = 0; r < 3; ++r) for (c = 0; c < 3; ++c) H[3*r + c] = q[r]*s[c] + q[3 + r]*s[3 + c];
    return 1;
}

/* E^-1 of block i into w->inverse, 2x2 or a diagonal, and H = B E^-1 T into the joint's, 3x3 (1x1 for a single row). */
static int newton_joint_block(slip_newton *w, int i)
{
    slip_real *inverse = w->inverse + 4*i, *H = w->op->joint.H + 9*i;
    const int row = slip_block_row(w->p, i);
    int k;

    if (i >= w->p->nc) {
        H[0] = inverse[0] = w->rank[i] ? 1/newton_extra(w, row) : 0;
        return slip_is_finite(H[0]);
    }
    if (w->rank[i] == 1 || w->rank[i] == 2) return newton_joint_slip(w, i, inverse, H);
    for (k = 0; k < 9; ++k) H[k] = 0;
    for (k = 0; k < w->rank[i]; ++k) H[4*k] = inverse[k] = 1/newton_extra(w, row + k);
    return slip_all_finite(H, 9);
}

static slip_status newton_factor_joint(slip_newton *w)
{
    int i;

    for (i = 0; i < w->m; ++i) if (!newton_joint_block(w, i)) return SLIP_ERR_NOT_SPD;
    return slip_joint_space_factor(&w->op->joint) ? SLIP_OK : SLIP_ERR_NOT_SPD;
}

/* out (n) = B E^-1 of the right-hand side in w->u: the solution of each block alone. */
static void newton_joint_alone(const slip_newton *w, slip_real *out)
{
    const slip_problem *p = w->p;
    int i, k;

    for (i = 0; i < p->nc; ++i) {
        const slip_real *inverse = w->inverse + 4*i, *b = w->u + w->at[i], *q = w->basis + 9*i;
        slip_real *o = out + 3*i;

        if (w->rank[i] == 3) {
            for (k = 0; k < 3; ++k) o[k] = inverse[k]*b[k];
        } else if (w->rank[i] == 0) {
            slip_zero3(o);
        } else {
            const slip_real second = w->rank[i] == 2 ? b[1] : 0;
            const slip_real u0 = inverse[0]*b[0] + inverse[1]*second, u1 = inverse[2]*b[0] + inverse[3]*second;

            for (k = 0; k < 3; ++k) o[k] = q[k]*u0 + q[3 + k]*u1;
        }
    }
    for (; i < w->m; ++i) out[slip_block_row(p, i)] = w->rank[i] ? w->inverse[4*i]*w->u[w->at[i]] : 0;
}

/* direction += B u = a - H Y t,  a = B E^-1 b,  K t = Y' a. The image is free: it has served the right-hand side. */
static void newton_solve_joint(slip_newton *w)
{
    const slip_problem *p = w->p;
    slip_joint_space *j = &w->op->joint;
    int i, k;

    newton_joint_alone(w, w->work);
    slip_joint_space_gather(j, w->work, j->v);
    slip_joint_space_solve(j, j->v);
    slip_joint_space_spread(j, j->v, w->image);
    for (i = 0; i < p->nc; ++i) {
        const slip_real *H = j->H + 9*i, *y = w->image + 3*i;

        if (w->rank[i]) for (k = 0; k < 3; ++k) w->direction[3*i + k] += w->work[3*i + k] - slip_dot3(H + 3*k, y);
    }
    for (; i < w->m; ++i) {
        const int row = slip_block_row(p, i);

        w->direction[row] += w->work[row] - j->H[9*i]*w->image[row];
    }
}

/* ---- all of it ------------------------------------------------------------------------------------ */

/* direction += B u */
static void newton_add_unknowns(slip_newton *w)
{
    const slip_problem *p = w->p;
    int i;

    for (i = 0; i < p->nc; ++i) {
        const slip_real *q = w->basis + 9*i, *u = w->u + w->at[i];
        slip_real *d = w->direction + 3*i;

        switch (w->rank[i]) {
        case 3:  slip_add3(u, d, d);  break;
        case 2:  slip_axpy3(u[1], q + 3, d, d);  /* fall through */
        case 1:  slip_axpy3(u[0], q, d, d);  break;
        default: break;
        }
    }
    for (; i < w->m; ++i) if (w->rank[i]) w->direction[slip_block_row(p, i)] += w->u[w->at[i]];
}

/* Whether the factors are a matrix of blocks that stick alone: L and C, or all of it where nothing slips. */
static int newton_is_constant(const slip_newton *w)
{
    return w->slips == 0 || (w->op->route == SLIP_OPERATOR_DENSE && w->eliminated > 0);
}

/* Factors the matrix by blocks or in the joints' space. */
static slip_status newton_factor(slip_newton *w)
{
    if (w->op->route == SLIP_OPERATOR_JOINT) return newton_factor_joint(w);
    return slip_sparse_factor(&w->op->sparse, w->p->G.start, w->p->G.col, newton_sparse_block, w);
}

slip_status slip_newton_solve_system(slip_newton *w)
{
    const slip_operator_route route = w->op->route;
    const int dense = route == SLIP_OPERATOR_DENSE;
    slip_status status = SLIP_OK;
    int fresh;

    newton_right_side(w);
    if (w->unknowns == 0) return SLIP_OK;
    fresh = !(w->factored && newton_is_constant(w) && memcmp(w->rank, w->was, (size_t)w->m*sizeof(int)) == 0);
    w->factorizations += fresh;
    if (dense) status = newton_solve_dense(w, fresh);
    else if (fresh) status = newton_factor(w);
    w->factored = status >= 0 && newton_is_constant(w);
    if (status < 0) return status;
    if (fresh) memcpy(w->was, w->rank, (size_t)w->m*sizeof(int));
    if (route == SLIP_OPERATOR_JOINT) { newton_solve_joint(w);  return SLIP_OK; }
    if (route == SLIP_OPERATOR_SPARSE) slip_sparse_solve(&w->op->sparse, w->u);
    newton_add_unknowns(w);
    return SLIP_OK;
}
