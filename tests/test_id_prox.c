/* id-prox: impulses from contact velocities (CR Alg. 2), against the forward NCP solver and on the UR5 at a wall. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unity.h"
#include "contact_aid.h"
#include "inverse_aid.h"
#include "solvers/id_prox.h"
#include "solvers/solvers.h"

void setUp(void) {}
void tearDown(void) {}

static double largest_difference(const slip_real *a, const slip_real *b, int n)
{
    double most = 0;

    for (int i = 0; i < n; ++i) most = fmax(most, fabs((double)(a[i] - b[i])));
    return most;
}

static slip_solver_options tight(void)
{
    slip_solver_options o = slip_solver_defaults();

    o.tol = SLIP_TOL(1e-9, 1e-4);
    o.tol_rule = SLIP_TOL_ABSOLUTE;
    o.max_iterations = 20000;
    return o;
}

/* ---- one contact ------------------------------------------------------------------------------------------- */

static void test_a_compliant_contact_has_the_one_answer_of_its_laws(void)
{
    slip_random rng = slip_random_seed(61);

    for (int k = 0; k < 20000; ++k) {
        slip_real mu, c[3], R[3], x[3], s[3];
        slip_problem p = slip_inverse_problem(1, 0, 0, &mu, c, R);
        slip_id_prox_options o = slip_id_prox_defaults();
        slip_id_result r;

        o.model = k % 2 ? SLIP_MODEL_NCP : SLIP_MODEL_CCP;
        mu = k % 11 == 0 ? 0 : slip_random_uniform(&rng, 0, 2);
        for (int i = 0; i < 3; ++i) {
            c[i] = slip_random_normal(&rng);
            R[i] = slip_pow(10, slip_random_uniform(&rng, -1, 2));
            x[i] = slip_random_normal(&rng);                      /* a guess that must not matter */
        }
        if (k % 3) R[1] = R[0];
        if (k % 5 == 0) c[0] = c[1] = 0;
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_id_prox(&p, &o, 1, x, s, &r));
        TEST_ASSERT_EQUAL_INT(1, r.iterations);
        TEST_ASSERT(r.residual.eps_abs <= o.tol);
        if (o.model == SLIP_MODEL_NCP)                            /* Signorini alone decides on the normal */
            TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-6, 1e-3), slip_max(0, -c[2])/R[2], x[2]);
    }
}

static void test_a_rigid_contact_keeps_what_its_velocity_allows_of_the_guess(void)
{
    slip_real mu = SLIP_R(0.5), c[3] = { 0, 0, 0 }, x[3] = { SLIP_R(0.1), SLIP_R(-0.2), 1 };
    slip_problem p = slip_inverse_problem(1, 0, 0, &mu, c, NULL);
    slip_id_result r;

    /* sticks: the guess is a solution */
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_id_prox(&p, NULL, 1, x, NULL, &r));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1, x[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, -0.2, x[1]);
    c[2] = SLIP_R(0.3);                                                               /* opens: none */
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_id_prox(&p, NULL, 1, x, NULL, &r));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, slip_norm3(x));
    slip_set3(0, 0, 1, x);
    slip_set3(SLIP_R(0.3), SLIP_R(-0.4), 0, c);                                       /* slides: against the motion */
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_id_prox(&p, NULL, 1, x, NULL, &r));
    TEST_ASSERT_EQUAL_INT(1, r.iterations);
    TEST_ASSERT(x[2] > SLIP_R(0.5));
    TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-6, 1e-3), -0.5*0.6*(double)x[2], x[0]);
    TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-6, 1e-3), 0.5*0.8*(double)x[2], x[1]);
}

static void test_a_motion_into_the_other_body_is_reported_and_nothing_huge_comes_back(void)
{
    slip_real mu[2] = { SLIP_R(0.5), SLIP_R(0.5) }, c[6] = { 0, 0, SLIP_R(0.1), SLIP_R(0.1), 0, SLIP_R(-0.1) };
    slip_real x[6] = { 0, 0, 1, 0, 0, 1 }, s[6];
    slip_problem p = slip_inverse_problem(2, 0, 0, mu, c, NULL);
    slip_id_result r;

    TEST_ASSERT_EQUAL_INT(SLIP_DIVERGED, slip_id_prox(&p, NULL, 1, x, s, &r));
    TEST_ASSERT_EQUAL_INT(1, r.diverged);
    TEST_ASSERT_EQUAL_INT(1, r.worst);
    TEST_ASSERT_EQUAL_DOUBLE(1, x[5]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, x[2]);
}

