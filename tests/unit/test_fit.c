/* analyze/fit on tables small enough for a closed form. tests/check/models.sh holds it against R. */
#include "analyze/fit/fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/plain.h"

enum { MOST = 40000 };

static void near(double found, double expected, double by) {
    if (!(fabs(found - expected) <= by))
        fail_msg("%.17g is not %.17g", found, expected);
}

static kan_fitted fit_of(kan_run *run, const kan_design *design, const double *y, kan_fit_kind kind,
                         bool is_survey) {
    const kan_fit_question question = {
        .design = design, .y = y, .kind = kind, .is_survey = is_survey};
    kan_fitted fit = {.run = NULL};
    EXPECT_OK(run, kan_fit_make(run, &question, &fit));
    return fit;
}

static const uint32_t one_each[] = {0, 1, 2, 3, 4, 5, 6, 7};

static void a_line_has_the_slope_and_errors_of_the_textbook(void **state) {
    /* n = 5, mean of x 2010; Sxx = 10, Sxy = 8, so slope 0.8; rss = Syy - Sxy^2 / Sxx = 10 - 6.4 */
    static const double x[] = {2008, 2009, 2010, 2011, 2012}, y[] = {1, 3, 2, 5, 4};
    const kan_design_term term = {one_each, 5, x};
    const kan_design design = {&term, 1, 5, NULL};
    kan_run *run = kan_run_create();
    kan_fitted fit = fit_of(run, &design, y, KAN_FIT_LINEAR, false);
    (void)state;
    assert_true(fit.has_converged);
    assert_int_equal(fit.n_columns, 2);
    assert_int_equal(fit.n_found, 2);
    near(fit.coefficients[1], 0.8, 1e-14);
    near(fit.coefficients[0], 3 - 0.8 * 2010, 1e-10);
    near(fit.loss, 3.6, 1e-13);
    near(fit.null_loss, 10, 1e-13);
    near(fit.errors[1], sqrt(3.6 / 3 / 10), 1e-14);
    near(fit.errors[0], sqrt(1.2 * (0.2 + 2010.0 * 2010.0 / 10)), 1e-9);
    near(fit.reach, 3.182446305283708, 1e-14);
    double predicted[5];
    EXPECT_OK(run, kan_fit_predict(&fit, &design, predicted));
    for (int i = 0; i < 5; i++)
        near(predicted[i], 3 + 0.8 * (x[i] - 2010), 1e-10);
    kan_fit_destroy(&fit);
    kan_run_destroy(run);
}

static void weights_of_rows_are_rows(void **state) {
    static const double y[] = {1, 4, 2, 8, 5, 7}, x[] = {0, 1, 2, 3, 4, 5};
    static const double weights[] = {1, 2, 0, 3, 1, 1};
    static const uint32_t often[] = {0, 1, 1, 3, 3, 3, 4, 5};
    double y_often[8], z[6] = {0, 1, 1, 1, 0, 1};
    const kan_design_term term = {one_each, 6, x}, term_often = {often, 6, x};
    const kan_design design = {&term, 1, 6, weights}, design_often = {&term_often, 1, 8, NULL};
    kan_run *run = kan_run_create();
    (void)state;
    for (int i = 0; i < 8; i++)
        y_often[i] = y[often[i]];
    kan_fitted a = fit_of(run, &design, y, KAN_FIT_LINEAR, false);
    kan_fitted b = fit_of(run, &design_often, y_often, KAN_FIT_LINEAR, false);
    for (int i = 0; i < 2; i++)
        near(a.coefficients[i], b.coefficients[i], 1e-13);
    assert_int_equal(a.n_rows, 5); /* the row of weight 0 is none */
    assert_int_equal(b.n_rows, 8);
    near(a.errors[1] / b.errors[1], sqrt(6.0 / 3), 1e-12); /* degrees of freedom */
    kan_fit_destroy(&a);
    kan_fit_destroy(&b);
    for (int i = 0; i < 8; i++)
        y_often[i] = z[often[i]];
    a = fit_of(run, &design, z, KAN_FIT_LOGISTIC, false);
    b = fit_of(run, &design_often, y_often, KAN_FIT_LOGISTIC, false);
    for (int i = 0; i < 2; i++) {
        near(a.coefficients[i], b.coefficients[i], 1e-11);
        near(a.errors[i], b.errors[i], 1e-11);
    }
    kan_fit_destroy(&a);
    kan_fit_destroy(&b);
    kan_run_destroy(run);
}

