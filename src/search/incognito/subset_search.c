/* The loop of Figure 8: see subset_search.h.
 *
 * Threads: the graphs of one size of subset are independent, and each is a task. Where there are
 * fewer graphs than would keep the threads busy (the last sizes), the graphs come one by one, and
 * the nodes of one height are the tasks.
 *
 * Cost: at least one check per subset, 2^n - 1 of them; most are of small sets. */
#include "search/incognito/subset_search.h"

#include <stdatomic.h>
#include <string.h>

#include "search/boxes/boxes.h"
#include "search/levels/levels.h"

/* ---- frequency sets ------------------------------------------------------------------------- */

uint64_t kan_freqset_bytes(const kan_freqset *set) {
    return sizeof *set + (uint64_t)set->n * (set->layout.n_words + 1) * sizeof(uint64_t);
}

kan_status kan_freqset_keep(kan_run *run, const kan_freqset *set, kan_freqset **out) {
    kan_freqset *kept;
    const size_t n_keys = set->n * set->layout.n_words;
    KAN_TRY(kan_alloc(run, 1, (size_t)kan_freqset_bytes(set), &kept));
    *kept = *set;
    kept->key_room = kept->count_room = 0; /* it cannot grow */
    kept->keys = (uint64_t *)(void *)(kept + 1);
    kept->counts = kept->keys + n_keys;
    if (set->n > 0) {
        memcpy(kept->keys, set->keys, n_keys * sizeof *kept->keys);
        memcpy(kept->counts, set->counts, set->n * sizeof *kept->counts);
    }
    *out = kept;
    return KAN_OK;
}

void kan_subset_layout(const kan_subset_search *search, unsigned n, const unsigned *places,
                       const unsigned *levels, kan_layout *out) {
    unsigned dimensions[KAN_MAX_FIELDS], chosen[KAN_MAX_FIELDS];
    for (unsigned i = 0; i < n; i++) {
        dimensions[i] = search->order[places[i]];
        chosen[i] = levels[i];
    }
    for (unsigned t = 0; t < search->n_tails; t++) {
        dimensions[n + t] = search->tails[t];
        chosen[n + t] = 0;
    }
    kan_layout_make(search->space, dimensions, chosen, n + search->n_tails, out);
}

void kan_subset_count(kan_subset_worker *worker, const kan_freqset *from, kan_origin origin) {
    worker->effort.n_scans += origin == KAN_FROM_BASE;
    worker->effort.n_rollups += origin == KAN_FROM_SET;
    worker->effort.n_cube += origin == KAN_FROM_CUBE;
    worker->effort.n_tuples += from->n;
}

kan_status kan_subset_regroup(const kan_subset_search *search, kan_subset_worker *worker,
                              const kan_freqset *from, kan_origin origin, const kan_layout *to,
                              kan_freqset *out) {
    kan_subset_count(worker, from, origin);
    return kan_freqset_regroup(search->space, from, to, KAN_KERNEL_AUTO, worker->workspace, out);
}

/* ---- before --------------------------------------------------------------------------------- */

/* Rolling up the last field of a key is the quickest: the attribute with the most levels stands
 * there, and those with few values first, so that little is loose below the others. */
static void order_attributes(kan_subset_search *search) {
    const kan_space *space = search->space;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const kan_dimension *added = &space->dimensions[a];
        unsigned at = a;
        for (; at > 0; at--) {
            const kan_dimension *other = &space->dimensions[search->order[at - 1]];
            if (other->height < added->height ||
                (other->height == added->height &&
                 kan_dimension_groups(other, 0) <= kan_dimension_groups(added, 0)))
                break;
            search->order[at] = search->order[at - 1];
        }
        search->order[at] = a;
    }
}

/* The base that subsets are made from: tails that only a cost needs would make it larger. */
static kan_status make_base(kan_subset_search *search) {
    const kan_problem *problem = search->question->problem;
    unsigned dimensions[KAN_MAX_FIELDS], n = search->space->n_attributes;
    for (unsigned t = 0; t < search->space->n_tails; t++)
        if ((problem->has_person && t == 0) ||
            (search->question->promise->needs_tallies && problem->class_tail != (int)t))
            search->tails[search->n_tails++] = n + t;
    memcpy(dimensions, search->order, n * sizeof *dimensions);
    memcpy(dimensions + n, search->tails, search->n_tails * sizeof *dimensions);
    return kan_freqset_project(search->space, &problem->base, dimensions, n + search->n_tails,
                               search->workers[0].workspace, &search->base);
}

/* What sets are kept must not depend on the number of threads; so where memory is too short for all
 * of them, one does the work. */
