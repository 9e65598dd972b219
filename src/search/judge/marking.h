/* Marking: how a breadth-first search hands on that a node satisfies the promise, for every search
 * that marks.
 *
 * Figure 8 of Incognito to the letter marks only the direct generalizations of a node that was
 * checked, and a marked node hands nothing on; so a generalization of a generalization can be
 * reached through a failing neighbour and is checked though its answer is known. The published node
 * counts are of that kind: `literal`. `transitive` hands marks on to all generalizations, as the
 * text around the figure says: same answers, fewer checks. */
#ifndef KANON_SEARCH_JUDGE_MARKING_H
#define KANON_SEARCH_JUDGE_MARKING_H

#include <string.h>

#include "core/options.h"

/* The option, as an element of a search's own list of options. */
#define KAN_MARKING_OPTION                                                                         \
    {                                                                                              \
        .name = "marking", .argument = "RULE",                                                     \
        .summary = "transitive; or literal, which looks at more, as in the paper's Figure 8; the " \
                   "answer is the same",                                                           \
        .type = KAN_OPTION_CHOICE, .traits = KAN_TRAIT_SHOWN, .choices = "transitive|literal",     \
        .fallback = "transitive"                                                                   \
    }

/* For a search with no other option. */
static const kan_option_spec kan_marking_options[] = {KAN_MARKING_OPTION};
enum { KAN_N_MARKING_OPTIONS = sizeof kan_marking_options / sizeof *kan_marking_options };

static inline bool kan_marking_is_literal(const kan_options *options) {
    const char *value = options ? kan_options_find(options, "marking") : NULL;
    return value && strcmp(value, "literal") == 0;
}

#endif
