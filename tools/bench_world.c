/* Worlds read before each step. See bench_world.h. */
#include "bench_world.h"

#include <string.h>

static int run_missed(slip_status s)
{
    return s == SLIP_MAX_ITERS || s == SLIP_STALLED || s == SLIP_DIVERGED;
}

bench_run_result bench_world_run(sim_session *s, bench_before *before, void *context)
{
    const double start = sim_cpu_seconds();
    bench_run_result r;

    memset(&r, 0, sizeof r);
    slip_snapshot_restore(s->world, s->snapshot, slip_snapshot_bytes(s->world));
    for (; r.steps < s->steps && (!before || before(context, s->world, r.steps)); ++r.steps) {
        r.status = slip_step(s->world);
        if (r.status < 0) break;
        r.missed += run_missed(r.status);
        r.contacts += slip_world_stats(s->world)->contacts;
    }
    r.cpu_seconds = sim_cpu_seconds() - start;
    if (r.steps > 0) r.contacts /= (double)r.steps;
    return r;
}

double bench_world_energy(slip_world *world)
{
    slip_real kinetic, potential;

    slip_world_energy(world, &kinetic, &potential);
    return (double)kinetic + (double)potential;
}

int bench_world_iq(const slip_world *world, const char *link)
{
    const slip_model *m = slip_world_model(world);
    const int i = slip_model_find_link(m, link);

    return i < 0 || m->link_body[i] == 0 ? 0 : m->iq[m->link_body[i]];
}

const char *bench_integrator_name(slip_integrator integrator)
{
    return integrator == SLIP_EULER ? "euler" : integrator == SLIP_FOURTH ? "fourth" : "midpoint";
}

int bench_take_integrator(cli_args *args, slip_integrator *integrator)
{
    const char *name = cli_value(args);

    if (!name) return 0;
    for (*integrator = SLIP_MIDPOINT; *integrator <= SLIP_FOURTH; *integrator = (slip_integrator)(*integrator + 1))
        if (strcmp(name, bench_integrator_name(*integrator)) == 0) return 1;
    return cli_usage(args, "unknown integrator '%s', expected midpoint, euler or fourth", name), 0;
}
