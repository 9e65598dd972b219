/* Hidden cells that match anything by sets of columns, within strata and by importance, on small tables: what is
 * shown again keeps the promise by counting every pair of a row and a person; the bound is one; and how far the answer is from
 * the best of all ways to hide cells (docs/papers/matching.md). */
#include <stdio.h>
#include <string.h>

#include "support/plain_fits.h"

enum { MOST_COLUMNS = 4, MOST_LARGE_COLUMNS = 6 };

static struct {
    size_t n, n_best, n_groups, n_first;
    uint64_t hidden, least, bound;
} seen;

/* Every set of so many columns, or of two numbers of columns. */
static void draw_sets(uint64_t *random, unsigned n_columns, uint64_t most_k, plain_fits *s) {
    const unsigned first = (unsigned)between(random, 1, n_columns);
    const unsigned second = (unsigned)between(random, 1, n_columns);
    uint64_t k[MOST_LARGE_COLUMNS + 1] = {0};
    k[second] = between(random, 1, most_k);
    k[first] = most_k;
    s->n_sets = 0;
    for (uint64_t columns = 1; columns < UINT64_C(1) << n_columns; columns++)
        if (k[__builtin_popcountll(columns)] > 0)
            s->sets[s->n_sets++] = (kan_fits_set){columns, k[__builtin_popcountll(columns)]};
}

static void draw_ranks(uint64_t *random, unsigned n_columns, plain_fits *s) {
    s->n_ranks = (unsigned)between(random, 1, n_columns);
    for (unsigned a = 0; a < n_columns; a++)
        s->rank[a] = (uint8_t)(a < s->n_ranks ? a : s->n_ranks - 1);
    for (unsigned a = n_columns; a > 1; a--) { /* in any order */
        const uint64_t b = kan_random_below(random, a);
        const uint8_t one = s->rank[a - 1];
        s->rank[a - 1] = s->rank[b];
        s->rank[b] = one;
    }
}

static void check_bound(const plain_fits *s, const kan_fits_found *found, uint64_t best) {
    uint64_t key = 0, n = 0;
    for (unsigned r = 0; r < s->n_ranks; r++) {
        key += found->least_by[r] << 8 * (7 - r);
        n += found->hidden_by[r];
    }
    assert_true(found->has_least && key <= best);
    assert_int_equal(n, found->n_hidden);
    seen.bound += found->least_by[0];
    seen.least += best >> 56;
    seen.hidden += found->hidden_by[0];
}

static void one_table(kan_run *run, uint64_t seed, bool is_tiny) {
    uint64_t random = seed * 7919 + is_tiny;
    const unsigned n_columns =
        (unsigned)between(&random, 2, is_tiny ? MOST_COLUMNS : MOST_LARGE_COLUMNS);
    const size_t n_rows =
        (size_t)between(&random, 2, is_tiny ? PLAIN_FITS_CELLS / n_columns : PLAIN_FITS_ROWS);
    plain_table plain;
    test_problem made;
    test_asked asked;
    kan_answer answer;
    kan_fits_found found;
    plain_fits s;
    plain_fits_table(&random, n_rows, n_columns, &plain);
    test_problem_make(run, &plain, &made);
    const test_question question = {.cost = &kan_cost_precision,
                                    .k = between(&random, 2, n_rows < 4 ? n_rows : 4),
                                    .limit = between(&random, 0, 3),
                                    .wants_best_alone = true};
    plain_fits_all(&plain, question.k, &s);
    if (once_in(&random, 2))
        draw_sets(&random, n_columns, question.k, &s);
    if (once_in(&random, 2))
        draw_ranks(&random, n_columns, &s);
    s.has_strata = once_in(&random, 3);
    s.stratum = (unsigned)kan_random_below(&random, n_columns);
    const bool has_sets = s.n_sets > 1 || s.sets[0].columns != (UINT64_C(1) << n_columns) - 1;
    kan_fits_wants wants = {
        .n_sets = has_sets ? s.n_sets : 0, .sets = s.sets, .n_ranks = s.n_ranks};
    memcpy(wants.rank, s.rank, sizeof wants.rank);
    test_ask(&made, &question, &asked);
    asked.question.keeps_apart = s.has_strata;
    asked.question.apart = s.stratum;
    const kan_search_kind *search =
        once_in(&random, 2) ? &kan_search_iterate : &kan_search_progressive;
    EXPECT_OK(run, search->search(run, &asked.question, &answer));
    if (answer.is_found) {
        plain_fits_read(&made, &answer, &s);
        assert_true(plain_fits_holds(&s)); /* groups keep it */
        EXPECT_OK(run, kan_fits_improve(run, &asked.question, &wants, &answer, &found));
        plain_fits_read(&made, &answer, &s);
        assert_true(plain_fits_holds(&s));
        assert_int_equal(plain_fits_hidden(&s), found.n_hidden);
        const uint64_t key = plain_fits_key(&s);
        if (is_tiny) {
            const uint64_t best = plain_fits_least(&s, key + 1);
            check_bound(&s, &found, best);
            seen.n++;
            seen.n_best += best == key;
            seen.n_first += best >> 56 == key >> 56;
        } else {
            check_bound(&s, &found, key);
        }
    }
    kan_answer_destroy(run, &answer);
    test_asked_destroy(&asked);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void tiny(kan_run *run, uint64_t seed) {
    one_table(run, seed, true);
}

static void larger(kan_run *run, uint64_t seed) {
    one_table(run, seed, false);
}

static void tiny_tables_are_near_the_best(void **state) {
    (void)state;
    memset(&seen, 0, sizeof seen);
    random_rounds(3000, tiny);
    print_message(
        "%zu tables, the best in %zu, by the first rank in %zu: %d of these cells hidden, %d at "
        "least, the bound %d\n",
        seen.n, seen.n_best, seen.n_first, (int)seen.hidden, (int)seen.least, (int)seen.bound);
    assert_true(seen.n_best * 100 >= seen.n * 95);
}

static void larger_tables_keep_the_promise(void **state) {
    (void)state;
    memset(&seen, 0, sizeof seen);
    random_rounds(150, larger);
    print_message("%d cells of the first rank hidden, the bound %d\n", (int)seen.hidden,
                  (int)seen.bound);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(tiny_tables_are_near_the_best, random_tear_down),
        cmocka_unit_test_teardown(larger_tables_keep_the_promise, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
