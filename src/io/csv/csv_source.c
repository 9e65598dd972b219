/* CSV sources: opening, the separator, the header; and the reading of small files record by record.
 */
#include <inttypes.h>
#include <strings.h>

#include "data/encoder.h"
#include "io/csv/csv_source.h"
#include "io/guard.h"

enum {
    SAMPLE_RECORDS = 32,
    SAMPLE_BYTES = 1 << 18,
    NAME_LIMIT = 1 << 16 /* a longer "name" is a file without line breaks */
};

kan_status kan_csv_check_separator(kan_run *run, char separator) {
    if (separator == '"' || separator == '\n' || separator == '\r')
        return kan_fail(run, KAN_BAD_INPUT,
                        "a quote or line break cannot separate fields; "
                        "choose another separator, such as , ; or tab");
    return KAN_OK;
}

kan_status kan_csv_fail_binary(kan_run *run, const kan_stream *stream, size_t nul_at) {
    kan_csv_lines lines = {0};
    return kan_fail(run, KAN_BAD_INPUT,
                    "%s:%" PRIu64 ": a NUL byte: this is not a text file, or not in this encoding; "
                    "for UTF-16 add --encoding utf-16, else save it as CSV in UTF-8",
                    stream->name, kan_csv_line_of(&lines, stream, nul_at));
}

/* ---- separator ------------------------------------------------------------------------------ */

/* For each candidate: how many stand outside quotes in each of the first records. */
static size_t count_candidates(kan_slice text, size_t counts[SAMPLE_RECORDS][4]) {
    static const char candidates[4] = {',', ';', '\t', '|'};
    bool in_quotes = false;
    size_t record = 0, here[4] = {0};
    for (size_t i = 0; i < text.size && record < SAMPLE_RECORDS; i++) {
        in_quotes ^= text.bytes[i] == '"';
        for (unsigned c = 0; c < 4; c++)
            here[c] += !in_quotes && text.bytes[i] == candidates[c];
        if ((text.bytes[i] == '\n' && !in_quotes) || i + 1 == text.size) {
            memcpy(counts[record++], here, sizeof here);
            memset(here, 0, sizeof here);
        }
    }
    return record;
}

/* The candidate that splits most of the first records as it splits the header; of equals the one
 * that splits into most fields, then the most usual. A comma when none occurs in the header. */
static char detect_separator(kan_slice text) {
    static const char candidates[4] = {',', ';', '\t', '|'};
    size_t counts[SAMPLE_RECORDS][4] = {{0}};
    if (text.size > SAMPLE_BYTES)
        text.size = SAMPLE_BYTES;
    size_t n = count_candidates(text, counts);
    unsigned best = 0;
    size_t best_agreeing = 0;
    for (unsigned c = 0; c < 4 && n > 0; c++) {
        size_t agreeing = 0;
        for (size_t record = 0; record < n; record++)
            agreeing += counts[record][c] == counts[0][c];
        if (counts[0][c] > 0 && (agreeing > best_agreeing ||
                                 (agreeing == best_agreeing && counts[0][c] > counts[0][best]))) {
            best = c;
            best_agreeing = agreeing;
        }
    }
    return candidates[best];
}

/* ---- header --------------------------------------------------------------------------------- */

static kan_status check_name(kan_csv_source *source, kan_slice name, size_t column,
                             kan_encoder *seen, size_t *column_of) {
    char quoted[256];
    uint32_t code;
    if (name.size == 0) {
        kan_problem_add(source->run, "%s:%u: column %zu has no name; give it one",
                        source->stream.name, source->header_line, column + 1);
        return KAN_OK;
    }
    if (name.size > NAME_LIMIT) {
        kan_problem_add(source->run,
                        "%s:%u: the name of column %zu is longer than 64 KiB; is the first line a "
                        "header, and are there line breaks?",
                        source->stream.name, source->header_line, column + 1);
        return KAN_OK;
    }
    uint32_t n = seen->n;
    KAN_TRY(kan_encoder_add(seen, name, &code));
    if (code == n)
        column_of[code] = column;
    else
        kan_problem_add(source->run, "%s:%u: columns %zu and %zu are both named %s; rename one",
                        source->stream.name, source->header_line, column_of[code] + 1, column + 1,
                        kan_quote(name, quoted));
    return KAN_OK;
}

