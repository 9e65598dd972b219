/* privacy/t_closeness.c: the three distances, against moving earth itself: the cheapest way to
 * carry what a group has too much of to where it lacks, found by augmenting paths, with no formula
 * for any of the distances. */
#include "sensitive_column.h"
#include "support/random_problem.h"

#include <stdio.h>
#include <stdlib.h>

#define EXPECT_TEXT(a, b) assert_non_null(strstr(a, b))

/* ---- earth ---------------------------------------------------------------------------------- */

enum { NODES = 2 * MOST_VALUES + 2 };

typedef struct {
    size_t n; /* nodes: source, values that give, values that take, sink */
    long long room[NODES][NODES], cost[NODES][NODES];
} network;

/* The cheapest path with room left, by relaxing until nothing changes. */
static bool find_path(const network *net, size_t *before) {
    long long length[NODES];
    const size_t sink = net->n - 1;
    for (size_t i = 0; i < net->n; i++)
        length[i] = i == 0 ? 0 : INT64_MAX / 2;
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (size_t i = 0; i < net->n; i++)
            for (size_t j = 0; j < net->n; j++)
                if (net->room[i][j] > 0 && length[i] < INT64_MAX / 2 &&
                    length[i] + net->cost[i][j] < length[j]) {
                    length[j] = length[i] + net->cost[i][j];
                    before[j] = i;
                    has_changed = true;
                }
    }
    return length[sink] < INT64_MAX / 2;
}

/* What it costs to make `has` into `due`, which have the same sum, over a matrix of costs. */
static long long move_earth(size_t n, const long long *has, const long long *due,
                            long long (*distance)[MOST_VALUES]) {
    static network net;
    size_t before[NODES] = {0};
    long long cost = 0;
    memset(&net, 0, sizeof net);
    net.n = 2 * n + 2;
    for (size_t i = 0; i < n; i++) {
        net.room[0][1 + i] = has[i];
        net.room[1 + n + i][net.n - 1] = due[i];
        for (size_t j = 0; j < n; j++) {
            net.room[1 + i][1 + n + j] = INT64_MAX / 4;
            net.cost[1 + i][1 + n + j] = distance[i][j];
            net.cost[1 + n + j][1 + i] = -distance[i][j];
        }
    }
    while (find_path(&net, before)) {
        long long most = INT64_MAX;
        for (size_t at = net.n - 1; at != 0; at = before[at])
            most = net.room[before[at]][at] < most ? net.room[before[at]][at] : most;
        for (size_t at = net.n - 1; at != 0; at = before[at]) {
            net.room[before[at]][at] -= most;
            net.room[at][before[at]] += most;
            cost += most * net.cost[before[at]][at];
        }
    }
    return cost;
}

/* ---- random columns ------------------------------------------------------------------------- */

typedef struct {
    sensitive_column s;
    size_t n, rows[MOST_VALUES];
    char texts[MOST_VALUES][16];
    const char *values[MOST_VALUES + 1];
    const char *kind;
    long long parts; /* distances are whole numbers of 1 / parts */
    long long distance[MOST_VALUES][MOST_VALUES];
    kan_hierarchy *tree;
} column;

static void order_values(column *c) {
    c->kind = "ordered";
    c->parts = c->n > 1 ? (long long)c->n - 1 : 1;
    for (size_t i = 0; i < c->n; i++)
        for (size_t j = 0; j < c->n; j++)
            c->distance[i][j] = llabs((long long)i - (long long)j);
}

static void part_values(column *c) {
    c->kind = "equal";
    c->parts = 1;
    for (size_t i = 0; i < c->n; i++)
        for (size_t j = 0; j < c->n; j++)
            c->distance[i][j] = i != j;
}

