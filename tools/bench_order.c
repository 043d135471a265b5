/* slipstick bench order: how fast errors fall with the time step, for both integrators. Scenes: models/order.
 *
 * A scene runs with dt, dt/2, ... and its positions are compared, every tenth of a second, with a closed form or with a
 * run of the midpoint integrator at a sixteenth of the smallest step. The order is the slope of log error over
 * log dt. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "bench_world.h"
#include "output.h"

static const char order_help[] =
    "usage: slipstick bench order [NAME...] [--json] [--svg FILE]\n\n"
    "Largest error of the positions within 2 s against the time step, and the slope of that line: the order of the\n"
    "integrator. Run it where models/ is.\n\n"
    "  flight            a brick thrown and tumbling            a run with a finer step\n"
    "  top               a heavy top on a ball joint, 80 rad/s  the same\n"
    "  double-pendulum   two rods, let go                       the same\n"
    "  arm               two rods turning without gravity       the same\n"
    "  rolling           a ball slides, then rolls              closed form\n"
    "  sliding           a cube slides to rest                  closed form\n"
    "  bouncing          a ball bounces, restitution 0.8        closed form\n\n"
    "  --json       one object a scene and integrator\n"
    "  --svg FILE   a plot: lines of midpoint, points of euler\n\n"
    "example: slipstick bench order arm sliding\n";

#define ORDER_DT      0.01           /* [s] largest step; it divides the time between looks */
#define ORDER_LOOK    0.1            /* [s]                                                 */
#define ORDER_ROUNDING SLIP_TOL(1e-12, 1e-5)      /* errors below are of rounding: not part of the slope */
enum { ORDER_STEPS = 5, ORDER_LOOKS = 20, ORDER_MOST_Q = 7, ORDER_FINER = 16 };

typedef struct {
    const char *name, *file;
    int coordinate;                  /* of q that the closed form has                                      */
    double (*exact)(double t);       /* NULL: a finer run                                                  */
} order_case;

/* q at each look. */
typedef struct {
    double q[ORDER_LOOKS][ORDER_MOST_Q];
    int nq, has_failed;              /* a step failed: velocities beyond all bounds                        */
    long every;
} order_path;

/* Sliding until rolling, x [m]: mu 0.1, radius 0.1 m, 3 m/s. */
static double order_rolling(double t)
{
    const double a = 0.1*9.81, v = 3, end = 2*v/(7*a);

    return t < end ? v*t - a*t*t/2 : v*end - a*end*end/2 + 5*v/7*(t - end);
}

static double order_sliding(double t)
{
    const double a = 0.3*9.81, v = 3, end = v/a;

    return t < end ? v*t - a*t*t/2 : v*v/(2*a);
}

/* Height of the centre of a ball of 0.1 m that fell from 1.1 m. */
static double order_bouncing(double t)
{
    const double g = 9.81;
    double v = sqrt(2*g), hit = sqrt(2/g);

    if (t < hit) return 1.1 - g*t*t/2;
    for (v *= 0.8, t -= hit; t > 2*v/g; v *= 0.8) t -= 2*v/g;
    return 0.1 + v*t - g*t*t/2;
}

static const order_case order_cases[] = {
    { "flight", "flight", 0, NULL }, { "top", "top", 0, NULL },
    { "double-pendulum", "double_pendulum", 0, NULL }, { "arm", "arm", 0, NULL },
    { "rolling", "rolling", 0, order_rolling }, { "sliding", "sliding", 0, order_sliding },
    { "bouncing", "bouncing", 2, order_bouncing },
};
enum { ORDER_CASES = (int)(sizeof order_cases/sizeof *order_cases) };

typedef struct { double dt[ORDER_STEPS], error[ORDER_STEPS], slope; } order_result;

/* ---- runs -------------------------------------------------------------------------------------------------- */

static int order_look(void *context, slip_world *w, long k)
{
    order_path *p = (order_path *)context;
    const long look = k/p->every - 1;
    int i;

    if (k == 0 || k % p->every != 0 || look >= ORDER_LOOKS) return 1;
    for (i = 0; i < p->nq; ++i) p->q[look][i] = (double)slip_world_q(w)[i];
    return 1;
}

