/* Rows and their parents. */
#include "analyze/forest/forest_inside.h"

#include <stdlib.h>

#include "data/value.h"

/* ---- keys ----------------------------------------------------------------------------------- */

typedef struct {
    kan_slice text;
    uint64_t row;
} named_row;

static int compare_named(const void *a, const void *b) {
    const named_row *x = a, *y = b;
    const int order = kan_slice_compare(x->text, y->text);
    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

static void find_fault(kan_forest_finding *finding, kan_forest_fault fault, size_t table,
                       size_t column, uint64_t row) {
    if (finding->fault == KAN_FOREST_SOUND || row < finding->row)
        *finding = (kan_forest_finding){fault, table, column, row};
}

/* The rows of a table by their keys; a fault where a key is missing, or there twice. */
static kan_status sort_keys(const kan_forest *forest, size_t t, named_row **out,
                            kan_forest_finding *finding) {
    const kan_forest_table *table = &forest->tables[t];
    const kan_column *key = &table->table->columns[table->key];
    const uint64_t n = table->table->n_rows;
    named_row *rows;
    KAN_TRY(kan_alloc(forest->run, (size_t)n, sizeof *rows, &rows));
    for (uint64_t row = 0; row < n; row++) {
        rows[row] = (named_row){kan_column_value(key, row), row};
        if (kan_value_is_unknown(rows[row].text))
            find_fault(finding, KAN_FOREST_NO_KEY, t, table->key, row);
    }
    if (finding->fault == KAN_FOREST_SOUND)
        qsort(rows, (size_t)n, sizeof *rows, compare_named);
    for (uint64_t i = 1; finding->fault != KAN_FOREST_NO_KEY && i < n; i++)
        if (kan_slice_equal(rows[i - 1].text, rows[i].text))
            find_fault(finding, KAN_FOREST_DOUBLE_KEY, t, table->key, rows[i].row);
    *out = rows;
    return KAN_OK;
}

static const named_row *find_key(const named_row *rows, uint64_t n, kan_slice text) {
    uint64_t low = 0, high = n;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (kan_slice_compare(rows[middle].text, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && kan_slice_equal(rows[low].text, text) ? &rows[low] : NULL;
}

static kan_status tie(kan_forest *forest, size_t t, const named_row *parents,
                      kan_forest_finding *finding) {
    const kan_forest_table *table = &forest->tables[t];
    const kan_column *link = &table->table->columns[table->link];
    const uint64_t n = table->table->n_rows,
                   n_parents = forest->tables[table->parent].table->n_rows;
    KAN_TRY(kan_alloc(forest->run, (size_t)n, sizeof(uint64_t), &forest->parent_row[t]));
    KAN_TRY(kan_alloc(forest->run, (size_t)n, sizeof(uint64_t), &forest->person_of[t]));
    for (uint64_t row = 0; row < n; row++) {
        const kan_slice text = kan_column_value(link, row);
        const named_row *parent = find_key(parents, n_parents, text);
        if (kan_value_is_unknown(text) || !parent) {
            *finding = (kan_forest_finding){kan_value_is_unknown(text) ? KAN_FOREST_NO_KEY
                                                                       : KAN_FOREST_DANGLES,
                                            t, table->link, row};
            return KAN_OK;
        }
        forest->parent_row[t][row] = parent->row;
        forest->person_of[t][row] = forest->person_of[table->parent][parent->row];
    }
    return KAN_OK;
}

/* ---- people --------------------------------------------------------------------------------- */

kan_status kan_forest_list_rows(kan_forest *forest, size_t t) {
    const uint64_t n_people = forest->tables[0].table->n_rows, n = forest->tables[t].table->n_rows;
    kan_forest_rows *out = &forest->of_person[t];
    KAN_TRY(kan_alloc_zero(forest->run, (size_t)n_people + 2, sizeof *out->start, &out->start));
    KAN_TRY(kan_alloc(forest->run, (size_t)n, sizeof *out->rows, &out->rows));
    KAN_TRY(kan_alloc(forest->run, (size_t)n, sizeof *out->place, &out->place));
    for (uint64_t row = 0; row < n; row++)
        out->start[forest->person_of[t][row] + 2]++;
    for (uint64_t p = 0; p < n_people; p++)
        out->start[p + 2] += out->start[p + 1];
    for (uint64_t row = 0; row < n; row++) {
        const uint64_t p = forest->person_of[t][row];
        out->rows[out->start[p + 1]++] = row;
    }
    for (uint64_t p = 0; p < n_people; p++)
        for (uint64_t i = out->start[p]; i < out->start[p + 1]; i++)
            out->place[out->rows[i]] = i - out->start[p];
    return KAN_OK;
}

kan_status kan_forest_begin_people(kan_forest *forest) {
    const uint64_t n = forest->tables[0].table->n_rows;
    KAN_TRY(kan_alloc(forest->run, (size_t)n, sizeof(uint64_t), &forest->person_of[0]));
    for (uint64_t row = 0; row < n; row++)
        forest->person_of[0][row] = row;
    return KAN_OK;
}

kan_status kan_forest_make(kan_run *run, const kan_forest_table *tables, size_t n, kan_forest *out,
                           kan_forest_finding *finding) {
    kan_status status = KAN_OK;
    named_row *keys[KAN_FOREST_TABLES] = {NULL};
    *out = (kan_forest){.run = run, .n = n, .tables = tables};
    *finding = (kan_forest_finding){.fault = KAN_FOREST_SOUND};
    KAN_TRY(kan_forest_begin_people(out));
    for (size_t t = 0; t < n && finding->fault == KAN_FOREST_SOUND; t++)
        if (tables[t].key != KAN_FOREST_NONE)
            KAN_TRY_DONE(sort_keys(out, t, &keys[t], finding));
    for (size_t t = 1; t < n && finding->fault == KAN_FOREST_SOUND; t++)
        KAN_TRY_DONE(tie(out, t, keys[tables[t].parent], finding));
    for (size_t t = 0; t < n && finding->fault == KAN_FOREST_SOUND; t++)
        KAN_TRY_DONE(kan_forest_list_rows(out, t));
done:
    for (size_t t = 0; t < n; t++)
        kan_free(run, keys[t]);
    return status;
}

void kan_forest_destroy(kan_forest *forest) {
    for (size_t t = 0; t < forest->n; t++) {
        kan_free(forest->run, forest->parent_row[t]);
        kan_free(forest->run, forest->person_of[t]);
        kan_free(forest->run, forest->of_person[t].start);
        kan_free(forest->run, forest->of_person[t].rows);
        kan_free(forest->run, forest->of_person[t].place);
    }
    *forest = (kan_forest){.run = forest->run};
}
