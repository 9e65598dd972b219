/* The loss against the limit, a line for each k. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "promise.h"

enum { WIDTH = 720, HEIGHT = 320, LEFT = 96, RIGHT = 620, TOP = 20, BOTTOM = 262 };

const char *sv_limit_counts(const sv_project *project) {
    const char *by = sv_setting(project, "suppress-by", 0);
    return by && strcmp(by, "row") == 0          ? "rows"
           : sv_setting(project, "household", 0) ? "households"
           : sv_setting(project, "person", 0)    ? "people"
                                                 : "rows";
}

/* Of a column of people or households: those that are known, and each row without one by itself. */
double sv_limit_all(const sv_request *request, double rows) {
    const char *counted = sv_limit_counts(request->project),
               *setting = strcmp(counted, "people") == 0       ? "person"
                          : strcmp(counted, "households") == 0 ? "household"
                                                               : NULL,
               *name = setting ? sv_setting(request->project, setting, 0) : NULL;
    double all = 0;
    sv_found profile;
    if (!name)
        return rows;
    sv_found_profile(request, &profile);
    const json_t *columns = sv_found_columns(&profile), *column;
    size_t i;
    json_array_foreach(columns, i, column) {
        if (strcmp(sv_json_text(column, "name"), name) == 0)
            all = sv_json_real(column, "distinct") + sv_json_real(column, "missing");
    }
    sv_found_close(&profile);
    return all;
}

double sv_limit_percent(const char *limit, double all) {
    if (strcmp(limit, "all") == 0)
        return 100;
    const double number = strtod(limit, NULL);
    return strchr(limit, '%') ? number : all > 0 ? 100 * number / all : 0;
}

typedef struct {
    const json_t *cells;
    const char *cost;
    double all;
    sv_axis x, y;
    double label; /* where the last line's name stands; a larger k lies above it */
} chart;

static bool point(const chart *c, const json_t *cell, double *x, double *y) {
    *x = sv_limit_percent(sv_json_text(cell, "suppress"), c->all);
    *y = sv_number(json_object_get(cell, "metrics"), c->cost);
    return !isnan(*y) && *x <= 20;
}

static bool span(chart *c) {
    double least = INFINITY, most = -INFINITY, widest = 0, x, y;
    const json_t *cell;
    size_t i;
    json_array_foreach(c->cells, i, cell) if (point(c, cell, &x, &y)) {
        least = fmin(least, y);
        most = fmax(most, y);
        widest = fmax(widest, x);
    }
    if (!(most >= least) || widest <= 0)
        return false;
    c->x = sv_axis_over(0, widest, LEFT, RIGHT, false);
    c->y = sv_axis_over(least, most, BOTTOM, TOP, true);
    c->y.is_share = kan_cost_is_share(c->cost);
    return true;
}

typedef struct {
    double x, y;
} spot;

static int by_x(const void *a, const void *b) {
    const spot *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

static void put_line(sv_text *out, chart *c, const json_t *k, size_t look) {
    spot spots[32];
    size_t n = 0, i;
    const json_t *cell;
    json_array_foreach(c->cells, i, cell) if (n < 32 &&
                                              json_equal(json_object_get(cell, "k"), k) == 1 &&
                                              point(c, cell, &spots[n].x, &spots[n].y)) n++;
    if (n == 0)
        return;
    qsort(spots, n, sizeof *spots, by_x);
    sv_html(out, "<polyline class=\"line look%zu\" points=\"", look % 6);
    for (i = 0; i < n; i++)
        sv_html(out, "%.1f,%.1f ", sv_axis_at(&c->x, spots[i].x), sv_axis_at(&c->y, spots[i].y));
    sv_raw(out, "\"/>");
    for (i = 0; i < n; i++)
        sv_html(out, "<circle class=\"dot look%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>", look % 6,
                sv_axis_at(&c->x, spots[i].x), sv_axis_at(&c->y, spots[i].y));
    c->label = fmin(sv_axis_at(&c->y, spots[n - 1].y) + 4, c->label - 15);
    sv_html(out, "<text x=\"%.1f\" y=\"%.1f\">", sv_axis_at(&c->x, spots[n - 1].x) + 8, c->label);
    if (json_is_integer(k))
        sv_html(out, "k = %lld", (long long)json_integer_value(k));
    sv_raw(out, "</text>\n");
}

void sv_promise_chart(sv_text *out, const json_t *compared, const char *cost, double all,
                      const char *counted) {
    chart c = {
        .cells = json_object_get(compared, "cells"), .cost = cost, .all = all, .label = INFINITY};
    const json_t *cell, *before = NULL;
    size_t i, look = 0;
    if (!span(&c))
        return;
    sv_html(out,
            "<figure class=\"picture\"><div class=\"wide\" tabindex=\"0\" role=\"region\" "
            "aria-label=\"Chart\"><svg viewBox=\"0 0 %d %d\" role=\"img\" "
            "aria-label=\"Loss against the limit of what may be left out, a line for each k; "
            "the table below has the same numbers\">\n",
            WIDTH, HEIGHT);
    sv_axis_draw_y(out, &c.y, LEFT, RIGHT);
    sv_axis_draw_x(out, &c.x, TOP, BOTTOM);
    json_array_foreach(c.cells, i, cell) {
        const json_t *k = json_object_get(cell, "k");
        if (before && json_equal(before, k) == 1)
            continue;
        before = k;
        put_line(out, &c, k, look++);
    }
    sv_html(
        out,
        "<text class=\"soft\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">per cent of the %s that may "
        "be left out</text></svg></div>\n<figcaption>Loss (%s) against the limit: where a line "
        "falls, leaving out a few more saves much detail.</figcaption></figure>\n",
        (LEFT + RIGHT) / 2, HEIGHT - 16, counted, cost);
}
