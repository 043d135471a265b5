/* The comparison's scenes in Bullet: sequential impulses with N sweeps (variant si-N), warm starts, split impulses; its
 * defaults otherwise, without damping or sleeping. Chains are hinges between rigid bodies. See scene.h. */
#include "scene.h"

#include <math.h>
#include <btBulletDynamicsCommon.h>

static btDiscreteDynamicsWorld *bench_world;
static btRigidBody **bench_bodies;
static double bench_dt;

static btRigidBody *bench_add(btCollisionShape *shape, double mass, const btVector3 &inertia, const btTransform &X,
        double mu)
{
    btRigidBody::btRigidBodyConstructionInfo info(mass, new btDefaultMotionState(X), shape, inertia);
    btRigidBody *body;

    info.m_friction = mu;
    info.m_linearDamping = info.m_angularDamping = 0;
    body = new btRigidBody(info);
    body->setActivationState(DISABLE_DEACTIVATION);
    bench_world->addRigidBody(body);
    return body;
}

static btRigidBody *bench_free(const bench_body *b, double mu)
{
    btCollisionShape *shape = b->sphere ? static_cast<btCollisionShape *>(new btSphereShape(b->half[0]))
        : new btBoxShape(btVector3(b->half[0], b->half[1], b->half[2]));
    btVector3 inertia;
    btRigidBody *body;

    shape->calculateLocalInertia(b->mass, inertia);
    body = bench_add(shape, b->mass, inertia, btTransform(btQuaternion(b->q[0], b->q[1], b->q[2], b->q[3]),
                                                          btVector3(b->p[0], b->p[1], b->p[2])), mu);
    body->setLinearVelocity(btVector3(b->v[0], b->v[1], b->v[2]));
    return body;
}

static btRigidBody *bench_rod(const bench_scene *s, int i)
{
    const double m = s->rod_mass, l = s->length, r = 0.05*l, across = m*(3*r*r + l*l)/12;
    btRigidBody *body = bench_add(new btEmptyShape, m, btVector3(m*r*r/2, across, across),
                                  btTransform(btQuaternion::getIdentity(), btVector3((i + 0.5)*l, 0, s->height)), 0);
    btHingeConstraint *hinge;

    if (i == 0) hinge = new btHingeConstraint(*body, btVector3(-l/2, 0, 0), btVector3(0, 1, 0));
    else hinge = new btHingeConstraint(*body, *bench_bodies[i - 1], btVector3(-l/2, 0, 0), btVector3(l/2, 0, 0),
                                       btVector3(0, 1, 0), btVector3(0, 1, 0));
    bench_world->addConstraint(hinge, true);
    return body;
}

static void bench_make(const bench_scene *s, const char *variant)
{
    btCollisionConfiguration *config = new btDefaultCollisionConfiguration;
    const int n = s->chain > 0 ? s->chain : s->n;
    int sweeps, i;

    if (sscanf(variant, "si-%d", &sweeps) != 1) bench_die("no such variant of Bullet");
    bench_world = new btDiscreteDynamicsWorld(new btCollisionDispatcher(config), new btDbvtBroadphase,
                                              new btSequentialImpulseConstraintSolver, config);
    bench_world->setGravity(btVector3(0, 0, -9.81));
    bench_world->getSolverInfo().m_numIterations = sweeps;
    bench_dt = s->dt;
    if (s->chain == 0)                                           /* frictions of a pair are multiplied */
        bench_add(new btStaticPlaneShape(btVector3(0, 0, 1), 0), 0, btVector3(0, 0, 0), btTransform::getIdentity(),
                  sqrt(s->mu));
    bench_bodies = new btRigidBody *[n];
    for (i = 0; i < n; ++i) bench_bodies[i] = s->chain > 0 ? bench_rod(s, i) : bench_free(&s->body[i], sqrt(s->mu));
}

static void bench_step(void) { bench_world->stepSimulation(bench_dt, 0); }

static void bench_pose(int i, double X[7])
{
    const btTransform &T = bench_bodies[i]->getWorldTransform();
    const btQuaternion q = T.getRotation();
    int k;

    for (k = 0; k < 3; ++k) X[k] = T.getOrigin()[k];
    X[3] = q.x();  X[4] = q.y();  X[5] = q.z();  X[6] = q.w();
}
