/* HW Tab. I. See hw_contact.h. */
#include "hw_contact.h"

#include <math.h>

const hw_method hw_methods[HW_METHODS] = {
    { "bisection", "raisim-bisection", SLIP_SLIDE_BISECTION, 580 },
    { "golden section", "raisim-golden", SLIP_SLIDE_GOLDEN, 1200 },
    { "analytical", "raisim-quartic", SLIP_SLIDE_QUARTIC, 1600 },
    { "Newton on the quartic (ours)", "raisim-newton", SLIP_SLIDE_NEWTON, 0 } };

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

/* Fills c from contact i of p; 0 when it does not slide. */
static int contact_take(const slip_problem *p, int i, const slip_real b[3], hw_contact *c)
{
    slip_local_prepare(p, i, &c->k);
    slip_copy3(b, c->b);
    return slip_local_open_or_stick(&c->k, c->b, c->x0) == SLIP_LOCAL_SLIDE;
}

void hw_contacts_draw(int n, hw_contact *out)
{
    slip_random rng = slip_random_seed(1);
    int at = 0;

    while (at < n) {
        slip_real Y[9], G[9], g[3], mu;
        slip_problem p;
        int i, j, k;

        for (i = 0; i < 9; ++i) Y[i] = slip_random_normal(&rng);
        for (i = 0; i < 3; ++i) for (j = 0; j < 3; ++j) {
            G[3*i + j] = i == j ? SLIP_R(0.1) : 0;
            for (k = 0; k < 3; ++k) G[3*i + j] += Y[3*i + k]*Y[3*j + k];
        }
        for (i = 0; i < 3; ++i) g[i] = slip_random_normal(&rng);
        g[2] = -slip_abs(g[2]);
        mu = slip_random_uniform(&rng, SLIP_R(0.3), 1);
        p = slip_problem_dense(1, &mu, g, G, 3);
        at += contact_take(&p, 0, g, &out[at]);
    }
}

int hw_contacts_of(const slip_problem *p, const slip_real *lambda, const slip_real *sigma, hw_contact *out, int room)
{
    int i, n = 0;

    for (i = 0; i < p->nc && n < room; ++i) {
        slip_real b[3];
        slip_local k;

        slip_local_prepare(p, i, &k);
        slip_mat3_vec(k.A, lambda + 3*i, b);
        slip_sub3(sigma + 3*i, b, b);
        n += contact_take(p, i, b, &out[n]);
    }
    return n;
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

double hw_contact_time(const hw_contact *contacts, int n, slip_slide_method method, double gamma, int rounds)
{
    double best = (double)INFINITY;
    volatile slip_real sink;                         /* so that no call is left out */
    slip_real sum = 0;
    int i, k;

    for (k = 0; k < rounds; ++k) {
        const double start = cli_cpu_seconds();

        for (i = 0; i < n; ++i) {
            slip_real x[3];

            slip_copy3(contacts[i].x0, x);
            slip_local_slide(&contacts[i].k, contacts[i].b, NULL, method, (slip_real)gamma, x);
            sum += x[2];
        }
        best = fmin(best, 1e9*(cli_cpu_seconds() - start)/n);
    }
    sink = sum;
    (void)sink;
    return best;
}

/* ---- evaluations ------------------------------------------------------------------------------------------------- */

/* A point of HW Alg. 1: eq. 14 and the sign of eq. 15. */
typedef struct { double angle, c, s, r, gradient; } count_point;

static count_point count_at(const slip_plane *t, double angle, double *evaluations)
{
    const double S0 = (double)t->S[0], S1 = (double)t->S[1], S2 = (double)t->S[2];
    const double a0 = (double)t->a[0], a1 = (double)t->a[1];
    count_point y;
    double x0, x1;

    y.angle = angle;
    y.c = cos(angle);
    y.s = sin(angle);
    y.r = 1/(1 + a0*y.c + a1*y.s);
    x0 = y.r*y.c - (double)t->L;
    x1 = y.r*y.s;
    y.gradient = (S1*x0 + S2*x1)*(y.c + a0) - (S0*x0 + S1*x1)*(y.s + a1);
    *evaluations += 1;
    return y;
}

/* Evaluations of one search, with the constants of slide_bisection() in src/solvers/local_slide.c. */
static double count_search(const slip_plane *t, double gamma)
{
    double evaluations = 0, step;
    count_point y = count_at(t, 0, &evaluations), old = y, mid;
    const int rises = y.gradient > 0;
    int it, crossed = 0;

    step = rises ? -0.1 : 0.1;
    for (it = 0; it < 100 && !crossed; ++it) {
        old = y;
        y = count_at(t, old.angle + step, &evaluations);
        if (!(y.r > 0) || y.c < 1/(double)t->L - (double)t->a[0]) { step *= 0.5;  y = old; }
        else if ((y.gradient > 0) == rises) step *= 2;
        else crossed = 1;
    }
    for (it = 0; it < 100 && crossed; ++it) {
        const double rho = (double)t->rho;

        mid = count_at(t, (y.angle + old.angle)/2, &evaluations);
        if ((mid.gradient > 0) == rises) old = mid; else y = mid;
        if (rho*hypot(y.r*y.c - old.r*old.c, y.r*y.s - old.r*old.s) < gamma) break;
    }
    return evaluations;
}

double hw_contact_evaluations(const hw_contact *contacts, int n, double gamma)
{
    double sum = 0;
    int i;

    for (i = 0; i < n; ++i) {
        slip_plane t;

        if (slip_plane_begin(&contacts[i].k, contacts[i].b, contacts[i].x0, &t)) sum += count_search(&t, gamma);
    }
    return sum/n;
}
