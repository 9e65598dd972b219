/* Columns of two tables as one model sees them: what it learns from, and what it is tested on. */
#include <math.h>
#include <stdlib.h>

#include "analyze/classify/classify_inside.h"
#include "core/hash.h"
#include "core/memory.h"

enum { MOST_BINS = 64 }; /* of numbers, for trees */

typedef struct {
    kan_run *run;
    const kan_classify_question *question;
    bool is_released;
    size_t compared;
    kan_feature *feature;
    uint64_t *rows; /* by code of the column that is learnt from */
} feature_maker;

/* ---- numbers -------------------------------------------------------------------------------- */

static kan_status read_numbers(const feature_maker *m, bool is_released, kan_seen_values *to) {
    const uint32_t n = to->column->dictionary.n;
    KAN_TRY(kan_alloc(m->run, n, sizeof *to->numbers, &to->numbers));
    KAN_TRY(kan_alloc_zero(m->run, n, sizeof *to->is_missing, &to->is_missing));
    KAN_TRY(kan_alloc_zero(m->run, n, sizeof *to->bins, &to->bins));
    for (uint32_t code = 0; code < n; code++) {
        to->numbers[code] = is_released
                                ? kan_fidelity_middle(m->question->fidelity, m->compared, code)
                                : kan_fidelity_number(to->column, code);
        to->is_missing[code] = isnan(to->numbers[code]) ? 1U : 0U;
        m->feature->has_missing = m->feature->has_missing || to->is_missing[code];
    }
    return KAN_OK;
}

typedef struct {
    double number;
    uint64_t rows;
} counted_number;

static int compare_numbers(const void *a, const void *b) {
    const counted_number *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Upper ends of bins, halfway between two numbers: of few numbers between any two, of many so that each
 * bin has its share of the rows that are left. */
static size_t cut_bins(const counted_number *numbers, size_t n, uint64_t n_rows,
                       double ends[MOST_BINS]) {
    uint64_t in_bin = 0, left = n_rows;
    size_t n_ends = 0, n_distinct = n > 0;
    for (size_t i = 0; i + 1 < n; i++)
        n_distinct += numbers[i].number != numbers[i + 1].number;
    for (size_t i = 0; i + 1 < n && n_ends + 1 < MOST_BINS; i++) {
        in_bin += numbers[i].rows;
        const bool is_full = n_distinct <= MOST_BINS ||
                             (double)in_bin * (double)(MOST_BINS - n_ends) >= (double)left;
        if (numbers[i].number == numbers[i + 1].number || !is_full)
            continue;
        ends[n_ends++] = numbers[i].number + (numbers[i + 1].number - numbers[i].number) / 2;
        left -= in_bin;
        in_bin = 0;
    }
    return n_ends;
}

/* Bin 0 is missing; a number is in the first bin that ends at it or behind it. */
static void put_into_bins(kan_seen_values *values, const double *ends, size_t n_ends, double mean) {
    for (uint32_t code = 0; code < values->column->dictionary.n; code++) {
        size_t low = 0, high = n_ends;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (ends[middle] < values->numbers[code])
                low = middle + 1;
            else
                high = middle;
        }
        values->bins[code] = values->is_missing[code] ? 0 : (uint32_t)low + 1;
        if (values->is_missing[code])
            values->numbers[code] = mean;
    }
}

static kan_status make_numbers(feature_maker *m) {
    kan_feature *feature = m->feature;
    const kan_seen_values *learnt = &feature->learnt;
    const uint32_t n = learnt->column->dictionary.n;
    counted_number *numbers;
    double ends[MOST_BINS], sum = 0;
    uint64_t n_rows = 0;
    size_t n_known = 0;
    KAN_TRY(read_numbers(m, m->is_released, &feature->learnt));
    KAN_TRY(read_numbers(m, false, &feature->tested));
    KAN_TRY(kan_alloc(m->run, n, sizeof *numbers, &numbers));
    for (uint32_t code = 0; code < n; code++) {
        if (learnt->is_missing[code] || m->rows[code] == 0)
            continue;
        numbers[n_known++] = (counted_number){learnt->numbers[code], m->rows[code]};
        sum += (double)m->rows[code] * learnt->numbers[code];
        n_rows += m->rows[code];
    }
    qsort(numbers, n_known, sizeof *numbers, compare_numbers);
    const size_t n_ends = cut_bins(numbers, n_known, n_rows, ends);
    kan_free(m->run, numbers);
    const double mean = n_rows > 0 ? sum / (double)n_rows : 0;
    put_into_bins(&feature->learnt, ends, n_ends, mean);
    put_into_bins(&feature->tested, ends, n_ends, mean);
    feature->n_bins = (uint32_t)n_ends + 2;
    return KAN_OK;
}

