/* group/freqsets/freqset.h: folding, the four kernels, roll-up and projection, each against counting the
 * rows as texts. */
#include "support/random_problem.h"
#include "support/sets.h"

#include <stdlib.h>
#include <string.h>

#include "group/freqsets/row_keys.h"

static const kan_kernel kernels[] = {KAN_KERNEL_AUTO, KAN_KERNEL_LINEAR, KAN_KERNEL_DIRECT,
                                     KAN_KERNEL_HASH, KAN_KERNEL_RADIX};
enum { N_KERNELS = sizeof kernels / sizeof *kernels };

/* Twelve columns of up to 8 bits and more: keys of two words and more. */
static const random_spec two_words = {.least_attributes = 9,
                                      .most_attributes = 14,
                                      .least_rows = 260,
                                      .most_rows = 400,
                                      .most_leaves = 300,
                                      .most_height = 3,
                                      .most_tails = 2};

static const random_spec forty = {.least_attributes = 40,
                                  .most_attributes = 40,
                                  .least_rows = 80,
                                  .most_rows = 160,
                                  .most_leaves = 150,
                                  .most_height = 3,
                                  .most_tails = 2};

/* One column of many values, few others: what the direct kernel counts in cells of all levels. */
static const random_spec tall = {.least_attributes = 2,
                                 .most_attributes = 4,
                                 .least_rows = 500,
                                 .most_rows = 900,
                                 .most_leaves = 700,
                                 .most_height = 3,
                                 .most_tails = 2};

typedef struct {
    plain_table plain;
    test_problem made;
    kan_workspace *workspace;
    uint64_t random;
} scene;

static void scene_make(kan_run *run, const random_spec *spec, uint64_t seed, scene *out) {
    out->random = seed;
    random_plain(spec, &out->random, &out->plain);
    test_problem_make(run, &out->plain, &out->made);
    EXPECT_OK(run, kan_workspace_create(run, &out->workspace));
}

static void scene_destroy(scene *here) {
    kan_workspace_destroy(here->workspace);
    test_problem_destroy(&here->made);
    plain_destroy(&here->plain);
}

static const random_spec *spec_of(uint64_t seed) {
    static const random_spec *const specs[] = {&random_small, &random_small, &random_small, &tall,
                                               &two_words,    &random_small, &tall,         &forty};
    return specs[seed % 8];
}

/* ---- fold ----------------------------------------------------------------------------------- */

static void fold_one_table(kan_run *run, uint64_t seed) {
    scene here;
    scene_make(run, spec_of(seed), seed, &here);
    expect_set_is_that_of_rows(&here.made, &here.plain, &here.made.problem.base);
    scene_destroy(&here);
}

static void fold_equals_counting_rows(void **state) {
    (void)state;
    random_rounds(200, fold_one_table);
}

/* A budget under which a chunk of the fold has some 65,000 to 100,000 rows. */
static uint64_t memory_for_small_chunks(kan_run *run, unsigned n_words) {
    kan_run_set_memory(run, UINT64_C(1) << 40);
    uint64_t used = (UINT64_C(1) << 40) - kan_run_memory_left(run);
    return used + (2 * n_words + 1) * sizeof(uint64_t) * 4 * 90000;
}

