/* Groups of rows. One that breaks the promise is joined with the nearest, by the means of numbers
 * and by the node that would cover the categories of both; the first such group first. Each time
 * all groups are looked at, so that it takes groups times those that fail. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/microaggregate/mdav_inside.h"

void kan_mdav_groups_destroy(kan_mdav_groups *groups) {
    for (size_t g = 0; g < groups->n; g++)
        kan_free(groups->run, groups->groups[g].members);
    kan_free(groups->run, groups->groups);
}

kan_status kan_mdav_groups_add(kan_mdav_groups *groups, size_t *out) {
    KAN_TRY(kan_reserve(groups->run, groups->n + 1, sizeof *groups->groups, &groups->room,
                        &groups->groups));
    groups->groups[groups->n] = (kan_mdav_group){.n = 0};
    *out = groups->n++;
    return KAN_OK;
}

kan_status kan_mdav_group_add(kan_mdav_groups *groups, size_t g, uint32_t tuple, uint64_t n_rows) {
    kan_mdav_group *group = &groups->groups[g];
    KAN_TRY(kan_reserve(groups->run, group->n + 1, sizeof *group->members, &group->room,
                        &group->members));
    group->members[group->n++] = (kan_mdav_member){tuple, n_rows};
    group->n_rows += n_rows;
    return KAN_OK;
}

kan_status kan_mdav_groups_take(kan_mdav_groups *groups, kan_mdav_groups *other) {
    KAN_TRY(kan_reserve(groups->run, groups->n + other->n, sizeof *groups->groups, &groups->room,
                        &groups->groups));
    if (other->n > 0)
        memcpy(groups->groups + groups->n, other->groups, other->n * sizeof *other->groups);
    groups->n += other->n;
    other->n = 0;
    return KAN_OK;
}

static int compare_members(const void *a, const void *b) {
    const uint32_t x = ((const kan_mdav_member *)a)->tuple, y = ((const kan_mdav_member *)b)->tuple;
    return x < y ? -1 : x > y;
}

/* All rows of `from` go to `to`; rows of one tuple are one member. */
static kan_status join(kan_mdav_groups *groups, size_t to, size_t from) {
    kan_mdav_group *source = &groups->groups[from], *target = &groups->groups[to];
    size_t n = 0;
    for (size_t i = 0; i < source->n; i++)
        KAN_TRY(
            kan_mdav_group_add(groups, to, source->members[i].tuple, source->members[i].n_rows));
    kan_free(groups->run, source->members);
    *source = (kan_mdav_group){.n = 0};
    qsort(target->members, target->n, sizeof *target->members, compare_members);
    for (size_t i = 0; i < target->n; i++)
        if (n > 0 && target->members[n - 1].tuple == target->members[i].tuple)
            target->members[n - 1].n_rows += target->members[i].n_rows;
        else
            target->members[n++] = target->members[i];
    target->n = n;
    return KAN_OK;
}

/* ---- the promise ----------------------------------------------------------------------------- */

typedef struct {
    const kan_partition_space *space;
    struct {
        uint64_t *dense; /* by value; all 0 between calls */
        uint32_t *value;
        uint64_t *rows;
    } tails[KAN_MAX_TAILS];
    /* Where people are counted: */
    kan_piles piles;
    uint32_t *tuples; /* of a group, as the base numbers them */
    size_t tuple_room;
} tallying;

static kan_status tallying_make(const kan_partition_space *space, tallying *out) {
    *out = (tallying){.space = space};
    if (space->owners.problem)
        return kan_piles_make(&space->owners, &out->piles);
    for (unsigned t = 0; t < space->n_tails; t++) {
        const size_t n = space->n_values[t];
        KAN_TRY(kan_alloc_zero(space->run, n, sizeof(uint64_t), &out->tails[t].dense));
        KAN_TRY(kan_alloc(space->run, n, sizeof(uint32_t), &out->tails[t].value));
        KAN_TRY(kan_alloc(space->run, n, sizeof(uint64_t), &out->tails[t].rows));
    }
    return KAN_OK;
}

