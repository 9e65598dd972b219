/* How many rows a column leaves alone beside the quasi-identifiers, and how many these by themselves.
 *
 * Rows are numbered by their quasi-identifiers once; each further column then makes pairs of that
 * number and its code. O(rows) time and memory for each. */
#include "analyze/profile/profile.h"
#include "analyze/verify/verify.h"
#include "core/memory.h"

static uint64_t count_alone(const kan_tuples *tuples) {
    uint64_t n = 0;
    for (size_t i = 0; i < tuples->n; i++)
        n += tuples->count[i] == 1;
    return n;
}

/* numbers[row] becomes the number of the row's combination; the rows that are alone with theirs. */
static kan_status number_rows(kan_run *run, const kan_singled_question *q, uint32_t *codes,
                              uint32_t *numbers, uint64_t *n_alone) {
    kan_status status = KAN_OK;
    kan_tuples tuples;
    kan_tuples_init(&tuples, run, q->n_quasi * sizeof *codes);
    for (uint64_t row = 0; status == KAN_OK && row < q->table->n_rows; row++) {
        size_t index = 0;
        for (size_t i = 0; i < q->n_quasi; i++)
            codes[i] = kan_column_code(&q->table->columns[q->quasi[i]], row);
        status = row % 65536 == 0 ? kan_check_cancel(run) : KAN_OK;
        if (status == KAN_OK)
            status =
                kan_tuples_add_rows(&tuples, codes, row, kan_table_count(q->table, row), &index);
        numbers[row] = (uint32_t)index;
    }
    *n_alone = count_alone(&tuples);
    kan_tuples_destroy(&tuples);
    return status;
}

static kan_status count_with(kan_run *run, const kan_singled_question *q, const uint32_t *numbers,
                             size_t other, uint64_t *n_alone) {
    const kan_column *column = &q->table->columns[other];
    kan_status status = KAN_OK;
    kan_tuples tuples;
    kan_tuples_init(&tuples, run, 2 * sizeof *numbers);
    for (uint64_t row = 0; status == KAN_OK && row < q->table->n_rows; row++) {
        const uint32_t pair[] = {numbers[row], kan_column_code(column, row)};
        size_t index;
        status = row % 65536 == 0 ? kan_check_cancel(run) : KAN_OK;
        if (status == KAN_OK)
            status =
                kan_tuples_add_rows(&tuples, pair, row, kan_table_count(q->table, row), &index);
    }
    *n_alone = count_alone(&tuples);
    kan_tuples_destroy(&tuples);
    return status;
}

kan_status kan_profile_singled(kan_run *run, const kan_singled_question *q, uint64_t *n_with,
                               uint64_t *n_before) {
    uint32_t *codes = NULL, *numbers = NULL;
    kan_status status;
    KAN_TRY(kan_alloc(run, q->n_quasi, sizeof *codes, &codes));
    KAN_TRY_DONE(kan_alloc(run, q->table->n_rows, sizeof *numbers, &numbers));
    KAN_TRY_DONE(number_rows(run, q, codes, numbers, n_before));
    for (size_t i = 0; i < q->n_others; i++)
        KAN_TRY_DONE(count_with(run, q, numbers, q->others[i], &n_with[i]));
done:
    kan_free(run, numbers);
    kan_free(run, codes);
    return status;
}
