/* Nothing was found within the levels that --level allows: what would have to give way.
 *
 * Only the highest levels can stand in the way where generalizing never breaks the promise: then
 * the top of what is allowed loses the fewest rows, and each bound is raised from there, level by
 * level, the others staying as they are. Where a merge can break the promise the same nodes are
 * tried, and what satisfies is told; that nothing else does is not. */
#include <stdio.h>

#include "job/solution/solution.h"

typedef struct {
    const kan_setup *setup;
    kan_workspace *workspace;
    kan_viewer viewer;
    kan_leavers leavers;
    kan_freqset set;
    kan_text text; /* of the message */
} inquiry;

static kan_status try_node(inquiry *q, const unsigned *levels, bool *satisfies,
                           uint64_t *n_suppressed) {
    const kan_setup *setup = q->setup;
    kan_groups groups;
    KAN_TRY(kan_check_cancel(setup->run));
    KAN_TRY(kan_freqset_rollup(&setup->problem.space, &setup->problem.base, levels, q->workspace,
                               &q->set));
    KAN_TRY(kan_leavers_see(&q->leavers, &setup->promise, &q->set, &q->viewer, &groups));
    *n_suppressed = groups.n_left_out;
    *satisfies = groups.n_left_out <= setup->promise.limit && groups.n_released_groups > 0;
    return KAN_OK;
}

static void add_rows(inquiry *q, uint64_t n) {
    char count[32];
    kan_text_print(&q->text, "%s %s suppressed", kan_count_text(n, count),
                   kan_setup_unit(q->setup, n));
}

/* The lowest level of one attribute that would do, the others at the top of their bounds. */
static kan_status try_raising(inquiry *q, unsigned a, bool *is_enough) {
    const kan_setup *setup = q->setup;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    uint64_t n_suppressed;
    bool satisfies = false;
    memcpy(levels, setup->highest, sizeof levels);
    while (!satisfies && levels[a] < setup->hierarchies[a]->height) {
        levels[a]++;
        KAN_TRY(try_node(q, levels, &satisfies, &n_suppressed));
    }
    if (!satisfies)
        return KAN_OK;
    kan_text_print(&q->text, "%s--level %s=", *is_enough ? ", or " : "; what would work is ",
                   setup->table->columns[setup->quasi[a]].name);
    if (setup->lowest[a] > 0)
        kan_text_print(&q->text, "%u", setup->lowest[a]);
    kan_text_print(&q->text, "..%u (", levels[a]);
    add_rows(q, n_suppressed);
    kan_text_print(&q->text, ")");
    *is_enough = true;
    return KAN_OK;
}

/* No single bound is what stands in the way. */
static kan_status try_tops(inquiry *q) {
    const kan_setup *setup = q->setup;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    uint64_t n_suppressed;
    bool satisfies;
    for (unsigned a = 0; a < setup->n_quasi; a++)
        levels[a] = setup->hierarchies[a]->height;
    KAN_TRY(try_node(q, levels, &satisfies, &n_suppressed));
    if (satisfies) {
        kan_text_print(&q->text, "; no single bound stands in the way: without --level there is a "
                                 "solution, and the fully generalized table is one (");
        add_rows(q, n_suppressed);
        kan_text_print(&q->text, ")");
    } else if (kan_promise_is_monotone(&setup->promise)) {
        kan_text_print(&q->text, "; without --level there is none either: ask for less");
    }
    return KAN_OK;
}

static kan_status write_text(inquiry *q, const kan_answer *answer, bool is_least) {
    const kan_setup *setup = q->setup;
    const uint64_t limit = setup->promise.limit, least = answer->least_suppressed;
    char rows[32];
    bool is_enough = false;
    kan_text_print(&q->text, "no generalization within ");
    kan_setup_add_bounds(setup, &q->text);
    kan_text_print(&q->text, " satisfies the promise within the suppression limit of %s %s",
                   kan_count_text(limit, rows), kan_setup_unit(setup, limit));
    for (unsigned a = 0; a < setup->n_quasi; a++)
        KAN_TRY(try_raising(q, a, &is_enough));
    if (!is_enough)
        KAN_TRY(try_tops(q));
    const uint64_t all = kan_setup_units(setup);
    if (is_least && least > limit && least < all)
        kan_text_print(&q->text, "; within these levels --suppress %llu is the smallest limit",
                       (unsigned long long)least);
    return kan_text_status(&q->text);
}

kan_status kan_solution_beyond_bounds(const kan_setup *setup, const kan_answer *answer,
                                      bool is_least) {
    inquiry q = {.setup = setup};
    kan_text_init(&q.text, setup->run);
    kan_freqset_init(&q.set);
    kan_viewer_init(&q.viewer, &setup->problem);
    kan_leavers_init(&q.leavers, &setup->problem);
    kan_status status = kan_workspace_create(setup->run, &q.workspace);
    if (status == KAN_OK)
        status = write_text(&q, answer, is_least);
    if (status == KAN_OK)
        status = kan_fail(setup->run, KAN_UNSATISFIED, "%s", q.text.bytes);
    kan_workspace_destroy(q.workspace);
    kan_viewer_destroy(&q.viewer);
    kan_leavers_destroy(&q.leavers);
    kan_freqset_destroy(setup->run, &q.set);
    kan_text_destroy(&q.text);
    return status;
}
