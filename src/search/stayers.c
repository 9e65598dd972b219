/* Who stays: see stayers.h. */
#include "search/stayers.h"

#include <string.h>

#define NO_TUPLE UINT32_MAX
#define GONE     UINT32_MAX

bool kan_stayers_fit(const kan_problem *problem, const kan_promise *promise) {
    return problem->has_person && promise->people_decide && !promise->histories &&
           problem->base.n <= KAN_MOST_GROUPED_TUPLES;
}

/* Every group has a value: one alone need not be looked for. */
static kan_status find_tails(kan_stayers *s) {
    const kan_space *space = &s->problem->space;
    for (unsigned t = 0; t < space->n_tails; t++) {
        if (s->promise->least_values[t] <= 1)
            continue;
        const unsigned i = s->n_tails++;
        KAN_ASSERT(s->crowd->values[t] != NULL);
        s->tails[i] = t;
        KAN_TRY(kan_alloc_zero(s->problem->run,
                               kan_dimension_groups(&space->dimensions[space->n_attributes + t], 0),
                               sizeof *s->met_values[i], &s->met_values[i]));
    }
    return KAN_OK;
}

kan_status kan_stayers_init(kan_stayers *stayers, const kan_problem *problem,
                            const kan_promise *promise, const kan_crowd *crowd) {
    *stayers = (kan_stayers){.problem = problem, .promise = promise, .crowd = crowd};
    kan_tuple_groups_init(&stayers->groups, &problem->space);
    stayers->limit_rows = promise->limit;
    if (promise->by_person)
        KAN_TRY(kan_crowd_rows_of(crowd, promise->limit, &stayers->limit_rows));
    KAN_TRY(find_tails(stayers));
    KAN_TRY(kan_alloc(problem->run, crowd->n_people, sizeof *stayers->gone, &stayers->gone));
    return kan_alloc_zero(problem->run, crowd->n_people, sizeof *stayers->met, &stayers->met);
}

void kan_stayers_destroy(kan_stayers *stayers) {
    if (!stayers->problem)
        return;
    kan_run *run = stayers->problem->run;
    kan_tuple_groups_destroy(&stayers->groups);
    kan_free(run, stayers->left);
    kan_free(run, stayers->first);
    kan_free(run, stayers->is_open);
    kan_free(run, stayers->open);
    kan_free(run, stayers->next);
    kan_free(run, stayers->met);
    kan_free(run, stayers->gone);
    for (unsigned i = 0; i < stayers->n_tails; i++)
        kan_free(run, stayers->met_values[i]);
    *stayers = (kan_stayers){.problem = NULL};
}

/* ---- the node ------------------------------------------------------------------------------- */

static kan_status reserve(kan_stayers *s, size_t n_groups, size_t n_tuples) {
    kan_run *run = s->problem->run;
    KAN_TRY(kan_reserve(run, n_groups, sizeof *s->left, &s->left_room, &s->left));
    KAN_TRY(kan_reserve(run, n_groups, sizeof *s->first, &s->first_room, &s->first));
    KAN_TRY(kan_reserve(run, n_groups, 1, &s->flag_room, &s->is_open));
    KAN_TRY(kan_reserve(run, n_groups, sizeof *s->open, &s->open_room, &s->open));
    return kan_reserve(run, n_tuples, sizeof *s->next, &s->next_room, &s->next);
}

/* Everybody is there, and all groups are open. */
static kan_status begin(kan_stayers *s, const unsigned *levels) {
    const kan_freqset *tuples = &s->crowd->tuples;
    for (size_t i = 0; i < s->n_gone; i++)
        s->met[s->gone[i]] = 0;
    s->n_gone = 0;
    s->n_rows_gone = 0;
    KAN_TRY(kan_tuple_groups_find(&s->groups, tuples, levels));
    const size_t n = s->n_groups = s->n_open = s->groups.n;
    KAN_TRY(reserve(s, n, tuples->n));
    memset(s->left, 0, n * sizeof *s->left);
    memset(s->first, 0xff, n * sizeof *s->first); /* NO_TUPLE */
    memset(s->is_open, 1, n);
    for (size_t g = 0; g < n; g++)
        s->open[g] = (uint32_t)g;
    for (size_t t = 0; t < tuples->n; t++) {
        const uint32_t g = s->groups.group_of[t];
        s->left[g] += tuples->counts[t];
        s->next[t] = s->first[g];
        s->first[g] = (uint32_t)t;
    }
    return KAN_OK;
}

