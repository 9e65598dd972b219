/* A hierarchy drawn: its levels, what each shows and how many rows have it, and its problems. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hierarchy_parts.h"
#include "values.h"

/* ---- levels --------------------------------------------------------------------------------- */

static void add_level_row(sv_text *out, const json_t *level, size_t at, size_t top,
                          uint64_t least) {
    const uint64_t smallest = sv_json_count(level, "smallest_rows");
    const json_t *first = json_array_get(json_object_get(level, "list"), 0);
    sv_raw(out, smallest < least ? "<tr class=\"open\">" : "<tr>");
    sv_html(out, "<th scope=\"row\">%zu%s</th><td class=\"n\">", at,
            at == 0     ? " (the values)"
            : at == top ? " (the top)"
                        : "");
    sv_count(out, sv_json_count(level, "labels"));
    sv_raw(out, "</td><td class=\"n\">");
    sv_count(out, smallest);
    sv_raw(out, "</td><td class=\"n\">");
    sv_count(out, sv_json_count(level, "largest_rows"));
    sv_raw(out, "</td><td class=\"v\">");
    if (first)
        sv_value(out, sv_json_text(first, "label"));
    sv_raw(out, "</td></tr>");
}

static void add_label(sv_text *out, const json_t *label, double most, uint64_t least) {
    const uint64_t rows = sv_json_count(label, "rows"), values = sv_json_count(label, "values");
    sv_raw(out, rows < least ? "<tr class=\"open\">" : "<tr>");
    sv_raw(out, "<th scope=\"row\" class=\"v\">");
    sv_value(out, sv_json_text(label, "label"));
    sv_raw(out, "</th><td class=\"n\">");
    sv_count(out, values);
    sv_raw(out, "</td><td class=\"n\">");
    sv_count(out, rows);
    sv_raw(out, "</td><td class=\"bars\">");
    sv_bar(out, most > 0 ? (double)rows / most : 0);
    sv_raw(out, "</td></tr>");
}

static void add_level_list(sv_text *out, const json_t *level, size_t at, uint64_t least,
                           bool is_open) {
    const json_t *list = json_object_get(level, "list");
    const uint64_t n = sv_json_count(level, "labels"), n_shown = json_array_size(list);
    const double most = sv_json_real(level, "largest_rows");
    sv_html(out, "<details%s><summary>Level %zu: ", is_open ? " open" : "", at);
    sv_count_of(out, n, "label", "labels");
    sv_html(out,
            "</summary><div class=\"scroll tall\" tabindex=\"0\" role=\"region\" "
            "aria-label=\"Labels of level %zu\"><table class=\"labels\"><thead><tr><th "
            "scope=\"col\">Label</th><th scope=\"col\" class=\"n\">Values</th><th scope=\"col\" "
            "class=\"n\">Rows</th><td></td></tr></thead><tbody data-level=\"%zu\">",
            at, at);
    for (size_t i = 0; i < n_shown; i++)
        add_label(out, json_array_get(list, i), most, least);
    sv_raw(out, "</tbody></table></div>");
    if (n_shown < n) {
        sv_raw(out, "<p class=\"soft\">And ");
        sv_count(out, n - n_shown);
        sv_raw(out, " more.</p>");
    }
    sv_raw(out, "</details>");
}

void sv_preview_levels(sv_text *out, const json_t *preview, uint64_t least) {
    const json_t *levels = json_object_get(preview, "levels");
    const size_t n = json_array_size(levels);
    bool is_marked = false;
    sv_raw(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                "aria-label=\"Levels\"><table><thead><tr><th scope=\"col\">Level</th><th "
                "scope=\"col\" class=\"n\">Labels</th><th scope=\"col\" class=\"n\">Rows of the "
                "rarest</th><th scope=\"col\" class=\"n\">Rows of the most frequent</th><th "
                "scope=\"col\">Example</th></tr></thead><tbody>");
    for (size_t i = 0; i < n; i++) {
        add_level_row(out, json_array_get(levels, i), i, n - 1, least);
        is_marked |= sv_json_count(json_array_get(levels, i), "smallest_rows") < least;
    }
    sv_raw(out, "</tbody></table></div>");
    if (is_marked)
        sv_html(out,
                "<p class=\"soft\">Marked: some label has fewer than %" PRIu64
                " rows, so this level alone does not protect everybody.</p>",
                least);
    for (size_t i = n; i-- > 0;)
        add_level_list(out, json_array_get(levels, i), i, least, n > 2 ? i + 2 == n : i == 0);
}

