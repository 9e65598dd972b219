/* Compare: pinned nodes side by side, and recoding models. Each node was released once into work/look-LEVELS.csv, by the same
 * command that makes a release; its report says what its columns, its groups and its risk are. What
 * was before comes from the profile of the table. */
#include <math.h>
#include <string.h>

#include "explore.h"

enum { MOST_VALUES = 10, MOST_SAMPLE = 5 };

/* ---- what there is -------------------------------------------------------------------------- */

typedef struct {
    const sv_request *request;
    json_t *profile;
    size_t n;
    const char *names[SV_MOST_PINS];
    json_t *looks[SV_MOST_PINS]; /* NULL: not there yet */
    bool is_stale[SV_MOST_PINS], is_busy[SV_MOST_PINS];
} comparison;

static void open_look(comparison *c, size_t i, const char *name) {
    sv_text kind = {0}, file = {0};
    sv_task_state state = {0};
    c->names[i] = name;
    sv_print(&kind, "look-%s", name);
    sv_print(&file, "work/look-%s.json", name);
    if (kind.failed || file.failed)
        return;
    sv_task_look(sv_server_tasks(c->request->server), c->request->project, kind.bytes, &state);
    c->is_busy[i] = sv_is_busy(&state);
    c->is_stale[i] = state.status != SV_NONE && sv_is_stale(c->request, &state);
    if (!c->is_busy[i] && state.status == SV_DONE)
        c->looks[i] = sv_project_json(c->request->project, file.bytes);
    sv_task_state_free(&state);
    sv_text_free(&kind);
    sv_text_free(&file);
}

static const json_t *report_of(const comparison *c, size_t i) {
    return json_object_get(c->looks[i], "report");
}

/* ---- figures -------------------------------------------------------------------------------- */

static void put_heads(const comparison *c, const char *first, bool has_before, sv_text *out) {
    sv_html(out, "<thead><tr><th scope=\"col\">%s</th>", first);
    if (has_before)
        sv_raw(out, "<th scope=\"col\">before</th>");
    for (size_t i = 0; i < c->n; i++) {
        sv_text levels = {0};
        sv_levels_text(c->names[i], &levels);
        sv_html(out, "<th scope=\"col\">levels %s</th>", levels.bytes ? levels.bytes : "");
        sv_text_free(&levels);
    }
    sv_raw(out, "</tr></thead>\n");
}

static void put_cell(sv_text *out, double value, bool is_share) {
    sv_raw(out, "<td>");
    sv_figure(out, value, is_share);
    sv_raw(out, "</td>");
}

/* A line of one number each; `before` NAN: not known. */
typedef double (*figure_of)(const comparison *c, size_t i, const char *key);

static double of_metrics(const comparison *c, size_t i, const char *key) {
    return sv_number(json_object_get(c->looks[i], "metrics"), key);
}

static double of_risk(const comparison *c, size_t i, const char *key) {
    return sv_number(json_object_get(json_object_get(report_of(c, i), "risk"), "released"), key);
}

static double of_rows(const comparison *c, size_t i, const char *key) {
    return sv_number(json_object_get(c->looks[i], key), "rows");
}

static double of_person(const comparison *c, size_t i, const char *key) {
    return sv_number(json_object_get(c->looks[i], "person"), key);
}

static double of_solution(const comparison *c, size_t i, const char *key) {
    return sv_number(json_object_get(c->looks[i], "solution"), key);
}

static double before_risk(const comparison *c, const char *key) {
    for (size_t i = 0; i < c->n; i++)
        if (c->looks[i])
            return sv_number(json_object_get(json_object_get(report_of(c, i), "risk"), "before"),
                             key);
    return (double)NAN;
}

static void put_line(const comparison *c, const char *what, double before, figure_of figure,
                     const char *key, bool is_share, sv_text *out) {
    sv_html(out, "<tr><th scope=\"row\">%s</th>", what);
    put_cell(out, before, is_share);
    for (size_t i = 0; i < c->n; i++)
        put_cell(out, c->looks[i] ? figure(c, i, key) : (double)NAN, is_share);
    sv_raw(out, "</tr>\n");
}

