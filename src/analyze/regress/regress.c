/* One formula on both tables. Order: what the outcome is, how each column enters, the complete rows of
 * both, which category each column leaves out, the fits, and what is left (regress_compare.c). */
#include "analyze/regress/regress.h"

#include <math.h>
#include <string.h>

#include "analyze/regress/regress_inside.h"
#include "core/memory.h"

typedef struct {
    kan_run *run;
    const kan_regress_question *question;
    kan_regression *out;
    kan_side_outcome outcome;
    kan_side original, at_labels, released;
} regressing;

/* ---- the outcome ---------------------------------------------------------------------------- */

/* The first two values that are known, and how many there are, up to 3. */
static size_t count_values(const kan_column *column, uint32_t first[2]) {
    const kan_dictionary *dictionary = &column->dictionary;
    size_t n = 0;
    for (uint32_t code = 0; code < dictionary->n && n < 3; code++) {
        const kan_slice value = kan_dictionary_value(dictionary, code);
        if (kan_value_is_unknown(value))
            continue;
        if (n > 0 && dictionary->type != KAN_TYPE_TEXT &&
            kan_value_order(dictionary->type, value,
                            kan_dictionary_value(dictionary, first[n - 1])) == 0)
            continue; /* another spelling */
        if (n < 2)
            first[n] = code;
        n++;
    }
    return n;
}

static kan_status find_outcome(regressing *r) {
    const kan_column *column = r->question->outcome.original;
    char quoted[256];
    uint32_t first[2] = {0, 0};
    const size_t n = count_values(column, first);
    kan_quote(kan_slice_of(column->name), quoted);
    if (n < 2)
        return kan_fail(r->run, KAN_BAD_INPUT,
                        "--regress %s: %s has %s; a model needs an outcome that differs between "
                        "rows, so name another column before the ~",
                        r->question->formula, quoted, n ? "one value alone" : "no known value");
    if (n > 2 && column->dictionary.type == KAN_TYPE_TEXT)
        return kan_fail(r->run, KAN_BAD_INPUT,
                        "--regress %s: %s is text of more than two values; the outcome of a "
                        "regression is a number (linear) or has two values (logistic). Name "
                        "another column before the ~",
                        r->question->formula, quoted);
    r->outcome = (kan_side_outcome){.is_binary = n == 2, .zero = first[0], .one = first[1]};
    r->out->kind = n == 2 ? KAN_FIT_LOGISTIC : KAN_FIT_LINEAR;
    r->out->outcome_is_coarser =
        kan_fidelity_has_coarser(r->question->fidelity, r->question->outcome.compared);
    if (n == 2) {
        r->out->other = kan_dictionary_value(&column->dictionary, first[0]);
        r->out->counted = kan_dictionary_value(&column->dictionary, first[1]);
    }
    return KAN_OK;
}

/* ---- how columns enter ---------------------------------------------------------------------- */

static kan_status find_form(const regressing *r, const kan_regress_column *column,
                            kan_regress_term *out) {
    const kan_fidelity *fidelity = r->question->fidelity;
    const bool is_text = column->original->dictionary.type == KAN_TYPE_TEXT;
    bool are_disjoint;
    uint32_t *cells;
    *out = (kan_regress_term){.form = KAN_TERM_NOT_RELEASED};
    if (column->compared == KAN_NOT_RELEASED || !kan_fidelity_shows_any(fidelity, column->compared))
        return KAN_OK;
    out->has_coarser = kan_fidelity_has_coarser(fidelity, column->compared);
    out->form = is_text ? KAN_TERM_VALUES : KAN_TERM_NUMBER;
    if (!out->has_coarser || !(is_text || r->question->as_categories))
        return KAN_OK;
    KAN_TRY(kan_alloc(r->run, column->original->dictionary.n, sizeof *cells, &cells));
    const kan_status status =
        kan_fidelity_find_cells(fidelity, column->compared, NULL, cells, &are_disjoint);
    kan_free(r->run, cells);
    if (status == KAN_OK)
        out->form = are_disjoint ? KAN_TERM_LABELS : KAN_TERM_LABELS_OVERLAP;
    return status;
}

static kan_status find_forms(regressing *r) {
    const kan_regress_question *question = r->question;
    KAN_TRY(kan_alloc_zero(r->run, question->n_terms, sizeof *r->out->terms, &r->out->terms));
    for (size_t t = 0; t < question->n_terms; t++) {
        KAN_TRY(find_form(r, &question->terms[t], &r->out->terms[t]));
        r->out->is_at_labels = r->out->is_at_labels || r->out->terms[t].form == KAN_TERM_LABELS;
    }
    return KAN_OK;
}

/* ---- both tables ---------------------------------------------------------------------------- */

