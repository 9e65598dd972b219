/* Whether a release has the columns of its job, and no more rows were left out than it allows.
 *
 * A release holds only what somebody decided to release. So a column that names people (--id), that
 * must be left out (--drop), or that nobody said anything about is a fault, and so is one that the
 * job keeps and the release lacks. What was decided is in a job file, or in the flags; where
 * neither says a word of other columns, nobody is held to one, but with the original at hand a
 * column that it does not have is a fault in any case: nobody knows what it tells.
 *
 * Quasi-identifiers and sensitive columns that are missing are bad input, told before. */
#include <inttypes.h>
#include <string.h>

#include "io/side_files/side_files.h"
#include "job/input/input.h"
#include "job/settings/settings.h"
#include "job/verify/verify_inside.h"

/* ---- roles ---------------------------------------------------------------------------------- */

/* Whose a row is, under another name, is released like other pseudonyms. Patterns are about the table
 * before, which has no means. */
static kan_role role_of(const kan_verification *v, int table, size_t column) {
    const kan_role role = v->roles.of[table][column];
    if (table == KAN_VERIFY_RELEASE && v->roles.by_pattern[table][column] &&
        v->summary == KAN_SUMMARY_BOTH && kan_verify_is_mean_column(v, column))
        return KAN_ROLE_OTHER;
    return role == KAN_ROLE_PERSON && v->roles.shows_person ? KAN_ROLE_PSEUDONYM : role;
}

/* Whether somebody said what becomes of columns that nobody names. */
static bool is_decided(const kan_verification *v) {
    const kan_options *options = &v->job->options;
    return v->job->origins || kan_options_find(options, "keep") ||
           kan_options_find(options, "drop") || kan_options_find(options, "others");
}

static bool keeps_others(const kan_verification *v) {
    const char *what = kan_options_find(&v->job->options, "others");
    return what && strcmp(what, "keep") == 0;
}

/* ---- faults --------------------------------------------------------------------------------- */

static void add_fault(kan_verification *v, const char *name, const char *what) {
    char quoted[256];
    v->n_column_faults++;
    kan_text_print(&v->column_faults, "column %s %s\n", kan_quote(kan_slice_of(name), quoted),
                   what);
}

/* A column of the release. */
static void check_present(kan_verification *v, size_t column) {
    const char *name = v->release.input.columns[column];
    const bool is_mean = kan_verify_is_mean_column(v, column);
    size_t unused;
    switch (role_of(v, KAN_VERIFY_RELEASE, column)) {
    case KAN_ROLE_ID:
        add_fault(v, name, "identifies people (--id), but is in the release");
        return;
    case KAN_ROLE_PERSON: /* as it was it names people; a pseudonym has other values */
        if (v->has_original)
            add_fault(v, name, "identifies the person (--person), but is in the release");
        return;
    case KAN_ROLE_HOUSEHOLD:
        if (v->has_original)
            add_fault(v, name, "identifies the household (--household), but is in the release");
        return;
    case KAN_ROLE_WEIGHT:
        if (is_decided(v) && !v->roles.shows_weight && !keeps_others(v))
            add_fault(v, name,
                      "has sampling weights, and nobody decided to release them; --keep NAME does");
        return;
    case KAN_ROLE_DROP:
        add_fault(v, name, "must be left out (--drop), but is in the release");
        return;
    case KAN_ROLE_OTHER:
        if (is_mean && v->summary == KAN_SUMMARY_BOTH)
            return;
        if (is_decided(v) && !keeps_others(v)) {
            add_fault(v, name,
                      "is in the release, but nobody decided to release it; --keep NAME does");
            return;
        }
        break;
    default:
        break;
    }
    if (v->has_original && !kan_input_find(&v->original.input, kan_slice_of(name), &unused))
        add_fault(v, name,
                  is_mean ? "is not in the original; if it shows means, use --summary both"
                          : "is not in the original: what it shows is not known");
}

static void expect_column(kan_verification *v, const char *name) {
    size_t unused;
    if (!kan_input_find(&v->release.input, kan_slice_of(name), &unused))
        add_fault(v, name, "is missing from the release");
}

