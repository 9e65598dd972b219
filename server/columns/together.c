/* What the roles that are chosen mean: which combinations that single people out are still together in a
 * release, and what speaks against the role of a column. */
#include <stdlib.h>
#include <string.h>

#include "columns.h"

/* What becomes of a combination by the roles of its columns. */
typedef enum { COARSER, APART, KNOWN, KEPT, N_FATES } fate;

enum { MOST_SHOWN = 5 };

static bool is_role(const char *role, const char *name) {
    return strcmp(role, name) == 0;
}

static fate fate_of(const json_t *names, const json_t *places, const char *const *roles) {
    const json_t *name;
    size_t i;
    fate worst = COARSER;
    json_array_foreach(names, i, name) {
        const char *text = json_string_value(name);
        const json_t *place = text ? json_object_get(places, text) : NULL;
        const char *role = place ? roles[json_integer_value(place)] : "";
        if (is_role(role, "keep"))
            worst = KEPT;
        else if (is_role(role, "sensitive"))
            worst = worst == KEPT ? KEPT : KNOWN;
        else if (!is_role(role, "qi"))
            return APART;
    }
    return worst;
}

static void add_names(sv_text *out, const json_t *set) {
    const json_t *names = json_object_get(set, "columns"), *name;
    size_t i;
    sv_raw(out, "<li>");
    json_array_foreach(names, i, name) {
        sv_raw(out, i > 0 ? ", " : "");
        sv_value(out, json_string_value(name) ? json_string_value(name) : "");
    }
    sv_raw(out, ": ");
    sv_share(out, sv_json_real(set, "unique_share"));
    sv_raw(out, " of the rows alone</li>");
}

static int by_share(const void *a, const void *b) {
    const uint64_t x = sv_json_count(*(const json_t *const *)a, "unique_rows"),
                   y = sv_json_count(*(const json_t *const *)b, "unique_rows");
    return x != y ? (x > y ? -1 : 1) : 0;
}

static void add_worst(sv_text *out, const json_t **sets, size_t n) {
    if (n > 1)
        qsort(sets, n, sizeof *sets, by_share);
    sv_raw(out, "<ul>");
    for (size_t i = 0; i < n && i < MOST_SHOWN; i++)
        add_names(out, sets[i]);
    sv_raw(out, "</ul>");
}

static void add_fates(sv_text *out, const size_t counts[N_FATES], const json_t **kept) {
    static const char *const words[N_FATES] = {
        [COARSER] = "made coarser until nobody is alone by them",
        [APART] = "not together in the release: a column is left out",
        [KNOWN] = "safe only if nobody knows the sensitive column in them",
        [KEPT] = "open: a column in them is kept unchanged, and nothing protects it"};
    sv_raw(out, "<ul>");
    for (int i = 0; i < N_FATES; i++)
        if (counts[i] > 0) {
            sv_raw(out, i == KEPT ? "<li><strong>" : "<li>");
            sv_count(out, counts[i]);
            sv_html(out, " %s", words[i]);
            if (i == KEPT) {
                sv_raw(out, "</strong>");
                add_worst(out, kept, counts[KEPT]);
            }
            sv_raw(out, "</li>");
        }
    sv_raw(out, "</ul>");
}

/* Names of columns to their places. */
static json_t *places_of(const json_t *columns) {
    json_t *places = json_object();
    for (size_t i = 0; places && i < json_array_size(columns); i++)
        json_object_set_new(places, sv_json_text(json_array_get(columns, i), "name"),
                            json_integer((json_int_t)i));
    return places;
}

void sv_columns_together(sv_text *out, const json_t *profile, const char *const *roles) {
    const json_t *list = json_object_get(json_object_get(profile, "combinations"), "list"), *set;
    json_t *places = places_of(sv_profile_columns(profile));
    const size_t n = json_array_size(list);
    const json_t **kept = calloc(n ? n : 1, sizeof *kept);
    size_t counts[N_FATES] = {0}, i, all = 0;
    json_array_foreach(list, i, set) {
        if (!json_is_true(json_object_get(set, "minimal")) || !kept)
            continue;
        const fate its = fate_of(json_object_get(set, "columns"), places, roles);
        if (its == KEPT)
            kept[counts[KEPT]] = set;
        counts[its]++;
        all++;
    }
    sv_html(out, "<div id=\"together\" data-live class=\"verdict%s\"><div>",
            counts[KEPT] + counts[KNOWN] > 0 ? " open" : "");
    if (all == 0) {
        sv_raw(out, "<p>No combination of columns singles out many people.</p>");
    } else {
        sv_raw(out, "<p><strong>By the roles that are chosen now</strong>, of ");
        sv_count_of(out, all, "combination that singles people out",
                    "combinations that single people out");
        sv_raw(out, ":</p>");
        add_fates(out, counts, kept);
    }
    sv_raw(out, "</div></div>");
    free(kept);
    json_decref(places);
}

/* ---- one column ----------------------------------------------------------------------------- */

static const char *doubt_of(const json_t *column, const char *role) {
    const json_t *its = json_object_get(column, "role");
    const char *suggested = sv_json_text(its, "suggestion");
    const bool is_alone =
        sv_json_count(its, "alone_by_it") > 0 || sv_json_count(column, "unique") > 0;
    if (is_role(role, "qi") && is_role(suggested, "sensitive"))
        return "Who outside could know this about a person? If nobody can, it is sensitive: what "
               "nobody knows finds nobody, and making it coarser costs the release.";
    if (is_role(role, "qi") && is_role(suggested, "id"))
        return "It names people directly: made coarser, little is left of it. Leave it out.";
    if (is_role(role, "sensitive") && is_role(suggested, "id"))
        return "It looks like a name or number, and a sensitive column is released as it is.";
    if (is_role(role, "sensitive") && is_role(suggested, "quasi-identifier"))
        return "It looks like something that others know: then it finds people, and it is released "
               "as it is.";
    if (!is_role(role, "keep"))
        return NULL;
    if (is_role(suggested, "quasi-identifier") || is_role(suggested, "id"))
        return "It looks like something that others know or can look up. Kept, nothing protects "
               "it: whoever knows it may find the row.";
    return is_alone
               ? "It singles people out: some rows are alone by it, and kept, nothing protects "
                 "it. Round or cap it, make it a quasi-identifier, or leave it out."
               : NULL;
}

void sv_column_doubt(sv_text *out, const json_t *column, size_t number, const char *role) {
    const char *doubt = doubt_of(column, role);
    sv_html(out, "<div id=\"doubt-%zu\" data-live>", number);
    if (doubt)
        sv_html(out, "<p class=\"note careful\">%s</p>", doubt);
    sv_raw(out, "</div>");
}
