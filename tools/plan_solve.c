/* The search for a motion. See plan.h.
 *
 *     min  h sum_k [ effort |u_driven/F|^2 + r |u_root/F + y|^2 + smooth |a/g|^2 ] + goals + limits
 *
 * over the positions at all knots, F the weight of all bodies. Each term couples three knots, so that Gauss-Newton's
 * matrix has a band, which is factored as such; a periodic motion is folded (knots 0, n-1, 1, n-2, ...), which makes of the
 * corners of its matrix a band of twice the width. The ground is soft at first, acts from afar and lets feet slide,
 * and hardens by stages (TO: continuation). y are multipliers of the forces that no motor can give: each round at the
 * end adds what is left of them, until nothing is. */
#include "plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *command;
    const plan_task *task;
    const plan_options *o;
    const slip_model *m;
    plan_knot knot;
    const slip_real *start;                  /* [nq]                                                                */
    int nv, nq, unknowns, w;                 /* w: half the band's width                                            */
    unsigned char *driven;                   /* [nv]                                                                */
    double F, root_weight;
    double *y;                               /* [n*nv] multipliers                                                  */
    slip_real *H, *g;                        /* [unknowns][w + 1], [unknowns]                                       */
    slip_real *u, *a, *before, *after, *D[3], *row, *J;
    double cost, root, effort;               /* of the last evaluation                                              */
    double seconds[3];                       /* derivatives, factor, solution                                       */
    long steps;
} plan_search;

static slip_real *plan_zeros(size_t n) { return (slip_real *)calloc(n + 1, sizeof(slip_real)); }

/* ---- band ------------------------------------------------------------------------------------------------------- */

/* L L' of the band, in place; 0 when it is not positive definite. */
static int plan_factor(int n, int w, slip_real *H)
{
    int i, j;

    for (i = 0; i < n; ++i) {
        const int lo = i > w ? i - w : 0;
        slip_real *row = H + (size_t)i*(size_t)(w + 1) + (w - i);           /* row[j], j = lo .. i */

        for (j = lo; j < i; ++j) {
            const slip_real *other = H + (size_t)j*(size_t)(w + 1) + (w - j);
            const int from = lo > j - w ? lo : j - w;

            row[j] = (row[j] - slip_dot(j - from, row + from, other + from))/other[j];
        }
        row[i] -= slip_dot(i - lo, row + lo, row + lo);
        if (!(row[i] > 0)) return 0;
        row[i] = (slip_real)sqrt((double)row[i]);
    }
    return 1;
}

static void plan_band_solve(int n, int w, const slip_real *L, slip_real *x)
{
    int i, j;

    for (i = 0; i < n; ++i) {
        const int lo = i > w ? i - w : 0;
        const slip_real *row = L + (size_t)i*(size_t)(w + 1) + (w - i);

        x[i] = (x[i] - slip_dot(i - lo, row + lo, x + lo))/row[i];
    }
    for (i = n - 1; i >= 0; --i) {
        const int lo = i > w ? i - w : 0;
        const slip_real *row = L + (size_t)i*(size_t)(w + 1) + (w - i);

        x[i] /= row[i];
        for (j = lo; j < i; ++j) x[j] -= row[j]*x[i];
    }
}

/* ---- knots ------------------------------------------------------------------------------------------------------ */

/* First unknown of a knot, -1: it is given. Periodic: knots beyond the ends are those of the other end. */
static int plan_unknown(const plan_search *s, int knot)
{
    const int n = s->task->n;

    if (!s->task->periodic) return knot < 1 ? -1 : (knot - 1)*s->nv;
    knot = (knot + n)%n;
    return (2*knot < n ? 2*knot : 2*(n - 1 - knot) + 1)*s->nv;
}