static kan_slice category_name(const regressing *r, size_t term, uint32_t category) {
    const kan_regress_column *column = &r->question->terms[term];
    const uint32_t n = column->original->dictionary.n;
    return category < n
               ? kan_dictionary_value(&column->original->dictionary, category)
               : kan_dictionary_value(&r->question->compared[column->compared].released->dictionary,
                                      category - n);
}

static void set_baselines(regressing *r) {
    kan_side *compared = r->out->is_at_labels ? &r->at_labels : &r->original;
    for (size_t t = 0; t < r->question->n_terms; t++) {
        const uint32_t baseline = kan_side_common_category(compared, &r->released, t);
        kan_side_set_baseline(&r->original, t, baseline);
        kan_side_set_baseline(&r->released, t, baseline);
        if (r->out->is_at_labels)
            kan_side_set_baseline(&r->at_labels, t, baseline);
        r->out->terms[t].has_baseline = baseline != KAN_NO_CATEGORY;
        if (baseline != KAN_NO_CATEGORY)
            r->out->terms[t].baseline = category_name(r, t, baseline);
    }
}

static kan_status make_sides(regressing *r) {
    const kan_regress_term *terms = r->out->terms;
    KAN_TRY(
        kan_side_make(r->run, r->question, KAN_SIDE_ORIGINAL, terms, &r->outcome, &r->original));
    KAN_TRY(
        kan_side_make(r->run, r->question, KAN_SIDE_RELEASED, terms, &r->outcome, &r->released));
    if (r->out->is_at_labels)
        KAN_TRY(kan_side_make(r->run, r->question, KAN_SIDE_AT_LABELS, terms, &r->outcome,
                              &r->at_labels));
    return KAN_OK;
}

static kan_status fit_sides(regressing *r) {
    kan_regression *out = r->out;
    set_baselines(r);
    KAN_TRY(kan_side_fit(&r->original, out->kind, &out->original));
    KAN_TRY(kan_side_fit(&r->released, out->kind, &out->released));
    return out->is_at_labels ? kan_side_fit(&r->at_labels, out->kind, &out->at_labels) : KAN_OK;
}

/* ---- coefficients --------------------------------------------------------------------------- */

/* A column of a model. */
typedef struct {
    size_t term, column;
    uint32_t category;
} model_column;

/* The next column of the design in order; begins with {SIZE_MAX, 0}. False: there is none. */
static bool next_column(const kan_side *side, model_column *at) {
    const size_t n = side->question->n_terms;
    size_t term = at->term == SIZE_MAX ? 0 : at->term;
    uint32_t category = at->term == SIZE_MAX ? 0 : at->category + 1;
    for (; term < n; term++, category = 0) {
        const kan_side_column *from = &side->terms[term];
        if (from->is_absent)
            continue;
        if (!from->categories) {
            if (at->term == term)
                continue;
            *at = (model_column){term, at->column + 1, KAN_NO_CATEGORY};
            return true;
        }
        for (; category < from->n_categories; category++)
            if (from->places[category] != 0 && from->places[category] != KAN_NO_CATEGORY) {
                *at = (model_column){term, at->column + 1, category};
                return true;
            }
    }
    return false;
}

static bool find_column(const kan_side *side, const model_column *wanted, model_column *out) {
    model_column at = {SIZE_MAX, 0, 0};
    if (wanted->term == SIZE_MAX) {
        *out = at;
        return true;
    }
    while (next_column(side, &at))
        if (at.term == wanted->term && at.category == wanted->category) {
            *out = at;
            return true;
        }
    return false;
}

static kan_estimate estimate_of(const kan_regress_model *model, const kan_side *side,
                                const model_column *wanted) {
    kan_estimate none = {KAN_ESTIMATE_NONE, NAN, NAN, NAN, NAN};
    model_column at;
    const kan_fitted *fit = &model->fit;
    if (model->state != KAN_REGRESS_FITTED || !fit->has_converged ||
        !find_column(side, wanted, &at))
        return none;
    none.state = fit->states[at.column] == KAN_COEFFICIENT_COLLINEAR   ? KAN_ESTIMATE_COLLINEAR
                 : fit->states[at.column] == KAN_COEFFICIENT_SEPARATED ? KAN_ESTIMATE_SEPARATED
                                                                       : KAN_ESTIMATE_FOUND;
    if (none.state != KAN_ESTIMATE_FOUND)
        return none;
    const double value = fit->coefficients[at.column], error = fit->errors[at.column];
    return (kan_estimate){KAN_ESTIMATE_FOUND, value, error, value - fit->reach * error,
                          value + fit->reach * error};
}

/* Whether the coefficient means the same in both: by the same categories left out. */
static bool means_the_same(const regressing *r, size_t term) {
    if (term != SIZE_MAX)
        return r->out->terms[term].form == KAN_TERM_NUMBER || r->out->terms[term].has_baseline;
    for (size_t t = 0; t < r->question->n_terms; t++)
        if (!means_the_same(r, t))
            return false;
    return true;
}