static void test_limits_and_loops_have_their_laws_too(void)
{
    slip_real c[4] = { SLIP_R(-0.2), SLIP_R(0.3), SLIP_R(0.5), 0 }, R[4] = { 2, 2, 2, 0 },
        x[4] = { 0, 0, 0, SLIP_R(-3) };
    slip_problem p = slip_inverse_problem(0, 2, 2, NULL, c, R);
    slip_id_result r;
    slip_real s[4];

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_id_prox(&p, NULL, 1, x, s, &r));
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.1, x[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0, x[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, -0.25, x[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, -3, x[3]);
    R[0] = 0;
    TEST_ASSERT_EQUAL_INT(SLIP_DIVERGED, slip_id_prox(&p, NULL, 1, x, s, &r));
    TEST_ASSERT_EQUAL_INT(0, r.worst);
}

static void test_bad_numbers_are_refused_and_nothing_is_written(void)
{
    slip_real mu = 1, c[3] = { 0, 0, (slip_real)NAN }, x[3] = { 7, 7, 7 };
    slip_problem p = slip_inverse_problem(1, 0, 0, &mu, c, NULL);
    slip_id_prox_options o = slip_id_prox_defaults();

    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_id_prox(&p, NULL, 0, x, NULL, NULL));
    c[2] = 0;
    o.rho = 0;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_id_prox(&p, &o, 0, x, NULL, NULL));
    TEST_ASSERT_EQUAL_DOUBLE(7, x[0]);
}

/* ---- against ncp-admm ----------------------------------------------------------------------------------------- */

/* Compliant, sticking and sliding: lambda of the forward solver comes back from its velocities. */
static void test_inverse_undoes_ncp_admm_with_compliance_sticking_and_sliding(void)
{
    slip_random rng = slip_random_seed(62);
    inv_case *c = inv_new(&rng);
    const slip_solver_options o = tight();
    slip_real f[INV_ROWS], v[INV_ROWS], back[INV_ROWS], sigma[INV_ROWS];
    slip_solution sol;
    double worst = 0;
    int stick = 0, slip = 0, solved = 0;

    for (int k = 0; k < 300; ++k) {
        slip_problem p;

        inv_state(c, &rng, 1 + k % 8, k % 3, SLIP_R(1e-3));
        for (int i = 0; i < c->p.n; ++i) c->R[i] = slip_random_uniform(&rng, SLIP_R(0.05), 1);
        for (int i = 0; i < c->p.nc; ++i) c->R[3*i + 1] = c->R[3*i];
        if (inv_solve(slip_ncp_admm, slip_solver_ncp_admm.bytes, &c->p, &o, f, &sol) != SLIP_OK) continue;
        solved += 1;
        slip_problem_velocity(&c->p, f, v);
        p = slip_inverse_problem(c->p.nc, c->p.nl, 0, c->mu, v, c->R);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_id_prox(&p, NULL, 0, back, sigma, NULL));
        worst = fmax(worst, largest_difference(f, back, c->p.n));
        for (int i = 0; i < c->p.nc; ++i) {
            const double t = (double)slip_norm2(f + 3*i), n = (double)(c->mu[i]*f[3*i + 2]);

            stick += n > 1e-3 && t < 0.99*n;
            slip += n > 1e-3 && t > 0.999*n;
        }
    }
    inv_free(c);
    printf("# %d solved, %d sticking, %d sliding, worst difference %g N s\n", solved, stick, slip, worst);
    TEST_ASSERT(solved >= 290);
    TEST_ASSERT(stick > 100 && slip > 100);
    TEST_ASSERT(worst < (double)SLIP_TOL(1e-6, 3e-2));             /* eps/R in the normal, more where it nearly slips */
}

/* The other way round: any c, the impulses that explain it, g = c - G lambda, and forward again. lambda must solve that
 * problem by the judge; the NCP may have further solutions, so a cold start need not find the same one every time. */
