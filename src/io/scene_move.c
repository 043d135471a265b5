/* Prescribed motions, <move>: reading them, their values in time, and the starting state. */
#include "io/scene_private.h"

#include <assert.h>
#include <string.h>

/* ---- values ------------------------------------------------------------------------------------- */

/* Slope at point i of a smooth table: that through its neighbours, 0 at both ends. */
static slip_real move_slope(const slip_move *m, int i)
{
    if (i == 0 || i == m->n - 1) return 0;
    return (m->value[i + 1] - m->value[i - 1])/(m->time[i + 1] - m->time[i - 1]);
}

/* Between points i and i + 1, at the share s of the way. */
static void move_between(const slip_move *m, int i, slip_real s, slip_real *value, slip_real *rate)
{
    const slip_real span = m->time[i + 1] - m->time[i], a = m->value[i], rise = m->value[i + 1] - a;
    slip_real from, to;

    if (!m->smooth) {
        *value = a + rise*s;
        *rate = rise/span;
        return;
    }
    from = span*move_slope(m, i);                        /* Hermite's cubic */
    to = span*move_slope(m, i + 1);
    *value = a + s*(from + s*(3*rise - 2*from - to + s*(from + to - 2*rise)));
    *rate = (from + s*(2*(3*rise - 2*from - to) + 3*s*(from + to - 2*rise)))/span;
}

static void move_table(const slip_move *m, slip_real t, slip_real *value, slip_real *rate)
{
    int i = 0;

    *rate = 0;
    if (t < m->time[0]) *value = m->value[0];
    else if (t >= m->time[m->n - 1]) *value = m->value[m->n - 1];
    else {
        while (t >= m->time[i + 1]) ++i;
        move_between(m, i, (t - m->time[i])/(m->time[i + 1] - m->time[i]), value, rate);
    }
}

/* Whether two points of a table or more lie within (from, to). */
static int move_is_finer(const slip_move *m, slip_real from, slip_real to)
{
    int i = 0;

    if (m->kind != SLIP_MOVE_TABLE) return 0;
    while (i < m->n && !(m->time[i] > from)) ++i;
    return i + 1 < m->n && m->time[i + 1] < to;
}

void slip_move_in_step(const slip_move *m, slip_real end, slip_real dt, slip_real *value, slip_real *rate)
{
    slip_real before;

    if (move_is_finer(m, end - dt, end)) {
        slip_move_at(m, end - dt, &before, rate);
        slip_move_at(m, end, value, rate);
        *rate = (*value - before)/dt;
    } else slip_move_at(m, end, value, rate);
}

void slip_move_at(const slip_move *m, slip_real t, slip_real *value, slip_real *rate)
{
    const slip_real w = 2*SLIP_PI*m->frequency;

    switch (m->kind) {
    case SLIP_MOVE_SINE:
        *value = m->amplitude*slip_sin(w*t + m->phase);
        *rate = m->amplitude*w*slip_cos(w*t + m->phase);
        break;
    case SLIP_MOVE_TABLE: move_table(m, t, value, rate); break;
    default:
        *value = m->velocity*(slip_clamp(t, m->t0, m->t1) - m->t0);
        *rate = t >= m->t0 && t < m->t1 ? m->velocity : 0;
        break;
    }
}

/* Adds a move to a body's pose and to its velocity in world axes. */
static void move_body(const slip_move *m, slip_real value, slip_real rate, slip_real q[7], slip_real linear[3],
                      slip_real angular[3])
{
    slip_real turn[3], e[4];

    slip_axpy3(value, m->axis, q, q);
    slip_axpy3(rate, m->axis, linear, linear);
    slip_axpy3(rate, m->turn, angular, angular);
    slip_scale3(value, m->turn, turn);
    slip_quat_exp(turn, e);
    slip_quat_mul(e, q + 3, q + 3);
    slip_quat_normalize(q + 3, q + 3);
}

void slip_scene_motion(const slip_scene *scene, int joint, slip_real end, slip_real dt, slip_real *q, slip_real *v)
{
    const slip_model *model = scene->model;
    const int body = model->joint_body[joint], type = model->type[body];
    slip_real linear[3] = { 0, 0, 0 }, angular[3] = { 0, 0, 0 }, R[9], value, rate;
    int i;

    memcpy(q, scene->q_moves + model->iq[body], (size_t)slip_joint_nq((slip_joint_type)type)*sizeof *q);
    v[0] = 0;
    for (i = 0; i < scene->nmoves; ++i) {
        const slip_move *m = &scene->moves[i];

        if (m->joint != joint) continue;
        slip_move_in_step(m, end, dt, &value, &rate);
        if (type == SLIP_JOINT_FLOATING) move_body(m, value, rate, q, linear, angular);
        else {
            q[0] += value;
            v[0] += rate;
        }
    }
    if (type != SLIP_JOINT_FLOATING) return;
    slip_quat_to_mat3(q + 3, R);
    slip_mat3_tvec(R, linear, v);
    slip_mat3_tvec(R, angular, v + 3);
}