/* Whether people were counted when the releases were made; all were by the same settings, or are made
 * again. */
static bool counts_people(const comparison *c) {
    for (size_t i = 0; i < c->n; i++)
        if (json_is_object(json_object_get(c->looks[i], "person")))
            return true;
    return false;
}

static double of_matches(const comparison *c, size_t i, const char *key) {
    return sv_number(json_object_get(c->looks[i], "matches"), key);
}

static bool has_matches(const comparison *c) {
    for (size_t i = 0; i < c->n; i++)
        if (json_is_object(json_object_get(c->looks[i], "matches")))
            return true;
    return false;
}

/* Sizes and risks: of rows, or of people. */
static void put_crowds(const comparison *c, sv_text *out) {
    const bool has_people = counts_people(c);
    if (has_people)
        put_line(c, "people left out", (double)NAN, of_person, "suppressed", false, out);
    else
        put_line(c, "groups of rows that look alike", before_risk(c, "groups"), of_risk, "groups",
                 false, out);
    if (has_people)
        put_line(c, "people of the smallest group", (double)NAN, of_person, "fewest_in_group",
                 false, out);
    else
        put_line(c, "smallest group", (double)NAN, of_solution, "smallest_group", false, out);
    if (has_matches(c)) {
        put_line(c, "fewest people that a row matches", (double)NAN, of_matches, "fewest_people",
                 false, out);
        put_line(c, "fewest rows that match a person", (double)NAN, of_matches, "fewest_rows",
                 false, out);
    }
    put_line(c, has_people ? "risk of a person, highest" : "risk of a row, highest",
             before_risk(c, "highest"), of_risk, "highest", true, out);
    put_line(c, has_people ? "risk of a person, average" : "risk of a row, average",
             before_risk(c, "average"), of_risk, "average", true, out);
    put_line(c, has_people ? "people who are alone" : "rows that are alone",
             before_risk(c, "share_unique"), of_risk, "share_unique", true, out);
}

static void put_figures(const comparison *c, const json_t *registry, sv_text *out) {
    const json_t *costs = json_object_get(registry, "costs"), *cost;
    const double rows = sv_number(json_object_get(c->profile, "input"), "rows");
    size_t i;
    sv_raw(out, "<section><h2>Loss and risk</h2><div class=\"scroll\" tabindex=\"0\" "
                "role=\"region\" aria-label=\"Loss and risk\"><table class=\"side\">");
    put_heads(c, "figure", true, out);
    sv_raw(out, "<tbody>\n");
    put_line(c, "rows released", rows, of_rows, "release", false, out);
    put_line(c, "rows left out", (double)NAN, of_rows, "suppression", false, out);
    put_crowds(c, out);
    json_array_foreach(costs, i, cost) {
        const char *name = sv_json_text(cost, "name");
        put_line(c, name, (double)NAN, of_metrics, name, kan_cost_is_share(name), out);
    }
    sv_raw(out, "</tbody></table></div>\n"
                "<p>“Before” is about the rows that the first of them releases.</p></section>\n");
}

/* ---- distributions -------------------------------------------------------------------------- */

static void put_bar(sv_text *out, const char *label, double rows, double most, bool is_before) {
    sv_raw(out, "<li><span class=\"v\">");
    sv_value(out, label);
    sv_html(out,
            "</span><svg class=\"bar thin\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "
            "aria-hidden=\"true\"><rect class=\"%s\" width=\"%.2f\" height=\"10\"/></svg><span "
            "class=\"n\">",
            is_before ? "o" : "f", most > 0 ? 100 * rows / most : 0);
    sv_figure(out, rows, false);
    sv_raw(out, "</span></li>");
}

static const json_t *find_column(const json_t *columns, const char *name) {
    const json_t *one;
    size_t i;
    json_array_foreach(columns, i,
                       one) if (strcmp(sv_json_text(one, "name"), name) == 0) return one;
    return NULL;
}

static double most_of(const json_t *values, const char *key) {
    double most = 0;
    const json_t *one;
    size_t i;
    json_array_foreach(values, i, one) if (sv_number(one, key) > most) most = sv_number(one, key);
    return most;
}

