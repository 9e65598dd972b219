/* Rows, groups, and rows that are near each other. See mdav_anneal.h. */
#include <string.h>

#include "search/microaggregate/mdav_anneal.h"

/* Near ones are looked for among so many tuples. */
enum { NEIGHBOURHOOD = 4096 };

/* ---- rows ------------------------------------------------------------------------------------ */

static kan_status make_rows(kan_mdav_crowd *crowd) {
    const kan_partition_space *space = crowd->scale->space;
    uint32_t row = 0;
    KAN_TRY(kan_alloc(crowd->run, space->n_records + 1, sizeof *crowd->first, &crowd->first));
    KAN_TRY(kan_alloc(crowd->run, crowd->n_rows, sizeof *crowd->tuple, &crowd->tuple));
    KAN_TRY(kan_alloc(crowd->run, (size_t)crowd->n_rows * crowd->d, sizeof *crowd->at, &crowd->at));
    for (uint32_t t = 0; t < space->n_records; t++) {
        const uint32_t n = (uint32_t)kan_partition_rows(kan_partition_record(space, t));
        crowd->first[t] = row;
        for (uint32_t i = 0; i < n; i++, row++) {
            crowd->tuple[row] = t;
            for (unsigned c = 0; c < crowd->d; c++)
                crowd->at[(size_t)row * crowd->d + c] =
                    (int64_t)crowd->scale->coordinates[c].at[kan_mdav_place(
                        crowd->scale, t, crowd->scale->coordinates[c].dimension)];
        }
    }
    crowd->first[space->n_records] = row;
    return KAN_OK;
}

static kan_status make_groups(kan_mdav_crowd *crowd) {
    const size_t room = crowd->n_room;
    KAN_TRY(kan_alloc(crowd->run, crowd->n_rows, sizeof *crowd->group, &crowd->group));
    KAN_TRY(kan_alloc(crowd->run, crowd->n_rows, sizeof *crowd->place, &crowd->place));
    KAN_TRY(kan_alloc_zero(crowd->run, room, sizeof *crowd->size, &crowd->size));
    KAN_TRY(kan_alloc(crowd->run, room * crowd->most, sizeof *crowd->member, &crowd->member));
    KAN_TRY(kan_alloc(crowd->run, crowd->most, sizeof *crowd->rows, &crowd->rows));
    KAN_TRY(kan_alloc(crowd->run, crowd->most, sizeof *crowd->from, &crowd->from));
    return kan_alloc_zero(crowd->run, room * crowd->d, sizeof *crowd->sum, &crowd->sum);
}

static kan_status make_blocks(kan_mdav_crowd *crowd) {
    const size_t n = crowd->scale->space->n_records;
    KAN_TRY(kan_mdav_blocks_make(crowd->scale, NEIGHBOURHOOD, &crowd->blocks));
    KAN_TRY(kan_alloc_zero(crowd->run, n, sizeof *crowd->near, &crowd->near));
    KAN_TRY(kan_alloc(crowd->run, n, sizeof *crowd->block_of, &crowd->block_of));
    for (uint32_t b = 0; b < crowd->blocks.n; b++)
        for (size_t i = crowd->blocks.start[b]; i < crowd->blocks.start[b + 1]; i++)
            crowd->block_of[crowd->blocks.tuples[i]] = b;
    return KAN_OK;
}

static kan_status place_groups(kan_mdav_crowd *crowd, const kan_mdav_groups *groups) {
    uint32_t *group_of, *next;
    const size_t n_tuples = crowd->scale->space->n_records;
    KAN_TRY(kan_alloc(crowd->run, n_tuples, sizeof *next, &next));
    const kan_status status = kan_alloc(crowd->run, crowd->n_rows, sizeof *group_of, &group_of);
    if (status == KAN_OK) {
        memcpy(next, crowd->first, n_tuples * sizeof *next);
        for (uint32_t g = 0; g < groups->n; g++)
            for (size_t i = 0; i < groups->groups[g].n; i++)
                for (uint64_t r = 0; r < groups->groups[g].members[i].n_rows; r++)
                    group_of[next[groups->groups[g].members[i].tuple]++] = g;
        kan_mdav_crowd_place(crowd, group_of, (uint32_t)groups->n);
        kan_free(crowd->run, group_of);
    }
    kan_free(crowd->run, next);
    return status;
}

kan_status kan_mdav_crowd_make(const kan_mdav_scale *scale, const kan_mdav_groups *groups,
                               kan_mdav_crowd *out) {
    const kan_partition_space *space = scale->space;
    uint64_t n_rows = 0;
    for (size_t g = 0; g < groups->n; g++)
        n_rows += groups->groups[g].n_rows;
    *out = (kan_mdav_crowd){.run = space->run,
                            .scale = scale,
                            .d = scale->n_coordinates,
                            .n_rows = (uint32_t)n_rows,
                            .k = (uint32_t)space->least_size,
                            .most = 2 * (uint32_t)space->least_size - 1};
    out->n_room = out->n_rows / out->k + 1;
    kan_arena_init(&out->arena, space->run);
    KAN_TRY(make_rows(out));
    KAN_TRY(make_groups(out));
    KAN_TRY(make_blocks(out));
    return place_groups(out, groups);
}

void kan_mdav_crowd_destroy(kan_mdav_crowd *crowd) {
    kan_free(crowd->run, crowd->at);
    kan_free(crowd->run, crowd->tuple);
    kan_free(crowd->run, crowd->first);
    kan_free(crowd->run, crowd->group);
    kan_free(crowd->run, crowd->place);
    kan_free(crowd->run, crowd->size);
    kan_free(crowd->run, crowd->member);
    kan_free(crowd->run, crowd->sum);
    kan_free(crowd->run, crowd->near);
    kan_free(crowd->run, crowd->block_of);
    kan_free(crowd->run, crowd->rows);
    kan_free(crowd->run, crowd->from);
    if (crowd->blocks.run)
        kan_mdav_blocks_destroy(&crowd->blocks);
    kan_arena_destroy(&crowd->arena);
}

