/* The JSON of the contract. */
#include "job/outcome/outcome_json.h"
#include "job/outcome/outcome_ledger.h"

#include <math.h>
#include <string.h>

#include "job/outcome/outcome_people.h"
#include "job/settings/settings.h"

json_t *kan_json_score(const kan_score *score) {
    return score->is_whole ? kan_json_count(score->whole) : kan_json_real(score->real);
}

static json_t *names_json(const kan_setup *setup) {
    json_t *names = json_array();
    for (unsigned i = 0; i < setup->n_quasi; i++)
        names = kan_json_append(names, kan_json_text(setup->table->columns[setup->quasi[i]].name));
    return names;
}

static json_t *privacy_json(const kan_outcome *outcome) {
    const kan_recounted recounted = kan_outcome_recounted(outcome);
    return kan_recounted_json(&recounted, true);
}

static json_t *levels_json(const uint8_t *levels, unsigned n) {
    json_t *vector = json_array();
    for (unsigned a = 0; a < n; a++)
        vector = kan_json_append(vector, json_integer(levels[a]));
    return vector;
}

static json_t *vectors_json(const uint8_t *vectors, size_t n_vectors, unsigned n) {
    json_t *list = json_array();
    for (size_t i = 0; i < n_vectors; i++)
        list = kan_json_append(list, levels_json(vectors + i * n, n));
    return list;
}

static json_t *effort_json(const kan_effort *effort) {
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "scan", kan_json_count(effort->n_scans), "rollup",
                     kan_json_count(effort->n_rollups), "cube", kan_json_count(effort->n_cube),
                     "measured", kan_json_count(effort->n_measured), "tuples_touched",
                     kan_json_count(effort->n_tuples));
}

double kan_result_nodes(const kan_solution *solution) {
    const kan_space *space = &solution->setup->problem.space;
    double n = 1;
    for (unsigned a = 0; a < space->n_attributes; a++)
        n *= space->dimensions[a].highest - space->dimensions[a].lowest + 1.0;
    return n;
}

/* A number beyond counting is told as a real one. */
static json_t *nodes_json(const kan_solution *solution) {
    const uint64_t n = solution->answer.n_nodes;
    return n < UINT64_MAX ? kan_json_count(n) : kan_json_real(kan_result_nodes(solution));
}

static json_t *unsigned_json(const unsigned *vector, unsigned n) {
    json_t *array = json_array();
    for (unsigned a = 0; a < n; a++)
        array = kan_json_append(array, json_integer((json_int_t)vector[a]));
    return array;
}

static json_t *set_column(json_t *object, const kan_setup *setup, unsigned a, json_t *value);

/* The levels that --level allows: nothing outside of them was looked at. */
static json_t *box_json(const kan_setup *setup) {
    json_t *given = json_object();
    if (!kan_setup_has_bounds(setup)) {
        json_decref(given);
        return json_null();
    }
    for (unsigned a = 0; a < setup->n_quasi; a++)
        if (setup->level_ranges[a])
            given = set_column(given, setup, a, json_string(setup->level_ranges[a]));
    return json_pack("{s:o, s:o, s:o}", "given", given, "lowest",
                     unsigned_json(setup->lowest, setup->n_quasi), "highest",
                     unsigned_json(setup->highest, setup->n_quasi));
}

/* A number that a search does not find out is null; a list that it does not have is empty, and
 * `complete` says that it is no answer. */
static json_t *lattice_json(const kan_solution *solution) {
    const kan_answer *answer = &solution->answer;
    const bool is_complete = answer->is_complete;
    const bool has_nodes = answer->recoding.type == KAN_RECODING_LEVELS;
    json_t *lattice =
        json_pack("{s:o, s:o, s:o, s:o, s:b, s:o, s:o}", "nodes",
                  has_nodes ? nodes_json(solution) : json_null(), "checked",
                  kan_json_count(answer->n_checked), "anonymous",
                  is_complete ? kan_json_count(answer->n_anonymous) : json_null(), "minimal",
                  vectors_json(answer->minimal, answer->n_minimal, solution->setup->n_quasi),
                  "complete", is_complete, "box", box_json(solution->setup), "frequency_sets",
                  effort_json(&answer->effort));
    return answer->satisfying ? kan_json_set(lattice, "satisfying",
                                             vectors_json(answer->satisfying, answer->n_satisfying,
                                                          solution->setup->n_quasi))
                              : lattice;
}

