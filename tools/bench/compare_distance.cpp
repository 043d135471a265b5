/* Pair queries of FCL, Bullet and libccd beside Slipstick's, in one process, in turn, on the same pairs:
 *
 *     compare_distance [BATCHES]
 *
 * Prints a line a kind of pair and side: kinds, apart or overlap, library, least nanoseconds a query, largest error of
 * the distance [m]. The error is against a bound that needs no reference: of the normal that a library gives (FCL: of
 * its two points), how far apart the shapes' supporting planes across it are. Apart, the largest such gap over all
 * normals is the distance; overlapping, minus the least one is the depth; so one library's answer bounds every
 * other's error from one side, and the best bound of all libraries is taken as the truth. Bullet's shapes are made
 * without margins where it allows that. libccd: overlapping pairs alone, which is what its GJK and MPR with EPA
 * answer. */
#define _POSIX_C_SOURCE 200112L
#include <ccd/ccd.h>
#include <ccd/quat.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/sphere.h>
#include <btBulletCollisionCommon.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <memory>
#include <vector>

#include "slipstick.h"

enum { SPHERE, BOX, CAPSULE, MESH, KINDS, PAIRS = 64, LIBRARIES = 4 };
static const char *const kind_name[KINDS] = { "sphere", "box", "capsule", "mesh" };
static const char *const library_name[LIBRARIES] = { "slipstick", "fcl", "bullet", "libccd" };

struct body {
    slip_shape ours;
    slip_pose pose;
    std::shared_ptr<fcl::CollisionGeometryd> theirs;
    fcl::Transform3d X;
    btConvexShape *bullet;
    btTransform T;
    ccd_vec3_t position;
    ccd_quat_t turn;
};
struct pair { body a, b; };

/* ---- random bodies --------------------------------------------------------------------------------------------- */

static uint64_t random_state = 11;

static double uniform(double lo, double hi)
{
    random_state = random_state*UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return lo + (hi - lo)*((double)(random_state >> 11)/9007199254740992.0);
}

static void make_mesh(body *o)
{
    static const int counts[4] = { 8, 20, 50, 100 };
    const int n = counts[(int)uniform(0, 4)];
    std::vector<slip_real> x;
    slip_hull *hull = new slip_hull;
    slip_arena mem = slip_arena_over(malloc(slip_hull_bytes(n)), slip_hull_bytes(n));
    auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
    auto faces = std::make_shared<std::vector<int>>();

    while ((int)x.size() < 3*n) {
        const double a = uniform(-1, 1), b = uniform(-1, 1), c = uniform(-1, 1), r = sqrt(a*a + b*b + c*c);

        if (r > 1 || r < 0.1) continue;
        x.push_back((slip_real)(a/r));  x.push_back((slip_real)(b/r));  x.push_back((slip_real)(c/r));
    }
    slip_hull_build(x.data(), n, 0, &mem, hull, NULL);
    o->ours = slip_shape_mesh(hull);
    btConvexHullShape *points = new btConvexHullShape;
    for (int i = 0; i < hull->nv; ++i) {
        const slip_real *v = hull->vertex + 3*i;

        vertices->push_back(fcl::Vector3d(v[0], v[1], v[2]));
        points->addPoint(btVector3((btScalar)v[0], (btScalar)v[1], (btScalar)v[2]), i + 1 == hull->nv);
    }
    for (int f = 0; f < hull->nf; ++f) {
        faces->push_back(hull->loop_start[f + 1] - hull->loop_start[f]);
        for (int k = hull->loop_start[f]; k < hull->loop_start[f + 1]; ++k) faces->push_back(hull->loop[k]);
    }
    points->setMargin(0);
    o->bullet = points;
    o->theirs = std::make_shared<fcl::Convexd>(vertices, hull->nf, faces);
}

