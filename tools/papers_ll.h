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

/* A figure of n series over one pair of axes; `log` has bit 1 for x and bit 2 for y. */
void ll_draw(papers_run *r, const char *name, const char *caption, const char *title, const char *x_label,
             const char *y_label, int log, const slip_plot_series *series, int n);

/* A series; style: that of lines when 0. */
slip_plot_series ll_line(const char *name, const slip_real *x, const slip_real *y, int n);

#endif
