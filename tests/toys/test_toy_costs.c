/* Costs are what they declare, toys of every shape among them. And toy costs under every search of
 * the registry, on random small tables: a search answers, and then the release keeps its promise and
 * costs what the result says, counted again from its rows; or it refuses by the one rule, with the
 * reason (kan_costs_check). Searches over levels are held against every node. A search or a cost
 * that is added is tried by being registered. */
#include "support/question.h"
#include "support/random_problem.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "job/registry/registry.h"
#include "search/search.h"

/* Two columns: numbers 0 .. 7, of which 2, 4 and all go together, and four words. */
enum { N_COLUMNS = 2, MOST_ROWS = 24, AGE_HEIGHT = 3, TOWN_HEIGHT = 1 };

static const unsigned heights[N_COLUMNS] = {AGE_HEIGHT, TOWN_HEIGHT};
static const char *const costs[] = {"largest", "crowd", "reach", "tallest"};

typedef struct {
    kan_run *run;
    kan_table *table;
    size_t n_rows;
    unsigned cells[MOST_ROWS][N_COLUMNS];
    unsigned k, limit;
} scene;

static void scene_make(uint64_t seed, scene *here) {
    static const char *const names[] = {"age", "town"};
    static const char *const towns[] = {"Bonn", "Kiel", "Trier", "Ulm"};
    uint64_t random = seed;
    *here = (scene){.run = kan_run_create()};
    here->n_rows = 6 + kan_random(&random) % (MOST_ROWS - 5);
    here->k = 1 + (unsigned)(kan_random(&random) % 4);
    here->limit = (unsigned)(kan_random(&random) % 3);
    assert_int_equal(kan_table_create(here->run, N_COLUMNS, names, &here->table), KAN_OK);
    for (size_t r = 0; r < here->n_rows; r++) {
        char age[8];
        here->cells[r][0] = (unsigned)(kan_random(&random) % 8);
        here->cells[r][1] = (unsigned)(kan_random(&random) % 4);
        snprintf(age, sizeof age, "%u", here->cells[r][0]);
        const char *row[] = {age, towns[here->cells[r][1]]};
        assert_int_equal(kan_table_add_row(here->table, row), KAN_OK);
    }
}

static void scene_destroy(scene *here) {
    kan_table_destroy(here->table);
    kan_run_destroy(here->run);
}

/* ---- costs, counted from groups ------------------------------------------------------------- */

typedef struct {
    uint64_t n_suppressed, largest, squares, n_small; /* n_small: groups of fewer than k */
} counted;

/* same[i * n + j]: rows that show the same. */
static counted count_groups(const bool *same, size_t n, size_t n_rows, unsigned k,
                            bool leaves_small) {
    counted c = {.n_suppressed = n_rows - n};
    for (size_t i = 0; i < n; i++) {
        uint64_t size = 0;
        for (size_t j = 0; j < n; j++)
            size += same[i * n + j];
        if (size < k && leaves_small) {
            c.n_suppressed++;
            continue;
        }
        c.n_small += size < k;
        c.largest = size > c.largest ? size : c.largest;
        c.squares += size;
    }
    return c;
}

/* By what it is: given_up is the share of its height that each column was moved. */
static double cost_of(const char *cost, const counted *c, const double *given_up,
                      const unsigned *levels, size_t n_rows) {
    double lost = 0, most = 0;
    if (strcmp(cost, "largest") == 0)
        return (double)c->largest;
    if (strcmp(cost, "crowd") == 0)
        return (double)(c->squares + c->n_suppressed * n_rows);
    if (strcmp(cost, "tallest") == 0)
        return levels[0] > levels[1] ? levels[0] : levels[1];
    for (unsigned a = 0; a < N_COLUMNS; a++) {
        lost += given_up[a] * heights[a] * heights[a];
        most += (double)heights[a] * heights[a];
    }
    return lost / most;
}

/* ---- brute force over levels ---------------------------------------------------------------- */

static unsigned shown(unsigned column, unsigned level, unsigned value) {
    return column == 0 ? value >> level : level == 0 ? value : 0;
}

