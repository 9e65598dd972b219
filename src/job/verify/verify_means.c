/* Means, medians and modes in a release that `verify` looks at.
 *
 * --summary says whether there are any. `both`: a column NAME-mean belongs to the quasi-identifier
 * NAME, and rows are grouped by it, too. `mean`, `median`: a quasi-identifier of numbers that
 * shows numbers alone, or *, shows means; other ones were released as ranges and are read so. With
 * --modes every quasi-identifier of text shows modes. Means are compared in the order of the rows:
 * the other columns tell whether that is the order of the original. */

#include "job/verify/verify_inside.h"

/* ---- columns -------------------------------------------------------------------------------- */

static bool is_quasi(const kan_verification *v, size_t column) {
    for (size_t i = 0; i < v->n_quasi; i++)
        if (v->quasi_columns[i] == column)
            return true;
    return false;
}

bool kan_verify_is_mean_column(const kan_verification *v, size_t column) {
    for (size_t i = 0; i < v->n_quasi; i++)
        if (v->mean_of[i].is_there && v->mean_of[i].column == column)
            return true;
    return false;
}

/* Looks for NAME-mean. Where nobody says that there are means, it is one if the original has no
 * such column. */
static kan_status find_mean(kan_verification *v, size_t i) {
    const char *name = v->release.input.columns[v->quasi_columns[i]];
    const bool is_known = v->summary == KAN_SUMMARY_BOTH || !v->has_original;
    kan_mean_column *mean = &v->mean_of[i];
    KAN_TRY(kan_mean_column_find(&v->release.input, is_known ? NULL : &v->original.input, name,
                                 &mean->column, &mean->is_there));
    mean->is_there = mean->is_there && !is_quasi(v, mean->column);
    return KAN_OK;
}

kan_status kan_verify_find_means(kan_verification *v) {
    size_t n = 0;
    for (size_t i = 0; i < v->n_quasi; i++) {
        const kan_mean_column *mean = &v->mean_of[i];
        KAN_TRY(find_mean(v, i));
        n += mean->is_there;
        if (mean->is_there && v->summary == KAN_SUMMARY_BOTH)
            v->release.input.encode[mean->column] = true;
        else if (mean->is_there)
            kan_note(v->run,
                     "column '%s' looks like means of '%s' and is ignored; with --summary both "
                     "it counts as a quasi-identifier, and is checked where the original is given",
                     v->release.input.columns[mean->column],
                     v->release.input.columns[v->quasi_columns[i]]);
    }
    if (v->summary == KAN_SUMMARY_BOTH && n == 0)
        kan_note(v->run,
                 "--summary both: %s has no column NAME-mean of a quasi-identifier NAME, so it is "
                 "checked as with --summary range",
                 v->release.input.name);
    return KAN_OK;
}

/* ---- values --------------------------------------------------------------------------------- */

static bool is_number(kan_slice value) {
    double number;
    return kan_value_exact(KAN_TYPE_NUMBER, value, &number);
}

/* Whether the values of an original have means. */
static bool has_numbers(const kan_column *original) {
    return original->dictionary.type == KAN_TYPE_NUMBER && !original->ends;
}

static bool shows_numbers_alone(const kan_dictionary *shown) {
    for (uint32_t code = 0; code < shown->n; code++) {
        const kan_slice value = kan_dictionary_value(shown, code);
        if (!is_number(value) && !kan_slice_is(value, "*"))
            return false;
    }
    return true;
}

static bool shows_new_numbers(const kan_dictionary *shown, const kan_dictionary *original) {
    for (uint32_t code = 0; code < shown->n; code++) {
        const kan_slice value = kan_dictionary_value(shown, code);
        uint32_t unused;
        if (is_number(value) && !kan_dictionary_find(original, value, &unused))
            return true;
    }
    return false;
}

static void drop_other(kan_verification *v, size_t column) {
    size_t n = 0;
    for (size_t i = 0; i < v->n_others; i++)
        if (v->others[i].released != column)
            v->others[n++] = v->others[i];
    v->n_others = n;
}

/* The column NAME-mean of a quasi-identifier, with --summary both. */
static void take_mean_column(kan_verification *v, size_t i, bool has_numbers) {
    const size_t column = v->mean_of[i].column;
    if (has_numbers) {
        v->groups_by[v->n_groups_by++] = column;
        if (v->has_original)
            v->means[v->n_means++] =
                (kan_mean_pair){column, v->quasi_originals[i], KAN_MIDDLE_MEAN};
        drop_other(v, column);
    } else {
        kan_note(v->run,
                 "--summary both: '%s' is not a column of numbers, so '%s' shows no means of it",
                 v->release.input.columns[v->quasi_columns[i]], v->release.input.columns[column]);
    }
}