/* Who says what the solution is, where nobody searched. */
static json_t *given_json(const kan_setup *setup) {
    return setup->has_given ? json_string(setup->given_path ? "apply" : "levels") : json_null();
}

/* ---- cuts ----------------------------------------------------------------------------------- */

/* Sets what belongs to a quasi-identifier under the name of its column. */
static json_t *set_column(json_t *object, const kan_setup *setup, unsigned a, json_t *value) {
    json_t *name = kan_json_text(setup->table->columns[setup->quasi[a]].name);
    if (name) {
        object = kan_json_set(object, json_string_value(name), value);
    } else {
        json_decref(value);
        json_decref(object);
        object = NULL;
    }
    json_decref(name);
    return object;
}

/* By attribute the least values of its intervals after the first. */
static json_t *cuts_json(const kan_solution *solution) {
    const kan_recoding *recoding = &solution->answer.recoding;
    json_t *cuts = json_object();
    for (unsigned a = 0; a < solution->setup->n_quasi; a++) {
        const kan_domain *domain = solution->setup->domains[a];
        json_t *list = json_array();
        for (size_t i = recoding->first_cut[a]; i < recoding->first_cut[a + 1]; i++)
            list = kan_json_append(list, kan_json_value(domain, domain->least[recoding->cuts[i]]));
        cuts = set_column(cuts, solution->setup, a, list);
    }
    return cuts;
}

/* ---- regions -------------------------------------------------------------------------------- */

/* By column the number of different values that it shows. */
static json_t *cells_json(const kan_solution *solution) {
    json_t *cells = json_object();
    for (size_t c = 0; c < solution->by_group.n_columns; c++) {
        json_t *name = kan_json_text(solution->by_group.columns[c].name);
        if (name) {
            cells = kan_json_set(cells, json_string_value(name),
                                 kan_json_count(solution->by_group.n_shown[c]));
        } else {
            json_decref(cells);
            cells = NULL;
        }
        json_decref(name);
    }
    return cells;
}

static json_t *regions_json(const kan_solution *solution) {
    const kan_regions *regions = solution->answer.recoding.regions;
    return json_pack("{s:n, s:n, s:n, s:o, s:o, s:o, s:o, s:o}", "levels", "height", "cuts",
                     "groups", kan_json_count(solution->groups.n_released_groups), "smallest_group",
                     kan_json_count(solution->smallest_group), "regions",
                     kan_json_count(kan_regions_released(regions)), "largest_group",
                     kan_json_count(solution->largest_group), "cells", cells_json(solution));
}

/* ---- searches that get better with time ------------------------------------------------------ */

static json_t *cost_json(const kan_answer *answer, double cost) {
    const bool is_whole =
        answer->score.is_whole && cost >= 0 && cost < 0x1p53 && cost == rint(cost);
    return is_whole ? json_integer((json_int_t)cost) : kan_json_real(cost);
}

static json_t *moments_json(const kan_answer *answer) {
    json_t *moments = json_array();
    for (size_t i = 0; i < answer->n_moments; i++) {
        const kan_moment *moment = &answer->moments[i];
        moments = kan_json_append(
            moments, json_pack("{s:o, s:o, s:o, s:o}", "seconds",
                               kan_json_real(round(moment->seconds * 1e6) / 1e6), "states",
                               kan_json_count(moment->n_states), "cost",
                               moment->is_found ? cost_json(answer, moment->cost) : json_null(),
                               "bound", cost_json(answer, moment->bound)));
    }
    return moments;
}

double kan_result_gap(const kan_answer *answer) {
    const double cost = answer->score.real;
    if (answer->is_optimal || cost <= answer->bound)
        return 0;
    return answer->bound > 0 ? (cost - answer->bound) / cost : 1;
}

/* Of all runs that the proof took, with this one. */
static json_t *proof_json(const kan_solution *solution) {
    const kan_proof *proof = &solution->answer.proof;
    return json_pack("{s:o, s:o, s:o, s:o}", "path", kan_json_text(kan_proof_path(solution->setup)),
                     "open", kan_json_count(proof->n_open), "runs", kan_json_count(proof->n_runs),
                     "time_ms", kan_json_count(proof->n_ms));
}

