#include "io/source_cohort.h"

#include "core/spill.h"
#include "io/source_spelling.h"

/* Columns are bound here, so that whoever reads knows them by their place. */
static void bind(const kan_source *source, kan_cohort *cohort) {
    const size_t n = kan_source_n_columns(source);
    for (size_t i = 0; i < cohort->n_tests; i++) {
        size_t column = 0;
        while (column < n &&
               !kan_slice_is(cohort->tests[i].column, kan_source_column_name(source, column)))
            column++;
        KAN_ASSERT(column < n);
        cohort->tests[i].at = column;
    }
}

kan_status kan_source_choose(kan_source *source, const char *expression) {
    kan_cohort *cohort;
    kan_arena_init(&source->arena, source->run);
    kan_status status = kan_cohort_parse(source->run, &source->arena, expression, &cohort);
    if (status == KAN_OK) {
        bind(source, cohort);
        if (!source->kind->choose) {
            source->cohort = cohort;
            return KAN_OK;
        }
        status = source->kind->choose(source->state, cohort);
    }
    kan_arena_destroy(&source->arena);
    return status;
}

/* ---- which rows ----------------------------------------------------------------------------- */

static kan_status find_line(void *context, uint64_t row, uint64_t *line, bool *is_found) {
    return kan_source_find_lines(context, &row, 1, line, is_found);
}

static kan_status find_rows(kan_source *source) {
    const kan_cohort_places places = {find_line, source};
    kan_table *table = NULL;
    bool *encode = NULL;
    kan_status status;
    KAN_TRY_DONE(
        kan_alloc_zero(source->run, kan_source_n_columns(source), sizeof *encode, &encode));
    for (size_t i = 0; i < source->cohort->n_tests; i++)
        encode[source->cohort->tests[i].at] = true;
    KAN_TRY_DONE(source->kind->read(source->state, encode, NULL, &table));
    source->n_all = table->n_rows;
    if (source->spellings)
        KAN_TRY_DONE(kan_source_take_values(source, NULL, table));
    KAN_TRY_DONE(kan_cohort_choose(source->run, source->cohort, table, kan_source_name(source),
                                   &places, &source->rows, &source->n_rows));
done:
    kan_table_destroy(table);
    kan_free(source->run, encode);
    return status;
}

kan_status kan_source_read_cohort(kan_source *source, const bool *encode, const bool *as_is,
                                  kan_table **out) {
    kan_table *table;
    kan_status status;
    if (!source->rows)
        KAN_TRY(find_rows(source));
    KAN_TRY(source->kind->read(source->state, encode, as_is, &table));
    if (table->n_rows != source->n_all)
        status = kan_fail(source->run, KAN_FAILED, "%s: the file changed while it was read",
                          kan_source_name(source));
    else
        status = kan_cohort_cut(table, source->rows, source->n_rows);
    if (status == KAN_OK)
        *out = table;
    else
        kan_table_destroy(table);
    return status;
}

/* ---- what else is said of rows -------------------------------------------------------------- */

kan_status kan_source_find_cohort_lines(kan_source *source, const uint64_t *rows, size_t n,
                                        uint64_t *lines, bool *is_found) {
    uint64_t *own;
    KAN_TRY(kan_alloc(source->run, n, sizeof *own, &own));
    for (size_t i = 0; i < n; i++)
        own[i] = source->rows[rows[i]];
    const kan_status status = source->kind->find_lines(source->state, own, n, lines, is_found);
    kan_free(source->run, own);
    return status;
}

kan_status kan_source_hash_cohort(kan_source *source, const size_t *columns, size_t n_columns,
                                  uint64_t *const *out) {
    uint64_t **all;
    kan_status status;
    KAN_TRY(kan_alloc_zero(source->run, n_columns, sizeof *all, &all));
    for (size_t i = 0; i < n_columns; i++)
        KAN_TRY_DONE(kan_spill_alloc(source->run, source->n_all, sizeof **all, &all[i]));
    KAN_TRY_DONE(source->kind->hash(source->state, columns, n_columns, all));
    for (size_t i = 0; i < n_columns; i++)
        for (uint64_t row = 0; row < source->n_rows; row++)
            out[i][row] = all[i][source->rows[row]];
done:
    for (size_t i = 0; i < n_columns; i++)
        kan_free(source->run, all[i]);
    kan_free(source->run, all);
    return status;
}
