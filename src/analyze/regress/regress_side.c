/* A table as a model sees it: each code of a column a number or a category, rows that have all of them,
 * and the design of these. */
#include <math.h>

#include "analyze/regress/regress_inside.h"
#include "core/memory.h"

/* ---- columns -------------------------------------------------------------------------------- */

static kan_status read_numbers(const kan_side *side, const kan_regress_column *from,
                               kan_side_column *to) {
    const uint32_t n = to->column->dictionary.n;
    KAN_TRY(kan_alloc(side->run, n, sizeof *to->numbers, &to->numbers));
    for (uint32_t code = 0; code < n; code++)
        to->numbers[code] =
            side->kind == KAN_SIDE_RELEASED
                ? kan_fidelity_middle(side->question->fidelity, from->compared, code)
                : kan_fidelity_number(from->original, code);
    return KAN_OK;
}

static uint32_t original_category(const kan_column *original, uint32_t code) {
    return kan_value_is_unknown(kan_dictionary_value(&original->dictionary, code)) ? KAN_NO_CATEGORY
                                                                                   : code;
}

static uint32_t released_category(const kan_side *side, const kan_regress_column *from,
                                  uint32_t cell) {
    const kan_fidelity *fidelity = side->question->fidelity;
    const kan_showing showing = kan_fidelity_shows(fidelity, from->compared, cell);
    if (showing == KAN_SHOWS_EXACT)
        return original_category(from->original,
                                 kan_fidelity_value_of(fidelity, from->compared, cell));
    return showing == KAN_SHOWS_HIDDEN ? KAN_NO_CATEGORY : from->original->dictionary.n + cell;
}

static kan_status read_at_labels(const kan_side *side, const kan_regress_column *from,
                                 kan_side_column *to) {
    bool unused;
    KAN_TRY(kan_fidelity_find_cells(side->question->fidelity, from->compared, NULL, to->categories,
                                    &unused));
    for (uint32_t code = 0; code < from->original->dictionary.n; code++) {
        const uint32_t cell = to->categories[code];
        to->categories[code] =
            cell == KAN_NO_CELL || original_category(from->original, code) == KAN_NO_CATEGORY
                ? KAN_NO_CATEGORY
                : released_category(side, from, cell);
    }
    return KAN_OK;
}

static kan_status read_categories(const kan_side *side, const kan_regress_column *from,
                                  bool is_at_labels, kan_side_column *to) {
    const uint32_t n = to->column->dictionary.n;
    const bool has_cells = from->compared != KAN_NOT_RELEASED;
    to->n_categories =
        from->original->dictionary.n +
        (has_cells ? side->question->compared[from->compared].released->dictionary.n : 0);
    KAN_TRY(kan_alloc(side->run, n, sizeof *to->categories, &to->categories));
    KAN_TRY(kan_alloc_zero(side->run, to->n_categories, sizeof *to->places, &to->places));
    if (is_at_labels)
        return read_at_labels(side, from, to);
    for (uint32_t code = 0; code < n; code++)
        to->categories[code] = side->kind == KAN_SIDE_RELEASED
                                   ? released_category(side, from, code)
                                   : original_category(from->original, code);
    return KAN_OK;
}

static kan_status read_column(const kan_side *side, const kan_regress_column *from,
                              const kan_regress_term *term, kan_side_column *to) {
    const bool is_released = side->kind == KAN_SIDE_RELEASED;
    const bool is_labelled = term->form == KAN_TERM_LABELS || term->form == KAN_TERM_LABELS_OVERLAP;
    const bool is_number = from->original->dictionary.type != KAN_TYPE_TEXT;
    to->is_absent = is_released && term->form == KAN_TERM_NOT_RELEASED;
    if (to->is_absent)
        return KAN_OK;
    to->column = is_released ? side->question->compared[from->compared].released : from->original;
    const bool is_at_labels = side->kind == KAN_SIDE_AT_LABELS && term->form == KAN_TERM_LABELS;
    if (is_number && !(is_labelled && is_released) && !is_at_labels)
        return read_numbers(side, from, to);
    return read_categories(side, from, is_at_labels, to);
}

/* Two spellings of a number are one. */
static bool is_value(const kan_column *original, uint32_t category, uint32_t value) {
    if (category == value || category >= original->dictionary.n)
        return category == value;
    return kan_fidelity_number(original, category) == kan_fidelity_number(original, value);
}

