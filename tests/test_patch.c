/* Contact patches: the cases that are known to break contact generators. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unity.h"
#include "geom/patch.h"
#include "geom/hull.h"
#include "io/mesh.h"

void setUp(void) { }
void tearDown(void) { }

static const double tiny = (double)SLIP_TOL(1e-12, 1e-5);

static slip_pose at(double x, double y, double z)
{
    slip_pose X;

    slip_pose_identity(&X);
    slip_set3((slip_real)x, (slip_real)y, (slip_real)z, X.p);
    return X;
}

static slip_pose turned(double x, double y, double z, double ax, double ay, double az, double angle)
{
    const slip_real axis[3] = { (slip_real)ax, (slip_real)ay, (slip_real)az };
    slip_pose X = at(x, y, z);

    slip_mat3_from_axis_angle(axis, (slip_real)angle, X.R);
    return X;
}

static unsigned char block[4][1 << 16];
static slip_hull hulls[4];

static slip_shape cube_mesh(int slot, double h)
{
    slip_arena arena = slip_arena_over(block[slot], sizeof block[slot]);
    slip_real x[24];
    int i, k;

    for (i = 0; i < 8; ++i)
        for (k = 0; k < 3; ++k) x[3*i + k] = (slip_real)(i >> k & 1 ? h : -h);
    TEST_ASSERT_EQUAL_INT(0, slip_hull_build(x, 8, 0, &arena, &hulls[slot], NULL));
    return slip_shape_mesh(&hulls[slot]);
}

static slip_patch find(slip_shape a, slip_pose xa, slip_shape b, slip_pose xb, double margin)
{
    slip_patch p;

    memset(&p, 0, sizeof p);
    TEST_ASSERT(slip_patch_find(&a, &xa, &b, &xb, (slip_real)margin, NULL, &p) >= 0);
    return p;
}

static int has_point(const slip_patch *p, double x, double y, double z, double tol)
{
    int i;

    for (i = 0; i < p->n; ++i)
        if (fabs((double)p->point[i].point[0] - x) <= tol && fabs((double)p->point[i].point[1] - y) <= tol
            && fabs((double)p->point[i].point[2] - z) <= tol) return 1;
    return 0;
}

static int same_contacts(const slip_patch *p, const slip_patch *q, double tol)
{
    int i;

    if (p->n != q->n) return 0;
    for (i = 0; i < p->n; ++i)
        if (!has_point(q, (double)p->point[i].point[0], (double)p->point[i].point[1], (double)p->point[i].point[2], tol)) return 0;
    return 1;
}

static double deepest(const slip_patch *p)
{
    double d = 1e300;
    int i;

    for (i = 0; i < p->n; ++i) d = fmin(d, (double)p->point[i].gap);
    return d;
}

/* ---- half-space ------------------------------------------------------------------------------------- */

static void test_a_box_rests_on_a_plane_with_its_four_lower_corners(void)
{
    const slip_patch p = find(slip_shape_halfspace(), at(0, 0, 0), slip_shape_box(1, 2, SLIP_R(0.5)), at(5, 0, 0.5), 0.01);
    int i, j, sx, sy;

    TEST_ASSERT_EQUAL_INT(4, p.n);
    for (sx = -1; sx <= 1; sx += 2)
        for (sy = -1; sy <= 1; sy += 2) TEST_ASSERT(has_point(&p, 5 + sx, 2*sy, 0, tiny));
    for (i = 0; i < 4; ++i) {
        TEST_ASSERT_DOUBLE_WITHIN(tiny, 0, p.point[i].gap);
        for (j = 0; j < i; ++j) TEST_ASSERT(p.point[i].id != p.point[j].id);
    }
    TEST_ASSERT_DOUBLE_WITHIN(tiny, 1, p.normal[2]);
}

static void test_every_shape_meets_a_plane_either_way_round(void)
{
    const slip_shape shapes[5] = { slip_shape_sphere(1), slip_shape_box(1, 1, 1), slip_shape_capsule(SLIP_R(0.5), SLIP_R(0.5)),
                                   slip_shape_cylinder(1, 1), cube_mesh(0, 1) };
    const int count[5] = { 1, 4, 1, 4, 4 };
    int i;

    for (i = 0; i < 5; ++i) {
        const slip_patch p = find(slip_shape_halfspace(), at(0, 0, 0), shapes[i], at(0, 0, 0.99), 0.01);
        const slip_patch q = find(shapes[i], at(0, 0, 0.99), slip_shape_halfspace(), at(0, 0, 0), 0.01);

        TEST_ASSERT_EQUAL_INT(count[i], p.n);
        TEST_ASSERT(same_contacts(&p, &q, tiny));
        TEST_ASSERT_DOUBLE_WITHIN(tiny, -0.01, p.point[0].gap);
        TEST_ASSERT_DOUBLE_WITHIN(tiny, 1, p.normal[2]);
        TEST_ASSERT_DOUBLE_WITHIN(tiny, -1, q.normal[2]);
    }
}

