/* The constants of one robot and the geometry of its joints, as terms. See fast_robot.h. */
#include "fast_robot.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- constants --------------------------------------------------------------------------------------------- */

/* Rotations of right angles that were rounded on the way: entries near 0, 1 and -1 are taken as those. */
double fast_rounded(double x)
{
    const double nearest = (double)slip_floor((slip_real)x + SLIP_R(0.5)), eps = (double)SLIP_REAL_EPS;

    return x - nearest < 4*eps && nearest - x < 4*eps ? nearest : x;
}

/* S' = R S R' of the six numbers of a symmetric matrix, in double. */
static void fast_turn_sym(const double R[9], const double S[6], double out[6])
{
    static const int at[9] = { 0, 1, 2, 1, 3, 4, 2, 4, 5 };
    int i, j, k, l, n = 0;

    for (i = 0; i < 3; ++i)
        for (j = i; j < 3; ++j, ++n)
            for (out[n] = 0, k = 0; k < 3; ++k)
                for (l = 0; l < 3; ++l) out[n] += R[3*i + k]*S[at[3*k + l]]*R[3*j + l];
}

/* Adds to a body's inertia one that is given in its child's axes at its child's origin; both as 10 numbers. */
static void fast_add_to_parent(const double X[12], const double in[10], double to[10])
{
    double h[3], S[6], u[3], dot = 0;
    int i, j, n = 4;

    fast_turn_sym(X, in + 4, S);
    for (i = 0; i < 3; ++i) {
        h[i] = X[3*i]*in[1] + X[3*i + 1]*in[2] + X[3*i + 2]*in[3];
        u[i] = h[i] + in[0]*X[9 + i]/2;                  /* I += 2 (r . u) 1 - r u' - u r', see rbd/spatial.h */
        dot += X[9 + i]*u[i];
        to[1 + i] += h[i] + in[0]*X[9 + i];
    }
    to[0] += in[0];
    for (i = 0; i < 3; ++i)
        for (j = i; j < 3; ++j, ++n) to[n] += S[n - 4] + (i == j ? 2*dot : 0) - X[9 + i]*u[j] - u[i]*X[9 + j];
}

/* The part of a body's inertia that its joint does not move differently from the parent is handed to the parent: of a
 * hinge the masses on its axis and a thin rod along it, of a slide what turns, of a ball joint the mass at its
 * centre. */
static void fast_regroup(const fast_robot *r, int b)
{
    const int type = r->m->type[b], parent = r->m->parent[b];
    double *in = r->inertia + 10*b, part[10] = { 0 };
    int i;

    switch (type) {
    case SLIP_JOINT_REVOLUTE:
    case SLIP_JOINT_CONTINUOUS:
        part[0] = in[0];
        part[3] = in[3];
        part[4] = part[7] = in[7];
        break;
    case SLIP_JOINT_PRISMATIC: for (i = 4; i < 10; ++i) part[i] = in[i];  break;
    case SLIP_JOINT_PLANAR:    part[4] = part[7] = in[7];  break;
    case SLIP_JOINT_BALL:      part[0] = in[0];  break;
    default: return;
    }
    for (i = 0; i < 10; ++i) in[i] -= part[i];
    if (parent != 0) fast_add_to_parent(r->tree + 12*b, part, r->inertia + 10*parent);
}

void fast_robot_make(const slip_model *m, fast_robot *r)
{
    const size_t nb = (size_t)m->nbodies;
    int b, i;

    r->m = m;
    r->inertia = (double *)cli_alloc(10*nb*sizeof(double));
    r->tree = (double *)cli_alloc(12*nb*sizeof(double));
    r->last = (int *)cli_alloc(nb*sizeof(int));
    for (b = 0; b < m->nbodies; ++b) {
        for (i = 0; i < 10; ++i) r->inertia[10*b + i] = (double)m->inertia[10*b + i];
        for (i = 0; i < 9; ++i) r->tree[12*b + i] = fast_rounded((double)m->tree[b].R[i]);
        for (i = 0; i < 3; ++i) r->tree[12*b + 9 + i] = (double)m->tree[b].p[i];
        r->last[b] = b;
    }
    for (b = m->nbodies - 1; b > 0; --b) {               /* children first */
        fast_regroup(r, b);
        if (r->last[m->parent[b]] < r->last[b]) r->last[m->parent[b]] = r->last[b];
    }
}