static void share_memory(kan_subset_search *search) {
    const kan_freqset *base = &search->question->problem->base;
    const uint64_t left = kan_run_memory_left(search->run);
    const uint64_t set_bytes = (base->n + 1) * (base->layout.n_words + 1) * sizeof(uint64_t);
    const uint64_t plenty = UINT64_C(256) << 20;
    uint64_t most = 64 * set_bytes > plenty ? 64 * set_bytes : plenty;
    search->keep_bytes = left / 8 < most ? left / 8 : most;
    /* beside it sets in hand and scratch, with room to spare, and counters */
    const uint64_t needed = search->keep_bytes + 16 * set_bytes + (UINT64_C(6) << 20);
    const unsigned n_threads = kan_run_threads(search->run);
    search->n_workers = left / 2 / n_threads < needed ? 1 : n_threads;
}

static void count_known(kan_subset_search *search) {
    search->n_known = 1;
    for (unsigned a = 0; a < search->lattice.n_attributes; a++)
        search->n_known *= search->lattice.heights[a] + 2u; /* its levels, or not in the subset */
    search->n_known--;
}

static kan_status prepare(kan_subset_search *search) {
    kan_lattice lattice;
    kan_lattice_make(search->space, &lattice);
    KAN_TRY(kan_candidates_check(search->run, &lattice));
    order_attributes(search);
    kan_lattice_part(&lattice, search->order, lattice.n_attributes, &search->lattice);
    count_known(search);
    share_memory(search);
    KAN_TRY(
        kan_alloc_zero(search->run, search->n_workers, sizeof *search->workers, &search->workers));
    for (unsigned i = 0; i < search->n_workers; i++) {
        search->workers[i].index = i;
        kan_judge_init(&search->workers[i].judge, search->question);
        kan_sizes_init(&search->workers[i].sizes, search->space);
    }
    for (unsigned i = 0; i < search->n_workers; i++)
        KAN_TRY(kan_workspace_create(search->run, &search->workers[i].workspace));
    return make_base(search);
}

kan_status kan_subset_search_create(kan_run *run, const kan_question *question,
                                    kan_subset_search **out) {
    kan_subset_search *search;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *search, &search));
    search->run = run;
    search->question = question;
    search->space = &question->problem->space;
    search->is_literal = kan_marking_is_literal(question->options);
    kan_freqset_init(&search->base);
    kan_status status = prepare(search);
    if (status != KAN_OK) {
        kan_subset_search_destroy(search);
        return status;
    }
    *out = search;
    return KAN_OK;
}

/* What only the loop needs. */
static void release_scratch(kan_subset_search *search) {
    for (unsigned i = 0; search->workers && i < search->n_workers; i++) {
        kan_graph_walk_destroy(search->run, &search->workers[i].walk);
        kan_sizes_destroy(&search->workers[i].sizes);
        kan_sizes_init(&search->workers[i].sizes, search->space);
        kan_workspace_destroy(search->workers[i].workspace);
        search->workers[i].workspace = NULL;
    }
    kan_freqset_destroy(search->run, &search->base);
}

void kan_subset_search_destroy(kan_subset_search *search) {
    if (!search)
        return;
    kan_run *run = search->run;
    release_scratch(search);
    for (unsigned i = 0; search->workers && i < search->n_workers; i++)
        kan_judge_destroy(&search->workers[i].judge);
    kan_free(run, search->workers);
    kan_free(run, search);
}

/* ---- the loop ------------------------------------------------------------------------------- */

kan_status kan_subset_parallel(kan_subset_search *search, size_t n_tasks, kan_task_fn task,
                               void *context) {
    if (search->n_workers > 1)
        return kan_parallel(search->run, n_tasks, task, context);
    for (size_t i = 0; i < n_tasks; i++)
        KAN_TRY(task(context, i, 0));
    return KAN_OK;
}

typedef struct {
    kan_subset_search *search;
    const kan_survivors *fewer;
    kan_survivors *now;
} size_step;

static kan_status search_subset(const size_step *step, size_t subset, unsigned index,
                                bool is_alone) {
    kan_subset_search *search = step->search;
    kan_subset_worker *worker = &search->workers[index];
    const kan_supply *supply = search->supply;
    kan_candidates *graph = &worker->walk.graph;
    KAN_TRY(kan_check_cancel(search->run));
    KAN_TRY(kan_candidates_make(search->run, &search->lattice, step->fewer,
                                step->now->subsets[subset].mask, graph));
    if (supply->begin && graph->n > 0)
        KAN_TRY(supply->begin(supply->context, index, graph));
    return kan_graph_search(search, worker, is_alone, &step->now->subsets[subset]);
}

static kan_status subset_task(void *context, size_t task, unsigned index) {
    return search_subset(context, task, index, false);
}

static kan_status search_size(size_step *step) {
    const size_t n = step->now->n_subsets;
    if (n >= 2 * (size_t)step->search->n_workers)
        return kan_subset_parallel(step->search, n, subset_task, step);
    for (size_t subset = 0; subset < n; subset++)
        KAN_TRY(search_subset(step, subset, 0, true));
    return KAN_OK;
}

