/* group/tallies.h: groups with their values against views of real roll-ups. Groups come in no
 * particular order, so both lists are sorted before they are compared. */
#include <stdlib.h>
#include <string.h>

#include "support/random_problem.h"
#include "support/sets.h"

#include "group/tallies.h"
#include "group/viewer.h"

static const random_spec with_tails = {.least_attributes = 1,
                                       .most_attributes = 5,
                                       .least_rows = 1,
                                       .most_rows = 400,
                                       .most_leaves = 12,
                                       .most_height = 4,
                                       .most_tails = 3};
/* More possible groups than there is room for counters. */
static const random_spec large_domains = {.least_attributes = 2,
                                          .most_attributes = 4,
                                          .least_rows = 200,
                                          .most_rows = 900,
                                          .most_leaves = 700,
                                          .most_height = 4,
                                          .most_tails = 2};
/* Keys of several words. */
static const random_spec wide_keys = {.least_attributes = 20,
                                      .most_attributes = 40,
                                      .least_rows = 20,
                                      .most_rows = 200,
                                      .most_leaves = 30,
                                      .most_height = 3,
                                      .most_tails = 2};
static const random_spec *const specs[] = {&with_tails, &large_domains, &wide_keys};

typedef struct {
    plain_table plain;
    test_problem made;
    const kan_problem *problem;
    kan_workspace *workspace, *counting; /* of sets; of tallies, where some are divided */
    kan_freqset set, below;
    kan_viewer viewer;
    kan_tallies tallies;
    uint64_t random;
} scene;

static size_t n_counted, n_refused;

static void scene_make(kan_run *run, uint64_t seed, scene *out) {
    memset(out, 0, sizeof *out);
    out->random = seed;
    random_plain(specs[seed % 3], &out->random, &out->plain);
    test_problem_make(run, &out->plain, &out->made);
    out->problem = &out->made.problem;
    EXPECT_OK(run, kan_workspace_create(run, &out->workspace));
    EXPECT_OK(run, kan_workspace_create(run, &out->counting));
    kan_run_set_threads(run, 3);
    kan_workspace_divide(out->counting, seed % 4 > 1 ? 0 : 16);
    kan_viewer_init(&out->viewer, out->problem);
    kan_tallies_init(&out->tallies, out->problem);
}

static void scene_destroy(kan_run *run, scene *here) {
    kan_tallies_destroy(&here->tallies);
    kan_viewer_destroy(&here->viewer);
    kan_freqset_destroy(run, &here->set);
    kan_freqset_destroy(run, &here->below);
    kan_workspace_destroy(here->workspace);
    kan_workspace_destroy(here->counting);
    test_problem_destroy(&here->made);
    plain_destroy(&here->plain);
}

/* ---- groups, each as one number ---------------------------------------------------------------
 */

