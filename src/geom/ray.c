/* Rays against shapes, in the shape's own frame: slabs, quadratics, half-spaces, cells. */
#include "geom/ray_world.h"

#include "geom/distance.h"
#include "geom/heightfield_contact.h"

/* A ray in the shape's frame and the answer so far. */
typedef struct {
    slip_real o[3], d[3];    /* origin, unit direction           */
    slip_real t;             /* first hit so far, or tmax        */
    slip_real n[3];
    int hit;
} ray_local;

static void ray_keep(ray_local *r, slip_real t, slip_real nx, slip_real ny, slip_real nz)
{
    if (!(t >= 0) || !(t <= r->t) || (r->hit && t == r->t)) return;
    r->t = t;
    r->hit = 1;
    slip_set3(nx, ny, nz, r->n);
}

/* A start inside: hit at once, facing the ray. */
static void ray_inside(ray_local *r)
{
    r->hit = 0;
    ray_keep(r, 0, -r->d[0], -r->d[1], -r->d[2]);
}

/* Entry of a ray into the ball of radius rad round c. Solved round the point nearest to the centre, so that far
 * origins lose no digits: with s that point's parameter, t = s -+ sqrt((rad^2 - |m|^2)/|d|^2). */
static void ray_ball(ray_local *r, const slip_real c[3], slip_real rad)
{
    const slip_real d2 = slip_dot3(r->d, r->d);
    slip_real m[3], s, h2, t;

    slip_sub3(c, r->o, m);
    s = slip_dot3(m, r->d)/d2;
    slip_axpy3(-s, r->d, m, m);                          /* from the nearest point to the centre */
    h2 = rad*rad - slip_dot3(m, m);
    if (h2 < 0) return;
    t = s - slip_sqrt(h2/d2);
    slip_axpy3(t, r->d, r->o, m);
    slip_sub3(m, c, m);
    slip_normalize3(m, m);
    ray_keep(r, t, m[0], m[1], m[2]);
}

/* Side of an endless cylinder of radius rad about z, where |z| <= half. */
static void ray_tube(ray_local *r, slip_real rad, slip_real half)
{
    const slip_real d2 = r->d[0]*r->d[0] + r->d[1]*r->d[1];
    slip_real s, x, y, h2, t, z;

    if (!(d2 > 0)) return;
    s = -(r->o[0]*r->d[0] + r->o[1]*r->d[1])/d2;
    x = r->o[0] + s*r->d[0];
    y = r->o[1] + s*r->d[1];
    h2 = rad*rad - x*x - y*y;
    if (h2 < 0) return;
    t = s - slip_sqrt(h2/d2);
    z = r->o[2] + t*r->d[2];
    if (slip_abs(z) > half) return;
    x = r->o[0] + t*r->d[0];
    y = r->o[1] + t*r->d[1];
    s = slip_sqrt(x*x + y*y);
    if (s > 0) ray_keep(r, t, x/s, y/s, 0);
}

static void ray_sphere(ray_local *r, const slip_shape *s)
{
    const slip_real zero[3] = { 0, 0, 0 };

    if (slip_dot3(r->o, r->o) <= s->radius*s->radius) ray_inside(r);
    else ray_ball(r, zero, s->radius);
}

static void ray_box(ray_local *r, const slip_shape *s)
{
    slip_real enter = -SLIP_REAL_MAX, leave = r->t;
    int i, axis = -1;

    for (i = 0; i < 3; ++i) {
        const slip_real a = -s->half[i] - r->o[i], b = s->half[i] - r->o[i];
        slip_real t0, t1;

        if (r->d[i] == 0) {
            if (a > 0 || b < 0) return;
            continue;
        }
        t0 = (r->d[i] > 0 ? a : b)/r->d[i];
        t1 = (r->d[i] > 0 ? b : a)/r->d[i];
        if (t0 > enter) { enter = t0;  axis = i; }
        leave = slip_min(leave, t1);
    }
    if (enter > leave || leave < 0) return;
    if (enter <= 0) {
        ray_inside(r);
    } else {
        slip_real n[3] = { 0, 0, 0 };

        n[axis] = r->d[axis] > 0 ? SLIP_R(-1) : SLIP_R(1);
        ray_keep(r, enter, n[0], n[1], n[2]);
    }
}

