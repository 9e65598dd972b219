/* The rows of a table as tuples.
 *
 * Codes of a column are equal exactly when the values are, so a row's tuple is the bytes of its
 * codes, one column after the other, in the columns' own widths. Rows are taken in blocks: the
 * tuples of a block are laid out column by column, then counted. One pass, one look-up per row. Rows
 * of a counted table count as many as they stand for. Where other columns are looked at as well,
 * rows are counted with their codes behind, and groups of what was counted. */
#include "analyze/tuples/tuples.h"
#include "core/pool.h"

enum { BLOCK_ROWS = KAN_TUPLES_BLOCK, DROP_ROWS = 1 << 17, FIND_TUPLES = 1 << 12 };

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

/* Bytes up to a multiple of eight: hashing likes whole words. */
static size_t whole_words(size_t bytes) {
    return (bytes + 7) / 8 * 8;
}

/* Columns whose codes make a tuple. */
typedef struct {
    const kan_table *table;
    const kan_column **columns;
    size_t n, size;
} laid_columns;

static kan_status choose_columns(kan_run *run, const kan_table *table, const size_t *columns,
                                 size_t n_columns, const kan_column *const *others, size_t n_others,
                                 laid_columns *out) {
    size_t bytes = 0;
    *out = (laid_columns){.table = table};
    if (n_columns == 0)
        return kan_fail(run, KAN_BAD_INPUT, "there is no column to group by; name one");
    KAN_TRY(kan_alloc(run, n_columns + n_others, sizeof *out->columns, &out->columns));
    for (; out->n < n_columns + n_others; out->n++) {
        const kan_column *column =
            out->n < n_columns ? &table->columns[columns[out->n]] : others[out->n - n_columns];
        if (!column->is_encoded)
            return kan_fail(run, KAN_FAILED, "column '%s' was not read, so it cannot be counted",
                            column->name);
        out->columns[out->n] = column;
        bytes += column->width;
    }
    out->size = whole_words(bytes);
    return KAN_OK;
}

static void lay_out_rows(const void *context, uint64_t row, size_t n, char *block) {
    const laid_columns *laid = context;
    size_t at = 0;
    for (size_t i = 0; i < laid->n; i++) {
        lay_out(laid->columns[i], row, n, laid->size, block + at);
        at += laid->columns[i]->width;
    }
    KAN_ASSERT(at <= laid->size);
}

static void drop_rows(const void *context, uint64_t row, uint64_t n) {
    kan_table_done(((const laid_columns *)context)->table, row, n);
}

static kan_tuples_source rows_of(const laid_columns *laid) {
    return (kan_tuples_source){.context = laid,
                               .n_rows = laid->table->n_rows,
                               .lay_out = lay_out_rows,
                               .done = drop_rows,
                               .counts = laid->table->counts};
}

/* One by one, for who is told. */
static kan_status follow_rows(const laid_columns *laid, const kan_recount_follower *follower,
                              kan_tuples *tuples) {
    const kan_table *table = laid->table;
    size_t numbers[BLOCK_ROWS];
    char *block;
    kan_status status = KAN_OK;
    /* What lies between the codes and the next multiple of eight stays zero. */
    KAN_TRY(kan_alloc_zero(tuples->run, BLOCK_ROWS, tuples->size, &block));
    for (uint64_t row = 0; row < table->n_rows; row += BLOCK_ROWS) {
        const uint64_t left = table->n_rows - row;
        const size_t n = left < BLOCK_ROWS ? (size_t)left : BLOCK_ROWS;
        KAN_TRY_DONE(kan_check_cancel(tuples->run));
        lay_out_rows(laid, row, n, block);
        KAN_TRY_DONE(kan_tuples_number_block(tuples, block, n, row, table->counts, numbers));
        KAN_TRY_DONE(follower->follow(follower->context, row, n, numbers));
        if ((row + n) % DROP_ROWS == 0)
            drop_rows(laid, row + n - DROP_ROWS, DROP_ROWS);
    }
done:
    kan_free(tuples->run, block);
    return status;
}

/* The group of rows that show exactly * in each of the columns, and how many they are. */
static kan_status find_star(kan_run *run, const kan_table *table, const size_t *columns,
                            size_t n_columns, kan_recount_groups *groups) {
    char *star;
    size_t at = 0, found;
    bool has_star = true;
    KAN_TRY(kan_alloc_zero(run, groups->tuples.size, 1, &star));
    for (size_t i = 0; i < n_columns && has_star; i++) {
        const kan_column *column = &table->columns[columns[i]];
        uint32_t code = 0;
        has_star = kan_dictionary_find(&column->dictionary, kan_slice_of("*"), &code);
        put_code(column->width, code, star + at);
        at += column->width;
    }
    if (has_star && kan_tuples_find(&groups->tuples, star, &found)) {
        groups->star = found;
        groups->n_star_rows = groups->tuples.count[found];
    }
    kan_free(run, star);
    return KAN_OK;
}