/* q of a knot from -1 to n, moved where it is another period's. room [nq]. */
static const slip_real *plan_q(const plan_search *s, const slip_real *q, int knot, slip_real *room)
{
    const int n = s->task->n, period = knot < 0 ? -1 : knot >= n ? 1 : 0;
    int b, k;

    if (!s->task->periodic) return q + (knot < 0 ? 0 : knot)*s->nq;
    memcpy(room, q + (knot - period*n)*s->nq, (size_t)s->nq*sizeof *room);
    for (b = 1; b < s->m->nbodies; ++b)
        for (k = 0; k < 2 && s->m->type[b] == SLIP_JOINT_FLOATING; ++k)
            room[s->m->iq[b] + k] += (slip_real)(period*s->task->advance[k]);
    return room;
}

/* Adds a residual r of `rows` numbers with the derivatives D[i] [rows*nv] by knots[i] to gradient and band. */
static void plan_add(plan_search *s, int rows, const slip_real *r, int nknots, const int *knots, slip_real *const *D,
                     double weight)
{
    const int nv = s->nv, w = s->w;
    const slip_real x = (slip_real)weight;
    int a, b, i, j, k;

    for (a = 0; a < nknots; ++a) {
        const int ia = plan_unknown(s, knots[a]);

        for (k = 0; k < rows && ia >= 0; ++k) {
            for (i = 0; i < nv; ++i) s->g[ia + i] += x*r[k]*D[a][k*nv + i];
            for (b = 0; b < nknots; ++b) {
                const int ib = plan_unknown(s, knots[b]);

                if (ib < 0 || ib > ia) continue;
                for (i = 0; i < nv; ++i) {
                    const slip_real d = x*D[a][k*nv + i];
                    slip_real *row = s->H + (size_t)(ia + i)*(size_t)(w + 1) + (w - ia - i) + ib;
                    const int end = ib == ia ? i + 1 : nv;

                    if (!(d > 0 || d < 0)) continue;
                    for (j = 0; j < end; ++j) row[j] += d*D[b][k*nv + j];
                }
            }
        }
    }
}

/* ---- dynamics --------------------------------------------------------------------------------------------------- */

#define PLAN_LIMIT 1e3           /* weight of what is beyond a motor's or a joint's limit [1/F^2, 1/rad^2] */

/* Adds what torques are beyond their motors' limits; before u and D are scaled. */
static void plan_motors(plan_search *s, int knot, int with_slopes)
{
    const int knots[3] = { knot - 1, knot, knot + 1 };
    const double weight = s->task->h*PLAN_LIMIT/(s->F*s->F);
    int i, d;

    for (i = 0; i < s->nv; ++i) {
        const slip_real most = s->m->effort_limit[i], u = s->u[i], x = u > most ? u - most : u < -most ? u + most : 0;
        slip_real *rows[3];

        if (!s->driven[i] || !(x > 0 || x < 0)) continue;
        for (d = 0; d < 3; ++d) rows[d] = s->D[d] + i*s->nv;
        s->cost += weight*(double)(x*x);
        if (with_slopes) plan_add(s, 1, &x, 3, knots, rows, weight);
    }
}

/* Weights of the rows of u at a knot go into u and D: sqrt of the weight over F. */
static void plan_scale_rows(plan_search *s, int knot, int with_slopes)
{
    int i, j, d;

    for (i = 0; i < s->nv; ++i) {
        const double weight = s->driven[i] ? s->task->effort : s->root_weight;
        const slip_real f = (slip_real)(sqrt(weight)/s->F);

        s->u[i] = f*s->u[i] + (slip_real)(s->driven[i] ? 0 : sqrt(weight)*s->y[knot*s->nv + i]);
        for (d = 0; d < 3 && with_slopes; ++d)
            for (j = 0; j < s->nv; ++j) s->D[d][i*s->nv + j] *= f;
    }
}

