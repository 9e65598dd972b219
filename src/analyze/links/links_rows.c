/* Single rows: the first that dangles, the first whose key another has; and whether several columns
 * together name rows. */
#include <stdlib.h>
#include <string.h>

#include "analyze/links/links.h"
#include "core/hash.h"

/* ---- the first row that dangles ------------------------------------------------------------- */

typedef struct {
    kan_slice value;
} named;

static int compare_named(const void *a, const void *b) {
    return kan_slice_compare(((const named *)a)->value, ((const named *)b)->value);
}

static kan_status sort_values(kan_run *run, const kan_dictionary *values, named **out) {
    named *list;
    KAN_TRY(kan_alloc(run, values->n, sizeof *list, &list));
    for (uint32_t code = 0; code < values->n; code++)
        list[code].value = kan_dictionary_value(values, code);
    qsort(list, values->n, sizeof *list, compare_named);
    *out = list;
    return KAN_OK;
}

/* matches[code]: whether the value is one of the key. */
static kan_status find_matches(kan_run *run, const kan_dictionary *values,
                               const kan_dictionary *keys, bool **out) {
    named *sorted;
    bool *matches;
    KAN_TRY(sort_values(run, keys, &sorted));
    const kan_status status = kan_alloc(run, values->n, sizeof *matches, &matches);
    for (uint32_t code = 0; status == KAN_OK && code < values->n; code++) {
        const named wanted = {kan_dictionary_value(values, code)};
        matches[code] = !kan_value_is_unknown(wanted.value) &&
                        bsearch(&wanted, sorted, keys->n, sizeof wanted, compare_named) != NULL;
    }
    kan_free(run, sorted);
    if (status == KAN_OK)
        *out = matches;
    return status;
}

kan_status kan_links_first_dangling(const kan_link_table *tables, const kan_links *links,
                                    const kan_link *link, uint64_t *row) {
    const kan_link_key *key = &links->keys[link->key];
    const kan_column *column = &tables[link->child].rows->columns[link->column];
    bool *matches;
    KAN_TRY(find_matches(links->run, &column->dictionary,
                         &tables[key->table].rows->columns[key->column].dictionary, &matches));
    uint64_t at = 0;
    while (at + 1 < link->n_rows && matches[kan_column_code(column, at)])
        at++;
    kan_free(links->run, matches);
    *row = at;
    return KAN_OK;
}

/* ---- the first key that is none ------------------------------------------------------------- */

kan_status kan_links_first_faulty(kan_run *run, const kan_link_table *tables,
                                  const kan_link_key *key, uint64_t *row) {
    const kan_table *rows = tables[key->table].rows;
    const kan_column *column = &rows->columns[key->column];
    bool *is_seen;
    KAN_TRY(kan_alloc_zero(run, column->dictionary.n, sizeof *is_seen, &is_seen));
    uint64_t at = 0;
    for (; at + 1 < rows->n_rows; at++) {
        const uint32_t code = kan_column_code(column, at);
        if (is_seen[code] || kan_value_is_unknown(kan_dictionary_value(&column->dictionary, code)))
            break;
        is_seen[code] = true;
    }
    kan_free(run, is_seen);
    *row = at;
    return KAN_OK;
}

/* ---- several columns ------------------------------------------------------------------------ */

typedef struct {
    const kan_table *rows;
    const size_t *columns;
    size_t n;
} several;

static bool are_alike(const several *s, uint64_t a, uint64_t b) {
    for (size_t i = 0; i < s->n; i++) {
        const kan_column *column = &s->rows->columns[s->columns[i]];
        if (kan_column_code(column, a) != kan_column_code(column, b))
            return false;
    }
    return true;
}

static uint32_t hash_row(const several *s, uint64_t row) {
    uint64_t hash = 0;
    for (size_t i = 0; i < s->n; i++)
        hash = kan_hash_word(hash ^ kan_column_code(&s->rows->columns[s->columns[i]], row));
    return (uint32_t)(hash >> 32);
}

kan_status kan_links_name_rows(kan_run *run, const kan_table *rows, const size_t *columns, size_t n,
                               bool *is_key) {
    const several s = {rows, columns, n};
    uint64_t n_places = 2;
    uint32_t *places; /* the row and one; 0: none */
    bool is_found = false;
    while (n_places < 2 * rows->n_rows)
        n_places *= 2;
    KAN_TRY(kan_alloc_zero(run, (size_t)n_places, sizeof *places, &places));
    for (uint32_t row = 0; row < rows->n_rows && !is_found; row++) {
        uint64_t at = hash_row(&s, row) & (n_places - 1);
        for (; places[at] > 0 && !is_found; at = (at + 1) & (n_places - 1))
            is_found = are_alike(&s, places[at] - 1, row);
        if (!is_found)
            places[at] = row + 1;
    }
    kan_free(run, places);
    *is_key = !is_found;
    return KAN_OK;
}
