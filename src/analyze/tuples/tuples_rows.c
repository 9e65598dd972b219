/* The rows of a table as tuples.
 *
 * Codes of a column are equal exactly when the values are, so a row's tuple is the bytes of its
 * codes, one column after the other, in the columns' own widths. Rows are taken in blocks: the
 * tuples of a block are laid out column by column, then counted. One pass, one look-up per row. Rows
 * of a counted table count as many as they stand for. */
#include "analyze/tuples/tuples.h"

enum { BLOCK_ROWS = KAN_TUPLES_BLOCK, DROP_ROWS = 1 << 17 };

/* Copies a column's codes of n rows to every size-th byte of `to`. */
static void lay_out(const kan_column *column, uint64_t row, size_t n, size_t size, char *to) {
    const char *from = (const char *)column->codes + row * column->width;
    switch (column->width) {
    case 1:
        for (size_t i = 0; i < n; i++)
            to[i * size] = from[i];
        break;
    case 2:
        for (size_t i = 0; i < n; i++)
            memcpy(to + i * size, from + 2 * i, 2);
        break;
    default:
        for (size_t i = 0; i < n; i++)
            memcpy(to + i * size, from + 4 * i, 4);
    }
}

/* One code, as lay_out lays it out. */
static void put_code(unsigned width, uint32_t code, char *to) {
    const uint8_t narrow = (uint8_t)code;
    const uint16_t middle = (uint16_t)code;
    if (width == 1)
        memcpy(to, &narrow, 1);
    else if (width == 2)
        memcpy(to, &middle, 2);
    else
        memcpy(to, &code, 4);
}

/* Bytes of the columns' codes, and up to a multiple of eight: hashing likes whole words. */
static size_t tuple_size(const kan_table *table, const size_t *columns, size_t n_columns) {
    size_t size = 0;
    for (size_t i = 0; i < n_columns; i++)
        size += table->columns[columns[i]].width;
    return (size + 7) / 8 * 8;
}

static kan_status count_rows(kan_run *run, const kan_table *table, const size_t *columns,
                             size_t n_columns, const kan_recount_follower *follower,
                             kan_tuples *tuples) {
    size_t numbers[BLOCK_ROWS];
    char *block;
    kan_status status = KAN_OK;
    /* What lies between the codes and the next multiple of eight stays zero. */
    KAN_TRY(kan_alloc_zero(run, BLOCK_ROWS, tuples->size, &block));
    for (uint64_t row = 0; row < table->n_rows; row += BLOCK_ROWS) {
        uint64_t left = table->n_rows - row;
        size_t n = left < BLOCK_ROWS ? (size_t)left : BLOCK_ROWS, at = 0;
        KAN_TRY_DONE(kan_check_cancel(run));
        for (size_t i = 0; i < n_columns; i++) {
            const kan_column *column = &table->columns[columns[i]];
            lay_out(column, row, n, tuples->size, block + at);
            at += column->width;
        }
        KAN_ASSERT(at <= tuples->size);
        KAN_TRY_DONE(kan_tuples_number_block(tuples, block, n, row, table->counts, numbers));
        if (follower)
            KAN_TRY_DONE(follower->follow(follower->context, row, n, numbers));
        if ((row + n) % DROP_ROWS == 0)
            kan_table_done(table, row + n - DROP_ROWS, DROP_ROWS);
    }
done:
    kan_free(run, block);
    return status;
}

/* The group of rows that show exactly * in each of the columns; SIZE_MAX when there is none. */
static kan_status find_star(kan_run *run, const kan_table *table, const size_t *columns,
                            size_t n_columns, const kan_tuples *tuples, size_t *out) {
    char *star;
    size_t at = 0, found = SIZE_MAX;
    bool has_star = true;
    KAN_TRY(kan_alloc_zero(run, tuples->size, 1, &star));
    for (size_t i = 0; i < n_columns && has_star; i++) {
        const kan_column *column = &table->columns[columns[i]];
        uint32_t code = 0;
        has_star = kan_dictionary_find(&column->dictionary, kan_slice_of("*"), &code);
        put_code(column->width, code, star + at);
        at += column->width;
    }
    if (has_star && !kan_tuples_find(tuples, star, &found))
        found = SIZE_MAX;
    kan_free(run, star);
    *out = found;
    return KAN_OK;
}

kan_status kan_recount_group(kan_run *run, const kan_table *table, const size_t *columns,
                             size_t n_columns, const kan_recount_follower *follower,
                             kan_recount_groups *out) {
    if (n_columns == 0)
        return kan_fail(run, KAN_BAD_INPUT, "there is no column to group by; name one");
    for (size_t i = 0; i < n_columns; i++)
        if (!table->columns[columns[i]].is_encoded)
            return kan_fail(run, KAN_FAILED, "column '%s' was not read, so it cannot be counted",
                            table->columns[columns[i]].name);
    kan_tuples tuples;
    size_t star = SIZE_MAX;
    kan_tuples_init(&tuples, run, tuple_size(table, columns, n_columns));
    kan_status status = count_rows(run, table, columns, n_columns, follower, &tuples);
    if (status == KAN_OK)
        status = find_star(run, table, columns, n_columns, &tuples, &star);
    if (status == KAN_OK)
        *out = (kan_recount_groups){kan_table_total(table), tuples, star};
    else
        kan_tuples_destroy(&tuples);
    return status;
}
