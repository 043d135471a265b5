/* Inverse dynamics with smooth contact at one time of a motion that is known by its positions. See plan.h.
 *
 *     v- = (q1 - q0)/h,   v+ = (q2 - q1)/h,   a = (v+ - v-)/h,   v = (v- + v+)/2
 *     u = rnea(q1, v, a) - sum J(q1)' f(gap(q2), slip from q1 to q2)
 *
 * Forces act at q1, and gap and slip are what the step from q1 makes: as in SLIP_EULER, of which this is the reading in
 * positions. */
#include "plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PLAN_REACH 40            /* gaps over d beyond which exp(-gap/d) is nothing */

/* ---- points ------------------------------------------------------------------------------------------------------ */

static void plan_add_point(const slip_collider_def *c, slip_real x, slip_real y, slip_real z, slip_real radius,
                           slip_real mu, plan_knot *k)
{
    const slip_real local[3] = { x, y, z };
    plan_point *p = &k->points[k->npoints++];

    p->link = c->link;
    p->radius = radius;
    p->mu = mu;
    slip_pose_point(&c->pose, local, p->at);
}

/* Balls and ends of capsules as they are, corners of boxes as balls of radius 0; 0 for other shapes. */
static int plan_add_shape(const slip_collider_def *c, slip_real mu, plan_knot *k)
{
    const slip_real *h = c->shape.half;
    int i;

    if (c->shape.kind == SLIP_SHAPE_SPHERE) plan_add_point(c, 0, 0, 0, c->shape.radius, mu, k);
    else if (c->shape.kind == SLIP_SHAPE_CAPSULE) {
        plan_add_point(c, 0, 0, h[2], c->shape.radius, mu, k);
        plan_add_point(c, 0, 0, -h[2], c->shape.radius, mu, k);
    } else if (c->shape.kind == SLIP_SHAPE_BOX) {
        for (i = 0; i < 8; ++i)
            plan_add_point(c, i & 1 ? h[0] : -h[0], i & 2 ? h[1] : -h[1], i & 4 ? h[2] : -h[2], 0, mu, k);
    } else return 0;
    return 1;
}

static slip_real *plan_reals(int n) { return (slip_real *)calloc((size_t)n + 1, sizeof(slip_real)); }

static int plan_find_points(const char *command, const slip_scene *s, plan_knot *k)
{
    const slip_collider_def *ground = NULL;
    int i, left = 0;

    for (i = 0; i < s->world.ncolliders; ++i) {
        const slip_collider_def *c = &s->world.colliders[i];

        if (c->shape.kind == SLIP_SHAPE_HALFSPACE && !ground) ground = c;
    }
    if (!ground) return cli_fail(command, "the scene has no <ground/> to touch"), 0;
    for (i = 0; i < 3; ++i) k->normal[i] = ground->pose.R[3*i + 2];
    k->offset = slip_dot3(k->normal, ground->pose.p);
    k->points = (plan_point *)cli_alloc((size_t)(8*s->world.ncolliders + 1)*sizeof *k->points);
    for (i = 0; i < s->world.ncolliders; ++i) {
        const slip_collider_def *c = &s->world.colliders[i];
        const slip_real a = s->world.materials[c->material].friction, b = s->world.materials[ground->material].friction;

        if (c->link < 0 || s->model->link_body[c->link] == 0) continue;
        left += !plan_add_shape(c, (slip_real)sqrt((double)(a*b)), k);
    }
    if (left > 0) cli_fail(command, "warning: %d shapes that are no balls, capsules or boxes do not touch", left);
    return 1;
}

