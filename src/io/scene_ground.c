/* <ground> and <terrain>: half-spaces, and height fields from a formula, a CSV table or a PGM picture. */
#include "io/scene_private.h"

#include <assert.h>
#include <string.h>
#include "io/heightmap.h"

/* ---- what everything placed has in common ------------------------------------------------------- */

/* The velocity of its surface, as a conveyor's. */
slip_status slip_scene_read_belt(slip_urdf_reader *r, scene_placed *at)
{
    slip_real *u = at->surface_velocity;
    int found;
    slip_status s = slip_urdf_reals_within(r, "surface_velocity", 3, SLIP_MOST_SPEED, "m/s", u, &found);

    if (s == SLIP_OK) s = slip_urdf_reals_within(r, "surface_angular", 3, SLIP_MOST_SPEED, "rad/s", u + 3, &found);
    return s;
}

slip_status slip_scene_read_placed(slip_urdf_reader *r, scene_placed *at, int is_body)
{
    int has_linear = 0, has_angular = 0, has_colour = 0;
    slip_status s = SLIP_OK;

    memset(at, 0, sizeof *at);
    slip_pose_identity(&at->origin);
    at->line = r->xml->line;
    at->column = r->xml->column;
    at->group = 1;
    at->mask = -1;
    if (slip_xml_find(r->xml, "surface")) s = slip_urdf_need_text(r, "surface", &r->kept, &at->surface);
    if (s == SLIP_OK) s = slip_scene_int(r, "group", -0x7fffffff, 0x7fffffff, &at->group, NULL);
    if (s == SLIP_OK) s = slip_scene_int(r, "mask", -0x7fffffff, 0x7fffffff, &at->mask, NULL);
    if (s == SLIP_OK) s = slip_urdf_rgba(r, at->colour, &has_colour);
    if (s == SLIP_OK && is_body)
        s = slip_urdf_reals_within(r, "velocity", 3, SLIP_MOST_SPEED, "m/s", at->velocity, &has_linear);
    if (s == SLIP_OK && is_body)
        s = slip_urdf_reals_within(r, "angular", 3, SLIP_MOST_SPEED, "rad/s", at->angular, &has_angular);
    at->has_colour = has_colour;
    at->moves = has_linear || has_angular;
    return s;
}

static slip_status scene_ground_children(slip_urdf_reader *r, scene_ground *g)
{
    static const slip_urdf_tag tags[] = { { "origin", 0, slip_urdf_read_origin } };

    return slip_urdf_children(r, tags, 1, &g->at);
}

static scene_ground *scene_next_ground(scene_reader *r)
{
    assert(r->n.grounds < r->room.grounds);
    r->grounds[r->n.grounds].when_needed = 0;
    return &r->grounds[r->n.grounds++];
}

slip_status slip_scene_read_ground(slip_urdf_reader *r, void *unused)
{
    scene_ground *g = scene_next_ground(scene_of(r));
    slip_status s = slip_scene_read_placed(r, &g->at, 0);

    (void)unused;
    if (s == SLIP_OK) s = slip_scene_read_belt(r, &g->at);
    if (s == SLIP_OK) s = slip_scene_word(r, "when", "always needed", &g->when_needed, NULL);
    g->shape = slip_shape_halfspace();
    return s < 0 ? s : scene_ground_children(r, g);
}

/* ---- formulas ----------------------------------------------------------------------------------- */

enum { TERRAIN_BUMPS, TERRAIN_WAVES, TERRAIN_STEPS, TERRAIN_BOWL, TERRAIN_FILE };

typedef struct {
    int kind, seed;
    slip_real size[2], cell;
    slip_real amplitude, wavelength; /* [m]                                                                       */
    slip_real flat;                  /* radius about the origin that is kept level [m]                            */
} scene_terrain;

