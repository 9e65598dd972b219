/* The page of the table: what it holds, which columns single people out, and how it is read. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "found.h"
#include "pages.h"
#include "table_parts.h"
#include "values.h"

enum { CARDS_A_PAGE = 100, MOST_COMBINATIONS = 12, MOST_ROW_COLUMNS = 40 };

/* ---- the file ------------------------------------------------------------------------------- */

static void add_size(sv_text *out, const sv_project *project, const char *input) {
    sv_text path = {0};
    struct stat seen;
    const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    if (sv_project_path(project, input, &path) && stat(path.bytes, &seen) == 0) {
        double size = (double)seen.st_size;
        size_t unit = 0;
        for (; size >= 1024 && unit < 4; unit++)
            size /= 1024;
        sv_raw(out, "<div><dt>Size</dt><dd>");
        if (unit > 0)
            sv_html(out, "%.1f", size);
        else
            sv_count(out, (unsigned long long)seen.st_size);
        sv_html(out, " %s</dd></div>", units[unit]);
    }
    sv_text_free(&path);
}

/* What the settings say, else what its ending does. */
static void add_kind(sv_text *out, const sv_project *project, const char *input) {
    const char *said = sv_setting(project, "format", 0), *ending = strrchr(input, '.');
    const bool is_compressed =
        !said && ending && (strcasecmp(ending, ".gz") == 0 || strcasecmp(ending, ".zst") == 0);
    sv_html(out, "<div><dt>File format</dt><dd>%s%s</dd></div>",
            said ? said : kan_path_format(input), is_compressed ? ", compressed" : "");
}

static void add_fact(sv_text *out, const char *name, uint64_t count) {
    sv_html(out, "<div><dt>%s</dt><dd>", name);
    sv_count(out, count);
    sv_raw(out, "</dd></div>");
}

static void add_file(const sv_request *request, sv_text *out, const json_t *profile) {
    const char *input = sv_input_name(request->project);
    const json_t *read = json_object_get(profile, "input");
    sv_raw(out, "<section><h2>");
    sv_value(out, input);
    sv_raw(out, "</h2><dl class=\"facts\">");
    if (read) {
        add_fact(out, "Rows", sv_json_count(read, "rows"));
        add_fact(out, "Columns", sv_json_count(read, "columns"));
    }
    add_kind(out, request->project, input);
    add_size(out, request->project, input);
    sv_raw(out, "</dl>");
    if (profile)
        sv_html(out,
                "<p>Below: the first rows, how values are written, and which columns together "
                "single people out.</p><p class=\"next\"><a class=\"button\" "
                "href=\"/p/%s/columns\">Next: choose the role of each column</a></p>",
                request->project->name);
    sv_raw(out, "</section>");
}

/* ---- first rows ----------------------------------------------------------------------------- */

static void add_row(sv_text *out, const json_t *row, size_t n) {
    sv_raw(out, "<tr>");
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(row, i);
        sv_raw(out, "<td class=\"v\">");
        if (json_is_string(value))
            sv_value(out, json_string_value(value));
        sv_raw(out, "</td>");
    }
    sv_raw(out, "</tr>");
}

static void add_rows(const sv_request *request, sv_text *out, const json_t *profile) {
    const json_t *rows = json_object_get(profile, "first_rows");
    json_t *columns = sv_profile_columns(profile);
    const size_t all = json_array_size(columns);
    const size_t n = all < MOST_ROW_COLUMNS ? all : MOST_ROW_COLUMNS;
    if (json_array_size(rows) == 0)
        return;
    sv_raw(out, "<section class=\"internal\"><h2>First rows <span class=\"tag\">raw values</span>"
                "</h2>" SV_RAW_NOTE "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                "aria-label=\"First rows\"><table><thead><tr>");
    for (size_t i = 0; i < n; i++) {
        sv_raw(out, "<th scope=\"col\">");
        sv_value(out, sv_json_text(json_array_get(columns, i), "name"));
        sv_raw(out, "</th>");
    }
    sv_raw(out, "</tr></thead><tbody>");
    for (size_t i = 0; i < json_array_size(rows); i++)
        add_row(out, json_array_get(rows, i), n);
    sv_raw(out, "</tbody></table></div>");
    if (n < all)
        sv_html(out, "<p class=\"soft\">The first %zu of %zu columns.</p>", n, all);
    sv_html(out, "<p><a href=\"/p/%s/rows\">All rows and columns</a></p></section>",
            request->project->name);
}

