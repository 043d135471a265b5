/* Numbers as text, the same on every machine and in every locale.
 *
 * Reading is correctly rounded (nearest, ties to even) for any length of input; printing gives the
 * exact decimal rounding. Neither uses strtod, printf or any state. */
#ifndef SLIP_BASE_NUMBER_H
#define SLIP_BASE_NUMBER_H

#include "base/real.h"

/* Reads a number at the start of text[0..length): [+-] digits [. digits] [e [+-] digits], or one of
 * inf, infinity, nan (any case); digits may be missing on one side of the point. No leading blanks are
 * skipped and what follows is not looked at.
 * Returns the number of bytes read and stores *x; 0 when there is no number (x untouched).
 * Overflow gives an infinity, underflow a denormal or zero: the caller decides whether to refuse. */
int slip_read_double(const char *text, int length, double *x);
int slip_read_real(const char *text, int length, slip_real *x);

/* Reads [+-] digits as an int. Returns bytes read, 0 when there are no digits, -1 when out of range. */
int slip_read_int(const char *text, int length, int *x);

/* Longest output of the printing functions, with the terminator. */
#define SLIP_NUMBER_SIZE 40

/* Prints x like C's "%.<digits>g" (1 <= digits <= 17), or, for digits = 0, the shortest decimal that
 * reads back to the same value (15 to 17 digits tried; 6 to 9 for float). inf, -inf and nan as such.
 * Terminated; returns the length. */
int slip_print_double(double x, int digits, char out[SLIP_NUMBER_SIZE]);
int slip_print_real(slip_real x, int digits, char out[SLIP_NUMBER_SIZE]);
int slip_print_int(long long x, char out[SLIP_NUMBER_SIZE]);

/* Prints like C's "%.<decimals>f" (0 <= decimals <= 17) for |x| < 1e13, in "%.17g" form beyond. */
int slip_print_fixed(double x, int decimals, char out[SLIP_NUMBER_SIZE]);

#endif
