/* Recodings: see recoding.h. */
#include "recode/recoding.h"

const char *kan_recoding_name(kan_recoding_type type) {
    switch (type) {
    case KAN_RECODING_LEVELS:
        return "full-domain";
    case KAN_RECODING_CUTS:
        return "ordered-set";
    case KAN_RECODING_SUBTREES:
        return "full-subtree";
    case KAN_RECODING_REGIONS:
        return "multidimensional";
    case KAN_RECODING_SHARED:
        return "multidimensional-relaxed";
    case KAN_RECODING_LOCAL:
        return "local";
    }
    return "unknown";
}

void kan_recoding_labels(const kan_hierarchy *hierarchy, unsigned level, kan_slice *labels) {
    KAN_ASSERT(level <= hierarchy->height);
    const kan_level *chosen = &hierarchy->levels[level];
    for (uint32_t code = 0; code < hierarchy->n_codes; code++)
        labels[code] = chosen->label[chosen->from_leaf[hierarchy->leaf_of[code]]];
}
