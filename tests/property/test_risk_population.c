/* Estimates of population uniques against simulated populations, whose uniques are known.
 *
 * Each model is first given a population of its own kind: the mean of its estimates over a few
 * samples must be near the truth. Then the parameters that were found are held against others: by
 * the likelihood as it is defined, product by product, none is better. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/models/uniques.h"
#include "analyze/risk/risk_groups.h"
#include "core/hash.h"
#include "support/plain.h"

enum { MOST_PEOPLE = 60000, SEEDS = 6 };

/* A population: the group of each person; and what a sample of it has of each group. */
typedef struct {
    size_t n_people, n_groups;
    uint32_t group_of[MOST_PEOPLE];
    uint64_t size[MOST_PEOPLE], drawn[MOST_PEOPLE];
} town;

static double unit(uint64_t *random) {
    return (double)(kan_random(random) >> 11) / 9007199254740992.0;
}

static size_t count_uniques(const town *t) {
    size_t n = 0;
    for (size_t g = 0; g < t->n_groups; g++)
        n += t->size[g] == 1;
    return n;
}

static void add_group(town *t, uint64_t size) {
    for (uint64_t i = 0; i < size && t->n_people < MOST_PEOPLE; i++) {
        t->group_of[t->n_people++] = (uint32_t)t->n_groups;
        t->size[t->n_groups]++;
    }
    t->n_groups++;
}

/* One person, and a negative binomial number of others. */
static void make_slide(town *t, uint64_t *random, size_t n_groups, double a, double p) {
    memset(t, 0, sizeof *t);
    for (size_t g = 0; g < n_groups; g++) {
        double left = unit(random), here = pow(p, a);
        uint64_t others = 0;
        for (; left >= here && others < 5000; others++) {
            left -= here;
            here *= (a + (double)others) / (double)(others + 1) * (1 - p);
        }
        add_group(t, 1 + others);
    }
}

/* Pitman's scheme: somebody new, or like one before, less alpha for each group. */
static void make_pitman(town *t, uint64_t *random, size_t n_people, double theta, double alpha) {
    memset(t, 0, sizeof *t);
    while (t->n_people < n_people) {
        const double n = (double)t->n_people;
        if (unit(random) * (theta + n) < theta + alpha * (double)t->n_groups) {
            add_group(t, 1);
            continue;
        }
        uint32_t group;
        do {
            group = t->group_of[kan_random_below(random, t->n_people)];
        } while (unit(random) * (double)t->size[group] >= (double)t->size[group] - alpha);
        t->group_of[t->n_people++] = group;
        t->size[group]++;
    }
}

/* Groups of every size, many small ones and few large ones. */
static void make_skewed(town *t, uint64_t *random, size_t n_groups) {
    memset(t, 0, sizeof *t);
    for (size_t g = 0; g < n_groups; g++)
        add_group(t, (uint64_t)fmin(1 / pow(1 - unit(random), 0.9), 400));
}

/* Draws n people, each once. */
static void draw(kan_run *run, town *t, uint64_t *random, size_t n, kan_group_sizes *out) {
    uint64_t sizes[MOST_PEOPLE];
    size_t n_sizes = 0;
    memset(t->drawn, 0, sizeof t->drawn);
    for (size_t i = 0; i < n; i++) {
        const size_t other = i + kan_random_below(random, t->n_people - i);
        const uint32_t group = t->group_of[other];
        t->group_of[other] = t->group_of[i];
        t->group_of[i] = group;
        t->drawn[group]++;
    }
    for (size_t g = 0; g < t->n_groups; g++)
        if (t->drawn[g] > 0)
            sizes[n_sizes++] = t->drawn[g];
    EXPECT_OK(run, kan_group_sizes_make(run, sizes, n_sizes, 0, out));
}

static town the_town;

/* The mean over samples of estimate / truth: of one estimator, or of the one that is told first. */
typedef struct {
    double by[KAN_ESTIMATORS], chosen;
} ratios;

typedef void (*make_fn)(town *t, uint64_t *random);

static ratios mean_ratios(make_fn make, double fraction) {
    ratios mean = {{0}, 0};
    kan_run *run = kan_run_create();
    assert_non_null(run);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t random = 977 * seed;
        kan_group_sizes sizes;
        kan_estimates e;
        make(&the_town, &random);
        draw(run, &the_town, &random, (size_t)(fraction * (double)the_town.n_people), &sizes);
        kan_estimate_make(&sizes, (double)the_town.n_people, &e);
        const double truth = (double)count_uniques(&the_town);
        for (int i = 0; i < KAN_ESTIMATORS; i++) {
            assert_true(e.by[i].is_known);
            assert_true(e.by[i].n_uniques >= 0 && e.by[i].n_uniques <= e.n_people);
            assert_true(e.by[i].n_exposed <= (double)e.n_unique);
            mean.by[i] += e.by[i].n_uniques / truth / SEEDS;
        }
        assert_true(e.has_chosen);
        mean.chosen += e.by[e.chosen].n_uniques / truth / SEEDS;
        kan_group_sizes_destroy(&sizes);
    }
    kan_run_destroy(run);
    return mean;
}

