/* Mass properties against closed forms; checks of triangle meshes against made faults. */
#include "unity.h"
#include "geom/hull.h"
#include "geom/trimesh.h"

#include <stdlib.h>
#include <string.h>

static slip_random rng;
static unsigned char block[1 << 20];
static slip_arena arena;

void setUp(void)
{
    rng = slip_random_seed(5);
    arena = slip_arena_over(block, sizeof block);
}
void tearDown(void) { }

/* A few roundings of sums in double, and one to slip_real. */
#define TOL (20*(double)SLIP_REAL_EPS)

static void expect_mass(const slip_mass *want, const slip_mass *got, double tol)
{
    const double size = cbrt((double)want->volume), inertia = (double)want->mass*size*size;
    int i;

    TEST_ASSERT_DOUBLE_WITHIN(tol*(double)want->volume, want->volume, got->volume);
    TEST_ASSERT_DOUBLE_WITHIN(tol*(double)want->mass, want->mass, got->mass);
    for (i = 0; i < 3; ++i)
        TEST_ASSERT_DOUBLE_WITHIN(tol*(size + fabs((double)want->centre[i])), want->centre[i], got->centre[i]);
    for (i = 0; i < 6; ++i) TEST_ASSERT_DOUBLE_WITHIN(tol*inertia, want->inertia[i], got->inertia[i]);
}

/* A box as 12 triangles. */
static const int box_triangle[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                      2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };

static slip_trimesh box_mesh(slip_real hx, slip_real hy, slip_real hz)
{
    slip_trimesh m;
    int i;

    m.nv = 8;
    m.nt = 12;
    m.vertex = slip_arena_reals(&arena, 24);
    m.triangle = slip_arena_ints(&arena, 36);
    for (i = 0; i < 8; ++i) slip_set3(i & 1 ? hx : -hx, i & 2 ? hy : -hy, i & 4 ? hz : -hz, m.vertex + 3*i);
    memcpy(m.triangle, box_triangle, sizeof box_triangle);
    return m;
}

static void test_a_box_of_triangles_weighs_what_a_box_weighs(void)
{
    slip_shape box = slip_shape_box(SLIP_R(0.5), 1, 2);
    slip_trimesh m = box_mesh(SLIP_R(0.5), 1, 2);
    slip_mass want, got, moved;
    slip_pose X;
    slip_real q[4], p[3] = { 3, -2, 1 };
    int i;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_shape_mass(&box, 1000, &want));
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 8000, want.mass);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_trimesh_mass(&m, 1000, &got));
    expect_mass(&want, &got, TOL);
    slip_random_quat(&rng, q);
    slip_pose_from(p, q, &X);
    for (i = 0; i < 8; ++i) slip_pose_point(&X, m.vertex + 3*i, m.vertex + 3*i);
    slip_trimesh_mass(&m, 1000, &got);
    slip_mass_transform(&want, &X, &moved);
    expect_mass(&moved, &got, 4*TOL);
}

static void test_a_tetrahedron_has_its_textbook_inertia(void)
{
    /* Corners 0, x, y, z: volume 1/6, centre 1/4, integral of x^2 1/60, of xy 1/120. */
    slip_real x[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    int t[12] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
    slip_trimesh m = { 4, 4, NULL, NULL };
    slip_mass got;

    m.vertex = x;
    m.triangle = t;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_trimesh_mass(&m, 1, &got));
    TEST_ASSERT_DOUBLE_WITHIN(TOL, 1/6.0, got.volume);
    TEST_ASSERT_DOUBLE_WITHIN(TOL, 0.25, got.centre[2]);
    TEST_ASSERT_DOUBLE_WITHIN(TOL, 2*(1/60.0 - 1/96.0), got.inertia[0]);
    TEST_ASSERT_DOUBLE_WITHIN(TOL, -(1/120.0 - 1/96.0), got.inertia[1]);
}

