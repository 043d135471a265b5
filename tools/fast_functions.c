/* See fast_functions.h. */
#include "fast_functions.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { FAST_Q, FAST_OUT_ARRAY = FAST_INPUTS };           /* numbers of the arrays in a graph */

/* About 16 KB of instructions, half of what first caches hold: an operation takes 8 bytes. */
enum { FAST_MOST_OPERATIONS = 2048 };

static term *fast_terms(int n) { return (term *)cli_alloc((size_t)n*sizeof(term)); }

/* An array of velocities, accelerations or forces of the coordinates, cli_alloc'd. */
static term *fast_inputs(const fast_code *f, int array)
{
    term *x = fast_terms(f->r->m->nv);
    int i;

    for (i = 0; i < f->r->m->nv; ++i) x[i] = term_input(f->g, array, i);
    return x;
}

/* The same over the freedoms; zeros for array 0. */
static term *fast_freedoms(const fast_code *f, int array)
{
    term *x = fast_terms(f->r->m->ndofs), *v = array ? fast_inputs(f, array) : NULL;
    int i;

    if (v) fast_expand(f, v, x);
    for (i = 0; !v && i < f->r->m->ndofs; ++i) x[i] = term_constant(f->g, 0);
    free(v);
    return x;
}

/* ---- dynamics ---------------------------------------------------------------------------------------------- */

/* Inverse dynamics with velocities and accelerations from these arrays, 0 for none. */
static void fast_inverse(const fast_code *f, int v, int a, term *out)
{
    term *x = fast_freedoms(f, v), *y = fast_freedoms(f, a), *tau = fast_terms(f->r->m->ndofs);

    fast_rnea(f, x, y, tau);
    fast_gather(f, tau, out);
    free(x);
    free(y);
    free(tau);
}

static void fast_build_rnea(const fast_code *f, const fast_function *what, term *out)
{
    (void)what;
    fast_inverse(f, 1, 2, out);
}

static void fast_build_bias(const fast_code *f, const fast_function *what, term *out)
{
    (void)what;
    fast_inverse(f, 1, 0, out);
}

static void fast_build_gravity(const fast_code *f, const fast_function *what, term *out)
{
    (void)what;
    fast_inverse(f, 0, 0, out);
}

static void fast_build_crba(const fast_code *f, const fast_function *what, term *out)
{
    (void)what;
    fast_crba(f, out);
}

/* The entries of L and D^-1 that are not zero, one after the other; where they are goes to place. */
static void fast_pack_factor(const term_graph *g, int n, const term *L, const term *D_inv, int *place, term *out)
{
    int i, k, next = 0;

    for (i = 0; i < n*n; ++i) place[i] = -1;
    for (k = 0; k < n; ++k) {
        for (i = 0; i < k; ++i) {
            if (term_is(g, L[k*n + i], 0)) continue;
            out[next] = L[k*n + i];
            place[k*n + i] = next++;
        }
        out[next] = D_inv[k];
        place[k*n + k] = next++;
    }
    for (; next < n*n; ++next) out[next] = -1;
}

static void fast_build_inverse(const fast_code *f, const fast_function *what, term *out)
{
    const int n = f->r->m->nv;
    term *L = fast_terms(n*n), *D_inv = fast_terms(n);

    fast_crba(f, L);
    term_section(f->g, "M = L' D L");
    fast_ltl(f->g, n, L, D_inv);
    term_section(f->g, "M^-1");
    if (what->place) fast_pack_factor(f->g, n, L, D_inv, what->place, out);
    else fast_ltl_inverse(f->g, n, L, D_inv, out);
    free(L);
    free(D_inv);
}

/* a = M^-1 (tau - nle) */
static void fast_forward_by_mass(const fast_code *f, term *out)
{
    const int n = f->r->m->nv;
    term *L = fast_terms(n*n), *D_inv = fast_terms(n), *tau = fast_inputs(f, 2);
    int i;

    fast_inverse(f, 1, 0, out);
    for (i = 0; i < n; ++i) out[i] = term_sub(f->g, tau[i], out[i]);
    fast_crba(f, L);
    term_section(f->g, "M = L' D L, then M^-1 (tau - nle)");
    fast_ltl(f->g, n, L, D_inv);
    fast_ltl_solve(f->g, n, L, D_inv, out);
    free(L);
    free(D_inv);
    free(tau);
}

static void fast_forward_by_bodies(const fast_code *f, term *out)
{
    term *x = fast_freedoms(f, 1), *tau = fast_inputs(f, 2);

    fast_aba(f, x, tau, out);
    free(x);
    free(tau);
}

