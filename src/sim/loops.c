/* Rows of loops: two frames kept together by bilateral rows.
 *
 *   g = J v_free + arc + pull       arc:  dt/2 (dJ/dt) v (arc.c), so that J v+ = 0 where the step ends
 *                                   pull: velocity that works the frames' error e off, erp e/dt, at most max_pull;
 *                                         and `missed`: what the arc leaves out of the way to the next middle
 *
 * The impulses of loops act at the middles of steps, where the error e of the frames is 0 if v+ leads from one middle
 * to the next without one: this is SHAKE (Ryckaert, Ciccotti, Berendsen 1977), which is symmetric in time and keeps the
 * energy. With arcs of the v before the kick alone v+ leaves out a term whose sign is that of the motion, and chains of
 * free bodies gained two thirds of their energy in a minute. So the error at the next middle is computed from v+ and
 * compared with e + dt (J v+ + arc); the difference over dt, `missed`, begins the next step, and where it has changed
 * by more than LOOPS_EXACT of the arc the step is solved again.
 *
 * Rows may say what joints or other loops say already, and J may lose its rank where links line up. Two terms keep
 * impulses finite there. Both are measured by the mobility f that a row would have if the links of its two frames were
 * free, which depends on neither the joints nor the position, and F = diag f.
 *
 *   compliance   R = soft F, soft = max(tol, sqrt(eps), turn^2). Rows that say the same share their load by it. tol is
 *                the solver's tolerance: its answer is not known better. turn is the largest angle by which a joint of
 *                the loop turns in half a step: J at the ends of the step differs by as much from J in its middle, and
 *                G by its square; what is more rigid than that would follow the error of J through positions where
 *                links line up. The row yields by R lambda dt/erp, the length of a spring: no energy is lost, and the
 *                error falls with dt^2.
 *   pull         p' = G (G + k F)^-1 p in place of p, k = max(tol, sqrt(eps), E_p/(4 E)). It is p where G >> k F, and 0
 *                in the directions that joints and other loops hold. To give the links the velocity p' of their frames
 *                takes the energy p' G^-1 p'/2. With an eigenvalue s of F^-1/2 G F^-1/2, its part is s/(s + k)^2/2 <=
 *                1/(8 k) of p^2/f; so in all at most E_p/(4 k) <= E. E_p = sum p^2/(2 f) is the energy that free links
 *                would have at the velocity p, E the one they would have at the largest p allowed. However near to a
 *                dead point the links are, a pull puts in no more than that. The rigid p would take any energy there:
 *                loops that cannot be closed threw their links about.
 *
 * Springs (spring.c) are loops of one row, which has its own compliance and neither arcs nor pull. */
#include "sim/world_private.h"

#include <string.h>

/* Share of the free mobility that is a row's compliance at rest. */
static slip_real loops_soft(const slip_world *w)
{
    return slip_max(w->opt.solve.tol, slip_sqrt(SLIP_REAL_EPS));
}

/* ---- rows and errors --------------------------------------------------------------------------------------------- */

/* The frames of a loop, world. */
static void loops_frames(const slip_world *w, int loop, slip_pose *A, slip_pose *B)
{
    const sim_loop *l = &w->fixed.loops[loop];

    slip_pose_mul(&w->data->pose[l->body_a], &l->local_a, A);
    slip_pose_mul(&w->data->pose[l->body_b], &l->local_b, B);
}

/* Rows 0-2 keep the origins together along world axes, 3-5 keep the frames' directions. A hinge leaves the turn about
 * A's z free. */
static void loops_row(const slip_world *w, int loop, const slip_pose *A, const slip_pose *B, int k, slip_row_site *row)
{
    int i;

    row->body_a = w->fixed.loops[loop].body_a;
    row->body_b = w->fixed.loops[loop].body_b;
    slip_copy3(A->p, row->point_a);
    slip_copy3(B->p, row->point_b);
    row->angular = k >= 3;
    slip_zero3(row->axis);
    if (slip_sim_is_spring(w, loop)) slip_sim_spring_axis(w, loop, row);
    else if (k < 3) row->axis[k] = 1;
    else for (i = 0; i < 3; ++i) row->axis[i] = A->R[3*i + k - 3];       /* columns x, y, (z) of A */
}

