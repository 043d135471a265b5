/* COLLADA (.dae), version 1.4 and 1.5, as robots ship it: the triangles and polygons of the geometries that the scene
 * instantiates, moved by their nodes' transforms and scaled by the file's unit. All else (materials, cameras, skins,
 * lines, animations) is skipped. <up_axis> is reported and not applied: in a robot, coordinates are those of the link's
 * frame whatever the file says of its up axis; RViz and Gazebo read them so, and robots are drawn to look right there.
 *
 * A file is a graph of elements that name each other by ids. A first walk makes an index of them; then each named
 * element is read by a reader of its own over its bytes. Nodes inside nodes are followed by a stack of transforms,
 * nodes that are instantiated elsewhere by a list of tasks: nothing here calls itself. */
#include "io/mesh_private.h"

#include <limits.h>
#include <string.h>
#include "base/vec.h"
#include "io/xml.h"

/* Most instances of nodes. A node that contains itself has no end of them. */
enum { DAE_MOST_TASKS = 4096 };

/* How often the whole file may be read: an instance of a geometry reads it again, so a short file of nodes that
 * instantiate each other a thousandfold would take hours. Instances of a geometry of half the file: 512. */
#define DAE_MOST_READS ((size_t)256)

typedef enum { DAE_GEOMETRY, DAE_NODE, DAE_VISUAL_SCENE, DAE_SOURCE, DAE_VERTICES } dae_kind;

/* Depth of the children of <COLLADA><asset>. */
enum { DAE_FACT_DEPTH = 3 };

/* An element with an id: its bytes, and the line of the first one. */
typedef struct { dae_kind kind; slip_xml_slice id; int start, length, line; } dae_entry;

/* x -> A x + t */
typedef struct { slip_real A[9], t[3]; } dae_map;

typedef struct { int entry; dae_map map; } dae_task;

enum { DAE_WALK, DAE_MESH, DAE_DATA, DAE_READERS };      /* of a node or scene, of a geometry, of a source */

enum { DAE_WARN_LINES = 1, DAE_WARN_SKINS = 2, DAE_WARN_MAPS = 4, DAE_WARN_HOLES = 8 };

typedef struct {
    const char *bytes;
    mesh_sink *sink;
    slip_xml *xml;           /* [DAE_READERS] */
    dae_entry *entries;      /* NULL while counting */
    int nentries;
    dae_task *tasks;
    int ntasks, instances;   /* instances: <instance_node> of the file */
    dae_map *stack;          /* [SLIP_XML_MAX_DEPTH + 1] transforms of the open nodes */
    slip_real unit;          /* [m] */
    slip_xml_slice scene;    /* url of the scene's visual scene; empty: none */
    size_t work, most_work;  /* bytes read so far by readers of elements, and at most */
    int warned;              /* bits DAE_WARN_... */
} dae_reader;

/* ---- messages and words ------------------------------------------------------------------------------------------ */

static slip_status dae_warn(dae_reader *r, int kind, int line, const char *what)
{
    ++r->sink->notes->ignored;
    if (r->warned & kind || !r->sink->report) return SLIP_OK;
    r->warned |= kind;
    return slip_warn(r->sink->report, r->sink->err, line, 0, "%s", what);
}

/* The next word of a text from *at on; its length, 0 at the end. */
static int dae_word(slip_xml_slice text, int *at, const char **word)
{
    int from;

    while (*at < text.length && slip_is_blank(text.text[*at])) ++*at;
    from = *at;
    while (*at < text.length && !slip_is_blank(text.text[*at])) ++*at;
    *word = text.text + from;
    return *at - from;
}

/* The next whole number of a text: 1, 0 at its end, or SLIP_ERR_PARSE. */
static int dae_int(const dae_reader *r, slip_xml_slice text, int *at, int line, int *x)
{
    const char *word;
    const int n = dae_word(text, at, &word);

    if (n == 0) return 0;
    if (slip_read_int(word, n, x) == n) return 1;
    return slip_fail(r->sink->err, SLIP_ERR_PARSE, line, 0, "'%.*s' is not a whole number", n < 40 ? n : 40, word);
}

