/* The parts that searches by local recoding are made of, each against plain counting on random
 * tables and promises: nodes, tallies, chains, and thinning. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/local_world.h"

/* ---- nodes ----------------------------------------------------------------------------------- */

static void expect_weight(const local_world *w, unsigned a, uint32_t node) {
    const kan_local_attribute *attribute = &w->space.attributes[a];
    const kan_cost_kind *cost = w->asked.objective.kind;
    const double weight = w->plain.is_weighted ? w->plain.attributes[a].weight : 1;
    const double level = attribute->level[node], height = w->plain.attributes[a].height;
    const double loss = attribute->loss[node];
    assert_true(loss <= attribute->loss[attribute->up[node]]);
    if (cost == &kan_cost_precision)
        assert_true(fabs(loss - (height > 0 ? weight * level / height : 0)) < 1e-12);
    else if (cost == &kan_cost_distortion)
        assert_true(fabs(loss - (cost->uses_weights ? weight : 1) * level) < 1e-12);
    else if (cost == &kan_cost_ncp)
        assert_true(loss >= 0 && loss <= weight + 1e-12);
}

static void nodes_of_one_table(kan_run *run, uint64_t seed) {
    local_world *w = local_world_begin(run, seed, PROMISE_ANY);
    const kan_local_space *space = &w->space;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const kan_local_attribute *attribute = &space->attributes[a];
        for (uint32_t node = 0; node < attribute->n_nodes; node++)
            expect_weight(w, a, node);
        for (unsigned i = 0; i < 20; i++) {
            const size_t rows[2] = {world_below(w, w->plain.n_rows),
                                    world_below(w, w->plain.n_rows)};
            const unsigned level = plain_join(&w->plain, a, rows, 2);
            const uint32_t x = kan_local_leaves(space, w->tuple_of[rows[0]])[a];
            const uint32_t y = kan_local_leaves(space, w->tuple_of[rows[1]])[a];
            const uint32_t both = kan_local_join(attribute, x, y);
            assert_int_equal(attribute->level[both], level);
            assert_int_equal(kan_local_lift(attribute, x, level), both);
            assert_int_equal(kan_local_lift(attribute, y, level), both);
            assert_int_equal(kan_local_join(attribute, both, y), both);
            assert_int_equal(kan_local_join(attribute, x, both), both);
        }
    }
    uint64_t n_rows = 0;
    for (size_t t = 0; t < space->n_tuples; t++)
        n_rows += space->rows[t];
    assert_int_equal(n_rows, w->plain.n_rows);
    local_world_end(w);
}

static void nodes_are_those_of_the_hierarchies(void **state) {
    (void)state;
    random_rounds(60, nodes_of_one_table);
}

/* ---- tallies --------------------------------------------------------------------------------- */

/* The tally has each value once, in order, with as many rows as the set. */
static void expect_tally(const local_world *w, const row_set *set) {
    const kan_local_space *space = &w->space;
    size_t rows[WORLD_ROWS];
    const size_t n = row_set_list(w, set, rows);
    assert_int_equal(set->tally.n_rows, n);
    for (unsigned t = 0; t < space->n_tails; t++) {
        const struct kan_local_tally_tail *tail = &set->tally.tails[t];
        uint64_t sum = 0;
        for (size_t j = 0; j < tail->n; j++) {
            size_t count = 0;
            for (size_t i = 0; i < n; i++)
                count += space->value[w->tuple_of[rows[i]] * space->n_tails + t] == tail->value[j];
            assert_int_equal(tail->count[j], count);
            assert_true(count > 0 && (j == 0 || tail->value[j] > tail->value[j - 1]));
            sum += count;
        }
        assert_int_equal(sum, n);
    }
    assert_int_equal(kan_local_tally_passes(space, &set->tally), row_set_passes(w, set));
}

static void set_add(local_world *w, row_set *set, size_t row) {
    set->is_in[row] = true;
    EXPECT_OK(w->made.run, kan_local_tally_add(&w->space, &set->tally, w->tuple_of[row], 1));
}

