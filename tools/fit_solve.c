/* Least squares over runs that are cut into intervals (multiple shooting). See fit.h and docs/fit.md.
 *
 *     min  sum over rows  |row (-) state(X_s, x)|^2_w  +  sum over joints of intervals  |X_s+1 (-) end(X_s, x)|^2_w/e^2
 *
 * X_s is the state where interval s begins, x the parameters, w one over the variance of a group of measurements, which
 * is taken from what is left, and e the model error, from 1 at the start to what the options say. Gauss-Newton's
 * matrix is block tridiagonal in the X_s of a run, with a border for x: it is factored run by run, and what remains of
 * the border is a small matrix, whose inverse is the covariance of x. Levenberg and Marquardt's damping of the
 * diagonal makes every step a descent. */
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- small dense algebra ---------------------------------------------------------------------------------------- */

/* A = L L', lower triangle, in place; -1, or the first pivot below `least` of its diagonal. */
static int fit_factor(int n, double *A, double least)
{
    int i, j, k;

    for (j = 0; j < n; ++j) {
        const double diagonal = A[j*n + j];
        double sum = diagonal;

        for (k = 0; k < j; ++k) sum -= A[j*n + k]*A[j*n + k];
        if (!(sum > least*diagonal) || !(sum > 0)) return j;
        A[j*n + j] = sqrt(sum);
        for (i = j + 1; i < n; ++i) {
            sum = A[i*n + j];
            for (k = 0; k < j; ++k) sum -= A[i*n + k]*A[j*n + k];
            A[i*n + j] = sum/A[j*n + j];
        }
    }
    return -1;
}

/* B [n*m] <- L^-1 B. */
static void fit_lower(int n, const double *L, int m, double *B)
{
    int i, j, k;

    for (i = 0; i < n; ++i) {
        for (k = 0; k < i; ++k)
            for (j = 0; j < m; ++j) B[i*m + j] -= L[i*n + k]*B[k*m + j];
        for (j = 0; j < m; ++j) B[i*m + j] /= L[i*n + i];
    }
}

/* b <- L^-T b. */
static void fit_upper(int n, const double *L, double *b)
{
    int i, k;

    for (i = n - 1; i >= 0; --i) {
        for (k = i + 1; k < n; ++k) b[i] -= L[k*n + i]*b[k];
        b[i] /= L[i*n + i];
    }
}

/* C [a*b] += s A' B, A [n*a], B [n*b]. */
static void fit_add_product(int n, int a, int b, double s, const double *A, const double *B, double *C)
{
    int i, j, k;

    for (k = 0; k < n; ++k)
        for (i = 0; i < a; ++i) {
            const double x = s*A[k*a + i];

            for (j = 0; j < b; ++j) C[i*b + j] += x*B[k*b + j];
        }
}

#define FIT_HUBER 1.345          /* standard deviations up to which squares count: 95 % efficient for normal errors  */
#define FIT_ROUNDING SLIP_TOL(1e-10, 1e-4)
#define FIT_HOLD 1e30            /* in place of a diagonal entry: the unknown stays where it is */

/* ---- problem ---------------------------------------------------------------------------------------------------- */

typedef struct {
    int first, last;                         /* rows; the last one is the first of the next interval of the run     */
    int begins, ends;                        /* a run                                                               */
} fit_interval;

/* The squares of one evaluation and their derivatives, by group. */
typedef struct {
    slip_real *q, *v;                        /* [nint] states where intervals begin                                  */
    double x[FIT_MOST];
    double ss[FIT_GROUPS];
    double *Hxx, *Hxt, *gx;                  /* [nint][GROUPS][n*n], [n*nt], [n]                                     */
    double *Htt, *gt;                        /* [GROUPS][nt*nt], [nt]                                                */
    double *Phi, *Psi, *d;                   /* [nint] [n*n], [n*nt], [n]: end of an interval, defect to the next    */
} fit_point;

typedef struct {
    const char *command;
    const slip_scene *scene;
    const slip_model *m;
    const fit_log *log;
    const fit_set *set;
    const fit_options *o;
    int nint, nruns, n, nt, measured;        /* n: 2 nv; measured: of these, in the recording                        */
    fit_interval *interval;
    int *group;                              /* [n]                                                                  */
    long count[FIT_GROUPS];
    double weight[FIT_GROUPS], scale[FIT_GROUPS], e;         /* of measurements; of defects without 1/e^2             */
    fit_counts counts;
    double *A, *B, *Phi, *Psi, *work;        /* of one step                                                          */
    double *L, *C, *T, *y;                   /* [nint] factors                                                       */
} fit_task;

