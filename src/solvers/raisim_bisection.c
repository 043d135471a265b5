/* raisim-bisection: RaiSim's model, each sliding contact by per-contact bisection (HW Alg. 1-2), as in RaiSim.
 *
 *      theta <- direction of the zero-velocity impulse                                HW Alg. 1, lines 2-6
 *      step downhill in energy, ever longer, until dE/dtheta changes sign             lines 7-23
 *      halve the bracket until its impulses differ by less than gamma                 lines 24-33
 *
 * slip_slide_search() below is HW Alg. 1 with its line numbers, and with values for beta1, beta2, beta3, which HW
 * leaves open. The loop over contacts is HW Alg. 2, in raisim.c. */
#include "solvers/gauss_seidel.h"
#include "solvers/raisim.h"
#include "solvers/solvers.h"

/* A point of the boundary; HW eq. 14: r = 1/(1 + a.u). */
typedef struct { slip_real angle, c, s, r; } slide_point;

static slide_point slide_at(const slip_plane *t, slip_real angle)
{
    slide_point y;

    y.angle = angle;
    y.c = slip_cos(angle);
    y.s = slip_sin(angle);
    y.r = 1/(1 + t->a[0]*y.c + t->a[1]*y.s);
    return y;
}

/* HW eq. 15 without its normalisation: the velocity S (x - x0) along the boundary's tangent. The sign of dE/dtheta. */
static slip_real slide_gradient(const slip_plane *t, const slide_point *y)
{
    const slip_real x0 = y->r*y->c - t->L, x1 = y->r*y->s;

    return (t->S[1]*x0 + t->S[2]*x1)*(y->c + t->a[0]) - (t->S[0]*x0 + t->S[1]*x1)*(y->s + t->a[1]);
}

/* Distance of two impulses [N s]. */
static slip_real slide_distance(const slip_plane *t, const slide_point *y, const slide_point *z)
{
    const slip_real d0 = y->r*y->c - z->r*z->c, d1 = y->r*y->s - z->r*z->s, dn = y->r - z->r;

    return slip_sqrt(t->rho*t->rho*(d0*d0 + d1*d1) + t->normal*t->normal*dn*dn);
}

/* Whether y can be the minimum: it exists (r > 0) and is seen from x0. Line 13 prints grad h2 . (lambda - lambda_v=0) <
 * 0 for a point out of sight. With HW's h2, whose gradient points out of the cone, that is the sign of a point in
 * sight; the text's meaning counts here. A step of more than half a turn would come round to the arc's other end. */
static int slide_in_sight(const slip_plane *t, const slide_point *y)
{
    return y->r > 0 && y->c >= 1/t->L - t->a[0] && slip_abs(y->angle) < SLIP_PI;
}

/* HW names beta1, beta2, beta3 without values. Here steps double as long as the gradient keeps its sign and halve when
 * they leave the arc. First steps of 0.1 to 0.3 rad need the fewest evaluations, 18 on random contacts to 1e-6 N s; ten
 * times less or more costs one or two (`slipstick papers HW-tab1` varies it, and the start).
 * tests/test_printed_sweeps.c repeats the search with these values. */
void slip_slide_search(const slip_plane *t, slip_real gamma, slip_real beta1, slip_real start, slip_real x[3])
{
    const slip_real beta2 = SLIP_R(0.5), beta3 = 2;
    enum { STEPS = 100 };                              /* 0.1 rad halved so often is below rounding */
    slide_point y = slide_at(t, start), old = y, mid;                    /* 2-4   */
    const slip_real D0 = slide_gradient(t, &y);                          /* 5     */
    slip_real step = D0 > 0 ? -beta1 : beta1;                            /* 6     */
    int it, crossed = 0;

    for (it = 0; it < STEPS && !crossed && D0 != 0; ++it) {              /* 7     */
        old = y;                                                         /* 8-9   */
        y = slide_at(t, old.angle + step);                               /* 10-12 */
        if (!slide_in_sight(t, &y)) {                                    /* 13    */
            step *= beta2;                                               /* 14    */
            y = old;
        } else if ((slide_gradient(t, &y) > 0) == (D0 > 0)) {            /* 16-17 */
            step *= beta3;                                               /* 18    */
        } else crossed = 1;                                              /* 20    */
    }
    for (it = 0; it < STEPS && crossed; ++it) {                          /* 24    */
        mid = slide_at(t, (y.angle + old.angle)/2);                      /* 25-27 */
        if (mid.angle == y.angle || mid.angle == old.angle) break;
        if ((slide_gradient(t, &mid) > 0) == (D0 > 0)) old = mid;        /* 28-29 */
        else y = mid;                                                    /* 31    */
        if (slide_distance(t, &old, &y) < gamma) break;                  /* 33    */
    }
    slip_plane_impulse(t, y.c, y.s, 1, x);
}

void slip_slide_bisection(slip_plane *t, slip_real gamma, const slip_real *old, slip_real x[3])
{
    (void)old;                                           /* HW begins at the zero-velocity impulse */
    slip_slide_search(t, gamma, SLIP_R(0.1), 0, x);
}

static slip_status raisim_bisection_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                          slip_arena *scratch)
{
    return slip_raisim_solve(p, opt, sol, scratch, slip_slide_bisection);
}

const slip_solver slip_solver_raisim_bisection = {
    .id = "raisim-bisection", .model = SLIP_MODEL_RAISIM,
    .about = "per-contact bisection",
    .paper = "LL Alg. 4, HW Alg. 1-2", .engines = "RaiSim",
    .takes = SLIP_TAKES_ALL, .reads = SLIP_READS_ALPHA | SLIP_READS_STOP | SLIP_READS_COUNT | SLIP_READS_PATIENCE,
    .solve = raisim_bisection_solve, .bytes = slip_gs_bytes
};