/* ---- combinations --------------------------------------------------------------------------- */

static int by_size_then_share(const void *a, const void *b) {
    const json_t *x = *(const json_t *const *)a, *y = *(const json_t *const *)b;
    const size_t m = json_array_size(json_object_get(x, "columns")),
                 n = json_array_size(json_object_get(y, "columns"));
    const uint64_t p = sv_json_count(x, "unique_rows"), q = sv_json_count(y, "unique_rows");
    return m != n ? (m < n ? -1 : 1) : p != q ? (p > q ? -1 : 1) : 0;
}

static void add_combination(sv_text *out, const json_t *set) {
    const json_t *names = json_object_get(set, "columns");
    const double share = sv_json_real(set, "unique_share");
    sv_raw(out, "<tr><th scope=\"row\">");
    for (size_t i = 0; i < json_array_size(names); i++) {
        sv_raw(out, i > 0 ? ", " : "");
        sv_value(out, json_string_value(json_array_get(names, i)));
    }
    sv_raw(out, "</th><td class=\"n\">");
    sv_count(out, sv_json_count(set, "unique_rows"));
    sv_raw(out, "</td><td class=\"n\">");
    sv_share(out, share);
    sv_raw(out, "</td><td class=\"bars\">");
    sv_bar(out, share);
    sv_raw(out, "</td></tr>");
}

/* Those of which no part is telling by itself: the fewest columns first. */
static void add_minimal(sv_text *out, const json_t *list) {
    const size_t n = json_array_size(list);
    const json_t **order = n ? malloc(n * sizeof *order) : NULL;
    size_t n_minimal = 0;
    for (size_t i = 0; order && i < n; i++)
        if (json_is_true(json_object_get(json_array_get(list, i), "minimal")))
            order[n_minimal++] = json_array_get(list, i);
    if (n_minimal > 1)
        qsort(order, n_minimal, sizeof *order, by_size_then_share);
    for (size_t i = 0; i < n_minimal && i < MOST_COMBINATIONS; i++)
        add_combination(out, order[i]);
    free(order);
}

void sv_table_combinations(sv_text *out, const json_t *profile) {
    const json_t *found = json_object_get(profile, "combinations");
    const uint64_t n = sv_json_count(found, "minimal"), rows = sv_json_count(found, "rows");
    sv_raw(out, "<section><h2>Which columns together single people out</h2>");
    if (n == 0) {
        sv_raw(out, "<p>No combination of up to four columns that was looked at singles out 5 % of "
                    "the rows or more.</p></section>");
        return;
    }
    sv_raw(out, "<p>A row is <em>alone</em> when no other row has the same values in these "
                "columns. Somebody who knows them about a person finds that person&#39;s row.");
    if (json_is_true(json_object_get(found, "sampled"))) {
        sv_raw(out, " Counted in a sample of ");
        sv_count_of(out, rows, "row", "rows");
        sv_raw(out, ".");
    }
    sv_raw(out,
           "</p><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Columns that "
           "single people out\"><table><thead><tr><th scope=\"col\">Columns</th><th "
           "scope=\"col\" class=\"n\">Rows alone</th><th scope=\"col\" class=\"n\">Share</th>"
           "<td></td></tr></thead><tbody>");
    add_minimal(out, json_object_get(found, "list"));
    sv_raw(out, "</tbody></table></div>");
    if (n > MOST_COMBINATIONS)
        sv_html(out, "<p class=\"soft\">And %" PRIu64 " more.</p>", n - MOST_COMBINATIONS);
    sv_raw(out, "</section>");
}