static void expect_near(double ratio, double tolerance, const char *what) {
    if (!(fabs(ratio - 1) <= tolerance))
        fail_msg("%s: estimates are %.3f of the truth on average, and %.2f is allowed", what, ratio,
                 tolerance);
}

/* ---- populations of each model -------------------------------------------------------------- */

static void slide_town(town *t, uint64_t *random) {
    make_slide(t, random, 6000, 0.7, 0.15);
}

static void pitman_town(town *t, uint64_t *random) {
    make_pitman(t, random, 30000, 300, 0.4);
}

static void skewed_town(town *t, uint64_t *random) {
    make_skewed(t, random, 5000);
}

static void the_slide_estimate_is_near_the_truth_of_its_own_model(void **state) {
    (void)state;
    expect_near(mean_ratios(slide_town, 0.2).by[KAN_SNB], 0.1, "snb, a fifth drawn");
    expect_near(mean_ratios(slide_town, 0.6).by[KAN_SNB], 0.05, "snb, most drawn");
}

static void the_pitman_estimate_is_near_the_truth_of_its_own_model(void **state) {
    (void)state;
    expect_near(mean_ratios(pitman_town, 0.03).by[KAN_PITMAN], 0.15, "pitman, 3 in 100 drawn");
    expect_near(mean_ratios(pitman_town, 0.1).by[KAN_PITMAN], 0.1, "pitman, a tenth drawn");
}

static void the_zayatz_estimate_nears_the_truth_as_the_sample_nears_the_population(void **state) {
    (void)state;
    expect_near(mean_ratios(skewed_town, 0.9).by[KAN_ZAYATZ], 0.05, "zayatz, nine tenths drawn");
    expect_near(mean_ratios(slide_town, 0.9).by[KAN_ZAYATZ], 0.05, "zayatz, nine tenths drawn");
}

static void the_estimate_that_is_told_first_is_of_the_right_size(void **state) {
    (void)state;
    expect_near(mean_ratios(pitman_town, 0.05).chosen, 0.15, "pitman's town, small sample");
    expect_near(mean_ratios(slide_town, 0.3).chosen, 0.15, "slide town, large sample");
    expect_near(mean_ratios(skewed_town, 0.5).chosen, 0.25, "skewed town, half drawn");
}

/* ---- likelihoods as they are defined -------------------------------------------------------- */

/* log of the probability of the groups, up to what no parameter changes. */
static double pitman_likelihood(const uint64_t *sizes, size_t u, double theta, double alpha) {
    double sum = 0;
    size_t n = 0;
    for (size_t g = 0; g < u; g++) {
        if (g > 0)
            sum += log(theta + (double)g * alpha);
        for (uint64_t j = 1; j < sizes[g]; j++)
            sum += log((double)j - alpha);
        n += sizes[g];
    }
    for (size_t i = 1; i < n; i++)
        sum -= log(theta + (double)i);
    return sum;
}

/* P(size) of a thinned group of 1 + X people, by summing over all that the group may have been. */
static double thinned(uint64_t size, double a, double p, double pi) {
    double sum = 0, here = pow(p, a);
    for (uint64_t people = 1; people < 1500; people++) {
        if (people >= size) {
            double drawn = 1;
            for (uint64_t i = 0; i < size; i++)
                drawn *= (double)(people - i) / (double)(i + 1) * pi;
            sum += here * drawn * pow(1 - pi, (double)(people - size));
        }
        here *= (a + (double)(people - 1)) / (double)people * (1 - p);
    }
    return sum;
}

static double slide_likelihood(const uint64_t *sizes, size_t u, double a, double p, double pi) {
    const double seen = 1 - thinned(0, a, p, pi);
    double sum = 0;
    for (size_t g = 0; g < u; g++)
        sum += log(thinned(sizes[g], a, p, pi) / seen);
    return sum;
}

static void no_other_parameters_are_more_likely(void **state) {
    static const uint64_t sizes[] = {1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 7, 9, 14};
    enum { U = sizeof sizes / sizeof *sizes };
    uint64_t random = 5;
    kan_run *run = kan_run_create();
    kan_group_sizes made;
    kan_estimates e;
    (void)state;
    EXPECT_OK(run, kan_group_sizes_make(run, sizes, U, 0, &made));
    kan_estimate_make(&made, 400, &e);
    const kan_estimate *pitman = &e.by[KAN_PITMAN], *snb = &e.by[KAN_SNB];
    const double best = pitman_likelihood(sizes, U, pitman->first, pitman->second);
    const double slide = slide_likelihood(sizes, U, snb->first, snb->second, e.fraction);
    for (int i = 0; i < 60; i++) {
        /* Near ones and far ones. */
        const double far = i % 2 ? 2 : 0.1;
        const double alpha = fmin(fmax(pitman->second + far * (unit(&random) - 0.5), 0), 0.99);
        const double theta = (pitman->first + alpha) * exp(far * (unit(&random) - 0.5)) - alpha;
        assert_true(pitman_likelihood(sizes, U, theta, alpha) <= best + 1e-6);
        const double a = snb->first * exp(far * (unit(&random) - 0.5));
        const double p = fmin(snb->second * exp(far * (unit(&random) - 0.5)), 0.99);
        assert_true(slide_likelihood(sizes, U, a, p, e.fraction) <= slide + 1e-6);
    }
    kan_group_sizes_destroy(&made);
    kan_run_destroy(run);
}

