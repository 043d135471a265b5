/* The judge. It shares no code with the solvers but the cones and the product with G. See residual.h. */
#include "contact/residual.h"

#include "contact/delassus.h"

const char *slip_contact_model_name(slip_contact_model model)
{
    switch (model) {
    case SLIP_MODEL_NCP:     return "NCP";
    case SLIP_MODEL_CCP:     return "CCP";
    case SLIP_MODEL_LCP:     return "LCP";
    case SLIP_MODEL_RAISIM:  return "RaiSim";
    case SLIP_MODEL_BARRIER: return "barrier";
    }
    return "?";
}

unsigned slip_contact_model_laws(slip_contact_model model)
{
    switch (model) {
    case SLIP_MODEL_NCP:     return SLIP_SIGNORINI | SLIP_COULOMB | SLIP_DISSIPATION;
    case SLIP_MODEL_CCP:     return SLIP_COULOMB | SLIP_DISSIPATION;
    case SLIP_MODEL_LCP:     return SLIP_SIGNORINI;
    case SLIP_MODEL_RAISIM:  return SLIP_SIGNORINI | SLIP_COULOMB;
    case SLIP_MODEL_BARRIER: return SLIP_COULOMB;
    }
    return 0;
}

const char *slip_contact_state_name(slip_contact_state state)
{
    return state == SLIP_CONTACT_OPEN ? "open" : state == SLIP_CONTACT_STICK ? "stick" : "slip";
}

/* Gamma of the LCP: mu times the support function of the pyramid's section at -sigma_T, which is the dissipation per
 * unit of lambda_n that maximum dissipation demands. The maximum is at the corner nearest to -sigma_T. */
static slip_real judge_pyramid_gamma(slip_real mu, int k, const slip_real sigma[3])
{
    const slip_real sector = 2*SLIP_PI/(slip_real)k;
    slip_real angle, corner;

    if (k == 4) return mu*(slip_abs(sigma[0]) + slip_abs(sigma[1]));
    angle = slip_atan2(-sigma[1], -sigma[0]);
    corner = (slip_floor(angle/sector) + SLIP_R(0.5))*sector;
    return mu*slip_norm2(sigma)*slip_cos(angle - corner)/slip_cos(sector/2);
}

/* Units in which impulses and velocities are judged, so that squares and products of them neither overflow nor
 * underflow: 1, or the largest of them where that is far from 1 (judge_unit()). */
typedef struct { slip_real impulse, speed; } judge_units;

/* The unit for numbers of at most `most`. The bounds leave room for the fourth power of a number in slip_real. */
static slip_real judge_unit(slip_real most)
{
    return most > SLIP_TOL(1e70, 1e9) || (most > 0 && most < SLIP_TOL(1e-70, 1e-9)) ? most : 1;
}

/* eps_p, eps_d, eps_c of one contact, in `unit`. */
static void judge_contact(slip_contact_model model, int facets, judge_units unit, slip_real mu,
                          const slip_real given_lambda[3], const slip_real given_sigma[3], slip_real eps[3])
{
    slip_real lambda[3], sigma[3], s[3];

    slip_scale3(1/unit.impulse, given_lambda, lambda);
    slip_scale3(1/unit.speed, given_sigma, sigma);
    if (model == SLIP_MODEL_LCP && mu < SLIP_MU_INFINITE) {      /* the pyramid of infinite mu is the cone's half-space */
        slip_real minus[3], polar[3];

        slip_set3(sigma[0], sigma[1], sigma[2] + judge_pyramid_gamma(mu, facets, sigma), s);
        slip_neg3(s, minus);
        slip_pyramid_project(mu, facets, minus, polar);        /* Moreau: dist(s, K*) = |P_K(-s)| */
        eps[0] = slip_pyramid_distance(mu, facets, lambda);
        eps[1] = slip_norm3(polar);
    } else {
        if (model == SLIP_MODEL_CCP) slip_copy3(sigma, s); else slip_desaxce(mu, sigma, s);
        eps[0] = slip_cone_distance(mu, lambda);
        eps[1] = slip_cone_distance_dual(mu, s);
    }
    eps[2] = slip_abs(slip_dot3(lambda, s));
}

