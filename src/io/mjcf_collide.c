/* Which geoms of MJCF meet: contype, conaffinity and <pair>, as groups and masks of shapes.
 *
 * Two geoms of MuJoCo meet when a bit of one's contype is in the other's conaffinity, or the other way round; two
 * shapes of ours when each one's group is in the other's mask. Geoms that say the same are of one sort, which has a bit
 * of its own as its group, and the bits of all sorts that it meets as its mask: that is the same relation exactly.
 * Bit 0 is that of all else in a scene, which meets what a geom with contype and conaffinity 1 would meet. */
#include "io/mjcf_private.h"

#include <string.h>

enum { COLLIDE_SORTS = 31 };

static int collide_find(const mjcf_reader *r, const char *attribute)
{
    const slip_xml_attribute *a = slip_xml_find(r->u.xml, attribute);
    int i;

    for (i = 0; a && i < r->u.out.nshapes; ++i)
        if (r->bits[i].name[0] && slip_xml_slice_is(a->value, r->bits[i].name)) return i;
    return -1;
}

/* The friction of a pair is that of its links where their geoms say none. */
static slip_status collide_friction(mjcf_reader *r, const int pair[2])
{
    slip_real x[5];
    int k, n;
    const slip_status s = slip_mjcf_reals(r, "friction", 5, x, &n);

    for (k = 0; k < 2 && s == SLIP_OK && n > 0; ++k) {
        const int link = r->u.out.shapes[pair[k]].link;

        if (link >= 0 && r->u.out.contacts[link].friction < 0)
            r->u.out.contacts[link].friction = slip_clamp(x[0], 0, SLIP_R(1e6));
    }
    return s;
}

slip_status slip_mjcf_pair(mjcf_reader *r)
{
    static const char *const names[2] = { "geom1", "geom2" };
    int *pair = r->pairs[r->npairs], k;
    slip_status s;

    r->depth = 0;
    s = slip_mjcf_class(r, "pair");
    if (s < 0) return s;
    for (k = 0; k < 2; ++k) {
        const slip_xml_attribute *a = slip_xml_find(r->u.xml, names[k]);

        pair[k] = collide_find(r, names[k]);
        if (pair[k] >= 0) continue;
        if (r->is_partial) {
            static const slip_xml_slice unknown = { "a geom that is not understood", 29 };

            slip_mjcf_note(r, "pair", unknown);
            return SLIP_OK;
        }
        return slip_fail(r->u.err, SLIP_ERR_MODEL, r->u.xml->line, r->u.xml->column, "<pair>: there is no geom '%.*s'",
                         a ? slip_xml_shown(a->value) : 0, a ? a->value.text : "");
    }
    s = collide_friction(r, pair);
    if (s == SLIP_OK) ++r->npairs;
    return s;
}

/* ---- sorts --------------------------------------------------------------------------------------- */

static int collide_meet(unsigned contype, unsigned conaffinity, const mjcf_geom_bits *b)
{
    return (contype & b->conaffinity) || (b->contype & conaffinity);
}

static int collide_is_paired(const mjcf_reader *r, int shape)
{
    int i;

    for (i = 0; i < r->npairs; ++i) if (r->pairs[i][0] == shape || r->pairs[i][1] == shape) return 1;
    return 0;
}

/* Gives every colliding shape a sort, one of its own to those of pairs; how many there are, or COLLIDE_SORTS + 1. */
static int collide_sorts(mjcf_reader *r, int with_pairs)
{
    int i, k, n = 0;

    for (i = 0; i < r->u.out.nshapes; ++i) {
        mjcf_geom_bits *b = &r->bits[i];
        const int paired = with_pairs && collide_is_paired(r, i);

        b->sort = -1;
        if (b->contype == 0 && b->conaffinity == 0 && !paired) continue;
        for (k = 0; k < i && b->sort < 0 && !paired; ++k)
            if (r->bits[k].sort >= 0 && r->bits[k].contype == b->contype && r->bits[k].conaffinity == b->conaffinity
                && !(with_pairs && collide_is_paired(r, k))) b->sort = r->bits[k].sort;
        if (b->sort >= 0) continue;
        if (n == COLLIDE_SORTS) return COLLIDE_SORTS + 1;
        b->sort = n++;
    }
    return n;
}

static void collide_set(mjcf_reader *r, int with_pairs)
{
    int i, k;

    for (i = 0; i < r->u.out.nshapes; ++i) {
        slip_urdf_shape *u = &r->u.out.shapes[i];
        const mjcf_geom_bits *b = &r->bits[i];

        if (b->sort < 0) continue;
        u->role = SLIP_URDF_COLLISION;
        u->group = 2u << b->sort;
        u->mask = collide_meet(1, 1, b) ? 1 : 0;
        for (k = 0; k < r->u.out.nshapes; ++k)
            if (r->bits[k].sort >= 0 && collide_meet(b->contype, b->conaffinity, &r->bits[k]))
                u->mask |= 2u << r->bits[k].sort;
        for (k = 0; k < r->npairs && with_pairs; ++k)
            if (r->pairs[k][0] == i || r->pairs[k][1] == i)
                u->mask |= 2u << r->bits[r->pairs[k][r->pairs[k][0] == i]].sort;
    }
}

/* Planes and height fields that are only drawn are left out: they have no end. */
static void collide_drop(mjcf_reader *r)
{
    int i, n = 0;

    for (i = 0; i < r->u.out.nshapes; ++i) {
        const slip_urdf_shape *u = &r->u.out.shapes[i];

        if (u->role == SLIP_URDF_VISUAL && (u->kind == SLIP_SHAPE_HALFSPACE || u->kind == SLIP_SHAPE_HEIGHTFIELD))
            continue;
        r->u.out.shapes[n++] = *u;
    }
    r->u.out.nshapes = n;
}

void slip_mjcf_sort(mjcf_reader *r)
{
    static const slip_xml_slice bits = { "contype and conaffinity", 23 }, none = { "", 0 };
    int with_pairs = r->npairs > 0;

    if (with_pairs && collide_sorts(r, 1) > COLLIDE_SORTS) {
        slip_mjcf_note(r, "pair", none);
        with_pairs = 0;
    }
    if (collide_sorts(r, with_pairs) <= COLLIDE_SORTS) collide_set(r, with_pairs);
    else slip_mjcf_note(r, "geom", bits);
    collide_drop(r);
}
