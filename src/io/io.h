/* All headers of io. */
#ifndef SLIP_IO_IO_H
#define SLIP_IO_IO_H

#include "io/file.h"
#include "io/heightmap.h"
#include "io/mesh.h"
#include "io/mesh_hull.h"
#include "io/mjcf.h"
#include "io/srdf.h"
#include "io/problem.h"
#include "io/put.h"
#include "io/replay.h"
#include "io/replay_read.h"
#include "io/scene.h"
#include "io/scene_more.h"
#include "io/solver_options.h"
#include "io/stream.h"
#include "io/svg.h"
#include "io/urdf.h"
#include "io/urdf_colliders.h"
#include "io/xml.h"

#endif
