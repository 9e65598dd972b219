/* univariate --per-column against every way to put the rows of a small table into groups of k or more,
 * column by column: each column has the least sum of squares that there is, each cell is shown by k
 * rows, and every row lies in what it shows. Sums are whole numbers, times a number that every size of
 * a group divides. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search/microaggregate/microaggregate.h"
#include "support/question.h"
#include "support/random_problem.h"

enum { MOST_ROWS = 8, MOST_COLUMNS = 3, DIVISIBLE = 840 };

typedef struct {
    size_t n, k;
    unsigned n_columns;
    int64_t values[MOST_COLUMNS][MOST_ROWS];
    kan_domain *domains[MOST_COLUMNS];
    test_problem made;
} world;

/* ---- tables ---------------------------------------------------------------------------------- */

static void fill(kan_run *run, world *w, uint64_t *random) {
    static const char *const names[] = {"a", "b", "c"};
    char text[MOST_COLUMNS][32];
    const char *cells[MOST_COLUMNS] = {text[0], text[1], text[2]};
    EXPECT_OK(run, kan_table_create(run, w->n_columns, names, &w->made.table));
    for (size_t row = 0; row < w->n; row++) {
        const bool is_again = row > 0 && once_in(random, 4); /* a tuple of several rows */
        const size_t before = row > 0 ? (size_t)kan_random_below(random, row) : 0;
        for (unsigned c = 0; c < w->n_columns; c++) {
            w->values[c][row] = is_again ? w->values[c][before]
                                         : (int64_t)kan_random_below(random, c == 1 ? 4 : 40) - 7;
            snprintf(text[c], sizeof text[c], "%d", (int)w->values[c][row]);
        }
        EXPECT_OK(run, kan_table_add_row(w->made.table, cells));
    }
    EXPECT_OK(run, kan_table_seal(w->made.table));
}

static void make_problem(kan_run *run, world *w) {
    kan_problem *problem = &w->made.problem;
    problem->run = run;
    problem->class_tail = KAN_NO_TAIL;
    kan_space_init(&problem->space, run);
    kan_problems_begin(run);
    for (unsigned c = 0; c < w->n_columns; c++) {
        const kan_column *column = &w->made.table->columns[c];
        EXPECT_OK(run, kan_hierarchy_build(run, "suppress", column, &w->made.hierarchies[c]));
        EXPECT_OK(
            run, kan_domain_make(run, column, w->made.hierarchies[c], false, NULL, &w->domains[c]));
        problem->weights[c] = 1;
        problem->domains[c] = w->domains[c];
        EXPECT_OK(run, kan_space_add_attribute(&problem->space, column, w->made.hierarchies[c]));
    }
    EXPECT_OK(run, kan_problems_end(run));
    EXPECT_OK(run, kan_problem_fold(problem, w->n));
    EXPECT_OK(run, kan_problem_measure(problem));
}

static void ask(world *w, kan_answer *out) {
    const test_question question = {.cost = &kan_cost_ncp, .k = w->k, .wants_best_alone = true};
    test_asked asked;
    test_ask(&w->made, &question, &asked);
    EXPECT_OK(w->made.run, kan_options_add(&asked.options, "per-column", "true"));
    EXPECT_OK(w->made.run, kan_search_univariate.search(w->made.run, &asked.question, out));
    test_asked_destroy(&asked);
}

/* ---- every way ------------------------------------------------------------------------------- */

static int64_t squares_of(const int64_t *values, size_t n) {
    int64_t sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
        squares += values[i] * values[i];
    }
    return n > 0 ? DIVISIBLE * squares - DIVISIBLE / (int64_t)n * sum * sum : 0;
}

typedef struct {
    const world *w;
    unsigned column;
    int64_t values[MOST_ROWS][MOST_ROWS];
    size_t size[MOST_ROWS];
    int64_t best; /* -1: none */
} trial;

static void try_all(trial *t, size_t row, size_t n_groups) {
    if (row == t->w->n) {
        int64_t sum = 0;
        for (size_t g = 0; g < n_groups; g++) {
            if (t->size[g] < t->w->k)
                return;
            sum += squares_of(t->values[g], t->size[g]);
        }
        t->best = t->best < 0 || sum < t->best ? sum : t->best;
        return;
    }
    for (size_t g = 0; g <= n_groups && g < MOST_ROWS; g++) {
        t->values[g][t->size[g]++] = t->w->values[t->column][row];
        try_all(t, row + 1, g == n_groups ? n_groups + 1 : n_groups);
        t->size[g]--;
    }
}

/* ---- what was answered ----------------------------------------------------------------------- */

static int64_t number_of(const world *w, unsigned c, uint32_t leaf) {
    const kan_slice label = w->made.hierarchies[c]->levels[0].label[leaf];
    char text[32];
    snprintf(text, sizeof text, "%.*s", (int)label.size, label.bytes);
    return strtol(text, NULL, 10);
}

/* The rows of each cell of a column. */
static void expect_column(const world *w, const kan_answer *answer, unsigned c) {
    const kan_regions *regions = answer->recoding.regions;
    const kan_problem *problem = &w->made.problem;
    int64_t values[MOST_ROWS][MOST_ROWS], sum = 0;
    size_t size[MOST_ROWS] = {0}, n_rows = 0;
    trial t = {.w = w, .column = c, .best = -1};
    assert_in_range(regions->cells[c].n, 1, w->n / w->k);
    for (size_t i = 0; i < kan_problem_tuples(problem); i++) {
        const uint32_t leaf = kan_problem_tuple_value(problem, i, c);
        kan_portion single;
        const kan_portion *portions;
        const size_t n = kan_regions_portions(regions, i, kan_problem_tuple_rows(problem, i),
                                              &single, &portions);
        for (size_t p = 0; p < n; p++) {
            const uint32_t cell = regions->cell_of[portions[p].region * regions->n_attributes + c];
            assert_true(kan_cell_holds(&regions->cells[c], cell, w->made.hierarchies[c], leaf));
            for (uint64_t r = 0; r < portions[p].n_rows; r++, n_rows++)
                values[cell][size[cell]++] = number_of(w, c, leaf);
        }
    }
    assert_int_equal(n_rows, w->n);
    for (uint32_t cell = 0; cell < regions->cells[c].n; cell++) {
        assert_true(size[cell] >= w->k);
        sum += squares_of(values[cell], size[cell]);
    }
    try_all(&t, 0, 0);
    assert_int_equal(sum, t.best);
}

static void one(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 6007;
    world w = {.made = {.run = run}};
    kan_answer answer;
    w.n = (size_t)between(&random, 1, seed % 5 ? 7 : MOST_ROWS);
    w.k = (size_t)between(&random, 1, w.n < 4 ? w.n : 4);
    w.n_columns = (unsigned)between(&random, 1, MOST_COLUMNS);
    fill(run, &w, &random);
    make_problem(run, &w);
    ask(&w, &answer);
    assert_true(answer.is_found && answer.has_squares && answer.squares_gap == 0);
    for (unsigned c = 0; c < w.n_columns; c++)
        expect_column(&w, &answer, c);
    kan_answer_destroy(run, &answer);
    test_problem_destroy(&w.made);
    for (unsigned c = 0; c < w.n_columns; c++)
        kan_domain_destroy(w.domains[c]);
}

static void each_column_has_the_least_sum_that_there_is(void **state) {
    (void)state;
    random_rounds(2000, one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(each_column_has_the_least_sum_that_there_is, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
