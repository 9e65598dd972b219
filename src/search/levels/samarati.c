/* samarati: binary search on height (incognito.txt 2.2, after Samarati).
 *
 * If no node of a height is acceptable, none below it is; so the least height with an acceptable
 * node is found by bisection between a lower and an upper bound. The paper's steps (h/2, then h/4
 * or 3h/4) leave heights untested through rounding; bounds do not. All nodes of a height that is
 * tried are checked, on all threads, and the best of them by cost is the answer when the height is
 * the least.
 *
 * Acceptable is a node that satisfies the promise and, where a release is wanted, releases a row.
 * Going up never ends that, so the bisection is sound. The promise is monotone (needs_monotone),
 * which leaves two cases. Where a group that passes absorbs any other and still passes, rows that
 * are released at a node are in a passing group at every node above it too: no fewer are released.
 * Where nothing may be suppressed, a node that satisfies releases all rows, and so does every node
 * above it. From an acceptable node one goes up to the top one level at a time, so every greater
 * height has an acceptable node as well.
 *
 * The answer is the optimum only for the plain cost height: the least height, and the first vector
 * of it. It tells nothing about other nodes: not complete.
 *
 * Cost: the nodes of about log2(height) heights x base tuples. Memory: a set per thread. */
#include <string.h>

#include "search/levels/levels.h"
#include "search/levels/lower_bound.h"
#include "search/levels/workers.h"

/* Nodes that are handed to the threads at a time. */
enum { BATCH = 1024 };

typedef struct {
    kan_workers workers;
    size_t n_batch;
    unsigned (*batch)[KAN_MAX_ATTRIBUTES];
    kan_found best; /* of the least height so far that has an acceptable node */
} height_search;

/* ---- the nodes of one height ---------------------------------------------------------------- */

/* Puts `sum` levels above the lowest on the attributes from `first` on, as the first such vector in order: as much
 * as possible on the last ones. */
static void fill_last(const kan_lattice *lattice, unsigned first, unsigned sum, unsigned *levels) {
    for (unsigned a = lattice->n_attributes; a-- > first;) {
        const unsigned raised = sum < lattice->heights[a] ? sum : lattice->heights[a];
        levels[a] = lattice->low[a] + raised;
        sum -= raised;
    }
}

/* The next vector of the same height in lexicographic order: false after the last. */
static bool next_of_height(const kan_lattice *lattice, unsigned *levels) {
    unsigned behind = 0; /* levels above the lowest of the attributes behind a */
    for (unsigned a = lattice->n_attributes; a-- > 0;) {
        if (behind > 0 && levels[a] < kan_lattice_high(lattice, a)) {
            levels[a]++;
            fill_last(lattice, a + 1, behind - 1, levels);
            return true;
        }
        behind += levels[a] - lattice->low[a];
    }
    return false;
}

static kan_status check_task(void *context, size_t task, unsigned index) {
    height_search *walk = context;
    kan_worker *worker = &walk->workers.each[index];
    bool satisfies;
    KAN_TRY(kan_workers_make(&walk->workers, worker, &walk->workers.base, walk->batch[task]));
    return kan_judge_node(&worker->judge, &worker->set, &satisfies);
}

static kan_status check_height(height_search *walk, unsigned height) {
    const kan_lattice *lattice = &walk->workers.lattice;
    unsigned levels[KAN_MAX_ATTRIBUTES] = {0};
    bool is_more = true;
    fill_last(lattice, 0, height, levels);
    while (is_more) {
        for (walk->n_batch = 0; is_more && walk->n_batch < BATCH; walk->n_batch++) {
            memcpy(walk->batch[walk->n_batch], levels, sizeof levels);
            is_more = next_of_height(lattice, levels);
        }
        KAN_TRY(kan_workers_run(&walk->workers, walk->n_batch, check_task, walk));
    }
    return KAN_OK;
}

/* ---- the heights ---------------------------------------------------------------------------- */

/* The best of the height that was checked last. The judges forget it: at a lower height a dearer
 * node wins. */
static kan_found take_best(kan_workers *workers) {
    kan_found best = {.is_found = false};
    for (unsigned i = 0; i < workers->n; i++) {
        kan_found *found = &workers->each[i].judge.best;
        if (kan_found_is_better(found, &best))
            best = *found;
        *found = (kan_found){.is_found = false};
    }
    return best;
}

/* Invariant: no height below `least` has an acceptable node, and `walk->best` is of height `end`
 * unless no height was found yet. The top is tried only when all below it failed. */
static kan_status bisect_heights(height_search *walk) {
    unsigned least = 0, end = walk->workers.lattice.height + 1;
    while (least < end) {
        const unsigned height = least + (end - 1 - least) / 2;
        KAN_TRY(check_height(walk, height));
        kan_found found = take_best(&walk->workers);
        if (found.is_found) {
            walk->best = found;
            end = height;
        } else {
            least = height + 1;
        }
    }
    return KAN_OK;
}

static kan_status conclude(height_search *walk, kan_answer *out) {
    const kan_question *question = walk->workers.question;
    const bool is_height =
        question->objective->kind->shape == KAN_SHAPE_LEVELS && !question->problem->is_weighted;
    kan_answer answer = {.n_checked = 0};
    kan_judge *judge = kan_workers_merge(&walk->workers, &answer);
    judge->best = walk->best;
    kan_judge_answer(judge, is_height, &answer);
    if (!is_height)
        KAN_TRY(kan_judge_lower_bound(judge, &walk->workers.base, &answer.bound));
    *out = answer;
    return KAN_OK;
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    kan_status status;
    height_search walk = {.n_batch = 0};
    KAN_TRY_DONE(kan_workers_init(&walk.workers, run, question, kan_search_samarati.kind.name));
    KAN_TRY_DONE(kan_alloc(run, BATCH, sizeof *walk.batch, &walk.batch));
    KAN_TRY_DONE(bisect_heights(&walk));
    KAN_TRY_DONE(conclude(&walk, out));
done:
    kan_free(run, walk.batch);
    kan_workers_destroy(&walk.workers);
    return status;
}

const kan_search_kind kan_search_samarati = {
    .kind = {.name = "samarati",
             .summary = "one answer: the best of those with the fewest levels moved in all",
             .paper = "Incognito 2.2; Samarati 2001"},
    .models = {&kan_model_full_domain, &kan_model_attribute_suppression},
    .needs_monotone = true,
    .search = search,
};
