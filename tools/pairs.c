/* Reads files of shape pairs, line by line; see pairs.h for the format. */
#include "pairs.h"

#include <limits.h>

typedef struct {
    const char *text;
    size_t length, at;           /* at: start of the next line          */
    int line;                    /* number of the line last read        */
    const char *word[24];        /* its words                           */
    int size[24], words;         /* words beyond 24 are only counted    */
    const char *raw;             /* the line itself                     */
    int raw_size;
    slip_error *err;
} pairs_reader;

/* ---- lines and words ---------------------------------------------------------------------------- */

static void pairs_split(pairs_reader *in)
{
    int i = 0;

    in->words = 0;
    while (i < in->raw_size) {
        int from;

        while (i < in->raw_size && slip_is_blank(in->raw[i])) ++i;
        from = i;
        while (i < in->raw_size && !slip_is_blank(in->raw[i])) ++i;
        if (i == from) break;
        if (in->words < 24) {
            in->word[in->words] = in->raw + from;
            in->size[in->words] = i - from;
        }
        ++in->words;
    }
}

/* The next line that is neither empty nor a comment; 0 at the end. */
static int pairs_line(pairs_reader *in)
{
    while (in->at < in->length) {
        const size_t from = in->at;

        while (in->at < in->length && in->text[in->at] != '\n') ++in->at;
        in->raw = in->text + from;
        in->raw_size = in->at - from > INT_MAX/2 ? INT_MAX/2 : (int)(in->at - from);
        ++in->at;
        ++in->line;
        pairs_split(in);
        if (in->words > 0 && in->word[0][0] != '#') return 1;
    }
    return 0;
}

static int pairs_is(const pairs_reader *in, int i, const char *word)
{
    return i < in->words && i < 24 && slip_text_equal_n(in->word[i], in->size[i], word);
}

static slip_status pairs_real(pairs_reader *in, int i, slip_real *x)
{
    if (i >= in->words || i >= 24)
        return slip_fail(in->err, SLIP_ERR_PARSE, in->line, 0, "a number is missing after word %d", in->words);
    if (slip_read_real(in->word[i], in->size[i], x) != in->size[i] || !slip_is_finite(*x))
        return slip_fail(in->err, SLIP_ERR_PARSE, in->line, 0, "'%.*s' is not a finite number", in->size[i],
                         in->word[i]);
    return SLIP_OK;
}

static slip_status pairs_reals(pairs_reader *in, int from, int n, slip_real *x)
{
    int i;

    for (i = 0; i < n; ++i) {
        const slip_status s = pairs_real(in, from + i, x + i);

        if (s < 0) return s;
    }
    return SLIP_OK;
}

static slip_status pairs_int(pairs_reader *in, int i, int *x)
{
    if (i >= in->words || i >= 24 || slip_read_int(in->word[i], in->size[i], x) != in->size[i])
        return slip_fail(in->err, SLIP_ERR_PARSE, in->line, 0, "a whole number is expected as word %d", i + 1);
    return SLIP_OK;
}

/* ---- shapes ------------------------------------------------------------------------------------- */

static slip_status pairs_mesh_ref(pairs_reader *in, const slip_pairs *p, slip_shape *s)
{
    int id, i;
    const slip_status status = pairs_int(in, 2, &id);

    if (status < 0) return status;
    for (i = 0; i < p->nmesh; ++i)
        if (p->mesh_id[i] == id) { *s = slip_shape_mesh(&p->hull[i]);  return SLIP_OK; }
    return slip_fail(in->err, SLIP_ERR_PARSE, in->line, 0, "mesh %d is not in this file above this line", id);
}

