/* What varies in a rollout, and one run of it. See rollout.h. */
#include "rollout.h"
#include "run_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what varies ------------------------------------------------------------------------------------------------ */

/* What a name means, and within which bounds its numbers have to be. */
static const struct { const char *word, *of; double least, most; } vary_kinds[] = {
    [ROLLOUT_MU]          = { "mu", "surface", 0, 1e6 },
    [ROLLOUT_RESTITUTION] = { "restitution", "surface", 0, 1 },
    [ROLLOUT_MASS]        = { "mass", "link", 1e-6, 1e6 },
    [ROLLOUT_GRAVITY]     = { "gravity", NULL, 0, 1e6 },
    [ROLLOUT_Q]           = { "q", "joint", -1e6, 1e6 },
    [ROLLOUT_V]           = { "v", "joint", -1e6, 1e6 },
    [ROLLOUT_X]           = { "x", "free link", -1e6, 1e6 },
    [ROLLOUT_Y]           = { "y", "free link", -1e6, 1e6 },
    [ROLLOUT_Z]           = { "z", "free link", -1e6, 1e6 },
    [ROLLOUT_KP]          = { "kp", NULL, 0, 1e6 },
    [ROLLOUT_KD]          = { "kd", NULL, 0, 1e6 },
};
enum { VARY_KINDS = (int)(sizeof vary_kinds/sizeof *vary_kinds) };

static int vary_surface(const slip_scene *scene, const char *name)
{
    int i;

    for (i = 0; i < scene->world.nmaterials; ++i) if (strcmp(scene->surfaces[i], name) == 0) return i;
    return -1;
}

/* The place in q of the position of a link that floats; -1 when it does not. */
static int vary_free(const slip_model *m, const char *name)
{
    const int link = slip_model_find_link(m, name), body = link >= 0 ? m->link_body[link] : 0;

    return body > 0 && m->type[body] == SLIP_JOINT_FLOATING ? m->iq[body] : -1;
}

/* The index that a name stands for; -1 when there is none. */
static int vary_index(const rollout *r, rollout_kind kind, const char *name)
{
    const slip_scene *scene = &r->session.scene;
    slip_joint_place place;

    if (kind == ROLLOUT_MU || kind == ROLLOUT_RESTITUTION) return vary_surface(scene, name);
    if (kind == ROLLOUT_MASS) return slip_model_find_link(scene->model, name);
    if (kind >= ROLLOUT_X && kind <= ROLLOUT_Z) {
        const int iq = vary_free(scene->model, name);

        return iq < 0 ? -1 : iq + (int)kind - ROLLOUT_X;
    }
    if (slip_model_find_place(scene->model, name, &place) < 0 || place.nv != 1) return -1;
    return kind == ROLLOUT_Q ? place.iq : place.iv;
}

