/* Compliance for contacts of links that hardly any impulse moves. It is decided by the mobility of a contact, as a
 * share of 1/m_a + 1/m_b, that of its bodies if they were free:
 *
 *   m   least mobility u'G u of an impulse u within the friction cone, u_n = 1, under which the contact sticks, with
 *       drives and dry friction let go
 *
 *   R_n   = max(0, SOFTEN_LEAST - m, SOFTEN_LEAST jam)
 *   push *= min(1, m/SOFTEN_LEAST)^2, the velocity at which an overlap is worked off
 *
 * so that the impulse of a push is at most push/SOFTEN_LEAST and vanishes with m faster than the lever it acts by,
 * which goes with the root of m: the push acts in every step until the overlap is gone. In words:
 * Locked: the normal goes through the hinge, m = 0. A rigid contact would take any impulse, and as its overlap cannot
 * be worked off, nothing is pushed.
 * Wedged: some impulse within the cone hardly moves the links (an elbow near its dead point, the hand held by
 * friction). Working an overlap off rigidly takes the impulse push/m and the work push^2/m, which goes into the links.
 * Stuck: drives and dry friction alone hold the links, so that G_nn is small. To let them go, m is scaled by the ratio
 * of the normal's mobility under the diagonal of M without them to G_nn. The push stays, and they give way.
 * Jammed: overlaps push links apart where their joints, together, leave no way out. No rigid impulses solve that; with
 * R_n > 0 some always do. jam grows from 0 to 1 where an overlap is 0.5 to 1 of the margin deep, which no step makes;
 * it is 1 as well for contacts that are marked: the step before missed its tolerance while they overlapped. The mark is
 * part of the state and goes as soon as the overlap is gone. Bodies that float alone, without joints or loops, never
 * yield. */
#include "sim/world_private.h"

#define SOFTEN_LEAST SLIP_R(1e-3)            /* test_jam: an arm at its dead point; test_drives: through the hinge */
#define SOFTEN_RANK  SLIP_TOL(1e-12, 1e-6)   /* below, it is rounding: fewer freedoms than rows */

/* Whether a body floats alone, held by neither joints nor loops. */
static int soften_is_alone(const slip_world *w, int body)
{
    return w->fixed.free_single[body] && w->fixed.first_loop[body] == 0;
}

/* 1/m_a + 1/m_b [1/kg]. */
static slip_real soften_free_mobility(const slip_world *w, const slip_contact_site *site)
{
    const slip_real *inertia = w->model->inertia;
    const slip_real ma = inertia[10*site->body_a], mb = inertia[10*site->body_b];

    const int moves_a = site->body_a && !slip_sim_is_driven(w, site->body_a);
    const int moves_b = site->body_b && !slip_sim_is_driven(w, site->body_b);

    return (moves_a && ma > 0 ? 1/ma : 0) + (moves_b && mb > 0 ? 1/mb : 0);
}

/* m of a contact with block B of G: u_t = -B_tt^-1 B_tn drawn into the cone. Links of fewer freedoms than rows cannot
 * stick and be pushed: B_nn there. */
static slip_real soften_least_mobility(const slip_real B[9], slip_real mu, slip_real free)
{
    const slip_real det = B[0]*B[4] - B[1]*B[1];
    slip_real u[2], r, least;

    if (!(det > SOFTEN_RANK*B[0]*B[4])) return B[8];
    u[0] = (B[1]*B[5] - B[4]*B[2])/det;
    u[1] = (B[1]*B[2] - B[0]*B[5])/det;
    r = slip_norm2(u);
    if (r > mu) { u[0] *= mu/r;  u[1] *= mu/r; }
    least = B[0]*u[0]*u[0] + B[4]*u[1]*u[1] + B[8] + 2*(B[1]*u[0]*u[1] + B[2]*u[0] + B[5]*u[1]);
    return least > SOFTEN_RANK*free ? least : B[8];
}

/* Whether links may be jammed: some joints or loops hold them together. */
static int soften_acts(const slip_world *w)
{
    return w->opt.soften && (!w->fixed.constant_mass || slip_sim_loop_count(w) > 0);
}

static int soften_applies(const slip_world *w, const sim_contact *c)
{
    return !(c->stiffness > 0) && !soften_is_alone(w, c->site.body_a) && !soften_is_alone(w, c->site.body_b);
}

slip_real slip_sim_jam(const slip_world *w, const sim_contact *c)
{
    const slip_real half = w->opt.margin/2;

    if (!soften_acts(w) || !soften_applies(w, c) || !(c->gap < -w->opt.slop)) return 0;
    return c->jammed ? 1 : half > 0 ? slip_clamp(-c->gap/half - 1, 0, 1) : 0;
}

/* Diagonal of M without drives and dry friction. Prescribed motions are not let go: nothing moves them. */
static const slip_real *soften_loose_inertia(const slip_world *w)
{
    slip_real *loose = w->step.nv_scratch;                 /* scratch, after impacts */
    int i;

    if (w->step.nprescribed == 0) return w->step.inertia;
    for (i = 0; i < w->model->nv; ++i) loose[i] = w->step.given[i] ? SLIP_REAL_MAX : w->step.inertia[i];
    return loose;
}

/* m of contact i with G_nn = n. Friction can wedge links only while an overlap pushes them; else m = n. */
static slip_real soften_mobility(slip_world *w, int i, const sim_contact *c, slip_real free, slip_real n)
{
    slip_real B[9], loose[3], m = n;

    if (c->gap < -w->opt.slop) {
        slip_assembly_block(&w->step.assembly, i, B);
        m = soften_least_mobility(B, c->mu, free);
    }
    if (m >= SOFTEN_LEAST*free || !(n > 0)) return m;
    slip_assembly_loose_diagonal(&w->step.assembly, i, soften_loose_inertia(w), loose);
    return m*slip_max(1, loose[2]/n);
}

/* Softens contact i of the problem. Returns whether it yields. */
static int soften_contact(slip_world *w, int i, const sim_contact *c)
{
    const slip_real free = soften_free_mobility(w, &c->site), jam = slip_sim_jam(w, c), least = SOFTEN_LEAST*free;
    slip_real *g = w->rows.g + 3*i + 2, *R = w->rows.R + 3*i + 2, d[3], m, give, push;

    slip_assembly_diagonal(&w->step.assembly, i, d);
    m = soften_mobility(w, i, c, free, d[2]);
    if (m >= least && !(jam > 0)) return 0;
    give = slip_max(least - m, least*jam);
    push = slip_min(1, m/least);
    if (c->gap < -w->opt.slop && c->restitution == 0) *g -= (1 - push*push)*c->row_b[2];
    *R = slip_max(*R, give);
    w->rows.compliant = 1;
    return 1;
}

int slip_sim_soften(slip_world *w, const slip_island *island)
{
    int i, n = 0;

    if (!soften_acts(w)) return 0;
    for (i = 0; i < island->to - island->from; ++i) {
        const sim_contact *c = &w->step.contacts[w->step.order[island->from + i]];

        if (soften_applies(w, c)) n += soften_contact(w, i, c);
    }
    return n;
}

void slip_sim_mark_jams(slip_world *w, const slip_island *island, int missed)
{
    int i;

    if (!soften_acts(w)) return;
    for (i = island->from; i < island->to; ++i) {
        sim_contact *c = &w->step.contacts[w->step.order[i]];

        c->jammed = (c->jammed || missed) && c->gap < -w->opt.slop && soften_applies(w, c);
    }
}