/* Sums and products of forward dynamics, by articulated bodies or by the mass matrix. */
static int fast_forward_cost(const fast_code *f, int by_bodies)
{
    const int n = f->r->m->nv;
    term *out = fast_terms(n);
    term_graph g;
    fast_code code;
    term_cost c;
    int i;

    term_begin(&g);
    for (i = 0; i <= FAST_OUT_ARRAY; ++i) term_array(&g, "");
    fast_code_begin(&code, f->r, &g, FAST_Q);
    if (by_bodies) fast_forward_by_bodies(&code, out);
    else fast_forward_by_mass(&code, out);
    for (i = 0; i < n; ++i) term_output_set(&g, FAST_OUT_ARRAY, i, out[i]);
    c = term_count(&g);
    fast_code_end(&code);
    term_free(&g);
    free(out);
    return c.sums + c.products;
}

/* Of the two ways the cheaper one: articulated bodies cost most on short branches, M and L on deep trees. */
static void fast_build_aba(const fast_code *f, const fast_function *what, term *out)
{
    const int has_mimics = f->r->m->ndofs != f->r->m->nv;

    (void)what;
    if (!has_mimics && fast_forward_cost(f, 1) < fast_forward_cost(f, 0)) fast_forward_by_bodies(f, out);
    else fast_forward_by_mass(f, out);
}

/* ---- kinematics -------------------------------------------------------------------------------------------- */

/* The pose of a link from those of the bodies, with a link's own rounding errors taken out of right angles. */
static void fast_link_pose(const fast_code *f, int link, const term9 *R, const term3 *p, term9 *R_link, term3 *p_link)
{
    const slip_model *m = f->r->m;
    const int b = m->link_body[link];
    term3 at;
    term9 L;
    int i;

    for (i = 0; i < 3; ++i) at.x[i] = term_constant(f->g, (double)m->link_pose[link].p[i]);
    for (i = 0; i < 9; ++i) L.x[i] = term_constant(f->g, fast_rounded((double)m->link_pose[link].R[i]));
    *R_link = fast_mat_mul(f->g, &R[b], &L);
    *p_link = fast_add3(f->g, p[b], fast_mat_vec(f->g, &R[b], at));
}

static void fast_build_fk(const fast_code *f, const fast_function *what, term *out)
{
    const slip_model *m = f->r->m;
    term9 *R = (term9 *)cli_alloc((size_t)m->nbodies*sizeof *R), L;
    term3 *p = (term3 *)cli_alloc((size_t)m->nbodies*sizeof *p), at;
    int l, i;

    (void)what;
    fast_poses(f, R, p);
    term_section(f->g, "links");
    for (l = 0; l < m->nlinks; ++l) {
        fast_link_pose(f, l, R, p, &L, &at);
        for (i = 0; i < 9; ++i) out[12*l + i] = L.x[i];
        for (i = 0; i < 3; ++i) out[12*l + 9 + i] = at.x[i];
    }
    free(R);
    free(p);
}

/* The column of a freedom for a point at x in the world: its velocity, its angular velocity. */
static void fast_column(const fast_code *f, int d, const term9 *R, const term3 *p, term3 x, term column[6])
{
    const slip_model *m = f->r->m;
    const int b = m->dof_body[d];
    term3 z, v;
    int i;

    for (i = 0; i < 3; ++i) z.x[i] = R[b].x[3*i + m->dof_axis[d]];
    v = m->dof_angular[d] ? fast_cross(f->g, z, fast_sub3(f->g, x, p[b])) : z;
    for (i = 0; i < 3; ++i) {
        column[i] = v.x[i];
        column[3 + i] = m->dof_angular[d] ? z.x[i] : term_constant(f->g, 0);
    }
}

static void fast_build_columns(const fast_code *f, const fast_function *what, term *out)
{
    const slip_model *m = f->r->m;
    term9 *R = (term9 *)cli_alloc((size_t)m->nbodies*sizeof *R);
    term3 *p = (term3 *)cli_alloc((size_t)m->nbodies*sizeof *p);
    int d;

    (void)what;
    fast_poses(f, R, p);
    term_section(f->g, "columns");
    for (d = 0; d < m->ndofs; ++d) fast_column(f, d, R, p, fast_zero3(f->g), out + 6*d);
    free(R);
    free(p);
}

static void fast_build_jacobian(const fast_code *f, const fast_function *what, term *out)
{
    const slip_model *m = f->r->m;
    const int b = m->link_body[what->link];
    term9 *R = (term9 *)cli_alloc((size_t)m->nbodies*sizeof *R), L;
    term3 *p = (term3 *)cli_alloc((size_t)m->nbodies*sizeof *p), x;
    int d, i;

    fast_poses(f, R, p);
    term_section(f->g, "columns");
    fast_link_pose(f, what->link, R, p, &L, &x);
    for (i = 0; i < 6*m->nv; ++i) out[i] = term_constant(f->g, 0);
    for (d = m->idof[b] + slip_joint_nv((slip_joint_type)m->type[b]) - 1; b != 0 && d >= 0; d = m->dofs.parent[d]) {
        const term scale = term_constant(f->g, (double)m->dof_scale[d]);
        term column[6];

        fast_column(f, d, R, p, x, column);
        for (i = 0; i < 6; ++i) {
            term *entry = out + i*m->nv + m->dof_iv[d];

            *entry = term_add(f->g, *entry, term_mul(f->g, scale, column[i]));
        }
    }
    free(R);
    free(p);
}

