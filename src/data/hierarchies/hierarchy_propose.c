/* Which builder suits a column, when nobody has said. What `hierarchy build` builds and what
 * `profile` writes into a job file comes from here.
 *
 * Dates by their parts; codes of one length (post codes, numbers with leading zeros) by masking
 * from the right; post codes of several lengths by their first characters; numbers by round widths,
 * about twenty intervals first; a few categories are kept or hidden; many are grouped by how rare
 * they are, which is the most that can be said without knowing what they mean. What is almost a
 * date or a number has no proposal: masking the end of 14.03.1980 would hide the year and keep the
 * day. Looks at the distinct values alone, and at the number of rows. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "data/hierarchies/hierarchy_build.h"
#include "data/mixture.h"
#include "data/spelling.h"

enum { FEW_VALUES = 8, FIRST_INTERVALS = 20, CODE_MOST = 16, MASKED_MOST = 8 };

/* Characters of every known value, when all have as many and none is blank; else 0. */
static size_t common_length(const kan_dictionary *dictionary, bool *has_leading_zero) {
    size_t length = 0;
    *has_leading_zero = false;
    for (uint32_t code = 0; code < dictionary->n; code++) {
        const kan_slice value = kan_dictionary_value(dictionary, code);
        if (kan_value_is_unknown(value))
            continue;
        const size_t here = kan_text_columns(value.bytes, value.size);
        if ((length && here != length) || memchr(value.bytes, ' ', value.size))
            return 0;
        length = here;
        *has_leading_zero |=
            value.size > 1 && value.bytes[0] == '0' && isdigit((unsigned char)value.bytes[1]);
    }
    return length;
}

