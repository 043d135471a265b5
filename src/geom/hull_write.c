/* The finished hull as the arrays of slip_hull: vertices, planes, loops, edges, neighbours. */
#include "geom/hull_private.h"

/* The input of the arrays. A loop entry k is the edge loop[k] -> next corner of its face. */
typedef struct {
    int nv, nf, nl;          /* corners, faces, loop entries                                  */
    int *corner;             /* nv: indices of the input points                               */
    int *start, *loop;       /* nf + 1, nl: faces as corners (0..nv-1)                        */
    int *twin;               /* nl: the entry of the same edge in the other face              */
    int *face;               /* nl: the face an entry belongs to                              */
    slip_real *vertex, *soa, *plane;
    int *edge, *adj_start, *adj, *adj_face, *loop_twin;
    int stride;
} hull_arrays;

static int hull_arrays_take(int nv, int nf, int nl, slip_arena *arena, hull_arrays *a)
{
    const size_t v = (size_t)nv, f = (size_t)nf, l = (size_t)nl;
    /* A segment has one edge and two neighbour entries but no loop. */
    const size_t ends = nf > 0 ? l : nv > 1 ? 2 : 0;

    a->nv = nv;
    a->nf = nf;
    a->nl = nl;
    a->stride = (nv + SLIP_HULL_LANES - 1)/SLIP_HULL_LANES*SLIP_HULL_LANES;
    a->vertex = slip_arena_reals(arena, 3*v);
    a->soa = slip_arena_reals(arena, 3*(size_t)a->stride);
    a->plane = slip_arena_reals(arena, 4*f);
    a->start = slip_arena_ints(arena, f + 1);
    a->loop = slip_arena_ints(arena, l);
    a->loop_twin = slip_arena_ints(arena, l);
    a->edge = slip_arena_ints(arena, 2*ends);
    a->adj_start = slip_arena_ints(arena, v + 1);
    a->adj = slip_arena_ints(arena, ends);
    a->adj_face = slip_arena_ints(arena, ends);
    a->corner = (int *)slip_arena_scratch(arena, v, sizeof(int));
    a->twin = (int *)slip_arena_scratch(arena, l, sizeof(int));
    a->face = (int *)slip_arena_scratch(arena, l, sizeof(int));
    return a->vertex && a->soa && a->plane && a->start && a->loop && a->loop_twin && a->edge && a->adj_start && a->adj
        && a->adj_face && a->corner && a->twin && a->face;
}

int slip_hull_take_most(int n, slip_arena *arena)
{
    hull_arrays a;

    return hull_arrays_take(n, 2*n + 4, 6*n + 12, arena, &a);
}

/* ---- geometry ------------------------------------------------------------------------------------- */

static void hull_write_vertices(const hull_arrays *a, const slip_real *points, slip_hull *hull)
{
    int i, j;

    for (i = 0; i < a->nv; ++i) slip_copy3(points + 3*a->corner[i], a->vertex + 3*i);
    for (j = 0; j < 3; ++j)
        for (i = 0; i < a->stride; ++i) a->soa[j*a->stride + i] = a->vertex[3*(i < a->nv ? i : 0) + j];
    slip_copy3(a->vertex, hull->lo);
    slip_copy3(a->vertex, hull->hi);
    slip_zero3(hull->centre);
    for (i = 0; i < a->nv; ++i)
        for (j = 0; j < 3; ++j) {
            hull->lo[j] = slip_min(hull->lo[j], a->vertex[3*i + j]);
            hull->hi[j] = slip_max(hull->hi[j], a->vertex[3*i + j]);
        }
    for (i = 0; i < a->nv; ++i)                          /* the mean of offsets from a corner: no overflow */
        for (j = 0; j < 3; ++j)
            hull->centre[j] += (a->vertex[3*i + j] - a->vertex[j])/(slip_real)a->nv;
    slip_add3(hull->centre, a->vertex, hull->centre);
    hull->radius = hull->reach = 0;
    for (i = 0; i < a->nv; ++i) {
        hull->radius = slip_max(hull->radius, slip_distance3(a->vertex + 3*i, hull->centre));
        hull->reach = slip_max(hull->reach, slip_norm3(a->vertex + 3*i));
    }
}