/* The next real of a text, at most MESH_FAR: 1, 0 at its end, or SLIP_ERR_PARSE. */
static int dae_real(const dae_reader *r, slip_xml_slice text, int *at, int line, slip_real *x)
{
    const char *word;
    const int n = dae_word(text, at, &word);

    if (n == 0) return 0;
    if (slip_mesh_word_real(word, n, x) && slip_abs(*x) <= MESH_FAR) return 1;
    return slip_fail(r->sink->err, SLIP_ERR_PARSE, line, 0, "'%.*s' is not a finite number of at most %g",
                     n < 40 ? n : 40, word, (double)MESH_FAR);
}

/* An attribute as a whole number from 0 on, `otherwise` when there is none; < 0 on an error. */
static int dae_count_attribute(const dae_reader *r, slip_xml *x, const char *name, int otherwise)
{
    const slip_xml_attribute *a = slip_xml_find(x, name);
    int value = -1;

    if (!a) return otherwise;
    if (slip_read_int(a->value.text, a->value.length, &value) == a->value.length && value >= 0) return value;
    return slip_fail(r->sink->err, SLIP_ERR_PARSE, a->value_line, a->value_column,
                     "%s is '%.*s', expected a whole number", name, slip_xml_shown(a->value), a->value.text);
}

/* The text of the element whose START was read last; empty when it has none. Reads on to its END. */
static slip_status dae_text(const dae_reader *r, slip_xml *x, slip_xml_slice *text, int *line)
{
    const int depth = x->depth;
    slip_status s = slip_xml_next(x, r->sink->err);

    text->text = "";
    text->length = 0;
    *line = x->line;
    for (; s == SLIP_OK && !(x->event == SLIP_XML_END && x->depth < depth); s = slip_xml_next(x, r->sink->err)) {
        if (x->event != SLIP_XML_TEXT) continue;
        if (text->length > 0)
            return slip_fail(r->sink->err, SLIP_ERR_PARSE, x->line, 0, "numbers are interrupted by a comment");
        *text = x->text;
        *line = x->line;
    }
    return s;
}

/* ---- the index --------------------------------------------------------------------------------------------------- */

/* The kind of the element at a START, or -1. */
static int dae_kind_of(const slip_xml *x)
{
    static const char *const name[] = { "geometry", "node", "visual_scene", "source", "vertices" };
    int k;

    for (k = 0; k < (int)(sizeof name/sizeof *name); ++k) if (slip_xml_is(x, name[k])) return k;
    return -1;
}

/* <unit> and <up_axis> of the file's own <asset>, not of an element's; <instance_visual_scene>. */
static slip_status dae_fact(dae_reader *r, slip_xml *x)
{
    const slip_xml_attribute *a;
    slip_xml_slice text;
    slip_status s;
    int line, at = 0;

    if (x->depth != DAE_FACT_DEPTH && (slip_xml_is(x, "unit") || slip_xml_is(x, "up_axis"))) return SLIP_OK;
    if (slip_xml_is(x, "unit") && (a = slip_xml_find(x, "meter")) != NULL) {
        const int found = dae_real(r, a->value, &at, a->value_line, &r->unit);

        if (found < 0) return (slip_status)found;
        if (found == 0 || !(r->unit > 0))
            return slip_fail(r->sink->err, SLIP_ERR_PARSE, a->value_line, a->value_column, "the unit is not positive");
    } else if (slip_xml_is(x, "instance_visual_scene") && (a = slip_xml_find(x, "url")) != NULL) {
        r->scene = a->value;
    } else if (slip_xml_is(x, "instance_node")) {
        ++r->instances;
    } else if (slip_xml_is(x, "up_axis")) {
        s = dae_text(r, x, &text, &line);
        if (s < 0) return s;
        while (text.length > 0 && slip_is_blank(text.text[0])) { ++text.text;  --text.length; }
        r->sink->notes->up_axis = (char)(text.length > 0 ? text.text[0] : 'Y');      /* COLLADA's own default */
    }
    return SLIP_OK;
}

