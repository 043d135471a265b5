/* See generate.h. Each kind is a function that writes a scene; bodies are drawn one by one from a seeded generator. */
#include "generate.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- text that grows ------------------------------------------------------------------------------------ */

typedef struct { char *text; size_t length, room; double friction; } gen_text;     /* friction 0: the kind's own */

static void gen_put(gen_text *t, const char *format, ...)
{
    va_list list;
    int n;

    if (t->room - t->length < 1024) {
        char *more = (char *)cli_alloc(2*t->room + 4096);

        if (t->text) memcpy(more, t->text, t->length);
        free(t->text);
        t->text = more;
        t->room = 2*t->room + 4096;
    }
    va_start(list, format);
    n = vsnprintf(t->text + t->length, t->room - t->length, format, list);
    va_end(list);
    if (n > 0) t->length += (size_t)n;
}

static double gen_friction(const gen_text *t, double own) { return t->friction > 0 ? t->friction : own; }

static double gen_uniform(slip_random *rng, double lo, double hi)
{
    return (double)slip_random_uniform(rng, (slip_real)lo, (slip_real)hi);
}

/* A body: shape is the inside of <geometry>; its velocity is zero unless given. */
static void gen_body(gen_text *t, const char *name, int k, double mass, const double x[3], const double rpy[3],
                     const double v[3], const char *shape)
{
    gen_put(t, "<body name='%s%d' mass='%.9g'", name, k, mass);
    if (v) gen_put(t, " velocity='%.9g %.9g %.9g'", v[0], v[1], v[2]);
    gen_put(t, "><origin xyz='%.9g %.9g %.9g'", x[0], x[1], x[2]);
    if (rpy) gen_put(t, " rpy='%.9g %.9g %.9g'", rpy[0], rpy[1], rpy[2]);
    gen_put(t, "/><geometry>%s</geometry></body>\n", shape);
}

/* ---- kinds ------------------------------------------------------------------------------------------------ */

/* Each returns the step whose problem counts. */
typedef int gen_kind(gen_text *t, int contacts, slip_random *rng);

/* Layers of m beams, crosswise: each beam lies on all m below with four contacts each, 4 m^2 a layer; 2 m layers. */
static int gen_stack(gen_text *t, int contacts, slip_random *rng)
{
    const int m = (int)fmax(2, floor(pow(contacts/8.0, 1.0/3) + 0.5));
    const int layers = (int)fmax(2, floor(contacts/(4.0*m*m) + 0.5));
    const double width = 0.1, pitch = 0.15, height = 0.1;
    const double ratio = pow(10, gen_uniform(rng, 0, 3));           /* of the top beam's mass to the lowest one's */
    char shape[96];
    int i, k;

    gen_put(t, "<scene name='stack'><simulation dt='0.001' duration='0.02' islands='false' max_contacts='%d'/>"
               "<surface name='default' friction='%.3g'/><ground/>\n", 2*contacts + 500, gen_friction(t, 0.6));
    for (k = 0; k < layers; ++k) {
        const int along_x = k % 2;

        snprintf(shape, sizeof shape, "<box size='%.9g %.9g %.9g'/>", along_x ? m*pitch : width,
                 along_x ? width : m*pitch, height);
        for (i = 0; i < m; ++i) {
            const double at = (i - (m - 1)/2.0)*pitch + gen_uniform(rng, -0.01, 0.01);
            const double x[3] = { along_x ? 0 : at, along_x ? at : 0, (k + 0.5)*height };
            const double v[3] = { gen_uniform(rng, -0.2, 0.2), gen_uniform(rng, -0.2, 0.2), 0 };

            gen_body(t, "beam", k*m + i, pow(ratio, (double)k/layers), x, NULL, v, shape);
        }
    }
    return 10;
}

