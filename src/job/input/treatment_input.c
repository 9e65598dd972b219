/* From settings to treated columns. */
#include "job/input/treatment_input.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "core/secret.h"
#include "data/treat/treat.h"

_Static_assert(sizeof(kan_end_text) >= KAN_TREATED_ROOM + 2, "a bound and its sign fit");

/* ---- finding -------------------------------------------------------------------------------- */

/* The treatment of the column of that name, a new one where it has none; NULL, and a problem, where
 * the table has no such column. */
static kan_treatment *treatment_of(kan_input *input, const char *flag, kan_slice name) {
    size_t column;
    if (!kan_input_find(input, name, &column)) {
        kan_input_add_unknown(input, flag, name);
        return NULL;
    }
    for (size_t i = 0; i < input->n_treatments; i++)
        if (input->treatments[i].column == column)
            return &input->treatments[i];
    kan_treatment *made = &input->treatments[input->n_treatments++];
    *made = (kan_treatment){.name = input->columns[column], .column = column};
    input->encode[column] = true;
    return made;
}

/* "<20" or ">=90", in room that the input owns. */
static kan_slice name_end(kan_end_text *room, const char *sign, kan_slice bound) {
    char number[KAN_TREATED_ROOM];
    const size_t size = strlen(sign);
    const kan_slice shown = kan_cap_bound_text(bound, number);
    if (bound.size == 0)
        return (kan_slice){"", 0};
    memcpy(room->bytes, sign, size);
    memcpy(room->bytes + size, shown.bytes, shown.size);
    return (kan_slice){room->bytes, size + shown.size};
}

static kan_status take_caps(kan_input *input) {
    const kan_options *options = &input->job->options;
    const size_t n = kan_options_count_of(options, "cap");
    KAN_TRY(kan_alloc_zero(input->run, 2 * n, sizeof *input->end_texts, &input->end_texts));
    for (size_t i = 0; i < n; i++) {
        kan_slice name, low, high;
        kan_treatment *t;
        if (!kan_cap_parse(kan_options_at(options, "cap", i), &name, &low, &high) ||
            !(t = treatment_of(input, "cap", name)))
            continue;
        t->low = low;
        t->high = high;
        t->ends.low = name_end(&input->end_texts[2 * i], "<", low);
        t->ends.high = name_end(&input->end_texts[2 * i + 1], ">=", high);
    }
    return KAN_OK;
}

static void take_steps(kan_input *input) {
    const kan_options *options = &input->job->options;
    for (size_t i = 0; i < kan_options_count_of(options, "round"); i++) {
        kan_slice name, step;
        kan_treatment *t;
        if (kan_step_parse(kan_options_at(options, "round", i), &name, &step) &&
            (t = treatment_of(input, "round", name)))
            t->step = step;
    }
}

/* ---- keys ----------------------------------------------------------------------------------- */

static kan_status read_key(kan_input *input, const char *path) {
    struct stat info;
    const bool is_there = stat(path, &info) == 0;
    if (is_there && !S_ISREG(info.st_mode)) /* a pipe would be empty when it is read again */
        return kan_fail(input->run, KAN_BAD_INPUT,
                        "%s: a key is a plain file, and this is not one; make one with: (umask "
                        "077; head -c 32 /dev/urandom > FILE)",
                        path);
    uint8_t *bytes;
    /* cells of a comparison have the table in memory: it was told before */
    KAN_TRY(kan_secret_read_key(input->run, path, input->source != NULL, &bytes, &input->key_size));
    const kan_status status = kan_alloc(input->run, input->key_size, 1, &input->key);
    if (status == KAN_OK)
        memcpy(input->key, bytes, input->key_size);
    explicit_bzero(bytes, input->key_size);
    kan_free(input->run, bytes); /* room for the longest key there may be */
    KAN_TRY(status);
    if (is_there && input->source && (info.st_mode & S_IRGRP) && !(info.st_mode & S_IROTH))
        kan_note(input->run, "%s: your group can read this key; protect it with chmod 600", path);
    if (kan_secret_is_poor(input->key, input->key_size))
        return kan_secret_fail_poor(input->run, path);
    return KAN_OK;
}

