/* The page as a whole: the verdict with its figures, and what was promised in plain words; then the
 * facts, section by section; then what is not promised, and room for a signature. */
#include "report/report_page.h"

#include <stdio.h>

#include "analyze/models/models.h"
#include "analyze/verify/verify.h"

/* ---- words ---------------------------------------------------------------------------------- */

void kan_page_names(kan_page *page, const json_t *names, size_t most) {
    const size_t n = json_array_size(names), shown = n <= most ? n : most;
    for (size_t i = 0; i < shown; i++) {
        kan_page_raw(page, i == 0 ? "" : i + 1 == n ? " and " : ", ");
        kan_page_value(page, json_array_get(names, i), KAN_PAGE_NAME);
    }
    if (n > shown)
        kan_page_print(page, " and %zu more", n - shown);
}

void kan_page_begin_cell(kan_page *page, const char *class_name, const json_t *label) {
    kan_page_print(page, "<td class=\"%s\"", class_name);
    if (json_is_string(label)) {
        kan_page_raw(page, " data-label=\"");
        kan_page_words(page, label, KAN_PAGE_NAME);
        kan_page_raw(page, "\"");
    }
    kan_page_raw(page, ">");
}

bool kan_page_tells_all(const kan_page *page) {
    return page->is_internal || kan_page_number(page, "suppression.rows") == 0;
}

bool kan_page_counts_people(const kan_page *page) {
    return kan_page_has(page, "person");
}

bool kan_page_leaves_households(const kan_page *page) {
    return kan_page_is(page, "household.suppress_by", "household");
}

bool kan_page_hides_rows(const kan_page *page) {
    return (kan_page_counts_people(page) || kan_page_leaves_households(page)) &&
           !kan_page_tells_all(page);
}

bool kan_page_has_histories(const kan_page *page) {
    return kan_page_is(page, "person.promise", "histories");
}

bool kan_page_has_matches(const kan_page *page) {
    return kan_page_has(page, "matches");
}

/* The last part of the path at a key; `otherwise` for a stream, or where there is none. */
static const char *file_name(const kan_page *page, const char *key, const char *otherwise) {
    const json_t *path = kan_page_find(page, "%s", key);
    const char *text = json_is_string(path) ? json_string_value(path) : "";
    const char *slash = strrchr(text, '/');
    if (slash)
        text = slash + 1;
    return *text && strcmp(text, "-") != 0 ? text : otherwise;
}

static void add_file_name(kan_page *page, const char *key, const char *otherwise) {
    const char *text = file_name(page, key, otherwise);
    kan_page_name(page, text, strlen(text), KAN_PAGE_NAME);
}

static bool is_search(const kan_page *page) {
    return kan_page_is(page, "command", "search");
}

static bool is_verified(const kan_page *page) {
    return json_is_true(kan_page_find(page, "verified"));
}

/* What the page is about: the release; of a search, the table. */
static const char *subject(const kan_page *page) {
    return is_search(page) ? file_name(page, "input.path", "A table")
                           : file_name(page, "release.path", "A release");
}

static void add_subject(kan_page *page) {
    const char *name = subject(page);
    kan_page_name(page, name, strlen(name), KAN_PAGE_NAME);
}

/* " on 2026-11-16 with kanon 0.1.0", the first where it is known. */
static void add_made(kan_page *page) {
    if (kan_page_has(page, "report.date")) {
        kan_page_raw(page, " on ");
        kan_page_words(page, kan_page_find(page, "report.date"), 10);
    }
    kan_page_raw(page, " with kanon ");
    kan_page_words(page, kan_page_find(page, "kanon"), 20);
}

/* ---- the promise ---------------------------------------------------------------------------- */

bool kan_page_is_k(const kan_page *page, size_t m) {
    char key[64];
    snprintf(key, sizeof key, "privacy.%zu.model", m);
    return kan_page_is(page, key, KAN_CLAIM_K);
}

