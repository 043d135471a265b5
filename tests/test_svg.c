/* Streams, base64 and SVG plots. */
#include <stdlib.h>
#include <string.h>
#include "slipstick_parts.h"
#include "unity.h"

enum { TEXT = 1 << 20 };
static char *text;
static slip_stream_memory memory;
static slip_stream out;

void setUp(void)
{
    if (!text) text = (char *)malloc(TEXT);
    memory.text = text;
    memory.size = TEXT;
    memory.used = 0;
    text[0] = '\0';
    slip_stream_to_memory(&memory, &out);
}

void tearDown(void) { }

static const char *written(void)
{
    slip_stream_flush(&out);
    return text;
}

static int count(const char *in, const char *what)
{
    int n = 0;

    for (in = strstr(in, what); in; in = strstr(in + 1, what)) ++n;
    return n;
}

/* ---- stream ------------------------------------------------------------------------------------- */

static void test_numbers_and_text_arrive_in_order_across_the_buffer(void)
{
    int i;

    for (i = 0; i < 1000; ++i) {
        slip_put_int(&out, i);
        slip_put_text(&out, ";");
    }
    TEST_ASSERT_EQUAL_INT(0, strncmp(written(), "0;1;2;3;", 8));
    TEST_ASSERT_EQUAL_STRING("998;999;", text + strlen(text) - 8);
    TEST_ASSERT_EQUAL_INT((int)out.total, (int)strlen(text));
}

static void test_a_target_that_refuses_makes_the_stream_fail_once_and_for_all(void)
{
    memory.size = 8;
    slip_put_text(&out, "0123456789");
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_FILE, slip_stream_flush(&out));
    slip_put_text(&out, "1");
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_FILE, slip_stream_flush(&out));
}

static void test_fixed_numbers_lose_their_trailing_zeros_and_minus_zero(void)
{
    slip_put_fixed(&out, 1.5, 2);
    slip_put_text(&out, " ");
    slip_put_fixed(&out, 200.0, 2);
    slip_put_text(&out, " ");
    slip_put_fixed(&out, -0.0001, 2);
    TEST_ASSERT_EQUAL_STRING("1.5 200 0", written());
}

static void test_xml_text_is_escaped_and_bad_utf8_replaced(void)
{
    slip_put_xml(&out, "<a href=\"x\">'&'</a> \xce\xbb \xff\xc0\x80 \x01");
    TEST_ASSERT_EQUAL_STRING("&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt; \xce\xbb "
                             "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd", written());
}

static void test_json_text_cannot_end_a_script_element(void)
{
    slip_put_json(&out, "</script><!-- \"\\ \n \xe2\x80\xa8 \xf0\x9f\x98\x80");
    TEST_ASSERT_NULL(strchr(written(), '<'));
    TEST_ASSERT_EQUAL_STRING("\"\\u003c/script\\u003e\\u003c!-- \\u0022\\u005c \\u000a \\u2028 \xf0\x9f\x98\x80\"",
                             text);
}

static void test_json_numbers_that_are_not_finite_become_null(void)
{
    slip_put_json_real(&out, (double)INFINITY, 6);
    slip_put_text(&out, " ");
    slip_put_json_real(&out, 0.25, 6);
    TEST_ASSERT_EQUAL_STRING("null 0.25", written());
}

/* ---- base64 ------------------------------------------------------------------------------------- */

static void test_base64_gives_the_vectors_of_rfc_4648(void)
{
    static const char *const plain[] = { "", "f", "fo", "foo", "foob", "fooba", "foobar" };
    static const char *const coded[] = { "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy" };
    int i;

    for (i = 0; i < 7; ++i) {
        slip_base64 state = { { 0, 0, 0 }, 0 };

        setUp();
        slip_base64_put(&state, &out, plain[i], strlen(plain[i]));
        slip_base64_end(&state, &out);
        TEST_ASSERT_EQUAL_STRING(coded[i], written());
    }
}

static void test_base64_of_random_bytes_in_pieces_comes_back(void)
{
    slip_random rng = slip_random_seed(7);
    unsigned char bytes[500], back[510];
    int round, i;

    for (round = 0; round < 200; ++round) {
        const int n = slip_random_int(&rng, 0, 500);
        slip_base64 state = { { 0, 0, 0 }, 0 };

        setUp();
        for (i = 0; i < n; ++i) bytes[i] = (unsigned char)slip_random_bits(&rng);
        for (i = 0; i < n; ) {
            int piece = slip_random_int(&rng, 1, 20);

            if (piece > n - i) piece = n - i;
            slip_base64_put(&state, &out, bytes + i, (size_t)piece);
            i += piece;
        }
        slip_base64_end(&state, &out);
        written();
        TEST_ASSERT_EQUAL_INT(n, (int)slip_base64_read(text, strlen(text), back));
        TEST_ASSERT_EQUAL_INT(0, memcmp(bytes, back, (size_t)n));
    }
}

static void test_base64_with_a_stray_character_is_refused(void)
{
    unsigned char back[16];

    TEST_ASSERT_EQUAL_INT(-1, (int)slip_base64_read("Zm9*", 4, back));
    TEST_ASSERT_EQUAL_INT(-1, (int)slip_base64_read("Zm9", 3, back));
    TEST_ASSERT_EQUAL_INT(-1, (int)slip_base64_read("Z===", 4, back));
}

/* ---- SVG ---------------------------------------------------------------------------------------- */