static uint64_t mix(uint64_t hash, uint64_t number) {
    hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Its rows, then its values and their rows, tail by tail, where it is large enough. */
static uint64_t *hash_groups(const scene *here, const kan_groups *groups, uint64_t least) {
    uint64_t *out = calloc(groups->n_groups + 1, sizeof *out);
    assert_non_null(out);
    for (size_t g = 0; g < groups->n_groups; g++) {
        out[g] = mix(1, groups->count[g]);
        for (unsigned t = 0; t < here->problem->space.n_tails && groups->count[g] >= least; t++) {
            const kan_tally *tally = &groups->tallies[t];
            for (size_t i = tally->start[g]; i < tally->start[g + 1]; i++)
                out[g] = mix(mix(mix(out[g], t), tally->value[i]), tally->count[i]);
        }
    }
    return out;
}

static int compare_hashes(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void expect_same_groups(const scene *here, const kan_groups *seen, const kan_groups *counted,
                               uint64_t least) {
    assert_int_equal(seen->n_groups, counted->n_groups);
    uint64_t *a = hash_groups(here, seen, least), *b = hash_groups(here, counted, least);
    qsort(a, seen->n_groups, sizeof *a, compare_hashes);
    qsort(b, seen->n_groups, sizeof *b, compare_hashes);
    assert_memory_equal(a, b, seen->n_groups * sizeof *a);
    free(a);
    free(b);
}

/* ---- loss ----------------------------------------------------------------------------------- */

/* Groups of fewer than k rows are left out. */
static void leave_out(kan_groups *groups, uint8_t *is_released, uint64_t k) {
    groups->n_suppressed = 0;
    for (size_t g = 0; g < groups->n_groups; g++) {
        is_released[g] = groups->count[g] >= k;
        groups->n_suppressed += is_released[g] ? 0 : groups->count[g];
    }
    groups->is_released = is_released;
}

static void expect_same_loss(scene *here, kan_groups *seen, kan_groups *counted, uint64_t k) {
    kan_cell_loss loss[KAN_MAX_ATTRIBUTES];
    uint8_t *is_released = calloc(counted->n_groups + 1, 1);
    assert_non_null(is_released);
    leave_out(seen, here->viewer.is_released, k);
    leave_out(counted, is_released, k);
    kan_viewer_loss(&here->viewer, &here->set, seen);
    kan_tallies_loss(&here->tallies, counted, loss);
    for (unsigned a = 0; a < here->problem->space.n_attributes; a++) {
        assert_true(seen->loss[a].levels == loss[a].levels);
        assert_true(seen->loss[a].share == loss[a].share);
    }
    free(is_released);
}

/* ---- claims --------------------------------------------------------------------------------- */

static void random_levels(scene *here, const unsigned *from, unsigned *levels) {
    for (unsigned a = 0; a < here->problem->space.n_attributes; a++) {
        const unsigned room = here->problem->space.dimensions[a].height - from[a];
        levels[a] = from[a] + (unsigned)kan_random_below(&here->random, room + 1);
    }
}

static void expect_tallies(kan_run *run, scene *here, const kan_freqset *from,
                           const unsigned *levels) {
    const uint64_t least = 1 + kan_random_below(&here->random, 4);
    kan_groups seen;
    bool fits;
    EXPECT_OK(run, kan_tallies_count(&here->tallies, from, levels, ~0u, here->counting, &fits));
    if (fits)
        EXPECT_OK(run, kan_tallies_tell(&here->tallies, least, &fits));
    n_refused += !fits;
    if (!fits)
        return;
    n_counted++;
    kan_tallies_list(&here->tallies, here->tallies.n / 2); /* in two steps, as searches may */
    kan_tallies_list(&here->tallies, here->tallies.n);
    EXPECT_OK(run, kan_freqset_rollup(&here->problem->space, &here->made.problem.base, levels,
                                      here->workspace, &here->set));
    EXPECT_OK(run, kan_viewer_groups(&here->viewer, &here->set, &seen));
    kan_groups counted = {.n_groups = here->tallies.n,
                          .n_rows = here->problem->n_rows,
                          .count = here->tallies.counts,
                          .tallies = here->tallies.tallies,
                          .levels = levels};
    expect_same_groups(here, &seen, &counted, least);
    expect_same_loss(here, &seen, &counted, least);
}

static void count_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    const unsigned bottom[KAN_MAX_ATTRIBUTES] = {0};
    unsigned from[KAN_MAX_ATTRIBUTES], levels[KAN_MAX_ATTRIBUTES];
    scene_make(run, seed, &here);
    for (unsigned turn = 0; turn < 8; turn++) {
        random_levels(&here, bottom, levels);
        expect_tallies(run, &here, &here.made.problem.base, levels);
        random_levels(&here, bottom, from);
        EXPECT_OK(run, kan_freqset_rollup(&here.problem->space, &here.made.problem.base, from,
                                          here.workspace, &here.below));
        random_levels(&here, from, levels);
        expect_tallies(run, &here, &here.below, levels);
    }
    scene_destroy(run, &here);
}

static void groups_values_and_losses_are_those_of_the_roll_ups(void **state) {
    (void)state;
    n_counted = n_refused = 0;
    random_rounds(120, count_on_one_table);
    print_message("%zu nodes were counted, %zu could not be\n", n_counted, n_refused);
    if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
        assert_true(n_counted > 200 && n_refused > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(groups_values_and_losses_are_those_of_the_roll_ups,
                                  random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
