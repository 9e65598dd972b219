/* Packing rows column by column: one table look-up per cell takes a code to its group. */
#include "group/freqsets/row_keys.h"

#include <string.h>

#include "core/pool.h"
#include "core/spill.h"
#include "group/freqsets/kernel.h"

enum { BLOCK_ROWS = 4096, TASK_ROWS = 1 << 17 };

static kan_status make_table(kan_row_keys *rows, unsigned f) {
    const kan_key_field *field = &rows->layout->fields[f];
    const kan_dimension *dimension = &rows->space->dimensions[field->dimension];
    const kan_hierarchy *hierarchy = dimension->hierarchy;
    if (!hierarchy || field->level == 0) {
        rows->group_of[f] = hierarchy ? hierarchy->leaf_of : dimension->value_of;
        return KAN_OK;
    }
    uint32_t *table;
    KAN_TRY(kan_arena_alloc(&rows->arena, hierarchy->n_codes, sizeof *table, &table));
    for (uint32_t code = 0; code < hierarchy->n_codes; code++)
        table[code] = hierarchy->levels[field->level].from_leaf[hierarchy->leaf_of[code]];
    rows->group_of[f] = table;
    return KAN_OK;
}

kan_status kan_row_keys_init(kan_row_keys *rows, const kan_space *space, const kan_layout *layout) {
    *rows = (kan_row_keys){.space = space, .layout = layout};
    kan_arena_init(&rows->arena, space->run);
    for (unsigned f = 0; f < layout->n_fields; f++) {
        kan_status status = make_table(rows, f);
        if (status != KAN_OK) {
            kan_row_keys_destroy(rows);
            return status;
        }
    }
    return KAN_OK;
}

void kan_row_keys_destroy(kan_row_keys *rows) {
    kan_arena_destroy(&rows->arena);
}

/* Adds one column's field to the keys of a block. */
#define PACK(type)                                                                                 \
    do {                                                                                           \
        const type *codes = (const type *)column->codes + first;                                   \
        if (group_of)                                                                              \
            for (size_t i = 0; i < n; i++)                                                         \
                keys[i * words] |= (uint64_t)group_of[codes[i]] << shift;                          \
        else                                                                                       \
            for (size_t i = 0; i < n; i++)                                                         \
                keys[i * words] |= (uint64_t)codes[i] << shift;                                    \
    } while (0)

static inline void pack_field(const kan_column *column, const uint32_t *group_of, unsigned shift,
                              uint64_t first, size_t n, const size_t words, uint64_t *keys) {
    if (column->width == 1)
        PACK(uint8_t);
    else if (column->width == 2)
        PACK(uint16_t);
    else
        PACK(uint32_t);
}

void kan_row_keys_make(const kan_row_keys *rows, uint64_t first, size_t n, uint64_t *keys) {
    const unsigned words = rows->layout->n_words;
    memset(keys, 0, n * words * sizeof *keys);
    for (unsigned f = 0; f < rows->layout->n_fields; f++) {
        const kan_key_field *field = &rows->layout->fields[f];
        if (field->bits == 0)
            continue;
        const kan_column *column = rows->space->dimensions[field->dimension].column;
        if (words == 1)
            pack_field(column, rows->group_of[f], field->shift, first, n, 1, keys);
        else
            pack_field(column, rows->group_of[f], field->shift, first, n, words,
                       keys + field->word);
    }
}

static void kan_row_keys_done(const kan_row_keys *rows, uint64_t first, uint64_t n) {
    for (unsigned f = 0; f < rows->layout->n_fields; f++)
        kan_column_done(rows->space->run,
                        rows->space->dimensions[rows->layout->fields[f].dimension].column, first,
                        n);
}
/* ---- marking rows --------------------------------------------------------------------------- */

typedef struct {
    kan_row_keys rows;
    const kan_hash_table *unwanted;
    uint64_t n_rows;
    uint8_t *is_marked;
} mark_job;

static kan_status mark_task(void *context, size_t task, unsigned worker) {
    (void)worker;
    mark_job *job = context;
    kan_run *run = job->rows.space->run;
    const unsigned words = job->rows.layout->n_words;
    uint64_t *keys;
    KAN_TRY(kan_alloc(run, (size_t)BLOCK_ROWS * words, sizeof *keys, &keys));
    uint64_t row = (uint64_t)task * TASK_ROWS;
    uint64_t end = job->n_rows - row < TASK_ROWS ? job->n_rows : row + TASK_ROWS;
    for (; row < end; row += BLOCK_ROWS) {
        size_t n = end - row < BLOCK_ROWS ? (size_t)(end - row) : BLOCK_ROWS;
        kan_row_keys_make(&job->rows, row, n, keys);
        kan_hash_table_mark(job->unwanted, keys, n, job->is_marked + row);
    }
    row = (uint64_t)task * TASK_ROWS;
    kan_row_keys_done(&job->rows, row, end - row);
    kan_spill_done(run, job->is_marked + row, end - row);
    kan_free(run, keys);
    return KAN_OK;
}

kan_status kan_freqset_mark_rows(const kan_space *space, const kan_freqset *set,
                                 const uint8_t *wanted, uint64_t n_rows, uint8_t *is_marked) {
    kan_status status;
    kan_hash_table *unwanted = NULL;
    const unsigned words = set->layout.n_words;
    mark_job job = {.n_rows = n_rows, .is_marked = is_marked};
    KAN_TRY(kan_row_keys_init(&job.rows, space, &set->layout));
    KAN_TRY_DONE(kan_hash_table_create(space->run, words, &unwanted));
    for (size_t i = 0; i < set->n; i++)
        if (!wanted[i])
            KAN_TRY_DONE(kan_hash_table_add(unwanted, set->keys + i * words, NULL, 1));
    job.unwanted = unwanted;
    size_t n_tasks = (size_t)((n_rows + TASK_ROWS - 1) / TASK_ROWS);
    KAN_TRY_DONE(kan_parallel(space->run, n_tasks, mark_task, &job));
done:
    kan_hash_table_destroy(unwanted);
    kan_row_keys_destroy(&job.rows);
    return status;
}

