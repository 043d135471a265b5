/* Rows of the contact problem: sites, right-hand side g, compliance R and warm start of contacts, joint limits and loop
 * closures.
 *
 *   contact     g_n = J_n v_free plus one of these, the first that applies:
 *     soft          gap k/(dt k + d), or gap/dt while apart, with R_n = 1/(dt (dt k + d)): an implicit spring of
 *                   stiffness k and damping d of the material; along the surface likewise (tangent.c)
 *     by a law      without a stiffness of its own: slip_world_options.law, law.c. (SLIP_LAW_CFM is no such law: it
 *                   adds to R of the rows below)
 *     bouncing      with SLIP_EULER: e c_n, c_n the approach before the step, where it is faster than what the step's
 *                   smooth forces change and would close the gap; else impacts.c
 *     apart         gap/dt + arc: the pair stops where it touches; arc = dt/2 (dJ/dt) v, also of the tangents: arc.c
 *     overlapping   max(erp gap/dt, -max_push) + arc: the overlap is removed over some steps
 *                   (|gap| <= slop counts as no gap)
 *                   both bounded so that the contact creates no energy: rows_normal_b()
 *               besides, tangents have the velocity of moving surfaces: belt.c
 *     against turning: rolling.c
 *   limit       g = +-v_free + gap/dt or erp gap/dt;  rows of drives and joint friction: settle.c
 *   loop        loops.c
 */
#include "sim/world_private.h"

#include <string.h>

/* The friction of a row, at most m = 1/sqrt(tol). Forces within 1/m of the surface slide then, which larger mu would
 * hold. But the distance to a cone that narrows with mu (contact/residual.c) allows an approach of mu times the
 * tolerance: with 1e6 all of it, and bodies fell through the ground. At m both errors are sqrt(tol), 1e-3 (float:
 * 1e-2). Infinite mu would make the cone a half-space, and contacts that are apart would hold tangents. */
slip_real slip_sim_row_friction(const slip_world *w, const sim_contact *c)
{
    const slip_real tol = slip_max(w->opt.solve.tol, SLIP_REAL_EPS);

    return c->mu*c->mu*tol <= 1 ? c->mu : 1/slip_sqrt(tol);
}

slip_real slip_sim_gap_velocity(const slip_world *w, slip_real gap)
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
    slip_real *gap = &w->rows.distance[r - 2*w->step.assembly.nc];       /* block index of a single row */

    *gap = held ? 0 : slip_sim_limit_gap(w, in, k);
    w->rows.R[r] = w->rows.dual[r] = 0;
    w->rows.lambda[r] = *rows_limit_memory(w, k);
    if (!held) w->rows.g[r] += slip_sim_gap_velocity(w, *gap);
    /* R of friction is small but not 0: if contacts also hold this joint, they carry the load. The drive's row is in
     * the head of settle.c. */
    if (held == SIM_HELD_FRICTION) {
        w->rows.R[r] = SIM_EXACT/w->step.inertia[i];
    } else if (held == SIM_HELD_DRIVE) {
        w->rows.g[r] += (s*slip_sim_drive_torque(w, in, i, 0) - d->effort)/slope;
        w->rows.R[r] = 1/(slope*w->opt.dt);
    }
    w->rows.compliant |= held != 0;
}

/* ---- contacts ---------------------------------------------------------------------------------------------- */

static sim_contact *rows_contact_at(const slip_world *w, int i) { return &w->step.contacts[w->step.order[i]]; }

/* b of a rigid contact's normal row, J v+ + b >= 0, from c->before = J v before the step's impulses.
 *
 * The impulse does the work lambda (before + J v+)/2, which is lambda (before - b)/2 where it acts: with b >= before no
 * contact creates energy, whatever overlap or arc it has.
 *
 *   covered  another contact's row keeps it open (arc.c): b is so large that no motion of the step closes it.
 *   rolls    nearer to its arc than the arc is long: b = before. An overlap is worked off by all that the contact
 *            approaches beyond its arc. This excess is O(dt^3); if only part of it were removed, the body would slowly
 *            sink.
 *   leaves   it moves away faster than its arc. It gets an impulse only if another impulse of the step closes it; that
 *            one usually dissipates more energy than this one may add. It may close as if it rested, or it would
 *            overlap by before*dt. Where it adds more, slip_sim_bound_work() gives it b = before after all.
 *   else     it rests or is hit. An overlap is worked off by the share erp of the approach (by all of it a body would
 *            swing without end), and by the slop in every second step. The slop adds the weight times its length, at
 *            most the energy that sinking took. c->lift works off more, with energy that contacts have taken (lift.c).
 *
 * Overlaps that were put there (warm_start.c) or are jammed are pushed apart whatever that takes. */
