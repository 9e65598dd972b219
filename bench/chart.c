/* Line charts as SVG: see chart.h.
 *
 * Layout: the plot on the left, the legend on its right, the caption below. Coordinates are written
 * with a tenth of a pixel. */
#include "chart.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "report/svg.h"

static_assert((int)CHART_MOST_SERIES == (int)KAN_SVG_LOOKS, "every series has a look");

enum {
    WIDTH = 860,
    HEIGHT = 500,
    LEFT = 84,
    RIGHT = 620,
    TOP = 56,
    BOTTOM = 410,
    LEGEND = 648,
    LEGEND_STEP = 26,
    CAPTION_COLUMNS = 120,
    MOST_TICKS = 40
};

/* An axis with its range and where it lies in the picture. */
typedef struct axis_scale {
    bool is_log;
    double low, high;     /* in the unit of the axis, or its logarithm */
    double start, length; /* in pixels; y grows downwards, so its length is negative */
    size_t n_ticks;
    double ticks[MOST_TICKS];
} axis_scale;

/* ---- scales --------------------------------------------------------------------------------- */

static bool can_show(const chart_axis *axis, double value) {
    return isfinite(value) && (!axis->is_log || value > 0);
}

static bool can_draw(const line_chart *chart, const chart_series *series, size_t i) {
    return can_show(&chart->x, series->x[i]) && can_show(&chart->y, series->y[i]);
}

static double on_axis(const axis_scale *scale, double value) {
    return scale->is_log ? log10(value) : value;
}

static double place(const axis_scale *scale, double value) {
    double share = (on_axis(scale, value) - scale->low) / (scale->high - scale->low);
    return scale->start + share * scale->length;
}

static void add_tick(axis_scale *scale, double value) {
    double at = on_axis(scale, value), slack = 1e-9 * (scale->high - scale->low);
    if (scale->n_ticks < MOST_TICKS && at >= scale->low - slack && at <= scale->high + slack)
        scale->ticks[scale->n_ticks++] = value;
}

/* Whole tens, fifths or halves of a power of ten, six or so; the range grows to the next ticks. */
static void linear_ticks(axis_scale *scale, bool grows) {
    const double step = kan_svg_step(scale->high - scale->low);
    if (grows) {
        scale->low = floor(scale->low / step + 1e-9) * step;
        scale->high = ceil(scale->high / step - 1e-9) * step;
    }
    for (double i = ceil(scale->low / step - 1e-9); i * step <= scale->high + 1e-9 * step; i++)
        add_tick(scale, i * step + 0.0); /* never -0 */
}

/* The range grows to the next of one, two and five times a power of ten. */
static void grow_tightly(axis_scale *scale) {
    static const double steps[] = {0, 0.30102999566398120, 0.69897000433601880, 1};
    const double low = floor(scale->low + 1e-9), high = ceil(scale->high - 1e-9) - 1;
    size_t from = 2, to = 1;
    while (from > 0 && low + steps[from] > scale->low + 1e-9)
        from--;
    while (to < 3 && high + steps[to] < scale->high - 1e-9)
        to++;
    scale->low = low + steps[from];
    scale->high = high + steps[to];
}

/* Powers of ten, and two and five times them where the range is short. */
static void log_ticks(axis_scale *scale, bool grows, bool is_tight) {
    if (grows && is_tight) {
        grow_tightly(scale);
    } else if (grows) {
        scale->low = floor(scale->low + 1e-9);
        scale->high = ceil(scale->high - 1e-9);
    }
    double decades = scale->high - scale->low, stride = decades > 12 ? ceil(decades / 12) : 1;
    for (double power = floor(scale->low); power <= scale->high + 1e-9; power += stride) {
        add_tick(scale, pow(10, power));
        if (decades <= 3) {
            add_tick(scale, 2 * pow(10, power));
            add_tick(scale, 5 * pow(10, power));
        }
    }
}

/* The range of all points that can be drawn, never empty. False when there is none. */
static bool find_range(const line_chart *chart, bool is_x, axis_scale *scale) {
    bool is_found = false;
    for (size_t s = 0; s < chart->n_series; s++)
        for (size_t i = 0; i < chart->series[s].n; i++) {
            if (!can_draw(chart, &chart->series[s], i))
                continue;
            double at = on_axis(scale, is_x ? chart->series[s].x[i] : chart->series[s].y[i]);
            scale->low = !is_found || at < scale->low ? at : scale->low;
            scale->high = !is_found || at > scale->high ? at : scale->high;
            is_found = true;
        }
    if (!is_found)
        return false;
    /* What is measured starts at nothing, unless it goes below. */
    if (!is_x && !scale->is_log && !chart->y.is_tight && scale->low > 0)
        scale->low = 0;
    double least = 1e-9 * (fabs(scale->low) > 1 ? fabs(scale->low) : 1);
    if (scale->high - scale->low < least) {
        double around = scale->is_log ? 0.5 : fabs(scale->low) > 2 ? fabs(scale->low) / 2 : 1;
        scale->low -= around;
        scale->high += around;
    }
    return true;
}

