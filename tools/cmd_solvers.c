/* slipstick solvers: the registry as a table, and the two models of inverse dynamics. */
#include "cli.h"

#include <string.h>

static const char solvers_help[] =
    "usage: slipstick solvers [--json]\n\n"
    "Lists all contact solvers in two groups: those that run a paper's printed algorithm, and ours; then the two\n"
    "models of 'slipstick inverse'. docs/solvers/README.md helps to choose.\n\n"
    "  laws     S  Signorini: no force without contact, no penetration    C  Coulomb's cone, not a pyramid\n"
    "           M  maximum dissipation: friction opposes sliding\n"
    "  takes    L  joint limits    B  bilateral rows (loops)    R  compliance\n"
    "  reads    groups of options: 'alpha' all of --alpha..., 'rho' all of --rho..., --over-relaxation and --eta,\n"
    "           'barrier' --barrier T,S and 'target' its F; all solvers read --tol and --max-iter\n\n"
    "Papers: LL Le Lidec et al., CR Carpentier et al., TO Todorov, HW Hwangbo et al. (docs/bibliography.md)\n\n"
    "example: slipstick solvers\n";

/* A row: a solver of the registry, or an inverse model, which is none. */
typedef struct {
    const char *id, *model, *about, *paper, *engines;
    unsigned laws, takes, reads;
    const char *group;               /* "printed", "ours", "inverse" */
} solvers_row;

static const solvers_row solvers_inverse[] = {
    { "id-prox", "NCP, CCP", "inverse: proximal fixed point, rigid and soft contacts", "CR Alg. 2", "Simple",
      SLIP_LAW_SIGNORINI | SLIP_LAW_COULOMB | SLIP_LAW_DISSIPATION, SLIP_TAKES_ALL, 0, "inverse" },
    { "id-barrier", "barrier", "inverse: the barrier model, smooth and invertible", "TO eq. 18-23", "MuJoCo (2011)",
      SLIP_LAW_COULOMB, SLIP_TAKES_ALL, SLIP_READS_BARRIER, "inverse" } };

static solvers_row solvers_row_of(const slip_solver *s)
{
    solvers_row r;

    r.id = s->id;
    r.model = slip_contact_model_name(s->model);
    r.about = s->about;
    r.paper = s->paper;
    r.engines = s->engines;
    r.laws = slip_contact_model_laws(s->model);
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
    { SLIP_READS_BARRIER, "barrier" }, { SLIP_READS_BARRIER_FINAL, "target" }, { SLIP_READS_STOP, "stop" },
    { SLIP_READS_RHO_EVERY, "rho_every" }, { SLIP_READS_OVER_RELAXATION, "over_relaxation" } };
enum { SOLVERS_READS = (int)(sizeof solvers_reads/sizeof *solvers_reads) };

/* Letter k of `letters` where bit k is set, else a dot. */
static void solvers_bits(unsigned bits, const char *letters, char *text)
{
    int k;

    for (k = 0; letters[k]; ++k) text[k] = bits & (1u << k) ? letters[k] : '.';
    text[k] = '\0';
}

static void solvers_print(const solvers_row *r)
{
    char laws[8], takes[8], reads[64] = "";
    int k, n = 0;

    solvers_bits(r->laws, "SCM", laws);                     /* in the order of SLIP_LAW_..., SLIP_TAKES_... */
    solvers_bits(r->takes, "LBR", takes);
    for (k = 0; k < SOLVERS_READS; ++k)
        if (r->reads & solvers_reads[k].bit)
            n += slip_format(reads + n, (int)sizeof reads - n, "%s%s", n ? " " : "", solvers_reads[k].name);
    printf("%-17s %-8s %-4s  %-5s  %-27s %-23s %s\n", r->id, r->model, laws, takes, reads, r->paper, r->engines);
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
    int i;

    fputs("[", stdout);
    for (i = 0; solvers_row_at(i, &r); ++i) {
        fputs(i ? ",\n  {" : "\n  {", stdout);
        solvers_json_text("id", r.id);
        solvers_json_text("group", r.group);
        solvers_json_text("model", r.model);
        solvers_json_text("about", r.about);
        solvers_json_text("paper", r.paper);
        solvers_json_text("engines", r.engines);
        printf("\"ours\": %s, \"signorini\": %s, \"coulomb\": %s, \"dissipation\": %s, \"takes_limits\": %s, "
               "\"takes_bilateral\": %s, \"takes_compliance\": %s, ", solvers_truth(strcmp(r.group, "ours") == 0),
               solvers_truth(r.laws & SLIP_LAW_SIGNORINI), solvers_truth(r.laws & SLIP_LAW_COULOMB),
               solvers_truth(r.laws & SLIP_LAW_DISSIPATION), solvers_truth(r.takes & SLIP_TAKES_LIMITS),
               solvers_truth(r.takes & SLIP_TAKES_BILATERAL), solvers_truth(r.takes & SLIP_TAKES_COMPLIANCE));
        solvers_json_options(&r);
        fputs("}", stdout);
    }
    fputs("\n]\n", stdout);
}

int slip_cmd_solvers(int argc, char **argv)
{
    cli_args args;
    int kind, json = 0;

    cli_begin(&args, argc, argv);
    while ((kind = cli_next(&args)) != 0) {
        if (kind == 1 && (cli_is(&args, "--help") || cli_is(&args, "-h"))) return fputs(solvers_help, stdout), CLI_OK;
        if (kind == 1 && cli_is(&args, "--json")) { json = 1; continue; }
        return kind == 1 ? cli_unknown(&args) : cli_usage(&args, "takes no operands");
    }
    if (json) { solvers_print_json(); return CLI_OK; }
    printf("%-17s %-8s %-4s  %-5s  %-27s %-23s %s\n", "id", "model", "laws", "takes", "reads", "paper", "engines");
    solvers_print_group("printed", "Printed: run the paper's algorithm");
    solvers_print_group("ours", "Ours");
    solvers_print_group("inverse", "Inverse dynamics ('slipstick inverse --solver')");
    return CLI_OK;
}
