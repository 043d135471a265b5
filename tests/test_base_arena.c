/* The arena: alignment, exhaustion, overflow, marks, and counting what a real block needs. */
#include "unity.h"

#include <string.h>
#include "base/arena.h"
#include "base/random.h"

static unsigned char block[1 << 14];
static slip_random rng;

void setUp(void)
{
    rng = slip_random_seed(3);
    memset(block, 0xAB, sizeof block);
}
void tearDown(void) { }

static int is_aligned(const void *p) { return (uintptr_t)p % SLIP_ALIGN == 0; }

static void test_pieces_are_aligned_apart_and_inside_the_block(void)
{
    int off, i;

    for (off = 0; off < 20; ++off) {
        slip_arena a = slip_arena_over(block + off, 4000);
        unsigned char *end = block + off;

        for (i = 0; i < 40; ++i) {
            const size_t n = (size_t)slip_random_int(&rng, 0, 40);
            unsigned char *p = (unsigned char *)slip_arena_take(&a, n, 1);

            TEST_ASSERT_NOT_NULL(p);
            TEST_ASSERT_TRUE(is_aligned(p) && p >= end && p + n <= block + off + 4000);
            memset(p, i, n);
            end = p + n;
        }
    }
}

static void test_both_ends_meet_and_then_the_arena_is_full(void)
{
    slip_arena a = slip_arena_over(block, 160);
    unsigned char *low, *high;
    const size_t usable = slip_arena_left(&a);

    TEST_ASSERT_TRUE(usable >= 144);
    low = (unsigned char *)slip_arena_take(&a, 64, 1);
    high = (unsigned char *)slip_arena_scratch(&a, 33, 1);
    TEST_ASSERT_TRUE(is_aligned(high) && high >= low + 64 && high + 33 <= block + 160);
    TEST_ASSERT_EQUAL_INT((int)usable - 64 - 48, (int)slip_arena_left(&a));
    TEST_ASSERT_EQUAL_INT(0, a.failed);
    TEST_ASSERT_NULL(slip_arena_take(&a, 49, 1));
    TEST_ASSERT_EQUAL_INT(1, a.failed);
    TEST_ASSERT_NULL(slip_arena_scratch(&a, 49, 1));
    TEST_ASSERT_EQUAL_INT((int)usable - 64 - 48, (int)slip_arena_left(&a));    /* unchanged by failure */
    TEST_ASSERT_NOT_NULL(slip_arena_take(&a, slip_arena_left(&a), 1));
    TEST_ASSERT_NOT_NULL(slip_arena_take(&a, 0, 8));                           /* nothing always fits  */
    TEST_ASSERT_NULL(slip_arena_take(&a, 1, 1));
    TEST_ASSERT_EQUAL_INT(1, a.failed);
}

static void test_sizes_that_overflow_are_refused(void)
{
    slip_arena a = slip_arena_over(block, sizeof block), c = slip_arena_counting();

    TEST_ASSERT_NULL(slip_arena_take(&a, SIZE_MAX, 1));
    TEST_ASSERT_NULL(slip_arena_take(&a, SIZE_MAX/2 + 2, 2));
    TEST_ASSERT_NULL(slip_arena_take(&a, SIZE_MAX/8 + 1, 8));
    TEST_ASSERT_NULL(slip_arena_take_zero(&a, SIZE_MAX/8 + 1, 8));
    TEST_ASSERT_NULL(slip_arena_scratch(&a, SIZE_MAX - 3, 1));
    TEST_ASSERT_NULL(slip_arena_reals(&a, SIZE_MAX));
    TEST_ASSERT_NULL(slip_arena_text(&a, "x", SIZE_MAX));
    TEST_ASSERT_NULL(slip_arena_text(&a, "x", SIZE_MAX - 1));
    TEST_ASSERT_EQUAL_INT(0, (int)slip_arena_mark(&a));
    TEST_ASSERT_NULL(slip_arena_take(&c, SIZE_MAX/8 + 1, 8));
    TEST_ASSERT_EQUAL_INT(1, c.failed);
}

static void test_marks_release_what_was_taken_after_them(void)
{
    slip_arena a = slip_arena_over(block, 1000);
    void *first, *second;
    size_t low, high, peak;

    slip_arena_take(&a, 10, 1);
    low = slip_arena_mark(&a);
    high = slip_arena_mark_scratch(&a);
    first = slip_arena_take(&a, 100, 1);
    slip_arena_scratch(&a, 200, 1);
    peak = a.peak;
    slip_arena_release(&a, low);
    slip_arena_release_scratch(&a, high);
    second = slip_arena_take(&a, 50, 1);
    TEST_ASSERT_EQUAL_PTR(first, second);
    TEST_ASSERT_TRUE(peak >= 310 && a.peak == peak);
    slip_arena_release(&a, 0);
    TEST_ASSERT_TRUE(slip_arena_left(&a) >= 1000 - 15 - 15);
}

