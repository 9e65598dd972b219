/* Estimates of population uniques; the models are told in uniques.h.
 *
 * Both likelihoods have two parameters. One is walked through by a grid and then by golden section,
 * and for each of its values the other is found the same way. Sums over the histogram that do not
 * depend on the inner parameter are made once per outer one. What is left of gamma functions are
 * rising factorials, computed as differences so that nothing large cancels. */
#include "analyze/models/uniques.h"

#include <math.h>

/* ---- rising factorials ---------------------------------------------------------------------- */

/* Stirling's series without its leading terms; exact enough from 20 on. */
static double stirling_rest(double x) {
    KAN_ASSERT(x >= 20);
    const double square = 1 / (x * x);
    return (1.0 / 12 - square * (1.0 / 360 - square / 1260)) / x;
}

/* log of x (x+1) ... (x+n-1): log gamma(x+n) - log gamma(x); x > 0, n >= 0. */
static double log_rising(double x, double n) {
    KAN_ASSERT(x > 0 && n >= 0);
    double end = x + n, between = n, sum = 0;
    for (; x < 20; x++, between--)
        sum += log(x);
    for (; end < 20; end++, between++)
        sum -= log(end);
    return sum + (x - 0.5) * log1p(between / x) + between * log(end) - between +
           stirling_rest(end) - stirling_rest(x);
}

/* ---- the largest value of a function -------------------------------------------------------- */

typedef double (*curve_fn)(const void *context, double x);

enum { GRID = 28, SECTIONS = 34 };

/* Where the function is largest between lo and hi: the best point of a grid, then golden section
 * between its neighbours. */
static double find_peak(curve_fn curve, const void *context, double lo, double hi) {
    const double golden = 0.6180339887498949, step = (hi - lo) / GRID;
    double best = lo, most = -INFINITY;
    for (int i = 0; i <= GRID; i++) {
        const double height = curve(context, lo + i * step);
        if (height > most) {
            most = height;
            best = lo + i * step;
        }
    }
    double a = fmax(lo, best - step), b = fmin(hi, best + step);
    double x = b - golden * (b - a), y = a + golden * (b - a);
    double at_x = curve(context, x), at_y = curve(context, y);
    for (int i = 0; i < SECTIONS; i++) {
        if (at_x < at_y) {
            a = x;
            x = y;
            at_x = at_y;
            y = a + golden * (b - a);
            at_y = curve(context, y);
        } else {
            b = y;
            y = x;
            at_y = at_x;
            x = b - golden * (b - a);
            at_x = curve(context, x);
        }
    }
    return (a + b) / 2;
}

/* ---- a sample ------------------------------------------------------------------------------- */

typedef struct {
    const kan_group_sizes *sizes;
    double n_rows, n_groups, n_unique; /* n, u, f_1 */
    double n_people, fraction;         /* N, pi */
} sample;

static sample read_sample(const kan_group_sizes *sizes, double n_people) {
    sample s = {.sizes = sizes};
    for (size_t i = 0; i < sizes->n; i++) {
        const double n_groups = (double)sizes->counts[i].n_groups;
        s.n_groups += n_groups;
        s.n_rows += n_groups * (double)sizes->counts[i].size;
        if (sizes->counts[i].size == 1)
            s.n_unique = n_groups;
    }
    s.n_people = fmax(n_people, s.n_rows);
    s.fraction = s.n_people > 0 ? s.n_rows / s.n_people : 1;
    return s;
}

static kan_estimate tell(const sample *s, double n_uniques, double first, double second) {
    if (!isfinite(n_uniques))
        return (kan_estimate){0};
    const double bounded = fmin(fmax(n_uniques, 0), s->n_people);
    return (kan_estimate){.is_known = true,
                          .n_uniques = bounded,
                          .share = s->n_people > 0 ? bounded / s->n_people : 0,
                          .n_exposed = fmin(bounded * s->fraction, s->n_unique),
                          .first = first,
                          .second = second};
}

/* ---- Zayatz --------------------------------------------------------------------------------- */

/* The probability that exactly one of i people is drawn, over that for one person. */
static double one_drawn(const sample *s, double i) {
    const double n_left_out = s->n_people - s->n_rows;
    if (i > n_left_out + 1)
        return 0;
    return i * exp(log_rising(n_left_out - i + 2, i - 1) - log_rising(s->n_people - i + 1, i - 1));
}

static kan_estimate estimate_zayatz(const sample *s) {
    double sum = 0;
    for (size_t i = 0; i < s->sizes->n; i++)
        sum +=
            (double)s->sizes->counts[i].n_groups * one_drawn(s, (double)s->sizes->counts[i].size);
    const double probability = sum > 0 ? s->n_unique / sum : 0;
    return tell(s, s->n_unique / s->fraction * probability, probability, 0);
}

/* ---- Pitman --------------------------------------------------------------------------------- */

typedef struct {
    const sample *sample;
    double alpha, of_alpha; /* what the likelihood owes to alpha alone */
} pitman;

/* theta = exp(t) - alpha */
static double pitman_theta(const void *context, double t) {
    const pitman *p = context;
    const double theta = exp(t) - p->alpha, u = p->sample->n_groups, alpha = p->alpha;
    const double groups = alpha < 1e-9 ? (u - 1) * log(fmax(theta, 1e-300))
                                       : (u - 1) * log(alpha) + log_rising(exp(t) / alpha, u - 1);
    return groups - log_rising(theta + 1, p->sample->n_rows - 1) + p->of_alpha;
}

static pitman pitman_at(const sample *s, double alpha) {
    pitman p = {s, alpha, 0};
    for (size_t i = 0; i < s->sizes->n; i++)
        if (s->sizes->counts[i].size > 1)
            p.of_alpha += (double)s->sizes->counts[i].n_groups *
                          log_rising(1 - alpha, (double)s->sizes->counts[i].size - 1);
    return p;
}

