/* Rows, from what a child says of them: words become codes of dictionaries.
 *
 * A number is made a text once for each that occurs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/stat/stat_source.h"

enum { PAD = 64 }; /* bytes that encoders may read behind a text */

typedef struct {
    kan_stat_source *source;
    kan_stat_feed *feed;
    kan_gather *gather;
    const bool *as_is;
    bool is_exact; /* kan_stat_take_exact */
    size_t n_wanted;
    size_t *wanted; /* their columns */
    size_t n_texts;
    size_t *texts; /* which of the wanted are texts */
    uint32_t **codes;
    uint32_t *code_room;
    char *text; /* of the block that comes next */
    size_t text_size, text_capacity;
    size_t n_blocks;
    uint64_t n_rows;
    int64_t declared;
} row_reader;

/* ---- numbers -------------------------------------------------------------------------------- */

/* The number that a text of so many digits says. */
static double with_digits(double number, int digits) {
    char text[KAN_NUMBER_ROOM];
    double again;
    const int size = snprintf(text, sizeof text, "%.*e", digits - 1, number);
    for (int i = 0; i < size; i++)
        if (text[i] == ',') /* a program may have set a locale */
            text[i] = '.';
    return kan_parse_real(text, (size_t)size, &again) ? again : number;
}

/* A float is taken as the shortest decimal that is the same float: 0.1 was meant as 0.1. */
static double widen(double number) {
    for (int digits = 6; digits <= 9; digits++) {
        const double wide = with_digits(number, digits);
        if ((float)wide == (float)number)
            return wide;
    }
    return number;
}

double kan_stat_round_decimal(double number) {
    return with_digits(number, 15);
}

kan_slice kan_stat_number_text(kan_stat_storage storage, const kan_stat_clock *clock, uint64_t word,
                               char *room) {
    double number;
    memcpy(&number, &word, sizeof number);
    if (kan_stat_is_missing(word) || !isfinite(number)) {
        room[0] = '.';
        room[1] = (char)(word & 0xff);
        return (kan_slice){room, kan_stat_is_missing(word) && room[1] ? 2 : 0};
    }
    size_t size = 0;
    if (storage == KAN_STAT_DECIMAL)
        number = kan_stat_round_decimal(number);
    if (clock->type != KAN_FIELD_NUMBER)
        size = kan_stat_clock_text(clock, number, room);
    if (size == 0)
        size = kan_number_text(storage == KAN_STAT_FLOAT ? widen(number) : number, room);
    return (kan_slice){room, size};
}

static bool is_missing_number(const kan_stat_column *column, uint64_t word) {
    double number;
    memcpy(&number, &word, sizeof number);
    if (kan_stat_is_missing(word) || !isfinite(number))
        return true;
    for (size_t i = 0; i < column->field.n_missing; i++)
        if (number >= column->field.missing[i].least && number <= column->field.missing[i].most)
            return true;
    return false;
}

