/* The parts of a report, put together. What each is: report_data.h. */
#include "job/report/report_data.h"

#include <inttypes.h>

#include "job/outcome/outcome.h"
#include "job/settings/settings.h"

/* What each cost means, as the registry says it. */
static json_t *cost_words(const kan_solution *solution) {
    json_t *words = json_object();
    for (size_t i = 0; i < solution->n_metrics; i++) {
        const kan_cost_kind *cost = solution->setup->costs[i];
        if (cost)
            words = kan_json_set(words, cost->kind.name, json_string(cost->kind.summary));
    }
    if (solution->has_sse)
        words =
            kan_json_set(words, "sse",
                         json_string(kan_summary_is_number(kan_setup_summary(solution->setup))
                                         ? "share of the variance of the numbers that is lost, at "
                                           "most"
                                         : "share of the variance of the numbers that the means of "
                                           "what is shown as ranges would lose, at most"));
    return words;
}

/* That a search happened to prove its answer tells of everybody; of one that always does, nothing.
 */
static bool is_proven(const kan_outcome *outcome) {
    return outcome->setup->search->finds_best && outcome->solution->answer.is_optimal;
}

/* Costs as far as they can be told. */
static kan_status measure_costs(const kan_report_source *source, json_t **out) {
    const kan_solution *solution = source->outcome->solution;
    json_t *costs = json_object();
    for (size_t i = 0; i < solution->n_metrics; i++) {
        const kan_cost_kind *cost = solution->setup->costs[i];
        bool is_told = solution->metrics[i].is_known;
        kan_score score = solution->metrics[i].score;
        kan_status status = KAN_OK;
        if (!source->tells_all)
            status = kan_released_metric(&source->outcome->released, i, &is_told, &score);
        if (solution->setup->matches_missing && (!cost || !kan_cost_followed(cost)->price))
            is_told = false; /* it looks at groups, and nobody is hidden in one */
        if (status != KAN_OK) {
            json_decref(costs);
            return status;
        }
        costs = kan_json_set(costs, solution->metrics[i].name,
                             is_told ? kan_json_score(&score) : json_null());
    }
    if (solution->has_sse)
        costs = kan_json_set(costs, "sse", kan_json_real(kan_summary_sse(solution)));
    return kan_report_json(source->outcome->setup->run, costs, out);
}

/* The groups over two columns, drawn; null where nothing can be, or where rows were suppressed: the
 * axes are made of everybody's values. */
static kan_status draw_partition(const kan_report_source *source, json_t **out) {
    enum { MOST_BYTES = 1 << 20 };
    const kan_setup *setup = source->outcome->setup;
    kan_text text;
    bool is_drawn = false;
    unsigned columns[2];
    if (!source->tells_all || setup->matches_missing) /* rows that match are no group */
        return kan_report_json(setup->run, json_null(), out);
    kan_text_init(&text, setup->run);
    kan_status status = kan_picture_draw(&source->outcome->released, &text, columns, &is_drawn);
    if (status == KAN_OK && is_drawn && text.size <= MOST_BYTES)
        status = kan_report_json(
            setup->run,
            json_pack("{s:[o, o], s:o}", "columns",
                      kan_json_text(setup->table->columns[setup->quasi[columns[0]]].name),
                      kan_json_text(setup->table->columns[setup->quasi[columns[1]]].name), "svg",
                      kan_json_slice((kan_slice){text.bytes, text.size})),
            out);
    else if (status == KAN_OK)
        *out = json_null();
    kan_text_destroy(&text);
    return status;
}

