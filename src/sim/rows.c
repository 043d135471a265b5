/* Rows of the contact problem: sites, right-hand side g, compliance R and warm start of contacts, joint limits and loop
 * closures.
 *
 *   contact     g_n = J_n v_free plus one of these, the first that applies:
 *     soft          gap k/(dt k + d), or gap/dt while apart, with R_n = 1/(dt (dt k + d)): an implicit spring of
 *                   stiffness k and damping d; along the surface likewise (tangent.c)
 *     bouncing      with SLIP_EULER: e c_n, c_n the approach before the step, where it is faster than what the step's
 *                   smooth forces change and would close the gap; else impacts.c
 *     apart         gap/dt + arc: the pair stops where it touches; arc = dt/2 (dJ/dt) v, also of the tangents: arc.c
 *     overlapping   max(erp gap/dt, -max_push) + arc: the overlap is removed over some steps
 *                   (|gap| <= slop counts as no gap)
 *               the tangents have the velocity of surfaces that move besides: belt.c
 *     against turning: rolling.c
 *   limit       g = +-v_free + gap/dt or erp gap/dt;  rows of drives and joint friction: settle.c
 *   loop        g = J v_free + erp error/dt, bounded by max_pull, + dt/2 (dJ/dt) v: J v+ = 0 where the step ends
 */
#include "sim/world_private.h"

#include <string.h>

#define ROWS_ARM  SLIP_R(0.2)            /* [m] lever from max_pull [m/s] to the rate for a loop's axes [rad/s] */
#define ROWS_LOOP SLIP_TOL(1e-4, 1e-3)   /* of its mobility: compliance of a loop's row. It yields by 1e-4 a dt^2/erp where
                                          * a is the acceleration it prevents, and loops that contradict each other, or
                                          * joints near a dead point, move by at most 50 times the velocity asked for */
#define ROWS_LOCKED SLIP_R(1e-3)         /* of the links' mobility if they were free: a row that is 30 mrad from one that
                                          * the joints cannot move at all                                          */

slip_real slip_sim_push(const slip_world *w, slip_real gap)
{
    if (slip_abs(gap) <= w->opt.slop) return 0;
    if (gap >= 0) return gap/w->opt.dt;
    return slip_max(w->opt.erp*gap/w->opt.dt, -w->opt.max_push);
}

/* ---- joint limits ------------------------------------------------------------------------------------------ */

static void rows_add_limit(slip_world *w, int iv, int sign)
{
    if (w->step.nlimits >= w->fixed.max_limits) return;
    w->step.limit_iv[w->step.nlimits] = iv;
    w->step.limit_sign[w->step.nlimits++] = (slip_real)sign;
}

void slip_sim_find_limits(slip_world *w, const slip_step_input *in, const slip_real *v, slip_real reach)
{
    const slip_model *m = w->model;
    const int some = w->step.nprescribed > 0;
    int i;

    w->step.nlimits = 0;
    for (i = 0; w->fixed.has_limits && i < m->nv; ++i) {
        const int iq = m->limit_iq[i];
        const slip_real within = 2*w->opt.dt*slip_abs(v[i]) + reach;

        if (iq < 0 || (some && w->step.given[i])) continue;
        if (in->q[iq] - m->lower[i] < within) rows_add_limit(w, i, 1);
        if (m->upper[i] - in->q[iq] < within) rows_add_limit(w, i, -1);
    }
    w->stats.limits = w->step.nlimits;
    for (i = 0; w->step.nheld > 0 && i < m->nv; ++i) {   /* there is room for them: world_count_rows() */
        if (w->step.held[i] & SIM_HELD_DRIVE) rows_add_limit(w, i, -in->saturated[i]);
        if (w->step.held[i] & SIM_HELD_FRICTION) rows_add_limit(w, i, in->slides[i]);
    }
}

int slip_sim_held(const slip_world *w, int k)
{
    const int n = w->step.nlimits, i = w->step.limit_iv[k];

    if (k < n - w->step.nheld) return 0;
    if (w->step.held[i] != (SIM_HELD_DRIVE | SIM_HELD_FRICTION)) return w->step.held[i];
    return k + 1 < n && w->step.limit_iv[k + 1] == i ? SIM_HELD_DRIVE : SIM_HELD_FRICTION;
}

