/* The tree of checked lines: children by a counting sort, leaves and rows from the bottom up.
 *
 * Nodes of a level stand in the order of their first lines, so the children of a node do, too.
 * Time and memory are linear in the number of nodes. */
#include "data/hierarchies/hierarchy_tree.h"

enum { ROWS_AT_ONCE = 1 << 16 };

kan_status kan_column_count(kan_run *run, const kan_column *column, uint64_t *counts) {
    const uint64_t n_rows = column->n_rows;
    for (uint32_t code = 0; code < column->dictionary.n; code++)
        counts[code] = n_rows == 0;
    for (uint64_t first = 0; first < n_rows; first += ROWS_AT_ONCE) {
        const uint64_t n = n_rows - first < ROWS_AT_ONCE ? n_rows - first : ROWS_AT_ONCE;
        for (uint64_t row = first; row < first + n; row++)
            counts[kan_column_code(column, row)] += kan_column_rows(column, row);
        kan_column_done(run, column, first, n);
        KAN_TRY(kan_check_cancel(run));
    }
    return KAN_OK;
}

static kan_status link_children(kan_hierarchy_tree *tree, unsigned level) {
    kan_tree_level *here = &tree->levels[level];
    const kan_tree_level *below = here - 1;
    uint32_t *next;
    KAN_TRY(kan_arena_alloc(&tree->arena, (size_t)here->n + 1, sizeof *next, &here->start));
    KAN_TRY(kan_arena_alloc(&tree->arena, (size_t)here->n + 1, sizeof *next, &next));
    KAN_TRY(kan_arena_alloc(&tree->arena, below->n, sizeof *next, &here->child));
    for (uint32_t node = 0; node < below->n; node++)
        here->start[below->nodes[node].parent + 1]++;
    for (uint32_t node = 0; node < here->n; node++)
        here->start[node + 1] += here->start[node];
    memcpy(next, here->start, ((size_t)here->n + 1) * sizeof *next);
    for (uint32_t node = 0; node < below->n; node++)
        here->child[next[below->nodes[node].parent]++] = node;
    return KAN_OK;
}

/* A node above one value of the same label; the top is never one. */
static bool repeats_value(const kan_hierarchy_tree *tree, unsigned level, uint32_t node) {
    const kan_tree_level *here = &tree->levels[level], *below = here - 1;
    if (level == tree->height || here->start[node + 1] - here->start[node] != 1)
        return false;
    const uint32_t child = here->child[here->start[node]];
    return below->is_value[child] &&
           kan_slice_equal(below->nodes[child].label, here->nodes[node].label);
}

static kan_status add_up(kan_hierarchy_tree *tree, unsigned level) {
    kan_tree_level *here = &tree->levels[level];
    const bool has_rows = tree->levels[0].rows != NULL;
    KAN_TRY(kan_arena_alloc(&tree->arena, here->n, sizeof *here->leaves, &here->leaves));
    KAN_TRY(kan_arena_alloc(&tree->arena, here->n, sizeof *here->is_value, &here->is_value));
    if (level == 0) {
        for (uint32_t node = 0; node < here->n; node++) {
            here->leaves[node] = 1;
            here->is_value[node] = true;
        }
        return KAN_OK;
    }
    const kan_tree_level *below = here - 1;
    KAN_TRY(link_children(tree, level));
    if (has_rows)
        KAN_TRY(kan_arena_alloc(&tree->arena, here->n, sizeof *here->rows, &here->rows));
    for (uint32_t node = 0; node < below->n; node++) {
        here->leaves[below->nodes[node].parent] += below->leaves[node];
        if (has_rows)
            here->rows[below->nodes[node].parent] += below->rows[node];
    }
    for (uint32_t node = 0; node < here->n; node++)
        here->is_value[node] = repeats_value(tree, level, node);
    return KAN_OK;
}

static kan_status count_rows(kan_hierarchy_tree *tree, const kan_hierarchy_lines *lines,
                             const kan_column *column) {
    uint64_t *rows, *counts;
    KAN_TRY(kan_arena_alloc(&tree->arena, lines->values.n, sizeof *rows, &rows));
    KAN_TRY(kan_alloc(tree->run, column->dictionary.n, sizeof *counts, &counts));
    kan_status status = kan_column_count(tree->run, column, counts);
    for (uint32_t code = 0; status == KAN_OK && code < column->dictionary.n; code++) {
        rows[kan_label_find(&lines->values, kan_dictionary_value(&column->dictionary, code))] =
            counts[code];
        tree->n_rows += counts[code];
    }
    kan_free(tree->run, counts);
    tree->n_absent = (uint32_t)lines->values.n - column->dictionary.n;
    tree->levels[0].rows = rows;
    return status;
}

static kan_status fill(kan_hierarchy_tree *tree, const kan_hierarchy_lines *lines,
                       const kan_column *column) {
    tree->height = (unsigned)lines->n_fields - 1;
    KAN_TRY(kan_arena_alloc(&tree->arena, tree->height + 1, sizeof *tree->levels, &tree->levels));
    for (unsigned level = 0; level <= tree->height; level++) {
        const kan_label_set *set = kan_lines_level(lines, level);
        tree->levels[level] = (kan_tree_level){.nodes = set->nodes, .n = (uint32_t)set->n};
    }
    if (column)
        KAN_TRY(count_rows(tree, lines, column));
    for (unsigned level = 0; level <= tree->height; level++)
        KAN_TRY(add_up(tree, level));
    return KAN_OK;
}

kan_status kan_hierarchy_tree_make(const kan_hierarchy_lines *lines, const kan_column *column,
                                   kan_hierarchy_tree **out) {
    kan_hierarchy_tree *tree;
    KAN_TRY(kan_alloc_zero(lines->run, 1, sizeof *tree, &tree));
    tree->run = lines->run;
    tree->spelling = column ? column->spelling : NULL;
    kan_arena_init(&tree->arena, lines->run);
    const kan_status status = fill(tree, lines, column);
    if (status == KAN_OK)
        *out = tree;
    else
        kan_hierarchy_tree_destroy(tree);
    return status;
}

void kan_hierarchy_tree_destroy(kan_hierarchy_tree *tree) {
    if (!tree)
        return;
    kan_arena_destroy(&tree->arena);
    kan_free(tree->run, tree);
}