/* The same for contact i by RaiSim's model; see residual_raisim.c. */
static void judge_raisim(const slip_problem *p, int i, judge_units unit, slip_real lambda_max, const slip_real *lambda,
                         const slip_real *sigma, slip_real eps[3])
{
    slip_real l[3], s[3];

    slip_scale3(1/unit.impulse, lambda + 3*i, l);
    slip_scale3(1/unit.speed, sigma + 3*i, s);
    slip_raisim_residual(p, i, lambda_max/unit.impulse, l, s, eps);
}

/* eps_p, eps_d, eps_c of a limit or a bilateral row. */
static void judge_scalar(int bilateral, slip_real lambda, slip_real sigma, slip_real eps[3])
{
    eps[0] = bilateral ? 0 : slip_max(-lambda, 0);
    eps[1] = bilateral ? slip_abs(sigma) : slip_max(-sigma, 0);
    eps[2] = slip_abs(lambda*sigma);
}

/* Adds the residuals of a block to the maxima. */
static void judge_add(slip_residual *r, int block, const slip_real eps[3])
{
    const slip_real most = slip_max(eps[0], slip_max(eps[1], eps[2]));

    if (most > r->eps_abs || r->worst < 0) {
        r->eps_abs = most;
        r->worst = block;
    }
    r->eps_primal = slip_max(eps[0], r->eps_primal);
    r->eps_dual = slip_max(eps[1], r->eps_dual);
    r->eps_comp = slip_max(eps[2], r->eps_comp);
}

enum { JUDGE_CHUNK = 16 };                               /* contacts judged at once; only speed depends on it */

/* eps of up to JUDGE_CHUNK contacts of finite mu by the cones' distances (cone.h), without branches: a compiler turns
 * them into vectors. gamma: 1 for the NCP, 0 for the CCP. */
static void judge_cones(int count, slip_real gamma, judge_units unit, const slip_real *SLIP_RESTRICT mu,
                        const slip_real *SLIP_RESTRICT lambda, const slip_real *SLIP_RESTRICT sigma,
                        slip_real eps[3][JUDGE_CHUNK])
{
    const slip_real l = 1/unit.impulse, s = 1/unit.speed;
    int i;

    for (i = 0; i < count; ++i) {
        const slip_real m = mu[i], l0 = l*lambda[3*i], l1 = l*lambda[3*i + 1], l2 = l*lambda[3*i + 2];
        const slip_real s0 = s*sigma[3*i], s1 = s*sigma[3*i + 1], lt2 = l0*l0 + l1*l1, st2 = s0*s0 + s1*s1;
        const slip_real lt = slip_sqrt(lt2), st = slip_sqrt(st2), s2 = s*sigma[3*i + 2] + gamma*m*st;
        const slip_real c = slip_sqrt(1 + m*m), lx = slip_sqrt(lt2 + l2*l2), sx = slip_sqrt(st2 + s2*s2);
        slip_real primal = m*lt <= -l2 ? lx : (lt - m*l2)/c, dual = st <= -m*s2 ? sx : (m*st - s2)/c;

        primal = lt <= m*l2 && l2 >= 0 ? 0 : primal;            /* mu = 0: a pull is outside of the ray */
        dual = s2 >= m*st ? 0 : dual;
        eps[0][i] = primal;
        eps[1][i] = dual;
        eps[2][i] = slip_abs(l0*s0 + l1*s1 + l2*s2);
    }
}

