/* The broad phase against brute force over random motion; its filters, limits, and determinism. */
#include "unity.h"
#include "geom/broadphase.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 2500, PAIRS = 60000 };

static slip_random rng;
static unsigned char *block;
static slip_arena arena;
static slip_real box[6*MOST];
static int live[MOST];

void setUp(void) { rng = slip_random_seed(23);  block = NULL;  memset(live, 0, sizeof live); }
void tearDown(void) { free(block); }

static slip_broadphase *make(int boxes, int pairs, int excludes)
{
    const size_t bytes = slip_broadphase_bytes(boxes, pairs, excludes);
    slip_broadphase *bp = NULL;

    free(block);
    block = (unsigned char *)malloc(bytes);
    arena = slip_arena_over(block, bytes);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_broadphase_create(boxes, pairs, excludes, &arena, &bp));
    return bp;
}

static void random_box(slip_real b[6], slip_real world, slip_real size)
{
    int k;

    for (k = 0; k < 3; ++k) {
        b[k] = slip_random_uniform(&rng, -world, world);
        b[3 + k] = b[k] + slip_random_uniform(&rng, 0, size);
    }
}

static void shift_box(slip_real b[6], slip_real step)
{
    int k;

    for (k = 0; k < 3; ++k) {
        const slip_real d = slip_random_uniform(&rng, -step, step);

        b[k] += d;
        b[3 + k] += d;
    }
}

static int overlap(const slip_real *a, const slip_real *b)
{
    int k;

    for (k = 0; k < 3; ++k) if (a[k] > b[3 + k] || b[k] > a[3 + k]) return 0;
    return 1;
}

/* The pairs are those of two loops over all boxes, in the same order. */
static void expect_all_pairs(slip_broadphase *bp, int end)
{
    const slip_box_pair *pair;
    int n, a, b, at = 0;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_broadphase_update(bp));
    pair = slip_broadphase_pairs(bp, &n);
    for (a = 0; a < end; ++a)
        for (b = a + 1; live[a] && b < end; ++b) {
            if (!live[b] || !overlap(box + 6*a, box + 6*b) || !slip_broadphase_allows(bp, a, b)) continue;
            TEST_ASSERT_MESSAGE(at < n, "a pair was missed");
            TEST_ASSERT_MESSAGE(pair[at].a == a && pair[at].b == b, "a pair was missed, invented or out of order");
            ++at;
        }
    TEST_ASSERT_EQUAL_INT_MESSAGE(n, at, "a pair was invented");
}

static void run_motion(int n, int frames, slip_real size, slip_real step)
{
    slip_broadphase *bp = make(n, PAIRS, 0);
    slip_proxy p = slip_proxy_defaults();
    int i, f;

    for (i = 0; i < n; ++i) {
        random_box(box + 6*i, 1, i % 50 == 7 ? 10*size : size);
        live[i] = 1;
        p.is_static = i % 5 == 0;
        TEST_ASSERT_EQUAL_INT(i, slip_broadphase_add(bp, &p, box + 6*i, box + 6*i + 3));
    }
    for (f = 0; f < frames; ++f) {
        expect_all_pairs(bp, n);
        for (i = 0; i < n; ++i) {
            if (i % 5 == 0) continue;
            shift_box(box + 6*i, f % 7 == 3 && i % 11 == 0 ? 1 : step);          /* some jump */
            TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_broadphase_move(bp, i, box + 6*i, box + 6*i + 3));
        }
    }
}

static void test_pairs_match_brute_force_over_coherent_motion(void)
{
    run_motion(2, 50, SLIP_R(0.5), SLIP_R(0.1));
    run_motion(20, 200, SLIP_R(0.4), SLIP_R(0.02));
    run_motion(64, 50, SLIP_R(0.3), SLIP_R(0.02));
    run_motion(65, 50, SLIP_R(0.3), SLIP_R(0.02));
    run_motion(300, 100, SLIP_R(0.15), SLIP_R(0.003));
    run_motion(2000, 25, SLIP_R(0.08), SLIP_R(0.002));
}

static void test_pairs_match_brute_force_when_everything_moves_far(void)
{
    run_motion(30, 50, SLIP_R(0.4), 1);
    run_motion(500, 40, SLIP_R(0.15), 1);
}

