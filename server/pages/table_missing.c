/* What marks a missing value in a column, as a choice: the codes that were found by looking, each with what it would
 * do. A code that nobody found can be written beside it, as it stands in the cells. */
#include <inttypes.h>
#include <string.h>

#include "pages.h"
#include "table_parts.h"

enum { MOST_CODES = 16, MOST_CODE = 40 /* bytes: longer values may have been cut */ };

/* A code that might mark a missing value, borrowed from the profile. */
typedef struct {
    const char *value;
    uint64_t rows;
} code;

typedef struct {
    code all[MOST_CODES];
    size_t n;
    sv_text taken; /* as the setting has it: those that are read as missing already */
} codes;

void sv_quote_spelling(sv_text *out, const char *value) {
    const size_t n = strlen(value);
    const bool needs_quotes =
        strpbrk(value, ",=\"") || value[0] == ' ' || (n > 0 && value[n - 1] == ' ');
    sv_raw(out, needs_quotes ? "\"" : "");
    for (size_t i = 0; i < n; i++) {
        sv_raw(out, value[i] == '"' ? "\"" : "");
        sv_bytes(out, &value[i], 1);
    }
    sv_raw(out, needs_quotes ? "\"" : "");
}

static void add_to(sv_text *list, const char *value) {
    sv_raw(list, list->size > 0 ? "," : "");
    sv_quote_spelling(list, value);
}

static bool can_be_code(const char *value) {
    const size_t n = strlen(value);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)value[i] < 0x20 || value[i] == 0x7F)
            return false;
    return n > 0 && n < MOST_CODE;
}

static void add_codes(codes *list, const json_t *found, const char *key) {
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(found, key), i, one) {
        const char *value = sv_json_text(one, "value");
        if (!can_be_code(value))
            continue;
        if (sv_json_is(one, "taken"))
            add_to(&list->taken, value);
        else if (list->n < MOST_CODES)
            list->all[list->n++] = (code){value, sv_json_count(one, "rows")};
    }
}

static const json_t *found_of(const json_t *profile, const char *column) {
    const json_t *ways = json_object_get(json_object_get(profile, "conventions"), "columns"), *way;
    size_t i;
    json_array_foreach(ways, i, way) if (strcmp(sv_json_text(way, "name"), column) == 0) return way;
    return NULL;
}

/* It is closed by the next one, or by who adds more to it. */
static void add_option(sv_text *out, const char *value, bool is_chosen, const char *words) {
    sv_html(out, "<option value=\"%s\"%s>", value, is_chosen ? " selected" : "");
    sv_value_plain(out, words);
}

/* "NA and -99 → missing, in 18 more rows" */
static void put_choice(sv_text *out, const char *base, const code *first, size_t n) {
    sv_text value = {0}, words = {0};
    uint64_t rows = 0;
    sv_raw(&value, base);
    sv_raw(&words, base);
    for (size_t i = 0; i < n; i++) {
        add_to(&value, first[i].value);
        sv_raw(&words, words.size == 0 ? "" : i + 1 == n ? " and " : ", ");
        sv_value_cut(&words, first[i].value);
        rows += first[i].rows;
    }
    if (!value.failed && !words.failed) {
        add_option(out, value.bytes, false, words.bytes);
        sv_raw(out, " \xE2\x86\x92 missing, in ");
        sv_count(out, rows);
        sv_html(out, " %srow%s</option>", *base ? "more " : "", rows == 1 ? "" : "s");
    }
    sv_text_free(&value);
    sv_text_free(&words);
}

void sv_table_missing(sv_text *out, const json_t *profile, const json_t *column, const char *said,
                      size_t number) {
    const json_t *found = found_of(profile, sv_json_text(column, "name"));
    const uint64_t rows = sv_json_count(column, "missing");
    codes list = {.n = 0};
    add_codes(&list, found, "missing");
    add_codes(&list, found, "odd");
    const char *base = *said ? said : list.taken.bytes ? list.taken.bytes : "";
    sv_html(out, "<label class=\"off\" for=\"missing-%zu\">What marks a missing value of ", number);
    sv_value_plain(out, sv_json_text(column, "name"));
    sv_html(out, "</label><select id=\"missing-%zu\" name=\"missing-%zu\">", number, number);
    if (!*base || *said) /* what was found by looking is taken where nothing is said */
        add_option(out, "", !*base,
                   *said ? "empty cells, and what is found by looking" : "empty cells alone");
    if (*base)
        add_option(out, base, true, base);
    if (*base || rows > 0) {
        sv_raw(out, " \xE2\x86\x92 missing, in ");
        sv_count_of(out, rows, "row", "rows");
    }
    sv_raw(out, "</option>");
    for (size_t i = 0; i < list.n; i++)
        put_choice(out, base, &list.all[i], 1);
    if (list.n > 1)
        put_choice(out, base, list.all, list.n);
    sv_html(out,
            "</select><label class=\"off\" for=\"code-%zu\">Another code for a missing value of ",
            number);
    sv_value_plain(out, sv_json_text(column, "name"));
    sv_html(out,
            "</label><input id=\"code-%zu\" name=\"code-%zu\" maxlength=\"60\" placeholder=\"and "
            "another code\" autocomplete=\"off\" spellcheck=\"false\">",
            number, number);
    sv_text_free(&list.taken);
}

