/* The average risk, recounted: released groups / released rows <= A.
 *
 * The group of rows that show * in every quasi-identifier is one like any other. Where the rest
 * keeps the promise without it, it alone is what fails; otherwise all groups that are smaller than
 * the promised mean are: their rows are at a higher risk than A. */
#include "analyze/verify/verify.h"

static bool is_kept(const kan_claim_model *model, uint64_t n_groups, kan_u128 n_rows) {
    return (kan_u128)n_groups * model->denominator <= n_rows * model->numerator;
}

static void check_groups(const kan_claim_model *model, const kan_groups_recount *groups,
                         kan_model_recount *out) {
    uint64_t n_rows = 0;
    for (size_t g = 0; g < groups->n; g++)
        n_rows += groups->rows[g];
    out->is_reached = groups->n > 0;
    out->part = groups->n;
    out->whole = n_rows;
    out->reached = n_rows > 0 ? (double)groups->n / (double)n_rows : 0;
    out->holds = is_kept(model, groups->n, n_rows);
    if (out->holds)
        return;
    const bool star_alone = groups->star != SIZE_MAX &&
                            is_kept(model, groups->n - 1, n_rows - groups->rows[groups->star]);
    for (size_t g = 0; g < groups->n; g++)
        if (star_alone ? g == groups->star : !is_kept(model, 1, groups->rows[g]))
            kan_model_add_failing(groups, g, out);
    out->star_fails = star_alone;
}

static kan_status read(kan_run *run, const kan_options *options, kan_claim_model *model) {
    return kan_recount_read_decimal(run, options, "average-risk", model);
}

static void tell(const kan_claim_model *model, const kan_claim_column *column, kan_facts *facts) {
    (void)column;
    kan_facts_add(facts, (kan_fact){"average-risk", KAN_FACT_NUMBER, .text = model->text});
}

static void say_promised(const kan_claim_model *model, const kan_claim_column *column,
                         kan_text *text) {
    (void)column;
    kan_text_print(text, "=%s", model->text);
}

static void say_reached(double reached, kan_text *text) {
    kan_text_print(text, ", groups / rows are %.6g", reached);
}

static const kan_shown_fact shown[] = {{"average-risk", KAN_SHOWN_SHARE}};

static void show(const kan_model_page *page) {
    page->say(page, "Whoever looks for people by what the release shows of them finds the right "
                    "row for at most ");
    page->percent(page, "average-risk");
    page->say(page, " of the released rows, as an expected share: groups over rows. That is a "
                    "mean, and says nothing of the smallest groups.");
    page->reached(page, " The release has ", true);
}

const kan_recount_kind kan_recount_average_risk = {
    .name = "average-risk",
    .read = read,
    .check_groups = check_groups,
    .tell = tell,
    .say_promised = say_promised,
    .say_reached = say_reached,
    .shown = shown,
    .n_shown = sizeof shown / sizeof *shown,
    .show = show,
};
