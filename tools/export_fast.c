/* Straight-line code for one robot: writes the functions of fast_functions.h as C. See export_fast.h.
 *
 * The functions are printed once, over the types fast_real and fast_row. PREFIX_fast.c takes numbers for both;
 * PREFIX_fast_x4.c and _x8.c include it with vectors of as many numbers as the machine has, one for each state, and
 * with loops over the states that do not fit into one vector. */
#include "export_fast.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "fast_functions.h"
#include "output.h"

/* What is written, and for whom. */
typedef struct {
    const export_robot *r;
    fast_robot robot;
    fast_function *list;
    int n;
} fast_export;

static void fast_put_constant(char *text, double x)
{
    int n = slip_print_real((slip_real)x, 0, text);

    if (!strpbrk(text, ".e")) n += slip_format(text + n, 4, ".0");
    if (sizeof(slip_real) == sizeof(float)) slip_format(text + n, 4, "f");
}

static void fast_put_capitals(FILE *out, const char *name)
{
    for (; *name; ++name) fputc(toupper((unsigned char)*name), out);
}

/* ---- the source -------------------------------------------------------------------------------------------- */

static const char fast_types[] =
    "#ifndef FAST_LANES\n#define FAST_LANES 1                     /* states of a call */\n#endif\n"
    "#if FAST_LANES == 1\n#define FAST(name) @_##name\n"
    "#elif FAST_LANES == 4\n#define FAST(name) @_##name##_x4\n"
    "#else\n#define FAST(name) @_##name##_x8\n#endif\n\n"
    "/* Bytes of the machine's vectors, 0 without any. */\n"
    "#ifndef SLIP_FAST_VECTOR\n"
    "#if !defined(__GNUC__) || defined(__TINYC__)\n#define SLIP_FAST_VECTOR 0\n"
    "#elif defined(__AVX512F__)\n#define SLIP_FAST_VECTOR 64\n"
    "#elif defined(__AVX__)\n#define SLIP_FAST_VECTOR 32\n"
    "#elif defined(__SSE2__) || defined(__aarch64__) || defined(__wasm_simd128__)\n#define SLIP_FAST_VECTOR 16\n"
    "#else\n#define SLIP_FAST_VECTOR 0\n#endif\n#endif\n\n"
    "/* States of a straight line: those of a call, or as many of them as a vector holds, several times. */\n"
    "#if SLIP_FAST_VECTOR/% >= FAST_LANES || FAST_LANES == 1\n"
    "#define FAST_WIDTH FAST_LANES\n#define FAST_LINE(name) FAST(name)\n#define FAST_SCOPE\n"
    "#elif SLIP_FAST_VECTOR/% > 1\n"
    "#define FAST_WIDTH (SLIP_FAST_VECTOR/%)\n#define FAST_LINE(name) fast_##name\n#define FAST_SCOPE static\n"
    "#else\n"
    "#define FAST_WIDTH 1\n#define FAST_LINE(name) @_##name\n#endif\n\n"
    "#if FAST_WIDTH > 1 || FAST_LANES == 1\n\n"
    "/* A number of each state in a register, and in memory. */\n"
    "#if FAST_WIDTH == 1\n"
    "typedef slip_real fast_real, fast_row;\n"
    "#define FAST_ANGLES(n) SLIP_PADDED(n)\n"
    "#define FAST_SINCOS(n) \\\n"
    "    do { \\\n"
    "        for (int i = n; i < FAST_ANGLES(n); ++i) angle[i] = 0; \\\n"
    "        slip_sincos(FAST_ANGLES(n), angle, c, s); \\\n"
    "    } while (0)\n"
    "#else\n"
    "typedef slip_real fast_real __attribute__((vector_size(FAST_WIDTH*sizeof(slip_real))));\n"
    "typedef fast_real fast_row __attribute__((aligned(sizeof(slip_real)), may_alias));\n"
    "#define FAST_ANGLES(n) (n)\n"
    "#define FAST_SINCOS(n) \\\n"
    "    slip_sincos((n)*FAST_WIDTH, (const slip_real *)angle, (slip_real *)c, (slip_real *)s)\n"
    "#endif\n\n";

