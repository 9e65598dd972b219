/* What any partition of mondrian and mondrian-relaxed must be, whichever cuts were chosen: regions
 * that keep the promise, bounds of their sizes (mondrian-greedy.txt 2.2, with the corrections that
 * ties need), no cut left, cells that hold what they stand for, and the same on any number of
 * threads, and from rows that do not fit into memory. */
#include <stdlib.h>
#include <string.h>

#include "support/models.h"
#include "support/plain_mondrian.h"

/* ---- a case --------------------------------------------------------------------------------- */

enum { QUERIES = 8 };

typedef struct {
    region_problem problem;
    kan_query_box queries[QUERIES];
    plain_purpose purpose;
    plain_plan plan;
    test_asked asked;
    kan_answer answer;
    const kan_regions *regions;
    uint32_t *region;       /* by row */
    size_t **rows, *n_rows; /* by region */
} scene;

static void ask(scene *s) {
    kan_run *run = s->problem.made.run;
    const plain_plan *plan = &s->plan;
    const test_question question = {.privacy = plan->passes ? &model_values : NULL,
                                    .cost = plan->cost,
                                    .k = plan->k,
                                    .wants_best_alone = true};
    test_ask(&s->problem.made, &question, &s->asked);
    s->asked.question.queries = s->queries;
    s->asked.question.n_queries = QUERIES;
    s->asked.question.purpose = plan->purpose;
    EXPECT_OK(run, kan_options_add(&s->asked.options, "split", plan->split));
    EXPECT_OK(run,
              kan_options_add(&s->asked.options, "ranges", plan->is_global ? "global" : "tight"));
    if (plan->categories)
        EXPECT_OK(run, kan_options_add(&s->asked.options, "categories", plan->categories));
}

static kan_status search(const scene *s, kan_answer *out) {
    const kan_search_kind *kind =
        s->plan.is_relaxed ? &kan_search_mondrian_relaxed : &kan_search_mondrian;
    return kind->search(s->problem.made.run, &s->asked.question, out);
}

/* Asks, and hands out the rows to their regions. */
static void scene_open(scene *s) {
    ask(s);
    EXPECT_OK(s->problem.made.run, search(s, &s->answer));
    s->regions = s->answer.recoding.regions;
    if (!s->answer.is_found)
        return;
    const size_t n = s->regions->n_regions;
    s->region = region_of_rows(&s->problem, &s->answer);
    s->rows = calloc(n, sizeof *s->rows);
    s->n_rows = calloc(n, sizeof *s->n_rows);
    assert_true(s->rows && s->n_rows);
    for (size_t r = 0; r < n; r++) {
        s->rows[r] = calloc((size_t)s->regions->n_rows[r], sizeof **s->rows);
        assert_non_null(s->rows[r]);
    }
    for (size_t row = 0; row < s->problem.n_rows; row++)
        s->rows[s->region[row]][s->n_rows[s->region[row]]++] = row;
}

static void scene_close(scene *s) {
    for (size_t r = 0; s->answer.is_found && r < s->regions->n_regions; r++)
        free(s->rows[r]);
    free(s->rows);
    free(s->n_rows);
    free(s->region);
    kan_answer_destroy(s->problem.made.run, &s->answer);
    test_asked_destroy(&s->asked);
    s->rows = NULL;
    s->n_rows = NULL;
    s->region = NULL;
}

/* Boxes of places: of everything, of one value, of some. */
static void random_queries(scene *s, uint64_t *random) {
    for (size_t q = 0; q < QUERIES; q++) {
        s->queries[q].weight = (double)(1 + kan_random_below(random, 4));
        for (unsigned a = 0; a < s->problem.n_attributes; a++) {
            const uint32_t n_places = s->problem.axes[a].n_places;
            const uint32_t x = (uint32_t)kan_random_below(random, n_places);
            const uint32_t y = (uint32_t)kan_random_below(random, n_places);
            const bool is_all = kan_random_below(random, 2) != 0;
            s->queries[q].first[a] = is_all ? 0 : x < y ? x : y;
            s->queries[q].last[a] = is_all ? n_places - 1 : x < y ? y : x;
        }
    }
}

