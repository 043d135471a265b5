/* Worlds whose state is read before each step, their time, and plots: shared by `slipstick bench simbenchmark`,
 * `bench iftomm` and `bench order`. */
#ifndef SLIP_TOOLS_BENCH_WORLD_H
#define SLIP_TOOLS_BENCH_WORLD_H

#include "sim_run.h"

/* Reads the state before step k; 0 ends the run there. */
typedef int bench_before(void *context, slip_world *world, long k);

typedef struct {
    slip_status status;              /* negative: the step that ended the run early                        */
    long steps, missed;              /* taken; those whose solve missed its tolerance                      */
    double contacts;                 /* a step, on average                                                 */
    double cpu_seconds;              /* of the steps and of `before`                                       */
} bench_run_result;

/* Runs a session from its start; `before` may be NULL. A step that fails ends the run: slip_world_error(). */
bench_run_result bench_world_run(sim_session *s, bench_before *before, void *context);

/* Kinetic and potential energy of the present state [J]. */
double bench_world_energy(slip_world *world);

/* The first coordinate of a link's joint in q; 0 when there is no such link. */
int bench_world_iq(const slip_world *world, const char *link);

/* The value of --integrator, and back; 0 after a message. */
int bench_take_integrator(cli_args *args, slip_integrator *integrator);
const char *bench_integrator_name(slip_integrator integrator);

#endif
