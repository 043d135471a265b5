/* See svg.h. Everything is laid out first, in pixels, then written in one pass: frame, grid and ticks, series,
 * legend. Long series are thinned to the lowest and highest value of each pixel column, which looks the same. */
#include "io/svg.h"

#include "base/base.h"
#include "io/put.h"

enum { SVG_COLOURS = 8, SVG_LEGEND_ROW = 18 };

static const char *const svg_colours[SVG_COLOURS] = {      /* after Okabe and Ito */
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#333333", "#8a6d00"
};
static const char *const svg_dashes[] = { "", "7 3", "2 3", "9 3 2 3", "12 4", "4 2 1 2" };

static const char *svg_colour(int i) { return svg_colours[(i < 1 ? 0 : i - 1)%SVG_COLOURS]; }

/* One axis: the range in its own measure (logarithms when log), and where it lies in pixels. */
typedef struct { slip_real lo, hi; int log; double at, length; } svg_axis;

typedef struct { svg_axis x, y; double width, height; int legend; } svg_layout;

/* The value in the axis' measure; NaN when it cannot be drawn. */
static slip_real svg_measure(const svg_axis *a, slip_real value)
{
    if (!slip_is_finite(value) || (a->log && !(value > 0))) return (slip_real)NAN;
    return a->log ? slip_log(value)/slip_log(SLIP_R(10)) : value;
}

static double svg_place(const svg_axis *a, slip_real measure)
{
    return a->at + a->length*(double)((measure - a->lo)/(a->hi - a->lo));
}

slip_real slip_plot_step(slip_real lo, slip_real hi, int most)
{
    const slip_real rough = (hi - lo)/(slip_real)(most < 2 ? 2 : most);
    const slip_real power = slip_pow(SLIP_R(10), slip_floor(slip_log(rough)/slip_log(SLIP_R(10))));
    const slip_real slack = 1 + 64*SLIP_REAL_EPS;

    if (!(rough > 0) || !slip_is_finite(rough)) return 1;
    if (rough <= power*slack) return power;
    if (rough <= 2*power*slack) return 2*power;
    return rough <= 5*power*slack ? 5*power : 10*power;
}

/* ---- ranges ------------------------------------------------------------------------------------- */

static void svg_range(const slip_plot *plot, int vertical, svg_axis *a)
{
    int s, i, any = 0;

    for (s = 0; s < plot->nseries; ++s)
        for (i = 0; i < plot->series[s].n; ++i) {
            const slip_real m = svg_measure(a, vertical ? plot->series[s].y[i] : plot->series[s].x[i]);

            if (!slip_is_finite(m)) continue;
            a->lo = any ? slip_min(a->lo, m) : m;
            a->hi = any ? slip_max(a->hi, m) : m;
            any = 1;
        }
    if (!any) { a->lo = 0; a->hi = 1; }
}

/* The range of an axis: the user's if given, else that of the data with a small margin; never empty. */
static void svg_fit(slip_real lo, slip_real hi, int air, svg_axis *a)
{
    slip_real wide;

    if (lo < hi && slip_is_finite(svg_measure(a, lo))) {
        a->lo = svg_measure(a, lo);
        a->hi = svg_measure(a, hi);
        return;
    }
    wide = slip_max(slip_abs(a->lo), slip_abs(a->hi));
    if (a->hi - a->lo <= 1000*SLIP_REAL_EPS*wide || a->hi <= a->lo) {
        a->lo -= a->log ? 1 : slip_max(wide/10, SLIP_R(1e-12));
        a->hi += a->log ? 1 : slip_max(wide/10, SLIP_R(1e-12));
    }
    if (a->log) {
        a->lo = slip_floor(a->lo + SLIP_R(1e-6));
        a->hi = slip_ceil(a->hi - SLIP_R(1e-6));
    } else if (air) {
        wide = (a->hi - a->lo)/25;
        a->lo -= wide;
        a->hi += wide;
    }
}

