/* HW's tasks. See hw_tasks.h. */
#include "hw_tasks.h"

#include <string.h>

const hw_task hw_tasks[HW_TASKS] = {
    { "Trot", "models/quad_trot.xml", 5, 1.98, 1.81 }, { "Hang", "models/quad_hang_long.xml", 10, 2.57, 5.92 },
    { "Drop", "models/bench/quad_drop.xml", 2, 2.62, 4.35 }, { "Random", "models/quad_random.xml", 5, 1.90, 2.88 } };

#ifdef SLIP_REAL_FLOAT
#define HW_TOL "1e-4"
#else
#define HW_TOL "1e-6"
#endif

/* Sweeps without progress until a step counts as missed: more than the 20 000 that HW saw PGS take at an impact. Some
 * steps of the drop are never solved by bisection, so that there has to be an end. */
enum { HW_PATIENCE = 30000 };

static const char *const hw_bisection_options[] = { "tol", HW_TOL, "tol_rule", "absolute", "max_iterations",
                                                    "1000000", NULL };
static const char *const hw_pgs_options[] = { "tol", HW_TOL, "tol_rule", "absolute", "max_iterations", "1000000",
                                               "relaxation", "0.6", NULL };

const hw_way hw_ways[HW_WAYS] = {
    { "bisection, raisim-bisection", &slip_solver_raisim_bisection, hw_bisection_options },
    { "PGS, ncp-pgs", &slip_solver_ncp_pgs, hw_pgs_options },
    { "default (ours)", &slip_solver_default, hw_bisection_options } };

/* HW's trot goes at 1.5 m/s. Half the stride period of trot_gait_default(), so that a foot moves 0.2 m under its hip in
 * a stance, which legs of 0.5 m can do; a planner that trusts in friction 0.6 of the ground's 0.8, to push ahead; and a
 * command of 1.7 m/s, since this planner stays 0.2 m/s behind what it is asked for. */
static const trot_command hw_trot_command = { SLIP_R(1.7), 0, 0, 0, 0 };

static void hw_trot_begin(void *context, const trot_state *state)
{
    trot_gait *g = (trot_gait *)context;

    trot_raibert_begin(g, state);
    g->period /= 2;
    g->friction = SLIP_R(0.6);
}

int hw_open(const char *command, int task, const slip_solver *solver, const char *const *options, double dt,
            double time, hw_world *w)
{
    sim_changes c;

    memset(&c, 0, sizeof c);
    memset(w, 0, sizeof *w);
    c.solve.list[0] = solver;
    c.solve.count = 1;
    c.dt = dt;
    c.time = time > 0 ? time : hw_tasks[task].time;
    c.quiet = c.equal_terms = c.options_checked = 1;
    for (; options && options[0]; options += 2)
        if (!solver_args_set(command, &c.solve, options[0], options[1])) return 0;
    if (!sim_open(command, hw_tasks[task].scene, &c, &w->s)) return 0;
    slip_world_options_of(w->s.world)->integrator = SLIP_EULER;
    slip_world_options_of(w->s.world)->erp = 0;
    slip_world_options_of(w->s.world)->solve.patience = HW_PATIENCE;
    if (task != HW_TROT) return 1;
    w->walker = trot_new(&w->s, &hw_trot_command);
    if (!w->walker) { sim_close(&w->s);  return 0; }
    trot_set_planner(w->walker, hw_trot_begin, trot_raibert, &w->gait);
    return 1;
}

void hw_close(hw_world *w)
{
    trot_free(w->walker);
    sim_close(&w->s);
}

void hw_tilt(hw_world *w, int k)
{
    slip_random rng = slip_random_seed((unsigned)k);
    slip_world *world = w->s.world;
    const slip_real most = k > 0 ? SLIP_R(0.3) : 0;
    slip_real roll, pitch, *q;

    slip_snapshot_restore(world, w->s.snapshot, slip_snapshot_bytes(world));
    roll = slip_random_uniform(&rng, -most, most);
    pitch = slip_random_uniform(&rng, -most, most);
    q = slip_world_q(world) + 3;                     /* (x y z w) of the trunk: Ry(pitch) Rx(roll) */
    q[0] = slip_cos(pitch/2)*slip_sin(roll/2);
    q[1] = slip_sin(pitch/2)*slip_cos(roll/2);
    q[2] = -slip_sin(pitch/2)*slip_sin(roll/2);
    q[3] = slip_cos(pitch/2)*slip_cos(roll/2);
    slip_snapshot_save(world, w->s.snapshot);
}

static double task_clock(void *unused)
{
    (void)unused;
    return cli_seconds();
}

/* One step into `to`, whose times stay where they are smaller. */
static slip_status task_step(slip_world *world, int first, hw_step *to)
{
    const double before = cli_seconds();
    const slip_status status = slip_step(world);
    const double whole = cli_seconds() - before;
    const slip_step_stats *t = slip_world_stats(world);

    if (status < 0) return status;
    to->iterations = t->iterations;
    to->contacts = t->contacts;
    to->missed = status == SLIP_MAX_ITERS || status == SLIP_STALLED || status == SLIP_DIVERGED;
    if (first || whole < to->whole) to->whole = whole;
    if (first || t->seconds[SLIP_PHASE_SOLVE] < to->solve) to->solve = t->seconds[SLIP_PHASE_SOLVE];
    return status;
}

int hw_measure(hw_world *w, int first, hw_step *steps, int room)
{
    sim_session *s = &w->s;
    const int n = s->steps < room ? (int)s->steps : room;
    int k;

    slip_world_options_of(s->world)->clock = task_clock;
    slip_snapshot_restore(s->world, s->snapshot, slip_snapshot_bytes(s->world));
    if (s->controller.begin) s->controller.begin(s->controller.context, s->world);
    for (k = 0; k < n; ++k)
        if (task_step(s->world, first, &steps[k]) < 0) return cli_error(slip_world_error(s->world)), 0;
    return n;
}
