/* Windows over cut sets against all sets of choices of every two or three attributes.
 *
 * Whatever they begin with, they end with something that is allowed and no dearer; and then no
 * other choices of so many attributes cost less, while all others stay as they are. Every set of
 * them is tried: spaces are so small that no window comes to the end of its work. */
#include "search/k_optimize/cut_window.h"

#include <string.h>

#include "support/random_space.h"

enum { MOST_OPEN = 9, MOST_TRIPLED = 8, HAND_ATTRIBUTES = 5 };

/* ---- sets of choices ------------------------------------------------------------------------ */

static uint64_t cost_of(const kan_cut_space *space, const uint8_t *is_made,
                        uint64_t *n_suppressed) {
    uint64_t cost;
    EXPECT_OK(space->run, kan_cut_space_cost(space, is_made, n_suppressed, &cost));
    return cost;
}

/* Whether the parents of all that is made are made. */
static bool is_set(const kan_cut_space *space, const uint8_t *is_made) {
    for (unsigned c = 0; c < space->n_choices; c++) {
        const int parent = space->choices[c].parent;
        if (is_made[c] > 1 || (is_made[c] && parent >= 0 && !is_made[parent]))
            return false;
    }
    return true;
}

/* The least cost of all sets that differ from the given one in these attributes at most. */
static uint64_t least_in_window(const kan_cut_space *space, const uint8_t *is_made, unsigned first,
                                unsigned second, unsigned third) {
    uint8_t here[SPACE_CHOICES];
    uint32_t open[SPACE_CHOICES], n_open = 0;
    uint64_t least = UINT64_MAX;
    for (unsigned c = 0; c < space->n_choices; c++) {
        const unsigned a = space->choices[c].attribute;
        here[c] = is_made[c];
        if (a == first || a == second || a == third)
            open[n_open++] = c;
    }
    for (uint32_t bits = 0; bits < UINT32_C(1) << n_open; bits++) {
        for (unsigned i = 0; i < n_open; i++)
            here[open[i]] = bits >> i & 1;
        const uint64_t cost = is_set(space, here) ? cost_of(space, here, NULL) : UINT64_MAX;
        least = cost < least ? cost : least;
    }
    return least;
}

/* ---- looking through windows ---------------------------------------------------------------- */

static uint64_t best_of(const kan_cut_record *record) {
    return record->is_found ? record->cost : UINT64_MAX;
}

/* A record that knows the empty set, or with a start that set alone. */
static void begin(const kan_cut_space *space, const uint8_t *start, kan_cut_record *out) {
    EXPECT_OK(space->run, kan_cut_record_make(space, out));
    if (!start)
        return;
    out->is_found = false;
    EXPECT_OK(space->run, kan_cut_record_offer(out, start, cost_of(space, start, NULL)));
}

/* What comes out is a set that is allowed, costs what the record says, and no more than the start;
 * where the start is none that is allowed, there is none. */
static void look_through(const kan_cut_space *space, unsigned n_open, const uint8_t *start,
                         kan_cut_record *out) {
    uint64_t n_suppressed;
    begin(space, start, out);
    const uint64_t before = best_of(out);
    EXPECT_OK(space->run, kan_cut_windows(out, n_open));
    assert_int_equal(out->is_found, before < UINT64_MAX);
    assert_true(is_set(space, out->is_made));
    assert_true(cost_of(space, out->is_made, &n_suppressed) == best_of(out));
    if (!out->is_found)
        return;
    assert_true(out->cost <= before && out->cost >= out->bound);
    assert_true(n_suppressed <= space->limit);
    assert_true(!space->wants_release || n_suppressed < space->n_rows);
}

/* ---- spaces --------------------------------------------------------------------------------- */

/* Few enough choices of any two attributes to try all sets of them. */
static bool is_small(const kan_cut_space *space) {
    unsigned n[KAN_MAX_ATTRIBUTES] = {0}, most = 0, second = 0;
    for (unsigned c = 0; c < space->n_choices; c++)
        n[space->choices[c].attribute]++;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        second = n[a] > most ? most : n[a] > second ? n[a] : second;
        most = n[a] > most ? n[a] : most;
    }
    return most + second <= MOST_OPEN;
}

static bool is_narrow(const kan_cut_space *space) {
    return is_small(space) && space->n_attributes > 1 && space->n_attributes < 8;
}

/* Many attributes of two places: a thousand windows. */
static bool is_wide(const kan_cut_space *space) {
    return is_small(space) && space->n_attributes > 8;
}

