/* See joint_space.h. */
#include "contact/joint_space.h"

#include <string.h>
#include "contact/lu.h"

#define JOINT_FULL  300               /* columns up to which a full LU can stand in                      */
#define JOINT_GROUP 4                 /* most contacts of a group */

enum { JOINT_LANES = SLIP_NODE_LANES, JOINT_ROWS = 3*JOINT_GROUP };

/* ---- columns and nodes ------------------------------------------------------------------------------------------- */

/* Numbers the coordinates that the problem touches, in j->lane; their count, or -1 without memory. */
static int joint_columns(slip_joint_space *j, slip_arena *arena)
{
    const slip_delassus *G = &j->p->G;
    const int entries = G->ystart[slip_block_count(j->p)];
    int e, count = 0;

    j->lane = slip_arena_ints(arena, (size_t)G->nv);
    if (!j->lane) return -1;
    for (e = 0; e < G->nv; ++e) j->lane[e] = -1;
    for (e = 0; e < entries; ++e) j->lane[G->ycol[e]] = 0;
    for (e = 0; e < G->nv; ++e) if (j->lane[e] == 0) j->lane[e] = count++;
    return count;
}

/* Whether blocks i - 1 and i, contacts both, can be in one group. */
static int joint_alike(const slip_joint_space *j, int i)
{
    const slip_delassus *G = &j->p->G;
    const int *a = G->ycol + G->ystart[i - 1], *b = G->ycol + G->ystart[i], n = G->ystart[i + 1] - G->ystart[i];

    return i < j->p->nc && G->ystart[i] - G->ystart[i - 1] == n && G->yat[i] == G->yat[i - 1] + 3*n
        && memcmp(a, b, (size_t)n*sizeof(int)) == 0;
}

static void joint_groups(slip_joint_space *j)
{
    int i;

    j->groups = 0;
    for (i = 0; i < slip_block_count(j->p); ++i)
        if (i == 0 || i - j->group[j->groups - 1] == JOINT_GROUP || !joint_alike(j, i)) j->group[j->groups++] = i;
    j->group[j->groups] = i;
}

/* node[c] of each column: columns that occur in the same groups, at most six; small neighbours share one. Returns their
 * number. */
static int joint_nodes(const slip_joint_space *j, int *node)
{
    const int *ystart = j->p->G.ystart, *ycol = j->p->G.ycol;
    int c, e, k, nodes = 0, rows = 0, size;

    memset(node, 0, ((size_t)j->columns + 1)*sizeof(int));
    for (k = 0; k < j->groups; ++k) {
        const int from = ystart[j->group[k]], to = ystart[j->group[k] + 1];

        for (e = from; e < to; ++e) {                    /* a run of columns ends: cut before and behind it */
            c = j->lane[ycol[e]];
            if (e == from || j->lane[ycol[e - 1]] != c - 1) node[c] = 1;
            if (e + 1 == to || j->lane[ycol[e + 1]] != c + 1) node[c + 1] = 1;
        }
    }
    for (c = 0; c < j->columns; c += size) {
        for (size = 1; size < SLIP_NODE && c + size < j->columns && !node[c + size]; ++size) {}
        if (c == 0 || rows + size > SLIP_NODE) { ++nodes;  rows = 0; }
        for (e = 0; e < size; ++e) node[c + e] = nodes - 1;
        rows += size;
    }
    return nodes;
}

/* Nodes meet in the groups that touch them. */
static void joint_meet(const slip_joint_space *j, const int *node, int nodes, uint64_t *meets)
{
    const int *ystart = j->p->G.ystart, *ycol = j->p->G.ycol;
    int e, f, k;

    memset(meets, 0, slip_node_meets_words(nodes)*sizeof *meets);
    for (k = 0; k < j->groups; ++k) {
        const int from = ystart[j->group[k]], to = ystart[j->group[k] + 1];

        for (e = from; e < to; ++e) {
            const int a = node[j->lane[ycol[e]]];

            if (e > from && node[j->lane[ycol[e - 1]]] == a) continue;
            for (f = from; f < to; ++f) slip_node_meet(meets, nodes, a, node[j->lane[ycol[f]]]);
        }
    }
}

