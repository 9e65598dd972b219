/* The best of nodes that are known to satisfy: see judge.h. */
#include "search/judge.h"

kan_status kan_judge_measure(kan_judge *judge, const kan_lattice *lattice,
                             const uint64_t *satisfies, kan_effort *effort) {
    kan_status status;
    const kan_problem *problem = judge->question->problem;
    kan_run *run = problem->run;
    kan_workspace *workspace = NULL;
    kan_freqset base, set;
    unsigned order[KAN_MAX_ATTRIBUTES], levels[KAN_MAX_ATTRIBUTES] = {0};
    kan_freqset_init(&base);
    kan_freqset_init(&set);
    for (unsigned a = 0; a < lattice->n_attributes; a++)
        order[a] = a;
    KAN_TRY_DONE(kan_workspace_create(run, &workspace));
    KAN_TRY_DONE(kan_question_base(judge->question, order, workspace, &base));
    for (uint64_t node = 0; node < lattice->n_nodes; node++, kan_lattice_next(lattice, levels)) {
        bool is_satisfying;
        if (!kan_bit(satisfies, node))
            continue;
        KAN_TRY_DONE(kan_check_cancel(run));
        KAN_TRY_DONE(kan_freqset_rollup(&problem->space, &base, levels, workspace, &set));
        KAN_TRY_DONE(kan_judge_node(judge, &set, &is_satisfying));
        effort->n_scans++;
        effort->n_tuples += base.n;
    }
done:
    kan_freqset_destroy(run, &base);
    kan_freqset_destroy(run, &set);
    kan_workspace_destroy(workspace);
    return status;
}