/* ---- cards ---------------------------------------------------------------------------------- */

static size_t first_card(const sv_request *request, size_t n) {
    const char *from = sv_field_of(request, "from");
    const unsigned long at = from ? strtoul(from, NULL, 10) : 0;
    return at < n ? at / CARDS_A_PAGE * CARDS_A_PAGE : 0;
}

static void add_card_links(const sv_request *request, sv_text *out, size_t first, size_t n) {
    if (n <= CARDS_A_PAGE)
        return;
    sv_raw(out, "<p>Columns ");
    for (size_t at = 0; at < n; at += CARDS_A_PAGE) {
        const size_t end = n - at < CARDS_A_PAGE ? n : at + CARDS_A_PAGE;
        if (at == first)
            sv_html(out, "<strong>%zu to %zu</strong> ", at + 1, end);
        else
            sv_html(out, "<a href=\"/p/%s/table?from=%zu#columns\">%zu to %zu</a> ",
                    request->project->name, at, at + 1, end);
    }
    sv_raw(out, "</p>");
}

static void add_cards(const sv_request *request, sv_text *out, const json_t *profile) {
    json_t *columns = sv_profile_columns(profile);
    const size_t n = json_array_size(columns), first = first_card(request, n);
    sv_raw(out, "<section class=\"internal\" id=\"columns\"><h2>Columns <span class=\"tag\">raw "
                "values</span></h2>" SV_RAW_NOTE);
    add_card_links(request, out, first, n);
    sv_html(out,
            "<details%s><summary>What each column holds, how it is spread, and what it might "
            "be</summary><div class=\"cards\">",
            sv_field_of(request, "from") ? " open" : "");
    for (size_t i = first; i < n && i < first + CARDS_A_PAGE; i++)
        sv_table_card(out, profile, json_array_get(columns, i));
    sv_raw(out, "</div></details>");
    add_card_links(request, out, first, n);
    sv_raw(out, "</section>");
}

/* Choices that made the table unreadable can be taken back: by the columns that it had before. */
static void add_ways(const sv_request *request, sv_text *out, const sv_found *profile) {
    json_t *before =
        profile->has_failed ? sv_project_json(request->project, "work/profile.json") : NULL;
    if (profile->is_fresh || before)
        sv_table_ways(request, out, before ? before : profile->json);
    json_decref(before);
}

/* ---- the page ------------------------------------------------------------------------------- */

void sv_table(sv_request *request, sv_reply *reply) {
    sv_text *out = &reply->body;
    sv_found profile;
    sv_found_profile(request, &profile);
    sv_page_begin(request, out, "The table", "table");
    if (profile.is_fresh) {
        add_file(request, out, profile.json);
        sv_table_sheets(request, out, profile.json);
        add_rows(request, out, profile.json);
    } else {
        add_file(request, out, NULL);
        sv_profile_page(request, out, &profile);
        if (profile.has_failed)
            sv_table_other_sheet(request, out);
    }
    sv_raw(out, "<div class=\"two\"><div>");
    add_ways(request, out, &profile);
    if (profile.is_fresh)
        sv_table_odd(request, out, profile.json);
    if (profile.is_fresh)
        add_cards(request, out, profile.json);
    sv_raw(out, "</div><div>");
    if (profile.is_fresh) {
        sv_table_found(request, out, profile.json);
        sv_table_combinations(out, profile.json);
    }
    sv_table_reading(request, out, profile.has_failed);
    sv_raw(out, "</div></div>");
    sv_page_command(out, request->project, sv_profile_words());
    sv_page_end(request, out);
    sv_found_close(&profile);
}