/* Plane of a face: that of its largest triangle seed[0..3) (points of the input), which supports the hull; a
 * mean of several would not. The offset puts no corner outside, nor the seed's, should they be corners no more. */
static void hull_write_plane(const hull_arrays *a, int face, const double normal[3], const int seed[3],
                             const slip_real *points)
{
    const int *loop = a->loop + a->start[face], n = a->start[face + 1] - a->start[face];
    slip_real *plane = a->plane + 4*face;
    int i;

    for (i = 0; i < 3; ++i) plane[i] = (slip_real)normal[i];
    plane[3] = slip_dot3(plane, a->vertex + 3*loop[0]);
    for (i = 1; i < n; ++i) plane[3] = slip_max(plane[3], slip_dot3(plane, a->vertex + 3*loop[i]));
    for (i = 0; i < 3; ++i) plane[3] = slip_max(plane[3], slip_dot3(plane, points + 3*seed[i]));
}

/* ---- connections ---------------------------------------------------------------------------------- */

static int hull_entry_before(const hull_arrays *a, int k)
{
    const int f = a->face[k];

    return k > a->start[f] ? k - 1 : a->start[f + 1] - 1;
}

static int hull_write_edges(const hull_arrays *a)
{
    int k, ne = 0;

    for (k = 0; k < a->nl; ++k) {
        const int v0 = a->loop[k], v1 = a->loop[a->twin[k]];

        a->loop_twin[k] = a->face[a->twin[k]];
        if (v0 > v1) continue;
        a->edge[4*ne] = v0;
        a->edge[4*ne + 1] = v1;
        a->edge[4*ne + 2] = a->face[k];
        a->edge[4*ne + 3] = a->loop_twin[k];
        ++ne;
    }
    return ne;
}

/* Neighbours of each corner, anticlockwise: the one after loop[k] -> u is the corner before loop[k] in k's
 * face. `first` (nv) holds an entry that starts at each corner, its faces counted in adj_start. */
static void hull_write_neighbours(const hull_arrays *a, int *first)
{
    int v, k, at = 0;

    for (k = a->nl - 1; k >= 0; --k) first[a->loop[k]] = k;
    for (v = 0; v < a->nv; ++v) {
        a->adj_start[v] = at;
        k = first[v];
        do {
            a->adj[at] = a->loop[a->twin[k]];
            a->adj_face[at++] = a->face[k];
            k = a->twin[hull_entry_before(a, k)];
        } while (k != first[v]);
    }
    a->adj_start[a->nv] = at;
}

static void hull_write_segment(const hull_arrays *a)
{
    int v;

    a->start[0] = 0;
    for (v = 0; v <= a->nv; ++v) a->adj_start[v] = a->nv > 1 ? v : 0;
    if (a->nv < 2) return;
    a->edge[0] = 0;  a->edge[1] = 1;  a->edge[2] = a->edge[3] = -1;
    a->adj[0] = 1;  a->adj[1] = 0;
    a->adj_face[0] = a->adj_face[1] = -1;
}

/* Everything but the planes; spare has room for nv ints. */
static void hull_write_all(const hull_arrays *a, int *spare, const slip_real *points, slip_hull *hull)
{
    hull_write_vertices(a, points, hull);
    hull->nv = a->nv;
    hull->nf = a->nf;
    hull->ne = a->nv - 1;
    if (a->nf > 0) {
        hull->ne = hull_write_edges(a);
        hull_write_neighbours(a, spare);
    } else {
        hull_write_segment(a);
    }
    hull->vertex = a->vertex;  hull->soa = a->soa;  hull->stride = a->stride;  hull->plane = a->plane;
    hull->loop_start = a->start;  hull->loop = a->loop;  hull->loop_twin = a->loop_twin;  hull->edge = a->edge;
    hull->adj_start = a->adj_start;  hull->adj = a->adj;  hull->adj_face = a->adj_face;
}

/* ---- a solid -------------------------------------------------------------------------------------- */

