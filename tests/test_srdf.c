/* SRDF: pairs by name, onto the broad phase's exclude list. */
#include "unity.h"
#include "io/srdf.h"

#include <string.h>

static unsigned char block[1 << 18];
static slip_arena arena;
static slip_error err;
static slip_report report;

void setUp(void) { arena = slip_arena_over(block, sizeof block);  memset(&report, 0, sizeof report); }
void tearDown(void) { }

static slip_status read(const char *text, slip_srdf *out)
{
    return slip_srdf_read(text, strlen(text), "r.srdf", &arena, out, &report, &err);
}

static const char good[] =
    "<?xml version=\"1.0\"?>\n<!-- a hand -->\n<robot name=\"hand\">\n"
    "  <group name=\"all\"><chain base_link=\"a\" tip_link=\"c\"/></group>\n"
    "  <disable_collisions link1=\"a\" link2=\"b\" reason=\"Adjacent\"/>\n"
    "  <disable_collisions link1=\"a\" link2=\"c&amp;d\"></disable_collisions>\n"
    "  <enable_collisions link1=\"a\" link2=\"b\"/>\n</robot>\n";

static void test_pairs_are_read_in_order_with_their_lines(void)
{
    slip_srdf s;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, read(good, &s));
    TEST_ASSERT_EQUAL_INT(2, s.npairs);
    TEST_ASSERT_EQUAL_STRING("a", s.pairs[0].a);
    TEST_ASSERT_EQUAL_STRING("b", s.pairs[0].b);
    TEST_ASSERT_EQUAL_STRING("c&d", s.pairs[1].b);
    TEST_ASSERT_EQUAL_INT(5, s.pairs[0].line);
    TEST_ASSERT_EQUAL_INT(1, report.count);              /* enable_collisions is told of */
    TEST_ASSERT(slip_arena_mark_scratch(&arena) == arena.size);
}

static void test_what_is_no_srdf_is_refused(void)
{
    slip_srdf s;

    TEST_ASSERT_EQUAL_INT(SLIP_ERR_MODEL, read("<scene/>", &s));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_PARSE, read("<robot><disable_collisions link1=\"a\"/></robot>", &s));
    TEST_ASSERT_MESSAGE(strstr(err.what, "link2") != NULL, err.what);
    TEST_ASSERT_EQUAL_INT(1, err.line);
    TEST_ASSERT(read("<robot>", &s) < 0);
    TEST_ASSERT(read("", &s) < 0);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_FILE, slip_srdf_load("no/such.srdf", &arena, &s, &report, &err));
    TEST_ASSERT_EQUAL_INT(0, (int)slip_arena_mark(&arena));
    arena = slip_arena_over(block, 1024);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, read(good, &s));
}

static int by_letter(void *context, const char *name)
{
    (void)context;
    return name[1] == '\0' ? name[0] - 'a' : -1;
}

static void test_pairs_go_onto_the_exclude_list(void)
{
    const slip_real lo[3] = { 0, 0, 0 }, hi[3] = { 1, 1, 1 };
    slip_broadphase *bp = NULL;
    slip_srdf s;
    int i, n;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, read(good, &s));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_broadphase_create(3, 10, 1, &arena, &bp));
    for (i = 0; i < 3; ++i) {
        slip_proxy p = slip_proxy_defaults();

        p.link = i;
        slip_broadphase_add(bp, &p, lo, hi);
    }
    report.count = 0;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_srdf_exclude(&s, by_letter, NULL, bp, &report, &err));
    TEST_ASSERT_EQUAL_INT(1, report.count);              /* there is no link c&d */
    slip_broadphase_update(bp);
    slip_broadphase_pairs(bp, &n);
    TEST_ASSERT_EQUAL_INT(2, n);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_pairs_are_read_in_order_with_their_lines);
    RUN_TEST(test_what_is_no_srdf_is_refused);
    RUN_TEST(test_pairs_go_onto_the_exclude_list);
    return UNITY_END();
}
