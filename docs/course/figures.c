/* Makes the figures of the course again: `make course-figures`, or ./figures DIRECTORY from the root of the tree. Every
 * curve is computed here, by the library or by the formulas of the lessons. */
#include <stdio.h>
#include <string.h>
#define main lesson_main                             /* the figure of lesson 10 runs the lesson's own controller */
#include "10_gait.c"
#undef main
#include "slipstick_parts.h"

enum { SERIES = 6, POINTS = 6000 };

/* A figure that is being drawn: one series after the other. */
static slip_plot plot;
static slip_plot_series series[SERIES];
static slip_real xs[SERIES][POINTS], ys[SERIES][POINTS];

static void figure(const char *title, const char *x, const char *y)
{
    memset(&plot, 0, sizeof plot);
    memset(series, 0, sizeof series);
    plot.title = title;
    plot.x_label = x;
    plot.y_label = y;
    plot.series = series;
}

static int curve(const char *name, slip_plot_style style)
{
    const int s = plot.nseries++;

    series[s].name = name;
    series[s].style = style;
    series[s].x = xs[s];
    series[s].y = ys[s];
    return s;
}

static void point(int s, double x, double y)
{
    if (series[s].n >= POINTS) return;
    xs[s][series[s].n] = (slip_real)x;
    ys[s][series[s].n++] = (slip_real)y;
}

static int finish(const char *directory, const char *name)
{
    static slip_stream out;
    char path[512];
    FILE *f;
    int ok;

    snprintf(path, sizeof path, "%s/%s.svg", directory, name);
    f = fopen(path, "wb");
    if (!f) { fprintf(stderr, "%s: cannot be written\n", path);  return 0; }
    slip_stream_file(f, &out);
    slip_svg_plot(&plot, &out);
    ok = slip_stream_flush(&out) == SLIP_OK;
    return fclose(f) == 0 && ok;
}

/* ---- lessons 1 to 3: a point ----------------------------------------------------------------------- */

static int contact_figure(const char *directory)
{
    figure("lesson 1: a point falls on the ground", "time [s]", "height [m]");
    for (int bounces = 0; bounces < 2; ++bounces) {
        const int s = curve(bounces ? "restitution 0.5" : "stays down", SLIP_PLOT_LINE);
        const double dt = 0.001;
        double z = 1, v = 0;

        for (int k = 0; k < 2000; ++k) {
            const double v_free = v - 9.81*dt, gap = v_free + z/dt;
            const double c = bounces && v < -0.1 && gap < 0 ? v_free + v/2 : gap;

            if (k % 10 == 0) point(s, k*dt, z);
            v = c < 0 ? v_free - c : v_free;
            z += dt*v;
        }
    }
    return finish(directory, "01_contact");
}

static int signorini_figure(const char *directory)
{
    static const char *const names[3] = { "leaves", "rests: g = 0", "falls on it" };
    int s;

    figure("lesson 2: sigma = lambda/m + g meets the corner once", "impulse lambda [N s]", "velocity sigma [m/s]");
    plot.equal = 1;
    plot.x_lo = plot.y_lo = SLIP_R(-0.6);
    plot.x_hi = plot.y_hi = SLIP_R(1.6);
    s = curve("Signorini: lambda = 0 or sigma = 0", SLIP_PLOT_LINE);
    point(s, 0, 1.6);
    point(s, 0, 0);
    point(s, 1.6, 0);
    for (int i = 0; i < 3; ++i) {
        const double g = 0.6 - 0.6*i;

        s = curve(names[i], SLIP_PLOT_LINE);
        point(s, -0.6, -0.6 + g);
        point(s, 1.6, 1.6 + g);
    }
    s = curve("the solutions", SLIP_PLOT_POINTS);
    point(s, 0, 0.6);
    point(s, 0, 0);
    point(s, 0.6, 0);
    return finish(directory, "02_signorini");
}

static void ray(int s, double x, double y)
{
    point(s, 0, 0);
    point(s, x, y);
    point(s, NAN, NAN);
}

