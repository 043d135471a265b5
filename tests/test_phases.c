/* The public phases of a step: called one after the other they are the step, on equal terms. */
#include <string.h>
#include "unity.h"
#include "slipstick_parts.h"
#include "scene_aid.h"

void setUp(void) { aid_forget(); }
void tearDown(void) { }

/* A world whose steps do nothing beyond one solve of each island. */
static slip_world *plain_world(const char *path)
{
    slip_scene *scene = aid_open(path);

    slip_world_equal_terms(&scene->world.options);
    return aid_start(scene);
}

/* q and v at the end of a step that is made of phases; the world's own state is left alone. */
static void step_by_phases(slip_world *w, slip_real *v_next, slip_real *q_next)
{
    static slip_real lambda[6000], sigma[6000], dual[6000];
    slip_step_input in = slip_world_input(w);
    slip_real *v_free = (slip_real *)slip_arena_take_zero(aid_memory(), (size_t)slip_world_model(w)->nv, sizeof *v_free);
    slip_world_options *o = slip_world_options_of(w);
    slip_island island = { 0, 0, 0, 0 };

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_phase_begin(w, &in));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_phase_kinematics(w, &in));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_phase_collide(w));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_phase_free_velocity(w, &in, v_free));
    slip_phase_islands(w, &in, v_free);
    while (slip_island_next(w, &island)) {
        slip_solution warm, sol = slip_solution_over(lambda, sigma, dual);
        slip_problem p;
        size_t mark = slip_arena_mark(aid_memory()), bytes;
        slip_arena scratch;

        slip_phase_rows(w, &in, v_free, &island, &p, &warm);
        memcpy(lambda, warm.lambda, (size_t)p.n*sizeof *lambda);
        memcpy(dual, warm.dual, (size_t)p.n*sizeof *dual);
        sol.warm = warm.warm;
        sol.rho = warm.rho;
        bytes = slip_solve_bytes(o->solver, &p, &o->solve);
        scratch = slip_arena_over(slip_arena_take(aid_memory(), bytes, 1), bytes);
        TEST_ASSERT(slip_solve(o->solver, &p, &o->solve, &sol, &scratch) >= 0);
        slip_phase_add(w, lambda);
        slip_arena_release(aid_memory(), mark);
    }
    slip_phase_velocity(w, v_free, v_next);
    slip_phase_integrate(w, &in, v_next, q_next);
}

static void phases_are_the_step(const char *path, int steps)
{
    slip_world *w = plain_world(path);
    const slip_model *m = slip_world_model(w);
    const size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
    slip_real *v = (slip_real *)slip_arena_take_zero(aid_memory(), nv, sizeof *v);
    slip_real *q = (slip_real *)slip_arena_take_zero(aid_memory(), nq, sizeof *q);

    for (int k = 0; k < steps; ++k) {
        step_by_phases(w, v, q);
        TEST_ASSERT(slip_step(w) >= 0);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, memcmp(v, slip_world_v(w), nv*sizeof *v), path);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, memcmp(q, slip_world_q(w), nq*sizeof *q), path);
    }
}

static void test_a_sliding_cube_by_phases(void) { phases_are_the_step("models/bench/slide.xml", 200); }
static void test_a_wall_hit_by_a_ball_by_phases(void) { phases_are_the_step("models/bench/wall.xml", 150); }
static void test_a_quadruped_without_drives_by_phases(void) { phases_are_the_step("models/bench/quad_drop.xml", 300); }

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_sliding_cube_by_phases);
    RUN_TEST(test_a_wall_hit_by_a_ball_by_phases);
    RUN_TEST(test_a_quadruped_without_drives_by_phases);
    return UNITY_END();
}