static kan_status take_names(kan_csv_source *source, const kan_csv_cursor *header) {
    kan_encoder seen = {.run = source->run};
    size_t *column_of = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_encoder_init(&seen, source->run));
    KAN_TRY_DONE(kan_alloc(source->run, header->n_fields, sizeof *column_of, &column_of));
    for (size_t i = 0; i < header->n_fields; i++)
        KAN_TRY_DONE(check_name(source, header->fields[i], i, &seen, column_of));
    KAN_TRY_DONE(kan_problems_end(source->run));
    KAN_TRY_DONE(
        kan_arena_alloc(&source->arena, header->n_fields, sizeof *source->names, &source->names));
    for (size_t i = 0; i < header->n_fields; i++)
        KAN_TRY_DONE(kan_arena_copy(&source->arena, header->fields[i].bytes, header->fields[i].size,
                                    &source->names[i]));
    source->n_columns = header->n_fields;
done:
    kan_encoder_destroy(&seen);
    kan_free(source->run, column_of);
    return status;
}

/* Whether the record may go on behind what is shown of it. */
static bool is_cut(const kan_csv_cursor *cursor, const kan_stream *stream) {
    const bool is_at_end =
        cursor->at >= cursor->size || cursor->problem.fault >= KAN_CSV_UNTERMINATED;
    return is_at_end && (cursor->size < stream->size || stream->is_partial) &&
           cursor->size <= KAN_RECORD_LIMIT + 4;
}

/* The header in the first `size` bytes; *is_whole: it ends there. */
static kan_status read_header_in(kan_csv_source *source, kan_slice head, bool *is_whole) {
    kan_csv_cursor cursor;
    kan_csv_lines lines = {0};
    kan_status status;
    kan_csv_cursor_init(&cursor, source->run, head.bytes, head.size, source->separator);
    cursor.at = source->header_at;
    kan_problems_begin(source->run);
    KAN_TRY_DONE(kan_csv_cursor_next(&cursor));
    *is_whole = !is_cut(&cursor, &source->stream);
    if (!*is_whole)
        goto done;
    if (cursor.problem.fault != KAN_CSV_FINE) {
        kan_csv_problem_tell(source->run, &source->stream, source->separator, 0, &cursor.problem,
                             &lines);
        status = kan_problems_end(source->run);
        goto done;
    }
    KAN_TRY_DONE(take_names(source, &cursor));
    source->data_at = cursor.at;
done:
    kan_csv_cursor_destroy(&cursor);
    return status;
}

/* In a table of several columns, line breaks at the end of the file are not rows. In a table of one
 * column each is a row whose value is empty. */
static kan_status find_data_end(kan_csv_source *source, kan_window *window) {
    enum { PIECE = 1 << 16 };
    size_t end = source->stream.size, from = end;
    source->data_end = end;
    while (source->n_columns > 1 && end == from && end > source->data_at) {
        from = end - source->data_at > PIECE ? end - PIECE : source->data_at;
        /* One byte more: a carriage return may stand alone at the edge. */
        const size_t first = from > source->data_at ? from - 1 : from;
        KAN_TRY(kan_window_take(window, &source->stream, first, end));
        const char *bytes = window->bytes;
        while (end > from && bytes[end - 1 - first] == '\n') {
            end--;
            end -= end > first && end > source->data_at && bytes[end - 1 - first] == '\r';
        }
        from = end <= from ? end : from;
        source->data_end = end;
    }
    return KAN_OK;
}

/* ---- opening -------------------------------------------------------------------------------- */

/* A NUL byte in the header, or soon after it, is told at once; kan_csv_read looks at the rest. */
static kan_status check_text(const kan_csv_source *source, kan_slice text) {
    const char *nul = memchr(text.bytes, '\0', text.size);
    return nul ? kan_csv_fail_binary(source->run, &source->stream, (size_t)(nul - text.bytes))
               : KAN_OK;
}

/* The size of a first line that tells spreadsheets the separator: sep=; and no more. 0: it is a
 * header, perhaps with a column of that name. */
static size_t separator_line(kan_slice text, char *separator) {
    if (text.size < 6 || strncasecmp(text.bytes, "sep=", 4) != 0 || text.bytes[4] == '\r' ||
        text.bytes[4] == '\n')
        return 0;
    const size_t end = text.bytes[5] == '\r' ? 6 : 5;
    if (end >= text.size || text.bytes[end] != '\n' || end + 1 == text.size)
        return 0;
    *separator = text.bytes[4];
    return end + 1;
}