/* NAN: the node does not keep the promise, or releases nothing. */
static double node_cost(const scene *here, const char *cost, const unsigned *levels) {
    bool same[MOST_ROWS * MOST_ROWS];
    double given_up[N_COLUMNS];
    const size_t n = here->n_rows;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            same[i * n + j] = true;
            for (unsigned a = 0; a < N_COLUMNS; a++)
                same[i * n + j] &= shown(a, levels[a], here->cells[i][a]) ==
                                   shown(a, levels[a], here->cells[j][a]);
        }
    const counted c = count_groups(same, n, n, here->k, true);
    if (c.n_suppressed > here->limit || c.n_suppressed == n)
        return NAN;
    for (unsigned a = 0; a < N_COLUMNS; a++)
        given_up[a] =
            ((double)(n - c.n_suppressed) * levels[a] / heights[a] + (double)c.n_suppressed) /
            (double)n;
    return cost_of(cost, &c, given_up, levels, n);
}

static double best_cost(const scene *here, const char *cost) {
    double best = NAN;
    for (unsigned age = 0; age <= AGE_HEIGHT; age++)
        for (unsigned town = 0; town <= TOWN_HEIGHT; town++)
            best = fmin(best, node_cost(here, cost, (const unsigned[]){age, town}));
    return best;
}

/* ---- a release ------------------------------------------------------------------------------ */

static counted count_release(const scene *here, const kan_table *release) {
    bool same[MOST_ROWS * MOST_ROWS];
    const size_t n = kan_table_n_rows(release);
    assert_true(n <= here->n_rows);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            same[i * n + j] = true;
            for (unsigned a = 0; a < N_COLUMNS; a++) {
                size_t size, other_size;
                const char *value = kan_table_value(release, i, a, &size),
                           *other = kan_table_value(release, j, a, &other_size);
                same[i * n + j] &= size == other_size && memcmp(value, other, size) == 0;
            }
        }
    return count_groups(same, n, here->n_rows, here->k, false);
}

static bool is_near(double a, double b) {
    return fabs(a - b) <= 1e-9 * fmax(1, fmax(fabs(a), fabs(b)));
}

static void expect_near(const kan_search_kind *search, const char *cost, const char *what,
                        double told, double here) {
    if (!is_near(told, here))
        fail_msg("%s by %s: %s is %.17g, and should be %.17g", search->kind.name, cost, what, told,
                 here);
}

/* What is told of the release against its rows, and where the search claims more, against all
 * nodes. */
static void check_release(const scene *here, const kan_search_kind *search,
                          const kan_cost_kind *cost, const kan_result *result) {
    const char *name = cost->kind.name;
    json_t *object = json_loads(kan_result_json(result), 0, NULL);
    assert_non_null(object);
    const counted c = count_release(here, kan_result_table(result));
    assert_int_equal(c.n_small, 0);
    assert_true(c.n_suppressed <= here->limit);
    const json_t *given = json_object_get(object, "distortion_by_column");
    const double given_up[N_COLUMNS] = {json_number_value(json_object_get(given, "age")),
                                        json_number_value(json_object_get(given, "town"))};
    const json_t *chosen = json_object_get(json_object_get(object, "solution"), "levels");
    unsigned levels[N_COLUMNS] = {0};
    for (unsigned a = 0; a < N_COLUMNS; a++)
        levels[a] = (unsigned)json_integer_value(json_array_get(chosen, a));
    const double counted_cost = cost_of(name, &c, given_up, levels, here->n_rows);
    const json_t *told = json_object_get(json_object_get(object, "metrics"), name);
    if (json_is_number(told)) /* of some costs nothing is told where rows are left out */
        expect_near(search, name, "the cost that is told", json_number_value(told), counted_cost);
    else
        assert_true(c.n_suppressed > 0 && cost->shape == KAN_SHAPE_OTHER && !cost->is_by_groups);

    const double best = best_cost(here, name);
    const bool is_optimal = json_is_true(json_object_get(object, "optimal"));
    if (search->models[0]->type == KAN_RECODING_LEVELS) {
        expect_near(search, name, "the cost of the node", node_cost(here, name, levels),
                    counted_cost);
        assert_true(!search->finds_best || is_optimal);
        if (is_optimal)
            expect_near(search, name, "the best", counted_cost, best);
    } else if (cost->shape != KAN_SHAPE_OTHER &&
               (search->begins_with_levels || (is_optimal && search->cuts))) {
        assert_true(counted_cost <= best * (1 + 1e-9)); /* levels are among its releases */
    } else if (cost->shape == KAN_SHAPE_OTHER) {
        assert_false(is_optimal); /* nobody can prove anything about it */
    }
    json_decref(object);
}

