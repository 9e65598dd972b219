/* The table of forms: how the value of a setting is written, what a message names where it is not,
 * and which column it is about. */
#include <stdio.h>
#include <string.h>

#include "core/column_sets.h"
#include "data/cohort/cohort.h"
#include "data/formula/formula.h"
#include "job/settings/settings_inside.h"

/* ---- parsers -------------------------------------------------------------------------------- */

/* What the reader of a value gives beside the column is for the walk. */

static bool is_suppress(const char *text, kan_slice *column) {
    kan_suppress_limit limit;
    (void)column;
    return kan_suppress_parse(text, &limit);
}

static bool is_effort(const char *text, kan_slice *column) {
    uint64_t n_steps;
    (void)column;
    return kan_effort_parse(text, &n_steps);
}

static bool is_bytes(const char *text, kan_slice *column) {
    uint64_t bytes;
    (void)column;
    return kan_parse_bytes(text, &bytes) && bytes > 0;
}

static bool is_separator(const char *text, kan_slice *column) {
    char separator;
    (void)column;
    return kan_separator_parse(text, &separator);
}

static bool is_encoding(const char *text, kan_slice *column) {
    (void)column;
    return kan_encoding_is_known(text);
}

static bool is_days(const char *text, kan_slice *column) {
    uint64_t days;
    (void)column;
    return kan_days_parse(text, &days);
}

static bool are_levels(const char *text, kan_slice *column) {
    (void)column;
    return kan_levels_are(text);
}

static bool is_weight(const char *text, kan_slice *column) {
    double weight;
    return kan_weight_parse(text, column, &weight);
}

static bool are_bins(const char *text, kan_slice *column) {
    const char *bins;
    return kan_bins_parse(text, column, &bins);
}

static bool is_level(const char *text, kan_slice *column) {
    const char *range;
    uint64_t low, high;
    return kan_level_parse(text, column, &range, &low, &high);
}

static bool is_order(const char *text, kan_slice *column) {
    const char *path;
    return kan_order_parse(text, column, &path);
}

static bool is_cap(const char *text, kan_slice *column) {
    kan_slice low, high;
    return kan_cap_parse(text, column, &low, &high);
}

static bool is_step(const char *text, kan_slice *column) {
    kan_slice step;
    return kan_step_parse(text, column, &step);
}

/* The next three have checks of their own: what is wrong with them has several remedies. */

static bool is_quasi(const char *text, kan_slice *column) {
    const char *hierarchy;
    kan_quasi_parse(text, column, &hierarchy);
    return true;
}

static bool is_spelling(const char *text, kan_slice *column) {
    const char *rest;
    kan_spelled_parse(text, column, &rest);
    return true;
}

static bool is_named(const char *text, kan_slice *column) {
    const char *value;
    kan_option_split(text, column, &value);
    return true;
}

/* ---- checks --------------------------------------------------------------------------------- */

static kan_status check_spec(kan_run *run, const kan_setting_entry *entry, const char *value) {
    return kan_setting_check_choice(run, entry, value);
}

static kan_status check_path(kan_run *run, const kan_setting_entry *entry, const char *value) {
    return kan_setting_check_address(run, entry->setting.name, value);
}

static kan_status check_spelling(kan_run *run, const kan_setting_entry *entry, const char *value) {
    return kan_spelled_check(run, entry->setting.name, value);
}

