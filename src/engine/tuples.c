#include "engine/tuples.h"

#include <string.h>

#include "core/spill.h"
#include "data/encoder.h"

enum { BLOCK = 1 << 14 }; /* rows */

/* Packed rows: codes of the first column, then of the second, and counts behind them. */
struct kan_tuple_block {
    size_t n;
    uint8_t *bytes;
    uint8_t *widths; /* of each column, and of counts */
};

void kan_engine_tuples_init(kan_engine_tuples *tuples, kan_run *run, size_t n_columns) {
    *tuples = (kan_engine_tuples){.run = run, .n_columns = n_columns};
}

static void free_block(kan_run *run, struct kan_tuple_block *block) {
    kan_free(run, block->bytes);
    kan_free(run, block->widths);
    *block = (struct kan_tuple_block){0};
}

/* What is only needed while they come. */
static void free_stage(kan_engine_tuples *tuples) {
    for (size_t i = 0; i < tuples->n_blocks; i++)
        free_block(tuples->run, &tuples->blocks[i]);
    kan_free(tuples->run, tuples->blocks);
    kan_free(tuples->run, tuples->row);
    kan_free(tuples->run, tuples->staged);
    kan_free(tuples->run, tuples->staged_counts);
    tuples->blocks = NULL;
    tuples->row = tuples->staged = NULL;
    tuples->staged_counts = NULL;
    tuples->n_blocks = tuples->n_staged = tuples->capacity = 0;
    tuples->has_row = false;
}

void kan_engine_tuples_destroy(kan_engine_tuples *tuples) {
    free_stage(tuples);
    for (size_t i = 0; tuples->columns && i < tuples->n_columns; i++)
        kan_free(tuples->run, tuples->columns[i].codes);
    kan_free(tuples->run, tuples->columns);
    kan_free(tuples->run, tuples->counts);
    tuples->columns = NULL;
    tuples->counts = NULL;
    tuples->n = 0;
}

/* ---- blocks --------------------------------------------------------------------------------- */

static unsigned width_of(uint64_t most) {
    return most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : most <= UINT32_MAX ? 4 : 8;
}

static void store(uint8_t *bytes, unsigned width, size_t at, uint64_t number) {
    const uint8_t one = (uint8_t)number;
    const uint16_t two = (uint16_t)number;
    const uint32_t four = (uint32_t)number;
    const void *const from = width == 1   ? (const void *)&one
                             : width == 2 ? (const void *)&two
                             : width == 4 ? (const void *)&four
                                          : (const void *)&number;
    memcpy(bytes + at * width, from, width);
}

static uint64_t load(const uint8_t *bytes, unsigned width, size_t at) {
    uint64_t number;
    uint32_t four;
    uint16_t two;
    switch (width) {
    case 1:
        return bytes[at];
    case 2:
        memcpy(&two, bytes + at * 2, 2);
        return two;
    case 4:
        memcpy(&four, bytes + at * 4, 4);
        return four;
    default:
        memcpy(&number, bytes + at * 8, 8);
        return number;
    }
}

static uint64_t staged_number(const kan_engine_tuples *tuples, size_t column, size_t row) {
    return column < tuples->n_columns ? tuples->staged[column * BLOCK + row]
                                      : tuples->staged_counts[row];
}

static kan_status fill_block(kan_engine_tuples *tuples, struct kan_tuple_block *block) {
    size_t bytes = 0;
    block->n = tuples->n_staged;
    KAN_TRY(kan_alloc(tuples->run, tuples->n_columns + 1, 1, &block->widths));
    for (size_t i = 0; i <= tuples->n_columns; i++) {
        uint64_t most = 0;
        for (size_t row = 0; row < block->n; row++) {
            const uint64_t number = staged_number(tuples, i, row);
            most = number > most ? number : most;
        }
        block->widths[i] = (uint8_t)width_of(most);
        bytes += block->widths[i] * block->n;
    }
    KAN_TRY(kan_spill_alloc(tuples->run, bytes, 1, &block->bytes));
    uint8_t *out = block->bytes;
    for (size_t i = 0; i <= tuples->n_columns; i++) {
        for (size_t row = 0; row < block->n; row++)
            store(out, block->widths[i], row, staged_number(tuples, i, row));
        out += block->widths[i] * block->n;
    }
    kan_spill_done(tuples->run, block->bytes, bytes);
    tuples->n_staged = 0;
    return KAN_OK;
}

static kan_status end_block(kan_engine_tuples *tuples) {
    KAN_TRY(kan_reserve(tuples->run, tuples->n_blocks + 1, sizeof *tuples->blocks,
                        &tuples->capacity, &tuples->blocks));
    tuples->blocks[tuples->n_blocks] = (struct kan_tuple_block){0};
    return fill_block(tuples, &tuples->blocks[tuples->n_blocks++]);
}

