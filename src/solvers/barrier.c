/* Todorov's barriers, their derivatives, steps to the surface of the cones, and the judge. See barrier.h. */
#include "solvers/barrier.h"

#include <string.h>

/* ---- the barriers -------------------------------------------------------------------------------------- */

slip_real slip_barrier_scalar(slip_real t, slip_real slope, slip_real x, slip_real *d1, slip_real *d2)
{
    const slip_real x0 = slope > 0 ? t/slope : 0;
    slip_real at = x, value;

    if (!(x > x0)) at = x0;
    if (!(at > 0)) { *d1 = *d2 = 0;  return (slip_real)INFINITY; }
    value = -t*slip_log(at);
    *d1 = -t/at;
    *d2 = t/(at*at);
    if (at > x) {                                              /* the parabola below x0                     */
        value += (x - at)*(*d1 + *d2*(x - at)/2);
        *d1 += *d2*(x - at);
    }
    return value;
}

void slip_barrier_slopes(slip_real t, slip_real slope, slip_real x, slip_real *d1, slip_real *d2)
{
    const slip_real x0 = slope > 0 ? t/slope : 0, at = slip_max(x, x0);

    *d1 = at > 0 ? -t/at : -(slip_real)INFINITY;
    *d2 = at > 0 ? t/(at*at) : (slip_real)INFINITY;
    if (at > x && at > 0) *d1 += *d2*(x - at);
}

slip_real slip_barrier_contact(slip_real mu, slip_real t, const slip_real f[3], slip_real grad[3], slip_real hess[9])
{
    const int cone = mu > 0 && mu < SLIP_MU_INFINITE;
    const slip_real m2 = cone ? mu*mu : 0, ft = slip_norm2(f);
    const slip_real h = cone ? (mu*f[2] - ft)*(mu*f[2] + ft) : 1;
    slip_real g[3], d1, d2, value = slip_barrier_scalar(t, 0, f[2], &d1, &d2);
    int r, c;

    if (!(h > 0) || !slip_is_finite(value)) return (slip_real)INFINITY;
    slip_set3(-2*f[0]/h, -2*f[1]/h, 2*m2*f[2]/h, g);           /* grad h / h                                */
    if (!cone) slip_zero3(g);
    if (grad) slip_set3(-t*g[0], -t*g[1], -t*g[2] + d1, grad);
    if (hess) {
        for (r = 0; r < 3; ++r) for (c = 0; c < 3; ++c) hess[3*r + c] = t*g[r]*g[c];
        if (cone) { hess[0] += 2*t/h;  hess[4] += 2*t/h;  hess[8] -= 2*m2*t/h; }
        hess[8] += d2;
    }
    return value - t*slip_log(h);
}

/* ---- steps to the surface------------------------------------------------------------------------------- */

slip_real slip_barrier_scalar_step(slip_real x, slip_real d)
{
    return d < 0 ? -x/d : (slip_real)INFINITY;
}

slip_real slip_barrier_contact_step(slip_real mu, const slip_real f[3], const slip_real d[3])
{
    const slip_real plane = slip_barrier_scalar_step(f[2], d[2]), m2 = mu*mu;
    slip_real a, b, c, disc, root;

    if (!(mu > 0) || mu >= SLIP_MU_INFINITE) return plane;
    c = m2*f[2]*f[2] - f[0]*f[0] - f[1]*f[1];                  /* h(f + s d) = a s^2 + 2 b s + c, c > 0     */
    b = m2*f[2]*d[2] - f[0]*d[0] - f[1]*d[1];
    a = m2*d[2]*d[2] - d[0]*d[0] - d[1]*d[1];
    disc = b*b - a*c;
    if (disc <= 0) return plane;
    root = b < 0 ? c/(slip_sqrt(disc) - b) : a < 0 ? (b + slip_sqrt(disc))/-a : (slip_real)INFINITY;
    return root > 0 ? slip_min(plane, root) : plane;
}

