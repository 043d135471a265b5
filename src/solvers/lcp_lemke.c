/* lcp-lemke: the LCP of a pyramid with k facets by Lemke's complementary pivoting (LL Sec. III, ref. 50).
 *
 * Per contact, with the pyramid's k corners d_j (radius 1/cos(pi/k), so that k = 4 is LL's |lambda_T|_inf <= mu
 * lambda_N):
 *
 *     0 <= lambda_N  _|_  sigma_N                      >= 0        Signorini
 *     0 <= beta_j    _|_  d_j . sigma_T + gamma        >= 0        lambda_T = sum beta_j d_j, dissipating most
 *     0 <= gamma     _|_  mu lambda_N - sum beta_j     >= 0        Coulomb; gamma is the sliding speed
 *
 * Limits are rows of the first kind; a bilateral row is split into two of opposite signs. In all  w = M z + q, and
 *
 *     w = M z + q + e z0;  z0 enters, the most negative w leaves
 *     repeat  the complement of the last leaving variable enters; lexicographic ratio test; pivot
 *     until z0 leaves (solved), or nothing blocks (a ray)
 *
 * M is copositive, so a ray would mean that the problem has no solution. Contact problems are full of ties (corners of
 * a sticking contact, redundant contacts): the ratio test is the lexicographic one, for q + (eps, eps^2, ...), under
 * which no basis returns. The dictionary keeps non-basic columns only, N (N + 1) numbers with N = nc (k + 2) + nl + 2
 * nb, and N^2 operations a pivot. At the end the basis is solved once more from the data, which removes the rounding
 * errors of the pivots. Where G is singular and rounding makes it a little indefinite, pivoting may end on a ray or
 * cycle; it is then repeated on G + delta D^-2 with g - delta D^-2 lambda_k, a proximal step around the last answer,
 * whose fixed point is the solution for G itself. Pivots are bounded by the iteration limit, else by 100 + 20 N in all;
 * at the bound SLIP_MAX_ITERS is returned with the best residual. A warm start only helps when it already solves the
 * problem. */
#include "contact/lu.h"
#include "solvers/scaled.h"
#include "solvers/solvers.h"

#include <string.h>

/* Pivots between tests for convergence: a test costs about a pivot, so a hundredth. Without them 52 problem files take
 * 2 % more pivots and half as much time again. */
enum { LEMKE_LOOK = 100 };

typedef struct {
    const slip_problem *p;
    const slip_solver_options *opt;
    int k, N;                    /* facets, size of the LCP                                       */
    slip_scaling scale;
    slip_real *A;                /* n x n scaled G + R                                            */
    slip_real *corner;           /* k x 2                                                         */
    slip_real *b;                /* n                                                             */
    slip_real *T, *rhs;          /* N x (N + 1), N: basic = rhs + T nonbasic                      */
    int *basic, *nonbasic;       /* variable of each row, column: w_i is i, z_i is N + i, z0 is 2N */
    int *where;                  /* 2N + 1: row r as r, column c as -1 - c                        */
    slip_real *z, *x, *lambda, *sigma, *best;
    int *pivot;
    int pivots;
} lemke_work;

static int lemke_size(const slip_problem *p, int k) { return p->nc*(k + 2) + p->nl + 2*p->nb; }

static int lemke_carve(lemke_work *w, const slip_problem *p, int k, slip_arena *a)
{
    const size_t n = (size_t)p->n, N = (size_t)lemke_size(p, k);

    w->scale.D = slip_arena_reals(a, n);
    w->A = slip_arena_reals(a, n*n);
    w->corner = slip_arena_reals(a, 2*(size_t)k);
    w->b = slip_arena_reals(a, n);
    w->T = slip_arena_reals(a, N*(N + 1));
    w->rhs = slip_arena_reals(a, N);
    w->basic = slip_arena_ints(a, N);
    w->nonbasic = slip_arena_ints(a, N + 1);
    w->where = slip_arena_ints(a, 2*N + 1);
    w->z = slip_arena_reals(a, N);
    w->x = slip_arena_reals(a, n);
    w->lambda = slip_arena_reals(a, n);
    w->sigma = slip_arena_reals(a, n);
    w->best = slip_arena_reals(a, n);
    w->pivot = slip_arena_ints(a, N);
    return w->scale.D && w->A && w->corner && w->b && w->T && w->rhs && w->basic && w->nonbasic && w->where &&
           w->z && w->x && w->lambda && w->sigma && w->best && w->pivot;
}

