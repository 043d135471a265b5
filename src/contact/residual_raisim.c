/* The judge's criterion for RaiSim's model.
 *
 * Per contact the model is  0 <= lambda_N  _|_  sigma_N >= 0,  lambda in K_mu,  and where it touches the ground lambda
 * minimises the contact's energy over K_mu and the plane sigma_N = 0 (LL eq. 20). With y >= 0 the plane's multiplier
 * and A = G_ii + R_i that is  K_mu ∋ lambda _|_ s = sigma + y A_(:,N) ∈ K*_mu, which is LL eq. 21; y is the number
 * with y A_NN = mu |sigma_T + y A_TN|. It takes the place of De Saxce's Gamma, which it equals when A_TN = 0.
 *
 * An open contact, lambda = 0 and sigma_N >= 0, has no such minimum to meet. For mu |A_TN| <= A_NN some y >= 0 fits it
 * all the same; beyond (Painleve's case) there may be none, so that it is a candidate of its own. */
#include "contact/residual.h"

/* A candidate s: its distance from K*_mu and from being orthogonal to lambda. */
typedef struct { slip_real dual, power; } raisim_candidate;

/* For s = sigma + y A. */
static raisim_candidate raisim_try(slip_real mu, const slip_real lambda[3], const slip_real sigma[3], slip_real y,
                                   const slip_real A[3])
{
    raisim_candidate c;
    slip_real s[3];

    slip_axpy3(y, A, sigma, s);
    c.dual = slip_cone_distance_dual(mu, s);
    c.power = slip_abs(slip_dot3(lambda, s));
    return c;
}

/* For an open contact: no velocity into the ground, no impulse at any velocity. */
static raisim_candidate raisim_try_open(const slip_real lambda[3], const slip_real sigma[3])
{
    raisim_candidate c;

    c.dual = slip_max(0, -sigma[2]);
    c.power = slip_norm3(lambda)*slip_norm3(sigma);
    return c;
}

static int raisim_is_better(const raisim_candidate *a, const raisim_candidate *b, slip_real scale)
{
    return a->dual + scale*a->power < b->dual + scale*b->power;
}

/* The root y of  (A_NN/mu)^2 y^2 = |sigma_T + y A_TN|^2  that fits lambda best. For mu |A_TN| < A_NN there is one root
 * y >= 0; beyond, none or two; where there is none the nearest y is used. A power counts as a velocity when divided
 * by `most`, the largest impulse of all. */
static raisim_candidate raisim_best(slip_real mu, slip_real most, const slip_real A[3], const slip_real lambda[3],
                                    const slip_real sigma[3])
{
    const slip_real w0 = A[0], w1 = A[1], m2 = mu*mu, scale = most > 0 ? 1/most : 0;
    const slip_real a = A[2]*A[2] - m2*(w0*w0 + w1*w1);
    const slip_real b = m2*(sigma[0]*w0 + sigma[1]*w1), c = m2*(sigma[0]*sigma[0] + sigma[1]*sigma[1]);
    const slip_real root = slip_sqrt(slip_max(0, b*b + a*c));                /* a y^2 - 2 b y - c = 0 */
    const slip_real q = b >= 0 ? b + root : b - root;                        /* roots q/a and -c/q    */
    raisim_candidate best = raisim_try(mu, lambda, sigma, 0, A);             /* y = 0 fits a sticking contact */
    const raisim_candidate open = raisim_try_open(lambda, sigma);
    int k;

    if (raisim_is_better(&open, &best, scale)) best = open;
    for (k = 0; k < 2; ++k) {
        const slip_real y = k == 0 ? (a != 0 ? q/a : -1) : (q != 0 ? -c/q : 0);
        raisim_candidate other;

        if (!(y > 0) || !slip_is_finite(y)) continue;
        other = raisim_try(mu, lambda, sigma, y, A);
        if (raisim_is_better(&other, &best, scale)) best = other;
    }
    return best;
}

void slip_raisim_residual(const slip_problem *p, int i, slip_real lambda_max, const slip_real lambda[3],
                          const slip_real sigma[3], slip_real eps[3])
{
    raisim_candidate c;
    slip_real A[9], n[3];

    if (p->mu[i] < SLIP_MU_INFINITE) {
        slip_problem_block(p, i, i, A);
        slip_set3((A[2] + A[6])/2, (A[5] + A[7])/2, A[8] + (p->R ? p->R[3*i + 2] : 0), n);
        c = raisim_best(p->mu[i], lambda_max, n, lambda, sigma);
    } else {                                             /* it sticks or is open */
        const raisim_candidate open = raisim_try_open(lambda, sigma);

        c = raisim_try(p->mu[i], lambda, sigma, 0, sigma);
        if (raisim_is_better(&open, &c, lambda_max > 0 ? 1/lambda_max : 0)) c = open;
    }
    eps[0] = slip_cone_distance(p->mu[i], lambda);
    eps[1] = c.dual;
    eps[2] = slip_max(c.power, slip_abs(lambda[2]*sigma[2]));
}
