/* The convex engine; see prox_newton.h.
 *
 * For delta > 0 the minimum over C of 1/2 l'A l + g'l + delta/2 |l|^2 is found in the primal, as MuJoCo and Drake do,
 * where it is an unconstrained, once differentiable, convex problem. With v = v_free + M^-1 J'x and c = J v = A x + g:
 *
 *     phi(x) = 1/2 x'A x + ell(A x + g),    ell(c) = max over l in C of -(c'l + delta/2 |l|^2)
 *     grad   = A (x - lambda(c)),           lambda(c) = P_C(-c/delta)
 *     Hess   = A + A H A,                   H = -d lambda/d c, block-diagonal, semidefinite
 *
 * Newton's direction needs no inverse of A: (I + H A) d = -(x - lambda), and with H = L L'
 *
 *     d = -(x - lambda) + L (I + L'A L)^-1 L'A (x - lambda)
 *
 * whose matrix is as large as the active set. phi is convex along d, so the line search can be exact: it looks for the
 * root of the increasing function d'A (x + a d - lambda(c + a A d)). At the minimum A x = A lambda, so that lambda
 * itself satisfies the optimality conditions. Cost O(active^3) a step, plus O(n^2). */
#include "solvers/prox_newton.h"

#include <string.h>

#define PROX_FIRST  SLIP_R(1e-2)                 /* first proximal weight, against a diagonal of 1                    */

int slip_prox_newton_carve(slip_prox_newton *q, int n, int nsets, slip_arena *a)
{
    const size_t m = (size_t)n;

    q->n = n;
    q->nsets = nsets;
    q->steps = q->factorizations = 0;
    q->flops = 0;
    q->sets = (slip_set *)slip_arena_take(a, (size_t)nsets, sizeof(slip_set));
    q->A = slip_arena_reals(a, m*m);
    q->K = slip_arena_reals(a, m*m);
    q->g = slip_arena_reals(a, m);
    q->x = slip_arena_reals(a, m);
    q->c = slip_arena_reals(a, m);
    q->lambda = slip_arena_reals(a, m);
    q->L = slip_arena_reals(a, 2*m);
    q->count = slip_arena_ints(a, (size_t)nsets);
    q->r = slip_arena_reals(a, m);
    q->d = slip_arena_reals(a, m);
    q->Ad = slip_arena_reals(a, m);
    q->t = slip_arena_reals(a, m);
    q->u = slip_arena_reals(a, m);
    return q->sets && q->A && q->K && q->g && q->x && q->c && q->lambda && q->L && q->count && q->r && q->d &&
           q->Ad && q->t && q->u;
}

static int prox_dim(slip_set_kind kind)
{
    return kind == SLIP_SET_DISC || kind == SLIP_SET_BOX ? 2 : 1;
}

static void prox_product(const slip_prox_newton *q, const slip_real *x, slip_real *y)
{
    int i;

    for (i = 0; i < q->n; ++i) y[i] = slip_dot(q->n, q->A + (size_t)i*(size_t)q->n, x);
}

/* ---- lambda(c) of the sets -------------------------------------------------------------------------- */

static void prox_lambda_disc(slip_real r, slip_real w, const slip_real *c, slip_real *l)
{
    const slip_real y[2] = { -c[0]/w, -c[1]/w }, norm = slip_norm2(y);
    const slip_real s = norm > r ? r/norm : 1;

    l[0] = s*y[0];
    l[1] = s*y[1];
}

/* lambda(c) of one set. */
static void prox_lambda(const slip_set *s, slip_real w, const slip_real *c, slip_real *l)
{
    switch (s->kind) {
    case SLIP_SET_FREE: l[0] = -c[0]/w;  break;
    case SLIP_SET_PLUS: l[0] = slip_max(0, -c[0]/w);  break;
    case SLIP_SET_DISC: prox_lambda_disc(s->size, w, c, l);  break;
    case SLIP_SET_BOX:
        l[0] = slip_clamp(-c[0]/w, -s->size, s->size);
        l[1] = slip_clamp(-c[1]/w, -s->size, s->size);
        break;
    }
}

