/* Risk, group sizes, a sample of released rows. */
#include <stdio.h>

#include "report/chart.h"
#include "report/report_page.h"

/* Whose figures those before are. */
static void add_before(kan_page *page) {
    if (!kan_page_tells_all(page) && kan_page_has(page, "report.risk.before"))
        kan_page_raw(page, kan_page_is(page, "person.suppress_by", "person")
                               ? " Before means the released rows as they were in the table: those "
                                 "of people who were left out are not counted."
                               : " Before means the released rows as they were in the table: "
                                 "suppressed ones are not counted.");
}

/* ---- gauges --------------------------------------------------------------------------------- */

/* A share that would count few people is told by a word. */
static void add_word(kan_page *page, const char *side, const char *figure) {
    const char *key = strcmp(figure, "share_unique") == 0 ? "word_unique" : "word_at_risk";
    const json_t *word = kan_page_find(page, "report.risk.%s.%s", side, key);
    if (json_is_string(word) && strcmp(json_string_value(word), "few rows") != 0)
        kan_page_words(page, word, KAN_PAGE_NAME);
    else
        kan_page_raw(page, kan_page_counts_people(page) ? "not shown: few people"
                                                        : "not shown: few rows");
}

static bool is_nearly_all(const kan_page *page, const char *side, const char *figure) {
    char key[64];
    snprintf(key, sizeof key, "report.risk.%s.%s", side,
             strcmp(figure, "share_unique") == 0 ? "word_unique" : "word_at_risk");
    return kan_page_is(page, key, "nearly all");
}

static void add_side(kan_page *page, const char *side, const char *name, const char *figure,
                     double limit) {
    kan_page_print(page, "<dt>%s</dt><dd class=\"m\">", name);
    const bool is_told = kan_page_has(page, "report.risk.%s.%s", side, figure);
    if (is_told || is_nearly_all(page, side, figure))
        kan_chart_meter(page,
                        is_told ? kan_page_number(page, "report.risk.%s.%s", side, figure) : 1,
                        limit, *side == 'b');
    kan_page_raw(page, "</dd><dd>");
    if (is_told)
        kan_page_percent(page, "report.risk.%s.%s", side, figure);
    else if (kan_page_has(page, "report.risk.%s", side))
        add_word(page, side, figure);
    else
        kan_page_raw(page, "\u2013");
    kan_page_raw(page, "</dd>\n");
}

static void add_gauge(kan_page *page, const char *title, const char *words, const char *figure,
                      double limit) {
    kan_page_print(page, "<div class=\"gauge\"><h3>%s</h3><p>%s%s</p><dl>\n", title, words,
                   limit > 0 ? " The dashed line is what the promise allows." : "");
    if (kan_page_has(page, "report.risk.before"))
        add_side(page, "before", "before", figure, limit);
    add_side(page, "released", "released", figure, limit);
    kan_page_raw(page, "</dl></div>\n");
}

/* Words of the section, of rows or of people. */
typedef struct {
    const char *lead, *highest, *average, *at_risk_title, *at_risk, *unique_title, *unique, *open;
} risk_words;

static const risk_words of_rows = {
    "Somebody knows that a person is in the table, and all that the quasi-identifiers say about "
    "her. The risk of a row is one over the number of rows that look like it.",
    "Of the row that is easiest to recognise.",
    "Over all rows; also the share of right guesses by somebody who guesses for every row.",
    "Rows at risk",
    "Share of rows that look like fewer others than was promised.",
    "Unique rows",
    "Share of rows that look like no other.",
    "How many rows look alike is not promised here, so none are called at risk."};

static const risk_words of_people = {
    "Somebody knows that a person is in the table, and all that the quasi-identifiers say about "
    "one of her rows. The risk of a person is one over the number of people who have rows that "
    "look like it, for the one of her rows that fewest others have.",
    "Of the person who is easiest to recognise.",
    "Over all people.",
    "People at risk",
    "Share of people with a row that fewer people have than was promised.",
    "Unique people",
    "Share of people with a row like that of nobody else.",
    ""};

static const risk_words of_histories = {
    "Somebody knows that a person is in the table, and all that the quasi-identifiers say about "
    "every one of her rows. The risk of a person is one over the number of people whose rows show "
    "the same.",
    "Of the person who is easiest to recognise.",
    "Over all people; also the share of right guesses by somebody who guesses for everybody.",
    "People at risk",
    "Share of people whose rows, together, are shown by fewer people than was promised.",
    "Unique people",
    "Share of people whose rows, together, are shown by nobody else.",
    ""};

static const risk_words of_matches = {
    "Somebody knows that a person is in the release, and all that the quasi-identifiers say about "
    "her. The risk of a person is one over the number of released rows that match her, where a "
    "hidden or missing cell matches anything.",
    "Of the person who is easiest to recognise.",
    "Over all released people.",
    "People at risk",
    "Share of people whom fewer rows match than was promised.",
    "Unique people",
    "Share of people whom no row matches but their own.",
    ""};

