/* Lemke's complementary pivoting for the LCP of a pyramid with k facets (LL Sec. III, ref. 50), as textbooks write it:
 * a full tableau of all 2 N + 1 variables. Per contact, with the corners d_j of the pyramid around the cone,
 *
 *     w = M z + q:    sigma_N,   d_j'sigma_T + gamma (each j),   mu lambda_N - sum_j beta_j
 *     z         :    lambda_N,  beta_j,                         gamma                  lambda_T = sum_j beta_j d_j
 *
 *     w = M z + q + e z0;   z0 enters, the most negative w leaves
 *     repeat   the complement of what left enters;   the ratio test says what leaves;   until z0 has left
 *
 * Readings. (1) LL cites the method and prints neither rows nor e: rows as listed here, contact by contact; e is one in
 * the units of naive_units, so velocities and impulses weigh alike. (2) Degeneracy: lexicographic, the pivot rule for
 * q + (eps, eps^2, ...), and z0 leaves whenever it is among the ties. See naive.h. */
#include "naive.h"

#include <math.h>
#include <string.h>

/* Ratios of exact arithmetic that are equal differ by rounding; distinct ones of small problems do not. */
static const double lemke_equal = 1e-10;

static void lemke_corner(int facets, int j, double d[3])
{
    const double pi = acos(-1), radius = 1/cos(pi/facets), angle = (2*j + 1)*pi/facets;

    d[0] = radius*cos(angle);
    d[1] = radius*sin(angle);
    d[2] = 0;
}

/* How z_j of its contact acts on that contact's impulse: part 0 is lambda_N, then the betas, then gamma. */
static void lemke_action(int facets, int part, double d[3])
{
    memset(d, 0, 3*sizeof *d);
    if (part == 0) d[2] = 1;
    else if (part <= facets) lemke_corner(facets, part - 1, d);
}

/* Entry of M. */
static double lemke_matrix(const naive_problem *q, int facets, int i, int j)
{
    const int per = facets + 2, a = i/per, b = j/per, pi = i % per, pj = j % per;
    double da[3], db[3], sum = 0;
    int r, s;

    lemke_action(facets, pi, da);
    lemke_action(facets, pj, db);
    for (r = 0; r < 3; ++r) for (s = 0; s < 3; ++s) sum += da[r]*q->A[3*a + r][3*b + s]*db[s];
    if (a != b) return sum;
    if (pi == facets + 1) return pj == 0 ? q->mu[a] : pj <= facets ? -1 : 0;
    return pj == facets + 1 && pi > 0 ? 1 : sum;
}

void naive_lemke_start(const naive_problem *q, const naive_units *u, int facets, naive_lemke *w)
{
    const int per = facets + 2, N = q->nc*per;
    double d[3];
    int i, j, r;

    memset(w, 0, sizeof *w);
    w->N = N;
    w->facets = facets;
    for (i = 0; i < N; ++i) {
        const int contact = i/per, coulomb = i % per == facets + 1;
        double *row = w->T[i];

        row[i] = 1;                                                       /* w - M z - e z0 = q */
        for (j = 0; j < N; ++j) row[N + j] = -lemke_matrix(q, facets, i, j);
        row[2*N] = coulomb ? -u->unit*u->D[3*contact] : -u->unit/u->D[3*contact];
        lemke_action(facets, i % per, d);
        for (r = 0; r < 3; ++r) row[2*N + 1] += d[r]*q->g[3*contact + r];
        w->basic[i] = i;
    }
    w->enters = 2*N;
}

/* Compares (q, coefficients of eps, eps^2, ...) of two rows, each divided by its pivot: -1, 0, 1; two different rows
 * are never equal throughout. Notes how near the nearest values are that differ. */
static int lemke_compare(naive_lemke *w, int a, double pa, int b, double pb)
{
    const int N = w->N, z0 = 2*N;
    int k;

    for (k = -1; k < N; ++k) {
        const int column = k < 0 ? 2*N + 1 : k;
        const double x = w->T[a][column]/pa, y = w->T[b][column]/pb, size = fmax(fabs(x), fabs(y));

        if (fabs(x - y) > lemke_equal*fmax(size, 1e-3)) {
            w->margin = fmin(w->margin, fabs(x - y)/fmax(size, 1e-3));
            return x < y ? -1 : 1;
        }
        if (k < 0 && w->basic[a] == z0) return -1;
        if (k < 0 && w->basic[b] == z0) return 1;
    }
    return 0;
}

/* The row that leaves: most negative q when z0 enters, else the least ratio among positive entries. -1: none. */
static int lemke_leaving_row(naive_lemke *w)
{
    const int first = w->pivots == 0, c = w->enters;
    int r, best = -1;

    for (r = 0; r < w->N; ++r) {
        const double entry = w->T[r][c], size = fabs(entry);

        if (!first && size > 1e-13) w->margin = fmin(w->margin, size);
        if (first ? !(w->T[r][2*w->N + 1] < 0) : !(entry > 1e-9)) continue;
        if (best < 0 || lemke_compare(w, r, first ? -entry : entry, best, first ? -w->T[best][c] : w->T[best][c]) < 0)
            best = r;
    }
    return best;
}

int naive_lemke_pivot(naive_lemke *w)
{
    const int N = w->N, columns = 2*N + 2;
    int row, left, r, k;

    w->margin = 1;
    row = lemke_leaving_row(w);
    if (row < 0) return w->pivots == 0 ? 1 : -1;
    for (k = 0; k < columns; ++k) if (k != w->enters) w->T[row][k] /= w->T[row][w->enters];
    w->T[row][w->enters] = 1;
    for (r = 0; r < N; ++r) {
        const double f = w->T[r][w->enters];

        for (k = 0; r != row && k < columns; ++k) w->T[r][k] -= f*w->T[row][k];
    }
    left = w->basic[row];
    w->basic[row] = w->enters;
    w->enters = left < N ? left + N : left - N;
    w->pivots++;
    return left == 2*N;
}

void naive_lemke_impulses(const naive_lemke *w, double *x)
{
    const int N = w->N, per = w->facets + 2;
    double d[3];
    int r, k;

    memset(x, 0, (size_t)(3*(N/per))*sizeof *x);
    for (r = 0; r < N; ++r) {
        const int i = w->basic[r] - N;

        if (i < 0 || i >= N) continue;
        lemke_action(w->facets, i % per, d);
        for (k = 0; k < 3; ++k) x[3*(i/per) + k] += w->T[r][2*N + 1]*d[k];
    }
}
