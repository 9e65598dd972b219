/* Tables of what can still be done with a release. */
#include <math.h>
#include <string.h>

#include "utility.h"

static void begin_table(sv_text *out, const char *title) {
    sv_html(out,
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table>"
            "<thead><tr>",
            title);
}

static void put_head(sv_text *out, const char *words, bool is_number) {
    sv_raw(out, is_number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
    sv_html(out, "%s</th>", words);
}

static void end_head(sv_text *out) {
    sv_raw(out, "</tr></thead><tbody>\n");
}

static void end_table(sv_text *out) {
    sv_raw(out, "</tbody></table></div>\n");
}

/* A dash for what is not there. */
static void put_number(sv_text *out, double value, int digits) {
    char room[40] = "–";
    if (isfinite(value))
        snprintf(room, sizeof room, "%.*g", digits, value == 0 ? 0 : value);
    sv_html(out, "<td class=\"n\">%s</td>", room);
}

static void put_share(sv_text *out, const json_t *object, const char *key) {
    const double share = sv_number(object, key);
    sv_raw(out, "<td class=\"n\">");
    if (isfinite(share))
        sv_share(out, share);
    else
        sv_raw(out, "–");
    sv_raw(out, "</td>");
}

/* ---- columns --------------------------------------------------------------------------------- */

static void put_column(sv_text *out, const json_t *column) {
    const json_t *cells = json_object_get(column, "cells"),
                 *numbers = json_object_get(column, "numbers");
    sv_raw(out, "<tr><th scope=\"row\">");
    sv_value(out, sv_json_text(column, "name"));
    sv_raw(out, "</th>");
    put_share(out, cells, "exact");
    put_share(out, cells, "coarser");
    put_share(out, cells, "hidden");
    put_share(out, json_object_get(column, "even"), "total_variation");
    put_share(out, json_object_get(column, "by_shares"), "total_variation");
    put_number(out, sv_number(json_object_get(numbers, "original"), "mean"), 6);
    put_number(out, sv_number(json_object_get(numbers, "release"), "mean"), 6);
    sv_raw(out, "</tr>\n");
}

void sv_utility_put_columns(sv_text *out, const json_t *columns) {
    static const char *const heads[] = {"as it was",     "coarser",     "hidden",    "moved",
                                        "moved at best", "mean before", "mean after"};
    const json_t *column;
    size_t i;
    begin_table(out, "Columns");
    put_head(out, "column", false);
    for (i = 0; i < sizeof heads / sizeof *heads; i++)
        put_head(out, heads[i], true);
    end_head(out);
    json_array_foreach(columns, i, column) put_column(out, column);
    end_table(out);
    sv_raw(out, "<p><small><em>Moved</em>: the share of rows that would have to change their value "
                "for the column to be as it was, where a coarser value is spread evenly over what "
                "it stands for; <em>at best</em>, where it is spread as the table is. Means take "
                "the middle of what a cell covers.</small></p>\n");
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static void put_two(sv_text *out, const json_t *two, const char *between) {
    const json_t *first = json_array_get(two, 0), *second = json_array_get(two, 1);
    sv_value(out, json_is_string(first) ? json_string_value(first) : "");
    sv_raw(out, between);
    sv_value(out, json_is_string(second) ? json_string_value(second) : "");
}

void sv_utility_put_pairs(sv_text *out, const json_t *changed) {
    const json_t *pair;
    size_t i;
    if (json_array_size(changed) == 0)
        return;
    sv_raw(out, "<h3>Pairs of columns that moved most</h3>\n");
    begin_table(out, "Pairs of columns");
    put_head(out, "columns", false);
    put_head(out, "moved", true);
    put_head(out, "most of all", false);
    put_head(out, "rows before", true);
    put_head(out, "after", true);
    end_head(out);
    json_array_foreach(changed, i, pair) {
        sv_raw(out, "<tr><th scope=\"row\">");
        put_two(out, json_object_get(pair, "columns"), " and ");
        sv_raw(out, "</th>");
        put_share(out, pair, "total_variation");
        sv_raw(out, "<td>");
        put_two(out, json_object_get(pair, "classes"), ", ");
        sv_raw(out, "</td>");
        put_share(out, pair, "original");
        put_share(out, pair, "release");
        sv_raw(out, "</tr>\n");
    }
    end_table(out);
}

/* ---- models ---------------------------------------------------------------------------------- */

static void put_kept(sv_text *out, const json_t *coefficient, const char *key) {
    const json_t *is_kept = json_object_get(coefficient, key);
    sv_html(out, "<td>%s</td>",
            json_is_true(is_kept)    ? "kept"
            : json_is_false(is_kept) ? "lost"
                                     : "–");
}

static void put_coefficient(sv_text *out, const json_t *coefficient) {
    const json_t *before = json_object_get(coefficient, "original"),
                 *after = json_object_get(coefficient, "release");
    const char *column = sv_json_text(coefficient, "column"),
               *value = sv_json_text(coefficient, "value");
    sv_raw(out, "<tr><th scope=\"row\">");
    if (*column)
        sv_value(out, column);
    else
        sv_raw(out, "(constant)");
    if (*value) {
        sv_raw(out, ": ");
        sv_value(out, value);
    }
    sv_raw(out, "</th>");
    put_number(out, sv_number(before, "value"), 5);
    put_number(out, sv_number(before, "error"), 5);
    put_number(out, sv_number(after, "value"), 5);
    put_number(out, sv_number(after, "error"), 5);
    put_number(out, sv_number(coefficient, "overlap"), 3);
    put_kept(out, coefficient, "same_sign");
    put_kept(out, coefficient, "same_significance");
    sv_raw(out, "</tr>\n");
}

void sv_utility_put_regression(sv_text *out, const json_t *regression) {
    static const char *const heads[] = {"table", "error", "release", "error", "overlap"};
    const json_t *coefficient;
    size_t i;
    begin_table(out, "Coefficients");
    put_head(out, "coefficient", false);
    for (i = 0; i < sizeof heads / sizeof *heads; i++)
        put_head(out, heads[i], true);
    put_head(out, "sign", false);
    put_head(out, "significance", false);
    end_head(out);
    json_array_foreach(json_object_get(regression, "coefficients"), i, coefficient)
        put_coefficient(out, coefficient);
    end_table(out);
}

void sv_utility_put_class(sv_text *out, const json_t *classification) {
    const json_t *learner;
    size_t i;
    begin_table(out, "Predictions");
    put_head(out, "learnt by", false);
    put_head(out, "from the table: right", true);
    put_head(out, "AUC", true);
    put_head(out, "from the release: right", true);
    put_head(out, "AUC", true);
    end_head(out);
    json_array_foreach(json_object_get(classification, "classifiers"), i, learner) {
        const json_t *before = json_object_get(learner, "original"),
                     *after = json_object_get(learner, "release");
        sv_html(out, "<tr><th scope=\"row\">%s</th>", sv_json_text(learner, "name"));
        put_share(out, before, "accuracy");
        put_number(out, sv_number(before, "auc"), 4);
        put_share(out, after, "accuracy");
        put_number(out, sv_number(after, "auc"), 4);
        sv_raw(out, "</tr>\n");
    }
    end_table(out);
}
