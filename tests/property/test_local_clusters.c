/* Clusters of a local recoding against plain counting on random tables and promises: what they
 * become, what completes them, and the rows that must be left out before. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/local_world.h"

/* ---- clusters -------------------------------------------------------------------------------- */

/* Rows into clusters at random, and some left out where that is allowed. */
static void random_clusters(local_world *w, kan_local_clusters *out) {
    const kan_local_space *space = &w->space;
    const size_t n_clusters = 1 + world_below(w, 10);
    size_t c;
    kan_local_clusters_init(out, space);
    for (size_t i = 0; i < n_clusters; i++) {
        EXPECT_OK(w->made.run, kan_local_clusters_add(out, &c));
        assert_int_equal(c, i);
    }
    for (size_t row = 0; row < w->plain.n_rows; row++) {
        const uint32_t t = (uint32_t)w->tuple_of[row];
        if (out->n_lost < space->limit && out->n_lost + 1 < w->plain.n_rows &&
            world_below(w, 6) == 0) {
            EXPECT_OK(w->made.run, kan_bundles_add(space, &out->lost, t, 1));
            out->n_lost++;
        } else {
            EXPECT_OK(w->made.run, kan_local_cluster_add(out, world_below(w, n_clusters), t, 1));
        }
    }
}

/* The sum of what all rows give up, lost ones all there is. */
static double loss_of(const kan_local_clusters *clusters) {
    const kan_local_space *space = clusters->space;
    double loss = 0, most = 0;
    for (unsigned a = 0; a < space->n_attributes; a++)
        most += space->attributes[a].loss[space->attributes[a].n_nodes - 1];
    for (size_t c = 0; c < clusters->n; c++)
        if (clusters->clusters[c].tally.n_rows > 0)
            loss += (double)clusters->clusters[c].tally.n_rows *
                    kan_local_loss(space, clusters->clusters[c].node);
    return loss + (double)clusters->n_lost * most;
}

/* Some rows change their cluster, and the clusters are lowered. */
static void move_some(local_world *w, kan_local_clusters *clusters) {
    for (unsigned i = 0; i < 10; i++) {
        const size_t from = world_below(w, clusters->n), to = world_below(w, clusters->n);
        if (clusters->clusters[from].members.n == 0)
            continue;
        const size_t bundle = world_below(w, clusters->clusters[from].members.n);
        const kan_bundle moved = clusters->clusters[from].members.bundles[bundle];
        const uint64_t n = 1 + world_below(w, (size_t)moved.n_rows);
        kan_local_cluster_remove(clusters, from, bundle, n);
        EXPECT_OK(w->made.run, kan_local_cluster_add(clusters, to, moved.tuple, n));
        if (world_below(w, 2))
            kan_local_cluster_tighten(clusters, from);
    }
    if (world_below(w, 2) && clusters->n > 1)
        EXPECT_OK(w->made.run, kan_local_cluster_merge(clusters, 0, 1));
}

/* Clusters by the rows of their bundles: what they hold and show. */
static void expect_clusters(const local_world *w, const kan_local_clusters *clusters) {
    uint64_t n_rows = clusters->n_lost;
    double loss = 0;
    for (size_t c = 0; c < clusters->n; c++) {
        const kan_local_cluster *cluster = &clusters->clusters[c];
        size_t rows[WORLD_ROWS], n = 0;
        uint64_t sum = 0;
        for (size_t i = 0; i < cluster->members.n; i++) {
            const kan_bundle bundle = cluster->members.bundles[i];
            assert_true(bundle.n_rows > 0);
            rows[n++] = world_row(w, bundle.tuple);
            sum += bundle.n_rows;
        }
        assert_int_equal(cluster->tally.n_rows, sum);
        assert_true(sum > 0);
        n_rows += sum;
        for (unsigned a = 0; a < w->plain.n_attributes; a++) {
            const kan_local_attribute *attribute = &w->space.attributes[a];
            const unsigned level = plain_join(&w->plain, a, rows, n);
            assert_int_equal(attribute->level[cluster->node[a]], level);
            assert_int_equal(cluster->node[a],
                             kan_local_lift(attribute,
                                            kan_local_leaves(&w->space, w->tuple_of[rows[0]])[a],
                                            level));
            loss += (double)sum * attribute->loss[cluster->node[a]];
        }
    }
    assert_int_equal(n_rows, w->plain.n_rows);
    for (unsigned a = 0; a < w->plain.n_attributes; a++)
        loss += (double)clusters->n_lost *
                w->space.attributes[a].loss[w->space.attributes[a].n_nodes - 1];
    assert_true(fabs(loss_of(clusters) - loss) < 1e-9 * (1 + loss));
}

