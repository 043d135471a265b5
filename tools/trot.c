/* See trot.h. State in, torques out: kinematics, planner, leg controller, and a few notes for the report. */
#include "trot.h"

#include <stdlib.h>
#include <string.h>
#include "mpc.h"

typedef struct {
    int foot;                        /* link                                   */
    int iq[3], iv[3];                /* haa, hfe, kfe                          */
    slip_real hip[3];                /* of the foothold at the start, base axes */
} trot_leg;

struct trot {
    sim_session *session;
    trot_command command;
    trot_gait gait;                  /* of the planner that is there unless another one is set; zeros then */
    trot_planner_begin *planner_begin;
    trot_planner *planner;
    void *planner_context;
    mpc *mpc;                        /* NULL unless the command asks for it */
    trot_leg leg[TROT_LEGS];
    int base, base_body;
    slip_real height, kp, kd;        /* gains of the legs' joints [N m/rad, N m s/rad] */
    slip_real *J;                    /* 6 x nv */

    /* for the report */
    slip_real start[3], end[3], time;
    double heading;                  /* now, in (-pi, pi] [rad]                                    */
    double moved[2], turned;         /* sums in the base's own axes: forward, left [m]; left [rad] */
    double slid, tilt;
    int fell;
};

static const char *const trot_legs[TROT_LEGS] = { "lf", "rf", "lh", "rh" };

/* ---- the robot ---------------------------------------------------------------------------------- */

static const char *trot_name(const trot *t, int leg, const char *what, char out[256])
{
    slip_format(out, 256, "%s%s_%s", t->session->scene.robots[0].prefix, trot_legs[leg], what);
    return out;
}

/* Looks up a leg's joints and foot; 0 with a message when one is missing. */
static int trot_find_leg(trot *t, int leg)
{
    static const char *const joints[3] = { "haa", "hfe", "kfe" };
    const slip_model *m = t->session->scene.model;
    char name[256];
    int i;

    for (i = 0; i < 3; ++i) {
        const int joint = slip_model_find_joint(m, trot_name(t, leg, joints[i], name));

        if (joint < 0 || m->joint_body[joint] < 0)
            return cli_fail("sim", "--trot: the first robot has no joint '%s'", name), 0;
        t->leg[leg].iq[i] = m->iq[m->joint_body[joint]];
        t->leg[leg].iv[i] = m->dof_iv[m->idof[m->joint_body[joint]]];
    }
    t->leg[leg].foot = slip_model_find_link(m, trot_name(t, leg, "foot", name));
    if (t->leg[leg].foot < 0) return cli_fail("sim", "--trot: the first robot has no link '%s'", name), 0;
    return 1;
}

static void trot_begin(void *context, slip_world *world);
static void trot_update(void *context, slip_world *world);

trot *trot_new(sim_session *s, const trot_command *command)
{
    trot *t = (trot *)cli_alloc(sizeof *t);
    int i, ok = s->scene.nrobots > 0 && s->scene.robots[0].is_free;

    memset(t, 0, sizeof *t);
    t->session = s;
    t->command = *command;
    if (!ok) cli_fail("sim", "--trot: the scene has no robot on a free base");
    for (i = 0; i < TROT_LEGS && ok; ++i) ok = trot_find_leg(t, i);
    if (!ok) { trot_free(t); return NULL; }
    t->base = s->scene.robots[0].root;
    t->base_body = s->scene.model->link_body[t->base];
    t->J = (slip_real *)cli_alloc((size_t)(6*s->scene.model->nv)*sizeof *t->J);
    if (command->predicts) t->mpc = mpc_new();
    if (t->mpc) trot_set_planner(t, mpc_begin, mpc_plan, t->mpc);
    else trot_set_planner(t, trot_raibert_begin, trot_raibert, &t->gait);
    s->controller.begin = trot_begin;
    s->controller.update = trot_update;
    s->controller.context = t;
    return t;
}

void trot_free(trot *t)
{
    if (!t) return;
    mpc_free(t->mpc);
    free(t->J);
    free(t);
}

void trot_set_planner(trot *t, trot_planner_begin *begin, trot_planner *planner, void *context)
{
    memset(&t->gait, 0, sizeof t->gait);
    t->planner_begin = begin;
    t->planner = planner;
    t->planner_context = context;
}

/* ---- state -------------------------------------------------------------------------------------- */

