/* One column of the table, on a card: its values as bars, and what part it might play. */
#include <string.h>

#include "hierarchy_parts.h"
#include "table_parts.h"
#include "values.h"

/* A role of the settings, or a suggestion of the profile. */
const char *sv_role_words(const char *role) {
    const kan_setting *setting = NULL;
    if (role && strcmp(role, "quasi-identifier") == 0)
        role = "qi";
    for (size_t i = 0; role && !setting && kan_setting_role_at("anonymize", i); i++)
        if (strcmp(role, kan_setting_role_at("anonymize", i)) == 0)
            setting = kan_setting_find(role);
    return setting && setting->words ? setting->words : "undecided";
}

static void add_counts(sv_text *out, const json_t *column) {
    const uint64_t missing = sv_json_count(column, "missing"),
                   once = sv_json_count(column, "unique");
    sv_html(out, "<p class=\"soft\">%s, ", sv_json_text(column, "type"));
    sv_count_of(out, sv_json_count(column, "distinct"), "value", "different values");
    if (once > 0) {
        sv_raw(out, ", ");
        sv_count(out, once);
        sv_raw(out, " of them once");
    }
    if (missing > 0) {
        sv_raw(out, ", missing in ");
        sv_count_of(out, missing, "row", "rows");
    }
    sv_raw(out, "</p>");
}

static void add_range(sv_text *out, const json_t *column) {
    const json_t *range = json_object_get(column, "range"), *bins = json_object_get(column, "bins");
    if (!json_is_array(bins))
        return;
    sv_bins(out, bins, "How the rows are spread between the least and the greatest value");
    if (!json_is_object(range))
        return;
    sv_raw(out, "<p class=\"range\"><span>");
    sv_value(out, sv_json_text(range, "least"));
    sv_raw(out, "</span><span>median ");
    sv_value(out, sv_json_text(range, "median"));
    sv_raw(out, "</span><span>");
    sv_value(out, sv_json_text(range, "greatest"));
    sv_raw(out, "</span></p>");
}

static void add_top(sv_text *out, const json_t *column) {
    enum { MOST = 5 };
    const json_t *top = json_object_get(column, "top");
    const size_t n = json_array_size(top);
    if (n == 0)
        return;
    sv_raw(out, "<table class=\"top\"><caption>Most frequent</caption><tbody>");
    for (size_t i = 0; i < n && i < MOST; i++) {
        const json_t *value = json_array_get(top, i);
        const double share = sv_json_real(value, "share");
        sv_raw(out, "<tr><th scope=\"row\" class=\"v\">");
        sv_value(out, sv_json_text(value, "value"));
        sv_raw(out, "</th><td class=\"n\">");
        sv_share(out, share);
        sv_raw(out, "</td><td class=\"bars\">");
        sv_bar(out, share);
        sv_raw(out, "</td></tr>");
    }
    sv_raw(out, "</tbody></table>");
}

static void add_role(sv_text *out, const json_t *column) {
    const json_t *role = json_object_get(column, "role");
    const char *suggested = sv_json_text(role, "suggestion");
    sv_html(out, "<p><strong>Suggested: %s</strong>", sv_role_words(suggested));
    if (strcmp(sv_json_text(role, "certainty"), "perhaps") == 0 &&
        strcmp(suggested, "undecided") != 0)
        sv_raw(out, " (perhaps)");
    sv_html(out, "<br>%s", sv_json_text(role, "reason"));
    if (*sv_json_text(role, "hierarchy")) {
        sv_raw(out, "<br>How it could be made coarser: ");
        sv_spec_words(out, sv_json_text(role, "hierarchy"));
    }
    sv_raw(out, "</p>");
}

/* How the column is written, where that is worth a word. */
static void add_convention(sv_text *out, const json_t *profile, const char *name) {
    const json_t *found = json_object_get(json_object_get(profile, "conventions"), "columns");
    for (size_t i = 0; i < json_array_size(found); i++) {
        const json_t *way = json_array_get(found, i);
        if (strcmp(sv_json_text(way, "name"), name) != 0)
            continue;
        sv_raw(out, "<p class=\"note\">How it is written");
        sv_way_words(out, way);
        sv_raw(out, ". <a href=\"#ways\">Change it</a></p>");
    }
}

void sv_table_card(sv_text *out, const json_t *profile, const json_t *column) {
    const char *name = sv_json_text(column, "name");
    sv_raw(out, "<article class=\"card\"><h3>");
    sv_value(out, name);
    sv_raw(out, "</h3>");
    add_counts(out, column);
    add_range(out, column);
    add_top(out, column);
    add_role(out, column);
    add_convention(out, profile, name);
    sv_raw(out, "</article>");
}