void fast_robot_free(fast_robot *r)
{
    free(r->inertia);
    free(r->tree);
    free(r->last);
}

/* ---- vectors of terms -------------------------------------------------------------------------------------- */

term3 fast_constant3(term_graph *g, const double x[3])
{
    term3 r;
    int i;

    for (i = 0; i < 3; ++i) r.x[i] = term_constant(g, x[i]);
    return r;
}

term3 fast_zero3(term_graph *g)
{
    static const double zero[3] = { 0, 0, 0 };

    return fast_constant3(g, zero);
}

term3 fast_add3(term_graph *g, term3 a, term3 b)
{
    int i;

    for (i = 0; i < 3; ++i) a.x[i] = term_add(g, a.x[i], b.x[i]);
    return a;
}

term3 fast_sub3(term_graph *g, term3 a, term3 b)
{
    int i;

    for (i = 0; i < 3; ++i) a.x[i] = term_sub(g, a.x[i], b.x[i]);
    return a;
}

term3 fast_scale3(term_graph *g, term s, term3 a)
{
    int i;

    for (i = 0; i < 3; ++i) a.x[i] = term_mul(g, s, a.x[i]);
    return a;
}

term3 fast_cross(term_graph *g, term3 a, term3 b)
{
    term3 r;
    int i;

    for (i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;

        r.x[i] = term_sub(g, term_mul(g, a.x[j], b.x[k]), term_mul(g, a.x[k], b.x[j]));
    }
    return r;
}

/* x y' of rows or columns `step` apart */
static term fast_dot_of(term_graph *g, const term *x, int step, const term *y, int y_step)
{
    const term sum = term_add(g, term_mul(g, x[0], y[0]), term_mul(g, x[step], y[y_step]));

    return term_add(g, sum, term_mul(g, x[2*step], y[2*y_step]));
}

term fast_dot(term_graph *g, term3 a, term3 b) { return fast_dot_of(g, a.x, 1, b.x, 1); }

term3 fast_mat_vec(term_graph *g, const term9 *A, term3 x)
{
    term3 r;
    int i;

    for (i = 0; i < 3; ++i) r.x[i] = fast_dot_of(g, A->x + 3*i, 1, x.x, 1);
    return r;
}

term3 fast_tmat_vec(term_graph *g, const term9 *A, term3 x)
{
    term3 r;
    int i;

    for (i = 0; i < 3; ++i) r.x[i] = fast_dot_of(g, A->x + i, 3, x.x, 1);
    return r;
}

term9 fast_mat_mul(term_graph *g, const term9 *A, const term9 *B)
{
    term9 C;
    int i, j;

    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j) C.x[3*i + j] = fast_dot_of(g, A->x + 3*i, 1, B->x + j, 3);
    return C;
}

term9 fast_transpose(const term9 *A)
{
    term9 T;
    int i;

    for (i = 0; i < 9; ++i) T.x[i] = A->x[i % 3*3 + i/3];
    return T;
}

/* ---- joints ------------------------------------------------------------------------------------------------ */

/* A unit quaternion's rotation, divided by its length squared as slip_quat_to_mat3() does it. */
static term9 fast_quaternion(term_graph *g, int q, int first)
{
    term x[4], sx[3], P[9], wx[3], sum, scale;
    const term one = term_constant(g, 1);
    term9 R;
    int i, j;

    for (i = 0; i < 4; ++i) x[i] = term_input(g, q, first + i);
    sum = term_mul(g, x[0], x[0]);
    for (i = 1; i < 4; ++i) sum = term_add(g, sum, term_mul(g, x[i], x[i]));
    scale = term_div(g, term_constant(g, 2), sum);
    for (i = 0; i < 3; ++i) sx[i] = term_mul(g, scale, x[i]);
    for (i = 0; i < 3; ++i)
        for (j = i; j < 3; ++j) P[3*i + j] = P[3*j + i] = term_mul(g, sx[i], x[j]);
    for (i = 0; i < 3; ++i) wx[i] = term_mul(g, sx[i], x[3]);
    for (i = 0; i < 3; ++i) {
        const int k = (i + 1) % 3, l = (i + 2) % 3;

        R.x[4*i] = term_sub(g, one, term_add(g, P[4*k], P[4*l]));
        R.x[3*k + l] = term_sub(g, P[3*k + l], wx[i]);
        R.x[3*l + k] = term_add(g, P[3*k + l], wx[i]);
    }
    return R;
}

