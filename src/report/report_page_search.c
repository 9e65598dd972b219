/* What the release cost, how well it answers queries, how it was found, and how it can be made
 * again. */
#include <stdio.h>

#include "data/table.h"
#include "report/chart.h"
#include "report/report_page.h"

/* ---- costs ---------------------------------------------------------------------------------- */

/* Where the costs stand: those that can be told, or all. */
static const char *costs_key(const kan_page *page) {
    return kan_page_has(page, "report.metrics") ? "report.metrics" : "metrics";
}

static void add_cost(kan_page *page, const char *name) {
    const bool is_aim = kan_page_is(page, "cost", name);
    const json_t *words = kan_page_find(page, "report.costs.%s", name);
    kan_page_print(page, "<tr%s><th scope=\"row\">", is_aim ? " class=\"on\"" : "");
    kan_page_text(page, name, strlen(name), KAN_PAGE_NAME);
    if (is_aim)
        kan_page_raw(page, " <strong>(minimized)</strong>");
    kan_page_raw(page, "</th><td class=\"n\">");
    kan_page_count(page, "%s.%s", costs_key(page), name);
    kan_page_raw(page, "</td><td class=\"v\">");
    if (words)
        kan_page_words(page, words, 200);
    kan_page_raw(page, "</td></tr>\n");
}

static void add_cost_table(kan_page *page) {
    json_t *metrics = (json_t *)(uintptr_t)kan_page_find(page, "%s", costs_key(page));
    const char *name;
    json_t *value;
    kan_page_raw(page, "<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
                       "aria-label=\"Table, may be scrolled\"><table><thead><tr><th scope=\"col\">"
                       "Measure</th><th scope=\"col\" class=\"n\">Value</th><th scope=\"col\">What "
                       "it is</th></tr></thead><tbody>\n");
    json_object_foreach(metrics, name, value) {
        if (json_is_number(value))
            add_cost(page, name);
    }
    kan_page_raw(page, "</tbody></table></div>\n");
}

void kan_page_add_costs(kan_page *page) {
    const bool tells_all = kan_page_tells_all(page);
    kan_page_section(page, "costs", "What it cost", false);
    kan_page_raw(page, "<p>How much the release lost, by several measures; smaller is better. "
                       "Precision, distortion and ncp lie between 0, nothing was lost, and 1, "
                       "everything was.");
    if (kan_page_is(page, "count", "people"))
        kan_page_raw(page, " Everybody counts the same, however many rows she has: each row is "
                           "weighed by 1 / the rows of its person, and sizes are numbers of "
                           "people; height counts levels alone.");
    if (kan_page_hides_rows(page))
        kan_page_raw(page, " They are of the released rows alone: what was suppressed is not "
                           "counted, because it would reveal how many rows somebody has.");
    else if (!tells_all)
        kan_page_raw(page,
                     " A suppressed row counts as lost altogether, whatever it had: shares of "
                     "a domain are of the values that released rows have.");
    kan_page_raw(page, "</p>\n");
    /* a result without a report has costs over all rows alone */
    if (tells_all || kan_page_has(page, "report.metrics"))
        add_cost_table(page);
    kan_page_section_end(page);
}

/* ---- workload ------------------------------------------------------------------------------- */

void kan_page_add_workload(kan_page *page) {
    static const char *const figures[][2] = {{"mean", "Mean error"},
                                             {"median", "Median error"},
                                             {"percentile_90", "90 % of queries are within"}};
    kan_page_section(page, "workload", "How well it answers queries", false);
    kan_page_raw(page, "<p>The queries of the workload were answered on the table and on the "
                       "release; the error is the difference between the two answers relative to "
                       "the true one, here in whole percents, rounded up. Queries: ");
    kan_page_count(page, "report.workload.queries");
    kan_page_raw(page, ".</p>\n");
    if (kan_page_has(page, "report.workload.error")) {
        kan_page_raw(page, "<dl class=\"facts\">\n");
        for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
            kan_page_print(page, "<div><dt>%s</dt><dd>", figures[i][1]);
            kan_page_percent(page, "report.workload.error.%s", figures[i][0]);
            kan_page_raw(page, "</dd></div>\n");
        }
        kan_page_raw(page, "</dl>\n");
    } else if (!kan_page_tells_all(page)) {
        kan_page_raw(page,
                     "<p class=\"note\">True answers also count suppressed rows, so the errors "
                     "would reveal what these had; an internal report has them.</p>\n");
    } else if (kan_page_counts_people(page)) {
        kan_page_raw(page,
                     "<p class=\"note\">Answers count rows, many of which may be one person's, so "
                     "errors are not shown here; an internal report has them.</p>\n");
    } else {
        kan_page_raw(page, "<p class=\"note\">They are so few that their errors would reveal exact "
                           "answers; an internal report has them.</p>\n");
    }
    kan_page_section_end(page);
}

