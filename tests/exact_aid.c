/* See exact_aid.h. Everything by its series. */
#include "exact_aid.h"

#include <math.h>
#include <string.h>

static int negative(exact a) { return (a.w[EXACT_WORDS - 1] >> 31) != 0; }

exact exact_add(exact a, exact b)
{
    uint64_t carry = 0;

    for (int i = 0; i < EXACT_WORDS; ++i) {
        carry += (uint64_t)a.w[i] + b.w[i];
        a.w[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return a;
}

static exact minus(exact a)
{
    exact one;

    memset(&one, 0, sizeof one);
    one.w[0] = 1;
    for (int i = 0; i < EXACT_WORDS; ++i) a.w[i] = ~a.w[i];
    return exact_add(a, one);
}

exact exact_sub(exact a, exact b) { return exact_add(a, minus(b)); }

exact exact_mul(exact a, exact b)
{
    const int minus_sign = negative(a) != negative(b), skip = EXACT_PLACES/32;
    uint32_t product[2*EXACT_WORDS] = { 0 };
    exact r;

    if (negative(a)) a = minus(a);
    if (negative(b)) b = minus(b);
    for (int i = 0; i < EXACT_WORDS; ++i) {
        uint64_t carry = 0;

        for (int j = 0; j < EXACT_WORDS; ++j) {
            carry += (uint64_t)a.w[i]*b.w[j] + product[i + j];
            product[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        product[i + EXACT_WORDS] = (uint32_t)carry;
    }
    memcpy(r.w, product + skip, sizeof r.w);
    return minus_sign ? minus(r) : r;
}

exact exact_over(exact a, uint32_t n)
{
    const int minus_sign = negative(a);
    uint64_t rest = 0;

    if (minus_sign) a = minus(a);
    for (int i = EXACT_WORDS - 1; i >= 0; --i) {
        rest = rest << 32 | a.w[i];
        a.w[i] = (uint32_t)(rest/n);
        rest %= n;
    }
    return minus_sign ? minus(a) : a;
}

exact exact_scale(exact a, int k)
{
    for (; k > 0; --k) a = exact_add(a, a);
    for (; k < 0; ++k) a = exact_over(a, 2);
    return a;
}

exact exact_from(double x)
{
    exact r;
    double left = fabs(x);

    memset(&r, 0, sizeof r);
    for (int i = EXACT_WORDS - 1; i >= 0; --i) {
        const double unit = ldexp(1, 32*i - EXACT_PLACES), digit = floor(left/unit);

        r.w[i] = (uint32_t)digit;
        left -= digit*unit;
    }
    return x < 0 ? minus(r) : r;
}

double exact_to(exact a)
{
    const int minus_sign = negative(a);
    double x = 0;

    if (minus_sign) a = minus(a);
    for (int i = 0; i < EXACT_WORDS; ++i) x += ldexp((double)a.w[i], 32*i - EXACT_PLACES);
    return minus_sign ? -x : x;
}

/* 1 + a + a^2/2! + ..., by squaring the exponential of a/256 */
exact exact_exp(exact a)
{
    exact sum = exact_from(1), term = sum;

    a = exact_over(a, 256);
    for (uint32_t k = 1; k < 60; ++k) {
        term = exact_over(exact_mul(term, a), k);
        sum = exact_add(sum, term);
    }
    for (int i = 0; i < 8; ++i) sum = exact_mul(sum, sum);
    return sum;
}

/* atan(1/n), or atanh(1/n) with sign 1 */
static exact atan_of_inverse(uint32_t n, int sign)
{
    exact power = exact_over(exact_from(1), n), sum = power;

    for (uint32_t k = 3; k < 400; k += 2) {
        power = exact_over(exact_over(power, n), n);
        if (sign < 0) power = minus(power);
        sum = exact_add(sum, exact_over(power, k));
    }
    return sum;
}

exact exact_ln2(void) { return exact_scale(atan_of_inverse(3, 1), 1); }

exact exact_pi(void)                                 /* Machin */
{
    return exact_sub(exact_scale(atan_of_inverse(5, -1), 4), exact_scale(atan_of_inverse(239, -1), 2));
}

void exact_sincos(exact a, exact *s, exact *c)
{
    static exact turn;
    exact term;

    if (turn.w[EXACT_PLACES/32] == 0) turn = exact_scale(exact_pi(), 1);

    for (int k = 110; k >= 0; --k) {                 /* to within a turn; the angle's sign stays            */
        const exact turns = exact_scale(turn, k);

        if (negative(a) ? !negative(exact_sub(minus(a), turns)) : !negative(exact_sub(a, turns)))
            a = negative(a) ? exact_add(a, turns) : exact_sub(a, turns);
    }
    *s = exact_from(0);
    *c = term = exact_from(1);
    for (uint32_t k = 1; k < 120; ++k) {             /* 1 + a + a^2/2! + ...: cos + sin, with their signs   */
        exact *sum = k%2 ? s : c;

        term = exact_over(exact_mul(term, a), k);
        *sum = k%4 == 1 || k%4 == 0 ? exact_add(*sum, term) : exact_sub(*sum, term);
    }
}
