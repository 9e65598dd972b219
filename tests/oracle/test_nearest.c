/* The nearest rows of a list of people (kan_register_ask_nearest) against the plain
 * definition: every person against every row, over random small tables of numbers, ranges, lists, * and text. */
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

enum { ROWS = 24, COLUMNS = 3, NUMBERS = 9, TEXTS = 3, TEXT = 24 };

/* What a cell shows: a range of halves, or a set of texts. */
typedef struct {
    char text[TEXT];
    unsigned lo, hi; /* of a number, in halves */
    bool covers[TEXTS];
} shown;

typedef struct {
    unsigned n_columns, n_rows, n_people;
    shown cells[ROWS][COLUMNS];
    unsigned people[ROWS][COLUMNS]; /* numbers as they are; texts by number */
    unsigned secret[ROWS];
    uint64_t own[ROWS]; /* a row of each person */
} world;

static shown random_number(uint64_t *random) {
    shown cell = {.text = "*", .lo = 0, .hi = 2 * NUMBERS};
    unsigned a = (unsigned)kan_random_below(random, 2 * NUMBERS);
    unsigned b = a + (unsigned)kan_random_below(random, 2 * NUMBERS - a);
    switch (kan_random_below(random, 4)) {
    case 0:
        return cell;
    case 1:
        b = a;
        break;
    default:
        a -= a % 2;
        b -= b % 2;
        break;
    }
    cell.lo = a;
    cell.hi = b;
    if (a == b)
        snprintf(cell.text, TEXT, "%u%s", a / 2, a % 2 ? ".5" : "");
    else if (once_in(random, 3))
        snprintf(cell.text, TEXT, "{%u, %u}", a / 2, b / 2);
    else
        snprintf(cell.text, TEXT, "[%u-%u]", a / 2, b / 2);
    return cell;
}

static shown random_text(uint64_t *random) {
    shown cell = {.text = "*"};
    const unsigned a = (unsigned)kan_random_below(random, TEXTS);
    const unsigned b = (unsigned)kan_random_below(random, TEXTS);
    const bool is_star = once_in(random, 4);
    for (unsigned v = 0; v < TEXTS; v++)
        cell.covers[v] = is_star || v == a || v == b;
    if (!is_star)
        snprintf(cell.text, TEXT, a == b ? "%c" : "{%c, %c}", 'x' + (int)a, 'x' + (int)b);
    return cell;
}

static void random_world(uint64_t *random, world *w) {
    w->n_columns = (unsigned)between(random, 1, COLUMNS);
    w->n_rows = (unsigned)between(random, 1, ROWS);
    w->n_people = (unsigned)between(random, NUMBERS, ROWS);
    for (unsigned c = 0; c < w->n_columns; c++) {
        for (unsigned row = 0; row < w->n_rows; row++)
            w->cells[row][c] = c < 2 ? random_number(random) : random_text(random);
        const unsigned most = c < 2 ? NUMBERS : TEXTS;
        for (unsigned p = 0; p < w->n_people; p++) /* each value is there */
            w->people[p][c] = p < most ? p : (unsigned)kan_random_below(random, most);
    }
    for (unsigned row = 0; row < w->n_rows; row++)
        w->secret[row] = (unsigned)kan_random_below(random, 3);
    for (unsigned p = 0; p < w->n_people; p++)
        w->own[p] = once_in(random, 4) ? UINT64_MAX : kan_random_below(random, w->n_rows);
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
            snprintf(text[c], sizeof text[c], c < 2 ? "%u" : "%c",
                     (c < 2 ? 0 : 'x') + w->people[p][c] % 10);
            values[c] = text[c];
        }
        assert_int_equal(kan_table_add_row(table, values), KAN_OK);
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    return table;
}

/* ---- the definition ------------------------------------------------------------------------------ */

