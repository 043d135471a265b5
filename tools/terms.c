/* See terms.h: the graph and its simplifications. terms_print.c prints it. */
#include "terms.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"

enum { TERM_ZERO, TERM_ONE };            /* the first two nodes of every graph */

/* ---- memory ------------------------------------------------------------------------------------------------ */

/* Room for one more entry than n: the block, moved and doubled when it is full. */
static void *term_grow(void *block, int n, int *room, size_t size)
{
    void *larger;

    if (n < *room) return block;
    larger = cli_alloc((*room > 0 ? 2*(size_t)*room : 256)*size);
    if (n > 0) memcpy(larger, block, (size_t)n*size);
    *room = *room > 0 ? 2**room : 256;
    free(block);
    return larger;
}

void term_begin(term_graph *g)
{
    memset(g, 0, sizeof *g);
    term_section(g, "");
    term_constant(g, 0);
    term_constant(g, 1);
}

void term_free(term_graph *g)
{
    free(g->node);
    free(g->bucket);
    free(g->output);
    free(g->section);
}

int term_array(term_graph *g, const char *name)
{
    g->array[g->narrays] = name;
    return g->narrays++;
}

void term_section(term_graph *g, const char *comment)
{
    g->section = (char (*)[TERM_SECTION_SIZE])term_grow(g->section, g->nsections, &g->section_room, sizeof *g->section);
    slip_format(g->section[g->nsections++], TERM_SECTION_SIZE, "%s", comment);
}

void term_output_set(term_graph *g, int array, int place, term a)
{
    const term_output o = { a, array, place, -1 };

    g->output = (term_output *)term_grow(g->output, g->noutputs, &g->output_room, sizeof *g->output);
    g->output[g->noutputs++] = o;
}

/* ---- one node for each thing ------------------------------------------------------------------------------- */

static uint32_t term_hash(term_kind kind, term a, term b, double value)
{
    uint32_t part[2], h = (uint32_t)kind*2654435761u;

    memcpy(part, &value, sizeof part);
    h = (h ^ (uint32_t)a)*2246822519u;
    h = (h ^ (h >> 15) ^ (uint32_t)b)*3266489917u;
    h = (h ^ (h >> 13) ^ part[0])*668265263u;
    h = (h ^ (h >> 16) ^ part[1])*374761393u;
    return h ^ (h >> 15);
}

/* Where a node is in the table, or the empty place where it belongs. */
static int term_place(const term_graph *g, term_kind kind, term a, term b, double value)
{
    const int mask = g->buckets - 1;
    int at = (int)(term_hash(kind, a, b, value) & (uint32_t)mask);

    for (; g->bucket[at] != 0; at = (at + 1) & mask) {
        const term_node *x = &g->node[g->bucket[at] - 1];

        if (x->kind == kind && x->a == a && x->b == b && memcmp(&x->value, &value, sizeof value) == 0) break;
    }
    return at;
}

/* A table of twice the size with the same nodes. */
static void term_rehash(term_graph *g)
{
    int i;

    g->buckets = g->buckets > 0 ? 2*g->buckets : 1024;
    free(g->bucket);
    g->bucket = (int *)cli_alloc((size_t)g->buckets*sizeof *g->bucket);
    memset(g->bucket, 0, (size_t)g->buckets*sizeof *g->bucket);
    for (i = 0; i < g->n; ++i) {
        const term_node *x = &g->node[i];

        g->bucket[term_place(g, x->kind, x->a, x->b, x->value)] = i + 1;
    }
}

/* The node, made when it is new. */
static term term_find(term_graph *g, term_kind kind, term a, term b, double value)
{
    const term_node x = { kind, a, b, value, g->nsections - 1 };
    int at;

    if (2*g->n >= g->buckets) term_rehash(g);
    at = term_place(g, kind, a, b, value);
    if (g->bucket[at] != 0) return g->bucket[at] - 1;
    g->node = (term_node *)term_grow(g->node, g->n, &g->room, sizeof *g->node);
    g->node[g->n] = x;
    g->bucket[at] = ++g->n;
    return g->n - 1;
}

/* Whether the node exists already. */
static int term_exists(const term_graph *g, term_kind kind, term a, term b)
{
    return g->bucket[term_place(g, kind, a, b, 0)] != 0;
}

/* ---- simplifications --------------------------------------------------------------------------------------- */

static int term_is_kind(const term_graph *g, term a, term_kind kind) { return g->node[a].kind == kind; }
static int term_is_constant(const term_graph *g, term a) { return g->node[a].kind == TERM_CONSTANT; }

int term_is(const term_graph *g, term a, double x) { return term_is_constant(g, a) && g->node[a].value == x; }

