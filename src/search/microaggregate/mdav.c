/* mdav: microaggregation by the maximum distance to the average vector (Domingo-Ferrer and Torra
 * 2005, MDAV-generic; docs/papers/mdav.md).
 *
 * While 3k rows or more are left, two groups are made: of the row that is farthest from the mean of
 * all that are left, with the k - 1 nearest to it, and of the row that is then farthest from that
 * one, with the k - 1 nearest to it. Of 2k rows or more one such group is made. The rest is the
 * last group, of k to 2k - 1 rows.
 *
 * Tuples are taken for rows that stand at one point; rows of a tuple may come into several groups.
 * Each group takes a few passes over the tuples that are left: time is tuples squared over k, times
 * columns. Tables with more than BLOCK_TUPLES are cut into blocks, on all threads. Memory: a few
 * words per tuple and column. */
#include <stdlib.h>
#include <string.h>

#include "core/pool.h"
#include "search/microaggregate/mdav_anneal.h"
#include "search/microaggregate/micro_answer.h"
#include "search/microaggregate/microaggregate.h"

enum { BLOCK_TUPLES = 1 << 15 };

typedef struct {
    kan_partition_space *space;
    const kan_mdav_scale *scale;
    kan_mdav_blocks blocks;
    kan_mdav_groups *made; /* by block */
    kan_mdav_groups groups;
} aggregating;

/* ---- one block ------------------------------------------------------------------------------- */

/* Of those that are taken, the one that stands last first: others move into its place. */
static int compare_places(const void *a, const void *b) {
    const uint32_t x = ((const kan_near *)a)->at, y = ((const kan_near *)b)->at;
    return x > y ? -1 : x < y;
}

/* The rows that are nearest to the last centre become a group. */
static kan_status take_nearest(kan_mdav_points *points, uint64_t n_rows, kan_mdav_groups *groups) {
    kan_neighbours *nearest = &points->nearest;
    size_t g;
    KAN_TRY(kan_mdav_nearest(points, n_rows));
    KAN_TRY(kan_mdav_groups_add(groups, &g));
    /* of the farthest tuple no more than are needed */
    nearest->near[nearest->n - 1].n_rows -= nearest->n_rows - n_rows;
    for (size_t i = 0; i < nearest->n; i++)
        KAN_TRY(kan_mdav_group_add(groups, g, nearest->near[i].id, nearest->near[i].n_rows));
    qsort(nearest->near, nearest->n, sizeof *nearest->near, compare_places);
    for (size_t i = 0; i < nearest->n; i++)
        kan_mdav_take(points, nearest->near[i].at, nearest->near[i].n_rows);
    return KAN_OK;
}

static kan_status take_farthest(kan_mdav_points *points, uint64_t n_rows, kan_mdav_groups *groups) {
    kan_mdav_measure_point(points, kan_mdav_farthest(points));
    return take_nearest(points, n_rows, groups);
}

static kan_status aggregate(kan_mdav_points *points, uint64_t k, kan_mdav_groups *groups) {
    while (points->n_rows >= 3 * k) {
        KAN_TRY(kan_check_cancel(points->run));
        kan_mdav_measure_mean(points);
        KAN_TRY(take_farthest(points, k, groups));
        KAN_TRY(take_farthest(points, k, groups)); /* by the distance from the row before */
    }
    if (points->n_rows >= 2 * k) {
        kan_mdav_measure_mean(points);
        KAN_TRY(take_farthest(points, k, groups));
    }
    kan_mdav_measure_mean(points);
    return take_nearest(points, points->n_rows, groups);
}

static kan_status aggregate_block(void *context, size_t task, unsigned worker) {
    aggregating *w = context;
    const size_t *start = w->blocks.start + task;
    kan_mdav_points points;
    (void)worker;
    kan_report_progress(w->space->run, "search", task, w->blocks.n);
    kan_status status =
        kan_mdav_points_make(w->scale, w->blocks.tuples + start[0], start[1] - start[0], &points);
    if (status == KAN_OK)
        status = aggregate(&points, w->space->least_size, &w->made[task]);
    kan_mdav_points_destroy(&points);
    return status == KAN_OK ? kan_mdav_groups_keep_promise(&w->made[task], w->scale) : status;
}

