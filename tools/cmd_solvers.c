/* slipstick solvers: the registry as a table. */
#include "cli.h"

#include <string.h>

static const char solvers_help[] =
    "usage: slipstick solvers [--json]\n\n"
    "Lists all contact solvers: id, contact model, the laws they keep, paper, engines that work alike.\n\n"
    "  S  Signorini: no force without contact, no penetration   C  Coulomb's cone, not a pyramid\n"
    "  M  maximum dissipation: friction opposes sliding         X  exact: nothing added to the problem\n"
    "  I  no internal forces left by the method                 R  robust to bad conditioning\n"
    "  P  proven to converge\n\n"
    "Papers: LL Le Lidec et al., CR Carpentier et al., TO Todorov, HW Hwangbo et al.\n\n"
    "example: slipstick solvers\n";

static const char solvers_letters[] = "SCMXIRP";

static void solvers_print(const slip_solver *s)
{
    char laws[sizeof solvers_letters];
    int k;

    for (k = 0; solvers_letters[k]; ++k) laws[k] = s->keeps & (1u << k) ? solvers_letters[k] : '.';
    laws[k] = '\0';
    printf("%-17s %-8s %s  %-48s %-24s %s\n", s->id, slip_model_name(s->model), laws, s->about, s->paper, s->engines);
}

static void solvers_print_json(void)
{
    int i;

    fputs("[", stdout);
    for (i = 0; i < slip_solver_count(); ++i) {
        const slip_solver *s = slip_solver_get(i);

        fputs(i ? ",\n  {\"id\": " : "\n  {\"id\": ", stdout);
        cli_json_text(stdout, s->id);
        fputs(", \"model\": ", stdout);
        cli_json_text(stdout, slip_model_name(s->model));
        fputs(", \"about\": ", stdout);
        cli_json_text(stdout, s->about);
        fputs(", \"paper\": ", stdout);
        cli_json_text(stdout, s->paper);
        fputs(", \"engines\": ", stdout);
        cli_json_text(stdout, s->engines);
        printf(", \"signorini\": %s, \"coulomb\": %s, \"mdp\": %s, \"no_shift\": %s, \"no_internal_forces\": %s, "
               "\"robust\": %s, \"convergence\": %s}",
               s->keeps & SLIP_KEEPS_SIGNORINI ? "true" : "false", s->keeps & SLIP_KEEPS_COULOMB ? "true" : "false",
               s->keeps & SLIP_KEEPS_MDP ? "true" : "false", s->keeps & SLIP_KEEPS_NO_SHIFT ? "true" : "false",
               s->keeps & SLIP_KEEPS_NO_INTERNAL ? "true" : "false", s->keeps & SLIP_KEEPS_ROBUST ? "true" : "false",
               s->keeps & SLIP_KEEPS_CONVERGENCE ? "true" : "false");
    }
    fputs("\n]\n", stdout);
}

int slip_cmd_solvers(int argc, char **argv)
{
    cli_args args;
    int kind, json = 0, i;

    cli_begin(&args, argc, argv);
    while ((kind = cli_next(&args)) != 0) {
        if (kind == 1 && cli_is(&args, "--help")) { fputs(solvers_help, stdout); return CLI_OK; }
        if (kind == 1 && cli_is(&args, "--json")) { json = 1; continue; }
        return kind == 1 ? cli_unknown(&args) : cli_usage(&args, "takes no operands");
    }
    if (json) { solvers_print_json(); return CLI_OK; }
    printf("%-17s %-8s %s  %-48s %-24s %s\n", "id", "model", "laws   ", "method", "paper", "engines");
    for (i = 0; i < slip_solver_count(); ++i) solvers_print(slip_solver_get(i));
    return CLI_OK;
}
