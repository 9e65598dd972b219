/* A search whose allocations fail one by one: each failure is a clean error with its text, and the
 * account is even afterwards. The last run, without a failure, succeeds. */
#ifndef KANON_TESTS_SEARCH_FAULTS_H
#define KANON_TESTS_SEARCH_FAULTS_H

#include <string.h>

#include "fault/fault.h"
#include "support/question.h"

/* After the first `dense` allocations fewer and fewer are tried. */
static inline void expect_failures_are_clean(kan_run *run, const kan_search_kind *search,
                                             const kan_question *question, uint64_t dense) {
    kan_answer answer;
    kan_run_set_memory(run, UINT64_C(1) << 30);
    EXPECT_OK(run, search->search(run, question, &answer)); /* the threads are there now */
    kan_answer_destroy(run, &answer);
    const uint64_t left = kan_run_memory_left(run);
    uint64_t n = 0;
    for (bool is_done = false; !is_done;) {
        n += 1 + n / dense;
        fault_reset();
        fault_fail_allocation_at(n);
        kan_status status = search->search(run, question, &answer);
        is_done = !fault_happened();
        fault_reset();
        assert_int_equal(status, is_done ? KAN_OK : KAN_FAILED);
        if (is_done)
            kan_answer_destroy(run, &answer);
        else
            assert_non_null(strstr(kan_run_error(run), "out of memory"));
        assert_int_equal(kan_run_memory_left(run), left);
    }
    assert_true(n > 30);
}

static inline void expect_every_failure_is_clean(kan_run *run, const kan_search_kind *search,
                                                 const kan_question *question) {
    expect_failures_are_clean(run, search, question, UINT64_MAX);
}

#endif
