/* Models of the whole table, average risk, rows at risk and global risk, against brute force: the rule
 * by which groups leave, alone and with other models; what may be pruned; and every search over levels.
 *
 * The brute force knows sizes, texts and weights alone. It sorts the groups that other models let pass
 * and takes the smallest away, or that of the highest risk, one by one, until the definitions hold. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/verify/individual.h"
#include "oracle/ask.h"
#include "support/random_problem.h"

enum { MOST_ROWS = 60 };

/* What is promised: average risk a / 1000 (above 1000: not promised), s / 1000 of the rows below so
 * many rows (0: not promised), a global risk r / 1000 (0: not promised), and models of single groups. */
typedef struct {
    uint64_t a, s, below, r;
    uint64_t units[MOST_ROWS]; /* what each row stands for, in tenths */
    plain_privacy *models;
} promised;

/* ---- by the definitions --------------------------------------------------------------------- */

static double people_of(const promised *p, const oracle_group *group) {
    uint64_t units = 0;
    for (size_t i = 0; i < group->n_rows; i++)
        units += p->units[group->rows[i]];
    return (double)units / 10;
}

static double risk_of(const promised *p, const oracle_group *group) {
    return kan_individual_risk(group->n_rows, people_of(p, group));
}

/* Groups that stand for no more people than they have rows have a risk of exactly 1 / rows. */
static bool holds_on_average(const promised *p, const oracle_node *node) {
    uint64_t n_rows = 0, n_exact = 0;
    double sum = 0;
    for (size_t g = 0; g < node->n_groups; g++) {
        const oracle_group *group = &node->groups[g];
        if (!group->is_released)
            continue;
        n_rows += group->n_rows;
        if (people_of(p, group) <= (double)group->n_rows)
            n_exact++;
        else
            sum += risk_of(p, group) * (double)group->n_rows;
    }
    if (n_exact * 1000 > p->r * n_rows)
        return false;
    const double left = (double)(p->r * n_rows - n_exact * 1000) / 1000;
    if (sum > 0 && fabs(sum - left) < 1e-10)
        fail_msg("a mean risk is too near to what is promised for the test");
    return sum <= left;
}

static bool holds(const promised *p, const oracle_node *node) {
    uint64_t n_groups = 0, n_rows = 0, n_small = 0;
    for (size_t g = 0; g < node->n_groups; g++) {
        const oracle_group *group = &node->groups[g];
        n_groups += group->is_released;
        n_rows += group->is_released ? group->n_rows : 0;
        n_small += group->is_released && group->n_rows < p->below ? group->n_rows : 0;
    }
    return (p->r == 0 || holds_on_average(p, node)) &&
           (p->a > 1000 || 1000 * n_groups <= p->a * n_rows) &&
           (p->below == 0 || 1000 * n_small <= p->s * n_rows);
}

static size_t first_line(const plain_attribute *attribute, unsigned level, size_t leaf) {
    size_t line = 0;
    while (strcmp(attribute->leaves[line].at[level], attribute->leaves[leaf].at[level]) != 0)
        line++;
    return line;
}

/* Values in the order of the hierarchy: a label stands where its first line does, within that
 * above it. */
static int compare_leaves(const plain_attribute *attribute, unsigned level, size_t x, size_t y) {
    for (unsigned l = attribute->height + 1; l-- > level;) {
        const size_t a = first_line(attribute, l, x), b = first_line(attribute, l, y);
        if (a != b)
            return a < b ? -1 : 1;
    }
    return 0;
}

static bool leaves_before(const promised *p, const oracle *truth, const oracle_node *node,
                          const oracle_group *x, const oracle_group *y) {
    const unsigned n = truth->plain->n_attributes;
    if (p->r > 0 && fabs(risk_of(p, x) / risk_of(p, y) - 1) > 1e-11)
        return risk_of(p, x) > risk_of(p, y);
    if (x->n_rows != y->n_rows)
        return x->n_rows < y->n_rows;
    for (unsigned a = 0; a < n; a++) {
        const int order = compare_leaves(&truth->plain->attributes[a], node->levels[a],
                                         truth->leaf_of[x->some_row * n + a],
                                         truth->leaf_of[y->some_row * n + a]);
        if (order != 0)
            return order < 0;
    }
    return false;
}

