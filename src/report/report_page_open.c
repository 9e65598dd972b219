/* What stands at the top of the page for whoever signs. What the promise leaves open in this release,
 * of what is known: sensitive columns that nothing is promised about, or that somebody can be nearly
 * sure of, and rows that are alone by columns that are kept; it decides the colour of the page. And
 * the figures: how many are in the release and how many were left out, the smallest crowd beside what
 * was promised, the highest risk, and what is open. */
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
    kan_page_raw(page, "<h3>What is not covered</h3>\n<ul>\n");
    add_unprotected(page);
    add_nearly_sure(page);
    add_kept(page);
    kan_page_raw(page, "</ul>\n");
}

/* ---- figures of what is open ---------------------------------------------------------------- */

static void add_sure_fact(kan_page *page, size_t i) {
    kan_page_print(page, "<div%s><dt>How sure somebody can be of ",
                   is_open_sensitive(page, i) ? " class=\"open\"" : "");
    kan_page_value(page, kan_page_find(page, "report.sensitive.%zu.column", i), KAN_PAGE_NAME);
    kan_page_raw(page, "</dt><dd>");
    kan_page_percent(page, "report.sensitive.%zu.confidence", i);
    kan_page_raw(page, " <small>at most, for somebody who knows the group</small></dd></div>\n");
}

/* Open ones first. There is room for some: what is not promised names all. */
static void add_sure_facts(kan_page *page) {
    enum { MOST = 6 };
    const size_t n = kan_page_size(page, "report.sensitive");
    size_t n_told = 0;
    for (int is_open = 1; is_open >= 0; is_open--)
        for (size_t i = 0; i < n; i++)
            if (kan_page_has(page, "report.sensitive.%zu.confidence", i) &&
                is_open_sensitive(page, i) == (is_open != 0) && n_told++ < MOST)
                add_sure_fact(page, i);
    if (n_told > MOST)
        kan_page_print(page,
                       "<div><dt>Other sensitive columns</dt><dd>%zu <small>how sure somebody can "
                       "be of each: <a href=\"#limits\">what is not promised</a></small></dd>"
                       "</div>\n",
                       n_told - MOST);
}