/* Widens one range about its middle until both axes have as many pixels a unit. */
static void svg_equalise(svg_layout *l)
{
    const slip_real px = (slip_real)l->x.length, py = (slip_real)-l->y.length;
    const slip_real unit = slip_max((l->x.hi - l->x.lo)/px, (l->y.hi - l->y.lo)/py);
    const slip_real cx = (l->x.lo + l->x.hi)/2, cy = (l->y.lo + l->y.hi)/2;

    l->x.lo = cx - unit*px/2;
    l->x.hi = cx + unit*px/2;
    l->y.lo = cy - unit*py/2;
    l->y.hi = cy + unit*py/2;
}

/* Length of text in characters, for the width of the legend. */
static int svg_characters(const char *text)
{
    int n = 0;

    for (; *text; ++text) n += (*text & 0xc0) != 0x80;
    return n;
}

static void svg_arrange(const slip_plot *plot, svg_layout *l)
{
    const double top = plot->title ? 40 : 16, bottom = plot->x_label ? 52 : 34, left = plot->y_label ? 78 : 58;
    double right = 18;
    int s, widest = 0;

    l->width = plot->width > 0 ? plot->width : 640;
    l->height = plot->height > 0 ? plot->height : 400;
    l->legend = 0;
    for (s = 0; s < plot->nseries; ++s)
        if (plot->series[s].name) {
            const int n = svg_characters(plot->series[s].name);

            ++l->legend;
            if (n > widest) widest = n;
        }
    if (l->legend) right += 40 + 6.6*(widest < 40 ? widest : 40);
    l->x.at = left;
    l->x.length = l->width - left - right;
    if (l->x.length < 60) l->x.length = 60;
    l->y.at = l->height - bottom;
    l->y.length = -(l->height - bottom - top);
    l->x.log = plot->log_x;
    l->y.log = plot->log_y;
    svg_range(plot, 0, &l->x);
    svg_range(plot, 1, &l->y);
    svg_fit(plot->x_lo, plot->x_hi, plot->equal, &l->x);
    svg_fit(plot->y_lo, plot->y_hi, 1, &l->y);
    if (plot->equal && !plot->log_x && !plot->log_y) svg_equalise(l);
}

/* ---- writing ------------------------------------------------------------------------------------ */

static void svg_attribute(slip_stream *out, const char *name, double value)
{
    slip_put_format(out, " %s=\"", name);
    slip_put_fixed(out, value, 2);
    slip_put_text(out, "\"");
}

static void svg_line(slip_stream *out, double x1, double y1, double x2, double y2, const char *colour)
{
    slip_put_text(out, "<line");
    svg_attribute(out, "x1", x1);
    svg_attribute(out, "y1", y1);
    svg_attribute(out, "x2", x2);
    svg_attribute(out, "y2", y2);
    slip_put_format(out, " stroke=\"%s\"/>\n", colour);
}

static void svg_text(slip_stream *out, double x, double y, const char *anchor, const char *more, const char *text)
{
    slip_put_text(out, "<text");
    svg_attribute(out, "x", x);
    svg_attribute(out, "y", y);
    slip_put_format(out, " text-anchor=\"%s\"%s>", anchor, more);
    slip_put_xml(out, text);
    slip_put_text(out, "</text>\n");
}

/* A tick's label: a power of ten as 10 with a raised exponent, else the shortest number that tells ticks apart. */
static void svg_label(slip_stream *out, const svg_axis *a, slip_real m, slip_real step, double x, double y,
                      const char *anchor)
{
    char text[SLIP_NUMBER_SIZE];
    int digits = 1;

    if (a->log) {
        slip_put_text(out, "<text");
        svg_attribute(out, "x", x);
        svg_attribute(out, "y", y);
        slip_put_format(out, " text-anchor=\"%s\">10<tspan dy=\"-5\" font-size=\"9\">%d</tspan></text>\n", anchor,
                        (int)m);
        return;
    }
    if (slip_abs(m) < step/1000) m = 0;
    while (digits < 7 && slip_pow(SLIP_R(10), (slip_real)digits)*step < slip_abs(m)*SLIP_R(1.0001)) ++digits;
    while (digits < 5 && slip_pow(SLIP_R(10), (slip_real)digits) < slip_abs(m)) ++digits;   /* 300, not 3e+02 */
    slip_print_double((double)m, digits + 1, text);
    svg_text(out, x, y, anchor, "", text);
}