static void test_a_concave_bracket_is_integrated_exactly(void)
{
    /* An L: a 2x1x1 box beside a 1x1x1 one on top, as an extruded hexagon. */
    const slip_real outline[12] = { 0, 0, 2, 0, 2, 1, 1, 1, 1, 2, 0, 2 };
    const int cap[12] = { 0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5 };
    slip_real x[36];
    int t[3*20], i, n = 0;
    slip_trimesh m = { 12, 20, NULL, NULL };
    slip_trimesh_facts r;
    slip_mass got, lower, upper, want;
    slip_pose X;

    for (i = 0; i < 6; ++i) {
        slip_set3(outline[2*i], outline[2*i + 1], 0, x + 3*i);
        slip_set3(outline[2*i], outline[2*i + 1], 1, x + 18 + 3*i);
    }
    for (i = 0; i < 4; ++i) {
        t[n++] = 6 + cap[3*i];  t[n++] = 6 + cap[3*i + 1];  t[n++] = 6 + cap[3*i + 2];
        t[n++] = cap[3*i];      t[n++] = cap[3*i + 2];      t[n++] = cap[3*i + 1];
    }
    for (i = 0; i < 6; ++i) {
        const int j = (i + 1) % 6;

        t[n++] = i;  t[n++] = j;      t[n++] = 6 + j;
        t[n++] = i;  t[n++] = 6 + j;  t[n++] = 6 + i;
    }
    m.vertex = x;
    m.triangle = t;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_trimesh_check(&m, SLIP_R(1e-6), &arena, &r));
    TEST_ASSERT(r.closed && !r.inside_out && r.components == 1 && r.empty_triangles == 0);
    TEST_ASSERT_EQUAL_INT(1, r.concave_edges);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 14, r.area);
    slip_trimesh_mass(&m, 2, &got);
    slip_pose_identity(&X);
    {
        const slip_shape low = slip_shape_box(1, SLIP_R(0.5), SLIP_R(0.5));
        const slip_shape high = slip_shape_box(SLIP_R(0.5), SLIP_R(0.5), SLIP_R(0.5));

        slip_shape_mass(&low, 2, &lower);
        slip_set3(1, SLIP_R(0.5), SLIP_R(0.5), X.p);
        slip_mass_transform(&lower, &X, &lower);
        slip_shape_mass(&high, 2, &upper);
        slip_set3(SLIP_R(0.5), SLIP_R(1.5), SLIP_R(0.5), X.p);
        slip_mass_transform(&upper, &X, &upper);
    }
    slip_mass_add(&lower, &upper, &want);
    expect_mass(&want, &got, TOL);
}

/* A body of revolution about z through (r_i, z_i), with n sectors; closed, both ends on the axis. */
static slip_trimesh revolve(const slip_real *r, const slip_real *z, int rings, int n)
{
    slip_trimesh m;
    int i, k, v = 0, t = 0;

    m.vertex = slip_arena_reals(&arena, 3*(size_t)(rings*n + 2));
    m.triangle = slip_arena_ints(&arena, 3*(size_t)(2*rings*n));
    for (i = 0; i < rings; ++i)
        for (k = 0; k < n; ++k) {
            const slip_real a = 2*SLIP_PI*(slip_real)k/(slip_real)n;

            slip_set3(r[i]*slip_cos(a), r[i]*slip_sin(a), z[i], m.vertex + 3*v++);
        }
    slip_set3(0, 0, z[0], m.vertex + 3*v++);
    slip_set3(0, 0, z[rings - 1], m.vertex + 3*v++);
    for (k = 0; k < n; ++k) {
        const int l = (k + 1) % n, top = (rings - 1)*n;
        int *q = m.triangle + 3*t;

        q[0] = rings*n;      q[1] = l;        q[2] = k;
        q[3] = rings*n + 1;  q[4] = top + k;  q[5] = top + l;
        t += 2;
        for (i = 0; i + 1 < rings; ++i) {
            q = m.triangle + 3*t;
            q[0] = i*n + k;  q[1] = i*n + l;        q[2] = (i + 1)*n + l;
            q[3] = i*n + k;  q[4] = (i + 1)*n + l;  q[5] = (i + 1)*n + k;
            t += 2;
        }
    }
    m.nv = v;
    m.nt = t;
    return m;
}

