/* The page of a release of rows that were drawn: what that promises, what was done, and what is not
 * promised. It has no date and no figure that does not follow from released rows or settings. */
#include <math.h>

#include "report/report_page.h"

static void add_path(kan_page *page) {
    kan_page_value(page, kan_page_find(page, "release.path"), KAN_PAGE_NAME);
}

/* A small number as it was asked for, with its place in the document. */
static void add_real(kan_page *page, const char *key) {
    const double number = kan_page_number(page, "%s", key);
    kan_page_print(page, "<data value=\"%.10g\" data-key=\"%s\">%.10g</data>", number, key, number);
}

static void add_promise(kan_page *page) {
    kan_page_section(page, "short", "What is promised", false);
    kan_page_raw(page, "<p><strong>Differential privacy</strong>, with epsilon ");
    add_real(page, "promise.epsilon");
    kan_page_raw(page, " and delta ");
    add_real(page, "promise.delta");
    kan_page_print(
        page,
        ": whether or not the row of a person was in the table, any release is almost as "
        "likely: no set of releases is more than e<sup>epsilon</sup> = %.3g times as "
        "likely with the row as without it, or without it as with it, save with "
        "probability delta. That holds whatever else somebody knows, how the release was "
        "made included, and it needs no guess at what somebody may know.</p>\n",
        exp(kan_page_number(page, "promise.epsilon")));
    kan_page_raw(page,
                 "<p>Each further release of the same people spends an epsilon and a delta of "
                 "its own, and these add up: two releases like this one come to twice "
                 "both.</p>\n");
    kan_page_section_end(page);
}

static void add_method(kan_page *page) {
    kan_page_section(page, "method", "How it was made", false);
    kan_page_raw(page,
                 "<ol>\n<li><strong>Rows were drawn</strong>: each by itself, with probability "
                 "1 &minus; e<sup>&minus;epsilon</sup> = ");
    kan_page_percent(page, "promise.drawn");
    kan_page_raw(page, ", by random numbers of the operating system. Nobody can make them again, "
                       "and nothing says which rows they chose.</li>\n"
                       "<li><strong>Values were shown at levels</strong> that had been chosen "
                       "without looking at the table.</li>\n"
                       "<li><strong>Groups were counted</strong>: drawn rows that show the same in "
                       "every column of the release. Those of at least ");
    kan_page_counted(page, "row", "rows", "promise.k");
    kan_page_raw(page,
                 ", which follows from epsilon and delta, are released, and all others are left "
                 "out.</li>\n<li><strong>Rows stand in the order of what they show</strong>, "
                 "and not in that of the table.</li>\n</ol>\n");
    kan_page_section_end(page);
}

static void add_level(kan_page *page, size_t c) {
    if (!json_is_integer(kan_page_find(page, "columns.%zu.level", c))) {
        kan_page_raw(page, "as it is");
        return;
    }
    kan_page_count(page, "columns.%zu.level", c);
    kan_page_raw(page, " of ");
    kan_page_count(page, "columns.%zu.height", c);
}

static void add_columns(kan_page *page) {
    kan_page_section(page, "columns", "What is shown", false);
    kan_page_raw(page,
                 "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table, may "
                 "be scrolled\"><table>\n<thead><tr><th scope=\"col\">Column</th><th "
                 "scope=\"col\">Hierarchy</th><th scope=\"col\">Level</th></tr></thead>\n"
                 "<tbody>\n");
    for (size_t c = 0; c < kan_page_size(page, "columns"); c++) {
        kan_page_raw(page, "<tr><th scope=\"row\">");
        kan_page_value(page, kan_page_find(page, "columns.%zu.name", c), KAN_PAGE_NAME);
        kan_page_raw(page, "</th><td>");
        kan_page_value(page, kan_page_find(page, "columns.%zu.hierarchy", c), KAN_PAGE_NAME);
        kan_page_raw(page, "</td><td>");
        add_level(page, c);
        kan_page_raw(page, "</td></tr>\n");
    }
    kan_page_raw(page, "</tbody></table></div>\n<p>The release has ");
    kan_page_counted(page, "row", "rows", "released.rows");
    kan_page_raw(page, " in ");
    kan_page_counted(page, "group", "groups", "released.groups");
    if (kan_page_number(page, "released.groups") > 0) {
        kan_page_raw(page, ", the smallest of ");
        kan_page_counted(page, "row", "rows", "released.smallest_group");
    }
    kan_page_raw(page, ". It was read again and counted before it got its name. How many rows the "
                       "table has, and how many were drawn or left out, is not told: that would "
                       "tell of the table beside the promise.</p>\n");
    kan_page_section_end(page);
}

static void add_limits(kan_page *page) {
    kan_page_section(page, "limits", "What is not promised", false);
    kan_page_raw(
        page,
        "<ul>\n<li>The promise is about one row more or less: a person with several rows is not "
        "covered by it.</li>\n<li>It is about what the row of a person adds, not about what holds "
        "of people in general: what all rows tell together is still told.</li>\n<li>It is lost "
        "where "
        "levels, hierarchies or columns were chosen by looking at this table, or where a release "
        "was made again and again until one pleased.</li>\n<li>Numbers of rows are those of drawn "
        "rows, and groups that are small are missing: the release is no count of the table.</li>\n"
        "</ul>\n");
    kan_page_section_end(page);
}

kan_status kan_draws_page_print(kan_run *run, const json_t *object, kan_text *out) {
    kan_page page = {.to = out, .root = object};
    const char *path = json_string_value(kan_page_find(&page, "release.path"));
    (void)run;
    kan_page_begin(&page, "Anonymization report", path ? path : "A release");
    kan_page_raw(&page, "<header>\n<p class=\"kicker\">Anonymization report</p>\n<h1>");
    add_path(&page);
    kan_page_raw(&page, "</h1>\n<p class=\"lead\">Made with kanon ");
    kan_page_words(&page, kan_page_find(&page, "kanon"), 20);
    kan_page_raw(&page,
                 ". This report tells nothing of the table beside what the release tells: it "
                 "can be shared with it.</p>\n</header>\n<main>\n");
    add_promise(&page);
    add_method(&page);
    add_columns(&page);
    add_limits(&page);
    kan_page_raw(&page,
                 "</main>\n<footer>\n<p>Every figure on this page is taken from the JSON "
                 "result that it was made from, and names its place there; the page makes no "
                 "network request and runs no script.</p>\n</footer>\n");
    kan_page_end(&page);
    return kan_text_status(out);
}