static void test_a_lying_capsule_or_cylinder_has_two_ends_on_the_plane(void)
{
    const slip_pose X = turned(0, 0, 0.5, 0, 1, 0, 1.5707963267948966);
    const slip_patch p = find(slip_shape_halfspace(), at(0, 0, 0), slip_shape_capsule(SLIP_R(0.5), 1), X, 0.001);
    const slip_patch q = find(slip_shape_halfspace(), at(0, 0, 0), slip_shape_cylinder(SLIP_R(0.5), 1), X, 0.001);

    TEST_ASSERT_EQUAL_INT(2, p.n);
    TEST_ASSERT(has_point(&p, 1, 0, 0, 1e-6) && has_point(&p, -1, 0, 0, 1e-6));
    TEST_ASSERT_EQUAL_INT(2, q.n);
    TEST_ASSERT(has_point(&q, 1, 0, 0, 1e-6) && has_point(&q, -1, 0, 0, 1e-6));
}

static void test_a_coin_on_its_rim_touches_below_its_centre(void)
{
    /* Upright on a plane and on a box; leaning by 30 degrees the lowest rim point leads. */
    const slip_shape coin = slip_shape_cylinder(SLIP_R(0.012), SLIP_R(0.001));
    const slip_pose up = turned(0, 0, 0.012, 1, 0, 0, 1.5707963267948966);
    const slip_patch p = find(slip_shape_halfspace(), at(0, 0, 0), coin, up, 1e-5);
    const slip_patch q = find(slip_shape_box(1, 1, 1), at(0, 0, -1), coin, up, 1e-5);
    const slip_patch r = find(slip_shape_halfspace(), at(0, 0, 0), coin, turned(0, 0, 0.012, 1, 0, 0, 1.0), 0.01);
    int i;

    TEST_ASSERT_EQUAL_INT(2, p.n);
    TEST_ASSERT_EQUAL_INT(2, q.n);
    for (i = 0; i < 2; ++i) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, p.point[i].point[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.001, fabs((double)p.point[i].point[1]));
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.001, fabs((double)q.point[i].point[1]));
    }
    TEST_ASSERT(r.n >= 1);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.012 - 0.012*sin(1.0) - 0.001*cos(1.0), r.point[0].gap);
}

/* ---- boxes ------------------------------------------------------------------------------------------ */

static void test_flush_boxes_are_no_deeper_than_their_overlap(void)
{
    slip_random rng = slip_random_seed(5);
    int i, k;

    for (i = 0; i < 2000; ++i) {
        const slip_real h = slip_random_uniform(&rng, SLIP_R(0.2), 2), dx = slip_random_uniform(&rng, -1, 1);
        const slip_real depth = slip_random_uniform(&rng, 0, SLIP_R(0.05));
        const slip_shape a = slip_shape_box(1, 1, 1), b = slip_shape_box(h, h, h);
        slip_pose xa, xb;
        slip_real q[4], p[3];
        slip_patch patch;

        slip_random_quat(&rng, q);
        slip_quat_to_mat3(q, xa.R);
        slip_zero3(xa.p);
        slip_mat3_copy(xa.R, xb.R);
        slip_set3(dx, SLIP_R(0.3)*dx, 1 + h - depth, p);
        slip_mat3_vec(xa.R, p, xb.p);
        TEST_ASSERT_EQUAL_INT(0, slip_patch_find(&a, &xa, &b, &xb, SLIP_R(0.001), NULL, &patch));
        TEST_ASSERT_EQUAL_INT(4, patch.n);
        for (k = 0; k < patch.n; ++k) TEST_ASSERT_DOUBLE_WITHIN(4*tiny, -(double)depth, patch.point[k].gap);
    }
}

static void test_random_contacts_are_never_deeper_than_the_pair(void)
{
    slip_random rng = slip_random_seed(6);
    int i, k;

    for (i = 0; i < 20000; ++i) {
        const slip_shape shapes[5] = { slip_shape_box(1, SLIP_R(0.5), SLIP_R(0.2)), slip_shape_capsule(SLIP_R(0.3), SLIP_R(0.6)),
                                       slip_shape_cylinder(SLIP_R(0.5), SLIP_R(0.4)), slip_shape_sphere(SLIP_R(0.5)),
                                       slip_shape_box(SLIP_R(0.1), 1, 1) };
        const slip_shape *a = &shapes[slip_random_int(&rng, 0, 4)], *b = &shapes[slip_random_int(&rng, 0, 4)];
        slip_real q[4];
        slip_pose xa, xb;
        slip_distance_result d;
        slip_patch p;

        slip_random_quat(&rng, q);
        slip_quat_to_mat3(q, xa.R);
        slip_random_quat(&rng, q);
        slip_quat_to_mat3(q, xb.R);
        for (k = 0; k < 3; ++k) { xa.p[k] = slip_random_uniform(&rng, -1, 1);  xb.p[k] = slip_random_uniform(&rng, -1, 1); }
        TEST_ASSERT(slip_distance(a, &xa, b, &xb, NULL, &d) >= 0);
        TEST_ASSERT(slip_patch_find(a, &xa, b, &xb, SLIP_R(0.05), NULL, &p) >= 0);
        if (d.distance > SLIP_R(0.0501)) TEST_ASSERT_EQUAL_INT(0, p.n);
        if (d.distance < SLIP_R(0.0499)) {
            TEST_ASSERT(p.n >= 1 && p.n <= 4);
            TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(4e-6, 1e-3), d.distance, p.point[0].gap);
            for (k = 0; k < p.n; ++k) TEST_ASSERT(p.point[k].gap >= d.distance - SLIP_TOL(1e-9, 1e-3));
        }
    }
}

