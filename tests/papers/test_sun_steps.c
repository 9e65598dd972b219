/* Sun, Li, Wang, Plank, sections 4 and 5, step by step: the buckets of Table 4, Algorithm 1 on each
 * strategy of Figure 2, and the minimal generalizations that hash-minimal finds. */
#include "support/question.h"

#include "search/levels/hash_minimal_buckets.h"

static const char *const table_1 = "Male,25,4370\n"
                                   "Male,25,4370\n"
                                   "Male,22,4352\n"
                                   "Female,28,4373\n"
                                   "Female,28,4373\n"
                                   "Female,34,4350\n";

enum { GENDER, AGE, ZIP, N_ROWS = 6, N_HEIGHTS = 4 };

static const char *const hierarchies[] = {
    "Male;person\nFemale;person\n",
    "22;22-25;22-34\n25;22-25;22-34\n28;28-34;22-34\n34;28-34;22-34\n",
    "4370;437*;43**\n4373;437*;43**\n4352;435*;43**\n4350;435*;43**\n"};

/* Figure 2: the three ways from the bottom to the top for <Gender, Zip>. */
static const unsigned strategies[3][N_HEIGHTS][2] = {
    {{0, 0}, {1, 0}, {1, 1}, {1, 2}},
    {{0, 0}, {0, 1}, {1, 1}, {1, 2}},
    {{0, 0}, {0, 1}, {0, 2}, {1, 2}},
};

/* The table with some of its columns, and a question about it. */
typedef struct {
    kan_run *run;
    plain_table plain;
    test_problem made;
    test_asked asked;
} scene;

static void scene_make(unsigned n, const unsigned *columns, uint64_t k, scene *out) {
    const char *chosen[3];
    for (unsigned i = 0; i < n; i++)
        chosen[i] = hierarchies[columns[i]];
    out->run = kan_run_create();
    plain_parse(table_1, n, columns, chosen, &out->plain);
    test_problem_make(out->run, &out->plain, &out->made);
    test_ask(&out->made, &(test_question){.cost = &kan_cost_height, .k = k}, &out->asked);
}

static void scene_destroy(scene *here) {
    test_asked_destroy(&here->asked);
    test_problem_destroy(&here->made);
    plain_destroy(&here->plain);
    kan_run_destroy(here->run);
}

/* The buckets of one node of <Gender, Zip>. */
static void fill(scene *here, const unsigned *levels, kan_size_buckets *buckets) {
    test_node node;
    test_node_make(&here->made, &here->asked, levels, &node);
    kan_size_buckets_fill(buckets, &node.groups);
    test_node_destroy(&here->made, &node);
}

/* The buckets for any k, also one that no search would be asked for. */
static void pair_make(uint64_t k, scene *here, kan_size_buckets *buckets) {
    scene_make(2, (const unsigned[]){GENDER, ZIP}, 1, here);
    EXPECT_OK(here->run, kan_size_buckets_init(buckets, here->run, k, N_ROWS));
}

static void pair_destroy(scene *here, kan_size_buckets *buckets) {
    kan_size_buckets_destroy(buckets);
    scene_destroy(here);
}

/* Heights 1 to 3 are the paper's. Its leaves have no children and all lie in bucket 0; ours count
 * their rows: four tuples, of 2, 1, 2 and 1 rows. */
static void buckets_of_strategy_1_are_those_of_table_4(void **state) {
    (void)state;
    static const uint64_t expected[N_HEIGHTS][3] = {{0, 2, 2}, {0, 2, 2}, {0, 0, 2}, {0, 0, 1}};
    static const uint64_t n_tuples[N_HEIGHTS] = {4, 4, 2, 1}, outside[N_HEIGHTS] = {2, 2, 0, 0};
    scene here;
    kan_size_buckets buckets;
    pair_make(2, &here, &buckets);
    assert_int_equal(buckets.k, 2);
    for (unsigned height = 0; height < N_HEIGHTS; height++) {
        fill(&here, strategies[0][height], &buckets);
        for (unsigned label = 0; label <= 2; label++)
            assert_int_equal(buckets.n_in[label], expected[height][label]);
        assert_int_equal(buckets.n_tuples, n_tuples[height]);
        assert_int_equal(buckets.rows_outside, outside[height]);
    }
    pair_destroy(&here, &buckets);
}

/* Algorithm 1: the heights at which not all tuples are in bucket k are discarded; the first that
 * remains. N_HEIGHTS when none does. */
