/* hash-minimal: for every generalization strategy the lowest height at which all tuples fall into
 * the k-anonymous class; the minimal ones of these (hash-minimal.txt 4 and 5).
 *
 * A strategy is a way from the bottom of the lattice to its top. The tuples at each height of it
 * are counted into buckets by their rows (search/levels/hash_minimal_buckets.h), and the height
 * that the paper's Algorithm 1 returns is the least one with all tuples in bucket k. Since merging
 * tuples never takes one out of bucket k, that height is found by bisection. With a suppression
 * limit the rows outside bucket k must be within it; and where the promise says more than a number
 * of rows, the judge has the last word on what the buckets leave open.
 *
 * A set of minimal generalizations needs all strategies, and there are far too many. But strategies
 * cross: what is known of a node holds for all strategies through it, and a node that fails (or
 * satisfies) settles everything below (or above) it. So strategies are chosen through nodes that
 * are still open, until none is; only their open stretch is bisected. The minimal generalizations
 * are then found by dominance among all nodes that satisfy.
 *
 * Several strategies are bisected side by side, one node each at a time, these nodes on all
 * threads. Their number is fixed, and what is learned is taken over in their order, so that the
 * nodes checked are the same for any number of threads. Each keeps the set of its last failing
 * node; a node is rolled up from the smallest of these that lies below it.
 *
 * Cost: about log2(open stretch) sets for each strategy, and nodes x attributes steps to hand on
 * what is known. Memory: three bits per node, a set per strategy in hand. */
#include <string.h>

#include "search/levels/hash_minimal_buckets.h"
#include "search/levels/levels.h"
#include "search/levels/workers.h"

/* Strategies in hand. More of them learn less from each other, fewer leave threads idle. */
enum { N_STRATEGIES = 8 };

typedef struct {
    uint64_t *nodes;     /* the open stretch, from below; room for a whole strategy */
    unsigned first, end; /* nodes[first .. end-1] are still open; none: no strategy */

    /* The node that is checked next. */
    uint64_t node;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    const kan_freqset *source;
    bool satisfies;
    kan_freqset made; /* its set, when it fails and may be kept */

    /* The last node that failed: its set is a source for nodes above it. */
    kan_freqset kept; /* no tuples: none */
    unsigned kept_levels[KAN_MAX_ATTRIBUTES];
} strategy;

typedef struct {
    kan_workers workers;
    kan_size_buckets *buckets; /* per worker */
    strategy strategies[N_STRATEGIES];
    strategy *probed[N_STRATEGIES]; /* those of this round */
    /* A bit per node. Open is a node that neither satisfies nor fails as far as is known. */
    uint64_t *satisfies, *fails;
    uint64_t *claimed; /* on the open stretch of a strategy in hand */
    uint64_t n_settled;
    uint64_t cursor; /* no open node has a lower number */
    size_t n_stack, stack_room;
    uint64_t *stack; /* nodes whose neighbours are still to be told */
} bucket_search;

static bool is_open(const bucket_search *walk, uint64_t node) {
    return !kan_bit(walk->satisfies, node) && !kan_bit(walk->fails, node);
}

static bool is_free(const bucket_search *walk, uint64_t node) {
    return is_open(walk, node) && !kan_bit(walk->claimed, node);
}

static void unclaim(bucket_search *walk, uint64_t node) {
    walk->claimed[node >> 6] &= ~(UINT64_C(1) << (node & 63));
}

/* ---- what follows from a node --------------------------------------------------------------- */

static kan_status settle(bucket_search *walk, uint64_t *bits, uint64_t node) {
    KAN_TRY(kan_reserve(walk->workers.run, walk->n_stack + 1, sizeof *walk->stack,
                        &walk->stack_room, &walk->stack));
    kan_bit_set(bits, node);
    walk->stack[walk->n_stack++] = node;
    walk->n_settled++;
    return KAN_OK;
}

/* A node that satisfies settles all above it, one that fails all below it. */
static kan_status settle_all(bucket_search *walk, uint64_t node, bool satisfies) {
    const kan_lattice *lattice = &walk->workers.lattice;
    uint64_t *bits = satisfies ? walk->satisfies : walk->fails;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    if (kan_bit(bits, node)) /* it followed from another node of the round */
        return KAN_OK;
    KAN_TRY(settle(walk, bits, node));
    while (walk->n_stack > 0) {
        node = walk->stack[--walk->n_stack];
        kan_lattice_levels(lattice, node, levels);
        for (unsigned a = 0; a < lattice->n_attributes; a++) {
            if (levels[a] == (satisfies ? kan_lattice_high(lattice, a) : lattice->low[a]))
                continue;
            uint64_t next = satisfies ? node + lattice->strides[a] : node - lattice->strides[a];
            if (!kan_bit(bits, next))
                KAN_TRY(settle(walk, bits, next));
        }
    }
    return KAN_OK;
}