/* A capsule with fine rings differs from the true one by O(1/n^2) only, the sphere as its limit h = 0. */
static void test_round_shapes_are_the_limits_of_their_meshes(void)
{
    enum { RINGS = 60, N = 100 };
    slip_real r[RINGS], z[RINGS];
    slip_trimesh m;
    slip_trimesh_facts report;
    slip_mass want, got;
    slip_shape shape;
    int i, which;

    for (which = 0; which < 3; ++which) {
        const slip_real radius = SLIP_R(0.3), half = which == 1 ? 0 : SLIP_R(0.7);

        arena = slip_arena_over(block, sizeof block);
        for (i = 0; i < RINGS; ++i) {
            const slip_real a = SLIP_PI*((slip_real)i + SLIP_R(0.5))/RINGS - SLIP_PI/2;

            r[i] = radius*slip_cos(a);
            z[i] = radius*slip_sin(a) + (i < RINGS/2 ? -half : half);
        }
        r[0] = r[RINGS - 1] = which == 2 ? radius : r[0];
        z[0] = which == 2 ? -half : -half - radius;
        z[RINGS - 1] = -z[0];
        if (which == 2) { r[1] = radius;  z[1] = half; }
        shape = which == 0 ? slip_shape_capsule(radius, half) : which == 1 ? slip_shape_sphere(radius)
                                                              : slip_shape_cylinder(radius, half);
        m = revolve(r, z, which == 2 ? 2 : RINGS, N);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_trimesh_check(&m, SLIP_R(1e-5), &arena, &report));
        TEST_ASSERT(report.closed && report.concave_edges == 0 && report.components == 1);
        slip_shape_mass(&shape, 1000, &want);
        slip_trimesh_mass(&m, 1000, &got);
        expect_mass(&want, &got, 4e-3);
        TEST_ASSERT(got.volume < want.volume);
    }
}

static void test_a_hull_weighs_as_much_as_its_box_wherever_it_is(void)
{
    slip_trimesh m = box_mesh(1, SLIP_R(0.2), SLIP_R(0.01));
    slip_shape box = slip_shape_box(1, SLIP_R(0.2), SLIP_R(0.01)), shape;
    slip_mass want, got;
    slip_hull hull;
    slip_pose X;
    slip_real q[4], p[3] = { 10, 20, 30 };
    int i;

    slip_random_quat(&rng, q);
    slip_pose_from(p, q, &X);
    for (i = 0; i < 8; ++i) slip_pose_point(&X, m.vertex + 3*i, m.vertex + 3*i);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_hull_build(m.vertex, 8, 0, &arena, &hull, NULL));
    shape = slip_shape_mesh(&hull);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_shape_mass(&shape, 7, &got));
    slip_shape_mass(&box, 7, &want);
    slip_mass_transform(&want, &X, &want);
    expect_mass(&want, &got, 40e3*(double)SLIP_REAL_EPS);        /* 30 m of offset against 1 cm of thickness */
    slip_mass_set(3, &got);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 3, got.mass);
}

static void test_flat_hulls_and_endless_shapes_have_no_mass(void)
{
    const slip_real square[12] = { 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1 };
    slip_hull hull;
    slip_shape shape;
    slip_mass m;

    TEST_ASSERT_EQUAL_INT(SLIP_DEGENERATE, slip_hull_build(square, 4, 0, &arena, &hull, NULL));
    shape = slip_shape_mesh(&hull);
    TEST_ASSERT_EQUAL_INT(SLIP_DEGENERATE, slip_shape_mass(&shape, 1, &m));
    TEST_ASSERT(m.volume == 0 && m.mass == 0 && m.centre[0] == SLIP_R(0.5) && m.inertia[0] == 0);
    shape = slip_shape_halfspace();
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_UNSUPPORTED, slip_shape_mass(&shape, 1, &m));
    shape = slip_shape_sphere(1);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_shape_mass(&shape, -1, &m));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_shape_mass(&shape, (slip_real)NAN, &m));
}