/* Bricks in running bond, two contacts' patches below each; the ball has just hit when the problem is taken. */
static int gen_wall(gen_text *t, int contacts, slip_random *rng)
{
    const int courses = (int)fmax(2, floor(sqrt(contacts/8.0/1.5) + 0.5));
    const int wide = (int)fmax(2, floor(contacts/8.0/courses + 0.5));
    const double ratio = pow(10, gen_uniform(rng, 0, 4)), ball = pow(10, gen_uniform(rng, 0, 3));
    const double v[3] = { 0, 10, 0 }, aim[3] = { gen_uniform(rng, -0.3, 0.3)*wide*0.22, -0.1 - 0.15 - 0.045,
                                                 fmax(0.16, gen_uniform(rng, 0.2, 0.8)*courses*0.2) };
    int i, k;

    gen_put(t, "<scene name='wall'><simulation dt='0.001' duration='0.02' islands='false' max_contacts='%d'/>"
               "<surface name='default' friction='0.7'/><ground/>\n", 2*contacts + 500);
    for (k = 0; k < courses; ++k)
        for (i = 0; i < wide; ++i) {
            const double x[3] = { (i - (wide - 1)/2.0 + (k % 2 ? 0.25 : -0.25))*0.22 + gen_uniform(rng, -0.004, 0.004),
                                  gen_uniform(rng, -0.005, 0.005), 0.1 + 0.2*k };

            gen_body(t, "brick", k*wide + i, pow(ratio, (double)k/courses), x, NULL, NULL,
                     "<box size='0.2 0.2 0.2'/>");
        }
    gen_body(t, "ball", 0, ball, aim, NULL, v, "<sphere radius='0.15'/>");
    return 7;
}

/* A tray, and n bodies above it in a grid, tilted by up to `tilt` [rad] about x and y: shapes[0] to shapes[count - 1]
 * in turn. */
static void gen_fill_tray(gen_text *t, int n, slip_random *rng, double pitch, double tilt, const char *const *shapes,
                          int count)
{
    const int side = (int)fmax(2, ceil(pow(n/1.5, 1.0/3)));
    const double half = side*pitch/2 + 0.02, tall = 2*pitch*side;
    int k;

    gen_put(t, "<body name='tray' fixed='true'>");
    for (k = 0; k < 4; ++k) {
        const double s = k % 2 ? 1 : -1, at = s*(half + 0.05);

        gen_put(t, "<collision><origin xyz='%.9g %.9g %.9g'/><geometry><box size='%.9g %.9g %.9g'/></geometry>"
                   "</collision>", k < 2 ? at : 0, k < 2 ? 0 : at, tall/2, k < 2 ? 0.1 : 2*half + 0.2,
                k < 2 ? 2*half : 0.1, tall);
    }
    gen_put(t, "</body>\n");
    for (k = 0; k < n; ++k) {
        const double x[3] = { (k % side - (side - 1)/2.0)*pitch + gen_uniform(rng, -0.008, 0.008),
                              (k/side % side - (side - 1)/2.0)*pitch + gen_uniform(rng, -0.008, 0.008),
                              0.06 + k/(side*side)*pitch };
        const double rpy[3] = { gen_uniform(rng, -tilt, tilt), gen_uniform(rng, -tilt, tilt), gen_uniform(rng, -3, 3) };

        gen_body(t, "thing", k, gen_uniform(rng, 0.5, 2), x, rpy, NULL, shapes[k % count]);
    }
}

static const char gen_box[] = "<box size='0.07 0.08 0.06'/>", gen_ball[] = "<sphere radius='0.045'/>";
static const char gen_capsule[] = "<capsule radius='0.025' length='0.05'/>";

/* Bodies that fall into a tray from a grid; `each` contacts come to one of them in the end. */
static int gen_heap(gen_text *t, int contacts, slip_random *rng, const char *shape, double each)
{
    gen_put(t, "<scene name='heap'><simulation dt='0.01' duration='0.6' islands='false' max_contacts='%d'/>"
               "<solver tol='1e-4' max_iterations='200'/><surface name='default' friction='%.3g'/><ground/>",
            4*contacts + 1000, gen_friction(t, gen_uniform(rng, 0.3, 0.8)));
    gen_fill_tray(t, (int)fmax(4, contacts/each), rng, 0.11, 0.3, &shape, 1);
    return 35;
}

