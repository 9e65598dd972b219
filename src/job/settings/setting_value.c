/* The values of settings: how each form is read, and how lists of them are taken apart.
 *
 * A value is checked when it is set (setting_forms.c), so that a mistake is told before a file is
 * opened, and read by the walk with the parsers below; both go through the same code. */
#include <math.h>
#include <string.h>

#include "job/settings/settings_inside.h"

bool kan_suppress_parse(const char *text, kan_suppress_limit *out) {
    size_t size = strlen(text);
    if (strcmp(text, "all") == 0) {
        *out = (kan_suppress_limit){.rows = UINT64_MAX};
        return true;
    }
    if (size > 1 && text[size - 1] == '%') {
        double percent;
        if (!kan_parse_real(text, size - 1, &percent) || !(percent >= 0 && percent <= 100))
            return false;
        *out = (kan_suppress_limit){.is_percent = true, .percent = percent};
        return true;
    }
    uint64_t rows;
    if (!kan_parse_count(text, &rows))
        return false;
    *out = (kan_suppress_limit){.rows = rows};
    return true;
}

uint64_t kan_suppress_rows(const kan_suppress_limit *limit, uint64_t n_rows) {
    if (!limit->is_percent)
        return limit->rows < n_rows ? limit->rows : n_rows;
    KAN_ASSERT(limit->percent >= 0 && limit->percent <= 100);
    if (limit->percent >= 100)
        return n_rows;
    /* 0.29% of 100,000 rows is 290, although the product in binary falls short of it. */
    double rows = (double)n_rows * limit->percent / 100, nearest = nearbyint(rows);
    double whole = fabs(rows - nearest) <= 1e-9 * nearest ? nearest : floor(rows);
    return (uint64_t)whole < n_rows ? (uint64_t)whole : n_rows;
}

bool kan_effort_parse(const char *text, uint64_t *out) {
    if (strcmp(text, "all") == 0) {
        *out = UINT64_MAX;
        return true;
    }
    return kan_parse_count(text, out) && *out > 0;
}

bool kan_separator_parse(const char *text, char *out) {
    if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0) {
        *out = '\t';
        return true;
    }
    unsigned char c = (unsigned char)text[0];
    bool is_usable = (c >= 0x20 && c < 0x7f && c != '"') || c == '\t';
    if (!is_usable || text[1] != '\0')
        return false;
    *out = text[0];
    return true;
}

/* Only proportions matter; with larger ones the sums of a cost would lose the digits that they are
 * compared by. */
#define MOST_WEIGHT 1e9

bool kan_weight_parse(const char *text, kan_slice *name, double *weight) {
    const char *equals = strrchr(text, '=');
    double value;
    if (!equals || equals == text || !kan_parse_real(equals + 1, strlen(equals + 1), &value) ||
        value < 0 || value > MOST_WEIGHT)
        return false;
    *name = (kan_slice){text, (size_t)(equals - text)};
    *weight = value;
    return true;
}

bool kan_bins_parse(const char *text, kan_slice *name, const char **bins) {
    const char *equals = strrchr(text, '=');
    if (!equals || equals == text)
        return false;
    const char *at = strchr(equals, '@');
    const size_t size = at ? (size_t)(at - equals - 1) : strlen(equals + 1);
    double width, origin;
    if (!kan_parse_real(equals + 1, size, &width) || !(width > 0) ||
        (at && !kan_parse_real(at + 1, strlen(at + 1), &origin)))
        return false;
    *name = (kan_slice){text, (size_t)(equals - text)};
    *bins = equals + 1;
    return true;
}

/* A level, or nothing, which leaves *out as it is. */
static bool is_level_or_open(const char *text, size_t size, uint64_t *out) {
    char digits[24];
    if (size == 0)
        return true;
    if (size >= sizeof digits)
        return false;
    memcpy(digits, text, size);
    digits[size] = '\0';
    return kan_parse_count(digits, out);
}

bool kan_level_parse(const char *text, kan_slice *name, const char **range, uint64_t *low,
                     uint64_t *high) {
    const char *equals = strrchr(text, '=');
    if (!equals || equals == text)
        return false;
    const char *first = equals + 1, *dots = strstr(first, "..");
    *name = (kan_slice){text, (size_t)(equals - text)};
    *range = first;
    *low = 0;
    *high = UINT64_MAX;
    if (!dots) {
        const bool is_level = kan_parse_count(first, low);
        *high = *low;
        return is_level;
    }
    const char *last = dots + 2;
    return (dots > first || *last) && is_level_or_open(first, (size_t)(dots - first), low) &&
           is_level_or_open(last, strlen(last), high);
}

bool kan_order_parse(const char *text, kan_slice *name, const char **path) {
    kan_quasi_parse(text, name, path);
    return name->size > 0 && *path && **path && strcmp(*path, "-") != 0;
}

const char *kan_quoted_end(const char *text, const char *behind) {
    const char *at = text[0] == '"' && text[1] ? strchr(text + 2, '"') : NULL;
    while (at && at[1] && !strchr(behind, at[1]))
        at = strchr(at + 1, '"');
    return at;
}

void kan_quasi_parse(const char *text, kan_slice *name, const char **hierarchy) {
    const char *end = kan_quoted_end(text, "="), *equals = strchr(text, '=');
    if (end) {
        *name = (kan_slice){text + 1, (size_t)(end - text) - 1};
        *hierarchy = end[1] ? end + 2 : NULL;
        return;
    }
    *name = (kan_slice){text, equals ? (size_t)(equals - text) : strlen(text)};
    *hierarchy = equals ? equals + 1 : NULL;
}