/* Numbers and orders the nodes; afterwards j->lane holds indices of lanes. */
static int joint_order(slip_joint_space *j, slip_arena *arena)
{
    const size_t high = slip_arena_mark_scratch(arena), columns = (size_t)j->columns;
    int *node = (int *)slip_arena_scratch(arena, columns + 1, sizeof(int)), nodes = node ? joint_nodes(j, node) : 0;
    uint64_t *meets = (uint64_t *)slip_arena_scratch(arena, slip_node_meets_words(nodes), sizeof(uint64_t));
    int ok = node && meets, c, within = 0, last = -1;

    if (ok) joint_meet(j, node, nodes, meets);
    ok = ok && slip_node_lu_analyse(&j->lu, nodes, meets, arena);
    for (c = 0; ok && c < j->p->G.nv; ++c) {
        if (j->lane[c] < 0) continue;
        within = node[j->lane[c]] == last ? within + 1 : 0;
        last = node[j->lane[c]];
        j->lane[c] = JOINT_LANES*j->lu.place[last] + within;
    }
    j->lanes = JOINT_LANES*nodes;
    slip_arena_release_scratch(arena, high);
    return ok;
}

/* ---- parts of groups --------------------------------------------------------------------------------------------- */

/* Nodes that group k touches, into `nodes` (one per entry at most); their count. */
static int joint_parts(const slip_joint_space *j, int k, int *nodes)
{
    const slip_delassus *G = &j->p->G;
    const int from = G->ystart[j->group[k]], to = G->ystart[j->group[k] + 1];
    int e, f, count = 0, last = -1;

    for (e = from; e < to; ++e) {
        const int node = j->lane[G->ycol[e]]/JOINT_LANES;

        if (node == last) continue;
        last = node;
        for (f = 0; f < count && nodes[f] != node; ++f) {}
        if (f == count) nodes[count++] = node;
    }
    return count;
}

static int joint_rows(const slip_joint_space *j, int k)
{
    return (j->group[k + 1] - j->group[k])*slip_block_dim(j->p, j->group[k]);
}

/* Rows of a group as V's transpose has them: a multiple of four. */
static int joint_room(const slip_joint_space *j, int k) { return (joint_rows(j, k) + 3)/4*4; }

/* The groups' parts into j->node (one per entry at most), counts of pairs and of numbers; returns the largest
 * group's. */
static size_t joint_count(slip_joint_space *j)
{
    size_t most = 0;
    int k;

    j->numbers = j->turned = 0;
    j->part[0] = j->pair[0] = 0;
    for (k = 0; k < j->groups; ++k) {
        const int parts = joint_parts(j, k, j->node + j->part[k]);
        const size_t size = JOINT_LANES*(size_t)parts*(size_t)joint_rows(j, k);

        j->part[k + 1] = j->part[k] + parts;
        j->pair[k + 1] = j->pair[k] + parts*parts;
        j->vat[k] = (uint32_t)j->numbers;
        j->numbers += size;
        j->wat[k] = (uint32_t)j->turned;
        j->turned += (size_t)(SLIP_NODE*parts*joint_room(j, k));
        most = size > most ? size : most;
    }
    return most;
}

/* Where what the pairs of a group's nodes add to K goes. */
static void joint_places(slip_joint_space *j, int k)
{
    const int *node = j->node + j->part[k], parts = j->part[k + 1] - j->part[k];
    int a, b;

    for (a = 0; a < parts; ++a)
        for (b = 0; b < parts; ++b) {
            struct slip_joint_space_place *s = &j->place[j->pair[k] + a*parts + b];

            s->at = slip_node_lu_block(&j->lu, node[a], node[b], &s->ld, &s->transposed);
        }
}

/* Groups, nodes and the place of everything; 0 without memory. */
static int joint_carve_pattern(slip_joint_space *j, slip_arena *arena)
{
    const int *ystart = j->p->G.ystart;
    size_t groups, entries = 0;
    int k;

    joint_groups(j);
    groups = (size_t)j->groups;
    for (k = 0; k < j->groups; ++k) entries += (size_t)(ystart[j->group[k] + 1] - ystart[j->group[k]]);
    j->part = slip_arena_ints(arena, groups + 1);
    j->pair = slip_arena_ints(arena, groups + 1);
    j->node = slip_arena_ints(arena, entries);
    j->vat = (uint32_t *)slip_arena_take(arena, groups, sizeof *j->vat);
    j->wat = (uint32_t *)slip_arena_take(arena, groups, sizeof *j->wat);
    return !arena->failed && joint_order(j, arena);
}

