/* Contacts, joint limits and loop closures of one step: groups of bodies that touch (islands), the contact
 * problem of each, its solution from the last step's impulses, and the velocity that results.
 *
 *   contact     g_n = J_n v_free + gap/dt            apart: stop where they touch
 *                   + max(erp gap/dt, -max_push)     overlapping: work it off
 *                   + min(0, dt/2 n . (dJ/dt) v)     as far as the points leave their lines (arc.c)
 *                   + e c_n                          bouncing, c_n the approach before the step
 *   soft        R_n = 1/(dt (dt k + d)),  gap k/(dt k + d) in place of the gap terms  (implicit spring),
 *               gap/dt while apart: a damper has no reach
 *               and along the surface alike, by the stretch of a spring (tangent.c)
 *   limit       g = +-v_free + gap/dt or erp gap/dt;  drives and joint friction in doubt: settle.c
 *   loop        g = J v_free + erp error/dt, drawn to max_pull and what the arcs of the step take
 * J v_free is that of the way in the step, see impulses_see(). */
#include "sim/world_private.h"
#include "solvers/solvers.h"

#include <string.h>

#define IMPULSES_ARM    SLIP_R(0.2)              /* [m] from max_pull to the rate at which loops are turned together */
#define IMPULSES_LOCKED SLIP_R(1e-5)             /* of the free bodies' mobility: the normal does not move */
#define IMPULSES_LOOSE  SLIP_R(10)               /* times that: what only drives and friction hold would move */
#define IMPULSES_WEDGED SLIP_R(1e-3)             /* of it: less within the friction cone: the push is drawn in */
#define IMPULSES_EXACT  SLIP_TOL(1e-12, 1e-6)    /* of it: below, fewer freedoms than rows and rounding   */
#define IMPULSES_YIELD  SLIP_R(1e-3)             /* of it: compliance such a contact gets                 */
#define IMPULSES_DEEP   SLIP_R(0.5)              /* of the margin: an overlap that no step makes, so perhaps a jam */
#define IMPULSES_JUST   SLIP_R(0.99)             /* of the tolerance: where a large problem that gets on slowly is left */
#define IMPULSES_AGAIN  SLIP_R(10)               /* times the tolerance: what is missed by so little is tried once more,
                                                  * from there                                             */
#define IMPULSES_LASTS  SLIP_TOL(0.1, 1)         /* of the tolerance: an answer kept before is kept again  */
#define IMPULSES_LOOP   SLIP_TOL(1e-9, 1e-6)     /* of its mobility: compliance of a loop's row           */
#define IMPULSES_ENOUGH SLIP_TOL(0.1, 1)         /* of the tolerance: a first try that gets on slowly may stop there */
#define IMPULSES_BETTER SLIP_R(0.25)             /* of what the old impulses had: a new answer that ends at rounding */

/* ---- islands -------------------------------------------------------------------------------------------- */

static int impulses_find(int *group, int b)
{
    while (group[b] != b) {
        group[b] = group[group[b]];
        b = group[b];
    }
    return b;
}

static void impulses_join(slip_world *w, int body_a, int body_b)
{
    int a = w->body_tree[body_a], b = w->body_tree[body_b];

    if (a == 0 || b == 0) return;
    a = impulses_find(w->group, a);
    b = impulses_find(w->group, b);
    if (a < b) w->group[b] = a;
    else w->group[a] = b;
}

/* The island a row between two bodies belongs to: the smallest root body of its group. */
static int impulses_island(slip_world *w, int body_a, int body_b)
{
    const int tree = w->body_tree[body_a] ? w->body_tree[body_a] : w->body_tree[body_b];

    return w->opt.islands ? impulses_find(w->group, tree) : 0;
}

int slip_sim_group(slip_world *w, int body) { return impulses_find(w->group, w->body_tree[body]); }

/* Labels contacts by island and lists them island by island in w->order. */
static void impulses_islands(slip_world *w)
{
    int i, k;

    for (i = 0; i < w->model->nbodies; ++i) w->group[i] = i;
    if (w->only_tree) {                                  /* then there is nothing to tell apart */
        for (i = 0; i < w->ncontacts; ++i) {
            w->contacts[i].island = w->opt.islands ? w->only_tree : 0;
            w->order[i] = i;
        }
        return;
    }
    for (i = 0; i < w->ncontacts; ++i) impulses_join(w, w->contacts[i].site.body_a, w->contacts[i].site.body_b);
    for (i = 0; i < w->nloops; ++i)
        if (w->loop_state[i].on) impulses_join(w, w->loops[i].body_a, w->loops[i].body_b);
    for (i = 0; i < w->ncontacts; ++i) {
        sim_contact *c = &w->contacts[i];

        c->island = impulses_island(w, c->site.body_a, c->site.body_b);
        for (k = i; k > 0 && w->contacts[w->order[k - 1]].island > c->island; --k) w->order[k] = w->order[k - 1];
        w->order[k] = i;                                 /* stable insertion: contacts come nearly sorted */
    }
}

