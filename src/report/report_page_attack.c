/* What intruders find in a release who have the table: of each what is found in sentences, a figure, and who is most
 * exposed. For internal pages alone. */
#include <stdarg.h>
#include <stdio.h>

#include "report/chart.h"
#include "report/report_page.h"

/* The key of something on the page. */
typedef struct {
    char at[96];
} place;

KAN_PRINTF(1, 2) static place place_of(const char *format, ...) {
    place out;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out.at, sizeof out.at, format, arguments);
    va_end(arguments);
    return out;
}

/* A line of the figure: words, and people. */
static void add_bar(kan_page *page, const char *at, const char *words, const json_t *column,
                    double most) {
    kan_page_raw(page, "<tr><th scope=\"row\">");
    kan_page_raw(page, words);
    if (column) {
        kan_page_raw(page, " ");
        kan_page_value(page, column, KAN_PAGE_NAME);
    }
    kan_page_raw(page, "</th><td class=\"bars\">");
    kan_chart_pair(page, -1, kan_page_number(page, "%s.people", at), most);
    kan_page_raw(page, "</td><td class=\"n\">");
    kan_page_count(page, "%s.people", at);
    kan_page_raw(page, "</td></tr>\n");
}

static void add_matched(kan_page *page, const char *at, const char *key, const char *words) {
    const place here = place_of("%s.%s", at, key);
    if (kan_page_has(page, "%s", here.at))
        add_bar(page, here.at, words, NULL, kan_page_number(page, "%s.asked", at));
}

static void add_figure(kan_page *page, const char *at) {
    const size_t n = kan_page_size(page, "%s.sensitive", at);
    kan_page_raw(page, "<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
                       "aria-label=\"Table, may be scrolled\"><table><thead><tr>"
                       "<th scope=\"col\">People</th>"
                       "<th scope=\"col\"><span class=\"off\">Chart</span></th>"
                       "<th scope=\"col\" class=\"n\">Number</th></tr></thead><tbody>\n");
    add_matched(page, at, "matched.one", "matched by one row");
    add_matched(page, at, "matched.below_k", "by fewer than k");
    add_matched(page, at, "matched.k_or_more", "by k or more");
    add_matched(page, at, "matched.none", "by none");
    add_matched(page, at, "nearest.rows.one", "with one nearest row");
    add_matched(page, at, "nearest.rows.below_k", "with fewer than k as near");
    add_matched(page, at, "nearest.rows.k_or_more", "with k or more as near");
    for (size_t i = 0; i < n; i++) {
        const json_t *column = kan_page_find(page, "%s.sensitive.%zu.column", at, i);
        const double most = kan_page_number(page, "%s.asked", at);
        add_bar(page, place_of("%s.sensitive.%zu.certain", at, i).at,
                "who are certain to have one value of", column, most);
        add_bar(page, place_of("%s.sensitive.%zu.above_90", at, i).at,
                "who are more than 90 % likely to have one of", column, most);
    }
    kan_page_raw(page, "</tbody></table></div>\n");
}

/* "flu (3 of 4)" */
static void add_guesses(kan_page *page, const char *at) {
    const size_t n = kan_page_size(page, "%s.guesses", at);
    for (size_t g = 0; g < n; g++) {
        kan_page_begin_cell(page, "v", kan_page_find(page, "%s.guesses.%zu.column", at, g));
        kan_page_value(page, kan_page_find(page, "%s.guesses.%zu.value", at, g), KAN_PAGE_VALUE);
        kan_page_raw(page, " (");
        kan_page_count(page, "%s.guesses.%zu.rows", at, g);
        kan_page_raw(page, ")</td>");
    }
}

static void add_person(kan_page *page, const char *at, const char *names) {
    const size_t n = kan_page_size(page, "%s.known", at);
    kan_page_raw(page, "<tr><th scope=\"row\" class=\"n\">");
    kan_page_count(page, "%s.person", at);
    kan_page_raw(page, "</th>");
    for (size_t c = 0; c < n; c++) {
        kan_page_begin_cell(page, "v", kan_page_find(page, "%s.known.%zu", names, c));
        kan_page_value(page, kan_page_find(page, "%s.known.%zu", at, c), KAN_PAGE_VALUE);
        kan_page_raw(page, "</td>");
    }
    kan_page_raw(page, "<td class=\"n\" data-label=\"Rows\">");
    kan_page_count(page, "%s.rows", at);
    kan_page_raw(page, "</td><td class=\"n\" data-label=\"The first\">");
    kan_page_count(page, "%s.row", at);
    kan_page_raw(page, "</td>");
    add_guesses(page, at);
    kan_page_raw(page, "</tr>\n");
}

