/* Frames, curves and contacts of a recording, read back. */
#ifndef SLIP_IO_REPLAY_READ_H
#define SLIP_IO_REPLAY_READ_H

#include "io/replay.h"

/* Sets the time of the steps measured by the caller (processor time, for example), in place of the world's clock. */
void slip_replay_clocked(slip_replay *rec, double seconds, long steps);

/* ---- reading back ------------------------------------------------------------------------------- */

/* Frames that were kept; 0 <= frame < slip_replay_frames(). */
int  slip_replay_frames(const slip_replay *rec);
slip_real slip_replay_time(const slip_replay *rec, int frame);                           /* [s]                    */
slip_real slip_replay_value(const slip_replay *rec, int frame, slip_curve curve);
void slip_replay_pose(const slip_replay *rec, int frame, int body, slip_pose *pose);     /* body >= 1              */
int  slip_replay_contacts(const slip_replay *rec, int frame);                            /* kept                   */
int  slip_replay_contacts_met(const slip_replay *rec, int frame);                        /* there were             */
const slip_replay_contact *slip_replay_contact_at(const slip_replay *rec, int frame, int i);
const slip_replay_summary *slip_replay_summary_of(const slip_replay *rec);
const slip_replay_def *slip_replay_def_of(const slip_replay *rec);

/* Name and unit of a curve, "" for others. */
const char *slip_curve_name(slip_curve curve);
const char *slip_curve_unit(slip_curve curve);

#endif
