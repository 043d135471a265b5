/* LL Fig. 17 and 18: Solo-12 under model-predictive control, on flat ground and on slippery bumps. */
#ifndef SLIP_TOOLS_PAPERS_MPC_H
#define SLIP_TOOLS_PAPERS_MPC_H

#include "papers.h"

int papers_mpc_flat(papers_run *r);
int papers_mpc_bumpy(papers_run *r);

#endif
