/* The comparison's scenes in MuJoCo: Newton's method and elliptic cones, to its default tolerance. Variants: soft (its
 * default contact parameters), stiff (a time constant of two steps, impedance 0.95 to 0.99). See scene.h. */
#include "scene.h"

#include <math.h>
#include <mujoco/mujoco.h>

static mjModel *bench_model;
static mjData *bench_data;

static void bench_xml(const bench_scene *s, const char *variant, FILE *f)
{
    const int stiff = strcmp(variant, "stiff") == 0, n = s->n > 0 ? s->n : s->chain;
    int i;

    if (!stiff && strcmp(variant, "soft") != 0) bench_die("no such variant of MuJoCo");
    fprintf(f, "<mujoco><compiler angle='radian'/><size nconmax='%d' njmax='%d' nstack='%d'/>\n", 100 + 20*n,
            400 + 80*n,
            5000000 + 15*n*n + 60000*n);
    fprintf(f, "<option timestep='%.17g' cone='elliptic' solver='Newton' iterations='100' tolerance='1e-8'/>\n", s->dt);
    fprintf(f, "<default><geom friction='%.17g 0 0' condim='3'", s->mu);
    if (stiff) fprintf(f, " solref='%.17g 1' solimp='0.95 0.99 0.001'", 2*s->dt);
    fprintf(f, "/></default><worldbody>\n");
    if (s->chain == 0) fprintf(f, "<geom type='plane' size='0 0 1'/>\n");
    for (i = 0; i < s->n; ++i) {
        const bench_body *b = &s->body[i];

        fprintf(f, "<body pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'><freejoint/>", b->p[0], b->p[1],
                b->p[2],
                b->q[3], b->q[0], b->q[1], b->q[2]);
        if (b->sphere) fprintf(f, "<geom type='sphere' size='%.17g' mass='%.17g'/></body>\n", b->half[0], b->mass);
        else fprintf(f, "<geom type='box' size='%.17g %.17g %.17g' mass='%.17g'/></body>\n", b->half[0], b->half[1],
                     b->half[2], b->mass);
    }
    for (i = 0; i < s->chain; ++i) {
        const double m = s->rod_mass, l = s->length, r = 0.05*l, across = m*(3*r*r + l*l)/12;

        fprintf(f, "<body pos='%.17g 0 %.17g'><joint type='hinge' axis='0 1 0'/><inertial pos='%.17g 0 0' mass='%.17g' "
                "diaginertia='%.17g %.17g %.17g'/>\n", i > 0 ? l : 0, i > 0 ? 0 : s->height, l/2, m, m*r*r/2, across,
                        across);
    }
    for (i = 0; i < s->chain; ++i) fputs("</body>", f);
    fprintf(f, "</worldbody></mujoco>\n");
}

static void bench_make(const bench_scene *s, const char *variant)
{
    char name[] = "/tmp/bench_mujoco.XXXXXX", error[500];
    extern int mkstemp(char *);
    extern FILE *fdopen(int, const char *);
    FILE *f = fdopen(mkstemp(name), "w");
    int i, k;

    if (!f) bench_die("no temporary file");
    bench_xml(s, variant, f);
    fclose(f);
    bench_model = mj_loadXML(name, NULL, error, (int)sizeof error);
    remove(name);
    if (!bench_model) bench_die(error);
    bench_data = mj_makeData(bench_model);
    for (i = 0; i < s->n; ++i) for (k = 0; k < 3; ++k) bench_data->qvel[6*i + k] = s->body[i].v[k];
}

static void bench_step(void) { mj_step(bench_model, bench_data); }

static void bench_pose(int i, double X[7])
{
    const mjtNum *p = bench_data->xipos + 3*(i + 1), *q = bench_data->xquat + 4*(i + 1);
    int k;

    if (i == 0) {
        mj_kinematics(bench_model, bench_data);
        mj_comPos(bench_model, bench_data);
    }
    for (k = 0; k < 3; ++k) X[k] = p[k];
    X[3] = q[1];  X[4] = q[2];  X[5] = q[3];  X[6] = q[0];
    for (k = 0; i == 0 && k < mjNWARNING; ++k)
        if (bench_data->warning[k].number > 0) fprintf(stderr, "warning %d %d times\n", k,
                bench_data->warning[k].number);
}
