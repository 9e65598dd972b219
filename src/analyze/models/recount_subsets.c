/* Groups by sets of columns, recounted: in every set of so many quasi-identifiers whatever a released row
 * shows is shown by at least k of them. The sets are enumerated, each by itself (recount_sets.c). */
#include <inttypes.h>

#include "analyze/verify/verify.h"

static void check_groups(const kan_claim_model *model, const kan_groups_recount *groups,
                         kan_model_recount *out) {
    (void)model;
    out->is_reached = groups->n > 0;
    out->is_count = true;
    out->count = groups->fewest_of_sets;
    out->reached = (double)out->count;
    for (size_t g = 0; g < groups->n; g++)
        if (groups->is_rare[g])
            kan_model_add_failing(groups, g, out);
    out->holds = out->n_failing_groups == 0;
}

/* The k of --k stands in the whole number, where there is one. */
static kan_status read(kan_run *run, const kan_options *options, kan_claim_model *model) {
    kan_column_sets sets;
    const char *why = "";
    model->text = kan_options_find(options, "subsets");
    model->whole = kan_options_count(options, "k", 0);
    if (!model->text || !kan_column_sets_parse(model->text, &sets, &why))
        return kan_fail(run, KAN_BAD_INPUT, "--subsets: %s", why);
    if ((model->whole > 0) != kan_column_sets_say_k(&sets))
        return KAN_OK;
    return kan_fail(run, KAN_BAD_INPUT, "--subsets: %s",
                    model->whole > 0 ? "each number of columns has a k of its own there; leave --k "
                                       "out, or write the numbers of columns alone"
                                     : "how many rows must look alike in each set of columns? say "
                                       "it with --k N, or for each number of columns, such as "
                                       "2:5,3:3");
}

static void tell(const kan_claim_model *model, const kan_claim_column *column, kan_facts *facts) {
    (void)column;
    kan_facts_add(facts, (kan_fact){"subsets", KAN_FACT_WORD, .text = model->text});
    if (model->whole > 0)
        kan_facts_add(facts, (kan_fact){"k", KAN_FACT_COUNT, .count = model->whole});
}

/* " k=3 for every pair of quasi-identifiers", " k=5 for every pair, k=3 for every three of ..." */
static void say_promised(const kan_claim_model *model, const kan_claim_column *column,
                         kan_text *text) {
    static const char *const words[] = {"", "one", "pair", "three"};
    enum { N_WORDS = sizeof words / sizeof *words };
    kan_column_sets sets;
    const char *why;
    (void)column;
    if (!kan_column_sets_parse(model->text, &sets, &why))
        return;
    kan_column_sets_take_k(&sets, model->whole);
    for (unsigned i = 0; i < sets.n; i++) {
        kan_text_print(text, "%s k=%" PRIu64 " for every ", i > 0 ? "," : "", sets.sizes[i].k);
        if (sets.sizes[i].m < N_WORDS)
            kan_text_print(text, "%s", words[sets.sizes[i].m]);
        else
            kan_text_print(text, "%" PRIu64, sets.sizes[i].m);
    }
    kan_text_print(text, " of the quasi-identifiers");
}

static void say_reached(double reached, kan_text *text) {
    kan_text_print(text, ", the fewest rows are %.0f", reached);
}

static const kan_shown_fact shown[] = {{"subsets", KAN_SHOWN_WORD}};

static void show(const kan_model_page *page) {
    page->say(page,
              "In every set of so many of the columns what a row shows is shown by at least so "
              "many rows, columns and rows being ");
    page->word(page, "subsets");
    if (page->is_given(page, "k")) {
        page->say(page, " and ");
        page->count(page, "k");
    }
    page->say(page, ". Who knows more columns of somebody than that may find one row alone.");
    page->reached(page, " The fewest are ", false);
}

const kan_recount_kind kan_recount_subsets = {
    .name = "subsets",
    .uses_subsets = true,
    .read = read,
    .check_groups = check_groups,
    .tell = tell,
    .say_promised = say_promised,
    .say_reached = say_reached,
    .shown = shown,
    .n_shown = sizeof shown / sizeof *shown,
    .show = show,
};