/* The separator, once; what a file begins with is looked at in its first bytes. */
static kan_status look_at_head(kan_csv_source *source, kan_slice head, char separator) {
    if (head.size >= 3 && memcmp(head.bytes, "\xef\xbb\xbf", 3) == 0)
        source->header_at = 3;
    if (source->header_at == source->stream.size)
        return kan_fail(source->run, KAN_BAD_INPUT,
                        "%s: the file is empty; a table needs a header line and rows",
                        source->stream.name);
    kan_slice text = {head.bytes + source->header_at, head.size - source->header_at};
    char told = 0;
    const size_t skipped = separator_line(text, &told);
    source->header_at += skipped;
    source->header_line = skipped ? 2 : 1;
    text = (kan_slice){text.bytes + skipped, text.size - skipped};
    source->separator = separator ? separator : told ? told : detect_separator(text);
    return kan_csv_check_separator(source->run, source->separator);
}

static kan_status read_head(kan_csv_source *source, char separator, kan_window *window) {
    kan_stream *stream = &source->stream;
    size_t size = stream->size < SAMPLE_BYTES ? stream->size : SAMPLE_BYTES;
    for (bool is_whole = false; !is_whole;) {
        KAN_TRY(kan_window_take(window, stream, 0, size));
        const kan_slice head = {window->bytes, size};
        if (source->separator == 0) {
            KAN_TRY(check_text(source, head));
            KAN_TRY(look_at_head(source, head, separator));
        }
        KAN_TRY(read_header_in(source, head, &is_whole));
        if (!is_whole && size == stream->size)
            KAN_TRY(kan_stream_complete(stream));
        size = stream->size / 4 < size ? stream->size : size * 4;
    }
    return check_text(source, (kan_slice){window->bytes, source->data_at});
}

static kan_status source_init(kan_csv_source *source, char separator) {
    kan_window window = {.room = NULL};
    kan_status status;
    KAN_TRY_DONE(read_head(source, separator, &window));
    if (!source->stream.is_partial)
        status = find_data_end(source, &window);
done:
    kan_window_free(&window, source->run);
    return status;
}

kan_status kan_csv_complete(kan_csv_source *source) {
    kan_window window = {.room = NULL};
    if (!source->stream.is_partial)
        return KAN_OK;
    KAN_TRY(kan_stream_complete(&source->stream));
    const kan_status status = find_data_end(source, &window);
    kan_window_free(&window, source->run);
    return status;
}

kan_status kan_csv_show_block(const kan_csv_source *source, const kan_csv_block *blocks,
                              size_t n_blocks, size_t index, kan_csv_walk *walk) {
    const kan_csv_block *block = &blocks[index];
    size_t end = source->data_end;
    if (block->start >= block->end)
        return KAN_OK;
    for (size_t i = index + 1; i < n_blocks; i++)
        if (blocks[i].start < blocks[i].end) {
            end = blocks[i].start;
            break;
        }
    /* What reaches further is too long to be a record, which shows in as much of it. */
    if (end - block->end > KAN_RECORD_LIMIT + 2)
        end = block->end + KAN_RECORD_LIMIT + 2;
    KAN_TRY(kan_window_take(&walk->window, &source->stream, block->start, end));
    kan_csv_walk_show(walk, walk->window.bytes, block->start, end - block->start);
    return KAN_OK;
}

/* Takes the stream over, also when it fails. */
static kan_status source_create(kan_run *run, kan_stream stream, char separator,
                                kan_csv_source **out) {
    kan_csv_source *source;
    kan_status status = kan_alloc_zero(run, 1, sizeof *source, &source);
    if (status != KAN_OK) {
        kan_stream_close(&stream);
        return status;
    }
    source->run = run;
    source->stream = stream;
    kan_arena_init(&source->arena, run);
    status = source_init(source, separator);
    if (status != KAN_OK) {
        kan_csv_close(source);
        return status;
    }
    *out = source;
    return KAN_OK;
}

kan_status kan_csv_open_encoded(kan_run *run, const char *path, char separator,
                                kan_stream_encoding encoding, kan_csv_source **out) {
    kan_stream stream;
    KAN_TRY(kan_stream_open_table(run, path, encoding, &stream));
    return source_create(run, stream, separator, out);
}

kan_status kan_csv_open(kan_run *run, const char *path, char separator, kan_csv_source **out) {
    return kan_csv_open_encoded(run, path, separator, (kan_stream_encoding){.name = NULL}, out);
}