/* Of two values: 0 and 1. */
static kan_status read_outcome(kan_side *side, const kan_side_outcome *outcome) {
    const kan_regress_column *from = &side->question->outcome;
    const bool is_released = side->kind == KAN_SIDE_RELEASED;
    kan_side_column *to = &side->outcome;
    to->column = is_released ? side->question->compared[from->compared].released : from->original;
    if (!outcome->is_binary)
        return read_numbers(side, from, to);
    const uint32_t n = to->column->dictionary.n;
    KAN_TRY(kan_alloc(side->run, n, sizeof *to->numbers, &to->numbers));
    for (uint32_t code = 0; code < n; code++) {
        const uint32_t value = is_released ? released_category(side, from, code) : code;
        to->numbers[code] = is_value(from->original, value, outcome->zero)  ? 0
                            : is_value(from->original, value, outcome->one) ? 1
                                                                            : NAN;
    }
    return KAN_OK;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static bool is_known(const kan_side_column *column, uint64_t row) {
    if (column->is_absent)
        return true;
    const uint32_t code = kan_column_code(column->column, row);
    return column->categories ? column->categories[code] != KAN_NO_CATEGORY
                              : !isnan(column->numbers[code]);
}

static kan_status find_complete(kan_side *side) {
    const size_t n_terms = side->question->n_terms;
    KAN_TRY(
        kan_alloc_zero(side->run, side->rows->n, sizeof *side->is_complete, &side->is_complete));
    for (uint64_t row = 0; row < side->rows->n; row++) {
        bool is_complete =
            is_known(&side->outcome, row) && kan_fidelity_units(&side->rows->weights, row) > 0;
        for (size_t t = 0; t < n_terms && is_complete; t++)
            is_complete = is_known(&side->terms[t], row);
        if (row % 65536 == 0)
            KAN_TRY(kan_check_cancel(side->run));
        side->is_complete[row] = is_complete;
        side->n_complete += is_complete;
        for (size_t t = 0; t < n_terms && is_complete; t++) {
            kan_side_column *term = &side->terms[t];
            if (term->categories)
                term->places[term->categories[kan_column_code(term->column, row)]] = 1;
        }
    }
    return KAN_OK;
}

kan_status kan_side_make(kan_run *run, const kan_regress_question *question, kan_side_kind kind,
                         const kan_regress_term *terms, const kan_side_outcome *outcome,
                         kan_side *out) {
    *out =
        (kan_side){.run = run,
                   .kind = kind,
                   .question = question,
                   .rows = kind == KAN_SIDE_RELEASED ? &question->released : &question->original};
    KAN_TRY(kan_alloc_zero(run, question->n_terms, sizeof *out->terms, &out->terms));
    KAN_TRY(read_outcome(out, outcome));
    for (size_t t = 0; t < question->n_terms; t++)
        KAN_TRY(read_column(out, &question->terms[t], &terms[t], &out->terms[t]));
    return find_complete(out);
}

static void destroy_column(kan_run *run, kan_side_column *column) {
    kan_free(run, column->numbers);
    kan_free(run, column->categories);
    kan_free(run, column->places);
}

void kan_side_destroy(kan_side *side) {
    if (!side->run)
        return;
    for (size_t t = 0; side->terms && t < side->question->n_terms; t++)
        destroy_column(side->run, &side->terms[t]);
    destroy_column(side->run, &side->outcome);
    kan_free(side->run, side->terms);
    kan_free(side->run, side->is_complete);
}

/* ---- categories ----------------------------------------------------------------------------- */

uint32_t kan_side_common_category(const kan_side *a, const kan_side *b, size_t term) {
    const kan_side_column *x = &a->terms[term], *y = &b->terms[term];
    if (!x->categories || !y->categories)
        return KAN_NO_CATEGORY;
    for (uint32_t category = 0; category < x->n_categories; category++)
        if (x->places[category] && y->places[category])
            return category;
    return KAN_NO_CATEGORY;
}

void kan_side_set_baseline(kan_side *side, size_t term, uint32_t baseline) {
    kan_side_column *column = &side->terms[term];
    uint32_t next = 1;
    if (!column->categories)
        return;
    if (baseline != KAN_NO_CATEGORY && !column->places[baseline])
        baseline = KAN_NO_CATEGORY;
    for (uint32_t category = 0; category < column->n_categories; category++) {
        if (baseline == KAN_NO_CATEGORY && column->places[category])
            baseline = category;
        if (category != baseline)
            column->places[category] = column->places[category] ? next++ : KAN_NO_CATEGORY;
    }
    if (baseline != KAN_NO_CATEGORY)
        column->places[baseline] = 0;
    column->n_places = next;
}

/* ---- the design ----------------------------------------------------------------------------- */

typedef struct {
    kan_side *side;
    kan_design design;
    kan_design_term *terms;
    double *y, *weights;
    bool has_two; /* the outcome has more than one value */
} side_design;

static kan_status fill_numbers(kan_side *side, const kan_side_column *from, kan_design_term *to) {
    double *numbers;
    const uint32_t n = from->column->dictionary.n;
    KAN_TRY(kan_alloc(side->run, n, sizeof *numbers, &numbers));
    for (uint32_t code = 0; code < n;
         code++) /* no row of the design has those that are not known */
        numbers[code] = isnan(from->numbers[code]) ? 0 : from->numbers[code];
    to->numbers = numbers;
    to->n_codes = n;
    return KAN_OK;
}

static kan_status fill_term(kan_side *side, const kan_side_column *from, kan_design_term *to) {
    uint32_t *codes;
    uint64_t at = 0;
    KAN_TRY(kan_alloc(side->run, side->n_complete, sizeof *codes, &codes));
    to->codes = codes;
    to->n_codes = from->n_places;
    for (uint64_t row = 0; row < side->rows->n; row++) {
        if (!side->is_complete[row])
            continue;
        const uint32_t code = kan_column_code(from->column, row);
        codes[at++] = from->categories ? from->places[from->categories[code]] : code;
    }
    return from->categories ? KAN_OK : fill_numbers(side, from, to);
}

static kan_status fill_rows(side_design *d) {
    kan_side *side = d->side;
    uint64_t at = 0;
    KAN_TRY(kan_alloc(side->run, side->n_complete, sizeof *d->y, &d->y));
    KAN_TRY(kan_alloc(side->run, side->n_complete, sizeof *d->weights, &d->weights));
    for (uint64_t row = 0; row < side->rows->n; row++) {
        if (!side->is_complete[row])
            continue;
        d->y[at] = side->outcome.numbers[kan_column_code(side->outcome.column, row)];
        d->weights[at] = (double)kan_fidelity_units(&side->rows->weights, row) / side->rows->one;
        d->has_two = d->has_two || d->y[at] != d->y[0];
        at++;
    }
    return KAN_OK;
}

static kan_status refuse_width(const kan_side *side) {
    size_t widest = 0;
    char quoted[256];
    for (size_t t = 1; t < side->question->n_terms; t++)
        if (side->terms[t].n_places > side->terms[widest].n_places)
            widest = t;
    return kan_fail(side->run, KAN_BAD_INPUT,
                    "--regress %s: %s has %u categories, and a model has at most %d columns; leave "
                    "it out of the formula, or let it enter by middles (--as middles) if it is a "
                    "number",
                    side->question->formula,
                    kan_quote(kan_slice_of(side->question->terms[widest].original->name), quoted),
                    side->terms[widest].n_places, KAN_DESIGN_MOST_COLUMNS);
}

/* Terms that are absent are left out of the design. */
static kan_status fill_design(side_design *d) {
    kan_side *side = d->side;
    KAN_TRY(kan_alloc_zero(side->run, side->question->n_terms, sizeof *d->terms, &d->terms));
    KAN_TRY(fill_rows(d));
    d->design = (kan_design){.terms = d->terms, .n_rows = side->n_complete, .weights = d->weights};
    for (size_t t = 0; t < side->question->n_terms; t++)
        if (!side->terms[t].is_absent)
            KAN_TRY(fill_term(side, &side->terms[t], &d->terms[d->design.n_terms++]));
    return kan_design_width(&d->design) == SIZE_MAX ? refuse_width(side) : KAN_OK;
}

kan_status kan_side_fit(kan_side *side, kan_fit_kind kind, kan_regress_model *out) {
    side_design d = {.side = side};
    *out = (kan_regress_model){.state = KAN_REGRESS_NO_ROWS,
                               .n_complete = side->n_complete,
                               .n_incomplete = side->rows->n - side->n_complete};
    if (side->n_complete == 0)
        return KAN_OK;
    kan_status status = fill_design(&d);
    out->state = d.has_two ? KAN_REGRESS_FITTED : KAN_REGRESS_ONE_VALUE;
    if (status == KAN_OK && d.has_two) {
        const kan_fit_question question = {
            .design = &d.design, .y = d.y, .kind = kind, .is_survey = side->question->is_survey};
        status = kan_fit_make(side->run, &question, &out->fit);
    }
    for (size_t t = 0; t < d.design.n_terms; t++) {
        kan_free(side->run, d.terms[t].codes);
        kan_free(side->run, d.terms[t].numbers);
    }
    kan_free(side->run, d.terms);
    kan_free(side->run, d.y);
    kan_free(side->run, d.weights);
    return status;
}
