/* One contact: its matrices, its tangential problems on a disc and on a square, and whether it opens or sticks. See
 * local.h. */
#include "solvers/local.h"

/* ---- preparation --------------------------------------------------------------------------------------- */

/* Block (i, i) with R on its diagonal: diagonal and normal column as given, and the symmetric part. */
static void local_matrix(const slip_problem *p, int i, slip_local *k)
{
    slip_real *A = k->A;
    int r;

    slip_problem_block(p, i, i, A);
    k->tn[0] = A[2];
    k->tn[1] = A[5];
    A[1] = A[3] = (A[1] + A[3])/2;
    A[2] = A[6] = (A[2] + A[6])/2;
    A[5] = A[7] = (A[5] + A[7])/2;
    if (p->R) for (r = 0; r < 3; ++r) A[4*r] += p->R[3*i + r];
    for (r = 0; r < 3; ++r) k->diag[r] = A[4*r];
}

/* inv = A^-1 of a symmetric A by cofactors; returns det A. */
static slip_real local_inverse(const slip_real A[9], slip_real inv[9])
{
    const slip_real c0 = A[4]*A[8] - A[5]*A[5], c1 = A[5]*A[2] - A[1]*A[8], c2 = A[1]*A[5] - A[4]*A[2];
    const slip_real det = A[0]*c0 + A[1]*c1 + A[2]*c2;
    const slip_real d = det != 0 ? 1/det : 0;

    inv[0] = d*c0;  inv[1] = inv[3] = d*c1;  inv[2] = inv[6] = d*c2;
    inv[4] = d*(A[0]*A[8] - A[2]*A[2]);
    inv[5] = inv[7] = d*(A[1]*A[2] - A[0]*A[5]);
    inv[8] = d*(A[0]*A[4] - A[1]*A[1]);
    return det;
}

void slip_local_prepare(const slip_problem *p, int i, slip_local *k)
{
    const slip_real singular = SLIP_TOL(1e-12, 1e-5);     /* det/size^3 below which cofactors are mostly rounding */
    const slip_real prox = SLIP_TOL(1e-7, 1e-4);          /* keeps the condition number of A below 1e7            */
    slip_real m;
    int r;

    local_matrix(p, i, k);
    k->mu = p->mu[i];
    k->size = (k->diag[0] + k->diag[1] + k->diag[2])/3;
    m = k->size;
    if (!(local_inverse(k->A, k->inv) > singular*m*m*m) && m > 0) {
        for (r = 0; r < 3; ++r) k->A[4*r] += prox*m;
        local_inverse(k->A, k->inv);
    }
    k->inv_nn = k->A[8] > 0 ? 1/k->A[8] : 0;
    k->S[0] = k->A[0] - k->A[2]*k->A[2]*k->inv_nn;
    k->S[1] = k->A[1] - k->A[2]*k->A[5]*k->inv_nn;
    k->S[2] = k->A[4] - k->A[5]*k->A[5]*k->inv_nn;
}

/* ---- disc and square ----------------------------------------------------------------------------------- */

/* x = -(A_TT + nu I)^-1 b */
static void local_shifted(const slip_local *k, const slip_real b[2], slip_real nu, slip_real x[2])
{
    const slip_real p = k->A[0] + nu, q = k->A[1], r = k->A[4] + nu;
    const slip_real det = p*r - q*q, d = det > 0 ? 1/det : 0;

    x[0] = d*(q*b[1] - r*b[0]);
    x[1] = d*(q*b[0] - p*b[1]);
}

/* Newton on 1/|x(nu)| = 1/r, which is concave and nearly linear: from nu = 0 iterates increase without overshooting. */
void slip_local_disc(const slip_local *k, const slip_real b[2], slip_real r, slip_real x[2])
{
    const slip_real close = SLIP_TOL(4e-16, 2e-7);        /* two roundings: Newton cannot come nearer               */
    slip_real nu = 0, norm2, slope, y[2], step;
    int it;

    if (!(r > 0)) { x[0] = 0;  x[1] = 0;  return; }
    local_shifted(k, b, 0, x);
    norm2 = x[0]*x[0] + x[1]*x[1];
    if (norm2 <= r*r) return;
    for (it = 0; it < 30; ++it) {
        const slip_real norm = slip_sqrt(norm2);

        local_shifted(k, x, nu, y);                       /* y = -(A + nu)^-1 x = dx/dnu                    */
        slope = -(x[0]*y[0] + x[1]*y[1]);                 /* > 0:  d(1/|x|)/dnu = slope/|x|^3               */
        if (!(slope > 0)) break;
        step = norm2*(norm/r - 1)/slope;
        nu += step;
        local_shifted(k, b, nu, x);
        norm2 = x[0]*x[0] + x[1]*x[1];
        if (!(step > close*nu) || norm2 <= r*r*(1 + 8*close)) break;
    }
    step = r/slip_sqrt(norm2);                            /* onto the circle to rounding                    */
    x[0] *= step;  x[1] *= step;
}

/* Energy 1/2 x'A_TT x + b'x */
static slip_real local_energy(const slip_local *k, const slip_real b[2], const slip_real x[2])
{
    return x[0]*(b[0] + k->A[0]*x[0]/2 + k->A[1]*x[1]) + x[1]*(b[1] + k->A[4]*x[1]/2);
}

/* The minimum on the edge where coordinate c has the value v. */
static void local_edge(const slip_local *k, const slip_real b[2], slip_real r, int c, slip_real v, slip_real x[2])
{
    const slip_real d = k->A[c ? 0 : 4];

    x[c] = v;
    x[!c] = d > 0 ? slip_clamp(-(b[!c] + k->A[1]*v)/d, -r, r) : 0;
}

void slip_local_box(const slip_local *k, const slip_real b[2], slip_real r, slip_real x[2])
{
    slip_real free[2], y[2];
    int c, found = 0;

    local_shifted(k, b, 0, free);
    x[0] = slip_clamp(free[0], -r, r);
    x[1] = slip_clamp(free[1], -r, r);
    for (c = 0; c < 2; ++c) {
        if (free[c] >= -r && free[c] <= r) continue;
        local_edge(k, b, r, c, free[c] > 0 ? r : -r, y);
        if (!found || local_energy(k, b, y) < local_energy(k, b, x)) { x[0] = y[0];  x[1] = y[1]; }
        found = 1;
    }
}

/* ---- open or stick ------------------------------------------------------------------------------------- */

/* mu = infinity: no tangential motion at all, x_n >= 0. x: in x0, out the impulse. */
static void local_infinite_mu(const slip_local *k, const slip_real b[3], slip_real x[3])
{
    if (x[2] >= 0) return;
    local_shifted(k, b, 0, x);
    x[2] = 0;
}

slip_local_case slip_local_open_or_stick(const slip_local *k, const slip_real b[3], slip_real x[3])
{
    const int glued = k->mu >= SLIP_MU_INFINITE;

    if (!glued && (b[2] > 0 || k->inv_nn == 0)) { slip_zero3(x);  return SLIP_LOCAL_OPEN; }
    slip_mat3_vec(k->inv, b, x);
    slip_neg3(x, x);
    if (glued) { local_infinite_mu(k, b, x);  return SLIP_LOCAL_STICK; }
    if (x[2] >= 0 && x[0]*x[0] + x[1]*x[1] <= k->mu*k->mu*x[2]*x[2]) return SLIP_LOCAL_STICK;
    return SLIP_LOCAL_SLIDE;
}