void kan_input_forget_key(kan_input *input) {
    if (input->key)
        explicit_bzero(input->key, input->key_size);
    kan_free(input->run, input->key);
    input->key = NULL;
}

/* The key, where something needs it. `is_needed` is false for a release alone: its pseudonyms are
 * looked at, and not made again. */
static kan_status take_key(kan_input *input, bool is_needed) {
    const kan_options *options = &input->job->options;
    const char *path = kan_options_find(options, "key");
    const bool shifts = kan_options_find(options, "shift-dates") != NULL;
    const bool is_used = shifts || kan_options_find(options, "pseudonym");
    if (path && !is_used && !kan_options_find(options, "ledger"))
        return kan_fail(
            input->run, KAN_BAD_INPUT,
            "--key is for --pseudonym, --shift-dates and --ledger, and none of these is "
            "there; leave it out");
    if (!is_used || !is_needed)
        return KAN_OK;
    /* who verifies pseudonyms needs no key; without one, nobody could verify dates */
    if (!path && !shifts && input->job->drawn_key.size > 0) {
        input->key_size = input->job->drawn_key.size;
        KAN_TRY(kan_alloc(input->run, input->key_size, 1, &input->key));
        memcpy(input->key, input->job->drawn_key.bytes, input->key_size);
        return KAN_OK;
    }
    if (!path)
        return kan_fail(input->run, KAN_BAD_INPUT,
                        "--%s needs a secret: --key FILE; make one with: (umask 077; head -c 32 "
                        "/dev/urandom > FILE)",
                        shifts ? "shift-dates" : "pseudonym");
    return read_key(input, path);
}

/* A treatment that needs the key. */
static void use_key(const kan_input *input, const char *name, kan_treatment *t) {
    const char *domain = kan_options_find(&input->job->options, "key-domain");
    t->key = (kan_slice){(const char *)input->key, input->key_size};
    t->domain = kan_slice_of(domain ? domain : name);
}

static void take_pseudonyms(kan_input *input) {
    const kan_options *options = &input->job->options;
    char quoted[256];
    for (size_t i = 0; i < kan_options_count_of(options, "pseudonym"); i++) {
        const kan_slice name = kan_slice_of(kan_options_at(options, "pseudonym", i));
        kan_treatment *t = treatment_of(input, "pseudonym", name);
        if (!t)
            continue;
        if (t->step.size > 0 || kan_treatment_caps(t) || t->is_shifted)
            kan_problem_add(input->run,
                            "--pseudonym: column %s is also named by %s; a pseudonym has no size, "
                            "so leave one of them out",
                            kan_quote(name, quoted), kan_treatment_flags(t));
        t->is_pseudonym = true;
        use_key(input, t->name, t);
    }
}

/* ---- shifts --------------------------------------------------------------------------------- */

/* --shift-dates, --by and --within go together. */
static kan_status check_shift(const kan_input *input) {
    const kan_options *options = &input->job->options;
    const bool has_dates = kan_options_find(options, "shift-dates") != NULL;
    const bool has_person = input->is_tied || kan_options_find(options, "by") != NULL;
    const bool has_days = kan_options_find(options, "within") != NULL;
    const char *given = has_dates                       ? "shift-dates"
                        : has_person && !input->is_tied ? "by"
                        : has_days                      ? "within"
                                                        : NULL;
    const char *missing = !has_dates    ? "shift-dates"
                          : !has_person ? "by"
                          : !has_days   ? "within"
                                        : NULL;
    if (!given || !missing)
        return KAN_OK;
    if (input->is_tied)
        return kan_fail(input->run, KAN_BAD_INPUT,
                        "%s: %s needs %s; write shift-dates: [NAME] and within: DAYS, or leave it "
                        "out",
                        input->name, given, missing);
    return kan_fail(input->run, KAN_BAD_INPUT,
                    "--%s needs --%s; write --shift-dates NAME --by PERSON --within DAYS --key "
                    "FILE, or leave it out",
                    given, missing);
}