/* "KIND[:NAME]=LO:HI" in text[0..length). */
static int vary_one(const char *command, const char *text, int length, rollout *r)
{
    const char *equals = (const char *)memchr(text, '=', (size_t)length), *end = text + length, *colon, *number;
    rollout_varied *v = &r->varied[r->nvaried];
    char name[ROLLOUT_NAME];
    int k, n, ok;

    if (r->nvaried == ROLLOUT_MOST_VARIED)
        return cli_fail(command, "--vary: more than %d quantities", ROLLOUT_MOST_VARIED), 0;
    if (!equals || equals - text >= ROLLOUT_NAME)
        return cli_fail(command, "--vary: '%.*s' is not KIND=LO:HI or KIND:NAME=LO:HI", length, text), 0;
    slip_format(name, (int)sizeof name, "%.*s", (int)(equals - text), text);
    slip_format(v->name, (int)sizeof v->name, "%s", name);
    for (k = 0; k < r->nvaried; ++k)
        if (strcmp(r->varied[k].name, name) == 0) return cli_fail(command, "--vary: '%s' is there twice", name), 0;
    colon = strchr(name, ':');
    if (colon) name[colon - name] = '\0';
    for (k = 0; k < VARY_KINDS && strcmp(vary_kinds[k].word, name) != 0; ++k) { }
    if (k == VARY_KINDS)
        return cli_fail(command, "--vary: unknown '%s'; expected mu, restitution, mass, gravity, q, v, x, y, z, kp or "
                        "kd", name), 0;
    v->kind = (rollout_kind)k;
    v->index = -1;
    if (colon && !vary_kinds[k].of)
        return cli_fail(command, "--vary: '%s' has no parts, such as ':%s'", name, colon + 1), 0;
    if (colon && (v->index = vary_index(r, v->kind, colon + 1)) < 0)
        return cli_fail(command, "--vary: the scene has no %s '%s'%s", vary_kinds[k].of, colon + 1,
                        strcmp(vary_kinds[k].of, "joint") == 0 ? " of one freedom" : ""), 0;
    if (!colon && k >= ROLLOUT_Q && vary_kinds[k].of)
        return cli_fail(command, "--vary: '%s' of which %s? '%s:NAME=LO:HI'", name, vary_kinds[k].of, name), 0;
    number = equals + 1;
    n = slip_read_double(number, (int)(end - number), &v->lo);
    ok = n > 0 && number + n < end && number[n] == ':';
    if (ok) {
        number += n + 1;
        n = slip_read_double(number, (int)(end - number), &v->hi);
        ok = n > 0 && number + n == end;
    }
    if (!ok || !(v->lo >= vary_kinds[k].least && v->hi <= vary_kinds[k].most && v->lo <= v->hi))
        return cli_fail(command, "--vary: '%.*s': expected LO:HI with %g <= LO <= HI <= %g", length, text,
                        vary_kinds[k].least, vary_kinds[k].most), 0;
    ++r->nvaried;
    return 1;
}

int rollout_vary(const char *command, const char *text, rollout *r)
{
    int i;

    for (;;) {
        const char *comma = strchr(text, ',');
        const int length = (int)(comma ? comma - text : (long)strlen(text));

        if (!vary_one(command, text, length, r)) return 0;
        if (!comma) break;
        text = comma + 1;
    }
    for (i = 0; i < r->nvaried; ++i)
        if ((r->varied[i].kind == ROLLOUT_MASS || r->varied[i].kind == ROLLOUT_GRAVITY) && !r->model_block) {
            r->model_bytes = 2*r->session.scene_bytes + ((size_t)1 << 16);     /* the model is a part of the scene */
            r->model_block = cli_alloc(r->model_bytes);
        }
    return 1;
}

/* ---- one run ---------------------------------------------------------------------------------------------------- */

slip_random rollout_random(const rollout *r, int run, int stream)
{
    const int word[3] = { r->seed, run, stream };
    unsigned char key[12];
    int i;

    for (i = 0; i < 12; ++i) key[i] = (unsigned char)(word[i/4] >> 8*(i % 4));
    return slip_random_seed(log_hash(key, sizeof key));
}

/* What a run draws, in the order of --vary. */
static void run_draw(const rollout *r, int run, double *x)
{
    slip_random rng = rollout_random(r, run, 0);
    int i;

    for (i = 0; i < r->nvaried; ++i)
        x[i] = r->varied[i].lo + (r->varied[i].hi - r->varied[i].lo)*(double)slip_random_uniform(&rng, 0, 1);
}

static void run_scale_link(slip_link_def *l, double factor)
{
    int k;

    l->mass *= (slip_real)factor;
    for (k = 0; k < 6; ++k) l->inertia[k] *= (slip_real)factor;
}

