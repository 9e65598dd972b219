/* The lattice, drawn. A few hundred nodes are circles in rows by height, the most detailed below;
 * more are counted by height, in bars that lead to the nodes of each. */
#include <stdlib.h>
#include <string.h>

#include "explore.h"

enum { MOST_CIRCLES = 400, MOST_EDGES_OF = 160, WIDTH = 960, ROW = 46 };

/* ---- circles -------------------------------------------------------------------------------- */

typedef struct {
    const sv_view *view;
    size_t *places; /* of each node in its row */
    size_t *in_row; /* nodes of each height */
    size_t *counts; /* scratch */
    size_t least;   /* height */
    bool *is_minimal;
} drawing;

static void arrange(drawing *d) {
    const sv_nodes *nodes = d->view->nodes;
    d->least = nodes->most_height;
    for (size_t i = 0; i < nodes->n; i++) {
        const size_t height = (size_t)sv_node(nodes, i, SV_HEIGHT);
        d->places[i] = d->in_row[height]++;
        if (height < d->least)
            d->least = height;
    }
    const json_t *minimal = json_object_get(json_object_get(d->view->found, "lattice"), "minimal"),
                 *one;
    size_t m;
    json_array_foreach(minimal, m, one) {
        const size_t node = sv_node_of(nodes, one);
        if (node != SIZE_MAX)
            d->is_minimal[node] = true;
    }
}

static double node_x(const drawing *d, size_t node) {
    const size_t n = d->in_row[(size_t)sv_node(d->view->nodes, node, SV_HEIGHT)];
    double gap = (double)(WIDTH - 80) / (double)n;
    gap = gap > 64 ? 64 : gap;
    return 40 + WIDTH / 2.0 + gap * ((double)d->places[node] - ((double)n - 1) / 2);
}

static double node_y(const drawing *d, size_t node) {
    const size_t height = (size_t)sv_node(d->view->nodes, node, SV_HEIGHT);
    return 26 + ROW * (double)(d->view->nodes->most_height - height);
}

static bool is_above(const sv_nodes *nodes, size_t low, size_t high) {
    size_t steps = 0;
    for (size_t c = 0; c < nodes->n_columns; c++) {
        const int gap =
            nodes->levels[high * nodes->n_columns + c] - nodes->levels[low * nodes->n_columns + c];
        if (gap < 0 || gap > 1)
            return false;
        steps += gap == 1;
    }
    return steps == 1;
}

static void put_edges(const drawing *d, sv_text *out) {
    const sv_nodes *nodes = d->view->nodes;
    if (nodes->n > MOST_EDGES_OF)
        return;
    sv_raw(out, "<path class=\"edge\" d=\"");
    for (size_t i = 0; i < nodes->n; i++)
        for (size_t j = 0; j < nodes->n; j++)
            if (sv_node(nodes, j, SV_HEIGHT) == sv_node(nodes, i, SV_HEIGHT) + 1 &&
                is_above(nodes, i, j))
                sv_html(out, "M%.1f %.1fL%.1f %.1f", node_x(d, i), node_y(d, i), node_x(d, j),
                        node_y(d, j));
    sv_raw(out, "\"/>\n");
}

static const char *look(const drawing *d, size_t node) {
    return node == d->view->best                   ? "chosen"
           : d->is_minimal[node]                   ? "least"
           : sv_node_is_good(d->view->nodes, node) ? "passes"
                                                   : "fails";
}

static void put_node(const drawing *d, size_t node, double radius, sv_text *out) {
    const sv_nodes *nodes = d->view->nodes;
    sv_query query = d->view->query;
    sv_text name = {0}, levels = {0};
    sv_node_name(nodes, node, &name);
    sv_levels_text(name.bytes ? name.bytes : "", &levels);
    const bool is_pinned = name.bytes && sv_pin_find(d->view->pins, name.bytes) != SIZE_MAX;
    snprintf(query.node, sizeof query.node, "%s", name.bytes ? name.bytes : "");
    sv_raw(out, "<a tabindex=\"-1\" href=\"");
    sv_query_link(&query, out);
    sv_html(out, "#node\" aria-label=\"levels %s\"><title>%s: %s", levels.bytes, levels.bytes,
            sv_node_is_good(nodes, node) ? "keeps the promise" : "fails");
    if (sv_node_is_good(nodes, node)) {
        sv_html(out, "; %s ", d->view->query.cost);
        sv_figure(out, sv_node(nodes, node, d->view->cost), kan_cost_is_share(d->view->query.cost));
    }
    sv_html(out, "</title><circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", look(d, node),
            node_x(d, node), node_y(d, node), radius);
    if (is_pinned)
        sv_html(out, "<circle class=\"pin\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", node_x(d, node),
                node_y(d, node), radius + 4);
    sv_raw(out, "</a>\n");
    sv_text_free(&name);
    sv_text_free(&levels);
}