static int plan_dynamics(plan_search *s, const slip_real *q, int with_slopes)
{
    const slip_real h = (slip_real)s->task->h, gravity = SLIP_R(9.81);
    double effort = 0;
    int k, i;

    s->root = 0;
    for (k = 0; k < s->task->n; ++k) {
        const int knots[3] = { k - 1, k, k + 1 };
        const slip_real *q0 = plan_q(s, q, k - 1, s->before), *q1 = q + k*s->nq, *q2 = plan_q(s, q, k + 1, s->after);
        double sum = 0;

        if (plan_knot_forces(&s->knot, q0, q1, q2, h, s->u, s->a, with_slopes ? s->D : NULL, NULL) < 0) return 0;
        for (i = 0; i < s->nv; ++i) {
            const double u = fabs((double)s->u[i]);

            if (s->driven[i]) effort += u*u;
            else if (u > s->root) s->root = u;
        }
        plan_motors(s, k, with_slopes);
        plan_scale_rows(s, k, with_slopes);
        for (i = 0; i < s->nv; ++i)
            sum += (double)(s->u[i]*s->u[i]) + s->task->smooth*(double)(s->a[i]*s->a[i]/(gravity*gravity));
        s->cost += (double)h*sum;
        if (!with_slopes) continue;
        plan_add(s, s->nv, s->u, 3, knots, s->D, (double)h);
        for (i = 0; i < s->nv && s->task->smooth > 0; ++i) {           /* of a, as if it were (q2 - 2 q1 + q0)/h^2 */
            slip_real *rows[3] = { s->row, s->row + s->nv, s->row + 2*s->nv };

            memset(s->row, 0, 3*(size_t)s->nv*sizeof *s->row);
            rows[0][i] = rows[2][i] = 1/(h*h*gravity);
            rows[1][i] = -2/(h*h*gravity);
            s->a[i] /= gravity;
            plan_add(s, 1, s->a + i, 3, knots, rows, (double)h*s->task->smooth);
        }
    }
    s->effort = sqrt(effort/(s->task->n*(double)s->nv));
    return 1;
}

/* ---- goals ------------------------------------------------------------------------------------------------------ */

/* The place in q of a coordinate of a joint of one freedom, -1 of others. */
static int plan_place(const slip_model *m, int iv)
{
    int b;

    for (b = 1; b < m->nbodies; ++b)
        if (!m->mimics[b] && slip_joint_nv((slip_joint_type)m->type[b]) == 1 && m->dof_iv[m->idof[b]] == iv)
            return m->iq[b];
    return -1;
}

static void plan_goal_row(plan_search *s, int knot, slip_real r, slip_real *row, double weight, int with_slopes)
{
    s->cost += weight*(double)(r*r);
    if (with_slopes) plan_add(s, 1, &r, 1, &knot, &row, weight);
}

static void plan_goal_coordinate(plan_search *s, int knot, int iv, slip_real r, double weight, int with_slopes)
{
    memset(s->row, 0, (size_t)s->nv*sizeof *s->row);
    s->row[iv] = 1;
    plan_goal_row(s, knot, r, s->row, weight, with_slopes);
}

/* Of a link's place or its z axis. */
static void plan_goal_frame(plan_search *s, const plan_goal *g, const slip_real *q, int with_slopes)
{
    const int nv = s->nv;
    slip_real z0[3] = { 0, 0, 1 };
    slip_pose X, X0;
    int i, k;

    slip_kinematics(s->m, s->knot.data, s->start);
    slip_link_pose(s->m, s->knot.data, g->link, &X0);
    slip_kinematics(s->m, s->knot.data, q);
    slip_link_pose(s->m, s->knot.data, g->link, &X);
    slip_link_jacobian(s->m, s->knot.data, g->link, SLIP_FRAME_ALIGNED, s->J);
    slip_mat3_tvec(X0.R, z0, z0);                            /* which of the link's axes pointed up at the start */
    slip_mat3_vec(X.R, z0, z0);
    for (k = 0; k < 3; ++k) {
        if (g->kind == PLAN_POINT) {
            if (g->given[k])
                plan_goal_row(s, g->at, X.p[k] - (slip_real)g->value[k], s->J + k*nv, g->weight, with_slopes);
            continue;
        }
        for (i = 0; i < nv; ++i) {                           /* w x z */
            const int b = (k + 1)%3, c = (k + 2)%3;

            s->row[i] = s->J[(3 + b)*nv + i]*z0[c] - s->J[(3 + c)*nv + i]*z0[b];
        }
        plan_goal_row(s, g->at, z0[k] - (slip_real)(k == 2), s->row, g->weight, with_slopes);
    }
}

