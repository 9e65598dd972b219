/* What values look like, whatever their column is called: e-mail addresses, names of people,
 * postcodes, dates that kanon does not read as such.
 *
 * Up to two thousand values are looked at, evenly spread over the dictionary; a shape is one when
 * nineteen in twenty have it, of those that are not a code for a missing value. The tests are short
 * and easily fooled: they suggest, they prove nothing. */
#include "analyze/profile/profile.h"
#include "core/signs.h"

enum {
    MOST_LOOKED = 2000,
    LEAST_PROSE = 40,  /* bytes of a text */
    LEAST_REMARK = 12, /* of a short one, of three words */
    LEAST_CODES = 20,  /* different ones, from which on they may be given to people */
    LEAST_DIGITS = 6   /* of a number that nobody counts with */
};

static const double MANY_NAMES = 0.25;  /* of the values hold a common name */
static const double MANY_CODES = 0.02;  /* different codes per row */
static const double MANY_REMARKS = 0.1; /* different texts per row */

/* Whether the value is as the pattern: 9 a digit, A a letter, x a hexadecimal digit, all else
 * itself. */
static bool is_like(kan_slice value, const char *pattern) {
    if (value.size != strlen(pattern))
        return false;
    for (size_t i = 0; i < value.size; i++) {
        const char c = value.bytes[i];
        const bool fits = pattern[i] == '9'   ? kan_is_digit(c)
                          : pattern[i] == 'A' ? kan_is_letter(c)
                          : pattern[i] == 'x' ? kan_hex_value(c) >= 0
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
        } else if (!kan_is_digit(value.bytes[i]) || ++digits > 3)
            return false;
    return dots == 3 && digits > 0;
}

