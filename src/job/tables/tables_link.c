/* Whose row each row is: keys are compared by their texts, value by value of the dictionaries. */
#include <inttypes.h>
#include <stdlib.h>

#include "job/tables/tables_inside.h"

typedef struct {
    kan_slice text;
    uint32_t code;
} named_code;

static int compare_names(const void *a, const void *b) {
    return kan_slice_compare(((const named_code *)a)->text, ((const named_code *)b)->text);
}

kan_status kan_clan_add_place(const kan_clan_table *table, uint64_t row, kan_text *text) {
    uint64_t line;
    bool is_found = false;
    if (!table->setup.input.source ||
        kan_source_find_lines(table->setup.input.source, &row, 1, &line, &is_found) != KAN_OK)
        is_found = false;
    if (is_found)
        kan_text_print(text, "%s, line %" PRIu64, table->setup.input.name, line);
    else
        kan_text_print(text, "%s, row %" PRIu64, table->setup.input.name, row + 1);
    return kan_text_status(text);
}

static kan_status fail_row(const kan_clan_table *table, uint64_t row, size_t column,
                           const char *what, const char *remedy) {
    char quoted[256];
    kan_text text;
    kan_text_init(&text, table->setup.run);
    kan_status status = kan_clan_add_place(table, row, &text);
    if (status == KAN_OK)
        status = kan_fail(table->setup.run, KAN_BAD_INPUT, "%s: column '%s' %s%s; %s", text.bytes,
                          table->raw->columns[column].name,
                          kan_quote(kan_column_value(&table->raw->columns[column], row), quoted),
                          what, remedy);
    kan_text_destroy(&text);
    return status;
}

/* row_of[code]: the row that has the key; each has one. */
static kan_status find_keys(const kan_clan *clan, const kan_clan_table *table, uint32_t **row_of) {
    const kan_column *key = &table->raw->columns[table->key];
    uint32_t *rows;
    KAN_TRY(kan_alloc(clan->run, key->dictionary.n, sizeof *rows, &rows));
    *row_of = rows;
    memset(rows, 0xff, key->dictionary.n * sizeof *rows);
    for (uint32_t row = 0; row < table->raw->n_rows; row++) {
        const uint32_t code = kan_column_code(key, row);
        if (kan_value_is_unknown(kan_dictionary_value(&key->dictionary, code)))
            return fail_row(table, row, table->key, " is no key",
                            "each row needs one of its own; fill it in, or take the row out");
        if (rows[code] != UINT32_MAX)
            return fail_row(table, row, table->key, " is the key of an earlier row, too",
                            "a key names one row; take the copy out, or name another column with "
                            "`key`");
        rows[code] = row;
    }
    return KAN_OK;
}

/* row_of[code of the child's column] becomes the row of the parent, or UINT32_MAX. */
static kan_status match(const kan_clan *clan, const kan_column *link, const kan_column *key,
                        const uint32_t *key_row, uint32_t *row_of) {
    named_code *names;
    const uint32_t n = key->dictionary.n;
    KAN_TRY(kan_alloc(clan->run, n, sizeof *names, &names));
    for (uint32_t code = 0; code < n; code++)
        names[code] = (named_code){kan_dictionary_value(&key->dictionary, code), code};
    qsort(names, n, sizeof *names, compare_names);
    for (uint32_t code = 0; code < link->dictionary.n; code++) {
        const named_code wanted = {kan_dictionary_value(&link->dictionary, code), 0};
        const named_code *found = bsearch(&wanted, names, n, sizeof *names, compare_names);
        row_of[code] = found ? key_row[found->code] : UINT32_MAX;
    }
    kan_free(clan->run, names);
    return KAN_OK;
}

static kan_status link_table(kan_clan *clan, size_t t, const uint32_t *key_row) {
    kan_clan_table *table = &clan->tables[t];
    const kan_clan_table *parent = &clan->tables[table->parent];
    const kan_column *link = &table->raw->columns[table->link];
    uint32_t *row_of;
    char remedy[512];
    kan_status status;
    if (table->parent_row)
        return KAN_OK; /* it was linked when it was read */
    snprintf(remedy, sizeof remedy,
             "each row of '%s' belongs to one of '%s'; fill it in, or take the row out",
             table->part->name, parent->part->name);
    KAN_TRY(kan_alloc(clan->run, link->dictionary.n, sizeof *row_of, &row_of));
    KAN_TRY_DONE(match(clan, link, &parent->raw->columns[parent->key], key_row, row_of));
    KAN_TRY_DONE(kan_alloc(clan->run, (size_t)table->raw->n_rows, sizeof *table->parent_row,
                           &table->parent_row));
    for (uint32_t row = 0; row < table->raw->n_rows; row++) {
        const uint32_t code = kan_column_code(link, row);
        const bool is_unknown = kan_value_is_unknown(kan_dictionary_value(&link->dictionary, code));
        table->parent_row[row] = row_of[code];
        if (is_unknown || row_of[code] == UINT32_MAX)
            KAN_TRY_DONE(fail_row(table, row, table->link,
                                  is_unknown ? " is no key" : " is the key of no row of its parent",
                                  remedy));
    }
done:
    kan_free(clan->run, row_of);
    return status;
}

kan_status kan_clan_link_table(kan_clan *clan, size_t t) {
    uint32_t *rows = NULL;
    kan_status status = find_keys(clan, &clan->tables[clan->tables[t].parent], &rows);
    if (status == KAN_OK)
        status = link_table(clan, t, rows);
    kan_free(clan->run, rows);
    return status;
}

kan_status kan_clan_link(kan_clan *clan) {
    kan_status status = KAN_OK;
    uint32_t *key_rows[KAN_MOST_TABLES] = {NULL};
    for (size_t t = 0; t < clan->n; t++)
        if (clan->tables[t].key != KAN_NO_COLUMN)
            KAN_TRY_DONE(find_keys(clan, &clan->tables[t], &key_rows[t]));
    for (size_t t = 1; t < clan->n; t++)
        KAN_TRY_DONE(link_table(clan, t, key_rows[clan->tables[t].parent]));
    clan->n_people = clan->tables[0].raw->n_rows;
done:
    for (size_t t = 0; t < clan->n; t++)
        kan_free(clan->run, key_rows[t]);
    return status;
}
