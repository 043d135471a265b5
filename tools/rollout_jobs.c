/* Runs shared out over processes. Each of them waits for the number of a run and answers with its row; the first
 * process hands out the next number to whoever answered, so that long runs and short ones keep all of them busy, and it
 * alone writes. Where there are no processes (Windows, WASI) the runs are made one after the other. See rollout.h. */
#define _POSIX_C_SOURCE 200112L   /* fork, pipe, poll */

#include "rollout.h"
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#if !defined(_WIN32) && !defined(__wasi__)
#define ROLLOUT_PROCESSES
#include <poll.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

/* The next run that is not done, from *next on; -1: there is none, or enough were handed out. */
static int jobs_next(const rollout_jobs *j, int *next, int *given)
{
    while (*next < j->end && j->done[*next - j->first]) ++*next;
    if (*next >= j->end || *given >= j->most) return -1;
    ++*given;
    return (*next)++;
}

/* All runs in this process. */
static int jobs_alone(rollout *r, const rollout_jobs *j)
{
    uint64_t *row = (uint64_t *)cli_alloc((size_t)r->ncolumns*sizeof *row);
    int next = j->first, given = 0, run, go_on = 1;

    while (go_on && (run = jobs_next(j, &next, &given)) >= 0) {
        rollout_run(r, run, row);
        go_on = j->finished(j->context, row) && j->waiting(j->context);
    }
    free(row);
    return 1;
}

#ifndef ROLLOUT_PROCESSES

int rollout_runs(const char *command, rollout *r, const rollout_jobs *jobs)
{
    if (jobs->jobs > 1) cli_fail(command, "no processes on this system: one run after the other (see --shard)");
    return jobs_alone(r, jobs);
}

#else

/* A process that makes runs. `asked`: runs handed to it and not answered; the second waits in the pipe while the first
 * is made, so that nobody waits for this process. */
enum { JOBS_AHEAD = 2 };
typedef struct { pid_t pid; int to, from, asked, run[JOBS_AHEAD]; size_t got; unsigned char *row; } jobs_worker;

/* Whole reads and writes over a pipe; 0 at its end. */
static int jobs_read(int fd, void *to, size_t n)
{
    size_t got = 0;

    while (got < n) {
        const ssize_t k = read(fd, (char *)to + got, n - got);

        if (k == 0 || (k < 0 && errno != EINTR)) return 0;
        if (k > 0) got += (size_t)k;
    }
    return 1;
}

static int jobs_write(int fd, const void *from, size_t n)
{
    size_t put = 0;

    while (put < n) {
        const ssize_t k = write(fd, (const char *)from + put, n - put);

        if (k < 0 && errno != EINTR) return 0;
        if (k > 0) put += (size_t)k;
    }
    return 1;
}

/* What a worker does until its pipe ends. It leaves Ctrl-C to the first process. */
static void jobs_work(rollout *r, int from, int to)
{
    uint64_t *row = (uint64_t *)cli_alloc((size_t)r->ncolumns*sizeof *row);
    int run;

    signal(SIGINT, SIG_IGN);
    while (jobs_read(from, &run, sizeof run)) {
        rollout_run(r, run, row);
        if (!jobs_write(to, row, (size_t)r->ncolumns*sizeof *row)) break;
    }
    free(row);
    _exit(0);
}

/* Starts worker i; it closes the pipes of those before it, so that each pipe ends when this process does. */
static int jobs_start(rollout *r, jobs_worker *w, int i)
{
    int there[2], back[2], k;

    if (pipe(there) != 0) return 0;
    if (pipe(back) != 0) { close(there[0]); close(there[1]); return 0; }
    w[i].pid = fork();
    if (w[i].pid == 0) {
        for (k = 0; k < i; ++k) { close(w[k].to); close(w[k].from); }
        close(there[1]);
        close(back[0]);
        jobs_work(r, there[0], back[1]);
    }
    close(there[0]);
    close(back[1]);
    if (w[i].pid < 0) { close(there[1]); close(back[0]); return 0; }
    w[i].to = there[1];
    w[i].from = back[0];
    w[i].asked = 0;
    w[i].got = 0;
    w[i].row = (unsigned char *)cli_alloc((size_t)r->ncolumns*sizeof(uint64_t));
    return 1;
}

