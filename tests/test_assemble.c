/* Contact problems from models: the factored form against J M^-1 J' in full matrices, over random trees. */
#include <stdlib.h>
#include <string.h>
#include "unity.h"
#include "slipstick.h"
#include "random_tree.h"

enum { NMAX = 6*TREE_MAX_LINKS, MOST = 8, ROWS = 3*MOST + 4 };

static tree t;
static slip_random rng;
static slip_real q[NMAX + TREE_MAX_LINKS], v[NMAX], M_inv[NMAX*NMAX], J[ROWS*NMAX], Jl[6*NMAX], MJ[NMAX];
static unsigned char memory[4 << 20];
static slip_contact_point contacts[MOST];
static slip_scalar_row scalars[4];

void setUp(void) { rng = slip_random_seed(99); }
void tearDown(void) {}

static void assemble_case(int trial)
{
    tree_options o = { 0 };

    o.links = 1 + trial % 25;
    o.floating_root = trial % 3 == 0;
    o.mimic = trial % 4 == 1;
    o.armature = trial % 2;
    o.only_simple = trial % 5 == 4;
    tree_make(&t, &o, &rng);
    slip_random_q(t.model, &rng, q);
    tree_random_vector(&rng, t.model->nv, v);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_mass_inverse(t.model, t.data, q, M_inv));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_kinematics(t.model, t.data, q));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_crba(t.model, t.data, q));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_ltl_factor(&t.model->branches, t.data->M, t.data->L, t.data->D_inv, NULL));
}

static void assemble_contacts(int nc, int rows)
{
    int i, k;

    for (i = 0; i < nc; ++i) {
        slip_contact_point *c = &contacts[i];

        memset(c, 0, sizeof *c);
        c->link_a = slip_random_int(&rng, -1, t.model->nlinks - 1);
        c->link_b = slip_random_int(&rng, -1, t.model->nlinks - 1);
        tree_random_vector(&rng, 3, c->point);
        slip_random_unit3(&rng, c->n);
        slip_tangents(c->n, c->t1, c->t2);
        c->mu = SLIP_R(0.5);
        for (k = 0; k < 3; ++k) c->bias[k] = slip_random_uniform(&rng, -1, 1);
    }
    for (i = 0; i < rows; ++i) {
        scalars[i].iv = slip_random_int(&rng, 0, t.model->nv - 1);
        scalars[i].sign = i % 2 ? SLIP_R(-1.0) : SLIP_R(1.0);
        scalars[i].bias = SLIP_R(0.25);
        scalars[i].R = 0;
    }
}

/* Row r of J += sign times direction . (velocity of the link's point). */
static void assemble_row_of(int link, slip_real sign, const slip_real point[3], const slip_real direction[3], int r)
{
    const int nv = t.model->nv;
    int i;

    if (link < 0) return;
    slip_link_jacobian(t.model, t.data, link, SLIP_FRAME_WORLD, Jl);
    for (i = 0; i < nv; ++i) {
        slip_real lin[3] = { Jl[i], Jl[nv + i], Jl[2*nv + i] };
        const slip_real ang[3] = { Jl[3*nv + i], Jl[4*nv + i], Jl[5*nv + i] };

        slip_cross3_add(ang, point, lin);
        J[r*nv + i] += sign*slip_dot3(direction, lin);
    }
}

static void assemble_full_jacobian(int nc, int rows)
{
    int i, k;

    memset(J, 0, sizeof J);
    for (i = 0; i < nc; ++i) {
        const slip_contact_point *c = &contacts[i];
        const slip_real *axes[3] = { c->t1, c->t2, c->n };

        for (k = 0; k < 3; ++k) {
            assemble_row_of(c->link_a, -1, c->point, axes[k], 3*i + k);
            assemble_row_of(c->link_b, 1, c->point, axes[k], 3*i + k);
        }
    }
    for (i = 0; i < rows; ++i) J[(3*nc + i)*t.model->nv + scalars[i].iv] = scalars[i].sign;
}

static void test_the_factored_form_is_J_M_inverse_Jt(void)
{
    int trial, i, j, k;

    for (trial = 0; trial < 60; ++trial) {
        const int nc = 1 + trial % MOST, rows = trial % 4;
        slip_arena mem = slip_arena_over(memory, sizeof memory);
        slip_real full[ROWS*ROWS], scale = 1;
        slip_problem p;
        int nv;

        assemble_case(trial);
        nv = t.model->nv;
        if (nv == 0) continue;
        assemble_contacts(nc, rows);
        assemble_full_jacobian(nc, rows);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_contacts_assemble(t.model, t.data, contacts, nc, scalars, rows/2,
                                                              rows - rows/2, v, &mem, &p));
        TEST_ASSERT_EQUAL_INT(3*nc + rows, p.n);
        TEST_ASSERT_NULL(p.R);
        slip_problem_full(&p, full, p.n);
        for (i = 0; i < p.n*p.n; ++i) scale = slip_max(scale, slip_abs(full[i]));
        for (i = 0; i < p.n; ++i) {
            double g = i < 3*nc ? (double)contacts[i/3].bias[i % 3] : 0.25;

            for (k = 0; k < nv; ++k) g += (double)J[i*nv + k]*(double)v[k];
            TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-10, 1e-3), g, p.g[i]);
            for (k = 0; k < nv; ++k) {
                MJ[k] = 0;
                for (j = 0; j < nv; ++j) MJ[k] += M_inv[k*nv + j]*J[i*nv + j];
            }
            for (j = 0; j < p.n; ++j) {
                double G = 0;

                for (k = 0; k < nv; ++k) G += (double)J[j*nv + k]*(double)MJ[k];
                TEST_ASSERT_DOUBLE_WITHIN((double)(SLIP_TOL(1e-9, 1e-2)*scale), G, full[i*p.n + j]);
            }
        }
    }
}

