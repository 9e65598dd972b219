/* The nodes as a table: fifty a page, sorted and filtered by fields of the link. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explore.h"

enum { PAGE = 50 };

/* ---- which ---------------------------------------------------------------------------------- */

static bool is_wanted(const sv_view *view, size_t node) {
    const sv_nodes *nodes = view->nodes;
    const sv_query *query = &view->query;
    const bool is_good = sv_node_is_good(nodes, node);
    if ((strcmp(query->show, "good") == 0 && !is_good) ||
        (strcmp(query->show, "bad") == 0 && is_good))
        return false;
    if (query->height >= 0 && sv_node(nodes, node, SV_HEIGHT) != (double)query->height)
        return false;
    if (query->most >= 0 && is_good && view->rows > 0 &&
        sv_node(nodes, node, SV_SUPPRESSED) > query->most / 100 * view->rows)
        return false;
    for (size_t c = 0; c < nodes->n_columns; c++)
        if (query->at[c] >= 0 && nodes->levels[node * nodes->n_columns + c] != query->at[c])
            return false;
    return true;
}

typedef struct {
    const sv_nodes *nodes;
    size_t figure;
    bool is_down;
} order;

/* What fails has a height, and nothing else that is shown. */
static double shown(const order *o, size_t node) {
    return o->figure == SV_HEIGHT || sv_node_is_good(o->nodes, node)
               ? sv_node(o->nodes, node, o->figure)
               : (double)NAN;
}

/* What has no such figure comes last in either direction, by how far it fails; ties stay as the file
 * has them. */
static int by_figure(const void *a, const void *b, void *user) {
    const order *o = user;
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    const double x = shown(o, i), y = shown(o, j);
    if (isnan(x) != isnan(y))
        return isnan(x) ? 1 : -1;
    if (x != y && !isnan(x))
        return (x > y ? 1 : -1) * (o->is_down ? -1 : 1);
    const double p = sv_node(o->nodes, i, SV_FAILING_ROWS),
                 q = sv_node(o->nodes, j, SV_FAILING_ROWS);
    if (isnan(x) && p != q)
        return p > q ? 1 : -1;
    return (i > j) - (i < j);
}

static size_t sorted_by(const sv_view *view) {
    const size_t figure =
        view->query.sort[0] ? sv_figure_find(view->nodes, view->query.sort) : view->cost;
    return figure;
}

static size_t *list_wanted(const sv_view *view, size_t *n) {
    size_t *list = calloc(view->nodes->n, sizeof *list);
    order o = {view->nodes, sorted_by(view), view->query.is_down};
    *n = 0;
    for (size_t i = 0; list && i < view->nodes->n; i++)
        if (is_wanted(view, i))
            list[(*n)++] = i;
    if (list)
        qsort_r(list, *n, sizeof *list, by_figure, &o);
    return list;
}

/* ---- the filter ----------------------------------------------------------------------------- */

static void put_level_choice(const sv_view *view, size_t column, sv_text *out) {
    const sv_nodes *nodes = view->nodes;
    sv_html(out, "<p class=\"entry\"><label for=\"at.%zu\">", column);
    sv_value(out, nodes->columns[column]);
    sv_html(out, "</label><select name=\"at.%zu\" id=\"at.%zu\"><option value=\"\">any</option>",
            column, column);
    for (unsigned level = 0; level <= nodes->most[column]; level++)
        sv_html(out, "<option%s>%u</option>",
                view->query.at[column] == (long)level ? " selected" : "", level);
    sv_raw(out, "</select></p>");
}

static void put_filter(const sv_view *view, sv_text *out) {
    static const char *const shows[][2] = {
        {"good", "those that keep the promise"}, {"bad", "those that fail"}, {"all", "all"}};
    sv_raw(out, "<form method=\"get\" class=\"filter\" id=\"filter\" action=\"");
    sv_link(view->request, out, "explore");
    sv_raw(out, "#nodes\">");
    sv_query_fields(&view->query, "show height most at page", out);
    sv_raw(out, "<p class=\"entry\"><label for=\"show\">show</label><select name=\"show\" "
                "id=\"show\">");
    for (size_t i = 0; i < 3; i++)
        sv_html(out, "<option value=\"%s\"%s>%s</option>", shows[i][0],
                strcmp(shows[i][0], view->query.show) == 0 ? " selected" : "", shows[i][1]);
    sv_raw(out, "</select></p><p class=\"entry\"><label for=\"height\">height</label><select "
                "name=\"height\" id=\"height\"><option value=\"\">any</option>");
    for (size_t h = 0; h <= view->nodes->most_height; h++)
        sv_html(out, "<option%s>%zu</option>", view->query.height == (long)h ? " selected" : "", h);
    sv_raw(out, "</select></p><p class=\"entry\"><label for=\"most\">left out, at most "
                "%</label><input type=\"number\" min=\"0\" max=\"100\" step=\"any\" name=\"most\" "
                "id=\"most\" value=\"");
    if (view->query.most >= 0)
        sv_html(out, "%g", view->query.most);
    sv_raw(out, "\"></p>\n");
    for (size_t c = 0; c < view->nodes->n_columns; c++)
        put_level_choice(view, c, out);
    sv_raw(out, "<button type=\"submit\">Show</button></form>\n");
}

