/* The door of analyze/codes: sets of codes in a release, counted again.
 *
 * A label covers a code when it is the code, or what the hierarchy has above it, at any level. Somebody
 * has a code, as far as the release tells, when one of her labels covers it. Codes that the same shown
 * labels cover cannot be told apart, and are one class; every set of up to M classes that somebody has
 * is written down, person by person, and equal ones are found by sorting. So it holds of any release,
 * whoever made it and whatever its labels are (docs/papers/codes.md). Nothing is shared with search/codes.
 * May touch core and data. */
#ifndef KANON_ANALYZE_CODES_CODES_H
#define KANON_ANALYZE_CODES_CODES_H

#include "data/hierarchies/hierarchies.h"

enum { KAN_CODE_SETS_KNOWN_MOST = 16 };

/* A column whose cells are sets of codes, or of labels, apart by a sign; blanks around them are none of
 * theirs, an empty one is none. */
typedef struct kan_code_sets {
    const kan_column *column; /* encoded */
    char separator;
    const kan_hierarchy *hierarchy; /* bound to all codes that anybody may know */
} kan_code_sets;

/* Takes the next code off a cell; *rest is empty behind the last. False when there was none left. */
bool kan_code_sets_next(kan_slice *rest, char separator, kan_slice *code);

typedef struct kan_code_sets_recount {
    uint64_t n_people;
    uint64_t n_sets; /* sets of up to M classes that somebody has; the empty one is not counted */
    uint64_t
        fewest; /* people who have the rarest of all sets, the empty one included; 0: no people */
    uint64_t n_rare; /* sets that fewer than k have */
    /* Of those the first: somebody who has it, and its size. */
    uint64_t rare_row;
    unsigned rare_size;
    /* A label that covers no code: nothing was counted. */
    bool is_foreign;
    uint64_t foreign_row;
    kan_slice foreign; /* of the column */
} kan_code_sets_recount;

/* Counts who has which sets of up to `known` codes. O(sets log sets). */
KAN_MUST_USE kan_status kan_code_sets_count(kan_run *run, const kan_code_sets *release, uint64_t k,
                                            unsigned known, kan_code_sets_recount *out);

typedef struct kan_code_sets_shape {
    bool holds;
    /* Else the first row with a label that breaks it; and the other one that stands for one of its codes. */
    uint64_t row;
    kan_slice label, other; /* of the column; without bytes: there is none */
} kan_code_sets_shape;

/* Whether all labels are of one level; or, by_level false, no two of them stand for one code, so that each
 * code has one label for everybody. Labels that cover no code are passed over. O(labels log labels). */
KAN_MUST_USE kan_status kan_code_sets_shape_check(kan_run *run, const kan_code_sets *release,
                                                  bool by_level, kan_code_sets_shape *out);

typedef struct kan_code_sets_pair {
    const kan_column *released, *original;
} kan_code_sets_pair;

typedef struct kan_code_sets_match {
    bool holds;
    uint64_t
        row; /* else: the first of the release that is no row of the original, as far as is known */
    bool is_certain; /* no row of the original could be it, wherever it stands */
} kan_code_sets_match;

/* Whether each row of the release can be another row of the original: each of its labels covers one of
 * that row's codes, and each of these is covered; columns that show what they have are equal. row_of: which
 * row of the original it is; NULL: they stand in the order of the original, some left out. O(rows). */
KAN_MUST_USE kan_status kan_code_sets_cover(kan_run *run, const kan_code_sets *release,
                                            const kan_code_sets *original,
                                            const kan_code_sets_pair *others, size_t n_others,
                                            const uint64_t *row_of, kan_code_sets_match *out);

#endif
