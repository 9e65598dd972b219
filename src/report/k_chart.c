/* Two panels, one above the other, over the same axis of k, which is logarithmic: from 2 to 5 is as
 * far as from 20 to 50. Costs stand on a logarithmic axis where they lie far apart and on one that
 * begins at 0 elsewhere; the mean risk is a share. A line has a colour, a dash pattern and a mark
 * of its own; where a cell has no release it is broken. */
#include "report/k_chart.h"
#include "core/wording.h"

#include <math.h>

enum {
    WIDTH = 760,
    LEFT = 104,
    RIGHT = 28,
    LEGEND_TOP = 56,
    LEGEND_LINE = 22,
    LEGEND_COLUMNS = 2,
    PANEL_GAP = 58,
    COST_HEIGHT = 280,
    RISK_HEIGHT = 150,
    BELOW = 56
};

typedef struct {
    kan_text *to;
    const kan_curve *curve;
    double first, last; /* logarithms of k */
    int top, height;    /* of the panel */
    bool is_risk, is_log;
    double low, high; /* of its axis; logarithms where is_log */
} panel;

static double figure(const panel *p, size_t line, size_t i) {
    return p->is_risk ? p->curve->lines[line].risk[i] : p->curve->lines[line].cost[i];
}

static double across(const panel *p, double k) {
    return LEFT + (WIDTH - LEFT - RIGHT) * (log10(k) - p->first) / (p->last - p->first);
}

static double upwards(const panel *p, double value) {
    const double at = p->is_log ? log10(value) : value;
    return p->top + p->height * (p->high - at) / (p->high - p->low);
}

/* ---- axes ----------------------------------------------------------------------------------- */

static void find_range(panel *p) {
    enum { FAR_APART = 20 };
    double least = INFINITY, most = -INFINITY;
    for (size_t l = 0; l < p->curve->n_lines; l++)
        for (size_t i = 0; i < p->curve->n_ks; i++) {
            const double value = figure(p, l, i);
            if (!isfinite(value))
                continue;
            least = fmin(least, value);
            most = fmax(most, value);
        }
    p->is_log = least > 0 && most > least * FAR_APART;
    if (p->is_log) {
        p->low = log10(least) - 0.1;
        p->high = log10(most) + 0.1;
    } else {
        p->low = 0;
        p->high = most > 0 ? most * 1.08 : 1;
    }
}