/* The average that is promised; else what follows from the smallest group. */
static double average_limit(const kan_page *page, double limit) {
    for (size_t m = 0; m < kan_page_size(page, "privacy"); m++)
        if (kan_page_has(page, "privacy.%zu.average-risk", m))
            return kan_page_number(page, "privacy.%zu.average-risk", m);
    return limit;
}

void kan_page_add_risk(kan_page *page) {
    const double threshold = kan_page_number(page, "report.risk.threshold");
    const bool has_size = threshold > 1; /* else any group will do */
    const double limit = has_size ? 1 / threshold : -1;
    const risk_words *words = kan_page_has_matches(page)     ? &of_matches
                              : kan_page_has_histories(page) ? &of_histories
                              : kan_page_counts_people(page) ? &of_people
                                                             : &of_rows;
    kan_page_section(page, "risk", "How likely it is that somebody is recognised", false);
    kan_page_print(page, "<p>%s", words->lead);
    add_before(page);
    if (!has_size)
        kan_page_print(page, " %s", words->open);
    kan_page_raw(page, "</p>\n");
    kan_chart_legend(page, kan_page_has(page, "report.risk.before") ? "before" : NULL, "released");
    kan_page_raw(page, "<div class=\"gauges\">\n");
    add_gauge(page, "Highest risk", words->highest, "highest", limit);
    add_gauge(page, "Average risk", words->average, "average", average_limit(page, limit));
    if (has_size)
        add_gauge(page, words->at_risk_title, words->at_risk, "share_at_risk", -1);
    add_gauge(page, words->unique_title, words->unique, "share_unique", -1);
    kan_page_raw(page, "</div>\n");
    kan_page_section_end(page);
}

/* ---- sizes ---------------------------------------------------------------------------------- */

/* What a section of sizes counts. */
typedef struct {
    const char *before, *after; /* keys */
    const char *size, *was, *is, *lead;
    bool has_groups;
} size_words;

static const size_words sizes_of_rows = {
    "rows_before",
    "rows_released",
    "Rows in the group",
    "rows before",
    "rows released",
    "A group is a set of rows that look the same in all quasi-identifiers. The larger the groups, "
    "the less can be said about anybody.",
    true};

static const size_words sizes_of_people = {
    "people_before",
    "people_released",
    "People in her smallest group",
    "people before",
    "people released",
    "A group is a set of rows that look the same in all quasi-identifiers. A person may be in "
    "several: she is counted once, by the one that has rows of the fewest people. The larger the "
    "groups, the less can be said about anybody. How many groups there are of each size is not "
    "shown: it would reveal how many rows somebody has.",
    false};

static const size_words sizes_of_histories = {
    "people_before",
    "people_released",
    "People with the same rows",
    "people before",
    "people released",
    "People are alike if their rows look the same in all quasi-identifiers, each equally often. "
    "The more there are, the less can be said about anybody.",
    false};

static const size_words sizes_of_matches = {
    "rows_before",
    "rows_released",
    "Rows that match",
    "people before",
    "people released",
    "How many released rows match each released person, her own among them, where a hidden or "
    "missing cell matches anything. The more there are, the less can be said about her.",
    false};

static double size_at(const kan_page *page, size_t i, const char *key) {
    return kan_page_number(page, "report.group_sizes.%zu.%s", i, key);
}

static void add_cell(kan_page *page, size_t i, const char *key) {
    kan_page_raw(page, "</td><td class=\"n\">");
    kan_page_count(page, "report.group_sizes.%zu.%s", i, key);
}

static void add_band(kan_page *page, const size_words *words, size_t i, double most,
                     bool has_before) {
    const double before = has_before ? size_at(page, i, words->before) : -1;
    kan_page_raw(page, "<tr><th scope=\"row\" class=\"n\">");
    kan_page_count(page, "report.group_sizes.%zu.least", i);
    if (size_at(page, i, "most") > size_at(page, i, "least")) {
        kan_page_raw(page, "\u2013");
        kan_page_count(page, "report.group_sizes.%zu.most", i);
    }
    kan_page_raw(page, "</th><td class=\"bars\">");
    kan_chart_pair(page, before, size_at(page, i, words->after), most);
    if (has_before)
        add_cell(page, i, words->before);
    add_cell(page, i, words->after);
    if (has_before && words->has_groups)
        add_cell(page, i, "groups_before");
    if (words->has_groups)
        add_cell(page, i, "groups_released");
    kan_page_raw(page, "</td></tr>\n");
}

static void add_size_head(kan_page *page, const char *title) {
    kan_page_print(page, "<th scope=\"col\" class=\"n\">%s</th>", title);
}

static void add_size_heads(kan_page *page, const size_words *words, bool has_before) {
    const bool has_groups = words->has_groups;
    kan_page_raw(page, "<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
                       "aria-label=\"Table, may be scrolled\"><table><thead><tr>");
    add_size_head(page, words->size);
    kan_page_raw(page, "<th scope=\"col\"><span class=\"off\">Chart</span></th>");
    if (has_before)
        add_size_head(page, has_groups ? "Rows before" : "People before");
    add_size_head(page, has_groups ? "Rows released" : "People released");
    if (has_before && has_groups)
        add_size_head(page, "Groups before");
    if (has_groups)
        add_size_head(page, "Groups released");
    kan_page_raw(page, "</tr></thead><tbody>\n");
}

