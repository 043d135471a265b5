/* A graph of terms as C: counting what the outputs need, and printing it, one statement for each term that is used more
 * than once or is long. */
#include "terms.h"

#include <stdlib.h>
#include <string.h>
#include "cli.h"

enum {
    TERM_LONGEST = 42,                   /* characters of a term that is written where it is used */
    TERM_ZEROS = 4                       /* zeros in a row that are written by a loop             */
};

/* ---- what is needed ---------------------------------------------------------------------------------------- */

/* How often each node is used by nodes and outputs that are needed; cli_alloc'd. The angle of a sine does not count. */
static int *term_uses(const term_graph *g)
{
    int *uses = (int *)cli_alloc((size_t)g->n*sizeof *uses), i;

    memset(uses, 0, (size_t)g->n*sizeof *uses);
    for (i = 0; i < g->noutputs; ++i) ++uses[g->output[i].node];
    for (i = g->n - 1; i >= 0; --i) {
        const term_node *x = &g->node[i];

        if (uses[i] == 0 || x->kind < TERM_ADD) continue;
        ++uses[x->a];
        if (x->kind != TERM_NEG) ++uses[x->b];
    }
    return uses;
}

/* Numbers the angles whose sine or cosine is needed; place[node] of the angle, -1 elsewhere. */
static int term_number_angles(const term_graph *g, const int *uses, int *place)
{
    int i, n = 0;

    for (i = 0; i < g->n; ++i) place[i] = -1;
    for (i = 0; i < g->n; ++i)
        if (uses[i] > 0 && (g->node[i].kind == TERM_COS || g->node[i].kind == TERM_SIN) && place[g->node[i].a] < 0)
            place[g->node[i].a] = n++;
    return n;
}

term_cost term_count(const term_graph *g)
{
    int *uses = term_uses(g), *place = (int *)cli_alloc((size_t)g->n*sizeof *place), i;
    term_cost c = { 0, 0, 0, 0 };

    for (i = 0; i < g->n; ++i) {
        const term_kind kind = g->node[i].kind;

        if (uses[i] == 0) continue;
        c.sums += kind == TERM_ADD || kind == TERM_SUB;
        c.products += kind == TERM_MUL;
        c.divisions += kind == TERM_DIV;
    }
    c.angles = term_number_angles(g, uses, place);
    free(uses);
    free(place);
    return c;
}

/* The arrays in a term of inputs and constants. */
static unsigned term_arrays_in(const term_graph *g, term a)
{
    const term_node *x = &g->node[a];

    if (x->kind == TERM_INPUT) return 1u << x->a;
    if (x->kind == TERM_CONSTANT) return 0;
    return term_arrays_in(g, x->a) | (x->kind == TERM_NEG ? 0 : term_arrays_in(g, x->b));
}

unsigned term_arrays_used(const term_graph *g)
{
    int *uses = term_uses(g), i;
    unsigned used = 0;

    for (i = 0; i < g->noutputs; ++i) used |= 1u << g->output[i].array;
    for (i = 0; i < g->n; ++i) {
        const term_node *x = &g->node[i];

        if (uses[i] == 0) continue;
        if (x->kind == TERM_INPUT) used |= 1u << x->a;
        if (x->kind == TERM_COS || x->kind == TERM_SIN) used |= term_arrays_in(g, x->a);
    }
    free(uses);
    return used;
}

/* ---- expressions as text ----------------------------------------------------------------------------------- */

/* How tightly a text holds together: a sum needs brackets in a product, a negative one in both. */
typedef enum { TEXT_SIGNED, TEXT_SUM, TEXT_PRODUCT, TEXT_NAME } text_grip;

typedef struct { char *text; text_grip grip; } term_text;

typedef struct {
    FILE *out;
    const term_graph *g;
    void (*put_constant)(char *text, double x);
    int *uses, *angle, *first_output;
    term_text *text;                     /* of the nodes so far                                             */
    int temporaries, section, first;
} term_printer;

static term_text text_of(const char *text, text_grip grip)
{
    const size_t size = strlen(text) + 1;
    term_text t = { (char *)cli_alloc(size), grip };

    memcpy(t.text, text, size);
    return t;
}

