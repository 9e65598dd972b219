/* The careful reader: a scan to the end of the record first, then its values. About 1 ns per byte;
 * it reads headers, hierarchies, and what is malformed. */
#include "io/csv/csv_record.h"

#include <inttypes.h>
#include <string.h>

void kan_csv_cursor_init(kan_csv_cursor *cursor, kan_run *run, const char *bytes, size_t size,
                         char separator) {
    *cursor = (kan_csv_cursor){.run = run, .bytes = bytes, .size = size, .separator = separator};
    kan_text_init(&cursor->unquoted, run);
}

void kan_csv_cursor_destroy(kan_csv_cursor *cursor) {
    kan_free(cursor->run, cursor->raw);
    kan_free(cursor->run, cursor->fields);
    kan_text_destroy(&cursor->unquoted);
}

/* The first fault of a record counts, unless a graver one follows. */
static void note_fault(kan_csv_cursor *cursor, kan_csv_fault fault, size_t at, size_t opened_at) {
    if (fault > cursor->problem.fault)
        cursor->problem = (kan_csv_problem){.fault = fault, .at = at, .opened_at = opened_at};
}

/* Whether the line ends at `at`; its end is `*next`. The end of the file ends a line. */
static bool line_ends(const kan_csv_cursor *cursor, size_t at, size_t *next) {
    if (at >= cursor->size) {
        *next = cursor->size;
        return true;
    }
    if (cursor->bytes[at] == '\n') {
        *next = at + 1;
        return true;
    }
    if (cursor->bytes[at] == '\r' && at + 1 < cursor->size && cursor->bytes[at + 1] == '\n') {
        *next = at + 2;
        return true;
    }
    return false;
}

/* The end of a field in quotes that begins at `at`: behind its closing quote. 0 on a fault. */
static size_t quoted_end(kan_csv_cursor *cursor, size_t at, size_t limit) {
    size_t opened_at = at++, next;
    for (;;) {
        const char *quote = at < limit ? memchr(cursor->bytes + at, '"', limit - at) : NULL;
        if (!quote) {
            if (limit < cursor->size)
                note_fault(cursor, KAN_CSV_TOO_LONG, cursor->record_at, opened_at);
            else
                note_fault(cursor, KAN_CSV_UNTERMINATED, opened_at, opened_at);
            return 0;
        }
        at = (size_t)(quote - cursor->bytes) + 1;
        if (at < cursor->size && cursor->bytes[at] == '"')
            at++; /* a doubled quote stands for one */
        else
            break;
    }
    if (!line_ends(cursor, at, &next) && cursor->bytes[at] != cursor->separator) {
        /* A carriage return that ends no line is a fault of its own kind. */
        note_fault(cursor, cursor->bytes[at] == '\r' ? KAN_CSV_LONE_CR : KAN_CSV_TEXT_AFTER_QUOTE,
                   at, opened_at);
        if (cursor->problem.fault > KAN_CSV_LONE_CR)
            return 0;
        for (; !line_ends(cursor, at, &next) && cursor->bytes[at] != cursor->separator; at++)
            if (cursor->bytes[at] != '\r') {
                note_fault(cursor, KAN_CSV_TEXT_AFTER_QUOTE, at, opened_at);
                return 0;
            }
    }
    return at;
}

/* The end of a field without quotes. 0 on a fault. */
static size_t unquoted_end(kan_csv_cursor *cursor, size_t at, size_t limit) {
    size_t next;
    for (; at < limit; at++) {
        char byte = cursor->bytes[at];
        if (byte == cursor->separator || byte == '\n')
            return at;
        if (byte == '\r') {
            if (line_ends(cursor, at, &next))
                return at;
            note_fault(cursor, KAN_CSV_LONE_CR, at, at);
        } else if (byte == '"') {
            note_fault(cursor, KAN_CSV_QUOTE_INSIDE, at, at);
            return 0;
        }
    }
    if (at < cursor->size) {
        note_fault(cursor, KAN_CSV_TOO_LONG, cursor->record_at, at);
        return 0;
    }
    return at;
}

