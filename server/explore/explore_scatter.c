/* Cost against risk: every node that keeps the promise as a point, other recoding models as further
 * points. Nodes that would fall on the same pixels are drawn once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explore.h"

enum {
    WIDTH = 900,
    HEIGHT = 420,
    LEFT = 90,
    RIGHT = 850,
    TOP = 16,
    BOTTOM = 362,
    GRAIN = 3, /* pixels */
    MOST_LINKS = 600
};

typedef struct {
    const sv_view *view;
    sv_axis x, y;
    bool *is_taken;
    size_t n_drawn;
} scatter;

static bool rival(const sv_view *view, size_t index, const json_t **cell, double *cost,
                  double *risk) {
    *cell = json_array_get(json_object_get(view->rivals, "cells"), index);
    *cost = sv_number(json_object_get(*cell, "metrics"), view->query.cost);
    *risk = sv_number(json_object_get(*cell, "risk"), view->query.risk);
    return *cell != NULL;
}

static bool span(scatter *s) {
    const sv_view *view = s->view;
    double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY}, x, y;
    const json_t *cell;
#define STRETCH()                                                                                  \
    if (!isnan(x) && !isnan(y)) {                                                                  \
        least[0] = fmin(least[0], x);                                                              \
        most[0] = fmax(most[0], x);                                                                \
        least[1] = fmin(least[1], y);                                                              \
        most[1] = fmax(most[1], y);                                                                \
    }
    for (size_t i = 0; i < view->nodes->n; i++) {
        if (!sv_node_is_good(view->nodes, i))
            continue;
        x = sv_node(view->nodes, i, view->cost);
        y = sv_node(view->nodes, i, view->risk);
        STRETCH()
    }
    for (size_t i = 0; rival(view, i, &cell, &x, &y); i++)
        STRETCH()
#undef STRETCH
    if (!(most[0] >= least[0]))
        return false;
    s->x = sv_axis_over(least[0], most[0], LEFT, RIGHT, true);
    s->x.is_share = kan_cost_is_share(view->query.cost);
    s->y = sv_axis_over(least[1], most[1], BOTTOM, TOP, true);
    s->y.is_share = true;
    return true;
}

/* Whether something is there already; it is from now on. */
static bool take_place(scatter *s, double x, double y) {
    const size_t at = (size_t)(y / GRAIN) * (WIDTH / GRAIN + 1) + (size_t)(x / GRAIN);
    const bool was = s->is_taken[at];
    s->is_taken[at] = true;
    return !was;
}

static void put_point(scatter *s, size_t node, bool is_pinned, sv_text *out) {
    const sv_view *view = s->view;
    const double cost = sv_node(view->nodes, node, view->cost),
                 risk = sv_node(view->nodes, node, view->risk);
    const bool is_best = node == view->best;
    if (isnan(cost) || isnan(risk))
        return;
    const double x = sv_axis_at(&s->x, cost), y = sv_axis_at(&s->y, risk);
    if (!take_place(s, x, y) && !is_pinned && !is_best)
        return;
    const bool is_link = s->n_drawn++ < MOST_LINKS || is_pinned || is_best;
    if (is_link) {
        sv_query query = view->query;
        sv_text name = {0};
        sv_node_name(view->nodes, node, &name);
        snprintf(query.node, sizeof query.node, "%s", name.bytes ? name.bytes : "");
        sv_raw(out, "<a tabindex=\"-1\" href=\"");
        sv_query_link(&query, out);
        sv_html(out, "#node\" aria-label=\"levels %s\"><title>%s</title>", name.bytes, name.bytes);
        sv_text_free(&name);
    }
    sv_html(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"/>",
            is_best ? "chosen" : "spot", x, y, is_best ? "7" : "4");
    if (is_pinned)
        sv_html(out, "<circle class=\"pin\" cx=\"%.1f\" cy=\"%.1f\" r=\"9\"/>", x, y);
    sv_raw(out, is_link ? "</a>\n" : "\n");
}

/* Pins and the best come last: they are seen, whatever is below. */
static void put_marked(scatter *s, sv_text *out) {
    const sv_view *view = s->view;
    bool is_best_drawn = view->best == SIZE_MAX;
    const json_t *pin;
    size_t i;
    json_array_foreach(view->pins, i, pin) {
        const size_t node = sv_node_find(view->nodes, json_string_value(pin));
        if (node == SIZE_MAX || !sv_node_is_good(view->nodes, node))
            continue;
        put_point(s, node, true, out);
        is_best_drawn = is_best_drawn || node == view->best;
    }
    if (!is_best_drawn)
        put_point(s, view->best, false, out);
}

enum { LABEL_WIDTH = 150, LABEL_HEIGHT = 15, MOST_LABELS = 16 };

typedef struct {
    double x, y;
} label;

