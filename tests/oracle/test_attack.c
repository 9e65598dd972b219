/* analyze/intruder against the plain definition: people held against rows one by one, and releases joined row by
 * row, over random small tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "analyze/intruder/intruder.h"
#include "core/hash.h"
#include "support/random_problem.h"

enum { ROWS = 24, COLUMNS = 3, SIDES = 3, VALUES = 5, TEXT = 24 };

/* ---- a list of people --------------------------------------------------------------------------- */

/* What a cell of a release shows, and which of the values 0 to VALUES - 1 it covers. */
typedef struct {
    char text[TEXT];
    bool covers[VALUES];
} shown;

typedef struct {
    unsigned n_columns, n_rows, n_people;
    shown cells[ROWS][COLUMNS];
    unsigned people[ROWS][COLUMNS];
    unsigned secret[ROWS];
} world;

static shown random_cell(uint64_t *random, bool is_exact) {
    shown cell = {.text = "*"};
    const unsigned kind = (unsigned)kan_random_below(random, is_exact ? 1 : 4);
    const unsigned a = (unsigned)kan_random_below(random, VALUES);
    const unsigned b = a + (unsigned)kan_random_below(random, VALUES - a);
    for (unsigned v = 0; v < VALUES; v++)
        cell.covers[v] = kind == 0   ? v == a
                         : kind == 1 ? v >= a && v <= b
                         : kind == 2 ? v == a || v == b
                                     : true;
    if (kind == 0)
        snprintf(cell.text, TEXT, "%u", a);
    else if (kind == 1)
        snprintf(cell.text, TEXT, "[%u-%u]", a, b);
    else if (kind == 2)
        snprintf(cell.text, TEXT, a == b ? "{%u}" : "{%u, %u}", a, b);
    return cell;
}

static void random_world(uint64_t *random, world *w) {
    memset(w, 0, sizeof *w);
    w->n_columns = (unsigned)between(random, 1, COLUMNS);
    w->n_rows = (unsigned)between(random, 1, ROWS);
    w->n_people = (unsigned)between(random, VALUES, ROWS);
    for (unsigned c = 0; c < w->n_columns; c++) {
        const bool is_exact = c == 2;
        for (unsigned row = 0; row < w->n_rows; row++)
            w->cells[row][c] = random_cell(random, is_exact);
        for (unsigned p = 0; p < w->n_people;
             p++) /* each value is there, so that labels cover it */
            w->people[p][c] = p < VALUES ? p : (unsigned)kan_random_below(random, VALUES);
    }
    for (unsigned row = 0; row < w->n_rows; row++)
        w->secret[row] = (unsigned)kan_random_below(random, 3);
}

static const char *const names[] = {"a", "b", "c", "secret"};

