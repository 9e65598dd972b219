/* Do columns show the means of their groups, or the medians? (Modes: recount_modes.c.)
 *
 * Rows are grouped by what they show, with the grouping of the recount; the numbers of the original
 * rows that they stand for are summed as whole numbers of decimal units. A mean is not computed
 * again: what is shown, times the number of rows, must be no further from the sum than half a digit
 * in the last place, for every row of it. */
#include "analyze/tuples/tuples.h"
#include "analyze/verify/verify_release.h"
#include "data/decimal.h"

enum { SHOWN_SCALE = 6 };

typedef struct {
    kan_run *run;
    const kan_means_question *question;
    kan_tuples groups;
    uint32_t *group_of; /* by row of the release */
    /* Of the column in hand. */
    kan_middle middle;
    unsigned scale;
    kan_wide *units;   /* by original code */
    uint8_t *is_known; /* by original code */
    kan_wide *sums;    /* by group; medians: what it shows */
    uint64_t *n_rows;  /* by group: those with a number */
    uint64_t *n_below; /* medians, by group: those below what it shows */
    uint64_t *n_upto;  /* and those not above it */
} means_check;

static kan_status fail_large(const means_check *c, size_t column) {
    return kan_fail(c->run, KAN_BAD_INPUT,
                    "the numbers of column '%s' have too many digits for its %s to be checked; "
                    "without --original the promise alone is recounted",
                    c->question->original->columns[column].name, kan_middle_plural(c->middle));
}

static kan_status group_rows(means_check *c) {
    const kan_means_question *q = c->question;
    uint32_t *tuple;
    kan_status status = KAN_OK;
    KAN_TRY(kan_alloc(c->run, q->release->n_rows, sizeof *c->group_of, &c->group_of));
    KAN_TRY(kan_alloc(c->run, q->n_columns, sizeof *tuple, &tuple));
    for (uint64_t row = 0; row < q->release->n_rows && status == KAN_OK; row++) {
        size_t index = 0;
        for (size_t i = 0; i < q->n_columns; i++)
            tuple[i] = kan_column_code(&q->release->columns[q->columns[i]], row);
        status = kan_tuples_add(&c->groups, tuple, row, &index);
        c->group_of[row] = (uint32_t)index;
        if (index >= UINT32_MAX)
            status = kan_fail(c->run, KAN_FAILED, "too many groups for their means to be checked");
    }
    kan_free(c->run, tuple);
    return status;
}

static kan_status read_column(means_check *c, size_t column) {
    const kan_dictionary *dictionary = &c->question->original->columns[column].dictionary;
    c->scale = 0;
    for (uint32_t code = 0; code < dictionary->n; code++) {
        const kan_slice value = kan_dictionary_value(dictionary, code);
        c->is_known[code] = !kan_value_is_unknown(value);
        if (c->is_known[code] && !kan_decimal_scale(value, &c->scale))
            return fail_large(c, column);
    }
    for (uint32_t code = 0; code < dictionary->n; code++) {
        bool is_exact;
        if (c->is_known[code] && !kan_decimal_floor(kan_dictionary_value(dictionary, code),
                                                    c->scale, &c->units[code], &is_exact))
            return fail_large(c, column);
    }
    return KAN_OK;
}

static kan_status sum_rows(means_check *c, size_t column) {
    const kan_means_question *q = c->question;
    const kan_column *original = &q->original->columns[column];
    memset(c->sums, 0, c->groups.n * sizeof *c->sums);
    memset(c->n_rows, 0, c->groups.n * sizeof *c->n_rows);
    for (uint64_t row = 0; row < q->release->n_rows; row++) {
        const uint32_t code = kan_column_code(original, q->order ? q->order[row] : row);
        const uint32_t group = c->group_of[row];
        if (!c->is_known[code])
            continue;
        c->n_rows[group]++;
        if (__builtin_add_overflow(c->sums[group], c->units[code], &c->sums[group]))
            return fail_large(c, column);
    }
    return KAN_OK;
}

static bool scale_up(kan_wide *number, unsigned from, unsigned to) {
    for (; from < to; from++)
        if (!kan_wide_multiply(*number, 10, number))
            return false;
    return true;
}

/* Whether `shown` is the mean of a group. */
static kan_status check_group(const means_check *c, size_t group, size_t column, kan_slice shown,
                              bool *is_right) {
    kan_wide mean, sum = c->sums[group], rows = (kan_wide)c->n_rows[group], part, rest;
    bool is_exact;
    if (rows == 0) {
        *is_right = kan_slice_is(shown, "*");
        return KAN_OK;
    }
    *is_right = kan_decimal_floor(shown, SHOWN_SCALE, &mean, &is_exact) && is_exact;
    if (!*is_right)
        return KAN_OK;
    /* one unit: a digit in the last place of what is shown, or of the numbers if they have more */
    if (!scale_up(&sum, c->scale, SHOWN_SCALE) || !scale_up(&rows, SHOWN_SCALE, c->scale) ||
        !kan_wide_multiply(mean, rows, &part) || __builtin_sub_overflow(sum, part, &rest))
        return fail_large(c, column);
    const kan_wide distance = rest < 0 ? -rest : rest;
    /* in the middle between two, the one further from zero */
    const bool is_between = distance == rows - distance;
    *is_right = distance <= rows - distance && !(is_between && (rest > 0) == (sum > 0));
    return KAN_OK;
}

/* ---- medians -------------------------------------------------------------------------------- */

