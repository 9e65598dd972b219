/* Views of frequency sets as groups (group/view.h, kan_viewer): tallies, levels and losses against
 * counting rows. */
#include "support/oracle.h"
#include "support/random_problem.h"
#include "support/sets.h"

#include "group/viewer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const random_spec wide = {.least_attributes = 8,
                                 .most_attributes = 20,
                                 .least_rows = 100,
                                 .most_rows = 250,
                                 .most_leaves = 200,
                                 .most_height = 3,
                                 .most_tails = 3};

/* The group of each row, and its row's number in the order of the set's groups: by value of the
 * attribute fields. */
static bool row_is_of(const test_problem *made, const kan_freqset *set, unsigned n_fields,
                      const uint64_t *key, size_t row) {
    for (unsigned f = 0; f < n_fields; f++) {
        const kan_key_field *field = &set->layout.fields[f];
        const kan_dimension *dimension = &made->problem.space.dimensions[field->dimension];
        uint32_t leaf = dimension->hierarchy->leaf_of[kan_column_code(dimension->column, row)];
        if (dimension->hierarchy->levels[field->level].from_leaf[leaf] !=
            kan_key_field_value(field, key))
            return false;
    }
    return true;
}

/* The tally of one tail in one group is what the rows of the group show. */
static void expect_tally(const test_problem *made, const kan_tally *tally, unsigned dimension,
                         size_t group, const uint8_t *is_member) {
    const kan_column *column = made->problem.space.dimensions[dimension].column;
    uint64_t seen = 0;
    for (uint32_t value = 0; value < column->dictionary.n; value++) {
        uint64_t n_rows = 0, told = 0;
        for (size_t row = 0; row < made->problem.n_rows; row++)
            n_rows += is_member[row] && kan_column_code(column, row) == value;
        for (size_t i = tally->start[group]; i < tally->start[group + 1]; i++)
            if (tally->value[i] == value)
                told += tally->count[i];
        assert_int_equal(told, n_rows);
        seen += n_rows > 0;
    }
    assert_int_equal(tally->start[group + 1] - tally->start[group], seen);
    for (size_t i = tally->start[group] + 1; i < tally->start[group + 1]; i++)
        assert_true(tally->value[i - 1] < tally->value[i]);
}

static void expect_view_is_right(const test_problem *made, const kan_freqset *set,
                                 const kan_groups *groups) {
    const kan_space *space = &made->problem.space;
    const unsigned words = set->layout.n_words;
    unsigned n_fields = 0;
    while (n_fields < set->layout.n_fields &&
           set->layout.fields[n_fields].dimension < space->n_attributes)
        n_fields++;
    uint8_t *is_member = calloc(made->problem.n_rows, 1);
    assert_non_null(is_member);
    size_t first = 0, group = 0;
    for (; first < set->n; group++) {
        const uint64_t *key = set->keys + first * words;
        uint64_t n_members = 0;
        for (size_t row = 0; row < made->problem.n_rows; row++)
            n_members += is_member[row] = row_is_of(made, set, n_fields, key, row);
        assert_true(group < groups->n_groups);
        assert_int_equal(groups->count[group], n_members);
        for (unsigned f = n_fields; f < set->layout.n_fields; f++) {
            unsigned dimension = set->layout.fields[f].dimension;
            expect_tally(made, &groups->tallies[dimension - space->n_attributes], dimension, group,
                         is_member);
        }
        /* the tuples of the group follow each other */
        for (uint64_t rows = 0; rows < n_members; first++)
            rows += set->counts[first];
    }
    assert_int_equal(group, groups->n_groups);
    assert_int_equal(groups->n_released_groups, groups->n_groups);
    assert_int_equal(groups->n_suppressed, 0);
    assert_int_equal(groups->n_rows, made->problem.n_rows);
    for (unsigned f = 0; f < n_fields; f++)
        assert_int_equal(groups->levels[set->layout.fields[f].dimension],
                         set->layout.fields[f].level);
    free(is_member);
}