static void take_shift(kan_input *input, kan_slice name, size_t person, uint64_t within) {
    char quoted[256];
    kan_treatment *t = treatment_of(input, "shift-dates", name);
    if (!t)
        return;
    if (t->step.size > 0)
        kan_problem_add(input->run,
                        "--shift-dates: column %s is also named by --round, which is for numbers; "
                        "leave one of them out",
                        kan_quote(name, quoted));
    if (t->column == person)
        kan_problem_add(input->run,
                        "--shift-dates: column %s is also that of --by; name the column that "
                        "identifies the person with --by",
                        kan_quote(name, quoted));
    t->is_shifted = true;
    t->person = person;
    t->within = within;
    use_key(input, input->is_tied ? "" : input->columns[person], t);
}

static void take_shifts(kan_input *input, bool is_release) {
    const kan_options *options = &input->job->options;
    const char *by = kan_options_find(options, "by");
    const char *days = kan_options_find(options, "within");
    size_t person = SIZE_MAX;
    uint64_t within;
    /* whose its rows are a release need not tell, and nothing is shifted there */
    if (is_release || !days || !kan_days_parse(days, &within))
        return;
    if (!input->is_tied && (!by || !kan_input_take(input, "by", kan_slice_of(by), &person)))
        return;
    for (size_t i = 0; i < kan_options_count_of(options, "shift-dates"); i++)
        take_shift(input, kan_slice_of(kan_options_at(options, "shift-dates", i)), person, within);
}

/* In the order of the table. */
static void sort_treatments(kan_input *input) {
    for (size_t i = 1; i < input->n_treatments; i++) {
        const kan_treatment moved = input->treatments[i];
        size_t at = i;
        for (; at > 0 && input->treatments[at - 1].column > moved.column; at--)
            input->treatments[at] = input->treatments[at - 1];
        input->treatments[at] = moved;
    }
}

/* Labels and missing codes of a schema are about what the values were. */
static kan_status strip_fields(kan_input *input) {
    KAN_TRY(kan_alloc_zero(input->run, input->n_treatments, sizeof *input->treated_fields,
                           &input->treated_fields));
    for (size_t i = 0; i < input->n_treatments; i++) {
        const kan_field *field = kan_source_field(input->source, input->treatments[i].column);
        kan_field *made = &input->treated_fields[i];
        if (!field)
            continue;
        *made = *field;
        made->labels = NULL;
        made->n_labels = 0;
        made->label_set = NULL;
        made->missing = NULL;
        made->n_missing = 0;
        made->shows_labels = false;
    }
    return KAN_OK;
}

kan_status kan_input_find_treatments(kan_input *input, bool is_release) {
    const kan_options *options = &input->job->options;
    const size_t n = kan_options_count_of(options, "cap") + kan_options_count_of(options, "round") +
                     kan_options_count_of(options, "pseudonym") +
                     kan_options_count_of(options, "shift-dates");
    KAN_TRY(check_shift(input));
    KAN_TRY(take_key(input, !is_release));
    if (n == 0)
        return KAN_OK;
    KAN_TRY(kan_alloc_zero(input->run, n, sizeof *input->treatments, &input->treatments));
    kan_problems_begin(input->run);
    take_steps(input);
    KAN_TRY(take_caps(input));
    take_shifts(input, is_release);
    take_pseudonyms(input);
    KAN_TRY(kan_problems_end(input->run));
    sort_treatments(input);
    return input->source ? strip_fields(input) : KAN_OK;
}

const kan_treatment *kan_input_treatment(const kan_input *input, size_t column) {
    for (size_t i = 0; i < input->n_treatments; i++)
        if (input->treatments[i].column == column)
            return &input->treatments[i];
    return NULL;
}

bool kan_input_treats_by(const kan_input *input, size_t column) {
    for (size_t i = 0; i < input->n_treatments; i++)
        if (input->treatments[i].is_shifted && input->treatments[i].person == column)
            return true;
    return kan_input_treatment(input, column) != NULL;
}