static void test_boxes_come_and_go_and_change_size(void)
{
    enum { N = 400 };
    slip_broadphase *bp = make(N, PAIRS, 0);
    slip_proxy p = slip_proxy_defaults();
    int step, count = 0, k;

    for (step = 0; step < 3000; ++step) {
        const int grow = step < 1200 || step % 900 < 450, id = slip_random_int(&rng, 0, N - 1);

        if (!live[id] && grow) {
            slip_real b[6];
            int first = 0, got;

            random_box(b, 1, SLIP_R(0.3));
            if (step % 100 == 5) { b[0] = b[1] = -SLIP_REAL_MAX;  b[2] = -SLIP_REAL_MAX;  b[3] = b[4] = SLIP_REAL_MAX; }
            while (live[first]) ++first;
            got = slip_broadphase_add(bp, &p, b, b + 3);
            TEST_ASSERT_EQUAL_INT_MESSAGE(first, got, "the lowest free id");
            memcpy(box + 6*got, b, sizeof b);
            live[got] = 1;
            ++count;
        } else if (live[id] && !grow) {
            slip_broadphase_remove(bp, id);
            slip_broadphase_remove(bp, id);              /* twice does nothing */
            live[id] = 0;
            --count;
        } else if (live[id]) {
            random_box(box + 6*id, 1, SLIP_R(0.5));
            slip_broadphase_move(bp, id, box + 6*id, box + 6*id + 3);
        }
        if (step % 10 == 0) expect_all_pairs(bp, N);
    }
    for (k = 0; k < N; ++k) { slip_broadphase_remove(bp, k);  live[k] = 0; }
    expect_all_pairs(bp, N);
    TEST_ASSERT_EQUAL_INT(0, slip_broadphase_end(bp));
    TEST_ASSERT(count < N);
}

static void test_touching_boxes_are_a_pair_and_boxes_a_hair_apart_are_not(void)
{
    slip_broadphase *bp = make(100, 5000, 0);
    slip_proxy p = slip_proxy_defaults();
    int n, i, round;

    for (round = 0; round < 2; ++round) {                /* small, then with a tree */
        slip_real a[6] = { 0, 0, 0, 1, 1, 1 }, b[6] = { 1, 0, 0, 2, 1, 1 };
        int ia, ib;

        for (i = 0; i < 80*round; ++i) {
            const slip_real c[6] = { 10 + 2*(slip_real)i, 0, 0, 11 + 2*(slip_real)i, 1, 1 };

            slip_broadphase_add(bp, &p, c, c + 3);
        }
        ia = slip_broadphase_add(bp, &p, a, a + 3);
        ib = slip_broadphase_add(bp, &p, b, b + 3);
        slip_broadphase_update(bp);
        slip_broadphase_pairs(bp, &n);
        TEST_ASSERT_EQUAL_INT(1, n);
        b[0] += 2*SLIP_REAL_EPS;
        slip_broadphase_move(bp, ib, b, b + 3);
        slip_broadphase_update(bp);
        slip_broadphase_pairs(bp, &n);
        TEST_ASSERT_EQUAL_INT(0, n);
        slip_broadphase_remove(bp, ia);
        slip_broadphase_remove(bp, ib);
    }
}

/* A chain of bodies, all boxes on one heap: pairs left are those no rule forbids. */
static void filters_with(int extra)
{
    slip_broadphase *bp = make(200, 20000, 4);
    const slip_real lo[3] = { 0, 0, 0 }, hi[3] = { 1, 1, 1 };
    int i, n, k, found;
    const slip_box_pair *pair;

    for (i = 0; i < 8 + extra; ++i) {
        slip_proxy p = slip_proxy_defaults();

        p.body = i/2;                                    /* two boxes a body */
        p.parent = i/2 - 1;
        p.link = i;
        if (i == 6) p.group = 2;
        if (i == 0) p.mask = ~2u;                        /* 0 does not see group 2 */
        if (i >= 8) { p.body = -1;  p.parent = -1;  p.is_static = 1; }
        slip_broadphase_add(bp, &p, lo, hi);
    }
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_broadphase_exclude(bp, 7, 1));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_broadphase_exclude(bp, 1, 7));
    slip_broadphase_update(bp);
    pair = slip_broadphase_pairs(bp, &n);
    found = 0;
    for (k = 0; k < n; ++k) {
        const int a = pair[k].a, b = pair[k].b;

        TEST_ASSERT(a < 8);                              /* no two static ones */
        if (b >= 8) continue;
        TEST_ASSERT(b/2 - a/2 >= 2);                     /* neither the same body nor parent and child */
        TEST_ASSERT(!(a == 0 && b == 6) && !(a == 1 && b == 7));
        ++found;
    }
    TEST_ASSERT_EQUAL_INT(3*4 - 2, found);
    TEST_ASSERT_EQUAL_INT(found + 8*extra, n);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_broadphase_exclude(bp, 0, 4));
    slip_broadphase_update(bp);
    slip_broadphase_pairs(bp, &k);
    TEST_ASSERT_EQUAL_INT(n - 1, k);
    TEST_ASSERT(!slip_broadphase_allows(bp, 4, 0) && slip_broadphase_allows(bp, 5, 0));
    slip_broadphase_exclude(bp, 0, 100);
    slip_broadphase_exclude(bp, 0, 101);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_LIMIT, slip_broadphase_exclude(bp, 0, 102));
}