static double *fit_doubles(size_t n) { return (double *)cli_alloc((n + 1)*sizeof(double)); }

static void fit_point_open(const fit_task *t, fit_point *p)
{
    const size_t k = (size_t)t->nint, n = (size_t)t->n, nt = (size_t)t->nt;

    p->q = (slip_real *)cli_alloc(k*(size_t)t->m->nq*sizeof *p->q);
    p->v = (slip_real *)cli_alloc(k*(size_t)t->m->nv*sizeof *p->v);
    p->Hxx = fit_doubles(k*FIT_GROUPS*n*n);
    p->Hxt = fit_doubles(k*FIT_GROUPS*n*nt);
    p->gx = fit_doubles(k*FIT_GROUPS*n);
    p->Htt = fit_doubles(FIT_GROUPS*nt*nt);
    p->gt = fit_doubles(FIT_GROUPS*nt);
    p->Phi = fit_doubles(k*n*n);
    p->Psi = fit_doubles(k*n*nt);
    p->d = fit_doubles(k*n);
}

static void fit_point_close(fit_point *p)
{
    free(p->q); free(p->v); free(p->Hxx); free(p->Hxt); free(p->gx); free(p->Htt); free(p->gt); free(p->Phi);
    free(p->Psi); free(p->d);
}

/* Cuts the chosen runs into intervals of about the same number of rows. */
static void fit_cut(fit_task *t, const unsigned char *chosen)
{
    int i, k;

    t->interval = (fit_interval *)cli_alloc((size_t)t->log->n*sizeof *t->interval);
    for (i = 0; i < t->log->nruns; ++i) {
        const fit_run *run = &t->log->runs[i];
        const int rows = run->count - 1, n = rows > t->o->segment ? (rows + t->o->segment - 1)/t->o->segment : 1;

        if (!chosen[i]) continue;
        ++t->nruns;
        for (k = 0; k < n; ++k) {
            fit_interval *s = &t->interval[t->nint++];

            s->first = run->first + (int)((long)k*rows/n);
            s->last = run->first + (int)((long)(k + 1)*rows/n);
            s->begins = k == 0;
            s->ends = k == n - 1;
        }
    }
}

static void fit_find_groups(fit_task *t)
{
    const slip_model *m = t->m;
    int d, iv;

    for (d = 0; d < m->ndofs; ++d) {
        if (m->mimics[m->dof_body[d]]) continue;
        iv = m->dof_iv[d];
        t->group[iv] = m->dof_angular[d] ? 1 : 0;
        t->group[m->nv + iv] = 2 + t->group[iv];
    }
}

/* ---- one evaluation --------------------------------------------------------------------------------------------- */

/* Tangent from a state to another, n numbers. */
static void fit_tangent(const fit_task *t, const slip_real *q0, const slip_real *v0, const slip_real *q1,
                        const slip_real *v1, double *e)
{
    slip_real *x = (slip_real *)t->work;
    int i;

    slip_difference(t->m, q0, q1, x);
    for (i = 0; i < t->m->nv; ++i) {
        e[i] = (double)x[i];
        e[t->m->nv + i] = (double)(v1[i] - v0[i]);
    }
}

/* Huber's loss of a residual of length s in a group, twice; and its weight, slope over s. Groups of d numbers. */
static double fit_loss(const fit_task *t, double s, double sigma, int d, double *weight)
{
    const double c = FIT_HUBER*sigma*sqrt((double)d);

    *weight = 1;
    if (!t->o->robust || s <= c) return s*s;
    *weight = c/s;
    return c*(2*s - c);
}

/* Lengths of the parts of e that belong to each group. */
static void fit_lengths(const fit_task *t, const double *e, int n, double length[FIT_GROUPS], int size[FIT_GROUPS])
{
    int i;

    for (i = 0; i < FIT_GROUPS; ++i) { length[i] = 0;  size[i] = 0; }
    for (i = 0; i < n; ++i) { length[t->group[i]] += e[i]*e[i];  ++size[t->group[i]]; }
    for (i = 0; i < FIT_GROUPS; ++i) length[i] = sqrt(length[i]);
}

