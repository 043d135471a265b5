/* The real type, its literals, what it needs of libm, and the tolerances that scale with it. Functions of libm that are
 * not exact are ours: trig.h, elementary.h.
 * double unless SLIP_REAL_FLOAT is defined; every other file is written once for both. */
#ifndef SLIP_BASE_REAL_H
#define SLIP_BASE_REAL_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifdef SLIP_REAL_FLOAT
typedef float slip_real;
#define SLIP_REAL_NAME    "float"
#define SLIP_REAL_EPS     FLT_EPSILON
#define SLIP_REAL_MAX     FLT_MAX
#define SLIP_REAL_MIN     FLT_MIN
#define SLIP_REAL_DIGITS  9          /* decimal digits that identify a value */
#define slip_sqrt   sqrtf
#define slip_abs    fabsf
#define slip_floor  floorf
#define slip_ceil   ceilf
#define slip_fmod   fmodf
#define slip_copysign copysignf
#define slip_frexp  frexpf
#define slip_ldexp  ldexpf
#else
typedef double slip_real;
#define SLIP_REAL_NAME    "double"
#define SLIP_REAL_EPS     DBL_EPSILON
#define SLIP_REAL_MAX     DBL_MAX
#define SLIP_REAL_MIN     DBL_MIN
#define SLIP_REAL_DIGITS  17
#define slip_sqrt   sqrt
#define slip_abs    fabs
#define slip_floor  floor
#define slip_ceil   ceil
#define slip_fmod   fmod
#define slip_copysign copysign
#define slip_frexp  frexp
#define slip_ldexp  ldexp
#endif

/* Entry points that almost every program calls have the precision in the name of their symbol: a program compiled for
 * the other precision than the library does not link, instead of passing floats for doubles. */
#ifdef SLIP_REAL_FLOAT
#define SLIP_TAGGED(name) name##_float
#else
#define SLIP_TAGGED(name) name##_double
#endif
#define slip_arena_over       SLIP_TAGGED(slip_arena_over)
#define slip_arena_counting   SLIP_TAGGED(slip_arena_counting)
#define slip_data_create      SLIP_TAGGED(slip_data_create)
#define slip_distance         SLIP_TAGGED(slip_distance)
#define slip_distance_within  SLIP_TAGGED(slip_distance_within)
#define slip_integrate        SLIP_TAGGED(slip_integrate)
#define slip_model_build      SLIP_TAGGED(slip_model_build)
#define slip_patch_find       SLIP_TAGGED(slip_patch_find)
#define slip_residual_of      SLIP_TAGGED(slip_residual_of)
#define slip_solve            SLIP_TAGGED(slip_solve)
#define slip_solver_defaults  SLIP_TAGGED(slip_solver_defaults)
#define slip_world_create     SLIP_TAGGED(slip_world_create)
#define slip_world_defaults   SLIP_TAGGED(slip_world_defaults)

/* A literal in the working precision: SLIP_R(0.5) is 0.5 or 0.5f. */
#define SLIP_R(x) ((slip_real)(x))

/* A tolerance: `d` in double, `f` in float. The one place where code may tell them apart. */
#ifdef SLIP_REAL_FLOAT
#define SLIP_TOL(d, f) ((slip_real)(f))
#else
#define SLIP_TOL(d, f) ((slip_real)(d))
#endif

/* Packed rows are padded to multiples of this, so that their loops have no remainder: a compiler turns
 * each group into one vector operation. 1 saves memory where there are no vector registers. */
#ifndef SLIP_LANES
#define SLIP_LANES 4
#endif
#define SLIP_PADDED(n) (((n) + SLIP_LANES - 1)/SLIP_LANES*SLIP_LANES)

#define SLIP_PI SLIP_R(3.14159265358979323846)

/* Pointers that do not alias; C99's keyword, spelled so that a C++ compiler can read the header. */
#ifdef __cplusplus
#define SLIP_RESTRICT
#else
#define SLIP_RESTRICT restrict
#endif

/* Before a loop whose iterations are independent: none reads what another one writes, so they may be vectorised. gcc
 * needs this where a loop writes several arrays (it ignores `restrict` then); clang checks at run time. */
#if defined(__GNUC__) && !defined(__clang__)
#define SLIP_APART _Pragma("GCC ivdep")
#else
#define SLIP_APART
#endif

#endif
