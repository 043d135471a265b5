/* Snapshots: the state and the inputs of a world as one flat copy. A copy may come from a file that somebody changed,
 * so every count, index and number that a step relies on is checked before the world is touched. Positions,
 * velocities, forces and drives are not: a program may write anything there, and slip_step() checks them. */
#include "sim/world_private.h"

#include <stddef.h>
#include <string.h>

typedef struct { uint32_t mark, bytes; uint64_t fingerprint; int nq, nv; } snapshot_head;

/* A copy that is not yet trusted: `from` is that of w->state.block, not aligned. */
typedef struct { const slip_world *w; const unsigned char *from; } snapshot_view;

/* ---- which world ------------------------------------------------------------------------------------------------- */

/* 64-bit FNV-1a, continued from `hash`. */
static uint64_t snapshot_mix(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *at = (const unsigned char *)bytes;
    size_t i;

    for (i = 0; i < n; ++i) hash = (hash ^ at[i])*UINT64_C(1099511628211);
    return hash;
}

static uint64_t snapshot_mix_int(uint64_t hash, int x) { return snapshot_mix(hash, &x, sizeof x); }

/* With the final 0; NULL is "". Nothing else in a step or a world's making needs strlen(), 220 bytes on a Cortex-M4. */
static uint64_t snapshot_mix_text(uint64_t hash, const char *text)
{
    if (!text) text = "";
    do hash = snapshot_mix(hash, text, 1); while (*text++);
    return hash;
}

uint64_t slip_sim_fingerprint(const slip_world *w)
{
    const slip_model *m = w->model;
    const int count[] = { (int)sizeof(slip_real), m->nq, m->nv, m->nbodies, m->nlinks, m->njoints, w->fixed.ncolliders,
                          slip_sim_loop_count(w), w->opt.max_contacts };
    uint64_t h = snapshot_mix(UINT64_C(14695981039346656037), count, sizeof count);
    int i;

    h = snapshot_mix(h, m->parent, (size_t)m->nbodies*sizeof *m->parent);
    h = snapshot_mix(h, m->iq, (size_t)m->nbodies*sizeof *m->iq);
    for (i = 0; i < m->nlinks; ++i) h = snapshot_mix_int(snapshot_mix_text(h, m->link_name[i]), m->link_body[i]);
    for (i = 0; i < m->njoints; ++i) h = snapshot_mix_int(snapshot_mix_text(h, m->joint_name[i]), m->joint_type[i]);
    for (i = 0; i < w->fixed.ncolliders; ++i) {
        h = snapshot_mix_int(snapshot_mix_int(h, w->fixed.colliders[i].link), (int)w->fixed.colliders[i].shape.kind);
        h = snapshot_mix_text(h, w->fixed.colliders[i].name);
    }
    for (i = 0; i < slip_sim_loop_count(w); ++i) {
        h = snapshot_mix_int(snapshot_mix_text(h, w->fixed.loops[i].def.name), (int)w->fixed.loops[i].def.kind);
        h = snapshot_mix_int(snapshot_mix_int(h, w->fixed.loops[i].def.link_a), w->fixed.loops[i].def.link_b);
    }
    return h;
}

static snapshot_head snapshot_head_of(const slip_world *w)
{
    snapshot_head h;

    memset(&h, 0, sizeof h);
    h.mark = UINT32_C(0x534c4950);
    h.bytes = (uint32_t)w->state.bytes;
    h.fingerprint = w->fixed.fingerprint;
    h.nq = w->model->nq;
    h.nv = w->model->nv;
    return h;
}

static slip_status snapshot_check_head(slip_world *w, const void *from, size_t bytes)
{
    const snapshot_head mine = snapshot_head_of(w);
    snapshot_head h;

    memset(&h, 0, sizeof h);
    if (from && bytes >= sizeof h) memcpy(&h, from, sizeof h);
    if (h.mark != mine.mark)
        return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "this is no snapshot of a world");
    if (h.nq != mine.nq || h.nv != mine.nv)
        return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "the snapshot is of another world: its q and v have %d "
                         "and %d numbers, this one's %d and %d", h.nq, h.nv, mine.nq, mine.nv);
    if (h.bytes != mine.bytes || h.fingerprint != mine.fingerprint)
        return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "the snapshot is of another world: its links, joints, "
                         "colliders, loops or max_contacts differ from this one's");
    if (bytes != slip_snapshot_bytes(w))
        return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "the snapshot has %lu bytes, expected %lu",
                         (unsigned long)bytes, (unsigned long)slip_snapshot_bytes(w));
    return SLIP_OK;
}

