/* See contact_aid.h. */
#include "contact_aid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

aid_problem *aid_new(int nc, int nl, int nb)
{
    const size_t n = (size_t)(3*nc + nl + nb), m = (size_t)nc;
    slip_real *at;
    aid_problem *a = (aid_problem *)calloc(1, sizeof *a + (m + 2*n + n*n + 4)*sizeof(slip_real));

    if (!a) abort();
    at = (slip_real *)(void *)(a + 1);
    a->mu = at;
    a->g = a->mu + m;
    a->R = a->g + n;
    a->G = a->R + n;
    a->p = slip_problem_dense_rows(nc, nl, nb, a->mu, a->g, NULL, a->G, (int)n);
    return a;
}

void aid_free(aid_problem *a) { free(a); }

static int aid_word(FILE *f, const char *word)
{
    char text[64];

    return fscanf(f, "%63s", text) == 1 && strcmp(text, word) == 0;
}

static int aid_numbers(FILE *f, int n, slip_real *x)
{
    double v;
    int i;

    for (i = 0; i < n; ++i) {
        if (fscanf(f, "%lf", &v) != 1) return 0;
        x[i] = (slip_real)v;
    }
    return 1;
}

static int aid_blocks(FILE *f, aid_problem *a)
{
    const int n = a->p.n;
    slip_real B[9];
    int k, i, j, r, count;

    if (!aid_word(f, "blocks") || fscanf(f, "%d", &count) != 1) return 0;
    for (k = 0; k < count; ++k) {
        if (fscanf(f, "%d %d", &i, &j) != 2 || !aid_numbers(f, 9, B)) return 0;
        for (r = 0; r < 9; ++r) a->G[(3*i + r/3)*n + 3*j + r % 3] = B[r];
    }
    return 1;
}

aid_problem *aid_load(const char *path)
{
    FILE *f = fopen(path, "r");
    aid_problem *a = NULL;
    char line[4096];
    int nc = 0;

    if (!f) return NULL;
    while (nc == 0 && fgets(line, sizeof line, f)) if (sscanf(line, "nc %d", &nc) == 1) break;
    if (nc > 0) {
        a = aid_new(nc, 0, 0);
        if (!aid_word(f, "mu") || !aid_numbers(f, nc, a->mu) || !aid_word(f, "g") || !aid_numbers(f, 3*nc, a->g) ||
            !aid_blocks(f, a)) { aid_free(a);  a = NULL; }
    }
    fclose(f);
    if (a) a->p.G.symmetric = slip_problem_asymmetry(&a->p) < SLIP_TOL(1e-12, 1e-6);
    return a;
}

void aid_random(slip_random *rng, int rank, slip_real press, aid_problem *a)
{
    const int n = a->p.n;
    slip_real *Y = (slip_real *)malloc((size_t)(n*rank)*sizeof *Y);
    int i, j, k;

    if (!Y) abort();
    for (i = 0; i < n*rank; ++i) Y[i] = slip_random_normal(rng);
    for (i = 0; i < n; ++i) for (j = 0; j <= i; ++j) {
        slip_real s = 0;

        for (k = 0; k < rank; ++k) s += Y[i*rank + k]*Y[j*rank + k];
        a->G[i*n + j] = a->G[j*n + i] = s/(slip_real)rank;
    }
    for (i = 0; i < n; ++i) {                               /* g in the range of Y: a motion can cause it */
        a->g[i] = 0;
    }
    for (k = 0; k < rank; ++k) {
        const slip_real v = slip_random_normal(rng);

        for (i = 0; i < n; ++i) a->g[i] += Y[i*rank + k]*v/(slip_real)sqrt((double)rank);
    }
    for (i = 0; i < a->p.nc; ++i) {
        a->mu[i] = slip_random_uniform(rng, SLIP_R(0.1), 1);
        if (rank >= n) a->g[3*i + 2] -= press;
    }
    free(Y);
}