/* Roles of columns that are neither quasi-identifiers nor sensitive, as counts. */
static json_t *other_columns(const kan_report_source *source) {
    const kan_setup *setup = source->outcome->setup;
    json_int_t n_left_out = 0, n_kept = 0, n_treated = 0, n_pseudonyms = 0, n_sensitive = 0;
    for (size_t i = 0; i < setup->table->n_columns; i++) {
        const bool is_pseudonym = kan_setup_is_pseudonym(setup, i);
        const bool is_kept = kan_setup_keeps(setup, i) && !is_pseudonym;
        const bool is_treated =
            kan_input_treatment(&setup->input, i) != NULL || kan_setup_calibrates(setup, i);
        n_left_out += !kan_setup_releases(setup, i);
        n_kept += is_kept && !is_treated;
        n_treated += is_kept && is_treated;
        n_pseudonyms += is_pseudonym;
        n_sensitive += setup->roles[i] == KAN_ROLE_SENSITIVE;
    }
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "all",
                     (json_int_t)setup->table->n_columns, "quasi_identifiers",
                     (json_int_t)setup->n_quasi, "sensitive", n_sensitive, "left_out", n_left_out,
                     "unchanged", n_kept, "treated", n_treated, "pseudonyms", n_pseudonyms);
}

static json_t *suppressed_share(const kan_report_source *source) {
    const double n = (double)source->outcome->solution->groups.n_suppressed;
    if (source->outcome->released.hides_rows && !source->tells_all)
        return json_null();
    return kan_json_real(n / (double)source->outcome->setup->problem.n_rows);
}

kan_status kan_report_data_make(const kan_report_source *source, json_t **out) {
    const kan_setup *setup = source->outcome->setup;
    json_t *columns = NULL, *hit = NULL, *sizes = NULL, *risk = NULL, *sample = NULL;
    json_t *lattice = NULL, *alternatives = NULL, *partition = NULL, *command = NULL;
    json_t *files = NULL, *workload = NULL, *sensitive = NULL, *date = NULL, *metrics = NULL;
    json_t *hidden = NULL;
    kan_status status;
    kan_report_progress(setup->run, "report", 0, 0);
    KAN_TRY_DONE(measure_costs(source, &metrics));
    KAN_TRY_DONE(kan_report_columns(source, &columns, &hit));
    KAN_TRY_DONE(kan_report_groups(source, &sizes, &risk));
    KAN_TRY_DONE(kan_report_sample(source, &sample));
    KAN_TRY_DONE(kan_report_sensitive(source, &sensitive));
    KAN_TRY_DONE(kan_report_hidden_cells(source, &hidden));
    KAN_TRY_DONE(kan_report_lattice(source, &lattice, &alternatives));
    KAN_TRY_DONE(draw_partition(source, &partition));
    KAN_TRY_DONE(kan_report_date(setup->run, &date));
    KAN_TRY_DONE(kan_report_command(setup, &command));
    KAN_TRY_DONE(kan_report_files(source, false, &files));
    KAN_TRY_DONE(kan_report_workload(source, false, &workload));
    status = kan_report_json(
        setup->run,
        json_pack(
            "{s:O, s:o, s:o, s:o, s:b, s:o, s:O, s:o, s:O, s:O, s:O, s:O, s:O, s:O, s:O, s:O, s:O, "
            "s:O, s:O, s:O, s:b, s:o, s:O}",
            "date", date, "merged_below", kan_json_count(kan_report_merge_below(source)),
            "suppressed_share", suppressed_share(source), "seed",
            kan_json_count(kan_run_seed(setup->run)), "shuffled",
            (int)kan_report_is_shuffled(setup), "table", other_columns(source), "command", command,
            "costs", cost_words(source->outcome->solution), "metrics", metrics, "files", files,
            "columns", columns, "most_hit", hit, "group_sizes", sizes, "risk", risk, "sensitive",
            sensitive, "sample", sample, "lattice", lattice, "alternatives", alternatives,
            "partition", partition, "workload", workload, "proven", (int)is_proven(source->outcome),
            "people", kan_report_people(source), "hidden_cells", hidden),
        out);
done:
    json_decref(metrics);
    json_decref(columns);
    json_decref(hit);
    json_decref(sizes);
    json_decref(risk);
    json_decref(sample);
    json_decref(sensitive);
    json_decref(lattice);
    json_decref(alternatives);
    json_decref(partition);
    json_decref(date);
    json_decref(command);
    json_decref(files);
    json_decref(workload);
    json_decref(hidden);
    return status;
}
