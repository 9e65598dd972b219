/* A problem with one sensitive column, and groups of it given by the rows of each value. */
#ifndef KANON_TESTS_SENSITIVE_COLUMN_H
#define KANON_TESTS_SENSITIVE_COLUMN_H

#include <string.h>

#include "privacy/privacy.h"
#include "support/plain.h"

enum { MOST_VALUES = 72 };

typedef struct sensitive_column {
    kan_run *run;
    plain_table plain;
    test_problem made;
    kan_options options;
} sensitive_column;

/* values[i] has rows[i] rows; the values are in the order of the column, and NULL ends them. */
static inline void sensitive_open(sensitive_column *s, const char *const *values,
                                  const size_t *rows) {
    size_t n_rows = 0, at = 0;
    memset(s, 0, sizeof *s);
    s->run = kan_run_create();
    assert_non_null(s->run);
    plain_init(&s->plain);
    strcpy(plain_add_attribute(&s->plain, 1, 1)->leaves[0].at[0], "x");
    strcpy(s->plain.attributes[0].leaves[0].at[1], "*");
    s->plain.n_tails = 1;
    for (size_t i = 0; values[i]; i++)
        n_rows += rows[i];
    plain_add_rows(&s->plain, n_rows);
    for (size_t i = 0; values[i]; i++)
        for (size_t n = 0; n < rows[i]; n++) {
            strcpy(plain_cell(&s->plain, at, 0), "x");
            strcpy(plain_cell(&s->plain, at++, 1), values[i]);
        }
    test_problem_make(s->run, &s->plain, &s->made);
    kan_options_init(&s->options, kan_run_arena(s->run));
}

static inline void sensitive_close(sensitive_column *s) {
    kan_options_destroy(&s->options);
    test_problem_destroy(&s->made);
    plain_destroy(&s->plain);
    kan_run_destroy(s->run);
}

static inline void sensitive_say(sensitive_column *s, const char *name, const char *value) {
    EXPECT_OK(s->run, kan_options_add(&s->options, name, value));
}

/* Forgets what was said. */
static inline void sensitive_unsay(sensitive_column *s) {
    kan_options_destroy(&s->options);
}

/* Whether a group with these rows of each value passes; the model is made from what was said. */
static inline bool sensitive_passes(sensitive_column *s, const kan_privacy_kind *kind,
                                    const uint64_t *rows) {
    const uint32_t n = s->made.table->columns[1].dictionary.n;
    size_t start[2] = {0, 0};
    uint32_t value[MOST_VALUES];
    uint64_t count[MOST_VALUES], all = 0;
    uint8_t ok = 1;
    void *state;
    EXPECT_OK(s->run,
              kind->create(s->run, kan_run_arena(s->run), &s->options, &s->made.problem, &state));
    assert_true(n <= MOST_VALUES);
    for (uint32_t v = 0; v < n; v++) {
        if (rows[v] == 0)
            continue;
        value[start[1]] = v;
        count[start[1]++] = rows[v];
        all += rows[v];
    }
    const kan_tally tally = {start, value, count};
    const kan_groups groups = {
        .n_groups = 1, .n_rows = s->plain.n_rows, .count = &all, .tallies = &tally};
    kind->check(state, &groups, 0, 1, &ok);
    assert_true(all >= kind->least_size(state) || !ok);
    return ok;
}

/* The error of create(), or of what is possible with a limit; "" when there is none. */
static inline const char *sensitive_refusal(sensitive_column *s, const kan_privacy_kind *kind,
                                            uint64_t limit, kan_status expected) {
    void *state;
    kan_status status =
        kind->create(s->run, kan_run_arena(s->run), &s->options, &s->made.problem, &state);
    if (status == KAN_OK && kind->check_possible)
        status = kind->check_possible(s->run, state, &s->made.problem, limit);
    assert_int_equal(status, expected);
    return status == KAN_OK ? "" : kan_run_error(s->run);
}

#endif
