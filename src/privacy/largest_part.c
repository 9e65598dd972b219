/* The largest part of a group that can pass: see largest_part.h. */
#include "privacy/largest_part.h"

/* Whichever values are set aside as those that all rows may be taken of, the part has
 *
 *   Y (whole - sum of the other shares) <= unit * sum of c_v over those set aside.
 *
 * Those that are scarce in a part as large as was found so far say most of a smaller one. Fewer of
 * them are scarce there, so that each is tried once at most. */
uint64_t kan_largest_part(const kan_part_shares *shares, const uint32_t *value,
                          const uint64_t *count, size_t n_values, uint64_t most) {
    uint64_t part = most;
    while (shares->share && part > 0) {
        kan_u128 scarce = 0, others = 0;
        for (size_t i = 0; i < n_values; i++) {
            const kan_u128 all = (kan_u128)count[i] * shares->unit;
            const uint64_t share = shares->share[value[i]];
            if (all < (kan_u128)share * part)
                scarce += all;
            else
                others += share;
        }
        if (others >= shares->whole)
            return part;
        const kan_u128 next = scarce / (shares->whole - others);
        if (next >= part)
            return part;
        part = (uint64_t)next;
    }
    return part;
}