/* ---- choosing strategies -------------------------------------------------------------------- */

/* The first free node, UINT64_MAX when there is none. */
static uint64_t find_free(bucket_search *walk) {
    const uint64_t n_nodes = walk->workers.lattice.n_nodes;
    while (walk->cursor < n_nodes && !is_open(walk, walk->cursor))
        walk->cursor++;
    for (uint64_t word = walk->cursor / 64; word <= n_nodes / 64; word++) {
        uint64_t taken = walk->satisfies[word] | walk->fails[word] | walk->claimed[word];
        uint64_t node = word * 64 + (uint64_t)__builtin_ctzll(~taken | UINT64_C(1) << 63);
        if (~taken && node < n_nodes)
            return node;
    }
    return UINT64_MAX;
}

/* Where a strategy goes on from a node, upwards or down: of the free nodes the one at which the
 * values of the attribute that changes merge most (split least, downwards); of equals the first. */
static bool find_step(const bucket_search *walk, uint64_t node, bool is_upward, uint64_t *next) {
    const kan_lattice *lattice = &walk->workers.lattice;
    const kan_space *space = &walk->workers.question->problem->space;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    uint64_t best_here = 0, best_there = 1; /* values before and after the step */
    kan_lattice_levels(lattice, node, levels);
    for (unsigned a = 0; a < lattice->n_attributes; a++) {
        if (levels[a] == (is_upward ? kan_lattice_high(lattice, a) : lattice->low[a]))
            continue;
        const unsigned level = is_upward ? levels[a] + 1 : levels[a] - 1;
        const uint64_t there = is_upward ? node + lattice->strides[a] : node - lattice->strides[a];
        const uint64_t n_here = kan_dimension_groups(&space->dimensions[a], levels[a]);
        const uint64_t n_there = kan_dimension_groups(&space->dimensions[a], level);
        if (!is_free(walk, there) || n_here * best_there <= best_here * n_there)
            continue;
        best_here = n_here;
        best_there = n_there;
        *next = there;
    }
    return best_here > 0;
}

/* A new strategy through a free node: its open stretch, as far as no other strategy has it. The
 * nodes below and above the stretch are settled or another's: any way through them will do. */
static void begin_strategy(bucket_search *walk, strategy *chosen) {
    uint64_t node = find_free(walk), next;
    chosen->first = chosen->end = 0;
    if (node == UINT64_MAX)
        return;
    while (find_step(walk, node, false, &next))
        node = next;
    do {
        chosen->nodes[chosen->end++] = node;
        kan_bit_set(walk->claimed, node);
    } while (find_step(walk, node, true, &node));
}

/* Takes over what is known by now; false when nothing of the stretch is open. */
static bool narrow_strategy(bucket_search *walk, strategy *chosen) {
    while (chosen->first < chosen->end && kan_bit(walk->fails, chosen->nodes[chosen->first]))
        unclaim(walk, chosen->nodes[chosen->first++]);
    while (chosen->first < chosen->end && kan_bit(walk->satisfies, chosen->nodes[chosen->end - 1]))
        unclaim(walk, chosen->nodes[--chosen->end]);
    return chosen->first < chosen->end;
}

/* ---- checking ------------------------------------------------------------------------------- */

static bool is_below(const kan_lattice *lattice, const unsigned *a, const unsigned *b) {
    for (unsigned i = 0; i < lattice->n_attributes; i++)
        if (a[i] > b[i])
            return false;
    return true;
}

/* The middle of the open stretch, and the smallest set that it can be made of. */
static void choose_probe(bucket_search *walk, strategy *chosen) {
    const kan_lattice *lattice = &walk->workers.lattice;
    chosen->node = chosen->nodes[chosen->first + (chosen->end - chosen->first) / 2];
    kan_lattice_levels(lattice, chosen->node, chosen->levels);
    chosen->source = &walk->workers.base;
    for (unsigned i = 0; i < N_STRATEGIES; i++) {
        const strategy *other = &walk->strategies[i];
        if (other->kept.n > 0 && other->kept.n < chosen->source->n &&
            is_below(lattice, other->kept_levels, chosen->levels))
            chosen->source = &other->kept;
    }
}

/* Most failing nodes have more rows outside bucket k than anybody asks about; the others are
 * judged, which also measures those that satisfy. Where the limit is of people, rows cannot be held
 * against it: all are judged. */
