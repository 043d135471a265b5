/* A point falls on the ground: one contact, solved by hand in every step. */
#include <stdio.h>

int main(void)
{
    const double m = 1, g = 9.81, dt = 0.001;          /* mass [kg], gravity [m/s^2], time step [s] */
    double z = 1, v = 0;                               /* height [m], velocity [m/s]                */
    double lambda = 0, largest = 0, sum = 0;           /* impulse of the ground in a step [N s]     */
    double touched = 0;                                /* when the ground first pushed [s]          */

    for (int k = 1; k <= 1000; ++k) {
        const double v_free = v - g*dt;                /* velocity after the step without the ground */
        const double c_free = v_free + z/dt;           /* the gap after such a step, over dt         */

        lambda = c_free < 0 ? -m*c_free : 0;           /* as much as closes the gap, and no pull     */
        v = v_free + lambda/m;
        z = z + dt*v;                                  /* with the new velocity: z ends at 0, not below */

        sum += lambda;
        if (lambda > largest) largest = lambda;
        if (lambda > 0 && touched == 0) touched = k*dt;
    }

    printf("ground first pushes at   %.3f s\n", touched);
    printf("largest impulse          %.3f N s\n", largest);
    printf("impulse of the last step %.5f N s\n", lambda);
    printf("sum of all impulses      %.3f N s\n", sum);
    printf("height and velocity      %.6f m, %.6f m/s\n", z, v);
    return 0;
}
