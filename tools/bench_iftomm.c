/* slipstick bench iftomm: problems A01, A02 and A04 of the IFToMM library of computational benchmark problems, compared
 * with reference solutions and with figures of EXUDYN and OpenSim. Scenes: models/iftomm; A02-40 is written here.
 *
 * References: A01 by the pendulum's equation, A02 by its reduction to the crank's angle, I w^2/2 + G sin(theta) with
 * I = (N+1)/3 + N and G = g ((N+1)/2 + N), A04 by that of its one freedom (tests/test_mechanisms.c); all in long
 * double, with steps halved until the digits stood. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "bench_world.h"

static const char ift_help[] =
    "usage: slipstick bench iftomm [A01|A02|A02-40|A04]... [--dt S] [--integrator NAME] [--json]\n\n"
    "Runs problems of the IFToMM benchmark library: positions against reference solutions, the largest error of the\n"
    "energy, and processor time beside figures of EXUDYN and OpenSim. Run it where models/ is.\n\n"
    "  A01      simple pendulum that falls from the horizontal, 10 s; goal: energy to 5e-5 J\n"
    "  A02      N-four-bar, N = 2: cranks and couplers that line up twice a turn, when freedoms jump from 1 to N + 1\n"
    "  A02-40   the same with N = 40, 81 rods\n"
    "  A04      Bricard's mechanism, six hinges in space with one freedom where counting gives none\n\n"
    "  --dt S   time step, a divisor of 1 s; default 1 ms\n"
    "  --integrator X   midpoint (default), euler or fourth\n"
    "  --json   one object a problem\n\n"
    "example: slipstick bench iftomm A01 A02 --dt 0.002\n";

enum { IFT_MOST_TIMES = 5, IFT_PEERS = 3 };

typedef struct { double t, x, y; } ift_point;
typedef struct { const char *name; double energy, seconds; } ift_peer;     /* negative: not published */

typedef struct {
    const char *name, *about, *file, *link;      /* file NULL: written here; the point compared     */
    int cells;                                   /* A02: N                                          */
    int npoints;
    ift_point points[IFT_MOST_TIMES];
    ift_peer peers[IFT_PEERS];                   /* a name NULL ends them                           */
} ift_problem;

static const ift_problem ift_problems[] = {
    { "A01", "simple pendulum", "models/iftomm/pendulum.xml", "tip", 0, 5,
      { { 1, 0.986291751132, -0.165010853126 }, { 2, -0.793566195343, -0.608483930444 },
        { 5, -0.942305435044, -0.334754338414 }, { 9, -0.498373709058, -0.866962309515 },
        { 10, -0.275087462576, -0.961419205099 } },
      { { "EXUDYN, 0.8 ms, a laptop", -1, 0.037 }, { "OpenSim", -1, 0.637 }, { NULL, 0, 0 } } },
    { "A02", "N-four-bar, N = 2", "models/iftomm/four_bar_2.xml", "c0_tip", 2, 5,
      { { 1, -0.195020301949, -0.980799205662 }, { 4, 0.117616102377, 0.993059138451 },
        { 5, -0.811310461005, -0.584615545349 }, { 9, -0.999962272548, 0.008686396242 },
        { 10, 0.328458111541, 0.944518538179 } },
      { { "EXUDYN, 10 ms, an i9", 0.114, 0.078 }, { "EXUDYN, 1 ms", 1.14e-3, -1 }, { "OpenSim", -1, 0.455 } } },
    { "A02-40", "N-four-bar, N = 40", NULL, "c0_tip", 40, 1, { { 10, 0.180512226687, 0.983572740582 } },
      { { NULL, 0, 0 }, { NULL, 0, 0 }, { NULL, 0, 0 } } },
    { "A04", "Bricard's mechanism", "models/iftomm/bricard.xml", "rod4", 0, 5,
      { { 1, -0.213875653556, -0.618068371564 }, { 2, -0.221242505730, 0.627325087270 },
        { 5, -0.711923202662, 0.957607309306 }, { 9, -0.186816486701, 0.582007365674 },
        { 10, -0.155822401273, -0.536063598660 } },
      { { NULL, 0, 0 }, { NULL, 0, 0 }, { NULL, 0, 0 } } },
};
enum { IFT_PROBLEMS = (int)(sizeof ift_problems/sizeof *ift_problems) };

