/* Loop closures: their frames, and a starting state that satisfies them.
 *
 * Joints are moved as little as possible until the frames meet, by the method of Levenberg and Marquardt on the frames'
 * differences: dq = -J' (J J' + damping)^-1 e; the damping is a tenth after a step that helped, else ten times as much
 * and the step is undone. Distances count as angles at the longest lever of the loops, so that nothing depends on the
 * scale of the scene. Bases and free bodies stay where the scene puts them. */
#include "io/scene_private.h"

#include <string.h>

enum { LOOP_ROUNDS = 50 };

/* A frame on a link (-1: the world) in the world's axes. */
static void loop_frame(const scene_reader *r, const slip_data *data, int link, const slip_pose *frame, slip_pose *X)
{
    slip_pose L;

    slip_pose_identity(&L);
    if (link >= 0) slip_link_pose(r->out.model, data, link, &L);
    slip_pose_mul(&L, frame, X);
}

/* Events name loops: no two may be called the same. */
static slip_status loop_check_name(scene_reader *r, int k)
{
    const slip_urdf_ref *name = &r->loops[k].name;
    int i;

    for (i = 0; i < k; ++i)
        if (slip_text_equal(r->loops[i].name.name, name->name))
            return slip_fail(r->u.err, SLIP_ERR_MODEL, name->line, name->column,
                             "loop '%s' is defined twice, first on line %d", name->name, r->loops[i].name.line);
    return SLIP_OK;
}

static slip_status loop_read(scene_reader *r, const slip_data *data, const scene_loop *u, slip_loop_def *l)
{
    slip_status s = slip_scene_link(r, u->robot, &u->a, &l->link_a);
    slip_pose A, B, inverse, turn;

    if (s == SLIP_OK) s = slip_scene_link(r, u->robot, &u->b, &l->link_b);
    if (s < 0) return s;
    if (l->link_a == l->link_b)
        return slip_fail(r->u.err, SLIP_ERR_MODEL, u->name.line, u->name.column, "loop '%s' joins '%s' to itself",
                         u->name.name, u->a.name);
    l->name = u->name.name;
    l->kind = u->kind;
    slip_pose_identity(&turn);
    slip_mat3_z_to(u->axis, turn.R);                         /* the world's hinges turn about z */
    slip_pose_mul(&u->frame_a, &turn, &l->frame_a);
    slip_pose_mul(&u->frame_b, &turn, &l->frame_b);
    l->stiffness = u->stiffness;
    l->damping = u->damping;
    l->length = u->length;
    if (u->has_b) return SLIP_OK;
    slip_pose_identity(&inverse);                              /* not given: where the first one is */
    loop_frame(r, data, l->link_a, &l->frame_a, &A);
    loop_frame(r, data, l->link_b, &inverse, &B);
    slip_pose_inverse(&B, &inverse);
    slip_pose_mul(&inverse, &A, &l->frame_b);
    return SLIP_OK;
}

/* ---- closing ------------------------------------------------------------------------------------ */

/* Memory of the iteration; rows of all loops together. */
typedef struct {
    int rows;
    slip_data *data;
    slip_real *J, *A, *e, *dq;       /* rows x nv, rows x rows, rows, nv */
    slip_real *q;                    /* nq: before the last step          */
    slip_real *J_link;               /* 6 x nv                            */
    unsigned char *moves;            /* nv: 1 for what may move           */
} loop_work;

/* The error of a loop: 3 rows of distance between the frames, then the rotation between them, without the axis of a
 * hinge. */