/* The path of a scene with a step; 0 after a message. */
static int order_run(const order_case *c, slip_integrator integrator, double dt, order_path *path)
{
    bench_run_result r;
    sim_changes changes;
    sim_session s;
    char file[64];

    memset(&changes, 0, sizeof changes);
    changes.dt = dt;
    slip_format(file, (int)sizeof file, "models/order/%s.xml", c->file);
    if (!sim_open("bench order", file, &changes, &s)) return cli_fail("bench order", "run it where models/ is"), 0;
    slip_world_options_of(s.world)->integrator = integrator;
    path->nq = slip_world_model(s.world)->nq;
    path->every = (long)floor(ORDER_LOOK/dt + 0.5);
    r = bench_world_run(&s, order_look, path);
    path->has_failed = r.status < 0;
    order_look(path, s.world, r.steps);
    sim_close(&s);
    return 1;
}

/* max |a - sign b| */
static double order_max(const double *a, const double *b, double sign, int n)
{
    double worst = 0;
    int i;

    for (i = 0; i < n; ++i) worst = fmax(worst, fabs(a[i] - sign*b[i]));
    return worst;
}

/* Largest difference of two paths over looks and coordinates; -q is the same turn as q. */
static double order_apart(const order_path *a, const order_path *b)
{
    const int turn = a->nq == 4 || a->nq == 7 ? 4 : 0, rest = a->nq - turn;
    double worst = 0;
    int k;

    for (k = 0; k < ORDER_LOOKS; ++k) {
        const double *x = a->q[k], *y = b->q[k];

        worst = fmax(worst, order_max(x, y, 1, rest));
        worst = fmax(worst, fmin(order_max(x + rest, y + rest, 1, turn), order_max(x + rest, y + rest, -1, turn)));
    }
    return worst;
}

static double order_off(const order_case *c, const order_path *p)
{
    double worst = 0;
    int k;

    for (k = 0; k < ORDER_LOOKS; ++k)
        worst = fmax(worst, fabs(p->q[k][c->coordinate] - c->exact(ORDER_LOOK*(k + 1))));
    return worst;
}

/* Slope of log error over log dt by least squares, without errors of rounding and runs that failed; NaN when fewer than
 * two are left. */
static double order_slope(const order_result *r)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    int i;

    for (i = 0; i < ORDER_STEPS; ++i) {
        const double x = log(r->dt[i]), y = log(r->error[i]);

        if (!(r->error[i] > (double)ORDER_ROUNDING)) continue;
        n += 1;
        sx += x;
        sy += y;
        sxx += x*x;
        sxy += x*y;
    }
    return n < 2 ? (double)NAN : (n*sxy - sx*sy)/(n*sxx - sx*sx);
}

static int order_measure(const order_case *c, slip_integrator integrator, const order_path *reference, order_result *r)
{
    double dt = ORDER_DT;
    order_path path;
    int i;

    for (i = 0; i < ORDER_STEPS; ++i, dt /= 2) {
        if (!order_run(c, integrator, dt, &path)) return 0;
        r->dt[i] = dt;
        r->error[i] = path.has_failed ? (double)NAN : c->exact ? order_off(c, &path) : order_apart(&path, reference);
    }
    r->slope = order_slope(r);
    return 1;
}

/* ---- printing ---------------------------------------------------------------------------------------------- */

static void order_print_error(double error, int json)
{
    if (error == error) printf(json ? "%.4g" : " %10.2e", error);
    else printf("%s", json ? "null" : "   diverges");
}

static void order_print(const order_case *c, const char *integrator, int json, const order_result *r)
{
    int i;

    if (json) printf("{\"name\": \"%s\", \"integrator\": \"%s\", \"dt\": [", c->name, integrator);
    else printf("%-16s %-9s", c->name, integrator);
    for (i = 0; i < ORDER_STEPS && json; ++i) printf("%s%g", i > 0 ? ", " : "", r->dt[i]);
    if (json) printf("], \"error\": [");
    for (i = 0; i < ORDER_STEPS; ++i) {
        if (json && i > 0) printf(", ");
        order_print_error(r->error[i], json);
    }
    if (json && r->slope == r->slope) printf("], \"order\": %.3f}\n", r->slope);
    else if (json) printf("], \"order\": null}\n");
    else if (r->slope == r->slope) printf(" %7.2f\n", r->slope);
    else printf(" %7s\n", "exact");
    fflush(stdout);
}

