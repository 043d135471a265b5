/* Plots as SVG: axes with round ticks, linear or logarithmic, a legend, any number of series. Colours are
 * distinguishable for colour-blind readers, and each series has its own dash pattern, so that a copy in grey is
 * readable. */
#ifndef SLIP_IO_SVG_H
#define SLIP_IO_SVG_H

#include "base/real.h"
#include "io/stream.h"

typedef enum { SLIP_PLOT_LINE, SLIP_PLOT_POINTS, SLIP_PLOT_STEPS, SLIP_PLOT_BARS } slip_plot_style;

typedef struct {
    const char *name;                /* in the legend; NULL: none                                          */
    const slip_real *x, *y;          /* n values each; what is not finite (or not positive on a logarithmic
                                        axis) interrupts the line                                          */
    int n;
    slip_plot_style style;
    int colour;                      /* of the palette, from 1; 0: the series' own number                  */
} slip_plot_series;

typedef struct {
    const char *title, *x_label, *y_label;   /* with units; may be NULL                                    */
    int log_x, log_y;
    slip_real x_lo, x_hi;            /* range; equal: from the data                                        */
    slip_real y_lo, y_hi;
    int equal;                       /* 1: the same scale on both axes, for paths in a plane               */
    int width, height;               /* [px]; 0: 640 x 400                                                 */
    int nseries;
    const slip_plot_series *series;
    const char *id;                  /* of parts within the document; another one for each plot of a page; NULL: "" */
    const char *const *x_names;      /* ticks of the x axis at 1, 2, ... have these names; NULL: numbers   */
    int nx_names;
} slip_plot;

/* One SVG document. Without a single drawable point the axes are drawn from 0 to 1. */
void slip_svg_plot(const slip_plot *plot, slip_stream *out);

/* Ticks of a range lo < hi: a step of 1, 2 or 5 times a power of ten that gives at most `most` >= 2 steps. */
slip_real slip_plot_step(slip_real lo, slip_real hi, int most);

#endif
