/* The experiments of HW, in two files: papers_hw.c (one contact, the four tasks) and papers_hw_models.c (the two
 * contact models, impacts, long and large steps). */
#ifndef SLIP_TOOLS_PAPERS_HW_H
#define SLIP_TOOLS_PAPERS_HW_H

#include "papers.h"
#include "hw_tasks.h"

enum { HW_MOST_ROWS = 96 };           /* of a contact problem of the quadruped */

int hw_fig6(papers_run *r);
int hw_fig7(papers_run *r);
int hw_impact(papers_run *r);
int hw_50hz(papers_run *r);

#endif