/* Walks over the whole file: counts the elements with ids, or fills in r->entries. */
static slip_status dae_index(dae_reader *r, size_t length)
{
    slip_xml *x = &r->xml[DAE_WALK];
    int open[SLIP_XML_MAX_DEPTH + 1];            /* the entry of each open element, or -1 */
    slip_status s = slip_xml_begin(x, r->bytes, length, r->sink->err);
    int n = 0;

    r->instances = 0;
    while (s == SLIP_OK && (s = slip_xml_next(x, r->sink->err)) == SLIP_OK && x->event != SLIP_XML_DONE) {
        if (x->event == SLIP_XML_START) {
            const int kind = dae_kind_of(x);
            const slip_xml_attribute *id = kind >= 0 ? slip_xml_find(x, "id") : NULL;

            open[x->depth] = id ? n : -1;
            if (id && r->entries) {
                r->entries[n].kind = (dae_kind)kind;
                r->entries[n].id = id->value;
                r->entries[n].start = (int)(x->full.text - 1 - r->bytes);
                r->entries[n].line = x->line;
            }
            n += id != NULL;
            s = dae_fact(r, x);
        } else if (x->event == SLIP_XML_END && open[x->depth + 1] >= 0 && r->entries) {
            dae_entry *e = &r->entries[open[x->depth + 1]];

            e->length = x->at - e->start;
        }
    }
    r->nentries = n;
    return s;
}

/* The entry of this kind that an address "#id" names; -1 with a message when there is none. */
static int dae_find(dae_reader *r, const slip_xml_attribute *url, dae_kind kind, int line)
{
    int i = 0;

    if (url && url->value.length > 1 && url->value.text[0] == '#') {
        r->work += (size_t)r->nentries;
        for (; i < r->nentries; ++i)
            if (r->entries[i].kind == kind && r->entries[i].id.length == url->value.length - 1
                && memcmp(r->entries[i].id.text, url->value.text + 1, (size_t)url->value.length - 1) == 0) return i;
    }
    slip_fail(r->sink->err, SLIP_ERR_PARSE, line, 0, "'%.*s' names nothing in this file",
              url ? slip_xml_shown(url->value) : 0, url ? url->value.text : "");
    return -1;
}

/* Sets reader `which` to an element and reads its START. */
static slip_status dae_open(dae_reader *r, int which, int entry, slip_xml **out)
{
    const dae_entry *e = &r->entries[entry];
    slip_xml *x = &r->xml[which];
    slip_status s;

    r->work += (size_t)e->length;
    if (r->work > r->most_work)
        return slip_fail(r->sink->err, SLIP_ERR_LIMIT, e->line, 0, "instances read the file more than %d times: does a "
                         "node contain itself?", (int)DAE_MOST_READS);
    s = slip_xml_begin(x, r->bytes + e->start, (size_t)e->length, r->sink->err);
    x->at_line = e->line;
    *out = x;
    return s == SLIP_OK ? slip_xml_next(x, r->sink->err) : s;
}

/* ---- transforms -------------------------------------------------------------------------------------------------- */

static dae_map dae_scaling(const slip_real k[3])
{
    dae_map m = { { 0, 0, 0, 0, 0, 0, 0, 0, 0 }, { 0, 0, 0 } };

    m.A[0] = k[0];
    m.A[4] = k[1];
    m.A[8] = k[2];
    return m;
}

/* *m <- m then-after n: x -> m(n(x)). */
static void dae_compose(dae_map *m, const dae_map *n)
{
    slip_real A[9], t[3];

    slip_mat3_mul(m->A, n->A, A);
    slip_mat3_vec(m->A, n->t, t);
    slip_add3(t, m->t, m->t);
    memcpy(m->A, A, sizeof A);
}

/* The map of a transform element with its numbers x. */
static dae_map dae_map_of(const char *kind, const slip_real *x)
{
    static const slip_real ones[3] = { 1, 1, 1 };
    dae_map m = dae_scaling(*kind == 's' ? x : ones);
    slip_real axis[3], size;
    int i;

    if (*kind == 't') slip_copy3(x, m.t);
    if (*kind == 'r') {                                  /* an axis, and an angle in degrees */
        size = slip_norm3(x);
        for (i = 0; i < 3; ++i) axis[i] = size > 0 ? x[i]/size : 0;
        slip_mat3_from_axis_angle(axis, x[3]*(SLIP_PI/180), m.A);
    }
    for (i = 0; *kind == 'm' && i < 3; ++i) {            /* rows of a 4 x 4 matrix */
        slip_copy3(x + 4*i, m.A + 3*i);
        m.t[i] = x[4*i + 3];
    }
    return m;
}

