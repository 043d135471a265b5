/* What the library asks of a C library, for WebAssembly: strings, memory, and the functions of libm that have one right
 * answer. Written for clang --target=wasm32; the bits are those of any other machine (tests/test_lab_libc.c runs these
 * functions beside the C library of this one). */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#ifndef LAB_UNDER_TEST
int errno;
#endif

/* ---- memory and strings --------------------------------------------------------------------------- */

/* A copy of bytes would be compiled into a call of memcpy, that is of itself: -fno-builtin prevents it. */
void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    unsigned char *t = (unsigned char *)to;
    const unsigned char *f = (const unsigned char *)from;

    while (n-- > 0) *t++ = *f++;
    return to;
}

void *memmove(void *to, const void *from, size_t n)
{
    unsigned char *t = (unsigned char *)to;
    const unsigned char *f = (const unsigned char *)from;

    if (t < f) while (n-- > 0) *t++ = *f++;
    else while (n-- > 0) t[n] = f[n];
    return to;
}

void *memset(void *to, int c, size_t n)
{
    unsigned char *t = (unsigned char *)to;

    while (n-- > 0) *t++ = (unsigned char)c;
    return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;

    for (; n > 0; --n, ++x, ++y)
        if (*x != *y) return *x < *y ? -1 : 1;
    return 0;
}

void *memchr(const void *s, int c, size_t n)
{
    const unsigned char *at = (const unsigned char *)s;

    for (; n > 0; --n, ++at)
        if (*at == (unsigned char)c) return (void *)(uintptr_t)at;
    return NULL;
}

size_t strlen(const char *s)
{
    size_t n = 0;

    while (s[n]) ++n;
    return n;
}

