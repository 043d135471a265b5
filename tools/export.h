/* A model, and a world of it, as C source: constant data that a program links instead of reading a file. */
#ifndef SLIP_TOOLS_EXPORT_H
#define SLIP_TOOLS_EXPORT_H

#include "cli.h"

/* The most that a step took in a hostile set of states: iterations, as budgets count them, and contacts. */
/* Of hostile steps: most iterations of a budget and most contacts; the iterations also by the number of contacts, up to
 * 0, 1, 2, 4, 8 ... of them, 0 where no step had so many. */
enum { EXPORT_BINS = 12 };
typedef struct { long iterations, by[EXPORT_BINS]; int contacts; } export_worst;

typedef struct {
    const char *name;                    /* prefix of all names: an identifier                              */
    const char *source;                  /* the file that it was made from                                  */
    const char *header;                  /* file name of the header, as the source includes it              */
    const slip_model *model;
    const slip_world_def *world;         /* with the options that it starts with                            */
    const slip_real *q, *v;              /* the start: [nq], [nv]                                           */
    const slip_drive *drives;            /* [nv]                                                            */
    const slip_solver *const *solvers;   /* first the world's                                               */
    int nsolvers;
    size_t data_bytes, arena_bytes, stack_bytes;
    export_worst worst;
} export_robot;

/* The source and its header. */
void export_source(FILE *out, const export_robot *r);
void export_header(FILE *out, const export_robot *r);

#endif
