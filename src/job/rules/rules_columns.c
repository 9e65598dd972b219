/* Reading a table and judging its columns: each with all of its values, a few columns at a time. */
#include <math.h>
#include <stdio.h>

#include "core/signs.h"
#include "job/rules/rules.h"

enum { AT_ONCE = 32, MOST_MISSING = 64 };

/* ---- what was decided ----------------------------------------------------------------------- */

static bool is_listed(const char *const *list, const char *name) {
    for (; *list; list++)
        if (strcmp(*list, name) == 0)
            return true;
    return false;
}

/* The column that a value of `qi` or `reviewed` names. */
static kan_slice name_in(const char *setting, const char *value) {
    kan_slice name = kan_slice_of(value);
    const char *hierarchy;
    if (kan_setting_takes_pairs(kan_setting_entry_find(setting)))
        kan_quasi_parse(value, &name, &hierarchy);
    return name;
}

bool kan_rules_names(const kan_job *job, const char *setting, const char *column) {
    for (size_t i = 0; i < job->options.n; i++)
        if (strcmp(job->options.values[i].name, setting) == 0 &&
            kan_slice_is(name_in(setting, job->options.values[i].value), column))
            return true;
    return false;
}

static kan_rules_decided decide(const kan_rules *r, const char *name) {
    if (is_listed(r->rule.drop, name))
        return KAN_RULES_BY_DROP;
    if (r->has_promise && (is_listed(r->rule.qi, name) || kan_rules_names(r->job, "qi", name)))
        return KAN_RULES_BY_PROMISE;
    if (is_listed(r->rule.keep, name))
        return KAN_RULES_BY_OFFICE;
    return kan_rules_names(r->job, "reviewed", name) ? KAN_RULES_BY_PERSON : KAN_RULES_BY_NOBODY;
}

/* Every column that is named must be there: a slip would leave one unseen. */
static void check_names(const kan_rules *r, const char *setting) {
    for (size_t i = 0; i < r->job->options.n; i++) {
        size_t unused;
        if (strcmp(r->job->options.values[i].name, setting) != 0)
            continue;
        const kan_slice name = name_in(setting, r->job->options.values[i].value);
        if (!kan_input_find(&r->input, name, &unused))
            kan_input_add_unknown(&r->input, setting, name);
    }
}

/* ---- one column ----------------------------------------------------------------------------- */

/* -9, 99, 888: no ZIP code and no number of anybody. */
static bool is_code(kan_slice value) {
    size_t i = value.size > 0 && value.bytes[0] == '-';
    const char first = i < value.size ? value.bytes[i] : '\0';
    if (!kan_is_digit(first) || value.size > 4)
        return false;
    while (i < value.size && value.bytes[i] == first)
        i++;
    return i == value.size;
}

/* Words for missing values that stand in the file all the same: those that a person may be called. */
static size_t list_missing(const kan_rules *r, size_t column, char **room, kan_slice *list) {
    size_t n = 0;
    for (size_t i = 0; i < r->job->options.n && n < MOST_MISSING; i++) {
        kan_slice name, value;
        const char *rest;
        if (strcmp(r->job->options.values[i].name, kan_writing_names[KAN_WRITING_MISSING]) != 0)
            continue;
        kan_spelled_parse(r->job->options.values[i].value, &name, &rest);
        if (name.size > 0 && !kan_slice_is(name, r->input.columns[column]))
            continue;
        while (n < MOST_MISSING && kan_missing_next(&rest, *room, &value)) {
            kan_closed_value v;
            kan_closed_read(value, &v);
            *room += value.size + 1;
            if (!(v.sets & KAN_CLOSED_BLANK) && !kan_missing_code(value) && !is_code(value))
                list[n++] = value;
        }
    }
    return n;
}

static size_t missing_bytes(const kan_rules *r) {
    size_t n = 1;
    for (size_t i = 0; i < r->job->options.n; i++)
        n += strlen(r->job->options.values[i].value) + 1;
    return n;
}

