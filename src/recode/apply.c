/* Applying a recoding in memory: labels become a dictionary, rows the codes of their labels. */
#include "recode/apply.h"

#include <stdlib.h>
#include <string.h>

static int compare_labels(const void *a, const void *b) {
    return kan_slice_compare(*(const kan_slice *)a, *(const kan_slice *)b);
}

/* The distinct labels, as text in the order of bytes. */
static kan_status make_dictionary(kan_run *run, kan_slice *labels, uint32_t n,
                                  kan_dictionary *out) {
    uint64_t bytes = 0;
    uint32_t kept = 0;
    qsort(labels, n, sizeof *labels, compare_labels);
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0 && kan_slice_equal(labels[i], labels[kept - 1]))
            continue;
        labels[kept++] = labels[i];
        bytes += labels[i].size;
    }
    KAN_TRY(kan_alloc(run, (size_t)bytes + 1, 1, &out->bytes));
    KAN_TRY(kan_alloc(run, (size_t)kept + 1, sizeof *out->start, &out->start));
    out->start[0] = 0;
    for (uint32_t i = 0; i < kept; i++) {
        if (labels[i].size)
            memcpy(out->bytes + out->start[i], labels[i].bytes, labels[i].size);
        out->start[i + 1] = out->start[i] + labels[i].size;
    }
    out->n = kept;
    out->type = KAN_TYPE_TEXT;
    return KAN_OK;
}

/* `new_code` takes a code of the source to the code of its label. */
static void write_codes(const kan_apply_source *source, const kan_column *from,
                        const uint32_t *new_code, uint32_t *codes) {
    uint64_t at = 0;
    for (uint64_t row = 0; row < source->table->n_rows; row++)
        if (!source->is_suppressed || !source->is_suppressed[row])
            codes[at++] = new_code[kan_column_code(from, row)];
    KAN_ASSERT(at <= source->table->n_rows);
}

/* Makes the dictionary of n labels, and new_code[i], the code of labels[i] in it. */
static kan_status number_labels(kan_run *run, const kan_slice *labels, uint32_t n,
                                kan_dictionary *out, uint32_t *new_code) {
    kan_slice *sorted;
    KAN_TRY(kan_alloc(run, n, sizeof *sorted, &sorted));
    if (n > 0)
        memcpy(sorted, labels, n * sizeof *sorted);
    kan_status status = make_dictionary(run, sorted, n, out);
    for (uint32_t i = 0; i < n && status == KAN_OK; i++)
        if (!kan_dictionary_find(out, labels[i], &new_code[i]))
            status =
                kan_fail(run, KAN_FAILED, "internal error: a label was lost; please report it");
    kan_free(run, sorted);
    return status;
}

static kan_status begin_codes(kan_run *run, const char *name, uint64_t n_rows, kan_column *out) {
    out->name = name;
    out->is_encoded = true;
    out->width = sizeof(uint32_t);
    out->n_rows = n_rows;
    return kan_alloc(run, (size_t)n_rows, sizeof(uint32_t), &out->codes);
}

static kan_status apply_column(kan_run *run, const kan_apply_source *source, unsigned a,
                               uint64_t n_rows, kan_column *out) {
    kan_status status;
    const kan_column *from = &source->table->columns[source->columns[a]];
    const uint32_t n = from->dictionary.n;
    kan_slice *labels = NULL;
    uint32_t *new_code = NULL;
    KAN_TRY_DONE(kan_alloc(run, n, sizeof *labels, &labels));
    KAN_TRY_DONE(kan_alloc(run, n, sizeof *new_code, &new_code));
    kan_recoding_labels(source->shown[a].hierarchy, source->shown[a].level, labels);
    KAN_TRY_DONE(number_labels(run, labels, n, &out->dictionary, new_code));
    KAN_TRY_DONE(begin_codes(run, from->name, n_rows, out));
    write_codes(source, from, new_code, out->codes);
done:
    kan_free(run, labels);
    kan_free(run, new_code);
    return status;
}

static kan_status apply_group_column(kan_run *run, const kan_group_column *from,
                                     const uint32_t *group_of_row, uint64_t n_rows,
                                     kan_column *out) {
    uint32_t *new_code;
    KAN_TRY(kan_alloc(run, from->n_labels, sizeof *new_code, &new_code));
    kan_status status =
        number_labels(run, from->labels, from->n_labels, &out->dictionary, new_code);
    if (status == KAN_OK)
        status = begin_codes(run, from->name, n_rows, out);
    for (uint64_t row = 0; status == KAN_OK && row < n_rows; row++)
        ((uint32_t *)out->codes)[row] = new_code[from->codes[group_of_row[row]]];
    kan_free(run, new_code);
    return status;
}

static kan_status begin_table(kan_run *run, size_t n_columns, kan_table **out) {
    kan_table *table;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *table, &table));
    table->run = run;
    kan_arena_init(&table->arena, run);
    kan_status status = kan_alloc_zero(run, n_columns, sizeof *table->columns, &table->columns);
    if (status != KAN_OK) {
        kan_table_destroy(table);
        return status;
    }
    table->n_columns = n_columns;
    *out = table;
    return KAN_OK;
}

/* Copies the counts of the rows that are not suppressed. */
static kan_status copy_counts(kan_table *table, const uint64_t *counts,
                              const uint8_t *is_suppressed) {
    uint64_t *copy;
    KAN_TRY(kan_alloc(table->run, (size_t)table->n_rows, sizeof *copy, &copy));
    for (uint64_t row = 0, at = 0; at < table->n_rows; row++)
        if (!is_suppressed || !is_suppressed[row])
            copy[at++] = counts[row];
    return kan_table_take_counts(table, copy);
}

/* Takes the table over, whatever the status. */
static kan_status end_table(kan_table *table, kan_status status, const uint64_t *counts,
                            const uint8_t *is_suppressed, uint64_t n_rows, kan_table **out) {
    table->n_rows = n_rows;
    if (status == KAN_OK && counts)
        status = copy_counts(table, counts, is_suppressed);
    if (status == KAN_OK)
        *out = table;
    else
        kan_table_destroy(table);
    return status;
}

kan_status kan_apply_shown(kan_run *run, const kan_apply_source *source, kan_table **out) {
    kan_table *table;
    kan_status status = KAN_OK;
    uint64_t n_rows = source->table->n_rows;
    for (uint64_t row = 0; source->is_suppressed && row < source->table->n_rows; row++)
        n_rows -= source->is_suppressed[row];
    KAN_TRY(begin_table(run, source->n_attributes, &table));
    for (unsigned a = 0; a < table->n_columns && status == KAN_OK; a++)
        status = apply_column(run, source, a, n_rows, &table->columns[a]);
    return end_table(table, status, source->table->counts, source->is_suppressed, n_rows, out);
}

kan_status kan_apply_groups(kan_run *run, const kan_group_column *columns, size_t n_columns,
                            const uint32_t *group_of_row, const uint64_t *counts, uint64_t n_rows,
                            kan_table **out) {
    kan_table *table;
    kan_status status = KAN_OK;
    KAN_TRY(begin_table(run, n_columns, &table));
    for (size_t i = 0; i < n_columns && status == KAN_OK; i++)
        status = apply_group_column(run, &columns[i], group_of_row, n_rows, &table->columns[i]);
    return end_table(table, status, counts, NULL, n_rows, out);
}