static kan_status check_task(void *context, size_t task, unsigned index) {
    bucket_search *walk = context;
    kan_workers *workers = &walk->workers;
    kan_worker *worker = &workers->each[index];
    kan_size_buckets *buckets = &walk->buckets[index];
    strategy *chosen = walk->probed[task];
    kan_groups groups;
    KAN_TRY(kan_workers_make(workers, worker, chosen->source, chosen->levels));
    KAN_TRY(kan_viewer_groups(&worker->judge.viewer, &worker->set, &groups));
    kan_size_buckets_fill(buckets, &groups);
    chosen->satisfies = false;
    if (kan_leavers_thin(worker->judge.question->problem, worker->judge.question->promise) ||
        buckets->rows_outside <= kan_judge_enough(&worker->judge))
        KAN_TRY(kan_judge_node(&worker->judge, &worker->set, &chosen->satisfies));
    if (!chosen->satisfies &&
        kan_workers_bytes(&worker->set.layout, worker->set.n) <= workers->keep_bytes / N_STRATEGIES)
        return kan_workers_keep(workers, worker, &chosen->made);
    return KAN_OK;
}

static kan_status take_over(bucket_search *walk, strategy *probed) {
    if (probed->made.keys) {
        kan_freqset_destroy(walk->workers.run, &probed->kept);
        probed->kept = probed->made;
        kan_freqset_init(&probed->made);
        memcpy(probed->kept_levels, probed->levels, sizeof probed->levels);
    }
    return settle_all(walk, probed->node, probed->satisfies);
}

static kan_status search_rounds(bucket_search *walk) {
    const uint64_t n_nodes = walk->workers.lattice.n_nodes;
    while (walk->n_settled < n_nodes) {
        size_t n_probed = 0;
        for (unsigned i = 0; i < N_STRATEGIES; i++) {
            strategy *chosen = &walk->strategies[i];
            if (!narrow_strategy(walk, chosen))
                begin_strategy(walk, chosen);
            if (chosen->first == chosen->end)
                continue;
            choose_probe(walk, chosen);
            walk->probed[n_probed++] = chosen;
        }
        KAN_TRY(kan_workers_run(&walk->workers, n_probed, check_task, walk));
        for (size_t i = 0; i < n_probed; i++)
            KAN_TRY(take_over(walk, walk->probed[i]));
        kan_report_units(walk->workers.run, "search", "nodes", walk->n_settled, n_nodes);
    }
    return KAN_OK;
}

/* ---- before and after ----------------------------------------------------------------------- */

static kan_status prepare(bucket_search *walk, kan_run *run, const kan_question *question) {
    kan_workers *workers = &walk->workers;
    KAN_TRY(kan_workers_init(workers, run, question, kan_search_hash_minimal.kind.name));
    const size_t n_words = workers->lattice.n_nodes / 64 + 1;
    KAN_TRY(kan_alloc_zero(run, n_words, sizeof *walk->satisfies, &walk->satisfies));
    KAN_TRY(kan_alloc_zero(run, n_words, sizeof *walk->fails, &walk->fails));
    KAN_TRY(kan_alloc_zero(run, n_words, sizeof *walk->claimed, &walk->claimed));
    KAN_TRY(kan_alloc_zero(run, workers->n, sizeof *walk->buckets, &walk->buckets));
    for (unsigned i = 0; i < workers->n; i++)
        KAN_TRY(kan_size_buckets_init(&walk->buckets[i], run, question->promise->least_size,
                                      question->problem->n_rows));
    for (unsigned i = 0; i < N_STRATEGIES; i++)
        KAN_TRY(kan_alloc(run, workers->lattice.height + 1, sizeof(uint64_t),
                          &walk->strategies[i].nodes));
    return KAN_OK;
}

static void clean_up(bucket_search *walk, kan_run *run) {
    for (unsigned i = 0; i < N_STRATEGIES; i++) {
        strategy *chosen = &walk->strategies[i];
        kan_freqset_destroy(run, &chosen->kept);
        kan_freqset_destroy(run, &chosen->made);
        kan_free(run, chosen->nodes);
    }
    for (unsigned i = 0; walk->buckets && i < walk->workers.n; i++)
        kan_size_buckets_destroy(&walk->buckets[i]);
    kan_free(run, walk->buckets);
    kan_free(run, walk->satisfies);
    kan_free(run, walk->fails);
    kan_free(run, walk->claimed);
    kan_free(run, walk->stack);
    kan_workers_destroy(&walk->workers);
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    kan_status status;
    bucket_search walk = {.n_settled = 0};
    KAN_TRY_DONE(prepare(&walk, run, question));
    KAN_TRY_DONE(search_rounds(&walk));
    KAN_TRY_DONE(kan_workers_conclude(&walk.workers, walk.satisfies, out));
done:
    clean_up(&walk, run);
    return status;
}

const kan_search_kind kan_search_hash_minimal = {
    .kind = {.name = "hash-minimal",
             .summary = "all answers: bisects paths from the most detailed to the most general",
             .paper = "Sun, Li, Wang, Plank 2008, 4, 5"},
    .models = {&kan_model_full_domain, &kan_model_attribute_suppression},
    .needs_monotone = true,
    .finds_all = true,
    .finds_best = true,
    .search = search,
};