static const char fast_pieces[] =
    "#endif\n\n#if FAST_WIDTH < FAST_LANES\n\n"
    "/* Entries of FAST_WIDTH states out of those of all, and back. */\n"
    "static void fast_take(int n, const slip_real *rows, slip_real *x)\n{\n"
    "    for (int i = 0; i < n; ++i)\n"
    "        for (int k = 0; k < FAST_WIDTH; ++k) x[i*FAST_WIDTH + k] = rows[i*FAST_LANES + k];\n}\n\n"
    "static void fast_put(int n, const slip_real *x, slip_real *rows)\n{\n"
    "    for (int i = 0; i < n; ++i)\n"
    "        for (int k = 0; k < FAST_WIDTH; ++k) rows[i*FAST_LANES + k] = x[i*FAST_WIDTH + k];\n}\n\n";

/* A text in which @ stands for the prefix of the functions, robot_fast, and % for the bytes of a number. */
static void fast_put_text(FILE *out, const fast_export *e, const char *text)
{
    for (; *text; ++text)
        if (*text == '@') fprintf(out, "%s_fast", e->r->name);
        else if (*text == '%') fprintf(out, "%d", (int)sizeof(slip_real));
        else fputc(*text, out);
}

/* "(const slip_real *restrict q, slip_real *restrict tau)" in lines of two, with `tail` behind the names. */
static void fast_put_arguments(FILE *out, const fast_function *f, const char *restricted, const char *tail)
{
    int i;

    for (i = 0; i < FAST_INPUTS && f->in[i]; ++i)
        fprintf(out, "%sconst slip_real *%s %s%s", i == 0 ? "(" : i == 2 ? ",\n    " : ", ", restricted, f->in[i],
                tail);
    fprintf(out, "%sslip_real *%s %s%s)", i == 2 ? ",\n    " : ", ", restricted, f->out, tail);
}

/* " L[7]*M_inv[n*i + column] + ..." over the entries i < k of row k of L; column is k or the j of a loop. */
static void fast_put_sum(FILE *out, const fast_function *f, int n, int k, int diagonal)
{
    int i, terms = 0;

    for (i = 0; i < k; ++i) {
        if (f->place[k*n + i] < 0) continue;
        fprintf(out, "%s%sL[%d]*%s[", terms ? " + " : "", terms && terms % 4 == 0 ? "\n            " : "",
                f->place[k*n + i], f->out);
        if (diagonal) fprintf(out, "%d]", k*n + i);
        else fprintf(out, "%d + j]", i*n);
        ++terms;
    }
}

/* M^-1 from L and 1/D, row by row as slip_ltl_inverse(): each row is a loop, from its first entry that is not zero. */
static void fast_put_rows(FILE *out, const fast_function *f, int n)
{
    int *first = (int *)cli_alloc((size_t)n*sizeof *first), i, k;

    fprintf(out, "\n    /* M^-1(k, j) = [k = j]/D_k - sum over i < k of L(k, i) M^-1(i, j) */\n"
            "    for (int i = 0; i < %d; ++i) %s[i] = zero;\n", n*n, f->out);
    for (k = 0; k < n; ++k) {
        for (first[k] = k, i = 0; i < k; ++i)
            if (f->place[k*n + i] >= 0 && first[i] < first[k]) first[k] = first[i];
        if (first[k] == k) {
            fprintf(out, "    %s[%d] = L[%d];\n", f->out, k*n + k, f->place[k*n + k]);
            continue;
        }
        fprintf(out, "    for (int j = %d; j < %d; ++j)\n        %s[%d + j] = -(", first[k], k, f->out, k*n);
        fast_put_sum(out, f, n, k, 0);
        fprintf(out, ");\n    %s[%d] = L[%d] - (", f->out, k*n + k, f->place[k*n + k]);
        fast_put_sum(out, f, n, k, 1);
        fprintf(out, ");\n    for (int j = %d; j < %d; ++j) %s[%d*j + %d] = %s[%d + j];\n", first[k], k, f->out, n, k,
                f->out, k*n);
    }
    free(first);
}