static void loop_error(const scene_reader *r, const loop_work *w, const slip_loop_def *l, slip_real e[6],
                       slip_real axis[3])
{
    slip_pose A, B;
    slip_real R[9], quat[4], turn[3];

    loop_frame(r, w->data, l->link_a, &l->frame_a, &A);
    loop_frame(r, w->data, l->link_b, &l->frame_b, &B);
    slip_sub3(B.p, A.p, e);
    slip_set3(A.R[2], A.R[5], A.R[8], axis);
    slip_zero3(e + 3);
    if (l->kind == SLIP_LOOP_SPRING) slip_zero3(e);
    if (l->kind == SLIP_LOOP_HINGE) {
        const slip_real z[3] = { B.R[2], B.R[5], B.R[8] };

        slip_cross3(axis, z, e + 3);
    } else if (l->kind == SLIP_LOOP_WELD) {
        slip_mat3_tmul(A.R, B.R, R);
        slip_mat3_to_quat(R, quat);
        slip_quat_log(quat, turn);
        slip_mat3_vec(A.R, turn, e + 3);
    }
}

/* Adds sign J of a frame's origin and turn, world axes, to six rows. */
static void loop_add_jacobian(const scene_reader *r, loop_work *w, int link, const slip_pose *frame, slip_real sign,
                              slip_real *J)
{
    const slip_model *m = r->out.model;
    slip_pose L, F;
    slip_real arm[3], d[3];
    int i, k;

    if (link < 0) return;
    slip_link_pose(m, w->data, link, &L);
    loop_frame(r, w->data, link, frame, &F);
    slip_sub3(F.p, L.p, arm);
    slip_link_jacobian(m, w->data, link, SLIP_FRAME_ALIGNED, w->J_link);
    for (i = 0; i < m->nv; ++i) {
        const slip_real turn[3] = { w->J_link[3*m->nv + i], w->J_link[4*m->nv + i], w->J_link[5*m->nv + i] };

        if (!w->moves[i]) continue;
        slip_cross3(turn, arm, d);
        for (k = 0; k < 3; ++k) {
            J[k*m->nv + i] += sign*(w->J_link[k*m->nv + i] + d[k]);
            J[(3 + k)*m->nv + i] += sign*turn[k];
        }
    }
}

/* Rows of rotation that a loop leaves free. */
static void loop_free_rows(const slip_loop_def *l, const slip_real axis[3], int nv, slip_real *J)
{
    int i, k;

    for (i = 0; i < nv && l->kind != SLIP_LOOP_WELD; ++i) {
        slip_real *row = J + 3*nv + i, along = 0;

        for (k = 0; k < 3; ++k) along += axis[k]*row[k*nv];
        for (k = 0; k < 3; ++k) row[k*nv] = l->kind == SLIP_LOOP_BALL ? 0 : row[k*nv] - along*axis[k];
    }
}

/* The present errors and Jacobian; returns the largest error. */
static slip_real loop_linearize(const scene_reader *r, const slip_loop_def *loops, loop_work *w)
{
    const int nv = r->out.model->nv;
    int i;

    memset(w->J, 0, (size_t)(w->rows*nv)*sizeof *w->J);
    for (i = 0; i < r->n.loops; ++i) {
        const slip_loop_def *l = &loops[i];
        slip_real axis[3], *J = w->J + 6*i*nv;

        loop_error(r, w, l, w->e + 6*i, axis);
        if (l->kind == SLIP_LOOP_SPRING) continue;
        loop_add_jacobian(r, w, l->link_b, &l->frame_b, 1, J);
        loop_add_jacobian(r, w, l->link_a, &l->frame_a, -1, J);
        loop_free_rows(l, axis, nv, J);
    }
    return slip_max_abs(w->rows, w->e);
}

/* Rows of distances over the longest lever: all rows are angles. Returns half the sum of squares. */
static slip_real loop_scale(const scene_reader *r, loop_work *w)
{
    const int nv = r->out.model->nv;
    slip_real lever = 0;
    int i, k;

    for (i = 0; i < w->rows; ++i)
        if (i % 6 < 3) lever = slip_max(lever, slip_sqrt(slip_dot(nv, w->J + i*nv, w->J + i*nv)));
    for (i = 0; i < w->rows && lever > 0; ++i) {
        if (i % 6 >= 3) continue;
        for (k = 0; k < nv; ++k) w->J[i*nv + k] /= lever;
        w->e[i] /= lever;
    }
    return slip_dot(w->rows, w->e, w->e)/2;
}