/* counts[category][outcome] */
static uint64_t fill(const unsigned (*counts)[2], uint32_t n, uint32_t *codes, double *y) {
    uint64_t row = 0;
    for (uint32_t category = 0; category < n; category++)
        for (unsigned outcome = 0; outcome < 2; outcome++)
            for (unsigned i = 0; i < counts[category][outcome]; i++, row++) {
                codes[row] = category;
                y[row] = outcome;
            }
    return row;
}

static void a_table_of_counts_has_its_log_odds(void **state) {
    static const unsigned counts[][2] = {{30, 10}, {5, 45}, {700, 3}};
    static uint32_t codes[MOST];
    static double y[MOST];
    const kan_design_term term = {codes, 3, NULL};
    const kan_design design = {&term, 1, fill(counts, 3, codes, y), NULL};
    kan_run *run = kan_run_create();
    kan_fitted fit = fit_of(run, &design, y, KAN_FIT_LOGISTIC, false);
    double deviance = 0;
    (void)state;
    assert_true(fit.has_converged);
    near(fit.coefficients[0], log(10.0 / 30), 1e-13);
    near(fit.coefficients[1], log(45.0 / 5) - log(10.0 / 30), 1e-12);
    near(fit.coefficients[2], log(3.0 / 700) - log(10.0 / 30), 1e-12);
    near(fit.errors[0], sqrt(1.0 / 30 + 1.0 / 10), 1e-12);
    near(fit.errors[1], sqrt(1.0 / 30 + 1.0 / 10 + 1.0 / 5 + 1.0 / 45), 1e-12);
    near(fit.errors[2], sqrt(1.0 / 30 + 1.0 / 10 + 1.0 / 700 + 1.0 / 3), 1e-12);
    near(fit.reach, 1.959963984540054, 1e-15);
    for (int c = 0; c < 3; c++)
        for (int o = 0; o < 2; o++)
            deviance -=
                2 * counts[c][o] * log((double)counts[c][o] / (counts[c][0] + counts[c][1]));
    near(fit.loss, deviance, 1e-10);
    kan_fit_destroy(&fit);
    kan_run_destroy(run);
}

static void
a_category_with_one_outcome_is_separated_and_the_others_are_as_without_it(void **state) {
    static const unsigned counts[][2] = {{30, 10}, {5, 45}, {0, 7}};
    static uint32_t codes[MOST];
    static double y[MOST];
    const kan_design_term term = {codes, 3, NULL};
    const kan_design design = {&term, 1, fill(counts, 3, codes, y), NULL};
    kan_run *run = kan_run_create();
    kan_fitted fit = fit_of(run, &design, y, KAN_FIT_LOGISTIC, false);
    (void)state;
    assert_true(fit.has_converged);
    assert_int_equal(fit.n_separated, 1);
    assert_int_equal(fit.states[2], KAN_COEFFICIENT_SEPARATED);
    assert_true(isnan(fit.errors[2]));
    near(fit.coefficients[1], log(45.0 / 5) - log(10.0 / 30), 1e-9);
    near(fit.errors[1], sqrt(1.0 / 30 + 1.0 / 10 + 1.0 / 5 + 1.0 / 45), 1e-9);
    kan_fit_destroy(&fit);
    kan_run_destroy(run);
}

