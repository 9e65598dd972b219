/* How the best node got better: after which step each better one was known. Steps are counted, never
 * timed, so that the best after any number of them is the same wherever and however long a search ran. */
#ifndef KANON_SEARCH_BOXES_TRAIL_H
#define KANON_SEARCH_BOXES_TRAIL_H

#include "search/judge/judge.h"

typedef struct kan_trail {
    size_t n, room;
    struct kan_trail_mark {
        uint64_t step; /* none is less than the one before */
        kan_found found;
    } * marks; /* each better than the one before */
} kan_trail;

/* Notes what is known after `step`, if it is better than what was. */
KAN_MUST_USE kan_status kan_trail_note(kan_trail *trail, kan_run *run, uint64_t step,
                                       const kan_found *found);
/* Appends the first `most` steps of another one, which begin after `step`. */
KAN_MUST_USE kan_status kan_trail_append(kan_trail *trail, kan_run *run, uint64_t step,
                                         const kan_trail *other, uint64_t most);
/* The best that was known after `step`; not found where there was none. */
kan_found kan_trail_at(const kan_trail *trail, uint64_t step);
kan_found kan_trail_last(const kan_trail *trail);
void kan_trail_destroy(kan_trail *trail, kan_run *run);

#endif