static void tallying_destroy(tallying *w) {
    kan_piles_destroy(&w->piles);
    kan_free(w->space->run, w->tuples);
    for (unsigned t = 0; t < w->space->n_tails; t++) {
        kan_free(w->space->run, w->tails[t].dense);
        kan_free(w->space->run, w->tails[t].value);
        kan_free(w->space->run, w->tails[t].rows);
    }
}

static int compare_values(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static size_t tally(tallying *w, const kan_mdav_group *group, unsigned t) {
    const kan_partition_space *space = w->space;
    size_t n = 0;
    for (size_t i = 0; i < group->n; i++) {
        const uint32_t value =
            kan_partition_lane(kan_partition_record(space, group->members[i].tuple), space->is_wide,
                               space->n_dimensions + t);
        if (w->tails[t].dense[value] == 0)
            w->tails[t].value[n++] = value;
        w->tails[t].dense[value] += group->members[i].n_rows;
    }
    qsort(w->tails[t].value, n, sizeof *w->tails[t].value, compare_values);
    for (size_t i = 0; i < n; i++) {
        w->tails[t].rows[i] = w->tails[t].dense[w->tails[t].value[i]];
        w->tails[t].dense[w->tails[t].value[i]] = 0;
    }
    return n;
}

static kan_status count_people(tallying *w, const kan_mdav_group *group, kan_groups *out) {
    const size_t start[2] = {0, group->n};
    KAN_TRY(kan_reserve(w->space->run, group->n, sizeof *w->tuples, &w->tuple_room, &w->tuples));
    for (size_t i = 0; i < group->n; i++)
        w->tuples[i] = kan_partition_tuple(kan_partition_record(w->space, group->members[i].tuple));
    return kan_piles_count(&w->piles, w->tuples, start, 1, out);
}

/* The same of people. */
static kan_status people_pass(tallying *w, const kan_mdav_group *group, bool *out) {
    kan_groups groups;
    uint8_t ok = 1;
    KAN_TRY(count_people(w, group, &groups));
    kan_promise_check_some(w->space->question->promise, &groups, 0, 1, &ok);
    *out = ok;
    return KAN_OK;
}

static bool rows_pass(tallying *w, const kan_mdav_group *group) {
    const kan_promise *promise = w->space->question->promise;
    size_t start[KAN_MAX_TAILS][2];
    kan_tally views[KAN_MAX_TAILS];
    uint8_t ok = 1;
    for (unsigned t = 0; t < w->space->n_tails; t++) {
        start[t][0] = 0;
        start[t][1] = tally(w, group, t);
        views[t] = (kan_tally){start[t], w->tails[t].value, w->tails[t].rows};
    }
    const kan_groups groups = {.n_groups = 1,
                               .n_rows = w->space->question->problem->n_rows,
                               .count = &group->n_rows,
                               .tallies = views};
    kan_promise_check_some(promise, &groups, 0, 1, &ok);
    return ok && group->n_rows >= promise->least_size;
}

static kan_status passes(tallying *w, const kan_mdav_group *group, bool *out) {
    if (w->piles.owners)
        return people_pass(w, group, out);
    *out = rows_pass(w, group);
    return KAN_OK;
}

/* ---- the nearest group ----------------------------------------------------------------------- */

/* Where groups are: means of coordinates; the least and the greatest place of categories. */
typedef struct {
    const kan_mdav_scale *scale;
    double *mean;         /* [group * coordinates + coordinate] */
    uint32_t *low, *high; /* [group * categories + category] */
} map;

static void locate(map *m, const kan_mdav_group *group, size_t g) {
    const kan_mdav_scale *scale = m->scale;
    for (unsigned c = 0; c < scale->n_coordinates; c++) {
        double sum = 0;
        for (size_t i = 0; i < group->n; i++)
            sum += (double)group->members[i].n_rows *
                   scale->coordinates[c].at[kan_mdav_place(scale, group->members[i].tuple,
                                                           scale->coordinates[c].dimension)];
        m->mean[g * scale->n_coordinates + c] = round(sum / (double)group->n_rows);
    }
    for (unsigned i = 0; i < scale->n_categories; i++) {
        uint32_t *low = &m->low[g * scale->n_categories + i],
                 *high = &m->high[g * scale->n_categories + i];
        *low = UINT32_MAX;
        *high = 0;
        for (size_t j = 0; j < group->n; j++) {
            const uint32_t place =
                kan_mdav_place(scale, group->members[j].tuple, scale->categories[i].dimension);
            *low = place < *low ? place : *low;
            *high = place > *high ? place : *high;
        }
    }
}

static double distance_of(const map *m, size_t a, size_t b) {
    const kan_mdav_scale *scale = m->scale;
    double distance = 0;
    for (unsigned c = 0; c < scale->n_coordinates; c++) {
        const double apart =
            m->mean[a * scale->n_coordinates + c] - m->mean[b * scale->n_coordinates + c];
        distance += apart * apart;
    }
    for (unsigned i = 0; i < scale->n_categories; i++) {
        const kan_partition_dimension *dimension =
            &scale->space->dimensions[scale->categories[i].dimension];
        const size_t x = a * scale->n_categories + i, y = b * scale->n_categories + i;
        const uint32_t low = m->low[x] < m->low[y] ? m->low[x] : m->low[y];
        const uint32_t high = m->high[x] > m->high[y] ? m->high[x] : m->high[y];
        const unsigned level = kan_partition_cover(dimension, low, high);
        if (level > 0)
            distance += round((double)level / dimension->hierarchy->height *
                              scale->categories[i].weight * KAN_MDAV_UNIT * KAN_MDAV_UNIT);
    }
    return distance;
}

/* SIZE_MAX where there is no other. */
static size_t find_nearest(const map *m, const kan_mdav_groups *groups, size_t g) {
    size_t best = SIZE_MAX;
    double least = HUGE_VAL;
    for (size_t other = 0; other < groups->n; other++) {
        if (other == g || groups->groups[other].n_rows == 0)
            continue;
        const double distance = distance_of(m, g, other);
        if (distance < least) {
            least = distance;
            best = other;
        }
    }
    return best;
}

/* ---- joining --------------------------------------------------------------------------------- */

static kan_status join_failing(kan_mdav_groups *groups, tallying *w, map *m) {
    for (size_t g = 0; g < groups->n; g++)
        locate(m, &groups->groups[g], g);
    for (size_t g = 0; g < groups->n; g++) {
        KAN_TRY(kan_check_cancel(groups->run));
        bool holds = groups->groups[g].n_rows == 0;
        if (!holds)
            KAN_TRY(passes(w, &groups->groups[g], &holds));
        while (!holds) {
            const size_t other = find_nearest(m, groups, g);
            if (other == SIZE_MAX)
                return KAN_OK;
            KAN_TRY(join(groups, g, other));
            locate(m, &groups->groups[g], g);
            KAN_TRY(passes(w, &groups->groups[g], &holds));
        }
    }
    return KAN_OK;
}

static void drop_joined(kan_mdav_groups *groups) {
    size_t n = 0;
    for (size_t g = 0; g < groups->n; g++)
        if (groups->groups[g].n_rows > 0)
            groups->groups[n++] = groups->groups[g];
    groups->n = n;
}

kan_status kan_mdav_groups_keep_promise(kan_mdav_groups *groups, const kan_mdav_scale *scale) {
    const kan_partition_space *space = scale->space;
    kan_run *run = space->run;
    tallying w;
    map m = {.scale = scale};
    kan_status status;
    if (space->question->promise->size_decides)
        return KAN_OK;
    KAN_TRY_DONE(tallying_make(space, &w));
    KAN_TRY_DONE(kan_alloc(run, groups->n * scale->n_coordinates, sizeof *m.mean, &m.mean));
    KAN_TRY_DONE(kan_alloc(run, groups->n * scale->n_categories, sizeof *m.low, &m.low));
    KAN_TRY_DONE(kan_alloc(run, groups->n * scale->n_categories, sizeof *m.high, &m.high));
    KAN_TRY_DONE(join_failing(groups, &w, &m));
    drop_joined(groups);
done:
    tallying_destroy(&w);
    kan_free(run, m.mean);
    kan_free(run, m.low);
    kan_free(run, m.high);
    return status;
}
