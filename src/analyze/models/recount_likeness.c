/* beta-likeness, recounted. A value with the share q of a group and p of the whole table gains
 * (q - p) / p. For every value of the group
 *
 *   basic      the gain is at most B
 *   enhanced   and at most -ln p
 *
 * A value that the whole table lacks gains without end, and fails.
 *
 * With a of the group's n rows and b of the table's N rows the gain is the fraction
 * (a N - b n) / (b n), compared exactly with B. The logarithm is that of the library, less MARGIN,
 * which is far more than it could be wrong by, and far less than what a search leaves. What does
 * not gain passes. O(values of the group). */
#include <math.h>

#include "analyze/verify/verify.h"

#define MARGIN 1e-11

enum { ENHANCED, BASIC };
static const char *const forms[] = {"enhanced", "basic"};

typedef struct {
    kan_u128 part, whole; /* whole 0: without end */
} gain;

static gain gain_of(const kan_model_values *values, uint64_t rows, uint64_t count,
                    uint64_t n_rows) {
    const kan_u128 here = (kan_u128)count * values->n_rows, whole = (kan_u128)rows * n_rows;
    if (rows == 0)
        return (gain){1, 0};
    return here > whole ? (gain){here - whole, whole} : (gain){0, 1};
}

static bool is_allowed(const kan_claim_model *model, const kan_model_values *values, uint64_t rows,
                       const gain *g) {
    if (g->part == 0 || g->whole == 0)
        return g->part == 0;
    if (kan_model_compare(g->part, g->whole, model->numerator, model->denominator) > 0)
        return false;
    return model->form == BASIC || (double)g->part / (double)g->whole <=
                                       log((double)values->n_rows / (double)rows) - MARGIN;
}

static void take_greatest(const gain *g, const kan_model_tally *tally, kan_model_recount *so_far) {
    const double reached = g->whole == 0 ? (double)INFINITY : (double)g->part / (double)g->whole;
    if (so_far->is_reached && reached <= so_far->reached)
        return;
    so_far->is_reached = true;
    so_far->reached = reached;
    so_far->column = tally->column;
}

static bool check(const kan_claim_model *model, const kan_model_values *values,
                  const kan_model_tally *tally, kan_model_recount *so_far) {
    bool passes = true;
    for (size_t i = 0; i < tally->n; i++) {
        const size_t place = tally->counts[i].place;
        const uint64_t rows = place < values->n_known ? values->rows[place] : 0;
        const gain g = gain_of(values, rows, tally->counts[i].count, tally->total);
        take_greatest(&g, tally, so_far);
        passes = passes && is_allowed(model, values, rows, &g);
    }
    return passes;
}

static kan_status read(kan_run *run, const kan_options *options, kan_claim_model *model) {
    const char *wanted = kan_options_find(options, "beta-kind");
    model->form = wanted && strcmp(wanted, forms[BASIC]) == 0 ? BASIC : ENHANCED;
    return kan_recount_read_decimal(run, options, "beta", model);
}

/* ---- telling -------------------------------------------------------------------------------- */

static void tell(const kan_claim_model *model, const kan_claim_column *column, kan_facts *facts) {
    (void)column;
    kan_facts_add(facts, (kan_fact){"kind", KAN_FACT_WORD, .text = forms[model->form]});
    kan_facts_add(facts, (kan_fact){"beta", KAN_FACT_NUMBER, .text = model->text});
}

static void say_promised(const kan_claim_model *model, const kan_claim_column *column,
                         kan_text *text) {
    (void)column;
    kan_text_print(text, " beta=%s %s", model->text, forms[model->form]);
}

static void say_reached(double reached, kan_text *text) {
    if (isinf(reached))
        kan_text_print(text, ", a group has a value that the table lacks");
    else
        kan_text_print(text, ", the greatest gain is %.6g", reached);
}

static const kan_shown_fact shown[] = {
    {"kind", KAN_SHOWN_WORD},
    {"beta", KAN_SHOWN_REAL},
};

static void show(const kan_model_page *page) {
    page->say(page, "No sensitive value is more frequent in a group than in the whole table by "
                    "more than ");
    page->count(page, "beta");
    page->say(page, " times its share there");
    if (page->is(page, "kind", forms[ENHANCED]))
        page->say(page, ", and frequent values by less (enhanced beta-likeness).");
    else
        page->say(page, " (basic beta-likeness).");
    page->reached(page, " The greatest gain that occurs is ", false);
}

static const kan_recount_figure figures[] = {
    {.key = "beta",
     .words = "greatest gain (beta)",
     .model = {.form = BASIC, .numerator = 1, .denominator = 1}},
};

const kan_recount_kind kan_recount_likeness = {
    .name = "beta-likeness",
    .counts_people = true,
    .uses_whole = true,
    .read = read,
    .check = check,
    .tell = tell,
    .say_promised = say_promised,
    .say_reached = say_reached,
    .shown = shown,
    .n_shown = sizeof shown / sizeof *shown,
    .show = show,
    .leaves_open = "A value may still be more frequent in a group than in the whole table, as far "
                   "as beta allows, and a group may lack a value, which is then known of nobody in "
                   "it (attribute disclosure).",
    .strength = 4,
    .figures = figures,
    .n_figures = sizeof figures / sizeof *figures,
};