/* ---- its numbers ------------------------------------------------------------------------------------------------- */

/* *to <- the copy of `field`, which is in the world's block. */
static void snapshot_get(const snapshot_view *s, const void *field, void *to, size_t bytes)
{
    memcpy(to, s->from + ((const unsigned char *)field - s->w->state.block), bytes);
}

static int snapshot_reals_within(const snapshot_view *s, const slip_real *field, int n, slip_real most)
{
    slip_real x;
    int i;

    for (i = 0; i < n; ++i) {
        snapshot_get(s, field + i, &x, sizeof x);
        if (!(slip_abs(x) <= most)) return 0;
    }
    return 1;
}

static int snapshot_ints_within(const snapshot_view *s, const int *field, int n, int least, int most)
{
    int i, x;

    for (i = 0; i < n; ++i) {
        snapshot_get(s, field + i, &x, sizeof x);
        if (x < least || x > most) return 0;
    }
    return 1;
}

static slip_status snapshot_bad(slip_world *w, const char *what)
{
    return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "the snapshot is damaged: %s", what);
}

/* Time, counts, and work; next_a and next_b are only compared with others. */
static slip_status snapshot_check_progress(slip_world *w, const snapshot_view *s)
{
    sim_progress p;
    int b, x, prescribed = 0;

    snapshot_get(s, w->state.progress, &p, sizeof p);
    if (!slip_is_finite(p.time) || !slip_is_finite(p.since) || !(p.dt >= 0 && slip_is_finite(p.dt)) || p.steps < 0)
        return snapshot_bad(w, "its time, time step or number of steps is out of range");
    if (p.nmemory < 0 || p.nmemory > w->opt.max_contacts)
        return snapshot_bad(w, "its number of contacts is negative or larger than max_contacts");
    if (p.nbelts < 0 || p.nbelts > w->fixed.ncolliders)
        return snapshot_bad(w, "its number of moving surfaces is not one of this world's");
    for (b = 0; b < w->model->nbodies; ++b) {
        snapshot_get(s, w->input.prescribed + b, &x, sizeof x);
        if (x != SIM_FREE && (b == 0 || w->model->mimics[b]))
            return snapshot_bad(w, "it prescribes the motion of a joint that has none of its own");
        prescribed += x != SIM_FREE;
    }
    if (p.nprescribed != prescribed) return snapshot_bad(w, "its number of prescribed joints is wrong");
    if (p.problem_rows < 0 || !(p.rho >= 0 && slip_is_finite(p.rho)))
        return snapshot_bad(w, "its ADMM penalty or number of rows is out of range");
    if (0*p.work.drives + 0*p.work.external + 0*p.work.damping + 0*p.work.friction + 0*p.work.limits + 0*p.work.loops
        + 0*p.work.contacts != 0)                        /* 0 x NaN, 0 x infinity: NaN */
        return snapshot_bad(w, "its work is not a number");
    return SLIP_OK;
}

/* Remembered contacts are of colliders of this world and sorted by pair. */
static slip_status snapshot_check_memory(slip_world *w, const snapshot_view *s)
{
    const int reals = (int)((sizeof(sim_memory) - offsetof(sim_memory, point))/sizeof(slip_real));
    sim_progress p;
    sim_memory m, last;
    int i;

    memset(&last, 0, sizeof last);
    snapshot_get(s, w->state.progress, &p, sizeof p);
    for (i = 0; i < p.nmemory; ++i) {
        snapshot_get(s, w->state.memory + i, &m, sizeof m);
        if (m.a < 0 || m.a >= w->fixed.ncolliders || m.b < 0 || m.b >= w->fixed.ncolliders)
            return snapshot_bad(w, "a contact is of a collider that does not exist");
        if (m.a < last.a || (m.a == last.a && m.b < last.b)) return snapshot_bad(w, "its contacts are not sorted");
        if (!snapshot_reals_within(s, w->state.memory[i].point, reals, SLIP_REAL_MAX))
            return snapshot_bad(w, "a contact has a number that is not finite");
        last = m;
    }
    return SLIP_OK;
}

