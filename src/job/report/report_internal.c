/* What a report says to those alone who may see the table: the smallest groups, rows as they were
 * beside what became of them, rows and values that were suppressed, and how often each value was
 * there. */
#include <stdlib.h>

#include "job/report/report_data.h"

enum { MOST_ROWS = 10, DONE_ROWS = 1 << 16 };

static kan_status no_memory(kan_run *run) {
    return kan_fail(run, KAN_FAILED, "out of memory while the report was made");
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* A row as it was, in the columns of kan_report_released_row. */
static json_t *raw_row(const kan_report_source *source, uint64_t row, size_t n_columns) {
    const kan_table *table = source->outcome->setup->table;
    json_t *values = json_array();
    size_t n = 0;
    for (size_t c = 0; c < source->release->n_columns && n < n_columns; c++) {
        const kan_release_column *column = &source->release->columns[c];
        if (kan_release_keeps(column))
            continue;
        n++;
        values = kan_json_append(values, kan_report_label(kan_column_value(
                                             &table->columns[column->source_column], row)));
    }
    return values;
}

static json_t *pair_json(const kan_report_source *source, uint64_t row, uint64_t group_rows,
                         size_t n_columns) {
    return json_pack("{s:o, s:o, s:o, s:o}", "row", kan_json_count(row + 1), "group_rows",
                     kan_json_count(group_rows), "raw", raw_row(source, row, n_columns), "released",
                     kan_report_released_row(source, row));
}

/* A row of each of the smallest groups, or of the largest. */
static kan_status add_pairs(const kan_report_source *source, bool largest, size_t n_columns,
                            json_t **rows) {
    kan_run *run = source->outcome->setup->run;
    const kan_groups *all = kan_solution_groups(source->outcome->solution);
    size_t groups[MOST_ROWS] = {0}, n;
    uint64_t found[MOST_ROWS];
    KAN_TRY(kan_report_choose_groups(source, largest, MOST_ROWS, groups, &n));
    KAN_TRY(kan_report_find_rows(source, groups, n, found));
    for (size_t i = 0; i < n; i++)
        if (found[i] != UINT64_MAX)
            *rows = kan_json_append(*rows,
                                    pair_json(source, found[i], all->count[groups[i]], n_columns));
    return *rows ? KAN_OK : no_memory(run);
}

static kan_status add_suppressed(const kan_report_source *source, size_t n_columns, json_t **rows) {
    kan_run *run = source->outcome->setup->run;
    const uint8_t *is_suppressed = source->release->is_suppressed;
    size_t n = 0;
    for (uint64_t row = 0; is_suppressed && n < MOST_ROWS && row < source->release->n_rows; row++) {
        if (!is_suppressed[row])
            continue;
        n++;
        *rows = kan_json_append(*rows, json_pack("{s:o, s:o}", "row", kan_json_count(row + 1),
                                                 "raw", raw_row(source, row, n_columns)));
    }
    return *rows ? KAN_OK : no_memory(run);
}

/* ---- distributions -------------------------------------------------------------------------- */

static kan_status count_values(kan_run *run, const kan_column *column, uint64_t n_rows,
                               uint64_t *counts) {
    for (uint64_t row = 0; row < n_rows; row++) {
        counts[kan_column_code(column, row)] += kan_column_rows(column, row);
        if ((row + 1) % DONE_ROWS == 0) {
            kan_column_done(run, column, row + 1 - DONE_ROWS, DONE_ROWS);
            KAN_TRY(kan_check_cancel(run));
        }
    }
    return KAN_OK;
}

static kan_status show_values(kan_run *run, const kan_column *column, uint64_t n_rows,
                              uint64_t *counts, kan_slice *labels, json_t **out) {
    uint32_t chosen[KAN_REPORT_VALUES];
    size_t n;
    json_t *shown;
    KAN_TRY(count_values(run, column, n_rows, counts));
    for (uint32_t code = 0; code < column->dictionary.n; code++)
        labels[code] = kan_dictionary_value(&column->dictionary, code);
    const kan_report_bins bins = {column->dictionary.n, labels, NULL, counts, true};
    KAN_TRY(kan_report_bins_show(run, &bins, chosen, &n, &shown));
    if (json_object_set_new(shown, "name", kan_json_text(column->name)) != 0) {
        json_decref(shown);
        return no_memory(run);
    }
    *out = shown;
    return KAN_OK;
}

static kan_status add_distribution(const kan_setup *setup, unsigned a, json_t **columns) {
    const kan_column *column = &setup->table->columns[setup->quasi[a]];
    uint64_t *counts = NULL;
    kan_slice *labels = NULL;
    json_t *shown = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(setup->run, column->dictionary.n, sizeof *counts, &counts));
    KAN_TRY_DONE(kan_alloc(setup->run, column->dictionary.n, sizeof *labels, &labels));
    KAN_TRY_DONE(show_values(setup->run, column, setup->table->n_rows, counts, labels, &shown));
    *columns = kan_json_append(*columns, shown);
    status = *columns ? KAN_OK : no_memory(setup->run);
done:
    kan_free(setup->run, counts);
    kan_free(setup->run, labels);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------ */

kan_status kan_report_internal_make(const kan_report_source *source, json_t **out) {
    const kan_setup *setup = source->outcome->setup;
    kan_status status;
    size_t n_others;
    json_t *files = NULL, *workload = NULL, *erased = NULL, *smallest = json_array(),
           *largest = json_array();
    json_t *suppressed = json_array(), *values = json_array();
    json_t *columns = kan_report_released_columns(source, &n_others);
    const size_t n = json_array_size(columns);
    KAN_TRY_DONE(add_pairs(source, false, n, &smallest));
    KAN_TRY_DONE(add_pairs(source, true, n, &largest));
    KAN_TRY_DONE(add_suppressed(source, n, &suppressed));
    for (unsigned a = 0; a < setup->n_quasi; a++)
        KAN_TRY_DONE(add_distribution(setup, a, &values));
    KAN_TRY_DONE(kan_report_erased(source, &erased));
    KAN_TRY_DONE(kan_report_files(source, true, &files));
    KAN_TRY_DONE(kan_report_workload(source, true, &workload));
    status = kan_report_json(setup->run,
                             json_pack("{s:O, s:O, s:O, s:O, s:O, s:O, s:O, s:O}", "columns",
                                       columns, "smallest", smallest, "largest", largest,
                                       "suppressed", suppressed, "values", values, "files", files,
                                       "workload", workload, "erased", erased),
                             out);
done:
    json_decref(columns);
    json_decref(smallest);
    json_decref(largest);
    json_decref(suppressed);
    json_decref(values);
    json_decref(erased);
    json_decref(files);
    json_decref(workload);
    return status;
}
