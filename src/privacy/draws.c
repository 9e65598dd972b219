/* The least k of drawn rows.
 *
 * With q = e^-E, b = 1 - q and c = 1 - q^2, k is enough when of any n >= k/c - 1 rows, each drawn with
 * probability b, more than c n are drawn with probability D at most. That probability is at most
 * (e^-r)^n, with r = c ln(1 + q) - q^2 E (Chernoff): from the n on where this is below D nothing has to be
 * looked at, and the last n before it with a larger probability decides. Each n costs O(n). */
#include "privacy/draws.h"

/* Relative; what rounding can come to is below a thousandth of it. */
#define MARGIN 1e-9
/* The same of single numbers that are made of a few dozen operations. */
#define CLOSE 1e-12

typedef struct {
    double q, b, c; /* of the head of this file */
    double odds;    /* b / q = e^E - 1 */
} constants;

/* e^x - 1 of x > 0: all terms are positive. */
static double grown(double x) {
    double term = x, sum = x;
    for (int i = 2; term > sum * 1e-20; i++) {
        term *= x / i;
        sum += term;
    }
    return sum;
}

/* ln(1 + q) of 0 < q < 1, from below: twice the inverse hyperbolic tangent of q / (2 + q). */
static double log_one_more(double q) {
    const double z = q / (2 + q);
    double power = z, sum = 0;
    for (int i = 1; i < 80; i += 2) {
        sum += power / i;
        power *= z * z;
    }
    return 2 * sum;
}

static constants constants_of(double epsilon) {
    constants of;
    of.odds = grown(epsilon);
    of.q = 1 / (1 + of.odds);
    of.b = of.odds * of.q;
    of.c = of.b * (1 + of.q);
    return of;
}

/* Whether more than c n of n are drawn with a probability above delta, or nearly so. Terms of the
 * binomial distribution, as multiples of its largest: those that are too small to be kept make the sum
 * of all smaller, and the answer yes. */
static bool is_above(const constants *of, uint64_t n, double delta) {
    const uint64_t most = (uint64_t)(of->c * (double)n * (1 - CLOSE));
    const uint64_t peak = (uint64_t)(of->b * (double)(n + 1));
    double term = 1, all = 0, above = 0;
    for (uint64_t j = peak; j <= n && term > 1e-300; j++) {
        all += term;
        above += j > most ? term : 0;
        term *= (double)(n - j) / (double)(j + 1) * of->odds;
    }
    term = 1;
    for (uint64_t j = peak; j > 0 && term > 1e-300; j--) {
        term *= (double)j / ((double)(n - j + 1) * of->odds);
        all += term;
        above += j - 1 > most ? term : 0;
    }
    return above * (1 + MARGIN) > delta * all;
}

/* From which n on the probability is below delta, whatever n is. */
static uint64_t first_far(const constants *of, double epsilon, double delta) {
    const double rate = (of->c * log_one_more(of->q) - of->q * of->q * epsilon) * (1 - MARGIN);
    const double factor = (1 + CLOSE) / (1 + grown(rate));
    double bound = 1;
    uint64_t n = 0;
    for (; bound > delta; n++)
        bound *= factor;
    return n;
}

kan_draws kan_draws_make(double epsilon, double delta) {
    const constants of = constants_of(epsilon);
    uint64_t n = first_far(&of, epsilon, delta);
    while (n > 0 && !is_above(&of, n, delta))
        n--;
    kan_draws draws = {.epsilon = epsilon, .delta = delta};
    draws.k = (uint64_t)(of.c * (double)(n + 1) * (1 + CLOSE)) + 1;
    draws.rate = (uint64_t)(of.b * (double)KAN_DRAW_OF * (1 - CLOSE));
    draws.share = (double)draws.rate / (double)KAN_DRAW_OF;
    return draws;
}
