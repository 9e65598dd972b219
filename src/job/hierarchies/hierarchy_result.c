/* How hierarchies are told: the table of levels, labels on a terminal, words for a shell. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

#include "job/hierarchies/hierarchy_inside.h"
#include "job/tell/tell.h"

/* Rows of the smallest label that has any, and of the largest. */
static void find_extremes(const kan_tree_level *level, uint64_t *least, uint64_t *most) {
    *least = *most = 0;
    for (uint32_t node = 0; node < level->n; node++) {
        const uint64_t rows = level->rows[node];
        if (rows > 0 && (*least == 0 || rows < *least))
            *least = rows;
        if (rows > *most)
            *most = rows;
    }
}

json_t *kan_hierarchy_levels_json(const kan_hierarchy_tree *tree) {
    json_t *levels = json_array();
    for (unsigned i = 0; levels && i <= tree->height; i++) {
        const kan_tree_level *level = &tree->levels[i];
        json_t *object =
            json_pack("{s:i, s:o}", "level", (int)i, "labels", kan_json_count(level->n));
        if (level->rows) {
            uint64_t least, most;
            find_extremes(level, &least, &most);
            object = kan_json_set(object, "smallest_rows", kan_json_count(least));
            object = kan_json_set(object, "largest_rows", kan_json_count(most));
        }
        levels = kan_json_append(levels, object);
    }
    return levels;
}

static unsigned widest(unsigned width, uint64_t count) {
    char room[32];
    const unsigned size = (unsigned)strlen(kan_count_text(count, room));
    return size > width ? size : width;
}

void kan_hierarchy_levels_text(const kan_hierarchy_tree *tree, kan_text *text) {
    enum { MOST_LABEL = 30 };
    const bool has_rows = tree->levels[0].rows != NULL;
    unsigned labels = 6, rows = 8;
    for (unsigned i = 0; i <= tree->height; i++)
        labels = widest(labels, tree->levels[i].n);
    rows = widest(rows, tree->n_rows);
    kan_text_print(text, "  level  %*s", (int)labels, "labels");
    if (has_rows)
        kan_text_print(text, "  %*s  %*s", (int)rows, "smallest", (int)rows, "largest");
    kan_text_print(text, "  such as\n");
    for (unsigned i = 0; i <= tree->height; i++) {
        const kan_tree_level *level = &tree->levels[i];
        char a[32], b[32];
        kan_text_print(text, "  %5u  %*s", i, (int)labels, kan_count_text(level->n, a));
        if (has_rows) {
            uint64_t least, most;
            find_extremes(level, &least, &most);
            kan_text_print(text, "  %*s  %*s", (int)rows, kan_count_text(least, a), (int)rows,
                           kan_count_text(most, b));
        }
        kan_text_print(text, "  ");
        /* one in the middle: the first is often an unknown value */
        (void)kan_words_add_label(text, level->nodes[level->n / 2].label, MOST_LABEL);
        kan_text_print(text, "\n");
    }
}