/* ---- the lattice ---------------------------------------------------------------------------- */

static bool is_chosen_height(const kan_page *page, size_t h) {
    return kan_page_has(page, "solution.height") &&
           kan_page_number(page, "report.lattice.heights.%zu.height", h) ==
               kan_page_number(page, "solution.height");
}

static void add_heights(kan_page *page) {
    const size_t n = kan_page_size(page, "report.lattice.heights");
    const bool knows = kan_page_has(page, "report.lattice.heights.0.passing");
    double most = 1;
    for (size_t h = 0; h < n; h++) {
        const double nodes = kan_page_number(page, "report.lattice.heights.%zu.nodes", h);
        most = nodes > most ? nodes : most;
    }
    kan_chart_legend(page, "all combinations of that height", knows ? "keep the promise" : NULL);
    if (!knows)
        kan_page_raw(page, "<p>Which of them keep the promise was not counted.</p>\n");
    kan_page_raw(page,
                 "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table, may "
                 "be scrolled\"><table><caption>Combinations of levels by their height, the "
                 "sum of the levels; at the bottom ");
    kan_page_raw(page, kan_page_has(page, "lattice.box") ? "the lowest that may be chosen"
                                                         : "the table as it is");
    kan_page_raw(page, "</caption><thead><tr>"
                       "<th scope=\"col\" class=\"n\">Height</th><th scope=\"col\"><span "
                       "class=\"off\">Chart</span></th><th scope=\"col\" class=\"n\">Combinations"
                       "</th><th scope=\"col\" class=\"n\">Keep the promise</th><th scope=\"col\" "
                       "class=\"n\">Minimal</th><th scope=\"col\"></th></tr></thead><tbody>\n");
    for (size_t h = n; h-- > 0;) {
        const bool is_chosen = is_chosen_height(page, h);
        kan_page_print(page, "<tr%s><th scope=\"row\" class=\"n\">",
                       is_chosen ? " class=\"on\"" : "");
        kan_page_count(page, "report.lattice.heights.%zu.height", h);
        kan_page_raw(page, "</th><td class=\"bars\">");
        kan_chart_middle(page, kan_page_number(page, "report.lattice.heights.%zu.nodes", h),
                         kan_page_number(page, "report.lattice.heights.%zu.passing", h), most);
        kan_page_raw(page, "</td><td class=\"n\">");
        kan_page_count(page, "report.lattice.heights.%zu.nodes", h);
        kan_page_raw(page, "</td><td class=\"n\">");
        kan_page_count(page, "report.lattice.heights.%zu.passing", h);
        kan_page_raw(page, "</td><td class=\"n\">");
        kan_page_count(page, "report.lattice.heights.%zu.minimal", h);
        kan_page_print(page, "</td><td>%s</td></tr>\n", is_chosen ? "\u25c6 chosen" : "");
    }
    kan_page_raw(page, "</tbody></table></div>\n");
}

static void add_vector(kan_page *page, size_t i) {
    const size_t n = kan_page_size(page, "report.alternatives.nodes.%zu.levels", i);
    for (size_t a = 0; a < n; a++) {
        kan_page_raw(page, a ? ", " : "");
        kan_page_count(page, "report.alternatives.nodes.%zu.levels.%zu", i, a);
    }
}

