/* Whole people against every choice of them: on small random tables, and releases that were made of
 * some people, tampered with or not, the answer is what trying all subsets says; with few steps it
 * is that, or undecided. So is the number of rows that some people have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "analyze/verify/verify.h"
#include "core/hash.h"
#include "kanon.h"

enum { ROUNDS = 20000, MOST_PEOPLE = 6, MOST_ROWS = 14, N_VALUES = 4, TEXT = 24 };

typedef struct {
    uint64_t random;
    size_t n_people, n_rows, n_released;
    size_t person[MOST_ROWS], value[MOST_ROWS];
    unsigned shown[MOST_ROWS]; /* of the release: a bit for each value that a row may be */
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

/* ---- making --------------------------------------------------------------------------------- */

static void make_original(world *w) {
    w->n_people = 1 + below(w, MOST_PEOPLE);
    w->n_rows = w->n_people + below(w, MOST_ROWS - w->n_people + 1);
    const size_t n_values = 1 + below(w, N_VALUES);
    for (size_t i = 0; i < w->n_rows; i++) {
        w->person[i] = i < w->n_people ? i : below(w, w->n_people);
        w->value[i] = below(w, n_values);
    }
    for (size_t i = w->n_rows; i > 1; i--) { /* in any order */
        const size_t j = below(w, i), person = w->person[j];
        w->person[j] = w->person[i - 1];
        w->person[i - 1] = person;
    }
}

static void drop(world *w, size_t at) {
    for (size_t i = at; i + 1 < w->n_released; i++)
        w->shown[i] = w->shown[i + 1];
    w->n_released--;
}

/* Of some people, each row by some values beside its own; then perhaps other than it should be. */
static void make_release(world *w) {
    const unsigned chosen = (unsigned)below(w, 1u << w->n_people);
    const size_t width = below(w, 4);
    for (size_t i = 0; i < w->n_rows; i++)
        if (chosen >> w->person[i] & 1) {
            unsigned shown = 1u << w->value[i];
            for (size_t n = width; n > 0; n--)
                shown |= 1u << below(w, N_VALUES);
            w->shown[w->n_released++] = shown;
        }
    for (size_t n = below(w, 3); n > 0 && w->n_released > 1; n--)
        drop(w, below(w, w->n_released));
    if (w->n_released > 0 && below(w, 5) == 0)
        w->shown[below(w, w->n_released)] = 1u << below(w, N_VALUES);
}

static void print_label(unsigned shown, char *out) {
    size_t n = 0, size = 0;
    for (size_t v = 0; v < N_VALUES; v++)
        n += shown >> v & 1;
    size += (size_t)snprintf(out, TEXT, n > 1 ? "{" : "%s", "");
    for (size_t v = 0, before = 0; v < N_VALUES; v++)
        if (shown >> v & 1)
            size += (size_t)snprintf(out + size, TEXT - size, "%s%c", before++ ? ", " : "",
                                     (char)('a' + v));
    if (n > 1)
        snprintf(out + size, TEXT - size, "}");
}

/* ---- the definition ------------------------------------------------------------------------- */

/* How many choices of people explain the release; row_of is of the last. */
static size_t count_choices(const world *w, uint64_t *row_of) {
    size_t n_found = 0;
    for (unsigned chosen = 0; chosen < 1u << w->n_people; chosen++) {
        uint64_t rows[MOST_ROWS];
        size_t n = 0;
        bool fits = true;
        for (size_t i = 0; i < w->n_rows && fits; i++)
            if (chosen >> w->person[i] & 1) {
                fits = n < w->n_released && (w->shown[n] >> w->value[i] & 1);
                if (fits)
                    rows[n++] = i;
            }
        if (fits && n == w->n_released) {
            memcpy(row_of, rows, n * sizeof *rows);
            n_found++;
        }
    }
    return n_found;
}

/* ---- asking --------------------------------------------------------------------------------- */

