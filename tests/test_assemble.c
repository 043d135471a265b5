/* Contact problems from models: what the assembly gives against J M^-1 J' in full matrices, over random trees. */
#include <math.h>
#include <string.h>
#include "unity.h"
#include "slipstick.h"
#include "random_tree.h"

enum { NMAX = 6*TREE_MAX_LINKS, MOST = 8, ROWS = 3*MOST + 4 };

static tree t;
static slip_random rng;
static slip_real q[NMAX + TREE_MAX_LINKS], v[NMAX], M_inv[NMAX*NMAX], J[ROWS*NMAX], Jl[6*NMAX], MJ[NMAX];
static unsigned char memory[4 << 20];

/* A contact between two links (-1: the world), and a scalar row: sign times a velocity coordinate. */
static struct { int link_a, link_b; slip_contact_site site; } contacts[MOST];
static struct { int iv; slip_real sign; } scalars[4];

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
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_mass_matrix_inverse(t.model, t.data, q, M_inv));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_kinematics(t.model, t.data, q));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_crba(t.model, t.data, q));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_ltl_factor(&t.model->branches, t.data->M, t.data->L, t.data->D_inv, NULL));
}

static void assemble_contacts(int nc, int rows)
{
    int i;

    for (i = 0; i < nc; ++i) {
        slip_contact_site *c = &contacts[i].site;

        contacts[i].link_a = slip_random_int(&rng, -1, t.model->nlinks - 1);
        contacts[i].link_b = slip_random_int(&rng, -1, t.model->nlinks - 1);
        c->body_a = contacts[i].link_a < 0 ? 0 : t.model->link_body[contacts[i].link_a];
        c->body_b = contacts[i].link_b < 0 ? 0 : t.model->link_body[contacts[i].link_b];
        tree_random_vector(&rng, 3, c->point);
        slip_random_unit3(&rng, c->frame + 6);
        slip_tangents(c->frame + 6, c->frame, c->frame + 3);
    }
    for (i = 0; i < rows; ++i) {
        scalars[i].iv = slip_random_int(&rng, 0, t.model->nv - 1);
        scalars[i].sign = i % 2 ? SLIP_R(-1.0) : SLIP_R(1.0);
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
        const slip_contact_site *c = &contacts[i].site;

        for (k = 0; k < 3; ++k) {
            assemble_row_of(contacts[i].link_a, -1, c->point, c->frame + 3*k, 3*i + k);
            assemble_row_of(contacts[i].link_b, 1, c->point, c->frame + 3*k, 3*i + k);
        }
    }
    for (i = 0; i < rows; ++i) J[(3*nc + i)*t.model->nv + scalars[i].iv] = scalars[i].sign;
}

/* The problem of the sites above; g = J v. */
static void assemble_problem(slip_arena *mem, slip_assembly *a, int nc, int rows, slip_real *g, slip_problem *p)
{
    static slip_real mu[MOST];
    int i;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_assembly_create(t.model, nc, rows, 0, mem, a));
    slip_assembly_begin(a, t.model, t.data);
    for (i = 0; i < nc; ++i) {
        mu[i] = SLIP_R(0.5);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_assembly_contact(a, &contacts[i].site));
    }
    for (i = 0; i < rows; ++i) TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_assembly_limit(a, scalars[i].iv, scalars[i].sign));
    slip_assembly_velocity(a, v, g);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_assembly_finish(a, mu, g, NULL, p));
    TEST_ASSERT_EQUAL_INT(3*nc + rows, p->n);
}

/* Makes one side of each contact the world. */
static void assemble_ground(int nc)
{
    int i;

    for (i = 0; i < nc; ++i) {
        if (i % 2) contacts[i].link_a = -1;
        else contacts[i].link_b = -1;
        if (i % 2) contacts[i].site.body_a = 0;
        else contacts[i].site.body_b = 0;
    }
}

