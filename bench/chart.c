/* Line charts as SVG: see chart.h.
 *
 * Layout: the plot on the left, the legend on its right, the caption below. Coordinates are written
 * with a tenth of a pixel. Styles are plain rules without variables, which the simpler viewers do
 * not know. */
#include "chart.h"

#include <errno.h>
#include <math.h>
#include <string.h>

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

static const char *const dashes[CHART_MOST_SERIES] = {
    "none",      "7 4",          "2 3", "10 3 2 3", "14 5",    "5 2 1 2",
    "1 5 1 1 1", "12 3 2 3 2 3", "4 1", "16 3 4 3", "2 2 8 2", "3 6"};

/* Dark enough on white, light enough on black; the print rules make both black. */
static const char *const inks[CHART_MOST_SERIES] = {"#1f4e9c", "#b3430e", "#1d6b3a", "#7a2a83",
                                                    "#8a6200", "#0b6e78", "#a3214e", "#4a4a4a",
                                                    "#5a3fc0", "#6b4a2f", "#35720a", "#8c1d1d"};
static const char *const lights[CHART_MOST_SERIES] = {"#8fb8ff", "#ffa873", "#7fd79b", "#dfa0e8",
                                                      "#f0cc6a", "#74d6e0", "#ff9dbd", "#cfcfcf",
                                                      "#c0b0ff", "#d9b48f", "#b5e07f", "#ff9a9a"};

/* ---- text ----------------------------------------------------------------------------------- */

/* Characters that XML gives a meaning are escaped, those that it forbids become a question mark. */
static void put_text(FILE *to, const char *text, size_t size) {
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '&')
            fputs("&amp;", to);
        else if (c == '<')
            fputs("&lt;", to);
        else if (c == '>')
            fputs("&gt;", to);
        else if (c == '"')
            fputs("&quot;", to);
        else if (c < 0x20 && c != '\t' && c != '\n' && c != '\r')
            fputc('?', to);
        else
            fputc(c, to);
    }
}

static void put_element(FILE *to, const char *start, const char *text, const char *end) {
    fputs(start, to);
    put_text(to, text, strlen(text));
    fputs(end, to);
}

/* 1500 as "1,500", 0.25 as "0.25", 1e9 as "1e+09". */
static void put_number(FILE *to, double value) {
    char plain[40];
    bool is_whole = fabs(value) < 1e9 && fabs(value - nearbyint(value)) < 1e-9 * fabs(value);
    if (!is_whole || fabs(value) < 1000) {
        fprintf(to, "%.6g", value);
        return;
    }
    snprintf(plain, sizeof plain, "%.0f", value);
    size_t size = strlen(plain);
    for (size_t i = 0; i < size; i++) {
        fputc(plain[i], to);
        if ((size - 1 - i) % 3 == 0 && i + 1 < size && plain[i] != '-')
            fputc(',', to);
    }
}

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
    double raw = (scale->high - scale->low) / 6, power = pow(10, floor(log10(raw)));
    double step = raw <= power       ? power
                  : raw <= 2 * power ? 2 * power
                  : raw <= 5 * power ? 5 * power
                                     : 10 * power;
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

static void put_colours(FILE *to, const char *const *colours) {
    for (size_t s = 0; s < CHART_MOST_SERIES; s++)
        fprintf(to, ".s%zu{stroke:%s;color:%s}", s, colours[s], colours[s]);
    fputc('\n', to);
}

static void put_style(FILE *to) {
    fputs("<style>\n"
          "text{font-family:system-ui,sans-serif;font-size:14px;fill:#1a1a1a}\n"
          ".title{font-size:17px;font-weight:600}.tick{font-size:13px}.caption{font-size:13px}\n"
          ".paper{fill:#fff}.axis{stroke:#1a1a1a;fill:none}.grid{stroke:#d8d8d8}\n"
          ".line{fill:none;stroke-width:2}.mark{stroke-width:2;stroke-dasharray:none}\n"
          ".ring{fill:none;stroke-width:1.4}\n"
          ".full{fill:currentColor}.hollow{fill:#fff}\n",
          to);
    for (size_t s = 0; s < CHART_MOST_SERIES; s++)
        fprintf(to, ".d%zu{stroke-dasharray:%s}", s, dashes[s]);
    fputc('\n', to);
    put_colours(to, inks);
    fputs("@media screen and (prefers-color-scheme:dark){\n"
          "text{fill:#ececec}.paper,.hollow{fill:#16181c}.axis{stroke:#ececec}.grid{stroke:#3a3d44}"
          "\n",
          to);
    put_colours(to, lights);
    fputs("}\n@media print{.line,.mark,.ring{stroke:#000;color:#000}}\n</style>\n", to);
}

