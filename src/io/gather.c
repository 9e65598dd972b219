/* Gathering rows into a table: encoders and word tables per thread and column, codes per block, and
 * in the end dictionaries.
 *
 * Memory, beside the table: 1 to 4 bytes per row and encoded column, the encoders, and 16 bytes per
 * distinct word. Where the budget is short, the codes lie on disk (core/spill.h), and what was
 * handed over of them leaves resident memory block by block. */
#include "io/gather.h"

#include "core/pool.h"
#include "core/spill.h"

enum {
    BLOCKS_PER_THREAD = 8,
    MOST_MAPPED = 16, /* blocks whose codes are mapped by one task */
    FIRST_WORDS = 64
};

typedef struct {
    unsigned worker; /* whose encoders gave the codes */
    size_t n_rows;
    uint64_t first_row;
    void *codes;    /* of all encoded columns, one column after the other */
    uint8_t *width; /* per encoded column */
} gathered_block;

/* Words and their codes: open addressing; a slot of code KAN_CODE_LIMIT is free. */
typedef struct {
    uint64_t word;
    uint32_t code;
} word_slot;

typedef struct {
    word_slot *slots;
    size_t n, n_slots; /* n_slots: 0 or a power of two */
} word_table;

struct kan_gather {
    kan_run *run;
    kan_gather_plan plan;
    size_t n_encoded;
    size_t *encoded;       /* their columns */
    size_t *place_of;      /* column -> which of the encoded; SIZE_MAX: none */
    kan_encoder *encoders; /* worker-major: n_workers x n_encoded */
    word_table *words;     /* the same */
    size_t n_encoders;     /* that were made */
    gathered_block *blocks;
    size_t n_blocks, capacity;
    size_t n_mapped; /* blocks whose codes are mapped by one task */
    uint32_t **maps; /* column-major: n_encoded x n_workers */
    uint64_t n_rows;
    kan_table *table;
};

/* ---- beginning ------------------------------------------------------------------------------ */

static kan_status choose_columns(kan_gather *g) {
    const size_t n_columns = g->plan.n_columns;
    KAN_TRY(kan_alloc(g->run, n_columns, sizeof *g->encoded, &g->encoded));
    KAN_TRY(kan_alloc(g->run, n_columns, sizeof *g->place_of, &g->place_of));
    for (size_t i = 0; i < n_columns; i++) {
        g->place_of[i] = g->plan.encode[i] ? g->n_encoded : SIZE_MAX;
        if (g->plan.encode[i])
            g->encoded[g->n_encoded++] = i;
    }
    return KAN_OK;
}

static kan_status make_encoders(kan_gather *g) {
    const size_t n = g->n_encoded * g->plan.n_workers;
    KAN_TRY(kan_alloc_zero(g->run, n, sizeof *g->encoders, &g->encoders));
    KAN_TRY(kan_alloc_zero(g->run, n, sizeof *g->words, &g->words));
    for (; g->n_encoders < n; g->n_encoders++)
        KAN_TRY(kan_encoder_init(&g->encoders[g->n_encoders], g->run));
    return KAN_OK;
}

static kan_status make_blocks(kan_gather *g) {
    g->n_blocks = g->plan.n_blocks;
    return kan_alloc_zero(g->run, g->n_blocks, sizeof *g->blocks, &g->blocks);
}

kan_status kan_gather_begin(kan_run *run, const kan_gather_plan *plan, kan_gather **out) {
    kan_gather *g;
    kan_status status;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *g, &g));
    g->run = run;
    g->plan = *plan;
    KAN_TRY_DONE(choose_columns(g));
    KAN_TRY_DONE(make_encoders(g));
    if (plan->n_blocks > 0)
        KAN_TRY_DONE(make_blocks(g));
    *out = g;
done:
    if (status != KAN_OK)
        kan_gather_free(g);
    return status;
}

static void block_free(kan_run *run, gathered_block *block) {
    kan_free(run, block->codes);
    kan_free(run, block->width);
    block->codes = NULL;
    block->width = NULL;
}