/* Numbers as they lie between the least and the greatest. */
static void put_bins(sv_text *out, const json_t *column) {
    const json_t *bins = json_object_get(column, "bins"), *bin,
                 *range = json_object_get(column, "range");
    double most = 1;
    size_t i;
    const size_t n = json_array_size(bins);
    json_array_foreach(bins, i, bin) if (json_number_value(bin) > most) most =
        json_number_value(bin);
    sv_raw(out, "<svg class=\"bins\" viewBox=\"0 0 160 60\" preserveAspectRatio=\"none\" "
                "aria-hidden=\"true\">");
    json_array_foreach(bins, i, bin) {
        const double height = 58 * json_number_value(bin) / most;
        sv_html(out, "<rect class=\"o\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
                160.0 * (double)i / (double)n, 60 - height, 150.0 / (double)n, height);
    }
    sv_raw(out, "</svg><br><small>from ");
    sv_value(out, sv_json_text(range, "least"));
    sv_raw(out, " to ");
    sv_value(out, sv_json_text(range, "greatest"));
    sv_raw(out, "</small>");
}

static void put_before(sv_text *out, const json_t *column) {
    const json_t *top = json_object_get(column, "top"), *one;
    const double most = most_of(top, "rows"), distinct = sv_number(column, "distinct");
    size_t i;
    sv_raw(out, "<td>");
    if (json_array_size(json_object_get(column, "bins")) > 0)
        put_bins(out, column);
    sv_raw(out, "<ol class=\"dist\">");
    json_array_foreach(top, i, one) if (i < MOST_VALUES)
        put_bar(out, sv_json_text(one, "value"), sv_number(one, "rows"), most, true);
    sv_raw(out, "</ol>");
    if (distinct > (double)json_array_size(top)) {
        sv_raw(out, "<small>the most frequent of ");
        sv_figure(out, distinct, false);
        sv_raw(out, " values</small>");
    }
    sv_raw(out, "</td>");
}

static void put_after(sv_text *out, const json_t *column) {
    const json_t *values = json_object_get(column, "values"), *one;
    const double most = most_of(values, "released"), labels = sv_number(column, "labels");
    size_t i, shown = 0;
    sv_raw(out, "<td><ol class=\"dist\">");
    json_array_foreach(values, i, one) if (shown < MOST_VALUES) {
        put_bar(out, sv_json_text(one, "label"), sv_number(one, "released"), most, false);
        shown++;
    }
    sv_raw(out, "</ol>");
    if (labels > (double)shown) {
        sv_html(out, "<small>%zu of ", shown);
        sv_figure(out, labels, false);
        sv_raw(out, " values</small>");
    }
    sv_raw(out, "</td>");
}

/* The columns of the first release that is there: all have the same. */
static const json_t *any_columns(const comparison *c) {
    for (size_t i = 0; i < c->n; i++)
        if (c->looks[i])
            return json_object_get(report_of(c, i), "columns");
    return NULL;
}

static void put_distributions(const comparison *c, sv_text *out) {
    const json_t *columns = any_columns(c), *column;
    size_t i;
    if (!columns)
        return;
    sv_raw(out,
           "<section class=\"raw\"><h2>Each column, before and after</h2><p>Under “before” are raw "
           "values: for those who may see the table.</p><div class=\"scroll\" tabindex=\"0\" "
           "role=\"region\" aria-label=\"Columns before and after\"><table class=\"side\">");
    put_heads(c, "column", true, out);
    sv_raw(out, "<tbody>\n");
    json_array_foreach(columns, i, column) {
        const char *name = sv_json_text(column, "name");
        sv_raw(out, "<tr><th scope=\"row\" class=\"v\">");
        sv_value(out, name);
        sv_html(out, "<br><small>%s</small></th>", sv_json_text(column, "role"));
        put_before(out, find_column(sv_profile_columns(c->profile), name));
        for (size_t l = 0; l < c->n; l++)
            put_after(out, find_column(json_object_get(report_of(c, l), "columns"), name));
        sv_raw(out, "</tr>\n");
    }
    sv_raw(out, "</tbody></table></div></section>\n");
}

/* ---- groups --------------------------------------------------------------------------------- */

