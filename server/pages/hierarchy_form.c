/* The form with all ways to make a column's values coarser. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hierarchy_parts.h"
#include "pages.h"
#include "values.h"

typedef struct {
    const char *name, *title, *label, *hint, *example;
} builder;

static const builder builders[] = {
    {"intervals", "Intervals of numbers", "Widths, each dividing the next",
     "5,10,20: intervals of five, then of ten, then of twenty.", "5,10,20"},
    {"quantiles", "Intervals by number of rows", "How many, from many to few",
     "20,5: twenty intervals with about the same number of rows, merged into five. Their bounds "
     "are values of the data, and show where its rows lie.",
     "20,5"},
    {"digits", "Mask the last characters", "How many at most",
     "3: the last one, two, then three characters of a code become *.", "3"},
    {"prefix", "Keep the first characters", "How many, from many to few",
     "3,1: the first three characters of a code, then the first.", "3,1"},
    {"frequency", "Group rare values", "Rows below which a value is rare, from few to many",
     "10,100: values with fewer than ten rows become one, then those with fewer than a hundred. "
     "That shows which values are rare.",
     "10,100"},
};

enum { N_BUILDERS = sizeof builders / sizeof *builders };

/* What stands behind the builder's name in the spec; NULL: it is another's. */
static const char *numbers_of(const char *spec, const char *name) {
    const size_t n = strlen(name);
    return strncmp(spec, name, n) == 0 && spec[n] == ':' ? spec + n + 1 : NULL;
}

static void add_radio(sv_text *out, const char *name, const char *title, bool is_chosen) {
    sv_html(out,
            "<div class=\"builder\"><label class=\"choice\"><input type=\"radio\" name=\"builder\" "
            "value=\"%s\"%s> <span>%s</span></label>",
            name, is_chosen ? " checked" : "", title);
}

static void add_numbered(sv_text *out, const builder *b, const char *spec, const char *suggested) {
    const char *now = numbers_of(spec, b->name), *other = numbers_of(suggested, b->name);
    const char *shown = now ? now : other ? other : b->example;
    const size_t size = strcspn(shown, "@");
    sv_text numbers = {0};
    sv_bytes(&numbers, shown, size);
    add_radio(out, b->name, b->title, now != NULL);
    sv_html(out,
            "<div class=\"fields small\"><div class=\"field\"><label for=\"b-%s\">%s</label><input "
            "id=\"b-%s\" name=\"%s\" value=\"%s\" aria-describedby=\"h-%s\" autocomplete=\"off\">"
            "</div>",
            b->name, b->label, b->name, b->name, numbers.bytes, b->name);
    if (b == builders)
        sv_html(out,
                "<div class=\"field\"><label for=\"b-origin\">Starting at</label><input "
                "id=\"b-origin\" name=\"origin\" value=\"%s\" placeholder=\"0\" "
                "autocomplete=\"off\"></div>",
                shown[size] ? shown + size + 1 : "");
    sv_html(out, "</div><p class=\"hint\" id=\"h-%s\">%s</p></div>", b->name, b->hint);
    sv_text_free(&numbers);
}

static bool has_part(const char *list, const char *part) {
    const size_t n = strlen(part);
    for (const char *at = list; at && *at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, part, n) == 0 && (at[n] == ',' || !at[n]))
            return true;
    }
    return false;
}

static void add_dates(sv_text *out, const char *spec) {
    const char *const *parts = sv_date_parts;
    const char *now = numbers_of(spec, "date"), *list = now ? now : "month,year";
    add_radio(out, "date", "Parts of dates", now != NULL);
    sv_raw(out, "<fieldset class=\"inner\"><legend class=\"off\">Parts of dates</legend><div "
                "class=\"choices\">");
    for (size_t i = 0; i < SV_N_DATE_PARTS; i++)
        sv_html(out,
                "<label><input type=\"checkbox\" name=\"date-part\" value=\"%s\"%s> <span>%s</span>"
                "</label>",
                parts[i], has_part(list, parts[i]) ? " checked" : "",
                strcmp(parts[i], "half") == 0         ? "half-year"
                : strcmp(parts[i], "five-years") == 0 ? "five years"
                                                      : parts[i]);
    sv_raw(out, "</div></fieldset><p class=\"hint\">Week only, or some of the others: a date "
                "becomes its month, then its year.</p></div>");
}