static kan_status judge_one(kan_rules *r, size_t c) {
    const kan_field *field = kan_input_field(&r->input, c);
    kan_profile_column *profile = &r->profiles[c];
    const bool is_read = !(field && field->is_nested);
    const kan_column *column = is_read ? &r->input.table->columns[c] : NULL;
    const size_t n_labels = field ? field->n_labels : 0;
    kan_slice *labels = NULL;
    char *room = NULL, *at;
    kan_status status;
    if (is_read)
        KAN_TRY(kan_profile_column_make(r->run, column, kan_table_total(r->input.table), profile));
    else
        kan_profile_suggest_nested(profile, r->n_rows);
    profile->name = r->input.columns[c];
    if (is_read)
        kan_profile_suggest(profile, r->skip);
    KAN_TRY_DONE(kan_alloc(r->run, n_labels + MOST_MISSING, sizeof *labels, &labels));
    KAN_TRY_DONE(kan_alloc(r->run, missing_bytes(r), 1, &room));
    at = room;
    kan_rule_question question = {.rule = &r->rule,
                                  .column = column,
                                  .profile = profile,
                                  .label = field ? field->label : NULL,
                                  .value_labels = labels,
                                  .areas = &r->areas,
                                  .release_year = r->release_year,
                                  .skip = r->skip};
    for (size_t i = 0; i < n_labels; i++) /* the one of both that is not read as the value */
        labels[i] = field->shows_labels ? field->labels[i].value : field->labels[i].label;
    question.n_value_labels = n_labels;
    question.hidden = labels + n_labels;
    question.n_hidden = list_missing(r, c, &at, labels + n_labels);
    KAN_TRY_DONE(kan_rule_judge(r->run, &question, &r->columns[c]));
    r->decided[c] = decide(r, profile->name);
    if (is_read && r->decided[c] == KAN_RULES_BY_PROMISE)
        KAN_TRY_DONE(kan_profile_suggest_hierarchy(r->run, column, profile));
    else if (is_read && profile->role == KAN_ROLE_QUASI)
        KAN_TRY_DONE(kan_profile_suggest_hierarchy(r->run, column, profile));
done:
    kan_free(r->run, labels);
    kan_free(r->run, room);
    return status;
}

static void set(kan_rule_column *column, kan_rule_verdict verdict, const char *reason) {
    column->verdict = verdict;
    snprintf(column->reason, sizeof column->reason, "%s", reason);
}

/* What people decided, where the values leave it to them. What was found stays found, and free text is
 * nobody's to clear. */
static void settle(kan_rules *r, size_t c) {
    kan_rule_column *column = &r->columns[c];
    const bool shows = r->profiles[c].n_distinct > 0 || column->is_text;
    switch (r->decided[c]) {
    case KAN_RULES_BY_DROP:
        set(column, KAN_RULE_FOUND, "the rule says that no release has it");
        return;
    case KAN_RULES_BY_PROMISE:
        if (column->verdict == KAN_RULE_UNDECIDED && !column->is_text && !column->lacks_date)
            set(column, KAN_RULE_CLEAR, "a quasi-identifier: the promise is about it");
        return;
    case KAN_RULES_BY_PERSON:
    case KAN_RULES_BY_OFFICE:
        if (column->verdict == KAN_RULE_UNDECIDED && !column->is_text && !column->lacks_date) {
            column->is_reviewed = true;
            set(column, KAN_RULE_CLEAR,
                r->decided[c] == KAN_RULES_BY_PERSON
                    ? "somebody has read it (--reviewed), and answers for it"
                    : "the rule keeps it; who made the rule answers for it");
        }
        return;
    case KAN_RULES_BY_NOBODY:
        if (r->has_promise && column->verdict == KAN_RULE_CLEAR && shows)
            set(column, KAN_RULE_UNDECIDED,
                "it is in no promise: could others know it? name it in --qi, or read it and name "
                "it "
                "in --reviewed");
        return;
    }
}

/* ---- caps ----------------------------------------------------------------------------------- */

static kan_status judge_caps(kan_rules *r) {
    for (size_t i = 0; i < KAN_RULE_COLUMNS && r->rule.caps[i].column; i++) {
        size_t c;
        kan_slice name, low, high;
        char text[256];
        double least = -INFINITY, most = INFINITY;
        r->has_cap[i] = kan_input_find(&r->input, kan_slice_of(r->rule.caps[i].column), &c);
        if (!r->has_cap[i])
            continue;
        snprintf(text, sizeof text, "x=%s", r->rule.caps[i].range);
        if (!kan_cap_parse(text, &name, &low, &high) ||
            (low.size > 0 && !kan_parse_real(low.bytes, low.size, &least)) ||
            (high.size > 0 && !kan_parse_real(high.bytes, high.size, &most)) ||
            !r->input.table->columns[c].is_encoded) {
            r->caps[i] = KAN_RULE_UNDECIDED;
            continue;
        }
        r->caps[i] = kan_rule_judge_cap(&r->input.table->columns[c], least, most);
    }
    return KAN_OK;
}

/* ---- beside the table ------------------------------------------------------------------------ */