/* What a quasi-identifier shows in place of what covers its rows. */
static kan_middle middle_of(const kan_verification *v, size_t i) {
    const kan_column *original = &v->original.table->columns[v->quasi_originals[i]];
    const kan_dictionary *shown = &v->release.table->columns[v->quasi_columns[i]].dictionary;
    if (v->shows_modes && original->dictionary.type == KAN_TYPE_TEXT)
        return KAN_MIDDLE_MODE;
    if (!kan_summary_is_number(v->summary) || !has_numbers(original) || !shows_numbers_alone(shown))
        return KAN_MIDDLE_NONE;
    return v->summary == KAN_SUMMARY_MEDIAN ? KAN_MIDDLE_MEDIAN : KAN_MIDDLE_MEAN;
}

static size_t count_modes(const kan_verification *v) {
    size_t n = 0;
    for (size_t i = 0; i < v->n_means; i++)
        n += v->means[i].middle == KAN_MIDDLE_MODE;
    return n;
}

static void note_none(const kan_verification *v) {
    const size_t n_modes = count_modes(v);
    if (v->has_original && kan_summary_is_number(v->summary) && v->n_means == n_modes)
        kan_note(v->run,
                 "--summary %s: no quasi-identifier of numbers shows numbers alone, so %s is "
                 "checked as with --summary range",
                 kan_options_find(&v->job->options, "summary"), v->release.input.name);
    if (v->has_original && v->shows_modes && n_modes == 0)
        kan_note(v->run,
                 "--modes: no quasi-identifier is a column of text, so %s is checked as without it",
                 v->release.input.name);
}

kan_status kan_verify_choose_means(kan_verification *v) {
    for (size_t i = 0; i < v->n_quasi; i++)
        v->groups_by[v->n_groups_by++] = v->quasi_columns[i];
    for (size_t i = 0; i < v->n_quasi; i++) {
        const size_t column = v->quasi_columns[i];
        /* without the original every NAME-mean counts, to be on the safe side */
        const kan_column *original =
            v->has_original ? &v->original.table->columns[v->quasi_originals[i]] : NULL;
        if (v->summary == KAN_SUMMARY_BOTH && v->mean_of[i].is_there)
            take_mean_column(v, i, !original || has_numbers(original));
        if (!v->has_original)
            continue;
        const kan_middle middle = middle_of(v, i);
        if (middle != KAN_MIDDLE_NONE)
            v->means[v->n_means++] = (kan_mean_pair){column, v->quasi_originals[i], middle};
        else
            v->covers[v->n_covers++] =
                (kan_cover_pair){.released = column, .original = v->quasi_originals[i]};
    }
    note_none(v);
    return KAN_OK;
}

/* ---- checking ------------------------------------------------------------------------------- */

/* What may be means, though nobody said so. */
static void find_new_numbers(kan_verification *v) {
    for (size_t i = 0; i < v->n_covers && !v->new_numbers; i++) {
        const kan_column *shown = &v->release.table->columns[v->covers[i].released];
        const kan_dictionary *original =
            &v->original.table->columns[v->covers[i].original].dictionary;
        if (original->type == KAN_TYPE_NUMBER && shows_new_numbers(&shown->dictionary, original))
            v->new_numbers = shown->name;
    }
}

kan_status kan_verify_check_means(kan_verification *v) {
    const kan_means_question question = {.release = v->release.table,
                                         .original = v->original.table,
                                         .columns = v->groups_by,
                                         .n_columns = v->n_groups_by,
                                         .is_by_column = v->claim.by_column > 0,
                                         .means = v->means,
                                         .n_means = v->n_means};
    if (!v->cover.holds && !kan_summary_is_number(v->summary))
        find_new_numbers(v);
    if (v->n_means == 0)
        return KAN_OK;
    if (!v->cover.holds || v->release.table->n_rows != v->original.table->n_rows) {
        v->means_state = KAN_MEANS_INCOMPLETE;
        return KAN_OK;
    }
    if (!v->cover.in_order) {
        v->means_state = KAN_MEANS_SHUFFLED;
        return KAN_OK;
    }
    KAN_TRY(kan_verify_means(v->run, &question, &v->means_fault));
    v->means_state = v->means_fault ? KAN_MEANS_WRONG : KAN_MEANS_HOLD;
    return KAN_OK;
}