/* ---- comma lists ---------------------------------------------------------------------------- */

static kan_slice trimmed(const char *bytes, size_t size) {
    while (size > 0 && bytes[0] == ' ') {
        bytes++;
        size--;
    }
    while (size > 0 && bytes[size - 1] == ' ')
        size--;
    return (kan_slice){bytes, size};
}

/* "20" or "20@17": a width, the last one perhaps with the origin. */
static bool is_width(kan_slice item) {
    double number;
    const char *at = item.size ? memchr(item.bytes, '@', item.size) : NULL;
    size_t size = at ? (size_t)(at - item.bytes) : item.size;
    if (!kan_parse_real(item.bytes, size, &number))
        return false;
    return !at || kan_parse_real(at + 1, item.size - size - 1, &number);
}

static bool is_date_part(kan_slice item) {
    static const char *const parts[] = {"week", "month",      "quarter", "half",
                                        "year", "five-years", "decade"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (kan_slice_is(item, parts[i]))
            return true;
    return false;
}

/* "5" or "10@2025-12-31": years, the last ones with a day. */
static bool is_years(kan_slice item) {
    double number;
    const char *at = item.size ? memchr(item.bytes, '@', item.size) : NULL;
    kan_date day;
    if (!at)
        return kan_parse_real(item.bytes, item.size, &number);
    const size_t size = (size_t)(at - item.bytes);
    return kan_parse_real(item.bytes, size, &number) &&
           kan_date_parse((kan_slice){at + 1, item.size - size - 1}, &day);
}

typedef bool (*argument_fn)(kan_slice item);

/* What continues the list of arguments of the builder that an item names; NULL: nothing does. */
static argument_fn arguments_of(kan_slice item) {
    static const struct {
        const char *builder;
        argument_fn is_argument;
    } lists[] = {{"intervals:", is_width}, {"prefix:", is_width},    {"date:", is_date_part},
                 {"age:", is_years},       {"quantiles:", is_width}, {"frequency:", is_width}};
    if (item.size == 0)
        return NULL;
    const char *end = kan_quoted_end(item.bytes, "=,");
    const char *equals = end ? end + 1 : memchr(item.bytes, '=', item.size);
    if (!equals || *equals != '=')
        return NULL;
    size_t left = item.size - (size_t)(equals + 1 - item.bytes);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        size_t size = strlen(lists[i].builder);
        if (left >= size && memcmp(equals + 1, lists[i].builder, size) == 0)
            return lists[i].is_argument;
    }
    return NULL;
}

bool kan_list_next(const char **list, bool is_quasi, kan_slice *item) {
    const char *from = *list;
    if (!from)
        return false;
    const char *end = kan_quoted_end(from + strspn(from, " "), "=,");
    size_t size = end ? (size_t)(end - from) + strcspn(end, ",") : strcspn(from, ",");
    argument_fn is_argument = is_quasi ? arguments_of(trimmed(from, size)) : NULL;
    while (is_argument && from[size] == ',') {
        size_t next = strcspn(from + size + 1, ",");
        if (!is_argument(trimmed(from + size + 1, next)))
            break;
        size += 1 + next;
    }
    *item = trimmed(from, size);
    *list = from[size] ? from + size + 1 : NULL;
    return true;
}

bool kan_list_is_one(const char *list, bool is_quasi) {
    kan_slice item;
    return kan_list_next(&list, is_quasi, &item) && !list && item.size > 0;
}

kan_status kan_list_take(kan_arena *arena, const kan_setting_entry *entry, kan_slice item,
                         const char **out) {
    char *copy;
    KAN_TRY(kan_arena_copy(arena, item.bytes, item.size, out));
    const char *end = kan_quoted_end(*out, "=");
    if (!end || !memchr(*out, ',', (size_t)(end - *out)) || kan_form_of(entry)->reads_quotes)
        return KAN_OK;
    const size_t name_size = (size_t)(end - *out) - 1, rest_size = strlen(end + 1);
    KAN_TRY(kan_arena_alloc(arena, name_size + rest_size + 1, 1, &copy));
    memcpy(copy, *out + 1, name_size);
    memcpy(copy + name_size, end + 1, rest_size + 1);
    *out = copy;
    return KAN_OK;
}

bool kan_levels_are(const char *list) {
    kan_slice item;
    bool are_counts = true;
    while (are_counts && kan_list_next(&list, false, &item)) {
        uint64_t level;
        are_counts = item.size > 0 && is_level_or_open(item.bytes, item.size, &level);
    }
    return are_counts;
}

/* No other sign is special: brackets are common in names. */
bool kan_name_is_like(const char *name, const char *pattern) {
    const char *star = NULL, *resume = NULL; /* the last *, and where what follows it was tried */
    while (*name) {
        if (*pattern == '*') {
            star = ++pattern;
            resume = name;
        } else if (*pattern && (*pattern == '?' || *pattern == *name)) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star;
            name = ++resume;
        } else {
            return false;
        }
    }
    return pattern[strspn(pattern, "*")] == '\0';
}

bool kan_setting_is_plain_name(const char *value) {
    return !strpbrk(value, "./");
}