/* Every so many decades on a logarithmic axis, every step on a linear one. */
static slip_real svg_tick_step(const svg_axis *a, int most)
{
    return a->log ? slip_max(1, slip_ceil((a->hi - a->lo)/(slip_real)most)) : slip_plot_step(a->lo, a->hi, most);
}

static void svg_ticks(slip_stream *out, const svg_layout *l, int vertical)
{
    const svg_axis *a = vertical ? &l->y : &l->x;
    const slip_real step = svg_tick_step(a, vertical ? 7 : 8), first = slip_ceil(a->lo/step - SLIP_R(1e-6));
    int i;

    for (i = 0; i < 40; ++i) {
        const slip_real m = (first + (slip_real)i)*step;
        const double p = svg_place(a, m);

        if (m > a->hi + step*SLIP_R(1e-6)) break;
        if (vertical) {
            svg_line(out, l->x.at, p, l->x.at + l->x.length, p, "#e3e6ea");
            svg_label(out, a, m, step, l->x.at - 8, p + 4, "end");
        } else {
            svg_line(out, p, l->y.at, p, l->y.at + l->y.length, "#e3e6ea");
            svg_label(out, a, m, step, p, l->y.at + 18, "middle");
        }
    }
}

/* Names at 1, 2, ... instead of numbers. */
static void svg_names(slip_stream *out, const slip_plot *plot, const svg_layout *l)
{
    int i;

    for (i = 0; i < plot->nx_names; ++i) {
        const slip_real m = svg_measure(&l->x, (slip_real)(i + 1));

        if (m >= l->x.lo && m <= l->x.hi)
            svg_text(out, svg_place(&l->x, m), l->y.at + 18, "middle", "", plot->x_names[i]);
    }
}

static void svg_frame(slip_stream *out, const slip_plot *plot, const svg_layout *l)
{
    char more[96];

    if (plot->x_names) svg_names(out, plot, l);
    else svg_ticks(out, l, 0);
    svg_ticks(out, l, 1);
    svg_line(out, l->x.at, l->y.at, l->x.at + l->x.length, l->y.at, "#555");
    svg_line(out, l->x.at, l->y.at, l->x.at, l->y.at + l->y.length, "#555");
    if (plot->title) svg_text(out, l->x.at, 24, "start", " font-size=\"15\" font-weight=\"600\"", plot->title);
    if (plot->x_label)
        svg_text(out, l->x.at + l->x.length/2, l->height - 12, "middle", " fill=\"#444\"", plot->x_label);
    if (plot->y_label) {
        slip_format(more, (int)sizeof more, " fill=\"#444\" transform=\"rotate(-90 18 %.1f)\"",
                    l->y.at + l->y.length/2);
        svg_text(out, 18, l->y.at + l->y.length/2, "middle", more, plot->y_label);
    }
}

static void svg_point(slip_stream *out, double x, double y)
{
    slip_put_fixed(out, x, 2);
    slip_put(out, " ", 1);
    slip_put_fixed(out, y, 2);
}

/* A line as path data. Points that fall into the pixel column of the last one are only remembered by their
 * lowest and highest place. */
typedef struct { int open, many; double column, lo, hi, last; } svg_pen;

static void svg_pen_flush(slip_stream *out, svg_pen *pen)
{
    if (pen->many && (pen->hi - pen->lo) > 0.5) {
        slip_put_text(out, "L");
        svg_point(out, pen->column, pen->lo);
        slip_put_text(out, "L");
        svg_point(out, pen->column, pen->hi);
        slip_put_text(out, "L");
        svg_point(out, pen->column, pen->last);
    }
    pen->many = 0;
}

static void svg_pen_move(slip_stream *out, svg_pen *pen, int thin, int steps, double x, double y)
{
    if (pen->open && thin && x - pen->column < 0.5 && x >= pen->column) {
        pen->many = 1;
        if (y < pen->lo) pen->lo = y;
        if (y > pen->hi) pen->hi = y;
        pen->last = y;
        return;
    }
    svg_pen_flush(out, pen);
    if (pen->open && steps) {
        slip_put_text(out, "H");
        slip_put_fixed(out, x, 2);
    }
    slip_put_text(out, pen->open ? "L" : "M");
    svg_point(out, x, y);
    pen->open = 1;
    pen->column = x;
    pen->lo = pen->hi = pen->last = y;
}