/* A look at a group begins: nobody was met, and no value. */
static void begin_look(kan_stayers *s) {
    const kan_space *space = &s->problem->space;
    if (++s->n_looks < GONE)
        return;
    for (size_t p = 0; p < s->crowd->n_people; p++)
        s->met[p] = s->met[p] == GONE ? GONE : 0;
    for (unsigned i = 0; i < s->n_tails; i++)
        memset(s->met_values[i], 0,
               kan_dimension_groups(&space->dimensions[space->n_attributes + s->tails[i]], 0) *
                   sizeof *s->met_values[i]);
    s->n_looks = 1;
}

/* What a look still wants of a group: so many people, and so many values of each tail. */
typedef struct {
    uint64_t people, values[KAN_MAX_TAILS];
    unsigned n_open; /* of these, how many are not 0 */
} lacking;

/* An entry of somebody who is there. Returns whether it was the last that was wanting. */
static bool meet(kan_stayers *s, size_t entry, uint32_t *met, lacking *lack) {
    if (*met != s->n_looks) {
        *met = s->n_looks;
        lack->n_open -= lack->people == 1;
        lack->people -= lack->people > 0;
    }
    for (unsigned i = 0; i < s->n_tails; i++) {
        uint32_t *met_value = &s->met_values[i][s->crowd->values[s->tails[i]][entry]];
        if (*met_value == s->n_looks)
            continue;
        *met_value = s->n_looks;
        lack->n_open -= lack->values[i] == 1;
        lack->values[i] -= lack->values[i] > 0;
    }
    return lack->n_open == 0;
}

/* Whether k people of the group are there, and as many values as are wanted. */
static bool has_enough(kan_stayers *s, uint32_t group) {
    const kan_crowd *crowd = s->crowd;
    lacking lack = {.people = s->promise->k, .n_open = 1 + s->n_tails};
    if (s->left[group] < s->promise->least_size)
        return false;
    for (unsigned i = 0; i < s->n_tails; i++)
        lack.values[i] = s->promise->least_values[s->tails[i]];
    begin_look(s);
    for (uint32_t t = s->first[group]; t != NO_TUPLE; t = s->next[t])
        for (size_t i = crowd->of_tuple[t]; i < crowd->of_tuple[t + 1]; i++) {
            uint32_t *met = &s->met[crowd->people[i]];
            if (*met != GONE && meet(s, i, met, &lack))
                return true;
        }
    return false;
}

/* ---- who leaves ----------------------------------------------------------------------------- */

/* Her rows leave, and groups that they were in are open again. */
static void take_away(kan_stayers *s, uint32_t person) {
    const kan_crowd *crowd = s->crowd;
    s->met[person] = GONE;
    s->gone[s->n_gone++] = person;
    for (size_t i = crowd->of_person[person]; i < crowd->of_person[person + 1]; i++) {
        const uint32_t g = s->groups.group_of[crowd->tuple[i]];
        s->left[g] -= crowd->rows[i];
        s->n_rows_gone += crowd->rows[i];
        if (!s->is_open[g] && s->left[g] > 0) {
            s->is_open[g] = 1;
            s->open[s->n_open++] = g;
        }
    }
}

static void take_people(kan_stayers *s, uint32_t group, uint64_t enough) {
    const kan_crowd *crowd = s->crowd;
    for (uint32_t t = s->first[group]; t != NO_TUPLE; t = s->next[t])
        for (size_t i = crowd->of_tuple[t]; i < crowd->of_tuple[t + 1] && s->n_gone <= enough; i++)
            if (s->met[crowd->people[i]] != GONE)
                take_away(s, crowd->people[i]);
}

/* Who stays is the same in whatever order groups are looked at: the greatest good set, see
 * leavers.h. */
static uint64_t find_gone(kan_stayers *s, uint64_t enough) {
    while (s->n_open > 0 && s->n_gone <= enough) {
        const uint32_t g = s->open[--s->n_open];
        if (s->left[g] > 0 && !has_enough(s, g))
            take_people(s, g, enough);
        s->is_open[g] = 0;
    }
    return s->n_gone;
}

static uint64_t find_failing(kan_stayers *s, uint64_t enough) {
    while (s->n_open > 0 && s->n_rows_gone <= enough) {
        const uint32_t g = s->open[--s->n_open];
        if (has_enough(s, g))
            continue;
        s->n_rows_gone += s->left[g];
        s->left[g] = 0;
    }
    return s->n_rows_gone;
}

/* ---- the check ------------------------------------------------------------------------------ */

/* Every group that is released above has least_size rows. So it contains one that has as many here,
 * or as many rows of the others; and what is left out is one class more. */