/* ---- joint limits ------------------------------------------------------------------------------------------ */

static void impulses_add_limit(slip_world *w, int iv, int sign)
{
    if (w->nlimits >= w->max_limits) return;
    w->limit_iv[w->nlimits] = iv;
    w->limit_sign[w->nlimits++] = (slip_real)sign;
}

/* Limits that a coordinate could reach within this step, or is beyond. */
static void impulses_limits(slip_world *w)
{
    const slip_model *m = w->model;
    int i;

    w->nlimits = 0;
    for (i = 0; w->has_limits && i < m->nv; ++i) {
        const int iq = m->limit_iq[i];
        const slip_real reach = iq < 0 ? 0 : 2*w->opt.dt*slip_abs(w->v_free[i]) + SLIP_R(1e-3);

        if (iq < 0) continue;
        if (w->q[iq] - m->lower[i] < reach) impulses_add_limit(w, i, 1);
        if (m->upper[i] - w->q[iq] < reach) impulses_add_limit(w, i, -1);
    }
    w->stats.limits = w->nlimits;
    for (i = 0; w->nheld > 0 && i < m->nv; ++i) {        /* there is room for them: world_count_rows() */
        if (w->held[i] & SIM_HELD_DRIVE) impulses_add_limit(w, i, -w->saturated[i]);
        if (w->held[i] & SIM_HELD_FRICTION) impulses_add_limit(w, i, w->slides[i]);
    }
}

int slip_sim_held(const slip_world *w, int k)
{
    const int i = w->limit_iv[k];

    if (k < w->nlimits - w->nheld) return 0;
    if (w->held[i] != (SIM_HELD_DRIVE | SIM_HELD_FRICTION)) return w->held[i];
    return k + 1 < w->nlimits && w->limit_iv[k + 1] == i ? SIM_HELD_DRIVE : SIM_HELD_FRICTION;
}

/* The velocity that a gap asks for. Without the slop, the noise of one answer (a gap of some picometres, divided by dt)
 * would ask for another one in each step; with it, what rests asks for the same impulses for ever. */
static slip_real impulses_push(const slip_world *w, slip_real gap)
{
    if (slip_abs(gap) <= w->opt.slop) return 0;
    if (gap >= 0) return gap/w->opt.dt;
    return slip_max(w->opt.erp*gap/w->opt.dt, -w->opt.max_push);
}

static slip_real impulses_limit_gap(const slip_world *w, int k)
{
    const int i = w->limit_iv[k];
    const slip_real q = w->q[w->model->limit_iq[i]];

    return w->limit_sign[k] > 0 ? q - w->model->lower[i] : w->model->upper[i] - q;
}

static slip_real *impulses_limit_memory(const slip_world *w, int k)
{
    const int held = slip_sim_held(w, k);

    if (held) return slip_sim_held_impulse(w, w->limit_iv[k], held);
    return &w->limit_impulse[2*w->limit_iv[k] + (w->limit_sign[k] < 0)];
}

/* Corrections of g, and R, of limit k at row r. */
static void impulses_limit_row(slip_world *w, int k, int r)
{
    const int held = slip_sim_held(w, k), i = w->limit_iv[k];
    const slip_drive *d = &w->drives[i];
    const slip_real slope = d->kd + w->opt.dt*d->kp, s = -w->limit_sign[k];

    w->R[r] = w->dual[r] = 0;
    if (!held) w->g[r] += impulses_push(w, impulses_limit_gap(w, k));
    if (held == SIM_HELD_FRICTION) {                     /* where contacts hold the joint as well, let them */
        w->R[r] = SIM_EXACT/w->inertia[i];
    } else if (held == SIM_HELD_DRIVE) {
        w->g[r] += (s*slip_sim_drive_torque(w, i, 0) - d->effort)/slope;
        w->R[r] = 1/(slope*w->opt.dt);
    }
    w->compliant |= held != 0;
}

/* ---- loops ----------------------------------------------------------------------------------------------- */

/* World frames of a loop's two sides. */
static void impulses_loop_frames(const slip_world *w, const sim_loop *l, slip_pose *A, slip_pose *B)
{
    slip_pose_mul(&w->data->pose[l->body_a], &l->local_a, A);
    slip_pose_mul(&w->data->pose[l->body_b], &l->local_b, B);
}

/* Row k of a loop: 0-2 keep the origins together along world axes, 3-5 keep the frames' directions. A hinge
 * leaves the turn about A's z free. error: how far b is from where a wants it. */