/* Another sheet, a note: whoever opens the file sees it. */
static kan_status look_beside(kan_rules *r) {
    unsigned kinds = 0;
    if (!r->input.source || !r->input.source->kind->find_beside)
        return KAN_OK;
    kan_beside_init(&r->beside, r->run);
    r->has_beside = true;
    KAN_TRY(r->input.source->kind->find_beside(r->input.source->state, false, &r->beside));
    for (size_t i = 0; i < r->beside.n; i++)
        kinds |= kan_rule_kinds_in(r->beside.texts[i].text);
    r->beside_kinds = kinds & r->rule.kinds;
    return KAN_OK;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static kan_status make_room(kan_rules *r) {
    const size_t n = r->input.n_columns;
    r->skip = kan_profile_common(r->input.columns, n);
    KAN_TRY(kan_alloc_zero(r->run, n, sizeof *r->profiles, &r->profiles));
    KAN_TRY(kan_alloc_zero(r->run, n, sizeof *r->columns, &r->columns));
    return kan_alloc_zero(r->run, n, sizeof *r->decided, &r->decided);
}

kan_status kan_rules_open_as(kan_rules *r, const char *path, const kan_source_kind *kind,
                             const kan_source_options *options) {
    KAN_TRY(kan_input_open_as(r->job, path, kind, options, &r->input));
    return make_room(r);
}

kan_status kan_rules_open(kan_rules *r, const char *setting) {
    const bool is_guarded = kan_options_switch(&r->job->options, "guard-formulas");
    KAN_TRY(kan_input_open_release(r->job, setting, is_guarded, &r->input));
    kan_input_take_counts(&r->input);
    kan_problems_begin(r->run);
    check_names(r, "reviewed");
    check_names(r, "qi");
    KAN_TRY(kan_problems_end(r->run));
    return make_room(r);
}

static bool is_capped(const kan_rules *r, size_t c) {
    for (size_t i = 0; i < KAN_RULE_COLUMNS && r->rule.caps[i].column; i++)
        if (strcmp(r->rule.caps[i].column, r->input.columns[c]) == 0)
            return true;
    return false;
}

kan_status kan_rules_judge(kan_rules *r) {
    const size_t n = r->input.n_columns;
    const bool is_counted = r->input.source && r->input.source->kind->count;
    const size_t at_once = is_counted ? 1 : AT_ONCE;
    for (size_t first = 0; first < n; first += at_once) {
        const size_t end = n - first < at_once ? n : first + at_once;
        for (size_t c = 0; c < n; c++) {
            const kan_field *field = kan_input_field(&r->input, c);
            r->input.encode[c] = ((c >= first && c < end) || (!is_counted && is_capped(r, c))) &&
                                 !(field && field->is_nested);
        }
        if (r->input.source)
            KAN_TRY(kan_input_read(&r->input));
        r->n_rows = kan_table_total(r->input.table);
        for (size_t c = first; c < end; c++) {
            KAN_TRY(kan_check_cancel(r->run));
            kan_report_progress(r->run, "columns", c, n);
            KAN_TRY(judge_one(r, c));
            settle(r, c);
        }
    }
    KAN_TRY(look_beside(r));
    return judge_caps(r);
}

size_t kan_rules_count(const kan_rules *r, kan_rule_verdict verdict) {
    size_t n = 0;
    for (size_t c = 0; c < r->input.n_columns; c++)
        n += r->columns[c].verdict == verdict;
    return n;
}

kan_rules_status kan_rules_status_of(const kan_rules *r) {
    kan_rules_status status = r->has_promise ? r->promise : KAN_RULES_SATISFIED;
    if (kan_rules_count(r, KAN_RULE_FOUND) > 0 || r->beside_kinds)
        return KAN_RULES_BROKEN;
    if (r->beside.n > 0 && status == KAN_RULES_SATISFIED)
        status = KAN_RULES_UNCHECKED;
    if (kan_rules_count(r, KAN_RULE_UNDECIDED) > 0 && status == KAN_RULES_SATISFIED)
        status = KAN_RULES_UNCHECKED;
    for (size_t i = 0; i < KAN_RULE_COLUMNS && r->rule.caps[i].column; i++) {
        if (r->has_cap[i] && r->caps[i] == KAN_RULE_FOUND)
            return KAN_RULES_BROKEN;
        /* a column that is not there may be there by another name */
        if ((!r->has_cap[i] || r->caps[i] == KAN_RULE_UNDECIDED) && status == KAN_RULES_SATISFIED)
            status = KAN_RULES_UNCHECKED;
    }
    return status;
}
