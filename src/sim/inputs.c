/* Checks before a step of everything that users may have written. Errors are reported by name and value. */
#include "sim/world_private.h"

#include <stddef.h>
#include <string.h>

const char *slip_sim_joint_name(const slip_world *w, int iv)
{
    return w->model->joint_name[w->model->body_joint[w->fixed.iv_body[iv]]];
}

const char *slip_sim_joint_at(const slip_world *w, int iq)
{
    const slip_model *m = w->model;
    int b = 1;

    while (b + 1 < m->nbodies && (m->mimics[b] || m->iq[b] + slip_joint_nq((slip_joint_type)m->type[b]) <= iq)) ++b;
    return m->joint_name[m->body_joint[b]];
}

slip_status slip_sim_no_inertia(slip_world *w, int iv, slip_real inertia)
{
    return slip_fail(&w->error, SLIP_ERR_NOT_SPD, 0, 0, "the mass matrix is not positive definite at joint '%s', whose "
                     "inertia is %g", slip_sim_joint_name(w, iv), (double)inertia);
}

static slip_status inputs_bad_value(slip_world *w, const char *what, const char *joint, slip_real x, slip_real most)
{
    if (!slip_is_finite(x) || !slip_is_finite(most))
        return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0,
                         "%s of joint '%s' is %g, which is not a number to go on with", what, joint, (double)x);
    return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "%s of joint '%s' is %.6g, expected at most %.3g either way",
                     what, joint, (double)x, (double)most);
}

slip_status slip_sim_check_state(slip_world *w)
{
    const slip_real farthest = SLIP_MOST_LENGTH, fastest = SLIP_MOST_SPEED;
    int i = 0;

    if (!slip_all_within(w->state.q, w->model->nq, farthest)) {
        while (slip_abs(w->state.q[i]) <= farthest) ++i;
        return inputs_bad_value(w, "the position", slip_sim_joint_at(w, i), w->state.q[i], farthest);
    }
    if (!slip_all_within(w->state.v, w->model->nv, fastest)) {
        while (slip_abs(w->state.v[i]) <= fastest) ++i;
        return inputs_bad_value(w, "the velocity", slip_sim_joint_name(w, i), w->state.v[i], fastest);
    }
    return SLIP_OK;
}

slip_status slip_sim_check_quaternions(slip_world *w, const slip_real *q)
{
    const slip_model *m = w->model;
    int b;

    for (b = 1; b < m->nbodies; ++b) {
        const slip_real *e = q + m->iq[b] + (m->type[b] == SLIP_JOINT_FLOATING ? 3 : 0);

        if (m->type[b] != SLIP_JOINT_FLOATING && m->type[b] != SLIP_JOINT_BALL) continue;
        if (!(e[0]*e[0] + e[1]*e[1] + e[2]*e[2] + e[3]*e[3] > 0))
            return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "the orientation of joint '%s' is a quaternion of "
                             "zero length", m->joint_name[m->body_joint[b]]);
    }
    return SLIP_OK;
}

/* ---- options --------------------------------------------------------------------------------------------- */

static slip_status inputs_check_tolerance(const slip_world_options *o, slip_error *err)
{
    if (!(o->solve.tol > 0) || !slip_is_finite(o->solve.tol))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "the solver's tol is %g, expected a positive number",
                         (double)o->solve.tol);
    if (o->solve.max_iterations < 0)
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "the solver's max_iterations is %d, expected 0 or more",
                         o->solve.max_iterations);
    return SLIP_OK;
}

/* Names the number that is wrong. */
static slip_status inputs_bad_option(const slip_world_options *o, slip_error *err)
{
    const struct { const char *name; slip_real value, most; } number[] = {
        { "margin", o->margin, SLIP_REAL_MAX },               { "erp", o->erp, 1 },
        { "slop", o->slop, (slip_real)INFINITY },             { "ring", o->ring, (slip_real)INFINITY },
        { "sleep", o->sleep, (slip_real)INFINITY },           { "sleep_time", o->sleep_time, (slip_real)INFINITY },
        { "max_push", o->max_push, (slip_real)INFINITY },     { "max_pull", o->max_pull, (slip_real)INFINITY },
        { "rest_speed", o->rest_speed, (slip_real)INFINITY }, { "warm_share", o->warm_share, 1 },
        { "reuse", o->reuse, 1 }
    };
    const int last = (int)(sizeof number/sizeof *number) - 1;
    int i = 0;

    while (i < last && number[i].value >= 0 && number[i].value <= number[i].most) ++i;
    return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "the option %s is %g, expected %s", number[i].name,
                     (double)number[i].value, number[i].most <= 1 ? "0 to 1"
                     : number[i].value > number[i].most ? "a finite number" : "0 or more");
}