static void prox_lambdas(const slip_prox_newton *q, const slip_real *c, slip_real *l)
{
    int i;

    for (i = 0; i < q->nsets; ++i) {
        const int row = q->sets[i].row;

        prox_lambda(&q->sets[i], q->delta, c + row, l + row);
    }
}

/* ---- and their derivatives: columns of L, each prox_dim long -------------------------------------------- */

/* Coordinate `at` of `dim` is free. */
static int prox_column(int dim, int at, slip_real w, slip_real *L)
{
    int i;

    for (i = 0; i < dim; ++i) L[i] = 0;
    L[at] = 1/slip_sqrt(w);
    return 1;
}

/* The same for a disc: W^-1 inside; on the rim only the direction changes. */
static int prox_slope_disc(slip_real r, slip_real w, const slip_real *c, const slip_real *l, slip_real *L)
{
    const slip_real norm = slip_norm2(c)/w;
    slip_real s;

    if (norm <= r) return prox_column(2, 0, w, L) + prox_column(2, 1, w, L + 2);
    if (!(r > 0)) return 0;
    s = slip_sqrt(r/(norm*w))/r;              /* only the direction turns: (r/|y|) t t'/w */
    L[0] = -s*l[1];
    L[1] = s*l[0];
    return 1;
}

/* Columns of L for one set, H = L L'; returns their number. */
static int prox_slope(const slip_set *s, slip_real w, const slip_real *c, const slip_real *l, slip_real *L)
{
    int n = 0, k;

    switch (s->kind) {
    case SLIP_SET_FREE: return prox_column(1, 0, w, L);
    case SLIP_SET_PLUS: return c[0] < 0 ? prox_column(1, 0, w, L) : 0;
    case SLIP_SET_DISC: return prox_slope_disc(s->size, w, c, l, L);
    case SLIP_SET_BOX:
        for (k = 0; k < 2; ++k) if (slip_abs(c[k]) < w*s->size) n += prox_column(2, k, w, L + 2*n);
        return n;
    }
    return 0;
}

/* ---- Newton --------------------------------------------------------------------------------------------- */

/* K block (i, j) = L_i' A_ij L_j, written at (ri, rj). */
static void prox_block(const slip_prox_newton *q, int i, int j, int ri, int rj, int m)
{
    const int a = q->sets[i].row, b = q->sets[j].row, da = prox_dim(q->sets[i].kind), db = prox_dim(q->sets[j].kind);
    const slip_real *Li = q->L + 2*a, *Lj = q->L + 2*b;
    int r, s, k, l;

    for (s = 0; s < q->count[j]; ++s) {
        slip_real AL[2];

        for (k = 0; k < da; ++k) {
            const slip_real *row = q->A + (size_t)(a + k)*(size_t)q->n + b;

            for (AL[k] = 0, l = 0; l < db; ++l) AL[k] += row[l]*Lj[s*db + l];
        }
        for (r = 0; r < q->count[i]; ++r) {
            slip_real sum = 0;

            for (k = 0; k < da; ++k) sum += Li[r*da + k]*AL[k];
            q->K[(size_t)(ri + r)*(size_t)m + (size_t)(rj + s)] = sum;
        }
    }
}

/* Lower triangle of I + L'A L; returns its size. */
static int prox_matrix(slip_prox_newton *q)
{
    int i, j, ri, rj, m = 0;

    for (i = 0; i < q->nsets; ++i) {
        const int row = q->sets[i].row;

        q->count[i] = prox_slope(&q->sets[i], q->delta, q->c + row, q->lambda + row, q->L + 2*row);
        m += q->count[i];
    }
    for (i = 0, ri = 0; i < q->nsets; ri += q->count[i++])
        for (j = 0, rj = 0; j <= i; rj += q->count[j++]) prox_block(q, i, j, ri, rj, m);
    for (i = 0; i < m; ++i) q->K[(size_t)i*(size_t)m + (size_t)i] += 1;
    return m;
}