bool kan_page_has_narrow_cells(const kan_page *page) {
    return (kan_page_is(page, "recoding_model", "unrestricted") ||
            kan_page_is(page, "recoding_model", "unrestricted-multi")) &&
           kan_page_number(page, "narrow_cells") > 0;
}

static bool is_matches(const kan_page *page, size_t m) {
    char key[64];
    snprintf(key, sizeof key, "privacy.%zu.model", m);
    return kan_page_is(page, key, KAN_CLAIM_MATCHES);
}

/* Whether a column that names people repeats. */
static bool repeats(const kan_page *page, size_t i) {
    return kan_page_number(page, "people.%zu.people", i) <
           kan_page_number(page, "people.%zu.rows", i);
}

static bool has_several_rows(const kan_page *page) {
    bool any = false;
    for (size_t i = 0; i < kan_page_size(page, "people"); i++)
        any = any || repeats(page, i);
    return any;
}

static void add_k_of_people(kan_page *page, size_t m) {
    const bool has_histories = kan_page_has_histories(page);
    kan_page_raw(page, has_histories ? "<li>What all released rows of a person show of "
                                     : "<li>Every released row shares ");
    kan_page_names(page, kan_page_find(page, "quasi_identifiers"), 12);
    kan_page_raw(page, has_histories ? ", taken together, is shown by the rows of at least "
                                     : " with others, in groups with rows of at least ");
    kan_page_counted(page, "person", "people", "privacy.%zu.k", m);
    kan_page_raw(page, has_histories
                           ? ". Whoever knows these things about every row of a person finds at "
                             "least that many people who could be her."
                           : ". Whoever knows these things about one row of a person finds rows of "
                             "at least that many people that could be hers.");
    kan_page_raw(page, " That counts people, by ");
    kan_page_value(page, kan_page_find(page, "person.column"), KAN_PAGE_NAME);
    kan_page_raw(page, ", not rows.</li>\n");
}

static void add_k(kan_page *page, size_t m) {
    if (kan_page_counts_people(page)) {
        add_k_of_people(page, m);
        return;
    }
    kan_page_raw(page, "<li>Every released row shares ");
    kan_page_names(page, kan_page_find(page, "quasi_identifiers"), 12);
    kan_page_raw(page, " with others, in groups of at least ");
    kan_page_counted(page, "row", "rows", "privacy.%zu.k", m);
    kan_page_raw(page, ". Whoever knows these things about a person finds at least that many "
                       "rows that could be hers.");
    kan_page_raw(
        page,
        has_several_rows(page)
            ? " <strong class=\"open\">That counts rows, and some people have "
              "several: see <a href=\"#limits\">what is not "
              "promised</a>.</strong></li>\n"
            : " That counts rows: it is a promise about people only where each has one.</li>\n");
}

static bool is_by_column(const kan_page *page, size_t m) {
    char key[64];
    snprintf(key, sizeof key, "privacy.%zu.model", m);
    return kan_page_is(page, key, "per-column");
}

bool kan_page_is_by_column(const kan_page *page) {
    return kan_page_size(page, "privacy") > 0 && is_by_column(page, 0);
}

/* What is not promised stands first: who reads on would take rows for hidden. */
static void add_by_column(kan_page *page, size_t m) {
    kan_page_raw(page, "<li><strong class=\"open\">Rows are not hidden in a crowd</strong>: "
                       "nothing is promised for ");
    kan_page_names(page, kan_page_find(page, "quasi_identifiers"), 12);
    kan_page_raw(page, " together");
    if (kan_page_has(page, "per_column")) {
        kan_page_raw(page, ", by which ");
        kan_page_counted(page, "row is", "rows are", "per_column.alone");
        kan_page_raw(page, " unique in the release");
    }
    kan_page_raw(page, ". Whoever knows several of these things about a person can find the one "
                       "row that is hers.</li>\n<li>Each value that one of these columns shows, by "
                       "itself, is shown by at least ");
    kan_page_counted(page, "row", "rows", "privacy.%zu.k", m);
    kan_page_raw(page, ". Whoever knows one of these things about a person, and no more, finds at "
                       "least that many rows that could be hers.</li>\n");
}

