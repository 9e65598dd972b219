/* Presence, recounted: for every released group of f rows that F people of the population match,
 * LOW <= f / F <= HIGH. Who matches is read from the released labels (relation.h).
 *
 * LOW and HIGH are both fractions of one denominator here, the larger of the powers of ten that
 * their decimals need. */
#include <string.h>

#include "analyze/verify/verify.h"
#include "data/decimal.h"

/* LOW = whole / denominator, HIGH = numerator / denominator. */
static void check_groups(const kan_claim_model *model, const kan_groups_recount *groups,
                         kan_model_recount *out) {
    for (size_t g = 0; g < groups->n; g++) {
        const uint64_t rows = groups->rows[g], people = groups->people[g];
        const kan_u128 scaled = (kan_u128)rows * model->denominator;
        if (people == 0 || scaled > (kan_u128)people * model->numerator ||
            scaled < (kan_u128)people * model->whole)
            kan_model_add_failing(groups, g, out);
        if (people == 0 ||
            (out->is_reached && kan_model_compare(rows, people, out->part, out->whole) <= 0))
            continue;
        out->is_reached = true;
        out->part = rows;
        out->whole = people;
        out->reached = (double)rows / (double)people;
    }
    out->holds = out->n_failing_groups == 0;
}

/* ---- settings ------------------------------------------------------------------------------- */

static bool read_bound(kan_slice text, unsigned scale, uint64_t *out) {
    kan_wide units = 0;
    bool is_exact = false;
    if (!kan_decimal_floor(text, scale, &units, &is_exact) || !is_exact || units < 0 ||
        units > INT64_MAX)
        return false;
    *out = (uint64_t)units;
    return true;
}

static bool split(const char *text, kan_slice *low, kan_slice *high) {
    const char *dots = text ? strstr(text, "..") : NULL;
    if (!dots)
        return false;
    *low = dots > text ? (kan_slice){text, (size_t)(dots - text)} : kan_slice_of("0");
    *high = dots[2] ? kan_slice_of(dots + 2) : kan_slice_of("1");
    return true;
}

static kan_status read(kan_run *run, const kan_options *options, kan_claim_model *model) {
    kan_slice low, high;
    unsigned scale = 0; /* raised to what both need */
    model->text = kan_options_find(options, "presence");
    bool is_right = split(model->text, &low, &high) && kan_decimal_scale(low, &scale) &&
                    kan_decimal_scale(high, &scale);
    if (is_right) {
        model->denominator = 1;
        for (unsigned i = 0; i < scale; i++)
            model->denominator *= 10;
        is_right = read_bound(low, scale, &model->whole) &&
                   read_bound(high, scale, &model->numerator) && model->whole <= model->numerator &&
                   model->numerator <= model->denominator;
    }
    if (is_right)
        return KAN_OK;
    return kan_fail(run, KAN_BAD_INPUT,
                    "--presence: '%s' is not two shares from 0 to 1, the lower one first; write "
                    "them as 0.1..0.5, or ..0.5",
                    model->text ? model->text : "");
}

/* ---- telling -------------------------------------------------------------------------------- */

static void tell(const kan_claim_model *model, const kan_claim_column *column, kan_facts *facts) {
    (void)column;
    const uint64_t whole = model->denominator;
    kan_facts_add(facts, (kan_fact){"presence", KAN_FACT_WORD, .text = model->text});
    kan_facts_add(facts, (kan_fact){"low", KAN_FACT_RATIO, .count = model->whole, .whole = whole});
    kan_facts_add(facts,
                  (kan_fact){"high", KAN_FACT_RATIO, .count = model->numerator, .whole = whole});
}

static void say_promised(const kan_claim_model *model, const kan_claim_column *column,
                         kan_text *text) {
    (void)column;
    kan_text_print(text, "=%s", model->text);
}

static void say_reached(double reached, kan_text *text) {
    kan_text_print(text, ", the greatest share is %.6g", reached);
}

static const kan_shown_fact shown[] = {
    {"presence", KAN_SHOWN_WORD}, {"low", KAN_SHOWN_SHARE}, {"high", KAN_SHOWN_SHARE}};

static void show(const kan_model_page *page) {
    page->say(page, "Of the people of the population who match a released group, at least ");
    page->percent(page, "low");
    page->say(page, " and at most ");
    page->percent(page, "high");
    page->say(page, " are in it: with a list of the population, nobody can be surer than that "
                    "about somebody who matches a group. Of people who match no group it is "
                    "certain that they are not in the release.");
    page->reached(page, " The greatest share is ", true);
}

const kan_recount_kind kan_recount_presence = {
    .name = "presence",
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