static slip_real rows_normal_b(const slip_world *w, const sim_contact *c)
{
    const slip_real b = slip_sim_gap_velocity(w, c->gap) + c->arc[2], slop_speed = w->opt.slop/w->opt.dt;
    const slip_real beyond = c->before[2] - c->arc[2], size = slip_norm3(c->arc);

    if (c->covered)
        return (w->opt.margin + w->step.collider_way[c->a] + w->step.collider_way[c->b])/w->opt.dt;
    if (w->opt.integrator == SLIP_EULER || c->preset_overlap || c->jammed) return b;
    if (size > 0 && slip_abs(beyond) <= size) return slip_max(b, c->before[2]);
    if (beyond > size + c->lift + 2*slop_speed) return slip_max(b, slip_max(c->arc[2], 0));
    return slip_max(b, c->arc[2] + slip_min((beyond < 0 ? slip_min(1, w->opt.erp)*beyond : beyond) - slop_speed,
                                            -c->lift));
}

/* b of the tangents, c->row_b[0 .. 1]: the arc, or `before`. A contact that sticks has J v+ = -b and does the work
 * lambda (before - b)/2: none with b = before, but then a contact that slides loses energy. A contact that rolls has
 * before = arc to second order and takes b = before. One whose `before` differs from the arc by more than the arc's
 * length slides or was struck, and takes the arc. */
static void rows_tangents(slip_world *w, sim_contact *c, int k)
{
    const slip_real d[2] = { c->before[0] - c->arc[0], c->before[1] - c->arc[1] };
    const slip_real *b = slip_norm2(d) <= slip_norm2(c->arc) ? c->before : c->arc;

    w->rows.g[3*k] += c->row_b[0] = b[0];
    w->rows.g[3*k + 1] += c->row_b[1] = b[1];
}

/* c->before: J v before the step's impulses, `before`. For a contact that took part in an impact it is the mean of
 * that and c_free = J v_free: the contact counts from the velocity right after the impact, in the middle of the step,
 * and the impact has already taken the energy of the half before. */
static void rows_keep_before(const slip_world *w, sim_contact *c, const slip_real *before,
                             const slip_real *c_free)
{
    slip_copy3(before, c->before);
    if (!w->step.any_impact || !(c->impact[2] > 0)) return;
    slip_add3(before, c_free, c->before);
    slip_scale3(SLIP_R(0.5), c->before, c->before);
}

/* Contact k of the problem, from J v_free already in g; `before`: J v before the step. */
static void rows_contact(slip_world *w, sim_contact *c, int k, const slip_real *before)
{
    const slip_real dt = w->opt.dt;
    const int n = 3*k + 2;

    w->rows.mu[k] = slip_sim_row_friction(w, c);
    w->rows.distance[k] = c->gap;
    slip_zero3(w->rows.R + 3*k);
    c->row_b[0] = c->row_b[1] = 0;
    if (w->rows.with_before) rows_keep_before(w, c, before + 3*k, w->rows.g + 3*k);
    slip_copy3(c->impulse, w->rows.lambda + 3*k);
    if (w->step.belts) {
        w->rows.g[3*k] += c->belt[0];
        w->rows.g[3*k + 1] += c->belt[1];
    }
    if (slip_sim_law_replaces_rows(slip_sim_law(w)) && !(c->stiffness > 0)) {
        slip_sim_law_rows(w, c, k, before + 3*k);
        return;
    }
    if (c->tangent_stiffness + c->tangent_damping > 0) slip_sim_tangent_rows(w, c, k);
    else if (w->step.arcs) rows_tangents(w, c, k);
    if (c->stiffness > 0) {                              /* while apart, spring and damper do not act yet: gap/dt */
        const slip_real stiff = dt*c->stiffness + c->damping;

        c->row_b[2] = 0;
        w->rows.R[n] = 1/(dt*stiff);
        w->rows.g[n] += c->gap > 0 ? c->gap/dt : c->gap*c->stiffness/stiff;
        w->rows.compliant = 1;
    } else if (w->opt.integrator == SLIP_EULER && c->restitution > 0 && c->gap + dt*before[n] <= 0
               && before[n] < -slip_max(w->opt.rest_speed, slip_abs(w->rows.g[n] - before[n]))) {
        w->rows.g[n] += c->restitution*before[n];
    } else {
        c->row_b[2] = w->rows.with_before ? rows_normal_b(w, c) : slip_sim_gap_velocity(w, c->gap);
        w->rows.g[n] += c->row_b[2];
    }
    if (slip_sim_law(w) == SLIP_LAW_CFM && !(c->stiffness > 0)) slip_sim_law_cfm(w, k);
}

