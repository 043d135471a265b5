/* The experiments of LL beyond the sliding cube of papers_ll.c, which lists them all. */
#ifndef SLIP_TOOLS_PAPERS_LL_H
#define SLIP_TOOLS_PAPERS_LL_H

#include "papers.h"

/* A solver and its name in legends: the model, the id, "(ours)" where it is ours. */
typedef struct { const char *name; const slip_solver *solver; } ll_solver;

int ll_fig11(papers_run *r), ll_fig12(papers_run *r);                     /* papers_ll_push.c, papers_ll_ratio.c */
int ll_tab2(papers_run *r);                                               /* papers_ll_table.c                  */
int ll_tab3(papers_run *r), ll_tab4(papers_run *r);                       /* papers_ll_consistency.c           */
int ll_fig13(papers_run *r), ll_fig16(papers_run *r);                     /* papers_ll_soft.c, papers_ll_time.c */

/* Says so and returns 0 in a build with float. */
int ll_needs_double(papers_run *r);

#endif
