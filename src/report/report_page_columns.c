/* Columns: what was done to each, and how often its values occur before and after; then whom
 * suppression hits; on internal pages what can still be done with the release. */
#include <stdio.h>

#include "report/chart.h"
#include "report/report_page.h"

enum { MOST_COLUMNS = 80, MOST_VALUES = 100, TABLE_VALUES = 12 };

static bool is_change(const kan_page *page, size_t c, const char *text) {
    char key[64];
    snprintf(key, sizeof key, "report.columns.%zu.change", c);
    return kan_page_is(page, key, text);
}

static bool is_role(const kan_page *page, size_t c, const char *text) {
    char key[64];
    snprintf(key, sizeof key, "report.columns.%zu.role", c);
    return kan_page_is(page, key, text);
}

/* ---- what was done -------------------------------------------------------------------------- */

/* Whether released rows all show their own value, or all *: what `columns` says of a
 * quasi-identifier. Means are columns of their own, which it does not have. */
static bool became(const kan_page *page, size_t c, const char *what) {
    const json_t *name = kan_page_find(page, "report.columns.%zu.name", c);
    for (size_t i = 0; i < kan_page_size(page, "columns"); i++)
        if (json_equal(kan_page_find(page, "columns.%zu.name", i), name)) {
            char key[48];
            snprintf(key, sizeof key, "columns.%zu.became", i);
            return kan_page_is(page, key, what);
        }
    return false;
}

static bool is_middle(const kan_page *page, size_t c) {
    return is_change(page, c, "mean") || is_change(page, c, "median") || is_change(page, c, "mode");
}

static void add_change(kan_page *page, size_t c) {
    const bool is_removed = !is_middle(page, c) && became(page, c, "removed"),
               is_same = !is_middle(page, c) && became(page, c, "unchanged");
    if (is_removed)
        kan_page_raw(page, "removed");
    else if (is_same || is_change(page, c, "none"))
        kan_page_raw(page, "unchanged");
    if (is_change(page, c, "none")) {
        return;
    } else if (is_change(page, c, "level")) {
        kan_page_raw(page, is_removed || is_same ? ", level " : "level ");
        kan_page_count(page, "report.columns.%zu.level", c);
        if (kan_page_has(page, "report.columns.%zu.height", c)) {
            kan_page_raw(page, " of ");
            kan_page_count(page, "report.columns.%zu.height", c);
        }
    } else if (is_removed || is_same) {
        return;
    } else if (is_change(page, c, "coarser")) {
        kan_page_raw(page, "made coarser");
    } else if (is_change(page, c, "intervals")) {
        kan_page_raw(page, "cut into intervals");
    } else if (is_change(page, c, "nodes")) {
        kan_page_raw(page, "nodes of its hierarchy");
    } else if (is_change(page, c, "mean")) {
        kan_page_raw(page, "the mean of each group");
    } else if (is_change(page, c, "median")) {
        kan_page_raw(page, "the median of each group");
    } else if (is_change(page, c, "mode")) {
        kan_page_raw(page, "the most common value of each group");
    } else {
        kan_page_raw(page, kan_page_has_matches(page) ? "shown or hidden, cell by cell"
                                                      : "as each group needs it");
    }
}

/* Of the labels that most rows show. */
static void add_examples(kan_page *page, size_t c) {
    enum { EXAMPLES = 3 };
    const size_t n = kan_page_size(page, "report.columns.%zu.values", c);
    size_t best[EXAMPLES], n_best = 0;
    for (size_t v = 0; v < n; v++) {
        const double rows = kan_page_number(page, "report.columns.%zu.values.%zu.released", c, v);
        size_t at = n_best;
        while (at > 0 && rows > kan_page_number(page, "report.columns.%zu.values.%zu.released", c,
                                                best[at - 1])) {
            if (at < EXAMPLES)
                best[at] = best[at - 1];
            at--;
        }
        if (at < EXAMPLES)
            best[at] = v;
        n_best += n_best < EXAMPLES;
    }
    for (size_t i = 0; i < n_best; i++) {
        kan_page_raw(page, i ? ", " : "");
        kan_page_value(page, kan_page_find(page, "report.columns.%zu.values.%zu.label", c, best[i]),
                       40);
    }
}