/* Hands runs to a worker until it has enough. */
static void jobs_feed(const rollout_jobs *j, jobs_worker *w, int *next, int *given)
{
    while (w->asked < JOBS_AHEAD) {
        const int run = jobs_next(j, next, given);

        if (run < 0 || !jobs_write(w->to, &run, sizeof run)) return;      /* a lost one is noticed at its other pipe */
        w->run[w->asked++] = run;
    }
}

/* Reads what a worker has; 1: a whole row, 0: not yet, -1: it has ended. */
static int jobs_answer(jobs_worker *w, size_t bytes)
{
    const ssize_t k = read(w->from, w->row + w->got, bytes - w->got);

    if (k == 0 || (k < 0 && errno != EINTR)) return -1;
    if (k > 0) w->got += (size_t)k;
    if (w->got < bytes) return 0;
    w->got = 0;
    w->run[0] = w->run[1];
    --w->asked;
    return 1;
}

/* Waits for answers once; 0: all is done or it is to stop; -1, after a message: a worker was lost. */
static int jobs_turn(const char *command, rollout *r, const rollout_jobs *j, jobs_worker *w, struct pollfd *fds,
                     int n, int *next, int *given)
{
    int i, busy = 0, go_on = 1;

    for (i = 0; i < n; ++i) {
        fds[i].fd = w[i].asked > 0 ? w[i].from : -1;
        fds[i].events = POLLIN;
        fds[i].revents = 0;
        busy |= w[i].asked > 0;
    }
    if (!busy) return 0;
    if (poll(fds, (nfds_t)n, 200) < 0 && errno != EINTR) return -1;
    for (i = 0; i < n && go_on; ++i) {
        int answer;

        if (fds[i].fd < 0 || !(fds[i].revents & (POLLIN | POLLHUP | POLLERR))) continue;
        answer = jobs_answer(&w[i], (size_t)r->ncolumns*sizeof(uint64_t));
        if (answer < 0)
            return cli_fail(command, "the process that made run %d was lost (killed, or out of memory); the rows so "
                            "far are kept", w[i].run[0]), -1;
        if (answer == 0) continue;
        go_on = j->finished(j->context, (const uint64_t *)(const void *)w[i].row);
        jobs_feed(j, &w[i], next, given);
    }
    return go_on && j->waiting(j->context);
}

int rollout_runs(const char *command, rollout *r, const rollout_jobs *jobs)
{
    const int want = jobs->jobs < jobs->end - jobs->first ? jobs->jobs : jobs->end - jobs->first;
    jobs_worker *w;
    struct pollfd *fds;
    int i, n = 0, next = jobs->first, given = 0, turn = 1, status;
    void (*before)(int);

    if (want <= 1) return jobs_alone(r, jobs);
    fflush(NULL);                                                /* or workers would write it again */
    w = (jobs_worker *)cli_alloc((size_t)want*sizeof *w);
    fds = (struct pollfd *)cli_alloc((size_t)want*sizeof *fds);
    before = signal(SIGPIPE, SIG_IGN);
    while (n < want && jobs_start(r, w, n)) ++n;
    if (n < want) {
        cli_fail(command, "cannot start %d processes: %s", want, strerror(errno));
        turn = -1;
    }
    for (i = 0; i < n && turn > 0; ++i) jobs_feed(jobs, &w[i], &next, &given);
    while (turn > 0) turn = jobs_turn(command, r, jobs, w, fds, n, &next, &given);
    for (i = 0; i < n; ++i) { close(w[i].to); close(w[i].from); free(w[i].row); }
    for (i = 0; i < n; ++i) {
        if (turn < 0 || output_interrupted()) kill(w[i].pid, SIGTERM);
        waitpid(w[i].pid, &status, 0);
    }
    signal(SIGPIPE, before);
    free(w);
    free(fds);
    return turn >= 0;
}

#endif
