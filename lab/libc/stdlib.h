/* What the trot of tools/ asks for. Memory is given back with the whole instance. */
#ifndef LAB_STDLIB_H
#define LAB_STDLIB_H

#include <stddef.h>

static inline void free(void *p) { (void)p; }

#endif