static int coulomb_figure(const char *directory)
{
    static const double from[4][2] = { { 0.2, 1 }, { 1.2, 0.9 }, { -1.3, 0.2 }, { 0.3, -1 } };
    const slip_real mu = SLIP_R(0.5);
    int s;

    figure("lesson 3: the cone for mu = 0.5, cut through the middle", "tangent", "normal");
    plot.equal = 1;
    plot.x_lo = SLIP_R(-1.6);
    plot.x_hi = SLIP_R(1.6);
    plot.y_lo = SLIP_R(-1.2);
    plot.y_hi = SLIP_R(1.6);
    s = curve("K: impulses", SLIP_PLOT_LINE);
    ray(s, -0.8, 1.6);
    ray(s, 0.8, 1.6);
    s = curve("K*: sigma + Gamma", SLIP_PLOT_LINE);
    ray(s, -1.6, 0.8);
    ray(s, 1.6, 0.8);
    s = curve("polar cone -K*", SLIP_PLOT_LINE);
    ray(s, -1.6, -0.8);
    ray(s, 1.6, -0.8);
    s = curve("points and their projections on K", SLIP_PLOT_LINE);
    for (int i = 0; i < 4; ++i) {
        const slip_real x[3] = { (slip_real)from[i][0], 0, (slip_real)from[i][1] };
        slip_real y[3];

        slip_cone_project(mu, x, y);
        point(s, x[0], x[2]);
        point(s, y[0], y[2]);
        point(s, NAN, NAN);
    }
    s = curve("projections", SLIP_PLOT_POINTS);
    for (int i = 0; i < 4; ++i) {
        const slip_real x[3] = { (slip_real)from[i][0], 0, (slip_real)from[i][1] };
        slip_real y[3];

        slip_cone_project(mu, x, y);
        point(s, y[0], y[2]);
    }
    return finish(directory, "03_coulomb");
}

/* ---- lesson 4: the cube under four models ------------------------------------------------------------ */

static const slip_solver *const four[4] = { &slip_solver_lcp_gs, &slip_solver_ccp_admm, &slip_solver_raisim_newton,
                                            &slip_solver_ncp_gs };

static int models_figure(const char *directory, int height_too)
{
    if (height_too) figure("lesson 4: height of the cube's centre", "time [s]", "height [m]");
    else figure("lesson 4: the cube's way, seen from above", "along the throw [m]", "aside [m]");
    for (int i = 0; i < 4; ++i) {
        const int s = curve(slip_contact_model_name(four[i]->model), SLIP_PLOT_LINE);
        const double vx = 3.876, vy = 0.99, speed = (double)slip_sqrt((slip_real)(vx*vx + vy*vy));
        slip_arena mem = slip_arena_over(memory, sizeof memory);
        static slip_scene scene;
        slip_world *world;

        if (slip_scene_load("models/slide_aslant.xml", NULL, &mem, &scene, NULL, NULL) < 0) return 0;
        scene.world.options.solver = four[i];
        slip_world_equal_terms(&scene.world.options);
        if (slip_scene_start(&scene, &mem, &world, NULL, NULL) < 0) return 0;
        for (int k = 0; k <= 400; ++k) {
            const slip_real *q = slip_world_q(world);

            if (height_too) point(s, 0.002*k, q[2]);
            else if (k % 8 == 0) point(s, (q[0]*vx + q[1]*vy)/speed, (q[1]*vx - q[0]*vy)/speed);
            if (slip_step(world) < 0) return 0;
        }
    }
    return finish(directory, height_too ? "04_heights" : "04_paths");
}

/* ---- lessons 5 to 8: the crates ------------------------------------------------------------------------ */

static int gauss_seidel_figure(const char *directory)
{
    double l1 = 0, l2 = 0;                           /* in units of m g dt: sigma1 = l1 - l2 - 1, sigma2 = 2 l2 - l1 */
    int s;

    figure("lesson 5: Gauss-Seidel goes from line to line", "normal impulse of the floor / (m g dt)",
           "normal impulse of the crates / (m g dt)");
    plot.x_hi = SLIP_R(2.4);
    plot.y_hi = SLIP_R(1.4);
    plot.equal = 1;
    s = curve("sigma1 = 0", SLIP_PLOT_LINE);
    point(s, 1, 0);
    point(s, 2.4, 1.4);
    s = curve("sigma2 = 0", SLIP_PLOT_LINE);
    point(s, 0, 0);
    point(s, 2.4, 1.2);
    s = curve("sweeps from 0, 0", SLIP_PLOT_LINE);
    point(s, l1, l2);
    for (int k = 0; k < 12; ++k) {
        point(s, l1 = 1 + l2, l2);
        point(s, l1, l2 = l1/2);
    }
    s = curve("solution 2, 1", SLIP_PLOT_POINTS);
    point(s, 2, 1);
    return finish(directory, "05_gauss_seidel");
}

typedef struct { const slip_problem *p; int s; } watched;

/* Called by a solver in each iteration: the residual of the NCP at its impulses. */
static void watch(void *context, const slip_iteration *it)
{
    const watched *w = (const watched *)context;
    slip_real sigma[6];
    slip_residual r;

    if (!it->lambda) return;
    slip_residual_of(w->p, it->lambda, sigma, &r);
    point(w->s, it->iteration, r.eps_abs > 1e-15 ? r.eps_abs : 1e-15);
}

