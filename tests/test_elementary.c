/* Our elementary functions against slow, exact ones, in units in the last place of the result. */
#include <math.h>
#include "unity.h"
#include "slipstick_parts.h"
#include "exact_aid.h"

static slip_random rng;
static exact ln2;
static double worst;
static const double most_ulps = 1.01;                /* the halves of a rounding or two, and a little       */

void setUp(void)
{
    rng = slip_random_seed(31415);
    ln2 = exact_ln2();
    worst = 0;
}

void tearDown(void) { }

static slip_real uniform(double a, double b) { return slip_random_uniform(&rng, (slip_real)a, (slip_real)b); }
static slip_real decade(double a, double b) { return (slip_real)pow(10, (double)uniform(a, b)); }
static slip_real either(slip_real x) { return uniform(-1, 1) < 0 ? -x : x; }

/* The distance of two numbers near y, in the last place of y. */
static double ulp(slip_real y)
{
    int e;

    frexp((double)y, &e);
    return ldexp(1, (e < (int)SLIP_TOL(-1021, -125) ? (int)SLIP_TOL(-1021, -125) : e) - (int)SLIP_TOL(53, 24));
}

/* `error` as a fraction of a result that is `y`. */
static void judge(double error, slip_real y, const char *what)
{
    const double ulps = fabs(error)/ulp(y);
    char text[100];

    slip_format(text, sizeof text, "%s: %g ulp at a result of %g", what, ulps, (double)y);
    TEST_ASSERT_TRUE_MESSAGE(ulps < most_ulps, text);
    worst = fmax(worst, ulps);
}

static void test_the_exact_numbers_are_those_of_tables(void)
{
    exact s, c;

    TEST_ASSERT_DOUBLE_WITHIN(1e-30, 1.2246467991473532e-16, exact_to(exact_sub(exact_pi(), exact_from(3.141592653589793))));
    TEST_ASSERT_DOUBLE_WITHIN(1e-30, 2.3190468138462996e-17, exact_to(exact_sub(ln2, exact_from(0.6931471805599453))));
    TEST_ASSERT_DOUBLE_WITHIN(1e-30, 1.4456468917292502e-16,
                              exact_to(exact_sub(exact_exp(exact_from(1)), exact_from(2.718281828459045))));
    exact_sincos(exact_from(1e22), &s, &c);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, -0.8522008497671888, exact_to(s));
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.5232147853951389, exact_to(c));
}

/* ---- sine, cosine, tangent ---------------------------------------------------------------------------------- */

static void angle(slip_real x)
{
    exact s, c;
    slip_real t = slip_tan(x);

    exact_sincos(exact_from((double)x), &s, &c);
    judge(exact_to(exact_sub(s, exact_from((double)slip_sin(x)))), slip_sin(x), "sin");
    judge(exact_to(exact_sub(c, exact_from((double)slip_cos(x)))), slip_cos(x), "cos");
    judge(exact_to(exact_sub(s, exact_mul(exact_from((double)t), c)))/exact_to(c), t, "tan");
}

static void test_angles_of_all_sizes(void)
{
    for (int k = 0; k < 1500; ++k) {
        angle(uniform(-7, 7));
        angle(uniform(-3000, 3000));
        angle(either(decade(-9, 5)));
        angle(either(decade(3, 30)));
    }
}

/* Multiples of a quarter turn, to rounding: their sines are of rounding's size, and have all their digits. */
static void test_angles_next_to_zeros(void)
{
    for (int k = 1; k < 2000; ++k) {
        angle((slip_real)k*(SLIP_PI/2));
        angle((slip_real)k*(SLIP_PI/2)*(1 + SLIP_REAL_EPS));
        angle((slip_real)k*(SLIP_PI/2) + SLIP_PI/4);
    }
}

static void test_the_largest_angles(void)
{
    if (sizeof(slip_real) == 4) TEST_IGNORE_MESSAGE("skipped: for double precision");
    /* sin and cos of 2^1000 and of the double that is nearest to a multiple of pi/2, 6381956970095103 2^797 */
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, -0.15920170308624246, (double)slip_sin((slip_real)ldexp(1, 1000)));
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.9872460775989135, (double)slip_cos((slip_real)ldexp(1, 1000)));
    TEST_ASSERT_DOUBLE_WITHIN(1e-30, -4.687165924254624e-19, (double)slip_cos((slip_real)ldexp(6381956970095103.0, 797)));
}

/* ---- exponential, logarithm, powers ---------------------------------------------------------------------------- */

/* e^x = 2^k e^r */
static exact reduced(slip_real x, int *k)
{
    *k = (int)floor((double)x/0.6931471805599453);
    return exact_exp(exact_sub(exact_from((double)x), *k < 0 ? exact_sub(exact_from(0), exact_mul(exact_from(-*k), ln2))
                                                             : exact_mul(exact_from(*k), ln2)));
}

