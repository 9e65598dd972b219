/* The fast walk.
 *
 * 64 bytes become masks of separators, line feeds, quotes and carriage returns (csv_scan.h). A
 * running exclusive-or over the quotes tells which bytes lie inside quotes; the remaining
 * separators and line feeds end the fields, and the walk goes from one set bit to the next. What
 * cannot be in well-formed CSV (a quote that opens in the middle of a field, text behind a closing
 * one, a carriage return that ends no line) shows in the masks as well: then the careful reader
 * takes over at the record in hand, and it decides and names the fault.
 *
 * Blocks without a quote or carriage return take a shorter way with the same steps: about 1 ns per
 * 16 bytes for the masks and 3 to 5 ns per encoded field. Scratch per thread: 4 bytes per row of
 * the block and encoded column. */
#include "io/csv/csv_walk.h"

#include "io/csv/csv_scan.h"

typedef enum { WALK_ENCODE, WALK_LOCATE } walk_purpose;

enum {
    CHUNK = 64,
    BATCH_ROWS = 256,      /* rows that are taken at a time: their bytes fit the first cache */
    BATCH_BYTES = 1 << 30, /* and their ends 32 bits */
    LARGE_TABLE = 1 << 16, /* slots of an encoder that the second cache does not hold */
    ROWS_AHEAD = 32,
};

void kan_csv_walk_init(kan_csv_walk *walk, kan_run *run, char separator, size_t n_columns) {
    *walk = (kan_csv_walk){.bytes = "", .separator = separator, .n_columns = n_columns};
    kan_csv_cursor_init(&walk->cursor, run, "", 0, separator);
    kan_text_init(&walk->unquoted, run);
}

void kan_csv_walk_show(kan_csv_walk *walk, const char *bytes, size_t base, size_t size) {
    walk->bytes = walk->cursor.bytes = bytes;
    walk->size = walk->cursor.size = size;
    walk->base = base;
}

void kan_csv_walk_destroy(kan_csv_walk *walk) {
    for (size_t i = 0; walk->codes && i < walk->n_wanted; i++)
        kan_free(walk->cursor.run, walk->codes[i]);
    kan_free(walk->cursor.run, walk->codes);
    kan_free(walk->cursor.run, walk->ends);
    kan_free(walk->cursor.run, walk->places);
    kan_window_free(&walk->window, walk->cursor.run);
    kan_csv_cursor_destroy(&walk->cursor);
    kan_text_destroy(&walk->unquoted);
}

/* ---- where blocks begin --------------------------------------------------------------------- */

static inline uint64_t match(const kan_chunk *chunk, const char *bytes, char byte,
                             bool is_portable) {
    return is_portable ? kan_mask_portable(bytes, byte) : kan_chunk_match(chunk, byte);
}

static inline __attribute__((always_inline)) void survey(const char *bytes, kan_csv_block *block,
                                                         bool is_portable) {
    const size_t size = block->end - block->begin;
    uint64_t quotes = 0, odd = 0, returns = 0;
    block->nul_at = SIZE_MAX;
    for (size_t at = 0; at < size; at += CHUNK) {
        kan_chunk chunk = kan_chunk_load(bytes + at);
        size_t left = size - at;
        uint64_t valid = left < CHUNK ? (UINT64_C(1) << left) - 1 : ~UINT64_C(0);
        uint64_t quote = match(&chunk, bytes + at, '"', is_portable) & valid;
        uint64_t nul = match(&chunk, bytes + at, '\0', is_portable) & valid;
        quotes |= quote;
        odd ^= quote; /* the parity of a sum is the parity of the exclusive-or */
        returns |= match(&chunk, bytes + at, '\r', is_portable) & valid;
        if (nul && block->nul_at == SIZE_MAX)
            block->nul_at = block->begin + at + (size_t)__builtin_ctzll(nul);
    }
    block->has_quote_or_cr = (quotes | returns) != 0;
    block->has_odd_quotes = __builtin_parityll(odd);
}

/* Where the first record begins, for either way the block may begin: behind the first line feed
 * with an even number of quotes before it, and with an odd one. */
