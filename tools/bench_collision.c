/* slipstick bench collision: time per pair query and per patch, by kinds of shape, apart and overlapping. */
#include "bench.h"
#include "pair_file.h"
#include "geom/patch.h"

#include <stdlib.h>
#include <string.h>

static const char collision_help[] =
    "usage: slipstick bench collision [PAIRS] [--json] [--batches N] [--most N]\n\n"
    "Nanoseconds per query, best over many batches, for every two kinds of shape:\n"
    "  apart, overlap     the pair query from nothing\n"
    "  warm               the same, started from the pair's last query\n"
    "  patch              the contact patch, warm, with a margin of 1 cm\n"
    "PAIRS is a file in the format of `slipstick collide`; without one, random pairs are made.\n"
    "Then the broad phase against the number of boxes, as `slipstick bench broadphase`.\n\n"
    "  --json       one object per row\n"
    "  --batches N  batches per row (default 400)\n"
    "  --most N     no more than N boxes (default 100000); 0: no broad phase\n\n"
    "example: slipstick bench collision --batches 10 --most 0\n";

enum { COLL_KINDS = SLIP_SHAPE_HALFSPACE + 1, COLL_MADE = 64 };

enum { COLL_COLD, COLL_WARM, COLL_PATCH };                /* what is timed */

typedef struct {
    const slip_shape_pair **pair;
    slip_distance_cache *cache;
    int n, repeats, what;
} coll_row;

static void coll_sweep(void *context)
{
    const coll_row *c = (const coll_row *)context;
    slip_distance_result r;
    slip_patch patch;
    int i, k;

    for (k = 0; k < c->repeats; ++k)
        for (i = 0; i < c->n; ++i) {
            const slip_shape_pair *p = c->pair[i];

            if (c->what == COLL_PATCH)
                slip_patch_find(&p->a, &p->pose_a, &p->b, &p->pose_b, SLIP_R(0.01), &c->cache[i], &patch);
            else slip_distance(&p->a, &p->pose_a, &p->b, &p->pose_b, c->what == COLL_WARM ? &c->cache[i] : NULL, &r);
        }
}

/* ---- made pairs ---------------------------------------------------------------------------------------- */

static slip_real coll_size(slip_random *rng) { return slip_random_uniform(rng, SLIP_R(0.2), 1); }

/* One block of memory: the hull, then its arrays. */
static slip_shape coll_mesh(slip_random *rng)
{
    static const int counts[4] = { 8, 20, 50, 100 };
    const int n = counts[slip_random_int(rng, 0, 3)];
    const size_t size = slip_hull_bytes(n);
    slip_hull *hull = (slip_hull *)cli_alloc(sizeof *hull + size);
    slip_arena arena = slip_arena_over(hull + 1, size);
    slip_real *x = (slip_real *)cli_alloc((size_t)n*3*sizeof *x);
    int i;

    for (i = 0; i < n; ++i) slip_random_unit3(rng, x + 3*i);
    slip_hull_build(x, n, 0, &arena, hull, NULL);
    free(x);
    return slip_shape_mesh(hull);
}

static slip_shape coll_shape(slip_random *rng, int kind)
{
    switch (kind) {
    case SLIP_SHAPE_SPHERE:   return slip_shape_sphere(coll_size(rng));
    case SLIP_SHAPE_BOX:      return slip_shape_box(coll_size(rng), coll_size(rng), coll_size(rng));
    case SLIP_SHAPE_CAPSULE:  return slip_shape_capsule(coll_size(rng)/2, coll_size(rng));
    case SLIP_SHAPE_CYLINDER: return slip_shape_cylinder(coll_size(rng), coll_size(rng));
    case SLIP_SHAPE_ELLIPSOID: return slip_shape_ellipsoid(coll_size(rng), coll_size(rng), coll_size(rng));
    case SLIP_SHAPE_MESH:     return coll_mesh(rng);
    default:                  return slip_shape_halfspace();
    }
}

static void coll_pose(slip_random *rng, slip_pose *X)
{
    slip_real q[4];
    int i;

    slip_random_quat(rng, q);
    slip_quat_to_mat3(q, X->R);
    for (i = 0; i < 3; ++i) X->p[i] = slip_random_uniform(rng, -1, 1);
}

static void coll_free_shape(const slip_shape *s)
{
    if (s->kind == SLIP_SHAPE_MESH) free((void *)s->hull);
}

static void coll_free(slip_pairs *made)
{
    int i;

    for (i = 0; i < made->n; ++i) {
        coll_free_shape(&made->pair[i].a);
        coll_free_shape(&made->pair[i].b);
    }
    free(made->pair);
}

static void coll_make(slip_pairs *out)
{
    slip_random rng = slip_random_seed(11);
    int a, b, i, n = 0;

    out->pair = (slip_shape_pair *)cli_alloc(COLL_KINDS*COLL_KINDS*COLL_MADE*sizeof *out->pair);
    for (a = 0; a < COLL_KINDS; ++a)
        for (b = a; b < COLL_KINDS; ++b)
            for (i = 0; i < COLL_MADE; ++i) {
                slip_shape_pair *p = &out->pair[n];

                p->a = coll_shape(&rng, a);
                p->b = coll_shape(&rng, b);
                coll_pose(&rng, &p->pose_a);
                coll_pose(&rng, &p->pose_b);
                if (slip_distance(&p->a, &p->pose_a, &p->b, &p->pose_b, NULL, &p->truth) < 0) {
                    coll_free_shape(&p->a);
                    coll_free_shape(&p->b);
                    continue;
                }
                if (i%2 && p->truth.distance < 0) {       /* half of them apart by something */
                    slip_axpy3(slip_random_uniform(&rng, 0, SLIP_R(0.5)) - p->truth.distance, p->truth.normal,
                               p->pose_b.p, p->pose_b.p);
                    slip_distance(&p->a, &p->pose_a, &p->b, &p->pose_b, NULL, &p->truth);
                }
                ++n;
            }
    out->n = n;
}

