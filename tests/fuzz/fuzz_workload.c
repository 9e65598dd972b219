/* Fuzzing workload files: whatever the bytes are, reading them ends, and what comes out holds
 * together. What was read is then asked of a small column of numbers and one of text. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyze/workload/workload_filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void require(bool holds) {
    if (!holds)
        abort();
}

static void check(const kan_workload *w) {
    size_t n_predicates = 0, n_constants = 0;
    uint64_t line = 0;
    require(w->n_queries > 0);
    for (size_t i = 0; i < w->n_queries; i++) {
        const kan_query *query = &w->queries[i];
        require(query->line > line);
        line = query->line;
        require(query->weight > 0 && query->weight <= 1e9);
        require(query->text.size > 0 && query->first_predicate == n_predicates);
        require(query->aggregate == KAN_AGGREGATE_COUNT || query->name < w->n_names);
        for (size_t p = 0; p < query->n_predicates; p++) {
            const kan_predicate *predicate = &w->predicates[n_predicates++];
            require(predicate->name < w->n_names && predicate->place > 0);
            require(predicate->first_constant == n_constants && predicate->n_constants > 0);
            require((predicate->comparison == KAN_IS_BETWEEN) <= (predicate->n_constants == 2));
            n_constants += predicate->n_constants;
        }
    }
    require(n_predicates == w->n_predicates && n_constants == w->n_constants);
    for (size_t i = 0; i < w->n_names; i++)
        require(w->names[i][0] != '\0');
}

/* Every number that the filter allows is allowed as a value, and no other. */
static void ask(kan_run *run, const kan_workload *w, const kan_column *column) {
    kan_value_column values;
    if (kan_value_column_init(&values, run, column) != KAN_OK)
        return;
    for (size_t i = 0; i < w->n_queries; i++)
        for (uint32_t name = 0; name < w->n_names; name++) {
            kan_filter filter;
            size_t n;
            require(kan_filter_init(&filter, &values, w, &w->queries[i], name, &n) == KAN_OK);
            for (uint32_t code = 0; code < column->dictionary.n; code++) {
                require(n > 0 || filter.allows[code]);
                if (values.numbers && !isnan(values.numbers[code]))
                    require(filter.allows[code] ==
                            kan_filter_allows_number(&filter, values.numbers[code]));
            }
            kan_filter_destroy(&filter);
        }
    kan_value_column_destroy(&values);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const char numbers[] = "?1736.598", texts[] = "FemaleMale";
    static const uint64_t number_start[] = {0, 1, 3, 7, 9}, text_start[] = {0, 6, 10};
    kan_column column = {.name = "n", .is_encoded = true, .width = 1};
    kan_run *run = kan_run_create();
    kan_workload *workload = NULL;
    char path[64];
    const int file = memfd_create("workload", 0);
    require(run && file >= 0 && write(file, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (kan_workload_read(run, path, &workload) == KAN_OK) {
        check(workload);
        column.dictionary = (kan_dictionary){4, (char *)(uintptr_t)numbers,
                                             (uint64_t *)(uintptr_t)number_start, KAN_TYPE_NUMBER};
        ask(run, workload, &column);
        column.dictionary = (kan_dictionary){2, (char *)(uintptr_t)texts,
                                             (uint64_t *)(uintptr_t)text_start, KAN_TYPE_TEXT};
        ask(run, workload, &column);
        kan_problems_begin(run);
        for (uint32_t name = 0; name < workload->n_names; name++)
            kan_workload_check(workload, name, &column);
        (void)kan_problems_end(run);
    } else {
        require(workload == NULL && kan_run_error(run)[0] != '\0');
    }
    kan_workload_destroy(workload);
    close(file);
    kan_run_destroy(run);
    return 0;
}