/* The row that was added last is complete. */
static kan_status stage_row(kan_engine_tuples *tuples) {
    if (!tuples->has_row)
        return KAN_OK;
    for (size_t i = 0; i < tuples->n_columns; i++)
        tuples->staged[i * BLOCK + tuples->n_staged] = tuples->row[i];
    tuples->staged_counts[tuples->n_staged++] = tuples->count;
    tuples->has_row = false;
    return tuples->n_staged == BLOCK ? end_block(tuples) : KAN_OK;
}

static kan_status begin_stage(kan_engine_tuples *tuples) {
    KAN_ASSERT(!tuples->columns);
    if (tuples->staged_counts)
        return KAN_OK;
    KAN_TRY(kan_alloc(tuples->run, tuples->n_columns, sizeof *tuples->row, &tuples->row));
    KAN_TRY(
        kan_alloc(tuples->run, tuples->n_columns * BLOCK, sizeof *tuples->staged, &tuples->staged));
    return kan_alloc(tuples->run, BLOCK, sizeof *tuples->staged_counts, &tuples->staged_counts);
}

kan_status kan_engine_tuples_add(kan_engine_tuples *tuples, uint64_t count, uint32_t **codes) {
    if (tuples->n + 1 >= UINT32_MAX)
        return kan_fail(
            tuples->run, KAN_BAD_INPUT,
            "the table has 2^32 distinct combinations of its columns or more; leave out "
            "a column, or fold it at a higher level");
    KAN_TRY(begin_stage(tuples));
    KAN_TRY(stage_row(tuples));
    tuples->has_row = true;
    tuples->count = count;
    tuples->n++;
    *codes = tuples->row;
    return KAN_OK;
}

/* ---- columns -------------------------------------------------------------------------------- */

static void store_code(const struct kan_tuple_column *column, uint64_t row, uint32_t code) {
    store(column->codes, column->width, (size_t)row, code);
}

static kan_status make_columns(kan_engine_tuples *tuples, const uint32_t *n_codes) {
    KAN_TRY(kan_alloc_zero(tuples->run, tuples->n_columns + 1, sizeof *tuples->columns,
                           &tuples->columns));
    for (size_t i = 0; i < tuples->n_columns; i++) {
        struct kan_tuple_column *const column = &tuples->columns[i];
        column->width = kan_code_width(n_codes[i]);
        KAN_TRY(kan_spill_alloc(tuples->run, (size_t)tuples->n, column->width, &column->codes));
    }
    return kan_spill_alloc(tuples->run, (size_t)tuples->n, sizeof *tuples->counts, &tuples->counts);
}

static void unpack_block(kan_engine_tuples *tuples, const struct kan_tuple_block *block,
                         uint64_t first, uint32_t *const *maps) {
    const uint8_t *bytes = block->bytes;
    for (size_t i = 0; i < tuples->n_columns; i++) {
        const uint32_t *const map = maps ? maps[i] : NULL;
        for (size_t row = 0; row < block->n; row++) {
            const uint32_t code = (uint32_t)load(bytes, block->widths[i], row);
            store_code(&tuples->columns[i], first + row, map ? map[code] : code);
        }
        bytes += block->widths[i] * block->n;
    }
    for (size_t row = 0; row < block->n; row++)
        tuples->counts[first + row] = load(bytes, block->widths[tuples->n_columns], row);
}

static kan_status unpack(kan_engine_tuples *tuples, const uint32_t *n_codes,
                         uint32_t *const *maps) {
    uint64_t first = 0;
    KAN_TRY(stage_row(tuples));
    if (tuples->n_staged > 0)
        KAN_TRY(end_block(tuples));
    KAN_TRY(make_columns(tuples, n_codes));
    for (size_t i = 0; i < tuples->n_blocks; i++) {
        unpack_block(tuples, &tuples->blocks[i], first, maps);
        first += tuples->blocks[i].n;
        free_block(tuples->run, &tuples->blocks[i]);
    }
    free_stage(tuples);
    return kan_check_cancel(tuples->run);
}

/* ---- order ---------------------------------------------------------------------------------- */

/* Puts `from` in the order of one column into `to`, equal ones as they stood. */
static kan_status order_column(const kan_engine_tuples *tuples, size_t column, uint32_t n_codes,
                               const uint32_t *from, uint32_t *to) {
    uint32_t *place;
    KAN_TRY(kan_alloc_zero(tuples->run, (size_t)n_codes + 1, sizeof *place, &place));
    for (uint64_t i = 0; i < tuples->n; i++) {
        KAN_ASSERT(kan_engine_tuples_code(tuples, i, column) < n_codes);
        place[kan_engine_tuples_code(tuples, i, column) + 1]++;
    }
    for (uint32_t code = 0; code < n_codes; code++)
        place[code + 1] += place[code];
    for (uint64_t i = 0; i < tuples->n; i++)
        to[place[kan_engine_tuples_code(tuples, from[i], column)]++] = from[i];
    kan_free(tuples->run, place);
    return kan_check_cancel(tuples->run);
}

