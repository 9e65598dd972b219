/* From settings to a folded problem. */
#include "job/setup/setup.h"

#include <string.h>

#include "group/person_weights.h"
#include "group/viewer.h"
#include "job/settings/settings.h"

/* ---- rows ----------------------------------------------------------------------------------- */

static kan_status open_input(kan_setup *setup) {
    KAN_TRY(kan_output_check(setup->job));
    KAN_TRY(kan_input_open(setup->job, "input", false, &setup->input));
    setup->table = setup->input.table;
    if (!setup->input.name)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "no input: name a table, or - for standard input");
    if (setup->table && setup->table->n_rows == 0)
        return kan_fail(setup->run, KAN_BAD_INPUT, "the table in memory has no rows");
    return KAN_OK;
}

/* What its format cannot hold is better known before hours of searching. */
static kan_status check_output(const kan_setup *setup) {
    const kan_sink_kind *kind = kan_output_kind(setup->job);
    kan_sink_sketch sketch = {.target = kan_options_find(&setup->job->options, "output"),
                              .n_rows = kan_table_total(setup->table),
                              .given = &setup->job->options};
    const char **names;
    if (!kind || !kind->check)
        return KAN_OK;
    KAN_TRY(kan_alloc(setup->run, setup->input.n_columns, sizeof *names, &names));
    for (size_t i = 0; i < setup->input.n_columns; i++)
        if (kan_setup_releases(setup, i))
            names[sketch.n_columns++] = setup->input.columns[i];
    sketch.columns = names;
    const kan_status status = kind->check(setup->run, &sketch);
    kan_free(setup->run, names);
    return status;
}

/* Codes and missing ones of a schema are kept as they are. Where there is none, values are taken as
 * their spelling says, and are written as numbers and dates where the format has such. */
static bool is_as_is(const kan_setup *setup, size_t column) {
    const kan_field *field = kan_input_field(&setup->input, column);
    return (field && !field->is_guessed) ||
           (setup->input.is_cohort && kan_output_is_alike(setup->job, &setup->input));
}

/* Whether rows are written, to a file or as Arrow, and not by an engine. */
static bool writes_file(const kan_setup *setup) {
    return setup->job->makes_release && !kan_output_is_engine(setup->job) &&
           (kan_options_find(&setup->job->options, "output") || kan_output_is_arrow(setup->job));
}

/* A file gets rows that an engine has from their counts: columns that nobody counts are not there. */
static kan_status check_kept(const kan_setup *setup) {
    char quoted[256];
    if (!kan_input_engine(&setup->input) || !writes_file(setup))
        return KAN_OK;
    kan_problems_begin(setup->run);
    for (size_t i = 0; i < setup->input.n_columns; i++)
        if (kan_setup_keeps(setup, i) && setup->roles[i] != KAN_ROLE_WEIGHT)
            kan_problem_add(setup->run,
                            "%s: column %s cannot be kept in a file: only the columns that are "
                            "counted leave the database; release into a table of the same "
                            "database, give the column a role, or leave it out with --drop",
                            setup->input.name,
                            kan_quote(kan_slice_of(setup->input.columns[i]), quoted));
    return kan_problems_end(setup->run);
}

/* Whether rows that were counted where they are stay counted: a table of 10^9 rows costs then what
 * its distinct ones cost. Not where rows are looked at one by one: a file has a line for each, a
 * person has several, which are not alike, and weights of rows that look alike are not. */
static bool takes_counts(const kan_setup *setup) {
    return !kan_options_find(&setup->job->options, "person") &&
           !kan_options_find(&setup->job->options, "sampling-weight") &&
           !kan_options_find(&setup->job->options, "strata") && !kan_setup_wants_ledger(setup) &&
           !writes_file(setup);
}

/* What strata are made of. */
static bool is_stratum(const kan_setup *setup, size_t column) {
    size_t i = 0;
    while (i < setup->n_strata && setup->strata[i] != column)
        i++;
    return i < setup->n_strata;
}