static const kan_stat_entry *find_number(const kan_stat_column *column, uint64_t word) {
    size_t low = 0, high = column->n_entries;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (column->entries[middle].word < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low < column->n_entries && column->entries[low].word == word ? &column->entries[low]
                                                                        : NULL;
}

static const kan_stat_entry *find_text(const kan_stat_column *column, kan_slice text) {
    size_t low = 0, high = column->n_entries;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (kan_slice_compare(column->entries[middle].text, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < column->n_entries && kan_slice_equal(column->entries[low].text, text)
               ? &column->entries[low]
               : NULL;
}

/* A value without a label in a column that shows labels: it shows its code. */
static kan_status lack_label(const kan_stat_source *source, const kan_stat_column *column,
                             kan_slice value) {
    char quoted[256];
    for (size_t i = 0; i < column->n_entries; i++)
        if (kan_slice_equal(column->entries[i].label, value))
            return kan_fail(source->run, KAN_BAD_INPUT,
                            "%s: column '%s': the value %s has no label, and is the label of "
                            "another; use --labels %s=codes",
                            source->stream.name, column->field.name, kan_quote(value, quoted),
                            column->field.name);
    return KAN_OK;
}

kan_status kan_stat_show_number(const kan_stat_source *source, const kan_stat_column *column,
                                uint64_t word, char *room, kan_slice *out) {
    *out = (kan_slice){"", 0};
    if (is_missing_number(column, word))
        return KAN_OK;
    *out = kan_stat_number_text(column->storage, &column->clock, word, room);
    if (!column->field.shows_labels)
        return KAN_OK;
    const kan_stat_entry *entry = find_number(column, word);
    if (!entry)
        return lack_label(source, column, *out);
    *out = entry->label;
    return KAN_OK;
}

/* The same, as it is where that is wanted. */
static kan_status text_of(const row_reader *reader, const kan_stat_column *column, bool is_as_is,
                          uint64_t word, char *room, kan_slice *out) {
    if (!is_as_is)
        return kan_stat_show_number(reader->source, column, word, room, out);
    if (reader->is_exact)
        *out = (kan_slice){memcpy(room, &word, sizeof word), sizeof word};
    else
        *out = kan_stat_number_text(column->storage, &column->clock, word, room);
    return KAN_OK;
}

static kan_status encode_numbers(row_reader *reader, const kan_stat_block *block, size_t at) {
    kan_gather *gather = reader->gather;
    const size_t column = reader->wanted[at];
    const kan_stat_column *of = &reader->source->columns[column];
    const bool is_as_is = reader->as_is && reader->as_is[column];
    uint32_t *codes = reader->codes[at];
    uint64_t last = 0;
    bool has_last = false;
    for (size_t row = 0; row < block->n_rows; row++) {
        const uint64_t word = kan_stat_block_word(block, at, row);
        if (has_last && word == last) {
            codes[row] = codes[row - 1];
            continue;
        }
        uint32_t code = kan_gather_find_word(gather, 0, column, word);
        if (code == KAN_CODE_LIMIT) {
            char room[KAN_STAT_CLOCK_ROOM];
            kan_slice text;
            KAN_TRY(text_of(reader, of, is_as_is, word, room, &text));
            KAN_TRY(kan_gather_add_word(gather, 0, column, word, text, &code));
        }
        codes[row] = code;
        last = word;
        has_last = true;
    }
    return KAN_OK;
}

/* ---- texts ---------------------------------------------------------------------------------- */

static kan_status fail_text(const row_reader *reader, const kan_stat_column *column, size_t row,
                            kan_slice text) {
    char quoted[256];
    return kan_fail(reader->source->run, KAN_BAD_INPUT,
                    "%s: row %llu, column '%s': %s is not in the encoding that the file states; "
                    "name the right one with --encoding, such as windows-1252",
                    reader->source->stream.name, (unsigned long long)(reader->n_rows + row + 1),
                    column->field.name, kan_quote(text, quoted));
}

static bool is_utf8(kan_slice text) {
    for (size_t at = 0, n; at < text.size; at += n)
        if ((n = kan_utf8_length(text.bytes + at, text.size - at)) == 0)
            return false;
    return true;
}

static bool is_missing_text(const kan_stat_column *column, kan_slice text) {
    for (size_t i = 0; i < column->n_missing_texts; i++)
        if (kan_slice_equal(column->missing_texts[i], text))
            return true;
    return text.size == 0;
}

kan_status kan_stat_show_text(const kan_stat_source *source, const kan_stat_column *column,
                              kan_slice *text) {
    if (is_missing_text(column, *text)) {
        text->size = 0;
        return KAN_OK;
    }
    if (!column->field.shows_labels)
        return KAN_OK;
    const kan_stat_entry *entry = find_text(column, *text);
    if (!entry)
        return lack_label(source, column, *text);
    *text = entry->label;
    return KAN_OK;
}

static kan_status encode_text(row_reader *reader, size_t at, size_t row, kan_slice text) {
    const size_t column = reader->wanted[at];
    kan_stat_column *of = &reader->source->columns[column];
    kan_encoder *encoder = kan_gather_encoder(reader->gather, 0, column);
    const bool is_as_is = reader->as_is && reader->as_is[column];
    uint32_t *code = &reader->codes[at][row];
    if (!is_as_is && (of->n_missing_texts > 0 || of->field.shows_labels)) {
        if (!is_utf8(text))
            return fail_text(reader, of, row, text);
        KAN_TRY(kan_stat_show_text(reader->source, of, &text));
        return kan_encoder_add(encoder, text, code);
    }
    *code = kan_encoder_find(encoder, text.bytes, text.size);
    if (*code != KAN_CODE_LIMIT)
        return KAN_OK;
    if (!is_utf8(text))
        return fail_text(reader, of, row, text);
    return kan_encoder_insert(encoder, text.bytes, text.size, code);
}

static kan_status encode_texts(row_reader *reader, const kan_stat_block *block) {
    size_t used = 0;
    for (size_t row = 0; row < block->n_rows; row++)
        for (size_t i = 0; i < reader->n_texts; i++) {
            const uint64_t size = kan_stat_block_word(block, reader->texts[i], row);
            if (size > reader->text_size - used)
                return kan_stat_fail_damaged(reader->source, "its texts are not complete");
            const kan_slice text = {reader->text + used, (size_t)size};
            KAN_TRY(encode_text(reader, reader->texts[i], row, text));
            used += (size_t)size;
        }
    if (used != reader->text_size)
        return kan_stat_fail_damaged(reader->source, "it has more text than rows");
    reader->text_size = 0;
    return KAN_OK;
}

/* ---- blocks --------------------------------------------------------------------------------- */

static kan_status take_block(row_reader *reader, kan_stat_cursor *content) {
    kan_stat_block block;
    if (!kan_stat_take_block(content, reader->n_wanted, &block))
        return kan_stat_fail_damaged(reader->source, "its rows cannot be understood");
    KAN_TRY(encode_texts(reader, &block));
    for (size_t i = 0; i < reader->n_wanted; i++)
        if (reader->source->columns[reader->wanted[i]].storage != KAN_STAT_STRING)
            KAN_TRY(encode_numbers(reader, &block, i));
    KAN_TRY(kan_gather_block(reader->gather, reader->n_blocks++, 0, block.n_rows, reader->codes));
    reader->n_rows += block.n_rows;
    kan_report_units(reader->source->run, "read", "rows", reader->n_rows,
                     reader->declared > 0 ? (uint64_t)reader->declared : 0);
    return KAN_OK;
}

static kan_status take_text(row_reader *reader, kan_stat_cursor *content) {
    const size_t size = reader->text_size + content->left;
    if (size > KAN_STAT_TEXT_MOST * 2)
        return kan_stat_fail_damaged(reader->source, "a text is too long");
    KAN_TRY(kan_reserve(reader->source->run, size + PAD, 1, &reader->text_capacity, &reader->text));
    memcpy(reader->text + reader->text_size, content->at, content->left);
    reader->text_size = size;
    return KAN_OK;
}

/* The end says how many rows there were, how many the file says it has, and columns. */
static kan_status take_end(const row_reader *reader, kan_stat_cursor *content) {
    const uint64_t n_rows = kan_stat_take_u64(content);
    const int64_t declared = (int64_t)kan_stat_take_u64(content);
    const uint64_t n_columns = kan_stat_take_u64(content);
    char said[32], came[32];
    if (content->is_broken || n_rows != reader->n_rows || reader->text_size > 0)
        return kan_stat_fail_damaged(reader->source, "its rows are not complete");
    if (n_columns != reader->source->n_columns)
        return kan_fail(reader->source->run, KAN_FAILED,
                        "%s: the file has changed since it was opened; start again",
                        reader->source->stream.name);
    if (declared >= 0 && (uint64_t)declared != n_rows)
        return kan_fail(reader->source->run, KAN_BAD_INPUT,
                        "%s: the file says that it has %s %s, and has %s; it is damaged or not "
                        "complete: get it again from its source",
                        reader->source->stream.name, kan_count_text((uint64_t)declared, said),
                        kan_plural((uint64_t)declared, "row", "rows"),
                        kan_count_text(n_rows, came));
    return KAN_OK;
}

static kan_status take_shape(row_reader *reader, kan_stat_cursor *content) {
    reader->declared = (int64_t)kan_stat_take_u64(content);
    return KAN_OK;
}

static kan_status take_frames(row_reader *reader, kan_table **out) {
    for (;;) {
        kan_stat_frame kind;
        kan_stat_cursor content;
        KAN_TRY(kan_stat_next_frame(reader->source, reader->feed, &kind, &content));
        if (kind == KAN_STAT_SHAPE)
            KAN_TRY(take_shape(reader, &content));
        else if (kind == KAN_STAT_TEXT)
            KAN_TRY(take_text(reader, &content));
        else if (kind == KAN_STAT_BLOCK)
            KAN_TRY(take_block(reader, &content));
        else if (kind != KAN_STAT_END)
            return kan_stat_fail_damaged(reader->source, "its reader gives columns among rows");
        if (kind == KAN_STAT_END) {
            KAN_TRY(take_end(reader, &content));
            return kan_gather_finish(reader->gather, out);
        }
    }
}

/* ---- all of it ------------------------------------------------------------------------------ */

static kan_status prepare(row_reader *reader, const bool *encode) {
    kan_stat_source *source = reader->source;
    kan_run *run = source->run;
    const kan_gather_plan plan = {.name = source->stream.name,
                                  .n_columns = source->n_columns,
                                  .columns = source->names,
                                  .fields = source->fields,
                                  .encode = encode,
                                  .as_is = reader->as_is,
                                  .n_workers = 1};
    KAN_TRY(kan_alloc(run, source->n_columns, sizeof *reader->wanted, &reader->wanted));
    KAN_TRY(kan_alloc(run, source->n_columns, sizeof *reader->texts, &reader->texts));
    KAN_TRY(kan_alloc(run, source->n_columns, sizeof *reader->codes, &reader->codes));
    for (size_t i = 0; i < source->n_columns; i++) {
        if (!encode[i])
            continue;
        if (source->columns[i].storage == KAN_STAT_STRING)
            reader->texts[reader->n_texts++] = reader->n_wanted;
        reader->wanted[reader->n_wanted++] = i;
    }
    const size_t n_rows = kan_stat_block_rows(reader->n_wanted);
    KAN_TRY(
        kan_alloc(run, reader->n_wanted * n_rows, sizeof *reader->code_room, &reader->code_room));
    for (size_t i = 0; i < reader->n_wanted; i++)
        reader->codes[i] = reader->code_room + i * n_rows;
    KAN_TRY(kan_reserve(run, PAD, 1, &reader->text_capacity, &reader->text));
    return kan_gather_begin(run, &plan, &reader->gather);
}

/* Once per column: why it shows codes although its user may expect labels. */
static void tell_twins(const row_reader *reader) {
    for (size_t i = 0; i < reader->n_wanted; i++) {
        kan_stat_column *column = &reader->source->columns[reader->wanted[i]];
        if (!column->has_twins || column->is_told || column->showing == KAN_STAT_CODES ||
            (reader->as_is && reader->as_is[reader->wanted[i]]))
            continue;
        column->is_told = true;
        kan_note(reader->source->run,
                 "column '%s' is read by its codes: two of them have the same label",
                 column->field.name);
    }
}

static kan_status take_all(row_reader *reader, const bool *encode, kan_table **out) {
    kan_run *run = reader->source->run;
    kan_status status;
    KAN_TRY_DONE(prepare(reader, encode));
    KAN_TRY_DONE(take_frames(reader, out));
    tell_twins(reader);
done:
    kan_gather_free(reader->gather);
    kan_free(run, reader->wanted);
    kan_free(run, reader->texts);
    kan_free(run, reader->codes);
    kan_free(run, reader->code_room);
    kan_free(run, reader->text);
    return status;
}

kan_status kan_stat_take_rows(kan_stat_source *source, kan_stat_feed *feed, const bool *encode,
                              const bool *as_is, kan_table **out) {
    row_reader reader = {.source = source, .feed = feed, .as_is = as_is, .declared = -1};
    return take_all(&reader, encode, out);
}

kan_status kan_stat_take_exact(kan_stat_source *source, kan_stat_feed *feed, const bool *encode,
                               kan_table **out) {
    row_reader reader = {
        .source = source, .feed = feed, .as_is = encode, .is_exact = true, .declared = -1};
    return take_all(&reader, encode, out);
}