/* ---- categories ----------------------------------------------------------------------------- */

/* The most frequent first. */
static kan_status number_places(feature_maker *m, const uint64_t *rows) {
    kan_seen_values *learnt = &m->feature->learnt;
    const uint32_t n = learnt->n_codes;
    uint32_t most = 0;
    KAN_TRY(kan_alloc(m->run, n, sizeof *learnt->places, &learnt->places));
    for (uint32_t code = 1; code < n; code++)
        most = rows[code] > rows[most] ? code : most;
    for (uint32_t code = 0; code < n; code++)
        learnt->places[code] = code == most ? 0 : code < most ? code + 1 : code;
    m->feature->n_places = m->feature->n_bins = n;
    return KAN_OK;
}

/* Values or labels, as they stand there; `cells`: the label that a value of the original is read as. */
static kan_status make_labels(feature_maker *m, const uint32_t *cells) {
    const kan_seen_values *learnt = &m->feature->learnt;
    kan_seen_values *tested = &m->feature->tested;
    KAN_TRY(number_places(m, m->rows));
    KAN_TRY(kan_alloc(m->run, tested->n_codes, sizeof *tested->places, &tested->places));
    for (uint32_t code = 0; code < tested->n_codes; code++) {
        const uint32_t cell = cells ? cells[code] : code;
        tested->places[code] = cell == KAN_NO_CELL ? 0 : learnt->places[cell];
    }
    return KAN_OK;
}

/* Each cell becomes one of the values that it may stand for, by the hash of its row. */
static kan_status draw_codes(feature_maker *m, uint64_t *rows) {
    kan_seen_values *learnt = &m->feature->learnt;
    const uint64_t n = m->question->released.n;
    uint32_t *codes;
    uint64_t *first;
    KAN_TRY(kan_alloc(m->run, n, sizeof *learnt->codes, &learnt->codes));
    KAN_TRY(kan_fidelity_list_values(m->question->fidelity, m->compared, &codes, &first));
    for (uint64_t row = 0; row < n; row++) {
        const uint32_t cell = kan_column_code(learnt->column, row);
        const uint64_t several = first[cell + 1] - first[cell];
        const uint64_t words[] = {kan_classify_row_of(m->question, row), m->compared};
        learnt->codes[row] =
            several > 0 ? codes[first[cell] + kan_hash_words(words, 2) % several] : 0;
        rows[learnt->codes[row]]++;
    }
    kan_free(m->run, codes);
    kan_free(m->run, first);
    return KAN_OK;
}

static kan_status make_drawn(feature_maker *m) {
    kan_seen_values *learnt = &m->feature->learnt, *tested = &m->feature->tested;
    uint64_t *rows;
    learnt->n_codes = tested->n_codes;
    m->feature->is_drawn = true;
    KAN_TRY(kan_alloc_zero(m->run, learnt->n_codes, sizeof *rows, &rows));
    kan_status status = draw_codes(m, rows);
    if (status == KAN_OK)
        status = number_places(m, rows);
    if (status == KAN_OK)
        status = kan_alloc(m->run, tested->n_codes, sizeof *tested->places, &tested->places);
    for (uint32_t code = 0; status == KAN_OK && code < tested->n_codes; code++)
        tested->places[code] = learnt->places[code];
    kan_free(m->run, rows);
    return status;
}

static kan_status make_categories(feature_maker *m) {
    uint32_t *cells;
    bool are_disjoint = true;
    if (!m->is_released)
        return make_labels(m, NULL);
    KAN_TRY(kan_alloc(m->run, m->feature->tested.n_codes, sizeof *cells, &cells));
    kan_status status =
        kan_fidelity_find_cells(m->question->fidelity, m->compared, m->rows, cells, &are_disjoint);
    if (status == KAN_OK)
        status = are_disjoint || m->question->as_categories ? make_labels(m, cells) : make_drawn(m);
    kan_free(m->run, cells);
    return status;
}