static void choose_columns(kan_setup *setup) {
    const bool passes = !writes_file(setup) || kan_output_passes(setup->job, &setup->input);
    for (size_t i = 0; i < setup->input.n_columns; i++) {
        const bool is_looked_at =
            setup->roles[i] == KAN_ROLE_QUASI || setup->roles[i] == KAN_ROLE_SENSITIVE ||
            setup->roles[i] == KAN_ROLE_CLASS || setup->roles[i] == KAN_ROLE_PERSON ||
            setup->roles[i] == KAN_ROLE_HOUSEHOLD || setup->roles[i] == KAN_ROLE_WEIGHT ||
            (setup->roles[i] == KAN_ROLE_ID && kan_setup_wants_ledger(setup)) ||
            kan_setup_is_stratum(setup, i) || kan_setup_is_modelled(setup, i) ||
            kan_input_treats_by(&setup->input, i);
        const bool is_read = !is_looked_at && kan_setup_releases(setup, i) &&
                             !(passes && kan_output_passes_column(setup->job, &setup->input, i));
        const bool is_raw = !is_looked_at && !is_read && is_stratum(setup, i);
        setup->input.as_is[i] = (is_read && is_as_is(setup, i)) || is_raw;
        setup->input.encode[i] = is_looked_at || is_read || is_raw;
    }
    if (takes_counts(setup))
        kan_input_take_counts(&setup->input);
}

kan_status kan_setup_check_decided(const kan_setup *setup, const char *suppress) {
    kan_suppress_limit limit = {.rows = 0};
    bool *matters;
    if (!setup->job->makes_release || !suppress || !kan_suppress_parse(suppress, &limit) ||
        kan_suppress_rows(&limit, INT64_MAX) == 0)
        return KAN_OK;
    KAN_TRY(kan_alloc_zero(setup->run, setup->input.n_columns, 1, &matters));
    for (size_t i = 0; i < setup->input.n_columns; i++)
        matters[i] = kan_setup_releases(setup, i) && !kan_setup_is_pseudonym(setup, i);
    const kan_status status = kan_input_check_decided(&setup->input, matters);
    kan_free(setup->run, matters);
    return status;
}

static kan_status read_rows(kan_setup *setup) {
    const double start = kan_now_ms();
    KAN_TRY(kan_input_read(&setup->input));
    if (kan_input_engine(&setup->input))
        setup->fold_ms = kan_now_ms() - start; /* the engine did it */
    setup->table = setup->input.table;
    return check_output(setup);
}

/* ---- the question --------------------------------------------------------------------------- */

/* One row and 1 % are written alike but for a sign. */
static void note_limit(const kan_setup *setup, const kan_suppress_limit *limit, uint64_t n_all) {
    enum { A_HUNDRED = 100 };
    char rows[32], all[32];
    const char *unit = kan_setup_unit(setup, n_all);
    if (limit->is_percent || limit->rows == 0 || limit->rows > A_HUNDRED || n_all <= A_HUNDRED)
        return;
    kan_count_text(limit->rows, rows);
    kan_note(setup->run,
             "--suppress %s: at most %s of the %s %s may be left out; a share of them is written "
             "--suppress %s%%",
             rows, rows, kan_count_text(n_all, all), unit, rows);
}

static kan_status make_promise(kan_setup *setup) {
    const char *text = kan_options_find(&setup->job->options, "suppress");
    kan_suppress_limit limit = {.rows = 0};
    if (text)
        (void)kan_suppress_parse(text, &limit);
    kan_promise_init(&setup->promise, 0);
    kan_setup_person_promise(setup);
    const uint64_t n_all = kan_setup_units(setup);
    setup->promise.limit = kan_suppress_rows(&limit, n_all);
    note_limit(setup, &limit, n_all);
    KAN_TRY(kan_setup_models(setup));
    kan_setup_past_promise(setup);
    KAN_TRY(kan_setup_promise_subsets(setup));
    if (setup->promise.n_models == 0 && !setup->promise.subsets)
        return kan_fail(
            setup->run, KAN_BAD_INPUT,
            "nothing is promised: give the number of rows that must look alike with --k N");
    return kan_promise_check_possible(&setup->promise, setup->run, &setup->problem);
}

