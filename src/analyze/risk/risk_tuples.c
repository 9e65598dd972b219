/* Folding by the grouping of the verification (analyze/tuples), then codes column by column. */
#include "analyze/risk/risk_tuples.h"

#include "analyze/verify/verify.h"
#include "core/spill.h"

static kan_status follow(void *context, uint64_t row, size_t n, const size_t *groups) {
    uint32_t *tuple_of_row = context;
    for (size_t i = 0; i < n; i++)
        tuple_of_row[row + i] = (uint32_t)groups[i];
    return KAN_OK;
}

static uint32_t read_code(const char *at, unsigned width) {
    uint16_t middle;
    uint32_t wide;
    if (width == 1)
        return *(const uint8_t *)at;
    if (width == 2) {
        memcpy(&middle, at, 2);
        return middle;
    }
    memcpy(&wide, at, 4);
    return wide;
}

/* Of a column: the codes of all tuples, and which of them are hidden. */
static void unpack(kan_risk_tuples *out, const kan_tuples *from, unsigned at,
                   const kan_column *column, size_t offset) {
    uint32_t star = UINT32_MAX, missing = UINT32_MAX;
    uint32_t *codes = out->codes + (size_t)at * out->n;
    (void)kan_dictionary_find(&column->dictionary, (kan_slice){"*", 1}, &star);
    (void)kan_dictionary_find(&column->dictionary, (kan_slice){"", 0}, &missing);
    out->n_codes[at] = column->dictionary.n;
    for (uint32_t i = 0; i < out->n; i++) {
        codes[i] = read_code((const char *)kan_tuples_at(from, i) + offset, column->width);
        if (codes[i] == star || codes[i] == missing)
            out->hidden[i] |= UINT64_C(1) << at;
    }
}

static kan_status take_tuples(kan_risk_tuples *out, const kan_tuples *from, const kan_table *table,
                              const size_t *columns) {
    kan_run *run = out->run;
    const size_t n = out->n;
    size_t offset = 0;
    KAN_TRY(kan_alloc(run, n * out->n_columns, sizeof *out->codes, &out->codes));
    KAN_TRY(kan_alloc(run, out->n_columns, sizeof *out->n_codes, &out->n_codes));
    KAN_TRY(kan_alloc(run, n, sizeof *out->rows, &out->rows));
    KAN_TRY(kan_alloc(run, n, sizeof *out->first_row, &out->first_row));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *out->hidden, &out->hidden));
    for (unsigned c = 0; c < out->n_columns; c++) {
        KAN_TRY(kan_check_cancel(run));
        unpack(out, from, c, &table->columns[columns[c]], offset);
        offset += table->columns[columns[c]].width;
    }
    if (n > 0) {
        memcpy(out->rows, from->count, n * sizeof *out->rows);
        memcpy(out->first_row, from->first_row, n * sizeof *out->first_row);
    }
    return KAN_OK;
}

static kan_status fold(kan_risk_tuples *made, const kan_table *table, const size_t *columns) {
    kan_recount_groups groups;
    KAN_TRY(
        kan_spill_alloc(made->run, table->n_rows, sizeof *made->tuple_of_row, &made->tuple_of_row));
    const kan_recount_follower follower = {follow, made->tuple_of_row};
    KAN_TRY(kan_recount_group(made->run, table, columns, made->n_columns, &follower, &groups));
    made->n = (uint32_t)groups.tuples.n;
    const kan_status status = take_tuples(made, &groups.tuples, table, columns);
    kan_tuples_destroy(&groups.tuples);
    return status;
}

kan_status kan_risk_tuples_make(kan_run *run, const kan_table *table, const size_t *columns,
                                size_t n_columns, kan_risk_tuples *out) {
    kan_risk_tuples made = {
        .run = run, .n_rows = kan_table_total(table), .n_columns = (unsigned)n_columns};
    KAN_ASSERT(n_columns > 0 && n_columns <= KAN_RISK_COLUMNS);
    if (table->n_rows >= UINT32_MAX)
        return kan_fail(run, KAN_FAILED,
                        "a table of so many rows cannot be looked at row by row; use a part of it");
    const kan_status status = fold(&made, table, columns);
    if (status == KAN_OK)
        *out = made;
    else
        kan_risk_tuples_destroy(&made);
    return status;
}

void kan_risk_tuples_destroy(kan_risk_tuples *tuples) {
    kan_run *run = tuples->run;
    if (!run)
        return;
    kan_free(run, tuples->codes);
    kan_free(run, tuples->n_codes);
    kan_free(run, tuples->rows);
    kan_free(run, tuples->first_row);
    kan_free(run, tuples->hidden);
    kan_free(run, tuples->tuple_of_row);
    *tuples = (kan_risk_tuples){.run = NULL};
}
