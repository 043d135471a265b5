/* tools/trot.h as others would use it: what a planner sees, and another one in the place of Raibert's. */
#include <math.h>
#include <string.h>
#include "unity.h"
#include "../tools/trot.h"
#include "../tools/trot_plan.h"

static sim_session session;
static trot *walker;

/* Opens a scene with the trot at 0.5 m/s. */
static void trot_open(const char *scene, double seconds)
{
    sim_changes changes;
    const trot_command command = { SLIP_R(0.5), 0, 0, 0, 0 };

    memset(&changes, 0, sizeof changes);
    changes.time = seconds;
    changes.quiet = 1;
    TEST_ASSERT(sim_open("test", scene, &changes, &session));
    walker = trot_new(&session, &command);
    TEST_ASSERT_NOT_NULL(walker);
}

static void trot_run(void)
{
    sim_result result;

    sim_run(&session, NULL, &result);
    TEST_ASSERT(result.status >= 0);
}

/* How far the base has gone along x. */
static double trot_way(void)
{
    return (double)(slip_world_q(session.world)[0] - session.scene.q[0]);
}

void setUp(void) { walker = NULL;  memset(&session, 0, sizeof session); }

void tearDown(void)
{
    trot_free(walker);
    sim_close(&session);
}

/* ---- another planner ---------------------------------------------------------------------------- */

/* One that stays: a spring and a damper on the centre of mass, shared by all feet alike; the moment by what the front
 * and hind, left and right ones carry. */
typedef struct {
    int begun, plans;
    slip_real home[3];
    trot_command last;
} stayer;

static void stayer_begin(void *context, const trot_state *s)
{
    stayer *k = (stayer *)context;

    k->begun += 1;
    k->plans = 0;
    slip_copy3(s->com, k->home);
}

static void stayer_plan(void *context, const trot_state *s, const trot_command *c, trot_plan *plan)
{
    stayer *k = (stayer *)context;
    slip_real length = 0, width = 0;
    int i, j;

    k->plans += 1;
    k->last = *c;
    for (i = 0; i < TROT_LEGS; ++i) {
        length += slip_abs(s->hip[i][0] - s->position[0])/4;
        width += slip_abs(s->hip[i][1] - s->position[1])/4;
    }
    for (i = 0; i < TROT_LEGS; ++i) {
        const slip_real front = i == TROT_LF || i == TROT_RF ? 1 : -1, left = i == TROT_LF || i == TROT_LH ? 1 : -1;
        const slip_real roll = s->inertia[0]*(100*s->R[7] + 20*s->omega[0]);
        const slip_real pitch = s->inertia[4]*(-100*s->R[6] + 20*s->omega[1]);

        plan->stance[i] = 1;
        for (j = 0; j < 3; ++j)
            plan->force[i][j] = s->mass/4*(100*(k->home[j] - s->com[j]) - 20*s->com_velocity[j] - s->gravity[j]);
        plan->force[i][2] += front*pitch/(4*length) - left*roll/(4*width);
    }
}

static void test_another_planner_takes_the_place_of_raiberts(void)
{
    stayer stays;

    memset(&stays, 0, sizeof stays);
    trot_open("models/quad_trot.xml", 1.5);
    trot_run();
    TEST_ASSERT_MESSAGE(trot_way() > 0.3, "Raibert's walks");
    trot_set_planner(walker, stayer_begin, stayer_plan, &stays);
    trot_run();
    TEST_ASSERT_EQUAL_INT(1, stays.begun);
    TEST_ASSERT_EQUAL_INT((int)session.steps, stays.plans);
    TEST_ASSERT_DOUBLE_WITHIN(0, 0.5, (double)stays.last.forward);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(2e-3, 0, trot_way(), "this one stays");
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.02, (double)session.scene.q[2], (double)slip_world_q(session.world)[2], "up");
    trot_run();
    TEST_ASSERT_EQUAL_INT(2, stays.begun);                /* each run begins anew */
    TEST_ASSERT_EQUAL_INT((int)session.steps, stays.plans);
}