/* How old somebody was on a day. */
static void add_ages(sv_text *out, const char *spec, const json_t *column) {
    const char *now = numbers_of(spec, "age"), *shown = now ? now : "1,5,10";
    const size_t size = strcspn(shown, "@");
    char day[16];
    sv_text years = {0};
    sv_bytes(&years, shown, size);
    if (shown[size])
        snprintf(day, sizeof day, "%s", shown + size + 1);
    else
        sv_day_of_ages(column, day);
    add_radio(out, "age", "Age on a day", now != NULL);
    sv_html(
        out,
        "<div class=\"fields small\"><div class=\"field\"><label for=\"b-age\">Steps in years, "
        "each dividing the next</label><input id=\"b-age\" name=\"age\" value=\"%s\" "
        "aria-describedby=\"h-age\" autocomplete=\"off\"></div><div class=\"field\"><label "
        "for=\"b-day\">On</label><input type=\"date\" id=\"b-day\" name=\"day\" "
        "value=\"%s\"></div></div><p class=\"hint\" id=\"h-age\">Of dates of birth: 1,5,10 makes "
        "the age in years, then steps of five, then of ten. No date may lie behind the day.</p>"
        "</div>",
        years.bytes, day);
    sv_text_free(&years);
}

/* Text exactly as it is: what a browser sends back must be what was there. */
static void add_exactly(sv_text *out, const char *text) {
    sv_raw(out, "\n"); /* the first line break of a textarea is not part of it */
    for (; *text; text++)
        if (*text == '&')
            sv_raw(out, "&amp;");
        else if (*text == '<')
            sv_raw(out, "&lt;");
        else if (*text == '>')
            sv_raw(out, "&gt;");
        else
            sv_bytes(out, text, 1);
}

static void add_tree(sv_text *out, const char *spec, const char *tree) {
    const bool is_tree = strcmp(spec, SV_DRAFT_TREE) == 0 || sv_spec_is_tree(spec);
    add_radio(out, SV_DRAFT_TREE, "Your own tree", is_tree);
    sv_raw(out,
           "<p><button class=\"plain\" name=\"action\" value=\"tree-now\">Start with the hierarchy "
           "as it is now</button> <button class=\"plain\" name=\"action\" "
           "value=\"tree-values\">Start with only the values</button></p><div "
           "class=\"field\"><label for=\"tree\">The tree: one label per line, what belongs to it "
           "below and indented, the values innermost</label><textarea id=\"tree\" name=\"tree\" "
           "rows=\"16\" spellcheck=\"false\" wrap=\"off\" dir=\"auto\" class=\"code\">");
    add_exactly(out, tree ? tree : "");
    sv_raw(out, "</textarea></div><div id=\"tree-editor\"></div></div>");
}

void sv_builder_form(const sv_request *request, sv_text *out, const sv_quasi *quasi,
                     const char *spec, const char *tree) {
    const char *suggested = sv_json_text(json_object_get(quasi->column, "role"), "hierarchy");
    sv_html(out,
            "<form method=\"post\" action=\"/p/%s/hierarchies/%zu\" id=\"builder\" "
            "data-preview=\"/p/%s/hierarchies/%zu/preview\">",
            request->project->name, quasi->number, request->project->name, quasi->number);
    sv_raw(out, "<section><h2>How its values become coarser</h2><fieldset class=\"plain\"><legend "
                "class=\"off\">How its values become coarser</legend>");
    for (size_t i = 0; i < N_BUILDERS; i++) {
        if (i == 2) {
            add_dates(out, spec);
            add_ages(out, spec, quasi->column);
        }
        add_numbered(out, &builders[i], spec, suggested);
    }
    add_radio(out, "suppress", "The value itself, or nothing",
              !*spec || strcmp(spec, "suppress") == 0);
    sv_raw(out, "</div>");
    if (sv_spec_is_file(quasi->spec) && !sv_spec_is_tree(quasi->spec)) {
        add_radio(out, "file", "The file that you uploaded", strcmp(spec, quasi->spec) == 0);
        sv_raw(out, "</div>");
    }
    add_tree(out, spec, tree);
    sv_html(out,
            "</fieldset><p class=\"sticky\"><button name=\"action\" value=\"save\">Save</button> "
            "<button class=\"plain\" formaction=\"/p/%s/hierarchies/%zu/preview\" name=\"action\" "
            "value=\"preview\">Preview</button></p></section></form>",
            request->project->name, quasi->number);
}
