/* Rows before and after: the table on one side, the release on the other, row by row. Both have the same
 * columns in the same order, quasi-identifiers first, so that what belongs together stands at the same
 * place of both. A row is left out where it shows nothing but * while rows are left out at all. */
#include <stdlib.h>
#include <string.h>

#include "explore.h"

enum { MOST_COLUMNS = 60 };

/* A column in both tables. */
typedef struct {
    const char *name, *role;
    const json_t *column;
    size_t raw, released; /* its place; SIZE_MAX: it is not there */
} pair;

typedef struct {
    const sv_request *request;
    const sv_answer *answer;
    pair pairs[MOST_COLUMNS];
    size_t n;
    bool leaves_out; /* some rows */
    json_t *raw, *released;
    uint64_t page;
} sides;

static size_t place_of(const json_t *names, const char *name) {
    const json_t *one;
    size_t i;
    json_array_foreach(names, i, one) {
        const char *text = json_string_value(one);
        if (text && strcmp(text, name) == 0)
            return i;
    }
    return SIZE_MAX;
}

static const char *value_at(const json_t *row, size_t place) {
    const char *value = place == SIZE_MAX ? NULL : json_string_value(json_array_get(row, place));
    return value ? value : "";
}

/* Whether both are there, of one table. */
static bool is_pair(const sv_answer *answer) {
    return answer->raw && answer->released && answer->raw->n == answer->released->n &&
           answer->raw->of_page == answer->released->of_page;
}

json_t *sv_answer_example(const sv_answer *answer, const json_t *column) {
    const char *name = sv_json_text(column, "name");
    json_t *found = NULL;
    if (!is_pair(answer))
        return NULL;
    const size_t raw = place_of(sv_rows_columns(answer->raw), name),
                 released = place_of(sv_rows_columns(answer->released), name);
    json_t *before = sv_rows_page(answer->raw, 0), *after = sv_rows_page(answer->released, 0);
    for (size_t i = 0; !found && i < json_array_size(after); i++) {
        const char *was = value_at(json_array_get(before, i), raw),
                   *is = value_at(json_array_get(after, i), released);
        if (*is && strcmp(was, is) != 0 && strcmp(is, "*") != 0)
            found = json_string(is);
    }
    json_decref(before);
    json_decref(after);
    return found;
}

/* Columns of the result that are quasi-identifiers, others that are released, and the rest. */
static void take_columns(sides *s, int kind) {
    const json_t *columns = json_object_get(s->answer->found.json, "columns"), *column;
    size_t i;
    json_array_foreach(columns, i, column) {
        const char *name = sv_json_text(column, "name"), *role = sv_json_text(column, "role");
        const size_t raw = place_of(sv_rows_columns(s->answer->raw), name),
                     released = place_of(sv_rows_columns(s->answer->released), name);
        const int its = strcmp(role, "quasi-identifier") == 0 ? 0 : released != SIZE_MAX ? 1 : 2;
        if (its == kind && raw != SIZE_MAX && s->n < MOST_COLUMNS)
            s->pairs[s->n++] = (pair){name, role, column, raw, released};
    }
}

static bool is_gone(const sides *s, const json_t *released) {
    const size_t n = json_array_size(released);
    for (size_t i = 0; i < n; i++)
        if (strcmp(value_at(released, i), "*") != 0)
            return false;
    return s->leaves_out && n > 0;
}

static void put_head(const sides *s, sv_text *out, bool is_released) {
    sv_raw(out, "<thead><tr><th scope=\"col\" class=\"n\">row</th>");
    for (size_t i = 0; i < s->n; i++) {
        const pair *p = &s->pairs[i];
        sv_raw(out, p->released == SIZE_MAX ? "<th scope=\"col\" class=\"gone\">"
                                            : "<th scope=\"col\">");
        sv_value(out, p->name);
        sv_raw(out, "<br><small>");
        if (is_released)
            sv_answer_words(s->request->project, out, s->answer->found.json, p->column);
        else
            sv_html(out, "%s", strcmp(p->role, "none") == 0 ? "undecided" : p->role);
        sv_raw(out, "</small></th>");
    }
    sv_raw(out, "</tr></thead>\n");
}

static void put_cell(sv_text *out, const pair *p, const json_t *raw, const json_t *released,
                     bool is_released) {
    const char *before = value_at(raw, p->raw), *after = value_at(released, p->released);
    const bool is_changed = p->released != SIZE_MAX && strcmp(before, after) != 0;
    const char *shown = is_released ? after : before;
    sv_raw(out, p->released == SIZE_MAX     ? "<td class=\"gone\">"
                : is_released && is_changed ? "<td class=\"changed\">"
                                            : "<td>");
    if (*shown)
        sv_value(out, shown);
    sv_raw(out, "</td>");
}

static void put_row(const sides *s, sv_text *out, size_t i, bool is_released) {
    const json_t *raw = json_array_get(s->raw, i), *released = json_array_get(s->released, i);
    const bool gone = is_gone(s, released);
    sv_raw(out, gone ? "<tr class=\"gone\"><th scope=\"row\" class=\"n\">"
                     : "<tr><th scope=\"row\" class=\"n\">");
    sv_count(out, s->page * s->answer->raw->of_page + i + 1);
    sv_raw(out, "</th>");
    if (gone && is_released)
        sv_html(out, "<td colspan=\"%zu\">left out</td>", s->n);
    for (size_t c = 0; c < s->n && !(gone && is_released); c++)
        put_cell(out, &s->pairs[c], raw, released, is_released);
    sv_raw(out, "</tr>\n");
}

static void put_side(const sides *s, sv_text *out, bool is_released) {
    sv_html(out,
            "<div><h3>%s</h3><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
            "aria-label=\"%s\"><table class=\"row-table\">",
            is_released ? "After" : "Before",
            is_released ? "Rows of the release" : "Rows of the table");
    put_head(s, out, is_released);
    sv_raw(out, "<tbody>");
    for (size_t i = 0; i < json_array_size(s->raw); i++)
        put_row(s, out, i, is_released);
    sv_raw(out, "</tbody></table></div></div>\n");
}

static void put_sides(const sides *s, sv_text *out) {
    sv_raw(out,
           "<section class=\"internal\" id=\"rows\"><h2>Before and after <span class=\"tag\">raw "
           "values</span></h2>");
    sv_rows_links(s->request, out, s->answer->raw, s->page, "explore", "rows");
    sv_raw(out, "<div class=\"pair\">");
    put_side(s, out, false);
    put_side(s, out, true);
    sv_raw(out, "</div><p class=\"legend\"><span><b class=\"changed\">marked</b> changed</span> "
                "<span><b class=\"gone\">struck through</b> a row or a column that is left "
                "out</span></p></section>\n");
}

void sv_answer_rows(const sv_request *request, sv_text *out, const sv_answer *answer) {
    sides s = {.request = request, .answer = answer};
    if (!is_pair(answer))
        return; /* of other settings, or not whole: nothing is shown that does not belong together */
    s.leaves_out = sv_json_count(json_object_get(answer->found.json, "suppression"), "rows") > 0;
    for (int kind = 0; kind < 3; kind++)
        take_columns(&s, kind);
    s.page = sv_rows_asked(request, answer->raw);
    s.raw = sv_rows_page(answer->raw, s.page);
    s.released = sv_rows_page(answer->released, s.page);
    if (s.raw && s.released && json_array_size(s.raw) == json_array_size(s.released))
        put_sides(&s, out);
    json_decref(s.raw);
    json_decref(s.released);
}
