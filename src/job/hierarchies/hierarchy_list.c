/* The labels of a hierarchy as JSON, for programs that draw it: `hierarchy-show --list`.
 *
 * Each level lists its first labels in the order of the tree, so that the children of a label stand
 * together. The parent of a label is its place in the list of the level above. Linear in the number
 * of nodes, whatever is listed. */
#include "job/hierarchies/hierarchy_inside.h"
#include "job/tell/tell.h"

/* The nodes of the level below in the order of the tree, from those of this level. */
static void order_children(const kan_tree_level *level, const uint32_t *order, uint32_t *below,
                           uint32_t *parent) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < level->n; i++)
        for (uint32_t at = level->start[order[i]]; at < level->start[order[i] + 1]; at++) {
            below[n] = level->child[at];
            parent[n++] = i;
        }
}

static json_t *label_json(const kan_tree_level *level, uint32_t node, bool has_parent,
                          uint32_t parent) {
    return json_pack("{s:o, s:o, s:o, s:o, s:b}", "label", kan_json_slice(level->nodes[node].label),
                     "values", kan_json_count(level->leaves[node]), "rows",
                     level->rows ? kan_json_count(level->rows[node]) : json_null(), "parent",
                     has_parent ? kan_json_count(parent) : json_null(), "is_value",
                     (int)level->is_value[node]);
}

static json_t *list_json(const kan_tree_level *level, const uint32_t *order, const uint32_t *parent,
                         uint64_t most) {
    json_t *list = json_array();
    for (uint32_t i = 0; list && i < level->n && i < most; i++)
        list = kan_json_append(
            list, label_json(level, order[i], parent && parent[i] < most, parent ? parent[i] : 0));
    return list;
}

/* Room for the largest level, twice: the order of a level, and that of the one below. */
static kan_status make_room(const kan_hierarchy_tree *tree, uint32_t **room) {
    uint32_t most = 0;
    for (unsigned i = 0; i <= tree->height; i++)
        most = tree->levels[i].n > most ? tree->levels[i].n : most;
    for (unsigned i = 0; i < 3; i++)
        KAN_TRY(kan_alloc_zero(tree->run, most, sizeof **room, &room[i]));
    return KAN_OK;
}

kan_status kan_hierarchy_list_labels(const kan_hierarchy_tree *tree, uint64_t most,
                                     json_t *levels) {
    uint32_t *room[3] = {NULL}, *order, *below, *parent;
    kan_status status = make_room(tree, room);
    order = room[0], below = room[1], parent = room[2];
    for (unsigned i = tree->height + 1; status == KAN_OK && i-- > 0;) {
        const bool is_top = i == tree->height;
        if (!is_top) {
            uint32_t *const upper = order;
            order_children(&tree->levels[i + 1], upper, below, parent);
            order = below;
            below = upper;
        }
        json_t *level = json_array_get(levels, i);
        if (!level || json_object_set_new(
                          level, "list",
                          list_json(&tree->levels[i], order, is_top ? NULL : parent, most)) != 0)
            status = kan_fail(tree->run, KAN_FAILED, "out of memory while labels were listed");
    }
    for (unsigned i = 0; i < 3; i++)
        kan_free(tree->run, room[i]);
    return status;
}