static void test_steps_of_ticks_are_round_and_few_enough(void)
{
    slip_random rng = slip_random_seed(3);
    int i;

    for (i = 0; i < 2000; ++i) {
        const slip_real lo = slip_random_uniform(&rng, -100, 100);
        const slip_real hi = lo + slip_pow(10, slip_random_uniform(&rng, -5, 5)), step = slip_plot_step(lo, hi, 7);
        const slip_real power = slip_floor(slip_log(step)/slip_log(10) + SLIP_R(1e-4)), lead = step/slip_pow(10, power);
        const slip_real tiny = SLIP_R(1e-3);

        TEST_ASSERT_MESSAGE((hi - lo)/step <= SLIP_R(7.001), "at most seven steps");
        TEST_ASSERT_MESSAGE((hi - lo)/step >= SLIP_R(2.799), "and not far fewer: 2, 2.5 apart at most");
        TEST_ASSERT_MESSAGE(slip_abs(lead - 1) < tiny || slip_abs(lead - 2) < tiny || slip_abs(lead - 5) < tiny,
                            "1, 2 or 5");
    }
}

static void simple_plot(const slip_real *x, const slip_real *y, int n, int log_y)
{
    slip_plot_series s;
    slip_plot p;

    memset(&s, 0, sizeof s);
    memset(&p, 0, sizeof p);
    s.name = "<b>&";
    s.x = x;
    s.y = y;
    s.n = n;
    p.title = "a \"title\" <script>";
    p.x_label = "t";
    p.y_label = "y";
    p.log_y = log_y;
    p.nseries = 1;
    p.series = &s;
    slip_svg_plot(&p, &out);
}

static void test_a_plot_is_one_svg_with_escaped_names(void)
{
    const slip_real x[3] = { 0, 1, 2 }, y[3] = { 0, 1, 4 };

    simple_plot(x, y, 3, 0);
    TEST_ASSERT_EQUAL_INT(0, strncmp(written(), "<svg xmlns=", 11));
    TEST_ASSERT_EQUAL_INT(1, count(text, "</svg>"));
    TEST_ASSERT_EQUAL_INT(0, count(text, "<script>"));
    TEST_ASSERT_EQUAL_INT(0, count(text, "<b>"));
    TEST_ASSERT_EQUAL_INT(1, count(text, "&lt;b&gt;&amp;"));
    TEST_ASSERT_EQUAL_INT(count(text, "<text"), count(text, "</text>"));
    TEST_ASSERT_EQUAL_INT(0, count(text, "nan"));
}

static void test_a_log_axis_has_powers_of_ten_and_skips_what_is_not_positive(void)
{
    const slip_real x[5] = { 0, 1, 2, 3, 4 }, y[5] = { SLIP_R(1e-8), SLIP_R(1e-4), 0, SLIP_R(1e-2), 1 };

    simple_plot(x, y, 5, 1);
    written();
    TEST_ASSERT_EQUAL_INT(1, count(text, ">-8</tspan>"));
    TEST_ASSERT_EQUAL_INT(1, count(text, ">0</tspan>"));
    *strstr(text, "</g>") = '\0';                               /* only the series, not the legend */
    TEST_ASSERT_EQUAL_INT_MESSAGE(2, count(strstr(text, "<g clip"), "M"), "the zero cuts the line in two");
}

static void test_a_long_series_is_thinned_but_keeps_its_extremes(void)
{
    enum { N = 20000 };
    slip_real *x = (slip_real *)malloc(2*N*sizeof *x), *y = x + N;
    int i;

    for (i = 0; i < N; ++i) { x[i] = (slip_real)i; y[i] = i%2 ? SLIP_R(1) : SLIP_R(-1); }
    simple_plot(x, y, N, 0);
    written();
    TEST_ASSERT_MESSAGE(strlen(text) < 150000, "some hundred columns, not twenty thousand points");
    TEST_ASSERT_MESSAGE(count(text, "L") > 500, "and still from top to bottom in each");
    free(x);
}

static void test_a_plot_without_points_still_has_axes(void)
{
    const slip_real x[1] = { 0 }, y[1] = { (slip_real)NAN };

    simple_plot(x, y, 1, 0);
    TEST_ASSERT(count(written(), "<line") > 4);
    TEST_ASSERT_EQUAL_INT(0, count(text, "nan"));
}

int main(void)
{
    int failed;

    UNITY_BEGIN();
    RUN_TEST(test_numbers_and_text_arrive_in_order_across_the_buffer);
    RUN_TEST(test_a_target_that_refuses_makes_the_stream_fail_once_and_for_all);
    RUN_TEST(test_fixed_numbers_lose_their_trailing_zeros_and_minus_zero);
    RUN_TEST(test_xml_text_is_escaped_and_bad_utf8_replaced);
    RUN_TEST(test_json_text_cannot_end_a_script_element);
    RUN_TEST(test_json_numbers_that_are_not_finite_become_null);
    RUN_TEST(test_base64_gives_the_vectors_of_rfc_4648);
    RUN_TEST(test_base64_of_random_bytes_in_pieces_comes_back);
    RUN_TEST(test_base64_with_a_stray_character_is_refused);
    RUN_TEST(test_steps_of_ticks_are_round_and_few_enough);
    RUN_TEST(test_a_plot_is_one_svg_with_escaped_names);
    RUN_TEST(test_a_log_axis_has_powers_of_ten_and_skips_what_is_not_positive);
    RUN_TEST(test_a_long_series_is_thinned_but_keeps_its_extremes);
    RUN_TEST(test_a_plot_without_points_still_has_axes);
    failed = UNITY_END();
    free(text);
    return failed;
}
