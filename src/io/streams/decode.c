/* Decoding with iconv, window by window into a spool, as unpacking does, on one thread: 90 MB of
 * Latin-1 in about a second. The place of bytes that are no text is counted in what has come out:
 * whatever a line break looks like in the file, it is one byte there. */
#include "io/streams/decode.h"

#include <inttypes.h>
#include <stdio.h>

#include "io/streams/stream.h"

enum { WINDOW = 1 << 20 };

typedef struct {
    const kan_stream *stream;
    const char *encoding;
    kan_converter converter;
    kan_spool *out;
    size_t at;         /* bytes of the stream that are behind us */
    uint64_t n_breaks; /* line breaks so far */
    uint64_t column;   /* characters since the last one */
} decoding;

/* ---- which one ------------------------------------------------------------------------------ */

static bool begins_with(kan_slice bytes, const char *mark, size_t size) {
    return bytes.size >= size && memcmp(bytes.bytes, mark, size) == 0;
}

const char *kan_decode_find_mark(kan_slice first) {
    /* The mark of UTF-32LE begins with that of UTF-16LE, and text has no NUL. */
    return begins_with(first, "\xff\xfe\0\0", 4)   ? "UTF-32LE"
           : begins_with(first, "\0\0\xfe\xff", 4) ? "UTF-32BE"
           : begins_with(first, "\xff\xfe", 2)     ? "UTF-16LE"
           : begins_with(first, "\xfe\xff", 2)     ? "UTF-16BE"
           : begins_with(first, "\xef\xbb\xbf", 3) ? "UTF-8"
                                                   : NULL;
}

/* Whether more zeros stand at the first byte of a unit than at its last: Latin letters, digits and
 * separators have them in front. */
static bool is_big_endian(kan_slice text, size_t unit) {
    size_t n_first = 0, n_last = 0;
    for (size_t i = 0; i + unit <= text.size; i += unit) {
        n_first += text.bytes[i] == 0;
        n_last += text.bytes[i + unit - 1] == 0;
    }
    return n_first > n_last;
}

const char *kan_decode_find_order(const char *encoding, kan_slice first) {
    const bool has_two = kan_encoding_has_units(encoding, 2);
    const bool has_four = kan_encoding_has_units(encoding, 4);
    const char last = encoding[strlen(encoding) - 1];
    if ((!has_two && !has_four) || last == 'E' || last == 'e') /* of LE and BE */
        return encoding;
    if (has_two)
        return is_big_endian(first, 2) ? "UTF-16BE" : "UTF-16LE";
    return is_big_endian(first, 4) ? "UTF-32BE" : "UTF-32LE";
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void count_lines(decoding *d, const char *text, size_t size) {
    for (const char *end; (end = memchr(text, '\n', size)); d->column = 0) {
        d->n_breaks++;
        size -= (size_t)(end + 1 - text);
        text = end + 1;
    }
    for (size_t i = 0; i < size; i++)
        d->column += (text[i] & 0xc0) != 0x80;
}

static kan_status fail_bad(const decoding *d, kan_slice rest) {
    const size_t unit = kan_encoding_has_units(d->encoding, 2)   ? 2
                        : kan_encoding_has_units(d->encoding, 4) ? 4
                                                                 : 1;
    char bytes[3 * 4 + 1] = "";
    for (size_t i = 0; i < rest.size && i < unit; i++)
        snprintf(bytes + 3 * i, 4, " %02x", (unsigned char)rest.bytes[i]);
    return kan_fail(d->stream->run, KAN_BAD_INPUT,
                    "%s:%" PRIu64 ": character %" PRIu64
                    " of the line (%s%s) is not text in the encoding %s; name the right one with "
                    "--encoding, such as windows-1252, utf-8 or utf-16, or correct the file",
                    d->stream->name, d->n_breaks + 1, d->column + 1, unit > 1 ? "bytes" : "byte",
                    bytes, d->encoding);
}

static kan_status fail_cut(const decoding *d) {
    return kan_fail(d->stream->run, KAN_BAD_INPUT,
                    "%s:%" PRIu64
                    ": the file ends within a character of the encoding %s; is the copy complete, "
                    "and is this its encoding?",
                    d->stream->name, d->n_breaks + 1, d->encoding);
}

/* Bytes that are no text, or too few of them: the same answer may come with some text before. */
static kan_status convert_window(decoding *d, kan_slice rest, bool is_last) {
    const char *const first = rest.bytes;
    const size_t from = d->at;
    for (;;) {
        char *begin, *end;
        size_t room;
        KAN_TRY(kan_check_cancel(d->stream->run));
        KAN_TRY(kan_spool_room(d->out, &begin, &room));
        end = begin;
        const kan_converted how = kan_converter_take(&d->converter, &rest, &end, &room);
        const size_t made = (size_t)(end - begin), good = kan_utf8_find_bad(begin, made);
        kan_spool_add(d->out, made);
        count_lines(d, begin, good);
        /* From UTF-8 itself iconv lets characters pass that there are none of, above U+10FFFF. */
        if (good < made)
            return fail_bad(d, (kan_slice){begin + good, made - good});
        d->at = from + (size_t)(rest.bytes - first);
        if (how == KAN_CONVERTED_BAD)
            return fail_bad(d, rest);
        if (how == KAN_CONVERTED_CUT && is_last)
            return fail_cut(d);
        if (how != KAN_CONVERTED_ROOM)
            return KAN_OK;
    }
}

static kan_status convert_all(decoding *d, kan_window *window) {
    const size_t size = d->stream->size;
    while (d->at < size) {
        const size_t from = d->at;
        const size_t end = size - from > WINDOW ? from + WINDOW : size;
        KAN_TRY(kan_window_take(window, d->stream, from, end));
        KAN_TRY(convert_window(d, (kan_slice){window->bytes, end - from}, end == size));
        kan_stream_done(d->stream, from, d->at);
        kan_report_units(d->stream->run, "read", "bytes", d->at, size);
    }
    return kan_spool_end(d->out);
}

kan_status kan_decode(const kan_stream *stream, const char *encoding, kan_spool *out) {
    decoding d = {.stream = stream, .encoding = encoding, .out = out};
    kan_window window = {.room = NULL};
    KAN_TRY(kan_converter_open(stream->run, encoding, "UTF-8", &d.converter));
    const kan_status status = convert_all(&d, &window);
    kan_window_free(&window, stream->run);
    kan_converter_close(&d.converter);
    return status;
}

/* ---- its beginning -------------------------------------------------------------------------- */

kan_status kan_decode_head(kan_run *run, const char *encoding, kan_slice head, char *out,
                           size_t *size, bool *is_text) {
    kan_converter converter;
    char *end = out;
    KAN_TRY(kan_converter_open(run, encoding, "UTF-8", &converter));
    *is_text = kan_converter_take(&converter, &head, &end, size) != KAN_CONVERTED_BAD;
    *size = (size_t)(end - out);
    kan_converter_close(&converter);
    return KAN_OK;
}
