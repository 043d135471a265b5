/* Dynamics alone: inverse dynamics of a seven-axis arm, counted in instructions. */
#include "arm7.h"
#include "board.h"
#include "print.h"

static unsigned char memory[ARM7_DATA_BYTES];

int main(void)
{
    slip_arena mem = slip_arena_over(memory, sizeof memory);
    slip_real q[ARM7_NV], v[ARM7_NV], a[ARM7_NV], tau[ARM7_NV];
    uint32_t idle, ticks;
    slip_data *data;
    int i;

    board_begin();
    if (slip_data_create(&arm7_model, &mem, &data) < 0) return 2;
    for (i = 0; i < ARM7_NV; ++i) {
        q[i] = SLIP_R(0.3)*(slip_real)(i + 1);
        v[i] = SLIP_R(0.5) - SLIP_R(0.1)*(slip_real)i;
        a[i] = SLIP_R(1) - SLIP_R(0.2)*(slip_real)i;
    }
    idle = board_ticks();
    idle = board_ticks() - idle;
    ticks = board_ticks();
    if (slip_rnea(&arm7_model, data, q, v, a, NULL, tau) < 0) return 2;
    ticks = board_ticks() - ticks - idle;
    for (i = 0; i < ARM7_NV; ++i) print_int("tau [1e-6]", (long)(tau[i]*1000000));
    print_int("instructions of rnea", (long)board_instructions(ticks));
#ifdef WITH_ABA
    idle = board_ticks();
    idle = board_ticks() - idle;
    ticks = board_ticks();
    if (slip_aba(&arm7_model, data, q, v, tau, NULL, a) < 0) return 2;
    ticks = board_ticks() - ticks - idle;
    print_int("instructions of aba", (long)board_instructions(ticks));
    ticks = board_ticks();
    if (slip_crba(&arm7_model, data, q) < 0) return 2;
    ticks = board_ticks() - ticks - idle;
    print_int("instructions of crba", (long)board_instructions(ticks));
#endif
    print_int("arena", (long)mem.peak);
    print_int("stack", (long)board_stack());
    return 0;
}