static int joint_carve_numbers(slip_joint_space *j, slip_arena *arena)
{
    const size_t order = (size_t)(j->columns < JOINT_FULL ? j->columns : JOINT_FULL), most = joint_count(j);
    int k;

    j->order = (int)order;
    j->place = (struct slip_joint_space_place *)slip_arena_take(arena, (size_t)j->pair[j->groups], sizeof *j->place);
    j->V = slip_arena_reals(arena, j->numbers);
    j->W = slip_arena_reals(arena, j->turned);
    j->T = slip_arena_reals(arena, most);
    j->v = slip_arena_reals(arena, 2*(size_t)j->lanes);
    j->K = slip_arena_reals(arena, order*order);
    j->pivot = slip_arena_ints(arena, order);
    j->packed = slip_arena_reals(arena, order);
    for (k = 0; !arena->failed && k < j->groups; ++k) joint_places(j, k);
    return !arena->failed;
}

int slip_joint_space_carve(slip_joint_space *j, const slip_problem *p, slip_arena *arena)
{
    const size_t mark = slip_arena_mark(arena), m = (size_t)slip_block_count(p);
    int ok;

    j->p = p;
    if (slip_arena_is_counting(arena) || p->n == 0 || p->G.nv <= 0) return 0;
    j->columns = joint_columns(j, arena);
    ok = j->columns >= 0;
    j->group = ok ? slip_arena_ints(arena, m + 1) : NULL;
    j->H = ok ? slip_arena_reals(arena, 9*m) : NULL;
    if (ok && !arena->failed && joint_carve_pattern(j, arena) && joint_carve_numbers(j, arena))
        return 1;
    slip_arena_release(arena, mark);
    arena->failed = 0;
    return 0;
}

double slip_joint_space_flops(const slip_joint_space *j)
{
    const double block = 2.0*SLIP_NODE*JOINT_LANES;      /* flops of a row's outer product over two nodes */
    double flops = 0;
    int k;

    for (k = 0; k < j->groups; ++k) {
        const double parts = j->part[k + 1] - j->part[k];

        flops += block*parts*parts*joint_rows(j, k);
    }
    for (k = 0; k < j->lu.nodes; ++k) {
        const double c = j->lu.start[k + 1] - j->lu.start[k];

        flops += block*SLIP_NODE*(c + 1)*(c + 1);
    }
    return flops;
}

double slip_joint_space_solve_flops(const slip_joint_space *j)
{
    return 2.0*(double)(j->numbers + j->turned + j->lu.entries);
}

/* ---- products with V --------------------------------------------------------------------------------------------- */

/* One group: `rows` rows of V from `row` on, `parts` times eight numbers each. */
typedef struct {
    slip_real *V;
    const int *node;
    int parts, rows, row;
} joint_group;

static inline joint_group joint_group_of(const slip_joint_space *j, int k)
{
    joint_group g;

    g.V = j->V + j->vat[k];
    g.node = j->node + j->part[k];
    g.parts = j->part[k + 1] - j->part[k];
    g.rows = joint_rows(j, k);
    g.row = slip_block_row(j->p, j->group[k]);
    return g;
}

void slip_joint_space_open(slip_joint_space *j, const slip_real *D)
{
    const slip_delassus *G = &j->p->G;
    int k, r, e, a;

    memset(j->V, 0, j->numbers*sizeof(slip_real));
    memset(j->W, 0, j->turned*sizeof(slip_real));
    for (k = 0; k < j->groups; ++k) {
        const joint_group g = joint_group_of(j, k);
        const int first = j->group[k], from = G->ystart[first], n = G->ystart[first + 1] - from;
        const int room = joint_room(j, k);

        for (e = 0; e < n; ++e) {                        /* the group's rows of Y stand one behind the other */
            const int lane = j->lane[G->ycol[from + e]], within = lane % JOINT_LANES;
            const slip_real *y = G->y + G->yat[first] + e;
            slip_real *V, *W;

            for (a = 0; g.node[a] != lane/JOINT_LANES; ++a) {}
            V = g.V + JOINT_LANES*a + within;
            W = j->W + j->wat[k] + (SLIP_NODE*a + within)*room;
            for (r = 0; r < g.rows; ++r) V[JOINT_LANES*g.parts*r] = W[r] = D ? D[g.row + r]*y[r*n] : y[r*n];
        }
    }
}

/* Vectors of rows x, and of lanes v: one of each, or two at once, which take little longer (node_lu.c). */
typedef struct { slip_real *x[2], *v[2]; } joint_vectors;

