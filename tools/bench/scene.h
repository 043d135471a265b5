/* The scenes that all engines of the comparison run, as text, and how they are timed. One harness an engine includes
 * this, fills in two functions and is a program:
 *
 *     PROGRAM SCENE VARIANT POSES        prints "us BLOCK…" [us a step], writes poses after each block to POSES
 *
 *   dt 0.001          steps 500        blocks 20        mu 0.5
 *   box HX HY HZ MASS  X Y Z  QX QY QZ QW  VX VY VZ     half sizes [m], start, velocity
 *   sphere R MASS  X Y Z  VX VY VZ
 *   chain N LENGTH MASS HEIGHT          rods of a chain of hinges that turn about y, hung horizontally
 *
 * Gravity is 9.81 downwards; the ground is the plane z = 0, but for chains. */
#ifndef BENCH_SCENE_H
#define BENCH_SCENE_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200112L
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* sphere: half[0] its radius */
typedef struct { int sphere; double half[3], mass, p[3], q[4], v[3]; } bench_body;
typedef struct {
    double dt, mu;
    int steps, blocks, n;
    bench_body *body;
    int chain;                           /* rods; 0: none                                                      */
    double length, rod_mass, height;
} bench_scene;

#ifndef BENCH_JUDGE
/* An engine: makes its world, steps it, tells the pose (x y z of the centre of mass, qx qy qz
 * qw) of body or rod i. */
static void bench_make(const bench_scene *s, const char *variant);
static void bench_step(void);
static void bench_pose(int i, double pose[7]);
#endif

static void bench_die(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static void bench_read(const char *path, bench_scene *s)
{
    FILE *f = fopen(path, "r");
    char word[32];
    int room = 0, ok = 1;

    if (!f) bench_die("cannot read the scene");
    memset(s, 0, sizeof *s);
    while (ok && fscanf(f, "%31s", word) == 1) {
        bench_body b;

        if (s->n == room) {
            room = 2*room + 64;
            s->body = (bench_body *)realloc(s->body, (size_t)room*sizeof b);
            if (!s->body) bench_die("out of memory");
        }
        memset(&b, 0, sizeof b);
        b.q[3] = 1;
        if (strcmp(word, "dt") == 0) ok = fscanf(f, "%lf", &s->dt) == 1;
        else if (strcmp(word, "mu") == 0) ok = fscanf(f, "%lf", &s->mu) == 1;
        else if (strcmp(word, "steps") == 0) ok = fscanf(f, "%d", &s->steps) == 1;
        else if (strcmp(word, "blocks") == 0) ok = fscanf(f, "%d", &s->blocks) == 1;
        else if (strcmp(word, "chain") == 0)
            ok = fscanf(f, "%d %lf %lf %lf", &s->chain, &s->length, &s->rod_mass, &s->height) == 4;
        else if (strcmp(word, "box") == 0) {
            ok = fscanf(f, "%lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf", b.half, b.half + 1, b.half + 2,
                    &b.mass,
                        b.p, b.p + 1, b.p + 2, b.q, b.q + 1, b.q + 2, b.q + 3, b.v, b.v + 1, b.v + 2) == 14;
            s->body[s->n++] = b;
        } else if (strcmp(word, "sphere") == 0) {
            b.sphere = 1;
            ok = fscanf(f, "%lf %lf %lf %lf %lf %lf %lf %lf", b.half, &b.mass, b.p, b.p + 1, b.p + 2, b.v, b.v + 1,
                        b.v + 2) == 8;
            s->body[s->n++] = b;
        } else ok = 0;
    }
    fclose(f);
    if (!ok || !(s->dt > 0) || s->steps < s->blocks || s->blocks < 1) bench_die("bad scene");
}

#ifndef BENCH_JUDGE
/* Processor time, which other processes on the machine disturb least. */
static double bench_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    bench_scene s;
    FILE *poses;
    int block, k, i, n;

    if (argc != 4) bench_die("usage: PROGRAM SCENE VARIANT POSES");
    bench_read(argv[1], &s);
    if (!(poses = fopen(argv[3], "w"))) bench_die("cannot write the poses");
    bench_make(&s, argv[2]);
    n = s.chain > 0 ? s.chain : s.n;
    printf("us");
    for (block = 0; block < s.blocks; ++block) {
        const int steps = s.steps*(block + 1)/s.blocks - s.steps*block/s.blocks;
        const double before = bench_seconds();

        for (k = 0; k < steps; ++k) bench_step();
        printf(" %.4f", 1e6*(bench_seconds() - before)/steps);
        for (i = 0; i < n; ++i) {
            double X[7];

            bench_pose(i, X);
            fprintf(poses, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", X[0], X[1], X[2], X[3], X[4], X[5], X[6]);
        }
    }
    printf("\n");
    fclose(poses);
    free(s.body);
    return 0;
}
#endif

#endif
