/* Counted tables, and from there to one with all its rows: each distinct row as often as it stands
 * there. */
#include <string.h>

#include "core/spill.h"
#include "data/table.h"

static kan_status repeat_column(kan_run *run, kan_column *column, const uint64_t *n_times,
                                uint64_t n_rows) {
    const unsigned width = column->width;
    const char *from = column->codes;
    char *codes, *at;
    KAN_TRY(kan_spill_alloc(run, n_rows, width, &codes));
    at = codes;
    for (uint64_t row = 0; row < column->n_rows; row++)
        for (uint64_t i = 0; i < n_times[row]; i++, at += width)
            memcpy(at, from + row * width, width);
    kan_free(run, column->codes);
    column->codes = codes;
    column->n_rows = n_rows;
    return KAN_OK;
}

kan_status kan_table_take_counts(kan_table *table, uint64_t *counts) {
    uint64_t n_rows = 0;
    KAN_ASSERT(!table->counts);
    table->counts = counts;
    for (uint64_t row = 0; row < table->n_rows; row++) {
        if (counts[row] == 0 || counts[row] > UINT64_MAX - n_rows)
            return kan_fail(table->run, KAN_FAILED,
                            "a counted table has a row that stands there %s; please report this",
                            counts[row] == 0 ? "not once" : "too often");
        n_rows += counts[row];
    }
    table->n_counted = n_rows;
    return KAN_OK;
}

kan_status kan_table_repeat(kan_table *table) {
    if (!table->counts)
        return KAN_OK;
    for (size_t i = 0; i < table->n_columns; i++)
        if (table->columns[i].is_encoded)
            KAN_TRY(repeat_column(table->run, &table->columns[i], table->counts, table->n_counted));
    table->n_rows = table->n_counted;
    kan_free(table->run, table->counts);
    table->counts = NULL;
    return KAN_OK;
}