/* ---- the table ------------------------------------------------------------------------------------------ */

/* Pairs of kinds a and b, in either order, apart or overlapping. */
static int coll_select(const slip_pairs *all, int a, int b, int overlap, const slip_shape_pair **pick)
{
    int i, n = 0;

    for (i = 0; i < all->n; ++i) {
        const slip_shape_pair *p = &all->pair[i];
        const int ka = (int)p->a.kind, kb = (int)p->b.kind;

        if (((ka == a && kb == b) || (ka == b && kb == a)) && (p->truth.distance <= 0) == overlap) pick[n++] = p;
    }
    return n;
}

static double coll_time(coll_row *c, int what, int batches)
{
    if (c->n == 0) return 0;
    c->what = what;
    c->repeats = 1 + 100/c->n;                           /* short batches: the best of many meets no other process */
    return bench_run(coll_sweep, c, c->n*c->repeats, batches).best_ns;
}

static void coll_cell(double ns)
{
    if (ns > 0) printf(" %8.1f", ns);
    else printf(" %8s", "-");
}

static void coll_print(int json, int a, int b, const int n[2], double t[2][3])
{
    const char *ka = slip_shape_kind_name((slip_shape_kind)a), *kb = slip_shape_kind_name((slip_shape_kind)b);
    char name[48];
    int k;

    if (!json) {
        sprintf(name, "%s-%s", ka, kb);
        printf("%-20s", name);
        for (k = 0; k < 6; ++k) coll_cell(t[k/3][k%3]);
        printf("   %d / %d\n", n[0], n[1]);
        return;
    }
    for (k = 0; k < 2; ++k)
        if (n[k])
            printf("{\"part\":\"narrow\",\"a\":\"%s\",\"b\":\"%s\",\"overlap\":%s,\"pairs\":%d,"
                   "\"cold_ns\":%.1f,\"warm_ns\":%.1f,\"patch_ns\":%.1f}\n",
                   ka, kb, k ? "true" : "false", n[k], t[k][0], t[k][1], t[k][2]);
}

static void coll_row_run(const slip_pairs *all, int a, int b, int json, int batches)
{
    coll_row c = { NULL, NULL, 0, 0, 0 };
    double t[2][3];
    int n[2], k, what;

    c.pair = (const slip_shape_pair **)cli_alloc((size_t)(all->n + 1)*sizeof *c.pair);
    c.cache = (slip_distance_cache *)cli_alloc((size_t)(all->n + 1)*sizeof *c.cache);
    for (k = 0; k < 2; ++k) {
        memset(c.cache, 0, (size_t)(all->n + 1)*sizeof *c.cache);
        n[k] = c.n = coll_select(all, a, b, k, c.pair);
        for (what = 0; what < 3; ++what) t[k][what] = coll_time(&c, what, batches);
    }
    if (n[0] + n[1] > 0) coll_print(json, a, b, n, t);
    free(c.pair);
    free(c.cache);
}

int slip_bench_collision_narrow(const char *path, int json, int batches)
{
    slip_pairs all;
    void *memory = NULL;
    int a, b;

    if (!path) coll_make(&all);
    else if ((memory = pair_file_load("slipstick bench", path, &all)) == NULL) return CLI_FAILED;
    if (!json)
        printf("%-20s %8s %8s %8s %8s %8s %8s   pairs\n", "ns per query", "apart", "warm", "patch", "overlap", "warm",
               "patch");
    for (a = 0; a < COLL_KINDS; ++a)
        for (b = a; b < COLL_KINDS; ++b) coll_row_run(&all, a, b, json, batches);
    if (!path) coll_free(&all);
    free(memory);
    return CLI_OK;
}

int slip_bench_collision(int argc, char **argv)
{
    const char *path = NULL;
    int json = 0, batches = 400, most = 100000, what, rc;
    cli_args args;

    cli_begin(&args, argc, argv);
    while ((what = cli_next(&args)) != 0) {
        if (what == 2 && path) return cli_usage(&args, "unexpected argument '%s'", args.value);
        else if (what == 2) path = args.value;
        else if (cli_is(&args, "--help")) return fputs(collision_help, stdout), CLI_OK;
        else if (cli_is(&args, "--json")) json = 1;
        else if (cli_is(&args, "--batches")) { if (!cli_value_int(&args, 1, 100000, &batches)) return CLI_USAGE; }
        else if (cli_is(&args, "--most")) { if (!cli_value_int(&args, 0, 100000, &most)) return CLI_USAGE; }
        else return cli_unknown(&args);
    }
    rc = slip_bench_collision_narrow(path, json, batches);
    if (rc == CLI_OK && most > 0) {
        if (!json) puts("");
        slip_bench_broadphase_rows(json, most);
    }
    return rc;
}
