/* Lines of nodes that wait for their turn: the one that costs least goes first, then by height and
 * levels, as searches choose (search/judge/judge.h). Memory grows with what waits. */
#ifndef KANON_JOB_RELEASE_NODE_LINES_H
#define KANON_JOB_RELEASE_NODE_LINES_H

#include "core/text.h"
#include "cost/cost.h"

typedef struct kan_node_line {
    kan_score score;
    unsigned height;
    unsigned n_levels;
    size_t size;
    const char *bytes;                  /* with the line's end */
    uint8_t levels[KAN_MAX_ATTRIBUTES]; /* only n_levels of them are there */
} kan_node_line;

typedef struct kan_node_lines {
    kan_run *run;
    kan_node_line **heap;
    size_t n, room;
} kan_node_lines;

/* A cost without a value comes last. The text is copied. */
KAN_MUST_USE kan_status kan_node_lines_add(kan_node_lines *lines, const kan_score *score,
                                           const unsigned *levels, unsigned n_levels,
                                           kan_slice text);
/* The first one, which stays there; NULL: there is none. */
const kan_node_line *kan_node_lines_first(const kan_node_lines *lines);
void kan_node_lines_drop_first(kan_node_lines *lines);
void kan_node_lines_destroy(kan_node_lines *lines);

#endif