/* Every other round all contacts are with the world: G comes another way then. */
static void test_G_is_J_M_inverse_Jt_and_g_is_J_v(void)
{
    int trial, i, j, k;

    for (trial = 0; trial < 120; ++trial) {
        const int nc = 1 + trial % MOST, rows = trial % 4;
        slip_arena mem = slip_arena_over(memory, sizeof memory);
        slip_real full[ROWS*ROWS], g[ROWS], scale = 1;
        slip_assembly a;
        slip_problem p;
        int nv;

        assemble_case(trial);
        nv = t.model->nv;
        if (nv == 0) continue;
        assemble_contacts(nc, rows);
        if (trial % 2) assemble_ground(nc);
        assemble_full_jacobian(nc, rows);
        assemble_problem(&mem, &a, nc, rows, g, &p);
        slip_problem_full(&p, full, p.n);
        for (i = 0; i < p.n*p.n; ++i) scale = slip_max(scale, slip_abs(full[i]));
        for (i = 0; i < p.n; ++i) {
            double expected = 0;

            for (k = 0; k < nv; ++k) expected += (double)J[i*nv + k]*(double)v[k];
            TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-10, 1e-3), expected, p.g[i]);
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

/* v + M^-1 J' lambda has the contact velocity G lambda + g, and J' lambda is the force that does it. */
static void test_pushing_with_lambda_gives_the_velocity_that_G_promises(void)
{
    int trial, i, k;

    for (trial = 0; trial < 40; ++trial) {
        const int nc = 1 + trial % MOST;
        slip_arena mem = slip_arena_over(memory, sizeof memory);
        slip_real lambda[ROWS], c[ROWS], g[ROWS], dv[NMAX], force[NMAX], tau[NMAX], sigma[ROWS], other[ROWS], R[ROWS];
        slip_assembly a;
        slip_problem p;
        int nv;

        assemble_case(trial);
        nv = t.model->nv;
        if (nv == 0) continue;
        assemble_contacts(nc, 0);
        assemble_full_jacobian(nc, 0);
        assemble_problem(&mem, &a, nc, 0, g, &p);
        tree_random_vector(&rng, p.n, lambda);
        for (i = 0; i < p.n; ++i) R[i] = SLIP_R(0.1)*(slip_real)(i % 3);
        slip_assembly_sigma(&a, lambda, g, R, sigma);                    /* by Y, and by J alone */
        slip_assembly_sigma_of(&a, lambda, g, R, force, dv, other);
        for (i = 0; i < p.n; ++i)
            TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 2e-2)*(1 + fabs((double)sigma[i])), (double)sigma[i],
                                      (double)other[i]);
        slip_problem_velocity(&p, lambda, c);
        slip_assembly_impulse(&a, lambda, dv);
        slip_assembly_force(&a, lambda, tau);
        for (i = 0; i < nv; ++i) TEST_ASSERT_EQUAL_DOUBLE((double)tau[i], (double)force[i]);
        slip_ltl_solve(&t.model->branches, t.data->L, t.data->D_inv, tau);
        for (i = 0; i < p.n; ++i) {
            double s = 0, size = 1;

            for (k = 0; k < nv; ++k) { s += (double)J[i*nv + k]*(double)(v[k] + dv[k]); size += fabs((double)dv[k]); }
            TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 2e-3)*size, s, c[i]);
        }
        for (k = 0; k < nv; ++k)
            TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 2e-2)*(1 + fabs((double)dv[k])), (double)dv[k],
                                      (double)tau[k]);
    }
}

/* Takes all but the diagonal out of M. */
static void assemble_diagonal_mass(void)
{
    const slip_branches *b = &t.model->branches;
    int i, e;

    for (i = 0; i < b->n; ++i)
        for (e = 0; e < b->depth[i]; ++e) t.data->M[b->row[i] + e] = 0;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_ltl_factor(b, t.data->M, t.data->L, t.data->D_inv, NULL));
}

static void test_a_mass_known_to_be_a_diagonal_gives_the_same_numbers(void)
{
    int trial, known, i;

    for (trial = 0; trial < 40; ++trial) {
        const int nc = 1 + trial % MOST;
        slip_real lambda[ROWS], g[ROWS], mu[MOST] = { 0 }, full[2][ROWS*ROWS], sigma[2][ROWS], dv[2][2*NMAX];

        assemble_case(trial);
        if (t.model->nv == 0) continue;
        assemble_diagonal_mass();
        assemble_contacts(nc, 0);
        if (trial % 2) assemble_ground(nc);
        tree_random_vector(&rng, 3*nc, lambda);
        for (known = 0; known < 2; ++known) {
            slip_arena mem = slip_arena_over(memory, sizeof memory);
            slip_assembly a;
            slip_problem p;

            TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_assembly_create(t.model, nc, 0, 0, &mem, &a));
            slip_assembly_begin(&a, t.model, t.data);
            a.mass_is_diagonal = known;
            for (i = 0; i < nc; ++i) slip_assembly_contact(&a, &contacts[i].site);
            slip_assembly_velocity(&a, v, g);
            slip_assembly_sigma_of(&a, lambda, g, NULL, NULL, dv[known], sigma[known]);
            slip_assembly_impulse(&a, lambda, dv[known] + NMAX);
            slip_assembly_finish(&a, mu, g, NULL, &p);
            slip_problem_full(&p, full[known], p.n);
        }
        for (i = 0; i < 9*nc*nc; ++i) TEST_ASSERT_EQUAL_DOUBLE((double)full[0][i], (double)full[1][i]);
        for (i = 0; i < 3*nc; ++i) TEST_ASSERT_EQUAL_DOUBLE((double)sigma[0][i], (double)sigma[1][i]);
        for (i = 0; i < t.model->nv; ++i) {
            TEST_ASSERT_EQUAL_DOUBLE((double)dv[0][i], (double)dv[1][i]);
            TEST_ASSERT_EQUAL_DOUBLE((double)dv[0][NMAX + i], (double)dv[1][NMAX + i]);
        }
    }
}