static void settle(const oracle *truth, const void *context, oracle_node *node) {
    while (!holds(context, node)) {
        oracle_group *first = NULL;
        for (size_t g = 0; g < node->n_groups; g++)
            if (node->groups[g].is_released &&
                (!first || leaves_before(context, truth, node, &node->groups[g], first)))
                first = &node->groups[g];
        assert_non_null(first);
        first->is_released = false;
    }
}

static bool passes(const void *context, const oracle_group *group) {
    return plain_privacy_passes(((const promised *)context)->models, group);
}

/* ---- the best rule there is ----------------------------------------------------------------- */

/* The fewest rows that can leave so that the model holds, over all choices of groups. */
static uint64_t fewest_rows(const promised *p, const oracle_node *node) {
    enum { MOST_GROUPS = 10 };
    oracle_node tried = *node;
    uint64_t fewest = UINT64_MAX;
    if (node->n_groups > MOST_GROUPS)
        return UINT64_MAX;
    oracle_group groups[MOST_GROUPS];
    tried.groups = groups;
    for (size_t choice = 0; choice < (size_t)1 << node->n_groups; choice++) {
        uint64_t gone = 0;
        for (size_t g = 0; g < node->n_groups; g++) {
            groups[g] = node->groups[g];
            groups[g].is_released = !(choice >> g & 1) && passes(p, &groups[g]);
            gone += groups[g].is_released ? 0 : groups[g].n_rows;
        }
        if (gone < fewest && holds(p, &tried))
            fewest = gone;
    }
    return fewest;
}

static struct {
    ask_seen all;
    size_t n_best, n_worse;
    size_t n_holes; /* of a limit above 0, by rows at risk */
    size_t n_weighted;
} seen;

static void expect_fewest(const oracle *truth, const promised *p) {
    for (size_t i = 0; i < truth->n_nodes; i++) {
        const uint64_t fewest = fewest_rows(p, &truth->nodes[i]);
        if (fewest == UINT64_MAX)
            continue;
        assert_true(fewest <= truth->nodes[i].n_suppressed);
        if (p->below == 0)
            assert_int_equal(fewest, truth->nodes[i].n_suppressed);
        seen.n_best += fewest == truth->nodes[i].n_suppressed;
        seen.n_worse += fewest < truth->nodes[i].n_suppressed;
    }
}

/* ---- searches ------------------------------------------------------------------------------- */

static void ask_all(const test_problem *made, const oracle *truth, const test_question *question,
                    const promised *p) {
    ask_every_search(made, truth, question, &seen.all);
    seen.n_holes += ask_has_hole(truth) && p->models->alpha_parts == 0 && p->models->l == 0 &&
                    p->models->t_parts == 0;
}

/* Values of the last tail stand for people, or rows for less than themselves. */
static void weigh(const test_problem *made, const plain_table *plain, uint64_t *random,
                  uint64_t *units, kan_sampling *out, promised *p) {
    const kan_space *space = &made->problem.space;
    const unsigned tail = space->n_tails - 1;
    const kan_dimension *d = &space->dimensions[space->n_attributes + tail];
    const uint64_t most = kan_random_below(random, 3) == 0 ? 12 : 4000;
    *out = (kan_sampling){
        .tail = tail, .n_values = kan_dimension_groups(d, 0), .units = units, .one = 10};
    assert_true(out->n_values <= MOST_ROWS);
    for (uint32_t value = 0; value < out->n_values; value++)
        units[value] = 1 + kan_random_below(random, most);
    for (size_t row = 0; row < plain->n_rows; row++) {
        p->units[row] = units[kan_dimension_value(d, kan_column_code(d->column, row))];
        out->total += p->units[row];
    }
}

