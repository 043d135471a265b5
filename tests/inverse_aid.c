/* See inverse_aid.h. */
#include "inverse_aid.h"

#include <stdlib.h>
#include <string.h>
#include "solvers/barrier.h"
#include "unity.h"

static void *inv_memory, *inv_robot_memory;

/* Room for the assembly of c's model. */
static inv_case *inv_assemble(inv_case *c)
{
    slip_arena mem = slip_arena_counting();
    size_t bytes;

    slip_assembly_create(c->tree.model, INV_MAX_CONTACTS, INV_MAX_LIMITS, 0, &mem, &c->assembly);
    bytes = slip_arena_needed(&mem);
    inv_memory = malloc(bytes);
    mem = slip_arena_over(inv_memory, bytes);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_assembly_create(c->tree.model, INV_MAX_CONTACTS, INV_MAX_LIMITS, 0, &mem,
                                                        &c->assembly));
    return c;
}

inv_case *inv_new(slip_random *rng)
{
    const tree_options options = { 25, 1, 0, 1, 1 };
    inv_case *c = (inv_case *)calloc(1, sizeof *c);

    TEST_ASSERT_NOT_NULL(c);
    tree_make(&c->tree, &options, rng);
    return inv_assemble(c);
}

inv_case *inv_new_robot(const char *path)
{
    enum { BYTES = 1 << 23 };
    inv_case *c = (inv_case *)calloc(1, sizeof *c);
    slip_urdf_options o = slip_urdf_defaults();
    slip_urdf robot;
    slip_arena mem;
    slip_error err;

    inv_robot_memory = malloc(BYTES);
    TEST_ASSERT_NOT_NULL(c);
    TEST_ASSERT_NOT_NULL(inv_robot_memory);
    mem = slip_arena_over(inv_robot_memory, BYTES);
    o.free_base = 1;
    o.find_meshes = 0;
    if (slip_urdf_load(path, &o, &mem, &robot, NULL, &err) < 0) TEST_FAIL_MESSAGE(err.what);
    if (slip_model_build(&robot.def, &mem, &c->tree.model, NULL, &err) < 0) TEST_FAIL_MESSAGE(err.what);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_data_create(c->tree.model, &mem, &c->tree.data));
    return inv_assemble(c);
}

void inv_free(inv_case *c)
{
    free(inv_memory);
    free(inv_robot_memory);
    inv_memory = inv_robot_memory = NULL;
    free(c);
}

static void inv_site(inv_case *c, slip_random *rng, slip_contact_site *site)
{
    slip_real offset[3];

    site->body_a = 0;
    site->body_b = slip_random_int(rng, 1, c->tree.model->nbodies - 1);
    tree_random_vector(rng, 3, offset);
    slip_axpy3(SLIP_R(0.2), offset, c->tree.data->pose[site->body_b].p, site->point);
    slip_random_unit3(rng, site->frame + 6);
    slip_tangents(site->frame + 6, site->frame, site->frame + 3);
}

void inv_state(inv_case *c, slip_random *rng, int nc, int nl, slip_real dt)
{
    const slip_model *m = c->tree.model;
    int i, k;

    slip_random_q(m, rng, c->q);
    tree_random_vector(rng, m->nv, c->v);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_crba(m, c->tree.data, c->q));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_ltl_factor(&m->branches, c->tree.data->M, c->tree.data->L, c->tree.data->D_inv,
                                                   NULL));
    slip_assembly_begin(&c->assembly, m, c->tree.data);
    for (i = 0; i < nc; ++i) {
        slip_contact_site site;

        inv_site(c, rng, &site);
        slip_assembly_contact(&c->assembly, &site);
        c->mu[i] = slip_random_uniform(rng, SLIP_R(0.2), 1);
    }
    for (i = 0; i < nl; ++i) slip_assembly_limit(&c->assembly, slip_random_int(rng, 6, m->nv - 1), i % 2 ? -1 : 1);
    slip_assembly_velocity(&c->assembly, c->v, c->g);
    for (i = 0; i < nc + nl; ++i) {
        c->gap[i] = slip_random_uniform(rng, SLIP_R(-0.01), SLIP_R(0.1));
        c->vmin[i] = -c->gap[i]*(c->gap[i] > 0 ? 1/dt : SLIP_R(0.2)/dt);
        for (k = 0; k < (i < nc ? 3 : 1); ++k)
            c->R[(i < nc ? 3*i : 2*nc + i) + k] = slip_barrier_compliance(c->gap[i], SLIP_R(0.01), 100, SLIP_R(0.1));
    }
    slip_assembly_finish(&c->assembly, c->mu, c->g, c->R, &c->p);
    c->p.vmin = c->vmin;
}

slip_status inv_solve(slip_solve_function *solve, slip_bytes_function *bytes, const slip_problem *p,
                      const slip_solver_options *opt, slip_real *lambda, slip_solution *sol)
{
    const size_t size = bytes(p, opt) + 64;
    void *block = malloc(size);
    slip_arena scratch = slip_arena_over(block, size);
    slip_status s;

    *sol = slip_solution_over(lambda, NULL, NULL);
    s = solve(p, opt, sol, &scratch);
    free(block);
    return s;
}
