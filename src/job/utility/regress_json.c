/* What `utility --regress` found, as JSON. */
#include <math.h>

#include "job/tell/tell.h"
#include "job/utility/utility_inside.h"

static json_t *model_json(const kan_regress_model *model) {
    static const char *const states[] = {[KAN_REGRESS_FITTED] = "fitted",
                                         [KAN_REGRESS_NO_ROWS] = "no complete row",
                                         [KAN_REGRESS_ONE_VALUE] = "one outcome"};
    const bool is_fitted = model->state == KAN_REGRESS_FITTED;
    const kan_fitted *fit = &model->fit;
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "state",
                     is_fitted && !fit->has_converged ? "not converged" : states[model->state],
                     "rows", kan_json_count(model->n_complete), "incomplete",
                     kan_json_count(model->n_incomplete), "steps",
                     is_fitted ? kan_json_count(fit->n_steps) : json_null(), "loss",
                     is_fitted ? kan_json_real(fit->loss) : json_null(), "null_loss",
                     is_fitted ? kan_json_real(fit->null_loss) : json_null());
}

static json_t *term_json(const kan_fidelity_walk *w, const kan_model_place *place,
                         const kan_regress_term *term) {
    static const char *const forms[] = {[KAN_TERM_NUMBER] = "number",
                                        [KAN_TERM_VALUES] = "values",
                                        [KAN_TERM_LABELS] = "labels",
                                        [KAN_TERM_LABELS_OVERLAP] = "overlapping labels",
                                        [KAN_TERM_NOT_RELEASED] = "not released"};
    return json_pack("{s:o, s:s, s:b, s:o}", "name",
                     kan_json_text(w->original.columns[place->original]), "form", forms[term->form],
                     "coarser", term->has_coarser, "baseline",
                     term->has_baseline ? kan_json_slice(term->baseline) : json_null());
}

static json_t *estimate_json(const kan_estimate *estimate) {
    static const char *const states[] = {[KAN_ESTIMATE_FOUND] = "found",
                                         [KAN_ESTIMATE_COLLINEAR] = "collinear",
                                         [KAN_ESTIMATE_SEPARATED] = "separated"};
    if (estimate->state == KAN_ESTIMATE_NONE)
        return json_null();
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "state", states[estimate->state], "value",
                     kan_json_real(estimate->value), "error", kan_json_real(estimate->error), "low",
                     kan_json_real(estimate->low), "high", kan_json_real(estimate->high));
}

static json_t *coefficient_json(const kan_fidelity_walk *w, const kan_asked_model *model,
                                const kan_regress_coefficient *c) {
    const bool is_constant = c->term == SIZE_MAX;
    json_t *column = is_constant
                         ? json_null()
                         : kan_json_text(w->original.columns[model->terms[c->term].original]);
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o}", "column", column, "value",
        c->name.size > 0 ? kan_json_slice(c->name) : json_null(), "original",
        estimate_json(&c->before), "release", estimate_json(&c->after), "compared", c->is_compared,
        "overlap", c->has_overlap ? kan_json_real(c->overlap) : json_null(), "same_sign",
        c->is_compared ? json_boolean(c->keeps_sign) : json_null(), "same_significance",
        c->is_compared ? json_boolean(c->keeps_significance) : json_null());
}

static json_t *says_json(const kan_fidelity_walk *w, const kan_asked_model *model) {
    kan_text words;
    kan_text_init(&words, w->run);
    kan_regression_sentences(w, model, &words);
    return kan_fidelity_says_json(&words);
}

static json_t *regression_json(const kan_fidelity_walk *w, const kan_asked_model *model) {
    const kan_regression *r = &model->regression;
    json_t *terms = json_array(), *coefficients = json_array();
    for (size_t t = 0; t < model->n_terms; t++)
        terms = kan_json_append(terms, term_json(w, &model->terms[t], &r->terms[t]));
    for (size_t i = 0; i < r->n_coefficients; i++)
        coefficients =
            kan_json_append(coefficients, coefficient_json(w, model, &r->coefficients[i]));
    return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "formula", kan_json_text(model->text), "kind",
                     r->kind == KAN_FIT_LINEAR ? "linear" : "logistic", "outcome",
                     kan_json_text(w->original.columns[model->outcome.original]), "counted",
                     r->kind == KAN_FIT_LOGISTIC ? kan_json_slice(r->counted) : json_null(),
                     "terms", terms, "original", model_json(&r->original), "at_labels",
                     r->is_at_labels ? model_json(&r->at_labels) : json_null(), "release",
                     model_json(&r->released), "coefficients", coefficients, "compared",
                     kan_json_count(r->n_compared), "same_sign", kan_json_count(r->n_sign),
                     "same_significance", kan_json_count(r->n_significance), "mean_overlap",
                     r->n_overlaps > 0 ? kan_json_real(r->mean_overlap) : json_null(), "lost",
                     kan_json_count(kan_regression_lost(r)), "says", says_json(w, model));
}

json_t *kan_regressions_json(const kan_fidelity_walk *w) {
    json_t *all = json_array();
    for (size_t i = 0; i < w->regressions.n; i++)
        all = kan_json_append(all, regression_json(w, &w->regressions.models[i]));
    return all;
}