/* Of the people, in numbers as they are. */
static long double variance(const world *w, unsigned c) {
    long double sum = 0, squares = 0;
    for (unsigned p = 0; p < w->n_people; p++)
        sum += w->people[p][c];
    for (unsigned p = 0; p < w->n_people; p++) {
        const long double apart = w->people[p][c] - sum / w->n_people;
        squares += apart * apart;
    }
    return squares / w->n_people;
}

static long double apart(const world *w, unsigned person, unsigned row, unsigned c) {
    const shown *cell = &w->cells[row][c];
    const unsigned value = w->people[person][c];
    if (c >= 2)
        return cell->covers[value] ? 0 : 1;
    const unsigned by = 2 * value < cell->lo   ? cell->lo - 2 * value
                        : 2 * value > cell->hi ? 2 * value - cell->hi
                                               : 0;
    return (long double)by * by / 4 / variance(w, c);
}

static long double distance(const world *w, const size_t *columns, size_t n, unsigned person,
                            unsigned row) {
    long double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += apart(w, person, row, (unsigned)columns[i]);
    return sum;
}

static void expect_person(const world *w, const size_t *columns, size_t n,
                          const kan_register_answer *answer, uint64_t asked) {
    const unsigned person = (unsigned)answer->asked[asked];
    const uint32_t tuple = answer->tuple_of[asked];
    long double least = 1e9L;
    unsigned rows = 0, of_value[3] = {0}, best = 0;
    uint64_t first = UINT64_MAX;
    bool holds = false;
    for (unsigned row = 0; row < w->n_rows; row++) {
        const long double here = distance(w, columns, n, person, row);
        least = here < least ? here : least;
    }
    for (unsigned row = 0; row < w->n_rows; row++) {
        if (distance(w, columns, n, person, row) > least + least * 1e-7L)
            continue;
        first = rows++ == 0 ? row : first;
        of_value[w->secret[row]]++;
        holds = holds || w->own[person] == row;
    }
    assert_int_equal(answer->rows[tuple], rows);
    assert_true(answer->row[tuple] == first);
    for (unsigned v = 1; v < 3; v++)
        best = of_value[v] > of_value[best] ? v : best;
    assert_int_equal(kan_register_guesses(answer, asked)->rows, of_value[best]);
    assert_int_equal(answer->holds[asked], holds);
}

static void one_list(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 6151 + 5;
    static world w;
    kan_register *list;
    size_t all[COLUMNS] = {0, 1, 2}, secret;
    kan_known_column known[COLUMNS];
    random_world(&random, &w);
    kan_table *release = release_of(run, &w), *people = people_of(run, &w);
    secret = w.n_columns;
    for (unsigned c = 0; c < w.n_columns; c++)
        known[c] = (kan_known_column){.released = c, .known = c};
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
            assert_int_equal(kan_register_ask_nearest(list, all + first, n, w.own, &answer),
                             KAN_OK);
            for (uint64_t i = 0; i < answer.n_asked; i++)
                expect_person(&w, all + first, n, &answer, i);
            kan_register_answer_destroy(&answer);
        }
    kan_register_destroy(list);
    kan_table_destroy(release);
    kan_table_destroy(people);
}

/* ---- all at once ------------------------------------------------------------------------------------ */

/* The least sum of distances when the people from `person` on take rows of their own, as long as there are any: all
 * ways are tried. */
static long double least_sum(const world *w, const size_t *columns, size_t n, unsigned person,
                             unsigned taken, unsigned left) {
    long double least = 1e9L;
    if (person == w->n_people || left == 0)
        return 0;
    /* where rows are fewer, somebody has none */
    if (w->n_people - person > left)
        least = least_sum(w, columns, n, person + 1, taken, left);
    for (unsigned row = 0; row < w->n_rows; row++)
        if (!(taken & 1U << row)) {
            const long double here =
                distance(w, columns, n, person, row) +
                least_sum(w, columns, n, person + 1, taken | 1U << row, left - 1);
            least = here < least ? here : least;
        }
    return least;
}

