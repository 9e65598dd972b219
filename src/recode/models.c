/* The recoding models there are. The first ten are those of the Incognito paper
 * (section 5); the others have no place in its taxonomy. */
#include "recode/models.h"

const kan_recoding_kind kan_model_full_domain = {
    .kind = {.name = "full-domain",
             .summary = "all values of a column are shown at one level of its hierarchy",
             .paper = "Incognito 5.1.1",
             .is_everyday = true},
    .type = KAN_RECODING_LEVELS,
    .stars_whole_columns = true,
    .needs_trees = true,
    /* the top of a hierarchy is one value, and tells as much as * */
    .contains = {&kan_model_attribute_suppression},
};

const kan_recoding_kind kan_model_attribute_suppression = {
    .kind = {.name = "attribute-suppression",
             .summary = "a column is shown as it is, or as * in every row",
             .paper = "Incognito 5.1.1"},
    .type = KAN_RECODING_LEVELS,
    .stars_whole_columns = true,
    .suppresses = true,
};

const kan_recoding_kind kan_model_full_subtree = {
    .kind =
        {.name = "full-subtree",
         .summary =
             "a value is shown as itself or a node above it, and all values below that node alike",
         .paper = "Incognito 5.1.1",
         .is_everyday = true},
    .type = KAN_RECODING_SUBTREES,
    .stars_whole_columns = true,
    .needs_trees = true,
    .contains = {&kan_model_full_domain},
};

const kan_recoding_kind kan_model_ordered_set = {
    .kind = {.name = "ordered-set",
             .summary = "the values of a column, in their order, are cut into intervals",
             .paper = "Incognito 5.1.2",
             .is_everyday = true},
    .type = KAN_RECODING_CUTS,
    .stars_whole_columns = true,
    /* where the order keeps the values of a node together; a hierarchy that it tears apart is not
     * used */
    .contains = {&kan_model_full_subtree},
};

const kan_recoding_kind kan_model_unrestricted = {
    .kind = {.name = "unrestricted",
             .summary =
                 "a value is shown as itself or any node above it, the same one in every row",
             .paper = "Incognito 5.1.1"},
    .type = KAN_RECODING_LOCAL,
    .narrows_labels = true,
    .needs_trees = true,
    .contains = {&kan_model_full_subtree},
};

const kan_recoding_kind kan_model_full_subgraph = {
    .kind = {.name = "full-subgraph",
             .summary =
                 "a combination of values is shown as nodes above them, and all combinations below "
                 "these alike",
             .paper = "Incognito 5.1.3"},
    .type = KAN_RECODING_LOCAL,
    .needs_trees = true,
    .contains = {&kan_model_full_subtree},
};

const kan_recoding_kind kan_model_unrestricted_multi = {
    .kind =
        {.name = "unrestricted-multi",
         .summary =
             "a combination of values is shown as any nodes above them, the same ones in every row",
         .paper = "Incognito 5.1.3"},
    .type = KAN_RECODING_LOCAL,
    .narrows_labels = true,
    .needs_trees = true,
    .contains = {&kan_model_unrestricted, &kan_model_full_subgraph},
};

const kan_recoding_kind kan_model_ordered_regions = {
    .kind = {.name = "ordered-regions",
             .summary =
                 "the space of all columns, each in its order, is cut into boxes of intervals",
             .paper = "Incognito 5.1.4",
             .is_everyday = true},
    .type = KAN_RECODING_REGIONS,
    .contains = {&kan_model_ordered_set, &kan_model_full_subgraph}, /* as above */
};

/* No function of the tuple: it is a model of rows, and by that outside of the taxonomy. */
const kan_recoding_kind kan_model_relaxed_regions = {
    .kind = {.name = "relaxed-regions",
             .summary = "as ordered-regions, but rows at the border of two boxes may be in either",
             .paper = "LeFevre et al. 2006 (Mondrian)"},
    .type = KAN_RECODING_SHARED,
    .contains = {&kan_model_ordered_regions},
};

const kan_recoding_kind kan_model_cell_suppression = {
    .kind = {.name = "cell-suppression",
             .summary = "a cell is shown as it is, or as *, in each row on its own",
             .paper = "Incognito 5.2",
             .is_everyday = true},
    .type = KAN_RECODING_LOCAL,
    .suppresses = true,
    .contains = {&kan_model_attribute_suppression},
};

const kan_recoding_kind kan_model_cell_generalization = {
    .kind = {.name = "cell-generalization",
             .summary = "a cell is shown as its value or any node above it, in each row on its own",
             .paper = "Incognito 5.2",
             .is_everyday = true},
    .type = KAN_RECODING_LOCAL,
    .needs_trees = true,
    .contains = {&kan_model_unrestricted_multi, &kan_model_cell_suppression},
};

const kan_recoding_kind kan_model_microaggregation = {
    .kind =
        {.name = "microaggregation",
         .summary =
             "rows are grouped by nearness, and each group shows its ranges, means or most common "
             "values",
         .paper = "Domingo-Ferrer, Torra 2005",
         .is_everyday = true},
    .type = KAN_RECODING_SHARED,
    .lowers_squares = true,
};

bool kan_model_contains(const kan_recoding_kind *outer, const kan_recoding_kind *inner) {
    if (outer == inner)
        return true;
    for (size_t i = 0; i < KAN_MODEL_CONTAINS && outer->contains[i]; i++)
        if (kan_model_contains(outer->contains[i], inner))
            return true;
    return false;
}
