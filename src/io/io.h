/* All of io: files in, files out. */
#ifndef SLIP_IO_IO_H
#define SLIP_IO_IO_H

#include "io/file.h"
#include "io/heightmap.h"
#include "io/mesh.h"
#include "io/srdf.h"
#include "io/problem.h"
#include "io/replay.h"
#include "io/scene.h"
#include "io/stream.h"
#include "io/svg.h"
#include "io/urdf.h"
#include "io/xml.h"

#endif
