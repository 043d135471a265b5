/* One step of a scene and its derivative by the state and by the free parameters. See fit.h.
 *
 * A and the columns of friction, restitution, stiffness and damping of contacts are those of slip_step_derivatives().
 * Masses, inertias and the like only enter the momentum equation rnea(q, v, y) + d v+ = tau + ..., y = (v+ - v)/dt, so
 * that to change them by dx is to change tau by -d(rnea + d v+)/dx: their columns are those of tau times a regressor,
 * which is linear in all but logarithms and taken from two models. That holds where every joint has one freedom; other
 * models get central differences of the step for these parameters. Steps without a derivative (SLIP_DEGENERATE, or
 * what slip_step_derivatives() refuses) get central differences for all. */
#include "fit.h"

#include <stdlib.h>
#include <string.h>

#define FIT_BORDER SLIP_TOL(1e-6, 1e-4)      /* contacts that near to another mode are differenced             */
#define FIT_SHIFT  SLIP_TOL(1e-4, 1e-3)      /* of q and v in differences [m, rad, m/s, rad/s]                 */

/* ---- worlds ------------------------------------------------------------------------------------------------------ */

static int fit_stage_slopes(fit_stage *st, const double *x)
{
    double at[FIT_MOST];
    int i;

    memcpy(at, x, (size_t)st->set->n*sizeof *at);
    for (i = 0; i < st->set->n; ++i) {
        const double h = fit_set_scale(st->set, x, i);
        double lower;

        at[i] = x[i] - h;
        fit_set_clamp(st->set, at);                          /* at a bound the difference is one-sided */
        lower = at[i];
        if (!fit_plant_open(st->command, st->scene, st->set, at, &st->less[i])) return 0;
        at[i] = x[i] + h;
        fit_set_clamp(st->set, at);
        if (!fit_plant_open(st->command, st->scene, st->set, at, &st->more[i])) return 0;
        st->h[i] = (at[i] - lower)/2;
        at[i] = x[i];
    }
    return 1;
}

static int fit_has_regressors(const slip_model *m)
{
    int b;

    for (b = 1; b < m->nbodies; ++b)
        if (m->mimics[b] || slip_joint_nv((slip_joint_type)m->type[b]) != 1) return 0;
    return m->nbodies > 1;
}

int fit_stage_open(const char *command, const slip_scene *scene, const fit_set *set, const double *x, int with_slopes,
                   fit_counts *counts, fit_stage *st)
{
    const slip_model *m = scene->model;
    slip_arena mem;

    memset(st, 0, sizeof *st);
    st->command = command;
    st->scene = scene;
    st->set = set;
    st->counts = counts;
    st->more = (fit_plant *)calloc((size_t)set->n, sizeof *st->more);
    st->less = (fit_plant *)calloc((size_t)set->n, sizeof *st->less);
    st->h = (double *)cli_alloc((size_t)set->n*sizeof *st->h);
    if (!st->more || !st->less) return 0;
    if (!fit_plant_open(command, scene, set, x, &st->base)) return 0;
    if (with_slopes && !fit_stage_slopes(st, x)) return 0;
    st->has_regressors = fit_has_regressors(m);
    st->bytes = slip_step_jacobian_bytes(st->base.world);
    st->block = cli_alloc(st->bytes);
    st->before = cli_alloc(slip_snapshot_bytes(st->base.world));
    st->after = cli_alloc(slip_snapshot_bytes(st->base.world));
    slip_snapshot_save(st->base.world, st->after);
    st->scratch = (slip_real *)cli_alloc((size_t)(4*m->nq + 8*m->nv + 16)*sizeof(slip_real));
    st->data_block = cli_alloc(slip_data_bytes(m));
    mem = slip_arena_over(st->data_block, slip_data_bytes(m));
    return slip_data_create(m, &mem, &st->data) == SLIP_OK;
}

void fit_stage_close(fit_stage *st)
{
    int i;

    for (i = 0; i < st->set->n; ++i) {
        if (st->more) fit_plant_close(&st->more[i]);
        if (st->less) fit_plant_close(&st->less[i]);
    }
    fit_plant_close(&st->base);
    free(st->more);
    free(st->less);
    free(st->h);
    free(st->block);
    free(st->before);
    free(st->after);
    free(st->scratch);
    free(st->data_block);
}

void fit_stage_put(fit_stage *st, double time, const slip_real *q, const slip_real *v)
{
    const slip_scene *s = &st->base.scene;
    const slip_model *m = st->scene->model;
    const double dt = (double)s->world.options.dt;
    long k;

    slip_snapshot_restore(st->base.world, st->after, slip_snapshot_bytes(st->base.world));   /* of the start */
    for (k = 0; s->nevents > 0 && (double)k*dt < time - dt/2; ++k)
        slip_scene_apply_at(s, st->base.world, (slip_real)((double)k*dt));
    memcpy(slip_world_q(st->base.world), q, (size_t)m->nq*sizeof *q);
    memcpy(slip_world_v(st->base.world), v, (size_t)m->nv*sizeof *v);
}