typedef struct {
    double dt;
    slip_integrator integrator;
    int json;
} ift_options;

/* Quantities by which runs are compared. */
typedef struct {
    const ift_problem *problem;
    double dt, first, energy;        /* energy at the start; largest error [J]                             */
    double x[IFT_MOST_TIMES], y[IFT_MOST_TIMES];
    int link, reached;               /* points                                                             */
} ift_measure;

/* N cells and a last crank, upright, the first tip at 1 m/s along x; text from cli_alloc. */
static char *ift_four_bar(int n)
{
    enum { EACH = 500 };
    const size_t size = (size_t)(2*n + 2)*EACH;
    char *text = (char *)cli_alloc(size), *at = text;
    int i;

    at += snprintf(at, EACH, "<scene name=\"four_bar_%d\">"
                   "<simulation dt=\"0.001\" duration=\"10\" self=\"false\"/>", n);
    for (i = 0; i <= n; ++i)
        at += snprintf(at, EACH, "<robot file=\"%s.urdf\" prefix=\"c%d_\" base=\"fixed\"><origin xyz=\"%d 0 0\"/>"
                       "<joint joint=\"crank\" position=\"1.5707963267948966\" velocity=\"-1\"/>%s</robot>",
                       i < n ? "cell" : "crank", i, i, i < n
                       ? "<joint joint=\"coupler\" position=\"-1.5707963267948966\" velocity=\"1\"/>" : "");
    for (i = 0; i < n; ++i)
        at += snprintf(at, EACH, "<loop name=\"pin%d\" kind=\"ball\" redundant=\"true\" a=\"c%d_coupler\" b=\"c%d_crank\">"
                       "<frame_a xyz=\"1 0 0\"/><frame_b xyz=\"1 0 0\"/></loop>", i, i, i + 1);
    strcpy(at, "</scene>");
    return text;
}

static int ift_open(const ift_problem *p, const ift_options *o, sim_session *s)
{
    sim_changes c;
    char *text;
    int ok;

    memset(&c, 0, sizeof c);
    c.dt = o->dt;
    if (p->file) ok = sim_open("bench iftomm", p->file, &c, s);
    else {
        text = ift_four_bar(p->cells);
        ok = sim_open_text("bench iftomm", text, strlen(text), "models/iftomm/generated.xml", &c, s);
        free(text);
    }
    if (!ok) return cli_fail("bench iftomm", "run it where models/ is"), 0;
    slip_world_options_of(s->world)->integrator = o->integrator;
    return 1;
}

/* Reads energy and, at the times of the reference, the point. */
static int ift_read(void *context, slip_world *w, long k)
{
    ift_measure *m = (ift_measure *)context;
    const double E = bench_world_energy(w);

    if (k == 0) m->first = E;
    m->energy = fmax(m->energy, fabs(E - m->first));
    if (m->reached < m->problem->npoints && fabs((double)k*m->dt - m->problem->points[m->reached].t) < m->dt/4) {
        slip_pose X;

        slip_link_pose(slip_world_model(w), slip_world_data(w), m->link, &X);
        m->x[m->reached] = (double)X.p[0];
        m->y[m->reached] = (double)X.p[2];
        m->reached += 1;
    }
    return 1;
}

/* Distance of point i from the reference [m]. */
static double ift_off(const ift_measure *m, int i)
{
    return hypot(m->x[i] - m->problem->points[i].x, m->y[i] - m->problem->points[i].y);
}