static plain_plan random_plan(scene *s, uint64_t *random) {
    static const char *const splits[] = {"widest", "entropy", "cost", "workload", "purpose"};
    static const char *const categories[] = {NULL, "order", "any", "tree"};
    static const kan_cost_kind *const costs[] = {&kan_cost_ncp, &kan_cost_discernibility,
                                                 &kan_cost_precision, &kan_cost_classification};
    const region_problem *problem = &s->problem;
    const size_t n = problem->n_rows;
    plain_purpose_destroy(&s->purpose);
    plain_purpose_make(problem, random, &s->purpose);
    return (plain_plan){
        .is_relaxed = kan_random_below(random, 3) == 0,
        .is_global = kan_random_below(random, 3) == 0,
        .split = splits[kan_random_below(random, problem->class_tail == KAN_NO_TAIL ? 4 : 5)],
        .purpose = problem->class_tail == KAN_NO_TAIL ? NULL : &s->purpose.purpose,
        .categories = categories[kan_random_below(random, 4)],
        .cost = costs[kan_random_below(random, problem->class_tail == KAN_NO_TAIL ? 3 : 4)],
        .k = 1 + kan_random_below(random, n < 8 ? n : 8)};
}

/* ---- cells ---------------------------------------------------------------------------------- */

static bool holds(const scene *s, size_t r, unsigned a, uint32_t leaf) {
    return kan_cell_holds(&s->regions->cells[a],
                          s->regions->cell_of[r * s->problem.n_attributes + a],
                          s->problem.made.hierarchies[a], leaf);
}

static void expect_cells_hold(const scene *s, size_t r) {
    for (size_t i = 0; i < s->n_rows[r]; i++)
        for (unsigned a = 0; a < s->problem.n_attributes; a++)
            assert_true(holds(s, r, a, s->problem.axes[a].leaf[s->rows[r][i]]));
}

static bool has_place(const scene *s, size_t r, unsigned a, uint32_t place) {
    for (size_t i = 0; i < s->n_rows[r]; i++)
        if (s->problem.axes[a].place[s->rows[r][i]] == place)
            return true;
    return false;
}

/* A range begins and ends at values of the region, a set has no other values, and no child of a
 * node has all of them. */
static void expect_cells_are_tight(const scene *s, size_t r) {
    for (unsigned a = 0; a < s->problem.n_attributes; a++) {
        const region_axis *axis = &s->problem.axes[a];
        const kan_cells *cells = &s->regions->cells[a];
        const kan_cell *cell = &cells->cells[s->regions->cell_of[r * s->problem.n_attributes + a]];
        if (cells->type == KAN_CELL_RANGE) {
            uint32_t first = UINT32_MAX;
            assert_true(has_place(s, r, a, axis->place_of[cell->b]));
            for (uint32_t leaf = 0; leaf < axis->n_leaves; leaf++) {
                if (!holds(s, r, a, leaf))
                    continue;
                /* unknown values, and the least known one, are there */
                if (axis->place_of[leaf] < axis->n_unknown || first == UINT32_MAX)
                    assert_true(has_place(s, r, a, axis->place_of[leaf]));
                if (axis->place_of[leaf] >= axis->n_unknown && first == UINT32_MAX)
                    first = leaf;
            }
        } else if (cells->type == KAN_CELL_SET) {
            for (uint32_t i = cell->a; i < cell->b; i++)
                assert_true(has_place(s, r, a, axis->place_of[cells->set[i]]));
        } else {
            assert_int_equal(cell->a, plain_cover(axis, s->rows[r], s->n_rows[r]));
        }
    }
}

/* Some column tells any two regions apart: no value is in the cells of both. */
static void expect_regions_are_apart(const scene *s) {
    for (size_t r = 0; r < s->regions->n_regions; r++)
        for (size_t other = 0; other < r; other++) {
            bool is_apart = false;
            for (unsigned a = 0; a < s->problem.n_attributes && !is_apart; a++) {
                is_apart = true;
                for (uint32_t leaf = 0; leaf < s->problem.axes[a].n_leaves && is_apart; leaf++)
                    is_apart = !holds(s, r, a, leaf) || !holds(s, other, a, leaf);
            }
            assert_true(is_apart);
        }
}

