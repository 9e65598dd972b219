/* The history of releases: which there were, and what changed between two of them: settings, what became of
 * the columns, figures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "release.h"

/* ---- all of them ---------------------------------------------------------------------------- */

static double left_out(const json_t *result) {
    return sv_number(json_object_get(result, "suppression"), "rows");
}

static double rows_of(const json_t *result) {
    return sv_number(json_object_get(result, "release"), "rows");
}

static double loss_of(const json_t *result) {
    return sv_number(json_object_get(result, "metrics"), sv_json_text(result, "cost"));
}

static double risk_of(const json_t *result, const char *which) {
    const json_t *risk = json_object_get(json_object_get(result, "report"), "risk");
    return sv_number(json_object_get(risk, "released"), which);
}

static void put_cell(sv_text *out, double value, bool is_share) {
    sv_raw(out, "<td class=\"n\">");
    sv_figure(out, value, is_share);
    sv_raw(out, "</td>");
}

static void put_line(const sv_request *request, sv_text *out, unsigned number) {
    json_t *about = sv_release_about(request->project, number),
           *result = sv_release_result(request->project, number);
    sv_text gone = {0};
    if (sv_release_gone(request->project, number, &gone)) {
        sv_html(out,
                "<tr><th scope=\"row\">%u</th><td colspan=\"6\">deleted %s; its number is not "
                "given again</td></tr>\n",
                number, gone.bytes ? gone.bytes : "");
    } else if (about && result) {
        const char *cost = sv_json_text(result, "cost");
        sv_raw(out, "<tr><th scope=\"row\"><a href=\"");
        sv_link(request, out, "release");
        sv_html(out, "#release-%u\">%u</a></th><td>%s</td><td>%s</td>", number, number,
                sv_json_text(about, "time"), sv_json_text(about, "words"));
        put_cell(out, rows_of(result), false);
        put_cell(out, left_out(result), false);
        sv_raw(out, "<td class=\"n\">");
        sv_figure(out, loss_of(result), kan_cost_is_share(cost));
        sv_html(out, " <small>%s</small></td>", cost);
        put_cell(out, risk_of(result, "highest"), true);
        sv_raw(out, "</tr>\n");
    }
    sv_text_free(&gone);
    json_decref(about);
    json_decref(result);
}

static void put_all(const sv_request *request, sv_text *out, unsigned last) {
    sv_raw(out, "<section><h2>All releases of the project</h2>\n<div class=\"wide\" tabindex=\"0\" "
                "role=\"region\" aria-label=\"Releases\"><table><thead><tr><th scope=\"col\">"
                "release</th><th scope=\"col\">made</th><th scope=\"col\">what was picked</th><th "
                "scope=\"col\" class=\"n\">rows released</th><th scope=\"col\" class=\"n\">left "
                "out</th><th scope=\"col\" class=\"n\">loss</th><th scope=\"col\" class=\"n\">"
                "highest risk</th></tr></thead><tbody>\n");
    for (unsigned i = last; i > 0; i--)
        put_line(request, out, i);
    sv_raw(out, "</tbody></table></div></section>\n");
}

/* ---- two of them ---------------------------------------------------------------------------- */

typedef struct {
    unsigned number;
    sv_project *project; /* as its job file says */
    json_t *about, *result;
} side;

static bool open_side(const sv_project *project, unsigned number, side *out) {
    char file[48];
    snprintf(file, sizeof file, "release-%u.yaml", number);
    *out = (side){.number = number};
    if (!sv_release_is_there(project, number))
        return false;
    out->project = sv_project_open_job(project, file);
    out->about = sv_release_about(project, number);
    out->result = sv_release_result(project, number);
    return out->project && !out->project->error && out->about && out->result;
}

static void close_side(side *one) {
    sv_project_close(one->project);
    json_decref(one->about);
    json_decref(one->result);
}

static bool has_value(const sv_project *project, const char *name, const char *value) {
    const char *other;
    for (size_t i = 0; (other = sv_setting(project, name, i)); i++)
        if (strcmp(other, value) == 0)
            return true;
    return false;
}

/* Settings of where a release goes, how it is told and how fast it is made say nothing of what it is. What is one
 * release's own is told by what was picked. */
static bool is_told(const kan_setting *setting) {
    return !(setting->traits & (KAN_TRAIT_OUTPUT | KAN_TRAIT_ONE_RELEASE | KAN_TRAIT_DISPLAY |
                                KAN_TRAIT_MACHINE | KAN_TRAIT_LOADS_CODE)) &&
           kan_setting_find(setting->name) == setting;
}