/* Raibert's own with a gait of ours walks as before. */
static void test_raiberts_planner_is_one_like_others(void)
{
    trot_gait gait;
    slip_real q[7];

    trot_open("models/quad_trot.xml", 0.6);
    trot_run();
    memcpy(q, slip_world_q(session.world), sizeof q);
    trot_set_planner(walker, trot_raibert_begin, trot_raibert, &gait);
    trot_run();
    TEST_ASSERT_EQUAL_MEMORY(q, slip_world_q(session.world), sizeof q);
}

/* ---- what it sees -------------------------------------------------------------------------------- */

static void look(void *context, const trot_state *s) { *(trot_state *)context = *s; }

static void nothing(void *context, const trot_state *s, const trot_command *c, trot_plan *plan)
{
    (void)context;  (void)s;  (void)c;  (void)plan;
}

static void check(double tolerance, slip_real expected, slip_real actual)
{
    TEST_ASSERT_DOUBLE_WITHIN(tolerance, (double)expected, (double)actual);
}

/* The state at the start of a run with these velocities. */
static void trot_look(const slip_real *v, trot_state *seen)
{
    memcpy(slip_world_v(session.world), v, (size_t)session.scene.model->nv*sizeof *v);
    slip_snapshot_save(session.world, session.snapshot);
    trot_set_planner(walker, look, nothing, seen);
    trot_run();
}

/* Against the library's momentum of all bodies, which are this one robot. */
static void test_the_state_has_what_a_model_predictive_planner_wants(void)
{
    slip_random rng = slip_random_seed(5);
    slip_real v[64] = { 0 }, momentum[6], spin[3];
    trot_state s;
    int i;

    trot_open("models/quad_trot.xml", 0.001);
    TEST_ASSERT(session.scene.model->nv <= 64);
    for (i = 0; i < 6; ++i) v[i] = slip_random_normal(&rng);          /* a rigid body: spin = I omega */
    trot_look(v, &s);
    slip_mat3_vec(s.inertia, s.omega, spin);
    for (i = 0; i < 3; ++i) check((double)SLIP_TOL(1e-12, 1e-5), spin[i], s.spin[i]);
    for (i = 0; i < 9; ++i) check((double)SLIP_TOL(1e-12, 1e-6), s.inertia[3*(i%3) + i/3], s.inertia[i]);
    for (i = 6; i < session.scene.model->nv; ++i) v[i] = slip_random_normal(&rng);
    trot_look(v, &s);
    slip_snapshot_restore(session.world, session.snapshot, slip_snapshot_bytes(session.world));
    slip_world_update(session.world);
    slip_momentum(session.scene.model, slip_world_data(session.world), momentum);
    for (i = 0; i < 3; ++i) {
        check((double)SLIP_TOL(1e-11, 1e-3), momentum[i], s.mass*s.com_velocity[i]);
        check((double)SLIP_TOL(1e-11, 1e-4), momentum[3 + i], s.spin[i]);
        check(0, session.scene.model->gravity[i], s.gravity[i]);
    }
}

/* Raibert's planner, and what it saw last. */
static trot_gait stand_gait;
static void stand_begin(void *context, const trot_state *s) { (void)context;  trot_raibert_begin(&stand_gait, s); }
static void stand_plan(void *context, const trot_state *s, const trot_command *c, trot_plan *plan)
{
    look(context, s);
    trot_raibert(&stand_gait, s, c, plan);
}

/* Feet on a slope of 20 degrees see its normal; before the first step, when nothing is known, up. */
static void test_the_state_has_the_normals_of_what_feet_stand_on(void)
{
    const slip_real angle = SLIP_R(0.349065850398866);
    trot_state s;
    int i;

    memset(&s, 0, sizeof s);
    trot_open("models/quad_steep.xml", 0.1);
    trot_set_planner(walker, stand_begin, stand_plan, &s);
    trot_run();
    for (i = 0; i < TROT_LEGS; ++i) {
        TEST_ASSERT_TRUE(s.touches[i]);
        check((double)SLIP_TOL(1e-9, 1e-5), -slip_sin(angle), s.normal[i][0]);
        check((double)SLIP_TOL(1e-9, 1e-5), slip_cos(angle), s.normal[i][2]);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_state_has_the_normals_of_what_feet_stand_on);
    RUN_TEST(test_another_planner_takes_the_place_of_raiberts);
    RUN_TEST(test_raiberts_planner_is_one_like_others);
    RUN_TEST(test_the_state_has_what_a_model_predictive_planner_wants);
    return UNITY_END();
}