static bool has_one_attribute(const kan_cut_space *space) {
    return space->n_attributes == 1;
}

static bool has_no_choices(const kan_cut_space *space) {
    return space->n_choices == 0;
}

/* A space of that kind, from the empty set and from anywhere. */
static void one_space(kan_run *run, uint64_t random, bool (*is_wanted)(const kan_cut_space *space),
                      void (*expect)(const kan_cut_space *space, const uint8_t *start)) {
    made_space made;
    uint8_t start[SPACE_CHOICES];
    random_space(run, &random, &made);
    while (!is_wanted(&made.space)) {
        made_space_destroy(&made);
        random_space(run, &random, &made);
    }
    expect(&made.space, NULL);
    if (random_allowed_set(&made.space, &random, start))
        expect(&made.space, start);
    made_space_destroy(&made);
}

/* ---- no window helps ------------------------------------------------------------------------ */

static void expect_no_window_helps(const kan_cut_space *space, const uint8_t *start) {
    kan_cut_record record;
    look_through(space, 2, start, &record);
    for (unsigned a = 0; a < space->n_attributes; a++)
        for (unsigned b = space->n_attributes == 1 ? 0 : a + 1; b < space->n_attributes; b++)
            assert_true(least_in_window(space, record.is_made, a, b, b) == best_of(&record));
    kan_cut_record_destroy(&record);
}

static void one_small_space(kan_run *run, uint64_t seed) {
    one_space(run, seed, seed % 200 == 0 ? is_wide : is_narrow, expect_no_window_helps);
}

static void afterwards_no_choices_of_two_attributes_cost_less(void **state) {
    (void)state;
    random_rounds(300, one_small_space);
}

/* Those with fewer places than eight others are not opened three at a time. */
static bool is_opened(const kan_cut_space *space, unsigned attribute) {
    unsigned n_before = 0;
    for (unsigned a = 0; a < space->n_attributes; a++)
        n_before += space->n_places[a] > space->n_places[attribute] ||
                    (space->n_places[a] == space->n_places[attribute] && a < attribute);
    return n_before < MOST_TRIPLED;
}

static void expect_no_three_help(const kan_cut_space *space, const uint8_t *start) {
    kan_cut_record record;
    look_through(space, 3, start, &record);
    for (unsigned a = 0; a < space->n_attributes; a++)
        for (unsigned b = a + 1; b < space->n_attributes; b++)
            for (unsigned c = b + 1; c < space->n_attributes; c++)
                if (is_opened(space, a) && is_opened(space, b) && is_opened(space, c))
                    assert_true(least_in_window(space, record.is_made, a, b, c) ==
                                best_of(&record));
    kan_cut_record_destroy(&record);
}

static void three_of_a_small_space(kan_run *run, uint64_t seed) {
    one_space(run, seed + 5000000, seed % 100 == 0 ? is_wide : is_narrow, expect_no_three_help);
}

static void afterwards_no_choices_of_three_attributes_cost_less(void **state) {
    (void)state;
    random_rounds(100, three_of_a_small_space);
}

/* All choices are in the one window. */
static void one_attribute(kan_run *run, uint64_t seed) {
    one_space(run, seed + 1000000, has_one_attribute, expect_no_window_helps);
}

static void one_attribute_alone_is_cut_in_the_best_way(void **state) {
    (void)state;
    random_rounds(100, one_attribute);
}

/* ---- what it does not depend on ------------------------------------------------------------- */

static void expect_same(const kan_cut_record *one, const kan_cut_record *other) {
    assert_true(best_of(one) == best_of(other));
    assert_int_equal(one->n_moments, other->n_moments);
    for (unsigned c = 0; c < one->space->n_choices; c++)
        assert_int_equal(one->is_made[c], other->is_made[c]);
}

static void expect_same_on_all_threads(const kan_cut_space *space, const uint8_t *start) {
    static const unsigned threads[] = {1, 2, 5};
    kan_cut_record records[3];
    for (unsigned n_open = 2; n_open <= KAN_CUT_MOST_OPEN; n_open++) {
        for (unsigned i = 0; i < 3; i++) {
            kan_run_set_threads(space->run, threads[i]);
            look_through(space, n_open, start, &records[i]);
            expect_same(&records[0], &records[i]);
        }
        for (unsigned i = 0; i < 3; i++)
            kan_cut_record_destroy(&records[i]);
    }
}

static void one_space_on_threads(kan_run *run, uint64_t seed) {
    one_space(run, seed + 2000000, seed % 200 == 0 ? is_wide : is_narrow,
              expect_same_on_all_threads);
}

