/* Simulates recorded tosses and scores them. See real.h. */
#include "real.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const real_parameter_names[REAL_PARAMETERS] = { "friction", "restitution", "stiffness [N/m]",
                                                            "damping [N s/m]", "compliance [1/kg]",
                                                            "time constant [s]", "damping ratio" };
const char *const real_start_names[3] = { "first", "touch", "flight" };

enum { REAL_RIGID = 1 << REAL_MU | 1 << REAL_RESTITUTION,
       REAL_SOFT = 1 << REAL_MU | 1 << REAL_STIFFNESS | 1 << REAL_DAMPING,
       REAL_BARRIER = 1 << REAL_MU | 1 << REAL_COMPLIANCE,
       REAL_MUJOCO = 1 << REAL_MU | 1 << REAL_TIME | 1 << REAL_RATIO };

const real_model real_models[REAL_MODELS] = {
    { "LCP, lcp-pgs", &slip_solver_lcp_pgs, REAL_RIGID, 0, NULL, NULL },
    { "LCP of 16 facets, lcp-lemke", &slip_solver_lcp_lemke, REAL_RIGID, 1, "facets", "16" },
    { "CCP, ccp-pgs", &slip_solver_ccp_pgs, REAL_RIGID, 0, NULL, NULL },
    { "RaiSim, raisim-bisection", &slip_solver_raisim_bisection, REAL_RIGID, 1, NULL, NULL },
    { "NCP, ncp-pgs", &slip_solver_ncp_pgs, REAL_RIGID, 0, NULL, NULL },
    { "NCP, default (ours)", &slip_solver_default, REAL_RIGID, 0, NULL, NULL },
    { "soft CCP, ccp-newton", &slip_solver_ccp_newton, REAL_SOFT, 0, NULL, NULL },
    { "soft NCP, default (ours)", &slip_solver_default, REAL_SOFT, 0, NULL, NULL },
    { "barrier, ccp-barrier", &slip_solver_ccp_barrier, REAL_BARRIER, 1, NULL, NULL },
    { "MuJoCo's law, ccp-newton", &slip_solver_ccp_newton, REAL_MUJOCO, 0, NULL, NULL } };

/* ---- a world ----------------------------------------------------------------------------------------------------- */

/* Where a cube touches: its box, or balls in its corners when they are rounded, which is the same on a plane. */
static void real_put_shape(const real_body *body, char *text, size_t size)
{
    const double r = body->corner, at = body->half_width - r, width = 2*body->half_width;
    size_t used = 0;
    int i;

    if (!(r > 0)) {
        snprintf(text, size, "<geometry><box size=\"%.17g %.17g %.17g\"/></geometry>", width, width, width);
        return;
    }
    for (i = 0; i < 8; ++i) {
        const int n = snprintf(text + used, size - used, "<collision><origin xyz=\"%.17g %.17g "
                               "%.17g\"/><geometry><sphere "
                               "radius=\"%.17g\"/></geometry></collision>", i & 1 ? at : -at, i & 2 ? at : -at,
                               i & 4 ? at : -at, r);

        if (n < 0 || (size_t)n >= size - used) return;
        used += (size_t)n;
    }
    snprintf(text + used, size - used, "<visual><geometry><box size=\"%.17g %.17g %.17g\"/></geometry></visual>", width,
             width,
             width);
}

/* Parts of a body. */
static void real_put_body(const real_body *b, double mass_scale, char *text, size_t size)
{
    const double inertia = mass_scale*b->inertia;
    const int n = snprintf(text, size, "<inertial><origin xyz=\"%.17g %.17g %.17g\"/><mass value=\"%.17g\"/>"
                           "<inertia ixx=\"%.17g\" iyy=\"%.17g\" izz=\"%.17g\" ixy=\"0\" ixz=\"0\" "
                           "iyz=\"0\"/></inertial>",
                           b->com[0], b->com[1], b->com[2], mass_scale*b->mass, inertia, inertia, inertia);

    real_put_shape(b, text + n, size - (size_t)n);
}

/* The scene of a toss as text. The ghost is light, so that its energy does not count. law: of all contacts, "" or an
 * element of it, since a world begins with its law. */
