/* What the example asks of a board. */
#ifndef BOARD_H
#define BOARD_H

#include <stddef.h>
#include <stdint.h>

void     board_begin(void);
void     board_print(const char *text);
uint32_t board_ticks(void);              /* a clock that counts up ...                                        */
uint32_t board_instructions(uint32_t ticks);     /* ... as instructions; 0: not known                         */
size_t   board_stack(void);              /* the deepest stack since board_begin() [bytes]; 0: not known       */
void     board_exit(int code);

#endif
