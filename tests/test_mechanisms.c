/* Mechanisms of one freedom that are closed by loops, against the equation of motion of that freedom. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "unity.h"
#include "slipstick.h"
#include "slipstick_parts.h"
#include "scene_aid.h"

#define FLOATS (sizeof(slip_real) == 4)

void setUp(void) { aid_forget(); }
void tearDown(void) { }

/* ---- Bricard's mechanism --------------------------------------------------------------------------------------------
 *
 * Six axes, each at a quarter turn to the next and 1 m from it. With a = angles 1, 3, 5 and b = angles 2, 4, 6 it
 * closes where F = cos a cos b + cos a + cos b = 0: one freedom, the way s along that curve, where counting gives none.
 * I(s) u^2/2 + V(s), u = s', is its energy, so I u' = -V_s - I_s u^2/2. */

typedef struct { double a, b, u; } bricard;

/* Ends of the five rods that move; y is up. Each joint turns about z, goes 1 m along x, and turns z to either side. */
static void bricard_points(double a, double b, double p[6][3])
{
    double x[3] = { 1, 0, 0 }, y[3] = { 0, 1, 0 }, z[3] = { 0, 0, 1 };

    memset(p[0], 0, sizeof p[0]);
    for (int k = 0; k < 5; ++k) {
        const double angle = k % 2 ? b : a, c = cos(angle), s = sin(angle), side = k % 2 ? -1 : 1;

        for (int i = 0; i < 3; ++i) {
            const double along = c*x[i] + s*y[i], across = c*y[i] - s*x[i];

            p[k + 1][i] = p[k][i] + along;
            x[i] = along;
            y[i] = side*z[i];
            z[i] = -side*across;
        }
    }
}

static void bricard_tangent(const bricard *q, double t[2])
{
    const double Fa = -sin(q->a)*(1 + cos(q->b)), Fb = -sin(q->b)*(1 + cos(q->a)), size = hypot(Fa, Fb);

    t[0] = -Fb/size;
    t[1] = Fa/size;
}

/* Goes h along the curve and back onto it, twice by Newton's method. */
static bricard bricard_moved(bricard q, double h)
{
    double t[2];

    bricard_tangent(&q, t);
    q.a += h*t[0];
    q.b += h*t[1];
    for (int k = 0; k < 2; ++k) {
        const double Fa = -sin(q.a)*(1 + cos(q.b)), Fb = -sin(q.b)*(1 + cos(q.a));
        const double F = (cos(q.a)*cos(q.b) + cos(q.a) + cos(q.b))/(Fa*Fa + Fb*Fb);

        q.a -= F*Fa;
        q.b -= F*Fb;
    }
    return q;
}

/* I and V: thin rods of 1 kg between their ends A and B have (|A'|^2 + A'.B' + |B'|^2)/6 for a half of I. */
static void bricard_energies(const bricard *q, double *I, double *V)
{
    const double h = 1e-4;
    const bricard after = bricard_moved(*q, h), before = bricard_moved(*q, -h);
    double p[6][3], m[6][3], now[6][3];

    bricard_points(after.a, after.b, p);
    bricard_points(before.a, before.b, m);
    bricard_points(q->a, q->b, now);
    *I = *V = 0;
    for (int k = 0; k < 5; ++k) {
        for (int i = 0; i < 3; ++i) {
            const double A = (p[k][i] - m[k][i])/(2*h), B = (p[k + 1][i] - m[k + 1][i])/(2*h);

            *I += (A*A + A*B + B*B)/3;
        }
        *V += 9.81*(now[k][1] + now[k + 1][1])/2;
    }
}

static bricard bricard_rate(const bricard *q)
{
    const double h = 1e-3;
    const bricard after = bricard_moved(*q, h), before = bricard_moved(*q, -h);
    double t[2], I, V, Ip, Vp, Im, Vm;
    bricard r;

    bricard_tangent(q, t);
    bricard_energies(q, &I, &V);
    bricard_energies(&after, &Ip, &Vp);
    bricard_energies(&before, &Im, &Vm);
    r.a = q->u*t[0];
    r.b = q->u*t[1];
    r.u = -((Vp - Vm) + (Ip - Im)*q->u*q->u/2)/(2*h*I);
    return r;
}