static void impulses_loop_row(const slip_world *w, const sim_loop *l, int k, slip_row_site *row, slip_real *error)
{
    slip_pose A, B;
    slip_real R[9], q[4], turn[3];
    int i;

    impulses_loop_frames(w, l, &A, &B);
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

/* Velocities at which rows from .. to - 1 of a loop, those of its points or those of its axes, pull it together. A loop
 * that was closed while its frames are apart would be thrown together; one that turns fast opens by its arcs in each
 * step, at up to half of slip_sim_arc_between(), and has to be kept up with. */
static void impulses_pull_rows(const slip_world *w, const sim_loop *l, int from, int to, slip_real most,
                               slip_real *pull)
{
    slip_real error, size = 0;
    slip_row_site row;
    int k;

    for (k = from; k < to; ++k) {
        impulses_loop_row(w, l, k, &row, &error);
        pull[k] = w->opt.erp*error/w->opt.dt;
        size += pull[k]*pull[k];
    }
    if (size <= most*most) return;
    size = slip_sqrt(size);
    most += slip_sim_arc_between(w, &row);
    for (k = from; k < to && size > most; ++k) pull[k] *= most/size;
}

static void impulses_pull(const slip_world *w, const sim_loop *l, slip_real pull[6])
{
    impulses_pull_rows(w, l, 0, 3, w->opt.max_pull, pull);
    if ((int)l->def.kind > 3) impulses_pull_rows(w, l, 3, (int)l->def.kind, w->opt.max_pull/IMPULSES_ARM, pull);
}

/* ---- one island --------------------------------------------------------------------------------------------- */

/* g, mu and R of a contact at row r, from c_free already in g. */
static void impulses_contact_row(slip_world *w, const sim_contact *c, int k, const slip_real *before)
{
    const slip_real dt = w->opt.dt;
    const int n = 3*k + 2;

    w->mu[k] = c->mu;
    w->R[3*k] = w->R[3*k + 1] = w->R[n] = 0;
    if (c->tangent_stiffness + c->tangent_damping > 0) slip_sim_tangent_rows(w, c, k);
    if (c->stiffness > 0) {                              /* damped is the way that is left after they touch */
        const slip_real stiff = dt*c->stiffness + c->damping;

        w->R[n] = 1/(dt*stiff);
        w->g[n] += c->gap > 0 ? c->gap/dt : c->gap*c->stiffness/stiff;
        w->compliant = 1;
    } else if (c->restitution > 0 && before[n] < -w->opt.rest_speed && c->gap + dt*before[n] <= 0) {
        w->g[n] += c->restitution*before[n];
    } else {
        w->g[n] += impulses_push(w, c->gap) + c->arc;
    }
}

/* Adds the island's sites to the assembly. Returns the number of contacts. */
static void impulses_sites(slip_world *w, int from, int to, int island)
{
    int i, k;

    slip_assembly_restart(&w->assembly);
    for (i = from; i < to; ++i) slip_assembly_contact(&w->assembly, &w->contacts[w->order[i]].site);
    for (k = 0; k < w->nlimits; ++k)
        if (impulses_island(w, w->iv_body[w->limit_iv[k]], 0) == island)
            slip_assembly_limit(&w->assembly, w->limit_iv[k], w->limit_sign[k]);
    for (i = 0; i < w->nloops; ++i) {
        const sim_loop *l = &w->loops[i];
        slip_row_site row;
        slip_real error;

        if (!w->loop_state[i].on || impulses_island(w, l->body_a, l->body_b) != island) continue;
        for (k = 0; k < (int)l->def.kind; ++k) {
            impulses_loop_row(w, l, k, &row, &error);
            slip_assembly_bilateral(&w->assembly, &row);
        }
    }
}

/* What an impulse of one would move if the bodies of a contact were free [1/kg]. */
static slip_real impulses_free_mobility(const slip_world *w, const slip_contact_site *site)
{
    const slip_real *inertia = w->model->inertia;
    const slip_real ma = inertia[10*site->body_a], mb = inertia[10*site->body_b];

    return (site->body_a && ma > 0 ? 1/ma : 0) + (site->body_b && mb > 0 ? 1/mb : 0);
}

/* Whether the joints of a contact's links move them apart: 0 yes; SIM_STUCK no, for they are held by drives and dry
 * friction, which may give way; SIM_LOCKED no. */
static int impulses_locked(slip_world *w, int i, const sim_contact *c)
{
    const slip_real least = IMPULSES_LOCKED*impulses_free_mobility(w, &c->site);
    slip_real d[3];

    slip_assembly_diagonal(&w->assembly, i, d);
    if (d[2] > least) return 0;
    slip_assembly_loose_diagonal(&w->assembly, i, w->inertia, d);
    return d[2] > IMPULSES_LOOSE*least ? SIM_STUCK : SIM_LOCKED;
}

/* How much of the push out of an overlap links get that are wedged, 1: all, they are not. Wedged are links that some
 * impulse within the friction cone hardly moves, though the normal alone would: a contact that sticks then pushes with
 * all its might that way, a thousand times what its links weigh, and the work that takes, impulse times speed of the
 * push, goes into them (a humanoid's forearm on its head, elbow near a dead point: 39 J became 113 J in five steps).
 * As work goes with push^2/mobility, the push is drawn to what IMPULSES_WEDGED would take. Least mobility: that of u'Bu
 * with u_n = 1, u_t = -B_tt^-1 B_tn drawn into the cone. Links of one or two freedoms cannot stick and be pushed: there
 * it is zero, and no matter. */
static slip_real impulses_wedged(slip_world *w, int i, const sim_contact *c)
{
    const slip_real free = impulses_free_mobility(w, &c->site);
    slip_real B[9], u[3], det, r, least;

    if (c->stiffness > 0 || c->restitution > 0 || !(c->gap < -w->opt.slop)) return 1;
    slip_assembly_block(&w->assembly, i, B);
    det = B[0]*B[4] - B[1]*B[1];
    if (!(det > IMPULSES_EXACT*B[0]*B[4])) return 1;
    u[0] = (B[1]*B[5] - B[4]*B[2])/det;
    u[1] = (B[1]*B[2] - B[0]*B[5])/det;
    u[2] = 1;
    r = slip_norm2(u);
    if (r > c->mu) { u[0] *= c->mu/r;  u[1] *= c->mu/r; }
    least = B[0]*u[0]*u[0] + B[4]*u[1]*u[1] + B[8] + 2*(B[1]*u[0]*u[1] + B[2]*u[0] + B[5]*u[1]);
    if (!(least > IMPULSES_EXACT*free) || least >= IMPULSES_WEDGED*free) return 1;
    return slip_sqrt(least/(IMPULSES_WEDGED*free));
}

/* Gives a contact some compliance. */
static void impulses_give(slip_world *w, int i, const sim_contact *c)
{
    const slip_real give = IMPULSES_YIELD*impulses_free_mobility(w, &c->site);
    slip_real *R = w->R + 3*i;
    int k;

    for (k = 0; k < 3; ++k) R[k] = slip_max(R[k], give);
    w->compliant = 1;
}

/* Whether a rigid contact is one of links, which may be unable to give way, and overlaps by more than `depth`. */
static int impulses_is_deep(const slip_world *w, const sim_contact *c, slip_real depth)
{
    return c->stiffness == 0 && !w->free_single[c->site.body_a] && !w->free_single[c->site.body_b] && c->gap < -depth;
}

/* How many contacts of links in the island overlap by more than `depth`; with `jammed` only those that yield. */
static int impulses_count_deep(const slip_world *w, int from, slip_real depth, int jammed)
{
    int i, n = 0;

    for (i = from; i < from + w->assembly.nc; ++i) {
        const sim_contact *c = &w->contacts[w->order[i]];

        n += (c->yields || !jammed) && impulses_is_deep(w, c, depth);
    }
    return n;
}

/* A contact of links whose joints cannot move them apart (the normal goes through the hinge) would take an impulse
 * without end: it is made soft, and its overlap is not worked off. So are contacts of joints that are stuck: they push
 * all the same, enough to move what can be moved, and rigidly once it does. So is, by a hair, a loop, since loops may
 * say the same twice; and all that overlaps in a jam. `known`: contacts are as they were, with an answer that was kept;
 * to find out anew takes Y. */
static void impulses_soften(slip_world *w, int from, int known)
{
    const int jammed = !known && impulses_count_deep(w, from, w->opt.slop, 1) > 0;
    slip_assembly *a = &w->assembly;
    slip_real d[3];
    int i;

    for (i = 0; !w->all_free && i < a->nc; ++i) {
        sim_contact *c = &w->contacts[w->order[from + i]];
        slip_real push = 0;

        if (w->free_single[c->site.body_a] || w->free_single[c->site.body_b]) continue;
        if (!known) {
            c->locked = impulses_locked(w, i, c);
            push = c->locked ? 1 : impulses_wedged(w, i, c);
            if (push < 1) c->locked = SIM_WEDGED;
            c->yields = jammed && impulses_is_deep(w, c, w->opt.slop);
        }
        if (c->locked == SIM_STUCK || c->locked == SIM_LOCKED || c->yields) impulses_give(w, i, c);
        if (c->locked == SIM_WEDGED && c->gap < -w->opt.slop)
            w->g[3*i + 2] -= (1 - push)*(impulses_push(w, c->gap) + c->arc);
        if (c->locked == SIM_LOCKED) w->g[3*i + 2] = slip_max(w->g[3*i + 2], 0);
    }
    for (i = a->nc + a->nl; i < a->nc + a->nl + a->nb; ++i) {
        slip_assembly_diagonal(a, i, d);
        w->R[2*a->nc + i] = IMPULSES_LOOP*d[0];
        w->compliant = 1;
    }
}

/* The solver of the options, looked up when the option changes; NULL for a chain. */
static const slip_solver *impulses_solver(slip_world *w)
{
    if (!w->solver || w->solver_id != w->opt.solver) {
        w->solver_id = w->opt.solver;
        w->solver = slip_solver_find(w->opt.solver ? w->opt.solver : "default");
    }
    return w->solver;
}

/* Whether so many contacts did not push in the step before that the default solver will leave them out: it cuts what is
 * left out of the factor. */
static int impulses_are_loose(const slip_world *w)
{
    int i, open = 0;

    for (i = 0; i < w->assembly.nc; ++i) open += w->lambda[3*i + 2] == 0;
    return 3*open > w->assembly.nc;
}

/* The island's problem. The default solver takes large ones with few coordinates, or with contacts that stay open, by
 * the factor of G alone. */
static void impulses_problem(slip_world *w, const slip_real *R)
{
    enum { ROWS = 100, LOOSE_ROWS = 60, COORDINATES = 300 };
    const slip_solver *solver = impulses_solver(w);
    slip_assembly *a = &w->assembly;
    const int nv = w->model->nv, able = sizeof(slip_real) == sizeof(double) && solver && solver->solve == slip_default
                                     && nv <= COORDINATES;

    if (able && ((a->n >= ROWS && 5*nv < 4*a->n) || (a->n >= LOOSE_ROWS && impulses_are_loose(w))))
        slip_assembly_finish_factored(a, w->mu, w->g, R, &w->problem);
    else
        slip_assembly_finish(a, w->mu, w->g, R, &w->problem);
}

/* A jam that could not be solved: overlapping links push each other apart where their joints leave no way out. All
 * overlaps of links become soft, until they are gone, and the problem has a solution: from the contacts' impulses of
 * the step before. Returns whether that makes another problem. */
static int impulses_yield(slip_world *w, int from)
{
    int i, n = 0;

    for (i = 0; i < w->assembly.nc; ++i) {
        sim_contact *c = &w->contacts[w->order[from + i]];

        if (c->yields || !impulses_is_deep(w, c, w->opt.slop)) continue;
        c->yields = 1;
        if (c->locked == SIM_STUCK || c->locked == SIM_LOCKED) continue;
        impulses_give(w, i, c);
        ++n;
    }
    if (n == 0) return 0;
    for (i = 0; i < w->assembly.nc; ++i) slip_copy3(w->contacts[w->order[from + i]].impulse, w->lambda + 3*i);
    impulses_problem(w, w->R);
    return 1;
}

/* The velocity that rows see: of the way, not of the end. A body alone whose origin is off its centre of mass c moves
 * it by dt (v - dt/2 w x (w x c) + ...), see integrate.c. With that in all rows, constraints hold in the middle of the
 * step, and a ball that rolls about a heavy side keeps its energy to second order; without, it gains in each turn. */
static void impulses_see(slip_world *w)
{
    const slip_model *m = w->model;
    int b;

    w->v_seen = w->v_free;
    if (!w->has_offset) return;
    w->v_seen = w->v_way;
    memcpy(w->v_way, w->v_free, (size_t)m->nv*sizeof *w->v_way);
    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]];
        const slip_real half = w->opt.dt/2, *c = w->centre + 3*b;
        slip_real t[3];

        if (w->free_single[b]) {
            slip_cross3(w->v + iv + 3, c, t);
            slip_cross3(w->v + iv + 3, t, t);
            slip_axpy3(-half, t, w->v_way + iv, w->v_way + iv);
        } else if (w->plane_single[b]) {
            w->v_way[iv] += half*w->v[iv + 2]*w->v[iv + 2]*c[0];
            w->v_way[iv + 1] += half*w->v[iv + 2]*w->v[iv + 2]*c[1];
        }
    }
}

