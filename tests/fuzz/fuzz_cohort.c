/* Fuzzing expressions that choose rows: whatever the bytes are, reading them ends, and what comes out holds together and
 * answers. */
#include <stdlib.h>

#include "data/cohort/cohort.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void require(bool holds) {
    if (!holds)
        abort();
}

static void check(const kan_cohort *cohort) {
    static const char *const values[] = {"", "?", "18", "2020-01-31", "x"};
    require(cohort->n_tests > 0 && cohort->n_steps == 2 * cohort->n_tests - 1);
    for (size_t i = 0; i < cohort->n_steps; i++) {
        const kan_cohort_step step = cohort->steps[i];
        require(step.joint == KAN_COHORT_TEST ? step.left < cohort->n_tests
                                              : step.left < i && step.right < i);
    }
    for (size_t t = 0; t < cohort->n_tests; t++) {
        const kan_cohort_test *const test = &cohort->tests[t];
        require((test->relation == KAN_COHORT_MISSING) == (test->n_values == 0));
        require(test->n_values <= 1 || test->relation == KAN_COHORT_AMONG);
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            const kan_cohort_answer answer = kan_cohort_ask(test, kan_slice_of(values[i]));
            require(i > 1 || test->relation == KAN_COHORT_MISSING || answer == KAN_COHORT_NO);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    kan_run *run = kan_run_create();
    kan_cohort *cohort = NULL;
    kan_arena arena;
    char *text = malloc(size + 1);
    require(run && text);
    if (size)
        memcpy(text, bytes, size);
    text[size] = '\0';
    kan_arena_init(&arena, run);
    if (kan_cohort_parse(run, &arena, text, &cohort) == KAN_OK)
        check(cohort);
    else
        require(!cohort && kan_run_error(run)[0] != '\0');
    kan_arena_destroy(&arena);
    free(text);
    kan_run_destroy(run);
    return 0;
}
