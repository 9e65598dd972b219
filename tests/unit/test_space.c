/* group/freqsets/space.h: packed keys, and how keys are mapped. */
#include "support/random_problem.h"
#include "support/sets.h"

#include <stdio.h>
#include <string.h>

static const random_spec wide = {.least_attributes = 20,
                                 .most_attributes = 40,
                                 .least_rows = 150,
                                 .most_rows = 250,
                                 .most_leaves = 200,
                                 .most_height = 3,
                                 .most_tails = 3};

/* Fields do not overlap, lie within their words, and follow each other from the highest bit of the
 * first word down. */
static void expect_layout_is_sound(const kan_space *space, const kan_layout *layout) {
    uint64_t used[KAN_MAX_WORDS] = {0};
    unsigned n_bits = 0, word = 0, shift = 64;
    for (unsigned f = 0; f < layout->n_fields; f++) {
        const kan_key_field *field = &layout->fields[f];
        uint64_t n_groups =
            kan_dimension_groups(&space->dimensions[field->dimension], field->level);
        assert_true(n_groups <= UINT64_C(1) << field->bits);
        assert_true(field->bits == 0 || n_groups > UINT64_C(1) << (field->bits - 1));
        assert_true(field->shift < 64 && field->word < layout->n_words);
        n_bits += field->bits;
        if (field->bits == 0)
            continue;
        assert_true(field->shift + field->bits <= 64);
        uint64_t mask = (~UINT64_C(0) >> (64 - field->bits)) << field->shift;
        assert_int_equal(used[field->word] & mask, 0);
        used[field->word] |= mask;
        assert_true(field->word > word || field->shift < shift);
        word = field->word;
        shift = field->shift;
    }
    assert_int_equal(n_bits, layout->n_bits);
    /* each word is filled down to its lowest bit: the radix kernel sorts by that */
    for (unsigned w = 0; w < layout->n_words; w++)
        assert_int_equal(used[w] & (used[w] + 1), 0);
}

static void layout_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    plain_table plain;
    test_problem made;
    random_plain(seed % 2 ? &random_small : &wide, &random, &plain);
    test_problem_make(run, &plain, &made);
    const kan_freqset *base = &made.problem.base;
    expect_layout_is_sound(&made.problem.space, &base->layout);
    assert_int_equal(base->layout.n_fields, plain.n_attributes + plain.n_tails);
    for (unsigned turn = 0; turn < 10; turn++) {
        kan_layout layout;
        random_layout(&made.problem.space, base, &random, &layout);
        expect_layout_is_sound(&made.problem.space, &layout);
    }
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void fields_fill_words_and_never_overlap(void **state) {
    (void)state;
    random_rounds(60, layout_on_one_table);
}

/* ---- maps ----------------------------------------------------------------------------------- */

/* The value of a field of `to` in a key of `from`, by the hierarchy alone. */
static uint32_t mapped_value(const kan_space *space, const kan_layout *from, const uint64_t *key,
                             const kan_key_field *to) {
    for (unsigned f = 0; f < from->n_fields; f++) {
        const kan_key_field *field = &from->fields[f];
        if (field->dimension != to->dimension)
            continue;
        uint32_t group = kan_key_field_value(field, key);
        const kan_hierarchy *hierarchy = space->dimensions[field->dimension].hierarchy;
        for (unsigned level = field->level; level < to->level; level++)
            group = hierarchy->levels[level].up[group];
        return group;
    }
    fail_msg("a field came from nowhere");
    return 0;
}

static int compare_keys(const uint64_t *a, const uint64_t *b, unsigned words) {
    for (unsigned w = 0; w < words; w++)
        if (a[w] != b[w])
            return a[w] < b[w] ? -1 : 1;
    return 0;
}

static void expect_map_is_right(const kan_space *space, const kan_freqset *from,
                                const kan_layout *to) {
    kan_key_map map;
    uint64_t *mapped;
    kan_key_map_make(space, &from->layout, to, &map);
    EXPECT_OK(space->run, kan_alloc(space->run, from->n * to->n_words, sizeof *mapped, &mapped));
    kan_key_map_apply(&map, from->keys, from->n, mapped);
    for (size_t i = 0; i < from->n; i++) {
        const uint64_t *key = mapped + i * to->n_words;
        uint64_t packed[KAN_MAX_WORDS] = {0};
        for (unsigned f = 0; f < to->n_fields; f++) {
            const kan_key_field *field = &to->fields[f];
            uint64_t value =
                mapped_value(space, &from->layout, from->keys + i * from->layout.n_words, field);
            assert_int_equal(kan_key_field_value(field, key), value);
            packed[field->word] |= value << field->shift;
        }
        assert_memory_equal(key, packed, to->n_words * sizeof *key); /* and no other bit */
        if (i == 0)
            continue;
        const uint64_t *before = key - to->n_words;
        if (map.keeps_order)
            assert_true(compare_keys(before, key, to->n_words) <= 0);
        if (from->layout.n_words == 1 && to->n_words == 1 && map.loose_bits < 64)
            assert_true(before[0] >> map.loose_bits <= key[0] >> map.loose_bits);
    }
    kan_free(space->run, mapped);
}