static void find_starts(const char *bytes, bool is_first, kan_csv_block *block) {
    const size_t size = block->end - block->begin;
    bool is_found[2] = {is_first, false};
    unsigned parity = 0;
    block->start_if[0] = is_first ? block->begin : block->end;
    block->start_if[1] = block->end;
    for (size_t at = 0; at < size && !(is_found[0] && is_found[1]); at++) {
        if (is_found[parity]) { /* nothing is looked for before the next quote */
            const char *quote = block->has_quote_or_cr ? memchr(bytes + at, '"', size - at) : NULL;
            if (!quote)
                return;
            at = (size_t)(quote - bytes);
        }
        parity ^= bytes[at] == '"';
        if (bytes[at] == '\n' && !is_found[parity]) {
            block->start_if[parity] = block->begin + at + 1;
            is_found[parity] = true;
        }
    }
}

void kan_csv_block_survey(const char *bytes, bool is_first, bool is_portable,
                          kan_csv_block *block) {
    if (is_portable)
        survey(bytes, block, true);
    else
        survey(bytes, block, false);
    find_starts(bytes, is_first, block);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Room for `more` rows behind those that the walk has. */
static kan_status make_room(kan_csv_walk *walk, size_t more) {
    kan_run *run = walk->cursor.run;
    if (walk->n_wanted == 0 || walk->n_rows + more <= walk->capacity)
        return KAN_OK;
    size_t rows = walk->capacity * 2 > walk->n_rows + more ? walk->capacity * 2
                                                           : walk->n_rows + more + BATCH_ROWS;
    if (!walk->encoders)
        KAN_TRY(kan_resize(run, rows, walk->n_wanted * sizeof *walk->places, &walk->places));
    if (walk->encoders && !walk->codes)
        KAN_TRY(kan_alloc_zero(run, walk->n_wanted, sizeof *walk->codes, &walk->codes));
    for (size_t i = 0; walk->encoders && i < walk->n_wanted; i++)
        KAN_TRY(kan_resize(run, rows, sizeof **walk->codes, &walk->codes[i]));
    walk->capacity = rows;
    return KAN_OK;
}

static void note_problem(kan_csv_walk *walk, kan_csv_problem problem) {
    if (walk->n_problems < KAN_WALK_PROBLEMS)
        walk->problems[walk->n_problems] = problem;
    walk->n_problems++;
    walk->is_broken |= problem.fault > KAN_CSV_LONE_CR;
}

/* One record of the careful reader. */
static kan_status take_record(kan_csv_walk *walk) {
    const kan_csv_cursor *cursor = &walk->cursor;
    if (cursor->n_fields != walk->n_columns) {
        note_problem(walk, (kan_csv_problem){.fault = KAN_CSV_RAGGED,
                                             .at = cursor->record_at,
                                             .n_fields = cursor->n_fields});
        return KAN_OK;
    }
    KAN_TRY(make_room(walk, 1));
    for (size_t i = 0, out = 0; i < walk->n_columns; i++)
        if (walk->encoders && walk->encoders[i])
            KAN_TRY(kan_encoder_add(walk->encoders[i], cursor->fields[i],
                                    &walk->codes[out++][walk->n_rows]));
        else if (!walk->encoders && walk->is_located[i])
            walk->places[walk->n_rows * walk->n_wanted + out++] = cursor->raw[i];
    walk->n_rows++;
    return KAN_OK;
}

/* From the record at `at` on to the end of the block, one by one. */
static kan_status walk_carefully(kan_csv_walk *walk, size_t at, size_t end) {
    walk->cursor.at = at;
    while (walk->cursor.at < end && !walk->is_broken) {
        KAN_TRY(kan_csv_cursor_next(&walk->cursor));
        if (walk->cursor.problem.fault != KAN_CSV_FINE)
            note_problem(walk, walk->cursor.problem);
        else
            KAN_TRY(take_record(walk));
    }
    return KAN_OK;
}

/* A record that the walk cannot take as a row: the careful reader counts its fields. */
static __attribute__((noinline)) kan_status reread_record(kan_csv_walk *walk, size_t at) {
    return walk_carefully(walk, at, at + 1);
}

/* ---- the walk ------------------------------------------------------------------------------- */

/* What one chunk hands to the next. */
typedef struct {
    uint64_t inside; /* all bits set: the chunk begins inside quotes */
    uint64_t after_end, after_close, after_return;
} walk_carry;

/* The ends of the fields in a chunk, and those of them that end a record. False when there is
 * something for the careful reader. */
static inline __attribute__((always_inline)) bool find_ends(const kan_csv_walk *walk, size_t base,
                                                            bool is_portable, bool is_plain,
                                                            walk_carry *carry, uint64_t *ends,
                                                            uint64_t *line_ends) {
    const char *bytes = walk->bytes + base;
    kan_chunk chunk = kan_chunk_load(bytes);
    uint64_t separator = match(&chunk, bytes, walk->separator, is_portable);
    uint64_t feed = match(&chunk, bytes, '\n', is_portable);
    if (is_plain) { /* the chunk lies before the end of the file */
        *ends = separator | feed;
        *line_ends = feed;
        return true;
    }
    uint64_t quote = match(&chunk, bytes, '"', is_portable);
    uint64_t cr = match(&chunk, bytes, '\r', is_portable);
    size_t left = walk->size - base;
    uint64_t file_end = 0;
    if (left < CHUNK) {
        file_end = UINT64_C(1) << left; /* it ends a line as a line feed does */
        separator &= file_end - 1;
        feed &= file_end - 1;
        quote &= file_end - 1;
        cr &= file_end - 1;
    }
    uint64_t inside = kan_prefix_xor(quote) ^ carry->inside;
    uint64_t opens = quote & inside, closes = quote & ~inside;
    uint64_t returns = cr & ~inside;
    uint64_t line = (feed | file_end) & ~inside, end = (separator & ~inside) | line;
    uint64_t after_end = end << 1 | carry->after_end;
    uint64_t after_close = closes << 1 | carry->after_close;
    uint64_t after_return = returns << 1 | carry->after_return;
    uint64_t wrong = (opens & ~(after_end | after_close)) |
                     (after_close & ~(end | quote | returns)) | (after_return & ~feed);
    carry->inside = (uint64_t)0 - (inside >> 63);
    carry->after_end = end >> 63;
    carry->after_close = closes >> 63;
    carry->after_return = returns >> 63;
    *ends = end;
    *line_ends = line;
    return wrong == 0;
}

/* Writes the places of the set bits, four at a time: up to three more than there are. */
static inline __attribute__((always_inline)) void put_bits(uint32_t *out, uint64_t bits, unsigned n,
                                                           uint32_t base) {
    const uint64_t top = UINT64_C(1) << 63; /* so that the last ones are defined as well */
    for (unsigned done = 0; done < n; done += 4) {
        out[done] = base + (uint32_t)__builtin_ctzll(bits | top);
        bits &= bits - 1;
        out[done + 1] = base + (uint32_t)__builtin_ctzll(bits | top);
        bits &= bits - 1;
        out[done + 2] = base + (uint32_t)__builtin_ctzll(bits | top);
        bits &= bits - 1;
        out[done + 3] = base + (uint32_t)__builtin_ctzll(bits | top);
        bits &= bits - 1;
    }
}

/* A batch: records one after the other, all with as many fields as the header. */
typedef struct {
    size_t origin;        /* of its first record; ends are counted from here */
    const uint32_t *ends; /* of the fields; the one before the first is -1 */
    size_t n_rows;
} row_batch;

/* The field of a row, as it stands in the file; a carriage return before the line feed is not part
 * of it. */
static inline __attribute__((always_inline)) kan_csv_field batch_field(const kan_csv_walk *walk,
                                                                       const row_batch *batch,
                                                                       size_t row, size_t column,
                                                                       bool is_plain) {
    const uint32_t *end = batch->ends + row * walk->n_columns + column;
    uint32_t start = end[-1] + 1, stop = *end;
    if (!is_plain && column + 1 == walk->n_columns && stop > start &&
        walk->bytes[batch->origin + stop - 1] == '\r')
        stop--;
    return (kan_csv_field){batch->origin + start, stop - start};
}

/* The codes of one column's fields in a batch. The hot loop: on its own, so that its variables stay
 * in registers, and column by column, so that one small table is in use at a time. */
static __attribute__((noinline)) kan_status encode_plain(const char *origin, const uint32_t *end,
                                                         size_t n_columns, size_t n_rows,
                                                         kan_encoder *encoder, uint32_t *out) {
    for (size_t row = 0; row < n_rows; row++, end += n_columns) {
        uint32_t start = end[-1] + 1;
        uint32_t code = kan_encoder_find(encoder, origin + start, *end - start);
        if (__builtin_expect(code == KAN_CODE_LIMIT, 0))
            KAN_TRY(kan_encoder_insert(encoder, origin + start, *end - start, &code));
        out[row] = code;
    }
    return KAN_OK;
}

/* The same for a column with so many values that no cache holds its table: what a few rows will most likely touch
 * is called for before they are looked up. Hints alone; nothing is decided here. */
static __attribute__((noinline)) kan_status encode_many(const char *origin, const uint32_t *end,
                                                        size_t n_columns, size_t n_rows,
                                                        kan_encoder *encoder, uint32_t *out) {
    for (size_t row = 0; row < n_rows; row += ROWS_AHEAD) {
        const size_t n = n_rows - row < ROWS_AHEAD ? n_rows - row : ROWS_AHEAD;
        for (size_t i = row; i < row + n; i++) {
            const uint32_t *const stop = end + i * n_columns;
            const uint32_t start = stop[-1] + 1;
            const kan_encoder_key key = kan_encoder_key_of(origin + start, *stop - start);
            __builtin_prefetch(&encoder->slots[kan_encoder_hash_key(key) >> encoder->shift]);
        }
        KAN_TRY(encode_plain(origin, end + row * n_columns, n_columns, n, encoder, out + row));
    }
    return KAN_OK;
}

static __attribute__((noinline)) kan_status encode_full(kan_csv_walk *walk, const row_batch *batch,
                                                        size_t column, uint32_t *out) {
    kan_encoder *encoder = walk->encoders[column];
    for (size_t row = 0; row < batch->n_rows; row++) {
        kan_csv_field field = batch_field(walk, batch, row, column, false);
        kan_slice value = {walk->bytes + field.start, field.size};
        if (value.size && value.bytes[0] == '"')
            KAN_TRY(kan_csv_unquote(value.bytes, value.size, &walk->unquoted, &value));
        out[row] = kan_encoder_find(encoder, value.bytes, value.size);
        if (__builtin_expect(out[row] == KAN_CODE_LIMIT, 0))
            KAN_TRY(kan_encoder_insert(encoder, value.bytes, value.size, &out[row]));
    }
    return KAN_OK;
}

static inline __attribute__((always_inline)) kan_status
take_batch(kan_csv_walk *walk, const row_batch *batch, bool is_plain, walk_purpose purpose) {
    if (batch->n_rows == 0)
        return KAN_OK;
    KAN_TRY(make_room(walk, batch->n_rows));
    for (size_t column = 0, out = 0; column < walk->n_columns; column++) {
        if (purpose == WALK_ENCODE && walk->encoders[column]) {
            uint32_t *codes = walk->codes[out++] + walk->n_rows;
            const bool is_large = walk->encoders[column]->mask >= LARGE_TABLE;
            KAN_TRY(is_plain ? (is_large ? encode_many : encode_plain)(
                                   walk->bytes + batch->origin, batch->ends + column,
                                   walk->n_columns, batch->n_rows, walk->encoders[column], codes)
                             : encode_full(walk, batch, column, codes));
        } else if (purpose == WALK_LOCATE && walk->is_located[column]) {
            kan_csv_field *place = walk->places + walk->n_rows * walk->n_wanted + out++;
            for (size_t row = 0; row < batch->n_rows; row++)
                place[row * walk->n_wanted] = batch_field(walk, batch, row, column, is_plain);
        }
    }
    walk->n_rows += batch->n_rows;
    return KAN_OK;
}

/* Walks the records from *record_at on that begin before `end`; *record_at becomes the first that
 * was not taken. The plain walk leaves the last bytes of the block to the full one, as they can
 * belong to a record that ends in another block. */
static inline __attribute__((always_inline)) kan_status
walk_records(kan_csv_walk *walk, size_t *record_at, size_t end, bool is_portable, bool is_plain,
             walk_purpose purpose) {
    row_batch batch = {*record_at, walk->ends + 1, 0};
    uint32_t *ends = walk->ends + 1;
    size_t n_ends = 0, record = *record_at;
    bool is_done = false;
    walk_carry carry = {.after_end = 1};
    uint64_t bits, lines;
    for (size_t base = record; is_plain ? base + CHUNK <= end : base <= walk->size; base += CHUNK) {
        if (!find_ends(walk, base, is_portable, is_plain, &carry, &bits, &lines) ||
            base - record > KAN_RECORD_LIMIT)
            break;
        if (n_ends + CHUNK + 8 > walk->ends_capacity) {
            KAN_TRY(kan_reserve(walk->cursor.run, 1 + n_ends + CHUNK + 8, sizeof *walk->ends,
                                &walk->ends_capacity, &walk->ends));
            batch.ends = ends = walk->ends + 1;
        }
        unsigned n_bits = kan_count_bits(bits);
        put_bits(ends + n_ends, bits, n_bits, (uint32_t)(base - batch.origin));
        for (; lines && !is_done; lines &= lines - 1) {
            uint64_t line = lines & (0 - lines);
            size_t stop = base + (size_t)__builtin_ctzll(line);
            unsigned before = kan_count_bits(bits & (line - 1));
            if (__builtin_expect(n_ends + before + 1 != (batch.n_rows + 1) * walk->n_columns ||
                                     stop - record > KAN_RECORD_LIMIT,
                                 0)) {
                KAN_TRY(take_batch(walk, &batch, is_plain, purpose));
                KAN_TRY(reread_record(walk, record));
                /* The batch begins anew behind the record that was no row. */
                batch.origin = stop + 1;
                batch.n_rows = 0;
                bits &= ~(line | (line - 1));
                n_bits = kan_count_bits(bits);
                n_ends = 0;
                put_bits(ends, bits, n_bits, (uint32_t)(base - batch.origin));
            } else {
                batch.n_rows++;
            }
            record = stop + 1;
            is_done = record >= end || walk->is_broken;
        }
        n_ends += n_bits;
        if (is_done)
            break;
        if (batch.n_rows >= BATCH_ROWS || base - batch.origin > BATCH_BYTES) {
            KAN_TRY(take_batch(walk, &batch, is_plain, purpose));
            /* Ends of the record in hand move to the front. */
            size_t taken = batch.n_rows * walk->n_columns;
            uint32_t moved = (uint32_t)(record - batch.origin);
            for (size_t i = taken; i < n_ends; i++)
                ends[i - taken] = ends[i] - moved;
            n_ends -= taken;
            batch.origin = record;
            batch.n_rows = 0;
        }
    }
    *record_at = record;
    return take_batch(walk, &batch, is_plain, purpose);
}

static inline __attribute__((always_inline)) kan_status
walk_block(kan_csv_walk *walk, const kan_csv_block *block, bool is_portable, walk_purpose purpose) {
    size_t record = block->start;
    if (!block->has_quote_or_cr && record < block->end)
        KAN_TRY(walk_records(walk, &record, block->end, is_portable, true, purpose));
    if (record < block->end && !walk->is_broken)
        KAN_TRY(walk_records(walk, &record, block->end, is_portable, false, purpose));
    if (record < block->end && !walk->is_broken)
        return walk_carefully(walk, record, block->end);
    return KAN_OK;
}

static kan_status walk_as_wanted(kan_csv_walk *walk, const kan_csv_block *block) {
    if (walk->encoders)
        return walk->is_portable ? walk_block(walk, block, true, WALK_ENCODE)
                                 : walk_block(walk, block, false, WALK_ENCODE);
    return walk->is_portable ? walk_block(walk, block, true, WALK_LOCATE)
                             : walk_block(walk, block, false, WALK_LOCATE);
}

kan_status kan_csv_walk_block(kan_csv_walk *walk, const kan_csv_block *block) {
    kan_csv_block shown = *block;
    walk->n_rows = 0;
    walk->n_problems = 0;
    walk->is_broken = false;
    if (block->start >= block->end)
        return KAN_OK;
    KAN_TRY(kan_reserve(walk->cursor.run, 1 + CHUNK + 8, sizeof *walk->ends, &walk->ends_capacity,
                        &walk->ends));
    walk->ends[0] = UINT32_MAX; /* one before the first */
    shown.start -= walk->base;
    shown.end -= walk->base;
    KAN_TRY(walk_as_wanted(walk, &shown));
    for (size_t i = 0; i < walk->n_problems && i < KAN_WALK_PROBLEMS; i++) {
        walk->problems[i].at += walk->base;
        walk->problems[i].opened_at += walk->base;
    }
    return KAN_OK;
}
