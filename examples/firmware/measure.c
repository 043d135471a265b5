/* Any exported scene: makes its world, steps it, and prints what that takes; then the same through a hostile set of
 * states (tools/hostile.h), the worst by the number of contacts. Built with -DROBOT=name -DROBOT_H='"name.h"'
 * -DROBOT_BYTES=NAME_ARENA_BYTES by tools/embedded.sh. */
#include "board.h"
#include "hostile.h"
#include "print.h"
#include ROBOT_H

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

static unsigned char memory[ROBOT_BYTES];

/* Worst instructions of hostile steps with up to 0, 1, 2, 4, 8 ... contacts. */
static void measure_hostile(slip_world *world)
{
    enum { STEPS = 600, BINS = 9 };
    hostile h = hostile_begin(JOIN(ROBOT, q), JOIN(ROBOT, v), 3, 20);
    uint32_t worst[BINS] = { 0 };
    int k, bin;

    for (k = 0; k < STEPS; ++k) {
        uint32_t ticks;

        hostile_before(&h, world);
        ticks = board_ticks();
        if (slip_step(world) < 0) { hostile_restart(&h, world);  continue; }
        ticks = board_ticks() - ticks;
        for (bin = 0; bin < BINS - 1 && 1 << bin <= 2*slip_world_stats(world)->contacts - 1; ++bin) { }
        if (ticks > worst[bin]) worst[bin] = ticks;
    }
    for (bin = 0; bin < BINS; ++bin) print_int("hostile", (long)board_instructions(worst[bin]));
}

int main(void)
{
    enum { STEPS = 200 };
    slip_arena mem = slip_arena_over(memory, sizeof memory);
    uint32_t worst = 0;
    double sum = 0;
    slip_world *world;
    int k;

    board_begin();
    if (JOIN(ROBOT, start)(&mem, &world, NULL) < 0) return 2;
    for (k = 0; k < STEPS; ++k) {
        uint32_t ticks = board_ticks();

        if (slip_step(world) < 0) return 2;
        ticks = board_ticks() - ticks;
        sum += (double)board_instructions(ticks);
        if (ticks > worst) worst = ticks;
    }
    print_int("mean", (long)(sum/STEPS));
    print_int("worst", (long)board_instructions(worst));
    measure_hostile(world);
    print_int("arena", (long)mem.peak);
    print_int("stack", (long)board_stack());
    return 0;
}
