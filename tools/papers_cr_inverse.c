/* CR Fig. 8: the torques with which a UR5-like arm slides its tool along a wall, by CR Alg. 2. */
#include "papers_cr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ARM_DOFS = 6, ARM_ROWS = 2000, ARM_TURNS = 20 };

static const double arm_dt = 0.001;

/* Parameters that CR does not give: rho of Alg. 2 [1/kg], the push that is wanted [N], turns a second, friction. */
typedef struct { double rho, push, rate, friction; } arm_terms;
static const arm_terms arm_chosen = { 1e-8, 20, 1, 0.3 };

typedef struct {
    slip_real q[ARM_ROWS][ARM_DOFS];
    slip_real v[ARM_ROWS + 1][ARM_DOFS];                     /* before each row, and after the last         */
    slip_real time[ARM_ROWS];
    slip_real normal[2][ARM_ROWS], tangent[2][ARM_ROWS];     /* inverse, forward [N]                        */
    int rows, sliding, most_iterations;
    unsigned char slides[ARM_ROWS];                          /* whether the inverse takes the tool to slide */
    int missed, forward_missed;                              /* the NCP inverse, the forward dynamics       */
    int elsewhere;                                           /* sliding steps with another forward solution */
    int unexplained;                                         /* steps that the CCP cannot explain           */
    double residual;
    slip_real turn[ARM_TURNS];                               /* Alg. 2 at one row, its iterations           */
    slip_real torque[2][ARM_TURNS], contact[2][ARM_TURNS];   /* largest |tau|, |tau_c| [N m]; NCP, CCP      */
} arm_run;

/* ---- the motion ------------------------------------------------------------------------------------------------- */

/* Jacobian of a contact in its frame, the arm against the wall. */
static void arm_jacobian(slip_world *world, const slip_contact_info *c, slip_real Jc[3][ARM_DOFS])
{
    const slip_model *m = slip_world_model(world);
    const int b_moves = c->link_b >= 0 && m->link_body[c->link_b] != 0, link = b_moves ? c->link_b : c->link_a;
    slip_real J[6*ARM_DOFS], x[3], turned[3], r[3];
    slip_pose X;
    int i, k;

    slip_link_jacobian(m, slip_world_data(world), link, SLIP_FRAME_ALIGNED, J);
    slip_link_pose(m, slip_world_data(world), link, &X);
    slip_sub3(c->point, X.p, r);
    for (i = 0; i < ARM_DOFS; ++i) {
        const slip_real turn[3] = { J[3*ARM_DOFS + i], J[4*ARM_DOFS + i], J[5*ARM_DOFS + i] };

        slip_cross3(turn, r, turned);
        for (k = 0; k < 3; ++k) x[k] = (b_moves ? 1 : -1)*(J[k*ARM_DOFS + i] + turned[k]);
        for (k = 0; k < 3; ++k) Jc[k][i] = slip_dot3(c->frame + 3*k, x);
    }
}

/* The contact's velocity along the circle, starting from rest, and towards the wall so that the step ends at a gap of
 * 0: that is where the forward dynamics sees a contact that slides, c_N = 0. */
static void arm_wanted(const slip_world_options *o, const slip_contact_info *c, double turns, double t,
                       slip_real wanted[3])
{
    const double pi = 3.14159265358979323846, radius = 0.05, rate = 2*pi*turns;
    const double speed = radius*rate*(1 - cos(pi*fmin(1, t/0.5)))/2;

    wanted[0] = (slip_real)(speed*cos(rate*t));
    wanted[1] = (slip_real)(speed*sin(rate*t));
    wanted[2] = slip_abs(c->gap) <= o->slop ? 0 : c->gap > 0 ? -c->gap/o->dt : -o->erp*c->gap/o->dt;
}