/* Mass and centre of mass of the robot: the bodies of the base's subtree, which are contiguous. */
static slip_real trot_com(const trot *t, const slip_data *data, slip_real com[3])
{
    const slip_model *m = t->session->scene.model;
    slip_real mass = 0;
    int b;

    slip_zero3(com);
    for (b = t->base_body; b < m->nbodies && (b == t->base_body || m->parent[b] >= t->base_body); ++b) {
        const slip_real *I = m->inertia + 10*b;                /* m, m c */
        slip_real c[3];

        slip_mat3_vec(data->pose[b].R, I + 1, c);
        slip_axpy3(I[0], data->pose[b].p, c, c);
        slip_add3(com, c, com);
        mass += I[0];
    }
    slip_scale3(1/mass, com, com);
    return mass;
}

/* Momentum of the same bodies, angular about the centre of mass, and their inertia there; world axes. */
static void trot_momenta(const trot *t, const slip_data *data, trot_state *s)
{
    static const int of[9] = { 4, 5, 6, 5, 7, 8, 6, 8, 9 };
    const slip_model *m = t->session->scene.model;
    slip_real all[10] = { 0 }, sum[6] = { 0 };
    int b, i;

    for (b = t->base_body; b < m->nbodies && (b == t->base_body || m->parent[b] >= t->base_body); ++b) {
        slip_real I[10], p[6], here[6], r[3];

        slip_sub3(data->pose[b].p, s->com, r);
        slip_inertia_rotate(data->pose[b].R, m->inertia + 10*b, I);
        slip_inertia_vec(I, data->velocity + 6*b, p);
        slip_force_shift(p, r, here);
        for (i = 0; i < 6; ++i) sum[i] += here[i];
        slip_inertia_add_shifted(I, r, all);
    }
    slip_scale3(1/s->mass, sum, s->com_velocity);
    slip_copy3(sum + 3, s->spin);
    for (i = 0; i < 9; ++i) s->inertia[i] = all[of[i]];
}

/* Normal of what a foot pressed on in the last step: its contacts' own, weighted by their impulses; up without any. */
static void trot_normal(const slip_world *world, int foot, slip_real out[3])
{
    int i;

    slip_zero3(out);
    for (i = 0; i < slip_contact_count(world); ++i) {
        const slip_contact_info c = slip_contact_get(world, i);

        if (c.link_b == foot) slip_axpy3(c.impulse[2], c.frame + 6, out, out);
        else if (c.link_a == foot) slip_axpy3(-c.impulse[2], c.frame + 6, out, out);
    }
    if (slip_norm3(out) > 0) slip_normalize3(out, out);
    else slip_set3(0, 0, 1, out);
}

static void trot_observe(trot *t, slip_world *world, trot_state *s)
{
    const slip_model *m = t->session->scene.model;
    slip_data *data = slip_world_data(world);
    slip_real twist[6], wrench[6];
    slip_pose X;
    int i;

    for (i = 0; i < TROT_LEGS; ++i) {
        s->touches[i] = slip_link_contact_wrench(world, t->leg[i].foot, NULL, wrench) > 0 && wrench[2] > 0;
        trot_normal(world, t->leg[i].foot, s->normal[i]);
    }
    slip_kinematics(m, data, slip_world_q(world));
    slip_velocities(m, data, slip_world_v(world));
    s->time = slip_world_time(world);
    s->dt = slip_world_options_of(world)->dt;
    s->height = t->height;
    s->mass = trot_com(t, data, s->com);
    trot_momenta(t, data, s);
    slip_copy3(m->gravity, s->gravity);
    slip_link_pose(m, data, t->base, &X);
    slip_mat3_copy(X.R, s->R);
    slip_copy3(X.p, s->position);
    slip_link_velocity(m, data, t->base, twist);
    slip_copy3(twist, s->velocity);
    slip_copy3(twist + 3, s->omega);
    for (i = 0; i < TROT_LEGS; ++i) {
        slip_pose F;

        slip_link_pose(m, data, t->leg[i].foot, &F);
        slip_link_velocity(m, data, t->leg[i].foot, twist);
        slip_copy3(F.p, s->foot[i]);
        slip_copy3(twist, s->foot_velocity[i]);
        slip_pose_point(&X, t->leg[i].hip, s->hip[i]);
    }
}