static void test_two_cubes_of_side_two_at_distance_1_9_overlap_by_a_tenth(void)
{
    const slip_patch p = find(slip_shape_box(1, 1, 1), at(0, 0, 0), slip_shape_box(1, 1, 1), at(1.9, 0, 0), 0);
    int i;

    TEST_ASSERT_EQUAL_INT(4, p.n);
    TEST_ASSERT_DOUBLE_WITHIN(tiny, 1, p.normal[0]);
    for (i = 0; i < 4; ++i) {
        TEST_ASSERT_DOUBLE_WITHIN(tiny, -0.1, p.point[i].gap);
        TEST_ASSERT_DOUBLE_WITHIN(tiny, 0.95, p.point[i].point[0]);
        TEST_ASSERT_DOUBLE_WITHIN(tiny, 1, fabs((double)p.point[i].point[1]));
        TEST_ASSERT_DOUBLE_WITHIN(tiny, 1, fabs((double)p.point[i].point[2]));
    }
}

static void test_a_box_on_a_peg_touches_only_over_the_peg(void)
{
    const slip_shape peg = slip_shape_box(SLIP_R(0.1), SLIP_R(0.1), 1), plate = slip_shape_box(1, 1, SLIP_R(0.1));
    const slip_patch p = find(peg, at(0, 0, 0), plate, at(0.3, 0, 1.1), 0.01), q = find(plate, at(0.3, 0, 1.1), peg, at(0, 0, 0), 0.01);
    int sx, sy;

    TEST_ASSERT_EQUAL_INT(4, p.n);
    for (sx = -1; sx <= 1; sx += 2)
        for (sy = -1; sy <= 1; sy += 2) TEST_ASSERT(has_point(&p, 0.1*sx, 0.1*sy, 1, 10*tiny));
    TEST_ASSERT(same_contacts(&p, &q, 10*tiny));
}

static void test_identical_poses_give_a_patch_with_a_unit_normal(void)
{
    const slip_shape shapes[4] = { slip_shape_box(1, 1, 1), slip_shape_capsule(1, 1), slip_shape_cylinder(1, 1), cube_mesh(0, 1) };
    int i;

    for (i = 0; i < 4; ++i) {
        const slip_patch p = find(shapes[i], at(1, 2, 3), shapes[i], at(1, 2, 3), 0);

        TEST_ASSERT(p.n >= 1);
        TEST_ASSERT_DOUBLE_WITHIN(tiny, 1, slip_norm3(p.normal));
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-6, 1e-3), -2, deepest(&p));
    }
}

static void test_a_box_as_primitive_and_as_mesh_has_the_same_contacts(void)
{
    const slip_shape box = slip_shape_box(1, 1, 1), mesh = cube_mesh(0, 1), other = slip_shape_box(2, SLIP_R(0.5), SLIP_R(0.5)), ground = slip_shape_halfspace();
    const slip_pose poses[3] = { at(0.2, 0.1, 1.49), turned(0.3, 0.2, 1.495, 0, 0, 1, 0.4), turned(0, 0, 1.49, 1, 0, 0, 0.001) };
    int i;

    for (i = 0; i < 3; ++i) {
        const slip_patch p = find(box, at(0, 0, 0), other, poses[i], 0.01), q = find(mesh, at(0, 0, 0), other, poses[i], 0.01);
        const slip_patch r = find(ground, at(0, 0, 0.5), box, poses[i], 0.02), s = find(ground, at(0, 0, 0.5), mesh, poses[i], 0.02);

        TEST_ASSERT(p.n >= 2);
        TEST_ASSERT(same_contacts(&p, &q, 100*tiny));
        TEST_ASSERT(same_contacts(&r, &s, 100*tiny));
    }
}

static void test_parallel_capsules_touch_along_their_overlap(void)
{
    const slip_shape c = slip_shape_capsule(SLIP_R(0.25), 1);
    const slip_patch p = find(c, at(0, 0, 0), c, at(0.49, 0, 0.5), 0.01);

    TEST_ASSERT_EQUAL_INT(2, p.n);
    TEST_ASSERT(has_point(&p, 0.245, 0, 1, tiny) && has_point(&p, 0.245, 0, -0.5, tiny));
    TEST_ASSERT_DOUBLE_WITHIN(tiny, -0.01, p.point[0].gap);
}

static void test_a_capsule_lies_on_a_box_with_two_ends_clipped_to_its_face(void)
{
    const slip_patch p = find(slip_shape_box(1, 1, 1), at(0, 0, 0), slip_shape_capsule(SLIP_R(0.1), 5),
                              turned(0, 0, 1.099, 0, 1, 0, 1.5707963267948966), 0.01);

    TEST_ASSERT_EQUAL_INT(2, p.n);
    TEST_ASSERT(has_point(&p, 1, 0, 0.9995, 1e-5) && has_point(&p, -1, 0, 0.9995, 1e-5));
}

