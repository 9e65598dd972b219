/* How each column is written, as choices: every way is shown by what a value becomes, never by a format. What
 * is chosen becomes settings of that column alone; a way that no choice has is kept as it is. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "column_roles.h"
#include "pages.h"
#include "table_parts.h"

enum { MOST_COLUMNS = 100, MOST_VALUES = 512 };

/* What a setting would say, and what a reader sees of it. */
static const struct {
    const char *format, *words;
} dates[] = {
    {"%Y-%m-%d", "1980-03-14 \xE2\x86\x92 14 March 1980"},
    {"%d.%m.%Y", "14.03.1980 \xE2\x86\x92 14 March 1980"},
    {"%d.%m.%y@1930", "14.03.80 \xE2\x86\x92 14 March 1980 (30 is 1930, 29 is 2029)"},
    {"%d/%m/%Y", "14/03/1980 \xE2\x86\x92 14 March 1980 (day first)"},
    {"%m/%d/%Y", "03/14/1980 \xE2\x86\x92 14 March 1980 (month first)"},
    {"%d-%b-%Y", "14-Mar-1980 \xE2\x86\x92 14 March 1980"},
    {"%Y%m%d", "19800314 \xE2\x86\x92 14 March 1980"},
    {"%d.%m.%Y %H:%M", "14.03.1980 09:30 \xE2\x86\x92 14 March 1980, half past nine"},
    {"%d.%m.%Y %H:%M:%S", "14.03.1980 09:30:00 \xE2\x86\x92 14 March 1980, half past nine"},
    {"%Y-%m-%d %H:%M:%S", "1980-03-14 09:30:00 \xE2\x86\x92 14 March 1980, half past nine"},
};

static const struct {
    const char *decimal, *thousands, *words;
} numbers[] = {
    {",", "", "1234,5 \xE2\x86\x92 one thousand two hundred thirty-four and a half"},
    {",", ".", "1.234,5 \xE2\x86\x92 the same, with points between thousands"},
    {",", "blank", "1 234,5 \xE2\x86\x92 the same, with blanks"},
    {".", ",", "1,234.5 \xE2\x86\x92 the same, with commas"},
    {".", "'", "1'234.5 \xE2\x86\x92 the same, with apostrophes"},
};

enum { N_DATES = sizeof dates / sizeof *dates, N_NUMBERS = sizeof numbers / sizeof *numbers };

static const struct {
    const char *name, *words;
} encodings[] = {{"", "found by itself"},
                 {"utf-8", "UTF-8"},
                 {"windows-1252", "Windows, Western Europe (M\xC3\xBCller, caf\xC3\xA9)"},
                 {"latin1", "Latin 1 (M\xC3\xBCller, caf\xC3\xA9)"},
                 {"windows-1250", "Windows, Central Europe (\xC5\x81\xC3\xB3"
                                  "d\xC5\xBA)"},
                 {"utf-16", "UTF-16, as some spreadsheets save text"}},
  separators[] = {
      {"", "found by itself"}, {",", "comma"}, {";", "semicolon"}, {"tab", "tab"}, {"|", "bar |"}};

/* ---- what settings say of a column ------------------------------------------------------------ */

/* What a setting of pairs says of a column, or of all; "": nothing. Borrowed. */
static const char *said(const sv_project *project, const char *setting, const char *column) {
    const char *value, *rest, *of_all = "";
    char *name;
    for (size_t i = 0; (value = sv_setting(project, setting, i)); i++) {
        if (!sv_split_pair(value, &name, &rest)) {
            of_all = value;
            continue;
        }
        const bool is_it = strcmp(name, column) == 0;
        free(name);
        if (is_it)
            return rest;
    }
    return of_all;
}

/* Takes away what a setting says of this column alone. */
static bool forget(sv_project *project, const char *setting, const char *column) {
    const char *kept[MOST_VALUES], *value, *rest;
    size_t n = 0;
    char *name;
    for (size_t i = 0; n < MOST_VALUES && (value = sv_setting(project, setting, i)); i++) {
        const bool is_pair = sv_split_pair(value, &name, &rest);
        const bool is_it = is_pair && strcmp(name, column) == 0;
        if (is_pair)
            free(name);
        if (!is_it)
            kept[n++] = value;
    }
    return n < MOST_VALUES && sv_set_all(project, setting, kept, n);
}