static void test_zeroed_pieces_and_texts_hold_what_they_say(void)
{
    slip_arena a = slip_arena_over(block + 1, 300);
    unsigned char *p = (unsigned char *)slip_arena_take_zero(&a, 9, 7);
    char *t = slip_arena_text(&a, "hello world", 5);
    int i;

    TEST_ASSERT_NOT_NULL(p);
    for (i = 0; i < 63; ++i) TEST_ASSERT_EQUAL_INT(0, p[i]);
    TEST_ASSERT_EQUAL_STRING("hello", t);
    TEST_ASSERT_EQUAL_STRING("", slip_arena_text(&a, "x", 0));
    TEST_ASSERT_NOT_NULL(slip_arena_reals(&a, 3));
    TEST_ASSERT_NOT_NULL(slip_arena_ints(&a, 3));
}

static void test_no_block_or_a_tiny_one_is_an_empty_arena(void)
{
    size_t size;
    int off;

    for (off = 0; off < 17; ++off)
        for (size = 0; size < 16; ++size) {
            slip_arena a = slip_arena_over(block + off, size);

            TEST_ASSERT_NOT_NULL(slip_arena_take(&a, 0, 1));
            TEST_ASSERT_NULL(slip_arena_take(&a, 1, 1));
            TEST_ASSERT_FALSE(slip_arena_is_counting(&a));
        }
    {
        slip_arena a = slip_arena_over(NULL, 1000);

        TEST_ASSERT_NULL(slip_arena_take(&a, 1, 1));
        TEST_ASSERT_NULL(slip_arena_scratch(&a, 1, 1));
        TEST_ASSERT_FALSE(slip_arena_is_counting(&a));
    }
}

/* A carving like those of the library: lasting pieces, scratch, marks. 1 when all of it fitted. */
static int carve(slip_arena *a, uint64_t seed)
{
    slip_random local = slip_random_seed(seed);
    int i, ok = 1;

    for (i = 0; i < 30; ++i) {
        const size_t n = (size_t)slip_random_int(&local, 0, 30), item = (size_t)slip_random_int(&local, 1, 9);
        const size_t low = slip_arena_mark(a), high = slip_arena_mark_scratch(a);
        void *p;

        switch (slip_random_int(&local, 0, 4)) {
        case 0:  p = slip_arena_scratch(a, n, item); break;
        case 1:  p = slip_arena_take_zero(a, n, item); break;
        case 2:  p = slip_arena_text(a, "abcdefghijklmnopqrstuvwxyzabcdefghij", n); break;
        case 3:
            p = slip_arena_take(a, n, 3*item);
            if (p) slip_arena_scratch(a, n, item);
            slip_arena_release(a, low);
            slip_arena_release_scratch(a, high);
            break;
        default: p = slip_arena_take(a, n, item); break;
        }
        ok = ok && p;
    }
    return ok && !a->failed;
}

static void test_a_counting_arena_tells_exactly_what_a_block_needs(void)
{
    uint64_t seed;
    size_t off;

    for (seed = 0; seed < 200; ++seed) {
        slip_arena c = slip_arena_counting();
        size_t need;

        TEST_ASSERT_TRUE(slip_arena_is_counting(&c));
        TEST_ASSERT_TRUE(carve(&c, seed));
        need = slip_arena_needed(&c);
        TEST_ASSERT_TRUE(need + 16 <= sizeof block);
        for (off = 0; off < 16; ++off) {                 /* enough at any alignment */
            slip_arena a = slip_arena_over(block + off, need);

            TEST_ASSERT_TRUE(carve(&a, seed));
            TEST_ASSERT_TRUE(a.peak == c.peak);
        }
        for (off = 0; off < 16; ++off) {                 /* an aligned block can spare the 15 bytes, no more */
            slip_arena a = slip_arena_over(block + off, need - SLIP_ALIGN);

            TEST_ASSERT_FALSE(carve(&a, seed));
        }
    }
}

static void test_no_byte_outside_the_block_is_written(void)
{
    uint64_t seed;
    size_t i;

    for (seed = 0; seed < 50; ++seed) {
        slip_arena a = slip_arena_over(block + 100 + seed % 17, 700);

        memset(block, 0xAB, sizeof block);
        carve(&a, seed);
        for (i = 0; i < 100 + seed % 17; ++i) TEST_ASSERT_EQUAL_HEX8(0xAB, block[i]);
        for (i = 800 + (size_t)(seed % 17); i < 2000; ++i) TEST_ASSERT_EQUAL_HEX8(0xAB, block[i]);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_pieces_are_aligned_apart_and_inside_the_block);
    RUN_TEST(test_both_ends_meet_and_then_the_arena_is_full);
    RUN_TEST(test_sizes_that_overflow_are_refused);
    RUN_TEST(test_marks_release_what_was_taken_after_them);
    RUN_TEST(test_zeroed_pieces_and_texts_hold_what_they_say);
    RUN_TEST(test_no_block_or_a_tiny_one_is_an_empty_arena);
    RUN_TEST(test_a_counting_arena_tells_exactly_what_a_block_needs);
    RUN_TEST(test_no_byte_outside_the_block_is_written);
    return UNITY_END();
}