static void svg_series_line(slip_stream *out, const svg_layout *l, const slip_plot_series *s, int thin)
{
    svg_pen pen = { 0, 0, 0, 0, 0, 0 };
    int i;

    for (i = 0; i < s->n; ++i) {
        const slip_real mx = svg_measure(&l->x, s->x[i]), my = svg_measure(&l->y, s->y[i]);

        if (slip_is_finite(mx) && slip_is_finite(my)) {
            svg_pen_move(out, &pen, thin, s->style == SLIP_PLOT_STEPS, svg_place(&l->x, mx), svg_place(&l->y, my));
            continue;
        }
        svg_pen_flush(out, &pen);
        pen.open = 0;
    }
    svg_pen_flush(out, &pen);
}

static int svg_is_inside(const svg_axis *a, slip_real m)
{
    const slip_real air = (a->hi - a->lo)*SLIP_R(1e-6);

    return m >= a->lo - air && m <= a->hi + air;
}

/* Circles of points within the axes, or bars that stand on 0 (on the lower end of a logarithmic axis). */
static void svg_series_marks(slip_stream *out, const svg_layout *l, const slip_plot_series *s, const char *look)
{
    const double wide = l->x.length/(s->n > 0 ? 1.5*s->n + 1 : 1);
    const double foot = svg_place(&l->y, l->y.log ? l->y.lo : slip_clamp(0, l->y.lo, l->y.hi));
    int i;

    for (i = 0; i < s->n; ++i) {
        const slip_real mx = svg_measure(&l->x, s->x[i]), my = svg_measure(&l->y, s->y[i]);
        double x, y;

        if (!slip_is_finite(mx) || !slip_is_finite(my)) continue;
        x = svg_place(&l->x, mx);
        y = svg_place(&l->y, my);
        if (s->style == SLIP_PLOT_POINTS) {
            if (!svg_is_inside(&l->x, mx) || !svg_is_inside(&l->y, my)) continue;
            slip_put_text(out, "<circle r=\"3\"");
            svg_attribute(out, "cx", x);
            svg_attribute(out, "cy", y);
        } else {
            slip_put_text(out, "<rect");
            svg_attribute(out, "x", x - wide/2);
            svg_attribute(out, "y", y < foot ? y : foot);
            svg_attribute(out, "width", wide);
            svg_attribute(out, "height", y < foot ? foot - y : y - foot);
        }
        slip_put_text(out, look);
    }
}

static const char *svg_series_colour(const slip_plot *plot, int s)
{
    return svg_colour(plot->series[s].colour > 0 ? plot->series[s].colour : s + 1);
}

/* The end of the element of a point or bar. Points whose colour another series has already are hollow. */
static const char *svg_mark_look(const slip_plot *plot, int s, char look[96])
{
    const char *colour = svg_series_colour(plot, s);

    if (plot->series[s].style == SLIP_PLOT_POINTS && s >= SVG_COLOURS)
        slip_format(look, 96, " fill=\"#fff\" stroke=\"%s\" stroke-width=\"1.6\"/>\n", colour);
    else slip_format(look, 96, " fill=\"%s\"/>\n", colour);
    return look;
}

static const char *svg_series_dash(int s)
{
    return svg_dashes[(size_t)s%(sizeof svg_dashes/sizeof *svg_dashes)];
}

static void svg_series(slip_stream *out, const slip_plot *plot, const svg_layout *l, int s)
{
    const slip_plot_series *one = &plot->series[s];
    const char *colour = svg_series_colour(plot, s), *dash = svg_series_dash(s);
    char look[96];

    if (one->style == SLIP_PLOT_POINTS || one->style == SLIP_PLOT_BARS) {
        svg_series_marks(out, l, one, svg_mark_look(plot, s, look));
        return;
    }
    slip_put_format(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.7\" stroke-linejoin=\"round\"", colour);
    if (*dash) slip_put_format(out, " stroke-dasharray=\"%s\"", dash);
    slip_put_text(out, " d=\"");
    svg_series_line(out, l, one, one->n > l->width);
    slip_put_text(out, "\"/>\n");
}