static json_t *search_json(const kan_solution *solution) {
    const kan_answer *answer = &solution->answer;
    if (!kan_recoding_has_cuts(&answer->recoding) || solution->setup->has_given)
        return json_null();
    json_t *search =
        json_pack("{s:o, s:o, s:o, s:o}", "states", kan_json_count(answer->n_checked), "choices",
                  kan_json_count(answer->n_cuts), "gap", kan_json_real(kan_result_gap(answer)),
                  "moments", moments_json(answer));
    return kan_proof_path(solution->setup) ? kan_json_set(search, "proof", proof_json(solution))
                                           : search;
}

/* ---- the solution --------------------------------------------------------------------------- */

static json_t *recoding_json(const kan_solution *solution) {
    if (kan_recoding_has_regions(&solution->answer.recoding))
        return regions_json(solution);
    if (kan_recoding_has_cuts(&solution->answer.recoding))
        return json_pack("{s:n, s:n, s:o, s:o, s:o}", "levels", "height", "cuts",
                         cuts_json(solution), "groups",
                         kan_json_count(solution->groups.n_released_groups), "smallest_group",
                         kan_json_count(solution->smallest_group));
    unsigned height = 0, n = solution->setup->n_quasi;
    uint8_t levels[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < n; a++) {
        levels[a] = (uint8_t)solution->answer.recoding.levels[a];
        height += levels[a];
    }
    return json_pack("{s:o, s:i, s:n, s:o, s:o}", "levels", levels_json(levels, n), "height",
                     (int)height, "cuts", "groups",
                     kan_json_count(solution->groups.n_released_groups), "smallest_group",
                     kan_json_count(solution->smallest_group));
}

/* By column the number of cells at each level of its hierarchy. */
static json_t *cell_levels_json(const kan_solution *solution) {
    uint64_t n_cells[UINT8_MAX + 1];
    json_t *columns = json_object();
    for (unsigned a = 0; a < solution->setup->n_quasi; a++) {
        json_t *list = json_array();
        kan_solution_cell_levels(solution, a, n_cells);
        for (unsigned level = 0; level <= solution->setup->hierarchies[a]->height; level++)
            list = kan_json_append(list, kan_json_count(n_cells[level]));
        columns = set_column(columns, solution->setup, a, list);
    }
    return columns;
}

static json_t *solution_json(const kan_solution *solution) {
    json_t *object = recoding_json(solution);
    if (kan_options_switch(&solution->setup->job->options, "cells"))
        object = kan_json_set(object, "cell_levels", cell_levels_json(solution));
    return object;
}

static json_t *distortions_json(const kan_solution *solution) {
    json_t *columns = json_object();
    for (unsigned a = 0; a < solution->setup->n_quasi; a++)
        columns = set_column(columns, solution->setup, a,
                             kan_json_real(kan_solution_distortion(solution, a)));
    return columns;
}

static json_t *metrics_json(const kan_solution *solution) {
    json_t *metrics = json_object();
    for (size_t i = 0; i < solution->n_metrics; i++)
        metrics =
            kan_json_set(metrics, solution->metrics[i].name,
                         solution->metrics[i].is_known ? kan_json_score(&solution->metrics[i].score)
                                                       : json_null());
    return metrics;
}

static json_t *times_json(const kan_outcome *outcome) {
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "read", kan_json_time(outcome->setup->read_ms),
        "fold", kan_json_time(outcome->setup->fold_ms + outcome->solution->values_ms), "search",
        kan_json_time(outcome->solution->search_ms), "apply", kan_json_time(outcome->apply_ms),
        "write", kan_json_time(outcome->write_ms), "verify", kan_json_time(outcome->verify_ms),
        "total", kan_json_time(outcome->total_ms));
}

static json_t *input_json(const kan_setup *setup) {
    const char *path = kan_options_find(&setup->job->options, "input");
    return json_pack(
        "{s:o, s:o, s:o}", "path", setup->input.is_file && path ? kan_json_text(path) : json_null(),
        "rows", kan_json_count(setup->problem.n_rows), "tuples",
        setup->problem.is_unfolded || setup->is_at_levels ? json_null()
                                                          : kan_json_count(setup->n_tuples));
}

