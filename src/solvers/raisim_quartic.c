/* raisim-quartic: RaiSim's model, each sliding contact in closed form (HW Sec. V-B, Tab. I, after HW ref. 19).
 *
 *      dE/dtheta = 0 is a quartic in tan(theta/2); its roots after Ferrari, rounding errors polished away
 *      the root on the arc that is seen from the zero-velocity impulse is the minimum
 *
 * Where the quartic's leading coefficient is close to zero or two roots nearly coincide, the closed form loses all
 * digits, and HW Alg. 1 (raisim_bisection.c) finds the root instead. The quartic is in local_slide.c, the loop over
 * contacts, HW Alg. 2, in raisim.c. */
#include "solvers/gauss_seidel.h"
#include "solvers/raisim.h"
#include "solvers/solvers.h"

/* The largest real root of m^3 + a m^2 + b m + c, which is positive here as c < 0; one Newton step after Cardano. */
static slip_real slide_cubic(slip_real a, slip_real b, slip_real c)
{
    const slip_real p = b - a*a/3, q = 2*a*a*a/27 - a*b/3 + c, d = q*q/4 + p*p*p/27;
    slip_real m, f, df;

    if (d >= 0) {
        const slip_real u = slip_cbrt(-q/2 - slip_copysign(slip_sqrt(d), q));

        m = (u != 0 ? u - p/(3*u) : 0) - a/3;
    } else {
        const slip_real r = slip_sqrt(-p/3);

        m = 2*r*slip_cos(slip_acos(slip_clamp(-q/(2*r*r*r), -1, 1))/3) - a/3;
    }
    f = ((m + a)*m + b)*m + c;
    df = (3*m + 2*a)*m + b;
    return df > 0 ? m - f/df : m;
}

/* Real roots of x^4 + b x^3 + c x^2 + d x + e after Ferrari; returns how many. */
static int slide_ferrari(slip_real b, slip_real c, slip_real d, slip_real e, slip_real x[4])
{
    const slip_real p = c - 3*b*b/8, q = d - b*c/2 + b*b*b/8, r = e - b*d/4 + b*b*c/16 - 3*b*b*b*b/256;
    slip_real m, s, disc;
    int n = 0, k;

    m = slide_cubic(p, p*p/4 - r, -q*q/8);                               /* resolvent                 */
    s = m > 0 ? slip_sqrt(2*m) : 0;
    for (k = -1; k <= 1; k += 2) {
        const slip_real lin = s > 0 ? q/(2*s) : slip_sqrt(slip_max(0, p*p/4 - r));

        disc = s*s/4 - (p/2 + m + (slip_real)k*lin);
        if (disc < 0) continue;
        x[n++] = (slip_real)k*s/2 + slip_sqrt(disc) - b/4;
        x[n++] = (slip_real)k*s/2 - slip_sqrt(disc) - b/4;
    }
    return n;
}

/* Two Newton steps on the quartic itself: Ferrari loses half the digits where roots are close; a step doubles them. */
static slip_real slide_polish(const slip_real c[5], slip_real x)
{
    int k;

    for (k = 0; k < 2; ++k) {
        const slip_real df = c[1] + x*(2*c[2] + x*(3*c[3] + x*4*c[4]));

        if (df != 0) x -= slip_quartic_at(c, x)/df;
    }
    return x;
}

/* The root in [lo, hi], 0 <= lo; -1 when the closed form has too few digits to name it, so that the caller halves: a
 * leading coefficient below the root of rounding, which costs Ferrari half its digits and polishing cannot give back,
 * or a value at the root of more than a hundred roundings, where roots run together. */
static slip_real slide_analytic(const slip_real c[5], slip_real lo, slip_real hi, slip_real guess)
{
    const slip_real big = slip_max(slip_max(slip_abs(c[0]), slip_abs(c[1])),
                                   slip_max(slip_abs(c[2]), slip_abs(c[3])));
    slip_real x[4], t;
    int n, k;

    (void)guess;
    if (!(slip_abs(c[4]) > SLIP_TOL(1e-8, 1e-3)*big)) return -1;
    n = slide_ferrari(c[3]/c[4], c[2]/c[4], c[1]/c[4], c[0]/c[4], x);
    for (k = 0; k < n; ++k) {
        t = slide_polish(c, x[k]);
        if (t >= lo && t <= hi && slip_abs(slip_quartic_at(c, t)) <= SLIP_TOL(1e-13, 1e-5)*(big + slip_abs(c[4])))
            return t;
    }
    return -1;
}

void slip_slide_quartic(slip_plane *t, slip_real gamma, const slip_real *old, slip_real x[3])
{
    slip_real f[5], tau = 0;

    (void)gamma;                                         /* a closed form goes to rounding */
    if (slip_plane_quartic(t, f)) tau = slip_plane_root(f, slip_plane_end(t, 1), slide_analytic, 0);
    if (tau >= 0) slip_plane_impulse_at(t, tau, x);
    else slip_slide_bisection(t, 0, old, x);
}

static slip_status raisim_quartic_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                        slip_arena *scratch)
{
    return slip_raisim_solve(p, opt, sol, scratch, slip_slide_quartic);
}

const slip_solver slip_solver_raisim_quartic = {
    .id = "raisim-quartic", .model = SLIP_MODEL_RAISIM,
    .about = "per-contact roots of a quartic",
    .paper = "HW Sec. V-B", .engines = "",
    .takes = SLIP_TAKES_ALL, .reads = SLIP_READS_ALPHA | SLIP_READS_STOP | SLIP_READS_COUNT | SLIP_READS_PATIENCE,
    .solve = raisim_quartic_solve, .bytes = slip_gs_bytes
};
