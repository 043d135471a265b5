/* The targets of `make fuzz` over their seeds, with any compiler: each seed as it is, cut short, and changed here and
 * there by a generator with a fixed seed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unity.h"
#include "slipstick_parts.h"
#include "fuzz/fuzz.h"

enum { MOST = 1 << 16, MUTANTS = 40, CUTS = 8 };

static unsigned char seed_bytes[MOST], mutant[MOST];

void setUp(void) { }
void tearDown(void) { }

void fuzz_broken(const char *promise, const char *file, int line)
{
    char text[512];

    slip_format(text, (int)sizeof text, "%s:%d: broken: %s", file, line, promise);
    TEST_FAIL_MESSAGE(text);
}

/* Seed i of a target; its size, -1 when there is none. */
static long seed(const char *target, int i)
{
    char path[128];
    FILE *f;
    size_t n;

    slip_format(path, (int)sizeof path, "tests/fuzz/corpus/%s/%d%d", target, i/10, i%10);
    f = fopen(path, "rb");
    if (!f) return -1;
    n = fread(seed_bytes, 1, sizeof seed_bytes, f);
    fclose(f);
    return (long)n;
}

/* One to four changes: a bit, a byte, a piece left out, a piece doubled. Returns the new size. */
static size_t mutate(slip_random *rng, size_t n)
{
    int k;

    memcpy(mutant, seed_bytes, n);
    for (k = slip_random_int(rng, 1, 4); k > 0 && n > 1; --k) {
        const size_t at = (size_t)slip_random_int(rng, 0, (int)n - 1), most = n - at;
        const size_t piece = (size_t)slip_random_int(rng, 1, most < 16 ? (int)most : 16);

        switch (slip_random_int(rng, 0, 3)) {
        case 0: mutant[at] ^= (unsigned char)(1 << slip_random_int(rng, 0, 7));  break;
        case 1: mutant[at] = (unsigned char)slip_random_int(rng, 0, 255);  break;
        case 2: memmove(mutant + at, mutant + at + piece, n - at - piece);  n -= piece;  break;
        default:
            if (n + piece > MOST) break;
            memmove(mutant + at + piece, mutant + at, n - at);
            n += piece;
        }
    }
    return n;
}

static void run_all(const fuzz_target *t)
{
    slip_random rng = slip_random_seed(1);
    int i, k;
    long n;

    for (i = 0; (n = seed(t->name, i)) >= 0; ++i) {
        t->run(seed_bytes, (size_t)n);
        for (k = 0; k < CUTS; ++k) t->run(seed_bytes, (size_t)n*(size_t)k/CUTS);
        for (k = 0; k < MUTANTS; ++k) t->run(mutant, mutate(&rng, (size_t)n));
    }
    TEST_ASSERT_TRUE_MESSAGE(i > 0, t->name);                    /* there are seeds */
}

static void test_every_target_keeps_its_promises_on_seeds_and_their_mutants(void)
{
    int k = 0;

    while (fuzz_find(NULL, k)) run_all(fuzz_find(NULL, k++));
    TEST_ASSERT_TRUE(k >= 16);
}

/* The bytes of random worlds need no seeds of their own. */
static void test_random_worlds_keep_their_promises(void)
{
    const fuzz_target *t = fuzz_find("world", 0);
    slip_random rng = slip_random_seed(2);
    int i, k;

    for (k = 0; k < 150; ++k) {
        const int n = slip_random_int(&rng, 0, 600);

        for (i = 0; i < n; ++i) mutant[i] = (unsigned char)slip_random_int(&rng, 0, 255);
        t->run(mutant, (size_t)n);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_every_target_keeps_its_promises_on_seeds_and_their_mutants);
    RUN_TEST(test_random_worlds_keep_their_promises);
    return UNITY_END();
}
