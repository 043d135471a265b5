/* Measures the properties of LL Tab. II. See solver_ticks.h. */
#include "solver_ticks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "problem_file.h"
#include "sim_run.h"
#include "solve_probe.h"
#include "solver_ticks_table.h"

const char *const solver_tick_names[TICKS] = { "signorini", "coulomb", "dissipation", "no_shift", "no_internal_forces",
                                               "robust", "converges" };
const char solver_tick_letters[] = "SCMNIRG";

/* The values of all solvers fall into two groups that are far apart, and the limit is between them. Laws and shift:
 * some 1e-9, the tolerance of the solve, or 4e-3 and more. Internal forces: 4e-5 and less, or 9e-3 and more. Robust: 5
 * and less, or 8000 and more. */
double solver_tick_limit(int k)
{
    static const double limits[TICKS] = { 1e-4, 1e-4, 1e-4, 1e-4, 1e-3, 100, 0 };

    return limits[k];
}

/* ---- problems --------------------------------------------------------------------------------------------------- */

enum { TICK_SLIDE, TICK_STICK, TICK_RATIO, TICK_SCENES, TICK_RANDOM = 1000, TICK_CONTACTS = 4,
       TICK_ROWS = 3*TICK_CONTACTS };

/* A cube slides across the pyramid's axes (LL Fig. 9); a cube sticks while it is pushed (Fig. 11); a heavy cube lies
 * on a light one (Fig. 12). The problem is that of the step at `time`. */
static const struct { const char *text; double time; } tick_scenes[TICK_SCENES] = {
    { "<scene name=\"slide\"><simulation dt=\"0.002\"/><surface name=\"default\" friction=\"0.8\"/><ground/>"
      "<body name=\"cube\" mass=\"1\" velocity=\"3.87564969 0.98961584 0\"><origin xyz=\"0 0 0.1\" rpy=\"0 0 0.25\"/>"
      "<geometry><box size=\"0.2 0.2 0.2\"/></geometry></body></scene>", 0 },
    { "<scene name=\"stick\"><simulation dt=\"0.001\"/><surface name=\"default\" friction=\"0.4\"/><ground/>"
      "<body name=\"cube\" mass=\"1\"><origin xyz=\"0 0 0.1\"/><geometry><box size=\"0.2 0.2 0.2\"/></geometry></body>"
      "<events><push link=\"cube\" from=\"0\" rate=\"16 0 0\" at=\"0 0 -0.1\"/></events></scene>", 0.2 },
    { "<scene name=\"ratio\"><simulation dt=\"0.001\"/><surface name=\"default\" friction=\"0.6\"/><ground/>"
      "<body name=\"light\" mass=\"0.001\"><origin xyz=\"0 0 0.1\"/><geometry><box size=\"0.2 0.2 "
      "0.2\"/></geometry></body><body name=\"heavy\" mass=\"1000\"><origin xyz=\"0 0 0.3\"/><geometry><box size=\"0.2 "
      "0.2 0.2\"/></geometry></body></scene>", 0 } };

static const double tick_stick = 0.24;               /* the pushed cube sticks until then [s] */

/* A random problem of contacts that are all coupled. */
typedef struct { slip_real mu[TICK_CONTACTS], g[TICK_ROWS], G[TICK_ROWS*TICK_ROWS]; } tick_random;

struct solver_ticks_bench {
    const char *command;
    slip_problem scene[TICK_SCENES];
    void *memory[TICK_SCENES];
    tick_random random[TICK_RANDOM];
};

static int tick_open(const char *command, int k, const slip_solver *solver, sim_session *s)
{
    sim_changes changes;

    memset(&changes, 0, sizeof changes);
    changes.quiet = changes.equal_terms = changes.options_checked = 1;
    changes.solve.list[0] = solver;
    changes.solve.count = 1;
    changes.time = tick_stick;
    if (!sim_open_text(command, tick_scenes[k].text, strlen(tick_scenes[k].text), "LL-tab2", &changes, s)) return 0;
    slip_world_options_of(s->world)->integrator = SLIP_EULER;
    return 1;
}

