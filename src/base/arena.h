/* The caller's one block of memory, handed out in pieces.
 *
 * Lasting pieces grow from the low end, scratch pieces from the high end, so a loader can keep
 * temporary text above the model it builds. Nothing is freed singly: take a mark, release to it. */
#ifndef SLIP_BASE_ARENA_H
#define SLIP_BASE_ARENA_H

#include <stddef.h>
#include "base/real.h"

#define SLIP_ALIGN 16   /* of every piece [bytes] */

typedef struct {
    unsigned char *base;   /* NULL for a counting arena                               */
    size_t size;           /* bytes in the block                                      */
    size_t low, high;      /* used bytes: [0, low) lasting, [high, size) scratch      */
    size_t peak;           /* largest low + (size - high) ever asked for and granted  */
    int    failed;         /* set once a request did not fit                          */
} slip_arena;

/* An arena over the caller's block. The block need not be aligned; the first piece will be. */
slip_arena slip_arena_over(void *block, size_t size);

/* An arena that only counts: pieces are granted without memory behind them and must not be touched.
 * `peak` is then what a real block needs; slip_arena_needed() adds the room for alignment. */
slip_arena slip_arena_counting(void);
size_t     slip_arena_needed(const slip_arena *arena);

/* `count` items of `item` bytes, aligned to SLIP_ALIGN, contents undefined; NULL when they do not
 * fit (also on overflow of count*item), with the arena otherwise unchanged. A zero count gives a
 * valid pointer to nothing. In a counting arena the result is non-NULL and must not be touched. */
void *slip_arena_take(slip_arena *arena, size_t count, size_t item);

/* The same for numbers. */
static inline slip_real *slip_arena_reals(slip_arena *arena, size_t count)
{
    return (slip_real *)slip_arena_take(arena, count, sizeof(slip_real));
}

#include "base/arena_ops.h"    /* for the sources of this library: not part of slipstick.h */

#endif
