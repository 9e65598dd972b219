/* The recoding models there are. The first ten are those of the Incognito paper
 * (section 5); the others have no place in its taxonomy. */
#include "recode/models.h"

const kan_recoding_kind kan_model_full_domain = {
    .kind = {"full-domain", "all values of a column are shown at one level of its hierarchy", NULL,
             0},
    .paper = "Incognito 5.1.1",
    .type = KAN_RECODING_LEVELS,
    .stars_whole_columns = true,
    .needs_trees = true,
    /* the top of a hierarchy is one value, and tells as much as * */
    .contains = {&kan_model_attribute_suppression},
};

const kan_recoding_kind kan_model_attribute_suppression = {
    .kind = {"attribute-suppression", "a column is shown as it is, or as * in every row", NULL, 0},
    .paper = "Incognito 5.1.1",
    .type = KAN_RECODING_LEVELS,
    .stars_whole_columns = true,
    .suppresses = true,
};

const kan_recoding_kind kan_model_full_subtree = {
    .kind = {"full-subtree",
             "a value is shown as itself or a node above it, and all values below that node alike",
             NULL, 0},
    .paper = "Incognito 5.1.1",
    .type = KAN_RECODING_SUBTREES,
    .stars_whole_columns = true,
    .needs_trees = true,
    .contains = {&kan_model_full_domain},
};

const kan_recoding_kind kan_model_ordered_set = {
    .kind = {"ordered-set", "the values of a column, in their order, are cut into intervals", NULL,
             0},
    .paper = "Incognito 5.1.2",
    .type = KAN_RECODING_CUTS,
    .stars_whole_columns = true,
    /* where the order keeps the values of a node together; a hierarchy that it tears apart is not
     * used */
    .contains = {&kan_model_full_subtree},
};

const kan_recoding_kind kan_model_unrestricted = {
    .kind = {"unrestricted",
             "a value is shown as itself or any node above it, the same one in every row", NULL, 0},
    .paper = "Incognito 5.1.1",
    .type = KAN_RECODING_LOCAL,
    .narrows_labels = true,
    .needs_trees = true,
    .contains = {&kan_model_full_subtree},
};

const kan_recoding_kind kan_model_full_subgraph = {
    .kind = {"full-subgraph",
             "a combination of values is shown as nodes above them, and all combinations below "
             "these alike",
             NULL, 0},
    .paper = "Incognito 5.1.3",
    .type = KAN_RECODING_LOCAL,
    .needs_trees = true,
    .contains = {&kan_model_full_subtree},
};

const kan_recoding_kind kan_model_unrestricted_multi = {
    .kind = {"unrestricted-multi",
             "a combination of values is shown as any nodes above them, the same ones in every row",
             NULL, 0},
    .paper = "Incognito 5.1.3",
    .type = KAN_RECODING_LOCAL,
    .narrows_labels = true,
    .needs_trees = true,
    .contains = {&kan_model_unrestricted, &kan_model_full_subgraph},
};

const kan_recoding_kind kan_model_ordered_regions = {
    .kind = {"ordered-regions",
             "the space of all columns, each in its order, is cut into boxes of intervals", NULL,
             0},
    .paper = "Incognito 5.1.4",
    .type = KAN_RECODING_REGIONS,
    .contains = {&kan_model_ordered_set, &kan_model_full_subgraph}, /* as above */
};

/* No function of the tuple: it is a model of rows, and by that outside of the taxonomy. */
const kan_recoding_kind kan_model_relaxed_regions = {
    .kind = {"relaxed-regions",
             "as ordered-regions, but rows at the border of two boxes may be in either", NULL, 0},
    .paper = "mondrian-greedy 2.3",
    .type = KAN_RECODING_SHARED,
    .contains = {&kan_model_ordered_regions},
};

const kan_recoding_kind kan_model_cell_suppression = {
    .kind = {"cell-suppression", "a cell is shown as it is, or as *, in each row by itself", NULL,
             0},
    .paper = "Incognito 5.2",
    .type = KAN_RECODING_LOCAL,
    .suppresses = true,
    .contains = {&kan_model_attribute_suppression},
};

const kan_recoding_kind kan_model_cell_generalization = {
    .kind = {"cell-generalization",
             "a cell is shown as its value or any node above it, in each row by itself", NULL, 0},
    .paper = "Incognito 5.2",
    .type = KAN_RECODING_LOCAL,
    .needs_trees = true,
    .contains = {&kan_model_unrestricted_multi, &kan_model_cell_suppression},
};

const kan_recoding_kind kan_model_microaggregation = {
    .kind = {"microaggregation",
             "rows are grouped by nearness, and each group shows its ranges, means or most common "
             "values",
             NULL, 0},
    .paper = "Domingo-Ferrer, Torra 2005",
    .type = KAN_RECODING_SHARED,
};

bool kan_model_contains(const kan_recoding_kind *outer, const kan_recoding_kind *inner) {
    if (outer == inner)
        return true;
    for (size_t i = 0; i < KAN_MODEL_CONTAINS && outer->contains[i]; i++)
        if (kan_model_contains(outer->contains[i], inner))
            return true;
    return false;
}
