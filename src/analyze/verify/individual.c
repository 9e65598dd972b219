/* r = p I(f), where I(f) is the integral of u^(f - 1) / (p + q u) from 0 to 1, and q = 1 - p.
 *
 * The series of 2F1 has the terms n! f! / (f + n)! q^n, all positive: each is q (n + 1) / (f + n + 1)
 * times the one before, so they fall fast where q is small, or f large. Where neither holds, f is
 * below MANY and p below 1 - NEAR: there q I(f + 1) = 1 / f - p I(f) leads up from q I(1) = -log p.
 * Each step takes a part p / q of the error before it along, and subtracts at most 0.26 of what it is
 * subtracted from, so nothing is lost. */
#include "analyze/verify/individual.h"

#include <math.h>

enum { MANY = 40, MOST_TERMS = 1000 };
static const double NEAR = 0.9;

static double series(double f, double q) {
    double term = 1, sum = 1;
    for (int n = 0; n < MOST_TERMS && term > sum * 1e-17; n++) {
        term *= q * (n + 1) / (f + n + 1);
        sum += term;
    }
    return sum;
}

static double climb(uint64_t f, double p, double q) {
    double integral = -log(p) / q;
    for (uint64_t i = 1; i < f; i++)
        integral = (1 / (double)i - p * integral) / q;
    return integral;
}

double kan_individual_risk(uint64_t f, double people) {
    const double rows = (double)f;
    if (people <= rows)
        return 1 / rows;
    const double p = rows / people, q = (people - rows) / people;
    return f >= MANY || q <= NEAR ? p / rows * series(rows, q) : p * climb(f, p, q);
}