/* ---- the LCP's columns: variable i acts on the rows of p as a short vector -------------------------------- */

typedef struct { int row, dim; slip_real v[3]; } lemke_column;

static void lemke_corners(int k, slip_real *corner)
{
    const slip_real half = SLIP_PI/(slip_real)k, radius = 1/slip_cos(half);
    int j;

    for (j = 0; j < k; ++j) {
        corner[2*j] = radius*slip_cos((slip_real)(2*j + 1)*half);
        corner[2*j + 1] = radius*slip_sin((slip_real)(2*j + 1)*half);
    }
}

/* Variable i: a normal impulse, a corner beta_j, gamma (acts on no row), a limit, or one sign of a bilateral row. */
static lemke_column lemke_column_of(const lemke_work *w, int i)
{
    const slip_problem *p = w->p;
    const int per = w->k + 2, contact = i/per, part = i - contact*per, rest = i - p->nc*per;
    lemke_column c;

    slip_zero3(c.v);
    if (rest < 0) {
        c.row = 3*contact;
        c.dim = 3;
        if (part == 0) c.v[2] = 1;
        else if (part <= w->k) slip_set3(w->corner[2*part - 2], w->corner[2*part - 1], 0, c.v);
    } else {
        c.row = 3*p->nc + (rest < p->nl ? rest : p->nl + (rest - p->nl)/2);
        c.dim = 1;
        c.v[0] = rest >= p->nl && (rest - p->nl) % 2 ? SLIP_R(-1) : 1;
    }
    return c;
}

/* The friction rows' entries outside P'A P: +1 of gamma for each beta, mu and -1 in gamma's row. */
static slip_real lemke_coupling(const lemke_work *w, int i, int j)
{
    const int per = w->k + 2, ci = i/per, cj = j/per, pi = i - ci*per, pj = j - cj*per;
    slip_real mu;

    if (ci != cj || ci >= w->p->nc) return 0;
    mu = w->p->mu[ci];
    if (mu >= SLIP_MU_INFINITE) return 0;
    if (pi == w->k + 1) return pj == 0 ? mu : pj <= w->k ? SLIP_R(-1) : 0;
    return pj == w->k + 1 && pi >= 1 ? 1 : 0;
}

static slip_real lemke_entry(const lemke_work *w, int i, int j)
{
    const lemke_column a = lemke_column_of(w, i), b = lemke_column_of(w, j);
    slip_real sum = lemke_coupling(w, i, j);
    int r, s;

    for (r = 0; r < a.dim; ++r) for (s = 0; s < b.dim; ++s)
        sum += a.v[r]*w->A[(size_t)(a.row + r)*(size_t)w->p->n + (size_t)(b.row + s)]*b.v[s];
    return sum;
}

/* q = P'b; a contact with mu = infinity has no Coulomb row: its w is held at 1. */
static slip_real lemke_q(const lemke_work *w, int i)
{
    const lemke_column a = lemke_column_of(w, i);
    const int per = w->k + 2;
    slip_real sum = 0;
    int r;

    if (i/per < w->p->nc && i % per == w->k + 1) return w->p->mu[i/per] < SLIP_MU_INFINITE ? SLIP_R(0.0) : SLIP_R(1.0);
    for (r = 0; r < a.dim; ++r) sum += a.v[r]*w->b[a.row + r];
    return sum;
}

/* The first dictionary: w = M z + e z0 + q, all w basic. */
static void lemke_start(lemke_work *w)
{
    const int N = w->N;
    int i, j;

    for (i = 0; i < N; ++i) {
        slip_real *row = w->T + (size_t)i*(size_t)(N + 1);

        for (j = 0; j < N; ++j) row[j] = lemke_entry(w, i, j);
        row[N] = 1;
        w->rhs[i] = lemke_q(w, i);
        w->basic[i] = i;
        w->where[i] = i;
        w->nonbasic[i] = N + i;
        w->where[N + i] = -1 - i;
    }
    w->nonbasic[N] = 2*N;
    w->where[2*N] = -1 - N;
}

/* ---- pivoting ------------------------------------------------------------------------------------------------ */

/* Coefficient of eps^(j+1) in row r: the perturbation of w_j in the dictionary. */
static slip_real lemke_eps(const lemke_work *w, int r, int j)
{
    const int at = w->where[j];

    if (at >= 0) return at == r ? 1 : 0;
    return -w->T[(size_t)r*(size_t)(w->N + 1) + (size_t)(-1 - at)];
}

