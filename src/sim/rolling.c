/* Torsional and rolling friction: torques against the relative spin w of two bodies at a contact with normal impulse
 * lambda_n,
 *
 *   about the normal   |tau_n| <= torsion lambda_n       across it   |tau_t| <= rolling lambda_n       [N m s]
 *
 * each of which sticks (w = 0 along it) or acts with all of its bound against w: Coulomb's law, with the disc of a
 * contact's friction across the normal. So each is one more contact block, whose cone has the slope mu = torsion or
 * rolling. Its normal row moves nothing, and R makes its impulse the bound s:
 *
 *   rows   w_t1, w_t2, 0  or  w_n, 0, 0      sigma_n = R (lambda_n' - s) = 0      |lambda_t'| <= mu lambda_n' = mu s
 *
 * The points of a patch (same colliders, same normal) have one block together, with s the sum of their normal impulses:
 * all their torques oppose the same spin, and the sum is determined where its parts are not.
 *
 * Every solver that takes compliance takes these blocks. s is the contact's normal impulse in the last step, then in
 * the last round: a fixed point, iterated while a block's torque exceeds its true bound or slides at less. A torque
 * changes normal impulses little, so one round suffices in steady motion and a few do after an impact. In heaps the
 * impulses may jump between two solutions that differ by a thousandth, so after ROLLING_WHOLE rounds s moves by half.
 * For any s the torque opposes the spin at the end of the step: rounds decide how much is lost, and never create
 * energy.
 *
 * Scales: rows are multiplied by the length scale = sqrt(mobility of points/mobility about axes) of the bodies, and
 * R s is the largest velocity of the island's normal rows, so that the relative tolerance means for these rows what it
 * means for those of contacts. The convex model (CCP) has sigma_n = mu |sigma_t| where it slides; that of the round
 * before is subtracted from g. */
#include "sim/world_private.h"

#include <string.h>

/* Error of a bound, as a share of the island's largest normal impulse, as solvers measure impulses: it does not add up,
 * since the next step begins with the right one; 1e-4 takes twice the rounds in a hand. */
#define ROLLING_EXACT SLIP_R(1e-3)

/* Rounds that set bounds to the new normal impulse. In six heaps of 27 bodies 2 to 8 do equally well; with 1, or
 * without an end, two and three times as many steps miss. */
enum { ROLLING_WHOLE = 4 };

int slip_sim_rolling_kinds(const slip_material *m)
{
    return (m->rolling > 0 ? SIM_ROLLS_ACROSS : 0) | (m->torsion > 0 ? SIM_ROLLS_ABOUT : 0);
}

slip_status slip_sim_rolling_solver(const slip_solver *solver, int kinds, slip_error *err)
{
    if (!kinds || ((solver->takes & SLIP_TAKES_COMPLIANCE) && solver->model != SLIP_MODEL_BARRIER)) return SLIP_OK;
    return slip_fail(err, SLIP_ERR_UNSUPPORTED, 0, 0, "the solver '%s' cannot take %s friction of surfaces",
                     solver->id, kinds & SIM_ROLLS_ACROSS ? "rolling" : "torsional");
}

/* ---- contacts ---------------------------------------------------------------------------------------------- */

/* Length that makes a point's velocity of a spin: where both bodies move freely, their radius of gyration. */
static slip_real rolling_scale(const slip_world *w, const slip_contact_site *s, slip_real otherwise)
{
    const slip_real point = slip_sim_free_mobility(w, s->body_a, 0) + slip_sim_free_mobility(w, s->body_b, 0);
    const slip_real axis = slip_sim_free_mobility(w, s->body_a, 1) + slip_sim_free_mobility(w, s->body_b, 1);

    return point > 0 && axis > 0 ? slip_sqrt(point/axis) : otherwise;
}

/* Whether two contacts are points of one patch: of the same colliders, with the same normal. */
static int rolling_is_patch(const sim_contact *a, const sim_contact *b)
{
    return a->a == b->a && a->b == b->b && memcmp(a->site.frame, b->site.frame, sizeof a->site.frame) == 0;
}

void slip_sim_rolling_find(slip_world *w)
{
    const sim_collider *colliders = w->fixed.colliders;
    int i, first = 0;

    for (i = 0; i < w->step.ncontacts; ++i) {
        const sim_contact *c = &w->step.contacts[i];
        const slip_material m = slip_sim_mix(w, colliders[c->a].material, colliders[c->b].material);
        sim_rolling *r = &w->step.rolling[i];

        r->torsion = m.torsion;
        r->rolling = m.rolling;
        r->points = 1;
        w->step.rolls |= slip_sim_rolling_kinds(&m) != 0;
        if (i == 0 || !rolling_is_patch(&w->step.contacts[first], c)) first = i;
        else {
            w->step.rolling[first].points += 1;
            r->points = 0;
        }
    }
}

