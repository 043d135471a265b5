/* Runs to look at: a recorder that keeps frames of a world in fixed memory, and a writer that puts one or more
 * recorded runs into one HTML page that needs nothing else (docs/replay.md).
 *
 *     slip_replay_begin(&def, &mem, &rec, &err);
 *     slip_replay_step(rec, world);                                      the start
 *     while (…) { slip_step(world); slip_replay_step(rec, world); }      keeps a frame when one is due
 *     slip_replay_end(rec, world);                                       the last state, whatever its time
 *     slip_replay_write(&page, out); */
#ifndef SLIP_IO_REPLAY_H
#define SLIP_IO_REPLAY_H

#include "geom/trimesh.h"
#include "io/stream.h"
#include "sim/world.h"

/* ---- what is shown ------------------------------------------------------------------------------ */

/* A shape to be drawn on a link, instead of the link's colliders. */
typedef struct {
    int link;                    /* -1: the world                                                               */
    slip_shape shape;            /* a mesh may have its triangles instead of a hull                             */
    const slip_trimesh *mesh;    /* NULL: the shape says it all                                                 */
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
    const char *solver;          /* id or chain; NULL: that of the world's options                              */
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

/* What is kept as a curve over time. Maxima are over the steps since the last frame. */
typedef enum {
    SLIP_CURVE_KINETIC, SLIP_CURVE_POTENTIAL,            /* [J]                                                  */
    SLIP_CURVE_NORMAL, SLIP_CURVE_TANGENT,               /* sums of contact forces of the last step [N]          */
    SLIP_CURVE_RESIDUAL,                                 /* largest eps of the NCP                               */
    SLIP_CURVE_PENETRATION,                              /* deepest overlap [m]                                  */
    SLIP_CURVE_CONTACTS, SLIP_CURVE_ITERATIONS,          /* of the last step; most of a step                     */
    SLIP_CURVES
} slip_curve;
const char *slip_curve_name(slip_curve curve);
const char *slip_curve_unit(slip_curve curve);

/* Laws of contact (PAPERS.md Sec. 1), as bits: broken where a contact misses them by more than rounding and the
 * usual tolerances explain: sigma_n above 0.1 mm/s and 1e-3 of sigma under a force, or below -0.1 mm/s; |lambda_T|
 * above 1.001 mu lambda_n; friction more than 1 degree off -sigma_T, or below 0.99 of what it could be, where
 * it slips. Parting and friction count only under a force: more than a hundredth of the step's largest normal impulse
 * (three in float), since interior-point methods leave a trace on every contact. */
enum { SLIP_LAW_SIGNORINI = 1, SLIP_LAW_COULOMB = 2, SLIP_LAW_DISSIPATION = 4 };

typedef struct {
    int collider_a, collider_b;
    uint32_t feature;
    float point[3], quat[4];     /* world; the rotation whose rows are t1, t2, n, as a quaternion x y z w        */
    float gap, mu;
    float impulse[3], velocity[3];                       /* t1, t2, n                                            */
    float eps[3];                /* primal, dual, complementarity                                                */
    int state, broken;           /* slip_contact_state; laws                                                     */
} slip_replay_contact;

/* A run as numbers: what a table or a comparison asks for. Sums and maxima are over all steps. */
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
slip_status slip_replay_begin(const slip_replay_def *def, slip_arena *mem, slip_replay **rec, slip_error *err);
size_t      slip_replay_bytes(const slip_replay_def *def);

/* Looks at the world after a step (once before the first, too) and keeps a frame when one is due. Leaves the poses
 * of the present state in slip_world_data(), so read sensors of the step before. */
void slip_replay_step(slip_replay *rec, slip_world *world);

/* Keeps the present state as the last frame unless it is kept already. */
void slip_replay_end(slip_replay *rec, slip_world *world);

/* Time that steps took by a clock of the caller's (processor time, say), in place of what the world's clock said. */
void slip_replay_clocked(slip_replay *rec, double seconds, long steps);

/* ---- reading back ------------------------------------------------------------------------------- */

int  slip_replay_frames(const slip_replay *rec);
slip_real slip_replay_time(const slip_replay *rec, int frame);
slip_real slip_replay_value(const slip_replay *rec, int frame, slip_curve curve);
void slip_replay_pose(const slip_replay *rec, int frame, int body, slip_pose *pose);     /* body >= 1              */
int  slip_replay_contacts(const slip_replay *rec, int frame);                            /* kept                   */
int  slip_replay_contacts_met(const slip_replay *rec, int frame);                        /* there were             */
const slip_replay_contact *slip_replay_contact_at(const slip_replay *rec, int frame, int i);
const slip_replay_summary *slip_replay_summary_of(const slip_replay *rec);
const slip_replay_def *slip_replay_def_of(const slip_replay *rec);

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

/* ---- packing: the page's binary form, little endian (replay_pack.c) ----------------------------- */

/* x in [lo, lo + extent] as 16 bits, and back: off by extent/131070 at most. */
uint16_t slip_pack_unit(float x, float lo, float extent);
float    slip_unpack_unit(uint16_t u, float lo, float extent);

/* A unit quaternion by its three smaller components, 15 bits each and two bits for the largest: off by less than
 * 2e-4 rad. */
void slip_pack_quat(const float q[4], uint16_t out[3]);
void slip_unpack_quat(const uint16_t in[3], float q[4]);

/* A number as an IEEE half: 11 bits, too large becomes 65504. */
uint16_t slip_pack_half(float x);
float    slip_unpack_half(uint16_t h);

/* A residual as one byte: 0 for less than 1e-20, else tenths of a decade. */
uint8_t slip_pack_decade(float x);
float   slip_unpack_decade(uint8_t d);

#endif
