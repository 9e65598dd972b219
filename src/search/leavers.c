/* Who stays: see leavers.h. */
#include "search/leavers.h"

#include <string.h>

#include "group/pasts.h"

void kan_leavers_init(kan_leavers *leavers, const kan_problem *problem) {
    *leavers = (kan_leavers){.problem = problem};
    kan_head_count_init(&leavers->heads, problem);
    kan_histories_init(&leavers->histories, problem);
    kan_repair_init(&leavers->repair, problem);
    kan_newcomers_init(&leavers->newcomers, problem);
    kan_freqset_init(&leavers->kept);
    kan_rare_sets_init(&leavers->rare, problem);
    kan_viewer_init(&leavers->pasts, problem);
    leavers->pasts.shows_parts = true;
}

void kan_leavers_destroy(kan_leavers *leavers) {
    kan_run *run = leavers->problem->run;
    kan_head_count_destroy(&leavers->heads);
    kan_histories_destroy(&leavers->histories);
    kan_repair_destroy(&leavers->repair);
    kan_newcomers_destroy(&leavers->newcomers);
    kan_free(run, leavers->passes);
    kan_free(run, leavers->is_gone);
    kan_free(run, leavers->near);
    kan_free(run, leavers->n_of);
    kan_free(run, leavers->parts);
    kan_free(run, leavers->sums);
    kan_free(run, leavers->rows_of);
    kan_free(run, leavers->start_of);
    kan_free(run, leavers->sizes);
    kan_freqset_destroy(run, &leavers->kept);
    kan_rare_sets_destroy(&leavers->rare);
    kan_viewer_destroy(&leavers->pasts);
    kan_leavers_init(leavers, leavers->problem);
}

/* ---- one look ------------------------------------------------------------------------------- */

static kan_status begin(kan_leavers *leavers, const kan_freqset *set) {
    kan_run *run = leavers->problem->run;
    const size_t n_people = (size_t)leavers->problem->n_people;
    KAN_TRY(kan_head_count_begin(&leavers->heads, set));
    KAN_TRY(kan_reserve(run, leavers->heads.n_groups, 1, &leavers->pass_room, &leavers->passes));
    if (!leavers->is_gone)
        KAN_TRY(kan_alloc(run, n_people, 1, &leavers->is_gone));
    memset(leavers->is_gone, 0, n_people);
    leavers->n_gone = 0;
    leavers->least = 0;
    return KAN_OK;
}

/* Which groups of those who are still there pass. One that nobody is left in does not. */
static kan_status look(kan_leavers *leavers, const kan_promise *promise) {
    kan_groups heads;
    KAN_TRY(
        kan_head_count_groups(&leavers->heads, leavers->is_gone, promise->needs_tallies, &heads));
    heads.people = leavers->people;
    kan_promise_check(promise, &heads, leavers->passes);
    for (size_t g = 0; g < heads.n_groups; g++)
        leavers->passes[g] &= heads.count[g] > 0 && heads.count[g] >= leavers->least;
    return kan_check_cancel(leavers->problem->run);
}

/* Everybody with a row in a group that fails leaves. Returns how many do. */
static uint64_t leave(kan_leavers *leavers) {
    const kan_head_count *heads = &leavers->heads;
    uint64_t n = 0;
    for (size_t g = 0; g < heads->n_groups; g++)
        for (size_t i = heads->start[g]; i < heads->start[g + 1] && !leavers->passes[g]; i++) {
            const uint32_t person = kan_head_count_person(heads, i);
            n += !leavers->is_gone[person];
            leavers->is_gone[person] = 1;
        }
    leavers->n_gone += n;
    return n;
}

/* ---- models of the whole table -------------------------------------------------------------- */

static void find_near(kan_leavers *leavers, uint64_t *near) {
    const kan_head_count *heads = &leavers->heads;
    for (size_t g = 0; g < heads->n_groups; g++)
        for (size_t i = heads->start[g]; i < heads->start[g + 1] && leavers->passes[g]; i++) {
            const uint32_t person = kan_head_count_person(heads, i);
            if (!leavers->is_gone[person] && (near[person] == 0 || heads->people[g] < near[person]))
                near[person] = heads->people[g];
        }
}

