/* Snapshots from an untrusted source: each count, index and number that a step relies on is checked, and a snapshot
 * that is refused leaves the world as it was. What a snapshot holds is tested beside the phases that write it. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "sim/world_private.h"                   /* where the fields are */
#include "unity.h"
#include "slipstick_parts.h"
#include "scene_aid.h"

static slip_world *w;
static unsigned char *good, *bad;                /* a snapshot in mid contact, and a copy to damage */
static size_t bytes;

/* Contacts with rolling friction, a loop, a joint at its limit, a driven one, one that is prescribed, a belt. */
#define BALL "<geometry><sphere radius='0.1'/></geometry>"
#define RICH "<scene><simulation max_contacts='16'/><ground name='floor'/>" \
    "<surface name='default' friction='0.5' rolling='0.001' torsion='0.001'/>" \
    "<body name='a' mass='1'><origin xyz='0 0 0.1'/>" BALL "</body>" \
    "<body name='b' mass='1'><origin xyz='0.2 0 0.1'/>" BALL "</body>" \
    "<body name='c' mass='1'><origin xyz='0.1 0 0.27'/>" BALL "</body>" \
    "<robot file='double_pendulum.urdf' base='fixed'><origin xyz='3 0 3'/></robot>" \
    "<loop name='l' kind='ball' a='a' b='b'/></scene>"

static void start(void)
{
    const slip_real turn[6] = { 0, 0, 0, 0, 0, SLIP_R(0.3) }, belt[6] = { SLIP_R(0.2), 0, 0, 0, 0, 0 };

    w = aid_start(aid_read(RICH));
    w->opt.solve.max_iterations = 50;            /* for the steps after damage */
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_world_set_surface_velocity(w, 0, belt));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_world_prescribe(w, slip_world_model(w)->njoints - 1, NULL, turn));
    aid_steps(w, 40);
    TEST_ASSERT(slip_contact_count(w) > 2);
    bytes = slip_snapshot_bytes(w);
    good = (unsigned char *)slip_arena_take(aid_memory(), bytes, 1);
    bad = (unsigned char *)slip_arena_take(aid_memory(), bytes + 1, 1) + 1;      /* not aligned */
    slip_snapshot_save(w, good);
    memcpy(bad, good, bytes);
}

void setUp(void) { aid_forget(); start(); }
void tearDown(void) { }

static int is_as_before(void)
{
    unsigned char *now = (unsigned char *)malloc(bytes);
    int same;

    slip_snapshot_save(w, now);
    same = memcmp(now, good, bytes) == 0;
    free(now);
    return same;
}

/* The place in `bad` of a field of the state. */
static unsigned char *place(const void *field)
{
    return bad + (bytes - w->state.bytes) + ((const unsigned char *)field - w->state.block);
}

static void refuses(const char *why)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_ERR_ARGUMENT, slip_snapshot_restore(w, bad, bytes), why);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(slip_world_error(w)->what, why), slip_world_error(w)->what);
    TEST_ASSERT_MESSAGE(is_as_before(), "a refused snapshot changes nothing");
    memcpy(bad, good, bytes);
}

static void refuses_int(const int *field, int value, const char *why)
{
    memcpy(place(field), &value, sizeof value);
    refuses(why);
}

static void refuses_real(const slip_real *field, const char *why)
{
    const slip_real values[] = { (slip_real)NAN, (slip_real)INFINITY, -(slip_real)INFINITY };
    int i;

    for (i = 0; i < 3; ++i) {
        memcpy(place(field), &values[i], sizeof values[i]);
        refuses(why);
    }
}

static void test_counts_are_checked(void)
{
    sim_progress *p = w->state.progress;

    refuses_int(&p->nmemory, INT_MAX, "number of contacts");
    refuses_int(&p->nmemory, w->opt.max_contacts + 1, "number of contacts");
    refuses_int(&p->nmemory, -1, "number of contacts");
    refuses_int(&p->nbelts, -1, "moving surfaces");
    refuses_int(&p->nbelts, w->fixed.ncolliders + 1, "moving surfaces");
    refuses_int(&p->nprescribed, 0, "prescribed joints");
    refuses_int(&p->problem_rows, -1, "number of rows");
    refuses_real(&p->rho, "penalty");
    refuses_real(&p->time, "time");
    refuses_real(&p->dt, "time step");
}

