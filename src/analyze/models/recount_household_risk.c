/* The household risk, recounted: no released household has one above R, by the groups of all its rows.
 *
 * Logarithms are summed, each risk computed by other means than the search has. Where every risk is 1 over the
 * rows of a group fractions are compared if the sum is near the limit; else a household keeps the promise where
 * its sum is below the limit by 1e-13 of it: what the search lets pass is below it by more. */
#include <math.h>

#include "analyze/verify/verify.h"

/* ---- fractions ------------------------------------------------------------------------------ */

enum { MOST_DIGITS = 8192, BASE = 1000000000 };

/* A whole number in digits of nine places, the least first. */
typedef struct {
    uint32_t digits[MOST_DIGITS];
    size_t n;
} tall;

static tall tall_of(uint64_t number) {
    tall x = {.n = 0};
    for (; number > 0 || x.n == 0; number /= BASE)
        x.digits[x.n++] = (uint32_t)(number % BASE);
    return x;
}

/* False where it has no room. */
static bool take_times(tall *x, uint64_t factor) {
    kan_u128 carry = 0;
    for (size_t i = 0; i < x->n; i++) {
        carry += (kan_u128)x->digits[i] * factor;
        x->digits[i] = (uint32_t)(carry % BASE);
        carry /= BASE;
    }
    for (; carry > 0 && x->n < MOST_DIGITS; carry /= BASE)
        x->digits[x->n++] = (uint32_t)(carry % BASE);
    return carry == 0;
}

static bool is_at_most(const tall *a, const tall *b) {
    if (a->n != b->n)
        return a->n < b->n;
    for (size_t i = a->n; i-- > 0;)
        if (a->digits[i] != b->digits[i])
            return a->digits[i] < b->digits[i];
    return true;
}

/* (1 - R) <= the product of (f - 1) / f. */
static bool keeps_exactly(const kan_claim_model *model, const kan_groups_recount *groups,
                          const size_t *of, size_t n) {
    tall least = tall_of(model->denominator - model->numerator);
    tall rest = tall_of(model->denominator);
    for (size_t i = 0; i < n; i++)
        if (!take_times(&least, groups->rows[of[i]]) || !take_times(&rest, groups->rows[of[i]] - 1))
            return false;
    return is_at_most(&least, &rest);
}

/* ---- households ----------------------------------------------------------------------------- */

static bool is_by_rows(const kan_groups_recount *groups, size_t g) {
    return !groups->weights || groups->weights[g] <= (double)groups->rows[g];
}

static double risk_of(const kan_groups_recount *groups, size_t g) {
    return is_by_rows(groups, g) ? 1 / (double)groups->rows[g]
                                 : kan_individual_risk(groups->rows[g], groups->weights[g]);
}

/* `sum` becomes -log of the chance that no row of it is found. */
static bool is_kept(const kan_claim_model *model, const kan_groups_recount *groups,
                    const size_t *of, size_t n, double *sum) {
    static const double error = 1e-13, near = 1e-9;
    const double part = (double)model->numerator / (double)model->denominator;
    const double rest =
        (double)(model->denominator - model->numerator) / (double)model->denominator;
    const double most = part < 0.5 ? -log1p(-part) : -log(rest); /* infinite where R is 1 */
    bool is_exact = true;
    *sum = 0;
    for (size_t i = 0; i < n; i++) {
        *sum += -log1p(-risk_of(groups, of[i])); /* infinite for somebody alone */
        is_exact &= is_by_rows(groups, of[i]);
    }
    if (model->numerator == model->denominator)
        return true;
    if (is_exact && fabs(*sum - most) <= near * most)
        return keeps_exactly(model, groups, of, n);
    return *sum <= most * (1 - error);
}

static void check_groups(const kan_claim_model *model, const kan_groups_recount *groups,
                         kan_model_recount *out) {
    const kan_households_recount *households = groups->households;
    out->is_reached = groups->n > 0;
    out->whole = 1; /* what is reached is no fraction */
    for (size_t h = 0; h < households->n; h++) {
        const size_t first = households->start[h], n = households->start[h + 1] - first;
        double sum;
        const bool keeps = is_kept(model, groups, households->group + first, n, &sum);
        const double risk = -expm1(-sum);
        out->reached = risk > out->reached ? risk : out->reached;
        if (keeps)
            continue;
        out->n_failing_groups++;
        out->n_failing_rows += n;
        if (out->n_examples < KAN_RECOUNT_EXAMPLES)
            out->examples[out->n_examples++] = groups->first_row[households->group[first]];
    }
    out->holds = out->n_failing_groups == 0;
}

/* ---- what is told --------------------------------------------------------------------------- */

static kan_status read(kan_run *run, const kan_options *options, kan_claim_model *model) {
    KAN_TRY(kan_recount_read_decimal(run, options, "household-risk", model));
    if (model->numerator > 0)
        return KAN_OK;
    return kan_fail(
        run, KAN_BAD_INPUT,
        "--household-risk: no household has a risk of 0; write a number above 0, such as "
        "0.1");
}

static void tell(const kan_claim_model *model, const kan_claim_column *column, kan_facts *facts) {
    (void)column;
    kan_facts_add(facts, (kan_fact){"household-risk", KAN_FACT_NUMBER, .text = model->text});
}

static void say_promised(const kan_claim_model *model, const kan_claim_column *column,
                         kan_text *text) {
    (void)column;
    kan_text_print(text, "=%s", model->text);
}

static void say_reached(double reached, kan_text *text) {
    kan_text_print(text, ", the highest risk of a household is %.6g", reached);
}

static const kan_shown_fact shown[] = {{"household-risk", KAN_SHOWN_SHARE}};

static void show(const kan_model_page *page) {
    page->say(page, "The risk of every released household is at most ");
    page->percent(page, "household-risk");
    page->say(page,
              ": so likely is it that somebody who looks for a household finds one of its rows.");
    page->reached(page, " The highest is ", true);
}

const kan_recount_kind kan_recount_household_risk = {
    .name = "household-risk",
    .uses_weights = true,
    .needs_no_weights = true,
    .uses_households = true,
    .read = read,
    .check_groups = check_groups,
    .tell = tell,
    .say_promised = say_promised,
    .say_reached = say_reached,
    .shown = shown,
    .n_shown = sizeof shown / sizeof *shown,
    .show = show,
};
