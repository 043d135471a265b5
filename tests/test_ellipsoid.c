/* Ellipsoids against everything: as spheres when all axes are equal, judged by a sweep of directions otherwise; and on
 * a plane, where they rock and roll as the closed forms say. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unity.h"
#include "slipstick_parts.h"
#include "scene_aid.h"

#define FLOATS (sizeof(slip_real) == 4)

static const double PI = 3.14159265358979323846;

static slip_random rng;
static unsigned char block[1 << 18];
static slip_hull hull;

void setUp(void) { rng = slip_random_seed(71);  aid_forget(); }
void tearDown(void) { }

static double uniform(double lo, double hi) { return (double)slip_random_uniform(&rng, (slip_real)lo, (slip_real)hi); }

typedef struct { slip_shape s; slip_pose X; } placed;

/* ---- truth ---------------------------------------------------------------------------------------- */

static double reach_along(const slip_shape *s, const double d[3])
{
    const double flat = hypot(d[0], d[1]), up = fabs(d[2])*(double)s->half[2];
    double best = -1e300;
    int i;

    switch (s->kind) {
    case SLIP_SHAPE_SPHERE:    return (double)s->radius;
    case SLIP_SHAPE_BOX:       return fabs(d[0])*(double)s->half[0] + fabs(d[1])*(double)s->half[1] + up;
    case SLIP_SHAPE_CAPSULE:   return (double)s->radius + up;
    case SLIP_SHAPE_CYLINDER:  return (double)s->radius*flat + up;
    case SLIP_SHAPE_ELLIPSOID: return hypot(hypot(d[0]*(double)s->half[0], d[1]*(double)s->half[1]), up);
    default:
        for (i = 0; i < s->hull->nv; ++i) {
            const slip_real *v = s->hull->vertex + 3*i;

            best = fmax(best, d[0]*(double)v[0] + d[1]*(double)v[1] + d[2]*(double)v[2]);
        }
        return best;
    }
}

static double support(const placed *p, const double n[3], double sign)
{
    double m[3], at = 0;
    int i;

    for (i = 0; i < 3; ++i) {
        m[i] = sign*((double)p->X.R[i]*n[0] + (double)p->X.R[3 + i]*n[1] + (double)p->X.R[6 + i]*n[2]);
        at += n[i]*(double)p->X.p[i];
    }
    return reach_along(&p->s, m) + sign*at;
}

static double separation(const placed *a, const placed *b, const double n[3])
{
    return -support(b, n, -1) - support(a, n, 1);
}

/* Climbs from n by random steps that shrink. */
static double climb(const placed *a, const placed *b, double n[3])
{
    double best = separation(a, b, n), h;
    int i, k;

    for (h = 0.08; h > (double)SLIP_TOL(1e-9, 1e-6); h *= 0.72)
        for (i = 0; i < 14; ++i) {
            slip_real u[3];
            double m[3], l = 0, s;

            slip_random_unit3(&rng, u);
            for (k = 0; k < 3; ++k) { m[k] = n[k] + h*(double)u[k];  l += m[k]*m[k]; }
            for (k = 0; k < 3; ++k) m[k] /= sqrt(l);
            s = separation(a, b, m);
            if (s <= best) continue;
            best = s;
            for (k = 0; k < 3; ++k) n[k] = m[k];
        }
    return best;
}

/* The best of a sweep, climbed from its best places, which are kept 18 degrees apart. */
static double swept(const placed *a, const placed *b)
{
    enum { DIRECTIONS = 1200, STARTS = 4 };
    static double dir[DIRECTIONS][3], value[DIRECTIONS];
    double best = -1e300;
    int i, k, start;

    for (i = 0; i < DIRECTIONS; ++i) {
        const double z = 1 - 2*(i + 0.5)/DIRECTIONS, r = sqrt(1 - z*z), t = i*2.399963229728653;

        dir[i][0] = r*cos(t);  dir[i][1] = r*sin(t);  dir[i][2] = z;
        value[i] = separation(a, b, dir[i]);
    }
    for (start = 0; start < STARTS; ++start) {
        double m[3], from[3];
        int at = 0;

        for (i = 1; i < DIRECTIONS; ++i) if (value[i] > value[at]) at = i;
        for (k = 0; k < 3; ++k) m[k] = from[k] = dir[at][k];
        for (i = 0; i < DIRECTIONS; ++i)
            if (dir[i][0]*from[0] + dir[i][1]*from[1] + dir[i][2]*from[2] > 0.95) value[i] = -1e300;
        best = fmax(best, climb(a, b, m));
    }
    return best;
}