/* Corrections of g and the warm start, in the order of impulses_sites(). */
static void impulses_right_side(slip_world *w, int from, int to, int island)
{
    const int nc = w->assembly.nc;
    slip_real *before = w->dual;                         /* J v before the step; only until the warm start */
    int i, k, r;

    slip_assembly_velocity(&w->assembly, w->v_seen, w->g);
    if (w->bounces) slip_assembly_velocity(&w->assembly, w->v, before);  /* only what bounces asks for it */
    w->compliant = 0;
    for (i = from; i < to; ++i) impulses_contact_row(w, &w->contacts[w->order[i]], i - from, before);
    for (i = from; i < to; ++i) {
        memcpy(w->lambda + 3*(i - from), w->contacts[w->order[i]].impulse, 3*sizeof *w->lambda);
        memcpy(w->dual + 3*(i - from), w->contacts[w->order[i]].dual, 3*sizeof *w->dual);
    }
    r = 3*nc;
    for (k = 0; k < w->nlimits; ++k) {
        if (impulses_island(w, w->iv_body[w->limit_iv[k]], 0) != island) continue;
        impulses_limit_row(w, k, r);
        w->lambda[r++] = *impulses_limit_memory(w, k);
    }
    for (i = 0; i < w->nloops; ++i) {
        const sim_loop *l = &w->loops[i];
        slip_real pull[6];

        if (!w->loop_state[i].on || impulses_island(w, l->body_a, l->body_b) != island) continue;
        impulses_pull(w, l, pull);
        for (k = 0; k < (int)l->def.kind; ++k, ++r) {
            w->g[r] += pull[k];
            w->R[r] = 0;
            w->dual[r] = w->loop_state[i].dual[k];
            w->lambda[r] = w->loop_state[i].impulse[k];
        }
    }
}