/* Runs a scene to its time and copies the next problem. */
static int tick_scene(const char *command, int k, solver_ticks_bench *b)
{
    slip_solution warm;
    slip_status status;
    slip_arena mem;
    sim_session s;
    size_t room;
    long i;

    if (!tick_open(command, k, &slip_solver_default, &s)) return 0;
    for (i = 0; (double)i*(double)slip_world_options_of(s.world)->dt < tick_scenes[k].time; ++i) {
        slip_scene_apply(&s.scene, s.world);
        slip_step(s.world);
    }
    slip_scene_apply(&s.scene, s.world);
    room = (1 << 20) + slip_snapshot_bytes(s.world);
    b->memory[k] = cli_alloc(room);
    mem = slip_arena_over(b->memory[k], room);
    status = slip_world_problem(s.world, 0, &mem, &b->scene[k], &warm);
    sim_close(&s);
    return status >= 0 ? 1 : (cli_fail(command, "no contact problem in scene %d of the table", k), 0);
}

/* G = Y Y' + 0.1 I, Y normal numbers; friction 0.3 to 3; every contact approaches. */
static void tick_draw(slip_random *rng, tick_random *p)
{
    slip_real Y[TICK_ROWS*TICK_ROWS];
    int i, j, k;

    for (i = 0; i < TICK_ROWS*TICK_ROWS; ++i) Y[i] = slip_random_normal(rng);
    for (i = 0; i < TICK_ROWS; ++i) for (j = 0; j < TICK_ROWS; ++j) {
        slip_real sum = i == j ? SLIP_R(0.1) : 0;

        for (k = 0; k < TICK_ROWS; ++k) sum += Y[TICK_ROWS*i + k]*Y[TICK_ROWS*j + k];
        p->G[TICK_ROWS*i + j] = sum;
    }
    for (i = 0; i < TICK_ROWS; ++i) p->g[i] = slip_random_normal(rng);
    for (i = 0; i < TICK_CONTACTS; ++i) {
        p->g[3*i + 2] = -slip_abs(p->g[3*i + 2]);
        p->mu[i] = slip_random_uniform(rng, SLIP_R(0.3), 3);
    }
}

solver_ticks_bench *solver_ticks_new(const char *command)
{
    solver_ticks_bench *b = (solver_ticks_bench *)cli_alloc(sizeof *b);
    slip_random rng = slip_random_seed(1);
    int i;

    memset(b, 0, sizeof *b);
    b->command = command;
    for (i = 0; i < TICK_RANDOM; ++i) tick_draw(&rng, &b->random[i]);
    for (i = 0; i < TICK_SCENES; ++i) if (!tick_scene(command, i, b)) return solver_ticks_free(b), NULL;
    return b;
}

void solver_ticks_free(solver_ticks_bench *b)
{
    int i;

    for (i = 0; i < TICK_SCENES; ++i) free(b->memory[i]);
    free(b);
}

/* ---- measuring -------------------------------------------------------------------------------------------------- */

/* How far friction at a sliding contact is from maximum dissipation: the angle [rad], or the share of the power that it
 * leaves. */
static double tick_dissipation(const slip_problem *p, const slip_real *lambda, const slip_real *sigma)
{
    double worst = 0;
    int i;

    for (i = 0; i < p->nc; ++i) {
        const slip_real *v = sigma + 3*i;
        const double most = (double)(p->mu[i]*lambda[3*i + 2]*slip_sqrt(v[0]*v[0] + v[1]*v[1]));
        slip_contact_criteria c;

        slip_contact_judge(p, i, lambda, sigma, 0, 0, &c);
        if (c.state == SLIP_CONTACT_SLIP) worst = fmax(worst, fmax((double)c.mdp_angle, (double)c.mdp_power/most));
    }
    return worst;
}

/* The laws on the cube that slides. */
static void tick_laws(const slip_problem *p, const slip_solver *solver, const slip_solver_options *opt, solver_ticks *t)
{
    slip_real *sigma = (slip_real *)cli_alloc((size_t)p->n*sizeof *sigma);
    slip_physics f;
    tool_solve s;

    tool_solve_begin(p, solver, opt, &s);
    slip_solve(solver, p, opt, &s.sol, &s.arena);
    slip_physics_of(p, s.sol.lambda, sigma, NULL, &f);
    t->value[TICK_SIGNORINI] = (double)f.signorini_power/((double)f.ncp.lambda_max*(double)f.ncp.g_max);
    t->value[TICK_COULOMB] = (double)f.coulomb/(double)f.ncp.lambda_max;
    t->value[TICK_DISSIPATION] = tick_dissipation(p, s.sol.lambda, sigma);
    tool_solve_end(&s);
    free(sigma);
}