void aid_random_block(slip_random *rng, slip_real lo, slip_real hi, slip_real G[9])
{
    slip_real q[4], Q[9], w[3];
    int i, j, k;

    slip_random_quat(rng, q);
    slip_quat_to_mat3(q, Q);
    for (k = 0; k < 3; ++k) w[k] = (slip_real)exp((double)slip_random_uniform(rng, (slip_real)log((double)lo),
                                                                               (slip_real)log((double)hi)));
    for (i = 0; i < 3; ++i) for (j = 0; j < 3; ++j) {
        G[3*i + j] = 0;
        for (k = 0; k < 3; ++k) G[3*i + j] += Q[3*i + k]*w[k]*Q[3*j + k];
    }
    G[3] = G[1];
    G[6] = G[2];
    G[7] = G[5];
}

void aid_scale(slip_real m, slip_real l, aid_problem *a)
{
    int i;

    for (i = 0; i < a->p.n*a->p.n; ++i) a->G[i] /= m;
    for (i = 0; i < a->p.n; ++i) { a->R[i] /= m;  a->g[i] *= l; }
}

/* A unit cube: corners at (+-0.5, +-0.5, -0.5), inertia m/6. */
aid_problem *aid_incline(slip_real mass, slip_real angle, slip_real mu, slip_real dt)
{
    aid_problem *a = aid_new(4, 0, 0);
    slip_real J[12][6];
    int i, j, k;

    for (k = 0; k < 4; ++k) {
        const slip_real r[3] = { k & 1 ? SLIP_R(0.5) : SLIP_R(-0.5), k & 2 ? SLIP_R(0.5) : SLIP_R(-0.5), SLIP_R(-0.5) };

        for (i = 0; i < 3; ++i) for (j = 0; j < 6; ++j) J[3*k + i][j] = j == i ? 1 : 0;
        J[3*k][4] = r[2];      J[3*k][5] = -r[1];
        J[3*k + 1][3] = -r[2]; J[3*k + 1][5] = r[0];
        J[3*k + 2][3] = r[1];  J[3*k + 2][4] = -r[0];
        a->mu[k] = mu;
        a->g[3*k] = dt*SLIP_R(9.81)*(slip_real)sin((double)angle);
        a->g[3*k + 2] = -dt*SLIP_R(9.81)*(slip_real)cos((double)angle);
    }
    for (i = 0; i < 12; ++i) for (j = 0; j < 12; ++j) {
        slip_real s = 0;

        for (k = 0; k < 6; ++k) s += J[i][k]*J[j][k]*(k < 3 ? 1/mass : 6/mass);
        a->G[12*i + j] = s;
    }
    return a;
}

/* Adds to row block J (3 x 12) the velocity of a body's point r: sign (v + w x r), t1, t2, n along x, y, z. */
static void aid_point(slip_real (*J)[12], int body, slip_real sign, const slip_real r[3])
{
    const int o = 6*body;

    J[0][o] = J[1][o + 1] = J[2][o + 2] = sign;
    J[0][o + 4] = sign*r[2];   J[0][o + 5] = -sign*r[1];
    J[1][o + 3] = -sign*r[2];  J[1][o + 5] = sign*r[0];
    J[2][o + 3] = sign*r[1];   J[2][o + 4] = -sign*r[0];
}

aid_problem *aid_two_cubes(slip_real top)
{
    aid_problem *a = aid_new(8, 0, 0);
    slip_real J[24][12] = { { 0 } };
    int i, j, k;

    for (k = 0; k < 8; ++k) {
        slip_real r[3] = { k & 1 ? SLIP_R(0.5) : SLIP_R(-0.5), k & 2 ? SLIP_R(0.5) : SLIP_R(-0.5), SLIP_R(-0.5) };

        aid_point(J + 3*k, k/4, 1, r);
        r[2] = SLIP_R(0.5);
        if (k >= 4) aid_point(J + 3*k, 0, -1, r);
        a->mu[k] = SLIP_R(0.5);
        a->g[3*k + 2] = k < 4 ? SLIP_R(-9.81e-3) : 0;       /* both fall alike: only the ground sees an approach */
    }
    for (i = 0; i < 24; ++i) for (j = 0; j < 24; ++j) {
        slip_real s = 0;

        for (k = 0; k < 12; ++k) s += J[i][k]*J[j][k]*(k % 6 < 3 ? 1 : 6)/(k < 6 ? 1 : top);
        a->G[24*i + j] = s;
    }
    return a;
}

