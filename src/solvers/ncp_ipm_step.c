/* The parts of ncp-ipm's iteration: constraints, products, the Newton system and the cone searches. See ncp_ipm.h, and
 * ncp_ipm.c for the algorithm.
 *
 * The linearised constraints and products of a contact, with sigma = A x + g, are
 *
 *     ds = A_N dx - E_N,   d eta(2:3) = A_T dx - E_T,   d xi(1) = mu d gamma - E_xi
 *     gamma ds + s d gamma = t_N
 *     xi(1) d eta(1) + eta(1) d xi(1) + xi(2:3).d eta(2:3) + eta(2:3).d xi(2:3) = t_1
 *     xi(1) d eta(2:3) + eta(2:3) d xi(1) + eta(1) d xi(2:3) + xi(2:3) d eta(1) = t_T
 *
 * Eliminating d eta(1), then the other slacks, leaves (W A + Z) dx = rhs with 3x3 blocks. With b = xi(2:3)/xi(1) they
 * are, tangents first,
 *
 *     W = [ xi(1) I - b xi(2:3)'  0 ]     Z = [ eta(1) I - b eta(2:3)'   mu h ]     h = eta(2:3) - eta(1) b
 *         [ 0                 gamma ]         [ 0                        s    ]
 *     rhs_T = t_T - b t_1 + W_TT E_T + h E_xi,     rhs_N = t_N + gamma E_N */
#include "solvers/ncp_ipm.h"

#include "contact/lu.h"
#include "contact/quad.h"

/* Z of rows that are held (bilateral, or tangents of infinite friction): G may be singular on them, and then the step
 * along its null space should be short rather than undefined. */
#define NCP_IPM_HELD SLIP_TOL(1e-10, 1e-5)

void slip_ncp_ipm_start(const slip_ncp_ipm_work *m)
{
    const slip_problem *p = m->p;
    const slip_ncp_ipm_point *z = &m->at;
    int i;

    for (i = 0; i < p->n; ++i) z->x[i] = z->y[i] = 0;
    for (i = 0; i < p->nc; ++i) z->x[3*i + 2] = z->y[3*i + 2] = z->xi[i] = z->eta[i] = 1;
    for (i = 3*p->nc; i < p->n - p->nb; ++i) z->x[i] = z->y[i] = 1;
}

void slip_ncp_ipm_update(const slip_ncp_ipm_work *m, slip_real a, const slip_ncp_ipm_point *d, slip_ncp_ipm_point *out)
{
    int i;

    for (i = 0; i < m->p->n; ++i) {
        out->x[i] = m->at.x[i] + a*d->x[i];
        out->y[i] = m->at.y[i] + a*d->y[i];
    }
    for (i = 0; i < m->p->nc; ++i) {
        out->xi[i] = m->at.xi[i] + a*d->xi[i];
        out->eta[i] = m->at.eta[i] + a*d->eta[i];
    }
}

/* ---- constraints and products ---------------------------------------------------------------------------------- */

slip_real slip_ncp_ipm_constraints(const slip_ncp_ipm_work *m)
{
    const slip_problem *p = m->p;
    const slip_ncp_ipm_point *z = &m->at;
    slip_real *E = m->E, *E_xi = m->E_xi;
    const int n = p->n;
    slip_real most = 0;
    int i;

    for (i = 0; i < n; ++i) E[i] = z->y[i] - slip_row_dot(n, m->A + (size_t)i*(size_t)n, z->x) - m->g[i];
    for (i = 0; i < p->nc; ++i) {
        E_xi[i] = slip_ncp_ipm_has_cone(p, i) ? z->xi[i] - p->mu[i]*z->x[3*i + 2] : 0;
        if (p->mu[i] == 0) E[3*i] = E[3*i + 1] = 0;
        most = slip_max(most, slip_abs(E_xi[i]));
    }
    for (i = 0; i < n; ++i) most = slip_max(most, slip_abs(E[i]));
    return most;
}