static void test_filters_forbid_what_they_should_and_nothing_else(void)
{
    filters_with(0);
    filters_with(100);
}

static void test_more_pairs_than_room_are_counted_and_recovered_from(void)
{
    int n, i, k, size;

    for (size = 20; size <= 80; size += 60) {            /* without and with a tree */
        slip_broadphase *bp = make(size, 100, 0);
        slip_proxy p = slip_proxy_defaults();

        for (i = 0; i < size; ++i) {
            slip_set3(0, 0, 0, box);
            slip_set3(1, 1, 1, box + 3);
            slip_broadphase_add(bp, &p, box, box + 3);
        }
        TEST_ASSERT_EQUAL_INT(SLIP_DROPPED, slip_broadphase_update(bp));
        slip_broadphase_pairs(bp, &n);
        TEST_ASSERT_EQUAL_INT(100, n);
        TEST_ASSERT_EQUAL_INT(size*(size - 1)/2 - 100, slip_broadphase_dropped(bp));
        for (i = 0; i < size; ++i) {                     /* a row where neighbours touch: size - 1 pairs */
            slip_real b[6] = { (slip_real)i, 0, 0, (slip_real)i + 1, 1, 1 };

            memcpy(box + 6*i, b, sizeof b);
            live[i] = 1;
            slip_broadphase_move(bp, i, b, b + 3);
        }
        for (k = 0; k < 3; ++k) expect_all_pairs(bp, size);
    }
}

static void test_bad_boxes_and_ids_are_refused(void)
{
    slip_broadphase *bp = make(2, 10, 0), *none = NULL;
    slip_proxy p = slip_proxy_defaults();
    slip_real lo[3] = { 0, 0, 0 }, hi[3] = { 1, 1, 1 };
    slip_arena small = slip_arena_over(block, 64);

    hi[1] = -1;
    TEST_ASSERT_EQUAL_INT(-1, slip_broadphase_add(bp, &p, lo, hi));
    hi[1] = (slip_real)NAN;
    TEST_ASSERT_EQUAL_INT(-1, slip_broadphase_add(bp, &p, lo, hi));
    hi[1] = (slip_real)INFINITY;
    TEST_ASSERT_EQUAL_INT(-1, slip_broadphase_add(bp, &p, lo, hi));
    hi[1] = 1;
    TEST_ASSERT_EQUAL_INT(0, slip_broadphase_add(bp, &p, lo, hi));
    TEST_ASSERT_EQUAL_INT(1, slip_broadphase_add(bp, &p, lo, hi));
    TEST_ASSERT_EQUAL_INT(-1, slip_broadphase_add(bp, &p, lo, hi));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_broadphase_move(bp, 2, lo, hi));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_broadphase_move(bp, -1, lo, hi));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_broadphase_create(-1, 10, 10, &arena, &none));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, slip_broadphase_create(10, 10, 10, &small, &none));
    TEST_ASSERT(none == NULL && slip_arena_mark(&small) == 0);
}

static void test_a_walk_finds_every_box_in_a_region_once(void)
{
    enum { N = 700 };
    int n, i, trial;

    for (n = 30; n <= N; n = n*2 + 10) {
        slip_broadphase *bp = make(N, PAIRS, 0);
        slip_proxy p = slip_proxy_defaults();
        int seen[N];

        for (i = 0; i < n; ++i) {
            random_box(box + 6*i, 1, SLIP_R(0.2));
            if (i == 3) { box[18] = box[19] = box[20] = -SLIP_REAL_MAX;  box[21] = box[22] = SLIP_REAL_MAX; }
            slip_broadphase_add(bp, &p, box + 6*i, box + 6*i + 3);
        }
        slip_broadphase_update(bp);
        for (trial = 0; trial < 50; ++trial) {
            slip_broadphase_walk w = slip_broadphase_all(bp);
            slip_real q[6];
            int id;

            memset(seen, 0, sizeof seen);
            random_box(q, 1, SLIP_R(0.5));
            while ((id = slip_broadphase_next(&w, q, q + 3)) >= 0) ++seen[id];
            for (i = 0; i < n; ++i) {
                TEST_ASSERT(seen[i] <= 1);
                if (overlap(q, box + 6*i)) TEST_ASSERT_EQUAL_INT(1, seen[i]);
            }
        }
    }
}

