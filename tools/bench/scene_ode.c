/* The comparison's scenes in ODE: quick step with N iterations (variant quick-N) or the direct step (variant direct);
 * its defaults otherwise, with a friction pyramid, no bounce, no sleeping. See scene.h. */
#include "scene.h"

#include <ode/ode.h>

enum { BENCH_CONTACTS = 8 };
static dWorldID bench_world;
static dSpaceID bench_space;
static dJointGroupID bench_group;
static dBodyID *bench_body_id;
static double bench_mu, bench_dt;
static int bench_quick;

static void bench_near(void *unused, dGeomID a, dGeomID b)
{
    dContact contact[BENCH_CONTACTS];
    int n, i;

    (void)unused;
    n = dCollide(a, b, BENCH_CONTACTS, &contact[0].geom, sizeof *contact);
    for (i = 0; i < n; ++i) {
        contact[i].surface.mode = dContactApprox1;
        contact[i].surface.mu = (dReal)bench_mu;
        dJointAttach(dJointCreateContact(bench_world, bench_group, &contact[i]), dGeomGetBody(a), dGeomGetBody(b));
    }
}

static dBodyID bench_rod(const bench_scene *s, int i)
{
    const double m = s->rod_mass, l = s->length, r = 0.05*l, across = m*(3*r*r + l*l)/12;
    dBodyID body = dBodyCreate(bench_world);
    dJointID hinge = dJointCreateHinge(bench_world, 0);
    dMass mass;

    dMassSetParameters(&mass, (dReal)m, 0, 0, 0, (dReal)(m*r*r/2), (dReal)across, (dReal)across, 0, 0, 0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, (dReal)((i + 0.5)*l), 0, (dReal)s->height);
    dJointAttach(hinge, body, i > 0 ? bench_body_id[i - 1] : 0);
    dJointSetHingeAnchor(hinge, (dReal)(i*l), 0, (dReal)s->height);
    dJointSetHingeAxis(hinge, 0, 1, 0);
    return body;
}

static dBodyID bench_free(const bench_body *b)
{
    const dQuaternion q = { (dReal)b->q[3], (dReal)b->q[0], (dReal)b->q[1], (dReal)b->q[2] };
    dBodyID body = dBodyCreate(bench_world);
    dGeomID geom;
    dMass mass;

    if (b->sphere) {
        dMassSetSphereTotal(&mass, (dReal)b->mass, (dReal)b->half[0]);
        geom = dCreateSphere(bench_space, (dReal)b->half[0]);
    } else {
        dMassSetBoxTotal(&mass, (dReal)b->mass, (dReal)(2*b->half[0]), (dReal)(2*b->half[1]), (dReal)(2*b->half[2]));
        geom = dCreateBox(bench_space, (dReal)(2*b->half[0]), (dReal)(2*b->half[1]), (dReal)(2*b->half[2]));
    }
    dBodySetMass(body, &mass);
    dGeomSetBody(geom, body);
    dBodySetPosition(body, (dReal)b->p[0], (dReal)b->p[1], (dReal)b->p[2]);
    dBodySetQuaternion(body, q);
    dBodySetLinearVel(body, (dReal)b->v[0], (dReal)b->v[1], (dReal)b->v[2]);
    return body;
}

static void bench_make(const bench_scene *s, const char *variant)
{
    const int n = s->chain > 0 ? s->chain : s->n;
    int i, iterations = 0;

    dInitODE();
    bench_world = dWorldCreate();
    bench_space = dHashSpaceCreate(0);
    bench_group = dJointGroupCreate(0);
    bench_quick = sscanf(variant, "quick-%d", &iterations) == 1;
    if (!bench_quick && strcmp(variant, "direct") != 0) bench_die("no such variant of ODE");
    dWorldSetGravity(bench_world, 0, 0, (dReal)-9.81);
    dWorldSetAutoDisableFlag(bench_world, 0);
    if (bench_quick) dWorldSetQuickStepNumIterations(bench_world, iterations);
    bench_mu = s->mu;
    bench_dt = s->dt;
    if (s->chain == 0) dCreatePlane(bench_space, 0, 0, 1, 0);
    bench_body_id = (dBodyID *)malloc((size_t)n*sizeof *bench_body_id);
    for (i = 0; i < n; ++i) bench_body_id[i] = s->chain > 0 ? bench_rod(s, i) : bench_free(&s->body[i]);
}

static void bench_step(void)
{
    dSpaceCollide(bench_space, 0, bench_near);
    if (bench_quick) dWorldQuickStep(bench_world, (dReal)bench_dt);
    else dWorldStep(bench_world, (dReal)bench_dt);
    dJointGroupEmpty(bench_group);
}

static void bench_pose(int i, double X[7])
{
    const dReal *p = dBodyGetPosition(bench_body_id[i]), *q = dBodyGetQuaternion(bench_body_id[i]);
    int k;

    for (k = 0; k < 3; ++k) X[k] = p[k];
    X[3] = q[1];  X[4] = q[2];  X[5] = q[3];  X[6] = q[0];
}