static json_t *release_json(const kan_outcome *outcome) {
    if (strcmp(outcome->command, "search") == 0)
        return json_null();
    return json_pack(
        "{s:o, s:o, s:b, s:b, s:o, s:b}", "path",
        outcome->output ? kan_json_text(outcome->output) : json_null(), "rows",
        kan_json_count(outcome->n_released), "keeps_suppressed", outcome->keeps_suppressed,
        "shows_suppressed", outcome->shows_suppressed, "formula_cells",
        outcome->output && outcome->n_formulas < UINT64_MAX ? kan_json_count(outcome->n_formulas)
                                                            : json_null(),
        "guards_formulas", outcome->guards_formulas);
}

static json_t *path_json(const kan_setup *setup, const char *setting) {
    const char *path = kan_options_find(&setup->job->options, setting);
    return path ? kan_json_text(path) : json_null();
}

/* Where people are counted: how, how many, and the risk of each. By row nobody is left out whole. */
static json_t *person_json(const kan_solution *solution, double highest, double average) {
    const kan_setup *setup = solution->setup;
    const kan_promise *promise = &setup->promise;
    if (!setup->person || setup->household)
        return json_null();
    return json_pack("{s:o, s:s, s:s, s:o, s:o, s:o, s:{s:o, s:o}}", "column",
                     kan_json_text(setup->person->name), "promise",
                     promise->histories ? "histories" : "groups", "suppress_by",
                     promise->by_person ? "person" : "row", "people",
                     kan_json_count(setup->problem.n_people), "suppressed",
                     promise->by_person ? kan_json_count(solution->groups.n_left_out) : json_null(),
                     "fewest_in_group", kan_json_count(solution->fewest_people), "risk", "highest",
                     kan_json_real(highest), "average", kan_json_real(average));
}

/* With --household: who leaves with whom, and of households that leave whole how many did. */
static json_t *household_json(const kan_solution *solution) {
    const kan_setup *setup = solution->setup;
    const bool is_whole = kan_setup_leaves_households(setup);
    if (!setup->household)
        return json_null();
    return json_pack("{s:o, s:s, s:s, s:o, s:o}", "column", kan_json_text(setup->household->name),
                     "promise", setup->person ? "composition" : "groups", "suppress_by",
                     is_whole ? "household" : "row", "households",
                     kan_json_count(setup->household->dictionary.n), "suppressed",
                     is_whole ? kan_json_count(solution->groups.n_left_out) : json_null());
}

/* What came out of the engine that has the rows. */
static json_t *engine_json(const kan_setup *setup) {
    const kan_engine *engine = kan_input_engine(&setup->input);
    return json_pack("{s:s, s:o, s:o}", "name", setup->input.source->kind->kind.name,
                     "bytes_fetched", kan_json_count(kan_engine_received(engine)), "rows_fetched",
                     kan_json_count(kan_engine_rows_received(engine)));
}

/* Of regions nothing is known. */
static json_t *bound_json(const kan_answer *answer) {
    if (kan_recoding_has_regions(&answer->recoding))
        return json_null();
    return answer->is_optimal ? kan_json_score(&answer->score) : cost_json(answer, answer->bound);
}

static json_t *listed_json(const kan_nodes_listed *listed) {
    return listed ? json_pack("{s:o, s:o, s:b}", "lines", kan_json_count(listed->n_written),
                              "in_order", kan_json_count(listed->n_in_order), "complete",
                              listed->is_complete)
                  : json_null();
}

/* By how much of its cost another answer could be better at most. */
static json_t *gap_json(const kan_answer *answer) {
    if (kan_recoding_has_regions(&answer->recoding))
        return json_null();
    return kan_json_real(kan_result_gap(answer));
}

/* Sensitive columns that no model looks at. */
static json_t *unprotected_json(const kan_outcome *outcome) {
    const kan_setup *setup = outcome->setup;
    json_t *names = json_array();
    for (size_t i = 0; i < setup->table->n_columns; i++)
        if (kan_outcome_is_unprotected(outcome, i))
            names = kan_json_append(names, kan_json_text(setup->table->columns[i].name));
    return names;
}

/* The risk of a person, the highest and the average over all who have a released row. */
static kan_status measure_people(const kan_outcome *outcome, double *highest, double *average) {
    kan_group_sizes sizes;
    kan_risk risk;
    KAN_TRY(kan_people_sizes_released(outcome->solution, &sizes));
    kan_people_risk(&sizes, outcome->setup->promise.least_size, &risk);
    kan_group_sizes_destroy(&sizes);
    *highest = risk.highest;
    *average = risk.average;
    return KAN_OK;
}

