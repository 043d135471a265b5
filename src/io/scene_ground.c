/* <ground> and <terrain>: half-spaces, and height fields from a formula, a CSV table or a PGM picture. */
#include "io/scene_private.h"

#include <assert.h>
#include <string.h>
#include "geom/heightfield.h"
#include "io/file.h"

/* ---- what everything placed has in common ------------------------------------------------------------------ */

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
    if (s == SLIP_OK) s = slip_urdf_reals(r, "rgba", 4, at->colour, &has_colour);
    if (s == SLIP_OK && is_body) s = slip_urdf_reals(r, "velocity", 3, at->velocity, &has_linear);
    if (s == SLIP_OK && is_body) s = slip_urdf_reals(r, "angular", 3, at->angular, &has_angular);
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
    return &r->grounds[r->n.grounds++];
}

slip_status slip_scene_read_ground(slip_urdf_reader *r, void *unused)
{
    scene_ground *g = scene_next_ground(scene_of(r));
    slip_status s = slip_scene_read_placed(r, &g->at, 0);

    (void)unused;
    g->shape = slip_shape_halfspace();
    return s < 0 ? s : scene_ground_children(r, g);
}

/* ---- formulas --------------------------------------------------------------------------------------------------- */

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
    return slip_heightfield_from((int)nx, (int)ny, t->size[0]/(nx - 1), t->size[1]/(ny - 1), terrain_height, &own,
                                 scene_of(r)->mem, field, r->err);
}

/* ---- files --------------------------------------------------------------------------------------------------------- */

/* A table under construction: rows of heights, the first at the least y. */
typedef struct { int nx, ny; slip_real *height; } terrain_table;

static int terrain_is_gap(int c) { return slip_is_blank(c) || c == ',' || c == ';'; }

/* Numbers separated by commas, semicolons or blanks, one row a line. */
static slip_status terrain_parse_csv(slip_urdf_reader *r, const char *path, const char *text, size_t length,
                                     terrain_table *t)
{
    const size_t most = length/2 + 1;
    size_t at = 0, n = 0;
    int line = 1, in_row = 0;

    t->height = (slip_real *)slip_arena_scratch(scene_of(r)->mem, most, sizeof(slip_real));
    if (!t->height) return slip_fail(r->err, SLIP_ERR_WORKSPACE, 0, 0, "no room for the heights of '%s'", path);
    while (at <= length) {
        const int c = at < length ? text[at] : '\n';
        int used;

        if (c == '\n') {
            if (in_row && t->nx && t->nx != in_row)
                return slip_urdf_fail(r, SLIP_ERR_PARSE, r->xml->line, r->xml->column, "'%s' line %d has %d numbers, "
                                      "the lines before have %d", path, line, in_row, t->nx);
            if (in_row) { t->nx = in_row; ++t->ny; }
            in_row = 0;
            ++line;
        }
        if (terrain_is_gap(c)) { ++at; continue; }
        used = slip_read_real(text + at, (int)(length - at), &t->height[n]);
        if (used <= 0 || !slip_is_finite(t->height[n]) || (at + (size_t)used < length && !terrain_is_gap(text[at + (size_t)used])))
            return slip_urdf_fail(r, SLIP_ERR_PARSE, r->xml->line, r->xml->column,
                                  "'%s' line %d holds something that is no finite number", path, line);
        at += (size_t)used;
        ++n;
        ++in_row;
    }
    return SLIP_OK;
}

/* The next whole number of a PGM header or of its text form; comments begin with #. -1: none. */
static int terrain_pgm_number(const char *text, size_t length, size_t *at)
{
    int x, used;

    while (*at < length && (slip_is_blank(text[*at]) || text[*at] == '#')) {
        if (text[*at] == '#') while (*at < length && text[*at] != '\n') ++*at;
        else ++*at;
    }
    used = slip_read_int(text + *at, (int)(length - *at), &x);
    if (used <= 0 || x < 0) return -1;
    *at += (size_t)used;
    return x;
}

/* A grey picture, text (P2) or bytes (P5): black is 0, white 1; the top row has the greatest y. */
static slip_status terrain_parse_pgm(slip_urdf_reader *r, const char *path, const char *text, size_t length,
                                     terrain_table *t)
{
    const int is_text = length > 1 && text[1] == '2';
    size_t at = 2;
    const int nx = terrain_pgm_number(text, length, &at), ny = terrain_pgm_number(text, length, &at);
    const int white = terrain_pgm_number(text, length, &at);
    int i, j;

    if (nx < 2 || ny < 2 || nx > 16384 || ny > 16384 || white < 1 || white > 65535)
        return slip_urdf_fail(r, SLIP_ERR_PARSE, r->xml->line, r->xml->column, "'%s' has no header of a PGM picture, "
                              "expected \"P2\" or \"P5\", width, height (2 to 16384) and white value", path);
    t->nx = nx;
    t->ny = ny;
    t->height = (slip_real *)slip_arena_scratch(scene_of(r)->mem, (size_t)nx*(size_t)ny, sizeof(slip_real));
    if (!t->height) return slip_fail(r->err, SLIP_ERR_WORKSPACE, 0, 0, "no room for the heights of '%s'", path);
    ++at;
    for (j = ny - 1; j >= 0; --j) {
        for (i = 0; i < nx; ++i) {
            int x = -1;

            if (is_text) x = terrain_pgm_number(text, length, &at);
            else if (white < 256 && at < length) x = (unsigned char)text[at++];
            else if (white > 255 && at + 1 < length) {
                x = (unsigned char)text[at]*256 + (unsigned char)text[at + 1];
                at += 2;
            }
            if (x < 0 || x > white)
                return slip_urdf_fail(r, SLIP_ERR_PARSE, r->xml->line, r->xml->column,
                                      "'%s' ends early or has a value above white", path);
            t->height[j*nx + i] = (slip_real)x/(slip_real)white;
        }
    }
    return SLIP_OK;
}