static kan_status set_weights(kan_setup *setup) {
    const kan_options *options = &setup->job->options;
    char quoted[256];
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        setup->problem.weights[a] = kan_setup_purpose_weight(setup, a);
        setup->problem.is_weighted |= setup->problem.weights[a] < 1;
    }
    kan_problems_begin(setup->run);
    for (size_t i = 0; i < kan_options_count_of(options, "weight"); i++) {
        kan_slice name;
        double weight;
        bool is_found = false;
        if (!kan_weight_parse(kan_options_at(options, "weight", i), &name, &weight))
            continue;
        for (unsigned a = 0; a < setup->n_quasi; a++)
            if (kan_slice_is(name, setup->table->columns[setup->quasi[a]].name)) {
                setup->problem.weights[a] = weight;
                is_found = setup->problem.is_weighted = true;
            }
        if (!is_found)
            kan_problem_add(setup->run,
                            "--weight: %s is not one of the quasi-identifiers, and only these have "
                            "weights; " KAN_NO_SURVEY_WEIGHTS,
                            kan_quote(name, quoted));
    }
    KAN_TRY(kan_problems_end(setup->run));
    if (kan_options_find(options, "weight") && !setup->cost->uses_weights)
        kan_note(setup->run, "--weight does not change the cost %s", setup->cost->kind.name);
    return KAN_OK;
}

static kan_status make_space(kan_setup *setup) {
    for (unsigned i = 0; i < setup->n_quasi; i++) {
        KAN_TRY(kan_space_add_attribute(
            &setup->problem.space, &setup->table->columns[setup->quasi[i]], setup->hierarchies[i]));
        setup->problem.space.dimensions[i].lowest = setup->lowest[i];
        setup->problem.space.dimensions[i].highest = setup->highest[i];
    }
    KAN_TRY(kan_setup_take_person(setup));
    KAN_TRY(kan_setup_take_household(setup));
    KAN_TRY(kan_setup_take_past(setup));
    return kan_setup_tails(setup);
}

kan_status kan_setup_count_tuples(kan_setup *setup) {
    setup->n_tuples = setup->problem.base.n;
    if (setup->problem.space.n_tails == 0)
        return KAN_OK;
    kan_viewer viewer;
    kan_groups groups;
    kan_viewer_init(&viewer, &setup->problem);
    kan_status status = kan_viewer_groups(&viewer, &setup->problem.base, &groups);
    if (status == KAN_OK)
        setup->n_tuples = groups.n_groups;
    kan_viewer_destroy(&viewer);
    return status;
}

/* Every cost as it is measured here, and the one that is asked for. */
static kan_status choose_costs(kan_setup *setup, const kan_kind *asked) {
    const bool of_people = kan_setup_counts_people(setup);
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_COST) && i < KAN_MAX_METRICS; i++) {
        const kan_kind *kind = kan_registry_at(KAN_FAMILY_COST, i);
        setup->costs[i] = (const kan_cost_kind *)kind;
        if (of_people)
            KAN_TRY(kan_cost_by_people(&setup->job->arena, setup->costs[i], &setup->costs[i]));
        if (kind == asked)
            setup->cost = setup->costs[i];
    }
    if (setup->cost)
        return KAN_OK;
    return kan_fail(
        setup->run, KAN_BAD_INPUT,
        "--count people: what --cost %s would be by people is not defined; use another, "
        "such as ncp, or leave --count out",
        asked->name);
}