/* The product (24) of contact i's cones: out = xi o eta, of xi in a and eta in c. */
static void ncp_ipm_cone_product(const slip_ncp_ipm_point *a, const slip_ncp_ipm_point *c, int i, slip_real out[3])
{
    const slip_real *xi = a->x + 3*i, *eta = c->y + 3*i;

    out[0] = a->xi[i]*c->eta[i] + xi[0]*eta[0] + xi[1]*eta[1];
    out[1] = a->xi[i]*eta[0] + c->eta[i]*xi[0];
    out[2] = a->xi[i]*eta[1] + c->eta[i]*xi[1];
}

slip_real slip_ncp_ipm_products(const slip_ncp_ipm_work *m)
{
    const slip_problem *p = m->p;
    const slip_ncp_ipm_point *z = &m->at;
    slip_real most = 0, q[3];
    int i, k;

    for (i = 0; i < p->nc; ++i) {
        most = slip_max(most, slip_abs(z->x[3*i + 2]*z->y[3*i + 2]));
        if (!slip_ncp_ipm_has_cone(p, i)) continue;
        ncp_ipm_cone_product(z, z, i, q);
        for (k = 0; k < 3; ++k) most = slip_max(most, slip_abs(q[k]));
    }
    for (i = 3*p->nc; i < p->n - p->nb; ++i) most = slip_max(most, slip_abs(z->x[i]*z->y[i]));
    return most;
}

/* The degree (51) counts a cone of any size once. */
slip_real slip_ncp_ipm_mean(const slip_ncp_ipm_work *m, const slip_ncp_ipm_point *z)
{
    const slip_problem *p = m->p;
    slip_real sum = 0, q[3];
    int i, degree = p->nc + p->nl;

    for (i = 0; i < p->nc; ++i) {
        sum += z->x[3*i + 2]*z->y[3*i + 2];
        if (!slip_ncp_ipm_has_cone(p, i)) continue;
        ncp_ipm_cone_product(z, z, i, q);
        sum += q[0];
        degree++;
    }
    for (i = 3*p->nc; i < p->n - p->nb; ++i) sum += z->x[i]*z->y[i];
    return degree > 0 ? sum/(slip_real)degree : 0;
}

/* ---- the Newton system ----------------------------------------------------------------------------------------- */

/* W and Z of contact i; see the head of this file. */
static void ncp_ipm_blocks(const slip_ncp_ipm_work *m, int i, slip_real W[9], slip_real Z[9])
{
    const slip_ncp_ipm_point *z = &m->at;
    const slip_real mu = m->p->mu[i], *xi = z->x + 3*i, *eta = z->y + 3*i;
    int r, c;

    for (r = 0; r < 9; ++r) W[r] = Z[r] = 0;
    W[8] = xi[2];
    Z[8] = eta[2];
    if (!slip_ncp_ipm_has_cone(m->p, i)) {
        W[0] = W[4] = mu > 0 ? 1 : 0;
        Z[0] = Z[4] = mu > 0 ? NCP_IPM_HELD : 1;
        return;
    }
    for (r = 0; r < 2; ++r) {
        const slip_real b = xi[r]/z->xi[i];

        for (c = 0; c < 2; ++c) {
            W[3*r + c] = (r == c ? z->xi[i] : 0) - b*xi[c];
            Z[3*r + c] = (r == c ? z->eta[i] : 0) - b*eta[c];
        }
        Z[3*r + 2] = mu*(eta[r] - z->eta[i]*b);
    }
}

/* Row `row` of F = the sum over k < dim of W_k A_(first + k), + Z on the columns from `first` on. */
static void ncp_ipm_row(const slip_ncp_ipm_work *m, int row, int first, int dim, const slip_real *W, const slip_real *Z)
{
    const size_t n = (size_t)m->p->n;
    slip_real *F = m->F + (size_t)row*n;
    size_t j;
    int k;

    for (j = 0; j < n; ++j) F[j] = W[0]*m->A[(size_t)first*n + j];
    for (k = 1; k < dim; ++k) for (j = 0; j < n; ++j) F[j] += W[k]*m->A[(size_t)(first + k)*n + j];
    for (k = 0; k < dim; ++k) F[first + k] += Z[k];
}