/* The answer back to contacts, limits and loops. */
static void impulses_store(slip_world *w, int from, int to, int island, int kept)
{
    int i, k, r = 3*w->assembly.nc;

    for (i = from; i < to; ++i) {
        sim_contact *c = &w->contacts[w->order[i]];

        c->kept = kept;
        memcpy(c->impulse, w->lambda + 3*(i - from), sizeof c->impulse);
        memcpy(c->sigma, w->sigma + 3*(i - from), sizeof c->sigma);
        memcpy(c->dual, w->dual + 3*(i - from), sizeof c->dual);
    }
    for (i = from; !w->all_free && i < to; ++i) {
        const sim_contact *c = &w->contacts[w->order[i]];

        w->stats.softened += c->locked == SIM_LOCKED || c->yields;
    }
    for (k = 0; k < w->nlimits; ++k)
        if (impulses_island(w, w->iv_body[w->limit_iv[k]], 0) == island) *impulses_limit_memory(w, k) = w->lambda[r++];
    for (i = 0; i < w->nloops; ++i) {
        const sim_loop *l = &w->loops[i];
        sim_loop_state *state = &w->loop_state[i];

        if (!state->on || impulses_island(w, l->body_a, l->body_b) != island) continue;
        w->stats.loops += 1;
        for (k = 0; k < (int)l->def.kind; ++k, ++r) { state->impulse[k] = w->lambda[r]; state->dual[k] = w->dual[r]; }
    }
}

