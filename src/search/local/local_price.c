/* What clusters cost, by the shape of the cost that is asked for. Costs of a local recoding are sums
 * over clusters, of four terms:
 *
 *   KAN_SHAPE_CELLS     what its rows give up at the nodes that it shows
 *   KAN_SHAPE_SIZES     the square of its rows
 *   KAN_SHAPE_CLASSES   its rows that are not of its majority class
 *   KAN_SHAPE_NUMBER    minus one: the cost is least where there are most clusters
 *
 * The last three are whole numbers, so that of equal ones the one is taken whose rows give up less:
 * a term of all clusters together of less than a half breaks ties, and nothing else. It counts the
 * share of leaves. Of a cost of any other form nothing is left but that term. */
#include "search/local/local_inside.h"

static double node_loss(const kan_local_attribute *attribute, const kan_cell_price *by,
                        double weight, uint32_t node) {
    const kan_hierarchy *h = attribute->hierarchy;
    const unsigned level = attribute->level[node];
    const double steps =
        by->is_by_share ? h->levels[level].share[node - attribute->first[level]] : level;
    return by->shown(h->height, weight, steps);
}

/* What rows give up at nodes, and at most. */
static void weigh_nodes(kan_local_space *space, const kan_cell_price *by, bool is_weighted) {
    space->price = (kan_local_price){.loss = 1};
    for (unsigned a = 0; a < space->n_attributes; a++) {
        kan_local_attribute *attribute = &space->attributes[a];
        const double weight = is_weighted ? space->question->problem->weights[a] : 1;
        for (uint32_t node = 0; node < attribute->n_nodes; node++)
            attribute->loss[node] = node_loss(attribute, by, weight, node);
        /* what may not be shown costs what is shown in its place */
        for (uint32_t node = 0; node < attribute->first[attribute->lowest]; node++)
            attribute->loss[node] = attribute->loss[kan_local_shown(attribute, node)];
        /* a cell that is left out counts as one that lost everything, also where there is nothing
         * to lose */
        space->price.lost += by->suppressed(attribute->hierarchy->height, weight);
    }
}

void kan_local_price_cells(kan_local_space *space) {
    const kan_cost_kind *cost = kan_cost_followed(space->question->objective->kind);
    weigh_nodes(space, cost->price ? cost->price : &kan_price_by_step, cost->uses_weights);
}

void kan_local_price_follow(kan_local_space *space) {
    const kan_cost_kind *cost = kan_cost_followed(space->question->objective->kind);
    const double n_rows = (double)space->question->problem->n_rows;
    if (cost->shape == KAN_SHAPE_CELLS) {
        kan_local_price_cells(space);
        return;
    }
    weigh_nodes(space, &kan_price_by_share, false);
    space->price.loss = 0.5 / (n_rows * (space->price.lost + 1));
    space->price.lost *= space->price.loss;
    space->price.counts = true;
    if (cost->shape == KAN_SHAPE_SIZES) {
        space->price.square = 1;
        space->price.lost += n_rows;
    } else if (cost->shape == KAN_SHAPE_NUMBER) {
        space->price.each = space->price.some_lost = -1;
    } else if (cost->shape == KAN_SHAPE_CLASSES) {
        space->price.minority = 1;
        space->price.lost += 1;
    }
}

uint64_t kan_local_tally_minority(const kan_local_space *space, const kan_local_tally *tally) {
    const int tail = space->question->problem->class_tail;
    uint64_t majority = 0;
    if (space->price.minority == 0 || tail == KAN_NO_TAIL || space->n_tails == 0)
        return 0;
    for (size_t i = 0; i < tally->tails[tail].n; i++)
        if (tally->tails[tail].count[i] > majority)
            majority = tally->tails[tail].count[i];
    return tally->n_rows - majority;
}

double kan_local_cluster_price(const kan_local_space *space, const kan_local_tally *tally,
                               double loss) {
    const double n = (double)tally->n_rows;
    return kan_local_price_of(&space->price, n, loss) +
           space->price.minority * (double)kan_local_tally_minority(space, tally);
}

double kan_local_clusters_price(const kan_local_clusters *clusters) {
    const kan_local_space *space = clusters->space;
    double price = (double)clusters->n_lost * space->price.lost;
    for (size_t c = 0; c < clusters->n; c++)
        if (clusters->clusters[c].tally.n_rows > 0)
            price += kan_local_cluster_price(space, &clusters->clusters[c].tally,
                                             kan_local_loss(space, clusters->clusters[c].node));
    return price + (clusters->n_lost > 0 || space->departed.n > 0 ? space->price.some_lost : 0);
}
