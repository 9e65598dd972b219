/* The whole promise at single nodes, where most are settled by the sizes of their groups.
 *
 * A box is searched by k alone (boxes.h), which looks at sizes. Nodes that these leave open are
 * checked against the whole promise here: their groups with sensitive values are counted
 * (group/tallies.h) from a set that carries the values, at or below the node. Such sets are kept on
 * a stack, each at or above the one before it, as the boxes are that are open; a set is made when
 * somebody has asked from there a few times. Where counting does not fit, the node's own set is made and seen.
 *
 * What a check tells beside the node itself: how many rows every node below it loses at least
 * (docs/papers/screen.md). One per thread. */
#ifndef KANON_SEARCH_BOXES_STRICT_H
#define KANON_SEARCH_BOXES_STRICT_H

#include "group/tallies.h"
#include "group/viewer.h"
#include "search/judge/judge.h"

typedef struct kan_strict {
    const kan_question *question; /* with the whole promise; NULL: there is none */
    kan_workspace *workspace;     /* the probe's */
    bool is_monotone;
    bool looks_early;        /* a check is cheap, and tells something of the nodes below */
    unsigned wanted;         /* a bit for each tail that is looked at */
    const kan_freqset *base; /* the problem's, whose order of attributes is as good as any */
    size_t n_sets, set_room;
    struct kan_strict_set {
        kan_freqset set;
        size_t n_groups; /* without the values */
    } * sets; /* each at or above the one before; room of those beyond n_sets is reused */
    unsigned near[KAN_MAX_ATTRIBUTES]; /* where somebody asked from last, and how often */
    unsigned n_asked;
    uint64_t n_kept, n_broken; /* nodes that were checked: those that were worth it, and others */
    kan_freqset scratch;
    kan_tallies tallies;
    kan_viewer viewer;
    uint8_t *is_released;
    size_t flag_room;

    /* The node that was checked last: */
    bool is_checked;
    bool is_by_tallies; /* its groups are those of `tallies`, else of `viewer` */
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_groups groups;
    /* Rows that fail here, and that fail at every node below at least. Either may be less than that
     * where it is above what was asked for. */
    uint64_t n_failing, n_least;
    kan_cell_loss loss[KAN_MAX_ATTRIBUTES];
} kan_strict;

KAN_MUST_USE kan_status kan_strict_init(kan_strict *strict, const kan_question *question,
                                        kan_workspace *workspace);
void kan_strict_destroy(kan_strict *strict);
/* Forgets all sets that were made: what is done next costs the same whatever was done before. */
void kan_strict_restart(kan_strict *strict);

/* Whether a question can be searched by k alone with the whole promise checked here, and every
 * check tells exactly what fails where the promise is monotone. */
bool kan_strict_fits(const kan_question *question);

/* Checks the node at `levels`; `near` is a set at or below it from which its neighbours are looked
 * at, too. Rows that fail are counted up to `enough` at least. */
KAN_MUST_USE kan_status kan_strict_check(kan_strict *strict, const kan_freqset *near,
                                         const unsigned *levels, uint64_t enough,
                                         kan_effort *effort);
/* The same from a set that has the values, at or below the node; one of few attributes will do where
 * the others are a single group there. NULL: the node's own set is made. */
KAN_MUST_USE kan_status kan_strict_check_from(kan_strict *strict, const kan_freqset *from,
                                              const unsigned *levels, uint64_t enough,
                                              kan_effort *effort);
/* The node that was checked last keeps the promise, but costs too much by what it loses. */
void kan_strict_note_dear(kan_strict *strict);
/* Whether that node was checked last. */
bool kan_strict_has(const kan_strict *strict, const unsigned *levels);
/* The groups of the node that was checked, ready to be measured; all failing rows were counted. */
const kan_groups *kan_strict_groups(kan_strict *strict);

#endif
