/* bisect: the quickest exact full-domain search, and what `auto` stands for.
 *
 * It cuts the lattice into boxes and decides each by its two corners: see search/boxes/boxes.h. It
 * finds the best node by any cost that has a bound, and proves it; when the solution space is asked
 * for, all nodes that satisfy, where a bit per node can be held. Lattices may be of any size: when
 * the time is up or somebody interrupts, what was found so far is the answer, with the bound that
 * was reached. */
#include "search/boxes/boxes.h"
#include "search/boxes/strict.h"

/* All nodes that satisfy, a bit each. `whole` is NULL, or the question of which `question` is the part
 * by size alone. */
static kan_status find_all(kan_run *run, const kan_question *question, const kan_question *whole,
                           const kan_lattice *lattice, kan_answer *out) {
    kan_status status;
    kan_judge judge;
    kan_answer answer = {.n_nodes = 0};
    uint64_t *satisfies = NULL;
    kan_judge_init(&judge, question);
    KAN_TRY_DONE(kan_alloc_zero(run, lattice->n_nodes / 64 + 1, sizeof *satisfies, &satisfies));
    kan_boxes boxes = {
        .question = question, .lattice = lattice, .satisfies = satisfies, .strict = whole};
    KAN_TRY_DONE(kan_boxes_search(&boxes, &judge));
    kan_judge_answer(&judge, boxes.is_proven, &answer);
    answer.n_nodes = lattice->n_nodes;
    answer.n_checked = boxes.n_checked;
    answer.effort = boxes.effort;
    answer.bound = boxes.bound.real;
    if (boxes.is_proven)
        KAN_TRY_DONE(kan_judge_space(&judge, lattice, satisfies, &answer));
    *out = answer;
done:
    kan_free(run, satisfies);
    kan_judge_destroy(&judge);
    return status;
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    kan_promise by_size;
    kan_question relaxed = *question;
    kan_lattice lattice;
    kan_lattice_make(&question->problem->space, &lattice);
    const bool can_hold = kan_lattice_can_hold(run, &lattice);
    if (question->wants_failing && !can_hold)
        return kan_fail(
            run, KAN_UNSATISFIED,
            "the lattice is too large to list where it begins to fail, as a certificate "
            "does; use fewer quasi-identifiers or hierarchies with fewer levels");
    if (question->wants_all && !can_hold)
        kan_note(run, "the lattice is too large to tell all its nodes apart: only the best is "
                      "looked for");
    if (!question->wants_all || !can_hold)
        return kan_boxes_find_best(question, out);
    if (!kan_strict_fits(question))
        return find_all(run, question, NULL, &lattice, out);
    /* Sizes settle most nodes, and what they leave open is checked by itself. */
    kan_promise_by_size(question->promise, &by_size);
    relaxed.promise = &by_size;
    return find_all(run, &relaxed, question, &lattice, out);
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
    .counts_steps = true,
    .is_anytime = true,
    .search = search,
};
