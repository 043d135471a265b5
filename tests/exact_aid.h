/* Slow numbers with 256 binary places, to judge elementary functions by; they share no code with what they judge. */
#ifndef EXACT_AID_H
#define EXACT_AID_H

#include <stdint.h>

enum { EXACT_WORDS = 12, EXACT_PLACES = 256 };

typedef struct { uint32_t w[EXACT_WORDS]; } exact;   /* two's complement, lowest word first, 256 bits behind the point */

exact exact_from(double x);                          /* |x| < 2^120; bits below 2^-256 are cut off          */
double exact_to(exact a);                            /* to a double's rounding or two                       */
exact exact_add(exact a, exact b);
exact exact_sub(exact a, exact b);
exact exact_mul(exact a, exact b);
exact exact_over(exact a, uint32_t n);               /* a/n                                                 */
exact exact_scale(exact a, int k);                   /* a 2^k                                               */
exact exact_exp(exact a);                            /* |a| < 80                                            */
exact exact_ln2(void);
exact exact_pi(void);
void exact_sincos(exact a, exact *s, exact *c);      /* |a| < 2^110                                         */

#endif