/* Level 1 by what is left when dividing by 3, level 2 by parity of that, level 3 all. */
static void grow_tree(column *c) {
    kan_hierarchy_lines *lines;
    char labels[2][16];
    EXPECT_OK(c->s.run, kan_hierarchy_lines_create(c->s.run, "tree", &lines));
    for (size_t i = 0; i < c->n; i++) {
        snprintf(labels[0], sizeof labels[0], "third %zu", i % 3);
        snprintf(labels[1], sizeof labels[1], "half %zu", i % 3 % 2);
        const kan_slice fields[] = {kan_slice_of(c->values[i]), kan_slice_of(labels[0]),
                                    kan_slice_of(labels[1]), kan_slice_of("*")};
        EXPECT_OK(c->s.run, kan_hierarchy_lines_add(lines, i + 1, fields, 4));
        for (size_t j = 0; j < c->n; j++)
            c->distance[i][j] = i == j ? 0 : i % 3 == j % 3 ? 1 : i % 3 % 2 == j % 3 % 2 ? 2 : 3;
    }
    kan_problems_begin(c->s.run);
    EXPECT_OK(c->s.run, kan_hierarchy_bind(lines, &c->s.made.table->columns[1], &c->tree));
    EXPECT_OK(c->s.run, kan_problems_end(c->s.run));
    kan_hierarchy_lines_destroy(lines);
    c->s.made.problem.tail_trees[0] = c->tree;
    c->kind = "hierarchical";
    c->parts = 3;
}

static void distances_on_one_column(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    static column c;
    (void)run;
    memset(&c, 0, sizeof c);
    /* Now and then so many that no word has a bit for each. */
    const bool is_large = seed % 60 == 2;
    c.n = is_large ? MOST_VALUES : 1 + (size_t)kan_random_below(&random, 9);
    for (size_t i = 0; i < c.n; i++) {
        snprintf(c.texts[i], sizeof c.texts[i], "%zu", 10 + 7 * i);
        c.values[i] = c.texts[i];
        c.rows[i] = 1 + (size_t)kan_random_below(&random, 9);
    }
    sensitive_open(&c.s, c.values, c.rows);
    if (seed % 3 == 0)
        order_values(&c);
    else if (seed % 3 == 1)
        part_values(&c);
    else
        grow_tree(&c);
    for (unsigned turn = 0; turn < (is_large ? 2 : 10); turn++) {
        uint64_t here[MOST_VALUES] = {0}, n_here = 0;
        long long has[MOST_VALUES], due[MOST_VALUES], n_all = (long long)c.s.plain.n_rows;
        char text[32];
        for (size_t i = 0; i < c.n; i++)
            n_here += here[i] = kan_random_below(&random, 2) * kan_random_below(&random, 6);
        if (n_here == 0)
            here[0] = n_here = 1;
        for (size_t i = 0; i < c.n; i++) {
            has[i] = (long long)here[i] * n_all;
            due[i] = (long long)(c.rows[i] * n_here);
        }
        const long long cost = move_earth(c.n, has, due, c.distance);
        const long long one = c.parts * (long long)n_here * n_all;
        for (long long t = 0; t <= 1000; t += 1 + (long long)kan_random_below(&random, 120)) {
            snprintf(text, sizeof text, "%lld.%03lld", t / 1000, t % 1000);
            sensitive_unsay(&c.s);
            sensitive_say(&c.s, "t", text);
            sensitive_say(&c.s, "t-distance", c.kind);
            assert_int_equal(sensitive_passes(&c.s, &kan_privacy_t_closeness, here),
                             cost * 1000 <= t * one);
        }
    }
    kan_hierarchy_destroy(c.tree);
    c.s.made.problem.tail_trees[0] = NULL;
    sensitive_close(&c.s);
}

static void distances_are_what_it_costs_to_move_earth(void **state) {
    (void)state;
    random_rounds(300, distances_on_one_column);
}

/* ---- by hand -------------------------------------------------------------------------------- */

