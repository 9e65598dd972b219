/* Sampling weights of groups, summed again: from the texts of the weights, in 128 bits, and so exactly.
 * Decimals beyond the eighteenth, or where a weight has more than 36 digits, are cut: a row stands for
 * less then, which makes no risk look smaller. */
#include "analyze/verify/recount_model.h"
#include "data/decimal.h"

typedef struct {
    const kan_models_question *question;
    kan_wide *units; /* by code of the column */
    unsigned scale;
    kan_wide *sums; /* by group */
    const kan_tuples *groups;
    bool is_bad;
} weighing;

/* Whether every weight has its units at this scale. */
static bool read_units(weighing *w) {
    const kan_dictionary *dictionary = &w->question->weight->dictionary;
    bool is_exact;
    for (uint32_t code = 0; code < dictionary->n; code++)
        if (!kan_decimal_floor(kan_dictionary_value(dictionary, code), w->scale, &w->units[code],
                               &is_exact))
            return false;
    return true;
}

static bool find_units(weighing *w) {
    w->scale = KAN_DECIMAL_SCALE_MOST;
    while (!read_units(w))
        if (w->scale-- == 0)
            return false;
    return true;
}

static kan_status add_rows(void *context, uint64_t row, size_t n, const size_t *groups) {
    static const kan_wide most = (kan_wide)1 << 125;
    weighing *w = context;
    const kan_models_question *q = w->question;
    for (size_t i = 0; i < n; i++) {
        const uint64_t at = q->weight_row ? q->weight_row[row + i] : row + i;
        const kan_wide units = w->units[kan_column_code(q->weight, at)];
        if (units < 0 || groups[i] >= w->groups->n || w->sums[groups[i]] > most || units > most) {
            w->is_bad = true;
            return KAN_OK;
        }
        w->sums[groups[i]] += units;
    }
    return KAN_OK;
}

static kan_status sum_rows(kan_run *run, weighing *w) {
    const kan_models_question *q = w->question;
    const kan_recount_follower follower = {add_rows, w};
    kan_recount_groups groups;
    KAN_TRY(kan_recount_group(run, q->release, q->quasi, q->n_quasi, &follower, &groups));
    w->is_bad |= groups.tuples.n != w->groups->n; /* both number them by their first rows */
    for (size_t g = 0; g < w->groups->n && !w->is_bad; g++)
        w->is_bad = groups.tuples.first_row[g] != w->groups->first_row[g];
    kan_tuples_destroy(&groups.tuples);
    return KAN_OK;
}

static kan_status fail(kan_run *run) {
    return kan_fail(run, KAN_FAILED,
                    "internal error: a promise about weights without knowing what each row stands "
                    "for; please report this");
}

kan_status kan_recount_weights(kan_run *run, const kan_models_question *question,
                               const kan_tuples *groups, double **out) {
    weighing w = {.question = question, .groups = groups};
    const size_t n_groups = groups->n;
    double *people = NULL, one = 1;
    kan_status status;
    if (!question->weight || question->release->counts)
        return fail(run);
    KAN_TRY_DONE(kan_alloc(run, question->weight->dictionary.n, sizeof *w.units, &w.units));
    KAN_TRY_DONE(kan_alloc_zero(run, n_groups, sizeof *w.sums, &w.sums));
    KAN_TRY_DONE(kan_alloc(run, n_groups, sizeof *people, &people));
    w.is_bad = !find_units(&w);
    if (!w.is_bad)
        KAN_TRY_DONE(sum_rows(run, &w));
    if (w.is_bad)
        KAN_TRY_DONE(fail(run));
    for (unsigned i = 0; i < w.scale; i++)
        one *= 10; /* exact up to 10^22 */
    for (size_t g = 0; g < n_groups; g++)
        people[g] = (double)w.sums[g] / one;
    *out = people;
    people = NULL;
done:
    kan_free(run, w.units);
    kan_free(run, w.sums);
    kan_free(run, people);
    return status;
}