/* Weights of the defect behind interval k; returns twice its loss. */
static double fit_defect(const fit_task *t, const double *d, double weight[FIT_GROUPS])
{
    double length[FIT_GROUPS], sum = 0;
    int size[FIT_GROUPS], g;

    fit_lengths(t, d, t->n, length, size);
    for (g = 0; g < FIT_GROUPS; ++g) {
        const double w = t->scale[g]/(t->e*t->e), loss = fit_loss(t, length[g], 1/sqrt(w), size[g], &weight[g]);

        weight[g] *= w;
        if (size[g] > 0) sum += w*loss;
    }
    return sum;
}

/* Adds a row of the recording, its prediction having the derivatives Phi and Psi. */
static void fit_add_row(fit_task *t, int k, int row, const slip_world *w, fit_point *p)
{
    const size_t n = (size_t)t->n, nt = (size_t)t->nt;
    double *e = t->work + t->m->nv, length[FIT_GROUPS], weight[FIT_GROUPS];
    int i, g, size[FIT_GROUPS];

    fit_tangent(t, slip_world_q((slip_world *)w), slip_world_v((slip_world *)w),
                t->log->q + (size_t)row*(size_t)t->m->nq, t->log->v + (size_t)row*(size_t)t->m->nv, e);
    fit_lengths(t, e, t->measured, length, size);
    for (g = 0; g < FIT_GROUPS; ++g)
        if (size[g] > 0)
            p->ss[g] += fit_loss(t, length[g], t->weight[g] > 0 ? 1/sqrt(t->weight[g]) : HUGE_VAL, size[g], &weight[g]);
    for (i = 0; i < t->measured; ++i) {
        const size_t at = (size_t)k*FIT_GROUPS + (size_t)(g = t->group[i]);
        const double *phi = t->Phi + (size_t)i*n, *psi = t->Psi + (size_t)i*nt, share = weight[g];

        fit_add_product(1, t->n, t->n, share, phi, phi, p->Hxx + at*n*n);
        fit_add_product(1, t->n, t->nt, share, phi, psi, p->Hxt + at*n*nt);
        fit_add_product(1, t->n, 1, share, phi, &e[i], p->gx + at*n);
        fit_add_product(1, t->nt, t->nt, share, psi, psi, p->Htt + (size_t)g*nt*nt);
        fit_add_product(1, t->nt, 1, share, psi, &e[i], p->gt + (size_t)g*nt);
    }
}

/* Phi <- A Phi, Psi <- A Psi + B. */
static void fit_carry(fit_task *t)
{
    const int n = t->n, nt = t->nt;
    double *next = t->work;
    int i, j, k;

    for (i = 0; i < n*n; ++i) next[i] = 0;
    for (i = 0; i < n; ++i)
        for (k = 0; k < n; ++k) for (j = 0; j < n; ++j) next[i*n + j] += t->A[i*n + k]*t->Phi[k*n + j];
    memcpy(t->Phi, next, (size_t)(n*n)*sizeof *next);
    memcpy(next, t->B, (size_t)(n*nt)*sizeof *next);
    for (i = 0; i < n; ++i)
        for (k = 0; k < n; ++k) for (j = 0; j < nt; ++j) next[i*nt + j] += t->A[i*n + k]*t->Psi[k*nt + j];
    memcpy(t->Psi, next, (size_t)(n*nt)*sizeof *next);
}

/* Steps from row to row: how many lie between, nearest to the file's times counted from the run's first row. */
static long fit_steps_to(const fit_log *log, double dt, double zero, int row)
{
    return (long)floor((log->time[row] - zero)/dt + 0.5);
}

/* Simulates interval k. 0 after a message. */
static int fit_shoot(fit_task *t, fit_stage *st, int k, double zero, fit_point *p)
{
    const fit_interval *s = &t->interval[k];
    const double dt = (double)t->scene->world.options.dt;
    const size_t n = (size_t)t->n, nt = (size_t)t->nt;
    int row, i;

    memset(t->Phi, 0, n*n*sizeof *t->Phi);
    memset(t->Psi, 0, n*nt*sizeof *t->Psi);
    for (i = 0; i < t->n; ++i) t->Phi[i*t->n + i] = 1;
    fit_stage_put(st, zero + (double)fit_steps_to(t->log, dt, zero, s->first)*dt,
                  p->q + (size_t)k*(size_t)t->m->nq, p->v + (size_t)k*(size_t)t->m->nv);
    for (row = s->first; row < s->last; ++row) {
        long step = fit_steps_to(t->log, dt, zero, row);
        const long to = fit_steps_to(t->log, dt, zero, row + 1);

        fit_add_row(t, k, row, st->base.world, p);
        for (; step < to; ++step) {
            const slip_real *tau = t->log->has_tau ? t->log->tau + (size_t)row*(size_t)t->m->nv : NULL;

            if (!fit_stage_step(st, zero + (double)step*dt, tau, t->A, t->B)) return 0;
            fit_carry(t);
        }
    }
    if (s->ends) fit_add_row(t, k, s->last, st->base.world, p);
    else {
        memcpy(p->Phi + (size_t)k*n*n, t->Phi, n*n*sizeof *t->Phi);
        memcpy(p->Psi + (size_t)k*n*nt, t->Psi, n*nt*sizeof *t->Psi);
        fit_tangent(t, slip_world_q(st->base.world), slip_world_v(st->base.world),
                    p->q + (size_t)(k + 1)*(size_t)t->m->nq, p->v + (size_t)(k + 1)*(size_t)t->m->nv,
                    p->d + (size_t)k*n);
    }
    return 1;
}

