/* What all searches share of questions and answers: see search.h. */
#include "search/search.h"

#include <string.h>

void kan_answer_destroy(kan_run *run, kan_answer *answer) {
    kan_free(run, answer->minimal);
    kan_free(run, answer->failing);
    kan_free(run, answer->satisfying);
    kan_free(run, answer->recoding.cuts);
    kan_regions_destroy(answer->recoding.regions);
    kan_free(run, answer->moments);
    kan_proof_destroy(run, &answer->proof);
    answer->minimal = answer->failing = answer->satisfying = NULL;
    answer->n_minimal = answer->n_failing = answer->n_satisfying = 0;
    answer->recoding.cuts = NULL;
    answer->recoding.regions = NULL;
    answer->moments = NULL;
    answer->n_moments = 0;
}

kan_status kan_question_base(const kan_question *question, const unsigned *order,
                             kan_workspace *workspace, kan_freqset *out) {
    const kan_problem *problem = question->problem;
    const kan_space *space = &problem->space;
    unsigned n = space->n_attributes, dimensions[KAN_MAX_FIELDS], levels[KAN_MAX_FIELDS] = {0};
    kan_layout to;
    memcpy(dimensions, order, n * sizeof *dimensions);
    for (unsigned i = 0; i < n; i++)
        levels[i] = space->dimensions[order[i]].lowest;
    for (unsigned t = 0; t < space->n_tails; t++) {
        const bool is_class = problem->class_tail == (int)t, is_person = problem->has_person && !t;
        const bool needs_class = question->wants_costs || question->objective->kind->needs_class;
        if (is_person || (is_class ? needs_class : question->promise->needs_tallies))
            dimensions[n++] = space->n_attributes + t;
    }
    kan_layout_make(space, dimensions, levels, n, &to);
    return kan_freqset_regroup(space, &problem->base, &to, KAN_KERNEL_AUTO, workspace, out);
}

bool kan_search_makes(const kan_search_kind *kind, const kan_recoding_kind *model) {
    for (size_t i = 0; i < KAN_SEARCH_MODELS && kind->models[i]; i++)
        if (kind->models[i] == model)
            return true;
    return false;
}

bool kan_costs_take(const kan_search_costs *costs, const kan_cost_kind *cost) {
    return !costs || (!cost->needs_levels && (!costs->shapes || costs->shapes >> cost->shape & 1));
}

kan_status kan_costs_check(kan_run *run, const kan_search_costs *costs, const kan_cost_kind *cost) {
    if (kan_costs_take(costs, cost))
        return KAN_OK;
    if (cost->of_rows && kan_costs_take(costs, cost->of_rows))
        return kan_fail(run, KAN_BAD_INPUT,
                        "--count people: the search knows what cutting does to a cost of rows, and "
                        "not to one of people; use a search over levels, such as auto or "
                        "exhaustive, or mondrian, iterate or unrestricted, or leave --count out");
    return kan_fail(run, KAN_BAD_INPUT, "--cost %s%s", cost->kind.name, costs->why);
}
