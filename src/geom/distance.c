/* The pair query: closed forms by the kinds of the two shapes, else GJK and the expanding polytope on their cores. */
#include "geom/distance_private.h"
#include "geom/gjk.h"
#include "geom/epa.h"

/* ---- general cores ------------------------------------------------------------------------------ */

static void distance_pair(const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb,
                          core_pair *q)
{
    q->a = a;
    q->b = b;
    core_place(xa, xb, q);
    q->size = slip_shape_reach(a) + slip_shape_reach(b) + slip_abs(q->p[0]) + slip_abs(q->p[1]) + slip_abs(q->p[2]);
    q->hint_a = q->hint_b = 0;
    q->budget = NULL;
}

/* From the middle of A to that of B: the start of a search without a better guess. */
static void distance_guess(const core_pair *q, slip_real d[3])
{
    slip_copy3(q->p, d);
    if (q->b->kind == SLIP_SHAPE_MESH) {
        slip_mat3_vec(q->R, q->b->hull->centre, d);
        slip_add3(d, q->p, d);
    }
    if (q->a->kind == SLIP_SHAPE_MESH) slip_sub3(d, q->a->hull->centre, d);
    if (slip_dot3(d, d) <= SLIP_REAL_MIN) slip_set3(0, 0, 1, d);
}

/* Penetration: of cylinders and of a point in a hull by their own methods, else by the expanding polytope and, if that
 * fails, by all axes. */
static void distance_overlap(core_pair *q, const gjk_simplex *s, core_result *r)
{
    const int ball = SLIP_HAS_SHAPE(MESH) && (q->a->kind == SLIP_SHAPE_SPHERE || q->b->kind == SLIP_SHAPE_SPHERE);
    const slip_shape *other = q->a->kind == SLIP_SHAPE_SPHERE ? q->b : q->a;

    if (!core_is_polytope(q->a) || !core_is_polytope(q->b)) { slip_cylinder_depth(q, r);  return; }
    if (ball && other->kind == SLIP_SHAPE_MESH && other->hull->nf > 3) { slip_sat_point_depth(q, r);  return; }
    r->status = slip_epa_depth(q, s, r);
    if (r->status != SLIP_OK && r->status != SLIP_DEADLINE) slip_sat_depth(q, r);
}

/* Cores so close that b - a has few correct digits. The normal is that of the features if it certifies the distance,
 * else that of the polytope's nearest face; if both are doubtful, b - a stays. */
static void distance_close(core_pair *q, gjk_simplex *s, core_result *r)
{
    const slip_real eps = 64*SLIP_REAL_EPS*q->size;
    slip_real m[3], own;
    core_result e, again;

    if (s->n == 3 && slip_core_feature_normal(q, s->v, r->n, m) && core_separation(q, m) >= r->d - eps) {
        slip_copy3(m, r->n);
        return;
    }
    if (r->d > GJK_NEAR*q->size) return;
    e.iterations = r->iterations;
    distance_overlap(q, s, &e);
    r->iterations = e.iterations;
    if (e.d < -eps/4) { *r = e;  return; }                /* no axis separates them: they overlap after all */
    if (core_is_over(q)) { r->status = SLIP_DEADLINE;  return; }
    own = core_separation(q, r->n);
    if (r->d > slip_max(e.d, own) + eps && slip_gjk_distance(q, e.n, SLIP_REAL_MAX/4, 1, s, &again) == GJK_APART
        && again.d < r->d) {
        again.iterations += r->iterations;
        *r = again;                                       /* the first search had stopped short */
        own = core_separation(q, r->n);
    }
    if (e.d <= own) return;
    slip_copy3(e.n, r->n);
    if (e.d < r->d - eps) return;
    *r = e;                                               /* nearest at a face after all: exact */
}

