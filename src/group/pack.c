/* Packing rows column by column: one table look-up per cell takes a code to its group. */
#include "group/pack.h"

#include <string.h>

#include "core/pool.h"
#include "group/kernel.h"

enum { BLOCK_ROWS = 4096, TASK_ROWS = 1 << 16 };

static kan_status make_table(kan_packer *packer, unsigned f) {
    const kan_field *field = &packer->layout->fields[f];
    const kan_hierarchy *hierarchy = packer->space->dimensions[field->dimension].hierarchy;
    if (!hierarchy || field->level == 0) {
        packer->group_of[f] = hierarchy ? hierarchy->leaf_of : NULL;
        return KAN_OK;
    }
    uint32_t *table;
    KAN_TRY(kan_arena_alloc(&packer->arena, hierarchy->n_codes, sizeof *table, &table));
    for (uint32_t code = 0; code < hierarchy->n_codes; code++)
        table[code] = hierarchy->levels[field->level].from_leaf[hierarchy->leaf_of[code]];
    packer->group_of[f] = table;
    return KAN_OK;
}

kan_status kan_packer_init(kan_packer *packer, const kan_space *space, const kan_layout *layout) {
    *packer = (kan_packer){.space = space, .layout = layout};
    kan_arena_init(&packer->arena, space->run);
    for (unsigned f = 0; f < layout->n_fields; f++) {
        kan_status status = make_table(packer, f);
        if (status != KAN_OK) {
            kan_packer_destroy(packer);
            return status;
        }
    }
    return KAN_OK;
}

void kan_packer_destroy(kan_packer *packer) {
    kan_arena_destroy(&packer->arena);
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

void kan_packer_rows(const kan_packer *packer, uint64_t first, size_t n, uint64_t *keys) {
    const unsigned words = packer->layout->n_words;
    memset(keys, 0, n * words * sizeof *keys);
    for (unsigned f = 0; f < packer->layout->n_fields; f++) {
        const kan_field *field = &packer->layout->fields[f];
        if (field->bits == 0)
            continue;
        const kan_column *column = packer->space->dimensions[field->dimension].column;
        if (words == 1)
            pack_field(column, packer->group_of[f], field->shift, first, n, 1, keys);
        else
            pack_field(column, packer->group_of[f], field->shift, first, n, words,
                       keys + field->word);
    }
}

/* ---- marking rows --------------------------------------------------------------------------- */

typedef struct {
    kan_packer packer;
    const kan_hash_table *unwanted;
    uint64_t n_rows;
    uint8_t *is_marked;
} mark_job;

static kan_status mark_task(void *context, size_t task, unsigned worker) {
    (void)worker;
    mark_job *job = context;
    kan_run *run = job->packer.space->run;
    const unsigned words = job->packer.layout->n_words;
    uint64_t *keys;
    KAN_TRY(kan_alloc(run, (size_t)BLOCK_ROWS * words, sizeof *keys, &keys));
    uint64_t row = (uint64_t)task * TASK_ROWS;
    uint64_t end = job->n_rows - row < TASK_ROWS ? job->n_rows : row + TASK_ROWS;
    for (; row < end; row += BLOCK_ROWS) {
        size_t n = end - row < BLOCK_ROWS ? (size_t)(end - row) : BLOCK_ROWS;
        kan_packer_rows(&job->packer, row, n, keys);
        kan_hash_table_mark(job->unwanted, keys, n, job->is_marked + row);
    }
    kan_free(run, keys);
    return KAN_OK;
}

kan_status kan_freqset_mark_rows(const kan_space *space, const kan_freqset *set,
                                 const uint8_t *wanted, uint64_t n_rows, uint8_t *is_marked) {
    kan_status status;
    kan_hash_table *unwanted = NULL;
    const unsigned words = set->layout.n_words;
    mark_job job = {.n_rows = n_rows, .is_marked = is_marked};
    KAN_TRY(kan_packer_init(&job.packer, space, &set->layout));
    KAN_TRY_DONE(kan_hash_table_create(space->run, words, &unwanted));
    for (size_t i = 0; i < set->n; i++)
        if (!wanted[i])
            KAN_TRY_DONE(kan_hash_table_add(unwanted, set->keys + i * words, NULL, 1));
    job.unwanted = unwanted;
    size_t n_tasks = (size_t)((n_rows + TASK_ROWS - 1) / TASK_ROWS);
    KAN_TRY_DONE(kan_parallel(space->run, n_tasks, mark_task, &job));
done:
    kan_hash_table_destroy(unwanted);
    kan_packer_destroy(&job.packer);
    return status;
}
