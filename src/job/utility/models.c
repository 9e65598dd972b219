/* Models that `utility` is asked for: formulas become columns of both tables, and are fitted. */
#include "job/utility/utility_inside.h"

/* ---- columns -------------------------------------------------------------------------------- */

static size_t find_compared(const kan_fidelity_walk *w, size_t original) {
    for (size_t i = 0; i < w->n; i++)
        if (w->places[i].original == original)
            return i;
    return KAN_NOT_RELEASED;
}

static bool is_left_out(const kan_fidelity_walk *w, size_t original) {
    return w->roles.of[0][original] == KAN_ROLE_DROP || w->roles.of[0][original] == KAN_ROLE_WEIGHT;
}

/* What is wrong with the column is a problem. */
static void find_place(kan_fidelity_walk *w, const char *flag, const char *formula, kan_slice name,
                       kan_model_place *out) {
    char quoted[256];
    *out = (kan_model_place){.compared = KAN_NOT_RELEASED};
    if (!kan_input_find(&w->original, name, &out->original)) {
        kan_input_add_unknown(&w->original, flag, name);
        return;
    }
    if (is_left_out(w, out->original))
        kan_problem_add(w->run,
                        "--%s %s: %s is not compared, because --%s names it; leave one of the two "
                        "out",
                        flag, formula, kan_quote(name, quoted),
                        w->roles.of[0][out->original] == KAN_ROLE_DROP ? "drop"
                                                                       : "sampling-weight");
    out->compared = find_compared(w, out->original);
    w->original.encode[out->original] = true;
}

static void find_outcome(kan_fidelity_walk *w, const char *flag, kan_asked_model *model) {
    const size_t before = kan_problems_count(w->run);
    char quoted[256];
    find_place(w, flag, model->text, model->formula.outcome, &model->outcome);
    if (kan_problems_count(w->run) == before && model->outcome.compared == KAN_NOT_RELEASED)
        kan_problem_add(w->run,
                        "--%s %s: %s has no column %s, so that nothing can be learnt there; name "
                        "another outcome before the ~, or release the column",
                        flag, model->text, w->release.name,
                        kan_quote(model->formula.outcome, quoted));
}

static kan_status find_terms(kan_fidelity_walk *w, const char *flag, kan_asked_model *model) {
    const kan_formula *formula = &model->formula;
    const size_t room = formula->uses_all ? w->n : formula->n_terms;
    KAN_TRY(kan_alloc(w->run, room, sizeof *model->terms, &model->terms));
    for (size_t i = 0; i < room; i++) {
        if (!formula->uses_all)
            find_place(w, flag, model->text, formula->terms[i], &model->terms[model->n_terms++]);
        else if (i != model->outcome.compared)
            model->terms[model->n_terms++] = (kan_model_place){w->places[i].original, i};
    }
    return KAN_OK;
}

static kan_status find_models(kan_fidelity_walk *w, const char *flag, kan_asked_models *out) {
    const kan_options *options = &w->job->options;
    const char *why;
    size_t n = 0;
    while (kan_options_at(options, flag, n))
        n++;
    KAN_TRY(kan_alloc_zero(w->run, n, sizeof *out->models, &out->models));
    out->n = n;
    for (size_t i = 0; i < n; i++) {
        kan_asked_model *model = &out->models[i];
        model->text = kan_options_at(options, flag, i);
        if (!kan_formula_parse(model->text, &model->formula, &why)) {
            kan_problem_add(w->run, "--%s: %s", flag, why); /* the setting was checked */
            continue;
        }
        find_outcome(w, flag, model);
        KAN_TRY(find_terms(w, flag, model));
    }
    return KAN_OK;
}

/* What one of the two cannot see would make the other look better or worse than it is. */
static void check_features(kan_fidelity_walk *w, const kan_asked_model *model) {
    char quoted[256];
    for (size_t i = 0; i < model->n_terms && kan_problems_count(w->run) == 0; i++)
        if (model->terms[i].compared == KAN_NOT_RELEASED)
            kan_problem_add(w->run,
                            "--classify %s: %s has no column %s to predict by; leave it out of the "
                            "formula",
                            model->text, w->release.name,
                            kan_quote(model->formula.terms[i], quoted));
}