static void random_set(local_world *w, row_set *out) {
    const size_t share = 1 + world_below(w, 3);
    memset(out, 0, sizeof *out);
    EXPECT_OK(w->made.run, kan_local_tally_make(&w->space, &out->tally));
    for (size_t row = 0; row < w->plain.n_rows; row++)
        if (world_below(w, share) == 0)
            set_add(w, out, row);
}

static void censuses_of_one_table(kan_run *run, uint64_t seed) {
    local_world *w = local_world_begin(run, seed, PROMISE_ANY);
    row_set one, other;
    random_set(w, &one);
    expect_tally(w, &one);
    memset(&other, 0, sizeof other);
    EXPECT_OK(run, kan_local_tally_make(&w->space, &other.tally));
    for (size_t row = 0; row < w->plain.n_rows; row++)
        if (!one.is_in[row])
            set_add(w, &other, row);
    EXPECT_OK(run, kan_local_tally_add_all(&w->space, &one.tally, &other.tally));
    row_set all = {.tally = one.tally};
    memset(all.is_in, 1, w->plain.n_rows);
    expect_tally(w, &all);
    kan_local_tally_remove_all(&w->space, &one.tally, &other.tally);
    expect_tally(w, &one);
    for (size_t row = 0; row < w->plain.n_rows; row++)
        if (one.is_in[row] && world_below(w, 2)) {
            kan_local_tally_remove(&w->space, &one.tally, w->tuple_of[row], 1);
            one.is_in[row] = false;
            expect_tally(w, &one);
        }
    kan_local_tally_clear(&w->space, &other.tally);
    memset(other.is_in, 0, sizeof other.is_in);
    expect_tally(w, &other);
    kan_local_tally_destroy(&w->space, &one.tally);
    kan_local_tally_destroy(&w->space, &other.tally);
    local_world_end(w);
}

static void a_census_counts_as_plain_counting_does(void **state) {
    (void)state;
    random_rounds(150, censuses_of_one_table);
}

/* ---- kinds ----------------------------------------------------------------------------------- */

static void kinds_of_one_table(kan_run *run, uint64_t seed) {
    local_world *w = local_world_begin(run, seed, PROMISE_ANY);
    const kan_local_space *space = &w->space;
    const size_t size = space->n_tails * sizeof *space->value;
    kan_kind_rows counted;
    row_set set;
    for (size_t t = 0; t < space->n_tuples; t++)
        for (size_t u = 0; u <= t; u++)
            assert_int_equal(space->kind[t] == space->kind[u],
                             memcmp(space->value + t * space->n_tails,
                                    space->value + u * space->n_tails, size) == 0);
    for (uint32_t kind = 0; kind < space->n_kinds; kind++)
        assert_int_equal(space->kind[space->example[kind]], kind);
    random_set(w, &set);
    EXPECT_OK(run, kan_kind_rows_make(space, &counted));
    for (unsigned turn = 0; turn < 2; turn++) {
        row_set again = {.tally = {.n_rows = 0}};
        EXPECT_OK(run, kan_local_tally_make(space, &again.tally));
        kan_kind_rows_clear(&counted);
        for (size_t row = 0; row < w->plain.n_rows; row++) {
            kan_kind_rows_add(&counted, space->kind[w->tuple_of[row]], set.is_in[row]);
            again.is_in[row] = set.is_in[row];
        }
        EXPECT_OK(run, kan_local_tally_add_kinds(space, &again.tally, &counted));
        expect_tally(w, &again);
        kan_local_tally_destroy(space, &again.tally);
    }
    kan_kind_rows_destroy(space, &counted);
    kan_local_tally_destroy(space, &set.tally);
    local_world_end(w);
}

static void rows_by_kind_make_the_same_tally(void **state) {
    (void)state;
    random_rounds(100, kinds_of_one_table);
}

/* ---- chains ---------------------------------------------------------------------------------- */

static const char *label_of(const local_world *w, const kan_local_chain *chain, size_t row,
                            unsigned a) {
    return plain_label_at(&w->plain, row, a, chain->level[a]);
}

