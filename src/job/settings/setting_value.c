/* The values of settings: how each form is written, checked and read.
 *
 * A value is checked when it is set, so that a mistake is told before a file is opened, and read by
 * the walk with the parsers below; both go through the same code. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "job/settings/settings.h"

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
    static const char *const parts[] = {"week", "month", "quarter", "half", "year", "decade"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (kan_slice_is(item, parts[i]))
            return true;
    return false;
}

typedef bool (*argument_fn)(kan_slice item);

/* What continues the list of arguments of the builder that an item names; NULL: nothing does. */
static argument_fn arguments_of(kan_slice item) {
    static const struct {
        const char *builder;
        argument_fn is_argument;
    } lists[] = {{"intervals:", is_width},
                 {"prefix:", is_width},
                 {"date:", is_date_part},
                 {"quantiles:", is_width},
                 {"frequency:", is_width}};
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
    const kan_setting_form form = entry->form;
    char *copy;
    KAN_TRY(kan_arena_copy(arena, item.bytes, item.size, out));
    const char *end = kan_quoted_end(*out, "=");
    if (!end || !memchr(*out, ',', (size_t)(end - *out)) || form == KAN_FORM_QUASI ||
        form == KAN_FORM_ORDER)
        return KAN_OK;
    const size_t name_size = (size_t)(end - *out) - 1, rest_size = strlen(end + 1);
    KAN_TRY(kan_arena_alloc(arena, name_size + rest_size + 1, 1, &copy));
    memcpy(copy, *out + 1, name_size);
    memcpy(copy + name_size, end + 1, rest_size + 1);
    *out = copy;
    return KAN_OK;
}

/* ---- checks --------------------------------------------------------------------------------- */

static kan_status check_k(kan_run *run, const char *name, const char *value) {
    uint64_t k;
    char quoted[256];
    if (!kan_parse_count(value, &k))
        return kan_fail(run, KAN_BAD_INPUT, "--%s: %s is not a whole number above 0; write --%s 5",
                        name, kan_quote(kan_slice_of(value), quoted), name);
    if (k == 0)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--%s: 0 is too small; k is the number of rows that must look alike in "
                        "every group, so it is at least 1, and 2 or more to protect anybody",
                        name);
    return KAN_OK;
}

static kan_status check_quasi(kan_run *run, const char *name, const char *value) {
    kan_slice column;
    const char *hierarchy;
    char quoted[256];
    kan_quasi_parse(value, &column, &hierarchy);
    if (column.size == 0)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--%s: %s names no column; write NAME or NAME=HIERARCHY", name,
                        kan_quote(kan_slice_of(value), quoted));
    if (hierarchy && !*hierarchy)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--%s: nothing follows %s; name a file or a builder such as "
                        "intervals:5,10,20, or leave out the =",
                        name, kan_quote(kan_slice_of(value), quoted));
    return KAN_OK;
}

static bool are_levels(const char *list) {
    kan_slice item;
    bool are_counts = true;
    while (are_counts && kan_list_next(&list, false, &item)) {
        uint64_t level;
        are_counts = item.size > 0 && is_level_or_open(item.bytes, item.size, &level);
    }
    return are_counts;
}

/* The name of a search where a model is wanted, or the reverse: the flag that it belongs to, which is
 * a list where this one is. */
static kan_status fail_other(kan_run *run, const kan_setting_entry *entry, const char *value) {
    const bool is_search = entry->family == KAN_FAMILY_SEARCH;
    return kan_fail(run, KAN_BAD_INPUT, "--%s: %s is a %s, not a %s; say --%s%s %s",
                    entry->setting.name, value, is_search ? "recoding model" : "search",
                    is_search ? "search" : "recoding model", is_search ? "recoding" : "algorithm",
                    entry->setting.repeats ? "s" : "", value);
}

static kan_status check_kind(kan_run *run, const kan_setting_entry *entry, const char *value) {
    const kan_kind *kind;
    if (entry->automatic && strcmp(value, entry->automatic) == 0)
        return KAN_OK;
    if (kan_registry_is_other(entry->family, value))
        return fail_other(run, entry, value);
    kan_status status = kan_registry_need(run, entry->family, value, &kind);
    /* The generator is the positional argument: there is no flag to name. */
    if (status != KAN_OK && entry->family != KAN_FAMILY_GENERATOR) {
        char text[1024];
        snprintf(text, sizeof text, "%s", kan_run_error(run));
        return kan_fail(run, status, "--%s: %s%s%s", entry->setting.name, text,
                        entry->automatic ? ", and " : "", entry->automatic ? entry->automatic : "");
    }
    return status;
}

static kan_status bad_value(kan_run *run, const char *name, const char *value, const char *remedy) {
    char quoted[256];
    return kan_fail(run, KAN_BAD_INPUT, "--%s: %s is not understood; %s", name,
                    kan_quote(kan_slice_of(value), quoted), remedy);
}