/* Arrays of whole numbers and of reals that a step takes as they are. */
static slip_status snapshot_check_arrays(slip_world *w, const snapshot_view *s)
{
    const int nv = w->model->nv, nq = w->model->nq, nb = w->model->nbodies, nl = slip_sim_loop_count(w);
    const struct { const char *bad; const int *at; int n, least, most; } ints[] = {
        { "a mark of a drive at its limit is not -1, 0 or 1", w->state.saturated, nv, -1, 1 },
        { "a mark of a sliding joint is not -1, 0 or 1", w->state.slides, nv, -1, 1 },
        { "a mark of a prescribed joint is unknown", w->input.prescribed, nb, SIM_FREE, SIM_GIVEN_POSITION },
        { "a number of contacts is out of range", w->state.touching_rest, nb, 0, 2*w->opt.max_contacts },
    };
    const struct { const char *bad; const slip_real *at; int n; slip_real most; } reals[] = {
        { "an impulse of a limit", w->state.limit_impulse, 2*nv, SLIP_REAL_MAX },
        { "a sleep timer", w->state.still, nb, SLIP_REAL_MAX },
        { "energy lost in contacts", w->state.lost, nb, SLIP_REAL_MAX },
        { "a change of velocity", w->state.dv_smooth, nv, SLIP_REAL_MAX },
        { "a change of velocity", w->state.dv_last, nv, SLIP_REAL_MAX },
        { "a change of velocity", w->state.dv_expected, nv, SLIP_REAL_MAX },
        { "a change of velocity", w->state.dv_free_rest, nv, SLIP_REAL_MAX },
        { "a prescribed velocity", w->input.v_given, nv, SLIP_MOST_SPEED },
        { "a prescribed position", w->input.q_given, nq, SLIP_MOST_LENGTH },
        { "a surface velocity", w->state.surface_velocity, 6*w->fixed.ncolliders, SLIP_MOST_SPEED },
        { "rolling friction", (const slip_real *)w->state.rolling,
          w->state.rolling ? 6*w->opt.max_contacts : 0, SLIP_REAL_MAX },
    };
    size_t k;
    int i, on;

    for (k = 0; k < sizeof ints/sizeof *ints; ++k)
        if (!snapshot_ints_within(s, ints[k].at, ints[k].n, ints[k].least, ints[k].most))
            return snapshot_bad(w, ints[k].bad);
    for (k = 0; k < sizeof reals/sizeof *reals; ++k)
        if (!snapshot_reals_within(s, reals[k].at, reals[k].n, reals[k].most))
            return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "the snapshot is damaged: %s is not finite, or larger "
                             "than %g", reals[k].bad, (double)reals[k].most);
    for (i = 0; i < nl; ++i) {
        snapshot_get(s, &w->state.loop_state[i].on, &on, sizeof on);
        if ((on != 0 && on != 1) || !snapshot_reals_within(s, w->state.loop_state[i].impulse, 18, SLIP_REAL_MAX))
            return snapshot_bad(w, "a loop closure has a mark or a number that is out of range");
    }
    return SLIP_OK;
}

/* ---- the interface ----------------------------------------------------------------------------------------------- */

size_t slip_snapshot_bytes(const slip_world *w)
{
    return sizeof(snapshot_head) + w->state.bytes;
}

void slip_snapshot_save(const slip_world *w, void *to)
{
    const snapshot_head h = snapshot_head_of(w);

    memcpy(to, &h, sizeof h);
    memcpy((unsigned char *)to + sizeof h, w->state.block, w->state.bytes);
}

slip_status slip_snapshot_restore(slip_world *w, const void *from, size_t bytes)
{
    slip_status status = snapshot_check_head(w, from, bytes);
    snapshot_view s;

    if (status < 0) return status;
    s.w = w;
    s.from = (const unsigned char *)from + sizeof(snapshot_head);
    status = snapshot_check_progress(w, &s);
    if (status == SLIP_OK) status = snapshot_check_memory(w, &s);
    if (status == SLIP_OK) status = snapshot_check_arrays(w, &s);
    if (status == SLIP_OK) memcpy(w->state.block, s.from, w->state.bytes);
    return status;
}