static bool show_the_same(const local_world *w, const kan_local_chain *chain, size_t t, size_t u) {
    for (unsigned a = 0; a < w->plain.n_attributes; a++)
        if (strcmp(label_of(w, chain, world_row(w, t), a),
                   label_of(w, chain, world_row(w, u), a)) != 0)
            return false;
    return true;
}

/* Every tuple with rows is in one group, with those that show the same and nobody else; groups and
 * their tuples are in the order of the tuples before. */
static void expect_groups(const local_world *w, const kan_local_chain *chain,
                          const uint32_t *before, size_t n_before) {
    size_t n = 0, next = 0;
    bool is_seen[WORLD_ROWS] = {false};
    for (size_t t = 0; t < w->space.n_tuples; t++)
        n += chain->left[t] > 0;
    assert_int_equal(chain->n, n);
    assert_int_equal(chain->start[0], 0);
    assert_int_equal(chain->start[chain->n_groups], n);
    for (size_t g = 0; g < chain->n_groups; g++) {
        while (chain->left[before[next]] == 0 || is_seen[before[next]])
            next++;
        assert_int_equal(chain->tuple[chain->start[g]], before[next]);
        size_t i = chain->start[g];
        for (size_t at = next; at < n_before; at++) {
            if (chain->left[before[at]] == 0 || !show_the_same(w, chain, before[at], before[next]))
                continue;
            assert_true(i < chain->start[g + 1]);
            assert_int_equal(chain->tuple[i++], before[at]);
            is_seen[before[at]] = true;
        }
        assert_int_equal(i, chain->start[g + 1]);
    }
}

static double naive_entropy(const local_world *w, const kan_local_chain *chain, unsigned a) {
    double n_rows = 0, entropy = 0;
    for (size_t t = 0; t < w->space.n_tuples; t++)
        n_rows += (double)chain->left[t];
    for (size_t t = 0; t < w->space.n_tuples; t++) {
        double same = 0;
        for (size_t u = 0; u < w->space.n_tuples; u++)
            if (strcmp(label_of(w, chain, world_row(w, t), a),
                       label_of(w, chain, world_row(w, u), a)) == 0)
                same += (double)chain->left[u];
        if (chain->left[t] > 0)
            entropy -= (double)chain->left[t] / n_rows * log2(same / n_rows);
    }
    return entropy;
}

/* The attribute of the greatest entropy went up one level, of equal ones the first. */
static void expect_step(local_world *w, kan_local_chain *chain, bool *is_done) {
    kan_local_chain before = *chain;
    unsigned best = UINT32_MAX;
    double greatest = 0;
    for (unsigned a = 0; a < w->plain.n_attributes; a++) {
        if (chain->level[a] == w->plain.attributes[a].height)
            continue;
        const double entropy = naive_entropy(w, chain, a);
        if (best == UINT32_MAX || entropy > greatest + 1e-9) {
            best = a;
            greatest = entropy;
        }
    }
    bool is_there;
    assert_int_equal(kan_local_chain_step(chain, &is_there), KAN_OK);
    *is_done = !is_there;
    assert_int_equal(*is_done, best == UINT32_MAX);
    for (unsigned a = 0; a < w->plain.n_attributes; a++)
        assert_int_equal(chain->level[a], before.level[a] + (a == best));
}

static void chain_of_one_table(kan_run *run, uint64_t seed) {
    local_world *w = local_world_begin(run, seed, PROMISE_ANY);
    kan_local_chain chain;
    uint32_t before[WORLD_ROWS];
    uint64_t rows[WORLD_ROWS];
    bool is_done = false;
    for (size_t t = 0; t < w->space.n_tuples; t++) {
        rows[t] = world_below(w, 5) ? w->space.rows[t] : 0;
        before[t] = (uint32_t)t;
    }
    EXPECT_OK(run, kan_local_chain_make(&w->space, rows, &chain));
    size_t n_before = w->space.n_tuples;
    while (!is_done) {
        kan_local_chain_group(&chain);
        expect_groups(w, &chain, before, n_before);
        n_before = chain.n;
        memcpy(before, chain.tuple, n_before * sizeof *before);
        for (size_t i = 0; i < n_before; i++)
            if (world_below(w, 8) == 0) {
                chain.left[before[i]] -= 1 + world_below(w, (size_t)chain.left[before[i]]);
                chain.has_changed = true;
            }
        expect_step(w, &chain, &is_done);
    }
    kan_local_chain_destroy(&chain);
    local_world_end(w);
}

