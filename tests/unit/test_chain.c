/* group/freqsets/chain.h: group sizes along the levels of the last attribute, against real roll-ups. */
#include "support/random_problem.h"
#include "support/sets.h"

#include "group/freqsets/chain.h"

/* Tables of 1 to 5 attributes, some with hundreds of leaves and tall hierarchies. */
static const random_spec tall = {.least_attributes = 1,
                                 .most_attributes = 3,
                                 .least_rows = 200,
                                 .most_rows = 600,
                                 .most_leaves = 400,
                                 .most_height = 4};

typedef struct {
    plain_table plain;
    test_problem made;
    kan_workspace *workspace;
    kan_freqset set, rolled;
    kan_chain chain;
    unsigned last;
} scene;

/* The base without tails, one attribute chosen to be the last. */
static void scene_make(kan_run *run, uint64_t seed, scene *out) {
    uint64_t random = seed;
    unsigned order[KAN_MAX_FIELDS];
    random_plain(seed % 3 ? &random_small : &tall, &random, &out->plain);
    test_problem_make(run, &out->plain, &out->made);
    const kan_space *space = &out->made.problem.space;
    kan_freqset_init(&out->set);
    kan_freqset_init(&out->rolled);
    out->last = (unsigned)kan_random_below(&random, space->n_attributes);
    for (unsigned a = 0, at = 0; a < space->n_attributes; a++)
        if (a != out->last)
            order[at++] = a;
    order[space->n_attributes - 1] = out->last;
    EXPECT_OK(run, kan_workspace_create(run, &out->workspace));
    EXPECT_OK(run, kan_freqset_project(space, &out->made.problem.base, order, space->n_attributes,
                                       out->workspace, &out->set));
    EXPECT_OK(run, kan_chain_init(&out->chain, space, out->last));
}

static void scene_destroy(kan_run *run, scene *here) {
    kan_chain_destroy(&here->chain);
    kan_freqset_destroy(run, &here->rolled);
    kan_freqset_destroy(run, &here->set);
    kan_workspace_destroy(here->workspace);
    test_problem_destroy(&here->made);
    plain_destroy(&here->plain);
}

static uint64_t naive_small_rows(const kan_freqset *set, uint64_t least) {
    uint64_t rows = 0;
    for (size_t i = 0; i < set->n; i++)
        rows += set->counts[i] < least ? set->counts[i] : 0;
    return rows;
}

static void climb_one_chain(kan_run *run, uint64_t seed) {
    scene here;
    uint64_t random = seed * 77;
    scene_make(run, seed, &here);
    const kan_space *space = &here.made.problem.space;
    const unsigned height = space->dimensions[here.last].height;
    if (here.set.layout.n_words == 1) {
        assert_true(kan_chain_fits(&here.chain, &here.set.layout));
        /* Twice with the same chain: nothing of the first climb may stay. */
        for (int climb = 0; climb < 2; climb++) {
            unsigned levels[KAN_MAX_ATTRIBUTES] = {0};
            EXPECT_OK(run, kan_chain_begin(&here.chain, &here.set));
            assert_int_equal(here.chain.n, here.set.n);
            for (unsigned level = 1; level <= height; level++) {
                if (climb == 1 && kan_random_below(&random, 2))
                    continue; /* levels can be passed over */
                levels[here.last] = level;
                kan_chain_up(&here.chain, level);
                EXPECT_OK(run, kan_freqset_rollup(space, &here.set, levels, here.workspace,
                                                  &here.rolled));
                assert_int_equal(here.chain.n, here.rolled.n);
                for (uint64_t least = 1; least < 12; least++)
                    assert_int_equal(kan_chain_small_rows(&here.chain, least, UINT64_MAX),
                                     naive_small_rows(&here.rolled, least));
            }
        }
    }
    scene_destroy(run, &here);
}

static void a_chain_has_the_group_sizes_of_the_roll_ups(void **state) {
    (void)state;
    random_rounds(400, climb_one_chain);
}

static void a_chain_fits_only_sets_that_end_in_its_attribute(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    for (uint64_t seed = 1; seed < 40; seed++) {
        scene here;
        scene_make(run, seed, &here);
        const kan_space *space = &here.made.problem.space;
        const kan_layout *base = &here.made.problem.base.layout;
        bool ends_in_it = base->fields[base->n_fields - 1].dimension == here.last;
        if (base->n_words == 1)
            assert_int_equal(kan_chain_fits(&here.chain, base), ends_in_it);
        kan_layout raised;
        kan_layout_keep(&here.set.layout, here.last, 1, &raised);
        if (space->dimensions[here.last].height > 0)
            assert_false(kan_chain_fits(&here.chain, &raised));
        scene_destroy(run, &here);
    }
    kan_run_destroy(run);
}

static void counting_stops_early_only_when_enough_is_passed(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    for (uint64_t seed = 3; seed < 60; seed += 3) {
        scene here;
        scene_make(run, seed, &here);
        if (here.set.layout.n_words == 1) {
            EXPECT_OK(run, kan_chain_begin(&here.chain, &here.set));
            uint64_t all = kan_chain_small_rows(&here.chain, 5, UINT64_MAX);
            for (uint64_t enough = 0; enough < all + 3; enough += 1 + all / 7) {
                uint64_t counted = kan_chain_small_rows(&here.chain, 5, enough);
                assert_true(counted == all || (counted > enough && counted < all));
            }
        }
        scene_destroy(run, &here);
    }
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_chain_has_the_group_sizes_of_the_roll_ups, random_tear_down),
        cmocka_unit_test(a_chain_fits_only_sets_that_end_in_its_attribute),
        cmocka_unit_test(counting_stops_early_only_when_enough_is_passed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