static void trot_begin(void *context, slip_world *world)
{
    trot *t = (trot *)context;
    trot_state s;
    slip_real feet = 0;
    int i;

    memset(&s, 0, sizeof s);
    trot_observe(t, world, &s);
    for (i = 0; i < TROT_LEGS; ++i) {
        slip_real d[3];

        feet += s.foot[i][2]/4;
        slip_sub3(s.foot[i], s.position, d);
        slip_mat3_tvec(s.R, d, t->leg[i].hip);
        t->leg[i].hip[2] = 0;
    }
    t->height = s.position[2] - feet;
    t->kp = 12*s.mass*t->height*t->height*4;
    t->kd = t->kp/40;
    trot_observe(t, world, &s);
    if (t->planner_begin) t->planner_begin(t->planner_context, &s);
    slip_copy3(s.position, t->start);
    t->heading = (double)slip_atan2(s.R[3], s.R[0]);
    t->slid = t->tilt = t->turned = t->moved[0] = t->moved[1] = 0;
    t->fell = 0;
}

/* ---- legs --------------------------------------------------------------------------------------- */

/* The foot's 3x3 Jacobian over its leg's joints, world axes. */
static void trot_leg_jacobian(trot *t, const slip_data *data, const trot_leg *leg, slip_real J[9])
{
    const slip_model *m = t->session->scene.model;
    int i, k;

    slip_link_jacobian(m, data, leg->foot, SLIP_FRAME_ALIGNED, t->J);
    for (i = 0; i < 3; ++i)
        for (k = 0; k < 3; ++k) J[3*i + k] = t->J[i*m->nv + leg->iv[k]];
}

/* Standing: the reaction of the planned force as feed-forward, joints damped. */
static void trot_stand(const trot *t, slip_world *world, const trot_leg *leg, const slip_real J[9],
                       const slip_real force[3])
{
    slip_real tau[3];
    int k;

    slip_mat3_tvec(J, force, tau);
    for (k = 0; k < 3; ++k) {
        slip_drive *d = slip_world_drive(world, leg->iv[k]);

        d->kp = 0;
        d->kd = t->kd*SLIP_R(0.02);
        d->q_ref = slip_world_q(world)[leg->iq[k]];
        d->v_ref = 0;
        d->feed = -tau[k];
    }
}

/* Swinging: one Newton step of the inverse kinematics from where the leg is, as the drives' target. */
static void trot_swing(const trot *t, slip_world *world, const trot_leg *leg, const slip_real J[9],
                       const trot_state *s, int i, const trot_plan *plan)
{
    slip_real inverse[9], A[9], dx[3], dv[3], dq[3], arm[3], carried[3];
    int k;

    slip_mat3_copy(J, A);
    for (k = 0; k < 3; ++k) A[4*k] += SLIP_R(1e-6)*t->height;  /* a straight leg is singular */
    if (slip_abs(slip_mat3_inverse(A, inverse)) <= 0) return;
    slip_sub3(plan->foot[i], s->foot[i], dx);
    slip_sub3(s->foot[i], s->position, arm);
    slip_cross3(s->omega, arm, carried);                       /* without the motion of the trunk          */
    slip_add3(carried, s->velocity, carried);
    slip_sub3(plan->foot_velocity[i], carried, dv);
    slip_mat3_vec(inverse, dx, dq);
    slip_mat3_vec(inverse, dv, dv);
    for (k = 0; k < 3; ++k) {
        slip_drive *d = slip_world_drive(world, leg->iv[k]);

        d->kp = t->kp;
        d->kd = t->kd;
        d->q_ref = slip_world_q(world)[leg->iq[k]] + slip_clamp(dq[k], SLIP_R(-0.5), SLIP_R(0.5));
        d->v_ref = slip_clamp(dv[k], -15, 15);
        d->feed = 0;
    }
}

/* ---- notes for the report ----------------------------------------------------------------------- */

/* When it begins to walk [s]. */
static double trot_stands_until(const trot *t) { return (double)(t->mpc ? t->mpc->gait.stand : t->gait.stand); }

/* How far a foot slid in the last step, by its contacts. */
static double trot_slid(const slip_world *world, int foot)
{
    const slip_real dt = slip_world_options_of((slip_world *)world)->dt;
    double slid = 0;
    int i;

    for (i = 0; i < slip_contact_count(world); ++i) {
        const slip_contact_info c = slip_contact_get(world, i);

        if ((c.link_a == foot || c.link_b == foot) && c.state == SLIP_CONTACT_SLIP)
            slid += (double)(slip_norm2(c.velocity)*dt);
    }
    return slid;
}

