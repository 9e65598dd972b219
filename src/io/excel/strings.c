/* Shared strings. A string may be made of runs, each with a format of its own, which are joined; how
 * it is pronounced (rPh) is left out. */
#include "io/excel/strings.h"
#include "core/signs.h"

/* ---- escapes -------------------------------------------------------------------------------- */

/* The number of the escape that begins there, but for its last _; -1: none does. */
static int escape_begins(const char *at, size_t left) {
    int value = 0;
    if (left < 6 || at[0] != '_' || at[1] != 'x')
        return -1;
    for (int i = 2; i < 6; i++) {
        if (kan_hex_value(at[i]) < 0)
            return -1;
        value = value * 16 + kan_hex_value(at[i]);
    }
    return value;
}

/* The same with all of it. */
static int escape_at(const char *at, size_t left) {
    return left >= 7 && at[6] == '_' ? escape_begins(at, left) : -1;
}

static size_t put_utf8(char *out, unsigned c) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    const unsigned n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[5] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (unsigned i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(lead[n] | c);
    return n;
}

/* What an escape, or a pair of them, stands for; *used is 0 where half of a pair stands alone. */
static unsigned decode_at(const char *at, size_t left, int first, size_t *used) {
    *used = 7;
    if (first < 0xd800 || first > 0xdfff)
        return (unsigned)first;
    const int second = first < 0xdc00 && left > 7 ? escape_at(at + 7, left - 7) : -1;
    *used = second >= 0xdc00 && second <= 0xdfff ? 14 : 0;
    return 0x10000 + ((unsigned)(first - 0xd800) << 10) + (unsigned)(second - 0xdc00);
}

size_t kan_string_decode(char *bytes, size_t size) {
    size_t out = 0, used;
    const char *first = memchr(bytes, '_', size);
    if (!first)
        return size;
    for (size_t at = out = (size_t)(first - bytes); at < size; at += used) {
        const int value = bytes[at] == '_' ? escape_at(bytes + at, size - at) : -1;
        const unsigned c = value < 0 ? 0 : decode_at(bytes + at, size - at, value, &used);
        if (value >= 0 && used > 0) {
            out += put_utf8(bytes + out, c);
        } else {
            bytes[out++] = bytes[at];
            used = 1;
        }
    }
    return out;
}

/* XML has no control characters but these two, takes a carriage return for a line break, and does
 * not know U+FFFE and U+FFFF. */
static bool needs_escape(const char *at, size_t left) {
    const unsigned char c = (unsigned char)at[0];
    if (c < 0x20)
        return c != '\t' && c != '\n';
    if (c == '_') /* what follows may become an escape, and so give it its last _ */
        return escape_begins(at, left) >= 0;
    return c == 0xef && left >= 3 && (unsigned char)at[1] == 0xbf && (unsigned char)at[2] >= 0xbe;
}

void kan_string_encode(kan_slice value, kan_text *out) {
    size_t plain = 0; /* where what is not yet added begins */
    for (size_t at = 0; at < value.size; at++) {
        const unsigned char c = (unsigned char)value.bytes[at];
        if (!needs_escape(value.bytes + at, value.size - at))
            continue;
        kan_text_add(out, value.bytes + plain, at - plain);
        if (c == 0xef) {
            kan_text_print(out, "_xFF%02X_", (unsigned char)value.bytes[at + 2] | 0x40u);
            at += 2;
        } else {
            kan_text_print(out, "_x%04X_", c);
        }
        plain = at + 1;
    }
    kan_text_add(out, value.bytes + plain, value.size - plain);
}

/* ---- the part ------------------------------------------------------------------------------- */

typedef struct {
    kan_run *run;
    const char *file;
    kan_strings *strings;
    bool is_in_item, is_in_text, is_in_phonetic;
    size_t item; /* where it begins */
} reading;

static kan_status begin_string(void *context, const char *name, const char *const *attributes) {
    reading *r = context;
    (void)attributes;
    if (strcmp(name, "si") == 0) {
        r->is_in_item = true;
        r->item = r->strings->used;
    } else if (strcmp(name, "rPh") == 0) {
        r->is_in_phonetic = true;
    } else if (strcmp(name, "t") == 0) {
        r->is_in_text = r->is_in_item && !r->is_in_phonetic;
    }
    return KAN_OK;
}

static kan_status take_string(void *context, const char *bytes, size_t size) {
    reading *r = context;
    kan_strings *strings = r->strings;
    if (!r->is_in_text)
        return KAN_OK;
    if (strings->used - r->item + size > KAN_STRING_MOST)
        return kan_fail(r->run, KAN_BAD_INPUT,
                        "%s: shared string %zu is longer than the 32,767 characters that a cell "
                        "holds; shorten it, or save the sheet as CSV",
                        r->file, strings->n + 1);
    KAN_TRY(kan_reserve(r->run, strings->used + size, 1, &strings->capacity, &strings->bytes));
    memcpy(strings->bytes + strings->used, bytes, size);
    strings->used += size;
    return KAN_OK;
}

static kan_status end_string(void *context, const char *name) {
    reading *r = context;
    kan_strings *strings = r->strings;
    if (strcmp(name, "t") == 0)
        r->is_in_text = false;
    else if (strcmp(name, "rPh") == 0)
        r->is_in_phonetic = false;
    if (strcmp(name, "si") != 0 || !r->is_in_item)
        return KAN_OK;
    r->is_in_item = false;
    if (strings->used > r->item)
        strings->used =
            r->item + kan_string_decode(strings->bytes + r->item, strings->used - r->item);
    KAN_TRY(kan_reserve(r->run, strings->n + 2, sizeof *strings->start, &strings->start_capacity,
                        &strings->start));
    strings->start[++strings->n] = strings->used;
    return KAN_OK;
}

kan_status kan_strings_read(kan_package *package, const char *part, kan_strings *out) {
    static const kan_xml_handlers handlers = {
        .begin = begin_string, .end = end_string, .text = take_string};
    kan_strings strings = {.n = 0};
    reading r = {.run = package->run, .file = package->stream.name, .strings = &strings};
    kan_status status;
    KAN_TRY_DONE(kan_reserve(r.run, 1, 1, &strings.capacity, &strings.bytes));
    KAN_TRY_DONE(
        kan_reserve(r.run, 1, sizeof *strings.start, &strings.start_capacity, &strings.start));
    strings.start[0] = 0;
    KAN_TRY_DONE(kan_package_walk(package, part, &handlers, &r));
    *out = strings;
done:
    if (status != KAN_OK)
        kan_strings_destroy(&strings, package->run);
    return status;
}

void kan_strings_destroy(kan_strings *strings, kan_run *run) {
    kan_free(run, strings->bytes);
    kan_free(run, strings->start);
    *strings = (kan_strings){.n = 0};
}