static int gen_pile(gen_text *t, int contacts, slip_random *rng)
{
    return gen_heap(t, contacts, rng, gen_box, 4.5);
}

static int gen_spheres(gen_text *t, int contacts, slip_random *rng)
{
    return gen_heap(t, contacts, rng, gen_ball, 4);
}

static int gen_capsules(gen_text *t, int contacts, slip_random *rng)
{
    return gen_heap(t, contacts, rng, gen_capsule, 4.5);
}

/* Capsules on ball joints, lying in a line on the ground and pulled in all directions: two contacts each. */
static int gen_chain(gen_text *t, int contacts, slip_random *rng)
{
    const int n = (int)fmax(2, contacts/2);
    int k;

    gen_put(t, "<scene name='chain'><simulation dt='0.001' duration='0.1' islands='false' max_contacts='%d'/>"
               "<surface name='default' friction='0.5'/><ground/>\n", 3*contacts + 500);
    for (k = 0; k < n; ++k) {
        const double x[3] = { 0.12*k, 0, 0.02 }, rpy[3] = { 0, 1.5707963267948966, 0 };
        const double v[3] = { gen_uniform(rng, -0.5, 0.5), gen_uniform(rng, -0.5, 0.5), 0 };

        gen_body(t, "link", k, gen_uniform(rng, 0.1, 1), x, rpy, v, "<capsule radius='0.02' length='0.08'/>");
    }
    for (k = 0; k + 1 < n; ++k)
        gen_put(t, "<loop name='pin%d' kind='ball' a='link%d' b='link%d'><frame_a xyz='0 0 0.06'/></loop>\n", k, k,
                k + 1);
    gen_put(t, "<exclude a='link*' b='link*'/>\n");
    return 20;
}

/* A rectangular link of 4 capsules in the plane of z and x, or of z and y. */
static void gen_link(gen_text *t, int k, double mass, double z, const double v[3])
{
    const double half = 0.05, wide = 0.03, radius = 0.012, right = 1.5707963267948966;
    int i;

    gen_put(t, "<body name='link%d' mass='%.9g' velocity='%.9g %.9g %.9g'><origin xyz='0 0 %.9g' rpy='0 0 %.9g'/>", k,
            mass, v[0], v[1], v[2], z, k % 2 ? right : 0);
    for (i = 0; i < 4; ++i) {
        const double s = i % 2 ? 1 : -1;

        gen_put(t, "<collision><origin xyz='%.9g 0 %.9g' rpy='0 %.9g 0'/><geometry><capsule radius='%.9g' "
                   "length='%.9g'/></geometry></collision>", i < 2 ? s*wide : 0, i < 2 ? 0 : s*half, i < 2 ? 0 : right,
                radius, i < 2 ? 2*half : 2*wide);
    }
    gen_put(t, "</body>\n");
}

/* A chain of 8 to 10 loose links that swings from a fixed bar, each hooked into the one above and held by contacts
 * alone. The more contacts are asked for, the wilder it swings, so that sides of links touch as well. */
static int gen_links(gen_text *t, int contacts, slip_random *rng)
{
    const double half = 0.05, radius = 0.012, pitch = 2*half - 2*radius, wild = contacts/10.0;
    const int n = 8 + (contacts > 12) + (contacts > 20);
    const double side[2] = { wild*gen_uniform(rng, -1, 1), wild*gen_uniform(rng, -1, 1) };
    int k;

    gen_put(t, "<scene name='links'><simulation dt='0.001' duration='0.8' islands='false' max_contacts='500'/>"
               "<surface name='default' friction='%.3g'/>\n<body name='bar' fixed='true'>"
               "<origin xyz='0 0 0' rpy='1.5707963267948966 0 0'/><geometry><capsule radius='%.9g' length='0.1'/>"
               "</geometry></body>\n", gen_friction(t, 0.3), radius);
    for (k = 0; k < n; ++k) {
        const double vx = side[0]*k/n + gen_uniform(rng, -0.1, 0.1), vy = side[1]*k/n + gen_uniform(rng, -0.1, 0.1);
        const double v[3] = { vx, vy, 0 };

        gen_link(t, k, gen_uniform(rng, 0.1, 0.3), 2*radius - half - k*pitch, v);
    }
    return 50 + (int)gen_uniform(rng, 0, 400);
}