/* a op b, with brackets around operands that hold together less than `left` and `right` ask for. */
static term_text text_join(term_text a, text_grip left, const char *op, term_text b, text_grip right, text_grip grip)
{
    const size_t size = strlen(a.text) + strlen(op) + strlen(b.text) + 5;
    term_text t = { (char *)cli_alloc(size), grip };

    slip_format(t.text, (int)size, "%s%s%s%s%s%s%s", a.grip < left ? "(" : "", a.text, a.grip < left ? ")" : "", op,
                b.grip < right ? "(" : "", b.text, b.grip < right ? ")" : "");
    return t;
}

static term_text term_text_leaf(const term_printer *p, const term_node *x)
{
    char text[64];

    if (x->kind == TERM_CONSTANT) {
        p->put_constant(text, x->value);
        return text_of(text, x->value < 0 ? TEXT_SIGNED : TEXT_NAME);
    }
    if (x->kind == TERM_INPUT) slip_format(text, (int)sizeof text, "%s[%d]", p->g->array[x->a], x->b);
    else slip_format(text, (int)sizeof text, "%s[%d]", x->kind == TERM_COS ? "c" : "s", p->angle[x->a]);
    return text_of(text, TEXT_NAME);
}

/* -(a - b) as b - a */
static term_text term_text_of_negative(const term_printer *p, const term_node *x)
{
    return text_join(p->text[x->b], TEXT_SUM, " - ", p->text[x->a], TEXT_PRODUCT, TEXT_SUM);
}

/* Of operands that have texts. */
static term_text term_text_of(const term_printer *p, const term_node *x)
{
    static const term_text minus = { (char *)"", TEXT_NAME };
    const term_text *t = p->text;

    switch (x->kind) {
    case TERM_ADD: return text_join(t[x->a], TEXT_SUM, " + ", t[x->b], TEXT_PRODUCT, TEXT_SUM);
    case TERM_SUB: return text_join(t[x->a], TEXT_SUM, " - ", t[x->b], TEXT_PRODUCT, TEXT_SUM);
    case TERM_MUL: return text_join(t[x->a], TEXT_PRODUCT, "*", t[x->b], TEXT_NAME, TEXT_PRODUCT);
    case TERM_DIV: return text_join(t[x->a], TEXT_PRODUCT, "/", t[x->b], TEXT_NAME, TEXT_PRODUCT);
    case TERM_NEG:
        if (p->g->node[x->a].kind == TERM_SUB && p->uses[x->a] == 1 && t[x->a].grip == TEXT_SUM)
            return term_text_of_negative(p, &p->g->node[x->a]);
        return text_join(minus, TEXT_NAME, "-", t[x->a], TEXT_PRODUCT, TEXT_SIGNED);
    default: return term_text_leaf(p, x);
    }
}

/* A term of inputs and constants, however long. */
static term_text term_text_whole(term_printer *p, term a)
{
    const term_node *x = &p->g->node[a];

    if (!p->text[a].text) {
        if (x->kind >= TERM_ADD) term_text_whole(p, x->a);
        if (x->kind >= TERM_ADD && x->kind != TERM_NEG) term_text_whole(p, x->b);
        p->text[a] = term_text_of(p, x);
    }
    return p->text[a];
}

/* ---- statements -------------------------------------------------------------------------------------------- */

/* Sines and cosines of all angles in one call. Left-over places of the last group of single states are angles of 0. */
static void term_print_angles(term_printer *p)
{
    const int n = term_number_angles(p->g, p->uses, p->angle);
    int i;

    if (n == 0) return;
    fprintf(p->out, "    fast_row angle[FAST_ANGLES(%d)], c[FAST_ANGLES(%d)], s[FAST_ANGLES(%d)];\n\n", n, n, n);
    for (i = 0; i < p->g->n; ++i)
        if (p->angle[i] >= 0)
            fprintf(p->out, "    angle[%d] = %s;\n", p->angle[i], term_text_whole(p, i).text);
    fprintf(p->out, "    FAST_SINCOS(%d);\n", n);
    for (i = 0; i < p->g->n; ++i) {                      /* the statements begin without any text */
        free(p->text[i].text);
        p->text[i].text = NULL;
    }
}

