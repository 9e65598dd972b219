/* A solution that was given: it is checked like one that was found, and the promise decides. */
#include <string.h>

#include "job/solve/solution.h"

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

kan_status kan_solution_check_given(const kan_solution *solution, bool wants_release) {
    const kan_setup *setup = solution->setup;
    const uint64_t limit = setup->promise.limit, needed = solution->groups.n_left_out;
    const char *what = setup->given_path ? "the solution that was given (--apply)"
                                         : "the levels that were given (--levels)";
    char rows[32], most[32];
    const bool releases = solution->groups.n_released_groups > 0;
    if (needed <= limit && (releases || !wants_release))
        return KAN_OK;
    if (!releases)
        return kan_fail(setup->run, KAN_UNSATISFIED,
                        "%s: no group keeps the promise, so that nothing would be released; give a "
                        "coarser solution, or leave it out, and one is searched for",
                        what);
    return kan_fail(setup->run, KAN_UNSATISFIED,
                    "%s: %s %s in groups that do not keep the promise, and the suppression limit "
                    "is %s; --suppress %llu is what it needs, or a coarser solution, or none: one "
                    "is searched for then",
                    what, kan_count_text(needed, rows),
                    setup->promise.by_person ? kan_plural(needed, "person is", "people are")
                                             : kan_plural(needed, "row is", "rows are"),
                    kan_count_text(limit, most), (unsigned long long)needed);
}
