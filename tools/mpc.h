/* A model-predictive planner for the trot: forces of the standing feet over the next third of a second.
 *
 * The robot is one rigid body with the momenta of all its links. With the rotation e from the wanted attitude, centre
 * of mass p, velocity v, angular momentum L about it, inertia I and forces f_i at feet r_i away from p,
 *
 *     v' = sum f_i/m + g,   p' = v,   L' = sum r_i x f_i,   e' = I^-1 L
 *
 * which is linear once the feet and the path of p that r_i is taken from are planned. Forces are constant over each of
 * MPC_STEPS steps. What is minimised,
 *
 *     sum over steps of |x - wanted|^2_Q  +  sum |f|^2_R    with each f_i in its friction cone,
 *
 * with cones along the ground's normal: below a foot that stands, what its contact says; in later stances, that of the
 * plane through the footholds. In axes of the cones this is 1/2 f'Hf + c'f over cones: the optimality conditions are those of the CCP, f in K, Hf + c in K*, f'(Hf + c) = 0.
 * So ccp-newton solves it as a contact problem with G = H and g = c, from the forces of the last plan. */
#ifndef SLIP_TOOLS_MPC_H
#define SLIP_TOOLS_MPC_H

#include "trot_plan.h"

enum { MPC_STEPS = 16, MPC_MOST = TROT_LEGS*MPC_STEPS, MPC_ROWS = 3*MPC_MOST, MPC_STATES = 12 };

/* A force that is planned: whose foot, in which step, its arm from the centre of mass there, and the axes of its cone,
 * columns t1, t2, n. */
typedef struct { int leg, step; slip_real arm[3], axes[9]; } mpc_force;

typedef struct {
    trot_gait gait;
    slip_real step;                      /* [s] of a step of the horizon                                      */
    slip_real every, next;               /* a new plan is made so often, and is due at this time [s]          */
    slip_real height;                    /* of the centre of mass above the feet at the start [m]             */
    slip_real force[TROT_LEGS][3];       /* of the present plan's first step, world axes                      */
    slip_real normal[TROT_LEGS][3];      /* of what a foot last stood on                                      */

    mpc_force list[MPC_MOST];
    int n;
    slip_real *B;                        /* MPC_STATES x 3 n: the state at one step by all forces             */
    slip_real *H, *c, *f, *mu;           /* the problem and its answer                                        */
    void *scratch;
    size_t bytes;
    long plans, missed;                  /* made; those that missed their tolerance                           */
    long iterations;
} mpc;

/* A planner, for trot_set_planner(t, mpc_begin, mpc_plan, m). */
mpc *mpc_new(void);
void mpc_free(mpc *m);                   /* may be NULL */

trot_planner_begin mpc_begin;
trot_planner mpc_plan;

#endif