/* Whether slip_sim_bound_work() keeps a contact from creating energy: it is rigid, its overlap was not put there, and
 * it is not jammed. */
static int rows_is_bounded(const sim_contact *c)
{
    return !(c->stiffness + c->tangent_stiffness + c->tangent_damping > 0) && !c->preset_overlap && !c->jammed;
}

/* Work that counts as none: to move by the slop, which counts as no gap, and what is paid for, by the normal impulse of
 * the last step. */
static slip_real rows_no_work(const slip_world *w, const sim_contact *c, slip_real normal)
{
    return normal*w->opt.slop/w->opt.dt + slip_min(normal, c->impulse[2])*c->lift;
}

/* The work that the answer in w->rows does by contacts of the island, and the work that counts as none. */
static slip_real rows_work_created(const slip_world *w, const slip_island *island, slip_real *most)
{
    slip_real work = 0;
    int i, k;

    *most = 0;
    for (i = island->from; i < island->to; ++i) {
        const sim_contact *c = rows_contact_at(w, i);
        const int row = 3*(i - island->from);
        const slip_real *lambda = w->rows.lambda + row, *sigma = w->rows.sigma + row, *R = w->rows.R + row;

        if (!rows_is_bounded(c)) continue;
        for (k = 0; k < 3; ++k)                          /* J v+ = sigma - R lambda - b */
            work += lambda[k]*(c->before[k] + sigma[k] - R[k]*lambda[k] - c->row_b[k])/2;
        *most += rows_no_work(w, c, lambda[2]);
    }
    return work;
}

/* b = before for the rows of a contact, from `row` on, that add energy. Returns whether any was changed. */
static int rows_bound(slip_world *w, sim_contact *c, int row)
{
    const slip_real *lambda = w->rows.lambda + row, least = rows_no_work(w, c, lambda[2]);
    slip_real d[3];
    int k, changed = 0;

    slip_sub3(c->before, c->row_b, d);
    if (!rows_is_bounded(c)) return 0;
    if (lambda[0]*d[0] + lambda[1]*d[1] <= least) d[0] = d[1] = 0;
    if (!(lambda[2]*d[2] > least)) d[2] = 0;
    for (k = 0; k < 3; ++k) {
        if (!(slip_abs(d[k]) > 0)) continue;
        w->rows.g[row + k] += d[k];
        c->row_b[k] = c->before[k];
        changed = 1;
    }
    return changed;
}

int slip_sim_bound_work(slip_world *w, const slip_island *island)
{
    slip_real most;
    int i, changed = 0;

    /* in effect for rigid contacts alone: springs and the barrier's repulsion store energy and give it back */
    if (!slip_world_terms_of(w).correct || !w->rows.with_before || w->step.belts) return 0;
    if (rows_work_created(w, island, &most) <= most) return 0;
    for (i = island->from; i < island->to; ++i)
        changed |= rows_bound(w, rows_contact_at(w, i), 3*(i - island->from));
    return changed;
}

/* The work of the contact whose rows begin at `row`. */
static void rows_count_lost(slip_world *w, const sim_contact *c, int row)
{
    slip_real after[3];
    int k;

    for (k = 0; k < 3; ++k)
        after[k] = w->rows.sigma[row + k] - w->rows.R[row + k]*w->rows.lambda[row + k] - c->row_b[k];
    if (rows_is_bounded(c)) slip_sim_count_lost(w, c, w->rows.lambda + row, c->before, after);
}

/* ---- all rows of an island ----------------------------------------------------------------------------------- */

static int rows_has_limit(slip_world *w, const slip_island *island, int k)
{
    return slip_sim_island_has(w, island, w->fixed.iv_body[w->step.limit_iv[k]], 0);
}

/* Adds the island's sites to the assembly; rolls: those of rolling.c as well. */
static void rows_sites(slip_world *w, const slip_island *island, int rolls)
{
    slip_assembly *a = &w->step.assembly;
    slip_row_site row;
    int i, k;

    slip_assembly_restart(a);
    for (i = island->from; i < island->to; ++i) slip_assembly_contact(a, &rows_contact_at(w, i)->site);
    if (rolls) slip_sim_rolling_sites(w, island);
    for (k = 0; k < w->step.nlimits; ++k)
        if (rows_has_limit(w, island, k)) slip_assembly_limit(a, w->step.limit_iv[k], w->step.limit_sign[k]);
    for (i = 0; i < slip_sim_loop_count(w); ++i)
        for (k = 0; slip_sim_has_loop(w, island, i) && k < (int)w->fixed.loops[i].def.kind; ++k) {
            slip_sim_loop_row(w, i, k, &row);
            slip_assembly_bilateral(a, &row);
        }
}

