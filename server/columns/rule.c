/* What the rule that the job names (`rules`) found in the columns, as the profile has it: what it does not
 * allow, what is for a person to decide, and what was not checked. */
#include <string.h>

#include "columns.h"

static void add_list(sv_text *out, const json_t *columns, const char *verdict, const char *title) {
    bool is_begun = false;
    for (size_t i = 0; i < json_array_size(columns); i++) {
        const json_t *column = json_array_get(columns, i);
        if (strcmp(sv_json_text(column, "verdict"), verdict) != 0)
            continue;
        if (!is_begun)
            sv_html(out, "<h3>%s</h3><ul>\n", title);
        is_begun = true;
        sv_html(out, "<li><strong>%s</strong>: %s</li>\n", sv_json_text(column, "name"),
                sv_json_text(column, "reason"));
    }
    if (is_begun)
        sv_raw(out, "</ul>\n");
}

void sv_columns_rule(sv_text *out, const json_t *profile) {
    const json_t *found = json_object_get(profile, "rules");
    const json_t *columns = json_object_get(found, "columns");
    if (!json_is_object(found))
        return;
    sv_html(out, "<section id=\"rule\"><h2>%s</h2>\n",
            sv_json_text(json_object_get(found, "rule"), "title"));
    add_list(out, columns, "found", "What the rule does not allow");
    add_list(out, columns, "undecided", "For you to decide");
    if (strcmp(sv_json_text(found, "status"), "satisfied") == 0)
        sv_raw(out, "<p>Every column is clear.</p>");
    sv_html(out,
            "<p class=\"note\">%s. <a href=\"/manual/rules.html\">What is looked for</a></p>"
            "</section>\n",
            sv_json_text(found, "says"));
}