/* So many rows that several threads fold: the rows of a random table over and over. */
static void fold_is_the_same_on_any_number_of_threads(void **state) {
    (void)state;
    const size_t rows = is_slow_here() ? 100000 : 200000;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        kan_run *run = kan_run_create();
        uint64_t random = seed;
        plain_table plain;
        test_problem made;
        random_spec spec = seed % 2 ? random_small : two_words;
        spec.least_rows = spec.most_rows;
        random_plain(&spec, &random, &plain);
        size_t n_columns = plain.n_attributes + plain.n_tails, n_rows = plain.n_rows;
        plain.cells = realloc(plain.cells, rows * n_columns * sizeof *plain.cells);
        assert_non_null(plain.cells);
        plain.n_rows = rows;
        for (size_t row = n_rows; row < rows; row++)
            memcpy(plain_cell(&plain, row, 0), plain_cell(&plain, row % n_rows, 0),
                   n_columns * sizeof *plain.cells);
        kan_run_set_threads(run, 1);
        test_problem_make(run, &plain, &made);
        if (seed <= 2)
            expect_set_is_that_of_rows(&made, &plain, &made.problem.base);
        assert_true(expect_sorted(&made.problem.base) == rows);
        for (unsigned threads = 2; threads <= 3; threads++) {
            kan_freqset again;
            kan_freqset_init(&again);
            kan_run_set_threads(run, threads);
            EXPECT_OK(run, kan_freqset_fold(&made.problem.space, rows, &again));
            expect_same_set(&again, &made.problem.base);
            /* Little memory: several chunks, which are merged. */
            kan_run_set_memory(run, memory_for_small_chunks(run, made.problem.base.layout.n_words));
            EXPECT_OK(run, kan_freqset_fold(&made.problem.space, rows, &again));
            kan_run_set_memory(run, 0);
            expect_same_set(&again, &made.problem.base);
            kan_freqset_destroy(run, &again);
        }
        test_problem_destroy(&made);
        plain_destroy(&plain);
        kan_run_destroy(run);
    }
}

/* Nearly every row is a tuple of its own: chunks that hardly share any are merged, in place where
 * the budget is short. */
static void fold_in_little_memory_equals_fold_in_much(void **state) {
    (void)state;
    const size_t rows = is_slow_here() ? 100000 : 200000;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        kan_run *run = kan_run_create();
        uint64_t random = seed;
        plain_table plain;
        test_problem made;
        random_spec spec = seed % 2 ? tall : two_words;
        spec.least_rows = spec.most_rows;
        random_plain(&spec, &random, &plain);
        size_t n_columns = plain.n_attributes + plain.n_tails, n_rows = plain.n_rows;
        plain.cells = realloc(plain.cells, rows * n_columns * sizeof *plain.cells);
        assert_non_null(plain.cells);
        plain.n_rows = rows;
        for (size_t row = n_rows; row < rows; row++)
            for (unsigned c = 0; c < n_columns; c++)
                memcpy(plain_cell(&plain, row, c),
                       plain_cell(&plain, kan_random(&random) % n_rows, c), sizeof *plain.cells);
        test_problem_make(run, &plain, &made);
        assert_true(expect_sorted(&made.problem.base) == rows);
        unsigned n_folded = 0;
        for (uint64_t budget = memory_for_small_chunks(run, made.problem.base.layout.n_words) * 2;
             budget > 0; budget -= budget / 8) {
            kan_freqset again;
            kan_freqset_init(&again);
            kan_run_set_memory(run, budget);
            kan_status status = kan_freqset_fold(&made.problem.space, rows, &again);
            kan_run_set_memory(run, 0);
            if (status == KAN_OK)
                expect_same_set(&again, &made.problem.base);
            kan_freqset_destroy(run, &again);
            if (status != KAN_OK)
                break;
            n_folded++;
        }
        assert_true(n_folded > 0);
        test_problem_destroy(&made);
        plain_destroy(&plain);
        kan_run_destroy(run);
    }
}

