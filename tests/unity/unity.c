/* The state and the functions behind our unity.h: runs tests, compares, reports in Unity's format. */
#include "unity.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static struct {
    const char *file, *test;              /* where the running test was started */
    int line;
    int tests, failures, ignored;
    int failed_now, ignored_now;          /* of the running test                */
    int may_leave;                        /* inside a test: `leave` is set      */
    jmp_buf leave;
} unity;

unity_place unity_at(const char *file, int line, const char *message)
{
    unity_place at;

    at.file = file;
    at.line = line;
    at.message = message;
    return at;
}

unity_ints unity_ints_of(int style, long long delta)
{
    unity_ints as;

    as.style = style;
    as.delta = delta;
    return as;
}

unity_reals unity_reals_of(size_t bytes, double delta, double rule)
{
    unity_reals as;

    as.bytes = (int)bytes;
    as.delta = delta;
    as.rule = rule;
    return as;
}

/* ---- running ---------------------------------------------------------------------------------- */

static void unity_result(const char *file, int line, const char *what)
{
    printf("%s:%d:%s:%s", file, line, unity.test ? unity.test : "(no test)", what);
}

static void unity_leave(void)
{
    if (unity.may_leave) longjmp(unity.leave, 1);
}

void unity_begin(const char *file)
{
    memset(&unity, 0, sizeof unity);
    unity.file = file;
}

int unity_end(void)
{
    printf("\n-----------------------\n%d Tests %d Failures %d Ignored\n%s\n",
           unity.tests, unity.failures, unity.ignored, unity.failures ? "FAIL" : "OK");
    fflush(stdout);
    return unity.failures;
}

/* Calls one step of a test; comes back when it returns or leaves by an assertion. */
static void unity_guarded(void (*step)(void))
{
    if (setjmp(unity.leave) == 0) {
        unity.may_leave = 1;
        step();
    }
    unity.may_leave = 0;
}

static int unity_goes_on;

static void unity_set_up(void)
{
    setUp();
    unity_goes_on = 1;
}

void unity_run(void (*test)(void), const char *name, const char *file, int line)
{
    unity.file = file;
    unity.line = line;
    unity.test = name;
    unity.failed_now = unity.ignored_now = 0;
    ++unity.tests;
    unity_goes_on = 0;
    unity_guarded(unity_set_up);
    if (unity_goes_on) unity_guarded(test);      /* a setUp that failed or ignored skips the test itself */
    unity_guarded(tearDown);
    if (unity.failed_now) ++unity.failures;
    else if (unity.ignored_now) ++unity.ignored;
    else { unity_result(file, line, "PASS"); printf("\n"); }
    unity.test = NULL;
    fflush(stdout);
}

void unity_pass(void) { unity_leave(); }

void unity_info(unity_place at)
{
    unity_result(at.file, at.line, "INFO: ");
    printf("%s\n", at.message ? at.message : "");
}

void unity_ignore(unity_place at)
{
    unity_result(at.file, at.line, "IGNORE");
    if (at.message) printf(": %s", at.message);
    printf("\n");
    unity.ignored_now = 1;
    unity_leave();
}

/* A failure's report: open it, print what was expected, close it. Closing leaves the test. */
static void unity_open(unity_place at) { unity_result(at.file, at.line, "FAIL:"); }

static void unity_close(unity_place at)
{
    if (at.message) printf(". %s", at.message);
    printf("\n");
    fflush(stdout);
    unity.failed_now = 1;
    if (!unity.may_leave) ++unity.failures;      /* an assertion outside of any test still counts */
    unity_leave();
}

void unity_fail(const char *why, unity_place at)
{
    if (!why[0] && at.message) {
        why = at.message;
        at.message = NULL;
    }
    unity_result(at.file, at.line, why[0] ? "FAIL: " : "FAIL");
    printf("%s", why);
    unity_close(at);
}

/* Whether count elements at these addresses can be compared; fails the test when they cannot, and
 * says no when both are the same. */
static int unity_comparable(const void *expected, const void *actual, size_t count, unity_place at)
{
    if (count == 0) unity_fail("Nothing To Compare, The Count Is 0", at);
    if (expected == actual) return 0;
    if (!expected) unity_fail("Expected pointer was NULL", at);
    if (!actual) unity_fail("Actual pointer was NULL", at);
    return expected && actual;
}

/* ---- integers --------------------------------------------------------------------------------- */

