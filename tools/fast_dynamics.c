/* Poses, inverse and forward dynamics and the mass matrix of one robot, as terms. Each is the textbook recursion in the
 * axes of the bodies, at their origins: RNEA (Luh, Walker, Paul 1980), CRBA (Walker, Orin 1982), ABA (Featherstone
 * 1983). Accelerations are the classical ones of the origins, as in src/rbd. */
#include "fast_robot.h"

#include <stdlib.h>

void fast_expand(const fast_code *f, const term *v, term *x)
{
    const slip_model *m = f->r->m;
    int d;

    for (d = 0; d < m->ndofs; ++d) x[d] = term_mul(f->g, term_constant(f->g, (double)m->dof_scale[d]), v[m->dof_iv[d]]);
}

void fast_gather(const fast_code *f, const term *y, term *tau)
{
    const slip_model *m = f->r->m;
    int d;

    for (d = 0; d < m->nv; ++d) tau[d] = term_constant(f->g, 0);
    for (d = 0; d < m->ndofs; ++d)
        tau[m->dof_iv[d]] = term_add(f->g, tau[m->dof_iv[d]],
                                     term_mul(f->g, term_constant(f->g, (double)m->dof_scale[d]), y[d]));
}

/* Velocities or accelerations x of a joint's freedoms as vectors: u of the origin, w of the turning. */
static void fast_joint_motion(const fast_code *f, int b, const term *x, term3 *u, term3 *w)
{
    const int type = f->r->m->type[b], n = slip_joint_nv((slip_joint_type)type);
    int axis[6], i;

    *u = *w = fast_zero3(f->g);
    fast_axes(type, axis);
    for (i = 0; i < n; ++i) *(axis[i] < 3 ? u->x + axis[i] : w->x + axis[i] - 3) = x[i];
}

void fast_poses(const fast_code *f, term9 *R, term3 *p)
{
    const slip_model *m = f->r->m;
    term_graph *g = f->g;
    int b, i;

    p[0] = fast_zero3(g);
    for (i = 0; i < 9; ++i) R[0].x[i] = term_constant(g, i % 4 == 0);
    for (b = 1; b < m->nbodies; ++b) {
        const fast_joint *j = &f->joint[b];
        const term9 *P = &R[m->parent[b]];

        fast_section(f, "pose", b);
        p[b] = fast_add3(g, p[m->parent[b]], fast_mat_vec(g, P, j->p));
        if (!j->about_z) { R[b] = fast_mat_mul(g, P, &j->R);  continue; }
        R[b] = fast_mat_mul(g, P, &j->T);
        for (i = 0; i < 9; i += 3) {
            const term x = R[b].x[i], y = R[b].x[i + 1];

            R[b].x[i] = term_add(g, term_mul(g, j->c, x), term_mul(g, j->s, y));
            R[b].x[i + 1] = term_sub(g, term_mul(g, j->c, y), term_mul(g, j->s, x));
        }
    }
}

/* ---- inverse dynamics -------------------------------------------------------------------------------------- */

/* A body's motion and the force and moment f, n that it needs, in its own axes. */
typedef struct { term3 w, alpha, acc, f, n; term9 K; } fast_motion;

/* K = [alpha]x + [w]x [w]x: a point at r from the origin accelerates by K r more than the origin does. */
static term9 fast_K(term_graph *g, term3 w, term3 alpha)
{
    term square[3];
    term9 K;
    int i;

    for (i = 0; i < 3; ++i) square[i] = term_mul(g, w.x[i], w.x[i]);
    for (i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const term product = term_mul(g, w.x[j], w.x[k]);

        K.x[4*i] = term_neg(g, term_add(g, square[j], square[k]));
        K.x[3*j + k] = term_sub(g, product, alpha.x[i]);
        K.x[3*k + j] = term_add(g, product, alpha.x[i]);
    }
    return K;
}