term term_constant(term_graph *g, double x)
{
    return term_find(g, TERM_CONSTANT, 0, 0, x == 0 ? 0 : x);            /* no negative zero */
}

term term_input(term_graph *g, int array, int place) { return term_find(g, TERM_INPUT, array, place, 0); }

term term_neg(term_graph *g, term a)
{
    if (term_is_constant(g, a)) return term_constant(g, -g->node[a].value);
    if (term_is_kind(g, a, TERM_NEG)) return g->node[a].a;
    return term_find(g, TERM_NEG, a, 0, 0);
}

/* Sums of terms without a sign. */
static term term_plain_sum(term_graph *g, term a, term b)
{
    return a < b ? term_find(g, TERM_ADD, a, b, 0) : term_find(g, TERM_ADD, b, a, 0);
}

/* Differences of terms without a sign: one of a - b and b - a is made, the other is its negative. */
static term term_plain_difference(term_graph *g, term a, term b)
{
    if (a == b) return TERM_ZERO;
    if (!term_exists(g, TERM_SUB, b, a)) return term_find(g, TERM_SUB, a, b, 0);
    return term_neg(g, term_find(g, TERM_SUB, b, a, 0));
}

term term_add(term_graph *g, term a, term b)
{
    const int minus_a = term_is_kind(g, a, TERM_NEG), minus_b = term_is_kind(g, b, TERM_NEG);

    if (term_is_constant(g, a) && term_is_constant(g, b))
        return term_constant(g, g->node[a].value + g->node[b].value);
    if (a == TERM_ZERO) return b;
    if (b == TERM_ZERO) return a;
    if (minus_a && minus_b) return term_neg(g, term_plain_sum(g, g->node[a].a, g->node[b].a));
    if (minus_a) return term_plain_difference(g, b, g->node[a].a);
    if (minus_b) return term_plain_difference(g, a, g->node[b].a);
    return term_plain_sum(g, a, b);
}

term term_sub(term_graph *g, term a, term b) { return term_add(g, a, term_neg(g, b)); }

/* Of a product with a constant the constant comes first. */
static term term_plain_product(term_graph *g, term a, term b)
{
    const int swap = term_is_constant(g, b) || (!term_is_constant(g, a) && b < a);
    const term x = swap ? b : a, y = swap ? a : b;

    if (!term_is_constant(g, x)) return term_find(g, TERM_MUL, x, y, 0);
    if (g->node[x].value < 0) return term_neg(g, term_mul(g, term_constant(g, -g->node[x].value), y));
    if (term_is_kind(g, y, TERM_MUL) && term_is_constant(g, g->node[y].a))
        return term_mul(g, term_constant(g, g->node[x].value*g->node[g->node[y].a].value), g->node[y].b);
    return term_find(g, TERM_MUL, x, y, 0);
}

term term_mul(term_graph *g, term a, term b)
{
    if (term_is_constant(g, a) && term_is_constant(g, b))
        return term_constant(g, g->node[a].value*g->node[b].value);
    if (a == TERM_ZERO || b == TERM_ZERO) return TERM_ZERO;
    if (a == TERM_ONE) return b;
    if (b == TERM_ONE) return a;
    if (term_is_kind(g, a, TERM_NEG)) return term_neg(g, term_mul(g, g->node[a].a, b));
    if (term_is_kind(g, b, TERM_NEG)) return term_neg(g, term_mul(g, a, g->node[b].a));
    return term_plain_product(g, a, b);
}

term term_div(term_graph *g, term a, term b)
{
    if (a == TERM_ZERO) return TERM_ZERO;
    if (term_is_constant(g, b) && g->node[b].value != 0) return term_mul(g, term_constant(g, 1/g->node[b].value), a);
    if (term_is_kind(g, a, TERM_NEG)) return term_neg(g, term_div(g, g->node[a].a, b));
    return term_find(g, TERM_DIV, a, b, 0);
}

term term_cos(term_graph *g, term angle)
{
    if (term_is_constant(g, angle)) return term_constant(g, (double)slip_cos((slip_real)g->node[angle].value));
    return term_find(g, TERM_COS, term_is_kind(g, angle, TERM_NEG) ? g->node[angle].a : angle, 0, 0);
}

term term_sin(term_graph *g, term angle)
{
    if (term_is_constant(g, angle)) return term_constant(g, (double)slip_sin((slip_real)g->node[angle].value));
    if (term_is_kind(g, angle, TERM_NEG)) return term_neg(g, term_find(g, TERM_SIN, g->node[angle].a, 0, 0));
    return term_find(g, TERM_SIN, angle, 0, 0);
}