void slip_sim_loop_row(const slip_world *w, int loop, int k, slip_row_site *row)
{
    slip_pose A, B;

    loops_frames(w, loop, &A, &B);
    loops_row(w, loop, &A, &B, k, row);
}

/* Displacement of frame b from frame a along each row of a loop. */
static void loops_error(const slip_world *w, int loop, const slip_pose *A, const slip_pose *B, slip_real error[6])
{
    slip_real R[9], q[4];

    slip_sub3(B->p, A->p, error);
    slip_zero3(error + 3);
    if (slip_sim_is_spring(w, loop)) slip_zero3(error);
    if (slip_sim_is_spring(w, loop) || w->fixed.loops[loop].def.kind == SLIP_LOOP_BALL) return;
    slip_mat3_tmul(A->R, B->R, R);                               /* B seen from A */
    if (w->fixed.loops[loop].def.kind == SLIP_LOOP_HINGE) {      /* only the tilt of B's z: z_A x z_B */
        error[3] = -R[5];
        error[4] = R[2];
    } else {
        slip_mat3_to_quat(R, q);
        slip_quat_log(q, error + 3);
    }
}

void slip_sim_loop_error(const slip_world *w, int loop, slip_real error[6])
{
    slip_pose A, B;

    loops_frames(w, loop, &A, &B);
    loops_error(w, loop, &A, &B, error);
}

/* Velocity of a body's point, world axes. */
static void loops_point_velocity(const slip_world *w, int body, const slip_real point[3], slip_real v[3])
{
    const slip_real *at = w->data->velocity + 6*body;
    slip_real arm[3];

    slip_sub3(point, w->data->pose[body].p, arm);
    slip_cross3(at + 3, arm, v);
    slip_add3(v, at, v);
}

slip_real slip_sim_loop_velocity(const slip_world *w, int loop, const slip_row_site *row)
{
    const int meet = w->fixed.loops[loop].meet;
    const slip_real *spin_a = w->data->velocity + 6*row->body_a + 3, *spin_b = w->data->velocity + 6*row->body_b + 3;
    slip_real d[3], v[3], u[3];

    if (row->angular) return slip_dot3(row->axis, spin_b) - slip_dot3(row->axis, spin_a);
    loops_point_velocity(w, row->body_b, row->point_b, u);
    loops_point_velocity(w, row->body_a, row->point_a, v);
    slip_sub3(u, v, u);
    slip_sub3(row->point_b, row->point_a, d);
    slip_cross3(w->data->velocity + 6*meet + 3, d, v);
    return slip_dot3(row->axis, u) - slip_dot3(row->axis, v);
}

/* arc = dt/2 (dJ/dt) v of n rows of a loop, u = J v. Where the frames are apart by d, J measures the change of d as
 * seen from `meet`, the body that both links hang on. So the acceleration that d has by the motion of `meet`, its bias
 * times d and 2 w x u with its spin w, is subtracted. */
static void loops_arcs(const slip_world *w, int loop, const slip_pose *A, const slip_pose *B, const slip_real *u, int n,
                       slip_real *arc)
{
    const int meet = w->fixed.loops[loop].meet;
    slip_real d[3], a[3], t[3];
    slip_row_site row;
    int k;

    for (k = 0; k < n; ++k) {
        loops_row(w, loop, A, B, k, &row);
        arc[k] = slip_sim_loop_arc(w, &row);
    }
    if (meet == 0 || w->opt.integrator == SLIP_EULER) return;
    slip_sub3(B->p, A->p, d);
    slip_mat3_vec(w->data->bias + 9*meet, d, a);
    slip_cross3(w->data->velocity + 6*meet + 3, u, t);
    slip_axpy3(2, t, a, a);
    slip_axpy3(-w->opt.dt/2, a, arc, arc);               /* points' rows are along the world's axes */
}

