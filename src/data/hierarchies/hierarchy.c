/* The bound hierarchy: from checked lines to groups numbered in preorder.
 *
 * The lines give a tree: each label of a level is a node, its parent a node of the next level, and
 * the nodes of a level stand in the order of their first lines. From the top down, the nodes of a
 * level are ordered by the place of their parent, first lines breaking ties (a counting sort): that
 * is the preorder, whatever the order of the lines. From the bottom up, each node learns whether
 * the data has a value below it, how many leaves it covers, and their least and greatest number.
 * Then the nodes that have data are numbered in order.
 *
 * Time and memory are linear in the number of nodes. All that a hierarchy holds stands in its
 * arena. */
#include "data/hierarchies/hierarchy.h"

#include <math.h>

#include "data/hierarchies/hierarchy_lines.h"

/* What a node covers of the whole hierarchy, values that the data lacks included. */
typedef struct {
    uint32_t n_leaves, n_known; /* known: leaves with a number */
    double lo, hi;              /* of the known ones */
} extent;

typedef struct {
    uint32_t *order; /* nodes in preorder */
    uint32_t *group; /* node -> group; KAN_NO_NODE where the data has no value below */
    extent *covers;  /* by node */
} level_scratch;

typedef struct {
    const kan_hierarchy_lines *lines;
    const kan_column *column;
    kan_hierarchy *hierarchy;
    kan_arena scratch;
    level_scratch *levels;
    uint32_t *code_of_node;
} binding;

void kan_hierarchy_destroy(kan_hierarchy *hierarchy) {
    if (!hierarchy)
        return;
    kan_arena_destroy(&hierarchy->arena);
    kan_free(hierarchy->run, hierarchy);
}

