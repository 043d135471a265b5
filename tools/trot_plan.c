/* The planner of the trot: diagonal pairs of feet take turns.
 *
 * Standing feet share the force and moment that hold the trunk up, level with the ground and on its way, least
 * squares within friction cones. A swinging foot goes to where its hip will be in the middle of the coming stance,
 * plus a share of the error in velocity (Raibert 1986):  p = hip + T/2 v + k (v - v_wanted). */
#include "trot_plan.h"

#include <string.h>

trot_gait trot_gait_default(slip_real height)
{
    trot_gait g;

    memset(&g, 0, sizeof g);
    g.period = slip_sqrt(height)*SLIP_R(0.8);                  /* a pendulum as long as the leg: 0.56 s at 0.49 m */
    g.stand = SLIP_R(0.2);
    g.lift = SLIP_R(0.17)*height;
    g.sink = SLIP_R(0.02)*height;
    g.gain = slip_sqrt(height/SLIP_R(9.81))*SLIP_R(0.35);
    g.friction = SLIP_R(0.3);
    return g;
}

/* ---- the ground under the feet ------------------------------------------------------------------ */

/* Heading: forward and left, level, and up; then the slope of the plane through the last footholds. */
static void plan_frame(trot_gait *g, const trot_state *s)
{
    slip_real front[3], left[3], n[3];
    const slip_real x[3] = { s->R[0], s->R[3], 0 }, share = slip_min(1, s->dt/SLIP_R(0.05));
    int k;

    slip_normalize3(x, g->forward);
    slip_set3(-g->forward[1], g->forward[0], 0, g->left);
    for (k = 0; k < 3; ++k) {
        front[k] = g->hold[TROT_LF][k] + g->hold[TROT_RF][k] - g->hold[TROT_LH][k] - g->hold[TROT_RH][k];
        left[k] = g->hold[TROT_LF][k] + g->hold[TROT_LH][k] - g->hold[TROT_RF][k] - g->hold[TROT_RH][k];
    }
    slip_cross3(front, left, n);
    slip_normalize3(n, n);
    if (n[2] < SLIP_R(0.5)) slip_set3(0, 0, 1, n);
    for (k = 0; k < 3; ++k) g->up[k] += share*(n[k] - g->up[k]);             /* footholds change in jumps */
    slip_normalize3(g->up, g->up);
}

slip_real trot_gait_ground(const trot_gait *g, const slip_real p[3])
{
    slip_real mean[3] = { 0, 0, 0 };
    int i;

    for (i = 0; i < TROT_LEGS; ++i) slip_axpy3(SLIP_R(0.25), g->hold[i], mean, mean);
    return mean[2] - (g->up[0]*(p[0] - mean[0]) + g->up[1]*(p[1] - mean[1]))/g->up[2];
}

/* ---- swing -------------------------------------------------------------------------------------- */

static void plan_swing(trot_gait *g, const trot_state *s, const slip_real wanted[3], int i, slip_real phase,
                       trot_plan *plan)
{
    const slip_real half = g->period/2, u = phase*phase*(3 - 2*phase), du = 6*phase*(1 - phase)/half;
    slip_real goal[3], arm[3], spin[3];
    const slip_real w[3] = { 0, 0, s->omega[2] };
    int k;

    slip_sub3(s->hip[i], s->position, arm);
    slip_cross3(w, arm, spin);
    for (k = 0; k < 2; ++k) {
        const slip_real v = s->velocity[k] + spin[k];

        goal[k] = s->hip[i][k] + v*(half/2 + (1 - phase)*half) + g->gain*(s->velocity[k] - wanted[k]);
    }
    goal[2] = trot_gait_ground(g, goal) - g->sink;
    for (k = 0; k < 2; ++k) {
        plan->foot[i][k] = g->from[i][k] + u*(goal[k] - g->from[i][k]);
        plan->foot_velocity[i][k] = du*(goal[k] - g->from[i][k]);
    }
    plan->foot[i][2] = g->from[i][2] + u*(goal[2] - g->from[i][2]) + g->lift*slip_sin(SLIP_PI*phase);
    plan->foot_velocity[i][2] = du*(goal[2] - g->from[i][2]) + g->lift*slip_cos(SLIP_PI*phase)*SLIP_PI/half;
}

/* ---- stance ------------------------------------------------------------------------------------- */

/* Force and moment about the centre of mass that a spring and a damper on the trunk ask for. */
static void plan_trunk(const trot_gait *g, const trot_state *s, const slip_real wanted[3], slip_real turn,
                       slip_real out[6])
{
    const slip_real m = s->mass, g0 = SLIP_R(9.81), rate = slip_sqrt(g0/s->height);     /* the leg's own frequency */
    const slip_real kv = 2*rate, kz = 16*rate*rate, dz = 7*rate;
    const slip_real inertia = m*s->height*s->height*SLIP_R(0.25), kr = 60*rate*rate, dr = 10*rate;
    const slip_real z[3] = { s->R[2], s->R[5], s->R[8] };
    slip_real tilt[3], height;
    int k;

    height = (s->position[2] - trot_gait_ground(g, s->position))*g->up[2];
    for (k = 0; k < 2; ++k) out[k] = m*kv*(wanted[k] - s->velocity[k] + rate*g->lag[k]);
    out[2] = m*(g0 + kz*(s->height - height) + dz*(wanted[2] - s->velocity[2]));
    slip_cross3(z, g->up, tilt);                               /* turns the trunk's z onto the ground's normal */
    for (k = 0; k < 3; ++k) out[3 + k] = inertia*(kr*tilt[k] - dr*s->omega[k]);
    out[5] = inertia*2*dr*(turn - s->omega[2]);
}

