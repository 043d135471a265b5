/* The scratch and results of the algorithms, carved from an arena. */
#include "rbd/dynamics.h"

static slip_data *data_carve(const slip_model *m, slip_arena *mem)
{
    const size_t nb = (size_t)m->nbodies, nd = (size_t)m->ndofs, nv = (size_t)m->nv;
    slip_data *d = (slip_data *)slip_arena_take(mem, 1, sizeof *d);
    slip_data sizes, *to = slip_arena_is_counting(mem) || !d ? &sizes : d;

    to->pose = (slip_pose *)slip_arena_take_zero(mem, nb, sizeof(slip_pose));
    to->arm = (slip_real *)slip_arena_take_zero(mem, 3*nb, sizeof(slip_real));
    to->velocity = (slip_real *)slip_arena_take_zero(mem, 6*nb, sizeof(slip_real));
    to->accel = (slip_real *)slip_arena_take_zero(mem, 6*nb, sizeof(slip_real));
    to->inertia = slip_arena_reals(mem, 10*nb);
    to->force = slip_arena_reals(mem, 6*nb);
    to->M = (slip_real *)slip_arena_take_zero(mem, (size_t)m->branches.size, sizeof(slip_real));
    to->L = slip_arena_reals(mem, (size_t)m->branches.size);
    to->D_inv = slip_arena_reals(mem, nv);
    to->own = slip_arena_reals(mem, 10*nb);
    to->has_own = 0;
    to->angle = (slip_real *)slip_arena_take_zero(mem, SLIP_PADDED(nb), sizeof(slip_real));
    to->trig = slip_arena_reals(mem, 2*SLIP_PADDED(nb));
    to->bias = (slip_real *)slip_arena_take_zero(mem, 9*nb, sizeof(slip_real));
    to->articulated = slip_arena_reals(mem, 21*nb);
    to->U = slip_arena_reals(mem, 6*nd);
    to->u = slip_arena_reals(mem, 4*nd);
    to->M_dofs = m->ndofs == m->nv ? to->M : (slip_real *)slip_arena_take_zero(mem, (size_t)m->dofs.size,
                                                                               sizeof(slip_real));
    to->x = slip_arena_reals(mem, nv);
    return d;
}

size_t slip_data_bytes(const slip_model *model)
{
    slip_arena count = slip_arena_counting();

    data_carve(model, &count);
    return slip_arena_needed(&count);
}

slip_status slip_data_create(const slip_model *model, slip_arena *mem, slip_data **data)
{
    const size_t mark = slip_arena_mark(mem);
    const int failed_before = mem->failed;
    slip_data *d;

    mem->failed = 0;
    d = data_carve(model, mem);
    if (mem->failed) {
        slip_arena_release(mem, mark);
        return SLIP_ERR_WORKSPACE;
    }
    mem->failed = failed_before;
    if (!slip_arena_is_counting(mem)) slip_pose_identity(&d->pose[0]);
    *data = d;
    return SLIP_OK;
}