slip_status aid_solve(slip_solve_function *solve, slip_bytes_function *bytes, const slip_problem *p,
                      const slip_solver_options *opt, int warm, slip_real *lambda, slip_real *sigma,
                      slip_solution *sol)
{
    const size_t size = bytes(p, opt);
    void *block = malloc(size ? size : 1);
    slip_arena arena = slip_arena_over(block, size);
    slip_status status;

    *sol = slip_solution_over(lambda, sigma, NULL);
    sol->warm = warm;
    status = solve(p, opt, sol, &arena);
    free(block);
    return status;
}

/* The impulse on the cone in a direction: sigma_n = 0, or for the CCP of least energy. */
static void brute_point(const double G[9], const double b[3], double mu, slip_contact_model model, double angle,
                        double x[3])
{
    const double d[3] = { mu*cos(angle), mu*sin(angle), 1 };
    double up = G[6]*d[0] + G[7]*d[1] + G[8], push = b[2], n;
    int i, j;

    if (model == SLIP_MODEL_CCP) {
        push = b[0]*d[0] + b[1]*d[1] + b[2];
        for (up = 0, i = 0; i < 3; ++i) for (j = 0; j < 3; ++j) up += d[i]*G[3*i + j]*d[j];
    }
    n = up != 0 ? -push/up : -1;
    for (i = 0; i < 3; ++i) x[i] = n*d[i];
}

static void brute_sigma(const double G[9], const double b[3], const double x[3], double s[3])
{
    int i;

    for (i = 0; i < 3; ++i) s[i] = b[i] + G[3*i]*x[0] + G[3*i + 1]*x[1] + G[3*i + 2]*x[2];
}

/* What must vanish: sigma_T across the direction; RaiSim's energy along the boundary. */
static double brute_across(const double G[9], const double b[3], double mu, slip_contact_model model, double angle)
{
    double x[3], s[3], along = 0;

    brute_point(G, b, mu, model, angle, x);
    brute_sigma(G, b, x, s);
    if (model == SLIP_MODEL_RAISIM)
        along = mu*(G[6]*-sin(angle) + G[7]*cos(angle))/(G[8] + mu*(G[6]*cos(angle) + G[7]*sin(angle)));
    return s[0]*(-sin(angle) - along*cos(angle)) + s[1]*(cos(angle) - along*sin(angle));
}

static int brute_is_slide(const double G[9], const double b[3], double mu, slip_contact_model model, double angle)
{
    const int raisim = model == SLIP_MODEL_RAISIM;
    double x[3], s[3], a0, a1;

    brute_point(G, b, mu, model, angle, x);
    if (!(x[2] > 0)) return 0;
    brute_sigma(G, b, x, s);
    a0 = raisim ? mu*G[6]/G[8] : 0;
    a1 = raisim ? mu*G[7]/G[8] : 0;
    return s[0]*(cos(angle) + a0) + s[1]*(sin(angle) + a1) <= 0;
}

static int brute_slides(const double G[9], const double b[3], double mu, slip_contact_model model, int grid,
                        double x[12][3], int n)
{
    const double step = 6.283185307179586/grid;
    double last = brute_across(G, b, mu, model, 0);
    int k, it;

    for (k = 1; k <= grid && n < 12; ++k) {
        const double now = brute_across(G, b, mu, model, k*step);
        double lo = (k - 1)*step, hi = k*step;

        if (last*now <= 0) {
            for (it = 0; it < 60; ++it) {
                const double mid = (lo + hi)/2;

                if (last*brute_across(G, b, mu, model, mid) <= 0) hi = mid; else lo = mid;
            }
            if (brute_is_slide(G, b, mu, model, lo) &&
                fabs(brute_across(G, b, mu, model, lo)) < 1e-6*(1 + fabs(last) + fabs(now)))     /* no pole */
                brute_point(G, b, mu, model, lo, x[n++]);
        }
        last = now;
    }
    return n;
}

/* x solves the three rows r.x = -b by Cramer's rule; 0 when they are singular. */
static int brute_cramer(double r[3][3], const double b[3], double x[3])
{
    const double c0 = r[1][1]*r[2][2] - r[1][2]*r[2][1], c1 = r[1][2]*r[2][0] - r[1][0]*r[2][2];
    const double c2 = r[1][0]*r[2][1] - r[1][1]*r[2][0], d = r[0][0]*c0 + r[0][1]*c1 + r[0][2]*c2;

    x[0] = -(c0*b[0] + (r[0][2]*r[2][1] - r[0][1]*r[2][2])*b[1] + (r[0][1]*r[1][2] - r[0][2]*r[1][1])*b[2])/d;
    x[1] = -(c1*b[0] + (r[0][0]*r[2][2] - r[0][2]*r[2][0])*b[1] + (r[0][2]*r[1][0] - r[0][0]*r[1][2])*b[2])/d;
    x[2] = -(c2*b[0] + (r[0][1]*r[2][0] - r[0][0]*r[2][1])*b[1] + (r[0][0]*r[1][1] - r[0][1]*r[1][0])*b[2])/d;
    return d != 0;
}