static bool has_exact(const kan_page *page, size_t n) {
    for (size_t c = 0; c < n; c++)
        if (kan_page_has(page, "report.columns.%zu.exact", c))
            return true;
    return false;
}

/* A share, where the column has one. */
static void add_share(kan_page *page, size_t c, const char *key, const char *label) {
    kan_page_print(page, "</td><td class=\"n\" data-label=\"%s\">", label);
    if (kan_page_has(page, "report.columns.%zu.%s", c, key))
        kan_page_percent(page, "report.columns.%zu.%s", c, key);
}

static void add_overview(kan_page *page, size_t n) {
    const bool tells_exact = has_exact(page, n);
    kan_page_raw(
        page,
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table, may "
        "be scrolled\"><table class=\"listed\"><caption>What was done to each column</caption>"
        "<thead><tr><th scope=\"col\">Column</th><th scope=\"col\">Role</th>"
        "<th scope=\"col\">Released as</th><th scope=\"col\" class=\"n\">Values "
        "before</th><th scope=\"col\" class=\"n\">Values released</th>");
    if (tells_exact)
        kan_page_raw(page, "<th scope=\"col\" class=\"n\">Exact</th><th scope=\"col\" "
                           "class=\"n\">Given up</th>");
    kan_page_raw(page, "<th scope=\"col\">Most common</th></tr></thead><tbody>\n");
    for (size_t c = 0; c < n; c++) {
        kan_page_raw(page, "<tr><th scope=\"row\" class=\"v\">");
        kan_page_value(page, kan_page_find(page, "report.columns.%zu.name", c), KAN_PAGE_NAME);
        kan_page_raw(page, "</th><td data-label=\"Role\">");
        kan_page_words(page, kan_page_find(page, "report.columns.%zu.role", c), 40);
        kan_page_raw(page, "</td><td data-label=\"Released as\">");
        add_change(page, c);
        kan_page_raw(page, "</td><td class=\"n\" data-label=\"Values before\">");
        kan_page_count(page, "report.columns.%zu.distinct_before", c);
        kan_page_raw(page, "</td><td class=\"n\" data-label=\"Values released\">");
        kan_page_count(page, "report.columns.%zu.labels", c);
        if (tells_exact) {
            add_share(page, c, "exact", "Exact");
            add_share(page, c, "given_up", "Given up");
        }
        kan_page_raw(page, "</td><td class=\"v\" data-label=\"Most common\">");
        add_examples(page, c);
        kan_page_raw(page, "</td></tr>\n");
    }
    kan_page_raw(page, "</tbody></table></div>\n");
    if (tells_exact)
        kan_page_raw(page,
                     "<p>Exact is the share of released rows that show their own value; given "
                     "up is how much of the height of the column's hierarchy was lost, over "
                     "all released rows.</p>\n");
}

/* ---- distributions -------------------------------------------------------------------------- */

/* The keys of a column, "report.columns.3" or "internal.values.0". */
typedef struct {
    kan_page *page;
    char at[48];
    bool tells_before;
    double most;
} shown;

/* A row whose numbers stand at `at`.`key`; a bar for single values alone, which it compares. */
static void add_numbers(const shown *s, const char *key, bool is_value, bool has_released) {
    kan_page *page = s->page;
    const double before = kan_page_number(page, "%s.%s.before", s->at, key);
    kan_page_raw(page, "</th><td class=\"bars\">");
    if (is_value)
        kan_chart_pair(page, s->tells_before ? before : -1,
                       kan_page_number(page, "%s.%s.released", s->at, key), s->most);
    if (s->tells_before) {
        kan_page_raw(page, "</td><td class=\"n\">");
        kan_page_count(page, "%s.%s.before", s->at, key);
    }
    kan_page_raw(page, "</td><td class=\"n\">");
    if (has_released)
        kan_page_count(page, "%s.%s.released", s->at, key);
    else
        kan_page_raw(page, "none");
    kan_page_raw(page, "</td></tr>\n");
}