static void ray_capsule(ray_local *r, const slip_shape *s)
{
    const slip_real h = s->half[2], z = slip_clamp(r->o[2], -h, h), dz = r->o[2] - z;
    const slip_real top[3] = { 0, 0, h }, bottom[3] = { 0, 0, -h };

    if (r->o[0]*r->o[0] + r->o[1]*r->o[1] + dz*dz <= s->radius*s->radius) {
        ray_inside(r);
        return;
    }
    ray_tube(r, s->radius, h);
    ray_ball(r, top, s->radius);
    ray_ball(r, bottom, s->radius);
}

static void ray_cylinder(ray_local *r, const slip_shape *s)
{
    const slip_real h = s->half[2], rad = s->radius;
    int side;

    if (slip_abs(r->o[2]) <= h && r->o[0]*r->o[0] + r->o[1]*r->o[1] <= rad*rad) {
        ray_inside(r);
        return;
    }
    ray_tube(r, rad, h);
    for (side = -1; side <= 1 && r->d[2] != 0; side += 2) {              /* the cap that faces the ray */
        const slip_real t = ((slip_real)side*h - r->o[2])/r->d[2];
        const slip_real x = r->o[0] + t*r->d[0], y = r->o[1] + t*r->d[1];

        if ((slip_real)side*r->d[2] < 0 && x*x + y*y <= rad*rad) ray_keep(r, t, 0, 0, (slip_real)side);
    }
}

/* A unit ball in scaled axes, in which the parameter along the ray is the same. */
static void ray_ellipsoid(ray_local *r, const slip_shape *s)
{
    const slip_real *h = s->half, zero[3] = { 0, 0, 0 };
    ray_local u = *r;
    int i;

    for (i = 0; i < 3; ++i) { u.o[i] /= h[i];  u.d[i] /= h[i]; }
    if (slip_dot3(u.o, u.o) <= 1) { ray_inside(r);  return; }
    ray_ball(&u, zero, 1);
    if (!u.hit) return;
    for (i = 0; i < 3; ++i) u.n[i] /= h[i];
    slip_normalize3(u.n, u.n);
    ray_keep(r, u.t, u.n[0], u.n[1], u.n[2]);
}

static void ray_halfspace(ray_local *r)
{
    if (r->o[2] <= 0) ray_inside(r);
    else if (r->d[2] < 0) ray_keep(r, -r->o[2]/r->d[2], 0, 0, 1);
}

/* Clips the ray by the half-spaces of all faces (Cyrus and Beck). */
static void ray_hull(ray_local *r, const slip_hull *hull)
{
    slip_real enter = -SLIP_REAL_MAX, leave = r->t;
    int f, face = -1;

    if (hull->nf < 3) return;
    for (f = 0; f < hull->nf; ++f) {
        const slip_real *p = hull->plane + 4*f, v = slip_dot3(p, r->d), h = p[3] - slip_dot3(p, r->o);

        if (v == 0) {
            if (h < 0) return;
        } else if (v < 0) {
            if (h/v > enter) { enter = h/v;  face = f; }
        } else {
            leave = slip_min(leave, h/v);
        }
    }
    if (enter > leave || leave < 0) return;
    if (enter <= 0 || face < 0) ray_inside(r);
    else ray_keep(r, enter, hull->plane[4*face], hull->plane[4*face + 1], hull->plane[4*face + 2]);
}

/* A flat polygon, from whichever side the ray comes. */
static void ray_polygon(ray_local *r, const slip_hull *hull)
{
    const slip_real *p = hull->plane, v = slip_dot3(p, r->d), side = v > 0 ? SLIP_R(-1) : SLIP_R(1);
    slip_real t, x[3];
    int k;
    const int n = hull->loop_start[1];

    if (v == 0) return;
    t = (p[3] - slip_dot3(p, r->o))/v;
    slip_axpy3(t, r->d, r->o, x);
    for (k = 0; k < n; ++k) {
        const slip_real *a = hull->vertex + 3*hull->loop[k], *b = hull->vertex + 3*hull->loop[(k + 1) % n];
        slip_real e[3], d[3], c[3];

        slip_sub3(b, a, e);
        slip_sub3(x, a, d);
        slip_cross3(e, d, c);
        if (slip_dot3(c, p) < 0) return;
    }
    ray_keep(r, t, side*p[0], side*p[1], side*p[2]);
}

/* ---- height fields --------------------------------------------------------------------------------------- */

