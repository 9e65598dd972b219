/* Cuts that must be made: values that stand together only above the highest level that may be
 * chosen are never in one region.
 *
 * A dimension is cut where two neighbouring places meet above that level, and text in a tree into
 * the nodes of the level. Nothing is asked about the parts here: whether they keep the promise is
 * for the caller. */
#include "search/regions/partition.h"

static const kan_dimension *dimension_of(const kan_partition_space *space, unsigned d) {
    return &space->question->problem->space.dimensions[d];
}

bool kan_partition_has_levels(const kan_partition_space *space) {
    for (unsigned d = 0; d < space->n_dimensions; d++)
        if (dimension_of(space, d)->highest < dimension_of(space, d)->height)
            return true;
    return false;
}

/* The last place of the domain, and the first, in the node of a place. */
static uint32_t last_place(const kan_partition_dimension *dimension, unsigned level,
                           uint32_t place) {
    const uint32_t node = kan_partition_node(dimension, level, place);
    while (place + 1 < dimension->n_places &&
           kan_partition_node(dimension, level, place + 1) == node)
        place++;
    return place;
}

static uint32_t first_place(const kan_partition_dimension *dimension, unsigned level,
                            uint32_t place) {
    const uint32_t node = kan_partition_node(dimension, level, place);
    while (place > 0 && kan_partition_node(dimension, level, place - 1) == node)
        place--;
    return place;
}

/* What is shown of bounds is not more than the node, whatever lies between the cuts. */
static void trim_box(const kan_partition_worker *worker, const kan_partition_region *region,
                     unsigned d) {
    const kan_partition_space *space = worker->space;
    const kan_partition_dimension *dimension = &space->dimensions[d];
    const unsigned level = dimension_of(space, d)->highest;
    if (!region->box)
        return;
    const uint32_t place =
        kan_partition_lane(kan_partition_record(space, region->first), space->is_wide, d);
    kan_partition_bound *bound = &region->box[d];
    if (dimension->cutting == KAN_PARTITION_TREE) {
        *bound = (kan_partition_bound){level, kan_partition_node(dimension, level, place)};
        return;
    }
    const uint32_t first = first_place(dimension, level, place),
                   last = last_place(dimension, level, place);
    bound->a = bound->a < first ? first : bound->a;
    bound->b = bound->b > last ? last : bound->b;
}

/* The cut behind the node of the region's first place; no parts where there is no other node. */
static kan_status find_border(kan_partition_worker *worker, const kan_partition_region *region,
                              unsigned d, kan_partition_cut *out) {
    const kan_partition_space *space = worker->space;
    const kan_partition_dimension *dimension = &space->dimensions[d];
    const unsigned level = dimension_of(space, d)->highest;
    const kan_partition_counts *counts = &worker->counts;
    *out = (kan_partition_cut){.dimension = d, .level = level, .is_clean = true};
    kan_partition_look(worker, region);
    KAN_TRY(kan_partition_count(worker, region, d));
    const uint32_t node = kan_partition_node(dimension, level, counts->place[0]);
    uint32_t i = 0;
    for (; i < counts->n && kan_partition_node(dimension, level, counts->place[i]) == node; i++)
        out->n_left += counts->rows[i];
    if (i == counts->n)
        return KAN_OK;
    out->n_parts = 2;
    out->place = last_place(dimension, level, counts->place[i - 1]);
    out->by_side = dimension->cutting == KAN_PARTITION_TREE;
    for (uint32_t j = 0; out->by_side && j < counts->n; j++)
        worker->side[counts->place[j]] = j >= i;
    return KAN_OK;
}

/* The region in parts of one node each, into `out`. */
static kan_status cut_dimension(kan_partition_worker *worker, kan_partition_region region,
                                unsigned d, kan_partition_regions *out) {
    kan_run *run = worker->space->run;
    kan_partition_regions parts = {.n = 0};
    kan_status status;
    for (;;) {
        kan_partition_cut cut;
        KAN_TRY_DONE(kan_check_cancel(run));
        KAN_TRY_DONE(find_border(worker, &region, d, &cut));
        if (cut.n_parts == 0)
            break;
        parts.n = 0;
        KAN_TRY_DONE(kan_partition_split(worker, &region, &cut, &parts));
        trim_box(worker, &parts.regions[0], d);
        KAN_TRY_DONE(kan_partition_regions_add(run, out, &parts.regions[0]));
        region = parts.regions[1];
    }
    trim_box(worker, &region, d);
    KAN_TRY_DONE(kan_partition_regions_add(run, out, &region));
done:
    kan_free(run, parts.regions);
    return status;
}

kan_status kan_partition_cut_at_levels(kan_partition_worker *worker,
                                       const kan_partition_region *root,
                                       kan_partition_regions *out) {
    const kan_partition_space *space = worker->space;
    kan_run *run = space->run;
    KAN_TRY(kan_partition_regions_add(run, out, root));
    for (unsigned d = 0; d < space->n_dimensions; d++) {
        kan_partition_regions next = {.n = 0};
        kan_status status = KAN_OK;
        if (dimension_of(space, d)->highest == dimension_of(space, d)->height)
            continue;
        for (size_t i = 0; i < out->n && status == KAN_OK; i++)
            status = cut_dimension(worker, out->regions[i], d, &next);
        kan_free(run, out->regions);
        *out = next;
        KAN_TRY(status);
    }
    return KAN_OK;
}