static void test_blocks_and_factor_forms_are_the_same_operator(void)
{
    enum { MANY = 40 };
    static slip_real mu[MANY], g[3*MANY], x[3*MANY], y[2][3*MANY];
    int form, i;

    assemble_case(21);
    for (form = 0; form < 2; ++form) {                   /* enough contacts for blocks; room for all or for few */
        slip_arena mem = slip_arena_over(memory, sizeof memory);
        slip_assembly a;
        slip_problem p;

        rng = slip_random_seed(5);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_assembly_create(t.model, MANY, 0, form ? 8 : 0, &mem, &a));
        slip_assembly_begin(&a, t.model, t.data);
        for (i = 0; i < MANY; ++i) {
            do assemble_contacts(1, 0);
            while (contacts[0].site.body_a == contacts[0].site.body_b);
            slip_assembly_contact(&a, &contacts[0].site);
            mu[i] = 1;
        }
        slip_assembly_velocity(&a, v, g);
        if (sizeof(slip_real) == sizeof(double)) {       /* fewer coordinates than rows: left as a factor */
            TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_assembly_finish(&a, mu, g, NULL, &p));
            TEST_ASSERT_EQUAL_INT(SLIP_G_FACTOR, p.G.form);
            if (form == 0) TEST_ASSERT(slip_problem_to_blocks(&p, &mem) >= 0);
        } else {
            TEST_ASSERT_EQUAL_INT(form ? SLIP_DROPPED : SLIP_OK, slip_assembly_finish(&a, mu, g, NULL, &p));
            TEST_ASSERT_EQUAL_INT(form ? SLIP_G_FACTOR : SLIP_G_BLOCKS, p.G.form);
        }
        for (i = 0; i < p.n; ++i) x[i] = (slip_real)(i % 7) - 3;
        slip_problem_apply(&p, x, y[form]);
    }
    for (i = 0; i < 3*MANY; ++i)
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 1e-2)*(1 + fabs((double)y[0][i])), (double)y[0][i],
                                  (double)y[1][i]);
}

static void test_memory_is_checked_and_too_many_contacts_are_dropped(void)
{
    slip_arena count = slip_arena_counting(), mem;
    slip_assembly a;

    assemble_case(12);
    assemble_contacts(4, 2);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_assembly_create(t.model, 2, 1, 0, &count, &a));
    mem = slip_arena_over(memory, slip_arena_needed(&count));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_assembly_create(t.model, 2, 1, 0, &mem, &a));
    mem = slip_arena_over(memory, slip_arena_needed(&count) - 64);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, slip_assembly_create(t.model, 2, 1, 0, &mem, &a));
    TEST_ASSERT_EQUAL_INT(0, (int)slip_arena_mark(&mem));
    mem = slip_arena_over(memory, sizeof memory);
    slip_assembly_create(t.model, 2, 1, 0, &mem, &a);
    slip_assembly_begin(&a, t.model, t.data);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_assembly_contact(&a, &contacts[0].site));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_assembly_contact(&a, &contacts[1].site));
    TEST_ASSERT_EQUAL_INT(SLIP_DROPPED, slip_assembly_contact(&a, &contacts[2].site));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_assembly_limit(&a, 0, 1));
    TEST_ASSERT_EQUAL_INT(SLIP_DROPPED, slip_assembly_limit(&a, 0, -1));
}

/* The room is for the longest pair of paths, with mimic joints too: J ends before Y begins. */
static void test_there_is_room_for_contacts_of_the_two_bodies_that_reach_farthest(void)
{
    int trial, first, second, widest, most = 0;

    for (trial = 0; trial < 60; ++trial) {
        slip_arena mem = slip_arena_over(memory, sizeof memory);
        slip_assembly a;

        assemble_case(trial);
        assemble_contacts(1, 0);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_assembly_create(t.model, 1, 0, 0, &mem, &a));
        slip_assembly_begin(&a, t.model, t.data);
        for (first = widest = 0; first < t.model->nbodies; ++first)
            for (second = 0; second < t.model->nbodies; ++second) {
                if (first == second) continue;
                contacts[0].site.body_a = first;
                contacts[0].site.body_b = second;
                slip_assembly_restart(&a);
                TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_assembly_contact(&a, &contacts[0].site));
                widest = a.entries > widest ? a.entries : widest;
            }
        TEST_ASSERT_LESS_OR_EQUAL_INT((int)(a.y - a.j), SLIP_ASSEMBLY_LANES*widest);
        most = widest > most ? widest : most;
    }
    TEST_ASSERT_GREATER_THAN_INT(6, most);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_G_is_J_M_inverse_Jt_and_g_is_J_v);
    RUN_TEST(test_pushing_with_lambda_gives_the_velocity_that_G_promises);
    RUN_TEST(test_a_mass_known_to_be_a_diagonal_gives_the_same_numbers);
    RUN_TEST(test_blocks_and_factor_forms_are_the_same_operator);
    RUN_TEST(test_there_is_room_for_contacts_of_the_two_bodies_that_reach_farthest);
    RUN_TEST(test_memory_is_checked_and_too_many_contacts_are_dropped);
    return UNITY_END();
}