/* y (m) = L' x (n), and x = x + L y. */
static void prox_gather(const slip_prox_newton *q, const slip_real *x, slip_real *y)
{
    int i, s, k;

    for (i = 0; i < q->nsets; ++i) {
        const int row = q->sets[i].row, d = prox_dim(q->sets[i].kind);

        for (s = 0; s < q->count[i]; ++s, ++y)
            for (*y = 0, k = 0; k < d; ++k) *y += q->L[2*row + s*d + k]*x[row + k];
    }
}

static void prox_scatter(const slip_prox_newton *q, const slip_real *y, slip_real *x)
{
    int i, s, k;

    for (i = 0; i < q->nsets; ++i) {
        const int row = q->sets[i].row, d = prox_dim(q->sets[i].kind);

        for (s = 0; s < q->count[i]; ++s, ++y)
            for (k = 0; k < d; ++k) x[row + k] += q->L[2*row + s*d + k]*(*y);
    }
}

/* d = -r + L K^-1 L'A r with r = x - lambda; q->t holds A r. 0 when K cannot be factored. */
static int prox_direction(slip_prox_newton *q)
{
    const int m = prox_matrix(q);
    int i;

    for (i = 0; i < q->n; ++i) q->d[i] = -q->r[i];
    q->factorizations++;
    q->flops += 2*(slip_real)m*(slip_real)m*(slip_real)m/6 + 8*(slip_real)q->n*(slip_real)q->n;
    if (slip_chol_factor(m, q->K, m, NULL) != SLIP_OK) return 0;
    prox_gather(q, q->t, q->u);
    slip_chol_solve(m, q->K, m, q->u);
    prox_scatter(q, q->u, q->d);
    return 1;
}

/* d phi/d a at x + a d: d'A (x + a d) - (A d)'lambda(c + a A d); xd = d'A x, dd = d'A d. */
static slip_real prox_derivative(slip_prox_newton *q, slip_real a, slip_real xd, slip_real dd)
{
    int i;

    for (i = 0; i < q->n; ++i) q->t[i] = q->c[i] + a*q->Ad[i];
    prox_lambdas(q, q->t, q->u);
    return xd + a*dd - slip_dot(q->n, q->Ad, q->u);
}

/* Exact line search: the root of an increasing function, by doubling and then false position with halving. */
static slip_real prox_line_search(slip_prox_newton *q)
{
    slip_real xd, dd, f0, lo = 0, hi = 1, f_lo, f_hi, a = 1;
    int it, side = 0;

    xd = slip_dot(q->n, q->Ad, q->x);
    dd = slip_dot(q->n, q->Ad, q->d);
    f0 = f_lo = xd - slip_dot(q->n, q->Ad, q->lambda);
    if (!(f0 < 0)) return 1;
    f_hi = prox_derivative(q, 1, xd, dd);
    for (it = 0; it < 30 && f_hi < 0 && -f_hi > SLIP_R(0.1)*-f0; ++it) {
        lo = hi;  f_lo = f_hi;
        hi *= 2;
        f_hi = prox_derivative(q, hi, xd, dd);
    }
    if (slip_abs(f_hi) <= SLIP_R(0.1)*-f0) return hi;
    for (it = 0; it < 40; ++it) {
        slip_real f;

        a = (lo*f_hi - hi*f_lo)/(f_hi - f_lo);
        f = prox_derivative(q, a, xd, dd);
        if (slip_abs(f) <= SLIP_TOL(1e-3, 1e-2)*-f0) break;
        if (f < 0) { lo = a;  f_lo = f;  if (side < 0) f_hi /= 2;  side = -1; }
        else       { hi = a;  f_hi = f;  if (side > 0) f_lo /= 2;  side = 1; }
    }
    return a;
}

/* c, lambda, r and t = A r for the current x; returns the largest |t|. */
static slip_real prox_evaluate(slip_prox_newton *q)
{
    int i;

    prox_product(q, q->x, q->c);
    for (i = 0; i < q->n; ++i) q->c[i] += q->g[i];
    prox_lambdas(q, q->c, q->lambda);
    for (i = 0; i < q->n; ++i) q->r[i] = q->x[i] - q->lambda[i];
    prox_product(q, q->r, q->t);
    return slip_max_abs(q->n, q->t);
}