/* Positions of a wiping arm, and joint velocities of least norm; 0, after a message, when it loses the wall. */
static int arm_motion(sim_session *s, double turns, arm_run *a)
{
    const slip_world_options *o = slip_world_options_of(s->world);
    slip_real *q = slip_world_q(s->world), Jc[3][ARM_DOFS], A[9], x[3];
    int i, j, k;

    for (a->rows = 0; a->rows < ARM_ROWS; ++a->rows) {
        slip_real *v = a->v[a->rows + 1];
        slip_contact_info c;

        if (slip_world_update(s->world) < 0 || slip_contact_count(s->world) != 1)
            return cli_fail("papers", "the arm does not touch the wall with one point"), 0;
        c = slip_contact_get(s->world, 0);
        arm_jacobian(s->world, &c, Jc);
        arm_wanted(o, &c, turns, a->rows*arm_dt, x);
        for (i = 0; i < 3; ++i) for (j = 0; j < 3; ++j)
            for (A[3*i + j] = 0, k = 0; k < ARM_DOFS; ++k) A[3*i + j] += Jc[i][k]*Jc[j][k];
        if (slip_chol_factor(3, A, 3, NULL) != SLIP_OK) return cli_fail("papers", "the arm is singular"), 0;
        slip_chol_solve(3, A, 3, x);
        for (k = 0; k < ARM_DOFS; ++k) v[k] = Jc[0][k]*x[0] + Jc[1][k]*x[1] + Jc[2][k]*x[2];
        memcpy(a->q[a->rows], q, sizeof a->q[0]);
        slip_integrate(slip_world_model(s->world), q, v, o->dt, q);
    }
    return 1;
}

/* Sums of the normal and the friction forces of all contacts. */
static void arm_forces(const slip_world *world, slip_real *normal, slip_real *tangent)
{
    int i;

    *normal = *tangent = 0;
    for (i = 0; i < slip_contact_count(world); ++i) {
        const slip_contact_info c = slip_contact_get(world, i);

        *normal += c.force_n;
        *tangent += c.force_t;
    }
}

/* ---- inverse and forward ---------------------------------------------------------------------------------------- */

static slip_inverse_options arm_options(slip_contact_model model, double rho, double push)
{
    slip_inverse_options o = slip_inverse_defaults();

    o.prox.model = model;
    o.prox.rho = (slip_real)rho;
    o.prox.tol = SLIP_R(1e-6);
    o.push = (slip_real)push;
    return o;
}

/* All rows: torques by the NCP, the forces that the forward dynamics finds under them, and the CCP's answer. */
static int arm_rows(papers_run *r, sim_session *s, const arm_terms *t, arm_run *a)
{
    const slip_inverse_options ncp = arm_options(SLIP_MODEL_NCP, t->rho, t->push);
    const slip_inverse_options ccp = arm_options(SLIP_MODEL_CCP, t->rho, t->push);
    const size_t bytes = slip_inverse_bytes(s->world, &ncp) + slip_inverse_bytes(s->world, &ccp);
    void *block = cli_alloc(bytes);
    slip_arena scratch = slip_arena_over(block, bytes);
    int k, ok = 1;

    a->sliding = a->most_iterations = a->missed = a->unexplained = a->forward_missed = a->elsewhere = 0;
    a->residual = 0;
    for (k = 0; ok && k < a->rows; ++k) {
        const slip_real *q = a->q[k], *v = a->v[k], *v_ref = a->v[k + 1];
        slip_real tau[ARM_DOFS], q_next[ARM_DOFS], v_next[ARM_DOFS];
        slip_inverse_result result;

        a->time[k] = (slip_real)(k*arm_dt);
        ok = slip_inverse_dynamics(s->world, q, v, v_ref, &ncp, &scratch, tau, &result) >= 0;
        a->slides[k] = result.slip > 0;
        a->sliding += a->slides[k];
        a->missed += result.status != SLIP_OK;
        a->most_iterations = result.iterations > a->most_iterations ? result.iterations : a->most_iterations;
        a->residual = fmax(a->residual, (double)result.residual);
        arm_forces(s->world, &a->normal[0][k], &a->tangent[0][k]);
        ok = ok && slip_forward_dynamics(s->world, q, v, tau, &ncp, &scratch, q_next, v_next, &result) >= 0;
        a->forward_missed += result.status != SLIP_OK;
        arm_forces(s->world, &a->normal[1][k], &a->tangent[1][k]);
        a->elsewhere += a->slides[k] && slip_abs(a->normal[1][k] - a->normal[0][k]) > SLIP_R(0.1);
        ok = ok && slip_inverse_dynamics(s->world, q, v, v_ref, &ccp, &scratch, tau, &result) >= 0;
        a->unexplained += result.status == SLIP_DIVERGED;
        if (k % 200 == 0) papers_progress(r, k/(double)a->rows);
    }
    if (!ok) cli_error(slip_world_error(s->world));
    free(block);
    return ok;
}