/* At a START within a node: applies it to *m when it is a transform; *taken says whether it was one. */
static slip_status dae_transform(dae_reader *r, slip_xml *x, dae_map *m, int *taken)
{
    static const struct { const char *name; int n; } kinds[] = {
        { "matrix", 16 }, { "translate", 3 }, { "rotate", 4 }, { "scale", 3 }, { "skew", 0 }, { "lookat", 0 } };
    slip_xml_slice text;
    slip_real v[16];
    slip_status s;
    dae_map n;
    int k = 0, line, at = 0, i, found = 1;

    while (k < 6 && !slip_xml_is(x, kinds[k].name)) ++k;
    *taken = k < 6;
    if (!*taken) return SLIP_OK;
    if (kinds[k].n == 0) {
        s = dae_warn(r, DAE_WARN_MAPS, x->line, "skew and lookat of nodes are not applied");
        return s < 0 ? s : slip_xml_skip(x, r->sink->err);
    }
    s = dae_text(r, x, &text, &line);
    for (i = 0; s == SLIP_OK && found == 1 && i < kinds[k].n; ++i) found = dae_real(r, text, &at, line, &v[i]);
    if (s < 0 || found < 0) return s < 0 ? s : (slip_status)found;
    if (found == 0)
        return slip_fail(r->sink->err, SLIP_ERR_PARSE, line, 0, "<%s> needs %d numbers", kinds[k].name, kinds[k].n);
    n = dae_map_of(kinds[k].name, v);
    dae_compose(m, &n);
    return SLIP_OK;
}

/* ---- geometries -------------------------------------------------------------------------------------------------- */

/* The vertices of a geometry that are already in the mesh: those of a source. */
typedef struct { const dae_map *map; int source, first, count; } dae_positions;

/* A group of polygons: how its corners follow, and where it is in them. */
typedef struct {
    enum { DAE_POLYGONS, DAE_STRIPS, DAE_FANS } order;
    int stride, offset;      /* of the corners' indices                           */
    slip_xml_slice sizes;    /* <vcount>                                          */
    int at, line;            /* place in it; its line                                 */
    int size;                /* corners of the present polygon; INT_MAX: all of a <p> */
    int k, first, last, before;      /* corners so far; the first, the last and the one before it */
} dae_group;

/* Adds the points of a source, moved, to the mesh. */
static slip_status dae_add_points(dae_reader *r, slip_xml_slice text, int line, int offset, int stride, int count,
                                  const dae_map *map)
{
    slip_real p[3] = { 0, 0, 0 }, y[3], x;
    int at = 0, i, found = 1;
    slip_status s = SLIP_OK;

    for (i = 0; s == SLIP_OK && (i - offset)/stride < count && (found = dae_real(r, text, &at, line, &x)) == 1; ++i) {
        const int k = i < offset ? stride : (i - offset)%stride;

        if (k < 3) p[k] = x;
        if (k != 2) continue;
        slip_mat3_vec(map->A, p, y);
        slip_add3(y, map->t, y);
        s = slip_mesh_add_vertex(r->sink, y);
    }
    return found < 0 ? (slip_status)found : s;
}

/* Reads <source> `entry`: the numbers of its <float_array>, and how its <accessor> strides over them. */
static slip_status dae_source(dae_reader *r, int entry, dae_positions *p)
{
    slip_xml_slice text = { "", 0 };
    int line = 0, offset = 0, stride = 3, count = INT_MAX;
    slip_xml *x;
    slip_status s = dae_open(r, DAE_DATA, entry, &x);

    while (s == SLIP_OK && x->event != SLIP_XML_DONE) {
        if (x->event == SLIP_XML_START && slip_xml_is(x, "float_array")) s = dae_text(r, x, &text, &line);
        else if (x->event == SLIP_XML_START && slip_xml_is(x, "accessor")) {
            offset = dae_count_attribute(r, x, "offset", 0);
            stride = dae_count_attribute(r, x, "stride", 3);
            count = dae_count_attribute(r, x, "count", INT_MAX);
            if (offset < 0 || stride < 0 || count < 0) return SLIP_ERR_PARSE;
        }
        if (s == SLIP_OK) s = slip_xml_next(x, r->sink->err);
    }
    if (s < 0) return s;
    if (stride < 3)
        return slip_fail(r->sink->err, SLIP_ERR_PARSE, r->entries[entry].line, 0, "positions have three coordinates");
    p->source = entry;
    p->first = r->sink->mesh->nv;
    s = dae_add_points(r, text, line, offset, stride, count, p->map);
    p->count = r->sink->mesh->nv - p->first;
    return s;
}

