/* The hull of points that lie in a plane: Andrew's monotone chain on exact grid coordinates, with points
 * that stand out by less than the tolerance left out. */
#include "geom/hull_private.h"

/* Coordinates in the plane: the normal's largest axis is dropped. */
typedef struct {
    const hull_work *w;
    int i, j;                /* the axes kept, in the order that keeps the orientation */
} hull_plane;

static double hull_flat_x(const hull_plane *g, int p) { return g->w->x[3*p + g->i]; }
static double hull_flat_y(const hull_plane *g, int p) { return g->w->x[3*p + g->j]; }

static int hull_flat_before(const void *plane, int p, int q)
{
    const hull_plane *g = (const hull_plane *)plane;
    const double dx = hull_flat_x(g, p) - hull_flat_x(g, q), dy = hull_flat_y(g, p) - hull_flat_y(g, q);

    return dx != 0 ? dx < 0 : dy != 0 ? dy < 0 : p < q;
}

/* Twice the signed area of a b c in the plane, exact in sign. */
static double hull_flat_turn(const hull_plane *g, int a, int b, int c)
{
    const double u[3] = { hull_flat_x(g, b) - hull_flat_x(g, a), hull_flat_y(g, b) - hull_flat_y(g, a), 0 };
    const double v[3] = { hull_flat_x(g, c) - hull_flat_x(g, a), hull_flat_y(g, c) - hull_flat_y(g, a), 0 };
    double r[3];

    slip_hull_cross(u, v, r);
    return r[2];
}

/* One chain over the sorted points, forwards or backwards, pushed on loop[0..at); returns the new at. */
static int hull_flat_chain(const hull_plane *g, const int *order, int n, int step, int *loop, int at)
{
    const int floor = at;
    int k;

    for (k = 0; k < n; ++k) {
        const int p = order[step > 0 ? k : n - 1 - k];

        while (at >= floor + 2 && hull_flat_turn(g, loop[at - 2], loop[at - 1], p) <= 0) --at;
        loop[at++] = p;
    }
    return at - 1;                                       /* the last begins the other chain */
}

static double hull_flat_off(const hull_work *w, int p, int a, int b)
{
    double e[3], d[3], s, length2;
    int i;

    hull_diff(hull_at(w, b), hull_at(w, a), e);
    hull_diff(hull_at(w, p), hull_at(w, a), d);
    length2 = hull_dot(e, e);
    s = length2 > 0 ? fmin(fmax(hull_dot(e, d)/length2, 0), 1) : 0;
    for (i = 0; i < 3; ++i) d[i] -= s*e[i];
    return sqrt(hull_dot(d, d));
}

/* Drops corners within the tolerance of the line between the corners kept on either side. */
static int hull_flat_thin(const hull_work *w, int *loop, int n, int *spare)
{
    int kept = 0, i = 0, k;

    for (i = 0; i < n; ++i) spare[i] = loop[i];
    for (i = 0; i < n; ) {
        int end = i + 1, fits = 1;

        loop[kept++] = spare[i];
        while (fits && end < n) {                        /* may spare[i+1 .. end] all go? */
            const int to = spare[(end + 1) % n];

            for (k = i + 1; fits && k <= end; ++k) fits = hull_flat_off(w, spare[k], spare[i], to) <= w->tol;
            if (fits) ++end;
        }
        i = end;
    }
    if (kept >= 3) return kept;
    for (i = 0; i < n; ++i) loop[i] = spare[i];          /* a sliver about as wide as the tolerance: keep it */
    return n;
}

int slip_hull_polygon(const hull_work *w, const double normal[3], int *loop, int *spare)
{
    hull_plane g;
    int n, k = 0, j;

    for (j = 1; j < 3; ++j) if (fabs(normal[j]) > fabs(normal[k])) k = j;
    g.w = w;
    g.i = normal[k] > 0 ? (k + 1) % 3 : (k + 2) % 3;
    g.j = normal[k] > 0 ? (k + 2) % 3 : (k + 1) % 3;
    for (j = 0; j < w->n; ++j) spare[j] = j;
    slip_hull_sort(spare, w->n, hull_flat_before, &g);
    n = hull_flat_chain(&g, spare, w->n, 1, loop, 0);
    n = hull_flat_chain(&g, spare, w->n, -1, loop, n);
    return hull_flat_thin(w, loop, n, spare);
}