static void folding_no_rows_gives_no_tuples(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    scene here;
    scene_make(run, &random_small, 7, &here);
    const kan_space *space = &here.made.problem.space;
    kan_freqset empty, rolled;
    kan_freqset_init(&empty);
    kan_freqset_init(&rolled);
    EXPECT_OK(run, kan_freqset_fold(space, 0, &empty));
    assert_int_equal(empty.n, 0);
    for (unsigned k = 0; k < N_KERNELS; k++) {
        EXPECT_OK(run, kan_freqset_regroup(space, &empty, &empty.layout, kernels[k], here.workspace,
                                           &rolled));
        assert_int_equal(rolled.n, 0);
    }
    kan_freqset_destroy(run, &empty);
    kan_freqset_destroy(run, &rolled);
    scene_destroy(&here);
    kan_run_destroy(run);
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* Every kernel that fits, into the same `out` and with the same workspace, so that what one call
 * left behind would show in the next. Returns a bit per kernel that was tried. */
static unsigned expect_kernels_agree(scene *here, const kan_freqset *from, const kan_layout *to,
                                     kan_freqset *out) {
    const kan_space *space = &here->made.problem.space;
    kan_key_map map;
    kan_freqset first;
    unsigned tried = 0;
    kan_freqset_init(&first);
    kan_key_map_make(space, &from->layout, to, &map);
    for (unsigned k = 0; k < N_KERNELS; k++) {
        if (!kan_kernel_fits(kernels[k], &map, to))
            continue;
        EXPECT_OK(space->run, kan_freqset_regroup(space, from, to, kernels[k], here->workspace,
                                                  tried ? out : &first));
        if (tried)
            expect_same_set(out, &first);
        tried |= 1u << k;
    }
    EXPECT_OK(space->run,
              kan_freqset_regroup(space, from, to, KAN_KERNEL_AUTO, here->workspace, out));
    expect_same_set(out, &first);
    kan_freqset_destroy(space->run, &first);
    return tried;
}

/* However many threads share the step, the set is the same. */
static void expect_divided_agrees(const scene *here, const kan_freqset *from, const kan_layout *to,
                                  const kan_freqset *expected) {
    const kan_space *space = &here->made.problem.space;
    kan_workspace *workspace;
    kan_freqset divided;
    kan_freqset_init(&divided);
    kan_run_set_threads(space->run, 2 + (unsigned)(from->n % 3));
    EXPECT_OK(space->run, kan_workspace_create(space->run, &workspace));
    kan_workspace_divide(workspace, 16 + from->n / 8);
    for (unsigned again = 0; again < 2; again++) {
        EXPECT_OK(space->run,
                  kan_freqset_regroup(space, from, to, KAN_KERNEL_AUTO, workspace, &divided));
        expect_same_set(expected, &divided);
    }
    kan_freqset_destroy(space->run, &divided);
    kan_workspace_destroy(workspace);
}

/* What the rounds came across. */
static unsigned kernels_tried, most_words;

static void regroup_one_table(kan_run *run, uint64_t seed) {
    scene here;
    kan_freqset sets[2];
    scene_make(run, spec_of(seed), seed, &here);
    kan_freqset_init(&sets[0]);
    kan_freqset_init(&sets[1]);
    for (unsigned turn = 0; turn < 4; turn++) {
        const kan_freqset *from = &here.made.problem.base;
        /* one step from the base, the next from its result */
        for (unsigned step = 0; step < 2; step++) {
            kan_layout to;
            random_layout(&here.made.problem.space, from, &here.random, &to);
            kernels_tried |= expect_kernels_agree(&here, from, &to, &sets[step]);
            expect_divided_agrees(&here, from, &to, &sets[step]);
            expect_set_is_that_of_rows(&here.made, &here.plain, &sets[step]);
            from = &sets[step];
            most_words = to.n_words > most_words ? to.n_words : most_words;
        }
    }
    kan_freqset_destroy(run, &sets[0]);
    kan_freqset_destroy(run, &sets[1]);
    scene_destroy(&here);
}

static void every_kernel_gives_what_the_rows_show(void **state) {
    (void)state;
    kernels_tried = most_words = 0;
    random_rounds(250, regroup_one_table);
    if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS")) {
        assert_int_equal(kernels_tried, (1u << N_KERNELS) - 1);
        assert_true(most_words >= 3);
    }
}

/* ---- roll-up and projection ----------------------------------------------------------------- */

