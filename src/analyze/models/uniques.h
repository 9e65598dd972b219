/* How many people of the population are unique, where the table is a random sample of it and the
 * population is not at hand: estimates from the histogram of group sizes.
 *
 * Let n be the rows of the sample, N the people, f_i the groups of i rows, u all groups, and
 * pi = n / N. Each estimator assumes that rows were drawn from the population at random, without
 * regard to their quasi-identifiers, and besides:
 *
 *   zayatz   (Zayatz 1991) that group sizes are distributed in the population as they are in the
 *            sample. By Bayes, a group that is unique in the sample is so in the population with
 *            the probability  f_1 h(1) / sum over i of f_i h(i),  h(i) being the hypergeometric
 *            probability that one of i people is drawn; the population has f_1 / pi times that.
 *            Tends to overestimate where the sample is small.
 *   pitman   (Hoshino 2001) that groups come about as in Pitman's sampling formula: person i+1 is
 *            like none before with probability (theta + u alpha) / (theta + i). theta and alpha by
 *            maximum likelihood, 0 <= alpha < 1, theta > -alpha; expected uniques of N people
 *            N (theta + alpha)_(N-1) / (theta + 1)_(N-1), with rising factorials.
 *   snb      (slide negative binomial; after Chen and Keller-McNulty 1998) that each group of the
 *            population has 1 + X people, X negative binomial with parameters a and p, and that
 *            each person is drawn with probability pi. a and p by maximum likelihood from the
 *            groups that were seen (f >= 1); groups K = u / P(f >= 1), uniques K p^a.
 *
 * Which one is told first follows Dankar, El Emam, Neisa and Roffey (2012): pitman where pi is at
 * most 0.1, else the smaller one of zayatz and snb. */
#ifndef KANON_ANALYZE_MODELS_UNIQUES_H
#define KANON_ANALYZE_MODELS_UNIQUES_H

#include "core/run.h"

typedef struct kan_size_count {
    uint64_t size, n_groups; /* so many groups have so many rows; neither is 0 */
} kan_size_count;

/* A histogram of group sizes, ascending by size, each size once. */
typedef struct kan_group_sizes {
    kan_run *run;
    size_t n;
    kan_size_count *counts;
    uint64_t n_suppressed; /* rows of nothing but *, in every column; in no group */
} kan_group_sizes;

typedef enum kan_estimator { KAN_ZAYATZ, KAN_PITMAN, KAN_SNB, KAN_ESTIMATORS } kan_estimator;

typedef struct kan_estimate {
    bool is_known;        /* false: the sample does not say enough for this model */
    double n_uniques;     /* people who are unique in the population; 0 .. N */
    double share;         /* of the population: n_uniques / N */
    double n_exposed;     /* rows of the sample that are unique in the population as well, as an
                             expected number; 0 .. f_1 */
    double first, second; /* parameters: theta, alpha; a, p; zayatz: the probability that a sample
                             unique is a population unique, 0 */
} kan_estimate;

typedef struct kan_estimates {
    double n_people, fraction; /* N, pi */
    uint64_t n_unique;         /* f_1. Without any, no row is unique in the population: 0 exposed */
    kan_estimate by[KAN_ESTIMATORS];
    bool has_chosen;
    kan_estimator chosen;
} kan_estimates;

/* n_people is at least the number of rows (else it counts as that). O(distinct sizes) times at most
 * some ten thousand steps. */
void kan_estimate_make(const kan_group_sizes *sizes, double n_people, kan_estimates *out);

/* "zayatz", "pitman", "snb"; and what it assumes, in one clause. */
const char *kan_estimator_name(kan_estimator estimator);
const char *kan_estimator_assumption(kan_estimator estimator);

#endif