/* How far x is outside the shape, at least; for an ellipsoid to first order. */
static double outside(const placed *p, const slip_real x[3])
{
    const slip_shape *s = &p->s;
    slip_real y[3], g[3], h[3];
    double d = -1e300;
    int i;

    slip_pose_inv_point(&p->X, x, y);
    switch (s->kind) {
    case SLIP_SHAPE_SPHERE:   return (double)(slip_norm3(y) - s->radius);
    case SLIP_SHAPE_BOX:
        for (i = 0; i < 3; ++i) d = fmax(d, (double)(slip_abs(y[i]) - s->half[i]));
        return d;
    case SLIP_SHAPE_CAPSULE:
        y[2] -= slip_clamp(y[2], -s->half[2], s->half[2]);
        return (double)(slip_norm3(y) - s->radius);
    case SLIP_SHAPE_CYLINDER: return fmax((double)(slip_norm2(y) - s->radius), (double)(slip_abs(y[2]) - s->half[2]));
    case SLIP_SHAPE_ELLIPSOID:
        for (i = 0; i < 3; ++i) { h[i] = y[i]/s->half[i];  g[i] = h[i]/s->half[i]; }
        return (double)((slip_dot3(h, h) - 1)/(2*slip_norm3(g)));
    default:
        for (i = 0; i < s->hull->nf; ++i)
            d = fmax(d, (double)(slip_dot3(s->hull->plane + 4*i, y) - s->hull->plane[4*i + 3]));
        return d;
    }
}

/* ---- shapes and poses ----------------------------------------------------------------------------- */

static slip_shape random_mesh(void)
{
    slip_arena arena = slip_arena_over(block, sizeof block);
    slip_real x[3*24];
    int i;

    for (i = 0; i < 24; ++i) {
        slip_random_unit3(&rng, x + 3*i);
        slip_scale3(slip_random_uniform(&rng, SLIP_R(0.5), 1), x + 3*i, x + 3*i);
    }
    TEST_ASSERT_EQUAL_INT(0, slip_hull_build(x, 24, 0, &arena, &hull, NULL));
    return slip_shape_mesh(&hull);
}

enum { OTHERS = 6 };

static slip_shape other_shape(int kind)
{
    const slip_real x = (slip_real)uniform(0.1, 1), y = (slip_real)uniform(0.1, 1), z = (slip_real)uniform(0.1, 1);

    switch (kind) {
    case 0:  return slip_shape_sphere(x);
    case 1:  return slip_shape_box(x, y, z);
    case 2:  return slip_shape_capsule(x, y);
    case 3:  return slip_shape_cylinder(x, y);
    case 4:  return random_mesh();
    default: return slip_shape_ellipsoid(x, y, z);
    }
}

static slip_shape random_ellipsoid(double least, double most)
{
    const slip_real x = (slip_real)uniform(least, most), y = (slip_real)uniform(least, most);

    return slip_shape_ellipsoid(x, y, (slip_real)uniform(least, most));
}

static slip_pose random_pose(double far)
{
    slip_real q[4];
    slip_pose X;
    int i;

    slip_random_quat(&rng, q);
    slip_quat_to_mat3(q, X.R);
    for (i = 0; i < 3; ++i) X.p[i] = (slip_real)uniform(-far, far);
    return X;
}

/* ---- distances ------------------------------------------------------------------------------------ */

/* Newton's method ends where the gradient, a difference of support points, is rounding: 8 eps of the size, up to 5 m.
 * The normal is off by that over the Hessian, which is r + d or more: 0.02 m by the smallest r and the deepest d. */