/* No cell is in the list twice. */
static void expect_cells_are_distinct(const scene *s) {
    for (unsigned a = 0; a < s->problem.n_attributes; a++) {
        const kan_cells *cells = &s->regions->cells[a];
        for (uint32_t c = 0; c < cells->n; c++)
            for (uint32_t other = 0; other < c; other++) {
                const kan_cell *x = &cells->cells[c], *y = &cells->cells[other];
                if (cells->type == KAN_CELL_SET)
                    assert_true(x->b - x->a != y->b - y->a ||
                                memcmp(cells->set + x->a, cells->set + y->a,
                                       (x->b - x->a) * sizeof *cells->set) != 0);
                else
                    assert_true(x->a != y->a || x->b != y->b ||
                                kan_cell_unknown(cells, c) != kan_cell_unknown(cells, other));
            }
    }
}

/* ---- cuts ----------------------------------------------------------------------------------- */

static bool is_alike(const scene *s, size_t r, unsigned a) {
    for (size_t i = 1; i < s->n_rows[r]; i++)
        if (s->problem.axes[a].place[s->rows[r][i]] != s->problem.axes[a].place[s->rows[r][0]])
            return false;
    return true;
}

/* Whether a part of the region's rows, and all the others, may be regions. */
static bool may_part(const scene *s, size_t r, const bool *is_left) {
    size_t *rows = calloc(s->n_rows[r] + 1, sizeof *rows);
    bool is_allowed = true;
    assert_non_null(rows);
    for (unsigned side = 0; side < 2 && is_allowed; side++) {
        size_t n = 0;
        for (size_t i = 0; i < s->n_rows[r]; i++)
            if (is_left[i] == (side == 0))
                rows[n++] = s->rows[r][i];
        is_allowed = plain_is_allowed(&s->problem, &s->plan, rows, n);
    }
    free(rows);
    return is_allowed;
}

/* Every position of every column. */
static void expect_no_place_to_cut(const scene *s, size_t r, unsigned a) {
    const region_axis *axis = &s->problem.axes[a];
    bool *is_left = calloc(s->n_rows[r], sizeof *is_left);
    assert_non_null(is_left);
    for (size_t at = 0; at < s->n_rows[r]; at++) {
        for (size_t i = 0; i < s->n_rows[r]; i++)
            is_left[i] = axis->place[s->rows[r][i]] <= axis->place[s->rows[r][at]];
        assert_false(may_part(s, r, is_left));
    }
    free(is_left);
}

/* Some child of the node that covers the region may not be a region. */
static void expect_no_node_to_cut(const scene *s, size_t r, unsigned a) {
    const region_axis *axis = &s->problem.axes[a];
    const unsigned level = plain_cover(axis, s->rows[r], s->n_rows[r]);
    size_t *rows = calloc(s->n_rows[r], sizeof *rows);
    bool is_allowed = level > 0;
    assert_non_null(rows);
    for (size_t at = 0; at < s->n_rows[r] && is_allowed; at++) {
        const uint32_t *node = axis->node[level - 1];
        size_t n = 0;
        for (size_t i = 0; i < s->n_rows[r]; i++)
            if (node[axis->leaf[s->rows[r][i]]] == node[axis->leaf[s->rows[r][at]]])
                rows[n++] = s->rows[r][i];
        is_allowed = plain_is_allowed(&s->problem, &s->plan, rows, n);
    }
    assert_false(is_allowed);
    free(rows);
}

static void expect_no_cut_is_left(const scene *s, size_t r) {
    for (unsigned a = 0; a < s->problem.n_attributes; a++) {
        if (plain_cutting_of(&s->plan, &s->problem.axes[a]) == PLAIN_TREE)
            expect_no_node_to_cut(s, r, a);
        else if (!s->plan.is_relaxed)
            expect_no_place_to_cut(s, r, a);
        else if (!s->plan.passes) /* halves of 2k rows are large enough */
            assert_true(is_alike(s, r, a) || s->n_rows[r] < 2 * s->plan.k);
    }
}

