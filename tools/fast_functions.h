/* The functions that `export --fast` writes for a robot: names, arguments and what they compute. */
#ifndef SLIP_TOOLS_FAST_FUNCTIONS_H
#define SLIP_TOOLS_FAST_FUNCTIONS_H

#include "fast_robot.h"

enum { FAST_INPUTS = 3, FAST_NAME_SIZE = 128 };

typedef struct fast_function fast_function;
struct fast_function {
    char name[FAST_NAME_SIZE];           /* behind the robot's prefix                                       */
    const char *about;                   /* the comment of the header; NULL: as the one before              */
    const char *in[FAST_INPUTS];         /* arrays, q first; NULL behind the last                           */
    const char *out;
    int out_size;
    int link;                            /* of a Jacobian                                                   */
    int *place;                          /* [nv*nv] M^-1 by rows: where an entry of L, and 1/D on the diagonal, is among
                                          * the graph's outputs; -1: it is zero. NULL: M^-1 is the graph's outputs */
    void (*build)(const fast_code *f, const fast_function *what, term *out);
};

/* All functions of a robot, and their number in *n; fast_functions_free() frees them. */
fast_function *fast_functions(const fast_robot *r, int *n);
void fast_functions_free(fast_function *list, int n);

/* Entries of an array of inputs. */
int fast_input_size(const slip_model *m, const char *array);

/* The graph of one function; the caller frees it. */
void fast_function_graph(const fast_robot *r, const fast_function *what, term_graph *g);

#endif