slip_real slip_sim_limit_gap(const slip_world *w, const slip_step_input *in, int k)
{
    const int i = w->step.limit_iv[k];
    const slip_real q = in->q[w->model->limit_iq[i]];

    return w->step.limit_sign[k] > 0 ? q - w->model->lower[i] : w->model->upper[i] - q;
}

/* Where the impulse of limit row k is remembered. */
static slip_real *rows_limit_memory(const slip_world *w, int k)
{
    const int held = slip_sim_held(w, k), iv = w->step.limit_iv[k];

    if (held) return slip_sim_held_impulse(w, iv, held);
    return &w->state.limit_impulse[2*iv + (w->step.limit_sign[k] < 0)];
}

/* Row r of limit k. A row of settle.c has no gap: it counts as touching. */
static void rows_limit(slip_world *w, const slip_step_input *in, int k, int r)
{
    const int held = slip_sim_held(w, k), i = w->step.limit_iv[k];
    const slip_drive *d = &in->drives[i];
    const slip_real slope = d->kd + w->opt.dt*d->kp, s = -w->step.limit_sign[k];
    slip_real *gap = &w->rows.distance[r - 2*w->step.assembly.nc];

    *gap = held ? 0 : slip_sim_limit_gap(w, in, k);
    w->rows.R[r] = w->rows.dual[r] = 0;
    w->rows.lambda[r] = *rows_limit_memory(w, k);
    if (!held) w->rows.g[r] += slip_sim_push(w, *gap);
    if (held == SIM_HELD_FRICTION) {                     /* where contacts hold the joint as well, they take the load */
        w->rows.R[r] = SIM_EXACT/w->step.inertia[i];
    } else if (held == SIM_HELD_DRIVE) {
        w->rows.g[r] += (s*slip_sim_drive_torque(w, in, i, 0) - d->effort)/slope;
        w->rows.R[r] = 1/(slope*w->opt.dt);
    }
    w->rows.compliant |= held != 0;
}

/* ---- loops ----------------------------------------------------------------------------------------------- */

/* Rows 0-2 keep the origins together along world axes, 3-5 keep the frames' directions. A hinge leaves the turn about
 * A's z free. */
void slip_sim_loop_row(const slip_world *w, int loop, int k, slip_row_site *row, slip_real *error)
{
    const sim_loop *l = &w->fixed.loops[loop];
    slip_pose A, B;
    slip_real R[9], q[4], turn[3];
    int i;

    slip_pose_mul(&w->data->pose[l->body_a], &l->local_a, &A);
    slip_pose_mul(&w->data->pose[l->body_b], &l->local_b, &B);
    row->body_a = l->body_a;
    row->body_b = l->body_b;
    slip_copy3(A.p, row->point_a);
    slip_copy3(B.p, row->point_b);
    row->angular = k >= 3;
    if (k < 3) {
        for (i = 0; i < 3; ++i) row->axis[i] = i == k;
        *error = B.p[k] - A.p[k];
        return;
    }
    for (i = 0; i < 3; ++i) row->axis[i] = A.R[3*i + k - 3];     /* columns x, y, (z) of A */
    slip_mat3_transpose(A.R, R);
    slip_mat3_mul(R, B.R, R);                                    /* B seen from A */
    if (l->def.kind == SLIP_LOOP_HINGE) {                        /* only the tilt of B's z: z_A x z_B */
        turn[0] = -R[5];
        turn[1] = R[2];
        turn[2] = 0;
    } else {
        slip_mat3_to_quat(R, q);
        slip_quat_log(q, turn);
    }
    *error = turn[k - 3];
}

/* Errors of rows from .. to - 1 of a loop, those of its points or those of its axes, as velocities that work them off,
 * at most the share of `most`: a loop that was closed while its frames are apart would be thrown together; and of what
 * its arcs open it by, so that a fast mechanism is kept together. Returns whether that bounds them; *size: the error
 * [m, rad]. */
static int rows_pull(const slip_world *w, int loop, int from, int to, slip_real share, slip_real most, slip_real *pull,
                     slip_real *size)
{
    const slip_real rate = w->opt.erp/w->opt.dt;
    slip_real error = 0, arcs = 0;
    slip_row_site row;
    int k;

    for (k = from; k < to; ++k) {
        slip_real arc;

        slip_sim_loop_row(w, loop, k, &row, &pull[k]);
        arc = slip_sim_loop_arc(w, &row);
        error += pull[k]*pull[k];
        arcs += arc*arc;
    }
    *size = slip_sqrt(error);
    most = share*(most + 2*slip_sqrt(arcs));
    for (k = from; k < to; ++k) pull[k] *= rate**size > most ? most/(*size) : rate;
    return rate**size > most;
}