/* ---- by hand -------------------------------------------------------------------------------- */

static double choose_of(double n, double k) {
    double product = 1;
    for (double i = 0; i < k; i++)
        product *= (n - i) / (i + 1);
    return n < k ? 0 : product;
}

static void zayatz_is_what_bayes_says(void **state) {
    static const uint64_t sizes[] = {1, 1, 1, 2, 2, 3, 6};
    kan_run *run = kan_run_create();
    kan_group_sizes made;
    kan_estimates e;
    double sum = 0;
    (void)state;
    EXPECT_OK(run, kan_group_sizes_make(run, sizes, 7, 2, &made));
    for (size_t g = 0; g < 7; g++) {
        const double i = (double)sizes[g];
        sum += i * choose_of(20 - i, 15) / choose_of(20, 16);
    }
    kan_estimate_make(&made, 20, &e);
    assert_int_equal(e.n_unique, 3);
    assert_true(fabs(e.fraction - 0.8) < 1e-12);
    const double probability = 3 * (16 / 20.0) / sum;
    assert_true(fabs(e.by[KAN_ZAYATZ].first - probability) < 1e-9);
    assert_true(fabs(e.by[KAN_ZAYATZ].n_uniques - 3 / 0.8 * probability) < 1e-9);
    kan_group_sizes_destroy(&made);
    kan_run_destroy(run);
}

static void expected_uniques_of_pitman_are_those_of_its_scheme(void **state) {
    /* The first person stays alone when nobody of the others is like her. */
    static const uint64_t sizes[] = {1, 1, 1, 2, 2, 3, 6};
    kan_run *run = kan_run_create();
    kan_group_sizes made;
    kan_estimates e;
    double alone = 1;
    (void)state;
    EXPECT_OK(run, kan_group_sizes_make(run, sizes, 7, 0, &made));
    kan_estimate_make(&made, 90, &e);
    for (int i = 1; i < 90; i++)
        alone *= 1 - (1 - e.by[KAN_PITMAN].second) / (e.by[KAN_PITMAN].first + i);
    assert_true(fabs(e.by[KAN_PITMAN].n_uniques - 90 * alone) < 1e-7);
    kan_group_sizes_destroy(&made);
    kan_run_destroy(run);
}

static void what_a_sample_cannot_tell_is_not_told(void **state) {
    static const uint64_t alone[] = {1, 1, 1, 1}, crowds[] = {5, 7, 9}, mixed[] = {1, 4};
    kan_run *run = kan_run_create();
    kan_group_sizes made;
    kan_estimates e;
    (void)state;
    /* Everybody is unique: any share of uniques is as likely. */
    EXPECT_OK(run, kan_group_sizes_make(run, alone, 4, 0, &made));
    kan_estimate_make(&made, 100, &e);
    assert_false(e.by[KAN_PITMAN].is_known || e.by[KAN_SNB].is_known);
    assert_true(e.has_chosen && e.chosen == KAN_ZAYATZ);
    assert_true(e.by[KAN_ZAYATZ].n_uniques == 100);
    kan_group_sizes_destroy(&made);
    /* Nobody is: then no row is unique in the population. */
    EXPECT_OK(run, kan_group_sizes_make(run, crowds, 3, 0, &made));
    kan_estimate_make(&made, 1000, &e);
    assert_true(e.has_chosen && e.by[e.chosen].n_exposed == 0 && e.by[e.chosen].n_uniques == 0);
    kan_group_sizes_destroy(&made);
    /* The sample is the population. */
    EXPECT_OK(run, kan_group_sizes_make(run, mixed, 2, 0, &made));
    kan_estimate_make(&made, 5, &e);
    for (int i = 0; i < KAN_ESTIMATORS; i++)
        assert_true(e.by[i].is_known && e.by[i].n_uniques == 1 && e.by[i].n_exposed == 1);
    kan_group_sizes_destroy(&made);
    EXPECT_OK(run, kan_group_sizes_make(run, NULL, 0, 3, &made));
    kan_estimate_make(&made, 5, &e);
    assert_false(e.has_chosen);
    kan_group_sizes_destroy(&made);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slide_estimate_is_near_the_truth_of_its_own_model),
        cmocka_unit_test(the_pitman_estimate_is_near_the_truth_of_its_own_model),
        cmocka_unit_test(the_zayatz_estimate_nears_the_truth_as_the_sample_nears_the_population),
        cmocka_unit_test(the_estimate_that_is_told_first_is_of_the_right_size),
        cmocka_unit_test(no_other_parameters_are_more_likely),
        cmocka_unit_test(zayatz_is_what_bayes_says),
        cmocka_unit_test(expected_uniques_of_pitman_are_those_of_its_scheme),
        cmocka_unit_test(what_a_sample_cannot_tell_is_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