static void test_needle_on_plate_and_grain_on_slab(void)
{
    const slip_shape plate = slip_shape_box(1, 1, SLIP_R(0.001)), needle = slip_shape_box(SLIP_R(0.001), SLIP_R(0.001), 1);
    const slip_patch p = find(plate, at(0, 0, 0), needle, at(0.5, 0.5, 1.0009), 0);
    const slip_shape slab = slip_shape_box(100, 100, 100), grain = slip_shape_box(SLIP_R(0.001), SLIP_R(0.001), SLIP_R(0.001));
    const slip_patch q = find(slab, at(0, 0, -100), grain, at(30, 40, 0.0009), 0);

    TEST_ASSERT_EQUAL_INT(4, p.n);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-6), -0.0001, p.point[0].gap);
    TEST_ASSERT_EQUAL_INT(4, q.n);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 2e-5), -0.0001, q.point[0].gap);
}

/* ---- from step to step ------------------------------------------------------------------------------- */

static double farthest_move(const slip_patch *p, const slip_patch *q)
{
    double worst = 0;
    int i, j;

    for (i = 0; i < p->n; ++i) {
        double best = 1e300;

        for (j = 0; j < q->n; ++j) best = fmin(best, (double)slip_distance3(p->point[i].point, q->point[j].point));
        worst = fmax(worst, best);
    }
    return worst;
}

/* A resting cylinder trembles by micrometres and by up to a tenth of a milliradian: on a plane, on a box, on another cylinder. */
static void test_a_resting_cylinder_keeps_its_patch(void)
{
    const slip_shape c = slip_shape_cylinder(SLIP_R(0.5), SLIP_R(0.5));
    const slip_shape under[3] = { slip_shape_halfspace(), slip_shape_box(1, 1, 1), slip_shape_cylinder(SLIP_R(0.8), 1) };
    const double top[3] = { 0, 1, 1 };
    slip_random rng = slip_random_seed(9);
    int i, k;

    for (k = 0; k < 3; ++k) {
        slip_patch last;

        last.n = 0;
        for (i = 0; i < 1500; ++i) {
            slip_real u[3];
            slip_pose X;
            slip_patch p;

            slip_random_unit3(&rng, u);
            X = turned(1e-6*(double)u[0], 1e-6*(double)u[1], top[k] + 0.4999 + 1e-6*(double)u[2], (double)u[1], (double)u[2], (double)u[0],
                       i < 500 ? 1e-6 : i < 1000 ? 1e-5 : 1e-4);
            p = find(under[k], at(0, 0, 0), c, X, 0.001);
            TEST_ASSERT_EQUAL_INT(4, p.n);
            if (last.n) TEST_ASSERT(farthest_move(&p, &last) < 0.05*0.5);
            last = p;
        }
    }
}

static int same_ids(const slip_patch *p, const slip_patch *q)
{
    int i, j, found = 0;

    for (i = 0; i < p->n; ++i)
        for (j = 0; j < q->n; ++j) found += p->point[i].id == q->point[j].id;
    return p->n == q->n && found == p->n;
}

static void test_normals_and_names_survive_a_micrometre_of_motion(void)
{
    const slip_shape shapes[3] = { slip_shape_box(SLIP_R(0.3), SLIP_R(0.4), SLIP_R(0.2)), slip_shape_capsule(SLIP_R(0.2), SLIP_R(0.3)), cube_mesh(0, 0.2) };
    const slip_shape table = slip_shape_box(1, 1, 1);
    slip_random rng = slip_random_seed(10);
    int i, k;

    for (k = 0; k < 3; ++k) {
        slip_distance_cache cache = { { 0, 0, 0 }, 0, 0, NULL };
        slip_patch last;

        last.n = 0;
        for (i = 0; i < 500; ++i) {
            const slip_pose T = at(0, 0, 0);
            slip_real u[3], R[9];
            slip_pose X;
            slip_patch p;

            slip_random_unit3(&rng, u);
            X = turned(0.2 + 1e-6*(double)u[0], 0.1 + 1e-6*(double)u[1], 1.199 + 1e-6*(double)u[2], (double)u[1], (double)u[2], (double)u[0], 1e-6);
            if (k == 1) { slip_mat3_from_axis_angle((const slip_real[3]){ 0, 1, 0 }, SLIP_R(1.5707963), R);  slip_mat3_mul(X.R, R, X.R); }
            TEST_ASSERT(slip_patch_find(&table, &T, &shapes[k], &X, SLIP_R(0.002), &cache, &p) >= 0);
            TEST_ASSERT(p.normal[2] > SLIP_R(0.999));
            if (last.n) TEST_ASSERT(same_ids(&p, &last));
            last = p;
        }
    }
}

