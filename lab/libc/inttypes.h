#ifndef LAB_INTTYPES_H
#define LAB_INTTYPES_H

#include <stdint.h>
#define PRIx64 "llx"
#define PRIu64 "llu"
#define PRIx32 "x"

#endif
