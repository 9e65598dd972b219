/* The toy model, recounted. */
#include <inttypes.h>

#include "analyze/verify/recount_model.h"

static bool check(const kan_claim_model *model, const kan_model_values *values,
                  const kan_model_tally *tally, kan_model_recount *so_far) {
    uint64_t most = 0;
    (void)values;
    for (size_t i = 0; i < tally->n; i++)
        most = tally->counts[i].count > most ? tally->counts[i].count : most;
    const uint64_t doubt = tally->n_rows - most;
    if (!so_far->is_reached || doubt < so_far->count) {
        so_far->is_reached = so_far->is_count = true;
        so_far->count = doubt;
        so_far->reached = (double)doubt;
        so_far->column = tally->column;
    }
    return doubt >= model->whole;
}

static kan_status read(kan_run *run, const kan_options *options, kan_claim_model *model) {
    const char *text = kan_options_find(options, "doubt");
    if (text && kan_parse_count(text, &model->whole))
        return KAN_OK;
    return kan_fail(run, KAN_BAD_INPUT, "--doubt: not a whole number");
}

static void tell(const kan_claim_model *model, const kan_claim_column *column, kan_facts *facts) {
    (void)column;
    kan_facts_add(facts, (kan_fact){"doubt", KAN_FACT_COUNT, .count = model->whole});
}

static void say_promised(const kan_claim_model *model, const kan_claim_column *column,
                         kan_text *text) {
    (void)column;
    kan_text_print(text, " of %" PRIu64 " rows", model->whole);
}

static void say_reached(double reached, kan_text *text) {
    kan_text_print(text, ", the least doubt is %.6g", reached);
}

static const kan_shown_fact shown[] = {{"doubt", KAN_SHOWN_REAL}};

static void show(const kan_model_page *page) {
    page->say(page, "There is a doubt of at least ");
    page->count(page, "doubt");
    page->say(page, " rows.");
    page->reached(page, " The least doubt that occurs is ", false);
}

static const kan_recount_figure figures[] = {
    {.key = "doubt", .words = "least doubt", .model = {.whole = 1}},
};

const kan_recount_kind kan_recount_doubt = {
    .name = "doubt",
    .read = read,
    .check = check,
    .tell = tell,
    .say_promised = say_promised,
    .say_reached = say_reached,
    .shown = shown,
    .n_shown = sizeof shown / sizeof *shown,
    .show = show,
    .leaves_open = "A toy leaves everything open.",
    .strength = 9,
    .figures = figures,
    .n_figures = sizeof figures / sizeof *figures,
};
