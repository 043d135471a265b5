/* Closed forms for pairs with a sphere, a capsule or a half-space.
 *
 * All work in the frame of the shape that has faces or an axis, where "level with a face" and "beside the axis" are
 * exact zeros: a normal is then a face's normal to the last bit, however small the gap. */
#include "geom/distance_private.h"

/* v/|v|, or `other` for v = 0; returns |v|. cc: squared size of the vectors that v is the difference of; where most of
 * it cancelled, v is rounded once first (core_round_once3). */
static inline slip_real round_unit(const slip_real v[3], slip_real cc, const slip_real other[3], slip_real n[3])
{
    const slip_real vv = slip_dot3(v, v);
    slip_real x[3], l;

    if (vv > SLIP_TOL(1e-6, 1e-2)*cc && vv > SLIP_REAL_MIN/SLIP_REAL_EPS) {
        l = slip_sqrt(vv);
        slip_scale3(1/l, v, n);
        return l;
    }
    core_round_once3(v, x);
    l = slip_normalize3(x, n);
    if (!(l > 0)) slip_copy3(other, n);
    return l + vv*0;                                      /* a NaN shall be seen */
}

static const slip_real round_x[3] = { 1, 0, 0 };
static const slip_real round_z[3] = { 0, 0, 1 };

/* ---- spheres ------------------------------------------------------------------------------------ */

slip_status slip_near_sphere_sphere(const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb,
                                    int flip, slip_distance_result *r)
{
    slip_real v[3], n[3], d;

    if (!(near_ball_ok(a) & near_ball_ok(b))) return SLIP_ERR_ARGUMENT;
    slip_sub3(xb->p, xa->p, v);
    d = round_unit(v, 0, round_z, n) - a->radius - b->radius;
    if (!slip_is_finite(d)) return SLIP_ERR_ARGUMENT;
    (void)flip;                                           /* as good the one way as the other */
    r->distance = d;
    slip_copy3(n, r->normal);
    slip_axpy3(a->radius, n, xa->p, r->a);
    slip_axpy3(-b->radius, n, xb->p, r->b);
    r->iterations = 0;
    return SLIP_OK;
}

/* The result for a core point x with a radius ra around it and the nearest point of the other core d away along n. */
static slip_status round_point(const slip_pose *X, const slip_real x[3], const slip_real n[3], slip_real d,
                               slip_real ra, slip_real rb, int flip, slip_distance_result *r)
{
    slip_real a[3];

    slip_axpy3(ra, n, x, a);
    return near_put(X, d - ra - rb, n, a, flip, r);
}

slip_status slip_near_capsule_sphere(const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb,
                                     int flip, slip_distance_result *r)
{
    slip_real c[3], x[3] = { 0, 0, 0 }, v[3], n[3], d;

    if (!(near_stick_ok(a) & near_ball_ok(b))) return SLIP_ERR_ARGUMENT;
    slip_pose_inv_point(xa, xb->p, c);
    x[2] = slip_clamp(c[2], -a->half[2], a->half[2]);
    slip_sub3(c, x, v);
    d = round_unit(v, slip_dot3(c, c), round_x, n);
    return round_point(xa, x, n, d, a->radius, b->radius, flip, r);
}

slip_status slip_near_box_sphere(const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb,
                                 int flip, slip_distance_result *r)
{
    slip_real c[3], x[3], v[3], n[3], d;
    int i, at = 0;

    if (!(near_box_ok(a) & near_ball_ok(b))) return SLIP_ERR_ARGUMENT;
    slip_pose_inv_point(xa, xb->p, c);
    for (i = 0; i < 3; ++i) {
        x[i] = slip_clamp(c[i], -a->half[i], a->half[i]);
        v[i] = c[i] - x[i];
    }
    if (v[0] != 0 || v[1] != 0 || v[2] != 0) {
        d = round_unit(v, slip_dot3(c, c), round_x, n);
    } else {                                              /* inside: the nearest face */
        for (i = 1; i < 3; ++i) if (a->half[i] - slip_abs(c[i]) < a->half[at] - slip_abs(c[at])) at = i;
        slip_zero3(n);
        n[at] = slip_copysign(1, c[at]);
        d = slip_abs(c[at]) - a->half[at];
        x[at] = slip_copysign(a->half[at], c[at]);
    }
    return near_put(xa, d - b->radius, n, x, flip, r);
}

slip_status slip_near_cylinder_sphere(const slip_shape *a, const slip_pose *xa, const slip_shape *b,
                                      const slip_pose *xb, int flip, slip_distance_result *r)
{
    slip_real c[3], x[3], v[3], u[3], n[3], d, rho, dr, dz;

    if (!(near_stick_ok(a) & near_ball_ok(b))) return SLIP_ERR_ARGUMENT;
    slip_pose_inv_point(xa, xb->p, c);
    slip_set3(c[0], c[1], 0, v);
    rho = round_unit(v, slip_dot3(c, c), round_x, u);                      /* u: outwards */
    dr = rho - a->radius;
    dz = slip_abs(c[2]) - a->half[2];
    slip_copy3(c, x);
    if (dr > 0 || dz > 0) {
        slip_scale3(dr > 0 ? dr : 0, u, v);
        v[2] = dz > 0 ? slip_copysign(dz, c[2]) : 0;
        d = round_unit(v, slip_dot3(c, c), round_x, n);
        slip_sub3(c, v, x);
    } else if (dr > dz) {
        d = dr;
        slip_copy3(u, n);
        slip_axpy3(-dr, u, c, x);
    } else {
        d = dz;
        slip_set3(0, 0, slip_copysign(1, c[2]), n);
        x[2] = slip_copysign(a->half[2], c[2]);
    }
    return near_put(xa, d - b->radius, n, x, flip, r);
}

