/* Cells over several releases, as the recount of a release counts them, against a comparison of everybody
 * with everybody else: random ledgers, people who join, leave and come back, several rows of a
 * person, distinct values in pieces, and leavers. The ledger's people, looked up by all sorts of marks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/models/models.h"
#include "analyze/over_time/over_time.h"
#include "analyze/over_time/people.h"
#include "support/plain.h"
#include "support/random_problem.h"

enum { PEOPLE = 14, RELEASES = 3, ROWS = 28, GROUPS = 3, VALUES = 3 };

typedef struct {
    unsigned n_people, n_earlier, n_rows, k, l;
    bool has_person;
    bool forgets_strangers;
    unsigned mark_differs;             /* at which byte marks do */
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
    w->forgets_strangers = once_in(random, 2);
    w->mark_differs = (unsigned)between(random, 0, KAN_OVER_TIME_MARK - 1);
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

/* In the order of people. They differ in their first byte, in a later one, or in the last alone. */
static void mark_of(const world *w, unsigned person, uint8_t *mark) {
    memset(mark, 7, KAN_OVER_TIME_MARK);
    mark[w->mark_differs] = (uint8_t)(person * 17 + 3);
}

/* Who was in no release may be in the ledger, or not. */
static kan_over_time_ledger make_ledger(const world *w, uint8_t *marks,
                                        uint32_t groups[RELEASES][PEOPLE],
                                        const uint32_t *by_release[RELEASES]) {
    size_t n = 0;
    for (unsigned p = 0; p < w->n_people; p++) {
        if (w->forgets_strangers && !was_in(w, p))
            continue;
        mark_of(w, p, marks + n * KAN_OVER_TIME_MARK);
        for (unsigned t = 0; t < RELEASES; t++)
            groups[t][n] = w->groups[t][p];
        n++;
    }
    for (unsigned t = 0; t < RELEASES; t++)
        by_release[t] = groups[t];
    return (kan_over_time_ledger){n, marks, w->n_earlier, by_release};
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
    uint32_t groups[RELEASES][PEOPLE];
    const uint32_t *by_release[RELEASES];
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
    for (unsigned i = 0; i < w->n_rows; i++)
        mark_of(w, w->rows[i].person, row_marks + (size_t)i * KAN_OVER_TIME_MARK);
    const kan_over_time_ledger earlier = make_ledger(w, marks, groups, by_release);
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

/* ---- looking people up ------------------------------------------------------------------------ */

enum { MANY = 3000 };

/* Some bits of a mark are drawn, others are the same for all: many have one place, or each has its own. */
static void draw_mark(uint64_t *random, unsigned drawn, uint8_t *mark) {
    memset(mark, 200, KAN_OVER_TIME_MARK);
    for (unsigned i = 0; i < KAN_OVER_TIME_MARK; i++)
        if (drawn >> i & 1)
            mark[i] = (uint8_t)between(random, 0, 255);
}

static int compare_marks(const void *a, const void *b) {
    return memcmp(a, b, KAN_OVER_TIME_MARK);
}

static void look_up_all(kan_run *run, uint64_t seed) {
    static uint8_t marks[MANY][KAN_OVER_TIME_MARK], wanted[KAN_OVER_TIME_BLOCK][KAN_OVER_TIME_MARK];
    uint64_t random = seed * 6151 + 11;
    uint32_t who[KAN_OVER_TIME_BLOCK];
    kan_over_time_people people;
    bool is_ascending;
    const unsigned drawn = (unsigned)between(&random, 1, (1U << KAN_OVER_TIME_MARK) - 1);
    const size_t n_drawn = (size_t)between(&random, 0, once_in(&random, 2) ? 20 : MANY);
    size_t n = 0;
    for (size_t i = 0; i < n_drawn; i++)
        draw_mark(&random, drawn, marks[i]);
    qsort(marks, n_drawn, sizeof *marks, compare_marks);
    for (size_t i = 0; i < n_drawn; i++)
        if (n == 0 || compare_marks(marks[n - 1], marks[i]) != 0)
            memmove(marks[n++], marks[i], sizeof *marks);
    EXPECT_OK(run, kan_over_time_people_make(run, marks[0], n, &people, &is_ascending));
    assert_true(is_ascending);
    for (size_t i = 0; i < KAN_OVER_TIME_BLOCK; i++)
        if (n > 0 && once_in(&random, 2))
            memcpy(wanted[i], marks[between(&random, 0, n - 1)], sizeof *wanted);
        else
            draw_mark(&random, drawn, wanted[i]);
    kan_over_time_people_find(&people, wanted[0], KAN_OVER_TIME_BLOCK, who);
    for (size_t i = 0; i < KAN_OVER_TIME_BLOCK; i++) {
        uint8_t(*want)[KAN_OVER_TIME_MARK] =
            bsearch(wanted[i], marks, n, sizeof *marks, compare_marks);
        assert_int_equal(who[i], want ? (uint32_t)(want - marks) : KAN_OVER_TIME_NOBODY);
    }
    kan_over_time_people_destroy(run, &people);
    if (n < 2)
        return;
    const size_t at = (size_t)between(&random, 0, n - 2);
    if (once_in(&random, 2)) { /* somebody twice */
        memcpy(marks[at + 1], marks[at], sizeof *marks);
    } else { /* two in each other's place */
        memcpy(wanted[0], marks[at], sizeof *marks);
        memcpy(marks[at], marks[at + 1], sizeof *marks);
        memcpy(marks[at + 1], wanted[0], sizeof *marks);
    }
    EXPECT_OK(run, kan_over_time_people_make(run, marks[0], n, &people, &is_ascending));
    assert_false(is_ascending);
    kan_over_time_people_destroy(run, &people);
}

static void everybody_is_found_and_nobody_else(void **state) {
    (void)state;
    random_rounds(500, look_up_all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(everybody_is_found_and_nobody_else, random_tear_down),
        cmocka_unit_test_teardown(cells_are_those_that_a_comparison_of_everybody_finds,
                                  random_tear_down),
        cmocka_unit_test(somebody_with_two_rows_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
