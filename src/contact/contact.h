/* All of contact: cones, the problem, its operator, the judge. */
#ifndef SLIP_CONTACT_CONTACT_H
#define SLIP_CONTACT_CONTACT_H

#include "contact/cone.h"
#include "contact/problem.h"
#include "contact/problem_ops.h"
#include "contact/delassus.h"
#include "contact/assemble.h"
#include "contact/residual.h"
#include "contact/residual_ops.h"

#endif