/* Whether the rows of an island depend on the velocities before the step: some contact is struck, overlaps or has an
 * arc. w->rows.g holds J v_free. A contact with an impulse of the last step rests, and is not struck. */
static int rows_need_before(const slip_world *w, const slip_island *island)
{
    int i;

    if (slip_sim_law(w) == SLIP_LAW_REFERENCE) return 1;
    if (w->step.arcs || w->step.any_impact || (w->step.bounces && w->opt.integrator == SLIP_EULER)) return 1;
    for (i = island->from; i < island->to; ++i) {
        const sim_contact *c = rows_contact_at(w, i);

        if (c->gap < -w->opt.slop) return 1;
        if (!(c->impulse[2] > 0) && c->gap + w->opt.dt*w->rows.g[3*(i - island->from) + 2] < 0) return 1;
    }
    return 0;
}

/* before [rows] <- J v, v the velocity before the step's own impulses: that of the start plus the impacts' change. */
static void rows_before(slip_world *w, const slip_step_input *in, slip_real *before)
{
    const slip_real *v = in->v;
    int i;

    for (i = 0; w->step.any_impact && i < w->model->nv; ++i) w->step.x[i] = in->v[i] + w->step.dv_impact[i];
    if (w->step.any_impact) v = w->step.x;
    slip_assembly_velocity(&w->step.assembly, v, before);
}

void slip_sim_rows(slip_world *w, const slip_step_input *in, const slip_real *v, const slip_island *island)
{
    slip_real *before = w->rows.dual;                    /* only until the warm start is written there */
    slip_real *u = w->step.loop_work;
    int i, k, r, first_loop_row;                         /* r: the next row */

    rows_sites(w, island, w->step.rolls);
    slip_assembly_velocity(&w->step.assembly, v, w->rows.g);
    w->rows.with_before = rows_need_before(w, island);
    if (w->rows.with_before) rows_before(w, in, before);
    w->rows.compliant = 0;
    for (i = island->from; i < island->to; ++i) rows_contact(w, rows_contact_at(w, i), i - island->from, before);
    for (i = island->from; i < island->to; ++i)
        slip_copy3(rows_contact_at(w, i)->dual, w->rows.dual + 3*(i - island->from));
    if (w->step.rolls) slip_sim_rolling_rows(w, island);
    r = 3*w->step.assembly.nc;
    for (k = 0; k < w->step.nlimits; ++k) if (rows_has_limit(w, island, k)) rows_limit(w, in, k, r++);
    if (w->step.assembly.nb > 0)
        slip_assembly_row_velocity(&w->step.assembly, w->step.assembly.nc + w->step.assembly.nl, w->step.v_bias, u);
    first_loop_row = r;
    for (i = 0; w->step.assembly.nb > 0 && i < slip_sim_loop_count(w); ++i)
        if (slip_sim_has_loop(w, island, i)) r = slip_sim_loop_rows(w, i, u + r - first_loop_row, r);
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
        w->rows.mu[i] = slip_sim_row_friction(w, rows_contact_at(w, island->from + i));
        w->rows.distance[i] = 0;
        if (!w->step.belts) continue;
        w->rows.g[3*i] += rows_contact_at(w, island->from + i)->belt[0];
        w->rows.g[3*i + 1] += rows_contact_at(w, island->from + i)->belt[1];
    }
    for (k = 0, r = 3*a->nc; k < w->step.nlimits; ++k) {
        if (!rows_has_limit(w, island, k)) continue;
        w->rows.g[r++] += slip_max(0, slip_sim_gap_velocity(w, slip_sim_limit_gap(w, in, k)));
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
        if (w->rows.with_before && w->rows.lambda[row + 2] > 0) rows_count_lost(w, c, row);
        slip_copy3(w->rows.lambda + row, c->impulse);
        slip_copy3(w->rows.sigma + row, c->sigma);
        slip_copy3(w->rows.dual + row, c->dual);
    }
    if (w->step.rolls) slip_sim_rolling_store(w, island);
    for (k = 0; k < w->step.nlimits; ++k)
        if (rows_has_limit(w, island, k)) *rows_limit_memory(w, k) = w->rows.lambda[r++];
    for (i = 0; i < slip_sim_loop_count(w); ++i) {
        sim_loop_state *state = &w->state.loop_state[i];

        if (!slip_sim_has_loop(w, island, i)) continue;
        w->stats.loops += 1;
        slip_sim_loop_predict(w, i, r);
        for (k = 0; k < (int)w->fixed.loops[i].def.kind; ++k, ++r) {
            state->impulse[k] = w->rows.lambda[r];
            state->dual[k] = w->rows.dual[r];
        }
    }
}