/* ---- the list ---------------------------------------------------------------------------------------------- */

/* "jacobian_LINK" with what C does not allow in names replaced. Names that there are already, or that look like those
 * of batches, get the link's number behind them. */
static void fast_jacobian_name(const slip_model *m, const fast_function *before, int nbefore, int link, char *name)
{
    int i, n, taken;

    n = slip_format(name, FAST_NAME_SIZE - 12, "jacobian_%s", m->link_name[link]);
    for (i = 0; i < n; ++i) if (!isalnum((unsigned char)name[i])) name[i] = '_';
    taken = strcmp(name + n - 3, "_x4") == 0 || strcmp(name + n - 3, "_x8") == 0;
    for (i = 0; i < nbefore; ++i) taken |= strcmp(before[i].name, name) == 0;
    if (taken) slip_format(name + n, 12, "_%d", link);
}

/* The place of the rows of L when M^-1 is too long for a straight line: rows of numbers are then loops, which compilers
 * turn into vectors, while the line would be fetched from beyond the first cache of instructions. */
static int *fast_place_of_rows(const fast_robot *r, const fast_function *inverse)
{
    const size_t n = (size_t)r->m->nv;
    term_graph g;
    term_cost c;

    fast_function_graph(r, inverse, &g);
    c = term_count(&g);
    term_free(&g);
    return c.sums + c.products > FAST_MOST_OPERATIONS ? (int *)cli_alloc(n*n*sizeof(int)) : NULL;
}

fast_function *fast_functions(const fast_robot *r, int *n)
{
    const slip_model *m = r->m;
    const int nv = m->nv;
    const fast_function fixed[] = {
        { "fk", "World poses of all links; X may be a slip_pose[] by its address.", { "q", 0, 0 }, "X", 12*m->nlinks,
          0, 0, fast_build_fk },
        { "columns", "Columns of the Jacobian of all freedoms, [6] each, as slip_dof_columns().", { "q", 0, 0 }, "J",
          6*m->ndofs, 0, 0, fast_build_columns },
        { "rnea", "tau = M a + nle(q, v), as slip_rnea().", { "q", "v", "a" }, "tau", nv, 0, 0, fast_build_rnea },
        { "bias", "The same for a = 0, and for v = a = 0.", { "q", "v", 0 }, "tau", nv, 0, 0, fast_build_bias },
        { "gravity", NULL, { "q", 0, 0 }, "tau", nv, 0, 0, fast_build_gravity },
        { "crba", "M, full and symmetric, [nv*nv], as slip_mass_matrix().", { "q", 0, 0 }, "M", nv*nv, 0, 0,
          fast_build_crba },
        { "aba", "a = M^-1 (tau - nle), as slip_aba().", { "q", "v", "tau" }, "a", nv, 0, 0, fast_build_aba },
        { "minv", "M^-1 in full, [nv*nv], as slip_mass_matrix_inverse().", { "q", 0, 0 }, "M_inv", nv*nv, 0, 0,
          fast_build_inverse } };
    const int nfixed = (int)(sizeof fixed/sizeof *fixed);
    fast_function *list = (fast_function *)cli_alloc((size_t)(nfixed + m->nlinks)*sizeof *list);
    int l;

    memcpy(list, fixed, sizeof fixed);
    for (l = 0; l < m->nlinks; ++l) {
        fast_function *j = &list[nfixed + l];

        memset(j, 0, sizeof *j);
        fast_jacobian_name(m, list, nfixed + l, l, j->name);
        if (l == 0) j->about = "Jacobians of links, [6*nv], as slip_link_jacobian() with SLIP_FRAME_ALIGNED.";
        j->in[0] = "q";
        j->out = "J";
        j->out_size = 6*nv;
        j->link = l;
        j->build = fast_build_jacobian;
    }
    list[nfixed - 1].place = fast_place_of_rows(r, &list[nfixed - 1]);
    *n = nfixed + m->nlinks;
    return list;
}

void fast_functions_free(fast_function *list, int n)
{
    int i;

    for (i = 0; i < n; ++i) free(list[i].place);
    free(list);
}

int fast_input_size(const slip_model *m, const char *array) { return strcmp(array, "q") == 0 ? m->nq : m->nv; }

void fast_function_graph(const fast_robot *r, const fast_function *what, term_graph *g)
{
    term *out = fast_terms(what->out_size);
    fast_code f;
    int i;

    term_begin(g);
    for (i = 0; i < FAST_INPUTS; ++i) term_array(g, what->in[i] ? what->in[i] : "");
    term_array(g, what->place ? "L" : what->out);
    fast_code_begin(&f, r, g, FAST_Q);
    what->build(&f, what, out);
    for (i = 0; i < what->out_size && out[i] >= 0; ++i) term_output_set(g, FAST_OUT_ARRAY, i, out[i]);
    fast_code_end(&f);
    free(out);
}