static void add_alternative(kan_page *page, size_t i, const char *const *costs, size_t n_costs) {
    const bool is_chosen =
        json_is_true(kan_page_find(page, "report.alternatives.nodes.%zu.chosen", i));
    kan_page_print(page, "<tr%s><th scope=\"row\" class=\"k\">", is_chosen ? " class=\"on\"" : "");
    add_vector(page, i);
    kan_page_print(page, "%s</th><td class=\"n\" data-label=\"Groups\">",
                   is_chosen ? " \u25c6" : "");
    kan_page_count(page, "report.alternatives.nodes.%zu.groups", i);
    kan_page_raw(page, "</td><td class=\"n\" data-label=\"Suppressed\">");
    if (kan_page_has(page, "report.alternatives.nodes.%zu.suppressed", i)) {
        kan_page_count(page, "report.alternatives.nodes.%zu.suppressed", i);
    } else if (kan_page_is(page, "person.suppress_by", "row")) {
        kan_page_raw(page, "some");
    } else {
        kan_page_raw(page, "below ");
        kan_page_count(page, "report.merged_below");
    }
    for (size_t c = 0; c < n_costs; c++) {
        kan_page_raw(page, "</td><td class=\"n\" data-label=\"");
        kan_page_text(page, costs[c], strlen(costs[c]), KAN_PAGE_NAME);
        kan_page_raw(page, "\">");
        if (kan_page_has(page, "report.alternatives.nodes.%zu.costs.%s", i, costs[c]))
            kan_page_count(page, "report.alternatives.nodes.%zu.costs.%s", i, costs[c]);
        else
            kan_page_raw(page, kan_page_number(page, "report.alternatives.nodes.%zu.groups", i) == 0
                                   ? "none"
                                   : "not told");
    }
    kan_page_raw(page, "</td></tr>\n");
}

static void add_alternatives(kan_page *page) {
    enum { MOST_COSTS = 12 };
    const size_t n = kan_page_size(page, "report.alternatives.nodes");
    const char *costs[MOST_COSTS], *name;
    size_t n_costs = 0;
    json_t *value, *all = (json_t *)(uintptr_t)kan_page_find(page, "metrics");
    if (n == 0)
        return;
    json_object_foreach(all, name, value) {
        if (json_is_number(value) && n_costs < MOST_COSTS)
            costs[n_costs++] = name;
    }
    kan_page_raw(page, "<h3>Alternatives</h3>\n<p>A combination is minimal when it keeps the "
                       "promise and none below it does: each of these releases could have been "
                       "made instead, and loses least in its own way; the chosen one is marked. "
                       "Levels are in the order ");
    kan_page_names(page, kan_page_find(page, "quasi_identifiers"), KAN_MAX_ATTRIBUTES);
    kan_page_raw(page, ". Minimal: ");
    kan_page_count(page, "report.alternatives.minimal");
    kan_page_raw(page, "; measured: ");
    kan_page_count(page, "report.alternatives.measured");
    kan_page_raw(page, "; below, the best by ");
    kan_page_words(page, kan_page_find(page, "cost"), 40);
    kan_page_raw(
        page, ".</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
              "aria-label=\"Table, may be scrolled\"><table class=\"listed\"><thead><tr><th "
              "scope=\"col\">Levels</th><th scope=\"col\" class=\"n\">Groups</th><th scope=\"col\" "
              "class=\"n\">");
    kan_page_raw(page, kan_page_is(page, "person.suppress_by", "person") ? "People suppressed</th>"
                                                                         : "Suppressed</th>");
    for (size_t c = 0; c < n_costs; c++) {
        kan_page_raw(page, "<th scope=\"col\" class=\"n\">");
        kan_page_text(page, costs[c], strlen(costs[c]), KAN_PAGE_NAME);
        kan_page_raw(page, "</th>");
    }
    kan_page_raw(page, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < n; i++)
        add_alternative(page, i, costs, n_costs);
    kan_page_raw(page, "</tbody></table></div>\n");
}