/* The label in whose list a label of the level below stands. */
static const json_t *parent_of(const json_t *levels, size_t level, const json_t *label) {
    const json_t *place = json_object_get(label, "parent");
    const json_t *list = json_object_get(json_array_get(levels, level + 1), "list");
    return json_is_integer(place) ? json_array_get(list, (size_t)json_integer_value(place)) : NULL;
}

/* What is missing shows nothing of a hierarchy. */
static bool is_telling(const json_t *label) {
    const char *text = sv_json_text(label, "label");
    return *text && strcmp(text, "?") != 0;
}

size_t sv_preview_example(const json_t *preview, const char **labels, size_t most) {
    const json_t *levels = json_object_get(preview, "levels");
    const json_t *list = json_object_get(json_array_get(levels, 0), "list");
    const json_t *label = NULL;
    size_t n = 0;
    /* the most frequent of those that are listed: nobody's own */
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *here = json_array_get(list, i);
        if (!label || (is_telling(here) && !is_telling(label)) ||
            (is_telling(here) == is_telling(label) &&
             sv_json_count(here, "rows") > sv_json_count(label, "rows")))
            label = here;
    }
    for (; label && n < most; n++) {
        labels[n] = sv_json_text(label, "label");
        label = parent_of(levels, n, label);
    }
    return n;
}

void sv_preview_path(sv_text *out, const json_t *preview) {
    enum { MOST = 66 };
    const char *labels[MOST];
    const size_t n = sv_preview_example(preview, labels, MOST);
    for (size_t level = 0; level < n; level++) {
        sv_raw(out, level > 0 ? " <span aria-hidden=\"true\">\xE2\x86\x92</span><span "
                                "class=\"off\"> becomes </span> "
                              : "");
        sv_value(out, labels[level]);
    }
}

void sv_preview_proposal(const sv_request *request, sv_text *out, const sv_quasi *quasi,
                         const json_t *preview) {
    const json_t *built = json_array_get(json_object_get(preview, "columns"), 0);
    const char *method = sv_json_text(built, "method");
    sv_raw(out, "<p>Nothing has been chosen yet.</p>");
    if (!sv_spec_is_builder(method))
        return;
    sv_raw(out, "<p>This would suit its values: ");
    sv_spec_words(out, method);
    sv_html(out,
            ".</p><form method=\"post\" action=\"/p/%s/hierarchies/%zu\"><input type=\"hidden\" "
            "name=\"spec\" value=\"%s\"><p><button name=\"action\" value=\"take\">Use this<span "
            "class=\"off\"> for column ",
            request->project->name, quasi->number, method);
    sv_value_plain(out, quasi->name);
    sv_raw(out, "</span></button></p></form>");
}

/* ---- problems ------------------------------------------------------------------------------- */

/* The number of a line that a message names, "FILE:12: ..."; 0: none. `*rest` is what follows. */
static unsigned long line_of(const char *message, const char **rest) {
    for (const char *at = strchr(message, ':'); at; at = strchr(at + 1, ':')) {
        char *end;
        const unsigned long line = strtoul(at + 1, &end, 10);
        if (end > at + 1 && end[0] == ':' && end[1] == ' ') {
            *rest = end + 2;
            return line;
        }
    }
    return 0;
}

static void add_line(sv_text *out, const char *text, unsigned long line) {
    sv_text copy = {0};
    for (unsigned long i = 1; text && i < line; i++) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    if (text) {
        sv_bytes(&copy, text, strcspn(text, "\r\n"));
        sv_raw(out, "<br><code>");
        sv_value(out, copy.bytes ? copy.bytes : "");
        sv_raw(out, "</code>");
    }
    sv_text_free(&copy);
}

/* A message without the name of the file, which is of no use to who sees the page. */
static void add_message(sv_text *out, const char *message, const char *text) {
    const char *rest = message;
    const unsigned long line = line_of(message, &rest);
    if (line == 0 &&
        (strncmp(message, "hierarchies/", 12) == 0 || strncmp(message, "work/", 5) == 0)) {
        const char *colon = strstr(message, ": ");
        rest = colon ? colon + 2 : message;
    }
    sv_html(out, "<li data-line=\"%lu\">", line);
    if (line > 0)
        sv_html(out, "<a href=\"#tree\">Line %lu</a>: ", line);
    sv_html(out, "%s", rest);
    if (line > 0)
        add_line(out, text, line);
    sv_raw(out, "</li>");
}

void sv_preview_problems(sv_text *out, const char *error, const char *text) {
    char *copy = strdup(error), *rest = NULL;
    sv_raw(out, "<div class=\"problems\" role=\"alert\"><h3>This does not work yet</h3><ul>");
    for (char *line = copy ? strtok_r(copy, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        add_message(out, line, text);
    sv_raw(out, "</ul></div>");
    out->failed |= !copy;
    free(copy);
}
