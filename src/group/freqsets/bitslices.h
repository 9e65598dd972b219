/* Bit slices: a map from one-word keys to numbers that is a sum of table entries, one for every few
 * bits of the key. Any number of fields may change at once; neighbours that are small share a
 * table, and fields that no longer matter cost nothing. */
#ifndef KANON_GROUP_FREQSETS_BITSLICES_H
#define KANON_GROUP_FREQSETS_BITSLICES_H

#include "group/freqsets/freqset.h"

enum { KAN_MOST_BITSLICES = 8 };

/* A field of the key, and what its values add to the number. */
typedef struct kan_digit {
    unsigned shift, bits;
    const uint32_t *group_of; /* NULL: the value itself */
    uint32_t n_values;
    uint64_t weight; /* a value adds its group times this */
} kan_digit;

typedef struct kan_bitslices {
    unsigned n;
    struct kan_bitslice {
        unsigned shift;
        uint64_t mask;
        const uint64_t *table;
    } slices[KAN_MOST_BITSLICES];
    uint64_t *tables; /* the run's; room is reused */
    size_t room;
} kan_bitslices;

/* The digit of a field whose attribute goes to `level`. */
kan_digit kan_digit_of(const kan_space *space, const kan_key_field *field, unsigned level,
                       uint64_t weight);

enum { KAN_NO_DIGIT = KAN_MAX_FIELDS };

/* The digits of a group's number at `levels`, least significant bits of the key first: numbers are
 * below n_numbers. False when there would be more than `most`, or keys have several words. The
 * groups of attribute `first`, unless it is KAN_NO_DIGIT, are next to each other. Tails count for
 * nothing. */
bool kan_digits_find(const kan_space *space, const kan_layout *layout, const unsigned *levels,
                     unsigned first, uint64_t most, kan_digit *digits, unsigned *n_digits,
                     size_t *n_numbers);

/* Makes the tables for digits in ascending order of their shifts, for about n tuples: tables should
 * cost less than the pass over them. `fits` is false when there would be too many slices. */
KAN_MUST_USE kan_status kan_bitslices_make(kan_run *run, const kan_digit *digits, unsigned n_digits,
                                           size_t n, kan_bitslices *out, bool *fits);

/* Called with a constant number of slices. */
static inline uint64_t kan_bitslices_map(const struct kan_bitslice *slices, uint64_t key,
                                         const unsigned n_slices) {
    uint64_t number = 0;
    for (unsigned s = 0; s < n_slices; s++)
        number += slices[s].table[key >> slices[s].shift & slices[s].mask];
    return number;
}

/* Calls call(n) with a constant n that is the number of slices. */
#define KAN_BITSLICES_SWITCH(number, call)                                                         \
    switch (number) {                                                                              \
    case 0:                                                                                        \
        call(0);                                                                                   \
        break;                                                                                     \
    case 1:                                                                                        \
        call(1);                                                                                   \
        break;                                                                                     \
    case 2:                                                                                        \
        call(2);                                                                                   \
        break;                                                                                     \
    case 3:                                                                                        \
        call(3);                                                                                   \
        break;                                                                                     \
    case 4:                                                                                        \
        call(4);                                                                                   \
        break;                                                                                     \
    case 5:                                                                                        \
        call(5);                                                                                   \
        break;                                                                                     \
    default:                                                                                       \
        call(number);                                                                              \
    }

#endif
