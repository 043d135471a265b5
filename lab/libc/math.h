/* The part of <math.h> that the library uses: functions with one right answer, to the last bit. All others are the
 * library's own (base/trig.h, base/elementary.h). Some are instructions of WebAssembly; the rest is in libc.c. */
#ifndef LAB_MATH_H
#define LAB_MATH_H

typedef double double_t;
typedef float float_t;

#define INFINITY __builtin_inff()
#define NAN      __builtin_nanf("")
#define HUGE_VAL __builtin_inf()
#define isnan(x)    __builtin_isnan(x)
#define isinf(x)    __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x)  __builtin_signbit(x)

#define fabs(x)  __builtin_fabs(x)
#define sqrt(x)  __builtin_sqrt(x)
#define floor(x) __builtin_floor(x)
#define ceil(x)  __builtin_ceil(x)
#define rint(x)  __builtin_rint(x)
#define copysign(x, y) __builtin_copysign(x, y)
#define fabsf(x)  __builtin_fabsf(x)
#define sqrtf(x)  __builtin_sqrtf(x)
#define floorf(x) __builtin_floorf(x)
#define ceilf(x)  __builtin_ceilf(x)
#define copysignf(x, y) __builtin_copysignf(x, y)

double fmod(double x, double y);
double frexp(double x, int *e);
double ldexp(double x, int e);
double fmax(double x, double y);
double fmin(double x, double y);
double nextafter(double x, double y);
float nextafterf(float x, float y);
float frexpf(float x, int *e);

#endif