/* All intervals at the point's states and parameters. 0 after a message. */
static int fit_evaluate(fit_task *t, fit_point *p)
{
    const size_t k = (size_t)t->nint, n = (size_t)t->n, nt = (size_t)t->nt;
    fit_stage st;
    double zero = 0;
    int i, ok;

    memset(p->ss, 0, sizeof p->ss);
    memset(p->Hxx, 0, k*FIT_GROUPS*n*n*sizeof(double));
    memset(p->Hxt, 0, k*FIT_GROUPS*n*nt*sizeof(double));
    memset(p->gx, 0, k*FIT_GROUPS*n*sizeof(double));
    memset(p->Htt, 0, FIT_GROUPS*nt*nt*sizeof(double));
    memset(p->gt, 0, FIT_GROUPS*nt*sizeof(double));
    ++t->counts.evaluations;
    ok = fit_stage_open(t->command, t->scene, t->set, p->x, 1, &t->counts, &st);
    st.is_simple = t->o->is_simple;
    for (i = 0; ok && i < t->nint; ++i) {
        if (t->interval[i].begins) zero = t->log->time[t->interval[i].first];
        ok = fit_shoot(t, &st, i, zero, p);
    }
    fit_stage_close(&st);
    return ok;
}

/* Half the weighted sum of squares. */
static double fit_cost(const fit_task *t, const fit_point *p)
{
    double sum = 0, weight[FIT_GROUPS];
    int i, g;

    for (g = 0; g < FIT_GROUPS; ++g) sum += t->weight[g]*p->ss[g];
    for (i = 0; i < t->nint; ++i)
        if (!t->interval[i].ends) sum += fit_defect(t, p->d + i*t->n, weight);
    return sum/2;
}

/* Variances from what is left. Velocities that were not recorded are as uncertain as differences of positions. */
static void fit_weigh(fit_task *t, const fit_point *p)
{
    const fit_run *run = &t->log->runs[0];
    const double dt = (t->log->time[run->first + 1] - t->log->time[run->first]), least = (double)SLIP_REAL_EPS;
    int g;

    for (g = 0; g < FIT_GROUPS; ++g)
        t->weight[g] = t->count[g] > 0 ? 1/fmax(p->ss[g]/(double)t->count[g], least*least) : 0;
    for (g = 0; g < FIT_GROUPS; ++g) t->scale[g] = t->count[g] > 0 ? t->weight[g] : t->weight[g%2]*dt*dt/2;
}

/* ---- one step of Gauss-Newton ----------------------------------------------------------------------------------- */

