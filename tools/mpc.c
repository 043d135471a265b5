/* See mpc.h for the equations. */
#include "mpc.h"

#include <stdlib.h>
#include <string.h>

/* Errors that weigh alike. A standing robot's forces, half of its weight each, weigh as much as errors of a tenth of
 * these, so that the path is followed with what forces it takes. */
static const double mpc_height_error = 0.01, mpc_speed_error = 0.05, mpc_tilt_error = 0.02, mpc_spin_error = 0.2;
static const double mpc_force_share = 3;

mpc *mpc_new(void)
{
    mpc *m = (mpc *)cli_alloc(sizeof *m);
    slip_problem largest;
    const slip_solver_options opt = slip_solver_defaults();

    memset(m, 0, sizeof *m);
    m->B = (slip_real *)cli_alloc((size_t)MPC_STATES*MPC_ROWS*sizeof *m->B);
    m->H = (slip_real *)cli_alloc((size_t)MPC_ROWS*MPC_ROWS*sizeof *m->H);
    m->c = (slip_real *)cli_alloc(3*(size_t)MPC_ROWS*sizeof *m->c);
    m->f = m->c + MPC_ROWS;
    m->mu = m->c + 2*MPC_ROWS;
    memset(m->H, 0, (size_t)MPC_ROWS*MPC_ROWS*sizeof *m->H);
    memset(m->c, 0, 3*(size_t)MPC_ROWS*sizeof *m->c);
    largest = slip_problem_dense(MPC_MOST, m->mu, m->c, m->H, MPC_ROWS);
    m->bytes = slip_solver_ccp_newton.bytes(&largest, &opt);
    m->scratch = cli_alloc(m->bytes);
    return m;
}

void mpc_free(mpc *m)
{
    if (!m) return;
    free(m->B);
    free(m->H);
    free(m->c);
    free(m->scratch);
    free(m);
}

void mpc_begin(void *context, const trot_state *s)
{
    mpc *m = (mpc *)context;

    trot_raibert_begin(&m->gait, s);
    m->gait.friction = SLIP_R(0.2);      /* of the 0.3 of slippery ground: the next foothold's normal is a guess */
    m->step = m->gait.period/MPC_STEPS;
    m->every = m->step/2;
    m->next = s->time;
    m->height = s->com[2] - trot_gait_ground(&m->gait, s->com);
    m->n = 0;
    m->plans = m->missed = m->iterations = 0;
    memset(m->force, 0, sizeof m->force);
    memcpy(m->normal, s->normal, sizeof m->normal);
}

/* ---- the horizon ------------------------------------------------------------------------------------------------- */

/* Where a leg will stand at a time: where it stands now, or, in a later stance, below its hip in that stance's middle.
 * Returns whether it is the stance of now. */
static int mpc_foothold(const mpc *m, const trot_state *s, const slip_real wanted[3], int leg, slip_real time,
                        slip_real out[3])
{
    const slip_real half = m->gait.period/2, turns = (time - m->gait.stand)/half;
    const slip_real middle = m->gait.stand + half*(slip_floor(turns) + SLIP_R(0.5));
    int k;

    if (trot_gait_stands(&m->gait, leg, s->time) && slip_abs(time - s->time) < half
        && slip_floor(turns) <= slip_floor((s->time - m->gait.stand)/half)) {
        slip_copy3(s->foot[leg], out);
        return 1;
    }
    for (k = 0; k < 2; ++k) out[k] = s->hip[leg][k] + wanted[k]*(middle - s->time);
    out[2] = trot_gait_ground(&m->gait, out);
    return 0;
}

/* Columns t1, t2, n: the axes of the world turned the short way until z is n. The axes change little with n. */
static void mpc_axes(const slip_real n[3], slip_real A[9])
{
    const slip_real k = 1/(1 + n[2]), x = n[0], y = n[1];

    slip_set3(1 - k*x*x, -k*x*y, x, A);
    slip_set3(-k*x*y, 1 - k*y*y, y, A + 3);
    slip_set3(-x, -y, n[2], A + 6);
}