int plan_knot_open(const char *command, const slip_scene *scene, plan_knot *k)
{
    const slip_model *m = scene->model;
    const size_t data = slip_data_bytes(m), scratch = slip_derivatives_bytes(m);
    void *block = cli_alloc(data + scratch);
    slip_arena mem = slip_arena_over(block, data);
    int i, j;

    memset(k, 0, sizeof *k);
    k->block = block;
    k->m = m;
    if (slip_data_create(m, &mem, &k->data) != SLIP_OK) return 0;
    k->mem = slip_arena_over((char *)block + data, scratch);
    k->wrench = plan_reals(6*m->nbodies);
    k->v = plan_reals(m->nv);
    k->a = plan_reals(m->nv);
    k->tau = plan_reals(3*m->nv + 2*m->nq);
    k->Uq = plan_reals(m->nv*m->nv);
    k->Uv = plan_reals(m->nv*m->nv);
    k->M = plan_reals(m->nv*m->nv);
    k->J = plan_reals(6*m->nv);
    k->Jp = plan_reals(6*m->nv);
    k->G = plan_reals(m->nv*m->nv);
    k->K = plan_reals(m->nv*m->nv);
    k->K2 = plan_reals(m->nv*m->nv);
    for (i = 0; i < 2; ++i) for (j = 0; j < 2; ++j) k->A[i][j] = plan_reals(m->nv*m->nv);
    if (!plan_find_points(command, scene, k)) return 0;
    k->centre = plan_reals(3*k->npoints);
    k->gap = plan_reals(k->npoints);
    k->J2 = plan_reals(3*m->nv*k->npoints);
    return 1;
}

void plan_knot_close(plan_knot *k)
{
    int i, j;

    free(k->block);
    free(k->points); free(k->wrench); free(k->v); free(k->a); free(k->tau); free(k->Uq); free(k->Uv); free(k->M);
    free(k->J); free(k->Jp); free(k->G); free(k->K); free(k->K2); free(k->centre); free(k->gap); free(k->J2);
    for (i = 0; i < 2; ++i) for (j = 0; j < 2; ++j) free(k->A[i][j]);
}

/* ---- velocities -------------------------------------------------------------------------------------------------- */

/* Derivatives of slip_difference(a, b) by tangents of a and of b: -1 and 1 for joints of one freedom, by differences
 * for the others. */
static void plan_difference_slopes(plan_knot *k, const slip_real *a, const slip_real *b, slip_real *Da, slip_real *Db)
{
    const slip_model *m = k->m;
    const slip_real s = SLIP_TOL(1e-5, 1e-2);
    slip_real *e = k->tau, *less = e + m->nv, *more = less + m->nv, *q = more + m->nv;
    int body, i, j, side;

    memset(Da, 0, (size_t)(m->nv*m->nv)*sizeof *Da);
    memset(Db, 0, (size_t)(m->nv*m->nv)*sizeof *Db);
    for (body = 1; body < m->nbodies; ++body) {
        const int iv = m->dof_iv[m->idof[body]], n = slip_joint_nv((slip_joint_type)m->type[body]);

        if (m->mimics[body]) continue;
        for (i = iv; i < iv + n; ++i) {
            Da[i*m->nv + i] = -1;
            Db[i*m->nv + i] = 1;
            for (side = 0; side < 2 && n > 1; ++side) {
                memset(e, 0, (size_t)m->nv*sizeof *e);
                e[i] = s;
                slip_integrate(m, side ? b : a, e, 1, q);
                slip_difference(m, side ? a : q, side ? q : b, more);
                e[i] = -s;
                slip_integrate(m, side ? b : a, e, 1, q);
                slip_difference(m, side ? a : q, side ? q : b, less);
                for (j = iv; j < iv + n; ++j) (side ? Db : Da)[j*m->nv + i] = (more[j] - less[j])/(2*s);
            }
        }
    }
}

/* ---- contact ----------------------------------------------------------------------------------------------------- */

/* f and its derivatives by the gap and by the slip c, world axes. The gap is that at the step's end, as in Signorini's
 * law of a step: a force that followed the present gap would give back on the way up what it took on the way down, and the
 * ground would be a trampoline. */
