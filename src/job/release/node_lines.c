/* Lines of nodes in the order of what they cost: a binary heap. */
#include "job/release/node_lines.h"

#include <math.h>
#include <stddef.h>

#include "core/memory.h"

static bool is_before(const kan_node_line *a, const kan_node_line *b) {
    const bool has_a = !isnan(a->score.real), has_b = !isnan(b->score.real);
    const int order = has_a && has_b ? kan_score_compare(&a->score, &b->score) : has_b - has_a;
    if (order != 0)
        return order < 0;
    return a->height != b->height ? a->height < b->height
                                  : memcmp(a->levels, b->levels, a->n_levels) < 0;
}

kan_status kan_node_lines_add(kan_node_lines *lines, const kan_score *score, const unsigned *levels,
                              unsigned n_levels, kan_slice text) {
    kan_node_line *line;
    const size_t head = offsetof(kan_node_line, levels) + n_levels;
    KAN_TRY(
        kan_reserve(lines->run, lines->n + 1, sizeof(kan_node_line *), &lines->room, &lines->heap));
    KAN_TRY(kan_alloc(lines->run, head + text.size, 1, &line));
    char *bytes = (char *)line + head;
    line->score = *score;
    line->height = 0;
    line->n_levels = n_levels;
    line->size = text.size;
    line->bytes = bytes;
    memcpy(bytes, text.bytes, text.size);
    for (unsigned a = 0; a < n_levels; a++) {
        line->levels[a] = (uint8_t)levels[a];
        line->height += levels[a];
    }
    size_t at = lines->n++;
    for (; at > 0 && is_before(line, lines->heap[(at - 1) / 2]); at = (at - 1) / 2)
        lines->heap[at] = lines->heap[(at - 1) / 2];
    lines->heap[at] = line;
    return KAN_OK;
}

const kan_node_line *kan_node_lines_first(const kan_node_lines *lines) {
    return lines->n > 0 ? lines->heap[0] : NULL;
}

void kan_node_lines_drop_first(kan_node_lines *lines) {
    KAN_ASSERT(lines->n > 0);
    kan_free(lines->run, lines->heap[0]);
    kan_node_line *last = lines->heap[--lines->n];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < lines->n; at = child) {
        if (child + 1 < lines->n && is_before(lines->heap[child + 1], lines->heap[child]))
            child++;
        if (!is_before(lines->heap[child], last))
            break;
        lines->heap[at] = lines->heap[child];
    }
    lines->heap[at] = last;
}

void kan_node_lines_destroy(kan_node_lines *lines) {
    for (size_t i = 0; i < lines->n; i++)
        kan_free(lines->run, lines->heap[i]);
    kan_free(lines->run, lines->heap);
}