/* Whether row r blocks before row s, with pivots p_r, p_s > 0: compares (rhs, eps, eps^2, ...)/p lexicographically.
 * Ratios that differ by some 1e3 roundings, those of the pivots so far, are ties; so are right-hand sides within a
 * rounding of one, their scaled size, and coefficients of eps within 1e3 roundings of one, their size: what pivots
 * leave of a zero must not decide. */
static int lemke_before(const lemke_work *w, int r, slip_real pr, int s, slip_real ps)
{
    const slip_real same = SLIP_TOL(1e-12, 1e-5);
    slip_real a = w->rhs[r]/pr, b = w->rhs[s]/ps;
    int j;

    if (slip_abs(a - b) > same*(slip_abs(a) + slip_abs(b)) + SLIP_TOL(1e-15, 1e-7)) return a < b;
    if (w->basic[r] == 2*w->N) return 1;                        /* z0 leaves whenever it can: solved */
    if (w->basic[s] == 2*w->N) return 0;
    for (j = 0; j < w->N; ++j) {
        a = lemke_eps(w, r, j)/pr;
        b = lemke_eps(w, s, j)/ps;
        if (slip_abs(a - b) > same*(slip_abs(a) + slip_abs(b) + 1)) return a < b;
    }
    return 0;
}

/* The row that blocks when column c enters; -1 for a ray. */
static int lemke_leaving(const lemke_work *w, int c)
{
    const slip_real small = SLIP_TOL(1e-10, 1e-5);          /* what rounding leaves of zero after many pivots */
    int r, best = -1;
    slip_real pb = 1;

    for (r = 0; r < w->N; ++r) {
        const slip_real p = -w->T[(size_t)r*(size_t)(w->N + 1) + (size_t)c];

        if (p > small && (best < 0 || lemke_before(w, r, p, best, pb))) { best = r;  pb = p; }
    }
    return best;
}

/* First step: the row to make all others non-negative when z0 takes its place. */
static int lemke_first(const lemke_work *w)
{
    int r, best = -1;

    for (r = 0; r < w->N; ++r) if (w->rhs[r] < 0 && (best < 0 || lemke_before(w, r, 1, best, 1))) best = r;
    return best;
}

/* Exchanges basic row r and non-basic column c of the dictionary: solves row r for the entering variable and
 * substitutes it in all other rows. */
static void lemke_pivot(lemke_work *w, int r, int c)
{
    const int N = w->N, enters = w->nonbasic[c], leaves = w->basic[r];
    slip_real *row = w->T + (size_t)r*(size_t)(N + 1);
    const slip_real inv = 1/row[c];
    int i, j;

    for (j = 0; j <= N; ++j) row[j] *= -inv;
    row[c] = inv;
    w->rhs[r] *= -inv;
    for (i = 0; i < N; ++i) {
        slip_real *other = w->T + (size_t)i*(size_t)(N + 1);
        const slip_real f = other[c];

        if (i == r || f == 0) continue;
        other[c] = 0;
        for (j = 0; j <= N; ++j) other[j] += f*row[j];
        w->rhs[i] += f*w->rhs[r];
    }
    w->basic[r] = enters;
    w->nonbasic[c] = leaves;
    w->where[enters] = r;
    w->where[leaves] = -1 - c;
    w->pivots++;
}

static void lemke_values(lemke_work *w)
{
    int i;

    for (i = 0; i < w->N; ++i) {
        const int at = w->where[w->N + i];

        w->z[i] = at >= 0 ? slip_max(0, w->rhs[at]) : 0;
    }
}

/* lambda = unit D P z, judged. */
static slip_real lemke_judge(lemke_work *w, slip_residual *res)
{
    int i, r;

    memset(w->x, 0, (size_t)w->p->n*sizeof(slip_real));
    for (i = 0; i < w->N; ++i) {
        const lemke_column c = lemke_column_of(w, i);

        for (r = 0; r < c.dim; ++r) w->x[c.row + r] += c.v[r]*w->z[i];
    }
    for (i = 0; i < w->p->nc; ++i) if (w->p->mu[i] == 0) w->x[3*i] = w->x[3*i + 1] = 0;      /* to the last bit */
    slip_scaling_out(w->p, &w->scale, w->x, w->lambda);
    slip_problem_sigma(w->p, w->lambda, w->sigma);
    slip_residual_at(w->p, SLIP_MODEL_LCP, w->k, w->lambda, w->sigma, res);
    return slip_residual_excess(res, w->opt->tol, w->opt->tol_rule);
}