/* ---- central differences ----------------------------------------------------------------------------------------- */

/* A step of a world from the state before the present step, which is shifted by s along coordinate i of (q, v), -1:
 * not. q+ and v+ into out. 0 when it failed. */
static int fit_shifted_step(fit_stage *st, slip_world *w, int i, slip_real s, slip_real *out)
{
    const slip_model *m = st->scene->model;
    slip_real *q = slip_world_q(w), *e = st->scratch;

    slip_snapshot_restore(w, st->before, slip_snapshot_bytes(w));
    if (i >= m->nv) slip_world_v(w)[i - m->nv] += s;
    else if (i >= 0) {
        memset(e, 0, (size_t)m->nv*sizeof *e);
        e[i] = s;
        slip_integrate(m, q, e, 1, q);
    }
    ++st->counts->extra;
    if (slip_step(w) < 0) return 0;
    memcpy(out, q, (size_t)m->nq*sizeof *out);
    memcpy(out + m->nq, slip_world_v(w), (size_t)m->nv*sizeof *out);
    return 1;
}

/* Column `column` of a row-major matrix from two results: tangents between them over `width`. */
static void fit_column_from(fit_stage *st, const slip_real *less, const slip_real *more, double width, double *D,
                            int columns, int column)
{
    const slip_model *m = st->scene->model;
    slip_real *e = st->scratch;
    int k;

    slip_difference(m, less, more, e);
    for (k = 0; k < m->nv; ++k) {
        D[k*columns + column] = (double)e[k]/width;
        D[(m->nv + k)*columns + column] = (double)(more[m->nq + k] - less[m->nq + k])/width;
    }
}

static int fit_difference_parameter(fit_stage *st, int i, double *B)
{
    const slip_model *m = st->scene->model;
    slip_real *less = st->scratch + m->nv, *more = less + m->nq + m->nv;

    if (!fit_shifted_step(st, st->less[i].world, -1, 0, less)) return 0;
    if (!fit_shifted_step(st, st->more[i].world, -1, 0, more)) return 0;
    fit_column_from(st, less, more, 2*st->h[i], B, st->set->n, i);
    return 1;
}

static int fit_difference_all(fit_stage *st, double *A, double *B)
{
    const slip_model *m = st->scene->model;
    slip_real *less = st->scratch + m->nv, *more = less + m->nq + m->nv;
    int i;

    for (i = 0; i < 2*m->nv; ++i) {
        if (!fit_shifted_step(st, st->base.world, i, -FIT_SHIFT, less)) return 0;
        if (!fit_shifted_step(st, st->base.world, i, FIT_SHIFT, more)) return 0;
        fit_column_from(st, less, more, 2*(double)FIT_SHIFT, A, 2*m->nv, i);
    }
    for (i = 0; i < st->set->n; ++i) if (!fit_difference_parameter(st, i, B)) return 0;
    slip_snapshot_restore(st->base.world, st->before, slip_snapshot_bytes(st->base.world));
    return 1;
}

/* ---- analytic ---------------------------------------------------------------------------------------------------- */

/* Columns of parameters of contacts: by the contacts' own, and by what the parameter does to them. */
static void fit_contact_columns(fit_stage *st, const slip_step_jacobian *J, int parameter, double *B)
{
    const slip_world_def *def = &st->base.scene.world;
    const fit_parameter *p = &st->set->parameter[parameter];
    const int first = p->kind == FIT_MU ? J->friction : p->kind == FIT_RESTITUTION ? J->restitution
        : p->kind == FIT_STIFFNESS ? J->stiffness : J->damping, i = p->first;
    int c, k;

    for (k = 0; k < 2*J->nv; ++k) B[k*st->set->n + i] = 0;
    for (c = 0; c < J->nc; ++c) {
        const slip_contact_info info = slip_contact_get(st->base.world, c);
        const double slope = fit_contact_slope(st->set, &st->base.scene, parameter,
                                               def->colliders[info.collider_a].material,
                                               def->colliders[info.collider_b].material, p->kind);

        for (k = 0; k < 2*J->nv && (slope > 0 || slope < 0); ++k)
            B[k*st->set->n + i] += slope*(double)J->D[k*J->columns + first + c];
    }
}

