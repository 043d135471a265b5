/* See motion_example.h. Velocity by velocity: at each time the contacts are found, the touching points are constrained
 * to rest (or to move along the surface), and the joint velocities of least norm under these constraints are
 * computed. */
#include "motion_example.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "motion_file.h"

enum { EXAMPLE_CONTACTS = 16, EXAMPLE_DOFS = 128 };

typedef struct {
    slip_world *world;
    const slip_model *m;
    int driven[EXAMPLE_DOFS], n;                 /* velocity coordinates that are free to move            */
    slip_real J[3*EXAMPLE_CONTACTS][EXAMPLE_DOFS];
    slip_real wanted[3*EXAMPLE_CONTACTS], v[EXAMPLE_DOFS];
    slip_real A[9*EXAMPLE_CONTACTS*EXAMPLE_CONTACTS];
    int rows;
} example_work;

/* Rows of a contact's point: its velocity per unit of every coordinate, and its desired velocity. */
static void example_add_point(example_work *w, const slip_contact_info *c, const slip_real wanted[3])
{
    static slip_real J[6*EXAMPLE_DOFS];
    const int n = w->m->nv, a_moves = c->link_a >= 0 && w->m->link_body[c->link_a] != 0, link = a_moves ? c->link_a
        : c->link_b;
    slip_pose X;
    slip_real r[3], x[3];
    int i, k;

    slip_link_jacobian(w->m, slip_world_data(w->world), link, SLIP_FRAME_ALIGNED, J);
    slip_link_pose(w->m, slip_world_data(w->world), link, &X);
    slip_sub3(c->point, X.p, r);
    for (i = 0; i < n; ++i) {
        const slip_real turn[3] = { J[3*n + i], J[4*n + i], J[5*n + i] };

        slip_cross3(turn, r, x);
        for (k = 0; k < 3; ++k) w->J[w->rows + k][i] = J[k*n + i] + x[k];
    }
    for (k = 0; k < 3; ++k) w->wanted[w->rows + k] = wanted[k];
    w->rows += 3;
}

/* v of the driven coordinates, of least norm, that gives all points their desired velocities, the other coordinates
 * moving with w->v. */
static int example_solve(example_work *w)
{
    slip_real right[3*EXAMPLE_CONTACTS];
    int i, j, k;

    for (i = 0; i < w->rows; ++i) {
        right[i] = w->wanted[i];
        for (k = 0; k < w->m->nv; ++k) right[i] -= w->J[i][k]*w->v[k];
        for (j = 0; j <= i; ++j) {
            slip_real s = i == j ? SLIP_TOL(1e-12, 1e-6) : 0;

            for (k = 0; k < w->n; ++k) s += w->J[i][w->driven[k]]*w->J[j][w->driven[k]];
            w->A[i*w->rows + j] = s;
        }
    }
    if (slip_chol_factor(w->rows, w->A, w->rows, NULL) != SLIP_OK) return 0;
    slip_chol_solve(w->rows, w->A, w->rows, right);
    for (k = 0; k < w->n; ++k)
        for (i = 0; i < w->rows; ++i) w->v[w->driven[k]] += w->J[i][w->driven[k]]*right[i];
    return 1;
}

/* ---- output -------------------------------------------------------------------------------------------- */

static void example_head(FILE *out, const slip_model *m)
{
    char name[256];
    int i;

    fputs("time", out);
    for (i = 0; i < m->nq; ++i) {
        motion_name(m, 1, "q_", i, name, sizeof name);
        fprintf(out, ",%s", name);
    }
    fputc('\n', out);
}

static void example_row(FILE *out, double t, const slip_real *q, int n)
{
    char text[SLIP_NUMBER_SIZE];
    int i;

    slip_print_double(t, 12, text);
    fputs(text, out);
    for (i = 0; i < n; ++i) {
        slip_print_real(q[i], 0, text);
        fprintf(out, ",%s", text);
    }
    fputc('\n', out);
}

/* ---- the two ------------------------------------------------------------------------------------------- */

/* How the gap of a touching point is worked off. */
static slip_real example_pull(const slip_contact_info *c) { return SLIP_R(-20.0)*c->gap; }