/* A model and a world with other masses or gravity, in place of those of the run before. */
static slip_status run_remodel(rollout *r, const double *x)
{
    sim_session *s = &r->session;
    slip_scene scene = s->scene;
    slip_arena mem = slip_arena_over(r->model_block, r->model_bytes);
    slip_link_def *links = (slip_link_def *)slip_arena_take(&mem, (size_t)scene.def.nlinks, sizeof *links);
    slip_status status;
    int i, k;

    if (!links) return SLIP_ERR_WORKSPACE;
    memcpy(links, scene.def.links, (size_t)scene.def.nlinks*sizeof *links);
    scene.def.links = links;
    for (i = 0; i < r->nvaried; ++i) {
        if (r->varied[i].kind == ROLLOUT_GRAVITY)
            for (k = 0; k < 3; ++k) scene.def.gravity[k] *= (slip_real)x[i];
        if (r->varied[i].kind != ROLLOUT_MASS) continue;
        for (k = 0; k < scene.def.nlinks; ++k)
            if (r->varied[i].index < 0 || r->varied[i].index == k) run_scale_link(&links[k], x[i]);
    }
    status = slip_model_build(&scene.def, &mem, &scene.model, NULL, NULL);
    if (status < 0) return status;
    scene.world.model = s->scene.model = s->scene.world.model = scene.model;
    mem = slip_arena_over(s->world_block, s->world_bytes);
    status = slip_scene_start(&scene, &mem, &s->world, NULL, NULL);
    if (status >= 0) slip_world_set_control(s->world, sim_control, s);
    return status;
}

/* One quantity of the world as a run drew it. */
static void run_set(rollout *r, const rollout_varied *v, double x)
{
    const slip_model *m = r->session.scene.model;
    slip_world *w = r->session.world;
    slip_material_pair pair;
    slip_material material;
    int i;

    switch (v->kind) {
    case ROLLOUT_MU:
    case ROLLOUT_RESTITUTION:
        for (i = 0; i < r->session.scene.world.nmaterials; ++i) {
            if (v->index >= 0 && v->index != i) continue;
            material = *slip_world_material(w, i);
            *(v->kind == ROLLOUT_MU ? &material.friction : &material.restitution) = (slip_real)x;
            slip_world_set_material(w, i, &material);
        }
        for (i = 0; i < r->session.scene.world.nmaterial_pairs && v->index < 0; ++i) {
            pair = *slip_world_material_pair(w, i);
            *(v->kind == ROLLOUT_MU ? &pair.material.friction : &pair.material.restitution) = (slip_real)x;
            slip_world_set_material_pair(w, i, &pair.material);
        }
        break;
    case ROLLOUT_Q:
    case ROLLOUT_X:
    case ROLLOUT_Y:
    case ROLLOUT_Z: slip_world_q(w)[v->index] += (slip_real)x;  break;
    case ROLLOUT_V: slip_world_v(w)[v->index] += (slip_real)x;  break;
    case ROLLOUT_KP: for (i = 0; i < m->nv; ++i) slip_world_drive(w, i)->kp *= (slip_real)x;  break;
    case ROLLOUT_KD: for (i = 0; i < m->nv; ++i) slip_world_drive(w, i)->kd *= (slip_real)x;  break;
    default: break;
    }
}

/* The world at the start of a run. */
static slip_status run_begin(rollout *r, int run, const double *x)
{
    sim_session *s = &r->session;
    slip_status status;
    int i;

    if (r->model_block) status = run_remodel(r, x);
    else status = slip_snapshot_restore(s->world, s->snapshot, slip_snapshot_bytes(s->world));
    if (status < 0) return status;
    for (i = 0; i < r->nvaried; ++i) run_set(r, &r->varied[i], x[i]);
    s->controller.update = rollout_policy_update;
    s->controller.context = r;
    rollout_policy_begin(r, run);
    return SLIP_OK;
}

/* Sums and extremes over the steps. */
typedef struct { double contacts, penetration, residual; int contacts_max; uint64_t missed, dropped; } run_totals;

static void run_count(const slip_step_stats *t, run_totals *sum)
{
    sum->contacts += t->contacts;
    if (t->contacts > sum->contacts_max) sum->contacts_max = t->contacts;
    if ((double)t->penetration > sum->penetration) sum->penetration = (double)t->penetration;
    if ((double)t->residual.eps_abs > sum->residual) sum->residual = (double)t->residual.eps_abs;
    sum->missed += t->status > 0 && t->status != SLIP_DROPPED;
    sum->dropped += (uint64_t)t->dropped;
}

