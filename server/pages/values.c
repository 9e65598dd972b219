#include "values.h"

#include <string.h>

enum { MOST_SHOWN = 60, MOST_TITLE = 400 };

/* ---- values --------------------------------------------------------------------------------- */

/* The bytes of the first `most` characters. */
static size_t cut_at(const char *text, size_t most) {
    size_t at = 0, n = 0;
    for (; text[at]; at++) {
        const bool begins = ((unsigned char)text[at] & 0xC0) != 0x80;
        if (begins && n++ == most)
            break;
    }
    return at;
}

static void cut(sv_text *out, const char *value, size_t most) {
    const size_t size = cut_at(value, most);
    sv_bytes(out, value, size);
    if (value[size])
        sv_raw(out, "\xE2\x80\xA6");
}

void sv_value_cut(sv_text *out, const char *value) {
    cut(out, value, MOST_SHOWN);
}

static void add_cut(sv_text *out, const char *value, size_t most) {
    sv_text part = {0};
    cut(&part, value, most);
    sv_html(out, "%s", part.bytes);
    out->failed |= part.failed;
    sv_text_free(&part);
}

void sv_value_plain(sv_text *out, const char *value) {
    add_cut(out, value, MOST_SHOWN);
}

void sv_value(sv_text *out, const char *value) {
    if (!*value) {
        sv_raw(out, "<span class=\"soft\">(empty)</span>");
        return;
    }
    sv_raw(out, "<bdi");
    if (value[cut_at(value, MOST_SHOWN)]) {
        sv_raw(out, " title=\"");
        add_cut(out, value, MOST_TITLE);
        sv_raw(out, "\"");
    }
    sv_raw(out, ">");
    add_cut(out, value, MOST_SHOWN);
    sv_raw(out, "</bdi>");
}

/* ---- numbers -------------------------------------------------------------------------------- */

void sv_count_of(sv_text *out, uint64_t count, const char *one, const char *many) {
    sv_count(out, count);
    sv_html(out, " %s", count == 1 ? one : many);
}

void sv_share(sv_text *out, double share) {
    if (share > 0 && share < 0.0005)
        sv_html(out, "&lt; 0.1 %%");
    else if (share < 1 && share >= 0.9995)
        sv_html(out, "&gt; 99.9 %%");
    else
        sv_html(out, "%.1f %%", 100 * share);
}

void sv_bar(sv_text *out, double share) {
    const double width = share < 0 ? 0 : share > 1 ? 100 : 100 * share;
    sv_html(
        out,
        "<svg class=\"bar thin\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "
        "aria-hidden=\"true\" focusable=\"false\"><rect class=\"t\" width=\"100\" height=\"10\"/>"
        "<rect class=\"f\" width=\"%.2f\" height=\"10\"/></svg>",
        width);
}

void sv_bins(sv_text *out, const json_t *counts, const char *title) {
    const size_t n = json_array_size(counts);
    double most = 1;
    for (size_t i = 0; i < n; i++) {
        const double count = json_number_value(json_array_get(counts, i));
        most = count > most ? count : most;
    }
    sv_html(out,
            "<svg class=\"bins\" viewBox=\"0 0 %zu 40\" preserveAspectRatio=\"none\" role=\"img\" "
            "aria-label=\"%s\">",
            10 * n, title);
    for (size_t i = 0; i < n; i++) {
        const double count = json_number_value(json_array_get(counts, i));
        /* what is there at all can be seen */
        const double height = count > 0 ? 1 + 39 * count / most : 0;
        sv_html(out, "<rect class=\"f\" x=\"%zu\" y=\"%.2f\" width=\"9\" height=\"%.2f\"/>", 10 * i,
                40 - height, height);
    }
    sv_raw(out, "</svg>");
}

/* ---- JSON ----------------------------------------------------------------------------------- */

const char *sv_json_text(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

bool sv_json_is(const json_t *object, const char *key) {
    return json_is_true(json_object_get(object, key));
}

uint64_t sv_json_count(const json_t *object, const char *key) {
    const json_int_t count = json_integer_value(json_object_get(object, key));
    return count > 0 ? (uint64_t)count : 0;
}

double sv_json_real(const json_t *object, const char *key) {
    return json_number_value(json_object_get(object, key));
}

/* ---- the registry --------------------------------------------------------------------------- */

json_t *sv_registry(const sv_project *project) {
    const char *text = NULL;
    if (kan_list(project->run, true, &text) != KAN_OK)
        return NULL;
    return json_loads(text, 0, NULL);
}

bool sv_option_is_asked(const json_t *option) {
    return strcmp(sv_json_text(option, "type"), "path") != 0 &&
           !kan_setting_is_secret(kan_setting_find(sv_json_text(option, "name")));
}