/* All contacts within 5 mm rest. Returns their number. */
static int example_rest(example_work *w)
{
    int i, n = 0;

    for (i = 0; i < slip_contact_count(w->world) && n < EXAMPLE_CONTACTS; ++i) {
        const slip_contact_info c = slip_contact_get(w->world, i);
        const int a_moves = c.link_a >= 0 && w->m->link_body[c.link_a] != 0;
        slip_real wanted[3];

        if (!(c.gap < SLIP_R(5e-3))) continue;
        slip_scale3(a_moves ? -example_pull(&c) : example_pull(&c), c.frame + 6, wanted);
        example_add_point(w, &c, wanted);
        n += 1;
    }
    return n;
}

static int example_nearest(const slip_world *world)
{
    int i, best = -1;

    for (i = 0; i < slip_contact_count(world); ++i)
        if (best < 0 || slip_contact_get(world, i).gap < slip_contact_get(world, best).gap) best = i;
    return best;
}

/* One velocity of a motion; 0 when the scene has nothing to do it with. */
typedef int example_function(example_work *w, double t);

static int example_squat(example_work *w, double t)
{
    const slip_real *q = slip_world_q(w->world);
    const double depth = 0.08, rate = 2*3.14159265358979323846;
    const slip_real down[3] = { 0, 0, (slip_real)(-depth/2*rate*sin(rate*t)) };   /* height: -depth (1 - cos)/2, 1 Hz */
    slip_real e[4];
    int b = 1;

    if (w->m->nbodies < 2 || w->m->type[b] != SLIP_JOINT_FLOATING) return 0;
    slip_quat_conj(q + w->m->iq[b] + 3, e);
    slip_quat_rotate(e, down, w->v + w->m->dof_iv[w->m->idof[b]]);
    return example_rest(w) > 0;
}

static int example_wipe(example_work *w, double t)
{
    const double radius = 0.05, rate = 2*3.14159265358979323846;
    const int i = example_nearest(w->world);
    slip_contact_info c;
    slip_real wanted[3];
    double speed;
    int k, a_moves;

    if (i < 0) return 0;
    c = slip_contact_get(w->world, i);
    a_moves = c.link_a >= 0 && w->m->link_body[c.link_a] != 0;
    speed = radius*rate*(1 - cos(3.14159265358979323846*fmin(1, t/0.5)))/2;         /* starts from rest */
    for (k = 0; k < 3; ++k)
        wanted[k] = (slip_real)(speed*cos(rate*t))*c.frame[k] + (slip_real)(speed*sin(rate*t))*c.frame[3 + k]
                  + (a_moves ? -1 : 1)*example_pull(&c)*c.frame[6 + k];
    example_add_point(w, &c, wanted);
    return 1;
}

static int example_run(const char *command, const char *name, example_function *velocity, sim_session *s, FILE *out)
{
    example_work *w = (example_work *)cli_alloc(sizeof *w);
    slip_world *world = s->world;
    slip_real *q = slip_world_q(world);
    const double dt = (double)slip_world_options_of(world)->dt;
    const int steps = (int)(2/dt + 0.5);
    int k, i, ok = 1;

    w->world = world;
    w->m = slip_world_model(world);
    for (i = w->n = 0; i < w->m->nv; ++i)
        if (w->m->effort_limit[i] > 0 && !(w->m->type[1] == SLIP_JOINT_FLOATING && i < 6)) w->driven[w->n++] = i;
    example_head(out, w->m);
    for (k = 0; k <= steps && ok; ++k) {
        w->rows = 0;
        memset(w->v, 0, sizeof w->v);
        ok = slip_world_update(world) >= 0 && velocity(w, k*dt) && example_solve(w);
        if (!ok) {
            cli_fail(command, "this scene has nothing to %s with: it needs %s", name,
                     velocity == example_squat ? "a robot that floats and stands"
                     : "something that touches a surface at the start");
            break;
        }
        example_row(out, k*dt, q, w->m->nq);
        slip_integrate(w->m, q, w->v, (slip_real)dt, q);
    }
    free(w);
    return ok;
}

int motion_example(const char *command, const char *name, sim_session *s, FILE *out)
{
    if (s->scene.model->nv > EXAMPLE_DOFS)
        return cli_fail(command, "the scene has more than %d freedoms", EXAMPLE_DOFS), 0;
    if (strcmp(name, "squat") == 0) return example_run(command, name, example_squat, s, out);
    if (strcmp(name, "wipe") == 0) return example_run(command, name, example_wipe, s, out);
    return cli_fail(command, "unknown example '%s': squat or wipe", name), 0;
}