/* " of the same region", where matches are counted within strata. */
static void add_stratum(kan_page *page, size_t m) {
    if (!kan_page_has(page, "privacy.%zu.strata", m))
        return;
    kan_page_raw(page, " of the same ");
    kan_page_value(page, kan_page_find(page, "privacy.%zu.strata", m), KAN_PAGE_NAME);
}

/* --missing-matches. */
static void add_match(kan_page *page, size_t m) {
    kan_page_raw(page, "<li>Every released row matches at least ");
    kan_page_counted(page, "released person", "released people", "privacy.%zu.k", m);
    add_stratum(page, m);
    kan_page_raw(page, " by ");
    kan_page_names(page, kan_page_find(page, "quasi_identifiers"), 12);
    kan_page_raw(page, ", and every released person matches at least ");
    kan_page_counted(page, "released row", "released rows", "privacy.%zu.k", m);
    add_stratum(page, m);
    kan_page_raw(page,
                 ", where a cell that is hidden (*) or missing matches anything. Whoever knows "
                 "these things about a person finds at least that many rows that could be "
                 "hers; whoever looks at a row finds at least that many people to whom it "
                 "may belong. One row is taken to be one person.</li>\n<li class=\"open\">"
                 "<strong>This is weaker than k-anonymity by groups</strong>: the fewest "
                 "matches of a row or a person are ");
    kan_page_count(page, kan_page_number(page, "matches.fewest_people") <
                                 kan_page_number(page, "matches.fewest_rows")
                             ? "matches.fewest_people"
                             : "matches.fewest_rows");
    kan_page_raw(page, ", but the smallest group of rows that look the same has ");
    kan_page_counted(page, "row", "rows", "solution.smallest_group");
    kan_page_raw(page,
                 ", so that whoever knows everybody\xe2\x80\x99s values and looks at all rows "
                 "together can learn more.</li>\n");
}

/* Where a kind of model writes its words. */
typedef struct {
    kan_model_page words; /* first: kinds see nothing else */
    kan_page *page;
    const kan_recount_kind *kind;
    size_t m; /* of the document's models */
} model_page;

static const model_page *page_of(const kan_model_page *words) {
    return (const model_page *)words;
}

static const json_t *find_fact(const kan_model_page *words, const char *key) {
    return kan_page_find(page_of(words)->page, "privacy.%zu.%s", page_of(words)->m, key);
}

static void model_say(const kan_model_page *words, const char *text) {
    kan_page_raw(page_of(words)->page, text);
}

static void model_count(const kan_model_page *words, const char *key) {
    kan_page_count(page_of(words)->page, "privacy.%zu.%s", page_of(words)->m, key);
}

static void model_word(const kan_model_page *words, const char *key) {
    kan_page_value(page_of(words)->page, find_fact(words, key), KAN_PAGE_NAME);
}

static bool model_is_given(const kan_model_page *words, const char *key) {
    return find_fact(words, key) != NULL;
}

static void model_percent(const kan_model_page *words, const char *key) {
    kan_page_percent(page_of(words)->page, "privacy.%zu.%s", page_of(words)->m, key);
}

static bool model_names(const kan_model_page *words, const char *key) {
    const json_t *names = find_fact(words, key);
    if (json_array_size(names) == 0)
        return false;
    kan_page_names(page_of(words)->page, names, 6);
    return true;
}

static bool model_is(const kan_model_page *words, const char *key, const char *word) {
    const json_t *fact = find_fact(words, key);
    return json_is_string(fact) && strcmp(json_string_value(fact), word) == 0;
}

static bool model_is_true(const kan_model_page *words, const char *key) {
    return json_is_true(find_fact(words, key));
}

