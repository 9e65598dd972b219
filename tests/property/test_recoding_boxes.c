/* Boxes of ranges: the rules of regions against every pair of rows, by the definition, on tables that are
 * large enough to be divided. Some are cut as the models cut, others are random, or cut and tampered with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "analyze/recodings/recodings.h"
#include "core/hash.h"

enum { MOST_ROWS = 120, MOST_COLUMNS = 3, TEXT = 24, N_ROUNDS = 1500 };

typedef struct {
    int lo, hi; /* numbers, both in it */
} range;

typedef struct {
    uint64_t seed;
    size_t n_columns, n_rows;
    int most; /* values are 0 .. most - 1; not all of them occur */
    int value[MOST_ROWS][MOST_COLUMNS];
    range shown[MOST_ROWS][MOST_COLUMNS];
} world;

static int below(world *w, int bound) {
    return (int)kan_random_below(&w->seed, (uint64_t)bound);
}

/* ---- tables --------------------------------------------------------------------------------- */

/* Cuts a box until it is small; both sides may keep the border, as relaxed cuts do. */
static void cut_box(world *w, const range *box, int depth, bool is_relaxed) {
    const int c = below(w, (int)w->n_columns);
    if (w->n_rows == MOST_ROWS)
        return;
    if (depth > 0 && box[c].hi > box[c].lo) {
        range left[MOST_COLUMNS], right[MOST_COLUMNS];
        const int at = box[c].lo + below(w, box[c].hi - box[c].lo);
        memcpy(left, box, sizeof left);
        memcpy(right, box, sizeof right);
        left[c].hi = at;
        right[c].lo = at + (is_relaxed && below(w, 2) == 0 ? 0 : 1);
        cut_box(w, left, depth - 1, is_relaxed);
        cut_box(w, right, depth - 1, is_relaxed);
        return;
    }
    for (size_t i = 0; i < w->n_columns; i++) {
        w->shown[w->n_rows][i] = box[i];
        w->value[w->n_rows][i] = box[i].lo + below(w, box[i].hi - box[i].lo + 1);
    }
    w->n_rows++;
}

static void make_world(world *w, uint64_t seed) {
    memset(w, 0, sizeof *w);
    w->seed = seed;
    w->n_columns = 1 + (size_t)below(w, MOST_COLUMNS);
    w->most = below(w, 2) ? 12 : 400;
    range all[MOST_COLUMNS];
    for (size_t c = 0; c < w->n_columns; c++)
        all[c] = (range){0, w->most - 1};
    cut_box(w, all, 1 + below(w, 7), below(w, 2) == 0);
    for (int n = below(w, 3); n > 0; n--) { /* a box that is wider than it was */
        range *r = &w->shown[below(w, (int)w->n_rows)][below(w, (int)w->n_columns)];
        r->hi += below(w, 3);
        r->lo -= below(w, 2);
    }
}

static void print(range r, char *out) {
    if (r.lo == r.hi)
        snprintf(out, TEXT, "%d", r.lo);
    else
        snprintf(out, TEXT, "[%d..%d]", r.lo, r.hi);
}

/* ---- the definition ------------------------------------------------------------------------- */

static bool is_same(range a, range b) {
    return a.lo == b.lo && a.hi == b.hi;
}

static bool has_value(const world *w, size_t c, int value) {
    for (size_t r = 0; r < w->n_rows; r++)
        if (w->value[r][c] == value)
            return true;
    return false;
}

/* Numbers that two labels share, up to 2: those of ranges are real ones; a number is itself alone, and a
 * label shares with itself the values that there are. */
static int shared(const world *w, size_t c, range a, range b) {
    const int lo = a.lo > b.lo ? a.lo : b.lo, hi = a.hi < b.hi ? a.hi : b.hi;
    int n = 0;
    if (!is_same(a, b))
        return hi > lo ? 2 : hi == lo;
    for (int value = lo; value <= hi && n < 2; value++)
        n += has_value(w, c, value);
    return n;
}