/* The columns of the original that the release must have. */
static void check_missing(kan_verification *v) {
    for (size_t i = 0; i < v->original.input.n_columns; i++) {
        const char *name = v->original.input.columns[i];
        const kan_role role = role_of(v, KAN_VERIFY_ORIGINAL, i);
        if (role == KAN_ROLE_CLASS || role == KAN_ROLE_KEEP || role == KAN_ROLE_PSEUDONYM ||
            (role == KAN_ROLE_WEIGHT && v->roles.shows_weight) ||
            (role == KAN_ROLE_OTHER && keeps_others(v)))
            expect_column(v, name);
    }
}

/* Without the original the names alone are known, not what a pattern would have found. */
static void check_named(kan_verification *v, kan_role role) {
    const kan_role_list *named = &v->roles.named[role];
    for (size_t i = 0; i < named->n; i++)
        expect_column(v, named->columns[i].name.bytes);
}

/* A column that is merely kept has the codes of its file in every format: both sides are read so. */
static void read_kept_as_is(const kan_verification *v) {
    const kan_input *release = &v->release.input, *original = &v->original.input;
    for (size_t i = 0; i < release->n_columns; i++) {
        const kan_role role = role_of(v, KAN_VERIFY_RELEASE, i);
        size_t of;
        if ((role != KAN_ROLE_KEEP && role != KAN_ROLE_OTHER) ||
            !kan_input_find(original, kan_slice_of(release->columns[i]), &of) ||
            kan_input_treats_by(original, of))
            continue;
        original->as_is[of] = true;
        release->as_is[i] = true;
    }
}

kan_status kan_verify_check_columns(kan_verification *v) {
    v->columns_are_decided = is_decided(v);
    for (size_t i = 0; i < v->release.input.n_columns; i++)
        check_present(v, i);
    if (v->has_original) {
        read_kept_as_is(v);
        check_missing(v);
    } else {
        check_named(v, KAN_ROLE_CLASS);
        check_named(v, KAN_ROLE_KEEP);
        check_named(v, KAN_ROLE_PSEUDONYM);
    }
    return kan_text_status(&v->column_faults);
}

/* The original is treated as `anonymize` does, and compared with the release like any other; here
 * is checked whether it was treated as the settings say, by another definition of that. */
static kan_status check_original(const kan_verification *v) {
    const kan_input *original = &v->original.input;
    const char *fault;
    KAN_TRY(kan_verify_treated(v->run, original->raw, original->table, original->treatments,
                               original->n_treatments, &fault));
    if (!fault)
        return KAN_OK;
    return kan_fail(v->run, KAN_FAILED,
                    "internal error: column '%s' of the original was not treated as the settings "
                    "say; please report this",
                    fault);
}

kan_status kan_verify_check_treated(kan_verification *v) {
    const kan_input *release = &v->release.input;
    if (v->has_original)
        return check_original(v);
    for (size_t i = 0; i < release->n_treatments; i++) {
        const kan_treatment *t = &release->treatments[i];
        const kan_column *column = &v->release.table->columns[t->column];
        /* means are numbers that nothing was done to */
        if (v->summary == KAN_SUMMARY_RANGE && column->is_encoded &&
            !kan_verify_is_treated(column, t))
            add_fault(v, t->name,
                      t->is_pseudonym ? "shows what is not a pseudonym"
                                      : "shows numbers or dates that --cap or --round cannot have "
                                        "left");
    }
    return kan_text_status(&v->column_faults);
}

/* Whether the job makes a column of means beside each quasi-identifier of numbers. */
static bool makes_means(const kan_verification *v) {
    return v->has_original && v->summary == KAN_SUMMARY_BOTH &&
           kan_choice_search(&v->job->options) != NULL;
}

/* Whether an order takes the place of a column's numbers (--order): then it has no means, unless it
 * is theirs. */
static kan_status is_reordered(const kan_verification *v, const kan_column *original, bool *out) {
    const kan_options *options = &v->job->options;
    const char *path = NULL;
    uint32_t *order;
    for (size_t i = 0; i < kan_options_count_of(options, "order"); i++) {
        kan_slice name;
        const char *said;
        if (kan_order_parse(kan_options_at(options, "order", i), &name, &said) &&
            kan_slice_is(name, original->name))
            path = said;
    }
    *out = false;
    if (!path)
        return KAN_OK;
    KAN_TRY(kan_alloc(v->run, original->dictionary.n, sizeof *order, &order));
    kan_problems_begin(v->run);
    kan_status status = kan_order_read(v->run, path, original, order);
    for (uint32_t place = 0; place < original->dictionary.n && status == KAN_OK; place++)
        *out |= order[place] != place;
    kan_free(v->run, order);
    if (status == KAN_OK || kan_problems_count(v->run) > 0)
        status = kan_problems_end(v->run);
    return status;
}

