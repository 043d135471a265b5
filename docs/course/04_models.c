/* One cube, four models of contact: thrown aslant over a floor, it drifts, lifts, slides on, or stops as it should. */
#include <math.h>
#include <stdio.h>
#include "slipstick.h"

static unsigned char memory[8 << 20];

/* A world of models/slide_aslant.xml in which every problem is solved by one call of the solver; NULL when it fails. */
static slip_world *start(const slip_solver *solver)
{
    slip_arena mem = slip_arena_over(memory, sizeof memory);
    static slip_scene scene;
    slip_world *world;
    slip_error err;
    char text[600];

    if (slip_scene_load("models/slide_aslant.xml", NULL, &mem, &scene, NULL, &err) >= 0) {
        scene.world.options.solver = solver;
        slip_world_equal_terms(&scene.world.options);
        if (slip_scene_start(&scene, &mem, &world, NULL, &err) >= 0) return world;
    }
    slip_error_text(&err, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return NULL;
}

/* The largest angle [degrees] between the friction of a contact and the opposite of its sliding. */
static double against_sliding(const slip_world *world)
{
    double worst = 0;

    for (int i = 0; i < slip_contact_count(world); ++i) {
        const slip_contact_info c = slip_contact_get(world, i);
        const double x = c.impulse[0], y = c.impulse[1], u = c.velocity[0], w = c.velocity[1];

        if (c.impulse[2] > 0) worst = fmax(worst, fabs(atan2(x*w - y*u, -x*u - y*w)));
    }
    return worst*180/3.141592653589793;
}

int main(void)
{
    const slip_solver *const solvers[4] = { &slip_solver_lcp_gs, &slip_solver_ccp_admm, &slip_solver_raisim_newton,
                                            &slip_solver_ncp_gs };
    const double vx = 3.876, vy = 0.99, mu = 0.8, g = 9.81, dt = 0.002, speed = sqrt(vx*vx + vy*vy);

    printf("model   solver          way m  stops s  aside mm  lifted mm  friction off by  missed\n");
    for (int i = 0; i < 4; ++i) {
        slip_world *world = start(solvers[i]);
        double stops = 0, lifted = 0, aside, angle = 0;
        const slip_real *q, *v;
        int missed = 0;

        if (!world) return 1;
        q = slip_world_q(world);                                   /* x y z, then a quaternion */
        v = slip_world_v(world);
        for (int k = 1; k <= 400; ++k) {
            missed += slip_step(world) != SLIP_OK;                 /* steps without the tolerance */
            if (hypot(v[0], v[1]) > 1e-3) stops = (k + 1)*dt;
            lifted = fmax(lifted, q[2] - 0.1);
            if (k == 10) angle = against_sliding(world);
        }
        aside = (q[1]*vx - q[0]*vy)/speed;
        printf("%-7s %-13s %7.4f %8.3f %9.0f %10.0f %12.1f deg %7d\n", slip_contact_model_name(solvers[i]->model),
               solvers[i]->id, (q[0]*vx + q[1]*vy)/speed, stops, floor(1000*aside + 0.5), floor(1000*lifted + 0.5),
               floor(10*angle + 0.5)/10, missed);
    }
    printf("theory                %7.4f %8.3f         0          0          0.0 deg\n", speed*speed/(2*mu*g),
           speed/(mu*g));
    return 0;
}