static void find_most(shown *s, size_t n) {
    s->most = 1;
    for (size_t v = 0; v < n; v++) {
        const double before = kan_page_number(s->page, "%s.values.%zu.before", s->at, v);
        const double after = kan_page_number(s->page, "%s.values.%zu.released", s->at, v);
        s->most = before > s->most ? before : s->most;
        s->most = after > s->most ? after : s->most;
    }
}

static void add_rest(const shown *s) {
    if (kan_page_has(s->page, "%s.rest", s->at)) {
        kan_page_raw(s->page, "<tr class=\"foot\"><th scope=\"row\" class=\"v\">");
        kan_page_counted(s->page, "other value", "other values", "%s.rest.labels", s->at);
        add_numbers(s, "rest", false, true);
    }
    if (kan_page_has(s->page, "%s.hidden", s->at)) {
        kan_page_raw(s->page, "<tr class=\"foot\"><th scope=\"row\" class=\"v\">values that the "
                              "release does not show");
        add_numbers(s, "hidden", false, false);
    }
}

static void add_table(const shown *s, size_t n, const char *released) {
    kan_page *page = s->page;
    kan_page_raw(page,
                 "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table, may "
                 "be scrolled\"><table><thead><tr><th scope=\"col\">Value</th>"
                 "<th scope=\"col\"><span class=\"off\">Chart</span></th>");
    if (s->tells_before)
        kan_page_raw(page, "<th scope=\"col\" class=\"n\">Before</th>");
    kan_page_print(page, "<th scope=\"col\" class=\"n\">%s</th></tr></thead><tbody>\n", released);
    for (size_t v = 0; v < n; v++) {
        char key[40];
        snprintf(key, sizeof key, "values.%zu", v);
        kan_page_raw(page, "<tr><th scope=\"row\" class=\"v\">");
        kan_page_value(page, kan_page_find(page, "%s.values.%zu.label", s->at, v), KAN_PAGE_VALUE);
        add_numbers(s, key, true, true);
    }
    add_rest(s);
    kan_page_raw(page, "</tbody></table></div>\n");
}

static void add_distribution(shown *s, const char *released) {
    kan_page *page = s->page;
    size_t n = kan_page_size(page, "%s.values", s->at);
    n = n < MOST_VALUES ? n : MOST_VALUES;
    s->tells_before = json_is_true(kan_page_find(page, "%s.tells_before", s->at));
    find_most(s, n);
    if (n <= TABLE_VALUES) {
        add_table(s, n, released);
        return;
    }
    kan_chart_columns(page, s->at, s->tells_before);
    kan_page_raw(page, "<details><summary>The numbers as a table</summary>\n");
    add_table(s, n, released);
    kan_page_raw(page, "</details>\n");
}

/* A path without its folders. */
static void add_base_name(kan_page *page, const json_t *path) {
    const char *text = json_is_string(path) ? json_string_value(path) : "";
    const char *slash = strrchr(text, '/');
    text = slash ? slash + 1 : text;
    kan_page_raw(page, "<bdi>");
    kan_page_text(page, text, strlen(text), KAN_PAGE_NAME);
    kan_page_raw(page, "</bdi>");
}

/* What a label for rare values stands for, as far as it is not secret. */
static void add_meaning(kan_page *page, const char *at) {
    const json_t *values = kan_page_find(page, "%s.stands_for.values", at);
    const size_t n = json_array_size(values);
    if (!kan_page_has(page, "%s.stands_for", at))
        return;
    kan_page_raw(page, "<p>");
    kan_page_value(page, kan_page_find(page, "%s.stands_for.label", at), KAN_PAGE_VALUE);
    kan_page_raw(page, " stands for several values of the table");
    if (n > 0) {
        kan_page_raw(page, ", among them ");
        kan_page_names(page, values, 40);
    }
    kan_page_raw(page, ".");
    if (kan_page_number(page, "report.merged_below") > 0) {
        kan_page_raw(page, n > 0 ? " Values of fewer than " : " Each is one of fewer than ");
        kan_page_count(page, "report.merged_below");
        kan_page_raw(page, kan_page_counts_people(page)
                               ? n > 0 ? " people are not named." : " people, and is not named."
                           : n > 0 ? " released rows are not named."
                                   : " released rows, and is not named.");
    }
    kan_page_raw(page, "</p>\n");
}

