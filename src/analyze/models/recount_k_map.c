/* The k-map, recounted: every released group matches at least K people of the population, and no
 * fewer than it has rows, for its own people are among them. Who matches is read from the released
 * labels (relation.h). */
#include "analyze/verify/verify.h"

static void check_groups(const kan_claim_model *model, const kan_groups_recount *groups,
                         kan_model_recount *out) {
    out->is_count = true;
    for (size_t g = 0; g < groups->n; g++) {
        const uint64_t people = groups->people[g];
        if (!out->is_reached || people < out->count)
            out->count = people;
        out->is_reached = true;
        /* people of both tables may be numbered in different ways, and overlap in different groups */
        if (people < model->whole || (!model->of_people && people < groups->rows[g]))
            kan_model_add_failing(groups, g, out);
    }
    out->reached = (double)out->count;
    out->holds = out->n_failing_groups == 0;
}

static kan_status read(kan_run *run, const kan_options *options, kan_claim_model *model) {
    (void)run;
    model->whole = kan_options_count(options, "k-map", 1);
    return KAN_OK;
}

static void tell(const kan_claim_model *model, const kan_claim_column *column, kan_facts *facts) {
    (void)column;
    kan_facts_add(facts, (kan_fact){"k-map", KAN_FACT_COUNT, .count = model->whole});
}

static void say_promised(const kan_claim_model *model, const kan_claim_column *column,
                         kan_text *text) {
    (void)column;
    kan_text_print(text, " k=%llu", (unsigned long long)model->whole);
}

static void say_reached(double reached, kan_text *text) {
    kan_text_print(text, ", the least is %.0f", reached);
}

static const kan_shown_fact shown[] = {{"k-map", KAN_SHOWN_REAL}};

static void show(const kan_model_page *page) {
    page->say(page, "Every released group matches at least ");
    page->count(page, "k-map");
    page->say(page, " people of the population that the table was drawn from. Whoever has a list "
                    "of the population, and does not know who in it is in the table, cannot tell "
                    "which of them a row belongs to. That is no promise against somebody who knows "
                    "that a person is in the table: for them, the rows of a group count.");
    page->reached(page, " The least number of people is ", false);
}

const kan_recount_kind kan_recount_k_map = {
    .name = "k-map",
    .counts_people = true,
    .uses_population = true,
    .read = read,
    .check_groups = check_groups,
    .tell = tell,
    .say_promised = say_promised,
    .say_reached = say_reached,
    .shown = shown,
    .n_shown = sizeof shown / sizeof *shown,
    .show = show,
};
