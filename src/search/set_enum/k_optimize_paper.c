/* k-optimize-paper: the algorithm of Bayardo and Agrawal as they describe it (k-optimize.txt 4 to
 * 6), with its two unsound rules repaired.
 *
 * A depth-first walk of the tree of all sets of values, from the empty one on. A node is a head,
 * the set itself, and a tail, the values that its descendants may have besides. At each node values
 * go from the tail that are useless or too dear; the others are ordered, and become children one
 * after the other, each of which inherits what is left behind it. After each child the tail is
 * pruned again. docs/papers/k-optimize.md has the pseudocode, the proofs, and where we differ.
 *
 *   classes of the head, split and merged     set_enum_classes.c
 *   lower bounds from classes of the allset   set_enum_allset.c
 *   useless values, pruning, order            set_enum_tail.c
 *
 * Where people are counted, their tree takes the place of all this, with the paper's order and its
 * pruning of values that are too dear: search/cuts/cut_people_tree.h.
 *
 * One thread; the same walk in every run. What is at least as dear as the best so far is left out,
 * so that of several best sets the answer is one that was met early, not always the least of them.
 * Time: some passes over the tuples for each node and child. Memory: about 50 bytes for each tuple,
 * and the tails of the nodes from the root to the one in hand. */
#include "search/cuts/cuts.h"
#include "search/set_enum/set_enum.h"
#include "search/set_enum/set_enum_tail.h"

#include <string.h>

/* A node on the way from the root. */
typedef struct {
    size_t first, n;  /* its tail, in search.values */
    unsigned choice;  /* the value that it was made with; none at the root */
    size_t n_classes; /* of its parent */
} node;

typedef struct {
    const kan_cut_space *space;
    kan_cut_record *record;
    uint64_t ceiling; /* what costs as much is left out, whatever was found */
    kan_set_classes classes;
    kan_set_allset allset;
    kan_set_tail tail;
    size_t depth; /* of the node in hand */
    size_t n_nodes, n_values;
    node *nodes;
    kan_set_value *values;
} search_state;

static uint64_t best_cost(const search_state *search) {
    const kan_cut_record *record = search->record;
    return record->is_found && record->cost < search->ceiling ? record->cost : search->ceiling;
}

/* ---- one node ------------------------------------------------------------------------------- */

static kan_status prune(search_state *search) {
    node *here = &search->nodes[search->depth];
    uint64_t bound = 0;
    if (here->n == 0)
        return KAN_OK;
    here->n = kan_set_tail_prune(&search->tail, best_cost(search), search->values + here->first,
                                 here->n, &bound);
    /* Sets that were dropped cost as much as the best so far or more: the root's bound holds for
     * all that could still be better. */
    return search->depth == 0 && here->n > 0 ? kan_cut_record_prove(search->record, bound) : KAN_OK;
}

/* K-OPTIMIZE up to its loop. */
static kan_status enter(search_state *search) {
    node *here = &search->nodes[search->depth];
    kan_set_value *values = search->values + here->first;
    kan_set_tail_look(&search->tail, values, here->n);
    if (search->classes.is_over)
        return KAN_OK; /* the classes may be half split, and cost anything */
    here->n = kan_set_tail_drop_useless(&search->tail, values, here->n);
    const uint64_t cost = kan_set_classes_cost(&search->classes);
    search->record->n_states += search->depth > 0;
    if (cost < best_cost(search))
        KAN_TRY(kan_cut_record_offer(search->record, search->tail.is_made, cost));
    KAN_TRY(prune(search));
    kan_set_tail_reorder(search->values + here->first, here->n);
    kan_cut_record_report(search->record);
    return KAN_OK;
}

/* Goes to the child with the value at `index`, which leaves this node's tail. */
static kan_status descend(search_state *search, size_t index) {
    kan_run *run = search->space->run;
    const node above = search->nodes[search->depth];
    const size_t first = above.first + above.n;
    KAN_TRY(kan_reserve(run, search->depth + 2, sizeof *search->nodes, &search->n_nodes,
                        &search->nodes));
    KAN_TRY(kan_reserve(run, first + above.n, sizeof *search->values, &search->n_values,
                        &search->values));
    kan_set_value *values = search->values + above.first, *inherited = search->values + first;
    const unsigned choice = values[index].choice;
    memcpy(inherited, values, index * sizeof *values);
    memcpy(inherited + index, values + index + 1, (above.n - index - 1) * sizeof *values);
    search->nodes[search->depth].n = kan_set_tail_drop(&search->tail, values, above.n, index);
    search->nodes[++search->depth] = (node){first, above.n - 1, choice, search->classes.n};
    search->tail.is_made[choice] = 1;
    kan_set_classes_add(&search->classes, choice);
    return enter(search);
}

/* Back from the node in hand to the one above it. */
static kan_status ascend(search_state *search) {
    const node *here = &search->nodes[search->depth--];
    kan_set_classes_recover(&search->classes, here->choice, here->n_classes);
    search->tail.is_made[here->choice] = 0;
    return prune(search);
}