static void test_ncp_admm_undoes_the_inverse_with_compliance(void)
{
    slip_random rng = slip_random_seed(63);
    inv_case *c = inv_new(&rng);
    const slip_solver_options o = tight();
    slip_real f[INV_ROWS], v[INV_ROWS], back[INV_ROWS], g[INV_ROWS];
    slip_solution sol;
    slip_residual judge;
    double worst = 0;
    int solved = 0, same = 0;

    for (int k = 0; k < 300; ++k) {
        slip_problem p;

        inv_state(c, &rng, 1 + k % 8, k % 3, SLIP_R(1e-3));
        for (int i = 0; i < c->p.n; ++i) {
            c->R[i] = slip_random_uniform(&rng, SLIP_R(0.05), 1);
            v[i] = SLIP_R(0.3)*slip_random_normal(&rng);
        }
        for (int i = 0; i < c->p.nc; ++i) c->R[3*i + 1] = c->R[3*i];
        p = slip_inverse_problem(c->p.nc, c->p.nl, 0, c->mu, v, c->R);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_id_prox(&p, NULL, 0, f, g, NULL));
        slip_problem_apply(&c->p, f, g);
        for (int i = 0; i < c->p.n; ++i) c->g[i] = v[i] - g[i];
        slip_residual_of(&c->p, f, g, &judge);
        worst = fmax(worst, (double)judge.eps_abs);
        if (inv_solve(slip_ncp_admm, slip_solver_ncp_admm.bytes, &c->p, &o, back, &sol) != SLIP_OK) continue;
        slip_problem_velocity(&c->p, back, g);
        solved += 1;
        same += largest_difference(v, g, c->p.n) < (double)SLIP_TOL(1e-6, 3e-2);
    }
    inv_free(c);
    printf("# %d solved, %d to the same velocities, worst residual %g\n", solved, same, worst);
    TEST_ASSERT_MESSAGE(worst < (double)SLIP_TOL(1e-9, 1e-4), "the inverse's impulses solve the forward problem");
    TEST_ASSERT(solved >= 290 && same >= 270);
}

/* Rigid: impulses may differ, but with the torque that the inverse asks for, J'(lambda' - lambda) less of it, the
 * forward model ends with the same contact velocity and the same generalised impulse. */
static void test_rigid_contacts_agree_in_velocity_and_generalised_force(void)
{
    slip_random rng = slip_random_seed(64);
    inv_case *c = inv_new(&rng);
    const slip_solver_options o = tight();
    slip_real f[INV_ROWS], v[INV_ROWS], back[INV_ROWS], again[INV_ROWS], w[INV_ROWS], g[INV_ROWS], sigma[INV_ROWS];
    slip_real before[128], after[128];
    slip_solution sol;
    double worst_v = 0, worst_force = 0;
    int solved = 0;

    for (int k = 0; k < 300; ++k) {
        slip_id_prox_options ido = slip_id_prox_defaults();
        slip_problem p;

        inv_state(c, &rng, 1 + k % 8, k % 3, SLIP_R(1e-3));
        c->p.R = NULL;
        if (inv_solve(slip_ncp_admm, slip_solver_ncp_admm.bytes, &c->p, &o, f, &sol) != SLIP_OK) continue;
        slip_problem_velocity(&c->p, f, v);
        for (int i = 0; i < c->p.n; ++i) if (slip_abs(v[i]) < 10*o.tol) v[i] = 0;
        p = slip_inverse_problem(c->p.nc, c->p.nl, 0, c->mu, v, NULL);
        for (int i = 0; i < c->p.n; ++i) back[i] = f[i] + SLIP_R(0.1)*slip_random_normal(&rng);   /* another guess */
        ido.tol = SLIP_TOL(1e-6, 1e-3);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_id_prox(&p, &ido, 1, back, sigma, NULL));
        /* free velocity under the new torque: v - G lambda' */
        slip_problem_apply(&c->p, back, g);
        for (int i = 0; i < c->p.n; ++i) c->g[i] = v[i] - g[i];
        if (inv_solve(slip_ncp_admm, slip_solver_ncp_admm.bytes, &c->p, &o, again, &sol) != SLIP_OK) continue;
        solved += 1;
        slip_problem_velocity(&c->p, again, w);
        worst_v = fmax(worst_v, largest_difference(v, w, c->p.n));
        slip_assembly_impulse(&c->assembly, back, before);        /* M^-1 J' lambda' as asked for and as it came */
        slip_assembly_impulse(&c->assembly, again, after);
        worst_force = fmax(worst_force, largest_difference(before, after, c->tree.model->nv));
    }
    inv_free(c);
    printf("# %d solved, velocity %g m/s, generalised velocity %g\n", solved, worst_v, worst_force);
    TEST_ASSERT(solved >= 290);
    TEST_ASSERT(worst_v < (double)SLIP_TOL(1e-5, 5e-2));
    TEST_ASSERT(worst_force < (double)SLIP_TOL(1e-4, 5e-1));
}

/* ---- the UR5 at a wall, CR Fig. 8 -------------------------------------------------------------------------------- */

static const char ur5_path[] = "../shared/robots/ur5.urdf";
enum { UR5_BYTES = 1 << 22 };

