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
}

static kan_status apply_column(kan_run *run, const kan_apply_source *source, unsigned a,
                               uint64_t n_rows, kan_column *out) {
    kan_status status;
    const kan_column *from = &source->table->columns[source->columns[a]];
    const uint32_t n = from->dictionary.n;
    kan_slice *labels = NULL;
    uint32_t *new_code = NULL;
    KAN_TRY_DONE(kan_alloc(run, (size_t)n * 2, sizeof *labels, &labels));
    KAN_TRY_DONE(kan_alloc(run, n, sizeof *new_code, &new_code));
    kan_recoding_labels(source->shown[a].hierarchy, source->shown[a].level, labels);
    memcpy(labels + n, labels, n * sizeof *labels);
    KAN_TRY_DONE(make_dictionary(run, labels + n, n, &out->dictionary));
    for (uint32_t code = 0; code < n; code++)
        if (!kan_dictionary_find(&out->dictionary, labels[code], &new_code[code])) {
            status =
                kan_fail(run, KAN_FAILED, "internal error: a label was lost; please report it");
            goto done;
        }
    out->name = from->name;
    out->is_encoded = true;
    out->width = sizeof(uint32_t);
    KAN_TRY_DONE(kan_alloc(run, (size_t)n_rows, sizeof(uint32_t), &out->codes));
    write_codes(source, from, new_code, out->codes);
done:
    kan_free(run, labels);
    kan_free(run, new_code);
    return status;
}

kan_status kan_apply_shown(kan_run *run, const kan_apply_source *source, kan_table **out) {
    kan_table *table;
    uint64_t n_rows = source->table->n_rows;
    for (uint64_t row = 0; source->is_suppressed && row < source->table->n_rows; row++)
        n_rows -= source->is_suppressed[row];
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *table, &table));
    table->run = run;
    kan_arena_init(&table->arena, run);
    kan_status status =
        kan_alloc_zero(run, source->n_attributes, sizeof *table->columns, &table->columns);
    table->n_columns = status == KAN_OK ? source->n_attributes : 0;
    for (unsigned a = 0; a < table->n_columns && status == KAN_OK; a++)
        status = apply_column(run, source, a, n_rows, &table->columns[a]);
    if (status != KAN_OK) {
        kan_table_destroy(table);
        return status;
    }
    table->n_rows = n_rows;
    *out = table;
    return KAN_OK;
}