static void order_head(void)
{
    int i;

    printf("largest error of the positions within %g s [m, rad] by time step\n%-16s %-9s", ORDER_LOOK*ORDER_LOOKS, "",
           "");
    for (i = 0; i < ORDER_STEPS; ++i) printf(" %7.4g ms", 1e3*ORDER_DT/pow(2, i));
    printf(" %7s\n", "order");
}

/* Lines of midpoint, points of euler; results in pairs. */
static int order_plot(const char *path, const order_case *const *cases, const order_result *results, int n)
{
    slip_plot_series series[2*ORDER_CASES];
    slip_real x[ORDER_STEPS], y[2*ORDER_CASES][ORDER_STEPS];
    slip_plot plot;
    int i, k;

    memset(series, 0, sizeof series);
    memset(&plot, 0, sizeof plot);
    for (k = 0; k < ORDER_STEPS; ++k) x[k] = (slip_real)results[0].dt[k];
    for (i = 0; i < 2*n; ++i) {
        for (k = 0; k < ORDER_STEPS; ++k) y[i][k] = (slip_real)results[i].error[k];
        series[i].name = i % 2 == 0 ? cases[i/2]->name : NULL;
        series[i].style = i % 2 == 0 ? SLIP_PLOT_LINE : SLIP_PLOT_POINTS;
        series[i].colour = i/2 + 1;
        series[i].x = x;
        series[i].y = y[i];
        series[i].n = ORDER_STEPS;
    }
    plot.title = "error by time step: lines midpoint, points euler";
    plot.x_label = "time step [s]";
    plot.y_label = "largest error within 2 s [m, rad]";
    plot.log_x = plot.log_y = 1;
    plot.series = series;
    plot.nseries = 2*n;
    plot.x_lo = x[ORDER_STEPS - 1]/SLIP_R(1.5);
    plot.x_hi = x[0]*SLIP_R(1.5);
    return output_plot("bench order", path, &plot);
}

/* ---- the command ------------------------------------------------------------------------------------------- */

static int order_all(const order_case *const *cases, int n, int json, const char *svg)
{
    order_result results[2*ORDER_CASES];
    order_path reference;
    int i;

    memset(&reference, 0, sizeof reference);
    memset(results, 0, sizeof results);
    if (!json) order_head();
    for (i = 0; i < n; ++i) {
        const double finest = ORDER_DT/(1 << (ORDER_STEPS - 1))/ORDER_FINER;

        if ((!cases[i]->exact && !order_run(cases[i], SLIP_MIDPOINT, finest, &reference))
            || !order_measure(cases[i], SLIP_MIDPOINT, &reference, &results[2*i])
            || !order_measure(cases[i], SLIP_EULER, &reference, &results[2*i + 1])) return CLI_FAILED;
        order_print(cases[i], "midpoint", json, &results[2*i]);
        order_print(cases[i], "euler", json, &results[2*i + 1]);
    }
    return !svg || order_plot(svg, cases, results, n) ? CLI_OK : CLI_FAILED;
}

static const order_case *order_find(const char *name)
{
    int i;

    for (i = 0; i < ORDER_CASES; ++i) if (strcmp(order_cases[i].name, name) == 0) return &order_cases[i];
    return NULL;
}

int slip_bench_order(int argc, char **argv)
{
    const order_case *cases[ORDER_CASES];
    const char *svg = NULL;
    cli_args args;
    int kind, i, n = 0, json = 0;

    cli_begin(&args, argc, argv);
    while ((kind = cli_next(&args)) != 0) {
        if (kind == 2) {
            const order_case *c = order_find(args.value);

            if (!c) return cli_usage(&args, "unknown scene '%s', expected one of: flight top double-pendulum arm "
                                     "rolling sliding bouncing", args.value);
            for (i = 0; i < n && cases[i] != c; ++i) {}
            cases[i] = c;
            n += i == n;
        } else if (cli_is(&args, "--help") || cli_is(&args, "-h")) return fputs(order_help, stdout), CLI_OK;
        else if (cli_is(&args, "--json")) json = 1;
        else if (cli_is(&args, "--svg")) {
            svg = cli_value(&args);
            if (!svg) return CLI_USAGE;
            if (strcmp(svg, "-") == 0) return cli_usage(&args, "--svg needs a file: standard output has the table");
        } else return cli_unknown(&args);
    }
    if (svg && !output_can_open("bench order", svg)) return CLI_FAILED;
    if (n == 0) for (; n < ORDER_CASES; ++n) cases[n] = &order_cases[n];
    return order_all(cases, n, json, svg);
}
