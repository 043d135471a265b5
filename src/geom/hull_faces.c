/* From triangles to faces: triangles within the tolerance of one plane become one convex polygon.
 *
 * Faces grow from the largest triangle left, one triangle at a time and always as a disc, so a face has one
 * simple loop and Euler's formula survives. If the grown polygon turns out to have a dent deeper than the
 * tolerance (a smooth surface much finer than the tolerance), it is grown again convex at every step. */
#include "geom/hull_private.h"

static void hull_sift(int *order, int at, int n, int (*before)(const void *, int, int), const void *context)
{
    const int p = order[at];

    for (;;) {
        int child = 2*at + 1;

        if (child >= n) break;
        if (child + 1 < n && before(context, order[child], order[child + 1])) ++child;
        if (!before(context, p, order[child])) break;
        order[at] = order[child];
        at = child;
    }
    order[at] = p;
}

void slip_hull_sort(int *order, int n, int (*before)(const void *context, int p, int q), const void *context)
{
    int i;

    for (i = n/2 - 1; i >= 0; --i) hull_sift(order, i, n, before, context);
    for (i = n - 1; i > 0; --i) {
        const int p = order[0];

        order[0] = order[i];
        order[i] = p;
        hull_sift(order, 0, i, before, context);
    }
}

static int hull_larger(const void *work, int s, int t)
{
    const hull_work *w = (const hull_work *)work;

    return w->tri[s].size != w->tri[t].size ? w->tri[s].size > w->tri[t].size : s < t;
}

int slip_hull_faces_take(int n, slip_arena *arena, hull_faces *f)
{
    const size_t m = (size_t)n, nt = 2*m + 4;

    f->order = (int *)slip_arena_scratch(arena, nt, sizeof(int));
    f->owner = (int *)slip_arena_scratch(arena, nt, sizeof(int));
    f->next = (int *)slip_arena_scratch(arena, 3*nt, sizeof(int));
    f->prev = (int *)slip_arena_scratch(arena, 3*nt, sizeof(int));
    f->stack = (int *)slip_arena_scratch(arena, 6*nt, sizeof(int));
    f->on_loop = (int *)slip_arena_scratch(arena, m, sizeof(int));
    f->degree = (int *)slip_arena_scratch(arena, m, sizeof(int));
    f->first = (int *)slip_arena_scratch(arena, nt, sizeof(int));
    f->length = (int *)slip_arena_scratch(arena, nt, sizeof(int));
    f->seed = (int *)slip_arena_scratch(arena, nt, sizeof(int));
    return f->order && f->owner && f->next && f->prev && f->stack && f->on_loop && f->degree && f->first && f->length
        && f->seed;
}

static int hull_turned(int h, int by) { return h - h % 3 + (h + by) % 3; }     /* within its triangle */

int slip_hull_twin(const hull_work *w, int h)
{
    const int t = w->tri[h/3].adj[h % 3], b = hull_to(w, h);
    const int *v = w->tri[t].v;

    return 3*t + (v[0] == b ? 0 : v[1] == b ? 1 : 2);
}

static void hull_join(hull_faces *f, int h, int g) { f->next[h] = g;  f->prev[g] = h; }

/* Depth of the dent at corner q of a loop ... p q r ... of the polygon with this normal; < 0: it is convex. */
static double hull_dent(const hull_work *w, const double n[3], int p, int q, int r)
{
    double u[3], v[3], c[3], base, turn;

    hull_diff(hull_at(w, q), hull_at(w, p), u);
    hull_diff(hull_at(w, r), hull_at(w, p), v);
    slip_hull_cross(u, v, c);
    turn = hull_dot(c, n);
    base = sqrt(hull_dot(v, v));
    return base > 0 ? -turn/base : 0;
}

/* The state of a growing face. */
typedef struct {
    int id, seed, length;    /* length of the loop */
    int convex;              /* whether every step must leave it convex */
} hull_patch;

/* Whether triangle t lies in the plane of the seed: no corner deeper than the tolerance, and not the
 * underside of a sheet. */
static int hull_coplanar(const hull_work *w, int seed, int t)
{
    const hull_tri *s = &w->tri[seed], *f = &w->tri[t];
    int i;

    if (!(hull_dot(s->n, f->n) > 0)) return 0;
    for (i = 0; i < 3; ++i) if (fabs(hull_height(w, s, f->v[i])) > w->tol) return 0;
    return 1;
}