/* The velocity that is left where the cube sticks. */
static double tick_shift(const slip_problem *p, const slip_solver *solver, const slip_solver_options *opt)
{
    slip_real *sigma = (slip_real *)cli_alloc((size_t)p->n*sizeof *sigma);
    slip_residual r;
    tool_solve s;

    tool_solve_begin(p, solver, opt, &s);
    slip_solve(solver, p, opt, &s.sol, &s.arena);
    slip_residual_of(p, s.sol.lambda, sigma, &r);
    tool_solve_end(&s);
    free(sigma);
    return (double)r.sigma_max/(double)r.g_max;
}

/* The largest share of internal forces so far. */
static void tick_solved(void *context, const slip_problem *p, const slip_solver_options *opt, const slip_solution *sol,
                        slip_arena *scratch)
{
    double all = 0, inside = 0, *worst = (double *)context;
    slip_real x[3*TICK_ROWS];
    int i;

    (void)opt;
    if (p->n > 3*TICK_ROWS || slip_internal_forces(p, sol->lambda, x, scratch) < 0) return;
    for (i = 0; i < p->n; ++i) {
        all += (double)(sol->lambda[i]*sol->lambda[i]);
        inside += (double)(x[i]*x[i]);
    }
    if (all > 0) *worst = fmax(*worst, sqrt(inside/all));
}

/* Internal forces while the push grows, each step from the impulses of the last one (LL Fig. 11). */
static double tick_internal(const char *command, const slip_solver *solver, const slip_solver_options *opt)
{
    double worst = 0;
    sim_result result;
    sim_session s;

    if (!tick_open(command, TICK_STICK, solve_probe(solver, 65536, tick_solved, &worst), &s)) return (double)INFINITY;
    slip_world_options_of(s.world)->solve = *opt;
    sim_run(&s, NULL, &result);
    sim_close(&s);
    return result.status >= 0 ? worst : (double)INFINITY;
}

/* The residual over the tolerance, by the solver's own model: below 1 when it is solved. */
static double tick_miss(const slip_problem *p, const slip_solver *solver, const slip_solver_options *opt)
{
    double miss;
    tool_solve s;

    tool_solve_begin(p, solver, opt, &s);
    slip_solve(solver, p, opt, &s.sol, &s.arena);
    miss = s.sol.status == SLIP_OK ? 0.5 : fmax(1.5, (double)(s.sol.model.eps_abs/opt->tol));
    tool_solve_end(&s);
    return miss;
}

void solver_ticks_measure(solver_ticks_bench *b, const slip_solver *solver, const slip_solver_options *opt,
                          solver_ticks *t)
{
    slip_solver_options o = *opt;
    int i, k;

    memset(t, 0, sizeof *t);
    o.tol = SLIP_TOL(1e-9, 1e-5);
    o.tol_rule = SLIP_TOL_RELATIVE;
    o.max_iterations = 100000;
    tick_laws(&b->scene[TICK_SLIDE], solver, &o, t);
    t->value[TICK_NO_SHIFT] = tick_shift(&b->scene[TICK_STICK], solver, &o);
    t->value[TICK_NO_INTERNAL] = tick_internal(b->command, solver, &o);
    o.tol = SLIP_TOL(1e-6, 1e-4);
    o.tol_rule = SLIP_TOL_ABSOLUTE;
    o.max_iterations = 1000;
    t->value[TICK_ROBUST] = tick_miss(&b->scene[TICK_RATIO], solver, &o);
    o.max_iterations = 10000;
    for (i = 0; i < TICK_RANDOM; ++i) {
        const tick_random *q = &b->random[i];
        const slip_problem p = slip_problem_dense(TICK_CONTACTS, q->mu, q->g, q->G, TICK_ROWS);

        t->value[TICK_CONVERGES] += tick_miss(&p, solver, &o) > 1;
    }
    for (k = 0; k < TICKS; ++k) if (t->value[k] <= solver_tick_limit(k)) t->ticks |= 1u << k;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

void solver_ticks_text(unsigned ticks, char text[TICKS + 1])
{
    int k;

    for (k = 0; k < TICKS; ++k) text[k] = (char)(ticks & (1u << k) ? solver_tick_letters[k] : '.');
    text[TICKS] = '\0';
}

const char *solver_ticks_known(const char *id)
{
    size_t i;

    for (i = 0; i < sizeof solver_ticks_table/sizeof *solver_ticks_table; ++i)
        if (strcmp(solver_ticks_table[i].id, id) == 0) return solver_ticks_table[i].ticks;
    return NULL;
}
