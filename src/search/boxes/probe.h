/* The probe: looks at one node at a time from a frequency set at a node below it, and measures what
 * satisfies the promise, doing no more than the question needs. Where group sizes decide, sizes are
 * counted and no set is made; where the number of people does, they are counted from the crowd; a node
 * that cannot be the best is not measured. One per thread. */
#ifndef KANON_SEARCH_BOXES_PROBE_H
#define KANON_SEARCH_BOXES_PROBE_H

#include "group/freqsets/freqsets.h"
#include "search/boxes/strict.h"
#include "search/judge/judge.h"
#include "search/stayers.h"

typedef struct kan_probe {
    kan_run *run;
    const kan_question *question;
    const kan_space *space;
    kan_judge judge;
    kan_workspace *workspace;
    kan_sizes sizes;
    kan_viewer below;    /* of a set below the node in hand, whose view stays as it is */
    kan_freqset scratch; /* the set of the node in hand, when it was made and nobody keeps it */
    uint8_t *is_released;
    size_t flag_room;
    /* What a node must keep beside the question's promise to be measured (boxes.h). */
    kan_strict strict;
    kan_tallies tallies; /* groups of a node that is measured without its set */
    kan_cell_loss loss[KAN_MAX_ATTRIBUTES];
    /* Rows of groups, and people of the population: of the node in hand, and of the set below it. */
    struct kan_probe_matched {
        uint64_t *count, *people;
        uint8_t *is_released;
        size_t count_room, people_room, flag_room;
        unsigned levels[KAN_MAX_ATTRIBUTES];
        uint64_t edition;
    } matched, matched_below;
    kan_tuple_groups members; /* of a joint set */
    uint64_t *member_counts;
    size_t member_room;
    bool needs_sets;   /* sizes alone tell too little for this promise or cost */
    bool checks_sizes; /* sizes, or these and people, tell; each group is checked */
    bool joins; /* sets are joint ones, of the table and the population (group/population.h) */
    bool counts_people; /* sizes, and the crowd */
    bool splits;        /* no more is asked than which groups are small */
    bool counts_all;    /* people beyond the limit are counted to the end, to be told */
    kan_stayers stayers;
    uint64_t edition; /* of the node in hand: see group/view.h */
    uint64_t n_checked;
    kan_effort effort;
} kan_probe;

KAN_MUST_USE kan_status kan_probe_init(kan_probe *probe, const kan_question *question);
/* From here on nodes count only if they keep the promise of this question, too. */
KAN_MUST_USE kan_status kan_probe_be_strict(kan_probe *probe, const kan_question *strict);
/* Where counts_people: makes the crowd (initialised) that every probe is then given. */
KAN_MUST_USE kan_status kan_probe_make_crowd(kan_probe *probe, kan_crowd *crowd);
KAN_MUST_USE kan_status kan_probe_use_crowd(kan_probe *probe, const kan_crowd *crowd);
/* Also after a failed init. */
void kan_probe_destroy(kan_probe *probe);

/* The set of the base at `levels`, laid out for what follows. */
KAN_MUST_USE kan_status kan_probe_scan(kan_probe *probe, const unsigned *levels, kan_freqset *out);
/* The groups of a set that was made, checked. Valid until the next call, as those of the look. */
KAN_MUST_USE kan_status kan_probe_see(kan_probe *probe, const kan_freqset *set, kan_groups *out);
/* The same of a set below the node that was looked at last, which can still be measured afterwards.
 * Not where people are counted. */
KAN_MUST_USE kan_status kan_probe_see_below(kan_probe *probe, const kan_freqset *set,
                                            kan_groups *out);
/* The groups of the node at `levels`, from a set at or below it, checked. `made`, when it is not
 * NULL, becomes the node's set. Valid until the next call. */
KAN_MUST_USE kan_status kan_probe_look(kan_probe *probe, const kan_freqset *from,
                                       const unsigned *levels, kan_freqset *made, kan_groups *out);
/* The same for the first node that satisfies when levels[attribute] rises, at most to `most`, or
 * for the one at `most`; levels are then its. */
KAN_MUST_USE kan_status kan_probe_climb(kan_probe *probe, const kan_freqset *from, unsigned *levels,
                                        unsigned attribute, unsigned most, kan_groups *out);
/* Looks at that node once more, where it must keep more than the question's promise and looking tells
 * something of the nodes below: n_left_out becomes what these lose at least, and exactly what this
 * node does where the promise is monotone. */
KAN_MUST_USE kan_status kan_probe_look_strictly(kan_probe *probe, const kan_freqset *from,
                                                kan_groups *groups);
/* Measures the node that was looked at last, if it satisfies and may be the best. */
KAN_MUST_USE kan_status kan_probe_measure(kan_probe *probe, const kan_freqset *from,
                                          const kan_freqset *made, kan_groups *groups);

/* Whether the rows that a question's nodes lose at least make its bounds higher: where it is known
 * which groups they are in, those of fewer than k. */
bool kan_probe_bounds_losses(const kan_question *question);
/* Whether sizes alone tell too little of a question's nodes, and sets must be made. */
bool kan_probe_wants_sets(const kan_question *question);
/* No node at or above `low` costs less, when all of those that count suppress at least the rows
 * that `n_failing` counts. False when the cost has no bound. */
bool kan_probe_bound(const kan_probe *probe, const kan_groups *low, uint64_t n_failing,
                     kan_score *out);

#endif
