/* The page of a release of several tables: what is promised of people over all of them, first; then the
 * tables and how they hang together, what became of every column, how many people show the same, and what
 * is not promised. */
#include <stdio.h>
#include <string.h>

#include "report/chart.h"
#include "report/report_page.h"

#define SCROLL                                                                                     \
    "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table, may be scrolled\">"

static bool is_at(const kan_page *page, size_t t, size_t c, const char *key, const char *text) {
    char place[80];
    snprintf(place, sizeof place, "report.tables.%zu.columns.%zu.%s", t, c, key);
    return kan_page_is(page, place, text);
}

static size_t n_tables(const kan_page *page) {
    return kan_page_size(page, "report.tables");
}

static size_t n_columns(const kan_page *page, size_t t) {
    return kan_page_size(page, "report.tables.%zu.columns", t);
}

static void add_table_name(kan_page *page, size_t t) {
    kan_page_value(page, kan_page_find(page, "report.tables.%zu.name", t), KAN_PAGE_NAME);
}

static void add_column_name(kan_page *page, size_t t, size_t c) {
    kan_page_value(page, kan_page_find(page, "report.tables.%zu.columns.%zu.name", t, c),
                   KAN_PAGE_NAME);
}

/* The last part of the release's path, without slashes behind it. */
static kan_slice folder_name(const kan_page *page) {
    const char *path = json_string_value(kan_page_find(page, "release.path"));
    size_t end = path ? strlen(path) : 0, begin;
    while (end > 1 && path[end - 1] == '/')
        end--;
    for (begin = end; begin > 0 && path[begin - 1] != '/'; begin--)
        ;
    return end > begin ? (kan_slice){path + begin, end - begin} : kan_slice_of("A release");
}

static void add_folder_name(kan_page *page) {
    const kan_slice name = folder_name(page);
    kan_page_name(page, name.bytes, name.size, KAN_PAGE_NAME);
}

static void add_made(kan_page *page) {
    if (kan_page_has(page, "report.date")) {
        kan_page_raw(page, " on ");
        kan_page_words(page, kan_page_find(page, "report.date"), 10);
    }
    kan_page_raw(page, " with kanon ");
    kan_page_words(page, kan_page_find(page, "kanon"), 20);
}

/* ---- what is open --------------------------------------------------------------------------- */

static bool is_sensitive(const kan_page *page, size_t t, size_t c) {
    return is_at(page, t, c, "role", "sensitive");
}

static bool is_open(const kan_page *page, size_t t, size_t c) {
    return json_is_true(kan_page_find(page, "report.tables.%zu.columns.%zu.open", t, c));
}

static bool is_kept(const kan_page *page, size_t t, size_t c) {
    return is_open(page, t, c) && !is_sensitive(page, t, c);
}

static bool is_unprotected(const kan_page *page, size_t t, size_t c) {
    return is_open(page, t, c) && is_sensitive(page, t, c);
}

typedef bool chosen(const kan_page *page, size_t t, size_t c);

/* "insurance of patients and position of diagnoses"; returns how many there are. */
static size_t add_chosen(kan_page *page, chosen *is_chosen) {
    enum { MOST_NAMED = 8 };
    size_t n = 0;
    for (size_t t = 0; t < n_tables(page); t++)
        for (size_t c = 0; c < n_columns(page, t); c++) {
            if (!is_chosen(page, t, c) || n++ >= MOST_NAMED)
                continue;
            kan_page_raw(page, n > 1 ? ", " : "");
            add_column_name(page, t, c);
            kan_page_raw(page, " of ");
            add_table_name(page, t);
        }
    if (n > MOST_NAMED)
        kan_page_print(page, " and %zu more", n - MOST_NAMED);
    return n;
}

static bool has_chosen(const kan_page *page, chosen *is_chosen) {
    for (size_t t = 0; t < n_tables(page); t++)
        for (size_t c = 0; c < n_columns(page, t); c++)
            if (is_chosen(page, t, c))
                return true;
    return false;
}