static void clusters_of_one_table(kan_run *run, uint64_t seed) {
    local_world *w = local_world_begin(run, seed, PROMISE_NOTHING);
    kan_local_clusters clusters;
    kan_answer answer = {.is_found = false};
    random_clusters(w, &clusters);
    move_some(w, &clusters);
    EXPECT_OK(run, kan_local_clusters_unite(&clusters));
    expect_clusters(w, &clusters);
    EXPECT_OK(run, kan_local_clusters_answer(&clusters, &answer));
    assert_true(answer.is_found);
    assert_int_equal(answer.recoding.regions->has_lost, clusters.n_lost > 0);
    expect_local_is_right(&w->made, &w->models, w->space.limit, &answer);
    kan_answer_destroy(run, &answer);
    kan_local_clusters_destroy(&clusters);
    local_world_end(w);
}

static void clusters_become_regions_row_by_row(void **state) {
    (void)state;
    random_rounds(300, clusters_of_one_table);
}

/* ---- completing ------------------------------------------------------------------------------ */

static uint64_t failing_rows(const kan_local_clusters *clusters) {
    uint64_t n = 0;
    for (size_t c = 0; c < clusters->n; c++)
        if (!kan_local_tally_passes(clusters->space, &clusters->clusters[c].tally))
            n += clusters->clusters[c].tally.n_rows;
    return n;
}

/* All rows that are in clusters, as one. */
static bool rest_passes(local_world *w, const kan_local_clusters *clusters) {
    kan_local_tally all;
    EXPECT_OK(w->made.run, kan_local_tally_make(&w->space, &all));
    for (size_t c = 0; c < clusters->n; c++)
        EXPECT_OK(w->made.run,
                  kan_local_tally_add_all(&w->space, &all, &clusters->clusters[c].tally));
    const bool passes = kan_local_tally_passes(&w->space, &all);
    kan_local_tally_destroy(&w->space, &all);
    return passes;
}

/* What the rows of two clusters give up as one. */
static double joined_loss(const local_world *w, const kan_local_cluster *x,
                          const kan_local_cluster *y) {
    double loss = 0;
    for (unsigned a = 0; a < w->plain.n_attributes; a++) {
        const kan_local_attribute *attribute = &w->space.attributes[a];
        loss += attribute->loss[kan_local_join(attribute, x->node[a], y->node[a])];
    }
    return loss * (double)(x->tally.n_rows + y->tally.n_rows);
}

static double cluster_loss(const local_world *w, const kan_local_cluster *x) {
    return kan_local_loss(&w->space, x->node) * (double)x->tally.n_rows;
}

/* The loss after the one cluster that fails was joined with the one with which it passes at the least
 * cost; below 0: several fail, or none helps. */
static double loss_when_joined(const local_world *w, const kan_local_clusters *clusters) {
    const kan_local_cluster *failing = NULL;
    double best = -1;
    size_t n_failing = 0;
    for (size_t c = 0; c < clusters->n; c++)
        if (!kan_local_tally_passes(&w->space, &clusters->clusters[c].tally)) {
            failing = &clusters->clusters[c];
            n_failing++;
        }
    for (size_t c = 0; c < clusters->n && n_failing == 1; c++) {
        const kan_local_cluster *other = &clusters->clusters[c];
        kan_local_tally both;
        if (other == failing)
            continue;
        EXPECT_OK(w->made.run, kan_local_tally_make(&w->space, &both));
        EXPECT_OK(w->made.run, kan_local_tally_add_all(&w->space, &both, &failing->tally));
        EXPECT_OK(w->made.run, kan_local_tally_add_all(&w->space, &both, &other->tally));
        const double loss = loss_of(clusters) - cluster_loss(w, failing) - cluster_loss(w, other) +
                            joined_loss(w, failing, other);
        if (kan_local_tally_passes(&w->space, &both) && (best < 0 || loss < best))
            best = loss;
        kan_local_tally_destroy(&w->space, &both);
    }
    return best;
}

