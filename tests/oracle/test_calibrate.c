/* Calibrated weights of random surveys, by every kind of recoding: each is what its definition says, to the last
 * digit, strata lose nobody or k rows and more, and what is refused would not be so. The recount finds these
 * weights, and refuses all others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <kanon.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/calibrated/calibrated.h"
#include "core/hash.h"
#include "data/decimal.h"
#include "support/random_problem.h"

enum { MOST_ROWS = 50, TEXT = 40, DIGITS = 15 };
enum { AGE, SEX, REGION, SIZE, ROW, WEIGHT, N_COLUMNS };

typedef struct {
    kan_run *run;
    uint64_t random;
    size_t n_rows;
    uint64_t k;
    char cells[MOST_ROWS][N_COLUMNS][TEXT];
    uint64_t units[MOST_ROWS]; /* of 10^-3 */
    bool by_size, keeps_suppressed;
    kan_table *table;
    bool is_there[MOST_ROWS];
} world;

static struct { size_t n_released, n_changed, n_refused; } seen;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

static void make_weight(world *w, size_t row) {
    static const uint64_t most[] = {9, 3000, 500000, 4000000000};
    const uint64_t units = 1 + kan_random_below(&w->random, most[below(w, 4)]);
    char *text = w->cells[row][WEIGHT];
    w->units[row] = units;
    snprintf(text, TEXT, "%llu.%03llu", (unsigned long long)(units / 1000),
             (unsigned long long)(units % 1000));
    if (units % 1000 == 0 && below(w, 2))
        *strchr(text, '.') = '\0';
}

static void make_table(world *w) {
    static const char *const names[] = {"age", "sex", "region", "size", "row", "w"};
    const size_t ages = 2 + below(w, 6), regions = 1 + below(w, 3);
    w->n_rows = 6 + below(w, MOST_ROWS - 5);
    EXPECT_OK(w->run, kan_table_create(w->run, N_COLUMNS, names, &w->table));
    for (size_t row = 0; row < w->n_rows; row++) {
        const char *cells[N_COLUMNS];
        snprintf(w->cells[row][AGE], TEXT, "%zu", 20 + 10 * below(w, 1 + below(w, ages)));
        strcpy(w->cells[row][SEX], below(w, 2) ? "f" : "m");
        snprintf(w->cells[row][REGION], TEXT, "r%zu", below(w, regions));
        strcpy(w->cells[row][SIZE], below(w, 3) ? "" : "large");
        snprintf(w->cells[row][ROW], TEXT, "%zu", row);
        make_weight(w, row);
        for (size_t c = 0; c < N_COLUMNS; c++)
            cells[c] = w->cells[row][c];
        EXPECT_OK(w->run, kan_table_add_row(w->table, cells));
    }
}

/* ---- jobs ----------------------------------------------------------------------------------- */

typedef struct {
    const char *limit, *recoding, *algorithm;
    bool keeps_suppressed;
} choice;

static choice choose(world *w) {
    static const char *const limits[] = {"0", "2", "20%", "50%", "all"};
    static const char *const recodings[] = {"full-domain", "attribute-suppression",
                                            "cell-suppression", "full-subtree", "ordered-set"};
    return (choice){.limit = limits[below(w, 5)],
                    .recoding = recodings[below(w, 5)],
                    .keeps_suppressed = below(w, 4) == 0};
}