/* ---- the walk ------------------------------------------------------------------------------- */

/* The first value of the tail that can be a child. There is one, or the tail is empty: of values
 * that wait for others the topmost waits for none. */
static size_t next_child(const search_state *search) {
    const node *here = &search->nodes[search->depth];
    size_t i = 0;
    while (i < here->n &&
           !kan_set_tail_can_add(&search->tail, search->values[here->first + i].choice))
        i++;
    return i;
}

static kan_status walk(search_state *search) {
    KAN_TRY(enter(search));
    while (!search->classes.is_over) {
        const size_t child = next_child(search);
        if (child < search->nodes[search->depth].n)
            KAN_TRY(descend(search, child));
        else if (search->depth > 0)
            KAN_TRY(ascend(search));
        else
            return KAN_OK;
    }
    return KAN_OK;
}

/* The head of the root: what must be made, each after its parent. */
static void add_forced(search_state *search) {
    const kan_cut_space *space = search->space;
    for (bool is_more = true; is_more;) {
        is_more = false;
        for (unsigned c = 0; c < space->n_choices; c++) {
            if (!kan_cut_is_forced(space, c) || search->tail.is_made[c] ||
                !kan_set_tail_can_add(&search->tail, c))
                continue;
            search->tail.is_made[c] = 1;
            kan_set_classes_add(&search->classes, c);
            is_more = true;
        }
    }
}

static kan_status open_search(search_state *search) {
    const kan_cut_space *space = search->space;
    KAN_TRY(kan_set_classes_make(space, &search->classes));
    KAN_TRY(kan_set_allset_make(&search->classes, &search->allset));
    KAN_TRY(kan_set_tail_make(&search->classes, &search->allset, &search->tail));
    KAN_TRY(kan_reserve(space->run, 1, sizeof *search->nodes, &search->n_nodes, &search->nodes));
    KAN_TRY(kan_reserve(space->run, space->n_choices + 1u, sizeof *search->values,
                        &search->n_values, &search->values));
    search->nodes[0] = (node){.n = 0};
    for (unsigned c = 0; c < space->n_choices; c++)
        if (!kan_cut_is_forced(space, c))
            search->values[search->nodes[0].n++] = (kan_set_value){.choice = c};
    add_forced(search);
    return KAN_OK;
}

static void close_search(search_state *search) {
    kan_free(search->space->run, search->nodes);
    kan_free(search->space->run, search->values);
    kan_set_tail_destroy(&search->tail);
    kan_set_allset_destroy(&search->allset);
    kan_set_classes_destroy(&search->classes);
}

/* ---- the search ----------------------------------------------------------------------------- */

/* *is_proven: the walk came to its end. */
static kan_status walk_all(kan_cut_record *record, uint64_t ceiling, bool *is_proven) {
    kan_status status;
    search_state search = {.space = record->space, .record = record, .ceiling = ceiling};
    search.classes.space = record->space;
    search.allset.classes = &search.classes;
    search.tail.classes = &search.classes;
    KAN_TRY_DONE(open_search(&search));
    KAN_TRY_DONE(walk(&search));
    *is_proven = !search.classes.is_over;
done:
    close_search(&search);
    return status;
}

static kan_status enumerate_sets(kan_cut_record *record) {
    const kan_options *options = record->space->question->options;
    const uint64_t seed = kan_options_count(options, "seed-cost", UINT64_MAX);
    /* A seed is the cost of something that exists: as much is not too much. */
    const uint64_t ceiling = seed == UINT64_MAX ? seed : seed + 1;
    bool is_proven = false;
    const kan_cut_people_plan by_people = {.in_order = true, .below = ceiling};
    KAN_TRY(record->space->people ? kan_cut_people_explore(&by_people, record, &is_proven)
                                  : walk_all(record, ceiling, &is_proven));
    if (!is_proven || !record->is_found)
        return KAN_OK;
    if (record->cost > seed)
        return kan_fail(record->space->run, KAN_UNSATISFIED,
                        "no solution costs %llu or less (--seed-cost); give a cost that is known "
                        "to be reached, or none",
                        (unsigned long long)seed);
    record->is_optimal = true;
    return kan_cut_record_prove(record, record->cost);
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    return kan_cut_search(run, question, enumerate_sets, out);
}

static const kan_option_spec options[] = {KAN_CUT_SEED_OPTION, KAN_CUT_SOLUTION_OPTION};

const kan_search_kind kan_search_k_optimize_paper = {
    .kind = {.name = "k-optimize-paper",
             .summary =
                 "cuts values into intervals: the best, proven, as the paper describes it; slower",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Bayardo, Agrawal 2005 (K-Optimize), 4-6"},
    .models = {&kan_model_ordered_set, &kan_model_full_subtree},
    .costs = &kan_cut_costs,
    .cuts = true,
    .counts_people = true,
    .is_anytime = true,
    .finds_best = true,
    .search = search,
};
