/* The branch-induced sparsity of a model, laid out once when it is built.
 *
 * Without mimic joints the elimination tree of the mass matrix is the tree of freedoms itself. A mimic
 * joint identifies two freedoms that may lie on different branches; the elimination tree of the reduced
 * matrix is then found by Liu's algorithm on its graph, eliminating from the last row to the first. */
#include "rbd/build_private.h"

#include <string.h>

/* The freedom next above the first freedom of a body, -1 at a root. Bodies always have freedoms. */
static int branches_dof_above(const slip_model *m, int body)
{
    const int p = m->parent[body];

    return p == 0 ? -1 : m->idof[p] + slip_joint_nv((slip_joint_type)m->type[p]) - 1;
}

static void branches_tree_parents(const slip_model *m, int *parent)
{
    int d;

    for (d = 0; d < m->ndofs; ++d) {
        const int body = m->dof_body[d];

        parent[d] = d == m->idof[body] ? branches_dof_above(m, body) : d - 1;
    }
}

/* Depths, rows and paths from parents; a parent's index is below its child's. */
static slip_status branches_lay_out(slip_arena *mem, int n, const int *parent, slip_branches *out)
{
    int *depth = slip_arena_ints(mem, (size_t)n), *row = slip_arena_ints(mem, (size_t)n), *path;
    int *run = slip_arena_ints(mem, (size_t)n), i, k, size = 0;

    if (!depth || !row || !run) return SLIP_ERR_WORKSPACE;
    for (i = 0; i < n; ++i) {
        depth[i] = parent[i] < 0 ? 0 : depth[parent[i]] + 1;
        row[i] = size;
        size += SLIP_PADDED(depth[i] + 1);
        if (size > SLIP_MODEL_MAX_ENTRIES) return SLIP_ERR_LIMIT;
    }
    path = slip_arena_ints(mem, (size_t)size);
    if (!path) return SLIP_ERR_WORKSPACE;
    for (i = 0; i < size; ++i) path[i] = -1;
    for (i = 0; i < n; ++i) {
        if (parent[i] >= 0) memcpy(path + row[i], path + row[parent[i]], (size_t)depth[i]*sizeof *path);
        path[row[i] + depth[i]] = i;
        for (k = 0; k < depth[i] && path[row[i] + k] == path[row[i]] + k; ++k) { }
        run[i] = k/2*2;
    }
    out->n = n;
    out->size = size;
    out->parent = parent;
    out->depth = depth;
    out->row = row;
    out->path = path;
    out->run = run;
    return SLIP_OK;
}

/* Edges (low, high) of the reduced graph, listed by their low end: start[low] .. start[low+1]. Every pair
 * of a freedom and one of its ancestors gives one. */
static void branches_edges(const slip_model *m, int *start, int *high)
{
    const slip_branches *t = &m->dofs;
    int pass, d, k;

    memset(start, 0, ((size_t)m->nv + 2)*sizeof *start);
    for (pass = 0; pass < 2; ++pass) {
        for (d = 0; d < m->ndofs; ++d)
            for (k = 0; k < t->depth[d]; ++k) {
                const int i = m->dof_iv[d], j = m->dof_iv[t->path[t->row[d] + k]];
                const int lo = i < j ? i : j, hi = i < j ? j : i;

                if (pass == 0) ++start[lo + 2];
                else high[start[lo + 1]++] = hi;
            }
        if (pass == 0) for (k = 2; k <= m->nv + 1; ++k) start[k] += start[k - 1];
    }
}

/* Liu's elimination tree, rows taken from the last to the first; `top` is the path-compressed ancestor. */
static void branches_liu(int n, const int *start, const int *high, int *top, int *parent)
{
    int k, e;

    for (k = n - 1; k >= 0; --k) {
        parent[k] = top[k] = -1;
        for (e = start[k]; e < start[k + 1]; ++e) {
            int r = high[e];

            while (r != k && top[r] >= 0 && top[r] != k) {
                const int up = top[r];

                top[r] = k;
                r = up;
            }
            if (r != k && top[r] < 0) { top[r] = k; parent[r] = k; }
        }
    }
}

static slip_status branches_reduced(build *b)
{
    slip_model *m = b->model;
    const size_t mark = slip_arena_mark_scratch(b->mem);
    int *parent = slip_arena_ints(b->mem, (size_t)m->nv);
    int *start = (int *)slip_arena_scratch(b->mem, (size_t)m->nv + 2, sizeof(int));
    int *high = (int *)slip_arena_scratch(b->mem, (size_t)m->dofs.size, sizeof(int));
    int *top = (int *)slip_arena_scratch(b->mem, (size_t)m->nv, sizeof(int));
    slip_status s = SLIP_ERR_WORKSPACE;

    if (parent && start && high && top) {
        branches_edges(m, start, high);
        branches_liu(m->nv, start, high, top, parent);
        s = branches_lay_out(b->mem, m->nv, parent, &m->branches);
    }
    slip_arena_release_scratch(b->mem, mark);
    return s;
}

slip_status slip_build_branches(build *b)
{
    slip_model *m = b->model;
    int *parent = slip_arena_ints(b->mem, (size_t)m->ndofs);
    slip_status s;

    if (!parent) return SLIP_ERR_WORKSPACE;
    branches_tree_parents(m, parent);
    s = branches_lay_out(b->mem, m->ndofs, parent, &m->dofs);
    if (s != SLIP_OK) return s;
    if (m->nv == m->ndofs) { m->branches = m->dofs; return SLIP_OK; }
    return branches_reduced(b);
}