kan_status kan_recount_group(kan_run *run, const kan_table *table, const size_t *columns,
                             size_t n_columns, const kan_recount_follower *follower,
                             kan_recount_groups *out) {
    laid_columns laid;
    kan_recount_groups groups = {
        .n_rows = kan_table_total(table), .tuples = {.run = run}, .star = SIZE_MAX};
    kan_status status;
    KAN_TRY_DONE(choose_columns(run, table, columns, n_columns, NULL, 0, &laid));
    kan_tuples_init(&groups.tuples, run, laid.size);
    const kan_tuples_source source = rows_of(&laid);
    KAN_TRY_DONE(follower ? follow_rows(&laid, follower, &groups.tuples)
                          : kan_tuples_count(&groups.tuples, &source));
    KAN_TRY_DONE(find_star(run, table, columns, n_columns, &groups));
    *out = groups;
done:
    kan_free(run, laid.columns);
    if (status != KAN_OK)
        kan_tuples_destroy(&groups.tuples);
    return status;
}

/* ---- with other columns --------------------------------------------------------------------- */

typedef struct {
    const kan_recount_joined *joined;
    const kan_tuples *groups;
} joining;

/* The groups' tuples are the beginnings of the joined ones. */
static void lay_out_groups(const void *context, uint64_t row, size_t n, char *block) {
    const joining *j = context;
    for (size_t i = 0; i < n; i++)
        memcpy(block + i * j->groups->size, kan_tuples_at(&j->joined->tuples, (size_t)row + i),
               j->joined->at);
}

static kan_status find_task(void *context, size_t task, unsigned worker) {
    const joining *j = context;
    const size_t n = j->joined->tuples.n, size = j->groups->size, first = task * FIND_TUPLES;
    const size_t end = n - first < FIND_TUPLES ? n : first + FIND_TUPLES;
    kan_run *run = j->groups->run;
    char *tuple;
    bool is_found = true;
    (void)worker;
    KAN_TRY(kan_alloc_zero(run, size, 1, &tuple));
    for (size_t i = first; i < end; i++) {
        memcpy(tuple, kan_tuples_at(&j->joined->tuples, i), j->joined->at);
        is_found &= kan_tuples_find(j->groups, tuple, &j->joined->group_of[i]);
    }
    kan_free(run, tuple);
    return is_found
               ? KAN_OK
               : kan_fail(run, KAN_FAILED, "internal error: a group was lost; please report this");
}

/* Counts the joined tuples by their beginnings. Their first rows are those of the table. */
static kan_status group_joined(kan_run *run, kan_recount_joined *joined, kan_tuples *groups) {
    joining j = {joined, groups};
    const size_t n = joined->tuples.n;
    const kan_tuples_source source = {
        .context = &j, .n_rows = n, .lay_out = lay_out_groups, .counts = joined->tuples.count};
    KAN_TRY(kan_tuples_count(groups, &source));
    KAN_TRY(kan_alloc(run, n, sizeof *joined->group_of, &joined->group_of));
    KAN_TRY(kan_parallel(run, (n + FIND_TUPLES - 1) / FIND_TUPLES, find_task, &j));
    for (size_t g = 0; g < groups->n; g++)
        groups->first_row[g] = joined->tuples.first_row[groups->first_row[g]];
    return KAN_OK;
}

bool kan_recount_can_join(kan_run *run, const kan_table *table, size_t n_columns) {
    const uint64_t by_row = 2 * (n_columns * sizeof(uint32_t) + 16 * sizeof(uint64_t));
    return kan_run_memory_left(run) / 4 / by_row > table->n_rows;
}

kan_status kan_recount_join(kan_run *run, const kan_table *table, const size_t *columns,
                            size_t n_columns, const kan_column *const *others, size_t n_others,
                            kan_recount_groups *out, kan_recount_joined *joined) {
    laid_columns laid;
    kan_status status;
    *joined = (kan_recount_joined){.tuples = {.run = run}};
    *out = (kan_recount_groups){
        .n_rows = kan_table_total(table), .tuples = {.run = run}, .star = SIZE_MAX};
    KAN_TRY_DONE(choose_columns(run, table, columns, n_columns, others, n_others, &laid));
    for (size_t i = 0; i < n_columns; i++)
        joined->at += laid.columns[i]->width;
    kan_tuples_init(&joined->tuples, run, laid.size);
    kan_tuples_init(&out->tuples, run, whole_words(joined->at));
    const kan_tuples_source source = rows_of(&laid);
    KAN_TRY_DONE(kan_tuples_count(&joined->tuples, &source));
    KAN_TRY_DONE(group_joined(run, joined, &out->tuples));
    KAN_TRY_DONE(find_star(run, table, columns, n_columns, out));
done:
    kan_free(run, laid.columns);
    return status;
}

void kan_recount_joined_destroy(kan_run *run, kan_recount_joined *joined) {
    kan_tuples_destroy(&joined->tuples);
    kan_free(run, joined->group_of);
    joined->group_of = NULL;
}

uint32_t kan_recount_joined_code(const kan_recount_joined *joined, size_t tuple, size_t at,
                                 unsigned width) {
    const char *from = (const char *)kan_tuples_at(&joined->tuples, tuple) + at;
    uint8_t narrow;
    uint16_t middle;
    uint32_t code;
    if (width == 1)
        return memcpy(&narrow, from, 1), narrow;
    if (width == 2)
        return memcpy(&middle, from, 2), middle;
    return memcpy(&code, from, 4), code;
}