static bool has_changed(const side *a, const side *b, const char *name) {
    const char *x, *y;
    for (size_t i = 0;; i++) {
        x = sv_setting(a->project, name, i);
        y = sv_setting(b->project, name, i);
        if (!x || !y)
            return x != y;
        if (strcmp(x, y) != 0)
            return true;
    }
}

/* Values that one side has and the other has not. */
static bool put_only(sv_text *out, const char *word, const side *with, const side *without,
                     const char *name) {
    const char *value;
    size_t n = 0;
    for (size_t i = 0; (value = sv_setting(with->project, name, i)); i++) {
        if (has_value(without->project, name, value))
            continue;
        sv_html(out, "%s ", n++ == 0 ? word : ",");
        sv_value(out, value);
    }
    return n > 0;
}

static void put_one(sv_text *out, const side *one, const char *name) {
    const char *value = sv_setting(one->project, name, 0);
    if (value)
        sv_value(out, value);
    else
        sv_raw(out, "not set");
}

static void put_setting(sv_text *out, const side *a, const side *b, const kan_setting *setting) {
    const char *name = setting->name;
    sv_html(out, "<dt>%s</dt><dd>", name);
    if (kan_setting_is_secret(setting)) {
        sv_raw(out, "another one; it is a secret, which is not shown");
    } else if (setting->repeats &&
               (sv_setting(a->project, name, 1) || sv_setting(b->project, name, 1))) {
        sv_text taken = {0};
        const bool is_added = put_only(out, "new:", b, a, name),
                   is_taken = put_only(&taken, "no longer:", a, b, name);
        sv_raw(out, is_added && is_taken ? "; " : "");
        sv_raw(out, taken.bytes ? taken.bytes : "");
        sv_raw(out, is_added || is_taken ? "" : "the same in another order");
        sv_text_free(&taken);
    } else {
        put_one(out, a, name);
        sv_raw(out, ", then ");
        put_one(out, b, name);
    }
    sv_html(out, " <small>%s</small></dd>\n", setting->summary);
}

/* Lines of the key of a release that are about files: of the table the first, of hierarchies those that name one. */
static bool has_other_file(const side *a, const side *b, bool of_hierarchies) {
    const char *one = sv_json_text(a->about, "key"), *other = sv_json_text(b->about, "key");
    const size_t first = strcspn(one, "\n");
    if (!of_hierarchies)
        return strcspn(other, "\n") != first || strncmp(one, other, first) != 0;
    for (int turn = 0; turn < 2; turn++, one = other, other = sv_json_text(a->about, "key"))
        for (const char *line = one; *line;) {
            const size_t size = strcspn(line, "\n");
            const char *found = strstr(other, "\nhierarchies/");
            bool is_same = strncmp(line, "hierarchies/", 12) != 0;
            for (; found && !is_same; found = strstr(found + 1, "\nhierarchies/"))
                is_same = strncmp(found + 1, line, size) == 0 &&
                          (found[1 + size] == '\n' || found[1 + size] == '\0');
            if (!is_same)
                return true;
            line += size + (line[size] == '\n');
        }
    return false;
}

static void put_settings(sv_text *out, const side *a, const side *b) {
    size_t n = 0;
    sv_text list = {0};
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting *setting = kan_setting_at(i);
        if (!is_told(setting) || !has_changed(a, b, setting->name))
            continue;
        put_setting(&list, a, b, setting);
        n++;
    }
    sv_raw(out, "<h3>Settings</h3>\n");
    sv_raw(out, n > 0 ? "<dl class=\"words\">\n" : "");
    sv_raw(out, list.bytes ? list.bytes : "<p>All settings are the same.</p>\n");
    sv_raw(out, n > 0 ? "</dl>\n" : "");
    if (has_other_file(a, b, false))
        sv_raw(out, "<p>The file of the table was written again between the two.</p>\n");
    if (has_other_file(a, b, true))
        sv_raw(out, "<p>Files of hierarchies were written again between the two.</p>\n");
    sv_text_free(&list);
}

/* ---- columns -------------------------------------------------------------------------------- */

static const json_t *column_named(const side *one, const char *name) {
    const json_t *columns = json_object_get(one->result, "columns"), *column;
    size_t i;
    json_array_foreach(columns, i,
                       column) if (strcmp(sv_json_text(column, "name"), name) == 0) return column;
    return NULL;
}

