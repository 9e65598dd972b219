/* Finding and setting aside the rows of nothing but *.
 *
 * Columns that are encoded are looked at first: most tables have no * in one of them, and are done.
 * Only where candidates are left are the other columns read. The rows that show something then get
 * dictionaries of their own: a * that only blank rows have would make text of a column of numbers,
 * and change its order and its distances. */
#include "analyze/verify/blank.h"

#include "core/spill.h"
#include "data/encoder.h"
#include "data/spelling.h"

enum { ROWS_BETWEEN_CHECKS = 1 << 16 };

/* ---- finding -------------------------------------------------------------------------------- */

/* Clears the mark of each row that shows something else than * in an encoded column; counts those
 * that keep it. Where there are none marks mean nothing. */
static kan_status keep_blank(kan_run *run, const kan_table *table, uint8_t *is_blank, uint64_t *n) {
    *n = table->n_rows;
    for (size_t i = 0; i<table->n_columns && * n> 0; i++) {
        const kan_column *column = &table->columns[i];
        uint32_t star = 0;
        if (!column->is_encoded)
            continue;
        const bool has_star = kan_dictionary_find(&column->dictionary, kan_slice_of("*"), &star);
        *n = 0;
        for (uint64_t row = 0; has_star && row < table->n_rows; row++) {
            if (row % ROWS_BETWEEN_CHECKS == 0)
                KAN_TRY(kan_check_cancel(run));
            is_blank[row] &= kan_column_code(column, row) == star;
            *n += is_blank[row];
        }
    }
    return KAN_OK;
}

/* The columns that the table does not have; all of them where the source counts its rows, for then
 * rows that are read twice are not the same ones. */
static kan_status read_others(kan_run *run, const kan_table *table, kan_source *source,
                              kan_table **out) {
    const bool counts = source && source->kind->count;
    bool *encode;
    size_t n = 0;
    *out = NULL;
    KAN_TRY(kan_alloc_zero(run, table->n_columns, sizeof *encode, &encode));
    for (size_t i = 0; source && i < table->n_columns; i++) {
        encode[i] = counts || !table->columns[i].is_encoded;
        n += !table->columns[i].is_encoded;
    }
    if (counts)
        source->takes_counts = true;
    const kan_status status = n > 0 ? kan_source_read(source, encode, NULL, out) : KAN_OK;
    kan_free(run, encode);
    return status;
}

/* What was found: rows of the table that show nothing, and of how many rows of the input. */
typedef struct {
    uint8_t *is_blank;
    uint64_t n_rows, n;
    /* Of one row that shows something, a counted one, so many show nothing. */
    uint64_t cut_row, n_cut;
} blanks;

static uint64_t count_blank(const kan_table *table, const uint8_t *is_blank) {
    uint64_t n = 0;
    for (uint64_t row = 0; row < table->n_rows; row++)
        n += is_blank[row] ? kan_table_count(table, row) : 0;
    return n;
}

/* Candidates are alike in all that was looked at: the first of them are the n that show nothing. */
static void keep_first(const kan_table *table, uint64_t n, blanks *found) {
    found->n = n;
    found->n_rows = 0;
    for (uint64_t row = 0; row < table->n_rows; row++) {
        const uint64_t count = kan_table_count(table, row);
        if (!found->is_blank[row])
            continue;
        found->is_blank[row] = count <= n;
        found->n_rows += count <= n;
        if (count > n && n > 0) {
            found->cut_row = row;
            found->n_cut = n;
        }
        n -= count < n ? count : n;
    }
}

/* Rows of all columns were counted anew, in an order of their own. */
static kan_status count_all(kan_run *run, const kan_table *table, const kan_table *all,
                            blanks *found) {
    uint8_t *is_blank;
    uint64_t n_rows;
    KAN_TRY(kan_alloc(run, all->n_rows, 1, &is_blank));
    memset(is_blank, 1, all->n_rows);
    const kan_status status = keep_blank(run, all, is_blank, &n_rows);
    if (status == KAN_OK)
        keep_first(table, n_rows > 0 ? count_blank(all, is_blank) : 0, found);
    kan_free(run, is_blank);
    return status;
}

static kan_status mark_blank(kan_run *run, const kan_table *table, kan_source *source,
                             blanks *found) {
    kan_table *others;
    kan_status status = KAN_OK;
    memset(found->is_blank, 1, table->n_rows);
    KAN_TRY(keep_blank(run, table, found->is_blank, &found->n_rows));
    if (found->n_rows == 0)
        return KAN_OK;
    KAN_TRY(read_others(run, table, source, &others));
    if (others && kan_table_total(others) != kan_table_total(table))
        status =
            kan_fail(run, KAN_FAILED,
                     "%s: it was changed while it was read; try again when nobody writes to it",
                     kan_source_name(source));
    else if (others && source->kind->count)
        status = count_all(run, table, others, found);
    else if (others)
        status = keep_blank(run, others, found->is_blank, &found->n_rows);
    if (!(others && source->kind->count))
        found->n = found->n_rows > 0 ? count_blank(table, found->is_blank) : 0;
    kan_table_destroy(others);
    return status;
}

/* ---- setting aside -------------------------------------------------------------------------- */