/* A number in [-1/2, 1/2) of a lattice point: the same for the same seed, whatever the grid. */
static slip_real terrain_hash(int i, int j, int seed)
{
    slip_random rng = slip_random_seed((uint64_t)(uint32_t)i | (uint64_t)(uint32_t)j << 32);

    rng.state ^= (uint64_t)(uint32_t)seed*0x9e3779b97f4a7c15ULL;
    slip_random_bits(&rng);
    return slip_random_uniform(&rng, SLIP_R(-0.5), SLIP_R(0.5));
}

static slip_real terrain_ease(slip_real t) { return t*t*(3 - 2*t); }

/* Value noise: random heights on a lattice of one wavelength, joined smoothly. */
static slip_real terrain_bumps(const scene_terrain *t, slip_real x, slip_real y)
{
    const slip_real u = x/t->wavelength, v = y/t->wavelength, fu = slip_floor(u), fv = slip_floor(v);
    const slip_real a = terrain_ease(u - fu), b = terrain_ease(v - fv);
    const int i = (int)fu, j = (int)fv;
    const slip_real low  = (1 - a)*terrain_hash(i, j, t->seed) + a*terrain_hash(i + 1, j, t->seed);
    const slip_real high = (1 - a)*terrain_hash(i, j + 1, t->seed) + a*terrain_hash(i + 1, j + 1, t->seed);

    return t->amplitude*((1 - b)*low + b*high);
}

static slip_real terrain_height(void *context, slip_real x, slip_real y)
{
    const scene_terrain *t = (const scene_terrain *)context;
    const slip_real r = slip_hypot(x, y), turn = 2*SLIP_PI/t->wavelength;
    slip_real h;

    switch (t->kind) {
    case TERRAIN_BUMPS: h = terrain_bumps(t, x, y); break;
    case TERRAIN_WAVES: h = t->amplitude/2*slip_sin(turn*x)*slip_sin(turn*y); break;
    case TERRAIN_STEPS: h = t->amplitude*slip_floor(x/t->wavelength); break;
    default:            h = t->amplitude*(4*r*r/(t->size[0]*t->size[0])); break;
    }
    if (t->flat > 0) h *= terrain_ease(slip_clamp(r/t->flat - 1, 0, 1));   /* level to `flat`, itself from 2 flat */
    return h;
}

static slip_status terrain_from_formula(slip_urdf_reader *r, const scene_terrain *t, slip_heightfield *field)
{
    const slip_real nx = slip_floor(t->size[0]/t->cell + SLIP_R(0.5)) + 1;
    const slip_real ny = slip_floor(t->size[1]/t->cell + SLIP_R(0.5)) + 1;
    scene_terrain own = *t;

    if (nx < 2 || ny < 2 || nx*ny > 4000000)
        return slip_urdf_fail(r, SLIP_ERR_LIMIT, r->xml->line, r->xml->column,
                              "size %g by %g m with cells of %g m, expected 1 to 4 million cells", (double)t->size[0],
                              (double)t->size[1], (double)t->cell);
    if (nx > SLIP_FIELD_MOST || ny > SLIP_FIELD_MOST)
        return slip_urdf_fail(r, SLIP_ERR_LIMIT, r->xml->line, r->xml->column,
                              "size %g by %g m with cells of %g m, expected less than %d cells along a side",
                              (double)t->size[0], (double)t->size[1], (double)t->cell, (int)SLIP_FIELD_MOST);
    return slip_heightfield_from((int)nx, (int)ny, t->size[0]/(nx - 1), t->size[1]/(ny - 1), terrain_height, &own,
                                 scene_of(r)->mem, field, r->err);
}

/* ---- files -------------------------------------------------------------------------------------- */