static void add_head(kan_page *page, const json_t *name) {
    kan_page_raw(page, "<th scope=\"col\">");
    kan_page_value(page, name, KAN_PAGE_NAME);
    kan_page_raw(page, "</th>");
}

/* `at` has them, `names` the columns that are known; what their rows do. */
static void add_exposed(kan_page *page, const char *at, const char *names, const char *rows) {
    const size_t n = kan_page_size(page, "%s.exposed", at);
    const size_t n_known = kan_page_size(page, "%s.known", names);
    const size_t n_guesses = kan_page_size(page, "%s.exposed.0.guesses", at);
    if (n == 0)
        return;
    kan_page_raw(page, "<p>Those of whom most is learned, by their row in the table, what is known "
                       "of them, how many ");
    kan_page_print(page, "rows %s, the first of these in the release", rows);
    kan_page_raw(page, n_guesses > 0 ? ", and what most of these show (in how many of them).</p>\n"
                                     : ".</p>\n");
    kan_page_raw(page,
                 "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table, may "
                 "be scrolled\"><table");
    kan_page_raw(page, n_known + n_guesses > KAN_PAGE_FEW ? " class=\"rows many listed\""
                                                          : " class=\"rows listed\"");
    kan_page_raw(page, "><thead><tr><th scope=\"col\" class=\"n\">Row</th>");
    for (size_t c = 0; c < n_known; c++)
        add_head(page, kan_page_find(page, "%s.known.%zu", names, c));
    kan_page_print(page,
                   "<th scope=\"col\" class=\"n\">Rows that %s</th>"
                   "<th scope=\"col\" class=\"n\">The first</th>",
                   rows);
    for (size_t g = 0; g < n_guesses; g++)
        add_head(page, kan_page_find(page, "%s.exposed.0.guesses.%zu.column", at, g));
    kan_page_raw(page, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < n; i++)
        add_person(page, place_of("%s.exposed.%zu", at, i).at, names);
    kan_page_raw(page, "</tbody></table></div>\n");
}

static void add_sentences(kan_page *page, const char *at) {
    const size_t n = kan_page_size(page, "%s.says", at);
    for (size_t i = 0; i < n; i++) {
        kan_page_raw(page, i == 0 ? "<h3>" : i == 1 ? "<p>" : " ");
        kan_page_words(page, kan_page_find(page, "%s.says.%zu", at, i), 2000);
        kan_page_raw(page, i == 0 ? "</h3>\n" : i + 1 == n ? "</p>\n" : "");
    }
}

void kan_page_add_attacks(kan_page *page) {
    const size_t n = kan_page_size(page, "internal.attacks.found");
    if (!kan_page_has(page, "internal.attacks"))
        return;
    kan_page_section(page, "internal-attacks", "What somebody finds who has the table", true);
    kan_page_raw(page,
                 "<p>The table itself was held against the release, as somebody would who has it "
                 "or knows some of its columns. <code>kanon attack</code> does the same with other "
                 "lists, with other releases, and with knowledge of the method.</p>\n");
    if (n == 0) {
        kan_page_raw(page, "<p>");
        if (json_is_string(kan_page_find(page, "internal.attacks.why_not")))
            kan_page_words(page, kan_page_find(page, "internal.attacks.why_not"), 2000);
        else
            kan_page_raw(page, "The release has nothing that could be matched, or too much for a "
                               "report: kanon attack draws people then.");
        kan_page_raw(page, "</p>\n");
    }
    for (size_t i = 0; i < n; i++) {
        const place here = place_of("internal.attacks.found.%zu", i);
        add_sentences(page, here.at);
        add_figure(page, here.at);
        add_exposed(page, here.at, here.at, "match");
        add_exposed(page, place_of("%s.nearest", here.at).at, here.at, "are nearest");
    }
    kan_page_section_end(page);
}