static void add_column(kan_page *page, size_t c) {
    shown s = {.page = page};
    snprintf(s.at, sizeof s.at, "report.columns.%zu", c);
    kan_page_raw(page, "<h3>");
    kan_page_value(page, kan_page_find(page, "%s.name", s.at), KAN_PAGE_NAME);
    kan_page_raw(page, "</h3>\n<p>");
    kan_page_raw(page, is_role(page, c, "sensitive") ? "Sensitive, "
                       : is_role(page, c, "class")   ? "To be predicted, "
                                                     : "Quasi-identifier, ");
    add_change(page, c);
    if (kan_page_has(page, "%s.hierarchy", s.at)) {
        kan_page_raw(page, "; hierarchy ");
        add_base_name(page, kan_page_find(page, "%s.hierarchy", s.at));
    }
    kan_page_raw(page, ".");
    if (json_is_true(kan_page_find(page, "%s.called_text", s.at)))
        kan_page_raw(page,
                     " It was called text: its values are codes, also where they are numbers.");
    kan_page_raw(page, "</p>\n");
    add_meaning(page, s.at);
    if (kan_page_size(page, "%s.values", s.at) == 1 && !kan_page_has(page, "%s.rest", s.at)) {
        kan_page_raw(page, "<p>All released rows show ");
        kan_page_value(page, kan_page_find(page, "%s.values.0.label", s.at), KAN_PAGE_VALUE);
        kan_page_raw(page, ".</p>\n");
    } else {
        add_distribution(&s, "Released");
    }
}

static bool tells_before(const kan_page *page, size_t n) {
    for (size_t c = 0; c < n; c++)
        if (json_is_true(kan_page_find(page, "report.columns.%zu.tells_before", c)))
            return true;
    return false;
}

void kan_page_add_columns(kan_page *page) {
    size_t n = kan_page_size(page, "report.columns");
    n = n < MOST_COLUMNS ? n : MOST_COLUMNS;
    const bool has_before = tells_before(page, n);
    const bool has_regions = is_change(page, 0, "regions") || is_middle(page, 0);
    kan_page_section(page, "columns", "How the columns were changed", false);
    add_overview(page, n);
    kan_page_raw(page, "<p>Below, how many rows show each value. ");
    if (has_regions && kan_page_has_matches(page))
        kan_page_raw(page, "A hidden cell may be any of them. The most common values come first. ");
    else if (has_regions)
        kan_page_raw(page, "Each group has ranges of its own, which overlap: there is no common "
                           "scale on which the table could be set beside the release. The most "
                           "common values come first. ");
    if (has_before)
        kan_page_raw(page, "Before is the number of rows of the whole table that would show it; "
                           "what is missing after was suppressed.");
    else if (kan_page_number(page, "suppression.rows") > 0)
        kan_page_raw(page, "What suppressed rows had is not shown, nor what only they had.");
    kan_page_raw(page, "</p>\n");
    kan_chart_legend(page, has_before ? "rows before" : NULL, "rows released");
    for (size_t c = 0; c < n; c++)
        add_column(page, c);
    kan_page_section_end(page);
}

/* ---- suppression ---------------------------------------------------------------------------- */

/* Internal: values of which no row is left, column by column. Whoever uses the release does not even
 * see that there were such people. */