/* n = I alpha + w x I w, sorted by the entries of I; with K at hand, each is a product. */
static term3 fast_turning_moment(term_graph *g, const term I[10], const fast_motion *v)
{
    static const int moment[3] = { 4, 7, 9 }, product[3] = { 8, 6, 5 };          /* I_ii; I_jk of the other two axes */
    term3 n;
    int i;

    for (i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const term w_jk = term_mul(g, v->w.x[j], v->w.x[k]);
        const term squares = term_sub(g, term_mul(g, v->w.x[j], v->w.x[j]), term_mul(g, v->w.x[k], v->w.x[k]));
        term sum = term_mul(g, I[moment[i]], v->alpha.x[i]);

        sum = term_add(g, sum, term_mul(g, term_sub(g, I[moment[k]], I[moment[j]]), w_jk));
        sum = term_add(g, sum, term_mul(g, I[product[j]], v->K.x[3*j + i]));     /* I_ik (alpha_k + w_i w_j) */
        sum = term_sub(g, sum, term_mul(g, I[product[k]], v->K.x[3*k + i]));     /* I_ij (alpha_j - w_i w_k) */
        n.x[i] = term_add(g, sum, term_mul(g, I[product[i]], squares));
    }
    return n;
}

/* f = m a + K h, n = I alpha + w x I w + h x a */
static void fast_body_force(const fast_code *f, int b, fast_motion *v)
{
    term_graph *g = f->g;
    term I[10];
    term3 h;
    int i;

    for (i = 0; i < 10; ++i) I[i] = term_constant(g, f->r->inertia[10*b + i]);
    for (i = 0; i < 3; ++i) h.x[i] = I[1 + i];
    v->f = fast_add3(g, fast_scale3(g, I[0], v->acc), fast_mat_vec(g, &v->K, h));
    v->n = fast_add3(g, fast_turning_moment(g, I, v), fast_cross(g, h, v->acc));
}

/* The motion of a body from its parent's, and its force. */
static void fast_outwards(const fast_code *f, int b, const fast_motion *parent, const term *x, const term *y,
                          fast_motion *v)
{
    term_graph *g = f->g;
    const fast_joint *j = &f->joint[b];
    const term3 w_p = fast_to_child(f, b, parent->w);
    const term3 at = fast_add3(g, parent->acc, fast_mat_vec(g, &parent->K, j->p));
    term3 u, w, du, dw;

    fast_joint_motion(f, b, x, &u, &w);
    fast_joint_motion(f, b, y, &du, &dw);
    v->w = fast_add3(g, w_p, w);
    v->alpha = fast_add3(g, fast_to_child(f, b, parent->alpha), fast_add3(g, fast_cross(g, w_p, w), dw));
    v->acc = fast_add3(g, fast_to_child(f, b, at), fast_add3(g, fast_cross(g, fast_add3(g, w_p, v->w), u), du));
    v->K = fast_K(g, v->w, v->alpha);
    fast_body_force(f, b, v);
}

/* The world, which accelerates upwards. */
static fast_motion fast_world_motion(const fast_code *f)
{
    fast_motion v;
    int i;

    v.w = v.alpha = v.acc = v.f = v.n = fast_zero3(f->g);
    for (i = 0; i < 3; ++i) v.acc.x[i] = term_constant(f->g, -(double)f->r->m->gravity[i]);
    for (i = 0; i < 9; ++i) v.K.x[i] = term_constant(f->g, 0);
    return v;
}

/* Adds a body's force to its parent's: f, n + r x f in the parent's axes. */
static void fast_hand_force(const fast_code *f, int b, term3 force, term3 moment, term3 *to_f, term3 *to_n)
{
    const term3 F = fast_to_parent(f, b, force);
    const term3 N = fast_add3(f->g, fast_to_parent(f, b, moment), fast_cross(f->g, f->joint[b].p, F));

    *to_f = fast_add3(f->g, *to_f, F);
    *to_n = fast_add3(f->g, *to_n, N);
}