static bricard bricard_plus(const bricard *q, double h, const bricard *r)
{
    const bricard sum = { q->a + h*r->a, q->b + h*r->b, q->u + h*r->u };

    return sum;
}

/* Runge and Kutta's fourth order. */
static bricard bricard_step(const bricard *q, double h)
{
    const bricard k1 = bricard_rate(q), q2 = bricard_plus(q, h/2, &k1);
    const bricard k2 = bricard_rate(&q2), q3 = bricard_plus(q, h/2, &k2);
    const bricard k3 = bricard_rate(&q3), q4 = bricard_plus(q, h, &k3);
    const bricard k4 = bricard_rate(&q4);
    bricard sum = bricard_plus(q, h/6, &k1);

    sum = bricard_plus(&sum, h/3, &k2);
    sum = bricard_plus(&sum, h/3, &k3);
    sum = bricard_plus(&sum, h/6, &k4);
    return bricard_moved(sum, 0);
}

/* Angles at full seconds. */
enum { SECONDS = 10 };
static void bricard_reference(double a[SECONDS], double b[SECONDS])
{
    bricard q = { 1.5707963267948966, 1.5707963267948966, 0 };

    for (int k = 0; k < 2000*SECONDS; ++k) {
        q = bricard_step(&q, 5e-4);
        if ((k + 1) % 2000 == 0) {
            a[k/2000] = q.a;
            b[k/2000] = q.b;
        }
    }
}

/* Largest error of the angles at full seconds, and of the energy over the largest kinetic energy. */
static void bricard_errors(double dt, int seconds, const slip_solver *solver, double *off, double *energy)
{
    static double a[SECONDS], b[SECONDS];
    slip_scene *s = aid_open("models/iftomm/bricard.xml");
    const double start = 3*9.81;
    double most = 0;
    slip_real kinetic, potential;
    slip_world *w;
    int each = (int)floor(1/dt + 0.5);

    s->world.options.dt = (slip_real)dt;
    if (solver) s->world.options.solver = solver;
    if (a[0] == 0) bricard_reference(a, b);
    w = aid_start(s);
    *off = *energy = 0;
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, start, aid_energy_of(w));
    for (int k = 0; k < seconds*each; ++k) {
        const slip_real *q = slip_world_q(w);

        TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_steps(w, 1));
        slip_world_energy(w, &kinetic, &potential);
        *energy = fmax(*energy, fabs((double)(kinetic + potential) - start));
        most = fmax(most, (double)kinetic);
        if ((k + 1) % each != 0) continue;
        for (int i = 0; i < 5; ++i)
            *off = fmax(*off, fabs(remainder((double)q[i] - (i % 2 ? b : a)[k/each], 2*3.141592653589793)));
    }
    *energy /= most;
    aid_forget();
}

static void test_bricards_mechanism_moves_as_its_one_freedom_does(void)
{
    double off[2], energy[2];

    if (FLOATS) TEST_IGNORE_MESSAGE("rounding in float hides it");
    for (int k = 0; k < 2; ++k) bricard_errors(k ? 5e-4 : 1e-3, SECONDS, NULL, &off[k], &energy[k]);
    printf("# Bricard: angles off by %.2g at 1 ms, %.2g at 0.5 ms; energy by %.2g, %.2g\n", off[0], off[1], energy[0],
           energy[1]);
    TEST_ASSERT(off[0] < 5e-2);
    TEST_ASSERT(off[1] < off[0]/3);
    TEST_ASSERT(energy[0] < 1e-3);
    TEST_ASSERT(energy[1] < energy[0]/3);
}

