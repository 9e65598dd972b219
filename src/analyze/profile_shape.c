/* What values look like, whatever their column is called: e-mail addresses, postcodes, dates that
 * kanon does not read as such.
 *
 * Up to two thousand values are looked at, evenly spread over the dictionary; a shape is one when
 * nineteen in twenty have it. The tests are short and easily fooled: they suggest, they prove
 * nothing. */
#include "analyze/profile.h"

enum { MOST_LOOKED = 2000, LEAST_PROSE = 40 };

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Whether the value is as the pattern: 9 a digit, A a letter, x a hexadecimal digit, all else
 * itself. */
static bool is_like(kan_slice value, const char *pattern) {
    if (value.size != strlen(pattern))
        return false;
    for (size_t i = 0; i < value.size; i++) {
        const char c = value.bytes[i];
        const bool fits = pattern[i] == '9'   ? is_digit(c)
                          : pattern[i] == 'A' ? is_letter(c)
                          : pattern[i] == 'x' ? is_hex(c)
                                              : c == pattern[i];
        if (!fits)
            return false;
    }
    return true;
}

static bool is_like_any(kan_slice value, const char *const *patterns, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (is_like(value, patterns[i]))
            return true;
    return false;
}

#define IS_LIKE_ANY(value, patterns)                                                               \
    is_like_any(value, patterns, sizeof(patterns) / sizeof *(patterns))

static bool is_email(kan_slice value) {
    const char *at = value.size ? memchr(value.bytes, '@', value.size) : NULL;
    if (!at || at == value.bytes || memchr(value.bytes, ' ', value.size))
        return false;
    const size_t left = value.size - (size_t)(at + 1 - value.bytes);
    const char *dot = left ? memchr(at + 1, '.', left) : NULL;
    return dot && dot > at + 1 && dot + 1 < value.bytes + value.size;
}

static bool is_uuid(kan_slice value) {
    return is_like(value, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
}

static bool is_ip(kan_slice value) {
    unsigned dots = 0, digits = 0;
    for (size_t i = 0; i < value.size; i++)
        if (value.bytes[i] == '.' && digits > 0) {
            dots++;
            digits = 0;
        } else if (!is_digit(value.bytes[i]) || ++digits > 3)
            return false;
    return dots == 3 && digits > 0;
}

/* Seven digits or more, written as numbers for people are: +49 341 1234567, (555) 010-9999. */
static bool is_phone(kan_slice value) {
    unsigned n_digits = 0, n_signs = 0;
    for (size_t i = 0; i < value.size; i++) {
        n_digits += is_digit(value.bytes[i]);
        n_signs += value.bytes[i] && strchr("+-() /", value.bytes[i]) != NULL;
    }
    return n_digits >= 7 && n_digits <= 15 && n_signs > 0 && n_digits + n_signs == value.size;
}

static bool is_ssn(kan_slice value) {
    return is_like(value, "999-99-9999");
}

static bool is_postcode(kan_slice value) {
    static const char *const patterns[] = {
        "99999",     "99999-9999", "A9 9AA",  "A99 9AA", "AA9 9AA",  "AA99 9AA", "A9A 9AA",
        "AA9A 9AA",  "A9A 9A9",    "A9A9A9",  "9999 AA", "9999AA",   "99-999",   "999 99",
        "99999-999", "999-9999",   "AA-9999", "A-9999",  "AA-99999", "A-99999"};
    return IS_LIKE_ANY(value, patterns);
}

static bool is_other_date(kan_slice value) {
    static const char *const patterns[] = {"99.99.9999", "9.9.9999",    "99.9.9999",  "9.99.9999",
                                           "99/99/9999", "9/9/9999",    "99/9/9999",  "9/99/9999",
                                           "9999/99/99", "99-99-9999",  "99.99.99",   "99/99/99",
                                           "9999.99.99", "99-AAA-9999", "99 AAA 9999"};
    /* 2003-11-16 and an hour. */
    const kan_slice day = {value.bytes, value.size > 10 ? 10 : value.size};
    return IS_LIKE_ANY(value, patterns) ||
           (value.size > 10 && (value.bytes[10] == ' ' || value.bytes[10] == 'T') &&
            is_like(day, "9999-99-99"));
}

static bool is_icd(kan_slice value) {
    static const char *const patterns[] = {"A99", "A99.9", "A99.99", "A9A.9", "A99.9A", "A99.999"};
    return IS_LIKE_ANY(value, patterns);
}

static bool is_prose(kan_slice value) {
    unsigned n_blanks = 0;
    for (size_t i = 0; i < value.size && n_blanks < 4; i++)
        n_blanks += value.bytes[i] == ' ';
    return value.size >= LEAST_PROSE && n_blanks >= 4;
}

/* The share of values, of those looked at, that pass the test. */
static double share_of(const kan_column *column, bool (*test)(kan_slice value)) {
    const uint32_t n = column->dictionary.n, step = n / MOST_LOOKED + 1;
    unsigned n_known = 0, n_passed = 0;
    for (uint32_t code = 0; code < n; code += step) {
        const kan_slice value = kan_dictionary_value(&column->dictionary, code);
        if (kan_value_is_unknown(value))
            continue;
        n_known++;
        n_passed += test(value);
        if (n_known >= 20 && n_passed == 0)
            break; /* hopeless */
    }
    return n_known ? (double)n_passed / n_known : 0;
}

static bool begins_with_zero(kan_slice value) {
    return value.bytes[0] == '0';
}

/* Five digits are postcodes only where a leading zero, or a type other than number, says that
 * nobody counts with them. */
static bool has_postcodes(const kan_column *column, const kan_profile_column *known) {
    if (known->n_distinct < 5 || share_of(column, is_postcode) < 0.95)
        return false;
    return known->type != KAN_TYPE_NUMBER || share_of(column, begins_with_zero) > 0;
}

kan_profile_shape kan_profile_shape_find(const kan_column *column,
                                         const kan_profile_column *known) {
    static const struct {
        kan_profile_shape shape;
        bool (*test)(kan_slice value);
    } shapes[] = {{KAN_SHAPE_EMAIL, is_email}, {KAN_SHAPE_UUID, is_uuid},
                  {KAN_SHAPE_IP, is_ip},       {KAN_SHAPE_SSN, is_ssn},
                  {KAN_SHAPE_ICD, is_icd},     {KAN_SHAPE_OTHER_DATE, is_other_date},
                  {KAN_SHAPE_PHONE, is_phone}};
    if (known->n_distinct == 0 || known->type == KAN_TYPE_DATE)
        return KAN_SHAPE_NONE;
    if (has_postcodes(column, known))
        return KAN_SHAPE_POSTCODE;
    if (known->type == KAN_TYPE_NUMBER)
        return known->is_whole && known->n_distinct >= 5 && known->least_number >= 1900 &&
                       known->greatest_number <= 2100
                   ? KAN_SHAPE_YEAR
                   : KAN_SHAPE_NONE;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (share_of(column, shapes[i].test) >= 0.95)
            return shapes[i].shape;
    return known->n_distinct >= 5 && share_of(column, is_prose) >= 0.5 ? KAN_SHAPE_PROSE
                                                                       : KAN_SHAPE_NONE;
}