/* One step with a damping [rad^2]; no joint goes by more than half a radian, beyond which J says little. */
static int loop_move(const scene_reader *r, loop_work *w, slip_real damping)
{
    const int n = w->rows, nv = r->out.model->nv;
    slip_real most;
    int i, k;

    for (i = 0; i < n; ++i) {
        for (k = 0; k <= i; ++k) w->A[i*n + k] = slip_dot(nv, w->J + i*nv, w->J + k*nv);
        w->A[i*n + i] += damping;
    }
    if (slip_chol_factor(n, w->A, n, NULL) != SLIP_OK) return 0;
    slip_chol_solve(n, w->A, n, w->e);
    memset(w->dq, 0, (size_t)nv*sizeof *w->dq);
    for (i = 0; i < n; ++i)
        for (k = 0; k < nv; ++k) w->dq[k] -= w->J[i*nv + k]*w->e[i];
    most = slip_max_abs(nv, w->dq);
    if (!slip_is_finite(most)) return 0;
    slip_integrate(r->out.model, r->out.q, w->dq, most > SLIP_R(0.5) ? SLIP_R(0.5)/most : 1, r->out.q);
    return 1;
}

/* Velocity coordinates that may move: all but those of bases and free bodies. */
static void loop_mark_joints(const scene_reader *r, unsigned char *moves)
{
    const slip_model *m = r->out.model;
    int d;

    for (d = 0; d < m->ndofs; ++d) {
        const int type = m->type[m->dof_body[d]];

        moves[m->dof_iv[d]] = slip_joint_nv((slip_joint_type)type) == 1 || type == SLIP_JOINT_BALL;
    }
}

/* A warning when a loop is still open: its frames apart, or turned against each other. */
static slip_status loop_warn(scene_reader *r, const loop_work *w, const slip_loop_def *l, const slip_urdf_ref *at)
{
    slip_real e[6], axis[3], apart, turned;

    loop_error(r, w, l, e, axis);
    apart = 1000*slip_norm3(e);
    turned = slip_norm3(e + 3)*(180/SLIP_PI);
    if (apart > 1)
        return slip_warn(r->u.report, r->u.err, at->line, at->column, "loop '%s' is open by %.3g mm at the start, and "
                         "no joint angles were found that close it", l->name, (double)apart);
    if (turned > SLIP_R(0.1))
        return slip_warn(r->u.report, r->u.err, at->line, at->column, "the frames of loop '%s' are turned against each "
                         "other by %.3g degrees at the start, and no joint angles were found that close it", l->name,
                         (double)turned);
    return SLIP_OK;
}

/* ---- redundant rows ----------------------------------------------------------------------------- */

/* The direction that each row constrains, in the axes of frame_a as the file has them. */
static const char *const loop_row_name[6] = { "translation along x", "translation along y", "translation along z",
                                              "rotation about x", "rotation about y", "rotation about z" };

/* Takes the rows 0 .. row - 1, which are orthonormal or zero, out of a row, and makes it so too. Returns whether
 * nothing but rounding is left: joints and rows before hold it already. */
static int loop_is_redundant(slip_real *J, int row, int nv)
{
    const slip_real before = slip_sqrt(slip_dot(nv, J + row*nv, J + row*nv));
    slip_real after, along;
    int i, k, twice;

    for (twice = 0; twice < 2; ++twice)                        /* once more, for what rounding left */
        for (i = 0; i < row; ++i) {
            along = slip_dot(nv, J + i*nv, J + row*nv);
            for (k = 0; k < nv; ++k) J[row*nv + k] -= along*J[i*nv + k];
        }
    after = slip_sqrt(slip_dot(nv, J + row*nv, J + row*nv));
    if (before > SLIP_TOL(1e-9, 1e-5) && after > SLIP_TOL(1e-6, 1e-3)*before) {
        for (k = 0; k < nv; ++k) J[row*nv + k] /= after;
        return 0;
    }
    for (k = 0; k < nv; ++k) J[row*nv + k] = 0;
    return 1;
}