static void expect_promise_is_kept(const scene *s) {
    for (size_t r = 0; r < s->regions->n_regions; r++) {
        assert_true(plain_is_allowed(&s->problem, &s->plan, s->rows[r], s->n_rows[r]));
        expect_no_cut_is_left(s, r);
    }
}

/* Rows with the same values, whatever their tails, are in one region. */
static void expect_tuples_are_whole(const scene *s) {
    for (size_t i = 1; i < s->problem.n_rows; i++) {
        const size_t row = s->problem.rows[i], before = s->problem.rows[i - 1];
        bool is_same = true;
        for (unsigned a = 0; a < s->problem.n_attributes; a++)
            is_same &= s->problem.axes[a].leaf[row] == s->problem.axes[a].leaf[before];
        assert_true(!is_same || s->region[row] == s->region[before]);
    }
}

/* ---- claims --------------------------------------------------------------------------------- */

static void any_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 2671;
    region_spec spec;
    scene s = {.region = NULL};
    kan_run_set_threads(run, 1);
    random_region_spec(&random, seed % 2 ? 20 : 90, &spec);
    region_problem_make(run, &spec, &random, &s.problem);
    random_queries(&s, &random);
    for (unsigned i = 0; i < 4; i++) {
        s.plan = random_plan(&s, &random);
        scene_open(&s);
        assert_true(s.answer.is_found);
        expect_promise_is_kept(&s);
        expect_cells_are_distinct(&s);
        for (size_t r = 0; r < s.regions->n_regions; r++) {
            expect_cells_hold(&s, r);
            if (!s.plan.is_global)
                expect_cells_are_tight(&s, r);
        }
        if (!s.plan.is_relaxed) {
            expect_regions_are_apart(&s);
            expect_tuples_are_whole(&s);
        }
        scene_close(&s);
    }
    plain_purpose_destroy(&s.purpose);
    region_problem_destroy(&s.problem);
}

static void regions_keep_k_hold_their_rows_and_cannot_be_cut(void **state) {
    (void)state;
    random_rounds(400, any_table);
}

static void values_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 3347;
    region_spec spec;
    scene s = {.region = NULL};
    uint64_t n_values = 1;
    kan_run_set_threads(run, 1);
    do
        random_region_spec(&random, 80, &spec);
    while (spec.n_tails <= (spec.has_class ? 1U : 0U)); /* models do not look at the class */
    region_problem_make(run, &spec, &random, &s.problem);
    random_queries(&s, &random);
    while (plain_has_values(&n_values, &s.problem, s.problem.rows, s.problem.n_rows))
        n_values++;
    for (unsigned i = 0; i < 4; i++) {
        s.plan = random_plan(&s, &random);
        s.plan.passes = plain_has_values;
        s.plan.k = 1 + kan_random_below(&random, 4);
        s.plan.context = &s.plan.k;
        scene_open(&s);
        assert_int_equal(s.answer.is_found, s.plan.k < n_values);
        if (s.answer.is_found)
            expect_promise_is_kept(&s);
        scene_close(&s);
    }
    plain_purpose_destroy(&s.purpose);
    region_problem_destroy(&s.problem);
}

static void regions_have_different_sensitive_values_and_cannot_be_cut(void **state) {
    (void)state;
    random_rounds(250, values_on_one_table);
}

/* The most rows that are alike in all columns. */
static size_t most_copies(const scene *s) {
    size_t most = 0;
    for (size_t row = 0; row < s->problem.n_rows; row++) {
        size_t n = 0;
        for (size_t other = 0; other < s->problem.n_rows; other++) {
            bool is_same = true;
            for (unsigned a = 0; a < s->problem.n_attributes && is_same; a++)
                is_same = s->problem.axes[a].place[row] == s->problem.axes[a].place[other];
            n += is_same;
        }
        most = n > most ? n : most;
    }
    return most;
}

/* Trap: 2k - 1 is for regions that have something to halve. */
static void expect_bounds(const scene *s) {
    const size_t d = s->problem.n_attributes, k = (size_t)s->plan.k;
    const size_t most = 2 * d * (k - 1) + most_copies(s);
    for (size_t r = 0; r < s->regions->n_regions; r++) {
        bool is_one = true;
        for (unsigned a = 0; a < d; a++)
            is_one &= is_alike(s, r, a);
        assert_true(s->n_rows[r] >= k);
        if (s->plan.is_relaxed)
            assert_true(s->n_rows[r] <= 2 * k - 1 || is_one);
        else
            assert_true(s->n_rows[r] <= most);
    }
}

