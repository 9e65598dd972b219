/* Tables: made by a source, or row by row by a program.
 *
 * A table that is being filled has one encoder per column and the rows' codes in order of first
 * appearance; sealing sorts each dictionary and maps the codes. Adding a row is one hash look-up
 * per value; sealing is one pass over the codes. */
#include "data/table.h"

#include "core/spill.h"
#include "data/encoder.h"

struct kan_table_filler {
    kan_encoder *encoders; /* one per column */
    size_t n_encoders;     /* that were made */
    uint32_t **codes;      /* per column */
    size_t *capacity;      /* of each, in rows */
};

static void filler_destroy(kan_run *run, struct kan_table_filler *filler, size_t n_columns) {
    if (!filler)
        return;
    for (size_t i = 0; i < filler->n_encoders; i++)
        kan_encoder_destroy(&filler->encoders[i]);
    for (size_t i = 0; filler->codes && i < n_columns; i++)
        kan_free(run, filler->codes[i]);
    kan_free(run, filler->encoders);
    kan_free(run, filler->codes);
    kan_free(run, filler->capacity);
    kan_free(run, filler);
}

static kan_status filler_create(kan_run *run, size_t n_columns, struct kan_table_filler **out) {
    struct kan_table_filler *filler;
    kan_status status;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *filler, &filler));
    KAN_TRY_DONE(kan_alloc_zero(run, n_columns, sizeof *filler->encoders, &filler->encoders));
    KAN_TRY_DONE(kan_alloc_zero(run, n_columns, sizeof *filler->codes, &filler->codes));
    KAN_TRY_DONE(kan_alloc_zero(run, n_columns, sizeof *filler->capacity, &filler->capacity));
    for (; filler->n_encoders < n_columns; filler->n_encoders++)
        KAN_TRY_DONE(kan_encoder_init(&filler->encoders[filler->n_encoders], run));
    *out = filler;
done:
    if (status != KAN_OK)
        filler_destroy(run, filler, n_columns);
    return status;
}

/* A hash of the names seen so far: quadratic time would hurt with thousands of columns. */
static kan_status check_names(kan_run *run, size_t n_columns, const char *const *names) {
    kan_encoder seen;
    char quoted[256];
    kan_status status = KAN_OK;
    KAN_TRY(kan_encoder_init(&seen, run));
    for (size_t i = 0; i < n_columns && status == KAN_OK; i++) {
        uint32_t code = 0;
        kan_slice name = kan_slice_of(names[i]);
        if (name.size == 0)
            status = kan_fail(run, KAN_BAD_INPUT, "column %zu has no name; give it one", i + 1);
        else
            status = kan_encoder_add(&seen, name, &code);
        if (status == KAN_OK && code != i)
            status = kan_fail(run, KAN_BAD_INPUT,
                              "columns %zu and %zu are both named %s; rename one of them",
                              (size_t)code + 1, i + 1, kan_quote(name, quoted));
    }
    kan_encoder_destroy(&seen);
    return status;
}

kan_status kan_table_make(kan_run *run, size_t n_columns, const char *const *names,
                          kan_table **out) {
    kan_table *table;
    kan_status status;
    if (n_columns == 0)
        return kan_fail(run, KAN_BAD_INPUT, "a table needs at least one column");
    KAN_TRY(check_names(run, n_columns, names));
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *table, &table));
    table->run = run;
    kan_arena_init(&table->arena, run);
    KAN_TRY_DONE(kan_alloc_zero(run, n_columns, sizeof *table->columns, &table->columns));
    table->n_columns = n_columns;
    for (size_t i = 0; i < n_columns; i++)
        KAN_TRY_DONE(
            kan_arena_copy(&table->arena, names[i], strlen(names[i]), &table->columns[i].name));
    *out = table;
done:
    if (status != KAN_OK)
        kan_table_destroy(table);
    return status;
}

kan_status kan_table_create(kan_run *run, size_t n_columns, const char *const *names,
                            kan_table **out) {
    kan_table *table;
    KAN_NEED(run, run);
    KAN_NEED(run, names);
    KAN_NEED(run, out);
    for (size_t i = 0; i < n_columns; i++)
        if (!names[i])
            return kan_fail(run, KAN_BAD_INPUT, "kan_table_create: the name of column %zu is NULL",
                            i + 1);
    KAN_TRY(kan_table_make(run, n_columns, names, &table));
    kan_status status = filler_create(run, n_columns, &table->filler);
    if (status != KAN_OK) {
        kan_table_destroy(table);
        return status;
    }
    *out = table;
    return KAN_OK;
}

