/* How many people of a population are unique, estimated from the sizes of the groups of a sample: the
 * rule of Dankar and others (2012), which docs/papers/population-uniques.md has, with every step of the
 * search for the likeliest parameters, so that the recount can follow it by other code. All of it is made
 * of + - * / alone, so that a release is the same on every machine. */
#ifndef KANON_PRIVACY_UNIQUES_H
#define KANON_PRIVACY_UNIQUES_H

#include "core/hash.h"
#include "core/run.h"

/* Groups by their size, ascending, each size once; the first is 1. */
typedef struct kan_uniques_sample {
    size_t n;
    const size_t *size;
    const kan_u128 *n_of; /* groups of that size */
    double n_people;      /* of the population; fewer than the rows: it counts as these */
} kan_uniques_sample;

/* The estimated share of the population that is unique in it; INFINITY where there is no estimate. Some
 * thousand steps, each over all sizes. */
double kan_uniques_share(const kan_uniques_sample *sample);

#endif