/* ---- Alg. 2 as printed, at one row ------------------------------------------------------------------------------ */

/* Lines 1 to 5 with R = 0: lambda <- P_K(lambda - (c + s)/rho), s = mu |c_T| along the normal for the NCP, none for the
 * CCP. The reference moves along the wall, c_N = 0. */
static void arm_iterate(slip_world *world, const slip_contact_info *contact, const slip_real *v_ref,
                        const slip_real *rnea, const arm_terms *t, arm_run *a)
{
    slip_real Jc[3][ARM_DOFS], c[3];
    int model, i, j, k;

    arm_jacobian(world, contact, Jc);
    for (i = 0; i < 3; ++i) for (c[i] = 0, j = 0; j < ARM_DOFS; ++j) c[i] += Jc[i][j]*v_ref[j];
    c[2] = 0;
    for (model = 0; model < 2; ++model) {
        const slip_real s = model == 0 ? contact->mu*slip_norm2(c) : 0;
        slip_real lambda[3] = { 0, 0, (slip_real)(t->push*arm_dt) }, x[3];

        for (k = 0; k < ARM_TURNS; ++k) {
            for (i = 0; i < 3; ++i) x[i] = lambda[i] - (c[i] + (i == 2 ? s : 0))/(slip_real)t->rho;
            slip_cone_project(contact->mu, x, lambda);
            a->turn[k] = (slip_real)(k + 1);
            a->torque[model][k] = a->contact[model][k] = 0;
            for (j = 0; j < ARM_DOFS; ++j) {
                const slip_real c_j = (Jc[0][j]*lambda[0] + Jc[1][j]*lambda[1] + Jc[2][j]*lambda[2])/(slip_real)arm_dt;

                a->contact[model][k] = slip_max(a->contact[model][k], slip_abs(c_j));
                a->torque[model][k] = slip_max(a->torque[model][k], slip_abs(rnea[j] - c_j));
            }
        }
    }
}

/* In the middle of the motion; 0 when nothing touches there. */
static int arm_one_row(sim_session *s, const arm_terms *t, arm_run *a)
{
    const int k = a->rows/2;
    const slip_real *v = a->v[k], *v_ref = a->v[k + 1];
    slip_real acceleration[ARM_DOFS], rnea[ARM_DOFS];
    slip_contact_info c;
    int i;

    memcpy(slip_world_q(s->world), a->q[k], sizeof a->q[k]);
    memcpy(slip_world_v(s->world), v, sizeof a->v[k]);
    if (slip_world_update(s->world) < 0 || slip_contact_count(s->world) == 0) return 0;
    for (i = 0; i < ARM_DOFS; ++i) acceleration[i] = (v_ref[i] - v[i])/(slip_real)arm_dt;
    slip_rnea(slip_world_model(s->world), slip_world_data(s->world), a->q[k], v, acceleration, NULL, rnea);
    c = slip_contact_get(s->world, 0);
    arm_iterate(s->world, &c, v_ref, rnea, t, a);
    return 1;
}

/* ---- what is said about it -------------------------------------------------------------------------------------- */