/* Moves a label down until none of those before is in its way. */
static double free_y(const label *labels, size_t n, double x, double y) {
    for (size_t i = 0; i < n; i++)
        if (fabs(labels[i].x - x) < LABEL_WIDTH && fabs(labels[i].y - y) < LABEL_HEIGHT) {
            y = labels[i].y + LABEL_HEIGHT;
            i = SIZE_MAX; /* from the first again */
        }
    return y;
}

static void put_rivals(const scatter *s, sv_text *out) {
    const json_t *cell;
    double cost, risk;
    label labels[MOST_LABELS];
    size_t n = 0;
    for (size_t i = 0; rival(s->view, i, &cell, &cost, &risk); i++) {
        if (isnan(cost) || isnan(risk))
            continue;
        const double x = sv_axis_at(&s->x, cost), y = sv_axis_at(&s->y, risk);
        const bool is_right = x > RIGHT - LABEL_WIDTH;
        const double label_y = free_y(labels, n, x, y - 6);
        if (n < MOST_LABELS)
            labels[n++] = (label){x, label_y};
        sv_html(out,
                "<rect class=\"rival\" x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\" "
                "transform=\"rotate(45 %.1f %.1f)\"/><text x=\"%.1f\" y=\"%.1f\" "
                "text-anchor=\"%s\">%s</text>\n",
                x - 5, y - 5, x, y, is_right ? x - 11 : x + 11, label_y, is_right ? "end" : "start",
                sv_json_text(cell, "asked_recoding"));
    }
}

/* Which cost and which risk: a form of two lists. */
static void put_choice(const sv_view *view, sv_text *out) {
    sv_raw(out, "<form method=\"get\" action=\"");
    sv_link(view->request, out, "explore");
    sv_raw(out, "#picture\" class=\"filter\">");
    sv_query_fields(&view->query, "cost risk", out);
    sv_raw(out, "<p class=\"entry\"><label for=\"pick-cost\">cost</label><select name=\"cost\" "
                "id=\"pick-cost\">");
    for (size_t f = SV_COSTS; f < view->nodes->n_figures; f++)
        sv_html(out, "<option%s>%s</option>", f == view->cost ? " selected" : "",
                view->nodes->names[f]);
    if (view->cost == SV_HEIGHT)
        sv_raw(out, "<option selected>height</option>");
    else
        sv_raw(out, "<option>height</option>");
    sv_html(out,
            "</select></p><p class=\"entry\"><label for=\"pick-risk\">risk</label><select "
            "name=\"risk\" id=\"pick-risk\"><option>average</option><option%s>highest</option>"
            "</select></p><button type=\"submit\">Draw</button></form>\n",
            view->risk == SV_HIGHEST_RISK ? " selected" : "");
}

static void put_picture(scatter *s, sv_text *out) {
    const sv_view *view = s->view;
    sv_html(out,
            "<figure class=\"picture\"><div class=\"wide\" tabindex=\"0\" role=\"region\" "
            "aria-label=\"Picture\"><svg viewBox=\"0 0 %d %d\" role=\"group\" "
            "aria-label=\"Cost against risk of every combination that keeps the promise\">\n",
            WIDTH, HEIGHT);
    sv_axis_draw_y(out, &s->y, LEFT, RIGHT);
    sv_axis_draw_x(out, &s->x, TOP, BOTTOM);
    for (size_t i = 0; i < view->nodes->n; i++)
        if (sv_node_is_good(view->nodes, i) && i != view->best)
            put_point(s, i, false, out);
    put_marked(s, out);
    put_rivals(s, out);
    sv_html(out,
            "<text class=\"soft\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">loss (%s)%s</text><text "
            "class=\"soft\" transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">%s "
            "risk of a %s</text></svg></div>\n"
            "<figcaption>Further left is less loss, further down is less risk: a point with "
            "another one to its left and below it is never the better choice. Green is the best by "
            "the cost of the promise; a ring marks what is pinned; a diamond is another recoding "
            "model.</figcaption></figure>\n",
            (LEFT + RIGHT) / 2, HEIGHT - 14, view->query.cost,
            s->x.is_log ? ", each step is ten times as much" : "", (TOP + BOTTOM) / 2,
            view->query.risk, sv_risk_of(view->request->project));
}

void sv_explore_scatter(const sv_view *view, sv_text *out) {
    scatter s = {.view = view,
                 .is_taken =
                     calloc((size_t)(WIDTH / GRAIN + 1) * (HEIGHT / GRAIN + 1), sizeof(bool))};
    put_choice(view, out);
    if (s.is_taken && span(&s))
        put_picture(&s, out);
    else
        sv_raw(out, "<p>Nothing keeps the promise: there is nothing to draw.</p>\n");
    free(s.is_taken);
}
