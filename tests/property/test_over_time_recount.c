/* Cells over several releases, as the recount of a release counts them, against a comparison of everybody
 * with everybody else: random ledgers, people who join, leave and come back, several rows of a
 * person, distinct values in pieces, and leavers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/models/models.h"
#include "analyze/over_time/over_time.h"
#include "support/plain.h"
#include "support/random_problem.h"

enum { PEOPLE = 14, RELEASES = 3, ROWS = 28, GROUPS = 3, VALUES = 3 };

typedef struct {
    unsigned n_people, n_earlier, n_rows, k, l;
    bool has_person;
    uint32_t groups[RELEASES][PEOPLE]; /* of everybody, also of who never was in */
    struct {
        unsigned person, group, value;
    } rows[ROWS];
} world;

static struct { size_t n_hold, n_fail, n_leavers, n_stranded; } seen;

static void make_world(uint64_t *random, world *w) {
    memset(w, 0, sizeof *w);
    w->n_people = (unsigned)between(random, 1, PEOPLE);
    w->n_earlier = (unsigned)between(random, 0, RELEASES);
    w->k = (unsigned)between(random, 1, 3);
    w->l = (unsigned)between(random, 0, 2);
    w->has_person = once_in(random, 2);
    const unsigned n_groups = (unsigned)between(random, 1, GROUPS);
    for (unsigned p = 0; p < w->n_people; p++)
        for (unsigned t = 0; t < w->n_earlier; t++)
            w->groups[t][p] = once_in(random, 5) ? 0 : (uint32_t)between(random, 1, n_groups);
    for (unsigned p = 0; p < w->n_people; p++) {
        const unsigned n = once_in(random, 5) ? 0 : w->has_person && once_in(random, 3) ? 2 : 1;
        for (unsigned i = 0; i < n; i++, w->n_rows++) {
            w->rows[w->n_rows].person = p;
            w->rows[w->n_rows].group = (unsigned)between(random, 1, n_groups);
            w->rows[w->n_rows].value = (unsigned)between(random, 1, VALUES);
        }
    }
}

/* ---- by comparison ---------------------------------------------------------------------------- */

static unsigned rows_in(const world *w, unsigned person, unsigned group) {
    unsigned n = 0;
    for (unsigned i = 0; i < w->n_rows; i++)
        n += w->rows[i].person == person && w->rows[i].group == group;
    return n;
}

static unsigned rows_of(const world *w, unsigned person) {
    unsigned n = 0;
    for (unsigned g = 1; g <= GROUPS; g++)
        n += rows_in(w, person, g);
    return n;
}

static bool were_alike(const world *w, unsigned a, unsigned b) {
    for (unsigned t = 0; t < w->n_earlier; t++)
        if (w->groups[t][a] != w->groups[t][b])
            return false;
    return true;
}

static bool share_a_cell(const world *w, unsigned a, unsigned b) {
    for (unsigned g = 1; g <= GROUPS; g++)
        if (rows_in(w, a, g) != rows_in(w, b, g))
            return false;
    return were_alike(w, a, b);
}

static bool was_in(const world *w, unsigned person) {
    for (unsigned t = 0; t < w->n_earlier; t++)
        if (w->groups[t][person])
            return true;
    return false;
}

static bool cell_is_good(const world *w, unsigned person) {
    unsigned n = 0;
    for (unsigned p = 0; p < w->n_people; p++)
        n += share_a_cell(w, person, p);
    for (unsigned g = 1; g <= GROUPS; g++) {
        if (rows_in(w, person, g) == 0)
            continue;
        unsigned values = 0, n_values = 0;
        for (unsigned i = 0; i < w->n_rows; i++)
            if (w->rows[i].group == g && share_a_cell(w, person, w->rows[i].person))
                values |= 1U << w->rows[i].value;
        for (; values; values &= values - 1)
            n_values++;
        if (n_values < w->l)
            return false;
    }
    return n >= w->k;
}

typedef struct {
    bool cells_hold;
    uint64_t n_people, n_newcomers, n_small, n_leavers, n_stranded;
} found;

static found compare_all(const world *w) {
    found out = {.cells_hold = w->n_rows > 0};
    for (unsigned a = 0; a < w->n_people; a++) {
        unsigned n_alike = 0, n_out = 0, n_cell = 0;
        for (unsigned b = 0; b < w->n_people; b++) {
            n_alike += were_alike(w, a, b);
            n_out += were_alike(w, a, b) && rows_of(w, b) == 0;
            n_cell += rows_of(w, b) > 0 && share_a_cell(w, a, b);
        }
        if (rows_of(w, a) > 0) {
            out.n_people++;
            out.n_newcomers += !was_in(w, a);
            out.n_small += n_cell < w->k;
            out.cells_hold &= cell_is_good(w, a);
        }
        if (was_in(w, a) && n_alike < w->k)
            out.n_stranded++;
        else if (was_in(w, a) && rows_of(w, a) == 0 && n_out < w->k)
            out.n_leavers++;
    }
    return out;
}

/* ---- by the recount --------------------------------------------------------------------------- */

