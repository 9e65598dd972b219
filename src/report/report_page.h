/* The report of a result as one page of HTML, made of the result's JSON and of nothing else: the
 * same document, the same bytes. The page asks nothing of the network, runs no script, and holds
 * nothing that the document does not have.
 *
 * The document is a result of `anonymize` or `search`; with the key `report` (what --report adds)
 * the page shows columns, groups, risk and suppression, with the key `internal` also what only
 * those may see who may see the table, and says so on every page and section. Keys that are missing
 * or of another type leave out what they would have shown. */
#ifndef KANON_REPORT_REPORT_PAGE_H
#define KANON_REPORT_REPORT_PAGE_H

#include "report/html.h"

KAN_MUST_USE kan_status kan_report_page_print(kan_run *run, const json_t *object, kan_text *out);
/* The page of a result over several tables; it needs the key `report`. */
KAN_MUST_USE kan_status kan_tables_page_print(kan_run *run, const json_t *object, kan_text *out);
/* The page of a result over rows that were drawn (--epsilon). */
KAN_MUST_USE kan_status kan_draws_page_print(kan_run *run, const json_t *object, kan_text *out);

/* ---- the sections, for report_page*.c ------------------------------------------------------- */

/* Cut after so many characters: names, and values. */
enum { KAN_PAGE_NAME = 60, KAN_PAGE_VALUE = 80 };
/* Columns that stand side by side on paper in letters of the usual size. */
enum { KAN_PAGE_FEW = 7 };

/* report_page_open.c: what is not covered in this release, the list at the top, and the figures of
 * whoever signs. */
bool kan_page_is_open(const kan_page *page);
void kan_page_add_open(kan_page *page);
void kan_page_add_facts(kan_page *page);
/* Whether the c-th of `columns` is released as it is though no model looks at it. */
bool kan_page_is_kept(const kan_page *page, size_t c);

void kan_page_add_roles(kan_page *page);
/* What a role is, in words; `word` is that of a result. */
void kan_page_add_role(kan_page *page, const json_t *word);
void kan_page_add_risk(kan_page *page);
void kan_page_add_sizes(kan_page *page);
void kan_page_add_sample(kan_page *page);
void kan_page_add_columns(kan_page *page);
void kan_page_add_suppression(kan_page *page);
void kan_page_add_costs(kan_page *page);
void kan_page_add_workload(kan_page *page);
kan_status kan_page_add_search(kan_page *page);
void kan_page_add_origin(kan_page *page);
/* The rule that the release was held against, if any. */
void kan_page_add_rules(kan_page *page);
void kan_page_add_internal(kan_page *page);
/* report_page_attack.c: what intruders find, of an internal page. */
void kan_page_add_fidelity(kan_page *page);
void kan_page_add_attacks(kan_page *page);

/* Whether the page has figures over all rows: nobody is suppressed, or the page is internal. All
 * others depend on released rows alone, so that nothing changes with what suppressed people have.
 */
bool kan_page_tells_all(const kan_page *page);

/* Whether the m-th model is a number of rows or people per group. */
bool kan_page_is_k(const kan_page *page, size_t m);
/* Whether some cells mean less than their label says. */
bool kan_page_has_narrow_cells(const kan_page *page);
/* Whether people are counted, each of whom may have several rows; and whether the page may not say how
 * many rows were suppressed, from which it would follow how many somebody has. */
bool kan_page_counts_people(const kan_page *page);
bool kan_page_hides_rows(const kan_page *page);
/* Whether it is about each column by itself (--per-column), and about no row. */
bool kan_page_is_by_column(const kan_page *page);
/* Whether households leave whole, and rows are counted. */
bool kan_page_leaves_households(const kan_page *page);
/* Whether the promise is about all rows of a person together. */
bool kan_page_has_histories(const kan_page *page);

/* Whether rows are promised to match people, in place of groups (--missing-matches). */
bool kan_page_has_matches(const kan_page *page);

/* Begins a cell of the class that says what it is: on a phone a row of many columns stands as a
 * list, below no heads. `label` may be NULL. */
void kan_page_begin_cell(kan_page *page, const char *class_name, const json_t *label);

/* "age, gender and 3 more": the names of a list of the document. */
void kan_page_names(kan_page *page, const json_t *names, size_t most);

#endif
