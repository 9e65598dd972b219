/* Estimates of population uniques: see uniques.h. Functions that a library computes one way on one machine
 * and another way on the next are made here. */
#include "privacy/uniques.h"

#include <math.h>

/* ---- logarithms and powers ------------------------------------------------------------------ */

static const double LN_2 = 0.693147180559945309417;

/* 2 artanh s, |s| <= 0.334. */
static double twice_artanh(double s) {
    enum { TERMS = 18 };
    const double square = s * s;
    double sum = 0;
    for (int k = TERMS; k > 0; k--)
        sum = sum * square + 1 / (double)(2 * k - 1);
    return 2 * s * sum;
}

/* x > 0 */
static double natural_log(double x) {
    int e;
    double m = frexp(x, &e); /* exact */
    if (m < 0.70710678118654752440) {
        m *= 2;
        e--;
    }
    return twice_artanh((m - 1) / (m + 1)) + e * LN_2;
}

/* log(1 + x), x > -1 */
static double log_above_one(double x) {
    return x > -0.4 && x < 0.9 ? twice_artanh(x / (2 + x)) : natural_log(1 + x);
}

/* e^x - 1 of |x| <= 0.35. */
static double small_power(double x) {
    enum { TERMS = 18 };
    double sum = 0;
    for (int k = TERMS; k > 0; k--)
        sum = x / k * (1 + sum);
    return sum;
}

static double power(double x) {
    static const double high = 0x1.62e42fefa38p-1, low = 0x1.ef35793c7673p-45;
    if (x < -700)
        return 0;
    if (x > 700)
        return INFINITY;
    const double n = floor(x / LN_2 + 0.5);
    return ldexp(1 + small_power((x - n * high) - n * low), (int)n);
}

/* e^x - 1 */
static double power_less_one(double x) {
    return x > -0.35 && x < 0.35 ? small_power(x) : power(x) - 1;
}

/* ---- rising factorials ---------------------------------------------------------------------- */

/* What Stirling's formula lacks, x >= 20. */
static double stirling_rest(double x) {
    const double square = 1 / (x * x);
    return (1.0 / 12 - square * (1.0 / 360 - square / 1260)) / x;
}

/* log of x (x + 1) ... (x + n - 1), x > 0. */
static double log_rising(double x, double n) {
    double end = x + n, sum = 0;
    for (; x < 20; x++, n--)
        sum += natural_log(x);
    for (; end < 20; end++, n++)
        sum -= natural_log(end);
    return sum + (x - 0.5) * log_above_one(n / x) + n * natural_log(end) - n + stirling_rest(end) -
           stirling_rest(x);
}

/* ---- the likeliest -------------------------------------------------------------------------- */

typedef double (*curve_fn)(const void *context, double x);

/* The best point of a grid, then golden section between its neighbours. */
static double find_peak(curve_fn curve, const void *context, double low, double high) {
    enum { GRID = 28, SECTIONS = 34 };
    const double golden = 0.6180339887498949, step = (high - low) / GRID;
    double best = low, most = -INFINITY;
    for (int i = 0; i <= GRID; i++) {
        const double x = low + i * step, y = curve(context, x);
        if (y > most) {
            most = y;
            best = x;
        }
    }
    double a = best - step > low ? best - step : low, b = best + step < high ? best + step : high;
    double x1 = b - golden * (b - a), x2 = a + golden * (b - a);
    double y1 = curve(context, x1), y2 = curve(context, x2);
    for (int i = 0; i < SECTIONS; i++) {
        if (y1 < y2) {
            a = x1;
            x1 = x2;
            y1 = y2;
            x2 = a + golden * (b - a);
            y2 = curve(context, x2);
        } else {
            b = x2;
            x2 = x1;
            y2 = y1;
            x1 = b - golden * (b - a);
            y1 = curve(context, x1);
        }
    }
    return (a + b) / 2;
}

/* ---- a sample ------------------------------------------------------------------------------- */

typedef struct {
    const kan_uniques_sample *of;
    double n_rows, n_groups, n_unique, n_people, fraction;
} sample;

static sample read_sample(const kan_uniques_sample *of) {
    sample s = {.of = of};
    for (size_t i = 0; i < of->n; i++) {
        s.n_groups += (double)of->n_of[i];
        s.n_rows += (double)of->n_of[i] * (double)of->size[i];
        if (of->size[i] == 1)
            s.n_unique = (double)of->n_of[i];
    }
    s.n_people = of->n_people > s.n_rows ? of->n_people : s.n_rows;
    s.fraction = s.n_rows / s.n_people;
    return s;
}

/* Of so many uniques, which are between nobody and all. */
static double share_of(const sample *s, double n_uniques) {
    if (!isfinite(n_uniques))
        return INFINITY;
    return n_uniques < 0 ? 0 : n_uniques > s->n_people ? 1 : n_uniques / s->n_people;
}