slip_real slip_barrier_compliance(slip_real d, slip_real r_min, slip_real r_max, slip_real d_max)
{
    return r_min + (r_max - r_min)*slip_clamp(d_max > 0 ? d/d_max : (d > 0 ? 1 : 0), 0, 1);
}

void slip_barrier_block_compliance(const slip_problem *p, const slip_barrier_law *law, int i, slip_real R[3])
{
    const int row = slip_block_row(p, i), dim = slip_block_dim(p, i);
    const int grows = p->distance && !slip_block_is_bilateral(p, i);
    int k;

    for (k = 0; k < dim; ++k)
        R[k] = (p->R ? p->R[row + k] : 0)
             + (grows ? slip_barrier_compliance(p->distance[i], law->r_min, law->r_max, law->d_max) : 0);
}

/* ---- the judge ----------------------------------------------------------------------------------------- */

slip_real slip_barrier_margin(const slip_problem *p, const slip_real *c, int i, int *row)
{
    *row = i < p->nc ? 3*i + 2 : 2*p->nc + i;
    return c[*row] - (p->vmin ? p->vmin[i] : 0);
}

/* c <- (d/dv B2 on the normal rows, 0 elsewhere) for velocities c; returns the largest violation of v >= v_min. */
static slip_real barrier_velocities(const slip_problem *p, slip_real t, slip_real slope, slip_real *c)
{
    slip_real worst = 0, d2;
    int i, row;

    for (i = 0; i < p->nc + p->nl; ++i) worst = slip_max(worst, -slip_barrier_margin(p, c, i, &row));
    for (i = 0; i < p->nc + p->nl; ++i) {
        const slip_real x = slip_barrier_margin(p, c, i, &row);

        slip_barrier_scalar(t, worst > 0 ? slope : 0, x, &c[row], &d2);
        if (i < p->nc) c[row - 2] = c[row - 1] = 0;
    }
    for (i = 3*p->nc + p->nl; i < p->n; ++i) c[i] = 0;
    return worst;
}

/* grad += grad B1, with a frictionless tangent's row taken out; returns 0 when lambda is outside. */
static int barrier_impulses(const slip_problem *p, slip_real t, const slip_real *lambda, slip_real *grad)
{
    slip_real g[3], d2, value = 0;
    int i;

    for (i = 0; i < p->nc; ++i) {
        value += slip_barrier_contact(p->mu[i], t, lambda + 3*i, g, NULL);
        if (!slip_is_finite(value)) return 0;
        slip_add3(grad + 3*i, g, grad + 3*i);
        if (p->mu[i] == 0) { grad[3*i] = lambda[3*i];  grad[3*i + 1] = lambda[3*i + 1]; }
    }
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i) {
        value += slip_barrier_scalar(t, 0, lambda[i], &g[0], &d2);
        if (!slip_is_finite(value)) return 0;
        grad[i] += g[0];
    }
    return 1;
}

void slip_barrier_residual(const slip_problem *p, slip_real t, slip_real slope, const slip_real *lambda,
                           slip_real *grad, slip_real *c, slip_residual *r)
{
    slip_real violation;
    int i;

    slip_problem_sigma(p, lambda, grad);
    slip_residual_at(p, SLIP_MODEL_CCP, 0, lambda, grad, r);
    slip_problem_apply_symmetric(p, lambda, c);
    for (i = 0; i < p->n; ++i) c[i] += p->g[i];
    violation = barrier_velocities(p, t, slope, c);
    slip_problem_apply_symmetric(p, c, grad);
    slip_problem_apply_symmetric(p, lambda, c);
    for (i = 0; i < p->n; ++i) grad[i] += c[i] + p->g[i] + (p->R ? p->R[i]*lambda[i] : 0);
    r->eps_comp = 0;
    r->eps_dual = barrier_impulses(p, t, lambda, grad) ? slip_max(violation, slip_max_abs(p->n, grad))
                                                       : (slip_real)INFINITY;
    r->eps_abs = slip_max(r->eps_primal, r->eps_dual);
}
