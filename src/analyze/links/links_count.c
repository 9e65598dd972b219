/* Keys, and who points to them.
 *
 * Every value of every key goes into one table of hashes, and each known value of each column is looked
 * up there once: what it finds are the keys that have it. So the work grows with the values and not with
 * pairs of columns. Values are compared as bytes, as the job compares them. Columns are tasks: each has
 * counters of its own, and what they found is taken over in order. */
#include <stdlib.h>
#include <string.h>

#include "analyze/links/links.h"
#include "core/hash.h"
#include "core/pool.h"

enum {
    MOST_FAULTY_EACH = 20, /* a key with faults: at most one row in so many .. */
    FEW_FAULTY = 2         /* .. or so few */
};

/* A value of a key. */
typedef struct {
    uint32_t hash, key, code, next;
} entry;

typedef struct {
    size_t table, column;
    kan_link *found; /* one for each key that has something for it */
    size_t n;
} task;

typedef struct {
    kan_run *run;
    const kan_link_table *tables;
    kan_links *links;
    entry *entries;
    uint32_t *heads; /* by hash: the first entry and one; 0: none */
    uint32_t mask;
    task *tasks;
    size_t n_tasks;
} count;

static const kan_column *column_of(const kan_link_table *tables, size_t table, size_t column) {
    return &tables[table].rows->columns[column];
}

/* ---- keys ----------------------------------------------------------------------------------- */

/* Rows of each code. In a task of its own: kan_column_count_codes has tasks itself. */
static kan_status count_codes(kan_run *run, const kan_column *column, uint64_t **out) {
    enum { ROWS_BETWEEN_CHECKS = 1 << 16 };
    uint64_t *rows;
    KAN_TRY(kan_alloc_zero(run, column->dictionary.n, sizeof *rows, &rows));
    for (uint64_t row = 0; row < column->n_rows; row++) {
        rows[kan_column_code(column, row)]++;
        if ((row + 1) % ROWS_BETWEEN_CHECKS != 0)
            continue;
        kan_column_done(run, column, row + 1 - ROWS_BETWEEN_CHECKS, ROWS_BETWEEN_CHECKS);
        if (kan_should_stop(run))
            break; /* who called asks again */
    }
    *out = rows;
    return KAN_OK;
}

/* Rows without a value, and rows with that of an earlier one. */
static kan_status count_key(kan_run *run, const kan_column *column, uint64_t n_rows,
                            kan_link_key *key) {
    uint64_t *rows;
    KAN_TRY(count_codes(run, column, &rows));
    for (uint32_t code = 0; code < column->dictionary.n; code++) {
        const bool is_known =
            !kan_value_is_unknown(kan_dictionary_value(&column->dictionary, code));
        key->n_values += is_known && rows[code] > 0;
        key->n_missing += is_known ? 0 : rows[code];
    }
    key->n_repeated = n_rows - key->n_missing - key->n_values;
    kan_free(run, rows);
    return kan_check_cancel(run);
}

/* A key with few faults is one all the same: they are to be told. */
static bool is_key(const kan_link_key *key, uint64_t n_rows) {
    const uint64_t n = key->n_missing + key->n_repeated;
    return key->n_values > 0 && (n == 0 || ((n <= FEW_FAULTY || n <= n_rows / MOST_FAULTY_EACH) &&
                                            3 * n <= key->n_values));
}

static kan_status find_keys(count *c, size_t n_tables) {
    size_t capacity = 0;
    for (size_t t = 0; t < n_tables; t++) {
        const kan_table *rows = c->tables[t].rows;
        for (size_t i = 0; i < rows->n_columns; i++) {
            kan_link_key key = {.table = t, .column = i};
            if (!(c->tables[t].can[i] & KAN_LINK_KEY))
                continue;
            KAN_TRY(kan_check_cancel(c->run));
            KAN_TRY(count_key(c->run, &rows->columns[i], rows->n_rows, &key));
            if (!is_key(&key, rows->n_rows))
                continue;
            KAN_TRY(kan_reserve(c->run, c->links->n_keys + 1, sizeof *c->links->keys, &capacity,
                                &c->links->keys));
            c->links->keys[c->links->n_keys++] = key;
        }
    }
    return KAN_OK;
}

