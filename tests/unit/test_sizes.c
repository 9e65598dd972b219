/* group/freqsets/sizes.h: group sizes against real roll-ups. Sizes come in no particular order, so both
 * lists are sorted before they are compared. */
#include <stdlib.h>
#include <string.h>

#include "support/random_problem.h"
#include "support/sets.h"

#include "group/freqsets/sizes.h"

/* Long hierarchies: more possible groups than there is room for counters, fields of many bits. */
static const random_spec large_domains = {.least_attributes = 1,
                                          .most_attributes = 4,
                                          .least_rows = 200,
                                          .most_rows = 900,
                                          .most_leaves = 700,
                                          .most_height = 4,
                                          .most_tails = 1};
/* About 60 bits in fields of 4: more slices of a key than there may be. */
static const random_spec many_fields = {.least_attributes = 12,
                                        .most_attributes = 17,
                                        .least_rows = 20,
                                        .most_rows = 300,
                                        .most_leaves = 14,
                                        .most_height = 3,
                                        .most_tails = 1};
/* Keys of several words. */
static const random_spec wide_keys = {.least_attributes = 20,
                                      .most_attributes = 40,
                                      .least_rows = 20,
                                      .most_rows = 200,
                                      .most_leaves = 30,
                                      .most_height = 3,
                                      .most_tails = 2};
static const random_spec *const specs[] = {&random_small, &large_domains, &many_fields, &wide_keys};

typedef struct {
    plain_table plain;
    test_problem made;
    const kan_space *space;
    kan_workspace *workspace, *counting; /* of sets; of sizes, where some are divided */
    kan_freqset without_tails, expected, below;
    kan_sizes sizes;
    uint64_t random;
} scene;

static void scene_make(kan_run *run, uint64_t seed, const random_spec *spec, scene *out) {
    unsigned order[KAN_MAX_FIELDS];
    memset(out, 0, sizeof *out);
    out->random = seed;
    random_plain(spec, &out->random, &out->plain);
    test_problem_make(run, &out->plain, &out->made);
    out->space = &out->made.problem.space;
    EXPECT_OK(run, kan_workspace_create(run, &out->workspace));
    EXPECT_OK(run, kan_workspace_create(run, &out->counting));
    kan_run_set_threads(run, 3);
    kan_workspace_divide(out->counting, seed % 3 ? 0 : 16);
    for (unsigned a = 0; a < out->space->n_attributes; a++)
        order[a] = a;
    EXPECT_OK(run,
              kan_freqset_project(out->space, &out->made.problem.base, order,
                                  out->space->n_attributes, out->workspace, &out->without_tails));
    kan_sizes_init(&out->sizes, out->space);
}

static void scene_destroy(kan_run *run, scene *here) {
    kan_sizes_destroy(&here->sizes);
    kan_freqset_destroy(run, &here->without_tails);
    kan_freqset_destroy(run, &here->expected);
    kan_freqset_destroy(run, &here->below);
    kan_workspace_destroy(here->workspace);
    kan_workspace_destroy(here->counting);
    test_problem_destroy(&here->made);
    plain_destroy(&here->plain);
}

