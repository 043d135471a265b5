/* Pieces of an arena beyond arena.h: zeroed ones, text, and those of the scratch end. */
#ifndef SLIP_BASE_ARENA_OPS_H
#define SLIP_BASE_ARENA_OPS_H

#include "base/arena.h"

/* Whether the arena only counts what is asked of it. */
static inline int slip_arena_is_counting(const slip_arena *arena) { return arena->base == NULL; }

/* slip_arena_take(), with all bytes 0. */
void *slip_arena_take_zero(slip_arena *arena, size_t count, size_t item);
void *slip_arena_scratch(slip_arena *arena, size_t count, size_t item);     /* slip_arena_take() from the high end */
static inline int *slip_arena_ints(slip_arena *arena, size_t count)
{
    return (int *)slip_arena_take(arena, count, sizeof(int));
}

/* A copy of the string's first `length` bytes with a terminator, low end; NULL when full. */
char *slip_arena_text(slip_arena *arena, const char *text, size_t length);

/* Where the low end is, and going back to there: pieces taken since are given up. */
static inline size_t slip_arena_mark(const slip_arena *arena) { return arena->low; }
static inline void   slip_arena_release(slip_arena *arena, size_t mark) { arena->low = mark; }

/* The same of the scratch end. */
static inline size_t slip_arena_mark_scratch(const slip_arena *arena) { return arena->high; }
static inline void   slip_arena_release_scratch(slip_arena *arena, size_t mark) { arena->high = mark; }

/* Bytes that are left between both ends. */
static inline size_t slip_arena_left(const slip_arena *arena) { return arena->high - arena->low; }

#endif