/* Reports a pivot to the history callback: the basic solution and its residual, complementary except for z0. */
static void lemke_report(lemke_work *w)
{
    slip_residual r;

    if (!w->opt->history) return;
    lemke_values(w);
    lemke_judge(w, &r);
    slip_solver_report(w->opt, w->pivots, &r, 0, 0, w->lambda, "pivot");
}

/* Tests for convergence. With many ties, z0 may stay at zero for thousands of pivots (N^2 each) after the solution is
 * reached. */
static int lemke_is_solved(lemke_work *w)
{
    slip_residual r;

    lemke_values(w);
    return lemke_judge(w, &r) <= 1;
}

/* Pivots until z0 leaves (SLIP_OK), on a ray (SLIP_STALLED), or at the limit. */
static slip_status lemke_loop(lemke_work *w, int most)
{
    const int N = w->N;
    int r = lemke_first(w), c = N, left;

    if (r < 0) return SLIP_OK;                                  /* q >= 0: z = 0              */
    while (slip_budget_take(w->opt->budget)) {
        left = w->basic[r];
        lemke_pivot(w, r, c);
        lemke_report(w);
        if (left == 2*N) return SLIP_OK;
        if (w->pivots >= most) return SLIP_MAX_ITERS;
        if (w->pivots % LEMKE_LOOK == 0 && lemke_is_solved(w)) return SLIP_MAX_ITERS;
        c = -1 - w->where[left < N ? left + N : left - N];      /* the complement enters      */
        r = lemke_leaving(w, c);
        if (r < 0) return SLIP_STALLED;                         /* a ray                      */
    }
    return SLIP_MAX_ITERS;
}

/* ---- the answer ------------------------------------------------------------------------------------------------ */

/* Solves M_ZZ z_Z = -q_Z for the final basis from the data, in T's memory; z keeps its values when that fails. */
static void lemke_refine(lemke_work *w)
{
    int *Z = w->nonbasic, m = 0, i, j;

    for (i = 0; i < w->N; ++i) if (w->where[w->N + i] >= 0) Z[m++] = i;
    for (i = 0; i < m; ++i) {
        for (j = 0; j < m; ++j) w->T[(size_t)i*(size_t)m + (size_t)j] = lemke_entry(w, Z[i], Z[j]);
        w->rhs[i] = -lemke_q(w, Z[i]);
    }
    if (m == 0 || slip_lu_factor(m, w->T, m, w->pivot) != SLIP_OK) return;
    slip_lu_solve(m, w->T, m, w->pivot, w->rhs);
    if (!slip_all_finite(w->rhs, m)) return;
    for (i = 0; i < m; ++i) w->z[Z[i]] = slip_max(0, w->rhs[i]);
}

static void lemke_setup(lemke_work *w, const slip_problem *p)
{
    int i;

    lemke_corners(w->k, w->corner);
    slip_scaling_make(p, &w->scale);
    slip_scaling_matrix(p, &w->scale, 0, w->A);
    if (p->R) for (i = 0; i < p->n; ++i)
        w->A[(size_t)i*(size_t)p->n + (size_t)i] += w->scale.D[i]*w->scale.D[i]*p->R[i];
    memset(w->x, 0, (size_t)p->n*sizeof(slip_real));
}

/* One Lemke run with proximal weight delta around w->x; the answer goes to w->x and, judged, to *r. */
static slip_status lemke_run(lemke_work *w, slip_real delta, int most, slip_residual *r)
{
    const slip_problem *p = w->p;
    slip_status status;
    int i;

    slip_scaling_vector(p, &w->scale, p->g, w->b);
    for (i = 0; i < p->n; ++i) {
        w->A[(size_t)i*(size_t)p->n + (size_t)i] += delta;
        w->b[i] -= delta*w->x[i];
    }
    lemke_start(w);
    status = lemke_loop(w, most);
    lemke_values(w);
    if (status == SLIP_OK) lemke_refine(w);
    for (i = 0; i < p->n; ++i) w->A[(size_t)i*(size_t)p->n + (size_t)i] -= delta;
    if (lemke_judge(w, r) <= 1) return SLIP_OK;
    return status == SLIP_OK ? SLIP_STALLED : status;
}