/* ---- reading ------------------------------------------------------------------------------------ */

static slip_status move_fail(slip_urdf_reader *r, const char *attribute, const char *fault)
{
    const slip_xml_attribute *a = slip_xml_find(r->xml, attribute);

    if (!a) return slip_urdf_fail(r, SLIP_ERR_MODEL, r->xml->line, r->xml->column, "<move> %s", fault);
    return slip_urdf_fail(r, SLIP_ERR_MODEL, a->value_line, a->value_column, "%s of <move> %s", attribute, fault);
}

static slip_status move_read_table(slip_urdf_reader *r, slip_move *m)
{
    slip_arena *mem = scene_of(r)->mem;
    int i, n = 0;
    slip_status s = slip_urdf_list(r, "times", SLIP_MOST_LENGTH, "s", mem, &m->time, &m->n);

    if (s == SLIP_OK) s = slip_urdf_list(r, "values", SLIP_MOST_LENGTH, "m or rad", mem, &m->value, &n);
    if (s == SLIP_OK) s = slip_scene_word(r, "interpolation", "linear smooth", &m->smooth, NULL);
    if (s < 0) return s;
    if (m->n < 2) return move_fail(r, "times", "needs two numbers or more");
    if (n != m->n) return move_fail(r, "values", "needs as many numbers as times");
    for (i = 1; i < m->n; ++i) {
        const slip_real fastest = SLIP_MOST_SPEED*(m->time[i] - m->time[i - 1]);

        if (!(m->time[i] > m->time[i - 1]))
            return slip_urdf_bad_entry(r, "times", i, "not later than the one before, expected times that rise");
        if (!(slip_abs(m->value[i] - m->value[i - 1]) <= fastest))
            return slip_urdf_bad_entry(r, "values", i, "reached at more than 1e9 m/s or rad/s, expected less");
    }
    return SLIP_OK;
}

static slip_status move_read_sine(slip_urdf_reader *r, slip_move *m)
{
    int found;
    slip_status s = slip_urdf_reals_within(r, "amplitude", 1, SLIP_MOST_LENGTH, "m or rad", &m->amplitude, NULL);

    if (s == SLIP_OK) s = slip_urdf_reals_within(r, "frequency", 1, SLIP_MOST_SPEED, "Hz", &m->frequency, NULL);
    if (s == SLIP_OK) s = slip_urdf_reals(r, "phase", 1, &m->phase, &found);
    if (s < 0) return s;
    if (m->frequency < 0) return slip_scene_bad_value(r, slip_xml_find(r->xml, "frequency"), "0 Hz or more");
    if (!(slip_abs(m->amplitude*2*SLIP_PI*m->frequency) <= SLIP_MOST_SPEED))
        return move_fail(r, "frequency", "makes it faster than 1e9 m/s or rad/s");
    return SLIP_OK;
}

static slip_status move_read_constant(slip_urdf_reader *r, slip_move *m)
{
    int found;
    slip_status s = slip_urdf_reals_within(r, "velocity", 1, SLIP_MOST_SPEED, "m/s or rad/s", &m->velocity, NULL);

    m->t1 = SLIP_REAL_MAX;
    if (s == SLIP_OK) s = slip_urdf_reals_within(r, "from", 1, SLIP_MOST_LENGTH, "s", &m->t0, &found);
    if (s == SLIP_OK) s = slip_urdf_reals_within(r, "to", 1, SLIP_MOST_LENGTH, "s", &m->t1, &found);
    if (s < 0) return s;
    if (m->t0 < 0) return slip_scene_bad_value(r, slip_xml_find(r->xml, "from"), "0 s, where the run begins, or later");
    if (!(m->t1 > m->t0)) return move_fail(r, "to", "must be later than its beginning");
    return SLIP_OK;
}

static slip_status move_read_kind(slip_urdf_reader *r, slip_move *m)
{
    int kind = 0;
    const slip_status s = slip_scene_word(r, "kind", "constant sine table", &kind, NULL);

    if (s < 0) return s;
    m->kind = (slip_move_kind)kind;
    return m->kind == SLIP_MOVE_TABLE ? move_read_table(r, m)
        : m->kind == SLIP_MOVE_SINE ? move_read_sine(r, m) : move_read_constant(r, m);
}

/* The axis along which a body moves, or about which it turns: one of them. */
static slip_status move_read_axis(slip_urdf_reader *r, slip_move *m)
{
    int moves = 0, turns = 0;
    slip_status s = slip_urdf_reals_within(r, "axis", 3, SLIP_MOST_LENGTH, "", m->axis, &moves);

    if (s == SLIP_OK) s = slip_urdf_reals_within(r, "turn", 3, SLIP_MOST_LENGTH, "", m->turn, &turns);
    if (s < 0) return s;
    if (moves == turns)
        return move_fail(r, "", "of a link needs either an axis to move along or, by turn, one to turn about");
    if (!(slip_norm3(moves ? m->axis : m->turn) > 0)) return move_fail(r, moves ? "axis" : "turn", "has length 0");
    if (moves) slip_normalize3(m->axis, m->axis);
    else slip_normalize3(m->turn, m->turn);
    return SLIP_OK;
}

