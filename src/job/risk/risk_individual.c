/* The individual risk in `risk`: weights as the table has them, households, and what is told of them.
 */
#include <math.h>
#include <string.h>

#include "job/input/input.h"
#include "job/risk/risk_inside.h"
#include "job/tell/tell.h"

/* The column of a role in a table, or NULL. */
static const kan_column *column_of(const kan_risk_walk *w, kan_risk_table table, kan_role role) {
    const kan_role_column *column = kan_roles_only(&w->roles, role);
    if (role == KAN_ROLE_WEIGHT && !kan_risk_has_weights(w))
        return NULL;
    return column ? kan_table_find(w->sides[table].table, column->name.bytes, NULL) : NULL;
}

bool kan_risk_needs_weights(const kan_job *job) {
    for (size_t i = 0; i < job->options.n; i++)
        if (strcmp(job->options.values[i].name, "sampling-weight") == 0)
            return !job->options.values[i].is_from_file;
    return false;
}

bool kan_risk_has_weights(const kan_risk_walk *w) {
    const kan_role_column *column = kan_roles_only(&w->roles, KAN_ROLE_WEIGHT);
    return column && column->at[w->role_table[KAN_RISK_TABLE]] != KAN_NO_COLUMN;
}

bool kan_risk_wants_individual(const kan_risk_walk *w) {
    return kan_risk_has_weights(w) || kan_roles_only(&w->roles, KAN_ROLE_HOUSEHOLD) ||
           kan_options_find(&w->job->options, "tolerated-risk");
}

/* ---- by tuple ------------------------------------------------------------------------------- */

/* How many units each tuple stands for, or whoever it matches. */
static kan_status sum_units(const kan_column *column, const kan_row_weights *weights,
                            const kan_risk_special *special, kan_run *run, uint64_t *sums) {
    const kan_risk_tuples *tuples = &special->tuples;
    for (uint64_t row = 0; row < column->n_rows; row++)
        sums[tuples->tuple_of_row[row]] += weights->units[kan_column_code(column, row)];
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

static kan_status sum_people(const kan_column *column, const kan_row_weights *weights, kan_run *run,
                             kan_risk_special *special) {
    uint64_t *sums;
    KAN_TRY(kan_alloc(run, special->tuples.n, sizeof *special->stands_for, &special->stands_for));
    KAN_TRY(kan_alloc_zero(run, special->tuples.n, sizeof *sums, &sums));
    const kan_status status = sum_units(column, weights, special, run, sums);
    for (uint32_t t = 0; t < special->tuples.n && status == KAN_OK; t++)
        special->stands_for[t] = kan_row_weights_people(weights, sums[t]);
    kan_free(run, sums);
    return status;
}

static kan_status take_weights(const kan_risk_walk *w, kan_risk_table table,
                               kan_risk_special *special) {
    const kan_verify_side *side = &w->sides[table];
    const kan_column *column = column_of(w, table, KAN_ROLE_WEIGHT);
    kan_row_weights weights;
    if (!column)
        return KAN_OK;
    kan_status status = kan_row_weights_read(&side->input, column, &weights);
    if (status == KAN_OK && weights.has_bad)
        status = kan_row_weights_refuse(&side->input, column, &weights,
                                        kan_shown_row(&side->shown, weights.first_bad));
    if (status == KAN_OK)
        status = sum_people(column, &weights, w->run, special);
    if (status == KAN_OK) {
        special->population = kan_row_weights_people(&weights, weights.total);
        kan_row_weights_note(&side->input, column, &weights);
    }
    kan_free(w->run, weights.units);
    return status;
}

/* Weights that make up for rows that are missing (--calibrate) let those that are there stand for people who
 * look otherwise. */
static void note_calibrated(const kan_risk_walk *w) {
    static const double NEARLY = 0.999999;
    const kan_risk_special *after = &w->special[KAN_RISK_TABLE],
                           *before = &w->special[KAN_RISK_ORIGINAL];
    if (!after->stands_for || !before->stands_for ||
        w->sides[KAN_RISK_TABLE].table->n_rows >= w->sides[KAN_RISK_ORIGINAL].table->n_rows ||
        after->population < before->population * NEARLY)
        return;
    kan_note(w->run,
             "%s has fewer rows than %s, and its weights add up to as much: they look calibrated "
             "(--calibrate), and risks that are measured by them are too low; measure a release "
             "with the weights as they were",
             w->sides[KAN_RISK_TABLE].input.name, w->sides[KAN_RISK_ORIGINAL].input.name);
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
    if (status == KAN_OK) /* once both are there */
        note_calibrated(w);
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
