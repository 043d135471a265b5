/* The experiments of CR, by file. */
#ifndef SLIP_TOOLS_PAPERS_CR_H
#define SLIP_TOOLS_PAPERS_CR_H

#include "papers.h"

int cr_fig4(papers_run *r);      /* papers_cr_iterations.c */
int cr_fig2(papers_run *r);      /* papers_cr_soft.c       */
int cr_aba(papers_run *r);
int cr_fig5(papers_run *r);      /* papers_cr_time.c       */
int cr_fig6(papers_run *r);      /* papers_cr_robots.c     */
int cr_fig7(papers_run *r);      /* papers_cr_families.c   */
int cr_tab3(papers_run *r);
int cr_fig8(papers_run *r);      /* papers_cr_inverse.c    */

#endif