static void fast_put_function(FILE *out, const fast_export *e, const fast_function *f)
{
    term_graph g;
    unsigned used;
    int i;

    fast_function_graph(&e->robot, f, &g);
    used = term_arrays_used(&g);
    fprintf(out, "FAST_SCOPE void FAST_LINE(%s)", f->name);
    fast_put_arguments(out, f, "restrict", "_rows");
    fputs("\n{\n", out);
    if (f->place) fprintf(out, "    fast_row L[%d];\n", g.noutputs);
    for (i = 0; i < FAST_INPUTS && f->in[i]; ++i)
        if (used >> i & 1)
            fprintf(out, "    const fast_row *const %s = (const fast_row *)%s_rows;\n", f->in[i], f->in[i]);
    fprintf(out, "    fast_row *const %s = (fast_row *)%s_rows;\n    const fast_real zero = { 0 };\n", f->out, f->out);
    for (i = 0; i < FAST_INPUTS && f->in[i]; ++i)
        if (!(used >> i & 1)) fprintf(out, "\n    (void)%s_rows;", f->in[i]);
    fputs("\n    (void)zero;\n", out);
    term_print(out, &g, fast_put_constant);
    if (f->place) fast_put_rows(out, f, e->r->model->nv);
    fputs("}\n\n", out);
    term_free(&g);
}

/* The function of all states, which takes pieces of them through the straight line. */
static void fast_put_loop(FILE *out, const fast_export *e, const fast_function *f)
{
    const slip_model *m = e->r->model;
    int i;

    fprintf(out, "void FAST(%s)", f->name);
    fast_put_arguments(out, f, "restrict", "");
    fputs("\n{\n    slip_real ", out);
    for (i = 0; i < FAST_INPUTS && f->in[i]; ++i)
        fprintf(out, "%s_1[%d*FAST_WIDTH], ", f->in[i], fast_input_size(m, f->in[i]));
    fprintf(out, "%s_1[%d*FAST_WIDTH];\n\n    for (int k = 0; k < FAST_LANES; k += FAST_WIDTH) {\n", f->out,
            f->out_size);
    for (i = 0; i < FAST_INPUTS && f->in[i]; ++i)
        fprintf(out, "        fast_take(%d, %s + k, %s_1);\n", fast_input_size(m, f->in[i]), f->in[i], f->in[i]);
    fprintf(out, "        FAST_LINE(%s)(", f->name);
    for (i = 0; i < FAST_INPUTS && f->in[i]; ++i) fprintf(out, "%s_1, ", f->in[i]);
    fprintf(out, "%s_1);\n        fast_put(%d, %s_1, %s + k);\n    }\n}\n\n", f->out, f->out_size, f->out, f->out);
}

/* Jacobians by the numbers of their links. */
static void fast_put_table(FILE *out, const fast_export *e)
{
    int i;

    fputs("void (*const FAST(jacobians)[])(const slip_real *restrict q, slip_real *restrict J) = {", out);
    for (i = 0; i < e->n; ++i)
        if (strncmp(e->list[i].name, "jacobian_", 9) == 0)
            fprintf(out, "\n    FAST(%s)%s", e->list[i].name, i + 1 < e->n ? "," : "");
    fputs("\n};\n", out);
}

static void fast_put_source(FILE *out, const fast_export *e)
{
    int i;

    fprintf(out, "/* %s_fast: straight-line dynamics of %s,\n * made by `slipstick export --fast`, version %s, in %s.\n"
            " * The robot's numbers are folded into the statements. Each body has its own axes, with its joint's axis\n"
            " * as z, and inertias are regrouped over joints, which leaves motions and joint forces as they are. */\n"
            "#include \"%.*s_fast.h\"\n\n#include \"slipstick_parts.h\"\n\n", e->r->name, e->r->source, SLIP_VERSION,
            SLIP_REAL_NAME, (int)strlen(e->r->header) - 2, e->r->header);
    fast_put_text(out, e, fast_types);
    for (i = 0; i < e->n; ++i) fast_put_function(out, e, &e->list[i]);
    fast_put_text(out, e, fast_pieces);
    for (i = 0; i < e->n; ++i) fast_put_loop(out, e, &e->list[i]);
    fputs("#endif\n\n", out);
    fast_put_table(out, e);
}

static void fast_put_batch(FILE *out, const fast_export *e, int lanes)
{
    fprintf(out, "/* %s_fast.c for %d states at a time: entry i of state k is at [%d*i + k] of each array. */\n"
            "#define FAST_LANES %d\n#include \"%.*s_fast.c\"\n", e->r->name, lanes, lanes, lanes,
            (int)strlen(e->r->header) - 2, e->r->header);
}

