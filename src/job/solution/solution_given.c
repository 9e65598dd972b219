/* A solution that was given: it is checked like one that was found, and the promise decides. */
#include <stdio.h>
#include <string.h>

#include "job/solution/solution.h"
#include "search/levels/levels.h"

static kan_status copy_cuts(const kan_setup *setup, kan_recoding *out) {
    const kan_recoding *given = &setup->given;
    const size_t n = given->first_cut[setup->n_quasi];
    KAN_TRY(kan_alloc(setup->run, n, sizeof *out->cuts, &out->cuts));
    if (n > 0)
        memcpy(out->cuts, given->cuts, n * sizeof *out->cuts);
    return KAN_OK;
}

kan_status kan_solution_take_given(const kan_setup *setup, kan_answer *out) {
    *out = (kan_answer){.is_found = true, .recoding = setup->given, .n_nodes = 1, .n_checked = 1};
    out->recoding.cuts = NULL;
    out->n_cuts = (unsigned)setup->given.first_cut[setup->n_quasi];
    return kan_recoding_has_cuts(&out->recoding) ? copy_cuts(setup, &out->recoding) : KAN_OK;
}

/* " (3 groups with 5 rows: 2 of one row, none of two)": why levels fail, in shape and not in
 * values. Empty for cuts. */
static kan_status tell_shape(const kan_solution *solution, char *room, size_t size) {
    const kan_setup *setup = solution->setup;
    const kan_question question = {.problem = &setup->problem,
                                   .promise = &setup->promise,
                                   .objective = &setup->objective,
                                   .options = &setup->job->options};
    const bool is_history = setup->promise.histories;
    kan_node_figures node;
    char groups[32], rows[32], ones[32], twos[32];
    room[0] = '\0';
    if (solution->answer.recoding.type != KAN_RECODING_LEVELS)
        return KAN_OK;
    KAN_TRY(kan_survey_one(setup->run, &question, solution->answer.recoding.levels, &node));
    snprintf(room, size, " (%s %s with %s %s: %s of one %s, %s of two)",
             kan_count_text(node.n_failing, groups),
             is_history ? kan_plural(node.n_failing, "history", "histories")
                        : kan_plural(node.n_failing, "group", "groups"),
             kan_count_text(node.n_failing_rows, rows),
             kan_plural(node.n_failing_rows, "row", "rows"),
             kan_count_text(node.n_failing_ones, ones),
             setup->person ? setup->household ? "household" : "person" : "row",
             kan_count_text(node.n_failing_twos, twos));
    return KAN_OK;
}

kan_status kan_solution_check_given(const kan_solution *solution, bool wants_release) {
    const kan_setup *setup = solution->setup;
    const uint64_t limit = setup->promise.limit, needed = solution->groups.n_left_out;
    const char *what = setup->given_path ? "the solution that was given (--apply)"
                                         : "the levels that were given (--levels)";
    char rows[32], most[32], shape[256];
    const bool releases = solution->groups.n_released_groups > 0;
    if (needed <= limit && (releases || !wants_release))
        return KAN_OK;
    KAN_TRY(tell_shape(solution, shape, sizeof shape));
    if (!releases)
        return kan_fail(setup->run, KAN_UNSATISFIED,
                        "%s: no group keeps the promise%s, so that nothing would be released; give "
                        "a coarser solution, or leave it out, and one is searched for",
                        what, shape);
    return kan_fail(setup->run, KAN_UNSATISFIED,
                    "%s: %s %s in groups that do not keep the promise%s, and the suppression limit "
                    "is %s; --suppress %llu would be enough; or give a coarser solution, or none, "
                    "so that one is searched for",
                    what, kan_count_text(needed, rows),
                    kan_setup_leaves_households(setup)
                        ? kan_plural(needed, "household is", "households are")
                    : kan_setup_leaves_people(setup) ? kan_plural(needed, "person is", "people are")
                                                     : kan_plural(needed, "row is", "rows are"),
                    shape, kan_count_text(limit, most), (unsigned long long)needed);
}