static void ift_print_text(const ift_measure *m, const ift_options *o, const bench_run_result *r)
{
    const ift_problem *p = m->problem;
    int i;

    printf("%s %s: %ld steps of %g s, %s", p->name, p->about, r->steps, m->dt,
           bench_integrator_name(o->integrator));
    if (r->missed > 0) printf(", %ld steps missed the tolerance", r->missed);
    printf("\n  %6s %14s %14s %14s %14s %10s\n", "t [s]", "x [m]", "y [m]", "reference x", "reference y", "off [m]");
    for (i = 0; i < m->reached; ++i)
        printf("  %6g %14.9f %14.9f %14.9f %14.9f %10.2e\n", p->points[i].t, m->x[i], m->y[i], p->points[i].x,
               p->points[i].y, ift_off(m, i));
    printf("  %-28s %14s %10s\n", "", "energy [J]", "CPU s");
    printf("  %-28s %14.3e %10.4g\n", "Slipstick", m->energy, r->cpu_seconds);
    for (i = 0; i < IFT_PEERS && p->peers[i].name; ++i) {
        printf("  %-28s", p->peers[i].name);
        if (p->peers[i].energy < 0) printf(" %14s", "");
        else printf(" %14.3e", p->peers[i].energy);
        if (p->peers[i].seconds >= 0) printf(" %10.4g", p->peers[i].seconds);
        printf("\n");
    }
    printf("\n");
    fflush(stdout);
}

static void ift_print_json(const ift_measure *m, const ift_options *o, const bench_run_result *r)
{
    int i;

    printf("{\"name\": \"%s\", \"integrator\": \"%s\", \"dt\": %g, \"steps\": %ld, \"steps_missed\": %ld,"
           " \"energy_error\": %.6g, \"cpu_s\": %.4g, \"position_errors\": [", m->problem->name,
           bench_integrator_name(o->integrator), m->dt, r->steps, r->missed, m->energy, r->cpu_seconds);
    for (i = 0; i < m->reached; ++i) printf("%s%.4g", i > 0 ? ", " : "", ift_off(m, i));
    printf("]}\n");
    fflush(stdout);
}

static int ift_run(const ift_problem *p, const ift_options *o)
{
    bench_run_result r, timed;
    ift_measure m;
    sim_session s;

    if (!ift_open(p, o, &s)) return CLI_FAILED;
    memset(&m, 0, sizeof m);
    m.problem = p;
    m.dt = o->dt;
    m.link = slip_model_find_link(slip_world_model(s.world), p->link);
    r = bench_world_run(&s, ift_read, &m);
    if (r.status < 0) {
        cli_error(slip_world_error(s.world));
        sim_close(&s);
        return CLI_FAILED;
    }
    ift_read(&m, s.world, r.steps);
    timed = bench_world_run(&s, NULL, NULL);
    r.cpu_seconds = timed.cpu_seconds;
    if (o->json) ift_print_json(&m, o, &r);
    else ift_print_text(&m, o, &r);
    sim_close(&s);
    return CLI_OK;
}

static int ift_find(const char *name)
{
    int i;

    for (i = 0; i < IFT_PROBLEMS && strcmp(ift_problems[i].name, name) != 0; ++i) {}
    return i;
}

int slip_bench_iftomm(int argc, char **argv)
{
    int wanted[IFT_PROBLEMS + 1] = { 0 }, i, all = 1, kind, ok = 1, worst = CLI_OK;
    ift_options o;
    cli_args args;

    memset(&o, 0, sizeof o);
    o.dt = 0.001;
    o.integrator = SLIP_MIDPOINT;
    cli_begin(&args, argc, argv);
    while (ok && (kind = cli_next(&args)) != 0) {
        if (kind == 2) {
            i = ift_find(args.value);
            if (i == IFT_PROBLEMS)
                return cli_usage(&args, "unknown problem '%s', expected A01, A02, A02-40 or A04", args.value);
            wanted[i] = 1;
            all = 0;
        } else if (cli_is(&args, "--help") || cli_is(&args, "-h")) return fputs(ift_help, stdout), CLI_OK;
        else if (cli_is(&args, "--dt")) ok = cli_value_real(&args, 1e-6, 0.1, &o.dt);
        else if (cli_is(&args, "--integrator")) ok = bench_take_integrator(&args, &o.integrator);
        else if (cli_is(&args, "--json")) o.json = 1;
        else return cli_unknown(&args);
    }
    if (!ok) return CLI_USAGE;
    if (fabs(1/o.dt - floor(1/o.dt + 0.5)) > 1e-6)
        return cli_usage(&args, "--dt %g does not divide 1 s, where the references are", o.dt);
    for (i = 0; i < IFT_PROBLEMS; ++i)
        if (all || wanted[i]) {
            const int code = ift_run(&ift_problems[i], &o);

            worst = code > worst ? code : worst;
        }
    return worst;
}
