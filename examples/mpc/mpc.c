/* Model-predictive control with the library's iLQR loop (sim/ilqr.h): a cart swings a pole up between the ends of its
 * rail, a leg hops over the ground, Solo-12 takes a push. Two worlds of one scene: one is the robot, the other one the
 * loop's own idea of it. All memory is the array below: nothing is allocated once the loop runs, so that a firmware can
 * do the same.
 *
 *     make && cc -std=c99 -O2 -Isrc examples/mpc/mpc.c build/cc-double/libslipstick.a -lm -o mpc && ./mpc cartpole
 *
 * It prints the state a few times a second, and at the end whether the robot did it and the processor time of an
 * iteration. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "slipstick_parts.h"

enum { MOST_Q = 24, MOST_V = 24 };

typedef struct {
    const char *name, *scene;
    int horizon, steps, iterations;      /* periods ahead; steps of a period; iterations in each */
    slip_real seconds;
    void (*setup)(const slip_model *m, slip_ilqr_options *o);
    void (*disturb)(slip_world *robot, slip_real time);          /* and may move the reference */
    int (*did_it)(const slip_model *m, const slip_real *q, const slip_real *most);
} task;

static unsigned char memory[48 << 20];                   /* both worlds and the loop */
static slip_real q_ref[MOST_Q], Q[2*MOST_V], Q_end[2*MOST_V], R[MOST_V], effort[MOST_V];
static int motors[MOST_V];

/* Motors where effort limits are finite and not 0. */
static void find_motors(const slip_model *m, slip_real weight, slip_ilqr_options *o)
{
    int i;

    for (i = 0; i < m->nv; ++i) {
        if (!(m->effort_limit[i] > 0) || !slip_is_finite(m->effort_limit[i])) continue;
        motors[o->nu] = i;
        effort[o->nu] = m->effort_limit[i];
        R[o->nu++] = weight;
    }
}

/* ---- a cart and a pole -------------------------------------------------------------------------- */

static void cartpole_setup(const slip_model *m, slip_ilqr_options *o)
{
    find_motors(m, SLIP_R(0.01), o);
    q_ref[1] = SLIP_R(3.14159265358979);
    Q[0] = SLIP_R(0.1);  Q[1] = 1;  Q[2] = SLIP_R(0.01);  Q[3] = SLIP_R(0.01);
    Q_end[0] = 10;  Q_end[1] = 100;  Q_end[2] = 1;  Q_end[3] = 10;
}

static int cartpole_did_it(const slip_model *m, const slip_real *q, const slip_real *most)
{
    (void)m;
    (void)most;
    return slip_abs(q[1] - q_ref[1]) < SLIP_R(0.05) && slip_abs(q[0]) < 1;
}

/* ---- a hopping leg ------------------------------------------------------------------------------ */

static void hopper_setup(const slip_model *m, slip_ilqr_options *o)
{
    find_motors(m, SLIP_R(1e-3), o);
    memset(Q, 0, sizeof Q);
    q_ref[1] = SLIP_R(0.55);
    q_ref[2] = SLIP_R(0.7);
    q_ref[3] = SLIP_R(-1.4);
    Q[0] = 10;  Q[1] = 50;  Q[2] = Q[3] = SLIP_R(0.5);
    Q[4] = SLIP_R(0.3);  Q[6] = Q[7] = SLIP_R(0.002);
    memcpy(Q_end, Q, sizeof Q);
}

/* Always 30 cm further on; low for a quarter of a second, then higher than the leg is long. A leg that stands
 * stretched is at rest in the cost as well, and would stay there; from a crouch it is not far to a jump. */
static void hopper_lead(slip_world *robot, slip_real time)
{
    const slip_real period = SLIP_R(0.6), crouch = SLIP_R(0.25);
    const slip_real phase = time - period*(slip_real)(int)(time/period);

    q_ref[1] = phase < crouch ? SLIP_R(0.28) : SLIP_R(0.6);
    q_ref[0] = slip_world_q(robot)[0] + SLIP_R(0.3);
}

static int hopper_did_it(const slip_model *m, const slip_real *q, const slip_real *most)
{
    (void)m;
    return most[1] > SLIP_R(0.46) && q[0] > 1;               /* a leg of 0.42 m that left the ground, a metre on */
}

/* ---- Solo-12 ------------------------------------------------------------------------------------ */

static void solo_setup(const slip_model *m, slip_ilqr_options *o)
{
    int i;

    find_motors(m, SLIP_R(0.05), o);
    for (i = 0; i < m->nv; ++i) { Q[i] = 1;  Q[m->nv + i] = SLIP_R(0.002); }
    for (i = 0; i < 3; ++i) { Q[i] = 100;  Q[3 + i] = 20;  Q[m->nv + i] = 2;  Q[m->nv + 3 + i] = SLIP_R(0.5); }
    for (i = 0; i < 2*m->nv; ++i) Q_end[i] = 5*Q[i];
}