/* The value's low bytes, extended by its sign or by zeros. */
static long long unity_cut(int style, long long x)
{
    const int bits = 8*(style & 255), kind = style >> 8;
    const unsigned long long low = (unsigned long long)x & (bits < 64 ? (1ULL << bits) - 1 : ~0ULL);

    if (bits == 64 || kind == 'u' || kind == 'x' || !(low >> (bits - 1))) return (long long)low;
    return (long long)(low | ~((1ULL << bits) - 1));
}

static int unity_less(int style, long long a, long long b)
{
    const int kind = style >> 8;

    return kind == 'u' || kind == 'x' ? (unsigned long long)a < (unsigned long long)b : a < b;
}

static void unity_show_char(int c)
{
    if (c >= 32 && c < 127) printf("%c", c);
    else if (c == '\n') printf("\\n");
    else if (c == '\r') printf("\\r");
    else printf("\\x%02X", (unsigned)c & 255u);
}

static void unity_show_int(int style, long long x)
{
    switch (style >> 8) {
    case 'u': printf("%llu", (unsigned long long)x); break;
    case 'x': printf("0x%0*llX", 2*(style & 255), (unsigned long long)x); break;
    case 'c': printf("'"); unity_show_char((int)x); printf("'"); break;
    default:  printf("%lld", x); break;
    }
}

static const char *unity_relation_text(unity_relation relation)
{
    switch (relation) {
    case UNITY_NE: return " to be not equal to ";
    case UNITY_GT: return " to be greater than ";
    case UNITY_LT: return " to be less than ";
    case UNITY_GE: return " to be greater than or equal to ";
    case UNITY_LE: return " to be less than or equal to ";
    default:       return " Was ";
    }
}

void unity_int(int style, unity_relation relation, long long expected, long long actual, unity_place at)
{
    const long long e = unity_cut(style, expected), a = unity_cut(style, actual);
    const int less = unity_less(style, a, e), more = unity_less(style, e, a);
    const int holds = relation == UNITY_EQ ? e == a : relation == UNITY_NE ? e != a : relation == UNITY_GT ? more :
                      relation == UNITY_LT ? less : relation == UNITY_GE ? !less : !more;

    if (holds) return;
    unity_open(at);
    printf(" Expected ");
    unity_show_int(style, relation == UNITY_EQ ? e : a);
    printf("%s", unity_relation_text(relation));
    unity_show_int(style, relation == UNITY_EQ ? a : e);
    unity_close(at);
}

static int unity_near(unity_ints as, long long e, long long a)
{
    const int less = unity_less(as.style, a, e);
    const unsigned long long gap = less ? (unsigned long long)e - (unsigned long long)a
                                        : (unsigned long long)a - (unsigned long long)e;

    return gap <= (unsigned long long)as.delta;
}

/* Compares one element; index -1 when there is only one. */
static void unity_int_one(unity_ints as, long long expected, long long actual, long long index, unity_place at)
{
    const long long e = unity_cut(as.style, expected), a = unity_cut(as.style, actual);

    if (unity_near(as, e, a)) return;
    unity_open(at);
    if (as.delta) printf(" Values Not Within Delta %llu", (unsigned long long)as.delta);
    if (index >= 0) printf(" Element %lld", index);
    printf(" Expected ");
    unity_show_int(as.style, e);
    printf(" Was ");
    unity_show_int(as.style, a);
    unity_close(at);
}

void unity_int_within(unity_ints as, long long expected, long long actual, unity_place at)
{
    unity_int_one(as, expected, actual, -1, at);
}

static long long unity_int_load(int style, const void *array, size_t i)
{
    const size_t bytes = (size_t)(style & 255);
    const unsigned char *p = (const unsigned char *)array + i*bytes;
    uint8_t x8; uint16_t x16; uint32_t x32; uint64_t x64;

    switch (bytes) {
    case 1:  memcpy(&x8, p, 1);  return x8;
    case 2:  memcpy(&x16, p, 2); return x16;
    case 4:  memcpy(&x32, p, 4); return x32;
    default: memcpy(&x64, p, 8); return (long long)x64;
    }
}

void unity_int_array(unity_ints as, const void *expected, const void *actual, size_t count, unity_place at)
{
    size_t i;

    if (!unity_comparable(expected, actual, count, at)) return;
    for (i = 0; i < count; ++i)
        unity_int_one(as, unity_int_load(as.style, expected, i), unity_int_load(as.style, actual, i), (long long)i, at);
}