/* The last column first: each pass keeps what the ones before did. */
static kan_status order_rows(const kan_engine_tuples *tuples, const uint32_t *n_codes,
                             uint32_t **order, uint32_t **other) {
    for (uint64_t i = 0; i < tuples->n; i++)
        (*order)[i] = (uint32_t)i;
    for (size_t column = tuples->n_columns; column-- > 0;) {
        if (n_codes[column] < 2)
            continue;
        KAN_TRY(order_column(tuples, column, n_codes[column], *order, *other));
        uint32_t *const swapped = *order;
        *order = *other;
        *other = swapped;
    }
    return KAN_OK;
}

static kan_status reorder_column(kan_engine_tuples *tuples, size_t column, const uint32_t *order) {
    struct kan_tuple_column *const old = &tuples->columns[column];
    struct kan_tuple_column made = {.width = old->width};
    KAN_TRY(kan_spill_alloc(tuples->run, (size_t)tuples->n, made.width, &made.codes));
    for (uint64_t i = 0; i < tuples->n; i++)
        store_code(&made, i, kan_engine_tuples_code(tuples, order[i], column));
    kan_free(tuples->run, old->codes);
    *old = made;
    return KAN_OK;
}

static kan_status reorder(kan_engine_tuples *tuples, const uint32_t *order) {
    uint64_t *counts;
    for (size_t i = 0; i < tuples->n_columns; i++)
        KAN_TRY(reorder_column(tuples, i, order));
    KAN_TRY(kan_spill_alloc(tuples->run, (size_t)tuples->n, sizeof *counts, &counts));
    for (uint64_t i = 0; i < tuples->n; i++)
        counts[i] = tuples->counts[order[i]];
    kan_free(tuples->run, tuples->counts);
    tuples->counts = counts;
    return kan_check_cancel(tuples->run);
}

bool kan_engine_tuples_are_alike(const kan_engine_tuples *tuples, uint64_t a, uint64_t b,
                                 size_t n) {
    for (size_t i = 0; i < n; i++)
        if (kan_engine_tuples_code(tuples, a, i) != kan_engine_tuples_code(tuples, b, i))
            return false;
    return true;
}

/* Those that are the same are neighbours now. */
static kan_status merge(kan_engine_tuples *tuples) {
    uint64_t last = 0;
    for (uint64_t i = 1; i < tuples->n; i++) {
        if (kan_engine_tuples_are_alike(tuples, last, i, tuples->n_columns)) {
            if (__builtin_add_overflow(tuples->counts[last], tuples->counts[i],
                                       &tuples->counts[last]))
                return kan_fail(tuples->run, KAN_FAILED, "the engine counts 2^64 rows or more");
            continue;
        }
        last++;
        for (size_t c = 0; c < tuples->n_columns && last != i; c++)
            store_code(&tuples->columns[c], last, kan_engine_tuples_code(tuples, i, c));
        tuples->counts[last] = tuples->counts[i];
    }
    tuples->n = tuples->n > 0 ? last + 1 : 0;
    return KAN_OK;
}

kan_status kan_engine_tuples_sort(kan_engine_tuples *tuples, const uint32_t *n_codes,
                                  uint32_t *const *maps) {
    uint32_t *order = NULL, *other = NULL;
    kan_status status;
    KAN_TRY_DONE(unpack(tuples, n_codes, maps));
    KAN_TRY_DONE(kan_spill_alloc(tuples->run, (size_t)tuples->n, sizeof *order, &order));
    KAN_TRY_DONE(kan_spill_alloc(tuples->run, (size_t)tuples->n, sizeof *other, &other));
    KAN_TRY_DONE(order_rows(tuples, n_codes, &order, &other));
    kan_free(tuples->run, other);
    other = NULL;
    KAN_TRY_DONE(reorder(tuples, order));
    KAN_TRY_DONE(merge(tuples));
done:
    kan_free(tuples->run, order);
    kan_free(tuples->run, other);
    return status;
}

/* ---- handing over --------------------------------------------------------------------------- */

void kan_engine_tuples_give(kan_engine_tuples *tuples, size_t column, kan_column *out) {
    KAN_ASSERT(!out->codes && tuples->columns[column].width == kan_code_width(out->dictionary.n));
    out->codes = tuples->columns[column].codes;
    out->width = tuples->columns[column].width;
    out->n_rows = tuples->n;
    out->is_encoded = true;
    tuples->columns[column].codes = NULL;
}

kan_status kan_engine_tuples_give_counts(kan_engine_tuples *tuples, kan_table *out) {
    uint64_t *const counts = tuples->counts;
    tuples->counts = NULL;
    out->n_rows = tuples->n;
    return kan_table_take_counts(out, counts);
}
