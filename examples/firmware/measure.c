/* Any exported scene: makes its world, steps it, and prints what that takes. Built with -DROBOT=name -DROBOT_H='"name.h"'
 * -DROBOT_BYTES=NAME_ARENA_BYTES by tools/embedded.sh. */
#include "board.h"
#include "print.h"
#include ROBOT_H

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

static unsigned char memory[ROBOT_BYTES];

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
    print_int("arena", (long)mem.peak);
    print_int("stack", (long)board_stack());
    return 0;
}