/* ---- the table of hashes -------------------------------------------------------------------- */

static uint32_t hash_of(kan_slice value) {
    return (uint32_t)(kan_hash_bytes(value.bytes, value.size) >> 32);
}

static void add_key(count *c, uint32_t number, uint32_t *n) {
    const kan_link_key *key = &c->links->keys[number];
    const kan_dictionary *values = &column_of(c->tables, key->table, key->column)->dictionary;
    for (uint32_t code = 0; code < values->n; code++) {
        const kan_slice value = kan_dictionary_value(values, code);
        if (kan_value_is_unknown(value))
            continue;
        const uint32_t hash = hash_of(value);
        c->entries[*n] = (entry){hash, number, code, c->heads[hash & c->mask]};
        c->heads[hash & c->mask] = ++*n;
    }
}

static kan_status make_table(count *c) {
    uint64_t n = 0, n_heads = 1;
    uint32_t used = 0;
    for (size_t i = 0; i < c->links->n_keys; i++)
        n += column_of(c->tables, c->links->keys[i].table, c->links->keys[i].column)->dictionary.n;
    if (n >= UINT32_MAX)
        return kan_fail(c->run, KAN_BAD_INPUT,
                        "the keys of these tables have more than 2^32 values together; look at "
                        "fewer tables at a time");
    while (n_heads < n)
        n_heads *= 2;
    c->mask = (uint32_t)(n_heads - 1);
    KAN_TRY(kan_alloc_zero(c->run, (size_t)n_heads, sizeof *c->heads, &c->heads));
    KAN_TRY(kan_alloc(c->run, (size_t)n, sizeof *c->entries, &c->entries));
    for (size_t i = 0; i < c->links->n_keys; i++) {
        KAN_TRY(kan_check_cancel(c->run));
        add_key(c, (uint32_t)i, &used);
    }
    return KAN_OK;
}

/* ---- looking up ----------------------------------------------------------------------------- */

/* By key: the values of the column that are its, and their rows. */
typedef struct {
    uint64_t values, rows;
} match;

static void look_up(const count *c, size_t table, kan_slice value, uint64_t n_rows,
                    match *matches) {
    const uint32_t hash = hash_of(value);
    for (uint32_t at = c->heads[hash & c->mask]; at > 0; at = c->entries[at - 1].next) {
        const entry *e = &c->entries[at - 1];
        const kan_link_key *key = &c->links->keys[e->key];
        if (e->hash != hash || key->table == table ||
            !kan_slice_equal(
                value, kan_dictionary_value(
                           &column_of(c->tables, key->table, key->column)->dictionary, e->code)))
            continue;
        matches[e->key].values++;
        matches[e->key].rows += n_rows;
    }
}

static kan_link_names compare_names(const count *c, const task *t, const kan_link_key *key) {
    return key->table == t->table
               ? KAN_NAMES_DIFFER
               : kan_link_compare_names(column_of(c->tables, t->table, t->column)->name,
                                        column_of(c->tables, key->table, key->column)->name,
                                        c->tables[key->table].name);
}

/* What was found, without what nothing speaks for. */
static kan_status keep(const count *c, task *t, const match *matches, uint64_t n_values,
                       uint64_t n_missing) {
    size_t n = 0;
    for (size_t k = 0; k < c->links->n_keys; k++)
        n += matches[k].values > 0 || compare_names(c, t, &c->links->keys[k]) == KAN_NAMES_ALIKE;
    KAN_TRY(kan_alloc(c->run, n, sizeof *t->found, &t->found));
    for (size_t k = 0; k < c->links->n_keys; k++) {
        const kan_link_names names = compare_names(c, t, &c->links->keys[k]);
        if (matches[k].values == 0 && names != KAN_NAMES_ALIKE)
            continue;
        t->found[t->n++] = (kan_link){.child = t->table,
                                      .column = t->column,
                                      .key = k,
                                      .names = names,
                                      .n_values = n_values,
                                      .n_values_matching = matches[k].values,
                                      .n_rows = c->tables[t->table].rows->n_rows,
                                      .n_rows_matching = matches[k].rows,
                                      .n_missing = n_missing};
    }
    return KAN_OK;
}

