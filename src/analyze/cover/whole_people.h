/* Whether a release can be one of whole people: who has a released row has all of hers in it.
 *
 * The release need not say whose its rows are. It stands in the order of the original, so that a
 * choice of people explains it where their rows, in this order, are as many as those of the
 * release, and each is covered by the released row in its place. For src/job and tests. */
#ifndef KANON_ANALYZE_COVER_WHOLE_PEOPLE_H
#define KANON_ANALYZE_COVER_WHOLE_PEOPLE_H

#include "analyze/cover/cover_rows.h"

typedef enum kan_whole {
    KAN_WHOLE_ONE,         /* one choice explains it: row_of is filled in */
    KAN_WHOLE_NONE,        /* no choice of people explains it */
    KAN_WHOLE_SEVERAL,     /* several do, and which it was is not known */
    KAN_WHOLE_UNDECIDED,   /* KAN_WHOLE_STEPS were not enough */
    KAN_WHOLE_OTHER_ORDER, /* the rows do not stand in the order of the original */
} kan_whole;

/* Rows that the search for a choice looks at, at most: some seconds. */
#define KAN_WHOLE_STEPS (UINT64_C(1) << 24)

/* person[row of the original] is below n_people. The question has no order, and a column. */
typedef struct kan_whole_question {
    const kan_cover_question *cover;
    const kan_column *person; /* of the original */
    uint64_t most_steps;      /* 0: KAN_WHOLE_STEPS */
} kan_whole_question;

/* row_of[released] is the original row of each, where there is one choice. A few passes over both
 * tables, O(rows * columns), and the steps; memory for a few words per row. */
KAN_MUST_USE kan_status kan_verify_whole_people(kan_run *run, const kan_whole_question *question,
                                                uint64_t *row_of, kan_whole *out);

/* Whether some people have so many rows together; true also where that takes too much work to say.
 * n_rows_of[person]. */
KAN_MUST_USE kan_status kan_verify_people_have(kan_run *run, const uint64_t *n_rows_of,
                                               size_t n_people, uint64_t n_rows, bool *out);

#endif
