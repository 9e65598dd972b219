/* Rows as RowBinary: a text is its length as a varint and its bytes, a whole number its bytes from the
 * lowest on, and before a value that may be NULL stands a byte that is 1 where it is. */
#include <inttypes.h>
#include <stdio.h>

#include "engine/clickhouse/http.h"

static bool take_wrapper(kan_slice *name, const char *wrapper) {
    const size_t size = strlen(wrapper);
    if (name->size < size + 2 || memcmp(name->bytes, wrapper, size) != 0 ||
        name->bytes[size] != '(' || name->bytes[name->size - 1] != ')')
        return false;
    *name = (kan_slice){name->bytes + size + 1, name->size - size - 2};
    return true;
}

bool kan_click_type_read(kan_slice name, kan_click_type *out) {
    *out = (kan_click_type){0};
    (void)take_wrapper(&name, "LowCardinality"); /* answers have its values */
    out->is_nullable = take_wrapper(&name, "Nullable");
    if (kan_slice_is(name, "String"))
        return true;
    static const struct {
        const char *name;
        unsigned bytes;
    } integers[] = {{"Int8", 1}, {"Int16", 2}, {"Int32", 4}, {"Int64", 8}};
    out->is_signed = name.size > 0 && name.bytes[0] == 'I';
    if (name.size > 0 && name.bytes[0] == 'U')
        name = (kan_slice){name.bytes + 1, name.size - 1};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        if (kan_slice_is(name, integers[i].name))
            out->integer = integers[i].bytes;
    return out->integer > 0;
}

/* ---- reading -------------------------------------------------------------------------------- */

kan_status kan_click_reader_init(kan_click_reader *reader, kan_run *run,
                                 const kan_click_request *request) {
    *reader = (kan_click_reader){.run = run,
                                 .n_columns = request->n_columns,
                                 .types = request->types,
                                 .taker = request->taker};
    KAN_TRY(kan_alloc(run, reader->n_columns, sizeof *reader->values, &reader->values));
    return kan_alloc(run, reader->n_columns, sizeof *reader->digits, &reader->digits);
}

void kan_click_reader_destroy(kan_click_reader *reader) {
    if (!reader->run)
        return;
    kan_free(reader->run, reader->values);
    kan_free(reader->run, reader->digits);
    kan_free(reader->run, reader->bytes);
}

static kan_slice number_text(const kan_click_type *type, const unsigned char *bytes, char *room) {
    uint64_t number = 0;
    for (unsigned i = 0; i < type->integer; i++)
        number |= (uint64_t)bytes[i] << 8 * i;
    int size;
    if (type->is_signed) {
        const unsigned unused = 64 - 8 * type->integer;
        const int64_t value = (int64_t)(number << unused) >> unused;
        size = snprintf(room, 24, "%" PRId64, value);
    } else {
        size = snprintf(room, 24, "%" PRIu64, number);
    }
    return (kan_slice){room, (size_t)size};
}

/* The size of a text behind its varint; false where more bytes are needed. */
static bool read_size(const char *bytes, size_t left, size_t *used, uint64_t *out) {
    *out = 0;
    for (size_t i = 0; i < left && i < 9; i++) {
        *out |= (uint64_t)((unsigned char)bytes[i] & 127) << 7 * i;
        if (!((unsigned char)bytes[i] & 128)) {
            *used = i + 1;
            return true;
        }
    }
    return false;
}

/* Bytes of the row at `bytes`, 0 where it is not complete. */
static size_t read_row(kan_click_reader *reader, const char *bytes, size_t size) {
    size_t at = 0;
    for (size_t i = 0; i < reader->n_columns; i++) {
        const kan_click_type *type = &reader->types[i];
        if (type->is_nullable) {
            if (at == size)
                return 0;
            if (bytes[at++]) {
                reader->values[i] = (kan_slice){NULL, 0};
                continue;
            }
        }
        if (type->integer) {
            if (size - at < type->integer)
                return 0;
            reader->values[i] =
                number_text(type, (const unsigned char *)bytes + at, reader->digits[i]);
            at += type->integer;
            continue;
        }
        size_t used = 0;
        uint64_t length = 0;
        if (!read_size(bytes + at, size - at, &used, &length) || length > size - at - used)
            return 0;
        reader->values[i] = (kan_slice){bytes + at + used, (size_t)length};
        at += used + (size_t)length;
    }
    return at;
}

/* Rows from the room, where eight bytes more are readable behind each value; what is left of an
 * incomplete row moves to its beginning. */
kan_status kan_click_reader_add(kan_click_reader *reader, const char *bytes, size_t size) {
    if (reader->n_columns == 0)
        return size == 0 ? KAN_OK : kan_fail(reader->run, KAN_FAILED, "a row without columns");
    KAN_TRY(
        kan_reserve(reader->run, reader->size + size + 8, 1, &reader->capacity, &reader->bytes));
    memcpy(reader->bytes + reader->size, bytes, size);
    reader->size += size;
    size_t at = 0;
    for (size_t used; (used = read_row(reader, reader->bytes + at, reader->size - at)) > 0;) {
        at += used;
        KAN_TRY(reader->taker->take(reader->taker->context, reader->values));
    }
    reader->size -= at;
    memmove(reader->bytes, reader->bytes + at, reader->size);
    return KAN_OK;
}

/* ---- writing -------------------------------------------------------------------------------- */

static bool read_whole(kan_slice text, bool is_signed, uint64_t *out) {
    const bool is_negative = is_signed && text.size > 0 && text.bytes[0] == '-';
    uint64_t number = 0;
    size_t i = is_negative;
    if (i == text.size)
        return false;
    for (; i < text.size; i++) {
        const char digit = text.bytes[i];
        if (digit < '0' || digit > '9' || __builtin_mul_overflow(number, (uint64_t)10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(digit - '0'), &number))
            return false;
    }
    *out = is_negative ? 0 - number : number;
    return !is_signed || number <= (uint64_t)INT64_MAX + is_negative;
}

static kan_status write_whole(kan_text *text, const kan_click_type *type, kan_slice value) {
    uint64_t number = 0;
    bool fits = read_whole(value, type->is_signed, &number);
    const unsigned unused = 64 - 8 * type->integer;
    if (fits)
        fits = type->is_signed ? (int64_t)(number << unused) >> unused == (int64_t)number
                               : number << unused >> unused == number;
    if (!fits)
        return kan_fail(text->run, KAN_FAILED, "a number does not fit the column it goes to");
    char bytes[8];
    for (unsigned i = 0; i < type->integer; i++)
        bytes[i] = (char)(number >> 8 * i & 255);
    kan_text_add(text, bytes, type->integer);
    return KAN_OK;
}

kan_status kan_click_row_write(kan_text *text, size_t n_columns, const kan_click_type *types,
                               const kan_slice *values) {
    for (size_t i = 0; i < n_columns; i++) {
        if (types[i].is_nullable)
            kan_text_add(text, values[i].bytes ? "\0" : "\1", 1);
        if (!values[i].bytes) {
            if (!types[i].is_nullable)
                return kan_fail(text->run, KAN_FAILED,
                                "a missing value goes to a column that does not allow any");
            continue;
        }
        if (types[i].integer) {
            KAN_TRY(write_whole(text, &types[i], values[i]));
            continue;
        }
        uint64_t left = values[i].size;
        do {
            const char byte = (char)((left & 127) | (left > 127 ? 128 : 0));
            kan_text_add(text, &byte, 1);
            left >>= 7;
        } while (left > 0);
        kan_text_add(text, values[i].bytes, values[i].size);
    }
    return kan_text_status(text);
}
