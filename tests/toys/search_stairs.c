/* A toy search: all attributes go up one level at a time until the promise holds. */
#include "search/judge/judge.h"
#include "search/levels/levels.h"

static const kan_option_spec options[] = {
    {.name = "stairs-from",
     .argument = "LEVEL",
     .summary = "the level to begin at",
     .type = KAN_OPTION_COUNT,
     .traits = KAN_TRAIT_SHOWN,
     .least = 0},
};

static kan_status climb(kan_run *run, const kan_question *question, kan_judge *judge,
                        kan_workspace *workspace, kan_freqset *sets, kan_answer *answer) {
    const kan_space *space = &question->problem->space;
    unsigned order[KAN_MAX_ATTRIBUTES], levels[KAN_MAX_ATTRIBUTES];
    kan_lattice lattice;
    kan_lattice_make(space, &lattice);
    for (unsigned a = 0; a < space->n_attributes; a++)
        order[a] = a;
    KAN_TRY(kan_question_base(question, order, workspace, &sets[0]));
    answer->n_nodes = lattice.n_nodes;
    for (uint64_t step = kan_options_count(question->options, "stairs-from", 0);
         step <= lattice.height && !judge->best.is_found; step++) {
        bool satisfies;
        KAN_TRY(kan_check_cancel(run));
        for (unsigned a = 0; a < space->n_attributes; a++)
            levels[a] =
                step < space->dimensions[a].height ? (unsigned)step : space->dimensions[a].height;
        KAN_TRY(kan_freqset_rollup(space, &sets[0], levels, workspace, &sets[1]));
        KAN_TRY(kan_judge_node(judge, &sets[1], &satisfies));
        answer->n_checked++;
    }
    kan_judge_answer(judge, false, answer);
    answer->bound = 0;
    return KAN_OK;
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    kan_status status;
    kan_judge judge;
    kan_workspace *workspace = NULL;
    kan_freqset sets[2];
    kan_answer answer = {.n_checked = 0};
    kan_freqset_init(&sets[0]);
    kan_freqset_init(&sets[1]);
    kan_judge_init(&judge, question);
    KAN_TRY_DONE(kan_workspace_create(run, &workspace));
    KAN_TRY_DONE(climb(run, question, &judge, workspace, sets, &answer));
    *out = answer;
done:
    kan_freqset_destroy(run, &sets[0]);
    kan_freqset_destroy(run, &sets[1]);
    kan_judge_destroy(&judge);
    kan_workspace_destroy(workspace);
    return status;
}

const kan_search_kind kan_search_stairs = {
    .kind = {.name = "stairs",
             .summary = "one answer: all columns go up together",
             .options = options,
             .n_options = 1,
             .paper = "none"},
    .models = {&kan_model_full_domain},
    .search = search,
};