/* ---- mobility of free links -------------------------------------------------------------------------------------- */

slip_real slip_sim_free_mobility(const slip_world *w, int body, int angular)
{
    const slip_real *I = w->model->inertia + 10*body;
    slip_real turn;

    if (body == 0 || !(I[0] > 0) || slip_sim_is_driven(w, body)) return 0;
    if (!angular) return 1/I[0];
    turn = I[4] + I[7] + I[9] - 2*slip_dot3(I + 1, I + 1)/I[0];      /* trace of I about the centre of mass */
    return turn > 0 ? 3/turn : 0;
}

/* Mobility that the rows of a loop would have if its two links were free: of the rows of points or (angular) of axes; 0
 * where the links have no mass. */
static slip_real loops_free(const slip_world *w, int loop, int angular)
{
    const sim_loop *l = &w->fixed.loops[loop];

    return slip_sim_free_mobility(w, l->body_a, angular) + slip_sim_free_mobility(w, l->body_b, angular);
}

/* Length that turns velocities of points into those of axes: the radius of gyration of the links; without any, 1 m. */
static slip_real loops_arm(const slip_world *w, int loop)
{
    const slip_real point = loops_free(w, loop, 0), axis = loops_free(w, loop, 1);

    return point > 0 && axis > 0 ? slip_sqrt(point/axis) : 1;
}

/* ---- rows of a step ---------------------------------------------------------------------------------------------- */

/* pull <- velocities that work off the errors of n rows of a loop, those of its points or those of its axes. They are
 * bounded by `most`, since a loop that is switched on while its frames are apart would be thrown together, plus the
 * velocity at which its arcs open it, so that a fast mechanism is kept together. Returns that bound. */
static slip_real loops_pull(const slip_world *w, const slip_real *error, const slip_real *arc, int n, slip_real most,
                            slip_real *pull)
{
    const slip_real size = slip_sqrt(slip_dot(n, error, error)), rate = w->opt.erp/w->opt.dt;
    int k;

    most += 2*slip_sqrt(slip_dot(n, arc, arc));
    for (k = 0; k < n; ++k) pull[k] = error[k]*(rate*size > most ? most/size : rate);
    return most;
}

void slip_sim_loop_predict(slip_world *w, int loop, int r)
{
    sim_loop_step *now = &w->step.loops[loop];
    int k;

    for (k = 0; k < (int)w->fixed.loops[loop].def.kind; ++k, ++r) {      /* end = J v+ + arc; now->g = J v_free + arc */
        const slip_real end = w->rows.sigma[r] - w->rows.R[r]*w->rows.lambda[r] - w->rows.g[r] + now->g[k];

        now->ahead[k] = now->error[k] + w->opt.dt*end;
    }
}

/* Error of v+ by arcs, relative to them, below which a step is not solved again; the next one begins with it. Measured:
 * with 0.003 links that line up take a third longer, and their energy is no better. */
#define LOOPS_EXACT SLIP_R(0.03)

/* missed <- 0 where it, or the pull of the frames' error, is longer than the arcs: the frames are apart, so that J is
 * not the derivative of the error, or were moved. */
static void loops_bound_missed(const slip_world *w, const sim_loop_step *now, int kind, slip_real missed[6])
{
    const slip_real rate = w->opt.erp/w->opt.dt;
    int k;

    for (k = 0; k < kind; k += 3) {
        const int n = kind - k < 3 ? kind - k : 3;

        const slip_real most = slip_dot(n, now->arc + k, now->arc + k);

        if (!(slip_dot(n, missed + k, missed + k) <= most)
            || !(rate*rate*slip_dot(n, now->error + k, now->error + k) <= most))
            memset(missed + k, 0, (size_t)n*sizeof *missed);
    }
}