static void views_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    plain_table plain;
    test_problem made;
    kan_workspace *workspace;
    kan_viewer viewer;
    kan_freqset set;
    random_plain(seed % 4 ? &random_small : &wide, &random, &plain);
    test_problem_make(run, &plain, &made);
    EXPECT_OK(run, kan_workspace_create(run, &workspace));
    kan_viewer_init(&viewer, &made.problem);
    kan_freqset_init(&set);
    /* one viewer for sets of all sizes and tails, as a search uses it */
    for (unsigned turn = 0; turn < 5; turn++) {
        kan_layout to;
        kan_groups groups;
        random_layout(&made.problem.space, &made.problem.base, &random, &to);
        EXPECT_OK(run, kan_freqset_regroup(&made.problem.space, &made.problem.base, &to,
                                           KAN_KERNEL_AUTO, workspace, &set));
        EXPECT_OK(run, kan_viewer_groups(&viewer, &set, &groups));
        expect_view_is_right(&made, &set, &groups);
    }
    kan_freqset_destroy(run, &set);
    kan_viewer_destroy(&viewer);
    kan_workspace_destroy(workspace);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void groups_and_tallies_are_what_the_rows_show(void **state) {
    (void)state;
    random_rounds(150, views_on_one_table);
}

/* ---- losses --------------------------------------------------------------------------------- */

/* Any groups may be suppressed: what is left is summed row by row. */
static void losses_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    plain_table plain;
    test_problem made;
    oracle truth;
    kan_workspace *workspace;
    kan_viewer viewer;
    kan_freqset set;
    kan_groups groups;
    random_plain(&random_small, &random, &plain);
    test_problem_make(run, &plain, &made);
    oracle_open(&plain, &truth);
    const kan_space *space = &made.problem.space;
    EXPECT_OK(run, kan_workspace_create(run, &workspace));
    kan_viewer_init(&viewer, &made.problem);
    kan_freqset_init(&set);
    const oracle_node *node = &truth.nodes[kan_random_below(&random, truth.n_nodes)];
    EXPECT_OK(run, kan_freqset_rollup(space, &made.problem.base, node->levels, workspace, &set));
    EXPECT_OK(run, kan_viewer_groups(&viewer, &set, &groups));
    for (size_t g = 0; g < groups.n_groups; g++) {
        viewer.is_released[g] = (uint8_t)kan_random_below(&random, 2);
        if (!viewer.is_released[g]) {
            groups.n_suppressed += groups.count[g];
            groups.n_released_groups--;
        }
    }
    groups.is_released = viewer.is_released;
    kan_viewer_loss(&viewer, &set, &groups);
    for (unsigned a = 0; a < space->n_attributes; a++) {
        double shares = 0;
        uint64_t levels = 0;
        for (size_t row = 0; row < plain.n_rows; row++) {
            size_t first = 0, g = 0;
            while (!row_is_of(&made, &set, space->n_attributes,
                              set.keys + first * set.layout.n_words, row)) {
                for (uint64_t rows = 0; rows < groups.count[g]; first++)
                    rows += set.counts[first];
                g++;
            }
            if (!groups.is_released[g])
                continue;
            levels += node->levels[a];
            size_t leaf = truth.leaf_of[row * plain.n_attributes + a];
            shares += truth.shares[a][node->levels[a]][leaf];
        }
        assert_true(groups.loss[a].levels == levels);
        double told = (double)groups.loss[a].share / (double)made.problem.share_one;
        assert_true(fabs(told - shares) <= 1e-9 * (1 + shares));
    }
    kan_freqset_destroy(run, &set);
    kan_viewer_destroy(&viewer);
    kan_workspace_destroy(workspace);
    oracle_close(&truth);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void losses_are_summed_over_released_rows(void **state) {
    (void)state;
    random_rounds(150, losses_on_one_table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(groups_and_tallies_are_what_the_rows_show, random_tear_down),
        cmocka_unit_test_teardown(losses_are_summed_over_released_rows, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