static void add_erased(kan_page *page) {
    const size_t n = kan_page_size(page, "internal.erased");
    if (!page->is_internal)
        return;
    if (n == 0) {
        kan_page_raw(page, "<p>Every value of these columns is in some released row.</p>\n");
        return;
    }
    kan_page_raw(page,
                 "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table, may "
                 "be scrolled\"><table><caption>Erased by suppression: values of the table all of "
                 "whose rows were suppressed</caption><thead><tr><th scope=\"col\">Column</th><th "
                 "scope=\"col\">Value</th><th scope=\"col\" class=\"n\">Rows, all "
                 "suppressed</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < n; i++) {
        const size_t n_values = kan_page_size(page, "internal.erased.%zu.values", i);
        for (size_t v = 0; v < n_values; v++) {
            kan_page_raw(page, "<tr class=\"open\"><th scope=\"row\" class=\"v\">");
            kan_page_value(page, kan_page_find(page, "internal.erased.%zu.column", i),
                           KAN_PAGE_NAME);
            kan_page_raw(page, "</th><td class=\"v\">");
            kan_page_value(page, kan_page_find(page, "internal.erased.%zu.values.%zu.label", i, v),
                           KAN_PAGE_VALUE);
            kan_page_raw(page, "</td><td class=\"n\">");
            kan_page_count(page, "internal.erased.%zu.values.%zu.rows", i, v);
            kan_page_raw(page, "</td></tr>\n");
        }
        if (!kan_page_has(page, "internal.erased.%zu.rest", i))
            continue;
        kan_page_raw(page, "<tr class=\"foot\"><th scope=\"row\" class=\"v\">");
        kan_page_value(page, kan_page_find(page, "internal.erased.%zu.column", i), KAN_PAGE_NAME);
        kan_page_raw(page, "</th><td>");
        kan_page_counted(page, "other value", "other values", "internal.erased.%zu.rest.values", i);
        kan_page_raw(page, "</td><td class=\"n\">");
        kan_page_count(page, "internal.erased.%zu.rest.rows", i);
        kan_page_raw(page, "</td></tr>\n");
    }
    kan_page_raw(page, "</tbody></table></div>\n");
}

static void add_hits(kan_page *page, size_t n) {
    const double most = kan_page_number(page, "report.most_hit.0.share");
    kan_page_raw(page,
                 "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table, may "
                 "be scrolled\"><table><caption>Values whose rows were suppressed most often"
                 "</caption><thead><tr><th scope=\"col\">Column</th><th scope=\"col\">Value"
                 "</th><th scope=\"col\"><span class=\"off\">Chart</span></th>"
                 "<th scope=\"col\" class=\"n\">Rows before</th><th scope=\"col\" "
                 "class=\"n\">Suppressed</th><th scope=\"col\" class=\"n\">Share</th></tr>"
                 "</thead><tbody>\n");
    for (size_t i = 0; i < n; i++) {
        kan_page_raw(page, "<tr><th scope=\"row\" class=\"v\">");
        kan_page_value(page, kan_page_find(page, "report.most_hit.%zu.column", i), KAN_PAGE_NAME);
        kan_page_raw(page, "</th><td class=\"v\">");
        kan_page_value(page, kan_page_find(page, "report.most_hit.%zu.label", i), KAN_PAGE_VALUE);
        kan_page_raw(page, "</td><td class=\"bars\">");
        kan_chart_pair(page, -1, kan_page_number(page, "report.most_hit.%zu.share", i), most);
        kan_page_raw(page, "</td><td class=\"n\">");
        kan_page_count(page, "report.most_hit.%zu.before", i);
        kan_page_raw(page, "</td><td class=\"n\">");
        kan_page_count(page, "report.most_hit.%zu.suppressed", i);
        kan_page_raw(page, "</td><td class=\"n\">");
        kan_page_percent(page, "report.most_hit.%zu.share", i);
        kan_page_raw(page, "</td></tr>\n");
    }
    kan_page_raw(page, "</tbody></table></div>\n");
}