const char *kan_outcome_ranked(const kan_setup *setup, unsigned rank) {
    const char *name = NULL;
    unsigned n = 0;
    for (unsigned a = 0; a < setup->n_quasi; a++)
        if (setup->rank[a] == rank && n++ == 0)
            name = setup->table->columns[setup->quasi[a]].name;
    return rank < kan_options_count_of(&setup->job->options, "importance") ? name : NULL;
}

/* --importance: by column, in the order that was given, and all others together. */
static json_t *ranks_json(const kan_outcome *outcome, bool tells_all) {
    const kan_setup *setup = outcome->setup;
    const kan_fits_found *found = &outcome->solution->fits;
    json_t *ranks = json_array();
    for (unsigned r = 0; r < setup->n_ranks; r++) {
        const char *name = kan_outcome_ranked(setup, r);
        ranks = kan_json_append(
            ranks,
            json_pack(
                "{s:o, s:o, s:o}", "column", name ? kan_json_text(name) : json_null(), "hidden",
                tells_all ? kan_json_count(found->hidden_by[r]) : json_null(), "least_hidden",
                tells_all && found->has_least ? kan_json_count(found->least_by[r]) : json_null()));
    }
    return ranks;
}

/* --missing-matches: what was recounted, and what the search knows beside it. */
static json_t *matches_json(const kan_outcome *outcome) {
    const kan_fits_found *found = &outcome->solution->fits;
    const bool tells_all = found->is_known && kan_outcome_tells_all(outcome);
    if (!outcome->setup->matches_missing || !outcome->is_recounted)
        return json_null();
    json_t *object = kan_matches_json(&outcome->recounted.fits);
    object =
        kan_json_set(object, "hidden", tells_all ? kan_json_count(found->n_hidden) : json_null());
    object = kan_json_set(object, "hidden_by_groups",
                          tells_all ? kan_json_count(found->n_before) : json_null());
    object = kan_json_set(object, "least_hidden",
                          tells_all && found->has_least && outcome->setup->n_ranks == 0
                              ? kan_json_count(found->least)
                              : json_null());
    return outcome->setup->n_ranks > 0
               ? kan_json_set(object, "importance", ranks_json(outcome, tells_all))
               : object;
}

/* --calibrate: all of it follows from released weights and what they were. */
static json_t *calibrated_json(const kan_outcome *outcome) {
    const kan_setup *setup = outcome->setup;
    const kan_calibrated *calibrated = &outcome->calibrated;
    json_t *by = json_array();
    if (!calibrated->is_made) {
        json_decref(by);
        return json_null();
    }
    for (size_t i = 0; i < setup->n_strata; i++)
        by = kan_json_append(by, kan_json_text(setup->table->columns[setup->strata[i]].name));
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "column",
                     kan_json_text(setup->table->columns[setup->calibrated].name), "by", by,
                     "strata", kan_json_count(calibrated->n_strata), "changed",
                     kan_json_count(calibrated->n_changed), "largest_factor",
                     kan_json_real(calibrated->most));
}

/* --for: what the settings say; of the table nothing. */
static json_t *purpose_json(const kan_setup *setup) {
    const kan_setup_purpose *purpose = setup->purpose;
    json_t *uses = json_array();
    if (!kan_setup_has_purpose(setup)) {
        json_decref(uses);
        return json_null();
    }
    for (unsigned a = 0; a < setup->n_quasi; a++)
        if (purpose->of.is_used[a])
            uses =
                kan_json_append(uses, kan_json_text(setup->table->columns[setup->quasi[a]].name));
    return json_pack("{s:o, s:o, s:o, s:s}", "model", kan_json_text(purpose->text), "outcome",
                     kan_json_text(setup->table->columns[purpose->outcome].name), "uses", uses,
                     "by", purpose->is_followed ? "cuts" : "weights");
}

