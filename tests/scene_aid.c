/* See scene_aid.h. */
#include "scene_aid.h"

#include <stdlib.h>
#include <string.h>
#include "unity.h"

#define SCENE_AID_BYTES ((size_t)160 << 20)

static void *scene_aid_block;
static slip_arena scene_aid_mem;

void aid_forget(void)
{
    if (!scene_aid_block) scene_aid_block = malloc(SCENE_AID_BYTES);
    TEST_ASSERT_NOT_NULL(scene_aid_block);
    scene_aid_mem = slip_arena_over(scene_aid_block, SCENE_AID_BYTES);
}

slip_arena *aid_memory(void) { return &scene_aid_mem; }

static slip_scene *scene_aid_new(void)
{
    slip_scene *s = (slip_scene *)slip_arena_take_zero(&scene_aid_mem, 1, sizeof *s);

    TEST_ASSERT_NOT_NULL(s);
    return s;
}

slip_scene *aid_read(const char *text)
{
    slip_scene *s = scene_aid_new();
    slip_error err;

    if (slip_scene_read(text, strlen(text), "models/test.xml", NULL, &scene_aid_mem, s, NULL, &err) != SLIP_OK)
        TEST_FAIL_MESSAGE(err.what);
    return s;
}

slip_scene *aid_open(const char *path)
{
    slip_scene *s = scene_aid_new();
    slip_error err;

    if (slip_scene_load(path, NULL, &scene_aid_mem, s, NULL, &err) != SLIP_OK) TEST_FAIL_MESSAGE(err.what);
    return s;
}

slip_world *aid_start(slip_scene *scene)
{
    slip_world *w = NULL;
    slip_error err;

    if (slip_scene_start(scene, &scene_aid_mem, &w, NULL, &err) != SLIP_OK) TEST_FAIL_MESSAGE(err.what);
    slip_world_set_control(w, slip_scene_control, scene);
    return w;
}

slip_status aid_steps(slip_world *w, int n)
{
    slip_status worst = SLIP_OK;
    int k;

    for (k = 0; k < n; ++k) {
        const slip_status s = slip_step(w);

        if (s < 0) TEST_FAIL_MESSAGE(slip_world_error(w)->what);
        if (s > worst) worst = s;
    }
    return worst;
}

int aid_link(slip_world *w, const char *link)
{
    const int i = slip_model_find_link(slip_world_model(w), link);

    if (i < 0) TEST_FAIL_MESSAGE(link);
    return i;
}

int aid_iv(slip_world *w, const char *joint)
{
    const slip_model *m = slip_world_model(w);
    const int j = slip_model_find_joint(m, joint);

    if (j < 0 || m->joint_body[j] < 0) TEST_FAIL_MESSAGE(joint);
    return m->dof_iv[m->idof[m->joint_body[j]]];
}

slip_real *aid_body_q(slip_world *w, const char *link)
{
    const slip_model *m = slip_world_model(w);

    return slip_world_q(w) + m->iq[m->link_body[aid_link(w, link)]];
}

slip_real *aid_body_v(slip_world *w, const char *link)
{
    const slip_model *m = slip_world_model(w);

    return slip_world_v(w) + m->dof_iv[m->idof[m->link_body[aid_link(w, link)]]];
}

double aid_energy_of(slip_world *w)
{
    slip_real kinetic, potential;

    slip_world_energy(w, &kinetic, &potential);
    return (double)kinetic + (double)potential;
}