/* One triangle, from above only. Its border is widened by what rounding may move the hit, so that no ray slips
 * between two triangles. */
static void ray_triangle(ray_local *r, const slip_real x[9])
{
    slip_real u[3], v[3], n[3], d[3], c[3], t, p[3], slope, slack;
    int k;

    slip_sub3(x + 3, x, u);
    slip_sub3(x + 6, x, v);
    slip_cross3(u, v, n);
    slip_normalize3(n, n);
    slope = slip_dot3(n, r->d);
    if (!(slope < 0)) return;
    slip_sub3(x, r->o, d);
    t = slip_dot3(n, d)/slope;
    slip_axpy3(t, r->d, r->o, p);
    slack = 16*SLIP_REAL_EPS*(slip_norm3(r->o) + slip_norm3(p));
    for (k = 0; k < 3; ++k) {
        const slip_real *a = x + 3*k, *b = x + 3*((k + 1) % 3);

        slip_sub3(b, a, u);
        slip_sub3(p, a, d);
        slip_cross3(u, d, c);
        if (slip_dot3(c, n) < -slack*slip_norm3(u)) return;
    }
    ray_keep(r, t, n[0], n[1], n[2]);
}

static void ray_cell(ray_local *r, const slip_heightfield *f, int i, int j)
{
    slip_real x[9];
    int k;

    for (k = 0; k < 2; ++k) {
        slip_heightfield_triangle(f, 2*(j*(f->nx - 1) + i) + k, x);
        ray_triangle(r, x);
    }
}

/* Part of the ray inside the field's box, a hair widened; 0 when it misses. */
static int ray_clip_field(const ray_local *r, const slip_heightfield *f, slip_real *from, slip_real *to)
{
    const slip_real lo[3] = { f->x0, f->y0, f->lo };
    const slip_real hi[3] = { f->x0 + f->dx*(slip_real)(f->nx - 1), f->y0 + f->dy*(slip_real)(f->ny - 1), f->hi };
    int i;

    *from = 0;
    *to = r->t;
    for (i = 0; i < 3; ++i) {
        const slip_real slack = 8*SLIP_REAL_EPS*(slip_abs(lo[i]) + slip_abs(hi[i]) + slip_abs(r->o[i]));
        const slip_real a = lo[i] - slack - r->o[i], b = hi[i] + slack - r->o[i];

        if (r->d[i] == 0) {
            if (a > 0 || b < 0) return 0;
            continue;
        }
        *from = slip_max(*from, (r->d[i] > 0 ? a : b)/r->d[i]);
        *to = slip_min(*to, (r->d[i] > 0 ? b : a)/r->d[i]);
    }
    return *from <= *to;
}

static int ray_column(slip_real x, slip_real start, slip_real step, int cells)
{
    const slip_real u = slip_floor((x - start)/step);

    return u < 0 ? 0 : u > (slip_real)(cells - 1) ? cells - 1 : (int)u;
}

/* Parameter at which the ray crosses the next grid line along an axis from cell i. */
static slip_real ray_next_line(slip_real o, slip_real d, slip_real start, slip_real step, int i)
{
    if (d == 0) return SLIP_REAL_MAX;
    return (start + step*(slip_real)(d > 0 ? i + 1 : i) - o)/d;
}

/* The walls of the field, from outside: a ray that enters below the border hits a wall first. */
static int ray_walls(ray_local *r, const slip_heightfield *f)
{
    const slip_real lo[2] = { f->x0, f->y0 };
    const slip_real hi[2] = { f->x0 + f->dx*(slip_real)(f->nx - 1), f->y0 + f->dy*(slip_real)(f->ny - 1) };
    slip_real p[3], n[3] = { 0, 0, 0 }, ground;
    int i;

    for (i = 0; i < 2; ++i) {
        const slip_real wall = r->d[i] > 0 ? lo[i] : hi[i], t = r->d[i] != 0 ? (wall - r->o[i])/r->d[i] : -1;

        if (!(t >= 0 && t <= r->t)) continue;
        slip_axpy3(t, r->d, r->o, p);
        p[i] = wall;
        if (!slip_heightfield_at(f, p[0], p[1], &ground, NULL) || p[2] > ground) continue;
        if (p[2] < f->lo - slip_heightfield_depth(f)) continue;
        n[i] = r->d[i] > 0 ? SLIP_R(-1) : SLIP_R(1);
        ray_keep(r, t, n[0], n[1], n[2]);
        return 1;
    }
    return 0;
}