void unity_int_each(unity_ints as, long long expected, const void *actual, size_t count, unity_place at)
{
    size_t i;

    if (!unity_comparable(&expected, actual, count, at)) return;
    for (i = 0; i < count; ++i) unity_int_one(as, expected, unity_int_load(as.style, actual, i), (long long)i, at);
}

void unity_bits(unsigned long long mask, unsigned long long expected, unsigned long long actual, unity_place at)
{
    if (((expected ^ actual) & mask) == 0) return;
    unity_open(at);
    printf(" Expected 0x%llX Was 0x%llX In The Bits 0x%llX", expected & mask, actual & mask, mask);
    unity_close(at);
}

/* ---- reals ------------------------------------------------------------------------------------ */

static void unity_show_real(double x)
{
    if (isnan(x)) printf("NaN");
    else if (isinf(x)) printf(x < 0 ? "Negative Infinity" : "Infinity");
    else printf("%.9g", x);
}

/* Two reals with as many digits as tell them apart. */
static void unity_show_reals(double e, const char *between, double a)
{
    char s[40], t[40];

    snprintf(s, sizeof s, "%.9g", e);
    snprintf(t, sizeof t, "%.9g", a);
    printf(" Expected ");
    if (isfinite(e) && isfinite(a) && e != a && strcmp(s, t) == 0) {
        printf("%.17g%s%.17g", e, between, a);
        return;
    }
    unity_show_real(e);
    printf("%s", between);
    unity_show_real(a);
}

/* NaN is near NaN, and an infinity near itself; otherwise neither is near anything. */
static int unity_real_near(unity_reals as, double e, double a)
{
    const double gap = fabs(a - e);

    if (isnan(e) || isnan(a)) return isnan(e) && isnan(a);
    if (isinf(e) || isinf(a)) return e == a;
    return gap <= fabs(as.delta) + as.rule*fabs(e);
}

static void unity_real_one(unity_reals as, int within, double e, double a, long long index, unity_place at)
{
    if (unity_real_near(as, e, a) == within) return;
    unity_open(at);
    if (index >= 0) printf(" Element %lld", index);
    if (as.rule == 0) {
        printf(within ? " Values Not Within Delta " : " Values Within Delta ");
        unity_show_real(as.delta);
    }
    unity_show_reals(e, within ? " Was " : " to be not equal to ", a);
    unity_close(at);
}

void unity_real_within(unity_reals as, int within, double expected, double actual, unity_place at)
{
    unity_real_one(as, within, expected, actual, -1, at);
}

static double unity_real_load(unity_reals as, const void *array, size_t i)
{
    const unsigned char *p = (const unsigned char *)array + i*(size_t)as.bytes;
    float f;
    double d;

    if (as.bytes == (int)sizeof(float)) {
        memcpy(&f, p, sizeof f);
        return (double)f;
    }
    memcpy(&d, p, sizeof d);
    return d;
}

void unity_real_array(unity_reals as, const void *expected, const void *actual, size_t count, unity_place at)
{
    size_t i;

    if (!unity_comparable(expected, actual, count, at)) return;
    for (i = 0; i < count; ++i)
        unity_real_one(as, 1, unity_real_load(as, expected, i), unity_real_load(as, actual, i), (long long)i, at);
}

void unity_real_each(unity_reals as, double expected, const void *actual, size_t count, unity_place at)
{
    size_t i;

    if (!unity_comparable(&expected, actual, count, at)) return;
    for (i = 0; i < count; ++i) unity_real_one(as, 1, expected, unity_real_load(as, actual, i), (long long)i, at);
}

/* Unity's rule: "equal" in >= and <= is equality within the type's relative precision. */
void unity_real(size_t bytes, unity_relation relation, double expected, double actual, unity_place at)
{
    const double rule = bytes == sizeof(float) ? UNITY_FLT_RULE : UNITY_DBL_RULE;
    const int equal = unity_real_near(unity_reals_of(bytes, 0, rule), expected, actual);
    const int holds = relation == UNITY_GT ? actual > expected : relation == UNITY_LT ? actual < expected :
                      relation == UNITY_GE ? actual > expected || equal : actual < expected || equal;

    if (holds) return;
    unity_open(at);
    unity_show_reals(actual, unity_relation_text(relation), expected);
    unity_close(at);
}