static bool is_post_code(const char *name) {
    static const char *const words[] = {"zip", "post", "plz", "eircode", "outcode"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (const char *at = name; *at; at++)
            if (strncasecmp(at, words[i], strlen(words[i])) == 0)
                return true;
    return false;
}

/* 1, 2 or 5 times a power of ten, at least x. */
static double round_up(double x) {
    const double power = pow(10, floor(log10(x)));
    const double digit = x / power;
    return power * (digit <= 1.0000001 ? 1 : digit <= 2.0000001 ? 2 : digit <= 5.0000001 ? 5 : 10);
}

/* The bounds of the known numbers or days; false when there is at most one. */
static bool find_range(const kan_dictionary *dictionary, double *least, double *greatest,
                       bool *is_whole) {
    bool has_any = false;
    *is_whole = true;
    for (uint32_t code = 0; code < dictionary->n; code++) {
        double number;
        if (!kan_value_number(dictionary->type, kan_dictionary_value(dictionary, code), &number))
            continue;
        *least = has_any ? fmin(*least, number) : number;
        *greatest = has_any ? fmax(*greatest, number) : number;
        *is_whole = *is_whole && number == nearbyint(number);
        has_any = true;
    }
    return has_any && *greatest > *least;
}

static const char *propose_widths(double range, bool is_whole, char room[KAN_SPEC_BYTES]) {
    double width = round_up(range / FIRST_INTERVALS);
    /* beyond what widths can be written with */
    if (!(width >= 1e-9 && width < 1e15))
        return "suppress";
    if (is_whole && width < 2)
        width = 2;
    const double digit = width / pow(10, floor(log10(width) + 1e-9));
    const bool is_two = digit > 1.5 && digit < 2.5;
    /* 1,5,10  2,10,20  5,10,20 */
    const double factors[] = {1, is_two || digit < 1.5 ? 5 : 2, is_two || digit < 1.5 ? 10 : 4};
    size_t size = (size_t)snprintf(room, KAN_SPEC_BYTES, "intervals:%.12g", width);
    for (size_t i = 1; i < 3 && width * factors[i] < range; i++)
        size += (size_t)snprintf(room + size, KAN_SPEC_BYTES - size, ",%.12g", width * factors[i]);
    return room;
}

static const char *propose_dates(double days, char room[KAN_SPEC_BYTES]) {
    snprintf(room, KAN_SPEC_BYTES, "%s",
             days <= 366          ? "date:month,quarter"
             : days <= 366.0 * 20 ? "date:month,year"
                                  : "date:month,year,decade");
    return room;
}

static const char *propose_rarity(const kan_column *column, char room[KAN_SPEC_BYTES]) {
    const double n_rows = column->n_rows ? (double)kan_column_total(column) : column->dictionary.n;
    const double first = fmax(5, round_up(n_rows / 500)), second = round_up(n_rows / 50);
    if (second > first)
        snprintf(room, KAN_SPEC_BYTES, "frequency:%.0f,%.0f", first, second);
    else
        snprintf(room, KAN_SPEC_BYTES, "frequency:%.0f", first);
    return room;
}

/* The digits of a date must not be masked, wherever they stand. */
static bool has_date(const kan_dictionary *dictionary) {
    for (uint32_t code = 0; code < dictionary->n; code++) {
        kan_date date;
        const kan_slice value = kan_dictionary_value(dictionary, code);
        if (kan_date_parse(value, &date) || kan_value_is_other_date(value))
            return true;
    }
    return false;
}

/* Codes are masked; post codes of several lengths lose all but their first characters. */
static const char *propose_masks(const kan_column *column, char room[KAN_SPEC_BYTES]) {
    const kan_dictionary *dictionary = &column->dictionary;
    bool has_leading_zero;
    const size_t length = common_length(dictionary, &has_leading_zero);
    const bool is_number = dictionary->type == KAN_TYPE_NUMBER,
               is_post = is_post_code(column->name),
               are_digits = is_number || kan_column_is_called_text(column);
    const bool is_code = !is_number || has_leading_zero || is_post;
    if (dictionary->n <= FEW_VALUES && !(are_digits && is_code))
        return NULL;
    if (length >= 2 && length <= CODE_MOST && is_code && !has_date(dictionary)) {
        const size_t n_masked = length - 1 < MASKED_MOST ? length - 1 : MASKED_MOST;
        snprintf(room, KAN_SPEC_BYTES, "digits:%zu", n_masked);
        return room;
    }
    return length == 0 && is_post && !is_number ? "prefix:3,1" : NULL;
}

const char *kan_hierarchy_propose(const kan_column *column, char room[KAN_SPEC_BYTES]) {
    const kan_dictionary *dictionary = &column->dictionary;
    double least = 0, greatest = 0;
    bool is_whole;
    if (dictionary->n <= 2)
        return "suppress";
    if (dictionary->type == KAN_TYPE_DATE && find_range(dictionary, &least, &greatest, &is_whole))
        return propose_dates(greatest - least, room);
    if (kan_mixture_find(column).kind != KAN_MIXTURE_NONE)
        return NULL;
    const char *masks = propose_masks(column, room);
    if (masks)
        return masks;
    if (dictionary->type == KAN_TYPE_NUMBER && find_range(dictionary, &least, &greatest, &is_whole))
        return propose_widths(greatest - least, is_whole, room);
    /* numbers that are too long to be told apart are not counted either */
    const bool has_words = dictionary->type == KAN_TYPE_TEXT && dictionary->n > FEW_VALUES;
    return has_words ? propose_rarity(column, room) : "suppress";
}

/* ---- tried ---------------------------------------------------------------------------------- */

/* Whether a level below the top tells less than the one before it, and more than nothing. */
static bool is_useful(const kan_hierarchy *hierarchy, unsigned level) {
    const uint32_t n = hierarchy->levels[level].n_groups;
    return n > 1 && n < hierarchy->levels[level - 1].n_groups;
}

/* What is left of a list of arguments, one for each level. */
static size_t write_useful(const kan_hierarchy *hierarchy, const char *spec,
                           char room[KAN_SPEC_BYTES]) {
    const char *arguments = strchr(spec, ':') + 1;
    size_t size = (size_t)snprintf(room, KAN_SPEC_BYTES, "%.*s", (int)(arguments - spec), spec);
    unsigned level = 1, n = 0;
    for (const char *at = arguments; *at && level < hierarchy->height; level++) {
        const size_t here = strcspn(at, ",");
        if (is_useful(hierarchy, level))
            size += (size_t)snprintf(room + size, KAN_SPEC_BYTES - size, "%s%.*s", n++ ? "," : "",
                                     (int)here, at);
        at += here + (at[here] == ',');
    }
    return n;
}

/* digits:N masks one character more at each level, up to N; a prefix may leave some of these out. */
static size_t write_masks(const kan_hierarchy *hierarchy, size_t length,
                          char room[KAN_SPEC_BYTES]) {
    size_t size = (size_t)snprintf(room, KAN_SPEC_BYTES, "prefix:"), n = 0, last = 0;
    for (unsigned level = 1; level < hierarchy->height && level < length; level++)
        if (is_useful(hierarchy, level)) {
            size += (size_t)snprintf(room + size, KAN_SPEC_BYTES - size, "%s%zu", n++ ? "," : "",
                                     length - level);
            last = level;
        }
    if (n == last)
        snprintf(room, KAN_SPEC_BYTES, "digits:%zu", n);
    return n;
}

static const char *trim(const kan_hierarchy *hierarchy, const kan_column *column, const char *spec,
                        char room[KAN_SPEC_BYTES]) {
    char made[KAN_SPEC_BYTES];
    bool has_zero, are_useful = true;
    for (unsigned level = 1; level < hierarchy->height; level++)
        are_useful &= is_useful(hierarchy, level);
    if (are_useful || !strchr(spec, ':'))
        return spec;
    const size_t n =
        strncmp(spec, "digits:", 7) == 0
            ? write_masks(hierarchy, common_length(&column->dictionary, &has_zero), made)
            : write_useful(hierarchy, spec, made);
    if (n == 0)
        return "suppress";
    memcpy(room, made, sizeof made);
    return room;
}

kan_status kan_hierarchy_propose_tried(kan_run *run, const kan_column *column,
                                       char room[KAN_SPEC_BYTES], const char **out) {
    kan_hierarchy *hierarchy = NULL;
    *out = kan_hierarchy_propose(column, room);
    if (!*out)
        return KAN_OK;
    if (strncmp(*out, "frequency:", 10) == 0)
        return column->n_rows ? kan_frequency_trim(run, column, room) : KAN_OK;
    KAN_TRY(kan_hierarchy_build(run, *out, column, &hierarchy));
    *out = trim(hierarchy, column, *out, room);
    kan_hierarchy_destroy(hierarchy);
    return KAN_OK;
}