/* Newton's method on phi for the present delta: 1 when |A (x - lambda)| <= tol (|c| + |g|), 0 when it stalls. */
static int prox_inner(slip_prox_newton *q, slip_real tol, int most)
{
    slip_real gap, size, a, least = (slip_real)INFINITY;
    int it, i, flat = 0;

    for (it = 0; it <= most; ++it) {
        gap = prox_evaluate(q);
        size = slip_max_abs(q->n, q->c) + slip_max_abs(q->n, q->g);
        if (gap <= tol*size) return 1;
        if (it == most || !slip_budget_take(q->budget)) break;
        flat = gap < SLIP_R(0.9)*least ? 0 : flat + 1;
        least = slip_min(least, gap);
        if (flat > (gap <= SLIP_TOL(1e-10, 1e-4)*size ? 1 : 8) || !slip_is_finite(gap)) break;   /* rounding */
        q->steps++;
        if (!prox_direction(q)) break;
        prox_product(q, q->d, q->Ad);
        a = prox_line_search(q);
        for (i = 0; i < q->n; ++i) q->x[i] += a*q->d[i];
    }
    return 0;
}

/* ---- the proximal-point loop ---------------------------------------------------------------------------- */

static void prox_project(const slip_prox_newton *q, const slip_real *x, slip_real *y)
{
    int i;

    for (i = 0; i < q->nsets; ++i) {
        const int row = q->sets[i].row;
        slip_real c[2] = { -x[row], 0 };

        if (prox_dim(q->sets[i].kind) > 1) c[1] = -x[row + 1];
        prox_lambda(&q->sets[i], 1, c, y + row);
    }
}

/* Largest |l - P_C(l - (A l + g))|; t and u are scratch. */
static slip_real prox_natural(slip_prox_newton *q, const slip_real *base, const slip_real *l)
{
    slip_real worst = 0;
    int i;

    prox_product(q, l, q->t);
    for (i = 0; i < q->n; ++i) q->t[i] = l[i] - q->t[i] - base[i];
    prox_project(q, q->t, q->u);
    for (i = 0; i < q->n; ++i) worst = slip_max(worst, slip_abs(q->u[i] - l[i]));
    return worst;
}

/* The better of the inner loop's two iterates, in q->x: lambda(c) has the rounding of c divided by delta, the
 * projection of x the error of an x that is not yet in C. */
static slip_real prox_better(slip_prox_newton *q, const slip_real *base)
{
    const slip_real answer = prox_natural(q, base, q->lambda);
    slip_real projected;

    prox_project(q, q->x, q->x);
    projected = prox_natural(q, base, q->x);
    if (projected < answer) return projected;
    memcpy(q->x, q->lambda, (size_t)q->n*sizeof(slip_real));
    return answer;
}

slip_real slip_prox_newton_solve(slip_prox_newton *q, const slip_real *base, slip_real tol, slip_real *lambda)
{
    const slip_real least = SLIP_TOL(1e-8, 1e-4);
    slip_real natural, better;
    int k, i, flat = 0;

    q->delta = PROX_FIRST;
    prox_project(q, lambda, lambda);
    natural = prox_natural(q, base, lambda);
    for (k = 0; k < 30 && natural > tol && !slip_budget_is_over(q->budget); ++k) {
        for (i = 0; i < q->n; ++i) {
            q->g[i] = base[i] - q->delta*lambda[i];
            q->x[i] = lambda[i];
        }
        prox_inner(q, SLIP_TOL(1e-13, 1e-6), 60);
        better = prox_better(q, base);
        flat = better < natural/2 ? 0 : flat + 1;
        if (better < natural || q->delta > least) {
            memcpy(lambda, q->x, (size_t)q->n*sizeof(slip_real));
            natural = better;
        }
        if (flat > 1 && q->delta <= least) break;                               /* rounding is reached */
        q->delta = slip_max(least, q->delta/10);
    }
    return natural;
}