void slip_sim_rolling_recall(slip_world *w, int i, const sim_rolling_memory *m)
{
    sim_rolling *r = &w->step.rolling[i];
    const sim_contact *c = &w->step.contacts[i];

    slip_zero3(r->impulse);
    slip_zero3(r->spin);
    if (!m) return;
    slip_mat3_vec(c->site.frame, m->impulse, r->impulse);
    slip_mat3_vec(c->site.frame, m->spin, r->spin);
    if (!(r->torsion > 0)) r->impulse[2] = r->spin[2] = 0;       /* a normal that has turned mixes the two */
    if (!(r->rolling > 0)) r->impulse[0] = r->impulse[1] = r->spin[0] = r->spin[1] = 0;
}

void slip_sim_rolling_keep(const slip_world *w, int i, sim_rolling_memory *m)
{
    const sim_rolling *r = &w->step.rolling[i];
    const sim_contact *c = &w->step.contacts[i];

    slip_mat3_tvec(c->site.frame, r->impulse, m->impulse);
    slip_mat3_tvec(c->site.frame, r->spin, m->spin);
}

/* ---- blocks ------------------------------------------------------------------------------------------------ */

/* One block of an island. */
typedef struct {
    int contact;                     /* the first point of its patch: its place in the island ...           */
    sim_contact *c;                  /* ... and itself                                                      */
    sim_rolling *r;
    int kind;                        /* SIM_ROLLS_...; 0: before the first block                            */
    int block;                       /* of the problem                                                      */
} rolling_block;

static rolling_block rolling_first(const slip_island *island)
{
    const rolling_block b = { -1, NULL, NULL, SIM_ROLLS_ABOUT, island->to - island->from - 1 };

    return b;
}

/* The next block: contact by contact, first across, then about the normal. 0 at the end. */
static int rolling_next(const slip_world *w, const slip_island *island, rolling_block *b)
{
    for (;;) {
        if (b->kind == SIM_ROLLS_ACROSS) b->kind = SIM_ROLLS_ABOUT;
        else {
            b->contact += 1;
            b->kind = SIM_ROLLS_ACROSS;
            if (b->contact == island->to - island->from) return 0;
            b->c = &w->step.contacts[w->step.order[island->from + b->contact]];
            b->r = &w->step.rolling[w->step.order[island->from + b->contact]];
        }
        if (b->r->points > 0 && (b->kind == SIM_ROLLS_ACROSS ? b->r->rolling : b->r->torsion) > 0) break;
    }
    b->block += 1;
    return 1;
}

int slip_sim_rolling_owner(const slip_world *w, const slip_island *island, int i)
{
    rolling_block b = rolling_first(island);

    while (rolling_next(w, island, &b)) if (b.block == i) return b.contact;
    return 0;
}

void slip_sim_rolling_sites(slip_world *w, const slip_island *island)
{
    rolling_block b = rolling_first(island);

    while (rolling_next(w, island, &b)) {
        const slip_real *frame = b.c->site.frame;
        slip_contact_site site = b.c->site;

        b.r->scale = rolling_scale(w, &site, slip_max(b.r->torsion, b.r->rolling));
        slip_scale3(b.r->scale, b.kind == SIM_ROLLS_ACROSS ? frame : frame + 6, site.frame);
        slip_zero3(site.frame + 3);
        slip_zero3(site.frame + 6);
        if (b.kind == SIM_ROLLS_ACROSS) slip_scale3(b.r->scale, frame + 3, site.frame + 3);
        slip_assembly_angular_contact(&w->step.assembly, &site);    /* there is room: world_count_blocks() */
    }
}

/* The normal impulse of a block's patch in the step: w->rows.lambda and impacts, which turn bodies as well. */
static slip_real rolling_normal(const slip_world *w, const slip_island *island, const rolling_block *b)
{
    slip_real sum = 0;
    int i;

    for (i = b->contact; i < b->contact + b->r->points; ++i) {
        sum += w->rows.lambda[3*i + 2];
        if (w->step.any_impact) sum += w->step.contacts[w->step.order[island->from + i]].impact[2];
    }
    return slip_max(0, sum);
}

/* Velocity and impulse that the island's normal rows have at most. */
typedef struct { slip_real speed, impulse; } rolling_size;

/* Normal rows of a block: bound s, sliding at `speed` [m/s]. If the island has no speed or impulse yet, the value of R
 * does not matter. */
static void rolling_bound(slip_world *w, const rolling_block *b, const rolling_size *size, slip_real s, slip_real speed)
{
    const int row = 3*b->block, about = b->kind == SIM_ROLLS_ABOUT;
    const slip_real least = ROLLING_EXACT*size->impulse;
    const slip_real R = size->speed > 0 && least > 0 ? size->speed/slip_max(s, least)
                      : slip_max(1, slip_sim_free_mobility(w, b->c->site.body_b, 0));

    w->rows.R[row] = 0;
    w->rows.R[row + 1] = about ? R : 0;                  /* its second row moves nothing either */
    w->rows.R[row + 2] = R;
    w->rows.g[row + 2] = -R*s + (w->opt.solver->model == SLIP_MODEL_CCP ? w->rows.mu[b->block]*speed : 0);
    w->rows.lambda[row + 2] = s;
    w->rows.dual[row + 2] = w->rows.mu[b->block]*speed;
}