/* Whether a tail may say what rows stand for: all but the class. */
static bool has_weights(const test_problem *made) {
    const kan_problem *problem = &made->problem;
    return problem->space.n_tails > 0 && problem->class_tail != (int)problem->space.n_tails - 1;
}

static void ask_at_random(test_problem *made, oracle *truth, uint64_t *random) {
    const plain_table *plain = truth->plain;
    const bool is_weighted = has_weights(made) && once_in(random, 2);
    const unsigned which = is_weighted ? (unsigned)kan_random_below(random, 4) % 3
                                       : 1 + (unsigned)kan_random_below(random, 3);
    plain_privacy models;
    promised p = {.a = 1001, .models = &models};
    uint64_t units[MOST_ROWS];
    kan_sampling sampling;
    char a[32] = "1", s[32], below[32], r[32];
    const kan_privacy_kind *kinds[4] = {NULL};
    size_t n_kinds = 0;
    if (plain_is_sensitive(plain) && !is_weighted && once_in(random, 3))
        random_privacy(plain, random, made, &models);
    else
        plain_privacy_init(&models, plain);
    models.k = once_in(random, 2) ? 1 : 1 + kan_random_below(random, 3);
    models.k = models.k > plain->n_rows ? plain->n_rows : models.k;
    if (which & 1) {
        p.a = kan_random_below(random, once_in(random, 3) ? 1001 : 300);
        snprintf(a, sizeof a, "0.%03llu", (unsigned long long)p.a % 1000);
        kinds[n_kinds++] = &kan_privacy_average_risk;
    }
    if (p.a == 1000)
        strcpy(a, "1");
    if (which & 2) {
        p.below = 2 + kan_random_below(random, 6);
        p.s = once_in(random, 4) ? 0 : kan_random_below(random, 400);
        kinds[n_kinds++] = &kan_privacy_at_risk;
    }
    if (is_weighted) {
        weigh(made, plain, random, units, &sampling, &p);
        made->problem.sampling = &sampling;
        made->problem.has_room = true;
        p.r = 1 + kan_random_below(random, once_in(random, 2) ? 999 : 40);
        kinds[n_kinds++] = &kan_privacy_global_risk;
        seen.n_weighted++;
    }
    snprintf(r, sizeof r, "0.%03llu", (unsigned long long)p.r);
    snprintf(s, sizeof s, "0.%03llu", (unsigned long long)p.s);
    snprintf(below, sizeof below, "%llu", (unsigned long long)(p.below ? p.below : 2));
    const char *options[] = {"average-risk", a, "at-risk", s, "below", below,
                             "global-risk",  r, NULL};
    const uint64_t limits[] = {0, kan_random_below(random, plain->n_rows / 4 + 1), UINT64_MAX, 0};
    truth->settle = settle;
    for (unsigned turn = 0; turn < 4; turn++) {
        test_question question = {.models = &models,
                                  .more = kinds,
                                  .more_options = options,
                                  .cost = ask_random_cost(plain, random),
                                  .k = models.k,
                                  .limit = limits[turn],
                                  .wants_release = once_in(random, 2),
                                  .wants_best_alone = once_in(random, 3)};
        if (turn == 3) /* the limit that some node just keeps */
            question.limit = truth->nodes[kan_random_below(random, truth->n_nodes)].n_suppressed;
        oracle_judge(truth, passes, &p, question.limit);
        ask_all(made, truth, &question, &p);
        if (turn == 0 && !is_weighted)
            expect_fewest(truth, &p);
    }
    made->problem.sampling = NULL;
    made->problem.has_room = false;
    plain_privacy_destroy(&models, made);
}

static const random_spec few_nodes = {.least_attributes = 1,
                                      .most_attributes = 4,
                                      .least_rows = 1,
                                      .most_rows = MOST_ROWS,
                                      .most_leaves = 8,
                                      .most_height = 3,
                                      .most_tails = 2,
                                      .most_nodes = 60};