static kan_status look_at_column(void *context, size_t number, unsigned worker) {
    count *c = context;
    task *t = &c->tasks[number];
    const kan_column *column = column_of(c->tables, t->table, t->column);
    uint64_t *rows = NULL, n_values = 0, n_missing = 0;
    match *matches = NULL;
    kan_status status;
    (void)worker;
    KAN_TRY_DONE(kan_alloc_zero(c->run, c->links->n_keys, sizeof *matches, &matches));
    KAN_TRY_DONE(count_codes(c->run, column, &rows));
    KAN_TRY_DONE(kan_check_cancel(c->run));
    for (uint32_t code = 0; code < column->dictionary.n; code++) {
        const kan_slice value = kan_dictionary_value(&column->dictionary, code);
        if (code % 65536 == 0)
            KAN_TRY_DONE(kan_check_cancel(c->run));
        if (kan_value_is_unknown(value)) {
            n_missing += rows[code];
        } else if (rows[code] > 0) {
            n_values++;
            look_up(c, t->table, value, rows[code], matches);
        }
    }
    KAN_TRY_DONE(keep(c, t, matches, n_values, n_missing));
done:
    kan_free(c->run, matches);
    kan_free(c->run, rows);
    return status;
}

static kan_status make_tasks(count *c, size_t n_tables) {
    size_t n = 0;
    for (size_t t = 0; t < n_tables; t++)
        n += c->tables[t].rows->n_columns;
    KAN_TRY(kan_alloc_zero(c->run, n, sizeof *c->tasks, &c->tasks));
    for (size_t t = 0; t < n_tables; t++)
        for (size_t i = 0; i < c->tables[t].rows->n_columns; i++)
            if (c->tables[t].can[i] & KAN_LINK_TIES)
                c->tasks[c->n_tasks++] = (task){.table = t, .column = i};
    return KAN_OK;
}

static kan_status take_over(count *c) {
    size_t n = 0;
    for (size_t i = 0; i < c->n_tasks; i++)
        n += c->tasks[i].n;
    KAN_TRY(kan_alloc(c->run, n, sizeof *c->links->list, &c->links->list));
    for (size_t i = 0; i < c->n_tasks; i++)
        for (size_t j = 0; j < c->tasks[i].n; j++)
            c->links->list[c->links->n++] = c->tasks[i].found[j];
    return KAN_OK;
}

kan_status kan_links_find(kan_run *run, const kan_link_table *tables, size_t n, kan_links *out) {
    kan_links links = {.run = run};
    count c = {.run = run, .tables = tables, .links = &links};
    kan_status status;
    KAN_TRY_DONE(find_keys(&c, n));
    KAN_TRY_DONE(make_table(&c));
    KAN_TRY_DONE(make_tasks(&c, n));
    KAN_TRY_DONE(kan_parallel(run, c.n_tasks, look_at_column, &c));
    KAN_TRY_DONE(take_over(&c));
    *out = links;
    links = (kan_links){.run = run};
done:
    for (size_t i = 0; i < c.n_tasks; i++)
        kan_free(run, c.tasks[i].found);
    kan_free(run, c.tasks);
    kan_free(run, c.entries);
    kan_free(run, c.heads);
    kan_links_destroy(&links);
    return status;
}

void kan_links_destroy(kan_links *links) {
    kan_free(links->run, links->keys);
    kan_free(links->run, links->list);
    links->keys = NULL;
    links->list = NULL;
    links->n = links->n_keys = 0;
}