static kan_status scan_record(kan_csv_cursor *cursor) {
    /* One more than the limit, so that a record of exactly the limit passes. */
    size_t left = cursor->size - cursor->record_at;
    size_t limit =
        left > KAN_RECORD_LIMIT ? cursor->record_at + KAN_RECORD_LIMIT + 1 : cursor->size;
    size_t start = cursor->record_at, next = 0;
    for (;;) {
        bool is_quoted = start < cursor->size && cursor->bytes[start] == '"';
        size_t end =
            is_quoted ? quoted_end(cursor, start, limit) : unquoted_end(cursor, start, limit);
        if (cursor->problem.fault > KAN_CSV_LONE_CR)
            return KAN_OK;
        KAN_TRY(kan_reserve(cursor->run, cursor->n_fields + 1, sizeof *cursor->raw,
                            &cursor->raw_capacity, &cursor->raw));
        cursor->raw[cursor->n_fields++] = (kan_csv_field){start, end - start};
        if (line_ends(cursor, end, &next))
            break;
        start = end + 1;
    }
    /* The same measure as the fast walk takes: up to the line feed. */
    size_t line_end = next > cursor->record_at && cursor->bytes[next - 1] == '\n' ? next - 1 : next;
    if (line_end - cursor->record_at > KAN_RECORD_LIMIT)
        note_fault(cursor, KAN_CSV_TOO_LONG, cursor->record_at, line_end);
    cursor->at = next;
    return KAN_OK;
}

kan_status kan_csv_unquote(const char *bytes, size_t size, kan_text *room, kan_slice *out) {
    if (size < 2 || bytes[0] != '"') {
        *out = (kan_slice){bytes, size};
        return KAN_OK;
    }
    bytes++;
    size -= 2;
    if (!size || !memchr(bytes, '"', size)) {
        *out = (kan_slice){bytes, size};
        return KAN_OK;
    }
    room->size = 0;
    for (const char *end = bytes + size; bytes < end;) {
        const char *quote = memchr(bytes, '"', (size_t)(end - bytes));
        const char *stop = quote ? quote + 1 : end;
        kan_text_add(room, bytes, (size_t)(stop - bytes));
        bytes = quote ? quote + 2 : end;
    }
    /* room for reading whole words, see kan_encoder_find */
    size_t used = room->size;
    kan_text_add(room, "\0\0\0\0\0\0\0", 8);
    KAN_TRY(kan_text_status(room));
    room->size = used;
    *out = (kan_slice){room->bytes, used};
    return KAN_OK;
}

/* The values of the record's fields. Those with doubled quotes are gathered in one text, whose
 * bytes may move while it grows: they get their addresses at the end. */
static kan_status take_values(kan_csv_cursor *cursor) {
    KAN_TRY(kan_reserve(cursor->run, cursor->n_fields, sizeof *cursor->fields,
                        &cursor->fields_capacity, &cursor->fields));
    kan_text one;
    kan_text_init(&one, cursor->run);
    cursor->unquoted.size = 0;
    kan_status status = KAN_OK;
    for (size_t i = 0; i < cursor->n_fields; i++) {
        kan_slice value;
        KAN_TRY_DONE(kan_csv_unquote(cursor->bytes + cursor->raw[i].start, cursor->raw[i].size,
                                     &one, &value));
        if (value.size && value.bytes == one.bytes) {
            kan_text_add(&cursor->unquoted, value.bytes, value.size);
            value.bytes = NULL;
        }
        cursor->fields[i] = value;
    }
    KAN_TRY_DONE(kan_text_status(&cursor->unquoted));
    size_t used = 0;
    for (size_t i = 0; i < cursor->n_fields; i++)
        if (!cursor->fields[i].bytes) {
            cursor->fields[i].bytes = cursor->unquoted.bytes + used;
            used += cursor->fields[i].size;
        }
done:
    kan_text_destroy(&one);
    return status;
}

kan_status kan_csv_cursor_next(kan_csv_cursor *cursor) {
    cursor->problem = (kan_csv_problem){KAN_CSV_FINE, 0, 0, 0};
    cursor->record_at = cursor->at;
    cursor->n_fields = 0;
    KAN_TRY(scan_record(cursor));
    if (cursor->problem.fault == KAN_CSV_FINE)
        return take_values(cursor);
    if (cursor->problem.fault > KAN_CSV_LONE_CR) {
        size_t at = cursor->problem.at;
        const char *end = memchr(cursor->bytes + at, '\n', cursor->size - at);
        cursor->at = end ? (size_t)(end - cursor->bytes) + 1 : cursor->size;
        if (cursor->problem.fault >= KAN_CSV_UNTERMINATED)
            cursor->at = cursor->size;
    }
    cursor->n_fields = 0;
    return KAN_OK;
}

