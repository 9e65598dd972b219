/* The whole table, some rows at a time, and the links from page to page. */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 200 };

/* ---- pages ---------------------------------------------------------------------------------- */

uint64_t sv_rows_asked(const sv_request *request, const sv_rows *rows) {
    const char *row = sv_field_of(request, "row"), *page = sv_field_of(request, "page");
    const uint64_t last = sv_rows_pages(rows) - 1;
    uint64_t asked = 0;
    if (row && sv_is_digit(*row)) {
        const uint64_t number = strtoull(row, NULL, 10);
        asked = number > 0 ? (number - 1) / rows->of_page : 0;
    } else if (page && sv_is_digit(*page)) {
        asked = strtoull(page, NULL, 10);
    }
    return asked < last ? asked : last;
}

static void add_link(const sv_request *request, sv_text *out, const char *path, const char *anchor,
                     uint64_t page, const char *words) {
    sv_raw(out, "<a href=\"");
    sv_link(request, out, path);
    sv_html(out, "?page=%llu#%s\">%s</a> ", (unsigned long long)page, anchor, words);
}

void sv_rows_links(const sv_request *request, sv_text *out, const sv_rows *rows, uint64_t page,
                   const char *path, const char *anchor) {
    const uint64_t last = sv_rows_pages(rows) - 1, first = page * rows->of_page;
    sv_raw(out, "<nav class=\"row-links\" aria-label=\"Rows\"><p>Rows <strong>");
    sv_count(out, first + 1);
    sv_raw(out, " to ");
    sv_count(out, page == last ? rows->n : first + rows->of_page);
    sv_raw(out, "</strong> of ");
    sv_count(out, rows->n);
    sv_raw(out, " ");
    if (page > 0) {
        add_link(request, out, path, anchor, 0, "first");
        add_link(request, out, path, anchor, page - 1, "previous");
    }
    if (page < last) {
        add_link(request, out, path, anchor, page + 1, "next");
        add_link(request, out, path, anchor, last, "last");
    }
    sv_raw(out, "</p>");
    if (last > 0) {
        sv_raw(out, "<form method=\"get\" action=\"");
        sv_link(request, out, path);
        sv_html(
            out,
            "#%s\"><label for=\"row-%s\">go to row</label> <input type=\"number\" id=\"row-%s\" "
            "name=\"row\" min=\"1\" max=\"%llu\" required> <button class=\"plain small\">Go"
            "</button></form>",
            anchor, anchor, anchor, (unsigned long long)rows->n);
    }
    sv_raw(out, "</nav>\n");
}

/* ---- the rows of the table ------------------------------------------------------------------- */

/* Every value is text: it stands there as it does in the file. */
void sv_rows_words(sv_words *words, const char *table, const char *rows, const char *json) {
    sv_word(words, "profile");
    if (table)
        sv_word(words, table);
    else
        sv_word_pair(words, "--job", "kanon.yaml");
    sv_word_pair(words, "--text", "*");
    sv_word_pair(words, "--subsets", "1");
    sv_word_pair(words, "--all-rows", rows);
    sv_word_pair(words, "--json", json);
    sv_word(words, "--force");
}

static void open_found(const sv_request *request, sv_found *out) {
    sv_text key = {0};
    sv_project_key(request->project, false, &key);
    sv_found_open(request, "rows", "work/rows.json", key.bytes ? key.bytes : "", out);
    sv_text_free(&key);
}

static bool start(const sv_request *request, sv_text *error) {
    sv_words words = {.n = 0};
    sv_text key = {0};
    sv_rows_words(&words, NULL, SV_ROWS_FILE, "work/rows.json");
    const sv_step step = {words.at};
    sv_project_key(request->project, false, &key);
    const bool is_good =
        !key.failed &&
        sv_task_start(sv_server_tasks(request->server), request->project, "rows",
                      "reading all rows", key.bytes ? key.bytes : "", &step, 1, false, error);
    sv_text_free(&key);
    return is_good;
}

void sv_rows_found(const sv_request *request, bool starts, sv_found *out) {
    sv_text error = {0};
    open_found(request, out);
    if (starts && sv_found_is_wanted(out) && sv_setting(request->project, "input", 0) &&
        start(request, &error)) {
        sv_found_close(out);
        open_found(request, out);
    }
    sv_text_free(&error);
}

/* ---- the page ------------------------------------------------------------------------------- */

static void add_head(sv_text *out, const json_t *columns) {
    sv_raw(out, "<thead><tr><th scope=\"col\" class=\"n\">row</th>");
    for (size_t i = 0; i < json_array_size(columns) && i < MOST_COLUMNS; i++) {
        const char *name = json_string_value(json_array_get(columns, i));
        sv_raw(out, "<th scope=\"col\">");
        sv_value(out, name ? name : "");
        sv_raw(out, "</th>");
    }
    sv_raw(out, "</tr></thead>");
}

static void add_row(sv_text *out, const json_t *row, uint64_t number, size_t n_columns) {
    sv_raw(out, "<tr><th scope=\"row\" class=\"n\">");
    sv_count(out, number);
    sv_raw(out, "</th>");
    for (size_t i = 0; i < n_columns && i < MOST_COLUMNS; i++) {
        const char *value = json_string_value(json_array_get(row, i));
        sv_raw(out, "<td>");
        if (value && *value)
            sv_value(out, value);
        sv_raw(out, "</td>");
    }
    sv_raw(out, "</tr>\n");
}

static void add_table(const sv_request *request, sv_text *out, const sv_rows *rows) {
    const uint64_t page = sv_rows_asked(request, rows);
    const json_t *columns = sv_rows_columns(rows);
    const size_t n = json_array_size(columns);
    json_t *list = sv_rows_page(rows, page);
    sv_raw(out, "<section class=\"internal\" id=\"all-rows\"><h2>All rows <span class=\"tag\">raw "
                "values</span></h2>");
    sv_rows_links(request, out, rows, page, "rows", "all-rows");
    sv_raw(out, "<div class=\"scroll tall-rows\" tabindex=\"0\" role=\"region\" "
                "aria-label=\"All rows\"><table class=\"row-table\">");
    add_head(out, columns);
    sv_raw(out, "<tbody>");
    for (size_t i = 0; i < json_array_size(list); i++)
        add_row(out, json_array_get(list, i), page * rows->of_page + i + 1, n);
    sv_raw(out, "</tbody></table></div>");
    if (!list)
        sv_raw(out,
               "<p class=\"note careful\">These rows cannot be shown: their values are too long, "
               "or the file of rows is not whole.</p>");
    if (n > MOST_COLUMNS)
        sv_html(out, "<p class=\"soft\">The first %d of %zu columns.</p>", (int)MOST_COLUMNS, n);
    sv_raw(out, "</section>");
    json_decref(list);
}

void sv_rows_show(sv_request *request, sv_reply *reply) {
    sv_text *out = &reply->body;
    sv_found found;
    sv_rows *rows = NULL;
    sv_rows_found(request, true, &found);
    sv_page_begin(request, out, "The whole table", "table");
    if (found.is_fresh)
        rows = sv_rows_open(request->project, SV_ROWS_FILE);
    sv_page_task(request, out, "rows");
    if (rows)
        add_table(request, out, rows);
    else if (!found.is_busy)
        sv_raw(out, "<p>The rows cannot be shown. The page of the table says how it is read.</p>");
    sv_html(out, "<p class=\"next\"><a href=\"/p/%s/table\">Back to what the columns hold</a></p>",
            request->project->name);
    sv_page_end(request, out);
    sv_rows_close(rows);
    sv_found_close(&found);
}