/* Whether a quasi-identifier has means, and the release lacks them. */
static kan_status lacks_mean(const kan_verification *v, size_t i, bool *out) {
    const kan_column *original = &v->original.table->columns[v->quasi_originals[i]];
    bool has_order = false;
    *out =
        !v->mean_of[i].is_there && original->dictionary.type == KAN_TYPE_NUMBER && !original->ends;
    if (*out)
        KAN_TRY(is_reordered(v, original, &has_order));
    *out = *out && !has_order;
    return KAN_OK;
}

static kan_status add_missing_mean(kan_verification *v, size_t i) {
    kan_text name;
    kan_text_init(&name, v->run);
    kan_mean_column_add_name(&name, v->original.table->columns[v->quasi_originals[i]].name);
    const kan_status status = kan_text_status(&name);
    if (status == KAN_OK)
        add_fault(v, name.bytes, "is missing from the release");
    kan_text_destroy(&name);
    return status;
}

kan_status kan_verify_check_mean_columns(kan_verification *v) {
    for (size_t i = 0; i < v->n_quasi && makes_means(v); i++) {
        bool is_lacking;
        KAN_TRY(lacks_mean(v, i, &is_lacking));
        if (is_lacking)
            KAN_TRY(add_missing_mean(v, i));
    }
    return kan_text_status(&v->column_faults);
}

/* ---- rows that were left out ---------------------------------------------------------------- */

/* Whether the model of the release shows * for a whole column or not at all, and some row shows
 * more than that: then rows of * were suppressed. */
static bool is_star_for_all(const kan_verification *v) {
    const kan_recoding_kind *model = kan_choice_model(&v->job->options);
    return model && model->stars_whole_columns && !v->release.is_blank;
}

/* Whether rows of nothing but * may be a group that was released: one of at least k rows, in a
 * release of nothing but quasi-identifiers, where it has no more to show. A promise about anything
 * else than its size is not taken for kept; where no row shows more, it is not taken for broken, either. */
static bool blank_may_be_group(const kan_verification *v) {
    return v->release.shown.n_blank >= v->claim.k &&
           (v->claim.n_models == 0 || v->release.is_blank) && !v->person &&
           v->release.input.n_columns == v->n_quasi && !is_star_for_all(v);
}

/* Suppressed rows are missing, or show nothing. Where the job lets them show more they are among
 * those of *, and nobody can tell how many these are, unless all of them would be within the limit;
 * nor where those that show nothing may be a group.
 */
void kan_verify_count_suppressed(kan_verification *v) {
    const kan_options *options = &v->job->options;
    const char *text = kan_options_find(options, "suppress");
    const uint64_t n_blank = v->release.shown.n_blank;
    const uint64_t n_shown =
        kan_options_switch(options, "show-suppressed") ? v->recount.n_star_rows : 0;
    kan_suppress_limit limit = {.rows = 0};
    v->has_limit = text || v->job->origins;
    if (text)
        (void)kan_suppress_parse(text, &limit);
    /* Where suppressed rows are kept, the release has as many rows as the original. */
    v->knows_suppressed = v->has_original || v->keeps_suppressed;
    if (!v->has_limit || !v->knows_suppressed)
        return;
    if (v->person && kan_verify_leaves_by_person(v)) {
        v->knows_suppressed =
            !v->person_is_released && !v->people_are_open; /* a release lacks those who left */
        v->n_suppressed = v->n_left_out;
        v->limit = kan_suppress_rows(&limit, v->n_people);
        return;
    }
    v->n_suppressed = n_blank + n_shown + (v->has_original ? v->cover.n_not_released : 0);
    v->limit = kan_suppress_rows(&limit, v->has_original ? kan_table_total(v->original.table)
                                                         : v->recount.n_rows + n_blank);
    v->blank_is_open = v->n_suppressed > v->limit && blank_may_be_group(v);
    if (v->blank_is_open) { /* a release of nothing else has no n_shown */
        v->n_suppressed -= n_blank;
        v->knows_suppressed = v->n_suppressed > v->limit;
        v->blank_is_unjudged = !v->knows_suppressed && v->claim.n_models > 0;
        return;
    }
    v->knows_suppressed = n_shown == 0 || v->n_suppressed <= v->limit;
}