static int compare_sizes(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t *sorted_copy(const uint64_t *sizes, size_t n) {
    uint64_t *copy = calloc(n + 1, sizeof *copy);
    assert_non_null(copy);
    if (n > 0)
        memcpy(copy, sizes, n * sizeof *copy);
    qsort(copy, n, sizeof *copy, compare_sizes);
    return copy;
}

static size_t n_split, n_listed;

/* The tuples of small groups: their rows, each tuple once and in its order, and none of a large one. */
static void expect_small(kan_run *run, scene *here, const kan_freqset *from, const unsigned *levels,
                         uint64_t least, uint64_t n_small_rows) {
    uint64_t rows = 0;
    bool fits;
    EXPECT_OK(run, kan_sizes_list_small(&here->sizes, from, levels, least, &fits));
    if (!fits)
        return;
    for (size_t i = 0; i < here->sizes.n_small_tuples; i++) {
        const size_t tuple = here->sizes.small[i];
        assert_true(tuple < from->n && (i == 0 || here->sizes.small[i - 1] < tuple));
        assert_true(from->counts[tuple] < least);
        rows += from->counts[tuple];
    }
    assert_true(rows == n_small_rows);
    n_listed++;
}

/* Small groups and others, by the sizes that were expected last. */
static void expect_split(kan_run *run, scene *here, const kan_freqset *from, const unsigned *levels,
                         uint64_t times) {
    const uint64_t least = 1 + kan_random_below(&here->random, 8);
    uint64_t rows = 0;
    size_t n_small = 0;
    bool fits;
    for (size_t g = 0; g < here->expected.n; g++) {
        const bool is_small = here->expected.counts[g] * times < least;
        n_small += is_small;
        rows += is_small ? here->expected.counts[g] * times : 0;
    }
    expect_small(run, here, from, levels, least, rows);
    EXPECT_OK(run, kan_sizes_split(&here->sizes, from, levels, least, &fits));
    if (!fits)
        return;
    assert_true(here->sizes.n_small_rows == rows);
    assert_int_equal(here->sizes.n_small, n_small);
    assert_int_equal(here->sizes.n_large, here->expected.n - n_small);
    n_split++;
    expect_small(run, here, from, levels, least, rows);
}

/* The sizes counted from `from`, whose rows count `times` as much as those of the base. */
static void expect_sizes(kan_run *run, scene *here, const kan_freqset *from, const unsigned *levels,
                         uint64_t times) {
    EXPECT_OK(run, kan_sizes_count(&here->sizes, from, levels, here->counting));
    const size_t n = here->sizes.n;
    uint64_t *told = sorted_copy(here->sizes.counts, n);
    EXPECT_OK(run, kan_freqset_rollup(here->space, &here->without_tails, levels, here->workspace,
                                      &here->expected));
    uint64_t *expected = sorted_copy(here->expected.counts, here->expected.n);
    assert_int_equal(n, here->expected.n);
    for (size_t i = 0; i < n; i++)
        assert_true(told[i] == expected[i] * times);
    free(told);
    free(expected);
    expect_split(run, here, from, levels, times);
}

/* Levels at or above `from`: near it, near the top, anywhere. */
static void random_levels(scene *here, const unsigned *from, unsigned *levels) {
    const uint64_t mood = kan_random_below(&here->random, 3);
    for (unsigned a = 0; a < here->space->n_attributes; a++) {
        const unsigned height = here->space->dimensions[a].height, room = height - from[a];
        const unsigned some = (unsigned)kan_random_below(&here->random, room + 1);
        const bool is_kept = kan_random_below(&here->random, 3) > 0;
        levels[a] = mood == 0 && is_kept ? from[a] : mood == 1 && is_kept ? height : from[a] + some;
    }
}

static void count_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    unsigned bottom[KAN_MAX_ATTRIBUTES] = {0}, from[KAN_MAX_ATTRIBUTES], levels[KAN_MAX_ATTRIBUTES];
    scene_make(run, seed, specs[seed % 4], &here);
    for (unsigned turn = 0; turn < 12; turn++) {
        /* from the base, whose tails are passed over */
        random_levels(&here, bottom, levels);
        expect_sizes(run, &here, &here.made.problem.base, levels, 1);
        /* from a set in between; the same room is used again */
        random_levels(&here, bottom, from);
        EXPECT_OK(run, kan_freqset_rollup(here.space, &here.without_tails, from, here.workspace,
                                          &here.below));
        random_levels(&here, from, levels);
        expect_sizes(run, &here, &here.below, levels, 1);
        expect_sizes(run, &here, &here.below, from, 1);
    }
    scene_destroy(run, &here);
}