static void numbers_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 4409;
    region_spec spec;
    scene s = {.region = NULL};
    kan_run_set_threads(run, 1);
    random_region_spec(&random, 200, &spec);
    for (unsigned a = 0; a < spec.n_attributes; a++)
        spec.columns[a].kind = REGION_NUMBERS;
    region_problem_make(run, &spec, &random, &s.problem);
    random_queries(&s, &random);
    for (unsigned i = 0; i < 3; i++) {
        s.plan = random_plan(&s, &random);
        scene_open(&s);
        expect_bounds(&s);
        scene_close(&s);
    }
    plain_purpose_destroy(&s.purpose);
    region_problem_destroy(&s.problem);
}

static void sizes_are_within_the_bounds_for_numbers(void **state) {
    (void)state;
    random_rounds(150, numbers_on_one_table);
}

/* ---- threads -------------------------------------------------------------------------------- */

static void expect_same_cells(const kan_cells *x, const kan_cells *y) {
    assert_int_equal(x->type, y->type);
    assert_int_equal(x->n, y->n);
    assert_memory_equal(x->cells, y->cells, x->n * sizeof *x->cells);
    for (uint32_t c = 0; x->type == KAN_CELL_SET && c < x->n; c++)
        for (uint32_t i = x->cells[c].a; i < x->cells[c].b; i++)
            assert_int_equal(x->set[i], y->set[i]);
}

static void expect_same(const kan_regions *x, const kan_regions *y) {
    const size_t n = x->n_attributes;
    assert_int_equal(x->n_regions, y->n_regions);
    assert_memory_equal(x->n_rows, y->n_rows, x->n_regions * sizeof *x->n_rows);
    assert_memory_equal(x->cell_of, y->cell_of, x->n_regions * n * sizeof *x->cell_of);
    assert_memory_equal(x->region_of, y->region_of, x->n_tuples * sizeof *x->region_of);
    assert_int_equal(x->n_splits, y->n_splits);
    for (size_t i = 0; i < x->n_splits; i++) {
        assert_int_equal(x->split_start[i + 1], y->split_start[i + 1]);
        for (size_t p = x->split_start[i]; p < x->split_start[i + 1]; p++) {
            assert_int_equal(x->portions[p].region, y->portions[p].region);
            assert_int_equal(x->portions[p].n_rows, y->portions[p].n_rows);
        }
    }
    for (unsigned a = 0; a < n; a++)
        expect_same_cells(&x->cells[a], &y->cells[a]);
}

/* One table in some is large enough for several tasks at a time. */
static void threads_on_one_table(kan_run *run, uint64_t seed) {
    static const unsigned n_threads[] = {2, 5};
    uint64_t random = seed * 8689;
    region_spec spec;
    kan_answer other;
    scene s = {.region = NULL};
    if (seed % 16 == 1)
        random_large_region_spec(&random, &spec);
    else
        random_region_spec(&random, 300, &spec);
    spec.n_rows = spec.n_rows > 10000 ? 10000 : spec.n_rows;
    region_problem_make(run, &spec, &random, &s.problem);
    random_queries(&s, &random);
    for (unsigned i = 0; i < 2; i++) {
        s.plan = random_plan(&s, &random);
        kan_run_set_threads(run, 1);
        scene_open(&s);
        for (unsigned t = 0; t < 2; t++) {
            kan_run_set_threads(run, n_threads[t]);
            EXPECT_OK(run, search(&s, &other));
            assert_true(other.is_found);
            expect_same(s.regions, other.recoding.regions);
            kan_answer_destroy(run, &other);
        }
        scene_close(&s);
    }
    plain_purpose_destroy(&s.purpose);
    region_problem_destroy(&s.problem);
}

static void regions_do_not_depend_on_threads(void **state) {
    (void)state;
    random_rounds(40, threads_on_one_table);
}

/* ---- rows that are not folded --------------------------------------------------------------- */