/* After a look: whether the models hold for those who are left. If not, *fewest is the size of the smallest
 * group that anybody is in. */
static kan_status weigh(kan_leavers *leavers, const kan_promise *promise, bool *holds,
                        uint64_t *fewest) {
    kan_run *run = leavers->problem->run;
    const size_t n = (size_t)leavers->problem->n_people;
    kan_people_left left = {.n_sizes = n + 1};
    if (!leavers->near)
        KAN_TRY(kan_alloc(run, n, sizeof *leavers->near, &leavers->near));
    if (!leavers->n_of)
        KAN_TRY(kan_alloc(run, n + 1, sizeof *leavers->n_of, &leavers->n_of));
    memset(leavers->near, 0, n * sizeof *leavers->near);
    memset(leavers->n_of, 0, (n + 1) * sizeof *leavers->n_of);
    find_near(leavers, leavers->near);
    for (size_t p = 0; p < n; p++)
        leavers->n_of[leavers->near[p]]++;
    left.n_people = n - leavers->n_of[0];
    left.n_of = leavers->n_of;
    *holds = left.n_people == 0 || kan_promise_weighs(promise, &left);
    for (*fewest = 1; !*holds && leavers->n_of[*fewest] == 0;)
        ++*fewest;
    return kan_check_cancel(run);
}

/* ---- models of households ------------------------------------------------------------------- */

static kan_status reserve_households(kan_leavers *leavers) {
    kan_run *run = leavers->problem->run;
    const size_t n = (size_t)leavers->problem->n_people, n_tuples = leavers->heads.set->n;
    KAN_TRY(kan_reserve(run, leavers->heads.n_groups, sizeof *leavers->parts, &leavers->part_room,
                        &leavers->parts));
    if (!leavers->sums)
        KAN_TRY(kan_alloc(run, n, sizeof *leavers->sums, &leavers->sums));
    if (!leavers->start_of)
        KAN_TRY(kan_alloc(run, n + 2, sizeof *leavers->start_of, &leavers->start_of));
    KAN_TRY(kan_reserve(run, n_tuples, sizeof *leavers->rows_of, &leavers->row_room,
                        &leavers->rows_of));
    return kan_reserve(run, 2 * n_tuples, sizeof *leavers->sizes, &leavers->size_room,
                       &leavers->sizes);
}

/* The groups of all tuples, those of a household one after the other: rows_of[start_of[h + 1]] on. */
static void list_rows(kan_leavers *leavers) {
    const kan_head_count *heads = &leavers->heads;
    const size_t n = (size_t)leavers->problem->n_people;
    size_t *start = leavers->start_of;
    memset(start, 0, (n + 2) * sizeof *start);
    for (size_t i = 0; i < heads->set->n; i++)
        start[kan_head_count_person(heads, i) + 2]++;
    for (size_t h = 0; h < n; h++)
        start[h + 2] += start[h + 1];
    for (size_t g = 0; g < heads->n_groups; g++)
        for (size_t i = heads->start[g]; i < heads->start[g + 1]; i++)
            leavers->rows_of[start[kan_head_count_person(heads, i) + 1]++] =
                (struct kan_household_tuple){g, heads->set->counts[i]};
}

/* Whether a household of which the sum says nothing keeps a model; list_rows was called. */
static bool keeps_closely(kan_leavers *leavers, unsigned m, const kan_promise *promise,
                          uint32_t household) {
    const size_t first = leavers->start_of[household];
    const size_t n = leavers->start_of[household + 1] - first;
    uint64_t *sizes = leavers->sizes, *times = leavers->sizes + n;
    for (size_t i = 0; i < n; i++) {
        sizes[i] = leavers->heads.people[leavers->rows_of[first + i].group];
        times[i] = leavers->rows_of[first + i].n_rows;
    }
    const kan_household_rows rows = {
        .parts = leavers->sums[household], .n = n, .sizes = sizes, .times = times};
    return promise->models[m].kind->household_keeps(promise->models[m].state, &rows);
}

