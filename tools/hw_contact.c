/* HW Tab. I. See hw_contact.h. */
#include "hw_contact.h"

#include <math.h>

const hw_method hw_methods[HW_METHODS] = {
    { "bisection", "raisim-bisection", slip_slide_bisection, 580 },
    { "golden section", "raisim-golden", slip_slide_golden, 1200 },
    { "analytical", "raisim-quartic", slip_slide_quartic, 1600 },
    { "Newton on the quartic (ours)", "raisim-newton", slip_slide_newton, 0 } };

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

/* Fills c from contact i of p; 0 when it does not slide. */
static int contact_take(const slip_problem *p, int i, const slip_real b[3], hw_contact *c)
{
    slip_local_prepare(p, i, &c->k);
    slip_copy3(b, c->b);
    slip_zero3(c->before);
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

int hw_contacts_of(const slip_problem *p, const slip_real *lambda, const slip_real *sigma, const slip_real *before,
                   hw_contact *out, int room)
{
    int i, n = 0;

    for (i = 0; i < p->nc && n < room; ++i) {
        slip_real b[3];
        slip_local k;

        slip_local_prepare(p, i, &k);
        slip_mat3_vec(k.A, lambda + 3*i, b);
        slip_sub3(sigma + 3*i, b, b);
        if (!contact_take(p, i, b, &out[n])) continue;
        if (before) slip_copy3(before + 3*i, out[n].before);
        ++n;
    }
    return n;
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

double hw_contact_time(const hw_contact *contacts, int n, slip_slide_method *method, double gamma, int rounds)
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

const hw_search hw_usual_search = { 0.1, 0 };

/* The angle at which a search begins: that of the last impulse where it is seen from x0, else 0. */
static double contact_start(const slip_plane *t, const hw_contact *c, const hw_search *search)
{
    const double e0 = (double)t->e[0], e1 = (double)t->e[1];
    const double b0 = (double)c->before[0], b1 = (double)c->before[1];
    double angle, r;

    if (!search->from_before || !(hypot(b0, b1) > 0)) return 0;
    angle = atan2(e0*b1 - e1*b0, e0*b0 + e1*b1);
    r = 1 + (double)t->a[0]*cos(angle) + (double)t->a[1]*sin(angle);
    return r > 0 && cos(angle) >= 1/(double)t->L - (double)t->a[0] ? angle : 0;
}

double hw_search_time(const hw_contact *contacts, int n, const hw_search *search, double gamma, int rounds)
{
    double best = (double)INFINITY;
    volatile slip_real sink;
    slip_real sum = 0;
    int i, k;

    for (k = 0; k < rounds; ++k) {
        const double from = cli_cpu_seconds();

        for (i = 0; i < n; ++i) {
            const hw_contact *c = &contacts[i];
            slip_plane t;
            slip_real x[3];

            if (!slip_plane_begin(&c->k, c->b, c->x0, &t)) continue;
            slip_slide_search(&t, (slip_real)gamma, (slip_real)search->beta1, (slip_real)contact_start(&t, c, search),
                              x);
            sum += x[2];
        }
        best = fmin(best, 1e9*(cli_cpu_seconds() - from)/n);
    }
    sink = sum;
    (void)sink;
    return best;
}

/* ---- evaluations ------------------------------------------------------------------------------------------------- */

/* A point of HW Alg. 1: eq. 14 and the sign of eq. 15. */
typedef struct { double angle, c, s, r, gradient; } count_point;

static count_point count_at(const slip_plane *t, double angle, int *evaluations)
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

/* Evaluations of one search by slip_slide_search() in src/solvers/raisim_bisection.c. */
static int count_search(const slip_plane *t, double beta1, double start, double gamma)
{
    int evaluations = 0, it, crossed = 0;
    count_point y = count_at(t, start, &evaluations), old = y, mid;
    const int rises = y.gradient > 0;
    double step = rises ? -beta1 : beta1;

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

hw_points hw_search_points(const hw_contact *contacts, int n, const hw_search *search, double gamma)
{
    hw_points out = { 0, 0 };
    int i;

    for (i = 0; i < n; ++i) {
        const hw_contact *c = &contacts[i];
        slip_plane t;
        int points;

        if (!slip_plane_begin(&c->k, c->b, c->x0, &t)) continue;
        points = count_search(&t, search->beta1, contact_start(&t, c, search), gamma);
        out.mean += points/(double)n;
        out.few += (points <= 4)/(double)n;
    }
    return out;
}

/* Golden section shrinks its interval by 0.618 a point; the interval is the arc that is seen, to gamma. */
double hw_golden_points(const hw_contact *contacts, int n, double gamma)
{
    const double shrinks = log(0.6180339887498949);
    double sum = 0;
    int i;

    for (i = 0; i < n; ++i) {
        slip_plane t;
        double cosine, arc;

        if (!slip_plane_begin(&contacts[i].k, contacts[i].b, contacts[i].x0, &t)) continue;
        cosine = 1/(double)t.L - (double)t.a[0];
        arc = cosine > -1 ? 2*acos(fmin(cosine, 1)) : 6.283185307179586;
        sum += 2 + fmax(0, ceil(log(gamma/fmax(gamma, (double)t.rho*arc))/shrinks));
    }
    return sum/n;
}