static void plan_goal_rest(plan_search *s, const plan_goal *g, const slip_real *q, int with_slopes)
{
    const int knots[2] = { g->at - 1, g->at };
    const slip_real h = (slip_real)s->task->h;
    slip_real *rows[2] = { s->row, s->row + s->nv };
    int i;

    slip_difference(s->m, plan_q(s, q, g->at - 1, s->before), plan_q(s, q, g->at, s->after), s->u);
    for (i = 0; i < s->nv; ++i) {
        s->u[i] /= h;
        s->cost += g->weight*(double)(s->u[i]*s->u[i]);
        if (!with_slopes) continue;
        memset(s->row, 0, 2*(size_t)s->nv*sizeof *s->row);
        rows[0][i] = -1/h;
        rows[1][i] = 1/h;
        plan_add(s, 1, s->u + i, 2, knots, rows, g->weight);
    }
}

static void plan_goals(plan_search *s, const slip_real *q, int with_slopes)
{
    int k, i;

    for (k = 0; k < s->task->ngoals; ++k) {
        const plan_goal *g = &s->task->goal[k];
        const slip_real *at = plan_q(s, q, g->at, s->after);

        if (g->kind == PLAN_POINT || g->kind == PLAN_UPRIGHT) plan_goal_frame(s, g, at, with_slopes);
        else if (g->kind == PLAN_REST) plan_goal_rest(s, g, q, with_slopes);
        else for (i = 0; i < s->nv; ++i) {
            const int iq = plan_place(s->m, i);

            if (iq < 0 || (g->kind == PLAN_JOINT && g->iv != i)) continue;
            plan_goal_coordinate(s, g->at, i, at[iq] - (g->kind == PLAN_JOINT ? (slip_real)g->value[0] : s->start[iq]),
                                 g->weight, with_slopes);
        }
    }
}

/* Joint limits, as squares of what is beyond. */
static void plan_limits(plan_search *s, const slip_real *q, int with_slopes)
{
    int k, i;

    for (k = s->task->periodic ? 0 : 1; k < s->task->n + !s->task->periodic; ++k)
        for (i = 0; i < s->nv; ++i) {
            const int iq = s->m->limit_iq[i];
            slip_real x;

            if (iq < 0) continue;
            x = q[k*s->nq + iq];
            x = x < s->m->lower[i] ? x - s->m->lower[i] : x > s->m->upper[i] ? x - s->m->upper[i] : 0;
            if (x > 0 || x < 0) plan_goal_coordinate(s, k, i, x, PLAN_LIMIT, with_slopes);
        }
}

static int plan_evaluate(plan_search *s, const slip_real *q, int with_slopes)
{
    s->cost = 0;
    if (with_slopes) {
        memset(s->H, 0, (size_t)s->unknowns*(size_t)(s->w + 1)*sizeof *s->H);
        memset(s->g, 0, (size_t)s->unknowns*sizeof *s->g);
    }
    if (!plan_dynamics(s, q, with_slopes)) return 0;
    plan_goals(s, q, with_slopes);
    plan_limits(s, q, with_slopes);
    return s->cost - s->cost == 0;
}

/* ---- steps ------------------------------------------------------------------------------------------------------ */

plan_options plan_options_defaults(void)
{
    const plan_options o = { 15, 60, 0, { 5e-4, 2e-4, 2e-3 }, { 0.05, 0.05, 0.5 } };

    return o;
}

/* q_next = q (+) -x. */
static void plan_move(const plan_search *s, const slip_real *q, const slip_real *x, slip_real *next)
{
    int k, i;

    memcpy(next, q, (size_t)(s->task->n + 1)*(size_t)s->nq*sizeof *next);
    for (k = s->task->periodic ? 0 : 1; k < s->task->n + !s->task->periodic; ++k) {
        const int at = plan_unknown(s, k);

        for (i = 0; i < s->nv; ++i) s->row[i] = -x[at + i];
        slip_integrate(s->m, q + k*s->nq, s->row, 1, next + k*s->nq);
    }
}