/* ---- groups ---------------------------------------------------------------------------------- */

void kan_mdav_crowd_put(kan_mdav_crowd *crowd, uint32_t row, uint32_t group) {
    int64_t *sum = crowd->sum + (size_t)group * crowd->d;
    const int64_t *at = crowd->at + (size_t)row * crowd->d;
    KAN_ASSERT(crowd->size[group] < crowd->most);
    crowd->group[row] = group;
    crowd->place[row] = crowd->size[group]++;
    crowd->member[(size_t)group * crowd->most + crowd->place[row]] = row;
    for (unsigned c = 0; c < crowd->d; c++)
        sum[c] += at[c];
}

void kan_mdav_crowd_take(kan_mdav_crowd *crowd, uint32_t row) {
    const uint32_t group = crowd->group[row];
    uint32_t *member = crowd->member + (size_t)group * crowd->most;
    int64_t *sum = crowd->sum + (size_t)group * crowd->d;
    const int64_t *at = crowd->at + (size_t)row * crowd->d;
    const uint32_t last = member[--crowd->size[group]];
    member[crowd->place[row]] = last;
    crowd->place[last] = crowd->place[row];
    for (unsigned c = 0; c < crowd->d; c++)
        sum[c] -= at[c];
}

void kan_mdav_crowd_place(kan_mdav_crowd *crowd, const uint32_t *group_of, uint32_t n_groups) {
    memset(crowd->size, 0, crowd->n_room * sizeof *crowd->size);
    memset(crowd->sum, 0, (size_t)crowd->n_room * crowd->d * sizeof *crowd->sum);
    crowd->n_groups = n_groups;
    for (uint32_t row = 0; row < crowd->n_rows; row++)
        kan_mdav_crowd_put(crowd, row, group_of[row]);
}

double kan_mdav_crowd_distance(const kan_mdav_crowd *crowd, uint32_t row, uint32_t group) {
    const int64_t *sum = crowd->sum + (size_t)group * crowd->d;
    const int64_t *at = crowd->at + (size_t)row * crowd->d;
    const double share = 1 / (double)crowd->size[group];
    double squares = 0;
    for (unsigned c = 0; c < crowd->d; c++) {
        const double apart = (double)at[c] - (double)sum[c] * share;
        squares += apart * apart;
    }
    return squares;
}

double kan_mdav_crowd_squares(const kan_mdav_crowd *crowd) {
    double squares = 0;
    for (uint32_t row = 0; row < crowd->n_rows; row++)
        squares += kan_mdav_crowd_distance(crowd, row, crowd->group[row]);
    return squares;
}

/* Rows are in the order of tuples, so that those of a group are gathered tuple by tuple. */
kan_status kan_mdav_crowd_groups(const kan_mdav_crowd *crowd, kan_mdav_groups *out) {
    for (uint32_t g = 0; g < crowd->n_groups; g++) {
        size_t unused;
        KAN_TRY(kan_mdav_groups_add(out, &unused));
    }
    for (uint32_t row = 0; row < crowd->n_rows; row++) {
        kan_mdav_group *group = &out->groups[crowd->group[row]];
        if (group->n > 0 && group->members[group->n - 1].tuple == crowd->tuple[row]) {
            group->members[group->n - 1].n_rows++;
            group->n_rows++;
        } else
            KAN_TRY(kan_mdav_group_add(out, crowd->group[row], crowd->tuple[row], 1));
    }
    return KAN_OK;
}

/* ---- near ones ------------------------------------------------------------------------------- */

static double between(const kan_mdav_crowd *crowd, uint32_t a, uint32_t b) {
    const int64_t *x = crowd->at + (size_t)crowd->first[a] * crowd->d;
    const int64_t *y = crowd->at + (size_t)crowd->first[b] * crowd->d;
    double squares = 0;
    for (unsigned c = 0; c < crowd->d; c++)
        squares += (double)(x[c] - y[c]) * (double)(x[c] - y[c]);
    return squares;
}

/* Keeps the nearest in order; of equal ones the first. */
static void offer(kan_mdav_near *near, double *distance, uint32_t tuple, double apart) {
    uint32_t i = near->n;
    if (near->n == KAN_MDAV_NEAR && apart >= distance[near->n - 1])
        return;
    if (near->n < KAN_MDAV_NEAR)
        near->n++;
    else
        i--;
    for (; i > 0 && distance[i - 1] > apart; i--) {
        distance[i] = distance[i - 1];
        near->tuple[i] = near->tuple[i - 1];
    }
    distance[i] = apart;
    near->tuple[i] = tuple;
}

kan_status kan_mdav_crowd_near(kan_mdav_crowd *crowd, uint32_t tuple, const kan_mdav_near **out) {
    const kan_mdav_blocks *blocks = &crowd->blocks;
    const uint32_t block = crowd->block_of[tuple];
    double distance[KAN_MDAV_NEAR];
    if (!crowd->near[tuple]) {
        kan_mdav_near *near;
        KAN_TRY(kan_arena_alloc(&crowd->arena, 1, sizeof *near, &near));
        near->n = 0;
        for (size_t i = blocks->start[block]; i < blocks->start[block + 1]; i++)
            if (blocks->tuples[i] != tuple)
                offer(near, distance, blocks->tuples[i], between(crowd, tuple, blocks->tuples[i]));
        crowd->near[tuple] = near;
    }
    *out = crowd->near[tuple];
    return KAN_OK;
}