/* Worst of two residuals, criterion by criterion. */
static void impulses_worst(slip_residual *all, const slip_residual *one)
{
    all->eps_primal = slip_max(all->eps_primal, one->eps_primal);
    all->eps_dual = slip_max(all->eps_dual, one->eps_dual);
    all->eps_comp = slip_max(all->eps_comp, one->eps_comp);
    all->eps_abs = slip_max(all->eps_abs, one->eps_abs);
    all->lambda_max = slip_max(all->lambda_max, one->lambda_max);
    all->sigma_max = slip_max(all->sigma_max, one->sigma_max);
    all->g_max = slip_max(all->g_max, one->g_max);
}

static slip_status impulses_call_solver(slip_world *w, const slip_solver_options *opt, slip_solution *sol)
{
    const slip_solver *solver = impulses_solver(w);

    if (!solver) return slip_solve(w->opt.solver, &w->problem, opt, sol, &w->scratch, NULL);
    return solver->solve(&w->problem, opt, sol, &w->scratch);
}

/* How far a residual is from meeting the world's tolerance; at most 1 when it does. */
static slip_real impulses_excess(const slip_world *w, const slip_residual *r)
{
    return slip_residual_excess(r, w->opt.solve.tol, w->opt.solve.tol_rule);
}

/* Where the impulses of an island's contacts are from: SIM_KEPT, SIM_FOUND when all are, else 0. */
static int impulses_kept(const slip_world *w, int from, int to)
{
    const int kept = to > from ? w->contacts[w->order[from]].kept : 0;
    int i;

    for (i = from; i < to; ++i) if (w->contacts[w->order[i]].kept != kept) return 0;
    return kept;
}

/* How far the impulses of the step before, in w->lambda, are from being right; w->sigma is theirs. Needs no G: that of
 * w->problem is not this one's. */
static slip_real impulses_judge(slip_world *w, const slip_real *R, slip_residual *residual)
{
    w->problem.nc = w->assembly.nc;
    w->problem.nl = w->assembly.nl;
    w->problem.nb = w->assembly.nb;
    w->problem.n = w->assembly.n;
    w->problem.mu = w->mu;
    w->problem.g = w->g;
    w->problem.R = R;
    slip_residual_at(&w->problem, SLIP_MODEL_NCP, 0, w->lambda, w->sigma, residual);
    return impulses_excess(w, residual);
}

/* Whether the assembly holds all rows of the world. */
static int impulses_is_whole(const slip_world *w)
{
    return w->assembly.nc == w->ncontacts && w->assembly.nl == w->nlimits && w->nloops == 0;
}

/* An answer that was kept is tried again at the least expense: J alone tells. On success w->dv_contact is what it
 * changes, else zero as it was. */
static int impulses_keep(slip_world *w, int from, slip_residual *residual)
{
    const slip_real *R;
    int i;

    if (!impulses_solver(w) || w->solver->model != SLIP_MODEL_NCP || !impulses_is_whole(w)) return 0;
    impulses_soften(w, from, 1);
    R = w->compliant ? w->R : NULL;
    slip_assembly_sigma_of(&w->assembly, w->lambda, w->g, R, w->opt.work ? w->push : NULL, w->dv_contact, w->sigma);
    if (impulses_judge(w, R, residual) <= IMPULSES_LASTS) return 1;
    for (i = 0; i < w->model->nv; ++i) w->dv_contact[i] = w->push[i] = 0;
    return 0;
}

