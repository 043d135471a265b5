/* Height maps: CSV and PGM, right ones, wrong ones, mutated ones. */
#include "unity.h"
#include "io/heightmap.h"

#include <stdio.h>
#include <string.h>

static slip_random rng;
static unsigned char block[1 << 18];
static slip_arena arena;
static slip_heightfield field;
static slip_error err;

void setUp(void) { rng = slip_random_seed(3);  arena = slip_arena_over(block, sizeof block); }
void tearDown(void) { }

static slip_status parse(const char *text, const slip_heightmap_options *o)
{
    return slip_heightmap_read("map", text, strlen(text), o, &arena, &field, &err);
}

static void test_a_csv_grid_is_the_map_as_seen_from_above(void)
{
    slip_heightmap_options o = slip_heightmap_defaults();
    slip_real z;

    o.dx = 2;
    o.dy = SLIP_R(0.5);
    o.scale = 10;
    o.offset = 1;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, parse("# far\n1, 2, 3\n\n4;5 6  # near\n", &o));
    TEST_ASSERT(field.nx == 3 && field.ny == 2 && field.dx == 2);
    TEST_ASSERT(slip_heightfield_at(&field, -2, SLIP_R(0.25), &z, NULL) && z == 11);       /* far left   */
    TEST_ASSERT(slip_heightfield_at(&field, 2, SLIP_R(-0.25), &z, NULL) && z == 61);       /* near right */
}

static void test_pgm_text_and_binary_agree(void)
{
    static const char eight[] = "P5 # made by hand\n3 2\n255\n\0\x33\xff\x66\x99\xcc";
    static const char sixteen[] = "P5 2 2 65535\n\0\0\xff\xff\x80\0\0\x01";
    slip_heightmap_options o = slip_heightmap_defaults();
    slip_real text[6];

    o.scale = 5;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, parse("P2\n# c\n3 2\n255\n0 51 255\n102 153 204\n", &o));
    memcpy(text, field.height, sizeof text);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 2, text[0]);                                           /* the near row is first */
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 5, text[5]);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_heightmap_read("m.pgm", eight, sizeof eight - 1, &o, &arena, &field, &err));
    TEST_ASSERT(memcmp(text, field.height, sizeof text) == 0);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_heightmap_read("m.pgm", sixteen, sizeof sixteen - 1, &o, &arena, &field,
            &err));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 5.0*32768/65535, field.height[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 5, field.height[3]);
}

static void test_bad_maps_are_refused_with_their_line(void)
{
    static const struct { const char *text; slip_status status; int line; const char *says; } bad[] = {
        { "", SLIP_ERR_PARSE, 0, "0 x 0" },
        { "1 2 3\n", SLIP_ERR_PARSE, 0, "3 x 1" },
        { "1 2\n3 4 5\n", SLIP_ERR_PARSE, 2, "3 values, but" },
        { "1 2\n3 x\n", SLIP_ERR_PARSE, 2, "value 2" },
        { "1 2\n3 nan\n", SLIP_ERR_PARSE, 2, "value 2" },
        { "1 2\n3 4e999\n", SLIP_ERR_PARSE, 2, "value 2" },
        { "1,,2\n3,4,5\n", SLIP_ERR_PARSE, 1, "empty field" },
        { "P2 3 2 255 1 2 3 4 5\n", SLIP_ERR_PARSE, 2, "pixel 3 of row 2" },
        { "P2 3 2 255 1 2 3 4\n", SLIP_ERR_PARSE, 0, "promises" },
        { "P2 3 2 255\n1 2 3\n4 5 256\n", SLIP_ERR_PARSE, 3, "pixel 3 of row 2" },
        { "P2 3 2 0\n", SLIP_ERR_PARSE, 1, "white level" },
        { "P2 -3 2 255\n", SLIP_ERR_PARSE, 1, "width" },
        { "P5 16000 16000 255\nabc", SLIP_ERR_PARSE, 0, "promises 16000 x 16000" },
        { "P5 99999 99999 255\nabc", SLIP_ERR_PARSE, 1, "width" },
        { "P5 2 2 100\n\x01\x02\x03\x65", SLIP_ERR_PARSE, 0, "above" },
    };
    size_t i;

    for (i = 0; i < sizeof bad/sizeof *bad; ++i) {
        TEST_ASSERT_EQUAL_INT_MESSAGE(bad[i].status, parse(bad[i].text, NULL), bad[i].text);
        TEST_ASSERT_MESSAGE(strstr(err.what, bad[i].says) != NULL, err.what);
        TEST_ASSERT_EQUAL_INT_MESSAGE(bad[i].line, err.line, bad[i].text);
        TEST_ASSERT(slip_arena_mark(&arena) == 0 && slip_arena_mark_scratch(&arena) == arena.size);
    }
}

static void test_a_file_is_read_and_a_missing_one_reported(void)
{
    const char *path = "build/test_heightmap.tmp.csv";
    FILE *f = fopen(path, "wb");

    TEST_ASSERT(f != NULL);
    fputs("0 1\n2 3\n", f);
    fclose(f);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_heightmap_load(path, NULL, &arena, &field, &err));
    TEST_ASSERT(field.hi == 3 && field.height[0] == 2);
    remove(path);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_FILE, slip_heightmap_load(path, NULL, &arena, &field, &err));
    TEST_ASSERT_EQUAL_STRING(path, err.file);
}

static void test_mutated_maps_never_do_harm(void)
{
    static const char *seeds[3] = { "P2\n3 2\n255\n0 51 255\n102 153 204\n", "P5 3 2 255\nabcdef",
            "1,2,3\n4,5,6\n-7,8e1,9\n" };
    int round, k;

    for (round = 0; round < 20000; ++round) {
        char copy[64];
        size_t n = strlen(seeds[round % 3]);

        memcpy(copy, seeds[round % 3], n);
        for (k = slip_random_int(&rng, 1, 3); k > 0; --k)
            copy[slip_random_int(&rng, 0, (int)n - 1)] = (char)slip_random_int(&rng, 0, 255);
        n -= (size_t)(slip_random_int(&rng, 0, 3) == 0 ? slip_random_int(&rng, 0, (int)n - 1) : 0);
        arena = slip_arena_over(block, sizeof block);
        if (slip_heightmap_read("m", copy, n, NULL, &arena, &field, &err) >= 0)
            TEST_ASSERT(field.nx >= 2 && field.ny >= 2 && slip_all_finite(field.height, field.nx*field.ny));
        else
            TEST_ASSERT(err.what[0] != '\0' && slip_arena_mark(&arena) == 0);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_csv_grid_is_the_map_as_seen_from_above);
    RUN_TEST(test_pgm_text_and_binary_agree);
    RUN_TEST(test_bad_maps_are_refused_with_their_line);
    RUN_TEST(test_a_file_is_read_and_a_missing_one_reported);
    RUN_TEST(test_mutated_maps_never_do_harm);
    return UNITY_END();
}