/* The LCP's nine cases: each axis rests (0) or slides (+-1), the normal touches. */
static int brute_square(const double G[9], const double b[3], double mu, double x[12][3], int n)
{
    int s[2], i, j;

    for (s[0] = -1; s[0] <= 1; ++s[0]) for (s[1] = -1; s[1] <= 1; ++s[1]) {
        double r[3][3], q[3], sigma[3];
        int ok;

        for (i = 0; i < 3; ++i) for (j = 0; j < 3; ++j) r[i][j] = G[3*i + j];
        for (i = 0; i < 3; ++i) q[i] = b[i];
        for (i = 0; i < 2; ++i) if (s[i] != 0) {                  /* row i becomes x_i = s mu x_n */
            r[i][0] = i == 0;
            r[i][1] = i == 1;
            r[i][2] = -mu*s[i];
            q[i] = 0;
        }
        if (!brute_cramer(r, q, x[n])) continue;
        brute_sigma(G, b, x[n], sigma);
        ok = x[n][2] > 0;
        for (i = 0; i < 2; ++i)
            ok = ok && (s[i] != 0 ? s[i]*sigma[i] <= 1e-12 : fabs(x[n][i]) <= mu*x[n][2]*(1 + 1e-12));
        n += ok && n < 11;
    }
    return n;
}

int aid_brute(const double G[9], const double b[3], double mu, slip_contact_model model, int grid, double x[12][3])
{
    const int opens = model == SLIP_MODEL_CCP ? b[2] >= mu*hypot(b[0], b[1]) : b[2] >= 0;
    double r[3][3];
    int n = 0, i, j;

    if (opens) { x[n][0] = x[n][1] = x[n][2] = 0;  ++n; }
    if (model == SLIP_MODEL_LCP) return brute_square(G, b, mu, x, n);
    for (i = 0; i < 3; ++i) for (j = 0; j < 3; ++j) r[i][j] = G[3*i + j];
    brute_cramer(r, b, x[n]);
    if (hypot(x[n][0], x[n][1]) <= mu*x[n][2]) ++n;
    return brute_slides(G, b, mu, model, grid, x, n);
}

double aid_brute_distance(const slip_real G[9], const slip_real b[3], slip_real mu, slip_contact_model model,
                          const slip_real x[3])
{
    double Gd[9], bd[3], y[12][3], best = (double)INFINITY, size;
    int i, k, n, pass;

    for (i = 0; i < 9; ++i) Gd[i] = (double)G[i];
    for (i = 0; i < 3; ++i) bd[i] = (double)b[i];
    size = sqrt((double)(x[0]*x[0] + x[1]*x[1] + x[2]*x[2]));
    for (pass = 0; pass < 2 && best > (double)SLIP_TOL(1e-9, 1e-3); ++pass) {
        n = aid_brute(Gd, bd, (double)mu, model, pass == 0 ? 90 : 20000, y);
        for (k = 0; k < n; ++k) {
            const double d0 = y[k][0] - (double)x[0], d1 = y[k][1] - (double)x[1], d2 = y[k][2] - (double)x[2];
            const double d = sqrt(d0*d0 + d1*d1 + d2*d2);

            if (d < best*size || (d == 0 && size == 0)) best = size > 0 ? d/size : 0;
        }
    }
    return best;
}

double aid_energy(const slip_problem *p, const slip_real *lambda)
{
    slip_real *s = (slip_real *)malloc((size_t)p->n*sizeof *s);
    double e = 0;
    int i;

    if (!s) abort();
    slip_problem_sigma(p, lambda, s);
    for (i = 0; i < p->n; ++i) e += (double)lambda[i]*((double)s[i] + (double)p->g[i])/2;
    free(s);
    return e;
}