kan_status kan_csv_open_bytes(kan_run *run, const char *name, const char *bytes, size_t size,
                              char separator, kan_csv_source **out) {
    kan_stream stream;
    KAN_TRY(kan_stream_open_bytes(run, name, bytes, size, (kan_stream_encoding){.name = NULL},
                                  &stream));
    return source_create(run, stream, separator, out);
}

void kan_csv_close(kan_csv_source *source) {
    if (!source)
        return;
    kan_run *run = source->run;
    kan_stream_close(&source->stream);
    kan_arena_destroy(&source->arena);
    kan_free(run, source->blocks);
    kan_free(run, source);
}

/* ---- guarded tables ------------------------------------------------------------------------- */

kan_status kan_csv_unguard(kan_csv_source *source) {
    source->is_guarded = true;
    for (size_t i = 0; i < source->n_columns; i++) {
        bool is_open = false;
        kan_slice name = kan_guard_undo(kan_slice_of(source->names[i]), &is_open);
        if (is_open)
            return kan_fail(source->run, KAN_BAD_INPUT,
                            "%s:%u: the name of column %zu is not guarded, so a spreadsheet would "
                            "run it; was the table written with --guard-formulas?",
                            source->stream.name, source->header_line, i + 1);
        source->names[i] = name.bytes;
    }
    return KAN_OK;
}

const char *kan_csv_path(const kan_csv_source *source) {
    return source->stream.name;
}

char kan_csv_separator(const kan_csv_source *source) {
    return source->separator;
}

size_t kan_csv_n_columns(const kan_csv_source *source) {
    return source->n_columns;
}

const char *kan_csv_column_name(const kan_csv_source *source, size_t column) {
    return source->names[column];
}

/* ---- record by record ----------------------------------------------------------------------- */

static kan_status visit_records(kan_run *run, const kan_stream *stream, kan_csv_cursor *cursor,
                                kan_csv_record_fn fn, void *context) {
    kan_csv_lines lines = {0};
    while (cursor->at < cursor->size) {
        KAN_TRY(kan_check_cancel(run));
        KAN_TRY(kan_csv_cursor_next(cursor));
        if (cursor->problem.fault != KAN_CSV_FINE)
            kan_csv_problem_tell(run, stream, cursor->separator, 0, &cursor->problem, &lines);
        else
            KAN_TRY(fn(context, kan_csv_line_of(&lines, stream, cursor->record_at), cursor->fields,
                       cursor->n_fields));
    }
    return KAN_OK;
}

/* The first NUL byte; the size when there is none. */
static size_t find_nul(const kan_stream *stream) {
    enum { STEP = 4 << 20 };
    for (size_t at = 0; at < stream->size; at += STEP) {
        size_t left = stream->size - at, size = left < STEP ? left : STEP;
        const char *nul = memchr(stream->bytes + at, '\0', size);
        if (nul)
            return (size_t)(nul - stream->bytes);
        if (size < left) /* what is small is read again at once */
            kan_stream_done(stream, at, at + size);
    }
    return stream->size;
}

kan_status kan_csv_records(kan_run *run, const char *path, char separator, kan_csv_record_fn fn,
                           void *context) {
    kan_stream stream;
    kan_csv_cursor cursor;
    KAN_TRY(kan_csv_check_separator(run, separator));
    KAN_TRY(kan_stream_open(run, path, &stream));
    kan_csv_cursor_init(&cursor, run, stream.bytes, stream.size, separator);
    if (stream.size >= 3 && memcmp(stream.bytes, "\xef\xbb\xbf", 3) == 0)
        cursor.at = 3;
    const size_t nul = find_nul(&stream);
    kan_status status = nul < stream.size ? kan_csv_fail_binary(run, &stream, nul)
                                          : visit_records(run, &stream, &cursor, fn, context);
    kan_csv_cursor_destroy(&cursor);
    kan_stream_close(&stream);
    return status;
}

kan_status kan_csv_walk_records(const kan_csv_source *source, size_t n_bytes, kan_csv_record_fn fn,
                                void *context) {
    kan_window window = {.room = NULL};
    kan_csv_cursor cursor;
    kan_status status = kan_window_take(&window, &source->stream, 0, n_bytes);
    if (status == KAN_OK) {
        kan_csv_cursor_init(&cursor, source->run, window.bytes, n_bytes, source->separator);
        cursor.at = source->header_at;
        status = visit_records(source->run, &source->stream, &cursor, fn, context);
        kan_csv_cursor_destroy(&cursor);
    }
    kan_window_free(&window, source->run);
    return status;
}
