/* Numbers as text: against the C library in the C locale on millions of random values, and against
 * values chosen to be hard: midpoints, subnormals, long digit strings, far exponents. */
#include "unity.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/elementary.h"
#include "base/number.h"
#include "base/random.h"

static slip_random rng;
static char text[4096], other[4200];

void setUp(void)
{
    rng = slip_random_seed(7);
    setlocale(LC_NUMERIC, "C");
}
void tearDown(void) { setlocale(LC_NUMERIC, "C"); }

static uint64_t random64(void) { return (uint64_t)slip_random_bits(&rng) << 32 | slip_random_bits(&rng); }

static double double_of(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* A finite double from random bits: any exponent, or one near 0. */
static double random_double(void)
{
    double x;

    do x = double_of(random64()); while (!(x - x == 0));
    if (slip_random_bits(&rng) & 1) x = double_of((bits_of(x) & ~(UINT64_C(0x7ff) << 52)) |
                                                  (uint64_t)slip_random_int(&rng, 983, 1063) << 52);
    return x;
}

static void check_read(const char *t)
{
    const double wanted = strtod(t, NULL);
    double x = 1;
    const int n = slip_read_double(t, (int)strlen(t), &x);

    TEST_ASSERT_EQUAL_INT_MESSAGE((int)strlen(t), n, t);
    TEST_ASSERT_EQUAL_HEX64_MESSAGE(bits_of(wanted), bits_of(x), t);
}

static void check_read_real(const char *t)
{
    slip_real x = 1;
    const int n = slip_read_real(t, (int)strlen(t), &x);
#ifdef SLIP_REAL_FLOAT
    const slip_real wanted = strtof(t, NULL);
#else
    const slip_real wanted = strtod(t, NULL);
#endif

    TEST_ASSERT_EQUAL_INT_MESSAGE((int)strlen(t), n, t);
    TEST_ASSERT_TRUE_MESSAGE(memcmp(&wanted, &x, sizeof x) == 0, t);
}

static void check_print(double x, int digits)
{
    const int n = slip_print_double(x, digits, text);

    snprintf(other, sizeof other, "%.*g", digits, x);
    TEST_ASSERT_EQUAL_STRING(other, text);
    TEST_ASSERT_EQUAL_INT((int)strlen(text), n);
}

static void check_fixed(double x, int decimals)
{
    const int n = slip_print_fixed(x, decimals, text);

    snprintf(other, sizeof other, "%.*f", decimals, x);
    TEST_ASSERT_EQUAL_STRING(other, text);
    TEST_ASSERT_EQUAL_INT((int)strlen(text), n);
    TEST_ASSERT_TRUE(n < SLIP_NUMBER_SIZE);
}

/* ---- printing --------------------------------------------------------------------------------- */

static void test_random_doubles_print_as_printf_does(void)
{
    int i;

    for (i = 0; i < 300000; ++i) check_print(random_double(), 17);
    for (i = 0; i < 300000; ++i) {
        const double x = random_double();

        check_print(x, slip_random_int(&rng, 1, 17));
    }
}

static void test_short_decimals_and_their_ties_print_as_printf_does(void)
{
    int i, digits;

    for (i = 0; i < 20000; ++i) {                       /* k/2^j: many end exactly in a 5 to be rounded away */
        const double x = (double)slip_random_int(&rng, -100000, 100000)/(double)(1 << slip_random_int(&rng, 0, 20));

        for (digits = 1; digits <= 17; ++digits) check_print(x, digits);
    }
    for (i = 0; i < 2000; ++i) {                        /* large integers with ties */
        const double x = (double)slip_random_int(&rng, 1, 100000)*5*pow(10, slip_random_int(&rng, 0, 17));

        for (digits = 1; digits <= 17; ++digits) check_print(x, digits);
    }
}

static void test_powers_of_two_and_ten_and_their_neighbours_print_as_printf_does(void)
{
    int e, d;

    for (e = -1074; e < 1024; ++e)
        for (d = -1; d <= 1; ++d) check_print(double_of(bits_of(ldexp(1, e)) + (uint64_t)(int64_t)d), 1 + (e & 15));
    for (e = -323; e <= 308; ++e) {
        snprintf(other, sizeof other, "1e%d", e);
        for (d = -1; d <= 1; ++d) check_print(double_of(bits_of(strtod(other, NULL)) + (uint64_t)(int64_t)d), 17);
    }
}

static void test_zeros_infinities_and_nan_have_names(void)
{
    slip_print_double(0.0, 17, text);             TEST_ASSERT_EQUAL_STRING("0", text);
    slip_print_double(-0.0, 0, text);             TEST_ASSERT_EQUAL_STRING("-0", text);
    slip_print_double((double)INFINITY, 3, text); TEST_ASSERT_EQUAL_STRING("inf", text);
    slip_print_real(-(slip_real)INFINITY, 0, text); TEST_ASSERT_EQUAL_STRING("-inf", text);
    TEST_ASSERT_EQUAL_INT(3, slip_print_double((double)NAN, 0, text));
    TEST_ASSERT_EQUAL_STRING("nan", text);
    slip_print_real((slip_real)NAN, 9, text);     TEST_ASSERT_EQUAL_STRING("nan", text);
    slip_print_fixed((double)NAN, 2, text);       TEST_ASSERT_EQUAL_STRING("nan", text);
    slip_print_fixed((double)INFINITY, 2, text);  TEST_ASSERT_EQUAL_STRING("inf", text);
}

static void test_the_shortest_form_reads_back_and_is_no_longer_than_needed(void)
{
    static const char *const plain[] = { "0.1", "-0.3", "1", "100", "123456.789", "1e-05", "1e+22", "0.0001",
                                         "3.141592653589793", "1.7976931348623157e+308", "-9.81" };
    size_t k;
    int i;

    for (k = 0; k < sizeof plain/sizeof *plain; ++k) {
        slip_print_double(strtod(plain[k], NULL), 0, text);
        TEST_ASSERT_EQUAL_STRING(plain[k], text);
    }
    for (i = 0; i < 300000; ++i) {
        const double x = random_double();
        double y;
        const int n = slip_print_double(x, 0, text);

        TEST_ASSERT_EQUAL_INT(n, slip_read_double(text, n, &y));
        TEST_ASSERT_EQUAL_HEX64_MESSAGE(bits_of(x), bits_of(y), text);
        snprintf(other, sizeof other, "%.15g", x);
        if (strtod(other, NULL) != x) snprintf(other, sizeof other, "%.16g", x);
        if (strtod(other, NULL) != x) snprintf(other, sizeof other, "%.17g", x);
        TEST_ASSERT_EQUAL_STRING(other, text);
    }
}

static void test_the_shortest_real_reads_back(void)
{
    int i;

    slip_print_real(SLIP_R(0.1), 0, text);
    TEST_ASSERT_EQUAL_STRING("0.1", text);
    slip_print_real(SLIP_R(-16777216.0), 0, text);
    TEST_ASSERT_EQUAL_STRING("-16777216", text);
    for (i = 0; i < 100000; ++i) {
        const slip_real x = slip_random_normal(&rng)*slip_pow(10, slip_random_uniform(&rng, -40, 37));
        slip_real y;
        const int n = slip_print_real(x, 0, text);

        TEST_ASSERT_EQUAL_INT(n, slip_read_real(text, n, &y));
        TEST_ASSERT_TRUE_MESSAGE(memcmp(&x, &y, sizeof x) == 0, text);
    }
}

static void test_fixed_decimals_print_as_printf_does(void)
{
    int i, decimals;

    for (i = 0; i < 200000; ++i) {
        const double x = (double)slip_random_normal(&rng)*pow(10, (double)slip_random_uniform(&rng, -20, 12));

        if (fabs(x) < 1e13) check_fixed(x, slip_random_int(&rng, 0, 17));
    }
    for (i = -4000; i <= 4000; ++i)                     /* ties */
        for (decimals = 0; decimals <= 4; ++decimals) check_fixed(i/32.0, decimals);
    check_fixed(0.0, 0);
    check_fixed(-0.0, 3);
    check_fixed(5e-324, 17);
    check_fixed(-9999999999999.998, 17);
    check_fixed(9999999999999.998, 0);
    check_fixed(0.99999999999999989, 3);
    slip_print_fixed(1e13, 2, text);
    TEST_ASSERT_EQUAL_STRING("10000000000000", text);
}

static void test_ints_print_and_read(void)
{
    static const int some[] = { 0, 1, -1, 9, 10, 99, 100, 2147483647, -2147483647 - 1, -100 };
    size_t i;
    int x;

    for (i = 0; i < sizeof some/sizeof *some; ++i) {
        const int n = slip_print_int(some[i], text);

        snprintf(other, sizeof other, "%d", some[i]);
        TEST_ASSERT_EQUAL_STRING(other, text);
        TEST_ASSERT_EQUAL_INT(n, slip_read_int(text, n, &x));
        TEST_ASSERT_EQUAL_INT(some[i], x);
    }
    slip_print_int(-9223372036854775807LL - 1, text);
    TEST_ASSERT_EQUAL_STRING("-9223372036854775808", text);
    slip_print_int(9223372036854775807LL, text);
    TEST_ASSERT_EQUAL_STRING("9223372036854775807", text);
}

static void test_ints_out_of_range_or_without_digits_are_refused(void)
{
    int x = 77;

    TEST_ASSERT_EQUAL_INT(-1, slip_read_int("2147483648", 10, &x));
    TEST_ASSERT_EQUAL_INT(-1, slip_read_int("-2147483649", 11, &x));
    TEST_ASSERT_EQUAL_INT(-1, slip_read_int("99999999999999999999999999", 26, &x));
    TEST_ASSERT_EQUAL_INT(0, slip_read_int("", 0, &x));
    TEST_ASSERT_EQUAL_INT(0, slip_read_int("-", 1, &x));
    TEST_ASSERT_EQUAL_INT(0, slip_read_int("x1", 2, &x));
    TEST_ASSERT_EQUAL_INT(0, slip_read_int(" 1", 2, &x));
    TEST_ASSERT_EQUAL_INT(77, x);
    TEST_ASSERT_EQUAL_INT(2, slip_read_int("12345", 2, &x));        /* no further than the length */
    TEST_ASSERT_EQUAL_INT(12, x);
    TEST_ASSERT_EQUAL_INT(3, slip_read_int("+07.5", 5, &x));
    TEST_ASSERT_EQUAL_INT(7, x);
}

/* ---- reading ---------------------------------------------------------------------------------- */

static void test_random_decimals_read_as_strtod_does(void)
{
    int i, k;

    for (i = 0; i < 400000; ++i) {
        const int digits = slip_random_int(&rng, 1, 25), point = slip_random_int(&rng, 0, digits);
        int at = 0;

        if (i & 1) text[at++] = '-';
        for (k = 0; k < digits; ++k) {
            if (k == point) text[at++] = '.';
            text[at++] = (char)('0' + slip_random_int(&rng, 0, 9));
        }
        snprintf(text + at, 20, "e%d", slip_random_int(&rng, i & 2 ? -345 : -30, i & 2 ? 312 : 20));
        check_read(text);
        if (i % 4 == 0) check_read_real(text);
    }
}

static void test_printed_doubles_read_back_to_the_same_bits(void)
{
    int i;

    for (i = 0; i < 300000; ++i) {
        const double x = random_double();
        double y;

        snprintf(text, sizeof text, i & 1 ? "%.17g" : "%.40e", x);
        TEST_ASSERT_EQUAL_INT((int)strlen(text), slip_read_double(text, (int)strlen(text), &y));
        TEST_ASSERT_EQUAL_HEX64_MESSAGE(bits_of(x), bits_of(y), text);
    }
}

/* m f^k in decimal digits, with a carry of nine digits at a time. */
static void power_text(uint64_t m, uint32_t f, int k, char *out)
{
    static uint32_t word[200];
    int n = 0, i, at = 0;

    for (; m; m /= 1000000000u) word[n++] = (uint32_t)(m % 1000000000u);
    for (; k > 0; --k) {
        uint64_t carry = 0;

        for (i = 0; i < n; ++i) {
            carry += (uint64_t)word[i]*f;
            word[i] = (uint32_t)(carry % 1000000000u);
            carry /= 1000000000u;
        }
        if (carry) word[n++] = (uint32_t)carry;
    }
    for (i = n - 1; i >= 0; --i) at += sprintf(out + at, i == n - 1 ? "%u" : "%09u", (unsigned)word[i]);
}

/* Reads the integer in `text` with a tail of decimals, times 10^-k. */
static void check_with_tail(const char *tail, int k)
{
    snprintf(other, sizeof other, "%s%se-%d", text, tail, k);
    check_read(other);
    check_read_real(other);
}

/* The midpoint (2m + 1) 2^e between neighbours m and m + 1 of 2^(e + 1), in full. */
static void check_midpoint(uint64_t m, int e)
{
    const int k = e < 0 ? -e : 0;
    char *last;

    power_text(2*m + 1, e < 0 ? 5 : 2, e < 0 ? -e : e, text);
    check_with_tail("", k);
    check_with_tail(".", k);
    check_with_tail(".000000000000000000000000000000000", k);
    check_with_tail(".000000000000000000000000000000001", k);
    for (last = text + strlen(text) - 1; *last == '0'; --last) *last = '9';
    --*last;                                             /* now the integer below it */
    check_with_tail(".999999999999999999999999999999999", k);
}

static void test_exact_midpoints_go_to_even_and_a_hair_beside_them_does_not(void)
{
    int i;

    for (i = 0; i < 1500; ++i) {                         /* doubles, then floats, subnormal and normal */
        const uint64_t a = random64(), b = random64(), c = random64(), d = random64();

        check_midpoint(a >> 12 | UINT64_C(1) << 52, slip_random_int(&rng, -1075, 969));
        check_midpoint(b >> slip_random_int(&rng, 12, 63), -1075);
        check_midpoint(c >> 41 | UINT64_C(1) << 23, slip_random_int(&rng, -150, 103));
        check_midpoint(d >> slip_random_int(&rng, 41, 63), -150);
    }
    check_midpoint((UINT64_C(1) << 53) - 1, 970);        /* between the largest double and infinity */
    check_midpoint((UINT64_C(1) << 24) - 1, 103);
    check_midpoint((UINT64_C(1) << 52) - 1, -1075);      /* 767 digits */
    check_midpoint((UINT64_C(1) << 52), -1075);
}

static void test_hand_picked_hard_numbers_read_as_strtod_does(void)
{
    static const char *const hard[] = {
        "0", "-0", "0.0", "00000", "0e5", "0e99999999999999999999", "1", "1.", ".5", "5.e3", "+1.5E+3", "007.25",
        "1e22", "1e23", "8.5e22", "9007199254740991", "9007199254740992", "9007199254740993", "9007199254740995",
        "9007199254740993.00000000000000000000000000000000000000000000000000000000001",
        "18446744073709551615", "18446744073709551616", "99999999999999999999", "9999999999999999999",
        "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "1.8e308", "1e309", "1e400",
        "179769313486231580793e289", "2.2250738585072014e-308", "2.2250738585072011e-308", "2.2250738585072012e-308",
        "2.2250738585072006e-308", "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
        "2.47032822920623272088e-324", "7.4109846876186981e-324", "1e-323", "1e-324", "1e-325", "1e-400",
        "1e-99999999999", "1e99999999999", "-1e99999999999", "1e-9223372036854775808", "1e9223372036854775808",
        "123456789012345678901234567890e-30", "0.000000000000000000000000000000000000000000000001e48",
        "6929495644600919.5", "3.7455744005952583e15", "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "1.1754943508222875e-38", "3.4028235677973366e38", "3.4028235677973365e38", "1.401298464324817e-45",
        "7.006492321624085e-46", "7.006492321624086e-46", "16777217", "16777219", "1.00000005960464477539062500",
        "1.00000005960464477539062501", "1.00000017881393432617187500", "340282356779733661637539395458142568447.9",
        "340282356779733661637539395458142568448", "0.50000000000000000000000000000000000000000000000000001" };
    size_t i;

    for (i = 0; i < sizeof hard/sizeof *hard; ++i) {
        check_read(hard[i]);
        check_read_real(hard[i]);
    }
}

static void test_any_number_of_digits_is_read(void)
{
    static char big[20000];
    int n, k;

    for (n = 700; n <= 900; n += 7) {                    /* around the 767 digits a midpoint may have */
        for (k = 0; k < n; ++k) big[k] = (char)('0' + (slip_random_bits(&rng) % 10));
        snprintf(big + n, 20, "e-%d", slip_random_int(&rng, n - 300, n + 330));
        check_read(big);
        check_read_real(big);
    }
    memset(big, '0', 15000);                             /* 0.000...001e15000 */
    big[1] = '.';
    strcpy(big + 15000, "1e14999");
    check_read(big);
    big[1] = '0';                                        /* 1000...000e-15000 */
    big[0] = '1';
    strcpy(big + 15000, "e-15000");
    check_read(big);
    memset(big, '9', 15000);
    strcpy(big + 15000, "e-14999");
    check_read(big);
}

static void check_bytes_read(const char *t, int wanted)
{
    double x = 77;

    TEST_ASSERT_EQUAL_INT_MESSAGE(wanted, slip_read_double(t, (int)strlen(t), &x), t);
    if (wanted == 0) TEST_ASSERT_TRUE_MESSAGE(x == 77, t);
}

static void test_a_number_ends_where_its_syntax_ends(void)
{
    check_bytes_read("", 0);
    check_bytes_read(" 1", 0);
    check_bytes_read("+", 0);
    check_bytes_read("-.", 0);
    check_bytes_read(".", 0);
    check_bytes_read("e5", 0);
    check_bytes_read(".e5", 0);
    check_bytes_read("+-1", 0);
    check_bytes_read("in", 0);
    check_bytes_read("x", 0);
    check_bytes_read("1e", 1);
    check_bytes_read("1e+", 1);
    check_bytes_read("1.5.5", 3);
    check_bytes_read("1,5", 1);
    check_bytes_read("0x10", 1);
    check_bytes_read("1e5e5", 3);
    check_bytes_read("infinit", 3);
    check_bytes_read("1.2345678901234567890123.5", 24);
    check_bytes_read("nanx", 3);
}

static void test_nothing_beyond_the_length_is_looked_at(void)
{
    static const char digits[] = "1234567890.12345678901234567890e5";
    const int all = (int)sizeof digits - 1;
    int n;

    for (n = 1; n <= all; ++n) {
        char *copy = (char *)malloc((size_t)n);          /* the address sanitizer sees a byte too far */
        char whole[64];
        double x, y;

        TEST_ASSERT_NOT_NULL(copy);
        memcpy(copy, digits, (size_t)n);
        memcpy(whole, digits, (size_t)n);
        whole[n] = '\0';
        y = strtod(whole, NULL);
        slip_read_double(copy, n, &x);
        free(copy);
        TEST_ASSERT_EQUAL_HEX64_MESSAGE(bits_of(y), bits_of(x), whole);
    }
}

static void test_infinities_and_nan_are_read_in_any_case(void)
{
    double x;
    slip_real r;

    TEST_ASSERT_EQUAL_INT(3, slip_read_double("inf", 3, &x));
    TEST_ASSERT_TRUE(x > 0 && x - x != 0);
    TEST_ASSERT_EQUAL_INT(9, slip_read_double("-InFiNiTy", 9, &x));
    TEST_ASSERT_TRUE(x < 0 && x - x != 0);
    TEST_ASSERT_EQUAL_INT(4, slip_read_real("+NaN", 4, &r));
    TEST_ASSERT_TRUE(r != r);
    TEST_ASSERT_EQUAL_INT(4, slip_read_real("-INF", 4, &r));
    TEST_ASSERT_TRUE(r < 0 && r - r != 0);
}

static void test_a_locale_with_a_decimal_comma_changes_nothing(void)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8", "fr_FR",
                                         "ru_RU.UTF-8", "es_ES.UTF-8", "it_IT.UTF-8", "German_Germany" };
    size_t i;
    double x;

    for (i = 0; i < sizeof names/sizeof *names; ++i)
        if (setlocale(LC_ALL, names[i]) && *localeconv()->decimal_point == ',') break;
    if (i == sizeof names/sizeof *names) TEST_IGNORE_MESSAGE("skipped: no locale with a decimal comma here");
    TEST_ASSERT_EQUAL_INT(4, slip_read_double("1.25", 4, &x));
    TEST_ASSERT_EQUAL_DOUBLE(1.25, x);
    slip_print_double(1.25, 0, text);
    TEST_ASSERT_EQUAL_STRING("1.25", text);
    slip_print_fixed(-0.5, 3, text);
    TEST_ASSERT_EQUAL_STRING("-0.500", text);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_random_doubles_print_as_printf_does);
    RUN_TEST(test_short_decimals_and_their_ties_print_as_printf_does);
    RUN_TEST(test_powers_of_two_and_ten_and_their_neighbours_print_as_printf_does);
    RUN_TEST(test_zeros_infinities_and_nan_have_names);
    RUN_TEST(test_the_shortest_form_reads_back_and_is_no_longer_than_needed);
    RUN_TEST(test_the_shortest_real_reads_back);
    RUN_TEST(test_fixed_decimals_print_as_printf_does);
    RUN_TEST(test_ints_print_and_read);
    RUN_TEST(test_ints_out_of_range_or_without_digits_are_refused);
    RUN_TEST(test_random_decimals_read_as_strtod_does);
    RUN_TEST(test_printed_doubles_read_back_to_the_same_bits);
    RUN_TEST(test_exact_midpoints_go_to_even_and_a_hair_beside_them_does_not);
    RUN_TEST(test_hand_picked_hard_numbers_read_as_strtod_does);
    RUN_TEST(test_any_number_of_digits_is_read);
    RUN_TEST(test_a_number_ends_where_its_syntax_ends);
    RUN_TEST(test_nothing_beyond_the_length_is_looked_at);
    RUN_TEST(test_infinities_and_nan_are_read_in_any_case);
    RUN_TEST(test_a_locale_with_a_decimal_comma_changes_nothing);
    return UNITY_END();
}