static kan_status choose_kinds(kan_setup *setup) {
    const kan_options *options = &setup->job->options;
    const char *cost = kan_options_find(options, "cost");
    const kan_kind *kind;
    /* what hides cells again and again is measured by cells, unless somebody says otherwise; what is made
     * for a model by what columns lose */
    const char *usual = kan_options_switch(options, "missing-matches") ? "precision"
                        : kan_options_find(options, "for")             ? "ncp"
                                                                       : "discernibility";
    KAN_TRY(kan_registry_need(setup->run, KAN_FAMILY_COST, cost ? cost : usual, &kind));
    KAN_TRY(choose_costs(setup, kind));
    return kan_setup_choose_search(setup);
}

/* The quickest search prunes by the promise; where that would be wrong `auto` takes the one that
 * prunes by k alone. */
static void prefer_sound(kan_setup *setup) {
    const char *algorithm = kan_options_find(&setup->job->options, "algorithm");
    const bool is_chosen = algorithm && strcmp(algorithm, "auto") != 0;
    if (!is_chosen && setup->search->needs_monotone && !kan_promise_is_monotone(&setup->promise))
        setup->search = kan_choice_sound(setup->search, setup->model);
}

/* Whether the base would fit into memory, with what folding and cutting need beside it, even if all
 * rows were different. Searches that cut into regions can do without; all others need it. */
static bool base_fits(const kan_setup *setup) {
    enum { WORDS_BESIDE = 8, MOST_FOLD = 1 << 22, FOLD_WORDS = 4 };
    const uint64_t n = setup->table->n_rows, left = kan_run_memory_left(setup->run);
    kan_layout layout;
    if (!setup->search->regions || setup->search->local || left == UINT64_MAX ||
        setup->table->counts)
        return true; /* a counted table is folded already, nearly */
    kan_layout_base(&setup->problem.space, &layout);
    const uint64_t chunk = n < MOST_FOLD ? n : MOST_FOLD;
    const uint64_t words = n * (2 * layout.n_words + WORDS_BESIDE) + chunk * FOLD_WORDS;
    return words < left / sizeof(uint64_t);
}

kan_status kan_setup_open(kan_job *job, kan_setup *setup) {
    memset(setup, 0, sizeof *setup);
    setup->job = job;
    setup->run = job->run;
    setup->problem.run = job->run;
    setup->problem.class_tail = KAN_NO_TAIL;
    kan_space_init(&setup->problem.space, job->run);
    KAN_TRY(choose_kinds(setup));
    KAN_TRY(kan_setup_read_given(setup));
    KAN_TRY(open_input(setup));
    KAN_TRY(kan_setup_take_roles(setup));
    KAN_TRY(kan_setup_check_ledger(setup));
    KAN_TRY(kan_setup_take_treatments(setup));
    KAN_TRY(kan_setup_take_calibration(setup));
    KAN_TRY(kan_setup_take_formulas(setup));
    KAN_TRY(check_kept(setup));
    KAN_TRY(kan_output_prepare(setup->job, &setup->input, setup->search->divides));
    choose_columns(setup);
    return KAN_OK;
}

kan_status kan_setup_read(kan_job *job, kan_setup *setup) {
    KAN_TRY(kan_setup_open(job, setup));
    return read_rows(setup);
}

/* Folds what was read; where nothing was but values, as soon as it is known at which levels. */
static kan_status fold(kan_setup *setup) {
    if (setup->values)
        return kan_problem_measure_columns(&setup->problem);
    const double start = kan_now_ms();
    setup->problem.is_unfolded = !base_fits(setup);
    if (!setup->problem.is_unfolded) {
        KAN_TRY(kan_problem_fold(&setup->problem, setup->table->n_rows));
        setup->fold_ms += kan_now_ms() - start;
        KAN_TRY(kan_setup_count_tuples(setup));
        KAN_TRY(kan_setup_check_people(setup));
    }
    KAN_TRY(kan_problem_measure(&setup->problem));
    return kan_setup_counts_people(setup) ? kan_person_weights_make(&setup->problem) : KAN_OK;
}