static void put_circles(drawing *d, sv_text *out) {
    const sv_nodes *nodes = d->view->nodes;
    size_t widest = 1;
    for (size_t h = 0; h <= nodes->most_height; h++)
        widest = d->in_row[h] > widest ? d->in_row[h] : widest;
    double radius = (WIDTH - 80) / (double)widest / 2.6;
    radius = radius > 9 ? 9 : radius < 3.5 ? 3.5 : radius;
    sv_html(out,
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Lattice\"><svg "
            "class=\"lattice\" viewBox=\"0 0 %d %zu\" role=\"group\" "
            "aria-label=\"All combinations of levels by height; the table below has the same\">\n",
            WIDTH + 40, (nodes->most_height - d->least) * ROW + 52);
    put_edges(d, out);
    for (size_t h = d->least; h <= nodes->most_height; h++)
        sv_html(out, "<text class=\"soft\" x=\"4\" y=\"%.1f\">%zu</text>",
                30 + ROW * (double)(nodes->most_height - h), h);
    for (size_t i = 0; i < nodes->n; i++)
        put_node(d, i, radius, out);
    sv_raw(out, "</svg></div>\n<p class=\"legend\">"
                "<span><svg viewBox=\"0 0 16 10\"><circle class=\"chosen\" cx=\"8\" cy=\"5\" "
                "r=\"4\"/></svg>the best</span>"
                "<span><svg viewBox=\"0 0 16 10\"><circle class=\"least\" cx=\"8\" cy=\"5\" "
                "r=\"4\"/></svg>keeps it, and nothing more detailed below it does</span>"
                "<span><svg viewBox=\"0 0 16 10\"><circle class=\"passes\" cx=\"8\" cy=\"5\" "
                "r=\"4\"/></svg>keeps the promise</span>"
                "<span><svg viewBox=\"0 0 16 10\"><circle class=\"fails\" cx=\"8\" cy=\"5\" "
                "r=\"4\"/></svg>fails</span></p>\n");
}

/* ---- bars ----------------------------------------------------------------------------------- */

static void put_bar(const drawing *d, size_t height, size_t n, size_t good, size_t most, double y,
                    sv_text *out) {
    sv_query query = d->view->query;
    const double unit = 640.0 / (double)most;
    query.height = (long)height;
    query.page = 0;
    snprintf(query.show, sizeof query.show, "all");
    sv_raw(out, "<a href=\"");
    sv_query_link(&query, out);
    sv_html(out,
            "#nodes\"><title>height %zu: %zu keep the promise, %zu fail</title><rect "
            "class=\"hit\" x=\"0\" y=\"%.1f\" width=\"960\" height=\"26\"/>"
            "<text class=\"soft\" x=\"58\" y=\"%.1f\" text-anchor=\"end\">%zu</text>",
            height, good, n - good, y - 5, y + 13, height);
    sv_html(out, "<rect class=\"f\" x=\"70\" y=\"%.1f\" width=\"%.1f\" height=\"16\"/>", y,
            unit * (double)good);
    sv_html(out, "<rect class=\"o\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"16\"/>",
            70 + unit * (double)good, y, unit * (double)(n - good));
    sv_html(out, "<text x=\"%.1f\" y=\"%.1f\">", 80 + unit * (double)n, y + 13);
    sv_count(out, good);
    sv_raw(out, " of ");
    sv_count(out, n);
    sv_raw(out, "</text></a>\n");
}

static void put_bars(drawing *d, sv_text *out) {
    const sv_nodes *nodes = d->view->nodes;
    size_t most = 1;
    for (size_t i = 0; i < nodes->n; i++)
        if (sv_node_is_good(nodes, i))
            d->counts[(size_t)sv_node(nodes, i, SV_HEIGHT)]++;
    for (size_t h = 0; h <= nodes->most_height; h++)
        most = d->in_row[h] > most ? d->in_row[h] : most;
    sv_html(out,
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Lattice\"><svg "
            "class=\"lattice\" viewBox=\"0 0 960 %zu\" role=\"group\" "
            "aria-label=\"How many combinations of each height keep the promise\">\n<text "
            "class=\"soft\" x=\"58\" y=\"14\" text-anchor=\"end\">height</text>\n",
            30 + 28 * (nodes->most_height - d->least + 1));
    for (size_t h = nodes->most_height + 1; h-- > d->least;)
        put_bar(d, h, d->in_row[h], d->counts[h], most, 26 + 28 * (double)(nodes->most_height - h),
                out);
    sv_raw(out, "</svg></div>\n<p class=\"legend\">"
                "<span><svg viewBox=\"0 0 16 8\"><rect class=\"f\" width=\"16\" "
                "height=\"8\"/></svg>keep the promise</span>"
                "<span><svg viewBox=\"0 0 16 8\"><rect class=\"o\" width=\"16\" "
                "height=\"8\"/></svg>fail</span></p>\n"
                "<p>There are too many to draw each. Choose a height to list its combinations, or "
                "narrow the levels below.</p>\n");
}

void sv_explore_lattice(const sv_view *view, sv_text *out) {
    const sv_nodes *nodes = view->nodes;
    drawing d = {.view = view,
                 .places = calloc(nodes->n, sizeof(size_t)),
                 .in_row = calloc(nodes->most_height + 1, sizeof(size_t)),
                 .counts = calloc(nodes->most_height + 1, sizeof(size_t)),
                 .is_minimal = calloc(nodes->n, sizeof(bool))};
    if (d.places && d.in_row && d.counts && d.is_minimal) {
        arrange(&d);
        if (nodes->n <= MOST_CIRCLES)
            put_circles(&d, out);
        else
            put_bars(&d, out);
    }
    free(d.places);
    free(d.in_row);
    free(d.counts);
    free(d.is_minimal);
}