/* The plain run, and proximal ones when it fails; the best answer ends in w->best. */
static slip_status lemke_solve(lemke_work *w, slip_residual *best)
{
    const size_t bytes = (size_t)w->p->n*sizeof(slip_real);
    const int most = w->opt->max_iterations > 0 ? w->opt->max_iterations : 100 + 20*w->N;
    const slip_real delta = SLIP_TOL(1e-7, 1e-3), tol = w->opt->tol;
    slip_status status = SLIP_STALLED;
    slip_real least, excess;
    slip_residual r;
    int k;

    memset(w->z, 0, (size_t)w->N*sizeof(slip_real));               /* a failed run is replaced by lambda = 0      */
    least = lemke_judge(w, best);
    memcpy(w->best, w->lambda, bytes);
    for (k = 0; k < 8 && status != SLIP_OK && w->pivots < most && !slip_budget_is_over(w->opt->budget); ++k) {
        const int here = w->pivots + (k == 0 ? 50 + 5*w->N : 50 + 3*w->N);

        status = lemke_run(w, k == 0 ? 0 : delta*(k < 4 ? 1 : 100), here < most ? here : most, &r);
        excess = slip_residual_excess(&r, tol, w->opt->tol_rule);
        if (excess < least) { least = excess;  *best = r;  memcpy(w->best, w->lambda, bytes); }
        if (!slip_all_finite(w->x, w->p->n) || (k == 0 && status != SLIP_OK)) memset(w->x, 0, bytes);
    }
    return status;
}

/* Whether the warm start already solves the problem. */
static int lemke_warm(lemke_work *w, const slip_solution *sol, slip_residual *r)
{
    if (!sol->warm) return 0;
    memcpy(w->best, sol->lambda, (size_t)w->p->n*sizeof(slip_real));
    slip_problem_sigma(w->p, w->best, w->sigma);
    slip_residual_at(w->p, SLIP_MODEL_LCP, w->k, w->best, w->sigma, r);
    return slip_residual_excess(r, w->opt->tol, w->opt->tol_rule) <= 1;
}

static slip_status lcp_lemke_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                   slip_arena *scratch)
{
    slip_solver_options storage;
    slip_residual r;
    slip_status status;
    lemke_work w;
    size_t mark;

    if (!slip_solver_open(p, SLIP_MODEL_LCP, SLIP_TAKES_LIMITS | SLIP_TAKES_BILATERAL | SLIP_TAKES_COMPLIANCE, &opt,
                          &storage, sol, &status)) return status;
    mark = slip_arena_mark(scratch);
    if (!lemke_carve(&w, p, opt->facets, scratch)) {
        slip_arena_release(scratch, mark);
        return sol->status = SLIP_ERR_WORKSPACE;
    }
    w.p = p;
    w.opt = opt;
    w.k = opt->facets;
    w.N = lemke_size(p, w.k);
    w.pivots = 0;
    status = SLIP_OK;
    if (!lemke_warm(&w, sol, &r)) {
        lemke_setup(&w, p);
        status = lemke_solve(&w, &r);
    }
    sol->iterations = w.pivots;
    status = slip_solver_close(p, opt, w.best, w.sigma, &r, status, sol);
    slip_arena_release(scratch, mark);
    return status;
}

static size_t lcp_lemke_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    slip_arena a = slip_arena_counting();
    lemke_work w;

    lemke_carve(&w, p, opt ? opt->facets : 4, &a);
    return slip_arena_needed(&a);
}

/* The dictionary, of which an entry takes two rows of three, and the factorisation of the last basis, at most two
 * thirds of the variables (a contact has one normal, at most k corners and one speed); a pivot. */
static slip_work_estimate lemke_work_of(const slip_problem *p, const slip_solver_options *opt)
{
    const double N = lemke_size(p, opt->facets), entries = 30*N*N;
    slip_work_estimate w;

    w.setup = entries + 0.2*N*N*N;                       /* 2/3 (2/3 N)^3 */
    w.iteration = 2*N*N;
    return w;
}

const slip_solver slip_solver_lcp_lemke = {
    .id = "lcp-lemke", .model = SLIP_MODEL_LCP,
    .about = "Lemke's pivoting on a pyramid of k facets",
    .paper = "LL Sec. III", .engines = "",
    .takes = SLIP_TAKES_ALL, .reads = SLIP_READS_FACETS,
    .solve = lcp_lemke_solve, .bytes = lcp_lemke_bytes,
    .work = lemke_work_of, .sweeps = &slip_solver_lcp_gs
};
