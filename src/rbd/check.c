/* Checks whether a model is physical. Many published descriptions are not: of 69 public robots a third break the
 * triangle inequality of the principal moments. An odd inertia is a warning that names the link; so is a joint without
 * inertia, for which forward dynamics does not exist unless it is repaired. The checks run after fixed links were
 * lumped, because only the sum matters. */
#include "rbd/build_private.h"

#include <string.h>

/* Above this number of multiply-adds the factorisation is not tried here; its first use reports the same fault. */
#define CHECK_MOST_COST 2e8

/* Principal moments of a body about its centre of mass. */
static void check_moments(const slip_real inertia[10], slip_real w[3])
{
    slip_real m, c[3], I[6], A[9], V[9];

    slip_inertia_to(inertia, &m, c, I);
    A[0] = I[0]; A[3] = A[1] = I[1]; A[6] = A[2] = I[2]; A[4] = I[3]; A[7] = A[5] = I[4]; A[8] = I[5];
    slip_mat3_eigen(A, w, V);
}

/* Warns when a body's inertia belongs to no distribution of mass. */
static slip_status check_body(const build *b, int body, slip_report *report, slip_error *err)
{
    const slip_link_def *link = &b->def->links[b->body_link[body]];
    const slip_real *I = b->inertia + 10*body;
    const slip_real reach = slip_abs(I[4]) + slip_abs(I[7]) + slip_abs(I[9]); /* rounding of the shift scales with it */
    slip_real w[3], slack;

    check_moments(I, w);
    slack = 64*SLIP_REAL_EPS*reach + SLIP_TOL(1e-9, 1e-5)*slip_abs(w[2]);
    if (I[0] == 0 && reach > 0)
        return slip_warn(report, err, link->line, link->column,
                         "link '%s' has rotational inertia but no mass", link->name);
    if (w[0] < -slack)
        return slip_warn(report, err, link->line, link->column,
                         "link '%s': principal moment of inertia %.4g is negative",
                         link->name, (double)w[0]);
    if (w[0] + w[1] < w[2] - slack)
        return slip_warn(report, err, link->line, link->column,
                         "link '%s': principal moments %.4g, %.4g, %.4g break the triangle inequality (the sum of two "
                         "must reach the third)",
                         link->name, (double)w[0], (double)w[1], (double)w[2]);
    return SLIP_OK;
}

static slip_real check_square(const slip_real a[3], const slip_real b[3])
{
    const slip_real d = slip_distance3(a, b);

    return d*d;
}

/* What a turning freedom could move at most, whatever its axis: twice the trace of the inertia, about the joint's
 * origin, of all bodies from `body` on. The diagonal of M is what it does move; below rounding of this that is
 * nothing. */
static slip_real check_reach(const slip_model *m, const slip_data *data, int body)
{
    slip_real sum = 0;
    int k;

    for (k = body; k < m->nbodies && (k == body || m->parent[k] >= body); ++k) {
        const slip_real *I = m->inertia + 10*k;
        slip_real c[3], at[3];

        if (!(I[0] > 0)) {
            sum += slip_abs(I[4]) + slip_abs(I[7]) + slip_abs(I[9]);
            continue;
        }
        slip_scale3(1/I[0], I + 1, c);
        slip_pose_point(&data->pose[k], c, at);
        sum += slip_abs(I[4] + I[7] + I[9] - 2*I[0]*slip_dot3(c, c)) + 2*I[0]*check_square(at, data->pose[body].p);
    }
    return 2*sum;
}

/* Marks velocity coordinates whose pivot is positive at this configuration. */
static void check_pivots(const slip_model *m, slip_data *data, const slip_real *q, int *movable)
{
    int i, bad;

    slip_crba(m, data, q);
    for (i = 0; i < m->nv; ++i) {
        const slip_real diagonal = data->M[m->branches.row[i] + m->branches.depth[i]];

        if (!(diagonal > 0)) continue;
        movable[i] |= 2;                                 /* something is there */
    }
    for (i = 0; i < m->ndofs; ++i) {
        const int iv = m->dof_iv[i];

        if (!m->dof_angular[i] || m->mimics[m->dof_body[i]] || m->armature[iv] > 0) continue;
        if (data->M[m->branches.row[iv] + m->branches.depth[iv]]
            <= 64*SLIP_REAL_EPS*check_reach(m, data, m->dof_body[i])) movable[iv] &= ~2;
    }
    if (slip_ltl_factor(&m->branches, data->M, data->L, data->D_inv, &bad) != SLIP_OK) {
        movable[bad] |= 4;                               /* failed here */
        return;
    }
    for (i = 0; i < m->nv; ++i) {
        const slip_real diagonal = data->M[m->branches.row[i] + m->branches.depth[i]];

        if (1/data->D_inv[i] > SLIP_TOL(1e-13, 1e-6)*diagonal) movable[i] |= 1;
    }
}