/* S_n: the nodes of all attributes that satisfy the promise. */
static kan_status search_all(kan_subset_search *search, kan_survivors *out) {
    const unsigned n = search->lattice.n_attributes;
    kan_survivors fewer = {.n_subsets = 0}, now = {.n_subsets = 0};
    kan_status status = KAN_OK;
    for (unsigned size = 1; size <= n; size++) {
        KAN_TRY_DONE(kan_survivors_create(search->run, n, size, &now));
        size_step step = {search, &fewer, &now};
        KAN_TRY_DONE(search_size(&step));
        kan_survivors_destroy(search->run, &fewer);
        fewer = now;
        now = (kan_survivors){.n_subsets = 0};
    }
    *out = fewer;
    fewer = now;
done:
    kan_survivors_destroy(search->run, &fewer);
    kan_survivors_destroy(search->run, &now);
    return status;
}

/* ---- after ---------------------------------------------------------------------------------- */

/* From numbers in the order of places to a bit per node of the problem's own lattice. */
static void set_bits(const kan_subset_search *search, const kan_subset_nodes *subset,
                     const kan_lattice *lattice, uint64_t *satisfies) {
    unsigned places[KAN_MAX_ATTRIBUTES], levels[KAN_MAX_ATTRIBUTES];
    for (size_t i = 0; i < subset->n; i++) {
        kan_lattice_levels(&search->lattice, subset->nodes[i], places);
        for (unsigned a = 0; a < lattice->n_attributes; a++)
            levels[search->order[a]] = places[a];
        kan_bit_set(satisfies, kan_lattice_node(lattice, levels));
    }
}

/* Nothing was found, and the user is told what would have to be suppressed. Where a group that
 * passes stays one after any merge, nothing suppresses less than the top; otherwise any node
 * might. */
static kan_status find_least_suppressed(kan_subset_search *search, const kan_lattice *lattice,
                                        kan_judge *judge, kan_effort *effort) {
    kan_status status;
    kan_workspace *workspace = NULL;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_freqset base, set;
    uint64_t node = search->question->promise->absorbs_any ? lattice->n_nodes - 1 : 0;
    kan_freqset_init(&base);
    kan_freqset_init(&set);
    KAN_TRY_DONE(kan_workspace_create(search->run, &workspace));
    KAN_TRY_DONE(kan_question_base(search->question, search->order, workspace, &base));
    kan_lattice_levels(lattice, node, levels);
    for (; node < lattice->n_nodes; node++, kan_lattice_next(lattice, levels)) {
        bool satisfies;
        KAN_TRY_DONE(kan_check_cancel(search->run));
        KAN_TRY_DONE(kan_freqset_rollup(search->space, &base, levels, workspace, &set));
        KAN_TRY_DONE(kan_judge_node(judge, &set, &satisfies));
        effort->n_scans++;
        effort->n_tuples += base.n;
    }
done:
    kan_freqset_destroy(search->run, &base);
    kan_freqset_destroy(search->run, &set);
    kan_workspace_destroy(workspace);
    return status;
}

static kan_status conclude(kan_subset_search *search, const kan_subset_nodes *subset,
                           kan_answer *out) {
    kan_status status = KAN_OK;
    kan_answer answer = {.n_checked = 0};
    kan_judge *judge = &search->workers[0].judge;
    kan_lattice lattice;
    uint64_t *satisfies = NULL;
    kan_lattice_make(search->space, &lattice);
    KAN_TRY_DONE(
        kan_alloc_zero(search->run, lattice.n_nodes / 64 + 1, sizeof *satisfies, &satisfies));
    set_bits(search, subset, &lattice, satisfies);
    for (unsigned i = 0; i < search->n_workers; i++) {
        const kan_effort *effort = &search->workers[i].effort;
        answer.n_checked += search->workers[i].n_checked;
        answer.effort.n_scans += effort->n_scans;
        answer.effort.n_rollups += effort->n_rollups;
        answer.effort.n_cube += effort->n_cube;
        answer.effort.n_tuples += effort->n_tuples;
    }
    KAN_TRY_DONE(kan_judge_find_best(judge, &lattice, satisfies, &answer.effort));
    if (!judge->best.is_found)
        KAN_TRY_DONE(find_least_suppressed(search, &lattice, judge, &answer.effort));
    kan_judge_answer(judge, true, &answer);
    KAN_TRY_DONE(kan_judge_space(judge, &lattice, satisfies, &answer));
    *out = answer;
done:
    kan_free(search->run, satisfies);
    return status;
}

kan_status kan_subset_search_run(kan_subset_search *search, const kan_supply *supply,
                                 const kan_observer *observer, kan_answer *out) {
    kan_survivors survivors;
    search->supply = supply;
    search->observer = observer;
    KAN_TRY(search_all(search, &survivors));
    release_scratch(search);
    kan_status status = conclude(search, &survivors.subsets[0], out);
    kan_survivors_destroy(search->run, &survivors);
    return status;
}
