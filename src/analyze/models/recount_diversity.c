/* l-diversity, recounted. Its three definitions:
 *
 *   distinct    at least l different values
 *   entropy     at least l different values, and the entropy of their shares of the group is at
 *               least log l, less TOLERANCE. Here l is a decimal.
 *   recursive   r_1 < c (r_l + ... + r_m), r_i being the rows of the i-th most frequent of m
 *               values; with m < l it does not hold
 *
 * All is compared exactly, except entropy. O(values of the group), for the recursive definition
 * with a sort of their counts. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/verify/verify.h"

enum { DISTINCT, ENTROPY, RECURSIVE };
static const char *const forms[] = {"distinct", "entropy", "recursive"};

/* Natural logarithms. What is equal to log l by definition, l values with equal shares, must not
 * fail by the last bit. */
#define TOLERANCE 1e-9

/* Two ways to sum the same logarithms differ by far less than this; what a search has accepted at
 * the very edge of the tolerance is not refused here by rounding. */
#define ROUNDING 1e-12

static void take_least(uint64_t l, double reached, const kan_model_tally *tally,
                       kan_model_recount *so_far) {
    if (so_far->is_reached && reached >= so_far->reached)
        return;
    so_far->is_reached = true;
    so_far->count = l;
    so_far->reached = reached;
    so_far->column = tally->column;
}

static int compare_falling(const void *a, const void *b) {
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left < right) - (left > right);
}

/* Summed from the most frequent value on: the order of values depends on those of suppressed rows,
 * and the last digit of a sum on its order. */
static double entropy_of(const kan_model_tally *tally) {
    uint64_t *rows = tally->room;
    double sum = 0;
    for (size_t i = 0; i < tally->n; i++)
        rows[i] = tally->counts[i].count;
    qsort(rows, tally->n, sizeof *rows, compare_falling);
    for (size_t i = 0; i < tally->n; i++) {
        const double share = (double)rows[i] / (double)tally->total;
        sum -= share * log(share);
    }
    return sum;
}

static bool check_entropy(const kan_claim_model *model, const kan_model_tally *tally,
                          kan_model_recount *so_far) {
    const double l = (double)model->numerator / (double)model->denominator;
    const bool has_values = (kan_u128)tally->n * model->denominator >= model->numerator;
    const double entropy = entropy_of(tally);
    double reached = exp(entropy);
    /* Equal shares are told as the whole number that they mean. */
    if (fabs(reached - rint(reached)) < TOLERANCE * reached)
        reached = rint(reached);
    take_least((uint64_t)reached, reached, tally, so_far);
    return has_values && entropy >= log(l) - TOLERANCE - ROUNDING;
}

/* The greatest l for which r_1 < c (r_l + ... + r_m); 0: there is none. The sum only grows as l
 * falls, so that every smaller l holds as well. */
static uint64_t greatest_recursive(const kan_claim_model *model, const kan_model_tally *tally) {
    uint64_t *r = tally->room, sum = 0;
    for (size_t i = 0; i < tally->n; i++)
        r[i] = tally->counts[i].count;
    qsort(r, tally->n, sizeof *r, compare_falling);
    const kan_u128 first = (kan_u128)r[0] * model->denominator;
    for (size_t l = tally->n; l > 0; l--) {
        sum += r[l - 1];
        if (first < (kan_u128)model->numerator * sum)
            return l;
    }
    return 0;
}

static bool check(const kan_claim_model *model, const kan_model_values *values,
                  const kan_model_tally *tally, kan_model_recount *so_far) {
    (void)values;
    if (model->form == ENTROPY)
        return check_entropy(model, tally, so_far);
    const uint64_t l =
        model->form == RECURSIVE ? greatest_recursive(model, tally) : (uint64_t)tally->n;
    take_least(l, (double)l, tally, so_far);
    so_far->is_count = true;
    return l >= model->whole;
}