static void test_bounds_with_a_margin_enclose_the_shape(void)
{
    const slip_shape box_shape = slip_shape_box(1, 2, 3), ground = slip_shape_halfspace();
    slip_real lo[3], hi[3];
    slip_pose X;

    slip_pose_identity(&X);
    slip_shape_bounds_with(&box_shape, &X, SLIP_R(0.5), lo, hi);
    TEST_ASSERT(lo[0] == SLIP_R(-1.5) && hi[2] == SLIP_R(3.5));
    slip_shape_bounds_with(&ground, &X, SLIP_R(0.5), lo, hi);
    TEST_ASSERT(lo[0] == -SLIP_REAL_MAX && hi[0] == SLIP_REAL_MAX && hi[2] == SLIP_R(0.5));
}

/* The work of a frame in which n boxes jump anywhere, at an even density; and of one in which they rest. */
static void count_tests(int n, double *jump, double *rest)
{
    slip_broadphase *bp = make(n, 40*n, 0);
    const slip_proxy proxy = slip_proxy_defaults();
    const slip_real world = slip_cbrt((slip_real)n);
    slip_real b[6];
    int i;

    for (i = 0; i < n; ++i) {
        random_box(b, world, 1);
        slip_broadphase_add(bp, &proxy, b, b + 3);
    }
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_broadphase_update(bp));
    for (i = 0; i < n; ++i) {
        random_box(b, world, 1);
        slip_broadphase_move(bp, i, b, b + 3);
    }
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_broadphase_update(bp));
    *jump = (double)slip_broadphase_tests(bp);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_broadphase_update(bp));
    *rest = (double)slip_broadphase_tests(bp);
}

/* Counted, not timed: per n log2 n the work stays within a factor of two from 100 boxes to 100 000, where n^2 would grow
 * a hundredfold and more. At rest only candidates are compared again. */
static void test_work_grows_as_n_log_n_from_a_hundred_boxes_to_a_hundred_thousand(void)
{
    static const int sizes[] = { 100, 1000, 10000, 100000 };
    double least = 1e300, most = 0;
    size_t i;

    for (i = 0; i < sizeof sizes/sizeof *sizes; ++i) {
        const double n = sizes[i];
        double jump, rest;

        count_tests(sizes[i], &jump, &rest);
        printf("%d boxes: %.3g tests, %.3g per n log2 n; %.3g at rest\n", sizes[i], jump, jump/(n*log2(n)), rest);
        least = fmin(least, jump/(n*log2(n)));
        most = fmax(most, jump/(n*log2(n)));
        TEST_ASSERT(rest < 20*n);
    }
    TEST_ASSERT(most < 2*least);
}

/* A box that goes leaves those behind it in: the end is behind the last that is left, and its pairs stay. */
static void test_a_box_that_goes_takes_no_other_with_it(void)
{
    const slip_proxy proxy = slip_proxy_defaults();
    const slip_real lo[3] = { 0, 0, 0 }, hi[3] = { 1, 1, 1 };
    slip_broadphase *bp = make(4, 8, 1);
    const slip_box_pair *pair;
    int n;

    for (n = 0; n < 4; ++n) TEST_ASSERT_EQUAL_INT(n, slip_broadphase_add(bp, &proxy, lo, hi));
    slip_broadphase_remove(bp, 1);
    TEST_ASSERT_EQUAL_INT(4, slip_broadphase_end(bp));
    slip_broadphase_remove(bp, 2);
    TEST_ASSERT_EQUAL_INT(4, slip_broadphase_end(bp));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_broadphase_update(bp));
    pair = slip_broadphase_pairs(bp, &n);
    TEST_ASSERT_EQUAL_INT(1, n);
    TEST_ASSERT_TRUE(pair[0].a == 0 && pair[0].b == 3);
    slip_broadphase_remove(bp, 3);
    TEST_ASSERT_EQUAL_INT(1, slip_broadphase_end(bp));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_pairs_match_brute_force_over_coherent_motion);
    RUN_TEST(test_pairs_match_brute_force_when_everything_moves_far);
    RUN_TEST(test_boxes_come_and_go_and_change_size);
    RUN_TEST(test_touching_boxes_are_a_pair_and_boxes_a_hair_apart_are_not);
    RUN_TEST(test_filters_forbid_what_they_should_and_nothing_else);
    RUN_TEST(test_more_pairs_than_room_are_counted_and_recovered_from);
    RUN_TEST(test_bad_boxes_and_ids_are_refused);
    RUN_TEST(test_a_walk_finds_every_box_in_a_region_once);
    RUN_TEST(test_work_grows_as_n_log_n_from_a_hundred_boxes_to_a_hundred_thousand);
    RUN_TEST(test_bounds_with_a_margin_enclose_the_shape);
    RUN_TEST(test_a_box_that_goes_takes_no_other_with_it);
    return UNITY_END();
}