/* Blocks of interval k: M <- its diagonal block, X its border, b its right side. */
static void fit_gather(const fit_task *t, const fit_point *p, int k, double *M, double *X, double *b)
{
    const int n = t->n, nt = t->nt;
    double after[FIT_GROUPS], before[FIT_GROUPS];
    int i, g;

    if (!t->interval[k].ends) fit_defect(t, p->d + k*n, after);
    if (!t->interval[k].begins) fit_defect(t, p->d + (k - 1)*n, before);
    memset(M, 0, (size_t)(n*n)*sizeof *M);
    memset(X, 0, (size_t)(n*nt)*sizeof *X);
    memset(b, 0, (size_t)n*sizeof *b);
    for (g = 0; g < FIT_GROUPS; ++g) {
        const size_t at = (size_t)k*FIT_GROUPS + (size_t)g;

        for (i = 0; i < n*n; ++i) M[i] += t->weight[g]*p->Hxx[at*(size_t)(n*n) + (size_t)i];
        for (i = 0; i < n*nt; ++i) X[i] += t->weight[g]*p->Hxt[at*(size_t)(n*nt) + (size_t)i];
        for (i = 0; i < n; ++i) b[i] += t->weight[g]*p->gx[at*(size_t)n + (size_t)i];
    }
    for (i = 0; i < n && t->o->fixed_start && t->interval[k].begins; ++i)
        for (b[i] = 0, M[i*n + i] = FIT_HOLD, g = 0; g < n; ++g) if (g != i) M[i*n + g] = 0;
    for (i = 0; i < n; ++i) {                        /* defects: d + dX_k+1 - Phi dX_k - Psi dx */
        const double *phi = p->Phi + (k*n + i)*n, *psi = p->Psi + (k*n + i)*nt;

        if (!t->interval[k].ends) {
            const double w = after[t->group[i]];

            fit_add_product(1, n, n, w, phi, phi, M);
            fit_add_product(1, n, nt, w, phi, psi, X);
            fit_add_product(1, n, 1, w, phi, &p->d[k*n + i], b);
        }
        if (!t->interval[k].begins) {
            const double *last = p->Psi + ((k - 1)*n + i)*nt, w = before[t->group[i]];
            int j;

            M[i*n + i] += w;
            for (j = 0; j < nt; ++j) X[i*nt + j] -= w*last[j];
            b[i] -= w*p->d[(k - 1)*n + i];
        }
    }
}

/* Factors all runs with damping mu of the diagonal; leaves S [nt*nt] and its right side s, what x sees of it. 0: a
 * block is singular. */
static int fit_eliminate(fit_task *t, const fit_point *p, double mu, double *S, double *s)
{
    const int n = t->n, nt = t->nt;
    double weight[FIT_GROUPS];
    int i, k, g;

    memset(S, 0, (size_t)(nt*nt)*sizeof *S);
    memset(s, 0, (size_t)nt*sizeof *s);
    for (g = 0; g < FIT_GROUPS; ++g) {
        for (i = 0; i < nt*nt; ++i) S[i] += t->weight[g]*p->Htt[g*nt*nt + i];
        for (i = 0; i < nt; ++i) s[i] += t->weight[g]*p->gt[g*nt + i];
    }
    for (k = 0; k < t->nint; ++k) {
        if (t->interval[k].ends) continue;
        fit_defect(t, p->d + k*n, weight);
        for (i = 0; i < n; ++i) {
            const double w = weight[t->group[i]], *psi = p->Psi + (k*n + i)*nt;

            fit_add_product(1, nt, nt, w, psi, psi, S);
            fit_add_product(1, nt, 1, w, psi, &p->d[k*n + i], s);
        }
    }
    for (i = 0; i < nt; ++i) S[i*nt + i] *= 1 + mu;
    for (k = 0; k < t->nint; ++k) {
        double *L = t->L + (size_t)k*(size_t)(n*n), *C = t->C + (size_t)k*(size_t)(n*n);
        double *T = t->T + (size_t)k*(size_t)(n*nt), *y = t->y + (size_t)k*(size_t)n;

        fit_gather(t, p, k, L, T, y);
        for (i = 0; i < n; ++i) L[i*n + i] *= 1 + mu;
        if (!t->interval[k].begins) {
            fit_add_product(n, n, n, -1, C - n*n, C - n*n, L);
            fit_add_product(n, n, nt, -1, C - n*n, T - n*nt, T);
            fit_add_product(n, n, 1, -1, C - n*n, y - n, y);
        }
        if (fit_factor(n, L, 1e-15) >= 0) return 0;
        fit_lower(n, L, nt, T);
        fit_lower(n, L, 1, y);
        if (!t->interval[k].ends) fit_defect(t, p->d + k*n, weight);
        for (i = 0; i < n*n; ++i)                    /* the block to the right: -Phi' W */
            C[i] = t->interval[k].ends ? 0 : -weight[t->group[i%n]]*p->Phi[k*n*n + (i%n)*n + i/n];
        fit_lower(n, L, n, C);
        fit_add_product(n, nt, nt, -1, T, T, S);
        fit_add_product(n, nt, 1, -1, T, y, s);
    }
    return 1;
}

