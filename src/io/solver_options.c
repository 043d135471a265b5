/* See solver_options.h. */
#include "io/solver_options.h"

#include <stddef.h>
#include <string.h>

typedef enum { OPTION_REAL, OPTION_INT, OPTION_WORD } option_kind;

typedef struct {
    const char *name;
    option_kind kind;
    size_t offset;
    unsigned reads;
    double lo, hi;               /* numbers: allowed values                                       */
    const char *expected;        /* reals: for messages. Words: in the order of their values, separated by blanks */
    int own;                     /* 1: 0 stands for the solver's own value                        */
} option_field;

#define OPTION_AT(field) offsetof(slip_solver_options, field)
#define OPTION_POSITIVE 1e-300, 1e300, "a positive number"
#define OPTION_NOT_NEGATIVE 0, 1e300, "a number that is not negative"
#define OPTION_PART 1e-300, 1, "a positive number, at most 1"
#define OPTION_ABOVE_ONE 1.000999, 1e300, "a number from 1.001"
#define OPTION_BELOW_TWO 0.000999, 1.999001, "a number from 0.001 to 1.999"

/* The words below are in the order of their enumerations. */
typedef char option_words_in_order[SLIP_STEP_BLOCK == 0 && SLIP_STEP_MAX == 1 && SLIP_STEP_MIN == 2
                                   && SLIP_RHO_SPECTRAL == 0 && SLIP_RHO_LINEAR == 1 && SLIP_RHO_FIXED == 2
                                   && SLIP_STOP_TRUE == 0 && SLIP_STOP_PRINTED == 1 && SLIP_STOP_COUNT == 2
                                   && SLIP_TOL_AUTO == 0 ? 1 : -1];

static const option_field option_fields[] = {
    { "tol", OPTION_REAL, OPTION_AT(tol), 0, OPTION_POSITIVE, 0 },
    { "tol_rule", OPTION_WORD, OPTION_AT(tol_rule), 0, 0, 0, "auto absolute relative both", 0 },
    { "max_iterations", OPTION_INT, OPTION_AT(max_iterations), 0, 0, 1000000000, NULL, 1 },
    { "stop", OPTION_WORD, OPTION_AT(stop), SLIP_READS_STOP | SLIP_READS_COUNT, 0, 0, "true printed count", 0 },
    { "step", OPTION_WORD, OPTION_AT(step), SLIP_READS_STEP, 0, 0, "block max min", 0 },
    { "relaxation", OPTION_REAL, OPTION_AT(relaxation), SLIP_READS_RELAXATION, OPTION_BELOW_TWO, 0 },
    { "patience", OPTION_INT, OPTION_AT(patience), SLIP_READS_PATIENCE, 0, 1000000000, NULL, 1 },
    { "alpha", OPTION_REAL, OPTION_AT(alpha), SLIP_READS_ALPHA, OPTION_POSITIVE, 0 },
    { "alpha_decay", OPTION_REAL, OPTION_AT(alpha_decay), SLIP_READS_ALPHA, OPTION_PART, 0 },
    { "alpha_min", OPTION_REAL, OPTION_AT(alpha_min), SLIP_READS_ALPHA, OPTION_POSITIVE, 0 },
    { "rho_rule", OPTION_WORD, OPTION_AT(rho_rule), SLIP_READS_RHO, 0, 0, "spectral linear fixed", 0 },
    { "rho", OPTION_REAL, OPTION_AT(rho), SLIP_READS_RHO, OPTION_NOT_NEGATIVE, 1 },
    { "rho_tube", OPTION_REAL, OPTION_AT(rho_tube), SLIP_READS_RHO, OPTION_ABOVE_ONE, 1 },
    { "rho_power", OPTION_REAL, OPTION_AT(rho_power), SLIP_READS_RHO, OPTION_PART, 0 },
    { "rho_factor", OPTION_REAL, OPTION_AT(rho_factor), SLIP_READS_RHO, OPTION_ABOVE_ONE, 0 },
    { "rho_every", OPTION_INT, OPTION_AT(rho_every), SLIP_READS_RHO_EVERY, 0, 1000000, NULL, 1 },
    { "over_relaxation", OPTION_REAL, OPTION_AT(over_relaxation), SLIP_READS_OVER_RELAXATION, OPTION_BELOW_TWO, 1 },
    { "eta", OPTION_REAL, OPTION_AT(eta), SLIP_READS_RHO, OPTION_POSITIVE, 0 },
    { "facets", OPTION_INT, OPTION_AT(facets), SLIP_READS_FACETS, 4, 64, NULL, 0 },
    { "regularization", OPTION_REAL, OPTION_AT(regularization), SLIP_READS_REGULARIZATION, OPTION_NOT_NEGATIVE, 0 },
    { "barrier", OPTION_REAL, OPTION_AT(barrier), SLIP_READS_BARRIER, OPTION_POSITIVE, 0 },
    { "elastic", OPTION_REAL, OPTION_AT(elastic), SLIP_READS_BARRIER, OPTION_POSITIVE, 0 },
    { "r_min", OPTION_REAL, OPTION_AT(r_min), SLIP_READS_BARRIER, OPTION_NOT_NEGATIVE, 0 },
    { "r_max", OPTION_REAL, OPTION_AT(r_max), SLIP_READS_BARRIER, OPTION_NOT_NEGATIVE, 0 },
    { "d_max", OPTION_REAL, OPTION_AT(d_max), SLIP_READS_BARRIER, OPTION_NOT_NEGATIVE, 0 },
    { "sweeps", OPTION_INT, OPTION_AT(sweeps), SLIP_READS_SWEEPS, 0, 1000000, NULL, 1 },
    { "barrier_final", OPTION_REAL, OPTION_AT(barrier_final), SLIP_READS_BARRIER_FINAL, OPTION_NOT_NEGATIVE, 1 } };

