/* Classes with two class values and choices of one place each are worked out in fewer steps
 * (search/k_optimize/cut_class_binary.c): on random tables, through several decisions, as spans of
 * an axis or not, such a class is the same in every number as when it is worked out in the way of
 * all others. */
#include <inttypes.h>
#include <string.h>

#include "support/random_space.h"

enum { MOST_PLACES = 40, MOST_CHOICES = 6 * MOST_PLACES, MOST_TUPLES = 300, MOST_CLASSES = 600 };

typedef struct {
    kan_cut_space space;
    kan_cut_maker maker;
    kan_arena arena;
    kan_cut_axis axis;
    kan_cut_slice slice; /* what is divided first */
} scene;

/* ---- tables --------------------------------------------------------------------------------- */

static void add_choices(kan_cut_space *space, uint64_t *random) {
    space->choices = space_room(space, MOST_CHOICES, sizeof *space->choices);
    for (unsigned a = 0; a < space->n_attributes; a++) {
        space->choice_at[a] = space_room(space, space->n_places[a], sizeof(int));
        for (uint32_t place = 0; place < space->n_places[a]; place++) {
            space->choice_at[a][place] = -1;
            if (place == 0 || once_in(random, 20))
                continue; /* never cut */
            uint32_t *at = space_room(space, 1, sizeof *at);
            *at = place;
            space->choice_at[a][place] = (int)space->n_choices;
            space->choices[space->n_choices++] = (kan_choice){a, 1, at, -1};
        }
    }
}

static void add_row(kan_cut_space *space, const uint32_t *row, unsigned value) {
    const size_t t = find_tuple(space, row);
    if (t == space->n_tuples) {
        for (unsigned a = 0; a < space->n_attributes; a++)
            space->places[a][t] = row[a];
        space->n_tuples++;
    }
    space->rows[t]++;
    space->class_rows[2 * t + value]++;
    space->n_rows++;
}

/* No place is empty. Close together or far apart; the value goes by two places, or by chance, and
 * may be rare. */
static void add_rows(kan_cut_space *space, uint64_t n, uint64_t *random) {
    const uint64_t noise = between(random, 1, 6), spread = between(random, 1, 5);
    const uint64_t rare = once_in(random, 3) ? between(random, 2, 30) : 1;
    const unsigned x = (unsigned)kan_random_below(random, space->n_attributes),
                   y = (unsigned)kan_random_below(random, space->n_attributes);
    uint32_t row[KAN_MAX_ATTRIBUTES];
    space->rows = space_room(space, MOST_TUPLES, sizeof *space->rows);
    space->class_rows = space_room(space, 2 * MOST_TUPLES, sizeof *space->class_rows);
    for (unsigned a = 0; a < space->n_attributes; a++)
        space->places[a] = space_room(space, MOST_TUPLES, sizeof *space->places[a]);
    for (uint64_t i = 0; i < n; i++) {
        for (unsigned a = 0; a < space->n_attributes; a++)
            row[a] = i < space->n_places[a] ? (uint32_t)((i + a) % space->n_places[a])
                     : once_in(random, spread)
                         ? (uint32_t)kan_random_below(random, space->n_places[a])
                         : space->n_places[a] / 2;
        const unsigned value = once_in(random, noise) ? (unsigned)kan_random_below(random, 2)
                                                      : (row[x] + row[y] / 2) % 2;
        add_row(space, row, once_in(random, rare) ? value : 0);
    }
}

static void scene_make(kan_run *run, uint64_t *random, scene *out) {
    kan_cut_space *space = &out->space;
    memset(out, 0, sizeof *out);
    kan_arena_init(&space->arena, run);
    kan_arena_init(&out->arena, run);
    *space = (kan_cut_space){.run = run,
                             .arena = space->arena,
                             .recoding = KAN_RECODING_CUTS,
                             .cost = KAN_CUT_CLASSIFICATION,
                             .k = between(random, 1, once_in(random, 2) ? 4 : 40),
                             .n_attributes = (unsigned)between(random, 1, 6),
                             .n_classes = 2};
    const uint64_t n = between(random, 1, once_in(random, 2) ? MOST_PLACES : MOST_TUPLES);
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const uint64_t most = once_in(random, 3) ? MOST_PLACES : 6;
        space->n_places[a] = (uint32_t)between(random, 1, most < n ? most : n);
    }
    add_choices(space, random);
    add_rows(space, n, random);
    space->limit = space->n_rows;
    EXPECT_OK(run, kan_cut_maker_create(space, space->limit, &out->maker));
    assert_true(out->maker.is_binary);
    const unsigned a = (unsigned)kan_random_below(random, space->n_attributes);
    const bool has_axis = space->n_places[a] > 1 && kan_cut_is_by_place(space, a);
    EXPECT_OK(run, kan_cut_axis_make(&out->maker, has_axis ? (int)a : -1, &out->arena, &out->axis));
    const uint32_t from = (uint32_t)kan_random_below(random, out->axis.n);
    kan_cut_axis_slice(&out->maker, &out->axis, from,
                       (uint32_t)between(random, from + 1, out->axis.n), &out->slice);
    for (unsigned c = 0; c < space->n_choices && has_axis; c++)
        if (space->choices[c].attribute == a)
            out->maker.decision[c] = KAN_CUT_LEFT;
}