/* Which sides x = h, -h and y = h, -h of a square a point is on, as bits, up to a hundredth of the side. */
static unsigned sides_at(const slip_pose *X, const slip_real point[3], double h)
{
    unsigned sides = 0;
    slip_real x[3];
    int i;

    slip_sub3(point, X->p, x);
    slip_mat3_tvec(X->R, x, x);
    for (i = 0; i < 4; ++i) if (fabs((double)x[i/2] - (i%2 ? -h : h)) < 0.01*h) sides |= 1u << i;
    return sides;
}

/* A corner of the overlap is named by the sides that cross in it, low byte and the next one: A's from 64 on, B's below.
 * So every point with a name is on that one side of that box, wherever the boxes are: plain crossings, a corner within
 * the other face, and diamonds (step 5) with corners that lie on a side. */
static void test_a_contacts_name_tells_the_sides_that_cross_there(void)
{
    const double a = 0.5, b = 0.3;
    unsigned seen[2][64];
    slip_random rng = slip_random_seed(31);
    int i, k, s, named = 0;

    memset(seen, 255, sizeof seen);
    for (i = 0; i < 1000; ++i) {
        const int diamond = i % 5 == 4;
        const double along = (double)slip_random_uniform(&rng, -SLIP_R(0.7), SLIP_R(0.7));
        const double across = diamond ? (i % 2 ? a : -a) : (double)slip_random_uniform(&rng, -SLIP_R(0.7), SLIP_R(0.7));
        const double yaw = diamond ? (double)SLIP_PI/4 : (double)slip_random_uniform(&rng, -3, 3);
        const int upright = i % 3 == 0;
        const slip_pose xa = at(0, 0, -0.1);
        const slip_pose xb = turned(upright ? across : along, upright ? along : across, 0.1, 0, 0, 1, yaw);
        const slip_patch p = find(slip_shape_box(SLIP_R(0.5), SLIP_R(0.5), SLIP_R(0.1)), xa,
                                  slip_shape_box(SLIP_R(0.3), SLIP_R(0.3), SLIP_R(0.1)), xb, 0.001);

        for (k = 0; k < p.n && p.normal[2] > SLIP_R(0.999); ++k) {
            TEST_ASSERT_MESSAGE((p.point[k].id & 255) != (p.point[k].id >> 8 & 255), "two sides cross in a corner");
            for (s = 0; s < 16; s += 8) {
                const unsigned side = p.point[k].id >> s & 255;

                seen[side >= 64][side & 63] &= side >= 64 ? sides_at(&xa, p.point[k].point, a)
                                                          : sides_at(&xb, p.point[k].point, b);
                ++named;
            }
        }
    }
    TEST_ASSERT(named > 2000);
    for (k = 0; k < 4; ++k) for (s = 0; s < 2; ++s) {
        const unsigned one = seen[s][k];

        TEST_ASSERT_MESSAGE(one == 1 || one == 2 || one == 4 || one == 8, "a name stands for one side");
    }
}

/* A regular hexagon on a table: once two opposite corners are chosen, the other four add the same area but for rounding,
 * which does not choose between them. */
static void test_the_choice_of_four_out_of_six_survives_a_nanometre_of_motion(void)
{
    slip_arena arena = slip_arena_over(block[0], sizeof block[0]);
    slip_random rng = slip_random_seed(32);
    slip_real x[36];
    slip_patch first = { 0 };
    int i;

    for (i = 0; i < 12; ++i) {
        slip_set3((slip_real)cos(i/2*(double)SLIP_PI/3), (slip_real)sin(i/2*(double)SLIP_PI/3), i%2 ? 1 : -1, x + 3*i);
        slip_scale3(SLIP_R(0.1), x + 3*i, x + 3*i);
    }
    TEST_ASSERT_EQUAL_INT(0, slip_hull_build(x, 12, 0, &arena, &hulls[0], NULL));
    for (i = 0; i < 500; ++i) {
        const double far = i > 0 ? (double)SLIP_TOL(1e-9, 1e-7) : 0;
        slip_real u[3];
        slip_patch p;

        slip_random_unit3(&rng, u);
        p = find(slip_shape_box(SLIP_R(0.5), SLIP_R(0.5), SLIP_R(0.1)), at(0, 0, -0.1), slip_shape_mesh(&hulls[0]),
                 turned(far*(double)u[0], far*(double)u[1], 0.1, 0, 0, 1, far*(double)u[2]), 0.001);
        TEST_ASSERT_EQUAL_INT(4, p.n);
        if (i == 0) first = p;
        else TEST_ASSERT(same_ids(&first, &p));
    }
}

/* The largest move of a point that keeps its name. */
static double move_by_name(const slip_patch *p, const slip_patch *q)
{
    double worst = 0;
    int i, j;

    for (i = 0; i < p->n; ++i)
        for (j = 0; j < q->n; ++j)
            if (p->point[i].id == q->point[j].id)
                worst = fmax(worst, (double)slip_distance3(p->point[i].point, q->point[j].point));
    return worst;
}

/* A cylinder of radius 1/2 over the plane, leaning by `lean` towards `way`, its lowest point at height 0. */
static slip_patch leaning(double half, double lean, double way, double margin)
{
    const slip_shape c = slip_shape_cylinder(SLIP_R(0.5), (slip_real)half);
    const double low = fabs(half*cos(lean)) + fabs(0.5*sin(lean));

    return find(slip_shape_halfspace(), at(0, 0, 0), c, turned(0, 0, low, -sin(way), cos(way), 0, lean), margin);
}