static char *real_scene(const real_terms *terms, const char *law, int has_ghost)
{
    enum { CUBE = 4096, SIZE = 2*CUBE + 1024 };
    char *text = (char *)cli_alloc(SIZE), cube[CUBE], ghost[CUBE];

    real_put_body(&terms->body, 1, cube, sizeof cube);
    real_put_body(&terms->body, 1e-6, ghost, sizeof ghost);
    snprintf(text, SIZE, "<scene name=\"toss\"><simulation dt=\"%.17g\" duration=\"1\" gravity=\"0 0 %.17g\" "
             "integrator=\"%s\"/>%s"
             "<surface_pair a=\"default\" b=\"default\" friction=\"0.2\"/><ground/>"
             "<body name=\"cube\"><origin xyz=\"0 0 1\"/>%s</body>%s%s%s"
             "<camera eye=\"0.5 -0.7 0.45\" target=\"0 0 0.05\" fov=\"35\"/></scene>", terms->dt, -terms->body.gravity,
             terms->integrator == SLIP_EULER ? "euler" : "midpoint", law, cube,
             has_ghost ? "<body name=\"recorded\" group=\"2\" mask=\"0\" rgba=\"0.95 0.5 0.1 0.4\"><origin xyz=\"0 1 "
             "1\"/>" : "",
             has_ghost ? ghost : "", has_ghost ? "</body>" : "");
    return text;
}

int real_open(const char *command, const real_model *model, const real_terms *terms, int has_ghost, real_stage *stage)
{
    sim_changes c;
    char *text = real_scene(terms, model->parameters & 1 << REAL_TIME ? "<contact law=\"reference\" overlap=\"true\"/>"
                            : "", has_ghost);
    int ok;

    memset(&c, 0, sizeof c);
    memset(stage, 0, sizeof *stage);
    stage->terms = *terms;
    stage->model = model;
    c.solve.list[0] = model->solver;
    c.solve.count = 1;
    c.quiet = c.equal_terms = c.options_checked = 1;
    ok = !model->option || solver_args_set(command, &c.solve, model->option, model->value);
    ok = ok && sim_open_text(command, text, strlen(text), "toss", &c, &stage->session);
    free(text);
    return ok;
}

void real_close(real_stage *stage) { sim_close(&stage->session); }

void real_set_law(real_stage *stage, const real_law *law)
{
    const unsigned has = stage->model->parameters;
    slip_world_options *o = slip_world_options_of(stage->session.world);
    slip_material m = slip_material_defaults();

    m.friction = (slip_real)law->x[REAL_MU];
    if (has & 1 << REAL_RESTITUTION) m.restitution = (slip_real)law->x[REAL_RESTITUTION];
    if (has & 1 << REAL_STIFFNESS) m.stiffness = (slip_real)law->x[REAL_STIFFNESS];
    if (has & 1 << REAL_DAMPING) m.damping = (slip_real)law->x[REAL_DAMPING];
    slip_world_set_material_pair(stage->session.world, 0, &m);
    if (has & 1 << REAL_COMPLIANCE) o->solve.r_min = (slip_real)law->x[REAL_COMPLIANCE];
    if (has & 1 << REAL_TIME) {                      /* solimp as MuJoCo has it */
        o->law.time_constant = (slip_real)law->x[REAL_TIME];
        o->law.damping_ratio = (slip_real)law->x[REAL_RATIO];
    }
}

/* ---- starting ---------------------------------------------------------------------------------------------------- */

/* The rotation by the angle |w| about w after q, as quaternion. */
static void real_turn(const slip_real w[3], const slip_real q[4], slip_real r[4])
{
    slip_real e[4];

    slip_quat_exp(w, e);
    slip_quat_mul(e, q, r);
}

/* Sums of a straight line through (t_i, y_i), three of them at once; solves for value and slope at t = 0. */
typedef struct { double n, t, tt, y[3], ty[3]; } real_line_sums;

static void real_line_add(real_line_sums *s, double t, const double y[3])
{
    int k;

    s->n += 1;
    s->t += t;
    s->tt += t*t;
    for (k = 0; k < 3; ++k) { s->y[k] += y[k];  s->ty[k] += t*y[k]; }
}

static void real_line_solve(const real_line_sums *s, double at0[3], double slope[3])
{
    const double det = s->n*s->tt - s->t*s->t;
    int k;

    for (k = 0; k < 3; ++k) {
        slope[k] = (s->n*s->ty[k] - s->t*s->y[k])/det;
        at0[k] = (s->y[k] - slope[k]*s->t)/s->n;
    }
}

