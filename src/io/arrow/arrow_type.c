/* Types by their formats: "l" is int64, "tsu:Europe/Berlin" a timestamp in microseconds. */
#include <stdio.h>
#include <string.h>

#include "io/arrow/arrow_inside.h"

#define WORD(form_, size_, digits_, field_)                                                        \
    {                                                                                              \
        .layout = KAN_ARROW_WORDS, .scalar = {                                                     \
            .form = KAN_SCALAR_##form_,                                                            \
            .size = size_,                                                                         \
            .digits = digits_,                                                                     \
            .field = KAN_FIELD_##field_                                                            \
        }                                                                                          \
    }

static const struct {
    const char *format, *name;
    kan_arrow_type type;
} types[] = {
    {"n", "null", {.layout = KAN_ARROW_EMPTY}},
    {"b",
     "bool",
     {.layout = KAN_ARROW_BITS,
      .scalar = {.form = KAN_SCALAR_BOOLEAN, .size = 1, .field = KAN_FIELD_BOOLEAN}}},
    {"c", "int8", WORD(SIGNED, 1, 0, NUMBER)},
    {"s", "int16", WORD(SIGNED, 2, 0, NUMBER)},
    {"i", "int32", WORD(SIGNED, 4, 0, NUMBER)},
    {"l", "int64", WORD(SIGNED, 8, 0, NUMBER)},
    {"C", "uint8", WORD(UNSIGNED, 1, 0, NUMBER)},
    {"S", "uint16", WORD(UNSIGNED, 2, 0, NUMBER)},
    {"I", "uint32", WORD(UNSIGNED, 4, 0, NUMBER)},
    {"L", "uint64", WORD(UNSIGNED, 8, 0, NUMBER)},
    {"f", "float32", WORD(FLOAT, 4, 0, NUMBER)},
    {"g", "float64", WORD(DOUBLE, 8, 0, NUMBER)},
    {"tdD", "date32", WORD(DATE, 4, 0, DATE)},
    {"tdm", "date64", WORD(DATE, 8, 0, DATE)},
    {"tts", "time32[s]", WORD(TIME, 4, 0, TIME)},
    {"ttm", "time32[ms]", WORD(TIME, 4, 3, TIME)},
    {"ttu", "time64[us]", WORD(TIME, 8, 6, TIME)},
    {"ttn", "time64[ns]", WORD(TIME, 8, 9, TIME)},
    {"u", "text", {.layout = KAN_ARROW_TEXT32}},
    {"U", "large text", {.layout = KAN_ARROW_TEXT64}},
    {"vu", "text views", {.layout = KAN_ARROW_VIEWS}},
};

/* Formats that begin so, or are so, and cannot be read. */
static const struct {
    const char *start, *name;
} others[] = {
    {"e", "float16"},
    {"z", "binary"},
    {"Z", "large binary"},
    {"vz", "binary views"},
    {"w:", "fixed-size binary"},
    {"tD", "a duration"},
    {"tiM", "an interval"},
    {"tiD", "an interval"},
    {"tin", "an interval"},
    {"+l", "a list"},
    {"+L", "a large list"},
    {"+vl", "a list view"},
    {"+vL", "a list view"},
    {"+w:", "a fixed-size list"},
    {"+s", "a struct"},
    {"+m", "a map"},
    {"+u", "a union"},
    {"+r", "run-end encoded"},
    {"d:", "a decimal of an unsupported width or scale"},
};

static kan_arrow_type other_of(const char *format) {
    kan_arrow_type type = {.layout = KAN_ARROW_OTHER, .format = format, .name = format};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(format, others[i].start, strlen(others[i].start)) == 0)
            type.name = others[i].name;
    return type;
}

/* "d:9,2" and "d:9,2,64". */
static kan_arrow_type decimal_of(const char *format) {
    unsigned width, digits, bits = 128;
    int end = 0, end_of_bits = 0;
    const int n = sscanf(format, "d:%u,%u%n,%u%n", &width, &digits, &end, &bits, &end_of_bits);
    const bool is_whole = n == 2 ? !format[end] : n == 3 && !format[end_of_bits];
    if (!is_whole || width > KAN_SCALAR_MOST_DIGITS || digits > width ||
        (bits != 32 && bits != 64 && bits != 128))
        return other_of(format);
    return (kan_arrow_type){.layout = KAN_ARROW_WORDS,
                            .format = format,
                            .name = "a decimal",
                            .scalar = {.form = KAN_SCALAR_DECIMAL,
                                       .size = bits / 8,
                                       .digits = digits,
                                       .width = width,
                                       .field = KAN_FIELD_NUMBER}};
}

static kan_arrow_type timestamp_of(const char *format) {
    static const char units[] = "smun";
    const char *unit = format[2] ? strchr(units, format[2]) : NULL;
    if (!unit || format[3] != ':')
        return other_of(format);
    return (kan_arrow_type){.layout = KAN_ARROW_WORDS,
                            .format = format,
                            .name = "a timestamp",
                            .scalar = {.form = KAN_SCALAR_TIMESTAMP,
                                       .size = 8,
                                       .digits = (unsigned)(unit - units) * 3,
                                       .is_zoned = format[4] != '\0',
                                       .field = KAN_FIELD_TIMESTAMP}};
}

kan_arrow_type kan_arrow_type_find(const char *format) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(format, types[i].format) == 0) {
            kan_arrow_type type = types[i].type;
            type.format = format;
            type.name = types[i].name;
            return type;
        }
    return strncmp(format, "d:", 2) == 0   ? decimal_of(format)
           : strncmp(format, "ts", 2) == 0 ? timestamp_of(format)
                                           : other_of(format);
}

kan_arrow_type kan_arrow_type_of(const struct ArrowSchema *schema) {
    if (!schema->dictionary)
        return kan_arrow_type_find(schema->format);
    const kan_arrow_type index = kan_arrow_type_find(schema->format);
    kan_arrow_type type = kan_arrow_type_find(schema->dictionary->format);
    const bool is_index =
        index.layout == KAN_ARROW_WORDS &&
        (index.scalar.form == KAN_SCALAR_SIGNED || index.scalar.form == KAN_SCALAR_UNSIGNED);
    if (!is_index || schema->dictionary->dictionary) {
        type.layout = KAN_ARROW_OTHER;
        type.name = "a dictionary of an unknown kind";
    }
    type.index_size = is_index ? index.scalar.size : 0;
    type.index_is_signed = index.scalar.form == KAN_SCALAR_SIGNED;
    type.is_ordered = schema->flags & ARROW_FLAG_DICTIONARY_ORDERED;
    return type;
}
