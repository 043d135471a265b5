/* The reduction of a mass matrix over mimic joints. */
#ifndef SLIP_RBD_MIMIC_PRIVATE_H
#define SLIP_RBD_MIMIC_PRIVATE_H

#include "rbd/model.h"

/* M = E' M_dofs E, both packed: over model->branches and model->dofs. */
void slip_reduce_mass(const slip_model *m, const slip_real *M_dofs, slip_real *M);

#endif