/* d(rnea)/dx_i at the step: y from the velocities before and after it. */
static int fit_regressor(fit_stage *st, const slip_real *q, const slip_real *v, const slip_real *after, int i,
                         double *out)
{
    const slip_model *m = st->scene->model;
    const slip_real dt = st->base.scene.world.options.dt;
    slip_real *y = st->scratch + 2*m->nq + 3*m->nv, *more = y + m->nv, *less = more + m->nv;
    int k;

    for (k = 0; k < m->nv; ++k) y[k] = (after[k] - v[k])/dt;
    if (slip_rnea(st->more[i].scene.model, st->data, q, v, y, NULL, more) < 0) return 0;
    if (slip_rnea(st->less[i].scene.model, st->data, q, v, y, NULL, less) < 0) return 0;
    for (k = 0; k < m->nv; ++k) out[k] = (double)(more[k] - less[k])/(2*st->h[i]);
    return 1;
}

static int fit_momentum_columns(fit_stage *st, const slip_step_jacobian *J, const fit_parameter *p, const slip_real *q,
                                const slip_real *v, double *B)
{
    const slip_model *m = st->scene->model;
    const slip_real *after = slip_world_v(st->base.world);
    double *dtau = (double *)cli_alloc((size_t)m->nv*sizeof *dtau);
    int i, k, l, ok = 1;

    for (i = p->first; ok && i < p->first + p->count; ++i) {
        if (p->kind == FIT_DAMPING) {
            const int iv = m->dof_iv[m->idof[m->joint_body[p->index]]];

            memset(dtau, 0, (size_t)m->nv*sizeof *dtau);
            dtau[iv] = (double)after[iv];
        } else ok = fit_regressor(st, q, v, after, i, dtau);
        for (k = 0; ok && k < 2*m->nv; ++k) {
            double sum = 0;

            for (l = 0; l < m->nv; ++l) sum += (double)J->D[k*J->columns + J->tau + l]*dtau[l];
            B[k*st->set->n + i] = -sum;
        }
    }
    free(dtau);
    return ok;
}

/* Columns of all parameters after an analytic step from (q, v). */
static int fit_parameter_columns(fit_stage *st, const slip_step_jacobian *J, const slip_real *q, const slip_real *v,
                                 double *B)
{
    const int regressors = st->has_regressors && st->base.scene.world.options.integrator == SLIP_EULER;
    int i, k;

    for (i = 0; i < st->set->nparameters; ++i) {
        const fit_parameter *p = &st->set->parameter[i];

        if (p->kind <= FIT_CONTACT_DAMPING) fit_contact_columns(st, J, i, B);
        else if (regressors && p->kind != FIT_FRICTION) {
            if (!fit_momentum_columns(st, J, p, q, v, B)) return 0;
        } else for (k = p->first; k < p->first + p->count; ++k) if (!fit_difference_parameter(st, k, B)) return 0;
    }
    return 1;
}

/* Takes the step with its derivative: 1 done, 0 there is none, and the step may have been taken. */
static int fit_analytic_step(fit_stage *st, double *A, double *B)
{
    const slip_model *m = st->scene->model;
    const unsigned inputs = SLIP_BY_STATE | SLIP_BY_TAU | SLIP_BY_MATERIAL;
    slip_real *q = (slip_real *)cli_alloc((size_t)(m->nq + m->nv)*sizeof *q), *v = q + m->nq;
    slip_step_jacobian J;
    slip_status status;
    int i, k, ok;

    memcpy(q, slip_world_q(st->base.world), (size_t)m->nq*sizeof *q);
    memcpy(v, slip_world_v(st->base.world), (size_t)m->nv*sizeof *v);
    st->mem = slip_arena_over(st->block, st->bytes);
    status = slip_step_derivatives(st->base.world, inputs, FIT_BORDER, &st->mem, &J);
    ok = status == SLIP_OK;
    for (i = 0; ok && i < 2*m->nv; ++i)
        for (k = 0; k < m->nv; ++k) {
            A[i*2*m->nv + k] = (double)J.D[i*J.columns + J.q + k];
            A[i*2*m->nv + m->nv + k] = (double)J.D[i*J.columns + J.v + k];
        }
    ok = ok && fit_parameter_columns(st, &J, q, v, B);
    free(q);
    return ok;
}

/* ---- */

static int fit_failed(fit_stage *st, double time)
{
    return cli_fail(st->command, "the step at %g s failed: %s", time, slip_world_error(st->base.world)->what), 0;
}

int fit_stage_step(fit_stage *st, double time, const slip_real *tau, double *A, double *B)
{
    slip_world *w = st->base.world;

    slip_scene_apply_at(&st->base.scene, w, (slip_real)time);
    if (tau) memcpy(slip_world_tau(w), tau, (size_t)st->scene->model->nv*sizeof *tau);
    ++st->counts->steps;
    if (!A) return slip_step(w) >= 0 || fit_failed(st, time);
    slip_snapshot_save(w, st->before);
    if (!st->is_simple && fit_analytic_step(st, A, B)) {
        ++st->counts->differentiated;
        return 1;
    }
    ++st->counts->differenced;
    if (!fit_difference_all(st, A, B) || slip_step(w) < 0) return fit_failed(st, time);
    return 1;
}
