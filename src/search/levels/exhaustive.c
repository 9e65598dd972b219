/* exhaustive: looks at every node of the lattice (MinGen; incognito.txt 2.2 calls it naive).
 *
 * It is the oracle of all other searches, so it prunes nothing and assumes nothing about the
 * promise: the groups of each node are made and checked. What makes it quick is the order. The
 * attributes are walked as an odometer, the innermost wheel being the attribute with the most
 * levels; the set of a node is rolled up from the one with one level less in the wheel that turned.
 * Keys are laid out in the order of the wheels. So the groups of the innermost wheel, by far the
 * most frequent, are runs of neighbours, and their sizes come from its chain (group/freqsets/chain.h)
 * without making their sets, unless the promise or the cost has to see more than sizes; and the
 * next wheels leave few bits loose for the direct kernel.
 *
 * Threads: the outer wheels are unrolled first, and each of their sets is the root of an
 * independent task.
 *
 * Cost: nodes x tuples, about three nanoseconds per tuple. Memory: two sets per wheel and thread,
 * the roots of the tasks, and two bits per node. */
#include <stdatomic.h>
#include <string.h>

#include "core/pool.h"
#include "group/freqsets/freqsets.h"
#include "search/judge/judge.h"
#include "search/levels/levels.h"

/* Beyond the first even a tiny table takes most of an hour and the bits alone 4 GiB: refused.
 * Beyond the second it is worth a word before the wait. */
#define MOST_NODES (UINT64_C(1) << 34)
#define MANY_NODES (UINT64_C(1) << 30)

typedef struct {
    kan_workspace *workspace;
    kan_judge judge;
    kan_freqset sets[KAN_MAX_ATTRIBUTES][2]; /* per wheel: this level's and the one before */
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_chain chain; /* of the innermost wheel */
    uint64_t n_visited, n_tuples;
} worker_state;

typedef struct {
    kan_freqset set;
    unsigned levels[KAN_MAX_ATTRIBUTES];
} task_root;

typedef struct {
    kan_run *run;
    const kan_question *question;
    kan_lattice lattice;
    unsigned wheels[KAN_MAX_ATTRIBUTES]; /* attributes, outermost first */
    unsigned n_outer;                    /* wheels whose sets are roots */
    bool uses_chain;                     /* group sizes of the innermost wheel without sets */
    unsigned n_workers;                  /* all threads of the run, or one where memory is short */
    size_t n_roots;
    task_root *roots;
    worker_state *workers;
    _Atomic uint64_t *satisfies; /* a bit per node */
    atomic_uint_fast64_t n_done;
} walk_state;

/* ---- one node ------------------------------------------------------------------------------- */

/* Nodes are counted together now and then: threads would wait for each other otherwise. */
static void count_node(walk_state *walk, worker_state *worker) {
    enum { STEP = 256 };
    if (++worker->n_visited % STEP == 0)
        kan_report_units(walk->run, "search", "nodes", atomic_fetch_add(&walk->n_done, STEP) + STEP,
                         walk->lattice.n_nodes);
}

static kan_status visit(walk_state *walk, worker_state *worker, const kan_freqset *set) {
    bool satisfies;
    count_node(walk, worker);
    KAN_TRY(kan_judge_node(&worker->judge, set, &satisfies));
    if (!satisfies)
        return KAN_OK;
    uint64_t node = kan_lattice_node(&walk->lattice, worker->levels);
    atomic_fetch_or_explicit(&walk->satisfies[node >> 6], UINT64_C(1) << (node & 63),
                             memory_order_relaxed);
    return KAN_OK;
}

/* ---- the odometer --------------------------------------------------------------------------- */

/* One level up in one attribute. Fields stay where they are: when a wheel turns, those inside it
 * stand at level 0, so nothing would be gained by packing the keys anew, unless it saves a word. */
static kan_status roll_up(const kan_space *space, const kan_freqset *from, unsigned attribute,
                          worker_state *worker, kan_freqset *out) {
    kan_layout to;
    if (from->layout.n_words == 1)
        kan_layout_keep(&from->layout, attribute, worker->levels[attribute], &to);
    else
        kan_layout_at(space, &from->layout, worker->levels, &to);
    worker->n_tuples += from->n;
    return kan_freqset_regroup(space, from, &to, KAN_KERNEL_AUTO, worker->workspace, out);
}