/* Li, Li and Venkatasubramanian's salaries: nine of 3 to 11 thousand. */
static void salaries_are_as_far_as_their_authors_say(void **state) {
    (void)state;
    static const char *const salaries[] = {"3", "4", "5", "6", "7", "8", "9", "10", "11", NULL};
    sensitive_column s;
    sensitive_open(&s, salaries, (const size_t[]){1, 1, 1, 1, 1, 1, 1, 1, 1});
    sensitive_say(&s, "t", "0.375"); /* {3, 4, 5} */
    assert_true(
        sensitive_passes(&s, &kan_privacy_t_closeness, (uint64_t[]){1, 1, 1, 0, 0, 0, 0, 0, 0}));
    sensitive_unsay(&s);
    sensitive_say(&s, "t", "0.374999");
    assert_false(
        sensitive_passes(&s, &kan_privacy_t_closeness, (uint64_t[]){1, 1, 1, 0, 0, 0, 0, 0, 0}));
    sensitive_unsay(&s);
    sensitive_say(&s, "t", "0.166667"); /* {6, 8, 11}: 0.1667 */
    assert_true(
        sensitive_passes(&s, &kan_privacy_t_closeness, (uint64_t[]){0, 0, 0, 1, 0, 1, 0, 0, 1}));
    sensitive_unsay(&s);
    sensitive_say(&s, "t", "0.166666");
    assert_false(
        sensitive_passes(&s, &kan_privacy_t_closeness, (uint64_t[]){0, 0, 0, 1, 0, 1, 0, 0, 1}));
    sensitive_close(&s);
}

static void numbers_written_in_two_ways_are_no_distance_apart(void **state) {
    (void)state;
    static const char *const numbers[] = {"07", "7", "8", NULL};
    sensitive_column s;
    sensitive_open(&s, numbers, (const size_t[]){1, 1, 2});
    sensitive_say(&s, "t", "0");
    assert_true(sensitive_passes(&s, &kan_privacy_t_closeness, (uint64_t[]){1, 0, 1}));
    assert_false(sensitive_passes(&s, &kan_privacy_t_closeness, (uint64_t[]){1, 1, 1}));
    sensitive_close(&s);
}

static void the_table_itself_is_no_distance_away(void **state) {
    (void)state;
    static const char *const words[] = {"a", "b", "c", NULL};
    sensitive_column s;
    sensitive_open(&s, words, (const size_t[]){1, 2, 3});
    sensitive_say(&s, "t", "0");
    assert_true(sensitive_passes(&s, &kan_privacy_t_closeness, (uint64_t[]){1, 2, 3}));
    assert_true(sensitive_passes(&s, &kan_privacy_t_closeness, (uint64_t[]){2, 4, 6}));
    assert_false(sensitive_passes(&s, &kan_privacy_t_closeness, (uint64_t[]){1, 2, 4}));
    sensitive_close(&s);
}

static void a_distance_that_the_column_lacks_is_refused(void **state) {
    (void)state;
    static const char *const words[] = {"a", "b", NULL};
    sensitive_column s;
    sensitive_open(&s, words, (const size_t[]){1, 2});
    sensitive_say(&s, "t", "0.5");
    sensitive_say(&s, "t-distance", "ordered");
    EXPECT_TEXT(sensitive_refusal(&s, &kan_privacy_t_closeness, 0, KAN_BAD_INPUT), "no order");
    sensitive_unsay(&s);
    sensitive_say(&s, "t", "0.5");
    sensitive_say(&s, "t-distance", "hierarchical");
    EXPECT_TEXT(sensitive_refusal(&s, &kan_privacy_t_closeness, 0, KAN_BAD_INPUT), "--t-hierarchy");
    sensitive_close(&s);
}

static void what_could_overflow_is_refused(void **state) {
    (void)state;
    static const char *const words[] = {"a", "b", NULL};
    sensitive_column s;
    sensitive_open(&s, words, (const size_t[]){1, 2});
    s.made.problem.n_rows = UINT64_C(1) << 36;
    sensitive_say(&s, "t", "0.123456789012345678");
    EXPECT_TEXT(sensitive_refusal(&s, &kan_privacy_t_closeness, 0, KAN_BAD_INPUT), "fewer digits");
    sensitive_unsay(&s);
    sensitive_say(&s, "t", "0.123456");
    sensitive_refusal(&s, &kan_privacy_t_closeness, 0, KAN_OK);
    s.made.problem.n_rows = 3;
    sensitive_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(distances_are_what_it_costs_to_move_earth, random_tear_down),
        cmocka_unit_test(salaries_are_as_far_as_their_authors_say),
        cmocka_unit_test(numbers_written_in_two_ways_are_no_distance_apart),
        cmocka_unit_test(the_table_itself_is_no_distance_away),
        cmocka_unit_test(a_distance_that_the_column_lacks_is_refused),
        cmocka_unit_test(what_could_overflow_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
