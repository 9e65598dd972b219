/* What promises about sensitive values cost regions and local recoding: the 30,162-row Adult, k = 5
 * beside each, occupation sensitive, the other eight columns quasi-identifiers. CPU time of the
 * search alone, beside that of k alone on the same columns. */
#include <stdio.h>
#include <string.h>

#include "local.h"

/* How long t-closeness may take local recoding. */
#define MOST_CLOSENESS_MS 600.0

enum { MOST_SETTINGS = 3, N_COLUMNS = 8, N_SEARCHES = 3 };

static const char *const columns[N_COLUMNS] = {"age",        "gender",         "race",
                                               "education",  "marital-status", "native-country",
                                               "work-class", "salary-class"};
static const char *const searches[N_SEARCHES] = {"mondrian", "progressive", "top-down"};

typedef struct {
    const char *name;
    const char *settings[2 * MOST_SETTINGS];
    double most_ms; /* of local recoding; 0: nobody said */
} promise;

/* The first is what the others are compared with. */
static const promise promises[] = {
    {"k alone", {NULL}, 0},
    {"distinct l = 5", {"l", "5"}, 0},
    {"entropy l = 3", {"l", "3", "l-kind", "entropy"}, 0},
    {"recursive (4, 3)", {"l", "3", "l-kind", "recursive", "c", "4"}, 0},
    {"alpha = 0.3", {"alpha", "0.3"}, 0},
    {"t = 0.2, equal", {"t", "0.2", "t-distance", "equal"}, MOST_CLOSENESS_MS},
    {"t = 0.2, hierarchical", {"t", "0.2", "t-distance", "hierarchical"}, MOST_CLOSENESS_MS},
};

enum { N_PROMISES = sizeof promises / sizeof *promises };

static int measure(const bench_table *table, const local_plan *plan, const promise *p,
                   const char *search, local_result *out) {
    const char *settings[2 * (5 + MOST_SETTINGS) + 1] = {
        "algorithm", search, "hierarchies", table->hierarchies, "k",
        "5",         "cost", "ncp",         "sensitive",        "occupation"};
    size_t n = 10;
    for (size_t i = 0; i < 2 * MOST_SETTINGS && p->settings[i]; i++)
        settings[n++] = p->settings[i];
    return local_measure_columns(table, columns, N_COLUMNS, settings, plan->n_runs, out);
}

static void print_cell(const promise *p, unsigned search, const local_result *result,
                       const local_result *alone) {
    const bool is_missed = p->most_ms > 0 && search > 0 && result->cpu_ms > p->most_ms;
    printf(" %.1f | %.1f%s | %.4f |", result->cpu_ms, result->cpu_ms / alone->cpu_ms,
           is_missed ? " MISSED" : "", result->ncp);
}

int local_promises(const local_plan *plan) {
    bench_table table;
    local_result alone[N_SEARCHES], result;
    if (bench_table_adult("adult-30162.csv", "adult", &table) != 0) {
        puts("promises: skipped");
        return 0;
    }
    puts(
        "Promises: Adult, 30,162 rows, 8 columns, occupation sensitive, hierarchies, k = 5, --cost "
        "ncp; CPU ms of the search, one thread, times k alone, ncp\n\n"
        "| promise beside k = 5 | mondrian | times | ncp | progressive | times | ncp | top-down | "
        "times | ncp |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (unsigned p = 0; p < N_PROMISES; p++) {
        printf("| %s |", promises[p].name);
        for (unsigned s = 0; s < N_SEARCHES; s++) {
            if (measure(&table, plan, &promises[p], searches[s], &result) != 0)
                return 1;
            if (p == 0)
                alone[s] = result;
            print_cell(&promises[p], s, &result, &alone[s]);
        }
        putchar('\n');
        fflush(stdout);
    }
    putchar('\n');
    return 0;
}