static void arm_draw(papers_run *r, const arm_run *a)
{
    static const char *const models[4] = { "NCP, torque", "CCP, torque", "NCP, contact torque", "CCP, contact torque" };
    slip_plot_series series[4];
    slip_plot plot;
    int i, tangent;

    memset(&plot, 0, sizeof plot);
    plot.series = series;
    for (i = 0; i < 4; ++i) {
        series[i] = papers_line(models[i], a->turn, i < 2 ? a->torque[i] : a->contact[i - 2], ARM_TURNS);
    }
    plot.title = "Alg. 2 on a sliding contact";
    plot.x_label = "iterations";
    plot.y_label = "largest joint torque [N m]";
    plot.log_y = 1;
    plot.nseries = 4;
    papers_plot(r, "iterations", "With the correction of De Saxce the torques stand after one iteration; without it, "
                "which is the CCP, they grow without bound.", &plot);
    plot.log_y = 0;
    plot.x_label = "time [s]";
    plot.nseries = 2;
    for (tangent = 0; tangent < 2; ++tangent) {
        for (i = 0; i < 2; ++i) {
            series[i] = papers_line(i == 0 ? "inverse dynamics" : "forward dynamics, ncp-admm", a->time,
                                    tangent ? a->tangent[i] : a->normal[i], a->rows);
        }
        plot.title = tangent ? "Friction force at the wall" : "Normal force at the wall";
        plot.y_label = "force [N]";
        plot.y_hi = tangent ? 10 : 25;
        papers_plot(r, tangent ? "tangent" : "normal", "Forces that explain the motion, and those that the forward "
                    "dynamics finds under the torques of the inverse.", &plot);
    }
}

/* Largest difference of the forces of inverse and forward dynamics in steps that slide, or in those that do not: a
 * contact at rest may press with any force, and the two need not choose the same. */
static double arm_apart(const arm_run *a, int slides)
{
    double most = 0;
    int k;

    for (k = 0; k < a->rows; ++k) {
        if (a->slides[k] != slides) continue;
        most = fmax(most, fmax(fabs((double)(a->normal[0][k] - a->normal[1][k])),
                               fabs((double)(a->tangent[0][k] - a->tangent[1][k]))));
    }
    return most;
}

/* Alg. 2 as printed: the NCP's torques stand after the first iteration; the CCP's grow, and explain no step that
 * slides. */
static int arm_stands(const arm_run *a)
{
    return fabs((double)a->torque[0][ARM_TURNS - 1]/(double)a->torque[0][0] - 1) < 1e-6;
}

static int arm_diverges(const arm_run *a)
{
    return a->torque[1][ARM_TURNS - 1] > 10*a->torque[1][0] && a->unexplained >= a->sliding - 1;
}

static void arm_judge(papers_run *r, const arm_run *a)
{
    const slip_real *ccp = a->torque[1];
    const double apart = arm_apart(a, 1);

    papers_number(r, "NCP: iterations to 1e-6 at rho = 1e-8, at most", "1", "%d", a->most_iterations);
    papers_number(r, "NCP: steps not explained", "0", "%d of %d (%d slide), residual %.1e",
                  a->missed, a->rows, a->sliding,
                  a->residual);
    papers_number(r, "CCP: steps not explained", "diverges", "%d of %d", a->unexplained, a->rows);
    papers_number(r, "CCP: largest torque after 1 and 20 iterations", "diverges", "%.1e and %.1e N m", (double)ccp[0],
                  (double)ccp[ARM_TURNS - 1]);
    papers_number(r, "NCP: the same", "converges", "%.3g and %.3g N m", (double)a->torque[0][0],
                  (double)a->torque[0][ARM_TURNS - 1]);
    papers_number(r, "forces of inverse and forward dynamics, farthest apart", "0 (consistent)", "%.1e N in steps that "
                  "slide; %.1e N in the %d at rest", apart, arm_apart(a, 0), a->rows - a->sliding);
    papers_check(r, PAPERS_CLAIM, a->missed == 0 && arm_stands(a),
                 "the NCP converges in every step: %d of %d missed", a->missed, a->rows);
    papers_check(r, PAPERS_FIGURE, a->most_iterations == 1, "one iteration suffices for 1e-6 at rho = 1e-8: %d at most",
                 a->most_iterations);
    papers_check(r, PAPERS_CLAIM, arm_diverges(a),
                 "the torques of the CCP diverge: from %.1e to %.1e N m in 20 iterations; no force explains %d of %d "
                 "steps",
                 (double)ccp[0], (double)ccp[ARM_TURNS - 1], a->unexplained, a->rows);
    papers_check(r, PAPERS_CLAIM, apart < 0.1 && 50*a->sliding > 49*a->rows, "forces of the inverse and of the forward "
                 "dynamics agree: within %.1e N in the %d of %d steps that slide", apart, a->sliding, a->rows);
}