static kan_status add_lattice(kan_page *page) {
    if (!kan_page_tells_all(page))
        return KAN_OK;
    if (kan_page_has(page, "lattice.nodes")) {
        kan_page_raw(page, kan_page_number(page, "lattice.nodes") == 1 ? "<p>There is "
                                                                       : "<p>There are ");
        kan_page_counted(page, "combination", "combinations", "lattice.nodes");
        kan_page_raw(page, " of levels");
        if (kan_page_has(page, "lattice.anonymous")) {
            kan_page_raw(page, "; ");
            kan_page_counted(page, "of them keeps the promise", "of them keep the promise",
                             "lattice.anonymous");
        }
        kan_page_raw(page, ". ");
        kan_page_counted(page, "was looked at.</p>\n", "were looked at.</p>\n", "lattice.checked");
    }
    if (!kan_page_has(page, "report.lattice"))
        return KAN_OK;
    KAN_TRY(kan_chart_lattice(page));
    add_heights(page);
    add_alternatives(page);
    return KAN_OK;
}

/* ---- searches that get better with time ----------------------------------------------------- */

/* The first moments say little that the last do not. */
static void add_moments(kan_page *page) {
    enum { MOST = 16 };
    const size_t n = kan_page_size(page, "search.moments");
    kan_page_raw(page,
                 "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table, may "
                 "be scrolled\"><table><caption>How the answer got better</caption><thead>"
                 "<tr><th scope=\"col\" class=\"n\">Seconds</th><th "
                 "scope=\"col\" class=\"n\">States</th><th scope=\"col\" "
                 "class=\"n\">Cost of the best</th><th scope=\"col\" class=\"n\">Lower "
                 "bound</th></tr></thead><tbody>\n");
    for (size_t i = n > MOST ? n - MOST : 0; i < n; i++) {
        kan_page_raw(page, "<tr><td class=\"n\">");
        kan_page_count(page, "search.moments.%zu.seconds", i);
        kan_page_raw(page, "</td><td class=\"n\">");
        kan_page_count(page, "search.moments.%zu.states", i);
        kan_page_raw(page, "</td><td class=\"n\">");
        kan_page_count(page, "search.moments.%zu.cost", i);
        kan_page_raw(page, "</td><td class=\"n\">");
        kan_page_count(page, "search.moments.%zu.bound", i);
        kan_page_raw(page, "</td></tr>\n");
    }
    kan_page_raw(page, "</tbody></table></div>\n");
}

static void add_convergence(kan_page *page) {
    kan_page_raw(page, "<p>");
    kan_page_counted(page, "way to cut the columns was", "ways to cut the columns were",
                     "search.states");
    kan_page_raw(page, " looked at, of 2 to the power of ");
    kan_page_count(page, "search.choices");
    kan_page_raw(page, ".");
    if (kan_page_number(page, "search.gap") > 0) {
        kan_page_raw(page, " Another release could cost less by at most ");
        kan_page_percent(page, "search.gap");
        kan_page_raw(page, " (the gap).");
    }
    kan_page_raw(page, "</p>\n");
    kan_chart_curve(page);
    if (kan_page_size(page, "search.moments") > 0)
        add_moments(page);
}

static void add_partition(kan_page *page) {
    const json_t *svg = kan_page_find(page, "report.partition.svg");
    if (!json_is_string(svg))
        return;
    kan_page_raw(page, "<figure>\n");
    kan_chart_image(page, svg,
                    "The groups as rectangles over two columns; the darker, the more rows. The "
                    "tables of group sizes and of columns have the numbers.");
    kan_page_raw(page, "<figcaption>The groups over ");
    kan_page_names(page, kan_page_find(page, "report.partition.columns"), 2);
    kan_page_raw(page, ", as the release shows them.</figcaption>\n</figure>\n");
}

/* What somebody decided, whatever the rows are. */
static void add_box(kan_page *page) {
    json_t *given = (json_t *)(uintptr_t)kan_page_find(page, "lattice.box.given"), *range;
    const char *name;
    bool is_first = true;
    if (!kan_page_has(page, "lattice.box"))
        return;
    kan_page_raw(page, "<p>Levels that were given; what lies outside them was not looked at: ");
    json_object_foreach(given, name, range) {
        kan_page_raw(page, is_first ? "" : ", ");
        kan_page_text(page, name, strlen(name), KAN_PAGE_NAME);
        kan_page_raw(page, " ");
        kan_page_words(page, range, 40);
        is_first = false;
    }
    kan_page_raw(page, ".</p>\n");
}