/* All contacts of the NCP or CCP. */
static void judge_contacts(const slip_problem *p, slip_contact_model model, judge_units unit, const slip_real *lambda,
                           const slip_real *sigma, slip_residual *r)
{
    const slip_real gamma = model == SLIP_MODEL_CCP ? 0 : 1;
    slip_real eps[3][JUDGE_CHUNK], own[3], primal = 0, dual = 0, comp = 0;
    int first, count, i, k;

    for (first = 0; first < p->nc; first += count) {
        const slip_real *mu = p->mu + first;

        count = p->nc - first < JUDGE_CHUNK ? p->nc - first : JUDGE_CHUNK;
        judge_cones(count, gamma, unit, mu, lambda + 3*first, sigma + 3*first, eps);
        for (i = 0; i < count; ++i) {
            if (mu[i] >= SLIP_MU_INFINITE) {
                judge_contact(model, 4, unit, mu[i], lambda + 3*(first + i), sigma + 3*(first + i), own);
                for (k = 0; k < 3; ++k) eps[k][i] = own[k];
            }
            primal = slip_max(eps[0][i], primal);
            dual = slip_max(eps[1][i], dual);
            comp = slip_max(eps[2][i], comp);
            if (slip_max(primal, slip_max(dual, comp)) > r->eps_abs) {
                r->eps_abs = slip_max(primal, slip_max(dual, comp));
                r->worst = first + i;
            }
        }
    }
    r->eps_primal = primal;
    r->eps_dual = dual;
    r->eps_comp = comp;
    if (r->worst < 0 && p->nc > 0) r->worst = 0;
}

/* max |x_i|, as four maxima, so that their latencies overlap. */
static slip_real judge_max_abs(int n, const slip_real *x)
{
    slip_real m0 = 0, m1 = 0, m2 = 0, m3 = 0;
    int i = 0;

    for (; i + 4 <= n; i += 4) {
        m0 = slip_max(m0, slip_abs(x[i]));
        m1 = slip_max(m1, slip_abs(x[i + 1]));
        m2 = slip_max(m2, slip_abs(x[i + 2]));
        m3 = slip_max(m3, slip_abs(x[i + 3]));
    }
    for (; i < n; ++i) m0 = slip_max(m0, slip_abs(x[i]));
    return slip_max(slip_max(m0, m1), slip_max(m2, m3));
}

/* Back to the problem's units. */
static void judge_restore(slip_residual *r, judge_units unit)
{
    r->eps_primal *= unit.impulse;
    r->eps_dual *= unit.speed;
    r->eps_comp *= unit.impulse*unit.speed;
    r->eps_abs = slip_max(r->eps_primal, slip_max(r->eps_dual, r->eps_comp));
}

void slip_residual_at(const slip_problem *p, slip_contact_model model, int facets,
                      const slip_real *lambda, const slip_real *sigma, slip_residual *r)
{
    const int m = slip_block_count(p);
    judge_units unit;
    slip_real eps[3];
    int i;

    r->lambda_max = judge_max_abs(p->n, lambda);
    r->sigma_max = judge_max_abs(p->n, sigma);
    r->g_max = judge_max_abs(p->n, p->g);
    unit.impulse = judge_unit(r->lambda_max);
    unit.speed = judge_unit(r->sigma_max);
    r->eps_primal = r->eps_dual = r->eps_comp = r->eps_abs = 0;
    r->worst = -1;
    if (model == SLIP_MODEL_NCP || model == SLIP_MODEL_CCP || model == SLIP_MODEL_BARRIER)
        judge_contacts(p, model, unit, lambda, sigma, r);
    else for (i = 0; i < p->nc; ++i) {
        if (model == SLIP_MODEL_LCP) judge_contact(model, facets, unit, p->mu[i], lambda + 3*i, sigma + 3*i, eps);
        else judge_raisim(p, i, unit, r->lambda_max, lambda, sigma, eps);
        judge_add(r, i, eps);
    }
    for (i = p->nc; i < m; ++i) {
        const int row = slip_block_row(p, i);

        judge_scalar(slip_block_is_bilateral(p, i), lambda[row]/unit.impulse, sigma[row]/unit.speed, eps);
        judge_add(r, i, eps);
    }
    if (unit.impulse != 1 || unit.speed != 1) judge_restore(r, unit);
    if (!slip_all_finite(lambda, p->n) || !slip_all_finite(sigma, p->n)) {
        r->eps_primal = r->eps_dual = r->eps_comp = r->eps_abs = (slip_real)INFINITY;
        r->worst = 0;
    }
}

