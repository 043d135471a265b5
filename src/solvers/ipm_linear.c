/* The matrix W A + Z of an interior point's iteration as a full and as a sparse one; in the joints' space it is in
 * ipm_joint.c. See ipm.h. */
#include "solvers/ipm.h"

/* ---- memory ---------------------------------------------------------------------------------------- */

slip_status slip_ipm_carve_matrix(slip_ipm *w, slip_arena *arena)
{
    const size_t m = (size_t)slip_block_count(w->p);

    slip_ipm_joint_carve(w, arena);
    w->W = slip_arena_reals(arena, 9*m);
    w->Z = slip_arena_reals(arena, 9*m);
    return arena->failed ? SLIP_ERR_WORKSPACE : SLIP_OK;
}

/* ---- products -------------------------------------------------------------------------------------------------- */

void slip_ipm_to_rows(const slip_ipm *w, const slip_real *parts, slip_real *SLIP_RESTRICT rows)
{
    const int nc = w->p->nc;
    int i;

    for (i = 0; i < nc; ++i) {
        rows[3*i] = parts[i];
        rows[3*i + 1] = parts[nc + i];
        rows[3*i + 2] = parts[2*nc + i];
    }
    for (i = 3*nc; i < w->p->n; ++i) rows[i] = parts[i];
}

void slip_ipm_to_parts(const slip_ipm *w, const slip_real *rows, slip_real *SLIP_RESTRICT parts)
{
    const int nc = w->p->nc;
    int i;

    for (i = 0; i < nc; ++i) {
        parts[i] = rows[3*i];
        parts[nc + i] = rows[3*i + 1];
        parts[2*nc + i] = rows[3*i + 2];
    }
    for (i = 3*nc; i < w->p->n; ++i) parts[i] = rows[i];
}

/* out += D R D x */
static void ipm_add_compliance(const slip_ipm *w, const slip_real *x, slip_real *SLIP_RESTRICT out)
{
    int i;

    if (w->p->R) for (i = 0; i < w->p->n; ++i) out[i] += w->soft[i]*x[i];
}

void slip_ipm_product(slip_ipm *w, const slip_real *x, slip_real *out)
{
    slip_ipm_to_rows(w, x, w->rows);
    slip_operator_apply(w->op, w->rows, w->lambda);
    slip_ipm_to_parts(w, w->lambda, out);
    ipm_add_compliance(w, x, out);
}

/* ---- factorisation ------------------------------------------------------------------------------------------- */

/* w->W and w->Z, 9 per block, with the terms of R: W A + Z = W (A - D R D) + (Z + W D R D). */
static void ipm_write_blocks(slip_ipm *w)
{
    const slip_problem *p = w->p;
    const slip_ipm_blocks *b = &w->blocks;
    const int nc = p->nc;
    int i, r, c;

    for (i = 0; i < nc; ++i) {
        slip_real *W = w->W + 9*i, *Z = w->Z + 9*i;

        W[0] = b->w00[i];  W[1] = b->w01[i];  W[2] = 0;
        W[3] = b->w01[i];  W[4] = b->w11[i];  W[5] = 0;
        W[6] = 0;          W[7] = 0;          W[8] = w->at.x[2*nc + i];
        Z[0] = b->z00[i];  Z[1] = b->z01[i];  Z[2] = b->z02[i];
        Z[3] = b->z10[i];  Z[4] = b->z11[i];  Z[5] = b->z12[i];
        Z[6] = 0;          Z[7] = 0;          Z[8] = w->at.y[2*nc + i];
        for (r = 0; r < 3; ++r) for (c = 0; c < 3; ++c) Z[3*r + c] += W[3*r + c]*w->soft[c*nc + i];
    }
    for (; i < slip_block_count(p); ++i) {
        const int row = slip_block_row(p, i);

        w->W[9*i] = slip_ipm_row_w(w, row);
        w->Z[9*i] = slip_ipm_row_z(w, row) + w->W[9*i]*w->soft[row];
    }
}

int slip_ipm_factor(slip_ipm *w)
{
    if (w->op->route == SLIP_OPERATOR_JOINT) return slip_ipm_joint_factor(w);
    ipm_write_blocks(w);
    return slip_operator_factor(w->op, w->W, w->Z);
}

/* ---- solution ------------------------------------------------------------------------------------------------ */

void slip_ipm_solve(slip_ipm *w, slip_real *x, slip_real *image)
{
    if (w->op->route == SLIP_OPERATOR_JOINT) {
        slip_ipm_joint_solve(w, x, image);
    } else {
        slip_ipm_to_rows(w, x, w->rows);
        slip_operator_solve(w->op, w->rows);
        slip_ipm_to_parts(w, w->rows, x);
        slip_operator_apply(w->op, w->rows, w->lambda);
        slip_ipm_to_parts(w, w->lambda, image);
    }
    ipm_add_compliance(w, x, image);
}

void slip_ipm_solve_two(slip_ipm *w, slip_real *const x[2], slip_real *const image[2])
{
    int i;

    if (w->op->route == SLIP_OPERATOR_JOINT) slip_ipm_joint_solve_two(w, x, image);
    for (i = 0; i < 2; ++i)
        if (w->op->route == SLIP_OPERATOR_JOINT) ipm_add_compliance(w, x[i], image[i]);
        else slip_ipm_solve(w, x[i], image[i]);
}
