/* What numbers tell of those that they stand for, against the definition: every row against every
 * row, nothing sorted and nothing left out. Numbers are few, so that many distances are equal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/risk/near.h"
#include "core/hash.h"
#include "support/random_problem.h"

enum { MOST_ROWS = 120, MOST_COLUMNS = 5 };

typedef struct {
    size_t n;
    unsigned n_columns;
    double share;
    double released[MOST_ROWS * MOST_COLUMNS], original[MOST_ROWS * MOST_COLUMNS];
} table;

/* Means of a few rows, or noise, or anything; some not shown, some not known. */
static void make_table(uint64_t *random, table *t) {
    const uint64_t spread = between(random, 1, once_in(random, 2) ? 4 : 1000);
    const double unit = once_in(random, 2) ? 1 : 0.1;
    const size_t size = (size_t)between(random, 1, 4);
    const uint64_t way = between(random, 0, 2);
    *t = (table){.n = (size_t)between(random, 1, MOST_ROWS),
                 .n_columns = (unsigned)between(random, 1, MOST_COLUMNS),
                 .share = (double)between(random, 0, 20) / 10};
    for (size_t i = 0; i < t->n * t->n_columns; i++) {
        t->original[i] = unit * ((double)kan_random_below(random, spread) - (double)(spread / 3));
        if (once_in(random, 20))
            t->original[i] = NAN;
    }
    for (size_t row = 0; row < t->n; row++)
        for (unsigned c = 0; c < t->n_columns; c++) {
            const size_t at = row * t->n_columns + c, first = row / size * size;
            double sum = 0, n = 0;
            for (size_t other = first; other < first + size && other < t->n; other++)
                if (!isnan(t->original[other * t->n_columns + c])) {
                    sum += t->original[other * t->n_columns + c];
                    n++;
                }
            t->released[at] = way == 0 && n > 0 ? sum / n
                              : way == 1 ? t->original[at] + unit * (double)between(random, 0, 1)
                                         : unit * (double)kan_random_below(random, spread);
            if (once_in(random, 20))
                t->released[at] = NAN;
        }
}

static double deviation(const table *t, unsigned c) {
    double n = 0, mean = 0, squares = 0, first = NAN;
    bool differ = false;
    for (size_t row = 0; row < t->n; row++) {
        const double at = t->released[row * t->n_columns + c];
        if (isnan(at))
            continue;
        first = isnan(first) ? at : first;
        differ = differ || at != first;
        n++;
        mean += (at - mean) / n;
    }
    for (size_t row = 0; row < t->n; row++) {
        const double at = t->released[row * t->n_columns + c];
        squares += isnan(at) ? 0 : (at - mean) * (at - mean);
    }
    return differ ? sqrt(squares / (n - 1)) : 0;
}

/* By the deviations of what is checked, which are themselves checked but for their last digits: so
 * the same distances are equal here and there. */
static double distance(const table *t, const double *deviations, size_t released, size_t original) {
    double sum = 0;
    for (unsigned c = 0; c < t->n_columns; c++) {
        const double shown = t->released[released * t->n_columns + c];
        const double known = t->original[original * t->n_columns + c];
        if (isnan(shown) || !(deviations[c] > 0))
            continue;
        const double steps = isnan(known) ? 65536 : rint((shown - known) * (65536 / deviations[c]));
        sum += steps * steps;
    }
    return sum;
}

static double plain_linked(const table *t, const double *deviations) {
    double sum = 0;
    for (size_t row = 0; row < t->n; row++) {
        double least = HUGE_VAL, n = 0;
        for (size_t other = 0; other < t->n; other++)
            least = fmin(least, distance(t, deviations, row, other));
        for (size_t other = 0; other < t->n; other++)
            n += distance(t, deviations, row, other) == least;
        sum += distance(t, deviations, row, row) == least ? 1 / n : 0;
    }
    return sum;
}

static void expect_counts(const table *t, const kan_near *near) {
    uint64_t n_all = 0, n_but_one = 0, n_column[MOST_COLUMNS] = {0};
    for (size_t row = 0; row < t->n; row++) {
        unsigned n_far = 0;
        for (unsigned c = 0; c < t->n_columns; c++) {
            const size_t at = row * t->n_columns + c;
            const bool is_far =
                isnan(t->released[at]) || isnan(t->original[at]) ||
                fabs(t->released[at] - t->original[at]) > t->share * near->deviation[c];
            n_far += is_far;
            n_column[c] += !is_far;
        }
        n_all += n_far == 0;
        n_but_one += n_far <= 1;
    }
    assert_int_equal(near->n_rows, t->n);
    assert_int_equal(near->n_all, n_all);
    assert_int_equal(near->n_but_one, n_but_one);
    for (unsigned c = 0; c < t->n_columns; c++)
        assert_int_equal(near->n_column[c], n_column[c]);
}

static size_t n_linked, n_not;

static void compare_one(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 32452843;
    static table t;
    kan_near near;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    make_table(&random, &t);
    const kan_near_question question = {.n_rows = t.n,
                                        .n_columns = t.n_columns,
                                        .released = t.released,
                                        .original = t.original,
                                        .share = t.share};
    EXPECT_OK(run, kan_near_measure(run, &question, &near));
    assert_int_equal(near.n_columns, t.n_columns);
    for (unsigned c = 0; c < t.n_columns; c++)
        assert_true(fabs(near.deviation[c] - deviation(&t, c)) <= 1e-9 * near.deviation[c]);
    expect_counts(&t, &near);
    const double linked = plain_linked(&t, near.deviation);
    assert_true(fabs(near.linked - linked) <= 1e-9 * (double)t.n);
    n_linked += linked > 1;
    n_not += linked < (double)t.n / 2;
}

static void figures_are_those_of_the_definition(void **state) {
    (void)state;
    n_linked = n_not = 0;
    random_rounds(3000, compare_one);
    if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
        assert_true(n_linked > 300 && n_not > 300);
}

/* What is shown as it was links itself, and its copies fairly. */
static void what_did_not_change_is_linked(void **state) {
    const double same[] = {1, 5, 2, 6, 2, 6, 4, 9}, hidden[] = {NAN, NAN, NAN, NAN};
    kan_run *run = kan_run_create();
    kan_near near;
    kan_near_question question = {
        .n_rows = 4, .n_columns = 2, .released = same, .original = same, .share = 0};
    (void)state;
    EXPECT_OK(run, kan_near_measure(run, &question, &near));
    assert_int_equal(near.n_all, 4);
    assert_true(near.linked == 3 && near.shows_means); /* 1 + 1/2 + 1/2 + 1 */
    question = (kan_near_question){
        .n_rows = 4, .n_columns = 1, .released = hidden, .original = same, .share = 9};
    EXPECT_OK(run, kan_near_measure(run, &question, &near));
    assert_int_equal(near.n_all, 0);
    assert_true(near.linked == 1); /* any of four, four times */
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(figures_are_those_of_the_definition, random_tear_down),
        cmocka_unit_test(what_did_not_change_is_linked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