static void fast_inwards(const fast_code *f, int b, const term *y, fast_motion *v, term *tau)
{
    const slip_model *m = f->r->m;
    const int first = m->idof[b], n = slip_joint_nv((slip_joint_type)m->type[b]);
    int axis[6], i;

    fast_section(f, "inwards", b);
    fast_axes(m->type[b], axis);
    for (i = 0; i < n; ++i) {
        const term rotor = term_mul(f->g, term_constant(f->g, (double)m->dof_armature[first + i]), y[first + i]);

        tau[first + i] = term_add(f->g, axis[i] < 3 ? v[b].f.x[axis[i]] : v[b].n.x[axis[i] - 3], rotor);
    }
    if (m->parent[b] != 0) fast_hand_force(f, b, v[b].f, v[b].n, &v[m->parent[b]].f, &v[m->parent[b]].n);
}

void fast_rnea(const fast_code *f, const term *x, const term *y, term *tau)
{
    const slip_model *m = f->r->m;
    fast_motion *v = (fast_motion *)cli_alloc((size_t)m->nbodies*sizeof *v);
    int b, k;

    v[0] = fast_world_motion(f);
    for (b = 1; b < m->nbodies; ++b) {
        fast_section(f, "outwards", b);
        fast_outwards(f, b, &v[m->parent[b]], x + m->idof[b], y + m->idof[b], &v[b]);
        for (k = b; k != 0 && f->r->last[k] == b; k = m->parent[k]) fast_inwards(f, k, y, v, tau);
    }
    free(v);
}

/* ---- the mass matrix --------------------------------------------------------------------------------------- */

/* Inertia of a subtree at the origin of its first body, in that body's axes. */
typedef struct { term m; term3 h; term9 I; } fast_inertia;

static fast_inertia fast_own_inertia(const fast_code *f, int b)
{
    static const int at[9] = { 4, 5, 6, 5, 7, 8, 6, 8, 9 };
    const double *in = f->r->inertia + 10*b;
    fast_inertia c;
    int i;

    c.m = term_constant(f->g, in[0]);
    c.h = fast_constant3(f->g, in + 1);
    for (i = 0; i < 9; ++i) c.I.x[i] = term_constant(f->g, in[at[i]]);
    return c;
}

/* Adds a subtree's inertia to its parent's: with u = h + m r/2,  h += h' + m r,
 * I += I' + 2 (r . u) 1 - r u' - u r'. */
static void fast_hand_inertia(const fast_code *f, int b, const fast_inertia *c, fast_inertia *to)
{
    term_graph *g = f->g;
    const term3 r = f->joint[b].p, h = fast_to_parent(f, b, c->h), mr = fast_scale3(g, c->m, r);
    const term9 I = fast_turn_matrix(f, b, c->I);
    const term3 u = fast_add3(g, h, fast_scale3(g, term_constant(g, 0.5), mr));
    term ru[9];
    int i, j;

    for (i = 0; i < 9; ++i) ru[i] = term_mul(g, r.x[i/3], u.x[i % 3]);
    for (i = 0; i < 3; ++i)
        for (j = i; j < 3; ++j) {
            const int k = (i + 1) % 3, l = (i + 2) % 3;
            term sum = i == j ? term_add(g, ru[4*k], ru[4*l]) : term_neg(g, term_add(g, ru[3*i + j], ru[3*j + i]));

            if (i == j) sum = term_add(g, sum, sum);
            to->I.x[3*i + j] = to->I.x[3*j + i] = term_add(g, to->I.x[3*i + j], term_add(g, I.x[3*i + j], sum));
        }
    to->m = term_add(g, to->m, c->m);
    to->h = fast_add3(g, to->h, fast_add3(g, h, mr));
}