static void searches_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 40503;
    plain_table plain;
    test_problem made;
    oracle truth;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    random_plain(&few_nodes, &random, &plain);
    test_problem_make(run, &plain, &made);
    oracle_open(&plain, &truth);
    for (unsigned turn = 0; turn < 3; turn++)
        ask_at_random(&made, &truth, &random);
    oracle_close(&truth);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void every_search_finds_what_brute_force_finds(void **state) {
    (void)state;
    memset(&seen, 0, sizeof seen);
    random_rounds(400, searches_on_one_table);
    print_message(
        "%zu promises, %zu monotone, %zu satisfiable, %zu with holes; %zu searches; %zu "
        "nodes that leave out some; %zu nodes as few rows as can be, %zu not; %zu by weights\n",
        seen.all.n_questions, seen.all.n_monotone, seen.all.n_satisfied, seen.n_holes,
        seen.all.n_searches, seen.all.n_left, seen.n_best, seen.n_worse, seen.n_weighted);
    if (getenv("KANON_TEST_SEED") || getenv("KANON_TEST_ROUNDS"))
        return;
    assert_true(seen.all.n_monotone > 200 && seen.all.n_monotone + 200 < seen.all.n_questions);
    assert_true(seen.all.n_satisfied > 200 && seen.all.n_satisfied + 50 < seen.all.n_questions);
    assert_true(seen.n_holes > 0 && seen.all.n_left > 1000 && seen.n_best > 1000);
}

/* ---- by hand -------------------------------------------------------------------------------- */

typedef struct {
    kan_promise promise;
    kan_groups groups;
    uint8_t is_released[16];
} by_hand;

static void check_sizes(kan_run *run, const char *const *options, const uint64_t *sizes, size_t n,
                        by_hand *out) {
    kan_options given;
    kan_problem problem = {.n_rows = 0};
    kan_options_init(&given, kan_run_arena(run));
    memset(out, 0, sizeof *out);
    out->groups = (kan_groups){.n_groups = n, .count = sizes};
    for (size_t g = 0; g < n; g++)
        out->groups.n_rows += sizes[g];
    problem.n_rows = out->groups.n_rows;
    kan_promise_init(&out->promise, UINT64_MAX);
    for (size_t i = 0; options[i]; i += 2)
        EXPECT_OK(run, kan_options_add(&given, options[i], options[i + 1]));
    if (kan_options_find(&given, "average-risk"))
        EXPECT_OK(run, kan_promise_add(&out->promise, run, kan_run_arena(run),
                                       &kan_privacy_average_risk, &given, &problem));
    if (kan_options_find(&given, "at-risk"))
        EXPECT_OK(run, kan_promise_add(&out->promise, run, kan_run_arena(run), &kan_privacy_at_risk,
                                       &given, &problem));
    kan_promise_check(&out->promise, &out->groups, out->is_released);
    kan_options_destroy(&given);
}

/* 2 groups of 20 rows are 0.1; a third of 1 row makes it 3 / 21, and leaves. */
static void the_smallest_groups_leave_until_the_mean_is_small_enough(void **state) {
    kan_run *run = *state;
    static const uint64_t sizes[] = {12, 1, 8};
    static const char *const tenth[] = {"average-risk", "0.1", NULL};
    static const char *const seventh[] = {"average-risk", "0.143", NULL};
    by_hand found;
    check_sizes(run, tenth, sizes, 3, &found);
    assert_int_equal(found.groups.n_suppressed, 1);
    assert_true(found.is_released[0] && !found.is_released[1] && found.is_released[2]);
    check_sizes(run, seventh, sizes, 3, &found); /* 3 / 21 = 0.142857... */
    assert_int_equal(found.groups.n_suppressed, 0);
}