/* Adds the triangle across h, whose third corner is new to the loop: h becomes two edges. */
static int hull_grow_out(const hull_work *w, hull_faces *f, hull_patch *patch, int h, int across)
{
    const int before = f->prev[h], after = f->next[h], g1 = hull_turned(across, 1), g2 = hull_turned(across, 2);
    const int tip = hull_to(w, g1);
    const double *n = w->tri[patch->seed].n;

    if (f->on_loop[tip] == patch->id) return 0;                        /* would pinch the disc */
    if (patch->convex && (hull_dent(w, n, hull_from(w, before), hull_from(w, h), tip) > w->tol
                          || hull_dent(w, n, tip, hull_to(w, h), hull_to(w, after)) > w->tol)) return 0;
    hull_join(f, before, g1);
    hull_join(f, g1, g2);
    hull_join(f, g2, after);
    f->next[h] = -1;
    f->on_loop[tip] = patch->id;
    ++patch->length;
    return 1;
}

/* Adds the triangle that touches the loop along h and the edge after it: both become one edge, and the
 * corner between them is inside the face. It stays marked: no other triangle can reach it. */
static int hull_grow_in(const hull_work *w, hull_faces *f, hull_patch *patch, int h, int across)
{
    const int after = f->next[h], edge = hull_turned(across, 1);
    const double *n = w->tri[patch->seed].n;
    const int before = f->prev[h], beyond = f->next[after];

    if (patch->length <= 3) return 0;
    if (patch->convex && (hull_dent(w, n, hull_from(w, before), hull_from(w, edge), hull_to(w, edge)) > w->tol
                          || hull_dent(w, n, hull_from(w, edge), hull_to(w, edge), hull_to(w, beyond)) > w->tol))
        return 0;
    hull_join(f, before, edge);
    hull_join(f, edge, beyond);
    f->next[h] = f->next[after] = -1;
    --patch->length;
    return 1;
}

/* Tries to add the triangle across the loop's edge h; 1 when it was added. */
static int hull_grow(const hull_work *w, hull_faces *f, hull_patch *patch, int h)
{
    const int across = slip_hull_twin(w, h), t = across/3;
    const int left = slip_hull_twin(w, hull_turned(across, 1)), right = slip_hull_twin(w, hull_turned(across, 2));
    const int meets_left = f->prev[h] == left, meets_right = f->next[h] == right;
    int grown = 0;

    if (f->owner[t] >= 0 || !hull_coplanar(w, patch->seed, t)) return 0;
    if (meets_left && meets_right) return 0;
    if (meets_right)     grown = hull_grow_in(w, f, patch, h, across);
    else if (meets_left) grown = hull_grow_in(w, f, patch, left, slip_hull_twin(w, left));
    else                 grown = hull_grow_out(w, f, patch, h, across);
    if (grown) f->owner[t] = patch->id;
    return grown;
}

/* Grows a face from its seed; leaves the loop in next and prev and returns one of its half-edges. */
static int hull_patch_grow(const hull_work *w, hull_faces *f, hull_patch *patch)
{
    int depth = 0, i, start = 3*patch->seed;

    patch->length = 3;
    f->owner[patch->seed] = patch->id;
    for (i = 0; i < 3; ++i) {
        hull_join(f, 3*patch->seed + i, 3*patch->seed + (i + 1) % 3);
        f->on_loop[w->tri[patch->seed].v[i]] = patch->id;
        f->stack[depth++] = 3*patch->seed + i;
    }
    while (depth > 0) {
        const int h = f->stack[--depth], before = f->prev[h], after = f->next[h];

        if (after < 0 || !hull_grow(w, f, patch, h)) continue;
        start = f->next[before] >= 0 ? f->next[before] : f->prev[after];   /* one of the two is still on the loop */
        f->stack[depth++] = start;
        f->stack[depth++] = f->next[start];
        f->stack[depth++] = f->prev[start];
    }
    return start;
}

static double hull_worst_dent(const hull_work *w, const hull_faces *f, const hull_patch *patch, int start)
{
    double worst = 0;
    int h = start;

    do {
        const int g = f->next[h];

        worst = fmax(worst, hull_dent(w, w->tri[patch->seed].n, hull_from(w, h), hull_to(w, h), hull_to(w, g)));
        h = g;
    } while (h != start);
    return worst;
}