static void any_number_of_threads_finds_the_same(void **state) {
    (void)state;
    random_rounds(200, one_space_on_threads);
}

static void expect_no_change(const kan_cut_space *space, const uint8_t *start) {
    kan_cut_record before, after;
    begin(space, start, &before);
    look_through(space, 2, start, &after);
    expect_same(&before, &after);
    kan_cut_record_destroy(&before);
    kan_cut_record_destroy(&after);
}

static void one_without_choices(kan_run *run, uint64_t seed) {
    one_space(run, seed + 3000000, has_no_choices, expect_no_change);
}

static void without_choices_the_best_stays(void **state) {
    (void)state;
    random_rounds(50, one_without_choices);
}

/* Nothing is looked at, nothing fails; later it goes on as if there had been no stop. */
static void expect_stop(const kan_cut_space *space, const uint8_t *start) {
    kan_cut_record stopped, whole;
    kan_run_set_time_limit(space->run, 1e-9); /* is over before it begins */
    expect_no_change(space, start);
    look_through(space, 2, start, &stopped);
    kan_run_set_time_limit(space->run, 0);
    EXPECT_OK(space->run, kan_cut_windows(&stopped, 2));
    look_through(space, 2, start, &whole);
    expect_same(&whole, &stopped);
    kan_cut_record_destroy(&stopped);
    kan_cut_record_destroy(&whole);
}

static void one_stop(kan_run *run, uint64_t seed) {
    one_space(run, seed + 4000000, is_narrow, expect_stop);
}

static void after_a_stop_windows_go_on_as_if_there_had_been_none(void **state) {
    (void)state;
    random_rounds(30, one_stop);
}

/* ---- tables by hand ------------------------------------------------------------------------- */

typedef struct {
    uint32_t at[HAND_ATTRIBUTES];
    uint32_t rows[2]; /* by class; both together where there is none */
} hand_tuple;

/* Every place above 0 is a choice of its own, or in full-subtree all of an attribute are one. */
static void add_choices(kan_cut_space *space, unsigned a) {
    const uint32_t n = space->n_places[a];
    const bool is_one = space->recoding == KAN_RECODING_SUBTREES;
    uint32_t *places = space_room(space, n, sizeof *places);
    space->choice_at[a] = space_room(space, n, sizeof *space->choice_at[a]);
    space->choice_at[a][0] = -1;
    for (uint32_t place = 1; place < n; place++) {
        places[place] = place;
        if (place == 1 || !is_one)
            space->choices[space->n_choices++] = (kan_choice){a, 0, &places[place], -1};
        space->choice_at[a][place] = (int)space->n_choices - 1;
        space->choices[space->n_choices - 1].n_places++;
    }
}

/* All that is not in the tuples is set already. */
static void hand_made(kan_run *run, const hand_tuple *tuples, size_t n, kan_cut_space *space) {
    space->run = run;
    space->n_tuples = n;
    space->n_classes = space->cost == KAN_CUT_CLASSIFICATION ? 2 : 0;
    kan_arena_init(&space->arena, run);
    space->choices = space_room(space, SPACE_CHOICES, sizeof *space->choices);
    space->rows = space_room(space, n, sizeof *space->rows);
    space->class_rows = space_room(space, 2 * n, sizeof *space->class_rows);
    for (unsigned a = 0; a < space->n_attributes; a++) {
        add_choices(space, a);
        space->places[a] = space_room(space, n, sizeof *space->places[a]);
        for (size_t t = 0; t < n; t++)
            space->places[a][t] = tuples[t].at[a];
    }
    for (size_t t = 0; t < n; t++) {
        space->rows[t] = tuples[t].rows[0] + tuples[t].rows[1];
        space->n_rows += space->rows[t];
        memcpy(space->class_rows + 2 * t, tuples[t].rows, sizeof tuples[t].rows);
    }
}

/* Every change of a single choice costs more than the start, so that a climb would stay; and
 * nothing costs as little as the best. */
static void expect_trap(const kan_cut_space *space, const uint8_t *start, uint64_t before,
                        const uint8_t *best, uint64_t after) {
    uint8_t here[SPACE_CHOICES];
    memcpy(here, start, space->n_choices);
    assert_int_equal(cost_of(space, here, NULL), before);
    for (unsigned c = 0; c < space->n_choices; c++) {
        here[c] = !here[c];
        assert_true(cost_of(space, here, NULL) > before);
        here[c] = !here[c];
    }
    for (uint32_t bits = 0; bits < UINT32_C(1) << space->n_choices; bits++) {
        for (unsigned c = 0; c < space->n_choices; c++)
            here[c] = bits >> c & 1;
        const bool is_best = memcmp(here, best, space->n_choices) == 0;
        const uint64_t cost = cost_of(space, here, NULL);
        assert_true(is_best ? cost == after : cost > after);
    }
}