/* Momentum of a subtree that moves along (0 to 2) or turns about (3 to 5) an axis of its first body. */
static void fast_momentum(term_graph *g, const fast_inertia *c, int axis, term3 *F, term3 *N)
{
    term3 e = fast_zero3(g);

    e.x[axis % 3] = term_constant(g, 1);
    *F = axis < 3 ? fast_scale3(g, c->m, e) : fast_cross(g, e, c->h);
    *N = axis < 3 ? fast_cross(g, c->h, e) : fast_mat_vec(g, &c->I, e);
}

/* Adds x to the entries of a pair of freedoms, in M of the coordinates: E' M E for mimic joints. */
static void fast_mass_entry(const fast_code *f, int d, int e, term x, term *M)
{
    const slip_model *m = f->r->m;
    const int i = m->dof_iv[d], j = m->dof_iv[e], n = m->nv;
    term_graph *g = f->g;

    x = term_mul(g, term_constant(g, (double)m->dof_scale[d]*(double)m->dof_scale[e]), x);
    if (i == j && d != e) x = term_add(g, x, x);         /* itself and its mirror image */
    M[i*n + j] = term_add(g, M[i*n + j], x);
    M[j*n + i] = M[i*n + j];
}

/* The entries of one freedom with those of the bodies above, and with its own body's up to itself. */
static void fast_mass_row(const fast_code *f, int b, int k, const fast_inertia *c, term *M)
{
    const slip_model *m = f->r->m;
    term_graph *g = f->g;
    const int d = m->idof[b] + k;
    int axis[6], p, i;
    term3 F, N;

    fast_axes(m->type[b], axis);
    fast_momentum(g, c, axis[k], &F, &N);
    for (p = b; p != 0; p = m->parent[p]) {
        const int n = p == b ? k + 1 : slip_joint_nv((slip_joint_type)m->type[p]);

        fast_axes(m->type[p], axis);
        for (i = 0; i < n; ++i)
            fast_mass_entry(f, d, m->idof[p] + i, axis[i] < 3 ? F.x[axis[i]] : N.x[axis[i] - 3], M);
        F = fast_to_parent(f, p, F);
        N = fast_add3(g, fast_to_parent(f, p, N), fast_cross(g, f->joint[p].p, F));
    }
    fast_mass_entry(f, d, d, term_constant(g, (double)m->dof_armature[d]), M);
}

void fast_crba(const fast_code *f, term *M)
{
    const slip_model *m = f->r->m;
    fast_inertia *c = (fast_inertia *)cli_alloc((size_t)m->nbodies*sizeof *c);
    int b, i;

    for (i = 0; i < m->nv*m->nv; ++i) M[i] = term_constant(f->g, 0);
    for (b = 0; b < m->nbodies; ++b) c[b] = fast_own_inertia(f, b);
    for (b = m->nbodies - 1; b > 0; --b) {               /* children first */
        fast_section(f, "subtree", b);
        for (i = 0; i < slip_joint_nv((slip_joint_type)m->type[b]); ++i) fast_mass_row(f, b, i, &c[b], M);
        if (m->parent[b] != 0) fast_hand_inertia(f, b, &c[b], &c[m->parent[b]]);
    }
    free(c);
}

/* ---- forward dynamics by articulated bodies ---------------------------------------------------------------- */

/* Of a body: articulated inertia, 6x6 with the linear axes first, and bias force; of its freedoms: U/D and
 * (tau - s . p)/D. */
typedef struct { term I[6][6], p[6], U[6][6], u[6]; } fast_articulated;

static void fast_articulated_begin(const fast_code *f, int b, const fast_motion *v, fast_articulated *a)
{
    term_graph *g = f->g;
    const fast_inertia c = fast_own_inertia(f, b);
    int i, j;

    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j) {
            a->I[i][j] = i == j ? c.m : term_constant(g, 0);
            a->I[3 + i][3 + j] = c.I.x[3*i + j];
            a->I[i][3 + j] = term_constant(g, 0);        /* -[h]x, below */
        }
    for (i = 0; i < 3; ++i) {
        const int k = (i + 1) % 3, l = (i + 2) % 3;

        a->I[k][3 + l] = c.h.x[i];
        a->I[l][3 + k] = term_neg(g, c.h.x[i]);
        a->p[i] = v->f.x[i];
        a->p[3 + i] = v->n.x[i];
    }
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j) a->I[3 + j][i] = a->I[i][3 + j];
}

