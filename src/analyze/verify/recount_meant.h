/* What sensitive values mean, for the recount: 1, 1.0 and 1e0 are one number. The search finds the
 * same by comparing texts (group/freqsets/alike.h); here each value is written down in one way, and values
 * that are written alike are one.
 *
 * A column is numbers, or dates, when all known values that its rows show are. A number with a zero
 * before it is a code, and a column with one is text. */
#ifndef KANON_ANALYZE_VERIFY_RECOUNT_MEANT_H
#define KANON_ANALYZE_VERIFY_RECOUNT_MEANT_H

#include "data/table.h"

/* A value; of a number 0.DIGITS * 10^exponent, no digit at its ends being 0; of a date the digits of
 * its year, month and so on. */
typedef struct kan_meant {
    kan_slice text, digits;
    int32_t exponent; /* of the first digit */
    int8_t sign;      /* 0: the number 0 */
    uint8_t type;     /* kan_type of this value alone; text also for codes */
    bool is_padded;   /* a code: its number is there, but it means only itself */
    bool is_unknown;  /* "" or "?" */
} kan_meant;

typedef struct kan_meant_list {
    kan_run *run;
    size_t n;
    kan_meant *values; /* in the order in which they were given */
    char *room;
} kan_meant_list;

/* The texts must outlive the list. */
KAN_MUST_USE kan_status kan_meant_read(kan_run *run, const kan_slice *values, size_t n,
                                       kan_meant_list *out);
void kan_meant_destroy(kan_meant_list *list);

/* What a column is by the values that is_shown says, or by all (NULL); a number where none is known.
 * `ends` of a capped column may be NULL. */
kan_type kan_meant_kind(const kan_meant_list *list, const uint8_t *is_shown, const kan_ends *ends);

/* By value the first one that means the same, or has the same bytes; *has_several: some value is
 * spelled in several ways. O(n log n). */
KAN_MUST_USE kan_status kan_meant_same(const kan_meant_list *list, size_t *first_of,
                                       bool *has_several);
/* By value its rank, from 0: unknown values, words, dates and numbers, codes among them; equal
 * numbers have one rank. Ends stand before and behind all others. */
KAN_MUST_USE kan_status kan_meant_rank(const kan_meant_list *list, const kan_ends *ends,
                                       uint32_t *rank, uint32_t *n_ranks);

/* By code of a column which of its values the first n_rows rows show: `is_shown` has room for its
 * dictionary. */
void kan_meant_shown(kan_run *run, const kan_column *column, uint64_t n_rows, uint8_t *is_shown);

#endif
