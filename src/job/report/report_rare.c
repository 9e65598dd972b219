/* What `other` stands for, the label that the builder `frequency` gives rare values, at once or in
 * a file that kanon hierarchy wrote: the report is all that a reader of the release has.
 *
 * Named are values that at least as many released rows, or people, had as a group must have, as in the examples
 * of the summary: they point at nobody. Rarer ones are not named, and suppressed rows do not
 * count. */
#include <string.h>

#include "job/report/report_data.h"

enum { MOST_NAMED = 40 };

/* "other", in as many brackets as it took the builder to find a name that is not a value. */
static bool is_other(kan_slice label) {
    while (label.size > 2 && label.bytes[0] == '(' && label.bytes[label.size - 1] == ')')
        label = (kan_slice){label.bytes + 1, label.size - 2};
    return kan_slice_equal(label, kan_slice_of("other"));
}

/* The group of rare values at a level; a label that is a value itself, not yet merged, is not one.
 */
static bool find_rare(const kan_hierarchy *h, const kan_level *level, uint32_t *out) {
    for (uint32_t leaf = 0; leaf < h->levels[0].n_groups; leaf++) {
        const uint32_t group = level->from_leaf[leaf];
        if (is_other(level->label[group]) &&
            !kan_slice_equal(level->label[group], h->levels[0].label[leaf])) {
            *out = group;
            return true;
        }
    }
    return false;
}

kan_status kan_report_stands_for(const kan_report_source *source, unsigned a, unsigned level_at,
                                 json_t **out) {
    const kan_setup *setup = source->outcome->setup;
    const kan_hierarchy *h = setup->hierarchies[a];
    const uint64_t *rows = source->outcome->released.leaf_rows[a];
    uint64_t least = kan_report_merge_below(source), n_rows = 0;
    uint32_t rare;
    *out = NULL;
    if (!h || !rows || level_at == 0 || level_at >= h->height ||
        !find_rare(h, &h->levels[level_at], &rare))
        return kan_report_json(setup->run, json_null(), out);
    const kan_level *level = &h->levels[level_at];
    least = least > 0 ? least : 1;
    json_t *values = json_array();
    for (uint32_t leaf = 0; leaf < h->levels[0].n_groups; leaf++) {
        if (level->from_leaf[leaf] != rare)
            continue;
        n_rows += rows[leaf];
        if (kan_released_have(&source->outcome->released, a, leaf) >= least &&
            json_array_size(values) < MOST_NAMED)
            values = kan_json_append(values, kan_report_label(h->levels[0].label[leaf]));
    }
    if (n_rows == 0) {
        json_decref(values);
        return kan_report_json(setup->run, json_null(), out);
    }
    return kan_report_json(
        setup->run,
        json_pack("{s:o, s:o}", "label", kan_report_label(level->label[rare]), "values", values),
        out);
}