/* The bits of a number; all NaNs are one. */
static uint64_t run_bits(double x)
{
    uint64_t bits;

    if (x != x) return UINT64_C(0x7ff8000000000000);
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double run_energy_now(rollout *r, slip_real com[3])
{
    slip_real kinetic, potential;

    slip_world_energy(r->session.world, &kinetic, &potential);
    slip_center_of_mass(r->session.scene.model, slip_world_data(r->session.world), com);
    return (double)(kinetic + potential);
}

void rollout_run(rollout *r, int run, uint64_t *row)
{
    const slip_model *m = r->session.scene.model;
    uint64_t *out = row + 1 + r->nvaried;
    double x[ROLLOUT_MOST_VARIED], energy;
    slip_real com[3] = { 0, 0, 0 };
    slip_status status;
    run_totals sum;
    long k = 0;
    int i;

    memset(row, 0, (size_t)r->ncolumns*sizeof *row);
    memset(&sum, 0, sizeof sum);
    run_draw(r, run, x);
    row[0] = (uint64_t)run;
    for (i = 0; i < r->nvaried; ++i) row[1 + i] = run_bits(x[i]);
    status = run_begin(r, run, x);
    if (status < 0) {                                            /* nothing was run */
        out[ROLLOUT_STATUS] = (uint64_t)(int64_t)status;
        return;
    }
    m = r->session.scene.model;
    energy = run_energy_now(r, com);
    out[ROLLOUT_ENERGY_START] = run_bits(energy);
    for (; k < r->session.steps && status >= 0; ++k) {
        status = slip_step(r->session.world);
        if (status < 0) break;
        run_count(slip_world_stats(r->session.world), &sum);
    }
    out[ROLLOUT_HASH] = log_hash_step(0, r->session.world);
    for (i = 0; r->states && i < m->nq + m->nv; ++i)
        out[ROLLOUT_RESULTS + i] = run_bits((double)(i < m->nq ? slip_world_q(r->session.world)[i]
                                                   : slip_world_v(r->session.world)[i - m->nq]));
    energy = run_energy_now(r, com);
    out[ROLLOUT_STATUS] = (uint64_t)(int64_t)(status < 0 ? status : SLIP_OK);
    out[ROLLOUT_STEPS] = (uint64_t)k;
    out[ROLLOUT_MISSED] = sum.missed;
    out[ROLLOUT_DROPPED] = sum.dropped;
    out[ROLLOUT_CONTACTS_MEAN] = run_bits(k > 0 ? sum.contacts/(double)k : 0);
    out[ROLLOUT_CONTACTS_MAX] = (uint64_t)sum.contacts_max;
    out[ROLLOUT_PENETRATION] = run_bits(sum.penetration);
    out[ROLLOUT_RESIDUAL] = run_bits(sum.residual);
    out[ROLLOUT_ENERGY_END] = run_bits(energy);
    for (i = 0; i < 3; ++i) out[ROLLOUT_COM_X + i] = run_bits((double)com[i]);
}

const char *rollout_column(const rollout *r, int column, char name[ROLLOUT_NAME], int *type)
{
    static const struct { const char *name; int type; } results[ROLLOUT_RESULTS] = {
        { "status", 'i' }, { "steps", 'i' }, { "missed", 'i' }, { "dropped", 'i' }, { "contacts_mean", 'f' },
        { "contacts_max", 'i' }, { "penetration_max", 'f' }, { "residual_max", 'f' }, { "energy_start", 'f' },
        { "energy_end", 'f' }, { "com_x", 'f' }, { "com_y", 'f' }, { "com_z", 'f' }, { "hash", 'h' } };
    const int k = column - 1 - r->nvaried, nq = r->session.scene.model->nq, i = k - ROLLOUT_RESULTS;

    *type = 'f';
    if (column == 0) { *type = 'i'; slip_format(name, ROLLOUT_NAME, "run"); }
    else if (k < 0) slip_format(name, ROLLOUT_NAME, "%s", r->varied[column - 1].name);
    else if (k < ROLLOUT_RESULTS) { *type = results[k].type; slip_format(name, ROLLOUT_NAME, "%s", results[k].name); }
    else slip_format(name, ROLLOUT_NAME, "%s%d", i < nq ? "q" : "v", i < nq ? i : i - nq);
    return name;
}
