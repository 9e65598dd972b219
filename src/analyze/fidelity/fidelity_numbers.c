/* Mean, standard deviation and quantiles of weighted numbers. */
#include <math.h>
#include <stdlib.h>

#include "analyze/fidelity/fidelity_inside.h"
#include "core/hash.h"

const unsigned kan_quantiles[KAN_QUANTILES] = {0, 50, 250, 500, 750, 950, 1000};

static int compare(const void *a, const void *b) {
    const kan_weighted_number *x = a, *y = b;
    if (x->number != y->number)
        return (x->number > y->number) - (x->number < y->number);
    if (x->units != y->units)
        return (x->units > y->units) - (x->units < y->units);
    return (x->rows > y->rows) - (x->rows < y->rows);
}

void kan_weighted_numbers_sort(kan_weighted_number *numbers, size_t n) {
    qsort(numbers, n, sizeof *numbers, compare);
}

static void find_quantiles(const kan_weighted_number *numbers, size_t n, uint64_t known,
                           double *out) {
    size_t at = 0;
    uint64_t up_to = 0;
    for (size_t q = 0; q < KAN_QUANTILES; q++) {
        /* the least number with any weight is that of 0 */
        while (at < n &&
               (up_to == 0 || (kan_u128)up_to * 1000 < (kan_u128)known * kan_quantiles[q]))
            up_to += numbers[at++].units;
        out[q] = numbers[at - 1].number;
    }
}

void kan_number_summarize(const kan_weighted_number *numbers, size_t n, uint64_t units,
                          kan_number_summary *out) {
    uint64_t known = 0, rows = 0;
    double sum = 0, squares = 0;
    *out = (kan_number_summary){.known = 0};
    for (size_t i = 0; i < n; i++) {
        known += numbers[i].units;
        rows += numbers[i].rows;
        sum += (double)numbers[i].units * numbers[i].number;
    }
    out->known = (double)known / (double)units;
    if (known == 0)
        return;
    out->has_mean = true;
    out->mean = sum / (double)known;
    find_quantiles(numbers, n, known, out->quantiles);
    if (rows < 2)
        return;
    for (size_t i = 0; i < n; i++) {
        const double from_mean = numbers[i].number - out->mean;
        squares += (double)numbers[i].units * from_mean * from_mean;
    }
    out->has_deviation = true;
    out->deviation = sqrt(squares / (double)known * ((double)rows / (double)(rows - 1)));
}