static void trot_note(trot *t, const slip_world *world, const trot_state *s)
{
    const double tilt = (double)slip_acos(slip_clamp(s->R[8], -1, 1)), pi = 3.14159265358979323846;
    const double heading = (double)slip_atan2(s->R[3], s->R[0]), turn = heading - t->heading;
    const double vx = (double)s->velocity[0], vy = (double)s->velocity[1], dt = (double)s->dt;
    int i;

    t->turned += turn > pi ? turn - 2*pi : turn < -pi ? turn + 2*pi : turn;
    t->heading = heading;
    if ((double)s->time > trot_stands_until(t)) {
        const double c = (double)slip_cos((slip_real)heading), n = (double)slip_sin((slip_real)heading);

        t->moved[0] += dt*(c*vx + n*vy);
        t->moved[1] += dt*(c*vy - n*vx);
    }

    for (i = 0; i < TROT_LEGS; ++i) t->slid += trot_slid(world, t->leg[i].foot);
    if (tilt > t->tilt) t->tilt = tilt;
    t->fell |= tilt > 1;
    slip_copy3(s->position, t->end);
    t->time = s->time;
}

static void trot_update(void *context, slip_world *world)
{
    trot *t = (trot *)context;
    trot_state s;
    trot_plan plan;
    int i;

    memset(&plan, 0, sizeof plan);
    trot_observe(t, world, &s);
    trot_note(t, world, &s);
    t->planner(t->planner_context, &s, &t->command, &plan);
    for (i = 0; i < TROT_LEGS; ++i) {
        slip_real J[9];

        trot_leg_jacobian(t, slip_world_data(world), &t->leg[i], J);
        if (plan.stance[i]) trot_stand(t, world, &t->leg[i], J, plan.force[i]);
        else trot_swing(t, world, &t->leg[i], J, &s, i, &plan);
    }
}

/* Without the sign of what two decimals round to zero. */
static double trot_round(double x) { return fabs(x) < 0.005 ? 0 : x; }

/* Speeds are means in the robot's own axes, as they are asked for: a curve does not shorten them. */
void trot_report(const trot *t, FILE *out)
{
    const double dx = trot_round((double)(t->end[0] - t->start[0])), dy = trot_round((double)(t->end[1] - t->start[1]));
    const double time = (double)t->time - trot_stands_until(t), per_s = time > 0 ? 1/time : 0;
    const double far = (double)slip_hypot((slip_real)t->moved[0], (slip_real)t->moved[1]), degrees = 57.29577951308232;
    const double turned = 0.1*floor(10*degrees*t->turned + 0.5);      /* or -0.04 would be told as -0.0 */

    fprintf(out, "  trot             %s: %.2f m along x, %.2f m along y, turned by %.1f degrees in %.2f s\n",
            t->fell ? "FELL OVER" : time > 0 ? "walked" : "has not begun to walk", dx, dy, trot_round(turned),
            fmax(time, 0));
    fprintf(out, "                   forward %.2f m/s (%.2f asked for), left %.2f m/s (%.2f), turn %.2f rad/s (%.2f)\n",
            trot_round(t->moved[0]*per_s), (double)t->command.forward, trot_round(t->moved[1]*per_s),
            (double)t->command.sideways, trot_round(t->turned*per_s), (double)t->command.turn);
    fprintf(out, "                   tilted by %.1f degrees at most; feet slid %.0f mm", degrees*t->tilt, 1e3*t->slid);
    if (far >= 0.1) fprintf(out, ", %.0f mm per metre walked", 1e3*t->slid/far);
    fputc('\n', out);
    if (t->mpc && t->mpc->plans > 0)
        fprintf(out, "                   %ld plans of %d steps, %.1f iterations each, %ld missed their tolerance\n",
                t->mpc->plans, MPC_STEPS, (double)t->mpc->iterations/(double)t->mpc->plans, t->mpc->missed);
}

int trot_value(cli_args *args, trot_command *walk)
{
    const char *text = cli_value(args);
    double x[3] = { 0, 0, 0 };
    int i, n;

    if (!text) return 0;
    for (i = 0; i < 3; ++i) {
        n = slip_read_double(text, (int)strlen(text), &x[i]);
        if (n <= 0 || !(x[i] >= -10 && x[i] <= 10)) break;
        text += n;
        if (*text == '\0') {
            walk->forward = (slip_real)x[0];
            walk->sideways = (slip_real)x[1];
            walk->turn = (slip_real)x[2];
            return 1;
        }
        if (*text++ != ',') break;
    }
    cli_usage(args, "--trot: expected VX, VX,VY or VX,VY,W in m/s and rad/s, each within 10");
    return 0;
}