static void exponential(slip_real x)
{
    const slip_real y = slip_exp(x);
    int k;
    const exact e = reduced(x, &k);

    judge(ldexp(exact_to(exact_sub(e, exact_from(ldexp((double)y, -k)))), k), y, "exp");
}

static void test_exponentials(void)
{
    for (int k = 0; k < 1500; ++k) {
        exponential(uniform(-1, 1));
        exponential(uniform(SLIP_TOL(-700, -85), SLIP_TOL(700, 85)));
        exponential(either(decade(-12, 0)));
    }
}

/* ln x, from the double nearest to it: ln x = l + ln(x e^-l). */
static exact logarithm_of(slip_real x)
{
    int e;
    const double m = frexp((double)x, &e), l = log(m);
    const exact d = exact_sub(exact_mul(exact_from(m), exact_exp(exact_from(-l))), exact_from(1));
    const exact small = exact_sub(d, exact_over(exact_mul(d, d), 2));

    return exact_add(exact_add(exact_from(l), small), exact_mul(exact_from(e), ln2));
}

static void logarithm(slip_real x)
{
    judge(exact_to(exact_sub(logarithm_of(x), exact_from((double)slip_log(x)))), slip_log(x), "log");
}

static void test_logarithms(void)
{
    for (int k = 0; k < 1500; ++k) {
        logarithm(uniform(0.5, 2));
        logarithm(1 + either(decade(SLIP_TOL(-14, -6), -1)));
        logarithm(decade(SLIP_TOL(-300, -37), SLIP_TOL(300, 37)));
    }
}

static void power(slip_real x, slip_real y)
{
    const slip_real z = slip_pow(x, y);
    const exact off = exact_sub(exact_mul(exact_from((double)y), logarithm_of(x)), logarithm_of(z));

    judge(exact_to(off)*(double)z, z, "pow");
}

static void test_powers(void)
{
    for (int k = 0; k < 1500; ++k) {
        power(decade(-3, 3), uniform(SLIP_TOL(-90, -10), SLIP_TOL(90, 10)));
        power(1 + uniform(-0.1, 0.1), uniform(-500, 500));
        power(decade(SLIP_TOL(-300, -35), SLIP_TOL(300, 35)), uniform(-1, 1));
        power(10, (slip_real)(k%30));
    }
}

/* ---- roots ------------------------------------------------------------------------------------------------------ */

static void test_cube_roots(void)
{
    for (int k = 0; k < 3000; ++k) {
        const slip_real x = either(decade(-20, 20)), y = slip_cbrt(x);
        const exact e = exact_from((double)y), off = exact_sub(exact_from((double)x), exact_mul(e, exact_mul(e, e)));

        judge(exact_to(off)/(3*(double)y*(double)y), y, "cbrt");
    }
    for (int k = 1; k < 100; ++k) TEST_ASSERT_TRUE(slip_cbrt((slip_real)(k*k*k)) == (slip_real)k);
}

static void test_hypotenuses(void)
{
    for (int k = 0; k < 3000; ++k) {
        const slip_real x = either(decade(-8, 8)), y = k%2 ? either(decade(-8, 8)) : x*uniform(0.1, 1);
        const slip_real r = slip_hypot(x, y);
        const exact a = exact_from((double)x), b = exact_from((double)y), c = exact_from((double)r);

        judge(exact_to(exact_sub(exact_add(exact_mul(a, a), exact_mul(b, b)), exact_mul(c, c)))/(2*(double)r), r, "hypot");
    }
    TEST_ASSERT_TRUE(slip_hypot(SLIP_REAL_MAX/2, SLIP_REAL_MAX/2) > SLIP_REAL_MAX/2);      /* no overflow on the way */
    TEST_ASSERT_TRUE(slip_hypot(3*SLIP_REAL_MIN, 4*SLIP_REAL_MIN) == 5*SLIP_REAL_MIN);
}

/* ---- angles ------------------------------------------------------------------------------------------------------ */

/* How far the direction of angle `t` is from (x, y), or from (sqrt(1 - y^2), y) and the like. */
static double turned(slip_real t, exact x, exact y)
{
    exact s, c;

    exact_sincos(exact_from((double)t), &s, &c);
    return exact_to(exact_sub(exact_mul(y, c), exact_mul(x, s)));
}

static void test_angles_of_vectors(void)
{
    for (int k = 0; k < 3000; ++k) {
        const slip_real x = k%2 ? either(decade(-8, 8)) : uniform(-1, 1), y = k%2 ? either(decade(-8, 8)) : uniform(-1, 1);
        const slip_real t = slip_atan2(y, x);

        judge(turned(t, exact_from((double)x), exact_from((double)y))/hypot((double)x, (double)y), t, "atan2");
    }
}