/* --for: what it was chosen for. */
static void add_purpose(kan_page *page) {
    if (!kan_page_has(page, "purpose"))
        return;
    kan_page_raw(page, "<p>Chosen for the model <strong>");
    kan_page_words(page, kan_page_find(page, "purpose.model"), 200);
    if (kan_page_is(page, "purpose.by", "weights")) {
        kan_page_raw(page, "</strong>: quasi-identifiers that it does not use became coarse "
                           "first.</p>\n");
        return;
    }
    kan_page_raw(page, "</strong>: groups were cut where the values of <strong>");
    kan_page_words(page, kan_page_find(page, "purpose.outcome"), 80);
    kan_page_raw(page,
                 "</strong> differ most. The promise says nothing of that column, and who knows "
                 "how the groups were made may learn more of its values than they show.</p>\n");
}

/* Nobody looked for anything. */
static void add_given(kan_page *page) {
    kan_page_raw(page, kan_page_is(page, "given", "levels")
                           ? "<p>The levels were <strong>given</strong>, not found by a search: "
                             "whether another release would lose less was not looked at."
                           : "<p>The solution was <strong>given</strong>, that of an earlier "
                             "result, not found by a search: whether another release would lose "
                             "less was not looked at.");
    kan_page_raw(page, " That it keeps the promise was checked and recounted like that of a "
                       "search.</p>\n");
    add_box(page);
}

/* How far a search came that proved nothing, for those who may see the table. */
static void add_effort(kan_page *page) {
    if (!page->is_internal || !kan_page_has(page, "effort"))
        return;
    if (kan_page_has(page, "gap") && kan_page_number(page, "gap") < 1) {
        kan_page_raw(page, " Another release could cost less by at most ");
        kan_page_percent(page, "gap");
        kan_page_raw(page, " (the gap).");
    } else {
        kan_page_raw(page, " How much less another release could cost is not known.");
    }
    kan_page_raw(page, " The search made ");
    kan_page_counted(page, "step", "steps", "effort");
    kan_page_raw(page,
                 ": <code>--effort</code> with this number finds the same again, a higher one "
                 "goes on.");
}

static void add_found(kan_page *page) {
    if (kan_page_has(page, "given")) {
        add_given(page);
        return;
    }
    kan_page_raw(page, "<p>The search <strong>");
    kan_page_words(page, kan_page_find(page, "algorithm"), 40);
    kan_page_raw(page, "</strong> looked for the release that loses least by <strong>");
    kan_page_words(page, kan_page_find(page, "cost"), 40);
    kan_page_raw(page, "</strong>. ");
    if (json_is_true(kan_page_find(page, "report.proven")) ||
        (kan_page_tells_all(page) && json_is_true(kan_page_find(page, "optimal"))))
        kan_page_raw(page, kan_page_has(page, "lattice.box")
                               ? "It is proven that nothing better exists among all ways of this "
                                 "kind within the levels that were given."
                               : "It is proven that nothing better exists among all ways of this "
                                 "kind.");
    else if (!kan_page_tells_all(page))
        kan_page_raw(page, "What it looked at, and what that would have cost, also depends on "
                           "suppressed rows, and is not shown here; an internal report has it.");
    else if (kan_page_has(page, "bound") && kan_page_number(page, "bound") > 0) {
        kan_page_raw(page, "It is not proven to be the best; less than ");
        kan_page_count(page, "bound");
        kan_page_raw(page, " is impossible.");
        add_effort(page);
    } else {
        kan_page_raw(page, "It is one good answer, not proven to be the best.");
        add_effort(page);
    }
    kan_page_raw(page, "</p>\n");
    add_box(page);
}

kan_status kan_page_add_search(kan_page *page) {
    kan_page_section(page, "search", "How it was found", false);
    const bool is_given = kan_page_has(page, "given");
    add_found(page);
    add_purpose(page);
    if (!is_given && kan_page_has(page, "search") && kan_page_tells_all(page))
        add_convergence(page);
    else if (!is_given)
        KAN_TRY(add_lattice(page));
    add_partition(page);
    kan_page_section_end(page);
    return KAN_OK;
}

/* ---- making it again ------------------------------------------------------------------------ */