static void sizes_are_those_of_the_roll_ups(void **state) {
    (void)state;
    random_rounds(160, count_on_one_table);
    print_message("%zu nodes were split\n", n_split);
    if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
        assert_true(n_split > 200 && n_listed > 1000);
}

/* A field that keeps its place when its attribute rises is wider than its groups need. */
static void count_from_kept_fields(kan_run *run, uint64_t seed) {
    scene here;
    kan_layout to;
    unsigned from[KAN_MAX_ATTRIBUTES] = {0}, levels[KAN_MAX_ATTRIBUTES];
    scene_make(run, seed, specs[seed % 4], &here);
    const unsigned a = (unsigned)kan_random_below(&here.random, here.space->n_attributes);
    from[a] = (unsigned)kan_random_below(&here.random, here.space->dimensions[a].height + 1u);
    kan_layout_keep(&here.without_tails.layout, a, from[a], &to);
    EXPECT_OK(run, kan_freqset_regroup(here.space, &here.without_tails, &to, KAN_KERNEL_AUTO,
                                       here.workspace, &here.below));
    for (unsigned turn = 0; turn < 8; turn++) {
        random_levels(&here, from, levels);
        expect_sizes(run, &here, &here.below, levels, 1);
    }
    scene_destroy(run, &here);
}

static void fields_may_be_wider_than_their_groups(void **state) {
    (void)state;
    random_rounds(80, count_from_kept_fields);
}

/* ---- climbing -------------------------------------------------------------------------------- */

static unsigned n_climbs;

/* Counts at `levels`, then at higher levels of one attribute, some of them passed over. */
static void expect_climb(kan_run *run, scene *here, const kan_freqset *from, unsigned *levels,
                         unsigned attribute) {
    EXPECT_OK(run, kan_sizes_begin(&here->sizes, from, levels, attribute, here->counting));
    bool is_ready = true;
    do {
        size_t n = here->sizes.n;
        uint64_t *told = sorted_copy(here->sizes.counts, n);
        EXPECT_OK(run, kan_freqset_rollup(here->space, &here->without_tails, levels,
                                          here->workspace, &here->expected));
        uint64_t *expected = sorted_copy(here->expected.counts, here->expected.n);
        assert_int_equal(n, here->expected.n);
        assert_memory_equal(told, expected, n * sizeof *told);
        free(told);
        free(expected);
        const unsigned height = here->space->dimensions[attribute].height;
        is_ready = levels[attribute] < height;
        if (is_ready) {
            levels[attribute] +=
                1 + (unsigned)kan_random_below(&here->random, height - levels[attribute]);
            is_ready = kan_sizes_climb(&here->sizes, levels[attribute]);
            n_climbs += is_ready;
        }
    } while (is_ready);
}

static void climb_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    unsigned bottom[KAN_MAX_ATTRIBUTES] = {0}, levels[KAN_MAX_ATTRIBUTES];
    scene_make(run, seed, specs[seed % 4], &here);
    for (unsigned turn = 0; turn < 12; turn++) {
        const unsigned a = (unsigned)kan_random_below(&here.random, here.space->n_attributes);
        random_levels(&here, bottom, levels);
        if (turn % 3) {
            levels[a] = 0;
            expect_climb(run, &here, &here.made.problem.base, levels, a);
            continue;
        }
        EXPECT_OK(run, kan_freqset_rollup(here.space, &here.without_tails, levels, here.workspace,
                                          &here.below));
        random_levels(&here, levels, levels);
        expect_climb(run, &here, &here.below, levels, a);
        expect_sizes(run, &here, &here.made.problem.base, bottom, 1); /* nothing of it stays */
        assert_false(kan_sizes_climb(&here.sizes, here.space->dimensions[a].height));
    }
    scene_destroy(run, &here);
}

static void climbing_gives_the_sizes_of_the_roll_ups(void **state) {
    (void)state;
    n_climbs = 0;
    random_rounds(160, climb_on_one_table);
    if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
        assert_true(n_climbs > 200);
}

/* ---- edges ----------------------------------------------------------------------------------- */

