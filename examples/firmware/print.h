/* A few numbers as text, without printf. */
#ifndef PRINT_H
#define PRINT_H

#include <stdint.h>

void print_text(const char *text);
void print_int(const char *name, long x);            /* "name x\n"                                            */
void print_hex(const char *name, uint64_t x);        /* sixteen digits                                        */

#endif