/* Takes a face apart again: its triangles are those within reach of the seed that carry its number. */
static void hull_patch_undo(const hull_work *w, hull_faces *f, const hull_patch *patch)
{
    int depth = 0, i;

    f->stack[depth++] = patch->seed;
    f->owner[patch->seed] = -1;
    while (depth > 0) {
        const int t = f->stack[--depth];

        for (i = 0; i < 3; ++i) {
            const int s = w->tri[t].adj[i];

            f->next[3*t + i] = -1;
            f->on_loop[w->tri[t].v[i]] = -1;
            if (f->owner[s] != patch->id) continue;
            f->owner[s] = -1;
            f->stack[depth++] = s;
        }
    }
}

/* ---- corners that are none ------------------------------------------------------------------------ */

/* Distance of the end of h from the segment a b. */
static double hull_bend(const hull_work *w, int h, int a, int b)
{
    double e[3], d[3], s;
    int i;

    hull_diff(hull_at(w, b), hull_at(w, a), e);
    hull_diff(hull_at(w, hull_to(w, h)), hull_at(w, a), d);
    s = fmin(fmax(hull_dot(e, d)/hull_dot(e, e), 0), 1);
    for (i = 0; i < 3; ++i) d[i] -= s*e[i];
    return sqrt(hull_dot(d, d));
}

/* Whether all corners from the end of `from` to the end of `to` are within the tolerance of the segment
 * from the start of `from` to point b. */
static int hull_is_straight(const hull_work *w, const hull_faces *f, int from, int to, int b)
{
    const int a = hull_from(w, from);
    int h = from;

    if (a == b) return 0;
    for (;; h = f->next[h]) {
        if (hull_bend(w, h, a, b) > w->tol) return 0;
        if (h == to) return 1;
    }
}

/* Drops (degree 0) the corners of a face where only two faces meet and the edge goes straight on. The face
 * with the lower number decides, and no loop falls below three corners. */
static void hull_straighten(const hull_work *w, hull_faces *f, int face)
{
    int start = f->first[face], anchor, h;

    for (h = f->next[start]; h != f->first[face] && f->degree[hull_from(w, start)] == 2; h = f->next[h]) start = h;
    for (anchor = h = start; f->next[h] != start; h = f->next[h]) {
        const int q = hull_to(w, h), other = f->owner[slip_hull_twin(w, h)/3];

        if (f->degree[q] == 0) continue;
        if (f->degree[q] == 2 && face < other && f->length[face] > 3 && f->length[other] > 3
            && hull_is_straight(w, f, anchor, h, hull_to(w, f->next[h]))) {
            f->degree[q] = 0;
            --f->length[face];
            --f->length[other];
        } else {
            anchor = f->next[h];
        }
    }
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static void hull_faces_begin(const hull_work *w, hull_faces *f)
{
    int t, i;

    f->ntri = f->nf = 0;
    for (t = 0; t < w->ntri; ++t) {
        if (w->tri[t].alive) f->order[f->ntri++] = t;
        f->owner[t] = -1;
        for (i = 0; i < 3; ++i) f->next[3*t + i] = -1;
    }
    for (i = 0; i < w->n; ++i) { f->on_loop[i] = -1;  f->degree[i] = 0; }
    slip_hull_sort(f->order, f->ntri, hull_larger, w);
}

static void hull_face_make(const hull_work *w, hull_faces *f, int seed)
{
    hull_patch patch;

    patch.id = f->nf;
    patch.seed = seed;
    patch.convex = 0;
    f->first[patch.id] = hull_patch_grow(w, f, &patch);
    if (hull_worst_dent(w, f, &patch, f->first[patch.id]) > w->tol) {
        hull_patch_undo(w, f, &patch);
        patch.convex = 1;
        f->first[patch.id] = hull_patch_grow(w, f, &patch);
    }
    f->seed[patch.id] = seed;
    f->length[f->nf++] = patch.length;
}

void slip_hull_merge(const hull_work *w, hull_faces *f)
{
    int i, h;

    hull_faces_begin(w, f);
    for (i = 0; i < f->ntri; ++i)
        if (f->owner[f->order[i]] < 0) hull_face_make(w, f, f->order[i]);
    for (h = 0; h < 3*w->ntri; ++h)
        if (f->next[h] >= 0) ++f->degree[hull_from(w, h)];
    for (i = 0; i < f->nf; ++i) hull_straighten(w, f, i);
}