kan_status kan_models_find_columns(kan_fidelity_walk *w) {
    kan_problems_begin(w->run);
    KAN_TRY(find_models(w, "regress", &w->regressions));
    KAN_TRY(find_models(w, "classify", &w->classifications));
    for (size_t i = 0; i < w->classifications.n; i++)
        check_features(w, &w->classifications.models[i]);
    return kan_problems_end(w->run);
}

/* ---- fits ----------------------------------------------------------------------------------- */

static kan_regress_column column_of(const kan_fidelity_walk *w, const kan_model_place *place) {
    return (kan_regress_column){&w->original.table->columns[place->original], place->compared};
}

static bool as_categories(const kan_fidelity_walk *w) {
    const char *as = kan_options_find(&w->job->options, "as");
    return as && strcmp(as, "categories") == 0;
}

static kan_fidelity_rows original_rows(const kan_fidelity_walk *w) {
    return (kan_fidelity_rows){w->original.table->n_rows, w->original_weights,
                               w->weight ? w->weights.one : 1};
}

static kan_fidelity_rows released_rows(const kan_fidelity_walk *w) {
    const kan_row_weights *weights = w->weights_by_row ? &w->weights : &w->released_weights;
    return (kan_fidelity_rows){w->release.table->n_rows, w->released_weights_read,
                               w->weight ? weights->one : 1};
}

static kan_status regress(kan_fidelity_walk *w, kan_asked_model *model) {
    KAN_TRY(kan_alloc(w->run, model->n_terms, sizeof *model->columns, &model->columns));
    for (size_t i = 0; i < model->n_terms; i++)
        model->columns[i] = column_of(w, &model->terms[i]);
    const kan_regress_question question = {.fidelity = w->fidelity,
                                           .compared = w->columns,
                                           .outcome = column_of(w, &model->outcome),
                                           .terms = model->columns,
                                           .n_terms = model->n_terms,
                                           .as_categories = as_categories(w),
                                           .is_survey = w->weight != NULL,
                                           .original = original_rows(w),
                                           .released = released_rows(w),
                                           .formula = model->text};
    return kan_regression_make(w->run, &question, &model->regression);
}

static kan_status classify(kan_fidelity_walk *w, kan_asked_model *model) {
    KAN_TRY(kan_alloc(w->run, model->n_terms, sizeof *model->features, &model->features));
    for (size_t i = 0; i < model->n_terms; i++)
        model->features[i] = model->terms[i].compared;
    const kan_classify_question question = {.fidelity = w->fidelity,
                                            .compared = w->columns,
                                            .outcome = model->outcome.compared,
                                            .features = model->features,
                                            .n_features = model->n_terms,
                                            .as_categories = as_categories(w),
                                            .rows_in_order = kan_fidelity_keeps_rows(w->fidelity),
                                            .row_of = w->question.row_of,
                                            .original = original_rows(w),
                                            .released = released_rows(w),
                                            .formula = model->text};
    return kan_classification_make(w->run, &question, &model->classification);
}

/* Columns that are not released are in a model of the original alone. */
static kan_status check_numbers(kan_fidelity_walk *w) {
    kan_problems_begin(w->run);
    for (size_t i = 0; i < w->regressions.n; i++)
        for (size_t t = 0; t < w->regressions.models[i].n_terms; t++) {
            const kan_model_place *place = &w->regressions.models[i].terms[t];
            if (place->compared == KAN_NOT_RELEASED)
                kan_fidelity_check_numbers(w->run, &w->original.table->columns[place->original]);
        }
    return kan_problems_end(w->run);
}

kan_status kan_models_measure(kan_fidelity_walk *w) {
    KAN_TRY(check_numbers(w));
    for (size_t i = 0; i < w->regressions.n; i++) {
        kan_report_units(w->run, "models", "models", i, w->regressions.n);
        KAN_TRY(regress(w, &w->regressions.models[i]));
    }
    for (size_t i = 0; i < w->classifications.n; i++)
        KAN_TRY(classify(w, &w->classifications.models[i]));
    return KAN_OK;
}

static void destroy_models(kan_fidelity_walk *w, kan_asked_models *models) {
    for (size_t i = 0; models->models && i < models->n; i++) {
        kan_free(w->run, models->models[i].terms);
        kan_free(w->run, models->models[i].columns);
        kan_free(w->run, models->models[i].features);
        kan_regression_destroy(&models->models[i].regression);
    }
    kan_free(w->run, models->models);
}

void kan_models_destroy(kan_fidelity_walk *w) {
    destroy_models(w, &w->regressions);
    destroy_models(w, &w->classifications);
}