static bool set(sv_project *project, const char *setting, const char *column, const char *value) {
    return forget(project, setting, column) &&
           (!*value || kan_job_set_column(project->job, setting, column, value) == KAN_OK);
}

/* ---- the way of a column ---------------------------------------------------------------------- */

/* "d3", "n0", "" for the usual one, "=" for one that no choice has. */
static void find_way(const char *date, const char *decimal, const char *thousands, char out[8]) {
    snprintf(out, 8, "%s", *date || *decimal || *thousands ? "=" : "");
    for (size_t i = 0; i < N_DATES; i++)
        if (*date && strcmp(dates[i].format, date) == 0)
            snprintf(out, 8, "d%zu", i);
    for (size_t i = 0; i < N_NUMBERS && !*date; i++)
        if (strcmp(numbers[i].thousands, thousands) == 0 &&
            strcmp(numbers[i].decimal, *decimal ? decimal : ".") == 0)
            snprintf(out, 8, "n%zu", i);
}

static const json_t *found_of(const json_t *profile, const char *column) {
    const json_t *ways = json_object_get(json_object_get(profile, "conventions"), "columns"), *way;
    size_t i;
    json_array_foreach(ways, i, way) {
        if (strcmp(sv_json_text(way, "name"), column) == 0)
            return json_is_true(json_object_get(way, "taken")) ? way : NULL;
    }
    return NULL;
}

/* What the settings say, else what was found by looking. */
static void way_of(const sv_project *project, const json_t *profile, const char *column,
                   char out[8]) {
    const json_t *found = found_of(profile, column);
    find_way(said(project, "date-format", column), said(project, "decimal", column),
             said(project, "thousands", column), out);
    if (*out || !found)
        return;
    const char *thousands = sv_json_text(found, "thousands");
    find_way(sv_json_text(found, "date_format"), sv_json_text(found, "decimal"),
             strcmp(thousands, " ") == 0 ? "blank" : thousands, out);
}

/* ---- what was found, in words ----------------------------------------------------------------- */

/* A way as a choice has it; one that none has by its format, as the command line would say it. */
static bool add_way_words(sv_text *out, const json_t *way) {
    const char *date = sv_json_text(way, "date_format"), *decimal = sv_json_text(way, "decimal"),
               *thousands = sv_json_text(way, "thousands");
    const char *words = "";
    for (size_t i = 0; i < N_DATES; i++)
        if (strcmp(dates[i].format, date) == 0)
            words = dates[i].words;
    if (strcmp(thousands, " ") == 0)
        thousands = "blank";
    for (size_t i = 0; i < N_NUMBERS && !*date; i++)
        if (strcmp(numbers[i].thousands, thousands) == 0 &&
            strcmp(numbers[i].decimal, *decimal ? decimal : ".") == 0)
            words = numbers[i].words;
    if (*date || *decimal || *thousands)
        sv_html(out, ": %s", *words ? words : "in a way that no choice has");
    if (*date && *sv_json_text(way, "other_date_format"))
        sv_raw(out, ", or day and month the other way round: every value can be read both ways");
    else if (sv_json_is(way, "other_numbers"))
        sv_raw(out, ", a guess: every value can be read in another way, too");
    return *date || *decimal || *thousands;
}

void sv_way_words(sv_text *out, const json_t *way) {
    const uint64_t odd = sv_json_count(way, "odd_values");
    const json_t *one;
    size_t i;
    bool is_begun = add_way_words(out, way);
    if (sv_json_is(way, "codes")) {
        sv_raw(out, ": codes such as postcodes, read as text, which nobody counts with");
        is_begun = true;
    }
    if (odd > 0) {
        sv_html(out,
                is_begun ? "; %ss, but for <a href=\"#odd\">" : ": %ss, but for <a href=\"#odd\">",
                sv_json_text(way, "type"));
        sv_count_of(out, odd, "value", "values");
        sv_raw(out, "</a>, and read as text until that is settled");
        is_begun = true;
    }
    json_array_foreach(json_object_get(way, "missing"), i, one) {
        sv_raw(out, i > 0 ? ", " : is_begun ? "; " : ": ");
        sv_value(out, sv_json_text(one, "value"));
        sv_raw(out, sv_json_is(one, "taken") ? " \xE2\x86\x92 missing, in "
                                             : " may mean missing, and is read as a value, in ");
        sv_count_of(out, sv_json_count(one, "rows"), "row", "rows");
    }
}

