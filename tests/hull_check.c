/* See hull_check.h. */
#include "hull_check.h"

#include "unity.h"

void hull_check_topology(const slip_hull *h)
{
    int f, k, e, seen = 0;

    if (h->nf > 0) TEST_ASSERT_EQUAL_INT_MESSAGE(2, h->nv - h->ne + h->nf, "Euler");
    for (f = 0; f < h->nf; ++f) {
        const int n = h->loop_start[f + 1] - h->loop_start[f];

        TEST_ASSERT_MESSAGE(n >= 3, "a face with fewer than three corners");
        for (k = 0; k < n; ++k) {
            const int a = h->loop[h->loop_start[f] + k], b = h->loop[h->loop_start[f] + (k + 1) % n];
            const int g = h->loop_twin[h->loop_start[f] + k], m = h->loop_start[g + 1] - h->loop_start[g];
            int i, found = 0;

            TEST_ASSERT_MESSAGE(a >= 0 && a < h->nv && a != b, "loop index");
            for (i = 0; i < m; ++i)
                found += h->loop[h->loop_start[g] + i] == b && h->loop[h->loop_start[g] + (i + 1) % m] == a;
            TEST_ASSERT_EQUAL_INT_MESSAGE(1, found, "the edge back in the twin face");
        }
    }
    for (e = 0; e < h->ne; ++e) {
        const int *d = h->edge + 4*e;

        TEST_ASSERT(d[0] < d[1] && d[0] >= 0 && d[1] < h->nv);
        for (k = h->adj_start[d[0]]; k < h->adj_start[d[0] + 1]; ++k)
            if (h->adj[k] == d[1]) { ++seen;  TEST_ASSERT_EQUAL_INT(d[2], h->adj_face[k]); }
        for (k = h->adj_start[d[1]]; k < h->adj_start[d[1] + 1]; ++k)
            if (h->adj[k] == d[0]) { ++seen;  TEST_ASSERT_EQUAL_INT(d[3], h->adj_face[k]); }
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(2*h->ne, seen, "edges found among neighbours");
    TEST_ASSERT_EQUAL_INT_MESSAGE(2*h->ne, h->adj_start[h->nv], "neighbour entries");
}

void hull_check_fans(const slip_hull *h)
{
    int v, k, i;

    for (v = 0; v < h->nv; ++v) {
        const int from = h->adj_start[v], n = h->adj_start[v + 1] - from;

        for (k = 0; k < n && h->nf > 0; ++k) {
            const int f = h->adj_face[from + k], a = h->adj[from + k], b = h->adj[from + (k + 1) % n];
            int has_a = 0, has_b = 0;

            for (i = h->loop_start[f]; i < h->loop_start[f + 1]; ++i) {
                has_a |= h->loop[i] == a;
                has_b |= h->loop[i] == b;
            }
            TEST_ASSERT_MESSAGE(has_a && has_b, "neighbours in anticlockwise order");
        }
    }
}

slip_real hull_depth(const slip_hull *hull, const slip_real x[3], int *face)
{
    slip_real best = -SLIP_REAL_MAX;
    int f, at = -1;

    for (f = 0; f < hull->nf; ++f) {
        const slip_real *plane = hull->plane + 4*f, h = slip_dot3(plane, x) - plane[3];

        if (h > best) { best = h;  at = f; }
    }
    if (at < 0) {                                        /* a segment or a point */
        const slip_real *a = hull->vertex, *b = hull->vertex + 3*(hull->nv - 1);
        slip_real e[3], d[3], e2;

        slip_sub3(b, a, e);
        slip_sub3(x, a, d);
        e2 = slip_dot3(e, e);
        slip_axpy3(-(e2 > 0 ? slip_clamp(slip_dot3(e, d)/e2, 0, 1) : 0), e, d, d);
        best = slip_norm3(d);
    }
    if (face) *face = at;
    return best;
}
