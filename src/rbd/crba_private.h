/* Passes over poses that are there already, for algorithms that combine them. */
#ifndef SLIP_RBD_CRBA_PRIVATE_H
#define SLIP_RBD_CRBA_PRIVATE_H

#include "rbd/dynamics.h"

/* data->M from data->pose. */
void slip_crba_pass(const slip_model *m, slip_data *d);

/* nle[nv] less the wrench's share, from data->pose. */
void slip_bias_pass(const slip_model *m, slip_data *d, const slip_real *v, const slip_real *wrench, slip_real *nle);

#endif
