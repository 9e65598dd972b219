/* The average risk, recounted: released groups / released rows <= A.
 *
 * The group of rows that show * in every quasi-identifier is one like any other. Where the rest
 * keeps the promise without it, it alone is what fails; otherwise all groups that are smaller than
 * the promised mean are: their rows are at a higher risk than A.
 *
 * By people it is the mean over people of 1 / the people of the smallest group that each is in. */
#include "analyze/verify/verify.h"

static bool is_kept(const kan_claim_model *model, uint64_t n_groups, kan_u128 n_rows) {
    return (kan_u128)n_groups * model->denominator <= n_rows * model->numerator;
}

/* By people: the mean over all of them of 1 / size is at most A. Terms are rounded up to units of 1 /
 * (denominator x UNITS), so that sums are whole; up to 20 people and at 1 / A none has to be. */
static void check_people(const kan_claim_model *model, const kan_groups_recount *groups,
                         kan_model_recount *out) {
    enum { UNITS = 232792560 }; /* the least that each of 1 to 20 divides */
    const kan_u128 one = (kan_u128)model->denominator * UNITS;
    kan_u128 risk = 0;
    for (size_t p = 0; p < groups->n_near; p++)
        risk += one / groups->near[p] + (one % groups->near[p] > 0);
    out->is_reached = groups->n_near > 0;
    out->part = risk;
    out->whole = one * groups->n_near;
    out->reached = out->is_reached ? (double)out->part / (double)out->whole : 0;
    out->holds = risk <= (kan_u128)model->numerator * UNITS * groups->n_near;
    for (size_t g = 0; g < groups->n && !out->holds; g++)
        if (!is_kept(model, 1, groups->rows[g]))
            kan_model_add_failing(groups, g, out);
    out->star_fails = false;
}

static void check_groups(const kan_claim_model *model, const kan_groups_recount *groups,
                         kan_model_recount *out) {
    uint64_t n_rows = 0;
    if (groups->near) {
        check_people(model, groups, out);
        return;
    }
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

static void say_reached_by_people(double reached, kan_text *text) {
    kan_text_print(text, ", the mean over people is %.6g", reached);
}

static const kan_shown_fact shown[] = {{"average-risk", KAN_SHOWN_SHARE}};

static void show_people(const kan_model_page *page) {
    page->say(page,
              "Somebody who looks for a person in the smallest group that she is in finds her "
              "there with a probability of 1 over the people of that group. The mean of that "
              "over all released people is at most ");
    page->percent(page, "average-risk");
    page->say(page, ". That is a mean, and says nothing of the people in the smallest groups.");
    page->reached(page, " In this release it is ", true);
}

static void show(const kan_model_page *page) {
    if (page->counts_people) {
        show_people(page);
        return;
    }
    page->say(page, "Whoever looks for people by what the release shows of them finds the right "
                    "row for at most ");
    page->percent(page, "average-risk");
    page->say(page, " of the released rows, as an expected share: groups over rows. That is a "
                    "mean, and says nothing of the smallest groups.");
    page->reached(page, " The release has ", true);
}

const kan_recount_kind kan_recount_average_risk = {
    .name = "average-risk",
    .counts_people = true,
    .read = read,
    .check_groups = check_groups,
    .tell = tell,
    .say_promised = say_promised,
    .say_reached = say_reached,
    .say_reached_by_people = say_reached_by_people,
    .shown = shown,
    .n_shown = sizeof shown / sizeof *shown,
    .show = show,
};
