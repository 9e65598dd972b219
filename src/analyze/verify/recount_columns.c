/* How many rows show each value of a column, each column by itself. A value is what is written there:
 * numbers that are spelled in two ways count as two. */
#include "analyze/tuples/tuples.h"
#include "analyze/verify/verify_release.h"

static uint64_t rows_of(const kan_table *table, uint64_t row) {
    return table->counts ? table->counts[row] : 1;
}

/* Marks the rows that show a value of fewer than k. */
static kan_status count_column(kan_run *run, const kan_models_question *question, size_t i,
                               uint8_t *is_small, kan_columns_recount *found) {
    const kan_table *table = question->release;
    const kan_column *column = &table->columns[question->quasi[i]];
    uint64_t *rows;
    KAN_TRY(kan_alloc_zero(run, column->dictionary.n, sizeof *rows, &rows));
    for (uint64_t row = 0; row < table->n_rows; row++)
        rows[kan_column_code(column, row)] += rows_of(table, row);
    for (uint32_t code = 0; code < column->dictionary.n; code++) {
        if (rows[code] == 0)
            continue;
        if (found->fewest_rows == 0 || rows[code] < found->fewest_rows) {
            found->fewest_rows = rows[code];
            found->column = i;
        }
        found->n_small_values += rows[code] < found->k;
    }
    for (uint64_t row = 0; row < table->n_rows; row++)
        is_small[row] |= rows[kan_column_code(column, row)] < found->k;
    kan_free(run, rows);
    return KAN_OK;
}

static void sum_rows(const kan_table *table, const uint8_t *is_small, kan_columns_recount *found) {
    for (uint64_t row = 0; row < table->n_rows; row++) {
        if (!is_small[row])
            continue;
        found->n_small_rows += rows_of(table, row);
        if (found->n_examples < KAN_RECOUNT_EXAMPLES)
            found->examples[found->n_examples++] = row;
    }
}

static kan_status count_alone(kan_run *run, const kan_models_question *question, uint64_t *out) {
    const kan_table *table = question->release;
    kan_tuples tuples;
    uint32_t *tuple = NULL;
    kan_status status;
    kan_tuples_init(&tuples, run, question->n_quasi * sizeof *tuple);
    KAN_TRY_DONE(kan_alloc(run, question->n_quasi, sizeof *tuple, &tuple));
    for (uint64_t row = 0; row < table->n_rows; row++) {
        size_t unused;
        for (size_t i = 0; i < question->n_quasi; i++)
            tuple[i] = kan_column_code(&table->columns[question->quasi[i]], row);
        KAN_TRY_DONE(kan_tuples_add_rows(&tuples, tuple, row, rows_of(table, row), &unused));
    }
    *out = 0;
    for (size_t t = 0; t < tuples.n; t++)
        *out += tuples.count[t] == 1;
    status = KAN_OK;
done:
    kan_free(run, tuple);
    kan_tuples_destroy(&tuples);
    return status;
}

kan_status kan_verify_columns(kan_run *run, const kan_models_question *question,
                              kan_columns_recount *out) {
    kan_columns_recount found = {.is_counted = true, .k = question->claim->by_column};
    uint8_t *is_small;
    kan_status status;
    KAN_TRY(kan_alloc_zero(run, question->release->n_rows, 1, &is_small));
    for (size_t i = 0; i < question->n_quasi; i++)
        KAN_TRY_DONE(count_column(run, question, i, is_small, &found));
    sum_rows(question->release, is_small, &found);
    KAN_TRY_DONE(count_alone(run, question, &found.n_alone));
    found.holds = found.n_small_values == 0 && found.fewest_rows > 0; /* no rows: never */
    *out = found;
done:
    kan_free(run, is_small);
    return status;
}