/* A tower of planks: floors of uprights with planks across, two on each upright; some 18 contacts an upright. */
static int gen_kapla(gen_text *t, int contacts, slip_random *rng)
{
    const int wide = 3, floors = (int)fmax(1, floor(contacts/(18.0*wide) + 0.5));
    int i, k;

    gen_put(t, "<scene name='kapla'><simulation dt='0.005' duration='0.2' islands='false' max_contacts='%d'/>"
               "<surface name='default' friction='0.3'/><ground/>\n", 2*contacts + 500);
    for (k = 0; k < floors; ++k)
        for (i = 0; i < wide; ++i) {
            const double at = (i - (wide - 1)/2.0)*0.2 + gen_uniform(rng, -0.005, 0.005), z = 0.2*k;
            const double up[3] = { at, 0, z + 0.05 };
            const double left[3] = { at, -0.1, z + 0.15 }, right[3] = { at, 0.1, z + 0.15 };
            const double v[3] = { gen_uniform(rng, -0.1, 0.1), gen_uniform(rng, -0.1, 0.1), 0 };

            gen_body(t, "upright", k*wide + i, 10, up, NULL, NULL, "<box size='0.05 0.25 0.1'/>");
            gen_body(t, "left", k*wide + i, 10, left, NULL, v, "<box size='0.2 0.05 0.1'/>");
            gen_body(t, "right", k*wide + i, 10, right, NULL, NULL, "<box size='0.2 0.05 0.1'/>");
        }
    return 10;
}

/* One stiff vehicle on six wheels that are balls, thrown over bumps: few contacts, and most of them slide. */
static int gen_rover(gen_text *t, int contacts, slip_random *rng)
{
    int k;

    gen_put(t, "<scene name='rover'><simulation dt='0.005' duration='1' islands='false' max_contacts='%d'/>"
               "<surface name='default' friction='0.7'/><terrain kind='bumps' size='8 8' cell='0.05' amplitude='0.15' "
               "wavelength='0.8' seed='%d'/>\n", contacts + 100, 1 + (int)gen_uniform(rng, 0, 1000));
    gen_put(t, "<body name='rover' mass='%.4g' velocity='%.4g %.4g 0'><origin xyz='0 0 0.35' rpy='0 0 %.4g'/>",
            gen_uniform(rng, 30, 80), gen_uniform(rng, 0.5, 2), gen_uniform(rng, -0.5, 0.5), gen_uniform(rng, -3, 3));
    for (k = 0; k < 6; ++k)
        gen_put(t, "<collision><origin xyz='%g %g 0'/><geometry><sphere radius='0.12'/></geometry></collision>",
                0.4*(k/2 - 1), k % 2 ? 0.3 : -0.3);
    gen_put(t, "</body>\n");
    return 40 + (int)gen_uniform(rng, 0, 60);
}

static const struct { const char *name; gen_kind *write; } gen_list[] = {
    { "stack", gen_stack }, { "wall", gen_wall }, { "pile", gen_pile }, { "spheres", gen_spheres },
    { "capsules", gen_capsules }, { "chain", gen_chain }, { "links", gen_links }, { "kapla", gen_kapla },
    { "rover", gen_rover } };

const char *generate_kinds(void) { return "stack wall pile spheres capsules chain links kapla rover"; }

/* ---- simulating ------------------------------------------------------------------------------------------- */