static void distance_search(core_pair *q, const slip_real d[3], slip_real beyond, core_result *r)
{
    gjk_outcome outcome;
    gjk_simplex s;
    core_result e;

    outcome = slip_gjk_distance(q, d, beyond, 0, &s, r);
    if (outcome == GJK_CLOSE) {
        e.iterations = r->iterations;
        distance_overlap(q, &s, &e);
        *r = e;
        if (!(e.d > 64*SLIP_REAL_EPS*q->size) || core_is_over(q)) return;
        /* Thin shapes: the search took a sliver for a solid round the origin, yet an axis separates them. */
        outcome = slip_gjk_distance(q, e.n, beyond, 1, &s, r);
        if (outcome == GJK_CLOSE || r->d < e.d) { *r = e;  return; }
    }
    if (outcome == GJK_APART && !(core_is_polytope(q->a) && core_is_polytope(q->b)))
        slip_cylinder_polish(q, s.v, s.n, r);
    else if (outcome == GJK_APART && r->d < SLIP_TOL(1e-5, 1e-2)*q->size) distance_close(q, &s, r);
}

static slip_status distance_cores(const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb,
                                  slip_real beyond, slip_distance_cache *cache, slip_distance_result *out)
{
    const slip_real ra = core_round(a), rb = core_round(b);
    slip_real d[3];
    core_pair q;
    core_result r;

    distance_pair(a, xa, b, xb, &q);
    q.budget = cache ? cache->budget : NULL;
    if (!slip_all_finite(q.R, 9) || !slip_is_finite(q.size)) return SLIP_ERR_ARGUMENT;
    if (SLIP_HAS_SHAPE(BOX) && a->kind == SLIP_SHAPE_BOX && b->kind == SLIP_SHAPE_BOX) {
        if (!slip_box_box_distance(&q, &r)) {
            slip_copy3(r.n, d);
            distance_search(&q, d, beyond + ra + rb, &r);
        }
    } else {
        if (cache && slip_dot3(cache->direction, cache->direction) > 0) {
            slip_copy3(cache->direction, d);
            q.hint_a = cache->hint_a;
            q.hint_b = cache->hint_b;
        } else {
            distance_guess(&q, d);
        }
        if (SLIP_HAS_SHAPE(ELLIPSOID) && (a->kind == SLIP_SHAPE_ELLIPSOID || b->kind == SLIP_SHAPE_ELLIPSOID))
            slip_ellipsoid_distance(&q, d, beyond + ra + rb, &r);
        else
            distance_search(&q, d, beyond + ra + rb, &r);
    }
    if (!slip_is_finite(r.d + r.n[0] + r.n[1] + r.n[2])) return SLIP_ERR_ARGUMENT;
    if (cache) {
        slip_copy3(r.n, cache->direction);
        cache->hint_a = q.hint_a;
        cache->hint_b = q.hint_b;
    }
    if (!(r.d > beyond + ra + rb)) core_align_points(&r);
    slip_axpy3(ra, r.n, r.a, r.a);
    slip_axpy3(-rb, r.n, r.b, r.b);
    out->distance = r.d - ra - rb;
    if (r.status == SLIP_DEADLINE && r.d >= 0) out->distance = slip_max(out->distance, 0);
    slip_mat3_vec(xa->R, r.n, out->normal);
    slip_pose_point(xa, r.a, out->a);
    slip_pose_point(xa, r.b, out->b);
    out->iterations = r.iterations;
    return r.status;
}

/* ---- the query ---------------------------------------------------------------------------------- */

/* Kinds of which two, or one and another, have no closed form. */
#define DISTANCE_HAS_CORES \
    (SLIP_HAS_SHAPE(BOX) | SLIP_HAS_SHAPE(CYLINDER) | SLIP_HAS_SHAPE(ELLIPSOID) | SLIP_HAS_SHAPE(MESH))