static kan_status release(world *w, const choice *chosen, bool is_calibrated, kan_job **job,
                          kan_result **out) {
    char k[TEXT];
    snprintf(k, sizeof k, "%d", (int)w->k);
    EXPECT_OK(w->run, kan_job_create(w->run, job));
    EXPECT_OK(w->run, kan_job_use_table(*job, w->table));
    const char *const settings[][2] = {{"qi", "age=intervals:20,40"},
                                       {"qi", "sex=suppress"},
                                       {"k", k},
                                       {"suppress", chosen->limit},
                                       {"recoding", chosen->recoding},
                                       {"threads", "1"},
                                       {"sampling-weight", "w"},
                                       {"keep", "w,row"}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        EXPECT_OK(w->run, kan_job_set(*job, settings[i][0], settings[i][1]));
    if (is_calibrated)
        EXPECT_OK(w->run, kan_job_set(*job, "calibrate", w->by_size ? "region,size" : "region"));
    if (chosen->keeps_suppressed)
        EXPECT_OK(w->run, kan_job_set(*job, "keep-suppressed", NULL));
    return kan_job_run(*job, "anonymize", out);
}

static void copy_cell(const kan_table *table, uint64_t row, const char *name, char *out) {
    size_t column = 0, size;
    while (strcmp(kan_table_column_name(table, column), name) != 0)
        column++;
    const char *value = kan_table_value(table, row, column, &size);
    assert_in_range(size, 0, TEXT - 1);
    memcpy(out, value, size);
    out[size] = '\0';
}

/* ---- the definition ------------------------------------------------------------------------- */

static bool is_together(const world *w, size_t a, size_t b) {
    return strcmp(w->cells[a][REGION], w->cells[b][REGION]) == 0 &&
           (!w->by_size || strcmp(w->cells[a][SIZE], w->cells[b][SIZE]) == 0);
}

typedef struct {
    kan_wide all, left;
    uint64_t n_all, n_left;
} stratum;

static stratum stratum_of(const world *w, size_t row) {
    stratum s = {0};
    for (size_t other = 0; other < w->n_rows; other++) {
        if (!is_together(w, row, other))
            continue;
        s.all += (kan_wide)w->units[other];
        s.left += w->is_there[other] ? (kan_wide)w->units[other] : 0;
        s.n_all++;
        s.n_left += w->is_there[other];
    }
    return s;
}

/* units * all / left in units of 10^-3: with one decimal more at a time, until there are enough digits. */
static void define(const stratum *s, uint64_t units, char *out) {
    kan_wide least = 1, more = 1, found;
    unsigned scale = 3;
    for (int i = 1; i < DIGITS; i++)
        least *= 10;
    for (;; more *= 10, scale++) {
        found = ((kan_wide)units * s->all * more * 2 + s->left) / (2 * s->left);
        if (found >= least)
            break;
    }
    *kan_decimal_write(found, scale, out) = '\0';
}

/* One that the search may not have: a stratum without anybody, or that lost too few. */
static bool is_refused(const world *w) {
    for (size_t row = 0; row < w->n_rows; row++) {
        const stratum s = stratum_of(w, row);
        if (s.n_left == 0 || (s.n_left < s.n_all && s.n_all - s.n_left < (w->k > 2 ? w->k : 2)))
            return true;
    }
    return false;
}

static void find_there(world *w, const kan_table *table) {
    memset(w->is_there, 0, sizeof w->is_there);
    for (uint64_t i = 0; i < kan_table_n_rows(table); i++) {
        char cell[TEXT];
        copy_cell(table, i, "row", cell);
        if (strcmp(cell, "*") != 0)
            w->is_there[strtoul(cell, NULL, 10)] = true;
    }
}

static void expect_weights(world *w, const kan_table *table) {
    assert_false(is_refused(w));
    for (uint64_t i = 0; i < kan_table_n_rows(table); i++) {
        char cell[TEXT], shown[TEXT], expected[KAN_DECIMAL_BYTES];
        copy_cell(table, i, "row", cell);
        copy_cell(table, i, "w", shown);
        if (strcmp(cell, "*") == 0) {
            assert_string_equal(shown, "*");
            continue;
        }
        const size_t row = (size_t)strtoul(cell, NULL, 10);
        const stratum s = stratum_of(w, row);
        if (s.n_left == s.n_all) {
            assert_string_equal(shown, w->cells[row][WEIGHT]);
            continue;
        }
        define(&s, w->units[row], expected);
        if (strchr(shown, 'e')) /* other digits for the same */
            assert_int_equal(kan_decimal_compare(kan_slice_of(shown), kan_slice_of(expected)), 0);
        else
            assert_string_equal(shown, expected);
        seen.n_changed++;
    }
    seen.n_released++;
}

/* ---- the recount ---------------------------------------------------------------------------- */

/* Another weight: one digit is another, or there is one more or less. */
static void spoil(world *w, char *text) {
    const size_t size = strlen(text), at = below(w, size);
    switch (below(w, 3)) {
    case 0:
        if (strchr(text, '.') && !strchr(text, 'e'))
            text[size - 1] = text[size - 1] == '9' ? '8' : (char)(text[size - 1] + 1);
        else
            strcat(text, "7");
        break;
    case 1:
        text[at] = text[at] >= '0' && text[at] <= '8' ? (char)(text[at] + 1) : text[at];
        break;
    default:
        strcpy(text, w->cells[below(w, w->n_rows)][WEIGHT]);
    }
}

static void recount(world *w, const kan_table *table) {
    static const char *const names[] = {"w"};
    const kan_column *strata[] = {kan_table_find(w->table, "region", NULL),
                                  kan_table_find(w->table, "size", NULL)};
    const kan_calibrated_claim claim = {.name = "w",
                                        .weight = kan_table_find(w->table, "w", NULL),
                                        .strata = strata,
                                        .n_strata = w->by_size ? 2 : 1,
                                        .k = w->k};
    uint64_t row_of[MOST_ROWS], n = 0;
    const bool is_spoilt = below(w, 4) > 0;
    bool is_other = false;
    kan_table *weights;
    kan_calibrated_found found;
    const size_t which = below(w, (size_t)kan_table_n_rows(table));
    EXPECT_OK(w->run, kan_table_create(w->run, 1, names, &weights));
    for (uint64_t i = 0; i < kan_table_n_rows(table); i++) {
        char cell[TEXT], shown[2 * TEXT], before[TEXT];
        const char *cells[] = {shown};
        copy_cell(table, i, "row", cell);
        copy_cell(table, i, "w", shown);
        if (strcmp(cell, "*") == 0)
            continue;
        strcpy(before, shown);
        if (is_spoilt && i == which)
            spoil(w, shown);
        /* where a stratum is as it was the text has to be the same */
        const size_t row = (size_t)strtoul(cell, NULL, 10);
        const stratum s = stratum_of(w, row);
        is_other |= s.n_left == s.n_all
                        ? strcmp(before, shown) != 0
                        : kan_decimal_compare(kan_slice_of(before), kan_slice_of(shown)) != 0;
        row_of[n++] = row;
        EXPECT_OK(w->run, kan_table_add_row(weights, cells));
    }
    EXPECT_OK(w->run, kan_table_seal(weights));
    EXPECT_OK(w->run, kan_verify_calibrated(w->run, &claim, kan_table_find(weights, "w", NULL),
                                            row_of, &found));
    if (found.holds == is_other)
        fail_msg("%zu weights are %s, and were counted as %d wrong ones", (size_t)n,
                 is_other ? "spoilt" : "right", (int)found.n_wrong);
    kan_table_destroy(weights);
}

/* ---- rounds --------------------------------------------------------------------------------- */

static void one_survey(kan_run *run, uint64_t seed) {
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->run = run;
    w->random = seed;
    make_table(w);
    w->k = 1 + kan_random_below(&w->random, 3);
    w->by_size = below(w, 2);
    const choice chosen = choose(w);
    kan_job *job = NULL, *plain_job = NULL;
    kan_result *result = NULL, *plain = NULL;
    const kan_status status = release(w, &chosen, true, &job, &result);
    const kan_status before = release(w, &chosen, false, &plain_job, &plain);
    if (before == KAN_OK)
        find_there(w, kan_result_table(plain));
    if (status == KAN_OK) {
        expect_weights(w, kan_result_table(result));
        recount(w, kan_result_table(result));
    } else {
        assert_int_equal(status, KAN_UNSATISFIED);
        assert_true(before == KAN_UNSATISFIED || is_refused(w));
        seen.n_refused += before == KAN_OK;
    }
    kan_result_destroy(result);
    kan_result_destroy(plain);
    kan_job_destroy(job);
    kan_job_destroy(plain_job);
    kan_table_destroy(w->table);
    free(w);
}

static void released_weights_are_what_they_are_defined_as(void **state) {
    (void)state;
    memset(&seen, 0, sizeof seen);
    random_rounds(2000, one_survey);
    print_message("%zu released, %zu weights changed; %zu refused\n", seen.n_released,
                  seen.n_changed, seen.n_refused);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(released_weights_are_what_they_are_defined_as, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