/* 25 N on the body, its weight, sideways for a fifth of a second. */
static void solo_disturb(slip_world *robot, slip_real time)
{
    slip_world_wrench(robot)[6*1 + 1] = time >= SLIP_R(0.2) && time < SLIP_R(0.4) ? 25 : 0;
}

static int solo_did_it(const slip_model *m, const slip_real *q, const slip_real *most)
{
    (void)m;
    (void)most;
    return slip_abs(q[2] - q_ref[2]) < SLIP_R(0.03) && slip_abs(q[1]) < SLIP_R(0.08);
}

static const task tasks[] = {
    { "cartpole", "models/mpc_cartpole.xml", 60, 1, 2, 4, cartpole_setup, NULL, cartpole_did_it },
    { "hopper", "models/mpc_hopper.xml", 40, 1, 3, 3, hopper_setup, hopper_lead, hopper_did_it },
    { "solo12", "models/mpc_solo12.xml", 20, 1, 1, 2, solo_setup, solo_disturb, solo_did_it } };

/* ---- the loop ----------------------------------------------------------------------------------- */

static int fail(const slip_error *err, const char *what)
{
    char text[600];

    if (err) slip_error_text(err, text, sizeof text);
    fprintf(stderr, "mpc: %s\n", err ? text : what);
    return 1;
}

/* Runs a task; the exit code. is_off: without the loop, to see what happens. */
static int run(const task *t, int is_off)
{
    slip_arena mem = slip_arena_over(memory, sizeof memory);
    slip_world *robot, *idea;
    slip_ilqr_options o = slip_ilqr_defaults();
    const slip_model *m;
    slip_ilqr *loop;
    slip_error err;
    slip_real most[MOST_Q], cost = 0, dt;
    double seconds = 0;
    long k, iterations = 0, analytic, differenced;
    int i;

    if (slip_scene_load_world(t->scene, &mem, &robot, NULL, &err) < 0) return fail(&err, NULL);
    if (slip_scene_load_world(t->scene, &mem, &idea, NULL, &err) < 0) return fail(&err, NULL);
    m = slip_world_model(robot);
    if (m->nq > MOST_Q) return fail(NULL, "too many coordinates");
    memcpy(q_ref, slip_world_q(robot), (size_t)m->nq*sizeof *q_ref);
    memcpy(most, q_ref, (size_t)m->nq*sizeof *most);
    o.horizon = t->horizon;
    o.steps = t->steps;
    o.iv = motors;
    o.effort = effort;
    o.q_ref = q_ref;
    o.Q = Q;
    o.Q_end = Q_end;
    o.R = R;
    t->setup(m, &o);
    if (slip_ilqr_create(idea, &o, &mem, &loop) < 0) return fail(NULL, "no memory for the loop");
    dt = slip_world_options_of(robot)->dt;
    for (k = 0; (slip_real)k*dt < t->seconds; ++k) {
        for (i = 0; i < t->iterations && !is_off && k%t->steps == 0; ++i, ++iterations) {
            const clock_t start = clock();

            if (slip_ilqr_iterate(loop, slip_world_q(robot), slip_world_v(robot), &cost) < 0)
                return fail(slip_world_error(idea), NULL);
            seconds += (double)(clock() - start)/CLOCKS_PER_SEC;
        }
        for (i = 0; i < o.nu && !is_off; ++i) slip_world_tau(robot)[motors[i]] = slip_ilqr_torque(loop, 0)[i];
        if (t->disturb) t->disturb(robot, (slip_real)k*dt);
        if (slip_step(robot) < 0) return fail(slip_world_error(robot), NULL);
        if (!is_off && k%t->steps == t->steps - 1) slip_ilqr_shift(loop);
        for (i = 0; i < m->nq; ++i) most[i] = slip_max(most[i], slip_world_q(robot)[i]);
        if (k%20 == 19) {
            printf("%5.2f s  q", (double)((slip_real)(k + 1)*dt));
            for (i = 0; i < m->nq && i < 7; ++i) printf(" %7.3f", (double)slip_world_q(robot)[i]);
            printf("   cost %.4g\n", (double)cost);
        }
    }
    slip_ilqr_counts(loop, &analytic, &differenced);
    i = t->did_it(m, slip_world_q(robot), most);
    printf("%s: %s; %.3f ms an iteration of %d periods, %d motors, %ld steps with an analytic derivative, %ld "
           "differenced, %lu KB\n", t->name, i ? "done" : "not done",
           iterations ? 1e3*seconds/(double)iterations : 0, o.horizon, o.nu, analytic, differenced,
           (unsigned long)(mem.low >> 10));
    return !i;
}

int main(int argc, char **argv)
{
    size_t k;

    for (k = 0; argc > 1 && k < sizeof tasks/sizeof *tasks; ++k)
        if (strcmp(argv[1], tasks[k].name) == 0) return run(&tasks[k], argc > 2 && strcmp(argv[2], "off") == 0);
    fputs("usage: mpc cartpole|hopper|solo12 [off]\n", stderr);
    return 2;
}
