/* Whom suppression erased: values of which every row was suppressed. For those alone who may see the
 * table: a shareable report must not depend on them. */
#include <stdlib.h>

#include "job/report/report_data.h"

enum { MOST_VALUES = 20, DONE_ROWS = 1 << 16 };

typedef struct {
    uint64_t n_rows, n_left;
    uint32_t code;
} value;

static kan_status count_values(const kan_report_source *source, const kan_column *column,
                               value *values) {
    kan_run *run = source->outcome->setup->run;
    const uint8_t *is_suppressed = source->release->is_suppressed;
    for (uint32_t code = 0; code < column->dictionary.n; code++)
        values[code].code = code;
    for (uint64_t row = 0; row < source->release->n_rows; row++) {
        value *one = &values[kan_column_code(column, row)];
        const uint64_t n = kan_column_rows(column, row);
        one->n_rows += n;
        one->n_left += is_suppressed[row] ? 0 : n;
        if ((row + 1) % DONE_ROWS == 0) {
            kan_column_done(run, column, row + 1 - DONE_ROWS, DONE_ROWS);
            KAN_TRY(kan_check_cancel(run));
        }
    }
    return KAN_OK;
}

/* Those that most rows had first; equals in the order of the values. */
static int by_rows(const void *a, const void *b) {
    const value *x = a, *y = b;
    if (x->n_rows != y->n_rows)
        return x->n_rows < y->n_rows ? 1 : -1;
    return (x->code > y->code) - (x->code < y->code);
}

static json_t *column_json(const kan_column *column, const value *gone, size_t n) {
    json_t *list = json_array();
    uint64_t n_rest_rows = 0;
    for (size_t i = 0; i < n; i++)
        if (i < MOST_VALUES)
            list = kan_json_append(
                list,
                json_pack("{s:o, s:o}", "label",
                          kan_report_label(kan_dictionary_value(&column->dictionary, gone[i].code)),
                          "rows", kan_json_count(gone[i].n_rows)));
        else
            n_rest_rows += gone[i].n_rows;
    json_t *rest = n > MOST_VALUES
                       ? json_pack("{s:o, s:o}", "values", kan_json_count(n - MOST_VALUES), "rows",
                                   kan_json_count(n_rest_rows))
                       : json_null();
    return json_pack("{s:o, s:o, s:o}", "column", kan_json_text(column->name), "values", list,
                     "rest", rest);
}

static kan_status add_column(const kan_report_source *source, const kan_column *column,
                             json_t **columns) {
    kan_run *run = source->outcome->setup->run;
    value *values;
    size_t n = 0;
    KAN_TRY(kan_alloc_zero(run, column->dictionary.n, sizeof *values, &values));
    kan_status status = count_values(source, column, values);
    for (uint32_t code = 0; status == KAN_OK && code < column->dictionary.n; code++)
        if (values[code].n_rows > 0 && values[code].n_left == 0)
            values[n++] = values[code];
    if (status == KAN_OK && n > 0) {
        qsort(values, n, sizeof *values, by_rows);
        *columns = kan_json_append(*columns, column_json(column, values, n));
    }
    kan_free(run, values);
    return status;
}

static bool is_told(const kan_setup *setup, size_t column) {
    return setup->table->columns[column].is_encoded &&
           (setup->roles[column] == KAN_ROLE_QUASI || setup->roles[column] == KAN_ROLE_SENSITIVE ||
            setup->roles[column] == KAN_ROLE_CLASS);
}

kan_status kan_report_erased(const kan_report_source *source, json_t **out) {
    const kan_setup *setup = source->outcome->setup;
    json_t *columns = json_array();
    kan_status status = KAN_OK;
    for (size_t i = 0; i < setup->table->n_columns && status == KAN_OK; i++)
        if (is_told(setup, i) && source->release->is_suppressed)
            status = add_column(source, &setup->table->columns[i], &columns);
    if (status == KAN_OK)
        return kan_report_json(setup->run, columns, out);
    json_decref(columns);
    return status;
}
