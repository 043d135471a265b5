/* See print.h. */
#include "print.h"

#include "board.h"

void print_text(const char *text) { board_print(text); }

static void print_digits(unsigned long x)
{
    char text[24];
    int i = 23;

    text[i] = '\0';
    do text[--i] = (char)('0' + x % 10);
    while ((x /= 10) > 0);
    board_print(text + i);
}

void print_int(const char *name, long x)
{
    board_print(name);
    board_print(x < 0 ? " -" : " ");
    print_digits(x < 0 ? 0ul - (unsigned long)x : (unsigned long)x);
    board_print("\n");
}

void print_hex(const char *name, uint64_t x)
{
    char text[18];
    int i;

    for (i = 0; i < 16; ++i) text[i] = "0123456789abcdef"[x >> (60 - 4*i) & 15];
    text[16] = '\n';
    text[17] = '\0';
    board_print(name);
    board_print(" ");
    board_print(text);
}