/* Adds a foot's columns of A'WA and A'Ww, A = [1; r x] giving force and moment from the feet's forces. */
static void plan_add_pair(const slip_real ri[3], const slip_real rj[3], slip_real weight, slip_real *M, int lda)
{
    const slip_real dot = slip_dot3(ri, rj);
    int a, b;

    for (a = 0; a < 3; ++a)                                    /* 1 + w (ri.rj 1 - rj ri') */
        for (b = 0; b < 3; ++b)
            M[a*lda + b] = (slip_real)(a == b)*(1 + weight*dot) - weight*rj[a]*ri[b];
}

/* Least squares over the standing feet, then within the friction cones. */
static void plan_share(const trot_gait *g, const trot_state *s, const slip_real want[6], trot_plan *plan)
{
    const slip_real weight = 4/(s->height*s->height), small = SLIP_R(1e-3);
    slip_real M[144], f[12], r[TROT_LEGS][3];
    int leg[TROT_LEGS], n = 0, i, j, k;

    for (i = 0; i < TROT_LEGS; ++i)
        if (plan->stance[i]) {
            slip_sub3(s->foot[i], s->com, r[n]);
            leg[n++] = i;
        }
    for (i = 0; i < n; ++i) {
        slip_real moment[3];

        for (j = 0; j < n; ++j) plan_add_pair(r[i], r[j], weight, M + 3*i*3*n + 3*j, 3*n);
        slip_cross3(want + 3, r[i], moment);                   /* (r x)' m = m x r */
        for (k = 0; k < 3; ++k) {
            f[3*i + k] = want[k] + weight*moment[k];
            M[(3*i + k)*3*n + 3*i + k] += small;
        }
    }
    if (n == 0 || slip_chol_factor(3*n, M, 3*n, NULL) != SLIP_OK) return;
    slip_chol_solve(3*n, M, 3*n, f);
    for (i = 0; i < n; ++i) {
        slip_real *out = plan->force[leg[i]], most, t;

        slip_copy3(f + 3*i, out);
        out[2] = slip_clamp(out[2], SLIP_R(0.05)*s->mass*SLIP_R(9.81), 3*s->mass*SLIP_R(9.81));
        most = g->friction*out[2];
        t = slip_norm2(out);
        if (t > most) { out[0] *= most/t; out[1] *= most/t; }
    }
}

/* ---- all of it ---------------------------------------------------------------------------------- */

void trot_raibert_begin(void *context, const trot_state *s)
{
    trot_gait *g = (trot_gait *)context;

    *g = trot_gait_default(s->height);
    memcpy(g->hold, s->foot, sizeof g->hold);
    memcpy(g->from, s->foot, sizeof g->from);
    slip_set3(0, 0, 1, g->up);
}

int trot_gait_stands(const trot_gait *g, int leg, slip_real time)
{
    const slip_real turns = (time - g->stand)/g->period, phase = turns - slip_floor(turns);
    const int first = leg == TROT_LF || leg == TROT_RH;        /* these stand in the first half of a stride */

    return time < g->stand || (phase < SLIP_R(0.5)) == first;
}

void trot_gait_feet(trot_gait *g, const trot_state *s, const trot_command *c, slip_real wanted[3], trot_plan *plan)
{
    const slip_real walking = s->time - g->stand, turns = walking/g->period;
    const slip_real phase = turns - slip_floor(turns);
    int i, k;

    plan_frame(g, s);
    for (k = 0; k < 3; ++k)
        wanted[k] = walking < 0 ? 0 : c->forward*g->forward[k] + c->sideways*g->left[k];
    wanted[2] = -(g->up[0]*wanted[0] + g->up[1]*wanted[1])/g->up[2];          /* along the slope */
    for (k = 0; k < 2; ++k)
        g->lag[k] += s->dt*(wanted[k] - s->velocity[k] - g->lag[k]/g->period);
    for (i = 0; i < TROT_LEGS; ++i) {
        plan->stance[i] = trot_gait_stands(g, i, s->time);
        if (!plan->stance[i] && g->was_stance[i]) slip_copy3(s->foot[i], g->from[i]);
        if (plan->stance[i]) slip_copy3(s->foot[i], g->hold[i]);
        g->was_stance[i] = plan->stance[i];
    }
    for (i = 0; i < TROT_LEGS; ++i)
        if (!plan->stance[i]) plan_swing(g, s, wanted, i, 2*(phase < SLIP_R(0.5) ? phase : phase - SLIP_R(0.5)), plan);
}

void trot_raibert(void *context, const trot_state *s, const trot_command *c, trot_plan *plan)
{
    trot_gait *g = (trot_gait *)context;
    slip_real wanted[3], want[6];

    trot_gait_feet(g, s, c, wanted, plan);
    plan_trunk(g, s, wanted, s->time < g->stand ? 0 : c->turn, want);
    plan_share(g, s, want, plan);
}