/* ---- every search --------------------------------------------------------------------------- */

static void set(kan_job *job, const char *name, const char *value) {
    assert_int_equal(kan_job_set(job, name, value), KAN_OK);
}

static void try_search(const scene *here, const kan_search_kind *search,
                       const kan_cost_kind *cost) {
    char k[16], limit[16], refusal[512] = "";
    kan_job *job;
    kan_result *result = NULL;
    snprintf(k, sizeof k, "%u", here->k);
    snprintf(limit, sizeof limit, "%u", here->limit);
    assert_int_equal(kan_job_create(here->run, &job), KAN_OK);
    set(job, "qi", "age=intervals:2,4,town=suppress");
    set(job, "k", k);
    set(job, "suppress", limit);
    set(job, "algorithm", search->kind.name);
    set(job, "cost", cost->kind.name);
    assert_int_equal(kan_job_use_table(job, here->table), KAN_OK);
    const bool is_taken = kan_costs_take(search->costs, cost);
    const kan_status status = kan_job_run(job, "anonymize", &result);
    if (!is_taken)
        snprintf(refusal, sizeof refusal, "--cost %s%s", cost->kind.name, search->costs->why);
    if (status != (is_taken ? KAN_OK : KAN_BAD_INPUT) ||
        (!is_taken && strcmp(kan_run_error(here->run), refusal) != 0))
        fail_msg("%s by %s ended with %d: %s", search->kind.name, cost->kind.name, (int)status,
                 kan_run_error(here->run));
    if (is_taken)
        check_release(here, search, cost, result);
    kan_result_destroy(result);
    kan_job_destroy(job);
}

static void every_search_answers_a_toy_cost_or_refuses_it_by_the_rule(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        scene here;
        scene_make(seed, &here);
        for (size_t s = 0; s < kan_registry_count(KAN_FAMILY_SEARCH); s++) {
            const kan_search_kind *search =
                (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, s);
            if (search->one_column) /* these tables have two */
                continue;
            for (size_t c = 0; c < sizeof costs / sizeof *costs; c++)
                try_search(&here, search,
                           (const kan_cost_kind *)kan_registry_find(KAN_FAMILY_COST, costs[c]));
        }
        scene_destroy(&here);
    }
}

/* A refusal helps nobody that does not say why and what else to do, and a rule that takes all costs
 * needs none. */
static void every_rule_has_a_reason_and_a_remedy(void **state) {
    (void)state;
    for (size_t s = 0; s < kan_registry_count(KAN_FAMILY_SEARCH); s++) {
        const kan_search_kind *search =
            (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, s);
        if (search->costs)
            assert_non_null(strstr(search->costs->why, "; use "));
        else
            assert_int_equal(search->models[0]->type, KAN_RECODING_LEVELS);
    }
}

/* ---- shapes --------------------------------------------------------------------------------- */

/* The cost of groups, by the form that it declares; NAN where that says no number. */
static double cost_by_shape(const kan_problem *problem, const kan_cost_kind *cost,
                            const kan_groups *groups) {
    const double n_suppressed = (double)groups->n_suppressed, n_rows = (double)groups->n_rows;
    double sum = cost->shape == KAN_SHAPE_SIZES     ? n_suppressed * n_rows
                 : cost->shape == KAN_SHAPE_CLASSES ? n_suppressed
                                                    : 0,
           most = 0;
    if (cost->shape == KAN_SHAPE_OTHER || cost->shape == KAN_SHAPE_NUMBER)
        return NAN;
    for (size_t g = 0; g < groups->n_groups; g++) {
        const double n = (double)groups->count[g];
        if (!groups->is_released[g])
            continue;
        if (cost->shape == KAN_SHAPE_SIZES)
            sum += n * n;
        if (cost->shape == KAN_SHAPE_CLASSES) {
            const kan_tally *tally = &groups->tallies[problem->class_tail];
            uint64_t majority = 0;
            for (size_t i = tally->start[g]; i < tally->start[g + 1]; i++)
                majority = tally->count[i] > majority ? tally->count[i] : majority;
            sum += n - (double)majority;
        }
    }
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        const double height = problem->space.dimensions[a].height, weight = problem->weights[a];
        if (cost->shape == KAN_SHAPE_LEVELS)
            sum += weight * groups->levels[a];
        if (cost->shape != KAN_SHAPE_CELLS)
            continue;
        const double steps = cost->price->is_by_share
                                 ? (double)groups->loss[a].share / (double)problem->share_one
                                 : (double)groups->loss[a].levels;
        const double suppressed = cost->price->suppressed(height, weight);
        sum += cost->price->shown(height, weight, steps) + n_suppressed * suppressed;
        most += suppressed * n_rows;
        if (height > 0)
            assert_true(
                is_near(cost->price->shown(height, weight, cost->price->is_by_share ? 1 : height),
                        suppressed));
    }
    return cost->shape != KAN_SHAPE_CELLS ? sum : most > 0 ? sum / most : 0;
}