static void crates(double m1, double m2, slip_real G[36])
{
    const double A[4] = { 1/m1, -1/m1, -1/m1, 1/m1 + 1/m2 };

    for (int i = 0; i < 36; ++i) G[i] = (slip_real)(i/6 % 3 == i % 3 ? A[2*(i/18) + i % 6/3] : 0);
}

static int residuals(const char *name, const slip_solver *solver, const slip_real g[6], slip_solver_options opt)
{
    const slip_real mu[2] = { SLIP_R(0.3), SLIP_R(0.5) };
    slip_real G[36], lambda[6] = { 0 };
    slip_arena mem = slip_arena_over(memory, sizeof memory);
    slip_solution sol = slip_solution_over(lambda, NULL, NULL);
    slip_problem p;
    watched w;

    crates(1, 100, G);
    p = slip_problem_dense(2, mu, g, G, 6);
    w.p = &p;
    w.s = curve(name, SLIP_PLOT_LINE);
    opt.history = watch;
    opt.history_context = &w;
    opt.tol = SLIP_TOL(1e-12, 1e-5);
    return slip_solve(solver, &p, &opt, &sol, &mem) >= 0;
}

static int admm_figure(const char *directory)
{
    static const char *const names[3] = { "rho 0.005", "rho 0.02", "rho 0.1" };
    const slip_real g[6] = { 3, 1, SLIP_R(-0.0981), 0, 0, 0 }, rho[3] = { SLIP_R(0.005), SLIP_R(0.02), SLIP_R(0.1) };
    slip_solver_options opt = slip_solver_defaults();
    int ok = 1;

    figure("lesson 6: ADMM by its penalty rho, 1 kg below 100 kg", "iteration", "residual");
    plot.log_y = 1;
    plot.x_hi = 300;
    plot.y_lo = SLIP_R(1e-10);
    plot.y_hi = 1000;
    ok = residuals("rho moved by CR's spectral rule", &slip_solver_ncp_admm, g, opt);
    opt.rho_rule = SLIP_RHO_FIXED;
    for (int i = 0; i < 3 && ok; ++i) {
        opt.rho = rho[i];
        ok = residuals(names[i], &slip_solver_ncp_admm, g, opt);
    }
    return ok && finish(directory, "06_admm");
}

static int newton_figure(const char *directory)
{
    const slip_real g[6] = { 4, 1, SLIP_R(-0.0981), -6, 3, 0 };
    const slip_solver_options opt = slip_solver_defaults();

    figure("lesson 7: the kicked crates by four methods", "iteration", "residual");
    plot.log_x = plot.log_y = 1;
    plot.x_lo = 1;
    plot.x_hi = 3000;
    plot.y_lo = SLIP_R(1e-14);
    plot.y_hi = 1000;
    return residuals("ncp-gs", &slip_solver_ncp_gs, g, opt)
        && residuals("ncp-admm", &slip_solver_ncp_admm, g, opt)
        && residuals("ncp-newton", &slip_solver_ncp_newton, g, opt)
        && residuals("ncp-ipm", &slip_solver_ncp_ipm, g, opt)
        && finish(directory, "07_newton");
}

static int interior_figure(const char *directory)
{
    static const double kappas[3] = { 0.3, 0.05, 0.005 };
    static const char *const names[3] = { "kappa 0.3", "kappa 0.05", "kappa 0.005" };
    int s;

    figure("lesson 8: the product is kappa instead of 0", "impulse lambda [N s]",
           "velocity sigma [m/s]");
    plot.equal = 1;
    plot.x_hi = plot.y_hi = SLIP_R(1.4);
    for (int i = 0; i < 3; ++i) {
        s = curve(names[i], SLIP_PLOT_LINE);
        for (int k = 1; k <= 200; ++k) {
            const slip_real share = (slip_real)(k - 1)/199, most = slip_log((slip_real)(1.96/kappas[i]));
            const double x = kappas[i]/1.4*(double)slip_exp(share*most);

            point(s, x, kappas[i]/x);
        }
    }
    s = curve("sigma = lambda/m - 0.5", SLIP_PLOT_LINE);
    point(s, 0.5, 0);
    point(s, 1.4, 0.9);
    s = curve("on the central path", SLIP_PLOT_POINTS);
    for (int i = 0; i < 3; ++i) {
        const double x = 0.25 + (double)slip_sqrt((slip_real)(0.0625 + kappas[i]));

        point(s, x, x - 0.5);
    }
    point(s, 0.5, 0);
    return finish(directory, "08_interior");
}