/* sin(asin x) = x; the error of the angle is that of the sine over the cosine, or at its flat end, as of the cosine. */
static void test_arcs(void)
{
    for (int k = 0; k < 3000; ++k) {
        const slip_real x = k%3 == 0 ? uniform(-1, 1) : k%3 == 1 ? either(decade(-9, 0)) : 1 - decade(SLIP_TOL(-15, -6), 0);
        const slip_real a = slip_asin(x), b = slip_acos(x);
        exact s, c;

        exact_sincos(exact_from((double)a), &s, &c);
        if (fabs((double)x) < 0.99) judge(exact_to(exact_sub(exact_from((double)x), s))/exact_to(c), a, "asin");
        exact_sincos(exact_from((double)b), &s, &c);
        if (b > 0) judge(exact_to(exact_sub(c, exact_from((double)x)))/exact_to(s), b, "acos");
    }
}

/* ---- special values ----------------------------------------------------------------------------------------------- */

static int same(slip_real a, slip_real b) { return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b)); }

/* What C99's annex F says of zeros, infinities and NaN, which libraries agree on: all pairs. */
static void test_special_values_are_those_of_c(void)
{
    const double value[] = { 0, -0.0, 1, -1, (double)INFINITY, -(double)INFINITY, (double)NAN, 2, -3, 0.5, -2.5 };
    const int n = (int)(sizeof value/sizeof *value);

    for (int i = 0; i < n; ++i) {
        const double x = value[i];
        const slip_real r = (slip_real)x;

        if (!isfinite(x)) TEST_ASSERT_TRUE(isnan(slip_sin(r)) && isnan(slip_cos(r)) && isnan(slip_tan(r)));
        if (!isfinite(x) || x == 0) {
            TEST_ASSERT_TRUE(same(slip_exp(r), (slip_real)exp(x)));
            TEST_ASSERT_TRUE(same(slip_log(r), (slip_real)log(x)));
            TEST_ASSERT_TRUE(same(slip_cbrt(r), (slip_real)cbrt(x)));
        }
        if (!(fabs(x) <= 1)) TEST_ASSERT_TRUE(isnan(slip_asin(r)) && isnan(slip_acos(r)));
        if (x < 0) TEST_ASSERT_TRUE(isnan(slip_log(r)));
        for (int j = 0; j < n; ++j) {
            const double y = value[j];
            const slip_real s = (slip_real)y;

            if (isfinite(x) && isfinite(y) && x != 0 && y != 0 && !(x < 0)) continue;
            TEST_ASSERT_TRUE(same(slip_pow(r, s), (slip_real)pow(x, y)));
            if (isfinite(x) && isfinite(y) && x != 0 && y != 0) continue;
            TEST_ASSERT_TRUE(same(slip_hypot(r, s), (slip_real)hypot(x, y)));
            TEST_ASSERT_TRUE(same(slip_atan2(r, s), (slip_real)atan2(x, y)));
        }
    }
    TEST_ASSERT_TRUE(slip_exp(1000) > SLIP_REAL_MAX && slip_exp(-1000) == 0);
    TEST_ASSERT_TRUE(slip_pow(2, -2000) == 0 && slip_pow(2, 2000) > SLIP_REAL_MAX && slip_pow(-2, 3) == -8);
}

/* One hash of many results: the same on every machine and with every compiler, or their simulations differ. */
static void test_the_bits_are_the_same_everywhere(void)
{
    const uint32_t wanted = sizeof(slip_real) == 4 ? 0x39D6BD85u : 0x3DA48154u;
    uint32_t hash = 2166136261u;

    for (int k = 0; k < 20000; ++k) {
        const slip_real x = (slip_random_uniform(&rng, -1, 1) + (slip_real)(k%7))*(slip_real)(k%11), a = slip_abs(x) + SLIP_R(0.01);
        const slip_real y[] = { slip_sin(x), slip_cos(x), slip_tan(x), slip_exp(x), slip_log(a), slip_pow(a, x/10),
                                slip_cbrt(x), slip_hypot(x, 1), slip_atan2(x, 3), slip_asin(1/(1 + a)), slip_acos(1/(1 + a)) };

        for (size_t i = 0; i < sizeof y/sizeof *y; ++i) {    /* digits, not bytes: their order differs    */
            int e;
            const double m = frexp((double)y[i], &e);
            const uint64_t bits = (uint64_t)(int64_t)ldexp(m, 53);

            hash = (hash ^ (uint32_t)bits ^ (uint32_t)(bits >> 32) ^ (uint32_t)e)*16777619u;
        }
    }
    TEST_ASSERT_EQUAL_HEX32(wanted, hash);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_exact_numbers_are_those_of_tables);
    RUN_TEST(test_angles_of_all_sizes);
    RUN_TEST(test_angles_next_to_zeros);
    RUN_TEST(test_the_largest_angles);
    RUN_TEST(test_exponentials);
    RUN_TEST(test_logarithms);
    RUN_TEST(test_powers);
    RUN_TEST(test_cube_roots);
    RUN_TEST(test_hypotenuses);
    RUN_TEST(test_angles_of_vectors);
    RUN_TEST(test_arcs);
    RUN_TEST(test_special_values_are_those_of_c);
    RUN_TEST(test_the_bits_are_the_same_everywhere);
    return UNITY_END();
}