/* The same regions and cells; tuples are rows here. */
static void expect_same_by_row(const scene *s, const kan_regions *other) {
    const kan_regions *regions = s->regions;
    const size_t n = regions->n_attributes;
    assert_int_equal(other->n_tuples, s->problem.n_rows);
    assert_int_equal(other->n_splits, 0);
    assert_int_equal(other->n_regions, regions->n_regions);
    assert_memory_equal(other->n_rows, regions->n_rows, other->n_regions * sizeof *other->n_rows);
    for (size_t row = 0; row < s->problem.n_rows; row++)
        assert_int_equal(other->region_of[row], s->region[row]);
    assert_memory_equal(other->cell_of, regions->cell_of,
                        other->n_regions * n * sizeof *other->cell_of);
    for (unsigned a = 0; a < n; a++)
        expect_same_cells(&other->cells[a], &regions->cells[a]);
}

/* Asks again with a budget of `bytes` beyond what is in use; false when that is too little. */
static bool is_same_unfolded(scene *s, uint64_t bytes) {
    kan_run *run = s->problem.made.run;
    kan_problem *problem = &s->problem.made.problem;
    const uint64_t plenty = UINT64_C(1) << 40;
    const kan_freqset base = problem->base;
    kan_answer answer;
    kan_run_set_memory(run, plenty);
    kan_run_set_memory(run, plenty - kan_run_memory_left(run) + bytes);
    problem->is_unfolded = true;
    problem->base.n = 0;
    const kan_status status = search(s, &answer);
    problem->is_unfolded = false;
    problem->base = base;
    kan_run_set_memory(run, 0);
    if (status != KAN_OK) {
        assert_int_equal(status, KAN_FAILED);
        assert_non_null(strstr(kan_run_error(run), "memory"));
        return false;
    }
    assert_int_equal(answer.is_found, s->answer.is_found);
    if (answer.is_found)
        expect_same_by_row(s, answer.recoding.regions);
    kan_answer_destroy(run, &answer);
    return true;
}

static size_t n_unfolded; /* that had enough memory */

/* Budgets from hardly enough to plenty: from regions that are all cut on disk to none. */
static void unfolded_rows_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 9241;
    region_spec spec;
    scene s = {.region = NULL};
    random_region_spec(&random, 60, &spec);
    spec.n_rows = 200 + (size_t)kan_random_below(&random, 2000);
    if (seed % 64 == 1)
        spec.n_rows = 140000; /* several threads read a region */
    kan_run_set_threads(run, 1 + (unsigned)(seed % 2));
    region_problem_make(run, &spec, &random, &s.problem);
    random_queries(&s, &random);
    s.plan = random_plan(&s, &random);
    s.plan.is_relaxed = false;
    if (spec.n_tails > (spec.has_class ? 1U : 0U) && kan_random_below(&random, 2)) {
        s.plan.passes = plain_has_values;
        s.plan.k = 1 + kan_random_below(&random, 4);
        s.plan.context = &s.plan.k;
    }
    scene_open(&s);
    for (uint64_t per_row = 80; per_row <= 1280; per_row *= 2)
        n_unfolded += is_same_unfolded(&s, spec.n_rows * per_row);
    n_unfolded += is_same_unfolded(&s, UINT64_C(1) << 30);
    scene_close(&s);
    plain_purpose_destroy(&s.purpose);
    region_problem_destroy(&s.problem);
}

static void regions_of_rows_that_are_not_folded_are_the_same(void **state) {
    (void)state;
    n_unfolded = 0;
    random_rounds(100, unfolded_rows_on_one_table);
    assert_true(n_unfolded > 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(regions_keep_k_hold_their_rows_and_cannot_be_cut,
                                  random_tear_down),
        cmocka_unit_test_teardown(regions_have_different_sensitive_values_and_cannot_be_cut,
                                  random_tear_down),
        cmocka_unit_test_teardown(sizes_are_within_the_bounds_for_numbers, random_tear_down),
        cmocka_unit_test_teardown(regions_do_not_depend_on_threads, random_tear_down),
        cmocka_unit_test_teardown(regions_of_rows_that_are_not_folded_are_the_same,
                                  random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