/* Once more, as well as the options ask for. */
static slip_status impulses_call_again(slip_world *w, slip_solution *sol)
{
    const int iterations = sol->iterations, factorizations = sol->factorizations;
    const slip_status s = impulses_call_solver(w, &w->opt.solve, sol);

    sol->iterations += iterations;
    sol->factorizations += factorizations;
    return s;
}

/* The answer of the last step is often the answer still: it is judged first, before G is multiplied out. When it is
 * not, the solver aims well below the tolerance, since an answer that only just meets it has to be found again in the
 * next step: its error is a wrong acceleration, which adds up. Where the world hardly changes, an answer exact almost
 * to rounding lasts for hundreds of steps. An answer that has just been found also makes up for the velocity error
 * before it and so is a little wrong for the step after; it is taken over only when it is right to that depth, so that
 * a second solve finds the lasting one, which is as exact as it gets when that ends at rounding. Large problems that
 * change are solved once, as well as is asked for. Only for solvers of the true problem: the judge would take the
 * answer of another model for no answer at all. */
static slip_status impulses_solve(slip_world *w, int from, int *kept, slip_solution *sol)
{
    enum { FIRST_TRY = 60, DEEP_TRY = 8, LARGE = 60 };
    const slip_real *R = w->compliant ? w->R : NULL;
    const slip_real enough = *kept == SIM_KEPT ? IMPULSES_LASTS : SLIP_TOL(1e-3, 0.3), close_by = 10;
    const int large = w->assembly.n >= LARGE, found = *kept == SIM_FOUND;
    slip_solver_options aim = w->opt.solve;
    slip_real excess;
    slip_status s;
    int deep, jam, most;

    *kept = 0;
    if (!impulses_solver(w) || w->solver->model != SLIP_MODEL_NCP) {
        impulses_problem(w, R);
        return impulses_call_solver(w, &w->opt.solve, sol);
    }
    slip_assembly_sigma(&w->assembly, w->lambda, w->g, R, w->sigma);
    excess = impulses_judge(w, R, &sol->residual);
    if (excess <= enough) { *kept = SIM_KEPT;  return SLIP_OK; }
    deep = excess <= close_by;
    jam = impulses_count_deep(w, from, IMPULSES_DEEP*w->opt.margin, 0) > 0
       && impulses_count_deep(w, from, w->opt.slop, 1) == 0;             /* deep, and not known for it */
    impulses_problem(w, R);
    if (deep || !large) {
        aim.tol *= deep ? SLIP_TOL(1e-4, 0.1) : SLIP_TOL(0.01, 0.3);
        if (!deep) aim.enough = IMPULSES_ENOUGH*w->opt.solve.tol;
        most = deep ? DEEP_TRY : FIRST_TRY;
        if (!(aim.max_iterations > 0 && aim.max_iterations < most)) aim.max_iterations = most;
    } else {
        aim.tol *= SLIP_TOL(0.3, 1);
        aim.enough = IMPULSES_JUST*w->opt.solve.tol;
        if (jam) aim.max_iterations = FIRST_TRY;
    }
    s = impulses_call_solver(w, &aim, sol);
    if (s < 0) return s;
    if (s > SLIP_OK && deep)                             /* rounding is reached: once more, where that may help */
        *kept = found || !(impulses_excess(w, &sol->residual) < IMPULSES_BETTER*excess) ? SIM_KEPT : SIM_FOUND;
    if (impulses_excess(w, &sol->residual) <= 1) return SLIP_OK;
    if (jam) impulses_yield(w, from);
    if (jam || deep || !large || impulses_excess(w, &sol->residual) < IMPULSES_AGAIN) s = impulses_call_again(w, sol);
    if (impulses_excess(w, &sol->residual) > 1 && impulses_yield(w, from)) s = impulses_call_again(w, sol);
    return s > SLIP_OK && impulses_excess(w, &sol->residual) <= 1 ? SLIP_OK : s;
}

/* Contacts of a group that sleeps: their impulses are those of the last step. */
static void impulses_rest(slip_world *w, int from, int to)
{
    int i;

    for (i = from; i < to; ++i) slip_zero3(w->contacts[w->order[i]].sigma);
}

/* The island's impulses anew, from those of the step before; what they do is added to w->dv_contact. */
static slip_status impulses_find_new(slip_world *w, int from, int *kept, slip_residual *residual)
{
    const size_t mark = slip_arena_mark(&w->scratch);
    slip_solution sol = slip_solution_over(w->lambda, w->sigma, w->dual);
    slip_status s;

    sol.warm = w->assembly.n;
    sol.rho = w->clock->rho;
    s = impulses_solve(w, from, kept, &sol);
    slip_arena_release(&w->scratch, mark);
    if (s < 0) return s;
    w->clock->rho = sol.rho;
    w->stats.iterations += sol.iterations;
    w->stats.factorizations += sol.factorizations;
    *residual = sol.residual;
    slip_assembly_add_impulse(&w->assembly, w->lambda, w->dv_contact);
    if (w->opt.work) slip_assembly_add_force(&w->assembly, w->lambda, w->push);
    return s;
}