static void sum_households(kan_leavers *leavers) {
    const kan_head_count *heads = &leavers->heads;
    memset(leavers->sums, 0, (size_t)leavers->problem->n_people * sizeof *leavers->sums);
    for (size_t g = 0; g < heads->n_groups; g++)
        for (size_t i = heads->start[g]; i < heads->start[g + 1]; i++)
            leavers->sums[kan_head_count_person(heads, i)] +=
                leavers->parts[g] * heads->set->counts[i];
}

/* All groups that have rows pass. Households that fail one model leave. */
static void leave_for(kan_leavers *leavers, const kan_promise *promise, unsigned m,
                      const kan_groups *heads, uint64_t *n_gone) {
    const kan_privacy_kind *kind = promise->models[m].kind;
    const void *state = promise->models[m].state;
    bool is_listed = false;
    for (size_t g = 0; g < heads->n_groups; g++)
        leavers->parts[g] = heads->count[g] > 0 ? kind->household_part(state, heads, g) : 0;
    sum_households(leavers);
    for (uint32_t h = 0; h < leavers->problem->n_people; h++) {
        bool keeps = true;
        if (leavers->is_gone[h])
            continue;
        if (!kind->sum_decides(state, leavers->sums[h], &keeps)) {
            if (!is_listed)
                list_rows(leavers);
            is_listed = true;
            keeps = keeps_closely(leavers, m, promise, h);
        }
        leavers->is_gone[h] = !keeps;
        *n_gone += !keeps;
    }
}

/* Households that fail leave; how many do. What is counted is what it was before. */
static kan_status leave_households(kan_leavers *leavers, const kan_promise *promise,
                                   uint64_t *n_gone) {
    kan_groups heads;
    *n_gone = 0;
    KAN_TRY(reserve_households(leavers));
    KAN_TRY(
        kan_head_count_groups(&leavers->heads, leavers->is_gone, promise->needs_tallies, &heads));
    for (unsigned m = 0; m < promise->n_models; m++)
        if (promise->models[m].kind->household_part)
            leave_for(leavers, promise, m, &heads, n_gone);
    leavers->n_gone += *n_gone;
    return kan_check_cancel(leavers->problem->run);
}

/* ---- the check ------------------------------------------------------------------------------ */

/* Who has a row in a group that fails leaves, again and again; then households that fail, and so on. */
static kan_status find_households(kan_leavers *leavers, const kan_promise *promise,
                                  uint64_t enough) {
    uint64_t n_gone = 0;
    do {
        do
            KAN_TRY(look(leavers, promise));
        while (leave(leavers) > 0 && leavers->n_gone <= enough);
        n_gone = 0;
        if (leavers->n_gone <= enough)
            KAN_TRY(leave_households(leavers, promise, &n_gone));
    } while (n_gone > 0 && leavers->n_gone <= enough);
    return KAN_OK;
}

/* Whoever has a history that fails leaves, and perhaps others for those who are out. */
static kan_status find_by_history(kan_leavers *leavers, const kan_promise *promise) {
    const kan_pasts *pasts = leavers->problem->pasts;
    KAN_TRY(kan_histories_check(&leavers->histories, &leavers->heads, promise, leavers->is_gone,
                                &leavers->n_gone));
    if (pasts && pasts->rank) {
        KAN_TRY(kan_repair_leave(&leavers->repair, &leavers->histories, &leavers->heads, promise,
                                 leavers->is_gone));
        leavers->n_gone += leavers->repair.n_gone;
    }
    if (pasts && pasts->covers) {
        KAN_TRY(kan_newcomers_stay(&leavers->newcomers, &leavers->heads, leavers->is_gone));
        leavers->n_gone -= leavers->newcomers.n_hidden;
    }
    return KAN_OK;
}

