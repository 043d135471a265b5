/* See arena.h. */
#include "base/arena.h"

#include <string.h>

/* A counting arena has no memory: its low end starts at an aligned, non-zero offset, and its pieces are offsets cast to
 * pointers, which are not NULL and must not be dereferenced. */

slip_arena slip_arena_over(void *block, size_t size)
{
    slip_arena a;
    const size_t off = (size_t)(-(uintptr_t)block & (SLIP_ALIGN - 1));
    const int usable = block != NULL && off <= size;

    a.base = usable ? (unsigned char *)block + off : (unsigned char *)(uintptr_t)SLIP_ALIGN;
    a.size = usable ? (size - off) & ~(size_t)(SLIP_ALIGN - 1) : 0;
    a.low = 0;
    a.high = a.size;
    a.peak = 0;
    a.failed = 0;
    return a;
}

slip_arena slip_arena_counting(void)
{
    slip_arena a;

    a.base = NULL;
    a.size = (SIZE_MAX/4) & ~(size_t)(SLIP_ALIGN - 1);
    a.low = 0;
    a.high = a.size;
    a.peak = 0;
    a.failed = 0;
    return a;
}

size_t slip_arena_needed(const slip_arena *arena)
{
    return arena->peak + SLIP_ALIGN - 1;
}

/* Rounded size of a request, or SIZE_MAX when it overflows; two numbers of half the bits do not, without a division. */
static size_t arena_rounded(size_t count, size_t item)
{
    const int small = (count | item) >> 4*sizeof(size_t) == 0;

    if (!small && item != 0 && count > (SIZE_MAX - SLIP_ALIGN)/item) return SIZE_MAX;
    return (count*item + SLIP_ALIGN - 1) & ~(size_t)(SLIP_ALIGN - 1);
}

static void arena_note_peak(slip_arena *arena)
{
    const size_t used = arena->low + (arena->size - arena->high);

    if (used > arena->peak) arena->peak = used;
}

/* The piece at an offset; for a counting arena a non-NULL placeholder. */
static void *arena_piece(const slip_arena *arena, size_t offset)
{
    return arena->base ? (void *)(arena->base + offset) : (void *)(uintptr_t)SLIP_ALIGN;
}

void *slip_arena_take(slip_arena *arena, size_t count, size_t item)
{
    const size_t bytes = arena_rounded(count, item), at = arena->low;

    if (bytes > slip_arena_left(arena)) { arena->failed = 1; return NULL; }
    arena->low += bytes;
    arena_note_peak(arena);
    return arena_piece(arena, at);
}

void *slip_arena_take_zero(slip_arena *arena, size_t count, size_t item)
{
    void *p = slip_arena_take(arena, count, item);

    if (p && !slip_arena_is_counting(arena)) memset(p, 0, count*item);
    return p;
}

void *slip_arena_scratch(slip_arena *arena, size_t count, size_t item)
{
    const size_t bytes = arena_rounded(count, item);

    if (bytes > slip_arena_left(arena)) { arena->failed = 1; return NULL; }
    arena->high -= bytes;
    arena_note_peak(arena);
    return arena_piece(arena, arena->high);
}

char *slip_arena_text(slip_arena *arena, const char *text, size_t length)
{
    char *copy = (char *)slip_arena_take(arena, length < SIZE_MAX ? length + 1 : SIZE_MAX, 1);

    if (copy && !slip_arena_is_counting(arena)) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}