static void plan_force(const plan_knot *k, slip_real mu, slip_real gap, const slip_real c[3], slip_real f[3],
                       slip_real df_gap[3], slip_real df_c[9])
{
    const slip_real x = -gap/k->law.d, soft = x > 30 ? x : (slip_real)log1p(exp((double)x));
    const slip_real fn = k->law.k*k->law.d*soft, slope = -k->law.k/(1 + (slip_real)exp((double)-x));
    const slip_real cn = slip_dot3(k->normal, c), *n = k->normal;
    slip_real t[3], r;
    int i, j;

    for (i = 0; i < 3; ++i) t[i] = c[i] - cn*n[i];
    r = (slip_real)sqrt((double)(slip_dot3(t, t) + k->law.e*k->law.e));
    for (i = 0; i < 3; ++i) {
        const slip_real direction = n[i] - mu*t[i]/r;

        f[i] = fn*direction;
        df_gap[i] = slope*direction;
        for (j = 0; j < 3; ++j)
            df_c[3*i + j] = -mu*fn*((slip_real)(i == j) - n[i]*n[j] - t[i]*t[j]/(r*r))/r;
    }
}

/* Jp [3*nv]: velocity of a point that moves with the link whose Jacobian is J, arm seen from the link's origin. */
static void plan_point_jacobian(const plan_knot *k, const slip_real arm[3], slip_real *Jp)
{
    const int nv = k->m->nv;
    const slip_real *J = k->J;
    int i;

    for (i = 0; i < nv; ++i) {
        const slip_real w[3] = { J[3*nv + i], J[4*nv + i], J[5*nv + i] };

        Jp[i] = J[i] + w[1]*arm[2] - w[2]*arm[1];
        Jp[nv + i] = J[nv + i] + w[2]*arm[0] - w[0]*arm[2];
        Jp[2*nv + i] = J[2*nv + i] + w[0]*arm[1] - w[1]*arm[0];
    }
}

/* Adds du/dq1 to G, du/dq2 to K2 and du/dv+ to K for a point with force f: -Jt'(df_gap n'J2 + df_c (J2 - J1)/h +
 * df_c (Jt - J1) v+), and what the turning of the arm from the body's origin changes in the moment, which inverse
 * dynamics keeps: -Jw'((J1 - Jo) x f). J1, J2: of the centre at q1 and q2. */
static void plan_contact_slopes(plan_knot *k, slip_real h, const slip_real *Jt, const slip_real *J1,
                                const slip_real *Jo, const slip_real *J2, const slip_real f[3], const slip_real df_gap[3],
                                const slip_real df_c[9])
{
    const int nv = k->m->nv;
    const slip_real *n = k->normal, *J = k->J;
    int i, j, l;

    for (j = 0; j < nv; ++j) {
        const slip_real gap = n[0]*J2[j] + n[1]*J2[nv + j] + n[2]*J2[2*nv + j];
        slip_real dr[3], one[3], two[3], roll[3], moment[3];

        for (l = 0; l < 3; ++l) {
            dr[l] = J1[l*nv + j] - Jo[l*nv + j];
            one[l] = -J1[l*nv + j]/h;
            two[l] = J2[l*nv + j]/h;
            roll[l] = Jt[l*nv + j] - J1[l*nv + j];
        }
        slip_cross3(dr, f, moment);
        slip_mat3_vec(df_c, one, one);
        slip_mat3_vec(df_c, two, two);
        slip_mat3_vec(df_c, roll, roll);
        for (l = 0; l < 3; ++l) two[l] += df_gap[l]*gap;
        for (i = 0; i < nv; ++i) {
            const slip_real a = Jt[i], b = Jt[nv + i], c = Jt[2*nv + i];

            k->G[i*nv + j] -= a*one[0] + b*one[1] + c*one[2]
                + J[3*nv + i]*moment[0] + J[4*nv + i]*moment[1] + J[5*nv + i]*moment[2];
            k->K2[i*nv + j] -= a*two[0] + b*two[1] + c*two[2];
            k->K[i*nv + j] -= a*roll[0] + b*roll[1] + c*roll[2];
        }
    }
}

