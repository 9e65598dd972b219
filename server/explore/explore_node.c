/* One node closely. Why it fails is told in shape, how many groups of which size, and not in
 * values. */
#include <math.h>
#include <string.h>

#include "explore.h"

static void put_fact(sv_text *out, const char *what, double value, bool is_share) {
    if (isnan(value))
        return;
    sv_html(out, "<div><dt>%s</dt><dd>", what);
    sv_figure(out, value, is_share);
    sv_raw(out, "</dd></div>");
}

static void put_levels(const sv_view *view, size_t node, sv_text *out) {
    const sv_nodes *nodes = view->nodes;
    sv_raw(out, "<p>Levels: ");
    for (size_t c = 0; c < nodes->n_columns; c++) {
        sv_raw(out, c ? ", " : "");
        sv_value(out, nodes->columns[c]);
        sv_html(out, " %u", nodes->levels[node * nodes->n_columns + c]);
    }
    sv_raw(out, ".</p>\n");
}

static void put_good(const sv_view *view, size_t node, sv_text *out) {
    const sv_nodes *nodes = view->nodes;
    sv_raw(out, "<dl class=\"facts\">");
    put_fact(out, "rows left out", sv_node(nodes, node, SV_SUPPRESSED), false);
    put_fact(out, "people left out", sv_node(nodes, node, SV_PEOPLE), false);
    put_fact(out, "groups", sv_node(nodes, node, SV_GROUPS), false);
    put_fact(out, "smallest group", sv_node(nodes, node, SV_SMALLEST), false);
    const bool has_people = strcmp(sv_risk_of(view->request->project), "person") == 0;
    put_fact(out, has_people ? "highest risk of a person" : "highest risk of a row",
             sv_node(nodes, node, SV_HIGHEST_RISK), true);
    put_fact(out, has_people ? "average risk of a person" : "average risk of a row",
             sv_node(nodes, node, SV_AVERAGE_RISK), true);
    for (size_t f = SV_COSTS; f < nodes->n_figures; f++)
        put_fact(out, nodes->names[f], sv_node(nodes, node, f), kan_cost_is_share(nodes->names[f]));
    sv_raw(out, "</dl>\n");
    sv_form(view->request, out, "explore/pin");
    sv_query_fields(&view->query, "", out);
    const bool is_pinned = sv_pin_find(view->pins, view->query.node) != SIZE_MAX;
    sv_html(out,
            "<input type=\"hidden\" name=\"pin\" value=\"%s\"><p class=\"actions\"><button "
            "type=\"submit\" name=\"do\" value=\"%s\">%s</button> <a class=\"button\" href=\"",
            view->query.node, is_pinned ? "unpin" : "pin",
            is_pinned ? "Unpin it" : "Pin it, to look at its rows");
    sv_link(view->request, out, "release");
    sv_html(out, "?pick=node-%s\">Release this one</a></p></form>\n", view->query.node);
}

/* What the limit would have to be; people are not counted in rows. */
static void put_remedy(const sv_view *view, double failing, sv_text *out) {
    const double share = 100 * failing / view->rows;
    if (share <= 20 && !sv_setting(view->request->project, "person", 0))
        sv_html(out,
                "<p>If %.3g %% of the rows could be left out, it would pass: see the limit under "
                "Promise.</p>\n",
                ceil(share * 100) / 100);
}

static void put_bad(const sv_view *view, size_t node, sv_text *out) {
    const sv_nodes *nodes = view->nodes;
    const double failing = sv_node(nodes, node, SV_FAILING_ROWS);
    sv_raw(out, "<p><strong>It does not keep the promise.</strong> ");
    if (failing == 0) {
        sv_raw(out, "Each group on its own does; what is promised about all rows together does not "
                    "hold.</p>\n");
        return;
    }
    sv_figure(out, failing, false);
    sv_raw(out, " rows are in groups that break it, more than may be left out.</p>\n"
                "<dl class=\"facts\">");
    put_fact(out, "rows in failing groups", failing, false);
    put_fact(out, "failing groups", sv_node(nodes, node, SV_FAILING_GROUPS), false);
    put_fact(out, "rows of the smallest of them", sv_node(nodes, node, SV_SMALLEST_FAILING), false);
    put_fact(out, "groups of one row", sv_node(nodes, node, SV_ONES), false);
    put_fact(out, "groups of two rows", sv_node(nodes, node, SV_TWOS), false);
    put_fact(out, "groups that would pass", sv_node(nodes, node, SV_GROUPS), false);
    sv_raw(out, "</dl>\n");
    put_remedy(view, failing, out);
}

void sv_explore_node(const sv_view *view, sv_text *out) {
    if (!view->query.node[0])
        return;
    const size_t node = sv_node_find(view->nodes, view->query.node);
    sv_text levels = {0};
    sv_levels_text(view->query.node, &levels);
    sv_html(out,
            "<section id=\"node\" aria-labelledby=\"node-title\"><h2 id=\"node-title\">Levels "
            "%s%s</h2>\n",
            levels.bytes ? levels.bytes : "", node == view->best ? ": the best" : "");
    if (node == SIZE_MAX) {
        sv_raw(out, "<p>The search did not list this one.</p>\n");
    } else {
        put_levels(view, node, out);
        if (sv_node_is_good(view->nodes, node))
            put_good(view, node, out);
        else
            put_bad(view, node, out);
    }
    sv_raw(out, "</section>\n");
    sv_text_free(&levels);
}