/* The half-edge of a face's loop that starts at the lowest-numbered corner. */
static int hull_loop_start(const hull_work *w, const hull_faces *f, int face)
{
    int h = f->first[face], start = -1;

    do {
        const int p = hull_from(w, h);

        if (f->degree[p] > 0 && (start < 0 || p < hull_from(w, start))) start = h;
        h = f->next[h];
    } while (h != f->first[face]);
    return start;
}

/* Writes the loop of a face from entry `at` on; position[h] is the entry of half-edge h. */
static int hull_write_loop(const hull_work *w, const hull_faces *f, hull_arrays *a, int face, int *position, int at)
{
    const int start = hull_loop_start(w, f, face);
    int h = start;

    do {
        const int p = hull_from(w, h);

        if (f->degree[p] > 0) {
            a->loop[at] = w->next[p];
            a->face[at] = face;
            position[h] = at++;
        }
        h = f->next[h];
    } while (h != start);
    return at;
}

/* The other entry of each edge: it begins where the last half-edge before the next corner ends. */
static void hull_write_twins(const hull_work *w, const hull_faces *f, hull_arrays *a, const int *position)
{
    int h, last;

    for (h = 0; h < 3*w->ntri; ++h) {
        if (f->next[h] < 0 || f->degree[hull_from(w, h)] == 0) continue;
        for (last = h; f->degree[hull_to(w, last)] == 0; last = f->next[last]) { }
        a->twin[position[h]] = position[slip_hull_twin(w, last)];
    }
}

slip_status slip_hull_write(const hull_work *w, hull_faces *f, const slip_real *points, slip_arena *arena,
                            slip_hull *hull)
{
    hull_arrays a;
    int *number = w->next, *position = f->prev;          /* neither is needed any more for what it was */
    int i, nv = 0, nl = 0, at = 0;

    for (i = 0; i < w->n; ++i) if (f->degree[i] > 0) number[i] = nv++;
    for (i = 0; i < f->nf; ++i) nl += f->length[i];
    if (!hull_arrays_take(nv, f->nf, nl, arena, &a)) return SLIP_ERR_WORKSPACE;
    for (i = 0; i < w->n; ++i) if (f->degree[i] > 0) a.corner[number[i]] = i;
    for (i = 0; i < f->nf; ++i) {
        a.start[i] = at;
        at = hull_write_loop(w, f, &a, i, position, at);
    }
    a.start[f->nf] = at;
    hull_write_twins(w, f, &a, position);
    hull_write_all(&a, w->fan, points, hull);
    for (i = 0; i < f->nf; ++i) hull_write_plane(&a, i, w->tri[f->seed[i]].n, w->tri[f->seed[i]].v, points);
    return SLIP_OK;
}

/* ---- a polygon, a segment, a point ---------------------------------------------------------------- */

slip_status slip_hull_write_flat(const int *corner, int n, const double normal[3], int *spare, const slip_real *points,
                                 slip_arena *arena, slip_hull *hull)
{
    const double back[3] = { -normal[0], -normal[1], -normal[2] };
    const int solid = n > 2;
    hull_arrays a;
    int i;

    if (!hull_arrays_take(n, solid ? 2 : 0, solid ? 2*n : 0, arena, &a)) return SLIP_ERR_WORKSPACE;
    for (i = 0; i < n; ++i) a.corner[i] = corner[i];
    for (i = 0; solid && i < n; ++i) {                   /* entry i: i -> i + 1;  entry n + i: -i -> -i - 1 */
        a.loop[i] = i;
        a.loop[n + i] = (n - i) % n;
        a.face[i] = 0;
        a.face[n + i] = 1;
        a.twin[i] = n + (2*n - i - 1) % n;
        a.twin[n + i] = (2*n - i - 1) % n;
    }
    if (solid) { a.start[0] = 0;  a.start[1] = n;  a.start[2] = 2*n; }
    hull_write_all(&a, spare, points, hull);
    if (solid) {
        hull_write_plane(&a, 0, normal, corner, points);
        hull_write_plane(&a, 1, back, corner, points);
    }
    return SLIP_OK;
}
