/* Matches where it is not known who was left out: what the recount says of every choice at once, against
 * counting each choice by itself. The choices are those of which each released row, in order or in any
 * order, covers an original row of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "analyze/cover/cover.h"
#include "analyze/verify/recount_fits.h"
#include "core/hash.h"

enum { MOST_ROWS = 8, N_QUASI = 3, N_COLUMNS = 4, TEXT = 4, ROUNDS = 6000 };

typedef struct {
    size_t n_rows;
    char cells[MOST_ROWS][N_COLUMNS][TEXT];
} sheet;

typedef struct {
    kan_run *run;
    uint64_t random, k;
    size_t n_kept; /* columns beside the quasi-identifiers that are released as they were */
    sheet original, release;
    kan_table *before, *after;
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

static kan_table *table_of(kan_run *run, const sheet *s) {
    static const char *const names[] = {"a", "b", "c", "kept"};
    kan_table *table;
    assert_int_equal(kan_table_create(run, N_COLUMNS, names, &table), KAN_OK);
    for (size_t r = 0; r < s->n_rows; r++) {
        const char *values[N_COLUMNS];
        for (size_t c = 0; c < N_COLUMNS; c++)
            values[c] = s->cells[r][c];
        assert_int_equal(kan_table_add_row(table, values), KAN_OK);
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    return table;
}

/* Some rows are left out, some cells hidden, and perhaps rows are exchanged. */
static void make_world(world *w, bool is_shuffled) {
    const size_t n_values = 1 + below(w, 3), n_hidden = 1 + below(w, 4);
    w->k = 1 + below(w, 3);
    w->n_kept = below(w, 2);
    w->original.n_rows = 2 + below(w, MOST_ROWS - 1);
    w->release.n_rows = 0;
    for (size_t r = 0; r < w->original.n_rows; r++) {
        for (size_t c = 0; c < N_COLUMNS; c++)
            w->original.cells[r][c][0] = "xyz"[below(w, n_values)],
            w -> original.cells[r][c][1] = 0;
        if (below(w, 4) == 0)
            continue;
        char(*row)[TEXT] = w->release.cells[w->release.n_rows++];
        for (size_t c = 0; c < N_COLUMNS; c++)
            strcpy(row[c], c < N_QUASI && below(w, 5) < n_hidden ? "*" : w->original.cells[r][c]);
    }
    for (size_t i = 0; is_shuffled && i + 1 < w->release.n_rows; i++) {
        const size_t j = i + below(w, w->release.n_rows - i);
        char kept[N_COLUMNS][TEXT];
        memcpy(kept, w->release.cells[i], sizeof kept);
        memcpy(w->release.cells[i], w->release.cells[j], sizeof kept);
        memcpy(w->release.cells[j], kept, sizeof kept);
    }
    w->run = kan_run_create();
    w->before = table_of(w->run, &w->original);
    w->after = table_of(w->run, &w->release);
}

static void end_world(world *w) {
    kan_table_destroy(w->before);
    kan_table_destroy(w->after);
    kan_run_destroy(w->run);
}

static bool fits(const world *w, size_t row, size_t person) {
    for (size_t c = 0; c < N_QUASI; c++) {
        const char *shown = w->release.cells[row][c];
        if (strcmp(shown, "*") != 0 && strcmp(shown, w->original.cells[person][c]) != 0)
            return false;
    }
    return true;
}

static bool covers(const world *w, size_t row, size_t person) {
    return fits(w, row, person) &&
           (w->n_kept == 0 ||
            strcmp(w->release.cells[row][N_QUASI], w->original.cells[person][N_QUASI]) == 0);
}

/* Whether the released rows from `row` on can be the chosen people from `person` on, in order. */
static bool is_order(const world *w, unsigned chosen) {
    size_t row = 0;
    for (size_t p = 0; p < w->original.n_rows; p++)
        if (chosen >> p & 1) {
            if (row == w->release.n_rows || !covers(w, row, p))
                return false;
            row++;
        }
    return row == w->release.n_rows;
}

static bool is_any_order(const world *w, unsigned chosen, size_t row) {
    if (row == w->release.n_rows)
        return chosen == 0;
    for (size_t p = 0; p < w->original.n_rows; p++)
        if ((chosen >> p & 1) && covers(w, row, p) && is_any_order(w, chosen & ~(1U << p), row + 1))
            return true;
    return false;
}

static bool holds_for(const world *w, unsigned chosen) {
    for (size_t r = 0; r < w->release.n_rows; r++) {
        uint64_t n = 0;
        for (size_t p = 0; p < w->original.n_rows; p++)
            n += (chosen >> p & 1) && fits(w, r, p);
        if (n < w->k)
            return false;
    }
    for (size_t p = 0; p < w->original.n_rows; p++) {
        uint64_t n = 0;
        for (size_t r = 0; r < w->release.n_rows; r++)
            n += fits(w, r, p);
        if ((chosen >> p & 1) && n < w->k)
            return false;
    }
    return true;
}

/* What every choice says. */
static void try_all(const world *w, bool in_order, bool *any, bool *all_hold, bool *all_fail) {
    *any = false;
    *all_hold = *all_fail = true;
    for (unsigned chosen = 0; chosen < 1U << w->original.n_rows; chosen++) {
        if (!(in_order ? is_order(w, chosen) : is_any_order(w, chosen, 0)))
            continue;
        const bool holds = holds_for(w, chosen);
        *any = true;
        *all_hold = *all_hold && holds;
        *all_fail = *all_fail && !holds;
    }
}

static void count(world *w, uint32_t *block_of, size_t n_blocks, const uint64_t *n_released,
                  kan_fits_recount *out) {
    static const size_t columns[] = {0, 1, 2};
    const kan_fits_open open = {block_of, n_blocks, n_released};
    uint8_t is_left_out[MOST_ROWS];
    for (size_t r = 0; r < w->original.n_rows; r++) {
        is_left_out[r] = block_of[r] != KAN_ROW_THERE;
        if (block_of[r] == KAN_ROW_GONE)
            block_of[r] = KAN_FITS_KNOWN;
    }
    const kan_fits_question question = {.release = w->after,
                                        .original = w->before,
                                        .released = columns,
                                        .originals = columns,
                                        .n_columns = N_QUASI,
                                        .is_left_out = is_left_out,
                                        .open = &open,
                                        .k = w->k};
    assert_int_equal(kan_verify_fits(w->run, &question, out), KAN_OK);
}

typedef struct {
    size_t holding, failing, open, missed;
} tally;

static void compare(const world *w, bool in_order, const kan_fits_recount *found, tally *t) {
    bool any, all_hold, all_fail;
    const bool fails = found->n_small_rows + found->n_small_people > 0;
    try_all(w, in_order, &any, &all_hold, &all_fail);
    assert_true(any);
    if (found->holds)
        assert_true(all_hold);
    if (fails)
        assert_true(all_fail);
    assert_false(found->holds && fails);
    t->holding += found->holds;
    t->failing += fails;
    t->open += !found->holds && !fails;
    t->missed += all_hold && !found->holds;
}

static void it_holds_in_every_choice_that_order_allows(void **state) {
    static const kan_cover_pair quasi[] = {{0, 0, NULL}, {1, 1, NULL}, {2, 2, NULL}};
    static const kan_cover_pair kept = {3, 3, NULL};
    static world w;
    tally t = {0};
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        w = (world){.random = seed};
        make_world(&w, false);
        if (w.release.n_rows > 0) {
            const kan_cover_question question = {.release = w.after,
                                                 .original = w.before,
                                                 .quasi = quasi,
                                                 .n_quasi = N_QUASI,
                                                 .others = &kept,
                                                 .n_others = w.n_kept};
            kan_rows_open rows;
            kan_fits_recount found;
            assert_int_equal(kan_verify_open_rows(w.run, &question, &rows), KAN_OK);
            assert_true(rows.in_order);
            count(&w, rows.block_of, rows.n_blocks, rows.n_released, &found);
            compare(&w, true, &found, &t);
            kan_rows_open_destroy(&rows);
        }
        end_world(&w);
    }
    assert_true(t.holding > ROUNDS / 10 && t.failing > ROUNDS / 10 && t.open > ROUNDS / 100);
    assert_true(t.missed < t.holding / 10);
}

/* Blocks are of those who show the same beside the quasi-identifiers. */
static void it_holds_in_every_choice_without_an_order(void **state) {
    static world w;
    tally t = {0};
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        w = (world){.random = seed};
        make_world(&w, true);
        if (w.release.n_rows > 0) {
            uint32_t block_of[MOST_ROWS];
            uint64_t n_released[3] = {0};
            kan_fits_recount found;
            for (size_t p = 0; p < w.original.n_rows; p++)
                block_of[p] =
                    w.n_kept ? (uint32_t)(w.original.cells[p][N_QUASI][0] - 'x') : UINT32_C(0);
            for (size_t r = 0; r < w.release.n_rows; r++)
                n_released[w.n_kept ? w.release.cells[r][N_QUASI][0] - 'x' : 0]++;
            count(&w, block_of, 3, n_released, &found);
            compare(&w, false, &found, &t);
        }
        end_world(&w);
    }
    assert_true(t.holding > ROUNDS / 20 && t.failing > ROUNDS / 20 && t.open > ROUNDS / 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_holds_in_every_choice_that_order_allows),
                                       cmocka_unit_test(it_holds_in_every_choice_without_an_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
