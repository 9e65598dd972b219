/* The figures of one node: see survey.h. */
#include "search/levels/survey_node.h"

#include <math.h>
#include <string.h>

/* ---- sizes ---------------------------------------------------------------------------------- */

static void add_failing(kan_node_figures *out, uint64_t size) {
    out->n_failing++;
    out->n_failing_ones += size == 1;
    out->n_failing_twos += size == 2;
    if (out->smallest_failing == 0 || size < out->smallest_failing)
        out->smallest_failing = size;
}

static void add_released(kan_node_figures *out, uint64_t size) {
    out->n_groups++;
    if (out->smallest_group == 0 || size < out->smallest_group)
        out->smallest_group = size;
}

static void count_rows(const kan_groups *groups, kan_node_figures *out) {
    uint64_t n_rows = 0;
    for (size_t g = 0; g < groups->n_groups; g++)
        if (groups->is_released[g]) {
            add_released(out, groups->count[g]);
            n_rows += groups->count[g];
        } else {
            add_failing(out, groups->count[g]);
        }
    out->n_failing_rows = groups->n_suppressed;
    out->highest_risk = n_rows > 0 ? 1 / (double)out->smallest_group : (double)NAN;
    out->average_risk = (double)out->n_groups / (double)n_rows; /* 0 / 0 is NAN */
}

/* With pasts: parts that fail, and the groups of the rows that stay. */
static void count_parts(const kan_leavers *leavers, kan_node_figures *out) {
    const kan_groups *parts = &leavers->parted;
    for (size_t p = 0; p < parts->n_groups; p++)
        if (!parts->is_released[p])
            add_failing(out, parts->count[p]);
    out->n_failing_rows = parts->n_suppressed;
}

static void count_kept(const kan_groups *groups, kan_node_figures *out) {
    uint64_t n_rows = 0;
    for (size_t g = 0; g < groups->n_groups; g++) {
        add_released(out, groups->count[g]);
        n_rows += groups->count[g];
    }
    out->highest_risk = n_rows > 0 ? 1 / (double)out->smallest_group : (double)NAN;
    out->average_risk = (double)out->n_groups / (double)n_rows;
}

/* ---- people --------------------------------------------------------------------------------- */

/* Histories that do not keep the promise. */
static void count_histories(const kan_leavers *leavers, const kan_groups *groups,
                            kan_node_figures *out) {
    const kan_histories *histories = &leavers->histories;
    for (size_t c = 0; c < histories->n_classes; c++)
        if (histories->n_people[c] > 0 && histories->fails[c])
            add_failing(out, histories->n_people[c]);
    out->n_failing_rows = groups->n_suppressed;
}

/* Groups that fail before anybody has left. */
static kan_status count_failing(const kan_promise *promise, kan_leavers *leavers,
                                kan_survey_scratch *scratch, const kan_groups *groups,
                                kan_node_figures *out) {
    kan_run *run = leavers->problem->run;
    kan_groups heads;
    if (!scratch->nobody)
        KAN_TRY(kan_alloc_zero(run, (size_t)leavers->problem->n_people, 1, &scratch->nobody));
    KAN_TRY(kan_reserve(run, groups->n_groups, 1, &scratch->pass_room, &scratch->passes));
    KAN_TRY(
        kan_head_count_groups(&leavers->heads, scratch->nobody, promise->needs_tallies, &heads));
    heads.people = groups->people;
    kan_promise_check(promise, &heads, scratch->passes);
    for (size_t g = 0; g < heads.n_groups; g++) {
        if (scratch->passes[g])
            continue;
        add_failing(out, heads.count[g]);
        out->n_failing_rows += groups->count[g];
    }
    return KAN_OK;
}