/* Eliminates the freedom k of a body, along the axis s: IA -= U U'/D, p += U u/D. What is left of IA's row s is the
 * rotor's inertia times U/D, which is written as such: zero without a rotor. */
static void fast_eliminate(term_graph *g, fast_articulated *a, int k, int s, double armature, term tau)
{
    const term rotor = term_constant(g, armature), D = term_add(g, a->I[s][s], rotor);
    const term D_inv = term_div(g, term_constant(g, 1), D);
    term U[6];
    int i, j;

    for (i = 0; i < 6; ++i) U[i] = a->I[s][i];
    for (i = 0; i < 6; ++i) a->U[k][i] = term_mul(g, U[i], D_inv);
    a->U[k][s] = term_sub(g, term_constant(g, 1), term_mul(g, rotor, D_inv));
    a->u[k] = term_mul(g, D_inv, term_sub(g, tau, a->p[s]));
    for (i = 0; i < 6; ++i) {
        a->p[i] = i == s ? term_sub(g, tau, term_mul(g, rotor, a->u[k]))
            : term_add(g, a->p[i], term_mul(g, U[i], a->u[k]));
        for (j = i; j < 6; ++j) {
            const term left = i == s || j == s ? term_mul(g, rotor, a->U[k][i == s ? j : i])
                : term_sub(g, a->I[i][j], term_mul(g, a->U[k][i], U[j]));

            a->I[i][j] = a->I[j][i] = left;
        }
    }
}

/* Block (i, j) of a 6x6 matrix, each 0 or 3. */
static term9 fast_block(const fast_articulated *a, int i, int j)
{
    term9 B;
    int k;

    for (k = 0; k < 9; ++k) B.x[k] = a->I[i + k/3][j + k % 3];
    return B;
}

static term3 fast_row(const term9 *A, int i)
{
    term3 r;

    r.x[0] = A->x[3*i];  r.x[1] = A->x[3*i + 1];  r.x[2] = A->x[3*i + 2];
    return r;
}

/* Adds an articulated inertia [A B; B^T C] to the parent's, r away: A stays, B' = B - A [r]x,
 * C' = C - B^T [r]x + [r]x B'. */
static void fast_hand_articulated(const fast_code *f, int b, const fast_articulated *a, fast_articulated *to)
{
    term_graph *g = f->g;
    const term3 r = f->joint[b].p;
    const term9 A = fast_turn_matrix(f, b, fast_block(a, 0, 0)), B = fast_turn_matrix(f, b, fast_block(a, 0, 3));
    const term9 C = fast_turn_matrix(f, b, fast_block(a, 3, 3)), Bt = fast_transpose(&B);
    term9 shifted, St;
    int i, j;

    for (i = 0; i < 3; ++i) {
        const term3 row = fast_cross(g, fast_row(&A, i), r);

        for (j = 0; j < 3; ++j) shifted.x[3*i + j] = term_sub(g, B.x[3*i + j], row.x[j]);
    }
    St = fast_transpose(&shifted);
    for (i = 0; i < 3; ++i) {
        const term3 row = fast_cross(g, fast_row(&Bt, i), r);

        for (j = 0; j < 3; ++j) {
            to->I[i][j] = term_add(g, to->I[i][j], A.x[3*i + j]);
            to->I[i][3 + j] = to->I[3 + j][i] = term_add(g, to->I[i][3 + j], shifted.x[3*i + j]);
            if (j < i) continue;
            to->I[3 + i][3 + j] = term_add(g, to->I[3 + i][3 + j], term_add(g, term_sub(g, C.x[3*i + j], row.x[j]),
                                           fast_cross(g, r, fast_row(&St, j)).x[i]));
            to->I[3 + j][3 + i] = to->I[3 + i][3 + j];
        }
    }
}

