/* Two blocks, one on the other, on the ground: which contacts push? Tries all four cases. */
#include <math.h>
#include <stdio.h>

static const double m1 = 1, m2 = 2, g = 9.81, dt = 0.01;       /* lower and upper block [kg], [m/s^2], [s] */

/* 0 in place of what rounding left of it. */
static double tidy(double x) { return fabs(x) < 1e-15 ? 0 : x; }

/* Solves sigma = G lambda + b, 0 <= lambda _|_ sigma >= 0 for two contacts. Returns how many of the cases hold. */
static int solve(const double G[2][2], const double b[2], double lambda[2], double sigma[2])
{
    static const char *const word[2] = { "open", "closed" };
    int holding = 0;

    for (int kase = 0; kase < 4; ++kase) {
        const int closed[2] = { kase & 1, kase >> 1 };
        double x[2] = { 0, 0 }, s[2];
        int holds;

        if (closed[0] && closed[1]) {                          /* sigma = 0 in both: Cramer's rule */
            const double det = G[0][0]*G[1][1] - G[0][1]*G[1][0];

            x[0] = (-b[0]*G[1][1] + b[1]*G[0][1])/det;
            x[1] = (-b[1]*G[0][0] + b[0]*G[1][0])/det;
        } else if (closed[0]) x[0] = -b[0]/G[0][0];
        else if (closed[1]) x[1] = -b[1]/G[1][1];
        for (int i = 0; i < 2; ++i) s[i] = closed[i] ? 0 : G[i][0]*x[0] + G[i][1]*x[1] + b[i];

        holds = x[0] >= 0 && x[1] >= 0 && s[0] >= 0 && s[1] >= 0;
        printf("  ground %-6s between %-6s  lambda %7.4f %7.4f  sigma %7.4f %7.4f  %s\n", word[closed[0]],
               word[closed[1]], tidy(x[0]), tidy(x[1]), tidy(s[0]), tidy(s[1]), holds ? "holds" : "-");
        if (!holds) continue;
        for (int i = 0; i < 2; ++i) { lambda[i] = x[i]; sigma[i] = s[i]; }
        ++holding;
    }
    return holding;
}

int main(void)
{
    /* c1 = v1, c2 = v2 - v1, so J = [1 0; -1 1], and G = J M^-1 J' */
    const double G[2][2] = { { 1/m1, -1/m1 }, { -1/m1, 1/m1 + 1/m2 } };
    const double start[3][2] = { { 0, 0 }, { 0, 1 }, { 1, 0 } };   /* v1, v2 before the step [m/s] */
    static const char *const name[3] = { "at rest", "upper block thrown up", "lower block kicked up" };

    for (int k = 0; k < 3; ++k) {
        const double v1 = start[k][0] - g*dt, v2 = start[k][1] - g*dt, b[2] = { v1, v2 - v1 };
        double lambda[2] = { 0, 0 }, sigma[2] = { 0, 0 };

        printf("%s\n", name[k]);
        if (solve(G, b, lambda, sigma) != 1) return 1;
        printf("  v1 %.4f m/s, v2 %.4f m/s\n", tidy(v1 + (lambda[0] - lambda[1])/m1),
               tidy(v2 + lambda[1]/m2));
    }
    return 0;
}