void unity_real_is(unity_trait trait, int wanted, double actual, unity_place at)
{
    static const char *const name[] = { "Infinity", "Negative Infinity", "NaN", "Determinate" };
    const int is = trait == UNITY_NAN ? isnan(actual) != 0 :
                   trait == UNITY_DETERMINATE ? !isnan(actual) && !isinf(actual) :
                   isinf(actual) && (trait == UNITY_INF) == (actual > 0);

    if (is == wanted) return;
    unity_open(at);
    printf(" Expected %s%s Was ", wanted ? "" : "Not ", name[trait]);
    unity_show_real(actual);
    unity_close(at);
}

/* ---- pointers, texts, memory ------------------------------------------------------------------ */

void unity_pointer(int equal, const void *expected, const void *actual, unity_place at)
{
    unity_int(UNITY_HEXES(void *), equal ? UNITY_EQ : UNITY_NE, (long long)(intptr_t)expected,
              (long long)(intptr_t)actual, at);
}

static void unity_show_text(const char *text, size_t most)
{
    size_t i;

    if (!text) { printf("NULL"); return; }
    printf("'");
    for (i = 0; i < most && text[i]; ++i) unity_show_char(text[i]);
    printf("'");
}

/* The first place where two texts differ within `most` bytes; -1 when nowhere. */
static long long unity_text_differs(const char *e, const char *a, size_t most)
{
    size_t i;

    if (!e || !a) return e == a ? -1 : 0;
    for (i = 0; i < most; ++i) {
        if (e[i] != a[i]) return (long long)i;
        if (!e[i]) break;
    }
    return -1;
}

static void unity_text_one(int equal, const char *e, const char *a, size_t most, long long index, unity_place at)
{
    const long long where = unity_text_differs(e, a, most);

    if ((where < 0) == equal) return;
    unity_open(at);
    if (index >= 0) printf(" Element %lld", index);
    printf(" Expected ");
    unity_show_text(e, most);
    printf(equal ? " Was " : " to be not equal to ");
    unity_show_text(a, most);
    if (equal && e && a) printf(" Character %lld", where);
    unity_close(at);
}

void unity_text(int equal, const char *expected, const char *actual, size_t most, unity_place at)
{
    unity_text_one(equal, expected, actual, most, -1, at);
}

void unity_text_array(const char *const *expected, const char *const *actual, size_t count, unity_place at)
{
    size_t i;

    if (!unity_comparable(expected, actual, count, at)) return;
    for (i = 0; i < count; ++i) unity_text_one(1, expected[i], actual[i], SIZE_MAX, (long long)i, at);
}

void unity_text_each(const char *expected, const char *const *actual, size_t count, unity_place at)
{
    size_t i;

    if (!unity_comparable(&expected, actual, count, at)) return;
    for (i = 0; i < count; ++i) unity_text_one(1, expected, actual[i], SIZE_MAX, (long long)i, at);
}

static void unity_memory_one(const unsigned char *e, const unsigned char *a, size_t bytes, long long index,
                             unity_place at)
{
    size_t i;

    for (i = 0; i < bytes && e[i] == a[i]; ++i) { }
    if (i == bytes) return;
    unity_open(at);
    printf(" Memory Mismatch.");
    if (index >= 0) printf(" Element %lld", index);
    printf(" Byte %lu Expected 0x%02X Was 0x%02X", (unsigned long)i, e[i], a[i]);
    unity_close(at);
}

void unity_memory(int equal, const void *expected, const void *actual, size_t bytes, unity_place at)
{
    if (!unity_comparable(expected, actual, bytes, at)) {
        if (!equal) unity_fail("Expected memory to be different", at);
        return;
    }
    if (equal) unity_memory_one((const unsigned char *)expected, (const unsigned char *)actual, bytes, -1, at);
    else if (memcmp(expected, actual, bytes) == 0) unity_fail("Expected memory to be different", at);
}

void unity_memory_array(const void *expected, size_t step, const void *actual, size_t bytes, size_t count,
                        unity_place at)
{
    size_t i;

    if (!unity_comparable(expected, actual, bytes ? count : 0, at) && step) return;
    for (i = 0; i < count; ++i)
        unity_memory_one((const unsigned char *)expected + i*step, (const unsigned char *)actual + i*bytes, bytes,
                         (long long)i, at);
}