typedef struct {
    void *block;
    const slip_model *model;
    slip_data *data;
    slip_assembly assembly;
    slip_contact_site site;
    slip_problem p;
    slip_real q[16], v[16], v_ref[16], mu, g[3], c[3];
} ur5;

/* The tool's centre touches the wall x = const at q; v_ref moves it along the wall. */
static int ur5_begin(ur5 *u)
{
    slip_urdf_options o = slip_urdf_defaults();
    slip_urdf robot;
    slip_arena mem;
    slip_error err;
    slip_pose tool;
    slip_real J[6*16], G[9], target[3] = { 0, SLIP_R(0.2), SLIP_R(-0.1) };
    const slip_real pose[6] = { SLIP_R(0.3), SLIP_R(-1.2), SLIP_R(1.4), SLIP_R(-0.4), SLIP_R(1.2), SLIP_R(0.2) };
    FILE *f = fopen(ur5_path, "r");
    int link, i, j, k;

    if (!f) return 0;
    fclose(f);
    o.find_meshes = 0;
    u->block = malloc(UR5_BYTES);
    mem = slip_arena_over(u->block, UR5_BYTES);
    if (slip_urdf_load(ur5_path, &o, &mem, &robot, NULL, &err) < 0) TEST_FAIL_MESSAGE(err.what);
    if (slip_model_build(&robot.def, &mem, &u->model, NULL, &err) < 0) TEST_FAIL_MESSAGE(err.what);
    TEST_ASSERT_EQUAL_INT(6, u->model->nv);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_data_create(u->model, &mem, &u->data));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_assembly_create(u->model, 1, 0, 0, &mem, &u->assembly));
    memset(u->v, 0, sizeof u->v);
    memcpy(u->q, pose, sizeof pose);
    slip_crba(u->model, u->data, u->q);
    slip_ltl_factor(&u->model->branches, u->data->M, u->data->L, u->data->D_inv, NULL);
    link = slip_model_find_link(u->model, "wrist_3_link");
    TEST_ASSERT(link >= 0);
    slip_link_pose(u->model, u->data, link, &tool);
    u->site.body_a = 0;
    u->site.body_b = u->model->link_body[link];
    slip_copy3(tool.p, u->site.point);
    slip_set3(-1, 0, 0, u->site.frame + 6);                       /* from the wall towards the robot */
    slip_tangents(u->site.frame + 6, u->site.frame, u->site.frame + 3);
    slip_link_jacobian(u->model, u->data, link, SLIP_FRAME_ALIGNED, J);
    for (i = 0; i < 3; ++i) for (j = 0; j < 3; ++j) {
        G[3*i + j] = 0;
        for (k = 0; k < 6; ++k) G[3*i + j] += J[6*i + k]*J[6*j + k];
    }
    slip_chol_factor(3, G, 3, NULL);
    slip_chol_solve(3, G, 3, target);                             /* v_ref = J' (J J')^-1 target */
    for (k = 0; k < 6; ++k) u->v_ref[k] = J[k]*target[0] + J[6 + k]*target[1] + J[12 + k]*target[2];
    slip_assembly_begin(&u->assembly, u->model, u->data);
    slip_assembly_contact(&u->assembly, &u->site);
    slip_assembly_velocity(&u->assembly, u->v_ref, u->c);
    u->mu = SLIP_R(0.5);
    slip_assembly_finish(&u->assembly, &u->mu, u->g, NULL, &u->p);
    return 1;
}

/* tau = RNEA(q, v, (v_ref - v)/dt) - J' lambda/dt, and forward: v_free, G, g and the NCP. */
static void ur5_forward(ur5 *u, const slip_real *lambda, slip_real dt, slip_real *back, slip_real *v_next,
                        slip_real *tau)
{
    slip_real a[16], force[16], v_free[16], dv[16];
    slip_solver_options o = tight();
    slip_solution sol;
    int i;

    /* lambda is 0.02 N s: lambda sigma must be far below */
    o.tol = SLIP_TOL(1e-9, 1e-7);
    for (i = 0; i < 6; ++i) a[i] = (u->v_ref[i] - u->v[i])/dt;
    slip_rnea(u->model, u->data, u->q, u->v, a, NULL, tau);
    slip_assembly_force(&u->assembly, lambda, force);
    for (i = 0; i < 6; ++i) tau[i] -= force[i]/dt;
    slip_aba(u->model, u->data, u->q, u->v, tau, NULL, a);
    for (i = 0; i < 6; ++i) v_free[i] = u->v[i] + dt*a[i];
    slip_assembly_velocity(&u->assembly, v_free, u->g);
    TEST_ASSERT(inv_solve(slip_ncp_admm, slip_solver_ncp_admm.bytes, &u->p, &o, back, &sol) >= 0);
    slip_assembly_impulse(&u->assembly, back, dv);
    for (i = 0; i < 6; ++i) v_next[i] = v_free[i] + dv[i];
}

