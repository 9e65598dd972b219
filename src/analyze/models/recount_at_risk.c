/* Rows at risk, recounted: of the released rows at most the share S stands in groups of fewer than
 * K rows.
 *
 * What fails are these groups, or that of the rows with * in every quasi-identifier alone, where
 * the others keep the promise without it.
 *
 * By people it is the share of those who have a row in a group of fewer than K people. */
#include "analyze/verify/verify.h"

static bool is_kept(const kan_claim_model *model, uint64_t n_small, uint64_t n_rows) {
    return (kan_u128)n_small * model->denominator <= (kan_u128)n_rows * model->numerator;
}

static void check_people(const kan_claim_model *model, const kan_groups_recount *groups,
                         kan_model_recount *out) {
    uint64_t n_small = 0;
    for (size_t p = 0; p < groups->n_near; p++)
        n_small += groups->near[p] < model->whole;
    out->is_reached = groups->n_near > 0;
    out->part = n_small;
    out->whole = groups->n_near;
    out->reached = out->is_reached ? (double)n_small / (double)groups->n_near : 0;
    out->holds = is_kept(model, n_small, groups->n_near);
    for (size_t g = 0; g < groups->n && !out->holds; g++)
        if (groups->rows[g] < model->whole)
            kan_model_add_failing(groups, g, out);
    out->star_fails = false;
}

static void check_groups(const kan_claim_model *model, const kan_groups_recount *groups,
                         kan_model_recount *out) {
    uint64_t n_rows = 0, n_small = 0;
    if (groups->near) {
        check_people(model, groups, out);
        return;
    }
    for (size_t g = 0; g < groups->n; g++) {
        n_rows += groups->rows[g];
        n_small += groups->rows[g] < model->whole ? groups->rows[g] : 0;
    }
    out->is_reached = groups->n > 0;
    out->part = n_small;
    out->whole = n_rows;
    out->reached = n_rows > 0 ? (double)n_small / (double)n_rows : 0;
    out->holds = is_kept(model, n_small, n_rows);
    if (out->holds)
        return;
    const uint64_t star = groups->star != SIZE_MAX ? groups->rows[groups->star] : 0;
    const bool star_alone =
        star > 0 && star < model->whole && is_kept(model, n_small - star, n_rows - star);
    for (size_t g = 0; g < groups->n; g++)
        if (star_alone ? g == groups->star : groups->rows[g] < model->whole)
            kan_model_add_failing(groups, g, out);
    out->star_fails = star_alone;
}

static kan_status read(kan_run *run, const kan_options *options, kan_claim_model *model) {
    model->whole = kan_options_count(options, "below", 0);
    if (model->whole < 2)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--at-risk: from how many rows on is a group large enough? give --below K: "
                        "rows in groups of fewer than K rows are at risk");
    return kan_recount_read_decimal(run, options, "at-risk", model);
}

static void tell(const kan_claim_model *model, const kan_claim_column *column, kan_facts *facts) {
    (void)column;
    kan_facts_add(facts, (kan_fact){"at-risk", KAN_FACT_NUMBER, .text = model->text});
    kan_facts_add(facts, (kan_fact){"below", KAN_FACT_COUNT, .count = model->whole});
}

static void say_promised(const kan_claim_model *model, const kan_claim_column *column,
                         kan_text *text) {
    (void)column;
    kan_text_print(text, "=%s below %llu %s", model->text, (unsigned long long)model->whole,
                   model->of_people ? "people" : "rows");
}

static void say_reached(double reached, kan_text *text) {
    kan_text_print(text, ", the share is %.6g", reached);
}

static const kan_shown_fact shown[] = {{"at-risk", KAN_SHOWN_SHARE}, {"below", KAN_SHOWN_REAL}};

static void show(const kan_model_page *page) {
    page->say(page, "At most ");
    page->percent(page, "at-risk");
    page->say(page, page->counts_people
                        ? " of the released people have a row in a group of fewer than "
                        : " of the released rows are in groups of fewer than ");
    page->count(page, "below");
    page->say(page, page->counts_people
                        ? " people. These people may be in groups of any size, also alone."
                        : " rows. These rows may be in groups of any size.");
    page->reached(page, " Their share is ", true);
}

const kan_recount_kind kan_recount_at_risk = {
    .name = "at-risk",
    .counts_people = true,
    .read = read,
    .check_groups = check_groups,
    .tell = tell,
    .say_promised = say_promised,
    .say_reached = say_reached,
    .shown = shown,
    .n_shown = sizeof shown / sizeof *shown,
    .show = show,
};