static double zayatz(const sample *s) {
    const double n_left_out = s->n_people - s->n_rows;
    double sum = 0;
    for (size_t i = 0; i < s->of->n; i++) {
        const double size = (double)s->of->size[i];
        if (size > n_left_out + 1)
            continue; /* exactly one of them cannot have been drawn */
        sum += (double)s->of->n_of[i] * size *
               power(log_rising(n_left_out - size + 2, size - 1) -
                     log_rising(s->n_people - size + 1, size - 1));
    }
    return share_of(s, sum > 0 ? s->n_unique / s->fraction * s->n_unique / sum : 0);
}

/* ---- Pitman --------------------------------------------------------------------------------- */

typedef struct {
    const sample *sample;
    double alpha, of_alpha;
} pitman;

/* theta + alpha = e^t */
static double pitman_at(const void *context, double t) {
    const pitman *p = context;
    const double above = power(t), theta = above - p->alpha, others = p->sample->n_groups - 1;
    const double groups =
        p->alpha < 1e-9 ? others * natural_log(theta > 1e-300 ? theta : 1e-300)
                        : others * natural_log(p->alpha) + log_rising(above / p->alpha, others);
    return groups - log_rising(theta + 1, p->sample->n_rows - 1) + p->of_alpha;
}

static pitman pitman_of(const sample *s, double alpha) {
    pitman p = {s, alpha, 0};
    for (size_t i = 0; i < s->of->n; i++)
        if (s->of->size[i] > 1)
            p.of_alpha +=
                (double)s->of->n_of[i] * log_rising(1 - alpha, (double)s->of->size[i] - 1);
    return p;
}

static double pitman_best(const pitman *p) {
    return find_peak(pitman_at, p, -18, 42);
}

static double pitman_by_alpha(const void *context, double alpha) {
    const pitman p = pitman_of(context, alpha);
    return pitman_at(&p, pitman_best(&p));
}

static double pitman_share(const sample *s) {
    const double alpha = find_peak(pitman_by_alpha, s, 0, 1 - 1e-6);
    const pitman p = pitman_of(s, alpha);
    const double above = power(pitman_best(&p)), others = s->n_people - 1;
    return share_of(
        s, s->n_people * power(log_rising(above, others) - log_rising(above + 1 - alpha, others)));
}

/* ---- slide negative binomial ---------------------------------------------------------------- */

typedef struct {
    const sample *sample;
    double a, of_a;
} slide;

static double logistic(double x) {
    return 1 / (1 + power(-x));
}

static double slide_at(const void *context, double x) {
    const slide *at = context;
    const sample *s = at->sample;
    const double q = logistic(x), log_p = natural_log(logistic(-x)), pi = s->fraction;
    double sum =
        at->of_a + s->n_groups * at->a * log_p + (s->n_rows - s->n_groups) * natural_log(q);
    for (size_t i = 0; i < s->of->n; i++) {
        const double size = (double)s->of->size[i];
        sum += (double)s->of->n_of[i] * natural_log(pi + (1 - pi) * q * (at->a + size - 1) / size);
    }
    return sum - s->n_groups * natural_log(-power_less_one(log_above_one(-pi) + at->a * log_p));
}

static slide slide_of(const sample *s, double log_a) {
    slide at = {s, power(log_a), 0};
    for (size_t i = 0; i < s->of->n; i++)
        if (s->of->size[i] > 1) {
            const double more = (double)s->of->size[i] - 1;
            at.of_a += (double)s->of->n_of[i] * (log_rising(at.a, more) - log_rising(1, more));
        }
    return at;
}

static double slide_best(const slide *at) {
    return find_peak(slide_at, at, -25, 25);
}

static double slide_by_a(const void *context, double log_a) {
    const slide at = slide_of(context, log_a);
    return slide_at(&at, slide_best(&at));
}

static double slide_share(const sample *s) {
    const slide at = slide_of(s, find_peak(slide_by_a, s, -14, 9));
    const double x = slide_best(&at), q = logistic(x), pi = s->fraction;
    const double n_groups =
        s->n_groups / -power_less_one(log_above_one(-pi) + at.a * natural_log(logistic(-x)));
    const double p = pi * logistic(-x) / (pi + q * (1 - pi));
    return share_of(s, n_groups * power(at.a * natural_log(p)));
}

/* ---- the rule ------------------------------------------------------------------------------- */

double kan_uniques_share(const kan_uniques_sample *of) {
    static const double few = 0.1;
    const sample s = read_sample(of);
    const bool has_likeliest = s.n_unique < s.n_rows && s.n_groups >= 2;
    if (s.n_unique <= 0)
        return 0;
    if (s.fraction >= 1)
        return share_of(&s, s.n_unique); /* the sample is the population */
    if (s.fraction <= few && has_likeliest) {
        const double share = pitman_share(&s);
        return isfinite(share) ? share : zayatz(&s);
    }
    const double by_zayatz = zayatz(&s);
    const double by_slide = s.fraction > few && has_likeliest ? slide_share(&s) : INFINITY;
    return by_slide < by_zayatz ? by_slide : by_zayatz;
}