static void make(body *o, int kind)
{
    const double a = uniform(0.2, 1), b = uniform(0.2, 1), c = uniform(0.2, 1);
    double q[4], r;

    if (kind == SPHERE) {
        o->ours = slip_shape_sphere((slip_real)a);
        o->theirs = std::make_shared<fcl::Sphered>(a);
        o->bullet = new btSphereShape((btScalar)a);
    } else if (kind == BOX) {
        o->ours = slip_shape_box((slip_real)a, (slip_real)b, (slip_real)c);
        o->theirs = std::make_shared<fcl::Boxd>(2*a, 2*b, 2*c);
        o->bullet = new btBoxShape(btVector3((btScalar)a, (btScalar)b, (btScalar)c));
        o->bullet->setMargin(0);
    } else if (kind == CAPSULE) {
        o->ours = slip_shape_capsule((slip_real)(a/2), (slip_real)b);
        o->theirs = std::make_shared<fcl::Capsuled>(a/2, 2*b);
        o->bullet = new btCapsuleShapeZ((btScalar)(a/2), (btScalar)(2*b));
    } else make_mesh(o);
    do {
        for (int k = 0; k < 4; ++k) q[k] = uniform(-1, 1);
        r = sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]);
    } while (r > 1 || r < 0.1);
    for (int k = 0; k < 3; ++k) o->pose.p[k] = (slip_real)uniform(-1, 1);
    {                                                            /* rotation matrix of a unit quaternion x y z w */
        const double x = q[0]/r, y = q[1]/r, z = q[2]/r, w = q[3]/r;
        const double R[9] = { 1 - 2*(y*y + z*z), 2*(x*y - z*w), 2*(x*z + y*w), 2*(x*y + z*w), 1 - 2*(x*x + z*z),
                              2*(y*z - x*w), 2*(x*z - y*w), 2*(y*z + x*w), 1 - 2*(x*x + y*y) };

        for (int k = 0; k < 9; ++k) o->pose.R[k] = (slip_real)R[k];
    }
}

/* The other libraries' poses from ours. */
static void place(body *o)
{
    const slip_real *R = o->pose.R, *p = o->pose.p;

    o->X = fcl::Transform3d::Identity();
    for (int i = 0; i < 3; ++i) {
        o->X.translation()[i] = p[i];
        for (int j = 0; j < 3; ++j) o->X.linear()(i, j) = R[3*i + j];
    }
    o->T = btTransform(btMatrix3x3((btScalar)R[0], (btScalar)R[1], (btScalar)R[2], (btScalar)R[3], (btScalar)R[4],
                                   (btScalar)R[5], (btScalar)R[6], (btScalar)R[7], (btScalar)R[8]),
                       btVector3((btScalar)p[0], (btScalar)p[1], (btScalar)p[2]));
    {
        const Eigen::Quaterniond q(o->X.linear());

        ccdVec3Set(&o->position, (ccd_real_t)p[0], (ccd_real_t)p[1], (ccd_real_t)p[2]);
        ccdQuatSet(&o->turn, (ccd_real_t)q.x(), (ccd_real_t)q.y(), (ccd_real_t)q.z(), (ccd_real_t)q.w());
    }
}

/* ---- supports -------------------------------------------------------------------------------------------------- */

/* The furthest a body reaches along a direction of the world. */
static double reach(const body *o, const double n[3])
{
    const slip_real *R = o->pose.R;
    double d[3], h = 0;

    for (int k = 0; k < 3; ++k) d[k] = R[k]*n[0] + R[3 + k]*n[1] + R[6 + k]*n[2];
    if (o->ours.kind == SLIP_SHAPE_SPHERE) h = o->ours.radius;
    else if (o->ours.kind == SLIP_SHAPE_CAPSULE) h = o->ours.radius + o->ours.half[2]*fabs(d[2]);
    else if (o->ours.kind == SLIP_SHAPE_BOX) for (int k = 0; k < 3; ++k) h += o->ours.half[k]*fabs(d[k]);
    else {
        h = -INFINITY;
        for (int i = 0; i < o->ours.hull->nv; ++i) {
            const slip_real *v = o->ours.hull->vertex + 3*i;

            h = fmax(h, v[0]*d[0] + v[1]*d[1] + v[2]*d[2]);
        }
    }
    return h + o->pose.p[0]*n[0] + o->pose.p[1]*n[1] + o->pose.p[2]*n[2];
}