/* Whole numbers that costs are compared by mean the same. */
static void expect_same_units(const kan_objective *objective, const kan_groups *groups,
                              const kan_score *score) {
    const kan_cell_units *units = objective->state;
    if (objective->kind->shape != KAN_SHAPE_CELLS || !score->is_exact || score->real <= 0)
        return;
    assert_true(
        is_near((double)score->whole / ((double)units->per_suppressed * (double)groups->n_rows),
                score->real));
}

typedef struct {
    size_t n_groups;
    double cost;
} numbered;

/* The more groups, the less it costs; as many cost as much. */
static void expect_order(const kan_cost_kind *cost, numbered before, numbered now) {
    if (cost->shape != KAN_SHAPE_NUMBER || before.n_groups == 0 || now.n_groups == 0)
        return;
    assert_int_equal(now.n_groups > before.n_groups, now.cost < before.cost);
    assert_int_equal(now.n_groups<before.n_groups, now.cost> before.cost);
}

static void shapes_on_one_table(kan_run *run, uint64_t seed, const kan_cost_kind *cost) {
    uint64_t random = seed;
    plain_table plain;
    test_problem made;
    numbered before = {.n_groups = 0};
    random_plain(&random_small, &random, &plain);
    test_problem_make(run, &plain, &made);
    const test_question question = {
        .cost = cost, .k = 1 + kan_random_below(&random, plain.n_rows), .limit = UINT64_MAX};
    for (unsigned turn = 0;
         turn < 4 && !(cost->needs_class && made.problem.class_tail == KAN_NO_TAIL); turn++) {
        unsigned levels[KAN_MAX_ATTRIBUTES];
        test_asked asked;
        test_node node;
        for (unsigned a = 0; a < made.problem.space.n_attributes; a++)
            levels[a] = (unsigned)kan_random_below(
                &random, made.problem.space.dimensions[a].height + UINT64_C(1));
        test_ask(&made, &question, &asked);
        test_node_make(&made, &asked, levels, &node);
        const kan_score score = kan_objective_measure(&asked.objective, &node.groups);
        const double expected = cost_by_shape(&made.problem, cost, &node.groups);
        if (!isnan(expected) && !is_near(score.real, expected))
            fail_msg("%s is %.17g, by its shape %.17g", cost->kind.name, score.real, expected);
        expect_same_units(&asked.objective, &node.groups, &score);
        const numbered now = {node.groups.n_released_groups + (node.groups.n_suppressed > 0),
                              score.real};
        expect_order(cost, before, now);
        before = now;
        test_node_destroy(&made, &node);
        test_asked_destroy(&asked);
    }
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void all_shapes_on_one_table(kan_run *run, uint64_t seed) {
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_COST); i++) {
        const kan_cost_kind *cost = (const kan_cost_kind *)kan_registry_at(KAN_FAMILY_COST, i);
        assert_int_equal(cost->shape == KAN_SHAPE_CELLS, cost->price != NULL);
        assert_true(cost->shape != KAN_SHAPE_LEVELS || cost->needs_levels);
        assert_true(cost->shape != KAN_SHAPE_CLASSES || cost->needs_class);
        shapes_on_one_table(run, seed, cost);
    }
}

static void every_cost_is_of_the_shape_that_it_declares(void **state) {
    (void)state;
    random_rounds(100, all_shapes_on_one_table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_cost_is_of_the_shape_that_it_declares, random_tear_down),
        cmocka_unit_test(every_search_answers_a_toy_cost_or_refuses_it_by_the_rule),
        cmocka_unit_test(every_rule_has_a_reason_and_a_remedy),
    };
    return cmocka_run_group_tests_name("toy_costs", tests, NULL, NULL);
}