/* Through all leans and all ways round no point jumps, and the deepest is as deep as it should be: 2 mm of a metre's lean. */
static void test_a_leaning_cylinder_on_a_plane_moves_its_points_without_jumps(void)
{
    const double halves[2] = { 0.5, 0.01 };
    int h, i, k;

    for (h = 0; h < 2; ++h)
        for (k = 0; k < 24; ++k) {
            const double way = 6.283185307179586*k/24 + 1e-3;
            slip_patch last = leaning(halves[h], 0, way, 0.02);

            for (i = 1; i < 4000; ++i) {                  /* leans more and more, slowly near upright */
                const double lean = 5e-5*i + (i > 400 ? 4e-4*(i - 400) : 0);
                const slip_patch p = leaning(halves[h], lean, way, 0.02);

                TEST_ASSERT(p.n >= 1);
                TEST_ASSERT_DOUBLE_WITHIN(1e-4 + tiny, 0, p.point[0].gap);
                TEST_ASSERT(move_by_name(&p, &last) < 0.05*0.5);
                if (lean < 0.7) TEST_ASSERT(farthest_move(&p, &last) < 0.05*0.5);
                last = p;
            }
        }
    for (k = 0; k < 6; ++k) {                             /* leans all round, as a coin that spins down */
        static const double leans[6] = { 3e-4, 1e-3, 1.9e-3, 3e-3, 0.02, 0.3 };
        slip_patch last = leaning(0.5, leans[k], 0, 0.02);

        for (i = 1; i < 1000; ++i) {
            const slip_patch p = leaning(0.5, leans[k], 0.01*i, 0.02);

            TEST_ASSERT(move_by_name(&p, &last) < 0.05*0.5);
            last = p;
        }
    }
}

/* The same on a box and on a wider cylinder, either way round, as long as the cap is all over the face. */
static void test_a_leaning_cylinder_on_a_face_moves_its_points_without_jumps(void)
{
    const slip_shape under[2] = { slip_shape_box(2, 2, 1), slip_shape_cylinder(2, 1) }, c = slip_shape_cylinder(SLIP_R(0.5), SLIP_R(0.5));
    int i, k, u;

    for (u = 0; u < 4; ++u)
        for (k = 0; k < 24; ++k) {
            const double way = 6.283185307179586*k/24 + 1e-3;
            slip_patch last;

            last.n = 0;
            for (i = 0; i < 1600; ++i) {
                const double lean = 5e-5*i + (i > 400 ? 4e-4*(i - 400) : 0);
                const slip_pose X = turned(0, 0, 1 + 0.5*cos(lean) + 0.5*sin(lean), -sin(way), cos(way), 0, lean), O = at(0, 0, 0);
                const slip_patch p = u < 2 ? find(under[u], O, c, X, 0.02) : find(c, X, under[u - 2], O, 0.02);

                TEST_ASSERT(p.n >= 1);
                TEST_ASSERT_DOUBLE_WITHIN(3e-4 + tiny, 0, p.point[0].gap);
                if (last.n) TEST_ASSERT(move_by_name(&p, &last) < 0.05*0.5);
                if (last.n && lean < 0.0199) TEST_ASSERT(farthest_move(&p, &last) < 0.05*0.5);     /* all within the margin */
                last = p;
            }
        }
}

static void test_a_box_without_thickness_has_contacts_with_names_of_their_own(void)
{
    int axis, i, j, k;

    for (axis = 0; axis < 3; ++axis)
        for (k = 0; k < 2; ++k) {
            const slip_shape plate = slip_shape_box(axis == 0 ? 0 : 1, axis == 1 ? 0 : 1, axis == 2 ? 0 : 1);
            const slip_pose X = turned(0, 0, k ? 0.3 : 0, 1, 1, 0, k ? 0.4 : 0);
            const slip_patch p = find(slip_shape_halfspace(), at(0, 0, 0), plate, X, 3), q = find(slip_shape_box(3, 3, 1), at(0, 0, -1), plate, X, 3);

            TEST_ASSERT_EQUAL_INT(4, p.n);
            for (i = 0; i < p.n; ++i) for (j = 0; j < i; ++j) TEST_ASSERT(p.point[i].id != p.point[j].id);
            for (i = 0; i < q.n; ++i) for (j = 0; j < i; ++j) TEST_ASSERT(q.point[i].id != q.point[j].id);
        }
}