static kan_status read(kan_run *run, const kan_options *options, kan_claim_model *model) {
    const char *wanted = kan_options_find(options, "l-kind"), *l = kan_options_find(options, "l");
    for (unsigned i = 0; wanted && i < sizeof forms / sizeof *forms; i++)
        if (strcmp(wanted, forms[i]) == 0)
            model->form = i;
    if (model->form != ENTROPY && (!l || !kan_parse_count(l, &model->whole)))
        return kan_fail(run, KAN_BAD_INPUT,
                        "--l: '%s' is not a whole number, and different values are counted; write "
                        "--l 2, or --l-kind entropy, which takes decimals",
                        l ? l : "");
    if (model->form == DISTINCT)
        return KAN_OK;
    KAN_TRY(kan_recount_read_decimal(run, options, model->form == ENTROPY ? "l" : "c", model));
    if (model->form == ENTROPY && model->numerator < model->denominator)
        return kan_fail(run, KAN_BAD_INPUT, "--l: %s is too small; the minimum is 1", model->text);
    return KAN_OK;
}

/* ---- telling -------------------------------------------------------------------------------- */

static void tell(const kan_claim_model *model, const kan_claim_column *column, kan_facts *facts) {
    (void)column;
    kan_facts_add(facts, (kan_fact){"kind", KAN_FACT_WORD, .text = forms[model->form]});
    kan_facts_add(facts, model->form == ENTROPY
                             ? (kan_fact){"l", KAN_FACT_NUMBER, .text = model->text}
                             : (kan_fact){"l", KAN_FACT_COUNT, .count = model->whole});
    if (model->form == RECURSIVE)
        kan_facts_add(facts, (kan_fact){"c", KAN_FACT_NUMBER, .text = model->text});
}

static void say_promised(const kan_claim_model *model, const kan_claim_column *column,
                         kan_text *text) {
    (void)column;
    if (model->form == ENTROPY)
        kan_text_print(text, " l=%s", model->text);
    else
        kan_text_print(text, " l=%" PRIu64, model->whole);
    kan_text_print(text, " %s", forms[model->form]);
    if (model->form == RECURSIVE)
        kan_text_print(text, " c=%s", model->text);
}

static void say_reached(double reached, kan_text *text) {
    kan_text_print(text, ", l=%.6g is reached", reached);
}

static const kan_shown_fact shown[] = {
    {"kind", KAN_SHOWN_WORD},
    {"l", KAN_SHOWN_REAL},
};

static void show(const kan_model_page *page) {
    const bool is_entropy = page->is(page, "kind", forms[ENTROPY]);
    const bool is_recursive = page->is(page, "kind", forms[RECURSIVE]);
    page->say(page, "Every group has at least ");
    page->count(page, "l");
    page->say(page, is_entropy ? " sensitive values that are about as likely as each other "
                                 "(entropy l-diversity)."
                    : is_recursive
                        ? " sensitive values, and the commonest does not outweigh the rest "
                          "(recursive l-diversity)."
                        : " different sensitive values.");
    page->reached(page,
                  is_entropy ? " The least that occurs, as a number of equally likely values, is "
                             : " The least that occurs is ",
                  false);
}

static const kan_recount_figure figures[] = {
    {.key = "l", .words = "least values (l)", .model = {.form = DISTINCT, .whole = 1}},
    {.key = "entropy_l",
     .words = "least by entropy (l)",
     .model = {.form = ENTROPY, .numerator = 1, .denominator = 1}},
    {.key = "recursive_l",
     .words = "least recursive (l)",
     .option = "c",
     .model = {.form = RECURSIVE, .whole = 1}},
};

/* Different values stay different. */
static bool takes_any(const kan_claim_model *model) {
    return model->form == DISTINCT;
}

const kan_recount_kind kan_recount_diversity = {
    .name = "l-diversity",
    .counts_people = true,
    .takes_any = takes_any,
    .read = read,
    .check = check,
    .tell = tell,
    .say_promised = say_promised,
    .say_reached = say_reached,
    .shown = shown,
    .n_shown = sizeof shown / sizeof *shown,
    .show = show,
    .leaves_open = "Different values need not be equally likely: nearly all rows of a group may "
                   "share one, or have it far more often than the whole table does, and then it "
                   "is as good as known of everybody in it (skewness, attribute disclosure).",
    .strength = 1,
    .figures = figures,
    .n_figures = sizeof figures / sizeof *figures,
};