static void test_faults_of_a_mesh_are_counted(void)
{
    slip_trimesh m = box_mesh(1, 1, 1);
    slip_trimesh_facts r;
    int i;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_trimesh_check(&m, SLIP_R(1e-6), &arena, &r));
    TEST_ASSERT(r.closed && r.concave_edges == 0 && !r.inside_out && r.unused_vertices == 0 && r.lo[0] == -1
            && r.hi[2] == 1);
    m.nt = 11;                                                   /* one triangle missing */
    slip_trimesh_check(&m, SLIP_R(1e-6), &arena, &r);
    TEST_ASSERT(!r.closed && r.open_edges == 3);
    m.nt = 12;
    m.triangle[33] = 7;  m.triangle[34] = 3;                     /* one turned over: its edges disagree */
    slip_trimesh_check(&m, SLIP_R(1e-6), &arena, &r);
    TEST_ASSERT(!r.closed && r.twisted_edges == 3 && r.open_edges == 0);
    memcpy(m.triangle, box_triangle, sizeof box_triangle);
    memcpy(m.triangle + 33, m.triangle + 30, 3*sizeof(int));     /* one twice, another missing */
    slip_trimesh_check(&m, SLIP_R(1e-6), &arena, &r);
    TEST_ASSERT(!r.closed && r.crowded_edges + r.twisted_edges == 3 && r.open_edges == 2);
    memcpy(m.triangle, box_triangle, sizeof box_triangle);
    for (i = 0; i < 12; ++i) {
        const int k = m.triangle[3*i];

        m.triangle[3*i] = m.triangle[3*i + 1];
        m.triangle[3*i + 1] = k;
    }
    slip_trimesh_check(&m, SLIP_R(1e-6), &arena, &r);
    TEST_ASSERT(r.closed && r.inside_out && r.concave_edges == 0);
    m.triangle[1] = m.triangle[0];                               /* a triangle without area */
    slip_trimesh_check(&m, SLIP_R(1e-6), &arena, &r);
    TEST_ASSERT(!r.closed && r.empty_triangles == 1);
}

static void test_a_mirrored_scale_keeps_the_outside_outside(void)
{
    slip_trimesh m = box_mesh(1, 2, 3);
    const slip_real scale[3] = { -2, SLIP_R(0.5), 1 };
    slip_trimesh_facts r;
    slip_mass mass;

    slip_trimesh_scale(scale, &m);
    slip_trimesh_check(&m, SLIP_R(1e-6), &arena, &r);
    TEST_ASSERT(r.closed && !r.inside_out);
    slip_trimesh_mass(&m, 1, &mass);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 48, mass.volume);
}

static void test_a_short_arena_is_reported_by_the_check(void)
{
    slip_trimesh m = box_mesh(1, 2, 3);
    slip_trimesh_facts r;
    static unsigned char small[4096];
    const size_t need = slip_trimesh_check_bytes(8, 12);
    slip_arena a = slip_arena_over(small, need), b = slip_arena_over(small, need - SLIP_ALIGN);

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_trimesh_check(&m, 0, &a, &r));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, slip_trimesh_check(&m, 0, &b, &r));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_box_of_triangles_weighs_what_a_box_weighs);
    RUN_TEST(test_a_tetrahedron_has_its_textbook_inertia);
    RUN_TEST(test_a_concave_bracket_is_integrated_exactly);
    RUN_TEST(test_round_shapes_are_the_limits_of_their_meshes);
    RUN_TEST(test_a_hull_weighs_as_much_as_its_box_wherever_it_is);
    RUN_TEST(test_flat_hulls_and_endless_shapes_have_no_mass);
    RUN_TEST(test_faults_of_a_mesh_are_counted);
    RUN_TEST(test_a_mirrored_scale_keeps_the_outside_outside);
    RUN_TEST(test_a_short_arena_is_reported_by_the_check);
    return UNITY_END();
}