/* Where the points' centres are and, of those in reach, how they move with q. */
static void plan_find_centres(plan_knot *k, const slip_real *q, int with_slopes)
{
    const slip_model *m = k->m;
    int i, j;

    slip_kinematics(m, k->data, q);
    for (i = 0; i < k->npoints; ++i) {
        const plan_point *p = &k->points[i];
        slip_real arm[3];
        slip_pose X;

        slip_link_pose(m, k->data, p->link, &X);
        slip_pose_point(&X, p->at, k->centre + 3*i);
        k->gap[i] = slip_dot3(k->normal, k->centre + 3*i) - k->offset - p->radius;
        if (!with_slopes || k->gap[i] > PLAN_REACH*k->law.d) continue;
        slip_link_jacobian(m, k->data, p->link, SLIP_FRAME_ALIGNED, k->J);
        for (j = 0; j < 3; ++j) arm[j] = k->centre[3*i + j] - X.p[j];
        plan_point_jacobian(k, arm, k->J2 + 3*m->nv*i);
    }
}

/* Adds the forces of all points to k->wrench; v: velocity after. Needs plan_find_centres(q2); leaves kinematics of
 * q1. */
static void plan_contacts(plan_knot *k, const slip_real *q, const slip_real *v, slip_real h, int with_slopes,
                          slip_real *total)
{
    const slip_model *m = k->m;
    const int nv = m->nv;
    slip_real *Jt = k->Jp, *J1 = k->tau, *Jo = k->Jp + 3*nv, df_gap[3], df_c[9], f[3];
    int i, j;

    slip_kinematics(m, k->data, q);
    memset(k->wrench, 0, 6*(size_t)m->nbodies*sizeof *k->wrench);
    for (i = 0; i < k->npoints; ++i) {
        const plan_point *p = &k->points[i];
        slip_real centre[3], touch[3], arm[3], arm_c[3], arm_o[3], c[3];
        slip_pose X;

        if (k->gap[i] > PLAN_REACH*k->law.d) continue;
        slip_link_pose(m, k->data, p->link, &X);
        slip_pose_point(&X, p->at, centre);
        slip_link_jacobian(m, k->data, p->link, SLIP_FRAME_ALIGNED, k->J);
        for (j = 0; j < 3; ++j) {
            touch[j] = centre[j] - p->radius*k->normal[j];
            arm[j] = touch[j] - X.p[j];
            arm_c[j] = centre[j] - X.p[j];
            arm_o[j] = k->data->pose[m->link_body[p->link]].p[j] - X.p[j];
            c[j] = (k->centre[3*i + j] - centre[j])/h;
        }
        plan_point_jacobian(k, arm, Jt);
        plan_point_jacobian(k, arm_c, J1);
        for (j = 0; j < nv; ++j) {                           /* the ball rolls besides */
            c[0] += (Jt[j] - J1[j])*v[j];
            c[1] += (Jt[nv + j] - J1[nv + j])*v[j];
            c[2] += (Jt[2*nv + j] - J1[2*nv + j])*v[j];
        }
        plan_force(k, p->mu, k->gap[i], c, f, df_gap, df_c);
        slip_wrench_add(m, k->data, p->link, touch, f, NULL, k->wrench);
        if (total) *total += slip_dot3(k->normal, f);
        if (!with_slopes) continue;
        plan_point_jacobian(k, arm_o, Jo);
        plan_contact_slopes(k, h, Jt, J1, Jo, k->J2 + 3*nv*i, f, df_gap, df_c);
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* D += s B A, all [nv*nv]; A has blocks on its diagonal, most of them of one number. */
static void plan_add_product(const slip_model *m, slip_real s, const slip_real *B, const slip_real *A, slip_real *D)
{
    const int nv = m->nv;
    int body, i, j, l;

    for (body = 1; body < m->nbodies; ++body) {
        const int iv = m->dof_iv[m->idof[body]], n = slip_joint_nv((slip_joint_type)m->type[body]);

        if (m->mimics[body]) continue;
        for (i = 0; i < nv; ++i)
            for (j = iv; j < iv + n; ++j)
                for (l = iv; l < iv + n; ++l) D[i*nv + j] += s*B[i*nv + l]*A[l*nv + j];
    }
}

static slip_status plan_slopes(plan_knot *k, const slip_real *q0, const slip_real *q1, const slip_real *q2, slip_real h,
                               slip_real *const D[3])
{
    const slip_model *m = k->m;
    const size_t n = (size_t)(m->nv*m->nv);
    const slip_real half = SLIP_R(0.5);
    size_t i;
    slip_status status = slip_rnea_derivatives(m, k->data, q1, k->v, k->a, k->wrench, k->Uq, k->Uv, &k->mem);

    if (status < 0) return status;
    slip_mass_matrix(m, k->data, k->M);
    for (i = 0; i < (size_t)m->nv; ++i) k->Uv[i*(size_t)m->nv + i] += m->damping[i];
    plan_difference_slopes(k, q0, q1, k->A[0][0], k->A[0][1]);
    plan_difference_slopes(k, q1, q2, k->A[1][0], k->A[1][1]);
    memset(D[0], 0, n*sizeof(slip_real));
    for (i = 0; i < n; ++i) {
        D[1][i] = k->Uq[i] + k->G[i];
        D[2][i] = k->K2[i];
    }
    plan_add_product(m, half/h, k->Uv, k->A[0][0], D[0]);
    plan_add_product(m, -1/(h*h), k->M, k->A[0][0], D[0]);
    plan_add_product(m, half/h, k->Uv, k->A[0][1], D[1]);
    plan_add_product(m, -1/(h*h), k->M, k->A[0][1], D[1]);
    plan_add_product(m, half/h, k->Uv, k->A[1][0], D[1]);
    plan_add_product(m, 1/(h*h), k->M, k->A[1][0], D[1]);
    plan_add_product(m, 1/h, k->K, k->A[1][0], D[1]);
    plan_add_product(m, half/h, k->Uv, k->A[1][1], D[2]);
    plan_add_product(m, 1/(h*h), k->M, k->A[1][1], D[2]);
    plan_add_product(m, 1/h, k->K, k->A[1][1], D[2]);
    return SLIP_OK;
}

slip_status plan_knot_forces(plan_knot *k, const slip_real *q0, const slip_real *q1, const slip_real *q2, slip_real h,
                             slip_real *u, slip_real *a, slip_real *const D[3], slip_real *force)
{
    const slip_model *m = k->m;
    slip_real *after = k->a;
    slip_status status;
    int i;

    slip_difference(m, q0, q1, u);                           /* u: the velocity before, for a while */
    slip_difference(m, q1, q2, after);
    for (i = 0; i < m->nv; ++i) { u[i] /= h;  after[i] /= h; }
    if (D) {
        memset(k->G, 0, (size_t)(m->nv*m->nv)*sizeof *k->G);
        memset(k->K, 0, (size_t)(m->nv*m->nv)*sizeof *k->K);
        memset(k->K2, 0, (size_t)(m->nv*m->nv)*sizeof *k->K2);
    }
    if (force) *force = 0;
    plan_find_centres(k, q2, D != NULL);
    plan_contacts(k, q1, after, h, D != NULL, force);
    for (i = 0; i < m->nv; ++i) {
        const slip_real before = u[i];

        k->v[i] = (before + after[i])/2;
        k->a[i] = (after[i] - before)/h;
        a[i] = k->a[i];
    }
    status = slip_rnea(m, k->data, q1, k->v, k->a, k->wrench, u);
    if (status < 0) return status;
    for (i = 0; i < m->nv; ++i) u[i] += m->damping[i]*k->v[i];
    return D ? plan_slopes(k, q0, q1, q2, h, D) : SLIP_OK;
}