/* How far apart the planes across n are between which there is nothing of either body; NaN for no direction. */
static double gap_along(const pair *p, const double n[3])
{
    const double m[3] = { -n[0], -n[1], -n[2] };

    return -reach(&p->a, n) - reach(&p->b, m);
}

static void ccd_support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *out)
{
    const body *o = static_cast<const body *>(object);
    ccd_quat_t back;
    ccd_vec3_t d;

    ccdQuatInvert2(&back, &o->turn);
    ccdVec3Copy(&d, direction);
    ccdQuatRotVec(&d, &back);
    if (o->ours.kind == SLIP_SHAPE_MESH) {
        const slip_hull *h = o->ours.hull;
        double most = -INFINITY;

        for (int i = 0; i < h->nv; ++i) {
            const slip_real *v = h->vertex + 3*i;
            const double x = v[0]*d.v[0] + v[1]*d.v[1] + v[2]*d.v[2];

            if (x <= most) continue;
            most = x;
            ccdVec3Set(out, (ccd_real_t)v[0], (ccd_real_t)v[1], (ccd_real_t)v[2]);
        }
    } else if (o->ours.kind == SLIP_SHAPE_BOX)
        ccdVec3Set(out, ccdSign(d.v[0])*o->ours.half[0], ccdSign(d.v[1])*o->ours.half[1],
                ccdSign(d.v[2])*o->ours.half[2]);
    else {
        const double r = o->ours.radius/sqrt(ccdVec3Len2(&d));

        ccdVec3Set(out, d.v[0]*r, d.v[1]*r,
                d.v[2]*r + (o->ours.kind == SLIP_SHAPE_CAPSULE ? ccdSign(d.v[2])*o->ours.half[2] : 0));
    }
    ccdQuatRotVec(out, &o->turn);
    ccdVec3Add(out, &o->position);
}

/* ---- queries: the distance, negative inside, and a direction from a to b (0: none) ----------------------------- */

struct answer { double distance, normal[3]; bool is; };

static answer ask_slipstick(const pair *p, bool)
{
    slip_distance_result r;
    answer a = { 0, { 0, 0, 0 }, true };

    slip_distance(&p->a.ours, &p->a.pose, &p->b.ours, &p->b.pose, NULL, &r);
    a.distance = r.distance;
    for (int k = 0; k < 3; ++k) a.normal[k] = r.normal[k];
    return a;
}

static answer ask_fcl(const pair *p, bool overlap)
{
    answer a = { 0, { 0, 0, 0 }, true };

    if (overlap) {
        fcl::CollisionRequestd request(1, true);
        fcl::CollisionResultd result;

        request.gjk_solver_type = fcl::GST_LIBCCD;
        fcl::collide(p->a.theirs.get(), p->a.X, p->b.theirs.get(), p->b.X, request, result);
        if (result.numContacts() == 0) { a.is = false; return a; }
        a.distance = -result.getContact(0).penetration_depth;
        for (int k = 0; k < 3; ++k) a.normal[k] = result.getContact(0).normal[k];
    } else {
        fcl::DistanceRequestd request(true);
        fcl::DistanceResultd result;

        request.gjk_solver_type = fcl::GST_LIBCCD;
        a.distance = fcl::distance(p->a.theirs.get(), p->a.X, p->b.theirs.get(), p->b.X, request, result);
        for (int k = 0; k < 3; ++k) a.normal[k] = result.nearest_points[1][k] - result.nearest_points[0][k];
    }
    return a;
}

static answer ask_bullet(const pair *p, bool)
{
    static btVoronoiSimplexSolver simplex;
    static btGjkEpaPenetrationDepthSolver depth;
    btGjkPairDetector detector(p->a.bullet, p->b.bullet, &simplex, &depth);
    btDiscreteCollisionDetectorInterface::ClosestPointInput input;
    btPointCollector result;
    answer a = { 0, { 0, 0, 0 }, true };

    input.m_transformA = p->a.T;
    input.m_transformB = p->b.T;
    detector.getClosestPoints(input, result, 0);
    a.is = result.m_hasResult;
    a.distance = result.m_distance;
    for (int k = 0; k < 3; ++k) a.normal[k] = -result.m_normalOnBInWorld[k];
    return a;
}

