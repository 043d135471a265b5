/* All headers of rbd, for the sources of the modules above. */
#ifndef SLIP_RBD_RBD_H
#define SLIP_RBD_RBD_H

#include "rbd/spatial.h"
#include "rbd/model.h"
#include "rbd/dynamics.h"
#include "rbd/batch.h"
#include "rbd/derivatives.h"
#include "rbd/passes.h"
#include "rbd/convert.h"

#endif
