/* What an experiment has said so far, as the report prints it; private to papers.c, papers_report.c, cmd_papers.c. */
#ifndef SLIP_TOOLS_PAPERS_RUN_H
#define SLIP_TOOLS_PAPERS_RUN_H

#include "papers.h"

typedef enum { PAPERS_HOLDS, PAPERS_DIFFERS, PAPERS_DOES_NOT_HOLD, PAPERS_NOT_RUN } papers_verdict;

/* "holds", "differs", "does not hold", "not run" */
const char *papers_verdict_name(papers_verdict v);

/* Text that grows; text is NULL while it is empty. */
typedef struct { char *text; size_t used, size; } papers_text;
void papers_put(papers_text *t, const char *bytes, size_t n);

typedef struct { char *what, *paper, *ours; } papers_row;
typedef struct { char *what; papers_kind kind; int is_true, is_timed; } papers_statement;
typedef struct { char *file, *caption; papers_text svg; } papers_figure;

enum { PAPERS_MOST = 64 };       /* of each kind in one experiment */

struct papers_run {
    const papers_experiment *e;
    const char *directory;
    const char *inputs;          /* --data DIR; NULL: PAPERS_INPUTS, and what is not there is no error           */
    int quick, quiet, no_data;   /* no_data: not run, as its input is not there                                  */
    papers_row rows[PAPERS_MOST];
    papers_statement checks[PAPERS_MOST];
    papers_figure figures[PAPERS_MOST];
    char *said[PAPERS_MOST], *data[PAPERS_MOST];
    FILE *open[PAPERS_MOST];     /* data files */
    int nrows, nchecks, nfigures, nsaid, ndata;
    int failed;                  /* something could not be written */
    double seconds;              /* it took */
    double before, after;        /* estimated seconds of the experiments before and after this one, in all runs */
    double speed;                /* measured over estimated seconds so far */
    double started;              /* by cli_seconds() */
};

#define PAPERS_INPUTS "../shared"

void papers_begin(papers_run *r, const papers_experiment *e, const char *directory, int quick);

/* Closes the data files; 0, after a message, when one could not be written completely. */
int papers_finish(papers_run *r);
void papers_free(papers_run *r);

papers_verdict papers_verdict_of(const papers_run *r);

/* The report of n runs as one page, DIR/index.html; 0, after a message, when it cannot be written. families: theirs, in
 * the order of the runs. source: the repository's root for links to sources, ending in / or not; NULL: the way from
 * DIR to the present directory, where DIR is in it, and else no links. */
int papers_report(const char *directory, const char *source, int quick, const papers_family *const *families, int nfamilies,
                  const papers_run *runs, int n);

/* Tables at the top of the report, links where an experiment is among the runs (papers_guide.c). */
void papers_guide_models(slip_stream *out, const papers_run *runs, int n);
void papers_guide_figures(slip_stream *out, const papers_run *runs, int n);

#endif