static void model_reached(const kan_model_page *words, const char *before, bool is_share) {
    kan_page *page = page_of(words)->page;
    const size_t m = page_of(words)->m;
    if (!kan_page_has(page, "privacy.%zu.reached", m))
        return;
    if (page_of(words)->kind->uses_whole && !kan_page_tells_all(page))
        return; /* what is held against the table is held against suppressed rows, too */
    kan_page_raw(page, before);
    if (is_share)
        kan_page_percent(page, "privacy.%zu.reached", m);
    else
        kan_page_count(page, "privacy.%zu.reached", m);
    kan_page_raw(page, ".");
    if (!kan_page_has(page, "privacy.%zu.column", m))
        return;
    kan_page_raw(page, " The nearest to it is column ");
    kan_page_value(page, kan_page_find(page, "privacy.%zu.column", m), KAN_PAGE_NAME);
    kan_page_raw(page, ".");
}

/* The kind of the m-th model; NULL: k, or one that nobody knows. */
static const kan_recount_kind *kind_of(const kan_page *page, size_t m) {
    const json_t *name = kan_page_find(page, "privacy.%zu.model", m);
    return json_is_string(name) ? kan_recount_find(json_string_value(name)) : NULL;
}

/* "diagnosis and income: ", where the model does not look at all columns. */
static void add_columns(kan_page *page, size_t m) {
    const json_t *names = kan_page_find(page, "privacy.%zu.columns", m);
    if (json_array_size(names) == 0)
        return;
    kan_page_names(page, names, 6);
    kan_page_raw(page, ": ");
}

static void add_model(kan_page *page, const kan_recount_kind *kind, size_t m) {
    const model_page on = {.words = {.say = model_say,
                                     .count = model_count,
                                     .word = model_word,
                                     .is_given = model_is_given,
                                     .percent = model_percent,
                                     .names = model_names,
                                     .is = model_is,
                                     .is_true = model_is_true,
                                     .reached = model_reached,
                                     .counts_people = kan_page_counts_people(page)},
                           .page = page,
                           .kind = kind,
                           .m = m};
    kan_page_raw(page, "<li>");
    add_columns(page, m);
    if (kind)
        kind->show(&on.words);
    else
        kan_page_value(page, kan_page_find(page, "privacy.%zu.model", m), KAN_PAGE_NAME);
    if (kan_page_has_histories(page))
        kan_page_raw(page,
                     " A group is here the people whose rows together show the same, in each of "
                     "these rows by itself.");
    kan_page_raw(page, "</li>\n");
}

static void add_promises(kan_page *page) {
    kan_page_raw(page, "<ul>\n");
    for (size_t m = 0; m < kan_page_size(page, "privacy"); m++) {
        if (kan_page_is_k(page, m))
            add_k(page, m);
        else if (is_by_column(page, m))
            add_by_column(page, m);
        else if (is_matches(page, m))
            add_match(page, m);
        else
            add_model(page, kind_of(page, m), m);
    }
    kan_page_raw(page, "</ul>\n");
}

static void add_checked(kan_page *page) {
    kan_page_raw(page, "<h3>How it was checked</h3>\n<p>");
    if (is_search(page))
        kan_page_raw(page, "The answer was applied to the rows in memory and recounted from the "
                           "values themselves, by code that shares nothing with the search. "
                           "Nothing was released.");
    else if (!kan_page_has(page, "release.path"))
        kan_page_raw(page, "The released rows were recounted from their values alone, by code that "
                           "shares nothing with the search; each was compared with the original "
                           "row it stands for.");
    else
        kan_page_raw(page, "The finished release was read again before it got its name, and "
                           "recounted from its values alone, by code that shares nothing with the "
                           "search; each row was compared with the original row it stands for. "
                           "Check it yourself: kanon verify counts it again, and so does, in a "
                           "CSV file, recount.py, a short program in Python beside kanon.");
    /* what the rows of one show is no group, and who matches a row is none */
    if (kan_page_has_histories(page) || kan_page_has_matches(page)) {
        kan_page_raw(page, "</p>\n");
        return;
    }
    kan_page_raw(page, kan_page_counts_people(page) ? " The smallest group has rows of "
                                                    : " The smallest group has ");
    if (kan_page_counts_people(page))
        kan_page_counted(page, "person", "people", "person.fewest_in_group");
    else
        kan_page_counted(page, "row", "rows", "solution.smallest_group");
    kan_page_raw(page, ".</p>\n");
}