static void test_the_ur5_at_a_wall_needs_one_iteration_and_agrees_with_the_forward_forces(void)
{
    const slip_real dt = SLIP_R(1e-3), push = 20*dt;             /* 20 N wanted */
    slip_real x[3] = { 0, 0, 0 }, back[3], again[3], sigma[3], v_next[16], tau[16];
    slip_id_prox_options o = slip_id_prox_defaults();
    slip_problem p;
    slip_id_result r;
    ur5 u;

    if (!ur5_begin(&u)) TEST_IGNORE_MESSAGE("skipped: ../shared/robots/ur5.urdf not present");
    TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-12, 1e-5), 0, u.c[2]);
    u.c[2] = 0;
    p = slip_inverse_problem(1, 0, 0, &u.mu, u.c, NULL);
    o.rho = SLIP_TOL(1e-8, 1e-3);
    o.tol = SLIP_TOL(1e-6, 1e-4);
    x[2] = push;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_id_prox(&p, &o, 1, x, sigma, &r));
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, r.iterations, "CR Sec. V-D: one iteration");
    TEST_ASSERT(r.residual.eps_abs <= o.tol);
    TEST_ASSERT(x[2] > push/2);
    ur5_forward(&u, x, dt, back, v_next, tau);
    printf("# UR5: forward and inverse force differ by %g N of %g N, joint velocities by %g rad/s\n",
           largest_difference(x, back, 3)/(double)dt, (double)(x[2]/dt), largest_difference(u.v_ref, v_next, 6));
    TEST_ASSERT_MESSAGE(largest_difference(x, back, 3) < (double)(SLIP_TOL(1e-4, 1e-2)*push),
                        "the forces are the same");
    TEST_ASSERT(largest_difference(u.v_ref, v_next, 6) < (double)SLIP_TOL(1e-6, 1e-4));
    memcpy(again, back, sizeof again);                            /* from the forward forces: they stay */
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_id_prox(&p, &o, 1, again, sigma, &r));
    TEST_ASSERT_EQUAL_INT(1, r.iterations);
    TEST_ASSERT(largest_difference(again, back, 3) < (double)(SLIP_TOL(1e-4, 1e-2)*push));
    free(u.block);
}

static void test_the_ur5_at_a_wall_diverges_under_the_ccp_and_the_code_says_so(void)
{
    slip_real x[3] = { 0, 0, SLIP_R(0.02) }, sigma[3];
    slip_id_prox_options o = slip_id_prox_defaults();
    slip_problem p;
    slip_id_result r;
    ur5 u;

    if (!ur5_begin(&u)) TEST_IGNORE_MESSAGE("skipped: ../shared/robots/ur5.urdf not present");
    u.c[2] = 0;
    p = slip_inverse_problem(1, 0, 0, &u.mu, u.c, NULL);
    o.model = SLIP_MODEL_CCP;
    TEST_ASSERT_EQUAL_INT(SLIP_DIVERGED, slip_id_prox(&p, &o, 1, x, sigma, &r));
    TEST_ASSERT_EQUAL_INT(1, r.diverged);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-7, 0.02, x[2], "the guess comes back, not the runaway");
    free(u.block);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_compliant_contact_has_the_one_answer_of_its_laws);
    RUN_TEST(test_a_rigid_contact_keeps_what_its_velocity_allows_of_the_guess);
    RUN_TEST(test_a_motion_into_the_other_body_is_reported_and_nothing_huge_comes_back);
    RUN_TEST(test_limits_and_loops_have_their_laws_too);
    RUN_TEST(test_bad_numbers_are_refused_and_nothing_is_written);
    RUN_TEST(test_inverse_undoes_ncp_admm_with_compliance_sticking_and_sliding);
    RUN_TEST(test_ncp_admm_undoes_the_inverse_with_compliance);
    RUN_TEST(test_rigid_contacts_agree_in_velocity_and_generalised_force);
    RUN_TEST(test_the_ur5_at_a_wall_needs_one_iteration_and_agrees_with_the_forward_forces);
    RUN_TEST(test_the_ur5_at_a_wall_diverges_under_the_ccp_and_the_code_says_so);
    return UNITY_END();
}