/* v of a part, and of the next one, += V' x; `parts` and `count` are constants where this is called. */
static inline void joint_gather_parts(const joint_group *g, int a, int parts, int count, const joint_vectors *z)
{
    const slip_real *V = g->V + JOINT_LANES*a;
    slip_lanes sum[2][2*SLIP_NODE_PARTS];
    int i, r, e, b;

    for (i = 0; i < count; ++i)
        for (b = 0; b < parts; ++b)
            for (e = 0; e < SLIP_NODE_PARTS; ++e)
                sum[i][b*SLIP_NODE_PARTS + e] = slip_quad_load(z->v[i] + JOINT_LANES*g->node[a + b], e);
    for (r = 0; r < g->rows; ++r, V += JOINT_LANES*g->parts)
        for (e = 0; e < parts*SLIP_NODE_PARTS; ++e)
            for (i = 0; i < count; ++i) sum[i][e] += z->x[i][g->row + r]*slip_quad_load(V, e);
    for (i = 0; i < count; ++i)
        for (b = 0; b < parts; ++b)
            for (e = 0; e < SLIP_NODE_PARTS; ++e)
                slip_quad_store(z->v[i] + JOINT_LANES*g->node[a + b], e, sum[i][b*SLIP_NODE_PARTS + e]);
}

/* Whether all of a group's rows of all vectors are zero: contacts that are open. */
static inline int joint_is_zero(const joint_group *g, int count, const joint_vectors *z)
{
    int i, r;

    for (i = 0; i < count; ++i) for (r = g->row; r < g->row + g->rows; ++r) if (z->x[i][r] != 0) return 0;
    return 1;
}

static inline void joint_gather(const slip_joint_space *j, int count, const joint_vectors *z)
{
    int i, k, a;

    for (i = 0; i < count; ++i) memset(z->v[i], 0, (size_t)j->lanes*sizeof(slip_real));
    for (k = 0; k < j->groups; ++k) {
        const joint_group g = joint_group_of(j, k);

        if (joint_is_zero(&g, count, z)) continue;
        for (a = 0; a + 1 < g.parts; a += 2) joint_gather_parts(&g, a, 2, count, z);
        if (a < g.parts) joint_gather_parts(&g, a, 1, count, z);
    }
}

void slip_joint_space_gather(const slip_joint_space *j, const slip_real *x, slip_real *v)
{
    joint_vectors z = { { NULL, NULL }, { NULL, NULL } };

    z.x[0] = (slip_real *)x;                                  /* only read */
    z.v[0] = v;
    joint_gather(j, 1, &z);
}

/* x (rows of the group) = V v from W, whose rows are lanes: no sum across lanes is needed. `room`: rows, rounded up. */
static inline void joint_spread_group(const joint_group *g, const slip_real *W, int room, int count,
                                      const joint_vectors *z)
{
    const int parts = room/SLIP_QUAD_LANES;
    slip_lanes sum[2][JOINT_ROWS/SLIP_QUAD_LANES];
    int i, a, e, r;

    memset(sum, 0, (size_t)count*sizeof sum[0]);
    for (a = 0; a < g->parts; ++a)
        for (e = 0; e < SLIP_NODE; ++e, W += room)
            for (r = 0; r < parts; ++r)
                for (i = 0; i < count; ++i) sum[i][r] += z->v[i][JOINT_LANES*g->node[a] + e]*slip_quad_load(W, r);
    for (i = 0; i < count; ++i) {
        slip_real *out = z->x[i] + g->row;

        if (g->rows == room) for (r = 0; r < parts; ++r) slip_quad_store(out, r, sum[i][r]);
        else memcpy(out, sum[i], (size_t)g->rows*sizeof(slip_real));
    }
}

static inline void joint_spread(const slip_joint_space *j, int count, const joint_vectors *z)
{
    int k;

    for (k = 0; k < j->groups; ++k) {
        const joint_group g = joint_group_of(j, k);
        const slip_real *W = j->W + j->wat[k];

        if (g.rows > 8) joint_spread_group(&g, W, 12, count, z);
        else if (g.rows > 4) joint_spread_group(&g, W, 8, count, z);
        else joint_spread_group(&g, W, 4, count, z);
    }
}

void slip_joint_space_spread(const slip_joint_space *j, const slip_real *v, slip_real *out)
{
    joint_vectors z = { { NULL, NULL }, { NULL, NULL } };

    z.x[0] = out;
    z.v[0] = (slip_real *)v;                                  /* only read */
    joint_spread(j, 1, &z);
}

/* ---- factorisation ----------------------------------------------------------------------------------------------- */