/* The share of max_pull that a loop has: one that can be closed comes closer by about the pull in each step. One that
 * cannot (joints that leave no way, two loops that contradict each other) would be given large impulses for nothing. So
 * it begins with a sixteenth; where the bound held in the last step and the loop came closer by less than half of it,
 * the share is halved, else it grows by an eighth: to 1 within 24 steps where six in seven succeed. */
static slip_real rows_share(const slip_world *w, int loop, slip_real error)
{
    const sim_loop_state *s = &w->state.loop_state[loop];

    if (!(s->share > 0)) return SLIP_R(0.0625);
    if (s->bounded && s->error - error < s->share*w->opt.max_pull*w->opt.dt/2) return s->share/2;
    return slip_min(1, s->share*9/8);
}

/* Rows r ... of a loop. Returns the row after them. */
static int rows_loop(slip_world *w, int loop, int r)
{
    const int kind = (int)w->fixed.loops[loop].def.kind;
    const sim_loop_state *state = &w->state.loop_state[loop];
    slip_real pull[6], apart, turn, error;
    sim_loop_step *now = &w->step.loops[loop];
    slip_row_site row;
    int k;

    rows_pull(w, loop, 0, 3, 0, 0, pull, &apart);
    rows_pull(w, loop, 3, kind, 0, 0, pull, &turn);
    now->error = apart + ROWS_ARM*turn;
    now->share = rows_share(w, loop, now->error);
    now->bounded = rows_pull(w, loop, 0, 3, now->share, w->opt.max_pull, pull, &apart);
    now->bounded |= rows_pull(w, loop, 3, kind, now->share, w->opt.max_pull/ROWS_ARM, pull, &turn);
    for (k = 0; k < kind; ++k, ++r) {
        slip_sim_loop_row(w, loop, k, &row, &error);
        w->rows.g[r] += pull[k] + slip_sim_loop_arc(w, &row);
        w->rows.R[r] = 0;
        w->rows.dual[r] = state->dual[k];
        w->rows.lambda[r] = state->impulse[k];
    }
    return r;
}

slip_real slip_sim_free_mobility(const slip_world *w, int body, int angular)
{
    const slip_real *I = w->model->inertia + 10*body;
    slip_real turn;

    if (body == 0 || !(I[0] > 0) || slip_sim_is_driven(w, body)) return 0;
    if (!angular) return 1/I[0];
    turn = I[4] + I[7] + I[9] - 2*slip_dot3(I + 1, I + 1)/I[0];      /* trace of I about the centre of mass */
    return turn > 0 ? 3/turn : 0;
}

/* Rows of a loop, from block `block` on. Of a kind (points, axes) all have the compliance ROWS_LOOP of the most mobile
 * one: two loops may say the same; their impulses are shared then, at 1e-4 of the velocity that they stop. A row that
 * the joints cannot move has a mobility m that is rounding, or the square of a small tilt. Below low = ROWS_LOCKED of
 * what the links would have if they were free it gets low - m besides, and asks for (m/low)^2 of its velocity: it
 * vanishes faster than the lever it acts by, which goes with the root of m. */
static void rows_soften_loop(slip_world *w, int loop, int block)
{
    const sim_loop *l = &w->fixed.loops[loop];
    slip_assembly *a = &w->step.assembly;
    const int kind = (int)l->def.kind;
    slip_real m[6], most[2] = { 0, 0 };
    int k;

    for (k = 0; k < kind; ++k) {
        slip_real d[3];

        slip_assembly_diagonal(a, block + k, d);
        m[k] = d[0];
        most[k >= 3] = slip_max(most[k >= 3], m[k]);
    }
    for (k = 0; k < kind; ++k) {
        const int angular = k >= 3, r = 2*a->nc + block + k;
        const slip_real free = slip_sim_free_mobility(w, l->body_a, angular)
                             + slip_sim_free_mobility(w, l->body_b, angular);

        const slip_real low = ROWS_LOCKED*free;

        w->rows.R[r] = ROWS_LOOP*most[angular] + slip_max(0, low - m[k]);
        if (m[k] < low) w->rows.g[r] *= (m[k]/low)*(m[k]/low);
        w->rows.compliant = 1;
    }
}

