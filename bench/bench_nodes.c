/* The nodes searched on Adult, k = 2, prefixes of 3 to 9 columns, beside the table of Incognito
 * 4.2.1.
 *
 * "Searched" are nodes whose frequency set is computed for the check. The paper counted to the
 * letter of its Figure 8, and so does `--marking literal`; handing marks on to all generalizations
 * checks fewer. The hierarchies are not the authors', which were never printed: with ours some of
 * the larger counts differ from the paper's by a few in a thousand, and are known exactly. Any
 * difference from these is a fault, and this command fails then. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "trial.h"

enum { FIRST = 3, LAST = 9, N_SIZES = LAST - FIRST + 1 };

typedef struct {
    const char *search, *marking;
    const uint64_t *paper; /* NULL: the paper has none */
    uint64_t expected[N_SIZES];
} node_table;

static const uint64_t paper_bottom_up[] = {14, 47, 206, 680, 2088, 6366, 12818};
static const uint64_t paper_incognito[] = {14, 35, 103, 246, 664, 1778, 4307};

static const node_table tables[] = {
    {"bottom-up", "literal", paper_bottom_up, {14, 47, 206, 680, 2090, 6380, 12807}},
    {"incognito", "literal", paper_incognito, {14, 35, 103, 246, 669, 1779, 4652}},
    {"bottom-up", "transitive", NULL, {12, 41, 195, 667, 2068, 6355, 12781}},
    {"incognito", "transitive", NULL, {13, 33, 97, 237, 654, 1763, 4631}},
};
enum { N_TABLES = sizeof tables / sizeof *tables };

static void print_counts(const char *name, const uint64_t *counts) {
    printf("  %-28s", name);
    for (unsigned i = 0; i < N_SIZES; i++)
        printf(" %6" PRIu64, counts[i]);
    putchar('\n');
}

/* 0 when every count is the expected one, or the search is not there. */
static int print_table(const node_table *table, const trial_result *results) {
    char name[64];
    int failed = 0;
    snprintf(name, sizeof name, "%s, %s", table->search, table->marking);
    if (!trial_search_find(table->search)) {
        printf("  %-28s missing: there is no search of that name\n", name);
        return 0;
    }
    printf("  %-28s", name);
    for (unsigned i = 0; i < N_SIZES; i++)
        printf(" %6" PRIu64, results[i].answer.n_checked);
    printf("   anonymous nodes");
    for (unsigned i = 0; i < N_SIZES; i++)
        printf(" %" PRIu64, results[i].answer.n_anonymous);
    putchar('\n');
    if (table->paper)
        print_counts("  the paper", table->paper);
    print_counts("  with these hierarchies", table->expected);
    printf("  %-28s", "");
    for (unsigned i = 0; i < N_SIZES; i++) {
        bool is_same =
            results[i].state == TRIAL_DONE && results[i].answer.n_checked == table->expected[i];
        failed |= !is_same;
        printf(" %6s", is_same ? "ok" : "DIFFER");
    }
    puts(failed ? "   DIFFERS from what these hierarchies give" : "");
    return failed;
}

int bench_nodes(int argc, char **argv) {
    bench_option options[] = {{NULL, NULL, NULL}};
    bench_table table;
    trial_rows rows;
    trial_result results[N_TABLES][N_SIZES];
    int status;
    if (!bench_options_read(argc, argv, "Nodes searched on Adult, k = 2, beside the paper's table.",
                            options, &status))
        return status;
    if (bench_table_adult("adult.csv", "adult", &table) != 0)
        return 1;
    memset(results, 0, sizeof results);
    int failed = trial_rows_read(&table, &rows);
    for (unsigned n = FIRST; n <= LAST && !failed; n++) {
        trial_fold fold;
        failed = trial_fold_make(&rows, n, &fold);
        for (unsigned t = 0; t < N_TABLES && !failed; t++) {
            trial_question question = {.k = "2",
                                       .limit = "0",
                                       .cost = "height",
                                       .marking = tables[t].marking,
                                       .wants_all = true,
                                       .most_runs = 1};
            results[t][n - FIRST] =
                trial_run(&fold, trial_search_find(tables[t].search), &question);
            failed = results[t][n - FIRST].state == TRIAL_REFUSED;
        }
        trial_fold_destroy(&fold);
    }
    if (!failed) {
        printf("Adult, %" PRIu64 " rows, k = 2, nothing suppressed: nodes searched\n",
               kan_table_n_rows(rows.table));
        printf("  %-28s", "columns");
        for (unsigned n = FIRST; n <= LAST; n++)
            printf(" %6u", n);
        putchar('\n');
        for (unsigned t = 0; t < N_TABLES; t++)
            failed |= print_table(&tables[t], results[t]);
    }
    trial_rows_close(&rows);
    return failed;
}