/* Whether every group shows a number of the right scale, or *. */
static bool read_shown(means_check *c, const kan_column *released) {
    for (size_t g = 0; g < c->groups.n; g++) {
        const kan_slice shown = kan_column_value(released, c->groups.first_row[g]);
        bool is_exact = true;
        c->sums[g] = 0;
        if (!kan_slice_is(shown, "*") &&
            (!kan_decimal_floor(shown, c->scale, &c->sums[g], &is_exact) || !is_exact))
            return false;
    }
    return true;
}

/* The lower of two in the middle: fewer than half of the numbers, rounded up, are below it, and as
 * many are not above it. */
static void check_medians(means_check *c, const kan_mean_pair *pair, bool *is_right) {
    const kan_means_question *q = c->question;
    const kan_column *released = &q->release->columns[pair->released];
    const kan_column *original = &q->original->columns[pair->original];
    const size_t size = c->groups.n * sizeof *c->n_rows;
    *is_right = read_shown(c, released);
    memset(c->n_rows, 0, size);
    memset(c->n_below, 0, size);
    memset(c->n_upto, 0, size);
    for (uint64_t row = 0; row < q->release->n_rows; row++) {
        const uint32_t code = kan_column_code(original, q->order ? q->order[row] : row);
        const uint32_t group = c->group_of[row];
        c->n_rows[group] += c->is_known[code];
        c->n_below[group] += c->is_known[code] && c->units[code] < c->sums[group];
        c->n_upto[group] += c->is_known[code] && c->units[code] <= c->sums[group];
    }
    for (size_t g = 0; g < c->groups.n && *is_right; g++) {
        const uint64_t half = c->n_rows[g] / 2 + c->n_rows[g] % 2;
        const bool is_star = kan_slice_is(kan_column_value(released, c->groups.first_row[g]), "*");
        *is_right = half == 0 ? is_star : !is_star && c->n_below[g] < half && half <= c->n_upto[g];
    }
}

static kan_status check_column(means_check *c, const kan_mean_pair *pair, bool *is_right) {
    const kan_column *released = &c->question->release->columns[pair->released];
    if (pair->middle == KAN_MIDDLE_MODE)
        return kan_verify_modes(c->run, c->question, pair, c->group_of, c->groups.first_row,
                                c->groups.n, is_right);
    c->middle = pair->middle;
    KAN_TRY(read_column(c, pair->original));
    if (pair->middle == KAN_MIDDLE_MEDIAN) {
        check_medians(c, pair, is_right);
        return KAN_OK;
    }
    KAN_TRY(sum_rows(c, pair->original));
    *is_right = true;
    for (size_t g = 0; g < c->groups.n && *is_right; g++)
        KAN_TRY(check_group(c, g, pair->original,
                            kan_column_value(released, c->groups.first_row[g]), is_right));
    return KAN_OK;
}

static kan_status check_all(means_check *c, const kan_mean_pair **fault) {
    const kan_means_question *q = c->question;
    uint32_t most = 0;
    KAN_TRY(group_rows(c));
    for (size_t i = 0; i < q->n_means; i++) {
        const uint32_t n = q->original->columns[q->means[i].original].dictionary.n;
        most = n > most ? n : most;
    }
    KAN_TRY(kan_alloc(c->run, most, sizeof *c->units, &c->units));
    KAN_TRY(kan_alloc(c->run, most, sizeof *c->is_known, &c->is_known));
    KAN_TRY(kan_alloc(c->run, c->groups.n, sizeof *c->sums, &c->sums));
    KAN_TRY(kan_alloc(c->run, c->groups.n, sizeof *c->n_rows, &c->n_rows));
    KAN_TRY(kan_alloc(c->run, c->groups.n, sizeof *c->n_below, &c->n_below));
    KAN_TRY(kan_alloc(c->run, c->groups.n, sizeof *c->n_upto, &c->n_upto));
    for (size_t i = 0; i < q->n_means && !*fault; i++) {
        bool is_right;
        KAN_TRY(check_column(c, &q->means[i], &is_right));
        if (!is_right)
            *fault = &q->means[i];
    }
    return KAN_OK;
}

const char *kan_middle_plural(kan_middle middle) {
    return middle == KAN_MIDDLE_MODE ? "modes" : middle == KAN_MIDDLE_MEDIAN ? "medians" : "means";
}

static kan_status check_together(kan_run *run, const kan_means_question *question,
                                 const kan_mean_pair **fault) {
    means_check c = {.run = run, .question = question};
    const kan_mean_pair *found = NULL;
    if (question->n_means == 0 || question->n_columns == 0 || question->release->counts ||
        question->original->counts || question->release->n_rows != question->original->n_rows)
        return kan_fail(run, KAN_FAILED,
                        "means can be checked only where every row was released, by column");
    kan_tuples_init(&c.groups, run, question->n_columns * sizeof(uint32_t));
    const kan_status status = check_all(&c, &found);
    if (status == KAN_OK)
        *fault = found;
    kan_tuples_destroy(&c.groups);
    kan_free(run, c.group_of);
    kan_free(run, c.units);
    kan_free(run, c.is_known);
    kan_free(run, c.sums);
    kan_free(run, c.n_rows);
    kan_free(run, c.n_below);
    kan_free(run, c.n_upto);
    return status;
}

kan_status kan_verify_means(kan_run *run, const kan_means_question *question,
                            const kan_mean_pair **fault) {
    const kan_mean_pair *found = NULL;
    if (!question->is_by_column)
        return check_together(run, question, fault);
    for (size_t i = 0; i < question->n_means && !found; i++) {
        kan_means_question one = *question;
        one.columns = &question->means[i].released;
        one.means = &question->means[i];
        one.n_columns = one.n_means = 1;
        KAN_TRY(check_together(run, &one, &found));
    }
    *fault = found;
    return KAN_OK;
}
