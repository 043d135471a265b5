/* The example on the machine that builds it: nothing is counted. */
#include "board.h"

#include <stdio.h>
#include <stdlib.h>

void     board_begin(void) { }
void     board_print(const char *text) { fputs(text, stdout); }
uint32_t board_ticks(void) { return 0; }
uint32_t board_instructions(uint32_t ticks) { return ticks; }
size_t   board_stack(void) { return 0; }
void     board_exit(int code) { exit(code); }
