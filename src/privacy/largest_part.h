/* The largest part of a group that a promise about shares of values can let pass: what is left of
 * the group is lost, whatever recoding divides it (docs/papers/screen.md).
 *
 * Of each value v the group has c_v rows, and a part of Y rows no more than c_v. The model says that
 *
 *   whole * Y <= sum over all v of min(unit * c_v, share_v * Y)
 *
 * holds of each part that passes. */
#ifndef KANON_PRIVACY_LARGEST_PART_H
#define KANON_PRIVACY_LARGEST_PART_H

#include "core/hash.h"

typedef struct kan_part_shares {
    const uint64_t *share; /* by value; NULL: nothing is said. None is above 2^62, */
    uint64_t unit, whole;  /* nor are these */
} kan_part_shares;

/* No part that passes has more rows; `most` is a number that none exceeds, such as the rows of the
 * group, which has these values. */
uint64_t kan_largest_part(const kan_part_shares *shares, const uint32_t *value,
                          const uint64_t *count, size_t n_values, uint64_t most);

#endif