/* Cell by cell along the ray, at most nx + ny of them. */
static void ray_heightfield(ray_local *r, const slip_heightfield *f)
{
    slip_real from, to, ground;
    int i, j, steps;

    if (slip_heightfield_at(f, r->o[0], r->o[1], &ground, NULL) && r->o[2] <= ground) {
        ray_inside(r);
        return;
    }
    if (ray_walls(r, f) || !ray_clip_field(r, f, &from, &to)) return;
    i = ray_column(r->o[0] + from*r->d[0], f->x0, f->dx, f->nx - 1);
    j = ray_column(r->o[1] + from*r->d[1], f->y0, f->dy, f->ny - 1);
    for (steps = f->nx + f->ny; steps >= 0; --steps) {
        const slip_real tx = ray_next_line(r->o[0], r->d[0], f->x0, f->dx, i);
        const slip_real ty = ray_next_line(r->o[1], r->d[1], f->y0, f->dy, j);

        ray_cell(r, f, i, j);
        if (r->hit || slip_min(tx, ty) > to) return;
        if (tx <= ty) i += r->d[0] > 0 ? 1 : -1;
        else          j += r->d[1] > 0 ? 1 : -1;
        if (i < 0 || j < 0 || i > f->nx - 2 || j > f->ny - 2) return;
    }
}

/* ---- shapes and worlds ----------------------------------------------------------------------------------- */

static int ray_is_good(const slip_ray *ray)
{
    return slip_all_finite(ray->origin, 3) && slip_all_finite(ray->dir, 3) && ray->tmax >= 0
        && (ray->dir[0] != 0 || ray->dir[1] != 0 || ray->dir[2] != 0);
}

static void ray_shape(ray_local *r, const slip_shape *s)
{
    switch (s->kind) {
    case SLIP_SHAPE_SPHERE:      ray_sphere(r, s);               break;
    case SLIP_SHAPE_BOX:         ray_box(r, s);                  break;
    case SLIP_SHAPE_CAPSULE:     ray_capsule(r, s);              break;
    case SLIP_SHAPE_CYLINDER:    ray_cylinder(r, s);             break;
    case SLIP_SHAPE_ELLIPSOID:   ray_ellipsoid(r, s);            break;
    case SLIP_SHAPE_HALFSPACE:   ray_halfspace(r);               break;
    case SLIP_SHAPE_HEIGHTFIELD: ray_heightfield(r, s->field);   break;
    case SLIP_SHAPE_MESH:
        if (s->hull->nf == 2) ray_polygon(r, s->hull);
        else ray_hull(r, s->hull);
        break;
    }
}

int slip_ray_shape(const slip_ray *ray, const slip_shape *shape, const slip_pose *pose, slip_ray_hit *hit)
{
    slip_real length, u[3];
    ray_local r;

    if (!ray_is_good(ray) || slip_shape_check(shape) < 0 || !slip_pose_is_finite(pose)) return SLIP_ERR_ARGUMENT;
    length = slip_normalize3(ray->dir, u);
    slip_pose_inv_point(pose, ray->origin, r.o);
    slip_mat3_tvec(pose->R, u, r.d);
    r.t = ray->tmax < SLIP_REAL_MAX/slip_max(length, 1) ? ray->tmax*length : SLIP_REAL_MAX;
    r.hit = 0;
    ray_shape(&r, shape);
    if (!r.hit) return 0;
    hit->t = slip_min(r.t/length, ray->tmax);
    slip_axpy3(r.t, u, ray->origin, hit->point);
    slip_mat3_vec(pose->R, r.n, hit->normal);
    hit->id = -1;
    return 1;
}

int slip_ray_cast(const slip_ray_world *world, const slip_ray *ray, uint32_t mask, slip_ray_hit *hit)
{
    slip_broadphase_walk walk = slip_broadphase_all(world->boxes);
    slip_ray part = *ray;
    slip_ray_hit h;
    int id, found = 0;

    if (!ray_is_good(ray)) return SLIP_ERR_ARGUMENT;
    part.tmax = slip_min(part.tmax, SLIP_REAL_MAX);
    while ((id = slip_broadphase_next_on_ray(&walk, part.origin, part.dir, part.tmax)) >= 0) {
        if (!(slip_broadphase_proxy(world->boxes, id)->group & mask)) continue;
        if (slip_ray_shape(&part, &world->shape[id], &world->pose[id], &h) <= 0) continue;
        if (found && (h.t > hit->t || (h.t == hit->t && id > hit->id))) continue;
        *hit = h;
        hit->id = id;
        part.tmax = h.t;                                 /* nothing farther matters any more */
        found = 1;
    }
    return found;
}

