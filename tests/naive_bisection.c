/* HW Alg. 1 as printed: the sliding impulse of one contact by steps in the angle of the conic section, then halving. */
#include "naive.h"

#include <math.h>
#include <string.h>

typedef struct { double (*M)[3]; const double *c, *stick; double mu; } one_contact;

/* HW eqs. 14 and 13: the point of the section at theta. Returns its distance r from the axis. */
static double section_at(const one_contact *k, double theta, double l[3])
{
    const double *m = k->M[2], r = -k->c[2]/(m[2]/k->mu + m[0]*cos(theta) + m[1]*sin(theta));

    l[0] = r*cos(theta);
    l[1] = r*sin(theta);
    l[2] = (-k->c[2] - m[0]*l[0] - m[1]*l[1])/m[2];
    return r;
}

static void grad_h2(const one_contact *k, const double l[3], double h[3])
{
    h[0] = 2*l[0];
    h[1] = 2*l[1];
    h[2] = -2*k->mu*k->mu*l[2];
}

/* dE/dlambda eta, eta = grad h1 x grad h2 (HW eq. 10). */
static double slope_at(const one_contact *k, const double l[3])
{
    const double *a = k->M[2];
    double h[3], dE[3];
    int i;

    grad_h2(k, l, h);
    for (i = 0; i < 3; ++i) dE[i] = k->M[i][0]*l[0] + k->M[i][1]*l[1] + k->M[i][2]*l[2] + k->c[i];
    return dE[0]*(a[1]*h[2] - a[2]*h[1]) + dE[1]*(a[2]*h[0] - a[0]*h[2]) + dE[2]*(a[0]*h[1] - a[1]*h[0]);
}

/* The stick impulse does not see l past the section's own bulge, or l lies on the other nappe: line 13, whose sign is
 * taken as the text means it. */
static int is_out_of_sight(const one_contact *k, double r, const double l[3])
{
    double h[3];

    grad_h2(k, l, h);
    return h[0]*(l[0] - k->stick[0]) + h[1]*(l[1] - k->stick[1]) + h[2]*(l[2] - k->stick[2]) > 0 || r < 0;
}

int naive_raisim_bisect(double M[3][3], const double c[3], double mu, const double stick[3], double gamma, double x[3])
{
    const one_contact k = { M, c, stick, mu };
    const double beta1 = 0.1, beta2 = 0.5, beta3 = 2;
    double theta = atan2(stick[1], stick[0]), before = theta, lp[3], lm[3], slope, alpha, r;
    int it, taken_back = 0;

    section_at(&k, theta, x);
    slope = slope_at(&k, x);
    alpha = slope > 0 ? -beta1 : beta1;
    for (it = 0; it < 100; ++it) {
        before = theta;
        memcpy(lp, x, sizeof lp);
        theta += alpha;
        r = section_at(&k, theta, x);
        if (is_out_of_sight(&k, r, x)) {
            alpha *= beta2;
            ++taken_back;
            theta = before;
            memcpy(x, lp, sizeof lp);
        } else if (slope_at(&k, x)*slope > 0) alpha *= beta3;
        else break;
    }
    for (it = 0; it < 100; ++it) {
        const double mid = (theta + before)/2;

        section_at(&k, mid, lm);
        if (slope_at(&k, lm)*slope > 0) { before = mid;  memcpy(lp, lm, sizeof lp); }
        else { theta = mid;  memcpy(x, lm, sizeof lm); }
        if (sqrt((lp[0] - x[0])*(lp[0] - x[0]) + (lp[1] - x[1])*(lp[1] - x[1]) + (lp[2] - x[2])*(lp[2] - x[2])) < gamma)
            break;
    }
    return taken_back;
}