static void scene_destroy(scene *here) {
    kan_cut_maker_destroy(&here->maker);
    kan_arena_destroy(&here->arena);
    kan_arena_destroy(&here->space.arena);
}

/* ---- classes -------------------------------------------------------------------------------- */

typedef struct {
    size_t n;
    kan_cut_class *classes[MOST_CLASSES];
    uint64_t n_lost;
} division;

static void expect_same_effect(const kan_cut_effect *x, const kan_cut_effect *y) {
    assert_int_equal(x->choice, y->choice);
    assert_int_equal(x->divides_cells, y->divides_cells);
    assert_int_equal(x->n_lost, y->n_lost);
    assert_int_equal(x->apart, y->apart);
    assert_int_equal(x->left, y->left);
    assert_int_equal(x->made, y->made);
    assert_int_equal(x->left_part, y->left_part);
    assert_int_equal(x->made_part, y->made_part);
    assert_int_equal(x->made_share, y->made_share);
}

static void expect_same(const scene *here, const kan_cut_class *x, const kan_cut_class *y) {
    const size_t n_attributes = here->space.n_attributes;
    assert_int_equal(x->n_atoms, y->n_atoms);
    assert_memory_equal(x->keys, y->keys, x->n_atoms * sizeof *x->keys);
    assert_memory_equal(x->rows, y->rows, x->n_atoms * sizeof *x->rows);
    assert_memory_equal(x->class_rows, y->class_rows, 2 * x->n_atoms * sizeof *x->class_rows);
    assert_memory_equal(x->least, y->least, n_attributes * sizeof *x->least);
    assert_memory_equal(x->greatest, y->greatest, n_attributes * sizeof *x->greatest);
    assert_int_equal(x->n_rows, y->n_rows);
    assert_int_equal(x->cost, y->cost);
    assert_int_equal(x->bound, y->bound);
    assert_int_equal(x->largest, y->largest);
    assert_int_equal(x->n_effects, y->n_effects);
    for (unsigned i = 0; i < x->n_effects; i++)
        expect_same_effect(&x->effects[i], &y->effects[i]);
}

/* Divides each class by the decisions of now. */
static void divide(scene *here, bool is_binary, division *of) {
    const division before = *of;
    here->maker.is_binary = is_binary;
    of->n = 0;
    for (size_t i = 0; i < before.n; i++) {
        size_t n;
        uint64_t n_lost;
        assert_true(of->n + before.classes[i]->n_atoms <= MOST_CLASSES);
        EXPECT_OK(here->space.run, kan_cut_class_divide(&here->maker, before.classes[i],
                                                        of->classes + of->n, &n, &n_lost));
        of->n += n;
        of->n_lost += n_lost;
    }
}

static void draw_decisions(scene *here, uint64_t *random) {
    const uint64_t makes = between(random, 2, 40), leaves = between(random, 2, 20);
    for (unsigned c = 0; c < here->space.n_choices; c++) {
        if (here->maker.decision[c] == KAN_CUT_OPEN && once_in(random, makes))
            here->maker.decision[c] = KAN_CUT_MADE;
        else if (here->maker.decision[c] == KAN_CUT_OPEN && once_in(random, leaves))
            here->maker.decision[c] = KAN_CUT_LEFT;
    }
}

static void one_table(kan_run *run, uint64_t seed) {
    static division fast, plain;
    uint64_t random = seed;
    scene here;
    scene_make(run, &random, &here);
    fast = plain = (division){.n = 1, .classes = {&here.slice.class_}};
    for (unsigned step = 0; step < 4; step++) {
        divide(&here, true, &fast);
        divide(&here, false, &plain);
        assert_int_equal(fast.n, plain.n);
        assert_int_equal(fast.n_lost, plain.n_lost);
        for (size_t i = 0; i < fast.n; i++)
            expect_same(&here, fast.classes[i], plain.classes[i]);
        draw_decisions(&here, &random);
    }
    scene_destroy(&here);
}

static void fewer_steps_say_the_same(void **state) {
    (void)state;
    random_rounds(10000, one_table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(fewer_steps_say_the_same, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
