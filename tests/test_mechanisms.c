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
    static const slip_solver *const others[] = { &slip_solver_ncp_admm, &slip_solver_ccp_newton };

    if (FLOATS) TEST_IGNORE_MESSAGE("rounding in float hides it");
    for (int i = 0; i < 2; ++i) {
        double off, energy;

        bricard_errors(1e-3, 2, others[i], &off, &energy);
        TEST_ASSERT_MESSAGE(off < 5e-3, others[i]->id);
        TEST_ASSERT_MESSAGE(energy < 1e-3, others[i]->id);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_bricards_mechanism_moves_as_its_one_freedom_does);
    RUN_TEST(test_so_it_does_with_solvers_of_other_models);
    return UNITY_END();
}