static void test_indices_and_marks_are_checked(void)
{
    const int root = w->model->joint_body[w->model->njoints - 1];

    refuses_int(&w->state.memory[0].a, w->fixed.ncolliders, "does not exist");
    refuses_int(&w->state.memory[1].b, -1, "does not exist");
    refuses_int(&w->state.memory[0].b, w->fixed.ncolliders - 1, "not sorted");
    refuses_int(&w->input.prescribed[root], 7, "mark of a prescribed joint");
    refuses_int(&w->input.prescribed[0], 1, "none of its own");
    refuses_int(&w->state.saturated[0], 2, "drive at its limit");
    refuses_int(&w->state.slides[0], -2, "sliding joint");
    refuses_int(&w->state.touching_rest[1], -1, "number of contacts");
    refuses_int(&w->state.loop_state[0].on, 2, "loop closure");
}

static void test_numbers_are_checked(void)
{
    refuses_real(&w->state.memory[0].point[0], "not finite");
    refuses_real(&w->state.memory[0].impulse[2], "not finite");
    refuses_real(&w->state.memory[2].stretch[2], "not finite");
    refuses_real(&w->state.limit_impulse[1], "impulse of a limit");
    refuses_real(&w->state.loop_state[0].missed[5], "loop closure");
    refuses_real(&w->state.still[1], "sleep timer");
    refuses_real(&w->state.lost[1], "energy lost");
    refuses_real(&w->state.dv_last[0], "change of velocity");
    refuses_real(&w->state.dv_free_rest[3], "change of velocity");
    refuses_real(&w->input.v_given[0], "prescribed velocity");
    refuses_real(&w->input.q_given[0], "prescribed position");
    refuses_real(&w->state.surface_velocity[0], "surface velocity");
    refuses_real(&w->state.rolling[0].spin[2], "rolling friction");
}

static void test_another_size_is_refused(void)
{
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_snapshot_restore(w, bad, 0));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_snapshot_restore(w, NULL, 0));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_snapshot_restore(w, bad, 4));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_snapshot_restore(w, bad, bytes - 1));
    TEST_ASSERT_NOT_NULL(strstr(slip_world_error(w)->what, "bytes, expected"));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_snapshot_restore(w, bad, bytes));
    TEST_ASSERT_TRUE(is_as_before());
}

/* Damage at any place, of any kind: refused, or the world steps on (with an error where q, v or an input is no number). */
static void test_any_damage_is_refused_or_harmless(void)
{
    slip_random rng = slip_random_seed(7);
    int i, refused = 0;

    for (i = 0; i < 3000; ++i) {
        const size_t at = (size_t)(slip_random_uniform(&rng, 0, 1)*(slip_real)(bytes - sizeof(double)));
        const int kind = (int)slip_random_uniform(&rng, 0, 4);
        const double number = kind == 1 ? 1e300 : (double)NAN;
        const int extreme = slip_random_uniform(&rng, 0, 1) < SLIP_R(0.5) ? INT_MAX : INT_MIN;

        if (kind == 0) bad[at] = (unsigned char)(bad[at] ^ (1 << (int)slip_random_uniform(&rng, 0, 8)));
        else if (kind == 3) memcpy(bad + at/4*4, &extreme, sizeof extreme);
        else memcpy(bad + at/8*8, &number, sizeof number);
        if (slip_snapshot_restore(w, bad, bytes) < 0) ++refused;
        else if (i % 4 == 0) { slip_step(w); slip_step(w); }
        memcpy(bad, good, bytes);
        if (i % 4 == 0) TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_snapshot_restore(w, good, bytes));
        else slip_snapshot_restore(w, good, bytes);
    }
    TEST_ASSERT_MESSAGE(refused > 300 && refused < 2700, "damage of both kinds was tried");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_counts_are_checked);
    RUN_TEST(test_indices_and_marks_are_checked);
    RUN_TEST(test_numbers_are_checked);
    RUN_TEST(test_another_size_is_refused);
    RUN_TEST(test_any_damage_is_refused_or_harmless);
    return UNITY_END();
}
