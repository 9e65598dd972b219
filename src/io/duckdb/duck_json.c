/* JSON values to text and back. */
#include "io/duckdb/duck_json.h"

#include "core/signs.h"
#include "io/field.h"

/* ---- reading -------------------------------------------------------------------------------- */

/* The four digits behind \u; `left` bytes are there. */
static uint32_t unit_at(const char *at, size_t left) {
    uint32_t unit = 0;
    for (size_t i = 0; i < 4 && i < left; i++)
        unit = unit << 4 | ((unsigned)kan_hex_value(at[i]) & 15);
    return unit;
}

static void add_point(kan_text *text, uint32_t point) {
    char bytes[4];
    size_t size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = size; i-- > 1; point >>= 6)
        bytes[i] = (char)(0x80 | (point & 0x3f));
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    bytes[0] = (char)(first[size] | point);
    kan_text_add(text, bytes, size);
}

/* An escape, `at` behind its backslash; the bytes that it takes. */
static size_t add_escape(kan_text *text, const char *at, size_t left) {
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    if (*at != 'u') {
        const char *found = strchr(from, *at);
        kan_text_add(text, found && *at ? &to[found - from] : at, 1);
        return 1;
    }
    const uint32_t unit = unit_at(at + 1, left - 1);
    if (unit < 0xd800 || unit > 0xdbff || left < 11 || at[5] != '\\') {
        add_point(text, unit);
        return left < 5 ? left : 5;
    }
    add_point(text, 0x10000 + ((unit - 0xd800) << 10) + (unit_at(at + 7, 4) - 0xdc00));
    return 11;
}

static kan_status add_escaped(kan_encoder *encoder, kan_slice inside, uint32_t *out) {
    kan_text text;
    kan_text_init(&text, encoder->run);
    kan_text_add(&text, "", 0);
    for (size_t i = 0; i < inside.size;) {
        if (inside.bytes[i] == '\\' && i + 1 < inside.size)
            i += 1 + add_escape(&text, inside.bytes + i + 1, inside.size - i - 1);
        else
            kan_text_add(&text, inside.bytes + i++, 1);
    }
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        status = kan_encoder_add(encoder, (kan_slice){text.bytes, text.size}, out);
    kan_text_destroy(&text);
    return status;
}

static kan_status find_or_insert(kan_encoder *encoder, kan_slice text, uint32_t *out) {
    *out = kan_encoder_find(encoder, text.bytes, text.size);
    return *out != KAN_CODE_LIMIT ? KAN_OK
                                  : kan_encoder_insert(encoder, text.bytes, text.size, out);
}

/* A whole number is its digits, however many; any other what a double gives back. */
static kan_status add_number(kan_encoder *encoder, kan_slice json, uint32_t *out) {
    char room[KAN_NUMBER_ROOM];
    double number;
    size_t n = json.bytes[0] == '-';
    while (n < json.size && kan_is_digit(json.bytes[n]))
        n++;
    if (n == json.size && !kan_slice_is(json, "-0"))
        return find_or_insert(encoder, json, out);
    if (!kan_parse_real(json.bytes, json.size, &number))
        return kan_encoder_add(encoder, json, out);
    return kan_encoder_add(encoder, (kan_slice){room, kan_number_text(number, room)}, out);
}

kan_status kan_duck_json_add(kan_encoder *encoder, kan_slice json, uint32_t *out, bool *is_nested) {
    const char first = json.size ? json.bytes[0] : 'n';
    switch (first) {
    case '"': {
        const kan_slice inside = {json.bytes + 1, json.size - 2};
        return memchr(inside.bytes, '\\', inside.size) ? add_escaped(encoder, inside, out)
                                                       : find_or_insert(encoder, inside, out);
    }
    case '{':
    case '[':
        *is_nested = true;
        return KAN_OK;
    case 'n':
        return kan_encoder_add(encoder, (kan_slice){"", 0}, out);
    case 't':
    case 'f':
        return find_or_insert(encoder, json, out);
    default:
        return add_number(encoder, json, out);
    }
}

/* ---- writing -------------------------------------------------------------------------------- */

void kan_duck_json_quote(kan_text *out, kan_slice text) {
    static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    kan_text_add(out, "\"", 1);
    for (size_t i = 0; i < text.size; i++) {
        const char c = text.bytes[i];
        const char *found = c ? strchr(escaped, c) : NULL;
        if (found)
            kan_text_print(out, "\\%c", letters[found - escaped]);
        else if ((unsigned char)c < 0x20 || c == 0x7f)
            kan_text_print(out, "\\u%04x", (unsigned)c);
        else
            kan_text_add(out, &c, 1);
    }
    kan_text_add(out, "\"", 1);
}

static size_t skip_digits(kan_slice text, size_t at) {
    while (at < text.size && kan_is_digit(text.bytes[at]))
        at++;
    return at;
}

bool kan_duck_json_is_number(kan_slice text) {
    const size_t first = text.size > 0 && text.bytes[0] == '-';
    size_t at = skip_digits(text, first);
    if (at == first || (text.bytes[first] == '0' && at > first + 1))
        return false;
    if (at < text.size && text.bytes[at] == '.') {
        const size_t point = at;
        at = skip_digits(text, point + 1);
        if (at == point + 1)
            return false;
    }
    if (at < text.size && text.bytes[at] == 'e') {
        at++;
        at += at < text.size && (text.bytes[at] == '+' || text.bytes[at] == '-');
        const size_t exponent = at;
        at = skip_digits(text, exponent);
        if (at == exponent)
            return false;
    }
    return at == text.size;
}
