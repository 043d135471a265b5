/* The point bounces: the ground returns a share e of the speed with which it was hit. */
#include <stdio.h>

int main(void)
{
    const double m = 1, g = 9.81, dt = 0.0001, e = 0.5;
    double z = 1, v = 0, top = 0;
    int bounces = 0;

    for (int k = 1; k <= 20000 && bounces < 5; ++k) {
        const double v_free = v - g*dt;
        double c_free = v_free + z/dt, lambda;

        if (c_free < 0 && v < -0.1) c_free = v_free + e*v;     /* struck: ask for v+ = -e v, not for gap 0 */
        lambda = c_free < 0 ? -m*c_free : 0;
        v = v_free + lambda/m;
        z = z + dt*v;

        if (z > top) top = z;
        if (lambda > 0) {                                      /* down again: how high was it? */
            if (bounces > 0) printf("bounce %d: %.4f m\n", bounces, top);
            top = 0;
            ++bounces;
        }
    }
    return 0;
}