/* Whether a constant rotation costs so little that it is a step of its own: at most a turn about one axis. */
static int fast_is_cheap(const double R[9])
{
    int i, n = 0;

    for (i = 0; i < 9; ++i) n += R[i] != 0 && R[i] != 1 && R[i] != -1;
    return n <= 4;
}

/* T Rz with the terms of cosine and sine. */
static term9 fast_turned(term_graph *g, const term9 *T, term c, term s)
{
    term9 R = *T;
    int i;

    for (i = 0; i < 9; i += 3) {
        const term x = T->x[i], y = T->x[i + 1];

        R.x[i] = term_add(g, term_mul(g, c, x), term_mul(g, s, y));
        R.x[i + 1] = term_sub(g, term_mul(g, c, y), term_mul(g, s, x));
    }
    return R;
}

/* Where the joint's displacement puts the body, in axes of the joint's frame. */
static term3 fast_displacement(const fast_code *f, int b, int q)
{
    const slip_model *m = f->r->m;
    term_graph *g = f->g;
    term3 d = fast_zero3(g);
    int i;

    if (m->type[b] == SLIP_JOINT_PRISMATIC)
        d.x[2] = term_add(g, term_mul(g, term_constant(g, (double)m->scale[b]), term_input(g, q, m->iq[b])),
                          term_constant(g, (double)m->offset[b]));
    for (i = 0; i < 3; ++i)
        if (m->type[b] == SLIP_JOINT_FLOATING || (m->type[b] == SLIP_JOINT_PLANAR && i < 2))
            d.x[i] = term_input(g, q, m->iq[b] + i);
    return d;
}

static fast_joint fast_joint_of(const fast_code *f, int b, int q)
{
    const slip_model *m = f->r->m;
    const double *X = f->r->tree + 12*b;
    term_graph *g = f->g;
    fast_joint j;
    int i;

    memset(&j, 0, sizeof j);
    for (i = 0; i < 9; ++i) j.T.x[i] = term_constant(g, X[i]);
    j.R = j.T;
    j.p = fast_add3(g, fast_constant3(g, X + 9), fast_mat_vec(g, &j.T, fast_displacement(f, b, q)));
    if (m->type[b] == SLIP_JOINT_BALL || m->type[b] == SLIP_JOINT_FLOATING) {
        const term9 Q = fast_quaternion(g, q, m->iq[b] + (m->type[b] == SLIP_JOINT_FLOATING ? 3 : 0));

        j.R = fast_mat_mul(g, &j.T, &Q);
    } else if (m->type[b] != SLIP_JOINT_PRISMATIC) {
        const term angle = term_add(g, term_mul(g, term_constant(g, (double)m->turn[b]),
                                                term_input(g, q, m->angle[b])),
                                    term_constant(g, (double)m->offset[b]));

        j.c = term_cos(g, angle);
        j.s = term_sin(g, angle);
        j.about_z = fast_is_cheap(X);
        if (!j.about_z) j.R = fast_turned(g, &j.T, j.c, j.s);
    }
    return j;
}

void fast_code_begin(fast_code *f, const fast_robot *r, term_graph *g, int q)
{
    int b;

    f->g = g;
    f->r = r;
    f->joint = (fast_joint *)cli_alloc((size_t)r->m->nbodies*sizeof *f->joint);
    for (b = 1; b < r->m->nbodies; ++b) {
        fast_section(f, "joint", b);
        f->joint[b] = fast_joint_of(f, b, q);
    }
}

void fast_code_end(fast_code *f) { free(f->joint); }

