/* What the promise leaves open in this release, of what is known: sensitive columns that nothing is
 * promised about, or that somebody can be nearly sure of, and rows that are alone by columns that are
 * kept. It decides the colour of the page, and stands at its top. */
#include <string.h>

#include "report/report_page.h"

/* ---- sensitive columns ---------------------------------------------------------------------- */

static bool is_open_sensitive(const kan_page *page, size_t i) {
    return json_is_true(kan_page_find(page, "report.sensitive.%zu.open", i));
}

static bool is_listed(const json_t *names, const json_t *name) {
    for (size_t i = 0; i < json_array_size(names); i++)
        if (json_equal(json_array_get(names, i), name))
            return true;
    return false;
}

/* ---- kept columns --------------------------------------------------------------------------- */

bool kan_page_is_kept(const kan_page *page, size_t c) {
    const json_t *column = kan_page_find(page, "columns.%zu", c);
    const char *role = json_string_value(json_object_get(column, "role"));
    const char *became = json_string_value(json_object_get(column, "became"));
    return role && became && strcmp(became, "unchanged") == 0 &&
           strcmp(role, "quasi-identifier") != 0 && strcmp(role, "sensitive") != 0;
}

static size_t count_kept(const kan_page *page) {
    size_t n = 0;
    for (size_t c = 0; c < kan_page_size(page, "columns"); c++)
        n += kan_page_is_kept(page, c);
    return n;
}

/* Whether somebody is alone by what is kept, or nobody knows. */
static bool singles_out(const kan_page *page) {
    if (count_kept(page) == 0)
        return false;
    return !kan_page_has(page, "kept_together") ||
           kan_page_number(page, "kept_together") > kan_page_number(page, "alone");
}

static bool lists_open(const kan_page *page) {
    for (size_t i = 0; i < kan_page_size(page, "report.sensitive"); i++)
        if (is_open_sensitive(page, i))
            return true;
    return kan_page_size(page, "unprotected") > 0 || singles_out(page);
}

/* What rows by columns leave open stands among the promises. */
bool kan_page_is_open(const kan_page *page) {
    return lists_open(page) || kan_page_is_by_column(page);
}

/* ---- words ---------------------------------------------------------------------------------- */

static void add_sure(kan_page *page, size_t i) {
    kan_page_raw(page, "whoever knows in which group a person is can be up to <strong>");
    kan_page_percent(page, "report.sensitive.%zu.confidence", i);
    kan_page_raw(page, "</strong> sure of her ");
    kan_page_value(page, kan_page_find(page, "report.sensitive.%zu.column", i), KAN_PAGE_NAME);
}

/* Those that nothing is promised about, whether or not it was counted what they tell. */
static void add_unprotected(kan_page *page) {
    const json_t *names = kan_page_find(page, "unprotected");
    const size_t n = json_array_size(names);
    if (n == 0)
        return;
    kan_page_raw(page, "<li><strong class=\"open\">");
    kan_page_names(page, names, 6);
    kan_page_raw(page, n == 1 ? " is sensitive, and is released without protection</strong>"
                              : " are sensitive, and are released without protection</strong>");
    kan_page_raw(page, ": no promise looks at what the rows of a group share");
    for (size_t i = 0; i < kan_page_size(page, "report.sensitive"); i++)
        if (is_listed(names, kan_page_find(page, "report.sensitive.%zu.column", i)) &&
            kan_page_has(page, "report.sensitive.%zu.confidence", i)) {
            kan_page_raw(page, "; ");
            add_sure(page, i);
        }
    kan_page_raw(page, ".</li>\n");
}

static void add_nearly_sure(kan_page *page) {
    const json_t *names = kan_page_find(page, "unprotected");
    for (size_t i = 0; i < kan_page_size(page, "report.sensitive"); i++)
        if (is_open_sensitive(page, i) &&
            !is_listed(names, kan_page_find(page, "report.sensitive.%zu.column", i))) {
            kan_page_raw(page, "<li><strong class=\"open\">");
            kan_page_value(page, kan_page_find(page, "report.sensitive.%zu.column", i),
                           KAN_PAGE_NAME);
            kan_page_raw(page, " can almost be known</strong>, though the promise holds: ");
            add_sure(page, i);
            kan_page_raw(page, ".</li>\n");
        }
}

/* Names of what is kept. */
static void add_kept_names(kan_page *page) {
    enum { MOST_NAMED = 6 };
    const size_t n = count_kept(page);
    size_t n_named = 0;
    for (size_t c = 0; c < kan_page_size(page, "columns") && n_named < MOST_NAMED; c++) {
        if (!kan_page_is_kept(page, c))
            continue;
        kan_page_raw(page, n_named == 0 ? "" : n_named + 1 == n ? " and " : ", ");
        kan_page_value(page, kan_page_find(page, "columns.%zu.name", c), KAN_PAGE_NAME);
        n_named++;
    }
    if (n > n_named)
        kan_page_print(page, " and %zu more", n - n_named);
}

static void add_kept(kan_page *page) {
    if (!singles_out(page))
        return;
    kan_page_raw(page, "<li><strong class=\"open\">");
    add_kept_names(page);
    kan_page_raw(page, count_kept(page) == 1 ? " is kept</strong>: " : " are kept</strong>: ");
    if (!kan_page_has(page, "kept_together")) {
        kan_page_raw(page, "how many rows that singles out was not counted.</li>\n");
        return;
    }
    kan_page_raw(page, "whoever also knows that, besides the quasi-identifiers, can single out ");
    kan_page_counted(page, "released row", "released rows", "kept_together");
    if (kan_page_number(page, "alone") > 0) {
        kan_page_raw(page, "; ");
        kan_page_count(page, "alone");
        kan_page_raw(page, " even without it");
    }
    kan_page_raw(page, ".</li>\n");
}

void kan_page_add_open(kan_page *page) {
    if (!lists_open(page))
        return;
    kan_page_raw(page, "<p><strong>Not covered by it:</strong></p>\n<ul>\n");
    add_unprotected(page);
    add_nearly_sure(page);
    add_kept(page);
    kan_page_raw(page, "</ul>\n");
}

/* ---- in short ------------------------------------------------------------------------------- */

void kan_page_add_open_facts(kan_page *page) {
    for (size_t i = 0; i < kan_page_size(page, "report.sensitive"); i++) {
        if (!kan_page_has(page, "report.sensitive.%zu.confidence", i))
            continue;
        kan_page_print(page, "<div%s><dt>How sure somebody can be of ",
                       is_open_sensitive(page, i) ? " class=\"open\"" : "");
        kan_page_value(page, kan_page_find(page, "report.sensitive.%zu.column", i), KAN_PAGE_NAME);
        kan_page_raw(page, "</dt><dd>");
        kan_page_percent(page, "report.sensitive.%zu.confidence", i);
        kan_page_raw(page,
                     " <small>at most, for somebody who knows the group</small></dd></div>\n");
    }
    if (count_kept(page) == 0 || !kan_page_has(page, "kept_together"))
        return;
    kan_page_print(page, "<div%s><dt>Rows unique with what is kept</dt><dd>",
                   singles_out(page) ? " class=\"open\"" : "");
    kan_page_count(page, "kept_together");
    if (kan_page_number(page, "alone") > 0) {
        kan_page_raw(page, " <small>");
        kan_page_count(page, "alone");
        kan_page_raw(page, " of them even without it</small>");
    }
    kan_page_raw(page, "</dd></div>\n");
}