/* Minimises at the present hardness, from q; next: room. Returns the iterations, -1 after a message. */
static int plan_minimise(plan_search *s, slip_real *q, slip_real *next, int most, double tol, slip_real *L,
                         slip_real *x)
{
    const size_t band = (size_t)s->unknowns*(size_t)(s->w + 1);
    double mu = 1e-3;
    int k, i, tries;

    for (k = 0; k < most; ++k) {
        double before, t0 = cli_cpu_seconds(), t1, t2;

        if (!plan_evaluate(s, q, 1)) return cli_fail(s->command, "the motion left the numbers"), -1;
        before = s->cost;
        s->seconds[0] += cli_cpu_seconds() - t0;
        for (tries = 0; tries < 12; ++tries) {
            t0 = cli_cpu_seconds();
            memcpy(L, s->H, band*sizeof *L);
            memcpy(x, s->g, (size_t)s->unknowns*sizeof *x);
            for (i = 0; i < s->unknowns; ++i) L[(size_t)i*(size_t)(s->w + 1) + (size_t)s->w] *= (slip_real)(1 + mu);
            for (i = 0; i < s->unknowns; ++i) L[(size_t)i*(size_t)(s->w + 1) + (size_t)s->w] += (slip_real)1e-9;
            if (!plan_factor(s->unknowns, s->w, L)) { mu = fmax(10*mu, 1e-8);  continue; }
            t1 = cli_cpu_seconds();
            plan_band_solve(s->unknowns, s->w, L, x);
            t2 = cli_cpu_seconds();
            s->seconds[1] += t1 - t0;
            s->seconds[2] += t2 - t1;
            ++s->steps;
            plan_move(s, q, x, next);
            if (plan_evaluate(s, next, 0) && s->cost < before) break;
            mu = fmax(8*mu, 1e-8);
        }
        if (tries == 12) break;
        memcpy(q, next, (size_t)(s->task->n + 1)*(size_t)s->nq*sizeof *q);
        mu = tries == 0 ? mu/4 : mu;
        if (s->o->progress)
            fprintf(stderr, "\rslipstick %s: cost %.6g, forces on undriven joints %.3g N, N m       ", s->command,
                    s->cost, s->root);
        if (before - s->cost < tol*before) { ++k;  break; }
    }
    return plan_evaluate(s, q, 0) ? k : -1;
}

/* Hardness of stage i of n. */
static void plan_harden(plan_search *s, int i, int n)
{
    const double t = n > 1 ? (double)i/(n - 1) : 1;
    double x[3];
    int k;

    for (k = 0; k < 3; ++k) x[k] = pow(s->o->soft[k], 1 - t)*pow(s->o->hard[k], t);
    s->knot.law.k = (slip_real)(s->F/x[0]);
    s->knot.law.d = (slip_real)x[1];
    s->knot.law.e = (slip_real)x[2];
    s->root_weight = pow(1e2, 1 - t)*pow(1e4, t);
}

/* Stages, then rounds of multipliers. */
static int plan_stages(plan_search *s, slip_real *q, slip_real *next, slip_real *L, slip_real *x, plan_result *r)
{
    enum { ROUNDS = 30 };
    const double enough = 1e-4*s->F;
    int i, k, n;

    for (i = 0; i < s->o->stages; ++i) {
        plan_harden(s, i, s->o->stages);
        n = plan_minimise(s, q, next, s->o->iterations, 1e-4, L, x);
        if (n < 0) return 0;
        r->iterations += n;
    }
    for (i = 0; i < ROUNDS && s->root > enough; ++i) {
        for (k = 0; k < s->task->n; ++k) {
            int j;

            plan_knot_forces(&s->knot, plan_q(s, q, k - 1, s->before), q + k*s->nq, plan_q(s, q, k + 1, s->after),
                             (slip_real)s->task->h, s->u, s->a, NULL, NULL);
            for (j = 0; j < s->nv; ++j) if (!s->driven[j]) s->y[k*s->nv + j] += (double)s->u[j]/s->F;
        }
        n = plan_minimise(s, q, next, s->o->iterations, 1e-5, L, x);
        if (n < 0) return 0;
        r->iterations += n;
    }
    r->converged = s->root <= 1e-3*s->F;
    if (s->o->progress) fputs("\n", stderr);
    return 1;
}