slip_status slip_sim_check_options(const slip_world_options *o, slip_error *err)
{
    if (!(o->dt > 0) || !slip_is_finite(o->dt))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "the time step is %g s, expected a positive number",
                         (double)o->dt);
    if (!(o->margin >= 0 && o->margin <= SLIP_REAL_MAX && o->erp >= 0 && o->erp <= 1 && o->slop >= 0 && o->ring >= 0
          && o->sleep >= 0 && o->sleep_time >= 0 && o->max_push >= 0 && o->max_pull >= 0
          && o->rest_speed >= 0 && o->reuse >= 0 && o->reuse <= 1 && o->warm_share >= 0 && o->warm_share <= 1))
        return inputs_bad_option(o, err);
    if (o->step_iterations < 0 || !(o->step_seconds >= 0) || (o->step_seconds > 0 && !o->clock))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "the budget of a step is %d iterations and %g s, expected "
                         "numbers from 0 on, and a clock for the seconds", o->step_iterations, o->step_seconds);
    if (!SLIP_HAS_BUDGETS && (o->step_iterations > 0 || o->step_seconds > 0))
        return slip_fail(err, SLIP_ERR_UNSUPPORTED, 0, 0, "budgets of steps are left out of this program: "
                         "SLIP_NO_BUDGETS");
    if (!SLIP_HAS_LAWS && o->law.kind != SLIP_LAW_RIGID)
        return slip_fail(err, SLIP_ERR_UNSUPPORTED, 0, 0, "contact laws are left out of this program: SLIP_NO_LAWS");
    if (SLIP_HAS_LAWS && o->law.kind != SLIP_LAW_RIGID && slip_sim_check_law(&o->law, err) < 0)
        return SLIP_ERR_ARGUMENT;
    return inputs_check_tolerance(o, err);
}

/* ---- inputs ---------------------------------------------------------------------------------------------- */

/* Names the field of a drive that is wrong. */
static slip_status inputs_bad_drive(slip_world *w, int i)
{
    const slip_drive *d = &w->input.drives[i];
    const struct { const char *name; slip_real value; int sign; } field[] = {
        { "kp", d->kp, 1 }, { "kd", d->kd, 1 }, { "effort", d->effort, 1 },
        { "q_ref", d->q_ref, 0 }, { "v_ref", d->v_ref, 0 }, { "feed", d->feed, 0 }
    };
    int k;

    for (k = 0; k < 5; ++k)
        if (!(field[k].sign ? field[k].value >= 0 : slip_is_finite(field[k].value))
            || (k < 2 && !slip_is_finite(field[k].value))) break;
    if (k == 5 && slip_is_finite(d->feed))
        return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "the drive's kp of joint '%s' is %g, expected 0: a joint "
                         "of several freedoms has no one position to hold", slip_sim_joint_name(w, i), (double)d->kp);
    return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "the drive's %s of joint '%s' is %g, expected %s",
                     field[k].name, slip_sim_joint_name(w, i), (double)field[k].value,
                     field[k].sign ? "0 or more" : "a finite number");
}

static slip_status inputs_bad_wrench(slip_world *w)
{
    const slip_model *m = w->model;
    int i = 0;

    while (slip_is_finite(w->input.wrench[i])) ++i;
    return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "the external %s on '%s' is %g along %s",
                     i % 6 < 3 ? "force" : "moment", i < 6 ? "world" : m->link_name[m->body_link[i/6]],
                     (double)w->input.wrench[i], i % 3 == 0 ? "x" : i % 3 == 1 ? "y" : "z");
}

static slip_status inputs_bad_force(slip_world *w)
{
    int i = 0;

    while (slip_is_finite(w->input.tau[i])) ++i;
    return inputs_bad_value(w, "the force", slip_sim_joint_name(w, i), w->input.tau[i], (slip_real)INFINITY);
}

/* A drive without gains and feed-forward has no effect: its other fields are not checked. */
static int inputs_drive_is_bad(const slip_world *w, int i)
{
    const slip_drive *d = &w->input.drives[i];

    if (!slip_sim_has_drive(d)) return 0;
    if (d->kp != 0 && w->model->limit_iq[i] < 0) return 1;
    return !(0*d->q_ref + 0*d->v_ref + 0*d->feed + 0*d->kp + 0*d->kd == 0)       /* 0 x NaN, 0 x infinity: NaN */
        || !(d->kp >= 0 && d->kd >= 0 && d->effort >= 0);
}

slip_status slip_sim_check_drives(slip_world *w)
{
    int i;

    for (i = 0; i < w->model->nv; ++i) if (inputs_drive_is_bad(w, i)) return inputs_bad_drive(w, i);
    return SLIP_OK;
}

/* A wrench that is not finite need not show in the velocity: a joint passes on what does not act along its freedoms. */
static slip_status inputs_check_forces(slip_world *w)
{
    if (!slip_all_finite(w->input.tau, w->model->nv)) return inputs_bad_force(w);
    if (!slip_all_finite(w->input.wrench, 6*w->model->nbodies)) return inputs_bad_wrench(w);
    return SLIP_OK;
}

slip_status slip_sim_check_inputs(slip_world *w)
{
    slip_status s = slip_sim_check_options(&w->opt, &w->error);

    if (s == SLIP_OK && (w->cache.checked_solver != w->opt.solver || w->opt.solve.facets > 4))
        s = slip_solver_check(w->opt.solver, &w->opt.solve, &w->error);
    if (s == SLIP_OK && slip_sim_law(w) == SLIP_LAW_REFERENCE && !w->fixed.has_weights)
        s = slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "the contact law is 'reference', and the world was made with "
                      "another one");
    if (s == SLIP_OK && w->fixed.rolling_kinds)
        s = slip_sim_rolling_solver(w->opt.solver, w->fixed.rolling_kinds, &w->error);
    if (s == SLIP_OK) w->cache.checked_solver = w->opt.solver;
    if (s == SLIP_OK) s = slip_sim_check_state(w);
    return s == SLIP_OK ? inputs_check_forces(w) : s;
}