/* ---- points ---------------------------------------------------------------------------------------------- */

static int point_field(const slip_real x[3], const slip_shape *field, const slip_pose *pose, slip_real reach,
                       slip_point_hit *hit)
{
    const slip_shape dot = slip_shape_sphere(0);
    slip_field_contact c[SLIP_FIELD_CONTACTS];
    slip_pose at;
    int n;

    slip_mat3_identity(at.R);
    slip_copy3(x, at.p);
    n = slip_heightfield_contacts(field->field, pose, &dot, &at, reach, NULL, c);
    if (n <= 0) return n;
    hit->distance = c[0].gap;
    slip_copy3(c[0].normal, hit->normal);
    slip_axpy3(-c[0].gap, c[0].normal, x, hit->point);
    return 1;
}

int slip_point_shape(const slip_real x[3], const slip_shape *shape, const slip_pose *pose, slip_real reach,
                     slip_point_hit *hit)
{
    const slip_shape dot = slip_shape_sphere(0);
    slip_distance_result d;
    slip_pose at;

    if (!slip_all_finite(x, 3) || !(reach >= 0)) return SLIP_ERR_ARGUMENT;
    hit->id = -1;
    if (shape->kind == SLIP_SHAPE_HEIGHTFIELD) return point_field(x, shape, pose, slip_min(reach, SLIP_R(1e6)), hit);
    slip_mat3_identity(at.R);
    slip_copy3(x, at.p);
    if (slip_distance(shape, pose, &dot, &at, NULL, &d) < 0) return SLIP_ERR_ARGUMENT;
    hit->distance = d.distance;
    slip_copy3(d.a, hit->point);
    slip_copy3(d.normal, hit->normal);
    return 1;
}

int slip_point_nearest(const slip_ray_world *world, const slip_real x[3], slip_real reach, uint32_t mask,
                       slip_point_hit *hit)
{
    slip_broadphase_walk walk = slip_broadphase_all(world->boxes);
    slip_point_hit h;
    int id, found = 0, i;
    slip_real lo[3], hi[3], far_off = slip_min(reach, SLIP_REAL_MAX);

    if (!slip_all_finite(x, 3) || !(reach >= 0)) return SLIP_ERR_ARGUMENT;
    for (;;) {
        for (i = 0; i < 3; ++i) { lo[i] = x[i] - far_off;  hi[i] = x[i] + far_off; }
        id = slip_broadphase_next(&walk, lo, hi);
        if (id < 0) return found;
        if (!(slip_broadphase_proxy(world->boxes, id)->group & mask)) continue;
        if (slip_point_shape(x, &world->shape[id], &world->pose[id], far_off, &h) <= 0) continue;
        if (h.distance > reach) continue;
        if (found && (h.distance > hit->distance || (h.distance == hit->distance && id > hit->id))) continue;
        *hit = h;
        hit->id = id;
        found = 1;
        far_off = slip_clamp(h.distance, 0, far_off);
    }
}

int slip_point_inside(const slip_ray_world *world, const slip_real x[3], uint32_t mask, int *id, int most)
{
    slip_broadphase_walk walk = slip_broadphase_all(world->boxes);
    slip_point_hit h;
    int at, n = 0, k, kept = 0;

    if (!slip_all_finite(x, 3)) return SLIP_ERR_ARGUMENT;
    while ((at = slip_broadphase_next(&walk, x, x)) >= 0) {
        if (!(slip_broadphase_proxy(world->boxes, at)->group & mask)) continue;
        if (slip_point_shape(x, &world->shape[at], &world->pose[at], 0, &h) <= 0 || h.distance > 0) continue;
        ++n;
        if (kept == most && (most == 0 || id[most - 1] < at)) continue;
        if (kept < most) ++kept;
        for (k = kept - 1; k > 0 && id[k - 1] > at; --k) id[k] = id[k - 1];
        id[k] = at;
    }
    return n;
}