/* ---- the table ------------------------------------------------------------------------------ */

static void put_head(const sv_view *view, size_t figure, const char *title, sv_text *out) {
    sv_query query = view->query;
    const bool is_it = sorted_by(view) == figure;
    snprintf(query.sort, sizeof query.sort, "%s", view->nodes->names[figure]);
    query.is_down = is_it && !view->query.is_down;
    query.page = 0;
    sv_html(out, "<th scope=\"col\" class=\"n\" aria-sort=\"%s\"><a href=\"",
            !is_it                ? "none"
            : view->query.is_down ? "descending"
                                  : "ascending");
    sv_query_link(&query, out);
    sv_html(out, "#nodes\">%s%s</a></th>", title, !is_it ? "" : view->query.is_down ? " ↓" : " ↑");
}

static void put_heads(const sv_view *view, sv_text *out) {
    sv_raw(out, "<thead><tr><th scope=\"col\"><span class=\"off\">look and pin</span></th>");
    for (size_t c = 0; c < view->nodes->n_columns; c++) {
        sv_raw(out, "<th scope=\"col\" class=\"n\">");
        sv_value(out, view->nodes->columns[c]);
        sv_raw(out, "</th>");
    }
    put_head(view, SV_HEIGHT, "height", out);
    if (view->cost != SV_HEIGHT)
        put_head(view, view->cost, view->nodes->names[view->cost], out);
    put_head(view, SV_SUPPRESSED, "rows left out", out);
    put_head(view, SV_GROUPS, "groups", out);
    put_head(view, SV_SMALLEST, "smallest group", out);
    const bool has_people = strcmp(sv_risk_of(view->request->project), "person") == 0;
    put_head(view, SV_HIGHEST_RISK, has_people ? "highest risk of a person" : "highest risk", out);
    put_head(view, SV_AVERAGE_RISK, has_people ? "average risk of a person" : "average risk", out);
    sv_raw(out, "</tr></thead>\n");
}

static void put_pin(const sv_view *view, const char *name, sv_text *out) {
    const bool is_pinned = sv_pin_find(view->pins, name) != SIZE_MAX;
    sv_form(view->request, out, "explore/pin");
    sv_query_fields(&view->query, "node", out);
    sv_html(
        out,
        "<input type=\"hidden\" name=\"pin\" value=\"%s\"><button type=\"submit\" "
        "class=\"plain small\" name=\"do\" value=\"%s\" aria-label=\"%s %s\">%s</button></form>",
        name, is_pinned ? "unpin" : "pin", is_pinned ? "Unpin" : "Pin", name,
        is_pinned ? "Unpin" : "Pin");
}

static void put_figure(const sv_view *view, size_t node, size_t figure, bool is_share,
                       sv_text *out) {
    sv_raw(out, "<td class=\"n\">");
    sv_figure(out, sv_node(view->nodes, node, figure), is_share);
    sv_raw(out, "</td>");
}

static void put_good(const sv_view *view, size_t node, sv_text *out) {
    if (view->cost != SV_HEIGHT)
        put_figure(view, node, view->cost, kan_cost_is_share(view->query.cost), out);
    put_figure(view, node, SV_SUPPRESSED, false, out);
    put_figure(view, node, SV_GROUPS, false, out);
    put_figure(view, node, SV_SMALLEST, false, out);
    put_figure(view, node, SV_HIGHEST_RISK, true, out);
    put_figure(view, node, SV_AVERAGE_RISK, true, out);
}