/* S dx = s, with numbers at a bound held there when they would leave it. held [nt] is set. 0: S is singular. */
static int fit_border(const fit_task *t, const fit_point *p, const double *S, const double *s, double *dx, int *held)
{
    const int nt = t->nt;
    double L[FIT_MOST*FIT_MOST];
    int i, k, more, tries;

    memset(held, 0, (size_t)nt*sizeof *held);
    for (tries = 0, more = 1; more && tries <= nt; ++tries) {
        memcpy(L, S, (size_t)(nt*nt)*sizeof *L);
        for (i = 0; i < nt; ++i) {
            dx[i] = held[i] ? 0 : s[i];
            for (k = 0; k < nt && held[i]; ++k) L[i*nt + k] = L[k*nt + i] = i == k;
        }
        if (fit_factor(nt, L, 1e-15) >= 0) return 0;
        fit_lower(nt, L, 1, dx);
        fit_upper(nt, L, dx);
        for (more = 0, i = 0; i < nt; ++i) {
            const int side = fit_set_at_bound(t->set, p->x, i);

            if (!held[i] && side != 0 && side*dx[i] > 0) held[i] = more = 1;
        }
    }
    return 1;
}

/* The states' steps that go with dx, backwards; then the point they lead to. */
static void fit_back(fit_task *t, const fit_point *p, const double *dx, fit_point *next)
{
    const int n = t->n, nt = t->nt, nv = t->m->nv;
    double *step = t->work, *after = t->work + n;
    slip_real *e = (slip_real *)(t->work + 2*n);
    int i, j, k;

    for (i = 0; i < nt; ++i) next->x[i] = p->x[i] + dx[i];
    fit_set_clamp(t->set, next->x);
    for (k = t->nint - 1; k >= 0; --k) {
        const double *L = t->L + k*n*n, *C = t->C + k*n*n, *T = t->T + k*n*nt;
        slip_real *q = next->q + k*t->m->nq, *v = next->v + k*nv;

        for (i = 0; i < n; ++i) {
            step[i] = t->y[k*n + i];
            for (j = 0; j < nt; ++j) step[i] -= T[i*nt + j]*dx[j];
            for (j = 0; j < n && !t->interval[k].ends; ++j) step[i] -= C[i*n + j]*after[j];
        }
        fit_upper(n, L, step);
        for (i = 0; i < nv; ++i) {
            e[i] = (slip_real)step[i];
            v[i] = p->v[k*nv + i] + (slip_real)step[nv + i];
        }
        slip_integrate(t->m, p->q + k*t->m->nq, e, 1, q);
        memcpy(after, step, (size_t)n*sizeof *after);
    }
}

/* ---- the loop --------------------------------------------------------------------------------------------------- */

fit_options fit_options_defaults(void)
{
    fit_options o;

    memset(&o, 0, sizeof o);
    o.segment = 10;
    o.iterations = 50;
    o.model_error = 1e-3;
    o.tol = 1e-6;
    return o;
}

static void fit_say(const fit_task *t, int iteration, double cost, double mu, const fit_point *p)
{
    double y[FIT_MOST];

    if (!t->o->progress) return;
    fit_set_values(t->set, p->x, y);
    fprintf(stderr, "\rslipstick %s: iteration %d, cost %.6g, damping %.0e, %s %.6g        ", t->command, iteration,
            cost, mu, t->set->parameter[0].name, y[0]);
    fflush(stderr);
}

/* Largest step of a number over its standard error. */
static double fit_step_size(const fit_task *t, const double *S, const double *dx)
{
    double most = 0;
    int i;

    for (i = 0; i < t->nt; ++i) most = fmax(most, fabs(dx[i])*sqrt(S[i*t->nt + i]));
    return most;
}

/* Whether a step changes no number by more than rounding lets it be determined, with what differences lose. */
static int fit_is_rounding(const fit_task *t, const double *x, const double *dx)
{
    int i;

    for (i = 0; i < t->nt; ++i) if (fabs(dx[i]) > (double)FIT_ROUNDING*fmax(fabs(x[i]), 1e-3)) return 0;
    return 1;
}