static void plan_find_driven(plan_search *s)
{
    const slip_model *m = s->m;
    int b, k;

    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]], n = m->mimics[b] ? 0 : slip_joint_nv((slip_joint_type)m->type[b]);

        for (k = iv; k < iv + n; ++k) s->driven[k] = m->type[b] != SLIP_JOINT_FLOATING && m->effort_limit[k] > 0;
    }
}

static void plan_finish(plan_search *s, slip_real *q, slip_real *tau, plan_result *r)
{
    int k;

    for (k = 0; k < s->task->n; ++k)
        plan_knot_forces(&s->knot, plan_q(s, q, k - 1, s->before), q + k*s->nq, plan_q(s, q, k + 1, s->after),
                         (slip_real)s->task->h, tau + k*s->nv, s->a, NULL, NULL);
    if (s->task->periodic) memcpy(q + s->task->n*s->nq, plan_q(s, q, s->task->n, s->after),
                                  (size_t)s->nq*sizeof *q);
    r->cost = s->cost;
    r->root = s->root;
    r->effort = s->effort;
    r->band = s->w;
    for (k = 0; k < 3; ++k) r->step_seconds += s->seconds[k]/(double)s->steps;
    for (k = 0; k < 3; ++k) r->share[k] = s->seconds[k]/(double)s->steps/r->step_seconds;
}

int plan_solve(const char *command, const slip_scene *scene, const plan_task *task, const plan_options *o, slip_real *q,
               slip_real *tau, plan_result *result)
{
    plan_search s;
    const int knots = task->n;
    size_t nv, n2, band;
    slip_real *next, *L, *x;
    int i, ok;

    memset(&s, 0, sizeof s);
    memset(result, 0, sizeof *result);
    if (!plan_knot_open(command, scene, &s.knot)) return 0;
    s.command = command;
    s.task = task;
    s.o = o;
    s.m = scene->model;
    s.start = scene->q;
    s.nv = s.m->nv;
    s.nq = s.m->nq;
    s.unknowns = knots*s.nv;
    s.w = (task->periodic ? 5 : 3)*s.nv - 1;
    if (s.w > s.unknowns - 1) s.w = s.unknowns - 1;
    nv = (size_t)s.nv;
    n2 = nv*nv;
    band = (size_t)s.unknowns*(size_t)(s.w + 1);
    s.F = (double)(slip_total_mass(s.m)*slip_norm3(s.m->gravity));
    s.driven = (unsigned char *)cli_alloc(nv + 1);
    plan_find_driven(&s);
    s.y = (double *)calloc((size_t)knots*nv + 1, sizeof *s.y);
    s.H = plan_zeros(band); s.g = plan_zeros((size_t)s.unknowns);
    s.u = plan_zeros(nv); s.a = plan_zeros(nv); s.before = plan_zeros((size_t)s.nq);
    s.after = plan_zeros((size_t)s.nq); s.row = plan_zeros(3*nv); s.J = plan_zeros(6*nv);
    for (i = 0; i < 3; ++i) s.D[i] = plan_zeros(n2);
    next = plan_zeros((size_t)(knots + 1)*(size_t)s.nq);
    L = plan_zeros(band);
    x = plan_zeros((size_t)s.unknowns);
    ok = s.F > 0 || (cli_fail(command, "without gravity there is no weight to measure forces by"), 0);
    ok = ok && plan_stages(&s, q, next, L, x, result);
    if (ok) plan_finish(&s, q, tau, result);
    free(s.driven); free(s.y); free(s.H); free(s.g); free(s.u); free(s.a); free(s.before); free(s.after); free(s.row);
    free(s.J); free(next); free(L); free(x);
    for (i = 0; i < 3; ++i) free(s.D[i]);
    plan_knot_close(&s.knot);
    return ok;
}