/* All forces of the horizon, and their arms from the centre of mass on its way at the wanted velocity. */
static void mpc_list(mpc *m, const trot_state *s, const slip_real wanted[3])
{
    int j, leg;

    m->n = 0;
    for (j = 0; j < MPC_STEPS; ++j) {
        const slip_real time = s->time + ((slip_real)j + SLIP_R(0.5))*m->step;

        for (leg = 0; leg < TROT_LEGS; ++leg) {
            mpc_force *f = &m->list[m->n];
            slip_real foot[3], com[3];
            int is_now;

            if (!trot_gait_stands(&m->gait, leg, time)) continue;
            is_now = mpc_foothold(m, s, wanted, leg, time, foot);
            mpc_axes(is_now ? m->normal[leg] : m->gait.up, f->axes);
            slip_axpy3(time - s->time, wanted, s->com, com);
            f->leg = leg;
            f->step = j;
            slip_sub3(foot, com, f->arm);
            ++m->n;
        }
    }
}

/* The rotation from the wanted attitude, up the ground's normal; about the vertical the robot follows its heading. */
static void mpc_tilt(const mpc *m, const trot_state *s, slip_real e[3])
{
    const slip_real z[3] = { s->R[2], s->R[5], s->R[8] };

    slip_cross3(m->gait.up, z, e);
}

/* The state after k steps without forces, less the wanted one: height, velocity, tilt, turning rate. Rows: p (3), v, e,
 * I^-1 L. Horizontal places are not wanted, but what the robot has stayed behind is made up for. */
static void mpc_free_state(const mpc *m, const trot_state *s, const slip_real wanted[3], slip_real turn,
                           const slip_real inverse[9], int k, slip_real x[MPC_STATES])
{
    const slip_real t = (slip_real)k*m->step, rate = slip_sqrt(slip_norm3(s->gravity)/s->height);
    slip_real place[3], e[3], w[3];
    int i;

    slip_axpy3(t, wanted, s->com, place);
    mpc_tilt(m, s, e);
    slip_mat3_vec(inverse, s->spin, w);
    for (i = 0; i < 3; ++i) {
        x[i] = i < 2 ? 0 : s->com[2] + t*s->com_velocity[2] + t*t/2*s->gravity[2]
                           - trot_gait_ground(&m->gait, place) - m->height;
        x[3 + i] = s->com_velocity[i] + t*s->gravity[i] - wanted[i] - rate*m->gait.lag[i];
        x[6 + i] = i < 2 ? e[i] + t*w[i] : 0;
        x[9 + i] = w[i] - (i == 2 ? turn : 0);
    }
}

/* Row by row what the forces up to step k add to that state, into m->B. */
static void mpc_response(mpc *m, const trot_state *s, const slip_real inverse[9], int k)
{
    const int rows = 3*m->n;
    const slip_real h = m->step;
    int i, a, b;

    memset(m->B, 0, (size_t)MPC_STATES*(size_t)rows*sizeof *m->B);
    for (i = 0; i < m->n && m->list[i].step < k; ++i) {
        const slip_real *r = m->list[i].arm, later = h*((slip_real)(k - m->list[i].step) - SLIP_R(0.5));
        const slip_real cross[9] = { 0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0 };
        const slip_real *axes = m->list[i].axes;
        slip_real turn[9], moment[9];

        slip_mat3_mul(cross, axes, moment);
        slip_mat3_mul(inverse, moment, turn);
        for (b = 0; b < 3; ++b) m->B[2*rows + 3*i + b] = later*h/s->mass*axes[6 + b];
        for (a = 0; a < 3; ++a) {
            for (b = 0; b < 3; ++b) {
                m->B[(3 + a)*rows + 3*i + b] = h/s->mass*axes[3*a + b];
                if (a < 2) m->B[(6 + a)*rows + 3*i + b] = later*h*turn[3*a + b];
                m->B[(9 + a)*rows + 3*i + b] = h*turn[3*a + b];
            }
        }
    }
}