/* T = H V of a group, H one block of 3x3 or a number each. */
static void joint_weigh(const joint_group *g, const slip_real *H, int dim, slip_real *SLIP_RESTRICT T)
{
    const int n = JOINT_LANES*g->parts;
    int r, c, e;

    if (dim == 1) for (e = 0; e < n; ++e) T[e] = H[0]*g->V[e];
    else for (c = 0; c < g->rows; c += 3, H += 9) {
        const slip_real *a = g->V + c*n, *b = a + n, *d = b + n;

        for (e = 0; e < n/SLIP_QUAD_LANES; ++e) {
            const slip_lanes x = slip_quad_load(a, e), y = slip_quad_load(b, e), z = slip_quad_load(d, e);

            for (r = 0; r < 3; ++r) slip_quad_store(T + (c + r)*n, e, H[3*r]*x + H[3*r + 1]*y + H[3*r + 2]*z);
        }
    }
}

/* K += V' H V of group k */
static void joint_add(slip_joint_space *j, int k)
{
    const joint_group g = joint_group_of(j, k);
    const struct slip_joint_space_place *place = j->place + j->pair[k];
    const int n = JOINT_LANES*g.parts;
    int a, b;

    joint_weigh(&g, j->H + 9*j->group[k], slip_block_dim(j->p, j->group[k]), j->T);
    for (a = 0; a < g.parts; ++a)
        for (b = 0; b < g.parts; ++b, ++place) {
            const slip_real *X = g.V + JOINT_LANES*a, *Y = j->T + JOINT_LANES*b;

            if (place->transposed) slip_node_add(Y, X, g.rows, n, j->lu.D + place->at, place->ld);
            else slip_node_add(X, Y, g.rows, n, j->lu.D + place->at, place->ld);
        }
}

/* K = I + V' H V into the blocks of j->lu */
static void joint_matrix(slip_joint_space *j)
{
    int i, k;

    slip_node_lu_clear(&j->lu);
    for (k = 0; k < j->lu.nodes; ++k) for (i = 0; i < SLIP_NODE; ++i) j->lu.D[(SLIP_NODE*k + i)*JOINT_LANES + i] = 1;
    for (k = 0; k < j->groups; ++k) joint_add(j, k);
}

/* The blocks of j->lu written out in K, columns in the order of coordinates, and factored there. */
static int joint_factor_full(slip_joint_space *j)
{
    const int nv = j->p->G.nv;
    int a, b, r = 0, c;

    for (a = 0; a < nv; ++a) {
        slip_real *row = j->K + (size_t)r*(size_t)j->columns;
        const int la = j->lane[a];

        if (la < 0) continue;
        for (b = 0, c = 0; b < nv; ++b) {
            const int lb = j->lane[b];

            if (lb < 0) continue;
            row[c++] = slip_node_lu_entry(&j->lu, la, lb);
        }
        ++r;
    }
    return slip_lu_factor(j->columns, j->K, j->columns, j->pivot) == SLIP_OK;
}

int slip_joint_space_factor(slip_joint_space *j)
{
    joint_matrix(j);
    j->full = slip_node_lu_factor(&j->lu) != SLIP_OK;
    if (!j->full) return 1;
    if (j->columns > j->order) return 0;
    joint_matrix(j);
    return joint_factor_full(j);
}

int slip_joint_space_sign(const slip_joint_space *j)
{
    return j->full ? slip_lu_sign(j->columns, j->K, j->columns, j->pivot) : j->lu.sign;
}

void slip_joint_space_solve(slip_joint_space *j, slip_real *v)
{
    int a, c = 0;

    if (!j->full) { slip_node_lu_solve(&j->lu, v);  return; }
    for (a = 0; a < j->p->G.nv; ++a) if (j->lane[a] >= 0) j->packed[c++] = v[j->lane[a]];
    slip_lu_solve(j->columns, j->K, j->columns, j->pivot, j->packed);
    for (c = 0, a = 0; a < j->p->G.nv; ++a) if (j->lane[a] >= 0) v[j->lane[a]] = j->packed[c++];
}

void slip_joint_space_image_two(slip_joint_space *j, slip_real *x, slip_real *y)
{
    joint_vectors z;

    z.x[0] = x;
    z.x[1] = y;
    z.v[0] = j->v;
    z.v[1] = j->v + j->lanes;
    joint_gather(j, 2, &z);
    if (!j->full) slip_node_lu_solve_two(&j->lu, z.v[0], z.v[1]);
    else { slip_joint_space_solve(j, z.v[0]);  slip_joint_space_solve(j, z.v[1]); }
    joint_spread(j, 2, &z);
}
