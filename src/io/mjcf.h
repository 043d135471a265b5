/* MJCF, MuJoCo's format: the part of it that describes robots, read into the same description as a URDF.
 *
 * docs/mjcf.md has the supported subset. Bodies, joints, inertials, geoms, sites, classes of defaults, mesh assets,
 * actuators, equalities, excluded pairs and the first keyframe are read; what is not is listed, once for each sort. */
#ifndef SLIP_IO_MJCF_H
#define SLIP_IO_MJCF_H

#include "io/urdf.h"

/* Reads a model from text[0..length), as slip_urdf_read() does a URDF: the same arguments and failures; files that it
 * includes are read beside `file`. A joint becomes a massless link above its body's, a site a link without mass, called
 * "site:" and its name. The options' free_base has no meaning: a model says itself what floats. With
 * independent_mimics, equalities between joints are left out. */
slip_status slip_mjcf_read(const char *text, size_t length, const char *file, const slip_urdf_options *opt,
                           slip_arena *mem, slip_urdf *out, slip_report *report, slip_error *err);

/* Whether a text is a URDF (1), a model in MJCF (2) or something else (0), by its root element. */
int slip_robot_format(const char *text, size_t length);

/* Reads either. */
slip_status slip_robot_read(const char *text, size_t length, const char *file, const slip_urdf_options *opt,
                            slip_arena *mem, slip_urdf *out, slip_report *report, slip_error *err);
slip_status slip_robot_load(const char *path, const slip_urdf_options *opt, slip_arena *mem, slip_urdf *out,
                            slip_report *report, slip_error *err);

#endif