static void complete_one_table(kan_run *run, uint64_t seed) {
    local_world *w = local_world_begin(run, seed,
                                       seed % 3 == 0   ? PROMISE_ANY
                                       : seed % 3 == 1 ? PROMISE_GENERAL
                                                       : PROMISE_REFINED);
    kan_local_clusters clusters;
    kan_answer answer = {.is_found = false};
    bool is_complete;
    random_clusters(w, &clusters);
    EXPECT_OK(run, kan_local_clusters_unite(&clusters));
    const uint64_t n_failing = failing_rows(&clusters), n_lost = clusters.n_lost;
    const bool whole = rest_passes(w, &clusters);
    const uint64_t n_left = w->plain.n_rows - n_lost;
    const double best = loss_when_joined(w, &clusters);
    EXPECT_OK(run, kan_local_complete(&clusters, &is_complete));
    if (n_failing <= w->space.limit - n_lost && n_failing < n_left) {
        assert_true(is_complete);
        assert_int_equal(clusters.n_lost, n_lost + n_failing);
    } else {
        assert_int_equal(clusters.n_lost, n_lost);
        if (best >= 0 && w->asked.promise.survives_merge)
            assert_true(fabs(loss_of(&clusters) - best) < 1e-9 * (1 + best));
        if (whole)
            assert_true(is_complete);
        else if (w->asked.promise.survives_merge)
            assert_false(is_complete);
    }
    if (is_complete) {
        assert_int_equal(failing_rows(&clusters), 0);
        expect_clusters(w, &clusters);
        EXPECT_OK(run, kan_local_clusters_answer(&clusters, &answer));
        expect_local_is_right(&w->made, &w->models, w->space.limit, &answer);
        kan_answer_destroy(run, &answer);
    }
    kan_local_clusters_destroy(&clusters);
    local_world_end(w);
}

static void clusters_that_fail_are_left_out_or_joined(void **state) {
    (void)state;
    random_rounds(900, complete_one_table);
}

/* ---- fitting --------------------------------------------------------------------------------- */

/* Of the tuples of a kind, those with the fewest rows lose theirs first. */
static void expect_rare_go_first(const local_world *w, const kan_bundles *lost) {
    const kan_local_space *space = &w->space;
    uint64_t n_lost[WORLD_ROWS] = {0};
    for (size_t i = 0; i < lost->n; i++)
        n_lost[lost->bundles[i].tuple] += lost->bundles[i].n_rows;
    for (size_t t = 0; t < space->n_tuples; t++)
        for (size_t u = 0; u < space->n_tuples; u++)
            if (space->kind[t] == space->kind[u] && space->rows[u] < space->rows[t] &&
                n_lost[t] > 0)
                assert_int_equal(n_lost[u], space->rows[u]);
}

static void fit_one_table(kan_run *run, uint64_t seed) {
    const bool is_single = seed % 2;
    local_world *w = local_world_begin(run, seed, is_single ? PROMISE_SINGLE : PROMISE_ANY);
    kan_local_clusters clusters;
    row_set left = {.tally = {.n_rows = 0}};
    uint64_t rows[WORLD_ROWS], n_lost = 0, sum = 0;
    bool passes;
    kan_local_clusters_init(&clusters, &w->space);
    memcpy(rows, w->space.rows, w->space.n_tuples * sizeof *rows);
    EXPECT_OK(run, kan_local_fit(&clusters, rows, &passes));
    for (size_t i = 0; i < clusters.lost.n; i++) {
        n_lost += clusters.lost.bundles[i].n_rows;
        rows[clusters.lost.bundles[i].tuple] += clusters.lost.bundles[i].n_rows;
    }
    assert_int_equal(n_lost, clusters.n_lost);
    assert_memory_equal(rows, w->space.rows, w->space.n_tuples * sizeof *rows);
    assert_true(n_lost <= w->space.limit);
    assert_true(passes || n_lost == 0);
    expect_rare_go_first(w, &clusters.lost);
    for (size_t i = 0; i < clusters.lost.n; i++)
        rows[clusters.lost.bundles[i].tuple] -= clusters.lost.bundles[i].n_rows;
    for (size_t row = 0; row < w->plain.n_rows; row++)
        if (rows[w->tuple_of[row]] > 0) {
            rows[w->tuple_of[row]]--;
            left.is_in[row] = true;
            sum++;
        }
    assert_int_equal(sum + n_lost, w->plain.n_rows);
    assert_int_equal(passes, row_set_passes(w, &left));
    if (plain_whole_passes(&w->models))
        assert_true(passes && n_lost == 0);
    if (is_single) {
        const size_t fewest = plain_fewest_out(&w->models);
        assert_int_equal(passes, fewest != SIZE_MAX && fewest <= w->space.limit);
        if (passes)
            assert_int_equal(n_lost, fewest);
    }
    kan_local_clusters_destroy(&clusters);
    local_world_end(w);
}

static void as_few_rows_are_left_out_as_will_do(void **state) {
    (void)state;
    random_rounds(300, fit_one_table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(clusters_become_regions_row_by_row, random_tear_down),
        cmocka_unit_test_teardown(clusters_that_fail_are_left_out_or_joined, random_tear_down),
        cmocka_unit_test_teardown(as_few_rows_are_left_out_as_will_do, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