/* What suppressed rows are in the release, where they are in it. */
static void add_kept_suppressed(kan_page *page) {
    if (kan_page_number(page, "suppression.rows") == 0 ||
        !json_is_true(kan_page_find(page, "release.keeps_suppressed")))
        return;
    kan_page_raw(page,
                 json_is_true(kan_page_find(page, "release.shows_suppressed"))
                     ? "<p>Suppressed rows are in the release, with * in place of everything by "
                       "which somebody could be recognised; as a group they keep the promise.</p>\n"
                     : "<p>Suppressed rows are in the release as rows of nothing but *.</p>\n");
}

/* Whoever signs reads this first, and most read no more: the verdict, its figures, what is promised
 * and what is not covered. It fits the first screen and the first printed page. */
static void add_verdict(kan_page *page) {
    const bool is_kept = is_verified(page), is_green = is_kept && !kan_page_is_open(page);
    kan_page_print(page, "<section id=\"promise\" class=\"verdict%s\">\n", is_green ? "" : " open");
    kan_page_raw(page, "<svg viewBox=\"0 0 40 40\" aria-hidden=\"true\"><circle cx=\"20\" "
                       "cy=\"20\" r=\"18\" fill=\"none\" stroke=\"currentColor\" "
                       "stroke-width=\"3\"/>");
    kan_page_raw(page, is_green
                           ? "<path d=\"M11 21l6 6l12 -13\" fill=\"none\" stroke=\"currentColor\" "
                             "stroke-width=\"4\" stroke-linecap=\"round\" "
                             "stroke-linejoin=\"round\"/></svg>\n"
                           : "<path d=\"M20 10v13M20 28v2\" stroke=\"currentColor\" "
                             "stroke-width=\"4\" stroke-linecap=\"round\"/></svg>\n");
    kan_page_raw(page, "<div>\n<h2>");
    kan_page_raw(page, is_green ? "The promise holds, and was verified"
                       : is_kept && kan_page_is_by_column(page)
                           ? "What is promised of each column holds, and was verified; rows are "
                             "not hidden in a crowd"
                       : is_kept ? "The promise holds, and was verified; it does not cover all"
                                 : "The promise was not verified");
    if (page->is_internal)
        kan_page_raw(page, " <span class=\"tag\">internal</span>");
    kan_page_raw(page, "</h2>\n");
    kan_page_add_facts(page);
    kan_page_raw(page, "<div class=\"parts\">\n<div>\n<h3>What is promised</h3>\n");
    add_promises(page);
    add_kept_suppressed(page);
    kan_page_raw(page, "</div>\n<div>\n");
    kan_page_add_open(page);
    if (is_kept)
        add_checked(page);
    kan_page_raw(page, "</div>\n</div>\n</div>\n</section>\n");
}

/* ---- what is not promised ------------------------------------------------------------------- */

/* Whether the m-th model looks at sensitive values. */
static bool is_sensitive_model(const kan_page *page, size_t m) {
    const kan_recount_kind *kind = kind_of(page, m);
    return !kan_page_is_k(page, m) && !is_by_column(page, m) && !is_matches(page, m) &&
           (!kind || kind->check);
}

static bool has_sensitive_model(const kan_page *page) {
    for (size_t m = 0; m < kan_page_size(page, "privacy"); m++)
        if (is_sensitive_model(page, m))
            return true;
    return false;
}

/* What the strongest model leaves open; NULL: none is known. */
static const char *left_open(const kan_page *page) {
    const kan_recount_kind *strongest = NULL;
    for (size_t m = 0; m < kan_page_size(page, "privacy"); m++) {
        const kan_recount_kind *kind = kind_of(page, m);
        if (kind && kind->check && (!strongest || kind->strength > strongest->strength))
            strongest = kind;
    }
    return strongest ? strongest->leaves_open : NULL;
}

