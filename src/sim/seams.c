/* The axis along which two shapes that do not overlap yet are held apart.
 *
 * A speculative contact requires that the gap along its normal n must not close: n . dx + gap >= 0. With n from the
 * nearest points it also stops shapes that pass by: a box that slides towards the next tile of a floor is nearest to
 * the tile's side, which it would never touch ("internal edge"). But every axis along which the shapes are apart gives
 * a valid row. So where the present velocity would violate the row of n, the pair is tested again at the place where
 * that velocity leads, and if some axis n' separates it there as well as here, n' becomes the normal:
 *
 *   here     n' . x >= 0      there    n' . (x + h u) >= 0      hence on the whole way, if the motion is straight
 *
 * each up to SEAM_TOUCH, the overlap that rounding and corrections leave in a touching contact. A pair that truly hits
 * has no such axis and keeps n. Constants: tests/test_seams.c. */
#include "sim/world_private.h"

#define SEAM_TOUCH SLIP_R(1e-3)           /* overlap that counts as touching, of the smaller shape's reach         */
#define SEAM_TURN  SLIP_TOL(1e-12, 1e-6)  /* 1 - cos of an angle: below, two normals are the same                  */

/* The pair, its motion, and how much overlap is touching. */
typedef struct {
    const slip_world *w;
    int a, b;                            /* colliders */
    slip_real margin, touch;
    slip_budget *budget;
} seam_pair;

/* How the material points of both bodies at x move against each other; u_b - u_a. World axes. */
static void seam_velocity(const seam_pair *f, const slip_real x[3], slip_real u[3])
{
    const slip_data *d = f->w->data;
    slip_real r[3], t[3];
    int k;

    slip_zero3(u);
    for (k = 0; k < 2; ++k) {
        const int body = f->w->fixed.colliders[k ? f->b : f->a].body;
        const slip_real *v = d->velocity + 6*body;

        if (body == 0) continue;
        slip_sub3(x, d->pose[body].p, r);
        slip_cross3(v + 3, r, t);
        slip_add3(t, v, t);
        slip_axpy3(k ? 1 : -1, t, u, u);
    }
}

/* Pose of a collider after h seconds at its present velocity. */
static void seam_pose(const seam_pair *f, int collider, slip_real h, slip_pose *X)
{
    const sim_collider *c = &f->w->fixed.colliders[collider];
    const slip_pose *now = &f->w->data->pose[c->body];
    const slip_real *v = f->w->data->velocity + 6*c->body;
    slip_real turn[3], e[4], E[9];
    slip_pose then;

    if (c->body == 0) { *X = f->w->step.collider_pose[collider];  return; }
    slip_axpy3(h, v, now->p, then.p);
    slip_scale3(h, v + 3, turn);
    slip_quat_exp(turn, e);
    slip_quat_to_mat3(e, E);
    slip_mat3_mul(E, now->R, then.R);
    slip_pose_mul(&then, &c->local, X);
}

/* The largest violation (<= 0) of a point's row, as rows.c will write it, by a step at the present velocity; *at: which
 * point; *h: the time at which it is violated by twice the touch. */
static slip_real seam_violation(const seam_pair *f, const sim_touch *t, int *at, slip_real *h)
{
    slip_real worst = 0, u[3];
    int k;

    *h = 0;
    *at = 0;
    for (k = 0; k < t->n; ++k) {
        const slip_real gap = slip_abs(t->point[k].gap) <= f->w->opt.slop ? 0 : t->point[k].gap;
        slip_real rate;

        seam_velocity(f, t->point[k].point, u);
        rate = slip_dot3(t->normal[k], u);
        if (!(rate < 0) || !(gap + f->w->opt.dt*rate < worst)) continue;
        worst = gap + f->w->opt.dt*rate;
        *at = k;
        *h = -(gap + 2*f->touch)/rate;
    }
    return worst;
}

/* Takes a point found there back to where it is now: with the shape that moves, or halfway with both (a ball's lowest
 * point stays the lowest, so it follows the shape, not the material point); the gap is set so that the row gives the
 * gap found there. 0 when they are not apart along the normal n, there or here. */
static int seam_point(const seam_pair *f, slip_real h, const slip_real back[3], const slip_real n[3],
                         slip_patch_point *p)
{
    slip_real u[3];

    if (p->gap < -f->touch) return 0;
    slip_add3(p->point, back, p->point);
    seam_velocity(f, p->point, u);
    p->gap -= h*slip_dot3(n, u);
    return p->gap >= -f->touch;
}

/* Looks at the pair h seconds ahead; 1 when it takes its contacts from there: not if all have normal n as before. */
static int seam_at(const seam_pair *f, slip_real h, const slip_real n[3], sim_touch *touch)
{
    const slip_pose *pa = &f->w->step.collider_pose[f->a], *pb = &f->w->step.collider_pose[f->b];
    const int both = f->w->fixed.colliders[f->a].body != 0 && f->w->fixed.colliders[f->b].body != 0;
    sim_touch then;
    slip_pose xa, xb;
    slip_real back[3];
    int k, same = 1;

    seam_pose(f, f->a, h, &xa);
    seam_pose(f, f->b, h, &xb);
    if (slip_sim_touch(f->w, f->a, f->b, &xa, &xb, 2*f->margin, f->budget, &then) != SLIP_OK) return 0;
    for (k = 0; k < then.n; ++k) same = same && slip_dot3(then.normal[k], n) > 1 - SEAM_TURN;
    if (same) return 0;
    for (k = 0; k < 3; ++k) back[k] = (pa->p[k] - xa.p[k] + pb->p[k] - xb.p[k])/(both ? 2 : 1);
    for (k = 0; k < then.n; ++k) if (!seam_point(f, h, back, then.normal[k], &then.point[k])) return 0;
    *touch = then;
    return 1;
}