static kan_status find_gone(kan_leavers *leavers, const kan_promise *promise, uint64_t enough) {
    bool holds = true;
    uint64_t fewest = 0;
    if (promise->histories)
        return find_by_history(leavers, promise);
    if (promise->holds_households)
        return find_households(leavers, promise, enough);
    do {
        do
            KAN_TRY(look(leavers, promise));
        while (leave(leavers) > 0 && leavers->n_gone <= enough);
        if (promise->weighs_people && leavers->n_gone <= enough)
            KAN_TRY(weigh(leavers, promise, &holds, &fewest));
        leavers->least = fewest + 1;
    } while (!holds && leavers->n_gone <= enough);
    return KAN_OK;
}

/* By row nobody's leaving makes another group smaller. */
static kan_status find_failing(kan_leavers *leavers, const kan_promise *promise) {
    bool holds = true;
    uint64_t fewest = 0;
    KAN_TRY(look(leavers, promise));
    if (!promise->weighs_people)
        return KAN_OK;
    do {
        KAN_TRY(weigh(leavers, promise, &holds, &fewest));
        for (size_t g = 0; g < leavers->heads.n_groups && !holds; g++)
            leavers->passes[g] &= leavers->heads.people[g] > fewest;
    } while (!holds);
    return KAN_OK;
}

/* Released is a group of which a row stays. */
static void sum_by_person(const kan_leavers *leavers, uint8_t *is_released, kan_groups *out) {
    const kan_head_count *heads = &leavers->heads;
    for (size_t g = 0; g < heads->n_groups; g++) {
        is_released[g] = 0;
        for (size_t i = heads->start[g]; i < heads->start[g + 1]; i++) {
            const bool is_gone = leavers->is_gone[kan_head_count_person(heads, i)];
            out->n_suppressed += is_gone ? heads->set->counts[i] : 0;
            is_released[g] |= !is_gone;
        }
        out->n_released_groups += is_released[g];
    }
    out->n_left_out = leavers->n_gone;
}

static void sum_by_row(const kan_leavers *leavers, uint8_t *is_released, kan_groups *out) {
    for (size_t g = 0; g < out->n_groups; g++) {
        is_released[g] = leavers->passes[g];
        out->n_released_groups += is_released[g];
        out->n_suppressed += is_released[g] ? 0 : out->count[g];
    }
    out->n_left_out = out->n_suppressed;
}

/* Groups that fail a model by themselves leave first. */
static kan_status check_subsets(kan_leavers *leavers, const kan_promise *promise,
                                const kan_freqset *set, uint64_t enough, uint8_t *is_released,
                                kan_groups *out) {
    kan_promise_check(promise, out, is_released);
    KAN_TRY(kan_rare_sets_leave(&leavers->rare, promise->subsets, set, out, enough, is_released));
    out->n_released_groups = 0;
    out->n_suppressed = 0;
    for (size_t g = 0; g < out->n_groups; g++) {
        out->n_released_groups += is_released[g];
        out->n_suppressed += is_released[g] ? 0 : out->count[g];
    }
    out->n_left_out = out->n_suppressed;
    return KAN_OK;
}

/* The tuple after the last one of a group, or part. */
static size_t end_of(const kan_groups *groups, size_t g) {
    return g + 1 == groups->n_groups ? groups->set->n
           : groups->first_tuple     ? groups->first_tuple[g + 1]
                                     : g + 1;
}

/* Parts that fail leave; a group is released when one of its parts is. */
static kan_status check_parts(kan_leavers *leavers, const kan_promise *promise,
                              const kan_freqset *set, uint8_t *is_released, kan_groups *out) {
    kan_groups *parts = &leavers->parted;
    KAN_TRY(kan_viewer_groups(&leavers->pasts, set, parts));
    kan_promise_check(promise, parts, leavers->pasts.is_released);
    out->is_released = is_released;
    out->n_released_groups = 0;
    for (size_t g = 0, p = 0; g < out->n_groups; g++) {
        is_released[g] = 0;
        for (; p < parts->n_groups && end_of(parts, p) <= end_of(out, g); p++)
            is_released[g] |= parts->is_released[p];
        out->n_released_groups += is_released[g];
    }
    out->n_suppressed = parts->n_suppressed;
    out->n_left_out = parts->n_suppressed;
    return kan_check_cancel(leavers->problem->run);
}

