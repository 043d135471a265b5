/* All of base: what every other module stands on. */
#ifndef SLIP_BASE_BASE_H
#define SLIP_BASE_BASE_H

#include "base/real.h"
#include "base/status.h"
#include "base/arena.h"
#include "base/vec.h"
#include "base/dense.h"
#include "base/random.h"
#include "base/number.h"
#include "base/text.h"

#endif
