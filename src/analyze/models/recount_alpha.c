/* alpha-deassociation, recounted: Definitions 4 and 5 of the paper, and its general forms. With |E|
 * rows in a group E, |(E,s)| of them with the value s:
 *
 *   strict    |(E,s)| <= alpha |E|
 *   refined   |(E,s)| <= ceil(alpha |E|)
 *
 * for each value of the column, or for each that is named; combined: s is any of the named ones,
 * counted together. All products are below 10^18 * 2^47 and fit. O(values of the group). */
#include "analyze/verify/verify.h"

enum { REFINED = 1, COMBINED = 2 }; /* forms, both or none or one */

/* The most rows of a group that may have the value: the share rounded down, or up where refined. */
static kan_u128 most_rows(const kan_claim_model *model, uint64_t n_rows) {
    const kan_u128 share = (kan_u128)model->numerator * n_rows;
    const uint64_t whole = model->denominator;
    return share / whole + ((model->form & REFINED) != 0 && share % whole != 0);
}

/* ---- the model ------------------------------------------------------------------------------ */

static bool check(const kan_claim_model *model, const kan_model_values *values,
                  const kan_model_tally *tally, kan_model_recount *so_far) {
    const bool *is_named = model->is_named ? model->is_named[tally->column] : NULL;
    uint64_t most = 0, together = 0;
    for (size_t i = 0; i < tally->n; i++) {
        const uint64_t count = tally->counts[i].count;
        if (is_named && !kan_model_is_named(is_named, values, tally->counts[i].place))
            continue;
        together += count;
        most = count > most ? count : most;
    }
    if (model->form & COMBINED)
        most = together;
    if (!so_far->is_reached ||
        kan_model_compare(most, tally->n_rows, so_far->part, so_far->whole) > 0) {
        so_far->is_reached = true;
        so_far->part = most;
        so_far->whole = tally->n_rows;
        so_far->reached = (double)most / (double)tally->n_rows;
        so_far->column = tally->column;
    }
    return most <= most_rows(model, tally->n_rows);
}

static kan_status read(kan_run *run, const kan_options *options, kan_claim_model *model) {
    model->form = (kan_options_switch(options, "refined") ? REFINED : 0U) |
                  (kan_options_switch(options, "alpha-combined") ? COMBINED : 0U);
    KAN_TRY(kan_recount_read_decimal(run, options, "alpha", model));
    if (model->numerator == 0)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--alpha: 0 is not a share that a value can have; write a decimal above 0");
    if (model->form & COMBINED && !kan_options_find(options, "alpha-value"))
        return kan_fail(run, KAN_BAD_INPUT,
                        "--alpha-combined: no value is named; name those that count together with "
                        "--alpha-value VALUE");
    return KAN_OK;
}

/* ---- telling -------------------------------------------------------------------------------- */

static void tell(const kan_claim_model *model, const kan_claim_column *column, kan_facts *facts) {
    (void)column;
    kan_facts_add(facts, (kan_fact){"alpha", KAN_FACT_NUMBER, .text = model->text});
    kan_facts_add(facts, (kan_fact){"values", KAN_FACT_GIVEN, .text = "alpha-value"});
    kan_facts_add(facts,
                  (kan_fact){"combined", KAN_FACT_SWITCH, .count = (model->form & COMBINED) != 0});
    kan_facts_add(facts,
                  (kan_fact){"refined", KAN_FACT_SWITCH, .count = (model->form & REFINED) != 0});
}

static void say_promised(const kan_claim_model *model, const kan_claim_column *column,
                         kan_text *text) {
    const size_t n_named = kan_options_count_of(model->options, "alpha-value");
    (void)column;
    kan_text_print(text, "=%s", model->text);
    if (n_named > 0)
        kan_text_print(text, " for %zu named value%s%s", n_named, n_named == 1 ? "" : "s",
                       model->form & COMBINED ? " together" : "");
    kan_text_print(text, model->form & REFINED ? ", refined" : "");
}

static void say_reached(double reached, kan_text *text) {
    kan_text_print(text, ", the largest share is %.6g", reached);
}

static const kan_shown_fact shown[] = {
    {"alpha", KAN_SHOWN_SHARE},
    {"values", KAN_SHOWN_WORDS},
    {"combined", KAN_SHOWN_SWITCH},
    {"refined", KAN_SHOWN_SWITCH},
};

static void show(const kan_model_page *page) {
    page->say(page, "In no group does ");
    if (page->names(page, "values"))
        page->say(page, page->is_true(page, "combined") ? " together " : " ");
    else
        page->say(page, "any sensitive value ");
    page->say(page, page->counts_people ? "belong to more than " : "make up more than ");
    page->percent(page, "alpha");
    page->say(page, page->counts_people ? " of the people" : " of the rows");
    if (page->is_true(page, "refined"))
        page->say(page, page->counts_people ? ", rounded up to whole people"
                                            : ", rounded up to whole rows");
    page->say(page, ".");
    page->reached(page, " The largest share that occurs is ", true);
}

static const kan_recount_figure figures[] = {
    {.key = "alpha",
     .words = "largest confidence (alpha)",
     .is_share = true,
     .model = {.numerator = 1, .denominator = 1}},
};

const kan_recount_kind kan_recount_alpha = {
    .name = "alpha",
    .counts_people = true, /* a share of the people of a group */
    .values_option = "alpha-value",
    .read = read,
    .check = check,
    .tell = tell,
    .say_promised = say_promised,
    .say_reached = say_reached,
    .shown = shown,
    .n_shown = sizeof shown / sizeof *shown,
    .show = show,
    .leaves_open = "A group may have a value far more often than the whole table, up to the share "
                   "that was promised, and values that were not named are not protected "
                   "(skewness, attribute disclosure).",
    .strength = 2,
    .figures = figures,
    .n_figures = sizeof figures / sizeof *figures,
};