enum { OPTION_COUNT = (int)(sizeof option_fields/sizeof *option_fields) };

int slip_solver_option_count(void) { return OPTION_COUNT; }

static const option_field *option_at(int i)
{
    return i >= 0 && i < OPTION_COUNT ? &option_fields[i] : NULL;
}

const char *slip_solver_option_name(int i) { return option_at(i) ? option_at(i)->name : NULL; }
unsigned slip_solver_option_reads(int i) { return option_at(i) ? option_at(i)->reads : 0; }
int slip_solver_option_is_own(const slip_solver_options *o, int i)
{
    const option_field *f = option_at(i);
    const char *at = (const char *)o + (f ? f->offset : 0);

    if (!f || !f->own) return 0;
    return f->kind == OPTION_INT ? *(const int *)(const void *)at == 0 : !(*(const slip_real *)(const void *)at > 0);
}

int slip_solver_option_is_word(int i) { return option_at(i) && option_at(i)->kind == OPTION_WORD; }

static slip_status option_set_real(const option_field *f, slip_real *x, const char *text, int length, slip_error *err)
{
    slip_real y;

    if (length == 0 || slip_read_real(text, length, &y) != length || !((double)y >= f->lo && (double)y <= f->hi))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "expected %s", f->expected);
    *x = y;
    return SLIP_OK;
}

static slip_status option_set_int(const option_field *f, int *x, const char *text, int length, slip_error *err)
{
    const int lo = (int)f->lo, hi = (int)f->hi;
    int y;

    if (length == 0 || slip_read_int(text, length, &y) != length || y < lo || y > hi)
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "expected a whole number from %d to %d", lo, hi);
    *x = y;
    return SLIP_OK;
}

/* All enumerations of slip_solver_options have the size of an int. */
static slip_status option_set_word(const option_field *f, int *x, const char *text, int length, slip_error *err)
{
    const int i = slip_text_word(f->expected, text, length);

    if (i < 0 && strcmp(f->name, "step") == 0 && slip_text_word("contact", text, length) == 0)
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "expected one of: %s; whole contacts are solved exactly by the "
                         "solvers lcp-gs, ccp-gs and ncp-gs", f->expected);
    if (i < 0) return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "expected one of: %s", f->expected);
    *x = i;
    return SLIP_OK;
}

slip_status slip_solver_option_set(slip_solver_options *o, const char *name, const char *text, int length,
                                   slip_error *err)
{
    int i;

    for (i = 0; i < OPTION_COUNT; ++i) {
        const option_field *f = &option_fields[i];
        void *at = (char *)o + f->offset;

        if (strcmp(f->name, name) != 0) continue;
        if (f->kind == OPTION_REAL) return option_set_real(f, (slip_real *)at, text, length, err);
        if (f->kind == OPTION_INT) return option_set_int(f, (int *)at, text, length, err);
        return option_set_word(f, (int *)at, text, length, err);
    }
    return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "solvers have no option '%s'", name);
}

void slip_solver_option_text(const slip_solver_options *o, int i, char text[SLIP_SOLVER_OPTION_TEXT])
{
    const option_field *f = option_at(i);
    const void *at = f ? (const char *)o + f->offset : NULL;

    text[0] = '\0';
    if (!f) return;
    if (f->kind == OPTION_REAL) slip_print_real(*(const slip_real *)at, 0, text);
    else if (f->kind == OPTION_INT) slip_print_int(*(const int *)at, text);
    else {
        const char *word = f->expected;
        int k = *(const int *)at;

        for (; k > 0 && word; --k) word = strchr(word, ' ') ? strchr(word, ' ') + 1 : NULL;
        if (word) slip_format(text, SLIP_SOLVER_OPTION_TEXT, "%.*s", (int)strcspn(word, " "), word);
    }
}

const char *slip_solver_engines(void)
{
    return "ode bullet physx dart mujoco drake raisim dojo simple chrono scs";
}