/* A CSV grid or a PGM picture as seen from above; `cell` apart, white or 1 being `amplitude` high. */
static slip_status terrain_from_file(slip_urdf_reader *r, const scene_terrain *t, const slip_urdf_ref *file,
                                     slip_heightfield *field)
{
    scene_reader *scene = scene_of(r);
    const char *path = slip_scene_path(scene, file->name);
    slip_heightmap_options opt = slip_heightmap_defaults();
    char why[256];
    slip_status s;

    if (!path) return slip_scene_full(r->err);
    opt.dx = opt.dy = t->cell;
    opt.scale = t->amplitude;
    s = slip_heightmap_load(path, &opt, scene->mem, field, r->err);
    if (s < 0 && s != SLIP_ERR_FILE) return s;             /* its line numbers are the table's */
    slip_format(why, (int)sizeof why, "%s", r->err->what);
    slip_error_set_file(r->err, r->file);
    if (s >= 0) return SLIP_OK;
    return slip_urdf_fail(r, s, file->line, file->column, "terrain file '%s': %s", path, why);
}

/* ---- the element -------------------------------------------------------------------------------- */

static slip_status terrain_attributes(slip_urdf_reader *r, scene_terrain *t, slip_urdf_ref *file)
{
    static const scene_field fields[] = {
        { "cell", SCENE_REAL, offsetof(scene_terrain, cell), 1e-6, 1e6, NULL, "a positive number" },
        { "amplitude", SCENE_REAL, offsetof(scene_terrain, amplitude), -1e6, 1e6, NULL, "metres" } };
    static const scene_field formula[] = {
        { "wavelength", SCENE_REAL, offsetof(scene_terrain, wavelength), 1e-6, 1e6, NULL, "a positive number" },
        { "flat", SCENE_REAL, offsetof(scene_terrain, flat), 0, 1e6, NULL, "a number that is not negative" },
        { "seed", SCENE_INT, offsetof(scene_terrain, seed), 0, 1000000000, NULL, NULL } };
    int found = 0;
    slip_status s = slip_scene_word(r, "kind", "bumps waves steps bowl file", &t->kind, NULL);

    if (s == SLIP_OK) s = slip_scene_fields(r, fields, (int)(sizeof fields/sizeof *fields), t);
    if (s == SLIP_OK && t->kind == TERRAIN_FILE) return slip_urdf_need_text(r, "file", &r->kept, file);
    if (s == SLIP_OK) s = slip_scene_fields(r, formula, (int)(sizeof formula/sizeof *formula), t);
    t->seed += scene_of(r)->seed;
    if (s == SLIP_OK) s = slip_urdf_reals_within(r, "size", 2, SLIP_MOST_LENGTH, "m", t->size, &found);
    if (s == SLIP_OK && !(t->size[0] > 0 && t->size[1] > 0))
        s = slip_urdf_fail(r, SLIP_ERR_MODEL, r->xml->line, r->xml->column, "size \"%g %g\" of <terrain>, expected two "
                           "positive numbers", (double)t->size[0], (double)t->size[1]);
    return s;
}

slip_status slip_scene_read_terrain(slip_urdf_reader *r, void *unused)
{
    scene_reader *scene = scene_of(r);
    scene_ground *g = scene_next_ground(scene);
    scene_terrain t = { TERRAIN_BUMPS, 1, { 10, 10 }, SLIP_R(0.1), SLIP_R(0.1), SLIP_R(0.5), 0 };
    slip_heightfield *field = (slip_heightfield *)slip_arena_take(scene->mem, 1, sizeof *field);
    slip_urdf_ref file = { NULL, 0, 0 };
    slip_status s = slip_scene_read_placed(r, &g->at, 0);

    (void)unused;
    if (!field) return slip_scene_full(r->err);
    if (s == SLIP_OK) s = slip_scene_read_belt(r, &g->at);
    if (s == SLIP_OK) s = terrain_attributes(r, &t, &file);
    if (s == SLIP_OK && t.kind == TERRAIN_FILE) {
        if (!slip_xml_find(r->xml, "amplitude")) t.amplitude = 1;
        s = terrain_from_file(r, &t, &file, field);
    }
    else if (s == SLIP_OK) s = terrain_from_formula(r, &t, field);
    if (s < 0) return s;
    g->shape = slip_shape_heightfield(field);
    return scene_ground_children(r, g);
}
