/* Decimal text to binary reals and back, exactly, with integer arithmetic alone.
 *
 * Both directions scale a 64-bit integer by a power of ten known to 128 bits with an error bound. Rounding
 * the lower and the upper bound nearly always gives one answer, which is then the right one (rounding is
 * monotone). When it gives two, the value lies next to the midpoint between them, and a comparison of
 * big integers with that midpoint decides. Left out: other rounding modes, hexadecimal, more than 17 digits. */
#include "base/number.h"

#include <limits.h>
#include <string.h>
#include "base/text.h"
#include "base/vec.h"

/* ---- 128 bits --------------------------------------------------------------------------------- */

/* A positive real in [F, F + err) 2^exp, or F 2^exp exactly when err is 0, with F = hi 2^64 + lo >= 2^127. */
typedef struct {
    uint64_t hi, lo;
    int exp, err;
} number_wide;

static int number_leading_zeros(uint64_t x)
{
    int n = 0;

    if (!(x >> 32)) { n += 32; x <<= 32; }
    if (!(x >> 48)) { n += 16; x <<= 16; }
    if (!(x >> 56)) { n += 8;  x <<= 8; }
    if (!(x >> 60)) { n += 4;  x <<= 4; }
    if (!(x >> 62)) { n += 2;  x <<= 2; }
    return x >> 63 ? n : n + 1;
}

static void number_mul64(uint64_t a, uint64_t b, uint64_t *hi, uint64_t *lo)
{
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t low = a0*b0, cross = a0*b1, mid = a1*b0 + (low >> 32) + (uint32_t)cross;

    *hi = a1*b1 + (cross >> 32) + (mid >> 32);
    *lo = mid << 32 | (uint32_t)low;
}

/* a f 2^e for any f > 0. Bits that drop out at the end add to the error; those of `a` at most double. */
static number_wide number_mul(number_wide a, uint64_t f, int e)
{
    const int zeros = number_leading_zeros(f);
    uint64_t h1, h0, l1, l0;
    number_wide r;

    f <<= zeros;
    number_mul64(a.hi, f, &h1, &h0);
    number_mul64(a.lo, f, &l1, &l0);
    r.lo = h0 + l1;
    r.hi = h1 + (r.lo < h0);
    r.exp = a.exp + e - zeros + 64;
    if (!(r.hi >> 63)) {
        r.hi = r.hi << 1 | r.lo >> 63;
        r.lo = r.lo << 1 | l0 >> 63;
        l0 <<= 1;
        --r.exp;
    }
    r.err = 2*a.err + (a.err || l0);
    return r;
}

/* The upper end of the interval; dearer by a bit where it becomes a power of two, which does no harm. */
static number_wide number_upper(number_wide a)
{
    const uint64_t lo = a.lo + (uint64_t)a.err;

    a.hi += lo < a.lo;
    a.lo = lo;
    a.err = 0;
    if (!(a.hi >> 63)) {
        a.hi = UINT64_C(1) << 63;
        ++a.exp;
    }
    return a;
}

/* F 2^exp in units of 2^unit to the nearest integer, ties to even; it must be below 2^63. */
static uint64_t number_round(number_wide a, int unit)
{
    const int drop = unit - a.exp;            /* bits to drop, more than 64 */
    uint64_t kept, rest, half;

    if (drop > 128) return 0;
    if (drop == 128) return a.hi > UINT64_C(1) << 63 || a.lo;
    kept = a.hi >> (drop - 64);
    rest = a.hi & ((UINT64_C(1) << (drop - 64)) - 1);
    half = UINT64_C(1) << (drop - 65);
    return kept + (rest > half || (rest == half && (a.lo || (kept & 1))));
}

/* ---- powers of ten ---------------------------------------------------------------------------- */

/* 5^0 .. 5^27, all that fit in 64 bits */
static const uint64_t number_five[28] = {
    UINT64_C(1), UINT64_C(5), UINT64_C(25), UINT64_C(125), UINT64_C(625), UINT64_C(3125), UINT64_C(15625),
    UINT64_C(78125), UINT64_C(390625), UINT64_C(1953125), UINT64_C(9765625), UINT64_C(48828125),
    UINT64_C(244140625), UINT64_C(1220703125), UINT64_C(6103515625), UINT64_C(30517578125),
    UINT64_C(152587890625), UINT64_C(762939453125), UINT64_C(3814697265625), UINT64_C(19073486328125),
    UINT64_C(95367431640625), UINT64_C(476837158203125), UINT64_C(2384185791015625),
    UINT64_C(11920928955078125), UINT64_C(59604644775390625), UINT64_C(298023223876953125),
    UINT64_C(1490116119384765625), UINT64_C(7450580596923828125)
};