static int rows_has_loop(slip_world *w, const slip_island *island, int i)
{
    const sim_loop *l = &w->fixed.loops[i];

    return w->state.loop_state[i].on && slip_sim_island_has(w, island, l->body_a, l->body_b);
}

void slip_sim_soften_loops(slip_world *w, const slip_island *island)
{
    int i, block = w->step.assembly.nc + w->step.assembly.nl;

    for (i = 0; i < w->fixed.nloops; ++i) {
        if (!rows_has_loop(w, island, i)) continue;
        rows_soften_loop(w, i, block);
        block += (int)w->fixed.loops[i].def.kind;
    }
}

/* ---- contacts ---------------------------------------------------------------------------------------------- */

/* Whether a contact stays, by its normal velocity before the step: about its arc, and minus that after the step. */
static int rows_stays(const sim_contact *c, slip_real before) { return slip_abs(before) <= 2*slip_norm3(c->arc); }

/* The arc's part of a normal row. A contact with another velocity is struck, or leaves: the velocities after the step,
 * whose arc it is, are not known well enough. Links whirl on, though: an arc that closes them counts. */
static slip_real rows_arc(const slip_world *w, const sim_contact *c, slip_real before)
{
    const int alone = (c->site.body_a == 0 || w->fixed.free_single[c->site.body_a])
                   && (c->site.body_b == 0 || w->fixed.free_single[c->site.body_b]);

    return rows_stays(c, before) || (!alone && c->arc[2] < 0 && before < 0) ? c->arc[2] : 0;
}

/* Contact k of the problem, from J v_free already in g; `before`: J v before the step. */
static void rows_contact(slip_world *w, const sim_contact *c, int k, const slip_real *before)
{
    const slip_real dt = w->opt.dt;
    const int n = 3*k + 2;

    w->rows.mu[k] = c->mu;
    w->rows.distance[k] = c->gap;
    slip_zero3(w->rows.R + 3*k);
    slip_copy3(c->impulse, w->rows.lambda + 3*k);
    if (w->step.belts) {
        w->rows.g[3*k] += c->belt[0];
        w->rows.g[3*k + 1] += c->belt[1];
    }
    if (c->tangent_stiffness + c->tangent_damping > 0) slip_sim_tangent_rows(w, c, k);
    else if (w->step.arcs && rows_stays(c, before[n])) {
        w->rows.g[3*k] += c->arc[0];
        w->rows.g[3*k + 1] += c->arc[1];
    }
    if (c->stiffness > 0) {                              /* damped is the way that is left after they touch */
        const slip_real stiff = dt*c->stiffness + c->damping;

        w->rows.R[n] = 1/(dt*stiff);
        w->rows.g[n] += c->gap > 0 ? c->gap/dt : c->gap*c->stiffness/stiff;
        w->rows.compliant = 1;
    } else if (w->opt.integrator == SLIP_EULER && c->restitution > 0 && c->gap + dt*before[n] <= 0
               && before[n] < -slip_max(w->opt.rest_speed, slip_abs(w->rows.g[n] - before[n]))) {
        w->rows.g[n] += c->restitution*before[n];
    } else {
        w->rows.g[n] += slip_sim_push(w, c->gap) + (w->step.arcs ? rows_arc(w, c, before[n]) : 0);
    }
}

/* ---- all rows of an island ----------------------------------------------------------------------------------- */

static const sim_contact *rows_contact_at(const slip_world *w, int i) { return &w->step.contacts[w->step.order[i]]; }

static int rows_has_limit(slip_world *w, const slip_island *island, int k)
{
    return slip_sim_island_has(w, island, w->fixed.iv_body[w->step.limit_iv[k]], 0);
}

