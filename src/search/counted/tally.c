/* Counting, judging and measuring nodes by numbers: see tally.h. */
#include "search/counted/tally.h"

#include <string.h>

void kan_tally_init(kan_tally_run *tally, kan_run *run, const kan_question *question,
                    const kan_counter *counter) {
    *tally = (kan_tally_run){
        .run = run, .question = question, .counter = counter, .space = &question->problem->space};
    kan_lattice_make(tally->space, &tally->lattice);
    kan_judge_init(&tally->judge, question);
}

void kan_tally_destroy(kan_tally_run *tally) {
    kan_judge_destroy(&tally->judge);
    kan_free(tally->run, tally->small_rows);
}

bool kan_tally_is_base(const kan_tally_run *tally, unsigned n, const unsigned *levels) {
    return n == tally->lattice.n_attributes &&
           memcmp(levels, tally->lattice.low, n * sizeof *levels) == 0;
}

kan_status kan_tally_count(kan_tally_run *tally, const kan_count_order *order, kan_counted *out) {
    const uint64_t n_rows = tally->question->problem->n_rows;
    KAN_TRY(kan_check_cancel(tally->run));
    *out = (kan_counted){.set = KAN_COUNTER_BASE};
    tally->n_checked++;
    tally->effort.n_scans += order->from == KAN_COUNTER_BASE;
    tally->effort.n_rollups += order->from != KAN_COUNTER_BASE;
    KAN_TRY(tally->counter->count(tally->counter->context, order, out));
    /* Numbers come from elsewhere: what cannot be is told, and not searched by. */
    if (out->n_small_rows > n_rows || out->n_large_groups > out->n_groups ||
        (out->n_large_groups == 0 && out->n_small_rows != n_rows) ||
        (out->n_large_groups == out->n_groups && out->n_small_rows != 0) ||
        (out->n_large_groups > 0 && out->smallest < order->least_size))
        return kan_fail(
            tally->run, KAN_FAILED,
            "the groups that were counted cannot be those of this table; was it changed "
            "meanwhile?");
    return KAN_OK;
}

kan_status kan_tally_drop(kan_tally_run *tally, uint32_t set) {
    return set == KAN_COUNTER_BASE ? KAN_OK : tally->counter->drop(tally->counter->context, set);
}

/* ---- measuring ------------------------------------------------------------------------------ */

/* The numbers as costs want them; levels and losses are the caller's. */
static kan_groups see(const kan_tally_run *tally, const kan_counted *counted,
                      const unsigned *levels) {
    kan_groups groups = {.n_rows = tally->question->problem->n_rows, .levels = levels};
    if (counted) {
        groups.n_groups = (size_t)counted->n_groups;
        groups.n_released_groups = (size_t)counted->n_large_groups;
        groups.n_suppressed = groups.n_left_out = counted->n_small_rows;
        groups.squares = counted->squares;
    }
    return groups;
}

/* Shares of the rows that are lost in one attribute. */
static kan_status sum_lost(kan_tally_run *tally, const kan_count_order *order, unsigned attribute,
                           kan_u128 *out) {
    const unsigned level = order->levels[attribute];
    const kan_hierarchy *hierarchy = tally->space->dimensions[attribute].hierarchy;
    const uint32_t *group_of = hierarchy->levels[level].from_leaf;
    const uint64_t *shares = tally->question->problem->shares[attribute][level];
    KAN_TRY(kan_reserve(tally->run, hierarchy->n_codes, sizeof *tally->small_rows,
                        &tally->small_room, &tally->small_rows));
    memset(tally->small_rows, 0, hierarchy->n_codes * sizeof *tally->small_rows);
    KAN_TRY(
        tally->counter->count_small(tally->counter->context, order, attribute, tally->small_rows));
    *out = 0;
    for (uint32_t code = 0; code < hierarchy->n_codes; code++)
        *out += (kan_u128)tally->small_rows[code] * shares[group_of[hierarchy->leaf_of[code]]];
    return KAN_OK;
}

/* What the released cells lost: `order` is the node's own, and from its own set where rows are
 * lost. */
static kan_status sum_losses(kan_tally_run *tally, const kan_count_order *order,
                             const kan_counted *counted, kan_cell_loss *loss) {
    const kan_problem *problem = tally->question->problem;
    for (unsigned a = 0; a < tally->space->n_attributes; a++) {
        kan_u128 lost = 0;
        if (tally->question->objective->kind->needs_shares && counted->n_small_rows > 0 &&
            problem->share_most[a][order->levels[a]] > 0)
            KAN_TRY(sum_lost(tally, order, a, &lost));
        loss[a] = (kan_cell_loss){.levels = (kan_u128)(problem->n_rows - counted->n_small_rows) *
                                            order->levels[a],
                                  .share = problem->share_sums[a][order->levels[a]] - lost};
    }
    return KAN_OK;
}

kan_score kan_tally_bound(const kan_tally_run *tally, const uint8_t *low,
                          const kan_counted *counted, uint64_t n_lost) {
    const kan_objective *objective = tally->question->objective;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < tally->space->n_attributes; a++)
        levels[a] = low[a];
    const kan_groups groups = see(tally, counted, levels);
    return kan_objective_bound(objective, &groups, n_lost);
}

/* Whether it matters which rows are lost: then the node's own set is asked about them. */
static bool needs_lost_rows(const kan_tally_run *tally) {
    return tally->question->objective->kind->needs_shares && tally->question->promise->limit > 0;
}

static kan_status measure(kan_tally_run *tally, const kan_count_order *order, const uint8_t *node,
                          const kan_counted *counted) {
    kan_cell_loss loss[KAN_MAX_ATTRIBUTES];
    kan_groups groups = see(tally, counted, order->levels);
    const kan_score bound = kan_tally_bound(tally, node, counted, counted->n_small_rows);
    if (counted->n_small_rows > tally->question->promise->limit ||
        kan_judge_is_hopeless(&tally->judge, &bound, node))
        return KAN_OK;
    KAN_TRY(sum_losses(tally, order, counted, loss));
    groups.loss = loss;
    kan_judge_measure_groups(&tally->judge, &groups);
    return KAN_OK;
}

kan_status kan_tally_look(kan_tally_run *tally, const uint8_t *node, uint32_t from, bool keeps,
                          kan_counted *out) {
    unsigned attributes[KAN_MAX_ATTRIBUTES], levels[KAN_MAX_ATTRIBUTES] = {0};
    kan_count_order order = {.n = tally->space->n_attributes,
                             .attributes = attributes,
                             .levels = levels,
                             .least_size = tally->question->promise->least_size,
                             .from = from,
                             .keeps = keeps || needs_lost_rows(tally)};
    for (unsigned a = 0; a < order.n; a++) {
        attributes[a] = a;
        levels[a] = node[a];
    }
    order.keeps &= !kan_tally_is_base(tally, order.n, levels);
    KAN_TRY(kan_tally_count(tally, &order, out));
    if (out->n_small_rows < tally->judge.least_suppressed)
        tally->judge.least_suppressed = out->n_small_rows;
    if (order.keeps)
        order.from = out->set;
    KAN_TRY(measure(tally, &order, node, out));
    if (order.keeps && !keeps) {
        KAN_TRY(kan_tally_drop(tally, out->set));
        out->set = KAN_COUNTER_BASE;
    }
    return KAN_OK;
}