void fast_section(const fast_code *f, const char *what, int body)
{
    const char *link = f->r->m->link_name[f->r->m->body_link[body]];
    char text[TERM_SECTION_SIZE];
    int n = slip_format(text, (int)sizeof text, "%s: ", what);

    for (; *link && n + 1 < (int)sizeof text; ++link)
        text[n++] = isalnum((unsigned char)*link) ? *link : '_';
    text[n] = '\0';
    term_section(f->g, text);
}

term3 fast_to_parent(const fast_code *f, int b, term3 x)
{
    const fast_joint *j = &f->joint[b];
    term_graph *g = f->g;
    term3 y = x;

    if (!j->about_z) return fast_mat_vec(g, &j->R, x);
    y.x[0] = term_sub(g, term_mul(g, j->c, x.x[0]), term_mul(g, j->s, x.x[1]));
    y.x[1] = term_add(g, term_mul(g, j->s, x.x[0]), term_mul(g, j->c, x.x[1]));
    return fast_mat_vec(g, &j->T, y);
}

term3 fast_to_child(const fast_code *f, int b, term3 x)
{
    const fast_joint *j = &f->joint[b];
    term_graph *g = f->g;
    term3 y;

    if (!j->about_z) return fast_tmat_vec(g, &j->R, x);
    x = y = fast_tmat_vec(g, &j->T, x);
    y.x[0] = term_add(g, term_mul(g, j->c, x.x[0]), term_mul(g, j->s, x.x[1]));
    y.x[1] = term_sub(g, term_mul(g, j->c, x.x[1]), term_mul(g, j->s, x.x[0]));
    return y;
}

/* Rz B Rz'. With e = c (B_xx - B_yy) - s (B_xy + B_yx) the four entries of the plane change by c e and s e. */
static term9 fast_turn_about_z(term_graph *g, term c, term s, const term9 *B)
{
    const term xx = B->x[0], xy = B->x[1], yx = B->x[3], yy = B->x[4];
    const term e = term_sub(g, term_mul(g, c, term_sub(g, xx, yy)), term_mul(g, s, term_add(g, xy, yx)));
    const term ce = term_mul(g, c, e), se = term_mul(g, s, e);
    term9 C = *B;
    int i;

    C.x[0] = term_add(g, yy, ce);
    C.x[1] = term_add(g, xy, se);
    C.x[3] = term_add(g, yx, se);
    C.x[4] = term_sub(g, xx, ce);
    for (i = 0; i < 2; ++i) {                            /* the last column, then the last row */
        const int x = i == 0 ? 2 : 6, y = i == 0 ? 5 : 7;

        C.x[x] = term_sub(g, term_mul(g, c, B->x[x]), term_mul(g, s, B->x[y]));
        C.x[y] = term_add(g, term_mul(g, s, B->x[x]), term_mul(g, c, B->x[y]));
    }
    return C;
}

term9 fast_turn_matrix(const fast_code *f, int b, term9 B)
{
    const fast_joint *j = &f->joint[b];
    const term9 *R = j->about_z ? &j->T : &j->R, T = fast_transpose(R);
    const int symmetric = B.x[1] == B.x[3] && B.x[2] == B.x[6] && B.x[5] == B.x[7];
    term9 C;

    if (j->about_z) B = fast_turn_about_z(f->g, j->c, j->s, &B);
    C = fast_mat_mul(f->g, R, &B);
    C = fast_mat_mul(f->g, &C, &T);
    if (symmetric) { C.x[3] = C.x[1];  C.x[6] = C.x[2];  C.x[7] = C.x[5]; }
    return C;
}

void fast_axes(int joint_type, int axis[6])
{
    const int n = slip_joint_nv((slip_joint_type)joint_type);
    int i;

    for (i = 0; i < n; ++i)
        axis[i] = joint_type == SLIP_JOINT_FLOATING ? i : joint_type == SLIP_JOINT_BALL ? 3 + i
            : joint_type == SLIP_JOINT_PLANAR ? (i < 2 ? i : 5) : joint_type == SLIP_JOINT_PRISMATIC ? 2 : 5;
}