static kan_status list_rows(const kan_table *table, const blanks *found, kan_shown_rows *out) {
    uint64_t n = 0;
    bool has_blank = false;
    KAN_TRY(kan_alloc(out->run, table->n_rows - found->n_rows, sizeof *out->row_of, &out->row_of));
    for (uint64_t row = 0; row < table->n_rows; row++) {
        if (!found->is_blank[row])
            out->row_of[n++] = row;
        else if (!has_blank)
            out->first_blank = row;
        has_blank |= found->is_blank[row];
    }
    return KAN_OK;
}

static void put_code(kan_column *column, uint64_t row, uint32_t code) {
    if (column->width == 1)
        ((uint8_t *)column->codes)[row] = (uint8_t)code;
    else if (column->width == 2)
        ((uint16_t *)column->codes)[row] = (uint16_t)code;
    else
        ((uint32_t *)column->codes)[row] = code;
}

/* The values that the rows have, in a dictionary; new_of[code] is the code there. */
static kan_status build_dictionary(const kan_shown_rows *rows, const kan_column *from,
                                   uint32_t *new_of, kan_column *to) {
    kan_encoder encoder;
    uint32_t *map = NULL, code;
    kan_status status;
    KAN_TRY(kan_encoder_init(&encoder, rows->run));
    for (uint64_t i = 0; i < rows->table->n_rows; i++)
        new_of[kan_column_code(from, rows->row_of[i])] = 0;
    for (uint32_t old = 0; old < from->dictionary.n; old++)
        if (new_of[old] == 0) {
            KAN_TRY_DONE(
                kan_encoder_add(&encoder, kan_dictionary_value(&from->dictionary, old), &code));
            new_of[old] = code;
        }
    KAN_TRY_DONE(kan_dictionary_build_column(
        rows->run, &encoder, NULL, kan_column_is_called_text(from), &map, &to->dictionary));
    for (uint32_t old = 0; old < from->dictionary.n; old++)
        if (new_of[old] != UINT32_MAX)
            new_of[old] = map[new_of[old]];
done:
    kan_free(rows->run, map);
    kan_encoder_destroy(&encoder);
    return status;
}

static kan_status copy_column(const kan_shown_rows *rows, const kan_column *from, kan_column *to) {
    uint32_t *new_of;
    kan_status status;
    KAN_TRY(kan_alloc(rows->run, from->dictionary.n, sizeof *new_of, &new_of));
    memset(new_of, 0xff, from->dictionary.n * sizeof *new_of); /* UINT32_MAX: no row has it */
    KAN_TRY_DONE(build_dictionary(rows, from, new_of, to));
    to->width = kan_code_width(to->dictionary.n);
    KAN_TRY_DONE(kan_spill_alloc(rows->run, rows->table->n_rows, to->width, &to->codes));
    for (uint64_t i = 0; i < rows->table->n_rows; i++)
        put_code(to, i, new_of[kan_column_code(from, rows->row_of[i])]);
    to->n_rows = rows->table->n_rows;
    to->is_encoded = true;
done:
    kan_free(rows->run, new_of);
    return status;
}

static kan_status copy_counts(const kan_table *table, const blanks *found, kan_shown_rows *rows) {
    uint64_t *counts;
    if (!table->counts)
        return KAN_OK;
    KAN_TRY(kan_alloc(rows->run, rows->table->n_rows, sizeof *counts, &counts));
    for (uint64_t i = 0; i < rows->table->n_rows; i++)
        counts[i] =
            table->counts[rows->row_of[i]] - (rows->row_of[i] == found->cut_row ? found->n_cut : 0);
    return kan_table_take_counts(rows->table, counts);
}

static kan_status copy_table(const kan_table *table, const blanks *found, kan_shown_rows *rows) {
    const char **names;
    KAN_TRY(kan_alloc(rows->run, table->n_columns, sizeof *names, &names));
    for (size_t i = 0; i < table->n_columns; i++)
        names[i] = table->columns[i].name;
    kan_status status = kan_table_make(rows->run, table->n_columns, names, &rows->table);
    kan_free(rows->run, names);
    KAN_TRY(status);
    rows->table->n_rows = table->n_rows - found->n_rows;
    for (size_t i = 0; i < table->n_columns; i++)
        if (table->columns[i].is_encoded)
            KAN_TRY(copy_column(rows, &table->columns[i], &rows->table->columns[i]));
    return copy_counts(table, found, rows);
}

/* ---- the whole ------------------------------------------------------------------------------ */

kan_status kan_shown_rows_find(kan_run *run, const kan_table *table, kan_source *source,
                               kan_shown_rows *out) {
    kan_shown_rows rows = {.run = run};
    blanks found = {.n = 0};
    kan_status status;
    KAN_TRY(kan_alloc(run, table->n_rows, 1, &found.is_blank));
    KAN_TRY_DONE(mark_blank(run, table, source, &found));
    rows.n_blank = found.n;
    if (found.n > 0 && found.n < kan_table_total(table)) {
        KAN_TRY_DONE(list_rows(table, &found, &rows));
        KAN_TRY_DONE(copy_table(table, &found, &rows));
    }
    *out = rows;
    rows = (kan_shown_rows){.run = run};
done:
    kan_shown_rows_destroy(&rows);
    kan_free(run, found.is_blank);
    return status;
}

void kan_shown_rows_destroy(kan_shown_rows *rows) {
    if (!rows->run)
        return;
    kan_table_destroy(rows->table);
    kan_free(rows->run, rows->row_of);
    *rows = (kan_shown_rows){.run = rows->run};
}
