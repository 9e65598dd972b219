/* Labels with two meanings, and what else a careful eye would see in a hierarchy.
 *
 * A label that stands at two levels means the same at both when it covers the same values. If it
 * covers more at the upper one, and those of the lower one among them, a reader may be surprised:
 * a remark. If it covers others, a released label says two things: a problem. Each label is looked
 * up at every level above its own: nodes times levels look-ups. */
#include <inttypes.h>

#include "data/hierarchies/hierarchy_tree.h"

/* What the node is called one level higher, and so on up to `level`. */
static uint32_t ancestor(const kan_hierarchy_tree *tree, unsigned from, uint32_t node,
                         unsigned level) {
    for (; from < level; from++)
        node = tree->levels[from].nodes[node].parent;
    return node;
}

typedef enum { SAME, WIDER, OTHER } meaning;

/* The lowest level above `level` where the label means something else; false: there is none. */
static bool find_other_meaning(const kan_hierarchy_tree *tree, const kan_hierarchy_lines *lines,
                               unsigned level, uint32_t node, unsigned *upper, meaning *what) {
    const kan_tree_level *here = &tree->levels[level];
    for (unsigned above = level + 1; above <= tree->height; above++) {
        const uint32_t other =
            kan_label_find(kan_lines_level(lines, above), here->nodes[node].label);
        if (other == KAN_NO_NODE)
            continue;
        const bool is_within = ancestor(tree, level, node, above) == other;
        if (is_within && tree->levels[above].leaves[other] == here->leaves[node])
            continue;
        *upper = above;
        *what = is_within ? WIDER : OTHER;
        return true;
    }
    return false;
}

void kan_hierarchy_tree_check_labels(const kan_hierarchy_tree *tree,
                                     const kan_hierarchy_lines *lines) {
    for (unsigned level = 0; level < tree->height; level++)
        for (uint32_t node = 0; node < tree->levels[level].n; node++) {
            const kan_label_node *here = &tree->levels[level].nodes[node];
            char quoted[256];
            unsigned upper;
            meaning what;
            if (!find_other_meaning(tree, lines, level, node, &upper, &what) || what != OTHER)
                continue;
            const kan_label_set *set = kan_lines_level(lines, upper);
            kan_problem_add(lines->run,
                            "%s:%" PRIu64
                            ": %s (level %u) is also a label of level %u, line %" PRIu64
                            ", where it covers other values; a label must mean one thing: give one "
                            "of them another name",
                            lines->path, here->line, kan_quote(here->label, quoted), level, upper,
                            set->nodes[kan_label_find(set, here->label)].line);
        }
}

static size_t review_nested(const kan_hierarchy_tree *tree, const kan_hierarchy_lines *lines,
                            kan_tree_finding *out) {
    kan_tree_finding first = {.remark = KAN_TREE_NESTED};
    for (unsigned level = 0; level < tree->height; level++)
        for (uint32_t node = 0; node < tree->levels[level].n; node++) {
            unsigned upper;
            meaning what;
            if (!find_other_meaning(tree, lines, level, node, &upper, &what) || what != WIDER)
                continue;
            if (first.count++ == 0) {
                first.level = level;
                first.upper = upper;
                first.node = node;
            }
        }
    *out = first;
    return first.count > 0;
}

/* The label of a level that has at least 95% of the rows, unless the level below has one already:
 * then the data is so, and no hierarchy could help. */
static bool is_lopsided(const kan_hierarchy_tree *tree, unsigned level, uint32_t *node) {
    const kan_tree_level *here = &tree->levels[level];
    for (uint32_t i = 0; i < here->n; i++)
        if (here->rows[i] >= tree->n_rows - tree->n_rows / 20) {
            *node = i;
            return true;
        }
    return false;
}

size_t kan_hierarchy_tree_review(const kan_hierarchy_tree *tree, const kan_hierarchy_lines *lines,
                                 const uint32_t *code_of_node, kan_tree_finding *findings) {
    size_t n = 0;
    uint32_t node = 0;
    if (tree->n_absent > 0) {
        while (code_of_node[node] != UINT32_MAX)
            node++;
        findings[n++] =
            (kan_tree_finding){.remark = KAN_TREE_ABSENT, .node = node, .count = tree->n_absent};
    }
    for (unsigned level = 1; level <= tree->height; level++)
        if (tree->levels[level].n == tree->levels[level - 1].n)
            findings[n++] = (kan_tree_finding){.remark = KAN_TREE_IDLE, .level = level};
    for (unsigned level = 1; tree->n_rows > 0 && level < tree->height; level++)
        if (tree->levels[level].n > 1 && is_lopsided(tree, level, &node)) {
            uint32_t below;
            if (!is_lopsided(tree, level - 1, &below))
                findings[n++] = (kan_tree_finding){.remark = KAN_TREE_LOPSIDED,
                                                   .level = level,
                                                   .node = node,
                                                   .count = tree->levels[level].rows[node]};
            break;
        }
    return n + review_nested(tree, lines, &findings[n]);
}