int slip_ncp_ipm_factor(slip_ncp_ipm_work *m)
{
    const slip_problem *p = m->p;
    const slip_real one = 1, held = NCP_IPM_HELD;
    int i, r;

    for (i = 0; i < p->nc; ++i) {
        slip_real *W = m->W + 9*i, *Z = m->Z + 9*i;

        ncp_ipm_blocks(m, i, W, Z);
        for (r = 0; r < 3; ++r) ncp_ipm_row(m, 3*i + r, 3*i, 3, W + 3*r, Z + 3*r);
    }
    for (i = 3*p->nc; i < p->n - p->nb; ++i) ncp_ipm_row(m, i, i, 1, m->at.x + i, m->at.y + i);
    for (; i < p->n; ++i) ncp_ipm_row(m, i, i, 1, &one, &held);
    return slip_lu_factor(p->n, m->F, p->n, m->pivot) == SLIP_OK;
}

/* t = (t_1, t_T): kappa e less contact i's product at w, and less that of `second`. */
static void ncp_ipm_cone_target(const slip_ncp_ipm_work *m, slip_real kappa, const slip_ncp_ipm_point *second, int i,
                                slip_real t[3])
{
    slip_real q[3];
    int k;

    ncp_ipm_cone_product(&m->at, &m->at, i, q);
    for (k = 0; k < 3; ++k) t[k] = (k == 0 ? kappa : 0) - q[k];
    if (!second) return;
    ncp_ipm_cone_product(second, second, i, q);
    for (k = 0; k < 3; ++k) t[k] -= q[k];
}

/* The right-hand side of row r of a normal or a limit. */
static slip_real ncp_ipm_row_right(const slip_ncp_ipm_work *m, slip_real kappa, const slip_ncp_ipm_point *second, int r)
{
    const slip_real x = m->at.x[r];

    return kappa - x*m->at.y[r] - (second ? second->x[r]*second->y[r] : 0) + x*m->E[r];
}

/* The right-hand side rhs_T, rhs_N of the head of this file, for all rows. */
static void ncp_ipm_right(const slip_ncp_ipm_work *m, slip_real kappa, const slip_ncp_ipm_point *second, slip_real *rhs)
{
    const slip_problem *p = m->p;
    const slip_ncp_ipm_point *z = &m->at;
    slip_real t[3];
    int i, r;

    for (i = 0; i < p->nc; ++i) {
        const slip_real *W = m->W + 9*i, *E = m->E + 3*i, *xi = z->x + 3*i, *eta = z->y + 3*i;
        const int cone = slip_ncp_ipm_has_cone(p, i);

        if (cone) ncp_ipm_cone_target(m, kappa, second, i, t);
        for (r = 0; r < 2; ++r) {
            const slip_real b = cone ? xi[r]/z->xi[i] : 0;

            rhs[3*i + r] = W[3*r]*E[0] + W[3*r + 1]*E[1];
            if (cone) rhs[3*i + r] += t[r + 1] - b*t[0] + (eta[r] - z->eta[i]*b)*m->E_xi[i];
        }
        rhs[3*i + 2] = ncp_ipm_row_right(m, kappa, second, 3*i + 2);
    }
    for (i = 3*p->nc; i < p->n - p->nb; ++i) rhs[i] = ncp_ipm_row_right(m, kappa, second, i);
    for (; i < p->n; ++i) rhs[i] = m->E[i];
}

