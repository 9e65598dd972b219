/* Searches over cut sets with failing allocations: each failure is a clean error, nothing leaks
 * (the suite runs under the address sanitizer too), and the account is even afterwards. */
#include "fault/search_faults.h"
#include "job/solution/proof_file.h"
#include "support/cut_problem.h"

static int reset(void **state) {
    (void)state;
    fault_reset();
    return 0;
}

/* Every cut there is: a set that either recoding allows. */
static void cut_all(const cut_problem *problem, kan_recoding *out, uint32_t *room) {
    size_t n = 0;
    *out = (kan_recoding){
        .type = KAN_RECODING_CUTS, .n_attributes = problem->plain.n_attributes, .cuts = room};
    for (unsigned a = 0; a < problem->plain.n_attributes; a++) {
        for (uint32_t place = 1; place < problem->n_places[a]; place++)
            room[n++] = place;
        out->first_cut[a + 1] = n;
    }
}

/* With people the first tail says whose each row is; the class is another one. */
static void expect_clean_of(const kan_search_kind *search, const char *const *options,
                            bool is_subtree, unsigned n_threads, bool has_person) {
    kan_run *run = kan_run_create();
    uint64_t random = 11;
    cut_problem problem;
    test_asked asked;
    kan_run_set_threads(run, n_threads);
    do {
        random_cut_problem(run, &random, 12, false, &problem);
        if (problem.classes && problem.plain.n_rows > 10 &&
            (!has_person || problem.plain.class_tail == 1))
            break;
        cut_problem_destroy(&problem);
    } while (true);
    const cut_question question = {
        .cost = &kan_cost_classification, .k = 2, .limit = 3, .is_subtree = is_subtree};
    problem.made.problem.has_person = has_person;
    problem.made.problem.n_people =
        problem.made.table->columns[problem.plain.n_attributes].dictionary.n;
    cut_ask(&problem, &question, &asked);
    asked.promise.by_person = has_person;
    asked.promise.histories = has_person && is_subtree;
    uint32_t room[CUT_CHOICES];
    kan_recoding seed;
    cut_all(&problem, &seed, room);
    asked.question.seed = &seed;
    asked.question.wants_proof = true;
    for (; *options; options += 2)
        EXPECT_OK(run, kan_options_add(&asked.options, options[0], options[1]));
    expect_every_failure_is_clean(run, search, &asked.question);
    test_asked_destroy(&asked);
    cut_problem_destroy(&problem);
    kan_run_destroy(run);
}

static void expect_clean(const kan_search_kind *search, const char *const *options, bool is_subtree,
                         unsigned n_threads) {
    expect_clean_of(search, options, is_subtree, n_threads, false);
}

static void nor_where_people_are_counted(void **state) {
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        expect_clean_of(&kan_search_k_optimize, (const char *[]){NULL}, i, 2, true);
        expect_clean_of(&kan_search_k_optimize_paper, (const char *[]){NULL}, i, 1, true);
        expect_clean_of(&kan_search_hill_climb, (const char *[]){"restarts", "3", NULL}, i, 1,
                        true);
        expect_clean_of(&kan_search_anneal, (const char *[]){"steps", "50", NULL}, i, 1, true);
    }
}

static void every_failing_allocation_is_a_clean_error(void **state) {
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        const bool is_subtree = i % 2;
        const unsigned n_threads = 1 + i / 2;
        expect_clean(&kan_search_k_optimize, (const char *[]){NULL}, is_subtree, n_threads);
        expect_clean(&kan_search_k_optimize, (const char *[]){"unseeded", "true", NULL}, is_subtree,
                     n_threads);
        expect_clean(&kan_search_greedy, (const char *[]){NULL}, is_subtree, n_threads);
        expect_clean(&kan_search_k_optimize_paper, (const char *[]){NULL}, is_subtree, n_threads);
        expect_clean(&kan_search_hill_climb, (const char *[]){"restarts", "6", NULL}, is_subtree,
                     n_threads);
        expect_clean(&kan_search_hill_climb,
                     (const char *[]){"restarts", "12", "restart-kind", "perturb", NULL},
                     is_subtree, n_threads);
        expect_clean(&kan_search_anneal, (const char *[]){"steps", "500", NULL}, is_subtree,
                     n_threads);
        expect_clean(&kan_search_genetic,
                     (const char *[]){"generations", "3", "individuals", "6", NULL}, is_subtree,
                     n_threads);
    }
}

/* The proof of a whole search, or one that has not begun. */
static void make_proof(kan_run *run, bool is_begun, kan_proof *out) {
    EXPECT_OK(run, kan_proof_make(run, 20, is_begun ? 7 : 1, out));
    for (size_t i = 0; i < out->n_open; i++)
        out->bounds[i] = i;
    out->is_found = is_begun;
}

static void expect_text_or_error(kan_run *run, const kan_proof *proof) {
    const uint64_t left = kan_run_memory_left(run);
    kan_text text;
    kan_proof copy;
    uint64_t n = 0;
    for (bool is_done = false; !is_done;) {
        kan_text_init(&text, run);
        fault_reset();
        fault_fail_allocation_at(++n);
        kan_status status = kan_proof_print(proof, &text);
        if (status == KAN_OK)
            status = kan_proof_parse(run, "proof", text.bytes, text.size, &copy);
        else
            copy = (kan_proof){.n_open = 0};
        is_done = !fault_happened();
        fault_reset();
        /* jansson tells some of its failed allocations as errors of what is read. */
        const bool is_refused =
            status == KAN_BAD_INPUT && strstr(kan_run_error(run), "not a proof: ");
        assert_true(is_refused || status == (is_done ? KAN_OK : KAN_FAILED));
        if (!is_done)
            assert_true(is_refused || strstr(kan_run_error(run), "out of memory"));
        kan_proof_destroy(run, &copy);
        kan_text_destroy(&text);
        assert_int_equal(kan_run_memory_left(run), left);
    }
    assert_true(n > 10);
}

static void proofs_are_printed_and_read_or_not_at_all(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    kan_run_set_memory(run, UINT64_C(1) << 30);
    for (unsigned i = 0; i < 2; i++) {
        kan_proof proof;
        make_proof(run, i > 0, &proof);
        expect_text_or_error(run, &proof);
        kan_proof_destroy(run, &proof);
    }
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_failing_allocation_is_a_clean_error, reset),
        cmocka_unit_test_teardown(nor_where_people_are_counted, reset),
        cmocka_unit_test_teardown(proofs_are_printed_and_read_or_not_at_all, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