static void test_with_equal_axes_it_is_a_sphere(void)
{
    const double near = 8*5/0.02*(double)SLIP_REAL_EPS;
    int i;

    for (i = 0; i < 6000; ++i) {
        const slip_real r = (slip_real)uniform(0.1, 1);
        const slip_shape b = other_shape(i%(OTHERS - 1)), ball = slip_shape_sphere(r);
        const slip_shape e = slip_shape_ellipsoid(r, r, r);
        const slip_pose xa = random_pose(1.2), xb = random_pose(1.2);
        const double tol = FLOATS ? 2e-5 : 1e-9;
        slip_distance_result d, g, h;
        int k;

        TEST_ASSERT_EQUAL_INT(0, slip_distance(&ball, &xa, &b, &xb, NULL, &d));
        TEST_ASSERT_EQUAL_INT(0, slip_distance(&e, &xa, &b, &xb, NULL, &g));
        TEST_ASSERT_EQUAL_INT(0, slip_distance(&b, &xb, &e, &xa, NULL, &h));
        TEST_ASSERT_DOUBLE_WITHIN(tol, d.distance, g.distance);
        TEST_ASSERT_DOUBLE_WITHIN(tol, d.distance, h.distance);
        if (d.distance < -SLIP_R(0.8)*r) continue;            /* near the centre several normals are as good */
        for (k = 0; k < 3; ++k) {
            TEST_ASSERT_DOUBLE_WITHIN(near, d.normal[k], g.normal[k]);
            TEST_ASSERT_DOUBLE_WITHIN(near, d.a[k], g.a[k]);
            TEST_ASSERT_DOUBLE_WITHIN(near, d.b[k], h.a[k]);
            TEST_ASSERT_DOUBLE_WITHIN(near, -d.normal[k], h.normal[k]);
        }
    }
}

/* No direction parts the shapes better than the normal, the normal attains the distance, and the points lie on both
 * surfaces, d apart along it: that is, the surfaces' normals are opposite there. */
static void judge(const placed *a, const placed *b, int i)
{
    const double tol = FLOATS ? 2e-4 : 1e-9;
    slip_distance_result d;
    double n[3], best;
    char what[200];
    int k;

    TEST_ASSERT_EQUAL_INT(0, slip_distance(&a->s, &a->X, &b->s, &b->X, NULL, &d));
    for (k = 0; k < 3; ++k) n[k] = (double)d.normal[k];
    snprintf(what, sizeof what, "%d: %s and %s, distance %g", i, slip_shape_kind_name(a->s.kind),
             slip_shape_kind_name(b->s.kind), (double)d.distance);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(FLOATS ? 1e-5 : 1e-13, 1, slip_norm3(d.normal), what);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(FLOATS ? 1e-5 : 1e-12, separation(a, b, n), d.distance, what);
    best = swept(a, b);
    TEST_ASSERT_MESSAGE(best <= (double)d.distance + tol, what);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(FLOATS ? 5e-3 : 1e-9, 0, outside(a, d.a), what);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(FLOATS ? 5e-3 : 1e-9, 0, outside(b, d.b), what);
    for (k = 0; k < 3; ++k)
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(FLOATS ? 1e-5 : 1e-12, d.a[k] + d.distance*d.normal[k], d.b[k], what);
}

static void test_no_direction_parts_an_ellipsoid_better_than_its_normal(void)
{
    int i;

    for (i = 0; i < 1800; ++i) {
        const placed a = { random_ellipsoid(0.1, 1), random_pose(1) };
        const placed b = { other_shape(i%OTHERS), random_pose(1) };

        if (i/OTHERS%2) judge(&b, &a, i);
        else judge(&a, &b, i);
    }
}

/* Needles and lentils: axes of 1 : 100. */
static void test_thin_and_flat_ellipsoids_are_measured_as_well(void)
{
    int i;

    for (i = 0; i < 600; ++i) {
        const double long_one = i%3 ? 1 : 0.02;
        const slip_real thin = (slip_real)uniform(0.01, 0.02);
        const placed a = { slip_shape_ellipsoid(thin, (slip_real)long_one, 1), random_pose(0.7) };
        const placed b = { other_shape(i%OTHERS), random_pose(0.7) };

        judge(&a, &b, i);
    }
}

