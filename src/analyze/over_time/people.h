/* The people of a ledger, looked up by their marks: marks are in ascending order and as good as drawn, so that
 * their first bits say where they stand, nearly. Hints to memory make a block of look-ups cheap. */
#ifndef KANON_ANALYZE_OVER_TIME_PEOPLE_H
#define KANON_ANALYZE_OVER_TIME_PEOPLE_H

#include "core/memory.h"

typedef struct kan_over_time_people {
    const uint8_t *marks; /* borrowed */
    size_t n;
    unsigned bits; /* of a mark, the first ones: its place */
    uint32_t *
        starts; /* by place: the first person of it or of a later one; and their number behind the last */
} kan_over_time_people;

enum { KAN_OVER_TIME_BLOCK = 256 };

#define KAN_OVER_TIME_NOBODY UINT32_MAX

/* *is_ascending is false where somebody does not stand behind the one before her, and `out` is not to be used
 * then. Destroy it in any case. */
KAN_MUST_USE kan_status kan_over_time_people_make(kan_run *run, const uint8_t *marks, size_t n,
                                                  kan_over_time_people *out, bool *is_ascending);
void kan_over_time_people_destroy(kan_run *run, kan_over_time_people *people);

/* Who each of n <= KAN_OVER_TIME_BLOCK marks is, that stand one after the other; or nobody. */
void kan_over_time_people_find(const kan_over_time_people *people, const uint8_t *marks, size_t n,
                               uint32_t *out);

#endif
