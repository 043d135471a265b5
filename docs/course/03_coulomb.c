/* A point slides on the ground and comes to rest: Signorini and Coulomb in one contact, order t1, t2, n. */
#include <math.h>
#include <stdio.h>

/* Nearest point of the cone |x_T| <= mu x_n. */
static void project(double mu, const double x[3], double y[3])
{
    const double t = sqrt(x[0]*x[0] + x[1]*x[1]), n = x[2];
    double yn = (n + mu*t)/(1 + mu*mu), scale = mu*yn/t;           /* on the surface */

    if (t <= mu*n) { scale = 1;  yn = n; }                         /* inside: keep it */
    else if (mu*t <= -n) { scale = 0;  yn = 0; }                   /* in the polar cone: the apex */
    y[0] = scale*x[0];  y[1] = scale*x[1];  y[2] = yn;
}

/* The impulse on a mass m whose velocity without it is c. */
static void contact(double m, double mu, const double c[3], double lambda[3])
{
    const double t = sqrt(c[0]*c[0] + c[1]*c[1]);

    for (int k = 0; k < 3; ++k) lambda[k] = c[2] < 0 ? -m*c[k] : 0;    /* open, or sticks: takes all velocity */
    if (c[2] < 0 && t > -mu*c[2])                                      /* more than the cone allows: it slips */
        for (int k = 0; k < 2; ++k) lambda[k] = -mu*lambda[2]*c[k]/t;
}

/* |lambda - P_K(lambda - r (sigma + Gamma(sigma)))|: 0 where all laws hold at once. */
static double error(double mu, double r, const double lambda[3], const double sigma[3])
{
    double x[3], y[3], sum = 0;

    for (int k = 0; k < 3; ++k) x[k] = lambda[k] - r*sigma[k];
    x[2] -= r*mu*sqrt(sigma[0]*sigma[0] + sigma[1]*sigma[1]);
    project(mu, x, y);
    for (int k = 0; k < 3; ++k) sum += (lambda[k] - y[k])*(lambda[k] - y[k]);
    return sqrt(sum);
}

int main(void)
{
    const double m = 2, g = 9.81, mu = 0.3, dt = 0.001, speed = 5;
    double v[3] = { 3, 4, 0 }, p[2] = { 0, 0 }, stopped = 0, worst = 0;

    for (int k = 1; k <= 2000; ++k) {
        const double c[3] = { v[0], v[1], v[2] - g*dt };
        double lambda[3];

        contact(m, mu, c, lambda);
        for (int i = 0; i < 3; ++i) v[i] = c[i] + lambda[i]/m;         /* sigma, the velocity after the step */
        for (int i = 0; i < 2; ++i) p[i] += dt*v[i];
        if (error(mu, m, lambda, v) > worst) worst = error(mu, m, lambda, v);
        if (stopped == 0 && v[0] == 0 && v[1] == 0) stopped = k*dt;
    }
    printf("stops after %.3f s    theory %.3f s\n", stopped, speed/(mu*g));
    printf("distance    %.3f m    theory %.3f m\n", sqrt(p[0]*p[0] + p[1]*p[1]), speed*speed/(2*mu*g));
    printf("direction   %.6f      theory %.6f\n", p[1]/p[0], 4/3.0);
    printf("laws hold to 1e-14: %s\n", worst < 1e-14 ? "yes" : "no");
    return 0;
}