/* Rows of a loop from the world's axes to those of frame_a. */
static void loop_turn_rows(const scene_reader *r, const loop_work *w, const slip_loop_def *l, const slip_real axis[3],
                           slip_real *J)
{
    const int nv = r->out.model->nv;
    slip_real turn[9], R[9], x[3];
    slip_pose A;
    int i, k, part;

    loop_frame(r, w->data, l->link_a, &l->frame_a, &A);
    slip_mat3_z_to(axis, turn);
    slip_mat3_transpose(turn, turn);
    slip_mat3_mul(A.R, turn, R);
    for (part = 0; part < 2; ++part)
        for (i = 0; i < nv; ++i) {
            slip_real *column = J + 3*part*nv + i;

            for (k = 0; k < 3; ++k) x[k] = column[k*nv];
            slip_mat3_tvec(R, x, x);
            for (k = 0; k < 3; ++k) column[k*nv] = x[k];
        }
}

/* Whether a loop has a row: a ball none of rotation, a hinge none about its axis; where that is none of frame_a's axes
 * the row that comes last is the one too many. */
static int loop_has_row(const slip_loop_def *l, const slip_real axis[3], int k)
{
    if (k < 3 || l->kind == SLIP_LOOP_WELD) return 1;
    return l->kind == SLIP_LOOP_HINGE && slip_abs(axis[k - 3]) < SLIP_R(0.999);
}

/* Warns of loops whose rows the joints, or loops before them, hold already. They are harmless: such rows share their
 * load, which only makes their forces ambiguous. All coordinates count here, those of bases and free bodies too. */
static slip_status loop_warn_redundant(scene_reader *r, const slip_loop_def *loops, loop_work *w)
{
    const int nv = r->out.model->nv;
    slip_status s = SLIP_OK;
    int i, k, row;

    memset(w->moves, 1, (size_t)nv);
    loop_linearize(r, loops, w);
    for (i = 0; i < r->n.loops && s == SLIP_OK; ++i) {
        const scene_loop *u = &r->loops[i];
        char text[160] = "";
        int slanted = u->kind == SLIP_LOOP_HINGE && slip_max_abs(3, u->axis) < SLIP_R(0.999);

        loop_turn_rows(r, w, &loops[i], u->axis, w->J + 6*i*nv);
        for (k = 0; k < 6; ++k) {
            char longer[160];

            row = 6*i + k;
            if (!loop_is_redundant(w->J, row, nv) || !loop_has_row(&loops[i], u->axis, k)) continue;
            if (slanted && k == 5) continue;
            slip_format(longer, (int)sizeof longer, "%s%s%s", text, text[0] ? ", " : "", loop_row_name[k]);
            memcpy(text, longer, sizeof text);
        }
        if (text[0] && !u->redundant)
            s = slip_warn(r->u.report, r->u.err, u->name.line, u->name.column, "loop '%s': its %s %s held at the start "
                          "by the joints, or by loops before it, already; redundant=\"true\" says that this is meant",
                          loops[i].name, text, strchr(text, ',') ? "are" : "is");
    }
    return s;
}

