/* What a search begins with that no search may look for itself, where its releases contain all of
 * full-domain and of full-subtree generalization: the best levels, and cuts of whole subtrees. So
 * its answer is never worse than that of `bisect`, nor, by the costs that searches over cuts take,
 * than what `--recoding full-subtree` finds by itself or `k-optimize` proves soon. */
#include "job/solution/solution.h"
#include "search/cuts/cuts.h"
#include "search/k_optimize/k_optimize.h"
#include "search/levels/levels.h"

/* Tuples that k-optimize may look at for a proof. */
#define MOST_WORK (UINT64_C(1) << 24)

static kan_status find_levels(const kan_setup *setup, const kan_question *question,
                              kan_answer *out) {
    const kan_question levels = {.problem = question->problem,
                                 .promise = question->promise,
                                 .objective = question->objective,
                                 .options = question->options,
                                 .wants_release = true};
    return kan_levels_best(setup->run, &levels, out);
}

/* ---- whole subtrees ------------------------------------------------------------------------- */

/* What searches over cuts do not refuse. */
static bool can_be_cut(const kan_question *question) {
    const kan_problem *problem = question->problem;
    return question->promise->size_decides && !problem->has_person && problem->n_rows >> 31 == 0 &&
           kan_costs_take(kan_search_hill_climb.costs, question->objective->kind);
}

/* A search that was stopped before it found any has failed, and does not matter. */
static kan_status search_cuts(const kan_search_kind *kind, kan_run *run,
                              const kan_question *question, kan_answer *out) {
    if (kan_should_stop(run))
        return KAN_OK;
    const kan_status status = kind->search(run, question, out);
    return kan_should_stop(run) ? KAN_OK : status;
}

/* hill-climb as it is without options, which is what `--recoding full-subtree` takes; k-optimize
 * goes on from there. */
static kan_status climb_and_prove(kan_run *run, const kan_question *asked, kan_answer *out) {
    kan_question question = *asked;
    kan_answer climbed = {.is_found = false};
    kan_status status = search_cuts(&kan_search_hill_climb, run, &question, &climbed);
    question.seed = climbed.is_found ? &climbed.recoding : NULL;
    if (status == KAN_OK)
        status = search_cuts(&kan_search_k_optimize, run, &question, out);
    if (status == KAN_OK && !out->is_found) {
        kan_answer_destroy(run, out);
        *out = climbed;
        climbed = (kan_answer){.is_found = false};
    }
    kan_answer_destroy(run, &climbed);
    return status;
}

static kan_status find_subtrees(const kan_setup *setup, const kan_question *question,
                                kan_answer *out) {
    kan_options options;
    if (!can_be_cut(question))
        return KAN_OK;
    kan_options_init(&options, &setup->job->arena);
    options.is_known = setup->job->options.is_known;
    const kan_question subtrees = {.problem = question->problem,
                                   .promise = question->promise,
                                   .objective = question->objective,
                                   .options = &options,
                                   .model = &kan_model_full_subtree,
                                   .wants_release = true,
                                   .most_work = MOST_WORK};
    const kan_status status = climb_and_prove(setup->run, &subtrees, out);
    kan_options_destroy(&options);
    return status;
}

/* ---- both ----------------------------------------------------------------------------------- */

kan_status kan_solution_search_seeded(const kan_setup *setup, const kan_question *question,
                                      kan_answer *out) {
    kan_question seeded = *question;
    kan_answer levels = {.is_found = false}, subtrees = {.is_found = false};
    kan_status status;
    KAN_TRY_DONE(find_levels(setup, question, &levels));
    KAN_TRY_DONE(find_subtrees(setup, question, &subtrees));
    seeded.seed = levels.is_found ? &levels.recoding : NULL;
    seeded.subtrees = subtrees.is_found ? &subtrees.recoding : NULL;
    status = setup->search->search(setup->run, &seeded, out);
done:
    kan_answer_destroy(setup->run, &levels);
    kan_answer_destroy(setup->run, &subtrees);
    return status;
}