static rolling_size rolling_size_of(const slip_world *w, const slip_island *island)
{
    rolling_size size = { 0, 0 };
    int i;

    for (i = 0; i < island->to - island->from; ++i) {
        const sim_contact *c = &w->step.contacts[w->step.order[island->from + i]];
        const slip_real impulse = w->rows.lambda[3*i + 2] + (w->step.any_impact ? c->impact[2] : 0);

        size.speed = slip_max(size.speed, slip_abs(w->rows.g[3*i + 2]));
        size.impulse = slip_max(size.impulse, impulse);
    }
    return size;
}

void slip_sim_rolling_rows(slip_world *w, const slip_island *island)
{
    const rolling_size size = rolling_size_of(w, island);
    rolling_block b = rolling_first(island);

    while (rolling_next(w, island, &b)) {
        const slip_real scale = b.r->scale, *impulse = b.r->impulse, *spin = b.r->spin;
        const int row = 3*b.block, about = b.kind == SIM_ROLLS_ABOUT;
        slip_real *lambda = w->rows.lambda + row, *dual = w->rows.dual + row;

        w->rows.mu[b.block] = (about ? b.r->torsion : b.r->rolling)/scale;
        w->rows.distance[b.block] = 0;
        lambda[0] = (about ? impulse[2] : impulse[0])/scale;
        lambda[1] = about ? 0 : impulse[1]/scale;
        dual[0] = scale*(about ? spin[2] : spin[0]);
        dual[1] = about ? 0 : scale*spin[1];
        rolling_bound(w, &b, &size, rolling_normal(w, island, &b), slip_norm2(dual));
        w->rows.compliant = 1;
    }
}

void slip_sim_rolling_store(slip_world *w, const slip_island *island)
{
    rolling_block b = rolling_first(island);

    while (rolling_next(w, island, &b)) {
        const slip_real *lambda = w->rows.lambda + 3*b.block, *sigma = w->rows.sigma + 3*b.block, scale = b.r->scale;

        if (b.kind == SIM_ROLLS_ABOUT) {
            b.r->impulse[2] = scale*lambda[0];
            b.r->spin[2] = sigma[0]/scale;
        } else {
            slip_set3(scale*lambda[0], scale*lambda[1], b.r->impulse[2], b.r->impulse);
            slip_set3(sigma[0]/scale, sigma[1]/scale, b.r->spin[2], b.r->spin);
        }
    }
}

/* ---- rounds ------------------------------------------------------------------------------------------------ */

/* Whether a block's torque exceeds its bound `most`, or slides with less than it. */
static int rolling_is_wrong(const slip_world *w, const rolling_block *b, const rolling_size *size, slip_real most)
{
    const slip_real *lambda = w->rows.lambda + 3*b->block, mu = w->rows.mu[b->block], torque = slip_norm2(lambda);
    const slip_real slack = mu*ROLLING_EXACT*slip_max(most, size->impulse);

    if (torque > mu*most + slack) return 1;
    return torque < mu*most - slack && torque >= mu*lambda[2] - slack;
}

int slip_sim_rolling_check(slip_world *w, const slip_island *island, int round)
{
    const rolling_size size = rolling_size_of(w, island);
    rolling_block b = rolling_first(island);
    const sim_contact *first = NULL;
    int wrong = 0;

    while (rolling_next(w, island, &b)) {
        if (!rolling_is_wrong(w, &b, &size, rolling_normal(w, island, &b))) continue;
        if (wrong++ == 0) first = b.c;
    }
    if (wrong == 0) return 0;
    if (round == SIM_ROLLING_ROUNDS) {
        w->stats.unbounded += wrong;
        if (w->error.status == SLIP_OK)
            slip_fail(&w->error, SLIP_MAX_ITERS, 0, 0, "torsional or rolling frictions that do not fit the normal "
                      "forces: %d, the first where '%s' and '%s' touch", wrong, slip_sim_collider_name(w, first->a),
                      slip_sim_collider_name(w, first->b));
        return 0;
    }
    for (b = rolling_first(island); rolling_next(w, island, &b); ) {
        const slip_real now = rolling_normal(w, island, &b);
        const slip_real s = round < ROLLING_WHOLE ? now : (now + w->rows.lambda[3*b.block + 2])/2;

        rolling_bound(w, &b, &size, s, slip_norm2(w->rows.sigma + 3*b.block));
    }
    return 1;
}