/* The shape of an `a` or `b` line; *used: words up to `pose`. */
static slip_status pairs_shape(pairs_reader *in, const slip_pairs *p, slip_shape *s, int *used)
{
    slip_real x[3] = { 0, 0, 0 };
    slip_status status = SLIP_OK;
    int n = 0;

    if (pairs_is(in, 1, "mesh")) {
        status = pairs_mesh_ref(in, p, s);
        n = 1;
    } else if (pairs_is(in, 1, "halfspace")) {
        *s = slip_shape_halfspace();
    } else {
        const int box = pairs_is(in, 1, "box"), ball = pairs_is(in, 1, "sphere"), rod = pairs_is(in, 1, "capsule");
        const int egg = pairs_is(in, 1, "ellipsoid");

        if (!box && !ball && !rod && !egg && !pairs_is(in, 1, "cylinder"))
            return slip_fail(in->err, SLIP_ERR_PARSE, in->line, 0,
                             "a shape is expected: sphere, box, capsule, cylinder, ellipsoid, mesh or halfspace");
        n = box || egg ? 3 : ball ? 1 : 2;
        status = pairs_reals(in, 2, n, x);
        *s = box ? slip_shape_box(x[0], x[1], x[2]) : ball ? slip_shape_sphere(x[0])
             : egg ? slip_shape_ellipsoid(x[0], x[1], x[2])
             : rod ? slip_shape_capsule(x[0], x[1]) : slip_shape_cylinder(x[0], x[1]);
    }
    if (status < 0) return status;
    if (slip_shape_check(s) != SLIP_OK)
        return slip_fail(in->err, SLIP_ERR_PARSE, in->line, 0, "the %s has a %s size",
                         slip_shape_kind_name(s->kind),
                         s->kind == SLIP_SHAPE_ELLIPSOID ? "zero or negative" : "negative");
    *used = 2 + n;
    return SLIP_OK;
}

static slip_status pairs_side(pairs_reader *in, const slip_pairs *p, slip_shape *s, slip_pose *X)
{
    slip_real v[7], q[4];
    int used = 0;
    slip_status status = pairs_shape(in, p, s, &used);

    if (status < 0) return status;
    if (!pairs_is(in, used, "pose"))
        return slip_fail(in->err, SLIP_ERR_PARSE, in->line, 0, "'pose' is expected as word %d", used + 1);
    status = pairs_reals(in, used + 1, 7, v);
    if (status < 0) return status;
    q[0] = v[4];  q[1] = v[5];  q[2] = v[6];  q[3] = v[3];
    if (!(slip_quat_normalize(q, q) > 0))
        return slip_fail(in->err, SLIP_ERR_PARSE, in->line, 0, "the quaternion is zero");
    slip_pose_from(v, q, X);
    return SLIP_OK;
}

/* ---- records ------------------------------------------------------------------------------------ */

static slip_status pairs_mesh(pairs_reader *in, slip_arena *arena, slip_pairs *p)
{
    const size_t scratch = slip_arena_mark_scratch(arena);
    slip_error why;
    slip_real *x;
    slip_status s;
    int id, nv, i;

    if ((s = pairs_int(in, 1, &id)) < 0 || (s = pairs_int(in, 2, &nv)) < 0) return s;
    if (nv < 1 || (size_t)nv > in->length/6 + 1)          /* a point takes six bytes at least */
        return slip_fail(in->err, SLIP_ERR_PARSE, in->line, 0,
                         "mesh %d claims %d points, the file has no room for them", id, nv);
    x = (slip_real *)slip_arena_scratch(arena, (size_t)nv, 3*sizeof *x);
    if (!x) return SLIP_ERR_WORKSPACE;
    for (i = 0; i < nv; ++i) {
        if (!pairs_line(in))
            return slip_fail(in->err, SLIP_ERR_PARSE, in->line, 0, "mesh %d ends after %d of %d points", id, i, nv);
        if ((s = pairs_reals(in, 0, 3, x + 3*i)) < 0) return s;
    }
    slip_error_clear(&why);
    s = slip_hull_build(x, nv, 0, arena, &p->hull[p->nmesh], &why);
    slip_arena_release_scratch(arena, scratch);
    if (s == SLIP_ERR_WORKSPACE) return s;
    if (s < 0) return slip_fail(in->err, SLIP_ERR_PARSE, in->line, 0, "mesh %d: %s", id, why.what);
    p->mesh_id[p->nmesh++] = id;
    return SLIP_OK;
}

static void pairs_tag(const pairs_reader *in, char tag[64])
{
    const char *from = in->words > 1 ? in->word[1] : in->raw + in->raw_size;
    int n = (int)(in->raw + in->raw_size - from), i;

    n = n > 63 ? 63 : n;
    while (n > 0 && slip_is_blank(from[n - 1])) --n;
    for (i = 0; i < n; ++i) tag[i] = from[i];
    tag[n] = '\0';
}