static void expect_end(const kan_cut_space *space, unsigned n_open, const uint8_t *start,
                       const uint8_t *end, uint64_t cost) {
    kan_cut_record record;
    look_through(space, n_open, start, &record);
    assert_int_equal(record.cost, cost);
    assert_memory_equal(record.is_made, end, space->n_choices);
    kan_cut_record_destroy(&record);
}

/* A table of two attributes that matter and one that does not, with a choice each. Any two of five
 * are to be those that matter, and all others are like the third. */
typedef struct {
    kan_cut_space space;
    hand_tuple tuples[6];
    uint8_t start[2], best[2]; /* the choices of the two */
    uint64_t before, after;    /* what they cost */
} trap;

static void expect_way_out(const trap *of, unsigned first, unsigned second) {
    kan_run *run = kan_run_create();
    kan_cut_space space = of->space;
    hand_tuple tuples[6];
    uint8_t start[HAND_ATTRIBUTES] = {0}, best[HAND_ATTRIBUTES] = {0};
    space.n_attributes = HAND_ATTRIBUTES;
    memcpy(tuples, of->tuples, sizeof tuples);
    for (unsigned a = 0; a < HAND_ATTRIBUTES; a++) {
        const unsigned like = a == first ? 0 : a == second ? 1 : 2;
        space.n_places[a] = of->space.n_places[like];
        for (size_t t = 0; t < 6; t++)
            tuples[t].at[a] = of->tuples[t].at[like];
        start[a] = like < 2 ? of->start[like] : 0;
        best[a] = like < 2 ? of->best[like] : 0;
    }
    hand_made(run, tuples, 6, &space);
    assert_int_equal(space.n_choices, HAND_ATTRIBUTES);
    expect_trap(&space, start, of->before, best, of->after);
    expect_end(&space, 2, start, best, of->after);
    kan_cut_space_destroy(&space);
    kan_run_destroy(run);
}

static void expect_way_out_by_any_two(const trap *of) {
    for (unsigned first = 0; first < HAND_ATTRIBUTES; first++)
        for (unsigned second = 0; second < HAND_ATTRIBUTES; second++)
            if (first != second)
                expect_way_out(of, first, second);
}

/* One attribute divides 10 rows into 4 and 6, the other into 5 and 5, both into groups of which one
 * alone has the 4 rows that it needs. */
static void a_window_exchanges_the_cuts_of_two_attributes(void **state) {
    static const trap exchange = {.space = {.recoding = KAN_RECODING_CUTS,
                                            .cost = KAN_CUT_DISCERNIBILITY,
                                            .k = 4,
                                            .limit = UINT64_MAX,
                                            .n_places = {2, 2, 2}},
                                  .tuples = {{{0, 0, 0}, {2, 0}},
                                             {{0, 0, 1}, {1, 0}},
                                             {{0, 1, 1}, {1, 0}},
                                             {{1, 0, 0}, {1, 0}},
                                             {{1, 0, 1}, {1, 0}},
                                             {{1, 1, 1}, {4, 0}}},
                                  .start = {1, 0},
                                  .best = {0, 1},
                                  .before = 4 * 4 + 6 * 6,
                                  .after = 5 * 5 + 5 * 5};
    (void)state;
    expect_way_out_by_any_two(&exchange);
}

/* The class is that of two attributes together, and neither alone says anything of it; but each has
 * a value of its own for one row, which is suppressed when it is cut. */
static void a_window_cuts_two_attributes_that_only_cost_alone(void **state) {
    static const trap both = {.space = {.recoding = KAN_RECODING_SUBTREES,
                                        .cost = KAN_CUT_CLASSIFICATION,
                                        .k = 2,
                                        .limit = 3,
                                        .n_places = {3, 3, 2}},
                              .tuples = {{{0, 0, 0}, {4, 0}},
                                         {{0, 1, 0}, {0, 3}},
                                         {{0, 1, 1}, {0, 1}},
                                         {{1, 0, 0}, {0, 4}},
                                         {{1, 1, 0}, {3, 0}},
                                         {{2, 2, 0}, {0, 1}}},
                              .start = {0, 0},
                              .best = {1, 1},
                              .before = 7,
                              .after = 1};
    (void)state;
    expect_way_out_by_any_two(&both);
}