/* ---- messages ------------------------------------------------------------------------------- */

/* Counts the line feeds up to `at`; lines->at comes to stand behind the last of them. */
static void count_lines(kan_csv_lines *lines, const char *bytes, size_t base, size_t at) {
    while (lines->at < at) {
        const char *end = memchr(bytes + (lines->at - base), '\n', at - lines->at);
        if (!end)
            return;
        lines->at = base + (size_t)(end - bytes) + 1;
        lines->line++;
    }
}

uint64_t kan_csv_line_of(kan_csv_lines *lines, const kan_stream *stream, size_t at) {
    enum { PIECE = 4 << 20 };
    kan_window window = {.room = NULL};
    if (lines->line == 0)
        lines->line = 1;
    for (size_t from = lines->at; from < at;) {
        const size_t end = at - from < PIECE ? at : from + PIECE;
        /* Without the line a message still says what is wrong; a changed file is told elsewhere. */
        if (kan_window_take(&window, stream, from, end) != KAN_OK)
            break;
        lines->at = from > lines->at ? from : lines->at;
        count_lines(lines, window.bytes, from, end);
        if (end < at)
            kan_stream_done(stream, from, end);
        from = end;
    }
    kan_window_free(&window, stream->run);
    return lines->line;
}

static const char *separator_name(char separator, char room[8]) {
    switch (separator) {
    case ',':
        return "comma";
    case ';':
        return "semicolon";
    case '\t':
        return "tab";
    case '|':
        return "bar";
    default:
        memcpy(room, "' '", 4);
        room[1] = separator;
        return separator > ' ' && separator < 0x7f ? room : "separator";
    }
}

static void tell_ragged(kan_run *run, const char *name, uint64_t line, char separator,
                        size_t n_columns, size_t n_fields) {
    char room[8];
    const char *s = n_fields == 1 ? "" : "s";
    if (n_fields > n_columns)
        kan_problem_add(run, "%s:%" PRIu64 ": %zu field%s, the header has %zu; is a %s unquoted?",
                        name, line, n_fields, s, n_columns, separator_name(separator, room));
    else
        kan_problem_add(run,
                        "%s:%" PRIu64 ": %zu field%s, the header has %zu; is a field missing, or "
                        "the line broken?",
                        name, line, n_fields, s, n_columns);
}

void kan_csv_problem_tell(kan_run *run, const kan_stream *stream, char separator, size_t n_columns,
                          const kan_csv_problem *problem, kan_csv_lines *lines) {
    kan_csv_lines before = *lines;
    uint64_t line = kan_csv_line_of(lines, stream, problem->at), opened;
    switch (problem->fault) {
    case KAN_CSV_FINE:
        break;
    case KAN_CSV_RAGGED:
        tell_ragged(run, stream->name, line, separator, n_columns, problem->n_fields);
        break;
    case KAN_CSV_LONE_CR:
        kan_problem_add(run,
                        "%s:%" PRIu64 ": a carriage return that does not end a line; put the field "
                        "in quotes, or save the file with LF or CRLF line endings",
                        stream->name, line);
        break;
    case KAN_CSV_QUOTE_INSIDE:
        kan_problem_add(run,
                        "%s:%" PRIu64 ": a quote inside a field that is not quoted; quote the "
                        "field and double the quote",
                        stream->name, line);
        break;
    case KAN_CSV_TEXT_AFTER_QUOTE:
        opened = kan_csv_line_of(&before, stream, problem->opened_at);
        kan_problem_add(run,
                        "%s:%" PRIu64 ": text after a closing quote (opened on line %" PRIu64
                        "); double a quote that belongs to the value",
                        stream->name, line, opened);
        break;
    case KAN_CSV_UNTERMINATED:
        kan_problem_add(run, "%s:%" PRIu64 ": a quote is opened and never closed; close it",
                        stream->name, line);
        break;
    case KAN_CSV_TOO_LONG:
        kan_problem_add(run,
                        "%s:%" PRIu64 ": a record of more than 64 MiB; is a quote not closed, or "
                        "are the line breaks missing?",
                        stream->name, line);
        break;
    }
}