const char *sv_missing_wrong(const char *another) {
    if (!another || !*another || can_be_code(another))
        return NULL;
    return strlen(another) >= MOST_CODE
               ? "A code for a missing value is too long: it may have at most 39 bytes here. Name "
                 "a "
                 "longer one in the job file, under missing. Nothing was changed."
               : "A code for a missing value has a tab, a line break or another control character "
                 "in "
                 "it, which cannot be written here. Name it in the job file, under missing. "
                 "Nothing "
                 "was changed.";
}

bool sv_missing_chosen(const char *chosen, const char *another, sv_text *out) {
    sv_raw(out, chosen ? chosen : "");
    if (another && can_be_code(another))
        add_to(out, another);
    return !out->failed;
}

/* ---- values that were not understood ---------------------------------------------------------- */

static void put_odd(const sv_request *request, sv_text *out, const json_t *way, const json_t *odd) {
    const uint64_t row = sv_json_count(odd, "row");
    sv_raw(out, "<tr><th scope=\"row\">");
    sv_value(out, sv_json_text(way, "name"));
    sv_html(out, "</th><td>%s</td><td class=\"v\">", sv_json_text(way, "type"));
    sv_value(out, sv_json_text(odd, "value"));
    sv_raw(out, "</td><td class=\"n\">");
    sv_count(out, sv_json_count(odd, "rows"));
    sv_raw(out, "</td><td class=\"n\">");
    if (row > 0) {
        sv_html(out, "<a href=\"/p/%s/rows?row=%" PRIu64 "\">", request->project->name, row);
        sv_count(out, row);
        sv_raw(out, "</a>");
    }
    sv_raw(out, "</td></tr>\n");
}

void sv_table_odd(const sv_request *request, sv_text *out, const json_t *profile) {
    enum { MOST = 200 };
    const json_t *ways = json_object_get(json_object_get(profile, "conventions"), "columns"), *way,
                 *one;
    uint64_t n_values = 0, n_put = 0;
    sv_text rows = {0};
    size_t i, at;
    json_array_foreach(ways, i, way) {
        n_values += sv_json_count(way, "odd_values");
        json_array_foreach(json_object_get(way, "odd"), at, one) {
            if (n_put == MOST)
                break;
            n_put++;
            put_odd(request, &rows, way, one);
        }
    }
    if (n_put > 0 && !rows.failed) {
        sv_raw(out, "<section class=\"internal\" id=\"odd\"><h2>Values that were not understood "
                    "<span class=\"tag\">raw values</span></h2><p>Nearly all values of these "
                    "columns are numbers or dates, and these are not. Until they are corrected in "
                    "the file, or <a href=\"#ways\">chosen as missing</a>, the column is read as "
                    "text.</p><div class=\"scroll tall-rows\" tabindex=\"0\" role=\"region\" "
                    "aria-label=\"Values that were not understood\"><table><thead><tr><th "
                    "scope=\"col\">Column</th><th scope=\"col\">Others are a</th><th "
                    "scope=\"col\">Value</th><th scope=\"col\" class=\"n\">Rows</th><th "
                    "scope=\"col\" class=\"n\">First row</th></tr></thead><tbody>\n");
        sv_raw(out, rows.bytes);
        sv_raw(out, "</tbody></table></div>");
        if (n_values > n_put) {
            sv_raw(out, "<p class=\"soft\">And ");
            sv_count_of(out, n_values - n_put, "other value", "other values");
            sv_raw(out, ".</p>");
        }
        sv_raw(out, "</section>\n");
    }
    sv_text_free(&rows);
}