/* Who or what is missing. */
static void add_suppressed(kan_page *page) {
    if (kan_page_is(page, "person.suppress_by", "person")) {
        kan_page_counted(page, "person", "people", "person.suppressed");
        kan_page_raw(page, ", ");
        kan_page_percent(page, "report.people.share");
        kan_page_raw(page, " of all, left with all rows: some of them could not be put into a "
                           "group that keeps the promise.");
        return;
    }
    if (kan_page_leaves_households(page)) {
        kan_page_counted(page, "household", "households", "household.suppressed");
        kan_page_raw(page, " left with all rows: some of them could not be put into a group that "
                           "keeps the promise, or the household is found too easily.");
        return;
    }
    if (kan_page_hides_rows(page)) {
        kan_page_raw(page,
                     "Rows that could not be put into a group that keeps the promise, at most ");
        kan_page_words(page, kan_page_find(page, "report.people.limit"), KAN_PAGE_NAME);
        kan_page_raw(page, " of them, were left out; other rows of the same people may be in the "
                           "release.");
        return;
    }
    kan_page_counted(page, "row", "rows", "suppression.rows");
    kan_page_raw(page, ", ");
    kan_page_percent(page, "report.suppressed_share");
    kan_page_raw(page,
                 kan_page_has_matches(page)
                     ? " of the table, had too few matches to be released."
                     : " of the table, could not be put into a group that keeps the promise.");
}

void kan_page_add_suppression(kan_page *page) {
    const size_t n = kan_page_size(page, "report.most_hit");
    kan_page_section(page, "suppression", "What was suppressed, and who is affected most", false);
    if (kan_page_number(page, "suppression.rows") == 0) {
        kan_page_raw(page, "<p>Nothing: every row of the table is in the release.</p>\n");
        kan_page_section_end(page);
        return;
    }
    kan_page_raw(page, "<p>");
    add_suppressed(page);
    kan_page_raw(page, " People with rare values are suppressed first: whoever uses the release "
                       "should know that they are missing from it.</p>\n");
    if (kan_page_hides_rows(page))
        kan_page_raw(
            page,
            "<p class=\"note\">How many rows that is, is not shown here: it would reveal how many "
            "rows somebody has to anyone who knows the others. An internal report has it.</p>\n");
    add_erased(page);
    if (n > 0) {
        add_hits(page, n);
        kan_page_raw(page, "<p class=\"note\">Values as the release shows them, or would show "
                           "them; those that it no longer shows come first. For comparison, the "
                           "share over all rows is ");
        kan_page_percent(page, "report.suppressed_share");
        kan_page_raw(page, ".</p>\n");
    } else if (!kan_page_tells_all(page)) {
        kan_page_raw(
            page, "<p class=\"note\">Who is affected most is not shown here: it would reveal what "
                  "people have who are missing from the release. An internal report has it.</p>\n");
    } else {
        kan_page_raw(
            page,
            "<p class=\"note\">No value of these columns is affected more than another.</p>\n");
    }
    kan_page_section_end(page);
}

/* ---- internal ------------------------------------------------------------------------------- */

