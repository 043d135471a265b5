/* All headers of base, for the sources of the other modules. */
#ifndef SLIP_BASE_BASE_H
#define SLIP_BASE_BASE_H

#include "base/real.h"
#include "base/trig.h"
#include "base/elementary.h"
#include "base/status.h"
#include "base/fail.h"
#include "base/arena.h"
#include "base/arena_ops.h"
#include "base/budget.h"
#include "base/budget_ops.h"
#include "base/vec.h"
#include "base/dense.h"
#include "base/random.h"
#include "base/number.h"
#include "base/text.h"

#endif
