/* What a format cannot hold is told before anything is searched for. */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "io/stat/stat_sink.h"

const kan_stat_limits *kan_stat_limits_of(kan_stat_target target) {
    /* libreadstat counts rows with an int. Of a .sav it tells 10,000 columns apart, and loses the end
     * of texts that are still longer. */
    static const kan_stat_limits limits[] = {
        [KAN_STAT_TO_SAV] = {.ending = ".sav",
                             .vendor = KAN_STAT_SPSS,
                             .most_rows = INT_MAX,
                             .most_columns = 9999,
                             .name_bytes = 64,
                             .name_characters = 64,
                             .text_bytes = 32752,
                             .has_labels = true,
                             .has_text_labels = true,
                             .label_bytes = 120,
                             .column_label_bytes = 252,
                             .has_ranges = true},
        [KAN_STAT_TO_ZSAV] = {.ending = ".zsav",
                              .vendor = KAN_STAT_SPSS,
                              .most_rows = INT_MAX,
                              .most_columns = 9999,
                              .name_bytes = 64,
                              .name_characters = 64,
                              .text_bytes = 32752,
                              .has_labels = true,
                              .has_text_labels = true,
                              .label_bytes = 120,
                              .column_label_bytes = 252,
                              .has_ranges = true},
        [KAN_STAT_TO_POR] = {.ending = ".por",
                             .vendor = KAN_STAT_SPSS,
                             .most_rows = INT_MAX,
                             .most_columns = 9999,
                             .name_bytes = 8,
                             .name_characters = 8,
                             .names_are_capital = true,
                             .text_bytes = 255,
                             .has_labels = true,
                             .label_bytes = 120,
                             .column_label_bytes = 120,
                             .has_ranges = true},
        [KAN_STAT_TO_DTA] = {.ending = ".dta",
                             .vendor = KAN_STAT_STATA,
                             .most_rows = INT_MAX,
                             .most_columns = 32767,
                             .name_bytes = 128,
                             .name_characters = 32,
                             .names_differ_by_case = true,
                             .text_bytes = 2000000000,
                             .has_labels = true,
                             .label_bytes = 32000,
                             .column_label_bytes = 80,
                             .has_tags = true,
                             .has_storage = true},
        [KAN_STAT_TO_XPT] = {.ending = ".xpt",
                             .vendor = KAN_STAT_SAS,
                             .most_rows = INT_MAX,
                             .most_columns = 9999,
                             .name_bytes = 32,
                             .name_characters = 32,
                             .text_bytes = 32767,
                             .column_label_bytes = 256,
                             .has_tags = true},
    };
    return &limits[target];
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Words that a format keeps for itself, each between blanks, in capitals. */
static const char *const reserved[] = {
    [KAN_STAT_SPSS] = " ALL AND BY EQ GE GT LE LT NE NOT OR TO WITH ",
    [KAN_STAT_STATA] = (" _ALL _B BYTE _COEF _CONS DOUBLE FLOAT IF IN INT LONG _N _PI _PRED _RC "
                        "_SKIP STRL USING WITH "),
    [KAN_STAT_SAS] = " _N_ _ERROR_ _NUMERIC_ _CHARACTER_ _ALL_ ",
};

static bool is_reserved(kan_stat_vendor vendor, const char *name) {
    char word[40];
    const size_t size = strlen(name);
    if (size + 3 > sizeof word)
        return false;
    (void)snprintf(word, sizeof word, " %s ", name);
    for (char *at = word; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    /* str1 to str2045 are types of Stata. */
    if (vendor == KAN_STAT_STATA && size > 3 && strncmp(name, "str", 3) == 0 &&
        strspn(name + 3, "0123456789") == size - 3)
        return true;
    return strstr(reserved[vendor], word) != NULL;
}

/* What may stand in a name, beside letters and digits. */
static bool is_name_byte(const kan_stat_limits *limits, char byte, bool is_first) {
    const unsigned char c = (unsigned char)byte;
    if (c >= 0x80)
        return limits->vendor != KAN_STAT_SAS && !limits->names_are_capital;
    if (isupper(c) || (islower(c) && !limits->names_are_capital))
        return true;
    if (limits->vendor == KAN_STAT_SPSS)
        return byte == '@' || (!is_first && (isdigit(c) || strchr("._$#", byte)));
    return byte == '_' || (!is_first && isdigit(c));
}

/* Why a name cannot be held; NULL: it can. */
static const char *name_fault(const kan_stat_limits *limits, const char *name) {
    const size_t size = strlen(name);
    for (size_t at = 0, n; at < size; at += n)
        if ((n = kan_utf8_length(name + at, size - at)) == 0)
            return "is not UTF-8";
    if (size > limits->name_bytes || kan_text_columns(name, size) > limits->name_characters)
        return "is too long";
    for (size_t i = 0; i < size; i++) {
        if (is_name_byte(limits, name[i], i == 0))
            continue;
        if (limits->names_are_capital && islower((unsigned char)name[i]))
            return "has lower-case letters";
        return i == 0 ? "begins with a character that is not allowed there"
                      : "has characters that are not allowed in a name";
    }
    if (limits->vendor == KAN_STAT_SPSS && size > 0 && name[size - 1] == '.')
        return "ends with a dot";
    return is_reserved(limits->vendor, name) ? "is a word that the format reserves" : NULL;
}

static const char *rule_of(const kan_stat_limits *limits) {
    if (limits->names_are_capital)
        return "names have at most 8 capital letters, digits and ._$#@, a letter first";
    if (limits->vendor == KAN_STAT_SPSS)
        return "names have at most 64 bytes: letters, digits and ._$#@, a letter first";
    return "names have at most 32 letters, digits and underscores, no digit first";
}

static int compare_names(const void *a, const void *b) {
    return strcasecmp(*(const char *const *)a, *(const char *const *)b);
}

static kan_status check_case(kan_run *run, const kan_stat_limits *limits,
                             const kan_sink_sketch *sketch) {
    const char **sorted;
    KAN_TRY(kan_alloc(run, sketch->n_columns, sizeof *sorted, &sorted));
    for (size_t i = 0; i < sketch->n_columns; i++)
        sorted[i] = sketch->columns[i];
    if (sketch->n_columns > 0)
        qsort(sorted, sketch->n_columns, sizeof *sorted, compare_names);
    for (size_t i = 1; i < sketch->n_columns; i++)
        if (strcasecmp(sorted[i - 1], sorted[i]) == 0)
            kan_problem_add(run,
                            "%s: a %s file cannot tell the columns '%s' and '%s' apart; rename one",
                            sketch->target, limits->ending, sorted[i - 1], sorted[i]);
    kan_free(run, sorted);
    return KAN_OK;
}

static void check_names(kan_run *run, const kan_stat_limits *limits,
                        const kan_sink_sketch *sketch) {
    char quoted[256];
    for (size_t i = 0; i < sketch->n_columns; i++) {
        const char *fault = name_fault(limits, sketch->columns[i]);
        if (fault)
            kan_problem_add(run,
                            "%s: the name %s %s; in a %s file %s: rename the column, or write "
                            "CSV",
                            sketch->target, kan_quote(kan_slice_of(sketch->columns[i]), quoted),
                            fault, limits->ending, rule_of(limits));
    }
}

kan_status kan_stat_check(kan_run *run, kan_stat_target target, const kan_sink_sketch *sketch) {
    const kan_stat_limits *limits = kan_stat_limits_of(target);
    char most[32];
    kan_problems_begin(run);
    if (sketch->n_rows > limits->most_rows)
        kan_problem_add(run, "%s: a %s file has at most %s rows; write CSV", sketch->target,
                        limits->ending, kan_count_text(limits->most_rows, most));
    if (sketch->n_columns > limits->most_columns)
        kan_problem_add(run, "%s: a %s file has at most %s columns; leave some out, or write CSV",
                        sketch->target, limits->ending, kan_count_text(limits->most_columns, most));
    check_names(run, limits, sketch);
    if (!limits->names_differ_by_case)
        KAN_TRY(check_case(run, limits, sketch));
    return kan_problems_end(run);
}