/* ---- lessons 9 and 10: robots ------------------------------------------------------------------------------ */

static int recursion_figure(const char *directory)
{
    slip_arena mem = slip_arena_over(memory, sizeof memory);
    slip_real q[2] = { SLIP_R(2.5), 0 }, v[2] = { 0, 0 }, a[2], tau[2] = { 0, 0 };
    const slip_model *model;
    slip_data *data;
    slip_urdf robot;
    int elbow, tip, lower, end;

    if (slip_urdf_load("models/double_pendulum.urdf", NULL, &mem, &robot, NULL, NULL) < 0
        || slip_model_build(&robot.def, &mem, &model, NULL, NULL) < 0
        || slip_data_create(model, &mem, &data) < 0) return 0;
    lower = slip_model_find_link(model, "lower");
    end = slip_model_find_link(model, "tip");
    figure("lesson 9: two rods let go at 2.5 rad, three seconds by slip_aba", "x [m]", "z [m]");
    plot.equal = 1;
    plot.x_lo = plot.y_lo = SLIP_R(-1.1);
    plot.x_hi = plot.y_hi = SLIP_R(1.1);
    elbow = curve("elbow", SLIP_PLOT_LINE);
    tip = curve("tip", SLIP_PLOT_LINE);
    for (int k = 0; k <= 3000; ++k) {
        slip_pose X;

        slip_kinematics(model, data, q);
        if (k % 10 == 0) {
            slip_link_pose(model, data, lower, &X);
            point(elbow, X.p[0], X.p[2]);
            slip_link_pose(model, data, end, &X);
            point(tip, X.p[0], X.p[2]);
        }
        if (slip_aba(model, data, q, v, tau, NULL, a) < 0) return 0;
        for (int i = 0; i < 2; ++i) v[i] += SLIP_R(0.001)*a[i];
        slip_integrate(model, q, v, SLIP_R(0.001), q);
    }
    return finish(directory, "09_recursion");
}

static int gait_figure(const char *directory)
{
    static const char *const names[LEGS] = { "left front", "right front", "left hind", "right hind" };
    static const char *const links[LEGS] = { "lf", "rf", "lh", "rh" };
    slip_arena mem = slip_arena_over(memory, sizeof memory);
    const slip_model *m;
    slip_world *world;
    int s[LEGS];

    if (slip_scene_load_world("models/solo12_trot.xml", &mem, &world, NULL, NULL) < 0) return 0;
    m = slip_world_model(world);
    base = slip_model_find_link(m, "base");
    slip_world_update(world);
    height = slip_world_q(world)[2];
    for (int i = 6; i < NV; ++i) { slip_world_drive(world, i)->kp = 0;  slip_world_drive(world, i)->kd = SLIP_R(0.1); }
    figure("lesson 10: height of the feet's centres, standing and trotting", "time [s]", "height [m]");
    for (int i = 0; i < LEGS; ++i) {
        char name[32];
        slip_pose F;

        snprintf(name, sizeof name, "%s_foot", links[i]);
        foot[i] = slip_model_find_link(m, name);
        snprintf(name, sizeof name, "%s_haa", links[i]);
        slip_model_find_place(m, name, &hip_joint[i]);
        slip_link_pose(m, slip_world_data(world), foot[i], &F);
        for (int k = 0; k < 3; ++k) home[i][k] = F.p[k];
        s[i] = curve(names[i], SLIP_PLOT_LINE);
    }
    slip_world_set_control(world, control, NULL);
    for (int k = 0; k < 1500; ++k) {
        if (slip_step(world) < 0) return 0;
        for (int i = 0; i < LEGS && k > 300 && k % 4 == 0; ++i) {
            slip_pose F;

            slip_link_pose(m, slip_world_data(world), foot[i], &F);
            point(s[i], 0.001*k, F.p[2]);
        }
    }
    return finish(directory, "10_gait");
}

int main(int argc, char **argv)
{
    const char *directory = argc > 1 ? argv[1] : "docs/course/figures";
    const int ok = contact_figure(directory) && signorini_figure(directory) && coulomb_figure(directory)
        && models_figure(directory, 0) && models_figure(directory, 1) && gauss_seidel_figure(directory)
        && admm_figure(directory) && newton_figure(directory) && interior_figure(directory)
        && recursion_figure(directory) && gait_figure(directory);

    if (!ok) fprintf(stderr, "%s: a figure was not made; run it from the root of the tree\n", argv[0]);
    return !ok;
}
