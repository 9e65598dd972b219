/* How a search that gets better with time got better: the cost of the best answer, a full line, and
 * the proven bound, a dashed one, over time. Both axes are logarithmic: the first
 * answers cost many times what the last do. */
#include <math.h>
#include <stdio.h>

#include "report/chart.h"

enum { WIDTH = 760, HEIGHT = 320, LEFT = 96, RIGHT = 24, TOP = 18, BOTTOM = 48 };

typedef struct {
    kan_page *page;
    size_t n;
    double least, most; /* logarithms of costs */
    double first, last; /* logarithms of seconds */
} curve;

/* What happens within the first millisecond happens at its end. */
static double log_seconds(double seconds) {
    return log10(seconds > 1e-3 ? seconds : 1e-3);
}

static double moment_of(const curve *c, size_t i) {
    return log_seconds(kan_page_number(c->page, "search.moments.%zu.seconds", i));
}

/* Above 0, or NAN where it is not known. */
static double cost_of(const curve *c, size_t i, const char *which) {
    const double cost = kan_page_number(c->page, "search.moments.%zu.%s", i, which);
    return cost > 0 ? log10(cost) : NAN;
}

static double across(const curve *c, double moment) {
    return LEFT + (WIDTH - LEFT - RIGHT) * (moment - c->first) / (c->last - c->first);
}

static double upwards(const curve *c, double cost) {
    return TOP + (HEIGHT - TOP - BOTTOM) * (c->most - cost) / (c->most - c->least);
}

static void find_extent(curve *c) {
    c->least = INFINITY;
    c->most = -INFINITY;
    for (size_t i = 0; i < c->n; i++)
        for (int k = 0; k < 2; k++) {
            const double cost = cost_of(c, i, k ? "bound" : "cost");
            if (isnan(cost))
                continue;
            c->least = fmin(c->least, cost);
            c->most = fmax(c->most, cost);
        }
    c->first = INFINITY;
    c->last = log_seconds(kan_page_number(c->page, "time_ms.search") / 1000);
    for (size_t i = 0; i < c->n; i++) {
        c->first = fmin(c->first, moment_of(c, i));
        c->last = fmax(c->last, moment_of(c, i));
    }
    c->last = fmax(c->last, c->first + 0.3);
    const double room = fmax((c->most - c->least) * 0.06, 0.02);
    c->least -= room;
    c->most += room;
}

static void short_number(double value, char room[32]) {
    static const char *const units[] = {"", "k", "M", "G", "T", "P"};
    unsigned u = 0;
    while (value >= 999.5 && u < 5) {
        value /= 1000;
        u++;
    }
    snprintf(room, 32, "%.3g%s", value, units[u]);
}

/* One, two and five times powers of ten; only the powers where there are many. */
static void add_ticks(curve *c) {
    static const double steps[] = {1, 2, 5};
    const bool has_few = c->most - c->least < 1.7;
    char room[32];
    for (int power = (int)floor(c->least); power <= (int)ceil(c->most); power++)
        for (int s = 0; s < (has_few ? 3 : 1); s++) {
            const double value = steps[s] * pow(10, power), at = log10(value);
            if (at < c->least || at > c->most)
                continue;
            short_number(value, room);
            kan_page_print(c->page,
                           "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text class=\"soft\" "
                           "text-anchor=\"end\" x=\"%d\" y=\"%.1f\">%s</text>\n",
                           LEFT, upwards(c, at), WIDTH - RIGHT, LEFT - 8, upwards(c, at) + 4, room);
        }
    for (int power = (int)ceil(c->first - 1e-9); power <= (int)floor(c->last + 1e-9); power++) {
        snprintf(room, sizeof room, "%g s", pow(10, power));
        kan_page_print(c->page,
                       "<path class=\"grid\" d=\"M%.1f %dV%d\"/><text class=\"soft\" "
                       "text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%s</text>\n",
                       across(c, power), TOP, HEIGHT - BOTTOM, across(c, power),
                       HEIGHT - BOTTOM + 18, room);
    }
}

/* Steps: what holds, holds until the next moment, and the last to the end. */
static void add_steps(curve *c, const char *which, const char *class_name) {
    bool has_begun = false;
    kan_page_print(c->page, "<path class=\"%s\" d=\"", class_name);
    for (size_t i = 0; i < c->n; i++) {
        const double cost = cost_of(c, i, which), x = across(c, moment_of(c, i));
        if (isnan(cost))
            continue;
        if (has_begun)
            kan_page_print(c->page, "H%.1fV%.1f", x, upwards(c, cost));
        else
            kan_page_print(c->page, "M%.1f %.1f", x, upwards(c, cost));
        has_begun = true;
    }
    if (has_begun)
        kan_page_print(c->page, "H%.1f", across(c, c->last));
    kan_page_raw(c->page, "\"/>\n");
}

static void add_entry(const curve *c, const char *which, const char *class_name,
                      const char *words) {
    bool has_line = false;
    for (size_t i = 0; i < c->n; i++)
        has_line = has_line || !isnan(cost_of(c, i, which));
    if (has_line)
        kan_page_print(c->page,
                       "<span><svg viewBox=\"0 0 32 12\" aria-hidden=\"true\"><path class=\"%s\" "
                       "d=\"M0 6H32\"/></svg>%s</span>",
                       class_name, words);
}

/* Of the lines that are drawn: many searches know no bound. */
static void add_legend(const curve *c) {
    kan_page_raw(c->page, "<p class=\"legend\">");
    add_entry(c, "cost", "line", "cost of the best answer so far");
    add_entry(c, "bound", "bound", "lower bound: less is impossible");
    kan_page_raw(c->page, "</p>\n");
}

void kan_chart_curve(kan_page *page) {
    curve c = {.page = page, .n = kan_page_size(page, "search.moments")};
    if (c.n == 0)
        return;
    find_extent(&c);
    if (!isfinite(c.least) || !isfinite(c.most))
        return;
    add_legend(&c);
    kan_page_print(
        page,
        "<div class=\"picture wide\" tabindex=\"0\" role=\"group\" aria-label=\"Picture, "
        "may be scrolled\"><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Cost of "
        "the best answer over time, and the proven bound where there is one; the table below has "
        "the numbers.\">\n",
        WIDTH, HEIGHT);
    add_ticks(&c);
    kan_page_print(page, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP, HEIGHT - BOTTOM,
                   WIDTH - RIGHT);
    kan_page_print(page,
                   "<text text-anchor=\"middle\" x=\"%d\" y=\"%d\">time</text>\n"
                   "<text text-anchor=\"middle\" transform=\"translate(18 %d) rotate(-90)\">cost"
                   "</text>\n",
                   (WIDTH + LEFT - RIGHT) / 2, HEIGHT - 6, (HEIGHT - BOTTOM + TOP) / 2);
    add_steps(&c, "bound", "bound");
    add_steps(&c, "cost", "line");
    kan_page_raw(page, "</svg></div>\n");
}
