/* Two bricks on a slope of tangent 0.5, as in models/incline.xml: friction 0.505 holds one, 0.495 lets one slide. */
#include <math.h>
#include <stdio.h>

int main(void)
{
    const double g = 9.81, dt = 0.001, mu[2] = { 0.505, 0.495 };
    const double along = g*0.5/sqrt(1.25), into = g/sqrt(1.25);    /* gravity along the slope and into it */

    for (int i = 0; i < 2; ++i) {
        double v = 0, x = 0;

        for (int k = 0; k < 2000; ++k) {
            const double c = v + dt*along, normal = dt*into;       /* of 1 kg */

            v = c <= mu[i]*normal ? 0 : c - mu[i]*normal;          /* sticks, or slips down */
            x += dt*v;
        }
        printf("mu %.3f: %.4f m in 2 s    theory %.4f m\n", mu[i], x,
               mu[i] >= 0.5 ? 0 : 0.5*(along - mu[i]*into)*2*2);
    }
    return 0;
}