/* A line of the current pair. */
static slip_status pairs_field(pairs_reader *in, const slip_pairs *p, slip_shape_pair *pair, int *have)
{
    slip_real w[6];
    slip_status s;

    if (pairs_is(in, 0, "a")) { *have |= 1;  return pairs_side(in, p, &pair->a, &pair->pose_a); }
    if (pairs_is(in, 0, "b")) { *have |= 2;  return pairs_side(in, p, &pair->b, &pair->pose_b); }
    if (pairs_is(in, 0, "tag")) { pairs_tag(in, pair->tag);  return SLIP_OK; }
    if (pairs_is(in, 0, "dist")) { pair->has_truth = 1;  return pairs_real(in, 1, &pair->truth.distance); }
    if (pairs_is(in, 0, "normal")) {
        s = pairs_reals(in, 1, 3, pair->truth.normal);
        return s < 0 ? s : pairs_int(in, 5, &pair->normal_unique);
    }
    if (pairs_is(in, 0, "witness")) {
        if ((s = pairs_reals(in, 1, 6, w)) < 0) return s;
        slip_copy3(w, pair->truth.a);
        slip_copy3(w + 3, pair->truth.b);
        return pairs_int(in, 8, &pair->witness_unique);
    }
    return slip_fail(in->err, SLIP_ERR_PARSE, in->line, 0, "'%.*s' is not a line of this format", in->size[0],
                     in->word[0]);
}

static slip_status pairs_complete(pairs_reader *in, const slip_shape_pair *pair, int have)
{
    if (have == 3) return SLIP_OK;
    return slip_fail(in->err, SLIP_ERR_PARSE, pair->line, 0, "pair %d has no shape %s", pair->id, have & 1 ? "b" : "a");
}

static void pairs_count(const char *text, size_t length, slip_error *err, int *npair, int *nmesh)
{
    pairs_reader in = { NULL, 0, 0, 0, { NULL }, { 0 }, 0, NULL, 0, NULL };

    in.text = text;  in.length = length;  in.err = err;
    *npair = *nmesh = 0;
    while (pairs_line(&in)) {
        *npair += pairs_is(&in, 0, "pair");
        *nmesh += pairs_is(&in, 0, "mesh");
    }
}

static slip_status pairs_read(const char *text, size_t length, slip_arena *arena, slip_pairs *pairs, slip_error *err)
{
    pairs_reader in = { NULL, 0, 0, 0, { NULL }, { 0 }, 0, NULL, 0, NULL };
    slip_pairs p = { 0, 0, NULL, NULL, NULL };
    slip_shape_pair *pair = NULL;
    slip_status s = SLIP_OK;
    int npair, nmesh, have = 3;

    pairs_count(text, length, err, &npair, &nmesh);
    p.pair = (slip_shape_pair *)slip_arena_take_zero(arena, (size_t)npair, sizeof *p.pair);
    p.hull = (slip_hull *)slip_arena_take_zero(arena, (size_t)nmesh, sizeof *p.hull);
    p.mesh_id = slip_arena_ints(arena, (size_t)nmesh);
    if (!p.pair || !p.hull || !p.mesh_id) return SLIP_ERR_WORKSPACE;
    in.text = text;  in.length = length;  in.err = err;
    while (s >= 0 && pairs_line(&in)) {
        const int mesh = pairs_is(&in, 0, "mesh"), next = pairs_is(&in, 0, "pair");

        if ((mesh || next) && pair && (s = pairs_complete(&in, pair, have)) < 0) break;
        if (mesh) {
            s = pairs_mesh(&in, arena, &p);
        } else if (next) {
            pair = &p.pair[p.n++];
            pair->line = in.line;
            have = 0;
            s = pairs_int(&in, 1, &pair->id);
        } else if (pair) {
            s = pairs_field(&in, &p, pair, &have);
        } else {
            s = slip_fail(err, SLIP_ERR_PARSE, in.line, 0, "'mesh' or 'pair' is expected, not '%.*s'", in.size[0],
                          in.word[0]);
        }
    }
    if (s >= 0 && pair) s = pairs_complete(&in, pair, have);
    if (s < 0) return s;
    *pairs = p;
    return SLIP_OK;
}

slip_status slip_pairs_read(const char *text, size_t length, slip_arena *arena, slip_pairs *pairs, slip_error *err)
{
    const size_t low = slip_arena_mark(arena), high = slip_arena_mark_scratch(arena);
    const slip_status s = pairs_read(text, length, arena, pairs, err);

    slip_arena_release_scratch(arena, high);
    if (s < 0) slip_arena_release(arena, low);
    return s;
}