static void chain_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    scene_make(run, spec_of(seed), seed, &here);
    const kan_problem *problem = &here.made.problem;
    const kan_space *space = &problem->space;
    kan_freqset sets[2], direct;
    kan_freqset_init(&sets[0]);
    kan_freqset_init(&sets[1]);
    kan_freqset_init(&direct);
    unsigned levels[KAN_MAX_ATTRIBUTES] = {0}, now = 0;
    const kan_freqset *from = &problem->base;
    for (unsigned step = 0; step < 8; step++) {
        unsigned a = (unsigned)kan_random_below(&here.random, space->n_attributes);
        if (levels[a] == space->dimensions[a].height)
            continue;
        levels[a]++;
        EXPECT_OK(run, kan_freqset_rollup(space, from, levels, here.workspace, &sets[now]));
        from = &sets[now];
        now = !now;
        EXPECT_OK(run, kan_freqset_rollup(space, &problem->base, levels, here.workspace, &direct));
        expect_same_set(from, &direct);
    }
    expect_set_is_that_of_rows(&here.made, &here.plain, from);
    /* and all the way up: one tuple per combination of tails */
    for (unsigned a = 0; a < space->n_attributes; a++)
        levels[a] = space->dimensions[a].height;
    EXPECT_OK(run, kan_freqset_rollup(space, from, levels, here.workspace, &sets[now]));
    assert_true(expect_sorted(&sets[now]) == problem->n_rows);
    if (space->n_tails == 0)
        assert_int_equal(sets[now].n, 1);
    kan_freqset_destroy(run, &sets[0]);
    kan_freqset_destroy(run, &sets[1]);
    kan_freqset_destroy(run, &direct);
    scene_destroy(&here);
}

static void a_chain_of_roll_ups_equals_one_roll_up(void **state) {
    (void)state;
    random_rounds(120, chain_on_one_table);
}

static void projection_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    scene_make(run, spec_of(seed), seed, &here);
    const kan_space *space = &here.made.problem.space;
    kan_freqset rolled, projected;
    kan_freqset_init(&rolled);
    kan_freqset_init(&projected);
    unsigned levels[KAN_MAX_ATTRIBUTES], dimensions[KAN_MAX_FIELDS], n = 0;
    for (unsigned a = 0; a < space->n_attributes; a++)
        levels[a] = (unsigned)kan_random_below(&here.random, space->dimensions[a].height + 1);
    EXPECT_OK(run,
              kan_freqset_rollup(space, &here.made.problem.base, levels, here.workspace, &rolled));
    for (unsigned a = space->n_attributes; a-- > 0;) /* another order than the set's */
        if (kan_random_below(&here.random, 2))
            dimensions[n++] = a;
    if (space->n_tails > 0)
        dimensions[n++] = space->n_attributes + space->n_tails - 1;
    EXPECT_OK(run, kan_freqset_project(space, &rolled, dimensions, n, here.workspace, &projected));
    assert_int_equal(projected.layout.n_fields, n);
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(projected.layout.fields[i].dimension, dimensions[i]);
        if (dimensions[i] < space->n_attributes)
            assert_int_equal(projected.layout.fields[i].level, levels[dimensions[i]]);
    }
    expect_set_is_that_of_rows(&here.made, &here.plain, &projected);
    kan_freqset_destroy(run, &rolled);
    kan_freqset_destroy(run, &projected);
    scene_destroy(&here);
}

static void projection_keeps_levels_and_takes_any_order(void **state) {
    (void)state;
    random_rounds(120, projection_on_one_table);
}

/* ---- large counts --------------------------------------------------------------------------- */

static void huge_counts_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    scene_make(run, spec_of(seed), seed, &here);
    const kan_space *space = &here.made.problem.space;
    kan_freqset *base = &here.made.problem.base, out;
    kan_u128 sum = 0;
    kan_freqset_init(&out);
    /* as large as they can be without the sum of all leaving 64 bits */
    for (size_t i = 0; i < base->n; i++) {
        base->counts[i] = UINT64_MAX / base->n - kan_random_below(&here.random, 1000);
        sum += base->counts[i];
    }
    for (unsigned turn = 0; turn < 4; turn++) {
        kan_layout to;
        random_layout(space, base, &here.random, &to);
        (void)expect_kernels_agree(&here, base, &to, &out);
        assert_true(expect_sorted(&out) == sum);
    }
    /* to a single tuple: the whole sum in one count */
    kan_layout top;
    kan_layout_make(space, NULL, NULL, 0, &top);
    (void)expect_kernels_agree(&here, base, &top, &out);
    assert_int_equal(out.n, 1);
    assert_true(out.counts[0] == sum);
    kan_freqset_destroy(run, &out);
    scene_destroy(&here);
}