/* The innermost wheel by its chain: the sizes of the groups settle most nodes, and only those that
 * they leave open get a set. */
static kan_status turn_chain(walk_state *walk, worker_state *worker, unsigned attribute,
                             const kan_freqset *set) {
    const kan_space *space = &walk->question->problem->space;
    const kan_promise *promise = walk->question->promise;
    if (kan_should_stop(walk->run))
        return kan_check_cancel(walk->run);
    KAN_TRY(visit(walk, worker, set));
    KAN_TRY(kan_chain_begin(&worker->chain, set));
    worker->n_tuples += set->n;
    for (unsigned level = 1; level <= kan_lattice_high(&walk->lattice, attribute); level++) {
        uint64_t enough = kan_judge_enough(&worker->judge);
        worker->n_tuples += worker->chain.n;
        kan_chain_up(&worker->chain, level);
        uint64_t failing = kan_chain_small_rows(&worker->chain, promise->least_size, enough);
        bool is_open = failing <= (promise->size_decides ? promise->limit : enough);
        if (is_open) {
            kan_freqset *made = &worker->sets[walk->lattice.n_attributes - 1][0];
            const uint64_t n_tuples = worker->n_tuples;
            worker->levels[attribute] = level;
            KAN_TRY(roll_up(space, set, attribute, worker, made));
            /* A node beyond the limit is looked at where this thread has seen none that loses less.
             * What is told of the effort must not depend on the order of threads. */
            if (failing > promise->limit)
                worker->n_tuples = n_tuples;
            KAN_TRY(visit(walk, worker, made));
        } else {
            count_node(walk, worker);
            if (failing < worker->judge.least_suppressed)
                worker->judge.least_suppressed = failing;
        }
    }
    worker->levels[attribute] = 0;
    return KAN_OK;
}

static kan_status turn(walk_state *walk, worker_state *worker, unsigned wheel,
                       const kan_freqset *set) {
    if (wheel == walk->lattice.n_attributes)
        return visit(walk, worker, set);
    const kan_space *space = &walk->question->problem->space;
    const unsigned attribute = walk->wheels[wheel];
    if (walk->uses_chain && wheel + 1 == walk->lattice.n_attributes &&
        kan_chain_fits(&worker->chain, &set->layout))
        return turn_chain(walk, worker, attribute, set);
    const unsigned low = walk->lattice.low[attribute];
    for (unsigned level = low; level <= kan_lattice_high(&walk->lattice, attribute); level++) {
        if (kan_should_stop(walk->run))
            return kan_check_cancel(walk->run);
        worker->levels[attribute] = level;
        if (level > low) {
            kan_freqset *next = &worker->sets[wheel][level & 1];
            KAN_TRY(roll_up(space, set, attribute, worker, next));
            set = next;
        }
        KAN_TRY(turn(walk, worker, wheel + 1, set));
    }
    worker->levels[attribute] = low;
    return KAN_OK;
}

static kan_status search_task(void *context, size_t task, unsigned index) {
    walk_state *walk = context;
    worker_state *worker = &walk->workers[index];
    task_root *root = &walk->roots[task];
    memcpy(worker->levels, root->levels, sizeof worker->levels);
    KAN_TRY(turn(walk, worker, walk->n_outer, &root->set));
    kan_freqset_destroy(walk->run, &root->set);
    return KAN_OK;
}

/* ---- the roots of the tasks ----------------------------------------------------------------- */

typedef struct {
    walk_state *walk;
    unsigned attribute; /* of the wheel that is unrolled */
    task_root *next;    /* its levels + 1 for each root so far */
} unrolling;

static kan_status unroll_task(void *context, size_t task, unsigned index) {
    unrolling *unroll = context;
    walk_state *walk = unroll->walk;
    worker_state *worker = &walk->workers[index];
    const unsigned attribute = unroll->attribute, height = walk->lattice.heights[attribute];
    task_root *made = &unroll->next[task * (height + 1)];
    made[0] = walk->roots[task];
    kan_freqset_init(&walk->roots[task].set); /* it has moved */
    memcpy(worker->levels, made[0].levels, sizeof worker->levels);
    for (unsigned step = 1; step <= height; step++) {
        KAN_TRY(kan_check_cancel(walk->run));
        worker->levels[attribute]++;
        memcpy(made[step].levels, worker->levels, sizeof worker->levels);
        KAN_TRY(roll_up(&walk->question->problem->space, &made[step - 1].set, attribute, worker,
                        &made[step].set));
    }
    return KAN_OK;
}

