/* Every column of the table, with its role and what became of it. What is released as it is, though
 * no promise looks at it, is an open risk, and looks like one. */
#include <stdio.h>
#include <string.h>

#include "data/table.h"
#include "report/report_page.h"

/* Names are cut late: this is the place that has them all. */
enum { MOST_COLUMNS = 300, NAME = 160 };

static bool is_at(const kan_page *page, size_t c, const char *key, const char *text) {
    char place[48];
    snprintf(place, sizeof place, "columns.%zu.%s", c, key);
    return kan_page_is(page, place, text);
}

void kan_page_add_role(kan_page *page, const json_t *word) {
    static const char *const words[KAN_ROLES] = {
        [KAN_ROLE_CLASS] = "to be predicted",
        [KAN_ROLE_ID] = "names people",
        [KAN_ROLE_KEEP] = "kept, by decision",
        [KAN_ROLE_DROP] = "dropped, by decision",
        [KAN_ROLE_OTHER] = "nobody decided",
        [KAN_ROLE_PSEUDONYM] = "pseudonyms",
        [KAN_ROLE_PERSON] = "identifies the person",
        [KAN_ROLE_WEIGHT] = "sampling weights",
        [KAN_ROLE_HOUSEHOLD] = "identifies the household",
    };
    for (kan_role role = 0; role < KAN_ROLES; role++)
        if (words[role] && json_is_string(word) &&
            strcmp(json_string_value(word), kan_role_word(role)) == 0) {
            kan_page_raw(page, words[role]);
            return;
        }
    kan_page_words(page, word, KAN_PAGE_NAME);
}

static void add_role(kan_page *page, size_t c) {
    kan_page_add_role(page, kan_page_find(page, "columns.%zu.role", c));
}

/* Sensitive, and nothing is promised about it. */
static bool is_unprotected(const kan_page *page, size_t c) {
    const json_t *names = kan_page_find(page, "unprotected"),
                 *name = kan_page_find(page, "columns.%zu.name", c);
    for (size_t i = 0; i < json_array_size(names); i++)
        if (is_at(page, c, "role", "sensitive") && json_equal(json_array_get(names, i), name))
            return true;
    return false;
}

static bool is_open(const kan_page *page, size_t c) {
    return kan_page_is_kept(page, c) || is_unprotected(page, c);
}

static void add_became(kan_page *page, size_t c) {
    const bool is_treated = kan_page_has(page, "columns.%zu.treated", c);
    if (is_treated) {
        kan_page_words(page, kan_page_find(page, "columns.%zu.treated", c), NAME);
        kan_page_raw(page, "; then ");
    }
    if (is_at(page, c, "became", "generalized"))
        kan_page_raw(page, "made coarser");
    else if (is_at(page, c, "became", "removed"))
        kan_page_raw(page, "removed: * in every released row");
    else if (is_at(page, c, "became", "unchanged"))
        kan_page_raw(page, is_at(page, c, "role", "quasi-identifier")
                               ? "unchanged in every released row"
                           : is_treated ? "released so"
                                        : "released as it is");
    else
        kan_page_words(page, kan_page_find(page, "columns.%zu.became", c), KAN_PAGE_NAME);
    if (!is_open(page, c))
        return;
    kan_page_raw(page, "; <strong class=\"open\">open risk</strong>");
    if (is_unprotected(page, c))
        kan_page_raw(page, ": nothing is promised about it");
    if (!kan_page_has(page, "columns.%zu.singles_out", c))
        return;
    kan_page_raw(page, ": whoever also knows it can single out ");
    kan_page_counted(page, "released row", "released rows", "columns.%zu.singles_out", c);
    if (kan_page_number(page, "alone") == 0)
        return;
    kan_page_raw(page, "; ");
    kan_page_count(page, "alone");
    kan_page_raw(page, " even without it");
}

static void add_column(kan_page *page, size_t c) {
    kan_page_print(page, "<tr%s><th scope=\"row\" class=\"v\">",
                   is_open(page, c) ? " class=\"open\"" : "");
    kan_page_value(page, kan_page_find(page, "columns.%zu.name", c), NAME);
    kan_page_raw(page, "</th><td>");
    add_role(page, c);
    kan_page_raw(page, "</td><td>");
    add_became(page, c);
    kan_page_raw(page, "</td></tr>\n");
}

typedef enum { ALL, OPEN, CLOSED } which;

/* At most so many of these; returns how many. */
static size_t add_some(kan_page *page, size_t n, which kind, size_t most) {
    size_t n_added = 0;
    for (size_t c = 0; c < n && n_added < most; c++)
        if (kind == ALL || is_open(page, c) == (kind == OPEN)) {
            add_column(page, c);
            n_added++;
        }
    return n_added;
}

/* ---- how many of each ----------------------------------------------------------------------- */

static void add_number_of(kan_page *page, const char *key, const char *words) {
    if (kan_page_number(page, "report.table.%s", key) == 0)
        return;
    kan_page_raw(page, "; ");
    kan_page_count(page, "report.table.%s", key);
    kan_page_raw(page, words);
}

static void add_numbers(kan_page *page) {
    const bool is_one = kan_page_number(page, "report.table.quasi_identifiers") == 1;
    if (!kan_page_has(page, "report.table"))
        return;
    kan_page_raw(page, "<p>Of the table's ");
    kan_page_counted(page, "column", "columns", "report.table.all");
    kan_page_raw(page, ", ");
    kan_page_count(page, "report.table.quasi_identifiers");
    kan_page_raw(page, is_one ? " can be used to recognise people and was made coarser where need "
                                "be"
                              : " can be used to recognise people and were made coarser where "
                                "need be");
    add_number_of(page, "sensitive", " sensitive, what must not be learned about somebody");
    add_number_of(page, "left_out", " left out");
    add_number_of(page, "pseudonyms", " released as pseudonyms");
    add_number_of(page, "treated", " kept, and changed as described below");
    add_number_of(page, "unchanged", " kept as in the table");
    kan_page_raw(page, ".");
    if (kan_page_number(page, "report.table.unchanged") > 0 ||
        kan_page_number(page, "report.table.treated") > 0)
        kan_page_raw(page, " <strong>What is kept is an open risk: no promise covers it.</strong>");
    kan_page_raw(page, "</p>\n");
}