/* A vector of body axes in world axes. */
static void real_to_world(const double q[4], const double body[3], double world[3])
{
    slip_real r[4], u[3], x[3];
    int k;

    for (k = 0; k < 4; ++k) r[k] = (slip_real)q[k];
    for (k = 0; k < 3; ++k) u[k] = (slip_real)body[k];
    slip_quat_rotate(r, u, x);
    for (k = 0; k < 3; ++k) world[k] = (double)x[k];
}

/* The cube's centre and its velocity at the first of a flight's n rows, gravity and the state's turning given: the
 * centre of mass plus g t^2/2 is a straight line. */
static void real_fit_path(const real_row *row, int n, const real_body *body, real_row *state)
{
    const double *w = state->w, *c = body->com;
    const double turned[3] = { w[1]*c[2] - w[2]*c[1], w[2]*c[0] - w[0]*c[2], w[0]*c[1] - w[1]*c[0] };    /* w x c */
    real_line_sums s;
    double arm[3];
    int i, k;

    memset(&s, 0, sizeof s);
    for (i = 0; i < n; ++i) {
        const double t = row[i].t - row[0].t;
        double y[3];

        real_to_world(row[i].q, c, arm);
        for (k = 0; k < 3; ++k) y[k] = row[i].p[k] + arm[k];
        y[2] += body->gravity*t*t/2;
        real_line_add(&s, t, y);
    }
    real_line_solve(&s, state->p, state->v);
    real_to_world(state->q, c, arm);
    for (k = 0; k < 3; ++k) state->p[k] -= arm[k];
    real_to_world(state->q, turned, arm);
    for (k = 0; k < 3; ++k) state->v[k] -= arm[k];
}

/* Orientation and angular velocity of a flight at its first row. All axes have the same inertia, so that the angular
 * velocity is constant: q(t) = exp(w t) q0. Each round fits a straight line to what is left and adds it to q0 and w,
 which
 * is exact for small turns and gains a digit or so a round for those of a flight. */
static void real_fit_turn(const real_row *row, int n, real_row *state)
{
    enum { ROUNDS = 16 };
    slip_real q0[4], w[3], conj[4], body[3];
    int round, i, k;

    for (k = 0; k < 4; ++k) q0[k] = (slip_real)row[0].q[k];
    for (k = 0; k < 3; ++k) body[k] = (slip_real)row[0].w[k];
    slip_quat_rotate(q0, body, w);
    for (round = 0; round < ROUNDS; ++round) {
        real_line_sums s;
        double at0[3], slope[3];

        memset(&s, 0, sizeof s);
        for (i = 0; i < n; ++i) {
            const slip_real t = (slip_real)(row[i].t - row[0].t);
            slip_real turn[3], q[4], now[4], off[4], r[3];
            double y[3];

            for (k = 0; k < 3; ++k) turn[k] = t*w[k];
            for (k = 0; k < 4; ++k) q[k] = (slip_real)row[i].q[k];
            real_turn(turn, q0, now);
            slip_quat_conj(now, conj);
            slip_quat_mul(q, conj, off);
            slip_quat_log(off, r);
            for (k = 0; k < 3; ++k) y[k] = (double)r[k];
            real_line_add(&s, (double)t, y);
        }
        real_line_solve(&s, at0, slope);
        for (k = 0; k < 3; ++k) { body[k] = (slip_real)at0[k];  w[k] += (slip_real)slope[k]; }
        real_turn(body, q0, q0);
    }
    slip_quat_conj(q0, conj);
    slip_quat_rotate(conj, w, body);
    for (k = 0; k < 4; ++k) state->q[k] = (double)q0[k];
    for (k = 0; k < 3; ++k) state->w[k] = (double)body[k];
}