kan_status kan_table_add_row(kan_table *table, const char *const *values) {
    KAN_NEED(NULL, table);
    KAN_NEED(table->run, values);
    struct kan_table_filler *filler = table->filler;
    if (!filler)
        return kan_fail(table->run, KAN_BAD_INPUT,
                        "the table is complete and takes no more rows; add all rows before it is "
                        "given to a job");
    for (size_t i = 0; i < table->n_columns; i++) {
        KAN_TRY(kan_reserve(table->run, table->n_rows + 1, sizeof(uint32_t), &filler->capacity[i],
                            &filler->codes[i]));
        KAN_TRY(kan_encoder_add(&filler->encoders[i], kan_slice_of(values[i] ? values[i] : ""),
                                &filler->codes[i][table->n_rows]));
    }
    table->n_rows++;
    return KAN_OK;
}

static kan_status seal_column(kan_table *table, size_t index) {
    kan_column *column = &table->columns[index];
    struct kan_table_filler *filler = table->filler;
    uint32_t *map = NULL;
    kan_dictionary dictionary;
    void *codes;
    if (column->is_encoded) /* an earlier try got this far */
        return KAN_OK;
    KAN_TRY(kan_dictionary_build(table->run, &filler->encoders[index], 1, 1, &map, &dictionary));
    unsigned width = kan_code_width(dictionary.n);
    kan_status status = kan_spill_alloc(table->run, table->n_rows, width, &codes);
    if (status == KAN_OK) {
        kan_codes_map(filler->codes[index], 4, map, table->n_rows, codes, width);
        column->dictionary = dictionary;
        column->width = width;
        column->codes = codes;
        column->n_rows = table->n_rows;
        column->is_encoded = true;
    } else {
        kan_dictionary_destroy(table->run, &dictionary);
    }
    kan_free(table->run, map);
    return status;
}

kan_status kan_table_seal(kan_table *table) {
    if (!table->filler)
        return KAN_OK;
    for (size_t i = 0; i < table->n_columns; i++)
        KAN_TRY(seal_column(table, i));
    filler_destroy(table->run, table->filler, table->n_columns);
    table->filler = NULL;
    return KAN_OK;
}

void kan_table_destroy(kan_table *table) {
    if (!table)
        return;
    kan_run *run = table->run;
    filler_destroy(run, table->filler, table->n_columns);
    for (size_t i = 0; i < table->n_columns; i++) {
        kan_dictionary_destroy(run, &table->columns[i].dictionary);
        kan_free(run, table->columns[i].codes);
        kan_free(run, table->columns[i].missing_of);
    }
    if (table->arrow)
        table->arrow_free(table->arrow);
    kan_free(run, table->counts);
    kan_free(run, table->columns);
    kan_arena_destroy(&table->arena);
    kan_free(run, table);
}

void kan_column_done(kan_run *run, const kan_column *column, uint64_t first, uint64_t n) {
    if (column->is_encoded)
        kan_spill_done(run, (const char *)column->codes + first * column->width, n * column->width);
}

void kan_table_done(const kan_table *table, uint64_t first, uint64_t n) {
    for (size_t i = 0; i < table->n_columns; i++)
        kan_column_done(table->run, &table->columns[i], first, n);
}

uint64_t kan_table_n_rows(const kan_table *table) {
    return table ? table->n_rows : 0;
}

size_t kan_table_n_columns(const kan_table *table) {
    return table ? table->n_columns : 0;
}

const char *kan_table_column_name(const kan_table *table, size_t column) {
    return table && column < table->n_columns ? table->columns[column].name : NULL;
}

const char *kan_table_value(const kan_table *table, uint64_t row, size_t column, size_t *size) {
    kan_slice value = {NULL, 0};
    if (!table || column >= table->n_columns || row >= table->n_rows)
        value = (kan_slice){NULL, 0};
    else if (table->columns[column].is_encoded)
        value = kan_column_value(&table->columns[column], row);
    else if (table->filler)
        value =
            kan_encoder_value(&table->filler->encoders[column], table->filler->codes[column][row]);
    if (size)
        *size = value.size;
    return value.bytes;
}

const kan_column *kan_table_find(const kan_table *table, const char *name, size_t *index) {
    for (size_t i = 0; i < table->n_columns; i++)
        if (strcmp(table->columns[i].name, name) == 0) {
            if (index)
                *index = i;
            return &table->columns[i];
        }
    return NULL;
}

const char *kan_role_word(kan_role role) {
    static const char *const words[KAN_ROLES] = {
        [KAN_ROLE_OTHER] = "none",
        [KAN_ROLE_ID] = "id",
        [KAN_ROLE_QUASI] = "quasi-identifier",
        [KAN_ROLE_SENSITIVE] = "sensitive",
        [KAN_ROLE_CLASS] = "class",
        [KAN_ROLE_PERSON] = "person",
        [KAN_ROLE_PSEUDONYM] = "pseudonym",
        [KAN_ROLE_CODES] = "codes",
        [KAN_ROLE_KEEP] = "keep",
        [KAN_ROLE_DROP] = "drop",
        [KAN_ROLE_WEIGHT] = "sampling-weight",
        [KAN_ROLE_HOUSEHOLD] = "household",
    };
    return words[role];
}