static answer ask_ccd(const pair *p, bool overlap)
{
    answer a = { 0, { 0, 0, 0 }, true };
    ccd_real_t depth;
    ccd_vec3_t direction, position;
    ccd_t ccd;

    a.is = overlap;
    if (!overlap) return a;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = ccd_support;
    ccd.max_iterations = 200;
    ccd.epa_tolerance = (ccd_real_t)1e-6;
    a.is = ccdGJKPenetration(&p->a, &p->b, &ccd, &depth, &direction, &position) == 0;
    a.distance = -(double)depth;
    for (int k = 0; k < 3; ++k) a.normal[k] = direction.v[k];
    return a;
}

typedef answer question(const pair *, bool);
static question *const ask[LIBRARIES] = { ask_slipstick, ask_fcl, ask_bullet, ask_ccd };

/* ---- the table ------------------------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

static volatile double sink;

static double batch(question *q, const std::vector<pair> &pairs, bool overlap)
{
    const int repeats = 1 + 500/(int)pairs.size();
    const double begun = now();

    for (int k = 0; k < repeats; ++k) for (const pair &p : pairs) sink += q(&p, overlap).distance;
    return 1e9*(now() - begun)/(repeats*(double)pairs.size());
}

/* The largest gap along any library's normal: the distance, or minus the depth, as well as any of them knows it. */
static double truth(const pair *p, bool overlap)
{
    double best = -INFINITY;

    for (int k = 0; k < LIBRARIES; ++k) {
        answer a = ask[k](p, overlap);
        const double r = sqrt(a.normal[0]*a.normal[0] + a.normal[1]*a.normal[1] + a.normal[2]*a.normal[2]);

        if (!a.is || !(r > 0)) continue;
        for (int s = -1; s <= 1; s += 2) {                       /* conventions of signs differ */
            const double n[3] = { s*a.normal[0]/r, s*a.normal[1]/r, s*a.normal[2]/r };

            best = fmax(best, gap_along(p, n));
        }
    }
    return best;
}

static void row(int i, int j, bool overlap, int batches)
{
    std::vector<pair> pairs;
    double best[LIBRARIES], error[LIBRARIES];
    int failed[LIBRARIES] = { 0, 0, 0, 0 };

    for (int n = 0; n < PAIRS; ) {
        pair p;
        slip_distance_result r;

        make(&p.a, i);
        make(&p.b, j);
        for (int k = 0; k < 3 && !overlap; ++k) p.b.pose.p[k] = (slip_real)(2.5*p.b.pose.p[k]);
        slip_distance(&p.a.ours, &p.a.pose, &p.b.ours, &p.b.pose, NULL, &r);
        if ((r.distance < -1e-3) != overlap || fabs((double)r.distance) < 1e-3) continue;
        place(&p.a);
        place(&p.b);
        pairs.push_back(p);
        ++n;
    }
    for (int k = 0; k < LIBRARIES; ++k) { best[k] = INFINITY; error[k] = 0; }
    for (const pair &p : pairs) {
        const double d = truth(&p, overlap);

        for (int k = 0; k < LIBRARIES; ++k) {
            const answer a = ask[k](&p, overlap);

            if (!a.is) ++failed[k];
            else error[k] = fmax(error[k], fabs(a.distance - d));
        }
    }
    for (int t = 0; t < batches; ++t)
        for (int k = 0; k < LIBRARIES; ++k) if (failed[k] < PAIRS) best[k] = fmin(best[k], batch(ask[k], pairs,
                overlap));
    for (int k = 0; k < LIBRARIES; ++k)
        if (failed[k] < PAIRS)
            printf("%s-%s,%s,%s,%.2f,%.3g,%d\n", kind_name[i], kind_name[j], overlap ? "overlap" : "apart",
                    library_name[k],
                   best[k], error[k], failed[k]);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const int batches = argc > 1 ? atoi(argv[1]) : 50;

    for (int i = 0; i < KINDS; ++i)
        for (int j = i; j < KINDS; ++j) {
            row(i, j, false, batches);
            row(i, j, true, batches);
        }
    return 0;
}