void slip_residual_of(const slip_problem *p, const slip_real *lambda, slip_real *sigma, slip_residual *r)
{
    slip_problem_sigma(p, lambda, sigma);
    slip_residual_at(p, SLIP_MODEL_NCP, 4, lambda, sigma, r);
}

/* eps over the allowed eps; 0/0 counts as met, x/0 as infinity. Below the smallest normal number, where the allowed eps
 * has no digits, eps counts as 0. */
static slip_real judge_over(slip_real eps, slip_real allowed)
{
    return eps <= SLIP_REAL_MIN ? 0 : allowed > 0 ? eps/allowed : (slip_real)INFINITY;
}

slip_real slip_residual_excess(const slip_residual *r, slip_real asked, slip_tol_rule rule)
{
    const slip_real impulse = r->lambda_max, most = SLIP_R(1e4);
    /* impulses reduce velocities: a sigma far above g is an error, and must not make the relative criterion easier */
    const slip_real speed = slip_max(r->g_max, slip_min(r->sigma_max, 10*r->g_max));
    const int usual = impulse >= SLIP_R(1e-4) && impulse <= most;
    slip_real small = 1, relative = 0, tol = SLIP_R(0.999)*asked;    /* 0.001: see residual_ops.h */

    if (slip_tol_is_relative(rule) || (rule == SLIP_TOL_AUTO && !usual))
        relative = slip_max(judge_over(r->eps_primal, tol*impulse),
                            slip_max(judge_over(r->eps_dual, tol*speed),
                                     judge_over(r->eps_comp/slip_max(impulse, SLIP_REAL_MIN), tol*speed)));
    if (rule == SLIP_TOL_RELATIVE || (rule == SLIP_TOL_AUTO && !usual)) return relative;
    if (rule == SLIP_TOL_BOTH) tol *= slip_max(1, impulse/(10*most));
    if (rule == SLIP_TOL_AUTO && r->g_max > 0) small = slip_min(1, r->g_max*SLIP_R(1e3));
    return slip_max(slip_max(relative, judge_over(r->eps_primal, tol)),
                    slip_max(judge_over(r->eps_dual, tol*small), judge_over(r->eps_comp, tol)));
}

/* ---- physics ------------------------------------------------------------------------------------ */

void slip_contact_judge(const slip_problem *p, int i, const slip_real *lambda, const slip_real *sigma,
                        slip_real still, slip_real empty, slip_contact_criteria *c)
{
    const slip_real *l = lambda + 3*i, *v = sigma + 3*i, mu = p->mu[i];
    const slip_real lt = slip_norm2(l), vt = slip_norm2(v), dot = l[0]*v[0] + l[1]*v[1];
    const slip_real reach = l[2] > 0 ? mu*l[2] : 0;
    const judge_units one = { 1, 1 };
    slip_real eps[3];

    if (still <= 0) still = SLIP_TOL(1e-6, 1e-4)*slip_max(judge_max_abs(p->n, sigma), judge_max_abs(p->n, p->g));
    if (empty <= 0) empty = SLIP_TOL(1e-6, 1e-4)*judge_max_abs(p->n, lambda);
    judge_contact(SLIP_MODEL_NCP, 4, one, mu, l, v, eps);
    c->eps_primal = eps[0];
    c->eps_dual = eps[1];
    c->eps_comp = eps[2];
    c->signorini_power = slip_abs(l[2]*v[2]);
    c->signorini_approach = slip_max(-v[2], 0);
    c->coulomb = slip_max(slip_max(lt - reach, 0), -l[2]);
    c->state = l[2] <= empty ? SLIP_CONTACT_OPEN : vt <= still ? SLIP_CONTACT_STICK : SLIP_CONTACT_SLIP;
    c->mdp_power = c->mdp_angle = 0;
    if (slip_is_finite(reach)) c->mdp_power = slip_max(reach*vt + dot, 0);
    if (c->state == SLIP_CONTACT_SLIP && reach > 0) {
        /* atan2 of cross and dot product with -sigma_T: accurate for small angles */
        const slip_real cross = l[0]*v[1] - l[1]*v[0];

        c->mdp_angle = lt > 0 ? slip_abs(slip_atan2(cross, -dot)) : SLIP_PI/2;
    }
}