static void add_rows(kan_page *page, const char *key, bool is_pair) {
    const json_t *columns = kan_page_find(page, "internal.columns");
    const size_t n = json_array_size(columns), n_rows = kan_page_size(page, "internal.%s", key);
    kan_page_raw(page,
                 "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table, may "
                 "be scrolled\"><table");
    kan_page_raw(page, n > KAN_PAGE_FEW ? " class=\"rows many listed\"" : " class=\"rows listed\"");
    kan_page_raw(page, "><thead><tr><th scope=\"col\" class=\"n\">Row</th>");
    if (is_pair)
        kan_page_raw(page, "<th scope=\"col\" class=\"n\">Rows like it</th>");
    kan_page_raw(page, "<th scope=\"col\"></th>");
    for (size_t c = 0; c < n; c++) {
        kan_page_raw(page, "<th scope=\"col\">");
        kan_page_value(page, json_array_get(columns, c), KAN_PAGE_NAME);
        kan_page_raw(page, "</th>");
    }
    kan_page_raw(page, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < n_rows; i++)
        for (int side = 0; side < (is_pair ? 2 : 1); side++) {
            kan_page_raw(page, "<tr>");
            if (side == 0) {
                const char *span = is_pair ? " rowspan=\"2\"" : "";
                kan_page_print(page, "<th scope=\"row\" class=\"n\"%s>", span);
                kan_page_count(page, "internal.%s.%zu.row", key, i);
                kan_page_raw(page, "</th>");
                if (is_pair) {
                    kan_page_raw(page,
                                 "<td class=\"n\" data-label=\"Rows like it\" rowspan=\"2\">");
                    kan_page_count(page, "internal.%s.%zu.group_rows", key, i);
                    kan_page_raw(page, "</td>");
                }
            }
            kan_page_print(page, "<td class=\"k\">%s</td>", side ? "released" : "raw");
            for (size_t c = 0; c < n; c++) {
                kan_page_begin_cell(page, "v", json_array_get(columns, c));
                kan_page_value(page,
                               kan_page_find(page, "internal.%s.%zu.%s.%zu", key, i,
                                             side ? "released" : "raw", c),
                               KAN_PAGE_VALUE);
                kan_page_raw(page, "</td>");
            }
            kan_page_raw(page, "</tr>\n");
        }
    kan_page_raw(page, "</tbody></table></div>\n");
}

void kan_page_add_internal(kan_page *page) {
    const size_t n = kan_page_size(page, "internal.values");
    kan_page_section(page, "internal",
                     kan_page_has_matches(page) ? "Rows that look like few others"
                                                : "The smallest groups",
                     true);
    kan_page_raw(page,
                 kan_page_has_matches(page)
                     ? "<p>Rows of the smallest groups, as they were and as they are released. "
                       "What is promised is that they match people, not that they look alike."
                       "</p>\n"
                     : "<p>One row of each of the smallest groups, as it was and as it is "
                       "released.</p>\n");
    add_rows(page, "smallest", true);
    kan_page_section_end(page);
    kan_page_section(page, "internal-rows", "Rows before and after", true);
    kan_page_raw(page, "<p>One row of each of the largest groups.</p>\n");
    add_rows(page, "largest", true);
    kan_page_section_end(page);
    if (kan_page_size(page, "internal.suppressed") > 0) {
        kan_page_section(page, "internal-suppressed", "Suppressed rows", true);
        kan_page_raw(page, "<p>The first rows that were suppressed, as they were.</p>\n");
        add_rows(page, "suppressed", false);
        kan_page_section_end(page);
    }
    kan_page_section(page, "internal-values", "Values before", true);
    for (size_t i = 0; i < n; i++) {
        shown s = {.page = page};
        snprintf(s.at, sizeof s.at, "internal.values.%zu", i);
        kan_page_raw(page, "<h3>");
        kan_page_value(page, kan_page_find(page, "%s.name", s.at), KAN_PAGE_NAME);
        kan_page_raw(page, "</h3>\n");
        add_distribution(&s, "Rows");
    }
    kan_page_section_end(page);
}

/* ---- what can still be done with it --------------------------------------------------------- */

enum { MOST_PAIRS = 10 };

static void add_fidelity_heads(kan_page *page, const char *caption, const char *const *heads,
                               size_t n) {
    kan_page_raw(page,
                 "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table, may "
                 "be scrolled\"><table><caption>");
    kan_page_raw(page, caption);
    kan_page_raw(page, "</caption><thead><tr>");
    for (size_t i = 0; i < n; i++)
        kan_page_print(page, "<th scope=\"col\"%s>%s</th>", i == 0 ? "" : " class=\"n\"", heads[i]);
    kan_page_raw(page, "</tr></thead><tbody>\n");
}