static void set_bounds(kan_groups *groups, size_t n_large, uint64_t small_rows, uint64_t enough) {
    groups->n_left_out = enough + 1;
    groups->n_suppressed = small_rows;
    groups->n_released_groups = n_large + 1;
}

kan_status kan_stayers_check(kan_stayers *s, uint64_t enough, kan_groups *groups) {
    const uint64_t least_size = s->promise->least_size;
    uint64_t small_rows = 0, least = UINT64_MAX;
    size_t n_large = 0;
    KAN_ASSERT(kan_groups_is_fresh(groups));
    s->edition++;
    kan_groups_borrow(groups, &s->edition);
    for (size_t g = 0; g < groups->n_groups; g++) {
        const uint64_t size = groups->count[g];
        small_rows += size < least_size ? size : 0;
        n_large += size >= least_size;
        least = size < least ? size : least;
    }
    groups->is_released = NULL;
    groups->n_released_groups = groups->n_groups;
    groups->n_suppressed = groups->n_left_out = 0;
    s->all_stay = s->n_tails == 0 && (least - 1) / s->crowd->most_rows >= s->promise->k - 1;
    if (s->all_stay)
        return KAN_OK;
    if (enough == s->promise->limit && small_rows > s->limit_rows) {
        set_bounds(groups, n_large, small_rows, enough);
        return KAN_OK;
    }
    KAN_TRY(kan_check_cancel(s->problem->run));
    KAN_TRY(begin(s, groups->levels));
    KAN_ASSERT(s->n_groups == groups->n_groups);
    groups->n_left_out = s->promise->by_person ? find_gone(s, enough) : find_failing(s, enough);
    if (groups->n_left_out > enough) {
        set_bounds(groups, n_large, small_rows, enough);
        return KAN_OK;
    }
    groups->n_suppressed = s->n_rows_gone;
    groups->n_released_groups = 0;
    for (size_t g = 0; g < s->n_groups; g++)
        groups->n_released_groups += s->left[g] > 0;
    return KAN_OK;
}

/* ---- what stays ----------------------------------------------------------------------------- */

static void add_share(kan_stayers *s, const kan_groups *groups, size_t tuple, uint64_t rows) {
    const kan_freqset *tuples = &s->crowd->tuples;
    const kan_layout *layout = &tuples->layout;
    for (unsigned f = 0; f < layout->n_fields; f++) {
        const kan_key_field *field = &layout->fields[f];
        const kan_dimension *dimension = &s->problem->space.dimensions[field->dimension];
        const unsigned level = groups->levels[field->dimension];
        uint32_t group = kan_key_field_value(field, tuples->keys + tuple * layout->n_words);
        if (level > field->level)
            group = dimension->maps[field->level * (dimension->height + 1) + level][group];
        s->loss[field->dimension].share -=
            (kan_u128)s->problem->shares[field->dimension][level][group] * rows;
    }
}

/* The sums over all rows, less what those that leave have of them. */
static void sum_loss(kan_stayers *s, const kan_groups *groups) {
    const kan_crowd *crowd = s->crowd;
    for (unsigned a = 0; a < s->problem->space.n_attributes; a++)
        s->loss[a] = (kan_cell_loss){.levels = (kan_u128)(groups->n_rows - groups->n_suppressed) *
                                               groups->levels[a],
                                     .share = s->problem->share_sums[a][groups->levels[a]]};
    if (groups->n_suppressed == 0)
        return;
    for (size_t p = 0; p < s->n_gone; p++)
        for (size_t i = crowd->of_person[s->gone[p]]; i < crowd->of_person[s->gone[p] + 1]; i++)
            add_share(s, groups, crowd->tuple[i], crowd->rows[i]);
    for (size_t t = 0; t < crowd->tuples.n && !s->promise->by_person; t++)
        if (s->left[s->groups.group_of[t]] == 0)
            add_share(s, groups, t, crowd->tuples.counts[t]);
}

void kan_stayers_keep(kan_stayers *s, bool needs_loss, kan_groups *groups) {
    KAN_ASSERT(groups->n_left_out <= s->promise->limit && kan_groups_is_fresh(groups));
    if (needs_loss)
        sum_loss(s, groups);
    groups->loss = needs_loss ? s->loss : NULL;
    if (groups->n_suppressed == 0)
        return;
    size_t n = 0;
    for (size_t g = 0; g < s->n_groups; g++) {
        s->left[n] = s->left[g];
        n += s->left[g] > 0;
    }
    KAN_ASSERT(n == groups->n_released_groups);
    groups->n_groups = s->n_groups = n;
    groups->count = s->left;
}
