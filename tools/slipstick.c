/* The command: finds the sub-command and calls it. */
#include "cli.h"
#include "output.h"

#include <string.h>

typedef struct {
    const char *name, *about;
    int (*run)(int argc, char **argv);
} tool_command;

static const tool_command tool_commands[] = {
    { "info",  "tree, masses, dofs, limits and warnings of a model", slip_cmd_info  },
    { "eval",  "dynamics of a model at given states",                slip_cmd_eval  },
    { "collide", "distance, normal and witness points of shape pairs", slip_cmd_collide },
    { "sim",   "simulates a scene and prints a summary",        slip_cmd_sim   },
    { "rollout", "many runs of a scene with seeded variations",     slip_cmd_rollout },
    { "merge", "joins the parts of a rollout made on many machines", slip_cmd_merge },
    { "inverse", "torques and contact forces that explain a motion",  slip_cmd_inverse },
    { "linearize", "the derivative of one step of a scene",      slip_cmd_linearize },
    { "plan",  "a motion that does a task, by inverse dynamics",     slip_cmd_plan },
    { "fit",   "parameters of a scene from recorded motions",        slip_cmd_fit },
    { "compare", "a scene under several solvers, side by side",      slip_cmd_compare },
    { "replay", "repeats a recorded run and reports differences",  slip_cmd_replay },
    { "mesh", "hull, mass properties and problems of a mesh file",   slip_cmd_mesh },
    { "solve", "contact problems by any solver, judged independently", slip_cmd_solve },
    { "solvers", "all contact solvers as a table",                   slip_cmd_solvers },
    { "export", "a robot or a scene as C source for firmware",      slip_cmd_export },
    { "bench", "timings of every layer",                             slip_cmd_bench },
    { "papers", "the papers' experiments again, with verdicts",      slip_cmd_papers },
    { "real", "contact models scored on recorded tosses of a cube",  slip_cmd_real },
};
enum { TOOL_COMMANDS = (int)(sizeof tool_commands/sizeof *tool_commands) };

static void tool_help(FILE *out)
{
    int i;

    fputs("usage: slipstick COMMAND [ARGUMENTS]\n\n"
          "Rigid-body dynamics, collision and frictional contact for robots.\n\n", out);
    for (i = 0; i < TOOL_COMMANDS; ++i) fprintf(out, "  %-10s %s\n", tool_commands[i].name, tool_commands[i].about);
    fputs("\n  --version  print the version and the precision\n"
          "  --help     this text; 'slipstick COMMAND --help' lists its options\n\n"
          "example: slipstick info models/double_pendulum.urdf\n", out);
}

/* Flushes standard output: a write error, such as a full disk, is a failure too. */
static int tool_finish(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    fputs("slipstick: cannot write the output\n", stderr);
    return code == CLI_OK ? CLI_FAILED : code;
}

int main(int argc, char **argv)
{
    int i;

    if (argc < 2) { tool_help(stderr); return CLI_USAGE; }
    output_arguments(argc, argv);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        tool_help(stdout);
        return tool_finish(CLI_OK);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("slipstick %s (%s)\n", SLIP_VERSION, SLIP_REAL_NAME);
        return tool_finish(CLI_OK);
    }
    for (i = 0; i < TOOL_COMMANDS; ++i)
        if (strcmp(argv[1], tool_commands[i].name) == 0) return tool_finish(tool_commands[i].run(argc - 1, argv + 1));
    fprintf(stderr, "slipstick: unknown command '%s'\n", argv[1]);
    tool_help(stderr);
    return CLI_USAGE;
}