/* By column, of the released rows. */
static void add_hidden_cells(kan_page *page) {
    const size_t n = kan_page_size(page, "report.hidden_cells");
    kan_page_raw(page,
                 "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table, may "
                 "be scrolled\"><table><caption>Cells of released rows that match anything"
                 "</caption><thead><tr><th scope=\"col\">Column</th><th scope=\"col\" "
                 "class=\"n\">Hidden (*)</th><th scope=\"col\" class=\"n\">Missing</th></tr>"
                 "</thead><tbody>\n");
    for (size_t i = 0; i < n; i++) {
        kan_page_raw(page, "<tr><th scope=\"row\" class=\"v\">");
        kan_page_value(page, kan_page_find(page, "report.hidden_cells.%zu.column", i),
                       KAN_PAGE_NAME);
        kan_page_raw(page, "</th><td class=\"n\">");
        kan_page_count(page, "report.hidden_cells.%zu.hidden", i);
        kan_page_raw(page, "</td><td class=\"n\">");
        kan_page_count(page, "report.hidden_cells.%zu.missing", i);
        kan_page_raw(page, "</td></tr>\n");
    }
    kan_page_raw(page, "</tbody></table></div>\n");
}

void kan_page_add_sizes(kan_page *page) {
    const bool has_matches = kan_page_has_matches(page);
    const size_words *words = has_matches                    ? &sizes_of_matches
                              : kan_page_has_histories(page) ? &sizes_of_histories
                              : kan_page_counts_people(page) ? &sizes_of_people
                                                             : &sizes_of_rows;
    const size_t n = kan_page_size(page, "report.group_sizes");
    const bool has_before = kan_page_has(page, "report.group_sizes.0.%s", words->before);
    double most = 1;
    for (size_t i = 0; i < n; i++) {
        const double before = size_at(page, i, words->before);
        const double after = size_at(page, i, words->after);
        most = before > most ? before : most;
        most = after > most ? after : most;
    }
    kan_page_section(page, "sizes",
                     has_matches ? "How many rows match each person" : "How large the groups are",
                     false);
    kan_page_print(page, "<p>%s", words->lead);
    add_before(page);
    kan_page_raw(page, "</p>\n");
    kan_chart_legend(page, has_before ? words->was : NULL, words->is);
    add_size_heads(page, words, has_before);
    for (size_t i = 0; i < n; i++)
        add_band(page, words, i, most, has_before);
    kan_page_raw(page, "</tbody></table></div>\n");
    if (has_matches)
        add_hidden_cells(page);
    kan_page_section_end(page);
}

/* ---- sample --------------------------------------------------------------------------------- */

void kan_page_add_sample(kan_page *page) {
    enum { MOST_COLUMNS = 24 };
    const json_t *columns = kan_page_find(page, "report.sample.columns");
    const size_t n_rows = kan_page_size(page, "report.sample.rows");
    size_t n = json_array_size(columns);
    n = n < MOST_COLUMNS ? n : MOST_COLUMNS;
    kan_page_section(page, "sample", "What released rows look like", false);
    const bool has_groups = !kan_page_has_matches(page);
    kan_page_raw(page, has_groups
                           ? "<p>One row of each of the largest groups, as it is in the release."
                           : "<p>Some rows that look like others, as they are in the release.");
    if (kan_page_number(page, "report.sample.other_columns") > 0) {
        kan_page_raw(page, " Not shown: ");
        kan_page_counted(page, "column that is", "columns that are", "report.sample.other_columns");
        kan_page_raw(page, " released as in the table.");
    }
    kan_page_raw(page, "</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
                       "aria-label=\"Table, may be scrolled\"><table");
    kan_page_raw(page, n > KAN_PAGE_FEW ? " class=\"rows many listed\"" : " class=\"rows listed\"");
    kan_page_raw(page, "><thead><tr>");
    for (size_t c = 0; c < n; c++) {
        kan_page_raw(page, "<th scope=\"col\">");
        kan_page_value(page, json_array_get(columns, c), KAN_PAGE_NAME);
        kan_page_raw(page, "</th>");
    }
    if (has_groups)
        kan_page_raw(page, "<th scope=\"col\" class=\"n\">Rows like it</th>");
    kan_page_raw(page, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < n_rows; i++) {
        kan_page_raw(page, "<tr>");
        for (size_t c = 0; c < n; c++) {
            kan_page_begin_cell(page, "v", json_array_get(columns, c));
            kan_page_value(page, kan_page_find(page, "report.sample.rows.%zu.values.%zu", i, c),
                           KAN_PAGE_VALUE);
            kan_page_raw(page, "</td>");
        }
        if (has_groups) {
            kan_page_raw(page, "<td class=\"n\" data-label=\"Rows like it\">");
            kan_page_count(page, "report.sample.rows.%zu.group_rows", i);
            kan_page_raw(page, "</td>");
        }
        kan_page_raw(page, "</tr>\n");
    }
    kan_page_raw(page, "</tbody></table></div>\n");
    kan_page_section_end(page);
}