int real_start_of(const real_set *set, const real_toss *toss, const real_terms *terms, int offset, real_row *state)
{
    enum { BLURRED = 2, ENOUGH = 4 };        /* rows before the touch that smoothing mixes with it; rows for a fit */
    const real_row *row = &set->rows[toss->first];
    const int before = toss->touch - BLURRED;
    int at = terms->start == REAL_START_TOUCH ? before : 0, last = toss->count - 2;

    at += offset;
    if (at > last) at = last;
    if (at < 0) at = 0;
    *state = row[at];
    if (terms->start == REAL_START_FLIGHT && before - at >= ENOUGH) {
        real_fit_turn(row + at, before - at, state);
        real_fit_path(row + at, before - at, &terms->body, state);
    }
    return at;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static void real_put(slip_world *world, const real_row *state)
{
    slip_real *q = slip_world_q(world), *v = slip_world_v(world), conj[4], u[3];
    int k;

    for (k = 0; k < 3; ++k) { q[k] = (slip_real)state->p[k];  u[k] = (slip_real)state->v[k]; }
    for (k = 0; k < 4; ++k) q[3 + k] = (slip_real)state->q[k];
    slip_quat_conj(q + 3, conj);
    slip_quat_rotate(conj, u, v);                    /* the world has both velocities in the body's axes */
    for (k = 0; k < 3; ++k) v[3 + k] = (slip_real)state->w[k];
}

static void real_get(slip_world *world, double t, real_row *row)
{
    const slip_real *q = slip_world_q(world), *v = slip_world_v(world);
    slip_real u[3];
    int k;

    slip_quat_rotate(q + 3, v, u);
    row->t = t;
    for (k = 0; k < 4; ++k) row->q[k] = (double)q[3 + k];
    for (k = 0; k < 3; ++k) {
        row->p[k] = (double)q[k];
        row->v[k] = (double)u[k];
        row->w[k] = (double)v[3 + k];
    }
}

int real_face(const real_row *row)
{
    const double *q = row->q;
    const double z[3] = { 2*(q[0]*q[2] - q[3]*q[1]), 2*(q[1]*q[2] + q[3]*q[0]), 1 - 2*(q[0]*q[0] + q[1]*q[1]) };
    int k, up = 0;

    for (k = 1; k < 3; ++k) if (fabs(z[k]) > fabs(z[up])) up = k;
    return z[up] > 0 ? up + 1 : -up - 1;
}

void real_compare(const real_row *a, const real_row *b, double half_width, double *position, double *rotation)
{
    const double dx = a->p[0] - b->p[0], dy = a->p[1] - b->p[1], dz = a->p[2] - b->p[2];
    double d = 0, c[4];
    int k;

    *position = sqrt(dx*dx + dy*dy + dz*dz)/(2*half_width);
    for (k = 0; k < 4; ++k) d += a->q[k]*b->q[k];
    for (k = 0; k < 4; ++k) c[k] = a->q[k] - (d < 0 ? -1 : 1)*b->q[k];
    d = sqrt(c[0]*c[0] + c[1]*c[1] + c[2]*c[2] + c[3]*c[3])/2;       /* sin of a quarter of the angle: exact near 0 */
    *rotation = 4*asin(d < 1 ? d : 1);
}

void real_begin(real_stage *stage, const real_row *state)
{
    slip_snapshot_restore(stage->session.world, stage->session.snapshot, slip_snapshot_bytes(stage->session.world));
    real_put(stage->session.world, state);
}

real_score real_simulate(real_stage *stage, const real_set *set, const real_toss *toss, const real_law *law, int offset,
                         real_row *poses)
{
    slip_world *world = stage->session.world;
    const real_row *row = &set->rows[toss->first];
    real_score score;
    real_row now;
    double position = 0, rotation = 0;
    long step = 0;
    int at, i, n, end = toss->count;

    memset(&score, 0, sizeof score);
    at = real_start_of(set, toss, &stage->terms, offset, &now);
    if (stage->terms.horizon > 0 && toss->touch + stage->terms.horizon < end) end = toss->touch + stage->terms.horizon;
    real_set_law(stage, law);
    real_begin(stage, &now);
    if (poses) poses[0] = now;
    for (i = at + 1, n = 0; i < end; ++i, ++n) {
        const long to = (long)floor((row[i].t - row[at].t)/stage->terms.dt + 0.5);

        for (; step < to; ++step) {
            const slip_status status = slip_step(world);

            if (status != SLIP_OK) ++score.missed;
            if (status < 0) { step = to;  break; }
        }
        real_get(world, row[i].t, &now);
        if (poses) poses[i - at] = now;
        real_compare(&now, &row[i], stage->terms.body.half_width, &position, &rotation);
        score.position += position;
        score.rotation += rotation;
    }
    score.position /= n > 0 ? n : 1;
    score.rotation /= n > 0 ? n : 1;
    score.end_position = position;
    score.end_rotation = rotation;
    score.face = real_face(&now) == real_face(&row[end - 1]);
    return score;
}
