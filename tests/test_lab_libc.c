/* The C library beneath the laboratory's module (lab/libc/libc.c), beside the one of this machine: the exact functions of
 * libm to the last bit, on numbers of all sizes. */
#include "unity.h"
#include "slipstick_parts.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static double host_fmod(double x, double y) { return fmod(x, y); }
static double host_frexp(double x, int *e) { return frexp(x, e); }
static double host_ldexp(double x, int e) { return ldexp(x, e); }
static double host_nextafter(double x, double y) { return nextafter(x, y); }
static float host_nextafterf(float x, float y) { return nextafterf(x, y); }
static float host_frexpf(float x, int *e) { return frexpf(x, e); }
static double host_fmax(double x, double y) { return fmax(x, y); }
static double host_fmin(double x, double y) { return fmin(x, y); }
static int host_memcmp(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }

#undef errno
#undef memcpy
#undef memmove
#undef memset
#undef strcpy
#undef strncpy
#undef strcat
#undef strcmp
#undef strncmp
#undef strchr
#undef strrchr
#undef strcspn
#define LAB_UNDER_TEST
#define memcpy lab_memcpy
#define memmove lab_memmove
#define memset lab_memset
#define memcmp lab_memcmp
#define memchr lab_memchr
#define strlen lab_strlen
#define strcmp lab_strcmp
#define strncmp lab_strncmp
#define strchr lab_strchr
#define strrchr lab_strrchr
#define strstr lab_strstr
#define strcspn lab_strcspn
#define strcpy lab_strcpy
#define strncpy lab_strncpy
#define strcat lab_strcat
#define strerror lab_strerror
#define fmax lab_fmax
#define fmin lab_fmin
#define frexp lab_frexp
#define frexpf lab_frexpf
#define ldexp lab_ldexp
#define fmod lab_fmod
#define nextafter lab_nextafter
#define nextafterf lab_nextafterf
#include "../lab/libc/string.h"
#include "../lab/libc/libc.c"

void setUp(void) { }
void tearDown(void) { }

static uint64_t seed = 1;

static uint64_t random_bits(void)                            /* xorshift */
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

/* Any bit pattern, or a special number, or two numbers of like size. */
static double number(void)
{
    static const double special[] = { 0, -0.0, 1, -1, 0.5, 3, 0x1p-1074, 0x1p-1022, -0x1p-1074, 0x1.fffffffffffffp1023,
                                      1e300, 1e-300, 0x1.8p52 };

    switch (random_bits()%4) {
    case 0: return special[random_bits()%(sizeof special/sizeof *special)];
    case 1: return (double)(int64_t)random_bits()*0x1p-40;
    case 2: return double_of(random_bits() & ~((uint64_t)EXPONENT_MOST << FRACTION_BITS));     /* subnormal */
    default: {
        const double x = double_of(random_bits());

        return x == x ? x : (double)NAN;                     /* libraries differ about signalling ones */
    }
    }
}

static void same(double expected, double actual, const char *what, double x, double y)
{
    char text[200];

    slip_format(text, (int)sizeof text, "%s of %g and %g is %g, not %g", what, x, y, expected, actual);
    if (expected != expected) { TEST_ASSERT_TRUE_MESSAGE(actual != actual, text); return; }
    TEST_ASSERT_TRUE_MESSAGE(bits_of(expected) == bits_of(actual), text);
}

static void test_exact_functions_have_the_bits_of_this_machines_library(void)
{
    int i;

    for (i = 0; i < 20000; ++i) {
        const double x = number(), y = number();
        const int shift = (int)(random_bits()%4400) - 2200;
        int e = 0, f = 0;

        same(host_fmod(x, y), lab_fmod(x, y), "fmod", x, y);
        same(host_frexp(x, &e), lab_frexp(x, &f), "frexp", x, 0);
        if (x - x == 0) TEST_ASSERT_EQUAL_INT(e, f);
        same(host_ldexp(x, shift), lab_ldexp(x, shift), "ldexp", x, shift);
        same(host_nextafter(x, y), lab_nextafter(x, y), "nextafter", x, y);
        if (x != 0 || y != 0) {
            same(host_fmax(x, y), lab_fmax(x, y), "fmax", x, y);
            same(host_fmin(x, y), lab_fmin(x, y), "fmin", x, y);
        }
    }
    same(host_ldexp(3, 2147483647), lab_ldexp(3, 2147483647), "ldexp", 3, 2147483647);
    same(host_ldexp(-3, -2147483647), lab_ldexp(-3, -2147483647), "ldexp", -3, -2147483647);
}

static void test_floats_too(void)
{
    int i;

    for (i = 0; i < 5000; ++i) {
        union { uint32_t bits; float x; } a, b, c, d;
        int e = 0, f = 0;

        a.bits = (uint32_t)random_bits();
        b.bits = (uint32_t)random_bits();
        if (a.x != a.x || b.x != b.x || a.x - a.x != 0) continue;
        c.x = host_nextafterf(a.x, b.x);
        d.x = lab_nextafterf(a.x, b.x);
        TEST_ASSERT_EQUAL_HEX32(c.bits, d.bits);
        c.x = host_frexpf(a.x, &e);
        d.x = lab_frexpf(a.x, &f);
        TEST_ASSERT_EQUAL_HEX32(c.bits, d.bits);
        TEST_ASSERT_EQUAL_INT(e, f);
    }
}

static void test_memory_and_strings(void)
{
    char a[16] = "abcdefghij", b[16];

    lab_memmove(a + 2, a, 6);
    TEST_ASSERT_EQUAL_STRING("ababcdefij", a);
    lab_memmove(a, a + 2, 6);
    TEST_ASSERT_EQUAL_STRING("abcdefefij", a);
    lab_strcat(lab_strcpy(b, "x/"), "y.obj");
    TEST_ASSERT_EQUAL_STRING("x/y.obj", b);
    TEST_ASSERT_EQUAL_STRING("y.obj", lab_strrchr(b, '/') + 1);
    TEST_ASSERT_EQUAL_INT(0, (int)lab_strlen(lab_strchr(b, '\0')));
    TEST_ASSERT_NULL(lab_strchr(b, 'q'));
    TEST_ASSERT_EQUAL_STRING(".obj", lab_strstr(b, ".o"));
    TEST_ASSERT_NULL(lab_strstr(b, "obi"));
    TEST_ASSERT_EQUAL_INT(3, (int)lab_strcspn(b, "./y"  "z") + 2);
    TEST_ASSERT_TRUE(lab_strcmp("a", "b") < 0 && lab_strcmp("b", "a") > 0 && lab_strcmp("a", "a") == 0);
    TEST_ASSERT_TRUE(lab_strcmp("\x80", "a") > 0 && lab_strncmp("abc", "abd", 2) == 0 && lab_strncmp("abc", "abd", 3) < 0);
    lab_memset(b, 7, 3);
    TEST_ASSERT_TRUE(b[0] == 7 && b[2] == 7 && b[3] != 7);
    TEST_ASSERT_TRUE(host_memcmp(lab_memcpy(b, a, 5), a, 5) == 0 && lab_memcmp(b, a, 5) == 0);
    TEST_ASSERT_TRUE(lab_memcmp("\x80", "a", 1) > 0 && lab_memchr(a, 'e', 3) == NULL && lab_memchr(a, 'c', 3) == a + 2);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_exact_functions_have_the_bits_of_this_machines_library);
    RUN_TEST(test_floats_too);
    RUN_TEST(test_memory_and_strings);
    return UNITY_END();
}