int slip_sim_loops_missed(slip_world *w, const slip_step_input *in)
{
    slip_real *v = w->step.nv_scratch, error[6];
    int i, k, again = 0;

    for (i = 0; i < slip_sim_loop_count(w) && slip_sim_is_spring(w, i); ++i) { }
    if (i == slip_sim_loop_count(w) || w->opt.integrator == SLIP_EULER) return 0;
    memcpy(v, w->step.v_next, (size_t)w->model->nv*sizeof *v);
    slip_sim_drift(w, in->q, w->opt.dt/2, v, w->step.q_next);
    slip_sim_drift(w, w->step.q_next, w->opt.dt/2, v, w->step.q_ahead);
    if (slip_motion_pass(w->model, w->data, w->step.q_ahead, v) != SLIP_OK) return 0;
    for (i = 0; i < slip_sim_loop_count(w); ++i) {
        const int kind = (int)w->fixed.loops[i].def.kind;
        const sim_loop_step *now = &w->step.loops[i];
        slip_real *missed = w->state.loop_state[i].missed, off[2] = { 0, 0 }, size[2] = { 0, 0 };

        if (!w->state.loop_state[i].on || slip_sim_is_spring(w, i)) continue;
        slip_sim_loop_error(w, i, error);
        for (k = 0; k < kind; ++k) missed[k] = (error[k] - now->ahead[k])/w->opt.dt;
        loops_bound_missed(w, now, kind, missed);
        for (k = 0; k < kind; ++k) {
            const slip_real arc = now->arc[k] + now->missed[k], change = missed[k] - now->missed[k];

            off[k >= 3] += change*change;
            size[k >= 3] += arc*arc;
        }
        for (k = 0; k < 2; ++k) again |= off[k] > LOOPS_EXACT*LOOPS_EXACT*size[k];
    }
    slip_motion_pass(w->model, w->data, in->q, in->v);
    return again;
}

int slip_sim_loop_rows(slip_world *w, int loop, const slip_real *u, int r)
{
    const int kind = (int)w->fixed.loops[loop].def.kind;
    const slip_real most = w->opt.max_pull;
    const sim_loop_state *state = &w->state.loop_state[loop];
    sim_loop_step *now = &w->step.loops[loop];
    slip_real error[6], arc[6];
    slip_pose A, B;
    int k;

    if (slip_sim_is_spring(w, loop)) {
        memset(now, 0, sizeof *now);
        slip_sim_spring_row(w, loop, r);
        return r + 1;
    }
    loops_frames(w, loop, &A, &B);
    loops_error(w, loop, &A, &B, error);
    loops_arcs(w, loop, &A, &B, u, kind, arc);
    memcpy(now->error, error, sizeof error);
    memcpy(now->arc, arc, sizeof arc);
    memcpy(now->missed, state->missed, sizeof now->missed);
    now->most[0] = loops_pull(w, error, arc, 3, most, now->pull);
    now->most[1] = loops_pull(w, error + 3, arc + 3, kind - 3, most/loops_arm(w, loop), now->pull + 3);
    for (k = 0; k < kind; ++k, ++r) {
        now->g[k] = w->rows.g[r] += arc[k];
        w->rows.g[r] += now->pull[k] += now->missed[k];
        w->rows.R[r] = 0;
        w->rows.dual[r] = state->dual[k];
        w->rows.lambda[r] = state->impulse[k];
    }
    return r;
}

int slip_sim_has_loop(slip_world *w, const slip_island *island, int i)
{
    const sim_loop *l = &w->fixed.loops[i];

    return w->state.loop_state[i].on && slip_sim_island_has(w, island, l->body_a, l->body_b);
}

/* ---- compliance and pull ----------------------------------------------------------------------------------------- */

/* f of n rows of one kind of a loop, from block `block` on; for massless links the largest entry of G's diagonal. */
static slip_real loops_measure(slip_world *w, int loop, int angular, int block, int n)
{
    const slip_real free = loops_free(w, loop, angular);
    slip_real most = 0, d[3];
    int k;

    if (free > 0) return free;
    for (k = 0; k < n; ++k) {
        slip_assembly_diagonal(&w->step.assembly, block + k, d);
        most = slip_max(most, d[0]);
    }
    return most > 0 ? most : 1;
}