/* Of each sensitive column that is an open risk. */
static void add_sure(kan_page *page, size_t i) {
    const bool is_protected =
        json_is_true(kan_page_find(page, "report.sensitive.%zu.protected", i));
    kan_page_raw(page, "<li><strong class=\"open\">");
    kan_page_value(page, kan_page_find(page, "report.sensitive.%zu.column", i), KAN_PAGE_NAME);
    kan_page_raw(page, " of ");
    kan_page_value(page, kan_page_find(page, "report.sensitive.%zu.table", i), KAN_PAGE_NAME);
    kan_page_raw(page, is_protected ? " can almost be known</strong>, though the promise holds"
                                    : " is sensitive, and is released without protection</strong>");
    kan_page_raw(page, ": whoever knows what a person shows, and about which of her rows she asks, "
                       "can be up to <strong>");
    kan_page_percent(page, "report.sensitive.%zu.confidence", i);
    kan_page_raw(page, "</strong> sure of its value there.</li>\n");
}

static void add_open(kan_page *page) {
    kan_page_raw(page, "<h3>What is not covered</h3>\n<ul>\n");
    for (size_t i = 0; i < kan_page_size(page, "report.sensitive"); i++)
        if (json_is_true(kan_page_find(page, "report.sensitive.%zu.open", i)))
            add_sure(page, i);
    if (has_chosen(page, is_kept)) {
        kan_page_raw(page, "<li><strong class=\"open\">");
        const size_t n = add_chosen(page, is_kept);
        kan_page_raw(page, n == 1 ? " is kept</strong>" : " are kept</strong>");
        kan_page_raw(page, ": whoever also knows that of all rows of a person can single out ");
        kan_page_counted(page, "person", "people", "report.people.alone_with_kept");
        kan_page_raw(page, ".</li>\n");
    }
    kan_page_raw(page, "<li><strong class=\"open\">Rows stand in the order of the "
                       "input</strong>: whoever knows that order can tell whose each row is. Sort "
                       "the input by something harmless if it means anything.</li>\n</ul>\n");
}

/* ---- the promise ---------------------------------------------------------------------------- */

static bool is_quasi(const kan_page *page, size_t t, size_t c) {
    return is_at(page, t, c, "role", "quasi-identifier");
}

static void add_promise(kan_page *page) {
    kan_page_raw(page, "<ul>\n<li>What a released person shows over all tables is shown by at "
                       "least ");
    kan_page_counted(page, "person", "people", "promise.k");
    kan_page_raw(page, ": ");
    (void)add_chosen(page, is_quasi);
    kan_page_raw(
        page, ", in her own row and in every row below it, which of these rows belong "
              "together, and how many there are. Whoever knows all of that about a person finds "
              "at least that many people who could be her.</li>\n<li>Keys are pseudonyms, the "
              "same in all tables: the release can be joined as the originals could. That is why "
              "the promise is about all rows of a person together.</li>\n");
    for (size_t m = 0; m < kan_page_size(page, "report.models"); m++) {
        kan_page_raw(page, "<li>Among the people who show the same: ");
        kan_page_words(page, kan_page_find(page, "report.models.%zu", m), 400);
        kan_page_raw(page, ".</li>\n");
    }
    kan_page_raw(page, "</ul>\n");
}

/* ---- the figures of whoever signs ----------------------------------------------------------- */

static void begin_fact(kan_page *page, const char *name, bool is_open) {
    kan_page_print(page, "<div%s><dt>%s</dt><dd>", is_open ? " class=\"open\"" : "", name);
}

static void end_fact(kan_page *page) {
    kan_page_raw(page, "</dd></div>\n");
}

static void add_fact(kan_page *page, const char *name, const char *key) {
    begin_fact(page, name, false);
    kan_page_count(page, "%s", key);
    end_fact(page);
}

