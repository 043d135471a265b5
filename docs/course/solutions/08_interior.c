/* The central path of a point at rest on the floor: by hand, and its height when it is simulated with a fixed kappa. */
#include <math.h>
#include <stdio.h>

/* lambda > 0 with lambda (lambda/m + c) = kappa. */
static double push(double m, double c, double kappa)
{
    return m/2*(-c + sqrt(c*c + 4*kappa/m));
}

int main(void)
{
    const double m = 1, g = 9.81, dt = 0.01;

    printf("  kappa J  impulse N s  leaves at m/s  height after 2 s um  theory um\n");
    for (double kappa = 1e-2; kappa > 1e-9; kappa /= 100) {
        const double lambda = push(m, -g*dt, kappa);
        double z = 0, v = 0;

        for (int k = 0; k < 200; ++k) {                        /* the row asks for gap/dt + v, as in lesson 1 */
            v += -g*dt + push(m, v - g*dt + z/dt, kappa)/m;
            z += dt*v;
        }
        printf("%9.0e  %11.6f  %13.6f  %19.3f  %9.3f\n", kappa, lambda, lambda/m - g*dt, 1e6*z, 1e6*kappa/(m*g));
    }
    return 0;
}