/* Two attributes that divide 15 rows into 6, 3, 3 and 3 instead of one that divides them into 7 and
 * 8; two of the three, or all of them, suppress too many. */
static void what_takes_three_attributes_at_once_takes_windows_of_three(void **state) {
    static const hand_tuple tuples[] = {{{0, 0, 1}, {2, 0}}, {{0, 1, 0}, {2, 0}},
                                        {{0, 1, 1}, {3, 0}}, {{1, 0, 0}, {6, 0}},
                                        {{1, 0, 1}, {1, 0}}, {{1, 1, 0}, {1, 0}}};
    static const uint8_t start[] = {1, 0, 0}, best[] = {0, 1, 1};
    kan_run *run = kan_run_create();
    kan_cut_space space = {.recoding = KAN_RECODING_CUTS,
                           .cost = KAN_CUT_DISCERNIBILITY,
                           .k = 3,
                           .limit = UINT64_MAX,
                           .n_attributes = 3,
                           .n_places = {2, 2, 2}};
    (void)state;
    hand_made(run, tuples, 6, &space);
    expect_trap(&space, start, 7 * 7 + 8 * 8, best, 6 * 6 + 3 * 3 * 3);
    expect_end(&space, 2, start, start, 7 * 7 + 8 * 8);
    expect_end(&space, 3, start, best, 6 * 6 + 3 * 3 * 3);
    kan_cut_space_destroy(&space);
    kan_run_destroy(run);
}

/* ---- windows that do not come to an end ----------------------------------------------------- */

/* So many tuples that windows come to the end of their work, and leave something open. */
static void large_space(kan_run *run, kan_cut_space *out) {
    static hand_tuple tuples[3000];
    uint64_t random = 7;
    *out = (kan_cut_space){.recoding = KAN_RECODING_CUTS,
                           .cost = KAN_CUT_DISCERNIBILITY,
                           .k = 40,
                           .limit = 300,
                           .n_attributes = 3,
                           .n_places = {20, 20, 8}};
    for (uint32_t t = 0; t < 3000; t++)
        tuples[t] = (hand_tuple){{t % 20, t / 20 % 20, t / 400},
                                 {1 + (uint32_t)kan_random_below(&random, 3), 0}};
    hand_made(run, tuples, 3000, out);
}

static void windows_that_are_given_up_find_the_same_on_any_number_of_threads(void **state) {
    kan_run *run = kan_run_create();
    kan_cut_space space;
    (void)state;
    large_space(run, &space);
    expect_same_on_all_threads(&space, NULL);
    kan_cut_space_destroy(&space);
    kan_run_destroy(run);
}

/* Whenever it comes. */
static void a_stop_amid_windows_is_no_failure(void **state) {
    static const double seconds[] = {3e-4, 1e-3, 3e-3, 1e-2};
    kan_run *run = kan_run_create();
    kan_cut_space space;
    (void)state;
    kan_run_set_threads(run, 1);
    large_space(run, &space);
    for (unsigned i = 0; i < 4; i++) {
        kan_cut_record record;
        kan_run_set_time_limit(run, seconds[i]);
        look_through(&space, 2, NULL, &record);
        kan_cut_record_destroy(&record);
    }
    kan_cut_space_destroy(&space);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(afterwards_no_choices_of_two_attributes_cost_less,
                                  random_tear_down),
        cmocka_unit_test_teardown(afterwards_no_choices_of_three_attributes_cost_less,
                                  random_tear_down),
        cmocka_unit_test_teardown(one_attribute_alone_is_cut_in_the_best_way, random_tear_down),
        cmocka_unit_test_teardown(any_number_of_threads_finds_the_same, random_tear_down),
        cmocka_unit_test_teardown(without_choices_the_best_stays, random_tear_down),
        cmocka_unit_test_teardown(after_a_stop_windows_go_on_as_if_there_had_been_none,
                                  random_tear_down),
        cmocka_unit_test(a_window_exchanges_the_cuts_of_two_attributes),
        cmocka_unit_test(a_window_cuts_two_attributes_that_only_cost_alone),
        cmocka_unit_test(what_takes_three_attributes_at_once_takes_windows_of_three),
        cmocka_unit_test(windows_that_are_given_up_find_the_same_on_any_number_of_threads),
        cmocka_unit_test(a_stop_amid_windows_is_no_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
