/* Compares our reading of MJCF files with MuJoCo's: mass matrix, bias forces and poses at random states. Built by
 * tests/mujoco/judge.sh where Debian's libmujoco-dev is installed; no other test needs it.
 *
 *   judge FILE...     a line each: name, freedoms, the worst differences of M, bias and poses over 5 states, each
 *                     relative to the largest entry of what is compared (poses: in m); exit 1 when one exceeds 1e-8
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <mujoco/mujoco.h>
#include "slipstick_parts.h"

enum { STATES = 5 };
#define MOST ((size_t)1 << 30)

typedef struct { const slip_model *m; slip_data *d; const mjModel *mj; mjData *md; } judged;

static double worst(double x, double y) { return y > x || isnan(y) ? y : x; }

/* The order of joints is the file's on both sides; where both have names they must agree. */
static int same_joints(const judged *j)
{
    int b, k = 0;

    if (j->m->nv != j->mj->nv || j->m->nq != j->mj->nq) return 0;
    for (b = 1; b < j->m->nbodies; ++b, ++k) {
        const char *ours = j->m->joint_name[j->m->body_joint[b]], *theirs = mj_id2name(j->mj, mjOBJ_JOINT, k);

        if (theirs && strcmp(ours, theirs) != 0) return fprintf(stderr, "%s, not %s: ", ours, theirs), 0;
    }
    return 1;
}

/* Their qpos of our q: hinges and slides begin at their reference. */
static void to_theirs(const judged *j, const double *q, double *qpos)
{
    int k;

    slip_q_to_mujoco(j->m, q, qpos);
    for (k = 0; k < j->mj->njnt; ++k)
        if (j->mj->jnt_type[k] >= mjJNT_SLIDE) qpos[j->mj->jnt_qposadr[k]] += j->mj->qpos0[j->mj->jnt_qposadr[k]];
}

static double compare_poses(const judged *j)
{
    double most = 0;
    int b, link, k;

    for (b = 1; b < j->mj->nbody; ++b) {
        const char *name = mj_id2name(j->mj, mjOBJ_BODY, b);
        slip_pose X;

        if (!name || (link = slip_model_find_link(j->m, name)) < 0) continue;
        slip_link_pose(j->m, j->d, link, &X);
        for (k = 0; k < 3; ++k) most = worst(most, fabs(X.p[k] - j->md->xpos[3*b + k]));
        for (k = 0; k < 9; ++k) most = worst(most, fabs(X.R[k] - j->md->xmat[9*b + k]));
    }
    return most;
}

/* M, by its products with unit accelerations: theirs of converted ones, at rest, converted back. */
static double compare_mass(const judged *j, const double *q)
{
    const int nv = j->m->nv;
    double *M = malloc((size_t)nv*(size_t)nv*sizeof *M), *a = calloc((size_t)nv, sizeof *a);
    double *z = calloc((size_t)nv, sizeof *z);
    double *qacc = malloc((size_t)nv*sizeof *a), *f = malloc((size_t)nv*sizeof *f), *tau = malloc((size_t)nv*sizeof *f);
    double most = 0, largest = 0;
    int i, k;

    slip_crba(j->m, j->d, q);
    slip_mass_matrix(j->m, j->d, M);
    for (i = 0; i < nv; ++i) {
        a[i] = 1;
        slip_a_to_mujoco(j->m, q, z, a, qacc);
        mj_mulM(j->mj, j->md, f, qacc);
        slip_tau_from_mujoco(j->m, q, f, tau);
        for (k = 0; k < nv; ++k) {
            most = worst(most, fabs(M[k*nv + i] - tau[k]));
            largest = worst(largest, fabs(tau[k]));
        }
        a[i] = 0;
    }
    free(M); free(a); free(z); free(qacc); free(f); free(tau);
    return largest > 0 ? most/largest : most;
}

