/* The order of rows that have none of their own: by the texts that they show, and by nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "job/release/shown_order.h"
#include "support/random_problem.h"

enum { ROWS = 60, COLUMNS = 3, LABELS = 6 };

typedef struct {
    uint8_t codes[COLUMNS][ROWS], hidden[ROWS];
    kan_slice labels[COLUMNS][LABELS];
    kan_release_column columns[COLUMNS];
    kan_release release;
} world;

/* Two codes may show the same, and a label may be *. */
static void draw(world *w, uint64_t *random) {
    static const char *const texts[] = {"b", "a", "*", "[1-2]", "b", ""};
    w->release = (kan_release){.n_rows = kan_random_below(random, ROWS),
                               .n_columns = 1 + kan_random_below(random, COLUMNS),
                               .columns = w->columns,
                               .is_suppressed = kan_random_below(random, 2) ? w->hidden : NULL,
                               .keeps_suppressed = true,
                               .shows_suppressed = kan_random_below(random, 2)};
    for (size_t c = 0; c < COLUMNS; c++) {
        w->columns[c] = (kan_release_column){.is_quasi = c == 0,
                                             .width = 1,
                                             .codes = w->codes[c],
                                             .labels = w->labels[c],
                                             .n_labels = LABELS};
        for (size_t l = 0; l < LABELS; l++)
            w->labels[c][l] = kan_slice_of(texts[kan_random_below(random, LABELS)]);
        for (size_t r = 0; r < ROWS; r++)
            w->codes[c][r] = (uint8_t)kan_random_below(random, LABELS);
    }
    for (size_t r = 0; r < ROWS; r++)
        w->hidden[r] = kan_random_below(random, 4) == 0;
}

static kan_slice shown(const world *w, size_t c, uint64_t row) {
    return kan_release_hides(&w->release, &w->columns[c], row) ? kan_slice_of("*")
                                                               : w->labels[c][w->codes[c][row]];
}

static int compare_rows(const world *w, uint64_t a, uint64_t b) {
    int order = 0;
    for (size_t c = 0; c < w->release.n_columns && order == 0; c++)
        order = kan_slice_compare(shown(w, c, a), shown(w, c, b));
    return order;
}

static void one(kan_run *run, uint64_t seed) {
    uint64_t random = seed, *order;
    world w;
    bool is_met[ROWS] = {false};
    draw(&w, &random);
    EXPECT_OK(run, kan_shown_order(run, &w.release, &order));
    for (uint64_t i = 0; i < w.release.n_rows; i++) {
        assert_in_range(order[i], 0, w.release.n_rows - 1);
        assert_false(is_met[order[i]]);
        is_met[order[i]] = true;
        assert_true(i == 0 || compare_rows(&w, order[i - 1], order[i]) <= 0);
    }
    kan_free(run, order);
}

static void rows_stand_in_the_order_of_their_texts(void **state) {
    (void)state;
    random_rounds(500, one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(rows_stand_in_the_order_of_their_texts, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