static void mark_of(unsigned person, uint8_t *mark) {
    memset(mark, 7, KAN_OVER_TIME_MARK);
    mark[3] = (uint8_t)(person * 37);
}

static kan_table *make_table(kan_run *run, const world *w) {
    static const char *const names[] = {"qi", "ill"};
    kan_table *table;
    EXPECT_OK(run, kan_table_create(run, 2, names, &table));
    for (unsigned i = 0; i < w->n_rows; i++) {
        char cells[2][16];
        snprintf(cells[0], sizeof cells[0], "g%u", w->rows[i].group);
        snprintf(cells[1], sizeof cells[1], "v%u", w->rows[i].value);
        const char *const values[] = {cells[0], cells[1]};
        EXPECT_OK(run, kan_table_add_row(table, values));
    }
    EXPECT_OK(run, kan_table_seal(table));
    return table;
}

static kan_over_time_recount recount(kan_run *run, const world *w, const kan_table *table,
                                     bool keeps_leavers) {
    uint8_t marks[PEOPLE * KAN_OVER_TIME_MARK], row_marks[ROWS * KAN_OVER_TIME_MARK];
    const uint32_t *groups[RELEASES] = {w->groups[0], w->groups[1], w->groups[2]};
    const kan_slice values[VALUES] = {kan_slice_of("v1"), kan_slice_of("v2"), kan_slice_of("v3")};
    const uint64_t rows[VALUES] = {1, 1, 1};
    kan_claim_settled settled;
    const kan_claim_column column = {.name = "ill",
                                     .n_rows = 3,
                                     .n_values = VALUES,
                                     .values = values,
                                     .rows = rows,
                                     .settled = &settled};
    const kan_claim claim = {.k = w->k,
                             .n_models = w->l > 0,
                             .models = {{.kind = kan_recount_find("l-diversity"), .whole = w->l}},
                             .n_columns = 1,
                             .columns = &column,
                             .person = w->has_person ? "who" : NULL};
    const kan_column *sensitive[] = {&table->columns[1]};
    const size_t quasi[] = {0};
    const kan_models_question release = {
        .release = table, .quasi = quasi, .n_quasi = 1, .claim = &claim, .sensitive = sensitive};
    for (unsigned p = 0; p < w->n_people; p++)
        mark_of(p, marks + (size_t)p * KAN_OVER_TIME_MARK);
    for (unsigned i = 0; i < w->n_rows; i++)
        mark_of(w->rows[i].person, row_marks + (size_t)i * KAN_OVER_TIME_MARK);
    const kan_over_time_ledger earlier = {w->n_people, marks, w->n_earlier, groups};
    const kan_over_time_question question = {&earlier, &release, row_marks, keeps_leavers, NULL};
    kan_over_time_recount out;
    EXPECT_OK(run, kan_over_time_recount_release(run, &question, &out));
    return out;
}

static void one_world(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 7919 + 3;
    world w;
    make_world(&random, &w);
    kan_table *table = make_table(run, &w);
    const found want = compare_all(&w);
    const kan_over_time_recount got = recount(run, &w, table, false);
    assert_int_equal(got.n_people, want.n_people);
    assert_int_equal(got.n_newcomers, want.n_newcomers);
    assert_int_equal(got.n_small_people, want.n_small);
    assert_int_equal(got.n_leavers, want.n_leavers);
    assert_int_equal(got.n_stranded, want.n_stranded);
    assert_int_equal(got.n_repeated, 0);
    assert_int_equal(got.holds, want.cells_hold);
    assert_int_equal(recount(run, &w, table, true).holds, want.cells_hold && want.n_leavers == 0);
    seen.n_hold += got.holds;
    seen.n_fail += !got.holds;
    seen.n_leavers += got.n_leavers > 0;
    seen.n_stranded += got.n_stranded > 0;
    kan_table_destroy(table);
}

static void cells_are_those_that_a_comparison_of_everybody_finds(void **state) {
    (void)state;
    random_rounds(5000, one_world);
    print_message("%zu releases keep cells, %zu do not; leavers in %zu, stranded in %zu\n",
                  seen.n_hold, seen.n_fail, seen.n_leavers, seen.n_stranded);
    if (getenv("KANON_TEST_SEED") || getenv("KANON_TEST_ROUNDS"))
        return;
    assert_true(seen.n_hold > 300 && seen.n_leavers > 300 && seen.n_stranded > 300);
}

/* Without a column that says so, nobody has two rows. */
static void somebody_with_two_rows_is_found(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    world w = {.n_people = 2, .n_rows = 2, .k = 1};
    w.rows[0].group = w.rows[1].group = w.rows[0].value = w.rows[1].value = 1;
    kan_table *table = make_table(run, &w);
    const kan_over_time_recount out = recount(run, &w, table, false);
    assert_false(out.holds);
    assert_int_equal(out.n_repeated, 1);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(cells_are_those_that_a_comparison_of_everybody_finds,
                                  random_tear_down),
        cmocka_unit_test(somebody_with_two_rows_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