const char *kan_treatment_flags(const kan_treatment *treatment) {
    const bool rounds = treatment->step.size > 0;
    if (treatment->is_pseudonym)
        return "--pseudonym";
    if (treatment->is_shifted)
        return kan_treatment_caps(treatment) ? "--shift-dates and --cap" : "--shift-dates";
    return !kan_treatment_caps(treatment) ? "--round" : rounds ? "--round and --cap" : "--cap";
}

void kan_treatment_add_words(const kan_treatment *t, kan_text *text) {
    const char *between = "";
    if (t->is_pseudonym)
        kan_text_print(text, "as keyed pseudonyms");
    if (t->is_shifted) {
        kan_text_print(text, "moved by up to %" PRIu64 " days, all of a person by the same",
                       t->within);
        between = ", ";
    }
    if (t->step.size > 0) {
        kan_text_print(text, "rounded to multiples of %.*s", (int)t->step.size, t->step.bytes);
        between = ", ";
    }
    if (t->low.size > 0) {
        kan_text_print(text, "%sbelow %.*s as %.*s", between, (int)t->low.size, t->low.bytes,
                       (int)t->ends.low.size, t->ends.low.bytes);
        between = ", ";
    }
    if (t->high.size > 0)
        kan_text_print(text, "%sfrom %.*s on as %.*s", between, (int)t->high.size, t->high.bytes,
                       (int)t->ends.high.size, t->ends.high.bytes);
}

/* ---- treating ------------------------------------------------------------------------------- */

kan_status kan_input_treat(kan_input *input) {
    if (input->n_treatments == 0)
        return KAN_OK;
    kan_problems_begin(input->run);
    KAN_TRY(kan_table_treat(input->run, input->raw, input->name, input->treatments,
                            input->n_treatments, &input->treated));
    KAN_TRY(kan_problems_end(input->run));
    input->table = input->treated;
    return KAN_OK;
}

kan_status kan_input_treat_tied(kan_input *input, const kan_column *whose) {
    for (size_t i = 0; i < input->n_treatments; i++)
        if (input->treatments[i].is_shifted)
            input->treatments[i].whose = whose;
    return kan_input_treat(input);
}

/* Whether a setting names the column. A release does not list columns whose dates were moved. */
static bool is_named(const kan_input *input, const char *setting, const char *column) {
    const kan_options *options = &input->job->options;
    for (size_t i = 0; i < kan_options_count_of(options, setting); i++)
        if (strcmp(kan_options_at(options, setting, i), column) == 0)
            return true;
    return false;
}

kan_status kan_input_treat_like(kan_input *input, const char *flag, const kan_input *table,
                                const size_t *like, const size_t *columns, size_t n) {
    char quoted[256];
    KAN_ASSERT(!input->treatments);
    KAN_TRY(kan_alloc_zero(input->run, n, sizeof *input->treatments, &input->treatments));
    for (size_t i = 0; i < n; i++) {
        const char *name = table->columns[like[i]];
        const kan_treatment *t = kan_input_treatment(table, like[i]);
        const bool is_keyed = is_named(table, "shift-dates", name) || (t && t->is_pseudonym);
        if (is_keyed)
            return kan_fail(
                input->run, KAN_BAD_INPUT,
                "--%s: what --%s makes of column %s follows from a key that others do "
                "not have, so that people cannot be matched by it; leave one of the two out",
                flag, t && t->is_pseudonym ? "pseudonym" : "shift-dates",
                kan_quote(kan_slice_of(name), quoted));
        if (!t)
            continue;
        kan_treatment *made = &input->treatments[input->n_treatments++];
        *made = *t;
        made->name = input->columns[columns[i]];
        made->column = columns[i];
    }
    return kan_input_treat(input);
}

kan_status kan_input_take_ends(kan_input *release) {
    /* a table in memory is somebody else's: its ends stay text */
    for (size_t i = 0; release->owned && i < release->n_treatments; i++) {
        kan_column *column = &release->owned->columns[release->treatments[i].column];
        if (kan_treatment_caps(&release->treatments[i]) && column->is_encoded)
            KAN_TRY(kan_column_take_ends(release->run, column, &release->treatments[i].ends));
    }
    return KAN_OK;
}
