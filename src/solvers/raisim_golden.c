/* raisim-golden: RaiSim's model, each sliding contact by golden-section search along the line of sight (HW Sec. V-B,
 * Tab. I, after HW ref. 7).
 *
 *      bracket <- the arc of the cone's section that is seen from the zero-velocity impulse
 *      compare the energies at the two golden points, drop the end next to the higher one,
 *      until the impulses of the bracket differ by less than gamma
 *
 * Only values of the energy are used. The loop over contacts is HW Alg. 2, in raisim.c. */
#include "solvers/gauss_seidel.h"
#include "solvers/raisim.h"
#include "solvers/solvers.h"

/* Whether E(t1) < E(t2), t1 < t2. E is quadratic, so E(t1) - E(t2) is (x1 - x2).(S (x1 + x2)/2 + s), and x1 - x2 has
 * t2 - t1 as a factor: no cancellation, so the section can go down to rounding instead of to its square root. */
static int slide_is_lower(const slip_plane *t, slip_real t1, slip_real t2)
{
    const slip_real a1 = t->a[0], a2 = t->a[1];
    const slip_real q1 = (1 - a1)*t1*t1 + 2*a2*t1 + 1 + a1, q2 = (1 - a1)*t2*t2 + 2*a2*t2 + 1 + a1;
    const slip_real inv = 1/(q1*q2), i1 = inv*q2, i2 = inv*q1;
    const slip_real mx = ((1 - t1*t1)*i1 + (1 - t2*t2)*i2)/2 - t->L, my = t1*i1 + t2*i2;
    const slip_real dx = t1 + t2 + a2*(1 + t1*t2), dy = (1 - a1)*t1*t2 - (1 + a1);

    return dx*(t->S[0]*mx + t->S[1]*my) + dy*(t->S[1]*mx + t->S[2]*my) < 0;
}

void slip_slide_golden(slip_plane *t, slip_real gamma, const slip_real *old, slip_real x[3])
{
    const slip_real g = SLIP_R(0.3819660112501051518);                   /* 2 - golden ratio          */
    enum { STEPS = 200 };                              /* shrink the longest arc, 2e8, to rounding */
    slip_real lo = -slip_plane_end(t, -1), hi = slip_plane_end(t, 1);
    slip_real t1 = lo + g*(hi - lo), t2 = hi - g*(hi - lo), end[3];
    int it;

    (void)old;                                           /* the bracket is the whole arc */
    for (it = 0; it < STEPS && t1 < t2; ++it) {
        if (slide_is_lower(t, t1, t2)) { hi = t2;  t2 = t1;  t1 = lo + g*(hi - lo); }
        else { lo = t1;  t1 = t2;  t2 = hi - g*(hi - lo); }
        slip_plane_impulse_at(t, lo, end);
        slip_plane_impulse_at(t, hi, x);
        if (slip_distance3(end, x) < gamma) break;
    }
    slip_plane_impulse_at(t, (lo + hi)/2, x);
}

static slip_status raisim_golden_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                       slip_arena *scratch)
{
    return slip_raisim_solve(p, opt, sol, scratch, slip_slide_golden);
}

const slip_solver slip_solver_raisim_golden = {
    .id = "raisim-golden", .model = SLIP_MODEL_RAISIM,
    .about = "per-contact golden section",
    .paper = "HW Sec. V-B", .engines = "",
    .takes = SLIP_TAKES_ALL, .reads = SLIP_READS_ALPHA | SLIP_READS_STOP | SLIP_READS_COUNT | SLIP_READS_PATIENCE,
    .solve = raisim_golden_solve, .bytes = slip_gs_bytes
};
