/* delta-disclosure privacy, recounted: for every value that the whole table has, in every group,
 *
 *   | log2(share in the group / share in the whole table) | < D
 *
 * A value that the group lacks, or that the table lacks, has no such logarithm, and the group
 * fails: what it reaches is infinite.
 *
 * With p of the group's n rows and q of the table's N rows the ratio is p N / (q n), turned over
 * where it is below 1. It is held against the whole part of D exactly: below 2 to that power it
 * passes, and so does that power itself where D is not a whole number. Between two powers the
 * logarithm decides, less MARGIN, which is far more than log2 and its argument could be wrong by,
 * and far less than what a search leaves. O(values of the group). */
#include <math.h>

#include "analyze/verify/verify.h"

#define MARGIN 1e-11

enum { MOST_POWER = 96 }; /* no ratio of two products of 47 bits reaches that */

static double distance_of(kan_u128 more, kan_u128 less) {
    return more == less ? 0 : log2((double)more / (double)less);
}

/* Whether log2(more / less) < D; more >= less > 0. */
static bool is_near(const kan_claim_model *model, kan_u128 more, kan_u128 less) {
    const uint64_t power = model->numerator / model->denominator;
    const bool is_whole = model->numerator % model->denominator == 0;
    if (power >= MOST_POWER)
        return true;
    const int order = kan_model_compare(more, less, (kan_u128)1 << power, 1);
    if (order <= 0)
        return order < 0 || !is_whole;
    const double d = (double)model->numerator / (double)model->denominator;
    return !is_whole && distance_of(more, less) <= d - MARGIN;
}

static bool check(const kan_claim_model *model, const kan_model_values *values,
                  const kan_model_tally *tally, kan_model_recount *so_far) {
    uint64_t seen = 0; /* rows of the whole table that have one of the group's values */
    double farthest = 0;
    bool passes = true;
    for (size_t i = 0; i < tally->n; i++) {
        const size_t place = tally->counts[i].place;
        const uint64_t rows = place < values->n_known ? values->rows[place] : 0;
        const kan_u128 here = (kan_u128)tally->counts[i].count * values->n_rows;
        const kan_u128 whole = (kan_u128)rows * tally->total;
        const kan_u128 more = here > whole ? here : whole, less = here > whole ? whole : here;
        const double distance = rows == 0 ? (double)INFINITY : distance_of(more, less);
        farthest = distance > farthest ? distance : farthest;
        passes = passes && rows > 0 && is_near(model, more, less);
        seen += rows;
    }
    if (seen < values->n_rows) {
        farthest = (double)INFINITY;
        passes = false;
    }
    if (!so_far->is_reached || farthest > so_far->reached) {
        so_far->is_reached = true;
        so_far->reached = farthest;
        so_far->column = tally->column;
    }
    return passes;
}

static kan_status read(kan_run *run, const kan_options *options, kan_claim_model *model) {
    KAN_TRY(kan_recount_read_decimal(run, options, "delta-disclosure", model));
    if (model->numerator == 0)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--delta-disclosure: nothing differs by less than 0; write a decimal above "
                        "0, such as 1: no share is halved or doubled");
    return KAN_OK;
}

/* ---- telling -------------------------------------------------------------------------------- */

static void tell(const kan_claim_model *model, const kan_claim_column *column, kan_facts *facts) {
    (void)column;
    kan_facts_add(facts, (kan_fact){"delta-disclosure", KAN_FACT_NUMBER, .text = model->text});
}

static void say_promised(const kan_claim_model *model, const kan_claim_column *column,
                         kan_text *text) {
    (void)column;
    kan_text_print(text, " D=%s", model->text);
}

static void say_reached(double reached, kan_text *text) {
    if (isinf(reached))
        kan_text_print(text, ", a group lacks a value");
    else
        kan_text_print(text, ", the greatest |log2| is %.6g", reached);
}

static const kan_shown_fact shown[] = {{"delta-disclosure", KAN_SHOWN_REAL}};

static void show(const kan_model_page *page) {
    page->say(page, "Every group has every sensitive value of the table, and how often it occurs "
                    "there differs from the whole table by a factor below 2 to the power of ");
    page->count(page, "delta-disclosure");
    page->say(page, " (delta-disclosure privacy: 1 is half or twice as often).");
    page->reached(page, " The greatest power that occurs is ", false);
}

static const kan_recount_figure figures[] = {
    {.key = "delta_disclosure",
     .words = "greatest |log2| (D)",
     .model = {.numerator = 1, .denominator = 1}},
};

const kan_recount_kind kan_recount_disclosure = {
    .name = "delta-disclosure",
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
    .leaves_open = "A value may still be more or less frequent in a group than in the whole table, "
                   "by the factor that was promised (attribute disclosure).",
    .strength = 5,
    .figures = figures,
    .n_figures = sizeof figures / sizeof *figures,
};