/* Moves the joints until the loops are closed, or come no closer. */
static slip_status loop_search(scene_reader *r, const slip_loop_def *loops, loop_work *w)
{
    const size_t bytes = (size_t)r->out.model->nq*sizeof *w->q;
    const slip_real least = slip_sqrt(SLIP_REAL_EPS);
    slip_real damping = 1, before = (slip_real)INFINITY;
    slip_status s = SLIP_OK;
    int k;

    memcpy(w->q, r->out.q, bytes);
    for (k = 0; k < LOOP_ROUNDS && s == SLIP_OK; ++k) {
        slip_real now;

        s = slip_kinematics(r->out.model, w->data, r->out.q);
        if (s != SLIP_OK || loop_linearize(r, loops, w) < SLIP_TOL(1e-10, 1e-6)) return s;
        now = loop_scale(r, w);
        if (now < before) {
            memcpy(w->q, r->out.q, bytes);
            before = now;
            damping = slip_max(least, damping/10);
        } else {
            memcpy(r->out.q, w->q, bytes);
            s = slip_kinematics(r->out.model, w->data, r->out.q);
            loop_linearize(r, loops, w);
            loop_scale(r, w);
            damping *= 10;
        }
        if (!loop_move(r, w, damping)) break;
    }
    memcpy(r->out.q, w->q, bytes);
    return s;
}

static slip_status loop_close(scene_reader *r, const slip_loop_def *loops, loop_work *w)
{
    slip_status s = loop_search(r, loops, w);
    int i;

    if (s == SLIP_OK) s = slip_kinematics(r->out.model, w->data, r->out.q);
    for (i = 0; i < r->n.loops && s == SLIP_OK; ++i) s = loop_warn(r, w, &loops[i], &r->loops[i].name);
    return s == SLIP_OK ? loop_warn_redundant(r, loops, w) : s;
}

/* The length of a spring that is given none: as it is at the start. */
static void loop_rest_length(const scene_reader *r, const slip_data *data, slip_loop_def *l)
{
    slip_pose A, B;

    if (l->kind != SLIP_LOOP_SPRING || l->length >= 0) return;
    loop_frame(r, data, l->link_a, &l->frame_a, &A);
    loop_frame(r, data, l->link_b, &l->frame_b, &B);
    slip_sub3(B.p, A.p, A.p);
    l->length = slip_norm3(A.p);
}

slip_status slip_scene_loops(scene_reader *r)
{
    slip_loop_def *loops = (slip_loop_def *)slip_arena_take_zero(r->mem, (size_t)r->n.loops, sizeof *loops);
    const size_t mark = slip_arena_mark(r->mem), nv = (size_t)r->out.model->nv, n = 6*(size_t)r->n.loops;
    const slip_model *m = r->out.model;
    loop_work w;
    slip_status s;
    int i;

    if (r->n.loops == 0) return SLIP_OK;
    w.rows = (int)n;
    s = slip_data_create(m, r->mem, &w.data);
    w.J = slip_arena_reals(r->mem, n*nv);
    w.A = slip_arena_reals(r->mem, n*n);
    w.e = slip_arena_reals(r->mem, n);
    w.dq = slip_arena_reals(r->mem, nv);
    w.q = slip_arena_reals(r->mem, (size_t)m->nq);
    w.J_link = slip_arena_reals(r->mem, 6*nv);
    w.moves = (unsigned char *)slip_arena_take(r->mem, nv, 1);
    if (!loops || s < 0 || !w.J || !w.A || !w.e || !w.dq || !w.q || !w.J_link || !w.moves)
        return slip_scene_full(r->u.err);
    loop_mark_joints(r, w.moves);
    s = slip_kinematics(m, w.data, r->out.q);
    for (i = 0; i < r->n.loops && s == SLIP_OK; ++i) {
        s = loop_check_name(r, i);
        if (s == SLIP_OK) s = loop_read(r, w.data, &r->loops[i], &loops[i]);
    }
    if (s == SLIP_OK) s = loop_close(r, loops, &w);
    for (i = 0; i < r->n.loops && s == SLIP_OK; ++i) loop_rest_length(r, w.data, &loops[i]);
    slip_arena_release(r->mem, mark);
    r->out.world.loops = loops;
    r->out.world.nloops = r->n.loops;
    return s;
}