/* Moved to a given gap along its normal the pair has that gap, and the same normal to what the gap leaves of it. */
static void test_pairs_that_all_but_touch_keep_their_normal(void)
{
    static const double gaps[] = { 0, 1e-14, -1e-14, 1e-12, -1e-12, 1e-9, -1e-9, 1e-7, -1e-7, 1e-6, -1e-6, 3e-6,
                                   1e-5, -1e-5, 1e-4, -1e-4 };
    size_t k;
    int i, c;

    for (i = 0; i < 600; ++i) {
        placed a = { random_ellipsoid(0.3, 1), random_pose(1) };
        placed b = { other_shape(i%OTHERS), random_pose(1) };
        slip_distance_result d, e;

        do b.X = random_pose(3);
        while (slip_distance(&a.s, &a.X, &b.s, &b.X, NULL, &d) == 0 && d.distance < SLIP_R(0.1));
        for (k = 0; k < sizeof gaps/sizeof *gaps; ++k) {
            placed moved = b;

            if (FLOATS && fabs(gaps[k]) < 1e-6) continue;
            slip_axpy3((slip_real)gaps[k] - d.distance, d.normal, b.X.p, moved.X.p);
            TEST_ASSERT_EQUAL_INT(0, slip_distance(&a.s, &a.X, &moved.s, &moved.X, NULL, &e));
            TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 1e-5 : 1e-14*3, gaps[k], e.distance);
            for (c = 0; c < 3; ++c) {
                TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 2e-2 : 1e-9, d.normal[c], e.normal[c]);
                TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 2e-2 : 1e-9, d.a[c], e.a[c]);
            }
        }
    }
}

/* ---- bounds, mass, rays --------------------------------------------------------------------------------- */

static void test_bounds_and_half_spaces_touch_it(void)
{
    int i, k;

    for (i = 0; i < 1000; ++i) {
        const placed a = { random_ellipsoid(0.1, 1), random_pose(1) };
        const placed plane = { slip_shape_halfspace(), random_pose(1) };
        const double up[3] = { -(double)plane.X.R[2], -(double)plane.X.R[5], -(double)plane.X.R[8] };
        slip_real lo[3], hi[3];
        slip_distance_result d;
        slip_patch p;
        double lowest = 0;

        slip_shape_bounds(&a.s, &a.X, lo, hi);
        for (k = 0; k < 3; ++k) {
            double n[3] = { 0, 0, 0 };

            n[k] = 1;
            TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 1e-5 : 1e-14, support(&a, n, 1), hi[k]);
            TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 1e-5 : 1e-14, -support(&a, n, -1), lo[k]);
            lowest += up[k]*(double)plane.X.p[k];
        }
        lowest -= support(&a, up, 1);
        TEST_ASSERT_EQUAL_INT(0, slip_distance(&a.s, &a.X, &plane.s, &plane.X, NULL, &d));
        TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 1e-5 : 1e-14, lowest, d.distance);
        TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 1e-4 : 1e-13, 0, outside(&a, d.a));
        TEST_ASSERT_EQUAL_INT(0, slip_patch_find(&a.s, &a.X, &plane.s, &plane.X, 10, NULL, &p));
        TEST_ASSERT_EQUAL_INT(1, p.n);
        TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 1e-5 : 1e-14, lowest, p.point[0].gap);
    }
}

/* Volume and moments against the sum over slices of ellipses, Simpson's rule being exact for them. */
static void test_its_mass_is_that_of_its_slices(void)
{
    const double a = 0.3, b = 0.7, c = 1.1, rho = 2;
    const slip_shape s = slip_shape_ellipsoid(SLIP_R(0.3), SLIP_R(0.7), SLIP_R(1.1));
    const slip_shape flat = slip_shape_ellipsoid(1, 0, 1);
    double m = 0, xx = 0, yy = 0, zz = 0;
    slip_mass mass;
    int i;

    for (i = 0; i <= 100; ++i) {
        const double z = c*(i - 50)/50, k = 1 - z*z/(c*c), w = (i == 0 || i == 100 ? 1 : i%2 ? 4 : 2)*c/150;

        m += w*rho*PI*a*b*k;
        xx += w*rho*PI*a*b*k*k*a*a/4;
        yy += w*rho*PI*a*b*k*k*b*b/4;
        zz += w*rho*PI*a*b*k*z*z;
    }
    TEST_ASSERT_EQUAL_INT(0, slip_shape_mass(&s, (slip_real)rho, &mass));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, m, mass.mass);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, yy + zz, mass.inertia[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, xx + zz, mass.inertia[3]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, xx + yy, mass.inertia[5]);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_shape_check(&s));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_shape_check(&flat));
}

