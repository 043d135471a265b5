/* Shared by the sub-commands of `slipstick`: options, messages, memory, files. */
#ifndef SLIP_TOOLS_CLI_H
#define SLIP_TOOLS_CLI_H

#include <stdio.h>
#include "slipstick_parts.h"

/* Exit codes. */
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* A walk over the arguments. Options may stand anywhere; `--` ends them; `-` alone is an operand. */
typedef struct {
    int argc, at;
    char **argv;
    const char *command;     /* for messages: "slipstick eval"          */
    const char *option;      /* the option met, with its dashes          */
    const char *value;       /* the text after `=`, NULL when there is none */
    int only_operands;
} cli_args;

void cli_begin(cli_args *args, int argc, char **argv);

/* Next argument: 1 an option (see args->option), 2 an operand (see args->value), 0 the end. */
int cli_next(cli_args *args);

/* Whether the option met is this one. */
int cli_is(const cli_args *args, const char *name);

/* The option's value, from `--name=value` or the next argument; NULL, with a message, when missing. */
const char *cli_value(cli_args *args);

/* The same as a number in [lo, hi]; 0, with a message, when it is not one. */
int cli_value_real(cli_args *args, double lo, double hi, double *x);
int cli_value_int(cli_args *args, int lo, int hi, int *x);

/* Directories given by --package-path, which may be repeated. */
enum { CLI_MOST_PATHS = 100 };
typedef struct { const char *dir[CLI_MOST_PATHS]; int n; } cli_paths;

/* Adds the option's value to them; 0, with a message, when it is missing or there are too many. */
int cli_value_path(cli_args *args, cli_paths *paths);

/* The value of --repair: 'armature=X' gives X > 0 [kg m^2, kg], 'none' -1; 0, with a message, for others. */
int cli_value_repair(cli_args *args, double *armature);

/* The value of --base: 1 for 'free', 2 for 'fixed'; 0, with a message, for others. */
int cli_value_base(cli_args *args, int *base);

/* "slipstick eval: unknown option '--foo'", with a hint to --help; returns CLI_USAGE. */
int cli_unknown(const cli_args *args);

/* A message on stderr behind the command's name, printf style; returns CLI_USAGE or CLI_FAILED. */
int cli_usage(const cli_args *args, const char *format, ...);
int cli_fail(const char *command, const char *format, ...);

/* Prints "slipstick: file:line:column: what" on stderr. */
void cli_error(const slip_error *err);

/* A report whose warnings go to stderr. */
slip_report cli_report(int strict);

/* Seconds of a monotonic clock, for progress and time limits. */
double cli_seconds(void);

/* Processor seconds of this process, which do not depend on the load of the machine. */
double cli_cpu_seconds(void);

/* More memory than this is not tried for one model: 16 GB, 1 GB where addresses have 32 bits. */
#define CLI_MOST_BYTES ((size_t)1 << (sizeof(size_t) > 4 ? 34 : 30))

/* malloc or a message and exit; for tools only. */
void *cli_alloc(size_t bytes);

/* The whole of a file (`-`: standard input) in memory from cli_alloc, terminated; NULL with a message
 * when it cannot be read. */
char *cli_read_file(const char *command, const char *path, size_t *length);

/* The next line of a text that is neither empty nor a comment (#), and its length without its end; *at moves behind it and
 * *line counts. NULL at the end of the text. */
const char *cli_next_line(const char **at, int *line, int *length);

/* Makes a directory unless it exists; 0, after a message, when that fails. */
int cli_make_directory(const char *command, const char *path);

/* Prints a string as a JSON literal. */
void cli_json_text(FILE *out, const char *text);

/* The sub-commands: argv[0] is the command's name. */
int slip_cmd_info(int argc, char **argv);
int slip_cmd_eval(int argc, char **argv);
int slip_cmd_collide(int argc, char **argv);
int slip_cmd_mesh(int argc, char **argv);
int slip_cmd_bench(int argc, char **argv);
int slip_cmd_solve(int argc, char **argv);
int slip_cmd_solvers(int argc, char **argv);
int slip_cmd_compare(int argc, char **argv);
int slip_cmd_replay(int argc, char **argv);
int slip_cmd_sim(int argc, char **argv);
int slip_cmd_rollout(int argc, char **argv);
int slip_cmd_merge(int argc, char **argv);
int slip_cmd_inverse(int argc, char **argv);
int slip_cmd_linearize(int argc, char **argv);
int slip_cmd_fit(int argc, char **argv);
int slip_cmd_plan(int argc, char **argv);
int slip_cmd_papers(int argc, char **argv);
int slip_cmd_real(int argc, char **argv);
int slip_cmd_export(int argc, char **argv);

#endif