void kan_gather_free(kan_gather *g) {
    if (!g)
        return;
    kan_run *run = g->run;
    for (size_t i = 0; i < g->n_encoders; i++) {
        kan_encoder_destroy(&g->encoders[i]);
        kan_free(run, g->words[i].slots);
    }
    for (size_t i = 0; g->maps && i < g->n_encoded * g->plan.n_workers; i++)
        kan_free(run, g->maps[i]);
    for (size_t i = 0; g->blocks && i < g->n_blocks; i++)
        block_free(run, &g->blocks[i]);
    kan_free(run, g->encoders);
    kan_free(run, g->words);
    kan_free(run, g->maps);
    kan_free(run, g->blocks);
    kan_free(run, g->encoded);
    kan_free(run, g->place_of);
    kan_table_destroy(g->table);
    kan_free(run, g);
}

/* ---- values --------------------------------------------------------------------------------- */

static size_t place(const kan_gather *g, unsigned worker, size_t column) {
    KAN_ASSERT(worker < g->plan.n_workers && g->place_of[column] != SIZE_MAX);
    return worker * g->n_encoded + g->place_of[column];
}

kan_encoder *kan_gather_encoder(kan_gather *g, unsigned worker, size_t column) {
    return g->place_of[column] == SIZE_MAX ? NULL : &g->encoders[place(g, worker, column)];
}

static word_slot *find_slot(const word_table *words, uint64_t word) {
    const size_t mask = words->n_slots - 1;
    size_t at = (size_t)kan_hash_word(word) & mask;
    while (words->slots[at].code != KAN_CODE_LIMIT && words->slots[at].word != word)
        at = (at + 1) & mask;
    return &words->slots[at];
}

uint32_t kan_gather_find_word(const kan_gather *g, unsigned worker, size_t column, uint64_t word) {
    const word_table *words = &g->words[place(g, worker, column)];
    return words->n_slots ? find_slot(words, word)->code : KAN_CODE_LIMIT;
}

static kan_status grow_words(kan_run *run, word_table *words) {
    word_table grown = {.n = words->n,
                        .n_slots = words->n_slots ? words->n_slots * 2 : FIRST_WORDS};
    KAN_TRY(kan_alloc(run, grown.n_slots, sizeof *grown.slots, &grown.slots));
    for (size_t i = 0; i < grown.n_slots; i++)
        grown.slots[i] = (word_slot){.code = KAN_CODE_LIMIT};
    for (size_t i = 0; i < words->n_slots; i++)
        if (words->slots[i].code != KAN_CODE_LIMIT)
            *find_slot(&grown, words->slots[i].word) = words->slots[i];
    kan_free(run, words->slots);
    *words = grown;
    return KAN_OK;
}

kan_status kan_gather_add_word(kan_gather *g, unsigned worker, size_t column, uint64_t word,
                               kan_slice text, uint32_t *out) {
    const size_t at = place(g, worker, column);
    word_table *words = &g->words[at];
    KAN_TRY(kan_encoder_add(&g->encoders[at], text, out));
    if (words->n >= words->n_slots / 2)
        KAN_TRY(grow_words(g->run, words));
    *find_slot(words, word) = (word_slot){word, *out};
    words->n++;
    return KAN_OK;
}

/* ---- blocks --------------------------------------------------------------------------------- */

static void pack_codes(const uint32_t *from, size_t n, unsigned width, void *out) {
    if (width == 1)
        for (size_t i = 0; i < n; i++)
            ((uint8_t *)out)[i] = (uint8_t)from[i];
    else if (width == 2)
        for (size_t i = 0; i < n; i++)
            ((uint16_t *)out)[i] = (uint16_t)from[i];
    else
        memcpy(out, from, n * sizeof *from);
}

/* Each column begins at a multiple of 4 bytes. */
static size_t packed_bytes(size_t n_rows, unsigned width) {
    return (n_rows * width + 3) / 4 * 4;
}

static kan_status keep_codes(kan_gather *g, gathered_block *block, uint32_t *const *codes) {
    const kan_encoder *encoders = g->encoders + block->worker * g->n_encoded;
    size_t bytes = 0;
    KAN_TRY(kan_alloc(g->run, g->n_encoded, 1, &block->width));
    for (size_t i = 0; i < g->n_encoded; i++) {
        block->width[i] = (uint8_t)kan_code_width(encoders[i].n);
        bytes += packed_bytes(block->n_rows, block->width[i]);
    }
    KAN_TRY(kan_spill_alloc(g->run, bytes, 1, &block->codes));
    char *out = block->codes;
    for (size_t i = 0; block->n_rows && i < g->n_encoded; i++) {
        pack_codes(codes[i], block->n_rows, block->width[i], out);
        out += packed_bytes(block->n_rows, block->width[i]);
    }
    kan_spill_done(g->run, block->codes, bytes);
    return KAN_OK;
}