/* ---- the form ------------------------------------------------------------------------------- */

static void add_option(sv_text *out, const char *kind, size_t number, const char *words,
                       const char *chosen) {
    char value[8];
    snprintf(value, sizeof value, "%s%zu", kind, number);
    sv_html(out, "<option value=\"%s\"%s>%s</option>", value,
            strcmp(value, chosen) == 0 ? " selected" : "", words);
}

static void add_way(sv_text *out, const char *name, size_t number, const char *chosen) {
    sv_html(out, "<label class=\"off\" for=\"way-%zu\">How values are written of ", number);
    sv_value_plain(out, name);
    sv_html(out,
            "</label><select id=\"way-%zu\" name=\"way-%zu\"><option value=\"\">as they stand "
            "there</option>",
            number, number);
    if (strcmp(chosen, "=") == 0)
        sv_raw(out, "<option value=\"=\" selected>in another way, as the settings say</option>");
    sv_raw(out, "<optgroup label=\"Dates\">");
    for (size_t i = 0; i < N_DATES; i++)
        add_option(out, "d", i, dates[i].words, chosen);
    sv_raw(out, "</optgroup><optgroup label=\"Numbers\">");
    for (size_t i = 0; i < N_NUMBERS; i++)
        add_option(out, "n", i, numbers[i].words, chosen);
    sv_raw(out, "</optgroup></select>");
}

static void add_column(const sv_request *request, sv_text *out, const json_t *profile,
                       const json_t *column, size_t number) {
    const char *name = sv_json_text(column, "name"),
               *missing = said(request->project, "missing", name);
    const json_t *first = json_array_get(json_object_get(column, "top"), 0);
    char way[8];
    way_of(request->project, profile, name, way);
    sv_raw(out, "<tr><th scope=\"row\">");
    sv_value(out, name);
    sv_html(out, "<br><small>read as %s</small></th><td>", sv_json_text(column, "type"));
    if (first)
        sv_value(out, sv_json_text(first, "value"));
    sv_raw(out, "</td><td>");
    add_way(out, name, number, way);
    sv_raw(out, "</td><td>");
    sv_table_missing(out, profile, column, missing, number);
    sv_raw(out, "</td></tr>\n");
}

/* Links to the columns that do not stand in the form. */
static void add_links(const sv_request *request, sv_text *out, size_t first, size_t n) {
    if (n <= MOST_COLUMNS)
        return;
    sv_raw(out, "<p>Columns ");
    for (size_t at = 0; at < n; at += MOST_COLUMNS) {
        const size_t end = n - at < MOST_COLUMNS ? n : at + MOST_COLUMNS;
        if (at == first)
            sv_html(out, "<strong>%zu to %zu</strong> ", at + 1, end);
        else
            sv_html(out, "<a href=\"/p/%s/table?from=%zu#ways\">%zu to %zu</a> ",
                    request->project->name, at, at + 1, end);
    }
    sv_raw(out, "</p>");
}

