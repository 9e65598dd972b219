/* Tables that are tried: each is made anew from its texts, so that it is what a file with these values
 * would be, and handed to `anonymize`. What the job shows is compared as text.
 *
 * A column with the number of each row is released beside the others: it tells which row shows what, and
 * which were left out. No search looks at a column that is kept. O(cells) for the table and for the comparison,
 * beside the job itself. */
#include <stdlib.h>
#include <string.h>

#include "job/downcode/downcode_inside.h"
#include "job/release/release.h"

/* ---- making ----------------------------------------------------------------------------------- */

static kan_status fill(const kan_downcode *d, const char **row_cells, kan_table *table) {
    for (uint64_t row = 0; row < d->n_rows; row++) {
        for (size_t c = 0; c < d->n_columns; c++)
            row_cells[c] = *kan_downcode_cell(d, c, row);
        KAN_TRY(kan_table_add_row(table, row_cells));
    }
    KAN_TRY(kan_table_seal(table));
    for (size_t c = 0; c < d->table->n_columns; c++)
        table->columns[c].spelling = d->table->columns[c].spelling;
    return KAN_OK;
}

static kan_status make_table(const kan_downcode *d, kan_table **out) {
    const char **row_cells;
    kan_table *table = NULL;
    KAN_TRY(kan_alloc(d->run, d->n_columns, sizeof *row_cells, &row_cells));
    kan_status status = kan_table_create(d->run, d->n_columns, d->names, &table);
    if (status == KAN_OK)
        status = fill(d, row_cells, table);
    kan_free(d->run, row_cells);
    if (status == KAN_OK)
        *out = table;
    else
        kan_table_destroy(table);
    return status;
}

static kan_status anonymize(const kan_downcode *d, kan_job *job, const kan_table *table,
                            kan_result *result) {
    const kan_listeners before = kan_run_listeners(d->run);
    job->table = table;
    job->is_table_taken = true;
    job->tables = d->job->tables;
    kan_run_on_progress(d->run, NULL, NULL);
    kan_run_on_note(d->run, NULL, NULL);
    const kan_status status = kan_walk_anonymize(job, result);
    kan_run_on_progress(d->run, before.on_progress, before.progress_user);
    kan_run_on_note(d->run, before.on_note, before.note_user);
    /* the best so far says nothing of what the job would have made */
    if (status == KAN_OK && result->is_interrupted) {
        kan_run_cancel(d->run);
        return KAN_CANCELLED;
    }
    return status;
}

kan_status kan_downcode_make(kan_downcode *d, kan_table **out) {
    kan_status status;
    kan_table *table = NULL;
    kan_job *job = NULL;
    kan_result *result = NULL;
    *out = NULL;
    KAN_TRY_DONE(kan_check_cancel(d->run));
    KAN_TRY_DONE(make_table(d, &table));
    KAN_TRY_DONE(kan_downcode_job(d, &job));
    KAN_TRY_DONE(kan_result_create(d->run, &result));
    status = anonymize(d, job, table, result);
    if (status == KAN_OK) {
        *out = result->table;
        result->table = NULL;
    }
    d->n_made++;
done:
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(table);
    return status;
}

/* ---- comparing -------------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b, void *context) {
    const kan_downcode_shown *shown = context;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const size_t x_size = shown->start[x + 1] - shown->start[x],
                 y_size = shown->start[y + 1] - shown->start[y];
    const int by_bytes =
        memcmp(shown->bytes.bytes + shown->start[x], shown->bytes.bytes + shown->start[y],
               x_size < y_size ? x_size : y_size);
    return by_bytes != 0 ? by_bytes : (x_size > y_size) - (x_size < y_size);
}

/* The size of each value before it: no two rows look alike that are not. */
static void add_value(kan_text *text, kan_slice value) {
    kan_text_print(text, "%zu:", value.size);
    kan_text_add(text, value.bytes, value.size);
}

kan_status kan_downcode_show(const kan_table *release, const size_t *columns, size_t n_columns,
                             kan_downcode_shown *out) {
    kan_run *run = release->run;
    kan_downcode_shown made = {.n = (size_t)release->n_rows};
    kan_status status;
    kan_text_init(&made.bytes, run);
    KAN_TRY_DONE(kan_alloc(run, made.n + 1, sizeof *made.start, &made.start));
    KAN_TRY_DONE(kan_alloc(run, made.n, sizeof *made.order, &made.order));
    for (size_t row = 0; row < made.n; row++) {
        made.order[row] = row;
        made.start[row] = made.bytes.size;
        for (size_t c = 0; c < n_columns; c++)
            add_value(&made.bytes, kan_column_value(&release->columns[columns[c]], row));
    }
    made.start[made.n] = made.bytes.size;
    KAN_TRY_DONE(kan_text_status(&made.bytes));
    qsort_r(made.order, made.n, sizeof *made.order, compare_rows, &made);
done:
    if (status == KAN_OK)
        *out = made;
    else
        kan_downcode_shown_destroy(run, &made);
    return status;
}

void kan_downcode_shown_destroy(kan_run *run, kan_downcode_shown *shown) {
    if (shown->bytes.run)
        kan_text_destroy(&shown->bytes);
    kan_free(run, shown->start);
    kan_free(run, shown->order);
    *shown = (kan_downcode_shown){.n = 0};
}

bool kan_downcode_shows_same(const kan_downcode_shown *a, const kan_downcode_shown *b) {
    if (a->n != b->n || a->bytes.size != b->bytes.size)
        return false;
    for (size_t i = 0; i < a->n; i++) {
        const size_t x = a->order[i], y = b->order[i], size = a->start[x + 1] - a->start[x];
        if (size != b->start[y + 1] - b->start[y] ||
            memcmp(a->bytes.bytes + a->start[x], b->bytes.bytes + b->start[y], size) != 0)
            return false;
    }
    return true;
}

static bool has_same_columns(const kan_table *a, const kan_table *b) {
    if (a->n_columns != b->n_columns)
        return false;
    for (size_t c = 0; c < a->n_columns; c++)
        if (strcmp(a->columns[c].name, b->columns[c].name) != 0)
            return false;
    return true;
}

kan_status kan_downcode_is_same(kan_downcode *d, bool by_row, bool *is_same, bool *is_refused) {
    kan_table *release;
    kan_downcode_shown shown;
    *is_same = false;
    kan_status status = kan_downcode_make(d, &release);
    *is_refused = status == KAN_UNSATISFIED || status == KAN_BAD_INPUT;
    if (*is_refused)
        return KAN_OK;
    KAN_TRY(status);
    if (release->n_rows == d->reference->n_rows && has_same_columns(release, d->reference)) {
        status = kan_downcode_show(release, d->shown, release->n_columns - !by_row, &shown);
        if (status == KAN_OK) {
            *is_same = kan_downcode_shows_same(&shown, by_row ? &d->as_rows : &d->as_set);
            kan_downcode_shown_destroy(d->run, &shown);
        }
    }
    kan_table_destroy(release);
    return status;
}