kan_status kan_gather_block(kan_gather *g, size_t index, unsigned worker, size_t n_rows,
                            uint32_t *const *codes) {
    if (g->plan.n_blocks == 0) {
        KAN_ASSERT(index == g->n_blocks);
        KAN_TRY(kan_reserve(g->run, index + 1, sizeof *g->blocks, &g->capacity, &g->blocks));
        g->blocks[g->n_blocks++] = (gathered_block){0};
    }
    gathered_block *block = &g->blocks[index];
    block->worker = worker;
    block->n_rows = n_rows;
    return g->n_encoded ? keep_codes(g, block, codes) : KAN_OK;
}

/* ---- the table ------------------------------------------------------------------------------ */

static kan_status join_task(void *context, size_t task, unsigned worker) {
    kan_gather *g = context;
    kan_column *column = &g->table->columns[g->encoded[task]];
    const unsigned n_workers = g->plan.n_workers;
    (void)worker;
    KAN_TRY(kan_dictionary_build(g->run, &g->encoders[task], n_workers, g->n_encoded,
                                 &g->maps[task * n_workers], &column->dictionary));
    for (unsigned w = 0; w < n_workers; w++)
        kan_encoder_destroy(&g->encoders[w * g->n_encoded + task]);
    column->width = kan_code_width(column->dictionary.n);
    KAN_TRY(kan_spill_alloc(g->run, g->n_rows, column->width, &column->codes));
    column->n_rows = g->n_rows;
    column->is_encoded = true;
    return KAN_OK;
}

static void map_block(kan_gather *g, gathered_block *block) {
    const char *codes = block->codes;
    for (size_t i = 0; i < g->n_encoded; i++) {
        kan_column *column = &g->table->columns[g->encoded[i]];
        char *out = (char *)column->codes + block->first_row * column->width;
        kan_codes_map(codes, block->width[i], g->maps[i * g->plan.n_workers + block->worker],
                      block->n_rows, out, column->width);
        codes += packed_bytes(block->n_rows, block->width[i]);
    }
    block_free(g->run, block);
}

/* Neighbouring blocks, so that what is written of a column is worth dropping. */
static kan_status map_task(void *context, size_t task, unsigned worker) {
    kan_gather *g = context;
    size_t first = task * g->n_mapped, end = first + g->n_mapped;
    uint64_t n_rows = 0;
    (void)worker;
    end = end < g->n_blocks ? end : g->n_blocks;
    for (size_t i = first; i < end; i++) {
        map_block(g, &g->blocks[i]);
        n_rows += g->blocks[i].n_rows;
    }
    kan_table_done(g->table, g->blocks[first].first_row, n_rows);
    return KAN_OK;
}

static kan_status count_rows(kan_gather *g) {
    for (size_t i = 0; i < g->n_blocks; i++) {
        g->blocks[i].first_row = g->n_rows;
        g->n_rows += g->blocks[i].n_rows;
    }
    if (g->n_rows == 0)
        return kan_fail(g->run, KAN_BAD_INPUT,
                        "%s: a header but no rows; a table needs at least one row", g->plan.name);
    return KAN_OK;
}

static kan_status fill_columns(kan_gather *g) {
    const unsigned n_workers = g->plan.n_workers;
    KAN_TRY(kan_alloc_zero(g->run, g->n_encoded * n_workers, sizeof *g->maps, &g->maps));
    KAN_TRY(kan_parallel(g->run, g->n_encoded, join_task, g));
    g->n_mapped = g->n_blocks / BLOCKS_PER_THREAD / kan_run_threads(g->run);
    g->n_mapped = g->n_mapped > MOST_MAPPED ? MOST_MAPPED : g->n_mapped;
    g->n_mapped = g->n_mapped < 1 ? 1 : g->n_mapped;
    return kan_parallel(g->run, (g->n_blocks + g->n_mapped - 1) / g->n_mapped, map_task, g);
}

kan_status kan_gather_finish(kan_gather *g, kan_table **out) {
    KAN_TRY(count_rows(g));
    KAN_TRY(kan_table_make(g->run, g->plan.n_columns, g->plan.columns, &g->table));
    g->table->n_rows = g->n_rows;
    if (g->n_encoded > 0)
        KAN_TRY(fill_columns(g));
    *out = g->table;
    g->table = NULL;
    return KAN_OK;
}