/* The positions that <vertices> `entry` names, into the mesh unless they are there. */
static slip_status dae_vertices(dae_reader *r, int entry, dae_positions *p)
{
    slip_xml *x;
    slip_status s = dae_open(r, DAE_DATA, entry, &x);
    int source = -1;

    for (; s == SLIP_OK && x->event != SLIP_XML_DONE; s = slip_xml_next(x, r->sink->err)) {
        const slip_xml_attribute *semantic = x->event == SLIP_XML_START ? slip_xml_find(x, "semantic") : NULL;

        if (!semantic || !slip_xml_slice_is(semantic->value, "POSITION")) continue;
        source = dae_find(r, slip_xml_find(x, "source"), DAE_SOURCE, x->line);
        if (source < 0) return SLIP_ERR_PARSE;
    }
    if (s < 0) return s;
    if (source < 0)
        return slip_fail(r->sink->err, SLIP_ERR_PARSE, r->entries[entry].line, 0, "<vertices> without positions");
    return source == p->source ? SLIP_OK : dae_source(r, source, p);
}

/* The next polygon's number of corners, from <vcount>. */
static slip_status dae_next_size(dae_reader *r, dae_group *g)
{
    g->k = 0;
    if (!g->sizes.text) return SLIP_OK;
    g->size = 0;
    return dae_int(r, g->sizes, &g->at, g->line, &g->size) < 0 ? SLIP_ERR_PARSE : SLIP_OK;
}

static slip_status dae_end_polygon(dae_reader *r, dae_group *g)
{
    r->sink->notes->polygons += g->k > 3;
    slip_mesh_refan(r->sink->mesh, g->k, r->sink->mesh->nv);
    return dae_next_size(r, g);
}

/* One more corner: a triangle with two earlier ones, from the third on. */
static slip_status dae_corner(dae_reader *r, dae_group *g, int v)
{
    const int strip = g->order == DAE_STRIPS, k = g->k++;
    slip_status s = SLIP_OK;

    if (k >= 2 && !strip) s = slip_mesh_add_triangle(r->sink, g->first, g->last, v);
    else if (k >= 2 && k % 2 == 0) s = slip_mesh_add_triangle(r->sink, g->before, g->last, v);
    else if (k >= 2) s = slip_mesh_add_triangle(r->sink, g->last, g->before, v);     /* every second one is turned */
    if (g->size == 0) return slip_fail(r->sink->err, SLIP_ERR_PARSE, g->line, 0, "<p> has more corners than <vcount>");
    if (k == 0) g->first = v;
    g->before = g->last;
    g->last = v;
    return s == SLIP_OK && !strip && g->k == g->size ? dae_end_polygon(r, g) : s;
}

/* The corners of one <p>. */
static slip_status dae_corners(dae_reader *r, dae_group *g, slip_xml_slice text, int line, const dae_positions *p)
{
    slip_status s = SLIP_OK;
    int at = 0, i, v, found = 1;

    for (i = 0; s == SLIP_OK && (found = dae_int(r, text, &at, line, &v)) == 1; ++i) {
        if (i % g->stride != g->offset) continue;
        if (v < 0 || v >= p->count)
            return slip_fail(r->sink->err, SLIP_ERR_PARSE, line, 0, "corner %d is vertex %d of %d", i/g->stride, v,
                             p->count);
        s = dae_corner(r, g, p->first + v);
    }
    if (found < 0) s = (slip_status)found;
    if (s == SLIP_OK && g->order == DAE_POLYGONS && g->size == INT_MAX && g->k > 2) s = dae_end_polygon(r, g);
    g->k = 0;
    return s;
}

/* An <input>: the corners' stride, and where in it the vertex is. */
static slip_status dae_input(dae_reader *r, slip_xml *x, dae_group *g, dae_positions *p)
{
    const slip_xml_attribute *semantic = slip_xml_find(x, "semantic");
    const int offset = dae_count_attribute(r, x, "offset", 0);
    int entry;

    if (offset < 0) return SLIP_ERR_PARSE;
    if (offset >= INT_MAX/2)
        return slip_fail(r->sink->err, SLIP_ERR_LIMIT, x->line, 0, "offset %d is too large", offset);
    if (offset + 1 > g->stride) g->stride = offset + 1;
    if (!semantic || !slip_xml_slice_is(semantic->value, "VERTEX")) return SLIP_OK;
    g->offset = offset;
    entry = dae_find(r, slip_xml_find(x, "source"), DAE_VERTICES, x->line);
    return entry < 0 ? SLIP_ERR_PARSE : dae_vertices(r, entry, p);
}