static void test_so_it_does_with_solvers_of_other_models(void)
{
    static const slip_solver *const others[] = { &slip_solver_ncp_admm, &slip_solver_ccp_newton, &slip_solver_raisim_bisection,
                                                 &slip_solver_ncp_pgs, &slip_solver_lcp_gs };

    if (FLOATS) TEST_IGNORE_MESSAGE("rounding in float hides it");
    for (int i = 0; i < 5; ++i) {
        double off, energy;

        bricard_errors(1e-3, 2, others[i], &off, &energy);
        TEST_ASSERT_MESSAGE(off < 5e-3, others[i]->id);
        TEST_ASSERT_MESSAGE(energy < 1e-3, others[i]->id);
    }
}

/* ---- a slider-crank -------------------------------------------------------------------------------------------------
 *
 * A crank r at the angle a, a rod l from its pin A to the slider B = (X, 0), 1 kg each. Its freedom is a:
 * X = r cos a + (l^2 - r^2 sin^2 a)^1/2, I u^2/2 + g r sin a its energy. X' = 0 at the dead points, a = 0 and pi. */

enum { CRANK_SECONDS = 10 };
static const double crank_r = 0.4, crank_l = 1;

static double crank_slider(double a)
{
    return crank_r*cos(a) + sqrt(crank_l*crank_l - crank_r*crank_r*sin(a)*sin(a));
}

/* I: the crank's r^2/3, the rod's (|A'|^2 + A'.B' + |B'|^2)/3, the slider's |B'|^2, by da. */
static double crank_inertia(double a)
{
    const double rs = crank_r*sin(a), X = -rs - rs*crank_r*cos(a)/sqrt(crank_l*crank_l - rs*rs);

    return crank_r*crank_r/3 + (crank_r*crank_r - rs*X + X*X)/3 + X*X;
}

static void crank_rate(const double y[2], double r[2])
{
    const double h = 1e-4, slope = (crank_inertia(y[0] + h) - crank_inertia(y[0] - h))/(2*h);

    r[0] = y[1];
    r[1] = -(9.81*crank_r*cos(y[0]) + slope*y[1]*y[1]/2)/crank_inertia(y[0]);
}

/* Runge and Kutta's fourth order. Angles at full seconds. */
static void crank_reference(double a[CRANK_SECONDS])
{
    const double h = 1e-4;
    double y[2] = { 0, 10 }, z[2], k[4][2];

    for (int n = 1; n <= 10000*CRANK_SECONDS; ++n) {
        crank_rate(y, k[0]);
        for (int j = 1; j < 4; ++j) {
            for (int i = 0; i < 2; ++i) z[i] = y[i] + (j < 3 ? h/2 : h)*k[j - 1][i];
            crank_rate(z, k[j]);
        }
        for (int i = 0; i < 2; ++i) y[i] += h/6*(k[0][i] + 2*k[1][i] + 2*k[2][i] + k[3][i]);
        if (n % 10000 == 0) a[n/10000 - 1] = y[0];
    }
}

/* Largest errors at full seconds of the crank's angle; in all steps of the slider's place by that angle and of the
 * energy, over the largest kinetic energy. */
static void crank_errors(double dt, const slip_solver *solver, double *off, double *open, double *energy)
{
    static double a[CRANK_SECONDS];
    const int each = (int)floor(1/dt + 0.5);
    slip_scene *s = aid_open("models/iftomm/slider_crank.xml");
    slip_real kinetic, potential;
    double start, most = 0;
    slip_world *w;

    if (a[0] == 0) crank_reference(a);
    s->world.options.dt = (slip_real)dt;
    if (solver) s->world.options.solver = solver;
    w = aid_start(s);
    start = aid_energy_of(w);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 50*crank_inertia(0), start);
    *off = *open = *energy = 0;
    for (int k = 1; k <= CRANK_SECONDS*each; ++k) {
        const slip_real *q = slip_world_q(w);

        TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_steps(w, 1));
        slip_world_energy(w, &kinetic, &potential);
        *energy = fmax(*energy, fabs((double)(kinetic + potential) - start));
        most = fmax(most, (double)kinetic);
        *open = fmax(*open, fabs((double)q[aid_iv(w, "slide")] - crank_slider((double)q[aid_iv(w, "crank")])));
        if (k % each) continue;
        *off = fmax(*off, fabs(remainder((double)q[aid_iv(w, "crank")] - a[k/each - 1], 2*3.141592653589793)));
    }
    *energy /= most;
    aid_forget();
}