typedef struct {
    const slip_world *world;
    long step;
    int used;
    generate_use *use;
    void *context;
} gen_watch;

static void gen_problem(void *context, const slip_problem *p, const slip_solution *start)
{
    gen_watch *w = (gen_watch *)context;

    if (w->used || slip_world_steps(w->world) < w->step) return;
    w->used = 1;
    w->use(w->context, p, start);
}

/* Steps until the problem was used; 0, after a message, when a step fails or the scene ends before. */
static int gen_run(const char *command, sim_session *s, long step, generate_use *use, void *context)
{
    slip_world_options *o = slip_world_options_of(s->world);
    gen_watch w;
    long k;

    w.world = s->world;
    w.step = step;
    w.used = 0;
    w.use = use;
    w.context = context;
    slip_world_equal_terms(o);
    o->on_problem = gen_problem;
    o->problem_context = &w;
    for (k = 0; k < s->steps && !w.used; ++k)
        if (slip_step(s->world) < 0) return cli_error(slip_world_error(s->world)), 0;
    return w.used ? 1 : (cli_fail(command, "the generated scene came to rest before its problem was solved"), 0);
}

int generate_problem(const char *command, const char *kind, int contacts, int seed, double friction, generate_use *use,
                     void *context)
{
    slip_random rng = slip_random_seed((uint64_t)seed + 1);
    gen_text text = { NULL, 0, 0, 0 };
    sim_changes changes;
    sim_session s;
    size_t k;
    int step, ok;

    for (k = 0; k < sizeof gen_list/sizeof *gen_list; ++k) if (strcmp(gen_list[k].name, kind) == 0) break;
    if (k == sizeof gen_list/sizeof *gen_list)
        return cli_fail(command, "unknown kind '%s', expected one of: %s", kind, generate_kinds()), 0;
    text.friction = friction;
    step = gen_list[k].write(&text, contacts, &rng);
    gen_put(&text, "</scene>\n");
    memset(&changes, 0, sizeof changes);
    changes.quiet = 1;
    ok = sim_open_text(command, text.text, text.length, kind, &changes, &s);
    free(text.text);
    if (!ok) return 0;
    ok = gen_run(command, &s, step, use, context);
    sim_close(&s);
    return ok;
}

/* ---- heaps ------------------------------------------------------------------------------------------------ */

static const struct { const char *name, *shapes[3]; int count; } gen_heaps[] = {
    { "boxes", { gen_box, NULL, NULL }, 1 }, { "balls", { gen_ball, NULL, NULL }, 1 },
    { "mixed", { gen_box, gen_ball, gen_capsule }, 3 } };

const char *generate_heap_shapes(void) { return "boxes balls mixed"; }

int generate_heap(const char *command, const char *shapes, int bodies, int seed, const sim_changes *changes,
                  sim_session *session)
{
    slip_random rng = slip_random_seed((uint64_t)seed + 1);
    gen_text text = { NULL, 0, 0, 0 };
    size_t k;
    int ok;

    for (k = 0; k < sizeof gen_heaps/sizeof *gen_heaps; ++k) if (strcmp(gen_heaps[k].name, shapes) == 0) break;
    if (k == sizeof gen_heaps/sizeof *gen_heaps)
        return cli_fail(command, "unknown shapes '%s', expected one of: %s", shapes, generate_heap_shapes()), 0;
    gen_put(&text, "<scene name='%s'><simulation dt='0.005' duration='1.5' max_contacts='%d'/>"
                   "<surface name='default' friction='0.5'/><ground/>", shapes,
            bodies < GENERATE_HEAP_BODIES ? 100 + GENERATE_HEAP_CONTACTS*bodies : 100000);
    gen_fill_tray(&text, bodies, &rng, 0.14, 3, gen_heaps[k].shapes, gen_heaps[k].count);
    gen_put(&text, "</scene>\n");
    ok = sim_open_text(command, text.text, text.length, shapes, changes, session);
    free(text.text);
    return ok;
}