static void fast_put_x4(FILE *out, const fast_export *e) { fast_put_batch(out, e, 4); }
static void fast_put_x8(FILE *out, const fast_export *e) { fast_put_batch(out, e, 8); }

/* ---- the header -------------------------------------------------------------------------------------------- */

static void fast_put_prototypes(FILE *out, const fast_export *e, const char *suffix, int comments)
{
    int i;

    for (i = 0; i < e->n; ++i) {
        const fast_function *f = &e->list[i];

        if (comments && f->about) fprintf(out, "\n/* %s */\n", f->about);
        fprintf(out, "void %s_fast_%s%s", e->r->name, f->name, suffix);
        fast_put_arguments(out, f, "SLIP_RESTRICT", "");
        fputs(";\n", out);
    }
    if (comments) fputs("\n/* Those of all links by their numbers. */", out);
    fprintf(out, "\nextern void (*const %s_fast_jacobians%s[])(const slip_real *SLIP_RESTRICT q,\n"
            "    slip_real *SLIP_RESTRICT J);\n", e->r->name, suffix);
}

static void fast_put_header(FILE *out, const fast_export *e)
{
    fprintf(out, "/* %s_fast: straight-line dynamics of %s,\n * made by `slipstick export --fast`, version %s, in %s.\n"
            " * The results of the library to rounding, without its checks: q finite, quaternions not zero, joints\n"
            " * that move something. Units, axes and order of coordinates are the library's. Functions of _x4 and _x8\n"
            " * compute 4 or 8 states: entry i of state k is at [4*i + k] or [8*i + k]. Arrays do not overlap. */\n"
            "#ifndef ",
            e->r->name, e->r->source, SLIP_VERSION, SLIP_REAL_NAME);
    fast_put_capitals(out, e->r->name);
    fputs("_FAST_H\n#define ", out);
    fast_put_capitals(out, e->r->name);
    fprintf(out, "_FAST_H\n\n#include \"%s\"\n", e->r->header);
    fast_put_prototypes(out, e, "", 1);
    fprintf(out, "\n/* Four states: %s_fast_x4.c. */\n", e->r->name);
    fast_put_prototypes(out, e, "_x4", 0);
    fprintf(out, "\n/* Eight states: %s_fast_x8.c. */\n", e->r->name);
    fast_put_prototypes(out, e, "_x8", 0);
    fputs("\n#endif\n", out);
}

/* ---- files ------------------------------------------------------------------------------------------------- */

static int fast_write(const char *prefix, const char *ending, const fast_export *e,
                      void (*put)(FILE *, const fast_export *))
{
    char path[1200];
    FILE *f;

    slip_format(path, (int)sizeof path, "%s%s", prefix, ending);
    f = output_open("export", path);
    if (!f) return 0;
    put(f, e);
    return output_close("export", path, f);
}

/* Operations of each function that is not a Jacobian of one link. */
static void fast_report(const fast_export *e)
{
    int i;

    for (i = 0; i < e->n && strncmp(e->list[i].name, "jacobian_", 9) != 0; ++i) {
        term_graph g;
        term_cost c;

        fast_function_graph(&e->robot, &e->list[i], &g);
        c = term_count(&g);
        printf("%s_fast_%s: %d sums, %d products, %d divisions, %d sines and cosines\n", e->r->name, e->list[i].name,
               c.sums, c.products, c.divisions, c.angles);
        term_free(&g);
    }
}

int export_fast(const char *prefix, const export_robot *r, int quiet)
{
    fast_export e;
    int ok;

    if (r->model->nv == 0) return cli_fail("export", "%s: --fast: nothing moves", r->source), 0;
    e.r = r;
    fast_robot_make(r->model, &e.robot);
    e.list = fast_functions(&e.robot, &e.n);
    ok = fast_write(prefix, "_fast.c", &e, fast_put_source) && fast_write(prefix, "_fast.h", &e, fast_put_header)
        && fast_write(prefix, "_fast_x4.c", &e, fast_put_x4) && fast_write(prefix, "_fast_x8.c", &e, fast_put_x8);
    if (ok && !quiet) fast_report(&e);
    fast_functions_free(e.list, e.n);
    fast_robot_free(&e.robot);
    return ok;
}