/* ---- capsule and capsule ------------------------------------------------------------------------ */

/* Nearest points s z and p + t w of the axes; ww = w_x^2 + w_y^2 is the squared sine of their angle, free of
 * cancellation, so that a tilt of 1e-7 is a tilt. */
static void round_axes(const slip_real p[3], const slip_real w[3], slip_real ha, slip_real hb, slip_real *s,
                       slip_real *t)
{
    const slip_real ww = w[0]*w[0] + w[1]*w[1], pw = w[0]*p[0] + w[1]*p[1];

    if (ww > SLIP_REAL_MIN/SLIP_REAL_EPS) {
        *t = slip_clamp(-pw/ww, -hb, hb);
        *s = p[2] + *t*w[2];
        if (slip_abs(*s) <= ha) return;
        *s = slip_copysign(ha, *s);
        *t = slip_clamp(w[2]*(*s - p[2]) - pw, -hb, hb);
        *s = slip_clamp(p[2] + *t*w[2], -ha, ha);
        return;
    }
    /* Parallel: the middle of the overlap, or the ends that face each other. */
    *s = slip_clamp((slip_max(p[2] - hb, -ha) + slip_min(p[2] + hb, ha))/2, -ha, ha);
    *t = slip_clamp(w[2]*(*s - p[2]), -hb, hb);
    *s = slip_clamp(p[2] + *t*w[2], -ha, ha);
}

/* Normal of two axes whose nearest points are v apart: along v. Where they cross (`inside` both) or nearly meet, v has
 * few correct digits, and the cross product of the axes is used. Returns |v|. */
static slip_real round_axes_normal(const slip_real w[3], const slip_real v[3], slip_real size, int inside,
                                   slip_real n[3])
{
    const slip_real vv = slip_dot3(v, v), ss = w[0]*w[0] + w[1]*w[1], dd = size*size;
    const slip_real flat[3] = { v[0], v[1], 0 }, end[3] = { 0, 0, v[2] < 0 ? SLIP_R(-1) : SLIP_R(1) };
    const int meet = vv <= SLIP_TOL(1e-20, 1e-10)*dd;

    if (ss > SLIP_TOL(1e-20, 1e-10) && (meet || (inside && vv < SLIP_TOL(1e-6, 1e-3)*ss*dd))) {
        const slip_real k = 1/slip_sqrt(ss);

        slip_set3(-k*w[1], k*w[0], 0, n);
        if (slip_dot3(n, v) < 0) slip_neg3(n, n);
        return slip_sqrt(vv);
    }
    if (!meet) return round_unit(v, dd, end, n);
    round_unit(flat, dd, round_x, n);
    return slip_sqrt(vv);
}

slip_status slip_near_capsule_capsule(const slip_shape *a, const slip_pose *xa, const slip_shape *b,
                                      const slip_pose *xb, int flip, slip_distance_result *r)
{
    const slip_real ha = a->half[2], hb = b->half[2], eps = 4*SLIP_REAL_EPS*(ha + hb);
    slip_real p[3], w[3], x[3] = { 0, 0, 0 }, c[3], v[3], n[3], s, t, d, along;

    if (!(near_stick_ok(a) & near_stick_ok(b))) return SLIP_ERR_ARGUMENT;
    slip_pose_inv_point(xa, xb->p, p);
    slip_set3(xb->R[2], xb->R[5], xb->R[8], w);
    slip_mat3_tvec(xa->R, w, w);
    round_axes(p, w, ha, hb, &s, &t);
    x[2] = s;
    slip_axpy3(t, w, p, c);
    slip_sub3(c, x, v);
    if (slip_abs(s) < ha || slip_abs(v[2]) <= eps) v[2] = 0;         /* beside the axis, or rounding along it */
    along = slip_dot3(v, w);
    if (slip_abs(s) == ha && (slip_abs(t) < hb || slip_abs(along) <= eps)) slip_axpy3(-along, w, v, v);
    d = round_axes_normal(w, v, ha + hb, slip_abs(s) < ha && slip_abs(t) < hb, n);
    return round_point(xa, x, n, d, a->radius, b->radius, flip, r);
}

/* ---- half-space --------------------------------------------------------------------------------- */

slip_status slip_near_plane_shape(const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb,
                                  int flip, slip_distance_result *r)
{
    slip_real n[3], m[3], x[3], e[3], d;
    int hint = 0;

    (void)a;
    if (!near_shape_ok(b)) return SLIP_ERR_ARGUMENT;
    slip_set3(xa->R[2], xa->R[5], xa->R[8], n);
    slip_mat3_tvec(xb->R, n, m);
    slip_neg3(m, m);
    core_support(b, m, &hint, x);                         /* the lowest point */
    slip_pose_point(xb, x, x);
    slip_axpy3(-core_round(b), n, x, x);
    slip_sub3(x, xa->p, e);
    d = slip_dot3(n, e);
    if (!slip_is_finite(d)) return SLIP_ERR_ARGUMENT;
    r->distance = d;
    r->iterations = 0;
    slip_scale3(flip ? SLIP_R(-1) : SLIP_R(1), n, r->normal);
    slip_copy3(x, flip ? r->a : r->b);
    slip_axpy3(-d, n, x, flip ? r->b : r->a);
    return SLIP_OK;
}