uint32_t kan_hierarchy_first_leaf(const kan_hierarchy *hierarchy, unsigned level, uint32_t group) {
    KAN_ASSERT(level <= hierarchy->height);
    const uint32_t *from_leaf = hierarchy->levels[level].from_leaf; /* never decreasing */
    uint32_t low = 0, high = hierarchy->n_codes;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (from_leaf[middle] < group)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void kan_hierarchy_stand_ins(const kan_hierarchy *hierarchy, unsigned level, uint32_t *codes) {
    KAN_ASSERT(level <= hierarchy->height);
    const uint32_t *from_leaf = hierarchy->levels[level].from_leaf; /* never decreasing */
    for (uint32_t leaf = 0, first = 0; leaf < hierarchy->n_codes; leaf++) {
        if (from_leaf[leaf] != from_leaf[first])
            first = leaf;
        codes[hierarchy->code_of[leaf]] = hierarchy->code_of[first];
    }
}

void kan_hierarchy_map(const kan_hierarchy *hierarchy, unsigned from, unsigned to, uint32_t *map) {
    KAN_ASSERT(from <= to && to <= hierarchy->height);
    uint32_t n = hierarchy->levels[from].n_groups;
    if (from == 0) {
        if (n)
            memcpy(map, hierarchy->levels[to].from_leaf, n * sizeof *map);
        return;
    }
    for (uint32_t group = 0; group < n; group++)
        map[group] = group;
    for (unsigned level = from; level < to; level++) {
        const uint32_t *up = hierarchy->levels[level].up;
        for (uint32_t group = 0; group < n; group++)
            map[group] = up[map[group]];
    }
}

/* ---- the tree ------------------------------------------------------------------------------- */

/* Preorder of a level from that of the level above. */
static kan_status order_level(binding *b, unsigned level) {
    const kan_label_set *set = kan_lines_level(b->lines, level);
    uint32_t *order, *next, *rank;
    KAN_TRY(kan_arena_alloc(&b->scratch, set->n, sizeof *order, &order));
    b->levels[level].order = order;
    if (level == b->hierarchy->height) {
        KAN_ASSERT(set->n == 1); /* the check left one node at the top */
        order[0] = 0;
        return KAN_OK;
    }
    size_t n_above = kan_lines_level(b->lines, level + 1)->n;
    KAN_TRY(kan_arena_alloc(&b->scratch, n_above, sizeof *rank, &rank));
    KAN_TRY(kan_arena_alloc(&b->scratch, n_above + 1, sizeof *next, &next));
    for (uint32_t i = 0; i < n_above; i++)
        rank[b->levels[level + 1].order[i]] = i;
    for (size_t node = 0; node < set->n; node++)
        next[rank[set->nodes[node].parent] + 1]++;
    for (size_t i = 1; i <= n_above; i++)
        next[i] += next[i - 1];
    for (uint32_t node = 0; node < set->n; node++)
        order[next[rank[set->nodes[node].parent]]++] = node;
    return KAN_OK;
}

static extent leaf_extent(kan_type type, kan_slice value) {
    extent leaf = {.n_leaves = 1, .lo = INFINITY, .hi = -INFINITY};
    double number;
    if (type != KAN_TYPE_TEXT && kan_value_number(type, value, &number)) {
        leaf.n_known = 1;
        leaf.lo = leaf.hi = number;
    }
    return leaf;
}

/* Extents of a level from those of the level below, and which nodes have data: their group is set
 * to 0 until they are numbered. */
static kan_status gather_level(binding *b, unsigned level) {
    const kan_label_set *set = kan_lines_level(b->lines, level);
    level_scratch *here = &b->levels[level];
    KAN_TRY(kan_arena_alloc(&b->scratch, set->n, sizeof *here->covers, &here->covers));
    KAN_TRY(kan_arena_alloc(&b->scratch, set->n, sizeof *here->group, &here->group));
    if (level == 0) {
        for (size_t node = 0; node < set->n; node++) {
            here->covers[node] = leaf_extent(b->column->dictionary.type, set->nodes[node].label);
            here->group[node] = b->code_of_node[node] == UINT32_MAX ? KAN_NO_NODE : 0;
        }
        return KAN_OK;
    }
    for (size_t node = 0; node < set->n; node++) {
        here->covers[node] = (extent){.lo = INFINITY, .hi = -INFINITY};
        here->group[node] = KAN_NO_NODE;
    }
    const kan_label_set *below = kan_lines_level(b->lines, level - 1);
    for (size_t node = 0; node < below->n; node++) {
        const extent *part = &b->levels[level - 1].covers[node];
        extent *whole = &here->covers[below->nodes[node].parent];
        whole->n_leaves += part->n_leaves;
        whole->n_known += part->n_known;
        whole->lo = fmin(whole->lo, part->lo);
        whole->hi = fmax(whole->hi, part->hi);
        if (b->levels[level - 1].group[node] != KAN_NO_NODE)
            here->group[below->nodes[node].parent] = 0;
    }
    return KAN_OK;
}

/* Numbers the nodes with data in preorder; gives how many they are. */
static uint32_t number_level(binding *b, unsigned level) {
    const level_scratch *here = &b->levels[level];
    size_t n_nodes = kan_lines_level(b->lines, level)->n;
    uint32_t n_groups = 0;
    for (size_t i = 0; i < n_nodes; i++)
        if (here->group[here->order[i]] != KAN_NO_NODE)
            here->group[here->order[i]] = n_groups++;
    return n_groups;
}

/* ---- filling the levels --------------------------------------------------------------------- */

/* By length for numbers and dates, by leaves for text. A node of a number column that also holds
 * leaves without a number (unknown values, "" and "?") gets the larger of both shares: the length
 * alone would call the unknown free, the count alone could make a node cheaper than a part of it,
 * and costs rely on a share that never falls on the way up. */
static double share_of(kan_type type, const extent *node, const extent *domain) {
    double by_count =
        domain->n_leaves > 1 ? (double)(node->n_leaves - 1) / (double)(domain->n_leaves - 1) : 0;
    if (type == KAN_TYPE_TEXT)
        return by_count;
    double by_length = 0;
    if (node->n_known > 0 && domain->hi > domain->lo) {
        /* halves, so that the length of -1e308 .. 1e308 is finite */
        bool is_huge = isinf(domain->hi - domain->lo);
        double scale = is_huge ? 0.5 : 1;
        by_length =
            (node->hi * scale - node->lo * scale) / (domain->hi * scale - domain->lo * scale);
    }
    return node->n_known == node->n_leaves ? by_length : fmax(by_length, by_count);
}

static kan_status fill_labels(binding *b, unsigned level) {
    const kan_label_set *set = kan_lines_level(b->lines, level);
    const level_scratch *here = &b->levels[level];
    kan_level *target = &b->hierarchy->levels[level];
    size_t n_bytes = 0;
    for (size_t node = 0; node < set->n; node++)
        if (here->group[node] != KAN_NO_NODE)
            n_bytes += set->nodes[node].label.size;
    char *bytes;
    KAN_TRY(kan_arena_alloc(&b->hierarchy->arena, n_bytes + 1, 1, &bytes));
    for (size_t i = 0; i < set->n; i++) {
        uint32_t node = here->order[i];
        if (here->group[node] == KAN_NO_NODE)
            continue;
        kan_slice label = set->nodes[node].label;
        if (label.size)
            memcpy(bytes, label.bytes, label.size);
        target->label[here->group[node]] = (kan_slice){bytes, label.size};
        bytes += label.size;
    }
    return KAN_OK;
}

static kan_status fill_level(binding *b, unsigned level) {
    kan_hierarchy *h = b->hierarchy;
    const kan_label_set *set = kan_lines_level(b->lines, level);
    const level_scratch *here = &b->levels[level];
    kan_level *target = &h->levels[level];
    uint32_t n = target->n_groups = number_level(b, level);
    KAN_ASSERT(level > 0 || n == h->n_codes); /* every value of the data has a line */
    KAN_TRY(kan_arena_alloc(&h->arena, n, sizeof *target->label, &target->label));
    KAN_TRY(kan_arena_alloc(&h->arena, n, sizeof *target->share, &target->share));
    KAN_TRY(kan_arena_alloc(&h->arena, h->n_codes, sizeof *target->from_leaf, &target->from_leaf));
    if (level < h->height)
        KAN_TRY(kan_arena_alloc(&h->arena, n, sizeof *target->up, &target->up));
    KAN_TRY(fill_labels(b, level));
    const extent *domain = &b->levels[h->height].covers[0];
    if (b->column->dictionary.type != KAN_TYPE_TEXT && domain->hi > domain->lo)
        h->length = domain->hi - domain->lo;
    for (size_t node = 0; node < set->n; node++)
        if (here->group[node] != KAN_NO_NODE)
            target->share[here->group[node]] =
                share_of(b->column->dictionary.type, &here->covers[node], domain);
    return KAN_OK;
}

/* The maps between levels, once every level is numbered. */
static void fill_maps(binding *b) {
    kan_hierarchy *h = b->hierarchy;
    for (unsigned level = 0; level < h->height; level++) {
        const kan_label_set *set = kan_lines_level(b->lines, level);
        for (size_t node = 0; node < set->n; node++) {
            uint32_t group = b->levels[level].group[node];
            if (group != KAN_NO_NODE)
                h->levels[level].up[group] = b->levels[level + 1].group[set->nodes[node].parent];
        }
        for (uint32_t group = 1; group < h->levels[level].n_groups; group++)
            KAN_ASSERT(h->levels[level].up[group - 1] <= h->levels[level].up[group]);
    }
    for (uint32_t leaf = 0; leaf < h->n_codes; leaf++) {
        uint32_t group = leaf;
        for (unsigned level = 0; level <= h->height; level++) {
            h->levels[level].from_leaf[leaf] = group;
            if (level < h->height)
                group = h->levels[level].up[group];
        }
    }
    for (size_t node = 0; node < b->lines->values.n; node++) {
        uint32_t code = b->code_of_node[node];
        if (code != UINT32_MAX) {
            h->leaf_of[code] = b->levels[0].group[node];
            h->code_of[h->leaf_of[code]] = code;
        }
    }
}

/* ---- binding -------------------------------------------------------------------------------- */

static kan_status create_empty(binding *b) {
    kan_run *run = b->lines->run;
    kan_hierarchy *h;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *h, &h));
    b->hierarchy = h;
    h->run = run;
    h->height = (unsigned)b->lines->n_fields - 1;
    h->n_codes = b->column->dictionary.n;
    h->n_leaves = (uint32_t)b->lines->values.n;
    kan_arena_init(&h->arena, run);
    const char *name = b->column->name, *path = b->lines->path;
    KAN_TRY(kan_arena_copy(&h->arena, name, strlen(name), &h->attribute));
    KAN_TRY(kan_arena_copy(&h->arena, path, strlen(path), &h->origin));
    KAN_TRY(kan_arena_alloc(&h->arena, h->height + 1, sizeof *h->levels, &h->levels));
    KAN_TRY(kan_arena_alloc(&h->arena, h->n_codes, sizeof *h->leaf_of, &h->leaf_of));
    return kan_arena_alloc(&h->arena, h->n_codes, sizeof *h->code_of, &h->code_of);
}