/* How sure the release makes somebody, column by column, whatever was promised. */
static void add_confidence(kan_page *page) {
    for (size_t i = 0; i < kan_page_size(page, "report.sensitive"); i++) {
        if (!kan_page_has(page, "report.sensitive.%zu.confidence", i))
            continue;
        kan_page_raw(page, " In this release, whoever knows in which group a person is can be up "
                           "to ");
        kan_page_percent(page, "report.sensitive.%zu.confidence", i);
        kan_page_raw(page, " sure of a value of ");
        kan_page_value(page, kan_page_find(page, "report.sensitive.%zu.column", i), KAN_PAGE_NAME);
        if (kan_page_number(page, "report.sensitive.%zu.people_certain", i) > 0) {
            kan_page_raw(page, "; ");
            kan_page_counted(page, "person is in a group", "people are in groups",
                             "report.sensitive.%zu.people_certain", i);
            kan_page_raw(page, " in which everybody has the same one");
        }
        if (kan_page_number(page, "report.sensitive.%zu.rows_certain", i) > 0) {
            kan_page_raw(page, "; ");
            kan_page_counted(page, "row is in a group that has", "rows are in groups that have",
                             "report.sensitive.%zu.rows_certain", i);
            kan_page_raw(page, " one value alone");
        }
        kan_page_raw(page, ".");
    }
}

static void add_sensitive_limits(kan_page *page) {
    const char *open = left_open(page);
    kan_page_raw(page, "<li>");
    if (!has_sensitive_model(page))
        kan_page_raw(
            page, kan_page_has_matches(page)
                      ? "<strong>Nothing is promised about sensitive values</strong>: all rows "
                        "that match a person may share one, and then it is known of her, without "
                        "her row being recognised (homogeneity, attribute disclosure)."
                      : "<strong>Nothing is promised about sensitive values</strong>: all rows "
                        "of a group may share one, and then it is known of everybody in it, "
                        "without anybody being recognised (homogeneity, attribute disclosure).");
    else
        kan_page_raw(page, open ? open : "What the promise leaves open is not known here.");
    add_confidence(page);
    kan_page_raw(page, "</li>\n");
    if (has_sensitive_model(page))
        kan_page_raw(page, "<li>Values that differ may mean much the same, such as two names of "
                           "one illness: that is then known of everybody in the group "
                           "(similarity).</li>\n");
}

/* Where a column that names people repeats, how far the promise is from one about people. */
static void add_people(kan_page *page) {
    for (size_t i = 0; i < kan_page_size(page, "people"); i++) {
        if (!repeats(page, i))
            continue;
        kan_page_raw(page, " <strong class=\"open\">By ");
        kan_page_value(page, kan_page_find(page, "people.%zu.column", i), KAN_PAGE_NAME);
        kan_page_raw(page, ", ");
        kan_page_counted(page, "released row is", "released rows are", "people.%zu.rows", i);
        kan_page_raw(page, " of ");
        kan_page_counted(page, "person", "people", "people.%zu.people", i);
        kan_page_raw(page, ", and ");
        kan_page_count(page, "people.%zu.small_groups", i);
        kan_page_raw(page, " of ");
        kan_page_counted(page, "group", "groups", "people.%zu.groups", i);
        kan_page_raw(page, kan_page_number(page, "people.%zu.small_groups", i) == 1
                               ? " holds fewer people than the promised number of rows.</strong>"
                               : " hold fewer people than the promised number of rows.</strong>");
    }
}

/* What counting people leaves open. */
static void add_linked(kan_page *page) {
    kan_page_raw(page, "People are those of column ");
    kan_page_value(page, kan_page_find(page, "person.column"), KAN_PAGE_NAME);
    kan_page_raw(page, kan_page_has_histories(page)
                           ? ": somebody who has two numbers there counts as two."
                           : ": somebody who has two numbers there counts as two. Whoever knows "
                             "several rows of a person, or how many she has, can learn more than "
                             "from one: most rows of a group may be hers.");
}