/* Opens the arm at the wall, moves it and explains the motion; 0 after a message. */
static int arm_do(papers_run *r, const arm_terms *t, arm_run *a)
{
    static const char *const options[] = { "max_iterations", "100000", NULL };
    slip_material m = slip_material_defaults();
    sim_session s;
    int ok;

    memset(a, 0, sizeof *a);
    if (!papers_open(r, "models/wipe.xml", NULL, NULL, arm_dt, 0, options, &s)) return 0;
    m.friction = (slip_real)t->friction;
    slip_world_set_material(s.world, 0, &m);
    ok = arm_motion(&s, t->rate, a) && arm_rows(r, &s, t, a) && arm_one_row(&s, t, a);
    sim_close(&s);
    return ok;
}

/* The claims again under other terms. */
static int arm_vary(papers_run *r, const arm_terms *t, arm_run *a)
{
    double apart;

    if (!arm_do(r, t, a)) return 0;
    apart = arm_apart(a, 1);
    papers_check(r, PAPERS_CLAIM, a->missed == 0 && arm_stands(a), "the NCP converges, too, with rho = %g, %g N, %g "
                 "turns a second, friction %g: %d of %d steps missed, %d iterations at most", t->rho, t->push, t->rate,
                 t->friction, a->missed, a->rows, a->most_iterations);
    papers_check(r, PAPERS_CLAIM, arm_diverges(a), "and the CCP diverges: %d of %d steps not explained",
                 a->unexplained, a->rows);
    papers_check(r, PAPERS_CLAIM, apart < 0.1 && 50*a->sliding > 49*a->rows && a->forward_missed == 0, "and forces "
                 "agree: within %.1e N in the %d steps that slide; in %d of these they are more than 0.1 N apart",
                 apart, a->sliding, a->elsewhere);
    if (a->elsewhere > 0)
        papers_say(r, "With friction %g the forward problem has more than one solution in %d steps: under the torques "
                   "of the inverse the tool may slide as it should, or stick, or slide slower, held by a force up to "
                   "%.0f N larger. ncp-admm, from zero, finds the second, to its tolerance. So CR's agreement of "
                   "forces needs a friction for which the answer is unique, here below half.", t->friction,
                   a->elsewhere, apart);
    return 1;
}

static void arm_data(FILE *csv, const arm_run *a)
{
    int k;

    fprintf(csv, "time [s],normal inverse [N],normal forward [N],friction inverse [N],friction forward [N]\n");
    for (k = 0; k < a->rows; ++k)
        fprintf(csv, "%.4f,%.9g,%.9g,%.9g,%.9g\n", (double)a->time[k], (double)a->normal[0][k],
                (double)a->normal[1][k], (double)a->tangent[0][k], (double)a->tangent[1][k]);
}

int cr_fig8(papers_run *r)
{
    static const arm_terms others[] = { { 1e-6, 5, 1, 0.3 }, { 1e-8, 20, 2, 0.45 }, { 1e-8, 50, 0.5, 0.1 },
                                        { 1e-8, 20, 1, 0.6 } };
    arm_run *a = (arm_run *)cli_alloc(sizeof *a);
    FILE *csv = papers_csv(r, NULL);
    size_t i;
    int ok = csv != NULL;

    if (sizeof(slip_real) < 8) {
        papers_say(r, "A rho of 1e-8 needs double precision: nothing is measured.");
        free(a);
        return ok;
    }
    ok = ok && arm_do(r, &arm_chosen, a);
    if (ok) {
        arm_data(csv, a);
        arm_judge(r, a);
        papers_say(r, "Forces differ in the first %d steps, in which the tool moves slower than 1 mm/s: the "
                   "inverse takes it to be at rest there, and a contact at rest may press with the 20 N that are "
                   "wanted; one that slides keeps 20/(1 + mu^2) N, the part of that guess along the cone's surface.",
                   a->rows - a->sliding);
        arm_draw(r, a);
    }
    for (i = 0; ok && i < sizeof others/sizeof *others; ++i) ok = arm_vary(r, &others[i], a);
    free(a);
    return ok;
}