static kan_status fill(binding *b) {
    unsigned height = b->hierarchy->height;
    KAN_TRY(kan_arena_alloc(&b->scratch, height + 1, sizeof *b->levels, &b->levels));
    for (unsigned level = 0; level <= height; level++) {
        KAN_TRY(order_level(b, height - level));
        KAN_TRY(gather_level(b, level));
    }
    for (unsigned level = 0; level <= height; level++)
        KAN_TRY(fill_level(b, level));
    fill_maps(b);
    return KAN_OK;
}

kan_status kan_hierarchy_bind(const kan_hierarchy_lines *lines, const kan_column *column,
                              kan_hierarchy **out) {
    binding b = {.lines = lines, .column = column};
    kan_status status;
    kan_arena_init(&b.scratch, lines->run);
    KAN_TRY_DONE(
        kan_arena_alloc(&b.scratch, lines->values.n, sizeof *b.code_of_node, &b.code_of_node));
    KAN_TRY_DONE(kan_hierarchy_lines_check(lines, column, b.code_of_node));
    KAN_TRY_DONE(create_empty(&b));
    KAN_TRY_DONE(fill(&b));
    *out = b.hierarchy;
    b.hierarchy = NULL;
done:
    kan_hierarchy_destroy(b.hierarchy);
    kan_arena_destroy(&b.scratch);
    return status;
}