static void add_hash(kan_page *page, const char *list, size_t i) {
    const bool is_keyed = kan_page_has(page, "%s.%zu.hmac_sha256", list, i);
    const json_t *hash =
        kan_page_find(page, "%s.%zu.%s", list, i, is_keyed ? "hmac_sha256" : "sha256");
    char key[64];
    if (json_is_string(hash)) {
        kan_page_raw(page, is_keyed ? "keyed: <code>" : "<code>");
        kan_page_words(page, hash, 64);
        kan_page_raw(page, "</code>");
        return;
    }
    snprintf(key, sizeof key, "%s.%zu.left_out", list, i);
    kan_page_raw(page, kan_page_is(page, key, "unkeyed")
                           ? "left out: it could be used to try out what the file holds; an "
                             "internal report has it, and --hash-key gives a keyed one"
                       : kan_page_is(page, key, "database")
                           ? "none: it is a database table"
                           : "left out: it was read from a stream");
}

static void add_files(kan_page *page, const char *list) {
    kan_page_raw(page,
                 "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table, may "
                 "be scrolled\"><table><caption>Files, to be compared with <code>sha256sum"
                 "</code></caption><thead><tr><th scope=\"col\">File</th><th scope=\"col\">"
                 "What it is</th><th scope=\"col\" class=\"n\">Bytes</th><th scope=\"col\">"
                 "SHA-256</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < kan_page_size(page, "%s", list); i++) {
        kan_page_raw(page, "<tr><th scope=\"row\" class=\"v\">");
        kan_page_value(page, kan_page_find(page, "%s.%zu.path", list, i), 160);
        kan_page_raw(page, "</th><td>");
        kan_page_words(page, kan_page_find(page, "%s.%zu.role", list, i), 40);
        if (kan_page_has(page, "%s.%zu.column", list, i)) {
            kan_page_raw(page, " of ");
            kan_page_value(page, kan_page_find(page, "%s.%zu.column", list, i), KAN_PAGE_NAME);
        }
        kan_page_raw(page, "</td><td class=\"n\">");
        kan_page_count(page, "%s.%zu.bytes", list, i);
        kan_page_raw(page, "</td><td class=\"v\">");
        add_hash(page, list, i);
        kan_page_raw(page, "</td></tr>\n");
    }
    kan_page_raw(page, "</tbody></table></div>\n");
}

void kan_page_add_origin(kan_page *page) {
    const bool is_internal = kan_page_size(page, "internal.files") > 0;
    kan_page_section(page, "origin", "How to make it again", false);
    if (kan_page_has(page, "report.command")) {
        const bool is_shuffled = json_is_true(kan_page_find(page, "report.shuffled"));
        kan_page_raw(page, kan_page_has(page, "report.tables")
                               ? "<p>The same files, the same command and the same version make "
                                 "the same rows; pseudonyms are the same only where they are made "
                                 "with the same secret"
                           : is_shuffled
                               ? "<p>The same files, the same command and the same version make "
                                 "the same rows, in another order: it is random, and follows from "
                                 "nothing on this page"
                               : "<p>The same files, the same command and the same version make "
                                 "the same bytes");
        if (kan_page_has(page, "search"))
            kan_page_raw(page, ", unless a search was ended by the clock");
        kan_page_raw(page, ".</p>\n<pre>");
        kan_page_words(page, kan_page_find(page, "report.command"), 4000);
        kan_page_raw(page, "</pre>\n");
    } else {
        kan_page_raw(page,
                     "<p class=\"note\">The result was made without <code>--report</code>, so "
                     "that it holds neither columns nor risk nor the command: run "
                     "<code>kanon anonymize</code> again with <code>--report "
                     "FILE.html</code> for the whole report.</p>\n");
    }
    kan_page_raw(page, "<p>kanon ");
    kan_page_words(page, kan_page_find(page, "kanon"), 20);
    if (kan_page_has(page, "report.seed")) {
        kan_page_raw(page, ", seed ");
        kan_page_count(page, "report.seed");
    }
    kan_page_raw(page, "</p>\n");
    if (is_internal || kan_page_size(page, "report.files") > 0)
        add_files(page, is_internal ? "internal.files" : "report.files");
    kan_page_section_end(page);
}