static slip_status impulses_solve_island(slip_world *w, int from, int to, int island)
{
    slip_residual residual;
    slip_status s = SLIP_OK;
    int kept, done;

    if (slip_sim_group_sleeps(w, island)) {
        impulses_rest(w, from, to);
        return SLIP_OK;
    }
    impulses_sites(w, from, to, island);
    if (w->assembly.n == 0) return SLIP_OK;
    impulses_right_side(w, from, to, island);
    if (w->clock->problem_rows != w->assembly.n) w->clock->rho = 0;      /* it was another problem's */
    w->clock->problem_rows = w->assembly.n;
    kept = impulses_kept(w, from, to);
    slip_sim_lap(w, SLIP_PHASE_ASSEMBLY);
    done = kept == SIM_KEPT && impulses_keep(w, from, &residual);
    if (!done) {
        if (kept == SIM_KEPT) impulses_right_side(w, from, to, island);  /* without what was softened unseen */
        impulses_soften(w, from, 0);
        slip_sim_lap(w, SLIP_PHASE_ASSEMBLY);
        s = impulses_find_new(w, from, &kept, &residual);
    }
    slip_sim_lap(w, SLIP_PHASE_SOLVE);
    if (s < 0) slip_sim_tell_failed(w, s, island);
    if (s < 0) return s;
    if (s > SLIP_OK) slip_sim_tell_missed(w, s, from, island, &residual, impulses_excess(w, &residual));
    impulses_store(w, from, to, island, kept);
    w->dv_done = done;
    w->stats.islands += 1;
    impulses_worst(&w->stats.residual, &residual);
    return s;
}

/* Islands that have limits or loops but no contact are solved too. */
static slip_status impulses_without_contacts(slip_world *w, slip_status worst)
{
    int i, b;

    for (b = 0; b < w->model->nbodies; ++b) {
        int rows = 0;

        if (w->opt.islands ? b == 0 || w->group[b] != b : b > 0) continue;
        for (i = 0; i < w->ncontacts; ++i) rows |= w->contacts[i].island == b;
        if (rows) continue;
        for (i = 0; i < w->nlimits; ++i) rows |= impulses_island(w, w->iv_body[w->limit_iv[i]], 0) == b;
        for (i = 0; i < w->nloops; ++i)
            rows |= w->loop_state[i].on && impulses_island(w, w->loops[i].body_a, w->loops[i].body_b) == b;
        if (rows) {
            const slip_status s = impulses_solve_island(w, 0, 0, b);

            if (s < 0) return s;
            if (s > worst) worst = s;
        }
    }
    return worst;
}

slip_status slip_sim_contact_impulses(slip_world *w)
{
    slip_status worst = SLIP_OK;
    int i, from;

    impulses_islands(w);
    slip_sim_sleep_groups(w);
    impulses_limits(w);
    impulses_see(w);
    for (i = 0; i < w->model->nv; ++i) w->dv_contact[i] = 0;
    for (i = 0; w->opt.work && i < w->model->nv; ++i) w->push[i] = 0;
    w->dv_done = 0;
    slip_assembly_begin(&w->assembly, w->model, w->data);
    w->assembly.plain_mass = w->plain_mass;
    for (from = 0; from < w->ncontacts; from = i) {
        const int island = w->contacts[w->order[from]].island;
        slip_status s;

        for (i = from; i < w->ncontacts && w->contacts[w->order[i]].island == island; ++i) {}
        s = impulses_solve_island(w, from, i, island);
        if (s < 0) return s;
        if (s > worst) worst = s;
    }
    if (w->nlimits > 0 || w->nloops > 0) {
        worst = impulses_without_contacts(w, worst);
        if (worst < 0) return worst;
    }
    if (!w->dv_done && w->stats.islands > 0) slip_assembly_spread(&w->assembly, w->dv_contact);
    for (i = 0; i < w->model->nv; ++i) w->v_next[i] = w->v_free[i] + w->dv_contact[i];
    w->stats.asleep = 0;
    slip_sim_hold_sleepers(w);
    return worst;
}

/* ---- all of it at once ---------------------------------------------------------------------------------------- */

void slip_sim_all_rows(slip_world *w, slip_real *v)
{
    const int islands = w->opt.islands;
    slip_real *v_free = w->v_free;
    int i;

    w->opt.islands = 0;                                  /* everything is island 0 */
    w->v_free = v;
    impulses_see(w);
    for (i = 0; i < w->ncontacts; ++i) w->order[i] = i;
    slip_assembly_begin(&w->assembly, w->model, w->data);
    impulses_sites(w, 0, w->ncontacts, 0);
    impulses_right_side(w, 0, w->ncontacts, 0);
    w->opt.islands = islands;
    w->v_free = v_free;
}

void slip_sim_loop_row(const slip_world *w, int loop, int k, slip_row_site *row, slip_real *error)
{
    impulses_loop_row(w, &w->loops[loop], k, row, error);
}

slip_real slip_sim_limit_gap(const slip_world *w, int k) { return impulses_limit_gap(w, k); }