static void put_axes(const line_chart *chart, const axis_scale *x, const axis_scale *y, FILE *to) {
    for (size_t i = 0; i < y->n_ticks; i++) {
        double at = place(y, y->ticks[i]);
        fprintf(to, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>", LEFT, at, RIGHT);
        fprintf(to, "<text class=\"tick\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 8,
                at + 4.5);
        put_number(to, y->ticks[i]);
        fputs("</text>\n", to);
    }
    for (size_t i = 0; i < x->n_ticks; i++) {
        double at = place(x, x->ticks[i]);
        fprintf(to, "<path class=\"axis\" d=\"M%.1f %dv5\"/>", at, BOTTOM);
        fprintf(to, "<text class=\"tick\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", at,
                BOTTOM + 20);
        put_number(to, x->ticks[i]);
        fputs("</text>\n", to);
    }
    fprintf(to, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP, BOTTOM, RIGHT);
    fprintf(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (LEFT + RIGHT) / 2, BOTTOM + 44);
    put_element(to, "", chart->x.label, "</text>\n");
    fprintf(to, "<text transform=\"translate(20 %d) rotate(-90)\" text-anchor=\"middle\">",
            (TOP + BOTTOM) / 2);
    put_element(to, "", chart->y.label, chart->y.is_log ? " (logarithmic)</text>\n" : "</text>\n");
}

/* Six shapes, first filled, then hollow. */
static void put_mark(size_t look, double x, double y, FILE *to) {
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
    fprintf(to, "<path class=\"mark s%zu %s\" d=\"M%.1f %.1f%s\"/>\n", look,
            look < N_SHAPES ? "full" : "hollow", x, y, shape);
}

static void put_ring(size_t look, double x, double y, FILE *to) {
    fprintf(to, "<circle class=\"ring s%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"9\"/>\n", look, x, y);
}

static void put_point(const chart_series *series, size_t i, double x, double y, FILE *to) {
    const unsigned mark = series->marks ? series->marks[i] : CHART_MARK;
    if (mark != CHART_BARE)
        put_mark(series->look, x, y, to);
    if (mark == CHART_RING)
        put_ring(series->look, x, y, to);
}

static void put_series(const line_chart *chart, const chart_series *series, const axis_scale *x,
                       const axis_scale *y, FILE *to) {
    bool is_pen_down = false, has_path = false;
    put_element(to, "<g><title>", series->name, "</title>\n");
    for (size_t i = 0; i < series->n; i++) {
        if (!can_draw(chart, series, i)) {
            is_pen_down = false;
            continue;
        }
        if (!has_path)
            fprintf(to, "<path class=\"line s%zu d%zu\" d=\"", series->look, series->look);
        fprintf(to, "%c%.1f %.1f", is_pen_down ? 'L' : 'M', place(x, series->x[i]),
                place(y, series->y[i]));
        is_pen_down = has_path = true;
    }
    if (has_path)
        fputs("\"/>\n", to);
    for (size_t i = 0; i < series->n; i++)
        if (can_draw(chart, series, i))
            put_point(series, i, place(x, series->x[i]), place(y, series->y[i]), to);
    fputs("</g>\n", to);
}

static void put_legend(const line_chart *chart, FILE *to) {
    for (size_t s = 0; s < chart->n_series; s++) {
        double y = TOP + 10 + LEGEND_STEP * (double)s;
        const size_t look = chart->series[s].look;
        fprintf(to, "<path class=\"line s%zu d%zu\" d=\"M%d %.1fh40\"/>", look, look, LEGEND, y);
        put_mark(look, LEGEND + 20, y, to);
        fprintf(to, "<text x=\"%d\" y=\"%.1f\">", LEGEND + 48, y + 5);
        put_element(to, "", chart->series[s].name, "</text>\n");
    }
    if (chart->ring) {
        double y = TOP + 10 + LEGEND_STEP * (double)chart->n_series;
        fprintf(to, "<circle class=\"ring axis\" cx=\"%d\" cy=\"%.1f\" r=\"9\"/>", LEGEND + 20, y);
        fprintf(to, "<text x=\"%d\" y=\"%.1f\">", LEGEND + 48, y + 5);
        put_element(to, "", chart->ring, "</text>\n");
    }
}

/* Broken at blanks into lines that fit. */
static void put_caption(const char *caption, FILE *to) {
    for (int y = BOTTOM + 68; *caption && y < HEIGHT; y += 17) {
        size_t size = strlen(caption);
        if (size > CAPTION_COLUMNS) {
            for (size = CAPTION_COLUMNS; size > 0 && caption[size] != ' '; size--)
                continue;
            if (size == 0) /* one very long word */
                size = strcspn(caption, " ");
        }
        fprintf(to, "<text class=\"caption\" x=\"%d\" y=\"%d\">", LEFT - 60, y);
        put_text(to, caption, size);
        fputs("</text>\n", to);
        caption += size;
        caption += strspn(caption, " ");
    }
}

bool chart_write(const line_chart *chart, FILE *to) {
    axis_scale x, y;
    for (size_t s = 0; s < chart->n_series; s++)
        if (chart->series[s].look >= CHART_MOST_SERIES)
            return false;
    if (!make_scale(chart, true, &x) || !make_scale(chart, false, &y))
        return false;
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" "
            "aria-labelledby=\"title description\">\n",
            WIDTH, HEIGHT);
    put_element(to, "<title id=\"title\">", chart->title, "</title>\n");
    put_element(to, "<desc id=\"description\">", chart->description, "</desc>\n");
    put_style(to);
    fprintf(to, "<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n", WIDTH, HEIGHT);
    fprintf(to, "<text class=\"title\" x=\"%d\" y=\"30\">", LEFT - 60);
    put_element(to, "", chart->title, "</text>\n");
    put_axes(chart, &x, &y, to);
    for (size_t s = 0; s < chart->n_series; s++)
        put_series(chart, &chart->series[s], &x, &y, to);
    put_legend(chart, to);
    if (chart->caption)
        put_caption(chart->caption, to);
    fputs("</svg>\n", to);
    return !ferror(to);
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