static void a_chain_groups_what_shows_the_same_and_takes_the_most_even_attribute(void **state) {
    (void)state;
    random_rounds(100, chain_of_one_table);
}

/* ---- thinning -------------------------------------------------------------------------------- */

static bool is_named(const local_world *w, size_t row) {
    const unsigned tail = w->plain.class_tail == 0 ? 1 : 0;
    return strcmp(plain_cell(&w->plain, row, w->plain.n_attributes + tail), w->models.named[0]) ==
           0;
}

/* A row of the set that may go: of the named value, or, where all are limited, of the most frequent
 * one; SIZE_MAX: there is none. */
static size_t row_to_go(const local_world *w, const row_set *set) {
    const unsigned column = w->plain.n_attributes + (w->plain.class_tail == 0 ? 1 : 0);
    size_t most = 0, found = SIZE_MAX;
    for (size_t row = 0; row < w->plain.n_rows; row++) {
        size_t n = 0;
        if (!set->is_in[row] || (w->models.n_named > 0 && !is_named(w, row)))
            continue;
        for (size_t other = 0; other < w->plain.n_rows; other++)
            n += set->is_in[other] && strcmp(plain_cell(&w->plain, row, column),
                                             plain_cell(&w->plain, other, column)) == 0;
        if (n > most) {
            most = n;
            found = row;
        }
    }
    return found;
}

/* The fewest rows without which the set passes; SIZE_MAX: it never does. Whatever goes, the most
 * frequent value has the fewest rows when they were taken from it, one by one. */
static size_t naive_fewest(const local_world *w, const row_set *set) {
    row_set left = *set;
    for (size_t n = 0;; n++) {
        if (row_set_passes(w, &left))
            return n;
        const size_t row = row_to_go(w, &left);
        if (row == SIZE_MAX)
            return SIZE_MAX;
        left.is_in[row] = false;
    }
}

static void count_kinds(const local_world *w, const row_set *set, kan_kind_rows *out) {
    for (size_t row = 0; row < w->plain.n_rows; row++)
        kan_kind_rows_add(out, w->space.kind[w->tuple_of[row]], set->is_in[row]);
}

/* Takes the rows that are gone out of the set: of each kind the first. */
static void take_out(const local_world *w, const kan_kind_rows *gone, row_set *set) {
    for (uint32_t i = 0; i < gone->n_used; i++) {
        uint64_t n = gone->rows[gone->used[i]];
        for (size_t row = 0; row < w->plain.n_rows && n > 0; row++)
            if (set->is_in[row] && w->space.kind[w->tuple_of[row]] == gone->used[i]) {
                set->is_in[row] = false;
                n--;
            }
        assert_int_equal(n, 0);
    }
}