static void add_limits(kan_page *page) {
    kan_page_section(page, "limits", "What is not promised", false);
    kan_page_raw(page, "<ul>\n");
    if (kan_page_has_matches(page))
        kan_page_raw(page,
                     "<li><strong>Rows need not look alike.</strong> Somebody who knows "
                     "everybody\xe2\x80\x99s values can ask which rows may belong to whom all at "
                     "once, and rule out some of the matches. And where a cell was released "
                     "missing, whoever knows that the person\xe2\x80\x99s value was known may rule "
                     "that row out.</li>\n");
    add_sensitive_limits(page);
    kan_page_raw(
        page,
        "<li>Somebody may know more than was assumed, such as what a person certainly does not "
        "have, and rule rows out (background knowledge).</li>\n"
        "<li>The promise is about the columns that were named. A column that can be used to "
        "recognise somebody and was not named is not protected.</li>\n"
        "<li>Two releases of the same people can say together what neither says alone.</li>\n<li>");
    if (kan_page_counts_people(page)) {
        add_linked(page);
    } else {
        kan_page_raw(page, kan_page_is_by_column(page)
                               ? "One row is taken to be one person. Where a person has several "
                                 "rows, k rows may be those of fewer than k people."
                           : kan_page_has_matches(page)
                               ? "One row is taken to be one person. Where a person has several "
                                 "rows, k matches may be fewer than k people."
                               : "One row is taken to be one person. Where a person has several "
                                 "rows, a group of k rows may be fewer than k people.");
        add_people(page);
    }
    kan_page_raw(page, "</li>\n</ul>\n");
    kan_page_section_end(page);
}

/* The bytes that are signed for, where they are known. */
static void add_release_hash(kan_page *page) {
    for (size_t i = 0; i < kan_page_size(page, "report.files"); i++) {
        char key[48];
        snprintf(key, sizeof key, "report.files.%zu.role", i);
        if (!kan_page_is(page, key, "release") || !kan_page_has(page, "report.files.%zu.sha256", i))
            continue;
        kan_page_raw(page, "<br>SHA-256 <code>");
        kan_page_words(page, kan_page_find(page, "report.files.%zu.sha256", i), 64);
        kan_page_raw(page, "</code>");
    }
}

/* What is signed for stands beside the signature: on paper pages get lost. */
static void add_sign(kan_page *page) {
    kan_page_section(page, "sign", "Sign-off", false);
    kan_page_raw(page, is_search(page) ? "<p>Table: <strong>" : "<p>Release: <strong>");
    add_subject(page);
    kan_page_raw(page, "</strong>");
    add_made(page);
    add_release_hash(page);
    kan_page_raw(page, "</p>\n<p>To be filled in by whoever is responsible for the release.</p>\n"
                       "<div class=\"sign\"><div>Name and position</div><div>Purpose and "
                       "recipients</div><div>Place and date</div><div>Signature</div></div>\n");
    kan_page_section_end(page);
}

/* ---- the frame ------------------------------------------------------------------------------ */

static void add_header(kan_page *page) {
    kan_page_raw(page, "<header>\n<p class=\"kicker\">Anonymization report");
    kan_page_raw(page, page->is_internal ? " \u2013 internal</p>\n<h1>" : "</p>\n<h1>");
    add_subject(page);
    kan_page_raw(page, "</h1>\n<p class=\"lead\">made from ");
    add_file_name(page, "input.path", "a table");
    add_made(page);
    kan_page_raw(page, page->is_internal ? ". This report contains raw values: it is for those who "
                                           "may see the table.</p>\n</header>\n"
                                         : ". This report shows nothing that the release hides: it "
                                           "can be shared with it.</p>\n</header>\n");
}

static void add_link(kan_page *page, bool is_there, const char *id, const char *title) {
    if (is_there)
        kan_page_print(page, "<li><a href=\"#%s\">%s</a></li>\n", id, title);
}