/* scratch->sizes[person]: among how many people she is; 0 where nothing of hers is released. */
static void find_sizes(const kan_leavers *leavers, bool has_histories, const kan_groups *groups,
                       const kan_groups *heads, uint64_t *sizes) {
    for (size_t g = 0; g < heads->n_groups; g++)
        for (size_t i = leavers->heads.start[g]; i < leavers->heads.start[g + 1]; i++) {
            const uint32_t person = kan_head_count_person(&leavers->heads, i);
            if (!groups->is_released[g] || leavers->is_gone[person])
                continue;
            const uint64_t size =
                has_histories ? kan_histories_like(&leavers->histories, person) : heads->count[g];
            if (sizes[person] == 0 || size < sizes[person])
                sizes[person] = size;
        }
}

static kan_status measure_risk(const kan_promise *promise, const kan_leavers *leavers,
                               kan_survey_scratch *scratch, const kan_groups *groups,
                               const kan_groups *heads, kan_node_figures *out) {
    const size_t n = (size_t)leavers->problem->n_people;
    uint64_t n_people = 0;
    double sum = 0, highest = 0;
    if (!scratch->sizes)
        KAN_TRY(kan_alloc(leavers->problem->run, n, sizeof *scratch->sizes, &scratch->sizes));
    memset(scratch->sizes, 0, n * sizeof *scratch->sizes);
    find_sizes(leavers, promise->histories, groups, heads, scratch->sizes);
    for (size_t p = 0; p < n; p++) {
        if (scratch->sizes[p] == 0)
            continue;
        const double risk = 1 / (double)scratch->sizes[p];
        n_people++;
        sum += risk;
        highest = risk > highest ? risk : highest;
    }
    out->highest_risk = n_people > 0 ? highest : (double)NAN;
    out->average_risk = n_people > 0 ? sum / (double)n_people : (double)NAN;
    return KAN_OK;
}

static kan_status count_people(const kan_promise *promise, kan_leavers *leavers,
                               kan_survey_scratch *scratch, const kan_groups *groups,
                               kan_node_figures *out) {
    kan_groups heads;
    if (promise->histories)
        count_histories(leavers, groups, out);
    else
        KAN_TRY(count_failing(promise, leavers, scratch, groups, out));
    KAN_TRY(kan_head_count_groups(&leavers->heads, leavers->is_gone, false, &heads));
    for (size_t g = 0; g < heads.n_groups; g++)
        if (groups->is_released[g])
            add_released(out, heads.count[g]);
    return measure_risk(promise, leavers, scratch, groups, &heads, out);
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* The groups as costs see them. */
static kan_status sum_loss(kan_judge *judge, const kan_freqset *set, kan_groups *groups) {
    if (!kan_leavers_thin(judge->question->problem, judge->question->promise) ||
        groups->n_suppressed == 0) {
        kan_viewer_loss(&judge->viewer, set, groups);
        return KAN_OK;
    }
    const kan_freqset *kept;
    KAN_TRY(kan_leavers_keep(&judge->leavers, set, &judge->viewer, groups, &kept));
    kan_viewer_sum_loss(&judge->viewer, kept, groups);
    return KAN_OK;
}

kan_status kan_survey_node(const kan_survey *survey, kan_judge *judge, kan_survey_scratch *scratch,
                           const kan_freqset *set, kan_node_figures *out, kan_score *scores) {
    const kan_promise *promise = judge->question->promise;
    kan_groups groups;
    KAN_TRY(kan_judge_see(judge, set, &groups));
    *out = (kan_node_figures){.satisfies = groups.n_left_out <= promise->limit,
                              .n_suppressed = groups.n_suppressed,
                              .n_left_out = groups.n_left_out};
    if (judge->question->problem->has_pasts)
        count_parts(&judge->leavers, out);
    else if (judge->question->problem->has_person)
        KAN_TRY(count_people(promise, &judge->leavers, scratch, &groups, out));
    else
        count_rows(&groups, out);
    KAN_TRY(sum_loss(judge, set, &groups));
    if (judge->question->problem->has_pasts)
        count_kept(&groups, out);
    KAN_TRY(kan_judge_sum_people(judge, &groups));
    for (size_t i = 0; i < survey->n_objectives; i++)
        scores[i] = kan_objective_measure(&survey->objectives[i], &groups);
    return KAN_OK;
}
