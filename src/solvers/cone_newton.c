/* ccp-newton's engine; see cone_newton.h.
 *
 * In the primal, as MuJoCo and Drake do it, the problem is unconstrained, convex and once differentiable. With
 * v = v_free + M^-1 J'x and c = J v = A x + g:
 *
 *     phi(x) = 1/2 x'A x + ell(A x + g),   ell(c) = 1/2 lambda(c)'W lambda(c),   lambda(c) = P_K,W(-W^-1 c)
 *     grad   = A (x - lambda(c)),          Hess = A + A H A,                     H = -d lambda/d c, block-diagonal
 *
 * A cancels from Newton's equation: (I + H A) d = -(x - lambda), a system for operator.h; its eigenvalues are those of
 * I + H^1/2 A H^1/2, at least 1. phi is convex along d, hence the exact line search: the root of the increasing
 * d'A (x + a d - lambda(c + a A d)). */
#include "solvers/cone_newton.h"

#include <string.h>

int slip_cone_newton_carve(slip_cone_newton *q, const slip_problem *p, slip_arena *a)
{
    const size_t n = (size_t)p->n, m = (size_t)slip_block_count(p);
    slip_real **const arrays[] = { &q->D, &q->W, &q->g, &q->x, &q->c, &q->lambda, &q->r, &q->t, &q->d, &q->Ad, &q->u };
    size_t k;
    int ok = 1;

    memset(q, 0, sizeof *q);
    q->p = p;
    q->n = p->n;
    q->m = slip_block_count(p);
    for (k = 0; k < sizeof arrays/sizeof *arrays; ++k) ok = (*arrays[k] = slip_arena_reals(a, n)) != NULL && ok;
    q->H = slip_arena_reals(a, 9*m);
    q->I = slip_arena_reals(a, 9*m);
    q->even = *p;
    q->A = NULL;
    if (p->G.form == SLIP_G_DENSE && !p->G.symmetric) {
        q->even.G.dense = q->A = slip_arena_reals(a, n*n);
        q->even.G.ld = p->n;
        q->even.G.symmetric = 1;
        ok = ok && q->A;
    }
    return ok && q->H && q->I && slip_operator_carve(&q->op, &q->even, a) >= 0;
}

void slip_cone_newton_setup(slip_cone_newton *q)
{
    const slip_problem *p = q->p;
    slip_real most = 0;
    int i, k;

    if (q->A) {
        const size_t n = (size_t)q->n, ld = (size_t)p->G.ld;
        size_t r, s;

        for (r = 0; r < n; ++r)
            for (s = 0; s < n; ++s) q->A[r*n + s] = (p->G.dense[r*ld + s] + p->G.dense[s*ld + r])/2;
    }
    q->op.symmetrise = 1;
    slip_operator_open(&q->op, NULL);
    for (i = 0; i < q->m; ++i) slip_mat3_identity(q->I + 9*i);
    slip_problem_diagonal(p, q->D);
    if (p->R) for (i = 0; i < q->n; ++i) q->D[i] += p->R[i];
    for (i = 0; i < q->n; ++i) most = slip_max(most, q->D[i]);
    for (i = 0; i < q->m; ++i) {
        const int row = slip_block_row(p, i), dim = slip_block_dim(p, i);
        slip_real mean = 0;

        for (k = row; k < row + dim; ++k) mean += q->D[k]/(slip_real)dim;
        if (!(mean > SLIP_TOL(1e-14, 1e-6)*most)) mean = most > 0 ? most : 1;
        for (k = row; k < row + dim; ++k) q->D[k] = 1/slip_sqrt(mean);
    }
}

void slip_cone_newton_product(slip_cone_newton *q, const slip_real *x, slip_real *y)
{
    slip_operator_apply(&q->op, x, y);
}

/* ---- lambda(c) and its derivative ------------------------------------------------------------------------- */

/* l = lambda(c) of all blocks: P_K,W(-W^-1 c), max(0, -c/W) of limits, -c/W of bilateral rows. */
static void cone_lambdas(const slip_cone_newton *q, const slip_real *c, slip_real *l)
{
    const slip_problem *p = q->p;
    int i;

    for (i = 0; i < q->m; ++i) {
        const int row = slip_block_row(p, i);
        const slip_real *w = q->W + row;
        slip_real y[3];

        if (slip_block_is_contact(p, i)) {
            slip_set3(-c[row]/w[0], -c[row + 1]/w[1], -c[row + 2]/w[2], y);
            slip_cone_project_metric(p->mu[i], w, y, l + row);
        } else {
            l[row] = slip_block_is_limit(p, i) ? slip_max(0, -c[row]/w[0]) : -c[row]/w[0];
        }
    }
}

/* On the surface lambda moves along the generator e1 = (mu u, 1) and around it along e2 = (-u2, u1, 0), where the
 * Lagrangian curves by nu/|lambda_T|: H = E (E'W E + nu/|lambda_T| e2 e2')^-1 E'. */
static void cone_slope_surface(slip_real mu, const slip_real *w, const slip_real *c, const slip_real *l, slip_real H[9])
{
    const slip_real lt = slip_norm2(l), u0 = l[0]/lt, u1 = l[1]/lt;
    const slip_real nu = slip_max(0, -(u0*(w[0]*l[0] + c[0]) + u1*(w[1]*l[1] + c[1])));
    const slip_real e1[3] = { mu*u0, mu*u1, 1 }, e2[3] = { -u1, u0, 0 };
    const slip_real b11 = w[0]*e1[0]*e1[0] + w[1]*e1[1]*e1[1] + w[2], b12 = w[0]*e1[0]*e2[0] + w[1]*e1[1]*e2[1];
    const slip_real b22 = w[0]*e2[0]*e2[0] + w[1]*e2[1]*e2[1] + nu/lt, inv = 1/(b11*b22 - b12*b12);
    int r, s;

    for (r = 0; r < 3; ++r) for (s = 0; s < 3; ++s)
        H[3*r + s] = inv*(b22*e1[r]*e1[s] - b12*(e1[r]*e2[s] + e2[r]*e1[s]) + b11*e2[r]*e2[s]);
}