/* H and c: the sum over all steps of B' Q B and B' Q x, and R. */
static void mpc_problem(mpc *m, const trot_state *s, const slip_real wanted[3], slip_real turn)
{
    const double errors[4] = { mpc_height_error, mpc_speed_error, mpc_tilt_error, mpc_spin_error };
    const double weight = mpc_force_share*(double)(s->mass*slip_norm3(s->gravity))/2;
    const int rows = 3*m->n;
    slip_real inverse[9], x[MPC_STATES];
    int i, j, k, a;

    slip_mat3_inverse(s->inertia, inverse);
    memset(m->H, 0, (size_t)rows*(size_t)rows*sizeof *m->H);
    memset(m->c, 0, (size_t)rows*sizeof *m->c);
    for (i = 0; i < rows; ++i) m->H[i*rows + i] = (slip_real)(1/(weight*weight));
    for (k = 1; k <= MPC_STEPS; ++k) {
        mpc_free_state(m, s, wanted, turn, inverse, k, x);
        mpc_response(m, s, inverse, k);
        for (a = 2; a < MPC_STATES; ++a) {
            const slip_real *B = m->B + a*rows, q = (slip_real)(1/(errors[a/3]*errors[a/3]*MPC_STEPS));

            for (i = 0; i < rows; ++i) {
                const slip_real b = q*B[i];

                if (!(slip_abs(b) > 0)) continue;
                m->c[i] += b*x[a];
                for (j = 0; j < rows; ++j) m->H[i*rows + j] += b*B[j];
            }
        }
    }
}

/* ---- the plan ------------------------------------------------------------------------------------------------------ */

/* A ten-thousandth of the forces is more than a plan needs that is replaced soon. */
static void mpc_solve(mpc *m, const trot_state *s)
{
    slip_solver_options opt = slip_solver_defaults();
    slip_arena arena = slip_arena_over(m->scratch, m->bytes);
    slip_solution sol = slip_solution_over(m->f, NULL, NULL);
    slip_problem p = slip_problem_dense(m->n, m->mu, m->c, m->H, 3*m->n);
    slip_real force[3];
    int i;

    for (i = 0; i < m->n; ++i) {
        m->mu[i] = m->gait.friction;
        slip_copy3(m->force[m->list[i].leg], force);
        if (!(force[2] > 0)) slip_scale3(SLIP_R(-0.5)*s->mass, s->gravity, force);
        slip_mat3_tvec(m->list[i].axes, force, m->f + 3*i);
    }
    sol.warm = p.n;
    opt.tol = SLIP_R(1e-4);
    opt.tol_rule = SLIP_TOL_RELATIVE;
    ++m->plans;
    m->missed += slip_solve(&slip_solver_ccp_newton, &p, &opt, &sol, &arena) != SLIP_OK;
    m->iterations += sol.iterations;
    memset(m->force, 0, sizeof m->force);
    for (i = 0; i < m->n && m->list[i].step == 0; ++i)
        slip_mat3_vec(m->list[i].axes, m->f + 3*i, m->force[m->list[i].leg]);
}

void mpc_plan(void *context, const trot_state *s, const trot_command *c, trot_plan *plan)
{
    mpc *m = (mpc *)context;
    slip_real wanted[3];
    int i, changed = 0;

    if (c->friction > 0) m->gait.friction = c->friction;
    for (i = 0; i < TROT_LEGS; ++i) {
        changed |= m->gait.was_stance[i] != trot_gait_stands(&m->gait, i, s->time);
        if (s->touches[i]) slip_copy3(s->normal[i], m->normal[i]);
        else if (!trot_gait_stands(&m->gait, i, s->time)) slip_copy3(m->gait.up, m->normal[i]);
    }
    trot_gait_feet(&m->gait, s, c, wanted, plan);
    if (changed || s->time >= m->next) {
        mpc_list(m, s, wanted);
        mpc_problem(m, s, wanted, s->time < m->gait.stand ? 0 : c->turn);
        mpc_solve(m, s);
        m->next = s->time + m->every;
    }
    for (i = 0; i < TROT_LEGS; ++i) slip_copy3(m->force[i], plan->force[i]);
}