slip_status slip_scene_read_move(slip_urdf_reader *r, void *unused)
{
    scene_reader *scene = scene_of(r);
    scene_move *u;
    slip_status s;

    (void)unused;
    assert(scene->n.moves < scene->room.moves);
    u = &scene->moves[scene->n.moves++];
    memset(u, 0, sizeof *u);
    u->robot = scene->robot;
    u->is_link = slip_xml_find(r->xml, "link") != NULL;
    if (u->is_link && slip_xml_find(r->xml, "joint")) return move_fail(r, "joint", "beside link, expected one of them");
    s = slip_urdf_need_text(r, u->is_link ? "link" : "joint", &r->kept, &u->what);
    if (s == SLIP_OK && u->is_link) s = move_read_axis(r, &u->move);
    if (s == SLIP_OK) s = move_read_kind(r, &u->move);
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

/* ---- names to joints ---------------------------------------------------------------------------- */

/* Adds to the list, or counts when there is none yet. */
static void move_add(scene_reader *r, const slip_move *m, int joint)
{
    if (r->out.moves) {
        r->out.moves[r->out.nmoves] = *m;
        r->out.moves[r->out.nmoves].joint = joint;
    }
    ++r->out.nmoves;
}

/* The floating joint of a link that is a free body or base. */
static slip_status move_link(scene_reader *r, const scene_move *u)
{
    const slip_model *m = r->out.model;
    int link = -1, body, i;
    const slip_status s = slip_scene_link(r, u->robot, &u->what, &link);

    if (s < 0) return s;
    body = link < 0 ? 0 : m->link_body[link];
    if (body == 0)
        return slip_fail(r->u.err, SLIP_ERR_MODEL, u->what.line, u->what.column, "'%s' is fixed to the world, so it "
                         "cannot be moved; without fixed=\"true\" it moves as <move> says and gives way to nothing",
                         u->what.name);
    if (m->type[body] != SLIP_JOINT_FLOATING || m->parent[body] != 0 || m->body_link[body] != link)
        return slip_fail(r->u.err, SLIP_ERR_MODEL, u->what.line, u->what.column, "'%s' is not a free body or base, so "
                         "it cannot be moved; its joint can", u->what.name);
    for (i = 0; r->out.moves && i < r->out.nmoves; ++i)
        if (r->out.moves[i].joint == m->body_joint[body] && slip_norm3(r->out.moves[i].turn) > 0
            && slip_norm3(u->move.turn) > 0)
            return slip_fail(r->u.err, SLIP_ERR_MODEL, u->what.line, u->what.column, "'%s' is turned by two <move>, "
                             "expected one at most", u->what.name);
    move_add(r, &u->move, m->body_joint[body]);
    return SLIP_OK;
}

static slip_status move_joints(scene_reader *r, const scene_move *u)
{
    int joint = -1;
    slip_status s = slip_scene_next_joint(r, &u->what, u->robot, &joint);

    while (s == SLIP_OK && joint >= 0) {
        move_add(r, &u->move, joint);
        s = slip_scene_next_joint(r, &u->what, u->robot, &joint);
    }
    return s;
}

static slip_status move_resolve(scene_reader *r)
{
    slip_status s = SLIP_OK;
    int i;

    r->out.nmoves = 0;
    for (i = 0; i < r->n.moves && s == SLIP_OK; ++i)
        s = r->moves[i].is_link ? move_link(r, &r->moves[i]) : move_joints(r, &r->moves[i]);
    return s;
}

slip_status slip_scene_moves(scene_reader *r)
{
    const slip_model *m = r->out.model;
    slip_status s;
    int i;

    if (r->n.moves == 0) return SLIP_OK;
    s = move_resolve(r);
    if (s < 0) return s;
    r->out.moves = (slip_move *)slip_arena_take_zero(r->mem, (size_t)r->out.nmoves, sizeof *r->out.moves);
    r->out.q_moves = slip_arena_reals(r->mem, (size_t)m->nq);
    if (!r->out.moves || !r->out.q_moves)
        return slip_fail(r->u.err, SLIP_ERR_WORKSPACE, 0, 0, "scene does not fit into the arena");
    memcpy(r->out.q_moves, r->out.q, (size_t)m->nq*sizeof *r->out.q);
    s = move_resolve(r);
    for (i = 0; i < r->out.nmoves && s == SLIP_OK; ++i) {
        const int joint = r->out.moves[i].joint, body = m->joint_body[joint];

        slip_scene_motion(&r->out, joint, 0, 0, r->out.q + m->iq[body], r->out.v + m->dof_iv[m->idof[body]]);
    }
    return s;
}