/* Seven digits or more, written as numbers for people are: +49 341 1234567, (555) 010-9999. */
static bool is_phone(kan_slice value) {
    unsigned n_digits = 0, n_signs = 0;
    for (size_t i = 0; i < value.size; i++) {
        n_digits += kan_is_digit(value.bytes[i]);
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

static bool is_mac(kan_slice value) {
    return is_like(value, "xx:xx:xx:xx:xx:xx") || is_like(value, "xx-xx-xx-xx-xx-xx");
}

static bool begins_with(kan_slice value, const char *begin) {
    const size_t size = strlen(begin);
    return value.size > size && memcmp(value.bytes, begin, size) == 0;
}

static bool is_url(kan_slice value) {
    return begins_with(value, "http://") || begins_with(value, "https://") ||
           begins_with(value, "www.") || begins_with(value, "ftp://");
}

/* IPv6: groups of hexadecimal digits between colons. */
static bool is_ip6(kan_slice value) {
    unsigned colons = 0, digits = 0;
    for (size_t i = 0; i < value.size; i++) {
        if (value.bytes[i] == ':') {
            colons++;
            digits = 0;
        } else if (kan_hex_value(value.bytes[i]) < 0 || ++digits > 4)
            return false;
    }
    return colons >= 3 && colons <= 7;
}

static bool is_address(kan_slice value) {
    return is_ip(value) || is_ip6(value) || is_mac(value);
}

/* DE89 3704 0044 0532 0130 00 */
static bool is_iban(kan_slice value) {
    unsigned n = 0;
    for (size_t i = 0; i < value.size; i++) {
        const char c = value.bytes[i];
        if (c == ' ')
            continue;
        if ((n < 2 && !kan_is_capital(c)) || ((n == 2 || n == 3) && !kan_is_digit(c)) ||
            (!kan_is_digit(c) && !kan_is_letter(c)))
            return false;
        n++;
    }
    return n >= 15 && n <= 34;
}

/* 48.1371, 11.5754 or POINT(11.5 48.1) */
static bool is_coordinates(kan_slice value) {
    unsigned n_points = 0, n_gaps = 0, n_digits = 0;
    if (begins_with(value, "POINT"))
        return true;
    for (size_t i = 0; i < value.size; i++) {
        const char c = value.bytes[i];
        n_points += c == '.';
        n_gaps += c == ',' || c == ';' || c == ' ';
        n_digits += kan_is_digit(c);
        if (!kan_is_digit(c) && (c == '\0' || !strchr(".,; +-()", c)))
            return false;
    }
    return n_points == 2 && n_gaps >= 1 && n_digits >= 6;
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

/* "pat. complains of headache": three words, at least one of them not capitalized. */
static bool is_remark(kan_slice value) {
    unsigned n_blanks = 0, n_small = 0;
    for (size_t i = 0; i < value.size; i++) {
        n_blanks += value.bytes[i] == ' ';
        n_small +=
            (i == 0 || value.bytes[i - 1] == ' ') && value.bytes[i] >= 'a' && value.bytes[i] <= 'z';
    }
    return value.size >= LEAST_REMARK && n_blanks >= 2 && n_small >= 1;
}

/* P-004711, K123456789, 20231104-17: letters and three digits, or many digits, and no words. */
static bool is_code(kan_slice value) {
    unsigned n_digits = 0, n_letters = 0, n_signs = 0;
    for (size_t i = 0; i < value.size; i++) {
        n_digits += kan_is_digit(value.bytes[i]);
        n_letters += kan_is_letter(value.bytes[i]);
        n_signs += value.bytes[i] && strchr("-_./# ", value.bytes[i]) != NULL;
    }
    if (n_digits + n_letters + n_signs != value.size || value.size > 40 || n_signs > 6)
        return false;
    return n_digits >= LEAST_DIGITS || (n_letters > 0 && n_digits >= 3 && n_digits >= n_signs);
}

/* The share of values, of those looked at, that pass the test. */
static double share_of(const kan_column *column, bool (*test)(kan_slice value)) {
    const uint32_t n = column->dictionary.n, step = n / MOST_LOOKED + 1;
    unsigned n_known = 0, n_passed = 0;
    for (uint32_t code = 0; code < n; code += step) {
        const kan_slice value = kan_dictionary_value(&column->dictionary, code);
        if (kan_value_is_unknown(value) || kan_missing_code(value))
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

/* Numbers of six digits or more, all of one length, and many different ones. */
static bool has_codes(const kan_column *column, const kan_profile_column *known) {
    if (known->n_distinct < LEAST_CODES || kan_profile_distinctness(known) < MANY_CODES)
        return false;
    if (known->type == KAN_TYPE_NUMBER)
        return known->is_whole && known->shortest >= LEAST_DIGITS &&
               known->shortest == known->longest;
    return share_of(column, is_code) >= 0.95;
}

static bool is_two_names(kan_slice value) {
    return kan_profile_is_name_like(value) && memchr(value.bytes, ' ', value.size) != NULL;
}

/* Written as names are, and a quarter of them hold a common one; or nearly all are two words or
 * more, and too many for categories. */
static bool has_names(const kan_column *column, const kan_profile_column *known) {
    if (known->n_distinct < 5 || share_of(column, kan_profile_is_name_like) < 0.9)
        return false;
    if (share_of(column, kan_profile_has_common_name) >= MANY_NAMES)
        return true;
    return known->n_distinct >= LEAST_CODES && kan_profile_distinctness(known) >= MANY_REMARKS &&
           share_of(column, is_two_names) >= 0.9;
}

static bool has_prose(const kan_column *column, const kan_profile_column *known) {
    if (known->n_distinct < 5)
        return false;
    return share_of(column, is_prose) >= 0.5 ||
           (kan_profile_distinctness(known) >= MANY_REMARKS && share_of(column, is_remark) >= 0.5);
}

static kan_profile_shape shape_of_numbers(const kan_column *column,
                                          const kan_profile_column *known) {
    if (known->is_whole && known->n_distinct >= 5 && known->least_number >= 1900 &&
        known->greatest_number <= 2100)
        return KAN_SHAPE_YEAR;
    return has_codes(column, known) ? KAN_SHAPE_CODES : KAN_SHAPE_NONE;
}

kan_profile_shape kan_profile_shape_find(const kan_column *column,
                                         const kan_profile_column *known) {
    static const struct {
        kan_profile_shape shape;
        bool (*test)(kan_slice value);
    } shapes[] = {{KAN_SHAPE_EMAIL, is_email}, {KAN_SHAPE_UUID, is_uuid},
                  {KAN_SHAPE_IP, is_address},  {KAN_SHAPE_SSN, is_ssn},
                  {KAN_SHAPE_URL, is_url},     {KAN_SHAPE_IBAN, is_iban},
                  {KAN_SHAPE_ICD, is_icd},     {KAN_SHAPE_PLACE, kan_profile_is_place},
                  {KAN_SHAPE_PHONE, is_phone}, {KAN_SHAPE_COORDINATES, is_coordinates}};
    const kan_mixture_kind almost = known->mixture.kind;
    if (known->n_distinct == 0 || known->type == KAN_TYPE_DATE || almost == KAN_MIXTURE_DATES)
        return KAN_SHAPE_NONE;
    if (almost == KAN_MIXTURE_OTHER_DATES)
        return KAN_SHAPE_OTHER_DATE;
    if (has_postcodes(column, known))
        return KAN_SHAPE_POSTCODE;
    if (known->type == KAN_TYPE_NUMBER)
        return shape_of_numbers(column, known);
    if (almost != KAN_MIXTURE_NONE)
        return has_codes(column, known) ? KAN_SHAPE_CODES : KAN_SHAPE_NONE;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (share_of(column, shapes[i].test) >= 0.95)
            return shapes[i].shape;
    if (has_names(column, known))
        return KAN_SHAPE_NAMES;
    if (has_codes(column, known))
        return KAN_SHAPE_CODES;
    return has_prose(column, known) ? KAN_SHAPE_PROSE : KAN_SHAPE_NONE;
}
