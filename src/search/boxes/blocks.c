/* Blocks of attributes: see blocks.h. */
#include "search/boxes/blocks.h"

#include <math.h>

typedef struct {
    kan_blocks *blocks;
    kan_lattice whole;
    unsigned order[KAN_MAX_ATTRIBUTES]; /* attributes, those of most groups first */
    double sum;                         /* of the blocks' bounds */
    unsigned n_blocks;
} divider;

/* Attributes of many groups are in blocks with each other: together they are what must be generalized. */
static void order_attributes(divider *d) {
    const kan_space *space = &d->blocks->question->problem->space;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const uint32_t n = kan_dimension_groups(&space->dimensions[a], d->whole.low[a]);
        unsigned at = a;
        for (; at > 0; at--) {
            const unsigned other = d->order[at - 1];
            if (kan_dimension_groups(&space->dimensions[other], d->whole.low[other]) >= n)
                break;
            d->order[at] = other;
        }
        d->order[at] = a;
    }
}

/* The lattice of the attributes from `first` on, as many as its size allows; all others stand at the top.
 * Returns the first that is not in it. */
static unsigned make_lattice(const divider *d, unsigned first, kan_lattice *out) {
    unsigned next = first;
    *out = d->whole;
    out->n_nodes = 1;
    out->is_countable = true;
    out->height = 0;
    for (unsigned a = 0; a < out->n_attributes; a++) {
        out->low[a] = kan_lattice_high(&d->whole, a);
        out->heights[a] = 0;
        out->strides[a] = 0;
    }
    for (; next < out->n_attributes; next++) {
        const unsigned a = d->order[next], n_levels = d->whole.heights[a] + 1;
        if (next > first && out->n_nodes > d->blocks->most_nodes / n_levels)
            break;
        out->low[a] = d->whole.low[a];
        out->heights[a] = d->whole.heights[a];
        out->strides[a] = out->n_nodes;
        out->n_nodes *= n_levels;
        out->height += d->whole.heights[a];
    }
    return next;
}

static kan_status search_block(divider *d, const kan_lattice *lattice) {
    kan_status status;
    kan_judge judge;
    kan_blocks *blocks = d->blocks;
    kan_boxes boxes = {.question = blocks->question,
                       .lattice = lattice,
                       .is_part = true,
                       .most_checked = blocks->most_checked};
    kan_judge_init(&judge, blocks->question);
    KAN_TRY_DONE(kan_boxes_search(&boxes, &judge));
    d->sum += boxes.bound.real; /* infinite where nothing satisfies, or nothing is known */
    d->n_blocks++;
    blocks->n_checked += boxes.n_checked;
done:
    kan_judge_destroy(&judge);
    return status;
}

/* What all attributes give up together at most. */
static double find_most(const divider *d) {
    const kan_question *question = d->blocks->question;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    if (question->objective->kind->shape == KAN_SHAPE_CELLS)
        return 1;
    for (unsigned a = 0; a < d->whole.n_attributes; a++)
        levels[a] = kan_lattice_high(&d->whole, a);
    const kan_groups top = {.n_rows = question->problem->n_rows, .levels = levels};
    return kan_objective_bound(question->objective, &top, 0).real;
}

static bool can_divide(const kan_question *question) {
    const kan_cost_kind *cost = question->objective->kind;
    return (cost->shape == KAN_SHAPE_CELLS || cost->shape == KAN_SHAPE_LEVELS) && cost->bound &&
           cost->bound_is_by_levels && !question->problem->has_person;
}

kan_status kan_blocks_search(kan_blocks *blocks) {
    divider d = {.blocks = blocks};
    if (!can_divide(blocks->question))
        return KAN_OK;
    kan_lattice_make(&blocks->question->problem->space, &d.whole);
    order_attributes(&d);
    for (unsigned first = 0; first < d.whole.n_attributes;) {
        kan_lattice lattice;
        if (kan_should_stop(blocks->question->problem->run))
            return KAN_OK;
        first = make_lattice(&d, first, &lattice);
        KAN_TRY(search_block(&d, &lattice));
    }
    /* In each block the others are counted with all that they can give up. Sums of doubles are a little
     * wrong. */
    const double most = find_most(&d), bound = d.sum - (d.n_blocks - 1.0) * most;
    blocks->bound = bound - 1e-9 * most;
    blocks->has_bound = isfinite(bound) && blocks->bound > 0;
    return KAN_OK;
}