static void add_open_facts(kan_page *page) {
    add_sure_facts(page);
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

/* ---- the figures of whoever signs ----------------------------------------------------------- */

static void begin_fact(kan_page *page, const char *name) {
    kan_page_print(page, "<div><dt>%s</dt><dd>", name);
}

static void end_fact(kan_page *page) {
    kan_page_raw(page, "</dd></div>\n");
}

static void add_count(kan_page *page, const char *name, const char *key) {
    begin_fact(page, name);
    kan_page_count(page, "%s", key);
    end_fact(page);
}

/* A number, and of how many it is where that may be told. */
static void add_part(kan_page *page, const char *name, const char *key, const char *all,
                     const char *words) {
    begin_fact(page, name);
    kan_page_count(page, "%s", key);
    if (all && kan_page_has(page, "%s", all)) {
        kan_page_raw(page, " <small>of ");
        kan_page_count(page, "%s", all);
        kan_page_print(page, " %s</small>", words);
    }
    end_fact(page);
}

/* How many were suppressed, the share, and the limit. */
static void add_suppressed(kan_page *page, const char *name, const char *count, const char *share) {
    begin_fact(page, name);
    kan_page_count(page, "%s", count);
    kan_page_raw(page, " <small>");
    if (kan_page_has(page, "%s", share)) {
        kan_page_percent(page, "%s", share);
        kan_page_raw(page, "; ");
    }
    kan_page_raw(page, "the limit is ");
    kan_page_count(page, "suppression.limit");
    kan_page_raw(page, "</small>");
    end_fact(page);
}

/* ---- how many ------------------------------------------------------------------------------- */

/* People instead of rows. By row, who has none but suppressed rows is not told of. */
static void add_people(kan_page *page) {
    const bool by_person = kan_page_is(page, "person.suppress_by", "person"),
               tells_people = by_person || kan_page_tells_all(page);
    if (kan_page_has(page, "report.people"))
        add_part(page, "People in the release", "report.people.released",
                 tells_people ? "person.people" : NULL, "in the table");
    else if (tells_people)
        add_count(page, "People in the table", "person.people");
    if (by_person)
        add_suppressed(page, "People suppressed", "person.suppressed", "report.people.share");
}

static void add_households(kan_page *page) {
    add_count(page, "Households in the table", "household.households");
    add_suppressed(page, "Households suppressed", "household.suppressed", "household.share");
}

static void add_rows(kan_page *page) {
    const bool hides_rows = kan_page_hides_rows(page);
    if (kan_page_has(page, "release"))
        add_part(page, "Rows released", "release.rows", hides_rows ? NULL : "input.rows", "read");
    else if (!hides_rows)
        add_count(page, "Rows read", "input.rows");
    if (hides_rows)
        return;
    if (kan_page_counts_people(page) && kan_page_is(page, "person.suppress_by", "person"))
        add_count(page, "Rows suppressed", "suppression.rows");
    else if (!kan_page_leaves_households(page))
        add_suppressed(page, "Rows suppressed", "suppression.rows", "report.suppressed_share");
}

/* ---- how well hidden ------------------------------------------------------------------------ */

/* How many cells are hidden, and how few it could be. */
static void add_hidden(kan_page *page) {
    add_count(page, "Cells hidden or missing", "matches.cells");
    if (!kan_page_has(page, "matches.hidden"))
        return;
    begin_fact(page, "Cells hidden of known values");
    kan_page_count(page, "matches.hidden");
    kan_page_raw(page, " <small>");
    if (kan_page_has(page, "matches.hidden_by_groups")) {
        kan_page_raw(page, "groups would hide ");
        kan_page_count(page, "matches.hidden_by_groups");
    }
    if (kan_page_has(page, "matches.least_hidden")) {
        kan_page_raw(page, kan_page_has(page, "matches.hidden_by_groups") ? "; fewer than "
                                                                          : "fewer than ");
        kan_page_count(page, "matches.least_hidden");
        kan_page_raw(page, " is impossible");
    }
    kan_page_raw(page, "</small>");
    end_fact(page);
}

static void add_highest(kan_page *page, const char *name) {
    if (!kan_page_has(page, "report.risk.released"))
        return;
    begin_fact(page, name);
    kan_page_percent(page, "report.risk.released.highest");
    end_fact(page);
}

static void add_matches(kan_page *page) {
    add_count(page, "Fewest people that a row matches", "matches.fewest_people");
    add_count(page, "Fewest rows that match a person", "matches.fewest_rows");
    add_count(page, "Rows of the smallest group", "solution.smallest_group");
    add_highest(page, "Highest risk of a person, by matching");
    add_hidden(page);
}

/* The smallest group, beside the size that was promised. */
static void add_smallest(kan_page *page, const char *name, const char *key) {
    begin_fact(page, name);
    kan_page_count(page, "%s", key);
    kan_page_raw(page, " <small>");
    for (size_t m = 0; m < kan_page_size(page, "privacy"); m++)
        if (kan_page_is_k(page, m)) {
            kan_page_raw(page, "promised: ");
            kan_page_count(page, "privacy.%zu.k", m);
            kan_page_raw(page, "; ");
            break;
        }
    kan_page_counted(page, "group in all", "groups in all", "solution.groups");
    kan_page_raw(page, "</small>");
    end_fact(page);
}

/* Sizes of groups, and the risk that follows. */
static void add_groups(kan_page *page) {
    const bool counts_people = kan_page_counts_people(page);
    if (kan_page_has_histories(page))
        add_count(page, "Groups", "solution.groups");
    else if (counts_people)
        add_smallest(page, "People of the smallest group", "person.fewest_in_group");
    else
        add_smallest(page, "Rows of the smallest group", "solution.smallest_group");
    add_highest(page, counts_people ? "Highest risk of a person" : "Highest risk of a row");
    if (kan_page_has_narrow_cells(page))
        add_count(page, "Cells that mean less than their label says", "narrow_cells");
}

void kan_page_add_facts(kan_page *page) {
    kan_page_raw(page, "<dl class=\"facts\" id=\"short\">\n");
    if (kan_page_counts_people(page))
        add_people(page);
    if (kan_page_leaves_households(page))
        add_households(page);
    add_rows(page);
    if (kan_page_has_matches(page))
        add_matches(page);
    else
        add_groups(page);
    add_open_facts(page);
    kan_page_raw(page, "</dl>\n");
}