/* Closed forms by the kinds of the first and second shape; a pair in the other order is computed with `flip`. */
#define DISTANCE_FORM(a, b, form) \
    [SLIP_SHAPE_##b] = SLIP_HAS_SHAPE(a) && SLIP_HAS_SHAPE(b) ? (form) : NULL
static near_form *const distance_forms[SLIP_SHAPE_KINDS][SLIP_SHAPE_KINDS] = {
    [SLIP_SHAPE_SPHERE]    = { DISTANCE_FORM(SPHERE, SPHERE, slip_near_sphere_sphere) },
    [SLIP_SHAPE_BOX]       = { DISTANCE_FORM(BOX, SPHERE, slip_near_box_sphere),
                               DISTANCE_FORM(BOX, CAPSULE, slip_near_box_capsule) },
    [SLIP_SHAPE_CAPSULE]   = { DISTANCE_FORM(CAPSULE, SPHERE, slip_near_capsule_sphere),
                               DISTANCE_FORM(CAPSULE, CAPSULE, slip_near_capsule_capsule) },
    [SLIP_SHAPE_CYLINDER]  = { DISTANCE_FORM(CYLINDER, SPHERE, slip_near_cylinder_sphere) },
    [SLIP_SHAPE_HALFSPACE] = { DISTANCE_FORM(HALFSPACE, SPHERE, slip_near_plane_shape),
                               DISTANCE_FORM(HALFSPACE, BOX, slip_near_plane_shape),
                               DISTANCE_FORM(HALFSPACE, CAPSULE, slip_near_plane_shape),
                               DISTANCE_FORM(HALFSPACE, CYLINDER, slip_near_plane_shape),
                               DISTANCE_FORM(HALFSPACE, ELLIPSOID, slip_near_plane_shape),
                               DISTANCE_FORM(HALFSPACE, MESH, slip_near_plane_shape) },
};

/* The closed form of two kinds, known ones, in either order; NULL: none. *flip: it is that of the other order. */
static inline near_form *distance_form(const slip_shape *a, const slip_shape *b, int *flip)
{
    near_form *form = distance_forms[a->kind][b->kind];

    *flip = form == NULL;
    return form ? form : distance_forms[b->kind][a->kind];
}

static inline int distance_kind_ok(const slip_shape *s) { return (unsigned)s->kind < SLIP_SHAPE_KINDS; }

/* What has no closed form. */
static slip_status distance_other(const slip_shape *a, const slip_pose *pose_a, const slip_shape *b,
                                  const slip_pose *pose_b, slip_real beyond, slip_distance_cache *cache,
                                  slip_distance_result *out)
{
    if (!near_shape_ok(a) || !near_shape_ok(b)) return SLIP_ERR_ARGUMENT;
    if (!DISTANCE_HAS_CORES || a->kind >= SLIP_SHAPE_HALFSPACE || b->kind >= SLIP_SHAPE_HALFSPACE)
        return SLIP_ERR_UNSUPPORTED;
    return distance_cores(a, pose_a, b, pose_b, beyond, cache, out);
}

slip_status slip_distance_within(const slip_shape *a, const slip_pose *pose_a, const slip_shape *b,
                                 const slip_pose *pose_b, slip_real beyond, slip_distance_cache *cache,
                                 slip_distance_result *out)
{
    near_form *form;
    int flip;

    if (!distance_kind_ok(a) || !distance_kind_ok(b)) return SLIP_ERR_ARGUMENT;
    if ((form = distance_form(a, b, &flip)) == NULL) return distance_other(a, pose_a, b, pose_b, beyond, cache, out);
    return flip ? form(b, pose_b, a, pose_a, 1, out) : form(a, pose_a, b, pose_b, 0, out);
}

slip_status slip_distance(const slip_shape *a, const slip_pose *pose_a, const slip_shape *b, const slip_pose *pose_b,
                          slip_distance_cache *cache, slip_distance_result *out)
{
    return slip_distance_within(a, pose_a, b, pose_b, SLIP_REAL_MAX/4, cache, out);
}