void sv_table_ways(const sv_request *request, sv_text *out, const json_t *profile) {
    const sv_project *project = request->project;
    const json_t *columns = sv_profile_columns(profile);
    const size_t n = json_array_size(columns);
    const char *from = sv_field_of(request, "from");
    const size_t asked = from ? strtoul(from, NULL, 10) : 0,
                 first = asked < n ? asked / MOST_COLUMNS * MOST_COLUMNS : 0;
    const char *encoding = sv_setting(project, "encoding", 0),
               *separator = sv_setting(project, "separator", 0);
    bool is_known = !encoding;
    sv_raw(out, "<section class=\"internal\" id=\"ways\"><h2>How values are written <span "
                "class=\"tag\">raw values</span></h2>");
    sv_form(request, out, "table");
    sv_html(out,
            "<input type=\"hidden\" name=\"stamp\" value=\"%" PRIu64
            "\"><div class=\"fields small\"><div class=\"field\"><label "
            "for=\"w-encoding\">Letters of the file</label><select id=\"w-encoding\" "
            "name=\"encoding\">",
            sv_columns_stamp(columns));
    for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++) {
        const bool is_it = strcmp(encodings[i].name, encoding ? encoding : "") == 0;
        is_known = is_known || is_it;
        sv_html(out, "<option value=\"%s\"%s>%s</option>", encodings[i].name,
                is_it ? " selected" : "", encodings[i].words);
    }
    if (!is_known)
        sv_html(out, "<option value=\"%s\" selected>%s</option>", encoding, encoding);
    sv_raw(out, "</select></div><div class=\"field\"><label for=\"w-separator\">Between "
                "fields</label><select id=\"w-separator\" name=\"separator\">");
    is_known = !separator;
    for (size_t i = 0; i < sizeof separators / sizeof *separators; i++) {
        const bool is_it = strcmp(separators[i].name, separator ? separator : "") == 0;
        is_known = is_known || is_it;
        sv_html(out, "<option value=\"%s\"%s>%s</option>", separators[i].name,
                is_it ? " selected" : "", separators[i].words);
    }
    if (!is_known)
        sv_html(out, "<option value=\"%s\" selected>%s</option>", separator, separator);
    sv_raw(out,
           "</select></div></div><div class=\"scroll tall-rows\" tabindex=\"0\" role=\"region\" "
           "aria-label=\"How values are written\"><table class=\"ways\"><thead><tr><th "
           "scope=\"col\">Column</th><th scope=\"col\">Most frequent</th><th "
           "scope=\"col\">Written as</th><th scope=\"col\">Missing values</th></tr></thead>"
           "<tbody>\n");
    for (size_t i = first; i < n && i < first + MOST_COLUMNS; i++)
        add_column(request, out, profile, json_array_get(columns, i), i + 1);
    sv_raw(out, "</tbody></table></div>");
    add_links(request, out, first, n);
    sv_raw(out, "<p><button name=\"action\" value=\"ways\">Read it like this</button>"
                "</p></form></section>");
}

/* ---- change --------------------------------------------------------------------------------- */

static const char *numbered(const sv_request *request, const char *name, size_t number) {
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%s-%zu", name, number);
    return sv_field_of(request, wanted);
}

/* The number behind the letter of a way; SIZE_MAX: there is none of that name. */
static size_t number_of(const char *way, char kind, size_t n) {
    char *end;
    if (way[0] != kind || !sv_is_digit(way[1]))
        return SIZE_MAX;
    const unsigned long number = strtoul(way + 1, &end, 10);
    return *end || number >= n ? SIZE_MAX : number;
}

static bool take_way(sv_project *project, const char *column, const char *way) {
    const size_t date = number_of(way, 'd', N_DATES), number = number_of(way, 'n', N_NUMBERS);
    if (*way && date == SIZE_MAX && number == SIZE_MAX)
        return true; /* it stays as it is */
    return set(project, "date-format", column, date == SIZE_MAX ? "" : dates[date].format) &&
           set(project, "decimal", column, number == SIZE_MAX ? "" : numbers[number].decimal) &&
           set(project, "thousands", column, number == SIZE_MAX ? "" : numbers[number].thousands);
}

const char *sv_ways_wrong(const sv_request *request, const json_t *profile) {
    const char *wrong = NULL;
    for (size_t i = 0; !wrong && i < json_array_size(sv_profile_columns(profile)); i++)
        wrong = sv_missing_wrong(numbered(request, "code", i + 1));
    return wrong;
}

bool sv_take_ways(const sv_request *request, const json_t *profile) {
    sv_project *project = request->project;
    const json_t *columns = sv_profile_columns(profile);
    bool is_good = true;
    for (size_t i = 0; is_good && i < json_array_size(columns); i++) {
        const char *name = sv_json_text(json_array_get(columns, i), "name"),
                   *way = numbered(request, "way", i + 1),
                   *missing = numbered(request, "missing", i + 1);
        sv_text wanted = {0};
        is_good = (!way || take_way(project, name, way)) &&
                  sv_missing_chosen(missing, numbered(request, "code", i + 1), &wanted) &&
                  (!missing ||
                   strcmp(wanted.bytes ? wanted.bytes : "", said(project, "missing", name)) == 0 ||
                   set(project, "missing", name, wanted.bytes ? wanted.bytes : ""));
        sv_text_free(&wanted);
    }
    return is_good;
}
