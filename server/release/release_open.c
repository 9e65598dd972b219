/* What the promise of a release does not cover, of what its result knows: sensitive columns without
 * protection or nearly known, rows that are alone by what is kept. It decides the colour of the
 * release, as it does that of its report. */
#include <string.h>

#include "release.h"

/* Released as it is, though no model looks at it. */
static bool is_kept(const json_t *column) {
    const char *role = sv_json_text(column, "role");
    return strcmp(sv_json_text(column, "became"), "unchanged") == 0 &&
           strcmp(role, "quasi-identifier") != 0 && strcmp(role, "sensitive") != 0;
}

static size_t count_kept(const json_t *result) {
    const json_t *column;
    size_t i, n = 0;
    json_array_foreach(json_object_get(result, "columns"), i, column) n += is_kept(column);
    return n;
}

/* Whether somebody is alone by what is kept, or nobody counted. */
static bool singles_out(const json_t *result) {
    return count_kept(result) > 0 &&
           (!json_is_integer(json_object_get(result, "kept_together")) ||
            sv_json_count(result, "kept_together") > sv_json_count(result, "alone"));
}

static const json_t *sensitive_of(const json_t *result) {
    return json_object_get(json_object_get(result, "report"), "sensitive");
}

/* --per-column: no row is promised anything. */
static bool is_by_column(const json_t *result) {
    return json_is_object(json_object_get(result, "per_column"));
}

static void put_by_column(sv_text *out, const json_t *result) {
    const json_t *found = json_object_get(result, "per_column");
    if (!is_by_column(result))
        return;
    sv_raw(out, "<li><strong>Rows are not hidden in a crowd</strong>: each column was grouped by "
                "itself, and ");
    sv_figure(out, sv_number(found, "alone"), false);
    sv_raw(out, " rows are unique by all of them together.</li>\n");
}

bool sv_release_is_open(const json_t *result) {
    const json_t *one;
    size_t i;
    json_array_foreach(sensitive_of(result), i,
                       one) if (json_is_true(json_object_get(one, "open"))) return true;
    return json_array_size(json_object_get(result, "unprotected")) > 0 || singles_out(result) ||
           is_by_column(result);
}

static bool is_listed(const json_t *names, const char *name) {
    const json_t *one;
    size_t i;
    json_array_foreach(names, i, one) if (json_is_string(one) &&
                                          strcmp(json_string_value(one), name) == 0) return true;
    return false;
}

static void put_sure(sv_text *out, const json_t *one) {
    if (!json_is_number(json_object_get(one, "confidence")))
        return;
    sv_raw(out, "Whoever knows in which group a person is can be up to <strong>");
    sv_share(out, sv_json_real(one, "confidence"));
    sv_raw(out, "</strong> sure of it.");
}

static const json_t *figures_of(const json_t *result, const char *column) {
    const json_t *one;
    size_t i;
    json_array_foreach(sensitive_of(result), i,
                       one) if (strcmp(sv_json_text(one, "column"), column) == 0) return one;
    return NULL;
}

/* `one`: its figures; NULL: none were made. */
static void put_column(sv_text *out, const char *name, const json_t *one, const char *words) {
    sv_raw(out, "<li><strong class=\"open\">");
    sv_value(out, name);
    sv_html(out, "</strong> is sensitive, and %s. ", words);
    put_sure(out, one);
    sv_raw(out, "</li>\n");
}

/* Columns that nothing is promised about; and those that are nearly known all the same. */
static void put_sensitive(sv_text *out, const json_t *result) {
    const json_t *names = json_object_get(result, "unprotected"), *one;
    size_t i;
    json_array_foreach(names, i, one) if (json_is_string(one))
        put_column(out, json_string_value(one), figures_of(result, json_string_value(one)),
                   "released without protection: the size of groups does not protect it; a promise "
                   "of l, alpha or t would");
    json_array_foreach(sensitive_of(result), i, one) {
        const char *name = sv_json_text(one, "column");
        if (json_is_true(json_object_get(one, "open")) && !is_listed(names, name))
            put_column(out, name, one, "nearly known, though the promise holds");
    }
}

static void put_kept(sv_text *out, const json_t *result) {
    const json_t *column;
    size_t i, n = 0;
    if (!singles_out(result))
        return;
    sv_raw(out, "<li><strong class=\"open\">");
    json_array_foreach(json_object_get(result, "columns"), i, column) {
        if (!is_kept(column))
            continue;
        sv_raw(out, n++ ? ", " : "");
        sv_value(out, sv_json_text(column, "name"));
    }
    sv_html(out, "</strong> %s kept as in the table. ", n == 1 ? "is" : "are");
    if (json_is_integer(json_object_get(result, "kept_together"))) {
        sv_raw(out,
               "Whoever knows that in addition to the quasi-identifiers can single out <strong>");
        sv_count_of(out, sv_json_count(result, "kept_together"), "released row", "released rows");
        sv_raw(out, "</strong>");
        if (sv_json_count(result, "alone") > 0) {
            sv_raw(out, ", ");
            sv_count(out, sv_json_count(result, "alone"));
            sv_raw(out, " of them without it");
        }
        sv_raw(out, ".");
    } else {
        sv_raw(out, "How many rows that singles out was not counted.");
    }
    sv_raw(out, "</li>\n");
}

void sv_release_put_open(sv_text *out, const json_t *result) {
    if (!sv_release_is_open(result))
        return;
    sv_raw(out, "<p><strong>What it does not cover:</strong></p><ul>\n");
    put_by_column(out, result);
    put_sensitive(out, result);
    put_kept(out, result);
    sv_raw(out, "</ul>\n");
}