static void fast_aba_inwards(const fast_code *f, int b, const term *tau, fast_articulated *a)
{
    const slip_model *m = f->r->m;
    const int first = m->idof[b], parent = m->parent[b];
    int axis[6], k = slip_joint_nv((slip_joint_type)m->type[b]) - 1, i;
    term3 F, N, to_f, to_n;

    fast_section(f, "inwards", b);
    fast_axes(m->type[b], axis);
    for (; k >= 0; --k)
        fast_eliminate(f->g, &a[b], k, axis[k], (double)m->dof_armature[first + k], tau[first + k]);
    if (parent == 0) return;
    fast_hand_articulated(f, b, &a[b], &a[parent]);
    for (i = 0; i < 3; ++i) {
        F.x[i] = a[b].p[i];
        N.x[i] = a[b].p[3 + i];
        to_f.x[i] = a[parent].p[i];
        to_n.x[i] = a[parent].p[3 + i];
    }
    fast_hand_force(f, b, F, N, &to_f, &to_n);
    for (i = 0; i < 3; ++i) {
        a[parent].p[i] = to_f.x[i];
        a[parent].p[3 + i] = to_n.x[i];
    }
}

/* The deviation delta from the motion without joint accelerations, from the parent's, and the accelerations. */
static void fast_aba_outwards(const fast_code *f, int b, const fast_articulated *a, const term parent[6], term delta[6],
                              term *acc)
{
    const slip_model *m = f->r->m;
    term_graph *g = f->g;
    const int n = slip_joint_nv((slip_joint_type)m->type[b]);
    term3 v, w;
    int axis[6], i, k;

    fast_section(f, "accelerations", b);
    fast_axes(m->type[b], axis);
    for (i = 0; i < 3; ++i) { v.x[i] = parent[i];  w.x[i] = parent[3 + i]; }
    v = fast_to_child(f, b, fast_add3(g, v, fast_cross(g, w, f->joint[b].p)));
    w = fast_to_child(f, b, w);
    for (i = 0; i < 3; ++i) { delta[i] = v.x[i];  delta[3 + i] = w.x[i]; }
    for (k = 0; k < n; ++k) {
        term sum = a->u[k];

        for (i = 0; i < 6; ++i) sum = term_sub(g, sum, term_mul(g, a->U[k][i], delta[i]));
        acc[m->idof[b] + k] = sum;
        delta[axis[k]] = term_add(g, delta[axis[k]], sum);
    }
}

void fast_aba(const fast_code *f, const term *x, const term *tau, term *acc)
{
    const slip_model *m = f->r->m;
    const size_t nb = (size_t)m->nbodies;
    fast_motion *v = (fast_motion *)cli_alloc(nb*sizeof *v);
    fast_articulated *a = (fast_articulated *)cli_alloc(nb*sizeof *a);
    term (*delta)[6] = (term (*)[6])cli_alloc(nb*sizeof *delta), none[6];
    int b, k;

    for (k = 0; k < 6; ++k) none[k] = delta[0][k] = term_constant(f->g, 0);
    v[0] = fast_world_motion(f);
    for (b = 1; b < m->nbodies; ++b) {
        fast_section(f, "outwards", b);
        fast_outwards(f, b, &v[m->parent[b]], x + m->idof[b], none, &v[b]);
        fast_articulated_begin(f, b, &v[b], &a[b]);
        for (k = b; k != 0 && f->r->last[k] == b; k = m->parent[k]) fast_aba_inwards(f, k, tau, a);
    }
    for (b = 1; b < m->nbodies; ++b) fast_aba_outwards(f, b, &a[b], delta[m->parent[b]], delta[b], acc);
    free(v);
    free(a);
    free(delta);
}
