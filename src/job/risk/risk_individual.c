/* The individual risk in `risk`: weights as the table has them, households, and what is told of them.
 *
 * Weights are summed as whole numbers of units, as many decimals as any weight has, or as many as keep
 * the sum of all within 63 bits: so sums do not depend on the order of rows. */
#include <inttypes.h>
#include <math.h>

#include "data/decimal.h"
#include "job/risk/risk_inside.h"
#include "job/tell/tell.h"

#define MOST_UNITS ((kan_wide)1 << 62)

/* The column of a role in a table, or NULL. */
static const kan_column *column_of(const kan_risk_walk *w, kan_risk_table table, kan_role role) {
    const kan_role_column *column = kan_roles_only(&w->roles, role);
    return column ? kan_table_find(w->sides[table].table, column->name.bytes, NULL) : NULL;
}

bool kan_risk_wants_individual(const kan_risk_walk *w) {
    return kan_roles_only(&w->roles, KAN_ROLE_WEIGHT) ||
           kan_roles_only(&w->roles, KAN_ROLE_HOUSEHOLD) ||
           kan_options_find(&w->job->options, "tolerated-risk");
}

/* ---- weights -------------------------------------------------------------------------------- */

typedef struct {
    const kan_risk_walk *w;
    const kan_verify_side *side;
    const kan_column *column;
    unsigned scale;
    kan_wide *units; /* by code; 0: it is no weight */
    kan_wide total;  /* over rows */
    uint64_t n_small, first_bad;
    bool has_bad;
} weights;

static kan_status refuse_weight(const weights *x) {
    const kan_input *input = &x->side->input;
    const uint64_t row = kan_shown_row(&x->side->shown, x->first_bad);
    uint64_t line = row + 1;
    bool is_line = false;
    char quoted[256];
    if (!input->source ||
        kan_source_find_lines(input->source, &row, 1, &line, &is_line) != KAN_OK || !is_line)
        line = row + 1;
    return kan_fail(x->w->run, KAN_BAD_INPUT,
                    "%s, %s %" PRIu64
                    ": column '%s' (--sampling-weight) has %s; a weight is a number "
                    "above 0, the people of the population that the row stands for: correct it, or "
                    "take the row out",
                    input->name, is_line ? "line" : "row", line, x->column->name,
                    kan_quote(kan_column_value(x->column, x->first_bad), quoted));
}

/* Cut to the scale; a weight that is less than a unit counts as one. */
static kan_status read_units(weights *x) {
    const kan_dictionary *dictionary = &x->column->dictionary;
    x->total = 0;
    for (uint32_t code = 0; code < dictionary->n; code++) {
        const kan_slice text = kan_dictionary_value(dictionary, code);
        bool is_exact = true;
        kan_wide units = 0;
        if (!kan_decimal_floor(text, x->scale, &units, &is_exact))
            units = 0;
        x->units[code] = units == 0 && !is_exact ? 1 : units;
    }
    for (uint64_t row = 0; row < x->column->n_rows && !x->has_bad; row++) {
        const kan_wide units = x->units[kan_column_code(x->column, row)];
        x->has_bad = units <= 0;
        x->first_bad = row;
        /* what is more than this is cut off below, or refused */
        x->total += units < MOST_UNITS ? units : MOST_UNITS;
        if (x->total > MOST_UNITS)
            x->total = MOST_UNITS;
    }
    return x->has_bad ? refuse_weight(x) : KAN_OK;
}

static void find_scale(weights *x) {
    for (uint32_t code = 0; code < x->column->dictionary.n; code++)
        if (!kan_decimal_scale(kan_dictionary_value(&x->column->dictionary, code), &x->scale))
            x->scale = KAN_DECIMAL_SCALE_MOST;
}

static kan_status read_weights(weights *x) {
    KAN_TRY(kan_alloc_zero(x->w->run, x->column->dictionary.n, sizeof *x->units, &x->units));
    find_scale(x);
    KAN_TRY(read_units(x));
    while (x->total >= MOST_UNITS && x->scale > 0) {
        x->scale--;
        KAN_TRY(read_units(x));
    }
    if (x->total >= MOST_UNITS)
        return kan_fail(x->w->run, KAN_BAD_INPUT,
                        "%s: the weights of column '%s' (--sampling-weight) add up to more than "
                        "4 * 10^18; is it the right column?",
                        x->side->input.name, x->column->name);
    return KAN_OK;
}

static double people_of(const weights *x, kan_wide units) {
    double scale = 1;
    for (unsigned i = 0; i < x->scale; i++)
        scale *= 10;
    return (double)units / scale;
}

static void note_weights(weights *x) {
    const uint64_t n_rows = x->column->n_rows;
    char small[32], rows[32];
    kan_wide one = 1;
    for (unsigned i = 0; i < x->scale; i++)
        one *= 10;
    for (uint64_t row = 0; row < n_rows; row++)
        x->n_small += x->units[kan_column_code(x->column, row)] < one;
    kan_count_text(x->n_small, small);
    kan_count_text(n_rows, rows);
    if (people_of(x, x->total) < (double)n_rows)
        kan_note(x->w->run,
                 "%s: the weights of column '%s' add up to %.6g, less than the %s rows: they look "
                 "normalized. Give weights that add up to the population; with these the risk of a "
                 "row is 1 / its group",
                 x->side->input.name, x->column->name, people_of(x, x->total), rows);
    else if (x->n_small > 0)
        kan_note(x->w->run,
                 "%s: %s %s below 1 in column '%s' (--sampling-weight): a row that "
                 "stands for less than itself",
                 x->side->input.name, small, kan_plural(x->n_small, "weight is", "weights are"),
                 x->column->name);
}

