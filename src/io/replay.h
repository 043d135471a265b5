/* Replays: a recorder that keeps frames of a world in fixed memory, and a writer that puts one or more recorded runs
 * into one self-contained HTML page (docs/replay.md).
 *
 *     slip_replay_create(&def, &mem, &rec, &err);
 *     slip_replay_step(rec, world);                                      the start
 *     while (…) { slip_step(world); slip_replay_step(rec, world); }      keeps a frame when one is due
 *     slip_replay_end(rec, world);                                       the last state, whatever its time
 *     slip_replay_write(&page, out); */
#ifndef SLIP_IO_REPLAY_H
#define SLIP_IO_REPLAY_H

#include "io/stream.h"
#include "sim/world.h"

/* ---- what is shown ------------------------------------------------------------------------------ */

struct slip_trimesh;             /* geom/trimesh.h */

/* A shape to be drawn on a link, instead of the link's colliders. */
typedef struct {
    int link;                    /* -1: the world                                                               */
    slip_shape shape;            /* a mesh may have its triangles instead of a hull                             */
    const struct slip_trimesh *mesh; /* NULL: the shape says it all                                                 */
    slip_pose pose;              /* in the link's frame                                                         */
    slip_real colour[4];         /* red, green, blue, opacity in 0..1; all 0: chosen                            */
} slip_replay_visual;

typedef struct {
    slip_real eye[3], target[3]; /* world [m]; equal: the page finds a view itself                              */
    slip_real fov;               /* vertical opening [degrees]; 0: 45                                           */
    int follow;                  /* link that the view moves along with; -1: none                               */
} slip_replay_camera;

typedef struct {
    const slip_world_def *world; /* must outlive the recorder                                                   */
    const slip_solver *solver;   /* NULL: that of the world's options                                           */
    const char *label;           /* what the run is called on the page; NULL: the solver                        */
    int nvisuals;
    const slip_replay_visual *visuals;
    slip_real fps;               /* frames a second [1/s]: 60                                                   */
    int max_contacts;            /* most kept of a frame, those with the largest impulses: 256                  */
    size_t room;                 /* bytes for frames. When they are used up, every second frame is given up and
                                    frames are kept half as often from then on                                  */
} slip_replay_def;

slip_replay_def slip_replay_defaults(const slip_world_def *world);         /* room: 64 MB                         */

/* ---- recording ---------------------------------------------------------------------------------- */

/* The curves over time. Maxima are over the steps since the last frame. */
typedef enum {
    SLIP_CURVE_KINETIC, SLIP_CURVE_POTENTIAL,            /* [J]                                                  */
    SLIP_CURVE_NORMAL, SLIP_CURVE_TANGENT,               /* sums of contact forces of the last step [N]          */
    SLIP_CURVE_RESIDUAL,                                 /* largest eps of the NCP                               */
    SLIP_CURVE_PENETRATION,                              /* deepest overlap [m]                                  */
    SLIP_CURVE_CONTACTS, SLIP_CURVE_ITERATIONS,          /* of the last step; most of a step                     */
    SLIP_CURVES
} slip_curve;

/* A contact breaks a law (SLIP_LAW_... of residual.h) when it misses it by more than rounding and usual tolerances
 * explain:
 *   Signorini     sigma_n above 0.1 mm/s and 1e-3 of sigma under a force, or below -0.1 mm/s
 *   Coulomb       |lambda_T| above 1.001 mu lambda_n
 *   dissipation   friction more than 1 degree off -sigma_T, or below 0.99 of its limit, where the contact slips
 * Separation and friction count only under a force, a normal impulse of more than a hundredth (in float, three) of the
 * step's largest: interior-point methods leave a small impulse on every contact. */

typedef struct {
    int collider_a, collider_b;
    uint32_t feature;
    float point[3], quat[4];     /* world; the rotation whose rows are t1, t2, n, as a quaternion x y z w        */
    float gap, mu;
    float impulse[3], velocity[3];                       /* t1, t2, n                                            */
    float eps[3];                /* primal, dual, complementarity                                                */
    int state, broken;           /* slip_contact_state; laws                                                     */
} slip_replay_contact;

/* A run as numbers, for tables and comparisons. Sums and maxima are over all steps. */
typedef struct {
    long steps, missed;          /* missed: steps whose solver did not reach its tolerance                       */
    slip_real residual, penetration;                     /* maxima                                               */
    slip_real signorini, coulomb, dissipation;           /* maxima over contacts: power |lambda_n sigma_n|/dt [W],
                                    |lambda_T| - mu lambda_n over dt [N], power friction failed to take [W]      */
    long contacts, broken[3];    /* contacts of all steps; those that break Signorini, Coulomb, dissipation      */
    long iterations;             /* sum                                                                          */
    double seconds;              /* of the steps for which the world had a clock,                                */
    long timed;                  /* and how many those were                                                      */
} slip_replay_summary;

typedef struct slip_replay slip_replay;

/* A recorder, from mem: about def->room bytes. SLIP_ERR_WORKSPACE (also when not even two frames would fit),
 * SLIP_ERR_ARGUMENT. */
slip_status slip_replay_create(const slip_replay_def *def, slip_arena *mem, slip_replay **rec, slip_error *err);
size_t      slip_replay_bytes(const slip_replay_def *def);

/* Looks at the world after a step (once before the first, too) and keeps a frame when one is due. Leaves the poses
 * of the present state in slip_world_data(), so read sensors of the step before. */
void slip_replay_step(slip_replay *rec, slip_world *world);

/* Keeps the present state as the last frame unless it is kept already. */
void slip_replay_end(slip_replay *rec, slip_world *world);

/* ---- the page ----------------------------------------------------------------------------------- */

typedef struct {
    const char *title, *about;   /* plain text, shown; may be NULL                                               */
    const char *command;         /* what made it; may be NULL                                                    */
    slip_replay_camera camera;
    int nruns;                   /* at least 1; all of the same world but for their options                      */
    const slip_replay *const *runs;
    int reference;               /* run the others are compared with; -1: none                                   */
} slip_replay_page;

/* Writes the page. SLIP_ERR_ARGUMENT: no run, or runs of different worlds; SLIP_ERR_FILE: the stream refused. */
slip_status slip_replay_write(const slip_replay_page *page, slip_stream *out);

#endif