/* H = -d lambda/d c of one contact: W^-1 inside the cone, zero in the polar cone, else that of the surface. */
static void cone_slope(slip_real mu, const slip_real *w, const slip_real *c, const slip_real *l, slip_real H[9])
{
    const slip_real y[3] = { -c[0]/w[0], -c[1]/w[1], -c[2]/w[2] };
    const int inside = y[2] > 0 && (mu >= SLIP_MU_INFINITE || (slip_norm2(y) <= mu*y[2] && mu > 0));

    memset(H, 0, 9*sizeof *H);
    if (inside || mu >= SLIP_MU_INFINITE) {
        H[0] = 1/w[0];
        H[4] = 1/w[1];
        H[8] = inside ? 1/w[2] : 0;
    } else if (l[2] > 0 && slip_norm2(l) > 0) {
        cone_slope_surface(mu, w, c, l, H);
    } else if (l[2] > 0) {                                                    /* mu = 0 */
        H[8] = 1/w[2];
    }
}

/* H of all blocks. */
static void cone_slopes(slip_cone_newton *q)
{
    const slip_problem *p = q->p;
    int i;

    for (i = 0; i < q->m; ++i) {
        const int row = slip_block_row(p, i);
        slip_real *H = q->H + 9*i;

        if (slip_block_is_contact(p, i)) {
            cone_slope(p->mu[i], q->W + row, q->c + row, q->lambda + row, H);
        } else {
            memset(H, 0, 9*sizeof *H);
            if (slip_block_is_bilateral(p, i) || q->c[row] < 0) H[0] = 1/q->W[row];
        }
    }
}

/* ---- Newton's direction: (I + H A) d = -r ------------------------------------------------------------------ */

int slip_cone_newton_direction(slip_cone_newton *q)
{
    int i;

    cone_slopes(q);
    q->factorizations++;
    if (!slip_operator_factor(&q->op, q->H, q->I)) return 0;
    for (i = 0; i < q->n; ++i) q->d[i] = -q->r[i];
    slip_operator_solve(&q->op, q->d);
    return slip_all_finite(q->d, q->n);
}

/* ---- line search -------------------------------------------------------------------------------------------- */

/* phi' at x + a d. */
static slip_real cone_derivative(slip_cone_newton *q, slip_real a)
{
    slip_real sum = 0;
    int i;

    for (i = 0; i < q->n; ++i) q->t[i] = q->c[i] + a*q->Ad[i];
    cone_lambdas(q, q->t, q->u);
    for (i = 0; i < q->n; ++i) sum += q->Ad[i]*(q->x[i] + a*q->d[i] - q->u[i]);
    return sum;
}

/* Returns the root of phi', to a thousandth of its value at 0: doubles the step until the sign changes, then secants
 * within the bracket, halving when a secant moves the same end twice. */
slip_real slip_cone_newton_line_search(slip_cone_newton *q)
{
    slip_real start, good, lo = 0, hi = 1, f_lo, f_hi, a = 1, f;
    int it, last = 0;

    slip_cone_newton_product(q, q->d, q->Ad);
    start = f_lo = cone_derivative(q, 0);
    good = SLIP_TOL(1e-3, 1e-2)*-start;
    if (!(start < 0)) return 1;
    for (it = 0; it < 30 && (f_hi = cone_derivative(q, hi)) < 0; ++it) {
        if (f_hi >= SLIP_R(0.1)*start) return hi;                             /* close enough: Newton's own step    */
        lo = hi;
        f_lo = f_hi;
        hi *= 2;
    }
    if (f_hi <= SLIP_R(-0.1)*start) return hi;
    for (it = 0; it < 40; ++it) {
        a = last > 1 || last < -1 ? (lo + hi)/2 : lo - f_lo*(hi - lo)/(f_hi - f_lo);
        f = cone_derivative(q, a);
        if (slip_abs(f) <= good) break;
        if (f < 0) { lo = a;  f_lo = f;  last = last < 0 ? last - 1 : -1; }
        else       { hi = a;  f_hi = f;  last = last > 0 ? last + 1 : 1; }
    }
    return a;
}

/* ---- the gradient ----------------------------------------------------------------------------------------------- */

slip_real slip_cone_newton_size(const slip_cone_newton *q, const slip_real *v)
{
    slip_real most = 0;
    int i;

    for (i = 0; i < q->n; ++i) {
        const slip_real a = slip_abs(q->D[i]*v[i]);

        if (!(a <= most)) most = a;                                           /* a NaN too */
    }
    return most;
}

/* c, lambda, r and t = A r at x; returns the size of t. */
slip_real slip_cone_newton_evaluate(slip_cone_newton *q)
{
    int i;

    slip_cone_newton_product(q, q->x, q->c);
    for (i = 0; i < q->n; ++i) q->c[i] += q->g[i];
    cone_lambdas(q, q->c, q->lambda);
    for (i = 0; i < q->n; ++i) q->r[i] = q->x[i] - q->lambda[i];
    slip_cone_newton_product(q, q->r, q->t);
    return slip_cone_newton_size(q, q->t);
}