static void a_number_that_tells_the_outcomes_apart_is_separated(void **state) {
    static const double x[] = {1, 2, 3, 4, 5, 6, 7, 1000}, y[] = {0, 0, 0, 0, 1, 1, 1, 1};
    const kan_design_term term = {one_each, 8, x};
    const kan_design design = {&term, 1, 8, NULL};
    kan_run *run = kan_run_create();
    kan_fitted fit = fit_of(run, &design, y, KAN_FIT_LOGISTIC, false);
    (void)state;
    assert_true(fit.has_converged);
    assert_int_equal(fit.n_separated, 2);
    kan_fit_destroy(&fit);
    static const double all[] = {1, 1, 1, 1, 1, 1, 1, 1};
    fit = fit_of(run, &design, all, KAN_FIT_LOGISTIC, false);
    assert_int_equal(fit.states[0], KAN_COEFFICIENT_SEPARATED);
    kan_fit_destroy(&fit);
    kan_run_destroy(run);
}

static void what_follows_from_columns_before_it_is_left_out(void **state) {
    static const double x[] = {1, 2, 3, 4, 5, 6, 7, 9}, twice[] = {5, 7, 9, 11, 13, 15, 17, 21};
    static const double same[] = {3, 3, 3, 3, 3, 3, 3, 3}, y[] = {1, 3, 2, 5, 4, 4, 6, 9};
    static const uint32_t halves[] = {0, 0, 0, 0, 1, 1, 1, 1}, other[] = {1, 1, 1, 1, 0, 0, 0, 0};
    const kan_design_term terms[] = {{one_each, 8, x},
                                     {one_each, 8, twice},
                                     {one_each, 8, same},
                                     {halves, 2, NULL},
                                     {other, 3, NULL}}; /* nobody has the last */
    const kan_design design = {terms, 5, 8, NULL};
    const kan_design_term kept[] = {terms[0], terms[3]};
    const kan_design two = {kept, 2, 8, NULL};
    kan_run *run = kan_run_create();
    kan_fitted fit = fit_of(run, &design, y, KAN_FIT_LINEAR, false);
    kan_fitted plain = fit_of(run, &two, y, KAN_FIT_LINEAR, false);
    (void)state;
    static const kan_coefficient_state expected[] = {
        KAN_COEFFICIENT_FOUND,     KAN_COEFFICIENT_FOUND, KAN_COEFFICIENT_COLLINEAR,
        KAN_COEFFICIENT_COLLINEAR, KAN_COEFFICIENT_FOUND, KAN_COEFFICIENT_COLLINEAR,
        KAN_COEFFICIENT_COLLINEAR};
    assert_int_equal(fit.n_columns, 7);
    for (int i = 0; i < 7; i++)
        assert_int_equal(fit.states[i], expected[i]);
    near(fit.coefficients[4], plain.coefficients[2], 1e-12);
    near(fit.errors[4], plain.errors[2], 1e-12);
    near(fit.errors[1], plain.errors[1], 1e-12);
    kan_fit_destroy(&fit);
    kan_fit_destroy(&plain);
    kan_run_destroy(run);
}

static void as_many_columns_as_rows_leave_no_error(void **state) {
    static const double y[] = {1, 4, 2};
    const kan_design_term term = {one_each, 3, NULL};
    const kan_design design = {&term, 1, 3, NULL};
    kan_run *run = kan_run_create();
    kan_fitted fit = fit_of(run, &design, y, KAN_FIT_LINEAR, false);
    (void)state;
    near(fit.coefficients[2], 1, 1e-14);
    assert_true(isnan(fit.reach) && isnan(fit.errors[2]));
    kan_fit_destroy(&fit);
    kan_run_destroy(run);
}

static void a_weighted_mean_of_a_survey_has_the_error_of_a_ratio(void **state) {
    static const double y[] = {1, 0, 0, 1, 1, 0}, weights[] = {10, 25, 7, 12, 30, 16};
    const kan_design design = {NULL, 0, 6, weights};
    kan_run *run = kan_run_create();
    kan_fitted fit = fit_of(run, &design, y, KAN_FIT_LINEAR, true);
    double squares = 0;
    (void)state;
    near(fit.coefficients[0], 0.52, 1e-15);
    for (int i = 0; i < 6; i++)
        squares += pow(weights[i] * (y[i] - 0.52), 2);
    near(fit.errors[0], sqrt(squares * 6 / 5) / 100, 1e-15);
    const double linear = fit.errors[0];
    kan_fit_destroy(&fit);
    /* the same mean by a logistic model: the delta method */
    fit = fit_of(run, &design, y, KAN_FIT_LOGISTIC, true);
    near(fit.coefficients[0], log(0.52 / 0.48), 1e-13);
    near(fit.errors[0], linear / (0.52 * 0.48), 1e-13);
    kan_fit_destroy(&fit);
    kan_run_destroy(run);
}