/* Levenberg and Marquardt's loop from the point at p, which holds the result; q is another point. 0 after a message. */
static int fit_loop(fit_task *t, fit_point *p, fit_point *q, fit_result *r)
{
    double S[FIT_MOST*FIT_MOST], s[FIT_MOST], dx[FIT_MOST], mu = 1e-3, cost, size;
    int held[FIT_MOST], small, at_rest;

    t->e = fmax(1, t->o->model_error);
    if (!fit_evaluate(t, p)) return 0;
    fit_weigh(t, p);
    r->cost[0] = fit_cost(t, p);
    for (r->iterations = 0; r->iterations < t->o->iterations && mu < 1e10; ++r->iterations) {
        fit_point keep;
        double now;

        cost = fit_cost(t, p);
        fit_say(t, r->iterations, cost, mu, p);
        if (!fit_eliminate(t, p, mu, S, s) || !fit_border(t, p, S, s, dx, held)) { mu *= 10;  continue; }
        size = fit_step_size(t, S, dx);
        at_rest = size < 1e-3 || fit_is_rounding(t, p->x, dx);
        if (!fit_set_is_step(t->set, dx)) { mu = fmax(10*mu, 1e-6);  continue; }
        fit_back(t, p, dx, q);
        now = fit_evaluate(t, q) ? fit_cost(t, q) : HUGE_VAL;
        if (!(now < cost*(1 + 1e-12))) {
            if (at_rest && t->e <= t->o->model_error) { r->converged = 1;  break; }
            if (at_rest) t->e = fmax(t->o->model_error, t->e/10);
            mu = fmax(10*mu, 1e-6);
            continue;
        }
        keep = *p;
        *p = *q;
        *q = keep;
        mu = mu > 1e-12 ? mu/5 : mu;
        small = at_rest || cost - now <= t->o->tol*cost || size < 1e-2;
        small |= t->e > t->o->model_error && cost - now < 0.01*cost;         /* near enough for the next e */
        if (small && t->e <= t->o->model_error) { r->converged = 1;  ++r->iterations;  break; }
        if (small) t->e = fmax(t->o->model_error, t->e/10);
        fit_weigh(t, p);
    }
    fit_weigh(t, p);
    if (t->o->progress) fprintf(stderr, "\n");
    return 1;
}

/* Student's t, two-sided 95 %, by its expansion in 1/freedom about the normal quantile; to 1 % from 3 on. */
static double fit_quantile(long freedom)
{
    const double z = 1.959963985, v = freedom > 1 ? (double)freedom : 1, z3 = z*z*z, z5 = z3*z*z, z7 = z5*z*z;

    return z + (z3 + z)/(4*v) + (5*z5 + 16*z3 + 3*z)/(96*v*v) + (3*z7 + 19*z5 + 17*z3 - 15*z)/(384*v*v*v);
}

/* The inverse of S without the numbers at a bound and those that nothing determines. */
static void fit_covariance(fit_task *t, const fit_point *p, fit_result *r, double *V)
{
    const int nt = t->nt;
    double S[FIT_MOST*FIT_MOST], L[FIT_MOST*FIT_MOST], s[FIT_MOST], column[FIT_MOST];
    int fixed[FIT_MOST], i, k, bad = 0;

    memset(V, 0, (size_t)(nt*nt)*sizeof *V);
    if (!fit_eliminate(t, p, 0, S, s)) { r->undetermined = 1;  return; }
    for (i = 0; i < nt; ++i) fixed[i] = r->bound[i] = fit_set_at_bound(t->set, p->x, i);
    do {
        memcpy(L, S, (size_t)(nt*nt)*sizeof *L);
        for (i = 0; i < nt; ++i)
            for (k = 0; k < nt && fixed[i]; ++k) L[i*nt + k] = L[k*nt + i] = i == k;
        bad = fit_factor(nt, L, 1e-10);
        if (bad >= 0) { fixed[bad] = 2;  if (!r->undetermined) r->undetermined = 1 + bad; }
    } while (bad >= 0);
    for (i = 0; i < nt; ++i) {
        memset(column, 0, sizeof column);
        column[i] = 1;
        fit_lower(nt, L, 1, column);
        fit_upper(nt, L, column);
        for (k = 0; k < nt; ++k) V[k*nt + i] = fixed[i] || fixed[k] ? 0 : column[k];
        if (fixed[i]) V[i*nt + i] = (double)NAN;
    }
}

/* Errors of y, y = y(x), and the largest correlation. */
static void fit_errors(fit_task *t, const fit_point *p, double factor, fit_result *r)
{
    const int nt = t->nt;
    double V[FIT_MOST*FIT_MOST], G[FIT_MOST*FIT_MOST], c;
    int i, k, a, b;

    fit_covariance(t, p, r, V);
    fit_set_slopes(t->set, p->x, G);
    for (i = 0; i < nt; ++i) {
        double sum = 0;

        for (a = 0; a < nt; ++a)
            for (b = 0; b < nt; ++b)
                if (fabs(G[i*nt + a]) > 0 && fabs(G[i*nt + b]) > 0) sum += G[i*nt + a]*V[a*nt + b]*G[i*nt + b];
        r->error[i] = sqrt(factor*sum);
        for (k = 0; k < i; ++k) {
            c = V[i*nt + k]/sqrt(V[i*nt + i]*V[k*nt + k]);
            if (fabs(c) > fabs(r->correlation)) { r->correlation = c;  r->pair[0] = k;  r->pair[1] = i; }
        }
    }
}