static double pitman_peak(const pitman *p) {
    return find_peak(pitman_theta, p, -18, 42);
}

static double pitman_alpha(const void *context, double alpha) {
    const pitman p = pitman_at(context, alpha);
    return pitman_theta(&p, pitman_peak(&p));
}

/* Where every row is unique, or there is one group alone, no parameters are the most likely ones.
 */
static kan_estimate estimate_pitman(const sample *s) {
    if (s->n_unique == s->n_rows || s->n_groups < 2)
        return (kan_estimate){0};
    const double alpha = find_peak(pitman_alpha, s, 0, 1 - 1e-6);
    const pitman p = pitman_at(s, alpha);
    const double above = exp(pitman_peak(&p)), others = s->n_people - 1; /* theta + alpha */
    return tell(
        s, s->n_people * exp(log_rising(above, others) - log_rising(above + 1 - alpha, others)),
        above - alpha, alpha);
}

/* ---- slide negative binomial ---------------------------------------------------------------- */

/* A group of the sample has B + M rows: B is 1 with probability pi, and M is what sampling leaves
 * of X, negative binomial again with a and p' = p / (1 - q (1 - pi)), q' = 1 - p'. */
typedef struct {
    const sample *sample;
    double a, of_a; /* what the likelihood owes to a alone */
} slide;

static double logistic(double x) {
    return 1 / (1 + exp(-x));
}

/* q' = 1 / (1 + exp(-x)) */
static double slide_q(const void *context, double x) {
    const slide *at = context;
    const sample *s = at->sample;
    const double q = logistic(x), log_p = log(logistic(-x)), pi = s->fraction;
    double sum = at->of_a + s->n_groups * at->a * log_p + (s->n_rows - s->n_groups) * log(q);
    for (size_t i = 0; i < s->sizes->n; i++) {
        const double size = (double)s->sizes->counts[i].size;
        sum += (double)s->sizes->counts[i].n_groups *
               log(pi + (1 - pi) * q * (at->a + size - 1) / size);
    }
    return sum - s->n_groups * log(-expm1(log1p(-pi) + at->a * log_p));
}

static slide slide_at(const sample *s, double log_a) {
    slide at = {s, exp(log_a), 0};
    for (size_t i = 0; i < s->sizes->n; i++)
        if (s->sizes->counts[i].size > 1) {
            const double more = (double)s->sizes->counts[i].size - 1;
            at.of_a += (double)s->sizes->counts[i].n_groups *
                       (log_rising(at.a, more) - log_rising(1, more));
        }
    return at;
}

static double slide_peak(const slide *at) {
    return find_peak(slide_q, at, -25, 25);
}

static double slide_a(const void *context, double log_a) {
    const slide at = slide_at(context, log_a);
    return slide_q(&at, slide_peak(&at));
}

static kan_estimate estimate_slide(const sample *s) {
    if (s->n_unique == s->n_rows || s->n_groups < 2)
        return (kan_estimate){0};
    const slide at = slide_at(s, find_peak(slide_a, s, -14, 9));
    const double x = slide_peak(&at), q = logistic(x), pi = s->fraction;
    const double n_groups = s->n_groups / -expm1(log1p(-pi) + at.a * log(logistic(-x)));
    /* p of the population, from p' */
    const double p = pi * logistic(-x) / (pi + q * (1 - pi));
    return tell(s, n_groups * exp(at.a * log(p)), at.a, p);
}

/* ---- all of them ---------------------------------------------------------------------------- */

static void choose(kan_estimates *e) {
    const kan_estimate *by = e->by;
    e->has_chosen = true;
    if (e->fraction <= 0.1 && by[KAN_PITMAN].is_known)
        e->chosen = KAN_PITMAN;
    else if (e->fraction > 0.1 && by[KAN_SNB].is_known &&
             by[KAN_SNB].n_uniques < by[KAN_ZAYATZ].n_uniques)
        e->chosen = KAN_SNB;
    else
        e->chosen = KAN_ZAYATZ;
}

void kan_estimate_make(const kan_group_sizes *sizes, double n_people, kan_estimates *out) {
    const sample s = read_sample(sizes, n_people);
    kan_estimates made = {
        .n_people = s.n_people, .fraction = s.fraction, .n_unique = (uint64_t)s.n_unique};
    if (s.n_rows > 0 && s.fraction >= 1) {
        /* The sample is the population: nothing is left to be estimated. */
        for (int i = 0; i < KAN_ESTIMATORS; i++)
            made.by[i] = tell(&s, s.n_unique, 0, 0);
    } else if (s.n_unique > 0) {
        made.by[KAN_ZAYATZ] = estimate_zayatz(&s);
        made.by[KAN_PITMAN] = estimate_pitman(&s);
        made.by[KAN_SNB] = estimate_slide(&s);
    } else if (s.n_rows > 0) {
        made.by[KAN_ZAYATZ] = tell(&s, 0, 0, 0);
    }
    if (made.by[KAN_ZAYATZ].is_known)
        choose(&made);
    *out = made;
}

const char *kan_estimator_name(kan_estimator estimator) {
    static const char *const names[] = {"zayatz", "pitman", "snb"};
    return names[estimator];
}

const char *kan_estimator_assumption(kan_estimator estimator) {
    static const char *const assumptions[] = {
        "group sizes are distributed in the population as they are in the table (Zayatz)",
        "groups come about as in Pitman's sampling formula (Hoshino)",
        "each group has one person and a negative binomial number of others (SNB)",
    };
    return assumptions[estimator];
}