static slip_status terrain_from_file(slip_urdf_reader *r, const scene_terrain *t, const slip_urdf_ref *file,
                                     slip_heightfield *field)
{
    scene_reader *scene = scene_of(r);
    const size_t mark = slip_arena_mark_scratch(scene->mem);
    const char *path = slip_scene_path(scene, file->name);
    terrain_table table = { 0, 0, NULL };
    slip_error why;
    size_t length = 0;
    char *text = NULL;
    slip_status s;
    int i;

    if (!path) return slip_fail(r->err, SLIP_ERR_WORKSPACE, 0, 0, "scene does not fit into the arena");
    s = slip_file_read(path, SLIP_XML_MAX_BYTES, scene->mem, &text, &length, &why);
    if (s < 0) return slip_urdf_fail(r, s, file->line, file->column, "'%s': %s", path, why.what);
    if (length > 2 && text[0] == 'P' && (text[1] == '2' || text[1] == '5')) s = terrain_parse_pgm(r, path, text, length, &table);
    else s = terrain_parse_csv(r, path, text, length, &table);
    if (s == SLIP_OK && (table.nx < 2 || table.ny < 2))
        s = slip_urdf_fail(r, SLIP_ERR_PARSE, file->line, file->column, "'%s' holds %d by %d heights, expected 2 by 2 "
                           "or more", path, table.nx, table.ny);
    for (i = 0; s == SLIP_OK && i < table.nx*table.ny; ++i) table.height[i] *= t->amplitude;
    if (s == SLIP_OK)
        s = slip_heightfield_build(table.nx, table.ny, t->size[0]/(slip_real)(table.nx - 1),
                                   t->size[1]/(slip_real)(table.ny - 1), table.height, scene->mem, field, r->err);
    slip_arena_release_scratch(scene->mem, mark);
    return s;
}

/* ---- the element ------------------------------------------------------------------------------------------------------ */

static slip_status terrain_attributes(slip_urdf_reader *r, scene_terrain *t, slip_urdf_ref *file)
{
    static const scene_field fields[] = {
        { "cell", SCENE_REAL, offsetof(scene_terrain, cell), 1e-6, 1e6, NULL, "a positive number" },
        { "amplitude", SCENE_REAL, offsetof(scene_terrain, amplitude), -1e6, 1e6, NULL, "metres" },
        { "wavelength", SCENE_REAL, offsetof(scene_terrain, wavelength), 1e-6, 1e6, NULL, "a positive number" },
        { "flat", SCENE_REAL, offsetof(scene_terrain, flat), 0, 1e6, NULL, "a number that is not negative" },
        { "seed", SCENE_INT, offsetof(scene_terrain, seed), -2147483647, 2147483647, NULL, NULL } };
    int found = 0;
    slip_status s = slip_scene_word(r, "kind", "bumps waves steps bowl file", &t->kind, NULL);

    if (s == SLIP_OK) s = slip_scene_fields(r, fields, (int)(sizeof fields/sizeof *fields), t);
    if (s == SLIP_OK) s = slip_urdf_reals(r, "size", 2, t->size, &found);
    if (s == SLIP_OK && !(t->size[0] > 0 && t->size[1] > 0))
        s = slip_urdf_fail(r, SLIP_ERR_MODEL, r->xml->line, r->xml->column, "size \"%g %g\" of <terrain>, expected two "
                           "positive numbers", (double)t->size[0], (double)t->size[1]);
    if (s == SLIP_OK && t->kind == TERRAIN_FILE) s = slip_urdf_need_text(r, "file", &r->kept, file);
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
    if (!field) return slip_fail(r->err, SLIP_ERR_WORKSPACE, 0, 0, "scene does not fit into the arena");
    if (s == SLIP_OK) s = terrain_attributes(r, &t, &file);
    if (s == SLIP_OK && t.kind == TERRAIN_FILE) s = terrain_from_file(r, &t, &file, field);
    else if (s == SLIP_OK) s = terrain_from_formula(r, &t, field);
    if (s < 0) return s;
    g->shape = slip_shape_heightfield(field);
    return scene_ground_children(r, g);
}
