/* The data of `slipstick info` about a model, and its output as text and as JSON. */
#ifndef SLIP_TOOLS_INFO_H
#define SLIP_TOOLS_INFO_H

#include "cli.h"

typedef struct {
    const char *file;
    slip_urdf urdf;
    const slip_model *model;         /* NULL when it cannot be built; then `error` says why     */
    slip_error error;
    int nwarnings, warning_room;
    slip_error *warnings;
    int *above;                      /* [nlinks] the joint above a link, -1 for none            */
    int *child, *sibling;            /* [nlinks] first child and next sibling, -1 for none      */
    int *order, *depth;              /* [nlinks] links as they are drawn; depth of each link    */
    char sim[256];                   /* what sim would do with it; "" when that is not known        */
    int sim_free;                    /* its root, which no joint holds, floats there                        */
    void *blocks[2];                 /* memory of the description and of the model              */
} info_model;

/* The link a link hangs on, -1 for the world. */
int info_parent(const info_model *m, int link);

/* First place in v (or q) and number of places of a joint; 0 places for fixed and mimicking ones. */
int info_v(const info_model *m, int joint, int *first);
int info_q(const info_model *m, int joint, int *first);

double info_mass(const info_model *m);
const char *info_shape_name(slip_shape_kind kind);

void info_print_text(FILE *out, const info_model *m, int ascii);
void info_print_json(FILE *out, const info_model *m);

#endif