/* 5^(28 j) for j = -13 .. 12: the leading 128 bits, the rest cut off; exact for j = 0 and 1 */
#define NUMBER_COARSE_FIRST (-13)
static const uint64_t number_coarse[26][2] = {
    { 0xe1afa13afbd14d6d, 0x82189c09a3a1ec21 }, { 0xe3e27a444d8d98b7, 0xfd1b1b2308169b25 },
    { 0xe61acf033d1a45df, 0x6fb92487298e33bd }, { 0xe858ad248f5c22c9, 0xd1b3400f8f9cff68 },
    { 0xea9c227723ee8bcb, 0x465e15a979c1cadc }, { 0xece53cec4a314ebd, 0xa4f8bf5635246428 },
    { 0xef340a98172aace4, 0x86fb897116c87c34 }, { 0xf18899b1bc3f8ca1, 0xdc44e6c3cb279ac1 },
    { 0xf3e2f893dec3f126, 0x5a89dba3c3efccfa }, { 0xf64335bcf065d37d, 0x4d4617b5ff4a16d5 },
    { 0xf8a95fcf88747d94, 0x75a44c6397ce912a }, { 0xfb158592be068d2e, 0xeed6e2f0f0d56712 },
    { 0xfd87b5f28300ca0d, 0x8bca9d6e188853fc }, { 0x8000000000000000, 0x0000000000000000 },
    { 0x813f3978f8940984, 0x4000000000000000 }, { 0x82818f1281ed449f, 0xbff8f10e7a8921a4 },
    { 0x83c7088e1aab65db, 0x792667c6da79e0fa }, { 0x850fadc09923329e, 0x03e2cf6bc604ddb0 },
    { 0x865b86925b9bc5c2, 0x0b8a2392ba45a9b2 }, { 0x87aa9aff79042286, 0x90fb44d2f05d0842 },
    { 0x88fcf317f22241e2, 0x441fece3bdf81f03 }, { 0x8a5296ffe33cc92f, 0x82bd6b70d99aaa6f },
    { 0x8bab8eefb6409c1a, 0x1ad089b6c2f7548e }, { 0x8d07e33455637eb2, 0xdb0b487b6423e1e8 },
    { 0x8e679c2f5e44ff8f, 0x570f09eaa7ea7648 }, { 0x8fcac257558ee4e6, 0x213a4f0aa5e8a7b1 }
};

static int number_floor_shift(int x, int shift)          /* floor(x/2^shift), also for x < 0 */
{
    return x >= 0 ? x >> shift : -((-x + (1 << shift) - 1) >> shift);
}

/* floor(k log2 5) for |k| <= 420, and floor(e log10 2) for |e| <= 1100 */
static int number_log2_five(int k) { return number_floor_shift(k*152170, 16); }
static int number_log10_two(int e) { return number_floor_shift(e*78913, 18); }

/* 10^n, 0 <= n <= 19 */
static uint64_t number_ten(int n) { n = n < 19 ? n : 19; return number_five[n] << n; }

/* 10^k, -364 <= k <= 363 */
static number_wide number_power(int k)
{
    const int j = (k + 364)/28 + NUMBER_COARSE_FIRST, r = k - 28*j;
    number_wide a;

    a.hi = number_coarse[j - NUMBER_COARSE_FIRST][0];
    a.lo = number_coarse[j - NUMBER_COARSE_FIRST][1];
    a.exp = number_log2_five(28*j) - 127;
    a.err = j != 0 && j != 1;
    return number_mul(a, number_five[r], k);             /* 10^k = 5^(28 j) 5^r 2^k */
}

/* ---- big integers ----------------------------------------------------------------------------- */

/* Little-endian, of fixed size. The longest value met is a midpoint of subnormal doubles against 769
 * decimal digits: (2m + 1) 5^1111 < 2^2640. */
#define NUMBER_BIG_WORDS 84
#define NUMBER_MOST_DIGITS 768      /* a midpoint between doubles has at most 767 significant digits */

typedef struct {
    int n;                          /* words in use, the last one not 0 */
    uint32_t word[NUMBER_BIG_WORDS];
} number_big;