/* v + M^-1 J' lambda has the contact velocity G lambda + g (with the bias taken off). */
static void test_pushing_with_lambda_gives_the_velocity_that_G_promises(void)
{
    int trial, i, k;

    for (trial = 0; trial < 40; ++trial) {
        const int nc = 1 + trial % MOST;
        slip_arena mem = slip_arena_over(memory, sizeof memory);
        slip_real lambda[ROWS], c[ROWS], u[NMAX];
        slip_problem p;
        int nv;

        assemble_case(trial);
        nv = t.model->nv;
        if (nv == 0) continue;
        assemble_contacts(nc, 0);
        assemble_full_jacobian(nc, 0);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_contacts_assemble(t.model, t.data, contacts, nc, scalars, 0, 0, v, &mem, &p));
        tree_random_vector(&rng, p.n, lambda);
        slip_problem_velocity(&p, lambda, c);
        memcpy(u, v, sizeof u);
        slip_contacts_push(t.model, t.data, &p, lambda, u);
        for (i = 0; i < p.n; ++i) {
            double s = (double)contacts[i/3].bias[i % 3], size = 1;

            for (k = 0; k < nv; ++k) { s += (double)J[i*nv + k]*(double)u[k]; size += fabs((double)u[k]); }
            TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 2e-3)*size, s, c[i]);
        }
    }
}

static void test_memory_and_arguments_are_checked(void)
{
    slip_arena mem;
    slip_problem p;
    size_t bytes;

    assemble_case(12);
    assemble_contacts(4, 2);
    bytes = slip_contacts_bytes(t.model, 4, 1, 1);
    mem = slip_arena_over(memory, bytes);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_contacts_assemble(t.model, t.data, contacts, 4, scalars, 1, 1, v, &mem, &p));
    mem = slip_arena_over(memory, bytes - 64);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE,
                          slip_contacts_assemble(t.model, t.data, contacts, 4, scalars, 1, 1, v, &mem, &p));
    TEST_ASSERT_EQUAL_INT(0, (int)slip_arena_mark(&mem));
    mem = slip_arena_over(memory, sizeof memory);
    contacts[2].link_b = t.model->nlinks;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT,
                          slip_contacts_assemble(t.model, t.data, contacts, 4, scalars, 1, 1, v, &mem, &p));
    contacts[2].link_b = 0;
    contacts[3].point[1] = (slip_real)NAN;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT,
                          slip_contacts_assemble(t.model, t.data, contacts, 4, scalars, 1, 1, v, &mem, &p));
}

/* A box of 2 kg dropped on the ground: each of its four corners carries a quarter of the weight's impulse. */
static void test_a_resting_box_carries_its_weight(void)
{
    static const slip_real ground[4][2] = { { 1, 1 }, { 1, -1 }, { -1, 1 }, { -1, -1 } };
    slip_arena mem = slip_arena_over(memory, sizeof memory), model_mem, scratch;
    slip_link_def link;
    slip_joint_def joint = slip_joint_def_default();
    slip_model_def def;
    const slip_model *model;
    slip_data *data;
    slip_real qb[7], vb[6] = { 0, 0, SLIP_R(-0.0981), 0, 0, 0 }, lambda[12];
    slip_solution sol = slip_solution_over(lambda, NULL, NULL);
    slip_problem p;
    slip_error err;
    void *block = malloc(1 << 20);
    int i;

    memset(&link, 0, sizeof link);
    link.name = "box";
    link.mass = 2;
    link.inertia[0] = link.inertia[3] = link.inertia[5] = 1;
    joint.name = "free";
    joint.type = SLIP_JOINT_FLOATING;
    joint.parent = -1;
    joint.child = 0;
    memset(&def, 0, sizeof def);
    def.name = "box";
    def.nlinks = def.njoints = 1;
    def.links = &link;
    def.joints = &joint;
    model_mem = slip_arena_over(block, 1 << 20);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_model_build(&def, &model_mem, &model, NULL, &err));
    data = slip_data_create(model, &model_mem);
    slip_neutral(model, qb);
    slip_kinematics(model, data, qb);
    slip_crba(model, data, qb);
    slip_ltl_factor(&model->branches, data->M, data->L, data->D_inv, NULL);
    for (i = 0; i < 4; ++i) {
        slip_contact_point *c = &contacts[i];

        memset(c, 0, sizeof *c);
        c->link_a = -1;
        c->link_b = 0;
        slip_set3(ground[i][0], ground[i][1], -1, c->point);
        slip_set3(1, 0, 0, c->t1);
        slip_set3(0, 1, 0, c->t2);
        slip_set3(0, 0, 1, c->n);
        c->mu = SLIP_R(0.5);
    }
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_contacts_assemble(model, data, contacts, 4, scalars, 0, 0, vb, &mem, &p));
    scratch = mem;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_solve(NULL, &p, NULL, &sol, &scratch, NULL));
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-5, 1e-3), 2*0.0981, lambda[2] + lambda[5] + lambda[8] + lambda[11]);
    slip_contacts_push(model, data, &p, lambda, vb);
    for (i = 0; i < 6; ++i) TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-5, 1e-3), 0, vb[i]);
    free(block);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_factored_form_is_J_M_inverse_Jt);
    RUN_TEST(test_pushing_with_lambda_gives_the_velocity_that_G_promises);
    RUN_TEST(test_memory_and_arguments_are_checked);
    RUN_TEST(test_a_resting_box_carries_its_weight);
    return UNITY_END();
}
