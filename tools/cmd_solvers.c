/* slipstick solvers: the registry as a table, and the two models of inverse dynamics. */
#include "cli.h"

#include <string.h>
#include "solver_ticks.h"

static const char solvers_help[] =
    "usage: slipstick solvers [--json | --measure]\n\n"
    "Lists all contact solvers in two groups: those that run a paper's printed algorithm, and ours; then the two\n"
    "models of 'slipstick inverse'. docs/solvers/README.md helps to choose.\n\n"
    "  keeps    the properties of LL Tab. II, as measured ('slipstick papers LL-tab2' explains how):\n"
    "           S  Signorini: no force without contact, no penetration    C  Coulomb's cone, not a pyramid\n"
    "           M  maximum dissipation: friction opposes sliding          N  no shift: what sticks does not creep\n"
    "           I  no internal forces that cancel each other              R  robust: 10^3 kg on 10^-3 kg\n"
    "           G  solves each of 1000 random problems                    .  not kept    -  not measured\n"
    "  takes    L  joint limits    B  bilateral rows (loops)    R  compliance\n"
    "  reads    groups of options: 'alpha' all of --alpha..., 'rho' --eta and all of --rho... but --rho-every,\n"
    "           'barrier' --barrier T,S and 'target' its F; all solvers read --tol and --max-iter\n\n"
    "  --json     the same for programs\n"
    "  --measure  measures 'keeps' again and prints it as tools/solver_ticks_table.h has it, values beside it on\n"
    "             stderr; exit code 1 when it has changed (double only)\n\n"
    "Papers: LL Le Lidec et al., CR Carpentier et al., TO Todorov, HW Hwangbo et al. (docs/bibliography.md)\n\n"
    "example: slipstick solvers\n";

/* A row: a solver of the registry, or an inverse model, which is none. */
typedef struct {
    const char *id, *model, *about, *paper, *engines;
    const char *keeps;               /* TICKS letters; see solver_ticks.h */
    unsigned takes, reads;
    const char *group;               /* "printed", "ours", "inverse" */
} solvers_row;

static const solvers_row solvers_inverse[] = {
    { "id-prox", "NCP, CCP", "inverse: proximal fixed point, rigid and soft contacts", "CR Alg. 2", "Simple",
      "SCM----", SLIP_TAKES_ALL, 0, "inverse" },
    { "id-barrier", "barrier", "inverse: the barrier model, smooth and invertible", "TO eq. 18-23", "MuJoCo (2011)",
      ".C.----", SLIP_TAKES_ALL, SLIP_READS_BARRIER, "inverse" } };

static solvers_row solvers_row_of(const slip_solver *s)
{
    solvers_row r;

    r.id = s->id;
    r.model = slip_contact_model_name(s->model);
    r.about = s->about;
    r.paper = s->paper;
    r.engines = s->engines;
    r.keeps = solver_ticks_known(s->id);
    if (!r.keeps) r.keeps = "-------";
    r.takes = s->takes;
    r.reads = s->reads;
    r.group = *s->paper ? "printed" : "ours";
    return r;
}

/* Row i of all, 0 when there are no more. */
static int solvers_row_at(int i, solvers_row *r)
{
    const int n = slip_solver_count();

    if (i < n) *r = solvers_row_of(slip_solver_get(i));
    else if (i < n + 2) *r = solvers_inverse[i - n];
    else return 0;
    return 1;
}

static const struct { unsigned bit; const char *name; } solvers_reads[] = {
    { SLIP_READS_RELAXATION, "relaxation" }, { SLIP_READS_STEP, "step" }, { SLIP_READS_ALPHA, "alpha" },
    { SLIP_READS_RHO, "rho" }, { SLIP_READS_FACETS, "facets" }, { SLIP_READS_REGULARIZATION, "regularization" },
    { SLIP_READS_BARRIER, "barrier" }, { SLIP_READS_BARRIER_FINAL, "target" },
    { SLIP_READS_STOP | SLIP_READS_COUNT, "stop" }, { SLIP_READS_PATIENCE, "patience" },
    { SLIP_READS_RHO_EVERY, "rho_every" }, { SLIP_READS_OVER_RELAXATION, "over_relaxation" },
    { SLIP_READS_SWEEPS, "sweeps" } };
enum { SOLVERS_READS = (int)(sizeof solvers_reads/sizeof *solvers_reads) };

/* Letter k of `letters` where bit k is set, else a dot. */
static void solvers_bits(unsigned bits, const char *letters, char *text)
{
    int k;

    for (k = 0; letters[k]; ++k) text[k] = (char)(bits & (1u << k) ? letters[k] : '.');
    text[k] = '\0';
}

static void solvers_print(const solvers_row *r)
{
    char takes[8], reads[64] = "";
    int k, n = 0;

    solvers_bits(r->takes, "LBR", takes);                   /* in the order of SLIP_TAKES_... */
    for (k = 0; k < SOLVERS_READS; ++k)
        if (r->reads & solvers_reads[k].bit)
            n += slip_format(reads + n, (int)sizeof reads - n, "%s%s", n ? " " : "", solvers_reads[k].name);
    printf("%-17s %-8s %-7s  %-5s  %-30s %-23s %s\n", r->id, r->model, r->keeps, takes, reads, r->paper, r->engines);
    printf("    %s\n", r->about);
}