/* What fails has no release, and so no cost. */
static void put_bad(const sv_view *view, size_t node, sv_text *out) {
    if (view->cost != SV_HEIGHT)
        sv_raw(out, "<td class=\"n\">–</td>");
    sv_raw(out, "<td colspan=\"5\">fails: ");
    sv_figure(out, sv_node(view->nodes, node, SV_FAILING_ROWS), false);
    sv_raw(out, " rows in ");
    sv_figure(out, sv_node(view->nodes, node, SV_FAILING_GROUPS), false);
    sv_raw(out, " groups break the promise</td>");
}

static void put_row(const sv_view *view, size_t node, sv_text *out) {
    const sv_nodes *nodes = view->nodes;
    const bool is_good = sv_node_is_good(nodes, node);
    sv_query query = view->query;
    sv_text name = {0};
    sv_node_name(nodes, node, &name);
    snprintf(query.node, sizeof query.node, "%s", name.bytes ? name.bytes : "");
    sv_html(out, "<tr class=\"%s\"><td class=\"k\"><a href=\"",
            node == view->best ? "on"
            : !is_good         ? "foot"
                               : "");
    sv_query_link(&query, out);
    sv_html(out, "#node\" aria-label=\"%s %s\">%s</a> ", is_good ? "Look at" : "Why not?",
            query.node, is_good ? "Look" : "Why not?");
    if (is_good)
        put_pin(view, query.node, out);
    sv_raw(out, "</td>");
    for (size_t c = 0; c < nodes->n_columns; c++)
        sv_html(out, "<td class=\"n\">%u</td>", nodes->levels[node * nodes->n_columns + c]);
    put_figure(view, node, SV_HEIGHT, false, out);
    if (is_good)
        put_good(view, node, out);
    else
        put_bad(view, node, out);
    sv_raw(out, "</tr>\n");
    sv_text_free(&name);
}

static void put_page_link(const sv_view *view, size_t page, const char *words, sv_text *out) {
    sv_query query = view->query;
    query.page = page;
    sv_raw(out, "<a href=\"");
    sv_query_link(&query, out);
    sv_html(out, "#nodes\">%s</a> ", words);
}

static void put_pages(const sv_view *view, size_t page, size_t n, sv_text *out) {
    const size_t n_pages = (n + PAGE - 1) / PAGE;
    if (n_pages < 2)
        return;
    sv_raw(out, "<p class=\"pages\">");
    if (page > 0)
        put_page_link(view, page - 1, "← previous", out);
    sv_html(out, "page %zu of %zu ", page + 1, n_pages);
    if (page + 1 < n_pages)
        put_page_link(view, page + 1, "next →", out);
    sv_raw(out, "</p>\n");
}

/* ---- pins ----------------------------------------------------------------------------------- */

static void put_pins(const sv_view *view, sv_text *out) {
    const size_t n = json_array_size(view->pins);
    if (n == 0)
        return;
    sv_raw(out, "<div class=\"pins\"><strong>Pinned:</strong> ");
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(view->pins, i));
        sv_text levels = {0};
        sv_levels_text(name, &levels);
        sv_html(out, "<span class=\"chip\"><code>%s</code> ", levels.bytes ? levels.bytes : "");
        put_pin(view, name, out);
        sv_raw(out, "</span> ");
        sv_text_free(&levels);
    }
    sv_raw(out, "<a class=\"button\" href=\"");
    sv_link(view->request, out, "explore/compare");
    sv_html(out, "\">%s</a></div>\n", n > 1 ? "Compare side by side" : "Look at it closely");
}

void sv_explore_table(const sv_view *view, sv_text *out) {
    size_t n = 0, *list = list_wanted(view, &n);
    const size_t n_pages = (n + PAGE - 1) / PAGE, page = view->query.page < n_pages
                                                             ? view->query.page
                                                         : n_pages ? n_pages - 1
                                                                   : 0;
    sv_raw(out, "<div id=\"nodes\">\n");
    put_pins(view, out);
    put_filter(view, out);
    sv_raw(out, "<p role=\"status\">");
    sv_count(out, n);
    sv_raw(out, " of ");
    sv_count(out, view->nodes->n);
    sv_raw(out,
           " combinations.</p>\n"
           "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Combinations of "
           "levels\"><table class=\"nodes\"><caption>The number under a column is its level: 0 is "
           "the value itself, the highest shows nothing. The best is marked.</caption>\n");
    put_heads(view, out);
    sv_raw(out, "<tbody>\n");
    for (size_t i = page * PAGE; list && i < n && i < (page + 1) * PAGE; i++)
        put_row(view, list[i], out);
    sv_raw(out, "</tbody></table></div>\n");
    put_pages(view, page, n, out);
    sv_raw(out, "</div>\n");
    free(list);
}