static void any_number_of_threads_gives_the_same_bytes(void **state) {
    static uint32_t codes[3][MOST];
    static double y[MOST], numbers[97];
    uint64_t random = 7;
    (void)state;
    for (int i = 0; i < 97; i++)
        numbers[i] = sqrt(i) - 3;
    for (int i = 0; i < MOST; i++) {
        for (int t = 0; t < 3; t++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            codes[t][i] = (uint32_t)(random >> 40) % (t ? 9 : 97);
        }
        y[i] = (random >> 33) % 100 < 20 + 5 * codes[1][i];
    }
    const kan_design_term terms[] = {
        {codes[0], 97, numbers}, {codes[1], 9, NULL}, {codes[2], 9, NULL}};
    const kan_design design = {terms, 3, MOST, NULL};
    kan_fitted fits[2];
    kan_run *runs[2];
    for (unsigned i = 0; i < 2; i++) {
        runs[i] = kan_run_create();
        kan_run_set_threads(runs[i], 1 + 3 * i);
        fits[i] = fit_of(runs[i], &design, y, KAN_FIT_LOGISTIC, true);
        assert_true(fits[i].has_converged);
    }
    assert_memory_equal(fits[0].coefficients, fits[1].coefficients,
                        fits[0].n_columns * sizeof(double));
    assert_memory_equal(fits[0].errors, fits[1].errors, fits[0].n_columns * sizeof(double));
    for (int i = 0; i < 2; i++) {
        kan_fit_destroy(&fits[i]);
        kan_run_destroy(runs[i]);
    }
}

static void the_curves_are_those_of_the_library_to_the_last_places(void **state) {
    (void)state;
    for (double x = -700; x < 700; x += 0.0371) {
        const double p = 1 / (1 + exp(-x)), l = x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
        near(kan_logistic(x) / p, 1, 1e-15);
        near(kan_log_one_plus_exp(x) / l, 1, 1e-15);
    }
    near(kan_logistic(0), 0.5, 0);
    near(kan_logistic(-1e300), 0, 0);
    near(kan_logistic(1e300), 1, 0);
}

static void the_quantiles_of_t_are_those_of_tables(void **state) {
    (void)state;
    near(kan_t_quantile(1), 12.706204736174698, 0);
    near(kan_t_quantile(60), 2.000297821058262, 1e-8);
    near(kan_t_quantile(120), 1.979930405052777, 1e-9);
    near(kan_t_quantile(INFINITY), 1.959963984540054, 0);
    for (int degrees = 2; degrees < 200; degrees++)
        assert_true(kan_t_quantile(degrees) < kan_t_quantile(degrees - 1));
    assert_true(isnan(kan_t_quantile(0)));
}

static void a_design_that_is_too_wide_is_told(void **state) {
    const kan_design_term term = {one_each, KAN_DESIGN_MOST_COLUMNS + 1, NULL};
    const kan_design_term most = {one_each, KAN_DESIGN_MOST_COLUMNS, NULL};
    const kan_design wide = {&term, 1, 8, NULL}, fits = {&most, 1, 8, NULL};
    (void)state;
    assert_true(kan_design_width(&wide) == SIZE_MAX);
    assert_true(kan_design_width(&fits) == KAN_DESIGN_MOST_COLUMNS);
}

/* ---- random tables against plain Newton ------------------------------------------------------ */

enum { WIDE = 12, LONG_ROWS = 60 };

