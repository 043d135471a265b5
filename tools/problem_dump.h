/* Contact problems of a run as files: `sim --dump-problems` writes them, `solve` reads them. */
#ifndef SLIP_TOOLS_PROBLEM_DUMP_H
#define SLIP_TOOLS_PROBLEM_DUMP_H

#include "sim_run.h"

typedef struct {
    const char *folder, *source;     /* where to; the line `source` of the files             */
    const char *scene;               /* its name                                             */
    long every;                      /* steps                                                */
    const slip_world *world;
    long step;                       /* of the last file                                     */
    int solve;                       /* how many solves that step had                        */
    long written;
    int failed;                      /* a file could not be written; a message was given     */
} problem_dump;

/* Makes the folder when it is not there and sets the world's on_problem; 0, after a message, when that does not work.
 * Step 12's problem becomes FOLDER/step000012.txt, a second one of the same step step000012-2.txt; their warm starts,
 * for `solve --warm`, end in .warm: the impulses, the dual variables and rho, a number a line. */
int problem_dump_begin(const char *command, const char *folder, long every, const char *source, sim_session *s,
                       problem_dump *d);

#endif