void slip_ncp_ipm_direction(const slip_ncp_ipm_work *m, slip_real kappa, const slip_ncp_ipm_point *second,
                            slip_ncp_ipm_point *d)
{
    const slip_problem *p = m->p;
    const slip_ncp_ipm_point *z = &m->at;
    const int n = p->n;
    slip_real t[3];
    int i;

    ncp_ipm_right(m, kappa, second, d->x);
    slip_lu_solve(n, m->F, n, m->pivot, d->x);
    for (i = 0; i < n - p->nb; ++i) d->y[i] = slip_row_dot(n, m->A + (size_t)i*(size_t)n, d->x) - m->E[i];
    for (; i < n; ++i) d->y[i] = 0;
    for (i = 0; i < p->nc; ++i) {
        const slip_real *xi = z->x + 3*i, *eta = z->y + 3*i, *dx = d->x + 3*i, *dy = d->y + 3*i;

        d->xi[i] = d->eta[i] = 0;
        if (slip_ncp_ipm_has_cone(p, i)) {
            ncp_ipm_cone_target(m, kappa, second, i, t);
            d->xi[i] = p->mu[i]*dx[2] - m->E_xi[i];
            d->eta[i] = (t[0] - z->eta[i]*d->xi[i] - xi[0]*dy[0] - xi[1]*dy[1] - eta[0]*dx[0] - eta[1]*dx[1])/z->xi[i];
        } else {
            d->y[3*i] = d->y[3*i + 1] = 0;
        }
    }
}

/* ---- cone searches --------------------------------------------------------------------------------------------- */

/* (41) for one number. It prints a maximum over the entries; the longest step that keeps all is the least. */
static slip_real ncp_ipm_search_positive(slip_real y, slip_real d)
{
    return d < 0 ? -y/d : (slip_real)INFINITY;
}

/* (42) to (46), without the limit at 1: the cone's y = (y1, y23), direction (d1, d23). nu is kept above the rounding of
 * a point on the surface. */
static slip_real ncp_ipm_search_cone(slip_real y1, const slip_real *y23, slip_real d1, const slip_real *d23)
{
    const slip_real norm = slip_sqrt(y23[0]*y23[0] + y23[1]*y23[1]);
    const slip_real nu = slip_max(y1 - norm, SLIP_REAL_EPS*y1)*(y1 + norm), root = slip_sqrt(nu);
    const slip_real zeta = y1*d1 - y23[0]*d23[0] - y23[1]*d23[1], share = (zeta/root + d1)/(y1*root + nu);
    const slip_real r0 = d23[0]/root - share*y23[0], r1 = d23[1]/root - share*y23[1];
    const slip_real speed = slip_sqrt(r0*r0 + r1*r1) - zeta/nu;

    return speed > 0 ? 1/speed : (slip_real)INFINITY;
}

/* Alg. 1 prints alpha(y, tau d), whose step would be longer than that to the surface for tau < 1; Dojo's program uses
 * tau alpha(y, d), and so does this one. */
slip_real slip_ncp_ipm_search(const slip_ncp_ipm_work *m, const slip_ncp_ipm_point *d, slip_real tau_ort,
                              slip_real tau_soc)
{
    const slip_problem *p = m->p;
    const slip_ncp_ipm_point *z = &m->at;
    slip_real ort = (slip_real)INFINITY, soc = (slip_real)INFINITY;
    int i, r;

    for (i = 0; i < p->nc + p->nl; ++i) {
        r = i < p->nc ? 3*i + 2 : 2*p->nc + i;
        ort = slip_min(ort, ncp_ipm_search_positive(z->x[r], d->x[r]));
        ort = slip_min(ort, ncp_ipm_search_positive(z->y[r], d->y[r]));
        if (i >= p->nc || !slip_ncp_ipm_has_cone(p, i)) continue;
        soc = slip_min(soc, ncp_ipm_search_cone(z->xi[i], z->x + 3*i, d->xi[i], d->x + 3*i));
        soc = slip_min(soc, ncp_ipm_search_cone(z->eta[i], z->y + 3*i, d->eta[i], d->y + 3*i));
    }
    return slip_min(1, slip_min(tau_ort*ort, tau_soc*soc));
}