static void destroy_roots(walk_state *walk, task_root *roots, size_t n_roots) {
    for (size_t i = 0; roots && i < n_roots; i++)
        kan_freqset_destroy(walk->run, &roots[i].set);
    kan_free(walk->run, roots);
}

/* Turns the next outer wheel of every root, the roots on all threads. */
static kan_status unroll_wheel(walk_state *walk) {
    const unsigned attribute = walk->wheels[walk->n_outer];
    const size_t n_next = walk->n_roots * (walk->lattice.heights[attribute] + 1);
    unrolling unroll = {walk, attribute, NULL};
    KAN_TRY(kan_alloc_zero(walk->run, n_next, sizeof *unroll.next, &unroll.next));
    kan_status status = kan_parallel(walk->run, walk->n_roots, unroll_task, &unroll);
    if (status != KAN_OK) {
        destroy_roots(walk, unroll.next, n_next);
        return status;
    }
    destroy_roots(walk, walk->roots, walk->n_roots);
    walk->roots = unroll.next;
    walk->n_roots = n_next;
    walk->n_outer++;
    return KAN_OK;
}

/* What a worker may need: for each wheel two sets with room to spare, counters and scratch. Under a
 * budget that does not hold that for every thread one does the work. */
static unsigned count_workers(const walk_state *walk) {
    const kan_freqset *base = &walk->question->problem->base;
    const unsigned n_threads = kan_run_threads(walk->run);
    const uint64_t set_bytes = 2 * (base->n + 1) * (base->layout.n_words + 1) * sizeof(uint64_t);
    const uint64_t bytes = set_bytes * (2 * walk->lattice.n_attributes + 4) + (UINT64_C(3) << 20);
    return kan_run_memory_left(walk->run) / 2 / n_threads < bytes ? 1 : n_threads;
}

/* Enough roots to keep the threads busy to the end, within a quarter of the memory that is left. */
static kan_status make_roots(walk_state *walk) {
    const size_t wanted = 16 * (size_t)walk->n_workers;
    const kan_freqset *base = &walk->roots[0].set;
    const uint64_t bytes = (base->n + 1) * (base->layout.n_words + 1) * sizeof(uint64_t);
    const uint64_t gibibyte = UINT64_C(1) << 30, left = kan_run_memory_left(walk->run) / 4;
    const uint64_t most = (left < gibibyte ? left : gibibyte) / bytes;
    while (walk->n_workers > 1 && walk->n_outer + 1 < walk->lattice.n_attributes &&
           walk->n_roots < wanted) {
        unsigned height = walk->lattice.heights[walk->wheels[walk->n_outer]];
        if (walk->n_roots * (height + 1) > most)
            break;
        KAN_TRY(unroll_wheel(walk));
    }
    return KAN_OK;
}

/* ---- before and after ----------------------------------------------------------------------- */

/* Fewest levels outermost; among equals the first attribute stays outside. */
static void order_wheels(walk_state *walk) {
    const kan_lattice *lattice = &walk->lattice;
    for (unsigned a = 0; a < lattice->n_attributes; a++) {
        unsigned at = a;
        for (; at > 0 && lattice->heights[walk->wheels[at - 1]] > lattice->heights[a]; at--)
            walk->wheels[at] = walk->wheels[at - 1];
        walk->wheels[at] = a;
    }
}

/* Where every row may be suppressed every node satisfies the promise, and needs its set anyway.
 * Chains count rows, which say nothing of people. */
static kan_status prepare_chains(walk_state *walk) {
    const kan_problem *problem = walk->question->problem;
    walk->uses_chain =
        !problem->has_person && !kan_promise_takes_all(walk->question->promise, problem);
    for (unsigned i = 0; walk->uses_chain && i < walk->n_workers; i++)
        KAN_TRY(kan_chain_init(&walk->workers[i].chain, &problem->space,
                               walk->wheels[walk->lattice.n_attributes - 1]));
    return KAN_OK;
}

