/* See factor_aid.h. */
#include "factor_aid.h"

#include <stdlib.h>
#include <string.h>

static void *factored_zeros(size_t count, size_t item)
{
    void *p = calloc(count ? count : 1, item);

    if (!p) abort();
    return p;
}

aid_factored *aid_factored_new(int nc, int nl, int nb, int nv, int most)
{
    aid_factored *a = (aid_factored *)factored_zeros(1, sizeof *a);
    const size_t n = (size_t)(3*nc + nl + nb), m = (size_t)(nc + nl + nb);
    slip_delassus *G = &a->p.G;

    a->mu = (slip_real *)factored_zeros((size_t)nc, sizeof(slip_real));
    a->g = (slip_real *)factored_zeros(n, sizeof(slip_real));
    a->R = (slip_real *)factored_zeros(n, sizeof(slip_real));
    a->y = (slip_real *)factored_zeros(n*(size_t)most, sizeof(slip_real));
    a->work = (slip_real *)factored_zeros((size_t)nv, sizeof(slip_real));
    a->ystart = (int *)factored_zeros(m + 1, sizeof(int));
    a->ycol = (int *)factored_zeros(m*(size_t)most, sizeof(int));
    a->yat = (int *)factored_zeros(m, sizeof(int));
    a->p = slip_problem_dense_rows(nc, nl, nb, a->mu, a->g, NULL, NULL, (int)n);
    G->form = SLIP_G_FACTOR;
    G->symmetric = 1;
    G->nv = nv;
    G->ystart = a->ystart;
    G->ycol = a->ycol;
    G->yat = a->yat;
    G->y = a->y;
    G->work = a->work;
    return a;
}

void aid_factored_free(aid_factored *a)
{
    free(a->mu);
    free(a->g);
    free(a->R);
    free(a->y);
    free(a->work);
    free(a->ystart);
    free(a->ycol);
    free(a->yat);
    free(a);
}

slip_real *aid_factored_block(aid_factored *a, int n, const int *column)
{
    const int i = a->filled++, dim = slip_block_dim(&a->p, i);
    const int width = i ? a->ystart[i] - a->ystart[i - 1] : 0;

    if (i) a->yat[i] = a->yat[i - 1] + slip_block_dim(&a->p, i - 1)*width;
    a->ystart[i + 1] = a->ystart[i] + n;
    memcpy(a->ycol + a->ystart[i], column, (size_t)n*sizeof(int));
    memset(a->y + a->yat[i], 0, (size_t)(dim*n)*sizeof(slip_real));
    return a->y + a->yat[i];
}

/* ---- towers ------------------------------------------------------------------------------------------------------ */

/* Rows x, y, z (`width` apart) of the velocity of a cube's point r, times sign, in coordinates of unit mass: a unit
 * cube's inertia is m/6. g gets the velocity that it has anyway. */
static void tower_point(slip_real *Y, int width, slip_real sign, const slip_real r[3], slip_real mass,
                        const slip_real v[3], slip_real *g)
{
    const slip_real a = sign/slip_sqrt(mass), b = sign*slip_sqrt(6/mass);
    const slip_real spin[9] = { 0, r[2], -r[1], -r[2], 0, r[0], r[1], -r[0], 0 };
    int i, k;

    for (i = 0; i < 3; ++i) {
        Y[i*width + i] = a;
        for (k = 0; k < 3; ++k) Y[i*width + 3 + k] = b*spin[3*i + k];
        g[i] += sign*v[i];
    }
}

/* Four contacts below cube k. */
static void tower_face(aid_factored *a, int k, const slip_real *mass, const slip_real *v, slip_real mu)
{
    const int width = k > 0 ? 12 : 6;
    int column[12], i, c;

    for (c = 0; c < 12; ++c) column[c] = 6*(k > 0 ? k - 1 : 0) + c;
    for (i = 0; i < 4; ++i) {
        slip_real r[3] = { i & 1 ? SLIP_R(0.5) : SLIP_R(-0.5), i & 2 ? SLIP_R(0.5) : SLIP_R(-0.5), SLIP_R(-0.5) };
        slip_real *g = a->g + 3*a->filled, *Y;

        a->mu[a->filled] = mu;
        Y = aid_factored_block(a, width, column);
        tower_point(Y + width - 6, width, 1, r, mass[k], v + 3*k, g);
        r[2] = SLIP_R(0.5);
        if (k > 0) tower_point(Y, width, -1, r, mass[k - 1], v + 3*(k - 1), g);
    }
}

/* A ceiling above the topmost cube, and its x tied to that of the lowest. */
static void tower_rows(aid_factored *a, int cubes, const slip_real *mass, const slip_real *v)
{
    const int top = cubes - 1, n = 3*a->p.nc, ceiling = 6*top + 2, tied[2] = { 0, 6*top };
    slip_real *Y = aid_factored_block(a, 1, &ceiling);

    Y[0] = -1/slip_sqrt(mass[top]);
    a->g[n] = -v[3*top + 2];
    Y = aid_factored_block(a, 2, tied);
    Y[0] = -1/slip_sqrt(mass[0]);
    Y[1] = 1/slip_sqrt(mass[top]);
    a->g[n + 1] = v[3*top] - v[0];
}

aid_factored *aid_tower(int cubes, const slip_real *mass, const slip_real *push, slip_real mu, int mixed)
{
    aid_factored *a = aid_factored_new(4*cubes, mixed, mixed, 6*cubes, 12);
    int k, i;

    for (k = 0; k < cubes; ++k) tower_face(a, k, mass, push, mu);
    if (!mixed) return a;
    tower_rows(a, cubes, mass, push);
    a->mu[2*cubes] = 0;
    a->mu[2*cubes + 1] = (slip_real)INFINITY;
    for (i = 0; i < a->p.n; ++i) a->R[i] = SLIP_R(1e-7);
    a->p.R = a->R;
    return a;
}