static bool make_scale(const line_chart *chart, bool is_x, axis_scale *scale) {
    const chart_axis *axis = is_x ? &chart->x : &chart->y;
    *scale = (axis_scale){.is_log = axis->is_log,
                          .start = is_x ? LEFT : BOTTOM,
                          .length = is_x ? RIGHT - LEFT : TOP - BOTTOM};
    if (!find_range(chart, is_x, scale))
        return false;
    if (is_x && chart->ring) { /* room for rings at both ends */
        const double room = 0.03 * (scale->high - scale->low);
        scale->low -= room;
        scale->high += room;
    }
    for (size_t i = 0; i < axis->n_ticks; i++)
        if (can_show(axis, axis->ticks[i]))
            add_tick(scale, axis->ticks[i]);
    if (axis->n_ticks == 0 && axis->is_log)
        log_ticks(scale, !is_x, axis->is_tight);
    else if (axis->n_ticks == 0)
        linear_ticks(scale, !is_x);
    return true;
}

/* ---- parts of the picture ------------------------------------------------------------------- */

static void put_axes(const line_chart *chart, const axis_scale *x, const axis_scale *y,
                     kan_text *to) {
    for (size_t i = 0; i < y->n_ticks; i++) {
        double at = place(y, y->ticks[i]);
        kan_text_print(to, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>", LEFT, at, RIGHT);
        kan_text_print(to, "<text class=\"tick\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
                       LEFT - 8, at + 4.5);
        kan_svg_number(to, y->ticks[i]);
        kan_svg_raw(to, "</text>\n");
    }
    for (size_t i = 0; i < x->n_ticks; i++) {
        double at = place(x, x->ticks[i]);
        kan_text_print(to, "<path class=\"axis\" d=\"M%.1f %dv5\"/>", at, BOTTOM);
        kan_text_print(to, "<text class=\"tick\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", at,
                       BOTTOM + 20);
        kan_svg_number(to, x->ticks[i]);
        kan_svg_raw(to, "</text>\n");
    }
    kan_text_print(to, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP, BOTTOM, RIGHT);
    kan_text_print(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (LEFT + RIGHT) / 2,
                   BOTTOM + 44);
    kan_svg_element(to, "", chart->x.label, "</text>\n");
    kan_text_print(to, "<text transform=\"translate(20 %d) rotate(-90)\" text-anchor=\"middle\">",
                   (TOP + BOTTOM) / 2);
    kan_svg_element(to, "", chart->y.label,
                    chart->y.is_log ? " (logarithmic)</text>\n" : "</text>\n");
}

/* Six shapes, first filled, then hollow. */
static void put_mark(size_t look, double x, double y, kan_text *to) {
    static const char *const shapes[] = {
        "m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z", /* circle */
        "m-4 -4h8v8h-8z",                                /* square */
        "m0 -5.5l5 9h-10z",                              /* triangle */
        "m0 -6l5 6l-5 6l-5 -6z",                         /* diamond */
        "m0 5.5l5 -9h-10z",                              /* triangle on its tip */
        "m-4 -4l8 8m0 -8l-8 8",                          /* cross */
    };
    enum { N_SHAPES = sizeof shapes / sizeof *shapes };
    /* A hollow cross would look like a full one: it is an upright one instead. */
    const char *shape =
        look == 2 * N_SHAPES - 1 ? "m0 -5.5v11m-5.5 -5.5h11" : shapes[look % N_SHAPES];
    kan_text_print(to, "<path class=\"mark s%zu %s\" d=\"M%.1f %.1f%s\"/>\n", look,
                   look < N_SHAPES ? "full" : "hollow", x, y, shape);
}

static void put_ring(size_t look, double x, double y, kan_text *to) {
    kan_text_print(to, "<circle class=\"ring s%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"9\"/>\n", look, x,
                   y);
}

static void put_point(const chart_series *series, size_t i, double x, double y, kan_text *to) {
    const unsigned mark = series->marks ? series->marks[i] : CHART_MARK;
    if (mark != CHART_BARE)
        put_mark(series->look, x, y, to);
    if (mark == CHART_RING)
        put_ring(series->look, x, y, to);
}

static void put_series(const line_chart *chart, const chart_series *series, const axis_scale *x,
                       const axis_scale *y, kan_text *to) {
    bool is_pen_down = false, has_path = false;
    kan_svg_element(to, "<g><title>", series->name, "</title>\n");
    for (size_t i = 0; i < series->n; i++) {
        if (!can_draw(chart, series, i)) {
            is_pen_down = false;
            continue;
        }
        if (!has_path)
            kan_text_print(to, "<path class=\"line s%zu d%zu\" d=\"", series->look, series->look);
        kan_text_print(to, "%c%.1f %.1f", is_pen_down ? 'L' : 'M', place(x, series->x[i]),
                       place(y, series->y[i]));
        is_pen_down = has_path = true;
    }
    if (has_path)
        kan_svg_raw(to, "\"/>\n");
    for (size_t i = 0; i < series->n; i++)
        if (can_draw(chart, series, i))
            put_point(series, i, place(x, series->x[i]), place(y, series->y[i]), to);
    kan_svg_raw(to, "</g>\n");
}

static void put_legend(const line_chart *chart, kan_text *to) {
    for (size_t s = 0; s < chart->n_series; s++) {
        double y = TOP + 10 + LEGEND_STEP * (double)s;
        const size_t look = chart->series[s].look;
        kan_text_print(to, "<path class=\"line s%zu d%zu\" d=\"M%d %.1fh40\"/>", look, look, LEGEND,
                       y);
        put_mark(look, LEGEND + 20, y, to);
        kan_text_print(to, "<text x=\"%d\" y=\"%.1f\">", LEGEND + 48, y + 5);
        kan_svg_element(to, "", chart->series[s].name, "</text>\n");
    }
    if (chart->ring) {
        double y = TOP + 10 + LEGEND_STEP * (double)chart->n_series;
        kan_text_print(to, "<circle class=\"ring axis\" cx=\"%d\" cy=\"%.1f\" r=\"9\"/>",
                       LEGEND + 20, y);
        kan_text_print(to, "<text x=\"%d\" y=\"%.1f\">", LEGEND + 48, y + 5);
        kan_svg_element(to, "", chart->ring, "</text>\n");
    }
}

static void put_chart(const line_chart *chart, const axis_scale *x, const axis_scale *y,
                      kan_text *to) {
    const kan_svg_page page = {
        .title = chart->title,
        .description = chart->description,
        .width = WIDTH,
        .height = HEIGHT,
        .rules = ".line{fill:none;stroke-width:2}.mark{stroke-width:2;stroke-dasharray:none}\n"
                 ".ring{fill:none;stroke-width:1.4}\n"
                 ".full{fill:currentColor}.hollow{fill:#fff}\n",
        .dark_rules = ".hollow{fill:#16181c}\n",
        .print_rules = ".line,.mark,.ring{stroke:#000;color:#000}",
    };
    kan_svg_begin(to, &page);
    put_axes(chart, x, y, to);
    for (size_t s = 0; s < chart->n_series; s++)
        put_series(chart, &chart->series[s], x, y, to);
    put_legend(chart, to);
    if (chart->caption)
        kan_svg_caption(to, chart->caption, CAPTION_COLUMNS, LEFT - 60, BOTTOM + 68, HEIGHT);
    kan_svg_end(to);
}

bool chart_write(const line_chart *chart, FILE *to) {
    axis_scale x, y;
    for (size_t s = 0; s < chart->n_series; s++)
        if (chart->series[s].look >= CHART_MOST_SERIES)
            return false;
    if (!make_scale(chart, true, &x) || !make_scale(chart, false, &y))
        return false;
    kan_run *run = kan_run_create();
    kan_text text;
    if (!run)
        return false;
    kan_text_init(&text, run);
    put_chart(chart, &x, &y, &text);
    const bool is_written = kan_text_status(&text) == KAN_OK &&
                            fwrite(text.bytes, 1, text.size, to) == text.size && !ferror(to);
    kan_text_destroy(&text);
    kan_run_destroy(run);
    return is_written;
}

bool chart_save(const line_chart *chart, const char *path) {
    FILE *to = fopen(path, "w");
    if (!to) {
        fprintf(stderr, "kanon-bench: %s: %s\n", path, strerror(errno));
        return false;
    }
    bool is_written = chart_write(chart, to);
    is_written &= fclose(to) == 0;
    if (!is_written) {
        fprintf(stderr, "kanon-bench: %s: no picture was written\n", path);
        (void)remove(path);
    }
    return is_written;
}