/* ---- features ------------------------------------------------------------------------------- */

static kan_status make_feature(feature_maker *m) {
    const kan_fidelity_column *column = &m->question->compared[m->compared];
    const bool is_text = column->original->dictionary.type == KAN_TYPE_TEXT;
    kan_feature *feature = m->feature;
    feature->tested.column = column->original;
    feature->learnt.column = m->is_released ? column->released : column->original;
    feature->tested.n_codes = feature->tested.column->dictionary.n;
    feature->learnt.n_codes = feature->learnt.column->dictionary.n;
    /* what the original shows at labels is compared with what the release does at labels */
    feature->is_number =
        !is_text && !(m->is_released && m->question->as_categories &&
                      kan_fidelity_has_coarser(m->question->fidelity, m->compared));
    KAN_TRY(kan_alloc(m->run, feature->learnt.column->dictionary.n, sizeof *m->rows, &m->rows));
    KAN_TRY(kan_column_count_codes(m->run, feature->learnt.column, m->rows));
    return feature->is_number ? make_numbers(m) : make_categories(m);
}

kan_status kan_features_make(kan_run *run, const kan_classify_question *question, bool is_released,
                             kan_features *out) {
    *out = (kan_features){.run = run};
    KAN_TRY(kan_alloc_zero(run, question->n_features, sizeof *out->features, &out->features));
    out->n = question->n_features;
    for (size_t i = 0; i < out->n; i++) {
        feature_maker m = {.run = run,
                           .question = question,
                           .is_released = is_released,
                           .compared = question->features[i],
                           .feature = &out->features[i]};
        const kan_status status = make_feature(&m);
        kan_free(run, m.rows);
        KAN_TRY(status);
    }
    return KAN_OK;
}

static void destroy_values(kan_run *run, kan_seen_values *values) {
    kan_free(run, values->numbers);
    kan_free(run, values->is_missing);
    kan_free(run, values->places);
    kan_free(run, values->codes);
    kan_free(run, values->bins);
}

void kan_features_destroy(kan_features *features) {
    for (size_t i = 0; features->features && i < features->n; i++) {
        destroy_values(features->run, &features->features[i].learnt);
        destroy_values(features->run, &features->features[i].tested);
    }
    if (features->run)
        kan_free(features->run, features->features);
}

/* ---- designs -------------------------------------------------------------------------------- */

/* `by` says what becomes of a code; NULL: it stays. */
static kan_status add_term(kan_seen_design *d, const kan_seen_values *values, uint64_t n_rows,
                           const uint32_t *by, uint32_t n_codes) {
    uint32_t *codes;
    kan_design_term *term = &d->terms[d->design.n_terms++];
    KAN_TRY(kan_alloc(d->run, n_rows, sizeof *codes, &codes));
    *term = (kan_design_term){.codes = codes, .n_codes = n_codes};
    for (uint64_t row = 0; row < n_rows; row++) {
        const uint32_t code = kan_seen_code(values, row);
        codes[row] = by ? by[code] : code;
    }
    if (!by)
        term->numbers = values->numbers;
    return kan_check_cancel(d->run);
}

kan_status kan_seen_design_make(const kan_features *features, bool is_tested, uint64_t n_rows,
                                kan_seen_design *out) {
    *out = (kan_seen_design){.run = features->run};
    KAN_TRY(kan_alloc_zero(out->run, 2 * features->n, sizeof *out->terms, &out->terms));
    out->design = (kan_design){.terms = out->terms, .n_rows = n_rows};
    for (size_t i = 0; i < features->n; i++) {
        const kan_feature *feature = &features->features[i];
        const kan_seen_values *values = is_tested ? &feature->tested : &feature->learnt;
        if (!feature->is_number) {
            KAN_TRY(add_term(out, values, n_rows, values->places, feature->n_places));
            continue;
        }
        KAN_TRY(add_term(out, values, n_rows, NULL, values->n_codes));
        if (feature->has_missing)
            KAN_TRY(add_term(out, values, n_rows, values->is_missing, 2));
    }
    return KAN_OK;
}

void kan_seen_design_destroy(kan_seen_design *design) {
    for (size_t t = 0; t < design->design.n_terms; t++)
        kan_free(design->run, design->terms[t].codes);
    if (design->run)
        kan_free(design->run, design->terms);
}