/* Whether the contacts, all of one normal, lie on a line, up to the touch. */
static int seam_is_thin(const seam_pair *f, const sim_touch *t)
{
    slip_real r[3], c[3], u[3] = { 0, 0, 0 }, longest = 0;
    int k;

    for (k = 1; k < t->n; ++k) {
        slip_sub3(t->point[k].point, t->point[0].point, r);
        if (!(slip_dot3(r, r) > longest)) continue;
        longest = slip_dot3(r, r);
        slip_copy3(r, u);
    }
    slip_normalize3(u, u);
    for (k = 1; k < t->n; ++k) {
        slip_sub3(t->point[k].point, t->point[0].point, r);
        slip_cross3(u, r, c);
        if (slip_norm3(c) > f->touch) return 0;
    }
    return 1;
}

/* Whether the pair, B moved by `way` against n, is held apart there by an axis as it is here; n becomes that axis. -1:
 * here only. */
static int seam_separates_deeper(const seam_pair *f, slip_real way, slip_real n[3])
{
    const slip_real least = -10*f->w->opt.slop;
    slip_real there = 0;
    slip_pose x = f->w->step.collider_pose[f->b];
    sim_touch then;
    int k;

    slip_axpy3(-way, n, x.p, x.p);
    if (slip_sim_touch(f->w, f->a, f->b, &f->w->step.collider_pose[f->a], &x, f->margin, f->budget, &then) != SLIP_OK
        || then.n == 0) return 0;
    for (k = 0; k < then.n; ++k) {
        if (then.point[k].gap + way*slip_dot3(then.normal[k], n) < least) return 0;
        there = slip_min(there, then.point[k].gap);
    }
    slip_copy3(then.normal[0], n);
    return there < least ? -1 : 1;
}

static int seam_is_round(const slip_shape *s)
{
    return s->kind == SLIP_SHAPE_SPHERE || s->kind == SLIP_SHAPE_CAPSULE || s->kind == SLIP_SHAPE_ELLIPSOID;
}

/* Whether a pair at rest touches only edge to edge: moved slightly deeper, another axis separates it as well. Such a
 * contact bears no load, and either axis would be wrong for a push or a fall that begins now; a step later the right
 * axis is clear. The axis of the nearest points is rounding here; the axis found deeper decides. */
static int seam_is_corner(const seam_pair *f, const sim_touch *t)
{
    const slip_shape *A = &f->w->fixed.colliders[f->a].shape, *B = &f->w->fixed.colliders[f->b].shape;
    slip_real n[3];
    int s;

    if (A->kind == SLIP_SHAPE_HEIGHTFIELD || seam_is_round(A) || seam_is_round(B) || !seam_is_thin(f, t)) return 0;
    slip_copy3(t->normal[0], n);
    s = seam_separates_deeper(f, 2*f->touch, n);
    if (s < 0 && slip_dot3(n, t->normal[0]) < 1 - SEAM_TURN) s = seam_separates_deeper(f, 2*f->touch, n);
    return s > 0;
}

/* Whether both shapes move straight for h seconds: turns leave their points within the touch. A rate that is
 * only rounding gives an h of minutes, for which the prediction means nothing. */
static int seam_is_straight(const seam_pair *f, slip_real h)
{
    const int c[2] = { f->a, f->b };
    int k;

    for (k = 0; k < 2; ++k) {
        const sim_collider *s = &f->w->fixed.colliders[c[k]];

        if (s->body != 0 && h*slip_norm3(f->w->data->velocity + 6*s->body + 3)*s->reach > f->touch) return 0;
    }
    return 1;
}

/* Looks one step ahead first. A shape that creeps over a seam by less than its overlap has the wrong axis there too;
 * then it looks farther ahead. */
void slip_sim_choose_axis(const slip_world *w, int a, int b, slip_real margin, slip_budget *budget, sim_touch *touch)
{
    const sim_collider *A = &w->fixed.colliders[a], *B = &w->fixed.colliders[b];
    const slip_real gap = touch->point[0].gap;
    seam_pair f = { w, a, b, margin, 0, budget };
    slip_real h = 0, worst = 0, n[3];
    int at = 0;

    if (A->shape.kind == SLIP_SHAPE_HALFSPACE || B->shape.kind == SLIP_SHAPE_HALFSPACE) return;
    f.touch = SEAM_TOUCH*(A->reach > 0 && !(B->reach > 0 && B->reach < A->reach) ? A->reach : B->reach);
    if (gap < -f.touch) return;
    if ((w->step.collider_way[a] + w->step.collider_way[b])/2 > gap) worst = seam_violation(&f, touch, &at, &h);
    if (worst >= -w->opt.slop) {                           /* it rests, or creeps */
        if (slip_abs(gap) <= w->opt.slop && seam_is_corner(&f, touch)) touch->n = 0;
        return;
    }
    slip_copy3(touch->normal[at], n);
    if (!seam_at(&f, w->opt.dt, n, touch) && h > w->opt.dt && seam_is_straight(&f, h)) seam_at(&f, h, n, touch);
}
