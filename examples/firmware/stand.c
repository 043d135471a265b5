/* Solo-12 balances for a second: 1000 steps of its own simulation on the board, pushed sideways on the way. Prints a
 * hash of all states, the worst residual of its contact problems, and instructions, memory and stack. */
#include "balance.h"
#include "board.h"
#include "print.h"
#include "solo.h"

static unsigned char memory[SOLO_ARENA_BYTES];
static balance controller;
static uint32_t control_ticks, control_worst;

static void timed_control(void *context, slip_world *world)
{
    const uint32_t from = board_ticks();

    balance_control(context, world);
    control_ticks = board_ticks() - from;
    if (control_ticks > control_worst) control_worst = control_ticks;
}

/* FNV-1a over the bytes of an array. */
static uint64_t hash_more(uint64_t hash, const void *data, size_t n)
{
    const unsigned char *at = (const unsigned char *)data;

    while (n-- > 0) hash = (hash ^ *at++)*0x100000001b3ull;
    return hash;
}

int main(void)
{
    enum { STEPS = 1000, PUSH_FROM = 200, PUSH_TO = 300 };
    static const int feet[BALANCE_FEET] = { SOLO_LINK_LF_FOOT, SOLO_LINK_RF_FOOT, SOLO_LINK_LH_FOOT, SOLO_LINK_RH_FOOT };
    slip_arena mem = slip_arena_over(memory, sizeof memory);
    uint64_t hash = 0xcbf29ce484222325ull;
    uint32_t worst = 0, sum = 0, made;
    slip_real residual = 0;
    slip_world *world;
    int k, missed = 0, iterations = 0;

    board_begin();
    made = board_ticks();
    if (solo_start(&mem, &world, NULL) < 0) return 2;
    made = board_ticks() - made;
    if (balance_begin(&controller, world, feet, SLIP_R(0.016)) < 0) return 2;
    slip_world_set_control(world, timed_control, &controller);
    for (k = 0; k < STEPS; ++k) {
        uint32_t ticks = board_ticks();
        slip_status s;

        slip_world_wrench(world)[6 + 1] = k >= PUSH_FROM && k < PUSH_TO ? 5 : 0;         /* [N] on the base, along y */
        s = slip_step(world);
        ticks = board_ticks() - ticks - control_ticks;
        if (s < 0) return 2;
        missed += s != SLIP_OK;
        sum += board_instructions(ticks);
        if (ticks > worst) worst = ticks;
        if (slip_world_stats(world)->residual.eps_abs > residual) residual = slip_world_stats(world)->residual.eps_abs;
        if (slip_world_stats(world)->iterations > iterations) iterations = slip_world_stats(world)->iterations;
        hash = hash_more(hash, slip_world_q(world), SOLO_NQ*sizeof(slip_real));
        hash = hash_more(hash, slip_world_v(world), SOLO_NV*sizeof(slip_real));
    }
    print_int("steps", STEPS);
    print_hex("hash", hash);
    for (k = 0; k < SOLO_NQ; ++k) print_int("q [1e-6]", (long)(slip_world_q(world)[k]*1000000));
    print_int("contacts", slip_contact_count(world));
    print_int("steps that missed the tolerance", missed);
    print_int("worst residual [1e-9]", (long)(residual*1000000000));
    print_int("worst iterations", iterations);
    print_int("instructions of making the world", (long)board_instructions(made));
    print_int("instructions of the worst step", (long)board_instructions(worst));
    print_int("instructions of a step, mean", (long)(sum/STEPS));
    print_int("instructions of the controller, worst", (long)board_instructions(control_worst));
    print_int("arena", (long)mem.peak);
    print_int("stack", (long)board_stack());
    return 0;
}
