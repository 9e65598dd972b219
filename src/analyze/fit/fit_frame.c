/* The design as it is added up: columns numbered, numbers centred and scaled. */
#include <math.h>

#include "analyze/fit/fit_inside.h"
#include "core/memory.h"

size_t kan_design_first_column(const kan_design *design, size_t term) {
    size_t column = 1;
    for (size_t t = 0; t < term; t++) {
        const kan_design_term *before = &design->terms[t];
        column += before->numbers ? 1 : before->n_codes > 0 ? before->n_codes - 1 : 0;
    }
    return column;
}

size_t kan_design_width(const kan_design *design) {
    const size_t width = kan_design_first_column(design, design->n_terms);
    return width <= KAN_DESIGN_MOST_COLUMNS ? width : SIZE_MAX;
}

static double weight_of(const kan_design *design, uint64_t row) {
    return design->weights ? design->weights[row] : 1;
}

/* Mean and standard deviation, from how much each code weighs. */
static kan_status scale_term(kan_fit_frame *frame, const kan_design_term *from, kan_fit_term *to) {
    const kan_design *design = frame->question->design;
    double *weights = NULL, sum = 0, squares = 0, most = 0;
    KAN_TRY(kan_alloc_zero(frame->run, from->n_codes, sizeof *weights, &weights));
    for (uint64_t row = 0; row < design->n_rows; row++)
        weights[from->codes[row]] += weight_of(design, row);
    for (uint32_t code = 0; code < from->n_codes; code++)
        sum += weights[code] * from->numbers[code];
    to->mean = sum / frame->total;
    for (uint32_t code = 0; code < from->n_codes; code++) {
        const double off = from->numbers[code] - to->mean;
        squares += weights[code] * off * off;
        if (weights[code] > 0)
            most = fmax(most, fabs(from->numbers[code]));
    }
    kan_free(frame->run, weights);
    to->deviation = sqrt(squares / frame->total);
    KAN_TRY(kan_alloc(frame->run, from->n_codes, sizeof *to->numbers, &to->numbers));
    const bool is_constant = !(to->deviation > 1e-13 * most); /* what rounding left of it */
    for (uint32_t code = 0; code < from->n_codes; code++)
        to->numbers[code] = is_constant ? 0 : (from->numbers[code] - to->mean) / to->deviation;
    to->deviation = is_constant ? 1 : to->deviation;
    return KAN_OK;
}

kan_status kan_fit_frame_make(kan_run *run, const kan_fit_question *question, kan_fit_frame *out) {
    const kan_design *design = question->design;
    *out = (kan_fit_frame){.run = run, .question = question, .n = kan_design_width(design)};
    KAN_ASSERT(out->n != SIZE_MAX);
    for (uint64_t row = 0; row < design->n_rows; row++) {
        const double weight = weight_of(design, row);
        out->n_rows += weight > 0;
        out->total += weight;
    }
    KAN_ASSERT(out->total > 0);
    KAN_TRY(kan_alloc_zero(run, design->n_terms, sizeof *out->terms, &out->terms));
    for (size_t t = 0; t < design->n_terms; t++) {
        const kan_design_term *from = &design->terms[t];
        out->terms[t] = (kan_fit_term){
            .codes = from->codes, .first = kan_design_first_column(design, t), .deviation = 1};
        if (from->numbers)
            KAN_TRY(scale_term(out, from, &out->terms[t]));
    }
    return KAN_OK;
}

void kan_fit_frame_destroy(kan_fit_frame *frame) {
    for (size_t t = 0; frame->terms && t < frame->question->design->n_terms; t++)
        kan_free(frame->run, frame->terms[t].numbers);
    kan_free(frame->run, frame->terms);
}