static void thin_one_set(kan_run *run, uint64_t seed, world_promise promise) {
    local_world *w = local_world_begin(run, seed, promise);
    kan_kind_rows rows, gone;
    row_set set;
    bool passes;
    random_set(w, &set);
    const row_set before = set;
    EXPECT_OK(run, kan_kind_rows_make(&w->space, &rows));
    EXPECT_OK(run, kan_kind_rows_make(&w->space, &gone));
    count_kinds(w, &set, &rows);
    if (!kan_local_tally_passes(&w->space, &set.tally)) {
        const uint64_t n_before = set.tally.n_rows, most = world_below(w, w->plain.n_rows + 1);
        EXPECT_OK(run, kan_local_thin(&w->space, &set.tally, &rows, most, &gone, &passes));
        take_out(w, &gone, &set);
        expect_tally(w, &set);
        const uint64_t n_gone = n_before - set.tally.n_rows;
        assert_true(n_gone <= most);
        assert_int_equal(passes, row_set_passes(w, &set));
        row_set left = {.tally = {.n_rows = 0}};
        EXPECT_OK(run, kan_local_tally_make(&w->space, &left.tally));
        EXPECT_OK(run, kan_local_tally_add_kinds(&w->space, &left.tally, &rows));
        memcpy(left.is_in, set.is_in, sizeof left.is_in);
        expect_tally(w, &left); /* the rows by kind lost them, too */
        kan_local_tally_destroy(&w->space, &left.tally);
        if (promise != PROMISE_ANY) {
            const size_t fewest = naive_fewest(w, &before);
            assert_int_equal(passes, fewest != SIZE_MAX && fewest <= most);
            if (passes)
                assert_int_equal(n_gone, fewest);
        }
    }
    kan_kind_rows_destroy(&w->space, &rows);
    kan_kind_rows_destroy(&w->space, &gone);
    kan_local_tally_destroy(&w->space, &set.tally);
    local_world_end(w);
}

static void thin_any(kan_run *run, uint64_t seed) {
    thin_one_set(run, seed, PROMISE_ANY);
}

static void thin_single(kan_run *run, uint64_t seed) {
    thin_one_set(run, seed, PROMISE_SINGLE);
}

static void thin_general(kan_run *run, uint64_t seed) {
    thin_one_set(run, seed, PROMISE_GENERAL);
}

static void thinning_takes_as_few_rows_as_will_do(void **state) {
    (void)state;
    random_rounds(300, thin_general);
    random_rounds(300, thin_any);
    random_rounds(300, thin_single);
}

/* ---- Lemma 5 --------------------------------------------------------------------------------- */

/* At most |D| - |(D,s)| / alpha rows may leave; the promise itself allows that many free rows, and
 * every row beyond it that it allows is one that the bound forbids for nothing. */
static void bound_on_one_set(kan_run *run, uint64_t seed) {
    local_world *w = local_world_begin(run, seed, PROMISE_SINGLE);
    row_set set;
    random_set(w, &set);
    if (kan_local_tally_passes(&w->space, &set.tally)) {
        size_t rows[WORLD_ROWS], n_limited = 0, n_left;
        const size_t n = row_set_list(w, &set, rows);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(w->space.is_free[w->space.kind[w->tuple_of[rows[i]]]],
                             !is_named(w, rows[i]));
            n_limited += is_named(w, rows[i]);
        }
        const size_t stay = (n_limited * w->models.alpha_parts + w->models.alpha - 1) /
                            w->models.alpha; /* |(D,s)| / alpha, rounded up */
        assert_true(stay <= n);
        n_left = n;
        for (size_t i = 0; i < n && n_left > stay && n_left > w->models.k; i++)
            if (!is_named(w, rows[i])) {
                kan_local_tally_remove(&w->space, &set.tally, w->tuple_of[rows[i]], 1);
                n_left--;
                assert_true(kan_local_tally_passes(&w->space, &set.tally));
            }
    }
    kan_local_tally_destroy(&w->space, &set.tally);
    local_world_end(w);
}

static void as_many_free_rows_may_leave_as_lemma_5_says(void **state) {
    (void)state;
    random_rounds(300, bound_on_one_set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(nodes_are_those_of_the_hierarchies, random_tear_down),
        cmocka_unit_test_teardown(a_census_counts_as_plain_counting_does, random_tear_down),
        cmocka_unit_test_teardown(rows_by_kind_make_the_same_tally, random_tear_down),
        cmocka_unit_test_teardown(
            a_chain_groups_what_shows_the_same_and_takes_the_most_even_attribute, random_tear_down),
        cmocka_unit_test_teardown(thinning_takes_as_few_rows_as_will_do, random_tear_down),
        cmocka_unit_test_teardown(as_many_free_rows_may_leave_as_lemma_5_says, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
