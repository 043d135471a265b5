/* The experiments of the papers: how one is described, and what it calls while it runs.
 *
 * An experiment measures, writes its data as CSV, draws plots, puts the paper's numbers beside ours, and states what
 * has to hold for the paper's claim. The verdict follows from these statements alone:
 *
 *     holds             all of them are true
 *     differs           what the paper claims is seen, but a number of it is not met
 *     does not hold     a claim is not seen */
#ifndef SLIP_TOOLS_PAPERS_H
#define SLIP_TOOLS_PAPERS_H

#include "sim_run.h"

/* Arguments of a format are checked where the compiler can. */
#ifdef __GNUC__
#define PAPERS_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define PAPERS_FORMAT(text, first)
#endif

typedef struct papers_run papers_run;

typedef struct {
    const char *id;              /* "LL-fig9"                                                                    */
    const char *title;           /* one line                                                                     */
    const char *claim;           /* what the paper says                                                          */
    const char *setup;           /* what is run, in two sentences or three                                       */
    const char *solvers;         /* ids, separated by blanks; the report links their sources and docs            */
    double seconds, quick;       /* about what it takes [s], for the estimate of the time left                   */
    int (*run)(papers_run *r);   /* 0, after a message, when it could not be run; NULL: its place is left open   */
} papers_experiment;

/* The experiments of a paper, in the order of the report. */
typedef struct {
    const char *name, *reference;            /* "LL"; authors, title, year                                       */
    const papers_experiment *list;
    int count;
    const char *column;                      /* what numbers of others are: "paper", "recorded"                  */
} papers_family;

extern const papers_family papers_ll, papers_cr, papers_to, papers_hw, papers_real, papers_like;

/* Whether a run of seconds is asked for instead of the full one. */
int papers_is_quick(const papers_run *r);

/* Tells the progress line that a share (0 to 1) of the experiment is done. */
void papers_progress(papers_run *r, double share);

/* A data file DIR/ID.csv, or DIR/ID-NAME.csv; NULL, after a message, when it cannot be written. The experiment prints
 * the first line (names with units) and the rows; the report closes it. */
FILE *papers_csv(papers_run *r, const char *name);

/* The path of an input, `file` in the directory of --data or in its default; 1 when it is there. When it is not: 0,
 * after a message, where --data was given; otherwise -1, and the run counts as not run. */
const char *papers_inputs(const papers_run *r);          /* that directory */
int papers_input(papers_run *r, const char *file, char *path, size_t size);

/* A figure of the report and a file DIR/ID.svg, or DIR/ID-NAME.svg. caption: a sentence. */
void papers_plot(papers_run *r, const char *name, const char *caption, const slip_plot *plot);

/* Parts of plots. A series, as a line unless its style is changed. Axes, of which bit 1 of `log` makes x and
 * bit 2 y logarithmic; with names in place of numbers along x; the caller may change the rest. And a whole figure. */
slip_plot_series papers_line(const char *name, const slip_real *x, const slip_real *y, int n);
slip_plot papers_axes(const char *title, const char *x_label, const char *y_label, int log,
                      const slip_plot_series *series, int n);
slip_plot papers_categories(const char *title, const char *const *names, int nnames, const char *y_label, int log_y,
                            const slip_plot_series *series, int n);
void papers_draw(papers_run *r, const char *name, const char *caption, const char *title, const char *x_label,
                 const char *y_label, int log, const slip_plot_series *series, int n);

/* A row of the table of numbers: what, the paper's value as text ("-": none printed), ours. */
void papers_number(papers_run *r, const char *what, const char *paper, const char *format, ...) PAPERS_FORMAT(4, 5);

/* A statement that has to be true: a claim of the paper, or that a number of it is met. format: the statement, with
 * the measured values in it. */
typedef enum { PAPERS_CLAIM, PAPERS_FIGURE } papers_kind;
void papers_check(papers_run *r, papers_kind kind, int is_true, const char *format, ...) PAPERS_FORMAT(4, 5);

/* The same of a statement about times, which another machine may answer otherwise: its mark for --expect is a ?. */
void papers_check_timed(papers_run *r, papers_kind kind, int is_true, const char *format, ...) PAPERS_FORMAT(4, 5);

/* Sorts n numbers, in ascending order. Median: sorts x and returns its middle, the larger one of two; 0 of none. */
void papers_sort(slip_real *x, int n);
double papers_median(slip_real *x, int n);

/* A paragraph of the report: a choice that the paper leaves open, or an explanation of a difference. */
void papers_say(papers_run *r, const char *format, ...) PAPERS_FORMAT(2, 3);

/* Opens a scene on equal terms (one solve a step, the last impulses as warm start, nothing kept, nothing softened) with
 * the symplectic Euler step of the papers. text: the scene, or NULL for the file `path`. dt, time: 0 for the scene's.
 * options: pairs of names and values as in scenes, ended by NULL ("tol", "1e-6", NULL); may be NULL. The caller closes
 * it with sim_close(). 0, after a message, when it cannot be opened. */
int papers_open(papers_run *r, const char *path, const char *text, const slip_solver *solver, double dt, double time,
                const char *const *options, sim_session *s);

#endif