static void add_contents(kan_page *page) {
    const bool has_report = kan_page_has(page, "report");
    kan_page_raw(page, "<nav aria-label=\"Contents\"><ol>\n");
    add_link(page, kan_page_size(page, "columns") > 0, "roles", "Every column");
    add_link(page, has_report, "risk", "Risk");
    add_link(page, has_report, "sizes", kan_page_has_matches(page) ? "Matches" : "Group sizes");
    add_link(page, has_report, "sample", "Released rows");
    add_link(page, has_report, "columns", "Columns");
    add_link(page, has_report, "suppression", "Suppression");
    add_link(page, true, "costs", "What it cost");
    add_link(page, kan_page_has(page, "report.workload"), "workload", "Queries");
    add_link(page, true, "search", "The search");
    add_link(page, true, "origin", "Making it again");
    add_link(page, kan_page_has(page, "internal.fidelity"), "internal-fidelity",
             "What can still be done");
    add_link(page, page->is_internal, "internal", "Internal");
    add_link(page, kan_page_has(page, "rules"), "rules", "The rule");
    add_link(page, true, "limits", "What is not promised");
    add_link(page, true, "sign", "Sign-off");
    kan_page_raw(page, "</ol></nav>\n");
}

static kan_status add_sections(kan_page *page) {
    const bool has_report = kan_page_has(page, "report");
    add_verdict(page);
    add_contents(page);
    if (kan_page_size(page, "columns") > 0)
        kan_page_add_roles(page);
    if (has_report) {
        kan_page_add_risk(page);
        kan_page_add_sizes(page);
        kan_page_add_sample(page);
        kan_page_add_columns(page);
        kan_page_add_suppression(page);
    }
    kan_page_add_costs(page);
    if (kan_page_has(page, "report.workload"))
        kan_page_add_workload(page);
    KAN_TRY(kan_page_add_search(page));
    kan_page_add_origin(page);
    if (page->is_internal) {
        kan_page_add_fidelity(page);
        kan_page_add_attacks(page);
        kan_page_add_internal(page);
    }
    kan_page_add_rules(page);
    kan_page_raw(page, "<div class=\"end\">\n"); /* on paper one page: whoever signs has read it */
    add_limits(page);
    add_sign(page);
    kan_page_raw(page, "</div>\n");
    return KAN_OK;
}

/* "release.csv - anonymization report, 2026-11-16, kanon 0.1.0": browsers name bookmarks and
 * printed files by it. */
static kan_status begin_page(kan_run *run, kan_page *page) {
    const char *name = subject(page);
    const json_t *date = kan_page_find(page, "report.date");
    const json_t *version = kan_page_find(page, "kanon");
    kan_text title;
    kan_text_init(&title, run);
    kan_text_print(&title, "%s \u2013 anonymization report", name);
    if (json_is_string(date))
        kan_text_print(&title, ", %s", json_string_value(date));
    if (json_is_string(version))
        kan_text_print(&title, ", kanon %s", json_string_value(version));
    const kan_status status = kan_text_status(&title);
    if (status == KAN_OK)
        kan_page_begin(page, title.bytes, name);
    kan_text_destroy(&title);
    return status;
}

kan_status kan_report_page_print(kan_run *run, const json_t *object, kan_text *out) {
    kan_page page = {.to = out, .root = object};
    if (json_is_array(json_object_get(object, "tables")))
        return kan_tables_page_print(run, object, out);
    if (kan_page_has(&page, "promise.drawn"))
        return kan_draws_page_print(run, object, out);
    page.is_internal = kan_page_has(&page, "internal");
    KAN_TRY(begin_page(run, &page));
    add_header(&page);
    kan_page_raw(&page, "<main>\n");
    KAN_TRY(add_sections(&page));
    kan_page_raw(&page, "</main>\n<footer>\n<p>Every figure on this page is taken from the JSON "
                        "result that it was made from, and names its place there; the page makes "
                        "no network request and runs no script.</p>\n</footer>\n");
    kan_page_end(&page);
    return kan_text_status(out);
}
