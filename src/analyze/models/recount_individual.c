/* The individual risk, recounted: no released row has one above R, by the sum of the weights of its group.
 *
 * The risk is computed by other means than the search has, to 1e-13 of it. A group keeps the promise
 * where that is below R by as much: what the search lets pass is below it by 1e-12. Where the
 * definition is 1 / rows, fractions are compared. */
#include "analyze/verify/verify.h"

static bool is_kept(const kan_claim_model *model, uint64_t rows, double risk) {
    const double error = 1e-13;
    const double most = (double)model->numerator / (double)model->denominator;
    return (kan_u128)rows * model->numerator >= model->denominator || risk <= most * (1 - error);
}

static void check_groups(const kan_claim_model *model, const kan_groups_recount *groups,
                         kan_model_recount *out) {
    out->is_reached = groups->n > 0;
    out->whole = 1; /* what is reached is no fraction */
    for (size_t g = 0; g < groups->n; g++) {
        const double risk = kan_individual_risk(groups->rows[g], groups->weights[g]);
        out->reached = risk > out->reached ? risk : out->reached;
        if (!is_kept(model, groups->rows[g], risk))
            kan_model_add_failing(groups, g, out);
    }
    out->holds = out->n_failing_groups == 0;
}

static kan_status read(kan_run *run, const kan_options *options, kan_claim_model *model) {
    KAN_TRY(kan_recount_read_decimal(run, options, "individual-risk", model));
    if (model->numerator > 0)
        return KAN_OK;
    return kan_fail(run, KAN_BAD_INPUT,
                    "--individual-risk: no row has a risk of 0; write a number above 0, such as "
                    "0.05");
}

static void tell(const kan_claim_model *model, const kan_claim_column *column, kan_facts *facts) {
    (void)column;
    kan_facts_add(facts, (kan_fact){"individual-risk", KAN_FACT_NUMBER, .text = model->text});
}

static void say_promised(const kan_claim_model *model, const kan_claim_column *column,
                         kan_text *text) {
    (void)column;
    kan_text_print(text, "=%s", model->text);
}

static void say_reached(double reached, kan_text *text) {
    kan_text_print(text, ", the highest risk of a row is %.6g", reached);
}

static const kan_shown_fact shown[] = {{"individual-risk", KAN_SHOWN_SHARE}};

static void show(const kan_model_page *page) {
    page->say(page,
              "By the sampling weights, the individual risk of every released row is at most ");
    page->percent(page, "individual-risk");
    page->say(page, ": so likely is it that somebody who knows a person, and that she is in the "
                    "survey, finds the right row.");
    page->reached(page, " The highest is ", true);
}

const kan_recount_kind kan_recount_individual_risk = {
    .name = "individual-risk",
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