static void add_tick(const panel *p, double value) {
    const double y = upwards(p, value);
    kan_text_print(p->to, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>", LEFT, y, WIDTH - RIGHT);
    kan_text_print(p->to, "<text class=\"tick\" text-anchor=\"end\" x=\"%d\" y=\"%.1f\">", LEFT - 8,
                   y + 4);
    kan_svg_number(p->to, p->is_risk ? value * 100 : value);
    kan_svg_raw(p->to, p->is_risk ? "%</text>\n" : "</text>\n");
}

/* One, two and five times powers of ten; only the powers where there are many. */
static void add_log_ticks(const panel *p) {
    static const double steps[] = {1, 2, 5};
    const int n_steps = p->high - p->low < (p->is_risk ? 2 : 2.5) ? 3 : 1;
    for (int power = (int)floor(p->low); power <= (int)ceil(p->high); power++)
        for (int s = 0; s < n_steps; s++) {
            const double value = steps[s] * pow(10, power);
            if (log10(value) >= p->low && log10(value) <= p->high)
                add_tick(p, value);
        }
}

static void add_ticks(const panel *p) {
    if (p->is_log) {
        add_log_ticks(p);
        return;
    }
    const double step = kan_svg_step(p->high - p->low);
    for (int i = 0; i * step <= p->high; i++)
        add_tick(p, i * step);
}

/* A label for each k that has room beside the one before. */
static void add_ks(const panel *p, bool has_labels) {
    const int bottom = p->top + p->height;
    double last = -INFINITY;
    for (size_t i = 0; i < p->curve->n_ks; i++) {
        const double x = across(p, p->curve->ks[i]);
        kan_text_print(p->to, "<path class=\"axis\" d=\"M%.1f %dv5\"/>", x, bottom);
        if (!has_labels || x - last < 34)
            continue;
        kan_text_print(p->to, "<text class=\"tick\" text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">", x,
                       bottom + 20);
        kan_svg_number(p->to, p->curve->ks[i]);
        kan_svg_raw(p->to, "</text>\n");
        last = x;
    }
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* Six shapes, filled for the first six lines and open for the others. */
static void add_mark(kan_text *to, size_t line, double x, double y) {
    static const char *const shapes[] = {
        "m-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z", "m-4.5 -4.5h9v9h-9z", "m0 -6l5.5 10h-11z",
        "m0 -6.5l6 6.5l-6 6.5l-6 -6.5z",         "m0 6l5.5 -10h-11z",  "m-6 0h12m-6 -6v12"};
    kan_text_print(to, "<path class=\"mark s%zu%s\" d=\"M%.1f %.1f%s\"/>", line,
                   line < 6 ? "" : " open", x, y, shapes[line % 6]);
}

static bool has_line(const kan_curve *curve, size_t line) {
    for (size_t i = 0; i < curve->n_ks; i++)
        if (isfinite(curve->lines[line].cost[i]) || isfinite(curve->lines[line].risk[i]))
            return true;
    return false;
}

static void add_line(const panel *p, size_t line) {
    bool is_on = false;
    kan_text_print(p->to, "<path class=\"line s%zu d%zu\" d=\"", line, line);
    for (size_t i = 0; i < p->curve->n_ks; i++) {
        const double value = figure(p, line, i);
        if (isfinite(value))
            kan_text_print(p->to, "%c%.1f %.1f", is_on ? 'L' : 'M', across(p, p->curve->ks[i]),
                           upwards(p, value));
        is_on = isfinite(value);
    }
    kan_svg_raw(p->to, "\"/>\n");
    for (size_t i = 0; i < p->curve->n_ks; i++) {
        const double value = figure(p, line, i);
        if (isfinite(value))
            add_mark(p->to, line, across(p, p->curve->ks[i]), upwards(p, value));
    }
    kan_svg_raw(p->to, "\n");
}

static void add_panel(panel *p, const char *name) {
    find_range(p);
    add_ticks(p);
    kan_text_print(p->to, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n", LEFT, p->top,
                   p->top + p->height, WIDTH - RIGHT);
    kan_text_print(p->to, "<text class=\"caption\" x=\"%d\" y=\"%d\">", LEFT, p->top - 10);
    kan_svg_escape(p->to, name, strlen(name));
    kan_svg_raw(p->to, p->is_log ? " (logarithmic)</text>\n" : "</text>\n");
    add_ks(p, true);
    for (size_t l = 0; l < p->curve->n_lines; l++)
        if (has_line(p->curve, l))
            add_line(p, l);
}

/* A method without a release has no line: its name stays, because it was asked for, and says so. */
static void add_legend(kan_text *to, const kan_curve *curve) {
    for (size_t l = 0; l < curve->n_lines; l++) {
        const int x = 24 + (int)(l % LEGEND_COLUMNS) * (WIDTH - 48) / LEGEND_COLUMNS;
        const int y = LEGEND_TOP + (int)(l / LEGEND_COLUMNS) * LEGEND_LINE;
        const bool is_drawn = has_line(curve, l);
        if (is_drawn) {
            kan_text_print(to, "<path class=\"line s%zu d%zu\" d=\"M%d %dh46\"/>", l, l, x, y);
            add_mark(to, l, x + 23, y);
        }
        kan_text_print(to, "<text class=\"tick\" x=\"%d\" y=\"%d\">", x + 56, y + 4);
        kan_svg_cut_element(to, "", kan_slice_of(curve->lines[l].name), is_drawn ? 40 : 28,
                            is_drawn ? "</text>\n" : ": no release</text>\n");
    }
}

/* ---- words ---------------------------------------------------------------------------------- */

/* "mondrian: at k 2 123 and 4.1%, at k 5 ...": every figure of the picture. */
static void describe(const kan_curve *curve, kan_text *to) {
    kan_text_print(to, "%s and mean risk against k. ", curve->cost);
    for (size_t l = 0; l < curve->n_lines; l++) {
        kan_text_print(to, "%s:", curve->lines[l].name);
        for (size_t i = 0; i < curve->n_ks; i++) {
            const double cost = curve->lines[l].cost[i], risk = curve->lines[l].risk[i];
            char percent[KAN_PERCENT_BYTES];
            kan_text_print(to, "%s at k %.0f ", i ? "," : "", curve->ks[i]);
            if (isfinite(cost))
                kan_svg_number(to, cost);
            else
                kan_text_print(to, "nothing");
            if (isfinite(risk))
                kan_text_print(to, " and %s",
                               kan_percent_text(risk * 100, KAN_PERCENT_DIGITS, percent));
        }
        kan_text_print(to, ". ");
    }
}

kan_status kan_curve_print(const kan_curve *curve, kan_text *to) {
    const int legend = (int)((curve->n_lines + LEGEND_COLUMNS - 1) / LEGEND_COLUMNS) * LEGEND_LINE;
    panel p = {.to = to,
               .curve = curve,
               .first = log10(curve->ks[0]) - 0.08,
               .last = log10(curve->ks[curve->n_ks - 1]) + 0.08,
               .top = LEGEND_TOP + legend + 18,
               .height = COST_HEIGHT};
    kan_text description;
    kan_text_init(&description, to->run);
    describe(curve, &description);
    kan_status status = kan_text_status(&description);
    if (status == KAN_OK) {
        kan_svg_begin(
            to,
            &(kan_svg_page){.title = curve->title,
                            .description = description.bytes,
                            .width = WIDTH,
                            .height = p.top + COST_HEIGHT + PANEL_GAP + RISK_HEIGHT + BELOW,
                            .rules = ".line{fill:none;stroke-width:2}"
                                     ".mark{fill:currentColor;stroke-width:1.5}.open{fill:#fff}\n",
                            .dark_rules = ".open{fill:#16181c}\n",
                            .print_rules = ""});
        add_legend(to, curve);
        add_panel(&p, curve->cost);
        p.top += COST_HEIGHT + PANEL_GAP;
        p.height = RISK_HEIGHT;
        p.is_risk = true;
        add_panel(&p, "mean risk of being recognised");
        kan_text_print(to,
                       "<text class=\"caption\" text-anchor=\"middle\" x=\"%d\" y=\"%d\">k"
                       "</text>\n",
                       (WIDTH + LEFT - RIGHT) / 2, p.top + RISK_HEIGHT + 42);
        kan_svg_end(to);
        status = kan_text_status(to);
    }
    kan_text_destroy(&description);
    return status;
}