/* tau of no acceleration: theirs is M qacc + bias with the qacc that our a = 0 means. */
static double compare_bias(const judged *j, const double *q, const double *v)
{
    const int nv = j->m->nv;
    double *nle = malloc((size_t)nv*sizeof *nle), *z = calloc((size_t)nv, sizeof *z), *f = malloc((size_t)nv*sizeof *f);
    double *qacc = malloc((size_t)nv*sizeof *f), *tau = malloc((size_t)nv*sizeof *f), most = 0, largest = 0;
    int i;

    slip_bias(j->m, j->d, q, v, nle);
    slip_a_to_mujoco(j->m, q, v, z, qacc);
    mj_mulM(j->mj, j->md, f, qacc);
    for (i = 0; i < nv; ++i) f[i] += j->md->qfrc_bias[i];
    slip_tau_from_mujoco(j->m, q, f, tau);
    for (i = 0; i < nv; ++i) {
        most = worst(most, fabs(nle[i] - tau[i]));
        largest = worst(largest, fabs(tau[i]));
    }
    free(nle); free(z); free(f); free(qacc); free(tau);
    return most/worst(1e-6, largest);                          /* a plane has no bias: rounding against 1 uN */
}

static int judge(const char *path)
{
    slip_urdf_options opt = slip_urdf_defaults();
    slip_arena mem = slip_arena_over(malloc(MOST), MOST);
    slip_random rng = slip_random_seed(3);
    slip_error err;
    slip_urdf robot;
    judged j;
    char why[1000] = "";
    double *q, *v, diff[3] = { 0, 0, 0 };
    int i, k;

    memset(&j, 0, sizeof j);
    opt.independent_mimics = 1;
    slip_error_clear(&err);
    j.mj = mj_loadXML(path, NULL, why, sizeof why);
    if (!j.mj) return printf("%s: MuJoCo cannot read it: %s\n", path, why), 0;
    if (slip_robot_load(path, &opt, &mem, &robot, NULL, &err) < 0
        || slip_model_build(&robot.def, &mem, &j.m, NULL, &err) < 0)
        return printf("%s:%d: FAILED: %s\n", path, err.line, err.what), 1;
    if (!same_joints(&j)) return printf("%s: FAILED: %d freedoms, theirs %d\n", path, j.m->nv, j.mj->nv), 1;
    j.md = mj_makeData(j.mj);
    slip_data_create(j.m, &mem, &j.d);
    q = malloc(((size_t)j.m->nq + 1)*sizeof *q);
    v = malloc(((size_t)j.m->nv + 1)*sizeof *v);
    for (k = 0; k < STATES; ++k) {
        slip_random_q(j.m, &rng, q);
        for (i = 0; i < j.m->nv; ++i) v[i] = slip_random_uniform(&rng, -1, 1);
        to_theirs(&j, q, j.md->qpos);
        slip_v_to_mujoco(j.m, q, v, j.md->qvel);
        mj_kinematics(j.mj, j.md);
        mj_comPos(j.mj, j.md);
        mj_crb(j.mj, j.md);
        mj_comVel(j.mj, j.md);
        mj_rne(j.mj, j.md, 0, j.md->qfrc_bias);
        slip_kinematics(j.m, j.d, q);
        diff[2] = worst(diff[2], compare_poses(&j));
        diff[0] = worst(diff[0], compare_mass(&j, q));
        diff[1] = worst(diff[1], compare_bias(&j, q, v));
    }
    k = !(diff[0] <= 1e-8 && diff[1] <= 1e-8 && diff[2] <= 1e-8);
    printf("%s: nv %d, M %.1e, bias %.1e, poses %.1e%s\n", path, j.m->nv, diff[0], diff[1], diff[2],
           k ? " FAILED" : "");
    mj_deleteData(j.md);
    free(q); free(v); free(mem.base);
    return k;
}

int main(int argc, char **argv)
{
    int i, failed = 0;

    for (i = 1; i < argc; ++i) failed += judge(argv[i]);
    printf("%d of %d\n", argc - 1 - failed, argc - 1);
    return failed > 0;
}