kan_status kan_leavers_check(kan_leavers *leavers, const kan_promise *promise,
                             const kan_freqset *set, uint64_t enough, kan_viewer *viewer,
                             kan_groups *out) {
    KAN_TRY(kan_viewer_groups(viewer, set, out));
    if (leavers->problem->has_pasts)
        return check_parts(leavers, promise, set, viewer->is_released, out);
    if (!leavers->problem->has_person)
        return check_subsets(leavers, promise, set, enough, viewer->is_released, out);
    KAN_TRY(begin(leavers, set));
    KAN_ASSERT(leavers->heads.n_groups == out->n_groups);
    leavers->people = out->people;
    out->is_released = viewer->is_released;
    out->n_released_groups = 0;
    out->n_suppressed = 0;
    if (!promise->by_person) {
        KAN_TRY(find_failing(leavers, promise));
        sum_by_row(leavers, viewer->is_released, out);
        return KAN_OK;
    }
    KAN_TRY(find_gone(leavers, promise, enough));
    sum_by_person(leavers, viewer->is_released, out);
    return KAN_OK;
}

kan_status kan_leavers_see(kan_leavers *leavers, const kan_promise *promise, const kan_freqset *set,
                           kan_viewer *viewer, kan_groups *out) {
    if (kan_leavers_decide(leavers->problem, promise))
        return kan_leavers_check(leavers, promise, set, UINT64_MAX, viewer, out);
    KAN_TRY(kan_viewer_groups(viewer, set, out));
    kan_promise_check(promise, out, viewer->is_released);
    return KAN_OK;
}

/* ---- what stays ----------------------------------------------------------------------------- */

static void keep_tuple(const kan_freqset *set, size_t tuple, kan_freqset *to) {
    const unsigned words = set->layout.n_words;
    memcpy(to->keys + to->n * words, set->keys + tuple * words, words * sizeof *to->keys);
    to->counts[to->n++] = set->counts[tuple];
}

static void keep_people(const kan_leavers *leavers, const kan_freqset *set, kan_freqset *to) {
    KAN_ASSERT(leavers->heads.set == set);
    for (size_t i = 0; i < set->n; i++)
        if (!leavers->is_gone[kan_head_count_person(&leavers->heads, i)])
            keep_tuple(set, i, to);
}

void kan_leavers_list_parts(const kan_leavers *leavers, bool stay, kan_freqset *to) {
    const kan_groups *parts = &leavers->parted;
    KAN_ASSERT(kan_groups_is_fresh(parts));
    to->n = 0;
    for (size_t p = 0, i = 0; p < parts->n_groups; p++)
        for (; i < end_of(parts, p); i++)
            if (parts->is_released[p] == stay)
                keep_tuple(parts->set, i, to);
}

kan_status kan_leavers_keep(kan_leavers *leavers, const kan_freqset *set, kan_viewer *viewer,
                            kan_groups *groups, const kan_freqset **kept) {
    const kan_groups checked = *groups;
    kan_freqset *to = &leavers->kept;
    KAN_ASSERT(kan_groups_is_fresh(groups));
    to->layout = set->layout;
    to->n = 0;
    KAN_TRY(kan_freqset_reserve(leavers->problem->run, to, set->n));
    if (leavers->problem->has_pasts)
        kan_leavers_list_parts(leavers, true, to);
    else
        keep_people(leavers, set, to);
    KAN_TRY(kan_viewer_groups(viewer, to, groups));
    KAN_ASSERT(groups->n_groups == checked.n_released_groups);
    memset(viewer->is_released, 1, groups->n_groups);
    groups->is_released = viewer->is_released;
    groups->n_suppressed = checked.n_suppressed;
    groups->n_left_out = checked.n_left_out;
    *kept = to;
    return KAN_OK;
}