void kan_page_add_roles(kan_page *page) {
    const size_t n = kan_page_size(page, "columns");
    size_t n_open = 0;
    for (size_t c = 0; c < n; c++)
        n_open += is_open(page, c);
    kan_page_section(page, "roles", "What happened to every column", false);
    add_numbers(page);
    kan_page_raw(page, n > MOST_COLUMNS ? "<p>Columns of the table, open ones first."
                                        : "<p>All columns of the table, in its order.");
    kan_page_raw(page, " People can be recognised by their quasi-identifiers; sensitive values are "
                       "what nobody should learn about a person.");
    if (kan_page_number(page, "suppression.rows") > 0)
        kan_page_raw(page, " What is said of a column is said of released rows: values that only "
                           "suppressed rows have are missing from it, whatever happened to it.");
    if (n_open > 0)
        kan_page_raw(page,
                     " No promise covers a column that is released as it is and is not sensitive: "
                     "together with the quasi-identifiers it may point at one person.");
    kan_page_raw(page, "</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
                       "aria-label=\"Table, may be scrolled\"><table><thead><tr><th scope=\"col\">"
                       "Column</th><th scope=\"col\">What it is</th><th scope=\"col\">What "
                       "happened to it</th></tr></thead><tbody>\n");
    if (n <= MOST_COLUMNS)
        (void)add_some(page, n, ALL, MOST_COLUMNS);
    else
        (void)add_some(page, n, CLOSED, MOST_COLUMNS - add_some(page, n, OPEN, MOST_COLUMNS));
    kan_page_raw(page, "</tbody></table></div>\n");
    if (n > MOST_COLUMNS)
        kan_page_print(page,
                       "<p>And %zu more, %zu of them open; the JSON result names them all.</p>\n",
                       n - MOST_COLUMNS, n_open > MOST_COLUMNS ? n_open - MOST_COLUMNS : 0);
    kan_page_section_end(page);
}

/* ---- the rule ------------------------------------------------------------------------------- */

/* What was checked, what was not, the text of the rule and its date, and every column. It never says that
 * a law is satisfied. */

enum { RULE_TEXT = 1200, RULE_REASON = 250 }; /* characters, at most */

static bool is_undecided(const kan_page *page, size_t c) {
    const char *verdict = json_string_value(kan_page_find(page, "rules.columns.%zu.verdict", c));
    return !verdict || strcmp(verdict, "clear") != 0;
}

static void add_judged(kan_page *page, size_t c) {
    kan_page_raw(page, "<tr><td>");
    kan_page_value(page, kan_page_find(page, "rules.columns.%zu.name", c), KAN_PAGE_NAME);
    kan_page_raw(page, "</td><td>");
    kan_page_raw(page, is_undecided(page, c) ? "for a person to decide" : "clear");
    kan_page_raw(page, "</td><td>");
    kan_page_words(page, kan_page_find(page, "rules.columns.%zu.reason", c), RULE_REASON);
    kan_page_raw(page, "</td></tr>\n");
}

void kan_page_add_rules(kan_page *page) {
    if (!kan_page_has(page, "rules"))
        return;
    kan_page_section(page, "rules", "The rule", false);
    kan_page_raw(page, "<p><strong>");
    kan_page_words(page, kan_page_find(page, "rules.says"), RULE_TEXT);
    kan_page_raw(page,
                 ".</strong> Whether a law is satisfied nobody can read off a table.</p>\n<p>");
    kan_page_words(page, kan_page_find(page, "rules.rule.title"), RULE_TEXT);
    kan_page_raw(page, ", ");
    kan_page_words(page, kan_page_find(page, "rules.rule.source"), RULE_TEXT);
    if (kan_page_has(page, "rules.rule.by")) {
        kan_page_raw(page, ", by ");
        kan_page_words(page, kan_page_find(page, "rules.rule.by"), RULE_TEXT);
    }
    kan_page_raw(page, ", of ");
    kan_page_words(page, kan_page_find(page, "rules.rule.date"), RULE_TEXT);
    kan_page_raw(page, ": <q>");
    kan_page_words(page, kan_page_find(page, "rules.rule.text"), RULE_TEXT);
    kan_page_raw(page, "</q></p>\n<table><thead><tr><th scope=\"col\">Column</th><th scope=\"col\">"
                       "Checked</th><th scope=\"col\">Why</th></tr></thead><tbody>\n");
    for (size_t c = 0; c < kan_page_size(page, "rules.columns"); c++)
        add_judged(page, c);
    kan_page_raw(page, "</tbody></table>\n");
    if (kan_page_size(page, "rules.left") > 0)
        kan_page_raw(page, "<p>What no program can tell:</p>\n<ul>\n");
    for (size_t i = 0; i < kan_page_size(page, "rules.left"); i++) {
        kan_page_raw(page, "<li>");
        kan_page_words(page, kan_page_find(page, "rules.left.%zu", i), RULE_TEXT);
        kan_page_raw(page, "</li>\n");
    }
    if (kan_page_size(page, "rules.left") > 0)
        kan_page_raw(page, "</ul>\n");
    kan_page_section_end(page);
}