/* Exactly the share is allowed: 0.09 of 100 rows are 9 groups. */
static void the_share_itself_is_allowed(void **state) {
    static const uint64_t sizes[] = {11, 11, 11, 11, 11, 11, 11, 11, 12};
    static const char *const options[] = {"average-risk", "0.09", NULL};
    static const char *const less[] = {"average-risk", "0.089999999999999", NULL};
    by_hand found;
    check_sizes(*state, options, sizes, 9, &found);
    assert_int_equal(found.groups.n_suppressed, 0);
    check_sizes(*state, less, sizes, 9, &found); /* 8 of 89 is 0.08988... */
    assert_int_equal(found.groups.n_suppressed, 11);
    assert_int_equal(found.groups.n_released_groups, 8);
}

/* Of groups of one size only as many leave as have to, those that come first. */
static void of_equal_groups_no_more_leave_than_have_to(void **state) {
    static const uint64_t sizes[] = {2, 2, 2, 2, 12};
    static const char *const options[] = {"average-risk", "0.2", NULL};
    by_hand found; /* 5/20, 4/18, 3/16: two leave */
    check_sizes(*state, options, sizes, 5, &found);
    assert_int_equal(found.groups.n_suppressed, 4);
    assert_int_equal(found.groups.n_released_groups, 3);
    assert_true(!found.is_released[0] && !found.is_released[1] && found.is_released[2]);
}

static void sizes_of_any_number_of_digits_are_told_apart(void **state) {
    static const uint64_t sizes[] = {UINT64_C(1) << 40, 70000, 65536, 256, 255, 257, 1};
    static const uint64_t order[] = {1, 255, 256, 257, 65536, 70000};
    static const char *const below[] = {"2", "256", "257", "258", "65537", "70001"};
    uint64_t gone = 0;
    for (size_t i = 0; i < 6; i++) {
        const char *const options[] = {"at-risk", "0", "below", below[i], NULL};
        by_hand found;
        gone += order[i];
        check_sizes(*state, options, sizes, 7, &found);
        assert_int_equal(found.groups.n_suppressed, gone);
    }
}

/* What stands in docs/papers/table-models.md: 12, 3 and 1 rows; then 12 and 4. */
static void merging_small_groups_can_cost_rows_where_some_may_leave(void **state) {
    static const uint64_t apart[] = {12, 3, 1}, merged[] = {12, 4};
    static const char *const options[] = {"at-risk", "0.2", "below", "5", NULL};
    by_hand found;
    check_sizes(*state, options, apart, 3, &found);
    assert_int_equal(found.groups.n_suppressed, 1);
    check_sizes(*state, options, merged, 2, &found);
    assert_int_equal(found.groups.n_suppressed, 4);
    found.promise.limit = 1;
    assert_false(kan_promise_is_monotone(&found.promise));
    found.promise.limit = 0;
    assert_true(kan_promise_is_monotone(&found.promise));
}

static void nobody_at_risk_is_k_anonymity(void **state) {
    static const uint64_t sizes[] = {1, 2, 3, 4, 5, 6};
    static const char *const options[] = {"at-risk", "0", "below", "4", NULL};
    by_hand found;
    check_sizes(*state, options, sizes, 6, &found);
    assert_int_equal(found.groups.n_suppressed, 1 + 2 + 3);
    assert_true(found.promise.absorbs_any);
    assert_int_equal(found.promise.least_size, 4);
}

static int set_up(void **state) {
    *state = kan_run_create();
    return *state ? 0 : 1;
}

static int tear_down(void **state) {
    kan_run_destroy(*state);
    return 0;
}

#define BY_HAND(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_search_finds_what_brute_force_finds, random_tear_down),
        BY_HAND(the_smallest_groups_leave_until_the_mean_is_small_enough),
        BY_HAND(the_share_itself_is_allowed),
        BY_HAND(of_equal_groups_no_more_leave_than_have_to),
        BY_HAND(sizes_of_any_number_of_digits_are_told_apart),
        BY_HAND(merging_small_groups_can_cost_rows_where_some_may_leave),
        BY_HAND(nobody_at_risk_is_k_anonymity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