kan_status kan_result_write(const kan_outcome *outcome, kan_result *out) {
    double highest = 0, average = 0;
    kan_ledger_figures ledger;
    KAN_TRY(kan_ledger_measure(outcome->solution, &ledger));
    kan_ledger_tell(outcome->setup, &ledger);
    if (outcome->setup->person && !outcome->setup->household)
        KAN_TRY(measure_people(outcome, &highest, &average));
    const kan_setup *setup = outcome->setup;
    const kan_solution *solution = outcome->solution;
    const kan_answer *answer = &solution->answer;
    json_t *object = json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:{s:o, s:o}, s:s, s:s, s:s, s:o, s:o, s:b, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:b, s:o, s:o, s:o}",
        "kanon", KANON_VERSION, "command", outcome->command, "input", input_json(setup),
        "quasi_identifiers", names_json(setup), "privacy", privacy_json(outcome), "suppression",
        "limit", kan_json_count(setup->promise.limit), "rows",
        kan_json_count(solution->groups.n_suppressed), "algorithm", setup->search->kind.name,
        "recoding", kan_recoding_name(answer->recoding.type), "cost", setup->cost->kind.name,
        "lattice", lattice_json(solution), "solution", solution_json(solution), "optimal",
        answer->is_optimal, "bound", bound_json(answer), "search", search_json(solution), "metrics",
        metrics_json(solution), "distortion_by_column", distortions_json(solution), "release",
        release_json(outcome), "certificate", path_json(setup, "certificate"), "verified",
        outcome->is_verified, "time_ms", times_json(outcome), "peak_memory_bytes",
        kan_json_count(kan_run_peak_memory(setup->run)), "given", given_json(setup));
    object = kan_json_set(object, "count",
                          json_string(kan_setup_counts_people(setup) ? "people" : "rows"));
    object = kan_json_set(object, "household", household_json(solution));
    object = kan_json_set(object, "ledger", kan_ledger_json(setup, &ledger));
    object = kan_json_set(object, "recoding_model",
                          setup->model ? json_string(setup->model->kind.name) : json_null());
    object = kan_json_set(object, "narrow_cells",
                          answer->recoding.type == KAN_RECODING_REGIONS ||
                                  answer->recoding.type == KAN_RECODING_SHARED
                              ? json_null()
                              : kan_json_count(solution->n_narrow));
    object = kan_json_set(object, "effort",
                          answer->n_steps > 0 ? kan_json_count(answer->n_steps) : json_null());
    object = kan_json_set(object, "purpose", purpose_json(setup));
    object = kan_json_set(object, "gap", gap_json(answer));
    object =
        kan_json_set(object, "sse", solution->has_sse ? kan_json_real(solution->sse) : json_null());
    object = kan_json_set(object, "sse_gap",
                          answer->has_squares ? kan_json_real(answer->squares_gap) : json_null());
    object = kan_json_set(object, "person", person_json(solution, highest, average));
    object = kan_json_set(object, "unprotected", unprotected_json(outcome));
    object = kan_json_set(object, "matches", matches_json(outcome));
    object = kan_json_set(object, "per_column", kan_by_column_json(&outcome->recounted.columns));
    if (kan_input_engine(&setup->input))
        object = kan_json_set(object, "engine", engine_json(setup));
    if (strcmp(outcome->command, "search") == 0) {
        object = kan_json_set(object, "nodes_file", path_json(setup, "nodes"));
        object = kan_json_set(object, "nodes_listed", listed_json(outcome->nodes));
    }
    if (strcmp(outcome->command, "search") != 0) {
        object = kan_json_set(object, "rules",
                              outcome->rules ? json_incref(outcome->rules) : json_null());
        object = kan_json_set(object, "calibrated", calibrated_json(outcome));
        object = kan_json_set(object, "columns",
                              kan_columns_json(&outcome->released, &outcome->columns));
        object = kan_json_set(object, "kept_together",
                              outcome->columns.n_open > 0 &&
                                      outcome->columns.n_together != KAN_NOT_COUNTED
                                  ? kan_json_count(outcome->columns.n_together)
                                  : json_null());
        object = kan_json_set(object, "alone",
                              outcome->columns.n_open > 0 ? kan_json_count(outcome->columns.n_alone)
                                                          : json_null());
        object = kan_json_set(object, "people", kan_columns_people_json(setup, &outcome->columns));
    }
    if (outcome->report) {
        json_incref(outcome->report);
        object = kan_json_set(object, "report", outcome->report);
    }
    if (outcome->utility) {
        json_incref(outcome->utility);
        object = kan_json_set(object, "utility", outcome->utility);
    }
    if (outcome->models) {
        json_incref(outcome->models);
        object = kan_json_set(object, "models", outcome->models);
    }
    KAN_TRY(kan_result_set_json(out, object));
    return kan_summary_write(outcome, out);
}
