/* Threads with worlds of their own: steps a second of one thread, then of two (or N) at the same time.
 *
 *     threads SCENE [THREADS] [SECONDS]
 *
 * Each thread loads the scene, makes a world and steps it; the library has no state that they could share. Prints the
 * ratio of steps by the wall clock, which needs as many idle processors as threads, and by the processor time of each
 * thread, which on a busy machine still shows what the threads do to each other. Results have to be the same bits. */
#define _POSIX_C_SOURCE 200112L
#include "slipstick.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 64, TRIES = 5 };

typedef struct {
    const char *scene;
    double seconds;                  /* of simulated time                                   */
    double cpu;                      /* of the steps of this thread [s]                     */
    long steps;
    slip_real *q;                    /* [nq] at the end                                     */
    int nq, failed;
    pthread_barrier_t *start;
} job;

static double now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

static void *work(void *context)
{
    job *j = (job *)context;
    const size_t bytes = (size_t)1 << 26;
    void *block = malloc(bytes);
    slip_arena mem = slip_arena_over(block, block ? bytes : 0);
    slip_world *world = NULL;
    slip_error err;

    slip_error_clear(&err);
    j->failed = slip_scene_load_world(j->scene, &mem, &world, NULL, &err) < 0;
    if (j->failed) fprintf(stderr, "threads: %s\n", err.what);
    pthread_barrier_wait(j->start);
    j->cpu = now(CLOCK_THREAD_CPUTIME_ID);
    for (j->steps = 0; !j->failed && (double)slip_world_time(world) < j->seconds; ++j->steps)
        j->failed = slip_step(world) < 0;
    j->cpu = now(CLOCK_THREAD_CPUTIME_ID) - j->cpu;
    if (!j->failed) {
        j->nq = slip_world_model(world)->nq;
        j->q = (slip_real *)malloc((size_t)j->nq*sizeof *j->q);
        if (j->q) memcpy(j->q, slip_world_q(world), (size_t)j->nq*sizeof *j->q);
    }
    free(block);
    return NULL;
}

/* Steps a second of n threads, by the wall clock and by processor time, in a try. */
static int run(const char *scene, double seconds, int n, double *wall, double *cpu, job *first)
{
    pthread_barrier_t start;
    pthread_t thread[MOST];
    job jobs[MOST];
    double begun, most = 0, steps = 0;
    int i, same = 1;

    pthread_barrier_init(&start, NULL, (unsigned)n + 1);
    for (i = 0; i < n; ++i) {
        memset(&jobs[i], 0, sizeof jobs[i]);
        jobs[i].scene = scene;
        jobs[i].seconds = seconds;
        jobs[i].start = &start;
        if (pthread_create(&thread[i], NULL, work, &jobs[i]) != 0) exit(1);
    }
    pthread_barrier_wait(&start);
    begun = now(CLOCK_MONOTONIC);
    for (i = 0; i < n; ++i) pthread_join(thread[i], NULL);
    *wall = now(CLOCK_MONOTONIC) - begun;
    for (i = 0; i < n; ++i) {
        if (jobs[i].failed || !jobs[i].q) exit(1);
        steps += (double)jobs[i].steps;
        if (jobs[i].cpu > most) most = jobs[i].cpu;
        if (!first->q) *first = jobs[i];
        same &= memcmp(jobs[i].q, first->q, (size_t)first->nq*sizeof *first->q) == 0;
        if (jobs[i].q != first->q) free(jobs[i].q);
    }
    *wall = steps / *wall;
    *cpu = steps/most;
    pthread_barrier_destroy(&start);
    return same;
}

int main(int argc, char **argv)
{
    const char *scene = argc > 1 ? argv[1] : "models/bench/quad_stand.xml";
    const int n = argc > 2 ? atoi(argv[2]) : 2;
    const double seconds = argc > 3 ? atof(argv[3]) : 20;
    double best[2][2] = { { 0, 0 }, { 0, 0 } };
    int t, k, same = 1;
    job first;

    memset(&first, 0, sizeof first);
    if (n < 1 || n > MOST) return 2;
    for (t = 0; t < TRIES; ++t)                                  /* in turn */
        for (k = 0; k < 2; ++k) {
            double wall, cpu;

            same &= run(scene, seconds, k ? n : 1, &wall, &cpu, &first);
            if (wall > best[k][0]) best[k][0] = wall;
            if (cpu > best[k][1]) best[k][1] = cpu;
        }
    printf("%s: one thread %.4g steps/s, %d threads %.4g: %.2f times by the wall clock, %.2f by processor time; %s\n",
           scene, best[0][0], n, best[1][0], best[1][0]/best[0][0], best[1][1]/best[0][1],
           same ? "the same bits" : "DIFFERENT BITS");
    free(first.q);
    return same ? 0 : 1;
}
