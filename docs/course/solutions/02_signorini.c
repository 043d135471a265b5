/* A tower of n blocks at rest: all 2^n cases are tried; one holds, and each contact carries what lies on it. */
#include <stdio.h>

enum { MOST = 10 };

/* Solves the k x k system A x = b by Gaussian elimination; A is definite, so no pivot is 0. */
static void eliminate(int k, double A[MOST][MOST], double b[MOST])
{
    for (int i = 0; i < k; ++i)
        for (int r = i + 1; r < k; ++r) {
            const double f = A[r][i]/A[i][i];

            for (int c = i; c < k; ++c) A[r][c] -= f*A[i][c];
            b[r] -= f*b[i];
        }
    for (int i = k - 1; i >= 0; --i) {
        for (int c = i + 1; c < k; ++c) b[i] -= A[i][c]*b[c];
        b[i] /= A[i][i];
    }
}

static int cases_that_hold(int n, double m, double fall, double lambda[MOST])
{
    int holding = 0;

    for (int kase = 0; kase < 1 << n; ++kase) {
        double A[MOST][MOST], b[MOST], x[MOST] = { 0 };
        int at[MOST], k = 0, holds = 1;

        for (int i = 0; i < n; ++i) if (kase >> i & 1) at[k++] = i;
        for (int r = 0; r < k; ++r) {
            for (int c = 0; c < k; ++c) {                  /* G: 1/m at the ground, then -1 2 -1 */
                const int d = at[r] - at[c];

                A[r][c] = d == 0 ? (at[r] == 0 ? 1 : 2)/m : d == 1 || d == -1 ? -1/m : 0;
            }
            b[r] = at[r] == 0 ? fall : 0;                  /* g: the tower falls as one */
        }
        eliminate(k, A, b);
        for (int r = 0; r < k; ++r) x[at[r]] = b[r];
        for (int i = 0; i < n; ++i) {
            const double s = ((i == 0 ? 1 : 2)*x[i] - (i > 0 ? x[i - 1] : 0) - (i + 1 < n ? x[i + 1] : 0))/m
                             - (i == 0 ? fall : 0);

            holds = holds && x[i] >= 0 && s >= -1e-12;
        }
        if (!holds) continue;
        for (int i = 0; i < n; ++i) lambda[i] = x[i];
        ++holding;
    }
    return holding;
}

int main(void)
{
    for (int n = 1; n <= MOST; n += 3) {
        double lambda[MOST];
        const int holding = cases_that_hold(n, 1, 9.81*0.01, lambda);

        printf("%2d blocks: %4d cases, %d holds, bottom %.4f N s, top %.4f N s\n", n, 1 << n, holding, lambda[0],
               lambda[n - 1]);
    }
    return 0;
}
