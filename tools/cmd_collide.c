/* slipstick collide: signed distance, normal and witness points of shape pairs. */
#include "pair_file.h"

#include <stdlib.h>

static const char collide_help[] =
    "usage: slipstick collide PAIRS [OPTIONS]\n\n"
    "Reads shape pairs (`-`: standard input) and prints one line per pair:\n"
    "  ID dist nx ny nz ax ay az bx by bz\n"
    "dist < 0: penetration; n: unit normal from a to b; the points lie on the surfaces, b = a + dist n.\n\n"
    "  --check      compare with the distances in the file; print the pairs that differ, exit 1 if any\n"
    "  --tol X      for --check: largest error of a distance, times 1 + size (default 1e-9, float 1e-4)\n"
    "  --swap       query each pair the other way round, print it as asked\n"
    "  --help       this text\n\n"
    "The file: lines `mesh ID nv` and nv points; `pair ID`; `a KIND ... pose px py pz qw qx qy qz`, the same for b.\n"
    "KIND: sphere r, box hx hy hz, capsule r h, cylinder r h, ellipsoid a b c, mesh ID, halfspace.\n\n"
    "example: printf 'pair 1\\na sphere 1 pose 0 0 0 1 0 0 0\\nb box 1 1 1 pose 3 0 0 1 0 0 0\\n' | "
    "slipstick collide -\n";

static void collide_numbers(const slip_real *x, int n)
{
    char text[SLIP_NUMBER_SIZE];
    int i;

    for (i = 0; i < n; ++i) {
        slip_print_double((double)x[i], 17, text);
        printf(" %s", text);
    }
}

static slip_status collide_query(const slip_shape_pair *p, int swap, slip_distance_result *r)
{
    slip_real t[3];
    slip_status s;

    if (!swap) return slip_distance(&p->a, &p->pose_a, &p->b, &p->pose_b, NULL, r);
    s = slip_distance(&p->b, &p->pose_b, &p->a, &p->pose_a, NULL, r);
    if (s < 0) return s;
    slip_neg3(r->normal, r->normal);
    slip_copy3(r->a, t);
    slip_copy3(r->b, r->a);
    slip_copy3(t, r->b);
    return s;
}

static int collide_differs(const slip_shape_pair *p, const slip_distance_result *r, double tol)
{
    const slip_real size = slip_max(slip_shape_reach(&p->a), slip_shape_reach(&p->b));
    const double error = (double)slip_abs(r->distance - p->truth.distance);

    if (!p->has_truth || error <= tol*(1 + (double)size)) return 0;
    printf("%d: distance %.17g, expected %.17g (%s)\n", p->id, (double)r->distance, (double)p->truth.distance, p->tag);
    return 1;
}

int slip_cmd_collide(int argc, char **argv)
{
    const char *path = NULL;
    double tol = (double)SLIP_TOL(1e-9, 1e-4);
    int check = 0, swap = 0, what, i, bad = 0, failed = 0;
    slip_pairs pairs;
    cli_args args;
    void *memory;

    cli_begin(&args, argc, argv);
    while ((what = cli_next(&args)) != 0) {
        if (what == 2 && path) return cli_usage(&args, "one file at a time");
        else if (what == 2) path = args.value;
        else if (cli_is(&args, "--help")) return fputs(collide_help, stdout), CLI_OK;
        else if (cli_is(&args, "--check")) check = 1;
        else if (cli_is(&args, "--swap")) swap = 1;
        else if (cli_is(&args, "--tol")) { if (!cli_value_real(&args, 0, 1, &tol)) return CLI_USAGE; }
        else return cli_unknown(&args);
    }
    if (!path) return cli_usage(&args, "a file of pairs is expected");
    memory = pair_file_load("collide", path, &pairs);
    if (!memory) return CLI_FAILED;
    for (i = 0; i < pairs.n; ++i) {
        const slip_shape_pair *p = &pairs.pair[i];
        slip_distance_result r;
        const slip_status s = collide_query(p, swap, &r);

        if (s != SLIP_OK) {
            fprintf(stderr, "slipstick collide: %s:%d: pair %d: %s\n", path, p->line, p->id, slip_status_text(s));
            failed = 1;
        }
        if (s < 0) continue;
        if (check) { bad += collide_differs(p, &r, tol);  continue; }
        printf("%d", p->id);
        collide_numbers(&r.distance, 1);
        collide_numbers(r.normal, 3);
        collide_numbers(r.a, 3);
        collide_numbers(r.b, 3);
        putchar('\n');
    }
    if (check) printf("%d pairs, %d differ\n", pairs.n, bad);
    free(memory);
    return failed || bad ? CLI_FAILED : CLI_OK;
}
