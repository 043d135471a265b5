/* What a step that is differentiated does on its way: impacts with restitution, round by round, and the impulses that
 * were found before trees were hit (free_velocity.c). slip_step() calls these functions. */
#include "sim/step_derivatives_private.h"

#include <string.h>

static void sd_carve_stage(const slip_world *w, slip_arena *mem, sim_stage *s)
{
    const size_t nc = (size_t)w->opt.max_contacts, nl = (size_t)w->fixed.max_limits, nv = (size_t)w->model->nv;

    s->base = (slip_real *)slip_arena_scratch(mem, nv, sizeof *s->base);
    s->change = (slip_real *)slip_arena_scratch(mem, nv, sizeof *s->base);
    s->impulse = (slip_real *)slip_arena_scratch(mem, 3*nc, sizeof *s->base);
    s->sigma = (slip_real *)slip_arena_scratch(mem, 3*nc, sizeof *s->base);
    s->row_b = (slip_real *)slip_arena_scratch(mem, 3*nc, sizeof *s->base);
    s->limit_impulse = (slip_real *)slip_arena_scratch(mem, nl, sizeof *s->base);
    s->limit_sign = (slip_real *)slip_arena_scratch(mem, nl, sizeof *s->base);
    s->limit_iv = (int *)slip_arena_scratch(mem, nl, sizeof(int));
    s->part = (int *)slip_arena_scratch(mem, nc, sizeof(int));
    s->limit_part = (int *)slip_arena_scratch(mem, nl, sizeof(int));
}

static sim_notes *sd_notes(sim_watch *watch) { return (sim_notes *)(void *)watch; }

/* The limits of a stage, and their impulses as they are remembered. */
static void sd_note_limits(const slip_world *w, sim_stage *s)
{
    int k;

    s->nl = w->step.nlimits;
    for (k = 0; k < s->nl; ++k) {
        s->limit_iv[k] = w->step.limit_iv[k];
        s->limit_sign[k] = w->step.limit_sign[k];
        s->limit_impulse[k] = w->state.limit_impulse[2*s->limit_iv[k] + (s->limit_sign[k] < 0)];
        s->limit_part[k] = 1;
    }
}

/* The answer of the step's own rows, as contacts and limits have it now. */
void slip_sim_d_note_rows(const slip_world *w, const slip_real *v_free, sim_stage *s)
{
    int k;

    s->impact = 0;
    memcpy(s->base, v_free, (size_t)w->model->nv*sizeof *s->base);
    memcpy(s->change, w->step.dv_contact, (size_t)w->model->nv*sizeof *s->base);
    for (k = 0; k < w->step.ncontacts; ++k) {
        const sim_contact *c = &w->step.contacts[k];

        slip_copy3(c->impulse, s->impulse + 3*k);
        slip_copy3(c->sigma, s->sigma + 3*k);
        slip_copy3(c->row_b, s->row_b + 3*k);
        s->part[k] = 1;
    }
    sd_note_limits(w, s);
}

static void sd_note_round(sim_watch *watch, const slip_world *w, const slip_real *v_free, int k)
{
    sim_notes *notes = sd_notes(watch);
    sim_stage *s = &notes->impact[k < SD_ROUNDS ? k : SD_ROUNDS - 1];
    int i;

    if (k == 0) memcpy(notes->vf, v_free, (size_t)w->model->nv*sizeof *v_free);
    notes->rounds = k + 1;
    if (k >= SD_ROUNDS) return;
    s->impact = 1;
    memcpy(s->base, w->step.nv_scratch, (size_t)w->model->nv*sizeof *s->base);
    sd_note_limits(w, s);
    for (i = 0; i < s->nl; ++i) {
        s->limit_impulse[i] = 0;
        s->limit_part[i] = 0;
    }
    for (i = 0; i < w->step.ncontacts; ++i) {
        slip_zero3(s->impulse + 3*i);
        slip_zero3(s->sigma + 3*i);
        s->part[i] = 0;
    }
}

/* Rows are in the order of rows.c: contacts, then the island's limits. bounded: the law has scaled the restitution. */
static void sd_note_impact(sim_watch *watch, const slip_world *w, const slip_island *island)
{
    sim_notes *notes = sd_notes(watch);
    sim_stage *s = notes->impact;
    int i, r = 0;

    if (notes->rounds > SD_ROUNDS) return;
    s += notes->rounds - 1;
    for (i = island->from; i < island->to; ++i, r += 3) {
        const int k = w->step.order[i];
        const sim_contact *c = &w->step.contacts[k];
        const slip_real before = w->step.impact_before[r + 2], bounce = (1 + c->restitution)*before;

        slip_copy3(w->rows.lambda + r, s->impulse + 3*k);
        slip_copy3(w->rows.sigma + r, s->sigma + 3*k);
        s->part[k] = c->struck ? 2 : 1;
        notes->bounded |= c->struck && slip_abs(w->rows.g[r + 2] - bounce) > 16*SLIP_REAL_EPS*slip_abs(bounce);
    }
    for (i = 0; i < s->nl; ++i) {
        if (!slip_sim_island_has((slip_world *)w, island, w->fixed.iv_body[s->limit_iv[i]], 0)) continue;
        s->limit_impulse[i] = w->rows.lambda[r++];
        s->limit_part[i] = 1;
    }
}

static void sd_note_hit(sim_watch *watch, const slip_world *w, const slip_real *v_free)
{
    sim_notes *notes = sd_notes(watch);

    if (!w->step.any_impact) memcpy(notes->vf, v_free, (size_t)w->model->nv*sizeof *v_free);
    slip_sim_d_note_rows(w, v_free, &notes->before_hit);
    notes->hits += 1;
}

/* 0: too little memory. */
int slip_sim_d_notes(const slip_world *w, slip_arena *mem, sim_notes *notes)
{
    const int failed_before = mem->failed;
    int k, ok;

    mem->failed = 0;
    notes->watch.round = sd_note_round;
    notes->watch.impact = sd_note_impact;
    notes->watch.hit = sd_note_hit;
    notes->rounds = notes->hits = notes->bounded = 0;
    notes->vf = (slip_real *)slip_arena_scratch(mem, (size_t)w->model->nv, sizeof *notes->vf);
    for (k = 0; k < SD_ROUNDS; ++k) sd_carve_stage(w, mem, &notes->impact[k]);
    sd_carve_stage(w, mem, &notes->before_hit);
    sd_carve_stage(w, mem, &notes->last);
    ok = !mem->failed;
    if (ok) mem->failed = failed_before;
    return ok;
}
