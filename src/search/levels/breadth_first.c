/* Breadth-first search of the whole lattice, with marks (incognito.txt 2.2 and Figure 8).
 *
 * The queue of Figure 8 is sorted by height, and a node of one height only has to do with checked
 * nodes of the height below: those that fail put it into the queue, those that satisfy mark it. So
 * the heights are done one by one, and the nodes of one height, which are independent, on all
 * threads. A node is wanted for the next height when,
 *
 *   literal      a checked node below it fails and no checked node below it satisfies;
 *   transitive   every node below it fails: had one of them not been checked, it would have been
 *                marked, and would satisfy.
 *
 * What lies directly above the checked nodes is found by merging one ascending list of node numbers
 * per attribute (the checked nodes, one level up in it). Equal heads of these lists are one node,
 * and where they come from are the checked nodes below it: no set of nodes has to be searched.
 *
 * All that was not checked to fail satisfies: every node below a failing one fails, so that a
 * failing node is never marked and always reached.
 *
 * Rolling up, the sets of failing nodes are kept until the last node that is made of them, within
 * the memory that may be used for it. A height is done in blocks of nodes, and what may be kept of
 * a block is decided before it is checked, by the largest sizes that its sets can have: so it does
 * not depend on threads.
 *
 * Cost: for each node checked one regroup of the base, or of the smaller set. Memory: a bit per
 * node, some bytes per node of two heights, and the kept sets. */
#include "search/levels/breadth_first.h"

#include "search/judge/judge.h"
#include "search/levels/workers.h"

#define FROM_BASE SIZE_MAX

/* Nodes of a block: enough for many threads, few enough to know well what room is left. */
enum { BLOCK = 64 };

/* A node that is checked, or was at the height before. */
typedef struct {
    uint64_t node;
    size_t source;    /* the place below of the node whose set it is made of, or FROM_BASE */
    kan_freqset *set; /* kept, or NULL */
    size_t n_users;   /* nodes above that are still to be made of it */
    bool may_keep, satisfies;
} checked_node;

typedef struct {
    size_t n, room;
    checked_node *nodes; /* by number */
} height_nodes;

typedef struct {
    kan_workers workers;
    bool rolls_up, is_literal;
    height_nodes below, here;
    size_t first;        /* of the block in hand */
    uint64_t kept_bytes; /* of all sets that are kept */
    uint64_t *fails;     /* a bit per node */
} breadth_first;

/* ---- the sets of a height ------------------------------------------------------------------- */

static uint64_t bytes_of(const kan_freqset *set) {
    return kan_workers_bytes(&set->layout, set->n);
}

static void drop_set(breadth_first *walk, checked_node *checked) {
    if (!checked->set)
        return;
    walk->kept_bytes -= bytes_of(checked->set);
    kan_freqset_destroy(walk->workers.run, checked->set);
    kan_free(walk->workers.run, checked->set);
    checked->set = NULL;
}

static const kan_freqset *source_of(const breadth_first *walk, const checked_node *checked) {
    return checked->source == FROM_BASE ? &walk->workers.base
                                        : walk->below.nodes[checked->source].set;
}

/* Which sets of a block may be kept. No set is larger than the one that it is made of. */
static void plan_block(const breadth_first *walk, size_t n) {
    uint64_t bytes = walk->kept_bytes;
    for (size_t i = 0; walk->rolls_up && i < n; i++) {
        checked_node *checked = &walk->here.nodes[walk->first + i];
        const uint64_t most = bytes_of(source_of(walk, checked));
        checked->may_keep = bytes + most <= walk->workers.keep_bytes;
        bytes += checked->may_keep ? most : 0;
    }
}

/* Takes over what a block has found, and drops the sets that no other node is made of. */
static void conclude_block(breadth_first *walk, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const checked_node *checked = &walk->here.nodes[walk->first + i];
        if (!checked->satisfies)
            kan_bit_set(walk->fails, checked->node);
        if (checked->source == FROM_BASE)
            continue;
        checked_node *source = &walk->below.nodes[checked->source];
        if (--source->n_users == 0)
            drop_set(walk, source);
    }
}

/* ---- the nodes of a height ------------------------------------------------------------------ */

/* The lists of nodes above the checked ones: by attribute the next place in `below`. */
typedef struct {
    size_t next[KAN_MAX_ATTRIBUTES];
} merge_state;

/* The node one level up in the attribute; passes over nodes that are at its top. */
static uint64_t list_head(const breadth_first *walk, merge_state *merge, unsigned attribute) {
    const kan_lattice *lattice = &walk->workers.lattice;
    const uint64_t stride = lattice->strides[attribute];
    const unsigned height = lattice->heights[attribute];
    for (size_t *next = &merge->next[attribute]; *next < walk->below.n; ++*next) {
        uint64_t node = walk->below.nodes[*next].node;
        if (node / stride % (height + 1) < height)
            return node + stride;
    }
    return UINT64_MAX;
}

static bool is_smaller_source(const breadth_first *walk, size_t place, size_t than) {
    const kan_freqset *set = walk->below.nodes[place].set;
    return set && (than == FROM_BASE || set->n < walk->below.nodes[than].set->n);
}

/* The next node above a checked one, UINT64_MAX when there is none; whether it is to be checked,
 * and of what its set is made. */