/* The freedom of velocity coordinate iv: that of the joint that moves by itself, not of one that follows it. */
static int check_dof(const slip_model *m, int iv)
{
    int d = 0;

    while (d < m->ndofs - 1 && (m->dof_iv[d] != iv || m->mimics[m->dof_body[d]])) ++d;
    return d;
}

/* Says that n joints move nothing, and what was done: the first is that of velocity coordinate iv. */
static slip_status check_warn_idle(const build *b, int iv, int n, slip_report *report, slip_error *err)
{
    const slip_joint_def *j = &b->def->joints[b->body_joint[b->dof_body[check_dof(b->model, iv)]]];
    const char *link = b->def->links[j->child].name;
    char more[40] = "";

    if (n > 1) slip_format(more, (int)sizeof more, " (and %d more)", n - 1);
    if (b->def->repair_armature > 0)
        return slip_warn(report, err, j->line, j->column, "joint '%s'%s moves nothing that has inertia: repaired by "
                         "armature=%.6g; or give link '%s' a mass and inertia", j->name, more,
                         (double)b->def->repair_armature, link);
    return slip_warn(report, err, j->line, j->column, "joint '%s'%s moves nothing that has inertia: no forward "
                     "dynamics; give link '%s' a mass and inertia, or the joint an armature (--repair armature=0.01)",
                     j->name, more, link);
}

/* Multiply-adds of one factorisation. A chain of thousands of joints would take minutes to try. */
static double check_cost(const slip_branches *b)
{
    double sum = 0;
    int i;

    for (i = 0; i < b->n; ++i) sum += 0.5*(double)b->depth[i]*(double)b->depth[i];
    return sum;
}

/* Whether a velocity coordinate moves nothing, by its marks. `surely`: its diagonal is 0, or its pivot was not
 * positive; else its pivot is as small as rounding, which it may owe to another coordinate's being idle. */
static int check_is_idle(int marks, int surely)
{
    return surely ? !(marks & 2) || ((marks & 4) && !(marks & 1)) : !(marks & 1);
}

/* Tries a few configurations. The outermost coordinate without inertia in all of them; -1: none. */
static int check_find_idle(const slip_model *m, slip_data *data, slip_real *q, int *movable)
{
    slip_random rng = slip_random_seed(1);
    int k, i;

    memset(movable, 0, (size_t)m->nv*sizeof *movable);
    for (k = 0; k < 3; ++k) {
        slip_random_q(m, &rng, q);
        check_pivots(m, data, q, movable);
    }
    for (k = 1; k >= 0; --k)
        for (i = m->nv - 1; i >= 0; --i)
            if (check_is_idle(movable[i], k)) return i;
    return -1;
}

/* A coordinate without inertia in all configurations has no forward dynamics: it gets an armature, one after the other;
 * where none is wanted they are counted all the same, and the armatures put back. */
static slip_status check_movable(build *b, slip_report *report, slip_error *err)
{
    slip_model *m = b->model;
    const size_t mark = slip_arena_mark(b->mem), nd = (size_t)m->ndofs, nv = (size_t)m->nv;
    const int repairs = b->def->repair_armature > 0;
    const slip_real give = repairs ? b->def->repair_armature : 1;
    slip_data *data = NULL;
    const slip_status made = slip_data_create(m, b->mem, &data);
    slip_real *q = slip_arena_reals(b->mem, (size_t)m->nq), *kept = slip_arena_reals(b->mem, nd + nv);
    int *movable = (int *)slip_arena_take_zero(b->mem, nv, sizeof(int));
    slip_status s = made == SLIP_OK && q && kept && movable ? SLIP_OK : SLIP_ERR_WORKSPACE;
    int first = -1, n = 0, i;

    if (s == SLIP_OK) {
        memcpy(kept, b->dof_armature, nd*sizeof *kept);
        memcpy(kept + nd, b->armature, nv*sizeof *kept);
    }
    while (s == SLIP_OK && n < m->nv && (i = check_find_idle(m, data, q, movable)) >= 0) {
        b->dof_armature[check_dof(m, i)] += give;
        b->armature[i] += give;
        if (n++ == 0 || i < first) first = i;
    }
    if (s == SLIP_OK && n > 0) s = check_warn_idle(b, first, n, report, err);
    if (s >= 0 && n > 0 && !repairs) {
        m->idle = first + 1;
        memcpy(b->dof_armature, kept, nd*sizeof *kept);
        memcpy(b->armature, kept + nd, nv*sizeof *kept);
    }
    slip_arena_release(b->mem, mark);
    return s;
}

slip_status slip_build_check(build *b, slip_report *report, slip_error *err)
{
    slip_status s = SLIP_OK;
    int body;

    for (body = 1; body < b->model->nbodies && s == SLIP_OK; ++body) s = check_body(b, body, report, err);
    if (s != SLIP_OK || check_cost(&b->model->branches) > CHECK_MOST_COST) return s;
    return check_movable(b, report, err);
}