static void counts_beyond_32_bits_are_summed_exactly(void **state) {
    (void)state;
    random_rounds(100, huge_counts_on_one_table);
}

/* ---- many tuples: growth of the hash table, large digits of the radix sort ------------------- */

static int compare_words(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void kernels_agree_on_a_hundred_thousand_tuples(void **state) {
    (void)state;
    enum { TUPLES = 100000 };
    kan_run *run = kan_run_create();
    scene here;
    random_spec spec = tall;
    spec.least_attributes = spec.most_attributes = 4;
    spec.least_rows = spec.most_rows = 3000;
    spec.most_leaves = 900;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        scene_make(run, &spec, seed, &here);
        kan_freqset many, out;
        kan_freqset_init(&many);
        kan_freqset_init(&out);
        many.layout = here.made.problem.base.layout;
        const kan_layout *layout = &many.layout;
        assert_int_equal(layout->n_words, 1);
        EXPECT_OK(run, kan_freqset_reserve(run, &many, TUPLES));
        for (size_t i = 0; i < TUPLES; i++) {
            many.keys[i] = 0;
            for (unsigned f = 0; f < layout->n_fields; f++) {
                uint32_t n = kan_dimension_groups(
                    &here.made.problem.space.dimensions[layout->fields[f].dimension], 0);
                many.keys[i] |= kan_random_below(&here.random, n) << layout->fields[f].shift;
            }
        }
        qsort(many.keys, TUPLES, sizeof *many.keys, compare_words);
        for (size_t i = 0; i < TUPLES; i++)
            if (many.n == 0 || many.keys[many.n - 1] != many.keys[i]) {
                many.keys[many.n] = many.keys[i];
                many.counts[many.n++] = 1 + kan_random_below(&here.random, 5);
            }
        kan_u128 sum = expect_sorted(&many);
        for (unsigned turn = 0; turn < 6; turn++) {
            kan_layout to;
            random_layout(&here.made.problem.space, &many, &here.random, &to);
            (void)expect_kernels_agree(&here, &many, &to, &out);
            expect_divided_agrees(&here, &many, &to, &out);
            assert_true(expect_sorted(&out) == sum);
        }
        kan_freqset_destroy(run, &many);
        kan_freqset_destroy(run, &out);
        scene_destroy(&here);
    }
    kan_run_destroy(run);
}

/* ---- rows of unwanted tuples ---------------------------------------------------------------- */