static kan_status check_k(kan_run *run, const kan_setting_entry *entry, const char *value) {
    const char *name = entry->setting.name;
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

static kan_status check_subsets(kan_run *run, const kan_setting_entry *entry, const char *value) {
    kan_column_sets subsets;
    const char *why;
    char quoted[256];
    if (kan_column_sets_parse(value, &subsets, &why))
        return KAN_OK;
    return kan_fail(run, KAN_BAD_INPUT, "--%s: %s is not understood: %s", entry->setting.name,
                    kan_quote(kan_slice_of(value), quoted), why);
}

static kan_status check_where(kan_run *run, const kan_setting_entry *entry, const char *value) {
    kan_arena arena;
    kan_cohort *cohort;
    (void)entry;
    kan_arena_init(&arena, run);
    const kan_status status = kan_cohort_parse(run, &arena, value, &cohort);
    kan_arena_destroy(&arena);
    return status;
}

static kan_status check_formula(kan_run *run, const kan_setting_entry *entry, const char *value) {
    kan_formula formula;
    const char *why;
    char quoted[256];
    if (kan_formula_parse(value, &formula, &why))
        return KAN_OK;
    return kan_fail(run, KAN_BAD_INPUT, "--%s: %s is not understood: %s", entry->setting.name,
                    kan_quote(kan_slice_of(value), quoted), why);
}

static kan_status check_quasi(kan_run *run, const kan_setting_entry *entry, const char *value) {
    const char *name = entry->setting.name;
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

/* The name of a search where a model is wanted, or the reverse: the flag that it belongs to, which is
 * a list where this one is. */
static kan_status fail_other(kan_run *run, const kan_setting_entry *entry, const char *value) {
    const bool is_search = entry->family == KAN_FAMILY_SEARCH;
    return kan_fail(run, KAN_BAD_INPUT, "--%s: %s is a %s, not a %s; write --%s%s %s",
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

static kan_status bad_value(kan_run *run, const kan_setting_entry *entry, const char *value,
                            const char *remedy) {
    char quoted[256];
    return kan_fail(run, KAN_BAD_INPUT, "--%s: %s is not understood; %s", entry->setting.name,
                    kan_quote(kan_slice_of(value), quoted), remedy);
}

/* Whoever names a column alone may mean the weights of a survey. */
static kan_status check_weight(kan_run *run, const kan_setting_entry *entry, const char *value) {
    kan_slice column;
    if (is_weight(value, &column))
        return KAN_OK;
    return bad_value(run, entry, value,
                     strchr(value, '=')
                         ? "write a column and a number from 0 to 1e9, such as age=2"
                         : "write a quasi-identifier and how much it matters, such as "
                           "age=2; " KAN_NO_SURVEY_WEIGHTS);
}

static kan_status check_per_column(kan_run *run, const kan_setting_entry *entry, const char *text) {
    kan_slice column;
    const char *value, *name = entry->setting.name;
    char quoted[256];
    kan_option_split(text, &column, &value);
    if (value == text || (column.size > 0 && *value))
        return kan_option_check(run, &entry->spec, value);
    return kan_fail(run, KAN_BAD_INPUT, "--%s: there is %s %s the = of %s; write --%s %s", name,
                    *value ? "no column" : "nothing", *value ? "before" : "after",
                    kan_quote(kan_slice_of(text), quoted), name, entry->setting.argument);
}

/* ---- the table ------------------------------------------------------------------------------ */

static const kan_form forms[KAN_N_FORMS] = {
    [KAN_FORM_SPEC] = {.check = check_spec},
    [KAN_FORM_TEXT] = {.is_any = true},
    [KAN_FORM_PATH] = {.check = check_path, .names_file = true},
    [KAN_FORM_K] = {.check = check_k},
    [KAN_FORM_COLUMN] = {.is_any = true, .takes_columns = true},
    [KAN_FORM_COLUMNS] = {.is_any = true, .takes_columns = true},
    [KAN_FORM_QUASI] = {.parse = is_quasi,
                        .check = check_quasi,
                        .takes_columns = true,
                        .takes_pairs = true,
                        .reads_quotes = true,
                        .names_file = true,
                        .example = "intervals:5,10,20"},
    [KAN_FORM_SUPPRESS] = {.parse = is_suppress,
                           .remedy = "write a number of rows, a percentage up to 100%, or all"},
    [KAN_FORM_EFFORT] = {.parse = is_effort,
                         .remedy = "write a number of steps, at least 1, or all"},
    [KAN_FORM_SUBSETS] = {.check = check_subsets, .is_whole = true},
    [KAN_FORM_FORMULA] = {.check = check_formula, .is_whole = true},
    [KAN_FORM_WHERE] = {.check = check_where, .is_whole = true},
    [KAN_FORM_BYTES] = {.parse = is_bytes, .remedy = "write a size such as 512M or 2G"},
    [KAN_FORM_SEPARATOR] = {.parse = is_separator,
                            .remedy = "write one character (not a quote or a line break), or tab"},
    [KAN_FORM_ENCODING] = {.parse = is_encoding,
                           .remedy = "write the name of an encoding, such as latin1, windows-1252, "
                                     "utf-16 or utf-8; `iconv -l` lists all"},
    [KAN_FORM_WEIGHT] = {.parse = is_weight,
                         .check = check_weight,
                         .takes_columns = true,
                         .takes_pairs = true,
                         .example = "2"},
    [KAN_FORM_BINS] = {.parse = are_bins,
                       .remedy =
                           "write a column and a width above 0, such as age=5, or age=5@17 to "
                           "begin the bins at 17",
                       .takes_columns = true,
                       .takes_pairs = true,
                       .example = "5"},
    [KAN_FORM_LEVELS] = {.parse = are_levels,
                         .remedy =
                             "write one level for each quasi-identifier, in the order of --qi, "
                             "such as 2,0,1"},
    [KAN_FORM_LEVEL] = {.parse = is_level,
                        .remedy =
                            "write a column and a level, or the lowest and the highest that it "
                            "may have: age=2, age=1..3, age=1.. or age=..3",
                        .takes_columns = true,
                        .takes_pairs = true,
                        .example = "1..3"},
    [KAN_FORM_ORDER] = {.parse = is_order,
                        .remedy = "write a column and a file, such as "
                                  "education=hierarchies/education.csv",
                        .takes_columns = true,
                        .takes_pairs = true,
                        .reads_quotes = true,
                        .names_file = true,
                        .example = "age-order.txt"},
    [KAN_FORM_CAP] = {.parse = is_cap,
                      .remedy = "write a column and two bounds, the lower one first, of which one "
                                "may be left out: age=18..90, age=..90, born=1935-01-01..",
                      .takes_columns = true,
                      .takes_pairs = true,
                      .example = "18..90"},
    [KAN_FORM_STEP] = {.parse = is_step,
                       .remedy = "write a column and a number above 0 of at most 17 decimals, such "
                                 "as income=1000",
                       .takes_columns = true,
                       .takes_pairs = true,
                       .example = "1000"},
    [KAN_FORM_DAYS] = {.parse = is_days,
                       .remedy = "write a whole number of days from 1 to 1000000, such as 365"},
    [KAN_FORM_SPELLING] = {.parse = is_spelling,
                           .check = check_spelling,
                           .takes_pairs = true,
                           .reads_quotes = true,
                           .is_whole = true,
                           .example = "','"},
    [KAN_FORM_NAMED] = {.parse = is_named,
                        .check = check_per_column,
                        .takes_pairs = true,
                        .is_whole = true,
                        .example = "2"},
    [KAN_FORM_VALUES] = {.is_any = true, .is_whole = true},
    [KAN_FORM_COUNT_OR_PATH] = {.is_any = true},
    [KAN_FORM_KIND] = {.check = check_kind},
};

const kan_form *kan_form_of(const kan_setting_entry *entry) {
    return &forms[entry->form];
}

kan_slice kan_form_column(const kan_setting_entry *entry, const char *value) {
    const kan_form *form = kan_form_of(entry);
    kan_slice column = kan_slice_of(value);
    if (form->takes_pairs)
        (void)form->parse(value, &column);
    return column;
}

kan_status kan_setting_check(kan_run *run, const kan_setting_entry *entry, const char *value) {
    const kan_form *form = kan_form_of(entry);
    const char *name = entry->setting.name;
    kan_slice column;
    if (!*value)
        return kan_fail(run, KAN_BAD_INPUT, "--%s: the value is empty; write --%s %s", name, name,
                        entry->setting.argument ? entry->setting.argument : "true");
    if (form->check)
        return form->check(run, entry, value);
    if (form->is_any || form->parse(value, &column))
        return KAN_OK;
    return bad_value(run, entry, value, entry->remedy ? entry->remedy : form->remedy);
}

kan_status kan_setting_check_count(kan_run *run, const kan_setting_entry *entry,
                                   const char *value) {
    return kan_option_check(run, &entry->spec, value);
}
