/* The individual risk of a sampled row (Benedetti and Franconi 1998; Franconi and Polettini 2004).
 *
 * A group has f rows of a sample; they stand for F people of the population, the sum of their weights.
 * Somebody who knows a person of the population, and that she is in the sample, links her to one of
 * the f rows. The number of people in the population who look alike is not known: given f, it is
 * taken for negative binomial with p = f / F. The risk is the expected value of 1 / that number:
 *
 *   r = p / f * 2F1(1, 1; f + 1; 1 - p), and 1 / f where F <= f.
 *
 * docs/papers/individual-risk.md has how it is computed, and why merging never raises it. */
#ifndef KANON_ANALYZE_VERIFY_INDIVIDUAL_H
#define KANON_ANALYZE_VERIFY_INDIVIDUAL_H

#include <stdint.h>

/* Of a row in a group of f rows, f >= 1, that stand for `people` people. Relative error below 1e-12
 * for f to 10^6 and p from 1e-9 to 1. At most some hundred steps. */
double kan_individual_risk(uint64_t f, double people);

#endif
