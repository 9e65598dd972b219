/* Hidden cells that match anything, on small tables: whatever is shown again keeps the promise in both
 * directions, by counting every pair of a row and a person; the bound is one; and how far the answer is
 * from the best of all ways to hide cells (docs/papers/matching.md). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/plain_fits.h"

enum { MOST_COLUMNS = 5 };

static const kan_fits_wants no_wants = {.n_sets = 0};

static struct { size_t n, n_best, n_hidden, n_least, n_groups, n_bound; } seen;

static void one_table(kan_run *run, uint64_t seed, size_t most_rows, unsigned most_columns) {
    uint64_t random = seed * 104729 + most_rows;
    const unsigned n_columns = (unsigned)between(&random, 1, most_columns);
    const size_t most = most_rows > PLAIN_FITS_CELLS ? most_rows : PLAIN_FITS_CELLS / n_columns;
    const size_t n_rows =
        (size_t)between(&random, 2, most < 6 || most > PLAIN_FITS_CELLS ? most : 6);
    plain_table plain;
    test_problem made;
    test_asked asked;
    kan_answer answer;
    kan_fits_found found;
    plain_fits_table(&random, n_rows, n_columns, &plain);
    test_problem_make(run, &plain, &made);
    const test_question question = {.cost = &kan_cost_precision,
                                    .k = between(&random, 2, n_rows < 4 ? n_rows : 4),
                                    .limit = between(&random, 0, 2),
                                    .wants_best_alone = true};
    plain_fits s;
    plain_fits_all(&plain, question.k, &s);
    test_ask(&made, &question, &asked);
    EXPECT_OK(run, kan_search_top_down.search(run, &asked.question, &answer));
    if (answer.is_found) {
        plain_fits_read(&made, &answer, &s);
        assert_true(plain_fits_holds(&s)); /* groups keep it */
        const uint64_t before = plain_fits_hidden(&s);
        EXPECT_OK(run, kan_fits_improve(run, &asked.question, &no_wants, &answer, &found));
        plain_fits_read(&made, &answer, &s);
        assert_true(plain_fits_holds(&s));
        assert_int_equal(plain_fits_hidden(&s), found.n_hidden);
        assert_true(found.n_before <= before); /* what is missing is no cell */
        assert_true(plain.is_weighted || found.n_hidden <= found.n_before);
        assert_true(found.has_least && found.least <= found.n_hidden);
        if (most_rows <= PLAIN_FITS_CELLS) {
            const uint64_t key = plain_fits_key(&s); /* of one rank */
            const uint64_t best = plain_fits_least(&s, key + 1) >> 56;
            assert_true(best <= found.n_hidden && found.least <= best);
            seen.n++;
            seen.n_best += best == found.n_hidden;
            seen.n_least += best;
            seen.n_bound += found.least;
        }
        seen.n_hidden += found.n_hidden;
        seen.n_groups += found.n_before;
    }
    kan_answer_destroy(run, &answer);
    test_asked_destroy(&asked);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void tiny(kan_run *run, uint64_t seed) {
    one_table(run, seed, 6, 4);
}

static void larger(kan_run *run, uint64_t seed) {
    one_table(run, seed, PLAIN_FITS_ROWS, MOST_COLUMNS);
}

static void tiny_tables_are_near_the_best(void **state) {
    (void)state;
    memset(&seen, 0, sizeof seen);
    random_rounds(3000, tiny);
    print_message("%zu tables, the best in %zu: %zu cells hidden, %zu at least, %zu by groups, the "
                  "bound %zu\n",
                  seen.n, seen.n_best, seen.n_hidden, seen.n_least, seen.n_groups, seen.n_bound);
    assert_true(seen.n_best * 100 >= seen.n * 99); /* all of them, when this was written */
}

static void larger_tables_keep_the_promise(void **state) {
    (void)state;
    memset(&seen, 0, sizeof seen);
    random_rounds(150, larger);
    print_message("%zu cells hidden, %zu by groups\n", seen.n_hidden, seen.n_groups);
}

/* ---- a survey ------------------------------------------------------------------------------- */

/* The table without its header; the test is skipped where the data are not there. */
static char *read_survey(void) {
    enum { MOST_BYTES = 1 << 20 };
    const char *folder = getenv("KANON_DATA");
    char path[4096];
    snprintf(path, sizeof path, "%s/survey/testdata2.csv",
             folder ? folder : KANON_TESTS_DIR "/../../shared/data");
    FILE *file = fopen(path, "rb");
    if (!file) {
        print_message("skipped: no survey/testdata2.csv in $KANON_DATA or ../shared/data\n");
        skip();
    }
    char *text = calloc(1, MOST_BYTES);
    assert_non_null(text);
    assert_true(fread(text, 1, MOST_BYTES - 1, file) > 0);
    fclose(file);
    const char *rows = strchr(text, '\n');
    assert_non_null(rows);
    memmove(text, rows + 1, strlen(rows));
    return text;
}

/* Seven keys, k = 2. That 109 cells are needed follows from each row by itself; 121 are hidden by
 * groups. */
static void a_survey_hides_few_cells(void **state) {
    enum { N_KEYS = 7, NEEDED = 109, ENOUGH = 114 };
    static const char digits[] = "1;*\n2;*\n3;*\n4;*\n5;*\n6;*\n7;*\n8;*\n9;*\n";
    static const char *const hierarchies[N_KEYS] = {digits, digits, digits, digits,
                                                    digits, digits, digits};
    static const unsigned columns[N_KEYS] = {0, 1, 2, 3, 4, 5, 6};
    const test_question question = {.cost = &kan_cost_precision, .k = 2, .wants_best_alone = true};
    char *rows = read_survey();
    kan_run *run = kan_run_create();
    plain_table plain;
    test_problem made;
    test_asked asked;
    kan_answer answer;
    kan_fits_found found;
    (void)state;
    plain_parse(rows, N_KEYS, columns, hierarchies, &plain);
    test_problem_make(run, &plain, &made);
    test_ask(&made, &question, &asked);
    EXPECT_OK(run, kan_search_iterate.search(run, &asked.question, &answer));
    EXPECT_OK(run, kan_fits_improve(run, &asked.question, &no_wants, &answer, &found));
    print_message("%d cells hidden, %d by groups, %d at least\n", (int)found.n_hidden,
                  (int)found.n_before, (int)found.least);
    assert_true(found.has_least && found.least == NEEDED);
    assert_true(found.n_hidden >= NEEDED && found.n_hidden <= ENOUGH);
    kan_answer_destroy(run, &answer);
    test_asked_destroy(&asked);
    test_problem_destroy(&made);
    plain_destroy(&plain);
    kan_run_destroy(run);
    free(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(tiny_tables_are_near_the_best, random_tear_down),
        cmocka_unit_test_teardown(larger_tables_keep_the_promise, random_tear_down),
        cmocka_unit_test(a_survey_hides_few_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
