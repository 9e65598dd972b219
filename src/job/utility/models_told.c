/* Models of a release that somebody holds, as `compare` tells of them. */
#include <math.h>

#include "job/tell/tell.h"
#include "job/utility/utility.h"
#include "job/utility/utility_inside.h"

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *regression_json(const kan_asked_model *model) {
    const kan_regression *r = &model->regression;
    return json_pack(
        "{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "formula", kan_json_text(model->text), "kind",
        r->kind == KAN_FIT_LINEAR ? "linear" : "logistic", "coefficients",
        kan_json_count(kan_regression_found(r)), "lost", kan_json_count(kan_regression_lost(r)),
        "compared", kan_json_count(r->n_compared), "same_sign", kan_json_count(r->n_sign),
        "same_significance", kan_json_count(r->n_significance), "mean_overlap",
        r->n_overlaps > 0 ? kan_json_real(r->mean_overlap) : json_null());
}

static json_t *share_json(bool has, double share) {
    return has ? kan_json_real(share) : json_null();
}

static json_t *score_json(const kan_classifier_score *score) {
    return json_pack("{s:o, s:o}", "accuracy", share_json(score->has_score, score->accuracy), "auc",
                     share_json(score->has_score && score->has_auc, score->auc));
}

static json_t *classification_json(const kan_asked_model *model) {
    const kan_classification *c = &model->classification;
    const kan_classifier best = kan_classification_best(c);
    const kan_classifier_score *after = &c->after[best], *before = &c->before[best];
    json_t *models = json_array();
    for (int by = 0; by < KAN_CLASSIFIERS; by++)
        models = kan_json_append(
            models, json_pack("{s:s, s:o, s:o}", "name", kan_classifier_names[by], "original",
                              score_json(&c->before[by]), "release", score_json(&c->after[by])));
    return json_pack(
        "{s:o, s:b, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "formula",
        kan_json_text(model->text), "held_out", c->holds_out, "tested", kan_json_count(c->n_tested),
        "learnt_original", kan_json_count(c->n_original), "learnt_release",
        kan_json_count(c->n_released), "best", kan_classifier_names[best], "accuracy",
        share_json(after->has_score, after->accuracy), "auc",
        share_json(after->has_score && after->has_auc, after->auc), "original_accuracy",
        share_json(before->has_score, before->accuracy), "original_auc",
        share_json(before->has_score && before->has_auc, before->auc), "majority",
        share_json(c->before[KAN_CLASSIFY_MAJORITY].has_score,
                   c->before[KAN_CLASSIFY_MAJORITY].accuracy),
        "classifiers", models);
}

static json_t *models_json(const kan_fidelity_walk *w) {
    json_t *regressions = json_array(), *classifications = json_array();
    for (size_t i = 0; i < w->regressions.n; i++)
        regressions = kan_json_append(regressions, regression_json(&w->regressions.models[i]));
    for (size_t i = 0; i < w->classifications.n; i++)
        classifications =
            kan_json_append(classifications, classification_json(&w->classifications.models[i]));
    return json_pack("{s:o, s:o}", "regressions", regressions, "classifications", classifications);
}

/* ---- what somebody holds -------------------------------------------------------------------- */

/* Columns of both by their places, and nothing left out. */
static kan_status find_places(kan_fidelity_walk *w) {
    kan_role *roles;
    KAN_TRY(kan_alloc_zero(w->run, w->n, sizeof *w->places, &w->places));
    KAN_TRY(kan_arena_alloc(&w->job->arena, w->original.n_columns, sizeof *roles, &roles));
    for (size_t i = 0; i < w->original.n_columns; i++)
        roles[i] = KAN_ROLE_OTHER;
    w->roles.of[0] = roles;
    for (size_t i = 0; i < w->n; i++)
        w->places[i].original =
            (size_t)(w->question.columns[i].original - w->original.table->columns);
    return kan_models_find_columns(w);
}

static kan_status measure(kan_fidelity_walk *w) {
    const kan_fidelity_weights none = {.column = NULL};
    w->original_weights = w->released_weights_read = none;
    KAN_TRY(find_places(w));
    KAN_TRY(kan_fidelity_create(w->run, &w->question, &w->fidelity));
    KAN_TRY(kan_fidelity_weigh(w->fidelity, &none, &none));
    return kan_models_measure(w);
}

kan_status kan_utility_models(kan_job *job, const kan_input *original, kan_table *release,
                              const kan_fidelity_question *question, json_t **out) {
    kan_fidelity_walk w = {.job = job,
                           .run = job->run,
                           .original = *original,
                           .release = {.table = release, .name = question->release_name},
                           .question = *question,
                           .n = question->n_columns};
    kan_status status;
    KAN_TRY_DONE(kan_alloc(w.run, w.n, sizeof *w.columns, &w.columns));
    for (size_t i = 0; i < w.n; i++)
        w.columns[i] = question->columns[i];
    status = measure(&w);
    if (status == KAN_OK) {
        *out = models_json(&w);
        status = *out ? KAN_OK : kan_fail(w.run, KAN_FAILED, "out of memory");
    }
done:
    kan_models_destroy(&w);
    kan_fidelity_destroy(w.fidelity);
    kan_free(w.run, w.places);
    kan_free(w.run, w.columns);
    return status;
}