static void fit_finish(fit_task *t, const fit_point *p, fit_result *r)
{
    long measurements = 0;
    int g;

    for (g = 0; g < FIT_GROUPS; ++g) {
        measurements += t->count[g];
        r->count[g] = t->count[g];
        r->sigma[g] = t->count[g] > 0 ? sqrt(p->ss[g]/(double)t->count[g]) : 0;
    }
    r->freedom = measurements - t->nt - (long)t->nruns*t->n;
    r->quantile = fit_quantile(r->freedom);
    r->cost[1] = fit_cost(t, p);
    memcpy(r->x, p->x, sizeof r->x);
    fit_set_values(t->set, p->x, r->y);
    fit_errors(t, p, r->freedom > 0 ? (double)measurements/(double)r->freedom : (double)NAN, r);
    r->counts = t->counts;
}

/* Counts measurements; 0 after a message when there are too few, or rows lie closer than steps. */
static int fit_check(fit_task *t)
{
    const double dt = (double)t->scene->world.options.dt;
    long total = 0;
    int k, row, i;

    for (k = 0; k < t->nint; ++k) {
        const fit_interval *s = &t->interval[k];

        for (row = s->first; row < s->last; ++row)
            if (t->log->time[row + 1] - t->log->time[row] < 0.5*dt)
                return cli_fail(t->command, "the rows at %g and %g s are closer than half a step of %g s: a smaller "
                                "--dt is needed", t->log->time[row], t->log->time[row + 1], dt), 0;
        for (i = 0; i < t->measured; ++i) t->count[t->group[i]] += s->last - s->first + s->ends;
    }
    for (i = 0; i < FIT_GROUPS; ++i) total += t->count[i];
    if (total <= t->nt + (long)t->nruns*t->n)
        return cli_fail(t->command, "%ld measurements for %d parameters and %ld numbers of starting states: more rows "
                        "are needed", total, t->nt, (long)t->nruns*t->n), 0;
    return 1;
}

int fit_solve(const char *command, const slip_scene *scene, const fit_log *log, const unsigned char *chosen,
              const fit_set *set, const fit_options *o, const double *x, fit_result *result)
{
    const size_t n = 2*(size_t)scene->model->nv, nt = (size_t)set->n;
    fit_task t;
    fit_point p, q;
    int k, ok;

    memset(&t, 0, sizeof t);
    t.counts = result->counts;
    memset(result, 0, sizeof *result);
    t.command = command;
    t.scene = scene;
    t.m = scene->model;
    t.log = log;
    t.set = set;
    t.o = o;
    t.n = (int)n;
    t.nt = set->n;
    t.measured = log->has_v && !o->positions ? t.n : t.m->nv;
    t.group = (int *)cli_alloc((n + 1)*sizeof *t.group);
    fit_find_groups(&t);
    fit_cut(&t, chosen);
    t.A = fit_doubles(n*n); t.B = fit_doubles(n*nt); t.Phi = fit_doubles(n*n); t.Psi = fit_doubles(n*nt);
    t.work = fit_doubles(n*n + n*nt + 4*n);
    t.L = fit_doubles((size_t)t.nint*n*n); t.C = fit_doubles((size_t)t.nint*n*n);
    t.T = fit_doubles((size_t)t.nint*n*nt); t.y = fit_doubles((size_t)t.nint*n);
    fit_point_open(&t, &p);
    fit_point_open(&t, &q);
    memcpy(p.x, x, sizeof p.x);
    fit_set_values(set, p.x, result->start);
    for (k = 0; k < t.nint; ++k) {
        const size_t row = (size_t)t.interval[k].first;

        memcpy(p.q + k*t.m->nq, log->q + row*(size_t)t.m->nq, (size_t)t.m->nq*sizeof *p.q);
        memcpy(p.v + k*t.m->nv, log->v + row*(size_t)t.m->nv, (size_t)t.m->nv*sizeof *p.v);
    }
    ok = fit_check(&t) && fit_loop(&t, &p, &q, result);
    if (ok) fit_finish(&t, &p, result);
    fit_point_close(&p);
    fit_point_close(&q);
    free(t.group); free(t.interval); free(t.A); free(t.B); free(t.Phi); free(t.Psi); free(t.work); free(t.L);
    free(t.C); free(t.T); free(t.y);
    return ok;
}