static void count_many_rows(kan_run *run, uint64_t seed) {
    const uint64_t times = UINT64_C(3) << 50;
    scene here;
    unsigned bottom[KAN_MAX_ATTRIBUTES] = {0}, levels[KAN_MAX_ATTRIBUTES];
    scene_make(run, seed, specs[seed % 4], &here);
    EXPECT_OK(run, kan_freqset_rollup(here.space, &here.without_tails, bottom, here.workspace,
                                      &here.below));
    for (size_t i = 0; i < here.below.n; i++)
        here.below.counts[i] *= times;
    for (unsigned turn = 0; turn < 4; turn++) {
        random_levels(&here, bottom, levels);
        expect_sizes(run, &here, &here.below, levels, times);
    }
    scene_destroy(run, &here);
}

static void sizes_have_64_bits(void **state) {
    (void)state;
    random_rounds(40, count_many_rows);
}

static void at_the_top_all_rows_are_one_group(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    for (uint64_t seed = 1; seed <= 40; seed++) {
        scene here;
        unsigned top[KAN_MAX_ATTRIBUTES];
        scene_make(run, seed, specs[seed % 4], &here);
        for (unsigned a = 0; a < here.space->n_attributes; a++)
            top[a] = here.space->dimensions[a].height;
        EXPECT_OK(run, kan_sizes_count(&here.sizes, &here.made.problem.base, top, here.counting));
        assert_int_equal(here.sizes.n, 1);
        assert_int_equal(here.sizes.counts[0], here.plain.n_rows);
        scene_destroy(run, &here);
    }
    kan_run_destroy(run);
}

static void a_set_without_tuples_has_no_groups(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    for (uint64_t seed = 1; seed <= 8; seed++) {
        scene here;
        unsigned bottom[KAN_MAX_ATTRIBUTES] = {0};
        scene_make(run, seed, specs[seed % 4], &here);
        here.below.layout = here.without_tails.layout;
        EXPECT_OK(run, kan_sizes_count(&here.sizes, &here.below, bottom, here.counting));
        assert_int_equal(here.sizes.n, 0);
        scene_destroy(run, &here);
    }
    kan_run_destroy(run);
}

/* A budget that is too small ends in an error, one that suffices in the same sizes; what a call
 * that failed has left behind does not disturb the next. */
static void short_memory_is_an_error_and_leaves_nothing_behind(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    for (uint64_t seed = 1; seed <= 12; seed++) {
        scene here;
        unsigned bottom[KAN_MAX_ATTRIBUTES] = {0};
        bool was_refused = false;
        scene_make(run, seed, specs[seed % 4], &here);
        kan_run_set_memory(run, UINT64_C(1) << 40);
        const uint64_t used = (UINT64_C(1) << 40) - kan_run_memory_left(run);
        kan_status status = KAN_FAILED;
        for (uint64_t more = 64; status != KAN_OK; more *= 2) {
            kan_run_set_memory(run, used + more);
            status = kan_sizes_count(&here.sizes, &here.made.problem.base, bottom, here.counting);
            assert_true(status == KAN_OK || status == KAN_FAILED);
            was_refused |= status == KAN_FAILED;
        }
        assert_true(was_refused);
        kan_run_set_memory(run, 0);
        expect_sizes(run, &here, &here.made.problem.base, bottom, 1);
        scene_destroy(run, &here);
    }
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(sizes_are_those_of_the_roll_ups, random_tear_down),
        cmocka_unit_test_teardown(fields_may_be_wider_than_their_groups, random_tear_down),
        cmocka_unit_test_teardown(climbing_gives_the_sizes_of_the_roll_ups, random_tear_down),
        cmocka_unit_test_teardown(sizes_have_64_bits, random_tear_down),
        cmocka_unit_test(at_the_top_all_rows_are_one_group),
        cmocka_unit_test(a_set_without_tuples_has_no_groups),
        cmocka_unit_test(short_memory_is_an_error_and_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