static kan_status prepare(walk_state *walk) {
    kan_run *run = walk->run;
    const kan_problem *problem = walk->question->problem;
    char nodes[32];
    kan_lattice_make(&problem->space, &walk->lattice);
    if (walk->lattice.n_nodes > MOST_NODES)
        return kan_fail(
            run, KAN_UNSATISFIED,
            "the lattice has %s nodes or more, too many to look at each; use --algorithm "
            "bisect, which needs to see only a few of them",
            kan_count_text(walk->lattice.n_nodes, nodes));
    if (walk->lattice.n_nodes > MANY_NODES)
        kan_note(run,
                 "the lattice has %s nodes, and each is looked at, which takes minutes to hours; "
                 "--algorithm bisect looks at a few, --time-limit S gives up in time",
                 kan_count_text(walk->lattice.n_nodes, nodes));
    order_wheels(walk);
    const unsigned n_workers = walk->n_workers = count_workers(walk);
    KAN_TRY(kan_alloc_zero(run, walk->lattice.n_nodes / 64 + 1, sizeof *walk->satisfies,
                           &walk->satisfies));
    KAN_TRY(kan_alloc_zero(run, n_workers, sizeof *walk->workers, &walk->workers));
    for (unsigned i = 0; i < n_workers; i++)
        kan_judge_init(&walk->workers[i].judge, walk->question);
    for (unsigned i = 0; i < n_workers; i++)
        KAN_TRY(kan_workspace_create(run, &walk->workers[i].workspace));
    KAN_TRY(prepare_chains(walk));
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *walk->roots, &walk->roots));
    walk->n_roots = 1;
    memcpy(walk->roots[0].levels, walk->lattice.low, sizeof walk->roots[0].levels);
    KAN_TRY(kan_question_base(walk->question, walk->wheels, walk->workers[0].workspace,
                              &walk->roots[0].set));
    return make_roots(walk);
}

static kan_status conclude(const walk_state *walk, kan_answer *out) {
    kan_answer answer = {.n_checked = walk->lattice.n_nodes};
    kan_judge *judge = &walk->workers[0].judge;
    for (unsigned i = 1; i < walk->n_workers; i++)
        kan_judge_merge(judge, &walk->workers[i].judge);
    /* The threads are done: the bits are plain numbers again. */
    const uint64_t *satisfies = (const uint64_t *)(const void *)walk->satisfies;
    for (unsigned i = 0; i < walk->n_workers; i++) {
        answer.effort.n_rollups += walk->workers[i].n_visited;
        answer.effort.n_tuples += walk->workers[i].n_tuples;
    }
    kan_judge_answer(judge, true, &answer);
    KAN_TRY(kan_judge_space(judge, &walk->lattice, satisfies, &answer));
    *out = answer;
    return KAN_OK;
}

static void clean_up(walk_state *walk) {
    kan_run *run = walk->run;
    destroy_roots(walk, walk->roots, walk->n_roots);
    for (unsigned i = 0; walk->workers && i < walk->n_workers; i++) {
        worker_state *worker = &walk->workers[i];
        for (unsigned w = 0; w < walk->lattice.n_attributes; w++) {
            kan_freqset_destroy(run, &worker->sets[w][0]);
            kan_freqset_destroy(run, &worker->sets[w][1]);
        }
        kan_judge_destroy(&worker->judge);
        kan_chain_destroy(&worker->chain);
        kan_workspace_destroy(worker->workspace);
    }
    kan_free(run, walk->workers);
    kan_free(run, (const void *)walk->satisfies);
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    kan_status status;
    walk_state walk = {.run = run, .question = question};
    KAN_TRY_DONE(prepare(&walk));
    /* One worker has one root: the whole lattice. */
    KAN_TRY_DONE(walk.n_workers == 1 ? search_task(&walk, 0, 0)
                                     : kan_parallel(run, walk.n_roots, search_task, &walk));
    KAN_TRY_DONE(conclude(&walk, out));
done:
    clean_up(&walk);
    return status;
}

const kan_search_kind kan_search_exhaustive = {
    .kind = {.name = "exhaustive",
             .summary = "all answers: tries every combination of levels; right for any promise",
             .paper = "MinGen; Incognito 2.2"},
    .models = {&kan_model_full_domain, &kan_model_attribute_suppression},
    .finds_all = true,
    .finds_best = true,
    .search = search,
};
