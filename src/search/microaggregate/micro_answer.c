/* What all searches of the room do alike (micro_answer.h). The answer takes as long as there are
 * members of groups. */
#include "search/microaggregate/micro_answer.h"

#include <string.h>

enum { MOST_GROUPS = 1 << 23 };

kan_status kan_micro_adapt(kan_partition_space *space, const char *name) {
    if (space->question->problem->is_unfolded)
        return kan_fail(space->run, KAN_FAILED,
                        "%s needs all distinct tuples in memory: give more --memory, or use "
                        "--algorithm mondrian without --recoding microaggregation",
                        name);
    if (space->question->problem->n_rows / space->least_size > MOST_GROUPS)
        return kan_fail(space->run, KAN_BAD_INPUT,
                        "--algorithm %s makes a group of every k rows, and these are too many: "
                        "at most %d; use --algorithm mondrian without --recoding microaggregation, "
                        "or a larger --k",
                        name, MOST_GROUPS);
    if (kan_partition_has_levels(space))
        return kan_fail(space->run, KAN_BAD_INPUT,
                        "--level: --algorithm %s puts near rows together, whatever nodes they "
                        "are below; use --algorithm mondrian or top-down without --recoding "
                        "microaggregation, or leave --level out",
                        name);
    space->choice = KAN_PARTITION_WIDEST;
    space->is_tight = true;
    for (unsigned d = 0; d < space->n_dimensions; d++)
        if (space->dimensions[d].cutting != KAN_PARTITION_VALUES)
            space->dimensions[d].cutting = KAN_PARTITION_TREE;
    return KAN_OK;
}

kan_status kan_micro_whole_holds(const kan_partition_space *space, bool *out) {
    kan_partition_worker worker;
    kan_partition_region root;
    kan_status status = kan_partition_worker_make(space, &worker);
    if (status == KAN_OK)
        status = kan_partition_root(&worker, &root);
    if (status == KAN_OK)
        status = kan_partition_holds(&worker, &root, out);
    kan_partition_worker_destroy(&worker);
    return status;
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* The records of the space, group by group. */
static kan_status order_records(kan_partition_space *space, const kan_mdav_groups *groups,
                                kan_partition_regions *regions) {
    unsigned char *records;
    size_t n = 0;
    for (size_t g = 0; g < groups->n; g++)
        n += groups->groups[g].n;
    KAN_TRY(kan_alloc(space->run, n, space->stride, &records));
    n = 0;
    for (size_t g = 0; g < groups->n; g++) {
        const kan_mdav_group *group = &groups->groups[g];
        for (size_t i = 0; i < group->n; i++) {
            unsigned char *record = records + (n + i) * space->stride;
            memcpy(record, kan_partition_record(space, group->members[i].tuple), space->stride);
            kan_partition_set_rows(record, (uint32_t)group->members[i].n_rows);
        }
        const kan_partition_region region = {
            .first = n, .n = group->n, .room = group->n, .n_rows = group->n_rows, .is_final = true};
        n += group->n;
        const kan_status status = kan_partition_regions_add(space->run, regions, &region);
        if (status != KAN_OK) {
            kan_free(space->run, records);
            return status;
        }
    }
    kan_free(space->run, space->records);
    space->records = records;
    space->n_records = n;
    return KAN_OK;
}

kan_status kan_micro_answer(kan_partition_space *space, const kan_mdav_groups *groups,
                            kan_answer *out) {
    kan_partition_regions regions = {.n = 0};
    kan_partition_shower *shower = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_partition_shower_create(space, &shower)); /* while a record is a tuple */
    KAN_TRY_DONE(order_records(space, groups, &regions));
    KAN_TRY_DONE(kan_partition_shower_add(shower, space, &regions));
    out->is_found = true;
    out->recoding.type = KAN_RECODING_SHARED;
    out->recoding.n_attributes = space->n_dimensions;
    out->recoding.regions = kan_partition_shower_take(shower);
done:
    kan_partition_shower_destroy(shower);
    kan_free(space->run, regions.regions);
    return status;
}