static void solvers_print_group(const char *group, const char *title)
{
    solvers_row r;
    int i;

    printf("\n%s\n", title);
    for (i = 0; solvers_row_at(i, &r); ++i) if (strcmp(r.group, group) == 0) solvers_print(&r);
}

static void solvers_json_text(const char *key, const char *text)
{
    printf("\"%s\": ", key);
    cli_json_text(stdout, text);
    fputs(", ", stdout);
}

/* The names of the options that a solver reads, as in scenes; those of stopping first. */
static void solvers_json_options(const solvers_row *r)
{
    int i, n = 0;

    fputs("\"options\": [", stdout);
    for (i = 0; i < slip_solver_option_count(); ++i) {
        const unsigned reads = slip_solver_option_reads(i);

        if (strcmp(r->group, "inverse") == 0 ? !(reads & r->reads) : reads && !(reads & r->reads)) continue;
        printf("%s\"%s\"", n++ ? ", " : "", slip_solver_option_name(i));
    }
    fputs("]", stdout);
}

static const char *solvers_truth(unsigned bits) { return bits ? "true" : "false"; }

static void solvers_print_json(void)
{
    solvers_row r;
    int i, k;

    fputs("[", stdout);
    for (i = 0; solvers_row_at(i, &r); ++i) {
        fputs(i ? ",\n  {" : "\n  {", stdout);
        solvers_json_text("id", r.id);
        solvers_json_text("group", r.group);
        solvers_json_text("model", r.model);
        solvers_json_text("about", r.about);
        solvers_json_text("paper", r.paper);
        solvers_json_text("engines", r.engines);
        printf("\"ours\": %s, ", solvers_truth(strcmp(r.group, "ours") == 0));
        for (k = 0; k < TICKS; ++k)
            printf("\"%s\": %s, ", solver_tick_names[k], r.keeps[k] == '-' ? "null" : solvers_truth(r.keeps[k] != '.'));
        printf("\"takes_limits\": %s, \"takes_bilateral\": %s, \"takes_compliance\": %s, ",
               solvers_truth(r.takes & SLIP_TAKES_LIMITS),
               solvers_truth(r.takes & SLIP_TAKES_BILATERAL), solvers_truth(r.takes & SLIP_TAKES_COMPLIANCE));
        solvers_json_options(&r);
        fputs("}", stdout);
    }
    fputs("\n]\n", stdout);
}

/* Measures the ticks again and prints them as the file that has them; CLI_FAILED when that file is another. */
static int solvers_measure(void)
{
    solver_ticks_bench *b = sizeof(slip_real) > 4 ? solver_ticks_new("solvers") : NULL;
    int i, k, changed = 0;

    if (!b) return cli_fail("solvers", "the properties are measured in double");
    puts("/* Properties of the solvers as measured by `slipstick solvers --measure`, which writes this file. */\n"
         "static const struct { const char *id, *ticks; } solver_ticks_table[] = {");
    for (i = 0; i < slip_solver_count(); ++i) {
        const slip_solver *s = slip_solver_get(i);
        const slip_solver_options o = slip_solver_defaults();
        const char *known = solver_ticks_known(s->id);
        char text[TICKS + 1];
        solver_ticks t;

        solver_ticks_measure(b, s, &o, &t);
        solver_ticks_text(t.ticks, text);
        printf("    { \"%s\", \"%s\" },\n", s->id, text);
        fprintf(stderr, "%-17s", s->id);
        for (k = 0; k < TICKS; ++k) fprintf(stderr, " %8.1e", t.value[k]);
        if (!known || strcmp(known, text) != 0) {
            fprintf(stderr, "  %s, in the table %s", text, known ? known : "not");
            changed = 1;
        }
        fputs("\n", stderr);
    }
    puts("};");
    solver_ticks_free(b);
    return changed ? CLI_FAILED : CLI_OK;
}

int slip_cmd_solvers(int argc, char **argv)
{
    cli_args args;
    int kind, json = 0, measure = 0;

    cli_begin(&args, argc, argv);
    while ((kind = cli_next(&args)) != 0) {
        if (kind == 1 && (cli_is(&args, "--help") || cli_is(&args, "-h"))) return fputs(solvers_help, stdout), CLI_OK;
        if (kind == 1 && cli_is(&args, "--json")) { json = 1; continue; }
        if (kind == 1 && cli_is(&args, "--measure")) { measure = 1; continue; }
        return kind == 1 ? cli_unknown(&args) : cli_usage(&args, "takes no operands");
    }
    if (measure) return solvers_measure();
    if (json) { solvers_print_json(); return CLI_OK; }
    printf("%-17s %-8s %-7s  %-5s  %-30s %-23s %s\n", "id", "model", "keeps", "takes", "reads", "paper", "engines");
    solvers_print_group("printed", "Printed: run the paper's algorithm");
    solvers_print_group("ours", "Ours");
    solvers_print_group("inverse", "Inverse dynamics ('slipstick inverse --solver')");
    return CLI_OK;
}
