/* Arithmetic on names instead of numbers: sums and products are recorded as nodes of a graph, which is then printed as
 * a straight line of C.
 *
 * Every node is made once: the same operation on the same operands gives the same term. Constants are folded, zeros and
 * ones disappear, signs move outwards until a sum takes them in, and nodes that no output needs are not printed. */
#ifndef SLIP_TOOLS_TERMS_H
#define SLIP_TOOLS_TERMS_H

#include <stdio.h>

typedef int term;                        /* a node of a graph */

typedef enum {
    TERM_CONSTANT, TERM_INPUT, TERM_COS, TERM_SIN, TERM_ADD, TERM_SUB, TERM_MUL, TERM_DIV, TERM_NEG
} term_kind;

typedef struct {
    term_kind kind;
    term a, b;                           /* operands; of an input: its array and its place there            */
    double value;                        /* of a constant                                                   */
    int section;                         /* in which it was made                                            */
} term_node;

typedef struct { term node; int array, place, next; } term_output;

enum { TERM_ARRAYS = 6, TERM_SECTION_SIZE = 64 };

typedef struct {
    term_node *node;
    int n, room;
    int *bucket;                         /* hash table: a node's number + 1, 0 where nothing is             */
    int buckets;                         /* a power of two                                                  */
    term_output *output;
    int noutputs, output_room;
    const char *array[TERM_ARRAYS];      /* names of inputs and outputs                                     */
    int narrays;
    char (*section)[TERM_SECTION_SIZE];  /* comments between the statements                                 */
    int nsections, section_room;
} term_graph;

/* What a graph costs when it is printed. */
typedef struct { int sums, products, divisions, angles; } term_cost;

void term_begin(term_graph *g);
void term_free(term_graph *g);

/* An array of inputs or outputs; its number. The name is not copied. */
int term_array(term_graph *g, const char *name);

/* Terms made from here on are printed below this comment. */
void term_section(term_graph *g, const char *comment);

term term_constant(term_graph *g, double x);
term term_input(term_graph *g, int array, int place);
term term_add(term_graph *g, term a, term b);
term term_sub(term_graph *g, term a, term b);
term term_mul(term_graph *g, term a, term b);
term term_div(term_graph *g, term a, term b);
term term_neg(term_graph *g, term a);
term term_cos(term_graph *g, term angle);        /* of an angle made of inputs and constants alone */
term term_sin(term_graph *g, term angle);

/* Whether it is the constant x. */
int term_is(const term_graph *g, term a, double x);

/* array[place] = a */
void term_output_set(term_graph *g, int array, int place, term a);

/* Operations that the outputs need. */
term_cost term_count(const term_graph *g);

/* The statements that compute all outputs, as the body of a function of a source that export_fast.c writes: it has the
 * types fast_real and fast_row, FAST_ANGLES(), FAST_SINCOS(), and a constant `zero`. put_constant prints a number in
 * the working precision. */
void term_print(FILE *out, const term_graph *g, void (*put_constant)(char *text, double x));

/* Which arrays the outputs need or are in: a bit for each. */
unsigned term_arrays_used(const term_graph *g);

#endif
