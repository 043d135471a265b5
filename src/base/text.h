/* Short texts without printf: error messages and other output. */
#ifndef SLIP_BASE_TEXT_H
#define SLIP_BASE_TEXT_H

#include <stdarg.h>
#include "base/real.h"

/* Formats into out[0..size), always terminated (size >= 1); returns the full length without the
 * terminator, which exceeds size - 1 when the text was cut. A cut never splits a UTF-8 character.
 *   %s  const char * (NULL prints "(null)")     %.*s  int, const char *: at most so many bytes
 *   %d  int      %c  int, one byte      %%  a percent sign
 *   %z  size_t
 *   %g  double, shortest form that reads back   %.Ng  double, N significant digits (one digit N, or two)
 *   %.Nf double with N decimals
 * Field widths are not supported; an unknown conversion is printed as it stands and consumes nothing. */
int slip_format(char *out, int size, const char *format, ...);
int slip_format_list(char *out, int size, const char *format, va_list args);

/* Text comparison and classes, independent of the locale. */
int slip_text_equal(const char *a, const char *b);              /* 1 when the same; NULL equals only NULL */
int slip_text_equal_n(const char *a, int length, const char *b); /* a[0..length) against terminated b     */
int slip_text_matches(const char *pattern, const char *text);   /* pattern with * (any bytes) and ? (one) */
static inline int slip_is_blank(int c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static inline int slip_is_digit(int c) { return c >= '0' && c <= '9'; }

/* The place, from 0, of text[0..length) in a list of words separated by single blanks; -1 when it is not there. */
int slip_text_word(const char *words, const char *text, int length);

/* Reads blank-separated reals from text[0..length) into x[0..most). Returns how many there are, which
 * may exceed most (the rest is only counted), or -1 - i when word i is not a finite number; *at (may be
 * NULL) is then the byte offset of that word. */
int slip_read_reals(const char *text, int length, slip_real *x, int most, int *at);

#endif