static void test_rays_hit_it_on_its_surface_where_they_enter(void)
{
    int i, k, hits = 0;

    for (i = 0; i < 4000; ++i) {
        const placed a = { random_ellipsoid(0.1, 1), random_pose(1) };
        slip_ray ray;
        slip_ray_hit hit;
        slip_real x[3];
        double least = 1;

        for (k = 0; k < 3; ++k) {
            ray.origin[k] = (slip_real)uniform(-2, 2);
            ray.dir[k] = (slip_real)uniform(-1, 1) - ray.origin[k]/2;
        }
        ray.tmax = 10;
        for (k = 0; k <= 2000; ++k) {
            slip_axpy3((slip_real)(k/200.0), ray.dir, ray.origin, x);
            least = fmin(least, outside(&a, x));
        }
        if (slip_ray_shape(&ray, &a.s, &a.X, &hit) == 0) { TEST_ASSERT(least > -1e-3);  continue; }
        ++hits;
        if (hit.t <= 0) { TEST_ASSERT(outside(&a, ray.origin) <= 1e-12);  continue; }
        TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 1e-4 : 1e-12, 0, outside(&a, hit.point));
        TEST_ASSERT(slip_dot3(hit.normal, ray.dir) <= 0);
        slip_axpy3(SLIP_R(1e-3), hit.normal, hit.point, x);
        TEST_ASSERT_DOUBLE_WITHIN(1e-4, 1e-3, outside(&a, x));               /* the normal leads straight out */
    }
    TEST_ASSERT(hits > 300);
}

/* ---- height fields ------------------------------------------------------------------------------------------ */

static slip_real hills(void *user, slip_real x, slip_real y)
{
    (void)user;
    return SLIP_R(0.2)*slip_sin(2*x) + SLIP_R(0.15)*slip_cos(3*y);
}

static slip_real slope(void *user, slip_real x, slip_real y)
{
    (void)user;
    return SLIP_R(0.25)*x - SLIP_R(0.5)*y;
}

static slip_heightfield *make_field(slip_height_function height)
{
    slip_heightfield *f = (slip_heightfield *)slip_arena_take(aid_memory(), 1, sizeof *f);

    TEST_ASSERT_EQUAL_INT(0, slip_heightfield_from(33, 33, SLIP_R(0.25), SLIP_R(0.25), height, NULL, aid_memory(), f,
                                                   NULL));
    return f;
}

static double deepest(const slip_field_contact *c, int n)
{
    double d = 1e9;
    int i;

    for (i = 0; i < n; ++i) d = fmin(d, (double)c[i].gap);
    return d;
}

/* With equal axes it meets hills as a sphere does; on a slope it is as deep as in the plane, with one contact. */
static void test_it_stands_on_height_fields(void)
{
    const slip_heightfield *wavy = make_field(hills), *flat = make_field(slope);
    int i, met = 0;

    for (i = 0; i < 1500; ++i) {
        const slip_real r = (slip_real)uniform(0.1, 0.5);
        const slip_shape ball = slip_shape_sphere(r), egg = slip_shape_ellipsoid(r, r, r);
        const placed a = { random_ellipsoid(0.1, 0.5), random_pose(0.7) };
        slip_field_contact c[SLIP_FIELD_CONTACTS], e[SLIP_FIELD_CONTACTS];
        slip_pose ground, X = random_pose(2);
        double n[3] = { 0.25, -0.5, -1 }, up;
        int nc, ne, k;

        slip_pose_identity(&ground);
        X.p[2] = hills(NULL, X.p[0], X.p[1]) + (slip_real)uniform(0.3, 1.2)*r;
        nc = slip_heightfield_contacts(wavy, &ground, &ball, &X, SLIP_R(0.05), NULL, c);
        ne = slip_heightfield_contacts(wavy, &ground, &egg, &X, SLIP_R(0.05), NULL, e);
        TEST_ASSERT((nc > 0) == (ne > 0));
        met += nc > 0;
        if (nc > 0) TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 1e-4 : 1e-9, deepest(c, nc), deepest(e, ne));
        for (k = 0; k < 3; ++k) n[k] /= sqrt(1.3125);
        up = -support(&a, n, 1);
        ne = slip_heightfield_contacts(flat, &ground, &a.s, &a.X, SLIP_R(0.1), NULL, e);
        TEST_ASSERT_EQUAL_INT(up <= 0.1, ne);
        if (ne == 0) continue;
        TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 1e-4 : 1e-12, up, e[0].gap);
        for (k = 0; k < 3; ++k) TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 1e-4 : 1e-12, -n[k], e[0].normal[k]);
    }
    TEST_ASSERT(met > 300);
}

/* ---- motion ------------------------------------------------------------------------------------------------- */