static void number_big_set(number_big *b, uint64_t x)
{
    b->n = 0;
    for (; x; x >>= 32) b->word[b->n++] = (uint32_t)x;
}

/* b <- b f + add */
static void number_big_mul(number_big *b, uint32_t f, uint32_t add)
{
    uint64_t carry = add;
    int i;

    for (i = 0; i < b->n; ++i) {
        carry += (uint64_t)b->word[i]*f;
        b->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry && b->n < NUMBER_BIG_WORDS) b->word[b->n++] = (uint32_t)carry;
}

static void number_big_mul_five(number_big *b, int power)
{
    for (; power >= 13; power -= 13) number_big_mul(b, UINT32_C(1220703125), 0);
    if (power > 0) number_big_mul(b, (uint32_t)number_five[power], 0);
}

static void number_big_shift(number_big *b, int bits)
{
    const int words = bits/32;
    int i;

    if (b->n == 0 || b->n + words > NUMBER_BIG_WORDS) return;
    for (i = b->n - 1; i >= 0; --i) b->word[i + words] = b->word[i];
    for (i = 0; i < words; ++i) b->word[i] = 0;
    b->n += words;
    if (bits % 32) number_big_mul(b, UINT32_C(1) << bits % 32, 0);
}

static int number_big_compare(const number_big *a, const number_big *b)
{
    int i;

    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (i = a->n - 1; i >= 0; --i)
        if (a->word[i] != b->word[i]) return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

/* The sign of a 5^five 2^two - b; overwrites a. */
static int number_compare(number_big *a, int five, int two, uint64_t b)
{
    number_big other;

    number_big_set(&other, b);
    number_big_mul_five(five > 0 ? a : &other, five > 0 ? five : -five);
    number_big_shift(two > 0 ? a : &other, two > 0 ? two : -two);
    return number_big_compare(a, &other);
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* A binary format: its values' bits, read as integers, are in the order of the values. */
typedef struct {
    int precision;              /* significant bits                     */
    int unit;                   /* exponent of the smallest subnormal   */
    uint64_t infinity;          /* its bits                             */
} number_format;

static const number_format number_double = { 53, -1074, UINT64_C(0x7ff0000000000000) };
#ifdef SLIP_REAL_FLOAT
static const number_format number_float = { 24, -149, UINT64_C(0x7f800000) };
#endif

/* A decimal number without its sign: w 10^exp, and more digits at the end of the text if there are any. */
typedef struct {
    uint64_t w;                 /* the first 19 significant digits                        */
    long long exp;
    int count;                  /* how many digits w holds                                */
    int more;                   /* a digit that is not 0 follows them                     */
    const char *first, *last;   /* in the text: the first significant digit, and behind the last one */
} number_decimal;

/* The bits of the format's value nearest to F 2^exp. */
static uint64_t number_bits(number_wide a, const number_format *f)
{
    const int unit = a.exp + 128 - f->precision, above = unit - f->unit;
    uint64_t bits;

    if (above <= 0) return number_round(a, f->unit);          /* subnormal, or the first normal ones */
    /* The leading bit counts as one in the exponent field. */
    bits = ((uint64_t)above << (f->precision - 1)) + number_round(a, unit);
    return bits < f->infinity ? bits : f->infinity;
}

/* All digits of a decimal number as a big integer; returns the exponent of its last digit. From digit
 * 769 on only matters whether one is not 0: a final 1 stands for it. */
static int number_all_digits(const number_decimal *d, number_big *b)
{
    const char *p = d->first;
    int digits = 0;

    number_big_set(b, d->w);
    if (!d->more) return (int)d->exp;
    for (; digits < d->count; ++p) digits += *p != '.';
    for (; digits < NUMBER_MOST_DIGITS && p < d->last; ++p) {
        if (*p == '.') continue;
        number_big_mul(b, 10, (uint32_t)(*p - '0'));
        ++digits;
    }
    while (p < d->last && (*p == '0' || *p == '.')) ++p;
    if (p < d->last) {
        number_big_mul(b, 10, 1);
        ++digits;
    }
    return (int)d->exp - (digits - d->count);
}

/* Decides between neighbours below and below + 1 by comparing with their midpoint, (2m + 1) 2^(unit - 1). */
static uint64_t number_decide(const number_decimal *d, uint64_t below, const number_format *f)
{
    const int field = (int)(below >> (f->precision - 1));
    const uint64_t lead = UINT64_C(1) << (f->precision - 1), low = below & (lead - 1);
    const uint64_t m = field ? low | lead : low;
    const int unit = f->unit + (field ? field - 1 : 0);
    number_big all;
    const int exp = number_all_digits(d, &all);
    const int sign = number_compare(&all, exp, exp - (unit - 1), 2*m + 1);

    return sign > 0 || (sign == 0 && (below & 1)) ? below + 1 : below;
}

/* The bits of the format's value nearest to a decimal number. */
static uint64_t number_nearest(const number_decimal *d, const number_format *f)
{
    number_wide lower, upper;
    uint64_t below, above;

    if (d->w == 0 || d->exp + d->count <= -324) return 0;       /* under half of the smallest subnormal */
    if (d->exp + d->count > 309) return f->infinity;
    lower = number_mul(number_power((int)d->exp), d->w, 0);
    upper = d->more ? number_mul(number_power((int)d->exp), d->w + 1, 0) : lower;
    below = number_bits(lower, f);
    if (lower.err == 0 && !d->more) return below;
    above = number_bits(number_upper(upper), f);
    return below == above ? below : number_decide(d, below, f);
}

/* Reads an exponent at text[at..length): stores it and returns the bytes read, 0 when there is none. */
static int number_read_exponent(const char *text, int length, int at, long long *exp)
{
    const long long most = 1000000000000LL;           /* out of reach of any text's number of digits */
    const int start = at;
    int minus = 0;

    *exp = 0;
    if (at >= length || (text[at] != 'e' && text[at] != 'E')) return 0;
    ++at;
    if (at < length && (text[at] == '+' || text[at] == '-')) minus = text[at++] == '-';
    if (at >= length || !slip_is_digit(text[at])) return 0;
    for (; at < length && slip_is_digit(text[at]); ++at)
        if (*exp < most) *exp = 10*(*exp) + (text[at] - '0');
    if (minus) *exp = -*exp;
    return at - start;
}

/* Reads digits, with at most one point and an exponent. Returns the bytes read, 0 for no number. */
static int number_read_decimal(const char *text, int length, number_decimal *d)
{
    long long exp;
    int at, point = 0, digits = 0;

    d->w = 0;
    d->exp = 0;
    d->count = d->more = 0;
    d->first = d->last = text;
    for (at = 0; at < length; ++at) {
        const char c = text[at];

        if (c == '.' && !point) { point = 1; continue; }
        if (!slip_is_digit(c)) break;
        ++digits;
        if (d->count == 0 && c == '0') { d->exp -= point; continue; }
        if (d->count == 0) d->first = text + at;
        if (d->count < 19) {
            d->w = 10*d->w + (uint64_t)(c - '0');
            ++d->count;
            d->exp -= point;
        } else {
            d->more |= c != '0';
            d->exp += !point;
        }
    }
    if (digits == 0) return 0;
    d->last = text + at;
    at += number_read_exponent(text, length, at, &exp);
    d->exp += exp;
    return at;
}

/* Whether text[0..length) starts with a lower-case word, in any case. */
static int number_word(const char *text, int length, const char *word)
{
    int i;

    for (i = 0; word[i]; ++i)
        if (i >= length || (text[i] != word[i] && text[i] != word[i] - 'a' + 'A')) return 0;
    return i;
}

/* The bits of the number at the start of a text, without the sign; returns the bytes read or 0. */
static int number_read(const char *text, int length, const number_format *f, int *minus, uint64_t *bits)
{
    const int sign = length > 0 && (text[0] == '+' || text[0] == '-');
    number_decimal d;
    int n;

    *minus = sign && text[0] == '-';
    text += sign;
    length -= sign;
    n = number_read_decimal(text, length, &d);
    if (n) { *bits = number_nearest(&d, f); return sign + n; }
    *bits = f->infinity;
    n = number_word(text, length, "infinity");
    if (!n) n = number_word(text, length, "inf");
    if (n) return sign + n;
    *bits = f->infinity | f->infinity >> 1;           /* a quiet NaN */
    n = number_word(text, length, "nan");
    return n ? sign + n : 0;
}

int slip_read_double(const char *text, int length, double *x)
{
    uint64_t bits;
    int minus;
    const int n = number_read(text, length, &number_double, &minus, &bits);

    if (n == 0) return 0;
    bits |= (uint64_t)minus << 63;
    memcpy(x, &bits, sizeof *x);
    return n;
}

#ifdef SLIP_REAL_FLOAT
int slip_read_real(const char *text, int length, slip_real *x)
{
    uint64_t bits;
    uint32_t bits32;
    int minus;
    const int n = number_read(text, length, &number_float, &minus, &bits);

    if (n == 0) return 0;
    bits32 = (uint32_t)bits | (uint32_t)minus << 31;
    memcpy(x, &bits32, sizeof *x);
    return n;
}
#else
int slip_read_real(const char *text, int length, slip_real *x) { return slip_read_double(text, length, x); }
#endif

int slip_read_int(const char *text, int length, int *x)
{
    const int sign = length > 0 && (text[0] == '+' || text[0] == '-'), minus = sign && text[0] == '-';
    const long long most = minus ? -(long long)INT_MIN : INT_MAX;
    long long value = 0;
    int at = sign;

    for (; at < length && slip_is_digit(text[at]); ++at)
        if (value <= most) value = 10*value + (text[at] - '0');
    if (at == sign) return 0;
    if (value > most) return -1;
    *x = (int)(minus ? -value : value);
    return at;
}

/* ---- printing --------------------------------------------------------------------------------- */

/* |x| = m 2^exp of a finite x; returns 0 for zero. */
static uint64_t number_take_apart(double x, int *exp)
{
    uint64_t bits;
    int field;

    memcpy(&bits, &x, sizeof bits);
    field = (int)(bits >> 52 & 0x7ff);
    bits &= (UINT64_C(1) << 52) - 1;
    *exp = -1074 + (field ? field - 1 : 0);
    return field ? bits | UINT64_C(1) << 52 : bits;
}

static int number_is_negative(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 63);
}

/* m 2^exp 10^k to the nearest integer, ties to even; m > 0 and the result below 2^62. */
static uint64_t number_scaled(uint64_t m, int exp, int k)
{
    const number_wide lower = number_mul(number_power(k), m, exp);
    const uint64_t below = number_round(lower, 0);
    number_big all;
    int sign;

    if (lower.err == 0 || number_round(number_upper(lower), 0) == below) return below;
    number_big_set(&all, m);
    sign = number_compare(&all, k, exp + k + 1, 2*below + 1);          /* 2 m 2^exp 10^k against 2 below + 1 */
    return sign > 0 || (sign == 0 && (below & 1)) ? below + 1 : below;
}

/* The first n significant digits of m 2^exp, rounded, as an integer; *ten is the first digit's power of 10. */
static uint64_t number_digits(uint64_t m, int exp, int n, int *ten)
{
    uint64_t w;

    *ten = number_log10_two(exp + 63 - number_leading_zeros(m));       /* right, or one too low */
    w = number_scaled(m, exp, n - 1 - *ten);
    if (w < number_ten(n)) return w;
    ++*ten;
    return number_scaled(m, exp, n - 1 - *ten);
}

/* Exactly n digits of w, zeros in front. */
static void number_put_digits(uint64_t w, int n, char *out)
{
    while (n > 0) {
        out[--n] = (char)('0' + w % 10);
        w /= 10;
    }
}

static int number_count_digits(uint64_t w)
{
    int n = 1;

    while (w >= 10) { w /= 10; ++n; }
    return n;
}

/* "e+05", "e-123" */
static int number_put_exponent(int ten, char *out)
{
    const int size = ten < 0 ? -ten : ten, n = size < 100 ? 2 : 3;

    out[0] = 'e';
    out[1] = ten < 0 ? '-' : '+';
    number_put_digits((uint64_t)size, n, out + 2);
    return n + 2;
}

/* Digits d[0..n), the first worth 10^ten, as "%.<precision>g" lays them out; returns the length. */
static int number_lay_out(const char *d, int n, int ten, int precision, char *out)
{
    int at = 0, i;

    if (ten < -4 || ten >= precision) {                                 /* d.ddde+dd */
        out[at++] = d[0];
        if (n > 1) out[at++] = '.';
        for (i = 1; i < n; ++i) out[at++] = d[i];
        return at + number_put_exponent(ten, out + at);
    }
    if (ten < 0) {                                                      /* 0.000ddd */
        out[at++] = '0';
        out[at++] = '.';
        for (i = -1; i > ten; --i) out[at++] = '0';
    }
    for (i = 0; i < n || i <= ten; ++i) {                               /* ddd.ddd or ddd000 */
        if (i > 0 && i == ten + 1) out[at++] = '.';
        out[at++] = (char)(i < n ? d[i] : '0');
    }
    return at;
}

/* Prints w, of n digits, the first worth 10^ten, in "%.<n>g" form. */
static int number_put(int minus, uint64_t w, int n, int ten, char *out)
{
    char d[20];
    int used = n, at = 0;

    number_put_digits(w, n, d);
    while (used > 1 && d[used - 1] == '0') --used;
    if (minus) out[at++] = '-';
    at += number_lay_out(d, used, ten, n, out + at);
    out[at] = '\0';
    return at;
}

/* Zero, infinities and NaN; 0 for any other x. */
static int number_put_special(double x, char *out)
{
    const char *text = x != x ? "nan" : x == 0 ? "0" : x - x != 0 ? "inf" : NULL;
    int at = 0;

    if (!text) return 0;
    if (x == x && number_is_negative(x)) out[at++] = '-';
    memcpy(out + at, text, strlen(text) + 1);
    return at + (int)strlen(text);
}

/* Prints with as few digits, from `few` to `many`, as give the bits back in a format. */
static int number_put_shortest(double x, int few, int many, uint64_t bits, const number_format *f, char *out)
{
    number_decimal d;
    uint64_t m;
    int exp, ten, n;

    m = number_take_apart(x, &exp);
    d.more = 0;
    d.first = d.last = NULL;
    for (n = few;; ++n) {
        d.w = number_digits(m, exp, n, &ten);
        d.count = n;
        d.exp = ten - n + 1;
        if (n == many || number_nearest(&d, f) == bits) return number_put(number_is_negative(x), d.w, n, ten, out);
    }
}

int slip_print_double(double x, int digits, char out[SLIP_NUMBER_SIZE])
{
    const int special = number_put_special(x, out);
    uint64_t m, w, bits;
    int exp, ten;

    if (special) return special;
    if (digits <= 0) {
        memcpy(&bits, &x, sizeof bits);
        return number_put_shortest(x, 15, 17, bits & ~(UINT64_C(1) << 63), &number_double, out);
    }
    if (digits > 17) digits = 17;
    m = number_take_apart(x, &exp);
    w = number_digits(m, exp, digits, &ten);
    return number_put(number_is_negative(x), w, digits, ten, out);
}

#ifdef SLIP_REAL_FLOAT
int slip_print_real(slip_real x, int digits, char out[SLIP_NUMBER_SIZE])
{
    uint32_t bits;

    if (digits > 0 || x == 0 || !slip_is_finite(x)) return slip_print_double((double)x, digits, out);
    memcpy(&bits, &x, sizeof bits);
    return number_put_shortest((double)x, 6, 9, bits & ~(UINT32_C(1) << 31), &number_float, out);
}
#else
int slip_print_real(slip_real x, int digits, char out[SLIP_NUMBER_SIZE]) { return slip_print_double(x, digits, out); }
#endif

int slip_print_int(long long x, char out[SLIP_NUMBER_SIZE])
{
    const uint64_t size = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
    const int n = number_count_digits(size), minus = x < 0;

    if (minus) out[0] = '-';
    number_put_digits(size, n, out + minus);
    out[minus + n] = '\0';
    return minus + n;
}

int slip_print_fixed(double x, int decimals, char out[SLIP_NUMBER_SIZE])
{
    const double size = number_is_negative(x) ? -x : x;
    uint64_t whole, part = 0, m;
    int at = 0, n, exp;

    if (!(size < 1e13)) return slip_print_double(x, 17, out);
    decimals = decimals < 0 ? 0 : decimals > 17 ? 17 : decimals;
    whole = decimals ? (uint64_t)size : 0;
    m = number_take_apart(size - (double)whole, &exp);                  /* the difference is exact */
    if (m) part = number_scaled(m, exp, decimals);
    if (decimals == 0 || part == number_ten(decimals)) {
        whole += decimals ? 1 : part;
        part = 0;
    }
    if (number_is_negative(x)) out[at++] = '-';
    n = number_count_digits(whole);
    number_put_digits(whole, n, out + at);
    at += n;
    if (decimals > 0) {
        out[at++] = '.';
        number_put_digits(part, decimals, out + at);
        at += decimals;
    }
    out[at] = '\0';
    return at;
}