static void one_assignment(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 4513 + 7;
    static world w;
    kan_register *list;
    size_t all[COLUMNS] = {0, 1, 2};
    kan_known_column known[COLUMNS];
    kan_assigned found;
    random_world(&random, &w);
    /* few enough for every way; who is who: the first of a row */
    w.n_rows = (unsigned)between(&random, 1, 6);
    w.n_people = (unsigned)between(&random, 2, 6);
    for (unsigned p = 0; p < w.n_people; p++) {
        for (unsigned c = 0; c < 2; c++)
            w.people[p][c] =
                p < 2 ? p * (NUMBERS - 1) : (unsigned)kan_random_below(&random, NUMBERS);
        w.own[p] = p < w.n_rows ? p : UINT64_MAX;
    }
    for (unsigned row = 0; row < w.n_rows; row++)
        for (unsigned c = 0; c < 2; c++)
            while (w.cells[row][c].text[0] == '{') /* of values that nobody has nothing is known */
                w.cells[row][c] = random_number(&random);
    kan_table *release = release_of(run, &w), *people = people_of(run, &w);
    for (unsigned c = 0; c < w.n_columns; c++)
        known[c] = (kan_known_column){.released = c, .known = c};
    kan_register_question question = {
        .release = release, .people = people, .columns = known, .n_columns = w.n_columns};
    assert_int_equal(kan_register_create(run, &question, &list), KAN_OK);
    assert_int_equal(kan_register_assign(list, all, w.n_columns, w.own, &found), KAN_OK);
    const long double least =
        least_sum(&w, all, w.n_columns, 0, 0, w.n_rows < w.n_people ? w.n_rows : w.n_people);
    assert_true(found.is_done);
    assert_int_equal(found.n_assigned, w.n_rows < w.n_people ? w.n_rows : w.n_people);
    assert_true(found.distance >= (double)least - 1e-9 && found.distance <= (double)least + 1e-9);
    assert_true(found.right >= 0 && found.right <= (double)found.n_assigned + 1e-9);
    kan_register_destroy(list);
    kan_table_destroy(release);
    kan_table_destroy(people);
}

static void all_rows_at_once_add_up_to_the_least(void **state) {
    (void)state;
    random_rounds(1500, one_assignment);
}

/* Exact rows of different people find everybody; k rows that look alike leave one chance in k. */
static void whoever_hands_out_all_rows_is_right_as_often_as_rows_differ(void **state) {
    static world w;
    kan_run *run = kan_run_create();
    kan_register *list;
    const size_t column = 0;
    const kan_known_column known = {.released = 0, .known = 0};
    kan_assigned found;
    (void)state;
    memset(&w, 0, sizeof w);
    w.n_columns = 1;
    w.n_rows = w.n_people = 8;
    for (unsigned p = 0; p < 8; p++) {
        w.people[p][0] = p;
        w.own[p] = p;
        snprintf(w.cells[p][0].text, TEXT, p < 4 ? "%u" : "5.5", p);
    }
    kan_table *release = release_of(run, &w), *people = people_of(run, &w);
    kan_register_question question = {
        .release = release, .people = people, .columns = &known, .n_columns = 1};
    assert_int_equal(kan_register_create(run, &question, &list), KAN_OK);
    assert_int_equal(kan_register_assign(list, &column, 1, w.own, &found), KAN_OK);
    assert_true(found.right > 5 - 1e-9 && found.right < 5 + 1e-9);
    kan_register_destroy(list);
    kan_table_destroy(release);
    kan_table_destroy(people);
    kan_run_destroy(run);
}

static void the_nearest_rows_are_those_of_the_definition(void **state) {
    (void)state;
    random_rounds(3000, one_list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_nearest_rows_are_those_of_the_definition, random_tear_down),
        cmocka_unit_test_teardown(all_rows_at_once_add_up_to_the_least, random_tear_down),
        cmocka_unit_test(whoever_hands_out_all_rows_is_right_as_often_as_rows_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
