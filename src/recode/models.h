/* Recoding models: which releases a search may choose from (Incognito, section 5, the taxonomy).
 *
 * A model is a rule that what a release shows must obey, whoever made it. Searches say which models
 * they can make (kan_search_kind.models); analyze/recodings has the rule of each a second time, and
 * holds releases against it. One model contains another when every release of the other is one of
 * its own: at its optimum it is never worse, by any cost. */
#ifndef KANON_RECODE_MODELS_H
#define KANON_RECODE_MODELS_H

#include "core/options.h"
#include "recode/recoding.h"

enum { KAN_MODEL_CONTAINS = 3 };

typedef struct kan_recoding_kind {
    kan_kind kind;
    kan_recoding_type type;
    bool needs_trees; /* without any hierarchy it would be another model */
    /* Every column has its values and * alone, whatever hierarchies there are. */
    bool suppresses;
    /* A column shows * in all released rows, or in none. */
    bool stars_whole_columns;
    /* A label may stand for some of the values below it, always the same ones, and others of them
     * are always shown otherwise: it means less than it says, and anybody can tell. */
    bool narrows_labels;
    bool
        lowers_squares; /* rows are together because their numbers are near the mean of all of them */
    /* Those that it contains directly; others follow from these. NULL ends the list. */
    const struct kan_recoding_kind *contains[KAN_MODEL_CONTAINS];
} kan_recoding_kind;

extern const kan_recoding_kind kan_model_full_domain, kan_model_attribute_suppression,
    kan_model_full_subtree, kan_model_ordered_set, kan_model_unrestricted, kan_model_full_subgraph,
    kan_model_unrestricted_multi, kan_model_ordered_regions, kan_model_relaxed_regions,
    kan_model_cell_suppression, kan_model_cell_generalization, kan_model_microaggregation;

/* Whether `outer` is `inner`, or contains it, directly or by way of others. */
bool kan_model_contains(const kan_recoding_kind *outer, const kan_recoding_kind *inner);

#endif
