/* Risk as JSON. Numbers stand as they were measured; values of a sensitive column only as far as
 * the release shows them, and not more than a thousand. */
#include "job/risk/risk_result.h"

#include <math.h>

#include "job/risk/risk_inside.h"
#include "job/tell/tell.h"

enum { MOST_VALUES = 1000 };

json_t *kan_json_sizes(const kan_group_sizes *sizes) {
    json_t *list = json_array();
    for (size_t i = 0; i < sizes->n; i++)
        list = kan_json_append(list, json_pack("{s:o, s:o}", "size",
                                               kan_json_count(sizes->counts[i].size), "groups",
                                               kan_json_count(sizes->counts[i].n_groups)));
    return list;
}

json_t *kan_json_kmap(const kan_kmap *kmap) {
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "population",
        kan_json_count(kmap->n_people), "k", kan_json_count(kmap->k), "largest",
        kan_json_count(kmap->largest), "highest", kan_json_real(kmap->highest), "average",
        kan_json_real(kmap->average), "rows_at_risk", kan_json_count(kmap->n_rows_at_risk),
        "groups_at_risk", kan_json_count(kmap->n_groups_at_risk), "share_at_risk",
        kan_json_real(kmap->share_at_risk), "unique_groups", kan_json_count(kmap->n_unique),
        "short_groups", kan_json_count(kmap->n_short_groups));
}

/* ---- estimates ------------------------------------------------------------------------------ */

static json_t *parameters_json(kan_estimator estimator, const kan_estimate *estimate) {
    switch (estimator) {
    case KAN_PITMAN:
        return json_pack("{s:o, s:o}", "theta", kan_json_real(estimate->first), "alpha",
                         kan_json_real(estimate->second));
    case KAN_SNB:
        return json_pack("{s:o, s:o}", "a", kan_json_real(estimate->first), "p",
                         kan_json_real(estimate->second));
    default:
        return json_pack("{s:o}", "probability", kan_json_real(estimate->first));
    }
}

static json_t *estimate_json(kan_estimator estimator, const kan_estimate *estimate) {
    json_t *object = json_pack("{s:s, s:s}", "estimator", kan_estimator_name(estimator),
                               "assumption", kan_estimator_assumption(estimator));
    const bool is_known = estimate->is_known;
    object = kan_json_set(object, "uniques",
                          is_known ? kan_json_real(estimate->n_uniques) : json_null());
    object = kan_json_set(object, "share", is_known ? kan_json_real(estimate->share) : json_null());
    object = kan_json_set(object, "exposed_rows",
                          is_known ? kan_json_real(estimate->n_exposed) : json_null());
    return kan_json_set(object, "parameters",
                        is_known ? parameters_json(estimator, estimate) : json_null());
}

json_t *kan_json_estimates(const kan_estimates *estimates) {
    json_t *list = json_array();
    for (int i = 0; i < KAN_ESTIMATORS; i++)
        list = kan_json_append(list, estimate_json((kan_estimator)i, &estimates->by[i]));
    return json_pack("{s:o, s:o, s:o, s:o}", "population", kan_json_real(estimates->n_people),
                     "fraction", kan_json_real(estimates->fraction), "chosen",
                     estimates->has_chosen ? json_string(kan_estimator_name(estimates->chosen))
                                           : json_null(),
                     "estimates", list);
}

/* ---- sensitive values ----------------------------------------------------------------------- */

static json_t *reached_json(const kan_model_recount *model) {
    if (!model->is_reached)
        return json_null();
    return model->is_count ? kan_json_count(model->count) : kan_json_real(model->reached);
}

static json_t *values_json(const kan_sensitive_risk *risk) {
    json_t *values = json_array();
    for (size_t i = 0; i < risk->n_values && i < MOST_VALUES; i++) {
        const kan_value_confidence *value = &risk->values[i];
        values = kan_json_append(values, json_pack("{s:o, s:o, s:o, s:o}", "value",
                                                   kan_json_slice(value->value), "rows",
                                                   kan_json_count(value->n_rows), "confidence",
                                                   kan_json_real(value->confidence), "share",
                                                   kan_json_real(value->share)));
    }
    return values;
}

static json_t *column_json(const kan_sensitive_risks *risks, size_t i, bool hides_values) {
    const kan_sensitive_risk *risk = &risks->columns[i];
    json_t *object = json_pack("{s:o}", "column", kan_json_text(risk->name));
    for (size_t f = 0; f < risks->figures->n; f++)
        object = kan_json_set(object, risks->figures->all[f].figure->key,
                              reached_json(&risk->reached[f]));
    object = kan_json_set(object, "certain_groups", kan_json_count(risk->n_groups_certain));
    object = kan_json_set(object, "certain_rows", kan_json_count(risk->n_rows_certain));
    object = kan_json_set(object, "n_values", kan_json_count(risk->n_values));
    return hides_values ? object : kan_json_set(object, "values", values_json(risk));
}

json_t *kan_json_sensitive(const kan_sensitive_risks *risks, bool hides_values) {
    json_t *columns = json_array();
    for (size_t i = 0; i < risks->n; i++)
        columns = kan_json_append(columns, column_json(risks, i, hides_values));
    return columns;
}

/* ---- one table ------------------------------------------------------------------------------ */