typedef struct {
    uint32_t codes[3][LONG_ROWS];
    double numbers[8], y[LONG_ROWS], weights[LONG_ROWS];
    kan_design_term terms[3];
    kan_design design;
} random_design;

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void make_random(uint64_t *random, bool is_logistic, random_design *d) {
    const uint64_t n = 12 + next_random(random) % (LONG_ROWS - 12);
    const size_t n_terms = next_random(random) % 4;
    for (int i = 0; i < 8; i++)
        d->numbers[i] = (double)(next_random(random) % 100) / 8 + 1000;
    for (size_t t = 0; t < n_terms; t++) {
        const uint32_t n_codes = t == 0 ? 8 : 2 + (uint32_t)(next_random(random) % 3);
        d->terms[t] = (kan_design_term){d->codes[t], n_codes, t == 0 ? d->numbers : NULL};
        for (uint64_t row = 0; row < n; row++)
            d->codes[t][row] = (uint32_t)next_random(random) % n_codes;
    }
    for (uint64_t row = 0; row < n; row++) {
        d->y[row] = is_logistic ? (double)(next_random(random) % 2)
                                : (double)(next_random(random) % 1000) / 16;
        d->weights[row] = (double)(next_random(random) % 5) / 2;
    }
    d->design = (kan_design){d->terms, n_terms, n, d->weights};
}

static void fill_row(const kan_design *design, uint64_t row, long double x[WIDE]) {
    for (int i = 0; i < WIDE; i++)
        x[i] = 0;
    x[0] = 1;
    for (size_t t = 0; t < design->n_terms; t++) {
        const size_t first = kan_design_first_column(design, t);
        const uint32_t code = design->terms[t].codes[row];
        if (design->terms[t].numbers)
            x[first] = (long double)design->terms[t].numbers[code] - 1000;
        else if (code > 0)
            x[first + code - 1] = 1;
    }
}

/* The inverse of the n * n corner, by Gauss and Jordan; false where it has none. */
static bool invert(long double a[WIDE][WIDE], size_t n, long double out[WIDE][WIDE]) {
    memset(out, 0, sizeof(long double[WIDE][WIDE]));
    for (size_t i = 0; i < n; i++)
        out[i][i] = 1;
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            pivot = fabsl(a[i][k]) > fabsl(a[pivot][k]) ? i : pivot;
        if (fabsl(a[pivot][k]) < 1e-9L)
            return false;
        for (size_t j = 0; j < n; j++) {
            const long double x = a[k][j], y = out[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = x;
            out[k][j] = out[pivot][j];
            out[pivot][j] = y;
        }
        const long double by = a[k][k];
        for (size_t j = 0; j < n; j++) {
            a[k][j] /= by;
            out[k][j] /= by;
        }
        for (size_t i = 0; i < n; i++) {
            const long double factor = a[i][k];
            for (size_t j = 0; i != k && j < n; j++) {
                a[i][j] -= factor * a[k][j];
                out[i][j] -= factor * out[k][j];
            }
        }
    }
    return true;
}

typedef enum { PLAIN_FOUND, PLAIN_WITHOUT_END, PLAIN_NOT_FOUND } plain_end;