static void put_share(sv_text *out, double rows, double all, bool is_before) {
    const double share = all > 0 && !isnan(rows) ? rows / all : 0;
    sv_html(out,
            "<td><svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "
            "aria-hidden=\"true\"><rect class=\"%s\" width=\"%.2f\" height=\"10\"/></svg><small>",
            is_before ? "o" : "f", 100 * share);
    sv_figure(out, share, true);
    sv_raw(out, "</small></td>");
}

static double sum_of(const json_t *sizes, const char *key) {
    double sum = 0;
    const json_t *one;
    size_t i;
    json_array_foreach(sizes, i, one) sum += sv_number(one, key);
    return sum;
}

static const json_t *size_like(const json_t *sizes, const json_t *wanted) {
    const json_t *one;
    size_t i;
    json_array_foreach(sizes, i,
                       one) if (sv_number(one, "least") == sv_number(wanted, "least")) return one;
    return NULL;
}

/* The look whose list of sizes is the longest: the others begin with the same. */
static const json_t *longest_sizes(const comparison *c) {
    const json_t *longest = NULL;
    for (size_t i = 0; i < c->n; i++) {
        const json_t *sizes = json_object_get(report_of(c, i), "group_sizes");
        if (json_array_size(sizes) > json_array_size(longest))
            longest = sizes;
    }
    return longest;
}

