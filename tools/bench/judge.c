/* What the comparison's engines reached, judged in the same way for all: prints the deepest overlap of any two
 * bodies, or of one with the ground, over all blocks and at the end [m], and how high the
 * bodies are at the end, in the mean; of chains the largest distance between the ends of rods that
 * a hinge joins, and between rods and those of a reference [m].
 *
 *     judge SCENE POSES [REFERENCE] */
#define BENCH_JUDGE
#include "scene.h"
#include "slipstick.h"

#include <math.h>

static double judge_pair(const bench_body *a, const slip_pose *X, const bench_body *b, const slip_pose *Y)
{
    const slip_shape s = a->sphere ? slip_shape_sphere((slip_real)a->half[0])
        : slip_shape_box((slip_real)a->half[0], (slip_real)a->half[1], (slip_real)a->half[2]);
    const slip_shape t = !b ? slip_shape_halfspace() : b->sphere ? slip_shape_sphere((slip_real)b->half[0])
        : slip_shape_box((slip_real)b->half[0], (slip_real)b->half[1], (slip_real)b->half[2]);
    slip_distance_result r;

    if (slip_distance_within(&s, X, &t, Y, 0, NULL, &r) < 0) bench_die("a pose that is none");
    return r.distance < 0 ? -(double)r.distance : 0;
}

static double judge_reach(const bench_body *b)
{
    return b->sphere ? b->half[0] : sqrt(b->half[0]*b->half[0] + b->half[1]*b->half[1] + b->half[2]*b->half[2]);
}

/* Poses in the order of x, so that only neighbours are tested. */
typedef struct { slip_pose X; const bench_body *b; double reach; } judge_body;

static int judge_order(const void *a, const void *b)
{
    const judge_body *x = (const judge_body *)a, *y = (const judge_body *)b;

    return (x->X.p[0] - (slip_real)x->reach > y->X.p[0] - (slip_real)y->reach)
        - (x->X.p[0] - (slip_real)x->reach < y->X.p[0] - (slip_real)y->reach);
}

static double judge_overlap(judge_body *body, int n)
{
    slip_pose ground;
    double deepest = 0, d;
    int i, j;

    slip_pose_identity(&ground);
    qsort(body, (size_t)n, sizeof *body, judge_order);
    for (i = 0; i < n; ++i) {
        const judge_body *a = &body[i];

        d = judge_pair(a->b, &a->X, NULL, &ground);
        if (d > deepest) deepest = d;
        for (j = i + 1; j < n && (double)(body[j].X.p[0] - a->X.p[0]) <= a->reach + body[j].reach; ++j) {
            const judge_body *b = &body[j];
            const double y = (double)(b->X.p[1] - a->X.p[1]), z = (double)(b->X.p[2] - a->X.p[2]),
                    r = a->reach + b->reach;

            if (y*y + z*z > r*r) continue;
            d = judge_pair(a->b, &a->X, b->b, &b->X);
            if (d > deepest) deepest = d;
        }
    }
    return deepest;
}

static int judge_pose(FILE *f, slip_pose *X)
{
    double p[7];
    slip_real q[4];
    int k;

    for (k = 0; k < 7; ++k) if (fscanf(f, "%lf", &p[k]) != 1) return 0;
    for (k = 0; k < 3; ++k) X->p[k] = (slip_real)p[k];
    for (k = 0; k < 4; ++k) q[k] = (slip_real)p[3 + k];
    slip_quat_to_mat3(q, X->R);
    return 1;
}

static double judge_distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0])*(a[0] - b[0]) + (a[1] - b[1])*(a[1] - b[1]) + (a[2] - b[2])*(a[2] - b[2]));
}

static void judge_chain(const bench_scene *s, FILE *f, FILE *reference)
{
    double gap = 0, error = 0;
    slip_pose X, Y;
    int block, i, k;

    for (block = 0; block < s->blocks; ++block) {
        double joint[3] = { 0, 0, s->height };

        for (i = 0; i < s->chain; ++i) {
            double begin[3], x[3], y[3];

            if (!judge_pose(f, &X) || (reference && !judge_pose(reference, &Y))) bench_die("too few poses");
            for (k = 0; k < 3; ++k) {
                x[k] = (double)X.p[k];
                y[k] = reference ? (double)Y.p[k] : x[k];
                begin[k] = x[k] - s->length/2*(double)X.R[3*k];
            }
            if (judge_distance(begin, joint) > gap) gap = judge_distance(begin, joint);
            if (judge_distance(x, y) > error) error = judge_distance(x, y);
            for (k = 0; k < 3; ++k) joint[k] = x[k] + s->length/2*(double)X.R[3*k];
        }
    }
    printf("gap %.3g error %.3g\n", gap, error);
}

int main(int argc, char **argv)
{
    bench_scene s;
    judge_body *body;
    FILE *f, *reference = NULL;
    double deepest = 0, last = 0, height = 0;
    int block, i;

    if (argc < 3 || !(f = fopen(argv[2], "r"))) bench_die("usage: judge SCENE POSES [REFERENCE]");
    if (argc > 3 && !(reference = fopen(argv[3], "r"))) bench_die("cannot read the reference");
    bench_read(argv[1], &s);
    if (s.chain > 0) return judge_chain(&s, f, reference), 0;
    body = (judge_body *)malloc((size_t)s.n*sizeof *body);
    for (block = 0; block < s.blocks; ++block) {
        for (i = 0; i < s.n; ++i) {
            if (!judge_pose(f, &body[i].X)) bench_die("too few poses");
            body[i].b = &s.body[i];
            body[i].reach = judge_reach(&s.body[i]);
        }
        last = judge_overlap(body, s.n);
        if (last > deepest) deepest = last;
    }
    for (i = 0; i < s.n; ++i) height += (double)body[i].X.p[2]/s.n;
    printf("overlap %.3g end %.3g height %.3g\n", deepest, last, height);
    return 0;
}