/* The 2 x 2 x 2 cube as an STL file. */
static slip_shape cube_stl(int slot)
{
    static const int corner[12][3] = { { 0, 2, 1 }, { 1, 2, 3 }, { 4, 5, 6 }, { 5, 7, 6 }, { 0, 1, 4 }, { 1, 5, 4 },
                                       { 2, 6, 3 }, { 3, 6, 7 }, { 0, 4, 2 }, { 2, 4, 6 }, { 1, 3, 5 }, { 3, 7, 5 } };
    static unsigned char work[1 << 16];
    slip_arena arena = slip_arena_over(work, sizeof work), keep = slip_arena_over(block[slot], sizeof block[slot]);
    char text[4096];
    slip_trimesh m;
    int n, t, k;

    n = sprintf(text, "solid cube\n");
    for (t = 0; t < 12; ++t) {
        n += sprintf(text + n, "facet normal 0 0 0\nouter loop\n");
        for (k = 0; k < 3; ++k)
            n += sprintf(text + n, "vertex %d %d %d\n", corner[t][k] & 1 ? 1 : -1, corner[t][k] & 2 ? 1 : -1, corner[t][k] & 4 ? 1 : -1);
        n += sprintf(text + n, "endloop\nendfacet\n");
    }
    n += sprintf(text + n, "endsolid cube\n");
    TEST_ASSERT_EQUAL_INT(0, slip_mesh_read("cube.stl", text, (size_t)n, NULL, &arena, &m, NULL, NULL, NULL));
    TEST_ASSERT_EQUAL_INT(8, m.nv);
    TEST_ASSERT_EQUAL_INT(0, slip_hull_build(m.vertex, m.nv, slip_mesh_tolerance(&m), &keep, &hulls[slot], NULL));
    return slip_shape_mesh(&hulls[slot]);
}

/* On a plane, a larger box, a larger mesh, a peg. (Of five or more corners, the four that are kept may differ.) */
static void test_a_box_as_primitive_mesh_and_file_has_the_same_four_contacts(void)
{
    const slip_shape forms[3] = { slip_shape_box(1, 1, 1), cube_mesh(0, 1), cube_stl(1) };
    const slip_shape under[4] = { slip_shape_halfspace(), slip_shape_box(2, 2, 1), cube_mesh(2, 1.6), slip_shape_box(SLIP_R(0.5), SLIP_R(0.4), 1) };
    const double top[4] = { 0, 1, 1.6, 1 };
    const slip_pose poses[4] = { at(0.1, -0.2, 0.999), turned(0.2, 0.1, 0.999, 0, 0, 1, 0.4), turned(0, 0.1, 0.999, 1, 0, 0, 0.001),
                                 turned(0.1, 0, 0.999, 0, 1, 0, 1.5707963267948966) };
    int u, k, f;

    for (u = 0; u < 4; ++u)
        for (k = 0; k < 4; ++k) {
            slip_pose X = poses[k];
            slip_patch p;

            X.p[2] += (slip_real)top[u];
            p = find(under[u], at(0, 0, 0), forms[0], X, 0.02);
            TEST_ASSERT_EQUAL_INT(4, p.n);
            for (f = 1; f < 3; ++f) {
                const slip_patch q = find(under[u], at(0, 0, 0), forms[f], X, 0.02), r = find(forms[f], X, under[u], at(0, 0, 0), 0.02);

                TEST_ASSERT_EQUAL_INT(4, q.n);
                TEST_ASSERT(same_contacts(&p, &q, 100*tiny));
                TEST_ASSERT(same_contacts(&p, &r, 100*tiny));
            }
        }
}

/* Every pair of kinds, touching or overlapping a little, moved by a micrometre: the normal turns by no more than the
 * motion explains, but where two normals tie. */
static void test_no_normal_flips_under_a_micrometre_of_motion(void)
{
    const slip_shape shapes[5] = { slip_shape_sphere(SLIP_R(0.3)), slip_shape_box(SLIP_R(0.3), SLIP_R(0.4), SLIP_R(0.2)),
                                   slip_shape_capsule(SLIP_R(0.2), SLIP_R(0.3)), slip_shape_cylinder(SLIP_R(0.3), SLIP_R(0.4)), cube_mesh(0, 0.3) };
    const slip_real step = SLIP_TOL(1e-6, 1e-5);
    slip_random rng = slip_random_seed(12);
    int i, j, k, trial;

    for (i = 0; i < 5; ++i)
        for (j = 0; j < 5; ++j)
            for (trial = 0; trial < 100; ++trial) {
                slip_distance_result d, e;
                slip_real q[4], u[3];
                slip_pose X = at(0, 0, 0), Y = at(0, 0, 0);

                slip_random_quat(&rng, q);
                if (trial%2) slip_quat_to_mat3(q, X.R);
                slip_random_quat(&rng, q);
                if (trial%4 > 1) slip_quat_to_mat3(q, Y.R);
                slip_random_unit3(&rng, u);
                slip_scale3(SLIP_R(0.5), u, Y.p);
                TEST_ASSERT_EQUAL_INT(0, slip_distance(&shapes[i], &X, &shapes[j], &Y, NULL, &d));
                slip_axpy3(-d.distance - SLIP_R(0.01), d.normal, Y.p, Y.p);           /* a centimetre deep */
                TEST_ASSERT_EQUAL_INT(0, slip_distance(&shapes[i], &X, &shapes[j], &Y, NULL, &d));
                for (k = 0; k < 20; ++k) {
                    slip_pose Z = Y;

                    slip_random_unit3(&rng, u);
                    slip_axpy3(step, u, Z.p, Z.p);
                    TEST_ASSERT_EQUAL_INT(0, slip_distance(&shapes[i], &X, &shapes[j], &Z, NULL, &e));
                    TEST_ASSERT_DOUBLE_WITHIN(2*(double)step, d.distance, e.distance);
                    TEST_ASSERT(slip_dot3(d.normal, e.normal) > SLIP_R(0.999));
                }
            }
}