/* `turn` of the head of this file: dt/2 times the largest relative spin of two neighbours in the loop [rad]. */
static slip_real loops_turn(const slip_world *w, int loop)
{
    const slip_model *m = w->model;
    int a = w->fixed.loops[loop].body_a, b = w->fixed.loops[loop].body_b;
    slip_real most = 0, spin[3];

    while (a != b) {
        int *low = a > b ? &a : &b;                      /* parents have smaller indices */

        slip_sub3(w->data->velocity + 6**low + 3, w->data->velocity + 6*m->parent[*low] + 3, spin);
        most = slip_max(most, slip_dot3(spin, spin));
        *low = m->parent[*low];
    }
    return w->opt.dt/2*slip_sqrt(most);
}

/* Writes R of the island's loop rows, and sqrt(f) into w->step.loop_work. Returns how many rows there are. Springs have
 * R already, but in impacts, and infinite f, so that pulls do not see them. */
static int loops_compliance(slip_world *w, const slip_island *island)
{
    slip_assembly *a = &w->step.assembly;
    const int first = a->nc + a->nl;
    int i, k, n = 0;

    for (i = 0; i < slip_sim_loop_count(w); ++i) {
        slip_real f[2], soft;

        if (!slip_sim_has_loop(w, island, i)) continue;
        if (slip_sim_is_spring(w, i)) {
            slip_real *R = w->rows.R + 2*a->nc + first + n;

            if (*R == 0) *R = slip_sim_spring_impact(w, i);
            w->step.loop_work[n++] = (slip_real)INFINITY;
            continue;
        }
        soft = loops_turn(w, i);
        soft = slip_max(loops_soft(w), soft*soft);
        f[0] = loops_measure(w, i, 0, first + n, 3);
        f[1] = loops_measure(w, i, 1, first + n + 3, (int)w->fixed.loops[i].def.kind - 3);
        for (k = 0; k < (int)w->fixed.loops[i].def.kind; ++k, ++n) {
            w->rows.R[2*a->nc + first + n] = soft*f[k >= 3];
            w->step.loop_work[n] = slip_sqrt(f[k >= 3]);
        }
    }
    w->rows.compliant |= n > 0;
    return n;
}

void slip_sim_soften_loops(slip_world *w, const slip_island *island) { loops_compliance(w, island); }

/* Memory of the conjugate gradients below, n numbers each: root = sqrt(f); the others are scaled by F^-1/2. rest: the
 * residual, direction: that of the search. */
typedef struct { int n; slip_real *root, *pull, *y, *rest, *direction, *x, *Gx; } loops_work;

static loops_work loops_work_of(const slip_world *w, int n)
{
    const int most = 6*slip_sim_loop_count(w);
    slip_real *at = w->step.loop_work;
    loops_work k;

    k.n = n;
    k.root = at;
    k.pull = at + most;
    k.y = at + 2*most;
    k.rest = at + 3*most;
    k.direction = at + 4*most;
    k.x = at + 5*most;
    k.Gx = at + 6*most;
    return k;
}

/* Pulls of the island's loops, and the energy that their links would have at the largest pull if they were free. */
static slip_real loops_collect(slip_world *w, const slip_island *island, loops_work *k)
{
    slip_real energy = 0;
    int i, j, n = 0;

    for (i = 0; i < slip_sim_loop_count(w); ++i) {
        const sim_loop_step *now = &w->step.loops[i];

        if (!slip_sim_has_loop(w, island, i)) continue;
        for (j = 0; j < (int)w->fixed.loops[i].def.kind; ++j, ++n) {
            const slip_real most = now->most[j >= 3]/k->root[n];

            k->pull[n] = k->rest[n] = k->direction[n] = now->pull[j]/k->root[n];
            k->y[n] = 0;
            if (j % 3 == 0) energy += most*most/2;       /* of its points, and about its axes */
        }
    }
    return energy;
}