static void put_groups(const comparison *c, sv_text *out) {
    const json_t *sizes = longest_sizes(c), *one;
    const bool has_people = counts_people(c);
    const char *before = has_people ? "people_before" : "rows_before",
               *after = has_people ? "people_released" : "rows_released";
    size_t i;
    if (!sizes)
        return;
    sv_html(out,
            "<section><h2>How many look alike</h2><div class=\"scroll\" tabindex=\"0\" "
            "role=\"region\" aria-label=\"Group sizes\"><table class=\"side\"><caption>%s"
            "</caption>",
            has_people ? "Share of the people who are among this many: the people of the smallest "
                         "group in which they have a row, or those whose rows show the same"
                       : "Share of the rows that are in groups of this size");
    put_heads(c, has_people ? "people who look alike" : "rows in the group", true, out);
    sv_raw(out, "<tbody>\n");
    json_array_foreach(sizes, i, one) {
        sv_raw(out, "<tr><th scope=\"row\">");
        sv_figure(out, sv_number(one, "least"), false);
        if (sv_number(one, "most") != sv_number(one, "least")) {
            sv_raw(out, " to ");
            sv_figure(out, sv_number(one, "most"), false);
        }
        sv_raw(out, "</th>");
        put_share(out, sv_number(one, before), sum_of(sizes, before), true);
        for (size_t l = 0; l < c->n; l++) {
            const json_t *its = json_object_get(report_of(c, l), "group_sizes");
            put_share(out, sv_number(size_like(its, one), after), sum_of(its, after), false);
        }
        sv_raw(out, "</tr>\n");
    }
    sv_raw(out, "</tbody></table></div></section>\n");
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void put_sample(const comparison *c, size_t look, sv_text *out) {
    const json_t *sample = json_object_get(report_of(c, look), "sample"),
                 *columns = json_object_get(sample, "columns"),
                 *rows = json_object_get(sample, "rows"), *one, *value;
    sv_text levels = {0};
    size_t i, j;
    if (json_array_size(rows) == 0)
        return;
    sv_levels_text(c->names[look], &levels);
    sv_html(out,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Sample of levels "
            "%s\"><table><caption>Rows of the release with levels %s</caption><thead><tr>",
            levels.bytes, levels.bytes);
    json_array_foreach(columns, i, one) {
        sv_raw(out, "<th scope=\"col\">");
        sv_value(out, json_string_value(one) ? json_string_value(one) : "");
        sv_raw(out, "</th>");
    }
    sv_raw(out, "<th scope=\"col\" class=\"n\">rows that look like it</th></tr></thead><tbody>\n");
    json_array_foreach(rows, i, one) {
        if (i >= MOST_SAMPLE)
            break;
        sv_raw(out, "<tr>");
        json_array_foreach(json_object_get(one, "values"), j, value) {
            sv_raw(out, "<td class=\"v\">");
            sv_value(out, json_string_value(value) ? json_string_value(value) : "");
            sv_raw(out, "</td>");
        }
        sv_raw(out, "<td class=\"n\">");
        sv_figure(out, sv_number(one, "group_rows"), false);
        sv_raw(out, "</td></tr>\n");
    }
    sv_raw(out, "</tbody></table></div>\n");
    sv_text_free(&levels);
}

/* ---- the page ------------------------------------------------------------------------------- */

static void put_state(const comparison *c, sv_text *out) {
    bool needs_again = false;
    for (size_t i = 0; i < c->n; i++) {
        sv_text kind = {0};
        sv_print(&kind, "look-%s", c->names[i]);
        if (!kind.failed)
            sv_page_task(c->request, out, kind.bytes);
        sv_text_free(&kind);
        needs_again = needs_again || (!c->is_busy[i] && (c->is_stale[i] || !c->looks[i]));
    }
    if (!needs_again)
        return;
    sv_stale_note(out);
    sv_form(c->request, out, "explore/pin");
    sv_raw(out,
           "<input type=\"hidden\" name=\"to\" value=\"compare\"><p class=\"actions\"><button "
           "type=\"submit\" name=\"do\" value=\"again\">Make them again</button></p></form>\n");
}

/* The commands that made them. */
static void put_commands(const comparison *c, sv_text *out) {
    for (size_t i = 0; i < c->n; i++) {
        sv_text levels = {0}, table = {0};
        sv_levels_text(c->names[i], &levels);
        sv_print(&table, "work/look-%s.csv", c->names[i]);
        sv_words words = {0};
        sv_look_words(c->request->project, &words, levels.bytes, table.bytes);
        if (!levels.failed && !table.failed)
            sv_page_command(out, c->request->project, words.at);
        sv_text_free(&levels);
        sv_text_free(&table);
    }
}

static void put_choices(const comparison *c, sv_text *out) {
    sv_raw(out, "<section><h2>Next</h2><ul class=\"plain\">\n");
    for (size_t i = 0; i < c->n; i++) {
        sv_text levels = {0};
        sv_levels_text(c->names[i], &levels);
        sv_raw(out, "<li><a class=\"button plain\" href=\"");
        sv_link(c->request, out, "release");
        sv_html(out, "?pick=node-%s\">Release levels %s</a></li>\n", c->names[i], levels.bytes);
        sv_text_free(&levels);
    }
    sv_raw(out, "</ul></section>\n");
}

static void put_page(comparison *c, sv_text *out) {
    json_t *registry = sv_registry(c->request->project);
    put_state(c, out);
    put_figures(c, registry, out);
    put_groups(c, out);
    put_distributions(c, out);
    sv_raw(out,
           "<section><h2>A few rows</h2><p>These are released rows, of the largest groups.</p>\n");
    for (size_t i = 0; i < c->n; i++)
        put_sample(c, i, out);
    sv_raw(out, "</section>\n");
    put_choices(c, out);
    put_commands(c, out);
    json_decref(registry);
}

void sv_compare(sv_request *request, sv_reply *reply) {
    sv_text *out = &reply->body;
    json_t *pins = sv_pins_read(request->project);
    comparison c = {.request = request,
                    .profile = sv_project_json(request->project, "work/profile.json"),
                    .n = json_array_size(pins)};
    sv_page_begin(request, out, "Side by side", "explore");
    for (size_t i = 0; i < c.n; i++)
        open_look(&c, i, json_string_value(json_array_get(pins, i)));
    json_t *compared = sv_recodings_compared(request);
    if (c.n > 0) {
        put_page(&c, out);
    } else {
        sv_raw(out,
               "<p>Nothing is pinned. Pin what you want to compare in the list under <a href=\"");
        sv_link(request, out, "explore");
        sv_raw(out, "\">Explore</a>.</p>\n");
    }
    sv_recodings_section(request, out, compared, sv_cost(request->project), "compare");
    json_decref(compared);
    for (size_t i = 0; i < c.n; i++)
        json_decref(c.looks[i]);
    sv_page_end(request, out);
    json_decref(c.profile);
    json_decref(pins);
}
