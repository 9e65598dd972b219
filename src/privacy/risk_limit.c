/* r = p / (f - u1 q / (f + 1 - u2 q / (f + 2 - ...))) with p = f / F, q = 1 - p, u1 = f, u2 = f,
 * u3 = 2 (f + 1), u4 = 2 (f + 1), ...: Gauss's continued fraction of 2F1(1, 1; f + 1; q). Some sixty
 * steps are enough where p is not small, or f is large. Elsewhere f is below MANY, and p I(f) is found
 * step by step from I(1) = -log(p) / q: see docs/papers/individual-risk.md. */
#include "privacy/risk_limit.h"

#include <math.h>

enum { MANY = 40, STEPS = 90 };
static const double SMALL_P = 0.1, MARGIN = 1e-12, NEAR = 1e-13;

/* ---- the risk ------------------------------------------------------------------------------- */

/* By x = m / 2^e and the series of artanh. */
double kan_risk_minus_log(double x) {
    static const double log_2 = 0.693147180559945309417, root_half = 0.70710678118654752440;
    enum { TERMS = 14 };
    int e;
    double m = frexp(x, &e); /* exact */
    if (m < root_half) {
        m *= 2;
        e--;
    }
    const double s = (1 - m) / (1 + m), square = s * s;
    double sum = 0;
    for (int k = TERMS; k > 0; k--)
        sum = sum * square + 1 / (double)(2 * k - 1);
    return 2 * s * sum - e * log_2;
}

double kan_risk_minus_log_rest(double r) {
    enum { TERMS = 20 };
    if (r > 0.5)
        return kan_risk_minus_log(1 - r); /* the difference is exact */
    const double s = r / (2 - r), square = s * s;
    double sum = 0;
    for (int k = TERMS; k > 0; k--)
        sum = sum * square + 1 / (double)(2 * k - 1);
    return 2 * s * sum;
}

static double by_fraction(double f, double p, double q) {
    double below = f + STEPS;
    for (int n = STEPS; n > 0; n--) {
        const int i = (n + 1) / 2, j = (n - 1) / 2;
        below = f + n - 1 - i * (f + j) * q / below;
    }
    return p / below;
}

static double by_steps(uint64_t f, double p, double q) {
    double integral = kan_risk_minus_log(p) / q;
    for (uint64_t i = 1; i < f; i++)
        integral = (1 / (double)i - p * integral) / q;
    return p * integral;
}

double kan_risk_of_rows(uint64_t f, double people) {
    const double rows = (double)f;
    if (people <= rows)
        return 1 / rows;
    const double p = rows / people, q = (people - rows) / people;
    return f >= MANY || p >= SMALL_P ? by_fraction(rows, p, q) : by_steps(f, p, q);
}

uint64_t kan_risk_units(const kan_sampling *sampling, const kan_groups *groups, size_t g) {
    const kan_tally *tally = &groups->tallies[sampling->tail];
    uint64_t units = 0;
    for (size_t i = tally->start[g]; i < tally->start[g + 1]; i++)
        units += tally->count[i] * sampling->units[tally->value[i]];
    return units;
}

/* ---- the limit ------------------------------------------------------------------------------ */

typedef struct {
    double most;                    /* R, less the margin */
    double one;                     /* units of a person */
    uint64_t least, highest, total; /* units of a row, and of all */
    uint64_t all;                   /* rows: 1 / f is at most R from here on */
} bounds;

static bool keeps(const bounds *b, uint64_t f, double units) {
    return f >= b->all || kan_risk_of_rows(f, units / b->one) <= b->most;
}

/* The most units that f rows can have, and the fewest. */
static double most_units(const bounds *b, uint64_t f) {
    const kan_u128 units = (kan_u128)f * b->highest;
    return (double)(units < b->total ? (uint64_t)units : b->total);
}
static double fewest_units(const bounds *b, uint64_t f) {
    return (double)f * (double)b->least;
}

/* The first f of which some group, or every group, passes; both once do for all that are larger. */
static uint64_t find_first(const bounds *b, double (*units)(const bounds *, uint64_t)) {
    uint64_t low = 0, high = b->all;
    while (low + 1 < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (keeps(b, middle, units(b, middle)))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* `high` passes. */
static double find_least(const bounds *b, uint64_t f, double high) {
    double low = (double)f * b->one;
    while (high - low > high * NEAR) {
        const double middle = low + (high - low) / 2;
        if (keeps(b, f, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

static kan_status fill(kan_run *run, const bounds *b, const kan_risk_limit *limit,
                       uint64_t *least) {
    enum { BETWEEN_CHECKS = 4096 };
    double high = 2 * (double)b->total; /* more than any group has */
    for (uint64_t f = limit->first; f < limit->end; f++) {
        if (f % BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(run));
        if (keeps(b, f, high))
            high = find_least(b, f, high);
        least[f - limit->first] = (uint64_t)ceil(high);
    }
    return KAN_OK;
}

static void find_weights(const kan_sampling *sampling, bounds *b) {
    b->least = UINT64_MAX;
    for (uint32_t v = 0; v < sampling->n_values; v++) {
        const uint64_t units = sampling->units[v];
        b->least = units < b->least ? units : b->least;
        b->highest = units > b->highest ? units : b->highest;
    }
}

kan_status kan_risk_limit_make(kan_run *run, kan_arena *arena, const kan_fraction *most,
                               const kan_sampling *sampling, uint64_t n_rows, kan_risk_limit *out) {
    bounds b = {.most = (double)most->numerator / (double)most->denominator * (1 - MARGIN),
                .one = sampling->one,
                .total = sampling->total,
                .all = (most->denominator - 1) / most->numerator + 1};
    uint64_t *least;
    find_weights(sampling, &b);
    *out =
        (kan_risk_limit){.first = find_first(&b, most_units), .end = find_first(&b, fewest_units)};
    out->end = out->end > n_rows ? n_rows + 1 : out->end;
    out->first = out->first > out->end ? out->end : out->first;
    KAN_TRY(kan_arena_alloc(arena, out->end - out->first + 1, sizeof *least, &least));
    out->least = least;
    return fill(run, &b, out, least);
}