static void compare(const regressing *r, kan_regress_coefficient *c) {
    const kan_estimate *a = &c->before, *b = &c->after;
    c->is_compared = means_the_same(r, c->term) && !isnan(a->low) && !isnan(b->low);
    if (!c->is_compared)
        return;
    const double both = fmin(a->high, b->high) - fmax(a->low, b->low);
    const double before = a->high - a->low, after = b->high - b->low;
    c->has_overlap = before > 0 && after > 0;
    if (c->has_overlap)
        c->overlap = (both / before + both / after) / 2;
    c->keeps_sign = (a->value > 0) == (b->value > 0) && (a->value < 0) == (b->value < 0);
    c->keeps_significance = (a->low > 0 || a->high < 0) == (b->low > 0 || b->high < 0);
    kan_regression *out = r->out;
    out->n_compared++;
    out->n_sign += c->keeps_sign;
    out->n_significance += c->keeps_significance;
    out->n_overlaps += c->has_overlap;
    out->mean_overlap += c->has_overlap ? c->overlap : 0;
}

static void add_coefficient(const regressing *r, const kan_regress_model *model,
                            const kan_side *side, const model_column *at) {
    const bool is_category = at->term != SIZE_MAX && at->category != KAN_NO_CATEGORY;
    kan_regress_coefficient *c = &r->out->coefficients[r->out->n_coefficients++];
    *c = (kan_regress_coefficient){.term = at->term};
    if (is_category)
        c->name = category_name(r, at->term, at->category);
    c->before = estimate_of(model, side, at);
    c->after = estimate_of(&r->out->released, &r->released, at);
    compare(r, c);
}

/* Those of the original, of the release alone, and of the original alone where it was fitted again. */
static kan_status list_coefficients(regressing *r) {
    kan_regression *out = r->out;
    const bool is_at_labels = out->is_at_labels;
    const kan_side *compared = is_at_labels ? &r->at_labels : &r->original;
    const kan_regress_model *before = is_at_labels ? &out->at_labels : &out->original;
    model_column at = {SIZE_MAX, 0, 0}, unused;
    size_t room = 1;
    const kan_side *sides[] = {compared, &r->released, &r->original};
    for (size_t i = 0; i < 3; i++)
        for (at = (model_column){SIZE_MAX, 0, 0}; next_column(sides[i], &at);)
            room++;
    KAN_TRY(kan_alloc_zero(r->run, room, sizeof *out->coefficients, &out->coefficients));
    at = (model_column){SIZE_MAX, 0, 0};
    do
        add_coefficient(r, before, compared, &at);
    while (next_column(compared, &at));
    for (at = (model_column){SIZE_MAX, 0, 0}; next_column(&r->released, &at);)
        if (!find_column(compared, &at, &unused))
            add_coefficient(r, before, compared, &at);
    for (at = (model_column){SIZE_MAX, 0, 0}; is_at_labels && next_column(&r->original, &at);)
        if (!find_column(compared, &at, &unused) && !find_column(&r->released, &at, &unused))
            add_coefficient(r, &out->original, &r->original, &at);
    if (out->n_overlaps > 0)
        out->mean_overlap /= (double)out->n_overlaps;
    return KAN_OK;
}

/* ---- calls ---------------------------------------------------------------------------------- */

static kan_status regress(regressing *r) {
    KAN_TRY(find_outcome(r));
    KAN_TRY(find_forms(r));
    KAN_TRY(make_sides(r));
    KAN_TRY(fit_sides(r));
    return list_coefficients(r);
}

kan_status kan_regression_make(kan_run *run, const kan_regress_question *question,
                               kan_regression *out) {
    kan_regression regression = {.run = run};
    regressing r = {.run = run, .question = question, .out = &regression};
    const kan_status status = regress(&r);
    kan_side_destroy(&r.original);
    kan_side_destroy(&r.at_labels);
    kan_side_destroy(&r.released);
    if (status == KAN_OK)
        *out = regression;
    else
        kan_regression_destroy(&regression);
    return status;
}

size_t kan_regression_found(const kan_regression *regression) {
    size_t n = 0;
    for (size_t i = 0; i < regression->n_coefficients; i++)
        n += regression->coefficients[i].before.state == KAN_ESTIMATE_FOUND;
    return n;
}

size_t kan_regression_lost(const kan_regression *regression) {
    size_t n = 0;
    for (size_t i = 0; i < regression->n_coefficients; i++)
        n += regression->coefficients[i].before.state == KAN_ESTIMATE_FOUND &&
             !regression->coefficients[i].is_compared;
    return n;
}

void kan_regression_destroy(kan_regression *regression) {
    if (!regression->run)
        return;
    kan_free(regression->run, regression->terms);
    kan_free(regression->run, regression->coefficients);
    kan_fit_destroy(&regression->original.fit);
    kan_fit_destroy(&regression->at_labels.fit);
    kan_fit_destroy(&regression->released.fit);
    *regression = (kan_regression){.run = NULL};
}