static kan_status check_per_column(kan_run *run, const kan_setting_entry *entry, const char *text) {
    kan_slice column;
    const char *value, *name = entry->setting.name;
    char quoted[256];
    kan_option_split(text, &column, &value);
    if (value == text || (column.size > 0 && *value))
        return kan_option_check(run, &entry->spec, value);
    return kan_fail(run, KAN_BAD_INPUT, "--%s: %s stands %s the = of %s; write --%s %s", name,
                    *value ? "no column" : "nothing", *value ? "before" : "behind",
                    kan_quote(kan_slice_of(text), quoted), name, entry->setting.argument);
}

kan_status kan_setting_check(kan_run *run, const kan_setting_entry *entry, const char *value) {
    const char *name = entry->setting.name;
    kan_suppress_limit limit;
    kan_slice column, first, second;
    const char *rest;
    double weight;
    uint64_t bytes, low, high;
    char separator;
    if (!*value)
        return kan_fail(run, KAN_BAD_INPUT, "--%s: the value is empty; write --%s %s", name, name,
                        entry->setting.argument ? entry->setting.argument : "true");
    switch (entry->form) {
    case KAN_FORM_SPEC:
        return kan_option_check(run, &entry->spec, value);
    case KAN_FORM_NAMED:
        return check_per_column(run, entry, value);
    case KAN_FORM_K:
        return check_k(run, name, value);
    case KAN_FORM_QUASI:
        return check_quasi(run, name, value);
    case KAN_FORM_KIND:
        return check_kind(run, entry, value);
    case KAN_FORM_SUPPRESS:
        return kan_suppress_parse(value, &limit)
                   ? KAN_OK
                   : bad_value(run, name, value,
                               "write a number of rows, a percentage up to 100%, or all");
    case KAN_FORM_BYTES:
        return kan_parse_bytes(value, &bytes) && bytes > 0
                   ? KAN_OK
                   : bad_value(run, name, value, "write a size such as 512M or 2G");
    case KAN_FORM_SEPARATOR:
        return kan_separator_parse(value, &separator)
                   ? KAN_OK
                   : bad_value(run, name, value,
                               "write one character (not a quote or a line break), or tab");
    case KAN_FORM_ENCODING:
        return kan_encoding_is_known(value)
                   ? KAN_OK
                   : bad_value(run, name, value,
                               "write the name of an encoding, such as latin1, windows-1252, "
                               "utf-16 or utf-8; `iconv -l` lists all");
    case KAN_FORM_WEIGHT:
        return kan_weight_parse(value, &column, &weight)
                   ? KAN_OK
                   : bad_value(run, name, value,
                               strchr(value, '=')
                                   ? "write a column and a number from 0 to 1e9, such as age=2"
                                   : "write a quasi-identifier and how much it matters, such as "
                                     "age=2; " KAN_NO_SURVEY_WEIGHTS);
    case KAN_FORM_BINS:
        return kan_bins_parse(value, &column, &rest)
                   ? KAN_OK
                   : bad_value(run, name, value,
                               "write a column and a width above 0, such as age=5, or age=5@17 to "
                               "begin the bins at 17");
    case KAN_FORM_LEVELS:
        return are_levels(value)
                   ? KAN_OK
                   : bad_value(run, name, value,
                               "write one level for each quasi-identifier, in the order of --qi, "
                               "such as 2,0,1");
    case KAN_FORM_LEVEL:
        return kan_level_parse(value, &column, &rest, &low, &high)
                   ? KAN_OK
                   : bad_value(run, name, value,
                               "write a column and a level, or the lowest and the highest that it "
                               "may have: age=2, age=1..3, age=1.. or age=..3");
    case KAN_FORM_ORDER:
        return kan_order_parse(value, &column, &rest)
                   ? KAN_OK
                   : bad_value(run, name, value,
                               strcmp(name, "order") == 0
                                   ? "write a column and a file with one value per line, such as "
                                     "education=education-order.txt"
                                   : "write a column and a file, such as "
                                     "education=hierarchies/education.csv");
    case KAN_FORM_CAP:
        return kan_cap_parse(value, &column, &first, &second)
                   ? KAN_OK
                   : bad_value(run, name, value,
                               "write a column and two bounds, the lower one first, of which one "
                               "may be left out: age=18..90, age=..90, born=1935-01-01..");
    case KAN_FORM_STEP:
        return kan_step_parse(value, &column, &first)
                   ? KAN_OK
                   : bad_value(run, name, value,
                               "write a column and a number above 0 of at most 17 decimals, such "
                               "as income=1000");
    case KAN_FORM_DAYS:
        return kan_days_parse(value, &bytes)
                   ? KAN_OK
                   : bad_value(run, name, value,
                               "write a whole number of days from 1 to 1000000, such as 365");
    case KAN_FORM_SPELLING:
        return kan_spelled_check(run, name, value);
    case KAN_FORM_PATH:
        return kan_setting_check_address(run, name, value);
    case KAN_FORM_TEXT:
    case KAN_FORM_VALUES:
    case KAN_FORM_COLUMN:
    case KAN_FORM_COLUMNS:
    case KAN_FORM_COUNT_OR_PATH:
        break;
    }
    return KAN_OK;
}

kan_status kan_setting_check_count(kan_run *run, const kan_setting_entry *entry,
                                   const char *value) {
    return kan_option_check(run, &entry->spec, value);
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
