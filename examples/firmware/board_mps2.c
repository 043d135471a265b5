/* ARM's MPS2 boards as QEMU emulates them, mps2-an386 (Cortex-M4F) and mps2-an500 (Cortex-M7): start-up, text and exit
 * by semihosting, and a clock that counts instructions.
 *
 * QEMU's -icount shift=6 lets virtual time pass by 2^6 ns an instruction. Timer 0 of the board counts down at 25 MHz of
 * that time, a tick of 40 ns, so that an instruction is 64/40 = 8/5 of a tick. */
#include "board.h"

#include <string.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

enum { TIMER0 = 0x40000000, TIMER_CTRL = 0, TIMER_VALUE = 4, TIMER_RELOAD = 8 };
enum { SEMIHOST_WRITE0 = 0x04, SEMIHOST_EXIT = 0x18, SEMIHOST_EXIT_EXTENDED = 0x20, EXIT_BY_PROGRAM = 0x20026 };
#define STACK_COLOUR 0xA5A5A5A5u

extern uint32_t link_data_from[], link_data[], link_data_end[], link_bss[], link_bss_end[], link_stack[], link_stack_top[];

int  main(void);
void board_reset(void);

static int semihost(int operation, const void *argument)
{
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;

    __asm__ volatile ("bkpt 0xAB" : "+r" (r0) : "r" (r1) : "memory");
    return r0;
}

static void board_fault(void)
{
    board_print("fault\n");
    board_exit(3);
}

/* Stack, reset, and faults; the example uses no interrupts. */
__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    void (*handler[15])(void);
} board_vectors = { link_stack_top, { board_reset, board_fault, board_fault, board_fault, board_fault, board_fault } };

void board_reset(void)
{
    REGISTER(0xE000ED88u) |= 0xFu << 20;                 /* CPACR: the floating-point unit */
    __asm__ volatile ("dsb\n\tisb");
    memcpy(link_data, link_data_from, (size_t)((char *)link_data_end - (char *)link_data));
    memset(link_bss, 0, (size_t)((char *)link_bss_end - (char *)link_bss));
    board_exit(main());
}

void board_begin(void)
{
    uint32_t *at = link_stack, *here = (uint32_t *)__builtin_frame_address(0) - 16;

    while (at < here) *at++ = STACK_COLOUR;
    REGISTER(TIMER0 + TIMER_RELOAD) = 0xFFFFFFFFu;
    REGISTER(TIMER0 + TIMER_VALUE) = 0xFFFFFFFFu;
    REGISTER(TIMER0 + TIMER_CTRL) = 1;
}

uint32_t board_ticks(void) { return 0u - REGISTER(TIMER0 + TIMER_VALUE); }

uint32_t board_instructions(uint32_t ticks) { return ticks/8*5 + ticks%8*5/8; }

size_t board_stack(void)
{
    const uint32_t *at = link_stack;

    while (at < link_stack_top && *at == STACK_COLOUR) ++at;
    return (size_t)((const char *)link_stack_top - (const char *)at);
}

void board_print(const char *text) { semihost(SEMIHOST_WRITE0, text); }

void board_exit(int code)
{
    const uint32_t block[2] = { EXIT_BY_PROGRAM, (uint32_t)code };

    semihost(SEMIHOST_EXIT_EXTENDED, block);
    for (;;) { }
}