/* The rest of the fold, once the objective is there. */
static kan_status fold_values(kan_setup *setup) {
    if (!setup->values)
        return KAN_OK;
    return setup->is_counted ? kan_setup_check_counted(setup) : kan_setup_fold_low(setup);
}

/* Options that the chosen kind does not have. */
static kan_status check_unused(const kan_setup *setup, kan_family family, const kan_kind *chosen,
                               const char *flag) {
    const kan_options *given = &setup->job->options;
    /* A report answers the queries, whatever the search does. */
    const bool has_report = kan_options_find(given, "report") || setup->job->wants_figures;
    const char *except = has_report ? "workload" : NULL;
    if (kan_setup_refuses_unused(setup))
        return kan_registry_refuse_unused(setup->run, family, chosen, flag, given, except);
    kan_registry_note_unused(setup->run, family, chosen, flag, given, except);
    return KAN_OK;
}

kan_status kan_setup_make(kan_job *job, kan_setup *setup) {
    double start = kan_now_ms();
    bool wants_values;
    KAN_TRY(kan_setup_open(job, setup));
    KAN_TRY(kan_setup_wants_values(setup, &wants_values));
    KAN_TRY(wants_values ? kan_setup_read_values(setup) : read_rows(setup));
    KAN_TRY(kan_setup_check_decided(setup, kan_options_find(&job->options, "suppress")));
    KAN_TRY(kan_setup_bind(setup));
    KAN_TRY(kan_setup_take_levels(setup));
    KAN_TRY(kan_setup_take_given(setup));
    KAN_TRY(kan_setup_read_seed(setup));
    KAN_TRY(kan_setup_workload(setup));
    setup->problem.n_rows = setup->values ? setup->n_valued : kan_table_total(setup->table);
    KAN_TRY(make_space(setup));
    KAN_TRY(kan_setup_population(setup));
    KAN_TRY(kan_setup_take_subsets(setup));
    KAN_TRY(make_promise(setup));
    prefer_sound(setup);
    KAN_TRY(kan_setup_take_matches(setup));
    KAN_TRY(kan_setup_check_subsets(setup));
    KAN_TRY(kan_setup_take_per_column(setup));
    KAN_TRY(setup->household ? kan_setup_check_household(setup) : kan_setup_check_person(setup));
    KAN_TRY(kan_setup_check_past(setup));
    KAN_TRY(check_unused(setup, KAN_FAMILY_SEARCH, &setup->search->kind, "algorithm"));
    KAN_TRY(check_unused(setup, KAN_FAMILY_COST, &setup->cost->kind, "cost"));
    KAN_TRY(kan_setup_take_purpose(setup));
    KAN_TRY(set_weights(setup));
    setup->read_ms = kan_now_ms() - start - setup->fold_ms;
    KAN_TRY(fold(setup));
    kan_setup_tell_fold(setup);
    KAN_TRY(kan_objective_create(setup->run, &job->arena, setup->cost, &job->options,
                                 setup->promise.k, &setup->problem, &setup->objective));
    return fold_values(setup);
}

void kan_setup_destroy(kan_setup *setup) {
    kan_problem_destroy(&setup->problem);
    kan_setup_destroy_population(setup);
    for (unsigned i = 0; i < setup->n_quasi; i++) {
        kan_domain_destroy(setup->domains[i]);
        kan_hierarchy_destroy(setup->hierarchies[i]);
    }
    for (unsigned t = 0; t < KAN_MAX_TAILS; t++)
        kan_hierarchy_destroy(setup->trees[t]);
    json_decref(setup->given_result);
    kan_setup_destroy_values(setup);
    kan_setup_destroy_past(setup);
    kan_input_close(&setup->input);
}