/* A can whose cap hangs over a box's edge and lies on it, from the box's corner to its own rim, leaning outwards by
 * little: it rests on the ends of that line, and both stay in the patch however the can is turned, though of the cap
 * over the box other points are farther apart from each other. */
static void test_what_touches_is_kept_when_there_are_more_than_four(void)
{
    const double lean[] = { 0.005, 0.012, 0.03 }, y[] = { 0.012, 0.018, 0.024 };
    int i, k, t;

    for (t = 0; t < 9; ++t)
        for (i = 0; i < 90; ++i) {
            const double tilt = lean[t/3], jitter = 1e-10*((i*7)%5 - 2);
            slip_pose xb = turned(-0.01, y[t%3], 0, 0, 1, 0, tilt), spin = turned(0, 0, 0.04, 0, 0, 1, i*0.0175);
            const slip_shape box = slip_shape_box(SLIP_R(0.05), SLIP_R(0.05), SLIP_R(0.05));
            const slip_shape can = slip_shape_cylinder(SLIP_R(0.035), SLIP_R(0.04));
            double low = 1, high = -1;
            slip_patch p;

            xb.p[2] = (slip_real)(0.01*tan(tilt) + jitter);          /* the edge x = 0, z = 0 is in the cap's plane */
            slip_pose_mul(&xb, &spin, &xb);
            p = find(box, at(-0.05, 0.05, -0.05), can, xb, 0.004);
            for (k = 0; k < p.n; ++k) {
                if (p.point[k].gap > SLIP_R(1e-6)) continue;
                low = fmin(low, (double)p.point[k].point[1]);
                high = fmax(high, (double)p.point[k].point[1]);
            }
            TEST_ASSERT(low < 0.001 && high > y[t%3] + 0.028);
        }
}

static void test_bad_input_is_refused(void)
{
    const slip_shape box = slip_shape_box(1, 1, 1), bad = slip_shape_box(-1, 1, 1), plane = slip_shape_halfspace();
    const slip_pose X = at(0, 0, 0);
    slip_pose nan = at(0, 0, 0);
    slip_patch p, before;

    memset(&p, 7, sizeof p);
    before = p;
    nan.R[4] = (slip_real)NAN;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_patch_find(&box, &X, &bad, &X, 0, NULL, &p));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_patch_find(&box, &X, &box, &nan, 0, NULL, &p));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_patch_find(&plane, &nan, &box, &X, 0, NULL, &p));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_patch_find(&box, &X, &box, &X, -1, NULL, &p));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_UNSUPPORTED, slip_patch_find(&plane, &X, &plane, &X, 0, NULL, &p));
    TEST_ASSERT(memcmp(&p, &before, sizeof p) == 0);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_box_rests_on_a_plane_with_its_four_lower_corners);
    RUN_TEST(test_every_shape_meets_a_plane_either_way_round);
    RUN_TEST(test_a_lying_capsule_or_cylinder_has_two_ends_on_the_plane);
    RUN_TEST(test_a_coin_on_its_rim_touches_below_its_centre);
    RUN_TEST(test_flush_boxes_are_no_deeper_than_their_overlap);
    RUN_TEST(test_random_contacts_are_never_deeper_than_the_pair);
    RUN_TEST(test_two_cubes_of_side_two_at_distance_1_9_overlap_by_a_tenth);
    RUN_TEST(test_a_box_on_a_peg_touches_only_over_the_peg);
    RUN_TEST(test_identical_poses_give_a_patch_with_a_unit_normal);
    RUN_TEST(test_a_box_as_primitive_and_as_mesh_has_the_same_contacts);
    RUN_TEST(test_parallel_capsules_touch_along_their_overlap);
    RUN_TEST(test_a_capsule_lies_on_a_box_with_two_ends_clipped_to_its_face);
    RUN_TEST(test_needle_on_plate_and_grain_on_slab);
    RUN_TEST(test_a_resting_cylinder_keeps_its_patch);
    RUN_TEST(test_normals_and_names_survive_a_micrometre_of_motion);
    RUN_TEST(test_a_contacts_name_tells_the_sides_that_cross_there);
    RUN_TEST(test_the_choice_of_four_out_of_six_survives_a_nanometre_of_motion);
    RUN_TEST(test_a_leaning_cylinder_on_a_plane_moves_its_points_without_jumps);
    RUN_TEST(test_a_leaning_cylinder_on_a_face_moves_its_points_without_jumps);
    RUN_TEST(test_a_box_without_thickness_has_contacts_with_names_of_their_own);
    RUN_TEST(test_a_box_as_primitive_mesh_and_file_has_the_same_four_contacts);
    RUN_TEST(test_no_normal_flips_under_a_micrometre_of_motion);
    RUN_TEST(test_what_touches_is_kept_when_there_are_more_than_four);
    RUN_TEST(test_bad_input_is_refused);
    return UNITY_END();
}
