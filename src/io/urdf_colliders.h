/* From a robot's collision shapes to colliders of a world, for programs that read a URDF without a scene. */
#ifndef SLIP_IO_URDF_COLLIDERS_H
#define SLIP_IO_URDF_COLLIDERS_H

#include "io/urdf.h"
#include "sim/world.h"

/* The shape of a description; a mesh comes without its hull. */
slip_shape slip_urdf_shape_of(const slip_urdf_shape *shape);

/* Colliders, taken from mem, of all collision shapes: named as the shape or else its link, of material 0, group 1, and
 * on links in the numbering of a model of this robot alone. Meshes become convex hulls; one that is missing or
 * cannot be read is left out with a warning. Names are those of `urdf`, which must outlive the world. Fails as
 * slip_mesh_load_hull() does, SLIP_ERR_WORKSPACE: mem is full; outputs and mem are untouched then.
 *     slip_urdf_read(text, length, NULL, NULL, &mem, &urdf, NULL, &err);
 *     slip_model_build(&urdf.def, &mem, &def.model, NULL, &err);
 *     slip_urdf_colliders(&urdf, &mem, &def.colliders, &def.ncolliders, NULL, &err);   */
slip_status slip_urdf_colliders(const slip_urdf *urdf, slip_arena *mem, const slip_collider_def **colliders,
                                int *ncolliders, slip_report *report, slip_error *err);

#endif