static void maps_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    plain_table plain;
    test_problem made;
    kan_workspace *workspace;
    random_plain(seed % 4 ? &random_small : &wide, &random, &plain);
    test_problem_make(run, &plain, &made);
    EXPECT_OK(run, kan_workspace_create(run, &workspace));
    const kan_space *space = &made.problem.space;
    kan_freqset between;
    kan_freqset_init(&between);
    for (unsigned turn = 0; turn < 6; turn++) {
        kan_layout first, second;
        random_layout(space, &made.problem.base, &random, &first);
        expect_map_is_right(space, &made.problem.base, &first);
        EXPECT_OK(run, kan_freqset_regroup(space, &made.problem.base, &first, KAN_KERNEL_AUTO,
                                           workspace, &between));
        random_layout(space, &between, &random, &second);
        expect_map_is_right(space, &between, &second);
    }
    kan_freqset_destroy(run, &between);
    kan_workspace_destroy(workspace);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void maps_move_each_field_and_tell_the_truth_about_order(void **state) {
    (void)state;
    random_rounds(120, maps_on_one_table);
}

/* ---- edges ---------------------------------------------------------------------------------- */

/* A constant column before eight columns of 8 bits: a field without bits in a full word. */
static void a_constant_column_before_a_full_word_has_the_value_0(void **state) {
    (void)state;
    enum { ROWS = 200, COLUMNS = 9 };
    kan_run *run = kan_run_create();
    plain_table plain;
    test_problem made;
    plain_init(&plain);
    for (unsigned a = 0; a < COLUMNS; a++) {
        plain_attribute *attribute = plain_add_attribute(&plain, a == 0 ? 1 : ROWS, 1);
        for (size_t leaf = 0; leaf < attribute->n_leaves; leaf++) {
            snprintf(attribute->leaves[leaf].at[0], PLAIN_LABEL, "v%zu", leaf);
            strcpy(attribute->leaves[leaf].at[1], "*");
        }
    }
    plain_add_rows(&plain, ROWS);
    for (size_t row = 0; row < ROWS; row++)
        for (unsigned a = 0; a < COLUMNS; a++)
            snprintf(plain_cell(&plain, row, a), PLAIN_LABEL, "v%zu", a == 0 ? 0 : row);
    test_problem_make(run, &plain, &made);
    const kan_freqset *base = &made.problem.base;
    assert_int_equal(base->layout.n_words, 1);
    assert_int_equal(base->layout.n_bits, 64);
    expect_layout_is_sound(&made.problem.space, &base->layout);
    for (size_t i = 0; i < base->n; i++)
        assert_int_equal(kan_key_field_value(&base->layout.fields[0], base->keys + i), 0);
    expect_set_is_that_of_rows(&made, &plain, base);
    test_problem_destroy(&made);
    plain_destroy(&plain);
    kan_run_destroy(run);
}

static void too_many_dimensions_are_refused_with_a_remedy(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    plain_table plain;
    test_problem made;
    uint64_t random = 1;
    random_spec one = random_small;
    one.most_attributes = 1;
    random_plain(&one, &random, &plain);
    test_problem_make(run, &plain, &made);
    const kan_column *column = &made.table->columns[0];
    kan_space space;
    kan_space_init(&space, run);
    for (unsigned i = 0; i < KAN_MAX_ATTRIBUTES; i++)
        EXPECT_OK(run, kan_space_add_attribute(&space, column, made.hierarchies[0]));
    assert_int_equal(kan_space_add_attribute(&space, column, made.hierarchies[0]), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(run), "quasi-identifiers"));
    for (unsigned i = 0; i < KAN_MAX_TAILS; i++)
        EXPECT_OK(run, kan_space_add_tail(&space, column));
    assert_int_equal(kan_space_add_tail(&space, column), KAN_BAD_INPUT);
    assert_int_equal(space.n_attributes, KAN_MAX_ATTRIBUTES);
    assert_int_equal(space.n_tails, KAN_MAX_TAILS);
    kan_layout layout;
    kan_layout_base(&space, &layout);
    assert_true(layout.n_words <= KAN_MAX_WORDS);
    kan_space_destroy(&space);
    test_problem_destroy(&made);
    plain_destroy(&plain);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(fields_fill_words_and_never_overlap, random_tear_down),
        cmocka_unit_test_teardown(maps_move_each_field_and_tell_the_truth_about_order,
                                  random_tear_down),
        cmocka_unit_test(a_constant_column_before_a_full_word_has_the_value_0),
        cmocka_unit_test(too_many_dimensions_are_refused_with_a_remedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