/* The widest bins that all labels of a column may be made of; 0: it shows a single number. */
static int width_of(const world *w, size_t c) {
    int width = 0;
    for (size_t r = 0; r < w->n_rows; r++)
        if (w->shown[r][c].lo == w->shown[r][c].hi)
            return 0;
    for (int tried = 1; tried <= 2 * w->most; tried++) {
        const int origin = w->shown[0][c].lo;
        bool fits = true;
        for (size_t r = 0; r < w->n_rows && fits; r++)
            fits = (w->shown[r][c].lo - origin) % tried == 0 &&
                   (w->shown[r][c].hi + 1 - origin) % tried == 0;
        width = fits ? tried : width;
    }
    return width;
}

/* Values, or bins where these are fewer. */
static int shared_places(const world *w, size_t c, range a, range b) {
    const int lo = a.lo > b.lo ? a.lo : b.lo, hi = a.hi < b.hi ? a.hi : b.hi;
    const int n = shared(w, c, a, b), width = n > 1 ? width_of(w, c) : 0;
    return width > 0 && (hi + 1 - lo) / width < n ? (hi + 1 - lo) / width : n;
}

/* A row of the same labels is the same box. */
static bool is_apart(const world *w, int most) {
    for (size_t i = 0; i < w->n_rows; i++)
        for (size_t j = 0; j < i; j++) {
            bool is_equal = true, meet = true;
            for (size_t c = 0; c < w->n_columns; c++) {
                is_equal = is_equal && is_same(w->shown[i][c], w->shown[j][c]);
                meet = meet &&
                       (most == 0 ? shared(w, c, w->shown[i][c], w->shown[j][c])
                                  : shared_places(w, c, w->shown[i][c], w->shown[j][c])) > most;
            }
            if (meet && !is_equal)
                return false;
        }
    return true;
}

/* ---- asking --------------------------------------------------------------------------------- */

static kan_table *make_table(kan_run *run, const world *w, bool is_release) {
    static const char *const names[] = {"a", "b", "c"};
    kan_table *table;
    assert_int_equal(kan_table_create(run, w->n_columns, names, &table), KAN_OK);
    for (size_t r = 0; r < w->n_rows; r++) {
        char texts[MOST_COLUMNS][TEXT];
        const char *cells[MOST_COLUMNS];
        for (size_t c = 0; c < w->n_columns; c++) {
            const int value = w->value[r][c];
            print(is_release ? w->shown[r][c] : (range){value, value}, texts[c]);
            cells[c] = texts[c];
        }
        assert_int_equal(kan_table_add_row(table, cells), KAN_OK);
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    return table;
}

static bool obeys(const world *w, const char *model) {
    kan_run *run = kan_run_create();
    kan_table *release = make_table(run, w, true), *original = make_table(run, w, false);
    kan_shape_column columns[MOST_COLUMNS];
    uint64_t row_of[MOST_ROWS];
    kan_shape_verdict verdict;
    for (size_t c = 0; c < w->n_columns; c++)
        columns[c] = (kan_shape_column){.released = c, .values = original, .value_column = c};
    for (uint64_t r = 0; r < w->n_rows; r++)
        row_of[r] = r;
    const kan_shape_question question = {.release = release,
                                         .columns = columns,
                                         .n_columns = w->n_columns,
                                         .has_original = true,
                                         .row_of = row_of,
                                         .knows_all = true};
    assert_int_equal(kan_shape_check(run, model, &question, &verdict), KAN_OK);
    assert_null(verdict.unchecked);
    kan_table_destroy(release);
    kan_table_destroy(original);
    kan_run_destroy(run);
    return verdict.holds;
}

static void regions_are_apart_by_every_pair(void **state) {
    size_t n[2][2] = {{0}};
    (void)state;
    for (uint64_t seed = 1; seed <= N_ROUNDS; seed++) {
        world w;
        make_world(&w, seed * 104729);
        const bool ordered = is_apart(&w, 0), relaxed = is_apart(&w, 1);
        if (obeys(&w, "ordered-regions") != ordered || obeys(&w, "relaxed-regions") != relaxed)
            fail_msg("seed %llu: %zu rows", (unsigned long long)seed, w.n_rows);
        n[0][ordered]++;
        n[1][relaxed]++;
    }
    for (size_t i = 0; i < 4; i++) /* both answers, of both rules, often */
        assert_true(n[i / 2][i % 2] > N_ROUNDS / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(regions_are_apart_by_every_pair)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