/* Adds a contact to the maxima and counts of all. */
static void judge_count(const slip_contact_criteria *c, slip_physics *out)
{
    out->signorini_power = slip_max(out->signorini_power, c->signorini_power);
    out->signorini_approach = slip_max(out->signorini_approach, c->signorini_approach);
    out->coulomb = slip_max(out->coulomb, c->coulomb);
    out->mdp_power = slip_max(out->mdp_power, c->mdp_power);
    out->mdp_angle = slip_max(out->mdp_angle, c->mdp_angle);
    if (c->state == SLIP_CONTACT_OPEN) ++out->open;
    else if (c->state == SLIP_CONTACT_STICK) ++out->stick;
    else ++out->slip;
}

void slip_physics_of(const slip_problem *p, const slip_real *lambda, slip_real *sigma, slip_arena *arena,
                     slip_physics *out)
{
    slip_real still, empty, *x;
    size_t mark;
    int i;

    out->signorini_power = out->signorini_approach = out->coulomb = out->mdp_power = out->mdp_angle = 0;
    out->open = out->stick = out->slip = 0;
    out->internal = -1;
    out->power = 0;
    slip_residual_of(p, lambda, sigma, &out->ncp);
    still = SLIP_TOL(1e-6, 1e-4)*slip_max(out->ncp.sigma_max, out->ncp.g_max);
    empty = SLIP_TOL(1e-6, 1e-4)*out->ncp.lambda_max;
    for (i = 0; i < p->nc; ++i) {
        slip_contact_criteria c;

        slip_contact_judge(p, i, lambda, sigma, still, empty, &c);
        judge_count(&c, out);
    }
    for (i = 0; i < p->n; ++i) out->power += lambda[i]*(sigma[i] + p->g[i])/2;
    if (!arena) return;
    mark = slip_arena_mark(arena);
    x = slip_arena_reals(arena, (size_t)p->n);
    if (x && slip_internal_forces(p, lambda, x, arena) >= 0) {
        out->internal = 0;
        for (i = 0; i < p->n; ++i) out->internal += x[i]*x[i];
        out->internal = slip_sqrt(out->internal);
    }
    slip_arena_release(arena, mark);
}

/* x = s (G + s I)^-1 lambda keeps the null space of G and shrinks the rest by s/(eigenvalue + s): with s below
 * the smallest eigenvalue that counts (1e-6 of the largest), three rounds leave the null-space part alone. */
slip_status slip_internal_forces(const slip_problem *p, const slip_real *lambda, slip_real *x, slip_arena *arena)
{
    const size_t mark = slip_arena_mark(arena);
    slip_real top = 0, s, *shift;
    slip_gfactor f;
    slip_status status;
    int i, round;

    shift = slip_arena_reals(arena, (size_t)p->n);
    if (!shift) return SLIP_ERR_WORKSPACE;
    slip_problem_diagonal(p, shift);
    for (i = 0; i < p->n; ++i) top = slip_max(top, shift[i]);
    s = top > 0 ? SLIP_TOL(1e-8, 1e-4)*top : 1;
    for (i = 0; i < p->n; ++i) shift[i] = s;
    status = slip_gfactor_prepare(&f, p, arena);
    if (status >= 0) status = slip_gfactor_shift(&f, p, shift);
    if (status >= 0) {
        for (i = 0; i < p->n; ++i) x[i] = lambda[i];
        for (round = 0; round < 3; ++round) {
            slip_gfactor_solve(&f, x);
            for (i = 0; i < p->n; ++i) x[i] *= s;
        }
    }
    slip_arena_release(arena, mark);
    return status;
}
