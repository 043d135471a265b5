/* Tosses of our own making, as recordings: to see the format, and to test that a fit finds what made them.
 * See real.h. */
#include "real.h"
#include "output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A toss from 0.15 to 0.25 m, of any orientation, thrown at up to 1 m/s and 6 rad/s. */
static void real_random_start(slip_random *rng, real_row *row)
{
    slip_real q[4], w[3];
    int k;

    memset(row, 0, sizeof *row);
    slip_random_quat(rng, q);
    slip_random_unit3(rng, w);
    for (k = 0; k < 4; ++k) row->q[k] = (double)q[k];
    for (k = 0; k < 3; ++k) {
        row->w[k] = 6*(double)w[k];
        row->v[k] = (double)slip_random_uniform(rng, SLIP_R(-1.0), SLIP_R(1.0));
        row->p[k] = (double)slip_random_uniform(rng, SLIP_R(-0.1), SLIP_R(0.1));
    }
    row->p[2] = (double)slip_random_uniform(rng, SLIP_R(0.15), SLIP_R(0.25));
    row->v[2] /= 2;
}

void real_make_example(real_stage *stage, const real_law *law, int ntosses, uint64_t seed, real_set *set)
{
    enum { ROWS = 120 };                             /* 0.8 s: enough to come to rest */
    slip_random rng = slip_random_seed(seed);
    int i, k;

    memset(set, 0, sizeof *set);
    set->dt = stage->terms.dt;
    set->ntosses = ntosses;
    set->nrows = ROWS*ntosses;
    set->rows = (real_row *)cli_alloc((size_t)set->nrows*sizeof *set->rows);
    set->tosses = (real_toss *)cli_alloc((size_t)ntosses*sizeof *set->tosses);
    memset(set->rows, 0, (size_t)set->nrows*sizeof *set->rows);
    for (i = 0; i < ntosses; ++i) {
        real_toss *toss = &set->tosses[i];
        real_row *row = &set->rows[i*ROWS], *poses = (real_row *)cli_alloc(ROWS*sizeof *poses);

        toss->number = i + 1;
        toss->first = i*ROWS;
        toss->count = toss->touch = ROWS;
        real_random_start(&rng, row);
        for (k = 0; k < ROWS; ++k) row[k].t = k*set->dt;
        real_simulate(stage, set, toss, law, 0, poses);
        memcpy(row, poses, ROWS*sizeof *poses);
        free(poses);
    }
}

int real_write(const char *command, const char *path, const real_set *set)
{
    FILE *f = output_open(command, path);
    int i, k;

    if (!f) return 0;
    fprintf(f, "toss,t,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n");
    for (i = 0; i < set->ntosses; ++i)
        for (k = 0; k < set->tosses[i].count; ++k) {
            const real_row *r = &set->rows[set->tosses[i].first + k];

            fprintf(f, "%d,%.6f,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n",
                    set->tosses[i].number,
                    r->t, r->p[0], r->p[1], r->p[2], r->q[3], r->q[0], r->q[1], r->q[2], r->v[0], r->v[1], r->v[2],
                    r->w[0],
                    r->w[1], r->w[2]);
        }
    return output_close(command, path, f);
}