/* Adds the island's sites to the assembly; rolls: those of rolling.c as well. */
static void rows_sites(slip_world *w, const slip_island *island, int rolls)
{
    slip_assembly *a = &w->step.assembly;
    slip_row_site row;
    slip_real error;
    int i, k;

    slip_assembly_restart(a);
    for (i = island->from; i < island->to; ++i) slip_assembly_contact(a, &rows_contact_at(w, i)->site);
    if (rolls) slip_sim_rolling_sites(w, island);
    for (k = 0; k < w->step.nlimits; ++k)
        if (rows_has_limit(w, island, k)) slip_assembly_limit(a, w->step.limit_iv[k], w->step.limit_sign[k]);
    for (i = 0; i < w->fixed.nloops; ++i)
        for (k = 0; rows_has_loop(w, island, i) && k < (int)w->fixed.loops[i].def.kind; ++k) {
            slip_sim_loop_row(w, i, k, &row, &error);
            slip_assembly_bilateral(a, &row);
        }
}

void slip_sim_rows(slip_world *w, const slip_step_input *in, const slip_real *v, const slip_island *island)
{
    slip_real *before = w->rows.dual;                    /* only until the warm start is written there */
    int i, k, r;

    rows_sites(w, island, w->step.rolls);
    slip_assembly_velocity(&w->step.assembly, v, w->rows.g);
    if (w->step.arcs || (w->step.bounces && w->opt.integrator == SLIP_EULER))
        slip_assembly_velocity(&w->step.assembly, in->v, before);
    w->rows.compliant = 0;
    for (i = island->from; i < island->to; ++i) rows_contact(w, rows_contact_at(w, i), i - island->from, before);
    for (i = island->from; i < island->to; ++i)
        slip_copy3(rows_contact_at(w, i)->dual, w->rows.dual + 3*(i - island->from));
    if (w->step.rolls) slip_sim_rolling_rows(w, island);
    r = 3*w->step.assembly.nc;
    for (k = 0; k < w->step.nlimits; ++k) if (rows_has_limit(w, island, k)) rows_limit(w, in, k, r++);
    for (i = 0; i < w->fixed.nloops; ++i) if (rows_has_loop(w, island, i)) r = rows_loop(w, i, r);
}

void slip_sim_impact_rows(slip_world *w, const slip_step_input *in, const slip_real *v, const slip_island *island)
{
    const slip_assembly *a = &w->step.assembly;
    int i, k, r;

    rows_sites(w, island, 0);
    slip_assembly_velocity(a, v, w->rows.g);
    memset(w->rows.R, 0, (size_t)a->n*sizeof *w->rows.R);
    w->rows.compliant = 0;
    for (i = 0; i < a->nc; ++i) {
        w->rows.mu[i] = rows_contact_at(w, island->from + i)->mu;
        w->rows.distance[i] = 0;
        if (!w->step.belts) continue;
        w->rows.g[3*i] += rows_contact_at(w, island->from + i)->belt[0];
        w->rows.g[3*i + 1] += rows_contact_at(w, island->from + i)->belt[1];
    }
    for (k = 0, r = 3*a->nc; k < w->step.nlimits; ++k) {
        if (!rows_has_limit(w, island, k)) continue;
        w->rows.g[r++] += slip_max(0, slip_sim_push(w, slip_sim_limit_gap(w, in, k)));
        w->rows.distance[r - 1 - 2*a->nc] = 0;
    }
    slip_sim_soften_loops(w, island);
}

void slip_sim_store_impulses(slip_world *w, const slip_island *island, int reused)
{
    int i, k, r = 3*w->step.assembly.nc;

    for (i = island->from; i < island->to; ++i) {
        sim_contact *c = &w->step.contacts[w->step.order[i]];
        const int row = 3*(i - island->from);

        c->reused = reused;
        slip_copy3(w->rows.lambda + row, c->impulse);
        slip_copy3(w->rows.sigma + row, c->sigma);
        slip_copy3(w->rows.dual + row, c->dual);
    }
    if (w->step.rolls) slip_sim_rolling_store(w, island);
    for (k = 0; k < w->step.nlimits; ++k)
        if (rows_has_limit(w, island, k)) *rows_limit_memory(w, k) = w->rows.lambda[r++];
    for (i = 0; i < w->fixed.nloops; ++i) {
        sim_loop_state *state = &w->state.loop_state[i];

        if (!rows_has_loop(w, island, i)) continue;
        w->stats.loops += 1;
        state->share = w->step.loops[i].share;
        state->error = w->step.loops[i].error;
        state->bounded = w->step.loops[i].bounded;
        for (k = 0; k < (int)w->fixed.loops[i].def.kind; ++k, ++r) {
            state->impulse[k] = w->rows.lambda[r];
            state->dual[k] = w->rows.dual[r];
        }
    }
}
