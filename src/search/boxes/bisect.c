/* bisect: the quickest exact full-domain search, and what `auto` stands for.
 *
 * It cuts the lattice into boxes and decides each by its two corners: see search/boxes/boxes.h. It
 * finds the best node by any cost that has a bound, and proves it; when the solution space is asked
 * for, all nodes that satisfy, where a bit per node can be held. Lattices may be of any size: when
 * the time is up or somebody interrupts, what was found so far is the answer, with the bound that
 * was reached. */
#include "search/boxes/boxes.h"
#include "search/boxes/strict.h"

/* `whole` is NULL, or the question of which `question` is the part by size alone. */
static kan_status search_boxes(kan_run *run, const kan_question *question,
                               const kan_question *whole, kan_answer *out) {
    kan_status status;
    kan_lattice lattice;
    kan_judge judge;
    kan_answer answer = {.n_nodes = 0};
    uint64_t *satisfies = NULL;
    kan_lattice_make(&question->problem->space, &lattice);
    if (question->wants_failing && !kan_lattice_can_hold(run, &lattice))
        return kan_fail(
            run, KAN_UNSATISFIED,
            "the lattice is too large to list where it begins to fail, as a certificate "
            "does; use fewer quasi-identifiers or hierarchies with fewer levels");
    kan_judge_init(&judge, question);
    if (question->wants_all && kan_lattice_can_hold(run, &lattice))
        KAN_TRY_DONE(kan_alloc_zero(run, lattice.n_nodes / 64 + 1, sizeof *satisfies, &satisfies));
    else if (question->wants_all)
        kan_note(run, "the lattice is too large to tell all its nodes apart: only the best is "
                      "looked for");
    kan_boxes boxes = {
        .question = question, .lattice = &lattice, .satisfies = satisfies, .strict = whole};
    KAN_TRY_DONE(kan_boxes_search(&boxes, &judge));
    kan_judge_answer(&judge, boxes.is_proven, &answer);
    answer.n_nodes = lattice.n_nodes;
    answer.n_checked = boxes.n_checked;
    answer.effort = boxes.effort;
    answer.bound = boxes.bound.real;
    if (satisfies && boxes.is_proven)
        KAN_TRY_DONE(kan_judge_space(&judge, &lattice, satisfies, &answer));
    *out = answer;
done:
    kan_free(run, satisfies);
    kan_judge_destroy(&judge);
    return status;
}

/* Where sensitive values are looked at, sizes settle most nodes, and what they leave open is checked
 * by itself. */
static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    kan_promise by_size;
    kan_question relaxed = *question;
    if (!kan_strict_fits(question))
        return search_boxes(run, question, NULL, out);
    kan_promise_by_size(question->promise, &by_size);
    relaxed.promise = &by_size;
    return search_boxes(run, &relaxed, question, out);
}

const kan_search_kind kan_search_bisect = {
    .kind = {.name = "bisect",
             .summary = "the best, proven, by looking at few nodes; with `search` all answers",
             .paper = "kanon's own",
             .is_everyday = true},
    .models = {&kan_model_full_domain, &kan_model_attribute_suppression},
    .counting = KAN_COUNTING_BOXES,
    .needs_monotone = true,
    .finds_all = true,
    .finds_best = true,
    .is_anytime = true,
    .search = search,
};