/* Numbers less 1000. */
static plain_end fit_plainly(const random_design *d, bool is_logistic, long double b[WIDE],
                             long double errors[WIDE]) {
    const size_t n = kan_design_width(&d->design);
    long double inverse[WIDE][WIDE], rss = 0;
    uint64_t n_rows = 0;
    bool is_there = false;
    memset(b, 0, WIDE * sizeof *b);
    for (int step = 0; step < 60 && !is_there; step++) {
        long double cross[WIDE][WIDE] = {{0}}, gradient[WIDE] = {0}, x[WIDE], longest = 0;
        rss = 0;
        n_rows = 0;
        for (uint64_t row = 0; row < d->design.n_rows; row++) {
            long double at = 0;
            const long double weight = d->weights[row];
            fill_row(&d->design, row, x);
            for (size_t i = 0; i < n; i++)
                at += b[i] * x[i];
            const long double mean = is_logistic ? 1 / (1 + expl(-at)) : at;
            const long double h = is_logistic ? weight * mean * (1 - mean) : weight;
            n_rows += weight > 0;
            rss += weight * (d->y[row] - mean) * (d->y[row] - mean);
            for (size_t i = 0; i < n; i++) {
                gradient[i] += weight * (d->y[row] - mean) * x[i];
                for (size_t j = 0; j < n; j++)
                    cross[i][j] += h * x[i] * x[j];
            }
        }
        if (!invert(cross, n, inverse))
            return is_logistic && step > 10 ? PLAIN_WITHOUT_END : PLAIN_NOT_FOUND;
        for (size_t i = 0; i < n; i++) {
            long double move = 0;
            for (size_t j = 0; j < n; j++)
                move += inverse[i][j] * gradient[j];
            b[i] += move;
            longest = fmaxl(longest, fabsl(move));
        }
        is_there = longest < 1e-14L;
        for (size_t i = 0; i < n; i++)
            if (fabsl(b[i]) > 200 && is_logistic)
                return PLAIN_NOT_FOUND;
    }
    for (size_t i = 0; i < n; i++)
        errors[i] =
            sqrtl(inverse[i][i] * (is_logistic ? 1 : rss / ((long double)n_rows - (long double)n)));
    return is_there && n_rows > n + 1 ? PLAIN_FOUND : PLAIN_NOT_FOUND;
}

static void random_tables_have_the_coefficients_of_plain_steps(void **state) {
    kan_run *run = kan_run_create();
    uint64_t random = 5;
    unsigned n_compared = 0, n_separated = 0, n_collinear = 0;
    (void)state;
    for (int round = 0; round < 3000; round++) {
        const bool is_logistic = round % 2;
        static random_design d;
        long double b[WIDE], errors[WIDE];
        double total = 0;
        make_random(&random, is_logistic, &d);
        for (uint64_t row = 0; row < d.design.n_rows; row++)
            total += d.weights[row];
        if (total == 0)
            continue;
        kan_fitted fit =
            fit_of(run, &d.design, d.y, is_logistic ? KAN_FIT_LOGISTIC : KAN_FIT_LINEAR, false);
        assert_true(fit.has_converged);
        n_separated += fit.n_separated > 0;
        n_collinear += fit.n_collinear > 0;
        const plain_end plain = fit_plainly(&d, is_logistic, b, errors);
        if (plain == PLAIN_FOUND) {
            assert_int_equal(fit.n_found, fit.n_columns);
            for (size_t i = 0; i < fit.n_columns; i++) {
                /* the constant is that of numbers less 1000 here */
                const double shift =
                    i == 0 && d.design.n_terms > 0 ? 1000 * fit.coefficients[1] : 0;
                near(fit.coefficients[i] + shift, (double)b[i], 1e-8 * (1 + (double)errors[i]));
                if (shift == 0)
                    near(fit.errors[i] / (double)errors[i], 1, 1e-9);
            }
            n_compared++;
        } else if (plain == PLAIN_WITHOUT_END)
            assert_true(fit.n_separated > 0);
        kan_fit_destroy(&fit);
    }
    assert_true(n_compared > 1500 && n_separated > 50 && n_collinear > 20);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_the_slope_and_errors_of_the_textbook),
        cmocka_unit_test(weights_of_rows_are_rows),
        cmocka_unit_test(a_table_of_counts_has_its_log_odds),
        cmocka_unit_test(a_category_with_one_outcome_is_separated_and_the_others_are_as_without_it),
        cmocka_unit_test(a_number_that_tells_the_outcomes_apart_is_separated),
        cmocka_unit_test(what_follows_from_columns_before_it_is_left_out),
        cmocka_unit_test(as_many_columns_as_rows_leave_no_error),
        cmocka_unit_test(a_weighted_mean_of_a_survey_has_the_error_of_a_ratio),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(the_curves_are_those_of_the_library_to_the_last_places),
        cmocka_unit_test(the_quantiles_of_t_are_those_of_tables),
        cmocka_unit_test(a_design_that_is_too_wide_is_told),
        cmocka_unit_test(random_tables_have_the_coefficients_of_plain_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