static void add_facts(kan_page *page) {
    kan_page_raw(page, "<dl class=\"facts\" id=\"short\">\n");
    add_fact(page, "People in the release", "report.people.released");
    begin_fact(page, "People left out, with all rows", false);
    kan_page_count(page, "report.people.left_out");
    kan_page_raw(page, " <small>the limit is ");
    kan_page_words(page, kan_page_find(page, "report.people.limit"), 20);
    kan_page_raw(page, "</small>");
    end_fact(page);
    add_fact(page, "Different trees", "report.people.trees");
    add_fact(page, "People with the rarest tree", "report.people.fewest");
    begin_fact(page, "Highest risk of a person", false);
    kan_page_percent(page, "report.people.highest_risk");
    end_fact(page);
    if (has_chosen(page, is_kept)) {
        begin_fact(page, "People alone with what is kept",
                   kan_page_number(page, "report.people.alone_with_kept") > 0);
        kan_page_count(page, "report.people.alone_with_kept");
        end_fact(page);
    }
    for (size_t i = 0; i < kan_page_size(page, "report.sensitive"); i++) {
        kan_page_print(page, "<div%s><dt>How sure somebody can be of ",
                       json_is_true(kan_page_find(page, "report.sensitive.%zu.open", i))
                           ? " class=\"open\""
                           : "");
        kan_page_value(page, kan_page_find(page, "report.sensitive.%zu.column", i), KAN_PAGE_NAME);
        kan_page_raw(page, "</dt><dd>");
        kan_page_percent(page, "report.sensitive.%zu.confidence", i);
        kan_page_raw(page, " <small>at most, for somebody who knows the tree</small></dd></div>\n");
    }
    kan_page_raw(page, "</dl>\n");
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static void add_verdict(kan_page *page) {
    kan_page_raw(page,
                 "<section id=\"promise\" class=\"verdict open\">\n<svg viewBox=\"0 0 40 40\" "
                 "aria-hidden=\"true\"><circle cx=\"20\" cy=\"20\" r=\"18\" fill=\"none\" "
                 "stroke=\"currentColor\" stroke-width=\"3\"/><path d=\"M20 10v13M20 "
                 "28v2\" stroke=\"currentColor\" stroke-width=\"4\" "
                 "stroke-linecap=\"round\"/></svg>\n<div>\n<h2>The promise holds, and was "
                 "verified; it does not cover all");
    if (page->is_internal)
        kan_page_raw(page, " <span class=\"tag\">internal</span>");
    kan_page_raw(page, "</h2>\n");
    add_facts(page);
    kan_page_raw(page, "<div class=\"parts\">\n<div>\n<h3>What is promised</h3>\n");
    add_promise(page);
    kan_page_raw(page, "</div>\n<div>\n");
    add_open(page);
    kan_page_raw(page,
                 "<h3>How it was checked</h3>\n<p>The finished release was read again before it "
                 "got its name: every table was "
                 "compared with its original row by row; then rows were tied to their parents by "
                 "the released keys alone, each person's tree was written out, and equal ones were "
                 "counted, by code that shares nothing with the search. The rarest tree is that "
                 "of ");
    kan_page_counted(page, "person", "people", "report.people.fewest");
    kan_page_raw(page, ". No released row points to one that is not there.</p>\n</div>\n"
                       "</div>\n</div>\n</section>\n");
}

/* ---- tables --------------------------------------------------------------------------------- */

static void add_table_row(kan_page *page, size_t t) {
    const double depth = kan_page_number(page, "report.tables.%zu.depth", t);
    kan_page_raw(page, "<tr><th scope=\"row\" class=\"v\">");
    for (double d = 0; d < depth; d++)
        kan_page_raw(page, d + 1 < depth ? "\u2003" : "\u2003\u2514 ");
    add_table_name(page, t);
    kan_page_raw(page, "</th><td class=\"n\">");
    kan_page_count(page, "report.tables.%zu.rows", t);
    kan_page_raw(page, "</td><td>");
    if (t == 0) {
        kan_page_raw(page, "one for each person");
    } else {
        kan_page_raw(page, "any number below each row of ");
        kan_page_value(page, kan_page_find(page, "report.tables.%zu.of", t), KAN_PAGE_NAME);
        kan_page_raw(page, ", by ");
        kan_page_value(page, kan_page_find(page, "report.tables.%zu.by", t), KAN_PAGE_NAME);
    }
    kan_page_raw(page, "</td><td>");
    kan_page_value(page, kan_page_find(page, "report.tables.%zu.key", t), KAN_PAGE_NAME);
    kan_page_raw(page, "</td></tr>\n");
}

static void add_tables(kan_page *page) {
    kan_page_section(page, "tables", "The tables, and how they hang together", false);
    kan_page_raw(page, "<p>Each row of a table below another belongs to one row there. Who is left "
                       "out is so with all rows in all tables.</p>\n" SCROLL
                       "<table><thead><tr><th scope=\"col\">Table</th><th scope=\"col\" "
                       "class=\"n\">Rows released</th><th scope=\"col\">Its rows</th><th "
                       "scope=\"col\">Key</th></tr></thead><tbody>\n");
    for (size_t t = 0; t < n_tables(page); t++)
        add_table_row(page, t);
    kan_page_raw(page, "</tbody></table></div>\n");
    kan_page_section_end(page);
}

/* ---- columns -------------------------------------------------------------------------------- */

static void add_became(kan_page *page, size_t t, size_t c) {
    const bool is_treated = kan_page_has(page, "report.tables.%zu.columns.%zu.treated", t, c);
    if (is_treated) {
        kan_page_words(page, kan_page_find(page, "report.tables.%zu.columns.%zu.treated", t, c),
                       160);
        kan_page_raw(page, "; then ");
    }
    if (is_at(page, t, c, "became", "generalized"))
        kan_page_raw(page, "made coarser");
    else if (is_at(page, t, c, "became", "removed"))
        kan_page_raw(page, "removed: * in every released row");
    else if (is_at(page, t, c, "became", "unchanged"))
        kan_page_raw(page, is_quasi(page, t, c) ? "unchanged in every released row"
                           : is_treated         ? "released so"
                                                : "released as it is");
    else
        kan_page_words(page, kan_page_find(page, "report.tables.%zu.columns.%zu.became", t, c),
                       KAN_PAGE_NAME);
    if (is_open(page, t, c))
        kan_page_raw(page, "; <strong class=\"open\">open risk</strong>");
}

static void add_level(kan_page *page, size_t t, size_t c) {
    if (!is_quasi(page, t, c))
        return;
    if (!kan_page_has(page, "report.tables.%zu.columns.%zu.level", t, c)) {
        kan_page_raw(page, "not told: its hierarchy is made of everybody's rows");
        return;
    }
    kan_page_count(page, "report.tables.%zu.columns.%zu.level", t, c);
    kan_page_raw(page, " of ");
    kan_page_count(page, "report.tables.%zu.columns.%zu.height", t, c);
}

static void add_column(kan_page *page, size_t t, size_t c) {
    kan_page_print(page, "<tr%s><th scope=\"row\" class=\"v\">",
                   is_open(page, t, c) ? " class=\"open\"" : "");
    add_column_name(page, t, c);
    kan_page_raw(page, "</th><td>");
    kan_page_add_role(page, kan_page_find(page, "report.tables.%zu.columns.%zu.role", t, c));
    kan_page_raw(page, "</td><td>");
    add_became(page, t, c);
    kan_page_raw(page, "</td><td>");
    add_level(page, t, c);
    kan_page_raw(page, "</td><td class=\"v\">");
    if (is_quasi(page, t, c))
        kan_page_value(page, kan_page_find(page, "report.tables.%zu.columns.%zu.hierarchy", t, c),
                       160);
    kan_page_raw(page, "</td></tr>\n");
}

static void add_columns(kan_page *page) {
    kan_page_section(page, "columns", "What happened to every column", false);
    kan_page_raw(page,
                 "<p>People can be recognised by their quasi-identifiers; sensitive values are "
                 "what nobody should learn about a person. One level holds for a column of "
                 "that name in all tables; level 0 is the value itself.");
    if (kan_page_number(page, "report.people.left_out") > 0)
        kan_page_raw(page, " What is said of a column is said of released rows.");
    kan_page_raw(page, "</p>\n");
    for (size_t t = 0; t < n_tables(page); t++) {
        kan_page_raw(page, "<h3>");
        add_table_name(page, t);
        kan_page_raw(page, "</h3>\n" SCROLL "<table><thead><tr><th scope=\"col\">Column</th><th "
                           "scope=\"col\">What it is</th><th scope=\"col\">What happened to "
                           "it</th><th scope=\"col\">Level</th><th scope=\"col\">Hierarchy</th>"
                           "</tr></thead><tbody>\n");
        for (size_t c = 0; c < n_columns(page, t); c++)
            add_column(page, t, c);
        kan_page_raw(page, "</tbody></table></div>\n");
    }
    kan_page_section_end(page);
}

/* ---- trees ---------------------------------------------------------------------------------- */

static void add_size(kan_page *page, size_t i, double most) {
    kan_page_raw(page, "<tr><th scope=\"row\" class=\"n\">");
    kan_page_count(page, "report.sizes.%zu.least", i);
    if (kan_page_has(page, "report.sizes.%zu.most", i)) {
        kan_page_raw(page, "\u2013");
        kan_page_count(page, "report.sizes.%zu.most", i);
    } else {
        kan_page_raw(page, " and more");
    }
    kan_page_raw(page, "</th><td class=\"bars\">");
    kan_chart_pair(page, -1, kan_page_number(page, "report.sizes.%zu.people", i), most);
    kan_page_raw(page, "</td><td class=\"n\">");
    kan_page_count(page, "report.sizes.%zu.people", i);
    kan_page_raw(page, "</td><td class=\"n\">");
    kan_page_count(page, "report.sizes.%zu.trees", i);
    kan_page_raw(page, "</td></tr>\n");
}

static void add_sizes(kan_page *page) {
    const size_t n = kan_page_size(page, "report.sizes");
    double most = 1;
    for (size_t i = 0; i < n; i++) {
        const double people = kan_page_number(page, "report.sizes.%zu.people", i);
        most = people > most ? people : most;
    }
    kan_page_section(page, "sizes", "How many people show the same", false);
    kan_page_raw(page,
                 "<p>The tree of a person is what her row and all rows below it show, with "
                 "which belongs to which. The more people have the same tree, the less can be "
                 "said about anybody.</p>\n" SCROLL
                 "<table><thead><tr><th scope=\"col\" class=\"n\">People with the same tree"
                 "</th><th scope=\"col\"><span class=\"off\">Chart</span></th><th "
                 "scope=\"col\" class=\"n\">People</th><th scope=\"col\" class=\"n\">Trees"
                 "</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < n; i++)
        add_size(page, i, most);
    kan_page_raw(page, "</tbody></table></div>\n");
    kan_page_section_end(page);
}

/* ---- cost and search ------------------------------------------------------------------------ */

static void add_cost(kan_page *page) {
    kan_page_section(page, "costs", "What it cost, and how it was found", false);
    kan_page_raw(page, "<p><strong>");
    kan_page_words(page, kan_page_find(page, "report.cost.name"), 40);
    kan_page_raw(page, "</strong> ");
    if (kan_page_has(page, "report.cost.released"))
        kan_page_count(page, "report.cost.released");
    else
        kan_page_raw(page, "is not told: it depends on people who were left out");
    kan_page_raw(page, " over all cells of quasi-identifiers of released rows, in all tables (");
    kan_page_words(page, kan_page_find(page, "report.cost.words"), 200);
    kan_page_raw(page, "). One search chose the levels of all tables by this cost. ");
    if (json_is_true(kan_page_find(page, "report.proven")))
        kan_page_raw(page, "It is proven that no other levels cost less.");
    else if (json_is_false(kan_page_find(page, "report.proven")))
        kan_page_raw(page, "It ended before that was proven to be the least.");
    else
        kan_page_raw(page, "How far it got also depends on people who were left out, and is not "
                           "shown here.");
    kan_page_raw(page, "</p>\n");
    kan_page_section_end(page);
}

/* ---- internal ------------------------------------------------------------------------------- */

static void add_read(kan_page *page, size_t t) {
    kan_page_raw(page, "<tr><th scope=\"row\" class=\"v\">");
    add_table_name(page, t);
    kan_page_raw(page, "</th><td class=\"n\">");
    kan_page_count(page, "internal.tables.%zu.read", t);
    kan_page_raw(page, "</td><td class=\"n\">");
    kan_page_count(page, "internal.tables.%zu.left_out", t);
    kan_page_raw(page, "</td></tr>\n");
}

static void add_left(kan_page *page) {
    const size_t n = kan_page_size(page, "internal.left");
    if (n == 0)
        return;
    kan_page_raw(page, "<p>The first people who are left out, by key: ");
    for (size_t i = 0; i < n; i++) {
        kan_page_raw(page, i > 0 ? ", " : "");
        kan_page_value(page, kan_page_find(page, "internal.left.%zu.key", i), KAN_PAGE_VALUE);
        kan_page_raw(page, " (row ");
        kan_page_count(page, "internal.left.%zu.row", i);
        kan_page_raw(page, ")");
    }
    kan_page_raw(page, ".</p>\n");
}

static void add_internal(kan_page *page) {
    kan_page_section(page, "internal", "Who is left out, and the search", true);
    kan_page_raw(page, SCROLL "<table><thead><tr><th scope=\"col\">Table</th><th scope=\"col\" "
                              "class=\"n\">Rows read</th><th scope=\"col\" class=\"n\">Rows left "
                              "out</th></tr></thead><tbody>\n");
    for (size_t t = 0; t < n_tables(page); t++)
        add_read(page, t);
    kan_page_raw(page, "</tbody></table></div>\n");
    add_left(page);
    kan_page_raw(page, "<p>The search looked at ");
    kan_page_counted(page, "node", "nodes", "nodes_checked");
    kan_page_raw(page, "; over all rows, those of people who are left out as removed, the release "
                       "costs ");
    kan_page_count(page, "cost_of_all");
    kan_page_raw(page, json_is_true(kan_page_find(page, "optimal"))
                           ? ", and no other levels cost less.</p>\n"
                           : ", and no levels cost less than ");
    if (!json_is_true(kan_page_find(page, "optimal"))) {
        kan_page_count(page, "bound");
        kan_page_raw(page, ".</p>\n");
    }
    kan_page_section_end(page);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void add_limits(kan_page *page) {
    kan_page_section(page, "limits", "What is not promised", false);
    kan_page_raw(page, "<ul>\n");
    if (has_chosen(page, is_unprotected)) {
        kan_page_raw(page, "<li><strong>Nothing is promised about ");
        (void)add_chosen(page, is_unprotected);
        kan_page_raw(page, "</strong>: all people with the same tree may share one value, and then "
                           "it is known of each of them, without anybody being recognised "
                           "(homogeneity, attribute disclosure).</li>\n");
    }
    kan_page_raw(
        page,
        "<li>Somebody may know more than was assumed, such as what is in a column that is kept, or "
        "what a person certainly does not have.</li>\n"
        "<li>The promise is about the columns that were named. A column that can be used to "
        "recognise somebody and was not named is not protected.</li>\n"
        "<li>People are those of the first table: somebody who has two rows there counts as "
        "two.</li>\n"
        "<li>Two releases of the same people can say together what neither says alone.</li>\n"
        "</ul>\n");
    kan_page_section_end(page);
}

static void add_hashes(kan_page *page) {
    for (size_t i = 0; i < kan_page_size(page, "report.files"); i++) {
        char key[48];
        snprintf(key, sizeof key, "report.files.%zu.role", i);
        if (!kan_page_is(page, key, "release"))
            continue;
        kan_page_raw(page, "<br>");
        if (kan_page_has(page, "report.files.%zu.column", i)) {
            kan_page_value(page, kan_page_find(page, "report.files.%zu.column", i), KAN_PAGE_NAME);
            kan_page_raw(page, ": ");
        }
        kan_page_raw(page, "SHA-256 <code>");
        kan_page_words(page, kan_page_find(page, "report.files.%zu.sha256", i), 64);
        kan_page_raw(page, "</code>");
    }
}

static void add_sign(kan_page *page) {
    kan_page_section(page, "sign", "Sign-off", false);
    kan_page_raw(page, "<p>Release: <strong>");
    add_folder_name(page);
    kan_page_raw(page, "</strong>");
    add_made(page);
    add_hashes(page);
    kan_page_raw(page, "</p>\n<p>To be filled in by whoever is responsible for the release.</p>\n"
                       "<div class=\"sign\"><div>Name and position</div><div>Purpose and "
                       "recipients</div><div>Place and date</div><div>Signature</div></div>\n");
    kan_page_section_end(page);
}

static void add_header(kan_page *page) {
    kan_page_raw(page, "<header>\n<p class=\"kicker\">Anonymization report");
    kan_page_raw(page, page->is_internal ? " \u2013 internal</p>\n<h1>" : "</p>\n<h1>");
    add_folder_name(page);
    kan_page_raw(page, "</h1>\n<p class=\"lead\">");
    kan_page_print(page, "%zu tables that belong together, made", n_tables(page));
    add_made(page);
    kan_page_raw(page, page->is_internal ? ". This report contains raw values: it is for those who "
                                           "may see the tables.</p>\n</header>\n"
                                         : ". This report shows nothing that the release hides: it "
                                           "can be shared with it.</p>\n</header>\n");
}

static void add_contents(kan_page *page) {
    kan_page_raw(page, "<nav aria-label=\"Contents\"><ol>\n"
                       "<li><a href=\"#tables\">Tables</a></li>\n"
                       "<li><a href=\"#columns\">Every column</a></li>\n"
                       "<li><a href=\"#sizes\">People who show the same</a></li>\n"
                       "<li><a href=\"#costs\">What it cost</a></li>\n"
                       "<li><a href=\"#origin\">Making it again</a></li>\n");
    if (page->is_internal)
        kan_page_raw(page, "<li><a href=\"#internal\">Internal</a></li>\n");
    kan_page_raw(page, "<li><a href=\"#limits\">What is not promised</a></li>\n"
                       "<li><a href=\"#sign\">Sign-off</a></li>\n</ol></nav>\n");
}

static kan_status begin(kan_run *run, kan_page *page) {
    const kan_slice name = folder_name(page);
    const char *date = json_string_value(kan_page_find(page, "report.date"));
    kan_text title, shown;
    kan_text_init(&title, run);
    kan_text_init(&shown, run);
    kan_text_add(&shown, name.bytes, name.size);
    kan_text_print(&title, "%.*s \u2013 anonymization report, %s, kanon %s", (int)name.size,
                   name.bytes, date ? date : "", json_string_value(kan_page_find(page, "kanon")));
    kan_status status = kan_text_status(&title);
    status = status == KAN_OK ? kan_text_status(&shown) : status;
    if (status == KAN_OK)
        kan_page_begin(page, title.bytes, shown.bytes);
    kan_text_destroy(&title);
    kan_text_destroy(&shown);
    return status;
}

kan_status kan_tables_page_print(kan_run *run, const json_t *object, kan_text *out) {
    kan_page page = {.to = out, .root = object};
    page.is_internal = kan_page_has(&page, "internal");
    KAN_TRY(begin(run, &page));
    add_header(&page);
    kan_page_raw(&page, "<main>\n");
    add_verdict(&page);
    add_contents(&page);
    add_tables(&page);
    add_columns(&page);
    add_sizes(&page);
    add_cost(&page);
    kan_page_add_origin(&page);
    if (page.is_internal)
        add_internal(&page);
    kan_page_raw(&page, "<div class=\"end\">\n");
    add_limits(&page);
    add_sign(&page);
    kan_page_raw(&page, "</div>\n</main>\n<footer>\n<p>Every figure on this page is taken from the "
                        "JSON result that it was made from, and names its place there; the page "
                        "makes no network request and runs no script.</p>\n</footer>\n");
    kan_page_end(&page);
    return kan_text_status(out);
}