static slip_world *egg_scene(double dt, const double radii[3], const char *origin, const char *motion, double mu)
{
    char text[600];

    aid_forget();
    snprintf(text, sizeof text, "<scene name='egg'><simulation dt='%g'/><surface name='default' friction='%g'/>"
             "<ground/><body name='e' mass='2' %s><origin %s/><geometry><ellipsoid radii='%.9g %.9g %.9g'/></geometry>"
             "</body></scene>", dt, mu, motion, origin, radii[0], radii[1], radii[2]);
    return aid_start(aid_read(text));
}

/* Small rocking about y: omega^2 = m g (rho - h)/(I + m h^2), rho = a^2/c, h = c. */
static void test_it_rocks_on_a_plane_with_the_period_of_its_closed_form(void)
{
    static const double radii[3][3] = { { 0.3, 0.2, 0.1 }, { 0.5, 0.1, 0.1 }, { 0.2, 0.3, 0.15 } };
    const double dt = 2e-4, tilt = 0.002;
    int i, k;

    for (i = 0; i < 3; ++i) {
        const double a = radii[i][0], c = radii[i][2], inertia = 2*(a*a + c*c)/5;
        const double period = 2*PI/sqrt(2*9.81*(a*a/c - c)/(inertia + 2*c*c));
        const double h = sqrt(a*a*sin(tilt)*sin(tilt) + c*c*cos(tilt)*cos(tilt));
        char origin[100], what[100];
        double last = 0, first_time = 0, end_time = 0;
        int crossings = 0;
        slip_world *w;

        snprintf(origin, sizeof origin, "xyz='0 0 %.12g' rpy='0 %g 0'", h, tilt);
        w = egg_scene(dt, radii[i], origin, "", 2);
        for (k = 0; k < (int)(5*period/dt); ++k) {
            const slip_real *q = aid_body_q(w, "e");
            const double y = 2*(double)(q[4]*q[6]);                    /* sine of the tilt, to first order */

            if (k > 0 && y*last < 0) {
                end_time = dt*(k - y/(y - last));
                if (crossings++ == 0) first_time = end_time;
            }
            last = y;
            aid_steps(w, 1);
        }
        TEST_ASSERT(crossings >= 8);
        end_time = 2*(end_time - first_time)/(crossings - 1);
        snprintf(what, sizeof what, "radii %g %g %g: period %g s, closed form %g s", a, radii[i][1], c, end_time,
                 period);
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-3*period, period, end_time, what);
    }
}

/* Rolled and spun over a plane, with friction and without, it never has more energy than at the start. */
static void test_it_rolls_without_a_gain_of_energy(void)
{
    static const double radii[3] = { 0.3, 0.2, 0.1 };
    static const char *const motion[3] = { "velocity='1 0.3 0' angular='0 5 3'", "angular='1 0 20'",
                                           "velocity='0.5 0 0' angular='8 0 0.1'" };
    int i, k;

    for (i = 0; i < 6; ++i) {
        slip_world *w = egg_scene(1e-3, radii, "xyz='0 0 0.3' rpy='0.3 0.2 0'", motion[i%3], i < 3 ? 0.8 : 0);
        const double start = aid_energy_of(w);
        double most = start;

        for (k = 0; k < 3000; ++k) {
            aid_steps(w, 1);
            most = fmax(most, aid_energy_of(w));
        }
        TEST_ASSERT_MESSAGE(most <= start*(1 + 1e-3), "energy");
        TEST_ASSERT(aid_body_q(w, "e")[2] > SLIP_R(0.0999));
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_with_equal_axes_it_is_a_sphere);
    RUN_TEST(test_no_direction_parts_an_ellipsoid_better_than_its_normal);
    RUN_TEST(test_thin_and_flat_ellipsoids_are_measured_as_well);
    RUN_TEST(test_pairs_that_all_but_touch_keep_their_normal);
    RUN_TEST(test_bounds_and_half_spaces_touch_it);
    RUN_TEST(test_its_mass_is_that_of_its_slices);
    RUN_TEST(test_rays_hit_it_on_its_surface_where_they_enter);
    RUN_TEST(test_it_stands_on_height_fields);
    RUN_TEST(test_it_rocks_on_a_plane_with_the_period_of_its_closed_form);
    RUN_TEST(test_it_rolls_without_a_gain_of_energy);
    return UNITY_END();
}
