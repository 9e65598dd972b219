/* The global risk, recounted: the mean over released rows of their individual risk, by the sums of the
 * weights of their groups, is at most R.
 *
 * The risk is computed by other means than the search has, to 1e-13 of it. Groups that stand for no more
 * people than they have rows add 1 each, and are taken off as a fraction; what is left of R must be
 * more than the others add, by more than these may be wrong by: what the search lets pass has 1e-12
 * to spare.
 *
 * The group of rows that show * in every quasi-identifier is one like any other. Where the rest keeps
 * the promise without it, it alone is what fails; otherwise all groups above the promised mean do. */
#include "analyze/verify/verify.h"

/* What groups add up to: `n_exact` of them 1 each, and the others so much, with what was lost by adding. */
typedef struct {
    uint64_t n_exact;
    double sum, lost;
    kan_u128 n_rows;
} risk_sum;

/* What the rows of the group add to the sum of risks; 1 where that is all. */
static double add_up(const kan_groups_recount *groups, size_t g) {
    const double rows = (double)groups->rows[g];
    return groups->weights[g] <= rows
               ? 1
               : rows * kan_individual_risk(groups->rows[g], groups->weights[g]);
}

/* The sum over all groups but one; SIZE_MAX: over all. */
static risk_sum sum_groups(const kan_groups_recount *groups, size_t without) {
    risk_sum out = {.n_exact = 0};
    for (size_t g = 0; g < groups->n; g++) {
        if (g == without)
            continue;
        out.n_rows += groups->rows[g];
        if (groups->weights[g] <= (double)groups->rows[g]) {
            out.n_exact++;
            continue;
        }
        const double more = add_up(groups, g) - out.lost, sum = out.sum + more;
        out.lost = sum - out.sum - more;
        out.sum = sum;
    }
    return out;
}

static bool is_kept(const kan_claim_model *model, const risk_sum *sum) {
    const double error = 2e-13;
    const kan_u128 most = sum->n_rows * model->numerator;
    const kan_u128 exact = (kan_u128)sum->n_exact * model->denominator;
    return exact <= most &&
           sum->sum <= (double)(most - exact) / (double)model->denominator * (1 - error);
}

static void find_failing(const kan_claim_model *model, const kan_groups_recount *groups,
                         kan_model_recount *out) {
    const double most = (double)model->numerator / (double)model->denominator;
    if (groups->star != SIZE_MAX) {
        const risk_sum rest = sum_groups(groups, groups->star);
        out->star_fails = is_kept(model, &rest);
    }
    for (size_t g = 0; g < groups->n; g++)
        if (out->star_fails ? g == groups->star
                            : kan_individual_risk(groups->rows[g], groups->weights[g]) > most)
            kan_model_add_failing(groups, g, out);
}

static void check_groups(const kan_claim_model *model, const kan_groups_recount *groups,
                         kan_model_recount *out) {
    const risk_sum all = sum_groups(groups, SIZE_MAX);
    out->is_reached = groups->n > 0;
    out->whole = 1; /* what is reached is no fraction */
    out->reached = groups->n > 0 ? ((double)all.n_exact + all.sum) / (double)all.n_rows : 0;
    out->holds = is_kept(model, &all);
    if (out->holds)
        return;
    find_failing(model, groups, out);
}

static kan_status read(kan_run *run, const kan_options *options, kan_claim_model *model) {
    KAN_TRY(kan_recount_read_decimal(run, options, "global-risk", model));
    if (model->numerator > 0)
        return KAN_OK;
    return kan_fail(run, KAN_BAD_INPUT,
                    "--global-risk: no row has a risk of 0; write a number above 0, such as 0.01");
}

static void tell(const kan_claim_model *model, const kan_claim_column *column, kan_facts *facts) {
    (void)column;
    kan_facts_add(facts, (kan_fact){"global-risk", KAN_FACT_NUMBER, .text = model->text});
}

static void say_promised(const kan_claim_model *model, const kan_claim_column *column,
                         kan_text *text) {
    (void)column;
    kan_text_print(text, "=%s", model->text);
}

static void say_reached(double reached, kan_text *text) {
    kan_text_print(text, ", the mean risk of a row is %.6g", reached);
}

static const kan_shown_fact shown[] = {{"global-risk", KAN_SHOWN_SHARE}};

static void show(const kan_model_page *page) {
    page->say(page,
              "By the sampling weights, the individual risk of the released rows is on average "
              "at most ");
    page->percent(page, "global-risk");
    page->say(page, ": so large a share of them, as expected, is found by somebody who knows the "
                    "people, and that they are in the survey. That is a mean, and says nothing of "
                    "single rows.");
    page->reached(page, " In this release it is ", true);
}

const kan_recount_kind kan_recount_global_risk = {
    .name = "global-risk",
    .uses_weights = true,
    .read = read,
    .check_groups = check_groups,
    .tell = tell,
    .say_promised = say_promised,
    .say_reached = say_reached,
    .shown = shown,
    .n_shown = sizeof shown / sizeof *shown,
    .show = show,
};