int strcmp(const char *a, const char *b)
{
    for (; *a && *a == *b; ++a, ++b) { }
    return (int)(unsigned char)*a - (int)(unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t n)
{
    for (; n > 0 && *a && *a == *b; ++a, ++b) --n;
    return n > 0 ? (int)(unsigned char)*a - (int)(unsigned char)*b : 0;
}

size_t strcspn(const char *s, const char *ends)
{
    size_t n = 0;

    while (s[n] && !strchr(ends, s[n])) ++n;
    return n;
}

char *strchr(const char *s, int c)
{
    for (;; ++s) {
        if (*s == (char)c) return (char *)(uintptr_t)s;
        if (!*s) return NULL;
    }
}

char *strrchr(const char *s, int c)
{
    const char *found = NULL;

    for (;; ++s) {
        if (*s == (char)c) found = s;
        if (!*s) return (char *)(uintptr_t)found;
    }
}

char *strstr(const char *s, const char *part)
{
    const size_t n = strlen(part);

    for (;; ++s) {
        if (strncmp(s, part, n) == 0) return (char *)(uintptr_t)s;
        if (!*s) return NULL;
    }
}

char *strcpy(char *restrict to, const char *restrict from) { return (char *)memcpy(to, from, strlen(from) + 1); }

char *strncpy(char *restrict to, const char *restrict from, size_t n)
{
    size_t i = 0;

    for (; i < n && from[i]; ++i) to[i] = from[i];
    for (; i < n; ++i) to[i] = '\0';
    return to;
}

char *strcat(char *restrict to, const char *restrict from)
{
    strcpy(to + strlen(to), from);
    return to;
}

char *strerror(int code)
{
    static char none[] = "there is no such file among those given to the page", other[] = "cannot be read";

    return code == ENOENT ? none : other;
}

/* ---- libm: exact functions of doubles --------------------------------------------------------------- */

enum { EXPONENT_BIAS = 1023, EXPONENT_MOST = 2047, FRACTION_BITS = 52 };

static uint64_t bits_of(double x)
{
    union { double x; uint64_t bits; } u;

    u.x = x;
    return u.bits;
}

static double double_of(uint64_t bits)
{
    union { double x; uint64_t bits; } u;

    u.bits = bits;
    return u.x;
}

static int exponent_of(uint64_t bits) { return (int)(bits >> FRACTION_BITS & EXPONENT_MOST); }

double fmax(double x, double y) { return x != x ? y : y != y ? x : x == y ? (signbit(x) ? y : x) : x > y ? x : y; }
double fmin(double x, double y) { return x != x ? y : y != y ? x : x == y ? (signbit(x) ? x : y) : x < y ? x : y; }

/* x = m 2^e with 0.5 <= |m| < 1. */
double frexp(double x, int *e)
{
    uint64_t bits = bits_of(x);

    *e = 0;
    if (x == 0 || exponent_of(bits) == EXPONENT_MOST) return x;
    if (exponent_of(bits) == 0) {                            /* subnormal: 64 binary places up, exactly */
        bits = bits_of(x*0x1p64);
        *e = -64;
    }
    *e += exponent_of(bits) - (EXPONENT_BIAS - 1);
    return double_of((bits & ~((uint64_t)EXPONENT_MOST << FRACTION_BITS))
                     | (uint64_t)(EXPONENT_BIAS - 1) << FRACTION_BITS);
}

/* x 2^e, rounded once: far down, all steps but the last one are exact, because they leave a normal number. */
double ldexp(double x, int e)
{
    if (e > 0) {
        for (; e > 1023; e -= 1023) {
            x *= 0x1p1023;
            if (!isfinite(x)) return x;
        }
        return x*double_of((uint64_t)(EXPONENT_BIAS + e) << FRACTION_BITS);
    }
    if (e >= -1022) return x*double_of((uint64_t)(EXPONENT_BIAS + e) << FRACTION_BITS);
    {
        int own;
        const double m = frexp(x, &own);                     /* x 2^e = m 2^(own + e) */

        if (x == 0 || !isfinite(x)) return x;
        if (e < -4000) return copysign(0, x);
        e += own;
        if (e >= -1021) return m*double_of((uint64_t)(EXPONENT_BIAS + e) << FRACTION_BITS);
        if (e < -1080) return copysign(0, x);
        return m*0x1p-1021*double_of((uint64_t)(EXPONENT_BIAS + e + 1021) << FRACTION_BITS);
    }
}

/* |x| - n |y| with the sign of x, exactly: a long division by subtraction, bit by bit. */
double fmod(double x, double y)
{
    uint64_t a = bits_of(x) & INT64_MAX, b = bits_of(y) & INT64_MAX;
    const uint64_t inf = (uint64_t)EXPONENT_MOST << FRACTION_BITS, hidden = (uint64_t)1 << FRACTION_BITS;
    int ea, eb;

    if (b == 0 || a >= inf || b > inf) return (double)NAN;
    if (a < b) return x;
    ea = exponent_of(a);
    eb = exponent_of(b);
    a &= hidden - 1;
    b &= hidden - 1;
    if (ea > 0) a |= hidden; else for (ea = 1; a < hidden; --ea) a <<= 1;
    if (eb > 0) b |= hidden; else for (eb = 1; b < hidden; --eb) b <<= 1;
    for (; ea > eb; --ea) {
        if (a >= b) a -= b;
        a <<= 1;
    }
    if (a >= b) a -= b;
    if (a == 0) return copysign(0, x);
    for (; a < hidden; --ea) a <<= 1;
    if (ea > 0) a = (a & (hidden - 1)) | (uint64_t)ea << FRACTION_BITS;
    else a >>= 1 - ea;                                       /* exactly: it is a multiple of the least number */
    return copysign(double_of(a), x);
}

float frexpf(float x, int *e) { return (float)frexp((double)x, e); }

float nextafterf(float x, float y)
{
    union { float x; uint32_t bits; } u;

    if (x != x || y != y) return x + y;
    if (x == y) return y;
    u.x = x;
    if (x == 0) {
        u.bits = 1;
        return copysignf(u.x, y);
    }
    u.bits = (x < y) == (x > 0) ? u.bits + 1 : u.bits - 1;
    return u.x;
}

double nextafter(double x, double y)
{
    uint64_t bits = bits_of(x);

    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0) return copysign(double_of(1), y);
    bits = (x < y) == (x > 0) ? bits + 1 : bits - 1;
    return double_of(bits);
}