static void add_fidelity_columns(kan_page *page) {
    static const char *const heads[] = {
        "Column", "Exact", "Coarser", "Hidden", "Moved, spread evenly", "Moved, spread as before"};
    static const char *const keys[] = {"cells.exact", "cells.coarser", "cells.hidden",
                                       "even.total_variation", "by_shares.total_variation"};
    const size_t n = kan_page_size(page, "internal.fidelity.columns");
    add_fidelity_heads(page, "Every column, before and after", heads, sizeof heads / sizeof *heads);
    for (size_t c = 0; c < n; c++) {
        kan_page_raw(page, "<tr><th scope=\"row\" class=\"v\">");
        kan_page_value(page, kan_page_find(page, "internal.fidelity.columns.%zu.name", c),
                       KAN_PAGE_NAME);
        kan_page_raw(page, "</th>");
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            kan_page_raw(page, "<td class=\"n\">");
            kan_page_percent(page, "internal.fidelity.columns.%zu.%s", c, keys[i]);
            kan_page_raw(page, "</td>");
        }
        kan_page_raw(page, "</tr>\n");
    }
    kan_page_raw(page,
                 "</tbody></table></div>\n<p>Exact, coarser and hidden are shares of the released "
                 "cells. Moved is the share of rows that would have to change their value to be "
                 "distributed as before (total variation), where a coarser value is spread evenly "
                 "over what it stands for, or as the table has these values. What is small both "
                 "ways can be counted as before; what is small in the second alone, by its "
                 "labels.</p>\n");
}

static void add_fidelity_part(kan_page *page, size_t i, const char *key) {
    for (size_t side = 0; side < 2; side++) {
        kan_page_raw(page, side ? ", " : "");
        kan_page_value(page,
                       kan_page_find(page, "internal.fidelity.changed.%zu.%s.%zu", i, key, side),
                       KAN_PAGE_NAME);
    }
}

static void add_fidelity_pairs(kan_page *page) {
    static const char *const heads[] = {"Columns", "Moved", "Before", "After", "Most moved"};
    size_t n = kan_page_size(page, "internal.fidelity.changed");
    n = n < MOST_PAIRS ? n : MOST_PAIRS;
    if (n == 0)
        return;
    add_fidelity_heads(page, "Tables of two columns that changed most", heads,
                       sizeof heads / sizeof *heads);
    for (size_t i = 0; i < n; i++) {
        kan_page_raw(page, "<tr><th scope=\"row\" class=\"v\">");
        add_fidelity_part(page, i, "columns");
        kan_page_raw(page, "</th><td class=\"n\">");
        kan_page_percent(page, "internal.fidelity.changed.%zu.total_variation", i);
        kan_page_raw(page, "</td><td class=\"n\">");
        kan_page_percent(page, "internal.fidelity.changed.%zu.original", i);
        kan_page_raw(page, "</td><td class=\"n\">");
        kan_page_percent(page, "internal.fidelity.changed.%zu.release", i);
        kan_page_raw(page, "</td><td class=\"v\">");
        add_fidelity_part(page, i, "classes");
        kan_page_raw(page, "</td></tr>\n");
    }
    kan_page_raw(page, "</tbody></table></div>\n");
}

void kan_page_add_fidelity(kan_page *page) {
    if (!kan_page_has(page, "internal.fidelity"))
        return;
    kan_page_section(page, "internal-fidelity", "What can still be done with it", true);
    if (kan_page_has(page, "internal.fidelity.why_not")) {
        kan_page_raw(page, "<p>");
        kan_page_words(page, kan_page_find(page, "internal.fidelity.why_not"), 2000);
        kan_page_raw(page, "</p>\n");
    } else {
        kan_page_raw(page, "<p>");
        kan_page_words(page, kan_page_find(page, "internal.fidelity.says"), 4000);
        kan_page_raw(page, "</p>\n");
        add_fidelity_columns(page);
        add_fidelity_pairs(page);
        kan_chart_image(page, kan_page_find(page, "internal.fidelity.svg"),
                        "Of each column the shares of rows before and after, and how well a model "
                        "tells the two tables apart");
        kan_page_raw(page, "<p><code>kanon utility</code> says what these figures mean, fits "
                           "regressions, and has them as JSON.</p>\n");
    }
    kan_page_section_end(page);
}
