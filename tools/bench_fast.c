/* Times the functions of an exported robot against the library's: tools/bench_fast.sh compiles this with ROBOT, the
 * prefix of the names, and HEADER, the header of `slipstick export --fast`.
 *
 * All ways of computing one quantity take turns over the same 64 random states; each has the best of many turns. Prints
 * `function library fast x4 x8` in nanoseconds per state. With an argument, only one function of one way runs, so many
 * times, to count instructions: ROBOT FUNCTION WAY TURNS. */
#define _POSIX_C_SOURCE 199309L
#include HEADER

#include "slipstick_parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define MODEL JOIN(ROBOT, model)
#define FAST(name) JOIN(ROBOT, fast_##name)

enum { STATES = 64, WAYS = 4 };
static const int ways[WAYS] = { 0, 1, 4, 8 };            /* the library; one, four, eight states at a time */

/* The states: [STATES][n], and the same in groups of 4 and of 8 states, entry by entry. */
typedef struct { slip_real *by_state, *by_4, *by_8; } bench_array;

static bench_array q, v, a;
static slip_real *out;
static slip_data *data;

static slip_real *bench_reals(size_t n)
{
    slip_real *x = (slip_real *)malloc(n*sizeof *x);

    if (!x) exit(1);
    return x;
}

static slip_real *bench_grouped(const slip_real *x, int n, int group)
{
    slip_real *y = bench_reals((size_t)(STATES*n));

    for (int k = 0; k < STATES; ++k)
        for (int i = 0; i < n; ++i) y[k/group*group*n + i*group + k % group] = x[k*n + i];
    return y;
}

static bench_array bench_fill(slip_random *rng, int n, slip_real scale, int is_q)
{
    bench_array x;

    x.by_state = bench_reals((size_t)(STATES*n));
    for (int k = 0; k < STATES; ++k) {
        if (is_q) slip_random_q(&MODEL, rng, x.by_state + k*n);
        for (int i = 0; i < n && !is_q; ++i) x.by_state[k*n + i] = slip_random_uniform(rng, -scale, scale);
    }
    x.by_4 = bench_grouped(x.by_state, n, 4);
    x.by_8 = bench_grouped(x.by_state, n, 8);
    return x;
}

/* ---- one sweep over all states, each way --------------------------------------------------------------------- */

#define SWEEP(step) for (int k = 0; k < STATES; k += step)
#define Q(way) (q.way + k*MODEL.nq)
#define V(way) (v.way + k*MODEL.nv)
#define A(way) (a.way + k*MODEL.nv)

/* A function of q alone, of q and two more, and the library's way. */
#define SWEEPS_OF_Q(name, library) \
    static void name##_0(void) { SWEEP(1) { library; } } \
    static void name##_1(void) { SWEEP(1) FAST(name)(Q(by_state), out); } \
    static void name##_4(void) { SWEEP(4) FAST(name##_x4)(Q(by_4), out); } \
    static void name##_8(void) { SWEEP(8) FAST(name##_x8)(Q(by_8), out); }
#define SWEEPS_OF_QVA(name, library) \
    static void name##_0(void) { SWEEP(1) { library; } } \
    static void name##_1(void) { SWEEP(1) FAST(name)(Q(by_state), V(by_state), A(by_state), out); } \
    static void name##_4(void) { SWEEP(4) FAST(name##_x4)(Q(by_4), V(by_4), A(by_4), out); } \
    static void name##_8(void) { SWEEP(8) FAST(name##_x8)(Q(by_8), V(by_8), A(by_8), out); }

/* The library leaves poses of bodies; those of links are one product more. */
static void bench_links(const slip_real *at)
{
    slip_kinematics(&MODEL, data, at);
    for (int i = 0; i < MODEL.nlinks; ++i) {
        slip_pose X;

        slip_link_pose(&MODEL, data, i, &X);
        memcpy(out + 12*i, &X, sizeof X);
    }
}

SWEEPS_OF_Q(fk, bench_links(Q(by_state)))
SWEEPS_OF_Q(columns, slip_kinematics(&MODEL, data, Q(by_state)); slip_dof_columns(&MODEL, data, out))
SWEEPS_OF_Q(gravity, slip_gravity(&MODEL, data, Q(by_state), out))
SWEEPS_OF_Q(crba, slip_crba(&MODEL, data, Q(by_state)); slip_mass_matrix(&MODEL, data, out))
SWEEPS_OF_Q(minv, slip_mass_matrix_inverse(&MODEL, data, Q(by_state), out))
SWEEPS_OF_QVA(rnea, slip_rnea(&MODEL, data, Q(by_state), V(by_state), A(by_state), NULL, out))
SWEEPS_OF_QVA(aba, slip_aba(&MODEL, data, Q(by_state), V(by_state), A(by_state), NULL, out))

#define ROW(name) { #name, { name##_0, name##_1, name##_4, name##_8 } }
static const struct { const char *name; void (*way[WAYS])(void); } rows[] = {
    ROW(fk), ROW(columns), ROW(gravity), ROW(rnea), ROW(crba), ROW(aba), ROW(minv) };
enum { ROWS = (int)(sizeof rows/sizeof *rows) };

static double bench_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9*(double)t.tv_sec + (double)t.tv_nsec;
}

static void bench_row(int r, int turns)
{
    double best[WAYS] = { 1e30, 1e30, 1e30, 1e30 };

    for (int turn = 0; turn < turns; ++turn)
        for (int w = 0; w < WAYS; ++w) {
            const double start = bench_now();
            double ns;

            rows[r].way[w]();
            ns = (bench_now() - start)/STATES;
            if (ns < best[w]) best[w] = ns;
        }
    printf("%s %.1f %.1f %.1f %.1f\n", rows[r].name, best[0], best[1], best[2], best[3]);
}

int main(int argc, char **argv)
{
    const size_t bytes = (size_t)1 << 24;
    slip_arena mem = slip_arena_over(bench_reals(bytes/sizeof(slip_real)), bytes);
    slip_random rng = slip_random_seed(7);
    const size_t most = (size_t)(MODEL.nv*MODEL.nv + 12*MODEL.nlinks + 6*MODEL.ndofs);
    const int turns = argc > 1 ? atoi(argv[argc - 1]) : 3000;

    if (slip_data_create(&MODEL, &mem, &data) < 0) return 1;
    q = bench_fill(&rng, MODEL.nq, 0, 1);
    v = bench_fill(&rng, MODEL.nv, 1, 0);
    a = bench_fill(&rng, MODEL.nv, 5, 0);
    out = bench_reals(8*most);
    if (argc == 4) {
        for (int r = 0; r < ROWS; ++r)
            for (int w = 0; w < WAYS && strcmp(rows[r].name, argv[1]) == 0; ++w)
                for (int k = 0; k < turns && ways[w] == atoi(argv[2]); ++k)
                    rows[r].way[w]();
        return 0;
    }
    for (int r = 0; r < ROWS; ++r) bench_row(r, turns);
    return 0;
}