/* Each person once, by the smallest group that she is in. */
json_t *kan_json_risk_person(const kan_risk *risk) {
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "people", kan_json_count(risk->n_rows),
                     "unique", kan_json_count(risk->n_unique), "highest",
                     kan_json_real(risk->highest), "average", kan_json_real(risk->average),
                     "at_risk", kan_json_count(risk->n_rows_at_risk), "share_at_risk",
                     kan_json_real(risk->share_at_risk));
}

json_t *kan_json_risk(const kan_risk_side *side) {
    const kan_risk *risk = side->risk;
    json_t *prosecutor = json_pack(
        "{s:o, s:o, s:o, s:o, s:o}", "highest", kan_json_real(risk->highest), "average",
        kan_json_real(risk->average), "rows_at_risk", kan_json_count(risk->n_rows_at_risk),
        "groups_at_risk", kan_json_count(risk->n_groups_at_risk), "share_at_risk",
        kan_json_real(risk->share_at_risk));
    json_t *object = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "rows",
        kan_json_count(risk->n_rows), "suppressed", kan_json_count(risk->n_suppressed), "groups",
        kan_json_count(risk->n_groups), "smallest", kan_json_count(risk->smallest), "largest",
        kan_json_count(risk->largest), "mean_size", kan_json_real(risk->mean_size), "median_size",
        kan_json_count(risk->median_size), "threshold", kan_json_count(risk->threshold), "uniques",
        kan_json_count(risk->n_unique), "share_unique", kan_json_real(risk->share_unique),
        "prosecutor", prosecutor);
    object =
        kan_json_set(object, "marketer",
                     json_pack("{s:o}", "average",
                               kan_json_real(side->kmap ? side->kmap->average : risk->marketer)));
    object =
        kan_json_set(object, "journalist", side->kmap ? kan_json_kmap(side->kmap) : json_null());
    object = kan_json_set(object, "population_uniques",
                          side->estimates ? kan_json_estimates(side->estimates) : json_null());
    object = kan_json_set(object, "sensitive",
                          side->sensitive ? kan_json_sensitive(side->sensitive, side->hides_values)
                                          : json_array());
    object =
        kan_json_set(object, "sizes", side->sizes ? kan_json_sizes(side->sizes) : json_array());
    if (side->person)
        object = kan_json_set(object, "person", kan_json_risk_person(side->person));
    if (side->individual)
        object = kan_json_set(object, "individual", kan_json_individual(side));
    return side->crowds ? kan_json_set(object, "missing_matches", kan_json_crowds(side->crowds))
                        : object;
}

/* ---- the result of the command -------------------------------------------------------------- */

kan_risk_side kan_risk_side_of(const kan_risk_walk *w, kan_risk_table table) {
    const kan_risk_measures *m = &w->measures[table];
    const kan_risk_special *special = &w->special[table];
    return (kan_risk_side){.sizes = &m->sizes,
                           .risk = &m->risk,
                           .kmap = m->has_kmap ? &m->kmap : NULL,
                           .estimates = m->has_estimates ? &m->estimates : NULL,
                           .sensitive = m->has_sensitive ? &m->sensitive : NULL,
                           .crowds = special->has_crowds ? &special->crowds : NULL,
                           .person = w->person ? &m->person : NULL,
                           .individual = special->has_individual ? &special->individual : NULL,
                           .weights_sum = special->stands_for ? special->population : NAN,
                           .hides_values = table != KAN_RISK_TABLE};
}

static json_t *table_json(const kan_risk_walk *w, kan_risk_table table, const char *setting) {
    const char *path = kan_options_find(&w->job->options, setting);
    if (!w->has[table])
        return json_null();
    return json_pack("{s:o, s:o}", "path",
                     w->sides[table].input.is_file && path ? kan_json_text(path) : json_null(),
                     "rows", kan_json_count(kan_table_total(w->sides[table].table)));
}

static json_t *names_json(const kan_risk_walk *w) {
    json_t *names = json_array();
    for (size_t i = 0; i < w->n_quasi + w->n_means; i++)
        names = kan_json_append(
            names, kan_json_text(w->sides[KAN_RISK_TABLE].input.columns[w->groups_by[i]]));
    return names;
}

kan_status kan_risk_write(const kan_risk_walk *w, kan_result *out) {
    const kan_risk_side after = kan_risk_side_of(w, KAN_RISK_TABLE);
    const kan_risk_side before = kan_risk_side_of(w, KAN_RISK_ORIGINAL);
    json_t *times =
        json_pack("{s:o, s:o, s:o}", "read", kan_json_time(w->read_ms), "measure",
                  kan_json_time(w->measure_ms), "total", kan_json_time(kan_now_ms() - w->start_ms));
    json_t *object =
        json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kanon", KANON_VERSION,
                  "command", "risk", "input", table_json(w, KAN_RISK_TABLE, "input"), "original",
                  table_json(w, KAN_RISK_ORIGINAL, "original"), "population",
                  table_json(w, KAN_RISK_POPULATION, "population"), "quasi_identifiers",
                  names_json(w), "risk", kan_json_risk(&after), "before",
                  w->has[KAN_RISK_ORIGINAL] ? kan_json_risk(&before) : json_null(), "time_ms",
                  times, "peak_memory_bytes", kan_json_count(kan_run_peak_memory(w->run)));
    object = kan_json_set(object, "special_uniques", kan_json_special(w));
    object = kan_json_set(object, "near", kan_json_near(w));
    KAN_TRY(kan_result_set_json(out, object));
    return kan_risk_summary(w, &out->summary);
}
