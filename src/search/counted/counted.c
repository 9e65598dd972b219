/* Which searches are counted, and what they conclude: see counted.h. */
#include "search/counted/counted.h"

#include "search/boxes/boxes.h"
#include "search/counted/tally_boxes.h"
#include "search/counted/tally_graph.h"

kan_status kan_counted_check(kan_run *run, const kan_search_kind *kind,
                             const kan_question *question) {
    const kan_promise *promise = question->promise;
    if (kind->counting == KAN_COUNTING_NONE)
        return kan_fail(
            run, KAN_BAD_INPUT,
            "--counting engine: --algorithm %s needs the distinct tuples themselves; use "
            "bisect, incognito, incognito-superroots or incognito-cube, or leave "
            "--counting out",
            kind->kind.name);
    if (!promise->size_decides || promise->n_models != 1 || question->problem->has_person)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--counting engine supports only the promise of --k, with any limit of "
                        "--suppress; leave --counting out for other promises");
    if (!question->objective->kind->is_by_numbers)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--counting engine: the cost %s needs the groups themselves; choose "
                        "discernibility, average-class, height, precision, distortion or ncp, or "
                        "leave --counting out",
                        question->objective->kind->kind.name);
    if (question->options && kan_options_find(question->options, "materialize"))
        return kan_fail(run, KAN_BAD_INPUT,
                        "--counting engine keeps the whole cube in the engine: leave out "
                        "--materialize, or --counting");
    return KAN_OK;
}

static kan_status search_boxes(kan_tally_run *tally, kan_answer *out) {
    kan_run *run = tally->run;
    const kan_question *question = tally->question;
    const bool can_hold = kan_lattice_can_hold(run, &tally->lattice);
    kan_tally_boxes boxes = {.known = NULL};
    kan_status status = KAN_OK;
    if (question->wants_failing && !can_hold)
        return kan_fail(
            run, KAN_UNSATISFIED,
            "the lattice is too large to list where it begins to fail, as a certificate "
            "does; use fewer quasi-identifiers or hierarchies with fewer levels");
    if (question->wants_all && can_hold)
        KAN_TRY_DONE(kan_alloc_zero(run, tally->lattice.n_nodes / 64 + 1, sizeof *boxes.satisfies,
                                    &boxes.satisfies));
    else if (question->wants_all)
        kan_note(run, "the lattice is too large to tell all its nodes apart: only the best is "
                      "looked for");
    KAN_TRY_DONE(kan_tally_boxes_search(tally, &boxes));
    kan_judge_answer(&tally->judge, boxes.is_proven, out);
    out->n_nodes = tally->lattice.n_nodes;
    out->n_checked = tally->n_checked;
    out->bound = boxes.bound.real;
    if (boxes.satisfies && boxes.is_proven)
        KAN_TRY_DONE(kan_judge_space(&tally->judge, &tally->lattice, boxes.satisfies, out));
done:
    kan_free(run, boxes.satisfies);
    return status;
}

static kan_status search_graphs(kan_tally_run *tally, kan_search_counting counting,
                                kan_answer *out) {
    kan_run *run = tally->run;
    kan_status status;
    uint64_t *satisfies = NULL;
    KAN_TRY(kan_candidates_check(run, &tally->lattice));
    KAN_TRY(kan_alloc_zero(run, tally->lattice.n_nodes / 64 + 1, sizeof *satisfies, &satisfies));
    KAN_TRY_DONE(kan_tally_graph_search(tally, counting, satisfies));
    out->n_checked = tally->n_checked;
    const kan_effort effort = tally->effort;
    kan_tally_boxes boxes = {.known = satisfies};
    KAN_TRY_DONE(kan_tally_boxes_search(tally, &boxes));
    /* A search that knows every node promises the best of them: time is up without it. */
    if (!boxes.is_proven)
        KAN_TRY_DONE(kan_check_cancel(run));
    tally->effort = effort;
    tally->effort.n_measured = tally->n_checked - out->n_checked;
    kan_judge_answer(&tally->judge, true, out);
    KAN_TRY_DONE(kan_judge_space(&tally->judge, &tally->lattice, satisfies, out));
done:
    kan_free(run, satisfies);
    return status;
}

kan_status kan_counted_search(kan_run *run, const kan_search_kind *kind,
                              const kan_question *question, const kan_counter *counter,
                              kan_answer *out) {
    kan_tally_run tally;
    kan_answer answer = {.n_nodes = 0};
    kan_tally_init(&tally, run, question, counter);
    const kan_status status = kind->counting == KAN_COUNTING_BOXES
                                  ? search_boxes(&tally, &answer)
                                  : search_graphs(&tally, kind->counting, &answer);
    answer.effort = tally.effort;
    kan_tally_destroy(&tally);
    if (status == KAN_OK)
        *out = answer;
    else
        kan_answer_destroy(run, &answer);
    return status;
}