static kan_table *release_of(kan_run *run, const world *w) {
    kan_table *table;
    const char *columns[COLUMNS + 1], *values[COLUMNS + 1];
    char secret[4];
    for (unsigned c = 0; c < w->n_columns; c++)
        columns[c] = names[c];
    columns[w->n_columns] = names[COLUMNS];
    assert_int_equal(kan_table_create(run, w->n_columns + 1, columns, &table), KAN_OK);
    for (unsigned row = 0; row < w->n_rows; row++) {
        for (unsigned c = 0; c < w->n_columns; c++)
            values[c] = w->cells[row][c].text;
        snprintf(secret, sizeof secret, "s%u", w->secret[row] % 10);
        values[w->n_columns] = secret;
        assert_int_equal(kan_table_add_row(table, values), KAN_OK);
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    return table;
}

static kan_table *people_of(kan_run *run, const world *w) {
    kan_table *table;
    const char *values[COLUMNS];
    char text[COLUMNS][4];
    assert_int_equal(kan_table_create(run, w->n_columns, names, &table), KAN_OK);
    for (unsigned p = 0; p < w->n_people; p++) {
        for (unsigned c = 0; c < w->n_columns; c++) {
            snprintf(text[c], sizeof text[c], "%u", w->people[p][c] % 10);
            values[c] = text[c];
        }
        assert_int_equal(kan_table_add_row(table, values), KAN_OK);
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    return table;
}

static bool matches(const world *w, const size_t *columns, size_t n, unsigned person,
                    unsigned row) {
    for (size_t i = 0; i < n; i++)
        if (!w->cells[row][columns[i]].covers[w->people[person][columns[i]]])
            return false;
    return true;
}

static unsigned people_of_row(const world *w, const size_t *columns, size_t n, unsigned row) {
    unsigned people = 0;
    for (unsigned p = 0; p < w->n_people; p++)
        people += matches(w, columns, n, p, row);
    return people;
}

static void expect_person(const world *w, const size_t *columns, size_t n, const kan_table *release,
                          const kan_register_answer *answer, uint64_t asked) {
    const unsigned person = (unsigned)answer->asked[asked];
    const uint32_t tuple = answer->tuple_of[asked];
    const kan_register_guess *guess = kan_register_guesses(answer, asked);
    unsigned rows = 0, of_value[3] = {0}, best = 0;
    uint64_t first = UINT64_MAX;
    char text[4];
    for (unsigned row = 0; row < w->n_rows; row++) {
        if (!matches(w, columns, n, person, row))
            continue;
        first = rows++ == 0 ? row : first;
        of_value[w->secret[row]]++;
    }
    assert_int_equal(answer->rows[tuple], rows);
    assert_true(answer->row[tuple] == first);
    for (unsigned v = 1; v < 3; v++)
        best = of_value[v] > of_value[best] ? v : best;
    assert_int_equal(guess->rows, of_value[best]);
    if (rows > 0) {
        snprintf(text, sizeof text, "s%u", best % 10);
        assert_true(kan_slice_is(
            kan_dictionary_value(&release->columns[w->n_columns].dictionary, guess->code), text));
    }
    if (answer->n_asked == answer->n_people)
        assert_int_equal(answer->is_mutual[tuple],
                         rows == 1 && people_of_row(w, columns, n, (unsigned)first) == 1);
}

static void expect_answer(const world *w, const size_t *columns, size_t n, const kan_table *release,
                          const kan_register_answer *answer) {
    unsigned alone = 0;
    assert_int_equal(answer->n_people, w->n_people);
    for (uint64_t i = 0; i < answer->n_asked; i++) {
        assert_true(i == 0 || answer->asked[i] > answer->asked[i - 1]);
        expect_person(w, columns, n, release, answer, i);
    }
    for (unsigned row = 0; row < w->n_rows; row++)
        alone += people_of_row(w, columns, n, row) == 1;
    assert_int_equal(answer->n_rows_alone, answer->n_asked == answer->n_people ? alone : 0);
}

static void one_list(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 7919 + 3;
    world w;
    kan_register *list;
    size_t all[COLUMNS] = {0, 1, 2}, secret;
    kan_known_column known[COLUMNS];
    random_world(&random, &w);
    kan_table *release = release_of(run, &w), *people = people_of(run, &w);
    secret = w.n_columns;
    for (unsigned c = 0; c < w.n_columns; c++)
        known[c] = (kan_known_column){.released = c, .known = c, .is_exact = c == 2};
    kan_register_question question = {.release = release,
                                      .people = people,
                                      .columns = known,
                                      .n_columns = w.n_columns,
                                      .sensitive = &secret,
                                      .n_sensitive = 1,
                                      .n_sample =
                                          once_in(&random, 3) ? between(&random, 1, ROWS) : 0,
                                      .seed = seed};
    kan_run_set_threads(run, (unsigned)between(&random, 1, 3));
    assert_int_equal(kan_register_create(run, &question, &list), KAN_OK);
    for (size_t first = 0; first < w.n_columns; first++)
        for (size_t n = 1; n <= w.n_columns - first; n++) {
            kan_register_answer answer;
            assert_int_equal(kan_register_ask(list, all + first, n, &answer), KAN_OK);
            assert_int_equal(answer.n_asked, question.n_sample && question.n_sample < w.n_people
                                                 ? question.n_sample
                                                 : w.n_people);
            expect_answer(&w, all + first, n, release, &answer);
            kan_register_answer_destroy(&answer);
        }
    kan_register_destroy(list);
    kan_table_destroy(release);
    kan_table_destroy(people);
}

static void a_list_matches_rows_as_the_definition_says(void **state) {
    (void)state;
    random_rounds(3000, one_list);
}

/* ---- a list held against two releases --------------------------------------------------------------- */

static void expect_cross(const world *a, const world *b, const size_t *columns, size_t n,
                         uint64_t k, const kan_cross *found) {
    kan_cross want = {0};
    uint64_t certain = 0, certain_alone = 0;
    for (unsigned p = 0; p < a->n_people; p++) {
        unsigned of[2][3] = {{0}}, rows[2] = {0, 0}, crowd = 0, values = 0, own = 0;
        for (unsigned v = 0; v < 2; v++) {
            const world *w = v == 0 ? a : b;
            for (unsigned row = 0; row < w->n_rows; row++)
                if (matches(w, columns, n, p, row)) {
                    of[v][w->secret[row]]++;
                    rows[v]++;
                }
        }
        for (unsigned v = 0; v < 3; v++) {
            const unsigned least = of[0][v] < of[1][v] ? of[0][v] : of[1][v];
            crowd += least;
            values += least > 0;
            own += of[0][v] > 0;
        }
        if (crowd == 0)
            continue;
        want.smallest = want.n_people++ == 0 || crowd < want.smallest ? crowd : want.smallest;
        want.n_unique += crowd == 1;
        want.n_below += crowd < k;
        want.n_unique_alone += rows[0] == 1;
        want.n_below_alone += rows[0] < k;
        certain += values == 1;
        certain_alone += own == 1;
    }
    assert_int_equal(found->n_people, want.n_people);
    assert_int_equal(found->smallest, want.smallest);
    assert_int_equal(found->n_unique, want.n_unique);
    assert_int_equal(found->n_below, want.n_below);
    assert_int_equal(found->n_unique_alone, want.n_unique_alone);
    assert_int_equal(found->n_below_alone, want.n_below_alone);
    assert_int_equal(*found->certain, certain);
    assert_int_equal(*found->certain_alone, certain_alone);
}

static void one_cross(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 6151 + 9;
    const uint64_t k = between(&random, 2, 6);
    world w[2];
    const size_t all[COLUMNS] = {0, 1, 2};
    kan_known_column known[COLUMNS];
    kan_table *releases[2], *people;
    kan_register *lists[2];
    kan_register_answer answers[2];
    kan_cross_side sides[2];
    kan_cross found;
    random_world(&random, &w[0]);
    do
        random_world(&random, &w[1]);
    while (w[1].n_columns < w[0].n_columns);
    w[1].n_columns = w[0].n_columns;
    w[1].n_people = w[0].n_people;
    memcpy(w[1].people, w[0].people, sizeof w[0].people);
    const size_t secret = w[0].n_columns;
    people = people_of(run, &w[0]);
    for (unsigned c = 0; c < w[0].n_columns; c++)
        known[c] = (kan_known_column){.released = c, .known = c, .is_exact = c == 2};
    for (unsigned i = 0; i < 2; i++) {
        releases[i] = release_of(run, &w[i]);
        const kan_register_question question = {.release = releases[i],
                                                .people = people,
                                                .columns = known,
                                                .n_columns = w[0].n_columns,
                                                .sensitive = &secret,
                                                .n_sensitive = 1,
                                                .wants_values = true};
        assert_int_equal(kan_register_create(run, &question, &lists[i]), KAN_OK);
        assert_int_equal(kan_register_ask(lists[i], all, w[0].n_columns, &answers[i]), KAN_OK);
        sides[i] = (kan_cross_side){releases[i], &secret, &answers[i]};
    }
    assert_int_equal(kan_cross_people(run, sides, 2, k, &found), KAN_OK);
    expect_cross(&w[0], &w[1], all, w[0].n_columns, k, &found);
    kan_cross_destroy(&found);
    for (unsigned i = 0; i < 2; i++) {
        kan_register_answer_destroy(&answers[i]);
        kan_register_destroy(lists[i]);
        kan_table_destroy(releases[i]);
    }
    kan_table_destroy(people);
}

static void what_two_releases_leave_of_a_list_is_what_the_definition_says(void **state) {
    (void)state;
    random_rounds(3000, one_cross);
}

/* ---- releases put together ------------------------------------------------------------------------ */

typedef struct {
    unsigned n_sides, n_rows[SIDES], quasi[SIDES][ROWS], key[SIDES][ROWS][2], secret[ROWS];
    uint8_t hides[ROWS];
    uint32_t keys[SIDES][ROWS];
} releases;

static void random_releases(uint64_t *random, releases *r) {
    memset(r, 0, sizeof *r);
    r->n_sides = (unsigned)between(random, 2, SIDES);
    const unsigned spread = (unsigned)between(random, 2, 12);
    for (unsigned s = 0; s < r->n_sides; s++) {
        r->n_rows[s] = (unsigned)between(random, 1, ROWS);
        for (unsigned row = 0; row < r->n_rows[s]; row++) {
            r->quasi[s][row] = (unsigned)kan_random_below(random, 3);
            r->key[s][row][0] = (unsigned)kan_random_below(random, spread);
            r->key[s][row][1] = (unsigned)kan_random_below(random, 3);
            r->keys[s][row] = once_in(random, 9) ? KAN_NO_KEY : 0;
        }
    }
    for (unsigned row = 0; row < ROWS; row++)
        r->secret[row] = (unsigned)kan_random_below(random, 2);
    for (unsigned row = 0; row < ROWS; row++)
        r->hides[row] = once_in(random, 8);
}

static kan_table *side_of(kan_run *run, const releases *r, unsigned s) {
    static const char *const columns[] = {"q", "k", "l", "secret"};
    kan_table *table;
    char text[4][12];
    assert_int_equal(kan_table_create(run, 4, columns, &table), KAN_OK);
    for (unsigned row = 0; row < r->n_rows[s]; row++) {
        snprintf(text[0], sizeof text[0], "g%u", r->quasi[s][row]);
        snprintf(text[1], sizeof text[1], "%u", r->key[s][row][0]);
        snprintf(text[2], sizeof text[2], "%u", r->key[s][row][1]);
        snprintf(text[3], sizeof text[3], "%u", r->secret[row]);
        assert_int_equal(
            kan_table_add_row(table, (const char *[]){text[0], text[1], text[2], text[3]}), KAN_OK);
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    return table;
}

static unsigned rows_of(const releases *r, unsigned s, uint32_t key, int group) {
    unsigned n = 0;
    for (unsigned row = 0; row < r->n_rows[s]; row++)
        n += r->keys[s][row] == key && (group < 0 || r->quasi[s][row] == (unsigned)group);
    return n;
}

static bool is_linked(const releases *r, uint32_t key) {
    for (unsigned s = 0; s < r->n_sides; s++)
        if (rows_of(r, s, key, -1) != 1)
            return false;
    return true;
}

/* The crowd of a linked key, and whether one secret is left there. */
static unsigned crowd_of(const releases *r, uint32_t n_keys, uint32_t key, bool *is_certain) {
    unsigned groups[SIDES] = {0}, crowd = 0;
    bool has[2] = {false, false};
    for (unsigned s = 0; s < r->n_sides; s++)
        for (unsigned row = 0; row < r->n_rows[s]; row++)
            if (r->keys[s][row] == key)
                groups[s] = r->quasi[s][row];
    for (uint32_t other = 0; other < n_keys; other++) {
        unsigned least = ROWS;
        for (unsigned s = 0; s < r->n_sides; s++) {
            const unsigned n = rows_of(r, s, other, (int)groups[s]);
            least = n < least ? n : least;
        }
        crowd += least;
        for (unsigned row = 0; row < r->n_rows[0] && least > 0; row++)
            if (r->keys[0][row] == other && r->quasi[0][row] == groups[0])
                has[r->secret[row]] = has[r->hides[row] ? 1 - r->secret[row] : r->secret[row]] =
                    true;
    }
    *is_certain = !(has[0] && has[1]);
    return crowd;
}

static void expect_alone(const releases *r, uint32_t key, uint64_t k, kan_join *want) {
    unsigned group = 0, size = 0;
    bool has[2] = {false, false}, is_hidden = false;
    for (unsigned row = 0; row < r->n_rows[0]; row++)
        if (r->keys[0][row] == key) {
            group = r->quasi[0][row];
            is_hidden = r->hides[row];
        }
    for (unsigned row = 0; row < r->n_rows[0]; row++)
        if (r->quasi[0][row] == group) {
            size++;
            has[r->secret[row]] = has[r->hides[row] ? 1 - r->secret[row] : r->secret[row]] = true;
        }
    want->n_unique_alone += size == 1 && !is_hidden;
    want->n_below_alone += size < k && !is_hidden;
    *want->certain_alone += !(has[0] && has[1]);
}

static void expect_keys(const releases *r, bool has_two) {
    for (unsigned row = 0; row < r->n_rows[0]; row++)
        for (unsigned s = 0; s < r->n_sides; s++)
            for (unsigned other = 0; other < r->n_rows[s]; other++) {
                if (r->keys[0][row] == KAN_NO_KEY || r->keys[s][other] == KAN_NO_KEY)
                    continue;
                assert_int_equal(r->keys[0][row] == r->keys[s][other],
                                 r->key[0][row][0] == r->key[s][other][0] &&
                                     (!has_two || r->key[0][row][1] == r->key[s][other][1]));
            }
}

static void one_join(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 104729 + 5;
    releases r;
    kan_table *tables[SIDES];
    kan_join_columns numbered[SIDES];
    kan_join_side sides[SIDES];
    kan_join found, want = {0};
    uint64_t certain = 0, certain_alone = 0;
    uint32_t n_keys;
    const size_t quasi = 0, columns[] = {1, 2}, secret = 3, n_columns = once_in(&random, 2) ? 2 : 1;
    random_releases(&random, &r);
    for (unsigned s = 0; s < r.n_sides; s++) {
        tables[s] = side_of(run, &r, s);
        numbered[s] = (kan_join_columns){tables[s], columns, r.keys[s]};
        sides[s] = (kan_join_side){tables[s], &quasi, 1, r.keys[s]};
    }
    assert_int_equal(kan_join_number(run, numbered, r.n_sides, n_columns, &n_keys), KAN_OK);
    expect_keys(&r, n_columns == 2);
    const kan_join_question question = {.sides = sides,
                                        .n_sides = r.n_sides,
                                        .n_keys = n_keys,
                                        .sensitive = &secret,
                                        .n_sensitive = 1,
                                        .hides = r.hides,
                                        .k = between(&random, 2, 6)};
    assert_int_equal(kan_join_releases(run, &question, &found), KAN_OK);
    want.certain = &certain;
    want.certain_alone = &certain_alone;
    for (uint32_t key = 0; key < n_keys; key++) {
        bool is_certain;
        if (!is_linked(&r, key))
            continue;
        const unsigned crowd = crowd_of(&r, n_keys, key, &is_certain);
        want.smallest = want.n_linked++ == 0 || crowd < want.smallest ? crowd : want.smallest;
        want.n_unique += crowd == 1;
        want.n_below += crowd < question.k;
        certain += is_certain;
        expect_alone(&r, key, question.k, &want);
    }
    assert_int_equal(found.n_linked, want.n_linked);
    assert_int_equal(found.smallest, want.smallest);
    assert_int_equal(found.n_unique, want.n_unique);
    assert_int_equal(found.n_below, want.n_below);
    assert_int_equal(*found.certain, certain);
    assert_int_equal(found.n_unique_alone, want.n_unique_alone);
    assert_int_equal(found.n_below_alone, want.n_below_alone);
    assert_int_equal(*found.certain_alone, certain_alone);
    kan_join_destroy(&found);
    for (unsigned s = 0; s < r.n_sides; s++)
        kan_table_destroy(tables[s]);
}

static void releases_are_joined_as_the_definition_says(void **state) {
    (void)state;
    random_rounds(5000, one_join);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_list_matches_rows_as_the_definition_says, random_tear_down),
        cmocka_unit_test_teardown(what_two_releases_leave_of_a_list_is_what_the_definition_says,
                                  random_tear_down),
        cmocka_unit_test_teardown(releases_are_joined_as_the_definition_says, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