static uint64_t next_above(breadth_first *walk, merge_state *merge, bool *is_wanted,
                           size_t *source) {
    const kan_lattice *lattice = &walk->workers.lattice;
    uint64_t heads[KAN_MAX_ATTRIBUTES], node = UINT64_MAX;
    unsigned n_below = 0, n_failing = 0, n_satisfying = 0;
    for (unsigned a = 0; a < lattice->n_attributes; a++) {
        heads[a] = list_head(walk, merge, a);
        node = heads[a] < node ? heads[a] : node;
    }
    *source = FROM_BASE;
    for (unsigned a = 0; a < lattice->n_attributes && node != UINT64_MAX; a++) {
        n_below += node / lattice->strides[a] % (lattice->heights[a] + 1) > 0;
        if (heads[a] != node)
            continue;
        size_t place = merge->next[a]++;
        n_satisfying += walk->below.nodes[place].satisfies;
        n_failing += !walk->below.nodes[place].satisfies;
        if (is_smaller_source(walk, place, *source))
            *source = place;
    }
    *is_wanted = walk->is_literal ? n_failing > 0 && n_satisfying == 0 : n_failing == n_below;
    return node;
}

static kan_status add_node(breadth_first *walk, uint64_t node, size_t source) {
    height_nodes *here = &walk->here;
    KAN_TRY(kan_reserve(walk->workers.run, here->n + 1, sizeof *here->nodes, &here->room,
                        &here->nodes));
    checked_node *checked = &here->nodes[here->n++];
    *checked = (checked_node){.node = node, .source = source};
    if (source != FROM_BASE)
        walk->below.nodes[source].n_users++;
    return KAN_OK;
}

/* What was here is below now, and what is to be checked above it is here. */
static kan_status go_up(breadth_first *walk) {
    merge_state merge = {{0}};
    height_nodes below = walk->here;
    walk->here = walk->below;
    walk->here.n = 0;
    walk->below = below;
    for (;;) {
        bool is_wanted;
        size_t source;
        uint64_t node = next_above(walk, &merge, &is_wanted, &source);
        if (node == UINT64_MAX)
            break;
        if (is_wanted)
            KAN_TRY(add_node(walk, node, source));
    }
    for (size_t i = 0; i < walk->below.n; i++)
        if (walk->below.nodes[i].n_users == 0)
            drop_set(walk, &walk->below.nodes[i]);
    return KAN_OK;
}

/* ---- checking ------------------------------------------------------------------------------- */

static kan_status keep_set(const breadth_first *walk, const kan_worker *worker,
                           checked_node *checked) {
    kan_run *run = walk->workers.run;
    kan_freqset *set;
    KAN_TRY(kan_alloc(run, 1, sizeof *set, &set));
    kan_status status = kan_workers_keep(&walk->workers, worker, set);
    if (status == KAN_OK)
        checked->set = set;
    else
        kan_free(run, set);
    return status;
}

static kan_status check_task(void *context, size_t task, unsigned index) {
    breadth_first *walk = context;
    kan_workers *workers = &walk->workers;
    kan_worker *worker = &workers->each[index];
    checked_node *checked = &walk->here.nodes[walk->first + task];
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_lattice_levels(&workers->lattice, checked->node, levels);
    KAN_TRY(kan_workers_make(workers, worker, source_of(walk, checked), levels));
    KAN_TRY(kan_judge_node(&worker->judge, &worker->set, &checked->satisfies));
    return checked->may_keep && !checked->satisfies ? keep_set(walk, worker, checked) : KAN_OK;
}

static kan_status check_block(breadth_first *walk, size_t n) {
    plan_block(walk, n);
    kan_status status = kan_workers_run(&walk->workers, n, check_task, walk);
    for (size_t i = 0; i < n; i++) { /* also after a failure: they are dropped by their bytes */
        const kan_freqset *set = walk->here.nodes[walk->first + i].set;
        walk->kept_bytes += set ? bytes_of(set) : 0;
    }
    if (status == KAN_OK)
        conclude_block(walk, n);
    return status;
}

static kan_status walk_up(breadth_first *walk) {
    KAN_TRY(add_node(walk, 0, FROM_BASE));
    while (walk->here.n > 0) {
        for (walk->first = 0; walk->first < walk->here.n; walk->first += BLOCK) {
            const size_t left = walk->here.n - walk->first;
            KAN_TRY(check_block(walk, left < BLOCK ? left : BLOCK));
        }
        KAN_TRY(go_up(walk));
    }
    return KAN_OK;
}

/* The nodes that did not fail, in the place of those that did. */
static uint64_t *invert(breadth_first *walk) {
    const uint64_t n_nodes = walk->workers.lattice.n_nodes;
    for (uint64_t word = 0; word <= n_nodes / 64; word++)
        walk->fails[word] = ~walk->fails[word];
    walk->fails[n_nodes / 64] &= (UINT64_C(1) << n_nodes % 64) - 1;
    return walk->fails;
}

static void drop_nodes(breadth_first *walk, height_nodes *nodes) {
    for (size_t i = 0; i < nodes->n; i++)
        drop_set(walk, &nodes->nodes[i]);
    kan_free(walk->workers.run, nodes->nodes);
}

kan_status kan_breadth_first_search(kan_run *run, const kan_question *question, const char *search,
                                    bool rolls_up, kan_answer *out) {
    kan_status status;
    breadth_first walk = {.rolls_up = rolls_up,
                          .is_literal = kan_marking_is_literal(question->options)};
    KAN_TRY_DONE(kan_workers_init(&walk.workers, run, question, search));
    KAN_TRY_DONE(kan_alloc_zero(run, walk.workers.lattice.n_nodes / 64 + 1, sizeof *walk.fails,
                                &walk.fails));
    KAN_TRY_DONE(walk_up(&walk));
    KAN_TRY_DONE(kan_workers_conclude(&walk.workers, invert(&walk), out));
done:
    drop_nodes(&walk, &walk.below);
    drop_nodes(&walk, &walk.here);
    kan_free(run, walk.fails);
    kan_workers_destroy(&walk.workers);
    return status;
}