/* A child of a group of polygons. */
static slip_status dae_group_child(dae_reader *r, slip_xml *x, dae_group *g, dae_positions *p)
{
    slip_xml_slice text;
    slip_status s;
    int line;

    if (slip_xml_is(x, "input")) return dae_input(r, x, g, p);
    if (slip_xml_is(x, "h"))
        return dae_warn(r, DAE_WARN_HOLES, x->line, "holes in polygons are filled");
    if (slip_xml_is(x, "vcount")) {
        s = dae_text(r, x, &g->sizes, &g->line);
        return s < 0 ? s : dae_next_size(r, g);
    }
    if (!slip_xml_is(x, "p")) return SLIP_OK;
    s = dae_text(r, x, &text, &line);
    if (s < 0) return s;
    if (g->offset < 0) return slip_fail(r->sink->err, SLIP_ERR_PARSE, line, 0, "corners without a VERTEX input");
    return dae_corners(r, g, text, line, p);
}

/* At the START of <triangles>, <polylist> and the like: reads on to its END. */
static slip_status dae_group_of(dae_reader *r, slip_xml *x, dae_positions *p)
{
    const int depth = x->depth, is_triangles = slip_xml_is(x, "triangles");
    slip_status s = SLIP_OK;
    dae_group g;

    memset(&g, 0, sizeof g);
    g.order = slip_xml_is(x, "tristrips") ? DAE_STRIPS : slip_xml_is(x, "trifans") ? DAE_FANS : DAE_POLYGONS;
    g.size = is_triangles ? 3 : INT_MAX;
    g.offset = -1;
    while (s == SLIP_OK && (s = slip_xml_next(x, r->sink->err)) == SLIP_OK
           && !(x->event == SLIP_XML_END && x->depth < depth))
        if (x->event == SLIP_XML_START) s = dae_group_child(r, x, &g, p);
    return s;
}