static kan_status aggregate_all(aggregating *w) {
    kan_run *run = w->space->run;
    KAN_TRY(kan_mdav_blocks_make(w->scale, BLOCK_TUPLES, &w->blocks));
    KAN_TRY(kan_alloc(run, w->blocks.n, sizeof *w->made, &w->made));
    for (size_t b = 0; b < w->blocks.n; b++)
        w->made[b] = (kan_mdav_groups){.run = run};
    KAN_TRY(kan_parallel(run, w->blocks.n, aggregate_block, w));
    for (size_t b = 0; b < w->blocks.n; b++)
        KAN_TRY(kan_mdav_groups_take(&w->groups, &w->made[b]));
    /* a block may be left with one group, and that may fail */
    return w->blocks.n > 1 ? kan_mdav_groups_keep_promise(&w->groups, w->scale) : KAN_OK;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* What rows may be moved for, after all: numbers, and groups of which the size decides. */
static kan_status check_improve(const kan_mdav_scale *scale, double seconds) {
    const kan_partition_space *space = scale->space;
    if (seconds <= 0)
        return KAN_OK;
    if (scale->n_categories > 0)
        return kan_fail(space->run, KAN_BAD_INPUT,
                        "--improve: with --algorithm mdav it lowers the sum of squares of numbers "
                        "and dates, and column '%s' is text; leave --improve out, or use "
                        "--algorithm iterate",
                        space->dimensions[scale->categories[0].dimension].domain->column->name);
    if (space->owners.problem || !space->question->promise->size_decides)
        return kan_fail(space->run, KAN_BAD_INPUT,
                        "--improve: with --algorithm mdav rows change places between groups of k, "
                        "and %s may break then; leave --improve out, or promise k alone",
                        space->owners.problem ? "what is promised of people (--person)"
                                              : "another promise than k");
    return KAN_OK;
}

static kan_status improve(aggregating *w, double seconds) {
    if (seconds <= 0 || w->space->least_size < 2 || w->groups.n == 0)
        return KAN_OK;
    return kan_mdav_improve(w->scale, kan_now_ms() + 1000 * seconds, UINT64_MAX, &w->groups);
}

static kan_status search_scaled(kan_partition_space *space, const kan_mdav_scale *scale,
                                kan_answer *out) {
    aggregating w = {.space = space, .scale = scale, .groups = {.run = space->run}};
    const double seconds = kan_options_real(space->question->options, "improve", 0);
    bool holds;
    kan_status status;
    KAN_TRY(check_improve(scale, seconds));
    KAN_TRY(kan_micro_whole_holds(space, &holds));
    if (!holds)
        return KAN_OK;
    KAN_TRY_DONE(aggregate_all(&w));
    KAN_TRY_DONE(improve(&w, seconds));
    KAN_TRY_DONE(kan_micro_answer(space, &w.groups, out));
done:
    for (size_t b = 0; w.made && b < w.blocks.n; b++)
        kan_mdav_groups_destroy(&w.made[b]);
    kan_free(space->run, w.made);
    kan_mdav_groups_destroy(&w.groups);
    if (w.blocks.run)
        kan_mdav_blocks_destroy(&w.blocks);
    return status;
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    kan_partition_space space;
    kan_mdav_scale scale;
    memset(out, 0, sizeof *out);
    kan_status status = kan_partition_space_make(run, question, true, &space);
    if (status == KAN_OK)
        status = kan_micro_adapt(&space, kan_search_mdav.kind.name);
    if (status == KAN_OK) {
        status = kan_mdav_scale_make(&space, &scale);
        if (status == KAN_OK)
            status = search_scaled(&space, &scale, out);
        kan_mdav_scale_destroy(&scale);
    }
    kan_partition_space_destroy(&space);
    return status;
}

static const kan_option_spec options[] = {
    KAN_PARTITION_SUMMARY_OPTION,
    {.name = "improve",
     .argument = "SECONDS",
     .summary = "afterwards, rows change places between groups as long as that lowers the sum of "
                "squares of standardized columns, whatever --cost is; for numbers, and k alone",
     .type = KAN_OPTION_REAL,
     .traits = KAN_TRAIT_SHOWN,
     .least = 0,
     .most = 1e6},
    {.name = "modes",
     .summary = "show text as the most common value of the group (of several, the first by bytes; "
                "unknown values do not count), which not all of its rows have, instead of the "
                "lowest node that covers them",
     .type = KAN_OPTION_SWITCH,
     .traits = KAN_TRAIT_SHOWN}};

const kan_search_kind kan_search_mdav = {
    .kind = {.name = "mdav",
             .summary = "groups the k nearest rows each time, from the outermost inwards",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Domingo-Ferrer, Torra 2005",
             .is_everyday = true},
    .models = {&kan_model_microaggregation},
    .costs = &kan_partition_costs,
    .regions = true,
    .counts_people = true,
    .divides = true,
    .search = search,
};