static void test_a_slider_crank_turns_through_its_dead_points(void)
{
    static const slip_solver *const others[] = { &slip_solver_ncp_admm, &slip_solver_raisim_bisection, &slip_solver_ccp_newton };
    double off[2], open[2], energy[2];

    if (FLOATS) TEST_IGNORE_MESSAGE("rounding in float hides it");
    for (int k = 0; k < 2; ++k) crank_errors(k ? 5e-4 : 1e-3, NULL, &off[k], &open[k], &energy[k]);
    printf("# slider-crank: angle off by %.2g at 1 ms, %.2g at 0.5 ms; loop by %.2g, %.2g m; energy by %.2g, %.2g\n",
           off[0], off[1], open[0], open[1], energy[0], energy[1]);
    TEST_ASSERT(off[0] < 6e-3 && open[0] < 1e-5 && energy[0] < 3e-4);
    TEST_ASSERT(off[1] < off[0]/3);
    TEST_ASSERT(open[1] < open[0]/3);
    TEST_ASSERT(energy[1] < energy[0]/3);
    for (int i = 0; i < 3; ++i) {
        crank_errors(1e-3, others[i], &off[1], &open[1], &energy[1]);
        TEST_ASSERT_MESSAGE(off[1] < 6e-3 && open[1] < 1e-5 && energy[1] < 3e-4, others[i]->id);
    }
}

/* ---- rows of loops in sweeps -----------------------------------------------------------------------------------------
 *
 * Ten four-bars in a row, each loop once or twice: 30 or 60 rows, more than a tenth of GS_TOGETHER. */

static void sweeps_meet_the_tolerance(const char *text)
{
    static const slip_solver *const by[] = { &slip_solver_raisim_bisection, &slip_solver_ncp_pgs, &slip_solver_ccp_gs };

    for (int i = 0; i < 3; ++i) {
        slip_scene *s = aid_read(text);
        slip_world *w;

        s->world.options.solver = by[i];
        w = aid_start(s);
        for (int k = 0; k < 300; ++k) {
            TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, aid_steps(w, 1), by[i]->id);
            TEST_ASSERT_MESSAGE(slip_world_stats(w)->iterations <= 8, by[i]->id);
        }
        aid_forget();
    }
}

static void sweep_cells(int times)
{
    enum { CELLS = 10, ROOM = 600 };
    static char text[(3*CELLS + 2)*ROOM];
    char *at = text;

    at += sprintf(at, "<scene name=\"cells\"><simulation self=\"false\"/>");
    for (int i = 0; i <= CELLS; ++i)
        at += sprintf(at, "<robot file=\"iftomm/%s.urdf\" prefix=\"c%d_\" base=\"fixed\"><origin xyz=\"%d 0 0\"/><joint "
                      "joint=\"crank\" position=\"1.5707963267948966\" velocity=\"-1\"/>%s</robot>",
                      i < CELLS ? "cell" : "crank", i, i, i < CELLS
                      ? "<joint joint=\"coupler\" position=\"-1.5707963267948966\" velocity=\"1\"/>" : "");
    for (int i = 0; i < times*CELLS; ++i)
        at += sprintf(at, "<loop name=\"pin%d\" kind=\"ball\" redundant=\"true\" a=\"c%d_coupler\" b=\"c%d_crank\"><frame_a "
                      "xyz=\"1 0 0\"/><frame_b xyz=\"1 0 0\"/></loop>", i, i % CELLS, i % CELLS + 1);
    sprintf(at, "</scene>");
    sweeps_meet_the_tolerance(text);
}

static void test_sweeps_take_the_rows_of_loops_together(void)
{
    sweep_cells(1);
    sweep_cells(2);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_bricards_mechanism_moves_as_its_one_freedom_does);
    RUN_TEST(test_so_it_does_with_solvers_of_other_models);
    RUN_TEST(test_a_slider_crank_turns_through_its_dead_points);
    RUN_TEST(test_sweeps_take_the_rows_of_loops_together);
    return UNITY_END();
}