/* All polygons of a geometry, moved by the map. */
static slip_status dae_geometry(dae_reader *r, int entry, const dae_map *map)
{
    static const char *const groups[] = { "triangles", "polylist", "polygons", "tristrips", "trifans" };
    slip_trimesh *m = r->sink->mesh;
    const int from = m->nt, is_mirrored = slip_mat3_det(map->A) < 0;
    dae_positions p = { NULL, -1, 0, 0 };
    slip_xml *x;
    slip_status s = dae_open(r, DAE_MESH, entry, &x);
    int k;

    p.map = map;
    for (; s == SLIP_OK && x->event != SLIP_XML_DONE; s = s == SLIP_OK ? slip_xml_next(x, r->sink->err) : s) {
        if (x->event != SLIP_XML_START) continue;
        for (k = 0; k < 5 && !slip_xml_is(x, groups[k]); ++k) { }
        if (k < 5) s = dae_group_of(r, x, &p);
        else if (slip_xml_is(x, "lines") || slip_xml_is(x, "linestrips"))
            s = dae_warn(r, DAE_WARN_LINES, x->line, "lines are ignored: only polygons make a body");
    }
    for (k = from; is_mirrored && m->triangle && k < m->nt; ++k) {
        int *t = m->triangle + 3*(size_t)k, b = t[1];

        t[1] = t[2];
        t[2] = b;
    }
    return s;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static slip_status dae_add_task(dae_reader *r, int entry, const dae_map *map, int line)
{
    if (r->ntasks >= (r->instances > 0 ? DAE_MOST_TASKS : 1))
        return slip_fail(r->sink->err, SLIP_ERR_LIMIT, line, 0, "more than %d instances of nodes: does a node contain "
                         "itself?", DAE_MOST_TASKS);
    r->tasks[r->ntasks].entry = entry;
    r->tasks[r->ntasks++].map = *map;
    return SLIP_OK;
}

/* A START within a node or scene whose transform is *map. */
static slip_status dae_node_child(dae_reader *r, slip_xml *x, dae_map *map)
{
    const int is_node = slip_xml_is(x, "instance_node"), line = x->line;
    int taken, entry;

    if (is_node || slip_xml_is(x, "instance_geometry")) {
        ++r->sink->notes->instances;
        entry = dae_find(r, slip_xml_find(x, "url"), is_node ? DAE_NODE : DAE_GEOMETRY, line);
        if (entry < 0) return SLIP_ERR_PARSE;
        return is_node ? dae_add_task(r, entry, map, line) : dae_geometry(r, entry, map);
    }
    if (slip_xml_is(x, "instance_controller"))
        return dae_warn(r, DAE_WARN_SKINS, line, "skins (instance_controller) are ignored");
    return dae_transform(r, x, map, &taken);
}

/* A node or scene: the geometries of all nodes in it; those that it instantiates become tasks. */
static slip_status dae_walk(dae_reader *r, const dae_task *task)
{
    slip_xml *x;
    slip_status s = dae_open(r, DAE_WALK, task->entry, &x);

    r->stack[0] = task->map;
    for (; s == SLIP_OK && x->event != SLIP_XML_DONE; s = s == SLIP_OK ? slip_xml_next(x, r->sink->err) : s) {
        if (x->event != SLIP_XML_START) continue;
        /* a child has its parent's transform as it is so far: transforms come before children */
        if (slip_xml_is(x, "node") || x->depth == 1) r->stack[x->depth] = r->stack[x->depth - 1];
        else s = dae_node_child(r, x, &r->stack[x->depth - 1]);
        if (s == SLIP_OK && x->event == SLIP_XML_START && slip_xml_is(x, "extra")) s = slip_xml_skip(x, r->sink->err);
    }
    return s;
}

/* The scene; without one the first visual scene; without any all geometries as they are. */
static slip_status dae_scene(dae_reader *r)
{
    const slip_real unit[3] = { r->unit, r->unit, r->unit };
    const dae_map map = dae_scaling(unit);
    slip_xml_attribute url;
    slip_status s = SLIP_OK;
    int i, scene = -1;

    memset(&url, 0, sizeof url);
    url.value = r->scene;
    if (r->scene.length > 0 && (scene = dae_find(r, &url, DAE_VISUAL_SCENE, 0)) < 0) return SLIP_ERR_PARSE;
    for (i = 0; scene < 0 && i < r->nentries; ++i) if (r->entries[i].kind == DAE_VISUAL_SCENE) scene = i;
    if (scene >= 0) s = dae_add_task(r, scene, &map, 0);
    for (i = 0; s == SLIP_OK && i < r->ntasks; ++i) {
        const dae_task task = r->tasks[i];

        s = dae_walk(r, &task);
    }
    for (i = 0; scene < 0 && s == SLIP_OK && i < r->nentries; ++i)
        if (r->entries[i].kind == DAE_GEOMETRY) s = dae_geometry(r, i, &map);
    return s;
}

/* ---- one run ----------------------------------------------------------------------------------------------------- */

static slip_status dae_no_room(const dae_reader *r)
{
    return slip_fail(r->sink->err, SLIP_ERR_WORKSPACE, 0, 0, "no room for the index of a COLLADA file");
}

static slip_status dae_run(dae_reader *r, size_t length)
{
    slip_arena *a = r->sink->arena;
    slip_status s;

    r->xml = (slip_xml *)slip_arena_scratch(a, DAE_READERS, sizeof *r->xml);
    r->stack = (dae_map *)slip_arena_scratch(a, SLIP_XML_MAX_DEPTH + 1, sizeof *r->stack);
    if (!r->xml || !r->stack) return dae_no_room(r);
    s = dae_index(r, length);
    if (s < 0) return s;
    r->entries = (dae_entry *)slip_arena_scratch(a, (size_t)r->nentries, sizeof *r->entries);
    r->tasks = (dae_task *)slip_arena_scratch(a, r->instances > 0 ? DAE_MOST_TASKS : 1, sizeof *r->tasks);
    if (!r->entries || !r->tasks) return dae_no_room(r);
    s = dae_index(r, length);
    return s < 0 ? s : dae_scene(r);
}

slip_status slip_mesh_dae_scan(const char *bytes, size_t length, mesh_sink *sink)
{
    const size_t mark = slip_arena_mark_scratch(sink->arena);
    dae_reader r;
    slip_status s;

    memset(&r, 0, sizeof r);
    r.bytes = bytes;
    r.sink = sink;
    r.unit = 1;
    r.most_work = DAE_MOST_READS*length;
    sink->mesh->nv = sink->mesh->nt = 0;
    s = dae_run(&r, length);
    slip_arena_release_scratch(sink->arena, mark);
    return s;
}