static void column_words(const side *one, const json_t *column, sv_text *out) {
    if (column)
        sv_answer_words(one->project, out, one->result, column);
    else
        sv_raw(out, "not in the table");
}

static bool put_column(sv_text *out, const side *a, const side *b, const char *name) {
    sv_text before = {0}, after = {0};
    column_words(a, column_named(a, name), &before);
    column_words(b, column_named(b, name), &after);
    const bool is_other =
        before.bytes && after.bytes && strcmp(before.bytes, after.bytes) != 0 && !before.failed;
    if (is_other) {
        sv_raw(out, "<tr><th scope=\"row\">");
        sv_value(out, name);
        sv_raw(out, "</th><td>");
        sv_raw(out, before.bytes);
        sv_raw(out, "</td><td>");
        sv_raw(out, after.bytes);
        sv_raw(out, "</td></tr>\n");
    }
    sv_text_free(&before);
    sv_text_free(&after);
    return is_other;
}

static void put_heads(sv_text *out, const char *what, const side *a, const side *b,
                      const char *number) {
    sv_html(out,
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table><thead>"
            "<tr><th scope=\"col\">%s</th><th scope=\"col\"%s>release %u</th><th "
            "scope=\"col\"%s>release %u</th>",
            what, what, *number ? " class=n" : "", a->number, *number ? " class=n" : "", b->number);
}

static void put_columns(sv_text *out, const side *a, const side *b) {
    const json_t *columns = json_object_get(a->result, "columns"), *column;
    sv_text rows = {0};
    size_t i, n = 0;
    json_array_foreach(columns, i, column) n +=
        put_column(&rows, a, b, sv_json_text(column, "name"));
    json_array_foreach(json_object_get(b->result, "columns"), i, column) {
        const char *name = sv_json_text(column, "name");
        n += !column_named(a, name) && put_column(&rows, a, b, name);
    }
    sv_raw(out, "<h3>What became of the columns</h3>\n");
    if (n == 0) {
        sv_raw(out, "<p>The same became of every column.</p>\n");
    } else {
        put_heads(out, "column", a, b, "");
        sv_raw(out, "</tr></thead><tbody>\n");
        sv_raw(out, rows.bytes ? rows.bytes : "");
        sv_raw(out, "</tbody></table></div>\n");
    }
    sv_text_free(&rows);
}

/* ---- figures -------------------------------------------------------------------------------- */

/* How two figures differ, in words. */
static void put_difference(sv_text *out, double before, double after, bool is_share,
                           bool is_count) {
    const double more = after - before;
    if (isnan(more)) {
        sv_raw(out, "–");
    } else if (fabs(more) < (is_share ? 5e-5 : 1e-9)) {
        sv_raw(out, "the same");
    } else if (is_share) {
        sv_print(out, "%.1f points %s", 100 * fabs(more), more > 0 ? "more" : "less");
    } else {
        sv_figure(out, fabs(more), false);
        sv_print(out, " %s", more > 0 ? "more" : is_count ? "fewer" : "less");
    }
}

static void put_figure(sv_text *out, const char *what, double before, double after, bool is_share,
                       bool is_count) {
    if (isnan(before) && isnan(after))
        return;
    sv_html(out, "<tr><th scope=\"row\">%s</th>", what);
    put_cell(out, before, is_share);
    put_cell(out, after, is_share);
    sv_raw(out, "<td>");
    put_difference(out, before, after, is_share, is_count);
    sv_raw(out, "</td></tr>\n");
}

static double smallest_of(const json_t *result) {
    const json_t *person = json_object_get(result, "person");
    return json_is_object(person)
               ? sv_number(person, "fewest_in_group")
               : sv_number(json_object_get(result, "solution"), "smallest_group");
}

/* One cost of both is compared; where they were made by two, each of them. */
static void put_losses(sv_text *out, const side *a, const side *b) {
    const char *const costs[] = {sv_json_text(a->result, "cost"), sv_json_text(b->result, "cost")};
    const json_t *before = json_object_get(a->result, "metrics"),
                 *after = json_object_get(b->result, "metrics");
    for (size_t i = 0; i < (strcmp(costs[0], costs[1]) == 0 ? 1u : 2u); i++) {
        char what[96];
        snprintf(what, sizeof what, "loss (%.60s)", costs[i]);
        put_figure(out, what, sv_number(before, costs[i]), sv_number(after, costs[i]),
                   kan_cost_is_share(costs[i]), false);
    }
}