/* ---- finding the tuples of rows ------------------------------------------------------------- */

/* The tuples of a set by their keys: tuple + 1, 0 is free. */
typedef struct {
    kan_row_keys rows;
    const kan_freqset *set;
    uint32_t *slots;
    size_t mask;
    uint64_t n_rows;
    uint32_t *tuple_of;
} find_job;

static inline uint64_t hash_key(const uint64_t *key, unsigned words) {
    return words == 1 ? kan_hash_word(key[0]) : kan_hash_words(key, words);
}

/* The tuples are distinct: each takes the first slot that is free, whoever comes first. */
static kan_status index_task(void *context, size_t task, unsigned worker) {
    const find_job *job = context;
    const kan_freqset *set = job->set;
    const unsigned words = set->layout.n_words;
    const size_t first = task * TASK_ROWS;
    const size_t end = set->n - first < TASK_ROWS ? set->n : first + TASK_ROWS;
    (void)worker;
    for (size_t i = first; i < end; i++) {
        size_t at = (size_t)hash_key(set->keys + i * words, words) & job->mask;
        uint32_t before = 0;
        while (!__atomic_compare_exchange_n(&job->slots[at], &before, (uint32_t)(i + 1), false,
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            at = (at + 1) & job->mask;
            before = 0;
        }
    }
    return KAN_OK;
}

static kan_status index_tuples(kan_run *run, find_job *job) {
    const kan_freqset *set = job->set;
    size_t n_slots = 8;
    if (set->n >= UINT32_MAX)
        return kan_fail(run, KAN_FAILED, "too many distinct rows to be found again");
    while (n_slots < set->n + set->n / 2)
        n_slots *= 2;
    KAN_TRY(kan_alloc_zero(run, n_slots, sizeof *job->slots, &job->slots));
    job->mask = n_slots - 1;
    return kan_parallel(run, (set->n + TASK_ROWS - 1) / TASK_ROWS, index_task, job);
}

/* The places of n <= FIND_BATCH keys; false when one is not there. What they will touch is called
 * for first, so that the misses of a large set overlap. */
enum { FIND_BATCH = 32 };

static bool find_batch(const find_job *job, const uint64_t *keys, size_t n, uint32_t *out) {
    const unsigned words = job->set->layout.n_words;
    size_t at[FIND_BATCH];
    for (size_t i = 0; i < n; i++) {
        at[i] = (size_t)hash_key(keys + i * words, words) & job->mask;
        __builtin_prefetch(&job->slots[at[i]]);
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t slot = job->slots[at[i]];
        __builtin_prefetch(job->set->keys + (slot ? slot - 1 : 0) * (size_t)words);
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t slot;
        for (; (slot = job->slots[at[i]]) != 0; at[i] = (at[i] + 1) & job->mask)
            if (kan_key_compare(job->set->keys + (size_t)(slot - 1) * words, keys + i * words,
                                words) == 0)
                break;
        if (slot == 0)
            return false;
        out[i] = slot - 1;
    }
    return true;
}

static kan_status find_task(void *context, size_t task, unsigned worker) {
    (void)worker;
    find_job *job = context;
    kan_run *run = job->rows.space->run;
    kan_status status = KAN_OK;
    const unsigned words = job->rows.layout->n_words;
    uint64_t *keys;
    KAN_TRY(kan_alloc(run, (size_t)BLOCK_ROWS * words, sizeof *keys, &keys));
    uint64_t row = (uint64_t)task * TASK_ROWS;
    uint64_t end = job->n_rows - row < TASK_ROWS ? job->n_rows : row + TASK_ROWS;
    for (; row < end && status == KAN_OK; row += BLOCK_ROWS) {
        size_t n = end - row < BLOCK_ROWS ? (size_t)(end - row) : BLOCK_ROWS;
        kan_row_keys_make(&job->rows, row, n, keys);
        for (size_t i = 0; i < n && status == KAN_OK; i += FIND_BATCH)
            if (!find_batch(job, keys + i * words, n - i < FIND_BATCH ? n - i : FIND_BATCH,
                            job->tuple_of + row + i))
                status = kan_fail(run, KAN_FAILED,
                                  "internal error: a row is not among those that were folded; "
                                  "please report this");
    }
    row = (uint64_t)task * TASK_ROWS;
    kan_row_keys_done(&job->rows, row, end - row);
    kan_spill_done(run, job->tuple_of + row, (end - row) * 4);
    kan_free(run, keys);
    return status;
}

kan_status kan_freqset_find_rows(const kan_space *space, const kan_freqset *set, uint64_t n_rows,
                                 uint32_t *tuple_of) {
    kan_status status;
    find_job job = {.set = set, .n_rows = n_rows, .tuple_of = tuple_of};
    KAN_TRY(kan_row_keys_init(&job.rows, space, &set->layout));
    KAN_TRY_DONE(index_tuples(space->run, &job));
    KAN_TRY_DONE(
        kan_parallel(space->run, (size_t)((n_rows + TASK_ROWS - 1) / TASK_ROWS), find_task, &job));
done:
    kan_free(space->run, job.slots);
    kan_row_keys_destroy(&job.rows);
    return status;
}