/* The squared length below which a residual is rounding beside one of squared length `size`, or so small that its
 * square has lost digits to underflow. */
static slip_real loops_negligible(slip_real size)
{
    return slip_max(SLIP_REAL_EPS*SLIP_REAL_EPS*size, SLIP_REAL_MIN/SLIP_REAL_EPS);
}

/* One step of conjugate gradients for (G + soft) y = pull. Returns |rest|^2/|G y|^2, 0 when |rest|^2 <= nothing. */
static slip_real loops_descend(slip_world *w, const loops_work *k, int first, slip_real soft, slip_real nothing)
{
    const int n = k->n;
    const slip_real before = slip_dot(n, k->rest, k->rest);
    slip_real step, after, size = 0;
    int i;

    for (i = 0; i < n; ++i) k->x[i] = k->direction[i]/k->root[i];
    slip_assembly_mobility(&w->step.assembly, first, k->x, k->Gx);
    for (i = 0; i < n; ++i) k->Gx[i] = k->Gx[i]/k->root[i] + soft*k->direction[i];
    step = before/slip_dot(n, k->direction, k->Gx);
    for (i = 0; i < n; ++i) {
        slip_real p;

        k->y[i] += step*k->direction[i];
        k->rest[i] -= step*k->Gx[i];
        p = k->pull[i] - k->rest[i] - soft*k->y[i];
        size += p*p;
    }
    after = slip_dot(n, k->rest, k->rest);
    for (i = 0; i < n; ++i) k->direction[i] = k->rest[i] + after/before*k->direction[i];
    return after > nothing ? after/size : 0;
}

/* A pull is no better known than J, which turns by `turn` in half a step: k is at least LOOPS_TURNED turn^2. Measured
 * with Cassie's drop at steps of 20, 25, 30, 35 and 40 ms, at which rods of its loops turn by radians: without the term
 * all five runs end in infinity, with 1 two, with 10 none, with 100 three (test_loops.c). At 1 ms nothing changes. */
#define LOOPS_TURNED 10

static slip_real loops_turn_share(slip_world *w, const slip_island *island)
{
    slip_real most = 0;
    int i;

    for (i = 0; i < slip_sim_loop_count(w); ++i)
        if (slip_sim_has_loop(w, island, i)) most = slip_max(most, loops_turn(w, i));
    return LOOPS_TURNED*most*most;
}

/* The pull p of the island's loops in w->rows.g becomes p' = G y with (G + k F) y = p. Every iterate y keeps the bound
 * on the energy, so y need not be exact: the iteration ends at |rest| <= (1 - erp) |G y|. The next step works off what
 * is missing, as it does the share 1 - erp of the error. */
void slip_sim_bound_pulls(slip_world *w, const slip_island *island)
{
    const slip_assembly *a = &w->step.assembly;
    const int first = a->nc + a->nl;
    const slip_real left = (1 - w->opt.erp)*(1 - w->opt.erp);
    loops_work k = loops_work_of(w, loops_compliance(w, island));
    slip_real *g = w->rows.g + 2*a->nc + first, energy, soft, rest, nothing;
    int i;

    if (k.n == 0) return;
    energy = loops_collect(w, island, &k);
    rest = slip_dot(k.n, k.pull, k.pull);
    nothing = loops_negligible(rest);
    if (!(rest > nothing)) return;
    soft = slip_max(loops_soft(w), rest/(8*energy));     /* k: rest = 2 E_p, energy = E */
    soft = slip_max(soft, loops_turn_share(w, island));
    for (i = 0, rest = (slip_real)INFINITY; i < k.n && rest > left; ++i)
        rest = loops_descend(w, &k, first, soft, nothing);
    for (i = 0; i < k.n; ++i)
        if (slip_is_finite(k.root[i])) g[i] -= k.root[i]*(k.rest[i] + soft*k.y[i]);
}