static unsigned algorithm_1(const unsigned strategy[N_HEIGHTS][2], uint64_t k) {
    scene here;
    kan_size_buckets buckets;
    unsigned least = N_HEIGHTS;
    pair_make(k, &here, &buckets);
    for (unsigned height = N_HEIGHTS; height-- > 0;) {
        fill(&here, strategy[height], &buckets);
        if (kan_size_buckets_are_settled(&buckets))
            least = height;
    }
    pair_destroy(&here, &buckets);
    return least;
}

static void algorithm_1_gives_height_2_on_strategy_1(void **state) {
    (void)state;
    assert_int_equal(algorithm_1(strategies[0], 2), 2);
}

static void each_strategy_has_a_least_height_of_its_own(void **state) {
    (void)state;
    assert_int_equal(algorithm_1(strategies[1], 2), 2);
    assert_int_equal(algorithm_1(strategies[2], 2), 2);
    assert_int_equal(algorithm_1(strategies[0], 3), 3); /* GT[1,1] has a group of 2 */
    assert_int_equal(algorithm_1(strategies[2], 3), 2);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(algorithm_1(strategies[i], 1), 0);
        assert_int_equal(algorithm_1(strategies[i], 6), 3);
        assert_int_equal(algorithm_1(strategies[i], 7), N_HEIGHTS);
    }
}

/* `expected` ends after n_minimal vectors. */
static void expect_minimal(unsigned n, const unsigned *columns, uint64_t k, size_t n_minimal,
                           const uint8_t *expected) {
    scene here;
    kan_answer answer;
    scene_make(n, columns, k, &here);
    EXPECT_OK(here.run, kan_search_hash_minimal.search(here.run, &here.asked.question, &answer));
    assert_true(answer.is_complete);
    assert_int_equal(answer.n_minimal, n_minimal);
    assert_memory_equal(answer.minimal, expected, n_minimal * n);
    kan_answer_destroy(here.run, &answer);
    scene_destroy(&here);
}

static void minimal_generalizations_are_those_after_definition_5(void **state) {
    (void)state;
    const unsigned pair[] = {GENDER, ZIP};
    expect_minimal(2, pair, 2, 2, (const uint8_t[]){0, 2, 1, 1});
    expect_minimal(2, pair, 3, 1, (const uint8_t[]){0, 2});
    expect_minimal(2, pair, 6, 1, (const uint8_t[]){1, 2});
    const unsigned other[] = {AGE, ZIP};
    expect_minimal(2, other, 2, 2, (const uint8_t[]){1, 2, 2, 1});
    expect_minimal(2, other, 3, 1, (const uint8_t[]){1, 2});
    const unsigned all[] = {GENDER, AGE, ZIP};
    expect_minimal(3, all, 2, 2, (const uint8_t[]){0, 1, 2, 1, 2, 1});
    expect_minimal(3, all, 3, 1, (const uint8_t[]){0, 1, 2});
    expect_minimal(3, all, 4, 1, (const uint8_t[]){1, 2, 2});
}

/* The algorithm as printed can never return it: its leaves lie in bucket 0. */
static void the_raw_table_is_returned_when_it_is_k_anonymous(void **state) {
    (void)state;
    expect_minimal(3, (const unsigned[]){GENDER, AGE, ZIP}, 1, 1, (const uint8_t[]){0, 0, 0});
}

static void more_than_all_rows_are_in_no_bucket_k(void **state) {
    (void)state;
    scene here;
    kan_size_buckets buckets;
    pair_make(UINT64_MAX, &here, &buckets);
    assert_int_equal(buckets.k, N_ROWS + 1);
    fill(&here, strategies[0][3], &buckets);
    assert_int_equal(buckets.n_in[N_ROWS], 1);
    assert_int_equal(buckets.n_in[N_ROWS + 1], 0);
    assert_int_equal(buckets.rows_outside, N_ROWS);
    assert_false(kan_size_buckets_are_settled(&buckets));
    pair_destroy(&here, &buckets);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_of_strategy_1_are_those_of_table_4),
        cmocka_unit_test(algorithm_1_gives_height_2_on_strategy_1),
        cmocka_unit_test(each_strategy_has_a_least_height_of_its_own),
        cmocka_unit_test(minimal_generalizations_are_those_after_definition_5),
        cmocka_unit_test(the_raw_table_is_returned_when_it_is_k_anonymous),
        cmocka_unit_test(more_than_all_rows_are_in_no_bucket_k),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