/* ---- by tuple ------------------------------------------------------------------------------- */

/* How many units each tuple stands for, or whoever it matches. */
static kan_status sum_units(const weights *x, const kan_risk_special *special, uint64_t *sums) {
    const kan_risk_tuples *tuples = &special->tuples;
    kan_run *run = x->w->run;
    for (uint64_t row = 0; row < x->column->n_rows; row++)
        sums[tuples->tuple_of_row[row]] += (uint64_t)x->units[kan_column_code(x->column, row)];
    if (!special->matches)
        return KAN_OK;
    /* matching counts rows; it is told that there are as many as units */
    kan_risk_tuples as_units = *tuples;
    kan_matching *matching = NULL;
    uint64_t *own;
    KAN_TRY(kan_alloc(run, tuples->n, sizeof *own, &own));
    for (uint32_t t = 0; t < tuples->n; t++)
        own[t] = sums[t];
    as_units.rows = own;
    kan_status status = kan_matching_create(&as_units, &matching);
    if (status == KAN_OK)
        status = kan_matching_count(matching, sums);
    kan_matching_destroy(matching);
    kan_free(run, own);
    return status;
}

static kan_status sum_people(const weights *x, kan_risk_special *special) {
    uint64_t *sums;
    KAN_TRY(
        kan_alloc(x->w->run, special->tuples.n, sizeof *special->stands_for, &special->stands_for));
    KAN_TRY(kan_alloc_zero(x->w->run, special->tuples.n, sizeof *sums, &sums));
    const kan_status status = sum_units(x, special, sums);
    for (uint32_t t = 0; t < special->tuples.n && status == KAN_OK; t++)
        special->stands_for[t] = people_of(x, (kan_wide)sums[t]);
    kan_free(x->w->run, sums);
    return status;
}

static kan_status take_weights(const kan_risk_walk *w, kan_risk_table table,
                               kan_risk_special *special) {
    weights x = {.w = w, .side = &w->sides[table], .column = column_of(w, table, KAN_ROLE_WEIGHT)};
    if (!x.column)
        return KAN_OK;
    kan_status status = read_weights(&x);
    if (status == KAN_OK)
        status = sum_people(&x, special);
    if (status == KAN_OK) {
        special->population = people_of(&x, x.total);
        note_weights(&x);
    }
    kan_free(w->run, x.units);
    return status;
}

/* ---- measuring ------------------------------------------------------------------------------ */

static kan_status find_households(const kan_risk_walk *w, const kan_column *column,
                                  uint32_t **out) {
    uint32_t *of;
    char note[64];
    KAN_TRY(kan_alloc(w->run, (size_t)column->n_rows, sizeof *of, &of));
    *out = of;
    for (uint64_t row = 0; row < column->n_rows; row++)
        of[row] = kan_column_code(column, row);
    if (column->dictionary.n == 1 && column->n_rows > 1)
        kan_note(w->run,
                 "all %s rows have the same '%s' (--household): one household of everybody; is it "
                 "the right column?",
                 kan_count_text(column->n_rows, note), column->name);
    return KAN_OK;
}

kan_status kan_risk_individual_measure(kan_risk_walk *w, kan_risk_table table) {
    kan_risk_special *special = &w->special[table];
    const kan_column *household = column_of(w, table, KAN_ROLE_HOUSEHOLD);
    uint32_t *household_of = NULL;
    kan_status status;
    KAN_TRY_DONE(take_weights(w, table, special));
    if (household)
        KAN_TRY_DONE(find_households(w, household, &household_of));
    const kan_individual_question question = {
        .tuples = &special->tuples,
        .n_rows = w->sides[table].table->n_rows,
        .crowd = special->matches,
        .people = special->stands_for,
        .household_of = household_of,
        .n_households = household ? household->dictionary.n : 0,
        .threshold = w->threshold,
        .tolerated = kan_options_real(&w->job->options, "tolerated-risk", -1)};
    status = kan_individual_risks_measure(w->run, &question, &special->individual);
    special->has_individual = status == KAN_OK;
done:
    kan_free(w->run, household_of);
    return status;
}

void kan_risk_individual_destroy(kan_run *run, kan_risk_special *special) {
    if (special->has_individual)
        kan_individual_risks_destroy(&special->individual);
    kan_free(run, special->stands_for);
}

uint32_t kan_risk_household_of(const kan_risk_walk *w, uint64_t row) {
    const kan_column *household = column_of(w, KAN_RISK_TABLE, KAN_ROLE_HOUSEHOLD);
    return household ? kan_column_code(household, row) : 0;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *spread_json(const kan_risk_spread *s) {
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "highest",
                     kan_json_real(s->highest), "average", kan_json_real(s->average), "expected",
                     kan_json_real(s->expected), "median", kan_json_real(s->median), "upper_10",
                     kan_json_real(s->upper_10), "upper_1", kan_json_real(s->upper_1),
                     "rows_at_risk", kan_json_count(s->n_at_risk), "allowed",
                     isnan(s->allowed) ? json_null() : kan_json_real(s->allowed),
                     "rows_above_allowed", kan_json_count(s->n_above_allowed));
}

json_t *kan_json_individual(const kan_risk_side *side) {
    const kan_individual_risks *risks = side->individual;
    json_t *object =
        json_pack("{s:o, s:o}", "weights_sum",
                  isnan(side->weights_sum) ? json_null() : kan_json_real(side->weights_sum), "rows",
                  spread_json(&risks->rows));
    if (!risks->has_households)
        return object;
    object = kan_json_set(object, "households", spread_json(&risks->households));
    object = kan_json_set(object, "n_households", kan_json_count(risks->n_households));
    return kan_json_set(object, "households_alone", kan_json_count(risks->n_alone));
}
