/* The comparison's scenes in Slipstick. Variants: exact (the default, 1e-6 by the judge), sweeps-N (ncp-gs, N sweeps a
 * problem). Prints on stderr the largest residual and the steps that missed. See scene.h. */
#include "scene.h"
#include "slipstick.h"

#include <math.h>

static slip_world *bench_world;
static int bench_is_chain, bench_missed;
static double bench_length;
static slip_real bench_residual;

static void *bench_block(size_t bytes)
{
    void *p = malloc(bytes);

    if (!p) bench_die("out of memory");
    return p;
}

static void bench_link(slip_link_def *l, slip_joint_def *j, int i, char *names, double mass, const double I[3])
{
    memset(l, 0, sizeof *l);
    snprintf(names, 32, "b%d", i);
    snprintf(names + 16, 16, "j%d", i);
    l->name = names;
    l->mass = (slip_real)mass;
    l->inertia[0] = (slip_real)I[0];
    l->inertia[3] = (slip_real)I[1];
    l->inertia[5] = (slip_real)I[2];
    *j = slip_joint_defaults();
    j->name = names + 16;
    j->child = i;
    j->parent = -1;
}

static void bench_bodies(const bench_scene *s, slip_model_def *def, slip_collider_def *c)
{
    int i, k;

    for (i = 0; i < s->n; ++i) {
        const bench_body *b = &s->body[i];
        const double *h = b->half, m = b->mass;
        const double I[3] = { m/3*(h[1]*h[1] + h[2]*h[2]), m/3*(h[0]*h[0] + h[2]*h[2]), m/3*(h[0]*h[0] + h[1]*h[1]) };
        const double J[3] = { 0.4*m*h[0]*h[0], 0.4*m*h[0]*h[0], 0.4*m*h[0]*h[0] };

        bench_link(&def->links[i], &def->joints[i], i, (char *)bench_block(32), m, b->sphere ? J : I);
        def->joints[i].type = SLIP_JOINT_FLOATING;
        c[i + 1] = c[0];
        c[i + 1].name = def->links[i].name;
        c[i + 1].link = i;
        c[i + 1].shape = b->sphere ? slip_shape_sphere((slip_real)h[0])
            : slip_shape_box((slip_real)h[0], (slip_real)h[1], (slip_real)h[2]);
        for (k = 0; k < 3; ++k) c[i + 1].pose.p[k] = 0;
    }
}

static void bench_rods(const bench_scene *s, slip_model_def *def)
{
    const double m = s->rod_mass, l = s->length, r = 0.05*l, across = m*(3*r*r + l*l)/12, along = m*r*r/2;
    const double I[3] = { along, across, across };
    int i;

    for (i = 0; i < s->chain; ++i) {
        bench_link(&def->links[i], &def->joints[i], i, (char *)bench_block(32), m, I);
        def->links[i].com[0] = (slip_real)(l/2);
        def->joints[i].type = SLIP_JOINT_CONTINUOUS;
        def->joints[i].parent = i - 1;
        def->joints[i].axis[0] = 0;
        def->joints[i].axis[1] = 1;
        def->joints[i].origin.p[i > 0 ? 0 : 2] = (slip_real)(i > 0 ? l : s->height);
    }
}

static void bench_start(const bench_scene *s)
{
    int i, k;

    for (i = 0; i < s->n; ++i) {
        const bench_body *b = &s->body[i];
        slip_real *q = slip_world_q(bench_world) + 7*i, *v = slip_world_v(bench_world) + 6*i;

        for (k = 0; k < 3; ++k) q[k] = (slip_real)b->p[k];
        for (k = 0; k < 4; ++k) q[3 + k] = (slip_real)b->q[k];
        for (k = 0; k < 3; ++k) v[k] = (slip_real)b->v[k];       /* bodies with a velocity are not turned */
    }
}

static void bench_make(const bench_scene *s, const char *variant)
{
    const int n = s->chain > 0 ? s->chain : s->n;
    slip_link_def *links = (slip_link_def *)bench_block((size_t)n*sizeof *links);
    slip_joint_def *joints = (slip_joint_def *)bench_block((size_t)n*sizeof *joints);
    slip_collider_def *c = (slip_collider_def *)bench_block((size_t)(n + 1)*sizeof *c);
    const size_t room = ((size_t)1 << 20) + (size_t)n*4096;
    slip_arena mem = slip_arena_over(bench_block(room), room);
    slip_material material = slip_material_defaults();
    slip_model_def def;
    slip_world_def wd;
    slip_error err;
    int sweeps;

    memset(&def, 0, sizeof def);
    memset(&wd, 0, sizeof wd);
    memset(c, 0, sizeof *c);
    def.name = "bench";
    def.nlinks = def.njoints = n;
    def.links = links;
    def.joints = joints;
    def.gravity[2] = SLIP_R(-9.81);
    c[0].name = "ground";
    c[0].link = -1;
    c[0].shape = slip_shape_halfspace();
    c[0].group = 1;
    c[0].mask = ~0u;
    slip_pose_identity(&c[0].pose);
    bench_is_chain = s->chain > 0;
    bench_length = s->length;
    if (bench_is_chain) bench_rods(s, &def);
    else bench_bodies(s, &def, c);
    if (slip_model_build(&def, &mem, &wd.model, NULL, &err) < 0) bench_die(err.what);
    material.friction = (slip_real)s->mu;
    wd.ncolliders = bench_is_chain ? 0 : n + 1;
    wd.colliders = c;
    wd.nmaterials = 1;
    wd.materials = &material;
    wd.options = slip_world_defaults();
    wd.options.dt = (slip_real)s->dt;
    wd.options.max_contacts = 64 + 16*n;
    wd.options.max_pairs = 64 + 32*n;
    if (sscanf(variant, "sweeps-%d", &sweeps) == 1) {
        wd.options.solver = slip_solver_find("ncp-gs");
        wd.options.solve.max_iterations = sweeps;
    } else if (strcmp(variant, "exact") != 0) bench_die("no such variant of Slipstick");
    mem = slip_arena_over(bench_block(slip_world_bytes(&wd)), slip_world_bytes(&wd));
    if (slip_world_create(&wd, &mem, &bench_world, NULL, &err) < 0) bench_die(err.what);
    bench_start(s);
}

static void bench_step(void)
{
    if (slip_step(bench_world) < 0) bench_die(slip_world_error(bench_world)->what);
    if (slip_world_stats(bench_world)->residual.eps_abs > bench_residual)
        bench_residual = slip_world_stats(bench_world)->residual.eps_abs;
    bench_missed += slip_world_stats(bench_world)->status > 0;
}

static void bench_pose(int i, double X[7])
{
    const slip_real *q = slip_world_q(bench_world) + 7*i;
    slip_pose pose;
    slip_real quat[4];
    int k;

    if (!bench_is_chain) {
        for (k = 0; k < 7; ++k) X[k] = (double)q[k];
    } else {
        if (i == 0) slip_world_update(bench_world);
        slip_link_pose(slip_world_model(bench_world), slip_world_data(bench_world), i, &pose);
        slip_mat3_to_quat(pose.R, quat);
        for (k = 0; k < 3; ++k) X[k] = (double)pose.p[k] + bench_length/2*(double)pose.R[3*k];
        for (k = 0; k < 4; ++k) X[3 + k] = (double)quat[k];
    }
    if (i == 0) fprintf(stderr, "residual %.3g missed %d\n", (double)bench_residual, bench_missed);
}
