/* Many values of one column, in their order, side by side. */
#include "report/chart.h"

enum { WIDTH = 760, HEIGHT = 190, LEFT = 4, TOP = 8, BOTTOM = 26, LABELS = 7, LABEL_SIZE = 14 };

typedef struct {
    kan_page *page;
    const char *at;
    size_t n;
    double most;
    bool tells_before;
} columns;

static double upwards(const columns *c, double rows) {
    return (HEIGHT - TOP - BOTTOM) * rows / c->most;
}

static double slot(const columns *c) {
    return (WIDTH - 2.0 * LEFT) / (double)c->n;
}

static void find_most(columns *c) {
    c->most = 1;
    for (size_t i = 0; i < c->n; i++) {
        const double before = kan_page_number(c->page, "%s.values.%zu.before", c->at, i);
        const double after = kan_page_number(c->page, "%s.values.%zu.released", c->at, i);
        c->most = before > c->most ? before : c->most;
        c->most = after > c->most ? after : c->most;
    }
}

static void add_bar(const columns *c, size_t i) {
    const double width = slot(c), x = LEFT + width * (double)i, floor_y = HEIGHT - BOTTOM;
    const double gap = width > 6 ? 1.5 : width * 0.15;
    const double after = upwards(c, kan_page_number(c->page, "%s.values.%zu.released", c->at, i));
    const double before = upwards(c, kan_page_number(c->page, "%s.values.%zu.before", c->at, i));
    if (c->tells_before && before > 0)
        kan_page_print(c->page,
                       "<rect class=\"o\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
                       "height=\"%.2f\"/>",
                       x + gap / 2, floor_y - before, width - gap, before);
    kan_page_print(c->page,
                   "<rect class=\"f\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n",
                   x + gap, floor_y - after, width - 2 * gap, after);
}

static void add_label(const columns *c, size_t i) {
    const char *anchor = i == 0 ? "start" : i + 1 == c->n ? "end" : "middle";
    const double x = i == 0          ? LEFT
                     : i + 1 == c->n ? WIDTH - LEFT
                                     : LEFT + slot(c) * ((double)i + 0.5);
    kan_page_print(c->page, "<text class=\"soft\" text-anchor=\"%s\" x=\"%.1f\" y=\"%d\">", anchor,
                   x, HEIGHT - 8);
    kan_page_words(c->page, kan_page_find(c->page, "%s.values.%zu.label", c->at, i), LABEL_SIZE);
    kan_page_raw(c->page, "</text>\n");
}

void kan_chart_columns(kan_page *page, const char *at, bool tells_before) {
    columns c = {.page = page,
                 .at = at,
                 .n = kan_page_size(page, "%s.values", at),
                 .tells_before = tells_before};
    if (c.n == 0)
        return;
    find_most(&c);
    kan_page_print(
        page,
        "<div class=\"picture wide\" tabindex=\"0\" role=\"group\" aria-label=\"Picture, "
        "may be scrolled\"><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Rows of "
        "each value, in order; the table below has the numbers.\">\n",
        WIDTH, HEIGHT);
    for (size_t i = 0; i < c.n; i++)
        add_bar(&c, i);
    kan_page_print(page, "<path class=\"axis\" d=\"M%d %dH%d\"/>\n", LEFT, HEIGHT - BOTTOM,
                   WIDTH - LEFT);
    const size_t n_labels = c.n < LABELS ? c.n : LABELS;
    for (size_t i = 0; i < n_labels; i++)
        add_label(&c, n_labels > 1 ? i * (c.n - 1) / (n_labels - 1) : 0);
    kan_page_raw(page, "</svg></div>\n");
}