static void mark_one_table(kan_run *run, uint64_t seed) {
    scene here;
    scene_make(run, spec_of(seed), seed, &here);
    const kan_space *space = &here.made.problem.space;
    kan_layout to;
    kan_freqset set;
    kan_freqset_init(&set);
    random_layout(space, &here.made.problem.base, &here.random, &to);
    EXPECT_OK(run, kan_freqset_regroup(space, &here.made.problem.base, &to, KAN_KERNEL_AUTO,
                                       here.workspace, &set));
    size_t n_rows = here.plain.n_rows;
    uint8_t *wanted = calloc(set.n, 1), *is_marked = malloc(n_rows);
    uint32_t *tuple_of = malloc(n_rows * sizeof *tuple_of);
    uint64_t *key = calloc(KAN_MAX_WORDS, sizeof *key);
    assert_true(wanted && is_marked && key && tuple_of);
    for (size_t i = 0; i < set.n; i++)
        wanted[i] = (uint8_t)kan_random_below(&here.random, 2);
    EXPECT_OK(run, kan_freqset_mark_rows(space, &set, wanted, n_rows, is_marked));
    EXPECT_OK(run, kan_freqset_find_rows(space, &set, n_rows, tuple_of));
    for (size_t row = 0; row < n_rows; row++) {
        memset(key, 0, to.n_words * sizeof *key);
        for (unsigned f = 0; f < to.n_fields; f++) {
            const kan_dimension *dimension = &space->dimensions[to.fields[f].dimension];
            uint64_t value = kan_column_code(dimension->column, row);
            if (dimension->hierarchy)
                value = dimension->hierarchy->levels[to.fields[f].level]
                            .from_leaf[dimension->hierarchy->leaf_of[value]];
            key[to.fields[f].word] |= value << to.fields[f].shift;
        }
        size_t i = 0;
        while (memcmp(set.keys + i * to.n_words, key, to.n_words * sizeof *key) != 0)
            assert_true(++i < set.n);
        assert_int_equal(is_marked[row], !wanted[i]);
        assert_int_equal(tuple_of[row], i);
    }
    /* a set that lacks the tuple of some row */
    if (set.n > 0) {
        set.n--;
        assert_int_equal(kan_freqset_find_rows(space, &set, n_rows, tuple_of), KAN_FAILED);
    }
    free(tuple_of);
    free(key);
    free(wanted);
    free(is_marked);
    kan_freqset_destroy(run, &set);
    scene_destroy(&here);
}

static void rows_find_their_tuples_and_exactly_the_unwanted_are_marked(void **state) {
    (void)state;
    random_rounds(100, mark_one_table);
}

/* ---- no room -------------------------------------------------------------------------------- */

/* A kernel that was refused memory leaves a workspace that still works. */
static void a_workspace_survives_a_lack_of_memory(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    scene here, wide;
    scene_make(run, &tall, 3, &here);
    scene_make(run, &forty, 4, &wide);
    bool was_refused = false;
    const scene *scenes[] = {&here, &wide, &here};
    for (unsigned s = 0; s < 3; s++)
        for (unsigned k = 0; k < N_KERNELS; k++) {
            const kan_problem *problem = &scenes[s]->made.problem;
            kan_key_map map;
            kan_freqset out;
            kan_freqset_init(&out);
            kan_key_map_make(&problem->space, &problem->base.layout, &problem->base.layout, &map);
            if (!kan_kernel_fits(kernels[k], &map, &problem->base.layout))
                continue;
            uint64_t least = kan_run_peak_memory(run) / 4;
            kan_status status = KAN_FAILED;
            for (uint64_t budget = least; status != KAN_OK; budget += 16384) {
                kan_run_set_memory(run, budget);
                status = kan_freqset_regroup(&problem->space, &problem->base, &problem->base.layout,
                                             kernels[k], here.workspace, &out);
                was_refused |= status != KAN_OK;
                assert_true(status == KAN_OK || status == KAN_FAILED);
            }
            kan_run_set_memory(run, 0);
            expect_same_set(&out, &problem->base);
            kan_freqset_destroy(run, &out);
        }
    assert_true(was_refused);
    scene_destroy(&wide);
    scene_destroy(&here);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(fold_equals_counting_rows, random_tear_down),
        cmocka_unit_test(fold_is_the_same_on_any_number_of_threads),
        cmocka_unit_test(fold_in_little_memory_equals_fold_in_much),
        cmocka_unit_test(folding_no_rows_gives_no_tuples),
        cmocka_unit_test_teardown(every_kernel_gives_what_the_rows_show, random_tear_down),
        cmocka_unit_test_teardown(a_chain_of_roll_ups_equals_one_roll_up, random_tear_down),
        cmocka_unit_test_teardown(projection_keeps_levels_and_takes_any_order, random_tear_down),
        cmocka_unit_test_teardown(counts_beyond_32_bits_are_summed_exactly, random_tear_down),
        cmocka_unit_test(kernels_agree_on_a_hundred_thousand_tuples),
        cmocka_unit_test_teardown(rows_find_their_tuples_and_exactly_the_unwanted_are_marked,
                                  random_tear_down),
        cmocka_unit_test(a_workspace_survives_a_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