static kan_table *make_table(kan_run *run, const world *w, bool is_release) {
    static const char *const names[] = {"value", "who"};
    kan_table *table;
    assert_int_equal(kan_table_create(run, is_release ? 1 : 2, names, &table), KAN_OK);
    for (size_t i = 0; i < (is_release ? w->n_released : w->n_rows); i++) {
        char label[TEXT], who[TEXT];
        if (is_release)
            print_label(w->shown[i], label);
        else
            print_label(1u << w->value[i], label);
        snprintf(who, TEXT, "p%zu", w->person[i]);
        const char *const cells[] = {label, who};
        assert_int_equal(kan_table_add_row(table, cells), KAN_OK);
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    return table;
}

static kan_whole ask(const world *w, uint64_t most_steps, uint64_t *row_of) {
    kan_run *run = kan_run_create();
    kan_table *release = make_table(run, w, true), *original = make_table(run, w, false);
    const kan_cover_pair pair = {0, 0, NULL};
    const kan_cover_question cover = {.release = release,
                                      .original = original,
                                      .quasi = &pair,
                                      .n_quasi = 1,
                                      .reads_intervals = true};
    const kan_whole_question question = {
        .cover = &cover, .person = &original->columns[1], .most_steps = most_steps};
    kan_whole answer;
    assert_int_equal(kan_verify_whole_people(run, &question, row_of, &answer), KAN_OK);
    kan_table_destroy(release);
    kan_table_destroy(original);
    kan_run_destroy(run);
    return answer;
}

static void one_round(world *w, size_t *n_answers) {
    uint64_t right[MOST_ROWS], row_of[MOST_ROWS];
    make_original(w);
    make_release(w);
    if (w->n_released == 0)
        return;
    const size_t n_choices = count_choices(w, right);
    const kan_whole answer = ask(w, 0, row_of), hasty = ask(w, 1 + below(w, 30), row_of);
    n_answers[answer]++;
    assert_true(answer != KAN_WHOLE_UNDECIDED);
    if (answer == KAN_WHOLE_OTHER_ORDER) /* no rows at all explain it in this order */
        assert_int_equal(n_choices, 0);
    else
        assert_int_equal(answer, n_choices == 0   ? KAN_WHOLE_NONE
                                 : n_choices == 1 ? KAN_WHOLE_ONE
                                                  : KAN_WHOLE_SEVERAL);
    assert_true(hasty == answer || hasty == KAN_WHOLE_UNDECIDED);
    n_answers[KAN_WHOLE_UNDECIDED] += hasty == KAN_WHOLE_UNDECIDED;
    if (answer != KAN_WHOLE_ONE)
        return;
    (void)ask(w, 0, row_of);
    assert_memory_equal(row_of, right, w->n_released * sizeof *right);
}

static void answers_are_what_all_choices_of_people_say(void **state) {
    size_t n_answers[KAN_WHOLE_OTHER_ORDER + 1] = {0};
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        world w = {.random = seed * 7919};
        one_round(&w, n_answers);
    }
    for (size_t i = 0; i <= KAN_WHOLE_OTHER_ORDER; i++) /* each of them often */
        assert_true(n_answers[i] > ROUNDS / 100);
}

static void some_people_have_so_many_rows_where_a_subset_does(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        world w = {.random = seed * 104729};
        kan_run *run = kan_run_create();
        uint64_t sizes[10];
        const size_t n = 1 + below(&w, 10), most = below(&w, 2) ? 4 : 150;
        for (size_t i = 0; i < n; i++)
            sizes[i] = 1 + (below(&w, 3) ? below(&w, most) : 2);
        const uint64_t asked = below(&w, n * most);
        bool is_there = false, out;
        for (unsigned chosen = 0; chosen < 1u << n; chosen++) {
            uint64_t sum = 0;
            for (size_t i = 0; i < n; i++)
                sum += chosen >> i & 1 ? sizes[i] : 0;
            is_there |= sum == asked;
        }
        assert_int_equal(kan_verify_people_have(run, sizes, n, asked, &out), KAN_OK);
        assert_int_equal(out, is_there);
        kan_run_destroy(run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_what_all_choices_of_people_say),
        cmocka_unit_test(some_people_have_so_many_rows_where_a_subset_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