/* The series' line, bar or point, 22 pixels wide. */
static void svg_legend_mark(slip_stream *out, const slip_plot *plot, int s, double x, double y)
{
    const slip_plot_style style = plot->series[s].style;
    const char *dash = svg_series_dash(s);
    char look[96];

    if (style == SLIP_PLOT_POINTS) {
        slip_put_text(out, "<circle r=\"3\"");
        svg_attribute(out, "cx", x + 11);
        svg_attribute(out, "cy", y);
        slip_put_text(out, svg_mark_look(plot, s, look));
        return;
    }
    slip_put_format(out, "<path stroke=\"%s\" stroke-width=\"%s\"", svg_series_colour(plot, s),
                    style == SLIP_PLOT_BARS ? "8" : "2");
    if (*dash && style != SLIP_PLOT_BARS) slip_put_format(out, " stroke-dasharray=\"%s\"", dash);
    slip_put_text(out, " d=\"M");
    svg_point(out, x, y);
    slip_put_text(out, "h22\"/>\n");
}

static void svg_legend(slip_stream *out, const slip_plot *plot, const svg_layout *l)
{
    const double x = l->x.at + l->x.length + 14;
    double y = l->y.at + l->y.length + 8;
    int s;

    for (s = 0; s < plot->nseries; ++s) {
        if (!plot->series[s].name) continue;
        svg_legend_mark(out, plot, s, x, y);
        svg_text(out, x + 28, y + 4, "start", "", plot->series[s].name);
        y += SVG_LEGEND_ROW;
    }
}

/* The area's rectangle as a clip path. Its id contains the rectangle, since a page may hold many plots, and of several
 * paths with one id the first is taken. */
static void svg_clip(slip_stream *out, const slip_plot *plot, const svg_layout *l)
{
    slip_put_format(out, "<clipPath id=\"%sarea%d-%d-%d-%d\"><rect", plot->id ? plot->id : "", (int)l->x.at,
                    (int)(l->y.at + l->y.length), (int)(10*l->x.length), (int)(-10*l->y.length));
    svg_attribute(out, "x", l->x.at);
    svg_attribute(out, "y", l->y.at + l->y.length);
    svg_attribute(out, "width", l->x.length);
    svg_attribute(out, "height", -l->y.length);
    slip_put_text(out, "/></clipPath>\n");
}

/* Lines and bars within the area; then points, which show in full on its border. */
static void svg_all_series(slip_stream *out, const slip_plot *plot, const svg_layout *l)
{
    int s;

    slip_put_format(out, "<g clip-path=\"url(#%sarea%d-%d-%d-%d)\">\n", plot->id ? plot->id : "", (int)l->x.at,
                    (int)(l->y.at + l->y.length), (int)(10*l->x.length), (int)(-10*l->y.length));
    for (s = 0; s < plot->nseries; ++s)
        if (plot->series[s].style != SLIP_PLOT_POINTS) svg_series(out, plot, l, s);
    slip_put_text(out, "</g>\n");
    for (s = 0; s < plot->nseries; ++s)
        if (plot->series[s].style == SLIP_PLOT_POINTS) svg_series(out, plot, l, s);
}

void slip_svg_plot(const slip_plot *plot, slip_stream *out)
{
    svg_layout l;

    svg_arrange(plot, &l);
    slip_put_format(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\"",
                    (int)l.width, (int)l.height, (int)l.width, (int)l.height);
    slip_put_text(out, " font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#222\">\n");
    if (plot->title) {
        slip_put_text(out, "<title>");
        slip_put_xml(out, plot->title);
        slip_put_text(out, "</title>\n");
    }
    slip_put_text(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    svg_clip(out, plot, &l);
    svg_frame(out, plot, &l);
    svg_all_series(out, plot, &l);
    svg_legend(out, plot, &l);
    slip_put_text(out, "</svg>\n");
}