static void put_figures(sv_text *out, const side *a, const side *b) {
    const json_t *x = a->result, *y = b->result;
    sv_raw(out, "<h3>Figures</h3>\n");
    put_heads(out, "figure", a, b, "n");
    sv_raw(out, "<th scope=\"col\">the change</th></tr></thead><tbody>\n");
    put_figure(out, "rows released", rows_of(x), rows_of(y), false, true);
    put_figure(out, "rows left out", left_out(x), left_out(y), false, true);
    put_figure(out, "groups", sv_number(json_object_get(x, "solution"), "groups"),
               sv_number(json_object_get(y, "solution"), "groups"), false, true);
    put_figure(out, "smallest group", smallest_of(x), smallest_of(y), false, true);
    put_losses(out, a, b);
    put_figure(out, "highest risk", risk_of(x, "highest"), risk_of(y, "highest"), true, false);
    put_figure(out, "average risk", risk_of(x, "average"), risk_of(y, "average"), true, false);
    sv_raw(out, "</tbody></table></div>\n");
}

/* ---- the page ------------------------------------------------------------------------------- */

static void put_choice(const sv_project *project, sv_text *out, const char *name, const char *words,
                       unsigned last, unsigned chosen) {
    sv_html(out, "<p class=\"entry\"><label for=\"%s\">%s</label><select name=\"%s\" id=\"%s\">",
            name, words, name, name);
    for (unsigned i = 1; i <= last; i++)
        if (sv_release_is_there(project, i))
            sv_html(out, "<option value=\"%u\"%s>release %u</option>", i,
                    i == chosen ? " selected" : "", i);
    sv_raw(out, "</select></p>\n");
}

/* The newest release before one; 0: there is none. */
static unsigned one_before(const sv_project *project, unsigned number) {
    while (number > 1)
        if (sv_release_is_there(project, --number))
            return number;
    return 0;
}

/* What the address asks for, where that is there. */
static unsigned asked(const sv_request *request, const char *field, unsigned otherwise) {
    const unsigned number = sv_release_number(sv_field_of(request, field));
    return sv_release_is_there(request->project, number) ? number : otherwise;
}

static void put_two(const sv_request *request, sv_text *out, unsigned last) {
    const sv_project *project = request->project;
    const unsigned newest = one_before(project, last + 1), to = asked(request, "to", newest),
                   before = one_before(project, to),
                   from = asked(request, "from", before > 0 ? before : newest);
    side a, b;
    if (one_before(project, newest) == 0)
        return;
    sv_raw(out, "<section><h2>What changed between two</h2>\n<form method=\"get\" action=\"");
    sv_link(request, out, "history");
    sv_raw(out, "\" class=\"filter\">\n");
    put_choice(project, out, "from", "from", last, from);
    put_choice(project, out, "to", "to", last, to);
    sv_raw(out, "<button class=\"plain\">Compare</button></form>\n");
    const bool has_a = open_side(project, from, &a), has_b = open_side(project, to, &b);
    if (from == to) {
        sv_raw(out, "<p>Choose two releases that are not the same.</p>\n");
    } else if (has_a && has_b) {
        sv_html(out, "<p>Release %u: %s.", a.number, sv_json_text(a.about, "words"));
        sv_html(out, " Release %u: %s.</p>\n", b.number, sv_json_text(b.about, "words"));
        put_settings(out, &a, &b);
        put_columns(out, &a, &b);
        put_figures(out, &a, &b);
    } else {
        sv_raw(out, "<p>The files of one of them cannot be read.</p>\n");
    }
    close_side(&a);
    close_side(&b);
    sv_raw(out, "</section>\n");
}

void sv_release_history(sv_request *request, sv_reply *reply) {
    sv_text *out = &reply->body;
    if (request->project->tables) {
        sv_go(reply, request->project, "tables");
        return;
    }
    const unsigned last = sv_release_last(request->project);
    sv_page_begin(request, out, "History of releases", "history");
    sv_raw(out, "<p>Every release of this project, and what changed from one to another. It is "
                "<strong>internal</strong>: handed out, each release speaks for itself.</p>\n");
    if (last == 0)
        sv_raw(out, "<p>There is no release yet.</p>\n");
    if (last > 0)
        put_all(request, out, last);
    if (last > 1)
        put_two(request, out, last);
    sv_page_end(request, out);
}