/* The comment of a node's section, where it begins. */
static void term_print_section(term_printer *p, const term_node *x)
{
    if (x->section == p->section) return;
    p->section = x->section;
    if (p->g->section[x->section][0]) fprintf(p->out, "\n    /* %s */\n", p->g->section[x->section]);
}

/* Outputs that are zero, in the order of their places. */
static void term_print_zeros(term_printer *p, term zero)
{
    int i, n, k;

    for (i = p->first_output[zero]; i >= 0; i = k) {
        const term_output *o = &p->g->output[i];
        const char *name = p->g->array[o->array];

        for (n = 1, k = o->next; k >= 0 && p->g->output[k].place == o->place + n; k = p->g->output[k].next) ++n;
        if (n < TERM_ZEROS) { fprintf(p->out, "    %s[%d] = zero;\n", name, o->place);  k = o->next; }
        else fprintf(p->out, "    for (int i = %d; i < %d; ++i) %s[i] = zero;\n", o->place, o->place + n, name);
    }
}

/* All outputs that are this node, in one statement. */
static void term_print_outputs(term_printer *p, term a, const char *text)
{
    const int constant = p->g->node[a].kind == TERM_CONSTANT;
    int i, on_line = 0;

    if (term_is(p->g, a, 0)) { term_print_zeros(p, a);  return; }

    for (i = p->first_output[a]; i >= 0; i = p->g->output[i].next) {
        const term_output *o = &p->g->output[i];

        fprintf(p->out, "%s%s[%d] = ", on_line == 0 ? "    " : "", p->g->array[o->array], o->place);
        if (++on_line < 6 && o->next >= 0) continue;
        fprintf(p->out, "%s%s;\n", constant ? "zero + " : "", text);
        on_line = 0;
    }
}

/* Its own statement, unless it is short and used but once. */
static void term_print_node(term_printer *p, term a)
{
    const term_node *x = &p->g->node[a];
    const int is_output = p->first_output[a] >= 0, is_leaf = x->kind < TERM_ADD;
    char name[24];
    int outputs = 0, i;

    p->text[a] = term_text_of(p, x);
    for (i = p->first_output[a]; i >= 0; i = p->g->output[i].next) ++outputs;
    if (is_output && !is_leaf) term_print_section(p, x);
    if (is_output && (is_leaf || outputs == p->uses[a])) { term_print_outputs(p, a, p->text[a].text);  return; }
    if (is_leaf || x->kind == TERM_NEG) return;
    if (p->uses[a] == 1 && strlen(p->text[a].text) <= TERM_LONGEST) return;
    term_print_section(p, x);
    slip_format(name, (int)sizeof name, "t%d", p->temporaries++);
    fprintf(p->out, "    const fast_real %s = %s;\n", name, p->text[a].text);
    free(p->text[a].text);
    p->text[a] = text_of(name, TEXT_NAME);
    if (is_output) term_print_outputs(p, a, name);
}

/* The outputs of each node as a list; its first. */
static int *term_outputs_by_node(const term_graph *g)
{
    int *first = (int *)cli_alloc((size_t)g->n*sizeof *first), i;

    for (i = 0; i < g->n; ++i) first[i] = -1;
    for (i = g->noutputs - 1; i >= 0; --i) {
        g->output[i].next = first[g->output[i].node];
        first[g->output[i].node] = i;
    }
    return first;
}

void term_print(FILE *out, const term_graph *g, void (*put_constant)(char *text, double x))
{
    term_printer p;
    int i;

    memset(&p, 0, sizeof p);
    p.out = out;
    p.g = g;
    p.put_constant = put_constant;
    p.uses = term_uses(g);
    p.angle = (int *)cli_alloc((size_t)g->n*sizeof *p.angle);
    p.first_output = term_outputs_by_node(g);
    p.text = (term_text *)cli_alloc((size_t)g->n*sizeof *p.text);
    memset(p.text, 0, (size_t)g->n*sizeof *p.text);
    term_print_angles(&p);
    for (i = 0; i < g->n; ++i)
        if (p.uses[i] > 0) term_print_node(&p, i);
    for (i = 0; i < g->n; ++i) free(p.text[i].text);
    free(p.text);
    free(p.first_output);
    free(p.angle);
    free(p.uses);
}
