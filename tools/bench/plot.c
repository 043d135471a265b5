/* A plot with two logarithmic axes from text on standard input, as SVG on standard output, by the library's own
 * slip_svg_plot().
 *
 *     title TEXT        x TEXT       y TEXT       series NAME       X Y       (a point of the series) */
#include "slipstick_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLOT_SERIES = 24, PLOT_POINTS = 200 };
static slip_real plot_x[PLOT_SERIES][PLOT_POINTS], plot_y[PLOT_SERIES][PLOT_POINTS];
static char plot_text[PLOT_SERIES + 3][256];

int main(void)
{
    slip_plot_series series[PLOT_SERIES];
    slip_stream out;
    slip_plot plot;
    char line[256];
    int n = 0;

    memset(&plot, 0, sizeof plot);
    memset(series, 0, sizeof series);
    while (fgets(line, sizeof line, stdin)) {
        double x, y;

        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "series ", 7) == 0 && n < PLOT_SERIES) {
            snprintf(plot_text[n], sizeof plot_text[n], "%s", line + 7);
            series[n].name = plot_text[n];
            series[n].x = plot_x[n];
            series[n].y = plot_y[n];
            ++n;
        } else if (strncmp(line, "title ", 6) == 0) {
            snprintf(plot_text[PLOT_SERIES], sizeof plot_text[0], "%s", line + 6);
            plot.title = plot_text[PLOT_SERIES];
        } else if (strncmp(line, "x ", 2) == 0) {
            snprintf(plot_text[PLOT_SERIES + 1], sizeof plot_text[0], "%s", line + 2);
            plot.x_label = plot_text[PLOT_SERIES + 1];
        } else if (strncmp(line, "y ", 2) == 0) {
            snprintf(plot_text[PLOT_SERIES + 2], sizeof plot_text[0], "%s", line + 2);
            plot.y_label = plot_text[PLOT_SERIES + 2];
        } else if (n > 0 && sscanf(line, "%lf %lf", &x, &y) == 2 && series[n - 1].n < PLOT_POINTS) {
            plot_x[n - 1][series[n - 1].n] = (slip_real)x;
            plot_y[n - 1][series[n - 1].n++] = (slip_real)y;
        } else {
            fprintf(stderr, "plot: what is '%s'?\n", line);
            return 1;
        }
    }
    plot.log_x = plot.log_y = 1;
    plot.nseries = n;
    plot.series = series;
    slip_stream_file(stdout, &out);
    slip_svg_plot(&plot, &out);
    return slip_stream_flush(&out) < 0;
}
